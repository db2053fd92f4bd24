/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_NAMES_H
#define TTRACE_FILTER_NAMES_H

#include "base/text/regex.h"
#include "pprof/profile.h"

/* Between pprof/filter.c and tag_filter.c. A regular expression with its answers by string. */
struct names {
	const struct prof *p;
	struct rx *rx;		/* owned; NULL none */
	uint8_t *known;
	size_t n;
};
/* NULL in *rx when text is; -1 names the option in *e. */
int prof_rx_option(struct rx **, const char *option, const char *text, struct err *e);

struct prof_tag_test {		/* one of tagfocus and tagignore */
	bool on, range;
	const char *key;	/* NULL: any */
	size_t nkey;
	double lo, hi;
	char *unit;		/* of lo and hi */
	struct rx **rx;
	size_t nrx;
};
struct prof_tag_filter {
	struct prof_tag_test focus, ignore;
	struct rx *show, *hide;
	const struct prof_units *units;
};
int prof_tag_compile(struct prof_tag_filter *, const struct prof_filters *, const struct prof *,
    const struct prof_units *, prof_notice *, void *, struct err *);
void prof_tag_apply(struct prof_tag_filter *, struct prof *, prof_notice *, void *);
void prof_tag_free(struct prof_tag_filter *);

#endif
