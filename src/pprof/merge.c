/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Merges several profiles. First their sample types are reduced to the common ones and to the finest unit. Then each
 * sample is mapped into the new profile, which numbers mappings, functions and locations in the order in which it meets
 * them, so the order of the samples determines the order of everything in the result. Which mappings, functions and
 * locations are equal is pprof's rule, including its special cases: of a location only the last line's column is
 * compared, and a mapping is identified by its size in pages.
 *
 * Each profile is freed as soon as it has been merged.
 */
#include "config.h"
#include "pprof/profile.h"

#include "base/text/pprof_units.h"

#include <math.h>
#include <string.h>

struct profile_merger {
	struct profile *to;
	const struct profile *from;
	struct intern maps, funs, locs, pairs;
	map_id *map;	/* map, fun, loc, str: by index in `from`: the id in `to`, 0: not mapped yet */
	int64_t *shift; /* by mapping: the difference of its addresses in `to` */
	fun_id *fun;
	loc_id *loc;
	str_id *str;
	uint32_t *node;	/* by node in `from`: the node in `to`, 0: not mapped yet */
	uint32_t *up;	/* scratch for nodes */
	struct profile_label *labels;	/* scratch for a set */
	size_t cup, clabels;
};

/* ---- making profiles comparable */

/* The sample types of a profile by name: the first one of each name. */
struct type_index {
	struct intern names;
	const struct profile *p;
};

static int same_name(const void *ctx, uint32_t i, const void *name)
{
	const struct profile *p = ctx;
	return !strcmp(profile_string(p, p->type[i].type), name);
}

/* Return the index of the first type with the name, UINT32_MAX if there is none. */
static uint32_t type_index_find(const struct type_index *t, const char *name)
{
	return intern_find(&t->names, intern_hash_bytes(name, strlen(name), 0), same_name, t->p, name);
}

static struct type_index type_index_of(const struct profile *p)
{
	struct type_index t = {.p = p};
	for (size_t i = 0; i < p->ntype; i++) {
		const char *s = profile_string(p, p->type[i].type);
		if (type_index_find(&t, s) == UINT32_MAX)
			intern_put(&t.names, intern_hash_bytes(s, strlen(s), 0), (uint32_t)i);
	}
	return t;
}

/* Keep the named types, in this order; all of them must exist. */
static void keep_types(struct profile *p, const char *const *name, size_t n)
{
	bool change = n != p->ntype, has_default = false;
	size_t *from = xmalloc(n * sizeof *from);
	struct type_index index = type_index_of(p);
	for (size_t i = 0; i < n; i++) {
		from[i] = type_index_find(&index, name[i]);
		change |= from[i] != i;
		has_default |= !strcmp(name[i], profile_string(p, p->meta.default_type));
	}
	intern_free(&index.names);
	if (change) {
		struct profile_type *t = xmalloc(n * sizeof *t);
		int64_t *v = xmalloc(n * sizeof *v), *to = p->value;
		for (size_t i = 0; i < p->nsample; i++, to += n) {
			for (size_t k = 0; k < n; k++)
				v[k] = p->value[i * p->ntype + from[k]];
			memcpy(to, v, n * sizeof *v);
		}
		for (size_t k = 0; k < n; k++)
			t[k] = p->type[from[k]];
		memcpy(p->type, t, n * sizeof *t);
		p->ntype = n;
		p->nvalue = n * p->nsample;
		if (!has_default)
			p->meta.default_type = profile_add_string(p, name[0], strlen(name[0]));
		mem_free(t);
		mem_free(v);
	}
	mem_free(from);
}

/* How often the name of a type of the first profile occurs in all profiles, and in how many of them. */
struct type_count { size_t types, profiles, last; };

/* Count the names of all profiles, by index of the first type with that name in p[0]. */
static struct type_count *count_types(struct profile *const *p, size_t n, const struct type_index *index)
{
	struct type_count *c = xcalloc(p[0]->ntype + 1, sizeof *c);
	for (size_t k = 0; k < n; k++)
		for (size_t j = 0; j < p[k]->ntype; j++) {
			uint32_t i = type_index_find(index, profile_string(p[k], p[k]->type[j].type));
			if (i == UINT32_MAX)
				continue;
			c[i].types++;
			c[i].profiles += c[i].last != k + 1;
			c[i].last = k + 1;
		}
	return c;
}

/* Reduce all profiles to the types of the first one whose names occur n times in the n profiles. As in pprof, a type
   that occurs twice in one profile makes up for a profile that lacks it; so it is checked afterwards that all profiles
   have it. */
static int common_types(struct profile *const *p, size_t n, struct err *e)
{
	int r = 0;
	const char **name = xmalloc((p[0]->ntype + 1) * sizeof *name);
	struct type_index index = type_index_of(p[0]);
	struct type_count *count = count_types(p, n, &index);
	size_t found = 0;
	for (size_t i = 0; i < p[0]->ntype && !r; i++) {
		const char *s = profile_string(p[0], p[0]->type[i].type);
		const struct type_count *c = &count[type_index_find(&index, s)];
		if (c->types != n)
			continue;
		name[found++] = s;
		if (c->profiles != n)
			r = err_set(e, ERR_FORMAT, ERR_NOWHERE, "not all profiles have the sample type \"%s\"", s);
	}
	if (!found)
		r = err_set(e, ERR_FORMAT, ERR_NOWHERE, "the profiles have no sample type in common");
	intern_free(&index.names);
	mem_free(count);
	for (size_t k = 0; k < n && !r; k++)
		keep_types(p[k], name, found);
	mem_free(name);
	return r;
}

struct vtype {
	const char *type, *unit;
};

static size_t type_stem(const char *s)
{
	size_t n = strlen(s);
	return n && s[n - 1] == 's' ? n - 1 : n;
}

/* Set *best to the finest of n types. -1: they are not comparable. */
static int finest_type(const struct vtype *t, size_t n, struct vtype *best, struct err *e)
{
	*best = t[0];
	for (size_t i = 1; i < n; i++) {
		size_t a = type_stem(best->type), b = type_stem(t[i].type);
		if (a != b || memcmp(best->type, t[i].type, a) ||
		    !pprof_units_compatible(best->unit, t[i].unit))
			return err_set(e, ERR_FORMAT, ERR_NOWHERE,
			    "incompatible types: %s/%s and %s/%s", best->type, best->unit,
			    t[i].type, t[i].unit);
		if (pprof_units_scale(1, t[i].unit, best->unit, NULL) < 1)
			*best = t[i];
	}
	return 0;
}

static void scale_to(struct profile *p, const struct vtype *best, const struct vtype *period)
{
	double *ratio = xmalloc((p->ntype + 1) * sizeof *ratio);
	p->meta.period = pprof_units_to_i64(
	    pprof_units_scale(p->meta.period, profile_string(p, p->meta.period_unit), period->unit, NULL));
	p->meta.period_unit = profile_add_string(p, period->unit, strlen(period->unit));
	for (size_t i = 0; i < p->ntype; i++) {
		ratio[i] = pprof_units_scale(1, profile_string(p, p->type[i].unit), best[i].unit, NULL);
		p->type[i].unit = profile_add_string(p, best[i].unit, strlen(best[i].unit));
	}
	pprof_scale(p, ratio);
	mem_free(ratio);
}

static int common_units(struct profile *const *p, size_t n, struct err *e)
{
	size_t ntype = p[0]->ntype;
	struct vtype *t = xmalloc(n * sizeof *t), *best = xmalloc((ntype + 1) * sizeof *best),
		     period;
	for (size_t k = 0; k < n; k++)
		t[k] = (struct vtype){
		    profile_string(p[k], p[k]->meta.period_type), profile_string(p[k], p[k]->meta.period_unit)};
	int r = finest_type(t, n, &period, e);
	for (size_t i = 0; i < ntype && !r; i++) {
		for (size_t k = 0; k < n; k++)
			t[k] = (struct vtype){
			    profile_string(p[k], p[k]->type[i].type), profile_string(p[k], p[k]->type[i].unit)};
		r = finest_type(t, n, &best[i], e);
	}
	for (size_t k = 0; k < n && !r; k++)
		scale_to(p[k], best, &period);
	mem_free(t);
	mem_free(best);
	return r;
}

void pprof_scale(struct profile *p, const double *ratio)
{
	bool ones = true;
	size_t kept = 0;
	for (size_t k = 0; k < p->ntype; k++)
		ones &= ratio[k] == 1;
	if (ones)
		return;
	for (size_t i = 0; i < p->nsample; i++) {
		int64_t *v = profile_value(p, i);
		bool keep = false;
		for (size_t k = 0; k < p->ntype; k++)
			if (ratio[k] != 1) {
				v[k] = pprof_units_to_i64(round((double)v[k] * ratio[k]));
				keep |= v[k] != 0;
			}
		if (!keep)
			continue;
		memmove(profile_value(p, kept), v, p->ntype * sizeof *v);
		p->sample[kept++] = p->sample[i];
	}
	p->nsample = kept;
	p->nvalue = kept * p->ntype;
}

void pprof_mark_base(struct profile *p)
{
	size_t nset = p->nset;
	uint32_t *to = xmalloc(nset * sizeof *to);
	struct profile_label base = {
	    profile_add_string(p, PROFILE_BASE_KEY, strlen(PROFILE_BASE_KEY)), profile_add_string(p, "true", 4), 0, 0};
	for (size_t i = 0; i < nset; i++) {
		struct profile_run r = p->set[i];
		struct profile_label *l = xmalloc((r.n + 1u) * sizeof *l);
		size_t n = 0;
		for (uint32_t k = 0; k < r.n; k++)
			if (p->label[r.off + k].key != base.key || !p->label[r.off + k].str)
				l[n++] = p->label[r.off + k];
		l[n++] = base;
		to[i] = profile_add_labels(p, l, n);
		mem_free(l);
	}
	for (size_t i = 0; i < p->nsample; i++)
		p->sample[i].labels = to[p->sample[i].labels];
	mem_free(to);
}

/* ---- merging */

static str_id map_str(struct profile_merger *m, str_id s)
{
	if (s && !m->str[s])
		m->str[s] = profile_add_string(m->to, m->from->str[s].s, m->from->str[s].n);
	return m->str[s];
}

static uint64_t page_bytes(const struct profile_mapping *m)
{
	uint64_t n = m->limit - m->start + 0xfff;
	return n - n % 0x1000;
}

static str_id map_name(const struct profile_mapping *m)
{
	return m->build ? m->build : m->file;
}

static int same_map(const void *ctx, uint32_t id, const void *key)
{
	const struct profile_mapping *a = &((const struct profile *)ctx)->map[id], *b = key;
	return page_bytes(a) == page_bytes(b) && a->offset == b->offset && map_name(a) == map_name(b);
}

static map_id merge_map(struct profile_merger *m, map_id i)
{
	if (!i || m->map[i])
		return m->map[i];
	struct profile_mapping x = m->from->map[i];
	x.file = map_str(m, x.file);
	x.build = map_str(m, x.build);
	uint32_t h = intern_hash_u64(intern_hash_u64(page_bytes(&x), x.offset), map_name(&x));
	uint32_t id = intern_find(&m->maps, h, same_map, m->to, &x);
	if (id == UINT32_MAX) {
		x.id = m->to->nmap;
		id = profile_add_mapping(m->to, &x);
		intern_put(&m->maps, h, id);
	}
	m->shift[i] = (int64_t)(m->to->map[id].start - x.start);
	return m->map[i] = id;
}

static int same_fun(const void *ctx, uint32_t id, const void *key)
{
	const struct profile_function *a = &((const struct profile *)ctx)->fun[id], *b = key;
	return a->line == b->line && a->name == b->name && a->sysname == b->sysname &&
	       a->file == b->file;
}

static fun_id merge_fun(struct profile_merger *m, fun_id i)
{
	if (!i || m->fun[i])
		return m->fun[i];
	struct profile_function x = m->from->fun[i];
	x.name = map_str(m, x.name);
	x.sysname = map_str(m, x.sysname);
	x.file = map_str(m, x.file);
	uint32_t h =
	    intern_hash_u64((uint64_t)x.name << 32 | x.sysname, intern_hash_u64((uint64_t)x.line, x.file));
	uint32_t id = intern_find(&m->funs, h, same_fun, m->to, &x);
	if (id == UINT32_MAX) {
		x.id = m->to->nfun;
		id = profile_add_function(m->to, &x);
		intern_put(&m->funs, h, id);
	}
	return m->fun[i] = id;
}

/* Return the address relative to the start of its mapping. */
static uint64_t relative_address(const struct profile *p, const struct profile_location *l)
{
	return l->addr - p->map[l->map].start;
}

static int same_loc(const void *ctx, uint32_t id, const void *key)
{
	const struct profile *p = ctx;
	const struct profile_location *a = &p->loc[id], *b = key;
	if (a->map != b->map || relative_address(p, a) != relative_address(p, b) || a->folded != b->folded ||
	    a->nline != b->nline)
		return 0;
	for (uint32_t i = 0; i < a->nline; i++) {
		const struct profile_line *x = &p->line[a->line + i], *y = &p->line[b->line + i];
		if (x->fun != y->fun || x->line != y->line || (i + 1 == a->nline && x->col != y->col))
			return 0;
	}
	return 1;
}

static loc_id merge_loc(struct profile_merger *m, loc_id i)
{
	if (!i || m->loc[i])
		return m->loc[i];
	struct profile_location x = m->from->loc[i];
	uint32_t from = x.line;
	map_id was = x.map;
	x.map = merge_map(m, was);
	x.addr += (uint64_t)m->shift[was];
	x.line = (uint32_t)m->to->nline;
	uint32_t h = intern_hash_u64(relative_address(m->to, &x), (uint64_t)x.map << 32 | x.nline);
	for (uint32_t k = 0; k < x.nline; k++) {
		struct profile_line l = m->from->line[from + k];
		l.fun = merge_fun(m, l.fun);
		profile_add_line(m->to, &l);
		h = intern_hash_u64(h, (uint64_t)l.line << 32 ^ l.fun);
	}
	uint32_t id = intern_find(&m->locs, h, same_loc, m->to, &x);
	if (id != UINT32_MAX) {
		m->to->nline = x.line;
		return m->loc[i] = id;
	}
	x.id = m->to->nloc;
	id = profile_add_location(m->to, &x);
	intern_put(&m->locs, h, id);
	return m->loc[i] = id;
}

static bool all_zero(const int64_t *v, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (v[k])
			return false;
	return true;
}

static int same_pair(const void *ctx, uint32_t id, const void *key)
{
	const struct profile_sample *a = &((const struct profile *)ctx)->sample[id], *b = key;
	return a->stack == b->stack && a->labels == b->labels;
}

/* Locations are numbered from the leaf. Those of a mapped node and its callers have numbers already. */
static uint32_t merge_stack(struct profile_merger *m, uint32_t node)
{
	const struct stack_node *from = m->from->tree.node;
	size_t n = 0;
	for (; node && !m->node[node]; node = from[node].caller) {
		merge_loc(m, from[node].frame);
		m->up = mem_grow(m->up, &m->cup, n + 1, sizeof *m->up);
		m->up[n++] = node;
	}
	uint32_t at = m->node[node];
	while (n--) {
		node = m->up[n];
		at = m->node[node] = stack_tree_child(&m->to->tree, at, m->loc[from[node].frame]);
	}
	return profile_stack_of_node(m->to, at);
}

static uint32_t merge_set(struct profile_merger *m, struct profile_run r)
{
	const struct profile *f = m->from;
	struct profile_label *x = m->labels = mem_grow(m->labels, &m->clabels, r.n, sizeof *x);
	for (uint32_t k = 0; k < r.n; k++) {
		const struct profile_label *o = &f->label[r.off + k];
		x[k] = (struct profile_label){map_str(m, o->key), map_str(m, o->str), o->num, map_str(m, o->unit)};
		if (o->str && o->str == f->blank)
			x[k].str = profile_blank(m->to);
		if (o->unit && o->unit == f->blank)
			x[k].unit = profile_blank(m->to);
	}
	return profile_add_labels(m->to, x, r.n);
}

static void merge_samples(struct profile_merger *m)
{
	const struct profile *f = m->from;
	uint32_t *stack = xcalloc(f->nstack, sizeof *stack), *set = xcalloc(f->nset, sizeof *set);
	for (size_t i = 0; i < f->nsample && profile_should_continue(m->to, i, f->nsample); i++) {
		struct profile_sample s = f->sample[i];
		const int64_t *v = profile_value(f, i);
		if (all_zero(v, f->ntype))
			continue;
		if (s.stack && !stack[s.stack])
			stack[s.stack] = merge_stack(m, f->stack[s.stack]);
		if (s.labels && !set[s.labels])
			set[s.labels] = merge_set(m, f->set[s.labels]);
		s = (struct profile_sample){stack[s.stack], set[s.labels]};
		uint32_t h = intern_hash_u64(s.stack, s.labels),
			 id = intern_find(&m->pairs, h, same_pair, m->to, &s);
		if (id == UINT32_MAX) {
			intern_put(&m->pairs, h, (uint32_t)m->to->nsample);
			profile_add_sample(m->to, s.stack, s.labels, v);
		} else {
			for (size_t k = 0; k < f->ntype; k++)
				profile_sum(profile_value(m->to, id) + k, v[k]);
		}
	}
	mem_free(stack);
	mem_free(set);
}

static void merge_one(struct profile_merger *m, const struct profile *from)
{
	m->from = from;
	m->map = xcalloc(from->nmap, sizeof *m->map);
	m->shift = xcalloc(from->nmap, sizeof *m->shift);
	m->fun = xcalloc(from->nfun, sizeof *m->fun);
	m->loc = xcalloc(from->nloc, sizeof *m->loc);
	m->str = xcalloc(from->nstr, sizeof *m->str);
	m->node = xcalloc(from->tree.n, sizeof *m->node);
	if (m->to->nmap == 1 && from->nmap > 1)
		merge_map(m, 1); /* map the first mapping first, because it is the program itself */
	merge_samples(m);
	void *all[] = {m->map, m->shift, m->fun, m->loc, m->str, m->node};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		mem_free(all[i]);
}

static str_id copy_str(struct profile *to, const struct profile *from, str_id s)
{
	return profile_add_string(to, from->str[s].s, from->str[s].n);
}

static void merge_headers(struct profile *to, struct profile *const *p, size_t n)
{
	const struct profile *a = p[0];
	to->type = mem_grow(to->type, &to->cap.type, a->ntype, sizeof *to->type);
	for (; to->ntype < a->ntype; to->ntype++)
		to->type[to->ntype] = (struct profile_type){copy_str(to, a, a->type[to->ntype].type),
		    copy_str(to, a, a->type[to->ntype].unit)};
	to->meta.drop_frames = copy_str(to, a, a->meta.drop_frames);
	to->meta.keep_frames = copy_str(to, a, a->meta.keep_frames);
	to->meta.period_type = copy_str(to, a, a->meta.period_type);
	to->meta.period_unit = copy_str(to, a, a->meta.period_unit);
	for (size_t i = 0; i < n; i++) {
		const struct profile *s = p[i];
		to->commented |= s->commented;
		to->meta.estimated |= s->meta.estimated;
		to->meta.estimated_values |= s->meta.estimated_values;
		if (!to->meta.time || s->meta.time < to->meta.time)
			to->meta.time = s->meta.time;
		profile_sum(&to->meta.duration, s->meta.duration);
		if (!to->meta.period || to->meta.period < s->meta.period)
			to->meta.period = s->meta.period;
		if (!to->meta.tag_root)
			to->meta.tag_root = copy_str(to, s, s->meta.tag_root);
		if (!to->meta.default_type)
			to->meta.default_type = copy_str(to, s, s->meta.default_type);
		if (!to->meta.doc_url)
			to->meta.doc_url = copy_str(to, s, s->meta.doc_url);
	}
}

/* Each comment is kept once, at its first place. */
static void merge_comments(struct profile *to, struct profile *const *p, size_t n)
{
	size_t strings = to->nstr;
	for (size_t i = 0; i < n; i++)
		strings += p[i]->meta.ncomment;
	uint8_t *seen = xcalloc(strings, sizeof *seen);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < p[i]->meta.ncomment; k++) {
			str_id c = copy_str(to, p[i], p[i]->meta.comment[k]);
			if (!seen[c])
				profile_add_comment(to, c);
			seen[c] = 1;
		}
	mem_free(seen);
}

static struct profile *merge_all(struct profile **p, size_t n)
{
	struct profile_merger m = {.to = profile_new()};
	m.to->progress.go = p[0]->progress.go;
	m.to->progress.arg = p[0]->progress.arg;
	merge_headers(m.to, p, n);
	merge_comments(m.to, p, n);
	for (size_t i = 0; i < n; i++) {
		merge_one(&m, p[i]);
		profile_free(p[i]);
		p[i] = NULL;
	}
	profile_sort_nodes(m.to);
	mem_free(m.up);
	mem_free(m.labels);
	intern_free(&m.maps);
	intern_free(&m.funs);
	intern_free(&m.locs);
	intern_free(&m.pairs);
	for (size_t i = 0; i < m.to->nsample; i++)
		if (all_zero(profile_value(m.to, i), m.to->ntype)) /* merge again, without what only zero samples
								      used */
			return merge_all(&m.to, 1);
	return m.to;
}

/* Check what pprof requires of profiles before it merges them: literally equal types. */
static int check_comparable(const struct profile *a, const struct profile *b, struct err *e)
{
	bool ok = a->ntype == b->ntype &&
		  !strcmp(profile_string(a, a->meta.period_type), profile_string(b, b->meta.period_type)) &&
		  !strcmp(profile_string(a, a->meta.period_unit), profile_string(b, b->meta.period_unit));
	for (size_t i = 0; ok && i < a->ntype; i++)
		ok = !strcmp(profile_string(a, a->type[i].type), profile_string(b, b->type[i].type)) &&
		     !strcmp(profile_string(a, a->type[i].unit), profile_string(b, b->type[i].unit));
	return ok ? 0
		  : err_set(e, ERR_FORMAT, ERR_NOWHERE,
			"the profiles have incompatible sample or period types");
}

int pprof_merge(struct profile **p, size_t n, struct profile **out, struct err *e)
{
	if (common_types(p, n, e) || (n > 1 && common_units(p, n, e)))
		return -1;
	for (size_t i = 1; i < n; i++)
		if (check_comparable(p[0], p[i], e))
			return -1;
	*out = n == 1 ? p[0] : merge_all(p, n);
	p[0] = NULL;
	return 0;
}

int pprof_normalize(struct profile *p, const struct profile *base, struct err *e)
{
	if (check_comparable(p, base, e))
		return -1;
	int64_t *sum = xcalloc(p->ntype + 1, sizeof *sum), *of = xcalloc(p->ntype + 1, sizeof *of);
	double *ratio = xmalloc((p->ntype + 1) * sizeof *ratio);
	for (size_t i = 0; i < p->nvalue; i++)
		profile_sum(&sum[i % p->ntype], p->value[i]);
	for (size_t i = 0; i < base->nvalue; i++)
		profile_sum(&of[i % p->ntype], base->value[i]);
	for (size_t k = 0; k < p->ntype; k++)
		ratio[k] = sum[k] ? (double)of[k] / (double)sum[k] : 0;
	pprof_scale(p, ratio);
	mem_free(sum);
	mem_free(of);
	mem_free(ratio);
	return 0;
}
