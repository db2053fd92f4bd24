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
#include "timeline/timeline.h"

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
	span_hits_free(&tl->hits);
	mem_free(tl->rank);
	tl->rank = NULL;
	tl->hit = UINT32_MAX;
}

static bool wants_p(const struct timeline *tl)
{
	return tl->kind == TL_P && span_query_fits_procs(tl->span_criteria);
}

/* Exclude goroutines outside the scope of the filters. Those without a row are searched: a jump to them shows all
   rows. */
static void limit_search(struct timeline *tl, const struct snap *sn)
{
	uint8_t *in = NULL;
	if (tl->kind == TL_G && tl->scope.on) {
		in = xcalloc(sn->ntrks + 1u, 1);
		for (trk_id t = 1; t < sn->ntrks; store_note_walk(sn, t++))
			in[t] = store_trk(sn->st, t)->kind == TK_G && timeline_scope_has_goroutine(&tl->scope, sn, t);
	}
	span_query_restrict(tl->span_criteria, in, sn->ntrks);
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
	uint32_t n = tl->hits.n;
	mem_free(tl->rank);
	tl->rank = NULL;
	if (!tl->longest || !n)
		return;
	tl->rank = xmalloc(n * sizeof *tl->rank);
	for (uint32_t i = 0; i < n; i++)
		tl->rank[i] = i;
	calltree_sort_u32(tl->rank, n, cmp_longest, tl->hits.hit);
	tl->rank_at = 0;
	while (tl->hit < n && tl->rank[tl->rank_at] != tl->hit)
		tl->rank_at++;
}

/* Take the matches of a search, unless it still runs (NULL). */
static void take_hits(struct timeline *tl, struct timeline_search *s)
{
	if (!s)
		return;
	tl->hits = s->hits;
	rank_hits(tl);
	mem_free(s);
}

static void start_search(struct timeline *tl, const struct pane_env *env, int jump)
{
	struct timeline_search *s = xcalloc(1, sizeof *s);
	async_stop(&tl->search);	/* it reads the criteria, which are changed here */
	timeline_free_hits(tl);
	limit_search(tl, session_snap(env->s));
	*s = (struct timeline_search){
	    .span_criteria = tl->span_criteria, .sn = session_snap(env->s), .of_p = wants_p(tl)};
	tl->hunt_p = s->of_p;
	tl->hit = UINT32_MAX;
	tl->jump = jump;
	take_hits(tl, async_start(&tl->search, &search_kind, s, ASYNC_ALWAYS));
}

void timeline_set_search(struct timeline *tl, const struct pane_env *env, struct span_criteria *h, int jump)
{
	async_stop(&tl->search);
	timeline_free_hits(tl);
	span_query_free(tl->span_criteria);
	tl->span_criteria = h;
	if (h)
		start_search(tl, env, jump);
	else
		tl->dim = false;
}

bool timeline_search_outdated(const struct timeline *tl)
{
	return tl->hunt_p != wants_p(tl);
}

void timeline_restart_search(struct timeline *tl, const struct pane_env *env)
{
	if (tl->span_criteria)
		start_search(tl, env, async_job(&tl->search) ? tl->jump : 0);
}

struct job *timeline_job(void *st)
{
	struct timeline *tl = st;
	struct job *j = async_job(&tl->jumping);
	j = j ? j : async_job(&tl->indexing);
	j = j ? j : async_job(&tl->scoping);
	j = j ? j : timeline_filter_job(tl);
	j = j ? j : timeline_facts_job(tl);
	return j ? j : async_job(&tl->search);
}

/* ---- moving from match to match */

static bool on_hit(const struct timeline *tl, const struct pane_env *env)
{
	if (tl->hit >= tl->hits.n)
		return false;
	const struct span_hit *h = &tl->hits.hit[tl->hit];
	return tl->at >= h->t0 && tl->at < h->t1 && timeline_selected_track(tl, env) == h->trk;
}

static void stand_on_hit(struct timeline *tl, const struct pane_env *env, uint32_t i)
{
	struct span_hit h = tl->hits.hit[i];	/* copied, because a change of rows may start another search */
	int64_t mid = h.t0 + (h.t1 - h.t0) / 2;
	tl->hit = i;
	timeline_show_track(tl, env, h.trk);
	timeline_goto_time(tl, env, mid >= tl->t0 && mid < tl->t1 ? mid : h.t0);
	/* move to its middle if that is in the window now */
	if (mid < tl->t1 && mid >= tl->t0)
		tl->at = mid;
}

void timeline_describe_hits(const struct timeline *tl, struct buf *b)
{
	unsigned long long all = tl->hits.all;
	if (tl->hit < tl->hits.n)
		buf_printf(b, "%u/%llu", (tl->rank ? tl->rank_at : tl->hit) + 1, all);
	else
		buf_printf(b, "%llu match%s", all, text_es(all));
	if (tl->rank)
		buf_puts(b, ", longest first");
}

static void report_hits(const struct timeline *tl, struct ask *out)
{
	struct buf b = {0};
	buf_printf(&b, "%s  ", span_query_text(tl->span_criteria));
	timeline_describe_hits(tl, &b);
	if (tl->hits.all) {
		buf_puts(&b, ", together ");
		text_ns(&b, (int64_t)tl->hits.ns);
	}
	if (tl->hits.n < tl->hits.all)
		buf_printf(&b, "; n goes through the first %u", tl->hits.n);
	pane_message(out, "%s", buf_str(&b));
	buf_free(&b);
}

/* Go to the next or previous match by duration; from elsewhere to the longest or the shortest. */
static void go_rank(struct timeline *tl, const struct pane_env *env, int dir)
{
	uint32_t n = tl->hits.n, i = dir < 0 ? n - 1 : 0;
	if (tl->hit < n)
		i = dir == 2 ? tl->rank_at : dir > 0 ? (tl->rank_at + 1) % n : (tl->rank_at + n - 1) % n;
	tl->rank_at = i;
	stand_on_hit(tl, env, tl->rank[i]);
}

/* Go to the next match (1), the previous one (-1), or the one at or after the cursor (2). */
static void go_hit(struct timeline *tl, const struct pane_env *env, int dir)
{
	uint32_t n = tl->hits.n, i = span_hits_first_from(&tl->hits, tl->at);
	if (!n)
		return;
	if (tl->rank) {
		go_rank(tl, env, dir);
		return;
	}
	if (on_hit(tl, env))
		i = dir == 2 ? tl->hit : dir > 0 ? tl->hit + 1 : tl->hit + n - 1;
	else if (dir < 0)
		i += n - 1;
	stand_on_hit(tl, env, i % n);
}

int timeline_choices(const void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	const struct timeline *tl = st;
	(void)env;
	if (cmd != CMD_SORT || !tl->span_criteria)
		return 0;
	pane_set_choice(&out[0], "time", "n goes to the next match in time", !tl->longest);
	pane_set_choice(&out[1], "duration", "n goes to the next shorter match, from the longest on", tl->longest);
	return 2;
}

enum verdict timeline_sort_hits(struct timeline *tl, const struct pane_env *env, const struct act *a, struct ask *out)
{
	bool longest = a->arg ? !strcmp(a->arg, "duration") : !tl->longest;
	if (a->arg && !longest && strcmp(a->arg, "time"))
		return pane_message(out, "sort by: time duration");
	if (!tl->span_criteria)
		return pane_message(
		    out, "no search: :>5ms finds spans, then s orders the matches by time or by duration");
	tl->longest = longest;
	if (async_job(&tl->search)) {
		tl->jump = 1;
		return pane_message(out, "still searching: Esc ends it");
	}
	rank_hits(tl);
	if (longest && tl->hits.n) {
		tl->hit = UINT32_MAX;
		go_hit(tl, env, 1);
	}
	report_hits(tl, out);
	return V_ASK;
}

enum verdict timeline_goto_hit(struct timeline *tl, const struct pane_env *env, int dir, struct ask *out)
{
	if (async_job(&tl->search)) {
		tl->jump = dir;
		return pane_message(out, "still searching: Esc cancels");
	}
	go_hit(tl, env, dir);
	report_hits(tl, out);
	return V_ASK;
}

/* Take the result of the search, or wait for it. */
static void finish_search(struct timeline *tl, const struct pane_env *env)
{
	take_hits(tl, async_finish(&tl->search));
	if (tl->jump)
		go_hit(tl, env, tl->jump);
}

void timeline_job_finish(void *st, const struct pane_env *env, struct ask *out)
{
	struct timeline *tl = st;
	if (async_job(&tl->jumping)) {
		timeline_jump_finish(tl, env, out);
	} else if (async_job(&tl->indexing)) {
		timeline_index_finish(tl);
		timeline_update(tl, env);
	} else if (async_job(&tl->scoping)) {
		timeline_scope_finish(tl, env);
	} else if (timeline_filter_job(tl)) {
		timeline_filter_finish(tl, env, out);
	} else if (timeline_facts_job(tl)) {
		timeline_facts_finish(tl, env);
	} else if (async_job(&tl->search)) {
		finish_search(tl, env);
	}
}

/* `/`: a span search for any name, so that it counts the whole trace. In a small trace it ends before FIND_MS. */
uint32_t timeline_find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct timeline *tl = st;
	struct err e;
	*at = 0;
	if (tl->kind == TL_T && tl->nrow)
		return timeline_find_task(tl, env, dir, at);
	if (!tl->span_criteria || span_query_text(tl->span_criteria)[0] != '/' ||
	    strcmp(span_query_text(tl->span_criteria) + 1, env->find.text)) {
		struct span_criteria *h = span_query_any_name(env->find.text, &e);
		if (!h)
			return 0;
		timeline_set_search(tl, env, h, 0);
	}
	struct job *j = async_job(&tl->search);
	struct pollfd p = {.fd = j ? job_fd(j) : -1, .events = POLLIN};
	if (j && poll(&p, 1, FIND_MS) > 0 && job_done(j, NULL))
		finish_search(tl, env);
	if (async_job(&tl->search))
		return FIND_ON;		/* find() is called again when it has ended */
	if (dir)
		go_hit(tl, env, dir);
	*at = tl->hit >= tl->hits.n ? 0 : (tl->rank ? tl->rank_at : tl->hit) + 1;
	return tl->hits.all < FIND_ON ? (uint32_t)tl->hits.all : FIND_ON - 1;
}

const uint32_t *timeline_track_hits(const struct timeline *tl, const struct snap *sn, trk_id t, uint32_t *n)
{
	*n = 0;
	if (!tl->hits.n || store_trk(sn->st, t)->kind != (tl->hunt_p ? TK_P : TK_G))
		return NULL;
	return span_hits_of_track(&tl->hits, t, n);
}

/* ---- H: spans in the state of the one under the cursor; at least as long; off */

static void like_this(const struct timeline *tl, const struct trace_interval *iv, struct buf *b)
{
	const char *name = style_state_name(iv->state),
		   *now = tl->span_criteria ? span_query_text(tl->span_criteria) : "";
	buf_puts(b, "state=");
	for (size_t i = 0; name[i] && name[i] != ' ' && name[i] != ','; i++)
		buf_putc(b, name[i]);
	if (tl->dim && !strcmp(now, buf_str(b))) {
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
	tl->dim = true;
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
	if (tl->span_criteria && tl->dim &&
		   (strstr(span_query_text(tl->span_criteria), "dur") ||
		       strncmp(span_query_text(tl->span_criteria), "state=", 6))) {
		timeline_set_search(tl, env, NULL, 0);
		return pane_message(out, "no highlight");
	}
	if (tl->span_criteria && !tl->dim) {
		tl->dim = true;
		return V_DONE;
	}
	return timeline_jump(tl, env, CMD_HIGHLIGHT, 1, timeline_selected_track(tl, env), out);
}
