/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_ADDRESSES_H
#define TTRACE_CALLTREE_ADDRESSES_H

#include "filter/weigh.h"

/*
 * Weight of a query at each address, one row for each line of code at an address. These rows are the symbols of a
 * weighted tree by addresses (weighted.h), in the order of their first frames.
 */
struct addr_sum { frm_id frm; int64_t flat, cum; };	/* frm: the first frame of the row */
struct addr_sums { uint32_t n; struct addr_sum v[]; };

/* Return one row for each address of a snapshot, with all weights 0. *row_of maps a frame to its row + 1, or to 0 if
   the frame has no address. The caller frees both with mem_free(). */
struct addr_sums *addresses_new(const struct snap *, uint32_t **row_of);
struct weighted_tree;
/* Return the rows of a tree of granularity GR_ADDRESSES. The caller frees them with mem_free(). */
struct addr_sums *addresses_of_tree(const struct weighted_tree *);

/* The address, name, file, line and mapping of a row, read from its frame. */
struct addr_at { uint64_t addr; str_id name, file; int64_t line; map_id map; };
static inline struct addr_at addr_at(const struct store *st, frm_id f)
{
	const struct frm_row *fr = store_frm(st, f);
	const struct fun_row *fu = store_fun(st, fr->fun);
	const struct loc_row *lo = store_loc(st, fr->loc);
	return (struct addr_at){lo->addr, fu->name, fu->file, fr->line, lo->map};
}

/* Add up the samples of a profile by address (filter/weigh_rebuilt.c). It needs nodes in preorder: those of a tree with
   tags as frames always are, and `preorder` is set if those of the store are. Return NULL if they are not, or if there
   are no samples. */
struct addr_sums *filter_weigh_addresses(const struct snap *, const struct compiled_filters *, size_t type,
    bool noinlines, const struct sides *, bool preorder);

#endif
