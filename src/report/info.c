/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace info`: the format of a file, numbers of its contents, and its
 * notices, for traces and profiles. Facts are names and values, which text, tsv
 * and JSON print alike.
 */
#include "config.h"
#include "report/report.h"

#include "base/text/text.h"
#include "report/info_labels.h"
#include "report/json.h"
#include "report/table.h"
#include "session/download.h"
#include "session/merge_profiles.h"
#include "store/builder.h"
#include "store/tracks/time_search.h"
#include "trace/as_profile.h"

#include <inttypes.h>
#include <string.h>

struct info_report { enum table_format format; struct buf *b; struct json j; };

static void key_of(struct info_report *i, const char *name)
{
	if (i->format == TF_TEXT)
		buf_printf(i->b, "%-19s ", name);
	else
		buf_printf(i->b, "%s%c", name, i->format == TF_CSV ? ',' : '\t');
}

static void fact_text(struct info_report *i, const char *name, const char *s, size_t n)
{
	if (i->format == TF_JSON) {
		json_str(&i->j, name, s, n);
		return;
	}
	key_of(i, name);
	if (i->format == TF_CSV)
		table_csv_field(i->b, s, n);
	else
		text_safe(i->b, s, n);
	buf_putc(i->b, '\n');
}

/* Print a number; in text by put, if not NULL. */
static void fact_num(struct info_report *i, const char *name, int64_t v, void (*put)(struct buf *, int64_t))
{
	if (i->format == TF_JSON) {
		json_i64(&i->j, name, v);
		return;
	}
	key_of(i, name);
	if (put && i->format == TF_TEXT)
		put(i->b, v);
	else
		buf_i64(i->b, v);
	buf_putc(i->b, '\n');
}

static void fact_wall(struct info_report *i, const char *name, int64_t wall)
{
	struct buf b = {0};
	text_date(&b, wall, "%Y-%m-%dT");
	if (!b.n)
		return;
	text_clock(&b, wall, 1);
	buf_putc(&b, 'Z');
	fact_text(i, name, b.p, b.n);
	buf_free(&b);
}

static void count_tracks(const struct snap *sn, struct info_report *i)
{
	uint32_t n[TK_G + 1] = {0}, live = 0;
	for (trk_id t = 1; t < sn->ntrks; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		n[r->kind]++;
		live += r->kind == TK_G && r->t0 != TIME_NONE && !r->to_t1;
	}
	fact_num(i, "goroutines", n[TK_G], text_count);
	fact_num(i, "alive_at_the_end", live, text_count);
	fact_num(i, "procs", n[TK_P], text_count);
	fact_num(i, "threads", n[TK_M], text_count);
}

static void count_spans(const struct snap *sn, struct info_report *i)
{
	uint32_t n[SP_RANGE + 1] = {0}, logs = 0;
	for (uint32_t k = 0; k < sn->nspans; k++)
		n[store_span(sn->st, k)->s.kind]++;
	for (uint32_t k = 0; k < sn->nmarks; k++)
		logs += ((const struct sink_mark *)column_at(&sn->st->marks, k))->kind == MK_LOG;
	fact_num(i, "gc_cycles", n[SP_GC], text_count);
	fact_num(i, "stops_of_the_world", n[SP_STW], text_count);
	fact_num(i, "tasks", n[SP_TASK], text_count);
	fact_num(i, "regions", n[SP_REGION], text_count);
	fact_num(i, "logs", logs, text_count);
}

static uint64_t max_counter(const struct snap *sn, enum counter c)
{
	uint64_t v = 0;
	for (uint32_t k = 0; k < sn->ncounts[c]; k++)
		v = store_count(sn->st, c, k)->v > v ? store_count(sn->st, c, k)->v : v;
	return v;
}

/* For a log of gctrace and schedtrace: the numbers of its lines, and the maxima of its counters. */
static void info_log(const struct snap *sn, struct info_report *i)
{
	static const struct { enum counter c; const char *name; void (*put)(struct buf *, int64_t); } tops[] = {
		{ CT_GOMAXPROCS, "gomaxprocs", text_count }, { CT_HEAP_LIVE, "heap_max_bytes", text_bytes },
		{ CT_HEAP_GOAL, "goal_max_bytes", text_bytes }, { CT_QUEUED, "queued_max", text_count },
		{ CT_THREADS, "threads_max", text_count },
	};
	const struct sink_trace *t = &sn->trace;
	uint32_t n[SP_RANGE + 1] = {0}, goroutines = 0;
	for (uint32_t k = 0; k < sn->nspans; k++)
		n[store_span(sn->st, k)->s.kind]++;
	for (trk_id k = 1; k < sn->ntrks; k++)
		goroutines += store_trk(sn->st, k)->kind == TK_G;
	if (t->wall != TIME_NONE)
		fact_wall(i, "start", t->wall);
	fact_num(i, "duration_ns", sn->t1 - sn->t0, text_ns);
	fact_num(i, "runs", (int64_t)t->generations, text_count);
	fact_num(i, "lines", (int64_t)t->events, text_count);
	fact_num(i, "sched_lines", (int64_t)t->batches, text_count);
	fact_num(i, "gc_cycles", n[SP_GC], text_count);
	fact_num(i, "stops_of_the_world", n[SP_STW], text_count);
	if (goroutines)
		fact_num(i, "goroutines", goroutines, text_count);
	for (size_t k = 0; k < sizeof tops / sizeof *tops; k++)
		if (sn->ncounts[tops[k].c])
			fact_num(i, tops[k].name, (int64_t)max_counter(sn, tops[k].c), tops[k].put);
}

static void info_trace(const struct snap *sn, struct info_report *i)
{
	const struct sink_trace *t = &sn->trace;
	struct buf b = {0};
	buf_printf(&b, "1.%d", t->version);
	fact_text(i, "version", b.p, b.n);
	buf_free(&b);
	if (t->wall != TIME_NONE)
		fact_wall(i, "start", t->wall);
	fact_num(i, "duration_ns", sn->t1 - sn->t0, text_ns);
	fact_num(i, "events", (int64_t)t->events, text_count);
	fact_num(i, "generations", (int64_t)t->generations, text_count);
	fact_num(i, "batches", (int64_t)t->batches, text_count);
	count_tracks(sn, i);
	count_spans(sn, i);
	fact_num(i, "cpu_samples", sn->nsmps, text_count);
	fact_num(i, "stacks", sn->nstks - 1 - (trace_no_stack_node(sn) != 0), text_count);
}

static void info_types(const struct snap *sn, struct info_report *i)
{
	struct buf b = {0};
	for (uint32_t k = 0; k < sn->ntypes; k++) {
		const struct type_row *t = column_at(&sn->st->types, k);
		const struct str_row *name = store_str(sn->st, t->name), *unit = store_str(sn->st, t->unit);
		buf_puts(&b, k ? " " : "");
		buf_put(&b, name->s ? name->s : "", name->n);
		buf_putc(&b, '/');
		buf_put(&b, unit->s ? unit->s : "", unit->n);
	}
	fact_text(i, "sample_types", b.p ? b.p : "", b.n);
	buf_free(&b);
}

static void label_fact(void *arg, const struct str_row *key, const char *text, size_t n)
{
	struct info_report *i = arg;
	struct buf name = {0};
	if (i->format == TF_JSON) {
		json_object(&i->j, NULL);
		json_str(&i->j, "key", key->s, key->n);
		json_str(&i->j, "most", text, n);
		json_end(&i->j);
		return;
	}
	buf_puts(&name, "label ");
	text_safe(&name, key->s, key->n);
	fact_text(i, buf_str(&name), text, n);
	buf_free(&name);
}

static void info_profile(const struct snap *sn, struct info_report *i)
{
	const struct sink_meta *m = sn->meta;
	info_types(sn, i);
	if (m) {
		fact_wall(i, "start", m->time);
		if (m->duration)
			fact_num(i, "duration_ns", m->duration, text_ns);
		if (m->period)
			fact_num(i, "period", m->period, text_count);
		for (size_t k = 0; k < m->ncomment && i->format != TF_JSON; k++) {
			const struct str_row *c = store_str(sn->st, m->comment[k]);
			fact_text(i, "comment", c->s ? c->s : "", c->n);
		}
	}
	fact_num(i, "samples", sn->nsmps, text_count);
	fact_num(i, "stacks", sn->nstks - 1 - (trace_no_stack_node(sn) != 0), text_count);
	fact_num(i, "locations", sn->nlocs - 1, text_count);
	fact_num(i, "functions", sn->nfuns - 1 - (trace_no_stack_node(sn) != 0), text_count);
	if (i->format == TF_JSON)
		json_array(&i->j, "labels");
	info_labels(sn, label_fact, i);
	if (i->format == TF_JSON)
		json_end(&i->j);
	for (uint32_t k = 1; k < column_n(&sn->st->maps) && i->format != TF_JSON; k++) {
		const struct str_row *f =
		    store_str(sn->st, ((const struct map_row *)column_at(&sn->st->maps, k))->file);
		if (f->n)
			fact_text(i, "mapping", f->s, f->n);
	}
}

static void info_oddities(const struct snap *sn, struct info_report *i)
{
	if (i->format == TF_JSON)
		json_array(&i->j, "notices");
	for (uint32_t k = 0; k < sn->nwarns; k++) {
		const struct warn_row *w = column_at(&sn->st->warns, k);
		struct buf b = {0};
		if (w->at != ERR_NOWHERE)
			buf_printf(&b, "at byte %" PRIu64 ": ", w->at);
		buf_puts(&b, w->msg);
		if (i->format == TF_JSON)
			json_str(&i->j, NULL, b.p, b.n);
		else
			fact_text(i, "notice", b.p, b.n);
		buf_free(&b);
	}
	if (i->format == TF_JSON)
		json_end(&i->j);
}

static void print_info(
    const struct snap *sn, struct info_report *i, const char *file, const char *format, struct bytes in)
{
	if (i->format == TF_JSON)
		json_object(&i->j, NULL);
	fact_text(i, "file", file, strlen(file));
	fact_text(i, "format", format, strlen(format));
	fact_num(i, "size_bytes", (int64_t)in.file_n, text_bytes);
	if (in.file_n != in.n)
		fact_num(i, "unpacked_bytes", (int64_t)in.n, text_bytes);
	if (sn->has_trace && sn->trace.log)
		info_log(sn, i);
	else if (sn->has_trace)
		info_trace(sn, i);
	else
		info_profile(sn, i);
	info_oddities(sn, i);
	if (i->format == TF_JSON)
		json_end(&i->j);
}

static void ignore_notice(void *none, const char *fmt, ...)
{
	(void)none, (void)fmt;
}

/* Save a profile that was fetched, as all other reports do. */
static void save_fetched(const struct options *o)
{
	struct err none;
	if (download_save_folder(o->downloads))
		profile_free(merge_profiles_read(o, ignore_notice, NULL, &none));
}

int report_info(const struct options *o, struct out *out, struct err *e)
{
	struct info_report i = { .b = &out->buf, .j = { .b = &out->buf } };
	struct bytes in;
	if (table_format(o, &i.format, e) || download_require_one_file(o, e) ||
	    download_open_input(o, o->file[0], &in, e))
		return -1;
	struct store_builder *b = builder_new();
	struct sink sink = builder_sink(b);
	const struct reader *r = input_gunzip(&in, e) ? NULL : sniff(in, e);
	builder_set_total(b, in.n);
	int ret = input_report_damage(&in, r ? r->read(in, &sink, e) : -1, &sink, e);
	if (!ret) {
		const struct snap *sn = builder_finish(b);
		print_info(sn, &i, o->file[0], r->name, in);
		save_fetched(o);
		for (uint32_t k = 0; options_bool(o, OPT_STRICT) && k < sn->nwarns && !ret; k++) {
			const struct warn_row *w = column_at(&sn->st->warns, k);
			ret = w->aside ? 0 : err_set(e, ERR_FORMAT, w->at, "%s", w->msg);
		}
	}
	builder_free(b);
	input_close(&in);
	return ret;
}
