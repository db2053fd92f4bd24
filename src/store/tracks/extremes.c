/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The extremes of a sheet are gathered while the sheet is filled, when every interval is in registers anyway. A second
 * walk over all intervals for the first screen took a thirtieth of the reading time, at the end, while the user waits.
 * A search for the longest wait then walks only the sheet that has it. A span over several sheets counts in each of
 * them from the start of the sheet in which it started (sheet_live.began is the number of that sheet). So the bound of
 * a sheet is never too small, and the sheet in which the longest span ends is walked.
 *
 * Running times are kept by start function, because these are few. A goroutine that existed before the trace has no
 * known function at first, so its time is kept by goroutine. If there are too many of either, the sheet has no extremes
 * and is walked.
 */
#include "config.h"
#include "store/tracks/extremes.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"

#include <string.h>

enum { MANY = 512 };

struct extremes_gatherer {
	const struct store *st;
	struct function_info { int64_t ns; bool known, runtime, ran; } *by;	/* by start function */
	size_t cby;
	struct sheet_extremes now;
	struct extremes_ran ran[MANY];	/* ns is in by[] until extremes_take_sheet() */
	struct extremes_late late[MANY];
};

struct extremes_gatherer *extremes_gatherer_new(const struct store *st)
{
	struct extremes_gatherer *k = xcalloc(1, sizeof *k);
	k->st = st;
	return k;
}

void extremes_gatherer_free(struct extremes_gatherer *k)
{
	if (!k)
		return;
	mem_free(k->by);
	mem_free(k);
}

/* Return what is known of a start function and its goroutines. */
static struct function_info *function_info(struct extremes_gatherer *k, str_id name)
{
	size_t had = k->cby;
	if (name >= had) {
		k->by = mem_grow(k->by, &k->cby, name + 1u, sizeof *k->by);
		memset(k->by + had, 0, (k->cby - had) * sizeof *k->by);
	}
	struct function_info *n = &k->by[name];
	if (!n->known) {
		const struct str_row *s = store_str(k->st, name);
		n->runtime = sink_runtime(s->s, s->n);
		n->known = true;
	}
	return n;
}

static void ran_late(struct extremes_gatherer *k, trk_id trk, int64_t ns)
{
	if (ns && k->now.nlate < MANY)
		k->late[k->now.nlate] = (struct extremes_late){ trk, ns };
	k->now.nlate += ns != 0;
}

bool extremes_add_run(struct extremes_gatherer *k, trk_id trk, int64_t ns)
{
	str_id name = store_trk_name(k->st, trk);
	if (!name) {
		ran_late(k, trk, ns);
		return false;
	}
	struct function_info *n = function_info(k, name);
	n->ns = wrap_add(n->ns, ns);
	if (!n->ran && ns && k->now.nran++ < MANY) {
		k->ran[k->now.nran - 1].name = name;
		n->ran = true;
	}
	return n->runtime;
}

uint32_t extremes_sheet_number(const struct extremes_gatherer *k)
{
	return column_n(&k->st->sheets);
}

int64_t extremes_sheet_t0(const struct extremes_gatherer *k, uint32_t sheet)
{
	return store_slot(k->st, sheet)->t0;
}

const struct sheet_extremes *extremes_take_sheet(struct extremes_gatherer *k, int64_t ready, int64_t sync)
{
	struct sheet_extremes now = k->now, *g = NULL;
	bool many = now.nran > MANY || now.nlate > MANY;
	for (uint32_t i = 0; i < now.nran && i < MANY; i++) {
		struct function_info *n = &k->by[k->ran[i].name];
		k->ran[i].ns = n->ns;
		n->ns = 0;
		n->ran = false;
	}
	for (size_t i = 0; many && i < k->cby; i++)
		k->by[i].ns = 0;
	k->now = (struct sheet_extremes){0};
	if (many)
		return NULL;
	g = xmalloc(sizeof *g);
	*g = (struct sheet_extremes){ ready, sync, now.nran, now.nlate, mem_copy(k->ran, now.nran * sizeof *k->ran),
		mem_copy(k->late, now.nlate * sizeof *k->late) };
	return g;
}

void extremes_free(const struct sheet_extremes *g)
{
	if (!g)
		return;
	mem_free(g->ran);
	mem_free(g->late);
	mem_free((void *)(uintptr_t)g);
}
