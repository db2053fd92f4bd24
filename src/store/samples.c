/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Samples: a row with the stack and the set of labels, and one column of values per type (base/mem/packed_ints.h), so
 * that a report on one type reads only that column. Samples stay in the order of the file, and equal ones are not
 * merged; reports do the adding up. Types come before samples; their columns are made with the first sample and never
 * move again.
 *
 * Labels are in one column, those of a set adjacent, in the order of the file. Samples with the same labels share a
 * set, and sets are numbered by first occurrence. A profile of a million samples labelled by request or worker has some
 * hundred sets. Labelled by goroutine id it may have as many as samples; then this costs one hash per sample and saves
 * nothing. A label with neither text nor number nor unit is the empty text, or has an empty unit: a number 0 without a
 * unit is no label in the format.
 *
 * Only samples of traces have a time and a track; these are in a column of their own, which is empty for a profile. The
 * column of sides, the number of the file that a sample is from, is empty with one file.
 */
#include "config.h"
#include "store/samples.h"

#include "base/intern.h"

#include <string.h>

void samples_init(struct store *st)
{
	st->values = NULL;
	column_init(&st->types, sizeof(struct type_row));
	column_init(&st->smps, sizeof(struct smp_row));
	column_init(&st->sides, sizeof(uint8_t));
	column_init(&st->times, sizeof(struct smp_time));
	column_init(&st->sets, sizeof(struct set_row));
	column_add(&st->sets, NULL);
	column_init(&st->labels, sizeof(struct sink_label));
}

void samples_free(struct store *st)
{
	for (uint32_t i = 0; st->values && i < column_n(&st->types); i++)
		packed_ints_free(&st->values[i]);
	mem_free(st->values);
	column_free(&st->smps);
	column_free(&st->sides);
	column_free(&st->times);
	column_free(&st->sets);
	column_free(&st->labels);
	column_free(&st->types);
}

int samples_type(struct store *st, str_id name, str_id unit)
{
	if (st->values || column_n(&st->types) >= SAMPLES_TYPES)
		return -1;
	uint32_t id;
	*(struct type_row *)column_add(&st->types, &id) = (struct type_row){name, unit};
	return (int)id;
}

/* ---- sets of labels */

static bool same_label(const struct sink_label *a, const struct sink_label *b)
{
	return a->key == b->key && a->str == b->str && a->num == b->num && a->unit == b->unit &&
	       a->blank == b->blank && a->bare == b->bare;
}

static int same_set(const void *ctx, uint32_t id, const void *key)
{
	const struct store *st = ctx;
	const struct sink_sample *s = key;
	const struct set_row *r = store_set(st, id);
	if (r->n != s->nlabel)
		return 0;
	for (uint32_t i = 0; i < r->n; i++)
		if (!same_label(store_label(st, r->label + i), &s->label[i]))
			return 0;
	return 1;
}

static uint32_t hash_label(uint32_t h, const struct sink_label *b)
{
	return intern_hash_u64(
	    (uint64_t)b->key << 32 | b->str, intern_hash_u64((uint64_t)b->num, (uint64_t)b->unit << 32 | h));
}

static void rebuild_set_index(const struct store *st, struct intern *sets)
{
	for (uint32_t i = 1; i < column_n(&st->sets); i++) {
		const struct set_row *r = store_set(st, i);
		uint32_t h = r->n;
		for (uint32_t k = 0; k < r->n; k++)
			h = hash_label(h, store_label(st, r->label + k));
		intern_put(sets, h, i);
	}
}

static uint32_t set_of(struct store *st, struct intern *sets, const struct sink_sample *s)
{
	uint32_t h = (uint32_t)s->nlabel, id;
	if (!s->nlabel)
		return 0;
	if (!sets->cap)
		rebuild_set_index(st, sets);
	for (size_t i = 0; i < s->nlabel; i++)
		h = hash_label(h, &s->label[i]);
	id = intern_find(sets, h, same_set, st, s);
	if (id != UINT32_MAX)
		return id;
	uint32_t label = column_n(&st->labels);
	for (size_t i = 0; i < s->nlabel; i++)
		*(struct sink_label *)column_add(&st->labels, NULL) = s->label[i];
	*(struct set_row *)column_add(&st->sets, &id) = (struct set_row){label, (uint32_t)s->nlabel};
	intern_put(sets, h, id);
	return id;
}

static void add_time(struct store *st, const struct sink_sample *s)
{
	if (s->when == TIME_NONE && !s->trk && !s->proc)
		return;
	while (column_n(&st->times) < column_n(&st->smps))
		*(struct smp_time *)column_add(&st->times, NULL) = (struct smp_time){TIME_NONE, 0, 0};
	*(struct smp_time *)column_add(&st->times, NULL) = (struct smp_time){s->when, s->trk, s->proc};
}

static void add_side(struct store *st, uint32_t side)
{
	if (!side)
		return;
	while (column_n(&st->sides) < column_n(&st->smps))
		column_add(&st->sides, NULL);
	*(uint8_t *)column_add(&st->sides, NULL) = (uint8_t)side;
}

void samples_add(struct store *st, struct intern *sets, const struct sink_sample *s)
{
	uint32_t ntype = column_n(&st->types);
	if (!st->values) {
		st->values = xcalloc(ntype, sizeof *st->values);
		for (uint32_t i = 0; i < ntype; i++)
			packed_ints_init(&st->values[i]);
	}
	uint32_t set = set_of(st, sets, s);
	for (uint32_t i = 0; i < ntype; i++)
		packed_ints_add(&st->values[i], s->value[i]);
	add_time(st, s);
	add_side(st, s->side);
	*(struct smp_row *)column_add(&st->smps, NULL) = (struct smp_row){s->stack == STK_LATER ? 0 : s->stack, set};
}

void samples_settle(struct store *st, uint32_t first, const stk_id *stack, size_t n)
{
	for (size_t i = 0; i < n && first + i < column_n(&st->smps); i++)
		((struct smp_row *)column_at(&st->smps, first + (uint32_t)i))->stack = stack[i];
}
