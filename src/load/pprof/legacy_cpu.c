/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * gperftools' CPU profiles: words of 32 or 64 bits in either byte order, recognized by the heading
 * 0 3 K period 0; then stacks (count, depth, addresses) up to the end mark 0 1 0; then the memory
 * map as text. K is 1 in profiles of Java, where a table of functions follows instead; Java's heap
 * and contention profiles are text with the same table.
 */
#include "config.h"
#include "load/pprof/legacy.h"

#include "base/wrap_math.h"

#include <stdlib.h>
#include <string.h>

enum { UNTIL_CHECK = 1 << 12 };	/* samples and frames between two looks at the memory and the sink */

struct cells {
	const uint8_t *p, *end;
	unsigned size;
	bool big, bad;
};

static uint64_t read_cell(struct cells *w)
{
	uint64_t v = 0;
	if (w->bad || (size_t)(w->end - w->p) < w->size) {
		w->bad = true;
		w->p = w->end;
		return 0;
	}
	for (unsigned i = 0; i < w->size; i++)
		v |= (uint64_t)w->p[w->big ? w->size - 1 - i : i] << 8 * i;
	w->p += w->size;
	return v;
}

/* Read stacks up to the end mark, as far as memory and the sink allow. Returns false if this is no such profile.
 * exact: the addresses are not return addresses. */
static bool cpu_samples(struct legacy *g, struct cells *w, bool exact, const struct sink *sink)
{
	const uint8_t *begin = w->p;
	size_t check_at = UNTIL_CHECK;
	while (w->p < w->end && !w->bad) {
		if (g->nsample + g->nframe >= check_at) {
			check_at = g->nsample + g->nframe + UNTIL_CHECK;
			g->out_of_memory = mem_limit_exceeded();
			if (g->out_of_memory || !sink->ops->upto(sink->self, TIME_NONE, (uint64_t)(w->p - begin))) {
				w->p = w->end;
				break;
			}
		}
		uint64_t count = read_cell(w), depth = read_cell(w);
		if (w->bad || depth > (uint64_t)(w->end - w->p) / 4)
			return false;
		uint64_t first = 0;
		struct legacy_sample *s = legacy_sample(g);
		s->value[0] = (int64_t)count;
		s->value[1] = (int64_t)(count * (uint64_t)g->period);
		for (uint64_t i = 0; i < depth; i++) {
			uint64_t a = read_cell(w);
			first = i ? first : a;
			legacy_add_frame(g, legacy_loc(g, a - (i > 0 && !exact)));
		}
		if (!count && depth == 1 && !first) {
			g->nsample--;
			g->nframe--;
			break;
		}
	}
	return true;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Drop a second frame that nearly all samples have: the signal handler added it. */
static void drop_handler(struct legacy *g)
{
	size_t n = 0, need = g->nsample - g->nsample / 32, best = 0;
	uint32_t *second = xmalloc((g->nsample + 1) * sizeof *second), found = 0;
	for (size_t i = 0; i < g->nsample; i++)
		if (g->sample[i].n > 1)
			second[n++] = g->frame[g->sample[i].frame + 1];
	qsort(second, n, sizeof *second, by_value);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && second[k] == second[i];)
			k++;
		if (k - i >= need && k - i > best) {
			best = k - i;
			found = second[i];
		}
	}
	for (size_t i = 0; i < g->nsample && best; i++) {
		struct legacy_sample *s = &g->sample[i];
		uint32_t *f = g->frame + s->frame;
		if (s->n > 1 && f[1] == found) {
			f[1] = f[0];
			s->frame++;
			s->n--;
		}
	}
	mem_free(second);
}

static enum legacy_result read_java_locations(struct legacy *, struct scan_lines);

enum legacy_result legacy_read_cpu(struct legacy *g, struct bytes b, const struct sink *sink)
{
	for (int i = 0; i < 4; i++) {
		struct cells w = {b.p, b.p + b.n, i < 2 ? 4 : 8, i & 1, false};
		uint64_t zero = read_cell(&w), three = read_cell(&w), java = read_cell(&w), period = read_cell(&w),
			 pad = read_cell(&w);
		if (w.bad || zero || three != 3 || java > 1 || (int64_t)period == 0 || pad)
			continue;
		g->type[0] = "samples";
		g->unit[0] = "count";
		g->type[1] = g->period_type = "cpu";
		g->unit[1] = g->period_unit = "nanoseconds";
		g->ntype = 2;
		g->period = (int64_t)(period * 1000);
		if (!cpu_samples(g, &w, java, sink))
			return LEGACY_OTHER;
		struct scan_lines l = scan_bounded(b, sink, 0, 1);
		l.p = (const char *)w.p;
		if (java)
			return read_java_locations(g, l);
		drop_handler(g);
		drop_handler(g);
		legacy_read_memory_map(g, &l, false);
		return LEGACY_OK;
	}
	return LEGACY_OTHER;
}

/* ---- Java */

/* Set the line of a location from "function (file:line)", "function (library)", or a function alone. */
static void set_java_line(struct legacy *g, struct legacy_loc *l, struct scan_text t)
{
	struct scan_text name = t, file = {t.end, t.end}, line;
	int64_t n, at = 0;
	const char *open = t.end;
	while (open > t.p && !(open < t.end && *open == '(' && scan_is_space(open[-1])))
		open--;
	if (t.p < t.end && t.end[-1] == ')' && open > t.p) {
		file = (struct scan_text){open + 1, t.end - 1};
		name.end = open;
		while (name.end > name.p && scan_is_space(name.end[-1]))
			name.end--;
		line = (struct scan_text){file.end, file.end};
		while (line.p > file.p && line.p[-1] >= '0' && line.p[-1] <= '9')
			line.p--;
		const char *colon = line.p - (line.p > file.p && line.p[-1] == '-');
		if (line.p < line.end && colon > file.p + 1 && colon[-1] == ':') {
			file.end = colon - 1;
			if (colon == line.p && scan_parse_i64(line, &n) && n > 0)
				at = n;
		} else {
			for (const char *p = file.p; p < file.end; p++)
				if (*p == '/')
					file.p = p + 1;
		}
	} else if (scan_contains(t, "generated stub/JIT")) {
		static const char stub[] = "STUB";
		name = (struct scan_text){stub, stub + 4};
	}
	l->line = (uint32_t)g->nline;
	l->nline = 1;
	legacy_line(g, legacy_fun(g, name, file), at);
}

static enum legacy_result read_java_locations(struct legacy *g, struct scan_lines l)
{
	size_t known = g->nloc;
	while (scan_next_line(&l)) {
		struct scan_text t = scan_line_trimmed(&l), d;
		uint64_t addr;
		if (!scan_take(&t, "0x"))
			continue;
		for (d.p = t.p; t.p < t.end && scan_is_hex(*t.p);)
			t.p++;
		d.end = t.p;
		if (d.p == d.end || t.p == t.end || !scan_is_space(*t.p))
			continue;
		while (t.p < t.end && scan_is_space(*t.p))
			t.p++;
		if (!scan_parse_hex(d, &addr))
			return LEGACY_BAD;
		uint32_t i = legacy_loc(g, addr);
		if (i < known)
			set_java_line(g, &g->loc[i], t);
	}
	for (size_t i = 0; i < g->nloc; i++)
		if (g->loc[i].nline)
			g->loc[i].addr = 0; /* a location with a name needs no mapping */
	legacy_read_memory_map(g, &l, false);	/* all lines were read above */
	for (size_t i = 0; i < g->nloc; i++)
		g->loc[i].addr = 0; /* addresses of different runs are not comparable */
	return LEGACY_OK;
}

static bool java_field(struct legacy *g, struct scan_text line, bool heap)
{
	const char *eq = memchr(line.p, '=', (size_t)(line.end - line.p));
	struct scan_lines k = {.line = line.p, .n = (size_t)(eq - line.p)},
			 v = {.line = eq + 1, .n = (size_t)(line.end - eq - 1)};
	struct scan_text key = scan_line_trimmed(&k), val = scan_line_trimmed(&v);
	const char *name = arena_strndup(&g->arena, key.p, (size_t)(key.end - key.p));
	const char *text = arena_strndup(&g->arena, val.p, (size_t)(val.end - val.p));
	int64_t n;
	if (!strcmp(name, "format"))
		return !strcmp(text, "java");
	if (!strcmp(name, "resolution")) {
		g->type[0] = heap ? "inuse_objects" : "contentions";
		g->type[1] = heap ? "inuse_space" : "delay";
		g->unit[0] = "count";
		g->unit[1] = text;
		g->ntype = 2;
		return true;
	}
	if (!heap && !strcmp(name, "sampling period")) {
		g->period_type = "contentions";
		g->period_unit = "count";
		return scan_parse_i64(val, &g->period);
	}
	if (!heap && !strcmp(name, "ms since reset") && scan_parse_i64(val, &n)) {
		g->duration = (int64_t)((uint64_t)n * 1000000);
		return true;
	}
	return false;
}

/* Read "size count @ addresses". */
static enum legacy_result java_sample(struct legacy *g, struct scan_text t, bool heap)
{
	struct scan_text d1, d2;
	scan_skip_spaces(&t);
	bool ok = scan_take_digits(&t, &d1);
	scan_skip_spaces(&t);
	ok = ok && scan_take_digits(&t, &d2) && scan_take(&t, " ");
	scan_skip_spaces(&t);
	if (!ok || !scan_take(&t, "@ "))
		return LEGACY_OTHER;
	struct legacy_sample *s = legacy_sample(g);
	if (!scan_parse_i64(d2, &s->value[0]) || !scan_parse_i64(d1, &s->value[1]))
		return LEGACY_BAD;
	if (heap) {
		if (!s->value[0])
			return LEGACY_BAD;
		s->bytes = s->value[1] / s->value[0];
		s->has_bytes = true;
		legacy_unsample(&s->value[0], &s->value[1], 524288);
	} else if (g->period) {
		s->value[0] = wrap_mul(s->value[0], g->period);
		s->value[1] = wrap_mul(s->value[1], g->period);
	}
	for (; t.p < t.end; t.p++) {
		uint64_t v;
		if (!scan_starts_with(t, "0x"))
			continue;
		struct scan_text d = {t.p + 2, t.p + 2};
		while (d.end < t.end && scan_is_hex(*d.end))
			d.end++;
		if (!scan_parse_hex(d, &v))
			return LEGACY_BAD;
		if (d.p < d.end)
			legacy_add_frame(g, legacy_loc(g, v));
		t.p = d.end > d.p ? d.end - 1 : t.p;
	}
	return LEGACY_OK;
}

enum legacy_result legacy_read_java(struct legacy *g, struct bytes b, const struct sink *s)
{
	struct scan_lines l = scan_bounded(b, s, 0, 1), at;
	scan_next_line(&l);
	struct scan_text t = scan_line_trimmed(&l);
	size_t n = (size_t)(t.end - t.p);
	bool heap = n == 15 && scan_starts_with(t, "--- heapz 1 ---");
	if (!heap && !(n == 21 && scan_starts_with(t, "--- contentionz 1 ---")))
		return LEGACY_OTHER;
	for (at = l; scan_next_line(&l); at = l) {
		t = scan_line_trimmed(&l);
		if (t.p == t.end)
			continue;
		if (!memchr(t.p, '=', (size_t)(t.end - t.p)))
			break;
		if (!java_field(g, t, heap))
			return LEGACY_OTHER;
	}
	for (l = at; scan_next_line(&l); at = l) {
		t = scan_line_trimmed(&l);
		enum legacy_result v = t.p == t.end ? LEGACY_OK : java_sample(g, t, heap);
		if (v == LEGACY_BAD)
			return v;
		if (v == LEGACY_OTHER)
			break;
	}
	if (!g->ntype)
		return g->nsample ? LEGACY_BAD : LEGACY_OTHER;
	return read_java_locations(g, l.early ? l : at);
}
