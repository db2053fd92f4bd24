/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The rule about CPUs that are given to others. To run, for a trace, is to have a P: whether the system gave a CPU to its
 * thread is not recorded. But the timers of a CPU profile count the CPU time of threads. So samples times their period is
 * the time on a CPU, and much less than the time in which the Ps ran means that the CPUs were given to others.
 *
 * The profile may have been on for a part of the trace only. So the time between its first and its last sample is divided
 * into windows, in each of which some tens of samples are expected, and those without any are left out. System calls
 * count as CPU time, but not as running: this makes the ratio larger, so the rule may miss a case,
 * but raises no false alarm.
 */
#include "config.h"
#include "findings/internal.h"

#include "base/text/text.h"
#include "base/wrap_math.h"
#include "trace/bins.h"
#include "trace/stats/goroutine_stats.h"

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
	stats_sort(c->distance, c->ndistance);
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
