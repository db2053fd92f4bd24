/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Tags: the labels of the samples, keys with their values below, and their weights with the current
 * filters.
 *
 * A row is a key or a value. Enter and f on a value focus on it, x also ignores it, as f and x do
 * with functions in other panes; tagroot and tagleaf use the key of the row. Keys can be folded,
 * because one by goroutine or request may have as many values as there are samples.
 */
#include "config.h"
#include "app/pane.h"

#include "base/async.h"
#include "base/mem/mem.h"
#include "base/text/pprof_units.h"
#include "base/text/text.h"
#include "filter/tag_weights.h"
#include "profile/common.h"
#include "widget/list.h"

#include <stdio.h>
#include <string.h>

enum { FOLD_OVER = 200 };	/* keys with more values are folded initially */

struct tags_row { uint32_t key, value; };	/* value UINT32_MAX: the key itself */

struct tags_state {
	struct tags *t;		/* NULL before the first; of an older query while the current one is counted */
	struct async work;	/* counts them */
	uint32_t serial;	/* of the query of t */
	struct rows rows;
	struct tags_row *tags_row;
	size_t cap;
	uint8_t *fold;		/* by key of t */
	struct list_hits hit;
};

static void row_text(const void *st, const struct pane_env *env, uint32_t i, struct buf *b)
{
	const struct tags_state *p = st;
	(void)env;
	const struct tag_key *k = &p->t->key[p->tags_row[i].key];
	const struct str_row *s = store_str(p->t->st, k->key);
	buf_reset(b);
	if (p->tags_row[i].value == UINT32_MAX)
		text_safe(b, s->s, s->n);
	else
		tag_text(p->t, k, &p->t->value[p->tags_row[i].value], b);
}

static void add_row(struct tags_state *p, uint32_t n, struct tags_row r)
{
	p->tags_row = mem_grow(p->tags_row, &p->cap, (size_t)n + 1, sizeof *p->tags_row);
	p->tags_row[n] = r;
}

static void fill_rows(struct tags_state *p, const struct pane_env *env)
{
	struct buf b = {0};
	uint32_t n = 0;
	for (uint32_t k = 0; p->t && k < p->t->nkey; k++) {
		const struct tag_key *key = &p->t->key[k];
		add_row(p, n++, (struct tags_row){k, UINT32_MAX});
		for (uint32_t i = key->first; !p->fold[k] && i < key->first + key->n; i++) {
			add_row(p, n, (struct tags_row){k, i});
			row_text(p, env, n, &b);
			n += !env->grep.rx || regex_match(env->grep.rx, buf_str(&b), b.n);
		}
	}
	buf_free(&b);
	list_set_count(&p->rows, n);
}

/* The selection by name and value, not by row, because a filter changes the order of the keys. */
struct cursor_at { bool any, value; str_id key; struct tag_value v; };

static struct cursor_at cursor_position(const struct tags_state *p)
{
	if (!p->t || p->rows.sel >= p->rows.n)
		return (struct cursor_at){0};
	const struct tags_row *r = &p->tags_row[p->rows.sel];
	struct cursor_at at = {.any = true, .value = r->value != UINT32_MAX, .key = p->t->key[r->key].key};
	if (at.value)
		at.v = p->t->value[r->value];
	return at;
}

/* Restore the selection; a value that was filtered out is replaced by the next one. */
static void go_back(struct tags_state *p, const struct cursor_at *at)
{
	for (uint32_t i = 0; at->any && i < p->rows.n; i++) {
		const struct tags_row *r = &p->tags_row[i];
		bool is_value = r->value != UINT32_MAX;
		if (p->t->key[r->key].key != at->key || is_value != at->value)
			continue;
		const struct tag_value *v = is_value ? &p->t->value[r->value] : NULL;
		if (!v || (v->text == at->v.text && v->str == at->v.str && v->num == at->v.num))
			list_select(&p->rows, i);
	}
}

/* Use new weights, unless they are still being counted (NULL). */
static void take_weights(struct tags_state *p, const struct pane_env *env, struct tags *t)
{
	struct cursor_at was = cursor_position(p);
	if (!t)
		return;
	tag_weights_free(p->t);
	p->t = t;
	p->fold = xrealloc(p->fold, t->nkey + 1u);
	for (uint32_t k = 0; k < t->nkey; k++)
		p->fold[k] = t->key[k].n > FOLD_OVER;
	fill_rows(p, env);
	go_back(p, &was);
}

static void tags_pane_update(void *st, const struct pane_env *env)
{
	struct tags_state *p = st;
	if (p->t && p->serial == session_serial(env->s))
		fill_rows(p, env);
	else if (!async_job(&p->work))
		take_weights(p, env, session_tags_async(env->s, &p->work, &p->serial));
}

static void tags_pane_done(void *st, const struct pane_env *env, struct ask *out)
{
	struct tags_state *p = st;
	(void)out;
	take_weights(p, env, session_tags_finish(&p->work, &p->serial));
	tags_pane_update(p, env);		/* the query may have changed meanwhile */
}

static void close_tags(void *st)
{
	struct tags_state *p = st;
	tag_weights_free(p->t);
	mem_free(p->tags_row);
	mem_free(p->fold);
	list_hits_free(&p->hit);
}

/* ---- drawing */

static void put_tag_value(const struct tags_state *p, const struct pane_env *env, struct buf *b, int64_t v)
{
	const char *unit = p->t->unit ? store_str(p->t->st, p->t->unit)->s : "count", *scaled;
	if (env->unit)
		pprof_units_scale(v, unit, env->unit, &scaled);
	if (env->unit && !strcmp(scaled, env->unit))
		pprof_units_label(b, v, unit, env->unit);
	else
		text_value(b, v, unit);
}

static void draw_value_cell(
    const struct tags_state *p, const struct pane_env *env, struct grid *g, int y, int x1, int64_t v, bool change)
{
	struct buf b = {0};
	if (v > 0 && change)
		buf_putc(&b, '+');
	put_tag_value(p, env, &b, v);
	grid_right(g, y, x1, !v ? ST_DIM : change ? v > 0 ? ST_MORE2 : ST_LESS2 : ST_NORMAL, 0,
	    v ? buf_str(&b) : ".");
	buf_free(&b);
}

struct tags_drawing { const struct tags_state *p; const struct pane_env *env; };

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct tags_drawing *d = arg;
	const struct tags_state *p = d->p;
	const struct tag_key *k = &p->t->key[p->tags_row[i].key];
	bool head = p->tags_row[i].value == UINT32_MAX, delta = p->t->two && p->t->show == SHOW_DELTA;
	const struct tag_value *v = head ? NULL : &p->t->value[p->tags_row[i].value];
	int64_t w = head ? k->weight : v->weight, o = head ? k->other : v->other;
	struct pair s = side_pair(p->t->show, w, o);
	struct buf b = {0};
	int x = 30;
	draw_value_cell(p, d->env, g, y, 10, w, delta);
	if (delta) {
		draw_value_cell(p, d->env, g, y, 19, s.a, false);
		draw_value_cell(p, d->env, g, y, 28, s.b, false);
	} else {
		int64_t base = d->env->base == BASE_LOCAL && !head ? k->weight : p->t->total;
		profile_draw_percent(g, y, 18, w, base);
		grid_bar(g, y, 20, 9, profile_ratio(w, p->t->total), ST_HEAT);
	}
	row_text(p, d->env, i, &b);
	if (head) {
		int end = grid_textn(g, y, x, ST_HEAD, AT_BOLD, b.n ? b.p : "", b.n);
		grid_printf(g, y, end + 1, ST_DIM, 0, "%u value%s%s", k->n, text_s(k->n),
		    p->fold[p->tags_row[i].key] ? ", collapsed: Enter shows them" : "");
	} else {
		grid_textn(g, y, x + 2, b.n ? ST_NORMAL : ST_DIM, 0, b.n ? b.p : "(empty)", b.n ? b.n : 7);
		if (d->env->find.rx)
			list_mark_hits(g, (struct rect){y, x, 1, g->w - x}, d->env->find.rx);
	}
	buf_free(&b);
}

static void tags_pane_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct tags_state *p = st;
	if (!p->t && async_job(&p->work)) {
		grid_text(g, 2, 2, ST_DIM, 0, "Counting.");
		return;
	}
	if (!p->t || !p->t->nkey) {
		grid_text(g, 2, 2, ST_WARN, 0,
		    p->t && !p->t->total && !p->t->other ? "No sample passes the filters."
							 : "The samples have no tags.");
		grid_text(g, 4, 2, ST_DIM, 0,
		    "Tags come from pprof.Do and pprof.Labels, or from the program that wrote the profile.");
		return;
	}
	bool delta = p->t->two && p->t->show == SHOW_DELTA;
	grid_text(g, 0, delta ? 4 : 5, ST_HEAD, 0,
	    delta ? "CHANGE        A        B  TAG" : "WEIGHT   PART            TAG");
	struct rect old = grid_clip(g, (struct rect){1, 0, g->h - 1, g->w});
	list_draw_rows(&p->rows, g, draw_row, &(struct tags_drawing){p, env},
	    &(struct list_options){false, list_hits_marks(&p->hit, &p->rows, env->find.rx)});
	grid_unclip(g, old);
}

/* ---- commands */

static const struct tags_row *selected_row(const struct tags_state *p)
{
	return p->t && p->rows.n ? &p->tags_row[p->rows.sel] : NULL;
}

static enum verdict toggle_fold(struct tags_state *p, const struct pane_env *env)
{
	uint32_t key = selected_row(p)->key;
	p->fold[key] = !p->fold[key];
	fill_rows(p, env);
	for (uint32_t i = 0; i < p->rows.n; i++)
		if (p->tags_row[i].key == key && p->tags_row[i].value == UINT32_MAX)
			list_select(&p->rows, i);
	return V_DONE;
}

/* Convert filters of one key (k=^v$,^w$) to alternative expressions on "key:value"; filters in that form are kept.
   false: the filter has another form, or is of numbers. */
static bool of_any_key(const char *f, struct buf *b)
{
	const char *eq = strchr(f, '=');
	if (*f == '^' && !eq && !strchr(f, ',')) {
		buf_puts(b, f);
		return true;
	}
	for (const char *v = eq ? eq + 1 : "", *end; *v; v = end + (*end == ',')) {
		end = v + strcspn(v, ",");
		bool any = end - v == 1 && *v == '.';
		if (!any && (*v != '^' || end[-1] != '$'))
			return false;
		buf_puts(b, v == eq + 1 ? "^" : "|^");
		for (const char *k = f; k < eq; k++)
			buf_printf(b, strchr("\\.+*?()|[]{}^$", *k) ? "\\%c" : "%c", *k == ',' ? '.' : *k);
		buf_putc(b, ':');
		for (const char *k = v + 1; k < end; k++) /* a pattern with a = would be taken as one with a key */
			buf_putc(b, *k == '=' ? '.' : *k);
	}
	return eq && eq[1];
}

/* Extend the existing ignore filter by the new one if one filter can express both; otherwise the new one replaces
   it. */
static void ignore_too(const char *had, struct buf *b)
{
	struct buf both = {0};
	const char *now = buf_str(b), *eq = strchr(now, '=');
	size_t key = (size_t)(eq - now) + 1;
	if (!strncmp(had, now, key) && had[key] == '^' && eq[1] == '^')
		buf_printf(&both, "%s,%s", had, eq + 1);
	else if (strncmp(had, now, key) && of_any_key(had, &both)) {
		buf_putc(&both, '|');
		if (!of_any_key(now, &both))
			buf_reset(&both);
	} else {
		buf_reset(&both);
	}
	if (both.n) {
		buf_reset(b);
		buf_put(b, both.p, both.n);
	}
	buf_free(&both);
}

/* Extend the existing focus filter: another key adds a condition, which pprof's filters express as comma-separated
   expressions on "key:value". A filter on the same key, or one of numbers, is replaced. */
static void focus_too(const char *had, struct buf *b)
{
	struct buf both = {0};
	const char *now = buf_str(b), *eq = strchr(now, '=');
	bool list = *had == '^' && !strchr(had, '=');
	if (!strncmp(had, now, (size_t)(eq - now) + 1))
		return;
	if (list)
		buf_puts(&both, had);
	if (list || of_any_key(had, &both)) {
		buf_putc(&both, ',');
		if (of_any_key(now, &both)) {
			buf_reset(b);
			buf_put(b, both.p, both.n);
		}
	}
	buf_free(&both);
}

/* Filter by the value of the row, or by any value of its key. */
static enum verdict filter_selected(struct tags_state *p, const struct pane_env *env, bool ignore, struct ask *ask)
{
	const struct tags_row *r = selected_row(p);
	const struct tag_key *k = &p->t->key[r->key];
	struct buf b = {0};
	if (r->value == UINT32_MAX)
		buf_printf(&b, "%s=.", store_str(p->t->st, k->key)->s);
	else
		tag_filter(p->t, k, &p->t->value[r->value], &b);
	ask->kind = ASK_QUERY;
	ask->query = *session_query(env->s);
	ask->query.suspended = false;
	if (ignore && ask->query.f.tagignore && *ask->query.f.tagignore)
		ignore_too(ask->query.f.tagignore, &b);
	if (!ignore && ask->query.f.tagfocus && *ask->query.f.tagfocus)
		focus_too(ask->query.f.tagfocus, &b);
	const char *f = arena_strndup(env->scratch, b.p, b.n);
	if (ignore)
		ask->query.f.tagignore = f;
	else
		ask->query.f.tagfocus = f;
	buf_free(&b);
	return V_ASK;
}

/* Show the key of the row as frames, or stop showing it. */
static enum verdict as_frames(struct tags_state *p, const struct pane_env *env, bool leaf, struct ask *ask)
{
	const char *key = store_str(p->t->st, p->t->key[selected_row(p)->key].key)->s;
	ask->kind = ASK_QUERY;
	ask->query = *session_query(env->s);
	const char **f = leaf ? &ask->query.f.tagleaf : &ask->query.f.tagroot;
	*f = *f && !strcmp(*f, key) ? NULL : key;
	if (*f)
		ask->pane = "flame";
	return V_ASK;
}

static enum verdict tags_pane_act(void *st, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	struct tags_state *p = st;
	if (a->arg || !selected_row(p))
		return V_PASS;
	switch ((int)a->cmd) {
	case CMD_OPEN:
		return selected_row(p)->value == UINT32_MAX ? toggle_fold(p, env) : filter_selected(p, env, false, ask);
	case CMD_FOCUS: return filter_selected(p, env, false, ask);
	case CMD_IGNORE: return filter_selected(p, env, true, ask);
	case CMD_TAGROOT: return as_frames(p, env, false, ask);
	case CMD_TAGLEAF: return as_frames(p, env, true, ask);
	default: return V_PASS;
	}
}

static void tags_pane_place(const void *st, const struct pane_env *env, struct place *to)
{
	(void)st;
	(void)env;
	to->topic[0] = TOPIC_COL_TAG;
}

static void tags_pane_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct tags_state *p = st;
	if (!p->t)
		return;
	if (session_type(env->s) < session_ntypes(env->s))
		buf_printf(b, "%s ", session_type_name(env->s, session_type(env->s)));
	if (p->t->two && p->t->show == SHOW_DELTA)
		buf_puts(b, "A - B ");
	put_tag_value(p, env, b, p->t->total);
	buf_printf(b, " | %u key%s, %u value%s", p->t->nkey, text_s(p->t->nkey), p->t->nvalue,
	    text_s(p->t->nvalue));
	if (list_hits_are_current(&p->hit, &p->rows, env->find.rx))
		buf_printf(b, " | /%s %u match%s", env->find.text, p->hit.n, text_es(p->hit.n));
}

static void tags_pane_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct tags_state *p = st;
	const struct tags_row *r = selected_row(p);
	(void)env;
	if (!r)
		return;
	const struct tag_key *k = &p->t->key[r->key];
	if (r->value == UINT32_MAX) {
		buf_printf(b, "%s: in ", store_str(p->t->st, k->key)->s);
		profile_put_percent(b, k->weight, p->t->total);
		buf_puts(b, " of the weight  (:tagroot, :tagleaf add it as frames)");
	} else {
		buf_puts(b, "tagfocus=");
		tag_filter(p->t, k, &p->t->value[r->value], b);
	}
}

static struct list_part tags_part(void *st, const struct pane_env *env)
{
	struct tags_state *p = st;
	return (struct list_part){.rows = &p->rows, .hits = &p->hit, .y = 1, .h = env->rows - 1};
}

static const struct list_ops tags_list = {.part = tags_part, .text = row_text};

static int tags_pane_work(void *st, struct pane_work *out)
{
	out[0] = (struct pane_work){.slot = &((struct tags_state *)st)->work, .take = tags_pane_done};
	return 1;
}

const struct pane_ops pane_tags = {
    .name = "tags",
    .tab = "Tags",
    .aside = true,
    .bit = P_TAGS,
    .cmd = CMD_TAGS,
    .profile_only = true,
    .state_size = sizeof(struct tags_state),
    .close = close_tags,
    .update = tags_pane_update,
    .list = &tags_list,
    .draw = tags_pane_draw,
    .act = tags_pane_act,
    .place = tags_pane_place,
    .summary = tags_pane_summary,
    .lines.detail = tags_pane_detail,
    .lines.hints = "Enter focus  x ignore  / find  & only these  a menu  M type  D sides  R clear  q back",
    .work.slots = tags_pane_work,
};
