/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The samples of a profile, on two threads: one unpacks records into batches,
 * the caller's says them to the sink, so that a sink never sees another thread.
 * All checks are made while unpacking; a batch holds nothing that can be wrong.
 *
 * The stacks of a batch are said in the order of their outermost frames, the
 * samples in the order of the file. A sink that keeps stacks as a tree then goes
 * down the same ways one after another, near to where it has just been: in a
 * profile written out of a hash table, as most are, neighbours have nothing in
 * common, and the look-ups of 1 M stacks of 30 frames wait for memory.
 *
 * What has been said is given back (input_spent), but for strings, which labels
 * name for the first time here. They lie before all samples or after them, as
 * every writer has it, or nothing is given back.
 */
#include "config.h"
#include "load/pprof_in.h"

#include "base/job.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 14, BATCH_FRAMES = 1 << 20, SLOTS = 3, KEY_FRAMES = 4 };

struct raw_label { int64_t key, str, num, unit; };
struct raw_sample { size_t loc, label; uint32_t nloc, nlabel; };

struct batch {
	uint32_t n;
	uint64_t upto;			/* of the file */
	struct raw_sample *sample;
	loc_id *loc;			/* leaf first */
	struct raw_label *label;
	int64_t *value;			/* ntype a sample */
	size_t nloc, nlabel, nvalue, csample, cloc, clabel, cvalue;
};

struct way { uint64_t key; uint32_t sample; };

struct samples {
	struct pprof *p;
	struct batch slot[SLOTS];
	struct belt *belt;
	uint64_t spent;			/* what of the input may go begins here; UINT64_MAX: nothing may */
	/* the caller's */
	struct way *way;
	stk_id *stack;
	struct sink_label *label;
	size_t cway, cstack, clabel;
};

/* ---- unpacking */

static int add_stack(struct pprof *p, struct batch *b, const Ttpb__Sample *m, uint64_t at)
{
	b->loc = mem_grow(b->loc, &b->cloc, b->nloc + m->n_location_id, sizeof *b->loc);
	for (size_t i = 0; i < m->n_location_id; i++) {
		loc_id id = pprof_id(&p->loc, m->location_id[i]);
		if (!id)
			return err_set(p->e, ERR_FORMAT, at,
			    "malformed profile: a sample has location %llu, which is not there",
			    (unsigned long long)m->location_id[i]);
		b->loc[b->nloc++] = id;
	}
	return 0;
}

static int add_labels(struct pprof *p, struct batch *b, const Ttpb__Sample *m, uint64_t at)
{
	b->label = mem_grow(b->label, &b->clabel, b->nlabel + m->n_label, sizeof *b->label);
	for (size_t i = 0; i < m->n_label; i++) {
		const Ttpb__Label *l = m->label[i];
		if (pprof_has_string(p, l->key, at) || pprof_has_string(p, l->str, at) ||
		    (!l->str && pprof_has_string(p, l->num_unit, at)))
			return -1;
		/* a number 0 without a unit is no label; a unit may be an empty text, though */
		if (l->str || l->num || l->num_unit)
			b->label[b->nlabel++] =
			    (struct raw_label){l->key, l->str, l->num, l->str ? 0 : l->num_unit};
	}
	return 0;
}

static int take_sample(struct pprof *p, const struct field *f, struct batch *b)
{
	Ttpb__Sample *m = ttpb__sample__unpack(&p->pb, f->n, f->p);
	if (!m)
		return pprof_bad_record(p, f, "sample");
	if (!p->ntype)
		return err_set(
		    p->e, ERR_FORMAT, f->at, "malformed profile: samples without sample types");
	if (m->n_value != p->ntype)
		return err_set(p->e, ERR_FORMAT, f->at,
		    "malformed profile: a sample has %zu values, there are %zu sample types",
		    m->n_value, p->ntype);
	struct raw_sample s = {.loc = b->nloc, .label = b->nlabel, .nloc = (uint32_t)m->n_location_id};
	if (add_stack(p, b, m, f->at) || add_labels(p, b, m, f->at))
		return -1;
	s.nlabel = (uint32_t)(b->nlabel - s.label);
	b->value = mem_grow(b->value, &b->cvalue, b->nvalue + p->ntype, sizeof *b->value);
	memcpy(b->value + b->nvalue, m->value, p->ntype * sizeof *b->value);
	b->nvalue += p->ntype;
	b->sample = mem_grow(b->sample, &b->csample, (size_t)b->n + 1, sizeof *b->sample);
	b->sample[b->n++] = s;
	return 0;
}

/* Fill a batch from where *c is. -1: p->e, and the batch holds what came before. */
static int fill(struct pprof *p, struct cur *c, struct batch *b)
{
	struct field f;
	int r = 0;
	b->n = 0;
	b->nloc = b->nlabel = b->nvalue = 0;
	while (!r && cur_left(c) && b->n < BATCH && b->nloc < BATCH_FRAMES) {
		r = pprof_field(c, &f, p->e);
		if (!r && f.field == F_SAMPLE)
			r = take_sample(p, &f, b);
		if (p->scratch.used)
			arena_reset(&p->scratch);
	}
	b->upto = cur_at(c);
	return r;
}

static int unpack(struct job *j, void *arg)
{
	struct samples *s = arg;
	struct cur c = s->p->all;
	int r = 0, i;
	(void)j;
	while (!r && cur_left(&c) && (i = belt_take(s->belt)) >= 0) {
		r = fill(s->p, &c, &s->slot[i]);
		belt_send(s->belt);
	}
	belt_close(s->belt);
	return r;
}

/* ---- saying */

/* A number that is alike for stacks with the same outermost frames. */
static uint64_t way_key(const struct batch *b, const struct raw_sample *s)
{
	uint64_t key = 0;
	for (uint32_t i = 0; i < KEY_FRAMES; i++)
		key = key << 16 | (i < s->nloc ? b->loc[s->loc + s->nloc - 1 - i] & 0xffff : 0);
	return key;
}

static int by_key(const void *x, const void *y)
{
	const struct way *a = x, *b = y;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->sample > b->sample) - (a->sample < b->sample);
}

static void say_stacks(struct samples *s, const struct batch *b)
{
	const struct sink *out = s->p->out;
	s->way = mem_grow(s->way, &s->cway, b->n, sizeof *s->way);
	s->stack = mem_grow(s->stack, &s->cstack, b->n, sizeof *s->stack);
	for (uint32_t i = 0; i < b->n; i++)
		s->way[i] = (struct way){way_key(b, &b->sample[i]), i};
	if (b->n)
		qsort(s->way, b->n, sizeof *s->way, by_key);
	for (uint32_t i = 0; i < b->n; i++) {
		const struct raw_sample *r = &b->sample[s->way[i].sample];
		s->stack[s->way[i].sample] = out->ops->stack(out->self, b->loc + r->loc, r->nloc);
	}
}

static struct sink_label label_of(struct pprof *p, const struct raw_label *l)
{
	struct sink_label out = {.key = pprof_string(p, l->key)};
	if (l->str) {
		out.str = pprof_string(p, l->str);
		out.blank = !out.str;
	} else {
		out.num = l->num;
		out.unit = pprof_string(p, l->unit);
		out.bare = l->unit && !out.unit;
	}
	return out;
}

/* false: the sink has said stop. */
static bool say(struct samples *s, const struct batch *b)
{
	struct pprof *p = s->p;
	const struct sink_ops *ops = p->out->ops;
	say_stacks(s, b);
	for (uint32_t i = 0; i < b->n; i++) {
		const struct raw_sample *r = &b->sample[i];
		s->label = mem_grow(s->label, &s->clabel, r->nlabel, sizeof *s->label);
		for (uint32_t k = 0; k < r->nlabel; k++)
			s->label[k] = label_of(p, &b->label[r->label + k]);
		ops->sample(p->out->self, &(struct sink_sample){.stack = s->stack[i],
		    .value = b->value + i * p->ntype, .label = s->label, .nlabel = r->nlabel, .when = TIME_NONE});
	}
	if (s->spent != UINT64_MAX)
		input_spent(&p->in, s->spent, b->upto);
	return ops->upto(p->out->self, TIME_NONE, b->upto);
}

/* Every batch that comes off the belt, even when the end of them was bad. */
static bool say_all(struct samples *s)
{
	bool go = true;
	for (int i; (i = belt_next(s->belt)) >= 0; belt_done(s->belt)) {
		go = go && say(s, &s->slot[i]);
		if (!go)
			belt_close(s->belt);
	}
	return go;
}

static int one_after_another(struct samples *s, bool *go)
{
	struct cur c = s->p->all;
	int r = 0;
	while (!r && *go && cur_left(&c)) {
		r = fill(s->p, &c, &s->slot[0]);
		*go = say(s, &s->slot[0]);
	}
	return r;
}

static void samples_free(struct samples *s)
{
	for (size_t i = 0; i < SLOTS; i++) {
		mem_free(s->slot[i].sample);
		mem_free(s->slot[i].loc);
		mem_free(s->slot[i].label);
		mem_free(s->slot[i].value);
	}
	mem_free(s->way);
	mem_free(s->stack);
	mem_free(s->label);
	belt_free(s->belt);
}

/* Where the samples begin to be the only thing that is still read. */
static uint64_t spent_from(const struct pprof *p)
{
	if (!p->strings.any || p->strings.first > p->samples.last)
		return 0;
	return p->strings.last <= p->samples.first ? p->strings.last : UINT64_MAX;
}

int pprof_samples(struct pprof *p)
{
	struct samples s = {.p = p, .belt = belt_new(SLOTS), .spent = spent_from(p)};
	bool go = true;
	int r;
	struct job *j = p->in.n >= BATCH * 16 && job_cpus() > 1 ? job_start(unpack, &s) : NULL;
	if (j) {
		go = say_all(&s);
		r = job_join(j);
		go = say_all(&s) && go;	/* one may have been on its way when the belt was closed */
	} else {
		r = one_after_another(&s, &go);
	}
	samples_free(&s);
	return r ? -1 : go ? 0 : err_set(p->e, ERR_CANCEL, ERR_NOWHERE, "stopped");
}
