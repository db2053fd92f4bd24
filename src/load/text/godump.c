/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Goroutine dumps as profiles: /debug/pprof/goroutine?debug=2, what a program
 * prints on SIGQUIT, a panic or a fatal error, debug.Stack() in a log. One
 * sample a goroutine, of value 1, with what its head says as labels.
 *
 * A dump is found anywhere in a text: above it are the reason and other lines of
 * a log, below it registers and "exit status 2". Between a head and the next
 * empty line a frame is two lines, a name and an indented place; a line that is
 * not followed by a place is somebody else's output that got in between and is
 * dropped. Stacks without a head (the runtime's own, ancestors) are nobody's.
 *
 * All is gathered before anything is said, because of what comes late: a thread
 * that was running when the dump began prints its stack at the end, under a
 * head that was there before without one; and one number twice with a stack
 * means that the text has two dumps, which the label "dump" then tells apart.
 *
 * How a goroutine is parked is the runtime's business, and where it is printed
 * at all (not with debug=2) every stack ends in it: those frames are named as
 * droppable, as profiles name their own, so that what waits comes out on top.
 */
#include "config.h"
#include "load/text/godump.h"

#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "base/u64_map.h"
#include "load/load.h"
#include "load/text/stack_builder.h"

#include <inttypes.h>
#include <string.h>

enum { REASONS = 8, LABELS = 32 };

struct frame { struct words name; struct godump_site site; bool inlined; };
struct gor {
	struct godump_head head;
	struct words creator;
	uint64_t parent, at;
	size_t frame;
	uint32_t n, dump;
	bool has_parent, empty, gone;	/* empty: no stack was printed; gone: another has taken its place */
};

struct godump {
	struct gor *g;
	struct frame *frame;
	size_t ng, cg, nframe, cframe;
	struct idmap last;		/* goroutine: its newest, as index + 1 */
	uint32_t dump;
	struct words reason[REASONS];	/* why it was printed */
	size_t nreason, heads, noise, runtime_lines;
	uint64_t noise_at;
	/* where the text is */
	bool inside, skipping, creating;
	struct words pending;		/* a name whose place comes next */
	size_t indent;
	bool cut;
};

/* ---- gathering */

static void add_frame(struct godump *d, struct words name, const struct godump_site *s, bool inlined)
{
	d->frame = mem_grow(d->frame, &d->cframe, d->nframe + 1, sizeof *d->frame);
	d->frame[d->nframe++] = (struct frame){name, *s, inlined};
	d->g[d->ng - 1].n++;
}

static void add_word(struct godump *d, const char *name)
{
	add_frame(d, (struct words){name, name + strlen(name)}, &(struct godump_site){0}, false);
}

/* The goroutine that was being read is complete. Was it there before? */
static void finish(struct godump *d)
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
	struct gor *g = &d->g[d->ng - 1];
	if (!g->n) {
		g->empty = true;
		add_word(d, "(stack unavailable)");
	}
	if (!g->head.id)
		return;		/* every thread has a goroutine 0 */
	struct idslot *s = idmap_put(&d->last, g->head.id, &fresh);
	if (!fresh && s->n) {
		struct gor *old = &d->g[s->n - 1];
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

static void begin(struct godump *d, const struct godump_head *h, uint64_t at)
{
	finish(d);
	d->g = mem_grow(d->g, &d->cg, d->ng + 1, sizeof *d->g);
	d->g[d->ng++] = (struct gor){.head = *h, .at = at, .frame = d->nframe, .dump = d->dump};
	d->inside = true;
	d->skipping = d->creating = false;
	d->pending.p = NULL;
}

/* "created by main.work.func1 in goroutine 1" */
static void created_by(struct godump *d, struct words t)
{
	struct gor *g = &d->g[d->ng - 1];
	const char *in = text_find(t.p, t.end, " in goroutine ");
	g->creator = (struct words){t.p, in ? in : t.end};
	if (in) {
		t.p = in + 14;
		g->has_parent = words_u64(&t, &g->parent);
	}
	d->pending = t;
	d->creating = true;
}

static void place_line(struct godump *d, struct words t)
{
	struct godump_site s;
	bool inlined;
	if (d->pending.p && !d->creating && godump_site(t, &s)) {
		struct words name = godump_name(d->pending, &inlined);
		add_frame(d, name, &s, inlined && !s.pc);
	} else if (d->pending.p && !d->creating) {
		d->noise++;
	}
	d->pending.p = NULL;
	d->creating = false;
}

static void stack_line(struct godump *d, struct words t)
{
	if (t.p < t.end && *t.p == '\t') {
		place_line(d, t);
	} else if (words_take(&t, "created by ")) {
		created_by(d, t);
	} else if (words_start(t, "...") && words_hold(t, "frames elided")) {
		add_word(d, "(frames elided)");
	} else if (words_start(t, "[originating from goroutine ")) {
		d->skipping = true;	/* the creator's stack at the time: not this goroutine's */
	} else if (words_take(&t, "non-Go function at pc=0x")) {
		struct godump_site s = {.file = {t.p, t.p}};
		if (words_hex(t, &s.pc))
			add_frame(d, (struct words){t.p, t.p}, &s, false);
	} else {
		d->noise += d->pending.p && !d->creating;
		d->pending = t;
		d->creating = false;
	}
}

/* Lines that say why there is a dump. */
static bool is_reason(struct words t)
{
	static const char *const begins[] = {
		"panic: ", "fatal error: ", "SIGQUIT: ", "SIGABRT: ", "[signal ", "unexpected fault address ",
		"runtime: goroutine stack exceeds ", "http: panic serving ", "WARNING: DATA RACE", "panic during panic",
	};
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (words_start(t, begins[i]))
			return true;
	return false;
}

/* Each once: every thread of a program that crashes says the same again. */
static void add_reason(struct godump *d, struct words t)
{
	for (size_t i = 0; i < d->nreason; i++)
		if (words_n(d->reason[i]) == words_n(t) && !memcmp(d->reason[i].p, t.p, words_n(t)))
			return;
	if (d->nreason < REASONS)
		d->reason[d->nreason++] = t;
}

/* "rax    0x2a": registers follow the last stack, sometimes at once. */
static bool is_register(struct words t)
{
	struct words name = {t.p, t.p};
	while (name.end < t.end && *name.end != ' ')
		name.end++;
	t.p = name.end;
	words_spaces(&t);
	if (words_n(name) < 2 || words_n(name) > 7 || !words_take(&t, "0x"))
		return false;
	while (t.p < t.end && is_hex(*t.p))
		t.p++;
	return t.p == t.end;
}

static void outside(struct godump *d, struct words t)
{
	struct words gc = t, said = t;
	while (said.p < said.end && is_space(*said.p))
		said.p++;
	lines_no_date(&said);
	if (is_reason(said))
		add_reason(d, said);
	if (words_take(&gc, "gc ") ? words_hold(gc, " ms clock, ") : words_start(t, "SCHED "))
		d->runtime_lines++;
}

static void gather(struct godump *d, struct bytes b)
{
	const char *text = (const char *)b.p;
	struct lines l = {.p = text, .end = text + b.n};
	while (lines_next(&l)) {
		struct words stamp, t = lines_bare(&l, &stamp);
		struct godump_head h;
		if (godump_head(t, &h)) {
			struct words in = t;
			words_spaces(&in);
			d->indent = (size_t)(in.p - t.p);
			begin(d, &h, (uint64_t)(l.line - text));
			continue;
		}
		for (size_t i = 0; i < d->indent && t.p < t.end && *t.p == ' '; i++)
			t.p++;
		if (!d->inside) {
			outside(d, t);
		} else if (t.p == t.end || words_start(t, "exit status ") || is_register(t)) {
			finish(d);
		} else if (!d->skipping) {
			stack_line(d, t);
		}
	}
	d->cut = d->inside && (d->pending.p || !b.n || b.p[b.n - 1] != '\n') && d->ng;
	if (d->cut && d->pending.p && !d->creating) {
		struct godump_site none = {.file = {d->pending.end, d->pending.end}};
		bool inlined;
		if (words_ending(d->pending, ")"))
			add_frame(d, godump_name(d->pending, &inlined), &none, false);
		d->pending.p = NULL;
	}
	finish(d);
}

/* ---- telling */

struct teller {
	struct frames f;
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

/* A label's word without its quotes. */
static str_id unquoted(struct teller *t, struct words w)
{
	if (words_n(w) < 2 || *w.p != '"' || w.end[-1] != '"')
		return frames_str(&t->f, w);
	buf_reset(&t->text);
	for (w.p++, w.end--; w.p < w.end; w.p++) {
		struct words hex = {w.p + 2, w.p + 4};
		uint64_t v;
		if (*w.p != '\\' || w.end - w.p < 2) {
			buf_putc(&t->text, *w.p);
		} else if (w.p[1] == 'x' && w.end - w.p >= 4 && is_hex(w.p[2]) && is_hex(w.p[3]) &&
		    words_hex(hex, &v)) {
			buf_putc(&t->text, (int)v);
			w.p += 3;
		} else {
			w.p++;
			buf_putc(&t->text, *w.p == 'n' ? '\n' : *w.p == 't' ? '\t' : *w.p == 'r' ? '\r' : *w.p);
		}
	}
	return frames_str(&t->f, (struct words){buf_str(&t->text), t->text.p + t->text.n});
}

static void tell_labels(struct teller *t, const struct godump *d, const struct gor *g)
{
	const struct godump_head *h = &g->head;
	struct words labels = h->labels, key, value;
	t->n = 0;
	label_str(t, t->key[K_STATE], frames_str(&t->f, h->state));
	if (words_n(g->creator))
		label_str(t, t->key[K_CREATOR], frames_str(&t->f, g->creator));
	if (h->locked)
		label_str(t, t->key[K_LOCKED], t->yes);
	if (h->leaked)
		label_str(t, frames_lit(&t->f, "leaked"), t->yes);
	while (godump_label(&labels, &key, &value)) {
		str_id k = unquoted(t, key);
		label_str(t, k, unquoted(t, value));
	}
	label_num(t, t->key[K_GOROUTINE], h->id, t->count);
	if (h->minutes)
		label_num(t, t->key[K_WAIT], (uint64_t)h->minutes, t->minutes);
	if (g->has_parent)
		label_num(t, t->key[K_PARENT], g->parent, t->count);
	if (h->on_thread)
		label_num(t, t->key[K_THREAD], h->thread, t->count);
	if (h->in_bubble)
		label_num(t, frames_lit(&t->f, "bubble"), h->bubble, t->count);
	if (d->dump)
		label_num(t, t->key[K_DUMP], g->dump + 1u, t->count);
}

static void tell_goroutine(struct teller *t, const struct godump *d, const struct gor *g)
{
	static const int64_t one = 1;
	for (size_t i = 0; i < g->n; i++) {
		const struct frame *f = &d->frame[g->frame + i];
		/* a return address is behind the call, but for the innermost */
		uint64_t pc = f->site.pc && i ? f->site.pc - 1 : f->site.pc;
		if (words_n(f->name))
			frames_line(&t->f, f->name, f->site.file, f->site.line);
		if (!f->inlined)
			frames_loc(&t->f, pc, 0);
	}
	stk_id stack = frames_stack(&t->f);
	tell_labels(t, d, g);
	t->f.out->ops->sample(t->f.out->self, &(struct sink_sample){.stack = stack, .value = &one, .label = t->label,
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

static void tell(const struct godump *d, const struct sink *s)
{
	struct teller t = {0};
	str_id reason[REASONS];
	frames_init(&t.f, s);
	str_id type = frames_lit(&t.f, "goroutine");
	t.count = frames_lit(&t.f, "count");
	t.minutes = frames_lit(&t.f, "minutes");
	t.yes = frames_lit(&t.f, "yes");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		t.key[i] = frames_lit(&t.f, keys[i]);
	s->ops->type(s->self, type, t.count);
	for (size_t i = 0; i < d->nreason; i++)
		reason[i] = frames_str(&t.f, d->reason[i]);
	static const char parking[] =
	    "runtime\\.(gopark|goparkunlock|chansend1?|chanrecv[12]?|selectgo|block|semacquire1?|"
	    "netpollblock|notetsleepg|notesleep|asyncPreempt2?|mcall|park_m)";
	s->ops->meta(s->self, &(struct sink_meta){.drop_frames = frames_lit(&t.f, parking), .period_type = type,
	    .period_unit = t.count, .period = 1, .comment = reason, .ncomment = d->nreason});
	for (size_t i = 0; i < d->ng; i++)
		if (!d->g[i].gone)
			tell_goroutine(&t, d, &d->g[i]);
	warn_of(d, s);
	frames_free(&t.f);
	buf_free(&t.text);
}

int read_godump(struct bytes b, struct sink *s, struct err *e)
{
	struct godump d = {0};
	gather(&d, b);
	int rc = d.ng ? 0 : err_set(e, ERR_FORMAT, ERR_NOWHERE, "no goroutine in this dump");
	if (!rc)
		tell(&d, s);
	mem_free(d.g);
	mem_free(d.frame);
	idmap_free(&d.last);
	return rc;
}

static size_t count_of(struct bytes b, const char *word)
{
	const char *p = (const char *)b.p, *end = p + b.n;
	size_t n = 0;
	while ((p = text_find(p, end, word))) {
		p += strlen(word);
		n++;
	}
	return n;
}

/* A few stacks in a log full of gctrace and schedtrace (a handler that panicked) do not make it a dump. */
bool is_godump(struct bytes b)
{
	enum { FRONT = 400, RATIO = 20 };	/* FRONT: what may stand before it in a line */
	static const char word[] = "goroutine ";
	const char *text = (const char *)b.p, *p = text, *end = text + b.n, *at;
	size_t heads = 0;
	for (; (at = text_find(p, end, word)); p = at + sizeof word - 1) {
		struct lines l = {.p = at, .end = end};
		while (l.p > text && l.p[-1] != '\n' && at - l.p < FRONT)
			l.p--;
		if (l.p > text && l.p[-1] != '\n')
			continue;
		struct words stamp, t;
		struct godump_head h;
		lines_next(&l);
		t = lines_bare(&l, &stamp);
		heads += godump_head(t, &h);
	}
	return heads && heads * RATIO >= count_of(b, " ms clock, ") + count_of(b, "ms: gomaxprocs=");
}
