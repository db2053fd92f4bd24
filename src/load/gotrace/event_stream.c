/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A whole trace: the header states the format; then generations are read, ordered, delivered and
 * freed one by one. Memory is that of one generation and of the live goroutines, whatever the
 * length of the file.
 *
 * Damage ends the reading; all events before it have been delivered. An incomplete generation is
 * dropped, as by the reference: it would add half a second of guesses to minutes of facts, and all
 * totals would differ from the reference's (with recovery, one event in a hundred would be a
 * guess). Only if there is no complete generation, as after a crash in the first second, its events
 * are shown. They are ordered by order_recover.c where the events before them are missing, and have
 * no stacks and names where the tables are missing.
 */
#include "config.h"
#include "load/gotrace/event_stream.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/text.h"
#include "load/gotrace/merge.h"
#include "load/gotrace/pipeline.h"
#include "load/gotrace1/parse.h"

#include <inttypes.h>
#include <stdio.h>

enum { AHEAD = 1 << 20 };	/* bytes of input from which a second thread pays */

struct stream_reading {
	struct bytes in;
	struct event_stream_feed *feed;
	struct event_orderer order;
	struct event_stream_info *info;
	struct err *damage;
	double ns_per_tick;	/* of the previous generation */
	uint64_t experimental;
};

static void warn(struct stream_reading *r, uint64_t at, const char *msg)
{
	struct event_orderer *o = &r->order;
	order_flush(o);
	if (o->ops->warn)
		o->ops->warn(o->self, at, msg);
}

static void report_lost(struct stream_reading *r, uint64_t lost)
{
	char msg[480];
	struct event_stream_info *i = r->info;
	if (lost > r->in.n)
		lost = r->in.n;
	i->lost = lost;
	i->lost_at = r->damage->at;
	if (lost)
		snprintf(msg, sizeof msg, "%" PRIu64 " of %zu bytes (%.2f%%) lost: %s", lost, r->in.n,
		    100 * (double)lost / (double)r->in.n, r->damage->msg);
	else
		snprintf(msg, sizeof msg, "%s", r->damage->msg);
	warn(r, r->damage->at, msg);
}

/* Warn that the input ended within the first generation; before Go 1.26 only the next generation ends one. */
static void report_cut(struct stream_reading *r)
{
	r->info->lost_at = r->damage->at;
	warn(r, r->damage->at,
	    "no generation is complete: the events of the first one are shown as far as they can be "
	    "ordered, functions without names as addresses, lost stacks as numbers");
}

/* Order a generation, deliver its events and call generation(). Returns 0 to continue. */
static int order_and_emit(struct stream_reading *r, struct trace_generation *g, uint64_t end)
{
	struct event_stream_info *i = r->info;
	uint64_t lost;
	struct err why;
	i->generations++;
	i->batches += g->nbatches;
	const uint64_t latest = UINT64_C(1) << 33;	/* seconds; as ns they need 63 bits */
	if (g->clock.known && i->wall == TIME_NONE && g->clock.sec < latest) {
		i->wall = (int64_t)g->clock.sec * 1000000000 + (int64_t)(g->clock.nsec % 1000000000);
		i->wall_at = g->clock.time;
	}
	r->experimental += g->experimental;
	r->ns_per_tick = g->ns_per_tick;
	bool whole = !g->salvaged;
	int ret = merge_generation(&r->order, g, &lost, &why);
	i->bytes = end;
	if (ret) {
		*r->damage = why;
		report_lost(r, lost + (r->in.n - end));
		return -1;
	}
	struct event_orderer *o = &r->order;
	if (whole && g->salvaged) {
		*r->damage = why;
		report_cut(r);
	}
	if (!o->stopped && o->ops->generation && !o->ops->generation(o->self, i))
		o->stopped = true;
	return o->stopped ? -1 : 0;
}

/* Emit the Sync that ends the trace, after the last whole generation. It belongs to an empty generation. */
static void emit_end(struct stream_reading *r)
{
	struct trace_generation *none = generation_new();
	r->order.gen = none;
	order_emit_sync(&r->order, r->order.last, false);
	order_flush(&r->order);
	r->feed->drop(r->feed->self, none);
}

/* Order what exists of a generation whose tables or end are missing. */
static void order_incomplete(struct stream_reading *r, struct trace_generation *g)
{
	struct err after = *r->damage;
	if (r->info->generations || !generation_salvage(g, r->ns_per_tick)) {
		report_lost(r, r->in.n - g->at);
		return;
	}
	warn(r, g->at,
	    "no generation is complete: the events of the first one are shown as far as they can be "
	    "ordered, functions without names as addresses, lost stacks as numbers");
	if (!order_and_emit(r, g, g->end)) {
		*r->damage = after;
		report_lost(r, r->in.n - g->end);
	}
}

/* Since Go 1.26 a trace that was stopped ends with an end-of-generation event. A trace that was not stopped begins
   another generation, of which only the head is written at first. What exists is whole, so this is not damage. */
static void report_unstopped(struct stream_reading *r, const struct trace_generation *g)
{
	if (g->number)
		warn(r, ERR_ASIDE,
		    "recording not stopped (trace.Stop): the program ended or is still running; up to "
		    "one second at the end is missing");
	else if (!r->info->generations)
		warn(r, ERR_NOWHERE, GO_NOTHING);
}

static int read_v2(struct stream_reading *r, int version)
{
	const uint64_t from = r->order.ops->from ? r->order.ops->from : GO_HEADER;
	struct byte_cursor c = byte_cursor_make(r->in.p + from, r->in.n - from, from);
	for (;;) {
		struct trace_generation *g;
		struct err e = {0};
		int got = generation_read(&c, version, &r->in, &g, &e);
		if (got > 0 && order_and_emit(r, g, byte_cursor_at(&c))) {
			r->feed->drop(r->feed->self, g);
			return 0;
		}
		if (got > 0 && e.kind == ERR_NONE && (version >= 26 || byte_cursor_left(&c))) {
			r->feed->drop(r->feed->self, g);
			continue;
		}
		emit_end(r);
		if (!got && version >= 26 && from == GO_HEADER)
			report_unstopped(r, g);
		if (got < 0 && r->in.n <= GO_HEADER)
			err_set(&e, ERR_FORMAT, GO_HEADER, GO_NOTHING);
		if (got && e.kind != ERR_NONE) {
			*r->damage = e;
			if (got < 0)
				order_incomplete(r, g);
			else
				report_lost(r, r->in.n - (g->end > byte_cursor_at(&c) ? g->end : byte_cursor_at(&c)));
		}
		r->feed->drop(r->feed->self, g);
		return got < 0 && !r->info->generations ? -1 : 0;
	}
}

static int read_v1(struct stream_reading *r, int version)
{
	uint64_t lost;
	struct trace_generation *g;
	int ret = gotrace1_read(r->in, version, &r->order, &g, &lost, r->damage);
	bool odd = !ret && r->damage->kind != ERR_NONE;
	if (!ret && r->order.unended)
		warn(r, ERR_NOWHERE,
		    "truncated: the end of the trace is missing (was trace.Stop called?); times are clock ticks "
		    "shown as nanoseconds, stacks are numbers");
	if (odd && (lost || !r->order.unended))
		report_lost(r, lost);
	if (!ret && version < 7)
		warn(r, ERR_ASIDE, "Go 1.5 and 1.6 wrote no function names: functions are shown as addresses");
	r->feed->drop(r->feed->self, g);
	return ret;
}

/* Warn about events whose cause is in a part that is missing. */
static void report_missing(struct stream_reading *r, uint64_t n, const char *done)
{
	char msg[120];
	if (!n)
		return;
	snprintf(msg, sizeof msg, "%" PRIu64 " event%s without the event that has to precede %s: %s",
	    n, text_s(n), n == 1 ? "it" : "them", done);
	warn(r, ERR_NOWHERE, msg);
}

static void emit_notices(struct stream_reading *r)
{
	char msg[200];
	report_missing(r, r->order.forced, "shown anyway");
	report_missing(r, r->order.dropped, "ignored");
	if (r->experimental) {
		snprintf(msg, sizeof msg, "%" PRIu64 " batch%s of experimental data %s not shown",
		    r->experimental, text_es(r->experimental), r->experimental == 1 ? "is" : "are");
		warn(r, ERR_ASIDE, msg);
	}
	if (r->order.misused) {
		snprintf(msg, sizeof msg, "%" PRIu64 " region%s ended before a region inside %s: they overlap",
		    r->order.misused, text_s(r->order.misused), r->order.misused == 1 ? "it" : "them");
		warn(r, ERR_ASIDE, msg);
	}
}

int event_stream_run(struct bytes in, const struct event_stream_ops *ops, void *self, struct event_stream_info *info,
    struct err *damage, struct event_stream_feed *feed)
{
	struct stream_reading r = {.in = in, .info = info, .damage = damage, .feed = feed};
	order_init(&r.order, ops, self, info, feed->first, in.n);
	feed->order = &r.order;
	if (info->version > GO_NEWEST) {
		char msg[120];
		snprintf(msg, sizeof msg, "trace version go 1.%d is newer than ttrace knows: read as go 1.%d",
		    info->version,
		    GO_NEWEST);
		warn(&r, 0, msg);
	}
	int ret = info->version < 22 ? read_v1(&r, info->version) : read_v2(&r, info->version);
	emit_notices(&r);
	feed->order = NULL;
	order_free(&r.order);
	return ret;
}

static void drop_now(void *self, struct trace_generation *g)
{
	input_release_before(self, g->end);
	generation_free(g);
}

int event_stream_read(struct bytes in, const struct event_stream_ops *ops, void *self, struct event_stream_info *info,
    struct err *damage)
{
	struct err own;
	if (!damage)
		damage = &own;
	*damage = (struct err){.kind = ERR_NONE, .at = ERR_NOWHERE};
	*info = (struct event_stream_info){.wall = TIME_NONE, .wall_at = TIME_NONE, .lost_at = ERR_NOWHERE};
	info->version = wire_version(in);
	if (info->version < 0)
		return err_set(damage, ERR_FORMAT, 0, "bad file format: not a Go execution trace");
	if (info->version < 5)
		return err_set(damage, ERR_FORMAT, 0,
		    "unknown or unsupported trace version go 1.%d",
		    info->version);
	if (job_cpus() > 1 && (in.n >= AHEAD || job_forced_threads()))
		return pipeline_read(in, ops, self, info, damage);
	struct event_stream_feed feed = {.drop = drop_now, .self = &in};
	if (ops->begin)
		ops->begin(self);
	return event_stream_run(in, ops, self, info, damage, &feed);
}
