/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Hashes over the columns, rows and sheets of a store. */
#include "config.h"
#include "digest.h"

#include "base/intern.h"
#include "store/tracks/time_search.h"

#include <string.h>

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static int64_t sum_of(const struct sheet *sh, uint32_t k, int state)
{
	for (uint32_t c = 0; c < sh->nsum; c++)
		if (sh->sums[c] == state)
			return sh->sum[k * sh->nsum + c];
	return 0;
}

static uint64_t of_sheet(const struct sheet *sh, uint64_t *uncut)
{
	uint64_t h = mix(mix(sh->ntrk, sh->n), mix((uint64_t)sh->t0, (uint64_t)sh->t1));
	for (uint32_t r = 0; r < sh->ntrk; r++)
		for (uint32_t i = sh->first[r]; i < sh->first[r + 1]; i++) {
			uint64_t v = mix(mix((uint64_t)sh->trk[r] << 32 | sheet_peer(sh, i),
					     (uint64_t)sh->state[i] << 32 | sheet_stack(sh, i)),
			    (uint64_t)sh->t0 + sheet_start(sh, i));
			h = mix(h, v);
			if (!(sh->state[i] & SHEET_CONT) && sh->state[i])
				*uncut += v;
		}
	for (uint32_t k = 0; k <= sh->n / SHEET_STEP; k++)
		for (int s = 0; s < TS__N; s++)
			h = mix(h, (uint64_t)sum_of(sh, k, s));
	for (uint32_t k = 0; k < sh->nedge; k++) {
		uint32_t i = sh->edge[k] & ~EDGE_CREATED,
			 to = sh->trk[sheet_row_of(sh, i)] | (sh->edge[k] & EDGE_CREATED);
		h = mix(h, sh->edge[k]);
		*uncut += mix((uint64_t)sh->t0 + sheet_start(sh, i),
		    mix((uint64_t)sheet_peer(sh, i) << 32 | to, sheet_stack(sh, i)));
	}
	return h;
}

static uint64_t of_names(const struct snap *sn)
{
	const struct store *st = sn->st;
	uint64_t h = 0;
	for (uint32_t i = 0; i < sn->nstrs; i++)
		h = mix(h, intern_hash_bytes(store_str(st, i)->s, store_str(st, i)->n, 0));
	for (uint32_t i = 0; i < sn->nfuns; i++)
		h = mix(h, (uint64_t)store_fun(st, i)->name << 32 | store_fun(st, i)->file);
	for (uint32_t i = 0; i < sn->nlocs; i++)
		h = mix(h, store_loc(st, i)->addr);
	for (uint32_t i = 0; i < sn->nfrms; i++)
		h = mix(h, (uint64_t)store_frm(st, i)->fun << 32 ^ (uint64_t)store_frm(st, i)->line);
	for (uint32_t i = 0; i < sn->nstks; i++)
		h = mix(h, (uint64_t)stk_parent(st, i) << 32 | stk_frame(st, i));
	for (uint32_t i = 0; i < sn->nwarns; i++) {
		const struct warn_row *w = column_at(&st->warns, i);
		h = mix(h, w->at + intern_hash_bytes(w->msg, strlen(w->msg), 0));
	}
	return h;
}

static uint64_t of_rows(const struct snap *sn)
{
	const struct store *st = sn->st;
	uint64_t h = mix((uint64_t)sn->t1, sn->trace.events);
	for (uint32_t i = 0; i < sn->ntrks; i++) {
		const struct trk_row *t = store_trk(st, i);
		const struct trk_origin *o = store_origin(st, t);
		h = mix(h, mix((uint64_t)t->id + t->kind, (uint64_t)o->name << 32 | t->creator));
		h = mix(h, mix((uint64_t)o->start << 32 | o->created,
			       (uint64_t)t->t0 + (uint64_t)store_run0(st, t) * 3 + (uint64_t)store_t1(st, t) * 5));
	}
	for (uint32_t i = 0; i < sn->nmarks; i++) {
		const struct sink_mark *m = store_mark(st, i);
		h = mix(h, mix((uint64_t)m->t + m->kind, m->task + m->trk) +
			       mix((uint64_t)m->category << 32 | m->text, m->stack));
	}
	for (uint32_t i = 0; i < sn->nspans; i++) {
		const struct sink_span *s = &store_span(st, i)->s;
		h = mix(h, mix((uint64_t)s->t0 + s->kind, (uint64_t)s->t1) + mix(s->id, s->parent) + mix(s->v0, s->v1));
		h = mix(h, mix((uint64_t)s->trk << 32 | s->trk1, s->name) + mix(s->stack, s->stack1));
	}
	for (uint32_t i = 0; i < sn->nutils; i++) {
		const struct sink_util *u = column_at(&st->utils, i);
		h = mix(h, mix((uint64_t)u->t, (uint64_t)u->next) + mix(u->what, u->proc) + (uint64_t)u->delta + u->past);
	}
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		const struct smp_row *s = store_smp(st, i);
		struct smp_time t = store_smp_time(st, i);
		h = mix(h, mix(s->stack, (uint64_t)t.when) + mix(t.trk, t.proc));
	}
	for (unsigned c = 0; c < CT_RUNNABLE; c++)
		for (uint32_t i = 0; i < sn->ncounts[c]; i++)
			h = mix(h, mix((uint64_t)store_count(st, (enum counter)c, i)->t,
				       store_count(st, (enum counter)c, i)->v));
	for (uint32_t i = 0; i < sn->ncounts[CT_HEAP_LIVE]; i++)
		h = mix(h, store_heap_by(st, i));
	return h;
}

struct digest digest_of(const struct snap *sn)
{
	struct digest d = {of_names(sn), 0};
	d.uncut = d.all = mix(d.all, of_rows(sn));
	for (uint32_t i = 0; i < sn->nsheets; i++)
		d.all = mix(d.all, of_sheet(sheet_get(sn, i), &d.uncut));
	for (uint32_t i = 0; i < sn->ntrks; i++)
		d.all = mix(d.all, (uint64_t)store_heard(sn->st, store_trk(sn->st, i)));
	for (unsigned c = CT_RUNNABLE; c < CT__N; c++)
		for (uint32_t i = 0; i < sn->ncounts[c]; i++)
			d.all = mix(d.all, mix((uint64_t)store_count(sn->st, (enum counter)c, i)->t,
			    store_count(sn->st, (enum counter)c, i)->v));
	return d;
}
