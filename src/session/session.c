/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A session: files being opened, the newest snapshot, the query (query_history.c), and the
 * weights that follow from both.
 *
 * Weights (session/weigh.c) are cached for one (snapshot, query) and made anew when
 * either differs; two arenas take turns so that what a pane was given stays good
 * until the weights after the next are made.
 *
 * Further files (compare_queue.c) come into the same store, so a difference is a matter
 * of the query like any filter.
 */
#include "config.h"
#include "session/internal.h"
#include "session/trace_open.h"

#include "base/clock.h"
#include "base/text/regex.h"
#include "base/text/text.h"
#include "symbols/source.h"
#include "trace/as_profile.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_US = 2000000 };

/* ---- opening */

const char *session_keep(struct session *s, const char *t)
{
	return t && *t ? arena_strndup(&s->strings, t, strlen(t)) : NULL;
}

static void first_query(struct session *s, struct query *q)
{
	static const struct { enum opt_id opt; size_t off; } f[] = {
		{OPT_FOCUS, offsetof(struct query, f.focus)}, {OPT_IGNORE, offsetof(struct query, f.ignore)},
		{OPT_HIDE, offsetof(struct query, f.hide)}, {OPT_SHOW, offsetof(struct query, f.show)},
		{OPT_SHOW_FROM, offsetof(struct query, f.show_from)},
		{OPT_PRUNE_FROM, offsetof(struct query, f.prune_from)},
		{OPT_TAGFOCUS, offsetof(struct query, f.tagfocus)},
		{OPT_TAGIGNORE, offsetof(struct query, f.tagignore)},
		{OPT_TAGSHOW, offsetof(struct query, f.tagshow)}, {OPT_TAGHIDE, offsetof(struct query, f.taghide)},
		{OPT_TAGROOT, offsetof(struct query, f.tagroot)}, {OPT_TAGLEAF, offsetof(struct query, f.tagleaf)},
		{OPT_GOROUTINE, offsetof(struct query, gs)}, {OPT_GROUP, offsetof(struct query, group)},
		{OPT_TASK, offsetof(struct query, task)},
		{OPT_REGION, offsetof(struct query, region)}, {OPT_LATENCY, offsetof(struct query, latency)},
	};
	static const enum opt_id grans[] = {
		[GR_FUNCTIONS] = OPT_FUNCTIONS, [GR_FILEFUNCTIONS] = OPT_FILEFUNCTIONS, [GR_FILES] = OPT_FILES,
		[GR_LINES] = OPT_LINES, [GR_ADDRESSES] = OPT_ADDRESSES,
	};
	*q = (struct query){.type = SIZE_MAX, .from = TIME_NONE, .to = TIME_NONE, .a = 1};
	q->normalize = opt_bool(s->o, OPT_NORMALIZE);
	q->drop_negative = opt_bool(s->o, OPT_DROP_NEGATIVE);
	q->of_rest = s->o->v[OPT_BASE].nall > 0;
	for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
		const char *v = session_keep(s, opt_str(s->o, f[i].opt));
		memcpy((char *)q + f[i].off, &v, sizeof v);
	}
	for (size_t i = 0; i < sizeof grans / sizeof *grans; i++)
		if (opt_bool(s->o, grans[i]))
			q->gran = (enum gran)i;
	q->noinlines = opt_bool(s->o, OPT_NOINLINES);
	if (opt_bool(s->o, OPT_REST))
		query_rest(q);
	int blame = opt_str(s->o, OPT_BLAME) ? tw_blame_find(opt_str(s->o, OPT_BLAME)) : -1;
	q->blame = blame < 0 ? TWB_WAKER : (uint8_t)blame;
}

static bool names_one(const struct opt_value *v)
{
	return v->nall && *v->all[v->nall - 1];	/* the last one counts, as in go tool pprof */
}

/* The command line's base waits in the queue like one that is asked for later. */
static int first_sides(struct session *s, struct err *e)
{
	const struct opt_value *base = &s->o->v[OPT_BASE], *diff = &s->o->v[OPT_DIFF_BASE];
	s->first = *s->o;
	static const enum opt_id of_two[] = {OPT_BASE, OPT_DIFF_BASE, OPT_NORMALIZE};
	for (size_t i = 0; i < sizeof of_two / sizeof *of_two; i++)
		s->first.v[of_two[i]] = (struct opt_value){0};
	s->nside = 1;
	if (names_one(base) && names_one(diff))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-base and -diff_base cannot be used together");
	if (opt_bool(s->o, OPT_REST))
		return trace_rest_check(s->o, e);
	if (!names_one(base) && !names_one(diff))
		return !opt_bool(s->o, OPT_NORMALIZE) ? 0 : err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "-normalize requires -base or -diff_base");
	const struct opt_value *v = names_one(base) ? base : diff;
	s->wait[s->nwait++] = (struct wait){v->all[v->nall - 1], SIDE_BASE, false, NULL};
	return 0;
}

static struct session *open_part(const struct opt *o, const struct trace_part *part, struct err *e)
{
	struct session *s = xcalloc(1, sizeof *s);
	s->o = o;
	s->hist = mem_grow(NULL, &s->cap, 1, sizeof *s->hist);
	first_query(s, &s->hist[0]);
	s->nhist = 1;
	s->focus = focus_new(&s->hist[0].f, e);
	stale_note(&s->mark, session_file(s));
	if (!s->focus || first_sides(s, e) || opening_start(&s->op, &s->first, part, e)) {
		session_close(s);
		return NULL;
	}
	s->snap = build_snap(s->op.build);
	s->refreshed = clock_us();
	return s;
}

struct session *session_open(const struct opt *o, struct err *e)
{
	return open_part(o, NULL, e);
}

bool session_has_parts(const struct session *s)
{
	return s->op.job && s->op.direct && !s->op.part;
}

bool session_may_part(const struct session *s)
{
	return session_has_parts(s) && s->snap->has_trace;
}

struct session *session_open_part(const struct session *s, int64_t t0, int64_t t1, struct err *e)
{
	if (!session_may_part(s)) {
		err_set(e, ERR_USAGE, ERR_NOWHERE, "this trace can only be read from its start");
		return NULL;
	}
	return open_part(s->o, &(struct trace_part){s->snap->trace.first, t0, t1, s->snap->bytes}, e);
}

void session_give_way(const struct session *s)
{
	store_pass(s->snap, 0);
}

bool session_is_part(const struct session *s)
{
	return s->op.part;
}

void session_hold(struct session *s, bool held)
{
	if (!s->op.job)
		return;
	build_due(s->op.build);		/* what is there by then is seen */
	job_hold(s->op.job, held);
}

void session_close(struct session *s)
{
	if (!s)
		return;
	session_weigh_stop(s);
	s->patient = false;
	for (int i = 0; i < 4; i++)
		if (s->leaving[i])
			job_join(s->leaving[i]);
	bringing_free(&s->bring);
	for (uint32_t i = 1; i <= SIDES_MAX; i++)
		if (s->side[i]) {
			adding_free(s->side[i]);
			mem_free(s->side[i]);
		}
	for (uint32_t i = 0; i < s->nwait; i++)
		making_free(s->wait[i].made);
	opening_free(&s->op);
	focus_free(s->focus);
	sources_free(s->src);
	session_drop_calls(s);
	session_drop_shapes(s);
	arena_free(&s->strings);
	arena_free(&s->arena[0]);
	arena_free(&s->arena[1]);
	mem_free(s->hist);
	mem_free(s);
}

void session_frame(struct session *s, bool news)
{
	bringing_begin(&s->bring, s->snap, news);
}

bool session_framed(struct session *s)
{
	return bringing_end(&s->bring, s->snap);
}

struct job *session_brings(const struct session *s)
{
	return bringing_job(&s->bring);
}

bool session_brought(struct session *s, bool wait)
{
	return bringing_settle(&s->bring, wait);
}

struct job *session_job(const struct session *s)
{
	const struct adding *a = s->nside <= SIDES_MAX ? s->side[s->nside] : NULL;
	return s->op.job ? s->op.job : a && a->job ? a->job : s->beside;
}

bool session_reads(const struct session *s)
{
	return session_job(s) && session_job(s) != s->beside;
}

void session_beside(struct session *s, struct job *j)
{
	s->beside = j;
}

bool session_refresh(struct session *s)
{
	if (s->op.job && job_done(s->op.job, NULL))
		opening_join(&s->op);
	session_join(s);
	const struct snap *now = build_snap(s->op.build);
	bool news = now != s->snap;
	/* what is half there may cost an eighth of the time, no more: the keyboard comes first. Of a profile
	   it is worth nothing if the whole is there soon after, but for a first part that was made to be seen, nor
	   before there are samples */
	int64_t since = clock_us() - s->refreshed;
	bool profile = !session_is_trace(s), part = profile && now->st == s->snap->st;
	bool none = profile && now->nsmps == (part ? s->snap->nsmps : 0);
	if (!news || (!now->complete && (none || since < 8 * s->spent || (part && since < PATIENCE_US))))
		return false;
	s->snap = now;
	s->serial++;
	s->scope++;
	s->refreshed = clock_us();
	s->spent = 0;
	return true;
}

int session_wait(struct session *s, struct err *e)
{
	struct job *j;
	for (session_refresh(s); (j = session_job(s)); session_refresh(s)) {
		struct pollfd p = {.fd = job_fd(j), .events = POLLIN};
		if (j == s->beside && job_done(j, NULL))
			break;		/* its owner takes it */
		if (!job_done(j, NULL))
			poll(&p, 1, -1);
		job_drain(j);
	}
	return session_failed(s, e) ? -1 : 0;
}

bool session_failed(const struct session *s, struct err *e)
{
	if (s->op.job || !s->op.failed)
		return false;
	if (e)
		*e = s->op.err;
	return true;
}

bool session_known(const struct session *s)
{
	return s->op.reader != NULL;
}

/* What is being read now, of the first file or of a side. */
static const struct arrival *arriving(const struct session *s)
{
	const struct adding *a = s->nside <= SIDES_MAX ? s->side[s->nside] : NULL;
	return s->op.job ? &s->op.arrival : a && a->job ? &a->arrival : NULL;
}

bool session_fetching(const struct session *s, struct fetching *f)
{
	const struct arrival *a = arriving(s);
	if (!a || !a->going)
		return false;
	f->from = a->what.name;
	f->expect_s = a->what.seconds;
	f->ms = arrival_ms(a);
	job_progress(session_job(s), &f->bytes, &f->total);
	return true;
}

const char *session_said(struct session *s)
{
	struct arrival *a[SIDES_MAX + 1] = {s->op.job ? NULL : &s->op.arrival};
	for (uint32_t i = 1; i < s->nside; i++)
		a[i] = &s->side[i]->arrival;
	for (uint32_t i = s->nside; i--;)
		if (a[i] && a[i]->said[0]) {
			const char *line = session_keep(s, a[i]->said);
			a[i]->said[0] = '\0';
			return line;
		}
	return NULL;
}

void session_write_index(struct session *s, bool wait)
{
	struct indexing *x = &s->op.index;
	if (s->op.job || s->op.failed)
		return;
	if (s->snap->complete)
		indexing_start(x, s->snap);
	indexing_poll(x);
	if (wait)
		indexing_wait(x);
}

void session_index(struct session *s, struct buf *b)
{
	if (s->op.job) {
		buf_puts(b, "none yet");
		return;
	}
	indexing_poll(&s->op.index);
	indexing_say(&s->op.index, b);
}

const struct snap *session_snap(const struct session *s)
{
	return s->snap;
}

const char *session_file(const struct session *s)
{
	return s->o->nfile ? s->o->file[0] : "";
}

bool session_same_file(const struct session *s)
{
	uint64_t by;
	return s->mark.known && stale_now(&s->mark, session_file(s), &by) == STALE_SAME;
}

const char *session_stale(struct session *s)
{
	static const char *const what[] = {[STALE_GROWN] = "has grown by %" PRIu64 " bytes since it was read",
	    [STALE_CUT] = "is %" PRIu64 " bytes shorter than when it was read",
	    [STALE_OTHER] = "has been replaced since it was read",
	    [STALE_GONE] = "does not exist any more; when it exists again"};
	uint64_t by;
	enum stale now = stale_now(&s->mark, session_file(s), &by);
	/* a file that grows is worth a word each time it has doubled */
	bool again = now == STALE_GROWN && s->stale == now && by / 2 < s->grown;
	if (now == STALE_SAME || again || (now == s->stale && now != STALE_GROWN)) {
		s->stale = now == STALE_SAME ? now : s->stale;
		return NULL;
	}
	s->stale = now;
	s->grown = by;
	snprintf(s->stale_text, sizeof s->stale_text, what[now], by);
	return s->stale_text;
}

const char *session_kind(const struct session *s)
{
	return s->op.reader->name;
}

const struct opt *session_opt(const struct session *s)
{
	return &s->first;
}

bool session_of_reports(enum opt_id id)
{
	static const enum opt_id those[] = {OPT_MEAN, OPT_DIVIDE_BY, OPT_CALL_TREE, OPT_TRIM, OPT_NODEFRACTION,
	    OPT_EDGEFRACTION, OPT_NODECOUNT, OPT_CUM, OPT_FLAT, OPT_SHOWCOLUMNS, OPT_COMPACT_LABELS, OPT_INTEL_SYNTAX};
	for (size_t i = 0; i < sizeof those / sizeof *those; i++)
		if (those[i] == id)
			return true;
	return false;
}

int session_option(struct session *s, enum opt_id id, const char *value, struct err *e)
{
	if (opt_set(&s->first, id, session_keep(s, value), e))
		return -1;
	s->serial++;
	s->scope++;
	return 0;
}

static void put_title(struct buf *b, const char *file)
{
	const char *slash = strrchr(file, '/');
	buf_printf(b, "%s%s", b->n ? ", " : "", slash && slash[1] ? slash + 1 : file);
}

void session_title(const struct session *s, size_t room, struct buf *b)
{
	const struct query *q = session_query(s);
	size_t n = s->o->nfile ? s->o->nfile : 1;
	if (s->op.arrival.what.title[0])
		buf_puts(b, s->op.arrival.what.title);
	else
		put_title(b, session_file(s));
	for (size_t i = 1; i < s->o->nfile; i++)
		put_title(b, s->o->file[i]);
	for (uint32_t k = 1; k < s->nside; k++)
		if (side_in(q->a | q->b, k)) {
			put_title(b, session_side_name(s, k));
			n++;
		}
	if (n > 2 || (n == 2 && text_width(b->p, b->n) > room)) {
		buf_reset(b);
		buf_printf(b, "%zu files", n);
	}
}

void session_hand(const struct session *s, struct hand *h)
{
	*h = (struct hand){0};
	for (uint32_t k = 0; !s->op.job && k < s->nside; k++) {
		const struct adding *a = s->side[k];
		const struct hand *kept = k ? &a->hand : &s->op.hand;
		const struct query *q = session_query(s);
		struct held x = {.base = side_in(q->b, k) && !side_in(q->a, k)}, as = x;
		if (session_is_trace(s))
			as.trace = x.trace = k ? build_snap(a->own) : s->snap;
		for (size_t i = 0; i < kept->n; i++) {
			x.name = kept->v[i].name;
			x.b = kept->v[i].b;
			x.mark = kept->v[i].mark;
			hand_add(h, &x);
		}
		remote_lend(k ? a->o.remote : s->op.own.remote, &as, h);
	}
}

bool session_is_trace(const struct session *s)
{
	const struct reader *r = s->op.reader;
	return r ? r->kind == FK_GOTRACE : s->op.arrival.what.trace;
}

/* ---- sample types */

size_t session_ntypes(const struct session *s)
{
	return session_is_trace(s) ? TW__N : s->snap->ntypes;
}

static const struct type_row *type_row(const struct session *s, size_t i)
{
	return col_at(&s->snap->st->types, (uint32_t)i);
}

const char *session_type_name(const struct session *s, size_t i)
{
	if (session_is_trace(s))
		return i < TW__N ? tw_name((enum tw_type)i) : "";
	return i < s->snap->ntypes ? store_str(s->snap->st, type_row(s, i)->name)->s : "";
}

const char *session_type_unit(const struct session *s, size_t i)
{
	if (session_is_trace(s))
		return "nanoseconds";
	return i < s->snap->ntypes ? store_str(s->snap->st, type_row(s, i)->unit)->s : "";
}

/* The type asked for on the command line by name, number or pprof's old words; SIZE_MAX: none. */
static size_t asked_type(const struct session *s)
{
	static const struct { enum opt_id opt; const char *name; } words[] = {
		{OPT_INUSE_SPACE, "inuse_space"}, {OPT_INUSE_OBJECTS, "inuse_objects"},
		{OPT_ALLOC_SPACE, "alloc_space"}, {OPT_ALLOC_OBJECTS, "alloc_objects"},
		{OPT_TOTAL_DELAY, "delay"}, {OPT_CONTENTIONS, "contentions"}, {OPT_MEAN_DELAY, "delay"},
	};
	const char *want = opt_str(s->o, session_is_trace(s) ? OPT_TYPE : OPT_SAMPLE_INDEX);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (opt_bool(s->o, words[i].opt))
			want = words[i].name;
	if (!want)
		return SIZE_MAX;
	size_t n = session_ntypes(s);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(want, session_type_name(s, i)))
			return i;
	char *end;
	unsigned long i = strtoul(want, &end, 10);
	return *want && !*end && i < n ? i : SIZE_MAX;
}

/* Without a choice: the profile's own default, else its last, as pprof does; of a trace the CPU
   samples where they are enough for shares of a percent, else what ran. */
static size_t default_type(const struct session *s)
{
	enum { SAMPLES_ENOUGH = 100 };
	const struct sink_meta *m = s->snap->meta;
	size_t n = session_ntypes(s);
	if (session_is_trace(s))
		return s->snap->nsmps >= SAMPLES_ENOUGH ? TW_CPU : TW_RUN;
	for (size_t i = 0; m && m->default_type && i < n; i++)
		if (type_row(s, i)->name == m->default_type)
			return i;
	return n ? n - 1 : 0;
}

size_t session_type(const struct session *s)
{
	size_t t = s->hist[s->at].type;
	if (t != SIZE_MAX)
		return t;
	t = asked_type(s);
	return t != SIZE_MAX ? t : default_type(s);
}

/* ---- sources */

struct sources *session_sources(struct session *s)
{
	if (!s->src)
		s->src = sources_new(&(struct sources_conf){.source_path = opt_str(&s->first, OPT_SOURCE_PATH),
		    .trim_path = opt_str(&s->first, OPT_TRIM_PATH), .beside = session_file(s)});
	return s->src;
}

int session_source_path(struct session *s, enum opt_id id, const char *dirs, struct err *e)
{
	if (session_option(s, id, dirs, e))	/* the reports search there too */
		return -1;
	sources_free(s->src);
	s->src = NULL;
	s->nsources++;
	return 0;
}

uint32_t session_nsources(const struct session *s)
{
	return s->nsources;
}
