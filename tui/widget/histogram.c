/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Histograms with bars. While durations are added, the array covers the whole scale from a
 * nanosecond up; histogram_bars_trim() moves the used part to the front. Edges are rounded powers
 * of 10^(1/5), so that the end of a bar is the start of the next and a range of bars is two whole
 * numbers of nanoseconds.
 *
 * Fine bars are not rounded: their number follows from the screen, and the same bars are made again for the same
 * durations.
 */
#include "config.h"
#include "widget/histogram.h"

#include "base/text/text.h"

#include <math.h>
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

void histogram_bars_between(struct bars *b, int64_t least, int64_t lo, int64_t hi)
{
	lo = lo > 0 ? lo : 1;
	hi = hi > lo ? hi : lo;
	*b = (struct bars){.fine = true};
	b->edge[0] = least;
	double step = log((double)(hi + 1) / (double)lo) / BARS_FINE;
	for (int k = 1; k <= BARS_FINE; k++) {
		int64_t e = k == BARS_FINE ? hi + 1 : (int64_t)((double)lo * exp(step * k));
		if (e > b->edge[b->n])
			b->edge[++b->n] = e;
	}
}

void histogram_bars_mark(struct bars *b, const char *name, int64_t ns)
{
	if (b->nmarks == BARS_MARKS)
		return;
	b->mark[b->nmarks].name = name;
	b->mark[b->nmarks++].ns = ns;
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

/* Move by bars; narrow ones without a count are skipped. */
static void move_bar(struct bars *b, int by)
{
	int to = b->at, dir = by < 0 ? -1 : 1;
	for (int i = 0; i != by && to >= 0 && to < b->n; i += dir)
		for (to += dir; b->fine && to > 0 && to < b->n - 1 && !b->count[to]; to += dir)
			;
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

int histogram_bars_at(const struct bars *b, int64_t ns)
{
	int i = 0;
	while (i + 1 < b->n && b->edge[i + 1] <= ns)
		i++;
	return i;
}

/* Draw "^p50" below the bars; of those that overlap, the longest duration. */
static void draw_marks(const struct bars *b, struct grid *g, int y, int x, int wide)
{
	int end = g->w;
	for (int k = b->nmarks; k-- > 0;) {
		int at = x + histogram_bars_at(b, b->mark[k].ns) * wide, n = 1 + (int)strlen(b->mark[k].name);
		at = at + n > g->w ? g->w - n : at;
		if (at + n >= end && end < g->w)
			continue;
		grid_printf(g, y, at, ST_HEAD, 0, "^%s", b->mark[k].name);
		end = at;
	}
}

/* Add the bars in pairs, as often as is needed for w cells. */
static void fit_bars(struct bars *b, int w)
{
	while (b->n > w && !b->on && w > 0) {
		for (int i = 0; i < b->n; i += 2) {
			b->edge[i / 2] = b->edge[i];
			b->count[i / 2] = b->count[i] + (i + 1 < b->n ? b->count[i + 1] : 0);
		}
		b->edge[(b->n + 1) / 2] = b->edge[b->n];
		b->n = (b->n + 1) / 2;
	}
	b->most = 0;
	for (int i = 0; i < b->n; i++)
		b->most = b->count[i] > b->most ? b->count[i] : b->most;
}

void histogram_bars_draw(const struct bars *of, struct grid *g, int y, int x, int h, int w, enum style style)
{
	struct bars fitted = *of;
	const struct bars *b = &fitted;
	fit_bars(&fitted, w);
	int wide = b->n ? w / b->n : 0;
	wide = wide > 5 ? 5 : wide;
	if (h < 2 || wide < 1 || !b->most)
		return;
	if (b->nmarks && h >= 5 && !b->on)
		draw_marks(b, g, y + --h, x, wide);
	int last = -9;
	for (int i = 0; i < b->n; i++) {
		int x0 = x + i * wide, cells = wide > 1 && !b->fine ? wide - 1 : wide;
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
