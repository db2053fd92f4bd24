/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The output of `perf script` as a profile. A sample is a head, the addresses of its stack, leaf
 * first, and an empty line; without -g it is one line. Each event becomes a sample type with the
 * sum of its periods (or the number of samples, if the text has no periods). The first event in the
 * text is the default type. Command, process, thread and CPU are labels.
 *
 * There are two passes, because the events must be known before the first sample is emitted. A
 * frame without a symbol has only an address and a mapping, as in any profile without symbols, so
 * it is shown by the mapping's name.
 */
#include "config.h"
#include "load/text/perf_line.h"

#include "base/mem/mem.h"
#include "load/load.h"
#include "load/text/stack_builder.h"

#include <string.h>

enum { EVENTS = 32, COMMENTS = 4 };

struct event { struct scan_text name; str_id id; };

struct perf {
	struct stack_assembler f;
	struct event event[EVENTS];
	size_t nevent, nsample, nbad, ncomment;
	uint64_t bad_at, period;	/* period: of all samples; 0 if they differ */
	bool periods, more_events;
	int64_t first, last;
	struct scan_text main, comment[COMMENTS];	/* main: the mapping of the command itself */
	struct perf_frame *frame;
	size_t nframe, cframe;
	str_id comm, pid, tid, cpu, ev, count;
};

static bool is_frame_line(const struct scan_lines *l)
{
	return l->n && *l->line == '\t';
}

/* ---- first pass */

static size_t event_of(const struct perf *p, struct scan_text name)
{
	for (size_t i = 0; i < p->nevent; i++)
		if (scan_len(name) == scan_len(p->event[i].name) && !memcmp(name.p, p->event[i].name.p, scan_len(name)))
			return i;
	return p->nevent;
}

static void note_sample(struct perf *p, const struct perf_head *h)
{
	size_t i = event_of(p, h->event);
	if (i == p->nevent && i < EVENTS)
		p->event[p->nevent++].name = h->event;
	else if (i == p->nevent)
		p->more_events = true;
	if (h->has_time) {
		p->first = !p->nsample || h->time < p->first ? h->time : p->first;
		p->last = !p->nsample || h->time > p->last ? h->time : p->last;
	}
	p->period = !p->nsample || p->period == h->period ? h->period : 0;
	p->periods |= h->has_period;
	p->nsample++;
}

/* Return whether the mapped file is the program of the command. */
static bool is_main(struct scan_text dso, struct scan_text comm)
{
	const char *p = dso.end;
	while (p > dso.p && p[-1] != '/')
		p--;
	return scan_len(comm) && (size_t)(dso.end - p) >= scan_len(comm) && !memcmp(p, comm.p, scan_len(comm));
}

static void note_comment(struct perf *p, struct scan_text t)
{
	static const char *const worth[] = {"# cmdline : ", "# captured on ", "# hostname : ", "# os release : "};
	for (size_t i = 0; i < sizeof worth / sizeof *worth; i++)
		if (scan_starts_with(t, worth[i]) && p->ncomment < COMMENTS) {
			while (t.end > t.p && scan_is_space(t.end[-1]))
				t.end--;
			p->comment[p->ncomment++] = (struct scan_text){t.p + 2, t.end};
		}
}

static void examine_text(struct perf *p, struct scan_lines *l)
{
	struct scan_text comm = {0};
	while (scan_next_line(l)) {
		struct perf_head h;
		struct perf_frame f;
		if (scan_is_comment(l)) {
			note_comment(p, scan_line_text(l));
		} else if (!is_frame_line(l) && perf_head(scan_line_text(l), &h)) {
			note_sample(p, &h);
			comm = h.comm;
			if (!p->main.p && perf_frame(h.rest, &f) && is_main(f.dso, comm))
				p->main = f.dso;
		} else if (!p->main.p && perf_frame(scan_line_text(l), &f) && is_main(f.dso, comm)) {
			p->main = f.dso;
		}
	}
}

/* ---- second pass */

static void emit_types(struct perf *p)
{
	struct stack_assembler *f = &p->f;
	const struct sink *s = f->out;
	str_id comment[COMMENTS], ns = stack_builder_literal(f, "nanoseconds");
	p->count = stack_builder_literal(f, "count");
	if (p->periods)
		s->profile->type(s->self, stack_builder_literal(f, "samples"), p->count);
	for (size_t i = 0; i < p->nevent; i++) {
		struct scan_text name = p->event[i].name;
		bool clock =
		    p->periods && (scan_starts_with(name, "cpu-clock") || scan_starts_with(name, "task-clock"));
		p->event[i].id = stack_builder_str(f, name);
		s->profile->type(s->self, p->event[i].id, clock ? ns : p->count);
	}
	for (size_t i = 0; i < p->ncomment; i++)
		comment[i] = stack_builder_str(f, p->comment[i]);
	struct sink_meta m = {.duration = p->last - p->first, .comment = comment, .ncomment = p->ncomment,
	    .default_type = p->event[0].id};
	if (p->nevent == 1 && p->period && p->period <= INT64_MAX) {
		bool clock =
		    scan_starts_with(p->event[0].name, "cpu-clock") || scan_starts_with(p->event[0].name, "task-clock");
		m.period = (int64_t)p->period;
		m.period_type = p->event[0].id;
		m.period_unit = clock ? ns : p->count;
	}
	s->profile->meta(s->self, &m);
}

static stk_id stack_of(struct perf *p)
{
	for (size_t i = 0; i < p->nframe; i++) {
		const struct perf_frame *f = &p->frame[i];
		map_id map = f->inlined ? 0 : stack_builder_map(&p->f, f->dso);
		if (scan_len(f->sym))
			stack_builder_add_line(&p->f, f->sym, f->file, f->line);
		if (!f->inlined)
			stack_builder_loc(&p->f, f->addr, map);
	}
	if (!p->nframe) {
		static const char none[] = "(no stack)";
		stack_builder_add_line(
		    &p->f, (struct scan_text){none, none + sizeof none - 1}, (struct scan_text){none, none}, 0);
	}
	p->nframe = 0;
	return stack_builder_end_stack(&p->f);
}

static int64_t clamp_i64(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static void emit_sample(struct perf *p, const struct perf_head *h)
{
	const struct sink *s = p->f.out;
	int64_t v[EVENTS + 1] = {0};
	struct sink_label label[5];
	size_t n = 0, e = event_of(p, h->event);
	stk_id stack = stack_of(p);
	if (p->periods)
		v[0] = 1;
	if (e < p->nevent)
		v[e + p->periods] = h->has_period ? clamp_i64(h->period) : 1;
	if (scan_len(h->comm))
		label[n++] = (struct sink_label){.key = p->comm, .str = stack_builder_str(&p->f, h->comm)};
	if (p->nevent > 1 && e < p->nevent)
		label[n++] = (struct sink_label){.key = p->ev, .str = p->event[e].id};
	if (h->has_pid)
		label[n++] = (struct sink_label){.key = p->pid, .num = clamp_i64(h->pid), .unit = p->count};
	label[n++] = (struct sink_label){.key = p->tid, .num = clamp_i64(h->tid), .unit = p->count};
	if (h->has_cpu)
		label[n++] = (struct sink_label){.key = p->cpu, .num = clamp_i64(h->cpu), .unit = p->count};
	s->profile->sample(s->self, &(struct sink_sample){
	    .stack = stack, .value = v, .label = label, .nlabel = n, .when = TIME_NONE});
}

static void add_frame(struct perf *p, const struct perf_frame *f)
{
	p->frame = mem_grow(p->frame, &p->cframe, p->nframe + 1, sizeof *p->frame);
	p->frame[p->nframe++] = *f;
}

/* Read a line that is neither head nor frame: the source line of the frame above it. Returns false for any other
   line. */
static bool source_line(struct perf *p, struct scan_text t)
{
	int64_t line;
	while (t.p < t.end && scan_is_space(*t.p))
		t.p++;
	while (t.end > t.p && scan_is_space(t.end[-1]))
		t.end--;
	if (!p->nframe || !scan_cut_line_number(&t, &line))
		return false;
	p->frame[p->nframe - 1].file = t;
	p->frame[p->nframe - 1].line = line;
	return true;
}

/* first: the lines of the first pass, at their end. */
static void emit_profile(struct perf *p, struct bytes b, const struct scan_lines *first)
{
	const char *text = (const char *)b.p;
	struct scan_lines l = scan_bounded(b, p->f.out, 1, 2);
	l.end = first->end;
	struct perf_head head, h;
	struct perf_frame f;
	bool open = false;
	while (scan_next_line(&l)) {
		struct scan_text t = scan_line_text(&l);
		if (scan_is_comment(&l) || (!is_frame_line(&l) && perf_head(t, &h))) {
			bool fresh = !scan_is_comment(&l);
			if (open)
				emit_sample(p, &head);
			open = fresh;
			if (fresh) {
				head = h;
				if (perf_frame(h.rest, &f))
					add_frame(p, &f);
			}
		} else if (open && perf_frame(t, &f)) {
			add_frame(p, &f);
		} else if (!(open && source_line(p, t))) {
			p->bad_at = p->nbad++ ? p->bad_at : (uint64_t)(l.line - text);
		}
	}
	if (open)
		emit_sample(p, &head);
	scan_warn_cut(p->f.out, first->cut || l.cut);
}

static void warn_of(const struct perf *p, const struct sink *s, struct bytes b)
{
	if (p->nbad)
		s->ops->warn(s->self, p->bad_at,
		    "ignored %zu lines that are not perf script output; this is the first", p->nbad);
	if (p->more_events)
		s->ops->warn(s->self, ERR_NOWHERE,
		    "more than %d kinds of events: the others are counted only as samples", EVENTS);
	if (b.p[b.n - 1] != '\n')
		s->ops->warn(s->self, b.n, "the last line has no newline: the file may be truncated");
}

int perf_read(struct bytes b, struct sink *s, struct err *e)
{
	struct perf p = {0};
	struct scan_lines first = scan_bounded(b, s, 0, 2);
	examine_text(&p, &first);
	if (!p.nsample)
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "no sample in this perf script output");
	stack_builder_init(&p.f, s);
	emit_types(&p);
	p.comm = stack_builder_literal(&p.f, "comm");
	p.pid = stack_builder_literal(&p.f, "pid");
	p.tid = stack_builder_literal(&p.f, "tid");
	p.cpu = stack_builder_literal(&p.f, "cpu");
	p.ev = stack_builder_literal(&p.f, "event");
	if (p.main.p)
		stack_builder_map(&p.f, p.main);	/* the first mapping names the program */
	emit_profile(&p, b, &first);
	warn_of(&p, s, b);
	stack_builder_free(&p.f);
	mem_free(p.frame);
	return 0;
}

/* Return whether the first lines have a head with a frame in the same or the next line. */
bool perf_probe(struct bytes b)
{
	enum { LOOK = 300, BYTES = 1 << 18 };
	const char *text = (const char *)b.p;
	struct scan_lines l = {.p = text, .end = text + (b.n < BYTES ? b.n : BYTES)};
	bool head = false;
	for (int i = 0; i < LOOK && scan_next_line(&l); i++) {
		struct perf_head h;
		struct perf_frame f;
		if (head && perf_frame(scan_line_text(&l), &f))
			return true;
		head = !is_frame_line(&l) && !scan_is_comment(&l) && perf_head(scan_line_text(&l), &h);
		if (head && perf_frame(h.rest, &f))
			return true;
	}
	return false;
}
