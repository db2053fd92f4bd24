/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The common ground of the reports on traces. All take their numbers from the
 * store through the analyses, so that a report and a pane cannot disagree;
 * nothing here looks at events.
 */
#include "config.h"
#include "report/trep.h"

#include "report/view.h"

#include <string.h>

int trep_open(struct trep *r, const struct opt *o, struct out *out, struct err *e)
{
	*r = (struct trep){ .o = o, .out = &out->buf };
	if (table_format(o, &r->format, e) || trace_open(&r->t, o, report_notice, NULL, e))
		return -1;
	r->sn = r->t.sn;
	r->st = r->sn->st;
	r->mem = &r->t.arena;
	if (trace_range(r->sn, o, &r->t0, &r->t1, e) || trace_filter(r->sn, o, r->mem, &r->filter, e)) {
		trep_close(r);
		return -1;
	}
	r->ask = (struct sched_ask){ r->filter.from, r->filter.to, r->filter.g };
	return 0;
}

void trep_close(struct trep *r)
{
	trace_close(&r->t);
}

struct trep_text trep_str(const struct trep *r, str_id s, const char *none)
{
	const struct str_row *row = store_str(r->st, s);
	if (!s || !row->n)
		return (struct trep_text){ none, strlen(none) };
	return (struct trep_text){ row->s, row->n };
}

void trep_frame(const struct trep *r, struct buf *b, frm_id f)
{
	if (!f)
		return;
	const struct frm_row *row = store_frm(r->st, f);
	const struct fun_row *fun = store_fun(r->st, row->fun);
	struct trep_text name = trep_str(r, fun->name, "?"), file = trep_str(r, fun->file, "?");
	buf_put(b, name.s, name.n);
	buf_putc(b, ' ');
	buf_put(b, file.s, file.n);
	buf_putc(b, ':');
	buf_i64(b, row->line);
}

void trep_site(const struct trep *r, struct table *t, stk_id s)
{
	struct buf b = {0};
	if (s)
		trep_frame(r, &b, store_stk(r->st, s)->frame);
	table_str(t, b.p ? b.p : "", b.n);
	buf_free(&b);
}

static void put_part(const struct trep *r, struct json *j, const struct sched_part *p)
{
	struct trep_text s = trep_str(r, p->name, p->text);
	json_keyed_i64(j, s.s, s.n, p->ns);
}

void trep_gstat_json(const struct trep *r, struct json *j, const struct gstat *g)
{
	json_i64(j, "total_ns", g->total);
	json_i64(j, "exec_ns", g->exec);
	json_i64(j, "sched_wait_ns", g->ready);
	json_i64(j, "syscall_ns", g->syscall);
	json_i64(j, "syscall_block_ns", g->sysblock);
	json_i64(j, "unknown_ns", g->unknown);
	json_object(j, "block_ns");
	for (uint32_t i = 0; i < g->nblock; i++)
		put_part(r, j, &g->block[i]);
	json_end(j);
	json_object(j, "ranges_ns");
	for (uint32_t i = 0; i < g->nrange; i++)
		put_part(r, j, &g->range[i]);
	json_end(j);
}

const struct table_col trep_gcols[TREP_GCOLS] = {
	{ "Total", "total_ns", TB_NS }, { "Exec", "exec_ns", TB_NS }, { "Sched wait", "sched_wait_ns", TB_NS },
	{ "Syscall", "syscall_ns", TB_NS }, { "Syscall block", "syscall_block_ns", TB_NS },
	{ "Block", "block_ns", TB_NS }, { "Unknown", "unknown_ns", TB_NS }, { "GC", "ranges_ns", TB_NS },
};

void trep_gcells(struct table *t, const struct gstat *g)
{
	int64_t block = 0, range = 0;
	for (uint32_t i = 0; i < g->nblock; i++)
		block += g->block[i].ns;
	for (uint32_t i = 0; i < g->nrange; i++)
		range += g->range[i].ns;
	const int64_t v[TREP_GCOLS] = { g->total, g->exec, g->ready, g->syscall, g->sysblock, block, g->unknown, range };
	for (int i = 0; i < TREP_GCOLS; i++)
		table_int(t, v[i]);
}
