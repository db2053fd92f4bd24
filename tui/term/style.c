/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Mapping of meanings to colours.
 *
 * A cell has two styles: the meaning of the text and the meaning of its background. Only this file
 * maps them to numbers, by theme (dark, light, contrast, mono) and number of colours. The 256 palette
 * is used as xterm defines it, from 16 up: the first sixteen depend on the user's scheme. True colour
 * is not used: the palette is sufficient, works in every multiplexer and takes fewer bytes.
 *
 * The hues of states are those of Okabe and Ito, so that eyes without red, green or blue cones tell
 * them apart; red is for a problem only. Text has a contrast of at least 4.5 to 1 to its background:
 * the table has foregrounds that are readable on the terminal's background and on the selected row.
 * On another background, text that would have less, or has the terminal's default foreground, which
 * is unknown, is black or white: one of the two always has 4.5 to 1. Dim text is a colour, because
 * what a terminal makes of the attribute is unknown too.
 */
#include "config.h"
#include "term/style.h"

#include "base/intern.h"

#include <string.h>

enum { B = AT_BOLD, D = AT_DIM, R = AT_REVERSE, U = AT_UNDERLINE };

struct style_row {
	int16_t c[TH_MONO][3];	/* theme; foreground, tone 1, tone 2 */
	int8_t eight;
	uint8_t attr8, mono_fg, mono_bg;
};

static const struct style_row rows[ST__N] = {
#define STYLE(id, d0, d1, d2, l0, l1, l2, c0, c1, c2, eight, attr8, mono_fg, mono_bg) \
	{{{d0, d1, d2}, {l0, l1, l2}, {c0, c1, c2}}, eight, attr8, mono_fg, mono_bg},
#include "term/style.def"
#undef STYLE
};

const char *const style_theme_names[TH__N] = {"dark", "light", "contrast", "mono"};

int style_find_theme(const char *name)
{
	for (int i = 0; i < TH__N; i++)
		if (!strcmp(name, style_theme_names[i]))
			return i;
	return strcmp(name, "safe") ? -1 : TH_DARK;	/* its former name */
}

void style_rgb(int c, uint8_t rgb[3])
{
	static const uint8_t level[6] = {0, 95, 135, 175, 215, 255};
	static const uint8_t first[16][3] = {{0, 0, 0}, {205, 0, 0}, {0, 205, 0}, {205, 205, 0},
	    {0, 0, 238}, {205, 0, 205}, {0, 205, 205}, {229, 229, 229}, {127, 127, 127},
	    {255, 0, 0}, {0, 255, 0}, {255, 255, 0}, {92, 92, 255}, {255, 0, 255}, {0, 255, 255},
	    {255, 255, 255}};
	if (c < 16) {
		memcpy(rgb, first[c < 0 ? 0 : c], 3);
	} else if (c < 232) {
		rgb[0] = level[(c - 16) / 36];
		rgb[1] = level[(c - 16) / 6 % 6];
		rgb[2] = level[(c - 16) % 6];
	} else {
		rgb[0] = rgb[1] = rgb[2] = (uint8_t)(8 + 10 * (c - 232));
	}
}

/* Return the relative luminance (WCAG) of a colour from 16 on. Tables, because each cell of each screen needs it. */
static double luminance(int c)
{
	static const double level[6] = {0.0000, 0.1144, 0.2423, 0.4287, 0.6795, 1.0000};
	static const double grey[24] = {0.0024, 0.0060, 0.0116, 0.0194, 0.0296, 0.0423, 0.0578, 0.0762, 0.0976, 0.1221, 0.1500, 0.1812,
	    0.2159, 0.2542, 0.2961, 0.3419, 0.3916, 0.4452, 0.5029, 0.5647, 0.6308, 0.7011, 0.7758, 0.8550};
	if (c >= 232)
		return grey[c - 232];
	c -= 16;
	return 0.2126 * level[c / 36] + 0.7152 * level[c / 6 % 6] + 0.0722 * level[c % 6];
}

double style_contrast(int a, int b)
{
	double x = luminance(a), y = luminance(b);
	return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

/* Return black or white, whichever has more contrast: both are equal at a luminance of 0.179. */
static int16_t label_on(int colour)
{
	return luminance(colour) > 0.179 ? 16 : 231;
}

/* Return whether a character is a line or block, which is seen as a shape and not read. */
static bool is_shape(uint32_t ch)
{
	return ch == ' ' || (ch >= 0x2500 && ch <= 0x259f);
}

static struct paint paint_mono(enum style fg, enum style bg, int attr)
{
	return (struct paint){-1, -1, (uint16_t)(attr | rows[fg].mono_fg | rows[bg].mono_bg), 0};
}

static struct paint paint_8(enum style fg, enum style bg, int attr)
{
	const struct style_row *f = &rows[fg], *b = &rows[bg];
	struct paint p = {f->eight, -1, (uint16_t)(attr | (fg == ST_LABEL ? 0 : f->attr8)), 0};
	if (bg == ST_NORMAL || (b->eight < 0 && !(b->attr8 & AT_REVERSE)))
		return p;
	p.attr &= (uint16_t)~AT_DIM;	/* dim on a colour is unreadable on most terminals */
	if (b->eight < 0) {
		p.attr |= AT_REVERSE;
		return p;
	}
	p.bg = b->eight;
	if (fg == ST_LABEL || p.fg == p.bg || p.fg < 0)
		p.fg = p.bg == 1 || p.bg == 4 || p.bg == 5 ? 7 : 0;
	return p;
}

/* With sixteen colours: use bright colours for what eight express by bold and dim. */
static struct paint paint_16(enum style fg, enum style bg, int attr)
{
	struct paint p = paint_8(fg, bg, attr);
	if (p.attr & AT_DIM && p.fg < 0 && p.bg < 0) {
		p.attr &= (uint16_t)~AT_DIM;
		p.fg = 8;
	} else if (p.attr & AT_BOLD && !(attr & AT_BOLD) && p.fg > 0 && p.fg < 7 && p.bg < 0) {
		p.attr &= (uint16_t)~AT_BOLD;
		p.fg = (int16_t)(p.fg + 8);
	}
	return p;
}

static struct paint paint_256(enum theme theme, enum style fg, enum style bg, int tone, int attr)
{
	if (attr & AT_DIM && bg != ST_SELECT) {
		fg = ST_DIM;
		bg = bg == ST_NORMAL ? bg : ST_DIM;
	}
	struct paint p = {rows[fg].c[theme][0], rows[bg].c[theme][tone], (uint16_t)(attr & ~AT_DIM), 0};
	if (fg == ST_TITLE || fg == ST_KEY || fg == ST_ERROR)
		p.attr |= AT_BOLD;
	if (p.bg >= 0 && (p.fg < 0 || fg == ST_LABEL || style_contrast(p.fg, p.bg) < 4.5))
		p.fg = label_on(p.bg);
	else if (fg == ST_LABEL)
		p.fg = -1;
	return p;
}

struct paint style_paint(const struct look *l, enum style fg, enum style bg, int attr)
{
	int tone = attr & AT_TONE ? 2 : 1;
	attr &= AT_BOLD | AT_DIM | AT_REVERSE | AT_UNDERLINE;
	if (fg == ST_PROBLEM || fg == ST_NOTICE) {
		bg = fg;
		fg = ST_LABEL;
	}
	if (!l->colours || l->theme == TH_MONO)
		return paint_mono(fg, bg, attr);
	if (l->colours < 256)
		return l->colours < 16 ? paint_8(fg, bg, attr) : paint_16(fg, bg, attr);
	return paint_256(l->theme, fg, bg, tone, attr);
}

struct paint style_cell_paint(const struct look *l, const struct cell *c)
{
	enum style fg = (enum style)c->fg, bg = (enum style)c->bg;
	bool shape = is_shape(c->ch);
	/* with few colours the selection is reversed: a block of a bar in its own colour would appear inverted */
	if (l->colours < 256 && bg == ST_SELECT && c->ch >= 0x2580 && c->ch <= 0x259f)
		fg = ST_NORMAL;
	if (l->colours < 256 && bg >= ST_S_NONE && !shape && (fg == ST_NORMAL || fg == ST_TITLE || fg == ST_KEY))
		fg = ST_LABEL;
	struct paint p = style_paint(l, fg, bg, c->attr);
	if (l->colours >= 256 && l->theme != TH_MONO && shape && fg != ST_LABEL && !(c->attr & AT_DIM)) {
		const int16_t *of = rows[fg].c[l->theme];
		int16_t colour = fg >= ST_S_NONE && of[1] >= 0 ? of[1] : of[0];
		p.fg = colour >= 0 ? colour : p.fg;
	}
	return p;
}

enum style style_of_state(enum tstate t)
{
	static const uint8_t of[TS__N] = {[TS_NONE] = ST_S_NONE,
	    [TS_IDLE] = ST_S_IDLE,
	    [TS_RUN] = ST_S_RUN,
	    [TS_GCWORK] = ST_S_GC,
	    [TS_ASSIST] = ST_S_ASSIST,
	    [TS_SWEEP] = ST_S_ASSIST,
	    [TS_STW] = ST_S_STW,
	    [TS_READY] = ST_S_READY,
	    [TS_SYSCALL] = ST_S_SYSCALL,
	    [TS_SYSBLOCK] = ST_S_SYSCALL,
	    [TS_SYNC] = ST_S_SYNC,
	    [TS_COND] = ST_S_SYNC,
	    [TS_NET] = ST_S_NET,
	    [TS_SLEEP] = ST_S_SLEEP,
	    [TS_GCASSISTW] = ST_S_GC,
	    [TS_GCSWEEPW] = ST_S_GC,
	    [TS_GCEND] = ST_S_GC,
	    [TS_GCWEAK] = ST_S_GC,
	    [TS_UNKNOWN] = ST_S_UNKNOWN};
	if (t >= TS__N)
		return ST_S_UNKNOWN;
	return of[t] ? of[t] : ST_S_CHAN;
}

char style_state_letter(enum tstate t)
{
	static const char of[TS__N] = {
#define STATE(id, letter, name, reason) letter,
#include "state.def"
#undef STATE
	};
	return t < TS__N ? of[t] : '?';
}

const char *style_state_name(enum tstate t)
{
	static const char *const of[TS__N] = {
#define STATE(id, letter, name, reason) name,
#include "state.def"
#undef STATE
	};
	return t < TS__N ? of[t] : "unknown";
}

/* Return the length of the package name in a symbol: up to the first dot after the last slash, before brackets
   (type arguments, which may contain paths). */
static size_t package_len(const char *s, size_t n)
{
	size_t end = n, dot = 0, from = 0;
	for (size_t i = 0; i < n; i++)
		if (s[i] == '[' || s[i] == '(') {
			end = i;
			break;
		}
	for (size_t i = 0; i < end; i++)
		if (s[i] == '/')
			from = i;
	for (dot = from; dot < end && s[dot] != '.'; dot++)
		;
	return dot;
}

static bool has_prefix(const char *s, size_t n, const char *with)
{
	size_t k = strlen(with);
	return n >= k && !memcmp(s, with, k);
}

enum style style_of_symbol(const char *s, size_t n, int *attr)
{
	size_t k = package_len(s, n), first = 0;
	bool dotted = false;
	*attr = intern_hash_bytes(s, n, 1) & 1 ? AT_TONE : 0;
	for (; first < k && s[first] != '/'; first++)
		dotted |= s[first] == '.';
	if (has_prefix(s, k, "main") && (k == 4 || s[4] == '/'))
		return ST_MAINPKG;
	if (has_prefix(s, k, "runtime") && (k == 7 || s[7] == '/'))
		return ST_RUNTIME;
	if (has_prefix(s, k, "internal/runtime/"))
		return ST_RUNTIME;
	if (!dotted && k < n)	/* an import path without a dot in its first element: the standard library */
		return ST_STDLIB;
	return (enum style)(ST_HUE0 + intern_hash_bytes(s, k, 7) % 12);
}
