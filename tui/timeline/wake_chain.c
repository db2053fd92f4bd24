/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The wake chain: what ended the selected wait, what had woken that waker, and so on. Each step
 * starts at a runnable interval, which names its waker, continues with what the waker did then, and
 * goes back to where the waker was runnable itself. It ends where there is no waker (a timer, the
 * network poller), at the start of the trace, or after TL_CHAIN steps.
 *
 * It is a list at the bottom of the pane with keys of its own until it is closed.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/text/text.h"
#include "tracepane/tracepane.h"

#include <stdio.h>
#include <string.h>

/* The most intervals that one step goes back: runs broken by preemption, syscalls. */
enum { BACK_MAX = 64 };

/* Move from an interval of a goroutine to the runnable interval that ended its wait, or that preceded it. */
static bool to_ready(const struct snap *sn, struct trace_interval *iv)
{
	for (int i = 0; tracepane_state_waits(iv->state) && i < BACK_MAX; i++)
		if (!trace_interval_step(sn, iv, 1))
			return false;
	for (int i = 0; i < BACK_MAX; i++) {
		if (iv->state == TS_READY && iv->peer)
			return true; /* without a waker it was preempted: continue before it */
		if (!trace_interval_step(sn, iv, -1) || tracepane_state_waits(iv->state))
			return false;
	}
	return false;
}

uint32_t timeline_follow_wakes(const struct snap *sn, trk_id g, int64_t t, struct timeline_wake_link out[TL_CHAIN])
{
	struct trace_interval iv;
	uint32_t n = 0;
	while (n < TL_CHAIN && trace_interval_at(sn, g, t, &iv) && to_ready(sn, &iv)) {
		struct trace_interval before = iv;
		if (!n) {
			bool waited = trace_interval_step(sn, &before, -1) && tracepane_state_waits(before.state);
			before = waited ? before : iv;
			out[n++] = (struct timeline_wake_link){g, before.t0, iv.t1, before.state, false};
		}
		int64_t born = store_trk(sn->st, g)->t0;
		bool created = store_trk(sn->st, g)->creator == iv.peer && iv.t0 == born;
		g = iv.peer;
		t = iv.t0 > sn->t0 ? iv.t0 - 1 : iv.t0;
		struct trace_interval then;
		if (!trace_interval_at(sn, g, t, &then))
			then = (struct trace_interval){.state = TS_UNKNOWN, .t0 = t, .t1 = iv.t0};
		if (n < TL_CHAIN)
			out[n++] = (struct timeline_wake_link){g, then.t0, iv.t0, then.state, created};
	}
	return n;
}

/* Get the targets of ( and ) from the selected span: its waker, and the first goroutine that it wakes after the
 * cursor. */
int timeline_wake_partners(const struct timeline *tl, const struct pane_env *env, struct timeline_wake_link out[2])
{
	const struct snap *sn = session_snap(env->s);
	struct timeline_extent x;
	struct trace_interval iv;
	int n = 0;
	if (!timeline_extent(tl, env, &x) || !timeline_selected_ival(tl, env, &iv))
		return 0;
	trk_id g = store_trk(sn->st, iv.trk)->kind == TK_G ? iv.trk : iv.peer;
	if (!g || g >= sn->ntrks || store_trk(sn->st, g)->kind != TK_G ||
	    !trace_interval_at(sn, g, tl->at, &iv))
		return 0;
	struct wake_edges_walk w = {0};
	struct edge e;
	if (wake_edges_next(sn, &w, g, tl->at, iv.t1, &e))
		out[n++] = (struct timeline_wake_link){e.to, tl->at, e.t, TS_NONE, true};
	if (to_ready(sn, &iv))
		out[n++] = (struct timeline_wake_link){iv.peer, tl->at, iv.t0, TS_NONE, false};
	return n;
}

enum verdict timeline_toggle_chain(struct timeline *tl, const struct pane_env *env, struct ask *out)
{
	if (!tl->wake.nchain)
		return timeline_jump(tl, env, CMD_CHAIN, 1, timeline_selected_track(tl, env), out);
	tl->wake.nchain = 0;
	return V_DONE;
}

bool timeline_chain_command(struct timeline *tl, const struct pane_env *env, const struct act *a)
{
	uint32_t n = tl->wake.nchain, by = (uint32_t)(act_n(a) < TL_CHAIN ? act_n(a) : TL_CHAIN);
	if (!n)
		return false;
	switch (a->cmd) {
	case CMD_DOWN: tl->wake.atchain = tl->wake.atchain + by < n ? tl->wake.atchain + by : n - 1; return true;
	case CMD_UP: tl->wake.atchain = tl->wake.atchain > by ? tl->wake.atchain - by : 0; return true;
	case CMD_FIRST: tl->wake.atchain = 0; return true;
	case CMD_LAST: tl->wake.atchain = n - 1; return true;
	case CMD_OPEN: {
		struct timeline_wake_link l = tl->wake.chain[tl->wake.atchain];
		timeline_show_track(tl, env, l.trk);
		timeline_goto_time(tl, env, l.t1 > l.t0 ? l.t1 - 1 : l.t0);
		tl->moved = true;
		return true;
	}
	case CMD_BACK:
	case CMD_CANCEL: tl->wake.nchain = 0; return true;
	default: return false;
	}
}

void timeline_draw_chain(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l)
{
	const struct store *st = session_snap(env->s)->st;
	int h = (int)tl->wake.nchain + 1, room = g->h - l->rows;
	h = h > room ? room : h;
	if (h < 2)
		return;
	int y = g->h - h, top = (int)tl->wake.atchain - (h - 2) > 0 ? (int)tl->wake.atchain - (h - 2) : 0;
	grid_fill(g, (struct rect){y, 0, h, g->w}, ' ', ST_NORMAL, 0);
	grid_text(g, y, 0, ST_HEAD, 0, "wake chain, latest first   Enter goes there, q W close");
	for (int i = top; i < (int)tl->wake.nchain && ++y < g->h; i++) {
		const struct timeline_wake_link *k = &tl->wake.chain[i];
		struct buf b = {0};
		text_at(&b, k->t1, 1000);
		grid_right(g, y, 11, ST_DIM, 0, buf_str(&b));
		buf_reset(&b);
		tracepane_put_track(st, k->trk, &b);
		buf_printf(&b, "  %s ", style_state_name(k->state));
		text_ns(&b, k->t1 - k->t0);
		buf_puts(&b, i == 0	  ? " until it ran"
			     : k->created ? ", then created the one above"
					  : ", then woke the one above");
		grid_text(g, y, 12, ST_NORMAL, 0, buf_str(&b));
		if (i == (int)tl->wake.atchain) {
			grid_put(g, y, 0, '>', ST_ACCENT, ST_NORMAL, AT_BOLD);
			grid_select(g, (struct rect){y, 0, 1, g->w});
			grid_focus(g, y, 0);
		}
		buf_free(&b);
	}
}
