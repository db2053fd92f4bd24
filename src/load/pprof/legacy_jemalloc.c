/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What jemalloc writes (MALLOC_CONF=prof:true, prof.dump), which jeprof reads and
 * pprof does not: "heap_v2/RATE", the totals, and for each stack "@" and its
 * addresses, then what of it is live and, in brackets, what was allocated since
 * the start (with prof_accum), in all ("t*") and for each thread ("t1", left out
 * here). A memory map closes it. One allocation in about RATE bytes was taken,
 * and its values are scaled up as in gperftools' heap_v2: jemalloc 5.3 shifts what
 * it writes so that just this scaling comes out right (its prof_unbias).
 */
#include "config.h"
#include "load/pprof/legacy.h"

/* What a program calls to allocate, from C, C++ and Rust; below it all is the allocator's. */
static const char own_frames[] =
    "(_rjem_|je_)?(malloc|calloc|realloc|reallocarray|memalign|posix_memalign|aligned_alloc|valloc|pvalloc|"
    "mallocx|rallocx|xallocx|smallocx_.*)|operator new(\\[\\])?|__(rust|rg|rdl)_(alloc|alloc_zeroed|realloc)";

enum { LIVE = 0, EVER = 1 };	/* the two pairs of a line */

struct pair { int64_t n, bytes; };

/* "a: b" */
static bool take_pair(struct words *t, struct pair *v)
{
	struct words n, bytes;
	words_spaces(t);
	if (!words_digits(t, &n) || !words_take(t, ":"))
		return false;
	words_spaces(t);
	return words_digits(t, &bytes) && words_number(n, &v->n) && words_number(bytes, &v->bytes) &&
	       (v->n || !v->bytes);
}

/* "t*: a: b [c: d]" */
static bool take_values(struct words t, struct pair v[2])
{
	if (!words_take(&t, "t*:") || !take_pair(&t, &v[LIVE]))
		return false;
	words_spaces(&t);
	return words_take(&t, "[") && take_pair(&t, &v[EVER]) && words_take(&t, "]");
}

static bool take_stack(struct legacy *g, struct words t)
{
	leg_sample(g);
	for (words_spaces(&t); words_take(&t, "0x"); words_spaces(&t)) {
		struct words hex = {t.p, t.p};
		uint64_t addr;
		while (hex.end < t.end && is_hex(*hex.end))
			hex.end++;
		if (hex.p == hex.end || !words_hex(hex, &addr))
			return false;
		leg_frame(g, leg_loc(g, addr - 1));	/* into the call */
		t.p = hex.end;
	}
	return t.p == t.end;
}

static void weigh(struct legacy *g, const struct pair v[2])
{
	struct leg_sample *s = &g->sample[g->nsample - 1];
	int64_t *to = s->value;
	const struct pair *one = v[LIVE].n ? &v[LIVE] : &v[EVER];
	s->has_bytes = true;
	s->bytes = one->n ? one->bytes / one->n : 0;
	for (int i = g->ntype == 4 ? EVER : LIVE; i >= LIVE; i--, to += 2) {
		to[0] = v[i].n;
		to[1] = v[i].bytes;
		leg_unsample(&to[0], &to[1], g->period);
	}
}

static bool take_heading(struct lines *l, int64_t *rate)
{
	struct words d;
	while (lines_next(l) && lines_comment(l))
		;
	struct words t = lines_trimmed(l);
	return words_take(&t, "heap_v2/") && words_digits(&t, &d) && t.p == t.end && words_number(d, rate);
}

bool leg_is_jemalloc(struct lines l)
{
	int64_t rate;
	return take_heading(&l, &rate);
}

enum leg_verdict leg_jemalloc(struct legacy *g, struct lines l)
{
	struct pair v[2];
	if (!take_heading(&l, &g->period))
		return LEG_OTHER;
	g->drop = own_frames;
	g->period_type = "space";
	g->period_unit = "bytes";
	leg_heap_types(g, false);
	while (lines_next(&l) && !leg_map_heading(&l)) {
		struct words t = lines_trimmed(&l);
		if (lines_comment(&l) || (words_start(t, "t") && !words_start(t, "t*")))
			continue;
		if (words_take(&t, "@")) {
			if (!take_stack(g, t))
				return LEG_BAD;
		} else if (!take_values(t, v)) {
			return LEG_BAD;
		} else if (g->nsample) {
			weigh(g, v);
		} else {
			leg_heap_types(g, v[EVER].n > 0);	/* the totals */
		}
	}
	leg_memory_map(g, &l, true);
	return LEG_OK;
}
