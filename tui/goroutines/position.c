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
	p->level = (enum goroutines_level)view_get_below(v, "level", GL_ONE + 1);
	p->open = (str_id)view_get_below(v, "open", sn->nstrs);
	p->one.trk = (trk_id)view_get_below(v, "trk", sn->ntrks);
	if (p->level == GL_ONE && (!p->one.trk || store_trk(sn->st, p->one.trk)->kind != TK_G))
		p->level = GL_LIST;
	p->table[GL_GROUPS].sel = view_get(v, p->level == GL_GROUPS ? "row" : "group");
	p->table[GL_LIST].sel = view_get(v, p->level == GL_LIST ? "row" : "g");
	goroutines_list_groups(p, env);
	if (p->level != GL_GROUPS)
		goroutines_fill_list(p, env);
	if (p->level == GL_ONE && !goroutines_page_loaded(p))	/* an incremental search restores it for each character */
		goroutines_page_load(p, env);
	pane_table_load(goroutines_table(p), p, env, v);
	if (p->level == GL_ONE)
		goroutines_page_seek_span(p, env, (uint32_t)view_get(v, "row"));
	goroutines_note_selection(p, env);
}

void goroutines_save_view(const void *st, struct view *v)
{
	const struct goroutines_state *p = st;
	const struct pane_table *t = p->level == GL_ONE ? &p->one.table : &p->table[p->level];
	if (p->seeks) {
		*v = p->there;
		return;
	}
	view_put_zoom(v, "level", p->level);
	view_put_zoom(v, "by", p->by);
	view_put_zoom(v, "open", p->level ? p->open : 0);
	view_put_zoom(v, "trk", p->level == GL_ONE ? p->one.trk : 0);
	pane_table_save_limit(t, v);
	view_put_cursor(v, "group", p->level > GL_GROUPS ? p->table[GL_GROUPS].sel : 0);
	view_put_cursor(v, "g", p->level > GL_LIST ? p->table[GL_LIST].sel : 0);
	pane_table_save(t, v);
}

void goroutines_load_view(void *st, const struct pane_env *env, const struct view *v)
{
	struct goroutines_state *p = st;
	enum group_key_kind by = (enum group_key_kind)view_get_below(v, "by", GROUP_KEY__N);
	p->there = *v;
	p->seeks = true;
	p->by_chosen = true;
	if (by != p->by) {
		p->by = by;
		if (goroutines_make_groups(p, env))
			goroutines_restore_view(p, env);
	}
	if (p->seeks && p->gs && !async_job(&p->work))
		goroutines_restore_view(p, env);
}
