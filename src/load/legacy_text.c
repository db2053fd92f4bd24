/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The text kinds of old profiles: gperftools' heap, growth and fragmentation
 * profiles, Go's pages with debug=1, contention and thread profiles. Each is a
 * heading, lines of numbers and addresses, and perhaps a memory map; addresses
 * are return addresses, so all but a leaf that was interrupted move back by one
 * into the call. A kind that finds its heading and then nonsense refuses the
 * file, but some say "not mine" late and let others try, as in pprof. The names
 * in the comments of Go's pages are not read, as pprof does not read them.
 */
#include "config.h"
#include "load/legacy.h"

#include <math.h>
#include <string.h>

/* Every 0x... of t as a frame of the last sample; -1: one does not fit. The leaf may be exact. */
static int add_addresses(struct legacy *g, struct leg_text t, bool exact_leaf)
{
	for (; t.p < t.end; t.p++) {
		struct leg_text d = {t.p + 2, t.p + 2};
		uint64_t v;
		if (!leg_starts(t, "0x"))
			continue;
		while (d.end < t.end &&
		       ((*d.end >= '0' && *d.end <= '9') || (*d.end >= 'a' && *d.end <= 'f')))
			d.end++;
		if (d.p == d.end)
			continue;
		if (!leg_hex(d, &v))
			return -1;
		leg_frame(g, leg_loc(g, v - !(exact_leaf && !g->sample[g->nsample - 1].n)));
		t.p = d.end - 1;
	}
	return 0;
}

/* From here on as long as characters are of an address list. */
static struct leg_text address_list(struct leg_text t)
{
	struct leg_text a = {t.p, t.p};
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

/* ---- heap, growth, fragmentation */

int64_t leg_i64(double v)
{
	return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? (int64_t)v : INT64_MIN;
}

/* A sampled allocation stands for many: the chance of an allocation of that size to be taken. */
void leg_unsample(int64_t *count, int64_t *size, int64_t rate)
{
	if (!*count || !*size) {
		*count = *size = 0;
	} else if (rate > 1) {
		double scale = 1 / (1 - exp(-((double)*size / (double)*count) / (double)rate));
		*count = leg_i64((double)*count * scale);
		*size = leg_i64((double)*size * scale);
	}
}

/* "a: b [ c: d ]" into digits; negative a and b where allowed. */
static bool four_numbers(struct leg_text *t, struct leg_text d[4], bool sign)
{
	for (int i = 0; i < 4; i++) {
		const char *from;
		if (i)
			leg_spaces(t);
		if (i == 2) {
			if (!leg_word(t, "["))
				return false;
			leg_spaces(t);
		}
		from = t->p;
		if (sign && i < 2)
			leg_word(t, "-");
		if (!leg_digits(t, &d[i]))
			return false;
		d[i].p = from;
		if (i % 2 == 0 && !leg_word(t, ":"))
			return false;
	}
	leg_spaces(t);
	return leg_word(t, "]");
}

static bool same_text(struct leg_text a, struct leg_text b)
{
	return a.end - a.p == b.end - b.p && !memcmp(a.p, b.p, (size_t)(a.end - a.p));
}

static bool is_zero(struct leg_text t)
{
	return t.end - t.p == 1 && *t.p == '0';
}

struct heap {
	bool unsample, alloc;
};

/* The heading behind "heap profile:"; LEG_OTHER: none of the three kinds. */
static enum leg_verdict heap_heading(struct legacy *g, struct leg_text t, struct heap *h)
{
	struct leg_text d[4], kind, rate = {0};
	leg_spaces(&t);
	if (!four_numbers(&t, d, false))
		return LEG_OTHER;
	struct leg_text plain = t;
	leg_spaces(&t);
	if (!leg_word(&t, "@"))
		return LEG_OTHER;
	leg_spaces(&t);
	g->period = 1;
	kind = t;
	if (leg_word(&t, "heap")) {
		while (t.p < t.end && (*t.p == '_' || (*t.p >= 'a' && *t.p <= 'z') ||
					  (*t.p >= '0' && *t.p <= '9')))
			t.p++;
		kind.end = t.p;
		leg_word(&t, "/");
		g->period = 0;
		if (leg_digits(&t, &rate) && !leg_number(rate, &g->period))
			return LEG_OTHER;
		h->alloc = (!same_text(d[2], d[0]) && !is_zero(d[2])) ||
			   (!same_text(d[3], d[1]) && !is_zero(d[3]));
		size_t n = (size_t)(kind.end - kind.p);
		if ((n == 8 && leg_starts(kind, "heapz_v2")) ||
		    (n == 7 && leg_starts(kind, "heap_v2"))) {
			h->unsample = true;
		} else if (n == 11 && leg_starts(kind, "heapprofile")) {
			g->period = 1;
		} else if (n == 4) {
			h->unsample = true;
			g->period /= 2;
		} else {
			return LEG_OTHER;
		}
		return LEG_OK;
	}
	return leg_starts(plain, " @ growth") || leg_starts(plain, " @ fragmentation") ? LEG_OK
										       : LEG_OTHER;
}

/* Count and size of one pair; false: nonsense. */
static bool heap_values(const struct legacy *g, const struct heap *h, const struct leg_text *d,
    struct leg_sample *s, int64_t *value)
{
	if (!leg_number(d[0], &value[0]) || !leg_number(d[1], &value[1]) || (!value[0] && value[1]))
		return false;
	if (value[0]) {
		s->bytes = value[0] == -1 ? (int64_t)(0 - (uint64_t)value[1]) : value[1] / value[0];
		if (h->unsample)
			leg_unsample(&value[0], &value[1], g->period);
	}
	return true;
}

static bool heap_sample(struct legacy *g, const struct heap *h, struct leg_text line)
{
	struct leg_text d[4], t;
	bool found = false;
	for (; line.p < line.end && !found; line.p += !found) {
		t = line;
		found = four_numbers(&t, d, true) && leg_word(&t, " @");
	}
	if (!found)
		return false;
	struct leg_sample *s = leg_sample(g);
	s->has_bytes = true;
	if (h->alloc && !heap_values(g, h, d + 2, s, s->value))
		return false;
	if (!heap_values(g, h, d, s, s->value + (h->alloc ? 2 : 0)))
		return false;
	return !add_addresses(g, address_list(t), false);
}

enum leg_verdict leg_heap(struct legacy *g, struct leg_lines l)
{
	static const char *const type[] = {
	    "alloc_objects", "alloc_space", "inuse_objects", "inuse_space"};
	static const char *const unit[] = {"count", "bytes", "count", "bytes"};
	static const char *const old[] = {"objects", "space"};
	struct heap h = {0};
	leg_next(&l);
	struct leg_text t = {l.line, l.line + l.n};
	while (t.p < t.end && !leg_starts(t, "heap profile:"))
		t.p++;
	if (!leg_word(&t, "heap profile:") || heap_heading(g, t, &h) != LEG_OK)
		return LEG_OTHER;
	g->period_type = "space";
	g->period_unit = "bytes";
	set_types(g, h.alloc ? 4 : 2, h.alloc ? type : old, unit);
	while (leg_next(&l) && !leg_map_heading(&l))
		if (!leg_comment(&l) && !heap_sample(g, &h, leg_trimmed(&l)))
			return LEG_BAD;
	leg_memory_map(g, &l, true);
	return LEG_OK;
}

/* ---- Go's goroutine and threadcreate pages */

static bool count_sample(struct legacy *g, struct leg_text t)
{
	struct leg_text d;
	int64_t n;
	if (!leg_digits(&t, &d) || !leg_word(&t, " @") || !leg_number(d, &n) || t.p == t.end)
		return false;
	leg_sample(g)->value[0] = n;
	for (struct leg_text a = t; a.p < a.end;) { /* nothing but " 0x..." to the end */
		const char *from;
		if (!leg_word(&a, " 0x"))
			return false;
		for (from = a.p;
		     a.p < a.end && ((*a.p >= '0' && *a.p <= '9') || (*a.p >= 'a' && *a.p <= 'f'));)
			a.p++;
		if (a.p == from)
			return false;
	}
	return !add_addresses(g, t, false);
}

enum leg_verdict leg_count(struct legacy *g, struct leg_lines l)
{
	static const char total[] = " profile: total ";
	while (leg_next(&l) && leg_comment(&l))
		;
	struct leg_text t = {l.line, l.line + l.n}, d;
	while (t.p < t.end && !leg_is_space(*t.p))
		t.p++;
	size_t n = (size_t)(t.p - l.line);
	if (!n || !leg_word(&t, total) || !leg_digits(&t, &d) || t.p != t.end)
		return LEG_OTHER;
	const char *type = arena_strndup(&g->arena, l.line, n), *unit = "count";
	set_types(g, 1, &type, &unit);
	g->period_type = type;
	g->period_unit = unit;
	g->period = 1;
	while (leg_next(&l)) {
		struct leg_text line = {l.line, l.line + l.n};
		if (leg_comment(&l))
			continue;
		if (leg_starts(line, "---"))
			break;
		if (!count_sample(g, line))
			return LEG_BAD;
	}
	leg_memory_map(g, &l, true);
	return LEG_OK;
}

/* ---- threads */

static bool is_thread_heading(const struct leg_lines *l)
{
	for (struct leg_text t = {l->line, l->line + l->n}; t.p < t.end; t.p++) {
		struct leg_text x = t, d;
		const char *from;
		if (!leg_word(&x, "--- Thread "))
			continue;
		for (from = x.p; x.p < x.end && ((*x.p >= '0' && *x.p <= '9') ||
						    ((*x.p | 32) >= 'a' && (*x.p | 32) <= 'f'));)
			x.p++;
		if (x.p == from || !leg_word(&x, " (name: "))
			continue;
		for (; x.p < x.end;
		     x.p++) { /* a name with any slashes, and a number behind the last */
			struct leg_text y = x;
			if (leg_word(&y, "/") && leg_digits(&y, &d) && leg_word(&y, ") stack: ---"))
				return true;
		}
	}
	return false;
}

static bool is_threadz(const struct leg_lines *l)
{
	for (struct leg_text t = {l->line, l->line + l->n}, d; t.p < t.end; t.p++) {
		struct leg_text x = t;
		if (leg_word(&x, "--- threadz ") && leg_digits(&x, &d) && leg_word(&x, " ---"))
			return true;
	}
	return false;
}

/* One thread's addresses up to the next heading; -1: nonsense. */
static int thread_sample(struct legacy *g, struct leg_lines *l)
{
	bool same = false;
	struct leg_sample *s = leg_sample(g);
	size_t frames = g->nframe;
	s->value[0] = 1;
	while (leg_next(l)) {
		struct leg_text t = leg_trimmed(l);
		if (leg_starts(t, "---"))
			break;
		if (leg_contains(t.p, (size_t)(t.end - t.p), "same as previous thread"))
			same = true;
		else if (add_addresses(g, t, true))
			return -1;
	}
	if (same || g->nframe == frames) { /* as the thread before */
		g->nframe = frames;
		g->nsample--;
		if (g->nsample)
			g->sample[g->nsample - 1].value[0]++;
	}
	return 0;
}

enum leg_verdict leg_threads(struct legacy *g, struct leg_lines l)
{
	static const char *const type = "thread", *const unit = "count";
	while (leg_next(&l) && leg_comment(&l))
		;
	if (is_threadz(&l)) {
		while (leg_next(&l) && !leg_map_heading(&l) && !(l.n && *l.line == '-'))
			;
	} else if (!is_thread_heading(&l)) {
		return LEG_OTHER;
	}
	set_types(g, 1, &type, &unit);
	g->period_type = type;
	g->period_unit = unit;
	g->period = 1;
	while (!leg_map_heading(&l)) {
		if (leg_starts((struct leg_text){l.line, l.line + l.n}, "---- no stack trace for"))
			break;
		if (!is_thread_heading(&l))
			return LEG_OTHER;
		if (thread_sample(g, &l))
			return LEG_BAD;
	}
	leg_memory_map(g, &l, true);
	leg_drop_double_leaf(g);
	return LEG_OK;
}

/* ---- contention, mutex, block */

static struct leg_text trim(struct leg_text t)
{
	struct leg_lines l = {.line = t.p, .n = (size_t)(t.end - t.p)};
	return leg_trimmed(&l);
}

static bool is_word(struct leg_text t, const char *word)
{
	return (size_t)(t.end - t.p) == strlen(word) && leg_starts(t, word);
}

/* "key = value"; false: it is not for us. */
static bool contention_field(
    struct legacy *g, struct leg_text key, struct leg_text val, int64_t *hz)
{
	int64_t ms;
	if (is_word(key, "cycles/second"))
		return leg_number(val, hz);
	if (is_word(key, "sampling period"))
		return leg_number(val, &g->period);
	if (is_word(key, "ms since reset")) {
		bool ok = leg_number(val, &ms);
		g->duration = ok ? (int64_t)((uint64_t)ms * 1000000) : 0;
		return ok;
	}
	return is_word(key, "discarded samples");
}

static enum leg_verdict contention_sample(struct legacy *g, struct leg_text line, int64_t hz)
{
	struct leg_text d1, d2, t = line;
	bool found = false;
	for (; line.p < line.end && !found; line.p++) {
		t = line;
		if (!leg_digits(&t, &d1))
			continue;
		leg_spaces(&t);
		if (!leg_digits(
			&t, &d2)) { /* one run of digits is two, the second as short as can be */
			if (d1.end - d1.p < 2)
				continue;
			d2 = (struct leg_text){d1.end - 1, d1.end};
			d1.end--;
			t.p = d2.end;
		}
		found = leg_word(&t, " @");
	}
	int64_t delay, count;
	if (!found)
		return LEG_OTHER;
	if (!leg_number(d1, &delay) || !leg_number(d2, &count))
		return LEG_BAD;
	if (g->period > 0) {
		if (hz > 0)
			delay = leg_i64((double)delay * (double)g->period / ((double)hz / 1e9));
		count = (int64_t)((uint64_t)count * (uint64_t)g->period);
	}
	struct leg_sample *s = leg_sample(g);
	s->value[0] = count;
	s->value[1] = delay;
	return add_addresses(g, address_list(t), false) ? LEG_BAD : LEG_OK;
}

enum leg_verdict leg_contention(struct legacy *g, struct leg_lines l)
{
	static const char *const type[] = {"contentions", "delay"}, *const unit[] = {
									"count", "nanoseconds"};
	int64_t hz = 0;
	leg_next(&l);
	struct leg_text t = {l.line, l.line + l.n};
	if (!leg_starts(t, "--- contentionz ") && !leg_starts(t, "--- mutex:") &&
	    !leg_starts(t, "--- contention:"))
		return LEG_OTHER;
	set_types(g, 2, type, unit);
	g->period_type = "contentions";
	g->period_unit = "count";
	g->period = 1;
	bool more = leg_next(&l);
	for (; more; more = leg_next(&l)) {
		t = leg_trimmed(&l);
		if (leg_comment(&l))
			continue;
		const char *eq = memchr(t.p, '=', (size_t)(t.end - t.p));
		if (leg_starts(t, "---") || !eq)
			break;
		if (!contention_field(g, trim((struct leg_text){t.p, eq}),
			trim((struct leg_text){eq + 1, t.end}), &hz))
			return LEG_OTHER;
	}
	for (; more; more = leg_next(&l)) {
		t = leg_trimmed(&l);
		if (leg_starts(t, "---"))
			break;
		enum leg_verdict v = leg_comment(&l) ? LEG_OK : contention_sample(g, t, hz);
		if (v != LEG_OK)
			return v;
	}
	leg_memory_map(g, &l, true);
	return LEG_OK;
}
