/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The outline of the whole trace while it is read, made from the headers of its batches; it covers
 * the whole duration, not the window. What has been read is in colour, which shows the progress and
 * where the trace has most events.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/text/text.h"

enum { NAME = 5 };	/* columns of the name */

/* Return the level of cell c of n, the mean of the bins that it covers. */
static double column_level(const struct sink_outline *o, int c, int n, double most)
{
	size_t from = (size_t)c * OUTLINE_BINS / (size_t)n, to = (size_t)(c + 1) * OUTLINE_BINS / (size_t)n;
	double sum = 0;
	for (size_t i = from; i < to || i == from; i++)
		sum += (double)o->bytes[i];
	return sum / (to > from ? (double)(to - from) : 1) / most;
}

static void describe_outline(const struct snap *sn, const struct sink_outline *o, struct buf *b)
{
	buf_puts(b, o->whole ? "whole trace: " : "start of the trace: ");
	text_ns(b, o->t1);
	buf_printf(b, " in %u generation%s, ", o->generations, text_s(o->generations));
	text_bytes(b, (int64_t)(o->whole ? sn->total : o->seen));
	if (sn->t1 > sn->t0) {
		buf_puts(b, "; read up to ");
		text_ns(b, sn->t1);
	}
}

int64_t timeline_outline_time(const struct pane_env *env, int x)
{
	const struct sink_outline *o = session_snap(env->s)->outline;
	int n = env->cols > NAME ? env->cols - NAME : 1, c = x < NAME ? 0 : x - NAME;
	return (int64_t)((double)o->t1 * (c < n ? c : n - 1) / n);
}

void timeline_draw_outline(const struct pane_env *env, struct grid *g, int y, int lines)
{
	const struct snap *sn = session_snap(env->s);
	const struct sink_outline *o = sn->outline;
	struct buf b = {0};
	double most = 1;
	int x0 = NAME, n = env->cols - x0;
	for (int i = 0; i < OUTLINE_BINS; i++)
		most = (double)o->bytes[i] > most ? (double)o->bytes[i] : most;
	describe_outline(sn, o, &b);
	grid_text(g, y, 0, ST_DIM, 0, buf_str(&b));
	buf_free(&b);
	if (lines < 2 || n < 1)
		return;
	grid_text(g, y + 1, 0, ST_DIM, 0, "file");
	for (int c = 0; c < n; c++) {
		bool read = (double)(c + 1) * (double)o->t1 <= (double)sn->t1 * n;
		double level = column_level(o, c, n, most);
		if (level > 0)
			grid_level(g, y + 1, x0 + c, level, read ? ST_HEAT : ST_DIM, ST_NORMAL);
	}
}
