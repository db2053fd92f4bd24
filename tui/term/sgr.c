/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The shortest list of SGR codes from one paint to another.
 *
 * There are two ways: by steps (turn each changed attribute on or off, set each changed colour), if
 * the terminal can turn off single attributes; or by a reset followed by the whole paint. Which is
 * shorter depends on both paints, so both are written and the shorter one is used. 22 turns off
 * bold and dim together, so the one that stays is set again.
 */
#include "config.h"
#include "term/sgr.h"

#include "term/screen_diff.h"

static void put_code(struct buf *b, int k)
{
	if (b->n)
		buf_putc(b, ';');
	buf_u64(b, (unsigned)k);
}

static void put_colour(const struct screen_diff_caps *caps, struct buf *b, int c, bool back)
{
	if (c < 0) {
		put_code(b, back ? 49 : 39);
	} else if (caps->rgb) {
		uint8_t rgb[3];
		style_rgb(c, rgb);
		put_code(b, back ? 48 : 38);
		put_code(b, 2);
		for (int i = 0; i < 3; i++)
			put_code(b, rgb[i]);
	} else if (c < 8) {
		put_code(b, (back ? 40 : 30) + c);
	} else if (c < 16) {
		put_code(b, (back ? 100 : 90) + c - 8);
	} else {
		put_code(b, back ? 48 : 38);
		put_code(b, 5);
		put_code(b, c);
	}
}

static void put_attributes(struct buf *b, int on)
{
	static const struct { int at, code; } set[] = {
	    {AT_BOLD, 1}, {AT_DIM, 2}, {AT_UNDERLINE, 4}, {AT_REVERSE, 7}};
	for (size_t i = 0; i < 4; i++)
		if (on & set[i].at)
			put_code(b, set[i].code);
}

/* Write the steps from the current paint to p. */
static void by_steps(const struct screen_diff_caps *caps, const struct paint *now, const struct paint *p, struct buf *b)
{
	int off = now->attr & ~p->attr, on = p->attr & ~now->attr;
	buf_reset(b);
	if (off & (AT_BOLD | AT_DIM)) {
		put_code(b, 22);
		on |= p->attr & (AT_BOLD | AT_DIM);
	}
	if (off & AT_UNDERLINE)
		put_code(b, 24);
	if (off & AT_REVERSE)
		put_code(b, 27);
	put_attributes(b, on);
	if (p->fg != now->fg)
		put_colour(caps, b, p->fg, false);
	if (p->bg != now->bg)
		put_colour(caps, b, p->bg, true);
}

/* Write a reset followed by p. */
static void put_from_reset(const struct screen_diff_caps *caps, const struct paint *p, struct buf *b)
{
	buf_reset(b);
	if (!p->attr && p->fg < 0 && p->bg < 0)
		return;		/* an empty list is a reset */
	put_code(b, 0);
	put_attributes(b, p->attr);
	if (p->fg >= 0)
		put_colour(caps, b, p->fg, false);
	if (p->bg >= 0)
		put_colour(caps, b, p->bg, true);
}

bool sgr_put_change(const struct screen_diff_caps *caps, const struct sgr_state *now, const struct paint *p,
    struct buf *way, struct buf *other)
{
	if (!now->fresh && paint_same(&now->p, p))
		return false;
	put_from_reset(caps, p, way);
	if (now->fresh || (!caps->off && (now->p.attr & ~p->attr)) ||
	    (caps->no_default && ((p->fg < 0 && now->p.fg >= 0) || (p->bg < 0 && now->p.bg >= 0))))
		return true;
	by_steps(caps, &now->p, p, other);
	if (other->n < way->n) {
		struct buf t = *way;
		*way = *other;
		*other = t;
	}
	return true;
}
