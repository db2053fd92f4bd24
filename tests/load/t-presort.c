/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Stacks that are sorted while a profile is inflated, against sorting them when all of it is there: for valid, truncated
 * and damaged profiles of several layouts, the store and the error message are the same.
 */
#include "config.h"
#include "load/load.h"

#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/store.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static uint64_t seed = 1;

static uint32_t rnd(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((seed >> 33) % below);
}

/* ---- profiles on the wire */

enum how { PLAIN, BACKWARDS, MISSING, UNPACKED, SCATTERED, HUGE_IDS, HOWS };

static void number(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_putc(b, (char)(v | 0x80));
	buf_putc(b, (char)v);
}

static void field(struct buf *b, unsigned id, uint64_t v)
{
	number(b, id << 3);
	number(b, v);
}

static void message(struct buf *b, unsigned id, struct buf *m)
{
	number(b, id << 3 | 2);
	number(b, m->n);
	buf_put(b, m->p, m->n);
	buf_reset(m);
}

static uint64_t id_of(enum how how, uint32_t i)
{
	return how == HUGE_IDS ? UINT64_C(1) << 40 | i : i;
}

static void location(struct buf *b, struct buf *m, uint64_t id)
{
	struct buf line = {0};
	field(m, 1, id);
	field(&line, 1, 1);
	field(&line, 2, id % 50);
	message(m, 4, &line);
	message(b, 4, m);
	buf_free(&line);
}

static void sample(struct buf *b, struct buf *m, enum how how, uint32_t nloc, const uint32_t *way)
{
	struct buf ids = {0};
	uint32_t n = rnd(20), same = rnd(n + 1);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t id = id_of(how, i >= n - same ? way[n - 1 - i] : 1 + rnd(nloc));
		if (how == UNPACKED && n < 3)
			field(m, 1, id);
		else
			number(&ids, id);
	}
	if (ids.n)
		message(m, 1, &ids);
	field(m, 2, rnd(1000));
	if (!rnd(4)) {
		field(&ids, 1, 1);
		field(&ids, 3, rnd(5));
		message(m, 3, &ids);
	}
	message(b, 2, m);
	buf_free(&ids);
}

static void make_profile(struct buf *b, enum how how, uint32_t samples)
{
	static const char *const text[] = {"", "cpu", "nanoseconds"};
	struct buf m = {0};
	uint32_t nloc = 1 + rnd(300), way[20];
	for (uint32_t i = 0; i < 20; i++)
		way[i] = 1 + rnd(nloc);
	field(&m, 1, 1);
	field(&m, 2, 2);
	message(b, 1, &m);
	for (uint32_t i = 0; i < samples; i++) {
		if (how == SCATTERED && i == samples / 2)
			location(b, &m, nloc + 1);
		sample(b, &m, how, nloc, way);
	}
	for (uint32_t i = 1; i <= nloc; i++)
		if (how != MISSING || i != nloc / 2 + 1)
			location(b, &m, id_of(how, how == BACKWARDS ? nloc + 1 - i : i));
	field(&m, 1, 1);
	field(&m, 2, 1);
	message(b, 5, &m);
	for (uint32_t i = 0; i < 3; i++) {
		buf_puts(&m, text[i]);
		message(b, 6, &m);
	}
	buf_free(&m);
}

static void zip(struct buf *out, const char *p, size_t n)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)p, .avail_in = (uInt)n};
	uint8_t part[1 << 14];
	int rc = deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	while (rc == Z_OK) {
		z.next_out = part;
		z.avail_out = sizeof part;
		rc = deflate(&z, Z_FINISH);
		buf_put(out, (const char *)part, sizeof part - z.avail_out);
	}
	deflateEnd(&z);
}

/* ---- reading in both ways */

struct got { struct store_builder *b; const struct snap *sn; struct err e; int rc; bool ahead; };

static struct got get(const struct buf *zipped, bool ahead)
{
	struct got g = {.b = builder_new(), .e = {.at = ERR_NOWHERE}};
	struct sink s = builder_sink(g.b);
	struct bytes in = {.p = (const uint8_t *)zipped->p, .n = zipped->n, .file_n = zipped->n};
	setenv("TTRACE_JOBS", ahead ? "2" : "1", 1);
	g.rc = ahead ? pprof_gunzip(&in, NULL, &g.e) : input_gunzip(&in, &g.e);
	g.ahead = in.ahead;
	if (!g.rc)
		g.rc = pprof_read(in, &s, &g.e);
	input_close(&in);
	g.sn = builder_finish(g.b);
	return g;
}

static bool same_stores(const struct got *a, const struct got *b)
{
	const struct store *x = a->sn->st, *y = b->sn->st;
	if (a->rc || b->rc)
		return a->rc == b->rc && a->e.at == b->e.at && !strcmp(a->e.msg, b->e.msg);
	if (a->sn->nstks != b->sn->nstks || a->sn->nsmps != b->sn->nsmps || a->sn->nsets != b->sn->nsets)
		return false;
	for (uint32_t i = 0; i < a->sn->nstks; i++)
		if (stk_parent(x, i) != stk_parent(y, i) ||
		    stk_frame(x, i) != stk_frame(y, i))
			return false;
	for (uint32_t i = 0; i < a->sn->nsmps; i++)
		if (store_smp(x, i)->stack != store_smp(y, i)->stack || store_smp(x, i)->set != store_smp(y, i)->set)
			return false;
	return true;
}

static void compare(const struct buf *zipped, int expect)
{
	struct got a = get(zipped, false), b = get(zipped, true);
	struct err e;
	OK(same_stores(&a, &b));
	OK(!store_check(b.sn, &e));
	OK(expect > 0 || a.rc == expect);
	OK(b.ahead || expect);
	builder_free(a.b);
	builder_free(b.b);
}

static void one_example(enum how how, uint32_t samples)
{
	struct buf raw = {0}, zipped = {0};
	make_profile(&raw, how, samples);
	zip(&zipped, raw.p, raw.n);
	compare(&zipped, how == MISSING ? 1 : 0);

	buf_reset(&zipped);	/* two members of gzip: the length at the end of the file is that of the second alone */
	zip(&zipped, raw.p, raw.n - raw.n / 3);
	zip(&zipped, raw.p + raw.n - raw.n / 3, raw.n / 3);
	compare(&zipped, 1);

	buf_reset(&zipped);	/* a truncated profile, and one with an inverted bit */
	zip(&zipped, raw.p, rnd((uint32_t)raw.n));
	compare(&zipped, 1);
	buf_reset(&zipped);
	raw.p[rnd((uint32_t)raw.n)] ^= (char)(1 << rnd(8));
	zip(&zipped, raw.p, raw.n);
	compare(&zipped, 1);
	zipped.n -= zipped.n / 3;
	compare(&zipped, 1);
	buf_free(&raw);
	buf_free(&zipped);
}

int main(void)
{
	for (uint32_t i = 0; i < 40; i++)
		one_example((enum how)(i % HOWS), rnd(i % 5 ? 300 : 30000));
	one_example(PLAIN, 60000);
	return DONE();
}
