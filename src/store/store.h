/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_H
#define TTRACE_STORE_H

#include "base/mem/column.h"
#include "base/mem/mem.h"
#include "base/mem/packed_ints.h"
#include "base/rank_bitmap.h"
#include "sink_profile.h"
#include "sink_trace.h"

#include <string.h>

/*
 * Everything that a reader of the store may see. Columns only grow, and sealed sheets never change; a snapshot has the
 * counts up to which rows are valid. There is one writer (store/builder.c) and any number of readers below a snapshot.
 */
struct str_row { const char *s; uint32_t n; };
struct map_row { uint64_t id, start, limit, offset; str_id file, build_id; bool functions, filenames, lines, inlines; };
struct fun_row { uint64_t id; str_id name, sysname, file; int64_t line; };
struct loc_row { uint64_t id, addr; map_id map; frm_id first; uint32_t nline; bool folded; };
	/* its lines are frames first .. first+nline-1, innermost first; at least one, fun 0 if unknown */
struct frm_row { loc_id loc; fun_id fun; int64_t line; };	/* inlined: not the last of its loc */
/* A node of the call tree: parent < self, always; 0 is the root. Nearly all nodes directly follow their parents. Stored
   are the frames, one bit per node that is set when it does not follow its parent, and the parents of such nodes, in
   order. */
struct stk_row { stk_id parent; frm_id frame; };
struct stk_forks { _Atomic uint64_t bits; uint32_t before, none; };	/* of 64 nodes; before: bits in earlier rows */
struct type_row { str_id name, unit; };
struct smp_row { stk_id stack; uint32_t set; };
struct set_row { uint32_t label, n; };	/* labels[label .. label+n): samples have few different sets; 0 is none */
struct smp_time { int64_t when; trk_id trk, proc; };	/* of samples of a trace; other stores have none */

/* The start of goroutines: those with equal values share a row (store_origin()). A field is 0 while it is not known.
   heard: 1 + the index of the time that store_heard() returns, for the few goroutines that have one. */
struct trk_origin {
	str_id name;		/* the function that it executes: the start function, or what that calls: trampolines.c */
	str_id start_fun;
	stk_id start, created;	/* stacks */
	uint32_t heard;
};
enum { TRK_ID_BITS = 62 };
struct trk_row {
	uint64_t id : TRK_ID_BITS;
	enum track_kind kind : 2;
	/* Known later in the trace, so these may change below a snapshot. origin changes each time more is known of the
	   start; the others change once, except for goroutines that C threads reuse, whose times are those of the
	   newest life. */
	_Atomic int64_t t0;	/* first known; TIME_NONE: not (yet) known */
	_Atomic trk_id creator;
	_Atomic uint32_t origin;	/* row of trk_origins, 0: nothing is known */
	/* See store_run0(), store_t1(): 0; or ns after t0, plus 1; or TRK_FAR plus the index of a time, for the few
	   beyond two seconds. */
	_Atomic uint32_t to_run0, to_t1;
};
#define TRK_FAR UINT32_C(0x80000000)
/* Set one of these fields, so that a thread that sees the value also sees the string or track that it names. A plain
   assignment to an _Atomic field would wait for all earlier writes, ten times for each of a million goroutines. */
#define trk_set(field, value) atomic_store_explicit(&(field), (value), memory_order_release)

struct edge { int64_t t; trk_id from, to; stk_id stack; bool created; };	/* from 0: not known */

/* Stores the non-zero ones of very many numbers, half of which are zero, one after the other. Per 32 numbers: how many
   non-zero ones come before, and which of these 32 are not zero. */
struct sheet_sparse { uint32_t before, bit; };

struct sheet {			/* the states of all tracks in [t0, t1), sealed from one batch */
	int64_t t0, t1;
	size_t bytes;		/* of its block */
	uint32_t ntrk, n;
	uint32_t nother, nostack;	/* Ps and Ms come first: number of their rows, of their intervals */
	const trk_id *trk;	/* tracks that exist, ascending among Ps and Ms and among Gs */
	const uint32_t *first;	/* row i has intervals first[i] .. first[i+1]-1 */
	/* sheet_start(): ns after t0. The intervals of a row tile [t0,t1): an interval ends where the next one starts,
	   or at t1. start3 has three bytes each and one spare byte, in sheets shorter than START3_NS; in others it is
	   NULL, and start4 is set. */
	const uint8_t *start3;
	const uint32_t *start4;
	/* enum tstate & SHEET_STATE. SHEET_CONT: continues the previous sheet; SHEET_PAST: see TS_PAST. Only the first
	   interval of a row starts at 0. */
	const uint8_t *state;
	/* Of interval i: sheet_peer(), see state.def, and sheet_stack(); Ps and Ms have no stacks. A sheet names few
	   tracks, and few traces have more than 65535 stacks, so these are numbers of two bytes where that is enough,
	   else of three or four. whose and stacked record which intervals have any (NULL: all have an element); nwho
	   and nstack are their counts. */
	const struct sheet_sparse *whose, *stacked;
	uint32_t npeer, nstack;
	/* peer2 has indexes into peers. If it is NULL, peer3 is set (packed as start3), or peer4. */
	const uint16_t *peer2, *stack2;
	const uint8_t *peer3;
	const uint32_t *peer4, *peers;
	const stk_id *stack4;
	/* Time by state in ns before interval SHEET_STEP*k, summed across rows in order. A row of sum[] has nsum
	   values, for the states sums[], ascending; only states that occur have one. After the last k, sum[] has
	   the sums before each of the first sheet_summed() rows, and one more after the last of them:
	   sheet_row_sum(). */
	const int64_t *sum;
	uint8_t nsum, sums[TS__N];
	uint32_t nedge;
	/* Intervals that are TS_READY because of a wake or creation, ordered by (peer, time). EDGE_CREATED is or'ed. */
	const uint32_t *edge;
	const trk_id *edge_from;	/* the peer of every EDGE_STEP-th edge, from the first one on: for searches */
};
#define EDGE_CREATED UINT32_C(0x80000000)
enum { EDGE_STEP = 16 };
enum { THREE_MOST = 1 << 24, START3_NS = THREE_MOST };	/* shorter sheets have start3 */
enum { SHEET_CONT = 0x80, SHEET_PAST = 0x40, SHEET_STATE = 0x3f, SHEET_STEP = 512,
	SHEET_ROWS = 256 /* limit of the rows of Ps and Ms that have sums of their own */ };

/* The slot of a sheet, with what is often asked of it: the sheet itself may not be in memory (paging_file.h). */
struct sheet_slot {
	const struct sheet *sheet;
	int64_t t0, t1;
	uint32_t n, ntrk, nother;	/* as in the sheet */
};

struct warn_row { uint64_t at; const char *msg; bool aside; };	/* aside: nothing is damaged */
struct span_row { struct sink_span s; };
struct count_row { int64_t t; uint64_t v; };
/* Goroutines that existed from the start of the trace, but occur first in a later batch, are missing in the counts by
   state before that batch. row: the first row of the batch; n: how many such goroutines it and all earlier ones have. */
struct late_count { uint32_t row, n; };
struct span_block { int64_t t0, t1; uint32_t kinds; };	/* of 64 spans: least t0, greatest t1, bits 1 << kind */

struct store {
	struct arena arena;
	struct data_column strs, maps, funs, locs, frms;		/* the rows above; row 0 is none */
	struct data_column cols;				/* int64_t by frame, up to the last that has one: store_col() */
	struct data_column stks, forks, fork; /* frm_id by node; struct stk_forks by 64 nodes; stk_id */
	struct data_column types, smps, sets, labels;
	struct packed_int_column *values;				/* by type, and then by sample */
	struct data_column sides; /* by sample, up to the last that has one: see store_side() */
	struct data_column times;					/* by sample, up to the last that has one */
	struct sink_meta meta;			/* readers use the snapshot's: snap.meta */
	bool has_meta;
	struct sink_trace trace;
	bool has_trace;
	/* marks are struct sink_mark; marks and counts are in the order of time, spans in the order of their ends */
	struct data_column trks, marks, spans, counts[CT__N], warns;
	struct data_column heap_by;					/* trk_id by row of counts[CT_HEAP_LIVE]: sink_trace_ops.count */
	struct data_column late_counts[CT__N];				/* struct late_count, from CT_RUNNABLE on */
	struct data_column span_blocks;					/* one for every 64 complete spans */
	struct data_column utils;					/* struct sink_util */
	struct data_column trk_times, trk_origins;			/* int64_t, rare times of tracks; struct trk_origin */
	struct data_column sheets;					/* struct sheet_slot */
	struct proc_sums *proc_sums;
	struct trk_list { trk_id *v; uint32_t n; } numbered[TK_G + 1];	/* see store_numbered() */
	bool has_numbered;
};

struct store_builder;
struct snap {			/* rows below its counts never change */
	const struct store *st;	/* the same for all snapshots of a build */
	struct store_builder *by;	/* its builder; NULL: a store without one */
	uint32_t serial;	/* 0, 1, 2...: differs whenever the contents do */
	bool complete;
	int64_t t0, t1;		/* the part of the trace that is sealed, ns since its first event */
	uint64_t bytes, total;	/* read so far; in total, 0 unknown */
	uint64_t held;		/* bytes of names */
	const struct sink_outline *outline;	/* NULL: none */
	const struct sink_meta *meta;	/* of a profile; NULL: none, or not known yet */
	bool has_trace;
	struct sink_trace trace;	/* as far as known; when complete, the store has it too */
	uint32_t nstrs, nfuns, nlocs, nfrms, nstks, nsmps, nsets, ntypes, ntrks, nmarks, nspans, nwarns, nsheets,
	    nutils;
	uint32_t ncounts[CT__N], nlate_counts[CT__N];
};

static inline const struct str_row *store_str(const struct store *s, str_id i) { return column_at(&s->strs, i); }
static inline const struct fun_row *store_fun(const struct store *s, fun_id i) { return column_at(&s->funs, i); }
static inline const struct loc_row *store_loc(const struct store *s, loc_id i) { return column_at(&s->locs, i); }
static inline const struct frm_row *store_frm(const struct store *s, frm_id i) { return column_at(&s->frms, i); }
/* Return the column of the line of a frame; 0: not known. Few programs write columns. */
static inline int64_t store_col(const struct store *s, frm_id i)
{
	return i < column_n(&s->cols) ? COLUMN_AT(&s->cols, int64_t, i) : 0;
}
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
/* Reads nodes in a loop, mostly in ascending order: frame[0] is the frame of node lo. */
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
static inline const struct trk_origin *store_origin(const struct store *s, const struct trk_row *r)
{
	return column_at(&s->trk_origins, r->origin);
}
/* Return the function that a goroutine executes, or its start function, which mostly is the same; 0: unknown. */
static inline str_id store_trk_name(const struct store *s, trk_id i) { return store_origin(s, store_trk(s, i))->name; }
static inline str_id store_trk_start(const struct store *s, trk_id i) { return store_origin(s, store_trk(s, i))->start_fun; }
/* Return TIME_NONE, or the time from which on sheets have the track, if its t0 was sealed already when its first event
   arrived. */
static inline int64_t store_heard(const struct store *s, const struct trk_row *r)
{
	uint32_t i = store_origin(s, r)->heard;
	return i ? *(const int64_t *)column_at(&s->trk_times, i - 1) : TIME_NONE;
}
static inline int64_t store_since(const struct store *s, int64_t t0, uint32_t since)
{
	return !since ? TIME_NONE : since < TRK_FAR ? t0 + (since - 1)
	    : *(const int64_t *)column_at(&s->trk_times, since - TRK_FAR);
}
/* Return when a track first ran; when it ended or was blocked for ever. TIME_NONE: not (yet). */
static inline int64_t store_run0(const struct store *s, const struct trk_row *r)
{
	return store_since(s, r->t0, r->to_run0);
}
static inline int64_t store_t1(const struct store *s, const struct trk_row *r)
{
	return store_since(s, r->t0, r->to_t1);
}
/* Return the tracks of a kind in the order of their ids, or NULL if they were not sorted: that is done for a trace that
   was just read to its end and has goroutine ids as the runtime assigns them. */
static inline const struct trk_list *store_numbered(const struct snap *sn, enum track_kind kind)
{
	return sn->complete && sn->st->has_numbered ? &sn->st->numbered[kind] : NULL;
}
static inline struct sheet_slot *store_slot(const struct store *s, uint32_t i) { return column_at(&s->sheets, i); }

/* Return the number of intervals in the sheets of a snapshot. */
static inline uint64_t snap_intervals(const struct snap *sn)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < sn->nsheets; i++)
		n += store_slot(sn->st, i)->n;
	return n;
}
/* Return the cost of some passes over all intervals, in steps (base/async.h). */
static inline uint64_t snap_cost(const struct snap *sn, uint32_t passes)
{
	return passes * snap_intervals(sn);
}
static inline const struct span_row *store_span(const struct store *s, uint32_t i) { return column_at(&s->spans, i); }
static inline const struct smp_row *store_smp(const struct store *s, uint32_t i) { return column_at(&s->smps, i); }
/* Return the value of a sample, for a type; and the number of the file that it is from, 0 for the first. */
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

/* Return the bytes of the rows and the sheets. */
uint64_t store_size(const struct snap *);

/* Return whether the newer of two adjacent intervals of a row only continues the older one, given their states. */
static inline bool sheet_continues(uint8_t older, uint8_t newer)
{
	bool same = !((older ^ newer) & SHEET_STATE);
	return newer & SHEET_CONT || (same && older & SHEET_PAST);
}
static inline const struct sheet *sheet_get(const struct snap *sn, uint32_t i) { return store_slot(sn->st, i)->sheet; }

/* sheet_read.c */
/* Return the row of an interval. */
uint32_t sheet_row_of(const struct sheet *, uint32_t i);
/* Return the row of a track in a sheet, or -1. */
int32_t sheet_row(const struct sheet *, trk_id);
/* Return the index of the interval of a row that contains time t (clamped to the sheet). */
uint32_t sheet_find(const struct sheet *, uint32_t row, int64_t t);
/* The same for a later time: i is an interval of the row at or before the result. */
uint32_t sheet_find_from(const struct sheet *, uint32_t row, uint32_t i, int64_t t);
/* Return the number of bits set. Not every processor that the program is built for has an instruction for it. */
static inline uint32_t sheet_popcount(uint32_t v)
{
	v -= v >> 1 & 0x55555555;
	v = (v & 0x33333333) + (v >> 2 & 0x33333333);
	return ((v + (v >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
/* Return the index of number i among the non-zero ones, or UINT32_MAX if it is zero. */
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
/* Three-byte numbers are read and written as four bytes, one of which belongs to a neighbour. */
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
	return k == UINT32_MAX ? 0 : sh->peer2 ? sh->peers[sh->peer2[k]]
	    : sh->peer3 ? sheet_u24(sh->peer3, k) : sh->peer4[k];
}
static inline uint32_t sheet_start(const struct sheet *sh, uint32_t i)
{
	return sh->start3 ? sheet_u24(sh->start3, i) : sh->start4[i];
}
/* Return how many of the first rows have sums of their own, which windows of many sheets use. */
static inline uint32_t sheet_summed(const struct sheet *sh)
{
	return sh->nother < SHEET_ROWS ? sh->nother : SHEET_ROWS;
}
/* Return the sums before one of these rows; row sheet_summed() is allowed. */
static inline const int64_t *sheet_row_sum(const struct sheet *sh, uint32_t row)
{
	return sh->sum + ((size_t)sh->n / SHEET_STEP + 1 + row) * sh->nsum;
}
static inline int64_t sheet_end(const struct sheet *sh, uint32_t row, uint32_t i)
{
	return i + 1 < sh->first[row + 1] ? sh->t0 + sheet_start(sh, i + 1) : sh->t1;
}
/* Return the time by state of a row from the start of the sheet to t: one binary search and at most SHEET_STEP
   steps. */
void sheet_upto(const struct sheet *, uint32_t row, int64_t t, int64_t sum[TS__N]);
/* The same plus values that do not depend on t, in half the steps: use differences between two t of one row. */
void sheet_sums(const struct sheet *, uint32_t row, int64_t t, int64_t sum[TS__N]);
/* Add the time by state of a row from a to b, both in the sheet, in intervals ia and ib. For adjacent ranges: *at, zero
   before the first call, keeps the sums at b for the next call, whose a is the same time. */
struct sheet_sum { bool known; int64_t ns[TS__N]; };
void sheet_between(const struct sheet *, uint32_t row, uint32_t ia, int64_t a, uint32_t ib, int64_t b,
    struct sheet_sum *at, int64_t ns[TS__N]);

#endif
