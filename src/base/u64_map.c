/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Open addressing with linear probing. Removal moves later entries back, so there are no tombstones, and the table of a
 * trace with ten million short goroutines stays as small as the number of goroutines that live at one time demands.
 * Keys come from a file, which must not have keys that all collide: a slot is the upper bits of the product of the key and
 * an odd factor that the file cannot know. Of `cap` factors at most two give any two keys the same slot. The order of slots
 * differs from process to process, so output must not follow it: u64_map_sorted(). Each size has a factor of its own. If all
 * sizes had one factor, keys taken in turn from the slots of one map would all get the first slots of a smaller one.
 *
 * base/intern.h is the other hash table: it compares through its owner and has no removal, which suits strings but not
 * the state of goroutines.
 */
#include "config.h"
#include "base/u64_map.h"

#include "base/intern.h"
#include "base/mem/mem.h"
#include "base/radix_sort.h"

#include <string.h>

static void grow_slots(struct u64_hash *m)
{
	struct u64_hash old = *m;
	m->cap = old.cap ? old.cap * 2 : 64;
	m->shift = old.cap ? old.shift - 1 : 64 - 6;
	m->factor = (uint64_t)intern_hash_u64(m->cap, 1) << 32 | intern_hash_u64(m->cap, 2) | 1;
	m->slot = xcalloc(m->cap, sizeof *m->slot);
	for (size_t i = 0; i < old.cap; i++) {
		if (!old.slot[i].used)
			continue;
		size_t j = u64_map_home(m, old.slot[i].key);
		while (m->slot[j].used)
			j = (j + 1) & (m->cap - 1);
		m->slot[j] = old.slot[i];
	}
	mem_free(old.slot);
}

struct u64_slot *u64_map_put(struct u64_hash *m, uint64_t key, bool *fresh)
{
	if (m->n >= m->cap - m->cap / 4)
		grow_slots(m);
	size_t i = u64_map_home(m, key);
	while (m->slot[i].used && m->slot[i].key != key)
		i = (i + 1) & (m->cap - 1);
	struct u64_slot *s = &m->slot[i];
	*fresh = !s->used;
	if (*fresh) {
		*s = (struct u64_slot){.key = key, .used = true};
		m->n++;
	}
	return s;
}

void u64_map_remove(struct u64_hash *m, uint64_t key)
{
	struct u64_slot *s = u64_map_get(m, key);
	if (!s)
		return;
	size_t mask = m->cap - 1, hole = (size_t)(s - m->slot);
	for (size_t i = (hole + 1) & mask; m->slot[i].used; i = (i + 1) & mask) {
		/* move it into the hole unless its home slot is between the hole and itself */
		size_t home = u64_map_home(m, m->slot[i].key);
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			m->slot[hole] = m->slot[i];
			hole = i;
		}
	}
	m->slot[hole].used = false;
	m->n--;
}

struct u64_slot *u64_map_sorted(const struct u64_hash *m)
{
	struct u64_slot *sorted = xmalloc((m->n + 1) * sizeof *sorted);
	struct radix_array order;
	radix_array_alloc(&order, (uint32_t)m->n);
	for (size_t i = 0; i < m->cap; i++)
		if (m->slot[i].used)
			radix_array_add(&order, m->slot[i].key, (uint32_t)i);
	radix_sort_items(order.v, order.n);
	for (uint32_t i = 0; i < order.n; i++)
		sorted[i] = m->slot[order.v[i].v];
	radix_array_free(&order);
	return sorted;
}

void u64_map_free(struct u64_hash *m)
{
	mem_free(m->slot);
	*m = (struct u64_hash){0};
}

void u64_index_add(struct u64_index *t, uint64_t raw)
{
	if (t->n == t->cap)
		t->raw = mem_grow(t->raw, &t->cap, t->n + 1, sizeof *t->raw);
	t->raw[t->n++] = raw;
}

static int seal_dense(struct u64_index *t, uint64_t max, uint64_t *dup)
{
	t->ndense = (size_t)max + 1;
	t->dense = xmalloc(t->ndense * sizeof *t->dense);
	memset(t->dense, 0xff, t->ndense * sizeof *t->dense);
	t->dense[0] = 0;
	for (size_t i = 0; i < t->n; i++) {
		*dup = t->raw[i];
		if (t->dense[t->raw[i]] != U64_INDEX_NONE)
			return -1;
		t->dense[t->raw[i]] = (uint32_t)i + 1;
	}
	return 0;
}

int u64_index_seal(struct u64_index *t, uint64_t *dup)
{
	uint64_t max = 0;
	for (size_t i = 0; i < t->n; i++)
		if (t->raw[i] > max)
			max = t->raw[i];
	if (max < 4 * (uint64_t)t->n + 1024)
		return seal_dense(t, max, dup);
	for (size_t i = 0; i < t->n; i++) {
		bool fresh;
		struct u64_slot *s = u64_map_put(&t->sparse, t->raw[i], &fresh);
		*dup = t->raw[i];
		if (!fresh || !t->raw[i])
			return -1;
		s->n = i + 1;
	}
	return 0;
}

void u64_index_free(struct u64_index *t)
{
	mem_free(t->raw);
	mem_free(t->dense);
	u64_map_free(&t->sparse);
	*t = (struct u64_index){0};
}
