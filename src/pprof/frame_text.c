/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The texts of frames, made once per location. A profile of a million samples may have 30 million frames on 50,000
 * locations, and to print a frame from the tables costs several loads at random addresses and the conversion of a
 * number. The texts are numbers of a few bytes in one array, so they stay in the cache. If none is longer than SHORT
 * bytes, that many are copied for each, without a call and without a branch for its length.
 *
 * Only for numbers: names would be repeated for each location that has them.
 */
#include "config.h"
#include "pprof/frame_text.h"

#include <string.h>

enum { SHORT = 16 };

void frame_text_end(struct frame_text *t)
{
	uint64_t from = t->n ? t->end[t->n - 1] : 0;
	t->end = mem_grow(t->end, &t->cap, t->n + 1, sizeof *t->end);
	t->end[t->n++] = t->text.n;
	t->longest = t->text.n - from > t->longest ? t->text.n - from : t->longest;
}

void frame_text_free(struct frame_text *t)
{
	buf_free(&t->text);
	mem_free(t->end);
	*t = (struct frame_text){0};
}

void frame_text_put(struct frame_text *t, struct buf *b, const struct profile_frame_list *l, bool root_first)
{
	size_t step = root_first ? SIZE_MAX : 1, k = root_first ? l->n - 1 : 0;
	bool fixed = t->longest <= SHORT;
	buf_reserve(&t->text, SHORT);	/* what is copied after the last text */
	buf_reserve(b, l->n * (fixed ? SHORT : 0));
	for (size_t i = 0; i < l->n; i++, k += step) {
		loc_id id = l->frame[k];
		uint64_t from = id ? t->end[id - 1] : 0, n = t->end[id] - from;
		if (!fixed) {
			buf_put(b, t->text.p + from, n);
			continue;
		}
		memcpy(b->p + b->n, t->text.p + from, SHORT);
		b->n += n;
	}
}
