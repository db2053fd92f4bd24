/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Opening files. The first is opened and recognised at once, so that a wrong
 * name or a wrong kind is one line before the screen is touched; the reading is
 * a job. A trace is said to the store by its reader, and so is a profile that is
 * shown as it is. Others go the way of the reports (session/fetch.c): merged, a
 * base subtracted, uninteresting frames dropped, so that the viewer shows what
 * `ttrace top` prints.
 */
#include "config.h"
#include "session/opening.h"

#include "session/fetch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The worker's own: op->job is the interface's. */
struct reading {
	struct job *job;
	struct opening *op;
};

static bool on_publish(void *arg, uint64_t bytes)
{
	struct reading *r = arg;
	job_tell(r->job, bytes, r->op->first.n);
	job_wake(r->job);
	return !job_cancelled(r->job);
}

__attribute__((format(printf, 2, 3))) static void notice(void *arg, const char *fmt, ...)
{
	struct sink *sink = arg;
	char msg[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof msg, fmt, ap);
	va_end(ap);
	sink->ops->warn(sink->self, ERR_NOWHERE, "%s", msg);
}

/* Is the first file the whole profile as it stands? Most are: then it needs no model of the reports' first. */
static bool as_it_is(const struct opening *op)
{
	static const enum opt_id changes[] = {
	    OPT_BASE, OPT_DIFF_BASE, OPT_SYMBOLIZE, OPT_BUILDID, OPT_ADD_COMMENT, OPT_NORMALIZE};
	if (op->o->nfile != 1 || op->reader->read != read_pprof)
		return false;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		if (op->o->v[changes[i]].set)
			return false;
	return opt_bool(op->o, OPT_ALL_FRAMES) || !pprof_prunes(op->first);
}

static int read_profiles(struct opening *op, struct sink *sink)
{
	if (as_it_is(op))
		return op->reader->read(op->first, sink, &op->err);
	struct prof *p = fetch_profile_of(op->o, op->first.p ? &op->first : NULL, notice, sink, &op->err);
	if (!p)
		return -1;
	prof_emit(p, sink);
	prof_free(p);
	return 0;
}

static int run(struct job *j, void *arg)
{
	struct opening *op = arg;
	struct sink sink = build_sink(op->build);
	struct reading r = {j, op};
	build_on_publish(op->build, on_publish, &r);
	int rc = op->reader->kind == FK_GOTRACE ? op->reader->read(op->first, &sink, &op->err)
						 : read_profiles(op, &sink);
	build_finish(op->build);
	build_on_publish(op->build, NULL, NULL);
	return rc;
}

/* Recognise the first file. A program before a profile gives it its name only: look at the second. */
static int recognise(struct opening *op, struct err *e)
{
	const struct opt *o = op->o;
	struct err why = {.at = ERR_NOWHERE};
	if (input_open(o->file[0], &op->first, e))
		return -1;
	if (input_gunzip(&op->first, &why) || !(op->reader = sniff(op->first, &why))) {
		bool program = o->nfile > 1 && op->first.n > 4 && !memcmp(op->first.p, "\177ELF", 4);
		input_close(&op->first);
		struct bytes b;
		if (!program || input_open(o->file[1], &b, e)) {
			err_set(e, why.kind, why.at, "%s: %s", o->file[0], why.msg);
			return -1;
		}
		if (!input_gunzip(&b, e))
			op->reader = sniff(b, e);
		input_close(&b);
	}
	if (op->reader && op->reader->kind == FK_GOTRACE && o->nfile > 1) {
		input_close(&op->first);
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "a trace is looked at alone: name one file");
	}
	return op->reader ? 0 : -1;
}

int opening_start(struct opening *op, const struct opt *o, struct err *e)
{
	*op = (struct opening){.o = o, .err = {.at = ERR_NOWHERE}};
	if (recognise(op, e))
		return -1;
	op->build = build_new();
	build_total(op->build, op->first.n);
	struct sink sink = build_sink(op->build);
	op->ns = sink.ops->str(sink.self, "nanoseconds", 11);
	op->job = job_start(run, op);
	if (!op->job) {
		opening_free(op);
		return err_set(e, ERR_LIMIT, ERR_NOWHERE, "no thread to read with");
	}
	return 0;
}

void opening_join(struct opening *op)
{
	if (!op->job)
		return;
	op->failed = job_join(op->job) < 0;
	op->job = NULL;
	input_close(&op->first);
}

void opening_free(struct opening *op)
{
	if (op->job)
		job_cancel(op->job);
	opening_join(op);
	input_close(&op->first);
	if (op->build)
		build_free(op->build);
	op->build = NULL;
}
