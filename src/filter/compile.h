/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_COMPILE_H
#define TTRACE_FILTER_COMPILE_H

#include "base/err.h"
#include "base/text/buf.h"
#include "base/text/regex.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PROFILE_BASE_KEY "pprof::base"	/* the label of samples of a diff base */

/* pprof's filters, for reports (pprof/filter.c) and for the viewer (match.c). */
struct filters {	/* as entered; NULL or "": none */
#define FILTER(name, ID, KIND) const char *name;
#include "filter/filters.def"
#undef FILTER
};
enum filter_id {
#define FILTER(name, ID, KIND) FILTER_##ID,
#include "filter/filters.def"
#undef FILTER
	FILTER__N,
	FILTER_NAMES = FILTER_PRUNE_FROM + 1	/* those before it match names of functions, files and mappings */
};

struct tag_test {		/* tagfocus or tagignore */
	bool on, range;
	const char *key;	/* NULL: any */
	size_t nkey;
	double lo, hi;
	char *unit;		/* unit of lo and hi */
	struct regex **rx;
	size_t nrx;
};
/* Compiled filters do not change, and threads may share them. */
struct compiled_filters {
	struct filters text;		/* copies; NULL: none */
	struct regex *rx[FILTER__N];
	struct tag_test test[FILTER__N];
	_Atomic uint32_t refs;
};
/* Compile filters; release each reference with filter_free(). NULL: one is invalid, and *e names it. */
struct compiled_filters *filter_compile(const struct filters *, struct err *e);
struct compiled_filters *filter_ref(struct compiled_filters *);
void filter_free(struct compiled_filters *);

struct tag_text { const char *s; size_t n; };
struct tag_label {
	struct tag_text key, text;	/* text.s NULL: it is a number */
	int64_t num;
	const char *unit;		/* of the number */
};
/* Return whether a set of n labels passes the test; b is scratch. */
bool tag_test_match(const struct tag_test *, const struct tag_label *, size_t n, struct buf *b);

#endif
