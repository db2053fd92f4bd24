/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Goroutines by their numbers.
 *
 * The runtime numbers them one after another, so they lie in a table by the last bits of their numbers, where they
 * are found and brought into the cache without a question; only when the place is taken by one that still lives they
 * go through a hash. When those become many the table grows: with half a million that live, each look into the hash
 * would wait three times for memory.
 *
 * The orderer and the interpreter each have such a table, for they know other things, on other threads. Not taken: one
 * for both, with half of a row for each; a row is in two caches then, and is sent from one to the other and back.
 *
 * Where memory is short a large table lies on disk, and each of the two lets go of its own when the other's turn comes
 * (pipeline.c): events go to all of it in any order, so there would be no gain in letting go of it more often.
 */
#include "config.h"
#include "load/gotrace/goroutine_table.h"

#include <string.h>

enum { SPILLS = 16, PASS = 1 << 14 };	/* part of the memory; goroutines */

static uint8_t *lives(const struct gonear *t, void *g)
{
	return (uint8_t *)g + t->form->used;
}

static int64_t id_of(const struct gonear *t, const void *g)
{
	int64_t id;
	memcpy(&id, (const char *)g + t->form->id, sizeof id);
	return id;
}

static void keep_room(struct gonear *t, void *g)
{
	*lives(t, g) = 0;
	memcpy((char *)g + t->form->next, &t->room, sizeof t->room);
	t->room = g;
}

/* None of them in more lines of the cache than it must. */
static void more_room(struct gonear *t)
{
	enum { MANY = 64 };
	size_t size = t->form->size, line = t->form->align;
	char *room = arena_alloc(&t->mem, MANY * size + line);
	room += (line - (uintptr_t)room % line) % line;
	for (int i = 0; i < MANY; i++, room += size)
		keep_room(t, room);
}

void gonear_init(struct gonear *t, const struct gonear_form *form, uint64_t n)
{
	gonear_free(t);
	size_t bytes = n * form->size;
	*t = (struct gonear){.n = n, .mask = n - 1, .form = form};
	t->at = mem_tight() && bytes >= mem_limit() / SPILLS ? mem_spilled(bytes) : NULL;
	t->spilled = t->at;
	if (!t->at)
		t->at = mem_pages(bytes);
}

void gonear_rest(const struct gonear *t)
{
	if (t->spilled)
		mem_spilled_rest(t->at, t->n * t->form->size);
}

void gonear_pass(const struct gonear *t, uint64_t i)
{
	if (i % PASS == PASS - 1)
		gonear_rest(t);
}

void gonear_free(struct gonear *t)
{
	if (t->spilled)
		mem_spilled_free(t->at, t->n * t->form->size);
	else if (t->form)
		mem_pages_free(t->at, t->n * t->form->size);
	idmap_free(&t->far);
	arena_free(&t->mem);
}

void *gonear_far(const struct gonear *t, int64_t id)
{
	const struct idslot *s = idmap_get(&t->far, (uint64_t)id);
	return s ? s->p : NULL;
}

void *gonear_add(struct gonear *t, int64_t id)
{
	bool fresh;
	void *g = gonear_place(t, t->form->size, id);
	if (!*lives(t, g))
		return g;
	if (!t->room)
		more_room(t);
	g = t->room;
	memcpy(&t->room, (char *)g + t->form->next, sizeof t->room);
	return idmap_put(&t->far, (uint64_t)id, &fresh)->p = g;
}

void gonear_drop(struct gonear *t, void *g)
{
	int64_t id = id_of(t, g);
	*lives(t, g) = 0;
	if (g == gonear_place(t, t->form->size, id))
		return;
	idmap_drop(&t->far, (uint64_t)id);
	keep_room(t, g);
}

void *gonear_next(const struct gonear *t, size_t *i)
{
	for (; *i < t->n; ++*i) {
		gonear_pass(t, *i);
		if (*lives(t, t->at + *i * t->form->size))
			return t->at + (*i)++ * t->form->size;
	}
	for (; *i - t->n < t->far.cap; ++*i)
		if (t->far.slot[*i - t->n].used)
			return t->far.slot[(*i)++ - t->n].p;
	return NULL;
}

bool gonear_crowded(const struct gonear *t, uint64_t most)
{
	return t->far.n > t->n / 4 && t->n < most;
}

void gonear_spread(struct gonear *t)
{
	struct gonear old = *t;
	size_t size = t->form->size;
	*t = (struct gonear){0};
	gonear_init(t, old.form, 4 * old.n);
	for (uint64_t i = 0; i < old.n; i++) {
		if (*lives(t, old.at + i * size))
			memcpy(gonear_add(t, id_of(t, old.at + i * size)), old.at + i * size, size);
		gonear_pass(&old, i);
		gonear_pass(t, i);
	}
	for (size_t i = 0; i < old.far.cap; i++) {
		const void *g = old.far.slot[i].p;
		if (old.far.slot[i].used)
			memcpy(gonear_add(t, id_of(t, g)), g, size);
	}
	gonear_free(&old);
}
