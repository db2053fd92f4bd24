/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Stacks that count: those with a frame that matches focus, none that matches ignore, and a visible one.
 *
 * On a call tree a match selects the interval of ends at and below its node, so the walk skips what is below it. On the
 * store's nodes, whose parents come first, each node adds the flags of its frame to those of its parent.
 */
#include "config.h"
#include "filter/states.h"

#include <string.h>

/* ---- by end of a call tree */

static void set_range(uint8_t *state, uint32_t lo, uint32_t hi, uint8_t v)
{
	if (lo < hi)
		memset(state + lo, v, hi - lo);
}

static bool may_ignore(const struct calltree *s, const uint8_t *symbol)
{
	uint8_t any = 0;
	for (uint32_t t = 1; t < s->granularity->n; t++)
		any |= symbol[t];
	for (uint32_t i = 0; s->mark && i < s->n; i++)
		any |= s->mark[i];
	return any & FM_OWN_IGNORE;
}

/* Mark the ends below focused nodes, then remove those below ignored ones: in preorder an ignored subtree inside a
   focused one comes later, and one around it is skipped. */
const uint8_t *states_of_ends(const struct node_flags *f, struct arena *a)
{
	const struct calltree *s = f->s;
	uint8_t *state = arena_zalloc(a, s->nend + 1u);
	bool ignores = may_ignore(s, f->symbol);
	uint32_t until = 0;	/* all ends before the next of this node are marked already */
	for (uint32_t i = 1; i < s->n;) {
		uint8_t v = node_flags_at(f, i);
		if (v & FM_OWN_IGNORE) {
			uint32_t next = calltree_next(s, i);
			set_range(state, rank_below(s->ends, i), rank_below(s->ends, next), 0);
			i = next;
			continue;
		}
		if (v & FM_OWN_FOCUS && i >= until) {
			until = calltree_next(s, i);
			set_range(state, rank_below(s->ends, i), rank_below(s->ends, until), 1);
			if (!ignores) {
				i = until;
				continue;
			}
		}
		i++;
	}
	return state;
}

/* ---- by node of the store */

enum { SHOWING = 4, SEEN = 8 };	/* besides FM_LOC_FOCUS and FM_LOC_IGNORE: show_from has matched; a frame is visible */

static uint8_t add_frame(uint8_t state, uint8_t flags, bool from)
{
	state |= flags & (FM_LOC_FOCUS | FM_LOC_IGNORE);
	if (flags & FM_HIDDEN)
		return state;
	if (flags & FM_SHOW_FROM)
		state |= SHOWING;
	return !from || state & SHOWING ? state | SEEN : state;
}

const uint8_t *states_of_stacks(const struct frame_matches *w, const struct snap *sn, const struct stk_row *node,
    uint32_t n, struct arena *a)
{
	bool from = filter_has_show_from(w->fc), by_name = filter_has_names(w->fc);
	if (!from && !by_name)
		return NULL;
	n = node ? n : sn->nstks;
	uint8_t *state = arena_alloc(a, n), all = 0, want = 0;
	if (by_name) {
		all = FM_LOC_FOCUS | FM_LOC_IGNORE | SEEN;
		want = FM_LOC_FOCUS | SEEN;
	}
	if (from) {
		all |= SHOWING;
		want |= SHOWING;
	}
	struct stk_pass rows = stk_pass(sn->st);
	state[0] = 0;
	for (uint32_t i = 1; i < n; i++) {
		struct stk_row r = node ? node[i] : stk_at(&rows, i);
		state[i] = add_frame(state[r.parent], w->frame[r.frame], from);
	}
	for (uint32_t i = 0; i < n; i++)
		state[i] = (state[i] & all) == want;
	return state;
}
