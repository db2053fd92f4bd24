/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The invariants of the trace part: sheets are adjacent in time, the rows of a sheet ascend, the intervals of a row
 * tile it and only the first starts at 0, every id is in its table, running sums add up to rows times length, and what
 * is searched by time is ordered by time.
 */
#include "config.h"
#include "store/check.h"

#include "base/err.h"
#include "store/tracks/time_search.h"
#include "store/tracks/tracks.h"

#include <inttypes.h>
#include <string.h>

static int set_error(struct err *e, const char *what, uint32_t i, uint32_t of)
{
	return err_set(e, ERR_FORMAT, ERR_NOWHERE, "store: %s (%u of %u)", what, i, of);
}

/* What a peer may refer to, as bits: 1 << kind of the track of that number (0 is none), and PEER_TEXT for a string. */
enum { PEER_TEXT = 1 << 4, BITS_NONE = 1 << TK_NONE, BITS_P = 1 << TK_P, BITS_G = 1 << TK_G };

static uint8_t peer_bits(const struct snap *sn, uint32_t peer)
{
	unsigned kind = peer < sn->ntrks ? store_trk(sn->st, peer)->kind & 3u : TK_NONE;
	return (uint8_t)((peer < sn->ntrks && (kind || !peer) ? 1u << kind : 0) | (peer < sn->nstrs ? PEER_TEXT : 0));
}

/* Return the peers that state.def allows: a G for a P; the P it has or a G for an M; a P, a waker or a reason for a
   G. */
static uint8_t is_peer_allowed(enum track_kind kind, unsigned state)
{
	if (kind == TK_G && state == TS_OTHER)
		return PEER_TEXT;
	if (kind == TK_M && state == TS_RUN)
		return BITS_NONE | BITS_P;
	return BITS_NONE | (kind != TK_G || state == TS_READY ? BITS_G : BITS_P);
}

/* A sheet being checked: the peers allowed by kind of row and state, peer_bits() of the short numbers and of 0, and the
   time by state so far. */
struct sheet_check {
	const struct snap *sn;
	const struct sheet *sh;
	uint8_t allowed[TK_G + 1][SHEET_STATE + 1];
	uint8_t *bits, none;
	uint64_t sum[TS__N];
};

static int check_sum(const struct sheet_check *g, const int64_t *is, uint32_t i, struct err *e)
{
	int64_t sum[TS__N] = {0};
	for (int c = 0; c < g->sh->nsum; c++)
		sum[g->sh->sums[c]] = is[c];
	return memcmp(sum, g->sum, sizeof sum) ? set_error(e, "a running sum is wrong", i, g->sh->n) : 0;
}

static int check_step(const struct sheet_check *g, uint32_t i, struct err *e)
{
	return i % SHEET_STEP ? 0 : check_sum(g, g->sh->sum + i / SHEET_STEP * g->sh->nsum, i, e);
}

static int check_row_sum(const struct sheet_check *g, uint32_t r, struct err *e)
{
	return r > sheet_summed(g->sh) ? 0 : check_sum(g, sheet_row_sum(g->sh, r), r, e);
}

static int check_row(struct sheet_check *g, uint32_t r, struct err *e)
{
	const struct sheet *sh = g->sh;
	uint32_t a = sh->first[r], b = sh->first[r + 1], before = 0;
	trk_id t = sh->trk[r];
	if (!t || t >= g->sn->ntrks || (r && r != sh->nother && t <= sh->trk[r - 1]))
		return set_error(e, "rows of a sheet are out of order", r, sh->ntrk);
	enum track_kind kind = store_trk(g->sn->st, t)->kind;
	if (kind < TK_P || kind > TK_G || (kind == TK_G) != (r >= sh->nother))
		return set_error(e, "a row of a sheet has the wrong kind", r, sh->ntrk);
	int64_t len = sh->t1 - sh->t0;
	const uint8_t *allowed = g->allowed[kind];
	unsigned was = TS_NONE;
	for (uint32_t i = a; i < b; i++) {
		uint32_t at = sheet_start(sh, i);
		unsigned state = sh->state[i] & SHEET_STATE;
		if ((i == a) != !at || at < before || at > len)
			return set_error(e, "intervals of a sheet have gaps or overlap", i, sh->n);
		if (state >= TS__N || (i != a && sh->state[i] & SHEET_CONT))
			return set_error(e, "an interval has an invalid state", i, sh->n);
		uint32_t k = sheet_sparse_at(sh->whose, i);
		uint8_t bits = k == UINT32_MAX ? g->none
		    : g->bits ? g->bits[sh->peer2[k]] : peer_bits(g->sn, sheet_peer(sh, i));
		if (!(bits & allowed[state]))
			return set_error(e, "an interval has an invalid reference", i, sh->n);
		g->sum[was] += at - before;
		if (i % SHEET_STEP == 0 && check_step(g, i, e))
			return -1;
		before = at;
		was = state;
	}
	g->sum[was] += (uint64_t)len - before;
	return 0;
}

static int check_stacks(const struct snap *sn, const struct sheet *sh, struct err *e)
{
	uint32_t n = sh->stacked ? sh->nstack : sh->n - sh->nostack, most = 0;
	for (uint32_t i = 0; sh->stack4 && i < n; i++)
		most = sh->stack4[i] > most ? sh->stack4[i] : most;
	uint16_t short_most = 0;
	for (uint32_t i = 0; !sh->stack4 && i < n; i++)
		short_most = sh->stack2[i] > short_most ? sh->stack2[i] : short_most;
	return most < sn->nstks && short_most < sn->nstks ? 0 : set_error(e, "an interval has an invalid stack",
	    most, n);
}

static int check_edges(const struct sheet *sh, struct err *e)
{
	for (uint32_t k = 0, was = 0; k < sh->nedge; k++) {
		uint32_t i = sh->edge[k] & ~EDGE_CREATED;
		if (i >= sh->n || i < sh->nostack || (sh->state[i] & SHEET_STATE) != TS_READY)
			return set_error(e, "an edge is outside its sheet", k, sh->nedge);
		if (k && (sheet_peer(sh, was) > sheet_peer(sh, i) ||
			     (sheet_peer(sh, was) == sheet_peer(sh, i) && sheet_start(sh, was) > sheet_start(sh, i))))
			return set_error(e, "edges are out of order", k, sh->nedge);
		if (k % EDGE_STEP == 0 && sh->edge_from[k / EDGE_STEP] != sheet_peer(sh, i))
			return set_error(e, "the peer of an edge is not the one for searches", k, sh->nedge);
		was = i;
	}
	return 0;
}

/* Check the list of states that have sums. */
static int check_sums(const struct sheet *sh, struct err *e)
{
	for (unsigned c = 0; c < sh->nsum; c++)
		if (c >= TS__N || sh->sums[c] >= TS__N || (c && sh->sums[c] <= sh->sums[c - 1]))
			return set_error(e, "a sheet has a sum of an invalid state", c, sh->nsum);
	return 0;
}

/* Check which intervals each row has: all other code relies on it. */
static int check_rows(const struct sheet *sh, struct err *e)
{
	if (sh->nother > sh->ntrk || sh->first[0] || sh->first[sh->ntrk] != sh->n ||
	    sh->nostack != sh->first[sh->nother])
		return set_error(e, "a sheet has intervals without a track", sh->first[sh->ntrk], sh->n);
	for (uint32_t r = 0; r < sh->ntrk; r++)
		if (sh->first[r + 1] <= sh->first[r])
			return set_error(e, "a row of a sheet has no interval", r, sh->ntrk);
	return 0;
}

/* Return peer_bits() of the short numbers of peers. Their count is not stored; it is one more than the largest in
   use. */
static uint8_t *short_bits(const struct snap *sn, const struct sheet *sh)
{
	uint16_t most = 0;
	for (uint32_t i = 0; i < (sh->whose ? sh->npeer : sh->n); i++)
		most = sh->peer2[i] > most ? sh->peer2[i] : most;
	uint8_t *bits = xmalloc((size_t)most + 1);
	for (uint32_t i = 0; i <= most; i++)
		bits[i] = peer_bits(sn, sh->peers[i]);
	return bits;
}

/* Check that `some` of n numbers are not zero, and that each word has the right count before it. */
static int check_some(const struct sheet_sparse *s, uint32_t n, uint32_t some, struct err *e)
{
	uint32_t before = 0;
	for (uint32_t k = 0; s && k <= n / 32; k++) {
		if (s[k].before != before || (k == n / 32 && s[k].bit >> n % 32))
			return set_error(e, "numbers of a sheet are misplaced", k, n);
		before += sheet_popcount(s[k].bit);
	}
	return !s || before == some ? 0 : set_error(e, "a sheet has the wrong count of numbers", before, n);
}

int check_tracks_sheet(const struct snap *sn, const struct sheet *sh, struct err *e)
{
	struct sheet_check g = { .sn = sn, .sh = sh, .none = peer_bits(sn, 0) };
	if (check_rows(sh, e) || check_sums(sh, e) || check_some(sh->whose, sh->n, sh->npeer, e) ||
	    check_some(sh->stacked, sh->n - sh->nostack, sh->nstack, e) || check_stacks(sn, sh, e))
		return -1;
	for (unsigned kind = TK_P; kind <= TK_G; kind++)
		for (unsigned s = 0; s < TS__N; s++)
			g.allowed[kind][s] = is_peer_allowed((enum track_kind)kind, s);
	g.bits = sh->peer2 ? short_bits(sn, sh) : NULL;
	int rc = 0;
	for (uint32_t r = 0; !rc && r < sh->ntrk; r++)
		rc = check_row_sum(&g, r, e) || check_row(&g, r, e) ? -1 : 0;
	if (!rc)
		rc = check_row_sum(&g, sh->ntrk, e) || check_step(&g, sh->n, e) ? -1 : 0;
	mem_free(g.bits);
	return rc ? rc : check_edges(sh, e);
}

static int check_spans(const struct snap *sn, struct err *e)
{
	for (uint32_t i = 0; i < sn->nspans; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		if ((unsigned)s->kind > SP_RANGE || s->trk >= sn->ntrks || s->trk1 >= sn->ntrks ||
		    s->name >= sn->nstrs || s->stack >= sn->nstks || s->stack1 >= sn->nstks ||
		    (s->t0 != TIME_NONE && s->t1 != TIME_NONE && s->t1 < s->t0))
			return set_error(e, "a span has an invalid reference, or ends before it starts", i, sn->nspans);
	}
	for (uint32_t i = 0; i < sn->nmarks; i++) {
		const struct sink_mark *m = store_mark(sn->st, i);
		if ((unsigned)m->kind >= MK__N || m->trk >= sn->ntrks || m->text >= sn->nstrs ||
		    m->category >= sn->nstrs || m->stack >= sn->nstks || (i && m->t < store_mark(sn->st, i - 1)->t))
			return set_error(e, "a mark has an invalid reference, or is out of order", i, sn->nmarks);
	}
	for (uint32_t i = 0; i < sn->nutils; i++) {
		const struct sink_util *u = column_at(&sn->st->utils, i);
		if ((unsigned)u->what > UT_DEDICATED_ONCE || u->delta < -1 || u->delta > 1)
			return set_error(e, "a utilisation record has an invalid kind", i, sn->nutils);
	}
	for (unsigned c = 0; c < CT__N; c++)
		for (uint32_t i = 1; i < sn->ncounts[c]; i++)
			if (store_count(sn->st, (enum counter)c, i)->t < store_count(sn->st, (enum counter)c, i - 1)->t)
				return set_error(e, "a counter is out of order", i, sn->ncounts[c]);
	for (uint32_t i = 0; i < sn->ncounts[CT_HEAP_LIVE]; i++)
		if (store_heap_by(sn->st, i) >= sn->ntrks)
			return set_error(e, "a size of the heap has an unknown goroutine", i, sn->ncounts[CT_HEAP_LIVE]);
	return 0;
}

/* Check the extent and kinds of every 64 spans. */
static int check_blocks(const struct snap *sn, struct err *e)
{
	if (column_n(&sn->st->span_blocks) < sn->nspans / 64)
		return set_error(e, "blocks of spans are missing", column_n(&sn->st->span_blocks), sn->nspans);
	for (uint32_t k = 0; k < sn->nspans / 64; k++) {
		struct span_block is = { INT64_MAX, INT64_MIN, 0 };
		const struct span_block *b = column_at(&sn->st->span_blocks, k);
		for (uint32_t i = k * 64; i < k * 64 + 64; i++)
			time_search_block_add(&is, &store_span(sn->st, i)->s);
		if (b->t0 != is.t0 || b->t1 != is.t1 || b->kinds != is.kinds)
			return set_error(e, "a block of spans does not match its spans", k, sn->nspans / 64);
	}
	return 0;
}

/* Check that each track is in the list of its kind once, in the order of ids. */
static int check_numbered(const struct snap *sn, struct err *e)
{
	uint32_t all = 0;
	for (unsigned kind = TK_P; kind <= TK_G && store_numbered(sn, (enum track_kind)kind); kind++) {
		const struct trk_list *l = store_numbered(sn, (enum track_kind)kind);
		for (uint32_t i = 0; i < l->n; i++)
			if (!l->v[i] || l->v[i] >= sn->ntrks || store_trk(sn->st, l->v[i])->kind != kind ||
			    (i && store_trk(sn->st, l->v[i - 1])->id >= store_trk(sn->st, l->v[i])->id))
				return set_error(e, "tracks are not in the order of their ids", i, l->n);
		all += l->n;
	}
	if (store_numbered(sn, TK_G) && all + 1 != sn->ntrks)
		return set_error(e, "tracks are missing from the lists", all, sn->ntrks);
	return 0;
}

int check_tracks_tables(const struct snap *sn, struct err *e)
{
	for (uint32_t i = 1; i < sn->ntrks; i++) {
		const struct trk_row *t = store_trk(sn->st, i);
		const struct trk_origin *o = store_origin(sn->st, t);
		if (t->kind < TK_P || t->creator >= sn->ntrks || o->name >= sn->nstrs || o->start_fun >= sn->nstrs ||
		    o->start >= sn->nstks || o->created >= sn->nstks)
			return set_error(e, "a track has an invalid reference", i, sn->ntrks);
	}
	int64_t at = sn->t0;
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		const struct sheet_slot *slot = store_slot(sn->st, i);
		if (slot->t0 != at || slot->t1 <= slot->t0)
			return set_error(e, "sheets have gaps or overlap", i, sn->nsheets);
		at = slot->t1;
	}
	if (at != sn->t1)
		return set_error(e, "sheets do not reach the end", sn->nsheets, sn->nsheets);
	return check_spans(sn, e) || check_blocks(sn, e) || check_numbered(sn, e) ? -1 : 0;
}

int check_tracks_all(const struct snap *sn, struct err *e)
{
	int rc = check_tracks_tables(sn, e);
	for (uint32_t i = 0; !rc && i < sn->nsheets; i++) {
		const struct sheet *sh = sheet_get(sn, i);
		const struct sheet_slot *slot = store_slot(sn->st, i);
		rc = sh->t0 == slot->t0 && sh->t1 == slot->t1 && sh->n == slot->n && sh->ntrk == slot->ntrk &&
			     sh->nother == slot->nother
			 ? check_tracks_sheet(sn, sh, e)
			 : set_error(e, "a sheet does not match its entry", i, sn->nsheets);
	}
	return rc;
}
