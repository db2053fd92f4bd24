/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A profile written as profile.proto, gzipped (pprof/write.c): all of it
 * after the filters, or one sample a node of the call graph (topproto).
 */
#include "config.h"
#include "report/pprof/pprof.h"

#include "base/text/pprof_units.h"
#include "report/pprof/profile_report.h"

#include <string.h>

static bool put(void *arg, const void *p, size_t n)
{
	struct out *out = arg;
	buf_put(&out->buf, p, n);
	out_flush(out, false);
	return !out->failed;
}

static int to_out(const struct prof *p, struct out *out, struct err *e)
{
	return out_bytes(out, e) ? -1 : prof_write(p, put, out, e);
}

int report_proto(const struct opt *o, struct out *out, struct err *e)
{
	struct view v;
	if (view_open(&v, o, V_PROTO, e))
		return -1;
	if (v.ratio > 0 && v.ratio != 1)
		for (size_t i = 0; i < v.p->nvalue; i++)
			v.p->value[i] = units_i64((double)v.p->value[i] * v.ratio);
	int r = to_out(v.p, out, e);
	view_close(&v);
	return r;
}

/* ---- topproto */

struct copier {
	struct prof *to;
	const struct prof *from;
	struct intern funs;
};

static int same_fun(const void *ctx, uint32_t id, const void *key)
{
	const struct prof_fun *a = &((const struct prof *)ctx)->fun[id], *b = key;
	return a->name == b->name && a->file == b->file && a->line == b->line;
}

static str_id copy_str(struct copier *c, str_id s)
{
	return prof_str(c->to, c->from->str[s].s, c->from->str[s].n);
}

static void copy_node(struct copier *c, const struct view *v, const struct gnode *n)
{
	struct prof *to = c->to;
	struct prof_fun f = {.name = copy_str(c, n->info.name),
	    .file = copy_str(c, n->info.file),
	    .line = n->info.start};
	uint32_t h = hash_u64((uint64_t)f.name << 32 | f.file, (uint64_t)f.line);
	uint32_t fun = intern_find(&c->funs, h, same_fun, to, &f);
	if (fun == UINT32_MAX) {
		f.id = to->nfun;
		fun = prof_add_fun(to, &f);
		intern_put(&c->funs, h, fun);
	}
	struct prof_line line = {fun, n->info.line, n->info.col};
	struct prof_loc l = {
	    .id = to->nloc, .addr = n->info.addr, .line = prof_add_line(to, &line), .nline = 1};
	loc_id loc = prof_add_loc(to, &l);
	int64_t val[2] = {
	    units_i64(view_scaled(v, gnode_cum(n))), units_i64(view_scaled(v, gnode_flat(n)))};
	prof_add_sample(to, prof_stack(to, &loc, 1), 0, val);
}

int report_topproto(const struct opt *o, struct out *out, struct err *e)
{
	struct view v;
	if (view_open(&v, o, V_TOPPROTO, e))
		return -1;
	struct graph *g = graph_trimmed(v.p, &v.g);
	struct copier c = {prof_new(), v.p, {0}};
	struct sink sink = prof_sink(c.to);
	view_choose_unit(&v, g);
	str_id unit = prof_str(c.to, v.unit, strlen(v.unit));
	sink.ops->type(sink.self, prof_str(c.to, "cum", 3), unit);
	sink.ops->type(sink.self, prof_str(c.to, "flat", 4), unit);
	c.to->time = v.p->time;
	c.to->duration = v.p->duration;
	c.to->period = v.p->period;
	c.to->period_type = copy_str(&c, v.p->period_type);
	c.to->period_unit = copy_str(&c, v.p->period_unit);
	for (size_t i = 0; i < g->n; i++)
		copy_node(&c, &v, g->node[i]);
	int r = to_out(c.to, out, e);
	intern_free(&c.funs);
	prof_free(c.to);
	graph_free(g);
	view_close(&v);
	return r;
}
