/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_GRANULARITY_H
#define TTRACE_CALLTREE_GRANULARITY_H

#include "calltree/weighted.h"

#include <stdatomic.h>

/*
 * The symbols that frames belong to at a granularity: functions, files, lines or addresses. There is one table for each
 * store and granularity, independent of the query. Symbol 0 is the root.
 */
enum { GRANULARITY_MAX = 1 << 29 };	/* struct calltree.what has CT_BITS other bits in a node */
struct granularity {
	_Atomic uint32_t refs;
	const struct store *st;
	enum gran gran;
	uint32_t n, nfrm;
	struct symbol *row;	/* rank is the place in the order of names */
	uint32_t *of;		/* by frame: its symbol */
	uint32_t *tag;		/* the symbols that are tags, sorted by str_id, for granularity_find_tag(); NULL:
				   none */
	uint32_t ntag;
};
struct granularity *granularity_new(const struct snap *, enum gran);
/* Return a copy of a table, with one more symbol for each tag in label[0..n). */
struct granularity *granularity_with_tags(const struct granularity *, const str_id *label, uint32_t n);
/* Return the symbol of a tag that was passed to granularity_with_tags(). */
uint32_t granularity_find_tag(const struct granularity *, str_id tag);
struct granularity *granularity_ref(struct granularity *);
void granularity_free(struct granularity *);
/* Return the name without file and line (the file name for GR_FILES): the bytes as in the file, not escaped for a
   terminal. */
struct str_row granularity_symbol_name(const struct store *, const struct symbol *);
bool granularity_is_inlined(const struct store *, frm_id);

#endif
