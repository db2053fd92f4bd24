/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Moving about the flame graph.
 *
 * Movement is on the screen: j is down, whichever way the graph is turned; h and
 * l go to the neighbour in the same row, over the heads of parents when there is
 * no sibling left. With a pivot there are two graphs that meet at its row, and the
 * selection goes from one to the other there.
 */
#include "config.h"
#include "flameview.h"

uint32_t flame_widest(const struct flame *f, uint32_t node)
{
	uint32_t best = 0;
	for (uint32_t k = f->kid0[node]; k < f->kid0[node + 1]; k++)
		if (!best || f->wid[f->kid[k]] > f->wid[best])
			best = f->kid[k];
	return best;
}

void flame_into_view(struct flameview *v, int h)
{
	if (!v->sel)
		return;
	int64_t y = flame_line(v, v->part, v->sel, h);
	y = v->flip ? h - 1 - y : y;
	if (y < 0)
		v->scroll += y;
	else if (y >= h)
		v->scroll += y - h + 1;
}

/* The neighbour in the same row, dir 1 or -1; 0: none. A row further up serves when none is as
 * deep. */
static uint32_t beside(const struct flame *f, uint32_t node, int dir)
{
	uint32_t up = 0, i = node;
	for (; i; i = f->t.parent[i], up++) {
		uint32_t p = f->t.parent[i], a = f->kid0[p], b = f->kid0[p + 1], k = a;
		while (k < b && f->kid[k] != i)
			k++;
		for (int64_t n = (int64_t)k + dir; n >= a && n < b; n += dir)
			if (f->wid[f->kid[n]] > 0) {
				i = f->kid[n];
				goto found;
			}
	}
	return 0;
found:
	for (; up; up--) {
		uint32_t a = f->kid0[i], b = f->kid0[i + 1];
		if (a == b)
			break;
		i = f->kid[dir > 0 ? a : b - 1];
	}
	return i;
}

static void move_beside(struct flameview *v, int dir, int n)
{
	for (uint32_t to; n-- > 0 && (to = beside(v->f[v->part], v->sel, dir));)
		v->sel = to;
}

/* Towards the leaves of a part, or towards its root; from one part to the other at the centre. */
static void move_rows(struct flameview *v, int dir, int64_t n)
{
	if (v->flip)
		dir = -dir;
	for (; n > 0; n--) {
		const struct flame *f = v->f[v->part];
		bool deeper = (dir > 0) == (v->part == DOWN);
		uint32_t to = deeper ? flame_widest(f, v->sel) : f->t.parent[v->sel];
		if (v->f[UP] && !deeper && v->part == UP && f->t.parent[to] == 0) {
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

bool flame_move(struct flameview *v, const struct pane_env *env, const struct act *a)
{
	int n = act_n(a) < 100000 ? act_n(a) : 100000;
	const struct flame *f = v->f[v->part];
	switch ((int)a->cmd) {
	case CMD_LEFT: move_beside(v, -1, n); break;
	case CMD_RIGHT: move_beside(v, 1, n); break;
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
