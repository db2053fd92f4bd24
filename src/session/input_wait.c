/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Connects slow inputs (a server, a pipe, gzip) with the job that waits for
 * them: progress and cancel. The duration of a download is known before the
 * server answers, because the request has the seconds to collect; so the UI can
 * count them.
 */
#include "config.h"
#include "session/input_wait.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

static bool report_progress(void *arg, uint64_t done, uint64_t total)
{
	if (arg)
		job_report_progress(arg, done, total);
	return !arg || !job_cancelled(arg);
}

struct input_watch input_wait_watch(struct job *j)
{
	return (struct input_watch){report_progress, j};
}

static void add_notice(void *arg, bool news, const char *line)
{
	struct pending_input *a = arg;
	size_t n = strlen(a->notices);
	if (news)
		snprintf(a->notices + n, sizeof a->notices - n, "%s%s", n ? "; " : "", line);
}

int64_t input_wait_elapsed_ms(const struct pending_input *a)
{
	return clock_ms() - a->began;
}

void input_wait_plan(struct pending_input *a, struct options *o)
{
	*a = (struct pending_input){.o = o, .began = clock_ms()};
	a->going = !o->downloads && download_describe(o, &a->what);
}

int input_wait_fetch(struct pending_input *a, struct job *j, struct err *e)
{
	a->watch = input_wait_watch(j);
	if (!a->going)
		return 0;
	const struct download_watch w = {.input = a->watch, .add_notice = add_notice, .arg = a};
	a->o->downloads = download_fetch(a->o, &w, e);
	a->owns = true;
	a->going = false;
	return a->o->downloads ? 0 : -1;
}

int input_wait_open(struct pending_input *a, const char *name, struct bytes *b, struct err *e)
{
	if (download_open_watched(a->o, name, &a->watch, b, e))
		return -1;
	if (!input_gunzip_watched(b, &a->watch, e))
		return 0;
	input_close(b);
	return -1;
}

void input_wait_free(struct pending_input *a)
{
	if (a->owns)
		download_free(a->o->downloads);
	a->owns = false;
	a->o = NULL;
}
