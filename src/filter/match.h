/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_MATCH_H
#define TTRACE_FILTER_MATCH_H

#include "base/mem/mem.h"
#include "calltree/labels.h"
#include "filter/names.h"
#include "filter/weigh.h"

/* Between filter/weigh.c, apply.c and match.c: compiled filters, and what they say of a snapshot. */
enum { R_FOCUS, R_IGNORE, R_HIDE, R_SHOW, R_FROM, R_PRUNE, R__N };

struct focus {
	struct rx *rx[R__N];
	struct prof_tag_filter tag;
	char *tagroot, *tagleaf, *tagfocus, *tagignore;
};

/* Stacks need FV_FOCUS and no FV_IGNORE, and a frame that is left. */
bool focus_by_name(const struct focus *);
bool focus_from(const struct focus *);	/* stacks need FV_FROM */
/* tagfocus or tagignore: then per label set 1 keep, 0 not. */
bool focus_by_tag(const struct focus *);
const uint8_t *focus_sets(const struct focus *, const struct labels *, struct arena *);
enum { KEYS_MAX = 16 };	/* tags that are frames */
/* tagroot and tagleaf: their keys that the store knows; root keys first. */
size_t focus_tag_keys(
    const struct focus *, const struct snap *, str_id *key, size_t max, size_t *nroot);

/* What a frame means to a stack that goes through it. */
enum {
	FV_FOCUS = 1,	/* its location matches focus (or there is none) */
	FV_IGNORE = 2,	/* its location matches ignore */
	FV_DEAD = 4,	/* it is never seen: hidden, or cut off its location */
	FV_FROM = 8,	/* show_from: stacks are seen from here on */
	/* its own names or its mapping match focus (or there is none): a stack with focus has such a frame */
	FV_HIT = 32,
	FV_BARRED = 64,	/* they match ignore */
	FV_PRUNE = 16	/* prune_from: stacks end here, at the one nearest the leaf */
};

struct verdict {
	const struct focus *fc;
	const struct store *st;
	struct arena arena;
	uint8_t *said[R__N], *said_fun[R__N];	/* per string, and function: 0 not asked, 1 no, 2 yes */
	uint8_t *frame;		/* per frame its flags */
	uint8_t any;		/* all flags that some frame has */
};
void verdict_make(struct verdict *, const struct focus *, const struct snap *, bool noinlines);
void verdict_free(struct verdict *);
/* Flags of a tag shown as a frame. */
uint8_t verdict_tag(const struct verdict *, str_id text, str_id key);

#endif
