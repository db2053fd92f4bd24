/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Reports beside the keyboard: see report_job.h. A report makes a model of its own
 * and may take long, so a thread makes it, from the bytes that the session holds
 * (session/input_cache.h), and asks on the way whether to go on. All that it needs is in
 * one struct, which is the thread's until the job has been joined.
 */
#include "config.h"
#include "pages/report_job.h"

#include "base/job.h"
#include "session/input_wait.h"

#include <string.h>

struct reporting *reporting_new(tui_report *fn)
{
	struct reporting *r = xcalloc(1, sizeof *r);
	r->fn = fn;
	return r;
}

static void note(void *arg, const char *line)
{
	struct buf *b = arg;
	buf_printf(b, "%s%s", b->n ? "; " : "", line);
}

static int run(struct job *j, void *arg)
{
	struct reporting *r = arg;
	r->watch = arrival_watch(j);
	r->opt.watch = &r->watch;
	return r->fn(&r->opt, &r->text, &r->err);
}

int reporting_start(struct reporting *r, struct session *s, struct err *e)
{
	if (!r->fn)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "reports are not available here");
	if (opt_parse(&r->opt, r->line.n, (char *const *)(uintptr_t)r->line.v, e))
		return -1;
	r->opt.notice = note;
	r->opt.notice_arg = &r->notices;
	session_hand(s, &r->hand);
	r->opt.hand = &r->hand;
	r->job = job_start(run, r);
	if (!r->job)
		return err_set(e, ERR_LIMIT, ERR_NOWHERE, "cannot start a thread for the report");
	session_beside(s, r->job);
	return 0;
}

int reporting_end(struct reporting *r, struct session *s)
{
	if (session_job(s) == r->job)
		session_beside(s, NULL);
	int rc = job_join(r->job);
	r->job = NULL;
	return rc;
}

void reporting_free(struct reporting *r)
{
	opt_free(&r->opt);
	hand_drop(&r->hand);
	buf_free(&r->text);
	buf_free(&r->notices);
	mem_free(r->line.v);
	arena_free(&r->arena);
	mem_free(r);
}
