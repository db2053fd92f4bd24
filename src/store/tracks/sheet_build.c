/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A sheet holds the states of all tracks over one part of the trace, sealed. Its intervals are sorted by track and then
 * by time (a counting sort: the entries of a track arrive in order), and the intervals of a track tile [t0, t1): an
 * interval ends where the next one starts. The first interval of a track starts at 0 and no other does, so the array of
 * starts itself shows where one track ends and the next begins. A run of intervals can be summed straight across
 * tracks, and the time by state between any two intervals is the difference of two running sums, which are kept for
 * every SHEET_STEP'th interval. So the timeline has exact shares at any zoom for half a byte an interval, without a
 * pyramid of textures.
 *
 * An interval takes 4 bytes for its start and state, 5 where a sheet is longer than 16 ms, and two bytes each for its
 * peer (sheet_peer()) and stack where it has any, which is half of the time. A runnable interval names the waker of its
 * goroutine; the edges are the indexes of such intervals, ordered by waker.
 *
 * Starts have at most 32 bits, so a sheet in which any interval starts after t0 is at most SHEET_MAX_NS long; a sheet
 * in which nothing happens may have any length.
 *
 * A track that does not exist (TS_NONE from end to end) has no row. The first interval of a track that continues from
 * the previous sheet has SHEET_CONT in its state.
 *
 * The sort writes only indexes of entries to random places. Then the entries are read in the order of the sheet: reads
 * that miss the cache overlap, and four arrays are written sequentially, once.
 */
#include "config.h"
#include "store/tracks/sheet_build.h"

#include "base/mem/mem.h"
#include "base/mem/paging_file.h"
#include "store/tracks/sheet_encode.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 18, SLAB = 1 << 26 };

static void slab_free(void *p, size_t n)
{
	if (!paging_free(p, n))
		mem_pages_free(p, n);
}

/* Return room for a sheet, and round its size up to pages. Sheets are adjacent in slabs, so that the system can use
   large pages; each sheet is whole pages and can be freed by itself. */
static char *slab_room(struct sheet_builder *s, size_t *size)
{
	*size = mem_round_to_pages(*size);
	if (s->nslab < *size) {
		slab_free(s->slab, s->nslab);
		s->nslab = *size < SLAB ? SLAB : *size;
		s->slab = mem_bulk(s->nslab);
	}
	return s->slab;
}

/* Lay the arrays out in one block, the widest elements first. The last part has room for peers in their widest form and
   for the sums. `stacks` is the largest possible number of stacks. Each array of non-zero values has one spare element,
   which is written but not kept. */
static struct sheet_draft sheet_layout(struct sheet_builder *s, const struct sheet_builder_sorted *x, size_t stacks,
    const struct sheet_batch *piece)
{
	uint32_t nother = x->nother, ntrk = x->rows, n = x->total, nostack = x->other, nedge = x->nedge;
	bool narrow = piece->nstks <= NARROW, brief = piece->t1 - piece->t0 < START3_NS;
	struct sheet of = { .ntrk = ntrk, .nother = nother, .n = n, .nostack = nostack };
	size_t steps = sheet_sums_n(&of), at[12], size = sizeof(struct sheet);
	s->sum = mem_grow(s->sum, &s->csum, steps, sizeof *s->sum);
	size_t peers = (size_t)(n < NARROW ? n : NARROW) + 1;
	size_t want[] = {(ntrk + 1) * sizeof(uint32_t), (ntrk + 1) * sizeof(uint32_t),
	    brief ? ((size_t)n * 3 + 4) / 4 * 4 : n * sizeof(uint32_t), nedge * sizeof(uint32_t),
	    (nedge / EDGE_STEP + 1) * sizeof(trk_id),
	    (sheet_sparse_words(n) + 1) * sizeof(struct sheet_sparse),
	    sheet_sparse_words(n - nostack) * sizeof(struct sheet_sparse), narrow ? 0 : (stacks + 1) * sizeof(stk_id),
	    narrow ? (stacks + 1) * sizeof(uint16_t) : 0, n};
	size_t parts = sizeof want / sizeof *want;
	for (size_t i = 0; i < parts; i++)
		at[i] = size, size += want[i];
	size_t peer_at = (size + 3) / 4 * 4;
	size_t wide = (n + 1) * sizeof(uint32_t), two = (n + 2) / 2 * sizeof(uint32_t) + peers * sizeof(uint32_t);
	size = peer_at + (wide > two ? wide : two) + steps * sizeof *s->sum + sizeof(int64_t);
	char *p = size < LARGE && !paging_active() ? xmalloc(size) : slab_room(s, &size);
	struct sheet_draft b = { .sh = (void *)p, .sum = s->sum, .trk = (void *)(p + at[0]),
		.first = (void *)(p + at[1]), .start = (void *)(p + at[2]), .each = brief ? 3 : 4,
		.edge = (void *)(p + at[3]), .edge_from = (void *)(p + at[4]), .whose = (void *)(p + at[5]),
		.stacked = (void *)(p + at[6]), .stack4 = narrow ? NULL : (void *)(p + at[7]),
		.stack2 = narrow ? (void *)(p + at[8]) : NULL, .state = (uint8_t *)(p + at[9]), .peer2 = (void *)(p + peer_at),
		.peer_at = peer_at };
	*b.sh = (struct sheet){ .bytes = size, .ntrk = ntrk, .nother = nother, .n = n, .nostack = nostack, .trk = b.trk,
		.first = b.first, .start3 = brief ? b.start : NULL, .start4 = brief ? NULL : (void *)b.start,
		.state = b.state, .stack2 = b.stack2, .stack4 = b.stack4, .nedge = nedge, .edge = b.edge,
		.edge_from = b.edge_from, .whose = b.whose, .stacked = b.stacked };
	memset(b.whose, 0, want[5] + want[6]);
	return b;
}

/* Give the unused end of the sheet's room back to the slab. */
static void sheet_trim(struct sheet_builder *s, const struct sheet_draft *b, size_t used)
{
	if ((char *)b->sh != s->slab)
		return;
	size_t size = mem_round_to_pages(b->peer_at + used);
	b->sh->bytes = size < LARGE && !paging_owns(s->slab) ? LARGE : size;
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

/* Sort, unless the list is sorted already: new tracks nearly always occur in the order of their numbers. */
static void list_sort(struct sheet_builder_list *l)
{
	for (size_t i = 1; i < l->n; i++)
		if (l->v[i - 1] > l->v[i]) {
			qsort(l->v, l->n, sizeof *l->v, by_id);
			return;
		}
}

static void reserve_tracks(struct sheet_builder *s, uint32_t n)
{
	s->lives.width = sizeof *s->live;
	s->places.width = sizeof *s->pos;
	s->live = page_array_reserve(&s->lives, n);
	s->pos = page_array_reserve(&s->places, n);
}

/* Set pos[] to the number of intervals of each track. A new track gets one more, a head of TS_NONE. */
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

/* Add the rows of one kind after the n rows made before, ascending by track: tracks that existed and new ones. Set
   pos[] to the first interval of each; *at is the next free interval. Return the number of rows. */
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

/* Set from[] to the entry of each interval; HEAD: it has none. This is the only step that writes to random places, so
   it writes little. pos[] is the newest interval of the track; an entry at t0 replaces the head. Also notes the
   intervals that may be edges; returns their number. */
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
		pos[0] = total + AHEAD;	/* entries without a companion P write to a dummy element */
		from[pos[e->also] += later] = i;
		if (e->moved & ENTRY_EDGE) {
			ordered = ordered && e->t >= t;
			t = e->t;
			*edge++ = (struct sheet_builder_edge){ e->peer < p->ntrks ? e->peer : 0, at, i,
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

static void put_edge(struct sheet_draft *b, uint32_t k, trk_id from, uint32_t value)
{
	b->edge[k] = value;
	if (k % EDGE_STEP == 0)
		b->edge_from[k / EDGE_STEP] = from;
}

/* Order the edges of a damaged trace: they are not in the order of time, or their wakers are no goroutines of the
   sheet. */
static void index_edges_slowly(
    const struct sheet_builder *s, struct sheet_draft *b, const struct sheet_batch *p, uint32_t n)
{
	struct edge_key *key = xmalloc(n * sizeof *key + 1);
	for (uint32_t i = 0; i < n; i++)
		key[i] = (struct edge_key){ s->edge[i].from, edge_value(&s->edge[i]),
			entry_at(p->entry, s->edge[i].entry)->t };
	qsort(key, n, sizeof *key, edge_cmp);
	for (uint32_t i = 0; i < n; i++)
		put_edge(b, i, key[i].from, key[i].at);
	mem_free(key);
}

/* Order edges by waker, with another counting sort by rows. Return false if some waker is not a goroutine of the
   sheet. */
static bool index_edges(struct sheet_builder *s, struct sheet_draft *b, uint32_t n)
{
	uint32_t *pos = s->pos, at;
	for (uint32_t i = 0; i < n; i++)
		pos[s->edge[i].from]++;
	at = pos[0];	/* edges without a waker come first */
	pos[0] = 0;
	for (uint32_t r = b->sh->nother; r < b->sh->ntrk; r++) {
		uint32_t c = pos[b->trk[r]];
		pos[b->trk[r]] = at;
		at += c;
	}
	for (uint32_t i = 0; at == n && i < n; i++)
		put_edge(b, pos[s->edge[i].from]++, s->edge[i].from, edge_value(&s->edge[i]));
	return at == n;
}

/* Make the array of edges. An edge whose interval has no length is dropped, since a later entry replaced it. Entries
   are read again only if they were not in order. Leaves pos[] zero. */
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

/* List the tracks that continue into the next batch. */
static void list_alive(struct sheet_builder *s, const struct sheet_draft *b)
{
	s->alive[0].n = s->alive[1].n = 0;
	for (uint32_t r = 0; r < b->sh->ntrk; r++)
		if (s->live[b->trk[r]].state != TS_NONE)
			list_add(&s->alive[r >= b->sh->nother], b->trk[r]);
}

static void forget_crowds(const struct sheet_builder *s, uint32_t from, uint32_t upto)
{
	page_array_discard(&s->lives, from * (size_t)SHEET_CROWD, upto * (size_t)SHEET_CROWD);
	page_array_discard(&s->places, from * (size_t)SHEET_CROWD, upto * (size_t)SHEET_CROWD);
}

/* Drop the state of complete groups that have rows in this sheet and no live track any more; it is all zero. Rows of
   each kind ascend by track. Adjacent groups are discarded in one call, because each call interrupts every thread. */
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

/* ---- in steps */

enum build_step { SORT, LAY_OUT, FILL };

static void sort_batch(struct sheet_builder *s, const struct sheet_batch *p)
{
	struct sheet_builder_sorted *x = &s->sorted;
	uint32_t total = 0;
	reserve_tracks(s, p->ntrks);
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
	list_alive(s, &b);
	forget_dead(s, &b, p->ntrks);
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

void sheet_free(const struct sheet *sh)
{
	void *p = (void *)(uintptr_t)sh;
	if (!sh)
		return;
	if (sh->bytes < LARGE && !paging_owns(sh))
		mem_free(p);
	else
		slab_free(p, sh->bytes);
}

void sheet_build_free(struct sheet_builder *s)
{
	slab_free(s->slab, s->nslab);
	page_array_free(&s->lives);
	page_array_free(&s->places);
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
