/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The text kinds of old profiles: gperftools' heap, growth and fragmentation profiles, Go's pages
 * with debug=1, contention and thread profiles. Each has a heading, lines of numbers and addresses,
 * and perhaps a memory map. Addresses are return addresses, so all but the leaf of an interrupted
 * thread are reduced by one, into the call. A parser that finds its heading and then invalid lines
 * refuses the file, but some return LEGACY_OTHER late so that others are tried, as in pprof. The
 * names in the comments of Go's pages are read by legacy_names.c.
 */
#include "config.h"
#include "load/pprof/legacy.h"

#include "base/text/pprof_units.h"
#include "base/wrap_math.h"

#include <math.h>
#include <string.h>

/* Append every 0x... of t as a frame to the last sample. Returns -1 if a number is too large. exact_leaf: do not
   reduce the first address. */
static int add_addresses(struct legacy *g, struct scan_text t, bool exact_leaf)
{
	for (; t.p < t.end; t.p++) {
		struct scan_text d = {t.p + 2, t.p + 2};
		uint64_t v;
		if (!scan_starts_with(t, "0x"))
			continue;
		while (d.end < t.end &&
		       ((*d.end >= '0' && *d.end <= '9') || (*d.end >= 'a' && *d.end <= 'f')))
			d.end++;
		if (d.p == d.end)
			continue;
		if (!scan_parse_hex(d, &v))
			return -1;
		legacy_add_frame(g, legacy_loc(g, v - !(exact_leaf && !g->sample[g->nsample - 1].n)));
		t.p = d.end - 1;
	}
	return 0;
}

/* Return the leading characters that can be part of a list of addresses. */
static struct scan_text address_list(struct scan_text t)
{
	struct scan_text a = {t.p, t.p};
	while (
	    a.end < t.end && (*a.end == ' ' || *a.end == 'x' || (*a.end >= '0' && *a.end <= '9') ||
				 (*a.end >= 'a' && *a.end <= 'f')))
		a.end++;
	return a;
}

static void set_types(struct legacy *g, size_t n, const char *const *type, const char *const *unit)
{
	memcpy(g->type, type, n * sizeof *type);
	memcpy(g->unit, unit, n * sizeof *unit);
	g->ntype = n;
}

void legacy_set_heap_types(struct legacy *g, bool alloc)
{
	static const char *const type[] = {
	    "alloc_objects", "alloc_space", "inuse_objects", "inuse_space"};
	static const char *const unit[] = {"count", "bytes", "count", "bytes"};
	static const char *const old[] = {"objects", "space"};
	set_types(g, alloc ? 4 : 2, alloc ? type : old, unit);
}

/* ---- heap, growth, fragmentation */

/* Scale a sampled allocation: divide by the probability that an allocation of that size is sampled. */
void legacy_unsample(int64_t *count, int64_t *size, int64_t rate)
{
	if (!*count || !*size) {
		*count = *size = 0;
	} else if (rate > 1) {
		double scale = 1 / (1 - exp(-((double)*size / (double)*count) / (double)rate));
		*count = pprof_units_to_i64((double)*count * scale);
		*size = pprof_units_to_i64((double)*size * scale);
	}
}

/* Split "a: b [ c: d ]" into digits. sign: a and b may be negative. */
static bool four_numbers(struct scan_text *t, struct scan_text d[4], bool sign)
{
	for (int i = 0; i < 4; i++) {
		const char *from;
		if (i)
			scan_skip_spaces(t);
		if (i == 2) {
			if (!scan_take(t, "["))
				return false;
			scan_skip_spaces(t);
		}
		from = t->p;
		if (sign && i < 2)
			scan_take(t, "-");
		if (!scan_take_digits(t, &d[i]))
			return false;
		d[i].p = from;
		if (i % 2 == 0 && !scan_take(t, ":"))
			return false;
	}
	scan_skip_spaces(t);
	return scan_take(t, "]");
}

static bool same_text(struct scan_text a, struct scan_text b)
{
	return a.end - a.p == b.end - b.p && !memcmp(a.p, b.p, (size_t)(a.end - a.p));
}

static bool is_zero(struct scan_text t)
{
	return t.end - t.p == 1 && *t.p == '0';
}

struct heap {
	bool unsample, alloc;
};

/* Read the heading after "heap profile:". LEGACY_OTHER: it is none of the three kinds. */
static enum legacy_result heap_heading(struct legacy *g, struct scan_text t, struct heap *h)
{
	struct scan_text d[4], kind, rate = {0};
	scan_skip_spaces(&t);
	if (!four_numbers(&t, d, false))
		return LEGACY_OTHER;
	struct scan_text plain = t;
	scan_skip_spaces(&t);
	if (!scan_take(&t, "@"))
		return LEGACY_OTHER;
	scan_skip_spaces(&t);
	g->period = 1;
	kind = t;
	if (scan_take(&t, "heap")) {
		while (t.p < t.end && (*t.p == '_' || (*t.p >= 'a' && *t.p <= 'z') ||
					  (*t.p >= '0' && *t.p <= '9')))
			t.p++;
		kind.end = t.p;
		scan_take(&t, "/");
		g->period = 0;
		if (scan_take_digits(&t, &rate) && !scan_parse_i64(rate, &g->period))
			return LEGACY_OTHER;
		h->alloc = (!same_text(d[2], d[0]) && !is_zero(d[2])) ||
			   (!same_text(d[3], d[1]) && !is_zero(d[3]));
		size_t n = (size_t)(kind.end - kind.p);
		if ((n == 8 && scan_starts_with(kind, "heapz_v2")) ||
		    (n == 7 && scan_starts_with(kind, "heap_v2"))) {
			h->unsample = true;
		} else if (n == 11 && scan_starts_with(kind, "heapprofile")) {
			g->period = 1;
		} else if (n == 4) {
			h->unsample = true;
			g->period /= 2;
		} else {
			return LEGACY_OTHER;
		}
		return LEGACY_OK;
	}
	return scan_starts_with(plain, " @ growth") || scan_starts_with(plain, " @ fragmentation") ? LEGACY_OK
										       : LEGACY_OTHER;
}

/* Read count and size of one pair. Returns false if they are invalid. */
static bool heap_values(const struct legacy *g, const struct heap *h, const struct scan_text *d,
    struct legacy_sample *s, int64_t *value)
{
	if (!scan_parse_i64(d[0], &value[0]) || !scan_parse_i64(d[1], &value[1]) || (!value[0] && value[1]))
		return false;
	if (value[0]) {
		s->bytes = value[0] == -1 ? wrap_neg(value[1]) : value[1] / value[0];
		if (h->unsample)
			legacy_unsample(&value[0], &value[1], g->period);
	}
	return true;
}

/* Advance to the next position where a pattern that begins with a number may match. Digits are skipped as a whole:
   the rest of a number matches only if all of it does, and trying each digit would take quadratic time. */
static void next_try(struct scan_text *t)
{
	struct scan_text digits;
	if (!scan_take_digits(t, &digits))
		t->p++;
}

static bool heap_sample(struct legacy *g, const struct heap *h, struct scan_text line)
{
	struct scan_text d[4], t;
	bool found = false;
	for (; line.p < line.end && !found; next_try(&line)) {
		t = line;
		found = four_numbers(&t, d, true) && scan_take(&t, " @");
	}
	if (!found)
		return false;
	struct legacy_sample *s = legacy_sample(g);
	s->has_bytes = true;
	if (h->alloc && !heap_values(g, h, d + 2, s, s->value))
		return false;
	if (!heap_values(g, h, d, s, s->value + (h->alloc ? 2 : 0)))
		return false;
	return !add_addresses(g, address_list(t), false);
}

enum legacy_result legacy_read_heap(struct legacy *g, struct scan_lines l)
{
	struct heap h = {0};
	scan_next_line(&l);
	struct scan_text t = {l.line, l.line + l.n};
	while (t.p < t.end && !scan_starts_with(t, "heap profile:"))
		t.p++;
	if (!scan_take(&t, "heap profile:") || heap_heading(g, t, &h) != LEGACY_OK)
		return LEGACY_OTHER;
	g->period_type = "space";
	g->period_unit = "bytes";
	legacy_set_heap_types(g, h.alloc);
	while (scan_next_line(&l) && !legacy_is_map_heading(&l))
		if (scan_is_comment(&l))
			legacy_read_comment(g, &l);
		else if (!heap_sample(g, &h, scan_line_trimmed(&l)))
			return LEGACY_BAD;
	legacy_read_memory_map(g, &l, true);
	return LEGACY_OK;
}

/* ---- Go's goroutine and threadcreate pages */

static bool count_sample(struct legacy *g, struct scan_text t)
{
	struct scan_text d;
	int64_t n;
	if (!scan_take_digits(&t, &d) || !scan_take(&t, " @") || !scan_parse_i64(d, &n) || t.p == t.end)
		return false;
	legacy_sample(g)->value[0] = n;
	for (struct scan_text a = t; a.p < a.end;) { /* only " 0x..." up to the end */
		const char *from;
		if (!scan_take(&a, " 0x"))
			return false;
		for (from = a.p;
		     a.p < a.end && ((*a.p >= '0' && *a.p <= '9') || (*a.p >= 'a' && *a.p <= 'f'));)
			a.p++;
		if (a.p == from)
			return false;
	}
	return !add_addresses(g, t, false);
}

enum legacy_result legacy_read_count(struct legacy *g, struct scan_lines l)
{
	static const char total[] = " profile: total ";
	while (scan_next_line(&l) && scan_is_comment(&l))
		;
	struct scan_text t = {l.line, l.line + l.n}, d;
	while (t.p < t.end && !scan_is_space(*t.p))
		t.p++;
	size_t n = (size_t)(t.p - l.line);
	if (!n || !scan_take(&t, total) || !scan_take_digits(&t, &d) || t.p != t.end)
		return LEGACY_OTHER;
	const char *type = arena_strndup(&g->arena, l.line, n), *unit = "count";
	set_types(g, 1, &type, &unit);
	g->period_type = type;
	g->period_unit = unit;
	g->period = 1;
	while (scan_next_line(&l)) {
		struct scan_text line = {l.line, l.line + l.n};
		if (scan_is_comment(&l)) {
			legacy_read_comment(g, &l);
			continue;
		}
		if (scan_starts_with(line, "---"))
			break;
		if (!count_sample(g, line))
			return LEGACY_BAD;
	}
	legacy_read_memory_map(g, &l, true);
	return LEGACY_OK;
}

/* ---- threads */

static bool is_thread_heading(const struct scan_lines *l)
{
	for (struct scan_text t = {l->line, l->line + l->n}; t.p < t.end; t.p++) {
		struct scan_text x = t, d;
		const char *from;
		if (!scan_take(&x, "--- Thread "))
			continue;
		for (from = x.p; x.p < x.end && ((*x.p >= '0' && *x.p <= '9') ||
						    ((*x.p | 32) >= 'a' && (*x.p | 32) <= 'f'));)
			x.p++;
		if (x.p == from || !scan_take(&x, " (name: "))
			continue;
		for (; x.p < x.end;
		     x.p++) { /* the name may have slashes; a number follows the last one */
			struct scan_text y = x;
			if (scan_take(&y, "/") && scan_take_digits(&y, &d) && scan_take(&y, ") stack: ---"))
				return true;
		}
		return false;	/* a later "--- Thread " cannot match either */
	}
	return false;
}

static bool is_threadz(const struct scan_lines *l)
{
	for (struct scan_text t = {l->line, l->line + l->n}, d; t.p < t.end; t.p++) {
		struct scan_text x = t;
		if (scan_take(&x, "--- threadz ") && scan_take_digits(&x, &d) && scan_take(&x, " ---"))
			return true;
	}
	return false;
}

/* Read one thread's addresses up to the next heading. Returns -1 if they are invalid. */
static int thread_sample(struct legacy *g, struct scan_lines *l)
{
	bool same = false;
	struct legacy_sample *s = legacy_sample(g);
	size_t frames = g->nframe;
	s->value[0] = 1;
	while (scan_next_line(l)) {
		struct scan_text t = scan_line_trimmed(l);
		if (scan_starts_with(t, "---"))
			break;
		if (scan_contains(t, "same as previous thread"))
			same = true;
		else if (add_addresses(g, t, true))
			return -1;
	}
	if (same || g->nframe == frames) { /* same stack as the previous thread */
		g->nframe = frames;
		g->nsample--;
		if (g->nsample)
			g->sample[g->nsample - 1].value[0]++;
	}
	return 0;
}

enum legacy_result legacy_read_threads(struct legacy *g, struct scan_lines l)
{
	static const char *const type = "thread", *const unit = "count";
	while (scan_next_line(&l) && scan_is_comment(&l))
		;
	if (is_threadz(&l)) {
		while (scan_next_line(&l) && !legacy_is_map_heading(&l) && !(l.n && *l.line == '-'))
			;
	} else if (!is_thread_heading(&l)) {
		return LEGACY_OTHER;
	}
	set_types(g, 1, &type, &unit);
	g->period_type = type;
	g->period_unit = unit;
	g->period = 1;
	while (!l.early && !legacy_is_map_heading(&l)) {
		if (scan_starts_with((struct scan_text){l.line, l.line + l.n}, "---- no stack trace for"))
			break;
		if (!is_thread_heading(&l))
			return LEGACY_OTHER;
		if (thread_sample(g, &l))
			return LEGACY_BAD;
	}
	legacy_read_memory_map(g, &l, true);
	legacy_drop_double_leaf(g);
	return LEGACY_OK;
}

/* ---- contention, mutex, block */

static struct scan_text trim_text(struct scan_text t)
{
	struct scan_lines l = {.line = t.p, .n = (size_t)(t.end - t.p)};
	return scan_line_trimmed(&l);
}

static bool is_word(struct scan_text t, const char *word)
{
	return (size_t)(t.end - t.p) == strlen(word) && scan_starts_with(t, word);
}

/* Read "key = value". Returns false if the key is unknown or the value is invalid. */
static bool contention_field(
    struct legacy *g, struct scan_text key, struct scan_text val, int64_t *hz)
{
	int64_t ms;
	if (is_word(key, "cycles/second"))
		return scan_parse_i64(val, hz);
	if (is_word(key, "sampling period"))
		return scan_parse_i64(val, &g->period);
	if (is_word(key, "ms since reset")) {
		bool ok = scan_parse_i64(val, &ms);
		g->duration = ok ? (int64_t)((uint64_t)ms * 1000000) : 0;
		return ok;
	}
	return is_word(key, "discarded samples");
}

static enum legacy_result contention_sample(struct legacy *g, struct scan_text line, int64_t hz)
{
	struct scan_text d1, d2, t = line;
	bool found = false;
	for (; line.p < line.end && !found; next_try(&line)) {
		t = line;
		if (!scan_take_digits(&t, &d1))
			continue;
		scan_skip_spaces(&t);
		if (!scan_take_digits(
			&t, &d2)) { /* a single number is split before its last digit, as in the reference */
			if (d1.end - d1.p < 2)
				continue;
			d2 = (struct scan_text){d1.end - 1, d1.end};
			d1.end--;
			t.p = d2.end;
		}
		found = scan_take(&t, " @");
	}
	int64_t delay, count;
	if (!found)
		return LEGACY_OTHER;
	if (!scan_parse_i64(d1, &delay) || !scan_parse_i64(d2, &count))
		return LEGACY_BAD;
	if (g->period > 0) {
		if (hz > 0)
			delay = pprof_units_to_i64((double)delay * (double)g->period / ((double)hz / 1e9));
		count = wrap_mul(count, g->period);
	}
	struct legacy_sample *s = legacy_sample(g);
	s->value[0] = count;
	s->value[1] = delay;
	return add_addresses(g, address_list(t), false) ? LEGACY_BAD : LEGACY_OK;
}

enum legacy_result legacy_read_contention(struct legacy *g, struct scan_lines l)
{
	static const char *const type[] = {"contentions", "delay"}, *const unit[] = {
									"count", "nanoseconds"};
	int64_t hz = 0;
	scan_next_line(&l);
	struct scan_text t = {l.line, l.line + l.n};
	if (!scan_starts_with(t, "--- contentionz ") && !scan_starts_with(t, "--- mutex:") &&
	    !scan_starts_with(t, "--- contention:"))
		return LEGACY_OTHER;
	set_types(g, 2, type, unit);
	g->period_type = "contentions";
	g->period_unit = "count";
	g->period = 1;
	bool more = scan_next_line(&l);
	for (; more; more = scan_next_line(&l)) {
		t = scan_line_trimmed(&l);
		if (scan_is_comment(&l))
			continue;
		const char *eq = memchr(t.p, '=', (size_t)(t.end - t.p));
		if (scan_starts_with(t, "---") || !eq)
			break;
		if (!contention_field(g, trim_text((struct scan_text){t.p, eq}),
			trim_text((struct scan_text){eq + 1, t.end}), &hz))
			return LEGACY_OTHER;
	}
	for (; more; more = scan_next_line(&l)) {
		t = scan_line_trimmed(&l);
		if (scan_starts_with(t, "---"))
			break;
		if (scan_is_comment(&l)) {
			legacy_read_comment(g, &l);
			continue;
		}
		enum legacy_result v = contention_sample(g, t, hz);
		if (v != LEGACY_OK)
			return v;
	}
	legacy_read_memory_map(g, &l, true);
	return LEGACY_OK;
}
