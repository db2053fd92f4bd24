/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The table of the pane `why`: a row for each line of the critical path, with the share of the operation's time, its
 * class and place, whose time it is, and why the operation waited for that.
 */
#include "config.h"
#include "why/internal.h"

#include "base/text/text.h"
#include "term/style.h"

#include <string.h>

enum why_col { WHY_SHARE, WHY_TIME, WHY_CLASS, WHY_WHERE, WHY_BECAUSE, WHY_WHOSE, WHY_COLS };
static const struct pane_table_column cols[WHY_COLS] = {
    [WHY_SHARE] = {"SHARE", 6, 0, LIST_NUMBER, LIST_FIRST, 0, "share", "share of the operation's time", false},
    [WHY_TIME] = {"TIME", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "time", "time of this line", false},
    [WHY_CLASS] = {"CLASS", 10, 13, LIST_TEXT, LIST_FIRST, 1, "class", "class of time", true},
    [WHY_WHERE] = {"WHERE", 14, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, "where", "function, file and line", true},
    [WHY_BECAUSE] = {"BECAUSE", 14, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, "because", "why the operation waited for it", true},
    [WHY_WHOSE] = {"WHOSE", 13, 0, LIST_TEXT, LIST_THEN, 0, "whose", "the goroutines whose time it is", true},
};

static const struct critical_line *line_of(const struct why *p, uint32_t item)
{
	return critical_lines_at(p->shown->lines, item);
}

static void put_cell(const struct why *p, uint32_t item, enum why_col col, struct buf *b)
{
	const struct critical_lines *l = p->shown->lines;
	const struct critical_line *v = line_of(p, item);
	struct buf raw = {0};
	switch (col) {
	case WHY_CLASS: buf_puts(&raw, time_class_name(v->cls)); break;
	case WHY_WHERE: critical_put_place(&raw, p->shown->of->sn->st, v->at); break;
	case WHY_WHOSE: critical_line_put_whose(l, v, &raw); break;
	case WHY_BECAUSE:
		critical_line_put_because(l, v, &raw);
		break;
	case WHY_SHARE:
	case WHY_TIME:
	case WHY_COLS: break;
	}
	text_safe(b, buf_str(&raw), raw.n);
	buf_free(&raw);
}

static void draw_cell(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct why *p = st;
	const struct critical_line *v = line_of(p, item);
	struct buf b = {0};
	if (col == WHY_SHARE) {
		int64_t all = critical_lines_total(p->shown->lines);
		buf_printf(&b, "%s%.1f%%", v->approximate ? "~" : "", text_percent(v->ns, all));
		grid_right(g, 0, w, ST_NORMAL, 0, buf_str(&b));
	} else if (col == WHY_TIME) {
		tracepane_draw_ns(g, 0, w, v->ns, 0);
	} else {
		put_cell(p, item, (enum why_col)col, &b);
		enum style s = col == WHY_CLASS ? style_of_state(time_class_state(v->cls)) : ST_NORMAL;
		tracepane_draw_text(env, g, 0, 0, w, s, &b);
	}
	buf_free(&b);
}

static int compare(const void *st, const struct pane_env *env, int col, int sign, uint32_t i, uint32_t k)
{
	const struct why *p = st;
	const struct critical_line *a = line_of(p, i), *b = line_of(p, k);
	(void)env;
	if (col == WHY_SHARE || col == WHY_TIME)
		return sign * ((a->ns > b->ns) - (a->ns < b->ns));
	struct buf x = {0}, y = {0};
	put_cell(p, i, (enum why_col)col, &x);
	put_cell(p, k, (enum why_col)col, &y);
	int c = strcmp(buf_str(&x), buf_str(&y));
	buf_free(&x);
	buf_free(&y);
	return sign * c;
}

static void put_text(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	(void)env;
	for (int c = WHY_CLASS; c < WHY_COLS; c++) {
		put_cell(st, item, (enum why_col)c, b);
		buf_putc(b, ' ');
	}
}

const struct pane_table_kind why_table = {
    .cols = cols, .ncol = WHY_COLS, .sort = WHY_SHARE, .text = put_text, .cell = draw_cell, .compare = compare};
