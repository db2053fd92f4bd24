/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Cells, clipping and text.
 *
 * A grid is a screen in memory: rows x cols cells, each with a character and two styles, and a clip
 * rectangle to which drawing is relative. Each cell always has a printable character; a wide
 * character is a cell and a right half (ch 0), and overwriting one half blanks the other. So output
 * code needs no checks and a half-drawn screen cannot exist.
 *
 * Text comes from files. It is made safe here, at the last step before the screen, not where it is
 * read: control bytes, bytes that are not UTF-8 and format characters are shown as \xNN. With ascii
 * set, the characters that panes draw with (lines, blocks, arrows) are converted to ASCII, one for
 * one, so that panes need no second version.
 */
#include "config.h"
#include "term/grid.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "term/style.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CUT_LEAST = 4 };	/* least cells of a text whose cut is marked */

static const struct cell blank = {' ', 0, ST_NORMAL, ST_NORMAL, 0};

struct grid *grid_new(int rows, int cols, bool ascii)
{
	struct grid *g = xcalloc(1, sizeof *g);
	g->ascii = ascii;
	grid_resize(g, rows, cols);
	return g;
}

void grid_strip(struct grid *g, int rows, int cols, int from, int to)
{
	g->rows = g->h = rows < 1 ? 1 : rows;
	g->cols = g->w = cols < 1 ? 1 : cols;
	g->y0 = g->x0 = g->focus_y = g->focus_x = 0;
	g->from = from;
	g->to = to;
	g->scrolls = false;
	g->nhead = 0;
	g->cell = xrealloc(g->cell, ((size_t)(to - from) * (size_t)g->cols + 1) * sizeof *g->cell);
	for (int i = 0; i < (to - from) * g->cols; i++)
		g->cell[i] = blank;
}

void grid_resize(struct grid *g, int rows, int cols)
{
	grid_strip(g, rows, cols, 0, rows < 1 ? 1 : rows);
}

void grid_free(struct grid *g)
{
	if (g)
		mem_free(g->cell);
	mem_free(g);
}

/* Return the part of r in the clip rectangle. */
static struct rect clip_rect(const struct grid *g, struct rect r)
{
	int y1 = r.y + r.h, x1 = r.x + r.w;
	r.y = r.y < 0 ? 0 : r.y > g->h ? g->h : r.y;
	r.x = r.x < 0 ? 0 : r.x > g->w ? g->w : r.x;
	r.h = (y1 > g->h ? g->h : y1) - r.y;
	r.w = (x1 > g->w ? g->w : x1) - r.x;
	r.h = r.h < 0 ? 0 : r.h;
	r.w = r.w < 0 ? 0 : r.w;
	return r;
}

/* Return the part of that in stored rows. */
static struct rect kept_rows(const struct grid *g, struct rect r)
{
	r = clip_rect(g, r);
	int end = r.y + r.h, from = g->from - g->y0, to = g->to - g->y0;
	r.y = r.y < from ? from : r.y;
	end = end > to ? to : end;
	r.h = end > r.y ? end - r.y : 0;
	return r;
}

struct rect grid_clip(struct grid *g, struct rect r)
{
	struct rect old = {g->y0, g->x0, g->h, g->w};
	r = clip_rect(g, r);
	g->y0 += r.y;
	g->x0 += r.x;
	g->h = r.h;
	g->w = r.w;
	return old;
}

void grid_unclip(struct grid *g, struct rect old)
{
	g->y0 = old.y;
	g->x0 = old.x;
	g->h = old.h;
	g->w = old.w;
}

/* Before a cell is overwritten: blank the other half of its wide character. */
static void break_wide(struct grid *g, struct cell *c)
{
	long i = c - g->cell;
	int x = (int)(i % g->cols);
	if (c->ch == 0 && x > 0)
		c[-1].ch = ' ';
	if (x + 1 < g->cols && c[1].ch == 0 && c->ch != 0)
		c[1].ch = ' ';
}

/* Return the ASCII replacement of a character. */
static uint32_t to_ascii(uint32_t ch)
{
	static const struct {
		uint16_t from;
		char to;
	} map[] = {{0xa0, ' '}, {0xb5, 'u'}, {0xb7, '.'}, {0xd7, 'x'}, {0x3bc, 'u'}, {0x2013, '-'},
	    {0x2014, '-'}, {0x2022, '*'}, {0x2026, '~'}, {0x2190, '<'}, {0x2191, '^'},
	    {0x2192, '>'}, {0x2193, 'v'}, {0x2212, '-'}, {0x2265, '>'}, {0x2264, '<'},
	    {0x2500, '-'}, {0x2501, '='}, {0x2502, '|'}, {0x2503, '|'}, {0x250c, '+'},
	    {0x2510, '+'}, {0x2514, '+'}, {0x2518, '+'}, {0x251c, '+'}, {0x2524, '+'},
	    {0x252c, '+'}, {0x2534, '+'}, {0x253c, '+'}, {0x2575, '\''}, {0x2577, '.'},
	    {0x257d, '!'}, {0x2581, '_'}, {0x2582, '.'}, {0x2583, '-'}, {0x2584, '-'},
	    {0x2585, '='}, {0x2586, '='}, {0x2587, '^'}, {0x2588, '#'}, {0x2589, '#'},
	    {0x258a, '#'}, {0x258b, '#'}, {0x258c, '#'}, {0x258d, '|'}, {0x258e, '|'},
	    {0x258f, '|'}, {0x2591, '.'}, {0x2592, ':'}, {0x2593, '%'}, {0x2594, '"'},
	    {0x2595, '|'}, {0x25b2, '^'}, {0x25b6, '>'}, {0x25b8, '>'}, {0x25bc, 'v'},
	    {0x25c0, '<'}, {0x25cf, '*'}, {0x2713, 'x'}};
	if (ch < 0x7f)
		return ch;
	for (size_t i = 0; i < sizeof map / sizeof *map; i++)
		if (map[i].from == ch)
			return (uint32_t)map[i].to;
	return '?';
}

static int put_char(struct grid *g, int y, int x, uint32_t ch, enum style fg, enum style bg, int attr)
{
	int w = ch < 0x80 ? 1 : text_cp_width(ch);
	if (g->ascii && ch >= 0x7f)
		ch = to_ascii(ch), w = w == 2 ? 2 : 1;
	if (ch < ' ' || ch == 0x7f || w < 1)
		ch = ' ', w = 1;
	struct cell *c = grid_at(g, y, x);
	if (!c)
		return w;
	if (w == 2 && (x + 1 >= g->w || (g->ascii && ch < 0x80))) {
		break_wide(g, c);	/* no room for the right half, or one ASCII character replaces it */
		*c =
		    (struct cell){ch < 0x80 ? ch : ' ', 0, (uint8_t)fg, (uint8_t)bg, (uint8_t)attr};
		if (x + 1 < g->w)
			put_char(g, y, x + 1, ' ', fg, bg, attr);
		return 2;
	}
	break_wide(g, c);
	*c = (struct cell){ch, 0, (uint8_t)fg, (uint8_t)bg, (uint8_t)attr};
	if (w == 2) {
		break_wide(g, c + 1);
		c[1] = (struct cell){0, 0, (uint8_t)fg, (uint8_t)bg, (uint8_t)attr};
	}
	return w;
}

void grid_put(struct grid *g, int y, int x, uint32_t ch, enum style fg, enum style bg, int attr)
{
	put_char(g, y, x, ch, fg, bg, attr);
}

/* Put text on the existing background, so that a label can be drawn on a bar. */
static int put_text(struct grid *g, int y, int x, uint32_t ch, enum style fg, int attr)
{
	const struct cell *c = grid_at(g, y, x);
	int tone = c ? c->attr & AT_TONE : 0;
	return put_char(g, y, x, ch, fg, c ? (enum style)c->bg : ST_NORMAL, attr | tone);
}

/* Mark that text was cut at the edge, if enough of it is visible. */
static void cut_sign(struct grid *g, int y, int x0, enum style st, int attr, const char *rest, size_t n)
{
	const struct cell *last = grid_at(g, y, g->w - 1);
	if (!last || g->w - (x0 > 0 ? x0 : 0) < CUT_LEAST)
		return;
	for (size_t i = 0; i < n; i++)
		if (rest[i] != ' ') {
			put_char(g, y, g->w - 1, 0x2026, st, (enum style)last->bg, attr | (last->attr & AT_TONE));
			return;
		}
}

int grid_textn(struct grid *g, int y, int x, enum style st, int attr, const char *s, size_t n)
{
	int x0 = x;
	size_t i = 0;
	while (i < n && x < g->w) {
		uint32_t cp;
		size_t k = text_decode_utf8(s + i, n - i, &cp);
		int w = text_cp_width(cp);
		if (text_is_escaped(cp, k)) {
			char hex[4 * 4 + 1];	/* at most four bytes, each as \xNN */
			text_safe_fit(hex, sizeof hex, s + i, k);
			for (const char *h = hex; *h; h++)
				x += put_text(g, y, x, (unsigned char)*h, st, attr);
		} else if (w == 0) {
			struct cell *c = grid_at(g, y, x - 1);
			if (c && c->ch == 0)
				c = grid_at(g, y, x - 2);
			if (c && c->mark == 0 && !g->ascii)
				c->mark = cp;
		} else {
			x += put_text(g, y, x, cp, st, attr);
		}
		i += k;
	}
	if (i < n)
		cut_sign(g, y, x0, st, attr, s + i, n - i);
	return x;
}

int grid_text(struct grid *g, int y, int x, enum style st, int attr, const char *s)
{
	return grid_textn(g, y, x, st, attr, s, strlen(s));
}

int grid_printf(struct grid *g, int y, int x, enum style st, int attr, const char *fmt, ...)
{
	char tmp[1024];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(tmp, sizeof tmp, fmt, ap);
	va_end(ap);
	if (n < 0)
		return x;
	return grid_textn(
	    g, y, x, st, attr, tmp, (size_t)n < sizeof tmp ? (size_t)n : sizeof tmp - 1);
}

void grid_line(struct grid *g, int y, int x, enum style st, int attr, const struct buf *line)
{
	struct buf b = {0};
	if (line->n && x < g->w)
		text_fit_line(&b, line->p, line->n, (size_t)(g->w - x), g->ascii);
	grid_textn(g, y, x, st, attr, b.p ? b.p : "", b.n);
	buf_free(&b);
}

void grid_right(struct grid *g, int y, int x1, enum style st, int attr, const char *s)
{
	int x = x1 - (int)text_width(s, strlen(s));
	if (x >= 0) {
		grid_text(g, y, x, st, attr, s);
		return;
	}
	struct rect old = grid_clip(g, (struct rect){y, 0, 1, x1});	/* the end is cut and marked */
	grid_text(g, 0, 0, st, attr, s);
	grid_unclip(g, old);
}

void grid_fill(struct grid *g, struct rect r, uint32_t ch, enum style bg, int attr)
{
	r = kept_rows(g, r);
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			put_char(g, y, x, ch, ch == ' ' ? ST_NORMAL : bg, ch == ' ' ? bg : ST_NORMAL,
			    attr);
}

void grid_clear(struct grid *g)
{
	grid_fill(g, (struct rect){0, 0, g->h, g->w}, ' ', ST_NORMAL, 0);
}

void grid_attr(struct grid *g, struct rect r, int set)
{
	r = kept_rows(g, r);
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			grid_at(g, y, x)->attr |= (uint8_t)set;
}

void grid_back(struct grid *g, struct rect r, enum style bg)
{
	r = kept_rows(g, r);
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			grid_at(g, y, x)->bg = (uint8_t)bg;
}

void grid_select(struct grid *g, struct rect r)
{
	r = kept_rows(g, r);
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++) {
			struct cell *c = grid_at(g, y, x);
			c->bg = c->bg == ST_NORMAL ? ST_SELECT : c->bg;
			c->attr |= AT_BOLD;
		}
}

void grid_focus(struct grid *g, int y, int x)
{
	if (y < 0 || y >= g->h || x < 0 || x >= g->w)
		return;
	g->focus_y = g->y0 + y;
	g->focus_x = g->x0 + x;
}

void grid_head(struct grid *g, int y, int x, int w, const char *word, bool sorted)
{
	if (g->nhead < GRID_HEADS)
		g->head[g->nhead++] = (struct grid_head){g->y0 + y, g->x0 + x, w, word, sorted};
}

const struct grid_head *grid_head_at(const struct grid *g, int y, int x)
{
	for (int i = 0; i < g->nhead; i++)
		if (y == g->head[i].y && x >= g->head[i].x && x < g->head[i].x + g->head[i].w)
			return &g->head[i];
	return NULL;
}

void grid_bar(struct grid *g, int y, int x, int w, double share, enum style st)
{
	share = share >= 0 ? share : 0;	/* also for NaN */
	share = share > 1 ? 1 : share;
	int eighths = (int)(share * w * 8 + 0.5);
	if (eighths == 0 && share > 0 && !g->ascii)
		eighths = 1;
	if (g->ascii)
		eighths = (eighths + 4) / 8 * 8;
	for (int i = 0; i < w && eighths > 0; i++, eighths -= 8) {
		uint32_t ch = eighths >= 8 ? 0x2588 : 0x2590 - (uint32_t)eighths;
		const struct cell *c = grid_at(g, y, x + i);
		if (c)
			put_char(g, y, x + i, ch, st, (enum style)c->bg, 0);
	}
}

void grid_level(struct grid *g, int y, int x, double level, enum style fg, enum style bg)
{
	int k = level > 0 ? (int)(level * 8 + 0.5) : 0;
	k = k > 8 ? 8 : k == 0 && level > 0 ? 1 : k;
	if (g->ascii)
		put_char(g, y, x, (uint32_t)" _..-==^#"[k], fg, bg, 0);
	else
		put_char(g, y, x, k ? 0x2580 + (uint32_t)k : ' ', fg, bg, 0);
}

static void print_sgr(struct buf *b, const struct paint *p, int colours)
{
	buf_puts(b, "\033[0");
	if (p->attr & AT_BOLD)
		buf_puts(b, ";1");
	if (p->attr & AT_DIM)
		buf_puts(b, ";2");
	if (p->attr & AT_UNDERLINE)
		buf_puts(b, ";4");
	if (p->attr & AT_REVERSE)
		buf_puts(b, ";7");
	if (p->fg >= 0)
		buf_printf(b, colours < 256 ? ";%d" : ";38;5;%d", p->fg + (colours >= 256 ? 0 : p->fg < 8 ? 30 : 82));
	if (p->bg >= 0)
		buf_printf(b, colours < 256 ? ";%d" : ";48;5;%d", p->bg + (colours < 256 ? 40 : 0));
	buf_putc(b, 'm');
}

static bool is_plain(const struct cell *c)
{
	return c->ch == ' ' && c->bg == ST_NORMAL && !(c->attr & (AT_REVERSE | AT_UNDERLINE));
}

static void print_char(struct buf *b, uint32_t cp)
{
	char u[4];
	buf_put(b, u, text_encode_utf8(cp, u));
}

void grid_print(const struct grid *g, struct buf *b, const struct look *look)
{
	for (int y = 0; y < g->rows; y++) {
		const struct cell *row = &g->cell[y * g->cols];
		struct paint now = {-1, -1, 0, 0};
		int n = g->cols;
		while (n > 0 && (look ? is_plain(&row[n - 1]) : row[n - 1].ch == ' '))
			n--;
		for (int x = 0; x < n; x++) {
			const struct cell *c = &row[x];
			if (!c->ch)
				continue;
			struct paint p = now;
			if (look)
				p = style_cell_paint(look, c);
			if (p.fg != now.fg || p.bg != now.bg || p.attr != now.attr)
				print_sgr(b, &p, look->colours);
			now = p;
			print_char(b, c->ch);
			if (c->mark)
				print_char(b, c->mark);
		}
		if (now.fg >= 0 || now.bg >= 0 || now.attr)
			buf_puts(b, "\033[0m");
		buf_putc(b, '\n');
	}
}
