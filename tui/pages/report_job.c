/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Reports in the background: see report_job.h. A report builds its own model and may take long, so
 * a thread makes it from the bytes that the session holds (session/input_cache.h), and checks for
 * cancellation. All its data is in one struct, which belongs to the thread until the job has been
 * joined.
 */
#include "config.h"
#include "pages/report_job.h"

#include "base/job.h"
#include "session/input_wait.h"

#include <string.h>

struct report_work *report_job_new(tui_report *fn)
{
	struct report_work *r = xcalloc(1, sizeof *r);
	r->fn = fn;
	return r;
}

static void add_notice(void *arg, const char *line)
{
	struct buf *b = arg;
	buf_printf(b, "%s%s", b->n ? "; " : "", line);
}

static int run_report(struct job *j, void *arg)
{
	struct report_work *r = arg;
	r->watch = input_wait_watch(j);
	r->options.watch = &r->watch;
	return r->fn(&r->options, &r->text, &r->err);
}

int report_job_start(struct report_work *r, struct session *s, struct err *e)
{
	if (!r->fn)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "reports are not available here");
	if (options_parse(&r->options, r->line.n, (char *const *)(uintptr_t)r->line.v, e))
		return -1;
	r->options.notice = add_notice;
	r->options.notice_arg = &r->notices;
	session_lend_inputs(s, &r->cached_inputs);
	r->options.cached_inputs = &r->cached_inputs;
	r->job = job_start(run_report, r);
	if (!r->job)
		return err_set(e, ERR_LIMIT, ERR_NOWHERE, "cannot start a thread for the report");
	session_set_extra_job(s, r->job);
	return 0;
}

int report_job_finish(struct report_work *r, struct session *s)
{
	if (session_job(s) == r->job)
		session_set_extra_job(s, NULL);
	int rc = job_join(r->job);
	r->job = NULL;
	return rc;
}

void report_job_free(struct report_work *r)
{
	options_free(&r->options);
	input_cache_drop(&r->cached_inputs);
	buf_free(&r->text);
	buf_free(&r->notices);
	mem_free(r->line.v);
	arena_free(&r->arena);
	mem_free(r);
}
