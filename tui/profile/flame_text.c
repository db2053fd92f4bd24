/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The lines around a flame graph: above, its layout, search and zoom; below, the weight of the
 * selected frame. They are read from the view; nothing is counted here. And the choices of the
 * display commands.
 */
#include "config.h"
#include "profile/flame_internal.h"

#include "base/text/text.h"

const char *const flame_order_name[] = {"weight", "name", "appearance"};

void flame_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct flame_state *v = st;
	if (!v->f[DOWN])
		return;
	profile_summary(v->t.c, env, b);
	buf_printf(b, " | %s, %s", v->flip ? "flame" : "icicle", flame_order_name[v->conf.order]);
	if (v->colour == FC_SELF)
		buf_puts(b, ", own weight");
	if (env->base > BASE_ALL)
		buf_printf(b, " | %% of %s", profile_base_name(env, BASE_ALL, "the parent"));
	if (v->conf.reverse)
		buf_puts(b, " | reversed");
	if (v->pivot)
		buf_puts(b, " | pivot");
	if (v->rows != EQUAL_FOLDED)
		buf_puts(b, v->rows == ALL_ROWS ? " | all rows" : " | recursion collapsed");
	if (v->conf.fold_runtime)
		buf_puts(b, " | runtime collapsed");
	if (list_hits_are_current(&v->hit, NULL, env->find.rx)) {
		buf_printf(
		    b, " | /%s %u match%s ", env->find.text, v->hit.n, text_es(v->hit.n));
		profile_put_percent(b, v->hitw, v->t.c->all);
		buf_puts(b, " of total (union)");
	}
	uint32_t z = v->zoom[v->part];
	if (z) {
		buf_puts(b, " | zoom: ");
		weighted_name(v->t.c, flame_symbol_of(v->f[v->part], z), b);
	}
}

static void put_both(
    const struct pane_env *env, const struct weighted_tree *c, struct buf *b, int64_t v, int64_t parent)
{
	profile_put_change(env, c, b, v);
	buf_putc(b, ' ');
	profile_put_percent(b, v, profile_base_value(env, c, BASE_ALL, parent));
}

void flame_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct flame_state *v = st;
	if (!v->f[v->part] || !v->sel)
		return;
	const struct flame *f = v->f[v->part];
	const struct weighted_tree *c = v->t.c;
	struct weighted_sum sum = flame_sum(f, v->sel);
	uint32_t above = f->open->at[v->sel].up;
	int64_t flat = flame_own(f, v->sel).w, cum = sum.w, up = flame_sum(f, above).w;
	struct buf rest = {0}, *r = &rest;
	if (v->part == DOWN && !v->conf.reverse) {
		buf_puts(r, "  self ");
		put_both(env, c, r, flat, up);
	}
	buf_puts(r, "  total ");
	put_both(env, c, r, cum, up);
	if (c->two) {
		profile_put_sides(env, c, r, cum, sum.o);
	} else if (above && env->base != BASE_LOCAL) {
		buf_puts(r, ", ");
		profile_put_percent(r, cum, up);
		buf_puts(r, v->part == UP || v->conf.reverse ? " of callee" : " of parent");
	}
	buf_puts(r, flame_inlined(f, v->sel) ? "  (inlined)  " : "  ");
	weighted_position(c, flame_symbol_of(f, v->sel), r);
	profile_put_name_line(env, c, flame_symbol_of(f, v->sel), b, r);
}

/* ---- choices */

static const struct { const char *name, *what; } colours[FC__N] = {
    [FC_AUTO] = {"auto", "by package; in a comparison by change"},
    [FC_PACKAGE] = {"package", "one colour per package; grey for runtime and standard library"},
    [FC_SELF] = {"self", "by own weight"},
    [FC_STATE] = {"state", "traces: by state of the goroutines, as on the timeline"},
    [FC_DIFF] = {"diff", "by difference to the base"}};

enum verdict flame_set_colour(struct flame_state *v, bool trace, const char *arg, struct ask *ask)
{
	for (int i = 0; arg && i < FC__N; i++)
		if (!strcmp(arg, colours[i].name) && i == FC_STATE && !trace)
			return pane_message(ask, "colours by state are only available for traces");
		else if (!strcmp(arg, colours[i].name)) {
			v->colour = (enum flame_colour)i;
			return pane_message(ask, "colours: %s", colours[i].what);
		}
	return pane_message(ask, "colours requires auto, package, self, state or diff");
}

int flame_choices(const void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	static const char *const what[] = {"heaviest first", "by name", "in the order of the file"};
	const struct flame_state *v = st;
	(void)env;
	for (int i = 0; i < 3 && (cmd == CMD_ORDER || cmd == CMD_SORT); i++)
		pane_set_choice(&out[i], flame_order_name[i], what[i], (int)v->conf.order == i);
	for (int i = 0; i < FC__N && cmd == CMD_COLUMNS; i++)
		pane_set_choice(&out[i], colours[i].name, colours[i].what, (int)v->colour == i);
	return cmd == CMD_ORDER || cmd == CMD_SORT ? 3 : cmd == CMD_COLUMNS ? FC__N : 0;
}
