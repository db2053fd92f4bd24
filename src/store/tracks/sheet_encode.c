/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Filling a sheet: row by row, from the first interval to the last, each from its entry. Writes are sequential; reads
 * are in random order and are prefetched some intervals ahead, so that cache misses overlap.
 *
 * Start and state are written interval by interval, peer and stack for 32 intervals at a time: half of the intervals
 * have none, which is tested four at once, and those that have one are found by their bits. A single loop for all of it
 * needs more registers than there are and takes a fifth more instructions; so does a second loop over the intervals of
 * each row, which are often fewer than ten.
 */
#include "config.h"
#include "store/tracks/sheet_encode.h"

#include "base/mem/mem.h"

#include <string.h>

/* The peers that the sheet names, as numbers of two bytes. They are indexes into the array of peers; code[track] is
   that index plus 1. */
struct peers {
	uint32_t *code, *peer, n, max, ntrks;
	bool wide;		/* too many peers, or one is not a track (TS_OTHER has the string of its reason) */
};

/* Add a peer that has no number yet. Return its number. */
static uint16_t __attribute__((noinline)) peer_new(struct peers *w, uint32_t peer)
{
	if (peer >= w->ntrks || w->n == w->max) {
		w->wide = true;
		return 0;
	}
	w->peer[w->n] = peer;
	w->code[peer] = w->n + 1;
	return (uint16_t)w->n++;
}

/* sink_proc_state() by state, and a mask for the peer: all bits set where the peer of the P is the G. */
#define WITH(s) ((s) == TS_SYSCALL || ((s) >= TS_RUN && (s) <= TS_STW))
static const struct { uint32_t peer, state; } also[SHEET_STATE + 1] = {
#define STATE(id, letter, name, reason) \
	[TS_##id] = { WITH(TS_##id) ? UINT32_MAX : 0, WITH(TS_##id) ? TS_##id : TS_IDLE },
#include "state.def"
#undef STATE
};

/* Return the state and peer that an entry records for a track: for its own track, or for the P in `also`. */
static inline void state_of_entry(const struct sink_enter *e, trk_id trk, unsigned *state, uint32_t *peer)
{
	*state = e->state;
	*peer = e->peer;
	if (e->trk != trk) {
		*state = also[e->state & SHEET_STATE].state;
		*peer = also[e->state & SHEET_STATE].peer & e->trk;
	}
}

static uint32_t peer_of_entry(const struct sink_enter *e, trk_id trk)
{
	unsigned state;
	uint32_t peer;
	state_of_entry(e, trk, &state, &peer);
	return peer;
}

enum { SOME = 32 };	/* intervals per word of bits */
enum { STEP = 1 << 14 };	/* intervals per step: a tenth of a millisecond or two */

/* The places to write the next values to. */
struct sheet_encoder {
	struct peers peers;
	uint16_t *peer2, *stack2;
	stk_id *stack4;
	/* bits of the next SOME intervals; stacked is NULL while rows of Ps and Ms are filled, which have no stacks */
	struct sheet_sparse *whose, *stacked;
	uint32_t from;		/* the first interval of this kind of rows */
	uint32_t newest[2 * SOME];	/* of the newest intervals, fewer than SOME: peers, then stacks */
	int64_t sum[TS__N];	/* by state, in ns, over all rows so far */
	uint32_t *head;			/* by row: the peer of an interval that continues from the previous sheet */
	uint32_t row;			/* the next row */
};

/* Return the end of the inner loop from interval i: where the row ends, a word of bits is complete, or sums are due. */
static inline uint32_t fill_stop(const struct sheet_encoder *f, uint32_t i, uint32_t end)
{
	uint32_t word = i + SOME - (i - f->from) % SOME, step = (i / SHEET_STEP + 1) * SHEET_STEP;
	word = word < end ? word : end;
	return word < step ? word : step;
}

/* Return a bit for each of SOME numbers that is not zero. Tests four at a time, which nearly every processor can. */
static inline uint32_t some_bits(const uint32_t *v)
{
	typedef uint32_t four __attribute__((vector_size(16)));
	four bit = {1, 2, 4, 8}, bits = {0}, x;
	for (int k = 0; k < SOME; k += 4, bit <<= 4) {
		memcpy(&x, v + k, sizeof x);
		bits |= (four)(x != 0) & bit;
	}
	return bits[0] | bits[1] | bits[2] | bits[3];
}

static inline void fill_peers(struct sheet_encoder *f)
{
	const uint32_t *restrict code = f->peers.code;
	const uint32_t ntrks = f->peers.ntrks;
	uint16_t *restrict peer2 = f->peer2;
	uint32_t bits = some_bits(f->newest);
	f->whose++->bit = bits;
	for (; bits; bits &= bits - 1) {
		uint32_t peer = f->newest[__builtin_ctz(bits)], known = peer < ntrks ? code[peer] : 0;
		*peer2++ = known ? (uint16_t)(known - 1) : peer_new(&f->peers, peer);
	}
	f->peer2 = peer2;
}

static inline void fill_stack(struct sheet_encoder *f)
{
	uint32_t bits = some_bits(f->newest + SOME);
	f->stacked++->bit = bits;
	if (f->stack2)
		for (; bits; bits &= bits - 1)
			*f->stack2++ = (uint16_t)f->newest[SOME + __builtin_ctz(bits)];
	else
		for (; bits; bits &= bits - 1)
			*f->stack4++ = f->newest[SOME + __builtin_ctz(bits)];
}

/* Write peers and stacks of SOME intervals, the last `less` of which do not exist. */
static void fill_some(struct sheet_encoder *f, uint32_t less)
{
	for (uint32_t k = SOME - less; k < SOME; k++)
		f->newest[k] = f->newest[SOME + k] = 0;
	fill_peers(f);
	if (f->stacked)
		fill_stack(f);
}

/* Fill one row, and add its times to sum[]. The last state of the track is stored in *live. The inner loop writes
   starts and states; peers and stacks are written for SOME intervals at a time, so that the variables of each loop fit
   into registers. */
static inline __attribute__((always_inline)) void fill_row(const struct sheet_draft *b, const uint32_t *restrict from,
    uint32_t r, const struct sheet_batch *p, struct sheet_live *live, int64_t *restrict sum,
    struct sheet_encoder *f, bool g, const unsigned each)
{
	uint32_t i = b->first[r], end = b->first[r + 1], before = 0;
	const unsigned shift = each == 3 ? THREE_SHIFT : 0;
	uint8_t *restrict start = b->start + (size_t)i * each;
	uint8_t *restrict state = b->state;
	const struct sink_enter *restrict entry = p->entry;
	const trk_id trk = b->trk[r];
	const struct sink_enter head = { .t = p->t0, .trk = trk, .peer = live->peer, .stack = live->stack,
		.state = live->state ? live->state | (uint8_t)SHEET_CONT : 0 };
	const struct sink_enter *now = from[i] == HEAD ? &head : entry_at(entry, from[i]);
	const uint32_t t0 = (uint32_t)p->t0;
	unsigned was = TS_NONE, is;
	uint32_t peer, stack = 0;
	for (;;) {
		const uint32_t stop = fill_stop(f, i, end);
		uint32_t *restrict some = &f->newest[(i - f->from) % SOME];
		if (i % SHEET_STEP == 0) {
			memcpy(b->sum[i / SHEET_STEP], sum, sizeof f->sum);
			sum_add(&b->sum[i / SHEET_STEP][was], (uint32_t)now->t - t0 - before);
		}
		for (;;) {
			__builtin_prefetch(entry_at(entry, from[i + AHEAD]));
			uint32_t at = (uint32_t)now->t - t0;
			sum_add(&sum[was], at - before);
			before = at;
			if (g)
				is = now->state, peer = now->peer, some[SOME] = stack = now->stack;
			else
				state_of_entry(now, trk, &is, &peer);
			*some++ = peer;
			was = is & SHEET_STATE;
			at <<= shift;
			memcpy(start, &at, sizeof at);
			start += each;
			state[i] = (uint8_t)is;
			if (++i == stop)
				break;
			now = entry_at(entry, from[i]);
		}
		if ((i - f->from) % SOME == 0)
			fill_some(f, 0);
		if (i == end)
			break;
		now = entry_at(entry, from[i]);
	}
	sum_add(&sum[was], p->t1 - p->t0 - before);
	*live = was == TS_NONE ? (struct sheet_live){0} : (struct sheet_live){ .peer = peer, .stack = stack, .state = was };
}

/* Set `before` of all words for n intervals. Return the number of all bits. */
static uint32_t count_some(struct sheet_sparse *s, size_t n)
{
	uint32_t all = 0;
	for (size_t k = 0; k < sheet_sparse_words(n); k++) {
		s[k].before = all;
		all += sheet_popcount(s[k].bit);
	}
	return all;
}

/* Write the peers where two bytes are not enough: in three each, or in four where one of them needs that. Return the
   end. */
static char *fill_wide(const struct sheet_builder *s, const struct sheet_draft *b, const struct sheet_batch *p,
    const uint32_t *head, unsigned each)
{
	char *out = (char *)b->peer2;
	uint32_t all = 0, shift = each == 3 ? THREE_SHIFT : 0;
	for (uint32_t r = 0; r < b->sh->ntrk; r++)
		for (uint32_t i = b->first[r]; i < b->first[r + 1]; i++) {
			uint32_t peer = s->from[i] == HEAD ? head[r] :
			    peer_of_entry(entry_at(p->entry, s->from[i]), b->trk[r]), put = peer << shift;
			all |= peer;
			memcpy(out, &put, sizeof put);
			out += peer ? each : 0;
		}
	if (each == 3 && all >= THREE_MOST)
		return fill_wide(s, b, p, head, 4);
	b->sh->peer3 = each == 3 ? (const void *)b->peer2 : NULL;
	b->sh->peer4 = each == 3 ? NULL : (const void *)b->peer2;
	return out + 1;
}

/* Write the running sums of the states that occur in the sheet, after all else. Return the end. */
static char *put_sums(const struct sheet_draft *b, char *at)
{
	size_t rows = sheet_sums_n(b->sh);
	int64_t any[TS__N] = {0}, *out = (int64_t *)(void *)(at + (0 - (uintptr_t)at) % sizeof *out);
	for (size_t k = 0; k < rows; k++)
		for (int i = 0; i < TS__N; i++)
			any[i] |= b->sum[k][i];
	for (int i = 0; i < TS__N; i++)
		if (any[i])
			b->sh->sums[b->sh->nsum++] = (uint8_t)i;
	b->sh->sum = out;
	for (size_t k = 0; k < rows; k++)
		for (int c = 0; c < b->sh->nsum; c++)
			*out++ = b->sum[k][b->sh->sums[c]];
	return (char *)out;
}

static void fill_track(struct sheet_builder *s, const struct sheet_draft *b, uint32_t r, const struct sheet_batch *p,
    struct sheet_encoder *f)
{
	struct sheet_live *live = &s->live[b->trk[r]];
	bool g = r >= b->sh->nother;
	if (g && b->each == 3)
		fill_row(b, s->from, r, p, live, f->sum, f, true, 3);
	else if (g)
		fill_row(b, s->from, r, p, live, f->sum, f, true, 4);
	else if (b->each == 3)
		fill_row(b, s->from, r, p, live, f->sum, f, false, 3);
	else
		fill_row(b, s->from, r, p, live, f->sum, f, false, 4);
}

struct sheet_encoder *sheet_encode_begin(
    struct sheet_builder *s, const struct sheet_draft *b, const struct sheet_batch *p)
{
	uint32_t n = b->sh->n;
	struct sheet_encoder *f = xcalloc(1, sizeof *f);
	*f = (struct sheet_encoder){ .peers = { .code = s->pos, .peer = (uint32_t *)(void *)(b->peer2 + (n + 2) / 2 * 2),
		.n = 1, .max = n < NARROW ? n + 1 : NARROW, .ntrks = p->ntrks }, .peer2 = b->peer2,
		.stack2 = b->stack2, .stack4 = b->stack4, .whose = b->whose,
		.head = xmalloc(b->sh->ntrk * sizeof *f->head + 1) };
	f->peers.peer[0] = 0;
	f->peers.code[0] = 1;
	return f;
}

/* Start a new word of bits for the first row of a goroutine. */
static void begin_goroutines(const struct sheet_draft *b, struct sheet_encoder *f)
{
	const uint32_t odd = b->sh->nostack % SOME;
	if (odd)
		fill_some(f, SOME - odd);
	f->from = b->sh->nostack;
	f->stacked = b->stacked;
}

bool sheet_encode_rows(
    struct sheet_builder *s, const struct sheet_draft *b, struct sheet_encoder *f, const struct sheet_batch *p)
{
	const uint32_t n = b->sh->n, rows = b->sh->ntrk, summed = sheet_summed(b->sh);
	const uint32_t enough = f->row < rows ? b->first[f->row] + STEP : 0;
	int64_t (*of_row)[TS__N] = b->sum + n / SHEET_STEP + 1;
	uint32_t r = f->row;
	for (; r < rows && b->first[r] < enough; r++) {
		f->head[r] = s->live[b->trk[r]].peer;
		if (r <= summed)
			memcpy(of_row[r], f->sum, sizeof *of_row);
		if (r == b->sh->nother)
			begin_goroutines(b, f);
		fill_track(s, b, r, p, f);
	}
	f->row = r;
	return r == rows;
}

/* Write what follows the last row. The bits of goroutines started at a new word; shift them to follow those of Ps and
   Ms without a gap. */
static void after_rows(const struct sheet_draft *b, struct sheet_encoder *f)
{
	const uint32_t n = b->sh->n, odd = b->sh->nostack % SOME, summed = sheet_summed(b->sh);
	if (b->sh->ntrk == summed)
		memcpy(b->sum[n / SHEET_STEP + 1 + summed], f->sum, sizeof *b->sum);
	if ((n - f->from) % SOME)
		fill_some(f, SOME - (n - f->from) % SOME);
	if (odd && f->stacked)
		for (struct sheet_sparse *to = b->whose + b->sh->nostack / SOME; to + 1 < f->whose; to++) {
			to[0].bit |= to[1].bit << odd;
			to[1].bit >>= SOME - odd;
		}
	if (n % SHEET_STEP == 0)
		memcpy(b->sum[n / SHEET_STEP], f->sum, sizeof *b->sum);
}

/* Write the peers: the list of distinct tracks, or each in three or four bytes. Return the end. */
static char *put_peers(const struct sheet_builder *s, const struct sheet_draft *b, const struct sheet_encoder *f,
    const struct sheet_batch *p)
{
	const struct peers *w = &f->peers;
	if (w->wide)
		return fill_wide(s, b, p, f->head, 3);
	uint32_t *peers = (uint32_t *)(void *)b->peer2 + (b->sh->npeer + 1) / 2;
	b->sh->peer2 = b->peer2;
	b->sh->peers = peers;
	return (char *)memmove(peers, w->peer, w->n * sizeof *peers) + w->n * sizeof *peers;
}

size_t sheet_encode_finish(
    struct sheet_builder *s, struct sheet_draft *b, struct sheet_encoder *f, const struct sheet_batch *p)
{
	after_rows(b, f);
	for (uint32_t i = 0; i < f->peers.n; i++)
		s->pos[f->peers.peer[i]] = 0;
	b->sh->npeer = count_some(b->whose, b->sh->n);
	b->sh->nstack = count_some(b->stacked, b->sh->n - b->sh->nostack);
	char *end = put_peers(s, b, f, p);
	mem_free(f->head);
	mem_free(f);
	return (size_t)(put_sums(b, end) - (char *)b->peer2);
}
