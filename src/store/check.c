/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The store's invariants, stated once, as code. The code above the store indexes without checks, so these rules keep it
 * inside its arrays: parents before children, every id below the count of its table, the labels of a sample inside the
 * labels, and a frame that belongs to the location that owns it. Tests and --enable-debug run this after every load; a
 * release build trusts the writer, which is the same program.
 */
#include "config.h"
#include "store/check.h"

#include "base/err.h"
#include "store/tracks/tracks.h"

static int check_names(const struct snap *sn, struct err *e)
{
	const struct store *st = sn->st;
	uint32_t nmaps = column_n(&st->maps);
	for (uint32_t i = 0; i < nmaps; i++) {
		const struct map_row *m = column_at(&st->maps, i);
		if (m->file >= column_n(&st->strs) || m->build_id >= column_n(&st->strs))
			return err_set(e, ERR_FORMAT, ERR_NOWHERE, "store: mapping %u has an invalid string",
			    i);
	}
	for (uint32_t i = 0; i < sn->nfuns; i++) {
		const struct fun_row *f = store_fun(st, i);
		if (f->name >= sn->nstrs || f->sysname >= sn->nstrs || f->file >= sn->nstrs)
			return err_set(e, ERR_FORMAT, ERR_NOWHERE,
			    "store: function %u has an invalid string", i);
	}
	for (uint32_t i = 1; i < sn->nlocs; i++) {
		const struct loc_row *l = store_loc(st, i);
		if (l->map >= nmaps || !l->nline || l->first > sn->nfrms ||
		    l->nline > sn->nfrms - l->first)
			return err_set(e, ERR_FORMAT, ERR_NOWHERE,
			    "store: location %u is outside its tables", i);
		for (uint32_t k = l->first; k < l->first + l->nline; k++)
			if (store_frm(st, k)->loc != i)
				return err_set(e, ERR_FORMAT, ERR_NOWHERE,
				    "store: frame %u does not belong to location %u", k, i);
	}
	for (uint32_t i = 1; i < sn->nfrms; i++) {
		const struct frm_row *f = store_frm(st, i);
		if (!f->loc || f->loc >= sn->nlocs || f->fun >= sn->nfuns)
			return err_set(e, ERR_FORMAT, ERR_NOWHERE,
			    "store: frame %u has no location or function", i);
	}
	return 0;
}

static int check_tree(const struct snap *sn, struct err *e)
{
	const struct data_column *forks = &sn->st->forks;
	uint32_t n = 0;
	for (uint32_t k = 0; k <= (sn->nstks - 1) / 64; k++) {
		uint64_t bits = k < column_n(forks) ? stk_forks(sn->st, k) : 0;
		if (k == sn->nstks / 64)	/* nodes above the snapshot may have bits here too */
			bits &= (UINT64_C(1) << sn->nstks % 64) - 1;
		if (k >= column_n(forks) || COLUMN_AT(forks, struct stk_forks, k).before != n || (!k && bits & 1) ||
		    (n += rank_popcount(bits)) > column_n(&sn->st->fork))
			return err_set(e, ERR_FORMAT, ERR_NOWHERE, "store: no parents for the stacks from %u on",
			    k * 64);
	}
	for (uint32_t i = 1; i < sn->nstks; i++) {
		stk_id parent = stk_parent(sn->st, i);
		frm_id frame = stk_frame(sn->st, i);
		if (parent >= i || !frame || frame >= sn->nfrms)
			return err_set(e, ERR_FORMAT, ERR_NOWHERE,
			    "store: stack %u has parent %u and frame %u", i, parent, frame);
	}
	return 0;
}

static int check_samples(const struct snap *sn, struct err *e)
{
	const struct store *st = sn->st;
	uint32_t nlabel = column_n(&st->labels), label = 0;
	for (uint32_t i = 0; i < sn->ntypes; i++) {
		const struct type_row *t = column_at(&st->types, i);
		if (t->name >= sn->nstrs || t->unit >= sn->nstrs)
			return err_set(e, ERR_FORMAT, ERR_NOWHERE,
			    "store: sample type %u has an invalid string", i);
		if (sn->nsmps && packed_ints_n(&st->values[i]) < sn->nsmps)
			return err_set(
			    e, ERR_FORMAT, ERR_NOWHERE, "store: sample type %u has missing values", i);
	}
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		const struct smp_row *s = store_smp(st, i);
		struct smp_time t = store_smp_time(st, i);
		if (s->stack >= sn->nstks || t.trk >= sn->ntrks || t.proc >= sn->ntrks || s->set >= sn->nsets)
			return err_set(e, ERR_FORMAT, ERR_NOWHERE,
			    "store: sample %u has an invalid stack, label set or track", i);
	}
	for (uint32_t i = 1; i < sn->nsets; i++) {
		const struct set_row *r = store_set(st, i);
		if (r->label != label || r->n > nlabel - label)
			return err_set(e, ERR_FORMAT, ERR_NOWHERE, "store: label set %u is out of order", i);
		label += r->n;
	}
	for (uint32_t i = 0; i < label; i++) {
		const struct sink_label *l = column_at(&st->labels, i);
		if (l->key >= sn->nstrs || l->str >= sn->nstrs || l->unit >= sn->nstrs)
			return err_set(e, ERR_FORMAT, ERR_NOWHERE,
			    "store: label %u has an invalid string", i);
	}
	return 0;
}

int store_check_tables(const struct snap *sn, struct err *e)
{
	return check_names(sn, e) || check_tree(sn, e) || check_samples(sn, e) ? -1 : 0;
}

int store_check(const struct snap *sn, struct err *e)
{
	return store_check_tables(sn, e) || check_tracks_all(sn, e) ? -1 : 0;
}
