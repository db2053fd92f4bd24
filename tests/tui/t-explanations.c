/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Everything on the screen has an explanation: the states, the kinds of events, the counters of the timeline, and the
 * columns of every pane at two sizes. The columns are read from the screen itself, so a new one cannot be forgotten.
 * tests/report/column-explanations.sh does the same for the columns of reports.
 */
#include "config.h"
#include "trace/events.h"
#include "base/mem/mem.h"
#include "base/text/text.h"
#include "app/internal.h"

#include "sample.h"
#include "tap.h"
#include "viewer.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(const char *what, const char *name)
{
	fprintf(stderr, "nothing explains %s: %s\n", what, name);
	return 1;
}

static void states(void)
{
	int bad = 0;
	for (int t = 0; t < TS__N; t++)
		if (!explain_state((enum tstate)t))
			bad += complain("the state", style_state_name((enum tstate)t));
	OK(!bad);
}

/* Each row has a name, a text that is not too long and ends with a full stop, and a next step without one. */
static void rows(void)
{
	int bad = 0;
	for (int i = 1; i < TOPIC__N; i++) {
		const struct explain *e = &explains[i];
		size_t n = strlen(e->text);
		bool rule = !strcmp(e->group, "rules");	/* their texts are also those of ttrace-findings(7) */
		if (!*e->name || n < 20 || n > (rule ? 900 : 420) || e->text[n - 1] != '.' || !*e->next ||
		    (!rule && e->next[strlen(e->next) - 1] == '.'))
			bad += complain(e->group, e->name);
		for (int k = 1; k < i; k++)	/* of two with one name in a group, one would never be found */
			if (!strcmp(explains[k].group, e->group) && !strcmp(explains[k].name, e->name))
				bad += complain("twice", e->name);
	}
	OK(!bad);
}

static void heads(struct app *a, const char *keys, const char *file)
{
	enum topic t[HEADS_MAX];
	const char *missing;
	app_wait(a);
	int n = app_column_topics(a, t, &missing), bad = 0;
	if (missing)
		bad = complain(arena_printf(&a->scratch, "in pane %s of %s after %s the column", pane_now(a)->name,
		    file, keys), missing);
	if (!n && pane_now(a)->bit & (P_TOP | P_LIST | P_PEEK | P_GOR | P_TASK | P_EVENTS | P_TAGS) &&
	    !strstr(keys, "<Enter><Enter>"))
		bad += complain(arena_printf(&a->scratch, "%s after %s: no columns at all in", file, keys),
		    pane_now(a)->name);
	OK(!bad);
}

/* Each row of the timeline that the menu of columns offers has an explanation. */
static void menu(struct app *a)
{
	struct choice c[CHOICES_MAX];
	int bad = 0, n = pane_now(a)->own.choices ? pane_now(a)->own.choices(state_now(a), &a->env, CMD_COLUMNS, c) : 0;
	for (int i = 0; i < n && pane_now(a)->bit == P_TIME; i++)
		if (!explain_in("timeline", c[i].arg) && !explain_in("timeline", c[i].text))
			bad += complain("on the timeline", c[i].arg);
	OK(!bad);
}

/* K explains something in each pane; K again explains more. */
static void explained(struct app *a, struct grid *g, const char *keys)
{
	viewer_press(a, g, "K");
	OK(a->pop.kind == POP_TEXT && a->pop.ntopic > 0);
	int n = a->pop.ntopic;
	viewer_press(a, g, "K");
	OK(a->pop.kind == POP_TEXT && a->pop.ntopic > n);
	if (a->pop.ntopic <= n)
		fprintf(stderr, "K K after %s: %d topics, then %d\n", keys, n, a->pop.ntopic);
	viewer_press(a, g, "<Esc>");
}

static void pane(const struct options *o, const char *file, const char *keys, int rows, int cols)
{
	struct app *a = viewer_open(o, rows, cols);
	OK(a != NULL);
	if (!a)
		return;
	struct grid *g = grid_new(1, 1, false);
	viewer_press(a, g, keys);
	heads(a, keys, file);
	menu(a);
	explained(a, g, keys);
	grid_free(g);
	viewer_close(a);
}

static int64_t row_of(const struct app *a)
{
	struct view v = app_view(a);
	return view_get(&v, "row");
}

/* Each line of the pane of facts about the file (^G) has an explanation. */
static void facts(const struct options *o)
{
	struct app *a = viewer_open(o, 60, 80);
	OK(a != NULL);
	if (!a)
		return;
	struct grid *g = grid_new(1, 1, false);
	int64_t last = -1;
	for (viewer_press(a, g, "<^G>"); row_of(a) != last; viewer_press(a, g, "<Esc>j")) {
		last = row_of(a);
		viewer_press(a, g, "K");
		OK(a->pop.kind == POP_TEXT);
		if (a->pop.kind != POP_TEXT)
			complain("in ^G the line", arena_printf(&a->scratch, "%lld of %s", (long long)last, o->file[0]));
	}
	OK(last > 8);
	grid_free(g);
	viewer_close(a);
}

static void file(const char *name, const char *const *keys)
{
	struct options o;
	OK(sample_opt(&o, name));
	for (; *keys; keys++) {
		pane(&o, name, *keys, 24, 80);
		pane(&o, name, *keys, 60, 200);
	}
	facts(&o);
	options_free(&o);
}

/* Each kind of event has an explanation, by the name that pane 9 shows. */
static void events(void)
{
	static const char *const names[] = {"GoCreate", "GoReady", "GoStart", "GoBlock", "Syscall", "GoEnd",
	    "TaskBegin", "RegionBegin",
		"GCBegin", "STWBegin", "AssistBegin", "SweepBegin", "RangeBegin", "TaskEnd", "RegionEnd", "GCEnd",
		    "STWEnd", "AssistEnd",
		"SweepEnd", "RangeEnd", "Log", "ProcStart", "ProcStop", "ProcSteal", "GoMaxProcs", "Label", "NetWake",
		    "Queue",
		"CPUSample", "SyscallEnd"};
	int bad = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!explain_in("events", names[i]))
			bad += complain("the event", names[i]);
	OK(!bad);
}

int main(void)
{
	static const char *const prof[] = {"", ":columns flat,flat%,cum,cum%,where,bar<Enter>",
	    ":granularity lines<Enter>",
		":granularity files<Enter>", "2", "3", "4", ":tags<Enter>", "A", NULL};
	static const char *const trace[] = {"", "M", "1", "2", "3", "4", "6", "6grstate<Enter>", "6<Enter>",
	    "6<Enter><Enter>", "7", "7]",
		"7<Enter>", "7]<Enter>", "7<Enter><Enter>", "8", "8]", "9", "W", NULL};
	static const char *const log[] = {"", "8", NULL};
	setenv("TTRACESECURE", "1", 1);
	setlocale(LC_CTYPE, "C.UTF-8");
	states();
	rows();
	events();
	file("cpu.pb.gz", prof);
	file("orders.trace", trace);
	file("gctrace.log", log);
	return DONE();
}
