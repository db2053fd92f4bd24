/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace help`, from the two tables of the command line.
 *
 * Names are in a column, with their descriptions beside them, broken into lines that fit 80 columns. The help of one
 * report lists the options that change it (options_applies_to_report()). The explanations of its columns are a table of
 * the viewer (explain.def), which main.c inserts.
 */
#include "config.h"
#include "cli/help.h"

#include "base/text/text.h"

#include <string.h>

enum { WIDTH = 80, NAME_W = 22, OPTION_W = 30 };

/* Print text from column `indent` on, in a line that already has `have` columns. */
static void put_paragraph(struct buf *b, const char *text, size_t indent, size_t have)
{
	do {
		size_t n = text_line(text, WIDTH - indent);
		buf_pad(b, ' ', indent - have);
		buf_put(b, text, n);
		buf_putc(b, '\n');
		text += n + strspn(text + n, " ");
		have = 0;
	} while (*text);
}

void cli_help_row(struct buf *b, const char *name, const char *text, size_t indent)
{
	while (strlen(name) > WIDTH - 4) {	/* a list of values, or of names */
		size_t n = WIDTH - 4;
		while (n > 1 && !strchr("| ", name[n - 1]))
			n--;
		buf_printf(b, "    %.*s\n", (int)(n - (name[n - 1] == ' ')), name);
		name += n;
	}
	size_t have = strlen(name) + 4;
	buf_printf(b, "    %s", name);
	if (have >= indent) {	/* too long for its column: it gets a line of its own */
		buf_putc(b, '\n');
		have = 0;
	}
	put_paragraph(b, text, indent, have);
}

static void put_option(struct buf *b, const struct option_row *r)
{
	struct buf name = {0}, text = {0};
	buf_printf(&name, "-%s%s%s", r->name, r->arg ? "=" : "", r->arg ? r->arg : "");
	buf_puts(&text, r->help);
	if (r->dflt && r->kind != 'B')
		buf_printf(&text, " (%s)", r->dflt);
	cli_help_row(b, buf_str(&name), buf_str(&text), OPTION_W);
	buf_free(&name);
	buf_free(&text);
}

void cli_help_options(struct buf *b)
{
	const char *group = "";
	for (int i = 0; i < OPT__N; i++) {
		if (strcmp(group, option_rows[i].group))
			buf_printf(b, "%s  %s\n", i ? "\n" : "", option_rows[i].group);
		group = option_rows[i].group;
		put_option(b, &option_rows[i]);
	}
}

static void put_report(struct buf *b, const struct report_row *r)
{
	struct buf name = {0};
	buf_printf(&name, "%s%s%s", r->name, r->arg ? " " : "", r->arg ? r->arg : "");
	cli_help_row(b, buf_str(&name), r->help, NAME_W);
	buf_free(&name);
}

void cli_help_reports(struct buf *b)
{
	const char *group = "";
	for (const struct report_row *r = report_rows; r->name; r++) {
		if (strcmp(group, r->group))
			buf_printf(b, "%s  %s\n", *group ? "\n" : "", r->group);
		group = r->group;
		put_report(b, r);
	}
}

/* ---- one report */

const struct report_row *cli_find_report(const char *name)
{
	for (const struct report_row *r = report_rows; r->name; r++)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}

void cli_help_report(struct buf *b, const struct report_row *r)
{
	bool reads = strcmp(r->name, "help") != 0;
	buf_printf(b, "ttrace %s%s%s%s\n", r->name, r->arg ? " " : "", r->arg ? r->arg : "",
	    reads ? " [OPTIONS] FILE..." : "");
	put_paragraph(b, r->help, 4, 0);
	buf_putc(b, '\n');
	put_paragraph(b, r->purpose, 4, 0);
	buf_printf(b, "\nExample\n    ttrace %s\n", r->example);
}

static bool is_one(const char *s, const char *one, const char *other)
{
	return !strcmp(s, one) || !strcmp(s, other);
}

/* Is the option listed in the help of this report? Options for input and output are only in `ttrace help`. */
static bool is_listed_option(const struct report_row *r, int i)
{
	const struct option_row *o = &option_rows[i];
	bool views = !strcmp(r->group, "viewer"), samples = is_one(r->group, "profile", "export");
	switch (i) {
	case OPT_HELP: case OPT_VERSION: case OPT_PRINT: return false;
	case OPT_FORMAT: return r->columns || !strcmp(r->name, "info");
	case OPT_ADD_COMMENT: return samples;
	case OPT_INTEL_SYNTAX: return is_one(r->name, "disasm", "weblist");
	default: break;
	}
	if (views)	/* panes on call trees take what top takes */
		return !is_one(o->group, "output", "report") && options_applies_to_report("top", (enum option_id)i);
	if (!strcmp(o->group, "source"))
		return samples;
	return !is_one(o->group, "viewer", "fetch") && options_applies_to_report(r->name, (enum option_id)i);
}

void cli_help_report_options(struct buf *b, const struct report_row *r)
{
	const char *group = "";
	if (!strcmp(r->name, "help"))
		return;
	buf_puts(b, "\nOptions\n");
	for (int i = 0; i < OPT__N; i++) {
		if (!is_listed_option(r, i))
			continue;
		if (strcmp(group, option_rows[i].group))
			buf_printf(b, "%s  %s\n", *group ? "\n" : "", option_rows[i].group);
		group = option_rows[i].group;
		put_option(b, &option_rows[i]);
	}
}
