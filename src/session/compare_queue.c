/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Further files (sides) of a session: they wait in a queue and are read one after
 * another, after the first file. The caller that requested one gets a news entry.
 *
 * The command line's base waits in the same queue. It is added to all queries of
 * the history once it is read. A failure is an error of the session, except that the
 * user may cancel: the first file is still shown. Not taken:
 * one store for each side, because every analysis would then have to handle two
 * trees. In one store a difference depends on which samples count, and undo,
 * filters and panes need not know of it.
 */
#include "config.h"
#include "session/internal.h"

#include "store/builder.h"

static void ignore_notice(void *none, const char *line)
{
	(void)none, (void)line;
}

int session_add(struct session *s, const char *file, enum side_use use, struct err *e)
{
	if (s->compare.nside + s->compare.nwait > SIDES_MAX)
		return err_set(e, ERR_LIMIT, ERR_NOWHERE, "at most %d files can be open", SIDES_MAX);
	if (!*file)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "a file name is required");
	if (!strcmp(file, session_file(s)))
		file_changed_mark_file(&s->file.mark, file);	/* the file is read again */
	s->compare.wait[s->compare.nwait++] = (struct waiting_side){session_copy_string(s, file), use, true, NULL, NULL};
	return 0;
}

int session_add_session(struct session *s, struct session *other, enum side_use use, struct err *e)
{
	struct buf name = {0};
	buf_printf(&name, "%s (before)", session_side_name(other, 0));
	int rc = session_add(s, buf_str(&name), use, e);
	if (!rc)
		s->compare.wait[s->compare.nwait - 1].other = other;
	buf_free(&name);
	return rc;
}

int session_add_made(
    struct session *s, const char *name, const struct query *q, session_report_fn *fn, enum side_use use, struct err *e)
{
	struct report_side *m = xcalloc(1, sizeof *m);
	struct command c = {0};
	m->fn = fn;
	session_lend_inputs(s, &m->cached_inputs);
	session_command_of(s, q, "proto", NULL, &m->mem, &c);
	m->line = c.v;
	if (options_parse(&m->options, c.n, (char *const *)(uintptr_t)c.v, e) || session_add(s, name, use, e)) {
		compare_free_report_side(m);
		return -1;
	}
	m->options.cached_inputs = &m->cached_inputs;
	m->options.notice = ignore_notice;
	s->compare.wait[s->compare.nwait - 1].made = m;
	return 0;
}

static void side_failed(struct session *s, const struct waiting_side *w, const struct err *why)
{
	if (w->asked || why->kind == ERR_CANCEL) {
		s->compare.news[s->compare.nnews++] = (struct side_news){0, w->use, w->file, true, *why};
	} else {	/* the command line cannot be carried out */
		s->opening.err = *why;
		s->opening.failed = true;
	}
}

/* Take a file whose reading has ended: add it to the queries, or report it as news. */
static void end_side(struct session *s, struct compare_loader *a)
{
	struct waiting_side w = s->compare.wait[0];
	memmove(s->compare.wait, s->compare.wait + 1, --s->compare.nwait * sizeof *s->compare.wait);
	compare_load_end(a);
	if (a->failed) {
		side_failed(s, &w, &a->err);
		compare_load_free(a);
		return;
	}
	s->compare.side[s->compare.nside] = a;
	for (size_t i = 0; i < s->queries.n && !w.asked; i++) {
		bool of_rest = s->queries.query[i].of_rest;
		session_query_use_side(&s->queries.query[i], w.use, s->compare.nside);
		s->queries.query[i].of_rest = of_rest;
	}
	if (w.asked)
		s->compare.news[s->compare.nnews++] =
		    (struct side_news){.side = s->compare.nside, .use = w.use, .file = w.file};
	s->compare.nside++;
}

/* Move the trace of another session, which is closed, to the loader. */
static void take_trace(struct compare_loader *a, struct session **other)
{
	if (!*other)
		return;
	a->own = (*other)->opening.store_builder;
	(*other)->opening.store_builder = NULL;
	session_close(*other);
	*other = NULL;
}

/* Start to read the next file in the queue if nothing else is being read. */
static void start_side(struct session *s)
{
	while (s->compare.nwait && !async_job(&s->reading) && !s->opening.failed) {
		struct compare_loader *a = xcalloc(1, sizeof *a);
		*a = (struct compare_loader){.o = s->compare.options,
		    .file = s->compare.wait[0].file,
		    .main = s->opening.store_builder,
		    .sn = builder_snap(s->opening.store_builder),
		    .trace = session_is_trace(s),
		    .side = s->compare.nside,
		    .made = s->compare.wait[0].made};
		s->compare.wait[0].made = NULL;
		take_trace(a, &s->compare.wait[0].other);
		a = compare_load_start(a, &s->reading);
		if (a)
			end_side(s, a);
	}
}

void session_advance_reading(struct session *s)
{
	if (async_job(&s->reading) && job_done(async_job(&s->reading), NULL)) {
		void *work = async_finish(&s->reading);
		if (work != &s->opening)
			end_side(s, work);
	}
	start_side(s);
}

bool session_side_news(struct session *s, struct side_news *n)
{
	if (!s->compare.nnews)
		return false;
	*n = s->compare.news[0];
	memmove(s->compare.news, s->compare.news + 1, --s->compare.nnews * sizeof *s->compare.news);
	return true;
}

void session_query_use_side(struct query *q, enum side_use use, uint32_t side)
{
	uint64_t bit = UINT64_C(1) << side;
	if (use == SIDE_MERGE) {
		q->a |= bit;
	} else if (use == SIDE_SHOW) {
		q->a = bit;
	} else {
		q->b = bit;
		q->show = SHOW_DELTA;
		q->of_rest = false;
	}
}

void session_query_compare_rest(struct query *q)
{
	session_query_use_side(q, SIDE_BASE, SIDE_REST);
}

uint32_t session_nsides(const struct session *s)
{
	return s->compare.nside;
}

const char *session_side_name(const struct session *s, uint32_t side)
{
	if (side >= s->compare.nside)
		return "";
	const char *saved = download_saved_name(side	    ? s->compare.side[side]->o.downloads
						: session_is_opening(s) ? NULL
							    : s->opening.own.downloads);
	return saved ? saved : side ? s->compare.side[side]->file : session_file(s);
}
