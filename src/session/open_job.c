/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Opening files. A file at hand is opened and recognised at once by its first
 * bytes, so that a wrong name or a wrong kind is one line before the screen is
 * touched; what may keep one waiting is a job: gunzip, reading, and the whole of
 * it where a server or a pipe has to speak first. A trace is said to the store by its reader, and so is a profile that
 * is shown as it is. Others go the way of the reports (session/merge_profiles.c): merged, a base subtracted, uninteresting
 * frames dropped, so that the viewer shows what `ttrace top` prints.
 */
#include "config.h"
#include "session/open_job.h"

#include "load/gotrace/reader.h"
#include "load/gotrace/wire.h"
#include "session/merge_profiles.h"
#include "session/trace_reread.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 1 << 16, LARGE = 64 << 20 };

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
	job_rest(r->job);
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

/* May the first file be the whole profile as it stands? */
static bool may_be_as_it_is(const struct opening *op)
{
	static const enum opt_id changes[] = {
	    OPT_BASE, OPT_DIFF_BASE, OPT_SYMBOLIZE, OPT_BUILDID, OPT_ADD_COMMENT, OPT_NORMALIZE};
	const struct reader *r = op->reader;
	if (op->o->nfile != 1 || r->read != read_pprof || op->o->remote)
		return false;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		if (op->o->v[changes[i]].set)
			return false;
	return true;
}

/* It is, mostly: then it needs no model of the reports' first. */
static bool as_it_is(const struct opening *op)
{
	return may_be_as_it_is(op) && (opt_bool(op->o, OPT_ALL_FRAMES) || !pprof_prunes(op->first));
}

static int read_profiles(struct opening *op, struct sink *sink)
{
	const struct reader *reader = op->reader;
	if (as_it_is(op))
		return reader->read(op->first, sink, &op->err);
	input_forget_ahead(&op->first);
	struct prof *p = fetch_profile_of(op->o, op->first.p ? &op->first : NULL, notice, sink, &op->err);
	if (!p)
		return -1;
	prof_emit(p, sink);
	prof_free(p);
	return 0;
}

static int refuse(struct err *e, const char *file, const struct err *why)
{
	return err_set(e, why->kind, why->at, "%s: %.240s", file, why->msg);
}

static bool is_program(struct bytes b)
{
	return b.n > 4 && !memcmp(b.p, "\177ELF", 4);
}

static int check_alone(const struct opening *op, const struct reader *r, struct err *e)
{
	if (r->kind == FK_GOTRACE && op->o->nfile > 1)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "only one trace can be opened at a time");
	return 0;
}

/* What came is whole: what is it? A program before a profile gives it its name only: look at the second. */
static int recognise_whole(struct opening *op, struct err *e)
{
	const struct opt *o = op->o;
	struct err why = {.at = ERR_NOWHERE};
	const struct reader *r = NULL;
	if (source_open_for(o, o->file[0], &op->arrival.watch, &op->first, e))
		return -1;
	if (!input_gunzip_for(&op->first, &op->arrival.watch, &why))
		r = sniff(op->first, &why);
	if (!r && o->nfile > 1 && is_program(op->first)) {
		struct bytes b;
		input_close(&op->first);
		if (arrival_open(&op->arrival, o->file[1], &b, e))
			return -1;
		r = sniff(b, &why);
		input_close(&b);
		if (!r)
			return refuse(e, o->file[1], &why);
	}
	if (!r)
		return refuse(e, o->file[0], &why);
	if (check_alone(op, r, e))
		return -1;
	op->reader = r;
	return 0;
}

/* All of it, in the job. */
static int arrive(struct opening *op, struct job *j)
{
	if (arrival_fetch(&op->arrival, j, &op->err))
		return -1;
	if (op->reader && op->first.p)
		hand_keep(&op->hand, op->o->file[0], &op->first);
	else if (!op->reader && recognise_whole(op, &op->err))
		return -1;
	struct sink sink = build_sink(op->build);
	if (op->first.p &&
	    (may_be_as_it_is(op) ? input_gunzip_ahead : input_gunzip_for)(&op->first, &op->arrival.watch, &op->err)) {
		input_said(&op->first, -1, &sink, &op->err);
		struct err why = op->err;
		return refuse(&op->err, op->o->file[0], &why);
	}
	build_total(op->build, op->first.n);
	return 0;
}

/* A trace at hand that was read before, and is as it was. */
static bool was_read(struct opening *op)
{
	const struct reader *r = op->reader;
	if (!r || op->part || r->kind != FK_GOTRACE || op->o->remote || op->arrival.going)
		return false;
	indexing_plan(&op->index, op->o, op->o->file[0], &op->first);
	if (op->index.on && op->first.n >= LARGE && !access(op->index.name, R_OK)) {
		struct sink sink = build_sink(op->build);	/* to look at while the index is checked */
		gooutline_free(gooutline_new(op->first, &sink));
	}
	if (!indexing_use(&op->index, op->build))
		return false;
	hand_keep(&op->hand, op->o->file[0], &op->first);
	return true;
}

static int read_trace(struct opening *op, struct sink *sink)
{
	if (op->part)
		return read_gotrace_part(op->first, op->part, sink, &op->err);
	op->again = again_new(op->build, &op->first);
	return op->reader->read(op->first, sink, &op->err);
}

/* In the job: what it was inflated to may take long to give back. */
static void close_input(struct opening *op)
{
	input_close(&op->first);
	mem_tidy();
}

static int run(struct job *j, void *arg)
{
	struct opening *op = arg;
	struct sink sink = build_sink(op->build);
	struct reading r = {j, op};
	build_on_publish(op->build, on_publish, &r);
	bool there = was_read(op);
	build_on_publish(op->build, NULL, NULL);
	if (there) {
		input_close(&op->first);
		return 0;
	}
	int64_t began = arrival_ms(&op->arrival);
	int rc = arrive(op, j);
	const struct reader *reader = op->reader;
	build_on_publish(op->build, on_publish, &r);
	if (!rc)
		rc = reader->kind == FK_GOTRACE ? read_trace(op, &sink) : read_profiles(op, &sink);
	if (op->first.p)
		rc = input_said(&op->first, rc, &sink, &op->err);
	bool profile = !rc && reader->kind != FK_GOTRACE;
	if (profile)	/* before anybody makes a shape of it: what is left of the input goes */
		close_input(op);
	build_finish(op->build);
	build_on_publish(op->build, NULL, NULL);
	if (!rc && !op->again)	/* all would have to be made again for it */
		indexing_read(&op->index, (arrival_ms(&op->arrival) - began) * 1000);
	if (!profile)
		close_input(op);
	return rc;
}

/* Recognise a file at hand by its head. */
static int recognise(struct opening *op, const char *file, struct err *e)
{
	uint8_t head[HEAD];
	struct err why = {.at = ERR_NOWHERE};
	if (input_open(file, &op->first, e))
		return -1;
	const struct reader *r = sniff(input_head(&op->first, head, sizeof head), &why);
	if (!r && op->o->nfile > 1 && file == op->o->file[0] && is_program(op->first)) {
		input_close(&op->first);
		if (recognise(op, op->o->file[1], e))
			return -1;
		input_close(&op->first);
		return 0;
	}
	/* damage near the beginning is said better by those who know where it is */
	if (!r && !input_gunzip(&op->first, &why))
		r = sniff(op->first, &why);
	op->reader = r;
	op->direct = r && gowire_version(op->first) >= 22;
	if (r && !check_alone(op, r, e))
		return 0;
	input_close(&op->first);
	return r ? -1 : refuse(e, file, &why);
}

/* Something that is read to its end before anything is known of it: not a file on a disk. */
static bool is_slow(const struct opt *o)
{
	struct stat st;
	for (size_t i = 0; i < o->nfile && i < 2; i++)
		if (!stat(o->file[i], &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			return true;
	return remote_needed(o);
}

int opening_start(struct opening *op, const struct opt *o, const struct trace_part *part, struct err *e)
{
	*op = (struct opening){.own = *o, .err = {.at = ERR_NOWHERE}};
	if (part) {
		op->own_part = *part;
		op->part = &op->own_part;
	}
	op->o = &op->own;
	op->own.keep = &op->hand;
	arrival_plan(&op->arrival, &op->own);
	if (!is_slow(o) && recognise(op, o->file[0], e))
		return -1;
	op->build = build_new();
	struct sink sink = build_sink(op->build);
	op->ns = sink.ops->str(sink.self, "nanoseconds", 11);
	op->job = job_start(run, op);
	if (!op->job) {
		opening_free(op);
		return err_set(e, ERR_LIMIT, ERR_NOWHERE, "cannot start a thread to read the file");
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
	indexing_free(&op->index);
	input_close(&op->first);
	hand_free(&op->hand);
	if (op->build)
		build_free(op->build);
	op->build = NULL;
	again_free(op->again);
	op->again = NULL;
	arrival_free(&op->arrival);
}
