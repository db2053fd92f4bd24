/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Labels as frames (tagroot, tagleaf). The frames depend on a sample's label set, the new stack on the pair of stack
 * and set; sets with equal frames count as one. So pairs are numbered, and no stacks are compared. The new stacks are
 * written in the order of the original ones, and frames before the first one that is still needed are released on the
 * way, so the profile is never in memory twice.
 */
#include "config.h"
#include "pprof/profile.h"

#include "base/text/buf.h"
#include "base/text/pprof_units.h"

#include <string.h>

struct tag_frames {
	struct profile *p;
	const char *unit;
	str_id *key; /* keys of tagroot, then of tagleaf, in the order given */
	size_t nroot, nleaf;
	struct intern locs; /* index of locations by name and key */
	loc_id *frames;	/* by set: its frames */
	uint32_t *like;	/* by set: the first set with the same frames, + 1; 0: not computed yet */
	struct tagged { uint32_t stack, set; } *pair;	/* by new stack */
	uint32_t npair;
	size_t cpair;
	uint64_t next_loc, next_fun;
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

static loc_id tag_loc(struct tag_frames *t, str_id name, str_id key)
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
static str_id label_values(struct tag_frames *t, uint32_t set, str_id key, bool *any)
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
    struct tag_frames *t, uint32_t set, const str_id *key, size_t n, loc_id *out, bool *any)
{
	for (size_t i = 0; i < n; i++) {
		str_id k = key[n - 1 - i], name = label_values(t, set, k, any);
		out[i] = tag_loc(t, name, k);
	}
}

static int same_frames(const void *ctx, uint32_t id, const void *key)
{
	const struct tag_frames *t = ctx;
	size_t n = t->nroot + t->nleaf;
	return !memcmp(t->frames + id * n, key, n * sizeof *t->frames);
}

static int same_tagged(const void *ctx, uint32_t id, const void *key)
{
	const struct tagged *a = &((const struct tag_frames *)ctx)->pair[id], *b = key;
	return a->stack == b->stack && a->set == b->set;
}

/* Return the first set with the same frames. */
static uint32_t like_set(struct tag_frames *t, struct intern *sets, uint32_t set, bool *root_any, bool *leaf_any)
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

/* Set the new stack of each sample. New stacks differ if their original stacks or frames differ, and they differ from
   all existing stacks, because no other stack has these frames. So no stacks need to be compared. */
static void number_pairs(struct tag_frames *t, bool *root_any, bool *leaf_any)
{
	struct profile *p = t->p;
	struct intern sets = {0}, pairs = {0};
	for (size_t i = 0; i < p->nsample; i++) {
		struct profile_sample *s = &p->sample[i];
		struct tagged k = {s->stack, like_set(t, &sets, s->labels, root_any, leaf_any)};
		uint32_t h = intern_hash_u64(k.stack, k.set), id = intern_find(&pairs, h, same_tagged, t, &k);
		if (id == UINT32_MAX) {
			t->pair = mem_grow(t->pair, &t->cpair, t->npair + 1u, sizeof *t->pair);
			id = t->npair++;
			t->pair[id] = k;
			intern_put(&pairs, h, id);
		}
		s->stack = (uint32_t)p->nstack + id;
	}
	intern_free(&sets);
	intern_free(&pairs);
}

enum { TAG_BLOCK = 4096 };

/* Return the new stacks sorted by their original stacks. */
static uint32_t *by_stack(const struct tag_frames *t)
{
	size_t n = t->p->nstack;
	uint32_t *at = xcalloc(n + 1, sizeof *at), *order = xmalloc((t->npair + 1u) * sizeof *order);
	for (uint32_t i = 0; i < t->npair; i++)
		at[t->pair[i].stack + 1]++;
	for (size_t s = 0; s < n; s++)
		at[s + 1] += at[s];
	for (uint32_t i = 0; i < t->npair; i++)
		order[at[t->pair[i].stack]++] = i;
	mem_free(at);
	return order;
}

/* Return, for each block of new stacks in that order, the first frame that it and all later blocks still need. */
static uint64_t *needed_from(const struct tag_frames *t, const uint32_t *order, size_t nblock)
{
	const struct profile *p = t->p;
	uint64_t *from = xmalloc((nblock + 1) * sizeof *from);
	from[nblock] = p->nframe;
	for (uint32_t i = t->npair; i-- > 0;) {
		uint32_t b = i / TAG_BLOCK, s = t->pair[order[i]].stack;
		if (i == t->npair - 1 || i % TAG_BLOCK == TAG_BLOCK - 1)
			from[b] = from[b + 1];
		if (s && p->stack[s].off < from[b])
			from[b] = p->stack[s].off;
	}
	return from;
}

static struct profile_run write_tagged(struct tag_frames *t, struct tagged k)
{
	struct profile *p = t->p;
	struct profile_run r = p->stack[k.stack];
	const loc_id *root = t->frames + k.set * (t->nroot + t->nleaf), *leaf = root + t->nroot;
	uint64_t from = p->nframe, at = from;
	for (size_t i = 0; i < t->nleaf; i++)
		profile_set_frame(p, at++, leaf[i]);
	for (uint32_t i = 0; i < r.n; i++)
		profile_set_frame(p, at++, profile_frame(p, r.off + i));
	for (size_t i = 0; i < t->nroot; i++)
		profile_set_frame(p, at++, root[i]);
	p->nframe = at;
	return (struct profile_run){from, (uint32_t)(at - from)};
}

/* spend: the original stacks are not needed afterwards, and their pages are released on the way. */
static void write_all(struct tag_frames *t, bool spend)
{
	struct profile *p = t->p;
	size_t first = p->nstack, nblock = (t->npair + TAG_BLOCK - 1u) / TAG_BLOCK;
	uint32_t *order = by_stack(t);
	uint64_t *from = needed_from(t, order, nblock), more = 0, spent = 0;
	for (uint32_t i = 0; i < t->npair; i++)
		more += p->stack[t->pair[i].stack].n + t->nroot + t->nleaf;
	profile_reserve_frames(p, more);
	for (uint32_t i = 0; i < t->npair; i++)
		profile_add_run(p, (struct profile_run){0});
	for (uint32_t i = 0; i < t->npair; i++) {
		p->stack[first + order[i]] = write_tagged(t, t->pair[order[i]]);
		if (spend && i % TAG_BLOCK == TAG_BLOCK - 1) {
			uint64_t upto = from[i / TAG_BLOCK + 1] * p->width;
			mem_discard(p->packed, spent, upto);
			spent = upto;
		}
	}
	mem_free(order);
	mem_free(from);
}

/* last: no later step removes frames. */
static void add_frames(struct tag_frames *t, bool last, bool *root_any, bool *leaf_any)
{
	struct profile *p = t->p;
	t->frames = xmalloc(p->nset * (t->nroot + t->nleaf) * sizeof *t->frames);
	t->like = xcalloc(p->nset, sizeof *t->like);
	profile_drop_stack_index(p);
	number_pairs(t, root_any, leaf_any);
	write_all(t, last);
	if (last)
		profile_drop_unused_stacks(p);
	else
		profile_drop_stack_index(p);
	mem_free(t->frames);
	mem_free(t->like);
	mem_free(t->pair);
}

/* Return whether a later step removes frames. */
static bool has_stack_filters(const struct filters *f)
{
	const char *text[] = {f->hide, f->show, f->show_from, f->prune_from};
	for (int i = 0; i < 4; i++)
		if (text[i] && *text[i])
			return true;
	return false;
}

void pprof_tag_frames(
    struct profile *p, const struct filters *f, const char *unit, profile_notice *notice, void *arg)
{
	struct tag_frames t = {.p = p, .unit = unit};
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
		add_frames(&t, !has_stack_filters(f), &root, &leaf);
	if (f->tagroot && *f->tagroot && !root && notice)
		notice(arg, "TagRoot expression matched no samples");
	if (f->tagleaf && *f->tagleaf && !leaf && notice)
		notice(arg, "TagLeaf expression matched no samples");
	intern_free(&t.locs);
	mem_free(t.key);
}
