/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A log with lines of GODEBUG=gctrace=1 or schedtrace=N, as a timeline, for programs that were not
 * traced. GC cycles become spans of marking between two stops of the world, heap and goal become
 * counters. SCHED lines become counters and, with scheddetail=1, states of Ps, threads and
 * goroutines, each valid until the next line. All other lines of the log are skipped.
 *
 * Lines are collected first and ordered by their times, because a cycle is printed when it ends. If
 * the clock or the cycle number decreases, the program was started again, and what follows is
 * placed after the previous run; the distance is known if a log collector recorded wall-clock
 * times.
 *
 * Mutator utilisation is derived from the CPU times of each cycle, as if Ps had been taken one
 * after the other. godebug_line.c parses lines, godebug_emit.c passes the data to the sink.
 */
#include "config.h"
#include "load/text/godebug_emit.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "load/text/godump_line.h"

#include <stdlib.h>
#include <string.h>

static int64_t limit_time(int64_t t)
{
	return t < TIME_LATEST ? t : TIME_LATEST;
}

/* ---- collecting */

static struct godebug_run *run_of(struct godebug *d, bool again)
{
	if (!d->nrun || again) {
		d->godebug_run = mem_grow(d->godebug_run, &d->crun, d->nrun + 1, sizeof *d->godebug_run);
		d->godebug_run[d->nrun++] = (struct godebug_run){.wall = TIME_NONE, .gc = d->ngc, .sched = d->nsched};
		d->last_gc = 0;
		d->last_sched = -1;
	}
	return &d->godebug_run[d->nrun - 1];
}

/* A line was printed at time t of its run; update the run's wall-clock start if the line has a stamp. */
static void seen_at(struct godebug_run *r, int64_t t, struct scan_text stamp)
{
	int64_t wall;
	if (t > r->end)
		r->end = t;
	if (scan_len(stamp) && scan_parse_wall_time(stamp, &wall) && (r->wall == TIME_NONE || wall - t < r->wall))
		r->wall = wall - t;
}

/* Parse a line. Heads are found anywhere in a line, the units below them only at its start. */
static void gather_line(
    struct godebug *d, struct scan_text all, struct scan_text t, struct scan_text stamp, uint64_t at)
{
	struct godebug_gc g;
	struct godebug_sched s;
	struct godebug_unit u;
	if (godebug_gc(all, &g)) {
		struct godebug_run *r = run_of(d, g.number <= d->last_gc);
		d->last_gc = g.number;
		if (!g.whole)
			d->cut_at = d->cut++ ? d->cut_at : at;
		d->gc = mem_grow(d->gc, &d->cgc, d->ngc + 1, sizeof *d->gc);
		d->gc[d->ngc++] = (struct gc_rec){g, at};
		seen_at(r, limit_time(g.t + g.stw0 + g.mark + g.stw1), stamp);
	} else if (godebug_sched(all, &s)) {
		struct godebug_run *r = run_of(d, s.t < d->last_sched);
		d->last_sched = s.t;
		d->sched = mem_grow(d->sched, &d->csched, d->nsched + 1, sizeof *d->sched);
		d->sched[d->nsched++] = (struct sched_rec){s, d->nunit, 0};
		seen_at(r, s.t, stamp);
	} else if (d->nsched && d->sched[d->nsched - 1].s.detail && godebug_unit(t, &u)) {
		d->unit = mem_grow(d->unit, &d->cunit, d->nunit + 1, sizeof *d->unit);
		d->unit[d->nunit++] = u;
		d->sched[d->nsched - 1].nunit++;
		d->detail = true;
	} else {
		struct godump_head h;
		d->stacks += godump_head(t, &h);
		return;
	}
	d->lines++;
}

static void parse_log(struct godebug *d, struct bytes b)
{
	const char *text = (const char *)b.p;
	struct scan_lines l = scan_bounded(b, d->s, 0, 2);
	while (scan_next_line(&l)) {
		struct scan_text stamp, t = scan_line_without_log_prefix(&l, &stamp);
		gather_line(d, scan_line_text(&l), t, stamp, (uint64_t)(l.line - text));
	}
	d->out_of_memory = l.cut;
	/* place the runs one after the other, at their true distance if wall-clock times are known */
	for (size_t i = 1; i < d->nrun; i++) {
		struct godebug_run *r = &d->godebug_run[i], *before = &d->godebug_run[i - 1];
		int64_t after = before->base + before->end, first = d->godebug_run[0].wall;
		bool known = r->wall != TIME_NONE && first != TIME_NONE && wrap_sub(r->wall, first) > after;
		r->base = limit_time(known ? wrap_sub(r->wall, first) : after);
	}
}

/* ---- points in time */

static void add_point(struct godebug *d, struct point p)
{
	d->point = mem_grow(d->point, &d->cpoint, d->npoint + 1, sizeof *d->point);
	p.seq = p.kind == PT_RUN ? 0 : p.kind == PT_SCHED ? 1 : d->npoint + 2;
	d->point[d->npoint++] = p;
}

/* State of distributing the CPU time of a mark phase over Ps, one after the other. */
struct taken { uint32_t i, proc; int64_t t, wall, used; };	/* used: time used of P `proc` */

static void add_utils(struct godebug *d, struct taken *k, enum util_what what, int64_t cpu)
{
	while (cpu > 0 && k->wall > 0 && k->proc < UTIL_PROCS && k->proc < d->gc[k->i].g.procs) {
		int64_t t = k->t + k->used, len = cpu < k->wall - k->used ? cpu : k->wall - k->used;
		if (d->npoint > MAX_UTILS) {
			d->many_utils = true;
			return;
		}
		add_point(d, (struct point){.t = t, .kind = PT_UTIL, .i = k->i, .proc = k->proc, .what = what});
		add_point(d,
		    (struct point){.t = t + len, .kind = PT_UTIL_END, .i = k->i, .proc = k->proc, .what = what});
		cpu -= len;
		k->used += len;
		if (k->used == k->wall) {
			k->used = 0;
			k->proc++;
		}
	}
}

/* Add the points of a cycle that begins at t, which is not before the end of the previous one. Returns its end. */
static int64_t add_cycle(struct godebug *d, uint32_t i, int64_t t)
{
	const struct godebug_gc *g = &d->gc[i].g;
	int64_t mark = limit_time(t + g->stw0), last = limit_time(mark + g->mark), end = limit_time(last + g->stw1);
	struct taken k = {i, 0, mark, last - mark, 0};
	add_point(d, (struct point){.t = t, .kind = PT_GC, .i = i});
	add_point(d, (struct point){.t = mark, .kind = PT_MARK, .i = i});
	add_utils(d, &k, UT_WORKER, g->worker);
	add_utils(d, &k, UT_ASSIST, g->assist);
	add_point(d, (struct point){.t = last, .kind = PT_MARK_END, .i = i});
	add_point(d, (struct point){.t = last, .kind = PT_LAST_STW, .i = i});
	add_point(d, (struct point){.t = end, .kind = PT_STW_END, .i = i});
	return end;
}

static int point_cmp(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

/* Make all points, in order. Returns the end of the last one. */
static int64_t make_points(struct godebug *d)
{
	int64_t busy = 0, end = 0, step = 0;
	for (size_t r = 0; r < d->nrun; r++) {
		const struct godebug_run *godebug_run = &d->godebug_run[r];
		size_t gc1 = r + 1 < d->nrun ? godebug_run[1].gc : d->ngc,
		       sched1 = r + 1 < d->nrun ? godebug_run[1].sched : d->nsched;
		if (r)
			add_point(d, (struct point){.t = godebug_run->base, .kind = PT_RUN, .i = (uint32_t)r});
		for (size_t i = godebug_run->gc; i < gc1; i++) {
			int64_t t = limit_time(godebug_run->base + d->gc[i].g.t);	/* precise to the millisecond only */
			busy = add_cycle(d, (uint32_t)i, t > busy ? t : busy);
			end = busy > end ? busy : end;
		}
		for (size_t i = godebug_run->sched; i < sched1; i++) {
			int64_t t = limit_time(godebug_run->base + d->sched[i].s.t);
			add_point(d, (struct point){.t = t, .kind = PT_SCHED, .i = (uint32_t)i});
			end = t > end ? t : end;
			/* The difference is not negative: a decrease begins a new run. */
			if (i > godebug_run->sched)
				step = d->sched[i].s.t - d->sched[i - 1].s.t;
		}
	}
	/* the last line is valid as long as the previous one was */
	const struct godebug_run *last = &d->godebug_run[d->nrun - 1];
	int64_t until = d->nsched > last->sched ? limit_time(last->base + d->sched[d->nsched - 1].s.t + step) : 0;
	end = until > end ? until : end;
	if (d->npoint)
		qsort(d->point, d->npoint, sizeof *d->point, point_cmp);
	return end > 0 ? end : 1;
}

static void warn_of(const struct godebug *d, const struct sink *s, int64_t end)
{
	if (end >= TIME_LATEST)
		s->ops->warn(s->self, ERR_NOWHERE, TIME_LATEST_NOTICE);
	if (d->cut)
		s->ops->warn(s->self, d->cut_at,
		    "%zu truncated gctrace lines: their cycles have times but no heap sizes; this is the first",
		    d->cut);
	if (d->nrun > 1)
		s->ops->warn(s->self, ERR_ASIDE,
		    "the clock or the cycle number goes back: shown as %zu runs of a program, one after the "
		    "other; if the log has lines of several programs, separate them first", d->nrun);
	if (d->stacks)
		s->ops->warn(s->self, ERR_ASIDE,
		    "the log also contains %zu goroutine stacks: in a separate file they can be shown as a profile",
		    d->stacks);
	if (d->many_utils)
		s->ops->warn(s->self, ERR_ASIDE,
		    "too many cycles: mutator utilisation covers only the first ones");
	if (d->many_states)
		s->ops->warn(s->self, ERR_ASIDE,
		    "too many stop-the-world pauses to show each on every P: the row STW has all of them");
}

static str_id intern_text(const struct sink *s, const char *text)
{
	return s->ops->str(s->self, text, strlen(text));
}

static void free_godebug(struct godebug *d)
{
	void *all[] = {d->gc, d->sched, d->unit, d->godebug_run, d->point, d->proc};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
}

int godebug_read(struct bytes b, struct sink *s, struct err *e)
{
	struct godebug d = {.s = s, .last_sched = -1};
	parse_log(&d, b);
	if (!d.lines) {
		free_godebug(&d);
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "no gctrace or schedtrace line in this log");
	}
	d.n_gc = intern_text(s, "GC concurrent mark phase");
	d.n_forced = intern_text(s, "GC concurrent mark phase (forced)");
	d.n_stw0 = intern_text(s, "stop-the-world (GC sweep termination)");
	d.n_stw1 = intern_text(s, "stop-the-world (GC mark termination)");
	int64_t end = make_points(&d);
	godebug_emit_trace(&d, end);
	godebug_emit_events(&d, b);
	scan_warn_cut(s, d.out_of_memory);
	warn_of(&d, s, end);
	free_godebug(&d);
	return 0;
}

bool godebug_probe(struct bytes b)
{
	static const char *const words[] = {" ms clock", "gomaxprocs="};
	const char *text = (const char *)b.p, *end = text + b.n;
	enum { AROUND = 400 };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		for (const char *p = text; (p = scan_find(p, end, words[i])); p++) {
			struct scan_text t = {p, end - p > AROUND ? p + AROUND : end};
			struct godebug_gc g;
			struct godebug_sched s;
			while (t.p > text && t.p[-1] != '\n' && p - t.p < AROUND)
				t.p--;
			const char *nl = memchr(p, '\n', scan_len((struct scan_text){p, t.end}));
			t.end = nl ? nl : t.end;
			if (godebug_gc(t, &g) || godebug_sched(t, &s))
				return true;
		}
	return false;
}
