/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What is said of a flame graph in the lines around it: how it is laid out, searched and zoomed above, of the
 * selected frame what it weighs below. All of it is read off the view; nothing is counted here.
 */
#include "config.h"
#include "flameview.h"

const char *const flame_order_name[] = {"weight", "name", "appearance"};

void flame_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct flameview *v = st;
	if (!v->f[DOWN])
		return;
	tree_summary(v->t.c, env, b);
	buf_printf(b, " | %s, %s", v->flip ? "flame" : "icicle", flame_order_name[v->conf.order]);
	if (v->colour == FC_SELF)
		buf_puts(b, ", own weight");
	if (env->base > BASE_ALL)
		buf_printf(b, " | %% of %s", tree_base_name(env, BASE_ALL, "the parent"));
	if (v->conf.reverse)
		buf_puts(b, " | reversed");
	if (v->pivot)
		buf_puts(b, " | pivot");
	if (v->conf.fold_recursion)
		buf_puts(b, " | recursion folded");
	if (v->conf.fold_runtime)
		buf_puts(b, " | runtime folded");
	if (hits_fresh(&v->hit, env)) {
		buf_printf(
		    b, " | /%s %u hit%s ", env->find.text, v->hit.n, v->hit.n == 1 ? "" : "s");
		tree_put_percent(b, v->hitw, v->t.c->all);
		buf_puts(b, " of total (union)");
	}
	uint32_t z = v->zoom[v->part];
	if (z) {
		buf_puts(b, " | zoom: ");
		calls_name(v->t.c, flame_thing_of(v->f[v->part], z), b);
	}
}

static void put_both(const struct pane_env *env, const struct calls *c, struct buf *b, int64_t v, int64_t parent)
{
	tree_put_change(env, c, b, v);
	buf_putc(b, ' ');
	tree_put_percent(b, v, tree_base(env, c, BASE_ALL, parent));
}

void flame_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct flameview *v = st;
	if (!v->f[v->part] || !v->sel)
		return;
	const struct flame *f = v->f[v->part];
	const struct calls *c = v->t.c;
	struct calls_sum sum = flame_sum(f, v->sel);
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
		tree_put_sides(env, c, r, cum, sum.o);
	} else if (above && env->base != BASE_LOCAL) {
		buf_puts(r, ", ");
		tree_put_percent(r, cum, up);
		buf_puts(r, v->part == UP || v->conf.reverse ? " of callee" : " of parent");
	}
	buf_puts(r, flame_inlined(f, v->sel) ? "  (inlined)  " : "  ");
	calls_where(c, flame_thing_of(f, v->sel), r);
	tree_line(env, c, flame_thing_of(f, v->sel), b, r);
}

void flame_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	(void)st;
	(void)env;
	buf_puts(b,
	    "hjkl move  Enter zoom  u undo  0 all  p pivot  i flip  s order  / find  f x d filter");
}
