/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Ps and Ms are few, so a brief of them is small: that of every sheet is kept, for a window of some ten sheets is to be
 * drawn from more than one of them. A window of all sheets, of which a long trace has ten thousand, must not cost all
 * of them for each row. So there are briefs of two sheets as well, of four, and so on: a column takes the largest that
 * fit into it, which are exact, and few. They take as much again as those of single sheets.
 */
#include "config.h"
#include "store/cache/summary_pyramid.h"

#include "base/mem/mem.h"

enum { STEPS = 24 };

struct ladder { struct col step[STEPS]; };	/* struct brief *: the j'th of step s is of sheets j << s and on */

struct ladder *ladder_new(void)
{
	struct ladder *l = xcalloc(1, sizeof *l);
	for (int s = 0; s < STEPS; s++)
		col_init(&l->step[s], sizeof(struct brief *));
	return l;
}

void ladder_free(struct ladder *l)
{
	for (int s = 0; l && s < STEPS; s++) {
		for (uint32_t i = 0; i < col_n(&l->step[s]); i++)
			brief_free(COL_AT(&l->step[s], struct brief *, i));
		col_free(&l->step[s]);
	}
	mem_free(l);
}

static const struct brief *at(const struct ladder *l, uint32_t step, uint32_t i)
{
	return COL_AT(&l->step[step], struct brief *, i);
}

/* It is there when the column says so, and not before. */
static void put(struct col *c, struct brief *b)
{
	uint32_t got;
	*(struct brief **)col_room(c, 1, &got) = b;
	col_grew(c, 1);
}

void ladder_add(struct ladder *l, struct brief *b)
{
	put(&l->step[0], b);
	for (uint32_t s = 0, n; s + 1 < STEPS && (n = col_n(&l->step[s])) % 2 == 0; s++)
		put(&l->step[s + 1], brief_merge(at(l, s, n - 2), at(l, s, n - 1)));
}

void ladder_sum(const struct ladder *l, uint32_t from, uint32_t to, trk_id trk, int64_t ns[TS__N])
{
	while (from < to) {
		uint32_t s = 0;
		while (s + 1 < STEPS && !(from >> s & 1) && to - from >= 2u << s &&
		    from >> (s + 1) < col_n(&l->step[s + 1]))
			s++;
		const struct brief *b = at(l, s, from >> s);
		brief_share(b, trk, b->t0, b->t1, ns);
		from += 1u << s;
	}
}
