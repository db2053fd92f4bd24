/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* `ttrace stw`: every stop of the world: when, how long, why, and who asked for it. */
#include "config.h"
#include "report/trep.h"

#include "store/spans.h"

#include <string.h>

int report_stw(const struct opt *o, struct out *out, struct err *e)
{
	static const struct table_col col[] = {
		{ "Start", "start_ns", TB_NS }, { "For", "duration_ns", TB_NS }, { "Goroutine", "goroutine", TB_INT },
		{ "Kind", "kind", TB_STR }, TREP_SITE,
	};
	static const char prefix[] = "stop-the-world (";
	struct trep r;
	if (trep_open(&r, o, out, e))
		return -1;
	struct table t;
	table_begin(&t, col, trep_site_cols(&r, sizeof col / sizeof *col));
	uint32_t n;
	const struct tw_slice *there = tw_presence(r.sn, &r.filter, r.mem, &n);
	for (uint32_t i = 0; (i = spans_next(r.sn, i, 1u << SP_STW, r.t0, r.t1 + 1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(r.st, i)->s;
		struct trep_text name = trep_str(&r, s->name, "");
		int64_t a, b;
		span_bounds(r.sn, s, &a, &b);
		if (!tw_present(there, n, a, b))
			continue;
		table_int(&t, a);
		table_int(&t, b - a);
		if (s->trk)
			table_int(&t, (int64_t)store_trk(r.st, s->trk)->id);
		else
			table_none(&t);	/* of a log: nobody is named */
		if (name.n > sizeof prefix && !memcmp(name.s, prefix, sizeof prefix - 1))
			table_str(&t, name.s + sizeof prefix - 1, name.n - sizeof prefix);	/* without ( and ) */
		else
			table_str(&t, name.s, name.n);
		trep_site(&r, &t, s->stack);
	}
	table_print(&t, r.format, r.out);
	table_free(&t);
	trep_close(&r);
	return 0;
}
