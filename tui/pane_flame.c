/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The flame graph: what is selected, zoomed and folded, and how keys change
 * that. Drawing is flame_draw.c, moving flame_move.c, the tree and its layout
 * analysis/flame.c.
 *
 * Nodes are numbers in a tree that is made anew with every query and every
 * folding, so what outlives it is kept as ids: of the path to the selection
 * (it is walked down again as far as it still exists), of the zoomed node, of
 * the thing looked from.
 */
#include "config.h"
#include "flameview.h"
#include "flamework.h"

#include "base/rx.h"

#include <string.h>

static const char *const order_name[] = {"weight", "name", "appearance"};

static void keep(struct flameview *v)
{
	const struct flame *f = v->f[v->part];
	if (!f || !v->sel)
		return;
	size_t n = flame_row(f, 0, v->sel);
	v->path = mem_grow(v->path, &v->pathcap, n + 1, sizeof *v->path);
	v->npath = n;
	for (uint32_t i = v->sel; i && n; i = f->t.parent[i])
		v->path[--n] = f->id[i];
	v->thing = flame_thing(v, v->part, v->sel)->id;
}

static uint32_t heaviest_of(const struct flame *f, uint32_t thing)
{
	uint32_t best = 0;
	for (uint32_t i = 1; thing && i < f->t.n; i++)
		if (f->t.thing[i] == thing && (!best || f->wid[i] > f->wid[best]))
			best = i;
	return best;
}

/* Select what was selected, or the nearest to it that is there. */
static void restore(struct flameview *v)
{
	if (!v->f[v->part])
		v->part = DOWN;
	const struct flame *f = v->f[v->part];
	uint32_t at = 0;
	size_t i = 0;
	for (; i < v->npath; i++) {
		uint32_t k = f->kid0[at], end = f->kid0[at + 1];
		while (k < end && f->id[f->kid[k]] != v->path[i])
			k++;
		if (k == end)
			break;
		at = f->kid[k];
	}
	if (i < v->npath && v->thing) {
		uint32_t other = heaviest_of(f, calls_find(v->t.c, v->thing));
		at = other ? other : at;
	}
	v->sel = at ? at : flame_widest(f, 0);
}

static void mark_hits(struct flameview *v, const struct pane_env *env)
{
	struct buf b = {0};
	hits_begin(&v->hit, env, v->t.c ? v->t.c->nthing : 0);
	if (!v->hit.at || !v->t.c)
		return;
	for (uint32_t i = 1; i < v->t.c->nthing; i++)
		v->hit.at[i] = tree_match(v->t.c, i, env->find.rx, &b);
	buf_free(&b);
	int64_t folded;
	flame_hits(calls_tree(v->t.c), v->hit.at, &v->hitw);
	v->hit.n = flame_hits(&v->f[DOWN]->t, v->hit.at, &folded);
}

static struct flame_conf conf_now(const struct flameview *v, const struct calls *c, const struct pane_env *env)
{
	struct flame_conf conf = v->conf;
	conf.pivot = v->pivot ? calls_find(c, v->pivot) : 0;
	conf.up = false;
	conf.more = session_query(env->s)->drop_negative;
	return conf;
}

/* The flames anew from the calls there are, or those that were made of them; zooms are kept where they still are
   something. What was goes. */
static void lay_out_as(struct flameview *v, const struct pane_env *env, struct flame *const made[PARTS],
    struct calls *was)
{
	uint64_t zoom[PARTS] = {0};
	struct flame *old[PARTS];
	for (int k = 0; k < PARTS; k++) {
		if (v->f[k] && v->zoom[k])
			zoom[k] = v->f[k]->id[v->zoom[k]];
		old[k] = v->f[k];
		v->f[k] = made ? made[k] : NULL;
	}
	session_let_go(env->s, was, old);
	v->conf = conf_now(v, v->t.c, env);
	if (!made) {
		v->f[DOWN] = flame_new(v->t.c, &v->conf);
		v->conf.up = v->conf.pivot != 0;
		if (v->conf.up)
			v->f[UP] = flame_new(v->t.c, &v->conf);
	}
	for (int k = 0; k < PARTS; k++)
		v->zoom[k] = v->f[k] && zoom[k] ? flame_find(v->f[k], zoom[k]) : 0;
	restore(v);
	mark_hits(v, env);
	flame_into_view(v, env->rows);
}

static void lay_out(struct flameview *v, const struct pane_env *env)
{
	lay_out_as(v, env, NULL, NULL);
}

/* Other calls take the place of those that are shown. */
static void change(struct flameview *v, const struct pane_env *env, struct flame *const made[PARTS])
{
	struct calls *was = v->t.c;	/* whose things the old flames are */
	keep(v);
	hits_drop(&v->hit);
	v->t = v->next;
	calls_ref(v->t.c);
	lay_out_as(v, env, made, was);
}

static void update(void *st, const struct pane_env *env)
{
	struct flameview *v = st;
	if (v->work)		/* again when that is there */
		return;
	v->next.walks = true;
	if (!tree_sync(&v->next, env, tree_gran(env)) && v->f[DOWN] && v->t.c == v->next.c)
		return;
	if (!flame_is_work(v->next.c)) {
		change(v, env, NULL);
		return;
	}
	if (!v->f[DOWN]) {
		v->t.c = calls_none(session_snap(env->s)->st, tree_gran(env));
		lay_out(v, env);
	}
	struct flame_conf conf = conf_now(v, v->next.c, env);
	v->work = flamework_start(v->next.c, &conf);
	if (!v->work)
		change(v, env, NULL);
}

static struct job *job(void *st)
{
	return flamework_job(((struct flameview *)st)->work);
}

static void done(void *st, const struct pane_env *env, struct ask *out)
{
	(void)out;
	struct flameview *v = st;
	struct flame *made[PARTS] = {NULL, NULL};
	struct flame_conf conf = conf_now(v, v->next.c, env);
	struct flamework *w = v->work;
	v->work = NULL;
	if (flamework_take(w, env->s, v->next.c, &conf, made))
		change(v, env, made);
	update(v, env);		/* there may be others by now */
}

static void close_flame(void *st)
{
	struct flameview *v = st;
	flamework_drop(v->work);
	for (int k = 0; k < PARTS; k++)
		flame_free(v->f[k]);
	tree_drop(&v->t);
	tree_drop(&v->next);
	mem_free(v->path);
	hits_drop(&v->hit);
}

static void draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct flameview *v = st;
	if (!tree_empty(&v->t, env, g) && v->f[DOWN])
		flame_draw(v, env, g);
}

/* ---- zooming and turning */

static void zoom_to(struct flameview *v, int part, uint32_t node, bool remember)
{
	if (v->zoom[part] == node)
		return;
	if (remember && v->nbefore < ZOOMS_MAX)
		v->before[v->nbefore++] = v->zoom[part] ? v->f[part]->id[v->zoom[part]] : 0;
	v->zoom[part] = node;
}

static bool zoom_back(struct flameview *v)
{
	int part = v->zoom[v->part] ? v->part : v->zoom[DOWN] ? DOWN : UP;
	if (!v->f[part] || !v->zoom[part])
		return false;
	uint64_t id = v->nbefore ? v->before[--v->nbefore] : 0;
	v->zoom[part] = id ? flame_find(v->f[part], id) : 0;
	return true;
}

static bool act_zoom(struct flameview *v, const struct act *a)
{
	uint32_t z = v->zoom[v->part];
	switch ((int)a->cmd) {
	case CMD_OPEN:
	case CMD_ZOOM_IN: zoom_to(v, v->part, v->sel, true); return true;
	case CMD_ZOOM_OUT:
		zoom_to(v, v->part, z ? v->f[v->part]->t.parent[z] : 0, false);
		return true;
	case CMD_ZOOM_ALL:
		v->zoom[DOWN] = v->zoom[UP] = 0;
		v->nbefore = 0;
		return true;
	case CMD_BACK: return zoom_back(v);
	default: return false;
	}
}

static enum verdict toggle_pivot(struct flameview *v, const struct pane_env *env, struct ask *ask)
{
	uint64_t id = flame_thing(v, v->part, v->sel)->id;
	if (v->pivot) {
		bool same = v->pivot == id;
		v->pivot = same ? 0 : id;
	} else {
		v->pivot = id;
	}
	v->conf.reverse = false;
	v->npath = 0;
	v->thing = id;
	v->part = DOWN;
	v->zoom[DOWN] = v->zoom[UP] = 0;
	v->nbefore = 0;
	v->scroll = 0;
	lay_out(v, env);
	uint32_t at = heaviest_of(v->f[DOWN], calls_find(v->t.c, id));
	v->sel = at ? at : v->sel;
	flame_into_view(v, env->rows);
	return ask_say(ask,
	    v->pivot ? "callers above, callees below; p on it again: the whole" : "the whole graph again");
}

static enum verdict set_order(
    struct flameview *v, const struct pane_env *env, const char *arg, struct ask *ask)
{
	enum order o = (enum order)((v->conf.order + 1) % 3);
	if (arg && *arg) {
		for (o = 0; o < 3 && strcmp(arg, order_name[o]); o++)
			;
		if (o == 3)
			return ask_say(ask, "order is weight, name or appearance");
	}
	v->conf.order = o;
	keep(v);
	lay_out(v, env);
	return ask_say(ask, "siblings by %s", order_name[o]);
}

static const struct { const char *name, *what; } colours[FC__N] = {
    [FC_AUTO] = {"auto", "by package, in a difference by change"},
    [FC_PACKAGE] = {"package", "a colour for each package; runtime and library greyish"},
    [FC_SELF] = {"self", "what has weight of its own"},
    [FC_STATE] = {"state", "of a trace: what goroutines did, as on the timeline"},
    [FC_DIFF] = {"diff", "more and less than in the base"}};

static enum verdict set_colour(struct flameview *v, bool trace, const char *arg, struct ask *ask)
{
	for (int i = 0; arg && i < FC__N; i++)
		if (!strcmp(arg, colours[i].name) && i == FC_STATE && !trace)
			return ask_say(ask, "state is of traces: a profile does not know what goroutines did");
		else if (!strcmp(arg, colours[i].name)) {
			v->colour = (enum flame_colour)i;
			return ask_say(ask, "colours %s", colours[i].what);
		}
	return ask_say(ask, "colours are auto, package, self, state or diff");
}

static int choices(const void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	static const char *const what[] = {"the heaviest first", "by name", "as they first come in the file"};
	const struct flameview *v = st;
	(void)env;
	for (int i = 0; i < 3 && (cmd == CMD_ORDER || cmd == CMD_SORT); i++)
		choice_set(&out[i], order_name[i], what[i], (int)v->conf.order == i);
	for (int i = 0; i < FC__N && cmd == CMD_COLUMNS; i++)
		choice_set(&out[i], colours[i].name, colours[i].what, (int)v->colour == i);
	return cmd == CMD_ORDER || cmd == CMD_SORT ? 3 : cmd == CMD_COLUMNS ? FC__N : 0;
}

static enum verdict act_shape(
    struct flameview *v, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	const char *what = "";
	bool on = false;
	keep(v);
	switch ((int)a->cmd) {
	case CMD_REVERSE:
		on = v->conf.reverse = !v->conf.reverse;
		v->pivot = 0;
		v->part = DOWN;
		v->npath = 0;		/* paths run the other way: only the thing stays */
		v->path = mem_grow(v->path, &v->pathcap, 1, sizeof *v->path);
		v->path[v->npath++] = 0;
		v->zoom[DOWN] = v->zoom[UP] = 0;
		v->scroll = 0;
		what = on ? "merged from the leaves: callers below their callees"
			  : "from the root again";
		break;
	case CMD_COLLAPSE:
		on = v->conf.fold_recursion = !v->conf.fold_recursion;
		what = on ? "recursion is one frame" : "recursion as it is";
		break;
	case CMD_COLLAPSE_STD:
		on = v->conf.fold_runtime = !v->conf.fold_runtime;
		what = on ? "runtime and standard library: only the function called first"
			  : "runtime and standard library in full";
		break;
	default: return V_PASS;
	}
	lay_out(v, env);
	return ask_say(ask, "%s", what);
}

static enum verdict act(void *st, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	struct flameview *v = st;
	if (!v->f[DOWN] || !v->sel)
		return V_PASS;
	if (flame_move(v, env, a)) {
		keep(v);
		return V_DONE;
	}
	if (act_zoom(v, a)) {
		flame_into_view(v, env->rows);
		return V_DONE;
	}
	switch ((int)a->cmd) {
	case CMD_PIVOT: return toggle_pivot(v, env, ask);
	case CMD_FLIP:
		v->flip = !v->flip;
		flame_into_view(v, env->rows);
		return V_DONE;
	case CMD_ORDER:
	case CMD_SORT: return set_order(v, env, a->arg, ask);
	case CMD_COLUMNS: return set_colour(v, session_is_trace(env->s), a->arg, ask);
	default: return act_shape(v, env, a, ask);
	}
}

static bool go(void *st, const struct pane_env *env, const struct place *to)
{
	struct flameview *v = st;
	uint32_t thing = v->t.c ? tree_thing(v->t.c, to) : 0;
	if (!thing)
		return false;
	uint32_t node = heaviest_of(v->f[DOWN], thing);
	if (!node && v->pivot) {
		v->pivot = 0;
		v->part = DOWN;
		lay_out(v, env);
		node = heaviest_of(v->f[DOWN], thing);
	}
	if (!node)
		return false;
	v->part = DOWN;
	v->sel = node;
	uint32_t z = v->zoom[DOWN];
	if (node < z || node >= v->f[DOWN]->t.next[z])
		v->zoom[DOWN] = 0;
	flame_into_view(v, env->rows);
	keep(v);
	return true;
}

static void place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct flameview *v = st;
	(void)env;
	if (v->f[v->part] && v->sel)
		tree_place(v->t.c, v->f[v->part]->t.thing[v->sel], to);
}

static uint64_t node_id(const struct flameview *v, int part, uint32_t node)
{
	return v->f[part] && node ? v->f[part]->id[node] : 0;
}

enum { F_REVERSE = 1, F_RECURSION = 2, F_RUNTIME = 4, F_ORDER = 8 };

static void save(const void *st, struct view *to)
{
	const struct flameview *v = st;
	int64_t flags = (v->conf.reverse ? F_REVERSE : 0) |
			(v->conf.fold_recursion ? F_RECURSION : 0) |
			(v->conf.fold_runtime ? F_RUNTIME : 0) | (int64_t)v->conf.order * F_ORDER;
	*to = (struct view){
	    .zoom = {(int64_t)node_id(v, DOWN, v->zoom[DOWN]), (int64_t)node_id(v, UP, v->zoom[UP]),
		(int64_t)v->pivot, flags},
	    .cursor = {(int64_t)node_id(v, v->part, v->sel), v->scroll, v->part, v->flip}};
}

static void load(void *st, const struct pane_env *env, const struct view *from)
{
	enum { DEEP = 1 << 30 };	/* no stack is deeper: a view may come from a file */
	struct flameview *v = st;
	int64_t flags = from->zoom[3];
	if (!v->t.c)
		return;
	v->conf.reverse = flags & F_REVERSE;
	v->conf.fold_recursion = flags & F_RECURSION;
	v->conf.fold_runtime = flags & F_RUNTIME;
	v->conf.order = (enum order)((uint64_t)flags / F_ORDER % 3);
	v->pivot = (uint64_t)from->zoom[2];
	v->part = from->cursor[2] == UP ? UP : DOWN;
	v->flip = from->cursor[3] != 0;
	lay_out(v, env);
	for (int k = 0; k < PARTS; k++)
		v->zoom[k] =
		    v->f[k] && from->zoom[k] ? flame_find(v->f[k], (uint64_t)from->zoom[k]) : 0;
	uint32_t at = flame_find(v->f[v->part], (uint64_t)from->cursor[0]);
	v->sel = at ? at : v->sel;
	v->scroll = from->cursor[1] < -DEEP ? -DEEP : from->cursor[1] > DEEP ? DEEP : from->cursor[1];
	flame_into_view(v, env->rows);
	keep(v);
}

static void summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct flameview *v = st;
	if (!v->f[DOWN])
		return;
	tree_summary(v->t.c, env, b);
	buf_printf(b, " | %s, %s", v->flip ? "flame" : "icicle", order_name[v->conf.order]);
	if (v->colour == FC_SELF)
		buf_puts(b, ", own weight");
	if (env->base > BASE_ALL)
		buf_printf(b, " | %% of %s", tree_base_name(env, BASE_ALL, "the parent"));
	if (v->conf.reverse)
		buf_puts(b, " | reversed");
	if (v->pivot)
		buf_puts(b, " | pivot");
	if (v->conf.fold_recursion)
		buf_puts(b, " | recursion folded");
	if (v->conf.fold_runtime)
		buf_puts(b, " | runtime folded");
	if (hits_fresh(&v->hit, env)) {
		buf_printf(
		    b, " | /%s %u hit%s ", env->find.text, v->hit.n, v->hit.n == 1 ? "" : "s");
		tree_put_percent(b, v->hitw, v->t.c->all);
		buf_puts(b, " of total (union)");
	}
	uint32_t z = v->zoom[v->part];
	if (z) {
		buf_puts(b, " | zoom: ");
		calls_name(v->t.c, v->f[v->part]->t.thing[z], b);
	}
}

static void put_both(const struct pane_env *env, const struct calls *c, struct buf *b, int64_t v, int64_t parent)
{
	tree_put_change(env, c, b, v);
	buf_putc(b, ' ');
	tree_put_percent(b, v, tree_base(env, c, BASE_ALL, parent));
}

static void detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct flameview *v = st;
	if (!v->f[v->part] || !v->sel)
		return;
	const struct ctree *t = &v->f[v->part]->t;
	const struct calls *c = v->t.c;
	int64_t flat = t->flat[v->sel], cum = t->cum[v->sel], up = t->cum[t->parent[v->sel]];
	struct buf rest = {0}, *r = &rest;
	if (v->part == DOWN && !v->conf.reverse) {
		buf_puts(r, "  self ");
		put_both(env, c, r, flat, up);
	}
	buf_puts(r, "  total ");
	put_both(env, c, r, cum, up);
	if (t->ocum) {
		tree_put_sides(env, c, r, cum, t->ocum[v->sel]);
	} else if (t->parent[v->sel] && env->base != BASE_LOCAL) {
		buf_puts(r, ", ");
		tree_put_percent(r, cum, up);
		buf_puts(r, v->part == UP || v->conf.reverse ? " of callee" : " of parent");
	}
	buf_puts(r, ctree_inlined(t, v->sel) ? "  (inlined)  " : "  ");
	calls_where(c, t->thing[v->sel], r);
	tree_line(env, c, t->thing[v->sel], b, r);
}

static uint32_t find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct flameview *v = st;
	*at = 0;
	if (!v->f[DOWN])
		return 0;
	mark_hits(v, env);
	if (!v->hit.n)
		return 0;
	const struct flame *f = v->f[DOWN];
	uint32_t n = f->t.n, i = v->part == DOWN ? v->sel : 1;
	if (dir == 1 || dir == -1)
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	while (dir && !(i && v->hit.at[f->t.thing[i]]))
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	if (dir) {
		v->part = DOWN;
		v->sel = i;
		uint32_t z = v->zoom[DOWN];
		if (i < z || i >= f->t.next[z])
			v->zoom[DOWN] = 0;
		flame_into_view(v, env->rows);
		keep(v);
	}
	for (uint32_t k = 1; v->hit.at[f->t.thing[i]] && k <= i; k++)
		*at += v->hit.at[f->t.thing[k]];
	return v->hit.n;
}

static void keys(const void *st, const struct pane_env *env, struct buf *b)
{
	(void)st;
	(void)env;
	buf_puts(b,
	    "hjkl move  Enter zoom  u undo  0 all  p pivot  i flip  s order  / find  f x d filter");
}

static void click(void *st, const struct pane_env *env, int y, int x, bool twice, struct ask *ask)
{
	struct flameview *v = st;
	int part;
	uint32_t node;
	(void)ask;
	if (!v->f[DOWN] || !flame_at(v, env, y, x, &part, &node))
		return;
	v->part = part;
	v->sel = node;
	if (twice)
		zoom_to(v, part, node, true);
	keep(v);
}

static int topics(const void *st, const struct pane_env *env, enum topic *t)
{
	(void)st;
	t[0] = TOPIC_F_FRAME;
	t[1] = explain_type(session_type_name(env->s, session_type(env->s)));
	return 2;
}

const struct pane_ops pane_flame = {
    .name = "flame",
    .tab = "Flame",
    .bit = P_FLAME,
    .cmd = CMD_PANE_FLAME,
    .state_size = sizeof(struct flameview),
    .close = close_flame,
    .update = update,
    .draw = draw,
    .act = act,
    .choices = choices,
    .go = go,
    .place = place,
    .topics = topics,
    .save = save,
    .load = load,
    .summary = summary,
    .detail = detail,
    .find = find,
    .keys = keys,
    .click = click,
    .job = job,
    .done = done,
};
