/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Checks that an ordered trace of version 1 is possible: a P runs one goroutine at a time, a
 * goroutine that is woken was waiting, a range that ends had begun. If an event is impossible, an
 * earlier event is missing: the state that the event requires is set if that makes it possible,
 * else the event is left out. *damage describes the first such event. On the way two facts are
 * restored that follow only from earlier events: which goroutines were woken by the network poller,
 * and that the mark phase belongs to no P.
 */
#include "config.h"
#include "load/gotrace1/internal.h"

#include "base/mem/mem.h"

#include <inttypes.h>

enum { DEAD, RUNNABLE, RUNNING, WAITING };

struct vg {
	uint8_t state;
	uint8_t slept;		/* type of the event that made it wait */
	bool assist;
	bool known;		/* an event changed it; it was not only named by another event */
};

struct vp {
	bool running, sweeping, stw;
	uint64_t g;
};

struct check {
	struct v1_trace *v;
	struct arena mem;
	struct u64_hash gs, ps, tasks;
	bool gc, stw;
	const char *why;	/* why the event is impossible */
};

static struct vg *vg_of(struct check *c, uint64_t id)
{
	bool fresh;
	struct u64_slot *s = u64_map_put(&c->gs, id, &fresh);
	if (fresh)
		s->p = arena_zalloc(&c->mem, sizeof(struct vg));
	return s->p;
}

static struct vp *vp_of(struct check *c, int32_t id)
{
	bool fresh;
	struct u64_slot *s = u64_map_put(&c->ps, (uint64_t)(int64_t)id, &fresh);
	if (fresh)
		s->p = arena_zalloc(&c->mem, sizeof(struct vp));
	return s->p;
}

static bool expect(struct check *c, bool holds, const char *why)
{
	if (!holds && !c->why)
		c->why = why;
	return holds;
}

static bool check_runs(struct check *c, const struct vp *p, const struct vg *g, const struct gotrace1_event *e,
    bool g0)
{
	return expect(c, g->state == RUNNING, "the goroutine is not running") &&
	       expect(c, p->g == e->g, "the P does not run this goroutine") &&
	       expect(c, g0 || e->g, "goroutine 0 cannot do this");
}

static void check_unblock(struct check *c, struct gotrace1_event *e, const struct vp *p,
    const struct vg *g)
{
	struct vg *to = vg_of(c, e->arg[0]);
	if (!expect(c, g->state == RUNNING, "the goroutine is not running") ||
	    !expect(c, e->p == V1_P_TIMER || p->g == e->g, "the P does not run this goroutine") ||
	    !expect(c, to->state == WAITING, "the other goroutine is not waiting"))
		return;
	if (to->slept == V1_GO_BLOCK_NET)
		e->p = V1_P_NET;
	to->state = RUNNABLE;
	to->slept = 0;
}

static void check_g(struct check *c, struct gotrace1_event *e, struct vp *p, struct vg *g)
{
	g->known = true;
	switch (e->type) {
	case V1_GO_WAITING:
	case V1_GO_IN_SYSCALL:
		if (!expect(c, g->state == RUNNABLE, "the goroutine is not runnable"))
			break;
		g->state = WAITING;
		g->slept = e->type;
		break;
	case V1_GO_CREATE:
		if (!check_runs(c, p, g, e, true))
			break;
		g = vg_of(c, e->arg[0]);
		if (expect(c, !g->known, "the goroutine exists already"))
			*g = (struct vg){.state = RUNNABLE, .known = true};
		break;
	case V1_GO_START:
	case V1_GO_START_LABEL:
		if (!expect(c, g->state == RUNNABLE, "the goroutine is not runnable") ||
		    !expect(c, !p->g, "the P runs another goroutine"))
			break;
		g->state = RUNNING;
		g->slept = 0;
		p->g = e->g;
		break;
	case V1_GO_END:
	case V1_GO_STOP:
	case V1_GO_SCHED:
	case V1_GO_PREEMPT:
		if (!check_runs(c, p, g, e, false))
			break;
		g->state = e->type == V1_GO_END || e->type == V1_GO_STOP ? DEAD : RUNNABLE;
		p->g = 0;
		break;
	case V1_GO_UNBLOCK:
		check_unblock(c, e, p, g);
		break;
	case V1_GO_SYSCALL:
		if (check_runs(c, p, g, e, false))
			g->slept = e->type;
		break;
	case V1_GO_SYSEXIT:
		if (!expect(c, g->state == WAITING, "the goroutine is not waiting"))
			break;
		g->state = RUNNABLE;
		g->slept = 0;
		break;
	default:	/* all events that make a goroutine wait */
		if (!check_runs(c, p, g, e, false))
			break;
		g->state = WAITING;
		if (e->type != V1_GO_SYSBLOCK)
			g->slept = e->type;
		p->g = 0;
		break;
	}
}

static void check_runtime(struct check *c, struct gotrace1_event *e, struct vp *p, struct vg *g)
{
	bool *stw = c->v->version < 10 ? &p->stw : &c->stw;
	switch (e->type) {
	case V1_PROC_START:
		expect(c, !p->running, "the P is already running");
		p->running = true;
		break;
	case V1_PROC_STOP:
		expect(c, p->running, "the P is not running");
		expect(c, !p->g, "the P runs a goroutine");
		p->running = false;
		break;
	case V1_GC_START:
		expect(c, !c->gc, "the previous GC cycle has not ended");
		c->gc = true;
		e->p = V1_P_GC;
		break;
	case V1_GC_DONE:
		expect(c, c->gc, "no GC cycle has started");
		c->gc = false;
		break;
	case V1_STW_START:
	case V1_STW_DONE:
		expect(c, *stw == (e->type == V1_STW_DONE), "it does not match the previous stop event");
		*stw = e->type == V1_STW_START;
		break;
	case V1_SWEEP_START:
	case V1_SWEEP_DONE:
		expect(c, p->sweeping == (e->type == V1_SWEEP_DONE),
		    "it does not match the previous sweep event");
		p->sweeping = e->type == V1_SWEEP_START;
		break;
	case V1_ASSIST_START:
		expect(c, !g->assist, "the previous mark assist has not ended");
		g->assist = g->known = true;
		break;
	case V1_ASSIST_DONE:	/* it may have begun before the trace */
		g->assist = false;
		break;
	default:
		break;
	}
}

static void check_user(struct check *c, const struct gotrace1_event *e)
{
	bool fresh;
	if (e->type == V1_TASK_CREATE) {
		u64_map_put(&c->tasks, e->arg[0], &fresh);
		expect(c, fresh, "the task exists already");
	} else if (e->type == V1_TASK_END) {
		u64_map_remove(&c->tasks, e->arg[0]);
	} else if (e->type == V1_REGION) {
		expect(c, e->arg[1] <= 1, "it is neither a start nor an end");
	}
}

static void check_event(struct check *c, struct gotrace1_event *e)
{
	struct vp *p = vp_of(c, e->p);
	struct vg *g = vg_of(c, e->g);
	switch (e->type) {
	case V1_GO_CREATE: case V1_GO_START: case V1_GO_END: case V1_GO_STOP: case V1_GO_SCHED:
	case V1_GO_PREEMPT: case V1_GO_SLEEP: case V1_GO_BLOCK: case V1_GO_UNBLOCK:
	case V1_GO_BLOCK_SEND: case V1_GO_BLOCK_RECV: case V1_GO_BLOCK_SELECT: case V1_GO_BLOCK_SYNC:
	case V1_GO_BLOCK_COND: case V1_GO_BLOCK_NET: case V1_GO_SYSCALL: case V1_GO_SYSEXIT:
	case V1_GO_SYSBLOCK: case V1_GO_WAITING: case V1_GO_IN_SYSCALL: case V1_GO_START_LABEL:
	case V1_GO_BLOCK_GC:
		check_g(c, e, p, g);
		break;
	case V1_TASK_CREATE:
	case V1_TASK_END:
	case V1_REGION:
		check_user(c, e);
		break;
	default:
		check_runtime(c, e, p, g);
		break;
	}
}

/* Set that the goroutine runs on the P, and no other does. */
static void assign_proc(struct check *c, const struct gotrace1_event *e, struct vp *p, struct vg *g)
{
	if (!e->g)
		return;
	if (p->g && p->g != e->g)
		vg_of(c, p->g)->state = RUNNABLE;
	g->state = RUNNING;
	p->g = e->g;
}

/* Set that the P is free: the end of what ran there is missing. */
static void release_proc(struct check *c, struct vp *p)
{
	if (p->g)
		vg_of(c, p->g)->state = WAITING;
	p->g = 0;
}

/* Set the state that the event requires. */
static void force_state(struct check *c, const struct gotrace1_event *e)
{
	struct vp *p = vp_of(c, e->p);
	struct vg *g = vg_of(c, e->g);
	switch (e->type) {
	case V1_GO_START:
	case V1_GO_START_LABEL:
		release_proc(c, p);
		g->state = RUNNABLE;
		break;
	case V1_GO_WAITING:
	case V1_GO_IN_SYSCALL:
		g->state = RUNNABLE;
		break;
	case V1_GO_SYSEXIT:
		g->state = WAITING;
		break;
	case V1_GO_UNBLOCK:
		if (e->p != V1_P_TIMER)
			assign_proc(c, e, p, g);
		if (e->arg[0] != e->g)
			vg_of(c, e->arg[0])->state = WAITING;
		break;
	case V1_PROC_START:
	case V1_PROC_STOP:
		release_proc(c, p);
		p->running = e->type == V1_PROC_STOP;
		break;
	case V1_GC_START:
	case V1_GC_DONE:
		c->gc = e->type == V1_GC_DONE;
		break;
	case V1_STW_START:
	case V1_STW_DONE:
		c->stw = p->stw = e->type == V1_STW_DONE;
		break;
	case V1_SWEEP_START:
	case V1_SWEEP_DONE:
		p->sweeping = e->type == V1_SWEEP_DONE;
		break;
	case V1_ASSIST_START:
		g->assist = false;
		break;
	case V1_TASK_CREATE:
	case V1_REGION:
		break;
	default:	/* all events of a running goroutine */
		assign_proc(c, e, p, g);
		break;
	}
}

static void set_damage(const struct check *c, const struct gotrace1_event *e)
{
	if (!c->v->damage.kind)
		err_set(&c->v->damage, ERR_FORMAT, ERR_NOWHERE,
		    "event of type %d at time %" PRId64 " is impossible: %s", e->type, e->ts, c->why);
}

void gotrace1_repair(struct v1_trace *v)
{
	struct check c = {.v = v};
	size_t n = 0;
	vg_of(&c, 0)->state = RUNNING;
	for (size_t i = 0; i < v->norder; i++) {
		struct gotrace1_event *e = &v->ev[v->order[i]];
		check_event(&c, e);
		if (c.why) {
			set_damage(&c, e);
			c.why = NULL;
			force_state(&c, e);
			check_event(&c, e);
			bool can = !c.why;
			c.why = NULL;
			v->forced += can;
			v->dropped += !can;
			if (!can)
				continue;
		}
		v->order[n++] = v->order[i];
	}
	v->norder = n;
	u64_map_free(&c.gs);
	u64_map_free(&c.ps);
	u64_map_free(&c.tasks);
	arena_free(&c.mem);
}
