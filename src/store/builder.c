/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The sink that fills a store: it passes everything from the reader to the part of the store that keeps it, and
 * publishes. It is the only writer.
 *
 * A publication is a struct snap with the number of rows of every table. It is made after the rows are written and
 * stored with release; a thread that loads it with acquire may read every row below its counts, without a lock, for as
 * long as the store exists. Snapshots are small and few (four a second), so all are kept until the store is freed, and
 * no references are counted.
 *
 * Data that is not in a column (the facts of a profile or a trace) is written into the store before the publication
 * that announces it, and never after. The facts of a trace change while it is read, so they are kept in the builder and
 * written to the store with the last publication; until then each snapshot has its own copy.
 */
#include "config.h"
#include "store/builder.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/job.h"
#include "base/put.h"
#include "store/check.h"
#include "store/samples.h"
#include "store/stacks.h"
#include "store/symbols.h"
#include "store/tracks/annotations.h"
#include "store/tracks/tracks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PUBLISH_MS = 250, EARLY_MS = 60, EARLY = 8, WARN_MAX = 1000 };	/* the first publications are EARLY_MS apart */

struct published {
	struct snap snap;
	struct published *next;
};

struct store_builder {
	struct store st;
	struct symbol_tables symbol_tables;
	struct stacks stacks;
	struct intern sets;
	struct tracks *tracks;
	struct sink_trace trace;
	bool has_trace;
	uint32_t settled;	/* samples from here on have no stacks yet: snapshots exclude them */
	const struct sink_outline *outline;
	uint64_t bytes, total;
	int64_t last;		/* time of the last publication, ms */
	uint32_t serial;
	struct published *all;	/* newest first */
	_Atomic(const struct snap *) now;
	bool (*fn)(void *, uint64_t bytes);
	void *arg;
	_Atomic bool again;	/* a second file is being added */
	struct lock *adding;	/* held in builder_add_string(), which several analyses may call at once */
	_Atomic bool cancelled;	/* fn returned false */
	struct lock *keeping;	/* held while `kept` is used */
	struct kept_result { struct kept_result *next; const void *key; void *result; void (*free_it)(void *); } * kept;
};

/* Return the current counts of the tables. tracks.c sets those of tracks. */
static struct snap counts(const struct store_builder *b)
{
	const struct store *st = &b->st;
	return (struct snap){
		.st = st, .bytes = b->bytes, .held = st->arena.held,
		.total = b->total, .outline = b->outline, .meta = st->has_meta ? &st->meta : NULL,
		.has_trace = b->has_trace, .trace = b->trace,
		.nstrs = column_n(&st->strs), .nfuns = column_n(&st->funs), .nlocs = column_n(&st->locs),
		.nfrms = column_n(&st->frms), .nstks = column_n(&st->stks),
		.nsmps = b->settled < column_n(&st->smps) ? b->settled : column_n(&st->smps),
		.nsets = column_n(&st->sets),
		.ntypes = column_n(&st->types), .nwarns = column_n(&st->warns)};
}

static const struct snap *publish_snap(struct store_builder *b, const struct snap *sn)
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

/* Runs where sheets are made, once everything so far is sealed: publish if it is time. */
static void on_sealed(void *self, const struct snap *sn)
{
	struct store_builder *b = self;
	if (clock_ms() - b->last >= (b->serial < EARLY ? EARLY_MS : PUBLISH_MS))
		publish_snap(b, sn);
	if (b->fn && !b->fn(b->arg, sn->bytes))
		atomic_store(&b->cancelled, true);
}

static str_id put_str(void *self, const char *s, size_t n)
{
	return symbols_add_string(&((struct store_builder *)self)->symbol_tables, s, n);
}

static map_id put_map(void *self, const struct sink_map *m)
{
	return symbols_add_mapping(&((struct store_builder *)self)->symbol_tables, m);
}

static fun_id put_fun(void *self, const struct sink_fun *f)
{
	return symbols_add_function(&((struct store_builder *)self)->symbol_tables, f);
}

static loc_id put_loc(void *self, const struct sink_loc *l)
{
	return symbols_add_location(&((struct store_builder *)self)->symbol_tables, l);
}

static stk_id put_stack(void *self, const loc_id *leaf_first, size_t n)
{
	return stacks_add(&((struct store_builder *)self)->stacks, leaf_first, n);
}

static stk_id put_branch(void *self, size_t same, const loc_id *outer_first, size_t n)
{
	return stacks_branch(&((struct store_builder *)self)->stacks, same, outer_first, n);
}

static int put_type(void *self, str_id name, str_id unit)
{
	return samples_type(&((struct store_builder *)self)->st, name, unit);
}

static void put_sample(void *self, const struct sink_sample *s)
{
	struct store_builder *b = self;
	if (s->stack == STK_LATER && b->settled == UINT32_MAX)
		b->settled = column_n(&b->st.smps);
	samples_add(&b->st, &b->sets, s);
}

static void resolve_stacks(void *self, const stk_id *stack, size_t n)
{
	struct store_builder *b = self;
	samples_settle(&b->st, b->settled, stack, n);
	b->settled = UINT32_MAX;
}

static void put_meta(void *self, const struct sink_meta *m)
{
	struct store *st = &((struct store_builder *)self)->st;
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
	return tracks_track(((struct store_builder *)self)->tracks, kind, id);
}

static void put_born(
    void *self, trk_id g, str_id start_fun, trk_id creator, stk_id start, stk_id created)
{
	tracks_set_origin(((struct store_builder *)self)->tracks, g, start_fun, creator, start, created);
}

static void put_enter(void *self, const struct sink_enter *e, size_t n)
{
	tracks_enter(((struct store_builder *)self)->tracks, e, n);
}

static void put_mark(void *self, const struct sink_mark *m)
{
	annotations_add_mark(tracks_annotations(((struct store_builder *)self)->tracks), m);
}

static void put_span(void *self, const struct sink_span *s)
{
	annotations_add_span(tracks_annotations(((struct store_builder *)self)->tracks), s);
}

static void put_count(void *self, int64_t t, enum counter c, uint64_t v, trk_id by)
{
	annotations_add_counter(tracks_annotations(((struct store_builder *)self)->tracks), t, c, v, by);
}

static void put_util(void *self, const struct sink_util *u)
{
	annotations_add_util(tracks_annotations(((struct store_builder *)self)->tracks), u);
}

static void put_facts(void *self, const struct sink_trace *t)
{
	struct store_builder *b = self;
	b->trace = *t;
	b->has_trace = true;
}

static void put_outline(void *self, const struct sink_outline *o)
{
	struct store_builder *b = self;
	struct sink_outline *own = arena_alloc(&b->st.arena, sizeof *own);
	*own = *o;
	bool first = !b->outline;
	b->outline = own;
	if (!first)		/* the next publication includes it */
		return;
	struct snap sn = counts(b);
	publish_snap(b, tracks_snap(b->tracks, &sn));
	if (b->fn && !b->fn(b->arg, 0))
		atomic_store(&b->cancelled, true);
}

static void put_start(void *self, int64_t t)
{
	tracks_set_start(((struct store_builder *)self)->tracks, t);
}

static bool help_seal(void *self)
{
	return tracks_help_seal(((struct store_builder *)self)->tracks);
}

static void put_warn(void *self, uint64_t at, const char *fmt, ...)
{
	struct store *st = &((struct store_builder *)self)->st;
	if (column_n(&st->warns) >= WARN_MAX)
		return;
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	size_t len = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
	bool aside = at == ERR_ASIDE;
	struct warn_row row = {aside ? ERR_NOWHERE : at, arena_strndup(&st->arena, text, len), aside};
	*(struct warn_row *)column_add(&st->warns, NULL) = row;
}

static bool put_upto(void *self, int64_t t, uint64_t bytes)
{
	struct store_builder *b = self;
	b->bytes = bytes;
	if (t != TIME_NONE)
		tracks_generation(b->tracks, t);
	struct snap sn = counts(b);
	tracks_notify(b->tracks, &sn, on_sealed, b);
	return !atomic_load(&b->cancelled);
}

struct store_builder *builder_new(void)
{
	struct store_builder *b = xcalloc(1, sizeof *b);
	b->adding = lock_new();
	b->keeping = lock_new();
	b->settled = UINT32_MAX;
	symbols_init(&b->symbol_tables, &b->st);
	stacks_init(&b->stacks, &b->st);
	samples_init(&b->st);
	column_init(&b->st.warns, sizeof(struct warn_row));
	b->tracks = tracks_new(&b->st);
	struct snap sn = counts(b);
	publish_snap(b, tracks_snap(b->tracks, &sn));
	return b;
}

struct sink builder_sink(struct store_builder *b)
{
	static const struct sink_ops ops = {
	    .str = put_str,
	    .map = put_map,
	    .fun = put_fun,
	    .loc = put_loc,
	    .stack = put_stack,
	    .warn = put_warn,
	    .upto = put_upto,
	};
	static const struct sink_profile_ops profile = {
	    .type = put_type,
	    .sample = put_sample,
	    .meta = put_meta,
	    .branch = put_branch,
	    .resolve_stacks = resolve_stacks,
	};
	static const struct sink_trace_ops trace = {
	    .track = put_track,
	    .born = put_born,
	    .enter = put_enter,
	    .mark = put_mark,
	    .span = put_span,
	    .count = put_count,
	    .util = put_util,
	    .facts = put_facts,
	    .outline = put_outline,
	    .starts_at = put_start,
	    .idle_work = help_seal,
	};
	return (struct sink){.ops = &ops, .profile = &profile, .trace = &trace, .self = b};
}

const struct snap *builder_snap(const struct store_builder *b)
{
	return atomic_load_explicit(&((struct store_builder *)(uintptr_t)b)->now, memory_order_acquire);
}

void builder_set_total(struct store_builder *b, uint64_t bytes)
{
	b->total = bytes;
	tracks_set_total(b->tracks, bytes);
}

void builder_on_publish(struct store_builder *b, bool (*fn)(void *, uint64_t bytes), void *arg)
{
	b->fn = fn;
	b->arg = arg;
}

/* With --enable-debug: abort where a store breaks its rules, which is a bug. */
static void check_snap(const struct snap *sn)
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

static const struct snap *publish_all(struct store_builder *b)
{
	symbols_drop_indexes(&b->symbol_tables);
	stacks_done(&b->stacks);
	intern_free(&b->sets);
	struct snap all = counts(b);
	all.complete = true;
	const struct snap *sn = publish_snap(b, tracks_snap(b->tracks, &all));
	check_snap(sn);
	return sn;
}

const struct snap *builder_finish(struct store_builder *b)
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

uint64_t store_size(const struct snap *sn)
{
	const struct store *st = sn->st;
	const struct data_column *cols[] = {&st->strs, &st->maps, &st->funs, &st->locs, &st->frms, &st->cols, &st->stks,
	    &st->forks, &st->fork, &st->types, &st->smps, &st->sets, &st->labels, &st->sides, &st->times, &st->trks,
	    &st->marks, &st->spans, &st->span_blocks, &st->utils, &st->heap_by, &st->trk_times, &st->trk_origins};
	uint64_t n = sn->held;
	for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
		n += (uint64_t)column_n(cols[i]) * cols[i]->width;
	for (uint32_t i = 0; sn->nsmps && i < sn->ntypes; i++)
		n += packed_ints_bytes(&st->values[i]);
	for (int i = 0; i < CT__N; i++)
		n += (uint64_t)column_n(&st->counts[i]) * st->counts[i].width +
		     (uint64_t)column_n(&st->late_counts[i]) * st->late_counts[i].width;
	for (uint32_t i = 0; i < sn->nsheets; i++)
		n += store_slot(st, i)->sheet->bytes;
	return n;
}

str_id builder_add_string(const struct snap *sn, const char *s, size_t n)
{
	struct store_builder *b = sn->by;
	lock_acquire(b->adding);
	str_id id = sn->complete && !b->again ? symbols_add_string(&b->symbol_tables, s, n) : 0;
	lock_release(b->adding);
	return id;
}

void builder_reopen(struct store_builder *b)
{
	lock_acquire(b->adding);
	b->again = true;
	lock_release(b->adding);
}

const struct snap *builder_publish_reopened(struct store_builder *b)
{
	const struct snap *sn = publish_all(b);
	b->again = false;
	return sn;
}

static const void *find_kept(const struct store_builder *b, const void *key)
{
	const struct kept_result *k = b->kept;
	while (k && k->key != key)
		k = k->next;
	return k ? k->result : NULL;
}

const void *builder_kept_result(const struct snap *sn, const void *key)
{
	if (!sn->by || !sn->complete)
		return NULL;
	lock_acquire(sn->by->keeping);
	const void *result = find_kept(sn->by, key);
	lock_release(sn->by->keeping);
	return result;
}

const void *builder_keep_result(const struct snap *sn, const void *key, void *result, void (*free_it)(void *))
{
	lock_acquire(sn->by->keeping);
	const void *had = find_kept(sn->by, key);
	if (!had) {
		struct kept_result *k = xmalloc(sizeof *k);
		*k = (struct kept_result){sn->by->kept, key, result, free_it};
		sn->by->kept = k;
	}
	lock_release(sn->by->keeping);
	if (had)
		free_it(result);
	return had ? had : result;
}

static void free_kept(struct store_builder *b)
{
	while (b->kept) {
		struct kept_result *k = b->kept;
		b->kept = k->next;
		k->free_it(k->result);
		mem_free(k);
	}
	lock_free(b->keeping);
}

void builder_free(struct store_builder *b)
{
	if (!b)
		return;
	free_kept(b);
	tracks_free(b->tracks);
	lock_free(b->adding);
	symbols_drop_indexes(&b->symbol_tables);
	stacks_free(&b->stacks);
	intern_free(&b->sets);
	samples_free(&b->st);
	stacks_rows_free(&b->st);
	struct data_column *const cols[] = {&b->st.strs, &b->st.maps, &b->st.funs, &b->st.locs, &b->st.frms, &b->st.cols,
		&b->st.warns};
	for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
		column_free(cols[i]);
	while (b->all) {
		struct published *next = b->all->next;
		mem_free(b->all);
		b->all = next;
	}
	arena_free(&b->st.arena);
	mem_free(b);
}
