/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The sink that fills a store: it passes what a reader says on to the part of
 * the store that keeps it, and publishes. It alone writes.
 *
 * A publication is a struct snap that counts the rows of every table, made after
 * the rows are written and stored with release; whoever loads it with acquire
 * may read every row below its counts, without a lock, for as long as the store
 * lives. Snapshots are small and few (four a second), so each is kept until the
 * store goes and nobody needs to count references.
 *
 * What is not a column (the facts of a profile or a trace) is written into the
 * store before a publication that says that it is there, and not after it: the
 * facts of a trace change while it is read, so they are kept aside and land in
 * the store with the last publication; until then a snapshot has its own copy.
 *
 * A profile's stacks are there when all of them are. Some of the samples are said before, into a store that
 * has the same tables and stacks of its own (a glance): a snapshot shows that one until the rest is
 * settled. It is kept as long as the store, since somebody may be looking at it.
 */
#include "config.h"
#include "store/store.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/job.h"
#include "base/mem/mapped_file.h"
#include "base/put.h"
#include "store/cache/sheet_cache.h"
#include "store/samples.h"
#include "store/stacks.h"
#include "store/symbols.h"
#include "store/tracks/annotations.h"
#include "store/tracks/tracks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PUBLISH_MS = 250, EARLY_MS = 60, EARLY = 8, WARN_MAX = 1000 };	/* the first ones come faster */

struct published {
	struct snap snap;
	struct published *next;
};

struct build {
	struct store st;
	struct names names;
	struct stacks stacks;
	struct intern sets;
	struct tracks *tracks;
	struct sink_trace trace;
	bool has_trace;
	uint32_t settled;	/* samples from here on have no stacks yet: nobody is to see them */
	struct glance {		/* NULL: there was none */
		struct store st;
		struct stacks stacks;
		struct intern sets;
	} *glance;
	bool glances;		/* what is said goes there */
	bool glanced;		/* it is what is seen */
	const struct sink_outline *outline;
	uint64_t bytes, total;
	int64_t last;		/* when it was published, ms */
	uint32_t serial;
	struct published *all;	/* newest first */
	_Atomic(const struct snap *) now;
	bool (*fn)(void *, uint64_t bytes);
	void *arg;
	_Atomic bool again;	/* a second file is being said */
	struct lock *said;	/* by analyses, of which several may be at work: build_text() */
	_Atomic bool cancelled;	/* fn said so */
	_Atomic bool due;	/* build_due() */
	const void *mapping;	/* the index that it came from */
	size_t nmapping;
};

/* What there is now. The counts of tracks are filled in by tracks.c. */
static struct snap counts(const struct build *b)
{
	const struct store *st = b->glanced ? &b->glance->st : &b->st;
	uint32_t settled = b->glanced ? UINT32_MAX : b->settled;
	return (struct snap){
		.st = st, .bytes = b->bytes, .held = st->arena.held,
		.total = b->total, .outline = b->outline, .meta = st->has_meta ? &st->meta : NULL,
		.has_trace = b->has_trace, .trace = b->trace,
		.nstrs = col_n(&st->strs), .nfuns = col_n(&st->funs), .nlocs = col_n(&st->locs),
		.nfrms = col_n(&st->frms), .nstks = col_n(&st->stks),
		.nsmps = settled < col_n(&st->smps) ? settled : col_n(&st->smps),
		.nsets = col_n(&st->sets),
		.ntypes = col_n(&st->types), .nwarns = col_n(&st->warns)};
}

static const struct snap *publish(struct build *b, const struct snap *sn)
{
	struct published *p = xcalloc(1, sizeof *p);
	p->snap = *sn;
	p->snap.by = b;
	p->snap.serial = b->serial++;
	tracks_sealed(b->tracks, &p->snap);
	p->next = b->all;
	b->all = p;
	b->last = clock_ms();
	atomic_store_explicit(&b->now, &p->snap, memory_order_release);
	return &p->snap;
}

/* Where the sheets are made: all before is sealed. */
static void on_sealed(void *self, const struct snap *sn)
{
	struct build *b = self;
	if (atomic_exchange(&b->due, false) || clock_ms() - b->last >= (b->serial < EARLY ? EARLY_MS : PUBLISH_MS))
		publish(b, sn);
	if (b->fn && !b->fn(b->arg, sn->bytes))
		atomic_store(&b->cancelled, true);
}

static str_id put_str(void *self, const char *s, size_t n)
{
	return names_str(&((struct build *)self)->names, s, n);
}

static map_id put_map(void *self, const struct sink_map *m)
{
	return names_map(&((struct build *)self)->names, m);
}

static fun_id put_fun(void *self, const struct sink_fun *f)
{
	return names_fun(&((struct build *)self)->names, f);
}

static loc_id put_loc(void *self, const struct sink_loc *l)
{
	return names_loc(&((struct build *)self)->names, l);
}

static struct stacks *stacks_of(struct build *b)
{
	return b->glances ? &b->glance->stacks : &b->stacks;
}

static stk_id put_stack(void *self, const loc_id *leaf_first, size_t n)
{
	return stacks_add(stacks_of(self), leaf_first, n);
}

static stk_id put_branch(void *self, size_t same, const loc_id *outer_first, size_t n)
{
	return stacks_branch(stacks_of(self), same, outer_first, n);
}

static int put_type(void *self, str_id name, str_id unit)
{
	return samples_type(&((struct build *)self)->st, name, unit);
}

static void put_sample(void *self, const struct sink_sample *s)
{
	struct build *b = self;
	if (b->glances) {
		samples_add(&b->glance->st, &b->glance->sets, s);
		return;
	}
	if (s->stack == STK_LATER && b->settled == UINT32_MAX)
		b->settled = col_n(&b->st.smps);
	samples_add(&b->st, &b->sets, s);
}

static void put_settle(void *self, const stk_id *stack, size_t n)
{
	struct build *b = self;
	if (b->glances) {
		samples_settle(&b->glance->st, 0, stack, n);
		b->glance->st.strs = b->st.strs;	/* with those of labels */
		b->glanced = true;
		return;
	}
	samples_settle(&b->st, b->settled, stack, n);
	b->settled = UINT32_MAX;
	b->glanced = false;
}

static void glance_free(struct glance *g)
{
	if (!g)
		return;
	stacks_free(&g->stacks);
	intern_free(&g->sets);
	samples_rows_free(&g->st);
	stacks_rows_free(&g->st);
	mem_free(g);
}

static void put_glance(void *self, bool on)
{
	struct build *b = self;
	b->glances = on;
	if (on) {
		glance_free(b->glance);	/* nobody has seen it */
		b->glance = xcalloc(1, sizeof *b->glance);
		b->glance->st = b->st;
		samples_rows(&b->glance->st);
		stacks_init(&b->glance->stacks, &b->glance->st);
		return;
	}
	stacks_done(&b->glance->stacks);
	intern_free(&b->glance->sets);
	if (!b->glanced)
		return;
	struct snap sn = counts(b);
	publish(b, tracks_snap(b->tracks, &sn));
	if (b->fn && !b->fn(b->arg, b->bytes))
		atomic_store(&b->cancelled, true);
}

static void put_meta(void *self, const struct sink_meta *m)
{
	struct store *st = &((struct build *)self)->st;
	st->meta = *m;
	st->meta.comment = NULL;
	if (m->ncomment) {
		str_id *c = arena_alloc(&st->arena, m->ncomment * sizeof *c);
		st->meta.comment = memcpy(c, m->comment, m->ncomment * sizeof *c);
	}
	st->has_meta = true;
}

static trk_id put_track(void *self, enum track_kind kind, uint64_t id)
{
	return tracks_track(((struct build *)self)->tracks, kind, id);
}

static void put_born(
    void *self, trk_id g, str_id start_fun, trk_id creator, stk_id start, stk_id created)
{
	tracks_born(((struct build *)self)->tracks, g, start_fun, creator, start, created);
}

static void put_enter(void *self, trk_id trk, int64_t t, enum tstate state, uint32_t who, stk_id stack)
{
	struct sink_enter e = { .t = t, .trk = trk, .who = who, .stack = stack, .state = (uint8_t)state };
	tracks_enter(((struct build *)self)->tracks, &e, 1);
}

static void put_enters(void *self, const struct sink_enter *e, size_t n)
{
	tracks_enter(((struct build *)self)->tracks, e, n);
}

static struct sink_enter *put_room(void *self, size_t n)
{
	return tracks_next(((struct build *)self)->tracks, n);
}

static void put_mark(void *self, const struct sink_mark *m)
{
	strips_mark(tracks_strips(((struct build *)self)->tracks), m);
}

static void put_span(void *self, const struct sink_span *s)
{
	strips_span(tracks_strips(((struct build *)self)->tracks), s);
}

static void put_count(void *self, int64_t t, enum counter c, uint64_t v)
{
	strips_count(tracks_strips(((struct build *)self)->tracks), t, c, v);
}

static void put_util(void *self, const struct sink_util *u)
{
	strips_util(tracks_strips(((struct build *)self)->tracks), u);
}

static void put_trace(void *self, const struct sink_trace *t)
{
	struct build *b = self;
	b->trace = *t;
	b->has_trace = true;
}

static void put_outline(void *self, const struct sink_outline *o)
{
	struct build *b = self;
	struct sink_outline *own = arena_alloc(&b->st.arena, sizeof *own);
	*own = *o;
	bool first = !b->outline;
	b->outline = own;
	if (!first)		/* the next publication has it */
		return;
	struct snap sn = counts(b);
	publish(b, tracks_snap(b->tracks, &sn));
	if (b->fn && !b->fn(b->arg, 0))
		atomic_store(&b->cancelled, true);
}

static void put_from(void *self, int64_t t)
{
	tracks_from(((struct build *)self)->tracks, t);
}

static bool put_spare(void *self)
{
	return tracks_spare(((struct build *)self)->tracks);
}

static void put_rest(void *self)
{
	tracks_pause(((struct build *)self)->tracks);
}

static bool put_keep(void *self, const struct sink_keep *gen)
{
	struct build *b = self;
	if (gen && b->st.keep)
		tracks_keep(b->tracks, gen);
	return b->st.keep != NULL;
}

static void put_warn(void *self, uint64_t at, const char *fmt, ...)
{
	struct store *st = &((struct build *)self)->st;
	if (col_n(&st->warns) >= WARN_MAX)
		return;
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	size_t len = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
	bool aside = at == ERR_ASIDE;
	struct warn_row row = {aside ? ERR_NOWHERE : at, arena_strndup(&st->arena, text, len), aside};
	*(struct warn_row *)col_add(&st->warns, NULL) = row;
}

static bool put_upto(void *self, int64_t t, uint64_t bytes)
{
	struct build *b = self;
	b->bytes = bytes;
	if (t != TIME_NONE)
		tracks_generation(b->tracks, t);
	struct snap sn = counts(b);
	tracks_tell(b->tracks, &sn, on_sealed, b);
	return !atomic_load(&b->cancelled);
}

struct build *build_new(void)
{
	struct build *b = xcalloc(1, sizeof *b);
	b->said = lock_new();
	b->settled = UINT32_MAX;
	names_init(&b->names, &b->st);
	stacks_init(&b->stacks, &b->st);
	samples_init(&b->st);
	col_init(&b->st.warns, sizeof(struct warn_row));
	b->tracks = tracks_new(&b->st);
	struct snap sn = counts(b);
	publish(b, tracks_snap(b->tracks, &sn));
	return b;
}

struct sink build_sink(struct build *b)
{
	static const struct sink_ops ops = {
	    .str = put_str,
	    .map = put_map,
	    .fun = put_fun,
	    .loc = put_loc,
	    .stack = put_stack,
	    .branch = put_branch,
	    .settle = put_settle,
	    .glance = put_glance,
	    .type = put_type,
	    .sample = put_sample,
	    .meta = put_meta,
	    .track = put_track,
	    .born = put_born,
	    .enter = put_enter,
	    .enters = put_enters,
	    .room = put_room,
	    .mark = put_mark,
	    .span = put_span,
	    .count = put_count,
	    .util = put_util,
	    .trace = put_trace,
	    .outline = put_outline,
	    .from = put_from,
	    .keep = put_keep,
	    .spare = put_spare,
	    .rest = put_rest,
	    .warn = put_warn,
	    .upto = put_upto,
	};
	return (struct sink){.ops = &ops, .self = b};
}

const struct snap *build_snap(const struct build *b)
{
	return atomic_load_explicit(&((struct build *)(uintptr_t)b)->now, memory_order_acquire);
}

void build_total(struct build *b, uint64_t bytes)
{
	b->total = bytes;
	tracks_total(b->tracks, bytes);
}

void build_on_publish(struct build *b, bool (*fn)(void *, uint64_t bytes), void *arg)
{
	b->fn = fn;
	b->arg = arg;
}

void build_due(struct build *b)
{
	atomic_store(&b->due, true);
}

/* --enable-debug: a store that breaks its rules is a bug, to be met where it was made. */
static void insist(const struct snap *sn)
{
#ifdef TTRACE_CHECK
	struct err e;
	if (store_check(sn, &e)) {
		put_line("ttrace: ", e.msg);
		abort();
	}
#else
	(void)sn;
#endif
}

static const struct snap *publish_all(struct build *b)
{
	names_done(&b->names);
	stacks_done(&b->stacks);
	intern_free(&b->sets);
	struct snap all = counts(b);
	all.complete = true;
	const struct snap *sn = publish(b, tracks_snap(b->tracks, &all));
	insist(sn);
	return sn;
}

const struct snap *build_finish(struct build *b)
{
	if (b->has_trace)
		tracks_upto(b->tracks, b->trace.last - b->trace.first);
	if (b->total)
		b->bytes = b->total;
	tracks_end(b->tracks);
	if (b->has_trace) {
		b->st.trace = b->trace;
		b->st.has_trace = true;
	}
	const struct snap *sn = publish_all(b);
	tracks_done(b->tracks);
	return sn;
}

void build_keep(struct build *b, size_t limit, sink_again_fn *again, void *arg)
{
	struct store *st = &b->st;
	struct col *const cols[] = { &st->trks, &st->trk_times, &st->marks, &st->spans, &st->utils };
	for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
		cols[i]->spills = true;
	for (int c = 0; c < CT__N; c++)
		st->counts[c].spills = true;
	tracks_kept(b->tracks);
	b->st.keep = keep_new(&b->st, b->tracks, limit, again, arg);
}

struct store *build_columns(struct build *b)
{
	return &b->st;
}

const struct snap *build_thawed(struct build *b, const struct snap *all, const void *mapping, size_t n)
{
	b->mapping = mapping;
	b->nmapping = n;
	b->trace = b->st.trace = all->trace;
	b->has_trace = b->st.has_trace = all->has_trace;
	b->bytes = all->bytes;
	b->total = all->total;
	names_thawed(&b->names);
	tracks_thawed(b->tracks, all->t1);
	const struct snap *sn = publish_all(b);
	tracks_done(b->tracks);
	return sn;
}

const struct store *store_tables(const struct snap *sn)
{
	return sn->by ? &sn->by->st : sn->st;
}

bool store_lost(const struct snap *sn)
{
	const struct build *b = sn->by;
	/* while nothing is there yet the writer may be about to say what keeps it */
	return sn->nsheets && (keep_lost(b->st.keep) || (b->mapping && mapped_cut(b->mapping)));
}

uint64_t store_size(const struct snap *sn)
{
	const struct store *st = sn->st;
	const struct col *cols[] = {&st->strs, &st->maps, &st->funs, &st->locs, &st->frms, &st->stks, &st->forks, &st->fork,
	    &st->types, &st->smps, &st->sets, &st->labels, &st->sides, &st->times, &st->trks, &st->marks, &st->spans, &st->span_blocks,
	    &st->utils, &st->trk_times};
	uint64_t n = sn->held;
	for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
		n += (uint64_t)col_n(cols[i]) * cols[i]->width;
	for (uint32_t i = 0; sn->nsmps && i < sn->ntypes; i++)
		n += ints_bytes(&st->values[i]);
	for (int i = 0; i < CT__N; i++)
		n += (uint64_t)col_n(&st->counts[i]) * st->counts[i].width;
	for (uint32_t i = 0; i < sn->nsheets && !st->keep; i++)
		n += store_slot(st, i)->sheet->bytes;
	return n;
}

str_id build_text(const struct snap *sn, const char *s, size_t n)
{
	struct build *b = sn->by;
	lock_take(b->said);
	str_id id = sn->complete && !b->again ? names_str(&b->names, s, n) : 0;
	lock_give(b->said);
	return id;
}

void build_again(struct build *b)
{
	lock_take(b->said);
	b->again = true;
	lock_give(b->said);
}

const struct snap *build_again_done(struct build *b)
{
	const struct snap *sn = publish_all(b);
	b->again = false;
	return sn;
}

void build_free(struct build *b)
{
	if (!b)
		return;
	tracks_free(b->tracks);
	lock_free(b->said);
	names_free(&b->names);
	stacks_free(&b->stacks);
	glance_free(b->glance);
	intern_free(&b->sets);
	samples_free(&b->st);
	stacks_rows_free(&b->st);
	struct col *const cols[] = {&b->st.strs, &b->st.maps, &b->st.funs, &b->st.locs, &b->st.frms,
		&b->st.warns};
	for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
		col_free(cols[i]);
	while (b->all) {
		struct published *next = b->all->next;
		mem_free(b->all);
		b->all = next;
	}
	arena_free(&b->st.arena);
	mapped_free(b->mapping, b->nmapping);
	mem_free(b);
}
