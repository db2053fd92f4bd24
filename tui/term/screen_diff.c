/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Updating the terminal from one screen to the next.
 *
 * A copy of what the terminal shows is kept, as paints and characters. A new grid is compared with
 * it row by row; differences are written, and the cursor and the colours are tracked so that
 * nothing is sent twice. A blank only shows its background, so its foreground and weight are
 * ignored: words of one colour stay one run, which saves most. Rows that have moved up or down
 * together (a list that scrolls) are moved by the terminal.
 *
 * curses could do this. But it resets all attributes and the character set for each change of
 * colour (20 bytes instead of 5) and never scrolls a part of the screen.
 *
 * The last cell of a terminal that wraps at once is left blank: a character there would scroll.
 *
 * As in curses, the terminal's repeat is only used for ASCII: tmux 3.3 with TERM=xterm repeats
 * blocks wrongly.
 *
 * The cursor's column is unknown after characters whose width differs between terminals, so that a
 * wrong assumption affects a cell and not a line.
 */
#include "config.h"
#include "term/screen_diff.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "term/screen_diff_internal.h"

#include <string.h>

enum { AT_SHOWN = AT_BOLD | AT_DIM | AT_REVERSE | AT_UNDERLINE };

struct screen_state *screen_diff_new(const struct screen_diff_caps *caps)
{
	struct screen_state *n = xcalloc(1, sizeof *n);
	n->caps = *caps;
	n->ways = xcalloc(CODES_CACHED + 1u, sizeof *n->ways);
	return n;
}

void screen_diff_free(struct screen_state *n)
{
	if (!n)
		return;
	mem_free(n->old);
	mem_free(n->now);
	buf_free(&n->way);
	buf_free(&n->other);
	buf_free(&n->row);
	buf_free(&n->whole);
	buf_free(&n->best);
	mem_free(n->keep);
	mem_free(n->all);
	mem_free(n->todo);
	mem_free(n->ways);
	mem_free(n);
}

void screen_diff_set_rgb(struct screen_state *n, bool on)
{
	n->caps.rgb = on;
	memset(n->ways, 0, CODES_CACHED * sizeof *n->ways);
	screen_diff_forget(n);
}

void screen_diff_forget(struct screen_state *n)
{
	n->rows = 0;
}

/* ---- the new screen */

static struct shown shown_of(const struct screen_state *n, const struct cell *c, const struct look *look)
{
	struct shown s = {c->ch, c->mark, style_cell_paint(look, c)};
	s.p.attr &= n->caps.dim ? AT_SHOWN : AT_SHOWN & ~AT_DIM;
	if (c->ch == ' ' && !(s.p.attr & (AT_REVERSE | AT_UNDERLINE))) {
		s.p.fg = -1;	/* invisible: all blanks of a background are equal */
		s.p.attr = 0;
	}
	return s;
}

/* ---- paints */

/* Return the codes for p; NULL: none are needed. Cached, because a screen has few colours and alternates between
   them. */
static const struct screen_diff_codes *codes_for(struct screen_state *n, const struct paint *p)
{
	const struct paint *now = &n->sgr_state.p;
	if (!n->sgr_state.fresh && paint_same(now, p))
		return NULL;
	uint32_t h = (uint32_t)(now->fg * 5 + now->bg * 11 + now->attr * 23 + p->fg * 31 + p->bg * 43 + p->attr * 59) %
	    CODES_CACHED;
	struct screen_diff_codes *w = &n->ways[h];
	if (!n->sgr_state.fresh && w->n && paint_same(&w->from, now) && paint_same(&w->to, p))
		return w;
	sgr_put_change(&n->caps, &n->sgr_state, p, &n->way, &n->other);
	*w = (struct screen_diff_codes){.from = *now, .to = *p};
	w->s[w->n++] = '\033';
	w->s[w->n++] = '[';
	for (size_t i = 0; i < n->way.n && w->n + 1u < sizeof w->s; i++)
		w->s[w->n++] = n->way.p[i];
	w->s[w->n++] = 'm';
	if (!n->sgr_state.fresh)
		return w;
	n->ways[CODES_CACHED] = *w;		/* a copy, because the cached way is from a known state */
	w->n = 0;
	return &n->ways[CODES_CACHED];
}

void screen_diff_put_paint(struct screen_state *n, const struct paint *p, struct buf *b)
{
	const struct screen_diff_codes *w = codes_for(n, p);
	if (!w)
		return;
	buf_put(b, w->s, w->n);
	n->sgr_state = (struct sgr_state){*p, false};
}

/* Set the paint for a cell. A blank only needs the right background and keeps the rest of the current paint,
   unless a reset is shorter. */
static void paint_for(struct screen_state *n, const struct shown *s, struct buf *b)
{
	if (shown_blank(s) && !n->sgr_state.fresh) {
		struct paint p = {n->sgr_state.p.fg, s->p.bg, n->sgr_state.p.attr & (AT_BOLD | AT_DIM), 0};
		const struct screen_diff_codes *w = codes_for(n, &p);
		size_t keep = w ? w->n : 0;
		if (!keep || keep <= ((w = codes_for(n, &s->p)) ? w->n : 0)) {
			screen_diff_put_paint(n, &p, b);
			return;
		}
	}
	screen_diff_put_paint(n, &s->p, b);
}

/* ---- the cursor */

/* Append ESC [ k c. */
static void put_csi(struct buf *b, int k, char c)
{
	buf_puts(b, "\033[");
	buf_u64(b, (unsigned)k);
	buf_putc(b, c);
}

static bool plain_char(uint32_t ch)
{
	return ch >= ' ' && ch < 0x7f;
}

/* Write unchanged cells between the cursor and x again if that is shorter than a move. */
static bool step_over(struct screen_state *n, int y, int x, struct buf *b)
{
	const struct shown *row = &n->old[y * n->cols];
	if (n->y != y || n->x < 0 || x - n->x > 4 || n->sgr_state.fresh)
		return false;
	for (int i = n->x; i < x; i++) {
		bool fits = shown_blank(&row[i]) ? row[i].p.bg == n->sgr_state.p.bg &&
		    !(n->sgr_state.p.attr & (AT_REVERSE | AT_UNDERLINE))
					   : paint_same(&row[i].p, &n->sgr_state.p);
		if (!fits || !plain_char(row[i].ch) || row[i].mark)
			return false;
	}
	for (int i = n->x; i < x; i++)
		buf_putc(b, (char)row[i].ch);
	return true;
}

static void move_cursor(struct screen_state *n, int y, int x, struct buf *b)
{
	if (n->y == y && n->x == x)
		return;
	if (n->y == y && n->x >= 0 && x > n->x) {
		if (!step_over(n, y, x, b)) {
			if (x - n->x == 1)
				buf_puts(b, "\033[C");
			else
				put_csi(b, x - n->x, 'C');
		}
	} else if (x == 0 && n->y >= 0 && (y == n->y || y == n->y + 1)) {
		buf_puts(b, y == n->y ? "\r" : "\r\n");
	} else {
		buf_puts(b, "\033[");
		if (y || x)
			buf_u64(b, (unsigned)y + 1);
		if (x) {
			buf_putc(b, ';');
			buf_u64(b, (unsigned)x + 1);
		}
		buf_putc(b, 'H');
	}
	n->y = y;
	n->x = x;
}

/* ---- rows */

static size_t put_cell(struct buf *b, const struct shown *s)
{
	char u[4];
	if (plain_char(s->ch) && !s->mark) {
		buf_putc(b, (int)s->ch);
		return 1;
	}
	size_t k = text_encode_utf8(s->ch, u);
	buf_put(b, u, k);
	if (s->mark) {
		char m[4];
		buf_put(b, m, text_encode_utf8(s->mark, m));
	}
	return k;
}

/* Return whether terminals agree that the character takes one cell. */
static bool width_is_sure(const struct shown *s)
{
	uint32_t c = s->ch;
	return !s->mark && (c < 0x7f || (c >= 0x2500 && c < 0x2600) || (c >= 0x2800 && c < 0x2900) ||
			       c == 0x2026 || (c >= 0x2190 && c < 0x2200));
}

static int digit_count(int k) { return k < 10 ? 1 : k < 100 ? 2 : 3; }

/* Write a run of equal cells from x on. */
static void put_run(struct screen_state *n, int y, int x, int run, struct buf *b)
{
	const struct shown *s = &n->now[y * n->cols + x];
	bool ends = x + run == n->cols;
	paint_for(n, s, b);
	if (shown_blank(s) && n->caps.ech && !n->caps.rep && (n->caps.bce || s->p.bg < 0) && !ends &&
	    run > 8 + digit_count(run)) {
		put_csi(b, run, 'X');
		return;			/* the cursor has not moved */
	}
	size_t k = put_cell(b, s);
	if (n->caps.rep && s->ch < 0x7f && !s->mark && !ends &&
	    (size_t)(run - 1) * k > 3u + (size_t)digit_count(run - 1)) {
		put_csi(b, run - 1, 'b');
	} else {
		for (int i = 1; i < run; i++)
			put_cell(b, s);
	}
	n->x = ends || !width_is_sure(s) ? -1 : x + run;
}

/* Return whether the row is blank from x on, with one background. */
static bool blank_tail(const struct screen_state *n, const struct shown *row, int x)
{
	for (int i = x; i < n->cols; i++)
		if (!shown_blank(&row[i]) || row[i].p.bg != row[x].p.bg)
			return false;
	return row[x].p.bg < 0 || n->caps.bce;
}

/* Return the number of cells from x on that are equal and have to be written. */
static int run_at(const struct screen_state *n, const struct shown *now, int x)
{
	int run = 1;
	if (x + 1 < n->cols && now[x + 1].ch == 0)
		return 2;
	while (x + run < n->cols && n->todo[x + run] && shown_same(&now[x], &now[x + run]))
		run++;
	return run;
}

static bool paint_fits(const struct shown *s, const struct paint *p)
{
	return shown_blank(s) ? s->p.bg == p->bg && !(p->attr & (AT_REVERSE | AT_UNDERLINE)) : paint_same(&s->p, p);
}

/* Return the index of the deferred paint of a cell, or -1: it is not deferred. */
static int deferred_index(const struct screen_state *n, const struct shown *s)
{
	for (int i = 0; i < n->nlater && !shown_blank(s); i++)
		if (paint_same(&s->p, &n->later[i]))
			return i;
	return -1;
}

/* Return the first cell from x on with that bit in todo[]; cols: none. Most cells have none. */
static int next_todo(const struct screen_state *n, int x, uint32_t bit)
{
	typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));
	const four want = {bit, bit, bit, bit};
	for (; x < n->cols; x++) {
		while (x + 8 <= n->cols) {
			const four *v = (const four *)(n->todo + x);
			four any = (v[0] | v[1]) & want;
			if (any[0] | any[1] | any[2] | any[3])
				break;
			x += 8;
		}
		if (x < n->cols && n->todo[x] & bit)
			break;
	}
	return x < n->cols ? x : n->cols;
}

/* Write the cells of a row with one bit of todo[]. */
static void write_pass(struct screen_state *n, int y, uint32_t bit, struct buf *b)
{
	struct shown *old = &n->old[y * n->cols];
	const struct shown *now = &n->now[y * n->cols];
	for (int x = 0; x < n->cols; x++) {
		if ((x = next_todo(n, x, bit)) == n->cols)
			break;
		while (x > 0 && now[x].ch == 0)		/* the right half of a wide character: start at the left half */
			x--;
		move_cursor(n, y, x, b);
		if (n->cols - x > 3 && blank_tail(n, now, x)) {
			paint_for(n, &now[x], b);
			buf_puts(b, "\033[K");
			n->cells += (uint32_t)(n->cols - x);
			memcpy(old + x, now + x, (size_t)(n->cols - x) * sizeof *old);
			memset(n->todo + x, 0, (size_t)(n->cols - x) * sizeof *n->todo);
			return;
		}
		int run = run_at(n, now, x);
		bool wide = x + 1 < n->cols && now[x + 1].ch == 0, wraps = n->caps.wraps && x + run == n->cols;
		int written = wraps && y + 1 == n->rows ? run - 1 - wide : run;
		if (written)
			put_run(n, y, x, wide ? 1 : written, b);
		if (wide)
			n->x = -1;
		if (wraps)
			n->y = n->x = -1;
		n->cells += (uint32_t)run;
		memcpy(old + x, now + x, (size_t)run * sizeof *old);
		memset(n->todo + x, 0, (size_t)run * sizeof *n->todo);
		x += run - 1;
	}
}

enum { PAINTS_MAX = 24 };
static const uint32_t ANY = UINT32_C(1) << 31;

/* Fill in todo[] for a row: ANY if a cell has changed and is not deferred, and the bit of each of k paints that
   fits it. Neighbouring cells usually have equal paints, and so equal bits. Return the deferred paints. */
static uint32_t find_todo(struct screen_state *n, int y, const struct paint *p, int k)
{
	const struct shown *old = &n->old[y * n->cols], *now = &n->now[y * n->cols], *was = NULL;
	uint32_t bits = 0, off = 0;
	memset(n->todo, 0, (size_t)n->cols * sizeof *n->todo);
	for (int x = 0; x < n->cols; x++) {
		const struct shown *s = &now[x];
		if (shown_same(&old[x], s))
			continue;
		while (s > now && s->ch == 0)
			s--;
		if (!was || shown_blank(was) != shown_blank(s) || !paint_same(&was->p, &s->p)) {
			int i = deferred_index(n, s);
			off |= i < 0 ? 0 : UINT32_C(1) << i;
			bits = i < 0 ? ANY : 0;
			for (int m = 0; m < k && bits; m++)
				bits |= paint_fits(s, &p[m]) ? UINT32_C(1) << m : 0;
			was = s;
		}
		n->todo[x] = bits;
	}
	return off;
}

/* Get the paints of the cells to write in a row, in order; 0: not useful, or too many. */
static int row_paints(const struct screen_state *n, int y, struct paint *out)
{
	const struct shown *now = &n->now[y * n->cols];
	int k = 0, changes = 0, last = -1;
	for (int x = 0; x < n->cols; x++) {
		int i = 0;
		if (!n->todo[x])
			continue;
		if (last >= 0 && !shown_blank(&now[x]) && paint_same(&now[x].p, &out[last]))
			i = last;
		while (i < k && !paint_fits(&now[x], &out[i]))
			i++;
		changes += i != k - 1;
		if (i == k && k == PAINTS_MAX)
			return 0;
		if (i == k)
			out[k++] = now[x].p;
		last = i;
	}
	return changes > k ? k : 0;
}

/* Set the bits of k paints for the cells to write in a row. */
static void find_bits(struct screen_state *n, int y, const struct paint *p, int k)
{
	const struct shown *now = &n->now[y * n->cols], *was = NULL;
	uint32_t bits = 0;
	for (int x = 0; x < n->cols; x++) {
		const struct shown *s = &now[x];
		if (!(n->todo[x] = n->todo[n->cols + x]))
			continue;
		while (s > now && s->ch == 0)
			s--;
		if (!was || shown_blank(was) != shown_blank(s) || !paint_same(&was->p, &s->p)) {
			bits = ANY;
			for (int m = 0; m < k; m++)
				bits |= paint_fits(s, &p[m]) ? UINT32_C(1) << m : 0;
			was = s;
		}
		n->todo[x] = bits;
	}
}

/* Write a row. If it alternates between colours, writing it colour by colour with moves may be shorter: both are
   tried. Return the deferred paints. */
static uint32_t show_row(struct screen_state *n, int y, struct buf *b)
{
	struct paint p[PAINTS_MAX];
	uint32_t off = find_todo(n, y, NULL, 0);
	int k = row_paints(n, y, p);
	if (!k) {
		write_pass(n, y, ANY, b);
		return off;
	}
	struct shown *old = n->old + (size_t)y * (size_t)n->cols;
	size_t row = (size_t)n->cols * sizeof *n->old;
	struct screen_state at = *n;
	memcpy(n->keep, old, row);
	memcpy(n->todo + n->cols, n->todo, (size_t)n->cols * sizeof *n->todo);
	buf_reset(&n->row);
	write_pass(n, y, ANY, &n->row);
	struct screen_state one = *n;
	memcpy(n->keep + n->cols, old, row);
	memcpy(old, n->keep, row);
	n->y = at.y, n->x = at.x, n->sgr_state = at.sgr_state, n->cells = at.cells;
	find_bits(n, y, p, k);
	size_t from = b->n;
	for (int i = 0; i < k && b->n - from <= n->row.n; i++)
		write_pass(n, y, UINT32_C(1) << i, b);
	if (b->n - from <= n->row.n)
		return off;
	b->n = from;
	buf_put(b, n->row.p, n->row.n);
	memcpy(old, n->keep + n->cols, row);
	n->y = one.y, n->x = one.x, n->sgr_state = one.sgr_state, n->cells = one.cells;
	return off;
}

/* ---- the whole screen */

enum { ROWS_MAX = 200 };	/* with more rows nothing is deferred */

/* Write the changes row by row, then the deferred ones colour by colour. */
static void write_rows(struct screen_state *n, struct buf *b)
{
	int later = n->nlater;
	uint32_t off[ROWS_MAX];
	for (int y = 0; y < n->rows; y++) {
		uint32_t o = show_row(n, y, b);
		if (later)
			off[y] = o;
	}
	n->nlater = 0;
	for (int i = 0; i < later; i++)
		for (int y = 0; y < n->rows; y++)
			if (off[y] >> i & 1) {
				find_todo(n, y, &n->later[i], 1);
				write_pass(n, y, 1, b);
			}
	n->nlater = later;
}

/* Get paints that occur in many rows, those in most rows first; limited in number, because each is tried on all
   changes. */
static int candidate_paints(const struct screen_state *n, struct paint *out)
{
	enum { TRIED = 20000 };		/* cells; writing a screen of 80x24 in ten ways takes 19,000 */
	struct { struct paint p; int rows, last; } seen[64];
	int k = 0, m = 0, last = 0, changed = 1;
	for (int y = 0; y < n->rows; y++)
		for (int x = 0; x < n->cols; x++) {
			const struct shown *s = &n->now[y * n->cols + x];
			int i = 0;
			if (shown_blank(s) || shown_same(s, &n->old[y * n->cols + x]))
				continue;
			changed++;
			if (last < k && paint_same(&seen[last].p, &s->p))
				i = last;
			while (i < k && !paint_same(&seen[i].p, &s->p))
				i++;
			if (i == 64)
				continue;
			last = i;
			if (i == k)
				seen[k++].p = s->p, seen[i].rows = 0, seen[i].last = -1;
			seen[i].rows += seen[i].last != y;
			seen[i].last = y;
		}
	for (; m < LATER_MAX + 1 && (m + 2) * changed < TRIED; m++) {
		int best = -1;
		for (int i = 0; i < k; i++)
			if (seen[i].rows > 3 && (best < 0 || seen[i].rows > seen[best].rows))
				best = i;
		if (best < 0)
			break;
		out[m] = seen[best].p;
		seen[best].rows = 0;
	}
	return m;
}

/*
 * When a whole screen is written, each row changes colours back and forth. Cells in a colour that
 * occurs in many rows (a column of bars, a scrollbar) may take fewer bytes when they are written
 * with a move each after everything else. Each such colour is tried, and stays deferred if that was
 * shorter.
 */
static void write_screen(struct screen_state *n, struct buf *b)
{
	enum { WHOLE = 300 };	/* bytes; below that it is not worth the time */
	size_t size = (size_t)n->rows * (size_t)n->cols * sizeof *n->old;
	struct paint try[LATER_MAX + 1];
	n->nlater = 0;
	int k = n->rows > ROWS_MAX ? 0 : candidate_paints(n, try);
	struct screen_state at = *n;
	memcpy(n->all, n->old, size);
	buf_reset(&n->best);
	write_rows(n, &n->best);
	struct screen_state end = *n;	/* the terminal shows the same after any way; only cursor and paint differ */
	int keep = 0;
	for (int i = 0; i < k && n->best.n > WHOLE && keep < LATER_MAX; i++) {
		memcpy(n->old, n->all, size);
		n->y = at.y, n->x = at.x, n->sgr_state = at.sgr_state, n->cells = at.cells;
		n->nlater = keep + 1;
		n->later[keep] = try[i];
		buf_reset(&n->whole);
		write_rows(n, &n->whole);
		if (n->whole.n < n->best.n) {
			struct buf t = n->best;
			n->best = n->whole;
			n->whole = t;
			keep++;
			end = *n;
		}
	}
	n->y = end.y, n->x = end.x, n->sgr_state = end.sgr_state, n->cells = end.cells;
	buf_put(b, n->best.p, n->best.n);
}

static void start_screen(struct screen_state *n, const struct grid *g, struct buf *b)
{
	static const struct shown nothing = {' ', 0, {-1, -1, 0, 0}};
	size_t cells = (size_t)g->rows * (size_t)g->cols;
	if (n->rows == g->rows && n->cols == g->cols)
		return;
	n->rows = g->rows;
	n->cols = g->cols;
	n->old = xrealloc(n->old, cells * sizeof *n->old);
	n->now = xrealloc(n->now, cells * sizeof *n->now);
	n->all = xrealloc(n->all, cells * sizeof *n->all);
	n->keep = xrealloc(n->keep, (size_t)g->cols * 2 * sizeof *n->keep);
	n->todo = xrealloc(n->todo, (size_t)g->cols * 2 * sizeof *n->todo);
	for (size_t i = 0; i < cells; i++)
		n->old[i] = nothing;
	n->sgr_state.fresh = true;
	screen_diff_put_paint(n, &nothing.p, b);
	buf_puts(b, n->caps.csr ? "\033[r\033[H\033[J" : "\033[H\033[J");
	n->y = n->x = 0;
}

uint32_t screen_diff_write(struct screen_state *n, const struct grid *g, const struct look *look, struct buf *out)
{
	n->cells = 0;
	start_screen(n, g, out);
	for (int i = 0; i < n->rows * n->cols; i++)
		n->now[i] = shown_of(n, &g->cell[i], look);
	scroll_diff_write(n, out);
	write_screen(n, out);
	move_cursor(n, g->focus_y, g->focus_x, out);
	return n->cells;
}
