/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Prepares focus and ignore for the lists of a trace: each name is matched once, as for call trees (match.c), and a node of
 * the store's call tree inherits what its parent matches. Names of start functions are matched too, because a goroutine
 * has one before any stack of it was recorded. Of the moments at which stacks were recorded only those are kept that match.
 */
#include "config.h"
#include "filter/trace_focus.h"

#include "filter/match.h"
#include "trace/filter.h"

static const uint8_t *match_stacks(const struct snap *sn, const struct compiled_filters *fc, struct arena *a)
{
	struct frame_matches m;
	uint8_t *hits = arena_zalloc(a, sn->nstks + 1u);
	match_frames(&m, fc, sn, false);
	for (stk_id s = 1; s < sn->nstks; s++) {	/* parents come first */
		uint8_t flags = m.frame[stk_frame(sn->st, s)];
		hits[s] = hits[stk_parent(sn->st, s)];
		hits[s] |= fc->rx[FILTER_FOCUS] && flags & FM_OWN_FOCUS ? HITS_FOCUS : 0;
		hits[s] |= fc->rx[FILTER_IGNORE] && flags & FM_OWN_IGNORE ? HITS_IGNORE : 0;
	}
	match_free(&m);
	return hits;
}

/* Keep the moments whose stack matches a filter, in the arena. */
static void match_moments(struct trace_focus *f, struct arena *a)
{
	struct arena all = {0};
	struct stack_moments m;
	uint32_t n = 0;
	stack_moments_make(&m, f->sn, &all, NULL);
	for (uint32_t i = 0; i < m.n; i++)
		if (trace_focus_stack(f, m.v[i].stack))
			m.v[n++] = m.v[i];
	stack_moments_take(&f->moments, m.v, n, f->sn->ntrks, a);
	arena_free(&all);
}

static bool match_name(void *rx, const char *s, size_t n)
{
	return n && regex_match(rx, s, n);
}

int filter_trace_focus(
    const struct snap *sn, const struct filters *text, struct arena *a, const struct trace_focus **out, struct err *e)
{
	const struct filters some = {.focus = text->focus, .ignore = text->ignore};
	struct compiled_filters *fc = filter_compile(&some, e);
	struct regex *const rx[2] = {fc ? fc->rx[FILTER_FOCUS] : NULL, fc ? fc->rx[FILTER_IGNORE] : NULL};
	*out = NULL;
	if (!fc)
		return -1;
	if (rx[0] || rx[1]) {
		struct trace_focus *f = arena_zalloc(a, sizeof *f);
		f->sn = sn;
		f->asked = (rx[0] ? HITS_FOCUS : 0) | (rx[1] ? HITS_IGNORE : 0);
		f->stack = match_stacks(sn, fc, a);
		for (int i = 0; i < 2; i++)
			f->start[i] = rx[i] ? trace_gset_by_name(sn, match_name, rx[i], a) : NULL;
		match_moments(f, a);
		*out = f;
	}
	filter_free(fc);
	return 0;
}
