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
	return &s->queries.query[s->queries.at];
}

static int use_query(struct session *s, size_t at, struct err *e)
{
	static const struct filters none;
	struct compiled_filters *f =
	    filter_compile(s->queries.query[at].suspended ? &none : &s->queries.query[at].f, e);
	if (!f)
		return -1;
	filter_free(s->weigh.filters);
	s->weigh.filters = f;
	s->scope += !query_same_scope(&s->queries.query[s->queries.at], &s->queries.query[at]);
	s->refocused += !query_same_focus(&s->queries.query[s->queries.at], &s->queries.query[at]);
	s->queries.at = at;
	s->serial++;
	return 0;
}

int session_set_query(struct session *s, const struct query *q, struct arena *own, struct err *e)
{
	struct query n = *q, was = s->queries.query[s->queries.at];
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
	s->queries.query = mem_grow(s->queries.query, &s->queries.cap, s->queries.at + 2, sizeof *s->queries.query);
	struct query undone = s->queries.at + 1 < s->queries.n ? s->queries.query[s->queries.at + 1] : n;
	s->queries.query[s->queries.at + 1] = n;
	if (use_query(s, s->queries.at + 1, e)) {
		s->queries.query[s->queries.at + 1] = undone;
		return -1;
	}
	s->queries.n = s->queries.at + 1;
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
	const char *gs = s->queries.query[s->queries.at].gs;
	if (s->queries.listed.gs != gs) {
		s->queries.listed.gs = gs;
		s->queries.listed.n = gs ? count_commas(gs, strlen(gs)) + 1 : 0;
	}
	return s->queries.listed.n;
}

bool session_undo(struct session *s)
{
	return s->queries.at > 0 && !use_query(s, s->queries.at - 1, NULL);
}

bool session_redo(struct session *s)
{
	return s->queries.at + 1 < s->queries.n && !use_query(s, s->queries.at + 1, NULL);
}

bool session_last_set_filter(const struct session *s)
{
	if (!s->queries.at)
		return false;
	struct query was = s->queries.query[s->queries.at - 1], now = s->queries.query[s->queries.at];
	bool same = query_same_scope(&was, &now);
	for (size_t i = 0; i < QUERY_WORDS; i++)	/* a string that did not change is the same copy */
		same = same && *query_word(&was, i) == *query_word(&now, i);
	return !same;
}

uint32_t session_serial(const struct session *s)
{
	return s->serial;
}

uint32_t session_scope(const struct session *s)
{
	return s->scope;
}

uint32_t session_selection(const struct session *s)
{
	return s->scope + s->refocused;
}
