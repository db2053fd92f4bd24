/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Labels in the call graph. A set of labels becomes what is drawn of it when it is first met: its texts as one, and its
 * numbers that are bytes, each a key. What a key weighs at a node is a mark; of marks there are as many as nodes and
 * labels have in common, so a mark says by number which key is meant (gmark_tag()). Most keys of a profile whose
 * requests are labelled weigh too little to be drawn, wherever they are: where trimming says how much that is, what
 * each weighs is added up before, and these have none.
 */
#include "config.h"
#include "pprof/graph_internal.h"

#include "base/text/pprof_units.h"
#include "base/wrap_math.h"

#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All string labels of a set as "key:value", sorted, joined by a backslash and an n. */
static str_id joined(struct prof *p, struct prof_run r, str_id base)
{
	struct arena a = {0};
	struct buf b = {0};
	char **s = arena_alloc(&a, (r.n + 1u) * sizeof *s);
	size_t n = 0;
	for (uint32_t i = 0; i < r.n; i++) {
		const struct prof_label *l = &p->label[r.off + i];
		if (l->str && l->key != base)
			s[n++] = arena_printf(&a, "%s:%s", prof_s(p, l->key), prof_s(p, l->str));
	}
	qsort(s, n, sizeof *s, by_text);
	for (size_t i = 0; i < n; i++) {
		buf_puts(&b, i ? "\\n" : "");
		buf_puts(&b, s[i]);
	}
	str_id id = prof_str(p, b.n ? b.p : "", b.n);
	buf_free(&b);
	arena_free(&a);
	return id;
}

static void add_set_key(struct builder *b, struct set_tags *t, struct gtag k, int64_t value)
{
	uint32_t *at = graph_pair(&b->tag_keys, k.numeric ? k.group : UINT32_MAX, k.name);
	if (!*at) {
		struct graph *g = b->g;
		g->tag_key = mem_grow(g->tag_key, &b->ctag_key, b->ntag_key + 1, sizeof *g->tag_key);
		g->tag_key[b->ntag_key++] = k;
		*at = (uint32_t)b->ntag_key;
	}
	b->set_key = mem_grow(b->set_key, &b->cset_key, b->nset_key + 1, sizeof *b->set_key);
	b->set_key[b->nset_key++] = (struct set_key){*at - 1, value};
	t->n++;
}

/* pprof draws string labels, and of the numeric ones "bytes". */
const struct set_tags *graph_set_tags(struct builder *b, uint32_t set)
{
	struct prof *p = b->p;
	struct set_tags *t = &b->sets[set];
	if (t->known)
		return t;
	str_id group = joined(p, p->set[set], prof_str(p, PROF_BASE_KEY, strlen(PROF_BASE_KEY)));
	*t = (struct set_tags){true, (uint32_t)b->nset_key, 0};
	if (group)
		add_set_key(b, t, (struct gtag){.name = group}, 0);
	for (uint32_t i = 0; i < p->set[set].n; i++) {
		struct prof_label l = p->label[p->set[set].off + i];
		if (l.str || strcmp(prof_s(p, l.key), "bytes"))
			continue;
		struct buf s = {0};
		units_label(&s, l.num, prof_s(p, b->o->bytes_unit), b->o->tag_unit);
		str_id name = prof_str(p, s.p, s.n);
		add_set_key(b, t,
		    (struct gtag){
			.numeric = true, .group = group, .name = name, .unit = b->o->bytes_unit},
		    l.num);
		buf_free(&s);
	}
	return t;
}

static int same_mark(const void *ctx, uint32_t id, const void *key)
{
	const struct gmark *t = col_at(&((const struct graph *)ctx)->marks, id), *k = key;
	return t->node == k->node && t->key == k->key;
}

uint32_t graph_mark_hash(const struct gmark *t)
{
	return hash_u64((uint64_t)t->node << 32 | t->key, 9);
}

static struct gmark *mark_of(struct builder *b, struct gnode *n, struct set_key k)
{
	struct graph *g = b->g;
	struct gmark key = {.node = n->id, .key = k.key, .value = k.value, .next = n->tag}, *t;
	uint32_t h = graph_mark_hash(&key), id = intern_find(&b->markx, h, same_mark, g, &key);
	if (id != UINT32_MAX)
		return col_at(&g->marks, id);
	t = col_add(&g->marks, &id);
	intern_put(&b->markx, h, id);
	memcpy(t, &key, sizeof key);
	return n->tag = t;
}

static void add_tag(struct builder *b, struct gnode *n, struct set_key k, const struct bundle *s, bool flat)
{
	struct gmark *t = mark_of(b, n, k);
	prof_sum(flat ? &t->flat : &t->cum, s->w);
	if (b->g->mean)
		prof_sum(&t->div[flat ? 0 : 1], s->d);
}

struct gtag gmark_tag(const struct graph *g, const struct gmark *t)
{
	struct gtag tag = g->tag_key[t->key];
	tag.value = t->value;
	tag.flat = t->flat;
	tag.cum = t->cum;
	tag.flat_div = g->mean ? t->div[0] : 0;
	tag.cum_div = g->mean ? t->div[1] : 0;
	return tag;
}

void graph_tag(struct builder *b, struct gnode *n, const struct bundle *s, bool flat)
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
		for (struct gmark *t = g->node[i]->tag; t; t = t->next)
			if (wrap_abs(t->flat) < cutoff && wrap_abs(t->cum) < cutoff)
				t->node |= GMARK_DEAD;
}

void graph_tags_from(struct builder *b, int64_t least)
{
	uint64_t *size = NULL;
	size_t cap = 0, n = 0;
	for (size_t i = 0; i < b->nbundle; i++) {
		struct bundle s = graph_bundle(b, i);
		if (!s.set || (!s.w && !s.d) || !b->p->stack[s.stack].n)
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
