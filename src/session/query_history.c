/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Queries of a session. They are kept in one list with the index of the current one, so undo and redo are steps
 * along it, and a new query cuts off what was undone. Their strings are in an arena that lives as long as the
 * session: a user types few.
 *
 * Two counters report changes. The tree of weights changes with every query. The selection of goroutines and times
 * of a trace does not depend on the sample type, the granularity or a filter of stacks; so tables of a million
 * goroutines that depend only on the selection are not rebuilt for those.
 */
#include "config.h"
#include "session/internal.h"

const struct query *session_query(const struct session *s)
{
	return &s->hist[s->at];
}

static int use_query(struct session *s, size_t at, struct err *e)
{
	static const struct filters none;
	struct compiled_filters *f = filter_compile(s->hist[at].suspended ? &none : &s->hist[at].f, e);
	if (!f)
		return -1;
	filter_free(s->focus);
	s->focus = f;
	s->scope += !query_same_scope(&s->hist[s->at], &s->hist[at]);
	s->at = at;
	s->serial++;
	return 0;
}

int session_set_query(struct session *s, const struct query *q, struct arena *own, struct err *e)
{
	struct query n = *q, was = s->hist[s->at];
	struct query words = *q;
	if (own)	/* a pane made the list of goroutines, which may have a million numbers */
		words.gs = NULL;
	if (query_check(&words, e))
		return -1;
	for (size_t i = 0; i < QUERY_WORDS; i++) {
		const char **str = query_word(&n, i);
		if (!own && *str != *query_word(&was, i))
			*str = session_copy_string(s, *str);
	}
	s->hist = mem_grow(s->hist, &s->cap, s->at + 2, sizeof *s->hist);
	struct query undone = s->at + 1 < s->nhist ? s->hist[s->at + 1] : n;
	s->hist[s->at + 1] = n;
	if (use_query(s, s->at + 1, e)) {
		s->hist[s->at + 1] = undone;
		return -1;
	}
	s->nhist = s->at + 1;
	if (own)
		arena_move(own, &s->strings);
	return 0;
}

/* Fast for megabytes of text, between two frames: the compiler vectorises sums of single bytes. */
static uint32_t count_commas(const char *s, size_t n)
{
	enum { RUN = 128 };
	uint32_t all = 0;
	for (; n >= RUN; s += RUN, n -= RUN) {
		uint8_t k = 0;
		for (int i = 0; i < RUN; i++)
			k = (uint8_t)(k + (s[i] == ','));
		all += k;
	}
	for (size_t i = 0; i < n; i++)
		all += s[i] == ',';
	return all;
}

uint32_t session_count_listed(struct session *s)
{
	const char *gs = s->hist[s->at].gs;
	if (s->listed.gs != gs) {
		s->listed.gs = gs;
		s->listed.n = gs ? count_commas(gs, strlen(gs)) + 1 : 0;
	}
	return s->listed.n;
}

bool session_undo(struct session *s)
{
	return s->at > 0 && !use_query(s, s->at - 1, NULL);
}

bool session_redo(struct session *s)
{
	return s->at + 1 < s->nhist && !use_query(s, s->at + 1, NULL);
}

uint32_t session_serial(const struct session *s)
{
	return s->serial;
}

uint32_t session_scope(const struct session *s)
{
	return s->scope;
}
