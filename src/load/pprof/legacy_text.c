/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The text kinds of old profiles: gperftools' heap, growth and fragmentation
 * profiles, Go's pages with debug=1, contention and thread profiles. Each is a
 * heading, lines of numbers and addresses, and perhaps a memory map; addresses
 * are return addresses, so all but a leaf that was interrupted move back by one
 * into the call. A kind that finds its heading and then nonsense refuses the
 * file, but some say "not mine" late and let others try, as in pprof. The names
 * in the comments of Go's pages are for legacy_names.c.
 */
#include "config.h"
#include "load/pprof/legacy.h"

#include "base/text/pprof_units.h"
#include "base/wrap_math.h"

#include <math.h>
#include <string.h>

/* Every 0x... of t as a frame of the last sample; -1: one does not fit. The leaf may be exact. */
static int add_addresses(struct legacy *g, struct words t, bool exact_leaf)
{
	for (; t.p < t.end; t.p++) {
		struct words d = {t.p + 2, t.p + 2};
		uint64_t v;
		if (!words_start(t, "0x"))
			continue;
		while (d.end < t.end &&
		       ((*d.end >= '0' && *d.end <= '9') || (*d.end >= 'a' && *d.end <= 'f')))
			d.end++;
		if (d.p == d.end)
			continue;
		if (!words_hex(d, &v))
			return -1;
		leg_frame(g, leg_loc(g, v - !(exact_leaf && !g->sample[g->nsample - 1].n)));
		t.p = d.end - 1;
	}
	return 0;
}

/* From here on as long as characters are of an address list. */
static struct words address_list(struct words t)
{
	struct words a = {t.p, t.p};
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

void leg_heap_types(struct legacy *g, bool alloc)
{
	static const char *const type[] = {
	    "alloc_objects", "alloc_space", "inuse_objects", "inuse_space"};
	static const char *const unit[] = {"count", "bytes", "count", "bytes"};
	static const char *const old[] = {"objects", "space"};
	set_types(g, alloc ? 4 : 2, alloc ? type : old, unit);
}

/* ---- heap, growth, fragmentation */

/* A sampled allocation stands for many: the chance of an allocation of that size to be taken. */
void leg_unsample(int64_t *count, int64_t *size, int64_t rate)
{
	if (!*count || !*size) {
		*count = *size = 0;
	} else if (rate > 1) {
		double scale = 1 / (1 - exp(-((double)*size / (double)*count) / (double)rate));
		*count = units_i64((double)*count * scale);
		*size = units_i64((double)*size * scale);
	}
}

/* "a: b [ c: d ]" into digits; negative a and b where allowed. */
static bool four_numbers(struct words *t, struct words d[4], bool sign)
{
	for (int i = 0; i < 4; i++) {
		const char *from;
		if (i)
			words_spaces(t);
		if (i == 2) {
			if (!words_take(t, "["))
				return false;
			words_spaces(t);
		}
		from = t->p;
		if (sign && i < 2)
			words_take(t, "-");
		if (!words_digits(t, &d[i]))
			return false;
		d[i].p = from;
		if (i % 2 == 0 && !words_take(t, ":"))
			return false;
	}
	words_spaces(t);
	return words_take(t, "]");
}

static bool same_text(struct words a, struct words b)
{
	return a.end - a.p == b.end - b.p && !memcmp(a.p, b.p, (size_t)(a.end - a.p));
}

static bool is_zero(struct words t)
{
	return t.end - t.p == 1 && *t.p == '0';
}

struct heap {
	bool unsample, alloc;
};

/* The heading behind "heap profile:"; LEG_OTHER: none of the three kinds. */
static enum leg_verdict heap_heading(struct legacy *g, struct words t, struct heap *h)
{
	struct words d[4], kind, rate = {0};
	words_spaces(&t);
	if (!four_numbers(&t, d, false))
		return LEG_OTHER;
	struct words plain = t;
	words_spaces(&t);
	if (!words_take(&t, "@"))
		return LEG_OTHER;
	words_spaces(&t);
	g->period = 1;
	kind = t;
	if (words_take(&t, "heap")) {
		while (t.p < t.end && (*t.p == '_' || (*t.p >= 'a' && *t.p <= 'z') ||
					  (*t.p >= '0' && *t.p <= '9')))
			t.p++;
		kind.end = t.p;
		words_take(&t, "/");
		g->period = 0;
		if (words_digits(&t, &rate) && !words_number(rate, &g->period))
			return LEG_OTHER;
		h->alloc = (!same_text(d[2], d[0]) && !is_zero(d[2])) ||
			   (!same_text(d[3], d[1]) && !is_zero(d[3]));
		size_t n = (size_t)(kind.end - kind.p);
		if ((n == 8 && words_start(kind, "heapz_v2")) ||
		    (n == 7 && words_start(kind, "heap_v2"))) {
			h->unsample = true;
		} else if (n == 11 && words_start(kind, "heapprofile")) {
			g->period = 1;
		} else if (n == 4) {
			h->unsample = true;
			g->period /= 2;
		} else {
			return LEG_OTHER;
		}
		return LEG_OK;
	}
	return words_start(plain, " @ growth") || words_start(plain, " @ fragmentation") ? LEG_OK
										       : LEG_OTHER;
}

/* Count and size of one pair; false: nonsense. */
static bool heap_values(const struct legacy *g, const struct heap *h, const struct words *d,
    struct leg_sample *s, int64_t *value)
{
	if (!words_number(d[0], &value[0]) || !words_number(d[1], &value[1]) || (!value[0] && value[1]))
		return false;
	if (value[0]) {
		s->bytes = value[0] == -1 ? wrap_neg(value[1]) : value[1] / value[0];
		if (h->unsample)
			leg_unsample(&value[0], &value[1], g->period);
	}
	return true;
}

/* Move to where a pattern that begins with a number may match next: the rest of one number matches no more than all
   of it, and trying it from each digit would take quadratic time. */
static void next_try(struct words *t)
{
	struct words digits;
	if (!words_digits(t, &digits))
		t->p++;
}

static bool heap_sample(struct legacy *g, const struct heap *h, struct words line)
{
	struct words d[4], t;
	bool found = false;
	for (; line.p < line.end && !found; next_try(&line)) {
		t = line;
		found = four_numbers(&t, d, true) && words_take(&t, " @");
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

enum leg_verdict leg_heap(struct legacy *g, struct lines l)
{
	struct heap h = {0};
	lines_next(&l);
	struct words t = {l.line, l.line + l.n};
	while (t.p < t.end && !words_start(t, "heap profile:"))
		t.p++;
	if (!words_take(&t, "heap profile:") || heap_heading(g, t, &h) != LEG_OK)
		return LEG_OTHER;
	g->period_type = "space";
	g->period_unit = "bytes";
	leg_heap_types(g, h.alloc);
	while (lines_next(&l) && !leg_map_heading(&l))
		if (lines_comment(&l))
			leg_comment(g, &l);
		else if (!heap_sample(g, &h, lines_trimmed(&l)))
			return LEG_BAD;
	leg_memory_map(g, &l, true);
	return LEG_OK;
}

/* ---- Go's goroutine and threadcreate pages */

static bool count_sample(struct legacy *g, struct words t)
{
	struct words d;
	int64_t n;
	if (!words_digits(&t, &d) || !words_take(&t, " @") || !words_number(d, &n) || t.p == t.end)
		return false;
	leg_sample(g)->value[0] = n;
	for (struct words a = t; a.p < a.end;) { /* nothing but " 0x..." to the end */
		const char *from;
		if (!words_take(&a, " 0x"))
			return false;
		for (from = a.p;
		     a.p < a.end && ((*a.p >= '0' && *a.p <= '9') || (*a.p >= 'a' && *a.p <= 'f'));)
			a.p++;
		if (a.p == from)
			return false;
	}
	return !add_addresses(g, t, false);
}

enum leg_verdict leg_count(struct legacy *g, struct lines l)
{
	static const char total[] = " profile: total ";
	while (lines_next(&l) && lines_comment(&l))
		;
	struct words t = {l.line, l.line + l.n}, d;
	while (t.p < t.end && !is_space(*t.p))
		t.p++;
	size_t n = (size_t)(t.p - l.line);
	if (!n || !words_take(&t, total) || !words_digits(&t, &d) || t.p != t.end)
		return LEG_OTHER;
	const char *type = arena_strndup(&g->arena, l.line, n), *unit = "count";
	set_types(g, 1, &type, &unit);
	g->period_type = type;
	g->period_unit = unit;
	g->period = 1;
	while (lines_next(&l)) {
		struct words line = {l.line, l.line + l.n};
		if (lines_comment(&l)) {
			leg_comment(g, &l);
			continue;
		}
		if (words_start(line, "---"))
			break;
		if (!count_sample(g, line))
			return LEG_BAD;
	}
	leg_memory_map(g, &l, true);
	return LEG_OK;
}

/* ---- threads */

static bool is_thread_heading(const struct lines *l)
{
	for (struct words t = {l->line, l->line + l->n}; t.p < t.end; t.p++) {
		struct words x = t, d;
		const char *from;
		if (!words_take(&x, "--- Thread "))
			continue;
		for (from = x.p; x.p < x.end && ((*x.p >= '0' && *x.p <= '9') ||
						    ((*x.p | 32) >= 'a' && (*x.p | 32) <= 'f'));)
			x.p++;
		if (x.p == from || !words_take(&x, " (name: "))
			continue;
		for (; x.p < x.end;
		     x.p++) { /* a name with any slashes, and a number behind the last */
			struct words y = x;
			if (words_take(&y, "/") && words_digits(&y, &d) && words_take(&y, ") stack: ---"))
				return true;
		}
		return false;	/* a later "--- Thread " has less of the line behind it */
	}
	return false;
}

static bool is_threadz(const struct lines *l)
{
	for (struct words t = {l->line, l->line + l->n}, d; t.p < t.end; t.p++) {
		struct words x = t;
		if (words_take(&x, "--- threadz ") && words_digits(&x, &d) && words_take(&x, " ---"))
			return true;
	}
	return false;
}

/* One thread's addresses up to the next heading; -1: nonsense. */
static int thread_sample(struct legacy *g, struct lines *l)
{
	bool same = false;
	struct leg_sample *s = leg_sample(g);
	size_t frames = g->nframe;
	s->value[0] = 1;
	while (lines_next(l)) {
		struct words t = lines_trimmed(l);
		if (words_start(t, "---"))
			break;
		if (words_hold(t, "same as previous thread"))
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

enum leg_verdict leg_threads(struct legacy *g, struct lines l)
{
	static const char *const type = "thread", *const unit = "count";
	while (lines_next(&l) && lines_comment(&l))
		;
	if (is_threadz(&l)) {
		while (lines_next(&l) && !leg_map_heading(&l) && !(l.n && *l.line == '-'))
			;
	} else if (!is_thread_heading(&l)) {
		return LEG_OTHER;
	}
	set_types(g, 1, &type, &unit);
	g->period_type = type;
	g->period_unit = unit;
	g->period = 1;
	while (!leg_map_heading(&l)) {
		if (words_start((struct words){l.line, l.line + l.n}, "---- no stack trace for"))
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

static struct words trim(struct words t)
{
	struct lines l = {.line = t.p, .n = (size_t)(t.end - t.p)};
	return lines_trimmed(&l);
}

static bool is_word(struct words t, const char *word)
{
	return (size_t)(t.end - t.p) == strlen(word) && words_start(t, word);
}

/* "key = value"; false: it is not for us. */
static bool contention_field(
    struct legacy *g, struct words key, struct words val, int64_t *hz)
{
	int64_t ms;
	if (is_word(key, "cycles/second"))
		return words_number(val, hz);
	if (is_word(key, "sampling period"))
		return words_number(val, &g->period);
	if (is_word(key, "ms since reset")) {
		bool ok = words_number(val, &ms);
		g->duration = ok ? (int64_t)((uint64_t)ms * 1000000) : 0;
		return ok;
	}
	return is_word(key, "discarded samples");
}

static enum leg_verdict contention_sample(struct legacy *g, struct words line, int64_t hz)
{
	struct words d1, d2, t = line;
	bool found = false;
	for (; line.p < line.end && !found; next_try(&line)) {
		t = line;
		if (!words_digits(&t, &d1))
			continue;
		words_spaces(&t);
		if (!words_digits(
			&t, &d2)) { /* one run of digits is two, the second as short as can be */
			if (d1.end - d1.p < 2)
				continue;
			d2 = (struct words){d1.end - 1, d1.end};
			d1.end--;
			t.p = d2.end;
		}
		found = words_take(&t, " @");
	}
	int64_t delay, count;
	if (!found)
		return LEG_OTHER;
	if (!words_number(d1, &delay) || !words_number(d2, &count))
		return LEG_BAD;
	if (g->period > 0) {
		if (hz > 0)
			delay = units_i64((double)delay * (double)g->period / ((double)hz / 1e9));
		count = wrap_mul(count, g->period);
	}
	struct leg_sample *s = leg_sample(g);
	s->value[0] = count;
	s->value[1] = delay;
	return add_addresses(g, address_list(t), false) ? LEG_BAD : LEG_OK;
}

enum leg_verdict leg_contention(struct legacy *g, struct lines l)
{
	static const char *const type[] = {"contentions", "delay"}, *const unit[] = {
									"count", "nanoseconds"};
	int64_t hz = 0;
	lines_next(&l);
	struct words t = {l.line, l.line + l.n};
	if (!words_start(t, "--- contentionz ") && !words_start(t, "--- mutex:") &&
	    !words_start(t, "--- contention:"))
		return LEG_OTHER;
	set_types(g, 2, type, unit);
	g->period_type = "contentions";
	g->period_unit = "count";
	g->period = 1;
	bool more = lines_next(&l);
	for (; more; more = lines_next(&l)) {
		t = lines_trimmed(&l);
		if (lines_comment(&l))
			continue;
		const char *eq = memchr(t.p, '=', (size_t)(t.end - t.p));
		if (words_start(t, "---") || !eq)
			break;
		if (!contention_field(g, trim((struct words){t.p, eq}),
			trim((struct words){eq + 1, t.end}), &hz))
			return LEG_OTHER;
	}
	for (; more; more = lines_next(&l)) {
		t = lines_trimmed(&l);
		if (words_start(t, "---"))
			break;
		if (lines_comment(&l)) {
			leg_comment(g, &l);
			continue;
		}
		enum leg_verdict v = contention_sample(g, t, hz);
		if (v != LEG_OK)
			return v;
	}
	leg_memory_map(g, &l, true);
	return LEG_OK;
}
