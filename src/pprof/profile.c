/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The profile of the reports: a second sink beside the store. The store merges frames into one call tree, which suits
 * panes and totals. pprof's reports need more of the file: the ids of locations, the order of the samples, several
 * labels under one key; and they edit locations in place (a hidden line vanishes from every stack through its
 * location). So the tables here are plain growing arrays, and only strings, stacks and label sets are interned, because
 * a profile has far fewer of them than samples.
 */
#include "config.h"
#include "pprof/profile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROW(p, what, more) \
	((p)->what = mem_grow((p)->what, &(p)->cap.what, (p)->n##what + (more), sizeof *(p)->what))

static int same_str(const void *ctx, uint32_t id, const void *key)
{
	const struct profile *p = ctx;
	const struct profile_text *k = key;
	return p->str[id].n == k->n && !memcmp(p->str[id].s, k->s, k->n);
}

str_id profile_add_string(struct profile *p, const char *s, size_t n)
{
	struct profile_text key = {s, (uint32_t)n};
	uint32_t h = intern_hash_bytes(s, n, 1), id = intern_find(&p->index.str, h, same_str, p, &key);
	if (id != UINT32_MAX)
		return id;
	GROW(p, str, 1);
	key.s = arena_strndup(&p->arena, s, n);
	id = (uint32_t)p->nstr++;
	p->str[id] = key;
	intern_put(&p->index.str, h, id);
	return id;
}

str_id profile_blank(struct profile *p)
{
	if (!p->blank) {
		GROW(p, str, 1);
		p->blank = (str_id)p->nstr++;
		p->str[p->blank] = (struct profile_text){"", 0};
	}
	return p->blank;
}

map_id profile_add_mapping(struct profile *p, const struct profile_mapping *m)
{
	GROW(p, map, 1);
	p->map[p->nmap] = *m;
	return (map_id)p->nmap++;
}

fun_id profile_add_function(struct profile *p, const struct profile_function *f)
{
	GROW(p, fun, 1);
	p->fun[p->nfun] = *f;
	return (fun_id)p->nfun++;
}

uint32_t profile_add_line(struct profile *p, const struct profile_line *l)
{
	GROW(p, line, 1);
	p->line[p->nline] = *l;
	return (uint32_t)p->nline++;
}

loc_id profile_add_location(struct profile *p, const struct profile_location *l)
{
	GROW(p, loc, 1);
	p->loc[p->nloc] = *l;
	return (loc_id)p->nloc++;
}

struct run_key { const void *p; size_t n; };

static const uint8_t *bytes_of(const struct profile *p, struct profile_run r)
{
	return p->packed + (size_t)r.off * p->width;
}

static int same_stack(const void *ctx, uint32_t id, const void *key)
{
	const struct profile *p = ctx;
	const struct run_key *k = key;
	return p->stack[id].n == k->n && !memcmp(bytes_of(p, p->stack[id]), k->p, k->n * p->width);
}

static uint32_t hash_of(const struct profile *p, struct profile_run r)
{
	return intern_hash_bytes(bytes_of(p, r), (size_t)r.n * p->width, 2);
}

static void rebuild_stack_index(struct profile *p)
{
	intern_free(&p->index.stack);
	for (size_t i = 1; i < p->nstack; i++)
		intern_put(&p->index.stack, hash_of(p, p->stack[i]), (uint32_t)i);
}

void profile_drop_stack_index(struct profile *p)
{
	intern_free(&p->index.stack);
}

/* Widen all frames to four bytes; backwards, because each frame moves to a higher address. */
static void widen_frames(struct profile *p)
{
	p->packed = mem_grow(p->packed, &p->cap.frame, p->nframe * 4, 1);
	for (size_t i = p->nframe; i-- > 0;) {
		loc_id l = profile_frame(p, i);
		for (size_t k = 0; k < 4; k++)
			p->packed[i * 4 + k] = (uint8_t)(l >> 8 * k);
	}
	p->width = 4;
	rebuild_stack_index(p);
}

/* Append frames in packed form, and return their address; p->nframe is not advanced. */
static const uint8_t *put_frames(struct profile *p, const loc_id *leaf_first, size_t n)
{
	loc_id all = 0;
	for (size_t i = 0; i < n; i++)
		all |= leaf_first[i];
	if (all >> 24 && p->width == 3)
		widen_frames(p);
	p->packed = mem_grow(p->packed, &p->cap.frame, (p->nframe + n) * p->width, 1);
	uint8_t *at = p->packed + p->nframe * p->width, *to = at;
	for (size_t i = 0; i < n; i++, to += p->width)
		for (unsigned k = 0; k < p->width; k++)
			to[k] = (uint8_t)(leaf_first[i] >> 8 * k);
	return at;
}

uint32_t profile_add_stack(struct profile *p, const loc_id *leaf_first, size_t n)
{
	if (!n)
		return 0;
	if (!p->index.stack.cap && p->nstack > 1)
		rebuild_stack_index(p);
	struct run_key key = {put_frames(p, leaf_first, n), n};
	uint32_t h = intern_hash_bytes(key.p, n * p->width, 2);
	uint32_t id = intern_find(&p->index.stack, h, same_stack, p, &key);
	if (id != UINT32_MAX)
		return id;
	id = profile_add_run(p, (struct profile_run){p->nframe, (uint32_t)n});
	p->nframe += n;
	intern_put(&p->index.stack, h, id);
	return id;
}

uint32_t profile_add_run(struct profile *p, struct profile_run r)
{
	GROW(p, stack, 1);
	p->stack[p->nstack] = r;
	return (uint32_t)p->nstack++;
}

void profile_reserve_frames(struct profile *p, uint64_t n)
{
	if (p->width == 3 && p->nloc > 1 << 24)
		widen_frames(p);
	p->packed = mem_grow(p->packed, &p->cap.frame, (p->nframe + n) * p->width, 1);
}

static int same_set(const void *ctx, uint32_t id, const void *key)
{
	const struct profile *p = ctx;
	const struct run_key *k = key;
	if (p->set[id].n != k->n)
		return 0;
	const struct profile_label *a = p->label + p->set[id].off, *b = k->p;
	for (size_t i = 0; i < k->n; i++)
		if (a[i].key != b[i].key || a[i].str != b[i].str || a[i].num != b[i].num || a[i].unit != b[i].unit)
			return 0;
	return 1;
}

/* Return whether a comes after b: texts before numbers, each by key; labels that are equal in this keep their order. */
static bool label_after(const struct profile *p, const struct profile_label *a, const struct profile_label *b)
{
	bool x = a->str, y = b->str;
	return x == y ? strcmp(profile_string(p, a->key), profile_string(p, b->key)) > 0 : y;
}

static void sort_few_labels(const struct profile *p, struct profile_label *l, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct profile_label x = l[i];
		size_t j = i;
		for (; j && label_after(p, &l[j - 1], &x); j--)
			l[j] = l[j - 1];
		l[j] = x;
	}
}

/* Merge from[0..mid) and from[mid..n), both sorted, into to. */
static void merge_labels(const struct profile *p, const struct profile_label *from, size_t mid, size_t n,
    struct profile_label *to)
{
	for (size_t a = 0, b = mid; a < mid || b < n;)
		*to++ = b == n || (a < mid && !label_after(p, &from[a], &from[b])) ? from[a++] : from[b++];
}

static inline size_t smaller_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Sets are small and mostly sorted, but a file may contain one of a million labels. */
static void sort_labels(const struct profile *p, struct profile_label *l, size_t n)
{
	enum { FEW = 16 };
	for (size_t i = 0; i < n; i += FEW)
		sort_few_labels(p, l + i, smaller_of(FEW, n - i));
	if (n <= FEW)
		return;
	struct profile_label *other = xmalloc(n * sizeof *other), *from = l, *to = other;
	for (size_t w = FEW; w < n; w *= 2) {
		for (size_t i = 0; i < n; i += 2 * w)
			merge_labels(p, from + i, smaller_of(w, n - i), smaller_of(2 * w, n - i), to + i);
		struct profile_label *sorted = to;
		to = from;
		from = sorted;
	}
	if (from != l)
		memcpy(l, from, n * sizeof *l);
	mem_free(other);
}

uint32_t profile_add_labels(struct profile *p, struct profile_label *l, size_t n)
{
	if (!n)
		return 0;
	sort_labels(p, l, n);
	uint32_t h = 0;
	for (size_t i = 0; i < n; i++)
		h = intern_hash_u64((uint64_t)h << 32 | l[i].key,
		    intern_hash_u64((uint64_t)l[i].num, (uint64_t)l[i].str << 32 | l[i].unit));
	struct run_key key = {l, n};
	uint32_t id = intern_find(&p->index.set, h, same_set, p, &key);
	if (id != UINT32_MAX)
		return id;
	GROW(p, label, n);
	GROW(p, set, 1);
	memcpy(p->label + p->nlabel, l, n * sizeof *l);
	id = (uint32_t)p->nset++;
	p->set[id] = (struct profile_run){p->nlabel, (uint32_t)n};
	p->nlabel += n;
	intern_put(&p->index.set, h, id);
	return id;
}

void profile_add_sample(struct profile *p, uint32_t stack, uint32_t labels, const int64_t *value)
{
	GROW(p, sample, 1);
	GROW(p, value, p->ntype);
	p->sample[p->nsample++] = (struct profile_sample){stack, labels};
	if (p->ntype)
		memcpy(p->value + p->nvalue, value, p->ntype * sizeof *value);
	p->nvalue += p->ntype;
}

void profile_add_comment(struct profile *p, str_id s)
{
	struct profile_meta *m = &p->meta;
	m->comment = mem_grow(m->comment, &m->ccomment, m->ncomment + 1, sizeof *m->comment);
	m->comment[m->ncomment++] = s;
}

struct profile *profile_new(void)
{
	struct profile *p = xcalloc(1, sizeof *p);
	p->width = 3;
	profile_add_string(p, "", 0);
	profile_add_mapping(p, &(struct profile_mapping){0});
	profile_add_function(p, &(struct profile_function){0});
	profile_add_location(p, &(struct profile_location){0});
	GROW(p, stack, 1);
	p->stack[p->nstack++] = (struct profile_run){0};
	GROW(p, set, 1);
	p->set[p->nset++] = (struct profile_run){0};
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	void *all[] = {p->str, p->type, p->map, p->fun, p->line, p->loc, p->stack, p->set, p->packed,
	    p->label, p->sample, p->value, p->meta.comment};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		mem_free(all[i]);
	intern_free(&p->index.str);
	intern_free(&p->index.stack);
	intern_free(&p->index.set);
	arena_free(&p->arena);
	mem_free(p);
}

/* Merge equal stacks after a cut. A cut stack may equal one that was not cut, or another cut one. It never equals a cut
   stack's original, because a filter does not change its own results again. So originals need not be in the index. */
static void merge_cut(struct profile *p, uint32_t *to, size_t n)
{
	size_t kept = n;
	intern_free(&p->index.stack);
	for (size_t s = 1; s < n; s++)
		if (to[s] < n || to[s] == PROFILE_DROP)
			intern_put(&p->index.stack, hash_of(p, p->stack[s]), (uint32_t)s);
	for (size_t s = 0; s < n; s++) {
		if (to[s] < n || to[s] == PROFILE_DROP)
			continue;
		struct profile_run r = p->stack[to[s]];
		struct run_key key = {bytes_of(p, r), r.n};
		uint32_t h = hash_of(p, r), id = intern_find(&p->index.stack, h, same_stack, p, &key);
		if (id == UINT32_MAX) {
			id = (uint32_t)kept++;
			p->stack[id] = r;
			intern_put(&p->index.stack, h, id);
		}
		to[s] = id;
	}
	p->nstack = kept;
	profile_drop_stack_index(p);
}

void profile_drop_unused_stacks(struct profile *p)
{
	uint32_t *to = xcalloc(p->nstack, sizeof *to), n = 1;
	profile_drop_stack_index(p);
	for (size_t i = 0; i < p->nsample; i++)
		to[p->sample[i].stack] = 1;
	for (size_t s = 1; s < p->nstack; s++)
		if (to[s]) {
			p->stack[n] = p->stack[s];
			to[s] = n++;
		}
	to[0] = 0;
	for (size_t i = 0; i < p->nsample; i++)
		p->sample[i].stack = to[p->sample[i].stack];
	p->nstack = n;
	p->nested = false;
	mem_free(to);
}

void profile_release_samples(const struct profile *p, size_t from, size_t upto)
{
	size_t n = p->ntype * sizeof *p->value;
	mem_discard(p->sample, from * sizeof *p->sample, upto * sizeof *p->sample);
	mem_discard(p->value, from * n, upto * n);
}

void profile_drop_samples(struct profile *p)
{
	mem_free(p->sample);
	mem_free(p->value);
	p->sample = NULL;
	p->value = NULL;
	p->nsample = p->cap.sample = p->nvalue = p->cap.value = 0;
}

void profile_drop_labels(struct profile *p)
{
	mem_free(p->label);
	mem_free(p->set);
	p->label = NULL;
	p->set = NULL;
	p->nlabel = p->cap.label = p->nset = p->cap.set = 0;
}

void profile_restack(struct profile *p, uint32_t *to, size_t n)
{
	size_t kept = 0;
	if (p->nstack > n)
		merge_cut(p, to, n);
	for (size_t i = 0; i < p->nsample; i++) {
		uint32_t s = p->sample[i].stack;
		if (s < n)
			s = to[s];
		if (s == PROFILE_DROP)
			continue;
		p->sample[kept] = (struct profile_sample){s, p->sample[i].labels};
		if (kept != i)
			memcpy(profile_value(p, kept), profile_value(p, i), p->ntype * sizeof *p->value);
		kept++;
	}
	p->nsample = kept;
	p->nvalue = kept * p->ntype;
}

/* ---- the sink */

static str_id sink_str(void *self, const char *s, size_t n)
{
	return profile_add_string(self, s, n);
}

static map_id sink_map(void *self, const struct sink_map *m)
{
	return profile_add_mapping(self, &(struct profile_mapping){m->id, m->start, m->limit, m->offset, m->file,
					     m->build_id, m->functions, m->filenames, m->lines, m->inlines});
}

static fun_id sink_fun(void *self, const struct sink_fun *f)
{
	return profile_add_function(self, &(struct profile_function){f->id, f->name, f->sysname, f->file, f->line});
}

static loc_id sink_loc(void *self, const struct sink_loc *l)
{
	struct profile *p = self;
	struct profile_location loc = {l->id, l->addr, l->map, (uint32_t)p->nline, 0, l->folded};
	for (size_t i = 0; i < l->nline; i++)
		if (l->line[i].fun) {
			profile_add_line(p, &(struct profile_line){l->line[i].fun, l->line[i].line, l->line[i].col});
			loc.nline++;
		}
	return profile_add_location(p, &loc);
}

static stk_id sink_stack(void *self, const loc_id *leaf_first, size_t n)
{
	return profile_add_stack(self, leaf_first, n);
}

static int sink_type(void *self, str_id name, str_id unit)
{
	struct profile *p = self;
	GROW(p, type, 1);
	p->type[p->ntype] = (struct profile_type){name, unit};
	return (int)p->ntype++;
}

static void sink_sample(void *self, const struct sink_sample *s)
{
	struct profile *p = self;
	struct profile_label few[16], *l = few;
	size_t n = 0;
	if (s->nlabel > 16)
		l = xmalloc(s->nlabel * sizeof *l);
	for (size_t i = 0; i < s->nlabel; i++) {
		const struct sink_label *x = &s->label[i];
		if (x->str || x->blank)
			l[n++] = (struct profile_label){x->key, x->str ? x->str : profile_blank(p), 0, 0};
		else
			l[n++] = (struct profile_label){x->key, 0, x->num,
			    x->bare && !x->unit ? profile_blank(p) : x->unit};
	}
	uint32_t set = profile_add_labels(p, l, n);
	profile_add_sample(p, s->stack, set, s->value);
	if (l != few)
		mem_free(l);
}

static void sink_meta(void *self, const struct sink_meta *m)
{
	struct profile *p = self;
	p->meta.drop_frames = m->drop_frames;
	p->meta.keep_frames = m->keep_frames;
	p->meta.default_type = m->default_type;
	p->meta.doc_url = m->doc_url;
	p->meta.period_type = m->period_type;
	p->meta.period_unit = m->period_unit;
	p->meta.time = m->time;
	p->meta.duration = m->duration;
	p->meta.period = m->period;
	p->commented = m->commented;
	for (size_t i = 0; i < m->ncomment; i++)
		profile_add_comment(p, m->comment[i]);
}

void profile_drop_names(struct profile *p)
{
	for (size_t i = 1; i < p->nloc; i++)
		p->loc[i].nline = 0;
	p->nfun = 1;
	p->nline = 0;
	p->commented = false;
}

static void sink_warn(void *self, uint64_t at, const char *fmt, ...)
{
	enum { MOST = 100 };
	struct profile *p = self;
	char msg[512];
	va_list ap;
	p->notices.ndamage += at != ERR_ASIDE;
	if (p->notices.nall++ >= MOST || !p->notices.put)
		return;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof msg, fmt, ap);
	va_end(ap);
	if (at == ERR_NOWHERE || at == ERR_ASIDE)
		p->notices.put(p->notices.arg, "%s", msg);
	else
		p->notices.put(p->notices.arg, "at byte %" PRIu64 ": %s", at, msg);
}

static bool sink_upto(void *self, int64_t t, uint64_t bytes)
{
	struct profile *p = self;
	(void)t;
	if (p->progress.go && !p->progress.stopped)
		p->progress.stopped = !p->progress.go(p->progress.arg, bytes, p->progress.total);
	return !p->progress.stopped;
}

struct sink profile_sink(struct profile *p)
{
	static const struct sink_ops ops = {
	    .str = sink_str,
	    .map = sink_map,
	    .fun = sink_fun,
	    .loc = sink_loc,
	    .stack = sink_stack,
	    .warn = sink_warn,
	    .upto = sink_upto,
	};
	static const struct sink_profile_ops samples = {.type = sink_type, .sample = sink_sample, .meta = sink_meta};
	return (struct sink){.ops = &ops, .profile = &samples, .self = p};
}
