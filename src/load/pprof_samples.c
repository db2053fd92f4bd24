/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The samples of a profile, on two threads: one unpacks records into batches,
 * the caller's says them to the sink, so that a sink never sees another thread.
 * All checks are made while unpacking; a batch holds nothing that can be wrong.
 *
 * The stacks of a batch are said sorted from their outermost frames inwards, the
 * samples in the order of the file. A sink that keeps stacks as a tree then goes
 * down each way once and from there on to the next: in a profile written out of a
 * hash table, as most are, neighbours have nothing in common. Of 29 frames of a
 * stack it has to look at 7, and of these 5 are new; sorted by the outermost four
 * frames alone it was 21. The sorting is a quicksort by two frames at a time, on the
 * thread that unpacks: 7 % of the whole. Four times as many samples in a batch and the
 * looking up costs as little again, but batches then are what takes the memory. A sink
 * that keeps stacks as they are is spared all that.
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

enum { SLOTS = 3, FEW = 12 };

/* How much is sorted at once, and how much is on its way where nothing is. */
static const struct room { uint32_t samples; size_t frames; } sorted_room = {1 << 16, 1 << 21}, plain_room = {1 << 12, 1 << 17};

struct raw_label { int64_t key, str, num, unit; };
struct raw_sample { size_t loc, label; uint32_t nloc, nlabel; };
struct way { uint64_t key; uint32_t sample; };	/* key: two frames, from some depth on */

struct batch {
	uint32_t n;
	uint64_t upto;			/* of the file */
	bool sorted;
	struct raw_sample *sample;
	loc_id *loc;			/* leaf first */
	struct raw_label *label;
	int64_t *value;			/* ntype a sample */
	struct way *way;		/* the samples by their stacks */
	struct range *range;		/* to be sorted */
	size_t cway, crange;
	size_t nloc, nlabel, nvalue, csample, cloc, clabel, cvalue;
};

struct range { uint32_t at, n, depth; };

struct samples {
	struct pprof *p;
	struct batch slot[SLOTS];
	struct belt *belt;
	uint64_t spent;			/* what of the input may go begins here; UINT64_MAX: nothing may */
	/* the caller's */
	stk_id *stack;
	struct sink_label *label;
	size_t cstack, clabel;
};

/* ---- unpacking */

static int add_stack(struct pprof *p, struct batch *b, const Ttpb__Sample *m, uint64_t at)
{
	/* one more than are needed: also where no sample has a stack there is something to point at */
	b->loc = mem_grow(b->loc, &b->cloc, b->nloc + m->n_location_id + 1, sizeof *b->loc);
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
	const struct room *most = b->sorted ? &sorted_room : &plain_room;
	b->n = 0;
	b->nloc = b->nlabel = b->nvalue = 0;
	while (!r && cur_left(c) && b->n < most->samples && b->nloc < most->frames) {
		r = pprof_field(c, &f, p->e);
		if (!r && f.field == F_SAMPLE)
			r = take_sample(p, &f, b);
		if (p->scratch.used)
			arena_reset(&p->scratch);
	}
	b->upto = cur_at(c);
	return r;
}

/* ---- sorting */

/* The frames of a sample's stack at depth and below it; 0: it has ended. */
static uint64_t key_at(const struct batch *b, uint32_t sample, uint32_t depth)
{
	const struct raw_sample *s = &b->sample[sample];
	const loc_id *root = b->loc + s->loc + s->nloc;
	uint64_t a = depth < s->nloc ? root[-1 - (ptrdiff_t)depth] : 0;
	return a << 32 | (depth + 1 < s->nloc ? root[-2 - (ptrdiff_t)depth] : 0);
}

static bool before(const struct batch *b, struct way x, struct way y, uint32_t depth)
{
	while (x.key == y.key && (uint32_t)x.key) {
		depth += 2;
		x.key = key_at(b, x.sample, depth);
		y.key = key_at(b, y.sample, depth);
	}
	return x.key < y.key;
}

static void sort_few(const struct batch *b, struct way *w, struct range r)
{
	for (uint32_t i = 1; i < r.n; i++) {
		struct way x = w[i];
		uint32_t k = i;
		for (; k && before(b, x, w[k - 1], r.depth); k--)
			w[k] = w[k - 1];
		w[k] = x;
	}
}

static uint64_t middle(const struct way *w, uint32_t n)
{
	uint64_t x = w[0].key, y = w[n / 2].key, z = w[n - 1].key;
	if (x > y) {
		uint64_t t = x;
		x = y;
		y = t;
	}
	return z < x ? x : z > y ? y : z;
}

static size_t add_range(struct batch *b, size_t n, uint32_t at, uint32_t len, uint32_t depth)
{
	if (len < 2)
		return n;
	b->range = mem_grow(b->range, &b->crange, n + 1, sizeof *b->range);
	b->range[n] = (struct range){at, len, depth};
	return n + 1;
}

/* Part a range in three; the middle goes on two frames deeper. How many wait then. */
static size_t part(struct batch *b, struct range r, size_t n)
{
	struct way *w = b->way + r.at;
	uint64_t key = middle(w, r.n);
	uint32_t lo = 0, hi = r.n;
	for (uint32_t i = 0; i < hi;) {
		struct way x = w[i];
		if (x.key < key) {
			w[i++] = w[lo];
			w[lo++] = x;
		} else if (x.key > key) {
			w[i] = w[--hi];
			w[hi] = x;
		} else {
			i++;
		}
	}
	n = add_range(b, n, r.at, lo, r.depth);
	n = add_range(b, n, r.at + hi, r.n - hi, r.depth);
	if (!(uint32_t)key)
		return n;	/* they have ended: they are alike */
	for (uint32_t i = lo; i < hi; i++)
		w[i].key = key_at(b, w[i].sample, r.depth + 2);
	return add_range(b, n, r.at + lo, hi - lo, r.depth + 2);
}

static void sort_ways(struct batch *b)
{
	b->way = mem_grow(b->way, &b->cway, b->n, sizeof *b->way);
	for (uint32_t i = 0; i < b->n; i++)
		b->way[i] = (struct way){b->sorted ? key_at(b, i, 0) : 0, i};
	for (size_t n = b->sorted ? add_range(b, 0, 0, b->n, 0) : 0; n;) {
		struct range r = b->range[--n];
		if (r.n <= FEW)
			sort_few(b, b->way + r.at, r);
		else
			n = part(b, r, n);
	}
}

static int unpack(struct job *j, void *arg)
{
	struct samples *s = arg;
	struct cur c = s->p->all;
	int r = 0, i;
	(void)j;
	while (!r && cur_left(&c) && (i = belt_take(s->belt)) >= 0) {
		r = fill(s->p, &c, &s->slot[i]);
		sort_ways(&s->slot[i]);
		belt_send(s->belt);
	}
	belt_close(s->belt);
	return r;
}

/* ---- saying */

static void say_stacks(struct samples *s, const struct batch *b)
{
	const struct sink *out = s->p->out;
	s->stack = mem_grow(s->stack, &s->cstack, b->n, sizeof *s->stack);
	for (uint32_t i = 0; i < b->n; i++) {
		const struct raw_sample *r = &b->sample[b->way[i].sample];
		s->stack[b->way[i].sample] = out->ops->stack(out->self, b->loc + r->loc, r->nloc);
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
		sort_ways(&s->slot[0]);
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
		mem_free(s->slot[i].way);
		mem_free(s->slot[i].range);
	}
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
	for (size_t i = 0; i < SLOTS; i++)
		s.slot[i].sorted = p->out->ops->tree;
	bool go = true;
	int r;
	struct job *j = p->in.n >= 1 << 18 && job_cpus() > 1 ? job_start(unpack, &s) : NULL;
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
