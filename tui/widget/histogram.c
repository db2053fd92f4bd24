/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Histograms with bars. While durations are added, the array covers the whole scale from a
 * nanosecond up; histogram_bars_trim() moves the used part to the front. Edges are rounded powers
 * of 10^(1/5), so that the end of a bar is the start of the next and a range of bars is two whole
 * numbers of nanoseconds.
 */
#include "config.h"
#include "widget/histogram.h"

#include "base/text/text.h"

#include <string.h>

/* 10^(k/5), in thousandths. */
static const int64_t fifth[] = {1000, 1585, 2512, 3981, 6310};

static int64_t edge_of(int k)
{
	int64_t d = 1;
	for (int i = 0; i < k / 5 && d < INT64_MAX / 1000; i++)
		d *= 10;
	return d < 1000 ? (d * fifth[k % 5] + 500) / 1000 : d / 1000 * fifth[k % 5];
}

enum { SCALE = 80 };	/* 10^16 ns are four months */

void histogram_bars_init(struct bars *b)
{
	*b = (struct bars){.n = SCALE};
	for (int i = 0; i <= SCALE; i++)
		b->edge[i] = edge_of(i);
	b->edge[0] = 0;
}

void histogram_bars_add(struct bars *b, int64_t ns)
{
	int lo = 0, hi = b->n - 1;
	while (lo < hi) {	/* find the last bar that starts at or before ns */
		int mid = lo + (hi - lo + 1) / 2;
		if (b->edge[mid] <= ns)
			lo = mid;
		else
			hi = mid - 1;
	}
	if (++b->count[lo] > b->most)
		b->most = b->count[lo];
	b->all++;
}

void histogram_bars_trim(struct bars *b)
{
	int first = 0, end = b->n;
	while (first < end && !b->count[first])
		first++;
	while (end > first && !b->count[end - 1])
		end--;
	memmove(b->edge, b->edge + first, (size_t)(end - first + 1) * sizeof *b->edge);
	memmove(b->count, b->count + first, (size_t)(end - first) * sizeof *b->count);
	b->n = end - first;
}

static void move_bar(struct bars *b, int by)
{
	int to = b->at + by;
	b->at = to < 0 ? 0 : to >= b->n ? b->n - 1 : to;
}

enum histogram_bars_result histogram_bars_command(struct bars *b, const struct act *a, int64_t *lo, int64_t *hi)
{
	if (!b->n || (!b->on && a->cmd != CMD_RANGE))
		return BARS_PASS;
	switch ((int)a->cmd) {
	case CMD_RANGE:
		if (b->on) {
			b->held = !b->held;
			b->from = b->at;
		}
		for (int i = 0; !b->on && i < b->n; i++)	/* start at the slowest */
			b->at = b->count[i] ? i : b->at;
		b->on = true;
		return BARS_DONE;
	case CMD_LEFT: move_bar(b, -act_n(a)); return BARS_DONE;
	case CMD_RIGHT: move_bar(b, act_n(a)); return BARS_DONE;
	case CMD_FIRST: b->at = 0; return BARS_DONE;
	case CMD_LAST: b->at = b->n - 1; return BARS_DONE;
	case CMD_BACK:
	case CMD_CANCEL: b->on = b->held = false; return BARS_DONE;
	case CMD_OPEN: {
		int from = b->held && b->from < b->at ? b->from : b->at,
		    to = b->held && b->from > b->at ? b->from : b->at;
		*lo = b->edge[from];
		*hi = b->edge[to + 1] - 1;
		b->on = b->held = false;
		return BARS_TAKE;
	}
	default: return BARS_PASS;
	}
}

static bool is_chosen(const struct bars *b, int i)
{
	int from = b->held && b->from < b->at ? b->from : b->at, to = b->held && b->from > b->at ? b->from : b->at;
	return b->on && i >= from && i <= to;
}

void histogram_bars_draw(const struct bars *b, struct grid *g, int y, int x, int h, int w, enum style style)
{
	int wide = b->n ? w / b->n : 0;
	wide = wide > 5 ? 5 : wide;
	if (h < 2 || wide < 1 || !b->most)
		return;
	int last = -9;
	for (int i = 0; i < b->n; i++) {
		int x0 = x + i * wide, cells = wide > 1 ? wide - 1 : 1;
		double level = (double)b->count[i] / (double)b->most * (h - 1);
		for (int r = 0; r < h - 1; r++) {
			double here = level - (h - 2 - r);
			if (r == h - 2 && b->count[i] && here < 0.13)
				here = 0.13;	/* show a single count */
			for (int k = 0; k < cells && here > 0; k++)
				grid_level(g, y + r, x0 + k, here > 1 ? 1 : here, is_chosen(b, i) ? ST_ACCENT : style,
				    ST_NORMAL);
		}
		if (is_chosen(b, i)) {
			for (int k = 0; k < cells; k++)
				grid_put(g, y + h - 1, x0 + k, '^', ST_CURSOR, ST_NORMAL, AT_BOLD);
			if (i == b->at)
				grid_focus(g, y + h - 1, x0);
		} else if (!b->on && x0 - last >= 8) {
			struct buf s = {0};
			text_ns(&s, b->edge[i]);
			grid_text(g, y + h - 1, x0, ST_DIM, 0, buf_str(&s));
			buf_free(&s);
			last = x0;
		}
	}
}

void histogram_bars_describe(const struct bars *b, struct buf *out)
{
	uint64_t n = 0;
	int from = b->n, to = 0;
	for (int i = 0; i < b->n; i++)
		if (is_chosen(b, i)) {
			n += b->count[i];
			from = i < from ? i : from;
			to = i;
		}
	if (from >= b->n)
		return;
	text_ns(out, b->edge[from]);
	buf_puts(out, " .. ");
	text_ns(out, b->edge[to + 1]);
	buf_puts(out, ": ");
	text_count(out, (int64_t)n);
	buf_puts(out, " of ");
	text_count(out, (int64_t)b->all);
}
