/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The notable facts of the window: the lines below the rows, the marks in the line "anomaly", and
 * the targets of Tab. They depend on the window, so each zoom and move requires new ones. Counting
 * them reads the sheets at the ends of the window, which takes milliseconds in a long trace: a job
 * does it, one at a time, and no facts are shown until it has ended. The facts of the whole trace
 * are kept, because the user often returns to it.
 *
 * Tab steps through the worst findings and the facts of the window in which it was first pressed. It moves the window,
 * which then has other facts; as long as no other key moves the window, the next Tab continues in
 * the same list.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "findings/findings.h"

#include <string.h>

enum { WHOLE, PART };
enum { FINDINGS = 3, FACTS_MAX = FINDINGS + TRACE_HIGHLIGHTS_MAX };

struct facts {
	struct arena mem;
	bool known;
	uint32_t serial;		/* serial of the snapshot */
	int64_t t0, t1;
	struct trace_highlights out[FACTS_MAX];
	size_t n;
};

struct facts_count {
	const struct snap *sn;
	trk_id *p;
	uint32_t np;
	struct facts facts;
};

struct timeline_facts {
	struct facts of[2];		/* of the whole trace; of the window, if that is smaller */
	struct async count;		/* of the window */
	struct facts tour;		/* the facts that Tab visits */
	size_t at;			/* index of the next one */
	int64_t tour0, tour1;		/* the window that Tab has set */
};

static bool is_of(const struct facts *f, const struct timeline *tl, const struct snap *sn)
{
	return f->serial == sn->serial && f->t0 == tl->t0 && f->t1 == tl->t1;
}

static struct facts *facts_of_window(const struct timeline *tl)
{
	return &tl->facts->of[tl->whole ? WHOLE : PART];
}

static void facts_free(struct facts *f)
{
	arena_free(&f->mem);
	*f = (struct facts){0};
}

static void free_count(void *work)
{
	struct facts_count *c = work;
	facts_free(&c->facts);
	mem_free(c->p);
	mem_free(c);
}

static void run_count(void *work, struct job *j)
{
	struct facts_count *c = work;
	struct progress_watcher on = job_progress_watcher(j);
	struct trace_highlights_query q = {.t0 = c->facts.t0, .t1 = c->facts.t1, .p = c->p, .np = c->np, .on = &on};
	c->facts.n = trace_highlights(c->sn, &q, &c->facts.mem, c->facts.out);
	c->facts.known = job_should_continue(&on);
}

static const struct async_kind count_kind = {run_count, free_count};

/* Take the result, unless it is NULL or of another window. */
static void take_facts(struct timeline *tl, struct facts_count *c, const struct snap *sn)
{
	if (!c)
		return;
	if (c->facts.known && is_of(&c->facts, tl, sn)) {
		facts_free(facts_of_window(tl));
		*facts_of_window(tl) = c->facts;
		c->facts = (struct facts){0};
	}
	free_count(c);
}

static struct facts_count *new_count(const struct timeline *tl, const struct snap *sn)
{
	struct facts_count *c = xcalloc(1, sizeof *c);
	c->sn = sn;
	c->np = tl->tr->n[TK_P];
	c->p = mem_copy(tl->tr->trk[TK_P], c->np * sizeof *c->p);
	c->facts = (struct facts){.serial = sn->serial, .t0 = tl->t0, .t1 = tl->t1};
	return c;
}

void timeline_update_facts(struct timeline *tl, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	if (!tl->facts)
		tl->facts = xcalloc(1, sizeof *tl->facts);
	struct timeline_facts *f = tl->facts;
	if (!sn->complete || !tl->ix || !tl->ix->whole || tl->t1 <= tl->t0 || sn->t1 <= sn->t0)
		return;
	const struct facts_count *c = async_wanted(&f->count);
	if (facts_of_window(tl)->known && is_of(facts_of_window(tl), tl, sn))
		async_cancel(&f->count);
	else if (!c || !is_of(&c->facts, tl, sn))
		take_facts(tl, async_start(&f->count, &count_kind, new_count(tl, sn), timeline_snap_cost(sn)), sn);
}

struct async *timeline_facts_slot(const struct timeline *tl)
{
	return tl->facts ? &tl->facts->count : NULL;
}

void timeline_facts_finish(void *st, const struct pane_env *env, struct ask *out)
{
	struct timeline *tl = st;
	(void)out;
	take_facts(tl, async_finish(&tl->facts->count), session_snap(env->s));
	timeline_update_facts(tl, env);
}

void timeline_facts_free(struct timeline *tl)
{
	struct timeline_facts *f = tl->facts;
	if (!f)
		return;
	async_stop(&f->count);
	facts_free(&f->of[WHOLE]);
	facts_free(&f->of[PART]);
	facts_free(&f->tour);
	mem_free(f);
	tl->facts = NULL;
}

const struct trace_highlights *timeline_facts(const struct timeline *tl, const struct snap *sn, size_t *n)
{
	const struct facts *f = tl->facts ? facts_of_window(tl) : NULL;
	bool there = f && f->known && is_of(f, tl, sn);
	*n = there ? f->n : 0;
	return there ? f->out : NULL;
}

size_t timeline_facts_lines(const struct timeline *tl)
{
	enum { USUAL = 5 };
	const struct facts *whole = tl->facts ? &tl->facts->of[WHOLE] : NULL;
	return whole && whole->known ? whole->n : USUAL;
}

static void add_to_tour(struct facts *tour, int64_t t0, int64_t t1, trk_id trk, const char *text)
{
	tour->out[tour->n++] = (struct trace_highlights){t0, t1, trk, arena_strndup(&tour->mem, text, strlen(text))};
}

/* Copy the findings, of the whole trace, and the facts of the window for Tab. false: they are not known. */
static bool begin_tour(struct timeline *tl, const struct snap *sn)
{
	struct timeline_facts *f = tl->facts;
	size_t n;
	const struct trace_highlights *out = timeline_facts(tl, sn, &n);
	if (!out)
		return false;
	const struct findings *all = tl->whole ? timeline_verdict_findings(tl) : NULL;
	arena_reset(&f->tour.mem);
	f->tour.n = 0;
	f->at = 0;
	for (uint32_t i = 0; all && i < all->n && i < FINDINGS; i++)
		add_to_tour(&f->tour, all->v[i].t0, all->v[i].t1, all->v[i].trk, all->v[i].text);
	for (size_t i = 0; i < n; i++)
		add_to_tour(&f->tour, out[i].t0, out[i].t1, out[i].trk, out[i].text);
	return true;
}

enum verdict timeline_tour_facts(struct timeline *tl, const struct pane_env *env, int dir, struct ask *out)
{
	const struct snap *sn = session_snap(env->s);
	struct timeline_facts *f = tl->facts;
	bool on = f->tour.n && tl->t0 == f->tour0 && tl->t1 == f->tour1;
	if (!on && !begin_tour(tl, sn))
		return async_job(&f->count) ? pane_message(out, "what stands out here is being counted") : V_PASS;
	for (size_t k = 0; k < f->tour.n; k++) {
		const struct trace_highlights *o = &f->tour.out[f->at];
		f->at = (f->at + (dir > 0 ? 1 : f->tour.n - 1)) % f->tour.n;
		if (o->t1 <= o->t0)
			continue;
		if (o->trk)
			timeline_show_track(tl, env, o->trk);
		tl->at = o->t0 + (o->t1 - o->t0) / 2;
		timeline_set_window(tl, env, o->t0 - (o->t1 - o->t0) / 2, o->t1 + (o->t1 - o->t0) / 2);
		f->tour0 = tl->t0;
		f->tour1 = tl->t1;
		return pane_message(out, "%s", o->text);
	}
	return V_PASS;
}

void timeline_draw_facts(
    const struct timeline *tl, const struct pane_env *env, struct grid *g, const struct timeline_layout *l)
{
	size_t n;
	const struct trace_highlights *out = timeline_facts(tl, session_snap(env->s), &n);
	if (!out)
		grid_text(g, l->story, 4, ST_DIM, 0, "What stands out in this range is being counted.");
	for (size_t i = 0; i < n && (int)i < l->nstory; i++) {
		bool place = out[i].t1 > out[i].t0;
		struct buf b = {0};
		grid_text(g, l->story + (int)i, 0, place ? ST_ACCENT : ST_DIM, 0, place ? "Tab " : "    ");
		buf_puts(&b, out[i].text);
		grid_line(g, l->story + (int)i, 4, ST_NORMAL, 0, &b);
		buf_free(&b);
	}
}
