/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WIDGET_TEXT_SEARCH_H
#define TTRACE_WIDGET_TEXT_SEARCH_H

#include "base/async.h"
#include "base/text/buf.h"
#include "base/text/regex.h"
#include "widget/list.h"

/*
 * A search for an expression in the texts of many items, in a slot of a pane. The pane says what the texts are; when the
 * search has ended, hits.at[i] says whether item i matches, and hits.n how many do.
 */
struct text_search {
	/* Append the text of an item; an empty one never matches. Called on any thread. */
	void (*text)(const void *texts, uint32_t item, struct buf *);
	void (*free)(void *texts);
	void *texts;		/* what text() reads; the search owns it */
	uint32_t n;		/* number of items */
	struct list_hits hits;
	struct regex *find;	/* its own */
};

/* Search now, or on a worker if `steps` (struct async) are many, and drop what the slot searched for. rows: as for
   list_hits_begin(). Return the search if it has ended; the caller takes the hits and frees it. */
struct text_search *text_search_start(
    struct async *, struct text_search, const struct rows *, const struct regex *, uint64_t steps);
/* Is the slot searching for this expression in these rows? */
bool text_search_runs(const struct async *, const struct rows *, const struct regex *);
void text_search_free(void *);

#endif
