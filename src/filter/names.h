/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_NAMES_H
#define TTRACE_FILTER_NAMES_H

#include "base/text/regex.h"
#include "pprof/profile.h"

/* Between pprof/filter.c and tag_filter.c. A regular expression with its answers by string. */
struct string_matcher {
	const struct profile *p;
	struct regex *rx;		/* owned; NULL none */
	uint8_t *known;
	size_t n;
};
/* NULL in *rx when text is; -1 names the option in *e. */
int pprof_compile_option(struct regex **, const char *option, const char *text, struct err *e);

struct pprof_tag_test {		/* one of tagfocus and tagignore */
	bool on, range;
	const char *key;	/* NULL: any */
	size_t nkey;
	double lo, hi;
	char *unit;		/* of lo and hi */
	struct regex **rx;
	size_t nrx;
};
struct pprof_tag_filter {
	struct pprof_tag_test focus, ignore;
	struct regex *show, *hide;
	const struct pprof_label_units *units;
};
int pprof_tag_filter_compile(struct pprof_tag_filter *, const struct pprof_filters *, const struct profile *,
    const struct pprof_label_units *, profile_notice *, void *, struct err *);
void pprof_tag_filter_apply(struct pprof_tag_filter *, struct profile *, profile_notice *, void *);
void pprof_tag_filter_free(struct pprof_tag_filter *);

#endif
