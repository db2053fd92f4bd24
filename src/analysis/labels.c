/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Label sets, found by content: a set is named by the first sample that has it,
 * and its labels are read where that sample has them in the store, so nothing is
 * copied. A profile of a million samples by request or by worker has some
 * hundred sets; by goroutine id it may have as many as samples, and then this
 * costs one hash a sample and saves nothing.
 */
#include "config.h"
#include "analysis/labels.h"

#include "base/mem.h"
#include "base/units.h"

#include <string.h>

static bool same_label(const struct sink_label *a, const struct sink_label *b)
{
	return a->key == b->key && a->str == b->str && a->num == b->num && a->unit == b->unit &&
	       a->blank == b->blank && a->bare == b->bare;
}

static int same_set(const void *ctx, uint32_t id, const void *key)
{
	const struct labels *l = ctx;
	const struct smp_row *s = key;
	if (l->set[id].n != s->nlabel)
		return 0;
	for (uint32_t i = 0; i < s->nlabel; i++)
		if (!same_label(labels_at(l, id, i), col_at(&l->st->labels, s->label + i)))
			return 0;
	return 1;
}

static void note_unit(struct labels *l, const struct sink_label *b)
{
	size_t i = 0;
	while (i < l->nunit && l->unit[i].key != b->key)
		i++;
	if (i == l->nunit) {
		l->unit = mem_grow(l->unit, &l->cunit, l->nunit + 1, sizeof *l->unit);
		l->unit[l->nunit++] = (struct label_unit){.key = b->key};
	}
	if (!l->unit[i].unit)
		l->unit[i].unit = b->unit;
}

static uint32_t set_of(struct labels *l, const struct smp_row *s)
{
	uint32_t h = s->nlabel;
	for (uint32_t i = 0; i < s->nlabel; i++) {
		const struct sink_label *b = col_at(&l->st->labels, s->label + i);
		h = hash_u64((uint64_t)b->key << 32 | b->str,
		    hash_u64((uint64_t)b->num, (uint64_t)b->unit << 32 | h));
	}
	uint32_t id = intern_find(&l->index, h, same_set, l, s);
	if (id != UINT32_MAX)
		return id;
	l->set = mem_grow(l->set, &l->cset, l->nset + 1, sizeof *l->set);
	l->set[l->nset] = (struct label_set){s->label, s->nlabel};
	intern_put(&l->index, h, l->nset);
	for (uint32_t i = 0; i < s->nlabel; i++) {
		const struct sink_label *b = col_at(&l->st->labels, s->label + i);
		if (!label_is_text(b))
			note_unit(l, b);
	}
	return l->nset++;
}

void labels_update(struct labels *l, const struct snap *sn)
{
	if (!l->nset) {
		l->st = sn->st;
		l->set = mem_grow(l->set, &l->cset, 1, sizeof *l->set);
		l->set[l->nset++] = (struct label_set){0};
	}
	l->of = mem_grow(l->of, &l->csmp, sn->nsmps, sizeof *l->of);
	for (; l->nsmp < sn->nsmps; l->nsmp++) {
		const struct smp_row *s = store_smp(sn->st, l->nsmp);
		l->of[l->nsmp] = s->nlabel ? set_of(l, s) : 0;
	}
}

void labels_free(struct labels *l)
{
	mem_free(l->of);
	mem_free(l->set);
	mem_free(l->unit);
	intern_free(&l->index);
	*l = (struct labels){0};
}

const char *labels_unit(const struct labels *l, str_id key)
{
	const char *name = store_str(l->st, key)->s;
	for (size_t i = 0; i < l->nunit; i++)
		if (l->unit[i].key == key && l->unit[i].unit)
			return store_str(l->st, l->unit[i].unit)->s;
	return !strcmp(name, "alignment") || !strcmp(name, "request") ? "bytes" : name;
}

bool labels_text(const struct labels *l, uint32_t set, str_id key, struct buf *out)
{
	bool units = false, any = false;
	for (uint32_t i = 0; i < l->set[set].n; i++) {
		const struct sink_label *b = labels_at(l, set, i);
		units |= b->key == key && (b->unit || b->bare);
	}
	for (int text = 1; text >= 0; text--)	/* pprof writes texts before numbers */
		for (uint32_t i = 0; i < l->set[set].n; i++) {
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
				units_label(out, b->num, units ? store_str(l->st, b->unit)->s : "",
				    units ? "minimum" : "");
		}
	return any;
}
