/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Where the goroutines pane is, for undo, jumps and marks, and back there. While the accounts of another query are
 * made, seconds where sheets come and go, nobody waits: the place is kept, told to whoever asks where the
 * pane is, and gone to when they are there, unless a key has gone elsewhere meanwhile.
 */
#include "config.h"
#include "goroutines/internal.h"

/* Where one wanted to be: gor_load(), once all is there for it. */
void gor_arrive(struct gor *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	const struct view *v = &p->there;
	int64_t level = v->zoom[0] & 15;
	p->seeks = false;
	p->into = 0;
	p->opening = false;
	p->sel[0] = v->cursor[0];
	p->sel[1] = v->cursor[1];
	p->level = (enum gor_level)(level >= GL_GROUPS && level <= GL_ONE ? level : 0);
	p->open = v->zoom[1] > 0 && v->zoom[1] < (int64_t)sn->nstrs ? (str_id)v->zoom[1] : 0;
	p->one.trk = v->zoom[2] > 0 && v->zoom[2] < (int64_t)sn->ntrks ? (trk_id)v->zoom[2] : 0;
	gor_order(p, env, GL_GROUPS);
	if (p->level == GL_ONE && (!p->one.trk || store_trk(sn->st, p->one.trk)->kind != TK_G))
		p->level = GL_LIST;
	if (p->level == GL_LIST)
		gor_enter(p, env, p->open);
	if (p->level == GL_ONE) {
		gor_fill_soon(p, env);
		if (!gor_one_loaded(p))	/* a search comes back here at each letter */
			gor_one_load(p, env);
		gor_one_row(p, (uint32_t)v->cursor[2]);
	}
	gor_keep(p, env);
	gor_hits(p, env);
}

void gor_save(const void *st, struct view *v)
{
	const struct gor *p = st;
	*v = p->seeks ? p->there : (struct view){
	    {p->level | p->by << 4, p->level ? (int64_t)p->open : 0, p->level == GL_ONE ? (int64_t)p->one.trk : 0, 0},
	    {p->sel[0], p->sel[1], p->level == GL_ONE ? gor_one_at(&p->one) : 0, p->sort[0] << 8 | p->sort[1]}};
}

void gor_load(void *st, const struct pane_env *env, const struct view *v)
{
	struct gor *p = st;
	int64_t by = v->zoom[0] >> 4;
	p->there = *v;
	p->seeks = true;
	if (by >= 0 && by < GB__N && by != (int64_t)p->by) {
		p->by = (enum gor_by)by;
		if (gor_make(p, env))
			gor_arrive(p, env);
	}
	if (p->seeks && p->gs && (!p->work || gor_lists(p)))
		gor_arrive(p, env);
}
