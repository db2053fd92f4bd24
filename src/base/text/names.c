/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Names of functions, shortened. One rule for all panes: the path goes first, then the package or namespace, then the
 * receiver or class; the last part, which says what is done, is never removed. A part that is too long by itself is cut.
 *
 * A name is a sequence of parts with separators: / and . in Go, Java, Scala, C#, Python, JavaScript, Julia and Swift,
 * :: and # in C++, Rust and Ruby. Nothing in brackets separates parts: they have parameters, type arguments and
 * receivers. What only distinguishes pieces of one function belongs to the part before: func1, {{closure}}, a number,
 * the suffix of a file.
 *
 * If only the last part would be left, the brackets are shortened as well: first the paths of the types in them, so that
 * <asn1_rs::Header as asn1_rs::FromDer>::from_der is <Header as FromDer>::from_der, then all, as in map<...>::insert.
 */
#include "config.h"
#include "base/text/text.h"

#include <ctype.h>
#include <string.h>

/* Return the end of the path part of a symbol: after the last / before the first bracket. */
static size_t path_end(const char *s, size_t n)
{
	size_t end = 0;
	for (size_t i = 0; i < n && !(s[i] && strchr("([{<", s[i])); i++)
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
   whether it is of C++, Rust or Ruby, and the end of the path of another symbol. */
struct symbol_parts {
	const char *s;
	size_t n, path;
	bool scoped;
};

static struct symbol_parts parts_of(const char *s, size_t n)
{
	return (struct symbol_parts){s, n, path_end(s, n), memmem(s, n, "::", 2) != NULL};
}

/* Return the change of the depth of brackets at s[i]. The > of -> and => is none. */
static int bracket(const char *s, size_t i)
{
	if (strchr("<([{", s[i]))
		return s[i] ? 1 : 0;
	return strchr(")]}", s[i]) || (s[i] == '>' && i && s[i - 1] != '-' && s[i - 1] != '=') ? -1 : 0;
}

static bool all_digits(const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && isdigit((unsigned char)s[i]))
		i++;
	return n && i == n;
}

/* Return whether the text after a dot belongs to the part before it: func1, gowrap2, 3, an empty one, or the suffix of a
   file with a line. */
static bool is_piece(const char *s, size_t n)
{
	static const char *const words[] = {"func", "gowrap", "deferwrap"};
	size_t len = 0;
	while (len < n && (isalnum((unsigned char)s[len]) || s[len] == '_'))
		len++;
	if (!len)
		return !n || s[0] == '.';
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t k = strlen(words[i]);
		if (len > k && !memcmp(s, words[i], k) && all_digits(s + k, len - k))
			return true;
	}
	return isdigit((unsigned char)s[0]) || (len <= 4 && len < n && s[len] == ':');
}

/* Return the offset of the next part of a symbol with dots: json.(*decodeState).object, (*decodeState).object, object.
   0: there is none. */
static size_t dot_part(const struct symbol_parts *y, size_t at)
{
	const char *s = y->s;
	int depth = 0;
	if (at < y->path)
		return y->path;
	for (size_t i = at; i + 1 < y->n; i++) {
		depth += bracket(s, i);
		depth = depth < 0 ? 0 : depth;
		bool script = y->path && s[i] == ':' && isalpha((unsigned char)s[i + 1]);	/* views.py:handle_request:17 */
		if (!depth && i > at && (script || (s[i] == '.' && !is_piece(s + i + 1, y->n - i - 1))))
			return i + 1;
	}
	return 0;
}

/* The same for C++ and Rust: the offset after the next :: outside brackets: basic_string::compare, compare. The search
   ends at the name of an operator, which may look like a bracket. A closure, {{closure}}, belongs to its function. */
static size_t scope_part(const char *s, size_t n, size_t at)
{
	int depth = 0;
	for (size_t i = at; i + 2 < n; i++) {
		depth += bracket(s, i);
		if (depth)
			continue;
		if (s[i] == ':' && s[i + 1] == ':' && s[i + 2] != '{')
			return i + 2;
		if (s[i] == '#' && i > at && isalpha((unsigned char)s[i + 1]))
			return i + 1;
		if (n - i > 8 && !memcmp(s + i, "operator", 8) && strchr("<>(-", s[i + 8]))
			break;
	}
	return 0;
}

/* Return the offset of the part after the one at `at`, or 0. */
static size_t symbol_part(const struct symbol_parts *y, size_t at)
{
	size_t next = y->scoped ? scope_part(y->s, y->n, at) : dot_part(y, at);
	return next > at && next < y->n ? next : 0;
}

/* Findings ask for millions of frames, so this is one pass, and not of all of a name that is too long for a path: such
   names may be megabytes. */
size_t text_go_package(const char *s, size_t n)
{
	enum { LONGEST = 4096 };
	size_t dot = 0;		/* the first one after the last slash */
	for (size_t i = 0; i < n && i < LONGEST; i++)
		switch (s[i]) {
		case '/': dot = 0; break;
		case '.': dot = dot ? dot : i; break;
		case '(': case '[': case '{': case '<': case ':': case ' ': case '\0': return dot;
		default: break;
		}
	return dot;
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

/* Append a symbol without the paths of the types in its brackets: <Header as FromDer>::from_der. In { } of Go are
   fields. */
static void shorten_brackets(struct buf *b, const char *s, size_t n, bool scoped)
{
	int depth = 0;
	const char *fields = memchr(s, '{', n);
	for (size_t i = 0; i < n; i++) {
		depth += bracket(s, i);
		bool scope = scoped && i + 2 < n && s[i] == ':' && s[i + 1] == ':' && s[i + 2] != '{';
		if (depth <= 0 || (!scope && (scoped || s[i] != '/' || (fields && fields < s + i)))) {
			buf_putc(b, s[i]);
			continue;
		}
		size_t from = b->n;
		while (from && (isalnum((unsigned char)b->p[from - 1]) || strchr(scoped ? "_" : "_.-~%", b->p[from - 1])))
			from--;
		if (from == b->n) {
			buf_putc(b, s[i]);
			continue;
		}
		b->n = from;
		i += scope;
	}
}

/* Append a symbol with all brackets replaced: map<...>::insert(...). */
static void fold_brackets(struct buf *b, const char *s, size_t n)
{
	int depth = 0;
	for (size_t i = 0; i < n; i++) {
		int d = bracket(s, i);
		if (d > 0 && depth++ == 0)
			buf_printf(b, i + 1 < n && bracket(s, i + 1) < 0 ? "%c" : "%c...", s[i]);
		else if (d < 0 && depth)
			depth--;
		if (!depth)
			buf_putc(b, s[i]);
	}
}

/* Append Header::from_der for <Header as FromDer>::from_der, and any other symbol unchanged. */
static void put_self(struct buf *b, const char *s, size_t n)
{
	size_t depth = 0, as = 0, end = 0;
	for (size_t i = 0; i < n && !end && *s == '<'; i++) {
		int d = bracket(s, i);
		depth += d > 0;
		depth -= d < 0;
		if (depth == 1 && !as && n - i > 4 && !memcmp(s + i, " as ", 4))
			as = i;
		end = depth ? 0 : i + 1;
	}
	if (as && end)
		buf_put(b, s + 1, as - 1);
	buf_put(b, s + (as ? end : 0), n - (as ? end : 0));
}

/* Append a name of JavaScript without the folders of its file, or without its kind, or one of both alone:
   LazyCompile:*run server.js:42, *run server.js:42, *run for LazyCompile:*run /srv/app/server.js:42. Return false if it
   is another name. */
static bool put_with_file(struct buf *b, const char *s, size_t n, size_t cells, bool ascii, size_t *used)
{
	const char *blank = memchr(s, ' ', n), *slash = text_last(s, '/', n);
	size_t name = blank ? (size_t)(blank - s) : 0, file = slash ? (size_t)(slash - s) + 1 : 0;
	if (!name || !slash || slash < blank || !memchr(s + file, ':', n - file) || memchr(s, '{', n))
		return false;
	const char *colon = memchr(s, ':', name);
	size_t kind = colon ? (size_t)(colon - s) + 1 : 0, rest = text_width(s + file, n - file), from = kind;
	if (text_width(s, name) + 1 + rest <= cells)
		from = 0;
	if (text_width(s + from, name - from) + 1 + rest <= cells) {
		*used = text_fit(b, s + from, name + 1 - from, cells, ascii);
		*used += text_fit(b, s + file, n - file, rest, ascii);
	} else if (s[name - 1] == ')') {	/* (anonymous) */
		*used = text_fit(b, s + file, n - file, cells, ascii);
	} else {
		*used = text_fit(b, s + from, name - from, cells, ascii);
	}
	return true;
}

/* Append the symbol from the first part on from which it fits. least: the parts that are kept at least. false: it does
   not fit. */
static bool put_fitting(struct buf *b, const char *s, size_t n, size_t cells, int least, size_t *used)
{
	struct symbol_parts y = parts_of(s, n);
	size_t at = fitting_part(s, n, cells);
	if (text_width(s + at, n - at) > cells || (least > 1 && !symbol_part(&y, at)))
		return false;
	*used = text_fit(b, s + at, n - at, cells, true);
	return true;
}

size_t text_fit_symbol(struct buf *b, const char *s, size_t n, size_t cells, bool ascii)
{
	struct buf folded = {0}, inner = {0}, self = {0}, none = {0};
	size_t used = 0;
	if (text_width(s, n) <= cells)
		return text_fit(b, s, n, cells, ascii);
	if (fold_shapes(&folded, s, n)) {
		s = folded.p;
		n = folded.n;
	}
	bool scoped = memmem(s, n, "::", 2) != NULL;
	shorten_brackets(&inner, s, n, scoped);
	if (scoped)
		put_self(&self, inner.p, inner.n);
	fold_brackets(&none, self.p, self.n);
	bool done = put_with_file(b, s, n, cells, ascii, &used) || put_fitting(b, s, n, cells, 2, &used) ||
	    put_fitting(b, inner.p, inner.n, cells, 2, &used) ||
	    (scoped && (put_fitting(b, self.p, self.n, cells, 2, &used) || put_fitting(b, none.p, none.n, cells, 2, &used))) ||
	    put_fitting(b, s, n, cells, 1, &used);
	if (!done) {
		size_t at = text_symbol_tail(inner.p, inner.n);
		used = text_fit(b, inner.p + at, inner.n - at, cells, ascii);
	}
	buf_free(&folded);
	buf_free(&inner);
	buf_free(&self);
	buf_free(&none);
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

/* What is removed of all symbols of a line. Receivers only before a place, which tells the functions apart: in a list of
   callers without places, (*FD).Read < (*conn).Read, the receiver does. */
enum line_cut { CUT_PATHS, CUT_PACKAGES, CUT_RECEIVERS, CUT__N };

/* Return whether a text begins with a place: main.go:38. */
static bool is_place(const char *s, size_t n)
{
	const char *end = memchr(s, ' ', n), *colon = memchr(s, ':', end ? (size_t)(end - s) : n);
	return colon && colon + 1 < s + n && isdigit((unsigned char)colon[1]) && memchr(s, '.', (size_t)(colon - s));
}

/* Return how many bytes at the front of a word are removed: its path, or the package or also the receiver of a method. A
   function with its package is not shortened, because it may be the name of a region or of a state. */
static size_t prefix_to_cut(const char *s, size_t n, enum line_cut what)
{
	if (what == CUT_PATHS)
		return word_path(s, n);
	bool receiver = n > 1 && s[0] == '(' && s[1] == '*';
	if (!is_symbol_word(s, n) || (receiver ? what != CUT_RECEIVERS : !memmem(s, n, ".(*", 3)))
		return 0;
	struct symbol_parts y = parts_of(s, n);
	return what == CUT_RECEIVERS ? text_symbol_tail(s, n) : dot_part(&y, 0);
}

/* Append a line, removing the fronts of its words from left to right until it is `over` cells shorter. Return the
   number of cells by which it is still too long. */
static size_t shorten_line(struct buf *to, const char *s, size_t n, size_t over, enum line_cut what)
{
	for (size_t i = 0; i < n;) {
		const char *end = memchr(s + i, ' ', n - i);
		size_t word = end ? (size_t)(end - s) - i : n - i, cut = 0;
		if (over && (what != CUT_RECEIVERS || (end && is_place(end + 1, n - i - word - 1))))
			cut = prefix_to_cut(s + i, word, what);
		/* fronts are ASCII except unusual ones, which are cut a little too much */
		over -= cut > over ? over : cut;
		word += end != NULL;
		buf_put(to, s + i + cut, word - cut);
		i += word;
	}
	return over;
}

/* Append a line that is too long, without the front of the symbol at the cut, or of the one whose place is there. Return
   false if the cut is elsewhere, or in a symbol of a single part. */
static bool keep_end(struct buf *to, const char *s, size_t n, size_t cells)
{
	struct buf head = {0};
	size_t from;
	text_put_head(&head, s, n, cells - 1, &from);
	buf_free(&head);
	while (from && s[from - 1] != ' ')
		from--;
	const char *end = memchr(s + from, ' ', n - from);
	size_t word = end ? (size_t)(end - s) - from : n - from, before = text_width(s, from), last = from;
	while (last > 1 && s[last - 2] != ' ')
		last--;
	if (last > 1 && is_place(s + from, n - from) && is_symbol_word(s + last - 1, from - last)) {
		size_t skip = text_symbol_tail(s + last - 1, from - last);
		buf_put(to, s, last - 1);
		buf_put(to, s + last - 1 + skip, n - last + 1 - skip);
		return skip > 0;
	}
	if (before >= cells || !is_symbol_word(s + from, word))
		return false;
	size_t skip = fitting_part(s + from, word, cells - before - (end != NULL));
	buf_put(to, s, from);
	buf_put(to, s + from + skip, n - from - skip);
	return skip > 0;
}

size_t text_fit_line(struct buf *b, const char *s, size_t n, size_t cells, bool ascii)
{
	struct buf folded = {0}, t[CUT__N] = {{0}};
	size_t width = text_width(s, n);
	if (!cells)
		return 0;
	if (width > cells && fold_shapes(&folded, s, n)) {
		s = buf_str(&folded);
		n = folded.n;
		width = text_width(s, n);
	}
	size_t over = width > cells ? width - cells : 0;
	for (int i = 0; over && i < CUT__N; i++) {
		size_t left = shorten_line(&t[i], s, n, over, (enum line_cut)i);
		if (i == CUT_RECEIVERS && left)
			break;		/* it would be cut nevertheless */
		over = left;
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
	for (int i = 0; i < CUT__N; i++)
		buf_free(&t[i]);
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
