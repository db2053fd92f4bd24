/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace events`: every event of a trace in order, in the format of the
 * reference's -d=parsed, so that scripts written for one can read the other.
 *
 * It streams: an event is printed and not kept. Most of the text is stacks, and
 * most stacks are repeated, so the text of a stack is made once in a generation
 * and then copied, up to a fixed limit of memory.
 */
#include "config.h"
#include "report/trace/trace_stream.h"
#include "report/trace/event_filter.h"

#include "base/mem/mem.h"
#include "base/text/go_quote.h"
#include "base/text/text.h"
#include "load/gotrace/event_stream.h"
#include "load/gotrace/wire.h"
#include "report/table.h"
#include "session/trace_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEEP_TEXT = 64 << 20 };

struct dump {
	struct out *out;
	struct event_criteria pick;
	bool safe;		/* standard output is a terminal */
	struct trace_stream_notes notes;
	enum table_format format;
	struct table table;	/* unused for text */
	int64_t first;		/* time of the first event, or TIME_NONE */
	const struct trace_generation *gen;
	uint64_t gen_number;
	struct buf text;	/* of stacks in this generation */
	struct text_range { uint32_t at, n; } *text_range;	/* by stack; n 0: not made yet */
	size_t nspan, capspan;
};

static const char *const kinds[] = {
	[TEV_SYNC] = "Sync", [TEV_METRIC] = "Metric", [TEV_LABEL] = "Label",
	[TEV_STACK_SAMPLE] = "StackSample", [TEV_RANGE_BEGIN] = "RangeBegin",
	[TEV_RANGE_ACTIVE] = "RangeActive", [TEV_RANGE_END] = "RangeEnd",
	[TEV_TASK_BEGIN] = "TaskBegin", [TEV_TASK_END] = "TaskEnd",
	[TEV_REGION_BEGIN] = "RegionBegin", [TEV_REGION_END] = "RegionEnd", [TEV_LOG] = "Log",
	[TEV_TRANSITION] = "StateTransition", [TEV_EXPERIMENTAL] = "Experimental",
};
static const char *const states[] = {
	[TST_UNDETERMINED] = "Undetermined", [TST_NOTEXIST] = "NotExist",
	    [TST_RUNNABLE] = "Runnable",
	[TST_RUNNING] = "Running", [TST_WAITING] = "Waiting", [TST_SYSCALL] = "Syscall",
	[TST_IDLE] = "Idle",
};
static const char *const metrics[] = {
	[TM_HEAP_LIVE] = "/memory/classes/heap/objects:bytes",
	[TM_HEAP_GOAL] = "/gc/heap/goal:bytes",
	[TM_GOMAXPROCS] = "/sched/gomaxprocs:threads",
};

static void put_quoted(struct buf *b, const struct trace_generation *g, uint32_t str)
{
	size_t n;
	const char *s = generation_str(g, str, &n);
	go_quote_append(b, s, n);
}

static void put_metric_value(struct buf *b, uint64_t v)
{
	buf_puts(b, "Value{Uint64(");
	buf_u64(b, v);
	buf_puts(b, ")}");
}

static void put_resource(struct buf *b, const struct trace_event *t)
{
	static const char *const names[] = {
		[TR_NONE] = "None", [TR_G] = "Goroutine(", [TR_P] = "Proc(", [TR_M] = "Thread("};
	buf_puts(b, names[t->resource]);
	if (t->resource == TR_NONE)
		return;
	buf_i64(b, t->id);
	buf_putc(b, ')');
}

/* Names of functions and files are printed as in the file, but control characters are made visible on a terminal. */
static void put_name(struct buf *b, bool safe, const char *s, size_t n)
{
	if (safe)
		text_safe(b, s, n);
	else
		buf_put(b, s, n);
}

static void put_frames(const struct dump *d, struct buf *b, uint32_t id)
{
	uint32_t n;
	const struct trace_frame *f = generation_stack(d->gen, id, &n);
	for (uint32_t i = 0; i < n; i++) {
		size_t len;
		const char *s = generation_str(d->gen, f[i].fun, &len);
		buf_putc(b, '\t');
		put_name(b, d->safe, s, len);
		buf_puts(b, " @ 0x");
		buf_hex(b, f[i].pc);
		buf_puts(b, "\n\t\t");
		s = generation_str(d->gen, f[i].file, &len);
		put_name(b, d->safe, s, len);
		buf_putc(b, ':');
		buf_u64(b, f[i].line);
		buf_putc(b, '\n');
	}
}

static void put_stack(struct dump *d, struct buf *b, const char *title, uint32_t id)
{
	buf_puts(b, title);
	if (id >= d->nspan || d->text.n > KEEP_TEXT) {
		put_frames(d, b, id);
		return;
	}
	struct text_range *s = &d->text_range[id];
	if (!s->n) {
		s->at = (uint32_t)d->text.n;
		put_frames(d, &d->text, id);
		s->n = (uint32_t)d->text.n - s->at;
	}
	if (s->n)	/* a stack without frames has no text, and d->text may have no memory yet */
		buf_put(b, d->text.p + s->at, s->n);
}

/* "2026-11-21T02:48:44.0448Z": as time.RFC3339Nano in the local time zone. */
static void put_wall(struct buf *b, uint64_t sec, uint64_t nsec)
{
	time_t t = (time_t)(sec + nsec / 1000000000);
	unsigned frac = (unsigned)(nsec % 1000000000);
	struct tm tm;
	char text[48], zone[16];
	if (!localtime_r(&t, &tm) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm) ||
	    !strftime(zone, sizeof zone, "%z", &tm)) {
		buf_u64(b, sec);
		return;
	}
	buf_puts(b, text);
	if (frac) {
		int digits = 9;
		for (; frac % 10 == 0; frac /= 10)
			digits--;
		buf_printf(b, ".%0*u", digits, frac);
	}
	if (!strcmp(zone, "+0000"))
		buf_putc(b, 'Z');
	else
		buf_printf(b, "%.3s:%s", zone, zone + 3);
}

static void put_sync(struct buf *b, const struct trace_generation *g, const struct trace_event *t)
{
	buf_puts(b, " N=");
	buf_u64(b, t->value);
	const struct trace_clock *c = generation_clock(g);
	if (!t->what || !c->known)
		return;
	buf_puts(b, " Trace=");
	buf_i64(b, c->time);
	buf_puts(b, " Mono=");
	buf_u64(b, c->mono);
	buf_puts(b, " Wall=");
	put_wall(b, c->sec, c->nsec);
}

static void put_range(struct buf *b, const struct trace_generation *g, const struct trace_event *t)
{
	size_t n;
	const char *s = generation_str(g, trace_event_name(t), &n);
	struct buf stw = {0};
	buf_puts(b, " Name=");
	switch ((enum trace_range_kind)t->what) {
	case TRG_GC:
		buf_puts(b, "\"GC concurrent mark phase\"");
		break;
	case TRG_ASSIST:
		buf_puts(b, "\"GC mark assist\"");
		break;
	case TRG_SWEEP:
		buf_puts(b, "\"GC incremental sweep\"");
		break;
	case TRG_STW:
		buf_puts(&stw, "stop-the-world (");
		buf_put(&stw, s, n);
		buf_putc(&stw, ')');
		go_quote_append(b, stw.p, stw.n);
		buf_free(&stw);
		break;
	}
	buf_puts(b, " Scope=");
	put_resource(b, t);
	if (t->kind != TEV_RANGE_END)
		return;
	buf_puts(b, " Attributes=[");
	if (t->what == TRG_SWEEP) {
		buf_puts(b, "\"bytes swept\"=");
		put_metric_value(b, t->value);
		buf_puts(b, " \"bytes reclaimed\"=");
		put_metric_value(b, t->value2);
	}
	buf_putc(b, ']');
}

/* Print the stack of the goroutine in transition: for a new goroutine where it starts, even if unknown; for one that
   stops, waits or is listed, that of the event. */
static void put_transition(struct dump *d, struct buf *b, const struct trace_event *t)
{
	buf_puts(b, t->resource == TR_G ? " GoID=" : " ProcID=");
	buf_i64(b, t->id);
	buf_putc(b, ' ');
	buf_puts(b, states[t->from]);
	buf_puts(b, "->");
	buf_puts(b, states[t->to]);
	buf_puts(b, " Reason=");
	put_quoted(b, d->gen, t->name);
	if (d->format != TF_TEXT)	/* stacks do not fit into a cell; the event's stack has its own */
		return;
	switch (t->wire) {
	case GE_GoCreate:
	case GE_GoCreateBlocked:
		put_stack(d, b, "\nTransitionStack=\n", t->stack2);
		break;
	case GE_GoStop:
	case GE_GoBlock:
	case GE_GoSyscallBegin:
	case GE_GoStatus:
	case GE_GoStatusStack:
		if (t->stack)
			put_stack(d, b, "\nTransitionStack=\n", t->stack);
		break;
	default:
		break;
	}
}

static void put_experimental(struct buf *b, const struct trace_event *t)
{
	const struct wire_event_spec *s = &wire_event_specs[t->wire];
	const uint64_t v[3] = {(uint64_t)t->id, t->value, t->value2};
	const char *a = strchr(s->args, ' ');
	buf_puts(b, " Name=");
	buf_puts(b, s->name);
	buf_puts(b, " Args=[");
	for (unsigned i = 0; a && i < 3; i++) {
		const char *end = strchr(++a, ' ');
		if (i)
			buf_puts(b, ", ");
		buf_put(b, a, end ? (size_t)(end - a) : strlen(a));
		buf_putc(b, '=');
		put_metric_value(b, v[i]);
		a = end;
	}
	buf_putc(b, ']');
}

static void put_details(struct dump *d, struct buf *b, const struct trace_event *t)
{
	const struct trace_generation *g = d->gen;
	switch ((enum trace_event_kind)t->kind) {
	case TEV_SYNC:
		put_sync(b, g, t);
		break;
	case TEV_METRIC:
		buf_puts(b, " Name=\"");
		buf_puts(b, metrics[t->what]);
		buf_puts(b, "\" Value=");
		put_metric_value(b, t->value);
		break;
	case TEV_LABEL:
		buf_puts(b, " Label=");
		put_quoted(b, g, t->name);
		buf_puts(b, " Resource=");
		put_resource(b, t);
		break;
	case TEV_STACK_SAMPLE:
		break;
	case TEV_RANGE_BEGIN:
	case TEV_RANGE_ACTIVE:
	case TEV_RANGE_END:
		put_range(b, g, t);
		break;
	case TEV_TASK_BEGIN:
	case TEV_TASK_END:
		buf_puts(b, " ID=");
		buf_u64(b, (uint64_t)t->id);
		buf_puts(b, " Parent=");
		buf_u64(b, t->value);
		buf_puts(b, " Type=");
		put_quoted(b, g, t->name);
		break;
	case TEV_REGION_BEGIN:
	case TEV_REGION_END:
		buf_puts(b, " Task=");
		buf_u64(b, (uint64_t)t->id);
		buf_puts(b, " Type=");
		put_quoted(b, g, t->name);
		break;
	case TEV_LOG:
		buf_puts(b, " Task=");
		buf_u64(b, (uint64_t)t->id);
		buf_puts(b, " Category=");
		put_quoted(b, g, t->name);
		buf_puts(b, " Message=");
		put_quoted(b, g, t->text);
		break;
	case TEV_TRANSITION:
		put_transition(d, b, t);
		break;
	case TEV_EXPERIMENTAL:
		put_experimental(b, t);
		break;
	}
}

static void put_event(struct dump *d, struct buf *b, const struct trace_event *t)
{
	buf_puts(b, "M=");
	buf_i64(b, t->m);
	buf_puts(b, " P=");
	buf_i64(b, t->p);
	buf_puts(b, " G=");
	buf_i64(b, t->g);
	buf_putc(b, ' ');
	buf_puts(b, kinds[t->kind]);
	buf_puts(b, " Time=");
	buf_i64(b, t->time);
	put_details(d, b, t);
	if (trace_event_stack(t) || t->kind == TEV_STACK_SAMPLE)
		put_stack(d, b, "\nStack=\n", trace_event_stack(t));
	buf_putc(b, '\n');
}

/* ---- for scripts */

static const struct table_col columns[] = {
	{"Time", "time_ns", TB_NS}, {"M", "m", TB_INT}, {"P", "p", TB_INT}, {"G", "g", TB_INT},
	{"Kind", "kind", TB_STR},
	{"Details", "details", TB_STR}, {"Stack", "stack", TB_STR},
};

/* Print functions, root first, as in folded stacks. */
static void put_folded(const struct dump *d, struct buf *b, uint32_t id)
{
	uint32_t n;
	const struct trace_frame *f = generation_stack(d->gen, id, &n);
	for (uint32_t i = n; i--;) {
		size_t len;
		const char *s = generation_str(d->gen, f[i].fun, &len);
		if (i + 1 < n)
			buf_putc(b, ';');
		buf_put(b, s, len);
	}
}

static void put_id(struct table *t, int64_t id)
{
	if (id < 0)
		table_none(t);
	else
		table_int(t, id);
}

static void put_row(struct dump *d, const struct trace_event *t)
{
	struct table *row = &d->table;
	struct buf b = {0};
	table_int(row, t->time - d->first);
	put_id(row, t->m);
	put_id(row, t->p);
	put_id(row, t->g);
	table_str(row, kinds[t->kind], strlen(kinds[t->kind]));
	put_details(d, &b, t);
	table_str(row, b.n ? b.p + 1 : "", b.n ? b.n - 1 : 0);	/* without the leading blank */
	buf_reset(&b);
	if (trace_event_stack(t))
		put_folded(d, &b, trace_event_stack(t));
	table_str(row, b.p ? b.p : "", b.n);
	buf_free(&b);
	table_pour(row, d->format, &d->out->buf);
}

static bool on_events(void *self, const struct trace_generation *g, const struct trace_event *t, size_t n)
{
	struct dump *d = self;
	if (d->gen != g || d->gen_number != generation_number(g) || d->nspan != generation_nstacks(g)) {
		d->gen = g;
		d->gen_number = generation_number(g);
		d->nspan = generation_nstacks(g);
		buf_reset(&d->text);
		d->text_range = mem_grow(d->text_range, &d->capspan, d->nspan + 1, sizeof *d->text_range);
		memset(d->text_range, 0, d->nspan * sizeof *d->text_range);
	}
	if (d->first == TIME_NONE && n)
		d->first = t[0].time;
	for (size_t i = 0; i < n; i++) {
		if (!event_criteria_match(&d->pick, g, &t[i]))
			continue;
		if (d->format == TF_TEXT)
			put_event(d, &d->out->buf, &t[i]);
		else
			put_row(d, &t[i]);
		output_flush(d->out, false);
	}
	return !d->out->failed && !(d->pick.times && n && t[n - 1].time >= d->pick.to);
}

static bool on_generation(void *self, const struct event_stream_info *info)
{
	(void)info;
	struct dump *d = self;
	d->gen = NULL;
	return true;
}

static void on_warn(void *self, uint64_t at, const char *msg)
{
	struct dump *d = self;
	trace_stream_add_note(&d->notes, at, msg);
}

int report_events(const struct options *o, struct out *out, struct err *e)
{
	static const struct event_stream_ops ops = {on_events, on_warn, on_generation, NULL, NULL, NULL, 0};
	struct bytes in;
	enum table_format format;
	if (table_format(o, &format, e) || trace_stream_open(o, &in, e))
		return -1;
	struct dump d = {
	    .out = out, .format = format, .first = TIME_NONE, .notes = {.file = o->file[0]}, .safe = isatty(out->fd)};
	struct event_stream_info info;
	int r = event_criteria(o, in, &d.pick, e);
	table_begin(&d.table, columns, sizeof columns / sizeof *columns);
	if (format != TF_TEXT)
		table_open(&d.table, format, &out->buf);
	if (!r)
		r = event_stream_read(in, &ops, &d, &info, e);
	if (format != TF_TEXT)
		table_close(&d.table, format);
	table_free(&d.table);
	event_criteria_free(&d.pick);
	if (!r)
		r = trace_stream_check_strict(o, &info, e);
	buf_free(&d.text);
	mem_free(d.text_range);
	trace_stream_note_cut(&d.notes, &in);
	trace_stream_finish_notes(&d.notes, r == 0);
	input_close(&in);
	return r;
}
