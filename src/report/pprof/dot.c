/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * dot: the call graph in the language of Graphviz. A node is a box whose font
 * grows with its flat weight and whose colour shows its share of the total,
 * green for negative values of a difference. Labels are attached to nodes as
 * small boxes, numeric ones grouped into at most four ranges. Edges across
 * hidden nodes are dotted.
 *
 * pprof escapes the names of functions and files, but not those of labels and programs, and the text is pprof's byte for
 * byte. What is drawn here is seen as a drawing only, and all names are escaped: one with a quote could otherwise set
 * attributes such as image or URL.
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/text/path.h"
#include "base/text/pprof_units.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "report/pprof/short_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODELETS = 4 };

struct dot {
	struct pprof_report *v;
	struct graph *g;
	struct buf *b;
	bool escape_all; /* also what pprof leaves as it is */
	uint32_t *number; /* by node id: its number in the drawing */
	bool *nodelets;	  /* by number: it has small boxes */
	struct arena scratch; /* memory for the current node or edge */
	struct buf name;      /* of the node that is printed */
};

static unsigned colour_channel(double v)
{
	return isnan(v) || v < 0 ? 0 : (unsigned)v & 0xff;
}

/* Append the colour of a share of the total, from -1 (green) over 0 (grey) to 1 (red). */
static void put_color(struct buf *b, double score, bool background)
{
	double sat = background ? 0.1 : 1.0, value = background ? 0.93 : 0.7, r, g;
	if (score < -1)
		score = -1;
	if (score > 1)
		score = 1;
	if (fabs(score) < 0.2)
		sat *= fabs(score) / 0.2;
	if (score > 0)
		score = pow(score, 1.0 - 0.7);
	if (score < 0)
		score = -pow(-score, 1.0 - 0.7);
	r = g = value;
	if (score < 0)
		r = value * (1 + sat * score);
	else
		g = value * (1 - sat * score);
	buf_printf(b, "#%02x%02x%02x", colour_channel(r * 255.0), colour_channel(g * 255.0),
	    colour_channel(value * (1 - sat) * 255.0));
}

static double share_of_total(const struct pprof_report *v, int64_t x)
{
	return (double)x / (double)wrap_abs(v->total);
}

/* ---- the legend */

static void put_legend(struct dot *d, const char *title)
{
	struct buf labels = {0}, esc = {0};
	pprof_report_labels(d->v, &labels, d->g, d->g->dropped_edges, true);
	size_t first = d->v->first_label ? d->v->first_label - 1 : 0;
	while (!d->v->first_label && first < labels.n && labels.p[first] != '\n')
		first++;
	text_dot(&esc, labels.p, first);
	buf_printf(
	    d->b, "subgraph cluster_L { \"%s\" [shape=box fontsize=16 label=\"", buf_str(&esc));
	buf_reset(&esc);
	text_dot(&esc, labels.p, labels.n);
	buf_put(d->b, esc.p, esc.n);
	buf_putc(d->b, '"');
	if (*title)
		buf_printf(d->b, " tooltip=\"%s\"", title);
	buf_puts(d->b, "] }\n");
	buf_free(&labels);
	buf_free(&esc);
}

/* ---- nodes */

/* Append what is not escaped in pprof's text. */
static void put_program(const struct dot *d, struct buf *b, const char *s, size_t n)
{
	if (d->escape_all)
		text_dot(b, s, n);
	else
		buf_put(b, s, n);
}

/* Append the name over several lines, broken at every "::" and dot, and the file without its directory. */
static void put_multiline(struct dot *d, const struct graph_info *info)
{
	const struct profile *p = d->v->p;
	struct buf *b = d->b;
	struct buf name = {0}, esc = {0}, object = {0};
	if (info->addr)
		buf_printf(b, "%016llx\\n", (unsigned long long)info->addr);
	short_name_of_function(&name, p->str[info->name].s, p->str[info->name].n);
	text_dot(&esc, name.p, name.n);
	const char *s = esc.n ? esc.p : "";
	for (size_t i = 0; i < esc.n; i++) {
		size_t left = esc.n - i;
		if (left >= 5 && !memcmp(s + i, "[...]", 5)) {
			buf_puts(b, "[\342\200\246]");
			i += 4;
		} else if (left >= 2 && s[i] == ':' && s[i + 1] == ':') {
			buf_puts(b, "\\n");
			i++;
		} else if (s[i] == '.') {
			buf_puts(b, "\\n");
		} else {
			buf_putc(b, s[i]);
		}
	}
	struct graph_info rest = *info;
	rest.addr = 0;
	rest.name = 0;
	if (name.n)
		buf_puts(b, "\\n");
	if (rest.line || rest.file) {
		size_t n = 0;
		const char *base =
		    rest.file ? path_base(p->str[rest.file].s, p->str[rest.file].n, &n) : "";
		text_dot(b, base, n);
		if (rest.line)
			buf_printf(b, ":%lld", (long long)rest.line);
		if (rest.line && rest.col)
			buf_printf(b, ":%lld", (long long)rest.col);
		buf_puts(b, "\\n");
	} else if (!name.n) {
		graph_info_name(&object, p, &rest, "\\n");
		put_program(d, b, object.p, object.n);
		buf_puts(b, "\\n");
	}
	buf_free(&name);
	buf_free(&esc);
	buf_free(&object);
}

static const char *dot_text(struct dot *d, const char *s, size_t n)
{
	struct buf b = {0};
	text_dot(&b, s, n);
	char *text = arena_strndup(&d->scratch, b.p, b.n);
	buf_free(&b);
	return text;
}

static const char *value_text(struct dot *d, int64_t x)
{
	struct buf b = {0};
	pprof_report_put_value(d->v, &b, x);
	const char *s = dot_text(d, b.p, b.n);
	buf_free(&b);
	return s;
}

static void put_value_percent(struct dot *d, int64_t x, const char *before)
{
	buf_puts(d->b, before);
	buf_puts(d->b, value_text(d, x));
	buf_puts(d->b, " (");
	pprof_put_percent(d->b, x, d->v->total);
	buf_putc(d->b, ')');
}

/* Append the escaped name of a node. */
static void put_name(struct dot *d, struct buf *b, const struct graph_node *n)
{
	buf_reset(&d->name);
	graph_node_name(&d->name, d->g, n);
	text_dot(b, d->name.p, d->name.n);
}

static void put_node(struct dot *d, const struct graph_node *n, double max_flat)
{
	int64_t flat = graph_node_flat(n), cum = graph_node_cum(n);
	uint32_t id = d->number[n->id];
	int size = 8;
	buf_printf(d->b, "N%u [label=\"", id);
	put_multiline(d, &n->info);
	if (flat)
		put_value_percent(d, flat, "");
	else
		buf_putc(d->b, '0');
	if (cum != flat)
		put_value_percent(d, cum, flat ? "\\nof " : " of ");
	double own = (double)wrap_abs(flat);	/* negative if a sum has overflowed to the minimum */
	if (own > 0 && own <= max_flat)
		size += (int)ceil(16.0 * sqrt(own / max_flat));
	buf_printf(d->b, "\" id=\"node%u\" fontsize=%d shape=box tooltip=\"", id, size);
	put_name(d, d->b, n);
	buf_printf(d->b, " (%s", value_text(d, cum));
	buf_puts(d->b, ")\" color=\"");
	put_color(d->b, share_of_total(d->v, cum), false);
	buf_puts(d->b, "\" fillcolor=\"");
	put_color(d->b, share_of_total(d->v, cum), true);
	buf_puts(d->b, "\"]\n");
}

/* ---- labels */

static int64_t tag_value(const struct graph_tag *t, bool flat)
{
	int64_t v = flat ? t->flat : t->cum, d = flat ? t->flat_div : t->cum_div;
	return profile_mean(v, d);
}

static int by_weight(int64_t a, int64_t b)
{
	a = wrap_abs(a);
	b = wrap_abs(b);
	return a > b ? -1 : a < b;
}

struct dot_tag {
	struct graph_tag t;
	const char *text;
};

static int cmp_flat(const void *x, const void *y)
{
	const struct dot_tag *a = x, *b = y;
	int c = a->t.flat == b->t.flat ? 0 : by_weight(a->t.flat, b->t.flat);
	return c ? c : strcmp(a->text, b->text);
}

static int cmp_cum(const void *x, const void *y)
{
	const struct dot_tag *a = x, *b = y;
	int c = a->t.cum == b->t.cum ? 0 : by_weight(a->t.cum, b->t.cum);
	return c ? c : cmp_flat(x, y);
}

static void sort_tags(struct dot_tag *t, size_t n, bool flat)
{
	qsort(t, n, sizeof *t, flat ? cmp_flat : cmp_cum);
}

/* Is it a text label, or with numeric a number that occurred with the texts `group`? */
static bool is_of(const struct dot *d, const struct graph_mark *m, bool numeric, str_id group)
{
	const struct graph_tag *k = &d->g->tag_key[m->key];
	return !graph_mark_is_dead(m) && k->numeric == numeric && (!numeric || k->group == group);
}

/* Return the labels of a node: its texts, or the numbers that occurred with the texts `group`. */
static struct dot_tag *tags_of(
    struct dot *d, const struct graph_node *n, bool numeric, str_id group, size_t *count)
{
	size_t k = 0;
	for (const struct graph_mark *m = n->tag; m; m = m->next)
		k += is_of(d, m, numeric, group);
	struct dot_tag *r = arena_alloc(&d->scratch, (k + 1) * sizeof *r);
	*count = 0;
	for (const struct graph_mark *m = n->tag; m; m = m->next)
		if (is_of(d, m, numeric, group)) {
			struct graph_tag t = graph_mark_tag(d->g, m);
			r[(*count)++] = (struct dot_tag){t, profile_string(d->v->p, t.name)};
		}
	return r;
}

static double tag_distance(const struct profile *p, const struct graph_tag *t, const struct graph_tag *u)
{
	double v = pprof_units_scale(u->value, profile_string(p, u->unit), profile_string(p, t->unit), NULL);
	return v < (double)t->value ? (double)t->value - v : v - (double)t->value;
}

/* Return one range that replaces several numbers. */
static struct dot_tag range_of(
    struct dot *d, const struct dot_tag *t, const size_t *group, size_t n, size_t which)
{
	const struct profile *p = d->v->p;
	const struct graph_tag *min = &t[which].t, *max = min;
	struct graph_tag sum = {0};
	size_t members = 0;
	for (size_t i = 0; i < n; i++) {
		if (group[i] != which)
			continue;
		const struct graph_tag *x = &t[i].t;
		members++;
		if (pprof_units_to_i64(pprof_units_scale(
			x->value, profile_string(p, x->unit), profile_string(p, min->unit), NULL)) < min->value)
			min = x;
		if (pprof_units_to_i64(pprof_units_scale(
			x->value, profile_string(p, x->unit), profile_string(p, max->unit), NULL)) > max->value)
			max = x;
		profile_sum(&sum.flat, x->flat);
		profile_sum(&sum.flat_div, x->flat_div);
		profile_sum(&sum.cum, x->cum);
		profile_sum(&sum.cum_div, x->cum_div);
	}
	struct buf b = {0};
	pprof_units_label(&b, min->value, profile_string(p, min->unit), "auto");
	if (members > 1) {
		buf_puts(&b, "..");
		pprof_units_label(&b, max->value, profile_string(p, max->unit), "auto");
	}
	struct dot_tag r = {{.flat = tag_value(&sum, true), .cum = tag_value(&sum, false)},
	    arena_strndup(&d->scratch, b.p, b.n)};
	buf_free(&b);
	return r;
}

/* The numbers with most weight are centres; each other number joins the nearest one. */
static size_t group_tags(struct dot *d, struct dot_tag *t, size_t n, bool flat)
{
	sort_tags(t, n, flat);
	if (n <= MAX_NODELETS)
		return n;
	size_t *group = arena_alloc(&d->scratch, n * sizeof *group);
	struct dot_tag out[MAX_NODELETS];
	for (size_t i = 0; i < n; i++) {
		group[i] = i < MAX_NODELETS ? i : 0;
		double best = tag_distance(d->v->p, &t[i].t, &t[0].t), x;
		for (size_t k = 1; k < MAX_NODELETS && i >= MAX_NODELETS; k++)
			if ((x = tag_distance(d->v->p, &t[i].t, &t[k].t)) < best) {
				best = x;
				group[i] = k;
			}
	}
	for (size_t k = 0; k < MAX_NODELETS; k++)
		out[k] = range_of(d, t, group, n, k);
	memcpy(t, out, sizeof out);
	sort_tags(t, MAX_NODELETS, flat);
	return MAX_NODELETS;
}

/* Print a box with a label's text (already escaped) and weight, and the edge to its owner. */
static void put_nodelet(struct dot *d, const char *name, const char *from, const char *text, int64_t w, bool solid)
{
	const char *s = value_text(d, w);
	buf_printf(d->b, "%s [label = \"%s\" id=\"%s\" fontsize=8 shape=box3d tooltip=\"%s\"]\n", name, text, name, s);
	buf_printf(d->b, "%s -> %s [label=\" %s\" weight=100 tooltip=\"%s\" labeltooltip=\"%s\"%s]\n", from, name, s,
	    s, s, solid ? "" : " style=\"dotted\"");
}

static bool put_numbers(
    struct dot *d, const struct graph_node *n, str_id group, bool flat, const char *source)
{
	size_t count;
	bool any = false;
	struct dot_tag *t = tags_of(d, n, true, group, &count);
	count = group_tags(d, t, count, flat);
	for (size_t i = 0; i < count; i++) {
		int64_t f = tag_value(&t[i].t, true), c = tag_value(&t[i].t, false);
		bool solid = flat || f == c;
		int64_t w = solid ? f : c;
		if (!w)
			continue;
		char name[64];
		snprintf(name, sizeof name, "N%s_%zu", source, i);
		put_nodelet(d, name, source, dot_text(d, t[i].text, strlen(t[i].text)), w, solid);
		any = true;
	}
	return any;
}

static bool put_nodelets(struct dot *d, const struct graph_node *n)
{
	size_t count;
	uint32_t id = d->number[n->id];
	char node[16], source[40];
	bool any = false, flat = false;
	snprintf(node, sizeof node, "N%u", id);
	for (const struct graph_edge *e = graph_first_edge(d->g, n, false); e; e = graph_next_edge(d->g, e, false))
		flat |= !e->dead;
	struct dot_tag *t = tags_of(d, n, false, 0, &count);
	sort_tags(t, count, flat);
	for (size_t i = 0; i < count && i < MAX_NODELETS; i++) {
		int64_t w = tag_value(&t[i].t, flat);
		if (!w)
			continue;
		snprintf(source, sizeof source, "N%u_%zu", id, i);
		put_nodelet(d, source, node, t[i].text, w, true);
		any = true;
		put_numbers(d, n, t[i].t.name, flat, source);
	}
	return put_numbers(d, n, 0, flat, node) || any;
}

/* ---- edges */

static int64_t scaled_weight(int64_t w, int64_t scale, int64_t total)
{
	int64_t x = wrap_abs(profile_mean(wrap_mul(w, scale), total));
	return 1 + (x < scale ? x : scale);
}

static void put_edge(struct dot *d, const struct graph_edge *e)
{
	struct pprof_report *v = d->v;
	const struct graph_node *src = graph_edge_src(d->g, e), *dst = graph_edge_dst(d->g, e);
	uint32_t from = d->number[src->id], to = d->number[dst->id];
	int64_t w = graph_edge_weight(e);
	const char *s = value_text(d, w);
	struct buf tip = {0};
	buf_printf(
	    d->b, "N%u -> N%u [label=\" %s%s\"", from, to, s, e->inlined ? "\\n (inline)" : "");
	if (v->total) {
		if (scaled_weight(w, 100, v->total) > 1)
			buf_printf(d->b, " weight=%lld", (long long)scaled_weight(w, 100, v->total));
		if (scaled_weight(w, 5, v->total) > 1)
			buf_printf(d->b, " penwidth=%lld", (long long)scaled_weight(w, 5, v->total));
		buf_puts(d->b, " color=\"");
		put_color(d->b, share_of_total(v, w), false);
		buf_putc(d->b, '"');
	}
	put_name(d, &tip, src);
	buf_puts(&tip, e->residual ? " ... " : " -> ");
	put_name(d, &tip, dst);
	buf_printf(&tip, " (%s)", s);
	buf_puts(d->b, " tooltip=\"");
	buf_put(d->b, tip.p, tip.n);
	buf_puts(d->b, "\" labeltooltip=\"");
	buf_put(d->b, tip.p, tip.n);
	buf_printf(d->b, "\"%s%s]\n",
	    e->residual ? " style=\"dotted\"" : "", from && d->nodelets[from] ? " minlen=2" : "");
	buf_free(&tip);
}

static void put_edges(struct dot *d, struct out *out)
{
	const struct graph *g = d->g;
	size_t n = 0;
	uint32_t *all = xmalloc((column_n(&g->edges) + 1u) * sizeof *all);
	for (size_t i = 0; i < g->n; i++)
		for (uint32_t at = g->node[i]->out; at; at = graph_edge_at(g, at)->next_out)
			if (!graph_edge_at(g, at)->dead)
				all[n++] = at - 1;
	graph_sort_edges(g, all, n);
	for (size_t i = 0; i < n && !out->failed; i++) {
		put_edge(d, graph_edge_at(g, all[i] + 1));
		arena_reset(&d->scratch);
		output_flush(out, false);
	}
	mem_free(all);
}

static void put_graph(struct dot *d, struct out *out)
{
	struct graph *g = d->g;
	double max_flat = 0;
	for (size_t i = 0; i < g->n; i++) {
		double f = (double)wrap_abs(graph_node_flat(g->node[i]));
		d->number[g->node[i]->id] = (uint32_t)i + 1;
		max_flat = f > max_flat ? f : max_flat;
	}
	for (size_t i = 0; i < g->n && !out->failed; i++) {
		if (g->labels && i == g->labelled)
			graph_label(g, i);
		put_node(d, g->node[i], max_flat);
		d->nodelets[i + 1] = put_nodelets(d, g->node[i]);
		arena_reset(&d->scratch);
		output_flush(out, false);
	}
	if (g->labels)
		graph_label(g, g->n);
	put_edges(d, out);
}

int report_dot_escaped(const struct options *o, struct out *out, bool escape_all, struct err *e)
{
	struct pprof_report v;
	if (pprof_report_open(&v, o, REPORT_DOT, e))
		return -1;
	v.g.escape_tags = escape_all;
	struct dot d = {.v = &v, .b = &out->buf, .escape_all = escape_all, .g = graph_trimmed(v.p, &v.g)};
	const char *title = "";
	size_t n;
	pprof_report_choose_unit(&v, d.g);
	if (v.p->nmap > 1 && v.p->map[1].file) {
		title = path_base(profile_string(v.p, v.p->map[1].file), v.p->str[v.p->map[1].file].n, &n);
		struct buf b = {0};
		put_program(&d, &b, title, n);
		title = arena_strndup(&v.arena, buf_str(&b), b.n);
		buf_free(&b);
	}
	d.number = xcalloc(d.g->nall + 1, sizeof *d.number);
	d.nodelets = xcalloc(d.g->nall + 2, sizeof *d.nodelets);
	buf_printf(d.b, "digraph \"%s\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n",
	    *title ? title : "unnamed");
	put_legend(&d, title);
	put_graph(&d, out);
	buf_puts(d.b, "}\n");
	mem_free(d.number);
	mem_free(d.nodelets);
	arena_free(&d.scratch);
	buf_free(&d.name);
	graph_free(d.g);
	pprof_report_close(&v);
	return 0;
}

int report_dot(const struct options *o, struct out *out, struct err *e)
{
	return report_dot_escaped(o, out, false, e);
}
