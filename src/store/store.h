/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_H
#define TTRACE_STORE_H

#include "base/mem/column.h"
#include "base/mem/mem.h"
#include "base/mem/packed_ints.h"
#include "base/rank_bitmap.h"
#include "sink.h"

#include <string.h>

/*
 * Everything a reader of the store may see. Columns only grow, sheets never
 * change once sealed; a snapshot says how much of them there is. One writer
 * (store/builder.c), any number of readers below a snapshot.
 */
struct str_row { const char *s; uint32_t n; };
struct map_row { uint64_t id, start, limit, offset; str_id file, build_id; bool functions, filenames, lines, inlines; };
struct fun_row { uint64_t id; str_id name, sysname, file; int64_t line; };
struct loc_row { uint64_t id, addr; map_id map; frm_id first; uint32_t nline; bool folded; };
	/* its lines are frames first .. first+nline-1, innermost first; at least one, fun 0 if unknown */
struct frm_row { loc_id loc; fun_id fun; int64_t line, col; };	/* inlined: not the last of its loc */
/* A node of the call tree: parent < self, always; 0 is the root. Nearly all nodes lie right behind their parents: kept
   are frames, one bit a node for those that do not, and the parents of these, in their order. */
struct stk_row { stk_id parent; frm_id frame; };
struct stk_forks { _Atomic uint64_t bits; uint32_t before, none; };	/* of 64 nodes; before: how many before these */
struct type_row { str_id name, unit; };
struct smp_row { stk_id stack; uint32_t set; };
struct set_row { uint32_t label, n; };	/* labels[label .. label+n): samples have few different sets; 0 is none */
struct smp_time { int64_t when; trk_id trk, proc; };	/* of a trace's samples; others have none */

struct trk_row {
	enum track_kind kind;
	_Atomic uint32_t heard;		/* see store_heard(): 0, or one more than the index of a time */
	uint64_t id;
	/* learnt as the trace goes on, so they may change below a snapshot: once, but for goroutines that
	   C threads use again, whose times are those of the newest life */
	_Atomic str_id name;	/* G: start function, 0 while unknown */
	_Atomic trk_id creator;
	_Atomic stk_id start, created;	/* stack at start; where it was created */
	_Atomic int64_t t0;	/* first known; TIME_NONE: not (yet) */
	/* store_run0(), store_t1(): 0, or one more than ns after t0, or TRK_FAR and the index of a time: what takes
	   seconds is rare */
	_Atomic uint32_t to_run0, to_t1;
};
#define TRK_FAR UINT32_C(0x80000000)
/* One of these, so that whoever sees it sees the string or the track that it names. An assignment would wait until all
   that was written before has left the processor, for each of a million goroutines ten times. */
#define trk_set(field, value) atomic_store_explicit(&(field), (value), memory_order_release)

struct edge { int64_t t; trk_id from, to; stk_id stack; bool created; };	/* from 0: nobody */

/* Of very many numbers, half of which are zero, only the others are kept, one behind the other. 32 at a time: how many
   there are before, and which of these are. */
struct sheet_sparse { uint32_t before, bit; };

struct sheet {			/* one generation of the trace (at most 4.29 s of it) */
	int64_t t0, t1;
	size_t bytes;		/* that it takes, all in one block; 0: none, it is in a file (index.h) */
	bool spilled;		/* the block is mem_spill_alloc() */
	uint32_t ntrk, n;
	uint32_t nother, nostack;	/* rows of Ps and Ms come first: so many rows, so many intervals */
	const trk_id *trk;	/* tracks present, ascending among Ps and Ms and among Gs */
	const uint32_t *first;	/* track i owns intervals first[i] .. first[i+1] */
	/* sheet_start(): ns after t0. They tile [t0,t1): an interval ends where the next of its track starts, or at t1.
	   Three bytes each, and one more, where that is enough; or four, and start3 is NULL */
	const uint8_t *start3;
	const uint32_t *start4;
	const uint8_t *state;	/* enum tstate & SHEET_STATE; SHEET_CONT: continues the sheet before;
				   SHEET_PAST: see TS_PAST. Only the first of a track starts at 0 */
	/* of interval i: sheet_peer(), see state.def, and sheet_stack(); Ps and Ms have no stacks. Few tracks are
	   named in one sheet, and few traces have more than 65535 stacks: so these are numbers of two bytes
	   where that is enough, or of three or four; which of them are not zero, NULL: all have a place, and how
	   many */
	const struct sheet_sparse *whose, *stacked;
	uint32_t nwho, nstack;
	const uint16_t *who2, *stack2;	/* who2 is an index into whos; NULL: who3 is there, like start3, or who4 */
	const uint8_t *who3;
	const uint32_t *who4, *whos;
	const stk_id *stack4;
	/* ns by state before interval SHEET_STEP*k, straight across tracks, of those states that there are: nsum in a
	   row, of the states sums[], ascending; then the same before each of the first rows, and after the last
	   of them: sheet_row_sum() */
	const int64_t *sum;
	uint8_t nsum, sums[TS__N];
	uint32_t nedge;
	const uint32_t *edge;	/* who woke or created whom: intervals that are TS_READY for a new cause, ordered
				   by (who, time); EDGE_CREATED is or'ed */
};
#define EDGE_CREATED UINT32_C(0x80000000)
enum { THREE_MOST = 1 << 24, START3_NS = THREE_MOST };	/* a sheet that is shorter has start3 */
enum { SHEET_CONT = 0x80, SHEET_PAST = 0x40, SHEET_STATE = 0x3f, SHEET_STEP = 512,
	SHEET_ROWS = 256 /* of Ps and Ms, at most, that have sums of their own */ };

/* A sheet's place. What is here always is; the sheet itself may have been dropped, when there is too little
   memory for all (store/cache/sheet_cache.h), and is made again by whoever gets it. */
struct sheet_slot {
	_Atomic(const struct sheet *) sheet;
	_Atomic uint32_t pins, used;	/* how many have it in their hands; when it was got last */
	int64_t t0, t1;
	uint32_t n, ntrk, nother;	/* as of the sheet */
	uint32_t ntrks, nstks;		/* tracks and stacks that were known when it was sealed */
	const struct summary *summary;	/* of Ps and Ms, in a store of which sheets go */
	const struct activity_blocks *activity;	/* likewise, of each track (activity_of_track()); or NULL */
	const struct sheet_extremes *sheet_extremes;	/* extremes.h; NULL: there is none */
};

struct warn_row { uint64_t at; const char *msg; bool aside; };	/* aside: nothing is damaged */
struct span_row { struct sink_span s; };
struct count_row { int64_t t; uint64_t v; };
struct span_block { int64_t t0, t1; uint32_t kinds; };	/* of 64 spans: earliest, latest, 1 << kind */

struct store {
	struct arena arena;
	struct data_column strs, maps, funs, locs, frms;		/* the rows above, 0 is none */
	struct data_column stks, forks, fork; /* of nodes: frm_id; struct stk_forks, 64 a row; stk_id */
	struct data_column types, smps, sets, labels;
	struct packed_int_column *values;				/* by type, and sample */
	struct data_column sides; /* by sample, as far as there are any: see store_side() */
	struct data_column times;					/* by sample, as far as there are any */
	struct sink_meta meta;			/* readers go by the snapshot: snap.meta */
	bool has_meta;
	struct sink_trace trace;
	bool has_trace;
	struct data_column trks, marks, spans, counts[CT__N], warns;	/* marks, counts by time; spans in the
								   order of their ends; sink_mark rows */
	struct data_column span_blocks;					/* one for every 64 spans that are full */
	struct data_column utils;					/* struct sink_util */
	struct data_column trk_times;					/* int64_t, of tracks: those that few have */
	struct data_column sheets;					/* struct sheet_slot */
	struct sheet_cache *keep;					/* NULL: no sheet ever goes */
	struct proc_sums *proc_sums;					/* of Ps, where none does */
	struct trk_list { trk_id *v; uint32_t n; } numbered[TK_G + 1];	/* see store_numbered() */
	bool has_numbered;
};

struct store_builder;
struct snap {			/* a horizon: below it nothing will ever change */
	const struct store *st;	/* of one build, all have the same tables; while a profile is read, stacks and samples
				   may be some that stand for all */
	struct store_builder *by;	/* whose it is; NULL: of nobody, and its store is all there is */
	uint32_t serial;	/* 0, 1, 2...: differs when anything does */
	bool complete;
	int64_t t0, t1;		/* what of the trace is there, ns since its first event */
	uint64_t bytes, total;	/* read so far; of how many, 0 unknown */
	uint64_t held;		/* bytes of names */
	const struct sink_outline *outline;	/* NULL: there is none */
	const struct sink_meta *meta;	/* of a profile; NULL: none, or not said yet */
	bool has_trace;
	struct sink_trace trace;	/* as far as known; the store's own is there when complete */
	uint32_t nstrs, nfuns, nlocs, nfrms, nstks, nsmps, nsets, ntypes, ntrks, nmarks, nspans, nwarns, nsheets,
	    nutils;
	uint32_t ncounts[CT__N];
};

static inline const struct str_row *store_str(const struct store *s, str_id i) { return column_at(&s->strs, i); }
static inline const struct fun_row *store_fun(const struct store *s, fun_id i) { return column_at(&s->funs, i); }
static inline const struct loc_row *store_loc(const struct store *s, loc_id i) { return column_at(&s->locs, i); }
static inline const struct frm_row *store_frm(const struct store *s, frm_id i) { return column_at(&s->frms, i); }
static inline frm_id stk_frame(const struct store *s, stk_id i) { return *(const frm_id *)column_at(&s->stks, i); }
static inline stk_id stk_fork(const struct store *s, stk_id i, uint64_t bits)
{
	const struct stk_forks *f = column_at(&s->forks, i / 64);
	return *(const stk_id *)column_at(&s->fork, f->before + rank_popcount(bits & ((UINT64_C(1) << i % 64) - 1)));
}
static inline uint64_t stk_forks(const struct store *s, uint32_t block)
{
	return atomic_load_explicit(&((struct stk_forks *)column_at(&s->forks, block))->bits, memory_order_relaxed);
}
static inline stk_id stk_parent(const struct store *s, stk_id i)
{
	uint64_t bits = stk_forks(s, i / 64);
	return bits >> i % 64 & 1 ? stk_fork(s, i, bits) : i - (i != 0);
}
/* Going over nodes, which mostly lie side by side: frame[0] is that of node lo. */
struct stk_pass { const struct store *st; const frm_id *frame; uint32_t lo, hi, of; uint64_t bits; };
static inline struct stk_pass stk_pass(const struct store *s) { return (struct stk_pass){.st = s, .of = UINT32_MAX}; }
static inline void stk_go(struct stk_pass *p, uint32_t i)
{
	uint32_t k = 31u - (uint32_t)__builtin_clz(i / COLUMN_FIRST + 1), size = COLUMN_FIRST << k;
	p->frame = p->st->stks.seg[k];
	p->lo = size - COLUMN_FIRST;
	p->hi = p->lo + size;
}
static inline struct stk_row stk_at(struct stk_pass *p, uint32_t i)
{
	if (i - p->lo >= p->hi - p->lo)
		stk_go(p, i);
	if (i / 64 != p->of) {
		p->of = i / 64;
		p->bits = stk_forks(p->st, p->of);
	}
	return (struct stk_row){p->bits >> i % 64 & 1 ? stk_fork(p->st, i, p->bits) : i - (i != 0), p->frame[i - p->lo]};
}
static inline const struct trk_row *store_trk(const struct store *s, trk_id i) { return column_at(&s->trks, i); }
/* TIME_NONE, or: a track was first heard of when its t0 was sealed already; the sheets have it from here on, before it
   was in the state it is in here. */
static inline int64_t store_heard(const struct store *s, const struct trk_row *r)
{
	uint32_t i = r->heard;
	return i ? *(const int64_t *)column_at(&s->trk_times, i - 1) : TIME_NONE;
}
static inline int64_t store_since(const struct store *s, int64_t t0, uint32_t since)
{
	return !since ? TIME_NONE : since < TRK_FAR ? t0 + (since - 1)
	    : *(const int64_t *)column_at(&s->trk_times, since - TRK_FAR);
}
/* When a track first started to run; when it ended or was blocked for ever. TIME_NONE: not (yet). */
static inline int64_t store_run0(const struct store *s, const struct trk_row *r)
{
	return store_since(s, r->t0, r->to_run0);
}
static inline int64_t store_t1(const struct store *s, const struct trk_row *r)
{
	return store_since(s, r->t0, r->to_t1);
}
/* The tracks of a kind by their numbers, of a trace that was just read to its end and whose goroutines are numbered as
   the runtime numbers them. NULL: nobody has put them in order. */
static inline const struct trk_list *store_numbered(const struct snap *sn, enum track_kind kind)
{
	return sn->complete && sn->st->has_numbered ? &sn->st->numbered[kind] : NULL;
}
static inline struct sheet_slot *store_slot(const struct store *s, uint32_t i) { return column_at(&s->sheets, i); }
static inline const struct span_row *store_span(const struct store *s, uint32_t i) { return column_at(&s->spans, i); }
static inline const struct smp_row *store_smp(const struct store *s, uint32_t i) { return column_at(&s->smps, i); }
/* What a sample weighs, of a type; which of the files it is of: 0, the first. */
static inline int64_t store_value(const struct store *s, size_t type, uint32_t i)
{
	return packed_ints_at(&s->values[type], i);
}
static inline uint32_t store_side(const struct store *s, uint32_t i)
{
	return i < column_n(&s->sides) ? COLUMN_AT(&s->sides, uint8_t, i) : 0;
}
static inline const struct set_row *store_set(const struct store *s, uint32_t i) { return column_at(&s->sets, i); }
static inline const struct sink_label *store_label(const struct store *s, uint32_t i)
{
	return column_at(&s->labels, i);
}
static inline struct smp_time store_smp_time(const struct store *s, uint32_t i)
{
	return i < column_n(&s->times) ? *(const struct smp_time *)column_at(&s->times, i)
				    : (struct smp_time){TIME_NONE, 0, 0};
}

/* store/builder.c: the sink that fills a store */
struct store_builder *builder_new(void);
struct sink builder_sink(struct store_builder *);
const struct snap *builder_snap(const struct store_builder *);	/* newest published; any thread */
void builder_set_total(struct store_builder *, uint64_t bytes);	/* how much there is to read, for progress */
void builder_on_publish(struct store_builder *, bool (*fn)(void *, uint64_t bytes), void *arg);
	/* called on the writer after each publication and progress; false cancels the load */
/* Any thread: publish when it is next asked for, and not only a few times a second. */
void builder_request_publish(struct store_builder *);
const struct snap *builder_finish(struct store_builder *);	/* seal the rest; complete */
/* Before anything is said: sheets are to go when the program holds more bytes than that, and come again by
   `again`, which any thread may call until builder_free(), one at a time. */
void builder_enable_eviction(struct store_builder *, size_t limit, sink_reread_fn *again, void *arg);
/* A string that a reader of the store made up (the text of a tag): found, or added when the snapshot
   is complete and the writer is gone; else 0. For the thread that owns the store. */
str_id builder_add_string(const struct snap *, const char *s, size_t n);
/* One more file is to be said to a store that is finished: from now on builder_add_string() adds nothing, and
   what is said is seen when builder_publish_reopened() publishes it. For the thread that owns the store; the
   writing itself may be a worker's. */
void builder_reopen(struct store_builder *);
const struct snap *builder_publish_reopened(struct store_builder *);
void builder_free(struct store_builder *);			/* the store goes with it */
/* index.h's: to fill the columns by itself, when nothing has been said but strings; then publish them as all
   there is. The mapping, of which rows and sheets are part, goes with the store. */
struct store *builder_store(struct store_builder *);
const struct snap *builder_publish_index(struct store_builder *, const struct snap *, const void *mapping, size_t n);
/* The trace or that index is not what it was on disk: parts of it were made again, or looked at, and are
   shown empty. */
bool store_lost(const struct snap *);
/* Bytes of its rows, and of its sheets where none ever goes. */
uint64_t store_size(const struct snap *);
/* The store whose tables all snapshots of a build have, and keep. */
const struct store *store_tables(const struct snap *);

/* sheet_cache.c, by these two */
const struct sheet *sheet_cache_get(const struct snap *, uint32_t i);
void sheet_cache_put(const struct snap *, uint32_t i);
/* Of a store of which sheets go: the share of [a, b), within sheet i, of a row, evenly spread over as many sheets as
   were summed up together: what is drawn when the sheet is not at hand. */
void sheet_cache_estimate(const struct snap *, uint32_t i, trk_id, int64_t a, int64_t b, int64_t ns[TS__N]);
/* The same of all of the sheets [from, to), of which there are some: it does not cost as many. */
void sheet_cache_estimate_many(const struct snap *, uint32_t from, uint32_t to, trk_id, int64_t ns[TS__N]);
/* Of such a store: how many sheets there is room for at once. */
uint32_t sheet_cache_capacity(const struct store *);
/* Of any: so many sheets were made again so far. What was counted of those that were there is good until it changes. */
uint32_t sheet_cache_rebuilt(const struct store *);
/* For those who walk over all marks, spans, utils or counters: where they lie on disk, what was looked at is let go
   every so many rows, and sheets for which there is no room any more go. Call store_note_walk() with each index. */
void sheet_cache_release_pages(const struct store *);
void sheet_cache_trim(const struct store *);
enum { STORE_PASS = 1 << 16 };
static inline void store_note_walk(const struct snap *sn, uint32_t i)
{
	if (i % STORE_PASS == 0 && sn->st->keep)
		sheet_cache_trim(sn->st);
}
/* For those who looked here and there: each look may have brought some pages, that of a frame's every column many. */
static inline void store_release_pages(const struct snap *sn)
{
	if (sn->st->keep)
		sheet_cache_release_pages(sn->st);
}
/* Or in one column alone. */
static inline void store_release_column(const struct snap *sn, const struct data_column *c)
{
	if (sn->st->keep)
		column_release_pages(c);
}
/* Who looks once for each column of a screen calls it with their numbers: a line of 200 would bring 70 MB otherwise. */
enum { STORE_LOOKS = 32 };
static inline void store_note_access(const struct snap *sn, const struct data_column *c, uint32_t i)
{
	if (i % STORE_LOOKS == STORE_LOOKS - 1)
		store_release_column(sn, c);
}
static inline bool sheet_is_resident(const struct snap *sn, uint32_t i)
{
	return !sn->st->keep || atomic_load_explicit(&store_slot(sn->st, i)->sheet, memory_order_relaxed);
}
/* A sheet that is not at hand, on a thread that draws and does not wait (nowait.h): it is wanted from now on. */
bool nowait_request_sheet(const struct snap *, uint32_t i);
/* Of two neighbours of a row by their states: is the newer one only a continuation? */
static inline bool sheet_continues(uint8_t older, uint8_t newer)
{
	bool same = !((older ^ newer) & SHEET_STATE);
	return newer & SHEET_CONT || (same && older & SHEET_PAST);
}
/* Does the track go through a sheet that is not at hand unchanged (1), or is it not there (0)? -1: look. */
int activity_of_track(const struct snap *, uint32_t i, trk_id);
/* A sheet, made again if it has been dropped: good until sheet_put() of the same number, which must come. */
static inline const struct sheet *sheet_get(const struct snap *sn, uint32_t i)
{
	return sn->st->keep ? sheet_cache_get(sn, i) : atomic_load(&store_slot(sn->st, i)->sheet);
}
static inline void sheet_put(const struct snap *sn, uint32_t i)
{
	if (sn->st->keep)
		sheet_cache_put(sn, i);
}

/* For those who walk: one sheet in the hand, given back when another is taken. Zero-initialise; drop it at the end. */
struct hold { const struct snap *sn; const struct sheet *sheet; uint32_t i; };
static inline void hold_drop(struct hold *h)
{
	if (h->sheet)
		sheet_put(h->sn, h->i);
	h->sheet = NULL;
}
static inline const struct sheet *hold_sheet(struct hold *h, const struct snap *sn, uint32_t i)
{
	if (h->sheet && h->i == i && h->sn == sn)
		return h->sheet;
	hold_drop(h);
	*h = (struct hold){ sn, sheet_get(sn, i), i };
	return h->sheet;
}

/* sheet_build.c */
/* Row of an interval. */
uint32_t sheet_row_of(const struct sheet *, uint32_t i);
/* Row of a track in a sheet, or -1. */
int32_t sheet_row(const struct sheet *, trk_id);
/* Index of the interval of row that holds time t (clamped to the sheet). */
uint32_t sheet_find(const struct sheet *, uint32_t row, int64_t t);
/* The same for who goes on to a later time: i is of the row and not after it. */
uint32_t sheet_find_from(const struct sheet *, uint32_t row, uint32_t i, int64_t t);
/* How many bits are set: not every processor that we are made for has an instruction for that. */
static inline uint32_t sheet_popcount(uint32_t v)
{
	v -= v >> 1 & 0x55555555;
	v = (v & 0x33333333) + (v >> 2 & 0x33333333);
	return ((v + (v >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
/* Where number i lies; UINT32_MAX: it is zero. */
static inline uint32_t sheet_sparse_at(const struct sheet_sparse *s, uint32_t i)
{
	if (!s)
		return i;
	s += i / 32;
	uint32_t bit = 1u << i % 32;
	return s->bit & bit ? s->before + sheet_popcount(s->bit & (bit - 1)) : UINT32_MAX;
}
static inline stk_id sheet_stack(const struct sheet *sh, uint32_t i)
{
	uint32_t k = i < sh->nostack ? UINT32_MAX : sheet_sparse_at(sh->stacked, i - sh->nostack);
	return k == UINT32_MAX ? 0 : sh->stack4 ? sh->stack4[k] : sh->stack2[k];
}
/* A number of three bytes is read, and written, as one of four, of which a neighbour has the last. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { THREE_SHIFT = 8 };
#else
enum { THREE_SHIFT = 0 };
#endif
static inline uint32_t sheet_u24(const uint8_t *three, uint32_t i)
{
	uint32_t v;
	memcpy(&v, three + (size_t)i * 3, sizeof v);
	return v >> THREE_SHIFT & (THREE_MOST - 1);
}
static inline uint32_t sheet_peer(const struct sheet *sh, uint32_t i)
{
	uint32_t k = sheet_sparse_at(sh->whose, i);
	return k == UINT32_MAX ? 0 : sh->who2 ? sh->whos[sh->who2[k]]
	    : sh->who3 ? sheet_u24(sh->who3, k) : sh->who4[k];
}
static inline uint32_t sheet_start(const struct sheet *sh, uint32_t i)
{
	return sh->start3 ? sheet_u24(sh->start3, i) : sh->start4[i];
}
/* So many rows have sums of their own: a window of many sheets is made of them. */
static inline uint32_t sheet_summed(const struct sheet *sh)
{
	return sh->nother < SHEET_ROWS ? sh->nother : SHEET_ROWS;
}
/* Those before one of them, or of row sheet_summed() behind the last. */
static inline const int64_t *sheet_row_sum(const struct sheet *sh, uint32_t row)
{
	return sh->sum + ((size_t)sh->n / SHEET_STEP + 1 + row) * sh->nsum;
}
static inline int64_t sheet_end(const struct sheet *sh, uint32_t row, uint32_t i)
{
	return i + 1 < sh->first[row + 1] ? sh->t0 + sheet_start(sh, i + 1) : sh->t1;
}
/* Time by state of a row from the sheet's start to t: one binary search and at most SHEET_STEP steps. */
void sheet_upto(const struct sheet *, uint32_t row, int64_t t, int64_t sum[TS__N]);
/* The same but for something that is equal for all t of a row: for differences, with half the steps. */
void sheet_sums(const struct sheet *, uint32_t row, int64_t t, int64_t sum[TS__N]);
/* Add the time by state from a to b, in the sheet, which intervals ia and ib of a row hold. Columns lie end to end:
   what was found at b of the one before is known at a of the next, in a sheet_sum that begins as zero. */
struct sheet_sum { bool known; int64_t ns[TS__N]; };
void sheet_between(const struct sheet *, uint32_t row, uint32_t ia, int64_t a, uint32_t ib, int64_t b,
    struct sheet_sum *at, int64_t ns[TS__N]);

/* check.c: the store's invariants; -1 and what is wrong. Tests run it after every load. */
struct err;
int store_check(const struct snap *, struct err *);
int store_check_tables(const struct snap *, struct err *);	/* of it, the half of profiles */

#endif
