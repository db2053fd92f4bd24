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

/* Append as many whole characters of s as fit into `cells`, and return the cells used. *at: the bytes used. */
static size_t put_head(struct buf *b, const char *s, size_t n, size_t cells, size_t *at)
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
		return put_head(b, s, n, cells, &at);
	if (!cells)
		return 0;
	size_t used = put_head(b, s, n, cells - 1, &at);
	buf_puts(b, ascii ? "~" : "\xe2\x80\xa6");
	return used + 1;
}

size_t text_fit_middle(struct buf *b, const char *s, size_t n, size_t cells, bool ascii)
{
	size_t at, w;
	if (text_width(s, n) <= cells || cells < 5)
		return text_fit(b, s, n, cells, ascii);
	size_t head = (cells - 1) / 2, tail = cells - 1 - head;
	size_t used = put_head(b, s, n, head, &at);
	buf_puts(b, ascii ? "~" : "\xe2\x80\xa6");
	size_t from = at, rest = text_width(s + at, n - at);
	while (from < n && rest > tail) {
		from += shown_char(s + from, n - from, &w);
		rest -= w;
	}
	return used + 1 + put_head(b, s + from, n - from, tail, &at);
}

/* Return the end of the path part of a Go symbol: after the last / before the first ( or [. */
static size_t path_end(const char *s, size_t n)
{
	size_t end = 0;
	for (size_t i = 0; i < n && s[i] != '(' && s[i] != '['; i++)
		if (s[i] == '/')
			end = i + 1;
	return end;
}

/* Return the offset after the bracket that closes the one at s[at]; n: it is not closed. */
static size_t past_bracket(const char *s, size_t n, size_t at)
{
	int depth = 0;
	for (; at < n; at++) {
		char c = s[at];
		depth += (c == '[' || c == '(' || c == '{') - (c == ']' || c == ')' || c == '}');
		if (!depth)
			return at + 1;
	}
	return n;
}

/* A symbol of which parts are removed from the front. Two values are computed once, because each takes the whole name:
   whether it is of C++ or Rust, and the end of the path of a Go symbol. */
struct symbol_parts {
	const char *s;
	size_t n, path;
	bool scoped;
};

static struct symbol_parts parts_of(const char *s, size_t n)
{
	return (struct symbol_parts){s, n, path_end(s, n), memmem(s, n, "::", 2) != NULL};
}

/* Return the offset of the next part of a Go symbol: json.(*decodeState).object, (*decodeState).object, object. 0:
   there is none. */
static size_t go_part(const struct symbol_parts *y, size_t at)
{
	const char *s = y->s;
	if (at < y->path)
		return y->path;
	if (at == y->path) {
		const char *dot = memchr(s + at, '.', y->n - at);
		return dot ? (size_t)(dot - s) + 1 : 0;
	}
	size_t past = s[at] == '(' ? past_bracket(s, y->n, at) : y->n;
	return past + 1 < y->n && s[past] == '.' ? past + 1 : 0;
}

/* The same for C++ and Rust: the offset after the next :: outside brackets: basic_string::compare, compare. The search
   ends at the name of an operator, which may look like a bracket. */
static size_t scope_part(const char *s, size_t n, size_t at)
{
	int depth = 0;
	for (size_t i = at; i + 2 < n; i++) {
		if (strchr("<([{", s[i]))
			depth++;
		else if (strchr(")]}", s[i]) || (s[i] == '>' && i && s[i - 1] != '-'))
			depth--;
		else if (!depth && s[i] == ':' && s[i + 1] == ':')
			return i + 2;
		else if (!depth && n - i > 8 && !memcmp(s + i, "operator", 8) && strchr("<>(-", s[i + 8]))
			break;
	}
	return 0;
}

/* Return the offset of the part after the one at `at`, or 0. */
static size_t symbol_part(const struct symbol_parts *y, size_t at)
{
	size_t next = y->scoped ? scope_part(y->s, y->n, at) : go_part(y, at);
	return next > at && next < y->n ? next : 0;
}

size_t text_symbol_tail(const char *s, size_t n)
{
	struct symbol_parts y = parts_of(s, n);
	size_t at = 0;
	for (size_t next; (next = symbol_part(&y, at));)
		at = next;
	return at;
}

/* Return the offset of the first part from which on the symbol fits, or else of the last part. Parts end in ASCII, so
   the width of a name is the sum of the widths of its parts. */
static size_t fitting_part(const char *s, size_t n, size_t cells)
{
	struct symbol_parts y = parts_of(s, n);
	size_t at = 0, width = text_width(s, n);
	for (size_t next; width > cells && (next = symbol_part(&y, at)); at = next)
		width -= text_width(s + at, next - at);
	return at;
}

/* Append a symbol with the type arguments of generic instances replaced: main.(*heap[...]).less. Return false if it has
   none. */
static bool fold_shapes(struct buf *b, const char *s, size_t n)
{
	static const char shape[] = "[go.shape.";
	size_t from = 0;
	for (const char *at; (at = memmem(s + from, n - from, shape, sizeof shape - 1));) {
		size_t open = (size_t)(at - s);
		buf_put(b, s + from, open - from);
		buf_puts(b, "[...]");
		from = past_bracket(s, n, open);
	}
	if (from)
		buf_put(b, s + from, n - from);
	return from > 0;
}

static size_t fit_parts(struct buf *b, const char *s, size_t n, size_t cells, bool ascii)
{
	size_t at = fitting_part(s, n, cells);
	return text_fit(b, s + at, n - at, cells, ascii);
}

size_t text_fit_symbol(struct buf *b, const char *s, size_t n, size_t cells, bool ascii)
{
	struct buf folded = {0};
	bool fold = text_width(s, n) > cells && fold_shapes(&folded, s, n);
	size_t used = fold ? fit_parts(b, folded.p, folded.n, cells, ascii) : fit_parts(b, s, n, cells, ascii);
	buf_free(&folded);
	return used;
}

/* Return the length of the path before c in a word like a/b/c.(*T).F; 0 for any other word, also for /a/b.c and
   a://b. */
static size_t word_path(const char *s, size_t n)
{
	size_t end = path_end(s, n);
	if (!end || *s == '/' || *s == '.' || memmem(s, end, "://", 3))
		return 0;
	return memchr(s + end, '.', n - end) && s[end] != '.' ? end : 0;
}

/* Return whether a word, which may end in punctuation, is a Go symbol without a path: main.run, json.(*T).F, (*T).F. A
   file with a line number and a decimal number are not. */
static bool is_symbol_word(const char *s, size_t n)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	const char *dot = memchr(s, '.', n);
	if (memchr(s, ':', n) || memchr(s, '/', n) || memchr(s, '=', n) || !dot)
		return false;
	if (n > 2 && s[0] == '(' && s[1] == '*')
		return true;
	size_t head = (size_t)(dot - s);
	if (!head || !strchr(letters, *s) || memchr(s, '-', head) || head + 2 >= n)
		return false;
	bool method = dot[1] == '(' && dot[2] == '*', closure = n - head > 5 && !memcmp(dot + 1, "func", 4);
	return method || (strchr(letters, dot[1]) && strchr(letters, dot[2]) && !closure);
}

/* Return how many bytes at the front of a word are removed when all words are shortened: its path, or else the package
   of a method. A function with its package is not shortened, because it may be the name of a region or of a state. */
static size_t prefix_to_cut(const char *s, size_t n, bool paths)
{
	if (paths)
		return word_path(s, n);
	if (!is_symbol_word(s, n) || *s == '(' || !memmem(s, n, ".(*", 3))
		return 0;
	struct symbol_parts y = parts_of(s, n);
	return go_part(&y, 0);
}

/* Append a line, removing the fronts of its words from left to right until it is `over` cells shorter. Return the
   number of cells by which it is still too long. */
static size_t shorten_line(struct buf *to, const char *s, size_t n, size_t over, bool paths)
{
	for (size_t i = 0; i < n;) {
		const char *end = memchr(s + i, ' ', n - i);
		size_t word = end ? (size_t)(end - s) - i : n - i, cut = over ? prefix_to_cut(s + i, word, paths) : 0;
		/* fronts are ASCII except unusual ones, which are cut a little too much */
		over -= cut > over ? over : cut;
		word += end != NULL;
		buf_put(to, s + i + cut, word - cut);
		i += word;
	}
	return over;
}

/* Append a line that is too long, without the front of the symbol at the cut. Return false if the cut is not in a
   symbol, or in one of a single part. */
static bool keep_end(struct buf *to, const char *s, size_t n, size_t cells)
{
	struct buf head = {0};
	size_t from;
	put_head(&head, s, n, cells - 1, &from);
	buf_free(&head);
	while (from && s[from - 1] != ' ')
		from--;
	const char *end = memchr(s + from, ' ', n - from);
	size_t word = end ? (size_t)(end - s) - from : n - from, before = text_width(s, from);
	if (before >= cells || !is_symbol_word(s + from, word))
		return false;
	size_t skip = fitting_part(s + from, word, cells - before - (end != NULL));
	buf_put(to, s, from);
	buf_put(to, s + from + skip, n - from - skip);
	return skip > 0;
}

size_t text_fit_line(struct buf *b, const char *s, size_t n, size_t cells, bool ascii)
{
	struct buf folded = {0}, t[2] = {{0}, {0}};
	size_t width = text_width(s, n);
	if (!cells)
		return 0;
	if (width > cells && fold_shapes(&folded, s, n)) {
		s = buf_str(&folded);
		n = folded.n;
		width = text_width(s, n);
	}
	size_t over = width > cells ? width - cells : 0;
	for (int i = 0; over && i < 2; i++) {
		over = shorten_line(&t[i], s, n, over, i == 0);
		s = buf_str(&t[i]);
		n = t[i].n;
	}
	/* the text after a shortened symbol moves left and may then be at the cut */
	for (int i = 0; over && i < 6 && text_width(s, n) > cells; i++) {
		buf_reset(&t[i % 2]);
		if (!keep_end(&t[i % 2], s, n, cells))
			break;
		s = buf_str(&t[i % 2]);
		n = t[i % 2].n;
	}
	size_t used = text_fit(b, s, n, cells, ascii);
	buf_free(&folded);
	buf_free(&t[0]);
	buf_free(&t[1]);
	return used;
}

size_t text_fit_name(struct buf *b, const char *s, size_t n, size_t cells, bool ascii)
{
	enum { TELLS = 6 };
	size_t tail = text_symbol_tail(s, n);
	if (cells < TELLS && text_width(s + tail, n - tail) > cells)
		return 0;
	return text_fit_symbol(b, s, n, cells, ascii);
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

size_t text_line(const char *s, size_t most)
{
	size_t len = strlen(s), n = most;
	if (len <= most)
		return len;
	while (n && s[n] != ' ')
		n--;
	return n ? n : most;
}
