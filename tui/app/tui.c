/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The entry point of the viewer: start it with or without a terminal, and run the loop.
 *
 * The loop waits (for a key, a signal, or news from a job), acts, and draws once. Keys that arrive
 * together are handled together, so a held key never runs ahead of the screen. Changes that come
 * from loading are drawn at most four times a second. Nothing is drawn without a change.
 */
#include "config.h"
#include "app/tui.h"

#include "app/app.h"
#include "app/command.h"
#include "app/explain.h"
#include "app/internal.h"
#include "app/script.h"
#include "app/wait_screen.h"
#include "base/clock.h"
#include "base/ending.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "base/put.h"
#include "cli/help.h"
#include "findings/findings.h"
#include "term/term.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLUMN_X = 22 };	/* column at which the explanation of a column starts */

static int print_screen(const struct buf *b, struct err *e)
{
	if (!put_all(STDOUT_FILENO, b->p, b->n) || errno == EPIPE)
		return 0;
	return err_set(e, ERR_OUTPUT, ERR_NOWHERE, "standard output: %s", strerror(errno));
}

#ifdef HAVE_CURSES

/* Return the theme: dark unless COLORFGBG ("15;0", the last number is the background) states a light background. The
   terminal may be asked later, whose answer is more recent. */
static enum theme theme_of(const struct options *o, struct err *e, bool *bad)
{
	const char *name = options_str(o, OPT_THEME), *bg = getenv("COLORFGBG"),
		   *no = getenv("NO_COLOR");
	int t = name ? style_find_theme(name) : TH_DARK;
	*bad = t < 0;
	if (t < 0)
		err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "-theme=%s: use dark, light, contrast or mono", name);
	if (options_bool(o, OPT_MONO) || (no && *no && !name))
		return TH_MONO;
	if (!name && bg && strrchr(bg, ';')) {
		int b = atoi(strrchr(bg, ';') + 1);
		t = b == 7 || b == 15 ? TH_LIGHT : TH_DARK;
	}
	return (enum theme)t;
}

/* Return -colours, or -1 if it is not given. */
static int opt_colours(const struct options *o)
{
	const char *s = options_str(o, OPT_COLOURS);
	return !s ? -1 : !strcmp(s, "true") ? 1 << 24 : atoi(s);
}

/* Serve the requests of the app. true: quit. */
static bool serve_wants(struct app *a, struct term *t)
{
	struct app_requests w = app_take_requests(a);
	if (w.copy) {
		char file[200];
		enum term_copied c = term_copy(t, w.copy, w.ncopy, file, sizeof file);
		app_copy_done(a, c == TC_FILE ? file : NULL, c == TC_NOWHERE);
	}
	if (w.pipe && term_pipe(t, w.pipe, w.text, w.ntext) < 0)
		app_message(a, ST_ERROR, "cannot start a shell: %s", strerror(errno));
	if (w.file && term_edit(t, w.file, w.line) < 0)
		app_message(a, ST_ERROR, "cannot start the editor");
	if (w.redraw)
		term_redraw(t);
	if (w.stop)
		term_stop(t);
	if (w.redraw || w.stop || w.file || w.pipe) {
		int rows, cols;
		term_size(t, &rows, &cols);
		app_resize(a, rows, cols);
	}
	term_mouse(t, app_mouse(a));
	term_cursor(t, app_cursor(a));
	app_requests_free(&w);
	return w.quit;
}

enum { HELD = 64 };
struct loop {
	struct app *a;
	struct term *t;
	struct grid *g;
	int64_t drawn;		/* time of the last frame, ms */
	bool dirty;		/* a change is not drawn yet */
	int64_t woke;		/* time at which the loop woke up for the next frame, us; 0: none */
	int64_t owed;		/* work since the last frame that was not drawn, us */
	bool outlined;		/* the outline of the trace, or all of the file, has been drawn */
	bool tasted;		/* the first samples of a profile have been drawn */
	int32_t held[HELD];	/* keys that wait for what an earlier one asked for, in the order in which they came */
	int nheld;
};

/* Return true once when there is something to show for the first time, which is drawn at once. */
static bool first_sight(struct loop *l)
{
	const struct snap *sn = session_snap(app_session(l->a));
	if (!l->tasted && sn->nsmps && !sn->has_trace && !app_has_pending(l->a))
		return l->tasted = true;
	if (l->outlined || (!sn->outline && !sn->complete))
		return false;
	l->outlined = true;
	return true;
}

static void draw_screen(struct loop *l)
{
	int64_t us = l->woke ? l->woke : clock_us();
	app_draw(l->a, l->g);
	term_show(l->t, l->g, app_look(l->a));
	struct term_cost c = term_cost(l->t);
	app_cost(l->a, clock_us() - us + l->owed, c.cells, c.bytes);
	l->owed = 0;
	l->drawn = clock_ms();
	l->woke = 0;
	l->dirty = false;
}

/* How long to wait for an event, in milliseconds; -1: until there is one. */
static int wait_ms(const struct loop *l, bool two_jobs)
{
	if (app_busy(l->a))
		return 0;
	if (l->dirty) {
		int64_t since = clock_ms() - l->drawn;
		return since >= 250 ? 0 : (int)(250 - since);
	}
	return two_jobs ? 250 : -1;	/* poll() waits for the loader; check the pane's job as often as a screen is drawn */
}

/* Take news of the loader. Return whether the screen is to be drawn now. */
static bool take_loader_news(struct loop *l, struct job *loader)
{
	job_drain(loader);
	app_refresh(l->a);
	if (!l->tasted)
		app_take_results(l->a, false);
	l->dirty = true;
	if (first_sight(l) || !app_job(l->a) || (app_ticks(l->a) && clock_ms() - l->drawn >= 250))
		return true;
	l->owed += clock_us() - l->woke;
	return false;
}

/* The wait has ended without an event: continue what the app does in steps, or take results. Return whether the screen
   is to be drawn now. */
static bool take_time(struct loop *l, bool own_job)
{
	if (app_busy(l->a)) {
		app_run_step(l->a);
		return !app_busy(l->a);
	}
	app_take_results(l->a, false);
	return l->dirty || own_job;
}

/* Give the app the keys that need not wait any more. Return whether there were any. */
static bool take_held(struct loop *l)
{
	int n = 0;
	while (n < l->nheld && !app_key_waits(l->a, l->held[n]))
		app_key(l->a, l->held[n++]);
	l->nheld -= n;
	memmove(l->held, l->held + n, (size_t)l->nheld * sizeof *l->held);
	return n > 0;
}

/* The loop does not wait where app_key() would: a later key may quit. */
static void take_key(struct loop *l, int32_t key)
{
	take_held(l);
	if (app_key_waits(l->a, key) && l->nheld < HELD)
		l->held[l->nheld++] = key;
	else
		app_key(l->a, key);
}

/* Handle one event. 0: continue, 1: quit. */
static int run_step(struct loop *l)
{
	struct term_input in = {0};
	struct job *j = app_job(l->a), *own = app_work(l->a);
	int rows, cols;
	bool draw = true;
	enum term_event what = term_wait(l->t, j ? job_fd(j) : own ? job_fd(own) : -1, wait_ms(l, j && own), &in);
	l->woke = l->woke ? l->woke : clock_us();
	switch (what) {
	case TE_KEY: take_key(l, in.key); break;
	case TE_CLICK: app_click(l->a, in.key, in.y, in.x); break;
	case TE_QUIT: return 1;
	case TE_STOP: term_stop(l->t); break;
	case TE_CONT: term_redraw(l->t); break;
	case TE_BACKGROUND: app_background(l->a, in.light); break;
	case TE_RESIZE: break;
	case TE_FD:
		if (j) {
			draw = take_loader_news(l, j);
		} else {
			job_drain(own);
			app_take_results(l->a, false);
		}
		break;
	case TE_TIME: draw = take_time(l, own); break;
	}
	draw = take_held(l) || draw;
	if (!draw) {
		l->woke = 0;
		return 0;
	}
	if (serve_wants(l->a, l->t))
		return 1;
	term_size(l->t, &rows, &cols);
	app_resize(l->a, rows, cols);
	if (term_has_key(l->t))
		l->dirty = true;
	else
		draw_screen(l);
	return 0;
}

static int run_loop(
    const struct options *o, struct session **s, struct term *t, struct app_setup *u, struct err *e)
{
	struct loop l = {.t = t};
	term_size(t, &u->rows, &u->cols);
	int n = opt_colours(o);
	if (n >= 0)
		term_set_colours(t, n);
	u->look.colours = u->look.theme == TH_MONO ? 0 : term_colours(t);
	u->themed = options_str(o, OPT_THEME) || u->look.theme == TH_MONO;
	if (!u->themed)
		term_ask_background(t);
	int rc = wait_screen_run(t, *s, &u->look, u->ascii, e);
	if (rc > 0)
		ending_soon(0);
	if (rc)
		return rc < 0 ? -1 : 0;
	term_size(t, &u->rows, &u->cols);
	l.a = app_new(o, *s, u, e);
	if (!l.a)
		return -1;
	l.g = grid_new(u->rows, u->cols, u->ascii);
	term_mouse(t, app_mouse(l.a));
	term_cursor(t, app_cursor(l.a));
	bool failed = session_failed(*s, e);	/* app_new() may have taken the result, so no event would follow */
	l.dirty = term_has_key(t);	/* the answer about the background, which may change all colours, or keys */
	if (!failed && !l.dirty)
		draw_screen(&l);
	while (!failed && !run_step(&l))
		failed = session_failed(app_session(l.a), e);
	*s = app_session(l.a);
	app_save(l.a);
	if (!failed)
		ending_soon(0);
	grid_free(l.g);
	app_free(l.a);
	return failed ? -1 : 0;
}

static int run_terminal(const struct options *o, tui_report *report, bool utf8, struct err *e)
{
	bool bad;
	struct app_setup u = {
	    .ascii = !utf8 || options_bool(o, OPT_ASCII), .files = true, .patient = true, .report = report};
	u.look.theme = theme_of(o, e, &bad);
	struct session *s = bad ? NULL : session_open(o, e);
	if (!s)
		return -1;
	struct term *t = term_open(e);
	int rc = t ? run_loop(o, &s, t, &u, e) : -1;
	term_close(t);
	session_close(s);
	return rc;
}

#else

static int run_terminal(const struct options *o, tui_report *report, bool utf8, struct err *e)
{
	(void)o;
	(void)report;
	(void)utf8;
	return err_set(
	    e, ERR_USAGE, ERR_NOWHERE, "the viewer was built without curses: only -script and reports are available");
}

#endif

/* Return whether the locale has UTF-8. If the system does not have the locale, as for a static binary in an empty root,
   its name decides. */
static bool locale_is_utf8(void)
{
	if (setlocale(LC_CTYPE, ""))
		return !strcmp(nl_langinfo(CODESET), "UTF-8");
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *name = NULL;
	for (size_t i = 0; i < sizeof variables / sizeof *variables && (!name || !*name); i++)
		name = getenv(variables[i]);
	return name && (strcasestr(name, "utf-8") || strcasestr(name, "utf8"));
}

int tui_run(const struct options *o, tui_report *report, struct err *e)
{
	bool utf8 = locale_is_utf8();
	if (!options_str(o, OPT_SCRIPT) && isatty(STDOUT_FILENO) && !o->v[OPT_SIZE].set)
		return run_terminal(o, report, utf8, e);
	return script_run(o, report, utf8, print_screen, e);
}

static void print_keys(struct buf *b)
{
	const char *group = "";
	for (int i = 1; i < CMD__N; i++) {
		if (!cmds[i].keys)
			continue;
		if (strcmp(group, cmds[i].group))
			buf_printf(b, "%s%s\n", i > 1 ? "\n" : "", group = cmds[i].group);
		buf_printf(b, "  %-16s :%-18s %s\n", cmds[i].keys, cmds[i].name, cmds[i].help);
	}
}

/* Append the commands for the manual, tab-separated: group, word, keys, argument, help. */
static void print_commands(struct buf *b)
{
	for (int i = 1; i < CMD__N; i++) {
		const struct cmd *c = &cmds[i];
		buf_printf(b, "%s\t%s\t%s\t%s\t%s\n", c->group, c->name, c->keys ? c->keys : "",
		    c->arg ? c->arg : "", c->help);
	}
}

int tui_print(const struct options *o, const char *what, struct err *e)
{
	struct buf b = {0};
	(void)o;
	if (!strcmp(what, "keys"))
		print_keys(&b);
	else if (!strcmp(what, "commands"))
		print_commands(&b);
	else if (!strcmp(what, "config"))
		config_print(&b);
	else if (!strcmp(what, "settings"))
		config_print_settings(&b);
	else if (!strcmp(what, "explain"))
		explain_print(&b);
	else if (!strcmp(what, "findings"))
		finding_print_rules(&b);
	else
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "-print=%s: keys, options, reports, commands, config, settings, explain, findings or completion-bash, "
		    "-zsh, -fish", what);
	int rc = print_screen(&b, e);
	buf_free(&b);
	return rc;
}

/* Columns with the same explanation are listed together. */
void tui_help_columns(struct buf *b, const char *columns)
{
	struct buf names[TOPIC__N] = {{0}};
	enum topic order[TOPIC__N];
	int n = 0;
	for (const char *p = columns ? columns : ""; *p; p += strcspn(p, " "), p += *p == ' ') {
		enum topic t = explain_column(p, strcspn(p, " "));
		if (!names[t].n)
			order[n++] = t;
		buf_printf(&names[t], "%s%.*s", names[t].n ? ", " : "", (int)strcspn(p, " "), p);
	}
	for (int i = 0; i < n; i++) {
		buf_puts(b, i ? "" : "\nColumns\n");
		cli_help_row(b, buf_str(&names[order[i]]), explains[order[i]].text, COLUMN_X);
		buf_free(&names[order[i]]);
	}
}
