/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Opens the trace of a command line for a report. Reports have no UI to keep
 * responsive, so the reader runs in the foreground.
 *
 * For reports on call trees a trace becomes a profile whose samples are the
 * nodes of the store's tree with their weights: two values, contentions and
 * delay, as the reference writes them. So everything that works on profiles
 * works on traces.
 */
#include "config.h"
#include "session/trace_open.h"

#include "base/text/regex.h"
#include "base/text/text.h"
#include "filter/weigh.h"
#include "session/download.h"
#include "session/index_cache.h"
#include "session/trace_reread.h"
#include "store/store.h"
#include "trace/task_filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watched { const struct input_watch *watch; uint64_t total; };

static bool go_on(void *arg, uint64_t bytes)
{
	const struct watched *w = arg;
	return w->watch->go(w->watch->arg, bytes, w->total);
}

/* Report the warnings of the reader. Return -1 if the trace is damaged and -strict is set. */
static int report_warnings(
    const struct trace *t, const struct options *o, profile_notice *notice, void *arg, struct err *e)
{
	for (uint32_t i = 0; i < t->sn->nwarns; i++) {
		const struct warn_row *w = column_at(&t->sn->st->warns, i);
		if (options_bool(o, OPT_STRICT) && !w->aside)
			return err_set(e, ERR_FORMAT, w->at, "%s", w->msg);
		if (!notice)
			continue;
		if (w->at == ERR_NOWHERE)
			notice(arg, "%s: %s", o->file[0], w->msg);
		else
			notice(arg, "%s: at byte %" PRIu64 ": %s", o->file[0], w->at, w->msg);
	}
	return 0;
}

/* The report mmu must agree with the reference even where that is odd. A trace that is read for it is not used for
   other reports or an index. */
static bool oddities(const struct options *o)
{
	return !strcmp(o->report, "mmu") && !options_bool(o, OPT_EXACT);
}

int trace_read(
    struct trace *t, struct bytes *in, const struct options *o, profile_notice *notice, void *arg, struct err *e)
{
	*t = (struct trace){ .store_builder = builder_new(), .arena.spills = true };
	struct sink sink = builder_sink(t->store_builder);
	sink.oddities = oddities(o);
	struct watched w = {o->watch, in->n};
	const struct reader *r = sniff(*in, e);
	if (r && r->kind == FK_GOTRACE) {
		builder_set_total(t->store_builder, in->n);
		t->reread_source = trace_reread_new(t->store_builder, in);
	}
	if (o->watch)
		builder_on_publish(t->store_builder, go_on, &w);
	int rc = !r || r->kind != FK_GOTRACE ? -1 :
	    input_report_damage(in, r->read(*in, &sink, e), &sink, e);
	t->sn = builder_finish(t->store_builder);
	builder_on_publish(t->store_builder, NULL, NULL);
	if (rc || report_warnings(t, o, notice, arg, e)) {
		trace_close(t);
		return -1;
	}
	return 0;
}

int trace_read_index(struct trace *t, const struct bytes *in, const char *file, const struct options *o,
    profile_notice *notice, void *arg, struct err *e)
{
	*t = (struct trace){0};
	if (oddities(o))
		return 0;
	*t = (struct trace){ .store_builder = builder_new(), .arena.spills = true };
	bool there = index_cache_fill_store(o, file, in, t->store_builder);
	t->sn = there ? builder_snap(t->store_builder) : NULL;
	if (there && !report_warnings(t, o, notice, arg, e))
		return 1;
	trace_close(t);
	return there ? -1 : 0;
}

bool trace_from_session(struct trace *t, const char *name, const struct options *o)
{
	const struct cached_input *h = oddities(o) ? NULL : input_cache_find(o->cached_inputs, name);
	*t = (struct trace){.sn = h ? h->trace : NULL, .arena.spills = true};
	return t->sn != NULL;
}

int trace_open(struct trace *t, const struct options *o, profile_notice *notice, void *arg, struct err *e)
{
	struct bytes in;
	*t = (struct trace){0};
	if (download_require_one_file(o, e))
		return -1;
	if (trace_from_session(t, o->file[0], o))
		return report_warnings(t, o, notice, arg, e);
	if (download_open_input(o, o->file[0], &in, e))
		return -1;
	int ret = trace_read_index(t, &in, o->file[0], o, notice, arg, e);
	if (ret) {
		input_close(&in);
		return ret < 0 ? -1 : 0;
	}
	const struct reader *r = input_gunzip_watched(&in, o->watch, e) ? NULL : sniff(in, e);
	ret = r ? 0 : -1;
	if (r && r->kind != FK_GOTRACE)
		ret = err_set(e, ERR_FORMAT, ERR_NOWHERE,
		    "this is a %s, not an execution trace; the report reads only traces",
		    r->name);
	if (!ret)
		ret = trace_read(t, &in, o, notice, arg, e);
	input_close(&in);
	return ret;
}

void trace_close(struct trace *t)
{
	if (t->store_builder)
		builder_free(t->store_builder);
	trace_reread_free(t->reread_source);
	arena_free(&t->arena);
	*t = (struct trace){0};
}

/* ---- times */

/* 15:04:05.678 on the day of the trace, or on the next day if that is within the trace. */
static bool wall_time(const struct snap *sn, const char *s, int64_t *t)
{
	unsigned h, m;
	double sec;
	char end;
	if (!sn->has_trace || sn->trace.wall == TIME_NONE || sscanf(s, "%2u:%2u:%lf%c", &h, &m, &sec, &end) != 3)
		return false;
	enum { DAY_S = 86400 };
	int64_t day = (int64_t)DAY_S * 1000000000;
	int64_t ns = (int64_t)(h * 3600 + m * 60) * 1000000000 + (int64_t)(sec * 1e9);
	int64_t start = ((sn->trace.wall % day) + day) % day;
	*t = ns - start;
	if (*t < 0 && *t + day <= sn->t1)
		*t += day;
	return h < 24 && m < 60 && sec >= 0 && sec < 61;
}

int trace_parse_time(const struct snap *sn, const char *s, int64_t *t, struct err *e)
{
	char *end;
	double pct = strtod(s, &end);
	if (end != s && !strcmp(end, "%")) {
		*t = sn->t0 + (int64_t)((double)(sn->t1 - sn->t0) * pct / 100);
		return 0;
	}
	if (text_parse_ns(s, t) || wall_time(sn, s, t))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NOWHERE, "\"%s\" is not a time: use 1.2s, 350ms, 40%% or, if the trace "
	    "has the time of day, 15:04:05", s);
}

int trace_parse_range(const struct snap *sn, const struct options *o, int64_t *t0, int64_t *t1, struct err *e)
{
	const char *from = options_str(o, OPT_FROM), *to = options_str(o, OPT_TO);
	*t0 = sn->t0;
	*t1 = sn->t1;
	if ((from && *from && trace_parse_time(sn, from, t0, e)) || (to && *to && trace_parse_time(sn, to, t1, e)))
		return -1;
	bool since = from && *from, until = to && *to;
	struct buf b = {0};
	if (since && *t0 >= sn->t1 && sn->t0 < sn->t1) {
		text_ns(&b, sn->t1);
		err_set(e, ERR_USAGE, ERR_NOWHERE, "-from=%.40s is after the end of the trace, %s", from, buf_str(&b));
		buf_free(&b);
		return -1;
	}
	if (*t0 >= *t1 && (since || until))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-from must be before -to");
	return 0;
}

/* ---- filters */

static bool match_rx(void *rx, const char *s, size_t n)
{
	return regex_match(rx, s, n);
}

/* Parse "12" or "g12". */
static bool parse_id(const char *s, char letter, uint64_t *id)
{
	char *end;
	if (*s == letter)
		s++;
	if (*s < '0' || *s > '9')
		return false;
	*id = strtoull(s, &end, 10);
	return !*end;
}

static trk_id find_track(const struct snap *sn, enum track_kind kind, uint64_t id)
{
	for (trk_id t = 1; t < sn->ntrks; store_note_walk(sn, t++))
		if (store_trk(sn->st, t)->kind == kind && store_trk(sn->st, t)->id == id)
			return t;
	return 0;
}

static struct regex *compile_regex(const char *re, struct err *e)
{
	struct err why = {0};
	struct regex *rx = regex_new(re, &why);
	if (!rx)
		err_set(e, ERR_USAGE, ERR_NOWHERE, "%s: %s", re, why.msg);
	return rx;
}

static bool has_option(const struct options *o, enum option_id id)
{
	return options_str(o, id) && *options_str(o, id);
}

/* *among: NULL, or the set of -group, if goroutines are listed too. */
static int filter_goroutines(const struct snap *sn, const struct options *o, struct arena *a, struct trace_filter *f,
    const uint8_t **among, struct err *e)
{
	uint64_t id;
	*among = NULL;
	/* "^$" selects all goroutines, as the reference's page of the group without a name does */
	if (has_option(o, OPT_GROUP) && strcmp(options_str(o, OPT_GROUP), "^$")) {
		struct regex *rx = compile_regex(options_str(o, OPT_GROUP), e);
		if (!rx)
			return -1;
		f->g = trace_gset_by_name(sn, match_rx, rx, a);
		regex_free(rx);
	}
	if (has_option(o, OPT_GOROUTINE)) {
		uint32_t n;
		*among = f->g;
		f->g = trace_gset_parse(sn, options_str(o, OPT_GOROUTINE), a, &n);
		if (!f->g)
			return err_set(e, ERR_USAGE, ERR_NOWHERE,
			    "-goroutine requires numbers separated by commas, not "
			    "\"%s\"", options_str(o, OPT_GOROUTINE));
		if (!n)
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "no goroutine %s in the trace",
			    options_str(o, OPT_GOROUTINE));
	}
	if (has_option(o, OPT_PROC)) {
		if (!parse_id(options_str(o, OPT_PROC), 'p', &id))
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "-proc requires a number, not \"%s\"",
			    options_str(o, OPT_PROC));
		f->proc = find_track(sn, TK_P, id);
		if (!f->proc)
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "no P %" PRIu64 " in the trace", id);
	}
	return 0;
}

int trace_parse_latency(const struct options *o, int64_t *lo, int64_t *hi, struct err *e)
{
	*lo = *hi = TIME_NONE;
	if (has_option(o, OPT_LATENCY) && !task_filter_parse_range(options_str(o, OPT_LATENCY), lo, hi))
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "-latency requires a range like 10ms..50ms, >50ms or <10ms, not \"%s\"",
		    options_str(o, OPT_LATENCY));
	return 0;
}

static int filter_slices(const struct snap *sn, const struct options *o, bool rest, struct arena *a,
    struct trace_filter *f, uint32_t *n, struct err *e)
{
	if (has_option(o, OPT_REGION) && has_option(o, OPT_TASK))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-region and -task cannot be used together");
	uint64_t id;
	int64_t lo, hi;
	if (trace_parse_latency(o, &lo, &hi, e))
		return -1;
	struct trace_span_match pick = {.lo = lo, .hi = hi, .rest = rest};
	if (has_option(o, OPT_TASK) && parse_id(options_str(o, OPT_TASK), 't', &id)) {
		pick.id = id;
		f->slice = trace_task_slices(sn, &pick, a, &f->nslice);
		*n = pick.n;
		f->span = pick.span;
		return 0;
	}
	enum option_id which = has_option(o, OPT_REGION) ? OPT_REGION : OPT_TASK;
	if (!has_option(o, which))
		return 0;
	struct regex *rx = compile_regex(
	    which == OPT_REGION ? trace_parse_region_place(options_str(o, which), a, &pick) : options_str(o, which), e);
	if (!rx)
		return -1;
	pick.match = match_rx;
	pick.arg = rx;
	f->slice = (which == OPT_REGION ? trace_region_slices : trace_task_slices)(sn, &pick, a, &f->nslice);
	f->lies = a;
	*n = pick.n;
	f->span = pick.span;
	regex_free(rx);
	return 0;
}

/* Make the filter, or with rest what it excludes. *n: the number of goroutines, tasks or regions. */
static int filter_side(const struct snap *sn, const struct options *o, bool rest, struct arena *a,
    struct trace_filter *f, uint32_t *n, struct err *e)
{
	const uint8_t *among;
	*n = 0;
	if (filter_goroutines(sn, o, a, f, &among, e) || filter_slices(sn, o, rest, a, f, n, e))
		return -1;
	if (f->slice)
		return 0;
	if (rest)
		f->g = trace_gset_complement(sn, f->g, among, a);
	*n = trace_gset_count(sn, f->g, f->from, f->to);
	return 0;
}

static int trace_side(const struct snap *sn, const struct options *o, bool rest, struct arena *a,
    struct trace_filter *f, uint32_t *n, struct err *e)
{
	*f = (struct trace_filter){ .from = TIME_NONE, .to = TIME_NONE };
	if (o->watch)
		f->on = (struct progress_watcher){ o->watch->go, o->watch->arg };
	if (has_option(o, OPT_BLAME)) {
		int blame = trace_blame_find(options_str(o, OPT_BLAME));
		if (blame < 0)
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "-blame requires waker, self or occupant, not \"%s\"",
			    options_str(o, OPT_BLAME));
		f->blame = (enum trace_blame)blame;
	}
	int64_t t0, t1;
	if (trace_parse_range(sn, o, &t0, &t1, e))
		return -1;
	if (has_option(o, OPT_FROM))
		f->from = t0;
	if (has_option(o, OPT_TO))
		f->to = t1;
	return filter_side(sn, o, rest, a, f, n, e);
}

int trace_parse_filter(
    const struct snap *sn, const struct options *o, struct arena *a, struct trace_filter *f, struct err *e)
{
	uint32_t n;
	return trace_side(sn, o, false, a, f, &n, e);
}

int trace_check_rest_option(const struct options *o, struct err *e)
{
	if (!options_bool(o, OPT_REST))
		return 0;
	if (!has_option(o, OPT_GROUP) && !has_option(o, OPT_GOROUTINE) && !has_option(o, OPT_TASK) &&
	    !has_option(o, OPT_REGION))
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "-rest requires -group, -goroutine, -task or -region");
	if (has_option(o, OPT_BASE) || has_option(o, OPT_DIFF_BASE))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-rest cannot be used together with -base or -diff_base");
	return 0;
}

/* ---- a profile of a trace */

struct copy { const struct store *st; struct profile *p; uint32_t *loc, *fun; };

static str_id copy_str(struct copy *c, str_id s)
{
	const struct str_row *r = store_str(c->st, s);
	return profile_add_string(c->p, r->s ? r->s : "", r->n);
}

static loc_id copy_loc(struct copy *c, loc_id l)
{
	if (c->loc[l])
		return c->loc[l];
	const struct loc_row *r = store_loc(c->st, l);
	uint32_t first = 0;
	for (uint32_t i = 0; i < r->nline; i++) {
		const struct frm_row *f = store_frm(c->st, r->first + i);
		if (!c->fun[f->fun]) {
			const struct fun_row *fr = store_fun(c->st, f->fun);
			struct profile_function pf = { .id = c->p->nfun, .name = copy_str(c, fr->name),
				.sysname = copy_str(c, fr->name), .file = copy_str(c, fr->file) };
			c->fun[f->fun] = profile_add_function(c->p, &pf);
		}
		uint32_t at = profile_add_line(c->p, &(struct profile_line){ c->fun[f->fun], f->line, f->col });
		if (!i)
			first = at;
	}
	c->loc[l] = profile_add_location(
	    c->p, &(struct profile_location){.id = c->p->nloc, .addr = r->addr, .line = first, .nline = r->nline});
	return c->loc[l];
}

static void copy_sample(struct copy *c, stk_id s, uint32_t labels, int64_t count, int64_t ns)
{
	loc_id loc[1024];
	size_t n = 0;
	for (stk_id i = s; i && n < 1024; i = stk_parent(c->st, i))
		loc[n++] = copy_loc(c, store_frm(c->st, stk_frame(c->st, i))->loc);
	int64_t v[2] = { count, ns };
	profile_add_sample(c->p, profile_add_stack(c->p, loc, n), labels, v);
}

static bool stack_known(const struct store *st, stk_id s)
{
	for (; s; s = stk_parent(st, s))
		if (store_loc(st, store_frm(st, stk_frame(st, s))->loc)->addr)
			return true;
	return false;
}

/* The reference tells stacks apart by up to 128 program counters, filled up with zeros. So a stack of zeros only equals
   the empty one, and the newest of such equal stacks is shown. */
static void merge_unknown(const struct snap *sn, struct trace_weights *w)
{
	stk_id keep = 0;
	for (stk_id s = 1; s < w->n; s++) {
		if (!(w->count[s] || w->ns[s]) || stack_known(sn->st, s))
			continue;
		stk_id other = (w->count[keep] || w->ns[keep]) && w->last[keep] > w->last[s] ? s : keep;
		keep = other == s ? keep : s;
		w->count[keep] += w->count[other];
		w->ns[keep] += w->ns[other];
		w->count[other] = w->ns[other] = 0;
	}
}

static struct profile *to_profile(const struct snap *sn, struct trace_weights *w, enum trace_weight_type type)
{
	struct profile *p = profile_new();
	struct copy c = {
	    sn->st, p, xcalloc(sn->nlocs + 1u, sizeof(uint32_t)), xcalloc(sn->nfuns + 1u, sizeof(uint32_t))};
	static const char *const types[][2] = {{"contentions", "delay"}, {"samples", "cpu"}, {"stretches", "time"}};
	const char *const *name = types[type == TRACE_CPU ? 1 : type == TRACE_RUN ? 2 : 0];
	p->type = mem_grow(p->type, &p->ctype, 2, sizeof *p->type);
	p->type[0] =
	    (struct profile_type){profile_add_string(p, name[0], strlen(name[0])), profile_add_string(p, "count", 5)};
	p->type[1] = (struct profile_type){
	    profile_add_string(p, name[1], strlen(name[1])), profile_add_string(p, "nanoseconds", 11)};
	p->ntype = 2;
	p->period_type = profile_add_string(p, "trace", 5);
	p->period_unit = profile_add_string(p, "count", 5);
	p->period = 1;
	if (w->npart) {
		str_id key = p->tag_root = profile_add_string(p, TRACE_WEIGHT_TAG, sizeof TRACE_WEIGHT_TAG - 1);
		for (uint32_t i = 0; i < w->npart; i++) {
			struct profile_label tag = { .key = key, .str = copy_str(&c, w->part[i].tag) };
			copy_sample(
			    &c, w->part[i].stack, profile_add_labels(p, &tag, 1), w->part[i].count, w->part[i].ns);
		}
	} else {
		merge_unknown(sn, w);
		for (stk_id s = 0; s < w->n; s++)
			if (w->count[s] || w->ns[s])
				copy_sample(&c, s, 0, w->count[s], w->ns[s]);
	}
	mem_free(c.loc);
	mem_free(c.fun);
	return p;
}

/* Add a comment, which the header of reports shows. */
static void add_blame_comment(struct profile *p, enum trace_blame b)
{
	static const char *const said[BLAME__N] = {
		"Blame: waker (the stack of what made the goroutine runnable)",
		"Blame: self (the stack of the goroutine that waits)",
		"Blame: occupant (the stacks of what ran on the Ps meanwhile)",
	};
	profile_add_comment(p, profile_add_string(p, said[b], strlen(said[b])));
}

/* Divide by n for the mean of one. */
static void per_one(struct trace_weights *w, uint32_t n)
{
	w->npart = 0;	/* the viewer's differences have no tags either */
	for (stk_id s = 0; n > 1 && s < w->n; s++) {
		w->ns[s] = sides_scaled(w->ns[s], 1.0 / n);
		w->count[s] = sides_scaled(w->count[s], 1.0 / n);
	}
}

struct profile *trace_make_profile(const struct trace *t, const struct options *o, bool rest, struct err *e)
{
	struct arena a = {0};
	struct trace_filter f;
	const char *name = has_option(o, OPT_TYPE)			  ? options_str(o, OPT_TYPE)
			   : t->sn->nsmps && !options_typed(o, OPT_BLAME) ? "cpu"
									  : "sched";
	int type = trace_weight_find(name);
	struct profile *p = NULL;
	uint32_t n;
	if (t->sn->trace.log) {
		err_set(e, ERR_FORMAT, ERR_NOWHERE,
		    "this is a gctrace or schedtrace log and has no stacks; use gc, stw, mmu, procs or "
		    "stats");
		return NULL;
	}
	if (type < 0)
		err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "-type requires cpu, run, sched, sync, net, syscall, block or assist, not \"%s\"", name);
	else if (options_typed(o, OPT_BLAME) && type != TRACE_SCHED)
		err_set(e, ERR_USAGE, ERR_NOWHERE, "-blame applies only to -type=sched, not to -type=%s", name);
	else if (trace_side(t->sn, o, rest, &a, &f, &n, e))
		p = NULL;
	else if (options_typed(o, OPT_PROC) && !trace_type_has_proc((enum trace_weight_type)type, f.blame))
		err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "-proc does not apply to -type=%s, only to cpu, run, syscall and to sched with -blame=occupant", name);
	else {
		struct trace_weights *w = trace_weigh(t->sn, (enum trace_weight_type)type, &f, &a);
		if (options_bool(o, OPT_REST))
			per_one(w, n);
		p = to_profile(t->sn, w, (enum trace_weight_type)type);
		if (type == TRACE_SCHED && has_option(o, OPT_BLAME))
			add_blame_comment(p, f.blame);
	}
	arena_free(&a);
	return p;
}
