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
enum { GRANULARITY_MAX = 1 << 29 };	/* a node of a shape has three bits for something else */
struct granularity {
	_Atomic uint32_t refs;
	const struct store *st;
	enum gran gran;
	uint32_t n, nfrm;
	struct symbol *row;	/* ranked by name */
	uint32_t *of;		/* per frame its thing */
	uint32_t *tag;		/* granularity_find_tag(): the tags that are things, sorted by text; NULL none */
	uint32_t ntag;
};
struct granularity *granularity_new(const struct snap *, enum gran);
/* The same and a thing for each tag that label[0..n) shows as a frame. */
struct granularity *granularity_with_tags(const struct granularity *, const str_id *label, uint32_t n);
uint32_t granularity_find_tag(const struct granularity *, str_id tag);	/* the thing of a tag that was given */
struct granularity *granularity_ref(struct granularity *);
void granularity_free(struct granularity *);
/* The symbol alone (or the file, for files): bytes as in the file. */
struct str_row granularity_symbol_name(const struct store *, const struct symbol *);
bool granularity_is_inlined(const struct store *, frm_id);

#endif
