/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Flames of a large tree, laid out beside the keyboard.
 *
 * What is folded, turned round or looked at from one thing is a tree of its own, and what is seen of any at first are
 * thousands of nodes that lie anywhere. The worker reads calls which nobody changes
 * any more, and writes into flames that are nobody else's yet. Who waits for it goes on with the
 * flames there were.
 */
#include "config.h"
#include "profile/flame_job.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "calltree/tree.h"
#include "session/session.h"

#include <string.h>

enum { LARGE = 30000 };		/* nodes: some milliseconds */

struct flamework {
	struct calls *c;
	struct flame_conf conf;
	struct flame *f[PARTS];
	struct job *job;
};

bool flame_is_work(const struct calls *c)
{
	return !c->none && (c->shape->n > LARGE || job_wanted() > 1);
}

/* What any screen shows of all of it has its places when it is to be drawn. */
static void nothing(void *arg, const struct flame_span *s)
{
	(void)arg;
	(void)s;
}

static struct flame *seen(const struct calls *c, const struct flame_conf *conf)
{
	struct flame *f = flame_new(c, conf);
	if (f)
		flame_each(f, &(struct flame_look){.cols = 512, .rows = 128}, nothing, NULL);
	return f;
}

static int work(struct job *j, void *arg)
{
	struct flamework *w = arg;
	struct flame_conf conf = w->conf;
	conf.up = false;
	conf.on = job_onlooker(j);
	w->f[DOWN] = seen(w->c, &conf);
	conf.up = true;
	if (conf.pivot && !job_cancelled(j))
		w->f[UP] = seen(w->c, &conf);
	return 0;
}

struct flamework *flamework_start(struct calls *c, const struct flame_conf *conf)
{
	struct flamework *w = xcalloc(1, sizeof *w);
	w->c = calls_ref(c);
	w->conf = *conf;
	w->job = job_start(work, w);
	if (w->job)
		return w;
	calls_free(w->c);
	mem_free(w);
	return NULL;
}

struct job *flamework_job(const struct flamework *w)
{
	return w ? w->job : NULL;
}

bool flamework_same(const struct flame_conf *a, const struct flame_conf *b)
{
	return a->order == b->order && a->reverse == b->reverse && a->fold_recursion == b->fold_recursion &&
	       a->fold_runtime == b->fold_runtime && a->pivot == b->pivot && a->more == b->more;
}

bool flamework_take(struct flamework *w, struct session *s, const struct calls *c, const struct flame_conf *conf,
    struct flame *out[PARTS])
{
	job_join(w->job);
	bool fits = w->c == c && flamework_same(&w->conf, conf);
	for (int k = 0; k < PARTS && fits; k++) {
		out[k] = w->f[k];
		w->f[k] = NULL;
	}
	session_let_go(s, w->c, w->f);
	mem_free(w);
	return fits;
}

void flamework_drop(struct flamework *w)
{
	if (!w)
		return;
	if (w->job) {
		job_cancel(w->job);
		job_join(w->job);
	}
	for (int k = 0; k < PARTS; k++)
		flame_free(w->f[k]);
	calls_free(w->c);
	mem_free(w);
}
