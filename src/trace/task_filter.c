/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Selects tasks and regions. A range of latencies is written the same way in
 * the ":" line and in options. It is stored as two inclusive bounds, so that
 * the bars of a histogram (which exclude their upper end) and ">50ms" have the
 * same form.
 */
#include "config.h"
#include "trace/task_filter.h"

#include "base/text/text.h"
#include "store/tracks/time_search.h"

#include <string.h>

/* Parse the duration s[0..n); an empty one leaves *ns unchanged. */
static bool parse_duration(const char *s, size_t n, int64_t *ns)
{
	char word[40];
	while (n && *s == ' ')
		s++, n--;
	while (n && s[n - 1] == ' ')
		n--;
	if (n >= sizeof word)
		return false;
	memcpy(word, s, n);
	word[n] = '\0';
	return !n || text_parse_ns(word, ns);
}

bool task_filter_parse_range(const char *s, int64_t *lo, int64_t *hi)
{
	const char *dots = strstr(s, "..");
	*lo = *hi = TIME_NONE;
	if (dots)
		return parse_duration(s, (size_t)(dots - s), lo) && parse_duration(dots + 2, strlen(dots + 2), hi) &&
		    (*lo == TIME_NONE || *hi == TIME_NONE || *lo <= *hi);
	if (*s != '<' && *s != '>')
		return false;
	int64_t *end = *s == '<' ? hi : lo, out = *s == '<' ? -1 : 1;
	bool inside = s[1] == '=';
	s += 1 + inside;
	if (!parse_duration(s, strlen(s), end) || *end == TIME_NONE)
		return false;
	*end += inside ? 0 : out;
	return true;
}

static bool string_matches(const struct regex *rx, const struct store *st, str_id s)
{
	const struct str_row *r = store_str(st, s);
	return r->n && regex_match(rx, r->s, r->n);
}

static bool task_matches(const struct regex *rx, const struct store *st, const struct stats_tasks *ts,
    const struct stats_task *t)
{
	if (string_matches(rx, st, t->name))
		return true;
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		struct stats_task_event e = stats_task_event(ts, i);
		if (e.log ? string_matches(rx, st, store_mark(st, e.i)->category) ||
				string_matches(rx, st, store_mark(st, e.i)->text)
			  : string_matches(rx, st, store_span(st, e.i)->s.name))
			return true;
	}
	return false;
}

bool task_filter_match_task(
    const struct task_criteria *p, const struct store *st, const struct stats_tasks *ts, const struct stats_task *t)
{
	bool whole = t->t0 != TIME_NONE && t->t1 != TIME_NONE;
	if ((p->whole == TASK_COMPLETE && !whole) || (p->whole == TASK_INCOMPLETE && whole))
		return false;
	if ((p->lo != TIME_NONE || p->hi != TIME_NONE) && (!whole || !task_filter_match_latency(p, t->t1 - t->t0)))
		return false;
	return !p->text || task_matches(p->text, st, ts, t);
}

bool task_filter_match_region(const struct task_criteria *p, const struct snap *sn, const struct sink_span *s)
{
	bool whole = s->t0 != TIME_NONE && s->t1 != TIME_NONE;
	int64_t t0, t1;
	time_search_span_bounds(sn, s, &t0, &t1);
	return !(p->whole == TASK_COMPLETE && !whole) && !(p->whole == TASK_INCOMPLETE && whole) &&
	       task_filter_match_latency(p, t1 - t0) && (!p->text || string_matches(p->text, sn->st, s->name));
}

struct task_filter_slow task_filter_slow(const int64_t *v, uint32_t n)
{
	enum { BEYOND = 3 };
	uint32_t p99 = (uint32_t)(((uint64_t)n * 99 + 99) / 100);	/* number of values that are not above it */
	struct task_filter_slow s = {p99 < n ? p99 : n - 1, false};
	int64_t most = 0;
	for (uint32_t i = (n - 1) / 2; i + BEYOND < n; i++) {
		int64_t by = v[i + 1] - v[i];
		if (by > most && by >= v[i]) {
			most = by;
			s = (struct task_filter_slow){i + 1, true};
		}
	}
	return s;
}
