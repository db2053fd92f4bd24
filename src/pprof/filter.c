/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The filters of a query on stacks, as pprof applies them. They are matched location by location (filter/location.c),
 * and cut the lines of a location in place: every stack through it sees the cut. What the flags of locations leave of a
 * stack follows from what they leave of its caller, so it is computed once per node of the tree of stacks, and then
 * the samples are read once. A stack that loses its leaf frames is the node of a caller. If others are removed (hide,
 * show, show_from), the frames that are left are written into a new tree. Filters on labels are in tag_filter.c.
 */
#include "config.h"
#include "pprof/profile.h"

#include "filter/location.h"
#include "pprof/tag_filter.h"

#include <string.h>

static struct tag_text profile_text_of(const void *of, uint32_t str)
{
	const struct profile *p = of;
	return (struct tag_text){p->str[str].s, p->str[str].n};
}

static void profile_function_of(const void *of, uint32_t fun, uint32_t *name, uint32_t *file)
{
	const struct profile *p = of;
	*name = p->fun[fun].name;
	*file = p->fun[fun].file;
}

/* Keep the lines that are not hidden, in place, because locations share no lines. */
static void keep_lines(struct profile *p, struct profile_location *l, const uint8_t *flags)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < l->nline; i++)
		if (!(flags[i] & FM_HIDDEN))
			p->line[l->line + kept++] = p->line[l->line + i];
	l->nline = kept;
}

/* Match all locations, set their flags, and cut their lines. */
static void match_locations(struct profile *p, struct location_match *m, uint8_t *flags)
{
	uint32_t *fun = NULL;
	uint8_t *line = NULL;
	size_t cfun = 0, cline = 0;
	for (size_t i = 1; i < p->nloc; i++) {
		struct profile_location *l = &p->loc[i];
		fun = mem_grow(fun, &cfun, l->nline, sizeof *fun);
		line = mem_grow(line, &cline, l->nline, 1);
		for (uint32_t k = 0; k < l->nline; k++) {
			fun[k] = p->line[l->line + k].fun;
			line[k] = 0;
		}
		flags[i] = location_match(m, &(struct location_lines){
		    fun, line, l->nline, l->map ? &p->map[l->map].file : NULL, false});
		keep_lines(p, l, line);
	}
	mem_free(fun);
	mem_free(line);
}

/* What the filters leave of the stack of each node of the tree. */
struct cutter {
	const struct compiled_filters *fc;
	const uint8_t *flags;		/* by location */
	struct stack_tree tree;		/* what is left, unless it is in the profile's tree */
	bool new_tree;
	struct cut_node {
		uint32_t node;		/* in that tree */
		uint32_t pruned;	/* the node where prune_from ends the stack; 0: it does not */
	} *to;
	uint8_t *seen;			/* flags of all its locations, and the following ones */
};
enum { VISIBLE = 64, CUT = 128 };	/* a frame is visible; a frame was removed, other than by prune_from */

static void cut_node(struct cutter *c, const struct profile *p, uint32_t i)
{
	struct stack_node x = p->tree.node[i];
	uint8_t flags = c->flags[x.frame] & (VISIBLE - 1), seen = c->seen[x.caller] | flags;
	struct cut_node to = c->to[x.caller];
	bool hidden = flags & FM_HIDDEN;
	/* show_from is searched in visible frames only */
	if (hidden)
		seen = (uint8_t)((seen & ~FM_SHOW_FROM) | (c->seen[x.caller] & FM_SHOW_FROM) | CUT);
	else
		seen |= VISIBLE;
	if (c->fc->rx[FILTER_SHOW_FROM] && !(seen & FM_SHOW_FROM)) {
		seen |= CUT;
	} else if (!hidden) {
		to.node = c->new_tree ? stack_tree_child(&c->tree, to.node, x.frame) : i;
		if (flags & FM_PRUNE)
			to.pruned = to.node;
	}
	c->to[i] = to;
	c->seen[i] = seen;
}

static struct profile_move move_of(const struct cutter *c, uint32_t node)
{
	struct regex *const *rx = c->fc->rx;
	struct cut_node to = c->to[node];
	uint8_t seen = c->seen[node];
	bool focus = rx[FILTER_FOCUS] || rx[FILTER_IGNORE] || rx[FILTER_HIDE] || rx[FILTER_SHOW];
	bool out = focus && (!(seen & FM_LOC_FOCUS) || seen & FM_LOC_IGNORE ||
				(seen & FM_HIDDEN && !(seen & VISIBLE)));
	return (struct profile_move){to.pruned ? to.pruned : to.node,
	    seen & CUT || (to.pruned && to.pruned != to.node),
	    out || (rx[FILTER_SHOW_FROM] && !(seen & FM_SHOW_FROM))};
}

static void cut_stacks(struct profile *p, const struct compiled_filters *fc, const uint8_t *flags)
{
	struct regex *const *rx = fc->rx;
	uint32_t n = p->tree.n;
	struct cutter c = {.fc = fc, .flags = flags, .to = xcalloc(n, sizeof *c.to), .seen = xcalloc(n, 1),
	    .new_tree = rx[FILTER_HIDE] || rx[FILTER_SHOW] || rx[FILTER_SHOW_FROM]};
	struct profile_move *to = xmalloc(p->nstack * sizeof *to);
	if (c.new_tree)
		stack_tree_init(&c.tree);
	for (uint32_t i = 1; i < n; i++)
		cut_node(&c, p, i);
	for (size_t s = 0; s < p->nstack; s++)
		to[s] = move_of(&c, p->stack[s]);
	if (c.new_tree) {
		stack_tree_free(&p->tree);
		p->tree = c.tree;
	}
	mem_free(c.to);
	mem_free(c.seen);
	profile_move_stacks(p, to);
	mem_free(to);
}

/* Apply the filters on names. Set in matched[] which of them matched. */
static void filter_by_name(struct profile *p, const struct compiled_filters *fc, bool matched[FILTER_NAMES])
{
	struct location_match m;
	struct regex *const *rx = fc->rx;
	if (!rx[FILTER_FOCUS] && !rx[FILTER_IGNORE] && !rx[FILTER_HIDE] && !rx[FILTER_SHOW] &&
	    !rx[FILTER_SHOW_FROM] && !rx[FILTER_PRUNE_FROM])
		return;
	uint8_t *flags = xcalloc(p->nloc, 1);
	location_match_begin(&m, fc, &(struct name_table){
	    p, profile_text_of, profile_function_of, (uint32_t)p->nstr, (uint32_t)p->nfun});
	match_locations(p, &m, flags);
	memcpy(matched, m.matched, sizeof m.matched);
	location_match_end(&m);
	cut_stacks(p, fc, flags);
	mem_free(flags);
}

static struct regex *compile_anchored(const struct profile *p, str_id s)
{
	struct arena a = {0};
	struct regex *rx = s ? regex_new(arena_printf(&a, "^(%s)$", profile_string(p, s)), NULL) : NULL;
	arena_free(&a);
	return rx;
}

/* The expressions of a profile. keep: NULL if it has none. */
struct pruner { struct regex *drop, *keep; size_t gave_up; };

static bool is_pruned(struct pruner *x, const struct profile *p, str_id name)
{
	bool gave_up = false;
	const char *s = p->str[name].s;
	size_t n = location_simple_name(&s, p->str[name].n);
	bool yes = regex_match_bounded(x->drop, s, n, &gave_up) &&
		   !(x->keep && regex_match_bounded(x->keep, s, n, &gave_up));
	x->gave_up += gave_up;
	return yes;
}

enum { PRUNE_ALL = 1, PRUNE_BELOW = 2 };

/* End stacks at the outermost location with a cut below a frame without: frames between the root and the first user
   frame are never pruned. */
static void prune_stacks(struct profile *p, const uint8_t *cut)
{
	struct prune_node { uint32_t end; bool user; } *at = xcalloc(p->tree.n, sizeof *at);
	struct profile_move *to = xmalloc(p->nstack * sizeof *to);
	for (uint32_t i = 1; i < p->tree.n; i++) {
		struct stack_node x = p->tree.node[i];
		at[i] = at[x.caller];
		if (!cut[x.frame])
			at[i].user = true;
		else if (at[i].user && !at[i].end)
			at[i].end = cut[x.frame] == PRUNE_ALL ? x.caller : i;
	}
	for (size_t s = 0; s < p->nstack; s++) {
		uint32_t node = p->stack[s], end = at[node].end;
		to[s] = (struct profile_move){end ? end : node, end && end != node, false};
	}
	mem_free(at);
	profile_move_stacks(p, to);
	mem_free(to);
}

static void prune(struct profile *p, struct pruner *x)
{
	uint8_t *cut = xcalloc(p->nloc, 1), *name = xcalloc(p->nstr, 1);
	for (size_t i = 1; i < p->nloc; i++) {
		struct profile_location *l = &p->loc[i];
		for (uint32_t k = l->nline; k-- && !cut[i];) {
			str_id s = p->fun[p->line[l->line + k].fun].name;
			if (s && !name[s])
				name[s] = is_pruned(x, p, s) ? 2 : 1;
			if (!s || name[s] != 2)
				continue;
			cut[i] = k + 1 == l->nline ? PRUNE_ALL : PRUNE_BELOW;
			if (cut[i] == PRUNE_BELOW) {
				l->line += k + 1;
				l->nline -= k + 1;
			}
		}
	}
	prune_stacks(p, cut);
	mem_free(cut);
	mem_free(name);
}

void pprof_prune(struct profile *p, profile_notice *notice, void *arg)
{
	struct pruner x = {compile_anchored(p, p->meta.drop_frames), compile_anchored(p, p->meta.keep_frames), 0};
	if (x.drop && (x.keep || !p->meta.keep_frames))	/* if keep is invalid, the reference prunes nothing */
		prune(p, &x);
	if (x.gave_up && notice)
		notice(arg, "drop_frames or keep_frames of the profile needs too much time or memory to match %zu "
			    "functions; it is taken not to match them", x.gave_up);
	regex_free(x.drop);
	regex_free(x.keep);
}

int pprof_apply_filters(struct profile *p, const struct filters *f, const struct pprof_label_units *u,
    profile_notice *notice, void *arg, struct err *e)
{
	static const struct { int filter; const char *name; } said[] = {{FILTER_FOCUS, "Focus"},
	    {FILTER_IGNORE, "Ignore"}, {FILTER_HIDE, "Hide"}, {FILTER_SHOW, "Show"}, {FILTER_SHOW_FROM, "ShowFrom"}};
	bool matched[FILTER_NAMES] = {0};
	struct compiled_filters *fc = filter_compile(f, e);
	if (!fc)
		return -1;
	pprof_tag_filter_note(fc, notice, arg);
	filter_by_name(p, fc, matched);
	for (size_t i = 0; i < sizeof said / sizeof *said && notice; i++)
		if (fc->rx[said[i].filter] && !matched[said[i].filter])
			notice(arg, "%s expression matched no samples", said[i].name);
	pprof_tag_filter_apply(fc, p, u, notice, arg);
	filter_free(fc);
	return 0;
}

void pprof_aggregate(struct profile *p, const struct pprof_granularity *g)
{
	for (size_t i = 1; i < p->nmap; i++) {
		p->map[i].inlines &= g->inlines;
		p->map[i].functions &= g->function;
		p->map[i].filenames &= g->file;
		p->map[i].lines &= g->line;
	}
	for (size_t i = 1; i < p->nfun; i++) {
		if (!g->function)
			p->fun[i].name = p->fun[i].sysname = 0;
		if (!g->file)
			p->fun[i].file = 0;
	}
	for (size_t i = 1; i < p->nloc; i++) {
		struct profile_location *l = &p->loc[i];
		if (!g->inlines && l->nline > 1) {
			l->line += l->nline - 1;
			l->nline = 1;
		}
		for (uint32_t k = l->line; k < l->line + l->nline; k++) {
			if (!g->line)
				p->line[k].line = p->line[k].col = 0;
			if (!g->column)
				p->line[k].col = 0;
		}
		if (!g->address)
			l->addr = 0;
	}
}
