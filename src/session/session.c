/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A session: the files being opened, the newest snapshot, the query (query_history.c), and
 * the weights that follow from both.
 *
 * Weights (session/weigh.c) are cached for one (snapshot, query) and computed again when
 * either changes. Two arenas are used in turn, so the weights that a pane was given stay
 * valid until the weights after the next are computed.
 *
 * Further files (compare_queue.c) are added to the same store, so a difference is a
 * property of the query like any filter.
 */
#include "config.h"
#include "session/internal.h"
#include "session/profile_judgement.h"
#include "session/trace_analysis.h"
#include "session/trace_open.h"
#include "session/trace_weights.h"

#include "base/clock.h"
#include "base/text/regex.h"
#include "base/text/text.h"
#include "store/builder.h"
#include "symbols/source.h"
#include "trace/as_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_US = 2000000 };

/* ---- opening */

const char *session_copy_string(struct session *s, const char *t)
{
	return t && *t ? arena_strndup(&s->strings, t, strlen(t)) : NULL;
}

static int first_query(struct session *s, struct query *q, struct err *e)
{
	if (query_of_options(s->o, q, e))
		return -1;
	for (size_t i = 0; i < QUERY_WORDS; i++)
		*query_word(q, i) = session_copy_string(s, *query_word(q, i));
	q->normalize = options_bool(s->o, OPT_NORMALIZE);
	q->drop_negative = options_bool(s->o, OPT_DROP_NEGATIVE);
	q->of_rest = s->o->v[OPT_BASE].nall > 0;
	if (options_bool(s->o, OPT_REST))
		session_query_compare_rest(q);
	return 0;
}

static bool names_one(const struct option_value *v)
{
	return v->nall && *v->all[v->nall - 1];	/* the last one counts, as in go tool pprof */
}

/* Put the command line's base into the queue, like a side that is requested later. */
static int first_sides(struct session *s, struct err *e)
{
	const struct option_value *base = &s->o->v[OPT_BASE], *diff = &s->o->v[OPT_DIFF_BASE];
	s->compare.options = *s->o;
	static const enum option_id of_two[] = {OPT_BASE, OPT_DIFF_BASE, OPT_NORMALIZE};
	for (size_t i = 0; i < sizeof of_two / sizeof *of_two; i++)
		s->compare.options.v[of_two[i]] = (struct option_value){0};
	s->compare.nside = 1;
	if (names_one(base) && names_one(diff))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-base and -diff_base cannot be used together");
	if (query_check_sides(s->o, e))
		return -1;
	bool based = names_one(base) || names_one(diff);
	if (!based && !trace_has_own_base(s->o) && options_bool(s->o, OPT_NORMALIZE))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-normalize requires -base or -diff_base");
	if (!based)
		return 0;
	const struct option_value *v = names_one(base) ? base : diff;
	s->compare.wait[s->compare.nwait++] = (struct waiting_side){v->all[v->nall - 1], SIDE_BASE, false, NULL, NULL};
	return 0;
}

struct session *session_open(const struct options *o, struct err *e)
{
	struct session *s = xcalloc(1, sizeof *s);
	s->o = o;
	s->queries.query = mem_grow(NULL, &s->queries.cap, 1, sizeof *s->queries.query);
	s->queries.n = 1;
	if (!first_query(s, &s->queries.query[0], e))
		s->weigh.filters = filter_compile(&s->queries.query[0].f, e);
	file_changed_mark_file(&s->file.mark, session_file(s));
	if (!s->weigh.filters || first_sides(s, e) || open_job_init(&s->opening, &s->compare.options, e)) {
		session_close(s);
		return NULL;
	}
	(void)async_start(&s->reading, &open_job_kind, &s->opening, ASYNC_ALWAYS);
	s->snap = builder_snap(s->opening.store_builder);
	s->refreshed = clock_us();
	return s;
}

void session_retire(struct session *s)
{
	session_weigh_stop(s);
	trace_analysis_free(s->analysis);
	profile_judgement_free(s->judgement);
	s->analysis = NULL;
	s->judgement = NULL;
	s->weigh.nonblocking = false;
	for (int i = 0; i < 4; i++)
		async_stop(&s->weigh.freeing[i]);
	async_stop(&s->reading);
	for (uint32_t i = 1; i <= SIDES_MAX; i++) {
		compare_load_free(s->compare.side[i]);
		s->compare.side[i] = NULL;
	}
	for (uint32_t i = 0; i < s->compare.nwait; i++) {
		compare_free_report_side(s->compare.wait[i].made);
		session_close(s->compare.wait[i].other);
	}
	s->compare.nwait = 0;
	session_drop_calls(s);
	session_drop_calltrees(s);
}

void session_close(struct session *s)
{
	if (!s)
		return;
	session_retire(s);
	open_job_free(&s->opening);
	filter_free(s->weigh.filters);
	source_cache_free(s->source.cache);
	arena_free(&s->strings);
	mem_free(s->queries.query);
	mem_free(s);
}

struct job *session_job(const struct session *s)
{
	struct job *j = async_job(&s->reading);
	return j || !s->compare.extra ? j : async_job(s->compare.extra);
}

bool session_is_loading(const struct session *s)
{
	return async_job(&s->reading);
}

void session_set_extra_work(struct session *s, const struct async *work)
{
	s->compare.extra = work;
}

bool session_refresh(struct session *s)
{
	session_advance_reading(s);
	const struct snap *now = builder_snap(s->opening.store_builder);
	bool news = now != s->snap;
	/* Weighing an incomplete file may take an eighth of the time, so that keys are answered. An incomplete profile
	   is not worth it if it will be complete soon, except for the first part that is made to be shown, and not
	   before there are samples. */
	int64_t since = clock_us() - s->refreshed;
	bool profile = !session_is_trace(s), part = profile && now->st == s->snap->st;
	bool none = profile && now->nsmps == (part ? s->snap->nsmps : 0);
	if (!news || (!now->complete && (none || since < 8 * s->weigh.spent || (part && since < PATIENCE_US))))
		return false;
	s->snap = now;
	s->serial++;
	s->scope++;
	s->refreshed = clock_us();
	s->weigh.spent = 0;
	return true;
}

int session_wait(struct session *s, struct err *e)
{
	struct job *j;
	for (session_refresh(s); (j = session_job(s)); session_refresh(s)) {
		if (!session_is_loading(s) && job_done(j, NULL))
			break;		/* the owner of the work takes it */
		job_wait(j);
	}
	return session_failed(s, e) ? -1 : 0;
}

bool session_failed(const struct session *s, struct err *e)
{
	if (session_is_opening(s) || !s->opening.failed)
		return false;
	if (e)
		*e = s->opening.err;
	return true;
}

bool session_format_known(const struct session *s)
{
	return s->opening.reader != NULL;
}

/* Return the input that is being read, of the first file or of a side; NULL: none. */
static const struct pending_input *current_input(const struct session *s)
{
	const struct compare_loader *a = session_is_opening(s) ? NULL : async_running(&s->reading);
	return session_is_opening(s) ? &s->opening.pending_input : a ? &a->pending_input : NULL;
}

bool session_fetch_progress(const struct session *s, struct fetch_progress *f)
{
	const struct pending_input *a = current_input(s);
	if (!a || !a->going)
		return false;
	f->from = a->what.name;
	f->expect_s = a->what.seconds;
	f->ms = input_wait_elapsed_ms(a);
	job_progress(session_job(s), &f->bytes, &f->total);
	return true;
}

const char *session_take_notice(struct session *s)
{
	struct pending_input *a[SIDES_MAX + 1] = {session_is_opening(s) ? NULL : &s->opening.pending_input};
	for (uint32_t i = 1; i < s->compare.nside; i++)
		a[i] = &s->compare.side[i]->pending_input;
	for (uint32_t i = s->compare.nside; i--;)
		if (a[i] && a[i]->notices[0]) {
			const char *line = session_copy_string(s, a[i]->notices);
			a[i]->notices[0] = '\0';
			return line;
		}
	return NULL;
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
	return s->file.mark.known && file_changed_check(&s->file.mark, session_file(s), &by) == FILE_SAME;
}

const char *session_file_change_text(struct session *s)
{
	static const char *const what[] = {[FILE_GROWN] = "has grown by %" PRIu64 " bytes since it was read",
	    [FILE_TRUNCATED] = "is %" PRIu64 " bytes shorter than when it was read",
	    [FILE_REPLACED] = "has been replaced since it was read",
	    [FILE_REMOVED] = "does not exist any more; when it exists again"};
	uint64_t by;
	enum file_change now = file_changed_check(&s->file.mark, session_file(s), &by);
	/* a growing file is reported again each time the growth has doubled */
	bool again = now == FILE_GROWN && s->file.change == now && by / 2 < s->file.grown;
	if (now == FILE_SAME || again || (now == s->file.change && now != FILE_GROWN)) {
		s->file.change = now == FILE_SAME ? now : s->file.change;
		return NULL;
	}
	s->file.change = now;
	s->file.grown = by;
	snprintf(s->file.text, sizeof s->file.text, what[now], by);
	return s->file.text;
}

const char *session_kind(const struct session *s)
{
	return s->opening.reader->name;
}

const struct options *session_opt(const struct session *s)
{
	return &s->compare.options;
}

bool session_is_report_option(enum option_id id)
{
	static const enum option_id those[] = {OPT_MEAN, OPT_DIVIDE_BY, OPT_CALL_TREE, OPT_TRIM, OPT_NODEFRACTION,
	    OPT_EDGEFRACTION, OPT_NODECOUNT, OPT_CUM, OPT_FLAT, OPT_SHOWCOLUMNS, OPT_COMPACT_LABELS, OPT_INTEL_SYNTAX};
	for (size_t i = 0; i < sizeof those / sizeof *those; i++)
		if (those[i] == id)
			return true;
	return false;
}

int session_set_option(struct session *s, enum option_id id, const char *value, struct err *e)
{
	if (options_set(&s->compare.options, id, session_copy_string(s, value), e))
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
	if (s->opening.pending_input.what.title[0])
		buf_puts(b, s->opening.pending_input.what.title);
	else
		put_title(b, session_file(s));
	for (size_t i = 1; i < s->o->nfile; i++)
		put_title(b, s->o->file[i]);
	for (uint32_t k = 1; k < s->compare.nside; k++)
		if (side_in(q->a | q->b, k)) {
			put_title(b, session_side_name(s, k));
			n++;
		}
	if (n > 2 || (n == 2 && text_width(b->p, b->n) > room)) {
		buf_reset(b);
		buf_printf(b, "%zu files", n);
	}
}

void session_lend_inputs(const struct session *s, struct cached_inputs *h)
{
	*h = (struct cached_inputs){0};
	for (uint32_t k = 0; !session_is_opening(s) && k < s->compare.nside; k++) {
		const struct compare_loader *a = s->compare.side[k];
		const struct cached_inputs *kept = k ? &a->cached_inputs : &s->opening.cached_inputs;
		const struct query *q = session_query(s);
		struct cached_input x = {.base = side_in(q->b, k) && !side_in(q->a, k)}, as = x;
		if (session_is_trace(s))
			as.trace = x.trace = k ? builder_snap(a->own) : s->snap;
		for (size_t i = 0; i < kept->n; i++) {
			x.name = kept->v[i].name;
			x.b = kept->v[i].b;
			x.mark = kept->v[i].mark;
			input_cache_add(h, &x);
		}
		download_lend(k ? a->o.downloads : s->opening.own.downloads, &as, h);
	}
}

bool session_is_trace(const struct session *s)
{
	const struct reader *r = s->opening.reader;
	return r ? r->kind == FK_GOTRACE : s->opening.pending_input.what.trace;
}

/* ---- sample types */

size_t session_ntypes(const struct session *s)
{
	return session_is_trace(s) ? TRACE_WEIGHT__N : s->snap->ntypes;
}

static const struct type_row *type_row(const struct session *s, size_t i)
{
	return column_at(&s->snap->st->types, (uint32_t)i);
}

const char *session_type_name(const struct session *s, size_t i)
{
	if (session_is_trace(s))
		return i < TRACE_WEIGHT__N ? trace_weight_name((enum trace_weight_type)i) : "";
	return i < s->snap->ntypes ? store_str(s->snap->st, type_row(s, i)->name)->s : "";
}

const char *session_type_unit(const struct session *s, size_t i)
{
	if (session_is_trace(s))
		return i < TRACE_WEIGHT__N ? trace_weight_unit((enum trace_weight_type)i) : "";
	return i < s->snap->ntypes ? store_str(s->snap->st, type_row(s, i)->unit)->s : "";
}

size_t session_type_of_options(const struct session *s, const struct options *o)
{
	static const struct { enum option_id options; const char *name; } words[] = {
		{OPT_INUSE_SPACE, "inuse_space"}, {OPT_INUSE_OBJECTS, "inuse_objects"},
		{OPT_ALLOC_SPACE, "alloc_space"}, {OPT_ALLOC_OBJECTS, "alloc_objects"},
		{OPT_TOTAL_DELAY, "delay"}, {OPT_CONTENTIONS, "contentions"}, {OPT_MEAN_DELAY, "delay"},
	};
	const char *want = options_str(o, session_is_trace(s) ? OPT_TYPE : OPT_SAMPLE_INDEX);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (options_bool(o, words[i].options))
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

/* Without an option: of a trace, see trace_default_type(); the profile's own default, else its last type, as pprof
   does. */
static size_t default_type(const struct session *s)
{
	const struct sink_meta *m = s->snap->meta;
	size_t n = session_ntypes(s);
	if (session_is_trace(s))
		return trace_default_type(s->snap);
	for (size_t i = 0; m && m->default_type && i < n; i++)
		if (type_row(s, i)->name == m->default_type)
			return i;
	return n ? n - 1 : 0;
}

size_t session_type(const struct session *s)
{
	size_t t = s->queries.query[s->queries.at].type;
	if (t != SIZE_MAX)
		return t;
	t = session_type_of_options(s, s->o);
	return t != SIZE_MAX ? t : default_type(s);
}

/* ---- sources */

struct source_cache *session_sources(struct session *s)
{
	if (!s->source.cache)
		s->source.cache = source_cache_new(
		    &(struct source_cache_conf){.source_path = options_str(&s->compare.options, OPT_SOURCE_PATH),
			.trim_path = options_str(&s->compare.options, OPT_TRIM_PATH),
			.beside = session_file(s)});
	return s->source.cache;
}

int session_source_path(struct session *s, enum option_id id, const char *dirs, struct err *e)
{
	if (session_set_option(s, id, dirs, e))	/* the reports search there too */
		return -1;
	source_cache_free(s->source.cache);
	s->source.cache = NULL;
	s->source.serial++;
	return 0;
}

uint32_t session_nsources(const struct session *s)
{
	return s->source.serial;
}
