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
	p->seeks = false;
	p->into = 0;
	p->opening = false;
	p->sel[0] = view_get(v, "group");
	p->sel[1] = view_get(v, "row");
	p->level = (enum goroutines_level)view_get_below(v, "level", GL_ONE + 1);
	p->open = (str_id)view_get_below(v, "open", sn->nstrs);
	p->one.trk = (trk_id)view_get_below(v, "trk", sn->ntrks);
	goroutines_sort_rows(p, env, GL_GROUPS);
	if (p->level == GL_ONE && (!p->one.trk || store_trk(sn->st, p->one.trk)->kind != TK_G))
		p->level = GL_LIST;
	if (p->level == GL_LIST)
		goroutines_enter_group(p, env, p->open);
	if (p->level == GL_ONE) {
		goroutines_fill_list_async(p, env);
		if (!goroutines_page_loaded(p))	/* an incremental search restores it for each character */
			goroutines_page_load(p, env);
		goroutines_page_seek_span(p, (uint32_t)view_get(v, "span"));
	}
	goroutines_note_selection(p, env);
	goroutines_mark_hits(p, env);
}

void goroutines_save_view(const void *st, struct view *v)
{
	const struct goroutines_state *p = st;
	if (p->seeks) {
		*v = p->there;
		return;
	}
	view_put_zoom(v, "level", p->level);
	view_put_zoom(v, "by", p->by);
	view_put_zoom(v, "open", p->level ? p->open : 0);
	view_put_zoom(v, "trk", p->level == GL_ONE ? p->one.trk : 0);
	view_put_cursor(v, "group", p->sel[0]);
	view_put_cursor(v, "row", p->sel[1]);
	view_put_cursor(v, "span", p->level == GL_ONE ? goroutines_page_span_index(&p->one) : 0);
	view_put_cursor(v, "sort", p->sort[0]);
	view_put_cursor(v, "sort1", p->sort[1]);
}

void goroutines_load_view(void *st, const struct pane_env *env, const struct view *v)
{
	struct goroutines_state *p = st;
	enum group_key_kind by = (enum group_key_kind)view_get_below(v, "by", GROUP_KEY__N);
	p->there = *v;
	p->seeks = true;
	if (by != p->by) {
		p->by = by;
		if (goroutines_make_groups(p, env))
			goroutines_restore_view(p, env);
	}
	if (p->seeks && p->gs && (!async_job(&p->work) || goroutines_job_is_list(p)))
		goroutines_restore_view(p, env);
}
