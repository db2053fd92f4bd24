/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_MATCH_H
#define TTRACE_FILTER_MATCH_H

#include "base/mem/mem.h"
#include "calltree/labels.h"
#include "filter/names.h"
#include "filter/weigh.h"

/* Compiled filters and their matches in a snapshot; shared by weigh.c, apply.c, match.c and others of this folder. */
enum { R_FOCUS, R_IGNORE, R_HIDE, R_SHOW, R_FROM, R_PRUNE, R__N };

struct compiled_filters {
	struct regex *rx[R__N];
	struct pprof_tag_filter tag;
	char *tagroot, *tagleaf, *tagfocus, *tagignore;
};

/* Return whether focus, ignore, hide or show is set. Then a stack needs FM_LOC_FOCUS, no FM_LOC_IGNORE, and a visible
   frame. */
bool filter_has_names(const struct compiled_filters *);
/* Return whether show_from is set. Then a stack needs FM_SHOW_FROM. */
bool filter_has_show_from(const struct compiled_filters *);
/* filter_has_tags() returns whether tagfocus or tagignore is set. Then filter_match_sets() returns by label set: 1
   keep, 0 drop. */
bool filter_has_tags(const struct compiled_filters *);
const uint8_t *filter_match_sets(const struct compiled_filters *, const struct labels *, struct arena *);
enum { KEYS_MAX = 16 };	/* maximum number of keys whose tags are frames */
/* Set key[] to the keys of tagroot and tagleaf that the store has, root keys first. Return their number; *nroot is the
   number of root keys. */
size_t filter_tag_keys(
    const struct compiled_filters *, const struct snap *, str_id *key, size_t max, size_t *nroot);

/* Match flags of a frame, for stacks that contain it. */
enum {
	FM_LOC_FOCUS = 1,	/* its location matches focus (or there is no focus) */
	FM_LOC_IGNORE = 2,	/* its location matches ignore */
	FM_HIDDEN = 4,	/* it is never visible: hidden, or cut off its location */
	FM_SHOW_FROM = 8,	/* show_from: stacks are visible from here on */
	/* its own names or its mapping match focus (or there is no focus). A stack that matches focus has such a
	   frame */
	FM_OWN_FOCUS = 32,
	FM_OWN_IGNORE = 64,	/* its own names or its mapping match ignore */
	FM_PRUNE = 16	/* prune_from: stacks end at the innermost of these */
};

struct frame_matches {
	const struct compiled_filters *fc;
	const struct store *st;
	struct arena arena;
	uint8_t *answer[R__N], *fun_answer[R__N];	/* cached results by string and by function: 0 unknown, 1 no
							   match, 2 match */
	uint8_t *frame;		/* by frame: its flags */
	uint8_t any;		/* the union of all flags */
};
void match_frames(struct frame_matches *, const struct compiled_filters *, const struct snap *, bool noinlines);
void match_free(struct frame_matches *);
/* Return the flags of a tag shown as a frame. */
uint8_t match_tag(const struct frame_matches *, str_id text, str_id key);

#endif
