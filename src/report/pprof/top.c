/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The call graph as text: top (text), one line per node; tree, each node
 * between its callers and callees; peek, the same for the nodes that match.
 * sum% adds up the nodes that are printed. Percentages of edges refer to the
 * node's own cumulative weight.
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/text/pprof_units.h"
#include "report/table.h"

#include <string.h>

static const char *inline_label(const struct graph *g, const struct graph_node *n)
{
	bool in = false, out = false;
	for (const struct graph_edge *e = graph_first_edge(g, n, true); e; e = graph_next_edge(g, e, true))
		if (!e->dead) {
			in |= e->inlined;
			out |= !e->inlined;
		}
	return !in ? "" : out ? " (partial-inline)" : " (inline)";
}

/* flat flat% sum% cum cum%, without the rest of the line */
static void put_weights(const struct pprof_report *v, struct buf *b, int64_t flat, int64_t sum, int64_t cum)
{
	pprof_put_value_right(v, b, flat, 10, false);
	buf_putc(b, ' ');
	pprof_units_percent(b, flat, v->total);
	buf_putc(b, ' ');
	pprof_units_percent(b, sum, v->total);
	buf_putc(b, ' ');
	pprof_put_value_right(v, b, cum, 10, false);
	buf_putc(b, ' ');
	pprof_units_percent(b, cum, v->total);
}

static void put_text(struct pprof_report *v, struct out *out, const struct graph *g)
{
	struct buf *b = &out->buf;
	int64_t sum = 0;
	pprof_report_labels(v, b, g, 0, false);
	buf_puts(b, "      flat  flat%   sum%        cum   cum%\n");
	for (size_t i = 0; i < g->n && !out->failed; i++) {
		const struct graph_node *n = g->node[i];
		profile_sum(&sum, graph_node_flat(n));
		put_weights(v, b, graph_node_flat(n), sum, graph_node_cum(n));
		buf_puts(b, "  ");
		graph_node_name(b, g, n);
		buf_puts(b, inline_label(g, n));
		buf_putc(b, '\n');
		output_flush(out, false);
	}
}

static void put_name_cell(struct table *t, const struct graph *g, const struct graph_node *n)
{
	struct buf b = {0};
	graph_node_name(&b, g, n);
	table_str(t, buf_str(&b), b.n);
	buf_free(&b);
}

/* For scripts: raw values, and shares of 1. */
static void put_table(struct pprof_report *v, struct out *out, const struct graph *g, enum table_format format)
{
	const struct pprof_report_weight w = pprof_report_weight(v);
	const struct table_col col[] = {
	    {"name", "name", TB_STR}, {"inline", "inline", TB_STR}, {"flat", w.flat_key, w.kind},
	    {"flat%", "flat_share", TB_SHARE}, {"cum", w.cum_key, w.kind}, {"cum%", "cum_share", TB_SHARE},
	};
	struct table t;
	table_begin(&t, col, sizeof col / sizeof col[0]);
	table_open(&t, format, &out->buf);
	for (size_t i = 0; i < g->n && !out->failed; i++) {
		const struct graph_node *n = g->node[i];
		const char *inl = inline_label(g, n);
		double total = v->total ? (double)v->total : 1;
		put_name_cell(&t, g, n);
		table_str(&t, inl + (*inl == ' '), strlen(inl + (*inl == ' ')));
		table_int(&t, pprof_report_table_value(v, graph_node_flat(n)));
		table_share(&t, (double)graph_node_flat(n) / total);
		table_int(&t, pprof_report_table_value(v, graph_node_cum(n)));
		table_share(&t, (double)graph_node_cum(n) / total);
		table_pour(&t, format, &out->buf);
		output_flush(out, false);
	}
	table_close(&t, format);
	table_free(&t);
}

int report_top(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	enum table_format format;
	if (table_format(o, &format, e) || pprof_report_open(&v, o, REPORT_TEXT, e))
		return -1;
	v.g.last = true;
	struct graph *g = graph_trimmed(v.p, &v.g);
	pprof_report_choose_unit(&v, g);
	if (format == TF_TEXT)
		put_text(&v, out, g);
	else
		put_table(&v, out, g, format);
	graph_free(g);
	pprof_report_close(&v);
	return 0;
}

static void put_edges(
    struct pprof_report *v, struct buf *b, struct graph *g, const struct graph_node *n, bool in)
{
	size_t count;
	struct graph_edge **e = graph_sorted_edges(g, n, in, &count);
	for (size_t i = 0; i < count; i++) {
		const struct graph_node *other = in ? graph_edge_src(g, e[i]) : graph_edge_dst(g, e[i]);
		pprof_put_value_right(v, b, e[i]->weight, 50, false);
		buf_putc(b, ' ');
		pprof_units_percent(b, e[i]->weight, graph_node_cum(n));
		buf_puts(b, " |   ");
		graph_node_name(b, g, other);
		buf_puts(b, e[i]->inlined ? " (inline)\n" : "\n");
	}
	mem_free(e);
}

static const char separator[] =
    "----------------------------------------------------------+-------------\n";

static bool is_wanted(const struct pprof_report *v, const struct graph *g, const struct graph_node *n)
{
	struct buf b = {0};
	if (v->symbol)
		graph_node_name(&b, g, n);
	bool wanted = !v->symbol || regex_match(v->symbol, buf_str(&b), b.n);
	buf_free(&b);
	return wanted;
}

static size_t put_nodes(struct pprof_report *v, struct out *out, struct graph *g)
{
	struct buf *b = &out->buf;
	size_t matched = 0;
	int64_t sum = 0;
	for (size_t i = 0; i < g->n && !out->failed; i++) {
		const struct graph_node *n = g->node[i];
		if (!is_wanted(v, g, n))
			continue;
		matched++;
		buf_puts(b, separator);
		put_edges(v, b, g, n, true);
		profile_sum(&sum, graph_node_flat(n));
		put_weights(v, b, graph_node_flat(n), sum, graph_node_cum(n));
		buf_puts(b, "                | ");
		graph_node_name(b, g, n);
		buf_putc(b, '\n');
		put_edges(v, b, g, n, false);
		output_flush(out, false);	/* something matched: the text will not be withdrawn */
	}
	return matched;
}

/* For scripts: a row for the node itself, then one for each of its callers and callees. */
static void put_edge_rows(struct pprof_report *v, struct table *t, struct graph *g, const struct graph_node *n, bool in)
{
	size_t count;
	double cum = graph_node_cum(n) ? (double)graph_node_cum(n) : 1;
	struct graph_edge **e = graph_sorted_edges(g, n, in, &count);
	for (size_t i = 0; i < count; i++) {
		const struct graph_node *other = in ? graph_edge_src(g, e[i]) : graph_edge_dst(g, e[i]);
		put_name_cell(t, g, n);
		table_str(t, in ? "caller" : "callee", 6);
		put_name_cell(t, g, other);
		table_none(t);
		table_int(t, pprof_report_table_value(v, e[i]->weight));
		table_share(t, (double)e[i]->weight / cum);
	}
	mem_free(e);
}

static size_t put_tree_table(struct pprof_report *v, struct out *out, struct graph *g, enum table_format format)
{
	const struct pprof_report_weight w = pprof_report_weight(v);
	const struct table_col col[] = {
	    {"node", "node", TB_STR}, {"relation", "relation", TB_STR}, {"name", "name", TB_STR},
	    {"flat", w.flat_key, w.kind}, {"cum", w.cum_key, w.kind}, {"share", "share", TB_SHARE},
	};
	struct table t;
	size_t matched = 0;
	table_begin(&t, col, sizeof col / sizeof col[0]);
	table_open(&t, format, &out->buf);
	for (size_t i = 0; i < g->n && !out->failed; i++) {
		const struct graph_node *n = g->node[i];
		if (!is_wanted(v, g, n))
			continue;
		matched++;
		put_name_cell(&t, g, n);
		table_str(&t, "self", 4);
		put_name_cell(&t, g, n);
		table_int(&t, pprof_report_table_value(v, graph_node_flat(n)));
		table_int(&t, pprof_report_table_value(v, graph_node_cum(n)));
		table_share(&t, v->total ? (double)graph_node_cum(n) / (double)v->total : 0);
		put_edge_rows(v, &t, g, n, true);
		put_edge_rows(v, &t, g, n, false);
		table_pour(&t, format, &out->buf);
		output_flush(out, false);	/* something matched: the table will not be withdrawn */
	}
	table_close(&t, format);
	table_free(&t);
	return matched;
}

static size_t put_tree(struct pprof_report *v, struct out *out, struct graph *g)
{
	struct buf *b = &out->buf;
	pprof_report_labels(v, b, g, 0, false);
	buf_puts(b, separator);
	buf_puts(b, "      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t \n");
	size_t matched = put_nodes(v, out, g);
	if (g->n)
		buf_puts(b, separator);
	return matched;
}

static int print_tree(const struct options *o, struct out *out, enum pprof_report_kind kind, struct err *e)
{
	struct pprof_report v;
	struct buf *b = &out->buf;
	enum table_format format;
	int r = 0;
	if (table_format(o, &format, e) || pprof_report_open(&v, o, kind, e))
		return -1;
	v.g.edges_of = v.symbol;
	v.g.last = true;
	struct graph *g = graph_trimmed(v.p, &v.g);
	pprof_report_choose_unit(&v, g);
	size_t matched = format == TF_TEXT ? put_tree(&v, out, g) : put_tree_table(&v, out, g, format);
	if (v.symbol && !matched) {
		buf_reset(b);
		r = err_set(e, ERR_FORMAT, ERR_NOWHERE, "no matches found for regexp: %s", o->arg);
	}
	graph_free(g);
	pprof_report_close(&v);
	return r;
}

int report_tree(const struct options *o, struct out *out, struct err *e)
{
	return print_tree(o, out, REPORT_TREE, e);
}

int report_peek(const struct options *o, struct out *out, struct err *e)
{
	return print_tree(o, out, REPORT_PEEK, e);
}
