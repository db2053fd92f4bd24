/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The layout of flame graphs of large trees in the background.
 *
 * A graph that is folded, reversed or has a pivot needs a tree of its own, and the first view of
 * any accesses thousands of nodes in random order. The worker reads a tree that does not change any
 * more, and writes flames that only it can access. Meanwhile the pane shows the old flames.
 */
#include "config.h"
#include "profile/flame_job.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "calltree/tree.h"
#include "session/session.h"

#include <string.h>

struct flame_work {
	struct weighted_tree *c;
	struct flame_conf conf;
	struct flame *f[PARTS];
};

/* Used to lay out the first view, so that drawing finds its places ready. */
static void ignore_span(void *arg, const struct flame_span *s)
{
	(void)arg;
	(void)s;
}

static struct flame *layout_flame(const struct weighted_tree *c, const struct flame_conf *conf)
{
	struct flame *f = flame_new(c, conf);
	if (f && conf->on.go)
		flame_each(f, &(struct flame_viewport){.cols = 512, .rows = 128}, ignore_span, NULL);
	return f;
}

static void run_layout(void *work, struct job *j)
{
	struct flame_work *w = work;
	struct flame_conf conf = w->conf;
	conf.up = false;
	conf.on = job_progress_watcher(j);
	w->f[DOWN] = layout_flame(w->c, &conf);
	conf.up = true;
	if (conf.pivot && job_should_continue(&conf.on))
		w->f[UP] = layout_flame(w->c, &conf);
}

static void free_layout(void *work)
{
	struct flame_work *w = work;
	for (int k = 0; k < PARTS; k++)
		flame_free(w->f[k]);
	weighted_free(w->c);
	mem_free(w);
}

static const struct async_kind layout_kind = {run_layout, free_layout};

static void move_flames(struct flame_work *w, struct flame *out[PARTS])
{
	for (int k = 0; k < PARTS; k++) {
		out[k] = w->f[k];
		w->f[k] = NULL;
	}
}

bool flame_job_start(struct async *a, struct weighted_tree *c, const struct flame_conf *conf, struct flame *out[PARTS])
{
	struct flame_work *w = xcalloc(1, sizeof *w);
	w->c = weighted_ref(c);
	w->conf = *conf;
	w = async_start(a, &layout_kind, w, c->none ? 0 : c->calltree->n + 1u);
	if (!w)
		return false;
	move_flames(w, out);
	free_layout(w);
	return true;
}

bool flame_job_same_conf(const struct flame_conf *a, const struct flame_conf *b)
{
	return a->order == b->order && a->reverse == b->reverse && a->fold_equal == b->fold_equal &&
	    a->fold_recursion == b->fold_recursion && a->fold_runtime == b->fold_runtime &&
	    a->pivot == b->pivot && a->more == b->more;
}

bool flame_job_finish(struct async *a, struct session *s, const struct weighted_tree *c,
    const struct flame_conf *conf, struct flame *out[PARTS])
{
	struct flame_work *w = async_finish(a);
	if (!w)
		return false;
	bool fits = w->c == c && flame_job_same_conf(&w->conf, conf);
	if (fits)
		move_flames(w, out);
	session_free_calls_async(s, w->c, w->f);
	mem_free(w);
	return fits;
}
