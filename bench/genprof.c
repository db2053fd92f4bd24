/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Writes large pprof profiles for `make bench`: -samples N, -functions N, stacks of 10 to 60 frames that share their outer
 * frames as real ones do, two sample types, and labels. The same arguments give the same bytes. The output is compressed
 * by zlib while it is made.
 */
#include "config.h"
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MAX = 1 << 16, WAYS = 6 };

static gzFile out;

static size_t field(uint8_t *b, int id, uint64_t v)
{
	b[0] = (uint8_t)(id << 3);
	return 1 + varint(b + 1, v);
}

static void message(int id, const void *p, size_t n)
{
	uint8_t head[16];
	head[0] = (uint8_t)(id << 3 | 2);
	size_t h = 1 + varint(head + 1, n);
	gzwrite(out, head, (unsigned)h);
	if (n)
		gzwrite(out, p, (unsigned)n);
}

static void value_type(int id, uint64_t type, uint64_t unit)
{
	uint8_t b[32];
	size_t n = field(b, 1, type);
	n += field(b + n, 2, unit);
	message(id, b, n);
}

/* Make a stack, leaf first: a random walk from the root, in which each function calls one of a few others. */
static void sample(uint32_t nfun)
{
	static uint8_t b[2048], ids[1024];
	uint64_t loc[64];
	uint32_t depth = 10 + rnd(50), at = 0;
	for (uint32_t k = 0; k < depth; k++) {
		uint32_t way = rnd(16) ? 0 : 1 + rnd(WAYS);
		loc[depth - 1 - k] = at + 1;
		at = (uint32_t)((at * UINT64_C(2654435761) + k * 97 + way * 7919 + 1) % nfun);
	}
	size_t n = 0, m = 0;
	for (uint32_t k = 0; k < depth; k++)
		m += varint(ids + m, loc[k]);
	b[n++] = 1 << 3 | 2;
	n += varint(b + n, m);
	memcpy(b + n, ids, m);
	n += m;
	uint64_t hits = 1 + rnd(20);
	m = varint(ids, hits);
	m += varint(ids + m, hits * 10000000);
	b[n++] = 2 << 3 | 2;
	n += varint(b + n, m);
	memcpy(b + n, ids, m);
	n += m;
	if (!rnd(3)) {
		m = field(ids, 1, 5);
		m += field(ids + m, 2, 6 + rnd(2));
		b[n++] = 3 << 3 | 2;
		n += varint(b + n, m);
		memcpy(b + n, ids, m);
		n += m;
	}
	message(2, b, n);
}

int main(int argc, char **argv)
{
	uint32_t samples = 100000, nfun = 50000;
	const char *path = NULL;
	rng = 42;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-samples") && i + 1 < argc)
			samples = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "-functions") && i + 1 < argc)
			nfun = (uint32_t)strtoul(argv[++i], NULL, 10);
		else
			path = argv[i];
	}
	if (!path || !nfun || !(out = gzopen(path, "wb6"))) {
		fputs("usage: genprof [-samples N] [-functions N] FILE.pb.gz\n", stderr);
		return 2;
	}
	value_type(1, 1, 2);
	value_type(1, 3, 4);
	for (uint32_t i = 0; i < samples; i++)
		sample(nfun);
	uint8_t b[256], line[64];
	for (uint32_t i = 1; i <= nfun; i++) {
		size_t m = field(line, 1, i);
		m += field(line + m, 2, 10 + i % 500);
		size_t n = field(b, 1, i);
		n += field(b + n, 3, 0x400000 + (uint64_t)i * 64);
		b[n++] = 4 << 3 | 2;
		n += varint(b + n, m);
		memcpy(b + n, line, m);
		message(4, b, n + m);
	}
	for (uint32_t i = 1; i <= nfun; i++) {
		size_t n = field(b, 1, i);
		n += field(b + n, 2, 7 + i);
		n += field(b + n, 3, 7 + i);
		n += field(b + n, 4, 7);
		message(5, b, n);
	}
	static const char *const first[] = {
	    "", "samples", "count", "cpu", "nanoseconds", "endpoint", "/checkout", "/search"};
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		message(6, first[i], strlen(first[i]));
	for (uint32_t i = 1; i <= nfun; i++) {
		char name[96];
		int n = snprintf(name, sizeof name, "example.com/svc/pkg%u.(*Type%u).Method%u", i % 31, i % 701, i);
		message(6, name, (size_t)n);
	}
	value_type(11, 3, 4);
	uint8_t p[16];
	gzwrite(out, p, (unsigned)field(p, 12, 10000000));
	return gzclose(out) != Z_OK;
}
