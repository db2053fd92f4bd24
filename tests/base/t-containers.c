/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* src/base: columns keep addresses, hash tables find what was put, sorts are stable, arenas, pages and buffers keep bytes. */
#include "config.h"
#include "base/text/buf.h"
#include "base/mem/column.h"
#include "base/byte_cursor.h"
#include "base/intern.h"
#include "base/mem/packed_ints.h"
#include "base/radix_sort.h"
#include "base/mem/mem.h"
#include "base/mem/page_array.h"
#include "base/mem/paging_file.h"
#include "base/job.h"
#include "base/wrap_math.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static void columns(void)
{
	struct data_column c;
	column_init(&c, sizeof(uint32_t));
	uint32_t id;
	uint32_t *first = column_add(&c, &id);
	*first = 7;
	for (uint32_t i = 1; i < 100000; i++)
		*(uint32_t *)column_add(&c, &id) = i, OK(id == i);
	OK(column_n(&c) == 100000 && column_at(&c, 0) == first && *first == 7);
	for (uint32_t i = 1; i < 100000; i++)
		OK(COLUMN_AT(&c, uint32_t, i) == i);
	column_free(&c);
}

static int same(const void *ctx, uint32_t id, const void *key)
{
	return ((const uint32_t *)ctx)[id] == *(const uint32_t *)key;
}

static void interning(void)
{
	struct intern t = {0};
	static uint32_t v[5000];
	for (uint32_t i = 0; i < 5000; i++) {
		v[i] = i * 2654435761u;
		OK(intern_find(&t, intern_hash_u64(v[i], 0), same, v, &v[i]) == UINT32_MAX);
		intern_put(&t, intern_hash_u64(v[i], 0), i);
	}
	for (uint32_t i = 0; i < 5000; i++)
		OK(intern_find(&t, intern_hash_u64(v[i], 0), same, v, &v[i]) == i);
	intern_free(&t);
}

static void cursors(void)
{
	static const uint8_t over[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 1};
	struct byte_cursor c = byte_cursor_make(over, sizeof over, 100);
	byte_cursor_uvarint(&c);
	OK(c.bad && byte_cursor_at(&c) == 100);
	static const uint8_t good[] = {0xac, 2, 9};
	c = byte_cursor_make(good, sizeof good, 5);
	OK(byte_cursor_uvarint(&c) == 300 && byte_cursor_at(&c) == 7 && byte_cursor_u8(&c) == 9 && !c.bad);
	OK(!byte_cursor_bytes(&c, 1) && c.bad);
}

static void wrapping(void)
{
	OK(wrap_add(INT64_MAX, 1) == INT64_MIN && wrap_sub(INT64_MIN, 1) == INT64_MAX && wrap_mul(INT64_MAX, 2) == -2);
	OK(wrap_neg(INT64_MIN) == INT64_MIN && wrap_neg(-7) == 7 && wrap_abs(-7) == 7 &&
	    wrap_abs(INT64_MIN) == INT64_MIN);
	OK(wrap_size(INT64_MIN) == UINT64_C(1) << 63 && wrap_size(-1) == 1 && wrap_size(INT64_MAX) == INT64_MAX);
}

/* Items are sorted in order, and equal ones keep their order; also keys with few digits, and negative ones. */
static void radix_item(void)
{
	enum { MOST = 5000 };
	static struct radix_item v[MOST];
	uint64_t x = 88172645463325252u;
	for (uint32_t n = 0; n <= MOST; n = n < 100 ? n + 7 : n * 3) {
		for (int how = 0; how < 4; how++) {
			for (uint32_t i = 0; i < n; i++) {
				x ^= x << 13, x ^= x >> 7, x ^= x << 17;
				int64_t k = how == 0 ? (int64_t)x : how == 1 ? (int64_t)(x % 9) - 4 :
				    how == 2 ? (int64_t)(x % 5) << 40 : (int64_t)i;
				v[i] =
				    (struct radix_item){how & 1 ? radix_key_descending(k) : radix_key_ascending(k), i};
			}
			radix_sort_items(v, n);
			bool ok = true;
			for (uint32_t i = 1; i < n; i++)
				ok &= v[i - 1].key < v[i].key || (v[i - 1].key == v[i].key && v[i - 1].v < v[i].v);
			OK(ok);
		}
	}
	OK(radix_key_ascending(-1) < radix_key_ascending(0) && radix_key_ascending(INT64_MIN) == 0 &&
	    radix_key_descending(3) < radix_key_descending(2));
}

struct wide { int64_t k; uint32_t v; char rest[8]; };

static uint64_t wide_first(const void *arg, const void *item)
{
	return radix_key_ascending(((const struct wide *)item)->k) & *(const uint64_t *)arg;
}

static uint64_t wide_second(const void *arg, const void *item)
{
	(void)arg;
	return ((const struct wide *)item)->v;
}

/* Sorting in place moves whole items; where first keys are equal, the second key decides. */
static void radix_in_place(void)
{
	enum { MOST = 5000 };
	static struct wide v[MOST];
	uint64_t x = 88172645463325252u, mask[] = {UINT64_MAX, UINT64_C(0xff00000000000000), 7, UINT64_C(1) << 63};
	for (uint32_t n = 0; n <= MOST; n = n < 100 ? n + 7 : n * 3) {
		for (int how = 0; how < 16; how++) {
			const struct radix_keys keys = {wide_first, how & 1 ? wide_second : NULL, &mask[how / 4]};
			uint64_t sum = 0;
			bool ok = true;
			for (uint32_t i = 0; i < n; i++) {
				x ^= x << 13, x ^= x >> 7, x ^= x << 17;
				v[i] = (struct wide){how & 2 ? (int64_t)x : (int64_t)(n - i), (uint32_t)(x >> 20), "rest"};
				sum += v[i].v;
			}
			radix_sort_in_place(v, n, sizeof *v, &keys);
			for (uint32_t i = 0; i < n; i++) {
				uint64_t a = i ? wide_first(keys.arg, &v[i - 1]) : 0, b = wide_first(keys.arg, &v[i]);
				ok &= !i || a < b || (a == b && (!keys.second || v[i - 1].v <= v[i].v));
				ok &= !strcmp(v[i].rest, "rest");
				sum -= v[i].v;
			}
			OK(ok && !sum);
		}
	}
}

/* Release all pages again and again, as the pager does when memory is short. */
static int release_always(struct job *j, void *arg)
{
	(void)arg;
	while (!job_cancelled(j))
		paging_release();
	return 0;
}

/* Blocks in the paging file keep their contents, whenever their pages are released. */
static void paging(void)
{
	enum { N = 400000 };
	struct arena a = {0};
	struct data_column c;
	uint32_t *v, wrong = 0, **rows = xmalloc(N / 1000 * sizeof *rows);
	mem_set_budget((size_t)1 << 40);	/* large, so the pager itself releases nothing */
	setenv("XDG_CACHE_HOME", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", 1);
	paging_start();
	OK(paging_active() && !paging_held() && !paging_owns(&a) && !paging_free(rows, 1));
	struct job *j = job_start(release_always, NULL);
	column_init(&c, sizeof *v);
	v = mem_bulk(N * sizeof *v);
	OK(paging_owns(v) && paging_held() >= N * sizeof *v);
	for (uint32_t i = 0; i < N; i++) {
		wrong += v[i] != 0;
		*(uint32_t *)column_add(&c, NULL) = v[i] = i * 2654435761u;
		if (i % 1000 == 0)
			rows[i / 1000] = memcpy(arena_alloc(&a, 4000), v + i / 1000, sizeof *v);
	}
	for (uint32_t i = 0; i < N; i++)
		wrong += v[i] != i * 2654435761u || COLUMN_AT(&c, uint32_t, i) != v[i];
	for (uint32_t i = 0; i < N / 1000; i++)
		wrong += *rows[i] != v[i];
	OK(!wrong && paging_owns(column_at(&c, N - 1)) && paging_owns(rows[N / 1000 - 1]));
	job_cancel(j);
	job_join(j);
	mem_bulk_free(v, N * sizeof *v);
	arena_free(&a);
	column_free(&c);
	mem_free(rows);
	v = mem_bulk(1);	/* less than a page */
	OK(!paging_owns(v));
	mem_bulk_free(v, 1);
	mem_set_budget(0);
}

/* arena_move() leaves all blocks at their addresses, and the second arena owns them; the first is empty and usable. */
static void joining(void)
{
	enum { N = 1000, LONG = 100000 };
	for (int filled = 0; filled < 2; filled++) {
		struct arena a = {0}, b = {0};
		char *s[N], *large = arena_zalloc(&a, LONG);
		for (int i = 0; i < N; i++)
			s[i] = arena_printf(i % 2 && filled ? &b : &a, "text %d", i);
		size_t used = a.used + b.used, held = a.held + b.held;
		arena_move(&a, &b);
		OK(b.used == used && b.held == held && !a.used && !a.held && !a.head);
		char *more = arena_printf(&a, "more"), *after = arena_printf(&b, "after");
		arena_free(&a);
		bool good = !strcmp(after, "after") && more != after && !large[LONG - 1];
		for (int i = 0; i < N; i++)
			good &= atoi(s[i] + 5) == i;
		OK(good);
		arena_free(&b);
	}
}

/* An array keeps its items when it grows, also from the heap to pages of its own; new items are zero. */
static void page_arrays(void)
{
	struct page_array s = {.width = 3 * sizeof(uint32_t)};
	size_t n = 0;
	bool good = true;
	for (size_t need = 1; need < 1000000; need += 1 + need / 3) {
		uint32_t *v = page_array_reserve(&s, need);
		for (size_t i = 0; i < n; i++)
			good = good && v[3 * i] == i * 7 && !v[3 * i + 1];
		for (size_t i = n; i < s.n; i++)
			good = good && !v[3 * i] && !v[3 * i + 1] && !v[3 * i + 2];
		for (; n < need; n++)
			v[3 * n] = (uint32_t)n * 7;
	}
	OK(good && n > 700000 && s.on_pages);
	page_array_free(&s);
	OK(!s.p && !s.n);
}

/* Return the i-th test number: blocks of small and of large numbers, and rarely a number at the limit of a width. */
static int64_t number(uint32_t i)
{
	static const int64_t odd[] = {INT8_MAX, INT8_MAX + 1, INT8_MIN, INT8_MIN - 1, INT16_MAX + 1, INT16_MIN - 1,
	    INT32_MAX, INT32_MAX + INT64_C(1), INT32_MIN, INT32_MIN - INT64_C(1), INT64_MAX, INT64_MIN};
	uint64_t r = intern_mix_u64(i, 5);
	return r % 3000 < 12 ? odd[r % 3000] : i / 5000 % 2 ? (int64_t)(r % 200) - 100 : (int64_t)(r % 3000000);
}

/* Packed integers read back the same, also when a wider one is added later. */
static void numbers(void)
{
	enum { N = 200000 };
	struct packed_int_column c;
	packed_ints_init(&c);
	bool good = true;
	for (uint32_t i = 0; i < N; i++) {
		packed_ints_add(&c, number(i));
		good = good && packed_ints_at(&c, i) == number(i) && packed_ints_at(&c, i / 2) == number(i / 2);
	}
	for (uint32_t i = 0; i < N; i++)
		good = good && packed_ints_at(&c, i) == number(i);
	OK(good && packed_ints_n(&c) == N);
	int64_t *all = xmalloc(N * sizeof *all);
	packed_ints_unpack(&c, all);
	for (uint32_t i = 0; i < N; i++)
		good = good && all[i] == number(i);
	OK(good);
	mem_free(all);
	packed_ints_free(&c);
	for (uint32_t i = 0; i < N; i++)
		packed_ints_add(&c, i == 70000 ? INT64_MAX : -7);
	OK(packed_ints_at(&c, 70000) == INT64_MAX && packed_ints_at(&c, 69999) == -7 && packed_ints_bytes(&c) < N * 2);
	packed_ints_free(&c);
}

int main(void)
{
	page_arrays();
	joining();
	radix_item();
	radix_in_place();
	columns();
	paging();
	numbers();
	wrapping();
	interning();
	cursors();
	struct buf b = {0};
	buf_printf(&b, "%0100d", 7);
	buf_i64(&b, INT64_MIN);
	buf_hex(&b, UINT64_MAX);
	OK(b.n == 136 && !strcmp(buf_str(&b) + 100, "-9223372036854775808ffffffffffffffff"));
	buf_free(&b);
	return DONE();
}
