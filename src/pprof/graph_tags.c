/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Labels in the call graph. A set of labels is converted when it is first met: its string labels become one key, and
 * each numeric label "bytes" another one. The weight of a key at a node is a mark. There are as many marks as
 * combinations of nodes and keys, so a mark refers to its key by number (graph_mark_tag()). Most keys of a profile with
 * labelled requests weigh too little to be drawn at any node. If trimming announces its limit, the total weight of each
 * key is added up first, and keys below the limit get no marks.
 */
#include "config.h"
#include "pprof/internal.h"

#include "base/text/pprof_units.h"
#include "base/text/text.h"
#include "base/wrap_math.h"

#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Return all string labels of a set as "key:value", sorted, joined by a backslash and an n; escape: as text of graphviz. */
static str_id join_labels(struct profile *p, struct profile_run r, str_id base, bool escape)
{
	struct arena a = {0};
	struct buf b = {0};
	char **s = arena_alloc(&a, (r.n + 1u) * sizeof *s);
	size_t n = 0;
	for (uint32_t i = 0; i < r.n; i++) {
		const struct profile_label *l = &p->label[r.off + i];
		if (l->str && l->key != base)
			s[n++] = arena_printf(&a, "%s:%s", profile_string(p, l->key), profile_string(p, l->str));
	}
	qsort(s, n, sizeof *s, by_text);
	for (size_t i = 0; i < n; i++) {
		buf_puts(&b, i ? "\\n" : "");
		if (escape)
			text_dot(&b, s[i], strlen(s[i]));
		else
			buf_puts(&b, s[i]);
	}
	str_id id = profile_add_string(p, b.n ? b.p : "", b.n);
	buf_free(&b);
	arena_free(&a);
	return id;
}

static void add_set_key(struct graph_builder *b, struct set_tags *t, struct graph_tag k, int64_t value)
{
	bool fresh;
	uint64_t key = (uint64_t)(k.numeric ? k.group : UINT32_MAX) << 32 | k.name;
	struct u64_slot *at = u64_map_put(&b->tag_keys, key, &fresh);
	if (fresh) {
		struct graph *g = b->g;
		g->tag_key = mem_grow(g->tag_key, &b->ctag_key, b->ntag_key + 1, sizeof *g->tag_key);
		at->n = b->ntag_key;
		g->tag_key[b->ntag_key++] = k;
	}
	b->set_key = mem_grow(b->set_key, &b->cset_key, b->nset_key + 1, sizeof *b->set_key);
	b->set_key[b->nset_key++] = (struct set_key){(uint32_t)at->n, value};
	t->n++;
}

/* pprof draws string labels and, of the numeric ones, only "bytes". */
const struct set_tags *graph_set_tags(struct graph_builder *b, uint32_t set)
{
	struct profile *p = b->p;
	struct set_tags *t = &b->sets[set];
	if (t->known)
		return t;
	str_id base = profile_add_string(p, PROFILE_BASE_KEY, strlen(PROFILE_BASE_KEY));
	str_id group = join_labels(p, p->set[set], base, b->o->escape_tags);
	*t = (struct set_tags){true, (uint32_t)b->nset_key, 0};
	if (group)
		add_set_key(b, t, (struct graph_tag){.name = group}, 0);
	for (uint32_t i = 0; i < p->set[set].n; i++) {
		struct profile_label l = p->label[p->set[set].off + i];
		if (l.str || strcmp(profile_string(p, l.key), "bytes"))
			continue;
		struct buf s = {0};
		pprof_units_label(&s, l.num, profile_string(p, b->o->bytes_unit), b->o->tag_unit);
		str_id name = profile_add_string(p, s.p, s.n);
		add_set_key(b, t,
		    (struct graph_tag){
			.numeric = true, .group = group, .name = name, .unit = b->o->bytes_unit},
		    l.num);
		buf_free(&s);
	}
	return t;
}

static int same_mark(const void *ctx, uint32_t id, const void *key)
{
	const struct graph_mark *t = column_at(&((const struct graph *)ctx)->marks, id), *k = key;
	return t->node == k->node && t->key == k->key;
}

uint32_t graph_mark_hash(const struct graph_mark *t)
{
	return intern_hash_u64((uint64_t)t->node << 32 | t->key, 9);
}

static struct graph_mark *mark_of(struct graph_builder *b, struct graph_node *n, struct set_key k)
{
	struct graph *g = b->g;
	struct graph_mark key = {.node = n->id, .key = k.key, .value = k.value, .next = n->tag}, *t;
	uint32_t h = graph_mark_hash(&key), id = intern_find(&b->markx, h, same_mark, g, &key);
	if (id != UINT32_MAX)
		return column_at(&g->marks, id);
	t = column_add(&g->marks, &id);
	intern_put(&b->markx, h, id);
	memcpy(t, &key, sizeof key);
	return n->tag = t;
}

static void add_tag(struct graph_builder *b, struct graph_node *n, struct set_key k, const struct bundle *s, bool flat)
{
	struct graph_mark *t = mark_of(b, n, k);
	profile_sum(flat ? &t->flat : &t->cum, s->w);
	if (b->g->mean)
		profile_sum(&t->div[flat ? 0 : 1], s->d);
}

struct graph_tag graph_mark_tag(const struct graph *g, const struct graph_mark *t)
{
	struct graph_tag tag = g->tag_key[t->key];
	tag.value = t->value;
	tag.flat = t->flat;
	tag.cum = t->cum;
	tag.flat_div = g->mean ? t->div[0] : 0;
	tag.cum_div = g->mean ? t->div[1] : 0;
	return tag;
}

void graph_add_tags(struct graph_builder *b, struct graph_node *n, const struct bundle *s, bool flat)
{
	const struct set_tags *t = graph_set_tags(b, s->set);
	for (uint32_t i = 0; i < t->n; i++) {
		struct set_key k = b->set_key[t->first + i];
		if (!b->key_size || b->key_size[k.key] >= b->key_least)
			add_tag(b, n, k, s, flat);
	}
}

void graph_trim_tags(struct graph *g, size_t from, size_t upto, int64_t cutoff)
{
	for (size_t i = from; i < upto; i++)
		for (struct graph_mark *t = g->node[i]->tag; t; t = t->next)
			if (wrap_abs(t->flat) < cutoff && wrap_abs(t->cum) < cutoff)
				t->node |= GRAPH_MARK_DEAD;
}

void graph_set_tag_cutoff(struct graph_builder *b, int64_t least)
{
	uint64_t *size = NULL;
	size_t cap = 0, n = 0;
	for (size_t i = 0; i < b->nbundle; i++) {
		struct bundle s = b->bundle[i];
		if (!s.set || !s.stack)
			continue;
		const struct set_tags *t = graph_set_tags(b, s.set);
		size = mem_grow(size, &cap, b->ntag_key + 1, sizeof *size);
		while (n < b->ntag_key)
			size[n++] = 0;
		for (uint32_t k = 0; k < t->n; k++) {
			uint64_t *v = &size[b->set_key[t->first + k].key], w = wrap_size(s.w);
			*v = *v > UINT64_MAX - w ? UINT64_MAX : *v + w;
		}
	}
	b->key_size = size;
	b->key_least = wrap_size(least);
}
