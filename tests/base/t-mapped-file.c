/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* A file that is truncated while it is mapped reads as zeros after its end, in any thread, and a warning reports it. */
#include "config.h"
#include "base/job.h"
#include "base/mem/mapped_file.h"
#include "base/mem/mem.h"
#include "load/load.h"
#include "store/builder.h"
#include "store/store.h"
#include "tap.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 3 << 20, KEPT = 70000 };

static char name[] = "/tmp/ttrace-cut-XXXXXX";

/* Write the sample repeatedly, up to a size at which files are mapped. The file is damaged only where its first copy ends. */
static void make(const struct bytes *sample)
{
	int fd = open(name, O_WRONLY | O_TRUNC);
	for (size_t n = 0; n < SIZE; n += sample->n)
		OK(write(fd, sample->p, sample->n) == (ssize_t)sample->n);
	close(fd);
}

struct adding { const struct bytes *b; uint64_t sum[4]; };	/* one sum for each thread, because OK() is for one thread */

static void add_up(void *arg, uint32_t i)
{
	struct adding *a = arg;
	for (size_t k = i; k < a->b->n; k += 4)
		a->sum[i] += a->b->p[k];
}

int main(void)
{
	struct bytes sample, b;
	struct err e = {0};
	int fd = mkstemp(name);
	if (fd < 0 || input_open(tap_source("samples/orders.trace"), &sample, &e))
		return 1;
	close(fd);

	make(&sample);
	OK(!input_open(name, &b, &e) && b.mapped && !input_was_truncated(&b));
	OK(!truncate(name, KEPT));
#ifdef __SANITIZE_THREAD__
	setenv("TTRACE_JOBS", "1", 1);	/* TSan reports a race of the handler, which maps zeros, with readers */
#else
	setenv("TTRACE_JOBS", "4", 1);
#endif
	struct adding sums = {.b = &b};
	job_parallel(4, add_up, &sums);
	for (int i = 0; i < 4; i++)
		OK(sums.sum[i] > 0);
	OK(mapped_was_truncated(b.p) && input_was_truncated(&b));
	OK(b.p[KEPT - 1] == sample.p[(KEPT - 1) % sample.n] && b.p[b.n - 1] == 0);
	struct store_builder *store_builder = builder_new();
	struct sink sink = builder_sink(store_builder);
	OK(input_report_damage(&b, gotrace_read(b, &sink, &e), &sink, &e) == 0);
	const struct snap *sn = builder_finish(store_builder);
	const struct warn_row *w = column_at(&sn->st->warns, sn->nwarns - 1);
	OK(sn->nwarns >= 2 && !strcmp(w->msg, INPUT_CUT));
	builder_free(store_builder);
	input_close(&b);

	/* truncation within the last page causes no fault; a file that was replaced counts as another file */
	make(&sample);
	OK(!input_open(name, &b, &e));
	OK(!truncate(name, (off_t)b.n - 5));
	OK(input_was_truncated(&b));
	OK(input_report_damage(&b, -1, &sink, &e) == -1 && !strcmp(e.msg, INPUT_CUT));
	input_close(&b);
	make(&sample);
	OK(!input_open(name, &b, &e));
	unlink(name);
	fd = open(name, O_CREAT | O_WRONLY, 0600);
	close(fd);
	OK(!input_was_truncated(&b));
	input_close(&b);
	unlink(name);
	input_close(&sample);
	return DONE();
}
