/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Finds the intended word for a mistyped one by optimal string alignment: the Levenshtein distance with the exchange of
 * two neighbours as one edit, because that is the most common typing error ("vew", "tpo", "goruotines").
 *
 * Three rows of the table are kept, because an exchange refers to the row before the last. Words are short and tables
 * have some hundred of them, so there is no index, and the only early exit is for lengths that differ too much.
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
