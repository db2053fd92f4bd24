/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The search for spans: `:>5ms`, `:where ...`, `H`. It runs on a thread over the current snapshot;
 * until it has ended other keys work, and Esc cancels it. The matches are kept sorted by time (n and N
 * step through them, the header line counts them per cell by binary search) and by track (rows test
 * whether a cell has a match), so a frame never iterates over the matches. s sorts them by duration too:
 * then n goes from the longest to the shortest.
 *
 * If rows are Ps and the criteria apply to Ps, intervals of Ps are searched; otherwise goroutines
 * are, and the first jump changes the rows to goroutines.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "calltree/weighted.h"
#include "tracepane/tracepane.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { FIND_MS = 2 }; /* how long a key waits for its search */

struct timeline_search {
	struct span_criteria *span_criteria; /* owned by the timeline */
	const struct snap *sn;
	bool of_p;
	struct span_hits hits;	/* empty if the search was cancelled */
};

static void run_search(void *work, struct job *j)
{
	struct timeline_search *s = work;
	if (span_search_run(s->span_criteria, s->sn, s->of_p, j, &s->hits))
		s->hits = (struct span_hits){0};
}

static void free_search(void *work)
{
	struct timeline_search *s = work;
	span_hits_free(&s->hits);
	mem_free(s);
}

static const struct async_kind search_kind = {run_search, free_search};

void timeline_free_hits(struct timeline *tl)
{
	span_hits_free(&tl->search.hits);
	mem_free(tl->search.rank);
	tl->search.rank = NULL;
	tl->search.current = UINT32_MAX;
}

static bool wants_p(const struct timeline *tl)
{
	return tl->rows.kind == TL_P && span_query_fits_procs(tl->search.criteria);
}

/* Exclude goroutines outside the scope of the filters. Those without a row are searched: a jump to them shows all
   rows. */
static void limit_search(struct timeline *tl, const struct snap *sn)
{
	uint8_t *in = NULL;
	if (tl->rows.kind == TL_G && tl->scope.on) {
		in = xcalloc(sn->ntrks + 1u, 1);
		for (trk_id t = 1; t < sn->ntrks; t++)
			in[t] = store_trk(sn->st, t)->kind == TK_G && timeline_scope_has_goroutine(&tl->scope, sn, t);
	}
	span_query_restrict(tl->search.criteria, in, sn->ntrks);
}

static int cmp_longest(const void *ctx, uint32_t a, uint32_t b)
{
	const struct span_hit *x = ctx, *y = x + b;
	x += a;
	int64_t m = x->t1 - x->t0, n = y->t1 - y->t0;
	return m != n ? (m > n ? -1 : 1) : a < b ? -1 : 1;
}

/* Sort the matches by duration, if that is the order. */
static void rank_hits(struct timeline *tl)
{
	uint32_t n = tl->search.hits.n;
	mem_free(tl->search.rank);
	tl->search.rank = NULL;
	if (!tl->search.longest || !n)
		return;
	tl->search.rank = xmalloc(n * sizeof *tl->search.rank);
	for (uint32_t i = 0; i < n; i++)
		tl->search.rank[i] = i;
	calltree_sort_u32(tl->search.rank, n, cmp_longest, tl->search.hits.hit);
	tl->search.rank_at = 0;
	while (tl->search.current < n && tl->search.rank[tl->search.rank_at] != tl->search.current)
		tl->search.rank_at++;
}

/* Take the matches of a search, unless it still runs (NULL). */
static void take_hits(struct timeline *tl, struct timeline_search *s)
{
	if (!s)
		return;
	tl->search.hits = s->hits;
	rank_hits(tl);
	mem_free(s);
}

static void start_search(struct timeline *tl, const struct pane_env *env, int jump)
{
	struct timeline_search *s = xcalloc(1, sizeof *s);
	async_stop(&tl->search.slot);	/* it reads the criteria, which are changed here */
	timeline_free_hits(tl);
	limit_search(tl, session_snap(env->s));
	*s = (struct timeline_search){
	    .span_criteria = tl->search.criteria, .sn = session_snap(env->s), .of_p = wants_p(tl)};
	tl->search.of_procs = s->of_p;
	tl->search.current = UINT32_MAX;
	tl->search.jump = jump;
	take_hits(tl, async_start(&tl->search.slot, &search_kind, s, ASYNC_ALWAYS));
}

void timeline_set_search(struct timeline *tl, const struct pane_env *env, struct span_criteria *h, int jump)
{
	async_stop(&tl->search.slot);
	timeline_free_hits(tl);
	span_query_free(tl->search.criteria);
	tl->search.criteria = h;
	if (h)
		start_search(tl, env, jump);
	else
		tl->search.dim = false;
}

bool timeline_search_outdated(const struct timeline *tl)
{
	return tl->search.of_procs != wants_p(tl);
}

void timeline_restart_search(struct timeline *tl, const struct pane_env *env)
{
	if (tl->search.criteria)
		start_search(tl, env, async_job(&tl->search.slot) ? tl->search.jump : 0);
}

/* ---- moving from match to match */

static bool on_hit(const struct timeline *tl, const struct pane_env *env)
{
	if (tl->search.current >= tl->search.hits.n)
		return false;
	const struct span_hit *h = &tl->search.hits.hit[tl->search.current];
	return tl->at >= h->t0 && tl->at < h->t1 && timeline_selected_track(tl, env) == h->trk;
}

static void stand_on_hit(struct timeline *tl, const struct pane_env *env, uint32_t i)
{
	struct span_hit h = tl->search.hits.hit[i];	/* copied, because a change of rows may start another search */
	int64_t mid = h.t0 + (h.t1 - h.t0) / 2;
	tl->search.current = i;
	timeline_show_track(tl, env, h.trk);
	timeline_goto_time(tl, env, mid >= tl->t0 && mid < tl->t1 ? mid : h.t0);
	/* timeline_goto_time() may have moved the window, so that the middle of the match is in it */
	if (mid < tl->t1 && mid >= tl->t0)
		tl->at = mid;
}

void timeline_describe_hits(const struct timeline *tl, struct buf *b)
{
	unsigned long long all = tl->search.hits.all;
	if (tl->search.current < tl->search.hits.n)
		buf_printf(b, "%u/%llu", (tl->search.rank ? tl->search.rank_at : tl->search.current) + 1, all);
	else
		buf_printf(b, "%llu match%s", all, text_es(all));
	if (tl->search.rank)
		buf_puts(b, ", longest first");
}

static void report_hits(const struct timeline *tl, struct ask *out)
{
	struct buf b = {0};
	buf_printf(&b, "%s  ", span_query_text(tl->search.criteria));
	timeline_describe_hits(tl, &b);
	if (tl->search.hits.all) {
		buf_puts(&b, ", together ");
		text_ns(&b, (int64_t)tl->search.hits.ns);
	}
	if (tl->search.hits.n < tl->search.hits.all)
		buf_printf(&b, "; n goes through the first %u", tl->search.hits.n);
	pane_message(out, "%s", buf_str(&b));
	buf_free(&b);
}

/* Go to the next or previous match by duration; from elsewhere to the longest or the shortest. */
static void go_rank(struct timeline *tl, const struct pane_env *env, int dir)
{
	uint32_t n = tl->search.hits.n, i = dir < 0 ? n - 1 : 0;
	if (tl->search.current < n)
		i = dir == 2  ? tl->search.rank_at
		    : dir > 0 ? (tl->search.rank_at + 1) % n
			      : (tl->search.rank_at + n - 1) % n;
	tl->search.rank_at = i;
	stand_on_hit(tl, env, tl->search.rank[i]);
}

/* Go to the next match (1), the previous one (-1), or the one at or after the cursor (2). */
static void go_hit(struct timeline *tl, const struct pane_env *env, int dir)
{
	uint32_t n = tl->search.hits.n, i = span_hits_first_from(&tl->search.hits, tl->at);
	if (!n)
		return;
	if (tl->search.rank) {
		go_rank(tl, env, dir);
		return;
	}
	if (on_hit(tl, env))
		i = dir == 2 ? tl->search.current : dir > 0 ? tl->search.current + 1 : tl->search.current + n - 1;
	else if (dir < 0)
		i += n - 1;
	stand_on_hit(tl, env, i % n);
}

int timeline_choices(const void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	const struct timeline *tl = st;
	(void)env;
	if (cmd != CMD_SORT || !tl->search.criteria)
		return 0;
	pane_set_choice(&out[0], "time", "n goes to the next match in time", !tl->search.longest);
	pane_set_choice(
	    &out[1], "duration", "n goes to the next shorter match, from the longest on", tl->search.longest);
	return 2;
}

enum verdict timeline_sort_hits(struct timeline *tl, const struct pane_env *env, const struct act *a, struct ask *out)
{
	bool longest = a->arg ? !strcmp(a->arg, "duration") : !tl->search.longest;
	if (a->arg && !longest && strcmp(a->arg, "time"))
		return pane_message(out, "sort by: time duration");
	if (!tl->search.criteria)
		return pane_message(
		    out, "no search: :>5ms finds spans, then s orders the matches by time or by duration");
	tl->search.longest = longest;
	if (async_job(&tl->search.slot)) {
		tl->search.jump = 1;
		return pane_message(out, "still searching: Esc ends it");
	}
	rank_hits(tl);
	if (longest && tl->search.hits.n) {
		tl->search.current = UINT32_MAX;
		go_hit(tl, env, 1);
	}
	report_hits(tl, out);
	return V_ASK;
}

enum verdict timeline_goto_hit(struct timeline *tl, const struct pane_env *env, int dir, struct ask *out)
{
	if (async_job(&tl->search.slot)) {
		tl->search.jump = dir;
		return pane_message(out, "still searching: Esc cancels");
	}
	go_hit(tl, env, dir);
	report_hits(tl, out);
	return V_ASK;
}

/* Take the result of the search, or wait for it. */
static void finish_search(void *st, const struct pane_env *env, struct ask *out)
{
	struct timeline *tl = st;
	(void)out;
	take_hits(tl, async_finish(&tl->search.slot));
	if (tl->search.jump)
		go_hit(tl, env, tl->search.jump);
}

static void finish_index(void *st, const struct pane_env *env, struct ask *out)
{
	(void)out;
	timeline_index_finish(st);
	timeline_update(st, env);
}

int timeline_work(void *st, struct pane_work *out)
{
	struct timeline *tl = st;
	out[0] = (struct pane_work){&tl->indexing, finish_index, false};
	out[1] = (struct pane_work){&tl->scoping, timeline_scope_finish, false};
	out[2] = (struct pane_work){timeline_filter_slot(tl), timeline_filter_finish, false};
	out[3] = (struct pane_work){&tl->search.slot, finish_search, false};
	out[4] = (struct pane_work){timeline_verdict_slot(tl), timeline_verdict_finish, false};
	return 5;
}

/* `/`: a span search for any name, so that it counts the whole trace. In a small trace it ends before FIND_MS. */
uint32_t timeline_find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct timeline *tl = st;
	struct err e;
	*at = 0;
	if (tl->rows.kind == TL_T && tl->rows.nrow)
		return timeline_find_task(tl, env, dir, at);
	if (!tl->search.criteria || span_query_text(tl->search.criteria)[0] != '/' ||
	    strcmp(span_query_text(tl->search.criteria) + 1, env->find.text)) {
		struct span_criteria *h = span_query_any_name(env->find.text, &e);
		if (!h)
			return 0;
		timeline_set_search(tl, env, h, 0);
	}
	struct job *j = async_job(&tl->search.slot);
	struct pollfd p = {.fd = j ? job_fd(j) : -1, .events = POLLIN};
	if (j && poll(&p, 1, FIND_MS) > 0 && job_done(j, NULL))
		finish_search(tl, env, NULL);
	if (async_job(&tl->search.slot))
		return FIND_ON;		/* find() is called again when it has ended */
	if (dir)
		go_hit(tl, env, dir);
	tl->moved |= dir != 0 && tl->search.hits.n;
	*at = tl->search.current >= tl->search.hits.n ? 0
						      : (tl->search.rank ? tl->search.rank_at : tl->search.current) + 1;
	return tl->search.hits.all < FIND_LIST ? (uint32_t)tl->search.hits.all : FIND_LIST - 1;
}

const uint32_t *timeline_track_hits(const struct timeline *tl, const struct snap *sn, trk_id t, uint32_t *n)
{
	*n = 0;
	if (!tl->search.hits.n || store_trk(sn->st, t)->kind != (tl->search.of_procs ? TK_P : TK_G))
		return NULL;
	return span_hits_of_track(&tl->search.hits, t, n);
}

/* ---- H: spans in the state of the one under the cursor; at least as long; off */

static void like_this(const struct timeline *tl, const struct trace_interval *iv, struct buf *b)
{
	const char *name = style_state_name(iv->state),
		   *now = tl->search.criteria ? span_query_text(tl->search.criteria) : "";
	buf_puts(b, "state=");
	for (size_t i = 0; name[i] && name[i] != ' ' && name[i] != ','; i++)
		buf_putc(b, name[i]);
	if (tl->search.dim && !strcmp(now, buf_str(b))) {
		buf_puts(b, " dur>=");
		int64_t ns = iv->t1 - iv->t0;
		buf_printf(b, "%lldns", (long long)ns);
	}
}

static enum verdict highlight_spans(struct timeline *tl, const struct pane_env *env, const char *cond, struct ask *out)
{
	struct err e;
	struct span_criteria *h = span_query_new(cond, &e);
	if (!h)
		return pane_message(out, "%s", e.msg);
	timeline_set_search(tl, env, h, 0);
	tl->search.dim = true;
	return V_DONE;
}

enum verdict timeline_highlight_like(
    struct timeline *tl, const struct pane_env *env, const struct trace_interval *iv, struct ask *out)
{
	struct buf b = {0};
	if (!iv || iv->state == TS_IDLE)
		return pane_message(out, "no span under the cursor: move to one, or use :highlight wait>1ms");
	like_this(tl, iv, &b);
	enum verdict v = highlight_spans(tl, env, buf_str(&b), out);
	buf_free(&b);
	return v;
}

enum verdict timeline_highlight(
    struct timeline *tl, const struct pane_env *env, const char *cond, struct ask *out)
{
	if (cond && *cond)
		return highlight_spans(tl, env, cond, out);
	if (tl->search.criteria && tl->search.dim &&
		   (strstr(span_query_text(tl->search.criteria), "dur") ||
		       strncmp(span_query_text(tl->search.criteria), "state=", 6))) {
		timeline_set_search(tl, env, NULL, 0);
		return pane_message(out, "no highlight");
	}
	if (tl->search.criteria && !tl->search.dim) {
		tl->search.dim = true;
		return V_DONE;
	}
	return timeline_jump(tl, env, CMD_HIGHLIGHT, 1, timeline_selected_track(tl, env), out);
}
