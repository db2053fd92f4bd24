/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * An emulated terminal.
 *
 * The parser is the usual one (ground, escape, CSI, string). It keeps the first sequence that it does not know, so that a
 * test can fail with its text instead of guessing its effect. Three booleans describe how terminals differ where it
 * matters to curses: whether a character in the last column delays the wrap (xenl), whether erasing takes the
 * background's colour (bce), and UTF-8.
 */
#include "config.h"
#include "vt.h"

#include "base/mem/mem.h"
#include "base/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUND, ESC, CSI, OSC, OSC_ESC, SKIP1, UTF };

static const struct vcell plain = {' ', 0, -1, -1, 0};

static struct vcell *at(struct vt *v, int y, int x) { return &v->cell[y * v->cols + x]; }

static struct vcell blank(const struct vt *v)
{
	struct vcell c = plain;
	if (v->bce)
		c.bg = v->pen.bg;
	return c;
}

void vt_resize(struct vt *v, int rows, int cols)
{
	if (v->main && (rows != v->rows || cols != v->cols)) {
		v->main = xrealloc(v->main, (size_t)rows * (size_t)cols * sizeof *v->main);
		for (int i = 0; i < rows * cols; i++)
			v->main[i] = plain;
		v->main_y = v->main_x = 0;
	}
	v->rows = rows;
	v->cols = cols;
	v->cell = xrealloc(v->cell, (size_t)rows * (size_t)cols * sizeof *v->cell);
	for (int i = 0; i < rows * cols; i++)
		v->cell[i] = plain;
	v->y = v->x = v->top = 0;
	v->bot = rows - 1;
	v->late = false;
}

struct vt *vt_new(int rows, int cols, const char *term)
{
	struct vt *v = xcalloc(1, sizeof *v);
	v->pen = plain;
	v->xenl = strcmp(term, "ansi") != 0;
	v->x10 = !strcmp(term, "rxvt");
	v->scan_keys = !strcmp(term, "cons25");
	v->bce = !strncmp(term, "xterm", 5) || !strncmp(term, "linux", 5);
	v->utf8 = true;
	vt_resize(v, rows, cols);
	return v;
}

void vt_free(struct vt *v)
{
	mem_free(v->cell);
	mem_free(v->main);
	mem_free(v->osc);
	mem_free(v);
}

/* Move the rows [y0, y1] up by n, or down by -n, and fill the rows that become free with blanks. */
static void scroll(struct vt *v, int y0, int y1, int n)
{
	int h = y1 - y0 + 1, k = n < 0 ? -n : n;
	k = k > h ? h : k;
	size_t row = (size_t)v->cols * sizeof *v->cell;
	if (n > 0)
		memmove(at(v, y0, 0), at(v, y0 + k, 0), row * (size_t)(h - k));
	else
		memmove(at(v, y0 + k, 0), at(v, y0, 0), row * (size_t)(h - k));
	int from = n > 0 ? y1 - k + 1 : y0;
	for (int i = 0; i < k * v->cols; i++)
		v->cell[from * v->cols + i] = blank(v);
}

static void down(struct vt *v)
{
	if (v->y == v->bot)
		scroll(v, v->top, v->bot, 1);
	else if (v->y < v->rows - 1)
		v->y++;
}

static void erase(struct vt *v, int y, int x0, int x1)
{
	for (int x = x0 < 0 ? 0 : x0; x < x1 && x < v->cols; x++)
		*at(v, y, x) = blank(v);
}

static void put(struct vt *v, uint32_t ch)
{
	int w = text_cp_width(ch);
	if (w == 0) {
		int x = v->late ? v->x : v->x - 1;
		if (x > 0 && at(v, v->y, x)->ch == 0)
			x--;
		if (x >= 0)
			at(v, v->y, x)->mark = ch;
		return;
	}
	if (v->late || v->x + w > v->cols) {
		v->x = 0;
		v->late = false;
		down(v);
	}
	struct vcell c = v->pen;
	c.ch = ch;
	*at(v, v->y, v->x) = c;
	if (w == 2) {
		c.ch = 0;
		*at(v, v->y, v->x + 1) = c;
	}
	v->x += w;
	if (v->x == v->cols) {
		v->x = v->cols - 1;
		v->late = true;
		if (!v->xenl) {
			v->x = 0;
			v->late = false;
			down(v);
		}
	}
}

static void unknown(struct vt *v)
{
	if (!v->unknown++)
		snprintf(v->what, sizeof v->what, "%.*s", (int)v->n, v->buf);
}

static void sgr(struct vt *v, const int *p, int n)
{
	static const uint8_t on[10] = {
	    0, VA_BOLD, VA_DIM, VA_OTHER, VA_UNDER, VA_OTHER, 0, VA_REVERSE, VA_OTHER, VA_OTHER};
	for (int i = 0; i < n; i++) {
		int k = p[i];
		if (k == 0) {
			v->pen = plain;
		} else if (k < 10) {
			v->pen.attr |= on[k];
		} else if (k >= 10 && k <= 12) {
			v->shift = 0;
			v->acs[0] = k > 10;
		} else if (k == 22) {
			v->pen.attr &= (uint8_t)~(VA_BOLD | VA_DIM);
		} else if (k == 23 || k == 25 || k == 28 || k == 29) {
			v->pen.attr &= (uint8_t)~VA_OTHER;
		} else if (k == 24) {
			v->pen.attr &= (uint8_t)~VA_UNDER;
		} else if (k == 27) {
			v->pen.attr &= (uint8_t)~VA_REVERSE;
		} else if (v->no_default && (k == 39 || k == 49)) {
			continue;
		} else if ((k >= 30 && k <= 37) || k == 39) {
			v->pen.fg = k == 39 ? -1 : k - 30;
		} else if ((k >= 40 && k <= 47) || k == 49) {
			v->pen.bg = k == 49 ? -1 : k - 40;
		} else if (k >= 90 && k <= 97) {
			v->pen.fg = k - 82;
		} else if (k >= 100 && k <= 107) {
			v->pen.bg = k - 92;
		} else if ((k == 38 || k == 48) && i + 2 < n && p[i + 1] == 5) {
			*(k == 38 ? &v->pen.fg : &v->pen.bg) = p[i + 2];
			i += 2;
		} else if ((k == 38 || k == 48) && i + 4 < n && p[i + 1] == 2) {
			*(k == 38 ? &v->pen.fg : &v->pen.bg) = 0x1000000 | p[i + 2] << 16 | p[i + 3] << 8 | p[i + 4];
			i += 4;
		} else {
			unknown(v);
		}
	}
}

/* Switch to the alternate screen, which is cleared, or back to the main screen and its cursor position. */
static void alternate(struct vt *v, bool on)
{
	size_t n = (size_t)v->rows * (size_t)v->cols * sizeof *v->cell;
	v->alt = on;
	if (on && !v->main) {
		v->main = mem_copy(v->cell, n);
		v->main_y = v->y;
		v->main_x = v->x;
		for (int y = 0; y < v->rows; y++)
			erase(v, y, 0, v->cols);
	} else if (!on && v->main) {
		memcpy(v->cell, v->main, n);
		v->y = v->main_y;
		v->x = v->main_x;
		v->late = false;
		mem_free(v->main);
		v->main = NULL;
	}
}

static void mode(struct vt *v, int k, bool on)
{
	switch (k) {
	case 1: v->appkeys = on; break;
	case 25: v->hidden = !on; break;
	case 47: case 1047: case 1049: alternate(v, on); break;
	case 1006: v->sgrmouse = on && !v->x10; break;
	case 1000: case 1002: case 1003: v->mouse = on; break;
	case 3: case 4: case 5: case 6: case 7: case 8: case 12: case 66: case 1034: case 2004: break;
	default: unknown(v);
	}
}

static int clamp(int k, int lo, int hi) { return k < lo ? lo : k > hi ? hi : k; }

static void chars(struct vt *v, int n, bool insert)
{
	n = clamp(n, 0, v->cols - v->x);
	struct vcell *c = at(v, v->y, v->x);
	size_t rest = (size_t)(v->cols - v->x - n) * sizeof *c;
	if (insert)
		memmove(c + n, c, rest);
	else
		memmove(c, c + n, rest);
	int from = insert ? v->x : v->cols - n;
	erase(v, v->y, from, from + n);
}

static void csi(struct vt *v, char f)
{
	int p[32] = {0}, n = 0;
	bool private = v->n > 2 && (v->buf[2] == '?' || v->buf[2] == '>');
	for (char *s = v->buf + 2 + private; *s && n < 32; s++) {
		p[n++] = (int)strtol(s, &s, 10);
		if (*s != ';' && *s != ':')
			break;
	}
	n = n ? n : 1;
	int one = p[0] > 0 ? p[0] : 1;
	v->late = f == 'm' || f == 'h' || f == 'l' ? v->late : false;
	if (private && f != 'h' && f != 'l')
		return;
	switch (f) {
	case 'A': v->y = clamp(v->y - one, 0, v->rows - 1); break;
	case 'B': case 'e': v->y = clamp(v->y + one, 0, v->rows - 1); break;
	case 'C': case 'a': v->x = clamp(v->x + one, 0, v->cols - 1); break;
	case 'D': v->x = clamp(v->x - one, 0, v->cols - 1); break;
	case 'G': case '`': v->x = clamp(one - 1, 0, v->cols - 1); break;
	case 'd': v->y = clamp(one - 1, 0, v->rows - 1); break;
	case 'H': case 'f':
		v->y = clamp(one - 1, 0, v->rows - 1);
		v->x = clamp((n > 1 && p[1] > 0 ? p[1] : 1) - 1, 0, v->cols - 1);
		break;
	case 'J':
		for (int y = 0; y < v->rows; y++)
			if (p[0] == 2 || (p[0] == 0 && y > v->y) || (p[0] == 1 && y < v->y))
				erase(v, y, 0, v->cols);
		if (p[0] != 2)
			erase(v, v->y, p[0] ? 0 : v->x, p[0] ? v->x + 1 : v->cols);
		break;
	case 'K': erase(v, v->y, p[0] ? 0 : v->x, p[0] == 1 ? v->x + 1 : v->cols); break;
	case 'X': erase(v, v->y, v->x, v->x + one); break;
	case 'L': scroll(v, v->y, v->bot, -one); break;
	case 'M': scroll(v, v->y, v->bot, one); break;
	case 'S': scroll(v, v->top, v->bot, one); break;
	case 'T': scroll(v, v->top, v->bot, -one); break;
	case '@': chars(v, one, true); break;
	case 'P': chars(v, one, false); break;
	case 'b': {
		uint32_t last = v->x > 0 ? at(v, v->y, v->x - 1)->ch : ' ';
		for (; one > 0; one--)
			put(v, last);
		break;
	}
	case 'I': v->x = clamp((v->x / 8 + one) * 8, 0, v->cols - 1); break;
	case 'Z': v->x = clamp(((v->x + 7) / 8 - one) * 8, 0, v->cols - 1); break;
	case 'r':
		v->top = clamp(one - 1, 0, v->rows - 1);
		v->bot = clamp((n > 1 && p[1] > 0 ? p[1] : v->rows) - 1, v->top, v->rows - 1);
		v->y = v->x = 0;
		break;
	case 'm': sgr(v, p, n); break;
	case 'h': case 'l':
		for (int i = 0; i < n && private; i++)
			mode(v, p[i], f == 'h');
		break;
	case 'c': v->asked_device++; break;
	case 't': case 'g': case 'n': case 'q': break;
	default: unknown(v);
	}
}

static void escape(struct vt *v, char c)
{
	v->state = GROUND;
	switch (c) {
	case '[': v->state = CSI; break;
	case ']': case 'P': case '_': case '^': v->state = OSC; v->nosc = 0; break;
	case '(': case ')': case '*': case '+': v->state = SKIP1; break;
	case '7': v->sy = v->y; v->sx = v->x; break;
	case '8': v->y = v->sy; v->x = v->sx; v->late = false; break;
	case 'D': down(v); break;
	case 'E': v->x = 0; down(v); break;
	case 'M':
		if (v->y == v->top)
			scroll(v, v->top, v->bot, -1);
		else if (v->y > 0)
			v->y--;
		break;
	case 'c': v->pen = plain; vt_resize(v, v->rows, v->cols); break;
	case '=': case '>': case 'H': case '\\': case '<': break;
	default: unknown(v);
	}
}

static uint32_t line_drawing(uint32_t c)
{
	static const uint16_t map[] = {0x2518, 0x2510, 0x250c, 0x2514, 0x253c, 0x23ba, 0x23bb, 0x2500, 0x23bc,
	    0x23bd, 0x251c, 0x2524, 0x2534, 0x252c, 0x2502};
	return c >= 'j' && c <= 'x' ? map[c - 'j'] : c;
}

static void control(struct vt *v, unsigned char c)
{
	switch (c) {
	case '\b': v->x -= v->x > 0; v->late = false; break;
	case '\t': v->x = clamp((v->x / 8 + 1) * 8, 0, v->cols - 1); break;
	case '\n': case '\v': case '\f': down(v); v->late = false; break;
	case '\r': v->x = 0; v->late = false; break;
	case 14: v->shift = 1; break;
	case 15: v->shift = 0; break;
	case 27: v->state = ESC; v->buf[0] = 27; v->n = 1; break;
	default: break;		/* NUL is padding, BEL is a sound; others have no effect */
	}
}

static void string(struct vt *v, char c)
{
	if (c == '\a' || (v->state == OSC_ESC && c == '\\')) {
		v->state = GROUND;
		if (v->nosc >= 4 && !memcmp(v->osc, "11;?", 4)) {
			v->asked_colour++;
			v->nosc = 0;
		}
		return;
	}
	v->state = c == 27 ? OSC_ESC : OSC;
	v->osc = xrealloc(v->osc, v->nosc + 2);
	v->osc[v->nosc++] = c;
	v->osc[v->nosc] = '\0';
}

static void ground(struct vt *v, unsigned char c)
{
	uint32_t cp;
	if (v->state == UTF) {
		v->buf[v->n++] = (char)c;
		size_t want = (unsigned char)v->buf[0] >= 0xf0 ? 4 : (unsigned char)v->buf[0] >= 0xe0 ? 3 : 2;
		if (v->n < want)
			return;
		v->state = GROUND;
		text_decode_utf8(v->buf, v->n, &cp);
		put(v, cp);
	} else if (c < ' ' || c == 127) {
		control(v, c);
	} else if (c >= 0xc0 && v->utf8) {
		v->state = UTF;
		v->buf[0] = (char)c;
		v->n = 1;
	} else {
		put(v, v->acs[v->shift] ? line_drawing(c) : c);
	}
}

void vt_feed(struct vt *v, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (v->state == GROUND || v->state == UTF) {
			ground(v, (unsigned char)s[i]);
			continue;
		}
		if (v->state == OSC || v->state == OSC_ESC) {
			string(v, s[i]);
			continue;
		}
		if (v->n < sizeof v->buf - 1)
			v->buf[v->n++] = s[i];
		v->buf[v->n] = '\0';
		if (v->state == SKIP1) {
			v->acs[v->buf[1] == ')'] = s[i] == '0';
			v->state = GROUND;
		} else if (v->state == ESC) {
			escape(v, s[i]);
		} else if (s[i] >= 0x40 && s[i] <= 0x7e) {
			v->state = GROUND;
			csi(v, s[i]);
		}
	}
}

size_t vt_print(const struct vt *v, char *out, size_t size)
{
	size_t k = 0;
	for (int y = 0; y < v->rows; y++) {
		int n = v->cols;
		while (n > 0 && v->cell[y * v->cols + n - 1].ch == ' ')
			n--;
		for (int x = 0; x < n && k + 16 < size; x++) {
			const struct vcell *c = &v->cell[y * v->cols + x];
			k += c->ch ? text_encode_utf8(c->ch, out + k) : 0;
			k += c->ch && c->mark ? text_encode_utf8(c->mark, out + k) : 0;
		}
		if (k + 2 < size)
			out[k++] = '\n';
	}
	out[k] = '\0';
	return k;
}
