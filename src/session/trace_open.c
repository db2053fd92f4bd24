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

#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "filter/weigh.h"
#include "session/download.h"
#include "session/query.h"
#include "session/trace_weights.h"
#include "store/builder.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
   other reports. */
static bool oddities(const struct options *o)
{
	return !strcmp(o->report, "mmu") && !options_bool(o, OPT_EXACT);
}

int trace_read(
    struct trace *t, struct bytes *in, const struct options *o, profile_notice *notice, void *arg, struct err *e)
{
	*t = (struct trace){ .store_builder = builder_new() };
	struct sink sink = builder_sink(t->store_builder);
	sink.oddities = oddities(o);
	struct watched w = {o->watch, in->n};
	const struct reader *r = sniff(*in, e);
	builder_set_total(t->store_builder, in->n);
	if (o->watch)
		builder_on_publish(t->store_builder, go_on, &w);
	int rc = !r || r->kind != FK_GOTRACE ? -1 :
	    input_report_damage(in, r->read(*in, &sink, e), &sink, e);
	t->sn = builder_finish(t->store_builder);
	builder_on_publish(t->store_builder, NULL, NULL);
	mem_trim();	/* free memory that only reading needed lies between blocks in use */
	if (rc || report_warnings(t, o, notice, arg, e)) {
		trace_close(t);
		return -1;
	}
	return 0;
}

bool trace_from_session(struct trace *t, const char *name, const struct options *o)
{
	const struct cached_input *h = oddities(o) ? NULL : input_cache_find(o->cached_inputs, name);
	*t = (struct trace){.sn = h ? h->trace : NULL};
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
	const struct reader *r = input_gunzip_watched(&in, o->watch, e) ? NULL : sniff(in, e);
	int ret = r ? 0 : -1;
	if (r && r->kind != FK_GOTRACE)
		ret = err_set(e, ERR_FORMAT, ERR_NOWHERE,
		    "this is a %s, not an execution trace; the report reads only traces",
		    r->name);
	if (!ret)
		ret = trace_read(t, &in, o, notice, arg, e);
	input_close(&in);
	return ret;
}

/* Return the kind of a regular file; FK_UNKNOWN for others, which must not be read twice. program: NULL, or set to whether
   it is a program. */
static enum file_kind kind_of_file(const char *path, bool *program)
{
	uint8_t head[1 << 12];
	struct stat st;
	struct bytes b;
	if (stat(path, &st) || !S_ISREG(st.st_mode) || input_open(path, &b, NULL))
		return FK_UNKNOWN;
	const struct reader *r = sniff(input_head(&b, head, sizeof head), NULL);
	if (program)
		*program = sniff_program(b);
	input_close(&b);
	return r ? r->kind : FK_UNKNOWN;
}

void trace_drop_program(struct options *o)
{
	bool program = false;
	if (o->nfile != 2 || kind_of_file(o->file[1], NULL) != FK_GOTRACE)
		return;
	kind_of_file(o->file[0], &program);
	if (program)
		o->file[0] = o->file[--o->nfile];
}

void trace_close(struct trace *t)
{
	if (t->store_builder)
		builder_free(t->store_builder);
	arena_free(&t->arena);
	*t = (struct trace){0};
}

struct progress_watcher trace_watcher(const struct options *o)
{
	return o->watch ? (struct progress_watcher){o->watch->go, o->watch->arg} : (struct progress_watcher){0};
}

/* ---- a profile of a trace */

struct copy { const struct store *st; struct profile *p; uint32_t *loc, *fun; const struct joined_stack *node; };

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
		struct profile_line line = { c->fun[f->fun], f->line, store_col(c->st, r->first + i) };
		uint32_t at = profile_add_line(c->p, &line);
		if (!i)
			first = at;
	}
	c->loc[l] = profile_add_location(
	    c->p, &(struct profile_location){.id = c->p->nloc, .addr = r->addr, .line = first, .nline = r->nline});
	return c->loc[l];
}

/* s: a node of the weights. */
static void copy_sample(struct copy *c, uint32_t s, uint32_t labels, int64_t count, int64_t ns)
{
	loc_id loc[1024];
	size_t n = 0;
	for (uint32_t i = s; i && n < 1024; i = c->node ? c->node[i].parent : stk_parent(c->st, i)) {
		frm_id frame = c->node ? c->node[i].frame : stk_frame(c->st, i);
		loc[n++] = copy_loc(c, store_frm(c->st, frame)->loc);
	}
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
	struct copy c = {.st = sn->st, .p = p, .loc = xcalloc(sn->nlocs + 1u, sizeof(uint32_t)),
	    .fun = xcalloc(sn->nfuns + 1u, sizeof(uint32_t)), .node = w->node};
	static const char *const waits[] = {"contentions", "delay"}, *const types[][2] = {[TRACE_CPU] = {"samples", "cpu"},
	    [TRACE_RUN] = {"stretches", "time"}, [TRACE_TIME] = {"stretches", "time"}, [TRACE_CRITICAL] = {"pieces", "time"},
	    [TRACE_ALLOC] = {"refills", "alloc_space"}};
	const char *unit = trace_weight_unit(type);
	bool other = type < sizeof types / sizeof *types && types[type][0];
	const char *const *name = other ? types[type] : waits;
	p->type = mem_grow(p->type, &p->cap.type, 2, sizeof *p->type);
	p->type[0] =
	    (struct profile_type){profile_add_string(p, name[0], strlen(name[0])), profile_add_string(p, "count", 5)};
	p->type[1] = (struct profile_type){
	    profile_add_string(p, name[1], strlen(name[1])), profile_add_string(p, unit, strlen(unit))};
	p->ntype = 2;
	p->meta.period_type = profile_add_string(p, "trace", 5);
	p->meta.period_unit = profile_add_string(p, "count", 5);
	p->meta.period = 1;
	if (w->npart) {
		str_id key = p->meta.tag_root = profile_add_string(p, TRACE_WEIGHT_TAG, sizeof TRACE_WEIGHT_TAG - 1);
		for (uint32_t i = 0; i < w->npart; i++) {
			struct profile_label tag = { .key = key, .str = copy_str(&c, w->part[i].tag) };
			copy_sample(
			    &c, w->part[i].stack, profile_add_labels(p, &tag, 1), w->part[i].count, w->part[i].ns);
		}
	} else {
		if (!w->node)
			merge_unknown(sn, w);
		for (stk_id s = 0; s < w->n; s++)
			if (w->count[s] || w->ns[s])
				copy_sample(&c, s, 0, w->count[s], w->ns[s]);
	}
	mem_free(c.loc);
	mem_free(c.fun);
	return p;
}

/* Add a comment, which the header of reports has. */
static void add_text_comment(struct profile *p, const char *text)
{
	profile_add_comment(p, profile_add_string(p, text, strlen(text)));
}

static void add_blame_comment(struct profile *p, enum trace_blame b)
{
	static const char *const text[BLAME__N] = {
		"Blame: waker (the stack of what made the goroutine runnable)",
		"Blame: self (the stack of the goroutine that waits)",
		"Blame: occupant (the stacks of what ran on the Ps meanwhile)",
		"Blame: chain (the stack of the goroutine that waits, and below it that of what made it runnable)",
	};
	add_text_comment(p, text[b]);
}

static void add_estimate_comments(
    struct profile *p, const struct trace_weights *w, enum trace_weight_type type, enum trace_estimate stacks)
{
	struct buf b = {0};
	p->meta.estimated = w->approximate || w->sampled_of || stacks;
	p->meta.estimated_values = stacks == ESTIMATE_ALL;
	if (stacks)
		add_text_comment(p, type == TRACE_ALLOC
		    ? "Approximate: the stacks; a trace records how much goroutines allocate, but not where"
		    : stacks == ESTIMATE_ALL ? "Approximate: the stacks; a trace records when goroutines run, but not always where"
		    : "Approximate: the stacks of running; a trace records when goroutines run, but not always where");
	if (w->approximate)
		add_text_comment(p, "Approximate: shares of what occupied the Ps during long waits for a P");
	if (!w->sampled_of)
		return;
	buf_printf(&b, "Approximate: %" PRIu32 " of %" PRIu32 " operations, evenly spaced", w->sampled, w->sampled_of);
	profile_add_comment(p, profile_add_string(p, b.p, b.n));
	buf_free(&b);
}

/* Check that the sample type takes -blame and -proc. */
static int check_type(const struct options *o, enum trace_weight_type type, enum trace_blame blame, struct err *e)
{
	if (options_typed(o, OPT_BLAME) && !trace_type_has_blame(type, blame))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-blame=%s applies only to -type=%s, not to -type=%s",
		    trace_blame_name(blame), blame == BLAME_CHAIN ? "sync, net or block" : "sched",
		    trace_weight_name(type));
	if (options_typed(o, OPT_PROC) && !trace_type_has_proc(type, blame))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-proc does not apply to -type=%s, only to cpu, run, alloc, syscall "
		    "and to sched with -blame=occupant", trace_weight_name(type));
	return 0;
}

bool trace_has_own_base(const struct options *o)
{
	const char *range = options_str(o, OPT_DIFF_RANGE);
	return options_bool(o, OPT_REST) || (range && *range);
}

static struct profile *weigh_profile(const struct trace *t, const struct options *o, enum trace_weight_type type,
    const struct query *q, bool rest, double scale, struct arena *a, struct err *e)
{
	struct progress_watcher on = trace_watcher(o);
	uint32_t n;
	struct trace_weights *w = trace_weights_of_query(t->sn, type, q, rest, a, &n, &on, e);
	if (!w)
		return NULL;
	if (trace_has_own_base(o) && !trace_type_has_classes(type))
		w->npart = 0;	/* other differences have no tags */
	if (options_bool(o, OPT_REST) && n > 1)
		scale = 1.0 / n;
	trace_weights_scale(w, scale);
	struct profile *p = to_profile(t->sn, w, type);
	add_estimate_comments(p, w, type, trace_type_estimate(type, (enum trace_blame)q->blame));
	if (options_str(o, OPT_BLAME) && trace_type_has_blame(type, (enum trace_blame)q->blame))
		add_blame_comment(p, (enum trace_blame)q->blame);
	return p;
}

struct profile *trace_make_profile(const struct trace *t, const struct options *o, enum trace_side side, struct err *e)
{
	struct arena a = {0};
	struct query q;
	const char *name = options_str(o, OPT_TYPE) && *options_str(o, OPT_TYPE) ? options_str(o, OPT_TYPE) : NULL;
	int type = name ? trace_weight_find(name) : options_typed(o, OPT_BLAME) ? TRACE_SCHED : (int)trace_default_type(t->sn);
	struct profile *p = NULL;
	if (t->sn->trace.log) {
		err_set(e, ERR_FORMAT, ERR_NOWHERE,
		    "this is a gctrace or schedtrace log and has no stacks; use gc, stw, mmu, procs or "
		    "stats");
		return NULL;
	}
	if (type < 0)
		err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "-type requires cpu, run, sched, sync, net, syscall, block, assist, alloc, critical or time, not \"%s\"", name);
	else if (!query_of_options(o, &q, e) && !query_add_places(t->sn, o, &q, e) &&
	    !check_type(o, (enum trace_weight_type)type, (enum trace_blame)q.blame, e))
		p = weigh_profile(t, o, (enum trace_weight_type)type, &q, side == TRACE_REST,
		    side == TRACE_RANGE ? query_use_range(t->sn, &q) : 1, &a, e);
	arena_free(&a);
	return p;
}
