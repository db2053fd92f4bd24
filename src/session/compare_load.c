/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Adds a file to a store. Reading takes long and needs no store; afterwards the
 * rows are added in one go, and nothing is published in between, so a reader
 * never sees half of a side. The store has one writer at a time: the loader of
 * the first file has ended before this job starts, and while the job runs the UI
 * thread adds no strings (builder_reopen).
 *
 * A trace is weighed by its intervals and not by samples, and the weights follow
 * the filters. So its store is kept as long as the session, and only its call
 * tree is copied: leaf by leaf, as stacks of locations, which the main store
 * merges with its own stacks by content.
 */
#include "config.h"
#include "session/compare_load.h"

#include "base/mem/mem.h"
#include "load/load.h"
#include "session/merge_profiles.h"
#include "store/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool go_on(void *arg, uint64_t bytes)
{
	(void)bytes;
	return !arg || !job_cancelled(arg);
}

__attribute__((format(printf, 2, 3))) static void add_notice(void *arg, const char *fmt, ...)
{
	struct compare_loader *a = arg;
	struct sink sink = builder_sink(a->main);
	char msg[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof msg, fmt, ap);
	va_end(ap);
	sink.ops->warn(sink.self, ERR_NOWHERE, "%s", msg);
}

static int add_profile(struct job *j, struct compare_loader *a)
{
	struct sink sink = builder_sink(a->main);
	struct profile *p = merge_profiles_read(&a->o, add_notice, a, &a->err);
	int rc = p ? 0 : -1;
	if (!rc && !go_on(j, 0))
		rc = err_set(&a->err, ERR_CANCEL, ERR_NOWHERE, "%s: cancelled", a->file);
	if (!rc && pprof_add_side(p, a->sn, &sink, a->side, &a->err)) {
		struct err why = a->err;
		rc = err_set(&a->err, why.kind, why.at, "%s: %.160s", a->file, why.msg);
	}
	if (p)
		profile_free(p);
	return rc;
}

/* ---- the call tree of a trace */

struct store_copier {
	const struct store *from;
	struct sink to;
	str_id *str;
	fun_id *fun;
	loc_id *loc;
};

static str_id copy_str(struct store_copier *c, str_id s)
{
	if (s && !c->str[s])
		c->str[s] = c->to.ops->str(c->to.self, store_str(c->from, s)->s, store_str(c->from, s)->n);
	return c->str[s];
}

static fun_id copy_fun(struct store_copier *c, fun_id f)
{
	const struct fun_row *r = store_fun(c->from, f);
	if (f && !c->fun[f])
		c->fun[f] = c->to.ops->fun(c->to.self, &(struct sink_fun){.name = copy_str(c, r->name),
		    .sysname = copy_str(c, r->sysname), .file = copy_str(c, r->file), .line = r->line});
	return c->fun[f];
}

/* Locations get no mapping: addresses of another process would keep equal lines apart. */
static loc_id copy_loc(struct store_copier *c, loc_id l)
{
	if (!l || c->loc[l])
		return c->loc[l];
	const struct loc_row *r = store_loc(c->from, l);
	struct sink_line *line = xcalloc(r->nline, sizeof *line);
	for (uint32_t i = 0; i < r->nline; i++) {
		const struct frm_row *f = store_frm(c->from, r->first + i);
		line[i] = (struct sink_line){copy_fun(c, f->fun), f->line, store_col(c->from, r->first + i)};
	}
	c->loc[l] = c->to.ops->loc(c->to.self, &(struct sink_loc){.addr = r->addr, .line = line,
	    .nline = store_frm(c->from, r->first)->fun ? r->nline : 0});
	mem_free(line);
	return c->loc[l];
}

static stk_id *copy_tree(const struct snap *from, struct store_builder *main)
{
	struct store_copier c = {from->st, builder_sink(main), xcalloc(from->nstrs + 1u, sizeof *c.str),
	    xcalloc(from->nfuns + 1u, sizeof *c.fun), xcalloc(from->nlocs + 1u, sizeof *c.loc)};
	stk_id *to = xcalloc(from->nstks + 1u, sizeof *to);
	loc_id *way = NULL;
	size_t cap = 0;
	for (stk_id i = 1; i < from->nstks; i++) {
		frm_id f = stk_frame(from->st, i);
		if (f != store_loc(from->st, store_frm(from->st, f)->loc)->first)
			continue;	/* inside a location: no stack ends here */
		size_t n = 0;
		for (stk_id k = i; k; k = stk_parent(from->st, k)) {
			f = stk_frame(from->st, k);
			loc_id l = store_frm(from->st, f)->loc;
			if (f != store_loc(from->st, l)->first)
				continue;
			way = mem_grow(way, &cap, n + 1, sizeof *way);
			way[n++] = copy_loc(&c, l);
		}
		to[i] = c.to.ops->stack(c.to.self, way, n);
	}
	mem_free(way);
	mem_free(c.str);
	mem_free(c.fun);
	mem_free(c.loc);
	return to;
}

static int add_trace(struct job *j, struct compare_loader *a)
{
	struct bytes in;
	if (input_wait_open(&a->pending_input, a->file, &in, &a->err))
		return -1;
	const struct reader *r = sniff(in, &a->err);
	int rc = r ? 0 : -1;
	if (r && r->kind != FK_GOTRACE)
		rc = err_set(&a->err, ERR_USAGE, ERR_NOWHERE,
		    "%s: this is a %s; a trace can only be compared with a trace", a->file, r->name);
	if (!rc) {
		struct store_builder *b = builder_new();
		struct sink sink = builder_sink(b);
		builder_on_publish(b, go_on, j);
		rc = input_report_damage(&in, r->read(in, &sink, &a->err), &sink, &a->err);
		const struct snap *sn = builder_finish(b);
		builder_on_publish(b, NULL, NULL);
		if (!rc && !go_on(j, 0))
			rc = err_set(&a->err, ERR_CANCEL, ERR_NOWHERE, "%s: cancelled", a->file);
		if (!rc)
			a->to = copy_tree(sn, a->main);
		a->own = b;
	}
	input_close(&in);
	return rc;
}

void compare_free_report_side(struct report_side *m)
{
	if (!m)
		return;
	options_free(&m->options);
	input_cache_drop(&m->cached_inputs);
	mem_free(m->line);
	arena_free(&m->mem);
	mem_free(m);
}

/* Make the profile by a report. Its bytes are then read like those of a cached file. */
static int make_profile(struct job *j, struct compare_loader *a)
{
	struct report_side *m = a->made;
	struct buf b = {0};
	m->watch = input_wait_watch(j);
	m->options.watch = &m->watch;
	if (m->fn(&m->options, &b, &a->err)) {
		buf_free(&b);
		return -1;
	}
	input_cache_add(&a->cached_inputs,
	    &(struct cached_input){.name = a->file, .b = {.p = (uint8_t *)b.p, .n = b.n, .file_n = b.n, .owned = b.p}});
	a->o.cached_inputs = &a->cached_inputs;
	return 0;
}

static int load(struct job *j, struct compare_loader *a)
{
	if (a->made)
		return make_profile(j, a) ? -1 : add_profile(j, a);
	if (a->own) {
		a->to = copy_tree(builder_snap(a->own), a->main);
		return 0;
	}
	if (input_wait_fetch(&a->pending_input, j, &a->err))
		return -1;
	return a->trace ? add_trace(j, a) : add_profile(j, a);
}

static void run_load_job(void *work, struct job *j)
{
	struct compare_loader *a = work;
	a->failed = load(j, a) < 0;
}

static void free_dropped(void *work)
{
	compare_load_end(work);
	compare_load_free(work);
}

/* Its work is a struct compare_loader. */
static const struct async_kind load_kind = {run_load_job, free_dropped};

struct compare_loader *compare_load_start(struct compare_loader *a, struct async *slot)
{
	a->err = (struct err){.at = ERR_NOWHERE};
	a->o.file = &a->file;
	a->o.nfile = 1;
	a->o.keep = &a->cached_inputs;
	if (a->own)
		input_cache_keep(&a->cached_inputs, a->file, &(struct bytes){0});
	else if (!a->made)
		input_wait_plan(&a->pending_input, &a->o);
	builder_reopen(a->main);
	return async_start(slot, &load_kind, a, ASYNC_ALWAYS);
}

void compare_load_end(struct compare_loader *a)
{
	builder_publish_reopened(a->main);
}

void compare_load_free(struct compare_loader *a)
{
	if (!a)
		return;
	builder_free(a->own);
	mem_free(a->to);
	input_wait_free(&a->pending_input);
	input_cache_free(&a->cached_inputs);
	compare_free_report_side(a->made);
	mem_free(a);
}
