/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Hostile files, read from bytes to a store: every sample, truncated at many places and with inverted bits, compressed
 * and uncompressed, and the corpus of the fuzzers, which has each file that once failed. fuzz/fuzz-file.c, whose entry
 * point this calls, checks what must hold; the seeds are fixed.
 */
#include "config.h"
#include "base/text/buf.h"
#include "base/mem/mem.h"
#include "load/load.h"
#include "tap.h"

#include <dirent.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static uint64_t state;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void feed(const uint8_t *p, size_t n)
{
	OK(LLVMFuzzerTestOneInput(p, n) == 0);
}

/* Feed prefixes that end at `cuts` places spread over the file, and `flips` copies with up to four inverted bits. */
static void feed_damaged(const struct bytes *b, size_t cuts, size_t flips)
{
	uint8_t *p = xmalloc(b->n);
	for (size_t i = 0; i < cuts; i++)
		feed(b->p, b->n < cuts ? i % b->n : b->n / cuts * i + rnd() % (b->n / cuts));
	for (size_t i = 0; i < flips; i++) {
		memcpy(p, b->p, b->n);
		for (uint64_t k = 1 + rnd() % 4; k; k--) {
			uint64_t bit = rnd();
			p[rnd() % b->n] ^= (uint8_t)(1u << (bit & 7));
		}
		feed(p, b->n);
	}
	mem_free(p);
}

static void sample(const char *path)
{
	struct bytes b;
	struct err e;
	if (input_open(path, &b, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		OK(!"the sample is read");
		return;
	}
	size_t rounds = b.n > 500000 ? 12 : 60;
	state = 88172645463325252u;
	feed(b.p, b.n);
	feed_damaged(&b, rounds, rounds);
	OK(!input_gunzip(&b, &e));
	if (b.gzipped)
		feed_damaged(&b, 2 * rounds, 4 * rounds);
	input_close(&b);
}

/* Call fn(path) for each file of a folder whose name ends with `end`. Return the number of files. */
static int each(const char *dir, const char *end, void (*fn)(const char *))
{
	int n = 0;
	struct buf path = {0};
	DIR *d = opendir(dir);
	for (struct dirent *f; d && (f = readdir(d));) {
		size_t len = strlen(f->d_name), k = strlen(end);
		if (f->d_name[0] == '.' || len < k || strcmp(f->d_name + len - k, end))
			continue;
		buf_reset(&path);
		buf_printf(&path, "%s/%s", dir, f->d_name);
		fn(buf_str(&path));
		n++;
	}
	if (d)
		closedir(d);
	buf_free(&path);
	return n;
}

static void replay(const char *path)
{
	struct bytes b;
	struct err e;
	OK(!input_open(path, &b, &e));
	feed(b.p, b.n);
	input_close(&b);
}

int main(void)
{
	OK(each(tap_source("samples"), ".pb.gz", sample) >= 7);
	OK(each(tap_source("samples"), ".trace", sample) >= 1);
	OK(each(tap_source("fuzz/corpus"), "", replay) > 10);
	return DONE();
}
