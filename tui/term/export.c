/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Screens as files: SVG and HTML, and text with SGR sequences.
 *
 * Adjacent cells of one paint are a run: in SVG a rectangle and a text of fixed length (so that a
 * font cannot shift the following text), in HTML a span. Both have the background of the theme,
 * because a browser has no "terminal's default". The files contain no scripts and load nothing.
 * Names come from files: the five special characters of markup are escaped, and a grid has no
 * control bytes.
 */
#include "config.h"
#include "term/export.h"

#include "base/text/text.h"

#include <string.h>
#include <strings.h>

enum { CELL_W = 9, CELL_H = 18 };

struct ground { const char *fg, *bg; };

static struct ground ground_of(const struct look *l)
{
	if (l->theme == TH_LIGHT)
		return (struct ground){"#1c1c1c", "#ffffff"};
	return (struct ground){"#d0d0d0", "#121212"};
}

static void put_cells(struct buf *b, const struct cell *c, int n)
{
	struct buf text = {0};
	for (int i = 0; i < n; i++) {
		char u[8];
		size_t len = c[i].ch ? text_encode_utf8(c[i].ch, u) : 0;
		len += c[i].mark ? text_encode_utf8(c[i].mark, u + len) : 0;
		buf_put(&text, u, len);
	}
	text_xml(b, text.p, text.n);
	buf_free(&text);
}

static void put_hex(struct buf *b, int colour, const char *none)
{
	uint8_t c[3];
	if (colour < 0) {
		buf_puts(b, none);
		return;
	}
	style_rgb(colour, c);
	buf_printf(b, "#%02x%02x%02x", c[0], c[1], c[2]);
}

static bool same_paint(const struct paint *a, const struct paint *b)
{
	return a->fg == b->fg && a->bg == b->bg && a->attr == b->attr;
}

/* Return the number of cells from x on with the same paint. */
static int run_of(const struct grid *g, const struct look *l, int y, int x, struct paint *p)
{
	const struct cell *row = &g->cell[y * g->cols];
	int n = 1;
	*p = style_cell_paint(l, &row[x]);
	while (x + n < g->cols) {
		struct paint q = style_cell_paint(l, &row[x + n]);
		if (!same_paint(p, &q) && row[x + n].ch)
			break;
		n++;
	}
	return n;
}

static bool is_blank(const struct cell *c, int n)
{
	for (int i = 0; i < n; i++)
		if (c[i].ch != ' ')
			return false;
	return true;
}

/* Get the colours of a run: reverse swaps them; the terminal's default is the ground. */
static void span_colours(const struct paint *p, const struct ground *gr, struct buf *fg, struct buf *bg)
{
	bool r = p->attr & AT_REVERSE;
	buf_reset(fg);
	buf_reset(bg);
	put_hex(fg, r ? p->bg : p->fg, r ? gr->bg : gr->fg);
	put_hex(bg, r ? p->fg : p->bg, r ? gr->fg : gr->bg);
}

static void put_svg(const struct grid *g, const struct look *l, struct buf *b)
{
	struct ground gr = ground_of(l);
	struct buf fg = {0}, bg = {0};
	buf_printf(b,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
	    "font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\" font-size=\"15\" xml:space=\"preserve\">\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n",
	    g->cols * CELL_W, g->rows * CELL_H, g->cols * CELL_W, g->rows * CELL_H, gr.bg);
	for (int y = 0; y < g->rows; y++)
		for (int x = 0, n; x < g->cols; x += n) {
			struct paint p;
			n = run_of(g, l, y, x, &p);
			span_colours(&p, &gr, &fg, &bg);
			if (strcmp(buf_str(&bg), gr.bg))
				buf_printf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>",
				    x * CELL_W, y * CELL_H, n * CELL_W, CELL_H, buf_str(&bg));
			if (is_blank(&g->cell[y * g->cols + x], n))
				continue;
			buf_printf(b,
			    "<text x=\"%d\" y=\"%d\" textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\" "
			    "fill=\"%s\"%s%s%s>",
			    x * CELL_W, y * CELL_H + 14, n * CELL_W, buf_str(&fg),
			    p.attr & AT_BOLD ? " font-weight=\"bold\"" : "",
			    p.attr & AT_UNDERLINE ? " text-decoration=\"underline\"" : "",
			    p.attr & AT_DIM ? " opacity=\"0.6\"" : "");
			put_cells(b, &g->cell[y * g->cols + x], n);
			buf_puts(b, "</text>\n");
		}
	buf_puts(b, "</svg>\n");
	buf_free(&fg);
	buf_free(&bg);
}

static void put_html(const struct grid *g, const struct look *l, struct buf *b)
{
	struct ground gr = ground_of(l);
	struct buf fg = {0}, bg = {0};
	buf_printf(b,
	    "<!DOCTYPE html>\n<meta charset=\"utf-8\"><title>ttrace</title>\n"
	    "<pre style=\"color:%s;background:%s;font-family:DejaVu Sans "
	    "Mono,Menlo,Consolas,monospace;line-height:1.2;display:inline-block\">\n",
	    gr.fg, gr.bg);
	for (int y = 0; y < g->rows; y++) {
		for (int x = 0, n; x < g->cols; x += n) {
			struct paint p;
			n = run_of(g, l, y, x, &p);
			bool own = p.fg < 0 && p.bg < 0 && !p.attr;
			span_colours(&p, &gr, &fg, &bg);
			if (!own)
				buf_printf(b, "<span style=\"color:%s;background:%s%s%s%s\">", buf_str(&fg),
				    buf_str(&bg), p.attr & AT_BOLD ? ";font-weight:bold" : "",
				    p.attr & AT_UNDERLINE ? ";text-decoration:underline" : "",
				    p.attr & AT_DIM ? ";opacity:.6" : "");
			put_cells(b, &g->cell[y * g->cols + x], n);
			buf_puts(b, own ? "" : "</span>");
		}
		buf_putc(b, '\n');
	}
	buf_puts(b, "</pre>\n");
	buf_free(&fg);
	buf_free(&bg);
}

static bool has_suffix(const char *name, const char *with)
{
	size_t n = strlen(name), k = strlen(with);
	return n > k && !strcasecmp(name + n - k, with);
}

void export_screen(const struct grid *g, const struct look *l, const char *name, struct buf *b)
{
	if (has_suffix(name, ".svg"))
		put_svg(g, l, b);
	else if (has_suffix(name, ".html") || has_suffix(name, ".htm"))
		put_html(g, l, b);
	else
		grid_print(g, b, has_suffix(name, ".ans") || has_suffix(name, ".ansi") ? l : NULL);
}
