/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What stands out in the window: the facts below the rows, their marks in the line "anomaly", and where Tab leads.
 * They are of the range that is shown, so each zoom and each step to the side asks for others. Counting them looks at
 * the sheets at the ends of the window, which takes milliseconds in a long trace: it is a job, one at a time, and
 * no facts are shown until it has ended. The facts of the whole trace are kept, because the user often returns to it.
 *
 * Tab steps through the facts of the window in which it was first pressed. It moves the window, which then has other
 * facts; as long as no other key moves the window, the next Tab continues in the same list.
 */
#include "config.h"
#include "timeline/timeline.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/buf.h"

#include <string.h>

enum { WHOLE, PART };

struct facts {
	struct arena mem;
	bool known;
	uint32_t serial;		/* of the snapshot */
	int64_t t0, t1;
	struct standout out[STANDOUT_MAX];
	size_t n;
};

struct counting {
	struct job *job;
	const struct snap *sn;
	trk_id *p;
	uint32_t np;
	struct facts facts;
};

struct tl_facts {
	struct facts of[2];		/* of the whole trace; of the window, where that is less */
	struct counting *counting;	/* or NULL */
	struct facts tour;		/* what Tab goes through */
	size_t at;			/* the next of them */
	int64_t tour0, tour1;		/* the window that Tab made */
};

static bool is_of(const struct facts *f, const struct timeline *tl, const struct snap *sn)
{
	return f->serial == sn->serial && f->t0 == tl->t0 && f->t1 == tl->t1;
}

static struct facts *kept(const struct timeline *tl)
{
	return &tl->facts->of[tl->whole ? WHOLE : PART];
}

static void facts_free(struct facts *f)
{
	arena_free(&f->mem);
	*f = (struct facts){0};
}

static void counting_free(struct counting *c)
{
	facts_free(&c->facts);
	mem_free(c->p);
	mem_free(c);
}

static void count(struct counting *c, const struct onlooker *on)
{
	struct standout_ask q = {.t0 = c->facts.t0, .t1 = c->facts.t1, .p = c->p, .np = c->np, .on = on};
	c->facts.n = standout(c->sn, &q, &c->facts.mem, c->facts.out);
	c->facts.known = goes_on(on);
}

static int run(struct job *j, void *arg)
{
	struct onlooker on = job_onlooker(j);
	count(arg, &on);
	return 0;
}

/* Take over the result, if it still belongs to the window. */
static void take(struct timeline *tl, struct counting *c, const struct snap *sn)
{
	if (c->facts.known && is_of(&c->facts, tl, sn)) {
		facts_free(kept(tl));
		*kept(tl) = c->facts;
		c->facts = (struct facts){0};
	}
	counting_free(c);
}

static struct counting *begin(const struct timeline *tl, const struct snap *sn)
{
	struct counting *c = xcalloc(1, sizeof *c);
	c->sn = sn;
	c->np = tl->tr->n[TK_P];
	c->p = mem_copy(tl->tr->trk[TK_P], c->np * sizeof *c->p);
	c->facts = (struct facts){.serial = sn->serial, .t0 = tl->t0, .t1 = tl->t1};
	return c;
}

void tl_facts_want(struct timeline *tl, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	if (!tl->facts)
		tl->facts = xcalloc(1, sizeof *tl->facts);
	struct tl_facts *f = tl->facts;
	if (!sn->complete || !tl->ix || !tl->ix->whole || tl->t1 <= tl->t0 || sn->t1 <= sn->t0)
		return;
	if (f->counting && !is_of(&f->counting->facts, tl, sn))
		job_cancel(f->counting->job);
	if (f->counting || (kept(tl)->known && is_of(kept(tl), tl, sn)))
		return;
	struct counting *c = begin(tl, sn);
	c->job = tl_is_small(sn) ? NULL : job_start(run, c);
	if (c->job) {
		f->counting = c;
		return;
	}
	count(c, NULL);
	take(tl, c, sn);
}

struct job *tl_facts_job(const struct timeline *tl)
{
	return tl->facts && tl->facts->counting ? tl->facts->counting->job : NULL;
}

void tl_facts_done(struct timeline *tl, const struct pane_env *env)
{
	struct counting *c = tl->facts->counting;
	tl->facts->counting = NULL;
	job_join(c->job);
	take(tl, c, session_snap(env->s));
	tl_facts_want(tl, env);
}

void tl_facts_free(struct timeline *tl)
{
	struct tl_facts *f = tl->facts;
	if (!f)
		return;
	if (f->counting) {
		job_cancel(f->counting->job);
		job_join(f->counting->job);
		counting_free(f->counting);
	}
	facts_free(&f->of[WHOLE]);
	facts_free(&f->of[PART]);
	facts_free(&f->tour);
	mem_free(f);
	tl->facts = NULL;
}

const struct standout *tl_facts(const struct timeline *tl, const struct snap *sn, size_t *n)
{
	const struct facts *f = tl->facts ? kept(tl) : NULL;
	bool there = f && f->known && is_of(f, tl, sn);
	*n = there ? f->n : 0;
	return there ? f->out : NULL;
}

size_t tl_facts_lines(const struct timeline *tl)
{
	enum { USUAL = 5 };
	const struct facts *whole = tl->facts ? &tl->facts->of[WHOLE] : NULL;
	return whole && whole->known ? whole->n : USUAL;
}

/* The facts of the window become what Tab goes through. false: they are not there. */
static bool begin_tour(struct timeline *tl, const struct snap *sn)
{
	struct tl_facts *f = tl->facts;
	size_t n;
	const struct standout *out = tl_facts(tl, sn, &n);
	if (!out)
		return false;
	arena_reset(&f->tour.mem);
	f->tour.n = n;
	f->at = 0;
	for (size_t i = 0; i < n; i++) {
		f->tour.out[i] = out[i];
		f->tour.out[i].text = arena_strndup(&f->tour.mem, out[i].text, strlen(out[i].text));
	}
	return true;
}

enum verdict tl_facts_tour(struct timeline *tl, const struct pane_env *env, int dir, struct ask *out)
{
	const struct snap *sn = session_snap(env->s);
	struct tl_facts *f = tl->facts;
	bool on = f->tour.n && tl->t0 == f->tour0 && tl->t1 == f->tour1;
	if (!on && !begin_tour(tl, sn))
		return tl_facts_job(tl) ? ask_say(out, "what stands out here is being counted") : V_PASS;
	for (size_t k = 0; k < f->tour.n; k++) {
		const struct standout *o = &f->tour.out[f->at];
		f->at = (f->at + (dir > 0 ? 1 : f->tour.n - 1)) % f->tour.n;
		if (o->t1 <= o->t0)
			continue;
		if (o->trk)
			tl_show_track(tl, env, o->trk);
		tl->at = o->t0 + (o->t1 - o->t0) / 2;
		tl_window(tl, env, o->t0 - (o->t1 - o->t0) / 2, o->t1 + (o->t1 - o->t0) / 2);
		f->tour0 = tl->t0;
		f->tour1 = tl->t1;
		return ask_say(out, "%s", o->text);
	}
	return V_PASS;
}

void tl_draw_facts(const struct timeline *tl, const struct pane_env *env, struct grid *g, const struct tl_layout *l)
{
	size_t n;
	const struct standout *out = tl_facts(tl, session_snap(env->s), &n);
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
