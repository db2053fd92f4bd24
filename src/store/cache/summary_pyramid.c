/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Ps and Ms are few, so their summaries are small. That of every sheet is kept, since a window of some ten sheets needs
 * more than one summary. A window of all sheets, ten thousand in a long trace, must not read all of them for each row.
 * So there are summaries of two sheets as well, of four, and so on. A screen column uses the largest that fit into it,
 * which are few and exact. They take as much memory as those of single sheets.
 */
#include "config.h"
#include "store/cache/summary_pyramid.h"

#include "base/mem/mem.h"

enum { STEPS = 24 };

/* Elements are struct summary *; element j of step s covers the sheets from j << s to before (j + 1) << s. */
struct summary_pyramid { struct data_column step[STEPS]; };

struct summary_pyramid *summary_pyramid_new(void)
{
	struct summary_pyramid *l = xcalloc(1, sizeof *l);
	for (int s = 0; s < STEPS; s++)
		column_init(&l->step[s], sizeof(struct summary *));
	return l;
}

void summary_pyramid_free(struct summary_pyramid *l)
{
	for (int s = 0; l && s < STEPS; s++) {
		for (uint32_t i = 0; i < column_n(&l->step[s]); i++)
			summary_free(COLUMN_AT(&l->step[s], struct summary *, i));
		column_free(&l->step[s]);
	}
	mem_free(l);
}

static const struct summary *summary_at(const struct summary_pyramid *l, uint32_t step, uint32_t i)
{
	return COLUMN_AT(&l->step[step], struct summary *, i);
}

/* Append a summary. Readers see it once the column is committed. */
static void put_summary(struct data_column *c, struct summary *b)
{
	uint32_t got;
	*(struct summary **)column_reserve(c, 1, &got) = b;
	column_commit(c, 1);
}

void summary_pyramid_add(struct summary_pyramid *l, struct summary *b)
{
	put_summary(&l->step[0], b);
	for (uint32_t s = 0, n; s + 1 < STEPS && (n = column_n(&l->step[s])) % 2 == 0; s++)
		put_summary(&l->step[s + 1], summary_merge(summary_at(l, s, n - 2), summary_at(l, s, n - 1)));
}

void summary_pyramid_sum(const struct summary_pyramid *l, uint32_t from, uint32_t to, trk_id trk, int64_t ns[TS__N])
{
	while (from < to) {
		uint32_t s = 0;
		while (s + 1 < STEPS && !(from >> s & 1) && to - from >= 2u << s &&
		    from >> (s + 1) < column_n(&l->step[s + 1]))
			s++;
		const struct summary *b = summary_at(l, s, from >> s);
		summary_estimate(b, trk, b->t0, b->t1, ns);
		from += 1u << s;
	}
}
