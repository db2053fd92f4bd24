/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Opens a profile for the report of findings. It is read by a session, as for the viewer, because a session reads the
 * base into the same store, where both have the same functions and stacks.
 */
#include "config.h"
#include "findings/findings.h"
#include "report/trace/findings_profile.h"

#include "session/download.h"
#include "session/session.h"

int findings_input_is_trace(const struct options *o, struct err *e)
{
	struct bytes in;
	if (download_require_one_file(o, e) || download_open_input(o, o->file[0], &in, e))
		return -1;
	const struct reader *r = sniff_input(&in, e);
	input_close(&in);
	if (!r)
		return -1;
	bool trace = r->kind == FK_GOTRACE;
	return !trace && options_check_profile(o, r->name, e) ? -1 : trace;
}

/* Wait for the base, if there is one. */
static int wait_for_sides(struct session *s, struct err *e)
{
	if (session_wait(s, e))
		return -1;
	session_refresh(s);
	for (struct side_news news; session_side_news(s, &news);)
		if (news.failed) {
			*e = news.err;
			return -1;
		}
	return session_failed(s, e) ? -1 : 0;
}

int findings_profile_open(struct findings_profile *p, struct trace_report_ctx *r, const struct options *o,
    struct out *out, struct err *e)
{
	*p = (struct findings_profile){0};
	*r = (struct trace_report_ctx){.o = o, .out = &out->buf, .to = out};
	if (table_format(o, &r->format, e))
		return -1;
	p->s = session_open(o, e);
	if (!p->s)
		return -1;
	if (wait_for_sides(p->s, e)) {
		findings_profile_close(p);
		return -1;
	}
	const struct query *q = session_query(p->s);
	p->sides = (struct findings_sides){q->a, q->b};
	r->sn = session_snap(p->s);
	r->st = r->sn->st;
	r->mem = &p->mem;
	return 0;
}

void findings_profile_close(struct findings_profile *p)
{
	session_close(p->s);
	arena_free(&p->mem);
}
