/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Further files (sides) of a session: they wait in a queue and are read one after
 * another, after the first file. The caller that requested one gets a news entry.
 *
 * The command line's base waits in the same queue. It is added to all queries of
 * the history once it is read, and a failure is an error of the session. Not taken:
 * one store for each side, because every analysis would then have to handle two
 * trees. In one store a difference depends on which samples count, and undo,
 * filters and panes need not know of it.
 */
#include "config.h"
#include "session/internal.h"

static void ignore_notice(void *none, const char *line)
{
	(void)none, (void)line;
}

int session_add(struct session *s, const char *file, enum side_use use, struct err *e)
{
	if (s->nside + s->nwait > SIDES_MAX)
		return err_set(e, ERR_LIMIT, ERR_NOWHERE, "at most %d files can be open", SIDES_MAX);
	if (!*file)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "a file name is required");
	if (!strcmp(file, session_file(s)))
		file_changed_mark_file(&s->mark, file);	/* the file is read again */
	s->wait[s->nwait++] = (struct wait){session_copy_string(s, file), use, true, NULL};
	return 0;
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
	s->wait[s->nwait - 1].made = m;
	return 0;
}

static void side_failed(struct session *s, const struct wait *w, const struct err *why)
{
	if (w->asked) {
		s->news[s->nnews++] = (struct side_news){0, w->use, w->file, true, *why};
	} else {	/* the command line cannot be carried out */
		s->op.err = *why;
		s->op.failed = true;
	}
}

/* Start to read the next file in the queue if nothing else is being read. */
static void start_side(struct session *s)
{
	struct err e;
	while (s->nwait && !s->op.job && !s->op.failed && !s->side[s->nside]) {
		struct compare_loader *a = xcalloc(1, sizeof *a);
		*a = (struct compare_loader){.o = s->first, .file = s->wait[0].file, .main = s->op.store_builder,
		    .sn = builder_snap(s->op.store_builder), .trace = session_is_trace(s), .side = s->nside,
		    .made = s->wait[0].made};
		s->wait[0].made = NULL;
		if (!compare_load_start(a, &e)) {
			s->side[s->nside] = a;
			return;
		}
		compare_free_report_side(a->made);
		mem_free(a);
		side_failed(s, &s->wait[0], &e);
		memmove(s->wait, s->wait + 1, --s->nwait * sizeof *s->wait);
	}
}

/* Take a file whose reading has ended: add it to the queries, or report it as news. */
static void end_side(struct session *s)
{
	struct compare_loader *a = s->nside <= SIDES_MAX ? s->side[s->nside] : NULL;
	if (!a || !a->job || !job_done(a->job, NULL))
		return;
	struct wait w = s->wait[0];
	memmove(s->wait, s->wait + 1, --s->nwait * sizeof *s->wait);
	compare_load_join(a);
	if (a->failed) {
		side_failed(s, &w, &a->err);
		compare_load_free(a);
		mem_free(a);
		s->side[s->nside] = NULL;
	} else if (!w.asked) {
		for (size_t i = 0; i < s->nhist; i++) {
			bool of_rest = s->hist[i].of_rest;
			session_query_use_side(&s->hist[i], w.use, s->nside);
			s->hist[i].of_rest = of_rest;
		}
		s->nside++;
	} else {
		s->news[s->nnews++] = (struct side_news){.side = s->nside++, .use = w.use, .file = w.file};
	}
}

void session_advance_sides(struct session *s)
{
	end_side(s);
	start_side(s);
}

bool session_side_news(struct session *s, struct side_news *n)
{
	if (!s->nnews)
		return false;
	*n = s->news[0];
	memmove(s->news, s->news + 1, --s->nnews * sizeof *s->news);
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
	return s->nside;
}

const char *session_side_name(const struct session *s, uint32_t side)
{
	if (side >= s->nside)
		return "";
	const char *saved = download_saved_name(side	    ? s->side[side]->o.downloads
						: s->op.job ? NULL
							    : s->op.own.downloads);
	return saved ? saved : side ? s->side[side]->file : session_file(s);
}
