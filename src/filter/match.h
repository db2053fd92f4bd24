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

struct compiled_filters {
	struct regex *rx[R__N];
	struct pprof_tag_filter tag;
	char *tagroot, *tagleaf, *tagfocus, *tagignore;
};

/* Stacks need FM_LOC_FOCUS and no FM_LOC_IGNORE, and a frame that is left. */
bool filter_has_names(const struct compiled_filters *);
bool filter_has_show_from(const struct compiled_filters *);	/* stacks need FM_SHOW_FROM */
/* tagfocus or tagignore: then per label set 1 keep, 0 not. */
bool filter_has_tags(const struct compiled_filters *);
const uint8_t *filter_match_sets(const struct compiled_filters *, const struct labels *, struct arena *);
enum { KEYS_MAX = 16 };	/* tags that are frames */
/* tagroot and tagleaf: their keys that the store knows; root keys first. */
size_t filter_tag_keys(
    const struct compiled_filters *, const struct snap *, str_id *key, size_t max, size_t *nroot);

/* What a frame means to a stack that goes through it. */
enum {
	FM_LOC_FOCUS = 1,	/* its location matches focus (or there is none) */
	FM_LOC_IGNORE = 2,	/* its location matches ignore */
	FM_HIDDEN = 4,	/* it is never seen: hidden, or cut off its location */
	FM_SHOW_FROM = 8,	/* show_from: stacks are seen from here on */
	/* its own names or its mapping match focus (or there is none): a stack with focus has such a frame */
	FM_OWN_FOCUS = 32,
	FM_OWN_IGNORE = 64,	/* they match ignore */
	FM_PRUNE = 16	/* prune_from: stacks end here, at the one nearest the leaf */
};

struct frame_matches {
	const struct compiled_filters *fc;
	const struct store *st;
	struct arena arena;
	uint8_t *answer[R__N], *fun_answer[R__N];	/* per string, and function: 0 not asked, 1 no, 2 yes */
	uint8_t *frame;		/* per frame its flags */
	uint8_t any;		/* all flags that some frame has */
};
void match_frames(struct frame_matches *, const struct compiled_filters *, const struct snap *, bool noinlines);
void match_free(struct frame_matches *);
/* Flags of a tag shown as a frame. */
uint8_t match_tag(const struct frame_matches *, str_id text, str_id key);

#endif
