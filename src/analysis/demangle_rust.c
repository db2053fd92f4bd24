/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Names of Rust. The old form dresses as C++: _ZN, path components with their
 * lengths, a hash of 16 digits that nobody wants to see, and $LT$ for what C++
 * names cannot hold. The new one (v0, RFC 2603) is a grammar of its own, in
 * which types and paths nest and may refer back to what was said before.
 *
 * No system library knows the second, so it is read here. It is the one place
 * that recurses over what it reads, because the grammar does: the depth, the
 * steps and the length of the answer are bounded, since a name that refers back
 * to itself can double with every few bytes. What does not parse stays as it is.
 * Generic arguments are written as <> unless all is asked for.
 */
#include "config.h"
#include "analysis/demangle_rust.h"

#include "base/text.h"

#include <string.h>

enum { DEPTH = 128, STEPS = 20000, LONGEST = 8192 };

struct rust {
	const char *s;
	size_t n, at;
	struct buf *out;
	bool bad, mute, simple;
	unsigned depth, steps;
	uint64_t lifetimes;	/* bound so far */
};

static void path(struct rust *r, bool value);
static void type(struct rust *r);
static void constant(struct rust *r);

/* ---- reading and writing */

static char peek(const struct rust *r)
{
	return r->at < r->n ? r->s[r->at] : 0;
}

static bool take(struct rust *r, char c)
{
	bool yes = r->at < r->n && r->s[r->at] == c;
	r->at += yes;
	return yes;
}

static void want(struct rust *r, char c)
{
	if (!take(r, c))
		r->bad = true;
}

/* Enter something that may nest; false: too deep, too long, or over. */
static bool enter(struct rust *r)
{
	if (r->bad || r->depth >= DEPTH || ++r->steps > STEPS || r->out->n > LONGEST)
		r->bad = true;
	r->depth += !r->bad;
	return !r->bad;
}

static void put(struct rust *r, const char *s)
{
	if (!r->mute && !r->bad)
		buf_puts(r->out, s);
}

static void put_n(struct rust *r, const char *s, size_t n)
{
	if (!r->mute && !r->bad)
		buf_put(r->out, s, n);
}

static void put_u64(struct rust *r, uint64_t v)
{
	if (!r->mute && !r->bad)
		buf_u64(r->out, v);
}

static uint64_t decimal(struct rust *r)
{
	uint64_t v = 0;
	char c = peek(r);
	if (c < '0' || c > '9')
		r->bad = true;
	if (take(r, '0'))
		return 0;
	for (; (c = peek(r)) >= '0' && c <= '9' && v < UINT32_MAX; r->at++)
		v = v * 10 + (uint64_t)(c - '0');
	return v;
}

/* Digits 0-9a-zA-Z and _: one more than they say; _ alone is 0. Too much wraps: where it is a place, that
   is checked. */
static uint64_t base62(struct rust *r)
{
	uint64_t v = 0;
	if (take(r, '_'))
		return 0;
	for (; !take(r, '_'); r->at++) {
		char c = peek(r);
		uint64_t d = c >= '0' && c <= '9' ? (uint64_t)(c - '0') : c >= 'a' && c <= 'z' ? (uint64_t)(c - 'a' + 10)
			   : c >= 'A' && c <= 'Z' ? (uint64_t)(c - 'A' + 36) : 62;
		if (d == 62) {
			r->bad = true;
			return 0;
		}
		v = v * 62 + d;
	}
	return v + 1;
}

/* ---- identifiers */

struct ident { const char *s; size_t n; bool puny; };

static struct ident identifier(struct rust *r)
{
	struct ident id = {.puny = take(r, 'u')};
	uint64_t n = decimal(r);
	take(r, '_');
	if (r->bad || n > r->n - r->at) {
		r->bad = true;
		return id;
	}
	id.s = r->s + r->at;
	id.n = (size_t)n;
	r->at += id.n;
	return id;
}

static uint64_t disambiguator(struct rust *r)
{
	return take(r, 's') ? base62(r) + 1 : 0;
}

static uint64_t puny_threshold(uint64_t k, uint64_t bias)
{
	return k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
}

/* RFC 3492: the plain letters, and where the others go. */
static void put_puny(struct rust *r, const struct ident *id)
{
	enum { MAX = 256 };
	uint32_t cp[MAX];
	size_t n = 0, at = 0;
	for (size_t i = 0; i < id->n; i++)
		if (id->s[i] == '_')
			at = i + 1;
	for (; at && n + 1 < at && n < MAX; n++)
		cp[n] = (unsigned char)id->s[n];
	uint64_t i = 0, code = 128, bias = 72;
	bool first = true;
	while (at < id->n && n < MAX && !r->bad) {
		uint64_t old = i, w = 1;
		for (uint64_t k = 36;; k += 36) {
			char c = at < id->n ? id->s[at++] : 0;
			uint64_t d = c >= 'a' && c <= 'z' ? (uint64_t)(c - 'a') : c >= 'A' && c <= 'Z' ? (uint64_t)(c - 'A')
				   : c >= '0' && c <= '9' ? (uint64_t)(c - '0' + 26) : 36;
			uint64_t t = puny_threshold(k, bias);
			if (d == 36 || w > UINT32_MAX || i > UINT32_MAX) {
				r->bad = true;
				return;
			}
			i += d * w;
			if (d < t)
				break;
			w *= 36 - t;
		}
		uint64_t delta = (first ? (i - old) / 700 : (i - old) / 2), k = 0;
		first = false;
		delta += delta / (n + 1);
		for (; delta > 455; k += 36)
			delta /= 35;
		bias = k + 36 * delta / (delta + 38);
		code += i / (n + 1);
		i %= n + 1;
		if (code > 0x10ffff)
			r->bad = true;
		memmove(cp + i + 1, cp + i, (n - i) * sizeof *cp * (n < MAX - 1));
		if (n < MAX - 1)
			cp[i++] = (uint32_t)code, n++;
		else
			r->bad = true;
	}
	for (size_t k = 0; k < n && !r->bad; k++) {
		char u[4];
		put_n(r, u, utf8_encode(cp[k], u));
	}
}

static void put_ident(struct rust *r, const struct ident *id)
{
	if (id->puny && !r->bad && !r->mute)
		put_puny(r, id);
	else if (id->s)
		put_n(r, id->s, id->n);
}

/* Read again what was read at an earlier place. */
static void back(struct rust *r, void (*fn)(struct rust *))
{
	size_t from = r->at - 1;
	uint64_t to = base62(r);
	if (r->bad || to >= from) {
		r->bad = true;
		return;
	}
	if (r->mute)	/* it has no end of its own that matters */
		return;
	size_t here = r->at;
	r->at = (size_t)to;
	fn(r);
	r->at = here;
}

/* ---- lifetimes */

static void lifetime(struct rust *r, uint64_t index)
{
	put(r, "'");
	if (!index) {
		put(r, "_");
	} else if (index > r->lifetimes) {
		r->bad = true;
	} else {
		uint64_t depth = r->lifetimes - index;
		char c = depth < 26 ? (char)('a' + depth) : 'z';
		put_n(r, &c, 1);
		if (depth >= 26)
			put_u64(r, depth - 25);
	}
}

static void binder(struct rust *r)
{
	if (!take(r, 'G'))
		return;
	uint64_t n = base62(r) + 1;
	if (n > r->n) {
		r->bad = true;
		return;
	}
	put(r, "for<");
	for (uint64_t i = 0; i < n; i++) {
		put(r, i ? ", " : "");
		r->lifetimes++;
		lifetime(r, 1);
	}
	put(r, "> ");
}

/* ---- paths */

static void generic_args(struct rust *r)
{
	bool was = r->mute;
	r->mute |= r->simple;
	for (unsigned i = 0; !r->bad && peek(r) != 'E'; i++) {
		put(r, i ? ", " : "");
		if (take(r, 'L'))
			lifetime(r, base62(r));
		else if (take(r, 'K'))
			constant(r);
		else
			type(r);
	}
	r->mute = was;
	want(r, 'E');
}

static void nested(struct rust *r, bool value)
{
	char space = peek(r);
	if (!((space >= 'a' && space <= 'z') || (space >= 'A' && space <= 'Z'))) {
		r->bad = true;
		return;
	}
	r->at++;
	path(r, value);
	uint64_t number = disambiguator(r);
	struct ident id = identifier(r);
	if (space >= 'a') {
		put(r, "::");
		put_ident(r, &id);
		return;
	}
	put(r, "::{");
	if (space == 'C' || space == 'S')
		put(r, space == 'C' ? "closure" : "shim");
	else
		put_n(r, &space, 1);
	if (id.n) {
		put(r, ":");
		put_ident(r, &id);
	}
	put(r, "#");
	put_u64(r, number);
	put(r, "}");
}

/* The module that an impl is in: not shown. */
static void impl_path(struct rust *r)
{
	bool was = r->mute;
	r->mute = true;
	disambiguator(r);
	path(r, false);
	r->mute = was;
}

static void path_value(struct rust *r)
{
	path(r, true);
}

static void path_type(struct rust *r)
{
	path(r, false);
}

static void self_as_trait(struct rust *r, bool trait)
{
	put(r, "<");
	type(r);
	if (trait) {
		put(r, " as ");
		path(r, false);
	}
	put(r, ">");
}

/* value: generic arguments stand behind ::, as in an expression. */
static void path(struct rust *r, bool value)
{
	if (!enter(r))
		return;
	char c = peek(r);
	r->at += r->at < r->n;
	switch (c) {
	case 'C':
		disambiguator(r);
		struct ident id = identifier(r);
		put_ident(r, &id);
		break;
	case 'M':
	case 'X':
		impl_path(r);
		self_as_trait(r, c == 'X');
		break;
	case 'Y': self_as_trait(r, true); break;
	case 'N': nested(r, value); break;
	case 'I':
		path(r, value);
		put(r, value ? "::<" : "<");
		generic_args(r);
		put(r, ">");
		break;
	case 'B': back(r, value ? path_value : path_type); break;
	default: r->bad = true;
	}
	r->depth--;
}

/* ---- types */

static const char *basic(char c)
{
	static const char *const names[26] = {"i8", "bool", "char", "f64", "str", "f32", NULL, "u8", "isize", "usize", NULL,
	    "i32", "u32", "i128", "u128", "_", NULL, NULL, "i16", "u16", "()", "...", NULL, "i64", "u64", "!"};
	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static void function_type(struct rust *r)
{
	uint64_t was = r->lifetimes;
	binder(r);
	if (take(r, 'U'))
		put(r, "unsafe ");
	if (take(r, 'K')) {
		struct ident abi = {"C", 1, false};
		if (!take(r, 'C'))
			abi = identifier(r);
		put(r, "extern \"");
		for (size_t i = 0; i < abi.n && !r->bad; i++)
			put_n(r, abi.s[i] == '_' ? "-" : abi.s + i, 1);
		put(r, "\" ");
	}
	put(r, "fn(");
	for (unsigned i = 0; !r->bad && peek(r) != 'E'; i++) {
		put(r, i ? ", " : "");
		type(r);
	}
	want(r, 'E');
	put(r, ")");
	if (!take(r, 'u')) {
		put(r, " -> ");
		type(r);
	}
	r->lifetimes = was;
}

/* A trait whose list of arguments may go on with what its types are: true when it is open. */
static bool open_trait(struct rust *r)
{
	bool open = false;
	if (!enter(r))
		return false;
	if (take(r, 'I')) {
		path(r, false);
		put(r, "<");
		generic_args(r);
		open = true;
	} else if (take(r, 'B')) {
		size_t from = r->at - 1;
		uint64_t to = base62(r);
		size_t here = r->at;
		if (to >= from)
			r->bad = true;
		r->at = r->bad ? r->at : (size_t)to;
		open = open_trait(r);
		r->at = here;
	} else {
		path(r, false);
	}
	r->depth--;
	return open;
}

static void dyn_trait(struct rust *r)
{
	bool open = open_trait(r);
	while (!r->bad && take(r, 'p')) {
		put(r, open ? ", " : "<");
		open = true;
		struct ident id = identifier(r);
		put_ident(r, &id);
		put(r, " = ");
		type(r);
	}
	if (open)
		put(r, ">");
}

static void dyn_type(struct rust *r)
{
	uint64_t was = r->lifetimes, index;
	put(r, "dyn ");
	binder(r);
	for (unsigned i = 0; !r->bad && peek(r) != 'E'; i++) {
		put(r, i ? " + " : "");
		dyn_trait(r);
	}
	want(r, 'E');
	r->lifetimes = was;
	want(r, 'L');
	if (!r->bad && (index = base62(r))) {
		put(r, " + ");
		lifetime(r, index);
	}
}

static void reference(struct rust *r, bool mut)
{
	put(r, "&");
	if (take(r, 'L')) {
		uint64_t index = base62(r);
		if (index) {
			lifetime(r, index);
			put(r, " ");
		}
	}
	put(r, mut ? "mut " : "");
	type(r);
}

static void tuple(struct rust *r)
{
	unsigned i = 0;
	put(r, "(");
	for (; !r->bad && peek(r) != 'E'; i++) {
		put(r, i ? ", " : "");
		type(r);
	}
	want(r, 'E');
	put(r, i == 1 ? ",)" : ")");
}

static void type(struct rust *r)
{
	char c = peek(r);
	if (!enter(r))
		return;
	r->at += r->at < r->n;
	if (basic(c)) {
		put(r, basic(c));
		r->depth--;
		return;
	}
	switch (c) {
	case 'A':
	case 'S':
		put(r, "[");
		type(r);
		if (c == 'A') {
			put(r, "; ");
			constant(r);
		}
		put(r, "]");
		break;
	case 'T': tuple(r); break;
	case 'R':
	case 'Q': reference(r, c == 'Q'); break;
	case 'P':
	case 'O':
		put(r, c == 'P' ? "*const " : "*mut ");
		type(r);
		break;
	case 'F': function_type(r); break;
	case 'D': dyn_type(r); break;
	case 'B': back(r, type); break;
	default:
		r->at -= r->at > 0;
		path(r, false);
	}
	r->depth--;
}

/* ---- constants */

static void put_char(struct rust *r, uint64_t v)
{
	char hex[16] = "0123456789abcdef", u[24], c = (char)v;
	size_t n = sizeof u;
	if (v == '\t' || v == '\r' || v == '\n')
		put(r, v == '\t' ? "'\\t'" : v == '\r' ? "'\\r'" : "'\\n'");
	else if (v >= ' ' && v <= '~') {
		put(r, v == '\\' || v == '\'' ? "'\\" : "'");
		put_n(r, &c, 1);
		put(r, "'");
	} else {
		for (; v && n > 4; v >>= 4)
			u[--n] = hex[v & 15];
		put(r, "'\\u{");
		put_n(r, u + n, sizeof u - n);
		put(r, "}'");
	}
}

static void constant(struct rust *r)
{
	if (!enter(r))
		return;
	r->depth--;
	char kind = peek(r);
	r->at += r->at < r->n;
	if (kind == 'B') {
		back(r, constant);
		return;
	}
	if (kind == 'p') {
		put(r, "_");
		return;
	}
	bool is_signed = kind && strchr("aslxni", kind), is_unsigned = kind && strchr("htmyoj", kind);
	if (is_signed && take(r, 'n'))
		put(r, "-");
	size_t from = r->at;
	uint64_t v = 0;
	while (!take(r, '_')) {
		char c = peek(r);
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
			r->bad = true;
			return;
		}
		v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
		r->at++;
	}
	size_t digits = r->at - 1 - from;
	if (!digits || (!is_signed && !is_unsigned && kind != 'b' && kind != 'c')) {
		r->bad = true;
	} else if (kind == 'b') {
		r->bad |= v > 1;
		put(r, v ? "true" : "false");
	} else if (kind == 'c') {
		put_char(r, v);
	} else if (digits > 16) {
		put(r, "0x");
		put_n(r, r->s + from, digits);
	} else {
		put_u64(r, v);
	}
}

/* ---- the two forms */

static bool modern(struct buf *b, const char *s, size_t n, bool simple)
{
	struct rust r = {.s = s, .n = n, .out = b, .simple = simple};
	size_t was = b->n;
	path(&r, true);
	if (!r.bad && r.at < r.n) {	/* the crate that it was made for */
		r.mute = true;
		path(&r, false);
	}
	if (!r.bad && r.at == r.n)
		return true;
	b->n = was;
	return false;
}

/* $LT$ and the like; false: it is none. How far it reaches, into *n. */
static bool escape(struct buf *b, const char *s, size_t left, size_t *n)
{
	static const struct { const char *code; char c; } codes[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'},
		{"$LT$", '<'}, {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};
	static const char hex[] = "0123456789abcdef";
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		*n = strlen(codes[i].code);
		if (*n <= left && !memcmp(s, codes[i].code, *n)) {
			buf_putc(b, codes[i].c);
			return true;
		}
	}
	const char *hi = left > 4 && s[1] == 'u' && s[4] == '$' && s[2] ? strchr(hex, s[2]) : NULL;
	const char *lo = hi && s[3] ? strchr(hex, s[3]) : NULL;
	int v = lo ? (int)((hi - hex) * 16 + (lo - hex)) : 0;
	if (v < ' ' || v > 126)
		return false;
	buf_putc(b, v);
	*n = 5;
	return true;
}

static void old_component(struct buf *b, const char *s, size_t n)
{
	if (n > 1 && s[0] == '_' && s[1] == '$')
		s++, n--;
	for (size_t i = 0, k; i < n; i += k) {
		k = 1;
		if (s[i] == '.' && i + 1 < n && s[i + 1] == '.') {
			buf_puts(b, "::");
			k = 2;
		} else if (s[i] == '$' && !escape(b, s + i, n - i, &k)) {
			buf_put(b, s + i, n - i);
			return;
		} else if (s[i] != '$') {
			buf_putc(b, s[i]);
		}
	}
}

/* s: behind _ZN, up to before the hash. */
static bool old_path(struct buf *b, const char *s, size_t n)
{
	size_t was = b->n;
	for (size_t at = 0; at < n;) {
		size_t len = 0, from = at;
		while (at < n && s[at] >= '0' && s[at] <= '9' && len < n)
			len = len * 10 + (size_t)(s[at++] - '0');
		if (at == from || !len || len > n - at) {
			b->n = was;
			return false;
		}
		if (b->n > was)
			buf_puts(b, "::");
		/* pprof takes a leading underscore for the end of the length, and so for a part of it */
		bool under = s[at] == '_' && len > 1;
		old_component(b, s + at + under, len - under);
		at += len;
	}
	return b->n > was;
}

/* "17h", 16 digits of which at least 5 differ, "E". */
static bool has_hash(const char *s, size_t n)
{
	enum { HASH = 20 };
	unsigned seen = 0, kinds = 0;
	if (n <= HASH || memcmp(s + n - HASH, "17h", 3) || s[n - 1] != 'E')
		return false;
	for (const char *p = s + n - 17; p < s + n - 1; p++) {
		const char *d = strchr("0123456789abcdef", *p);
		if (!d || !*d)
			return false;
		seen |= 1u << (*p <= '9' ? *p - '0' : *p - 'a' + 10);
	}
	for (; seen; seen &= seen - 1)
		kinds++;
	return kinds >= 5;
}

bool demangle_rust(struct buf *b, const char *name, bool simple)
{
	size_t n = strcspn(name, ".");
	if (!strncmp(name, "_R", 2) && n > 2 && !(name[2] >= '0' && name[2] <= '9'))
		return modern(b, name + 2, n - 2, simple);
	if (strncmp(name, "_ZN", 3))
		return false;
	n = strlen(name);	/* components may hold dots: .llvm.123 is what follows the hash */
	const char *llvm = strstr(name, "E.llvm.");
	if (llvm)
		n = (size_t)(llvm - name) + 1;
	return has_hash(name, n) && old_path(b, name + 3, n - 3 - 20);
}
