/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The reader of Go execution traces: gets the ordered events of event_stream_read() and passes
 * tracks, states, spans and samples to the sink. Times are relative to the first event.
 *
 * Memory besides the sink's is that of what is live: entries of ended goroutines are reused,
 * strings and stacks are translated one generation at a time. At the end of a generation all events
 * before its last one have been passed on, and the sink may seal and publish them.
 *
 * Some computations depend on the order of events with equal times (minimum mutator utilisation
 * takes the lowest value at a time, and corrects it at the next event of any kind). Their input is
 * passed by util(), which has the time of that next event and therefore waits for it.
 *
 * If the store takes more than memory and the paging file have, the reading ends there, and a
 * warning says what is needed: what has been read is a trace that ends early.
 */
#include "config.h"
#include "load/gotrace/internal.h"

#include "base/mem/mem.h"
#include "base/mem/paging_file.h"
#include "base/text/text.h"

#include <inttypes.h>

enum {
	SAMPLE_NS = 10000000,	/* the runtime's 100 Hz */
	SHOW_EVERY = 1 << 18,	/* events after which the data so far may be published */
	COST = 5		/* memory that a trace may need, as a multiple of its size */
};

void gotrace_emit_utils(struct gotrace *r, int64_t next)
{
	for (size_t i = 0; i < r->utils.n; i++) {
		r->utils.v[i].next = next;
		r->sink->trace->util(r->sink->self, &r->utils.v[i]);
	}
	r->utils.n = 0;
	r->utils.t = INT64_MAX;
}

static void emit_metric(struct gotrace *r, const struct trace_event *ev)
{
	static const enum counter counters[] = {
		[TM_HEAP_LIVE] = CT_HEAP_LIVE, [TM_HEAP_GOAL] = CT_HEAP_GOAL, [TM_GOMAXPROCS] = CT_GOMAXPROCS,
	};
	int64_t t = gotrace_now(r);
	if (ev->what > TM_GOMAXPROCS)
		return;
	const struct track_goroutine *by = ev->what == TM_HEAP_LIVE ? track_states_g_of_event(r, ev) : NULL;
	r->sink->trace->count(r->sink->self, t, counters[ev->what], ev->value, by ? by->trk : 0);
	if (ev->what == TM_HEAP_LIVE)
		r->heap_live = ev->value;
	if (ev->what != TM_GOMAXPROCS || ev->value > INT32_MAX)
		return;
	track_states_add_util(r, UT_PROCS, (int64_t)ev->value, 0, false);
	r->sink->trace->mark(r->sink->self, &(struct sink_mark){ .t = t, .kind = MK_GOMAXPROCS, .task = ev->value,
		.stack = intern_tables_stack(r, ev->stack) });
}

static void sample(struct gotrace *r, const struct trace_event *ev)
{
	struct sink *s = r->sink;
	if (!r->sampled) {
		s->profile->type(s->self, s->ops->str(s->self, "samples", 7), s->ops->str(s->self, "count", 5));
		s->profile->type(s->self, s->ops->str(s->self, "cpu", 3), s->ops->str(s->self, "nanoseconds", 11));
		r->sampled = true;
	}
	int64_t value[] = { 1, SAMPLE_NS };
	struct sink_sample row = { .stack = intern_tables_stack(r, ev->stack), .value = value, .when = gotrace_now(r) };
	const struct track_goroutine *g = track_states_g_of_event(r, ev);
	const struct u64_slot *p = ev->p >= 0 ? u64_map_get(&r->ps, (uint64_t)ev->p) : NULL;
	row.trk = g ? g->trk : 0;
	row.proc = p ? ((const struct track_proc *)p->p)->trk : 0;
	s->profile->sample(s->self, &row);
}

static void other_event(struct gotrace *r, const struct trace_event *ev)
{
	switch (ev->kind) {
	case TEV_SYNC:
		r->sync = ev->time;
		r->nsync++;
		break;
	case TEV_METRIC: emit_metric(r, ev); break;
	case TEV_LABEL: track_states_label_event(r, ev); break;
	case TEV_STACK_SAMPLE: sample(r, ev); break;
	case TEV_RANGE_BEGIN: case TEV_RANGE_ACTIVE: case TEV_RANGE_END: spans_range_event(r, ev); break;
	case TEV_TASK_BEGIN: case TEV_TASK_END: case TEV_REGION_BEGIN: case TEV_REGION_END: case TEV_LOG:
		spans_user_event(r, ev);
		break;
	default: break;
	}
}

static bool publish_upto(struct gotrace *r, int64_t t, uint64_t bytes)
{
	track_states_flush(r);
	return r->sink->ops->upto(r->sink->self, t, bytes);
}

static void begin_at(struct gotrace *r, int64_t time)
{
	r->begun = true;
	r->sync = r->last = time;
	if (r->part)
		r->sink->trace->starts_at(r->sink->self, gotrace_rel(r, time));
	else
		r->base = time;
	/* the remaining facts follow after the first generation */
	r->sink->trace->facts(r->sink->self, &(struct sink_trace){ .version = wire_version(*r->in),
	    .wall = TIME_NONE, .first = r->base, .last = time });
}

static bool take_events(void *self, const struct trace_generation *gen, const struct trace_event *ev, size_t n)
{
	struct gotrace *r = self;
	intern_tables_begin(r, gen);
	if (event_stream_is_end(ev, n) && !r->begun)
		/* If the trace is damaged from the start, its end comes before the events that are recovered:
		   there is no first event that times could be relative to. */
		return true;
	track_states_grow_table(r);
	if (n && !r->begun)
		begin_at(r, ev[0].time);
	for (size_t i = 0; i < n;) {
		i += track_states_apply(r, ev + i, n - i);
		if (i < n)
			other_event(r, &ev[i++]);
	}
	r->events += n;
	r->unpublished += n;
	if (r->unpublished >= SHOW_EVERY) {
		r->unpublished = 0;
		outline_step(r->outline, r->sink);
		r->stopped = !publish_upto(r, TIME_NONE, r->bytes);
		r->full = mem_limit_exceeded();
	}
	return !r->stopped && !r->full;
}

static void emit_trace_facts(struct gotrace *r, const struct event_stream_info *i)
{
	struct sink_trace t = { .version = i->version, .wall = event_stream_wall(i, r->base), .first = r->base,
	    .last = r->base + gotrace_rel(r, r->last),
		.events = i->events, .batches = i->batches, .generations = i->generations };
	r->sink->trace->facts(r->sink->self, &t);
}

static bool take_generation(void *self, const struct event_stream_info *info)
{
	struct gotrace *r = self;
	if (!r->begun)
		return true;
	emit_trace_facts(r, info);
	r->whole = *info;
	r->bytes = info->bytes;
	r->unpublished = 0;
	r->stopped = !publish_upto(r, gotrace_rel(r, r->last), info->bytes);
	return !r->stopped;
}

static void take_warning(void *self, uint64_t at, const char *msg)
{
	struct gotrace *r = self;
	r->sink->ops->warn(r->sink->self, at, "%s", msg);
}

static void take_progress(void *self, uint64_t bytes)
{
	((struct gotrace *)self)->bytes = bytes;
}

static void emit_outline(void *self)
{
	struct gotrace *r = self;
	r->outline = outline_new(*r->in, r->sink);
}

static bool idle_work(void *self)
{
	const struct gotrace *r = self;
	return r->sink->trace->idle_work(r->sink->self);
}

static void free_reader(struct gotrace *r)
{
	outline_free(r->outline);
	intern_tables_free(&r->tab);
	goroutine_table_free(&r->gs);
	u64_map_free(&r->ps);
	u64_map_free(&r->ms);
	u64_map_free(&r->tasks);
	u64_map_free(&r->ranges);
	u64_map_free(&r->regions);
	u64_map_free(&r->lost);
	mem_free(r->utils.v);
	mem_free(r->entry);
	arena_free(r->mem);
}

/* Initialize the empty state. */
static void init_reader(struct gotrace *r, struct arena *mem)
{
	r->mem = mem;
	r->utils.t = INT64_MAX;
	r->entry = xmalloc(ENTRIES * sizeof *r->entry);
	track_states_init_table(r, goroutine_table_places(r->in->n));
}

static void warn_of_limits(const struct gotrace *r)
{
	const struct sink *s = r->sink;
	if (r->without_track)
		s->ops->warn(s->self, ERR_NOWHERE,
		    "goroutines, Ps or Ms not shown because their numbers have more than 62 bits: %" PRIu64,
		    r->without_track);
	if (r->begun && gotrace_rel(r, r->last) == TIME_LATEST)
		s->ops->warn(s->self, ERR_NOWHERE, TIME_LATEST_NOTICE);
}

/* Warn that memory is full. What the rest needs is estimated by what the part has taken. */
static void warn_of_memory(const struct gotrace *r)
{
	struct buf b = {0};
	double part = r->in->n ? (double)r->bytes / (double)r->in->n : 1;
	buf_printf(&b, "the first %.0f%% of the trace is shown: all of it needs about ", 100 * part);
	text_bytes(&b, (int64_t)((double)mem_held() / (part > 0 ? part : 1)));
	buf_puts(&b, "; set a larger -mem (now ");
	text_bytes(&b, (int64_t)mem_limit());
	buf_puts(&b, paging_forbidden() ? "), or unset TTRACESECURE, which forbids a file for the rest" :
	    "), or XDG_CACHE_HOME to a larger disk");
	r->sink->ops->warn(r->sink->self, ERR_NOWHERE, "%s", buf_str(&b));
	buf_free(&b);
}

static int read_all(struct gotrace *r, const struct event_stream_ops *ops, struct err *e)
{
	struct arena mem = {0};
	struct event_stream_info info;
	struct err damage = {0};
	init_reader(r, &mem);
	int ret = event_stream_read(*r->in, ops, r, &info, &damage);
	if (ops->warn)
		warn_of_limits(r);
	if (r->full) {	/* the orderer is ahead of what was taken */
		info.events = r->events;
		info.batches = r->whole.batches;
		info.generations = r->whole.generations;
	}
	if (!ret && r->begun && !r->stopped) {
		gotrace_emit_utils(r, gotrace_rel(r, r->last));
		spans_end_all(r);
	}
	if (!ret && !r->stopped) {
		emit_trace_facts(r, &info);
		r->stopped = !publish_upto(r, gotrace_rel(r, r->last), info.bytes);
	}
	track_states_flush(r);
	if (r->full && ops->warn)
		warn_of_memory(r);
	free_reader(r);
	if (ret) {
		*e = damage;
		return -1;
	}
	return r->stopped ? err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped") : 0;
}

int gotrace_read(struct bytes in, struct sink *sink, struct err *e)
{
	const struct event_stream_ops ops = {take_events, take_warning, take_generation, take_progress, emit_outline,
	    sink->trace->idle_work ? idle_work : NULL, 0};
	struct gotrace r = { .sink = sink, .in = &in };
	if (in.n > mem_limit() / COST)
		paging_start();
	return read_all(&r, &ops, e);
}

/* Notices and damage are reported only when the whole is read. */
int gotrace_read_from(struct bytes in, uint64_t from, int64_t base, struct sink *sink, struct err *e)
{
	const struct event_stream_ops ops = { take_events, NULL, take_generation, take_progress,
		NULL, sink->trace->idle_work ? idle_work : NULL, from };
	struct gotrace r = { .sink = sink, .in = &in, .part = true, .base = base };
	return read_all(&r, &ops, e);
}
