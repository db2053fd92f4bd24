/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * jemalloc's heap profiles (MALLOC_CONF=prof:true, prof.dump), which jeprof reads and pprof does
 * not: "heap_v2/RATE", the totals, and for each stack "@" and its addresses. Then come its live
 * objects and, in brackets, those allocated since the start (with prof_accum), in total ("t*") and
 * for each thread ("t1", skipped here). A memory map is last. About one allocation in RATE bytes is
 * sampled, and its values are scaled as in gperftools' heap_v2: jemalloc 5.3 adjusts the values
 * that it writes so that this scaling is right (its prof_unbias).
 */
#include "config.h"
#include "load/pprof/legacy.h"

/* Functions that a program calls to allocate, in C, C++ and Rust; the frames below them belong to the allocator. */
static const char own_frames[] =
    "(_rjem_|je_)?(malloc|calloc|realloc|reallocarray|memalign|posix_memalign|aligned_alloc|valloc|pvalloc|"
    "mallocx|rallocx|xallocx|smallocx_.*)|operator new(\\[\\])?|__(rust|rg|rdl)_(alloc|alloc_zeroed|realloc)";

enum { LIVE = 0, EVER = 1 };	/* the two pairs of a line */

struct count_pair { int64_t n, bytes; };

/* "a: b" */
static bool take_pair(struct scan_text *t, struct count_pair *v)
{
	struct scan_text n, bytes;
	scan_skip_spaces(t);
	if (!scan_take_digits(t, &n) || !scan_take(t, ":"))
		return false;
	scan_skip_spaces(t);
	return scan_take_digits(t, &bytes) && scan_parse_i64(n, &v->n) && scan_parse_i64(bytes, &v->bytes) &&
	       (v->n || !v->bytes);
}

/* "t*: a: b [c: d]" */
static bool take_values(struct scan_text t, struct count_pair v[2])
{
	if (!scan_take(&t, "t*:") || !take_pair(&t, &v[LIVE]))
		return false;
	scan_skip_spaces(&t);
	return scan_take(&t, "[") && take_pair(&t, &v[EVER]) && scan_take(&t, "]");
}

static bool take_stack(struct legacy *g, struct scan_text t)
{
	legacy_sample(g);
	for (scan_skip_spaces(&t); scan_take(&t, "0x"); scan_skip_spaces(&t)) {
		struct scan_text hex = {t.p, t.p};
		uint64_t addr;
		while (hex.end < t.end && scan_is_hex(*hex.end))
			hex.end++;
		if (hex.p == hex.end || !scan_parse_hex(hex, &addr))
			return false;
		legacy_add_frame(g, legacy_loc(g, addr - 1));	/* the call instruction, not the return address */
		t.p = hex.end;
	}
	return t.p == t.end;
}

static void set_values(struct legacy *g, const struct count_pair v[2])
{
	struct legacy_sample *s = &g->sample[g->nsample - 1];
	int64_t *to = s->value;
	const struct count_pair *one = v[LIVE].n ? &v[LIVE] : &v[EVER];
	s->has_bytes = true;
	s->bytes = one->n ? one->bytes / one->n : 0;
	for (int i = g->ntype == 4 ? EVER : LIVE; i >= LIVE; i--, to += 2) {
		to[0] = v[i].n;
		to[1] = v[i].bytes;
		legacy_unsample(&to[0], &to[1], g->period);
	}
}

static bool take_heading(struct scan_lines *l, int64_t *rate)
{
	struct scan_text d;
	while (scan_next_line(l) && scan_is_comment(l))
		;
	struct scan_text t = scan_line_trimmed(l);
	return scan_take(&t, "heap_v2/") && scan_take_digits(&t, &d) && t.p == t.end && scan_parse_i64(d, rate);
}

bool legacy_is_jemalloc(struct scan_lines l)
{
	int64_t rate;
	return take_heading(&l, &rate);
}

enum legacy_result legacy_read_jemalloc(struct legacy *g, struct scan_lines l)
{
	struct count_pair v[2];
	if (!take_heading(&l, &g->period))
		return LEGACY_OTHER;
	g->drop = own_frames;
	g->period_type = "space";
	g->period_unit = "bytes";
	legacy_set_heap_types(g, false);
	while (scan_next_line(&l) && !legacy_is_map_heading(&l)) {
		struct scan_text t = scan_line_trimmed(&l);
		if (scan_is_comment(&l) || (scan_starts_with(t, "t") && !scan_starts_with(t, "t*")))
			continue;
		if (scan_take(&t, "@")) {
			if (!take_stack(g, t))
				return LEGACY_BAD;
		} else if (!take_values(t, v)) {
			return LEGACY_BAD;
		} else if (g->nsample) {
			set_values(g, v);
		} else {
			legacy_set_heap_types(g, v[EVER].n > 0);	/* the totals */
		}
	}
	legacy_read_memory_map(g, &l, true);
	return LEGACY_OK;
}
