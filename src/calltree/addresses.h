/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_ADDRESSES_H
#define TTRACE_CALLTREE_ADDRESSES_H

#include "filter/weigh.h"

/*
 * What a query spends at each address: a row a line of code at one, which are the things that calls by addresses have
 * (weighted.h), in the order of their first frames.
 */
struct addr_sum { frm_id frm; int64_t flat, cum; };	/* frm: the first one */
struct addr_sums { uint32_t n; struct addr_sum v[]; };

/* All of a snapshot, which weigh nothing yet; row_of: by frame its row + 1, 0 where it has no address. Both are freed by
   mem_free(). */
struct addr_sums *addresses_new(const struct snap *, uint32_t **row_of);
struct weighted_tree;
struct addr_sums *addresses_of_tree(const struct weighted_tree *);	/* which are made by addresses */

/* Where a row is: what is asked of its frame. */
struct addr_at { uint64_t addr; str_id name, file; int64_t line; map_id map; };
static inline struct addr_at addr_at(const struct store *st, frm_id f)
{
	const struct frm_row *fr = store_frm(st, f);
	const struct fun_row *fu = store_fun(st, fr->fun);
	const struct loc_row *lo = store_loc(st, fr->loc);
	return (struct addr_at){lo->addr, fu->name, fu->file, fr->line, lo->map};
}

/* weigh_rebuilt.c: the samples of a profile. NULL: nodes are not in preorder, and it makes no others. */
struct addr_sums *filter_weigh_addresses(const struct snap *, const struct compiled_filters *, size_t type,
    bool noinlines, const struct sides *, bool preorder);

#endif
