/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Opens a trace for printing, and prints the notices of its reader to standard
 * error. These reports do not use the store: they show the file in constant
 * memory, also if it is damaged.
 */
#include "config.h"
#include "report/trace/trace_stream.h"

#include "base/put.h"
#include "base/text/text.h"
#include "load/gotrace/wire.h"
#include "session/download.h"
#include "session/query.h"

#include <inttypes.h>
#include <string.h>

int trace_stream_open(const struct options *o, struct bytes *in, struct err *e)
{
	if (download_require_one_file(o, e) || download_open_input(o, o->file[0], in, e))
		return -1;
	int rc = input_gunzip(in, e);
	if (!rc && wire_version(*in) < 0) {
		const struct reader *r = sniff(*in, e);
		rc = -1;
		if (r)
			err_set(e, ERR_FORMAT, ERR_NOWHERE, "this is a %s%s", r->name,
			    r->read == gotrace_read ? " of an unknown version" : ", not a Go execution trace");
	}
	if (rc)
		input_close(in);
	return rc;
}

void trace_stream_add_note(struct trace_stream_notes *n, uint64_t at, const char *msg)
{
	buf_printf(&n->text, "%s: %s", n->file, msg);
	if (at != ERR_NOWHERE && at != ERR_ASIDE)
		buf_printf(&n->text, ", at byte %" PRIu64, at);
	buf_putc(&n->text, '\0');
}

int trace_stream_check_strict(const struct options *o, const struct event_stream_info *i, struct err *e)
{
	if (!options_bool(o, OPT_STRICT) || i->lost_at == ERR_NOWHERE)
		return 0;
	e->kind = ERR_FORMAT;
	return -1;
}

void trace_stream_note_cut(struct trace_stream_notes *n, const struct bytes *in)
{
	if (input_was_truncated(in))
		trace_stream_add_note(n, ERR_NOWHERE, INPUT_CUT);
	struct err torn;
	if (in->torn.why && input_refuse_torn(in, &torn))
		trace_stream_add_note(n, torn.at, torn.msg);
}

void trace_stream_finish_notes(struct trace_stream_notes *n, bool say)
{
	for (size_t at = 0; say && at < n->text.n; at += strlen(n->text.p + at) + 1)
		put_line("ttrace: ", n->text.p + at);
	buf_free(&n->text);
}

/* ---- -from and -to */

struct event_times {
	int64_t first, last;
	uint64_t upto;		/* stop reading at this distance from the first event */
	bool any;
};

static bool find_ends(void *self, const struct trace_generation *g, const struct trace_event *t, size_t n)
{
	struct event_times *e = self;
	(void)g;
	if (event_stream_is_end(t, n) && !e->any)
		return true;
	if (!e->any)
		e->first = t[0].time;
	e->any = true;
	e->last = t[n - 1].time;
	return e->last < e->first || (uint64_t)e->last - (uint64_t)e->first <= e->upto;
}

/* If both ends count from the first event, they only need to be checked against the end of the trace: the start of the
   range is how far the trace must be read. UINT64_MAX: all of it. */
static uint64_t as_far_as(const char *from, const char *to)
{
	int64_t a = 0, b;
	if (!to || !text_parse_ns(to, &b) || (from && *from && !text_parse_ns(from, &a)))
		return UINT64_MAX;
	return a < 0 ? UINT64_MAX : (uint64_t)a;
}

/* Times on the command line count from the first event, or are shares of the whole, or times of day: the trace is first
   read for its start, its end, and its wall time. */
int trace_stream_range(
    const struct options *o, struct bytes in, bool *range_given, int64_t *from, int64_t *to, struct err *e)
{
	const char *a = options_str(o, OPT_FROM), *b = options_str(o, OPT_TO);
	*range_given = (a && *a) || (b && *b);
	if (!*range_given)
		return 0;
	static const struct event_stream_ops ops = {find_ends, NULL, NULL, NULL, NULL, NULL, 0};
	struct event_times event_times = {.upto = as_far_as(a, b)};
	struct event_stream_info info;
	if (event_stream_read(in, &ops, &event_times, &info, e))
		return -1;
	struct snap sn = {.t0 = 0, .t1 = event_times.last - event_times.first + 1, .has_trace = true,
	    .trace = {.wall = event_stream_wall(&info, event_times.first)}};
	if (query_parse_range(&sn, o, from, to, e))
		return -1;
	*from += event_times.first;
	*to += event_times.first;
	return 0;
}
