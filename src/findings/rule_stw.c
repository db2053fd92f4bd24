/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Stops of the world that the GC did not cause, by caller. A stop lasts until the last P has stopped: what ran there
 * longest after the start of the stop is to blame as well as the caller.
 *
 * The rule stolen-cpu. To run, for a trace, is to have a P: whether the system gave a CPU to its thread is not recorded.
 * But the timers of a CPU profile count the CPU time of threads. So samples times their period is the time on a CPU, and
 * much less than the time in which the Ps ran means that the CPUs were given to others.
 *
 * The profile may have been on for a part of the trace only. So the time between its first and its last sample is divided
 * into windows, in each of which some tens of samples are expected, and those without any are left out. System calls
 * count as CPU time, but not as running: this makes the ratio larger, and the rule miss rather than raise.
 */
#include "config.h"
#include "findings/internal.h"

#include "base/text/text.h"
#include "base/u64_map.h"
#include "base/wrap_math.h"
#include "trace/bins.h"
#include "trace/stats/stop_phases.h"
#include "trace/user_code.h"

#include <stdlib.h>
#include <string.h>

static bool begins(struct stop_kind k, const char *with)
{
	return k.n >= strlen(with) && !memcmp(k.s, with, strlen(with));
}

/* Stops of the GC are judged with it, and those of the recording are not there without it. */
static bool is_programs(const struct store *st, uint32_t span)
{
	struct stop_kind k = stops_kind(st, span);
	return !begins(k, "GC ") && !begins(k, "start trac") && !begins(k, "stop trac") && !begins(k, "trace");
}

/* Indexes of stops: those of group i are index[from[i]] up to index[from[i + 1] - 1], in their order. */
struct group_stops {
	uint32_t *from, *index;
};

static struct group_stops stops_of_groups(struct findings_run *r, const struct stop *v, uint32_t n,
    const struct stop_group *g, uint32_t ngroup)
{
	struct group_stops s = {arena_alloc(&r->scratch, (ngroup + 1u) * sizeof *s.from),
	    arena_alloc(&r->scratch, (n + 1u) * sizeof *s.index)};
	uint32_t *next = xmalloc((ngroup + 1u) * sizeof *next), all = 0;
	struct u64_hash group = {0};
	bool fresh;
	for (uint32_t i = 0; i < ngroup; i++) {
		u64_map_put(&group, g[i].key, &fresh)->n = i;
		s.from[i] = next[i] = all;
		all += g[i].n;
	}
	s.from[ngroup] = all;
	for (uint32_t i = 0; i < n; i++)
		s.index[next[u64_map_get(&group, stops_key(r->sn, v[i].span, STOPS_CALLER))->n]++] = i;
	u64_map_free(&group);
	mem_free(next);
	return s;
}

/* Sum up what was last to stop, of up to STOPS stops of a caller: v[index[0]] to v[index[n - 1]]. */
static void add_last(struct findings_run *r, const struct stop *v, const uint32_t *index, uint32_t n,
    struct time_parts *last)
{
	enum { STOPS = 64 };
	for (uint32_t k = 0; k < n; k += n / STOPS + 1) {
		const struct stop *s = &v[index[k]];
		struct stop_phases x = stop_phases_find(r->sn, r->proc, r->nproc, s, s->t1);
		if (x.last)
			time_parts_put(last, TIME_ON_CPU, x.stack, s->t0, x.stopping, x.last);
	}
	time_parts_sort(last);
}

/* index: of the stops of the group. */
static void report_stops(struct findings_run *r, const struct stop *v, const uint32_t *index, const struct stop_group *g)
{
	const struct stop *longest = &v[g->longest];
	struct finding f = {.score = finding_score((double)g->total, (double)r->wall), .t0 = longest->t0,
	    .t1 = longest->t1,
	    .trk = store_span(r->st, longest->span)->s.trk, .see = "stops"};
	frm_id caller = stops_caller(r->st, longest->span);
	struct time_parts last = {0};
	double share = finding_fit((double)g->total / (double)r->wall, LIMIT(r, STW, SHARE)),
	       most = finding_fit((double)g->max, LIMIT(r, STW, LONGEST));
	if (share < 0.5 && most < 0.5)	/* finding_add() would drop it, and add_last() looks at all Ps */
		return;
	add_last(r, v, index, g->n, &last);
	finding_culprit(r, &f, caller);
	finding_put_place(r, caller);
	struct stop_kind kind = stops_kind(r->st, longest->span);
	buf_puts(&r->text, " stops the world (");
	text_safe(&r->text, kind.s, kind.n);
	buf_printf(&r->text, ") %u time%s: %.1f%% of the time, up to ", g->n, text_s(g->n), f.score);
	text_ns(&r->text, g->max);
	if (last.n && last.v[0].ns > last.total / 2 && last.v[0].longest > g->max / 4) {
		stk_id at = user_code_site(r->st, last.v[0].stack);
		finding_culprit(r, &f, at ? stk_frame(r->st, at) : 0);
		buf_puts(&r->text, "; the last to stop is ");
		finding_put_place(r, at ? stk_frame(r->st, at) : 0);
		finding_number(&f, "last_to_stop_ns", (double)last.v[0].longest);
	}
	finding_number(&f, "stops", g->n);
	finding_number(&f, "stopped_ns", (double)g->total);
	finding_number(&f, "longest_ns", (double)g->max);
	time_parts_free(&last);
	finding_add(r, share > most ? share : most, &f);
}

void rule_stw(struct findings_run *r)
{
	uint32_t n, kept = 0, ngroup;
	struct stop *v = stops_find(r->sn, r->q->filter, r->scan.t0, r->scan.t1, &r->scratch, &n);
	for (uint32_t i = 0; i < n; i++)
		if (is_programs(r->st, v[i].span))
			v[kept++] = v[i];
	const struct stop_group *g = stops_group(r->sn, v, kept, STOPS_CALLER, &r->scratch, &ngroup);
	struct group_stops of = stops_of_groups(r, v, kept, g, ngroup);
	for (uint32_t i = 0; i < ngroup && findings_continue(r); i++)
		report_stops(r, v, of.index + of.from[i], &g[i]);
}

/* ---- stolen-cpu */

enum { WINDOWS = 64, EXPECTED = 50 };

struct cpu_samples {
	int64_t *distance;	/* between samples of one goroutine on one P, which is mostly one thread */
	uint32_t n, ndistance;
	int64_t t0, t1;		/* of the first and the last one */
	double period;		/* ns */
};

struct cpu_window { double ran, on_cpu; uint32_t n; };

static bool counts(const struct findings_run *r, const struct smp_time *s)
{
	return s->when != TIME_NONE && s->proc && s->when >= r->scan.t0 && s->when < r->scan.t1;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/* The runtime takes 100 samples a second of CPU time, unless the program sets another rate. Ticks of the kernel move
   samples, so a shorter period is only believed where half of the distances are shorter, and a longer one where all are;
   but where all are very long, others had the CPU in between. */
static double period_of(const struct cpu_samples *c)
{
	enum { USUAL = 10000000, LONGER = 15000000, LONGEST = 40000000, MANY = 50 };
	if (c->ndistance < MANY)
		return USUAL;
	int64_t least = c->distance[0], median = c->distance[c->ndistance / 2];
	return least > LONGER && least <= LONGEST ? (double)least : median < USUAL ? (double)median : USUAL;
}

static void read_samples(struct findings_run *r, struct cpu_samples *c)
{
	struct smp_time *last = arena_zalloc(&r->scratch, (r->sn->ntrks + 1u) * sizeof *last);	/* by P */
	c->distance = arena_alloc(&r->scratch, (r->sn->nsmps + 1u) * sizeof *c->distance);
	for (uint32_t i = 0; i < r->sn->nsmps; i++) {
		struct smp_time s = store_smp_time(r->st, i);
		if (!counts(r, &s))
			continue;
		struct smp_time *was = &last[s.proc];
		if (was->proc && was->trk == s.trk && s.trk && s.when > was->when)
			c->distance[c->ndistance++] = s.when - was->when;
		*was = s;
		c->t0 = c->n && c->t0 < s.when ? c->t0 : s.when;
		c->t1 = c->n && c->t1 > s.when ? c->t1 : s.when;
		c->n++;
	}
	if (c->ndistance)
		qsort(c->distance, c->ndistance, sizeof *c->distance, by_value);
	c->period = period_of(c);
}

/* Add the time in which the Ps ran. */
static void add_runs(struct findings_run *r, const struct cpu_samples *c, struct cpu_window *w, uint32_t n)
{
	struct bin bin[WINDOWS];
	for (uint32_t p = 0; p < r->nproc; p++) {
		bins_row(r->sn, r->proc[p], c->t0, c->t1, n, bin);
		for (uint32_t i = 0; i < n; i++)
			for (int s = 0; s < TS__N; s++)
				w[i].ran += state_runs((enum tstate)s) ? (double)bin[i].ns[s] : 0;
	}
}

/* Sum up the windows that have samples. */
static struct cpu_window sum_windows(struct findings_run *r, const struct cpu_samples *c)
{
	struct cpu_window w[WINDOWS] = {{0}}, sum = {0};
	add_runs(r, c, w, 1);
	double expected = w[0].ran / c->period;
	uint32_t n = expected >= (double)WINDOWS * EXPECTED ? WINDOWS : (uint32_t)(expected / EXPECTED);
	n = n ? n : 1;
	w[0] = (struct cpu_window){0};
	add_runs(r, c, w, n);
	for (uint32_t i = 0; i < r->sn->nsmps; i++) {
		struct smp_time s = store_smp_time(r->st, i);
		if (!counts(r, &s))
			continue;
		uint32_t k = (uint32_t)((double)(s.when - c->t0) * n / (double)(c->t1 - c->t0 + 1));
		w[k < n ? k : n - 1].n++;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!w[i].n)
			continue;
		sum.ran += w[i].ran;
		sum.on_cpu += w[i].n * c->period;
		sum.n += w[i].n;
	}
	return sum;
}

static void put_share(struct buf *b, double cpus)
{
	if (cpus < 1)
		buf_puts(b, "less than one CPU");
	else
		buf_printf(b, "about %.1f CPUs", cpus);
}

static void report_stolen(struct findings_run *r, const struct cpu_samples *c, const struct cpu_window *w, double fit)
{
	double wall = (double)(c->t1 - c->t0 + 1);
	/* What is missing explains everything that is slow, but a rule that names a function is more useful: it is never
	   the first of the problems. */
	struct finding f = {.score = finding_score(w->ran - w->on_cpu, w->ran), .t0 = c->t0, .t1 = c->t1,
	    .last = true, .see = "procs"};
	buf_puts(&r->text, "goroutines were running ");
	text_ns(&r->text, wrap_clamp(w->ran));
	buf_puts(&r->text, " but on a CPU ~");
	text_ns(&r->text, wrap_clamp(w->on_cpu));
	buf_printf(&r->text, ": %u P%s got ", r->nproc, r->nproc == 1 ? "" : "s");
	put_share(&r->text, w->on_cpu / wall);
	buf_puts(&r->text, " (throttled by a CPU limit, or a busy host)");
	finding_number(&f, "run_ns", w->ran);
	finding_estimate(&f, "cpu_ns", w->on_cpu);
	finding_number(&f, "samples", w->n);
	finding_estimate(&f, "period_ns", c->period);
	finding_add(r, fit, &f);
}

void rule_stolen_cpu(struct findings_run *r)
{
	struct cpu_samples c = {0};
	if (r->q->filter && r->q->filter->g)
		return;		/* a part of the goroutines: their samples are too few */
	read_samples(r, &c);
	struct cpu_window w = c.n > 1 ? sum_windows(r, &c) : (struct cpu_window){0};
	if (w.ran < EXPECTED * c.period) {
		finding_unanswered(r, c.n ? "too few CPU samples are expected in the time range" : "the trace has no CPU samples");
		return;
	}
	double given = w.on_cpu / w.ran, problem = LIMIT(r, STOLEN_CPU, GIVEN);
	/* A notice reaches up to twice the ratio of a problem. */
	double fit = given <= problem ? 1 : given <= 2 * problem ? 0.5 : 0;
	report_stolen(r, &c, &w, fit);
}
