/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Traces in the text form of goasm.h and the events that they must give. tests/gotrace/NAME.test has a section
 * `-- expect --`, the events and warnings as line_of_event() and on_warn() print them, and a section `-- trace --`.
 *
 *     t-tracetext                  run all of them
 *     t-tracetext -print FILE      print the events and warnings of one
 *     t-tracetext -binary FILE     write the trace in Go's format
 */
#include "config.h"
#include "goasm.h"
#include "tap.h"

#include "base/mem/mem.h"
#include "load/gotrace/event_stream.h"
#include "load/gotrace/wire.h"

#include <dirent.h>
#include <string.h>

static const char *const states[] = {"?", "none", "runnable", "running", "waiting", "syscall",
    "idle"};

static void put_str(struct buf *b, const struct trace_generation *g, uint32_t id)
{
	size_t n;
	const char *s = generation_str(g, id, &n);
	if (!n)
		return;
	buf_puts(b, " \"");
	buf_put(b, s, n);
	buf_putc(b, '"');
}

static void put_stack(struct buf *b, const struct trace_generation *g, const char *mark, uint32_t id)
{
	uint32_t n;
	const struct trace_frame *f = generation_stack(g, id, &n);
	for (uint32_t i = 0; i < n; i++) {
		size_t len;
		const char *s = generation_str(g, f[i].fun, &len);
		buf_puts(b, i ? "<" : mark);
		buf_put(b, s, len);
		buf_printf(b, ":%llu", (unsigned long long)f[i].line);
	}
}

/* Print TIME mM pP gG and the event: a transition as `g5 running->waiting "why"`, others by their name in events.def with
   id, values and texts; then @ and the stack, leaf first, and + and the stack of a new goroutine. */
static void line_of_event(struct buf *b, const struct trace_generation *g, const struct trace_event *t)
{
	static const char letter[] = "-gpm";
	buf_printf(b, "%lld m%lld p%lld g%lld ", (long long)t->time, (long long)t->m,
	    (long long)t->p,
	    (long long)t->g);
	if (t->kind == TEV_SYNC)
		buf_printf(b, "sync %llu%s", (unsigned long long)t->value, t->what ? "" : " end");
	else if (t->kind == TEV_TRANSITION)
		buf_printf(b, "%c%lld %s->%s", letter[t->resource], (long long)t->id, states[t->from],
		    states[t->to]);
	else
		buf_printf(b, "%s %c%lld %lld %llu", wire_event_specs[t->wire].name, letter[t->resource], (long long)t->id,
		    (long long)trace_event_value(t), (unsigned long long)(trace_event_has_value2(t) ? t->value2 : 0));
	put_str(b, g, trace_event_name(t));
	put_str(b, g, trace_event_text(t));
	put_stack(b, g, " @", trace_event_stack(t));
	put_stack(b, g, " +", trace_event_stack2(t));
	buf_putc(b, '\n');
}

static bool on_events(void *self, const struct trace_generation *g, const struct trace_event *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		line_of_event(self, g, &t[i]);
	return true;
}

static void on_warn(void *self, uint64_t at, const char *msg)
{
	(void)at;
	buf_printf(self, "! %s\n", msg);
}

static void read_trace(const struct buf *trace, struct buf *got)
{
	static const struct event_stream_ops ops = {on_events, on_warn, NULL, NULL, NULL, NULL, 0};
	struct event_stream_info info;
	struct err e;
	struct bytes in = {.p = (const uint8_t *)trace->p, .n = trace->n, .file_n = trace->n};
	if (event_stream_read(in, &ops, got, &info, &e))
		buf_printf(got, "refused: %s\n", e.msg);
}

static bool load(const char *path, struct buf *b)
{
	FILE *f = fopen(path, "rb");
	char chunk[4096];
	size_t n;
	if (!f)
		return false;
	while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
		buf_put(b, chunk, n);
	fclose(f);
	return true;
}

/* Read a test file. Set *expect to the expected text in `file`, and assemble the trace. */
static bool open_test(const char *path, struct buf *file, const char **expect, struct buf *trace)
{
	static const char mark[] = "-- trace --\n", head[] = "-- expect --\n";
	int line;
	if (!load(path, file))
		return false;
	char *text = buf_str(file), *at = strstr(text, mark), *from = strstr(text, head);
	if (!at || !from)
		return false;
	*expect = from + strlen(head);
	*at = 0;
	at += strlen(mark);
	if (goasm(at, strlen(at), trace, &line))
		return true;
	fprintf(stderr, "%s: line %d after the mark does not assemble\n", path, line);
	return false;
}

static void run(const char *path)
{
	struct buf file = {0}, trace = {0}, got = {0};
	const char *expect = "";
	bool opened = open_test(path, &file, &expect, &trace);
	OK(opened);
	read_trace(&trace, &got);
	if (opened && strcmp(expect, buf_str(&got))) {
		fprintf(stderr, "%s: expected\n%s--- got\n%s", path, expect, buf_str(&got));
		OK(!"the events are as expected");
	} else {
		OK(opened);
	}
	buf_free(&file);
	buf_free(&trace);
	buf_free(&got);
}

static int show(const char *how, const char *path)
{
	struct buf file = {0}, trace = {0}, got = {0};
	const char *expect;
	bool ok = open_test(path, &file, &expect, &trace);
	if (ok && !strcmp(how, "-print"))
		read_trace(&trace, &got);
	else
		buf_put(&got, trace.p, trace.n);
	fwrite(got.p, 1, got.n, stdout);
	buf_free(&file);
	buf_free(&trace);
	buf_free(&got);
	return !ok;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return show(argv[1], argv[2]);
	char path[4096];
	const char *dir = tap_source("tests/gotrace");
	DIR *d = opendir(dir);
	OK(d);
	int n = 0;
	for (struct dirent *e; d && (e = readdir(d));) {
		size_t len = strlen(e->d_name);
		if (len < 6 || strcmp(e->d_name + len - 5, ".test"))
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		run(path);
		n++;
	}
	if (d)
		closedir(d);
	OK(n > 0);
	return DONE();
}
