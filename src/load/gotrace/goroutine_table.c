/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Goroutines by their ids.
 *
 * The runtime numbers goroutines consecutively, so their entries are in a table by the low bits of
 * their ids, where they are found and prefetched without a branch. Only if the place is taken by
 * another live goroutine the entry is in a hash table. When many are there the table grows: with
 * half a million live goroutines each lookup in the hash table would wait for memory three times.
 *
 * The orderer and the interpreter each have such a table, because they keep different state, on
 * different threads. Not taken: one table for both with half of an entry for each. Its cache lines
 * would be passed back and forth between two processors.
 */
#include "config.h"
#include "load/gotrace/goroutine_table.h"

#include <string.h>

static uint8_t *live_flag(const struct goroutine_map *t, void *g)
{
	return (uint8_t *)g + t->form->used;
}

static int64_t id_of(const struct goroutine_map *t, const void *g)
{
	int64_t id;
	memcpy(&id, (const char *)g + t->form->id, sizeof id);
	return id;
}

static void free_entry(struct goroutine_map *t, void *g)
{
	*live_flag(t, g) = 0;
	memcpy((char *)g + t->form->next, &t->room, sizeof t->room);
	t->room = g;
}

/* Add entries to the free list, aligned so that each is in as few cache lines as possible. */
static void add_entries(struct goroutine_map *t)
{
	enum { MANY = 64 };
	size_t size = t->form->size, line = t->form->align;
	char *room = arena_alloc(&t->mem, MANY * size + line);
	room += (line - (uintptr_t)room % line) % line;
	for (int i = 0; i < MANY; i++, room += size)
		free_entry(t, room);
}

uint64_t goroutine_table_places(uint64_t bytes)
{
	enum { LEAST = 256, USUAL = 1 << 14, EVENT = 8 /* bytes, about */ };
	uint64_t n = LEAST;
	while (n < USUAL && n < bytes / EVENT)
		n *= 2;
	return n;
}

void goroutine_table_init(struct goroutine_map *t, const struct goroutine_table_form *form, uint64_t n)
{
	goroutine_table_free(t);
	size_t bytes = n * form->size;
	*t = (struct goroutine_map){.n = n, .mask = n - 1, .form = form};
	t->at = mem_pages(bytes);
}

void goroutine_table_free(struct goroutine_map *t)
{
	if (t->form)
		mem_pages_free(t->at, t->n * t->form->size);
	u64_map_free(&t->far);
	arena_free(&t->mem);
}

void *goroutine_table_find_far(const struct goroutine_map *t, int64_t id)
{
	const struct u64_slot *s = u64_map_get(&t->far, (uint64_t)id);
	return s ? s->p : NULL;
}

void *goroutine_table_add(struct goroutine_map *t, int64_t id)
{
	bool fresh;
	void *g = goroutine_table_place(t, t->form->size, id);
	if (!*live_flag(t, g))
		return g;
	if (!t->room)
		add_entries(t);
	g = t->room;
	memcpy(&t->room, (char *)g + t->form->next, sizeof t->room);
	return u64_map_put(&t->far, (uint64_t)id, &fresh)->p = g;
}

void goroutine_table_remove(struct goroutine_map *t, void *g)
{
	int64_t id = id_of(t, g);
	*live_flag(t, g) = 0;
	if (g == goroutine_table_place(t, t->form->size, id))
		return;
	u64_map_remove(&t->far, (uint64_t)id);
	free_entry(t, g);
}

void *goroutine_table_next(const struct goroutine_map *t, size_t *i)
{
	for (; *i < t->n; ++*i) {
		if (*live_flag(t, t->at + *i * t->form->size))
			return t->at + (*i)++ * t->form->size;
	}
	for (; *i - t->n < t->far.cap; ++*i)
		if (t->far.slot[*i - t->n].used)
			return t->far.slot[(*i)++ - t->n].p;
	return NULL;
}

bool goroutine_table_is_crowded(const struct goroutine_map *t, uint64_t most)
{
	return t->far.n > t->n / 4 && t->n < most;
}

void goroutine_table_grow(struct goroutine_map *t)
{
	struct goroutine_map old = *t;
	size_t size = t->form->size;
	*t = (struct goroutine_map){0};
	goroutine_table_init(t, old.form, 4 * old.n);
	for (uint64_t i = 0; i < old.n; i++) {
		if (*live_flag(t, old.at + i * size))
			memcpy(goroutine_table_add(t, id_of(t, old.at + i * size)), old.at + i * size, size);
	}
	for (size_t i = 0; i < old.far.cap; i++) {
		const void *g = old.far.slot[i].p;
		if (old.far.slot[i].used)
			memcpy(goroutine_table_add(t, id_of(t, g)), g, size);
	}
	goroutine_table_free(&old);
}
