/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Rows that have moved up or down together, as in a list: if moving them takes fewer bytes than
 * writing them again, the terminal moves them. All distances up to a few rows are tried on all
 * rows, and rated by the number of cells left to write.
 */
#include "config.h"
#include "term/screen_diff_internal.h"

enum { SHIFT_MAX = 8 };

/* Return the number of cells of row y of the new screen that differ from row k of the old one, or more than
   `most`; blanks count little, because they are erased together. */
static int count_changed(const struct screen_state *n, int y, int k, int most)
{
	int d = 0, blanks = 0;
	for (int x = 0; x < n->cols && d <= most; x++) {
		const struct shown *now = &n->now[y * n->cols + x];
		if (shown_same(now, &n->old[k * n->cols + x]))
			continue;
		if (shown_blank(now))
			blanks = 4;
		else
			d++;
	}
	return d + blanks;
}

struct shift { int by, y0, y1, saved; };	/* rows y0..y1 are moved up by `by` rows */

static void best_shift(const struct screen_state *n, const int *cost, int by, struct shift *best)
{
	int sum = 0, from = 0;
	for (int y = 0; y < n->rows; y++) {
		if (y + by < 0 || y + by >= n->rows) {
			sum = 0;
			continue;
		}
		if (!sum)
			from = y;
		sum += cost[y];
		sum -= count_changed(n, y, y + by, sum);
		sum = sum < 0 ? 0 : sum;
		if (sum > best->saved)
			*best = (struct shift){by, from, y, sum};
	}
}

static void move_rows(struct screen_state *n, const struct shift *s, struct buf *b)
{
	static const struct paint nothing = {-1, -1, 0, 0};
	int top = s->by > 0 ? s->y0 : s->y0 + s->by, bot = s->by > 0 ? s->y1 + s->by : s->y1;
	int k = s->by > 0 ? s->by : -s->by;
	size_t row = (size_t)n->cols;
	screen_diff_put_paint(n, &nothing, b);
	buf_printf(b, "\033[%d;%dr\033[%dH", top + 1, bot + 1, (s->by > 0 ? bot : top) + 1);
	for (int i = 0; i < k; i++)
		buf_puts(b, s->by > 0 ? "\n" : "\033M");
	buf_puts(b, "\033[r");
	n->y = n->x = 0;
	struct shown *to = &n->old[(size_t)s->y0 * row];
	memmove(to, &n->old[(size_t)(s->y0 + s->by) * row], (size_t)(s->y1 - s->y0 + 1) * row * sizeof *to);
	int from = s->by > 0 ? bot - k + 1 : top;
	for (size_t i = 0; i < (size_t)k * row; i++)
		n->old[(size_t)from * row + i] = (struct shown){' ', 0, nothing};
}

void scroll_diff_write(struct screen_state *n, struct buf *b)
{
	struct shift best = {0, 0, 0, 60};	/* below that writing is cheaper */
	int cost[512], changed = 0;
	if (!n->caps.csr || n->rows > 512)
		return;
	for (int y = 0; y < n->rows; y++) {
		cost[y] = count_changed(n, y, y, n->cols);
		changed += cost[y] > 4;
	}
	if (changed < 4)
		return;
	for (int by = 1; by <= SHIFT_MAX; by++) {
		best_shift(n, cost, by, &best);
		best_shift(n, cost, -by, &best);
	}
	if (best.by)
		move_rows(n, &best, b);
}
