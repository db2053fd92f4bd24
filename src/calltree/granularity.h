/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_GRANULARITY_H
#define TTRACE_CALLTREE_GRANULARITY_H

#include "calltree/weighted.h"

#include <stdatomic.h>

/*
 * What frames are at a granularity: functions, files, lines, addresses. One
 * table a store and granularity, whatever the query; thing 0 is the root.
 */
enum { THINGS_MAX = 1 << 29 };	/* a node of a shape has three bits for something else */
struct things {
	_Atomic uint32_t refs;
	const struct store *st;
	enum gran gran;
	uint32_t n, nfrm;
	struct thing *row;	/* ranked by name */
	uint32_t *of;		/* per frame its thing */
	uint32_t *tag;		/* things_tag(): the tags that are things, sorted by text; NULL none */
	uint32_t ntag;
};
struct things *things_new(const struct snap *, enum gran);
/* The same and a thing for each tag that label[0..n) shows as a frame. */
struct things *things_tags(const struct things *, const str_id *label, uint32_t n);
uint32_t things_tag(const struct things *, str_id tag);	/* the thing of a tag that was given */
struct things *things_ref(struct things *);
void things_free(struct things *);
/* The symbol alone (or the file, for files): bytes as in the file. */
struct str_row thing_symbol(const struct store *, const struct thing *);
bool frame_inlined(const struct store *, frm_id);

#endif
