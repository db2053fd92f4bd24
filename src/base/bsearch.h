/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_BSEARCH_H
#define TTRACE_BASE_BSEARCH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Finding by halving: the first of n things in order that is not before what is looked for.
 *
 *	struct bsearch_probe h = {.hi = n};
 *	while (bsearch_probe(&h))
 *		bsearch_narrow(&h, v[h.at].t < t);
 *
 * Then it is v[h.lo], or h.lo is n when all are before it. Whoever looks says what "before" is, so it serves
 * for columns, for fields of rows and for what is computed, without a function to call back.
 */
struct bsearch_probe { size_t lo, hi, at; };

static inline bool bsearch_probe(struct bsearch_probe *h)
{
	h->at = h->lo + (h->hi - h->lo) / 2;
	return h->lo < h->hi;
}

/* before: the one at h->at is before what is looked for. */
static inline void bsearch_narrow(struct bsearch_probe *h, bool before)
{
	if (before)
		h->lo = h->at + 1;
	else
		h->hi = h->at;
}

#endif
