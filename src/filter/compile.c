/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Compiles pprof's filters. A test of tags is either a range of numbers with units ("32kb", ":64kb", "1mb:2gb") or a
 * list of regular expressions; its form decides which, so "2" is a number.
 */
#include "config.h"
#include "filter/compile.h"

#include "base/mem/mem.h"
#include "base/text/pprof_units.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum filter_kind { RX, TEST, KEYS };
static const struct { const char *name; enum filter_kind kind; size_t at; } rows[FILTER__N] = {
#define FILTER(name, ID, KIND) {#name, KIND, offsetof(struct filters, name)},
#include "filter/filters.def"
#undef FILTER
};

static const char **text_of(struct filters *f, int i)
{
	return (const char **)(void *)((char *)f + rows[i].at);
}

/* ---- tests of tags */

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
static int parse_range(const char *s, struct tag_test *t)
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

static int compile_list(struct tag_test *t, const char *option, const char *s, struct err *e)
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

/* text: owned by the compiled filters, as the key is part of it. */
static int compile_test(struct tag_test *t, const char *option, const char *text, struct err *e)
{
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
	return r ? 0 : compile_list(t, option, text, e);
}

static bool has_key(const struct tag_test *t, const struct tag_label *l)
{
	return !t->key || (l->key.n == t->nkey && !memcmp(l->key.s, t->key, t->nkey));
}

static bool in_range(const struct tag_test *t, const struct tag_label *l)
{
	const char *unit;
	double v = pprof_units_scale(l->num, l->unit, t->unit, &unit);
	return !strcmp(unit, t->unit) && v >= t->lo && v <= t->hi;
}

/* Match one expression against "key:value", or against the value if the filter has a key. */
static bool rx_hits(const struct tag_test *t, const struct regex *rx, const struct tag_label *l, struct buf *b)
{
	buf_reset(b);
	if (!t->key) {
		buf_put(b, l->key.s, l->key.n);
		buf_putc(b, ':');
	}
	buf_put(b, l->text.s, l->text.n);
	return regex_match(rx, buf_str(b), b->n);
}

/* rx NULL: test the range of numbers. */
static bool any_label(
    const struct tag_test *t, const struct regex *rx, const struct tag_label *l, size_t n, struct buf *b)
{
	for (size_t i = 0; i < n; i++)
		if (!l[i].text.s == !rx && has_key(t, &l[i]) && (rx ? rx_hits(t, rx, &l[i], b) : in_range(t, &l[i])))
			return true;
	return false;
}

bool tag_test_match(const struct tag_test *t, const struct tag_label *l, size_t n, struct buf *b)
{
	if (t->range)
		return any_label(t, NULL, l, n, b);
	/* without a key all expressions must match some label, with a key any of them */
	for (size_t i = 0; i < t->nrx; i++)
		if (any_label(t, t->rx[i], l, n, b) == (t->key != NULL))
			return t->key != NULL;
	return t->key == NULL;
}

/* ---- all filters */

static int compile_one(struct compiled_filters *fc, int i, const char *text, struct err *e)
{
	struct err why = {0};
	switch (rows[i].kind) {
	case TEST: return compile_test(&fc->test[i], rows[i].name, text, e);
	case KEYS: return 0;
	case RX: break;
	}
	fc->rx[i] = regex_new(text, &why);
	return fc->rx[i] ? 0 : err_set(e, ERR_USAGE, ERR_NOWHERE, "parsing %s regexp: %s", rows[i].name, why.msg);
}

struct compiled_filters *filter_compile(const struct filters *f, struct err *e)
{
	struct compiled_filters *fc = xcalloc(1, sizeof *fc);
	struct filters from = *f;
	atomic_init(&fc->refs, 1);
	for (int i = 0; i < FILTER__N; i++) {
		const char *s = *text_of(&from, i);
		const char *own = s && *s ? xstrdup(s) : NULL;
		*text_of(&fc->text, i) = own;
		if (own && compile_one(fc, i, own, e)) {
			filter_free(fc);
			return NULL;
		}
	}
	return fc;
}

struct compiled_filters *filter_ref(struct compiled_filters *fc)
{
	atomic_fetch_add_explicit(&fc->refs, 1, memory_order_relaxed);
	return fc;
}

void filter_free(struct compiled_filters *fc)
{
	if (!fc || atomic_fetch_sub_explicit(&fc->refs, 1, memory_order_acq_rel) > 1)
		return;
	for (int i = 0; i < FILTER__N; i++) {
		struct tag_test *t = &fc->test[i];
		regex_free(fc->rx[i]);
		for (size_t k = 0; k < t->nrx; k++)
			regex_free(t->rx[k]);
		mem_free(t->rx);
		mem_free(t->unit);
		mem_free((void *)(uintptr_t)*text_of(&fc->text, i));
	}
	mem_free(fc);
}
