/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The brush is the histogram of a list and a limit. The limit is two numbers of nanoseconds, not bars: bars are counted
 * again when items change, and a limit that was restored from a view may be none of them. So a limit selects the bars
 * that overlap it when they are activated.
 */
#include "config.h"
#include "widget/brush.h"

#include "base/text/text.h"

void brush_set_bars(struct brush *b, const struct bars *bars)
{
	struct bars was = b->bars;
	b->bars = *bars;
	if (!was.on || !bars->n)
		return;
	b->bars.on = true;
	b->bars.held = was.held;
	b->bars.at = histogram_bars_at(bars, was.edge[was.at]);
	b->bars.from = histogram_bars_at(bars, was.edge[was.from]);
}

void brush_copy_limit(struct brush *to, const struct brush *from)
{
	to->limits = from->limits;
	to->lo = from->lo;
	to->hi = from->hi;
}

bool brush_same_limit(const struct brush *a, const struct brush *b)
{
	return a->limits == b->limits && (!a->limits || (a->lo == b->lo && a->hi == b->hi));
}

/* Select the bars of the limit. */
static void select_limit(struct brush *b)
{
	b->bars.from = histogram_bars_at(&b->bars, b->lo);
	b->bars.at = histogram_bars_at(&b->bars, b->hi);
	b->bars.held = b->bars.from != b->bars.at;
}

enum brush_verdict brush_command(struct brush *b, const struct act *a)
{
	bool was_on = b->bars.on;
	if (a->cmd == CMD_CANCEL && !was_on && b->limits) {
		b->limits = false;
		return BRUSH_LIMIT;
	}
	switch (histogram_bars_command(&b->bars, a, &b->lo, &b->hi)) {
	case BARS_TAKE: b->limits = true; return BRUSH_LIMIT;
	case BARS_DONE:
		if (b->bars.on && !was_on && b->limits)
			select_limit(b);
		return BRUSH_DONE;
	case BARS_PASS: break;
	}
	return BRUSH_PASS;
}

int brush_lines(const struct brush *b, int h)
{
	enum { LEAST = 4, MOST = 9, ROWS = 3 };	/* with the heading and the scale; ROWS: lines that the list keeps */
	int third = h / 3;
	return !b->bars.on || h < LEAST + ROWS ? 0 : third < LEAST ? LEAST : third < MOST ? third : MOST;
}

void brush_draw(const struct brush *b, struct grid *g, int y, int h)
{
	struct buf n = {0};
	text_count(&n, (int64_t)b->bars.all);
	int x = grid_printf(g, y, 1, ST_HEAD, 0, "durations (%s)", buf_str(&n));
	grid_text(g, y, x + 2, ST_DIM, 0, !b->bars.on ? "v selects bars" : b->bars.held ? "h l move the end of the range" : "");
	histogram_bars_draw(&b->bars, g, y + 1, 1, h - 1, g->w - 2, ST_HEAT);
	buf_free(&n);
}

void brush_put_limit(const struct brush *b, uint32_t n, struct buf *out)
{
	if (!b->limits)
		return;
	buf_puts(out, " | took ");
	if (b->lo > 0)
		text_ns(out, b->lo);
	buf_puts(out, "..");
	if (b->hi < INT64_MAX)
		text_ns(out, b->hi);
	if (n == BRUSH_UNCOUNTED)
		return;
	buf_puts(out, ": ");
	text_count(out, n);
	buf_puts(out, " of ");
	text_count(out, (int64_t)b->bars.all);
}

const char *brush_hints(const struct brush *b)
{
	if (!b->bars.on)
		return NULL;
	return b->bars.held ? "h l move  Enter only these  v only this bar  Esc leave the bars"
			    : "h l move  v start a range  Enter only these  Esc leave the bars";
}
