/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * proto: the profile after the filters, as gzipped profile.proto
 * (pprof/write.c); topproto: one sample per node of the call graph.
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/text/pprof_units.h"

#include <string.h>

static bool write_output(void *arg, const void *p, size_t n)
{
	struct out *out = arg;
	buf_put(&out->buf, p, n);
	output_flush(out, false);
	return !out->failed;
}

static int to_out(const struct profile *p, struct out *out, struct err *e)
{
	return output_check_binary(out, e) ? -1 : pprof_write(p, write_output, out, e);
}

int report_proto(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	if (pprof_report_open(&v, o, REPORT_PROTO, e))
		return -1;
	if (v.ratio > 0 && v.ratio != 1)
		for (size_t i = 0; i < v.p->nvalue; i++)
			v.p->value[i] = pprof_units_to_i64((double)v.p->value[i] * v.ratio);
	int r = to_out(v.p, out, e);
	pprof_report_close(&v);
	return r;
}

/* ---- topproto */

struct prof_copier {
	struct profile *to;
	const struct profile *from;
	struct intern funs;
};

static int same_fun(const void *ctx, uint32_t id, const void *key)
{
	const struct profile_function *a = &((const struct profile *)ctx)->fun[id], *b = key;
	return a->name == b->name && a->file == b->file && a->line == b->line;
}

static str_id copy_str(struct prof_copier *c, str_id s)
{
	return profile_add_string(c->to, c->from->str[s].s, c->from->str[s].n);
}

static void copy_node(struct prof_copier *c, const struct pprof_report *v, const struct graph_node *n)
{
	struct profile *to = c->to;
	struct profile_function f = {.name = copy_str(c, n->info.name),
	    .file = copy_str(c, n->info.file),
	    .line = n->info.start};
	uint32_t h = intern_hash_u64((uint64_t)f.name << 32 | f.file, (uint64_t)f.line);
	uint32_t fun = intern_find(&c->funs, h, same_fun, to, &f);
	if (fun == UINT32_MAX) {
		f.id = to->nfun;
		fun = profile_add_function(to, &f);
		intern_put(&c->funs, h, fun);
	}
	struct profile_line line = {fun, n->info.line, n->info.col};
	struct profile_location l = {
	    .id = to->nloc, .addr = n->info.addr, .line = profile_add_line(to, &line), .nline = 1};
	loc_id loc = profile_add_location(to, &l);
	int64_t val[2] = {pprof_units_to_i64(pprof_report_scaled(v, graph_node_cum(n))),
	    pprof_units_to_i64(pprof_report_scaled(v, graph_node_flat(n)))};
	profile_add_sample(to, profile_add_stack(to, &loc, 1), 0, val);
}

int report_topproto(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	if (pprof_report_open(&v, o, REPORT_TOPPROTO, e))
		return -1;
	struct graph *g = graph_trimmed(v.p, &v.g);
	struct prof_copier c = {profile_new(), v.p, {0}};
	struct sink sink = profile_sink(c.to);
	pprof_report_choose_unit(&v, g);
	str_id unit = profile_add_string(c.to, v.unit, strlen(v.unit));
	sink.profile->type(sink.self, profile_add_string(c.to, "cum", 3), unit);
	sink.profile->type(sink.self, profile_add_string(c.to, "flat", 4), unit);
	c.to->meta.time = v.p->meta.time;
	c.to->meta.duration = v.p->meta.duration;
	c.to->meta.period = v.p->meta.period;
	c.to->meta.period_type = copy_str(&c, v.p->meta.period_type);
	c.to->meta.period_unit = copy_str(&c, v.p->meta.period_unit);
	for (size_t i = 0; i < g->n; i++)
		copy_node(&c, &v, g->node[i]);
	int r = to_out(c.to, out, e);
	intern_free(&c.funs);
	profile_free(c.to);
	graph_free(g);
	pprof_report_close(&v);
	return r;
}
