/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Demangles C++ names. The compiler's runtime library demangles completely: return types, parameters, template
 * arguments. The parts that a mode omits are then removed from the text, which is possible because the brackets of a
 * demangled name match. From names that are not mangled but look like C++, bracketed parts are removed by a simpler
 * rule, which is pprof's. Without that library (see configure) only the latter is done.
 *
 * libiberty, if the build has it, is asked instead: its result is the same, and bounded (demangle_bounded.c).
 */
#include "config.h"
#include "symbols/demangle.h"

#include "base/dynlib.h"
#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "symbols/demangle_bounded.h"
#include "symbols/demangle_rust.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#if defined HAVE_LIBIBERTY && defined HAVE_CXA_DEMANGLE
enum { BOUNDED = true };
#else
enum { BOUNDED = false };
#endif

/* Return __cxa_demangle of the C++ runtime, which is opened with the first mangled name: as a linked library it would
   add a megabyte to every start. NULL: not available. */
typedef char *demangler(const char *name, char *out, size_t *n, int *status);
static demangler *find_demangler(void)
{
	static demangler *_Atomic found;
	static _Atomic bool searched;	/* threads that search at the same time find the same function */
	static const char *const names[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++abi.dylib", NULL};
	static const struct dynlib_symbol call = {"__cxa_demangle", 0};
	demangler *f = NULL;
	if (atomic_load(&searched))
		return atomic_load(&found);
#ifdef HAVE_CXA_DEMANGLE
	if (dynlib_open(names, &call, 1, &f))
		f = NULL;
#endif
	(void)names, (void)call;
	atomic_store(&found, f);
	atomic_store(&searched, true);
	return f;
}

/* Append the complete source name. Return false if the name is not mangled, or too long to be read. */
static bool demangle_cxx(struct buf *b, const char *name)
{
	int status;
	bool two = !strncmp(name, "__Z", 3);
	if (!two && strncmp(name, "_Z", 2) != 0)
		return false;
	if (BOUNDED)
		return demangle_bounded_cxx(b, name + two);
	demangler *f = find_demangler();
	char *full = f ? f(name + two, NULL, NULL, &status) : NULL;
	if (full)
		buf_puts(b, full);
	mem_free(full);
	return full;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Return the length of "operator" and its symbol at s, or 0. */
static size_t operator_at(const char *s, const char *begin)
{
	static const char *const symbol[] = {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=",
	    "->", "<", ">", " new[]", " delete[]", " new", " delete"};
	if (strncmp(s, "operator", 8) || is_word(s[8]) || (s > begin && is_word(s[-1])))
		return 0;
	for (size_t i = 0; i < sizeof symbol / sizeof symbol[0]; i++)
		if (!strncmp(s + 8, symbol[i], strlen(symbol[i])))
			return 8 + strlen(symbol[i]);
	size_t n = 8;
	if (s[n] == ' ')	/* conversion to a type */
		while (s[n] && s[n] != '(')
			n++;
	return n;
}

/* Return the place after the bracket that closes the one at s; the end of the text if none does. */
static const char *skip_bracketed(const char *s, const char *begin)
{
	int depth = 0;
	while (*s) {
		size_t op = operator_at(s, begin);
		if (op) {
			s += op;
			continue;
		}
		depth += *s == '(' || *s == '<' || *s == '{' || *s == '[';
		depth -= *s == ')' || (*s == '>' && s[-1] != '-') || *s == '}' || *s == ']';
		s++;
		if (!depth)
			break;
	}
	return s;
}

/* Skip what may follow the parameters of a member function. */
static const char *skip_qualifiers(const char *s)
{
	static const char *const word[] = {" const", " volatile", " restrict", " &&", " &", "&&", "&", " noexcept"};
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		if (!strncmp(s, word[i], strlen(word[i]))) {
			s += strlen(word[i]);
			i = SIZE_MAX;
		}
	return s;
}

/* Append a demangled name without its return type and parameters, and without template arguments if simple. */
static void put_simplified(struct buf *b, const char *s, bool simple)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *begin = s;
	while (*s) {
		size_t op = operator_at(s, begin);
		const char *next = s + 1;
		if (op) {
			next = s + op;
			buf_put(b, s, op);
			if (*next == ' ' && next[1] == '<')	/* operator< <...> */
				next++;
		} else if (!strncmp(s, anonymous, sizeof anonymous - 1)) {
			next = s + sizeof anonymous - 1;
			buf_puts(b, anonymous);
		} else if (*s == '(') {
			const char *after = skip_bracketed(s, begin);
			next = skip_qualifiers(after);
			if (!strncmp(next, "::", 2)) {	/* the function that contains a local entity */
				buf_puts(b, "()");
				buf_put(b, after, (size_t)(next - after));
			} else if (*next) {
				next = after;
			}
		} else if (*s == '<') {
			next = skip_bracketed(s, begin);
			if (!simple)
				buf_put(b, s, (size_t)(next - s));
		} else if (*s == '{' || *s == '[') {
			next = skip_bracketed(s, begin);
			buf_put(b, s, (size_t)(next - s));
		} else if (*s == ' ') {
			buf_reset(b);	/* the text before is the return type */
		} else {
			buf_putc(b, *s);
		}
		s = next;
	}
}

static bool looks_like_cpp(const char *s)
{
	if (strstr(s, ".<") || strstr(s, "])."))	/* Java, Go */
		return false;
	return strpbrk(s, "<>[]") || strstr(s, "::");
}

/* Remove everything between matching brackets, up to the first mismatch. */
static void remove_matching(struct buf *b, char open, char close)
{
	size_t to = 0, first = 0, depth = 0, i = 0;
	for (; i < b->n && (b->p[i] != close || depth); i++) {
		char c = b->p[i];
		if (c == open && !depth++)
			first = to;
		b->p[to++] = c;
		if (c == close && !--depth)
			to = first;
	}
	memmove(b->p + to, b->p + i, b->n - i);
	b->n -= i - to;
}

bool demangle(struct buf *b, const char *name, enum demangle_mode mode)
{
	if (mode != DM_NONE && demangle_rust(b, name, mode == DM_SIMPLE))
		return true;
	struct buf full = {0};
	if (mode == DM_NONE || !demangle_cxx(&full, name))
		return false;
	char *clone = strstr(buf_str(&full), " [clone ");
	if (clone)
		*clone = 0;
	if (mode == DM_FULL) {
		buf_puts(b, buf_str(&full));
	} else {
		struct buf t = {0};	/* separate buffer, because put_simplified() resets it */
		put_simplified(&t, buf_str(&full), mode == DM_SIMPLE);
		buf_put(b, t.p ? t.p : "", t.n);
		buf_free(&t);
	}
	buf_free(&full);
	return true;
}

static str_id plain_name(struct profile *p, str_id sys, enum demangle_mode mode)
{
	struct buf b = {0};
	if (!demangle(&b, profile_string(p, sys), mode)) {
		buf_put(&b, p->str[sys].s, p->str[sys].n);
		if (mode != DM_FULL && looks_like_cpp(buf_str(&b))) {
			remove_matching(&b, '(', ')');
			if (mode == DM_SIMPLE)
				remove_matching(&b, '<', '>');
		}
	}
	str_id s = profile_add_string(p, b.n ? b.p : "", b.n);
	buf_free(&b);
	return s;
}

void demangle_linker_names(struct profile *p)
{
	for (size_t i = 1; i < p->nfun; i++) {
		struct profile_function *f = &p->fun[i];
		const char *s = profile_string(p, f->name);
		if (*s != '_' || (s[1] != 'Z' && s[1] != 'R') || (f->sysname && f->sysname != f->name))
			continue;
		f->sysname = f->name;
		f->name = plain_name(p, f->name, DM_SIMPLE);
	}
}

void demangle_profile(struct profile *p, enum demangle_mode mode, bool force)
{
	for (size_t i = 1; i < p->nfun; i++) {
		struct profile_function *f = &p->fun[i];
		if (force && f->name && f->sysname)
			f->name = f->sysname;
		if (mode != DM_NONE && (!f->name || f->name == f->sysname))
			f->name = plain_name(p, f->sysname, mode);
	}
}
