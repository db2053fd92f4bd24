/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The position of the goroutines pane, saved and restored for undo, jumps and marks. While a job
 * computes the groups for another query, which may take seconds, the position is kept, returned by
 * goroutines_save_view(), and restored when the groups are made, unless a key has moved meanwhile.
 */
#include "config.h"
#include "goroutines/internal.h"

/* Restore the position given to goroutines_load_view(); called when the groups are made. */
void goroutines_restore_view(struct goroutines_state *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	const struct view *v = &p->there;
	int64_t level = v->zoom[0] & 15;
	p->seeks = false;
	p->into = 0;
	p->opening = false;
	p->sel[0] = v->cursor[0];
	p->sel[1] = v->cursor[1];
	p->level = (enum goroutines_level)(level >= GL_GROUPS && level <= GL_ONE ? level : 0);
	p->open = v->zoom[1] > 0 && v->zoom[1] < (int64_t)sn->nstrs ? (str_id)v->zoom[1] : 0;
	p->one.trk = v->zoom[2] > 0 && v->zoom[2] < (int64_t)sn->ntrks ? (trk_id)v->zoom[2] : 0;
	goroutines_sort_rows(p, env, GL_GROUPS);
	if (p->level == GL_ONE && (!p->one.trk || store_trk(sn->st, p->one.trk)->kind != TK_G))
		p->level = GL_LIST;
	if (p->level == GL_LIST)
		goroutines_enter_group(p, env, p->open);
	if (p->level == GL_ONE) {
		goroutines_fill_list_async(p, env);
		if (!goroutines_page_loaded(p))	/* an incremental search restores it for each character */
			goroutines_page_load(p, env);
		goroutines_page_seek_span(p, (uint32_t)v->cursor[2]);
	}
	goroutines_note_selection(p, env);
	goroutines_mark_hits(p, env);
}

void goroutines_save_view(const void *st, struct view *v)
{
	const struct goroutines_state *p = st;
	*v = p->seeks ? p->there
		      : (struct view){{p->level | p->by << 4, p->level ? (int64_t)p->open : 0,
					  p->level == GL_ONE ? (int64_t)p->one.trk : 0, 0},
			    {p->sel[0], p->sel[1], p->level == GL_ONE ? goroutines_page_span_index(&p->one) : 0,
				p->sort[0] << 8 | p->sort[1]}};
}

void goroutines_load_view(void *st, const struct pane_env *env, const struct view *v)
{
	struct goroutines_state *p = st;
	int64_t by = v->zoom[0] >> 4;
	p->there = *v;
	p->seeks = true;
	if (by >= 0 && by < GROUP_KEY__N && by != (int64_t)p->by) {
		p->by = (enum group_key_kind)by;
		if (goroutines_make_groups(p, env))
			goroutines_restore_view(p, env);
	}
	if (p->seeks && p->gs && (!p->work || goroutines_job_is_list(p)))
		goroutines_restore_view(p, env);
}
