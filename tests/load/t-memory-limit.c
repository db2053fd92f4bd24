/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Readers of texts and of old profiles when the program exceeds its memory limit: of a long file each reads a part, and
 * adds one notice; a short file, which is read to its end, has no notice although the limit is exceeded. The sink gets the
 * progress, and when it stops the reading, a part of a long file is shown without a notice.
 */
#include "config.h"
#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "load/load.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/store.h"
#include "tap.h"

#include <string.h>

enum { FEW = 20, MANY = 40000, LIMIT = 1 << 20 };
enum form { FOLDED, PERF, DUMP, GCTRACE, HEAP, COUNT, CONTENTION, JEMALLOC, THREADS, JAVA, CPU, CPU_JAVA, FORMS };
static const char *const names[FORMS] = {
	"folded", "perf", "dump", "gctrace", "heap", "count", "contention", "jemalloc", "threads", "java", "cpu", "cpu of java",
};
static read_fn *const readers[FORMS] = {
	folded_read, perf_read, godump_read, godebug_read, legacy_read, legacy_read, legacy_read, legacy_read, legacy_read,
	legacy_read, legacy_read, legacy_read,
};
static const char *const heading[FORMS] = {
	[HEAP] = "heap profile: 1: 1 [1: 1] @ heap/524288\n", [COUNT] = "goroutine profile: total 1\n",
	[CONTENTION] = "--- contention:\ncycles/second=1000\nsampling period=1\n",
	[JEMALLOC] = "heap_v2/4096\n  t*: 1: 1 [1: 1]\n", [THREADS] = "--- threadz 1 ---\n\n",
	[JAVA] = "--- heapz 1 ---\nformat = java\nresolution = bytes\n",
};

static void put_cell(struct buf *b, uint64_t v)
{
	for (int i = 0; i < 64; i += 8)
		buf_putc(b, (int)(v >> i & 255));
}

static void put_cells(struct buf *b, const uint64_t *v, size_t n)
{
	while (n--)
		put_cell(b, *v++);
}

/* Append the i-th sample, with a name or an address of its own. */
static void put_sample(struct buf *b, enum form form, int i)
{
	int at = 4096 + i * 64;
	switch (form) {
	case FOLDED: buf_printf(b, "main;f%d 1\n", i); break;
	case PERF: buf_printf(b, "p 1 [000] %d.000001: 1 cycles: \n\t%x f%d+0x1 (/p)\n\n", i, at, i); break;
	case DUMP: buf_printf(b, "goroutine %d [running]:\nmain.f%d()\n\t/x.go:1 +0x1d\n\n", i + 1, i); break;
	case GCTRACE:
		buf_printf(b, "gc %d @%d.056s 0%%: 0.097+1.5+0.005 ms clock, 0.19+0.45/0/0+0.011 ms cpu, 3->4->0 MB, "
		    "4 MB goal, 0 MB stacks, 0 MB globals, 4 P\n", i + 1, i);
		break;
	case HEAP: buf_printf(b, "1: 8 [1: 8] @ 0x%x\n", at); break;
	case COUNT: buf_printf(b, "1 @ 0x%x\n", at); break;
	case CONTENTION: buf_printf(b, "10 2 @ 0x%x\n", at); break;
	case JEMALLOC: buf_printf(b, "@ 0x%x\n  t*: 1: 8 [1: 8]\n", at); break;
	case THREADS: buf_printf(b, "--- Thread %x (name: a/%d) stack: ---\n  0x%x\n", at, i, at); break;
	case JAVA: buf_printf(b, " 8 1 @ 0x%x\n", at); break;
	default: put_cells(b, (uint64_t[]){1, 1, (uint64_t)at}, 3);
	}
}

static void put_file(struct buf *b, enum form form, int n)
{
	buf_reset(b);
	if (form >= CPU)
		put_cells(b, (uint64_t[]){0, 3, form == CPU_JAVA, 100, 0}, 5);
	else if (heading[form])
		buf_puts(b, heading[form]);
	for (int i = 0; i < n; i++)
		put_sample(b, form, i);
	if (form >= CPU)
		put_cells(b, (uint64_t[]){0, 1, 0}, 3);
	if (form == JAVA || form == CPU_JAVA)
		for (int i = 0; i < n; i++)
			buf_printf(b, " 0x%x f%d (F.java:1)\n", 4096 + i * 64, i);
	else if (form > GCTRACE)
		buf_puts(b, "--- Memory map: ---\n00001000-7f000000 r-xp 00000000 00:00 0 /p\n");
}

/* The progress of a reader. */
static struct {
	bool (*publish)(void *, int64_t, uint64_t);
	uint64_t bytes;
	int calls, most;	/* from call number `most` on the reading is to stop; 0: never */
	bool back;		/* the progress went back */
} progress;

static bool watched_upto(void *self, int64_t t, uint64_t bytes)
{
	progress.back |= bytes < progress.bytes;
	progress.bytes = bytes;
	progress.calls++;
	return progress.publish(self, t, bytes) && (!progress.most || progress.calls < progress.most);
}

/* Read the file. Return the number of samples and spans, -1 if it is refused; set *notices to that of notices of the limit. */
static int64_t read_file(const struct buf *b, enum form form, bool limited, int *notices)
{
	struct err e = {0};
	struct store_builder *builder = builder_new();
	struct sink sink = builder_sink(builder);
	struct sink_ops ops = *sink.ops;
	progress.publish = ops.upto;
	progress.bytes = 0;
	progress.calls = 0;
	ops.upto = watched_upto;
	sink.ops = &ops;
	mem_set_budget(limited ? LIMIT : 0);
	int rc = readers[form]((struct bytes){.p = (const uint8_t *)b->p, .n = b->n, .file_n = b->n}, &sink, &e);
	mem_set_budget(0);
	const struct snap *sn = builder_finish(builder);
	int64_t size = rc ? -1 : (int64_t)sn->nsmps + sn->nspans;
	*notices = 0;
	for (uint32_t i = 0; i < sn->nwarns; i++)
		*notices += strstr(((const struct warn_row *)column_at(&sn->st->warns, i))->msg, "limit of -mem") != NULL;
	OK(!store_check(sn, &e));
	builder_free(builder);
	return size;
}

int main(void)
{
	struct buf b = {0};
	size_t room = (size_t)8 << 20;
	char *held = xmalloc(room);	/* the limit is exceeded from the beginning */
	memset(held, 1, room);
	for (enum form f = 0; f < FORMS; f++) {
		int notices, failed = tap_bad;
		put_file(&b, f, MANY);
		int64_t all = read_file(&b, f, false, &notices);
		OK(all >= MANY && !notices);
		OK(progress.calls > 4 && !progress.back && progress.bytes > b.n / 4 && progress.bytes <= b.n);
		progress.most = 2;
		int64_t part = read_file(&b, f, false, &notices);
		OK(part > 0 && part < all / 2 && !notices);
		OK(progress.calls < 6 && progress.bytes < 3 * b.n / 4);
		progress.most = 0;
		int64_t some = read_file(&b, f, true, &notices);
		OK(some > 0 && some < all / 2 && notices == 1);
		put_file(&b, f, FEW);
		all = read_file(&b, f, false, &notices);
		OK(all >= FEW && !notices);
		OK(read_file(&b, f, true, &notices) == all && !notices);
		if (failed != tap_bad)
			fprintf(stderr, "... of %s: %lld of %lld\n", names[f], (long long)some, (long long)all);
	}
	mem_free(held);
	buf_free(&b);
	return DONE();
}
