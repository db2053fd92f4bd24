/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Opening a trace to print it, and saying on standard error what its reader
 * noticed. These reports go past the store: they show the file, in constant
 * memory, also where it is damaged.
 */
#include "config.h"
#include "report/trace/trace_stream.h"

#include "base/put.h"
#include "base/text/text.h"
#include "load/gotrace/wire.h"
#include "session/download.h"
#include "session/trace_open.h"

#include <inttypes.h>
#include <string.h>

int dump_open(const struct opt *o, struct bytes *in, struct err *e)
{
	if (source_only(o, e) || source_open(o, o->file[0], in, e))
		return -1;
	int rc = input_gunzip(in, e);
	if (!rc && gowire_version(*in) < 0) {
		const struct reader *r = sniff(*in, e);
		rc = -1;
		if (r)
			err_set(e, ERR_FORMAT, ERR_NOWHERE, "this is a %s%s", r->name,
			    r->read == read_gotrace ? " of an unknown version" : ", not a Go execution trace");
	}
	if (rc)
		input_close(in);
	return rc;
}

void dump_note(struct dump_notes *n, uint64_t at, const char *msg)
{
	buf_printf(&n->text, "%s: %s", n->file, msg);
	if (at != ERR_NOWHERE && at != ERR_ASIDE)
		buf_printf(&n->text, ", at byte %" PRIu64, at);
	buf_putc(&n->text, '\0');
}

int dump_end(const struct opt *o, const struct tstream_info *i, struct err *e)
{
	if (!opt_bool(o, OPT_STRICT) || i->lost_at == ERR_NOWHERE)
		return 0;
	e->kind = ERR_FORMAT;
	return -1;
}

void dump_cut(struct dump_notes *n, const struct bytes *in)
{
	if (input_cut(in))
		dump_note(n, ERR_NOWHERE, INPUT_CUT);
	struct err torn;
	if (in->torn.why && input_torn(in, &torn))
		dump_note(n, torn.at, torn.msg);
}

void dump_notes_say(struct dump_notes *n, bool say)
{
	for (size_t at = 0; say && at < n->text.n; at += strlen(n->text.p + at) + 1)
		put_line("ttrace: ", n->text.p + at);
	buf_free(&n->text);
}

/* ---- -from and -to */

struct ends {
	int64_t first, last;
	uint64_t upto;		/* so far from the first is as far as one has to know */
	bool any;
};

static bool find_ends(void *self, const struct tgen *g, const struct tev *t, size_t n)
{
	struct ends *e = self;
	(void)g;
	if (tev_ends(t, n) && !e->any)
		return true;
	if (!e->any)
		e->first = t[0].time;
	e->any = true;
	e->last = t[n - 1].time;
	return e->last < e->first || (uint64_t)e->last - (uint64_t)e->first <= e->upto;
}

/* Where both ends count from the first event it only matters that the first of them is not after the last event: that
   is how far the trace is read before. UINT64_MAX: all of it. */
static uint64_t as_far_as(const char *from, const char *to)
{
	int64_t a = 0, b;
	if (!to || !text_parse_ns(to, &b) || (from && *from && !text_parse_ns(from, &a)))
		return UINT64_MAX;
	return a < 0 ? UINT64_MAX : (uint64_t)a;
}

/* Times of the command line count from the first event, or are shares of the whole, or of the day: for these the
   trace is read once to know where it begins, ends, and when that was. */
int dump_range(const struct opt *o, struct bytes in, bool *asked, int64_t *from, int64_t *to, struct err *e)
{
	const char *a = opt_str(o, OPT_FROM), *b = opt_str(o, OPT_TO);
	*asked = (a && *a) || (b && *b);
	if (!*asked)
		return 0;
	static const struct tev_ops ops = {find_ends, NULL, NULL, NULL, NULL, NULL, false, 0, NULL};
	struct ends ends = {.upto = as_far_as(a, b)};
	struct tstream_info info;
	if (tev_read(in, &ops, &ends, &info, e))
		return -1;
	struct snap sn = {.t0 = 0, .t1 = ends.last - ends.first + 1, .has_trace = true,
	    .trace = {.wall = info.wall == TIME_NONE ? TIME_NONE
	    : info.wall - (info.wall_at - ends.first)}};
	if (trace_range(&sn, o, from, to, e))
		return -1;
	*from += ends.first;
	*to += ends.first;
	return 0;
}
