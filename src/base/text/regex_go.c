/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Translates Go's regular expressions to PCRE2's. One pass over the expression parses Go's grammar and writes each atom
 * in an unambiguous form: characters that could be operators are escaped, \d \s \w become the ASCII sets that they are
 * in Go, $ becomes \z unless flag m is on, a repeated assertion gets a group around it. So no construct that only PCRE2
 * has can pass, whatever its version.
 *
 * An earlier version looked for foreign constructs and passed the text on unchanged: of 1351 random expressions 188
 * were accepted or rejected unlike Go. Group names are checked and dropped, because nothing uses them.
 */
#include "config.h"
#include "base/text/regex_go.h"

#include "base/text/text.h"

#include <string.h>

enum { REPEAT_MAX = 1000, DEPTH_MAX = 250 };

enum last { NOTHING, ATOM, ASSERTION, REPEAT };

struct rxgo {
	const char *s, *p;	/* the expression, and the next character */
	struct buf *b;
	struct err *e;
	enum last last;		/* what a repetition would apply to */
	size_t at;		/* offset of the last assertion in b */
	int depth;
	bool no_class;		/* no ":]" follows */
	bool lines[DEPTH_MAX + 1];	/* by depth: flag m, $ matches at the end of each line */
};

static int fail_at(struct rxgo *x, const char *p, const char *what)
{
	return err_set(x->e, ERR_USAGE, ERR_NOWHERE, "bad regular expression \"%.80s\": %s at character %zu", x->s,
	    what, (size_t)(p - x->s) + 1);
}

static bool is_alnum(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static int hex_digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Return the length of the next character and set *c to it. */
static size_t next_char(const struct rxgo *x, uint32_t *c)
{
	return text_decode_utf8(x->p, strnlen(x->p, 4), c);
}

/* Append one character, escaped so that it is literal inside and outside a set. */
static void put_char(struct rxgo *x, uint32_t c)
{
	if (c < 0x80 && is_alnum((int)c))
		buf_putc(x->b, (int)c);
	else
		buf_printf(x->b, "\\x{%x}", (unsigned)c);
}

/* Parse \x..; p is at the x. */
static int parse_hex(struct rxgo *x, const char *p, uint32_t *c)
{
	uint32_t v = 0;
	const char *from = p++;
	if (*p == '{') {
		for (p++; hex_digit(*p) >= 0 && v <= 0x10ffff; p++)
			v = v * 16 + (uint32_t)hex_digit(*p);
		if (*p != '}' || p == from + 2 || v > 0x10ffff)
			return fail_at(x, from, "invalid \\x{}");
		p++;
	} else {
		if (hex_digit(p[0]) < 0 || hex_digit(p[1]) < 0)
			return fail_at(x, from, "invalid \\x");
		v = (uint32_t)(hex_digit(p[0]) * 16 + hex_digit(p[1]));
		p += 2;
	}
	*c = v;
	x->p = p;
	return v >= 0xd800 && v < 0xe000 ? fail_at(x, from, "invalid character") : 0;
}

/* Parse the escape of one character; x->p is after the backslash. */
static int parse_escape(struct rxgo *x, uint32_t *c)
{
	static const char names[] = "aftnrv", means[] = "\a\f\t\n\r\v";
	const char *p = x->p, *k;
	if (!*p)
		return fail_at(x, p, "trailing backslash");
	if (*p == 'x')
		return parse_hex(x, p, c);
	if (*p >= '0' && *p <= '7') {
		if (*p != '0' && (p[1] < '0' || p[1] > '7'))
			return fail_at(x, p, "back references are not supported");
		*c = 0;
		for (int i = 0; i < 3 && *x->p >= '0' && *x->p <= '7'; i++)
			*c = *c * 8 + (uint32_t)(*x->p++ - '0');
		return 0;
	}
	if ((k = strchr(names, *p)))
		*c = (uint8_t)means[k - names];
	else if ((uint8_t)*p < 0x80 && !is_alnum(*p))
		*c = (uint8_t)*p;
	else
		return fail_at(x, p, "unknown escape");
	x->p++;
	return 0;
}

/* Translate \pN or \p{Name}; x->p is at the p. Categories are kept, longer names are scripts. */
static int put_property(struct rxgo *x)
{
	const char *from = x->p, *name = x->p + 1;
	bool not = *from == 'P';
	size_t n = 1;
	x->p += 2;
	if (*name == '{') {
		const char *end = strchr(++name, '}');
		if (!end)
			return fail_at(x, from, "invalid \\p");
		x->p = end + 1;
		if (*name == '^') {
			not = !not;
			name++;
		}
		n = (size_t)(end - name);
	}
	for (size_t i = 0; i < n; i++)
		if (!is_alnum(name[i]) && name[i] != '_')
			return fail_at(x, from, "invalid \\p");
	bool script = n > 2 && strncmp(name, "Any", n);
	buf_printf(x->b, "\\%c{%s%.*s}", not ? 'P' : 'p', script ? "sc:" : "", (int)n, name);
	return 0;
}

/* Translate \d \s \w and their capitals, as part of a set or as a set of its own. */
static bool put_perl(struct rxgo *x, bool in_set)
{
	static const struct { char c; const char *yes, *no; } sets[] = {
		{'d', "0-9", "\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}"},
		{'s', "\\t\\n\\f\\r\\x{20}", "\\x{0}-\\x{8}\\x{b}\\x{e}-\\x{1f}\\x{21}-\\x{10ffff}"},
		{'w', "0-9A-Za-z_", "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}"},
	};
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		if ((*x->p | 0x20) == sets[i].c) {
			const char *set = *x->p & 0x20 ? sets[i].yes : sets[i].no;
			buf_printf(x->b, in_set ? "%s" : "[%s]", set);
			x->p++;
			return true;
		}
	return false;
}

/* Parse one character of a set. */
static int set_char(struct rxgo *x, uint32_t *c)
{
	if (*x->p == '\\') {
		x->p++;
		return parse_escape(x, c);
	}
	if (!*x->p)
		return fail_at(x, x->p, "missing closing ]");
	x->p += next_char(x, c);
	return 0;
}

/* Translate [:alpha:]. Return 1 if it is a class, 0 if the [ is literal. */
static int put_posix(struct rxgo *x)
{
	static const char *const names[] = {"alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower",
		"print", "punct", "space", "upper", "word", "xdigit"};
	const char *end = x->no_class ? NULL : strstr(x->p + 2, ":]"), *name = x->p + 2 + (x->p[2] == '^');
	x->no_class = !end;
	if (!end)
		return 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (end > name && strlen(names[i]) == (size_t)(end - name) &&
		    !memcmp(names[i], name, strlen(names[i]))) {
			buf_put(x->b, x->p, (size_t)(end + 2 - x->p));
			x->p = end + 2;
			return 1;
		}
	return fail_at(x, x->p, "unknown character class");
}

static int put_range(struct rxgo *x)
{
	const char *from = x->p;
	uint32_t lo, hi;
	if (set_char(x, &lo))
		return -1;
	hi = lo;
	if (x->p[0] == '-' && x->p[1] && x->p[1] != ']') {
		x->p++;
		if (set_char(x, &hi))
			return -1;
	}
	if (hi < lo)
		return fail_at(x, from, "invalid character range");
	put_char(x, lo);
	if (hi > lo) {
		buf_putc(x->b, '-');
		put_char(x, hi);
	}
	return 0;
}

static int put_set(struct rxgo *x)
{
	const char *from = x->p++;
	buf_putc(x->b, '[');
	if (*x->p == '^') {
		buf_putc(x->b, '^');
		x->p++;
	}
	for (bool first = true; *x->p != ']' || first; first = false) {
		int rc = 0;
		if (!*x->p)
			return fail_at(x, from, "missing closing ]");
		if (x->p[0] == '[' && x->p[1] == ':' && (rc = put_posix(x)) != 0) {
			if (rc < 0)
				return -1;
			continue;
		}
		if (x->p[0] == '\\' && x->p[1] && strchr("pP", x->p[1])) {
			x->p++;
			rc = put_property(x);
		} else if (x->p[0] == '\\' && x->p[1] && strchr("dDsSwW", x->p[1])) {
			x->p++;
			put_perl(x, true);
		} else {
			rc = put_range(x);
		}
		if (rc)
			return -1;
	}
	x->p++;
	buf_putc(x->b, ']');
	x->last = ATOM;
	return 0;
}

/* Translate a ( with its flags or its name. */
static int put_group(struct rxgo *x)
{
	const char *from = x->p++, *p;
	x->last = NOTHING;
	if (++x->depth > DEPTH_MAX)
		return fail_at(x, from, "groups are nested too deep");
	x->lines[x->depth] = x->lines[x->depth - 1];
	buf_putc(x->b, '(');
	if (*x->p != '?')
		return 0;
	p = x->p + 1;
	if (*p == '<' || (p[0] == 'P' && p[1] == '<')) {
		const char *name = strchr(p, '<') + 1;
		for (p = name; is_alnum(*p) || *p == '_'; p++)
			;
		if (*p != '>' || p == name)
			return fail_at(x, from, "invalid group name");
		x->p = p + 1;
		return 0;
	}
	bool minus = false, lines = x->lines[x->depth];
	int after = 0;
	for (; *p && strchr("imsU-", *p); p++) {
		if (*p == '-' && minus)
			break;
		minus |= *p == '-';
		lines = *p == 'm' ? !minus : lines;
		after = *p == '-' ? 0 : after + 1;
	}
	if ((*p != ':' && *p != ')') || (minus && !after))
		return fail_at(x, from, "unknown group syntax");
	buf_put(x->b, x->p, (size_t)(p - x->p) + 1);
	x->depth -= *p == ')';
	x->lines[x->depth] = lines;
	x->p = p + 1;
	return 0;
}

/* Return the length of {n}, {n,} or {n,m} at p, 0 if the brace is literal. */
static size_t repeat_length(const char *p, int *lo, int *hi)
{
	const char *from = p++;
	int *out[] = {lo, hi};
	*hi = -1;
	for (int k = 0; k < 2; k++) {
		const char *digits = p;
		int v = 0;
		for (; *p >= '0' && *p <= '9'; p++)
			v = v > REPEAT_MAX ? v : v * 10 + *p - '0';
		if ((p == digits && !k) || (*digits == '0' && p > digits + 1))
			return 0;
		if (p > digits)
			*out[k] = v;
		if (!k && *p == '}') {
			*hi = *lo;
			break;
		}
		if (!k && *p++ != ',')
			return 0;
	}
	return *p == '}' ? (size_t)(p + 1 - from) : 0;
}

/* Translate a repetition operator of n bytes at x->p. */
static int put_repeat(struct rxgo *x, size_t n)
{
	if (x->last == NOTHING)
		return fail_at(x, x->p, "missing argument of a repetition");
	if (x->last == REPEAT)
		return fail_at(x, x->p, "nested repetition");
	if (x->last == ASSERTION) {
		char word[8];
		size_t k = x->b->n - x->at;
		memcpy(word, x->b->p + x->at, k);
		x->b->n = x->at;
		buf_printf(x->b, "(?:%.*s)", (int)k, word);
	}
	n += x->p[n] == '?';
	buf_put(x->b, x->p, n);
	x->p += n;
	x->last = REPEAT;
	return 0;
}

/* Translate an assertion of n bytes at x->p to s. */
static void put_assertion(struct rxgo *x, size_t n, const char *s)
{
	x->at = x->b->n;
	buf_puts(x->b, s);
	x->p += n;
	x->last = ASSERTION;
}

static void put_quoted(struct rxgo *x)
{
	x->p += 2;
	while (*x->p && (x->p[0] != '\\' || x->p[1] != 'E')) {
		uint32_t c;
		x->p += next_char(x, &c);
		put_char(x, c);
		x->last = ATOM;
	}
	x->p += *x->p ? 2 : 0;
}

static int put_backslash(struct rxgo *x)
{
	uint32_t c;
	if (x->p[1] == 'Q') {
		put_quoted(x);
		return 0;
	}
	if (x->p[1] && strchr("AbBz", x->p[1])) {
		put_assertion(x, 2, (const char[]){'\\', x->p[1], 0});
		return 0;
	}
	x->p++;
	x->last = ATOM;
	if (*x->p == 'p' || *x->p == 'P')
		return put_property(x);
	if (*x->p && put_perl(x, false))
		return 0;
	if (parse_escape(x, &c))
		return -1;
	put_char(x, c);
	return 0;
}

static int put_next(struct rxgo *x)
{
	int lo, hi;
	size_t n;
	uint32_t c;
	switch (*x->p) {
	case '\\': return put_backslash(x);
	case '[': return put_set(x);
	case '(': return put_group(x);
	case ')':
		if (!x->depth--)
			return fail_at(x, x->p, "unexpected )");
		buf_putc(x->b, *x->p++);
		x->last = ATOM;
		return 0;
	case '|':
		buf_putc(x->b, *x->p++);
		x->last = NOTHING;
		return 0;
	case '*': case '+': case '?': return put_repeat(x, 1);
	case '^': put_assertion(x, 1, "^"); return 0;
	case '$': put_assertion(x, 1, x->lines[x->depth] ? "$" : "\\z"); return 0;
	case '.':
		buf_putc(x->b, *x->p++);
		x->last = ATOM;
		return 0;
	default: break;
	}
	if (*x->p == '{' && (n = repeat_length(x->p, &lo, &hi))) {
		if (lo > REPEAT_MAX || hi > REPEAT_MAX || (hi >= 0 && hi < lo))
			return fail_at(x, x->p, "invalid repetition count");
		return put_repeat(x, n);
	}
	n = next_char(x, &c);
	if (n == 1 && (uint8_t)*x->p >= 0x80)
		return fail_at(x, x->p, "invalid UTF-8");
	put_char(x, c);
	x->p += n;
	x->last = ATOM;
	return 0;
}

int regex_go_translate(const char *s, struct buf *out, struct err *e)
{
	struct rxgo x = {.s = s, .p = s, .b = out, .e = e};
	while (*x.p)
		if (put_next(&x))
			return -1;
	return x.depth ? fail_at(&x, x.p, "missing closing )") : 0;
}
