/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Passes the samples of a profile to the sink, using two threads. Groups of samples are decoded
 * (sample_decode.c) in the order of the file: by a worker all the time, and by the caller's thread
 * whenever the next batch is not ready. Only the caller's thread calls the sink, in order, so a
 * sink need not be safe for threads. All checks are made while decoding; a batch has no invalid
 * references.
 *
 * A sink that keeps stacks as a tree gets them last, all of them in one order (stack_merge.h). They
 * were sorted while the file was inflated (presort.h), by the file's own numbers of locations,
 * which name_run() replaces; otherwise each batch's stacks are sorted when it is decoded. Meanwhile
 * samples are passed without stacks, and the bytes of the input that were read are discarded. In a
 * profile written from a hash table, as most are, adjacent stacks have nothing in common; in order,
 * a stack costs only the five frames that are new. A sink that keeps stacks as they are gets them
 * with the samples.
 *
 * The bytes of samples are discarded as soon as they were passed on (input_discard), but not
 * strings, which labels refer to for the first time here. Strings are before all samples or after
 * them, as every writer has it; otherwise nothing is discarded.
 */
#include "config.h"
#include "load/pprof/internal.h"

#include "base/job.h"
#include "load/pprof/presort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A location takes a byte in a stack, but may have tens of thousands of inlined calls. In real profiles the stacks have
   less than three frames for each byte of the file. */
enum { FRAMES_MIN = 1 << 22, FRAMES_PER_BYTE = 8 };
enum { SLOTS = 2, SORTED = 2, THREADED = 1 << 18, NONE = -1 };	/* SORTED: number of groups that are sorted together */

struct sample_piece {
	int which;		/* index of the batch; NONE: it is free */
	int bad;
	struct sample_batch sample_batch;
	struct stack_merge_scratch room;
};

struct samples {
	struct pprof *p;
	uint32_t n, per;		/* number of batches; groups in each */
	/* Taken: the next batch that no thread has; ready: all of the worker's batches before it are decoded. */
	_Atomic uint32_t taken, ready;
	struct ring_queue *ring_queue;
	struct sample_piece slot[SLOTS], own;	/* slot: the worker's; own: the caller's */
	struct stack_merge_run *run;		/* sorted stacks; NULL: the sink gets stacks with the samples */
	struct stack_merge_run *own_run;	/* of each batch; NULL: they were sorted before */
	uint32_t nrun;
	uint64_t spent;			/* offset from which the input may be discarded; UINT64_MAX: nothing may */
	/* used by the caller's thread only */
	struct sink_label *label;
	size_t clabel;
};

/* ---- decoding */

static void decode_piece(struct samples *s, struct sample_piece *c, uint32_t which)
{
	struct pprof *p = s->p;
	struct sample_batch *b = &c->sample_batch;
	size_t first = (size_t)which * s->per, left = p->nstretch - first;
	b->bare = s->run && !s->own_run;
	c->bad = sample_batch_fill(b, p, p->stretch + first, left < s->per ? left : s->per);
	if (s->own_run && !c->bad)
		s->own_run[which] = stack_merge_sort(&c->room, b->loc, b->stack, b->n, p->most);
	c->which = (int)which;
}

static void decode_worker(void *arg)
{
	struct samples *s = arg;
	for (int i; (i = ring_begin_write(s->ring_queue)) >= 0;) {
		uint32_t which = atomic_fetch_add(&s->taken, 1);
		if (which >= s->n)
			break;
		decode_piece(s, &s->slot[i], which);
		atomic_store(&s->ready, which + 1);
		ring_end_write(s->ring_queue);
	}
	ring_close(s->ring_queue);
}

/* ---- passing samples to the sink */

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

/* Return an id for a location that no location of the file has. */
static uint64_t unused_id(const struct pprof *p)
{
	uint64_t id = p->loc.raw.n + 1;
	while (pprof_id(&p->loc, id))
		id++;
	return id;
}

/* Count what the batch refers to and does not exist. Before the first stack with pprof.nowhere, add that location. */
static void add_lost(struct pprof *p, const struct pprof_lost *l)
{
	if (l->locations && !p->lost.locations &&
	    p->out->ops->loc(p->out->self, &(struct sink_loc){.id = unused_id(p)}) != p->nowhere)
		abort();	/* cannot happen: a sink numbers locations that have an id one after the other */
	p->lost.locations += l->locations;
	p->lost.texts += l->texts;
}

/* Pass a batch to the sink. Returns false if the sink stops, or if the batch has an error. */
static bool emit_piece(struct samples *s, const struct sample_piece *c)
{
	struct pprof *p = s->p;
	const struct sample_batch *b = &c->sample_batch;
	const struct sink_ops *ops = p->out->ops;
	if (c->bad)
		return false;
	add_lost(p, &b->lost);
	for (uint32_t i = 0; i < b->n; i++) {
		const struct raw_sample *r = &b->sample[i];
		stk_id stack = s->run ? STK_LATER : ops->stack(p->out->self, b->loc + b->stack[i].loc, b->stack[i].n);
		s->label = mem_grow(s->label, &s->clabel, r->nlabel, sizeof *s->label);
		for (uint32_t k = 0; k < r->nlabel; k++)
			s->label[k] = label_of(p, &b->label[r->label + k]);
		p->out->profile->sample(p->out->self, &(struct sink_sample){.stack = stack,
		    .value = b->value + i * p->ntype, .label = s->label, .nlabel = r->nlabel, .when = TIME_NONE});
	}
	if (s->spent != UINT64_MAX)
		input_discard(&p->in, s->spent, b->upto);
	return ops->upto(p->out->self, TIME_NONE, b->upto);
}

static int fail_piece(struct samples *s, const struct sample_piece *c)
{
	if (s->p->e)
		*s->p->e = c->sample_batch.err;
	return -1;
}

/* Pass batch i to the sink, whichever thread decoded it. If the worker is still decoding it, decode another one
   first. Returns -1 if it has an error. */
static int emit_next(struct samples *s, uint32_t i, bool *go)
{
	struct sample_piece *own = &s->own;
	if (own->which == NONE && atomic_load(&s->ready) <= i) {
		uint32_t which = atomic_fetch_add(&s->taken, 1);
		if (which < s->n)
			decode_piece(s, own, which);
	}
	if (own->which == (int)i) {
		*go = emit_piece(s, own);
		own->which = NONE;
		return own->bad ? fail_piece(s, own) : 0;
	}
	int k = ring_begin_read(s->ring_queue);
	if (k < 0)
		abort();	/* cannot happen: a thread that took a batch decodes it */
	*go = emit_piece(s, &s->slot[k]);
	int rc = s->slot[k].bad ? fail_piece(s, &s->slot[k]) : 0;
	ring_end_read(s->ring_queue);
	return rc;
}

/* Pass all stacks to the sink in their order, and then the stack of each sample; the runs have the indexes of the
   samples. Return false if the sink stops, or with an error if the stacks have too many frames. */
static bool emit_stacks(struct samples *s, struct err *e)
{
	const struct pprof *p = s->p;
	const struct sink *out = p->out;
	size_t n = 0;
	struct stack_merge_limit limit = {.lines = p->lines, .left = FRAMES_MIN + FRAMES_PER_BYTE * (uint64_t)p->in.n};
	for (uint32_t i = 0; i < s->nrun; i++)
		n += s->run[i].n;
	stk_id *of = xmalloc((n + 1) * sizeof *of);
	bool go = stack_merge_all(
	    s->run, s->nrun, out, p->samples.last, p->most_lines > FRAMES_PER_BYTE ? &limit : NULL, of);
	if (go)
		out->profile->resolve_stacks(out->self, of, n);
	else if (limit.exceeded)
		err_set(e, ERR_LIMIT, ERR_NOWHERE, "with inlined calls, the stacks of the profile have more than %" PRIu64
		    " frames", FRAMES_MIN + FRAMES_PER_BYTE * (uint64_t)p->in.n);
	mem_free(of);
	return go;
}

static void samples_free(struct samples *s)
{
	for (size_t i = 0; i <= SLOTS; i++) {
		struct sample_piece *c = i < SLOTS ? &s->slot[i] : &s->own;
		sample_batch_free(&c->sample_batch);
		stack_merge_scratch_free(&c->room);
	}
	mem_free(s->label);
	ring_free(s->ring_queue);
}

/* Return the offset from which only samples are still read. */
static uint64_t discard_from(const struct pprof *p)
{
	if (!p->strings.any || p->strings.first > p->samples.last)
		return 0;
	return p->strings.last <= p->samples.first ? p->strings.last : UINT64_MAX;
}

/* ---- stacks that were sorted by the file's numbers of locations */

struct naming { const struct pprof *p; struct stack_merge_run *run; _Atomic bool lost; };

static void name_run(void *arg, uint32_t which)
{
	struct naming *a = arg;
	const struct stack_merge_run *r = &a->run[which];
	uint8_t *at = r->loc;
	size_t n = 0;
	for (uint32_t i = 0; i < r->n; i++)
		n += r->step[i].n;
	for (size_t i = 0; i < n; i++, at += r->width) {
		loc_id id = pprof_id(&a->p->loc, stack_merge_get_loc(at, r->width));
		if (!id || (r->width < sizeof id && id >> 8 * r->width))
			atomic_store(&a->lost, true);
		stack_merge_put_loc(at, r->width, id);
	}
}

/* Return whether the file's numbers and the sink's ids are in the same order. */
static bool same_order(const struct pprof_ids *t)
{
	if (t->zero)
		return false;
	for (size_t i = 1; i < t->raw.n; i++)
		if (t->raw.raw[i] <= t->raw.raw[i - 1] || t->id[i + 1] <= t->id[i])
			return false;
	return true;
}

/* Use the runs of presort.h. Returns false if the stacks have to be sorted again; that reports damage, too. */
static bool sorted_before(struct samples *s)
{
	struct pprof *p = s->p;
	size_t n = 0, want = 0;
	struct naming a = {.p = p, .run = p->in.ahead ? presort_take_runs(p->in.ahead, &s->nrun) : NULL};
	if (!a.run || !same_order(&p->loc))
		return false;
	for (uint32_t i = 0; i < s->nrun; i++)
		n += a.run[i].n;
	for (size_t i = 0; i < p->nstretch; i++)
		want += p->stretch[i].n;
	if (n != want)
		return false;
	job_parallel(s->nrun, name_run, &a);
	s->run = a.run;
	return !atomic_load(&a.lost);
}

/* Let pprof.nowhere be the next location of the sink. It is added when it is needed. */
static void plan_nowhere(struct pprof *p)
{
	p->nowhere = ++p->most;
	p->lines = mem_grow(p->lines, &p->clines, p->nowhere + 1u, sizeof *p->lines);
	p->lines[p->nowhere] = 1;
}

int pprof_samples(struct pprof *p)
{
	plan_nowhere(p);
	bool tree = p->out->profile->branch != NULL, go = true;
	struct samples s = {.p = p,
	    .ring_queue = ring_new(SLOTS),
	    .spent = discard_from(p),
	    .per = tree ? SORTED : 1,
	    .own.which = NONE};
	s.n = (uint32_t)((p->nstretch + s.per - 1) / s.per);
	if (tree && !sorted_before(&s)) {
		s.run = s.own_run = xcalloc(s.n + 1u, sizeof *s.run);
		s.nrun = s.n;
	}
	int r = 0;
	if ((p->in.n >= THREADED || job_forced_threads() > 1) && job_cpus() > 1)
		(void)ring_start(s.ring_queue, decode_worker, &s);
	for (uint32_t i = 0; i < s.n && !r && go; i++)
		r = pprof_check_memory(p, p->stretch[i * s.per].at) ? -1 : emit_next(&s, i, &go);
	ring_stop(s.ring_queue);
	samples_free(&s);
	/* They are published later, when the input and the memory for reading it have been freed. */
	struct err why = {0};
	err_set(&why, ERR_CANCEL, ERR_NOWHERE, "stopped");
	if (s.run && s.n && !r && go)
		go = emit_stacks(&s, &why);
	for (uint32_t i = 0; s.own_run && i < s.n; i++)
		stack_merge_run_free(&s.own_run[i]);
	mem_free(s.own_run);
	if (!go && !r && p->e)
		*p->e = why;
	return r || !go ? -1 : 0;
}
