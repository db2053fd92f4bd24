/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A profile as the reports have made it (merged, a base subtracted, its
 * uninteresting frames dropped) said again to a sink: so the viewer's store
 * holds just what the reports would print of the same command line.
 */
#include "config.h"
#include "analysis/prof.h"

struct emitter {
	const struct prof *p;
	const struct sink *to;
	str_id *str;	/* ours to the sink's, likewise below */
	map_id *map;
	fun_id *fun;
	loc_id *loc;
	stk_id *stack;
};

static void emit_names(struct emitter *m)
{
	const struct prof *p = m->p;
	const struct sink_ops *ops = m->to->ops;
	void *self = m->to->self;
	for (size_t i = 0; i < p->nstr; i++)
		m->str[i] = ops->str(self, p->str[i].s, p->str[i].n);
	for (size_t i = 1; i < p->nmap; i++) {
		const struct prof_map *r = &p->map[i];
		m->map[i] = ops->map(self, &(struct sink_map){.id = r->id, .start = r->start, .limit = r->limit,
		    .offset = r->offset, .file = m->str[r->file], .build_id = m->str[r->build], .functions = r->functions,
		    .filenames = r->filenames, .lines = r->lines, .inlines = r->inlines});
	}
	for (size_t i = 1; i < p->nfun; i++) {
		const struct prof_fun *r = &p->fun[i];
		m->fun[i] = ops->fun(self, &(struct sink_fun){.id = r->id, .name = m->str[r->name],
		    .sysname = m->str[r->sysname], .file = m->str[r->file], .line = r->line});
	}
}

static void emit_locations(struct emitter *m)
{
	const struct prof *p = m->p;
	struct sink_line *line = NULL;
	size_t cap = 0;
	for (size_t i = 1; i < p->nloc; i++) {
		const struct prof_loc *r = &p->loc[i];
		line = mem_grow(line, &cap, r->nline, sizeof *line);
		for (uint32_t k = 0; k < r->nline; k++) {
			const struct prof_line *l = &p->line[r->line + k];
			line[k] = (struct sink_line){m->fun[l->fun], l->line, l->col};
		}
		m->loc[i] = m->to->ops->loc(m->to->self, &(struct sink_loc){.id = r->id, .addr = r->addr,
		    .map = m->map[r->map], .folded = r->folded, .line = line, .nline = r->nline});
	}
	mem_free(line);
}

static void emit_stacks(struct emitter *m)
{
	const struct prof *p = m->p;
	loc_id *loc = NULL;
	size_t cap = 0;
	for (size_t i = 0; i < p->nstack; i++) {
		uint32_t n = p->stack[i].n;
		loc = mem_grow(loc, &cap, n, sizeof *loc);
		for (uint32_t k = 0; k < n; k++)
			loc[k] = m->loc[p->frame[p->stack[i].off + k]];
		m->stack[i] = m->to->ops->stack(m->to->self, loc, n);
	}
	mem_free(loc);
}

static bool emit_samples(struct emitter *m)
{
	const struct prof *p = m->p;
	struct sink_label *label = NULL;
	size_t cap = 0;
	bool go = true;
	for (size_t i = 0; i < p->nsample && go; i++) {
		struct prof_run set = p->set[p->sample[i].labels];
		label = mem_grow(label, &cap, set.n, sizeof *label);
		for (uint32_t k = 0; k < set.n; k++) {
			const struct prof_label *l = &p->label[set.off + k];
			label[k] = (struct sink_label){m->str[l->key], m->str[l->str], l->num, m->str[l->unit],
			    l->str && l->str == p->blank};
		}
		m->to->ops->sample(m->to->self, &(struct sink_sample){.stack = m->stack[p->sample[i].stack],
		    .value = p->value + i * p->ntype, .label = label, .nlabel = set.n, .when = TIME_NONE});
		if (i % 65536 == 65535)
			go = m->to->ops->upto(m->to->self, TIME_NONE, 0);
	}
	mem_free(label);
	return go;
}

static void emit_meta(struct emitter *m)
{
	const struct prof *p = m->p;
	str_id *comment = xmalloc((p->ncomment + 1) * sizeof *comment);
	for (size_t i = 0; i < p->ncomment; i++)
		comment[i] = m->str[p->comment[i]];
	m->to->ops->meta(m->to->self, &(struct sink_meta){.drop_frames = m->str[p->drop_frames],
	    .keep_frames = m->str[p->keep_frames], .default_type = m->str[p->default_type],
	    .doc_url = m->str[p->doc_url], .period_type = m->str[p->period_type],
	    .period_unit = m->str[p->period_unit], .time = p->time, .duration = p->duration, .period = p->period,
	    .comment = comment, .ncomment = p->ncomment});
	mem_free(comment);
}

bool prof_emit(const struct prof *p, const struct sink *to)
{
	struct emitter m = {p, to, xcalloc(p->nstr + 1, sizeof *m.str), xcalloc(p->nmap + 1, sizeof *m.map),
	    xcalloc(p->nfun + 1, sizeof *m.fun), xcalloc(p->nloc + 1, sizeof *m.loc),
	    xcalloc(p->nstack + 1, sizeof *m.stack)};
	emit_names(&m);
	emit_meta(&m);
	for (size_t i = 0; i < p->ntype; i++)
		to->ops->type(to->self, m.str[p->type[i].type], m.str[p->type[i].unit]);
	emit_locations(&m);
	emit_stacks(&m);
	bool go = emit_samples(&m);
	mem_free(m.str);
	mem_free(m.map);
	mem_free(m.fun);
	mem_free(m.loc);
	mem_free(m.stack);
	return go;
}
