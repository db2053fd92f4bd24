/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Each report is cancelled at several of its calls of the progress callback: it ends soon, and leaks nothing (which the
 * sanitizers find). A report that is not cancelled prints the same text as one without a callback. Of a text whose reading
 * is cancelled, the viewer has a part, and a report nothing.
 */
#include "config.h"
#include "report/report.h"
#include "base/mem/mem.h"
#include "cli/options.h"
#include "session/download.h"
#include "session/merge_profiles.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct calls { long n, stop; };	/* calls of the callback; the call that cancels, 0: none */

static bool count_call(void *arg, uint64_t done, uint64_t total)
{
	struct calls *a = arg;
	(void)done, (void)total;
	return ++a->n < a->stop || a->stop <= 0;
}

static void quiet(void *none, const char *line)
{
	(void)none, (void)line;
}

/* Make a report that is cancelled at call `stop` (0: never, -1: without a callback). Return the number of calls. */
static long make(const char *report, const char *arg, char *file, long stop, struct buf *text)
{
	struct calls a = {.stop = stop};
	const struct input_watch w = {count_call, &a};
	struct err e = {.at = ERR_NOWHERE};
	struct options o;
	char word[100];
	snprintf(word, sizeof word, arg ? "-%s=%s" : "%s", report, arg);
	char *argv[] = {(char *)(uintptr_t)"ttrace", word, file};
	OK(!options_parse(&o, 3, argv, &e));
	struct out out = {.fd = -1, .held = true, .watch = stop < 0 ? NULL : &w};
	o.watch = out.watch;
	o.notice = quiet;
	int rc = report_find(o.report)->run(&o, &out, &e);
	OK(stop > 0 || !rc);
	if (stop > 0 && a.n >= stop + 3)	/* the report has not ended */
		fprintf(stderr, "%s, stopped at %ld of %ld\n", report, stop, a.n);
	OK(stop <= 0 || a.n < stop + 3);
	OK(!rc || e.kind != ERR_NONE);
	if (text)
		*text = out.buf;
	else
		buf_free(&out.buf);
	options_free(&o);
	return a.n;
}

static void drop_notice(void *none, const char *fmt, ...)
{
	(void)none, (void)fmt;
}

/* Read n times the file of folded stacks, cancelled at call `stop`. Return the number of samples; -1: it was refused. */
static int64_t read_texts(const char *report, char *file, int n, long stop, struct err *e)
{
	struct calls a = {.stop = stop};
	const struct input_watch w = {count_call, &a};
	struct options o;
	char word[10];
	snprintf(word, sizeof word, "%s", report);
	char *argv[] = {(char *)(uintptr_t)"ttrace", word, file, file};
	OK(!options_parse(&o, 2 + n, argv, e));
	o.watch = &w;
	*e = (struct err){0};
	struct profile *p = merge_profiles_read(&o, drop_notice, NULL, e);
	int64_t samples = p ? (int64_t)p->nsample : -1;
	if (p)
		profile_free(p);
	options_free(&o);
	return samples;
}

static void check_text(void)
{
	enum { LINES = 20000 };
	char file[] = "t-cancel.XXXXXX";
	int fd = mkstemp(file);
	struct err e;
	OK(fd >= 0);
	for (int i = 0; i < LINES; i++)
		dprintf(fd, "main;f%d 1\n", i);
	OK(read_texts("view", file, 1, 0, &e) == LINES);
	for (long k = 2; k < 30; k += 9) {
		int64_t part = read_texts("view", file, 1, k, &e);
		OK(part > 0 && part < LINES);
		OK(read_texts("view", file, 2, k, &e) < 0 && e.kind == ERR_CANCEL);
		OK(read_texts("top", file, 1, k, &e) < 0 && e.kind == ERR_CANCEL);
	}
	close(fd);
	unlink(file);
}

int main(void)
{
	check_text();
	static const char *const names[] = {"samples/cpu.pb.gz", "samples/orders.trace"};
	static const struct { const char *report, *arg; bool trace; } all[] = {
	    {"top", NULL, true}, {"tree", NULL, true}, {"peek", "json", true}, {"list", "json", true},
	    {"traces", NULL, true},
	    {"tags", NULL, false}, {"raw", NULL, true}, {"dot", NULL, true}, {"callgrind", NULL, true},
	    {"folded", NULL, true},
	    {"topproto", NULL, true}, {"proto", NULL, true}, {"speedscope", NULL, true}, {"flame", NULL, true},
	    {"comments", NULL, true}, {"goroutines", NULL, true}, {"gc", NULL, true}};
	for (size_t f = 0; f < 2; f++)
		for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
			struct buf one = {0}, two = {0};
			char *file = tap_source(names[f]);
			if ((f && !all[i].trace) ||
			    (!f && (!strcmp(all[i].report, "goroutines") || !strcmp(all[i].report, "gc"))))
				continue;
			long n = make(all[i].report, all[i].arg, file, 0, &one);
			make(all[i].report, all[i].arg, file, -1, &two);
			OK(n > 0);
			OK(one.n == two.n && (!one.n || !memcmp(one.p, two.p, one.n)));
			buf_free(&one);
			buf_free(&two);
			for (long k = 1; k <= n; k += 1 + n / 6)
				make(all[i].report, all[i].arg, file, k, NULL);
		}
	return DONE();
}
