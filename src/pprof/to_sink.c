/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Writes a profile as the reports have made it (merged, a base subtracted, uninteresting frames dropped) to a sink: so
 * the viewer's store holds exactly what the reports would print for the same command line.
 *
 * A profile can also be added to a store that holds another one. Its rows have no ids then, so the store finds its own
 * rows with the same contents (symbols.c) and both profiles share their frames and nodes. Mappings are matched by size,
 * offset and name, and addresses are moved from one to the other, as pprof does when it merges. Values are converted to
 * the types and units of the store. The samples carry the number of their side and are otherwise like all others, so
 * one tree and one set of filter results serve both sides of a difference.
 */
#include "config.h"
#include "pprof/profile.h"

#include "base/text/pprof_units.h"
#include "store/store.h"

#include <math.h>
#include <string.h>

struct emitter {
	const struct profile *p;
	const struct sink *to;
	str_id *str;	/* str, map, fun, loc, stack: by id of the profile, the id in the sink */
	map_id *map;
	fun_id *fun;
	loc_id *loc;
	stk_id *stack;
	/* the following are for adding to a store */
	const struct snap *sn;	/* NULL: it is not added to a store */
	uint32_t side;
	int64_t *shift;		/* by mapping: the difference of its addresses in the store */
	int *type;		/* by type of the store: the type of the profile, -1: none */
	double *ratio;
};

static uint64_t page_count(uint64_t start, uint64_t limit)
{
	return (limit - start + 0xfff) / 0x1000;
}

/* Return the equal mapping of the store; 0: none. */
static map_id known_map(const struct emitter *m, const struct profile_mapping *r)
{
	uint32_t n = m->sn ? column_n(&m->sn->st->maps) : 0;
	str_id name = m->str[r->build ? r->build : r->file];
	for (map_id k = 1; k < n; k++) {
		const struct map_row *o = column_at(&m->sn->st->maps, k);
		if (page_count(o->start, o->limit) == page_count(r->start, r->limit) &&
		    o->offset == r->offset && (o->build_id ? o->build_id : o->file) == name)
			return k;
	}
	return 0;
}

static void emit_names(struct emitter *m)
{
	const struct profile *p = m->p;
	const struct sink_ops *ops = m->to->ops;
	void *self = m->to->self;
	for (size_t i = 0; i < p->nstr; i++)
		m->str[i] = ops->str(self, p->str[i].s, p->str[i].n);
	for (size_t i = 1; i < p->nmap; i++) {
		const struct profile_mapping *r = &p->map[i];
		if ((m->map[i] = known_map(m, r))) {
			const struct map_row *o = column_at(&m->sn->st->maps, m->map[i]);
			m->shift[i] = (int64_t)(o->start - r->start);
			continue;
		}
		m->map[i] = ops->map(self, &(struct sink_map){.id = r->id, .start = r->start, .limit = r->limit,
		    .offset = r->offset, .file = m->str[r->file], .build_id = m->str[r->build],
		    .functions = r->functions, .filenames = r->filenames, .lines = r->lines, .inlines = r->inlines});
	}
	for (size_t i = 1; i < p->nfun; i++) {
		const struct profile_function *r = &p->fun[i];
		m->fun[i] = ops->fun(self, &(struct sink_fun){.id = m->sn ? 0 : r->id, .name = m->str[r->name],
		    .sysname = m->str[r->sysname], .file = m->str[r->file], .line = r->line});
	}
}

static void emit_locations(struct emitter *m)
{
	const struct profile *p = m->p;
	struct sink_line *line = NULL;
	size_t cap = 0;
	for (size_t i = 1; i < p->nloc; i++) {
		const struct profile_location *r = &p->loc[i];
		line = mem_grow(line, &cap, r->nline, sizeof *line);
		for (uint32_t k = 0; k < r->nline; k++) {
			const struct profile_line *l = &p->line[r->line + k];
			line[k] = (struct sink_line){m->fun[l->fun], l->line, l->col};
		}
		m->loc[i] = m->to->ops->loc(m->to->self, &(struct sink_loc){.id = m->sn ? 0 : r->id,
		    .addr = r->addr + (m->shift ? (uint64_t)m->shift[r->map] : 0), .map = m->map[r->map],
		    .folded = r->folded, .line = line, .nline = r->nline});
	}
	mem_free(line);
}

static void emit_stacks(struct emitter *m)
{
	struct profile_frames frames = {.p = m->p, .stacks = true};
	loc_id *loc = NULL;
	size_t cap = 0;
	for (size_t i = 0; i < m->p->nstack; i++) {
		const struct profile_frame_list *stack = profile_frames_at(&frames, i);
		loc = mem_grow(loc, &cap, stack->n, sizeof *loc);
		for (size_t k = 0; k < stack->n; k++)
			loc[k] = m->loc[stack->frame[k]];
		m->stack[i] = m->to->ops->stack(m->to->self, loc, stack->n);
	}
	mem_free(loc);
	profile_frames_free(&frames);
}

/* Return the values of a sample for the types of the store. */
static const int64_t *value_of(const struct emitter *m, size_t i, int64_t *v)
{
	const int64_t *from = m->p->value + i * m->p->ntype;
	if (!m->sn)
		return from;
	for (uint32_t k = 0; k < m->sn->ntypes; k++) {
		int64_t x = m->type[k] < 0 ? 0 : from[m->type[k]];
		v[k] = m->ratio[k] == 1 ? x : pprof_units_to_i64(round((double)x * m->ratio[k]));
	}
	return v;
}

static bool emit_samples(struct emitter *m)
{
	const struct profile *p = m->p;
	struct sink_label *label = NULL;
	int64_t *value = m->sn ? xcalloc(m->sn->ntypes + 1u, sizeof *value) : NULL;
	size_t cap = 0;
	bool go = true;
	for (size_t i = 0; i < p->nsample && go; i++) {
		struct profile_run set = p->set[p->sample[i].labels];
		label = mem_grow(label, &cap, set.n, sizeof *label);
		for (uint32_t k = 0; k < set.n; k++) {
			const struct profile_label *l = &p->label[set.off + k];
			label[k] = (struct sink_label){m->str[l->key], m->str[l->str], l->num, m->str[l->unit],
			    l->str && l->str == p->blank, !l->str && l->unit && l->unit == p->blank};
		}
		m->to->profile->sample(m->to->self, &(struct sink_sample){.stack = m->stack[p->sample[i].stack],
		    .value = value_of(m, i, value), .label = label, .nlabel = set.n, .side = m->side,
		    .when = TIME_NONE});
		if (!m->sn && i % 65536 == 65535)
			go = m->to->ops->upto(m->to->self, TIME_NONE, 0);
	}
	mem_free(label);
	mem_free(value);
	return go;
}

static void emit_meta(struct emitter *m)
{
	const struct profile *p = m->p;
	str_id *comment = xmalloc((p->meta.ncomment + 1) * sizeof *comment);
	for (size_t i = 0; i < p->meta.ncomment; i++)
		comment[i] = m->str[p->meta.comment[i]];
	m->to->profile->meta(m->to->self, &(struct sink_meta){.drop_frames = m->str[p->meta.drop_frames],
					  .keep_frames = m->str[p->meta.keep_frames],
					  .default_type = m->str[p->meta.default_type],
					  .doc_url = m->str[p->meta.doc_url],
					  .period_type = m->str[p->meta.period_type],
					  .period_unit = m->str[p->meta.period_unit],
					  .time = p->meta.time,
					  .duration = p->meta.duration,
					  .period = p->meta.period,
					  .comment = comment,
					  .ncomment = p->meta.ncomment,
					  .commented = p->commented});
	mem_free(comment);
}

static void emitter_init(struct emitter *m, const struct profile *p, const struct sink *to)
{
	*m = (struct emitter){.p = p, .to = to, .str = xcalloc(p->nstr + 1, sizeof *m->str),
	    .map = xcalloc(p->nmap + 1, sizeof *m->map), .fun = xcalloc(p->nfun + 1, sizeof *m->fun),
	    .loc = xcalloc(p->nloc + 1, sizeof *m->loc), .stack = xcalloc(p->nstack + 1, sizeof *m->stack)};
}

static void emitter_free(struct emitter *m)
{
	void *const all[] = {m->str, m->map, m->fun, m->loc, m->stack, m->shift, m->type, m->ratio};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
}

bool pprof_to_sink(const struct profile *p, const struct sink *to)
{
	struct emitter m;
	emitter_init(&m, p, to);
	emit_names(&m);
	emit_meta(&m);
	for (size_t i = 0; i < p->ntype; i++)
		to->profile->type(to->self, m.str[p->type[i].type], m.str[p->type[i].unit]);
	emit_locations(&m);
	emit_stacks(&m);
	bool go = emit_samples(&m);
	emitter_free(&m);
	return go;
}

/* Match the profile's types to the store's, and compute the ratios of their units. */
static int match_types(struct emitter *m, struct err *e)
{
	const struct profile *p = m->p;
	const struct store *st = m->sn->st;
	struct buf b = {0};
	bool any = false;
	m->type = xcalloc(m->sn->ntypes + 1u, sizeof *m->type);
	m->ratio = xcalloc(m->sn->ntypes + 1u, sizeof *m->ratio);
	for (uint32_t k = 0; k < m->sn->ntypes; k++) {
		const struct type_row *t = column_at(&st->types, k);
		const char *name = store_str(st, t->name)->s, *unit = store_str(st, t->unit)->s;
		m->type[k] = -1;
		for (size_t i = 0; i < p->ntype && m->type[k] < 0; i++)
			if (!strcmp(profile_string(p, p->type[i].type), name) &&
			    pprof_units_compatible(profile_string(p, p->type[i].unit), unit)) {
				m->type[k] = (int)i;
				m->ratio[k] = pprof_units_scale(1, profile_string(p, p->type[i].unit), unit, NULL);
			}
		any |= m->type[k] >= 0;
		buf_printf(&b, " %s/%s", name, unit);
	}
	int rc = any ? 0 : err_set(e, ERR_FORMAT, ERR_NOWHERE,
			       "none of these sample types in the file:%s", buf_str(&b));
	buf_free(&b);
	return rc;
}

int pprof_add_side(const struct profile *p, const struct snap *sn, const struct sink *to, uint32_t side,
    struct err *e)
{
	struct emitter m;
	emitter_init(&m, p, to);
	m.sn = sn;
	m.side = side;
	m.shift = xcalloc(p->nmap + 1, sizeof *m.shift);
	int rc = match_types(&m, e);
	if (!rc) {
		emit_names(&m);
		emit_locations(&m);
		emit_stacks(&m);
		emit_samples(&m);
	}
	emitter_free(&m);
	return rc;
}
