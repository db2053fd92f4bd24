/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Opens files. A local file is opened and recognised at once by its first bytes, so that a wrong name or a wrong kind
 * is one line before the screen is touched. Slow work is done in a job: inflating, reading, and for a server or a pipe
 * also the recognition. A reader writes a trace directly into the store, and likewise a profile that is shown
 * unchanged. Other profiles are read as for reports (session/merge_profiles.c): merged, a base subtracted,
 * uninteresting frames dropped, so that the viewer shows what `ttrace top` prints.
 */
#include "config.h"
#include "session/open_job.h"

#include "session/merge_profiles.h"
#include "store/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct read_progress {
	struct job *job;
	struct opening_job *op;
};

static bool on_publish(void *arg, uint64_t bytes)
{
	struct read_progress *r = arg;
	if (!r->job)
		return true;
	job_report_progress(r->job, bytes, r->op->first.n);
	job_wake(r->job);
	return !job_cancelled(r->job);
}

__attribute__((format(printf, 2, 3))) static void add_notice(void *arg, const char *fmt, ...)
{
	struct sink *sink = arg;
	char msg[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof msg, fmt, ap);
	va_end(ap);
	sink->ops->warn(sink->self, ERR_NOWHERE, "%s", msg);
}

/* May the first file be the whole profile without changes? */
static bool may_be_as_it_is(const struct opening_job *op)
{
	static const enum option_id changes[] = {
	    OPT_BASE, OPT_DIFF_BASE, OPT_SYMBOLIZE, OPT_BUILDID, OPT_ADD_COMMENT, OPT_NORMALIZE};
	const struct reader *r = op->reader;
	if (op->o->nfile != 1 || r->read != pprof_read || op->o->downloads)
		return false;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		if (op->o->v[changes[i]].set)
			return false;
	return true;
}

/* It is, unless it has drop_frames or names to be demangled. Then the reports' model is not needed. */
static bool as_it_is(const struct opening_job *op)
{
	return may_be_as_it_is(op) && !pprof_has_linker_names(op->first) &&
	       (options_bool(op->o, OPT_ALL_FRAMES) || !pprof_has_drop_frames(op->first));
}

static int read_profiles(struct opening_job *op, struct sink *sink, struct job *j)
{
	const struct reader *reader = op->reader;
	struct input_watch watch = input_wait_watch(j);
	struct options o = *op->o;
	o.watch = &watch;
	if (as_it_is(op))
		return reader->read(op->first, sink, &op->err);
	input_drop_ahead(&op->first);
	struct profile *p =
	    merge_profiles_read_from(&o, op->first.p ? &op->first : NULL, add_notice, sink, &op->err);
	if (!p)
		return -1;
	bool stopped = j && job_cancelled(j);
	bool alone = op->o->nfile == 1 && !op->o->v[OPT_BASE].set && !op->o->v[OPT_DIFF_BASE].set;
	if (stopped && !alone) {	/* it may be merged or subtracted in part */
		profile_free(p);
		return err_set(&op->err, ERR_CANCEL, ERR_NOWHERE, "stopped");
	}
	if (stopped)	/* all that was read is shown */
		builder_on_publish(op->store_builder, NULL, NULL);
	pprof_to_sink(p, sink);
	profile_free(p);
	return 0;
}

static int set_file_error(struct err *e, const char *file, const struct err *why)
{
	return err_set(e, why->kind, why->at, "%s: %.240s", file, why->msg);
}

static int check_alone(const struct opening_job *op, const struct reader *r, struct err *e)
{
	if (r->kind == FK_GOTRACE && op->o->nfile > 1)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "only one trace can be opened at a time");
	return 0;
}

/* Recognise the input after all of it has arrived. If the first file is a program, it only names the profile: recognise
   the second. */
static int recognise_whole(struct opening_job *op, struct err *e)
{
	const struct options *o = op->o;
	struct err why = {.at = ERR_NOWHERE};
	const struct reader *r = NULL;
	if (download_open_watched(o, o->file[0], &op->pending_input.watch, &op->first, e))
		return -1;
	if (!input_gunzip_watched(&op->first, &op->pending_input.watch, &why))
		r = sniff(op->first, &why);
	if (!r && o->nfile > 1 && sniff_program(op->first)) {
		struct bytes b;
		input_close(&op->first);
		if (input_wait_open(&op->pending_input, o->file[1], &b, e))
			return -1;
		r = sniff(b, &why);
		input_close(&b);
		if (!r)
			return set_file_error(e, o->file[1], &why);
	}
	if (!r)
		return set_file_error(e, o->file[0], &why);
	if (check_alone(op, r, e))
		return -1;
	op->reader = r;
	return 0;
}

/* Wait for the input and inflate it, in the job. */
static int wait_for_input(struct opening_job *op, struct job *j)
{
	if (input_wait_fetch(&op->pending_input, j, &op->err))
		return -1;
	if (op->reader && op->first.p)
		input_cache_keep(&op->cached_inputs, op->o->file[0], &op->first);
	else if (!op->reader && recognise_whole(op, &op->err))
		return -1;
	struct sink sink = builder_sink(op->store_builder);
	if (op->first.p && (may_be_as_it_is(op) ? pprof_gunzip : input_gunzip_watched)(
			       &op->first, &op->pending_input.watch, &op->err)) {
		input_report_damage(&op->first, -1, &sink, &op->err);
		struct err why = op->err;
		return set_file_error(&op->err, op->o->file[0], &why);
	}
	builder_set_total(op->store_builder, op->first.n);
	return 0;
}

/* In the job, because freeing the inflated bytes may take long. */
static void close_input(struct opening_job *op)
{
	input_close(&op->first);
	mem_trim();
}

static void run_open_job(void *work, struct job *j)
{
	struct opening_job *op = work;
	struct sink sink = builder_sink(op->store_builder);
	struct read_progress r = {j, op};
	int rc = wait_for_input(op, j);
	const struct reader *reader = op->reader;
	builder_on_publish(op->store_builder, on_publish, &r);
	if (!rc)
		rc = reader->kind == FK_GOTRACE ? reader->read(op->first, &sink, &op->err) : read_profiles(op, &sink, j);
	if (op->first.p)
		rc = input_report_damage(&op->first, rc, &sink, &op->err);
	bool is_profile = !rc && reader->kind != FK_GOTRACE;
	if (is_profile)	/* free the input before a call tree is built */
		close_input(op);
	builder_finish(op->store_builder);
	builder_on_publish(op->store_builder, NULL, NULL);
	if (!is_profile)
		close_input(op);
	op->failed = rc < 0;
	if (op->failed && op->err.kind == ERR_CANCEL)
		err_set(&op->err, ERR_CANCEL, ERR_NOWHERE, "%s: loading was stopped before there was anything to show",
		    op->o->file[0]);
}

const struct async_kind open_job_kind = {run_open_job, NULL};

/* Recognise a local file. If the first file is a program, it only names the profile: recognise the second. */
static int recognise_file(struct opening_job *op, const char *file, struct err *e)
{
	struct err why = {.at = ERR_NOWHERE};
	if (input_open(file, &op->first, e))
		return -1;
	if (op->o->nfile > 1 && file == op->o->file[0] && sniff_program(op->first)) {
		input_close(&op->first);
		if (recognise_file(op, op->o->file[1], e))
			return -1;
		input_close(&op->first);
		return 0;
	}
	const struct reader *r = sniff_input(&op->first, &why);
	op->reader = r;
	if (r && !check_alone(op, r, e))
		return 0;
	input_close(&op->first);
	return r ? -1 : set_file_error(e, file, &why);
}

int open_job_init(struct opening_job *op, const struct options *o, struct err *e)
{
	*op = (struct opening_job){.own = *o, .err = {.at = ERR_NOWHERE}};
	op->o = &op->own;
	op->own.keep = &op->cached_inputs;
	input_wait_plan(&op->pending_input, &op->own);
	if (!download_needed(o) && recognise_file(op, o->file[0], e))
		return -1;
	op->store_builder = builder_new();
	struct sink sink = builder_sink(op->store_builder);
	op->ns = sink.ops->str(sink.self, "nanoseconds", 11);
	op->bytes = sink.ops->str(sink.self, "bytes", 5);
	return 0;
}

void open_job_free(struct opening_job *op)
{
	input_close(&op->first);
	input_cache_free(&op->cached_inputs);
	if (op->store_builder)
		builder_free(op->store_builder);
	op->store_builder = NULL;
	input_wait_free(&op->pending_input);
}
