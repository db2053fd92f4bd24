/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Demangles by binutils' libiberty, whose output can be counted while it is made. In C++ and in Rust a mangled name may
 * refer back to a part of itself, so that the source name doubles in length with every few bytes, and the library
 * limits only the depth. So it is left by longjmp() if the output is longer than a readable name. That happens between
 * two pieces of text, where the library holds no memory (it does while it outputs an identifier of Rust that is not
 * ASCII).
 */
#include "config.h"
#include "symbols/demangle_bounded.h"

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/* Bound of the result: a constant, and TIMES the length of the mangled name. Names of LLVM grow up to 30-fold. */
enum { LONGEST = 8192, TIMES = 64 };

struct saying {
	struct buf text;
	size_t most;
	bool rust;
	jmp_buf enough;
};

static bool is_ascii(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] >= 0x80)
			return false;
	return true;
}

static void put_text(const char *s, size_t n, void *arg)
{
	struct saying *w = arg;
	buf_put(&w->text, s, n);
	if (w->text.n > w->most && (!w->rust || is_ascii(s, n)))
		longjmp(w->enough, 1);
}

static bool demangle_name(struct saying *w, const char *name)
{
	if (setjmp(w->enough))
		return false;
	return (w->rust ? rust_demangle_callback(name, DMGL_RUST, put_text, w)
			: cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_TYPES, put_text, w)) && w->text.n;
}

static bool demangle_bounded(struct buf *b, const char *name, bool rust)
{
	struct saying w = {.rust = rust, .most = LONGEST + TIMES * strlen(name)};
	bool ok = demangle_name(&w, name);
	if (ok)
		buf_put(b, w.text.p, w.text.n);
	buf_free(&w.text);
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
