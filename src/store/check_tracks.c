/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The invariants of the trace half: sheets lie end to end, the rows of a sheet
 * ascend, the intervals of a row tile it and only the first starts at 0, every
 * id is of its table, running sums add up to rows times length, and whatever is
 * searched by time is ordered by time.
 */
#include "config.h"
#include "store/tracks.h"

#include "base/err.h"
#include "store/spans.h"

#include <inttypes.h>

static int bad(struct err *e, const char *what, uint32_t i, uint32_t of)
{
	return err_set(e, ERR_FORMAT, ERR_NOWHERE, "store: %s (%u of %u)", what, i, of);
}

/* Is who what state.def says? On a P a G, on an M the P it carries or a G, on a G a P, a waker or a reason. */
static bool who_fits(const struct snap *sn, enum track_kind kind, unsigned state, uint32_t who)
{
	if (kind == TK_G && state == TS_OTHER)
		return who < sn->nstrs;
	if (!who)
		return true;
	if (who >= sn->ntrks)
		return false;
	enum track_kind k = store_trk(sn->st, who)->kind;
	if (kind == TK_M && state == TS_RUN)
		return k == TK_P;
	return kind != TK_G || state == TS_READY ? k == TK_G : k == TK_P;
}

static int check_row(const struct snap *sn, const struct sheet *sh, uint32_t r, struct err *e)
{
	uint32_t a = sh->first[r], b = sh->first[r + 1];
	if (sh->trk[r] >= sn->ntrks || (r && r != sh->nother && sh->trk[r] <= sh->trk[r - 1]) || b <= a || b > sh->n)
		return bad(e, "rows of a sheet are out of order", r, sh->ntrk);
	enum track_kind kind = store_trk(sn->st, sh->trk[r])->kind;
	for (uint32_t i = a; i < b; i++) {
		unsigned state = sh->state[i] & SHEET_STATE;
		bool first = i == a;
		if (first != !sh->start[i] || (!first && sh->start[i] < sh->start[i - 1]) ||
		    sh->start[i] > sh->t1 - sh->t0)
			return bad(e, "intervals do not tile their sheet", i, sh->n);
		if (state >= TS__N || (!first && sh->state[i] & SHEET_CONT))
			return bad(e, "an interval has a state that is none", i, sh->n);
		if (sheet_stack(sh, i) >= sn->nstks || !who_fits(sn, kind, state, sheet_who(sh, i)))
			return bad(e, "an interval names what is not there", i, sh->n);
	}
	int64_t sum[TS__N], all = 0;
	sheet_upto(sh, r, sh->t1, sum);
	for (int s = 0; s < TS__N; s++)
		all += sum[s];
	return all == sh->t1 - sh->t0 ? 0 : bad(e, "a row does not add up to its sheet", r, sh->ntrk);
}

static int check_sheet(const struct snap *sn, const struct sheet *sh, struct err *e)
{
	if (sh->ntrk && sh->first[sh->ntrk] != sh->n)
		return bad(e, "a sheet has intervals of no track", sh->first[sh->ntrk], sh->n);
	for (uint32_t r = 0; r < sh->ntrk; r++)
		if (check_row(sn, sh, r, e))
			return -1;
	for (uint32_t k = 0, was = 0; k < sh->nedge; k++) {
		uint32_t i = sh->edge[k] & ~EDGE_CREATED;
		if (i >= sh->n || i < sh->nostack || (sh->state[i] & SHEET_STATE) != TS_READY)
			return bad(e, "an edge is out of place", k, sh->nedge);
		if (k && (sheet_who(sh, was) > sheet_who(sh, i) || (sheet_who(sh, was) == sheet_who(sh, i) && sh->start[was] > sh->start[i])))
			return bad(e, "edges are out of order", k, sh->nedge);
		was = i;
	}
	return 0;
}

static int check_spans(const struct snap *sn, struct err *e)
{
	for (uint32_t i = 0; i < sn->nspans; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		if (s->trk >= sn->ntrks || s->trk1 >= sn->ntrks || s->name >= sn->nstrs || s->stack >= sn->nstks ||
		    s->stack1 >= sn->nstks || (s->t0 != TIME_NONE && s->t1 != TIME_NONE && s->t1 < s->t0))
			return bad(e, "a span names what is not there, or ends before it begins", i, sn->nspans);
	}
	for (uint32_t i = 0; i < sn->nmarks; i++) {
		const struct sink_mark *m = store_mark(sn->st, i);
		if (m->trk >= sn->ntrks || m->text >= sn->nstrs || m->category >= sn->nstrs ||
		    m->stack >= sn->nstks || (i && m->t < store_mark(sn->st, i - 1)->t))
			return bad(e, "a mark names what is not there, or is out of order", i, sn->nmarks);
	}
	for (unsigned c = 0; c < CT__N; c++)
		for (uint32_t i = 1; i < sn->ncounts[c]; i++)
			if (store_count(sn->st, (enum counter)c, i)->t < store_count(sn->st, (enum counter)c, i - 1)->t)
				return bad(e, "a counter is out of order", i, sn->ncounts[c]);
	return 0;
}

int tracks_check(const struct snap *sn, struct err *e)
{
	for (uint32_t i = 1; i < sn->ntrks; i++) {
		const struct trk_row *t = store_trk(sn->st, i);
		if (t->kind < TK_P || t->kind > TK_G || t->creator >= sn->ntrks || t->name >= sn->nstrs ||
		    t->start >= sn->nstks || t->created >= sn->nstks)
			return bad(e, "a track names what is not there", i, sn->ntrks);
	}
	int64_t at = sn->t0;
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		const struct sheet *sh = sheet_get(sn, i);
		bool next = sh->t0 == at && sh->t1 > sh->t0;
		at = sh->t1;
		int bad_sheet = next ? check_sheet(sn, sh, e) : 0;
		sheet_put(sn, i);
		if (!next)
			return bad(e, "sheets do not lie end to end", i, sn->nsheets);
		if (bad_sheet)
			return -1;
	}
	if (at != sn->t1)
		return bad(e, "sheets do not reach the end", sn->nsheets, sn->nsheets);
	return check_spans(sn, e);
}
