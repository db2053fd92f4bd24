/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_BSEARCH_H
#define TTRACE_BASE_BSEARCH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Binary search: find the first of n sorted elements that is not before the wanted one.
 *
 *	struct bsearch_probe h = {.hi = n};
 *	while (bsearch_probe(&h))
 *		bsearch_narrow(&h, v[h.at].t < t);
 *
 * The result is v[h.lo]; h.lo is n if all elements are before the wanted one. The caller decides what "before" means,
 * so this works for columns, fields of rows and computed values, without a callback.
 */
struct bsearch_probe { size_t lo, hi, at; };

static inline bool bsearch_probe(struct bsearch_probe *h)
{
	h->at = h->lo + (h->hi - h->lo) / 2;
	return h->lo < h->hi;
}

/* before: the element at h->at is before the wanted one. */
static inline void bsearch_narrow(struct bsearch_probe *h, bool before)
{
	if (before)
		h->lo = h->at + 1;
	else
		h->hi = h->at;
}

#endif
