/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Trees of tags. There are few label sets compared to samples, and the tags that a set adds above or below a stack are
 * identified by one number, a node of such a tree. Places in preorder are numbers too, by which samples are sorted.
 */
#include "config.h"
#include "filter/tag_paths.h"

#include "base/mem/mem.h"
#include "store/builder.h"
#include "trace/as_profile.h"

static int same_tag_path(const void *ctx, uint32_t id, const void *key)
{
	const struct tag_path *a = &((const struct tag_path_set *)ctx)->v[id], *b = key;
	return a->parent == b->parent && a->tag.label == b->tag.label && a->tag.key == b->tag.key;
}

static void tag_paths_init(struct tag_path_set *w)
{
	w->v = mem_grow(w->v, &w->cap, 1, sizeof *w->v);
	w->v[w->n++] = (struct tag_path){0};
}

/* Return the path of a label below another one (0: none), and add it if necessary. label 0: the key is shown, as pprof
   shows a frame that has only a file. */
static uint32_t tag_path(struct tag_path_set *w, uint32_t parent, str_id label, str_id key)
{
	struct tag_path t = {parent, {label ? label : key, key, 0}};
	uint32_t h = intern_hash_u64((uint64_t)parent << 32 | t.tag.label, key),
		 id = intern_find(&w->index, h, same_tag_path, w, &t);
	if (id != UINT32_MAX)
		return id;
	w->v = mem_grow(w->v, &w->cap, w->n + 1u, sizeof *w->v);
	w->v[w->n] = t;
	intern_put(&w->index, h, w->n);
	return w->n++;
}

/* Return the places of nodes in preorder; parent[i] < i. */
static uint32_t *places_in_preorder(const uint32_t *parent, uint32_t n)
{
	uint32_t *pre = xmalloc(n * sizeof *pre), *kid = xcalloc(n, sizeof *kid), *sib = xcalloc(n, sizeof *sib);
	for (uint32_t i = n; i-- > 1;) {
		sib[i] = kid[parent[i]];
		kid[parent[i]] = i;
	}
	for (uint32_t at = 0, k = 0;;) {
		pre[at] = k++;
		if (kid[at]) {
			at = kid[at];
			continue;
		}
		while (at && !sib[at])
			at = parent[at];
		if (!at)
			break;
		at = sib[at];
	}
	mem_free(kid);
	mem_free(sib);
	return pre;
}

void tag_paths_finish(struct tag_path_set *w)
{
	uint32_t *parent = xmalloc(w->n * sizeof *parent);
	for (uint32_t i = 0; i < w->n; i++)
		parent[i] = w->v[i].parent;
	w->pre = places_in_preorder(parent, w->n);
	mem_free(parent);
	intern_free(&w->index);
}

void tag_paths_free(struct tag_path_set *w)
{
	mem_free(w->v);
	mem_free(w->pre);
}

static uint32_t of_set(
    const struct snap *sn, const struct labels *ls, struct tag_path_set *w, uint32_t at, uint32_t set, str_id key)
{
	struct buf b = {0};
	str_id text = labels_text(ls, set, key, &b) && b.n ? builder_add_string(sn, b.p, b.n) : 0;
	buf_free(&b);
	return tag_path(w, at, text, key);
}

void tag_paths_of_sets(const struct snap *sn, const struct labels *ls, const str_id *key, size_t nkey, size_t nroot,
    struct tag_path_set *top, struct tag_path_set *end, uint32_t **top_of, uint32_t **end_of)
{
	tag_paths_init(top);
	tag_paths_init(end);
	*top_of = xcalloc(ls->nset, sizeof **top_of);
	*end_of = xcalloc(ls->nset, sizeof **end_of);
	for (uint32_t s = 0; s < ls->nset; s++)
		for (size_t k = 0; k < nkey; k++) {
			uint32_t *at = k < nroot ? &(*top_of)[s] : &(*end_of)[s];
			*at = of_set(sn, ls, k < nroot ? top : end, *at, s, key[k]);
		}
}

void tag_paths_of_parts(const struct trace_tag_weight *part, uint32_t n, str_id key, bool root, struct tag_path_set *top,
    struct tag_path_set *end, uint32_t **top_of, uint32_t **end_of)
{
	tag_paths_init(top);
	tag_paths_init(end);
	*top_of = xcalloc(n + 1u, sizeof **top_of);
	*end_of = xcalloc(n + 1u, sizeof **end_of);
	for (uint32_t i = 0; i < n; i++)
		*(root ? &(*top_of)[i] : &(*end_of)[i]) = tag_path(root ? top : end, 0, part[i].tag, key);
}
