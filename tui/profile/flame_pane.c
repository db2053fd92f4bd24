/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The flame graph: selection, zoom and folding, and the keys that change them. flame_draw.c draws,
 * flame_move.c moves, flame_text.c writes the lines around it, calltree/flame.c makes the tree and
 * its layout.
 *
 * Places are indexes into a flame, which is made again for each query and folding, so lasting state
 * is kept as ids: of the path to the selection (followed again as far as it still exists), of the
 * zoomed frame, of the pivot. A flame of many nodes is laid out in the background, and the old one
 * is shown until then (lay_out()).
 */
#include "config.h"
#include "profile/flame_internal.h"
#include "profile/flame_job.h"

#include "base/text/regex.h"
#include "trace/as_profile.h"

#include <string.h>

/* Store the ids of the path to a place; return how many. */
static size_t way_to(const struct flame *f, uint32_t at, uint64_t **path, size_t *cap)
{
	size_t n = flame_row(f, 0, at);
	*path = mem_grow(*path, cap, n + 1, sizeof **path);
	for (size_t i = n; i-- > 0; at = f->open->at[at].up)
		(*path)[i] = f->open->at[at].id;
	return n;
}

static void note_selection(struct flame_state *v)
{
	const struct flame *f = v->f[v->part];
	if (!f || !v->sel)
		return;
	v->npath = way_to(f, v->sel, &v->path, &v->pathcap);
	v->symbol = flame_symbol_at(v, v->part, v->sel)->id;
}

/* Record only the symbol, not its path: its heaviest frame is selected then. */
static void note_symbol(struct flame_state *v, uint64_t symbol)
{
	v->path = mem_grow(v->path, &v->pathcap, 1, sizeof *v->path);
	v->path[0] = 0;
	v->npath = 1;
	v->symbol = symbol;
}

/* Restore the selection, or the nearest ancestor that still exists. */
static void restore_selection(struct flame_state *v)
{
	if (!v->f[v->part])
		v->part = DOWN;
	const struct flame *f = v->f[v->part];
	size_t n = v->npath;
	uint32_t at = flame_follow(f, v->path, &n);
	if (n < v->npath && v->symbol) {
		uint32_t other = flame_heaviest(f, weighted_find_id(v->t.c, v->symbol));
		at = other ? other : at;
	}
	v->sel = at ? at : flame_widest(f, 0);
}

static void mark_hits(struct flame_state *v, const struct pane_env *env)
{
	int64_t folded;
	if (list_hits_are_current(&v->hit, NULL, env->find.rx))
		return;
	list_hits_begin(&v->hit, NULL, env->find.rx, v->t.c ? v->t.c->nsymbol : 0);
	if (!v->hit.at || !v->t.c)
		return;
	profile_match_names(v->t.c, env->find.rx, v->hit.at);
	struct nodes t = nodes_of(v->t.c);
	const struct nodes *shown = &v->f[DOWN]->t;
	uint32_t most = flame_blocks(&t) > flame_blocks(shown) ? flame_blocks(&t) : flame_blocks(shown);
	v->nbelow = xrealloc(v->nbelow, most * sizeof *v->nbelow);
	v->hit.n = flame_hits(&t, v->hit.at, &v->hitw, v->nbelow);
	if (shown->what != t.what)
		v->hit.n = flame_hits(shown, v->hit.at, &folded, v->nbelow);
}

static struct flame_conf conf_now(
    const struct flame_state *v, const struct weighted_tree *c, const struct pane_env *env)
{
	struct flame_conf conf = v->conf;
	conf.fold_equal = v->rows == EQUAL_FOLDED;
	conf.fold_recursion = v->rows == RECURSION_FOLDED;
	conf.pivot = v->pivot ? weighted_find_id(c, v->pivot) : 0;
	conf.up = false;
	conf.more = session_query(env->s)->drop_negative;
	return conf;
}

/* Use these flames of the current tree, keep zooms whose frames still exist, and free the old flames. */
static void lay_out_as(struct flame_state *v, const struct pane_env *env, struct flame *const made[PARTS],
    struct weighted_tree *was)
{
	struct flame *old[PARTS] = {v->f[DOWN], v->f[UP]};
	for (int k = 0; k < PARTS; k++) {
		if (v->f[k] && v->zoom[k])
			v->nway[k] = way_to(v->f[k], v->zoom[k], &v->way[k], &v->waycap[k]);
		v->f[k] = made[k];
		v->zoom[k] = 0;
	}
	session_free_calls_async(env->s, was, old);
	flame_sum_packages(v);
	v->laid = v->conf = conf_now(v, v->t.c, env);
	list_hits_free(&v->hit);
	v->sel = 0;
	if (v->t.c->none)
		return;
	for (int k = 0; k < PARTS; k++) {
		size_t n = v->nway[k];
		uint32_t at = v->f[k] && n ? flame_follow(v->f[k], v->way[k], &n) : 0;
		v->zoom[k] = n == v->nway[k] ? at : 0;
		v->nway[k] = 0;
	}
	restore_selection(v);
	mark_hits(v, env);
	flame_into_view(v, env->rows);
}

/* Apply a view to flames that have its layout. */
static void apply_view(struct flame_state *v, const struct pane_env *env, const struct view *from)
{
	enum { DEEP = 1 << 30 };	/* limit of depths, because a view may come from a file */
	static const char *const zooms[PARTS] = {[DOWN] = "down", [UP] = "up"};
	int part = view_get(from, "part") == UP && v->f[UP] ? UP : DOWN;
	uint64_t id = (uint64_t)view_get(from, "id");
	int64_t scroll = view_get(from, "scroll");
	if (part != v->part) {
		v->part = part;
		v->sel = flame_widest(v->f[part], 0);
	}
	for (int k = 0; k < PARTS; k++) {
		uint64_t zoom = (uint64_t)view_get(from, zooms[k]);
		v->zoom[k] = v->f[k] && zoom ? flame_find(v->f[k], zoom) : 0;
	}
	uint32_t at = id ? flame_find(v->f[v->part], id) : 0;
	v->sel = at ? at : v->sel;
	v->scroll = scroll < -DEEP ? -DEEP : scroll > DEEP ? DEEP : scroll;
	flame_into_view(v, env->rows);
	note_selection(v);
}

/* Show the new flames: of another tree, or the same tree with another layout. */
static void replace_flames(struct flame_state *v, const struct pane_env *env, struct flame *const made[PARTS])
{
	struct weighted_tree *was = NULL;	/* the tree of the old flames */
	if (v->t.c != v->next.c) {
		note_selection(v);
		was = v->t.c;
		v->t = v->next;
		weighted_ref(v->t.c);
	}
	lay_out_as(v, env, made, was);
	if (v->loads && !v->t.c->none)
		apply_view(v, env, &v->then);
	v->loads &= v->t.c->none;
}

/* Lay out the current tree with the wanted layout. If it is large, do so in the background, and show nothing until the
   first flames are there. */
static void lay_out(struct flame_state *v, const struct pane_env *env)
{
	struct flame *made[PARTS] = {NULL, NULL};
	struct flame_conf conf = conf_now(v, v->next.c, env);
	if (async_job(&v->work))		/* done() lays out again */
		return;
	if (flame_job_start(&v->work, v->next.c, &conf, made)) {
		replace_flames(v, env, made);
	} else if (!v->f[DOWN]) {
		v->t.c = weighted_none(session_snap(env->s)->st, profile_granularity(env));
		conf = conf_now(v, v->t.c, env);
		made[DOWN] = flame_new(v->t.c, &conf);
		lay_out_as(v, env, made, NULL);
	}
}

static bool as_wanted(const struct flame_state *v, const struct pane_env *env)
{
	struct flame_conf conf = conf_now(v, v->next.c, env);
	return v->f[DOWN] && v->t.c == v->next.c && flame_job_same_conf(&v->laid, &conf);
}

static void flame_pane_update(void *st, const struct pane_env *env)
{
	struct flame_state *v = st;
	if (async_job(&v->work))		/* called again when the job has ended */
		return;
	profile_update_tree(&v->next, env, profile_granularity(env));
	if (!as_wanted(v, env))
		lay_out(v, env);
}

static void flame_pane_done(void *st, const struct pane_env *env, struct ask *out)
{
	(void)out;
	struct flame_state *v = st;
	struct flame *made[PARTS] = {NULL, NULL};
	struct flame_conf conf = conf_now(v, v->next.c, env);
	if (flame_job_finish(&v->work, env->s, v->next.c, &conf, made))
		replace_flames(v, env, made);
	flame_pane_update(v, env);		/* the query may have changed meanwhile */
}

static void close_flame(void *st)
{
	struct flame_state *v = st;
	for (int k = 0; k < PARTS; k++)
		flame_free(v->f[k]);
	profile_free_tree(&v->t);
	profile_free_tree(&v->next);
	for (int k = 0; k < PARTS; k++)
		mem_free(v->way[k]);
	mem_free(v->path);
	list_hits_free(&v->hit);
	mem_free(v->nbelow);
}

static void flame_pane_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct flame_state *v = st;
	if (!profile_draw_empty(&v->t, env, g) && v->f[DOWN])
		flame_draw(v, env, g);
}

/* ---- zoom and direction */

static void zoom_to(struct flame_state *v, int part, uint32_t at, bool remember)
{
	if (v->zoom[part] == at)
		return;
	if (remember && v->nbefore < ZOOMS_MAX)
		v->before[v->nbefore++] = v->zoom[part] ? v->f[part]->open->at[v->zoom[part]].id : 0;
	v->zoom[part] = at;
}

static bool zoom_back(struct flame_state *v)
{
	int part = v->zoom[v->part] ? v->part : v->zoom[DOWN] ? DOWN : UP;
	if (!v->f[part] || !v->zoom[part])
		return false;
	uint64_t id = v->nbefore ? v->before[--v->nbefore] : 0;
	v->zoom[part] = id ? flame_find(v->f[part], id) : 0;
	return true;
}

static bool act_zoom(struct flame_state *v, const struct act *a)
{
	uint32_t z = v->zoom[v->part];
	switch ((int)a->cmd) {
	case CMD_OPEN:
	case CMD_ZOOM_IN: zoom_to(v, v->part, v->sel, true); return true;
	case CMD_ZOOM_OUT:
		zoom_to(v, v->part, z ? v->f[v->part]->open->at[z].up : 0, false);
		return true;
	case CMD_ZOOM_ALL:
		v->zoom[DOWN] = v->zoom[UP] = 0;
		v->nbefore = 0;
		return true;
	case CMD_BACK: return zoom_back(v);
	default: return false;
	}
}

/* Leave the graph of callers. What is selected there is no place of the other graph, which is shown until the next one
   is laid out. */
static void leave_callers(struct flame_state *v)
{
	if (v->part == UP)
		v->sel = flame_widest(v->f[DOWN], 0);
	v->part = DOWN;
}

static enum verdict toggle_pivot(struct flame_state *v, const struct pane_env *env, struct ask *ask)
{
	uint64_t id = flame_symbol_at(v, v->part, v->sel)->id;
	if (v->pivot) {
		bool same = v->pivot == id;
		v->pivot = same ? 0 : id;
	} else {
		v->pivot = id;
	}
	v->conf.reverse = false;
	leave_callers(v);
	v->zoom[DOWN] = v->zoom[UP] = 0;
	v->nbefore = 0;
	v->scroll = 0;
	note_symbol(v, id);
	lay_out(v, env);
	return pane_message(ask,
	    v->pivot ? "callers above, callees below; p on it again shows the whole graph" : "the whole graph");
}

static enum verdict set_order(
    struct flame_state *v, const struct pane_env *env, const char *arg, struct ask *ask)
{
	enum order o = (enum order)((v->conf.order + 1) % 3);
	if (arg && *arg) {
		for (o = 0; o < 3 && strcmp(arg, flame_order_name[o]); o++)
			;
		if (o == 3)
			return pane_message(ask, "order requires weight, name or appearance");
	}
	v->conf.order = o;
	note_selection(v);
	lay_out(v, env);
	return pane_message(ask, "siblings ordered by %s", flame_order_name[o]);
}

static enum verdict act_shape(
    struct flame_state *v, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	static const char *const rows[FLAME_ROWS__N] = {[EQUAL_FOLDED] = "equal rows folded: the number is that of the rows",
	    [ALL_ROWS] = "all rows shown", [RECURSION_FOLDED] = "recursion collapsed"};
	const char *what = "";
	bool on = false;
	note_selection(v);
	switch ((int)a->cmd) {
	case CMD_REVERSE:
		on = v->conf.reverse = !v->conf.reverse;
		v->pivot = 0;
		leave_callers(v);
		note_symbol(v, v->symbol);	/* paths have the other direction */
		v->zoom[DOWN] = v->zoom[UP] = 0;
		v->scroll = 0;
		what = on ? "merged from the leaves: callers below callees"
			  : "merged from the root";
		break;
	case CMD_COLLAPSE:
		v->rows = (v->rows + 1) % FLAME_ROWS__N;
		what = rows[v->rows];
		break;
	case CMD_COLLAPSE_STD:
		on = v->conf.fold_runtime = !v->conf.fold_runtime;
		what = on ? "runtime and standard library collapsed to the function called first"
			  : "runtime and standard library shown";
		break;
	default: return V_PASS;
	}
	lay_out(v, env);
	return pane_message(ask, "%s", what);
}

/* Find the operation that spends most time in the selected frame. A graph of callers or from the leaves has no paths
   from the root: there its function counts. */
static enum verdict find_exemplar(struct flame_state *v, const struct pane_env *env, struct ask *ask)
{
	const struct flame *f = v->f[v->part];
	struct exemplar_path path = {.all = !v->conf.fold_recursion && !v->conf.fold_runtime};
	bool rooted = v->part == DOWN && !v->conf.reverse && !v->pivot;
	uint32_t depth = 0;
	for (uint32_t at = v->sel; at; at = f->open->at[at].up)
		depth += f->open->at[at].rows;
	if (!rooted || depth > EXEMPLAR_FRAMES) {
		path = (struct exemplar_path){.symbol = {flame_symbol_of(f, v->sel)}, .n = 1};
		return profile_find_exemplar(&v->exemplar, env, v->t.c, &path, ask);
	}
	path.n = depth;
	for (uint32_t i = depth, at = v->sel; at; at = f->open->at[at].up)
		for (uint32_t k = 0; k < f->open->at[at].rows; k++)
			path.symbol[--i] = flame_symbol_of(f, at);
	return profile_find_exemplar(&v->exemplar, env, v->t.c, &path, ask);
}

static enum verdict flame_pane_act(void *st, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	struct flame_state *v = st;
	if (!v->f[DOWN] || !v->sel)
		return V_PASS;
	if (profile_asks_exemplar(env, a))
		return find_exemplar(v, env, ask);
	if (flame_move(v, env, a)) {
		note_selection(v);
		return V_DONE;
	}
	bool zoomed = v->zoom[DOWN] || v->zoom[UP];
	if (act_zoom(v, a)) {
		flame_into_view(v, env->rows);
		return !zoomed && (a->cmd == CMD_ZOOM_OUT || a->cmd == CMD_ZOOM_ALL)
			   ? pane_message(ask, "%s: everything is shown", cmds[a->cmd].name)
			   : V_DONE;
	}
	switch ((int)a->cmd) {
	case CMD_PIVOT: return toggle_pivot(v, env, ask);
	case CMD_FLIP:
		v->flip = !v->flip;
		flame_into_view(v, env->rows);
		return V_DONE;
	case CMD_ORDER:
	case CMD_SORT: return set_order(v, env, a->arg, ask);
	case CMD_COLUMNS: return flame_set_colour(v, session_is_trace(env->s), a->arg, ask);
	default: return act_shape(v, env, a, ask);
	}
}

static bool flame_pane_go(void *st, const struct pane_env *env, const struct place *to)
{
	struct flame_state *v = st;
	if (to->first && v->sel)	/* it opens at the root, where the weight is, and stays where it was */
		return true;
	uint32_t symbol = v->t.c ? profile_find_symbol(v->t.c, to) : 0;
	if (!symbol)
		return false;
	uint32_t at = flame_heaviest(v->f[DOWN], symbol);
	if (!at && v->pivot) {
		v->pivot = 0;
		leave_callers(v);
		note_symbol(v, v->t.c->symbol[symbol].id);
		lay_out(v, env);
		if (async_job(&v->work))	/* it is selected when the job has ended */
			return true;
		at = flame_heaviest(v->f[DOWN], symbol);
	}
	if (!at)
		return false;
	v->part = DOWN;
	v->sel = at;
	if (!flame_below(v->f[DOWN], at, v->zoom[DOWN]))
		v->zoom[DOWN] = 0;
	flame_into_view(v, env->rows);
	note_selection(v);
	return true;
}

static void flame_pane_place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct flame_state *v = st;
	(void)env;
	to->topic[0] = TOPIC_F_FRAME;
	if (v->f[v->part] && v->sel)
		profile_symbol_place(v->t.c, flame_symbol_of(v->f[v->part], v->sel), to);
}

static uint64_t id_of(const struct flame_state *v, int part, uint32_t at)
{
	return v->f[part] && at ? v->f[part]->open->at[at].id : 0;
}

static void flame_pane_save(const void *st, struct view *to)
{
	const struct flame_state *v = st;
	view_put_zoom(to, "down", (int64_t)id_of(v, DOWN, v->zoom[DOWN]));
	view_put_zoom(to, "up", (int64_t)id_of(v, UP, v->zoom[UP]));
	view_put_zoom(to, "pivot", (int64_t)v->pivot);
	view_put_zoom(to, "reverse", v->conf.reverse);
	view_put_zoom(to, "rows", v->rows);
	view_put_zoom(to, "runtime", v->conf.fold_runtime);
	view_put_zoom(to, "order", v->conf.order);
	view_put_cursor(to, "id", (int64_t)id_of(v, v->part, v->sel));
	view_put_cursor(to, "scroll", v->scroll);
	view_put_cursor(to, "part", v->part);
	view_put_cursor(to, "flip", v->flip);
}

static void flame_pane_load(void *st, const struct pane_env *env, const struct view *from)
{
	struct flame_state *v = st;
	if (!v->t.c)
		return;
	v->conf.reverse = view_get(from, "reverse") != 0;
	v->rows = (enum flame_rows)view_get_below(from, "rows", FLAME_ROWS__N);
	v->conf.fold_runtime = view_get(from, "runtime") != 0;
	v->conf.order = (enum order)view_get_below(from, "order", 3);
	v->pivot = (uint64_t)view_get(from, "pivot");
	v->flip = view_get(from, "flip") != 0;
	v->then = *from;
	v->loads = true;
	if (as_wanted(v, env)) {
		apply_view(v, env, from);
		mark_hits(v, env);
		v->loads = false;
	} else {
		lay_out(v, env);
	}
}

static bool is_hit(const struct flame_state *v, uint32_t node)
{
	const struct nodes *t = &v->f[DOWN]->t;
	return node && v->hit.at[nodes_symbol(t, node)] && nodes_has_weight(t, node);
}

/* Return the index of a match, from 1. */
static uint32_t hit_number(const struct flame_state *v, uint32_t node)
{
	uint32_t k = node - node % FLAME_BLOCK, n = v->nbelow[node / FLAME_BLOCK];
	for (; k <= node; k++)
		n += is_hit(v, k);
	return n;
}

static uint32_t flame_pane_find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct flame_state *v = st;
	*at = 0;
	if (!v->f[DOWN])
		return 0;
	mark_hits(v, env);
	if (!v->hit.n)
		return 0;
	const struct flame *f = v->f[DOWN];
	uint32_t n = f->t.n, i = v->part == DOWN ? f->open->at[v->sel].node : 1;
	if (dir == 1 && v->part == DOWN)	/* the place stands for the frames up to its last one */
		i = f->open->at[v->sel].last;
	if (dir == 1 || dir == -1)
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	while (dir && !is_hit(v, i))
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	if (dir) {
		v->part = DOWN;
		v->sel = flame_place_of(f, i);
		if (!flame_below(f, v->sel, v->zoom[DOWN]))
			v->zoom[DOWN] = 0;
		flame_into_view(v, env->rows);
		note_selection(v);
	}
	if (is_hit(v, i))
		*at = hit_number(v, i);
	return v->hit.n;
}

static void flame_pane_click(void *st, const struct pane_env *env, int y, int x, bool twice, struct ask *ask)
{
	struct flame_state *v = st;
	int part;
	uint32_t at;
	(void)ask;
	if (!v->f[DOWN] || !flame_at(v, env, y, x, &part, &at))
		return;
	v->part = part;
	v->sel = at;
	if (twice)
		zoom_to(v, part, at, true);
	note_selection(v);
}

static void take_exemplar(void *st, const struct pane_env *env, struct ask *out)
{
	profile_take_exemplar(&((struct flame_state *)st)->exemplar, env, out);
}

static int flame_pane_work(void *st, struct pane_work *out)
{
	struct flame_state *v = st;
	out[0] = (struct pane_work){.slot = &v->work, .take = flame_pane_done};
	out[1] = (struct pane_work){.slot = &v->exemplar.finding, .take = take_exemplar, .first = true};
	return 2;
}

static void put_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	(void)st;
	bool critical = session_is_trace(env->s) && session_type(env->s) == TRACE_CRITICAL;
	buf_printf(b, "hjkl move  Enter zoom  %su undo  0 all  p pivot  i flip  s order  / find  f x d filter",
	    critical ? "W longest operation here  " : "");
}

const struct pane_ops pane_flame = {
    .name = "flame",
    .tab = "Flame",
    .bit = P_FLAME,
    .cmd = CMD_PANE_FLAME,
    .state_size = sizeof(struct flame_state),
    .close = close_flame,
    .update = flame_pane_update,
    .draw = flame_pane_draw,
    .act = flame_pane_act,
    .own.choices = flame_choices,
    .go = flame_pane_go,
    .place = flame_pane_place,
    .view.save = flame_pane_save,
    .view.load = flame_pane_load,
    .summary = flame_summary,
    .lines.detail = flame_detail,
    .own.find = flame_pane_find,
    .lines.keys = put_keys,
    .own.click = flame_pane_click,
    .work.slots = flame_pane_work,
};
