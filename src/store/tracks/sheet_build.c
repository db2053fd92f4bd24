/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A sheet: the states of all tracks over one stretch of the trace, sealed. Its
 * intervals are sorted by track and then by time (a counting sort: the entries
 * of a track arrive in order), and the intervals of a track tile [t0, t1): an
 * interval ends where the next one starts. The first interval of a track starts
 * at 0 and no other does, so the place where one track ends and the next begins
 * shows in start[] itself; a run of intervals can be summed straight across
 * tracks, and the time by state between any two intervals is the difference of
 * two running sums kept for every SHEET_STEP'th. That is the whole zoom
 * machinery: exact shares at any scale for half a byte an interval, and no
 * pyramid of textures.
 *
 * An interval costs 4 bytes for when it starts and its state, 5 where a sheet is longer than 16 ms, and two bytes each
 * for who and stack where it has any, which is half of the time. Who woke whom is told by the intervals that are
 * runnable; the edges are their indexes in the order of who did it.
 *
 * start[] is 32 bits wide, so a sheet in which anything begins is at most
 * SHEET_MAX_NS long; a stretch in which nothing happens may have any length.
 *
 * A track that is not there at all (TS_NONE from end to end) has no row. A track
 * that goes on from the sheet before starts with its state marked SHEET_CONT.
 *
 * The sort writes only indexes of entries where it jumps about, and then reads
 * the entries in the order of the sheet: reads that miss the cache overlap, and
 * four arrays are written once, from end to end.
 */
#include "config.h"
#include "store/tracks/sheet_build.h"

#include "base/mem/mem.h"
#include "store/tracks/sheet_encode.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 18, SLAB = 1 << 26 };

static void slab_free(struct sheet_builder *s)
{
	if (s->spilled)
		mem_spill_free(s->slab, s->nslab);
	else
		mem_pages_free(s->slab, s->nslab);
}

/* Sheets lie one behind the other in slabs, so that the system can give large pages; each is whole pages and can
   go by itself. */
static char *slab_room(struct sheet_builder *s, size_t *size)
{
	*size = mem_round_to_pages(*size);
	if (s->nslab < *size) {
		slab_free(s);
		size_t least = s->spills ? SLAB / 4 : SLAB;
		s->nslab = *size < least ? least : *size;
		s->slab = s->spills ? mem_spill_alloc(s->nslab) : NULL;
		s->spilled = s->slab;
		s->slab = s->slab ? s->slab : mem_pages(s->nslab);
	}
	return s->slab;
}

/* Lay the arrays out in one block, the widest first; and last, room for who[] as wide as it may become, and for the
   sums. Of stacks there are so many at most; each array of what is not zero has room for one more, which is written and
   not kept. */
static struct sheet_draft sheet_layout(struct sheet_builder *s, const struct sheet_builder_sorted *x, size_t stacks,
    const struct sheet_batch *piece)
{
	uint32_t nother = x->nother, ntrk = x->rows, n = x->total, nostack = x->other, nedge = x->nedge;
	bool narrow = piece->nstks <= NARROW, brief = piece->t1 - piece->t0 < START3_NS;
	struct sheet of = { .ntrk = ntrk, .nother = nother, .n = n, .nostack = nostack };
	size_t steps = sheet_sums_n(&of), at[12], size = sizeof(struct sheet);
	s->sum = mem_grow(s->sum, &s->csum, steps, sizeof *s->sum);
	size_t whos = (size_t)(n < NARROW ? n : NARROW) + 1;
	size_t want[] = {(ntrk + 1) * sizeof(uint32_t), (ntrk + 1) * sizeof(uint32_t),
	    brief ? ((size_t)n * 3 + 4) / 4 * 4 : n * sizeof(uint32_t), nedge * sizeof(uint32_t),
	    (sheet_sparse_words(n) + 1) * sizeof(struct sheet_sparse),
	    sheet_sparse_words(n - nostack) * sizeof(struct sheet_sparse), narrow ? 0 : (stacks + 1) * sizeof(stk_id),
	    narrow ? (stacks + 1) * sizeof(uint16_t) : 0, n};
	size_t parts = sizeof want / sizeof *want;
	for (size_t i = 0; i < parts; i++)
		at[i] = size, size += want[i];
	size_t who_at = (size + 3) / 4 * 4;
	size_t wide = (n + 1) * sizeof(uint32_t), two = (n + 2) / 2 * sizeof(uint32_t) + whos * sizeof(uint32_t);
	size = who_at + (wide > two ? wide : two) + steps * sizeof *s->sum + sizeof(int64_t);
	char *p = size < LARGE ? xmalloc(size) : slab_room(s, &size);
	struct sheet_draft b = { .sh = (void *)p, .sum = s->sum, .trk = (void *)(p + at[0]),
		.first = (void *)(p + at[1]), .start = (void *)(p + at[2]), .each = brief ? 3 : 4,
		.edge = (void *)(p + at[3]), .whose = (void *)(p + at[4]), .stacked = (void *)(p + at[5]),
		.stack4 = narrow ? NULL : (void *)(p + at[6]), .stack2 = narrow ? (void *)(p + at[7]) : NULL,
		.state = (uint8_t *)(p + at[8]), .who2 = (void *)(p + who_at),
		.who_at = who_at };
	*b.sh = (struct sheet){ .bytes = size, .ntrk = ntrk, .nother = nother, .n = n, .nostack = nostack, .trk = b.trk,
		.first = b.first, .start3 = brief ? b.start : NULL, .start4 = brief ? NULL : (void *)b.start,
		.state = b.state, .stack2 = b.stack2, .stack4 = b.stack4, .nedge = nedge, .edge = b.edge,
		.whose = b.whose, .stacked = b.stacked };
	memset(b.whose, 0, want[4] + want[5]);
	b.sh->spilled = size >= LARGE && s->spilled;
	return b;
}

/* The sheet keeps what it needs of the slab. */
static void sheet_trim(struct sheet_builder *s, const struct sheet_draft *b, size_t used)
{
	if (b->sh->bytes < LARGE)
		return;
	size_t size = mem_round_to_pages(b->who_at + used);
	b->sh->bytes = size < LARGE ? LARGE : size;
	s->slab += b->sh->bytes;
	s->nslab -= b->sh->bytes;
	if (!s->nslab)
		s->slab = NULL;
}

const uint8_t sheet_class[TS__N] = {
#define STATE(id, letter, name, reason) \
	[TS_##id] = TS_##id <= TS_IDLE ? CLASS_NONE : TS_##id <= TS_STW ? CLASS_RUNNING : \
	    TS_##id == TS_READY ? CLASS_RUNNABLE : TS_##id <= TS_SYSBLOCK ? CLASS_SYSCALL : CLASS_WAITING,
#include "state.def"
#undef STATE
};

/* ---- the rows */

static void list_add(struct sheet_builder_list *l, trk_id t)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = t;
}

static int by_id(const void *a, const void *b)
{
	trk_id x = *(const trk_id *)a, y = *(const trk_id *)b;
	return x < y ? -1 : x > y;
}

/* New tracks are met in the order in which they were numbered, nearly always. */
static void list_sort(struct sheet_builder_list *l)
{
	for (size_t i = 1; i < l->n; i++)
		if (l->v[i - 1] > l->v[i]) {
			qsort(l->v, l->n, sizeof *l->v, by_id);
			return;
		}
}

void sheet_build_reserve(struct sheet_builder *s, uint32_t n)
{
	s->lives.width = sizeof *s->live;
	s->places.width = sizeof *s->pos;
	s->live = spill_array_reserve(&s->lives, n);
	s->pos = spill_array_reserve(&s->places, n);
}

void sheet_build_set_live(struct sheet_builder *s, int kind, trk_id t, const struct sheet_live *live)
{
	list_add(&s->alive[kind], t);
	s->live[t] = *live;
}

/* How many intervals each track will have, in pos[]; tracks that were not there at first begin with a head of
   TS_NONE. */
static void count_intervals(struct sheet_builder *s, const struct sheet_batch *p)
{
	for (int k = 0; k < 2; k++) {
		s->fresh[k].n = 0;
		for (size_t i = 0; i < s->alive[k].n; i++)
			s->pos[s->alive[k].v[i]] = 1;
	}
	for (size_t i = 0; i < p->nlisted; i++) {
		const struct sheet_batch_track *x = &p->listed[i];
		if (!s->pos[x->trk])
			list_add(&s->fresh[x->g], x->trk);
		s->pos[x->trk] = x->n + 1;
	}
	list_sort(&s->fresh[0]);
	list_sort(&s->fresh[1]);
}

/* The rows of one kind after n others, ascending: those that were there and those that are new. pos[] becomes
   the index of the first interval, of which *at is the next. */
static uint32_t make_rows(struct sheet_builder *s, int kind, uint32_t n, uint32_t *at)
{
	const struct sheet_builder_list *x = &s->alive[kind], *y = &s->fresh[kind];
	s->row = mem_grow(s->row, &s->crow, n + x->n + y->n + 1, sizeof *s->row);
	for (size_t i = 0, j = 0; i < x->n || j < y->n;) {
		trk_id t = j == y->n || (i < x->n && x->v[i] < y->v[j]) ? x->v[i++] : y->v[j++];
		uint32_t count = s->pos[t];
		s->row[n++] = (struct sheet_builder_row){ t, *at };
		s->pos[t] = *at;
		*at += count;
	}
	s->row[n].first = *at;
	return n;
}

/* ---- the intervals */

/* Which entry each interval is of: the only step that jumps about in memory when writing, so it writes
   little. pos[] names the newest interval of the track; what begins at 0 replaces the head. How many edges there
   may be, noted on the way. */
static uint32_t sort_entries(struct sheet_builder *s, const struct sheet_batch *p, uint32_t rows, uint32_t total)
{
	s->from = mem_grow(s->from, &s->nfrom, (size_t)total + AHEAD + 2, sizeof *s->from);
	for (uint32_t r = 0; r < rows; r++)
		s->from[s->row[r].first] = HEAD;
	memset(s->from + total, 0, AHEAD * sizeof *s->from);
	const struct sink_enter *e = p->entry;
	uint32_t *restrict from = s->from, *restrict pos = s->pos, n = (uint32_t)p->n * ENTRY_WORDS;
	int64_t t0 = p->t0;
	s->edge = mem_grow(s->edge, &s->cedge, p->n + 1, sizeof *s->edge);
	struct sheet_builder_edge *edge = s->edge;
	int64_t t = INT64_MIN;
	size_t stacks = 0;
	bool ordered = true;
	for (uint32_t i = 0; i < n; i += ENTRY_WORDS, e++) {
		stacks += e->stack != 0;
		uint32_t later = e->t > t0, at = pos[e->trk] += later;
		from[at] = i;
		pos[0] = total + AHEAD;	/* what is also of nobody goes where nobody looks */
		from[pos[e->also] += later] = i;
		if (e->moved & ENTRY_EDGE) {
			ordered = ordered && e->t >= t;
			t = e->t;
			*edge++ = (struct sheet_builder_edge){ e->who < p->ntrks ? e->who : 0, at, i,
				(e->moved & ENTRY_WAS) == CLASS_NONE };
		}
	}
	s->ordered = ordered;
	s->nstack = stacks;
	s->pos[0] = 0;
	return (uint32_t)(edge - s->edge);
}

/* ---- edges */

struct edge_key { trk_id from; uint32_t at; int64_t t; };

static int edge_cmp(const void *a, const void *b)
{
	const struct edge_key *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static uint32_t edge_value(const struct sheet_builder_edge *e)
{
	return e->at | (e->created ? EDGE_CREATED : 0);
}

/* Of a broken trace: not in the order of time, or made by what is no goroutine of the sheet. */
static void index_edges_slowly(
    const struct sheet_builder *s, struct sheet_draft *b, const struct sheet_batch *p, uint32_t n)
{
	struct edge_key *key = xmalloc(n * sizeof *key + 1);
	for (uint32_t i = 0; i < n; i++)
		key[i] = (struct edge_key){ s->edge[i].from, edge_value(&s->edge[i]), 
			entry_at(p->entry, s->edge[i].entry)->t };
	qsort(key, n, sizeof *key, edge_cmp);
	for (uint32_t i = 0; i < n; i++)
		b->edge[i] = key[i].at;
	mem_free(key);
}

/* Edges by who made them: another counting sort, by rows. false: some were made by what is no goroutine
   of the sheet. */
static bool index_edges(struct sheet_builder *s, struct sheet_draft *b, uint32_t n)
{
	uint32_t *pos = s->pos, at;
	for (uint32_t i = 0; i < n; i++)
		pos[s->edge[i].from]++;
	at = pos[0];	/* by nobody */
	pos[0] = 0;
	for (uint32_t r = b->sh->nother; r < b->sh->ntrk; r++) {
		uint32_t c = pos[b->trk[r]];
		pos[b->trk[r]] = at;
		at += c;
	}
	for (uint32_t i = 0; at == n && i < n; i++)
		b->edge[pos[s->edge[i].from]++] = edge_value(&s->edge[i]);
	return at == n;
}

/* Leaves pos[] zero. An edge whose interval has no length, and so no place, is none. Entries are not looked at again,
   but where they were not in order. */
static void fill_edges(struct sheet_builder *s, struct sheet_draft *b, const struct sheet_batch *p)
{
	bool ordered = true;
	int64_t t = INT64_MIN;
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->sh->nedge; i++) {
		const struct sheet_builder_edge e = s->edge[i];
		if (s->from[e.at] != e.entry)
			continue;
		if (!s->ordered) {
			ordered = ordered && entry_at(p->entry, e.entry)->t >= t;
			t = entry_at(p->entry, e.entry)->t;
		}
		s->edge[n++] = e;
	}
	b->sh->nedge = n;
	if (!ordered || !index_edges(s, b, n))
		index_edges_slowly(s, b, p, n);
	for (uint32_t i = 0; i < n; i++)
		s->pos[s->edge[i].from] = 0;
	for (uint32_t r = b->sh->nother; r < b->sh->ntrk; r++)
		s->pos[b->trk[r]] = 0;
}

/* The tracks that are still there go on into the next piece. */
static void list_alive(struct sheet_builder *s, const struct sheet_draft *b)
{
	s->alive[0].n = s->alive[1].n = 0;
	for (uint32_t r = 0; r < b->sh->ntrk; r++) {
		if (s->live[b->trk[r]].state != TS_NONE)
			list_add(&s->alive[r >= b->sh->nother], b->trk[r]);
		if (r % SHEET_PASS == SHEET_PASS - 1) {
			spill_array_release_pages(&s->lives);
			sheet_release_pages(b->sh);
		}
	}
}

static void forget_crowds(const struct sheet_builder *s, uint32_t from, uint32_t upto)
{
	spill_array_discard(&s->lives, from * (size_t)SHEET_CROWD, upto * (size_t)SHEET_CROWD);
	spill_array_discard(&s->places, from * (size_t)SHEET_CROWD, upto * (size_t)SHEET_CROWD);
}

/* Of crowds that the sheet has rows of and of which nobody lives now nothing is kept: it is all zero. Rows of both
   kinds are in order. Neighbours go at once, for every thread hears of each time. */
static void forget_dead(const struct sheet_builder *s, const struct sheet_draft *b, uint32_t ntrks)
{
	uint32_t other = 0, from = 0, upto = 0;
	for (uint32_t r = b->sh->nother; r < b->sh->ntrk;) {
		uint32_t crowd = b->trk[r] / SHEET_CROWD;
		bool lives = (crowd + 1) * (size_t)SHEET_CROWD > ntrks;
		for (; r < b->sh->ntrk && b->trk[r] / SHEET_CROWD == crowd; r++)
			lives = lives || s->live[b->trk[r]].state != TS_NONE;
		for (; other < b->sh->nother && b->trk[other] / SHEET_CROWD <= crowd; other++)
			lives = lives || b->trk[other] / SHEET_CROWD == crowd;
		if (crowd % (SHEET_PASS / SHEET_CROWD) == 0)
			spill_array_release_pages(&s->lives);
		if (lives)
			continue;
		if (upto != crowd) {
			forget_crowds(s, from, upto);
			from = crowd;
		}
		upto = crowd + 1;
	}
	forget_crowds(s, from, upto);
}

/* Where memory is short scratch of so many rows is no more than is needed at the time. */
static void free_rows(struct sheet_builder *s)
{
	if (!s->spills)
		return;
	mem_free(s->row);
	s->row = NULL;
	s->crow = 0;
}

static void free_intervals(struct sheet_builder *s)
{
	if (!s->spills)
		return;
	mem_free(s->from);
	s->from = NULL;
	s->nfrom = 0;
}

/* ---- step by step */

enum build_step { SORT, LAY_OUT, FILL };

static void sort_batch(struct sheet_builder *s, const struct sheet_batch *p)
{
	struct sheet_builder_sorted *x = &s->sorted;
	uint32_t total = 0;
	sheet_build_reserve(s, p->ntrks);
	count_intervals(s, p);
	x->nother = make_rows(s, 0, 0, &total);
	x->other = total;
	x->rows = make_rows(s, 1, x->nother, &total);
	x->total = total;
	x->nedge = sort_entries(s, p, x->rows, total);
}

static void lay_out(struct sheet_builder *s, const struct sheet_batch *p)
{
	const struct sheet_builder_sorted *x = &s->sorted;
	size_t stacks = s->nstack + s->alive[1].n, most = x->total - x->other;
	struct sheet_draft b = sheet_layout(s, x, stacks < most ? stacks : most, p);
	b.sh->t0 = p->t0;
	b.sh->t1 = p->t1;
	b.first[x->rows] = x->total;
	for (uint32_t r = 0; r < x->rows; r++) {
		b.trk[r] = s->row[r].trk;
		b.first[r] = s->row[r].first;
		s->pos[b.trk[r]] = 0;
	}
	free_rows(s);
	sheet_release_pages(b.sh);
	fill_edges(s, &b, p);
	s->b = xmalloc(sizeof *s->b);
	*s->b = b;
	s->sheet_encoder = sheet_encode_begin(s, s->b, p);
}

static struct sheet *sheet_done(struct sheet_builder *s, const struct sheet_batch *p)
{
	struct sheet_draft b = *s->b;
	sheet_trim(s, &b, sheet_encode_finish(s, s->b, s->sheet_encoder, p));
	mem_free(s->b);
	s->b = NULL;
	s->sheet_encoder = NULL;
	free_intervals(s);
	list_alive(s, &b);
	forget_dead(s, &b, p->ntrks);
	spill_array_release_pages(&s->lives);
	spill_array_release_pages(&s->places);
	return b.sh;
}

struct sheet *sheet_build_step(struct sheet_builder *s, struct sheet_batch *p)
{
	struct sheet *done = NULL;
	switch ((enum build_step)s->build_step) {
	case SORT:
		sort_batch(s, p);
		s->build_step = LAY_OUT;
		break;
	case LAY_OUT:
		lay_out(s, p);
		s->build_step = FILL;
		break;
	case FILL:
		if (!sheet_encode_rows(s, s->b, s->sheet_encoder, p))
			break;
		done = sheet_done(s, p);
		s->build_step = SORT;
	}
	return done;
}

struct sheet *sheet_build_run(struct sheet_builder *s, struct sheet_batch *p)
{
	struct sheet *sh;
	while (!(sh = sheet_build_step(s, p)))
		;
	return sh;
}

void sheet_free(const struct sheet *sh)
{
	void *p = (void *)(uintptr_t)sh;
	if (!sh)
		return;
	if (sh->bytes && sh->bytes < LARGE)
		mem_free(p);
	else if (sh->spilled)
		mem_spill_free(p, sh->bytes);
	else
		mem_pages_free(p, sh->bytes);
}

void sheet_build_free(struct sheet_builder *s)
{
	slab_free(s);
	spill_array_free(&s->lives);
	spill_array_free(&s->places);
	mem_free(s->row);
	mem_free(s->from);
	mem_free(s->edge);
	mem_free(s->sum);
	for (int k = 0; k < 2; k++) {
		mem_free(s->alive[k].v);
		mem_free(s->fresh[k].v);
	}
	*s = (struct sheet_builder){0};
}
