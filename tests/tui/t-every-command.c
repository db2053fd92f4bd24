/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Every row of commands.def in every pane, by its ":" word and by its key, on a trace and a profile: each either changes
 * the screen (a message is a change) or requests something of the terminal. After a key without any effect users would
 * not know whether it arrived.
 *
 * Each row starts in a new viewer, a few lines down and zoomed in where that is possible, so that movements in every
 * direction have room. may_be_silent() has the exceptions.
 */
#include "config.h"
#include "app/app.h"
#include "base/mem/mem.h"
#include "app/command.h"
#include "app/pane.h"
#include "report/report.h"
#include "cli/options.h"
#include "session/session.h"

#include "readable.h"
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

/* Make a report as the viewer gets it; other tests check its text. */
static int report_text(const struct options *o, struct buf *b, struct err *e)
{
	struct out out = {.fd = -1, .held = true, .watch = o->watch};
	const struct report *r = report_find(o->report);
	int rc = r ? r->run(o, &out, e) : err_set(e, ERR_USAGE, ERR_NOWHERE, "no report %s", o->report);
	*b = out.buf;
	return rc;
}

/* Press keys. Draw before the last one, as a terminal would have drawn the effect of the earlier ones. */
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

/* Return whether a command may have no effect: a redraw, moving at the end of a list
   or at an edge, where the user sees that there is nothing more. */
static bool may_be_silent(enum cmd_id c)
{
	return c == CMD_REDRAW || c == CMD_LEFT || c == CMD_RIGHT ||
	       (c >= CMD_PAGE_DOWN && c <= CMD_CENTRE);
}

/* Press `before`, then `keys`. Return whether `keys` had an effect that a user notices. */
static bool answers(const char *before, const char *keys, enum cmd_id c, int rows, int cols)
{
	struct err e;
	struct app_setup u = {.rows = rows, .cols = cols, .ascii = true, .look = {TH_DARK, 256}, .report = report_text};
	struct app *a = app_new(&options, ses, &u, &e);
	struct grid *g = grid_new(1, 1, true), *h = grid_new(1, 1, true);
	app_wait(a);
	press(a, before, g);
	press(a, "<^L>", g);
	app_draw(a, g);
	struct app_requests w = app_take_requests(a);
	app_requests_free(&w);
	press(a, keys, h);
	app_draw(a, h);
	OK(!readable_faults(h, keys));
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
	ses = app_session(a);	/* another session if the file was read again */
	app_free(a);
	grid_free(g);
	grid_free(h);
	/* the session keeps its query: reset it for the next row */
	struct query q = {.from = TIME_NONE, .to = TIME_NONE, .a = session_query(ses)->a};
	session_set_query(ses, &q, NULL, &e);
	return yes;
}

struct at { const char *pane, *keys; };

/* Try all commands in a pane. page: another level of the pane that was tried last, in which only the keys are tried. */
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
			fprintf(stderr, "%s: in %s at %dx%d %s: no visible effect, or unknown\n", options.file[0],
			    at->pane, cols, rows, keys);
		OK(yes);
		for (const char *k = cmds[c].keys; k && *k && cmds[c].panes & panes[p]->bit;) {
			size_t n = strcspn(k, " ");
			bool named = n > 1 && (k[0] == '^' || (k[0] >= 'A' && k[0] <= 'Z'));
			snprintf(keys, sizeof keys, named ? "<%.*s>" : "%.*s", (int)n, k);
			/* zz folds and unfolds in these panes, so nothing changes */
			yes = (c == CMD_CENTRE && panes[p]->bit & (P_LIST | P_FLAME)) ||
			      answers(at->keys, keys, (enum cmd_id)c, rows, cols);
			if (!yes)
				fprintf(stderr, "%s: in %s at %dx%d the key %s (%s): no visible effect\n",
				    options.file[0], at->pane, cols, rows, keys,
				    cmds[c].name);
			OK(yes);
			k += verbose ? n + strspn(k + n, " ") : strlen(k);	/* further keys are synonyms */
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

/* -pane has the names of all panes, in their order. */
static void pane_names(void)
{
	struct buf b = {0};
	for (int p = 0; panes[p]; p++)
		buf_printf(&b, "%s%s", p ? "|" : "", panes[p]->name);
	OK(!strcmp(buf_str(&b), option_rows[OPT_PANE].arg));
	buf_free(&b);
}

int main(int argc, char **argv)
{
	verbose = argc > 1;
	setenv("TTRACESECURE", "1", 1);
	setlocale(LC_CTYPE, "C.UTF-8");
	static const struct at profile[] = {{"top", "jj"}, {"list", ":list report.export<Enter>jjj"},
	    {"peek", ":peek regexp<Enter>j"},
	    {"flame", "4jj"}, {"tags", ":tags<Enter>jj"}, {"report", ":tree<Enter>jj"}, {"info", "<^G>j"}, {NULL, NULL}};
	static const struct at trace[] = {{"timeline", "jj++"}, {"goroutines", "6jj"}, {"goroutines", "6<Enter>jj"},
	    {"goroutines", "6<Enter>j<Enter>jjj"}, {"tasks", "7jj"}, {"tasks", "7j<Enter>jj"},
	    {"tasks", "7j<Enter><Enter>jj"}, {"gc", "8jj"}, {"events", "9jj"}, {"top", "1jj"}, {"list", "1jj2"},
	    {"peek", "1jj3"}, {"flame", "4j"}, {NULL, NULL}};
	(void)argv;
	pane_names();
	file("cpu.pb.gz", profile);
	file("orders.trace", trace);
	return DONE();
}
