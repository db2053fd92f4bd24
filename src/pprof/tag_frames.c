/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Labels as frames (tagroot, tagleaf). The frames depend on a sample's label set, the new stack on the pair of stack
 * and set; sets with equal frames count as one. So pairs are numbered, and no stacks are compared. The new tree has a
 * copy of the original one below each combination of root frames, as far as samples need it. Pairs are sorted by that
 * combination and then by stack: a node is looked up in an array that has the node's latest copy, and new nodes are
 * mostly in preorder.
 */
#include "config.h"
#include "pprof/profile.h"

#include "base/radix_sort.h"
#include "base/text/buf.h"
#include "base/text/pprof_units.h"

#include <string.h>

struct frame_writer {
	struct profile *p;
	const char *unit;
	str_id *key; /* keys of tagroot, then of tagleaf, in the order given */
	size_t nroot, nleaf;
	struct intern locs; /* index of locations by name and key */
	loc_id *frames;	/* by set: its frames */
	uint32_t *like;	/* by set: the first set with the same frames, + 1; 0: not computed yet */
	struct tagged { uint32_t stack, set, node; } *pair;	/* node: of the new stack in `tree` */
	uint32_t npair;
	size_t cpair;
	uint64_t next_loc, next_fun;
	struct stack_tree tree;
	/* by original node: its latest copy, and the node of the root frames that this is below */
	struct tag_copy { uint32_t below, node; } *copy;
};

static void split_keys(
    struct profile *p, const char *s, str_id **key, size_t *cap, size_t at, size_t *n)
{
	while (s && *s) {
		size_t len = strcspn(s, ",");
		if (len) {
			*key = mem_grow(*key, cap, at + *n + 1, sizeof **key);
			(*key)[at + (*n)++] = profile_add_string(p, s, len);
		}
		s += len + (s[len] != 0);
	}
}

static int same_tag_loc(const void *ctx, uint32_t id, const void *key)
{
	const struct profile *p = ctx;
	const struct profile_function *f = &p->fun[p->line[p->loc[id].line].fun], *k = key;
	return f->name == k->name && f->file == k->file;
}

static loc_id tag_loc(struct frame_writer *t, str_id name, str_id key)
{
	struct profile_function f = {.id = t->next_fun, .name = name, .file = key};
	uint32_t h = intern_hash_u64(name, key), id = intern_find(&t->locs, h, same_tag_loc, t->p, &f);
	if (id != UINT32_MAX)
		return id;
	struct profile_line l = {.fun = profile_add_function(t->p, &f)};
	id = profile_add_location(t->p,
	    &(struct profile_location){.id = t->next_loc, .line = profile_add_line(t->p, &l), .nline = 1});
	t->next_loc++;
	t->next_fun++;
	intern_put(&t->locs, h, id);
	return id;
}

/* Return all values of a key in a set, joined by commas. */
static str_id label_values(struct frame_writer *t, uint32_t set, str_id key, bool *any)
{
	struct profile *p = t->p;
	struct profile_run r = p->set[set];
	struct buf b = {0};
	bool units = false;
	size_t n = 0;
	for (uint32_t i = 0; i < r.n; i++)
		units |= p->label[r.off + i].key == key && p->label[r.off + i].unit;
	for (uint32_t i = 0; i < r.n; i++) {
		const struct profile_label *l = &p->label[r.off + i];
		if (l->key != key)
			continue;
		if (n++)
			buf_putc(&b, ',');
		if (l->str)
			buf_put(&b, p->str[l->str].s, p->str[l->str].n);
		else
			pprof_units_label(
			    &b, l->num, units ? profile_string(p, l->unit) : "", units ? t->unit : "");
	}
	*any |= n != 0;
	str_id s = profile_add_string(p, buf_str(&b), b.n);
	buf_free(&b);
	return s;
}

/* Create the frames of a set, leaf first: the first key is nearest the root. */
static void set_frames(
    struct frame_writer *t, uint32_t set, const str_id *key, size_t n, loc_id *out, bool *any)
{
	for (size_t i = 0; i < n; i++) {
		str_id k = key[n - 1 - i], name = label_values(t, set, k, any);
		out[i] = tag_loc(t, name, k);
	}
}

static int same_frames(const void *ctx, uint32_t id, const void *key)
{
	const struct frame_writer *t = ctx;
	size_t n = t->nroot + t->nleaf;
	return !memcmp(t->frames + id * n, key, n * sizeof *t->frames);
}

static int same_tagged(const void *ctx, uint32_t id, const void *key)
{
	const struct tagged *a = &((const struct frame_writer *)ctx)->pair[id], *b = key;
	return a->stack == b->stack && a->set == b->set;
}

/* Return the first set with the same frames. */
static uint32_t like_set(struct frame_writer *t, struct intern *sets, uint32_t set, bool *root_any, bool *leaf_any)
{
	size_t n = t->nroot + t->nleaf;
	loc_id *root = t->frames + set * n, *leaf = root + t->nroot;
	if (t->like[set])
		return t->like[set] - 1;
	set_frames(t, set, t->key, t->nroot, root, root_any);
	set_frames(t, set, t->key + t->nroot, t->nleaf, leaf, leaf_any);
	uint32_t h = intern_hash_bytes(root, n * sizeof *root, 2), id = intern_find(sets, h, same_frames, t, root);
	if (id == UINT32_MAX)
		intern_put(sets, h, id = set);
	t->like[set] = id + 1;
	return id;
}

/* Set the stack of each sample to the number of its pair, in the order of the samples. */
static void number_pairs(struct frame_writer *t, bool *root_any, bool *leaf_any)
{
	struct profile *p = t->p;
	struct intern sets = {0}, pairs = {0};
	for (size_t i = 0; i < p->nsample; i++) {
		struct profile_sample *s = &p->sample[i];
		struct tagged k = {s->stack, like_set(t, &sets, s->labels, root_any, leaf_any), 0};
		uint32_t h = intern_hash_u64(k.stack, k.set), id = intern_find(&pairs, h, same_tagged, t, &k);
		if (id == UINT32_MAX) {
			t->pair = mem_grow(t->pair, &t->cpair, t->npair + 1u, sizeof *t->pair);
			id = t->npair++;
			t->pair[id] = k;
			intern_put(&pairs, h, id);
		}
		s->stack = id;
	}
	intern_free(&sets);
	intern_free(&pairs);
}

/* Return the copy of an original node below root frames. */
static uint32_t copy_node(struct frame_writer *t, uint32_t below, uint32_t node, struct stack_path *path)
{
	const struct stack_tree *from = &t->p->tree;
	uint32_t at = below;
	size_t n = path->n = 0;
	for (; node && t->copy[node].below != below; node = from->node[node].caller) {
		path->node = mem_grow(path->node, &path->cap, n + 1, sizeof *path->node);
		path->node[n++] = node;
	}
	if (node)
		at = t->copy[node].node;
	while (n--) {
		at = stack_tree_append(&t->tree, at, from->node[path->node[n]].frame);
		t->copy[path->node[n]] = (struct tag_copy){below, at};
	}
	return at;
}

/* Return the node of the root frames of a set. There are no other nodes yet. */
static uint32_t root_node(struct frame_writer *t, uint32_t set)
{
	const loc_id *root = t->frames + set * (t->nroot + t->nleaf);
	uint32_t at = 0;
	for (size_t i = t->nroot; i--;)
		at = stack_tree_child(&t->tree, at, root[i]);
	return at;
}

static void write_stacks(struct frame_writer *t)
{
	struct profile *p = t->p;
	struct radix_item *order = xmalloc((t->npair + 1u) * sizeof *order);
	struct stack_path path = {0};
	stack_tree_init(&t->tree);
	t->copy = xmalloc(p->tree.n * sizeof *t->copy);
	memset(t->copy, 0xff, p->tree.n * sizeof *t->copy);
	for (uint32_t i = 0; i < t->npair; i++)
		order[i] = (struct radix_item){
		    (uint64_t)root_node(t, t->pair[i].set) << 32 | p->stack[t->pair[i].stack], i};
	stack_tree_drop_index(&t->tree);
	radix_sort_items(order, t->npair);
	for (uint32_t i = 0; i < t->npair; i++) {
		struct tagged *k = &t->pair[order[i].v];
		const loc_id *leaf = t->frames + k->set * (t->nroot + t->nleaf) + t->nroot;
		k->node = copy_node(t, (uint32_t)(order[i].key >> 32), (uint32_t)order[i].key, &path);
		for (size_t l = t->nleaf; l--;)
			k->node = stack_tree_child(&t->tree, k->node, leaf[l]);
	}
	mem_free(t->copy);
	mem_free(path.node);
	mem_free(order);
}

/* Replace the profile's stacks. */
static void add_frames(struct frame_writer *t, bool *root_any, bool *leaf_any)
{
	struct profile *p = t->p;
	t->frames = xmalloc(p->nset * (t->nroot + t->nleaf) * sizeof *t->frames);
	t->like = xcalloc(p->nset, sizeof *t->like);
	number_pairs(t, root_any, leaf_any);
	write_stacks(t);
	profile_drop_stack_index(p);
	stack_tree_free(&p->tree);
	p->tree = t->tree;
	p->nstack = 1;
	for (size_t i = 0; i < p->nsample; i++)
		p->sample[i].stack = profile_stack_of_node(p, t->pair[p->sample[i].stack].node);
	profile_drop_stack_index(p);
	mem_free(t->frames);
	mem_free(t->like);
	mem_free(t->pair);
}

void pprof_tag_frames(
    struct profile *p, const struct filters *f, const char *unit, profile_notice *notice, void *arg)
{
	struct frame_writer t = {.p = p, .unit = unit};
	size_t cap = 0;
	bool root = false, leaf = false;
	split_keys(p, f->tagroot, &t.key, &cap, 0, &t.nroot);
	split_keys(p, f->tagleaf, &t.key, &cap, t.nroot, &t.nleaf);
	for (size_t i = 1; i < p->nloc; i++)
		t.next_loc = t.next_loc > p->loc[i].id ? t.next_loc : p->loc[i].id;
	for (size_t i = 1; i < p->nfun; i++)
		t.next_fun = t.next_fun > p->fun[i].id ? t.next_fun : p->fun[i].id;
	t.next_loc++;
	t.next_fun++;
	if (t.nroot + t.nleaf)
		add_frames(&t, &root, &leaf);
	if (f->tagroot && *f->tagroot && !root && notice)
		notice(arg, "TagRoot expression matched no samples");
	if (f->tagleaf && *f->tagleaf && !leaf && notice)
		notice(arg, "TagLeaf expression matched no samples");
	intern_free(&t.locs);
	mem_free(t.key);
}
