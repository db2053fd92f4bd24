/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_NAMES_H
#define TTRACE_FILTER_NAMES_H

#include "base/text/regex.h"
#include "pprof/profile.h"

/* Shared by pprof/filter.c and pprof/tag_filter.c. A regular expression with its results by string. */
struct string_matcher {
	const struct profile *p;
	struct regex *rx;		/* owned; NULL: none */
	uint8_t *known;
	size_t n;
};
/* Compile an option; *rx is NULL if text is NULL or empty. -1: *e names the option. */
int pprof_compile_option(struct regex **, const char *option, const char *text, struct err *e);

struct pprof_tag_test {		/* tagfocus or tagignore */
	bool on, range;
	const char *key;	/* NULL: any */
	size_t nkey;
	double lo, hi;
	char *unit;		/* unit of lo and hi */
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
