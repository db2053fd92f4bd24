/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The profile of the reports: a second sink beside the store. The store has what panes and totals need. pprof's reports
 * need more of the file: the ids of locations, the order of the samples, several labels under one key; and they edit
 * locations in place (a hidden line vanishes from every stack through its location). So the tables here are plain
 * growing arrays, and only strings, stacks and label sets are interned, because a profile has far fewer of them than
 * samples.
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

static void rebuild_string_index(struct profile *p)
{
	for (uint32_t i = 0; i < p->nstr; i++)
		if (!i || i != p->blank)
			intern_put(&p->index.str, intern_hash_bytes(p->str[i].s, p->str[i].n, intern_secret()), i);
}

str_id profile_add_string(struct profile *p, const char *s, size_t n)
{
	struct profile_text key = {s, (uint32_t)n};
	if (!p->index.str.cap)
		rebuild_string_index(p);
	uint32_t h = intern_hash_bytes(s, n, intern_secret()), id = intern_find(&p->index.str, h, same_str, p, &key);
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

void profile_drop_stack_index(struct profile *p)
{
	mem_free(p->at);
	p->at = NULL;
	p->cap.at = 0;
	stack_tree_drop_index(&p->tree);
}

uint32_t profile_stack_of_node(struct profile *p, uint32_t node)
{
	size_t had = p->cap.at;
	p->at = mem_grow(p->at, &p->cap.at, p->tree.n, sizeof *p->at);
	memset(p->at + had, 0, (p->cap.at - had) * sizeof *p->at);
	for (size_t s = 1; !had && s < p->nstack; s++)
		p->at[p->stack[s]] = (uint32_t)s;
	if (!p->at[node] && node) {
		GROW(p, stack, 1);
		p->stack[p->nstack] = node;
		p->at[node] = (uint32_t)p->nstack++;
	}
	return p->at[node];
}

uint32_t profile_add_stack(struct profile *p, const loc_id *leaf_first, size_t n)
{
	uint32_t node = 0;
	while (n)
		node = stack_tree_child(&p->tree, node, leaf_first[--n]);
	return profile_stack_of_node(p, node);
}

struct label_list { const struct profile_label *label; size_t n; };

static int same_set(const void *ctx, uint32_t id, const void *key)
{
	const struct profile *p = ctx;
	const struct label_list *k = key;
	if (p->set[id].n != k->n)
		return 0;
	const struct profile_label *a = p->label + p->set[id].off, *b = k->label;
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
	struct label_list key = {l, n};
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
	stack_tree_init(&p->tree);
	profile_add_string(p, "", 0);
	profile_add_mapping(p, &(struct profile_mapping){0});
	profile_add_function(p, &(struct profile_function){0});
	profile_add_location(p, &(struct profile_location){0});
	GROW(p, stack, 1);
	p->stack[p->nstack++] = 0;
	GROW(p, set, 1);
	p->set[p->nset++] = (struct profile_run){0};
	return p;
}

#define DROP(p, what) (mem_free((p)->what), (p)->what = NULL, (p)->n##what = (p)->cap.what = 0)

void profile_drop_samples(struct profile *p)
{
	DROP(p, fun);
	DROP(p, line);
	DROP(p, loc);
	DROP(p, set);
	DROP(p, label);
	DROP(p, sample);
	DROP(p, value);
	intern_free(&p->index.set);
	intern_free(&p->index.str);
}

void profile_drop_stacks(struct profile *p)
{
	profile_drop_stack_index(p);
	DROP(p, stack);
	mem_free(p->last.node);
	p->last = (struct stack_path){0};
	stack_tree_free(&p->tree);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	profile_drop_samples(p);
	profile_drop_stacks(p);
	void *all[] = {p->str, p->type, p->map, p->meta.comment};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		mem_free(all[i]);
	arena_free(&p->arena);
	mem_free(p);
}

/* Append the frames of a node and of its callers, as long as each directly follows its caller. Return the next node; 0:
   there is none. */
static uint32_t read_run(const struct stack_node *node, uint32_t at, struct profile_frame_list *l)
{
	uint32_t last;
	do {
		if (l->n == l->cap)
			l->frame = mem_grow(l->frame, &l->cap, l->n + 1, sizeof *l->frame);
		l->frame[l->n++] = node[at].frame;
		last = at;
		at = node[at].caller;
	} while (at && at + 1 == last);
	return at;
}

/* Fill ahead[] from i on, a run of each stack in turn, while the first node of its next run is loaded into the cache. */
static void read_ahead(struct profile_frames *r, size_t i)
{
	const struct profile *p = r->p;
	size_t n = r->stacks ? p->nstack : p->nsample;
	uint32_t at[PROFILE_FRAMES_AHEAD], any = 1;
	r->from = i;
	r->upto = n - i < PROFILE_FRAMES_AHEAD ? n : i + PROFILE_FRAMES_AHEAD;
	n = r->upto - i;
	for (size_t k = 0; k < n; k++) {
		at[k] = p->stack[r->stacks ? i + k : p->sample[i + k].stack];
		__builtin_prefetch(&p->tree.node[at[k]]);
		r->ahead[k].n = 0;
	}
	while (any) {
		any = 0;
		for (size_t k = 0; k < n; k++) {
			if (!at[k])
				continue;
			any |= at[k] = read_run(p->tree.node, at[k], &r->ahead[k]);
			__builtin_prefetch(&p->tree.node[at[k]]);
		}
	}
}

const struct profile_frame_list *profile_frames_at(struct profile_frames *r, size_t i)
{
	if (i < r->from || i >= r->upto)
		read_ahead(r, i);
	return &r->ahead[i - r->from];
}

void profile_frames_free(struct profile_frames *r)
{
	for (size_t k = 0; k < PROFILE_FRAMES_AHEAD; k++)
		mem_free(r->ahead[k].frame);
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
	mem_free(to);
}

void profile_sort_nodes(struct profile *p)
{
	uint32_t *number = xcalloc(p->tree.n, sizeof *number);
	profile_drop_stack_index(p);
	for (size_t s = 1; s < p->nstack; s++)
		number[p->stack[s]] = 1;
	uint32_t n = stack_tree_number(&p->tree, number);
	stack_tree_renumber(&p->tree, number, n);
	for (size_t s = 1; s < p->nstack; s++)
		p->stack[s] = number[p->stack[s]];
	mem_free(number);
}

static void drop_samples(struct profile *p, const struct profile_move *to)
{
	size_t kept = 0;
	for (size_t i = 0; i < p->nsample; i++) {
		if (to[p->sample[i].stack].drop)
			continue;
		p->sample[kept] = p->sample[i];
		if (kept != i)
			memcpy(profile_value(p, kept), profile_value(p, i), p->ntype * sizeof *p->value);
		kept++;
	}
	p->nsample = kept;
	p->nvalue = kept * p->ntype;
}

void profile_move_stacks(struct profile *p, const struct profile_move *to)
{
	size_t n = p->nstack;
	uint32_t *number = xmalloc(n * sizeof *number);
	drop_samples(p, to);
	profile_drop_stack_index(p);
	p->nstack = 1;
	for (int cut = 0; cut < 2; cut++)
		for (size_t s = 0; s < n; s++)
			if (to[s].cut == cut && !(cut && to[s].drop))
				number[s] = profile_stack_of_node(p, to[s].node);
	for (size_t i = 0; i < p->nsample; i++)
		p->sample[i].stack = number[p->sample[i].stack];
	mem_free(number);
	profile_drop_unused_stacks(p);
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

static stk_id sink_branch(void *self, size_t same, const loc_id *outer_first, size_t n)
{
	struct profile *p = self;
	p->last.node = mem_grow(p->last.node, &p->last.cap, same + n, sizeof *p->last.node);
	for (size_t i = 0; i < n; i++)
		p->last.node[same + i] =
		    stack_tree_append(&p->tree, same + i ? p->last.node[same + i - 1] : 0, outer_first[i]);
	return same + n ? p->last.node[same + n - 1] : 0;
}

static void sink_resolve_stacks(void *self, const stk_id *node, size_t n)
{
	struct profile *p = self;
	for (size_t i = 0; i < n; i++)
		p->sample[i].stack = profile_stack_of_node(p, node[i]);
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

struct profile_by_mapping profile_locations_by_mapping(const struct profile *p)
{
	struct profile_by_mapping b = {xcalloc(p->nmap + 1, sizeof *b.from), xmalloc((p->nloc + 1) * sizeof *b.loc)};
	for (size_t i = 1; i < p->nloc; i++)
		b.from[p->loc[i].map]++;
	for (size_t m = 0, all = 0; m <= p->nmap; m++)
		b.from[m] = (uint32_t)(all += b.from[m]);	/* the end of the mapping */
	for (size_t i = p->nloc; --i;)
		b.loc[--b.from[p->loc[i].map]] = (loc_id)i;
	return b;
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
	static const struct sink_profile_ops samples = {
	    .type = sink_type,
	    .sample = sink_sample,
	    .branch = sink_branch,
	    .resolve_stacks = sink_resolve_stacks,
	    .meta = sink_meta,
	};
	return (struct sink){.ops = &ops, .profile = &samples, .self = p};
}
