/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Positions are a sheet, a row and an index. Sheets lie end to end, and a track has consecutive intervals in each, so
 * a step is an addition except at the border of a sheet, where the row is searched. The row of the sheet before is
 * tried first: adjacent sheets have nearly the same tracks.
 */
#include "config.h"
#include "trace/track_cursor.h"

#include "base/bsearch.h"

static bool in_sheet(const struct snap *sn, uint32_t i, int64_t t)
{
	return i < sn->nsheets && store_slot(sn->st, i)->t0 <= t && t < store_slot(sn->st, i)->t1;
}

/* Return the sheet that contains t, which is within the snapshot. */
static uint32_t sheet_of(const struct track_cursor *c, const struct snap *sn, int64_t t)
{
	if (c->sn == sn && in_sheet(sn, c->sheet, t))
		return c->sheet;
	struct bsearch_probe h = {.hi = sn->nsheets};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, store_slot(sn->st, (uint32_t)h.at)->t1 <= t);
	return (uint32_t)h.lo;
}

static int32_t row_of(const struct sheet *sh, trk_id trk, uint32_t hint)
{
	return hint < sh->ntrk && sh->trk[hint] == trk ? (int32_t)hint : sheet_row(sh, trk);
}

/* Return the piece that contains t, which is mostly near piece i. */
static uint32_t find_near(const struct sheet *sh, uint32_t row, uint32_t i, int64_t t)
{
	enum { NEAR = 8 };
	int64_t rel = t - sh->t0;
	uint32_t first = sh->first[row], end = sh->first[row + 1];
	for (int k = 0; k < NEAR && i >= first && i < end; k++) {
		if (sheet_start(sh, i) > rel && i > first)
			i--;
		else if (i + 1 < end && sheet_start(sh, i + 1) <= rel)
			i++;
		else
			return i;
	}
	return sheet_find(sh, row, t);
}

bool track_cursor_seek(struct track_cursor *c, const struct snap *sn, trk_id trk, int64_t t)
{
	if (t < sn->t0 || t >= sn->t1 || !sn->nsheets)
		return false;
	uint32_t s = sheet_of(c, sn, t);
	const struct sheet *sh = c->sh = sheet_get(sn, s);
	int32_t row = row_of(sh, trk, c->row);
	bool same = c->sn == sn && c->sheet == s && row >= 0 && c->row == (uint32_t)row && c->trk == trk;
	c->sn = sn;
	c->sheet = s;
	c->trk = trk;
	if (row < 0)
		return false;
	c->row = (uint32_t)row;
	c->i = same ? find_near(sh, c->row, c->i, t) : sheet_find(sh, c->row, t);
	return true;
}

bool track_cursor_step(struct track_cursor *c, int dir)
{
	const struct sheet *sh = c->sh;
	if (dir > 0 ? c->i + 1 < sh->first[c->row + 1] : c->i > sh->first[c->row]) {
		c->i += (uint32_t)dir;
		return true;
	}
	if (dir > 0 ? c->sheet + 1 >= c->sn->nsheets : !c->sheet)
		return false;
	uint32_t s = c->sheet + (uint32_t)dir;
	sh = sheet_get(c->sn, s);
	int32_t row = row_of(sh, c->trk, c->row);
	if (row < 0)
		return false;
	c->sh = sh;
	c->sheet = s;
	c->row = (uint32_t)row;
	c->i = dir > 0 ? sh->first[row] : sh->first[row + 1] - 1;
	return true;
}
