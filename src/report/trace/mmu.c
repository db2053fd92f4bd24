/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace mmu`: the minimum mutator utilisation over windows of time, or a
 * percentile of all windows instead of the minimum, and the worst windows.
 * -include selects what counts as work of the GC.
 */
#include "config.h"
#include "trace/mmu.h"
#include "base/text/text.h"
#include "report/trace/internal.h"
#include "report/trace/summary.h"

#include <stdlib.h>
#include <string.h>

static const struct { const char *name; unsigned flag; } parts[] = {
	{ "stw", MMU_STW }, { "background", MMU_BACKGROUND }, { "assist", MMU_ASSIST }, { "sweep", MMU_SWEEP },
};
enum { PARTS = 4, WORST = 10 };

struct windows { int64_t *ns; size_t n, cap; };

/* Get the next word of a list separated by commas, without blanks; false at its end. */
static bool next_word(const char **s, char *word, size_t room)
{
	size_t n = 0;
	while (**s == ',' || **s == ' ' || **s == '|')
		++*s;
	for (; **s && **s != ',' && **s != ' ' && **s != '|'; ++*s)
		if (n + 1 < room)
			word[n++] = **s;
	word[n] = 0;
	return n > 0;
}

static int parse_include(const struct options *o, unsigned *flags, struct err *e)
{
	const char *s = options_str(o, OPT_INCLUDE);
	char word[64];
	*flags = options_bool(o, OPT_PER_PROC) ? MMU_PER_PROC : 0;
	if (!o->v[OPT_INCLUDE].set || !s) {
		*flags |= MMU_STW | MMU_BACKGROUND | MMU_ASSIST;	/* the defaults of the reference's page */
		return 0;
	}
	while (next_word(&s, word, sizeof word)) {
		int i = 0;
		while (i < PARTS && strcmp(parts[i].name, word))
			i++;
		if (i == PARTS)
			return err_set(e, ERR_USAGE, ERR_NOWHERE,
			    "-include requires stw, background, assist or sweep, not \"%s\"", word);
		*flags |= parts[i].flag;
	}
	return 0;
}

static int parse_windows(const struct options *o, struct windows *w, struct err *e)
{
	const char *s = options_str(o, OPT_WINDOW);
	char word[64];
	while (s && next_word(&s, word, sizeof word)) {
		int64_t ns;
		if (!text_parse_ns(word, &ns) || ns <= 0)
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "-window requires durations like 1ms, not \"%s\"",
			    word);
		w->ns = mem_grow(w->ns, &w->cap, w->n + 1, sizeof *w->ns);
		w->ns[w->n++] = ns;
	}
	return 0;
}

static int parse_percentile(const struct options *o, double *q, struct err *e)
{
	const char *s = options_str(o, OPT_PERCENTILE);
	char *end;
	*q = 0;
	if (!s || !*s)
		return 0;
	if (*s == 'p')
		s++;
	double p = strtod(s, &end);
	if (end == s || *end || !(p >= 0 && p <= 100))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-percentile requires a number from 0 to 100, not \"%s\"", s);
	*q = 1 - p / 100;
	return 0;
}

static void print_json(const struct trace_report_ctx *r, unsigned flags, const struct windows *w, const double *util,
    const struct mmu_window *worst, uint32_t nworst, int64_t window)
{
	struct json j = { .b = r->out };
	json_object(&j, NULL);
	json_array(&j, "include");
	for (int i = 0; i < PARTS; i++)
		if (flags & parts[i].flag)
			json_text(&j, NULL, parts[i].name);
	json_end(&j);
	json_bool(&j, "per_proc", flags & MMU_PER_PROC);
	json_array(&j, "curve");
	for (size_t i = 0; i < w->n; i++) {
		json_object(&j, NULL);
		json_i64(&j, "window_ns", w->ns[i]);
		json_f64(&j, "utilization", util[i]);
		json_end(&j);
	}
	json_end(&j);
	json_array(&j, "worst");
	for (uint32_t i = 0; i < nworst; i++) {
		json_object(&j, NULL);
		json_i64(&j, "start_ns", worst[i].t0);
		json_i64(&j, "window_ns", window);
		json_f64(&j, "utilization", worst[i].util);
		if (flags & MMU_PER_PROC)
			json_i64(&j, "proc", worst[i].proc);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
}

static void print_tables(const struct trace_report_ctx *r, const struct windows *w, const double *util,
    const struct mmu_window *worst, uint32_t nworst, int64_t window, bool per_proc)
{
	static const struct table_col curve[] = {
		{ "Window", "window_ns", TB_NS }, { "Utilization", "utilization", TB_SHARE },
	}, bad[] = {
		{ "Start", "start_ns", TB_NS }, { "Window", "window_ns", TB_NS },
		{ "Utilization", "utilization", TB_SHARE },
		{ "P", "proc", TB_INT },
	};
	struct table t;
	table_begin(&t, curve, 2);
	for (size_t i = 0; i < w->n; i++) {
		table_int(&t, w->ns[i]);
		table_share(&t, util[i]);
	}
	table_print(&t, r->format, r->out);
	table_free(&t);
	if (r->format != TF_TEXT)
		return;
	buf_puts(r->out, "\nWorst windows of ");
	text_ns(r->out, window);
	buf_putc(r->out, '\n');
	uint32_t cols = per_proc ? 4 : 3;
	table_begin(&t, bad, cols);
	for (uint32_t i = 0; i < nworst; i++) {
		table_int(&t, worst[i].t0);
		table_int(&t, window);
		table_share(&t, worst[i].util);
		if (per_proc)
			table_int(&t, worst[i].proc);
	}
	table_print(&t, r->format, r->out);
	table_free(&t);
}

static int print_mmu(const struct trace_report_ctx *r, unsigned flags, struct windows *w, double q)
{
	bool part = r->t0 > r->sn->t0 || r->t1 < r->sn->t1;
	if (part || options_bool(r->o, OPT_EXACT))
		flags |= MMU_EXACT;
	const struct mmu *m = mmu_new(r->sn, flags, r->mem);
	if (part)
		m = mmu_cut(m, r->t0, r->t1, r->mem);
	struct mmu_window worst[WORST];
	if (!w->n) {
		int64_t plot[MMU_PLOT];
		mmu_plot(m, plot);
		for (int i = 0; i < MMU_PLOT; i++) {
			w->ns = mem_grow(w->ns, &w->cap, w->n + 1, sizeof *w->ns);
			if (!i || plot[i] != plot[i - 1])
				w->ns[w->n++] = plot[i];
		}
	}
	double *util = arena_alloc(r->mem, w->n * sizeof *util);
	for (size_t i = 0; i < w->n; i++)
		util[i] = q > 0 ? mmu_quantile(m, w->ns[i], q) : mmu_min(m, w->ns[i]);
	/* the first one of -window; in the default plot the one nearest to what a user notices: 10 ms */
	int64_t window = w->ns[0];
	if (!options_str(r->o, OPT_WINDOW) || !*options_str(r->o, OPT_WINDOW))
		for (size_t i = 0; i < w->n && window < 10000000; i++)
			window = w->ns[i];
	uint32_t n = mmu_worst(m, window, WORST, worst);
	if (r->format == TF_JSON)
		print_json(r, flags, w, util, worst, n, window);
	else
		print_tables(r, w, util, worst, n, window, flags & MMU_PER_PROC);
	return 0;
}

struct compared_mmu { unsigned flags; const struct windows *w; double q; };

static int put_curve(struct trace_report_ctx *r, struct table *t, const void *arg, struct err *e)
{
	const struct compared_mmu *c = arg;
	const struct mmu *m = mmu_cut(mmu_new(r->sn, c->flags | MMU_EXACT, r->mem), r->t0, r->t1, r->mem);
	(void)e;
	for (size_t i = 0; i < c->w->n; i++) {
		table_int(t, c->w->ns[i]);
		table_share(t, c->q > 0 ? mmu_quantile(m, c->w->ns[i], c->q) : mmu_min(m, c->w->ns[i]));
	}
	return 0;
}

static int compare_mmu(struct trace_report_ctx *r, unsigned flags, struct windows *w, double q, struct err *e)
{
	static const struct table_col curve[] = {
		{ "Window", "window_ns", TB_NS }, { "Utilization", "utilization", TB_SHARE },
	};
	static const int64_t usual[] = { 1000000, 10000000, 100000000 };
	const struct compared_mmu c = { flags, w, q };
	const struct trace_summary s = { .col = curve, .ncol = 2, .names = "window_ns", .fill = put_curve, .arg = &c };
	for (size_t i = 0, n = w->n ? 0 : sizeof usual / sizeof *usual; i < n; i++) {
		w->ns = mem_grow(w->ns, &w->cap, w->n + 1, sizeof *w->ns);
		w->ns[w->n++] = usual[i];
	}
	return trace_summary_print(r, &s, e);
}

int report_mmu(const struct options *o, struct out *out, struct err *e)
{
	struct trace_report_ctx r;
	struct windows w = {0};
	unsigned flags;
	double q;
	int ret = -1;
	if (!parse_include(o, &flags, e) && !parse_windows(o, &w, e) && !parse_percentile(o, &q, e) &&
	    !trace_report_open(&r, o, out, e)) {
		if (trace_summary_compares(o))
			ret = compare_mmu(&r, flags, &w, q, e);
		else
			ret = print_mmu(&r, flags, &w, q);
		trace_report_close(&r);
	}
	mem_free(w.ns);
	return ret;
}
