/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The table of panes. A new pane needs a struct pane_ops, its bit in command.h, a row in
 * commands.def, and a line here; the tabs, the digits, the help and -pane=NAME use these.
 */
#include "config.h"
#include "app/pane.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct pane_ops *const panes[] = {
    &pane_top,
    &pane_list,
    &pane_peek,
    &pane_flame,
    &pane_timeline,
    &pane_goroutines,
    &pane_tasks,
    &pane_gc,
    &pane_events,
    &pane_tags,
    &pane_report,
    &pane_help,
    &pane_info,
    NULL,
};

int pane_find(const char *name)
{
	for (int i = 0; panes[i]; i++)
		if (!strcmp(panes[i]->name, name))
			return i;
	return -1;
}

enum verdict pane_message(struct ask *ask, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	ask->kind = ASK_MESSAGE;
	vsnprintf(ask->text, sizeof ask->text, fmt, ap);
	va_end(ap);
	return V_ASK;
}

void pane_set_choice(struct choice *c, const char *arg, const char *text, bool on)
{
	snprintf(c->arg, sizeof c->arg, "%s", arg);
	snprintf(c->text, sizeof c->text, "%s", text);
	c->on = on;
}
