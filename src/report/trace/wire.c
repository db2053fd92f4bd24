/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace wire` and `ttrace footprint`: the file as stored, event after event,
 * without regard to batches, times or order. The text is the reference's -d=wire
 * and -d=footprint. Traces before Go 1.22 have no batches and are refused.
 *
 * The walk accepts only the events of the file's version: any other byte ends it,
 * as does a truncated number.
 */
#include "config.h"
#include "report/trace/trace_stream.h"

#include "base/mem/mem.h"
#include "base/text/go_quote.h"
#include "load/gotrace/wire.h"
#include "report/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct raw {
	uint8_t type;
	const struct wire_event_spec *spec;
	uint64_t arg[5];
	const uint8_t *frames;	/* of a stack: the start of its frames, to be decoded again */
	const uint8_t *data;
	uint64_t ndata;
	size_t size;		/* in the shortest encoding */
};

enum { PASS = 1 << 24 };	/* number of bytes between two releases of pages */

struct wire_walk {
	struct byte_cursor c;
	const struct bytes *in;
	uint64_t gone;		/* the pages before it were released */
	unsigned known;		/* event types of this version are smaller */
	bool cut;		/* the file ends within the event at cut_at */
	uint64_t cut_at;
};

static unsigned known_events(int version)
{
	return version < 23 ? GE_UserLog + 1 : version < 25 ? GE_ExperimentalBatch + 1
	    : version < 26 ? GE_ClockSnapshot + 1 : GE__N;
}

static size_t varint_size(uint64_t v)
{
	size_t n = 1;
	while (v >>= 7)
		n++;
	return n;
}

/* Return 1 with the next event in *r; 0 at the end, or where the file was cut (w->cut); -1 with *e. */
static int walk_next(struct wire_walk *w, struct raw *r, struct err *e)
{
	uint64_t at = byte_cursor_at(&w->c);
	if (!byte_cursor_left(&w->c))
		return 0;
	if (at - w->gone >= PASS) {
		input_discard(w->in, 0, at);
		w->gone = at;
	}
	*r = (struct raw){.type = byte_cursor_u8(&w->c), .size = 1};
	if (!r->type || r->type >= w->known)
		return err_set(e, ERR_FORMAT, at, "invalid event type: %d", r->type);
	r->spec = &wire_event_specs[r->type];
	for (unsigned i = 0; i < r->spec->nargs; i++) {
		r->arg[i] = byte_cursor_uvarint(&w->c);
		r->size += varint_size(r->arg[i]);
	}
	r->frames = w->c.p;
	if (r->spec->flags & F_K)
		for (uint64_t i = 0; i < r->arg[1] && !w->c.bad; i++)
			for (int k = 0; k < 4; k++)
				r->size += varint_size(byte_cursor_uvarint(&w->c));
	if (r->spec->flags & F_D) {
		r->ndata = byte_cursor_uvarint(&w->c);
		r->size += varint_size(r->ndata) + (size_t)r->ndata;
		r->data = byte_cursor_bytes(&w->c, r->ndata);
	}
	w->cut = w->c.bad;
	w->cut_at = at;
	return !w->cut;
}

static void put_raw(struct buf *b, const struct raw *r, const struct wire_walk *w)
{
	static const char *const fields[] = {"\n\tpc=", " func=", " file=", " line="};
	const char *a = r->spec->args;
	if (r->spec->name)
		buf_puts(b, r->spec->name);
	for (unsigned i = 0; i < r->spec->nargs; i++) {
		size_t n = strcspn(a, " ");
		buf_putc(b, ' ');
		buf_put(b, a, n);
		buf_putc(b, '=');
		buf_u64(b, r->arg[i]);
		a += n + (a[n] == ' ');
	}
	if (r->spec->flags & F_K) {
		struct byte_cursor c = byte_cursor_make(r->frames, (size_t)(w->c.p - r->frames), 0);
		for (uint64_t i = 0; i < r->arg[1]; i++)
			for (int k = 0; k < 4; k++) {
				buf_puts(b, fields[k]);
				buf_u64(b, byte_cursor_uvarint(&c));
			}
	}
	if (r->ndata) {
		buf_puts(b, "\n\tdata=");
		go_quote_append(b, (const char *)r->data, (size_t)r->ndata);
	}
	buf_putc(b, '\n');
}

static int walk_open(const struct options *o, struct bytes *in, struct wire_walk *w, struct err *e)
{
	if (trace_stream_open(o, in, e))
		return -1;
	int version = wire_version(*in);
	if (version < 22) {
		input_close(in);
		return err_set(e, ERR_FORMAT, 0, "a trace of Go 1.%d: only traces of Go 1.22 and later "
		    "have batches; use `ttrace events`", version);
	}
	*w = (struct wire_walk){.in = in, .c = byte_cursor_make(in->p + GO_HEADER, in->n - GO_HEADER, GO_HEADER),
	    .known = known_events(version)};
	return 0;
}

/* A truncated file is shown up to its end. */
static int walk_end(const struct options *o, const struct wire_walk *w, int more, struct bytes *in,
    struct err *e)
{
	struct trace_stream_notes notes = {.file = o->file[0]};
	trace_stream_note_cut(&notes, in);
	input_close(in);
	if (more < 0 || !w->cut) {
		trace_stream_finish_notes(&notes, more >= 0);
		return more;
	}
	err_set(e, ERR_FORMAT, w->cut_at, "truncated in an event");
	if (options_bool(o, OPT_STRICT)) {
		trace_stream_finish_notes(&notes, false);
		return -1;
	}
	trace_stream_add_note(&notes, w->cut_at, e->msg);
	trace_stream_finish_notes(&notes, true);
	return 0;
}

/* ---- a time range: its events, under the heads of their batches */

struct rate { uint64_t gen; double ns_per_tick; };
struct wire_part {
	bool range_given;
	int64_t from, to;
	struct rate *rate;	/* the frequency of a generation may be anywhere in it */
	size_t nrate, cap;
	struct raw batch;	/* its head, not printed yet */
	bool pending;
	uint64_t ticks;
	double ns_per_tick;
};

static double rate_of(const struct wire_part *p, uint64_t gen)
{
	for (size_t i = p->nrate; i-- > 0;)
		if (p->rate[i].gen == gen)
			return p->rate[i].ns_per_tick;
	return 64;
}

static void find_rates(struct wire_part *p, struct wire_walk w)
{
	struct err e;
	struct raw r;
	uint64_t gen = 0;
	while (walk_next(&w, &r, &e) > 0) {
		if (r.type == GE_EventBatch)
			gen = r.arg[0];
		if (r.type != GE_Frequency || !r.arg[0])
			continue;
		p->rate = mem_grow(p->rate, &p->cap, p->nrate + 1, sizeof *p->rate);
		p->rate[p->nrate++] = (struct rate){gen, 1e9 / (double)r.arg[0]};
	}
}

/* Return whether to print an event. The head of a batch is printed before its first event in the range. */
static bool in_part(struct wire_part *p, const struct raw *r, const struct wire_walk *w, struct buf *b)
{
	if (!p->range_given)
		return true;
	if (r->type == GE_EventBatch) {
		p->batch = *r;
		p->pending = true;
		p->ticks = r->arg[2];
		p->ns_per_tick = rate_of(p, r->arg[0]);
		return false;
	}
	if (!(r->spec->flags & F_T))
		return false;
	p->ticks += r->arg[0];
	int64_t t = wire_time(p->ns_per_tick, p->ticks);
	if (t < p->from || t >= p->to)
		return false;
	if (p->pending)
		put_raw(b, &p->batch, w);
	p->pending = false;
	return true;
}

int report_wire(const struct options *o, struct out *out, struct err *e)
{
	struct bytes in;
	struct wire_walk w;
	struct raw r;
	struct wire_part p = {0};
	if (table_text_only(o, e) || walk_open(o, &in, &w, e))
		return -1;
	int more = trace_stream_range(o, in, &p.range_given, &p.from, &p.to, e);
	if (!more && p.range_given)
		find_rates(&p, w);
	if (more < 0) {
		input_close(&in);
		return -1;
	}
	while (!out->failed && (more = walk_next(&w, &r, e)) > 0) {
		if (in_part(&p, &r, &w, &out->buf))
			put_raw(&out->buf, &r, &w);
		output_flush(out, false);
	}
	mem_free(p.rate);
	return walk_end(o, &w, out->failed ? 0 : more, &in, e);
}

struct footprint_row {
	char name[24];
	uint64_t bytes, count;
	char text[4][24];	/* the numbers of the other columns */
};

/* Sort by bytes, descending; of equal rows the lower type first. */
static void sort_rows(struct footprint_row *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct footprint_row r = v[i];
		size_t j = i;
		for (; j && v[j - 1].bytes < r.bytes; j--)
			v[j] = v[j - 1];
		v[j] = r;
	}
}

/* Columns but the last are as wide as their widest cell plus two blanks. */
static void put_rows(struct buf *b, struct footprint_row *v, size_t n, uint64_t file_n, uint64_t events)
{
	static const char *const heads[4] = {"Bytes", "%", "Count", "%"};
	size_t wide[4], name = strlen("GoSyscallEndBlocked") + 2;
	for (int k = 0; k < 4; k++)
		wide[k] = strlen(heads[k]);
	for (size_t i = 0; i < n; i++) {
		snprintf(v[i].text[0], sizeof v[i].text[0], "%" PRIu64, v[i].bytes);
		snprintf(v[i].text[1], sizeof v[i].text[1], "%.2f%%",
		    (double)v[i].bytes / (double)file_n * 100);
		snprintf(v[i].text[2], sizeof v[i].text[2], "%" PRIu64, v[i].count);
		snprintf(v[i].text[3], sizeof v[i].text[3], "%.2f%%",
		    (double)v[i].count / (double)events * 100);
		for (int k = 0; k < 4; k++)
			if (strlen(v[i].text[k]) > wide[k])
				wide[k] = strlen(v[i].text[k]);
	}
	buf_printf(b, "%-*s", (int)name, "Event");
	for (int k = 0; k < 4; k++)
		buf_printf(b, "%-*s", k < 3 ? (int)wide[k] + 2 : 0, heads[k]);
	buf_printf(b, "\n%-*s", (int)name, "-");
	for (int k = 0; k < 4; k++)
		buf_printf(b, "%-*s", k < 3 ? (int)wide[k] + 2 : 0, "-");
	buf_putc(b, '\n');
	for (size_t i = 0; i < n; i++) {
		buf_printf(b, "%-*s", (int)name, v[i].name);
		for (int k = 0; k < 4; k++)
			buf_printf(b, "%-*s", k < 3 ? (int)wide[k] + 2 : 0, v[i].text[k]);
		buf_putc(b, '\n');
	}
}

static void print_table(struct buf *b, const struct footprint_row *v, size_t n, uint64_t file_n, uint64_t events,
    enum table_format format)
{
	static const struct table_col col[] = {{"event", "event", TB_STR}, {"bytes", "size_bytes", TB_BYTES},
	    {"%", "size_share", TB_SHARE}, {"count", "count", TB_INT}, {"%", "count_share", TB_SHARE}};
	struct table t;
	table_begin(&t, col, sizeof col / sizeof *col);
	for (size_t i = 0; i < n; i++) {
		table_str(&t, v[i].name, strlen(v[i].name));
		table_int(&t, (int64_t)v[i].bytes);
		table_share(&t, (double)v[i].bytes / (double)file_n);
		table_int(&t, (int64_t)v[i].count);
		table_share(&t, (double)v[i].count / (double)events);
	}
	table_print(&t, format, b);
	table_free(&t);
}

/* The reference prints rows for all 256 types; here rows without events are left out. */
int report_footprint(const struct options *o, struct out *out, struct err *e)
{
	struct bytes in;
	struct wire_walk w;
	struct raw r;
	enum table_format format;
	if (table_format(o, &format, e) || walk_open(o, &in, &w, e))
		return -1;
	struct footprint_row rows[GE__N] = {0};
	uint64_t events = 0;
	int more;
	while ((more = walk_next(&w, &r, e)) > 0) {
		rows[r.type].bytes += r.size;
		rows[r.type].count++;
		events++;
	}
	size_t n = 0;
	for (size_t i = 0; i < GE__N; i++)
		if (rows[i].count) {
			rows[n] = rows[i];
			snprintf(rows[n].name, sizeof rows[n].name, "%s",
			    wire_event_specs[i].name ? wire_event_specs[i].name : "");
			n++;
		}
	if (!more) {
		sort_rows(rows, n);
		if (format == TF_TEXT)
			put_rows(&out->buf, rows, n, in.n, events);
		else
			print_table(&out->buf, rows, n, in.n, events, format);
	}
	return walk_end(o, &w, more, &in, e);
}
