/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_SUGGEST_H
#define TTRACE_BASE_TEXT_SUGGEST_H

#include <stddef.h>

/*
 * Which of some words was meant by one that is mistyped. Fill in word and n, offer each word that there
 * is, ask. Candidates must live as long as this.
 */
struct suggestion {
	const char *word;	/* as typed; at most SUGGEST_MAX bytes of it count */
	size_t n;
	const char *best;	/* NULL: nothing is near enough */
	size_t slips;		/* between word and best */
};
enum { SUGGEST_MAX = 32 };

/* Letters left out, put in, put for another, and neighbours exchanged, that make b of a: one each. */
size_t suggest_edit_distance(const char *a, size_t na, const char *b, size_t nb);
/* Takes the candidate when it is nearer than the best so far: one slip for each three letters typed are
   forgiven, and at least one. */
void suggest_offer(struct suggestion *, const char *candidate);

#endif
