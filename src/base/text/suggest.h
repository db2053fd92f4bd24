/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_SUGGEST_H
#define TTRACE_BASE_TEXT_SUGGEST_H

#include <stddef.h>

/*
 * Finds the word that a mistyped word most likely means. Set word and n, call suggest_offer() with each known word,
 * then read best. Candidates must live as long as this struct.
 */
struct suggestion {
	const char *word;	/* as typed; only the first SUGGEST_MAX bytes are used */
	size_t n;
	const char *best;	/* NULL: no candidate is similar enough */
	size_t slips;		/* edit distance between word and best */
};
enum { SUGGEST_MAX = 32 };

/* Return the number of edits that turn a into b: a letter omitted, inserted or replaced, or two neighbours
   exchanged. */
size_t suggest_edit_distance(const char *a, size_t na, const char *b, size_t nb);
/* Take the candidate if it is nearer than the best so far. It may differ by one edit for each three letters typed, and
   by at least one. */
void suggest_offer(struct suggestion *, const char *candidate);

#endif
