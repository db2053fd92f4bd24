/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The filters of a query on labels. Samples share their label sets, and a filter depends on nothing else of a sample, so
 * it is evaluated once per set.
 */
#include "config.h"
#include "pprof/tag_filter.h"

#include "base/text/buf.h"

#include <stdlib.h>
#include <string.h>

/* ---- units of numeric labels */

static int same_key(const void *ctx, uint32_t id, const void *key)
{
	const struct pprof_label_units *u = ctx;
	return u->key[id] == *(const str_id *)key;
}

/* Return the index of a key, UINT32_MAX: no number has this key. */
static uint32_t units_index(const struct pprof_label_units *u, str_id key)
{
	return intern_find(&u->at, intern_hash_u64(key, 0), same_key, u, &key);
}

static uint32_t units_add(struct pprof_label_units *u, str_id key)
{
	size_t cap = u->cap;
	u->key = mem_grow(u->key, &u->cap, u->n + 1, sizeof *u->key);
	u->unit = mem_grow(u->unit, &cap, u->n + 1, sizeof *u->unit);
	u->key[u->n] = key;
	u->unit[u->n] = 0;
	intern_put(&u->at, intern_hash_u64(key, 0), (uint32_t)u->n);
	return (uint32_t)u->n++;
}

str_id pprof_label_unit(const struct pprof_label_units *u, str_id key)
{
	uint32_t i = units_index(u, key);
	return i == UINT32_MAX ? 0 : u->unit[i];
}

void pprof_label_units_free(struct pprof_label_units *u)
{
	mem_free(u->key);
	mem_free(u->unit);
	intern_free(&u->at);
	*u = (struct pprof_label_units){0};
}

/* A label whose unit differs from that of its key. */
struct ignored { uint32_t key; const char *unit; };

static int by_key_unit(const void *a, const void *b)
{
	const struct ignored *x = a, *y = b;
	return x->key != y->key ? (x->key < y->key ? -1 : 1) : strcmp(x->unit, y->unit);
}

static struct ignored *find_ignored(
    const struct profile *p, const struct pprof_label_units *u, const uint8_t *used, size_t *n)
{
	struct ignored *v = NULL;
	size_t cap = 0;
	*n = 0;
	for (uint32_t s = 1; s < p->nset; s++)
		for (uint32_t k = 0; used[s] && k < p->set[s].n; k++) {
			const struct profile_label *l = &p->label[p->set[s].off + k];
			if (l->str || !l->unit || l->unit == p->blank)
				continue;
			uint32_t i = units_index(u, l->key);
			if (l->unit == u->unit[i])
				continue;
			v = mem_grow(v, &cap, *n + 1, sizeof *v);
			v[(*n)++] = (struct ignored){i, profile_string(p, l->unit)};
		}
	if (*n)
		qsort(v, *n, sizeof *v, by_key_unit);
	return v;
}

static void report_ignored(const struct profile *p, const struct pprof_label_units *u, const uint8_t *used,
    profile_notice *notice, void *arg)
{
	size_t n;
	struct ignored *v = find_ignored(p, u, used, &n);
	struct buf b = {0};
	for (size_t i = 0, next; i < n; i = next) {
		buf_reset(&b);
		buf_puts(&b, v[i].unit);
		for (next = i + 1; next < n && v[next].key == v[i].key; next++)
			if (strcmp(v[next].unit, v[next - 1].unit))
				buf_printf(&b, ", %s", v[next].unit);
		notice(arg, "For tag %s used unit %s, also encountered unit(s) %s", profile_string(p, u->key[v[i].key]),
		    profile_string(p, u->unit[v[i].key]), buf_str(&b));
	}
	buf_free(&b);
	mem_free(v);
}

/* The first unit that occurs is the key's unit; a key without any unit is its own unit. */
void pprof_find_label_units(struct profile *p, struct pprof_label_units *u, profile_notice *notice, void *arg)
{
	uint8_t *used = xcalloc(p->nset, 1);
	for (size_t i = 0; i < p->nsample; i++) {
		uint32_t s = p->sample[i].labels;
		if (used[s])
			continue;
		used[s] = 1;
		for (uint32_t k = 0; k < p->set[s].n; k++) {
			const struct profile_label *l = &p->label[p->set[s].off + k];
			if (l->str)
				continue;
			uint32_t j = units_index(u, l->key);
			if (j == UINT32_MAX)
				j = units_add(u, l->key);
			if (!u->unit[j] && l->unit != p->blank)
				u->unit[j] = l->unit;
		}
	}
	if (notice)
		report_ignored(p, u, used, notice, arg);
	for (size_t i = 0; i < u->n; i++) {
		if (u->unit[i])
			continue;
		const char *key = profile_string(p, u->key[i]);
		bool bytes = !strcmp(key, "alignment") || !strcmp(key, "request");
		u->unit[i] = bytes ? profile_add_string(p, "bytes", 5) : u->key[i];
	}
	mem_free(used);
}

/* ---- evaluation */

/* Read the labels of a set into *v. Return how many there are. */
static size_t read_set(const struct profile *p, uint32_t set, const struct pprof_label_units *u, struct tag_label **v,
    size_t *cap)
{
	struct profile_run r = p->set[set];
	*v = mem_grow(*v, cap, r.n, sizeof **v);
	for (uint32_t i = 0; i < r.n; i++) {
		const struct profile_label *l = &p->label[r.off + i];
		const struct profile_text *key = &p->str[l->key], *text = l->str ? &p->str[l->str] : NULL;
		(*v)[i] = (struct tag_label){.key = {key->s, key->n}, .num = l->num,
		    .unit = text ? NULL : profile_string(p, pprof_label_unit(u, l->key))};
		if (text)
			(*v)[i].text = (struct tag_text){text->s, text->n};
	}
	return r.n;
}

static void keep_samples(
    const struct compiled_filters *fc, struct profile *p, const struct pprof_label_units *u, bool *fm, bool *im)
{
	enum { UNKNOWN, KEEP, DROP };
	const struct tag_test *focus = &fc->test[FILTER_TAGFOCUS], *ignore = &fc->test[FILTER_TAGIGNORE];
	struct tag_label *v = NULL;
	struct buf b = {0};
	size_t cap = 0;
	uint8_t *verdict = xcalloc(p->nset, 1);
	size_t kept = 0;
	for (size_t i = 0; i < p->nsample; i++) {
		uint32_t s = p->sample[i].labels;
		if (verdict[s] == UNKNOWN) {
			size_t n = read_set(p, s, u, &v, &cap);
			bool f = !focus->on || tag_test_match(focus, v, n, &b);
			bool g = ignore->on && tag_test_match(ignore, v, n, &b);
			*fm |= f;
			*im |= g;
			verdict[s] = f && !g ? KEEP : DROP;
		}
		if (verdict[s] == DROP)
			continue;
		p->sample[kept] = p->sample[i];
		memmove(profile_value(p, kept++), profile_value(p, i), p->ntype * sizeof *p->value);
	}
	p->nsample = kept;
	p->nvalue = kept * p->ntype;
	mem_free(verdict);
	mem_free(v);
	buf_free(&b);
}

static void keep_labels(const struct compiled_filters *fc, struct profile *p, bool *sm, bool *hm)
{
	const struct regex *show_rx = fc->rx[FILTER_TAGSHOW], *hide_rx = fc->rx[FILTER_TAGHIDE];
	size_t n = p->nset;
	uint32_t *to = xcalloc(n, sizeof *to);
	uint8_t *used = xcalloc(n, 1);
	for (size_t i = 0; i < p->nsample; i++)
		used[p->sample[i].labels] = 1;
	for (size_t s = 1; s < n; s++) {
		struct profile_run r = p->set[s];
		struct profile_label *left = xmalloc((r.n + 1u) * sizeof *left);
		size_t kept = 0;
		for (uint32_t k = 0; used[s] && k < r.n; k++) {
			const struct profile_label *l = &p->label[r.off + k];
			const struct profile_text *key = &p->str[l->key];
			bool show = !show_rx || regex_match(show_rx, key->s, key->n);
			bool hide = hide_rx && regex_match(hide_rx, key->s, key->n);
			*sm |= show;
			*hm |= hide;
			if (show && !hide)
				left[kept++] = *l;
		}
		to[s] = kept == r.n ? (uint32_t)s : profile_add_labels(p, left, kept);
		mem_free(left);
	}
	for (size_t i = 0; i < p->nsample; i++)
		p->sample[i].labels = to[p->sample[i].labels];
	mem_free(to);
	mem_free(used);
}

void pprof_tag_filter_note(const struct compiled_filters *fc, profile_notice *notice, void *arg)
{
	static const struct { int filter; const char *name; } tests[] = {
	    {FILTER_TAGFOCUS, "tagfocus"}, {FILTER_TAGIGNORE, "tagignore"}};
	const char *const text[] = {fc->text.tagfocus, fc->text.tagignore};
	for (int i = 0; i < 2 && notice; i++)
		if (fc->test[tests[i].filter].range) {
			const char *eq = strchr(text[i], '=');
			notice(arg, "%s:Interpreted '%s' as range, not regexp", tests[i].name, eq ? eq + 1 : text[i]);
		}
}

void pprof_tag_filter_apply(const struct compiled_filters *fc, struct profile *p, const struct pprof_label_units *u,
    profile_notice *notice, void *arg)
{
	bool fm = false, im = false, sm = false, hm = false;
	bool focus = fc->test[FILTER_TAGFOCUS].on, ignore = fc->test[FILTER_TAGIGNORE].on;
	bool show = fc->rx[FILTER_TAGSHOW], hide = fc->rx[FILTER_TAGHIDE];
	if (focus || ignore)
		keep_samples(fc, p, u, &fm, &im);
	if (show || hide)
		keep_labels(fc, p, &sm, &hm);
	const struct {
		bool on, matched;
		const char *name;
	} say[] = {
	    {focus, fm, "TagFocus"},
	    {ignore, im, "TagIgnore"},
	    {show, sm, "TagShow"},
	    {hide, hm, "TagHide"},
	};
	for (size_t i = 0; i < 4 && notice; i++)
		if (say[i].on && !say[i].matched)
			notice(arg, "%s expression matched no samples", say[i].name);
}
