/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Text for people: UTF-8, the cells it takes, and how it is shortened.
 *
 * Widths come from a table (width.def), not from wcwidth(): the result of a screen test must not depend on the locale
 * of the machine. No function trusts its input: bytes that are not UTF-8, control characters, and the format characters
 * that reorder a line (bidi overrides) are written as \xNN, so no name in a file can control the terminal.
 */
#include "config.h"
#include "base/text/text.h"

#include "base/bsearch.h"
#include "base/wrap_math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

size_t text_decode_utf8(const char *s, size_t n, uint32_t *cp)
{
	const unsigned char *p = (const unsigned char *)s;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	*cp = 0xfffd;
	if (!n)
		return 0;
	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	size_t len = p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
	if (p[0] >= 0xf5 || !len || len > n)
		return 1;
	uint32_t v = p[0] & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
		v = v << 6 | (p[i] & 0x3f);
	}
	if (v < least[len] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return 1;
	*cp = v;
	return len;
}

size_t text_encode_utf8(uint32_t cp, char out[4])
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

static const struct { uint32_t first, last; int cells; } widths[] = {
#define W(first, last, cells) {first, last, cells},
#include "base/text/width.def"
#undef W
};

const char *text_last(const char *s, char c, size_t n)
{
	while (n && s[n - 1] != c)
		n--;
	return n ? s + n - 1 : NULL;
}

static bool is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0xad || cp == 0x61c || cp == 0x180e ||
	    (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff ||
	    (cp >= 0xfff9 && cp <= 0xfffb) || (cp >= 0xe0000 && cp <= 0xe007f);
}

int text_cp_width(uint32_t cp)
{
	if (is_control(cp))
		return -1;
	if (cp < 0x300)
		return 1;
	struct bsearch_probe h = {.hi = sizeof widths / sizeof *widths};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, cp > widths[h.at].last);
	return h.lo < sizeof widths / sizeof *widths && cp >= widths[h.lo].first ? widths[h.lo].cells : 1;
}

bool text_is_escaped(uint32_t cp, size_t len)
{
	return text_cp_width(cp) < 0 || (cp == 0xfffd && len == 1);
}

/* Return the length of the first character of s and set *cells to the cells it takes when shown. An invalid byte has
   length 1 and is shown as \xNN. */
static size_t shown_char(const char *s, size_t n, size_t *cells)
{
	uint32_t cp;
	size_t len = text_decode_utf8(s, n, &cp);
	*cells = text_is_escaped(cp, len) ? 4 * len : (size_t)text_cp_width(cp);
	return len;
}

static void put_shown(struct buf *b, const char *s, size_t len, bool escape)
{
	if (!escape) {
		buf_put(b, s, len);
		return;
	}
	for (size_t i = 0; i < len; i++)
		buf_printf(b, "\\x%02x", (unsigned char)s[i]);
}

static bool is_escaped(const char *s, size_t n)
{
	uint32_t cp;
	size_t len = text_decode_utf8(s, n, &cp);
	return text_is_escaped(cp, len);
}

/* Return the number of leading bytes that are printable ASCII: one cell each, and most bytes of names. */
static size_t plain_run(const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && s[i] >= ' ' && s[i] <= '~')
		i++;
	return i;
}

size_t text_width(const char *s, size_t n)
{
	size_t w = plain_run(s, n), cells;
	for (size_t i = w; i < n; w += cells)
		i += shown_char(s + i, n - i, &cells);
	return w;
}

void text_safe(struct buf *b, const char *s, size_t n)
{
	size_t cells, i = plain_run(s, n);
	buf_put(b, s, i);
	while (i < n) {
		size_t len = shown_char(s + i, n - i, &cells);
		put_shown(b, s + i, len, is_escaped(s + i, n - i));
		i += len;
	}
}

void text_xml(struct buf *b, const char *s, size_t n)
{
	struct buf safe = {0};
	text_safe(&safe, s, n);
	for (size_t i = 0, len; i < safe.n; i += len) {
		uint32_t cp;
		len = text_decode_utf8(safe.p + i, safe.n - i, &cp);
		switch (cp) {
		case '&': buf_puts(b, "&amp;"); break;
		case '<': buf_puts(b, "&lt;"); break;
		case '>': buf_puts(b, "&gt;"); break;
		case '"': buf_puts(b, "&quot;"); break;
		case 0xfffe: case 0xffff: buf_printf(b, "\\u%x", cp); break;	/* not allowed in XML */
		default: buf_put(b, safe.p + i, len);
		}
	}
	buf_free(&safe);
}

bool text_parse_size(const char *s, uint64_t *bytes)
{
	static const char units[] = "kmgt";
	char *end;
	double n = strtod(s, &end);
	const char *unit = *end ? strchr(units, *end | 0x20) : "";
	for (int i = unit && *unit ? (int)(unit - units) + 1 : 0; i > 0; i--)
		n *= 1024;
	if (unit && *unit)
		end += 1 + (end[1] == 'B' || end[1] == 'b');
	if (end == s || !unit || *end || !(n >= 1) || n > 1e18)
		return false;
	*bytes = (uint64_t)n;
	return true;
}

void text_dot(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\n') {
			buf_puts(b, "\\l");
			continue;
		}
		if (s[i] == '\\' || s[i] == '"')
			buf_putc(b, '\\');
		buf_putc(b, s[i]);
	}
}

void text_safe_fit(char *to, size_t size, const char *s, size_t n)
{
	size_t at = 0, cells;
	for (size_t i = 0, len; i < n; i += len) {
		len = shown_char(s + i, n - i, &cells);
		bool escape = is_escaped(s + i, n - i);
		if (at + (escape ? 4 * len : len) >= size)
			break;
		for (size_t k = 0; k < len; k++, at += escape ? 4 : 1) {
			if (escape)
				snprintf(to + at, 5, "\\x%02x", (unsigned char)s[i + k]);
			else
				to[at] = s[i + k];
		}
	}
	to[at] = '\0';
}

size_t text_whole_chars(const char *s, size_t n)
{
	enum { LONGEST = 4 };
	for (size_t back = 1; back < LONGEST && back <= n; back++) {
		unsigned char c = (unsigned char)s[n - back];
		if (c >= 0xc0)		/* the first byte of a character of two, three or four bytes */
			return back < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) ? n - back : n;
		if (c < 0x80)
			break;
	}
	return n;
}

/* Return the length of the password in user:PASSWORD@host and set *from to its offset; 0: there is none. */
static size_t find_password(const char *s, size_t *from)
{
	size_t user = strcspn(s, ":@/?# \t\n\"'"), n;
	if (s[user] != ':')
		return 0;
	*from = user + 1;
	n = strcspn(s + *from, "@/?# \t\n");
	return s[*from + n] == '@' ? n : 0;
}

void text_mask_passwords(struct buf *b, const char *s)
{
	for (bool begins = true; *s;) {
		size_t from, n = begins ? find_password(s, &from) : 0;
		if (n) {
			buf_put(b, s, from);
			buf_puts(b, "xxxxx");
			s += from + n;
		}
		begins = strchr(" \t\"'(=", *s) || !strncmp(s, "//", 2);
		buf_put(b, s, *s ? 1 + (*s == '/' && s[1] == '/') : 0);
		s += *s ? 1 + (*s == '/' && s[1] == '/') : 0;
	}
}

size_t text_put_head(struct buf *b, const char *s, size_t n, size_t cells, size_t *at)
{
	size_t used = 0, w;
	*at = 0;
	while (*at < n) {
		size_t len = shown_char(s + *at, n - *at, &w);
		if (used + w > cells)
			break;
		put_shown(b, s + *at, len, is_escaped(s + *at, n - *at));
		used += w;
		*at += len;
	}
	return used;
}

size_t text_fit(struct buf *b, const char *s, size_t n, size_t cells, bool ascii)
{
	size_t at;
	if (text_width(s, n) <= cells)
		return text_put_head(b, s, n, cells, &at);
	if (!cells)
		return 0;
	size_t used = text_put_head(b, s, n, cells - 1, &at);
	buf_puts(b, ascii ? "~" : "\xe2\x80\xa6");
	return used + 1;
}

size_t text_fit_middle(struct buf *b, const char *s, size_t n, size_t cells, bool ascii)
{
	size_t at, w;
	if (text_width(s, n) <= cells || cells < 5)
		return text_fit(b, s, n, cells, ascii);
	size_t head = (cells - 1) / 2, tail = cells - 1 - head;
	size_t used = text_put_head(b, s, n, head, &at);
	buf_puts(b, ascii ? "~" : "\xe2\x80\xa6");
	size_t from = at, rest = text_width(s + at, n - at);
	while (from < n && rest > tail) {
		from += shown_char(s + from, n - from, &w);
		rest -= w;
	}
	return used + 1 + text_put_head(b, s + from, n - from, tail, &at);
}

/* Append v and the unit, with three significant digits. */
static void put_scaled(struct buf *b, double v, const char *unit)
{
	double a = v < 0 ? -v : v;
	buf_printf(b, "%.*f%s", a < 9.995 ? 2 : a < 99.95 ? 1 : 0, v, unit);
}

void text_ns(struct buf *b, int64_t ns)
{
	double v = (double)ns, a = v < 0 ? -v : v;
	if (!ns)
		buf_putc(b, '0');
	else if (a < 1e3)
		buf_printf(b, "%dns", (int)ns);
	else if (a < 999.5e3)
		put_scaled(b, v / 1e3, "us");
	else if (a < 999.5e6)
		put_scaled(b, v / 1e6, "ms");
	else if (a < 59.95e9)
		put_scaled(b, v / 1e9, "s");
	else if (a < 3600e9)
		buf_printf(b, "%s%dm%02ds", ns < 0 ? "-" : "", (int)(a / 60e9), (int)(a / 1e9) % 60);
	else if (a < 1000 * 3600e9)
		buf_printf(b, "%s%ldh%02dm", ns < 0 ? "-" : "", (long)(a / 3600e9), (int)(a / 60e9) % 60);
	else
		buf_printf(b, "%.0fh", v / 3600e9);
}

enum { SECOND = 1000000000 };

/* Append the decimals of a second that a step in ns needs. */
static void put_decimals(struct buf *b, uint64_t ns, int64_t step)
{
	int64_t unit = SECOND;
	int digits = 0;
	for (; unit > (step > 0 ? step : 1) && digits < 9; unit /= 10)
		digits++;
	if (digits)
		buf_printf(b, ".%0*llu", digits, (unsigned long long)(ns % SECOND / (uint64_t)unit));
}

void text_at(struct buf *b, int64_t ns, int64_t step)
{
	uint64_t a = wrap_size(ns);
	buf_printf(b, "%s%llu", ns < 0 ? "-" : "", (unsigned long long)(a / SECOND));
	put_decimals(b, a, step);
	buf_putc(b, 's');
}

void text_clock(struct buf *b, int64_t ns, int64_t step)
{
	int s = (int)(ns / SECOND % 86400);
	buf_printf(b, "%02d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
	put_decimals(b, (uint64_t)ns, step);
}

void text_date(struct buf *b, int64_t ns, const char *format)
{
	char s[64];
	time_t t = (time_t)(ns / SECOND);
	struct tm tm;
	if (ns > 0 && gmtime_r(&t, &tm))
		buf_put(b, s, strftime(s, sizeof s, format, &tm));
}

void text_bytes(struct buf *b, int64_t n)
{
	static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	double v = (double)n;
	size_t i = 0;
	while ((v >= 999.5 || v <= -999.5) && i + 1 < sizeof unit / sizeof *unit) {
		v /= 1024;
		i++;
	}
	if (!i)
		buf_printf(b, "%d%s", (int)n, unit[0]);
	else
		put_scaled(b, v, unit[i]);
}

void text_count(struct buf *b, int64_t n)
{
	char tmp[32];
	int len = snprintf(tmp, sizeof tmp, "%lld", (long long)n);
	int first = n < 0;
	for (int i = 0; i < len; i++) {
		if (i > first && (len - i) % 3 == 0)
			buf_putc(b, ',');
		buf_putc(b, tmp[i]);
	}
}

/* Return whether v is a time, and set *ns. */
static bool is_time(int64_t v, const char *unit, int64_t *ns)
{
	static const struct { const char *unit; int64_t ns; } times[] = {
		{"nanoseconds", 1}, {"nanosecond", 1}, {"ns", 1}, {"microseconds", 1000}, {"us", 1000},
		{"milliseconds", 1000000}, {"ms", 1000000}, {"seconds", 1000000000}, {"s", 1000000000},
	};
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (!strcmp(unit, times[i].unit) && v <= INT64_MAX / times[i].ns && v >= INT64_MIN / times[i].ns) {
			*ns = v * times[i].ns;
			return true;
		}
	return false;
}

/* Append a time or a size. Return false for any other unit. */
static bool put_known(struct buf *b, int64_t v, const char *unit)
{
	int64_t ns;
	if (is_time(v, unit, &ns)) {
		text_ns(b, ns);
		return true;
	}
	if (strcmp(unit, "bytes") != 0 && strcmp(unit, "byte") != 0)
		return false;
	text_bytes(b, v);
	return true;
}

void text_value(struct buf *b, int64_t v, const char *unit)
{
	if (put_known(b, v, unit))
		return;
	text_count(b, v);
	if (*unit && strcmp(unit, "count")) {
		buf_putc(b, ' ');
		text_safe(b, unit, strlen(unit));
	}
}

void text_short(struct buf *b, int64_t v, const char *unit)
{
	static const char *const scale[] = {"k", "M", "G", "T", "P", "E"};
	int64_t ns;
	if (is_time(v, unit, &ns) && wrap_size(ns) >= UINT64_C(100000) * 3600 * 1000000000) {
		buf_printf(b, "%.0fd", (double)ns / (24 * 3600e9));
		return;
	}
	if (put_known(b, v, unit))
		return;
	if (v > -1000000 && v < 1000000) {
		text_count(b, v);
		return;
	}
	double d = (double)v / 1e3;
	size_t i = 0;
	for (; (d >= 999.5 || d <= -999.5) && i + 1 < sizeof scale / sizeof *scale; i++)
		d /= 1e3;
	put_scaled(b, d, scale[i]);
}

/* Return the length of the time unit at s and set *ns to its duration; 0: there is none. */
static size_t time_unit(const char *s, double *ns)
{
	static const struct { const char *s; double ns; } units[] = {
		{"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"m", 60e9}, {"s", 1e9}, {"h", 3600e9},
	};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strncmp(s, units[i].s, strlen(units[i].s))) {
			*ns = units[i].ns;
			return strlen(units[i].s);
		}
	return 0;
}

bool text_parse_ns(const char *s, int64_t *ns)
{
	double sum = 0, unit;
	bool minus = *s == '-';
	s += minus || *s == '+';
	if (!*s)
		return false;
	while (*s) {
		double v = 0, scale = 1;
		int digits = 0;
		for (; *s >= '0' && *s <= '9'; s++, digits++)
			v = v * 10 + (*s - '0');
		if (*s == '.')
			for (s++; *s >= '0' && *s <= '9'; s++, digits++)
				v += (*s - '0') * (scale /= 10);
		size_t n = time_unit(s, &unit);
		if (!digits || !n)
			return false;
		sum += v * unit;
		s += n;
	}
	if (sum > 9.2e18)
		return false;
	*ns = (int64_t)(sum + 0.5);
	if (minus)
		*ns = -*ns;
	return true;
}

/* Return where a word that is longer than a line is broken: after the last / or before the last dot, at `most` at the
   latest. Below half of the line a break would waste more than it explains. */
static size_t word_break(const char *s, size_t most)
{
	for (size_t k = most; k > most / 2; k--)
		if (s[k - 1] == '/' || s[k] == '.')
			return k;
	return text_whole_chars(s, most);
}

size_t text_line_n(const char *s, size_t len, size_t most)
{
	size_t n = most;
	if (len <= most)
		return len;
	while (n && s[n] != ' ')
		n--;
	return n ? n : word_break(s, most);
}

size_t text_line(const char *s, size_t most)
{
	return text_line_n(s, strlen(s), most);
}
