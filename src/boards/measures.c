/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* The measures that boards share with the rules of findings: one pass over the intervals of a trace (findings/measures/scan.c). */
#include "config.h"
#include "boards/measures.h"

#include "base/mem/mem.h"

struct board_measures *board_measures_new(const struct board_source *from, const struct progress_watcher *on)
{
	struct board_measures *m = xcalloc(1, sizeof *m);
	*m = (struct board_measures){.sn = from->sn, .filter = from->filter, .operations = from->operations,
	    .walker = from->walker, .uncurved = from->uncurved};
	if (from->unscanned)
		scan_range(&m->scan, m->sn, m->filter);
	else if (!scan_run(&m->scan, m->sn, m->filter, m->operations, on)) {
		board_measures_free(m);
		return NULL;
	}
	m->wall = m->scan.t1 > m->scan.t0 ? m->scan.t1 - m->scan.t0 : 1;
	if (!from->unscanned)
		groups_make(&m->groups, &m->scan, &m->mem);
	return m;
}

void board_measures_free(struct board_measures *m)
{
	if (!m)
		return;
	scan_free(&m->scan);
	mem_free(m->groups.v);
	arena_free(&m->mem);
	mem_free(m);
}
