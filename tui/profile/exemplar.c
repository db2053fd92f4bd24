/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The operation that gives a frame of critical paths its most. The weights of a call tree are sums, so the paths of the
 * query are walked once more, in the background, and each node keeps its shares (critical/tree.h). To keep them with
 * the weights would cost the memory of all pieces for a key that few press.
 *
 * The selected frame stands for the nodes whose frames begin with its path. Functions are compared by name, as the
 * granularity "functions" merges them. Where filters or a folded graph leave out frames, others may be between those of
 * the path. Filters that select stacks are not applied: the operation is that of the frame.
 */
#include "config.h"
#include "profile/exemplar.h"

#include "base/job.h"
#include "critical/tree.h"
#include "session/query_targets.h"
#include "session/session.h"
#include "trace/as_profile.h"

#include <string.h>

struct exemplar_search {
	const struct snap *sn;
	struct query query;
	int class;			/* enum time_class; -1: any */
	str_id name[EXEMPLAR_FRAMES];
	uint32_t n;
	bool all;
	bool found;
	struct critical_target target;
	struct arena mem;
};

static const uint32_t NO_MATCH = UINT32_MAX;

/* Return how many frames of the path are matched at a node, if `matched` are at its parent; NO_MATCH: it is not below
   them. */
static uint32_t match_node(const struct exemplar_search *x, const struct critical_tree *t, uint32_t node, uint32_t matched)
{
	const struct joined_stack *v = &t->stacks.node[node];
	if (!v->frame)
		return x->class < 0 || critical_tree_class(node) == (enum time_class)x->class ? 0 : NO_MATCH;
	if (matched == NO_MATCH || matched == x->n)
		return matched;
	str_id name = store_fun(x->sn->st, store_frm(x->sn->st, v->frame)->fun)->name;
	return name == x->name[matched] ? matched + 1 : x->all ? NO_MATCH : matched;
}

/* Return the index of the target with most time below the path; UINT32_MAX: none has any. */
static uint32_t heaviest_target(const struct exemplar_search *x, const struct critical_tree *t)
{
	uint32_t *matched = xcalloc(t->stacks.n + 1u, sizeof *matched);
	uint8_t *nodes = xcalloc(t->stacks.n / 8 + 1u, 1);
	int64_t ns;
	for (uint32_t i = 1; i < t->stacks.n; i++) {
		matched[i] = match_node(x, t, i, matched[t->stacks.node[i].parent]);
		nodes[i >> 3] |= (uint8_t)((matched[i] == x->n) << (i & 7));
	}
	uint32_t best = critical_tree_exemplar(t, nodes, &ns);
	mem_free(matched);
	mem_free(nodes);
	return best;
}

static void run_search(void *work, struct job *j)
{
	struct exemplar_search *x = work;
	struct progress_watcher on = j ? job_progress_watcher(j) : (struct progress_watcher){0};
	struct query_targets targets = {0};
	struct err why;
	const struct operations *ops = operations_shared(x->sn, &on);
	struct critical_walker *w = ops ? critical_walker_new(x->sn, ops, &x->mem, &on) : NULL;
	if (!w || query_targets_find(x->sn, ops, &x->query, false, &x->mem, &targets, &why))
		return;
	struct critical_tree *t = critical_tree_of_targets(w, targets.v, targets.n, &on);
	uint32_t best = t ? heaviest_target(x, t) : UINT32_MAX;
	x->found = best < targets.n;
	if (x->found)
		x->target = targets.v[best];
	critical_tree_free(t);
}

static void free_search(void *work)
{
	struct exemplar_search *x = work;
	if (x)
		arena_free(&x->mem);
	mem_free(x);
}

static const struct async_kind search_kind = {run_search, free_search};

/* Take a frame of the path: a class of time, or a function. */
static void add_symbol(struct exemplar_search *x, const struct weighted_tree *c, uint32_t symbol)
{
	const struct symbol *s = &c->symbol[symbol];
	struct str_row name = weighted_symbol(c, symbol);
	for (int k = 0; s->kind == PKG_TAG && k < TIME_CLASS__N; k++)
		if (strlen(time_class_name((enum time_class)k)) == name.n &&
		    !memcmp(time_class_name((enum time_class)k), name.s, name.n))
			x->class = k;
	if (s->kind != PKG_TAG && symbol_function(c->st, s))
		x->name[x->n++] = store_fun(x->sn->st, symbol_function(c->st, s))->name;
}

bool profile_asks_exemplar(const struct pane_env *env, const struct act *a)
{
	return a->cmd == CMD_WHY && !a->arg && session_is_trace(env->s) && session_snap(env->s)->complete &&
	    session_type(env->s) == TRACE_CRITICAL;
}

static enum verdict open_exemplar(struct exemplar_search *x, struct ask *out)
{
	enum verdict v = V_ASK;
	if (x && x->found) {
		out->kind = ASK_PANE;
		out->pane = "why";
		out->place = PLACE_NONE;
		out->place.trk = x->target.g;
		out->place.t0 = x->target.t0;
		out->place.t1 = x->target.t1;
	} else {
		v = pane_message(out, "no operation has time in this frame");
	}
	free_search(x);
	return v;
}

enum verdict profile_find_exemplar(struct profile_exemplar *p, const struct pane_env *env, const struct weighted_tree *c,
    const struct exemplar_path *path, struct ask *out)
{
	struct exemplar_search *x = xcalloc(1, sizeof *x);
	x->sn = session_snap(env->s);
	x->query = *session_query(env->s);
	query_copy_strings(&x->query, &(struct query){0}, &x->mem);
	const struct filters *f = &x->query.f;
	x->class = -1;
	x->all = path->all && (x->query.suspended ||
	    (!f->hide && !f->show && !f->show_from && !f->prune_from && !x->query.noinlines));
	for (uint32_t i = 0; i < path->n; i++)
		add_symbol(x, c, path->symbol[i]);
	x = async_start(&p->finding, &search_kind, x, ASYNC_ALWAYS);
	return x ? open_exemplar(x, out) : pane_message(out, "searching the operation that spent most time here");
}

void profile_take_exemplar(struct profile_exemplar *p, const struct pane_env *env, struct ask *out)
{
	struct exemplar_search *x = async_finish(&p->finding);
	(void)env;
	if (x)
		open_exemplar(x, out);
}
