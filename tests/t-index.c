/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * An index brings back the store that was written, row for row; and one that is
 * damaged, cut, of another file or of another maker, or that lies with good sums,
 * is refused with a word and leaves the store as it was.
 */
#include "config.h"
#include "../fuzz/signed.h"
#include "base/mem/mem.h"
#include "digest.h"
#include "load/load.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/index/internal.h"
#include "tap.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct index_key key = {100, 200, 300, 400};

static void same(const struct snap *was)
{
	struct err e = {0};
	struct index_key k = key;
	int fd = file_of(NULL, 0);
	OK(!index_write(was, &k, fd, NULL, NULL, &e));
	uint64_t size = (uint64_t)lseek(fd, 0, SEEK_END);
	OK(size <= index_bytes(was) && index_bytes(was) - size < size / 4 + 8192);
	struct store_builder *b = builder_new();
	OK(!index_read(b, fd, &k, &e) || (fprintf(stderr, "%s\n", e.msg), false));
	const struct snap *is = builder_snap(b);
	OK(is->complete && digest_of(is).all == digest_of(was).all);
	OK(!store_check(is, &e));
	/* more can be said to it, as to any: what is there is found */
	struct sink s = builder_sink(b);
	uint32_t last = is->nstrs - 1;
	OK(builder_add_string(is, store_str(is->st, last)->s, store_str(is->st, last)->n) == last);
	OK(builder_add_string(is, "a word of its own", 17) == last + 1);
	builder_reopen(b);
	const struct loc_row *l = store_loc(is->st, 1);
	struct sink_line line[8];
	for (uint32_t i = 0; i < l->nline && i < 8; i++) {
		const struct frm_row *f = store_frm(is->st, l->first + i);
		line[i] = (struct sink_line){f->fun, f->line, f->col};
	}
	const struct fun_row *f = store_fun(is->st, 1);
	OK(s.ops->loc(s.self, &(struct sink_loc){.addr = l->addr, .line = line, .nline = l->nline}) == 1);
	OK(s.ops->fun(s.self,
	       &(struct sink_fun){.name = f->name, .sysname = f->sysname, .file = f->file, .line = f->line}) == 1);
	loc_id one = 1;
	stk_id stk = s.ops->stack(s.self, &one, 1);
	OK(stk > 0 && store_frm(is->st, stk_frame(is->st, stk))->loc == 1);
	OK(builder_publish_reopened(b)->nstrs == last + 2);
	/* and it can be written again */
	int again = file_of(NULL, 0);
	OK(!index_write(is, &k, again, NULL, NULL, &e) && lseek(again, 0, SEEK_END) == (off_t)size);
	close(again);
	builder_free(b);
	close(fd);
}

/* A millisecond with more stacks than two bytes tell apart: starts are short, stacks are not. */
static void many_stacks(void)
{
	enum { MANY = 70000 };
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	str_id name = s.ops->str(s.self, "main", 4);
	fun_id f = s.ops->fun(s.self, &(struct sink_fun){.name = name, .file = name, .line = 1});
	trk_id g = s.trace->track(s.self, TK_G, 1);
	for (uint32_t i = 0; i < MANY; i++) {
		struct sink_line line = {f, i + 1, 0};
		loc_id loc = s.ops->loc(s.self, &(struct sink_loc){.addr = 0x1000 + i, .line = &line, .nline = 1});
		sink_enter_one(&s, g, i * 10, i % 2 ? TS_RUN : TS_READY, 0, s.ops->stack(s.self, &loc, 1));
	}
	s.trace->facts(s.self, &(struct sink_trace){.version = 26, .wall = TIME_NONE, .last = MANY * 10, .events = MANY,
	    .batches = 1, .generations = 1});
	const struct snap *sn = builder_finish(b);
	OK(sn->nsheets && sheet_get(sn, 0)->start3 && sheet_get(sn, 0)->stack4);
	sheet_put(sn, 0);
	same(sn);
	builder_free(b);
}

static bool refused(const uint8_t *p, size_t n, const struct index_key *k, mode_t mode)
{
	struct err e = {0};
	int fd = file_of(p, n);
	fchmod(fd, mode);
	struct store_builder *b = builder_new();
	bool no =
	    index_read(b, fd, k, &e) == -1 && e.msg[0] && !builder_snap(b)->complete && builder_snap(b)->nstrs == 1;
	builder_free(b);
	close(fd);
	return no;
}

static void damaged(const uint8_t *good, size_t n)
{
	uint8_t *p = xmalloc(n + 1);
	memcpy(p, good, n);
	p[n] = 0;
	OK(!refused(p, n, &key, 0600) && refused(p, n + 1, &key, 0600) && refused(p, n, &key, 0622));
	for (size_t cut = 0; cut < n; cut += cut < 2000 ? 97 : 5003)
		OK(refused(p, cut, &key, 0600));
	for (size_t i = 0; i < sizeof key; i++) {
		struct index_key k = key;
		((uint8_t *)&k)[i] ^= 1;
		OK(refused(p, n, &k, 0600));
	}
	/* any bit of what is not padding */
	const struct index_head *h = (const void *)p;
	for (size_t i = 0; i < sizeof *h; i += 3) {
		p[i] ^= (uint8_t)(1 << i % 8);
		OK(refused(p, n, &key, 0600));
		memcpy(p, good, n);
	}
	for (unsigned k = 0; k < IP__N; k++)
		for (unsigned round = 0; round < 3 && h->part[k].n; round++) {
			size_t at = h->part[k].at + (size_t)rand() % (h->part[k].n * index_width(k));
			p[at] ^= (uint8_t)(1 << rand() % 8);
			OK(refused(p, n, &key, 0600));
			memcpy(p, good, n);
		}
	for (uint32_t i = 0; i < h->part[IP_SHEETS].n; i++) {
		const struct index_sheet *x = (const struct index_sheet *)(const void *)(p + h->part[IP_SHEETS].at) + i;
		for (unsigned round = 0; round < 20; round++) {
			p[x->at + (size_t)rand() % x->bytes] ^= (uint8_t)(1 << rand() % 8);
			OK(refused(p, n, &key, 0600));
			memcpy(p, good, n);
		}
	}
	mem_free(p);
}

/* With sums that are right: refused, or as good as any. */
static void lying(const uint8_t *good, size_t n)
{
	static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff};
	uint8_t *p = xmalloc(n);
	unsigned took = 0;
	for (unsigned round = 0; round < 1500; round++) {
		struct err e = {0};
		memcpy(p, good, n);
		for (unsigned k = 0; k <= round % 3; k++) {
			size_t at = round % 4 ? (size_t)rand() % n : 16 + (size_t)rand() % sizeof(struct index_head);
			p[at] = rand() % 2 ? odd[rand() % 5] : (uint8_t)rand();
		}
		sign_index(p, n);
		int fd = file_of(p, n);
		struct store_builder *b = builder_new();
		if (!index_read(b, fd, &key, &e)) {
			took++;
			OK(!store_check(builder_snap(b), &e));
			digest_of(builder_snap(b));
		} else {
			OK(e.msg[0] != 0);
		}
		builder_free(b);
		close(fd);
	}
	OK(took > 0 && took < 1500);
	mem_free(p);
}

static bool stop(void *arg)
{
	return --*(int *)arg > 0;
}

/* More goroutines take turns on a P than two bytes tell apart. */
static void many_named(void)
{
	enum { MANY = 70000 };
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	str_id name = s.ops->str(s.self, "main", 4);
	fun_id f = s.ops->fun(s.self, &(struct sink_fun){.name = name, .file = name, .line = 1});
	s.ops->loc(s.self, &(struct sink_loc){.addr = 1, .line = &(struct sink_line){f, 1, 0}, .nline = 1});
	trk_id p = s.trace->track(s.self, TK_P, 0);
	for (uint32_t i = 0; i < MANY; i++)
		sink_enter_one(&s, p, i * 10, TS_RUN, s.trace->track(s.self, TK_G, i + 1u), 0);
	s.trace->facts(s.self, &(struct sink_trace){.version = 26, .wall = TIME_NONE, .last = MANY * 10, .events = MANY,
	    .batches = 1, .generations = 1});
	const struct snap *sn = builder_finish(b);
	OK(sn->nsheets && sheet_get(sn, 0)->who3);
	OK(sheet_peer(sheet_get(sn, 0), MANY - 1) == sn->ntrks - 1);
	same(sn);
	builder_free(b);
}

int main(void)
{
	const char *src = getenv("srcdir");
	char path[4096];
	struct bytes in;
	struct err e = {0};
	snprintf(path, sizeof path, "%s/samples/orders.trace", src ? src : ".");
	srand(7);
	if (input_open(path, &in, &e))
		return 1;
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	OK(!gotrace_read(in, &s, &e));
	OK(!index_bytes(builder_snap(b)));	/* it is not whole yet */
	same(builder_finish(b));
	int left = 3, fd = file_of(NULL, 0);
	OK(index_write(builder_snap(b), &key, fd, stop, &left, &e) && e.kind == ERR_CANCEL);
	OK(lseek(fd, 0, SEEK_END) > 0 && refused(NULL, 0, &key, 0600));
	close(fd);
	builder_free(b);
	input_close(&in);

	many_stacks();
	many_named();
	size_t n;
	uint8_t *p = small_index(&key, &n);
	damaged(p, n);
	lying(p, n);
	mem_free(p);
	return DONE();
}
