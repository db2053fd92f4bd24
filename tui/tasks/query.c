/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Queries that the pane asks for: restrict all panes to the selected kind, task or operation, and compare the slow ones
 * of a kind with its others. Tasks are selected by -task, regions by -region, others by -operation.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/text/text.h"

#include <stdio.h>

static const char *latency_range_text(struct arena *m, int64_t lo, int64_t hi)
{
	char a[32] = "", b[32] = "";
	if (lo == TIME_NONE && hi == TIME_NONE)
		return NULL;
	if (lo != TIME_NONE)
		snprintf(a, sizeof a, "%lldns", (long long)lo);
	if (hi != TIME_NONE)
		snprintf(b, sizeof b, "%lldns", (long long)hi);
	return arena_printf(m, "%s..%s", a, b);
}

const char *tasks_latency_option(const struct tasks *p, struct arena *a)
{
	struct task_criteria c = tasks_criteria(p);
	const char *range = latency_range_text(a, c.lo, c.hi);
	return range ? arena_printf(a, "-latency=%s", range) : NULL;
}

/* Append the regular expression that selects a kind. */
static void put_kind_regex(const struct store *st, const struct kind *k, struct buf *b)
{
	tracepane_put_regex(k->s, k->len, b);
	if (k->source == OF_REGION)	/* the frame distinguishes kinds of one name */
		buf_puts(b, "@0x"), buf_hex(b, k->frame ? store_loc(st, store_frm(st, k->frame)->loc)->addr : 0);
}

/* Make a query for a kind, or only for one task or operation of it. */
static void query_of(const struct tasks *p, const struct pane_env *env, const struct kind *k, bool one, uint64_t id,
    struct query *q)
{
	enum item_source source = tasks_source_now(p);
	struct buf b = {0};
	*q = *session_query(env->s);
	q->suspended = false;
	if (one)
		buf_printf(&b, "%llu", (unsigned long long)id);
	else
		put_kind_regex(tasks_store(env), k, &b);
	const char *words = arena_strndup(env->scratch, b.p ? b.p : "", b.n);
	buf_free(&b);
	struct task_criteria c = tasks_criteria(p);
	q->latency = one ? NULL : latency_range_text(env->scratch, c.lo, c.hi);
	q->region = source == OF_REGION ? words : NULL;
	q->task = source == OF_TASK ? words : NULL;
	q->operation = source == OF_OPERATION ? words : NULL;
}

enum verdict tasks_ask_filter(struct tasks *p, const struct pane_env *env, const char *pane, struct ask *out)
{
	const struct kind *k = tasks_kind_now(p);
	struct item now;
	const struct item *it = p->level == L_LIST ? tasks_item_now(p, &now) : NULL;
	if (!k)
		return V_PASS;
	bool one = p->level == L_ONE || (it && !p->list.regions);
	uint64_t id = p->level == L_ONE ? (uint64_t)p->id : one ? tasks_item_facts(&p->list, tasks_store(env), it).id : 0;
	out->kind = ASK_QUERY;
	out->pane = pane;
	query_of(p, env, k, one, id, &out->query);
	return V_ASK;
}

enum verdict tasks_ask_search(struct tasks *p, const struct pane_env *env, struct ask *out)
{
	const struct kind *k = p->level == L_KINDS ? tasks_kind_now(p) : NULL;
	struct buf b = {0};
	(void)env;
	if (!k)
		return V_PASS;
	buf_puts(&b, "search ");
	tracepane_put_regex(k->s, k->len, &b);
	out->kind = ASK_RUN;
	snprintf(out->text, sizeof out->text, "%s", buf_str(&b));
	buf_free(&b);
	return V_ASK;
}

/* ---- slow ones against the rest */

/* Defines slow items: those that took lo to hi, as the filter or the selected bars say, or, if both are TIME_NONE, those
   found by task_filter_slow(). The selected row has no part in it: its duration may be any, and :latency takes one.
   Operations without a start or an end in the trace have no duration; such regions have the part in the trace. */
struct slow { struct tasks_listing list; const struct kind *kind; uint32_t n; int64_t lo, hi; };

/* Return a text with the limit of slow items and the rule that set it. */
static const char *describe_slow(struct arena *a, const int64_t *v, struct task_filter_slow s)
{
	struct buf b = {0};
	buf_puts(&b, "slow: from ");
	text_ns(&b, v[s.first]);
	if (s.gap) {
		buf_puts(&b, " (largest gap, after ");
		text_ns(&b, v[s.first - 1]);
		buf_putc(&b, ')');
	} else {
		buf_puts(&b, " (above p99)");
	}
	const char *words = arena_strndup(a, b.p, b.n);
	buf_free(&b);
	return words;
}

static bool say_slow(const struct snap *sn, const void *arg, struct arena *a, struct query *q, const char **said)
{
	const struct slow *s = arg;
	int64_t lo = s->lo, *v = xmalloc((s->n + 1u) * sizeof *v);
	uint32_t n = 0;
	(void)sn;
	for (uint32_t i = 0; i < s->n && lo == TIME_NONE && s->hi == TIME_NONE; i++) {
		const struct packed_item *x = &s->list.item[s->kind->first + i];
		if (s->list.regions || !x->open)
			v[n++] = tasks_item_ns(&s->list, s->kind, x);
	}
	stats_sort(v, n);
	if (n) {
		struct task_filter_slow cut = task_filter_slow(v, n);
		lo = v[cut.first];
		*said = describe_slow(a, v, cut);
	}
	mem_free(v);
	q->latency = latency_range_text(a, lo, s->hi);
	return q->latency;
}

enum verdict tasks_ask_rest(struct tasks *p, const struct pane_env *env, struct ask *out)
{
	static const char none[] = "none of these starts and ends in the trace, so slow ones are not known";
	const struct kind *k = tasks_kind_now(p);
	if (session_query(env->s)->b || !k)
		return V_PASS;
	struct arena a = {0};
	struct slow *s = arena_zalloc(&a, sizeof *s);
	struct task_criteria c = tasks_criteria(p);
	bool picks = c.lo != TIME_NONE || c.hi != TIME_NONE;
	*s = (struct slow){.list = p->list, .kind = k, .lo = c.lo, .hi = c.hi};
	const struct bars *bars = &p->brush.bars;
	if (bars->on) {
		s->lo = bars->edge[bars->held && bars->from < bars->at ? bars->from : bars->at];
		s->hi = TIME_NONE;
	} else if (!picks) {
		s->n = k->all;
	}
	out->kind = ASK_QUERY;
	out->pane = "flame";
	query_of(p, env, k, false, 0, &out->query);
	const struct tracepane_query_spec spec = {.say = say_slow, .arg = s, .none = none, .rest = true};
	return tracepane_query(&p->later, env, &spec, &a, out);
}
