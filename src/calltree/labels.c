/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Queries of filters and reports on label sets: the values of a key as text, and the unit of numbers that have none.
 * The sets themselves are in the store (store/samples.c).
 */
#include "config.h"
#include "calltree/labels.h"

#include "base/mem/mem.h"
#include "base/text/pprof_units.h"

#include <string.h>

static int same_key(const void *ctx, uint32_t id, const void *key)
{
	const struct labels *l = ctx;
	return l->unit[id].key == *(const str_id *)key;
}

static uint32_t find_unit(const struct labels *l, str_id key)
{
	return intern_find(&l->units, intern_hash_u64(key, 0), same_key, l, &key);
}

static void note_unit(struct labels *l, const struct sink_label *b)
{
	uint32_t i = find_unit(l, b->key);
	if (i == UINT32_MAX) {
		i = (uint32_t)l->nunit++;
		l->unit = mem_grow(l->unit, &l->cunit, l->nunit, sizeof *l->unit);
		l->unit[i] = (struct label_unit){.key = b->key};
		intern_put(&l->units, intern_hash_u64(b->key, 0), i);
	}
	if (!l->unit[i].unit)
		l->unit[i].unit = b->unit;
}

void labels_update(struct labels *l, const struct snap *sn)
{
	l->st = sn->st;
	for (uint32_t s = l->nset; s < sn->nsets; s++)
		for (uint32_t i = 0; i < labels_n(l, s); i++)
			if (!label_is_text(labels_at(l, s, i)))
				note_unit(l, labels_at(l, s, i));
	l->nset = sn->nsets;
}

void labels_free(struct labels *l)
{
	mem_free(l->unit);
	intern_free(&l->units);
	*l = (struct labels){0};
}

const char *labels_unit(const struct labels *l, str_id key)
{
	const char *name = store_str(l->st, key)->s;
	uint32_t i = find_unit(l, key);
	if (i != UINT32_MAX && l->unit[i].unit)
		return store_str(l->st, l->unit[i].unit)->s;
	return !strcmp(name, "alignment") || !strcmp(name, "request") ? "bytes" : name;
}

bool labels_text(const struct labels *l, uint32_t set, str_id key, struct buf *out)
{
	bool units = false, any = false;
	for (uint32_t i = 0; i < labels_n(l, set); i++) {
		const struct sink_label *b = labels_at(l, set, i);
		units |= b->key == key && (b->unit || b->bare);
	}
	for (int text = 1; text >= 0; text--)	/* pprof writes texts before numbers */
		for (uint32_t i = 0; i < labels_n(l, set); i++) {
			const struct sink_label *b = labels_at(l, set, i);
			if (b->key != key || label_is_text(b) != text)
				continue;
			if (any)
				buf_putc(out, ',');
			any = true;
			if (text)
				buf_put(
				    out, store_str(l->st, b->str)->s, store_str(l->st, b->str)->n);
			else
				pprof_units_label(out, b->num, units ? store_str(l->st, b->unit)->s : "",
				    units ? "minimum" : "");
		}
	return any;
}

uint8_t *labels_with(const struct snap *sn, const char *text, struct arena *a)
{
	const struct store *st = sn->st;
	str_id key = 0;
	for (uint32_t i = 0; i < sn->nstrs && !key; i++) {
		const struct str_row *r = store_str(st, i);
		key = r->n == strlen(text) && !memcmp(r->s, text, r->n) ? i : 0;
	}
	if (!key)
		return NULL;
	uint8_t *has = arena_zalloc(a, sn->nsets);
	for (uint32_t s = 1; s < sn->nsets; s++)
		for (uint32_t i = 0; i < store_set(st, s)->n; i++)
			has[s] |= store_label(st, store_set(st, s)->label + i)->key == key;
	return has;
}
