/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Rows of addresses: the frames that have an address; frames with the same address and line of code share a row. The
 * rows do not depend on the query. Their weights are added up in one pass over the samples (filter/weigh_rebuilt.c) or
 * copied from a weighted tree.
 */
#include "config.h"
#include "calltree/addresses.h"

#include "base/intern.h"
#include "base/mem/mem.h"
#include "calltree/weighted.h"

struct address_maker { const struct store *st; struct addr_sums *to; };

static int same_row(const void *ctx, uint32_t id, const void *key)
{
	const struct address_maker *m = ctx;
	struct addr_at a = addr_at(m->st, m->to->v[id].frm);
	const struct addr_at *b = key;
	return a.addr == b->addr && a.name == b->name && a.file == b->file && a.line == b->line &&
	       (a.name || a.file || a.map == b->map);	/* as same_symbol() in granularity.c */
}

struct addr_sums *addresses_new(const struct snap *sn, uint32_t **row_of)
{
	struct address_maker m = {sn->st, NULL};
	struct intern index = {0};
	uint32_t *row = *row_of = xcalloc(sn->nfrms + 1u, sizeof *row);
	m.to = xcalloc(1, sizeof *m.to + sn->nfrms * sizeof *m.to->v);
	for (frm_id f = 1; f < sn->nfrms; f++) {
		struct addr_at a = addr_at(m.st, f);
		if (!a.addr)
			continue;
		uint32_t h =
		    intern_hash_u64(intern_hash_u64((uint64_t)a.name << 32 | a.file, a.addr), (uint64_t)a.line);
		uint32_t id = intern_find(&index, h, same_row, &m, &a);
		if (id == UINT32_MAX) {
			id = m.to->n++;
			m.to->v[id].frm = f;
			intern_put(&index, h, id);
		}
		row[f] = id + 1;
	}
	intern_free(&index);
	return m.to;
}

struct addr_sums *addresses_of_tree(const struct weighted_tree *c)
{
	struct addr_sums *to = xmalloc(sizeof *to + c->nsymbol * sizeof *to->v);
	to->n = 0;
	for (uint32_t i = 1; i < c->nsymbol; i++)
		if (c->symbol[i].addr)
			to->v[to->n++] = (struct addr_sum){c->symbol[i].frm, c->weight[i].flat, c->weight[i].cum};
	return to;
}
