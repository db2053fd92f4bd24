/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Passes over the sheets for what is selected among the goroutines: for what is told of its waits, for the longest
 * of them, for the first span in which one of it woke another. What is at hand and short is looked at when the key is
 * pressed; all else is a job, one at a time, of which nobody waits for the end: who selects another row, or presses a
 * key while a jump is looked for, stops it, and the next is begun when it has ended. It owns its list of goroutines,
 * for groups may be made anew meanwhile.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/text.h"
#include "store/tracks/wake_edges.h"
#include "trace/longest_wait.h"

#include <string.h>

/* Steps of a pass: with the key, and beside it (64 sheets that are made again). Sheets and goroutines, of which wakes
 * are at once. */
enum { AT_ONCE = 10000, GS_AT_ONCE = 4096, STORY_MOST = 1 << 22, WOKE_SHEETS = 256, WOKE_AT_ONCE = 2000 };

struct gor_look {
	struct job *job;
	enum cmd_id cmd;		/* CMD_NONE: for the story */
	bool dropped;			/* nobody wants it any more */
	const struct snap *sn;
	const trk_id *g;
	trk_id *own;			/* what g is of one that is a job */
	uint32_t n;
	int64_t t0, t1, of;
	bool at_hand, any, all;
	struct onlooker on;
	enum tstate state[WAITS_STATES];
	struct waits waits;
	struct ival v;
};

static void woke_first(struct gor_look *l)
{
	struct edge e;
	uint32_t k;
	struct edges_ask q = {
	    .from = l->g, .n = l->n, .most = l->at_hand ? 0 : WOKE_SHEETS, .t0 = l->t0, .t1 = l->t1, .on = l->on};
	l->any = edges_first(l->sn, &q, &e, &k, &l->all) && ival_at(l->sn, l->g[k], e.t, &l->v);
}

static void look(struct gor_look *l)
{
	struct waits_ask story = {.g = l->g, .n = l->n, .t0 = l->t0, .t1 = l->t1,
	    .most = l->at_hand ? AT_ONCE : STORY_MOST, .at_hand = l->at_hand, .on = l->on};
	struct longwait_ask wait = {l->g, l->n, l->t0, l->t1, l->at_hand ? AT_ONCE : LONGWAIT_MOST, l->at_hand, l->on};
	memcpy(story.state, l->state, sizeof story.state);
	if (l->cmd == CMD_EFFECT)
		woke_first(l);
	else if (l->cmd)
		l->any = longest_wait(l->sn, &wait, &l->v, &l->all);
	else
		waits_of(l->sn, &story, &l->waits);
}

static int run(struct job *j, void *arg)
{
	struct gor_look *l = arg;
	l->on = job_onlooker(j);
	look(l);
	return 0;
}

/* Of what is selected; the list of goroutines is the groups' own. */
static struct gor_look look_at(const struct gor *p, const struct pane_env *env, enum cmd_id cmd)
{
	struct gor_row room;
	const struct gor_row *r = gor_sel(p, &room);
	struct gor_look l = {
	    .cmd = cmd, .sn = session_snap(env->s), .t0 = p->scope.t0, .t1 = p->scope.t1, .of = p->story_of};
	memcpy(l.state, p->story.state, sizeof l.state);
	l.n = r && p->gs ? r->n : 0;
	l.g = l.n ? p->trk + r->first : NULL;
	return l;
}

static void begin(struct gor *p, struct gor_look *l)
{
	struct gor_look *mine = xmalloc(sizeof *mine);
	*mine = *l;
	mine->at_hand = false;
	mine->own = xmalloc((l->n + 1u) * sizeof *mine->own);
	if (l->n)
		memcpy(mine->own, l->g, l->n * sizeof *mine->own);
	mine->g = mine->own;
	p->look = mine;
	mine->job = job_start(run, mine);
}

/* What is wanted now. */
static void next(struct gor *p, const struct pane_env *env)
{
	if (p->look) {
		p->look->dropped = true;
		job_cancel(p->look->job);
	} else if (p->jump || p->story.part) {
		struct gor_look l = look_at(p, env, p->jump);
		p->jump = CMD_NONE;
		begin(p, &l);
		if (!p->look->job) {	/* no thread: what is at hand is all there is */
			mem_free(p->look->own);
			mem_free(p->look);
			p->look = NULL;
			p->story.part = false;
		}
	}
}

/* So little that nobody sees it. */
static bool at_once(struct gor_look *l)
{
	l->at_hand = l->cmd != CMD_EFFECT || (uint64_t)l->n * (l->sn->nsheets + 1u) <= WOKE_AT_ONCE;
	if (job_wanted() > 1 || !l->at_hand || l->n > GS_AT_ONCE)
		return false;
	look(l);
	return l->cmd ? l->all : !l->waits.cut;
}

void gor_look_story(struct gor *p, const struct pane_env *env)
{
	struct gor_look l = look_at(p, env, CMD_NONE);
	p->story.part = !at_once(&l);
	p->story.w = l.waits;
	if (p->story.part || p->look)
		next(p, env);
}

static void found(struct gor *p, const struct pane_env *env, const struct gor_look *l, struct ask *out)
{
	const struct store *st = l->sn->st;
	struct buf b = {0};
	const char *far = l->all ? "" : ", in the part that was searched, not the whole trace";
	if (!l->any) {
		ask_say(out, l->cmd == CMD_EFFECT ? "none of these woke or created a goroutine%s"
						  : "none of these waited%s", far);
		return;
	}
	gor_open_one(p, env, l->v.trk, l->v.t0);
	p->one.part = l->cmd == CMD_CHAIN ? GP_CHAIN : p->one.part;
	gor_hits(p, env);
	tp_id(st, l->v.trk, &b);
	if (l->cmd == CMD_EFFECT) {
		buf_puts(&b, " wakes or creates a goroutine in this span: ) goes there");
	} else {
		buf_puts(&b, l->all ? " has the longest wait here, "
				    : " has the longest wait of the part that was searched, not the whole trace: ");
		text_ns(&b, l->v.t1 - l->v.t0);
		buf_puts(&b, l->cmd == CMD_CHAIN ? ": this is its chain of wakers" : ": ( goes to its waker");
	}
	ask_say(out, "%s", buf_str(&b));
	buf_free(&b);
}

enum verdict gor_look_jump(struct gor *p, const struct pane_env *env, enum cmd_id cmd, struct ask *out)
{
	struct gor_look l = look_at(p, env, cmd);
	if (at_once(&l)) {
		found(p, env, &l, out);
		return V_ASK;
	}
	p->jump = cmd;
	next(p, env);
	return ask_say(out, cmd == CMD_EFFECT ? "searching for the first that wakes another; Esc cancels"
					      : "searching for the longest wait; Esc cancels");
}

bool gor_look_stop(struct gor *p)
{
	bool any = p->jump || (p->look && p->look->cmd && !p->look->dropped);
	p->jump = CMD_NONE;
	if (any && p->look) {
		p->look->dropped = true;
		job_cancel(p->look->job);
	}
	return any;
}

void gor_look_drop(struct gor *p)
{
	gor_look_stop(p);
	p->story.part = false;
	if (p->look) {
		p->look->dropped = true;
		job_cancel(p->look->job);
	}
}

struct job *gor_look_job(const struct gor *p)
{
	return p->look->job;
}

void gor_look_words(const struct gor *p, struct buf *b)
{
	if (p->look && p->look->cmd && !p->look->dropped)
		tp_working(p->look->job, "looking", b);
}

void gor_look_done(struct gor *p, const struct pane_env *env, struct ask *out)
{
	struct gor_look *l = p->look;
	p->look = NULL;
	job_join(l->job);
	if (!l->dropped && l->cmd) {
		found(p, env, l, out);
	} else if (!l->dropped && l->of == p->story_of) {
		p->story.w = l->waits;
		p->story.part = false;
	}
	mem_free(l->own);
	mem_free(l);
	if (env)
		next(p, env);
}
