/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * An LSD radix sort with eleven bits a round: the number of write positions stays small enough for the cache. The ids
 * of a million goroutines are in no order, because each P allocates ids of its own. Rounds in which all keys have the
 * same digit are skipped, so times of one trace take three or four rounds. Up to FEW items are sorted by insertion.
 *
 * For a large array each round would touch all pages twice. On disk the array is sorted in runs. The runs are then read
 * once more, each through a window of its own, and merged, so pages are accessed in order and released.
 */
#include "config.h"
#include "base/radix_sort.h"

#include "base/mem/mem.h"

#include <stdbool.h>
#include <string.h>

enum { BITS = 11, DIGITS = 1 << BITS, FEW = 48 };

static void insert_each(struct radix_item *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct radix_item x = v[i];
		uint32_t k = i;
		for (; k && v[k - 1].key > x.key; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static void by_digit(const struct radix_item *from, struct radix_item *to, uint32_t n, int shift, uint32_t at[DIGITS])
{
	uint32_t sum = 0;
	memset(at, 0, DIGITS * sizeof *at);
	for (uint32_t i = 0; i < n; i++)
		at[from[i].key >> shift & (DIGITS - 1)]++;
	for (uint32_t d = 0; d < DIGITS; d++) {
		uint32_t k = at[d];
		at[d] = sum;
		sum += k;
	}
	for (uint32_t i = 0; i < n; i++)
		to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

void radix_sort_items(struct radix_item *v, uint32_t n)
{
	uint64_t differ = 0;
	bool sorted = true;
	for (uint32_t i = 1; i < n; i++) {
		differ |= v[i].key ^ v[0].key;
		sorted = sorted && v[i - 1].key <= v[i].key;
	}
	if (sorted)
		return;
	if (n <= FEW) {
		insert_each(v, n);
		return;
	}
	uint32_t *at = xmalloc(DIGITS * sizeof *at);
	struct radix_item *tmp = xmalloc(n * sizeof *tmp), *from = v, *to = tmp;
	for (int shift = 0; shift < 64; shift += BITS) {
		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		by_digit(from, to, n, shift, at);
		struct radix_item *t = from;
		from = to;
		to = t;
	}
	if (from != v)
		memcpy(v, from, n * sizeof *v);
	mem_free(tmp);
	mem_free(at);
}

/* ---- large arrays */

enum { SHARE = 16, RUN_LEAST = 1 << 12, WINDOW_MOST = 1 << 12, WINDOW_LEAST = 1 << 6 };

static size_t bytes_of(const struct radix_array *m)
{
	return ((size_t)m->room + 1) * sizeof *m->v;
}

void radix_array_alloc(struct radix_array *m, uint32_t room)
{
	*m = (struct radix_array){ .room = room };
	m->v = mem_limit() && bytes_of(m) > mem_limit() / SHARE ? mem_spill_alloc(bytes_of(m)) : NULL;
	m->spilled = m->v;
	m->v = m->v ? m->v : xmalloc(bytes_of(m));
}

void radix_array_release_pages(const struct radix_array *m)
{
	if (m->spilled)
		mem_spill_release_pages(m->v, bytes_of(m));
}

void radix_array_free(struct radix_array *m)
{
	if (m->spilled)
		mem_spill_free(m->v, bytes_of(m));
	else
		mem_free(m->v);
	*m = (struct radix_array){0};
}

/* A run; its next item is in the window. */
struct sort_run { struct radix_item *window; uint32_t at, n, next, end; };

static bool run_fill(struct sort_run *r, const struct radix_array *m, uint32_t window)
{
	r->at = 0;
	r->n = r->end - r->next < window ? r->end - r->next : window;
	memcpy(r->window, m->v + r->next, r->n * sizeof *r->window);
	r->next += r->n;
	return r->n;
}

/* Return whether the next item of run a comes before that of run b. Equal keys keep the order of the runs. */
static bool run_before(const struct sort_run *r, uint32_t a, uint32_t b)
{
	uint64_t x = r[a].window[r[a].at].key, y = r[b].window[r[b].at].key;
	return x != y ? x < y : a < b;
}

/* Restore the heap order of runs in heap[0 .. n), in which only element i may be too large. */
static void sift_down(const struct sort_run *r, uint32_t *heap, uint32_t n, uint32_t i)
{
	uint32_t x = heap[i];
	for (uint32_t k; (k = 2 * i + 1) < n; i = k) {
		k += k + 1 < n && run_before(r, heap[k + 1], heap[k]);
		if (!run_before(r, heap[k], x))
			break;
		heap[i] = heap[k];
	}
	heap[i] = x;
}

static void merge_runs(
    const struct radix_array *m, struct radix_array *to, struct sort_run *r, uint32_t n, uint32_t window)
{
	uint32_t *heap = xmalloc((n + 1u) * sizeof *heap), left = n;
	for (uint32_t i = 0; i < n; i++) {
		heap[i] = i;
		run_fill(&r[i], m, window);
	}
	radix_array_release_pages(m);
	for (uint32_t i = n; i-- > 0;)
		sift_down(r, heap, n, i);
	while (left) {
		struct sort_run *x = &r[heap[0]];
		radix_array_add(to, x->window[x->at].key, x->window[x->at].v);
		if (to->n % RADIX_ARRAY_PASS == 0)
			radix_array_release_pages(m);
		if (++x->at == x->n && !run_fill(x, m, window))
			heap[0] = heap[--left];
		sift_down(r, heap, left, 0);
	}
	mem_free(heap);
}

/* Return the length of a run, which is sorted in memory. */
static uint32_t run_of(const struct radix_array *m)
{
	size_t n = mem_limit() / SHARE / SHARE / sizeof *m->v;	/* the sort needs the same amount again */
	return !m->spilled || n > UINT32_MAX ? UINT32_MAX : n < RUN_LEAST ? RUN_LEAST : (uint32_t)n;
}

/* Sort in runs, merge them into a temporary array, and copy the result back. */
static void sort_runs(struct radix_array *m, uint32_t from, uint32_t count, uint32_t sort_run)
{
	uint32_t n = (count - 1) / sort_run + 1;
	uint32_t window = sort_run / n < WINDOW_LEAST  ? WINDOW_LEAST
			  : sort_run / n > WINDOW_MOST ? WINDOW_MOST
						       : sort_run / n;
	struct sort_run *r = xcalloc(n, sizeof *r);
	struct radix_item *windows = xmalloc((size_t)n * window * sizeof *windows);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t left = count - i * sort_run, here = left < sort_run ? left : sort_run;
		r[i] = (struct sort_run){ .window = windows + (size_t)i * window, .next = from + i * sort_run };
		r[i].end = r[i].next + here;
		radix_sort_items(m->v + r[i].next, here);
		radix_array_release_pages(m);
	}
	struct radix_array to;
	radix_array_alloc(&to, count);
	merge_runs(m, &to, r, n, window);
	for (uint32_t i = 0; i < count; i++) {
		m->v[from + i] = radix_array_at(&to, i);
		radix_array_note_access(m, i);
	}
	radix_array_free(&to);
	mem_free(windows);
	mem_free(r);
}

void radix_array_sort(struct radix_array *m, uint32_t from, uint32_t n)
{
	uint32_t sort_run = run_of(m);
	if (n <= sort_run)
		radix_sort_items(m->v + from, n);
	else
		sort_runs(m, from, n, sort_run);
	radix_array_release_pages(m);
}
