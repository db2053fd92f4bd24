/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Every row of commands.def in every pane, by its ":" word and by each of its keys,
 * on a trace and a profile: each either changes the screen
 * (a message is a change) or wants something of the terminal. A key that does
 * nothing and says nothing leaves the user with the question whether it arrived.
 *
 * Each row begins on a fresh viewer, a few lines down and, where there is one, zoomed in, so that every
 * direction is open. The list of exceptions is short and each says why.
 */
#include "config.h"
#include "app/app.h"
#include "base/mem/mem.h"
#include "app/command.h"
#include "app/pane.h"
#include "report/report.h"
#include "cli/options.h"
#include "session/session.h"

#include "sample.h"
#include "tap.h"
#include "viewer.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct options options;
static struct session *ses;
static bool verbose;

/* A report as the viewer gets it; what stands in it is for others to test. */
static int report_text(const struct options *o, struct buf *b, struct err *e)
{
	struct out out = {.fd = -1, .held = true, .watch = o->watch};
	const struct report *r = report_find(o->report);
	int rc = r ? r->run(o, &out, e) : err_set(e, ERR_USAGE, ERR_NOWHERE, "no report %s", o->report);
	*b = out.buf;
	return rc;
}

/* Drawn before the last key, as a terminal has drawn all that was typed until then. */
static void press(struct app *a, const char *keys, struct grid *g)
{
	size_t n = strlen(keys);
	while (n) {
		int32_t key;
		size_t k = keys_parse(keys, n, &key);
		if (k == n)
			app_draw(a, g);
		app_key(a, key);
		app_wait(a);
		app_take_results(a, true);
		keys += k;
		n -= k;
	}
}

static char *text(const struct grid *g)
{
	struct buf b = {0};
	grid_print(g, &b, NULL);
	char *s = xstrdup(buf_str(&b));
	buf_free(&b);
	return s;
}

/* The terminal does what it does; Esc is pressed to be sure; who is at the end of a list sees it. */
static bool may_be_silent(enum cmd_id c)
{
	return c == CMD_REDRAW || c == CMD_CANCEL || (c >= CMD_PAGE_DOWN && c <= CMD_LAST);
}

/* Keys before and keys that are tried; false: nothing came of them. */
static bool answers(const char *before, const char *keys, enum cmd_id c, int rows, int cols)
{
	struct err e;
	struct app_setup u = {.rows = rows, .cols = cols, .ascii = true, .look = {TH_DARK, 256}, .report = report_text};
	struct app *a = app_new(&options, ses, &u, &e);
	struct grid *g = grid_new(1, 1, true), *h = grid_new(1, 1, true);
	app_wait(a);
	press(a, before, g);
	press(a, "<Esc>", g);
	app_draw(a, g);
	struct app_requests w = app_take_requests(a);
	app_requests_free(&w);
	press(a, keys, h);
	app_draw(a, h);
	w = app_take_requests(a);
	bool yes = !viewer_same(g, h) || w.quit || w.redraw || w.stop || w.copy || w.pipe || w.file || may_be_silent(c);
	app_requests_free(&w);
	char *s = text(h);
	yes = yes && !strstr(s, "no such command") && !strstr(s, "no such key");
	if (verbose) {
		int n = 0;
		for (char *p = s; *p; p++)
			n += *p == '\n';
		char *p = s;
		for (int i = 0; i < n - 2 && p; i++)
			p = strchr(p, '\n') + 1;
		printf("%-28s %-24s %s%.*s\n", before, keys, yes ? "" : "SILENT ", (int)strcspn(p, "\n"), p);
	}
	mem_free(s);
	ses = app_session(a);	/* another one, where the file was read again */
	app_free(a);
	grid_free(g);
	grid_free(h);
	/* the query is the session's: nothing of this row is left to the next */
	struct query q = {.from = TIME_NONE, .to = TIME_NONE, .a = session_query(ses)->a};
	session_set_query(ses, &q, NULL, &e);
	return yes;
}

struct at { const char *pane, *keys; };

/* page: a level below one that was tried; the words do there what the keys do. */
static void every(const struct at *at, int rows, int cols, bool page)
{
	int p = pane_find(at->pane);
	for (int c = 1; c < CMD__N; c++) {
		if (!(cmds[c].panes & panes[p]->bit) && !verbose)
			continue;
		char keys[100];
		snprintf(keys, sizeof keys, ":%s<Enter>", cmds[c].name);
		bool yes = page || answers(at->keys, keys, (enum cmd_id)c, rows, cols);
		if (!yes)
			fprintf(stderr, "%s: in %s at %dx%d %s: nothing to be seen, or unknown\n", options.file[0],
			    at->pane, cols, rows, keys);
		OK(yes);
		for (const char *k = cmds[c].keys; k && *k && cmds[c].panes & panes[p]->bit;) {
			size_t n = strcspn(k, " ");
			bool named = n > 1 && (k[0] == '^' || (k[0] >= 'A' && k[0] <= 'Z'));
			snprintf(keys, sizeof keys, named ? "<%.*s>" : "%.*s", (int)n, k);
			/* there z folds: twice is as it was */
			yes = (c == CMD_CENTRE && panes[p]->bit & (P_LIST | P_FLAME)) ||
			      answers(at->keys, keys, (enum cmd_id)c, rows, cols);
			if (!yes)
				fprintf(stderr, "%s: in %s at %dx%d the key %s (%s): nothing to be seen\n",
				    options.file[0], at->pane, cols, rows, keys,
				    cmds[c].name);
			OK(yes);
			k += verbose ? n + strspn(k + n, " ") : strlen(k);	/* the others are other names */
		}
	}
}

static void file(const char *name, const struct at *at)
{
	struct err e = {0};
	if (!sample_opt(&options, name)) {
		OK(0);
		return;
	}
	ses = session_open(&options, &e);
	OK(ses && !session_wait(ses, &e));
	const char *last = "";
	for (; ses && at->pane; last = at++->pane) {
		every(at, 24, 80, !strcmp(last, at->pane));
		if (verbose)
			every(at, 60, 200, false);
	}
	session_close(ses);
	options_free(&options);
}

int main(int argc, char **argv)
{
	verbose = argc > 1;
	setenv("TTRACESECURE", "1", 1);
	setlocale(LC_CTYPE, "C.UTF-8");
	static const struct at profile[] = {{"top", "jj"}, {"list", ":list report.export<Enter>jjj"},
	    {"peek", ":peek regexp<Enter>j"},
	    {"flame", "4k"}, {"tags", ":tags<Enter>jj"}, {"report", ":tree<Enter>jj"}, {"info", "<^G>j"}, {NULL, NULL}};
	static const struct at trace[] = {{"timeline", "jj++"}, {"goroutines", "6jj"}, {"goroutines", "6<Enter>jj"},
	    {"goroutines", "6<Enter>j<Enter>jjj"}, {"tasks", "7jj"}, {"tasks", "7j<Enter>jj"},
	    {"tasks", "7j<Enter><Enter>jj"}, {"gc", "8jj"}, {"events", "9jj"}, {"top", "1jj"}, {"list", "1jj2"},
	    {"peek", "1jj3"}, {"flame", "4j"}, {NULL, NULL}};
	(void)argv;
	file("cpu.pb.gz", profile);
	file("orders.trace", trace);
	return DONE();
}
