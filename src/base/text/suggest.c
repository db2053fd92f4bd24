/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What was meant by a mistyped word: the distance of optimal string alignment,
 * that is Levenshtein's with an exchange of two neighbours as one slip, since
 * that is the commonest one at a keyboard ("vew", "tpo", "goruotines").
 *
 * Three rows of the table are kept, the exchange looks back two. Words are
 * short and tables hold some hundred of them, so there is no index, and no
 * early end but for lengths that are too far apart.
 */
#include "config.h"
#include "base/text/suggest.h"

#include <string.h>

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t suggest_edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	na = min_size(na, SUGGEST_MAX);
	nb = min_size(nb, SUGGEST_MAX);
	size_t rows[3][SUGGEST_MAX + 1], *before = rows[0], *above = rows[1], *row = rows[2];
	for (size_t j = 0; j <= nb; j++)
		before[j] = above[j] = j;
	for (size_t i = 1; i <= na; i++) {
		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = min_size(above[j - 1] + (a[i - 1] != b[j - 1]), min_size(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min_size(row[j], before[j - 2] + 1);
		}
		size_t *oldest = before;
		before = above;
		above = row;
		row = oldest;
	}
	return above[nb];
}

void suggest_offer(struct suggestion *w, const char *candidate)
{
	size_t n = strlen(candidate), forgiven = w->n < 6 ? 1 : w->n / 3;
	size_t apart = n > w->n ? n - w->n : w->n - n;
	if (w->n < 2 || apart > forgiven)
		return;
	size_t slips = suggest_edit_distance(w->word, w->n, candidate, n);
	if (slips > forgiven || (w->best && slips >= w->slips))
		return;
	w->best = candidate;
	w->slips = slips;
}
