/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Counts goroutines by state. Each entry of a goroutine decrements one class and increments another. For each class and
 * slot of time at most three rows are kept: the least count, the greatest, and the count at the end. Most of a million
 * entries leave no row, so the cost is that of reading an entry.
 *
 * Whether a count is a new minimum cannot be predicted, so all four classes are counted at once without a branch, in
 * eight lanes of 16 bits: by how many each class grew since the start of the slot, and by how many it shrank. So the
 * maximum of a class is the minimum of its second lane. More lanes of the same layout have the index of the entry with
 * the minimum and of the last entry that changed the class; their times are looked up when the slot ends. A slot also
 * ends before 16 bits overflow. This takes three quarters of the instructions of counting one class after the other,
 * without mispredicted branches.
 */
#include "config.h"
#include "store/tracks/state_counts.h"

#include "base/mem/mem.h"

/* slots of a batch; entries from which on a batch has half as many slots */
enum { SLOTS = 1024, MANY = 1 << 16,
	MOVES = 1 << 2 * ENTRY_CLASS, HALF = 4, LANES = 2 * HALF, SLOT_MOST = 1 << 14 };

typedef int16_t lanes __attribute__((vector_size(LANES * sizeof(int16_t))));

/* By the lower bits of sink_enter.moved. */
struct move {
	lanes by;		/* the change of each lane */
	/* set: all bits in changed lanes; none: INT16_MIN in changed lanes, else INT16_MAX, so that the others are no
	   minimum */
	lanes set, none;
	lanes room;		/* pads the struct, so that an element is found by a shift */
};

struct tracks_counter {
	struct move move[MOVES];
	struct store *st;
	bool any;			/* a goroutine has occurred */
	int64_t n[CLASS__N];		/* counts at the end of the newest batch */
	int64_t t[CT__N];		/* times of the newest rows */
};

/* Changes since the start of a slot. */
struct count_slot {
	lanes now, least;
	/* entries with the minimum and with the last change: 1 is the first entry, 0 means before it */
	lanes first, last;
	bool begun;		/* the first slot of a batch: writes a row for each class */
};

static const enum counter class_counter[CLASS__N] = {
	[CLASS_RUNNABLE] = CT_RUNNABLE, [CLASS_RUNNING] = CT_RUNNING, [CLASS_WAITING] = CT_WAITING,
	[CLASS_SYSCALL] = CT_SYSCALL,
};

/* The class of each lane. Other classes are not counted. */
static const enum sheet_class lane_class[HALF] = { CLASS_RUNNABLE, CLASS_RUNNING, CLASS_WAITING, CLASS_SYSCALL };

/* Compilers recognise a vector minimum and maximum in this form. */
static inline lanes least(lanes a, lanes b)
{
	for (int i = 0; i < LANES; i++)
		a[i] = a[i] < b[i] ? a[i] : b[i];
	return a;
}

static inline lanes lane_max(lanes a, lanes b)
{
	for (int i = 0; i < LANES; i++)
		a[i] = a[i] > b[i] ? a[i] : b[i];
	return a;
}

static struct move move_make(unsigned was, unsigned is)
{
	struct move m = {0};
	for (int i = 0; i < HALF; i++) {
		int by = (is == lane_class[i]) - (was == lane_class[i]);
		m.by[i] = (int16_t)by;
		m.by[HALF + i] = (int16_t)-by;
		m.set[i] = m.set[HALF + i] = by ? -1 : 0;
		m.none[i] = m.none[HALF + i] = by ? INT16_MIN : INT16_MAX;
	}
	return m;
}

/* ---- the rows */

/* Add a row. In a damaged trace the count may be negative; it is stored as 0. */
static void add_row(struct tracks_counter *c, enum counter what, int64_t t, int64_t v)
{
	if (t < c->t[what])
		t = c->t[what];
	c->t[what] = t;
	*(struct count_row *)column_add(&c->st->counts[what], NULL) = (struct count_row){ t, v < 0 ? 0 : (uint64_t)v };
}

static int64_t time_before(const struct sink_enter *e, int i, int64_t t0)
{
	return i ? e[i - 1].t : t0;
}

/* End the slot that starts at entry e (and, for the first one, at t0): add its rows. */
static void slot_end(struct tracks_counter *c, const struct count_slot *s, const struct sink_enter *e, int64_t t0)
{
	for (int i = 0; i < HALF; i++) {
		enum counter what = class_counter[lane_class[i]];
		int64_t *n = &c->n[lane_class[i]], at_least = *n + s->least[i], at_most = *n - s->least[HALF + i];
		if (!s->begun && !s->last[i])
			continue;
		int64_t low = time_before(e, s->first[i], t0), high = time_before(e, s->first[HALF + i], t0);
		int64_t t = time_before(e, s->last[i], t0);
		bool rises = low <= high;
		int64_t ta = rises ? low : high, a = rises ? at_least : at_most;
		int64_t tb = rises ? high : low, b = rises ? at_most : at_least;
		*n += s->now[i];
		if (ta < t)
			add_row(c, what, ta, a);
		if (tb < t && a != b)
			add_row(c, what, tb, b);
		add_row(c, what, t, *n);
	}
}

/* ---- the entries */

/* Count the entries of a slot from e on, up to time `until`. Return the first entry of the next slot. */
static inline __attribute__((always_inline)) const struct sink_enter *slot_fill(const struct tracks_counter *c,
    struct count_slot *s, const struct sink_enter *e, const struct sink_enter *end, int64_t until, bool past)
{
	const struct sink_enter *most_of = end - e > SLOT_MOST ? e + SLOT_MOST : end;
	const lanes one = { 1, 1, 1, 1, 1, 1, 1, 1 };
	lanes now = s->now, low = s->least, first = s->first, last = s->last, at = one;
	for (; e < most_of && e->t < until; e++, at += one) {
		const struct move *m = &c->move[past && e->state & SHEET_PAST ? 0 : e->moved % MOVES];
		now += m->by;
		lanes here = lane_max(now, m->none);
		first = lane_max(first, (here < low) & at);
		low = least(low, here);
		last = lane_max(last, m->set & at);
	}
	*s = (struct count_slot){ now, low, first, last, s->begun };
	return e;
}

static struct count_slot slot_begin(void)
{
	struct count_slot s = {0};
	for (int i = 0; i < LANES; i++)
		s.least[i] = INT16_MAX;
	return s;
}

/* Add goroutines to those that are missing in the rows of a count so far. */
static void add_late(struct store *st, enum counter what, uint32_t n)
{
	struct data_column *late = &st->late_counts[what];
	uint32_t row = column_n(&st->counts[what]), rows = column_n(late);
	uint32_t before = rows ? COLUMN_AT(late, struct late_count, rows - 1).n : 0;
	if (n && row)
		*(struct late_count *)column_add(late, NULL) = (struct late_count){row, before + n};
}

/* Apply the entries of states that were learned later before all others. */
static void count_past(struct tracks_counter *c, const struct sheet_batch *p)
{
	uint32_t late[CLASS__N] = {0};
	for (size_t i = 0; i < p->n; i++)
		if (p->entry[i].state & SHEET_PAST) {
			unsigned was = p->entry[i].moved & ENTRY_WAS, is = p->entry[i].moved >> ENTRY_CLASS & ENTRY_WAS;
			c->n[was]--;
			c->n[is]++;
			late[is] += was == CLASS_NONE;
		}
	for (int i = 0; i < HALF; i++)
		add_late(c->st, class_counter[lane_class[i]], late[lane_class[i]]);
}

/* Return the number of slots of a batch of n entries. A long trace has many batches, so each needs less resolution. */
static int64_t slot_count(size_t n)
{
	return n < MANY ? SLOTS : SLOTS / 2;
}

void tracks_counter_add_batch(struct tracks_counter *c, const struct sheet_batch *p)
{
	for (size_t i = 0; i < p->n && !c->any; i++)
		c->any = p->entry[i].moved % MOVES;
	if (!c->any)
		return;
	if (p->past)
		count_past(c, p);
	const struct sink_enter *e = p->entry, *end = p->n ? e + p->n : e, *next;
	int64_t step = (p->t1 - p->t0) / slot_count(p->n) + 1, until = p->t0 + step;
	struct count_slot s = { .begun = true };
	do {
		next = p->past ? slot_fill(c, &s, e, end, until, true) : slot_fill(c, &s, e, end, until, false);
		slot_end(c, &s, e, p->t0);
		e = next;
		if (e < end)
			until = e->t - (e->t - p->t0) % step + step;
		s = slot_begin();
	} while (e < end);
}

struct tracks_counter *tracks_counter_new(struct store *st)
{
	struct tracks_counter *c = xcalloc(1, sizeof *c);
	c->st = st;
	for (unsigned m = 0; m < MOVES; m++)
		c->move[m] = move_make(m & ENTRY_WAS, m >> ENTRY_CLASS & ENTRY_WAS);
	return c;
}

void tracks_counter_free(struct tracks_counter *c)
{
	mem_free(c);
}
