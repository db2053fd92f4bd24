/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Bytes on their way, with progress and cancel: the glue between what can take
 * long (a server, a pipe, gzip) and the job that waits for it. How long a server
 * will take is known before it answers, as it was asked to collect for so many
 * seconds; so the interface can count them.
 */
#include "config.h"
#include "session/input_wait.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

static bool go(void *arg, uint64_t done, uint64_t total)
{
	job_tell(arg, done, total);
	return !job_cancelled(arg);
}

struct input_watch arrival_watch(struct job *j)
{
	return (struct input_watch){go, j};
}

static void say(void *arg, bool news, const char *line)
{
	struct arrival *a = arg;
	size_t n = strlen(a->said);
	if (news)
		snprintf(a->said + n, sizeof a->said - n, "%s%s", n ? "; " : "", line);
}

int64_t arrival_ms(const struct arrival *a)
{
	return clock_ms() - a->began;
}

void arrival_plan(struct arrival *a, struct opt *o)
{
	*a = (struct arrival){.o = o, .began = clock_ms()};
	a->going = remote_describe(o, &a->what);
}

int arrival_fetch(struct arrival *a, struct job *j, struct err *e)
{
	a->watch = arrival_watch(j);
	if (!a->going)
		return 0;
	const struct remote_watch w = {.input = a->watch, .say = say, .arg = a};
	a->o->remote = remote_fetch(a->o, &w, e);
	a->going = false;
	return a->o->remote ? 0 : -1;
}

int arrival_open(struct arrival *a, const char *name, struct bytes *b, struct err *e)
{
	if (source_open_for(a->o, name, &a->watch, b, e))
		return -1;
	if (!input_gunzip_for(b, &a->watch, e))
		return 0;
	input_close(b);
	return -1;
}

void arrival_free(struct arrival *a)
{
	if (a->o) {
		remote_free(a->o->remote);
		a->o->remote = NULL;
	}
	a->o = NULL;
}
