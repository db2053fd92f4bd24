/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The laws of the store, broken one at a time: the checks accept a good store and refuse it after each change of one
 * number. Other tests and --enable-debug rely on these checks.
 */
#include "config.h"
#include "base/err.h"
#include "base/mem/mem.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/tracks/tracks.h"
#include "tap.h"

#include <string.h>

/* A sheet of a P and of two goroutines, of which one creates and wakes the other; it is made by hand, so that every number
   in it can be changed. */
enum { P0 = 1, G1, G2, NTRK, ROWS = 3, N = 8, NEDGE = 2, LEN = 100 };
struct parts {
	struct sheet sh;
	trk_id trk[ROWS];
	/* the last start, state and peer belong to no row */
	uint32_t first[ROWS + 1], start[N + 1], peer[N + 1], stack[N], edge[NEDGE];
	trk_id edge_from[1];
	uint8_t state[N + 1];
	int64_t sum[3][TS__N];		/* before the first interval, before the row of the P, and after it */
};

static struct store *st;
static struct snap sn;

static void all_sums(struct sheet *sh)
{
	for (sh->nsum = 0; sh->nsum < TS__N; sh->nsum++)
		sh->sums[sh->nsum] = sh->nsum;
}

static void good(struct parts *p)
{
	*p = (struct parts){
		.trk = {P0, G1, G2}, .first = {0, 2, 4, N},
		.start = {0, 60, 0, 60, 0, 20, 40, 40, 50},
		.state = {TS_RUN, TS_IDLE, TS_RUN, TS_SYNC, TS_NONE, TS_READY, TS_SYNC, TS_READY, TS_READY},
		.peer = {G1, 0, P0, 0, 0, G1, 0, G1, G1},
		.edge = {5 | EDGE_CREATED, 7}, .edge_from = {G1},
		.sum[2] = {[TS_RUN] = 60, [TS_IDLE] = 40},
	};
	p->sh = (struct sheet){ .t0 = 0, .t1 = LEN, .ntrk = ROWS, .n = N, .nother = 1, .nostack = 2, .trk = p->trk,
	    .first = p->first,
		.start4 = p->start, .state = p->state, .peer4 = p->peer, .stack4 = p->stack, .nedge = NEDGE,
		    .edge = p->edge, .edge_from = p->edge_from,
		.sum = p->sum[0] };
	all_sums(&p->sh);
}

static bool holds(const struct parts *p)
{
	struct err e = {0};
	bool yes = !check_tracks_sheet(&sn, &p->sh, &e);
	OK(yes || e.kind == ERR_FORMAT);
	return yes;
}

#define BROKEN(change) do { struct parts p; good(&p); OK(holds(&p)); change; OK(!holds(&p)); } while (0)

static void sheets(void)
{
	BROKEN(p.first[1] = 0);			/* a row without intervals */
	BROKEN(p.first[ROWS] = N - 1);		/* an interval that belongs to no row */
	BROKEN(p.sh.nostack = 3);
	BROKEN(p.sh.nother = 2);		/* a goroutine among the Ps */
	BROKEN(p.trk[2] = G1);			/* the same track twice */
	BROKEN((p.trk[1] = G2, p.trk[2] = G1));	/* tracks in the wrong order */
	BROKEN(p.trk[2] = NTRK);
	BROKEN(p.trk[0] = 0);
	BROKEN(p.start[2] = 1);			/* a row starts later than its sheet */
	BROKEN(p.start[1] = 0);			/* a second interval starts with the sheet */
	BROKEN(p.start[6] = 10);		/* starts before the previous interval */
	BROKEN(p.start[3] = LEN + 1);		/* starts after the end of the sheet */
	BROKEN(p.state[3] = TS__N);
	BROKEN(p.state[3] |= SHEET_CONT);
	BROKEN(p.peer[2] = G2);			/* a goroutine runs on a goroutine */
	BROKEN(p.peer[5] = P0);			/* a P as waker */
	BROKEN(p.peer[0] = NTRK);
	BROKEN(p.stack[0] = 2);
	BROKEN(p.edge[1] = N);
	BROKEN(p.edge_from[0] = G2);
	BROKEN(p.edge[0] = 1 | EDGE_CREATED);
	BROKEN(p.edge[1] = 6);			/* the goroutine is not runnable there */
	BROKEN((p.edge[0] = 7, p.edge[1] = 5));	/* edges of one waker, not in order of time */
	BROKEN(p.sum[1][TS_RUN] = 1);		/* sums before the row of the P */
	BROKEN(p.sum[2][TS_IDLE]++);
	struct parts p;
	good(&p);
	p.start[3] = LEN;			/* an interval of length 0 at the end is allowed */
	OK(holds(&p));
}

/* The same sheet with starts of three bytes. */
static void short_starts(void)
{
	uint8_t three[3 * N + 1] = {0};
	struct parts p;
	good(&p);
	for (uint32_t i = 0; i < N; i++)
		for (int b = 0; b < 3; b++)
			three[3 * i + (THREE_SHIFT ? 2u - (unsigned)b : (unsigned)b)] = (uint8_t)(p.start[i] >> 8 * b);
	p.sh.start3 = three;
	p.sh.start4 = NULL;
	OK(holds(&p));
	for (uint32_t i = 0; i < N; i++)
		OK(sheet_start(&p.sh, i) == p.start[i]);
	three[3 * 6] = three[3 * 6 + 1] = three[3 * 6 + 2] = 0;
	OK(!holds(&p));
}

/* A sheet whose number of intervals is a multiple of SHEET_STEP has the sum of all of them at its end. */
static void sums(void)
{
	enum { STEPS = SHEET_STEP };
	static uint32_t start[STEPS], peer[STEPS], stack[STEPS], first[2] = {0, STEPS};
	static uint8_t state[STEPS];
	int64_t sum[3][TS__N] = {{0}};
	trk_id trk = G1;
	for (uint32_t i = 0; i < STEPS; i++) {
		start[i] = i;
		state[i] = i % 2 ? TS_RUN : TS_SYNC;
	}
	sum[1][TS_SYNC] = STEPS / 2;
	sum[1][TS_RUN] = STEPS / 2 + 1;
	struct sheet sh = { .t0 = 0, .t1 = STEPS + 1, .ntrk = 1, .n = STEPS, .trk = &trk, .first = first,
	    .start4 = start,
		.state = state, .peer4 = peer, .stack4 = stack, .sum = sum[0] };
	all_sums(&sh);
	OK(!check_tracks_sheet(&sn, &sh, NULL));
	sum[1][TS_RUN]++;
	OK(check_tracks_sheet(&sn, &sh, NULL));
	sum[1][TS_RUN]--;
	sum[0][TS_NONE]++;
	OK(check_tracks_sheet(&sn, &sh, NULL));
}

/* Check that one wrong number in a row of a table is refused; restore it. */
#define WRONG(lvalue, value) do { \
		__typeof__(lvalue) was = (lvalue); \
		OK(!store_check_tables(&all, NULL)); \
		(lvalue) = (value); \
		OK(store_check_tables(&all, NULL)); \
		(lvalue) = was; \
	} while (0)

static void tables(void)
{
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	str_id name = s.ops->str(s.self, "f", 1);
	map_id map = s.ops->map(s.self, &(struct sink_map){.id = 1, .file = name});
	fun_id fun = s.ops->fun(s.self, &(struct sink_fun){.id = 1, .name = name, .file = name});
	struct sink_line line[2] = {{fun, 1, 0}, {fun, 2, 0}};
	loc_id loc = s.ops->loc(s.self, &(struct sink_loc){.id = 1, .addr = 16, .map = map, .line = line, .nline = 2});
	s.profile->type(s.self, name, name);
	struct sink_label l = {.key = name, .str = name};
	s.profile->sample(s.self, &(struct sink_sample){.stack = s.ops->stack(s.self, &loc, 1), .value = (int64_t[]){7},
	    .label = &l, .nlabel = 1, .when = TIME_NONE});
	const struct snap all = *builder_finish(b);
	struct store *t = (struct store *)(uintptr_t)all.st;
	frm_id *stk = column_at(&t->stks, all.nstks - 1);
	struct stk_forks *forks = column_at(&t->forks, 0);
	struct frm_row *frm = column_at(&t->frms, all.nfrms - 1);
	struct loc_row *where = column_at(&t->locs, loc);
	struct fun_row *f = column_at(&t->funs, fun);
	struct map_row *m = column_at(&t->maps, map);
	struct smp_row *smp = column_at(&t->smps, 0);
	struct sink_label *label = column_at(&t->labels, 0);
	WRONG(*stk, 0);
	WRONG(*stk, all.nfrms);
	WRONG(forks->before, 1);
	WRONG(forks->bits, 2);	/* a parent that is listed apart, but the list is empty */
	stk_id *up = column_add(&t->fork, NULL);
	forks->bits = 2;
	OK(!store_check_tables(&all, NULL));
	WRONG(*up, all.nstks - 1);	/* a node that is its own parent */
	WRONG(forks->bits, 1);	/* the root has a parent */
	forks->bits = 0;
	WRONG(frm->loc, 0);
	WRONG(frm->loc, all.nlocs);
	WRONG(frm->fun, all.nfuns);
	WRONG(where->nline, 0);
	WRONG(where->nline, where->nline + 1);
	WRONG(where->first, all.nfrms + 1);
	WRONG(where->map, column_n(&t->maps));
	WRONG(f->name, all.nstrs);
	WRONG(f->file, all.nstrs);
	WRONG(m->file, all.nstrs);
	WRONG(smp->stack, all.nstks);
	WRONG(smp->set, all.nsets);
	WRONG(label->key, all.nstrs);
	WRONG(label->str, all.nstrs);
	builder_free(b);
}

int main(void)
{
	st = xcalloc(1, sizeof *st);
	struct tracks *tk = tracks_new(st);
	OK(tracks_track(tk, TK_P, 0) == P0 && tracks_track(tk, TK_G, 1) == G1 && tracks_track(tk, TK_G, 2) == G2);
	sn = (struct snap){ .st = st, .ntrks = NTRK, .nstrs = 1, .nstks = 2 };
	sheets();
	short_starts();
	sums();
	tables();
	tracks_free(tk);
	mem_free(st);
	return DONE();
}
