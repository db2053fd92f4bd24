/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Reports in the background: see report_job.h. A report builds its own model and may take long, so
 * a thread makes it from the bytes that the session holds (session/input_cache.h), and checks for
 * cancellation. All its data is in one struct, which belongs to the thread until the job has
 * ended.
 */
#include "config.h"
#include "pages/report_job.h"

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

static void run_report(void *work, struct job *j)
{
	struct report_work *r = work;
	r->watch = input_wait_watch(j);
	r->options.watch = &r->watch;
	r->failed = r->fn(&r->options, &r->text, &r->err) < 0;
}

static void free_report(void *work)
{
	report_job_free(work);
}

static const struct async_kind report_kind = {run_report, free_report};

int report_job_start(struct async *a, struct report_work *r, struct session *s, struct report_work **done, struct err *e)
{
	int rc = r->fn ? options_parse(&r->options, r->line.n, (char *const *)(uintptr_t)r->line.v, e)
		       : err_set(e, ERR_USAGE, ERR_NOWHERE, "reports are not available here");
	*done = NULL;
	if (rc) {
		report_job_free(r);
		return -1;
	}
	r->options.notice = add_notice;
	r->options.notice_arg = &r->notices;
	session_lend_inputs(s, &r->cached_inputs);
	r->options.cached_inputs = &r->cached_inputs;
	*done = async_start(a, &report_kind, r, ASYNC_ALWAYS);
	session_set_extra_work(s, a);
	return 0;
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
