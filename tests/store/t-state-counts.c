/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Counters of goroutines by state against their definition, on seeded random batches: for each class and slot of time,
 * the row with the least count, the row with the largest, and the last one. So the last row of a batch has the count at
 * its end, whatever rows are left out.
 */
#include "config.h"
#include "base/mem/mem.h"
#include "store/tracks/state_counts.h"
#include "tap.h"

#include <string.h>

enum { NG = 300, NE = 9000, SLOTS = 1024 };

static const enum sheet_class classes[] = { CLASS_RUNNABLE, CLASS_RUNNING, CLASS_WAITING, CLASS_SYSCALL };
static const enum counter counters[] = { CT_RUNNABLE, CT_RUNNING, CT_WAITING, CT_SYSCALL };

static uint32_t seed;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

/* ---- counters by their definition */

struct rows { struct count_row v[1 << 16]; size_t n; };

static void rows_add(struct rows *r, int64_t t, int64_t v)
{
	if (r->n && t < r->v[r->n - 1].t)
		t = r->v[r->n - 1].t;
	r->v[r->n++] = (struct count_row){ t, v < 0 ? 0 : (uint64_t)v };
}

struct extreme { int64_t t, v; };
struct plain { bool any; struct extreme least, most, last; };

static void plain_end(struct plain *p, struct rows *r)
{
	struct extreme a = p->least, b = p->most;
	if (!p->any)
		return;
	if (b.t < a.t)
		a = p->most, b = p->least;
	if (a.t < p->last.t)
		rows_add(r, a.t, a.v);
	if (b.t < p->last.t && a.v != b.v)
		rows_add(r, b.t, b.v);
	rows_add(r, p->last.t, p->last.v);
	p->any = false;
}

static void plain_is(struct plain *p, int64_t t, int64_t v)
{
	if (!p->any || v < p->least.v)
		p->least = (struct extreme){ t, v };
	if (!p->any || v > p->most.v)
		p->most = (struct extreme){ t, v };
	p->last = (struct extreme){ t, v };
	p->any = true;
}

/* Append the rows of a class in a batch. *n is the count at its start, then that at its end. */
static void plain_piece(const struct sheet_batch *p, enum sheet_class class, int64_t *n, struct rows *r)
{
	int64_t step = (p->t1 - p->t0) / SLOTS + 1, slot = 0;
	struct plain x = {0};
	for (int past = 1; past >= 0; past--) {
		for (size_t i = 0; i < p->n; i++) {
			const struct sink_enter *e = &p->entry[i];
			int by = ((e->moved >> ENTRY_CLASS & ENTRY_WAS) == class) - ((e->moved & ENTRY_WAS) == class);
			if ((e->state & SHEET_PAST ? 1 : 0) != past)
				continue;
			if ((e->t - p->t0) / step != slot)
				plain_end(&x, r);
			slot = (e->t - p->t0) / step;
			*n += by;
			if (by && !past)
				plain_is(&x, e->t, *n);
		}
		slot = 0;
		x = past ? (struct plain){ true, { p->t0, *n }, { p->t0, *n }, { p->t0, *n } } : x;
	}
	plain_end(&x, r);
}

/* ---- random batches */

/* Fill a batch with entries of goroutines in the order of time. Some states were learned later (past), some change nothing. */
static void piece_fill(struct sheet_batch *p, uint8_t *class, uint32_t n, int64_t ns, bool past)
{
	int64_t t = p->t0;
	p->n = n;
	p->past = past;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t g = rnd(NG);
		unsigned is = rnd(4) ? rnd(CLASS__N) : class[g];
		t += ns && !rnd(3) ? (int64_t)rnd((uint32_t)(3 * ns / n) + 2) : 0;
		t = t < p->t0 + ns ? t : p->t0 + ns - (ns > 0);
		p->entry[i] = (struct sink_enter){ .t = t, .trk = g + 1, .state = TS_RUN,
			.moved = (uint8_t)(ENTRY_G | is << ENTRY_CLASS | class[g] | (rnd(2) ? ENTRY_EDGE : 0)) };
		if (past && !rnd(9))
			p->entry[i].state |= SHEET_PAST;
		class[g] = (uint8_t)is;
	}
	p->t1 = p->t0 + (ns ? ns : 1);
}

static void init_counts(struct store *st)
{
	for (unsigned c = CT_RUNNABLE; c < CT__N; c++) {
		column_init(&st->counts[c], sizeof(struct count_row));
		column_init(&st->late_counts[c], sizeof(struct late_count));
	}
}

static void free_counts(struct store *st)
{
	for (unsigned c = CT_RUNNABLE; c < CT__N; c++) {
		column_free(&st->counts[c]);
		column_free(&st->late_counts[c]);
	}
}

static struct rows now, want[4];

/* Count the goroutines that a batch has found in a class and no earlier one had. */
static uint32_t late_in(const struct sheet_batch *p, unsigned class)
{
	uint32_t n = 0;
	for (size_t i = 0; i < p->n && p->past; i++)
		n += p->entry[i].state & SHEET_PAST && (p->entry[i].moved & ENTRY_WAS) == CLASS_NONE &&
		     (p->entry[i].moved >> ENTRY_CLASS & ENTRY_WAS) == class;
	return n;
}

static void compare(const struct store *st, int i, uint32_t with)
{
	uint32_t n = column_n(&st->counts[counters[i]]);
	now.n = 0;
	for (uint32_t j = 0; j < n; j++)
		now.v[now.n++] = COLUMN_AT(&st->counts[counters[i]], struct count_row, j);
	bool same = now.n == want[i].n && !memcmp(now.v, want[i].v, n * sizeof *now.v);
	if (!same)
		fprintf(stderr, "seed %u counter %d: %zu rows, wanted %zu\n", with, i, now.n, want[i].n);
	OK(same);
}

static void run(uint32_t with)
{
	struct store st = {0};
	uint8_t class[NG] = {0};
	int64_t n[CLASS__N] = {0};
	uint32_t late[4] = {0};
	struct sheet_batch p = { .entry = xmalloc(NE * sizeof *p.entry) };
	seed = with;
	init_counts(&st);
	memset(want, 0, sizeof want);
	struct tracks_counter *c = tracks_counter_new(&st);
	for (uint32_t k = 0; k < 6; k++) {
		piece_fill(&p, class, k == 3 ? 0 : 1 + rnd(NE - 1), rnd(3) ? (int64_t)rnd(1 << 22) : 0, rnd(2));
		for (int i = 0; i < 4; i++)
			late[i] += column_n(&st.counts[counters[i]]) ? late_in(&p, classes[i]) : 0;
		tracks_counter_add_batch(c, &p);
		for (int i = 0; i < 4; i++)
			plain_piece(&p, classes[i], &n[classes[i]], &want[i]);
		p.t0 = p.t1;
	}
	for (int i = 0; i < 4; i++) {
		const struct data_column *v = &st.late_counts[counters[i]];
		OK((column_n(v) ? COLUMN_AT(v, struct late_count, column_n(v) - 1).n : 0) == late[i]);
		compare(&st, i, with);
	}
	tracks_counter_free(c);
	free_counts(&st);
	mem_free(p.entry);
}

/* More goroutines change at one instant than a slot can count: the last row has the right count. */
static void crowd(void)
{
	enum { MANY = 100000 };
	struct store st = {0};
	struct sheet_batch p = { .t0 = 5, .t1 = 6, .n = MANY, .entry = xcalloc(MANY, sizeof *p.entry) };
	init_counts(&st);
	for (uint32_t i = 0; i < MANY; i++)
		p.entry[i] = (struct sink_enter){ .t = 5, .trk = i + 1, .state = TS_READY,
			.moved = ENTRY_G | CLASS_RUNNABLE << ENTRY_CLASS };
	struct tracks_counter *c = tracks_counter_new(&st);
	tracks_counter_add_batch(c, &p);
	uint32_t rows = column_n(&st.counts[CT_RUNNABLE]);
	const struct count_row *last = rows ? column_at(&st.counts[CT_RUNNABLE], rows - 1) : NULL;
	OK(last && last->v == MANY && last->t == 5);
	tracks_counter_free(c);
	free_counts(&st);
	mem_free(p.entry);
}

int main(void)
{
	for (uint32_t s = 1; s <= 200; s++)
		run(s);
	crowd();
	return DONE();
}
