/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * list: the source of the functions that match, with the weight of each line.
 * Nodes are lines; they are grouped by function name and then by file. The
 * lines shown extend from the start of the function (or five lines before its
 * first sample) to five lines after its last sample.
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/text/pprof_units.h"
#include "symbols/source.h"

#include <stdlib.h>
#include <string.h>

struct node_place {
	const struct profile *p;
	const struct graph_node *n;
};

static int by_place(const void *x, const void *y)
{
	const struct node_place *a = x, *b = y;
	int c = strcmp(profile_string(a->p, a->n->info.name), profile_string(b->p, b->n->info.name));
	c = c ? c : strcmp(profile_string(a->p, a->n->info.file), profile_string(b->p, b->n->info.file));
	if (!c && a->n->info.line != b->n->info.line)
		return a->n->info.line < b->n->info.line ? -1 : 1;
	return c ? c : a->n->id < b->n->id ? -1 : a->n->id > b->n->id;
}

/* The lines to show. */
struct line_range { int64_t from, to; };

enum { MARGIN = 5 };

/* Limited, so that the margin can be added on both sides: a file may contain any number. */
static int64_t line_of(const struct node_place *at)
{
	int64_t line = at->n->info.line, most = INT64_MAX - 2 * MARGIN;
	return line > most ? most : line < -most ? -most : line;
}

static int64_t start_of(const struct node_place *at)
{
	return at->n->info.start ? at->n->info.start : line_of(at) - MARGIN;
}

static struct line_range span_of(const struct node_place *at, size_t n)
{
	struct line_range s = {start_of(at), line_of(at) + MARGIN};
	for (size_t i = 0; i < n; i++) {
		int64_t line = line_of(&at[i]), from = start_of(&at[i]);
		if (from < s.from)
			s.from = from;
		else if (line + MARGIN > s.to)
			s.to = line + MARGIN;
	}
	if (s.from < 1)
		s.from = 1;
	return s;
}

static void put_lines(
    struct pprof_report *v, struct out *out, struct source_cache *src, const struct node_place *at, size_t n)
{
	const char *file = profile_string(v->p, at->n->info.file);
	struct line_range line_range = span_of(at, n);
	const struct source *text = source_cache_get(src, file);
	struct buf *b = &out->buf;
	size_t k = 0;
	for (int64_t line = line_range.from; line <= line_range.to && !out->failed; line++) {
		size_t len;
		int64_t flat = 0, cum = 0;
		const char *s = source_line(text, line, &len);
		if (!s)
			break;
		for (; k < n && at[k].n->info.line <= line; k++)
			if (at[k].n->info.line == line) {
				profile_sum(&flat, at[k].n->flat);
				profile_sum(&cum, at[k].n->cum);
			}
		pprof_put_value_right(v, b, flat, 10, true);
		buf_putc(b, ' ');
		pprof_put_value_right(v, b, cum, 10, true);
		buf_printf(b, " %6lld:", (long long)line);
		buf_put(b, s, len);
		buf_putc(b, '\n');
		output_flush(out, false);
	}
}

/* For scripts: a row for each source line, also without weight. */
static void put_line_rows(
    struct pprof_report *v, struct table *t, struct source_cache *src, const struct node_place *at, size_t n)
{
	const struct profile_text *name = &v->p->str[at->n->info.name], *file = &v->p->str[at->n->info.file];
	const struct source *text = source_cache_get(src, file->s);
	struct line_range s = span_of(at, n);
	size_t k = 0;
	for (int64_t line = s.from; line <= s.to; line++) {
		if (!text->path) {	/* without source, only lines with weight */
			for (; k < n && line_of(&at[k]) < line; k++)
				;
			if (k == n)
				break;
			line = line_of(&at[k]);
		}
		size_t len = 0;
		const char *line_text = text->path ? source_line(text, line, &len) : NULL;
		int64_t flat = 0, cum = 0;
		bool any = false;
		if (text->path && !line_text)
			break;
		for (; k < n && line_of(&at[k]) <= line; k++)
			if (line_of(&at[k]) == line) {
				any = true;
				profile_sum(&flat, at[k].n->flat);
				profile_sum(&cum, at[k].n->cum);
			}
		if (!any && !line_text)
			continue;
		table_str(t, name->s, name->n);
		table_str(t, file->s, file->n);
		table_int(t, line);
		table_int(t, pprof_report_table_value(v, flat));
		table_int(t, pprof_report_table_value(v, cum));
		if (line_text)
			table_str(t, line_text, len);
		else
			table_none(t);
	}
}

static void put_function(
    struct pprof_report *v, struct out *out, struct source_cache *src, const struct node_place *at, size_t n)
{
	struct buf *b = &out->buf;
	const char *name = profile_string(v->p, at->n->info.name), *file = profile_string(v->p, at->n->info.file);
	int64_t flat = 0, cum = 0;
	for (size_t i = 0; i < n; i++) {
		profile_sum(&flat, at[i].n->flat);
		profile_sum(&cum, at[i].n->cum);
	}
	buf_printf(b, "ROUTINE ======================== %s in %s\n", name, file);
	pprof_put_value_right(v, b, flat, 10, false);
	buf_putc(b, ' ');
	pprof_put_value_right(v, b, cum, 10, false);
	buf_puts(b, " (flat, cum) ");
	pprof_units_percent(b, cum, v->total);
	buf_puts(b, " of Total\n");
	struct line_range line_range = span_of(at, n);
	if (line_range.from > line_range.to &&
	    !source_cache_has(src, file)) /* pprof does not read a file without lines to show */
		return;
	const struct source *text = source_cache_get(src, file);
	if (!text->path)
		buf_printf(b, " Error: %s\n", text->err);
	else
		put_lines(v, out, src, at, n);
}

/* Equal names are one function; without a file nothing is shown of it. */
static void put_all(
    struct pprof_report *v, struct out *out, struct source_cache *src, const struct node_place *at, size_t n)
{
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && at[k].n->info.name == at[i].n->info.name;)
			k++;
		if (!at[k - 1].n->info.file) {
			buf_printf(&out->buf, "No source information for %s\n",
			    profile_string(v->p, at[i].n->info.name));
			continue;
		}
		for (size_t f = i, g; f < k; f = g) {
			for (g = f; g < k && at[g].n->info.file == at[f].n->info.file;)
				g++;
			if (at[f].n->info.file)
				put_function(v, out, src, at + f, g - f);
		}
	}
}

static void put_table(struct pprof_report *v, struct out *out, struct source_cache *src, const struct node_place *at,
    size_t n, enum table_format format)
{
	const struct pprof_report_weight w = pprof_report_weight(v);
	const struct table_col col[] = {
	    {"function", "function", TB_STR}, {"file", "file", TB_STR}, {"line", "line", TB_INT},
	    {"flat", w.flat_key, w.kind}, {"cum", w.cum_key, w.kind}, {"source", "source", TB_STR},
	};
	struct table t;
	table_begin(&t, col, sizeof col / sizeof col[0]);
	table_open(&t, format, &out->buf);
	for (size_t i = 0, k; i < n && !out->failed; i = k) {
		for (k = i; k < n && at[k].n->info.name == at[i].n->info.name &&
			    at[k].n->info.file == at[i].n->info.file;)
			k++;
		if (at[i].n->info.file)
			put_line_rows(v, &t, src, at + i, k - i);
		table_pour(&t, format, &out->buf);
		output_flush(out, false);
	}
	table_close(&t, format);
	table_free(&t);
}

int report_list(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	enum table_format format;
	int r = 0;
	if (table_format(o, &format, e) || pprof_report_open(&v, o, REPORT_LIST, e))
		return -1;
	v.g.last = true;
	struct graph *g = graph_nodes(v.p, &v.g);
	struct node_place *at = xmalloc((g->n + 1) * sizeof *at);
	size_t n = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct profile_text *s = &v.p->str[g->node[i]->info.name];
		if (!v.symbol || regex_match(v.symbol, s->s, s->n))
			at[n++] = (struct node_place){v.p, g->node[i]};
	}
	if (n) {
		/* without -source_path, also where only the viewer searches */
		struct source_cache *src = source_cache_new(&(struct source_cache_conf){v.g.source_path, v.g.trim_path,
		    o->nfile ? o->file[0] : NULL, v.g.source_path[0] != '\0'});
		qsort(at, n, sizeof *at, by_place);
		if (format == TF_TEXT) {
			buf_puts(&out->buf, "Total: ");
			pprof_report_put_value(&v, &out->buf, v.total);
			buf_putc(&out->buf, '\n');
			put_all(&v, out, src, at, n);
		} else {
			put_table(&v, out, src, at, n, format);
		}
		source_cache_free(src);
	} else {
		r = err_set(e, ERR_FORMAT, ERR_NOWHERE, "no matches found for regexp: %s",
		    o->arg ? o->arg : "");
	}
	mem_free(at);
	graph_free(g);
	pprof_report_close(&v);
	return r;
}
