/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Passes over the sheets for the selection in the goroutines pane: for the statistics of its waits,
 * for the longest wait, for the first span in which one of its goroutines woke another. A short
 * pass runs when the key is pressed; otherwise a job, one at a time, does it.
 * A new selection, or a key during a jump, cancels it, and the next pass starts when it has ended;
 * nothing waits for it. It owns its list of goroutines, because the groups may be made again
 * meanwhile.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/text.h"
#include "store/tracks/wake_edges.h"
#include "trace/longest_wait.h"

#include <string.h>

/* Limits of a pass, in steps: without a job (AT_ONCE), and with one (STORY_MOST). GS_AT_ONCE, WOKE_AT_ONCE: goroutines,
   and goroutines times sheets, up to which no job is needed. */
enum { AT_ONCE = 10000, GS_AT_ONCE = 4096, STORY_MOST = 1 << 22, WOKE_AT_ONCE = 2000 };

struct goroutines_wait_search {
	enum cmd_id cmd;		/* CMD_NONE: for the statistics */
	const struct snap *sn;
	trk_id *g;			/* n of them */
	uint32_t n;
	int64_t t0, t1, of;
	bool quick, any, all;		/* quick: at most AT_ONCE steps */
	struct progress_watcher on;
	enum tstate state[WAIT_STATS_STATES];
	struct wait_counts wait_counts;
	struct trace_interval v;
};

static void woke_first(struct goroutines_wait_search *l)
{
	struct edge e;
	uint32_t k;
	struct wake_edges_query q = {.from = l->g, .n = l->n, .t0 = l->t0, .t1 = l->t1, .on = l->on};
	l->any = wake_edges_first(l->sn, &q, &e, &k, &l->all) && trace_interval_at(l->sn, l->g[k], e.t, &l->v);
}

static void search_waits(struct goroutines_wait_search *l)
{
	struct wait_stats_query story = {.g = l->g, .n = l->n, .t0 = l->t0, .t1 = l->t1,
	    .most = l->quick ? AT_ONCE : STORY_MOST, .on = l->on};
	struct longest_wait_query wait = {
	    l->g, l->n, l->t0, l->t1, l->quick ? AT_ONCE : LONGEST_WAIT_STEPS, l->on};
	memcpy(story.state, l->state, sizeof story.state);
	if (l->cmd == CMD_EFFECT)
		woke_first(l);
	else if (l->cmd)
		l->any = longest_wait(l->sn, &wait, &l->v, &l->all);
	else
		wait_stats_compute(l->sn, &story, &l->wait_counts);
}

static void run_pass(void *work, struct job *j)
{
	struct goroutines_wait_search *l = work;
	l->on = job_progress_watcher(j);
	search_waits(l);
}

static void free_pass(void *work)
{
	struct goroutines_wait_search *l = work;
	mem_free(l->g);
	mem_free(l);
}

static const struct async_kind pass_kind = {run_pass, free_pass};

/* Make a search for the selection; free_pass() releases it. */
static struct goroutines_wait_search *new_search(
    const struct goroutines_state *p, const struct pane_env *env, enum cmd_id cmd)
{
	struct goroutines_row room;
	const struct goroutines_row *r = goroutines_selected_row(p, &room);
	struct goroutines_wait_search *l = xmalloc(sizeof *l);
	*l = (struct goroutines_wait_search){
	    .cmd = cmd, .sn = session_snap(env->s), .t0 = p->scope.t0, .t1 = p->scope.t1, .of = p->story.of};
	memcpy(l->state, p->story.state, sizeof l->state);
	l->n = r && p->gs ? r->n : 0;
	l->g = xmalloc((l->n + 1u) * sizeof *l->g);
	for (uint32_t i = 0; i < l->n; i++)
		l->g[i] = p->gs->g[r->first + i].trk;
	return l;
}

/* Start a pass over all sheets, which owns the search. Return the search if no thread is available and it is done. */
static struct goroutines_wait_search *start_pass(struct goroutines_state *p, struct goroutines_wait_search *l)
{
	l->quick = false;
	return async_start(&p->wait, &pass_kind, l, ASYNC_ALWAYS);
}

/* Run a short pass now; return whether it was complete. */
static bool at_once(struct goroutines_wait_search *l)
{
	l->quick = l->cmd != CMD_EFFECT || (uint64_t)l->n * (l->sn->nsheets + 1u) <= WOKE_AT_ONCE;
	if (job_forced_threads() > 1 || !l->quick || l->n > GS_AT_ONCE)
		return false;
	search_waits(l);
	return l->cmd ? l->all : !l->wait_counts.cut;
}

/* Take the statistics of a pass, if they are of the selection. */
static void take_counts(struct goroutines_state *p, const struct goroutines_wait_search *l)
{
	if (l->of != p->story.of)
		return;
	p->story.w = l->wait_counts;
	p->story.part = false;
}

void goroutines_wait_start(struct goroutines_state *p, const struct pane_env *env)
{
	struct goroutines_wait_search *l = new_search(p, env, CMD_NONE);
	p->story.part = !at_once(l);
	p->story.w = l->wait_counts;
	if (p->story.part)
		l = start_pass(p, l);
	else
		async_cancel(&p->wait);
	if (l) {
		take_counts(p, l);
		free_pass(l);
	}
}

static void open_found(
    struct goroutines_state *p, const struct pane_env *env, const struct goroutines_wait_search *l, struct ask *out)
{
	const struct store *st = l->sn->st;
	struct buf b = {0};
	const char *far = l->all ? "" : ", in the part that was searched, not the whole trace";
	if (!l->any) {
		pane_message(out, l->cmd == CMD_EFFECT ? "none of these woke or created a goroutine%s"
						  : "none of these waited%s", far);
		return;
	}
	goroutines_open_page(p, env, l->v.trk, l->v.t0);
	p->one.part = l->cmd == CMD_CHAIN ? GP_CHAIN : p->one.part;
	tracepane_put_id(st, l->v.trk, &b);
	if (l->cmd == CMD_EFFECT) {
		buf_puts(&b, " wakes or creates a goroutine in this span: ) goes there");
	} else {
		buf_puts(&b, l->all ? " has the longest wait here, "
				    : " has the longest wait of the part that was searched, not the whole trace: ");
		text_ns(&b, l->v.t1 - l->v.t0);
		buf_puts(&b, l->cmd == CMD_CHAIN ? ": this is its chain of wakers" : ": ( goes to its waker");
	}
	pane_message(out, "%s", buf_str(&b));
	buf_free(&b);
}

enum verdict goroutines_jump_to_wait(
    struct goroutines_state *p, const struct pane_env *env, enum cmd_id cmd, struct ask *out)
{
	struct goroutines_wait_search *l = new_search(p, env, cmd);
	if (at_once(l) || (l = start_pass(p, l))) {
		open_found(p, env, l, out);
		free_pass(l);
		return V_ASK;
	}
	return pane_message(out, cmd == CMD_EFFECT ? "searching for the first that wakes another; Esc cancels"
					      : "searching for the longest wait; Esc cancels");
}

bool goroutines_wait_cancel_jump(struct goroutines_state *p)
{
	const struct goroutines_wait_search *l = async_wanted(&p->wait);
	return l && l->cmd && async_cancel(&p->wait);
}

void goroutines_wait_cancel(struct goroutines_state *p)
{
	p->story.part = false;
	async_cancel(&p->wait);
}

void goroutines_wait_progress(const struct goroutines_state *p, struct buf *b)
{
	const struct goroutines_wait_search *l = async_wanted(&p->wait);
	if (l && l->cmd)
		tracepane_put_progress(l == async_running(&p->wait) ? async_job(&p->wait) : NULL, "looking", b);
}

void goroutines_wait_finish(void *st, const struct pane_env *env, struct ask *out)
{
	struct goroutines_state *p = st;
	struct goroutines_wait_search *l = async_finish(&p->wait);
	if (l && l->cmd)
		open_found(p, env, l, out);
	else if (l)
		take_counts(p, l);
	if (l)
		free_pass(l);
	if (p->story.part && !async_job(&p->wait))	/* a jump has cancelled it */
		goroutines_wait_start(p, env);
}
