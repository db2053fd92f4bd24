/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Information about the open file: the file, its contents, what was lost, memory. Lines of text
 * made at each update; the warnings of the reader come last, one per line, each with its offset in
 * the file.
 */
#include "config.h"
#include "app/pane.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "trace/as_profile.h"
#include "widget/list.h"

#include <stdio.h>
#include <string.h>

struct info_line { const char *name, *value; enum style style; };
struct info_state {
	struct rows rows;
	struct arena arena;
	struct info_line *info_line;
	size_t n, cap;
};

static void add_line(struct info_state *f, enum style st, const char *name, const struct buf *b)
{
	f->info_line = mem_grow(f->info_line, &f->cap, f->n + 1, sizeof *f->info_line);
	f->info_line[f->n++] = (struct info_line){name, arena_strndup(&f->arena, b->n ? b->p : "", b->n), st};
}

static void add_s(struct info_state *f, const char *name, const char *s)
{
	struct buf b = {0};
	text_mask_passwords(&b, s);
	add_line(f, ST_NORMAL, name, &b);
	buf_free(&b);
}

static void add_n(struct info_state *f, const char *name, uint64_t n)
{
	struct buf b = {0};
	text_count(&b, (int64_t)n);
	add_line(f, ST_NORMAL, name, &b);
	buf_free(&b);
}

static void add_ns(struct info_state *f, const char *name, int64_t ns)
{
	struct buf b = {0};
	text_ns(&b, ns);
	add_line(f, ST_NORMAL, name, &b);
	buf_free(&b);
}

/* Add ns since 1970 as a date, in UTC, so that it does not depend on the reader's time zone. */
static void add_wall(struct info_state *f, const char *name, int64_t ns)
{
	struct buf b = {0};
	text_date(&b, ns, "%Y-%m-%d %H:%M:%S UTC");
	if (b.n)
		add_line(f, ST_NORMAL, name, &b);
	buf_free(&b);
}

static void add_size(struct info_state *f, const struct snap *sn)
{
	struct buf b = {0};
	text_bytes(&b, (int64_t)sn->total);
	buf_puts(&b, " (");
	text_count(&b, (int64_t)sn->total);
	buf_puts(&b, " bytes)");
	if (!sn->complete)
		buf_puts(&b, ", not read completely");
	if (sn->total)
		add_line(f, ST_NORMAL, "size", &b);
	buf_reset(&b);
	text_bytes(&b, (int64_t)store_size(sn));
	buf_puts(&b, " for names and rows");
	add_line(f, ST_NORMAL, "memory", &b);
	buf_free(&b);
}

static void trace_facts(struct info_state *f, const struct snap *sn)
{
	const struct sink_trace *t = &sn->trace;
	char s[64];
	uint32_t n[4] = {0};
	if (sn->has_trace && t->version >= 5) {
		snprintf(s, sizeof s, "1.%d", t->version);
		add_s(f, "Go format", s);
	}
	add_wall(f, "started", t->wall == TIME_NONE ? 0 : t->wall);
	add_ns(f, "length", sn->t1 - sn->t0);
	for (uint32_t i = 1; i < sn->ntrks; i++)
		n[store_trk(sn->st, i)->kind & 3]++;
	if (sn->complete) {	/* the reader reports these counts at the end */
		add_n(f, "events", t->events);
		add_n(f, "generations", t->generations);
		add_n(f, "batches", t->batches);
	}
	add_n(f, "goroutines", n[TK_G]);
	add_n(f, "Ps", n[TK_P]);
	add_n(f, "threads", n[TK_M]);
	add_n(f, "spans", sn->nspans);
	add_n(f, "marks", sn->nmarks);
}

/* Add the facts about a log of gctrace or schedtrace. */
static void log_facts(struct info_state *f, const struct snap *sn)
{
	const struct sink_trace *t = &sn->trace;
	uint32_t gc = 0, gor = 0;
	for (uint32_t i = 0; i < sn->nspans; i++)
		gc += store_span(sn->st, i)->s.kind == SP_GC;
	for (uint32_t i = 1; i < sn->ntrks; i++)
		gor += store_trk(sn->st, i)->kind == TK_G;
	add_wall(f, "started", t->wall == TIME_NONE ? 0 : t->wall);
	add_ns(f, "length", sn->t1 - sn->t0);
	add_n(f, "runs", t->generations);
	add_n(f, "lines", t->events);
	add_n(f, "schedtrace lines", t->batches);
	add_n(f, "GC cycles", gc);
	if (gor)
		add_n(f, "goroutines", gor);
	add_s(f, "", "a log has only what the runtime printed; a trace has the states of goroutines");
}

static void profile_facts(struct info_state *f, const struct pane_env *env, const struct snap *sn)
{
	const struct store *st = sn->st;
	struct buf b = {0};
	for (size_t i = 0; i < session_ntypes(env->s); i++)
		buf_printf(&b, "%s%s/%s", i ? ", " : "", session_type_name(env->s, i),
		    session_type_unit(env->s, i));
	add_line(f, ST_NORMAL, "sample types", &b);
	buf_free(&b);
	const struct sink_meta *m = sn->meta;
	if (!m)
		return;
	add_wall(f, "taken", m->time);
	if (m->duration > 0)
		add_ns(f, "length", m->duration);
	if (m->period_type) {
		buf_printf(&b, "%s every ", store_str(st, m->period_type)->s);
		text_value(&b, m->period, store_str(st, m->period_unit)->s);
		add_line(f, ST_NORMAL, "period", &b);
	}
	for (size_t i = 0; i < m->ncomment; i++)
		add_s(f, i ? "" : "comments", store_str(st, m->comment[i])->s);
	if (m->doc_url)
		add_s(f, "documentation", store_str(st, m->doc_url)->s);
	buf_free(&b);
}

static void add_warnings(struct info_state *f, const struct snap *sn)
{
	struct buf b = {0};
	add_s(f, "", "");
	if (!sn->nwarns)
		add_s(f, "notices", sn->complete ? "none: the whole file was read and is consistent"
		    : "none so far: it is still being read");
	for (uint32_t i = 0; i < sn->nwarns; i++) {
		const struct warn_row *w = column_at(&sn->st->warns, i);
		buf_reset(&b);
		buf_puts(&b, w->msg);
		if (w->at != UINT64_MAX)
			buf_printf(&b, " (at byte %llu)", (unsigned long long)w->at);
		add_line(f, ST_WARN, i ? "" : "notices", &b);
	}
	buf_free(&b);
}

/* Add the options that make this view, as on the command line; defaults are omitted. */
static void add_options(struct info_state *f, struct session *s)
{
	struct command c = {0};
	session_command(s, "view", NULL, &f->arena, &c);
	int n = 0;
	for (int i = 2; i < c.n && strcmp(c.v[i], "--"); i++)
		add_s(f, n++ ? "" : "options", c.v[i]);
	if (!n)
		add_s(f, "options", "none: all defaults");
	mem_free(c.v);
}

static void info_update(void *st, const struct pane_env *env)
{
	struct info_state *f = st;
	const struct snap *sn = session_snap(env->s);
	arena_reset(&f->arena);
	f->n = 0;
	add_s(f, "file", session_file(env->s));
	add_s(f, "kind", session_kind(env->s));
	add_size(f, sn);
	if (sn->trace.log)
		log_facts(f, sn);
	else if (session_is_trace(env->s))
		trace_facts(f, sn);
	else
		profile_facts(f, env, sn);
	add_n(f, "samples", sn->nsmps);
	add_n(f, "stacks", sn->nstks ? sn->nstks - 1 - (trace_no_stack_node(sn) != 0) : 0);
	add_n(f, "functions", sn->nfuns ? sn->nfuns - 1 - (trace_no_stack_node(sn) != 0) : 0);
	add_warnings(f, sn);
	add_options(f, env->s);
	list_set_count(&f->rows, (uint32_t)f->n);
}

static void info_close(void *st)
{
	struct info_state *f = st;
	arena_free(&f->arena);
	mem_free(f->info_line);
}

static void draw_line(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct info_line *l = &((const struct info_state *)arg)->info_line[i];
	grid_text(g, y, 0, ST_DIM, 0, l->name);
	grid_text(g, y, 14, l->style, 0, l->value);
}

static void info_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct info_state *f = st;
	(void)env;
	list_draw_rows(&f->rows, g, draw_line, f, NULL);
}

static void info_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct snap *sn = session_snap(env->s);
	(void)st;
	buf_printf(b, "information about this file, %u notice%s", sn->nwarns, text_s(sn->nwarns));
}

/* Append the whole text of the line, which the pane may cut. */
static void info_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct info_state *f = st;
	(void)env;
	if (f->rows.sel < f->n)
		buf_puts(b, f->info_line[f->rows.sel].value);
}

/* A line without a name continues the line above. */
static void info_place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct info_state *f = st;
	size_t i = f->rows.sel < f->n ? f->rows.sel : 0;
	(void)env;
	while (i > 0 && !f->info_line[i].name[0])
		i--;
	to->topic[0] = f->n ? explain_in("info", f->info_line[i].name) : TOPIC_NONE;
}

static struct list_part info_part(void *st, const struct pane_env *env)
{
	return (struct list_part){.rows = &((struct info_state *)st)->rows, .h = env->rows};
}

static const struct list_ops info_list = {.part = info_part};

const struct pane_ops pane_info = {
    .name = "info",
    .tab = "Info",
    .aside = true,
    .bit = P_INFO,
    .cmd = CMD_INFO,
    .state_size = sizeof(struct info_state),
    .close = info_close,
    .update = info_update,
    .list = &info_list,
    .draw = info_draw,
    .summary = info_summary,
    .lines.detail = info_detail,
    .place = info_place,
    .lines.hints = "j k move  K what it means  y copy line  Y copy all  ? help  q back",
};
