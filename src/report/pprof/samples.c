/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * traces: every sample with its labels and its stack; tags: the weight of every
 * label value; comments. Tables of tags are right-aligned, column by column,
 * over the lines of one key.
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/text/pprof_units.h"
#include "base/wrap_math.h"

#include <stdlib.h>
#include <string.h>

/* ---- traces */

/* Print a line for each key of a set, for its text labels or its numbers; lines are sorted as text. */
static void put_set(struct pprof_report *v, struct buf *b, struct profile_run r, bool numbers)
{
	struct profile *p = v->p;
	struct arena a = {0};
	struct profile_text *line = arena_alloc(&a, (r.n + 1u) * sizeof *line);
	size_t n = 0;
	for (uint32_t i = 0; i < r.n;) {
		str_id key = p->label[r.off + i].key;
		bool is_str = p->label[r.off + i].str;
		struct buf s = {0};
		if (is_str != numbers) {
			pprof_put_right(&s, p->str[key].s, p->str[key].n, 10);
			buf_puts(&s, ": ");
		}
		for (; i < r.n && p->label[r.off + i].key == key &&
		       (p->label[r.off + i].str != 0) == is_str;
		     i++) {
			const struct profile_label *l = &p->label[r.off + i];
			if (is_str == numbers)
				continue;
			buf_putc(&s, ' ');
			if (is_str)
				pprof_put_name(&s, p, l->str);
			else
				pprof_units_label(
				    &s, l->num, profile_string(p, pprof_label_unit(&v->units, key)), "auto");
		}
		if (s.n)
			line[n++] = (struct profile_text){arena_strndup(&a, s.p, s.n), (uint32_t)s.n};
		buf_free(&s);
	}
	qsort(line, n, sizeof *line, pprof_compare_text);
	for (size_t i = 0; i < n; i++) {
		buf_put(b, line[i].s, line[i].n);
		buf_putc(b, '\n');
	}
	arena_free(&a);
}

static void put_stack(
    struct pprof_report *v, struct buf *b, struct graph_frame_names *names,
    const struct profile_frame_list *stack, int64_t value)
{
	struct profile *p = v->p;
	bool first = true;
	for (size_t i = 0; i < stack->n; i++) {
		loc_id id = stack->frame[i];
		uint32_t n = p->loc[id].nline;
		for (uint32_t k = 0; k < (n ? n : 1); k++) {
			str_id name = graph_frame_name(names, id, k);
			/* read after the call, which may have moved the table */
			const struct profile_text *s = &p->str[name];
			if (first)
				pprof_put_value_right(v, b, value, 10, false);
			else
				buf_pad(b, ' ', 10);
			first = false;
			buf_puts(b, "   ");
			buf_put(b, s->s, s->n);
			buf_puts(b, k + 1 < n ? " (inline)\n" : "\n");
		}
	}
}

static int64_t value_of(const struct pprof_report *v, size_t sample)
{
	const int64_t *val = profile_value(v->p, sample);
	int64_t d = v->g.mean ? val[0] : 0, x = val[v->g.type];
	return profile_mean(x, d);
}

static void put_traces(struct pprof_report *v, struct out *out, struct graph_frame_names *names)
{
	static const char separator[] =
	    "-----------+-------------------------------------------------------\n";
	struct buf *b = &out->buf;
	struct profile_frames frames = {.p = v->p};
	pprof_report_profile_labels(v, b);
	if (!b->n)
		buf_putc(b, '\n');
	for (size_t i = 0; i < v->p->nsample && !out->failed; i++) {
		struct profile_sample s = v->p->sample[i];
		if (!s.stack)
			continue;
		buf_puts(b, separator);
		put_set(v, b, v->p->set[s.labels], false);
		put_set(v, b, v->p->set[s.labels], true);
		put_stack(v, b, names, profile_frames_at(&frames, i), value_of(v, i));
		output_flush(out, false);
	}
	buf_puts(b, separator);
	profile_frames_free(&frames);
}

/* key=value, separated by blanks. */
static void put_label_cell(struct pprof_report *v, struct table *t, struct profile_run r)
{
	struct buf b = {0};
	for (uint32_t i = 0; i < r.n; i++) {
		const struct profile_label *l = &v->p->label[r.off + i];
		buf_puts(&b, i ? " " : "");
		pprof_put_name(&b, v->p, l->key);
		buf_putc(&b, '=');
		if (l->str)
			pprof_put_name(&b, v->p, l->str);
		else
			pprof_units_label(
			    &b, l->num, profile_string(v->p, pprof_label_unit(&v->units, l->key)), "auto");
	}
	table_str(t, b.p, b.n);
	buf_free(&b);
}

/* Root first, as in folded stacks. */
static void put_stack_cell(
    struct pprof_report *v, struct table *t, struct graph_frame_names *names,
    const struct profile_frame_list *stack)
{
	struct buf b = {0};
	for (size_t i = stack->n; i--;) {
		loc_id id = stack->frame[i];
		for (uint32_t k = v->p->loc[id].nline ? v->p->loc[id].nline : 1; k--;) {
			str_id name = graph_frame_name(names, id, k);	/* may add a string and move the table */
			const struct profile_text *s = &v->p->str[name];
			if (b.n)
				buf_putc(&b, ';');
			buf_put(&b, s->s, s->n);
		}
	}
	table_str(t, b.p, b.n);
	buf_free(&b);
}

/* For scripts: a row for each sample. */
static void put_trace_table(
    struct pprof_report *v, struct out *out, struct graph_frame_names *names, enum table_format format)
{
	const struct pprof_report_weight w = pprof_report_weight(v);
	const struct table_col col[] = {
	    {"weight", w.key, w.kind}, {"labels", "labels", TB_STR}, {"stack", "stack", TB_STR}};
	struct table t;
	struct profile_frames frames = {.p = v->p};
	table_begin(&t, col, sizeof col / sizeof col[0]);
	table_open(&t, format, &out->buf);
	for (size_t i = 0; i < v->p->nsample && !out->failed; i++) {
		struct profile_sample s = v->p->sample[i];
		if (!s.stack)
			continue;
		table_int(&t, pprof_report_table_value(v, value_of(v, i)));
		put_label_cell(v, &t, v->p->set[s.labels]);
		put_stack_cell(v, &t, names, profile_frames_at(&frames, i));
		table_pour(&t, format, &out->buf);
		output_flush(out, false);
	}
	table_close(&t, format);
	table_free(&t);
	profile_frames_free(&frames);
}

int report_traces(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	enum table_format format;
	if (table_format(o, &format, e) || pprof_report_open(&v, o, REPORT_TRACES, e))
		return -1;
	struct graph_frame_names names = graph_frame_names_new(v.p);
	if (format == TF_TEXT)
		put_traces(&v, out, &names);
	else
		put_trace_table(&v, out, &names, format);
	graph_frame_names_free(&names);
	pprof_report_close(&v);
	return 0;
}

/* ---- tags */

struct tag {
	str_id key, name;
	int64_t weight;
};

struct tag_table {
	struct pprof_report *v;
	struct tag *tag; /* by first appearance */
	size_t n, cap;
	struct intern index;
};

struct sample_tag_ref {
	const struct profile *p;
	const struct tag *t;
};

static int same_tag(const void *ctx, uint32_t id, const void *key)
{
	const struct tag_table *t = ctx;
	const struct tag *k = key;
	return t->tag[id].key == k->key && t->tag[id].name == k->name;
}

static void add_tag(struct tag_table *t, str_id key, str_id name, int64_t weight)
{
	struct tag k = {key, name, 0};
	uint32_t h = intern_hash_u64(key, name), id = intern_find(&t->index, h, same_tag, t, &k);
	if (id == UINT32_MAX) {
		t->tag = mem_grow(t->tag, &t->cap, t->n + 1, sizeof *t->tag);
		id = (uint32_t)t->n++;
		t->tag[id] = k;
		intern_put(&t->index, h, id);
	}
	profile_sum(&t->tag[id].weight, weight);
}

static void collect_tags(struct tag_table *t)
{
	struct pprof_report *v = t->v;
	struct profile *p = v->p;
	int64_t *weight = xcalloc(p->nset, sizeof *weight);
	uint8_t *used = xcalloc(p->nset, 1);
	struct buf s = {0};
	for (size_t i = 0; i < p->nsample; i++) {
		used[p->sample[i].labels] = 1;
		profile_sum(&weight[p->sample[i].labels], profile_value(p, i)[v->g.type]);
	}
	for (size_t set = 1; set < p->nset; set++)
		for (uint32_t i = 0; used[set] && i < p->set[set].n; i++) {
			struct profile_label l = p->label[p->set[set].off + i];
			if (!l.str) {
				buf_reset(&s);
				pprof_units_label(
				    &s, l.num, profile_string(p, pprof_label_unit(&v->units, l.key)), v->unit);
				l.str = profile_add_string(p, s.p, s.n);
			}
			add_tag(t, l.key, l.str, weight[set]);
		}
	buf_free(&s);
	mem_free(weight);
	mem_free(used);
}

/* By key, then weight descending, then name. */
static int by_key_weight(const void *x, const void *y)
{
	const struct sample_tag_ref *a = x, *b = y;
	int c = pprof_compare_text(&a->p->str[a->t->key], &b->p->str[b->t->key]);
	if (c)
		return c;
	if (wrap_abs(a->t->weight) != wrap_abs(b->t->weight))
		return wrap_abs(a->t->weight) > wrap_abs(b->t->weight) ? -1 : 1;
	return pprof_compare_text(&a->p->str[a->t->name], &b->p->str[b->t->name]);
}

/* Print one key: its line, then a line for each value, in columns. */
static void put_key(struct pprof_report *v, struct buf *b, const struct sample_tag_ref *t, size_t n)
{
	const struct profile_text *key = &v->p->str[t->t->key];
	struct arena a = {0};
	char **cell = arena_alloc(&a, n * sizeof *cell);
	size_t wide = 0, first = pprof_count_runes(key->s, key->n) + 2;
	int64_t sum = 0;
	struct buf s = {0};
	for (size_t i = 0; i < n; i++) {
		buf_reset(&s);
		pprof_report_put_value(v, &s, t[i].t->weight);
		if (v->total > 0) {
			buf_puts(&s, " (");
			pprof_units_percent(&s, t[i].t->weight, v->total);
			buf_putc(&s, ')');
		}
		buf_putc(&s, ':');
		cell[i] = arena_strndup(&a, s.p, s.n);
		wide = pprof_count_runes(s.p, s.n) > wide ? pprof_count_runes(s.p, s.n) : wide;
		profile_sum(&sum, t[i].t->weight);
	}
	buf_free(&s);
	buf_putc(b, ' ');
	pprof_put_name(b, v->p, t->t->key);
	buf_puts(b, ": Total ");
	pprof_report_put_value(v, b, sum);
	buf_puts(b, " of ");
	pprof_report_put_value(v, b, v->total);
	if (v->total > 0) {
		buf_puts(b, " (");
		pprof_units_percent(b, sum, v->total);
		buf_putc(b, ')');
	}
	buf_putc(b, '\n');
	for (size_t i = 0; i < n; i++) {
		buf_pad(b, ' ', first);
		pprof_put_right(b, cell[i], strlen(cell[i]), wide + 1);
		buf_putc(b, ' ');
		pprof_put_name(b, v->p, t[i].t->name);
		buf_putc(b, '\n');
	}
	buf_putc(b, '\n');
	arena_free(&a);
}

static void put_tags(struct pprof_report *v, struct buf *b, const struct sample_tag_ref *ref, size_t n)
{
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && ref[k].t->key == ref[i].t->key;)
			k++;
		put_key(v, b, ref + i, k - i);
	}
}

static void put_table(
    struct pprof_report *v, struct buf *b, const struct sample_tag_ref *ref, size_t n, enum table_format format)
{
	const struct pprof_report_weight w = pprof_report_weight(v);
	const struct table_col col[] = {
	    {"key", "key", TB_STR}, {"value", "value", TB_STR}, {"weight", w.key, w.kind}, {"%", "share", TB_SHARE},
	};
	struct table t;
	table_begin(&t, col, sizeof col / sizeof col[0]);
	for (size_t i = 0; i < n; i++) {
		const struct profile_text *key = &v->p->str[ref[i].t->key], *name = &v->p->str[ref[i].t->name];
		table_str(&t, key->s, key->n);
		table_str(&t, name->s, name->n);
		table_int(&t, pprof_report_table_value(v, ref[i].t->weight));
		table_share(&t, v->total ? (double)ref[i].t->weight / (double)v->total : 0);
	}
	table_print(&t, format, b);
	table_free(&t);
}

int report_tags(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	enum table_format format;
	if (table_format(o, &format, e) || pprof_report_open(&v, o, REPORT_TAGS, e))
		return -1;
	struct tag_table t = {.v = &v};
	collect_tags(&t);
	struct sample_tag_ref *ref = xmalloc((t.n + 1) * sizeof *ref);
	for (size_t i = 0; i < t.n; i++)
		ref[i] = (struct sample_tag_ref){v.p, &t.tag[i]};
	qsort(ref, t.n, sizeof *ref, by_key_weight);
	if (format == TF_TEXT)
		put_tags(&v, &out->buf, ref, t.n);
	else
		put_table(&v, &out->buf, ref, t.n, format);
	mem_free(ref);
	mem_free(t.tag);
	intern_free(&t.index);
	pprof_report_close(&v);
	return 0;
}

int report_comments(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	if (pprof_report_open(&v, o, REPORT_COMMENTS, e))
		return -1;
	for (size_t i = 0; i < v.p->meta.ncomment; i++) {
		pprof_put_name(&out->buf, v.p, v.p->meta.comment[i]);
		buf_putc(&out->buf, '\n');
	}
	pprof_report_close(&v);
	return 0;
}
