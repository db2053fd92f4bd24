/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The subject of commands in the goroutines pane, the tagged rows or else the selected one, as a
 * query. Tags are stored by name or track, not by row: they survive another order, filter or
 * snapshot. Start functions become an expression, which also finds them in other traces; anything
 * else, "all others", which an expression cannot state, and the goroutines that ran a function, which
 * takes a search through the stacks, becomes a list of goroutine numbers.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/mem/mem.h"
#include "base/text/regex.h"
#include "base/text/text.h"
#include "trace/stats/ran_functions.h"

#include <string.h>

static int64_t row_id(const struct goroutines_row *r)
{
	return r->trk ? (int64_t)r->trk : (int64_t)r->name;
}

bool goroutines_is_tagged(const struct goroutines_state *p, const struct goroutines_row *r)
{
	const struct goroutines_tags *t = &p->tags[r->trk != 0];
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i] == row_id(r))
			return true;
	return false;
}

void goroutines_toggle_tag(struct goroutines_state *p, const struct goroutines_row *r)
{
	struct goroutines_tags *t = &p->tags[r->trk != 0];
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i] == row_id(r)) {
			t->v[i] = t->v[--t->n];
			return;
		}
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof *t->v);
	t->v[t->n++] = row_id(r);
}

static bool has_tag(const struct goroutines_tags *t, int64_t id)
{
	for (size_t k = 0; k < t->n; k++)
		if (t->v[k] == id)
			return true;
	return false;
}

/* Return the tagged goroutines of gs->g as bits: a sequential pass, because gs->g is large and the rows are in
   another order. */
static uint8_t *tagged_bits(const struct goroutines_state *p)
{
	const struct goroutines_tags *t = &p->tags[GL_LIST];
	uint32_t ntrks = stats_index_snap(p->stats_index)->ntrks;
	uint8_t *trk = xcalloc(ntrks / 8 + 1u, 1), *is = xcalloc(p->gs->ng / 8 + 1u, 1);
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i] > 0 && t->v[i] < ntrks)
			trk[t->v[i] >> 3] |= (uint8_t)(1u << (t->v[i] & 7));
	for (uint32_t k = 0; k < p->gs->ng; k++)
		if (trace_gset_has(trk, p->gs->g[k].trk))
			is[k >> 3] |= (uint8_t)(1u << (k & 7));
	mem_free(trk);
	return is;
}

/* Return the subject of a command: the tagged rows, else the selected one or that of the page, as indexes into
   groups[] or gs->g in the order of the rows. The caller frees it. */
static uint32_t *selected_rows(const struct goroutines_state *p, uint32_t *n)
{
	int l = p->level == GL_GROUPS ? GL_GROUPS : GL_LIST;
	const struct goroutines_tags *t = &p->tags[l];
	const struct rows *rows = &p->table[l].rows;
	const uint32_t *order = p->table[l].item;
	uint32_t first = l == GL_GROUPS ? 0 : p->first;
	uint32_t *v = xmalloc((t->n + 1) * sizeof *v);
	*n = 0;
	if (!p->gs)
		return v;
	if (p->level == GL_ONE) {
		v[0] = goroutines_find_index(p, p->one.trk);
		*n = v[0] != UINT32_MAX;
	} else if (!t->n && rows->n) {
		v[(*n)++] = first + order[rows->sel];
	} else if (t->n && l == GL_GROUPS) {
		for (uint32_t i = 0; i < rows->n && *n < t->n; i++)
			if (has_tag(t, (int64_t)p->groups[order[i]].name))
				v[(*n)++] = order[i];
	} else if (t->n) {
		uint8_t *is = tagged_bits(p);
		for (uint32_t i = 0; i < rows->n && *n < t->n; i++)
			if (trace_gset_has(is, first + order[i]))
				v[(*n)++] = first + order[i];
		mem_free(is);
	}
	return v;
}

/* Append a number to a comma-separated list. */
static void add_id(struct buf *ids, uint64_t id)
{
	if (ids->n)
		buf_putc(ids, ',');
	buf_u64(ids, id);
}

/* The subject of a command as ranges of gs->g. */
struct selection {
	const struct stats_goroutine *g;
	uint32_t ng, n;
	const char *group;	/* NULL, or an expression: compare with the others that match it */
	struct selection_range { uint32_t first, n; } *row;
};

static struct selection *selection_ranges(const struct goroutines_state *p, struct arena *a)
{
	struct selection *m = arena_zalloc(a, sizeof *m);
	uint32_t *v = selected_rows(p, &m->n);
	m->g = p->gs ? p->gs->g : NULL;
	m->ng = p->gs ? p->gs->ng : 0;
	m->row = arena_alloc(a, (m->n + 1u) * sizeof *m->row);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct goroutines_row *r = p->level == GL_GROUPS ? &p->groups[v[i]] : NULL;
		m->row[i] = r ? (struct selection_range){r->first, r->n} : (struct selection_range){v[i], 1};
	}
	mem_free(v);
	return m;
}

static void set_goroutines(struct query *q, const char *group, const char *gs)
{
	q->suspended = false;
	q->g = 0;
	q->group = group;
	q->gs = gs;
}

/* Write a query for these goroutines, by number. */
static bool say_these(const struct snap *sn, const void *arg, struct arena *a, struct query *q, const char **said)
{
	(void)said;
	const struct selection *m = arg;
	struct buf ids = {0};
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t k = m->row[i].first; k < m->row[i].first + m->row[i].n; k++)
			add_id(&ids, store_trk(sn->st, m->g[k].trk)->id);
	set_goroutines(q, m->group, arena_strndup(a, ids.p, ids.n));
	buf_free(&ids);
	return true;
}

/* Write a query for all other goroutines, by number, because no expression negates. */
static bool say_others(const struct snap *sn, const void *arg, struct arena *a, struct query *q, const char **said)
{
	(void)said;
	const struct selection *m = arg;
	/* as bits, to iterate in the order of track rows, which are spread over memory */
	uint8_t *rest = xcalloc(sn->ntrks / 8 + 1u, 1);
	struct buf ids = {0};
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t k = m->row[i].first; k < m->row[i].first + m->row[i].n; k++)
			rest[m->g[k].trk >> 3] |= (uint8_t)(1u << (m->g[k].trk & 7));
	for (uint32_t k = 0; k < m->ng; k++)
		rest[m->g[k].trk >> 3] ^= (uint8_t)(1u << (m->g[k].trk & 7));
	for (trk_id t = 1; t < sn->ntrks; t++)
		if (trace_gset_has(rest, t))
			add_id(&ids, store_trk(sn->st, t)->id);
	mem_free(rest);
	bool any = ids.n;
	set_goroutines(q, NULL, any ? arena_strndup(a, ids.p, ids.n) : NULL);
	buf_free(&ids);
	return any;
}

/* Write a query by start functions; false: not all rows of the subject have one. */
static bool say_names(const struct goroutines_state *p, const struct pane_env *env, struct arena *a, struct query *q)
{
	const struct store *st = session_snap(env->s)->st;
	struct buf names = {0};
	bool named = p->level == GL_GROUPS && group_key_is_function(p->by);
	uint32_t n = 0, *v = named ? selected_rows(p, &n) : NULL;
	for (uint32_t i = 0; named && i < n; i++) {
		const struct goroutines_row *r = &p->groups[v[i]];
		named = r->name;
		buf_puts(&names, names.n ? "|" : "");
		tracepane_put_name_regex(st, r->name, &names);
	}
	if (named)
		set_goroutines(q, arena_strndup(a, names.p, names.n), NULL);
	buf_free(&names);
	mem_free(v);
	return named;
}

/* Return an expression for the listed group if it also has goroutines outside of the selection, which are the best
   to compare with; NULL: no such group. */
static const char *own_group(
    const struct goroutines_state *p, const struct pane_env *env, uint32_t selection, struct arena *a)
{
	struct buf b = {0};
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->ngroup && !n; i++)
		n = p->groups[i].name == p->open ? p->groups[i].n : 0;
	if (p->level == GL_GROUPS || !group_key_is_function(p->by) || !p->open || n <= selection)
		return NULL;
	tracepane_put_name_regex(session_snap(env->s)->st, p->open, &b);
	const char *re = arena_strndup(a, b.p, b.n);
	buf_free(&b);
	return re;
}

static const char none[] = "no goroutines would remain";

enum verdict goroutines_query_selection(
    struct goroutines_state *p, const struct pane_env *env, bool rest, struct ask *out)
{
	struct arena a = {0};
	struct selection *m = selection_ranges(p, &a);
	if (!m->n) {
		arena_free(&a);
		return V_PASS;
	}
	bool named = say_names(p, env, &a, &out->query);
	m->group = rest && !named ? own_group(p, env, m->n, &a) : NULL;
	if (named && !rest) {
		out->query.group = arena_strndup(env->scratch, out->query.group, strlen(out->query.group));
		arena_free(&a);
		return V_ASK;
	}
	const struct tracepane_query_spec these = {.say = named ? NULL : say_these, .arg = m, .none = none, .rest = rest};
	return tracepane_query(&p->later, env, &these, &a, out);
}

enum verdict goroutines_query_exclude(struct goroutines_state *p, const struct pane_env *env, struct ask *out)
{
	struct arena a = {0};
	struct selection *m = selection_ranges(p, &a);
	if (!m->n) {
		arena_free(&a);
		return pane_message(out, "%s", none);
	}
	const struct tracepane_query_spec others = {.say = say_others, .arg = m, .none = none};
	return tracepane_query(&p->later, env, &others, &a, out);
}

/* ---- the goroutines that ran a function */

static bool match_name(void *rx, const char *s, size_t n)
{
	return regex_match(rx, s, n);
}

/* Write a query for those of the goroutines of this query that ran a function whose name matches. */
static bool say_ran(const struct snap *sn, const void *arg, struct arena *a, struct query *q, const char **said)
{
	struct arena mem = {0};
	struct buf ids = {0};
	struct trace_filter f;
	struct err e;
	uint32_t n = 0, all = 0;
	struct regex *rx = regex_new(arg, &e);
	const uint8_t *set = !rx || query_trace_filter(sn, q, false, &mem, &f, &all, NULL) ? NULL
	    : trace_gset_ran(sn, &f, match_name, rx, &mem, &n);
	for (trk_id t = 1; t < sn->ntrks && set && n; t++)
		if (trace_gset_has(set, t))
			add_id(&ids, store_trk(sn->st, t)->id);
	if (n)
		set_goroutines(q, NULL, arena_strndup(a, ids.p, ids.n));
	*said = arena_printf(a, "%u goroutine%s ran %s", n, text_s(n), (const char *)arg);
	buf_free(&ids);
	regex_free(rx);
	arena_free(&mem);
	return n;
}

enum verdict goroutines_query_ran(
    struct goroutines_state *p, const struct pane_env *env, const char *re, struct ask *out)
{
	struct arena a = {0};
	struct err e;
	struct regex *rx = regex_new(re, &e);
	if (!rx)
		return pane_message(out, "%s", e.msg);
	regex_free(rx);
	p->asked = Q_LISTS;
	out->query = *session_query(env->s);
	out->kind = ASK_QUERY;
	const char *arg = arena_strndup(&a, re, strlen(re));
	return tracepane_query(&p->later, env, &(struct tracepane_query_spec){.say = say_ran, .arg = arg,
	    .none = arena_printf(&a, "no goroutine ran %s here", re), .busy = "searching their stacks; Esc cancels",
	    .steps = snap_cost(session_snap(env->s), 1)}, &a, out);
}

trk_id goroutines_first_selected(const struct goroutines_state *p)
{
	if (p->level == GL_ONE)
		return p->one.trk;
	uint32_t n, *v = selected_rows(p, &n);
	trk_id t = !n ? 0 : p->gs->g[p->level == GL_GROUPS ? p->groups[v[0]].first : v[0]].trk;
	mem_free(v);
	return t;
}
