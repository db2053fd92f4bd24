/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Demangles by binutils' libiberty, whose output can be counted while it is made. In C++ and in Rust a mangled name may
 * refer back to a part of itself, so that the source name doubles in length with every few bytes, and the library
 * limits only the depth. So it is left by longjmp() if the output is longer than a readable name. That happens between
 * two pieces of text, where the library holds no memory (it does while it outputs an identifier of Rust that is not
 * ASCII).
 *
 * For three kinds of names it takes exponential time before it outputs anything. They stay mangled. They have certain
 * pairs of letters, but identifiers may have these, too. So a copy is demangled first in which the second letter is
 * another one that means nothing in that place: if that succeeds, the letters are only in identifiers and numbers.
 */
#include "config.h"
#include "symbols/demangle_bounded.h"

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/* Bound of the result: a constant, and TIMES the length of the mangled name. Names of LLVM grow up to 30-fold. */
enum { LONGEST = 8192, TIMES = 64 };
/* Names up to these bounds are demangled at once: components of the name as a tree (0.3 ms), and conversions. */
enum { TREE = 1 << 21, CONVERSIONS = 4 };
#define BASE36 "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

struct bounded_output {
	struct buf text;
	size_t most;
	bool rust;
	jmp_buf enough;
};

/* Take the number of a substitution (S_, S0_ ...), from 0. The largest stands for all larger ones, too. */
static uint32_t take_number(const char **s, uint32_t largest)
{
	size_t n = strspn(*s, BASE36);
	uint32_t k = 0;
	for (size_t i = 0; i < n && k < largest; i++)
		k = 36 * k + (uint32_t)(strchr(BASE36, (*s)[i]) - BASE36);
	*s += n;
	k += n > 0;
	return k < largest ? k : largest;
}

/* Return whether the components of the name, as a tree, may be more than TREE. A substitution contains only lower ones,
   so to replace all n of one number by their text makes the text up to 1 + n times as long. */
static bool is_large_tree(const char *s)
{
	enum { NUMBERS = 128 };
	uint32_t uses[NUMBERS + 1] = {0};
	uint64_t size = strlen(s);
	while (size <= TREE && (s = strchr(s, 'S'))) {
		s++;
		uint32_t k = take_number(&s, NUMBERS);
		if (*s != '_')
			continue;
		size = size / (1 + uses[k]) * (2 + uses[k]);
		uses[k] += k < NUMBERS;
	}
	return size > TREE;
}

/* Return whether a pack expansion (Dp, sp) or sizeof... (sZ) begins here whose pattern is more than a parameter. */
static bool expands_pattern(const char *s)
{
	if (strncmp(s, "Dp", 2) != 0 && strncmp(s, "sp", 2) != 0 && strncmp(s, "sZ", 2) != 0)
		return false;
	s += 2 + strspn(s + 2, "RKOVP");	/* references, pointers */
	if (*s == 'T') {
		s += 1 + strspn(s + 1, BASE36);
		return *s != '_' || s[1] == 'I';
	}
	return strncmp(s, "fp", 2) != 0;
}

/* The library searches the pattern of an expansion for a pack, as a tree. It reads what follows a conversion (cv) to a
   parameter of a template twice, also inside of another one. */
static bool spoil_cxx(char *name)
{
	size_t conversions = 0;
	bool large = is_large_tree(name), found = false;
	for (const char *s = name; (s = strstr(s, "cv")); s++)
		conversions++;
	for (char *s = name; *s; s++)
		if ((conversions > CONVERSIONS && !strncmp(s, "cv", 2)) ||
		    (large && expands_pattern(s))) {
			s[1] = 'Y';
			found = true;
		}
	return found;
}

/* The library counts the lifetimes of a function or dyn type one by one, even those of an impl, which it does not
   output: FG or DG, a number of base 62, and _. */
static bool spoil_rust(char *name)
{
	bool found = false;
	const char *end = name;
	for (char *s = name; (s = strchr(s + 1, 'G'));) {
		if (end <= s)
			end = s + 1 + strspn(s + 1, BASE36 "abcdefghijklmnopqrstuvwxyz");
		if ((s[-1] == 'F' || s[-1] == 'D') && *end == '_' && end - s > 2) {
			*s = 'Z';
			found = true;
		}
	}
	return found;
}

static bool is_ascii(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] >= 0x80)
			return false;
	return true;
}

static void put_text(const char *s, size_t n, void *arg)
{
	struct bounded_output *w = arg;
	buf_put(&w->text, s, n);
	if (w->text.n > w->most && (!w->rust || is_ascii(s, n)))
		longjmp(w->enough, 1);
}

static bool demangle_name(struct bounded_output *w, const char *name)
{
	if (setjmp(w->enough))
		return false;
	return (w->rust ? rust_demangle_callback(name, DMGL_RUST, put_text, w)
			: cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_TYPES, put_text, w)) && w->text.n;
}

static bool demangle_bounded(struct buf *b, const char *name, bool rust)
{
	struct bounded_output w = {.rust = rust, .most = LONGEST + TIMES * strlen(name)};
	struct buf copy = {0};
	buf_puts(&copy, name);
	bool doubtful = rust ? spoil_rust(buf_str(&copy)) : spoil_cxx(buf_str(&copy)),
	     ok = !doubtful || demangle_name(&w, buf_str(&copy));
	w.text.n = 0;
	ok = ok && demangle_name(&w, name);
	if (ok)
		buf_put(b, w.text.p, w.text.n);
	buf_free(&w.text);
	buf_free(&copy);
	return ok;
}
#else
static bool demangle_bounded(struct buf *b, const char *name, bool rust)
{
	(void)b, (void)name, (void)rust;
	return false;
}
#endif

bool demangle_bounded_cxx(struct buf *b, const char *name)
{
	return demangle_bounded(b, name, false);
}

bool demangle_bounded_rust(struct buf *b, const char *name)
{
	return demangle_bounded(b, name, true);
}
