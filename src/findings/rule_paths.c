/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Rules about where the time of operations goes, by their critical paths: what all operations of a kind wait for, and
 * what the slow ones do that the rest does not. Kinds are judged only if the program spends enough time in them. Loops
 * in the background sleep, and wait for the network, because they have to; rounds of loops are judged if another
 * goroutine gives them their work. Of these, and of lives of goroutines, more slow operations are needed than of tasks
 * and requests, for whose end a user or another program waits.
 */
#include "config.h"
#include "findings/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "findings/measures/paths.h"
#include "store/tracks/wake_edges.h"
#include "trace/bins.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/user_code.h"

#include <math.h>

/* Kinds with less time in flight, as a share of the time range, do not count. */
#define KIND_LEAST 0.05
enum { KIND_OPERATIONS = 8, KINDS = 8, LATE_END_NS = 1000000 };

/* Does another goroutine give the loop its work, piece by piece? A loop that hardly ever has to wait finds more than one
   piece: then its rounds are no units of work. */
static bool is_given(struct findings_run *r, const struct operation_kind *k)
{
	const struct scan_site *most = NULL;
	frm_id at = findings_site(r, k->site);
	for (uint32_t i = 0; i < r->scan.sites.n && i < r->scan.csite; i++) {
		const struct wait_site *site = &r->scan.sites.v[i];
		if (site->idle && site->frame == at && (!most || r->scan.site[i].ns > most->ns))
			most = &r->scan.site[i];
	}
	return most && most->woken > most->ns / 2 && most->ns > k->total / 10;
}

/* Is at least this much time in complete operations of a kind? Only these are judged. */
static bool has_time(const struct operations *o, const struct operation_kind *k, double least)
{
	int64_t ns = 0;
	for (uint32_t i = 0; i < k->n && (double)ns < least; i++) {
		int64_t one = operations_duration(o, (uint32_t)(k - o->kind), i);
		wrap_add_to(&ns, one != TIME_NONE ? one : 0);
	}
	return (double)ns >= least;
}

void findings_choose_kinds(struct findings_run *r)
{
	r->paths = arena_zalloc(&r->scratch, KINDS * sizeof *r->paths);
	for (uint32_t i = 0; i < r->ops->nkinds && r->npaths < KINDS; i++) {
		const struct operation_kind *k = &r->ops->kind[i];
		if (k->source == OPERATION_GOROUTINE || k->ncomplete < KIND_OPERATIONS ||
		    !has_time(r->ops, k, KIND_LEAST * (double)r->wall) ||
		    (k->source == OPERATION_ROUND && !is_given(r, k)))
			continue;
		r->paths[r->npaths++].kind = k;
	}
}

void findings_walk_kind(struct findings_run *r, uint32_t i)
{
	paths_of_kind(&r->paths[i], r->walker, r->ops, r->paths[i].kind, &r->q->on);
}

/* Are there enough slow operations, and not as many as others? */
static bool has_tail(const struct kind_paths *k)
{
	enum { SOME = 8, PART = 5 };
	return k->n[PATH_SLOW] && k->nslow * PART <= k->kind->ncomplete && (paths_is_served(k->kind) || k->nslow >= SOME);
}

static void add_kind_victim(struct findings_run *r, struct finding *f, const struct operation_kind *k, frm_id at)
{
	const char *name = arena_strndup(r->mem, k->name, k->nname);
	f->affected_ns = k->total > f->affected_ns ? k->total : f->affected_ns;
	f->victim[f->nvictim++] = (struct finding_victim){.operation = name, .at = {at}};
}

static void put_kind(struct findings_run *r, const struct operation_kind *k)
{
	text_safe(&r->text, k->name, k->nname);
}

/* Name the functions of a place: the innermost user frames of its stack, then where the operation waits for it. */
static void blame_place(struct findings_run *r, struct finding *f, const struct path_place *p)
{
	finding_culprit_stack(r, f, p->stack);
	finding_culprit(r, f, p->frame);
	if (p->wait)
		finding_culprit(r, f, findings_site(r, p->wait));
}

/* Slow operations are a part of all: the fewer there are, the less a cause of theirs counts. */
static double slow_weight(const struct kind_paths *k)
{
	double w = k->kind->ncomplete ? 10.0 * k->nslow / k->kind->ncomplete : 0;
	return w > 1 ? 1 : w < 0.25 ? 0.25 : w;
}

static const char *place_verb(enum time_class c)
{
	switch (c) {
	case TIME_ON_CPU: return "running";
	case TIME_RUNNABLE: return "waiting for a P";
	case TIME_NETWORK: return "waiting for the network";
	case TIME_SLEEP: return "sleeping";
	case TIME_SYSCALL: return "in system calls";
	case TIME_GC_ASSIST: case TIME_GC_OTHER: return "working for the GC";
	case TIME_STW: return "in a stopped world";
	default: return "waiting";
	}
}

/* Add the kind to a finding of the same rule and line, if there is one: a request of a server often has a task in it,
   and kinds often have one cause. */
static bool join_finding(struct findings_run *r, const struct operation_kind *k, frm_id culprit, frm_id victim)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct finding *f = &r->v[i];
		if (f->rule != r->rule || f->culprit[0].frame != culprit || f->victim[0].at.frame != victim)
			continue;
		if (f->nvictim < FINDING_VICTIMS)
			add_kind_victim(r, f, k, victim);
		return true;
	}
	return false;
}

/* ---- sleep */

static void judge_sleep(struct findings_run *r, struct kind_paths *k)
{
	const struct path_place *most = NULL;
	double share[PATH_SIDES] = {0};
	for (int s = 0; s < PATH_SIDES; s++) {
		for (uint32_t i = 0; i < k->nplaces; i++) {
			const struct path_place *p = &k->v[i];
			if (p->cls != TIME_SLEEP)
				continue;
			share[s] += k->total[s] ? (double)p->ns[s] / (double)k->total[s] : 0;
			if (!most || wrap_add(p->ns[PATH_REST], p->ns[PATH_SLOW]) > wrap_add(most->ns[PATH_REST], most->ns[PATH_SLOW]))
				most = p;
		}
	}
	/* All operations, or the slow ones. Both sides are samples: they count by the number of operations. */
	double weight[PATH_SIDES] = {(k->kind->ncomplete - k->nslow) * paths_mean(k, NULL, PATH_REST),
	    k->nslow * paths_mean(k, NULL, PATH_SLOW)};
	double sum = weight[PATH_REST] + weight[PATH_SLOW], slow = share[PATH_SLOW];
	double all = sum > 0 ? (share[PATH_REST] * weight[PATH_REST] + slow * weight[PATH_SLOW]) / sum : 0;
	double worst = all > slow ? all : slow, fit = finding_fit(worst, LIMIT(r, SLEEP, SHARE));
	if (!most || fit < 0.5 ||
	    join_finding(r, k->kind, most->frame, most->wait ? findings_site(r, most->wait) : most->frame))
		return;
	struct finding f = {.score = 100 * (all >= slow ? all : slow * slow_weight(k)), .t0 = most->t0,
	    .t1 = most->t0 + most->longest, .trk = most->g, .see = "why"};
	blame_place(r, &f, most);
	add_kind_victim(r, &f, k->kind, most->wait ? findings_site(r, most->wait) : most->frame);
	finding_put_place(r, most->frame);
	buf_printf(&r->text, " sleeps %.0f%% of the time of %s", 100 * worst, all >= slow ? "" : "slow ");
	put_kind(r, k->kind);
	buf_puts(&r->text, ", up to ");
	text_ns(&r->text, most->longest);
	finding_number(&f, "share", all);
	finding_number(&f, "slow_share", slow);
	finding_number(&f, "longest_ns", (double)most->longest);
	finding_number(&f, "operations", k->kind->ncomplete);
	finding_add(r, fit, &f);
}

/* Has the goroutine created another one, or given it something, in the run before it began to sleep? To unlock gives
   nothing. */
static bool asks_before(const struct findings_run *r, const struct scan_wait *w)
{
	struct trace_interval run;
	struct wake_edges_walk walk = {0};
	struct edge e;
	if (w->t0 <= r->sn->t0 || !trace_interval_at(r->sn, w->g, w->t0 - 1, &run) || run.state != TS_RUN)
		return false;
	while (wake_edges_next(r->sn, &walk, w->g, run.t0, w->t0, &e))
		if (e.created || trace_interval_state(r->sn, e.to, e.t - 1) != TS_SYNC)
			return true;
	return false;
}

/* Does it poll: in most samples it has just given work to another goroutine? */
static bool polls(const struct findings_run *r, const struct scan_site *x)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < x->nsample; i++)
		n += asks_before(r, &x->sample[i]);
	return 4 * n > 3 * x->nsample;
}

/* Does a goroutine wait in its own function, and not in one that this calls? */
static bool waits_itself(const struct findings_run *r, trk_id g, stk_id user)
{
	fun_id fun = store_frm(r->st, stk_frame(r->st, user))->fun;
	return store_fun(r->st, fun)->name == store_trk_name(r->st, g) || !user_code_first_frame(r->st, stk_parent(r->st, user));
}

/* A loop that belongs to no task or request and sleeps in a function that it calls. It polls if it gives work to another
   goroutine before it sleeps; a loop that does not only waits for its next round. It is reported if another goroutine
   waits for the end of the goroutine of the loop. */
static void judge_polling_loop(struct findings_run *r, uint32_t site)
{
	const struct scan_site *x = &r->scan.site[site];
	const struct scan_wait *w = x->nsample ? &x->sample[x->nsample / 2] : NULL;
	uint32_t group = w ? r->groups.of[w->g] - 1 : UINT32_MAX;
	stk_id first = w ? user_code_first_frame(r->st, w->stack) : 0;
	if (group >= r->groups.n || !r->groups.v[group].joined || findings_serves(r, w->g) || !first ||
	    waits_itself(r, w->g, first) || !polls(r, x))
		return;
	double share = (double)x->ns / (double)r->groups.v[group].life,
	       fit = finding_fit(share, LIMIT(r, SLEEP, SHARE));
	struct finding f = {.score = finding_score(share, 1), .affected_ns = r->groups.v[group].life, .t0 = w->t0,
	    .t1 = w->t1, .trk = w->g, .see = "top -type=block"};
	frm_id at = r->scan.sites.v[site].frame;
	finding_culprit_stack(r, &f, w->stack);
	finding_victims(r, &f, group, at);
	finding_put_place(r, at);
	buf_printf(&r->text, " sleeps %.0f%% of the time of goroutines", f.score);
	finding_put_group(r, group);
	buf_puts(&r->text, ", up to ");
	text_ns(&r->text, x->longest);
	finding_number(&f, "share", share);
	finding_number(&f, "sleeps", (double)x->n);
	finding_number(&f, "longest_ns", (double)x->longest);
	finding_add(r, fit, &f);
}

void rule_sleep(struct findings_run *r)
{
	struct kind_paths *k = r->paths;
	for (uint32_t i = 0; i < r->npaths; i++)
		if (paths_is_served(k[i].kind))
			judge_sleep(r, &k[i]);
	for (uint32_t i = 0; i < r->scan.sites.n && i < r->scan.csite && findings_continue(r); i++)
		if (r->scan.sites.v[i].cls == TIME_SLEEP)
			judge_polling_loop(r, i);
}

/* ---- network, tail, own-cpu: what makes slow operations slow */

/* Of the places where slow operations run: prefer one that was recorded by a preemption or a CPU sample. */
static const struct path_place *running_place(
    const struct findings_run *r, const struct kind_paths *k, const struct path_place *most)
{
	enum { SAMPLED = 5 };
	const struct path_place *best = NULL;
	for (uint32_t i = 0; i < k->nplaces; i++) {
		const struct path_place *p = &k->v[i];
		if (p->own && p->cls == TIME_ON_CPU && (!best || p->ns[PATH_SLOW] > best->ns[PATH_SLOW]) &&
		    findings_is_interruption(r, p->stack))
			best = p;
	}
	return best && best->ns[PATH_SLOW] > most->ns[PATH_SLOW] / SAMPLED ? best : most;
}

/* Return the place that explains most of the difference between a slow operation and one of the rest; *part: its part
   of the difference. */
static const struct path_place *explaining_place(
    const struct findings_run *r, const struct kind_paths *k, double *part)
{
	double difference = paths_mean(k, NULL, PATH_SLOW) - paths_mean(k, NULL, PATH_REST), most = 0;
	const struct path_place *best = NULL;
	for (uint32_t i = 0; i < k->nplaces; i++) {
		const struct path_place *p = &k->v[i];
		double more = paths_mean(k, p, PATH_SLOW) - paths_mean(k, p, PATH_REST);
		if (more > most) {
			most = more;
			best = p;
		}
	}
	*part = difference > 0 ? most / difference : 0;
	return best && best->own && best->cls == TIME_ON_CPU ? running_place(r, k, best) : best;
}

static void put_slow(struct findings_run *r, const struct kind_paths *k)
{
	buf_printf(&r->text, "%u of %u operations ", k->nslow, k->kind->ncomplete);
	put_kind(r, k->kind);
	buf_puts(&r->text, " take ");
	text_ns(&r->text, wrap_clamp(paths_mean(k, NULL, PATH_SLOW)));
	buf_puts(&r->text, " on average instead of ");
	text_ns(&r->text, wrap_clamp(paths_mean(k, NULL, PATH_REST)));
}

/* Append ": waiting for the network at F, called by G, takes 45.5ms of it, 2.38ms otherwise": F is often of a library. Of
   another goroutine: ": they wait at H for another goroutine in G, waiting for the network at F: 45.5ms of it". */
static void put_explanation(struct findings_run *r, const struct path_place *p, double slow, double rest)
{
	stk_id own = p->cls == TIME_NETWORK ? user_code_first_frame(r->st, p->stack) : 0,
	       caller = own ? user_code_first_frame(r->st, stk_parent(r->st, own)) : 0;
	buf_putc(&r->text, ':');
	if (p->wait) {
		buf_puts(&r->text, " they wait at ");
		finding_put_place(r, findings_site(r, p->wait));
		buf_puts(&r->text, " for another goroutine");
		buf_puts(&r->text, caller ? " in " : "");
		if (caller)
			finding_put_place(r, stk_frame(r->st, caller));
		buf_putc(&r->text, ',');
	}
	buf_printf(&r->text, " %s", place_verb(p->cls));
	if (p->cls != TIME_STW) {
		buf_puts(&r->text, " at ");
		finding_put_place(r, p->frame);
	}
	if (!p->wait && finding_put_caller(r, own))
		buf_putc(&r->text, ',');
	buf_puts(&r->text, p->wait ? ": " : " takes ");
	text_ns(&r->text, wrap_clamp(slow));
	buf_puts(&r->text, " of it, ");
	text_ns(&r->text, wrap_clamp(rest));
	buf_puts(&r->text, " otherwise");
}

static void report_slow(struct findings_run *r, const struct kind_paths *k, const struct path_place *p, double part,
    double fit)
{
	if (fit < 0.5 || join_finding(r, k->kind, p->frame, p->wait ? findings_site(r, p->wait) : p->frame))
		return;
	double slow = paths_mean(k, p, PATH_SLOW), rest = paths_mean(k, p, PATH_REST);
	struct finding f = {.score = finding_score(slow - rest, paths_mean(k, NULL, PATH_SLOW)) * slow_weight(k),
	    .t0 = p->t0, .t1 = p->t0 + p->longest, .trk = p->g, .see = "why"};
	blame_place(r, &f, p);
	add_kind_victim(r, &f, k->kind, p->wait ? findings_site(r, p->wait) : p->frame);
	put_slow(r, k);
	put_explanation(r, p, slow, rest);
	finding_number(&f, "slow", k->nslow);
	finding_number(&f, "operations", k->kind->ncomplete);
	finding_number(&f, "slow_mean_ns", paths_mean(k, NULL, PATH_SLOW));
	finding_number(&f, "rest_mean_ns", paths_mean(k, NULL, PATH_REST));
	finding_number(&f, "slow_place_ns", slow);
	finding_number(&f, "rest_place_ns", rest);
	finding_number(&f, "difference_share", part);
	finding_add(r, fit, &f);
}

static bool is_network(const struct path_place *p)
{
	return p->own && p->cls == TIME_NETWORK;
}

/* Return the mean time in which an operation of a side runs itself. */
static double own_cpu_mean(const struct kind_paths *k, enum path_side side)
{
	double ns = 0;
	for (uint32_t i = 0; i < k->nplaces; i++)
		ns += k->v[i].own && k->v[i].cls == TIME_ON_CPU ? paths_mean(k, &k->v[i], side) : 0;
	return ns;
}

static bool is_own_cpu(const struct kind_paths *k)
{
	return k->total[PATH_SLOW] > 0 && 2 * own_cpu_mean(k, PATH_SLOW) >= paths_mean(k, NULL, PATH_SLOW);
}

/* Does an operation make more calls than others? Those that make as many are slow because the calls are. */
static bool makes_more_calls(const struct path_series *s)
{
	return s->n >= 2 * s->rest;
}

/* Is it the place of the calls that the rule SERIAL_CALLS reports? Then rule_network() does not report it again. */
static bool is_series(const struct findings_run *r, const struct kind_paths *k, const struct path_place *p)
{
	return k->series.n >= LIMIT(r, SERIAL_CALLS, CALLS) && makes_more_calls(&k->series) &&
	    &k->v[k->series.place] == p;
}

void rule_network(struct findings_run *r)
{
	struct kind_paths *k = r->paths;
	for (uint32_t i = 0; i < r->npaths; i++) {
		double part;
		const struct path_place *p = k[i].gap && has_tail(&k[i]) ? explaining_place(r, &k[i], &part) : NULL;
		if (!p || !is_network(p) || is_series(r, &k[i], p) || k[i].kind == r->straggling)
			continue;
		double slow = paths_mean(&k[i], p, PATH_SLOW), rest = paths_mean(&k[i], p, PATH_REST);
		double ratio = rest > 0 ? finding_fit(slow / rest, LIMIT(r, NETWORK, RATIO)) : 2,
		       share = finding_fit(slow / paths_mean(&k[i], NULL, PATH_SLOW), LIMIT(r, NETWORK, SHARE)),
		       some = finding_fit(k[i].nslow, LIMIT(r, NETWORK, SLOW));
		report_slow(r, &k[i], p, part, fmin(fmin(ratio, share), some));
	}
}

/* Is it the finding of a lock for which goroutines queue only now and then? */
static bool is_short_queue(const struct findings_run *r, const struct finding *f)
{
	return f->rule == FINDING_LOCK_QUEUE && f->number[0].value < LIMIT(r, LOCK_QUEUE, WAITERS);
}

/* Such a queue is a notice if it is what makes operations slow. */
static void lower_short_queues(struct findings_run *r, const struct path_place *p)
{
	frm_id wait = p->wait ? findings_site(r, p->wait) : 0;
	for (uint32_t i = 0; wait && i < r->n; i++)
		if (is_short_queue(r, &r->v[i]) && r->v[i].nvictim &&
		    store_frm(r->st, r->v[i].victim[0].at.frame)->fun == store_frm(r->st, wait)->fun)
			r->v[i].level = FINDING_NOTICE;
}

/* Is the time at the place what another finding is about: a wait for a P, a stopped world, the GC, the queue for a lock
   or a goroutine? */
static bool is_explained(const struct findings_run *r, const struct path_place *p)
{
	frm_id wait = p->wait ? findings_site(r, p->wait) : p->frame;
	if (p->cls == TIME_RUNNABLE || p->cls == TIME_STW || p->cls == TIME_GC_ASSIST || p->cls == TIME_GC_OTHER)
		return true;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct finding *f = &r->v[i];
		bool queue = f->rule == FINDING_POOL_EXHAUSTED || f->rule == FINDING_SINGLE_SERVER ||
		    (f->rule == FINDING_LOCK_QUEUE && !is_short_queue(r, f));
		if (queue && f->level == FINDING_PROBLEM && f->nvictim && f->victim[0].at.frame && wait &&
		    store_frm(r->st, f->victim[0].at.frame)->fun == store_frm(r->st, wait)->fun)
			return true;
	}
	return false;
}

void rule_tail(struct findings_run *r)
{
	struct kind_paths *k = r->paths;
	for (uint32_t i = 0; i < r->npaths; i++) {
		double part;
		const struct path_place *p = k[i].gap && has_tail(&k[i]) ? explaining_place(r, &k[i], &part) : NULL;
		if (!p || is_network(p) || is_explained(r, p) ||
		    (p->own && p->cls == TIME_ON_CPU && is_own_cpu(&k[i])) ||
		    k[i].kind == r->straggling)
			continue;
		if (part >= LIMIT(r, TAIL, PART))
			lower_short_queues(r, p);
		report_slow(r, &k[i], p, part, finding_fit(part, LIMIT(r, TAIL, PART)));
	}
}

/* Are the slow rounds those of the worker that has more to do? */
static bool is_imbalance(const struct findings_run *r, const struct path_place *p)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->v[i].rule == FINDING_IMBALANCE && r->v[i].level == FINDING_PROBLEM &&
		    store_frm(r->st, r->v[i].culprit[0].frame)->fun == store_frm(r->st, p->frame)->fun)
			return true;
	return false;
}

void rule_own_cpu(struct findings_run *r)
{
	struct kind_paths *k = r->paths;
	for (uint32_t i = 0; i < r->npaths; i++) {
		double part, slow = paths_mean(&k[i], NULL, PATH_SLOW), rest = paths_mean(&k[i], NULL, PATH_REST);
		const struct path_place *p = has_tail(&k[i]) ? explaining_place(r, &k[i], &part) : NULL;
		double cpu = own_cpu_mean(&k[i], PATH_SLOW);
		bool often = paths_is_served(k[i].kind) ||
		    (k[i].kind->source != OPERATION_LIFE && 20 * k[i].nslow >= k[i].kind->ncomplete);
		if (!p || !p->own || p->cls != TIME_ON_CPU || !is_own_cpu(&k[i]) || k[i].kind == r->straggling ||
		    !often ||
		    is_imbalance(r, p))
			continue;
		double share = finding_fit(cpu / slow, LIMIT(r, OWN_CPU, SHARE)),
		       ratio = rest > 0 ? finding_fit(slow / rest, LIMIT(r, OWN_CPU, RATIO)) : 0,
		       some = finding_fit(k[i].nslow, LIMIT(r, OWN_CPU, SLOW)),
		       more = finding_fit(cpu - own_cpu_mean(&k[i], PATH_REST), LIMIT(r, OWN_CPU, MORE));
		report_slow(r, &k[i], p, part, fmin(fmin(share, ratio), fmin(some, more)));
	}
}

/* ---- straggler */

/* The children that an operation created from one line: the last one to end, when, and when the one before it ended.
   at: its number among n, as they were created. */
struct last_child { frm_id line; trk_id g; int64_t before, end, made; uint32_t n, at; };

static void add_child(struct last_child *last, trk_id g, int64_t made, int64_t end)
{
	last->n++;
	if (end > last->end) {
		last->before = last->end;
		last->end = end;
		last->made = made;
		last->g = g;
		last->at = last->n;
	} else if (end > last->before) {
		last->before = end;
	}
}

/* Return the largest fan-out of an operation; n 0: none. */
static struct last_child last_child(const struct findings_run *r, const struct operation *o)
{
	enum { CHILDREN = 4096, LINES = 16 };
	struct last_child of[LINES] = {{0}}, best = {0};
	struct wake_edges_walk walk = {0};
	struct edge e;
	uint32_t n = 0, lines = 0;
	while (n++ < CHILDREN && wake_edges_next(r->sn, &walk, o->g, o->t0, o->t1, &e)) {
		int64_t end = e.created ? store_t1(r->st, store_trk(r->st, e.to)) : TIME_NONE;
		stk_id at = user_code_first_frame(r->st, e.stack);
		uint32_t i = 0;
		if (end == TIME_NONE || end > o->t1 + LATE_END_NS || !at)
			continue;
		while (i < lines && of[i].line != stk_frame(r->st, at))
			i++;
		if (i == LINES)
			continue;
		lines += i == lines;
		of[i].line = stk_frame(r->st, at);
		add_child(&of[i], e.to, e.t, end);
	}
	for (uint32_t i = 0; i < lines; i++)
		if (of[i].n > best.n && of[i].made < of[i].before)
			best = of[i];
	return best;
}

/* What the last children of sampled operations did while all others had ended. */
enum { STRAGGLE_CHILDREN = 64 };
struct straggle {
	int64_t *late;
	uint32_t n, children;
	uint32_t at[STRAGGLE_CHILDREN];	/* at[i]: in how many operations the child that ended last was created as number i */
	struct kind_paths does;
	trk_id g;
	int64_t t0, t1;
};

static void look_at_children(struct findings_run *r, const struct operation_kind *kind, struct straggle *s)
{
	enum { SAMPLES = 48, FEW = 3 };
	struct critical_path path = {0};
	uint32_t step = kind->n / SAMPLES + 1;
	s->late = arena_alloc(&r->scratch, (kind->n / step + 2) * sizeof *s->late);
	for (uint32_t i = 0; i < kind->n && findings_continue(r); i += step) {
		struct operation o = operations_of_kind(r->ops, (uint32_t)(kind - r->ops->kind), i);
		struct last_child last = o.complete ? last_child(r, &o) : (struct last_child){0};
		if (last.n < FEW)
			continue;
		s->late[s->n++] = last.end - last.before;
		s->children = last.n;
		s->at[last.at % STRAGGLE_CHILDREN]++;
		paths_add(&s->does, r->walker, &(struct operation){.g = last.g, .t0 = last.before, .t1 = last.end}, PATH_SLOW,
		    &path);
		if (last.end - last.before > s->t1 - s->t0) {
			s->t0 = last.before;
			s->t1 = last.end;
			s->g = last.g;
		}
	}
	critical_path_free(&path);
}

/* Return the kind of operations that run on goroutines of the group of g; NULL: none. */
static const struct operation_kind *kind_of_group(const struct findings_run *r, trk_id g)
{
	for (uint32_t k = 0; k < r->ops->nkinds; k++)
		for (uint32_t i = 0; i < r->ops->kind[k].n; i++)
			if (r->groups.of[operations_goroutine(r->ops, k, i)] == r->groups.of[g])
				return &r->ops->kind[k];
	return NULL;
}

/* Is it mostly the same child that is late? Of children that take random times one is always the last. */
static bool is_always_same(const struct straggle *s)
{
	uint32_t most = 0;
	for (int i = 0; i < STRAGGLE_CHILDREN; i++)
		most = s->at[i] > most ? s->at[i] : most;
	return 2 * most > s->n;
}

static void judge_straggler(struct findings_run *r, const struct operation_kind *kind)
{
	struct straggle s = {0};
	look_at_children(r, kind, &s);
	if (s.n < KIND_OPERATIONS || kind->p50 <= 0 || !is_always_same(&s)) {
		paths_free(&s.does);
		return;
	}
	stats_sort(s.late, s.n);
	double wait = (double)s.late[s.n / 2], late = wait / (double)kind->p50,
	       fit = fmin(finding_fit(late, LIMIT(r, STRAGGLER, LATE)), finding_fit(wait, LIMIT(r, STRAGGLER, WAIT)));
	const struct path_place *most = NULL;
	for (uint32_t i = 0; i < s.does.nplaces; i++)
		if (!most || s.does.v[i].ns[PATH_SLOW] > most->ns[PATH_SLOW])
			most = &s.does.v[i];
	struct finding f = {.score = finding_score(late, 1), .t0 = s.t0, .t1 = s.t1, .trk = s.g, .see = "why"};
	if (most && fit >= 0.5 && !join_finding(r, kind, most->frame, 0)) {
		blame_place(r, &f, most);
		add_kind_victim(r, &f, kind, 0);
		buf_puts(&r->text, "operations ");
		put_kind(r, kind);
		buf_printf(&r->text, " wait for the last of %u goroutines that they start, %.0f%% of their time ",
		    s.children, f.score);
		buf_printf(&r->text, "after all others: it is %s at ", place_verb(most->cls));
		finding_put_place(r, most->frame);
		finding_put_caller(r, most->stack);
		finding_number(&f, "children", s.children);
		finding_number(&f, "late_ns", (double)s.late[s.n / 2]);
		finding_number(&f, "median_ns", (double)kind->p50);
		finding_number(&f, "operations", s.n);
		if (fit >= 1)
			r->straggling = kind_of_group(r, s.g);
		finding_add(r, fit, &f);
	}
	paths_free(&s.does);
}

void rule_straggler(struct findings_run *r)
{
	struct kind_paths *k = r->paths;
	for (uint32_t i = 0; i < r->npaths; i++)
		if (paths_is_served(k[i].kind))
			judge_straggler(r, k[i].kind);
}

/* ---- serial-calls */

/* Waits of an operation at a place, of which a path may have several pieces each. answered: by the system, or by another
   goroutine. Those that timers end, and those for room in a channel, are no calls: a ticker, and a producer. */
struct waits_at { uint32_t n, answered; };

static struct waits_at count_waits(const struct findings_run *r, const struct operation *o, const struct path_place *p)
{
	enum { STEPS = 1 << 14 };
	struct trace_interval v, next;
	struct waits_at w = {0};
	bool system = p->cls == TIME_NETWORK || p->cls == TIME_SYSCALL;
	bool more = trace_interval_at(r->sn, o->g, o->t0, &v) || trace_interval_near(r->sn, o->g, o->t0, 1, &v);
	for (int i = 0; more && i < STEPS && v.t0 < o->t1; i++, v = next) {
		next = v;
		more = trace_interval_step(r->sn, &next, 1);
		/* A call that blocks has two intervals. */
		if (time_class_of(r->st, v.state, v.stack) != p->cls || findings_site(r, v.stack) != p->frame ||
		    (v.state == TS_SYSBLOCK && v.t0 > o->t0))
			continue;
		w.n++;
		w.answered += system || (more && next.state == TS_READY && next.peer && v.state != TS_CHANSEND);
	}
	return w;
}

void rule_serial_calls(struct findings_run *r)
{
	struct kind_paths *k = r->paths;
	for (uint32_t i = 0; i < r->npaths; i++) {
		const struct path_series *s = &k[i].series;
		if (!s->n || k[i].kind == r->straggling || !has_tail(&k[i]) || !makes_more_calls(s))
			continue;
		struct operation o = operations_get(r->ops, s->operation);
		const struct path_place *p = &k[i].v[s->place];
		struct waits_at waits = count_waits(r, &o, p);
		if (!waits.n)	/* a goroutine of a library waits there for the operation, which has another class */
			waits = (struct waits_at){s->n, s->n};
		if (2 * waits.answered <= waits.n)
			continue;
		double length = (double)(o.t1 - o.t0), median = (double)k[i].kind->p50,
		       share = finding_fit((double)s->ns / length, LIMIT(r, SERIAL_CALLS, SHARE)),
		       ratio = median > 0 ? finding_fit(length / median, LIMIT(r, SERIAL_CALLS, RATIO)) : 0,
		       calls = finding_fit(waits.n, LIMIT(r, SERIAL_CALLS, CALLS)),
		       fit = fmin(fmin(share, ratio), calls);
		struct finding f = {.score = 100 * (double)s->ns / length * slow_weight(&k[i]), .t0 = o.t0,
		    .t1 = o.t1,
		    .trk = o.g, .see = "why"};
		blame_place(r, &f, p);
		add_kind_victim(r, &f, k[i].kind, p->frame);
		buf_puts(&r->text, "operations ");
		put_kind(r, k[i].kind);
		buf_printf(&r->text, " call one after another: one of ");
		text_ns(&r->text, o.t1 - o.t0);
		buf_printf(&r->text, " is %u times %s at ", waits.n, place_verb(p->cls));
		finding_put_place(r, p->frame);
		buf_puts(&r->text, "; the median takes ");
		text_ns(&r->text, k[i].kind->p50);
		finding_number(&f, "calls", waits.n);
		finding_number(&f, "calls_rest", s->rest);
		finding_number(&f, "calls_ns", (double)s->ns);
		finding_number(&f, "duration_ns", length);
		finding_number(&f, "median_ns", (double)k[i].kind->p50);
		finding_add(r, fit, &f);
	}
}
