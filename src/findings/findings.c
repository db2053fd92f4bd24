/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Runs the rules. All measures that several rules use are computed once, by one pass over the trace (measures/scan.c); rules
 * read sums, and look up single moments for few samples. A rule adds findings and says how far the values that it
 * measured are above their thresholds: problem and notice are decided here, for all rules alike.
 */
#include "config.h"
#include "findings/configured.h"
#include "findings/internal.h"
#include "findings/measures/paths.h"

#include "base/mem/mem.h"
#include "critical/trigger.h"
#include "trace/run_stacks.h"
#include "trace/stats/stop_phases.h"
#include "trace/user_code.h"

#include <stdlib.h>
#include <string.h>

static const struct { void (*judge)(struct findings_run *); unsigned needs; } judges[FINDING_RULE__N] = {
#define RULE(id, name, title, judge, needs, fires, cause, action, example) {judge, needs},
#define THRESHOLD(rule, id, name, value, unit, text)
#include "findings/rules.def"
#undef RULE
#undef THRESHOLD
};

double finding_fit(double value, double limit)
{
	return limit > 0 ? value / limit : 2;
}

double finding_score(double part, double all)
{
	double score = all > 0 ? 100 * part / all : 0;
	return score > 100 ? 100 : score > 0 ? score : 0;
}

void finding_add(struct findings_run *r, double fit, struct finding *f)
{
	if (fit >= 0.5) {
		f->rule = r->rule;
		f->order = r->n;
		f->level = fit >= 1 && f->score >= FINDING_LOW ? FINDING_PROBLEM : FINDING_NOTICE;
		if (f->show_t1 <= f->show_t0) {
			f->show_t0 = f->t0;
			f->show_t1 = f->t1;
		}
		f->text = arena_strndup(r->mem, r->text.n ? r->text.p : "", r->text.n);
		r->v = mem_grow(r->v, &r->cap, r->n + 1u, sizeof *r->v);
		r->v[r->n++] = *f;
	}
	buf_reset(&r->text);
}

void finding_unanswered(struct findings_run *r, const char *why)
{
	r->unanswered = mem_grow(r->unanswered, &r->cunanswered, r->nunanswered + 1u, sizeof *r->unanswered);
	r->unanswered[r->nunanswered++] = (struct finding_unanswered){r->rule, judges[r->rule].needs & SUPPLEMENT, why};
}

bool findings_lack_answers(const struct findings *all)
{
	for (uint32_t i = 0; i < all->nunanswered; i++)
		if (!all->unanswered[i].supplement)
			return true;
	return false;
}

const struct lock_sets *findings_locks(struct findings_run *r)
{
	if (!r->locks) {
		r->locks = arena_zalloc(&r->scratch, sizeof *r->locks);
		lock_sets_make(r->locks, &r->scan);
	}
	return r->locks;
}

const struct stuck *findings_stuck(struct findings_run *r)
{
	if (!r->stuck)
		r->stuck = stuck_find(r, &(struct stuck_limits){LIMIT(r, STUCK_LOCK, OPEN), LIMIT(r, STUCK_LOCK, RATIO),
		    LIMIT(r, LEAK, GOROUTINES)});
	return r->stuck;
}

bool findings_serves(struct findings_run *r, trk_id g)
{
	if (!r->serves) {
		r->serves = arena_zalloc(&r->scratch, r->sn->ntrks / 8 + 1u);
		for (uint32_t k = 0; k < r->ops->nkinds; k++) {
			bool serves = paths_is_served(&r->ops->kind[k]);
			for (uint32_t i = 0; serves && i < r->ops->kind[k].n; i++) {
				struct operation o = operations_of_kind(r->ops, k, i);
				r->serves[o.g >> 3] |= (uint8_t)(1u << (o.g & 7));
				r->serves[o.starter >> 3] |= (uint8_t)(1u << (o.starter & 7));
			}
		}
	}
	return g < r->sn->ntrks && r->serves[g >> 3] >> (g & 7) & 1;
}

double findings_relevance(struct findings_run *r, trk_id g, int64_t ns, double limit)
{
	return findings_serves(r, g) ? 2 : finding_fit((double)ns / (double)r->wall, limit);
}

frm_id findings_site(const struct findings_run *r, stk_id stack)
{
	stk_id at = user_code_site(r->st, stack);
	return at ? stk_frame(r->st, at) : 0;
}

bool findings_is_user_frame(const struct findings_run *r, frm_id f)
{
	const struct str_row *name = store_str(r->st, store_fun(r->st, store_frm(r->st, f)->fun)->name);
	return user_code_is_user_function(name->s, name->n);
}

bool findings_is_interruption(const struct findings_run *r, stk_id stack)
{
	stk_id own = run_stacks_interrupted(r->st, 0, stack);
	return own && user_code_first_frame(r->st, own) == own;
}

frm_id findings_site_of_run(const struct findings_run *r, trk_id g, stk_id stack)
{
	return findings_site(r, run_stacks_interrupted(r->st, g, stack));
}

static int worst_first(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	if (x->level != y->level)
		return x->level > y->level ? -1 : 1;
	if (x->last != y->last)
		return x->last ? 1 : -1;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Are functions only known as numbers of stacks, or as addresses? */
static bool has_no_names(const struct snap *sn)
{
	enum { LOOKS = 256 };
	uint32_t n = 0, unnamed = 0;
	for (fun_id f = 1; f < sn->nfuns && f < LOOKS; f++) {
		const struct str_row *name = store_str(sn->st, store_fun(sn->st, f)->name);
		n += name->n > 0;
		unnamed += name->n > 2 && (!memcmp(name->s, "(st", 3) || !memcmp(name->s, "0x", 2));
	}
	return 2 * unnamed > n;
}

const char *findings_no_functions(const struct snap *sn)
{
	if (sn->nstks <= 1)
		return "the trace has no stacks";
	return has_no_names(sn) ? "the trace has no names of functions" : NULL;
}

/* Return why no rule of these needs can be judged; NULL: it can. */
static const char *missing(const struct findings_run *r, unsigned needs)
{
	if (r->sn->trace.log)
		return "a log of gctrace or schedtrace has no states of goroutines";
	return needs & NEEDS_STACKS && !r->profile ? findings_no_functions(r->sn) : NULL;
}

static bool is_judged(const struct findings_run *r, int rule)
{
	unsigned needs = judges[rule].needs;
	return (needs & OF_BOTH || !(needs & OF_PROFILE) == !r->profile) && (!r->q->rules || r->q->rules >> rule & 1);
}

/* Judge the rules that need paths, or the others. */
static void judge_rules(struct findings_run *r, bool of_paths)
{
	for (int i = 0; i < FINDING_RULE__N && findings_continue(r); i++) {
		if (!is_judged(r, i) || of_paths != ((judges[i].needs & NEEDS_PATHS) != 0))
			continue;
		const char *why = missing(r, judges[i].needs);
		r->rule = (enum finding_rule)i;
		if (why)
			finding_unanswered(r, why);
		else
			judges[i].judge(r);
		buf_reset(&r->text);
	}
}

static bool continues(void *on, uint64_t done, uint64_t total)
{
	(void)done;
	(void)total;
	return job_should_continue(on);
}

struct progress_watcher findings_quiet(const struct findings_run *r)
{
	return (struct progress_watcher){continues, (void *)(uintptr_t)&r->q->on};
}

/* List the Ps, make the groups of goroutines and find bursts: rules without paths need these. Return false if stopped. */
static bool measure_rest(struct findings_run *r)
{
	struct progress_watcher quiet = findings_quiet(r);
	r->proc = stop_phases_procs(r->sn, &r->scratch, &r->nproc);
	groups_make(&r->groups, &r->scan, &r->scratch);
	return moments_find(&r->moments, r->sn, r->scan.t0, r->scan.t1, &quiet);
}

static void judge_part(void *run, uint32_t i)
{
	struct findings_run *r = run;
	if (i) {
		findings_walk_kind(r, i - 1);
		return;
	}
	r->noted = r->profile || measure_rest(r);
	if (r->noted)
		judge_rules(r, false);
}

/* The paths of kinds are independent of each other and of the other rules, so threads share them. */
static void judge_all(struct findings_run *r)
{
	bool paths = false;
	for (int i = 0; i < FINDING_RULE__N; i++)
		paths = paths || (is_judged(r, i) && judges[i].needs & NEEDS_PATHS && !missing(r, judges[i].needs));
	if (paths)
		findings_choose_kinds(r);
	job_parallel(1 + r->npaths, judge_part, r);
	if (r->noted)
		judge_rules(r, true);
}

/* A score is a share of the time of what is affected: half of 1 s of sign-ups is less than a third of 20 s of requests.
   Findings of the whole trace count as those that affect most. */
static void set_costs(struct findings_run *r)
{
	int64_t most = 0;
	for (uint32_t i = 0; i < r->n; i++)
		most = r->v[i].affected_ns > most ? r->v[i].affected_ns : most;
	for (uint32_t i = 0; i < r->n; i++) {
		int64_t ns = r->v[i].affected_ns;
		r->v[i].cost = r->v[i].score * (ns > 0 ? (double)ns / (double)most : 1) *
		    (r->v[i].urgency > 0 ? r->v[i].urgency : 1);
	}
}

/* Do both blame the same line first? */
static bool same_culprit(const struct store *st, const struct finding *a, const struct finding *b)
{
	if (!a->nculprit || !b->nculprit)
		return false;
	const struct frm_row *x = store_frm(st, a->culprit[0].frame), *y = store_frm(st, b->culprit[0].frame);
	return x->fun == y->fun && x->line == y->line;
}

/* Two findings that blame one line have one cause. The lesser one says so, and is a notice. */
static void join_causes(struct findings_run *r)
{
	for (uint32_t i = 1; i < r->n; i++) {
		struct finding *f = &r->v[i];
		uint32_t k = 0;
		while (k < i && (r->v[k].level != FINDING_PROBLEM || r->v[k].rule == f->rule ||
		    !same_culprit(r->st, f, &r->v[k])))
			k++;
		if (k == i)
			continue;
		f->text = arena_printf(r->mem, "%s; %s blames the same line", f->text, finding_rules[r->v[k].rule].id);
		f->level = FINDING_NOTICE;
	}
	if (r->n)
		qsort(r->v, r->n, sizeof *r->v, worst_first);
}

static struct findings *take_results(struct findings_run *r)
{
	struct findings *out = arena_zalloc(r->mem, sizeof *out);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < r->n; i++)
		if (!findings_is_configured_known(r->st, &r->v[i]))
			r->v[kept++] = r->v[i];
	r->n = kept;
	set_costs(r);
	if (r->n)
		qsort(r->v, r->n, sizeof *r->v, worst_first);
	r->n = r->n < FINDINGS_MOST ? r->n : FINDINGS_MOST;
	join_causes(r);
	out->v = arena_alloc(r->mem, (r->n + 1u) * sizeof *out->v);
	out->unanswered = arena_alloc(r->mem, (r->nunanswered + 1u) * sizeof *out->unanswered);
	if (r->n)
		memcpy(out->v, r->v, r->n * sizeof *out->v);
	if (r->nunanswered)
		memcpy(out->unanswered, r->unanswered, r->nunanswered * sizeof *out->unanswered);
	out->n = r->n;
	out->nunanswered = r->nunanswered;
	return out;
}

static void run_free(struct findings_run *r)
{
	for (uint32_t i = 0; i < r->npaths; i++)
		paths_free(&r->paths[i]);
	if (r->locks)
		lock_sets_free(r->locks);
	if (r->stuck)
		stuck_free(r->stuck);
	scan_free(&r->scan);
	moments_free(&r->moments);
	mem_free(r->groups.v);
	mem_free(r->v);
	mem_free(r->unanswered);
	mem_free(r->frozen);
	buf_free(&r->text);
	arena_free(&r->walked);
	arena_free(&r->scratch);
}

/* Scan the trace, or make the walker of critical paths, on any thread. If operations are searched at the same time, that
   search reports the progress. */
enum { MEASURE_SCAN, MEASURE_WALKER, MEASURES };
static void measure_part(void *run, const struct operations *idle, uint32_t i)
{
	struct findings_run *r = run;
	struct progress_watcher quiet = findings_quiet(r);
	if (i == MEASURE_SCAN)
		r->scanned = scan_run(&r->scan, r->sn, r->q->filter, idle, r->q->operations ? &r->q->on : &quiet);
	else if (!r->walker)
		r->walker = critical_walker_new(r->sn, idle, &r->walked, &quiet);
}

static void measure_known(void *run, uint32_t i)
{
	measure_part(run, ((struct findings_run *)run)->ops, i);
}

/* Find the operations, if they are not there yet, and scan the trace. Return false if stopped. */
static bool measure(struct findings_run *r)
{
	const struct findings_query *q = r->q;
	r->ops = q->operations;
	if (!r->ops)
		r->ops = operations_find_beside(r->sn, q->filter,
		    &(struct operations_beside){measure_part, MEASURES, r}, &r->scratch, &q->on);
	else
		job_parallel(MEASURES, measure_known, r);
	mem_trim();	/* the search has freed large parts that lie between blocks in use, so the heap does not shrink */
	return r->ops && r->scanned && r->walker;
}

static const char *trigger_text(const struct findings_run *r)
{
	const struct trace_filter *f = r->q->filter;
	struct critical_trigger t;
	struct buf b = {0};
	if ((f && (f->from != TIME_NONE || f->to != TIME_NONE || f->g || f->slice)) ||
	    !critical_find_trigger(r->sn, r->ops, &t))
		return NULL;
	critical_put_trigger(&b, r->sn, r->ops, &t);
	const char *text = arena_strndup(r->mem, buf_str(&b), b.n);
	buf_free(&b);
	return text;
}

struct findings *findings_find(const struct snap *sn, const struct findings_query *q, struct arena *mem)
{
	struct findings_run r = {.q = q, .sn = sn, .st = sn->st, .mem = mem};
	struct findings *out = NULL;
	r.threshold = q->threshold ? q->threshold : findings_configured_thresholds();
	r.walker = q->walker;
	if (measure(&r)) {
		r.wall = r.scan.t1 > r.scan.t0 ? r.scan.t1 - r.scan.t0 : 1;
		judge_all(&r);
		out = r.noted && job_should_continue(&q->on) ? take_results(&r) : NULL;
		if (out)
			out->trigger = trigger_text(&r);
	}
	run_free(&r);
	return out;
}

struct findings *findings_of_profile(
    const struct snap *sn, const struct findings_sides *sides, const struct findings_query *q, struct arena *mem)
{
	struct findings_run r = {.q = q, .sn = sn, .st = sn->st, .profile = sides, .mem = mem};
	r.threshold = q->threshold ? q->threshold : findings_configured_thresholds();
	judge_all(&r);
	struct findings *out = job_should_continue(&q->on) ? take_results(&r) : NULL;
	run_free(&r);
	return out;
}
