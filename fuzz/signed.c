/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * For the tests and the fuzzer of indexes: a store of every kind of rows, made by
 * hand, as an index; and sums that are right over anything. So what is changed in
 * an index is met by the checks behind the sums, too.
 */
#include "config.h"
#include "signed.h"

#include "base/checksum.h"
#include "base/mem/mem.h"
#include "store/builder.h"
#include "store/index/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void sign_sheets(uint8_t *p, size_t n, const struct index_part *part)
{
	for (uint64_t i = 0; i < part->n; i++) {
		struct index_sheet x;
		uint8_t *at = p + part->at + i * sizeof x;
		memcpy(&x, at, sizeof x);
		if (x.at <= n && x.bytes <= n - x.at)
			x.sum = checksum_of(p + x.at, x.bytes);
		memcpy(at, &x, sizeof x);
	}
}

void sign_index(uint8_t *p, size_t n)
{
	struct index_head h;
	if (n < sizeof h)
		return;
	memcpy(&h, p, sizeof h);
	for (unsigned k = 0; k < IP__N; k++) {
		struct index_part *part = &h.part[k];
		size_t width = index_width(k);
		if (part->at > n || part->n > (n - part->at) / width)
			continue;
		if (k == IP_SHEETS)
			sign_sheets(p, n, part);
		part->sum = checksum_of(p + part->at, part->n * width);
	}
	h.sum = checksum_of(&h, offsetof(struct index_head, sum));
	memcpy(p, &h, sizeof h);
}

int file_of(const uint8_t *p, size_t n)
{
	char name[] = "/tmp/ttrace-index-XXXXXX";
	int fd = mkstemp(name);
	if (fd < 0)
		abort();
	unlink(name);
	if (n && write(fd, p, n) != (ssize_t)n)
		abort();
	return fd;
}

static void say_names(const struct sink *s, str_id str[8], stk_id stack[3])
{
	static const char *const words[8] = {"main", "work", "a.go", "log", "text", "task", "samples", "count"};
	for (int i = 0; i < 8; i++)
		str[i] = s->ops->str(s->self, words[i], strlen(words[i]));
	loc_id loc[2];
	for (uint32_t i = 0; i < 2; i++) {
		fun_id f = s->ops->fun(s->self, &(struct sink_fun){.name = str[i], .file = str[2], .line = i});
		struct sink_line line[2] = {{f, 10 + i, 0}, {f, 20, 1}};
		loc[i] = s->ops->loc(s->self, &(struct sink_loc){.addr = 0x1000 + i, .line = line, .nline = 1 + i});
	}
	stack[0] = 0;
	stack[1] = s->ops->stack(s->self, loc, 1);
	stack[2] = s->ops->stack(s->self, loc, 2);
}

/* A second of it: each G runs on its P in turn, and wakes the next. */
static void say_second(const struct sink *s, int64_t t, const trk_id p[2], const trk_id g[5], const str_id str[8],
    const stk_id stack[3])
{
	for (uint32_t i = 0; i < 700; i++, t += 1000) {
		trk_id on = p[i % 2], run = g[i % 5], next = g[(i + 2) % 5];
		sink_enter_one(s, on, t, TS_RUN, run, 0);
		sink_enter_one(s, run, t, TS_RUN, on, stack[i % 3]);
		sink_enter_one(s, next, t + 300, TS_READY, run, stack[2]);
		sink_enter_one(s, run, t + 600, i % 7 ? TS_CHANRECV : TS_OTHER, i % 7 ? on : str[4], stack[1]);
		sink_enter_one(s, on, t + 600, TS_IDLE, 0, 0);
		if (i % 10 == 0)
			s->trace->mark(s->self, &(struct sink_mark){.t = t, .kind = MK_LOG, .trk = run, .text = str[4],
			    .category = str[3], .stack = stack[1]});
		if (i % 9 == 0)
			s->trace->span(s->self, &(struct sink_span){.kind = i % 2 ? SP_TASK : SP_REGION, .t0 = t, .t1 = t + 10,
			    .trk = run, .trk1 = run, .id = i, .parent = UINT64_MAX, .name = str[5], .stack = stack[1]});
		s->trace->count(s->self, t, CT_HEAP_LIVE, i * 100);
		s->trace->util(s->self,
		    &(struct sink_util){.t = t, .next = t + 1, .what = UT_STW, .delta = i % 2 ? -1 : 1});
	}
}

uint8_t *small_index(const struct index_key *key, size_t *n)
{
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	str_id str[8];
	stk_id stack[3];
	trk_id p[2], g[5];
	struct err e;
	say_names(&s, str, stack);
	for (uint32_t i = 0; i < 2; i++)
		p[i] = s.trace->track(s.self, TK_P, i);
	for (uint32_t i = 0; i < 5; i++) {
		g[i] = s.trace->track(s.self, TK_G, i + 1);
		s.trace->born(s.self, g[i], str[1], i ? g[0] : 0, stack[1], stack[2]);
	}
	s.profile->type(s.self, str[6], str[7]);
	for (int64_t i = 0; i < 70; i++)
		s.profile->sample(s.self,
		    &(struct sink_sample){.stack = stack[2], .value = &i, .when = i * 1000, .trk = g[0], .proc = p[0]});
	s.ops->warn(s.self, 12, "something is odd");
	for (int64_t t = 0; t < 3; t++) {
		say_second(&s, t * 1000000, p, g, str, stack);
		s.trace->facts(s.self, &(struct sink_trace){.version = 26, .wall = TIME_NONE, .first = 0, .last = t * 1000000 + 999999,
		    .events = 10, .batches = 2, .generations = (uint64_t)t + 1});
		s.ops->upto(s.self, t * 1000000 + 999999, 100);
	}
	const struct snap *sn = builder_finish(b);
	int fd = file_of(NULL, 0);
	if (index_write(sn, key, fd, NULL, NULL, &e))
		abort();
	*n = (size_t)lseek(fd, 0, SEEK_END);
	uint8_t *bytes = xmalloc(*n);
	if (pread(fd, bytes, *n, 0) != (ssize_t)*n)
		abort();
	close(fd);
	builder_free(b);
	return bytes;
}
