/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_MATCH_H
#define TTRACE_FILTER_MATCH_H

#include "base/mem/mem.h"
#include "calltree/labels.h"
#include "filter/location.h"
#include "filter/weigh.h"

/* The matches of compiled filters in a snapshot; for the files of this folder. */

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

struct frame_matches {
	const struct compiled_filters *fc;
	const struct store *st;
	struct arena arena;
	uint8_t *frame;		/* by frame: its flags (location.h) */
};
void match_frames(struct frame_matches *, const struct compiled_filters *, const struct snap *, bool noinlines);
void match_free(struct frame_matches *);
/* Return the flags of a tag shown as a frame. */
uint8_t match_tag(const struct frame_matches *, str_id text, str_id key);

#endif
