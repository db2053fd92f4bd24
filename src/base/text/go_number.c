/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Go's number syntax. Numbers are checked by hand and then converted: strtoll() and strtod() accept other prefixes than
 * Go and no underscores, and skip blanks.
 */
#include "config.h"
#include "base/text/go_number.h"

#include "base/text/buf.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Return the base by the prefix of s, and skip the prefix: "0x", "0b", "0o". A "0" before more digits means base 8 and
   is not skipped. */
static int base_of(const char **s)
{
	static const struct { char letter; int base; } prefix[] = {{'x', 16}, {'b', 2}, {'o', 8}};
	if (**s != '0')
		return 10;
	for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
		if (((*s)[1] | 0x20) == prefix[i].letter) {
			*s += 2;
			return prefix[i].base;
		}
	return (*s)[1] ? 8 : 10;
}

/* Return the value of a digit; 16: c is not a digit. */
static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

bool go_parse_int(const char *s, int64_t *v)
{
	bool minus = *s == '-', digit, any = false;
	s += *s == '-' || *s == '+';
	const char *first = s;
	unsigned base = (unsigned)base_of(&s);
	uint64_t n = 0, most = (uint64_t)INT64_MAX + minus;
	digit = s > first;	/* an underscore must follow a digit or a prefix and precede a digit */
	for (; *s; s++) {
		unsigned d = digit_of(*s);
		if (*s == '_' && digit) {
			digit = false;
			continue;
		}
		if (d >= base || n > (most - d) / base)
			return false;
		n = n * base + d;
		any = digit = true;
	}
	if (!any || !digit)
		return false;
	*v = minus ? (int64_t)(0 - n) : (int64_t)n;
	return true;
}

/* Append digits to *b without the underscores between them, and return the end. `after`: a digit or a prefix precedes
   s. *fit is cleared if an underscore is misplaced. */
static const char *copy_digits(const char *s, unsigned base, bool after, struct buf *b, bool *fit)
{
	for (; *s == '_' || digit_of(*s) < base; s++) {
		if (*s != '_')
			buf_putc(b, *s);
		else if (!after || digit_of(s[1]) >= base)
			*fit = false;
		after = *s != '_';
	}
	return s;
}

static bool is_word(const char *s)
{
	bool sign = *s == '-' || *s == '+';
	return !strcasecmp(s + sign, "inf") || !strcasecmp(s + sign, "infinity") || !strcasecmp(s, "nan");
}

/* Append s to *b without its underscores; return whether it is written as Go writes numbers. */
static bool copy_number(const char *s, struct buf *b)
{
	bool fit = true;
	if (*s == '-' || *s == '+')
		buf_putc(b, *s++);
	bool hex = s[0] == '0' && (s[1] | 0x20) == 'x';
	unsigned base = hex ? 16 : 10;
	if (hex) {
		buf_puts(b, "0x");
		s += 2;
	}
	size_t before = b->n, point = 0;
	s = copy_digits(s, base, hex, b, &fit);
	if (*s == '.') {
		buf_putc(b, *s++);
		point = 1;
		s = copy_digits(s, base, false, b, &fit);
	}
	if (b->n == before + point)
		return false;
	if ((*s | 0x20) == (hex ? 'p' : 'e')) {
		buf_putc(b, *s++);
		if (*s == '-' || *s == '+')
			buf_putc(b, *s++);
		before = b->n;
		s = copy_digits(s, 10, false, b, &fit);
		return fit && !*s && b->n > before;
	}
	return fit && !*s && !hex;
}

bool go_parse_float(const char *s, double *v)
{
	struct buf b = {0};
	bool word = is_word(s), ok = word || copy_number(s, &b);
	double n = ok ? strtod(word ? s : buf_str(&b), NULL) : 0;
	buf_free(&b);
	if (!ok || (isinf(n) && !word))
		return false;
	*v = n;
	return true;
}
