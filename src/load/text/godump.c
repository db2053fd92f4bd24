/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Goroutine dumps as profiles: /debug/pprof/goroutine?debug=2, the output of a program on SIGQUIT,
 * a panic or a fatal error, debug.Stack() in a log. Each goroutine is a sample of value 1, with the
 * facts of its head as labels.
 *
 * A dump may be anywhere in a text: the reason and other lines of a log precede it, registers and
 * "exit status 2" follow it. Between a head and the next empty line a frame is two lines, a name
 * and an indented place. A line that is not followed by a place is other output that was written in
 * between, and is dropped. Stacks without a head (the runtime's own, ancestors) belong to no
 * goroutine.
 *
 * The whole dump is parsed before anything is emitted, for two reasons. A thread that was running
 * when the dump began prints its stack at the end, under a head that occurred before without a
 * stack. And if one id occurs twice with a stack, the text has two dumps, which the label "dump"
 * then distinguishes.
 *
 * The frames in which the runtime parks a goroutine are of no interest, and where they are printed
 * at all (not with debug=2) every stack ends in them. They are declared as frames to drop, as
 * profiles declare their own, so that the blocking call becomes the leaf.
 */
#include "config.h"
#include "load/text/godump_line.h"

#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "base/text/text.h"
#include "base/u64_map.h"
#include "load/load.h"
#include "load/text/stack_builder.h"

#include <inttypes.h>
#include <string.h>

enum { REASONS = 8, LABELS = 32 };

struct frame { struct scan_text name; struct godump_site site; bool inlined; };
struct dump_goroutine {
	struct godump_head head;
	struct scan_text creator;
	uint64_t parent, at;
	size_t frame;
	uint32_t n, dump;
	/* Empty: no stack was printed; gone: replaced by another entry of the same goroutine. */
	bool has_parent, empty, gone;
};

struct godump {
	struct dump_goroutine *g;
	struct frame *frame;
	size_t ng, cg, nframe, cframe;
	struct u64_hash last;		/* by goroutine id: its newest entry, index + 1 */
	uint32_t dump;
	struct scan_text reason[REASONS];	/* lines with the reason of the dump */
	size_t nreason, heads, noise, runtime_lines;
	uint64_t noise_at;
	/* state of the parser */
	bool inside, skipping, creating;
	struct scan_text pending;		/* a name whose place is expected next */
	size_t indent;
	bool cut, out_of_memory;
};

/* ---- parsing */

static void add_frame(struct godump *d, struct scan_text name, const struct godump_site *s, bool inlined)
{
	d->frame = mem_grow(d->frame, &d->cframe, d->nframe + 1, sizeof *d->frame);
	d->frame[d->nframe++] = (struct frame){name, *s, inlined};
	d->g[d->ng - 1].n++;
}

static void add_word(struct godump *d, const char *name)
{
	add_frame(d, (struct scan_text){name, name + strlen(name)}, &(struct godump_site){0}, false);
}

/* The current goroutine is complete: check whether it occurred before. */
static void finish_goroutine(struct godump *d)
{
	bool fresh;
	if (!d->inside)
		return;
	d->inside = d->skipping = false;
	if (d->pending.p && !d->creating) {
		d->noise++;
		d->noise_at = d->noise_at ? d->noise_at : d->g[d->ng - 1].at;
	}
	d->pending.p = NULL;
	struct dump_goroutine *g = &d->g[d->ng - 1];
	if (!g->n) {
		g->empty = true;
		add_word(d, "(stack unavailable)");
	}
	if (!g->head.id)
		return;		/* every thread has a goroutine 0 */
	struct u64_slot *s = u64_map_put(&d->last, g->head.id, &fresh);
	if (!fresh && s->n) {
		struct dump_goroutine *old = &d->g[s->n - 1];
		if (old->dump == d->dump && old->empty && !g->empty)
			old->gone = true;
		else if (old->dump == d->dump && g->empty)
			g->gone = true;
		else if (old->dump == d->dump)
			d->dump++;
		g->dump = d->dump;
	}
	if (!g->gone)
		s->n = d->ng;
}

static void begin_goroutine(struct godump *d, const struct godump_head *h, uint64_t at)
{
	finish_goroutine(d);
	d->g = mem_grow(d->g, &d->cg, d->ng + 1, sizeof *d->g);
	d->g[d->ng++] = (struct dump_goroutine){.head = *h, .at = at, .frame = d->nframe, .dump = d->dump};
	d->inside = true;
	d->skipping = d->creating = false;
	d->pending.p = NULL;
}

/* Parse "created by main.work.func1 in goroutine 1". */
static void created_by(struct godump *d, struct scan_text t)
{
	struct dump_goroutine *g = &d->g[d->ng - 1];
	const char *in = scan_find(t.p, t.end, " in goroutine ");
	g->creator = (struct scan_text){t.p, in ? in : t.end};
	if (in) {
		t.p = in + 14;
		g->has_parent = scan_take_u64(&t, &g->parent);
	}
	d->pending = t;
	d->creating = true;
}

static void parse_site_line(struct godump *d, struct scan_text t)
{
	struct godump_site s;
	bool inlined;
	if (d->pending.p && !d->creating && godump_site(t, &s)) {
		struct scan_text name = godump_name(d->pending, &inlined);
		add_frame(d, name, &s, inlined && !s.pc);
	} else if (d->pending.p && !d->creating) {
		d->noise++;
	}
	d->pending.p = NULL;
	d->creating = false;
}

static void stack_line(struct godump *d, struct scan_text t)
{
	if (t.p < t.end && *t.p == '\t') {
		parse_site_line(d, t);
	} else if (scan_take(&t, "created by ")) {
		created_by(d, t);
	} else if (scan_starts_with(t, "...") && scan_contains(t, "frames elided")) {
		add_word(d, "(frames elided)");
	} else if (scan_starts_with(t, "[originating from goroutine ")) {
		d->skipping = true;	/* the stack of the creator at that time, not this goroutine's */
	} else if (scan_take(&t, "non-Go function at pc=0x")) {
		struct godump_site s = {.file = {t.p, t.p}};
		if (scan_parse_hex(t, &s.pc))
			add_frame(d, (struct scan_text){t.p, t.p}, &s, false);
	} else {
		d->noise += d->pending.p && !d->creating;
		d->pending = t;
		d->creating = false;
	}
}

/* Return whether the line is a reason for a dump. */
static bool is_reason(struct scan_text t)
{
	static const char *const begins[] = {
		"panic: ", "fatal error: ", "SIGQUIT: ", "SIGABRT: ", "[signal ", "unexpected fault address ",
		"runtime: goroutine stack exceeds ", "http: panic serving ", "WARNING: DATA RACE", "panic during panic",
	};
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (scan_starts_with(t, begins[i]))
			return true;
	return false;
}

/* Add a reason once: every thread of a crashing program prints it again. */
static void add_reason(struct godump *d, struct scan_text t)
{
	for (size_t i = 0; i < d->nreason; i++)
		if (scan_len(d->reason[i]) == scan_len(t) && !memcmp(d->reason[i].p, t.p, scan_len(t)))
			return;
	if (d->nreason < REASONS)
		d->reason[d->nreason++] = t;
}

/* Return whether it is a line like "rax    0x2a": registers follow the last stack, sometimes without an empty line. */
static bool is_register(struct scan_text t)
{
	struct scan_text name = {t.p, t.p};
	while (name.end < t.end && *name.end != ' ')
		name.end++;
	t.p = name.end;
	scan_skip_spaces(&t);
	if (scan_len(name) < 2 || scan_len(name) > 7 || !scan_take(&t, "0x"))
		return false;
	while (t.p < t.end && scan_is_hex(*t.p))
		t.p++;
	return t.p == t.end;
}

static void parse_outside_line(struct godump *d, struct scan_text t)
{
	struct scan_text gc = t, message = t;
	while (message.p < message.end && scan_is_space(*message.p))
		message.p++;
	scan_skip_date(&message);
	if (is_reason(message))
		add_reason(d, message);
	if (scan_take(&gc, "gc ") ? scan_contains(gc, " ms clock, ") : scan_starts_with(t, "SCHED "))
		d->runtime_lines++;
}

static void parse_dump(struct godump *d, struct bytes b, const struct sink *s)
{
	const char *text = (const char *)b.p;
	struct scan_lines l = scan_bounded(b, s, 0, 1);
	while (scan_next_line(&l)) {
		struct scan_text stamp, t = scan_line_without_log_prefix(&l, &stamp);
		struct godump_head h;
		if (godump_head(t, &h)) {
			struct scan_text in = t;
			scan_skip_spaces(&in);
			d->indent = (size_t)(in.p - t.p);
			begin_goroutine(d, &h, (uint64_t)(l.line - text));
			continue;
		}
		for (size_t i = 0; i < d->indent && t.p < t.end && *t.p == ' '; i++)
			t.p++;
		if (!d->inside) {
			parse_outside_line(d, t);
		} else if (t.p == t.end || scan_starts_with(t, "exit status ") || is_register(t)) {
			finish_goroutine(d);
		} else if (!d->skipping) {
			stack_line(d, t);
		}
	}
	d->out_of_memory = l.cut;
	d->cut = d->inside && (d->pending.p || !b.n || b.p[b.n - 1] != '\n') && d->ng;
	if (d->cut && d->pending.p && !d->creating) {
		struct godump_site none = {.file = {d->pending.end, d->pending.end}};
		bool inlined;
		if (scan_ends_with(d->pending, ")"))
			add_frame(d, godump_name(d->pending, &inlined), &none, false);
		d->pending.p = NULL;
	}
	finish_goroutine(d);
}

/* ---- emitting */

struct teller {
	struct stack_assembler f;
	struct buf text;
	struct sink_label label[LABELS];
	size_t n;
	str_id key[8], count, minutes, yes;
};
enum { K_STATE, K_WAIT, K_CREATOR, K_GOROUTINE, K_PARENT, K_LOCKED, K_THREAD, K_DUMP };
static const char *const keys[] = {"state", "wait", "creator", "goroutine", "parent", "locked", "thread", "dump"};

static void label_str(struct teller *t, str_id key, str_id s)
{
	if (t->n < LABELS)
		t->label[t->n++] = (struct sink_label){.key = key, .str = s, .blank = !s};
}

static void label_num(struct teller *t, str_id key, uint64_t v, str_id unit)
{
	if (t->n < LABELS)
		t->label[t->n++] = (struct sink_label){.key = key, .num = v > INT64_MAX ? INT64_MAX : (int64_t)v,
		    .unit = unit};
}

/* Append what \x with two digits (a byte), \u with four or \U with eight (a character) stands for. Returns how many
   bytes of the text it takes, or 0: it is none of these. */
static size_t put_hex_escape(struct buf *b, struct scan_text t)
{
	static const char kinds[] = "xuU";
	static const size_t digits[] = {2, 4, 8};
	const char *kind = scan_len(t) > 1 && t.p[1] ? strchr(kinds, t.p[1]) : NULL;
	size_t n = kind ? digits[kind - kinds] : 0;
	char utf8[4];
	uint64_t v;
	t.p += kind ? 2 : 0;
	if (!kind || !scan_take_hex(&t, n, &v))
		return 0;
	if (*kind == 'x')
		buf_putc(b, (int)v);
	else
		buf_put(b, utf8, text_encode_utf8(v > 0x10ffff || (v >= 0xd800 && v < 0xe000) ? 0xfffd : (uint32_t)v, utf8));
	return n + 2;
}

/* Return the sink's id of a label's text without its quotes. */
static str_id put_unquoted(struct teller *t, struct scan_text w)
{
	if (scan_len(w) < 2 || *w.p != '"' || w.end[-1] != '"')
		return stack_builder_str(&t->f, w);
	buf_reset(&t->text);
	for (w.p++, w.end--; w.p < w.end; w.p++) {
		size_t n = *w.p == '\\' ? put_hex_escape(&t->text, w) : 0;
		if (n) {
			w.p += n - 1;
		} else if (*w.p != '\\' || w.end - w.p < 2) {
			buf_putc(&t->text, *w.p);
		} else {
			w.p++;
			buf_putc(&t->text, *w.p == 'n' ? '\n' : *w.p == 't' ? '\t' : *w.p == 'r' ? '\r' : *w.p);
		}
	}
	return stack_builder_str(&t->f, (struct scan_text){buf_str(&t->text), t->text.p + t->text.n});
}

static void emit_labels(struct teller *t, const struct godump *d, const struct dump_goroutine *g)
{
	const struct godump_head *h = &g->head;
	struct scan_text labels = h->labels, key, value;
	t->n = 0;
	label_str(t, t->key[K_STATE], stack_builder_str(&t->f, h->state));
	if (scan_len(g->creator))
		label_str(t, t->key[K_CREATOR], stack_builder_str(&t->f, g->creator));
	if (h->locked)
		label_str(t, t->key[K_LOCKED], t->yes);
	if (h->leaked)
		label_str(t, stack_builder_literal(&t->f, "leaked"), t->yes);
	while (godump_label(&labels, &key, &value)) {
		str_id k = put_unquoted(t, key);
		label_str(t, k, put_unquoted(t, value));
	}
	label_num(t, t->key[K_GOROUTINE], h->id, t->count);
	if (h->minutes)
		label_num(t, t->key[K_WAIT], (uint64_t)h->minutes, t->minutes);
	if (g->has_parent)
		label_num(t, t->key[K_PARENT], g->parent, t->count);
	if (h->on_thread)
		label_num(t, t->key[K_THREAD], h->thread, t->count);
	if (h->in_bubble)
		label_num(t, stack_builder_literal(&t->f, "bubble"), h->bubble, t->count);
	if (d->dump)
		label_num(t, t->key[K_DUMP], g->dump + 1u, t->count);
}

static void emit_goroutine(struct teller *t, const struct godump *d, const struct dump_goroutine *g)
{
	static const int64_t one = 1;
	for (size_t i = 0; i < g->n; i++) {
		const struct frame *f = &d->frame[g->frame + i];
		/* all addresses but the innermost are return addresses, which follow the call */
		uint64_t pc = f->site.pc && i ? f->site.pc - 1 : f->site.pc;
		if (scan_len(f->name))
			stack_builder_add_line(&t->f, f->name, f->site.file, f->site.line);
		if (!f->inlined)
			stack_builder_loc(&t->f, pc, 0);
	}
	stk_id stack = stack_builder_end_stack(&t->f);
	emit_labels(t, d, g);
	t->f.out->profile->sample(t->f.out->self, &(struct sink_sample){.stack = stack, .value = &one, .label = t->label,
	    .nlabel = t->n, .when = TIME_NONE});
}

static void warn_of(const struct godump *d, const struct sink *s)
{
	if (d->cut)
		s->ops->warn(s->self, d->g[d->ng - 1].at, "the dump is truncated in goroutine %" PRIu64
		    ": later goroutines are missing", d->g[d->ng - 1].head.id);
	if (d->noise)
		s->ops->warn(s->self, d->noise_at ? d->noise_at : ERR_NOWHERE,
		    "ignored %zu lines inside stacks that are not frames (other output of the program)",
		    d->noise);
	if (d->dump)
		s->ops->warn(s->self, ERR_ASIDE, "%u dumps in one file: the tag \"dump\" has the number of each",
		    d->dump + 1);
	if (d->runtime_lines)
		s->ops->warn(s->self, ERR_ASIDE,
		    "the file also contains %zu gctrace or schedtrace lines: copy them with grep -E '^(gc|SCHED) ' "
		    "to a separate file to see them on a timeline", d->runtime_lines);
}

static void emit_profile(const struct godump *d, const struct sink *s)
{
	struct teller t = {0};
	str_id reason[REASONS];
	stack_builder_init(&t.f, s);
	str_id type = stack_builder_literal(&t.f, "goroutine");
	t.count = stack_builder_literal(&t.f, "count");
	t.minutes = stack_builder_literal(&t.f, "minutes");
	t.yes = stack_builder_literal(&t.f, "yes");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		t.key[i] = stack_builder_literal(&t.f, keys[i]);
	s->profile->type(s->self, type, t.count);
	for (size_t i = 0; i < d->nreason; i++)
		reason[i] = stack_builder_str(&t.f, d->reason[i]);
	static const char parking[] =
	    "runtime\\.(gopark|goparkunlock|chansend1?|chanrecv[12]?|selectgo|block|semacquire1?|"
	    "netpollblock|notetsleepg|notesleep|asyncPreempt2?|mcall|park_m)";
	s->profile->meta(s->self, &(struct sink_meta){.drop_frames = stack_builder_literal(&t.f, parking),
				  .period_type = type,
				  .period_unit = t.count,
				  .period = 1,
				  .comment = reason,
				  .ncomment = d->nreason});
	for (size_t i = 0; i < d->ng; i++)
		if (!d->g[i].gone)
			emit_goroutine(&t, d, &d->g[i]);
	scan_warn_cut(s, d->out_of_memory);
	warn_of(d, s);
	stack_builder_free(&t.f);
	buf_free(&t.text);
}

int godump_read(struct bytes b, struct sink *s, struct err *e)
{
	struct godump d = {0};
	parse_dump(&d, b, s);
	int rc = d.ng ? 0 : err_set(e, ERR_FORMAT, ERR_NOWHERE, "no goroutine in this dump");
	if (!rc)
		emit_profile(&d, s);
	mem_free(d.g);
	mem_free(d.frame);
	u64_map_free(&d.last);
	return rc;
}

static size_t count_of(struct bytes b, const char *word)
{
	const char *p = (const char *)b.p, *end = p + b.n;
	size_t n = 0;
	while ((p = scan_find(p, end, word))) {
		p += strlen(word);
		n++;
	}
	return n;
}

/* Return whether it is a dump. A log with many gctrace and schedtrace lines and a few stacks (of a handler that
   panicked) is none. */
bool godump_probe(struct bytes b)
{
	enum { FRONT = 400, RATIO = 20 };	/* FRONT: greatest length of a prefix of the line */
	static const char word[] = "goroutine ";
	const char *text = (const char *)b.p, *p = text, *end = text + b.n, *at;
	size_t heads = 0;
	for (; (at = scan_find(p, end, word)); p = at + sizeof word - 1) {
		struct scan_lines l = {.p = at, .end = end};
		while (l.p > text && l.p[-1] != '\n' && at - l.p < FRONT)
			l.p--;
		if (l.p > text && l.p[-1] != '\n')
			continue;
		struct scan_text stamp, t;
		struct godump_head h;
		scan_next_line(&l);
		t = scan_line_without_log_prefix(&l, &stamp);
		heads += godump_head(t, &h);
	}
	return heads && heads * RATIO >= count_of(b, " ms clock, ") + count_of(b, "ms: gomaxprocs=");
}
