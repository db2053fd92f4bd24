/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Moving in the flame graph.
 *
 * Directions are those of the screen: j is down, whether the graph is flipped or not; h and l move
 * to the neighbour in the same row, across parents if there is no sibling. With a pivot there are
 * two graphs that meet at its row, and the selection moves from one to the other there.
 */
#include "config.h"
#include "profile/flame_internal.h"

uint32_t flame_widest(const struct flame *f, uint32_t at)
{
	uint32_t best = 0, k, n = flame_kids(f, at, &k);
	for (; n; n--, k++)
		if (!best || f->open->at[k].wid > f->open->at[best].wid)
			best = k;
	return best;
}

/* Return the neighbour in the same row, dir 1 or -1; 0: none. If none is as deep, use a row further up. */
static uint32_t neighbour_at(const struct flame *f, uint32_t at, int dir)
{
	uint32_t rows = 0, to = 0;
	for (; at && !to; at = f->open->at[at].up, rows += !to) {
		uint32_t a, n = flame_kids(f, f->open->at[at].up, &a);
		for (int64_t k = (int64_t)at + dir; k >= a && k < (int64_t)a + n && !to; k += dir)
			if (f->open->at[k].wid > 0)
				to = (uint32_t)k;
	}
	for (; to && rows; rows--) {
		uint32_t a, n = flame_kids(f, to, &a);
		if (!n)
			break;
		to = dir > 0 ? a : a + n - 1;
	}
	return to;
}

static void move_sideways(struct flame_state *v, int dir, int n)
{
	for (uint32_t to; n-- > 0 && (to = neighbour_at(v->f[v->part], v->sel, dir));)
		v->sel = to;
}

/* Move towards the leaves of a part, or towards its root; at the centre, to the other part. */
static void move_rows(struct flame_state *v, int dir, int64_t n)
{
	if (v->flip)
		dir = -dir;
	for (; n > 0; n--) {
		const struct flame *f = v->f[v->part];
		bool deeper = (dir > 0) == (v->part == DOWN);
		uint32_t to = deeper ? flame_widest(f, v->sel) : f->open->at[v->sel].up;
		if (v->f[UP] && !deeper && v->part == UP && f->open->at[to].up == 0) {
			v->part = DOWN;	/* the centre belongs to the callees */
			to = flame_widest(v->f[DOWN], 0);
		} else if (v->f[UP] && !deeper && v->part == DOWN && !to) {
			uint32_t centre = flame_widest(v->f[UP], 0),
				 caller = centre ? flame_widest(v->f[UP], centre) : 0;
			if (!caller)
				return;
			v->part = UP;
			to = caller;
		}
		if (!to)
			return;
		v->sel = to;
	}
}

bool flame_move(struct flame_state *v, const struct pane_env *env, const struct act *a)
{
	int n = act_n(a) < 100000 ? act_n(a) : 100000;
	const struct flame *f = v->f[v->part];
	switch ((int)a->cmd) {
	case CMD_LEFT: move_sideways(v, -1, n); break;
	case CMD_RIGHT: move_sideways(v, 1, n); break;
	case CMD_DOWN: move_rows(v, 1, n); break;
	case CMD_UP: move_rows(v, -1, n); break;
	case CMD_PAGE_DOWN: move_rows(v, 1, (int64_t)n * env->rows); break;
	case CMD_PAGE_UP: move_rows(v, -1, (int64_t)n * env->rows); break;
	case CMD_HALF_DOWN: move_rows(v, 1, (int64_t)n * (env->rows + 1) / 2); break;
	case CMD_HALF_UP: move_rows(v, -1, (int64_t)n * (env->rows + 1) / 2); break;
	case CMD_FIRST: v->sel = flame_widest(f, 0); break;
	case CMD_LAST:
		for (uint32_t k; (k = flame_widest(f, v->sel));)
			v->sel = k;
		break;
	case CMD_CENTRE: {
		int64_t y = flame_line(v, v->part, v->sel, env->rows);
		v->scroll += (v->flip ? env->rows - 1 - y : y) - env->rows / 2;
		if (v->scroll < 0 && !v->f[UP])
			v->scroll = 0;
		return true;
	}
	default: return false;
	}
	flame_into_view(v, env->rows);
	return true;
}
