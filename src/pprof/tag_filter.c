/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The filters of a query on labels. A filter is either a range of numbers with units ("32kb", ":64kb", "1mb:2gb") or a
 * list of regular expressions; its form decides which, so "2" is a number. Samples share their label sets, and a filter
 * depends on nothing else of a sample, so it is evaluated once per set.
 */
#include "config.h"
#include "filter/names.h"

#include "base/text/buf.h"
#include "base/text/pprof_units.h"

#include <errno.h>
#include <math.h>
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

/* ---- compiling a filter */

struct tag_number {
	const char *at, *end;
	int64_t v;
	char *unit;
};

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Find the next [+-]digits[letters] in s. Return 1 if there is one, 0 if not, -1 if it is too large. */
static int next_number(const char *s, struct tag_number *n)
{
	for (; *s; s++) {
		const char *d = s + (*s == '+' || *s == '-');
		if (*d < '0' || *d > '9')
			continue;
		char *end;
		errno = 0;
		n->at = s;
		n->v = strtoll(s, &end, 10);
		if (errno)
			return -1;
		const char *u = end;
		while (is_alpha(*end))
			end++;
		n->end = end;
		n->unit = xcalloc((size_t)(end - u) + 1, 1);
		memcpy(n->unit, u, (size_t)(end - u));
		return 1;
	}
	return 0;
}

/* Return 1 if s is a range, 0 if not, -1 if a number in it is too large. */
static int parse_range(const char *s, struct pprof_tag_test *t)
{
	struct tag_number a = {0}, b = {0};
	int r = next_number(s, &a), r2 = r > 0 ? next_number(a.end, &b) : 0;
	const char *unit = "", *unit2 = "";
	if (r <= 0 || r2 < 0) {
		mem_free(a.unit);
		return r < 0 || r2 < 0 ? -1 : 0;
	}
	double lo = pprof_units_scale(a.v, a.unit, a.unit, &unit);
	t->unit = xstrdup(unit);
	t->lo = -INFINITY;
	t->hi = INFINITY;
	if (r2) {
		double hi = pprof_units_scale(b.v, b.unit, t->unit, &unit2);
		t->range = a.at == s && *a.end == ':' && b.at == a.end + 1 && !*b.end &&
			   !strcmp(t->unit, unit2);
		t->lo = lo;
		t->hi = hi;
	} else if (a.at == s && !*a.end) {
		t->range = true;
		t->lo = t->hi = lo;
	} else if (a.at == s && !strcmp(a.end, ":")) {
		t->range = true;
		t->lo = lo;
	} else if (*s == ':' && a.at == s + 1 && !*a.end) {
		t->range = true;
		t->hi = lo;
	}
	mem_free(a.unit);
	mem_free(b.unit);
	return t->range;
}

static int compile_list(struct pprof_tag_test *t, const char *option, const char *s, struct err *e)
{
	size_t cap = 0;
	for (;;) {
		size_t n = strcspn(s, ",");
		struct arena a = {0};
		struct err why = {0};
		t->rx = mem_grow(t->rx, &cap, t->nrx + 1, sizeof *t->rx);
		t->rx[t->nrx] = regex_new(arena_strndup(&a, s, n), &why);
		arena_free(&a);
		if (!t->rx[t->nrx])
			return err_set(
			    e, ERR_USAGE, ERR_NOWHERE, "parsing %s regexp: %s", option, why.msg);
		t->nrx++;
		if (!s[n])
			return 0;
		s += n + 1;
	}
}

static int compile_test(struct pprof_tag_test *t, const char *option, const char *text,
    profile_notice *notice, void *arg, struct err *e)
{
	if (!text || !*text)
		return 0;
	const char *eq = strchr(text, '=');
	t->on = true;
	if (eq && eq > text) {
		t->key = text;
		t->nkey = (size_t)(eq - text);
	}
	if (eq)
		text = eq + 1;
	int r = parse_range(text, t);
	if (r < 0)
		return err_set(
		    e, ERR_USAGE, ERR_NOWHERE, "%s: a number in '%s' is too large", option, text);
	if (r && notice)
		notice(arg, "%s:Interpreted '%s' as range, not regexp", option, text);
	return r ? 0 : compile_list(t, option, text, e);
}

int pprof_tag_filter_compile(struct pprof_tag_filter *t, const struct pprof_filters *f, const struct profile *p,
    const struct pprof_label_units *u, profile_notice *notice, void *arg, struct err *e)
{
	(void)p;
	t->units = u;
	if (compile_test(&t->focus, "tagfocus", f->tagfocus, notice, arg, e) ||
	    compile_test(&t->ignore, "tagignore", f->tagignore, notice, arg, e) ||
	    pprof_compile_option(&t->show, "tagshow", f->tagshow, e) ||
	    pprof_compile_option(&t->hide, "taghide", f->taghide, e))
		return -1;
	return 0;
}

static void free_test(struct pprof_tag_test *t)
{
	for (size_t i = 0; i < t->nrx; i++)
		regex_free(t->rx[i]);
	mem_free(t->rx);
	mem_free(t->unit);
}

void pprof_tag_filter_free(struct pprof_tag_filter *t)
{
	free_test(&t->focus);
	free_test(&t->ignore);
	regex_free(t->show);
	regex_free(t->hide);
	*t = (struct pprof_tag_filter){0};
}

/* ---- evaluation */

static bool has_key(const struct pprof_tag_test *t, const struct profile *p, const struct profile_label *l)
{
	return !t->key ||
	       (p->str[l->key].n == t->nkey && !memcmp(p->str[l->key].s, t->key, t->nkey));
}

static bool in_range(const struct pprof_tag_test *t, const struct profile *p,
    const struct profile_label *l, const struct pprof_label_units *u)
{
	const char *unit;
	double v = pprof_units_scale(l->num, profile_string(p, pprof_label_unit(u, l->key)), t->unit, &unit);
	return !strcmp(unit, t->unit) && v >= t->lo && v <= t->hi;
}

/* Match one expression against the string labels of a set: against "key:value", or against the value if the filter has
   a key. */
static bool rx_hits(
    const struct pprof_tag_test *t, const struct regex *rx, const struct profile *p, struct profile_run r)
{
	bool hit = false;
	struct buf b = {0};
	for (uint32_t i = 0; i < r.n && !hit; i++) {
		const struct profile_label *l = &p->label[r.off + i];
		if (!l->str || !has_key(t, p, l))
			continue;
		buf_reset(&b);
		if (!t->key) {
			buf_put(&b, p->str[l->key].s, p->str[l->key].n);
			buf_putc(&b, ':');
		}
		buf_put(&b, p->str[l->str].s, p->str[l->str].n);
		hit = regex_match(rx, buf_str(&b), b.n);
	}
	buf_free(&b);
	return hit;
}

static bool test_set(const struct pprof_tag_test *t, const struct profile *p, struct profile_run r,
    const struct pprof_label_units *u)
{
	if (t->range) {
		for (uint32_t i = 0; i < r.n; i++) {
			const struct profile_label *l = &p->label[r.off + i];
			if (!l->str && has_key(t, p, l) && in_range(t, p, l, u))
				return true;
		}
		return false;
	}
	/* without a key all expressions must match some label, with a key any of them */
	for (size_t i = 0; i < t->nrx; i++)
		if (rx_hits(t, t->rx[i], p, r) == (t->key != NULL))
			return t->key != NULL;
	return t->key == NULL;
}

static void keep_samples(struct pprof_tag_filter *t, struct profile *p, bool *fm, bool *im)
{
	enum { UNKNOWN, KEEP, DROP };
	uint8_t *verdict = xcalloc(p->nset, 1);
	size_t kept = 0;
	for (size_t i = 0; i < p->nsample; i++) {
		uint32_t s = p->sample[i].labels;
		if (verdict[s] == UNKNOWN) {
			bool f = !t->focus.on || test_set(&t->focus, p, p->set[s], t->units);
			bool g = t->ignore.on && test_set(&t->ignore, p, p->set[s], t->units);
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
}

static void keep_labels(struct pprof_tag_filter *t, struct profile *p, bool *sm, bool *hm)
{
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
			bool show = !t->show || regex_match(t->show, key->s, key->n);
			bool hide = t->hide && regex_match(t->hide, key->s, key->n);
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

void pprof_tag_filter_apply(struct pprof_tag_filter *t, struct profile *p, profile_notice *notice, void *arg)
{
	bool fm = false, im = false, sm = false, hm = false;
	if (t->focus.on || t->ignore.on)
		keep_samples(t, p, &fm, &im);
	if (t->show || t->hide)
		keep_labels(t, p, &sm, &hm);
	const struct {
		bool on, matched;
		const char *name;
	} say[] = {
	    {t->focus.on, fm, "TagFocus"},
	    {t->ignore.on, im, "TagIgnore"},
	    {t->show != NULL, sm, "TagShow"},
	    {t->hide != NULL, hm, "TagHide"},
	};
	for (size_t i = 0; i < 4 && notice; i++)
		if (say[i].on && !say[i].matched)
			notice(arg, "%s expression matched no samples", say[i].name);
}
