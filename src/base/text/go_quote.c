/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Quotes strings as Go's %q does, for reports whose text must equal the reference's byte for byte. Printable characters
 * come from a table of ranges, not from the C library, whose answer depends on the locale and the version. Nearly all
 * strings are plain ASCII and are copied in one piece.
 */
#include "config.h"
#include "base/text/go_quote.h"

#include "base/bsearch.h"
#include "base/text/text.h"

#include <string.h>

static const struct {
	uint32_t from, to;
} printable[] = {
#define R(a, b) {a, b},
#include "base/text/printable.def"
#undef R
};

/* As strconv.IsPrint: a letter, mark, number, punctuation mark, symbol, or the ASCII space. */
static bool is_printable(uint32_t cp)
{
	if (cp < 0xa0)
		return cp >= 0x20 && cp < 0x7f;
	struct bsearch_probe h = {.hi = sizeof printable / sizeof *printable};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, cp > printable[h.at].to);
	return h.lo < sizeof printable / sizeof *printable && cp >= printable[h.lo].from;
}

/* Return the length of the code point at s, or 0 if it is not UTF-8. */
static size_t decode_utf8(const unsigned char *s, size_t n, uint32_t *cp)
{
	size_t k = text_decode_utf8((const char *)s, n, cp);
	return k == 1 && *cp == 0xfffd ? 0 : k;		/* a real U+FFFD takes three bytes */
}

static void put_escape(struct buf *b, uint32_t cp)
{
	static const char names[] = "abtnvfr";
	if (cp >= 7 && cp <= 13) {
		buf_putc(b, '\\');
		buf_putc(b, names[cp - 7]);
	} else if (cp < 0x20 || cp == 0x7f) {
		buf_printf(b, "\\x%02x", (unsigned)cp);
	} else if (cp < 0x10000) {
		buf_printf(b, "\\u%04x", (unsigned)cp);
	} else {
		buf_printf(b, "\\U%08x", (unsigned)cp);
	}
}

void go_quote_append(struct buf *b, const char *s, size_t n)
{
	size_t i = 0;
	buf_putc(b, '"');
	while (i < n) {
		size_t plain = i;
		while (i < n && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
			i++;
		buf_put(b, s + plain, i - plain);
		if (i == n)
			break;
		uint32_t cp;
		size_t k = decode_utf8((const unsigned char *)s + i, n - i, &cp);
		if (!k) {
			buf_printf(b, "\\x%02x", (unsigned char)s[i]);
			k = 1;
		} else if (cp == '"' || cp == '\\') {
			buf_putc(b, '\\');
			buf_putc(b, (int)cp);
		} else if (is_printable(cp)) {
			buf_put(b, s + i, k);
		} else {
			put_escape(b, cp);
		}
		i += k;
	}
	buf_putc(b, '"');
}
