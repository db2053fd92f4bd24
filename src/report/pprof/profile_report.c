/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * From the command line to a profile for a report. The order of the steps is
 * pprof's and decides the numbers: label frames, then the total, then the
 * filters (the other way round with -relative_percentages), then the
 * granularity. Values keep the unit of the file until they are printed; the
 * unit "minimum" is resolved late, when a graph has shown how small its values
 * are.
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/put.h"
#include "base/text/path.h"
#include "base/text/pprof_units.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "session/merge_profiles.h"
#include "session/query.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void pprof_report_notice(void *options, const char *fmt, ...)
{
	const struct options *o = options;
	char line[1000];
	struct buf b = {0};
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if (o && o->notice) {
		text_mask_passwords(&b, line);
		o->notice(o->notice_arg, buf_str(&b));
	} else {
		put_line("ttrace: ", line);
	}
	buf_free(&b);
}

/* ---- options */

static bool set_true(const struct options *o, enum option_id i)
{
	return o->v[i].set && o->v[i].b;
}

static const char *text_of(const struct options *o, enum option_id i)
{
	return o->v[i].s ? o->v[i].s : "";
}

/* Return -1: none, -2: conflicting, else 0 functions ... 4 addresses. */
static int option_granularity(const struct options *o)
{
	static const enum option_id id[] = {
	    OPT_FUNCTIONS, OPT_FILEFUNCTIONS, OPT_FILES, OPT_LINES, OPT_ADDRESSES};
	static const char *const name[] = {
	    "functions", "filefunctions", "files", "lines", "addresses"};
	const char *s = text_of(o, OPT_GRANULARITY);
	int found = -1;
	for (int i = 0; i < 5; i++)
		if (set_true(o, id[i]) || !strcmp(s, name[i]))
			found = found == -1 || found == i ? i : -2;
	return *s && found == -1 ? -2 : found;
}

static int set_grain(struct pprof_report *v, struct pprof_granularity *g, struct err *e)
{
	int gran = option_granularity(v->o);
	if (gran == -2)
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "only one of -functions, -filefunctions, -files, -lines and -addresses can be used");
	bool inlines = !set_true(v->o, OPT_NOINLINES);
	if (v->kind == REPORT_LIST)
		gran = 3;
	if (v->kind == REPORT_SPEEDSCOPE && gran == -1)
		gran = 1;	/* its frames have files */
	if (v->kind == REPORT_PROTO || v->kind == REPORT_RAW || v->kind == REPORT_CALLGRIND ||
	    v->kind == REPORT_FOLDED || v->kind == REPORT_DISASM || v->kind == REPORT_WEBLIST)
		gran = 4;
	if (v->kind == REPORT_DISASM || v->kind == REPORT_WEBLIST)
		inlines = v->kind == REPORT_WEBLIST;
	bool columns = set_true(v->o, OPT_SHOWCOLUMNS) || (gran == 4 && inlines);
	*g = (struct pprof_granularity){
	    .inlines = inlines,
	    .function = gran != 2,
	    .file = gran > 0,
	    .line = gran >= 3,
	    .column = columns,
	    .address = gran == 4,
	};
	return 0;
}

static int set_limits(struct pprof_report *v, struct err *e)
{
	const struct options *o = v->o;
	bool trim = !o->v[OPT_TRIM].set || o->v[OPT_TRIM].b;
	int64_t count = o->v[OPT_NODECOUNT].set ? o->v[OPT_NODECOUNT].i : -1;
	bool flat =
	    v->kind == REPORT_TEXT || v->kind == REPORT_TOPPROTO || v->kind == REPORT_PEEK || v->kind == REPORT_LIST;
	if (count == -1)
		count = flat ? 0 : 80;
	if (v->kind == REPORT_PEEK || v->kind == REPORT_LIST || v->kind == REPORT_PROTO || v->kind == REPORT_RAW ||
	    v->kind == REPORT_CALLGRIND || v->kind == REPORT_FOLDED || v->kind == REPORT_DISASM ||
	    v->kind == REPORT_WEBLIST)
		trim = false;
	v->g.nodecount = trim ? count : 0;
	v->g.nodefraction = !trim			 ? 0
			    : o->v[OPT_NODEFRACTION].set ? o->v[OPT_NODEFRACTION].f
							 : 0.005;
	v->g.edgefraction = !trim			 ? 0
			    : o->v[OPT_EDGEFRACTION].set ? o->v[OPT_EDGEFRACTION].f
							 : 0.001;
	if (set_true(o, OPT_CUM) && set_true(o, OPT_FLAT))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-cum and -flat cannot be used together");
	v->g.cum_sort = set_true(o, OPT_CUM);
	double divide = o->v[OPT_DIVIDE_BY].set ? o->v[OPT_DIVIDE_BY].f : 1;
	if (divide == 0)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-divide_by must not be 0");
	v->ratio = 1 / divide;
	return 0;
}

static const char *option_sample_type(const struct options *o, bool *mean)
{
	static const struct {
		enum option_id id;
		const char *name, *option;
	} old[] = {
	    {OPT_TOTAL_DELAY, "delay", "total_delay"},
	    {OPT_MEAN_DELAY, "delay", "mean_delay"},
	    {OPT_CONTENTIONS, "contentions", "contentions"},
	    {OPT_INUSE_SPACE, "inuse_space", "inuse_space"},
	    {OPT_INUSE_OBJECTS, "inuse_objects", "inuse_objects"},
	    {OPT_ALLOC_SPACE, "alloc_space", "alloc_space"},
	    {OPT_ALLOC_OBJECTS, "alloc_objects", "alloc_objects"},
	};
	const char *s = text_of(o, OPT_SAMPLE_INDEX);
	*mean = set_true(o, OPT_MEAN) || set_true(o, OPT_MEAN_DELAY);
	for (size_t i = 0; i < sizeof old / sizeof old[0]; i++)
		if (set_true(o, old[i].id)) {
			if (*s)
				pprof_report_notice((void *)(uintptr_t)o, "Multiple value selections, ignoring -%s",
				    old[i].option);
			else
				s = old[i].name;
		}
	return s;
}

static int no_type(const struct profile *p, const char *s, struct err *e)
{
	struct buf b = {0};
	for (size_t i = 0; i < p->ntype; i++)
		buf_printf(&b, "%s%s", i ? " " : "", profile_string(p, p->type[i].type));
	int r = err_set(
	    e, ERR_USAGE, ERR_NOWHERE, "sample_index \"%s\" must be one of: %s", s, buf_str(&b));
	buf_free(&b);
	return r;
}

/* Choose the sample type: by number, by name, by the profile's default, or the last. */
static int choose_type(struct pprof_report *v, struct err *e)
{
	struct profile *p = v->p;
	const char *s = option_sample_type(v->o, &v->g.mean);
	const char *short_name = strncmp(s, "inuse_", 6) ? s : s + 6;
	size_t i = 0;
	if (!p->ntype)
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "the profile has no sample types");
	char *end;
	long number = strtol(s, &end, 10);
	if (!*s) {
		while (i < p->ntype && (!p->meta.default_type || p->type[i].type != p->meta.default_type))
			i++;
		i = i < p->ntype ? i : p->ntype - 1;
	} else if (end != s && !*end) {
		if (number < 0 || (size_t)number >= p->ntype)
			return err_set(e, ERR_USAGE, ERR_NOWHERE,
			    "sample_index %s is outside the range [0..%zu]", s, p->ntype - 1);
		i = (size_t)number;
	} else {
		while (i < p->ntype && strcmp(profile_string(p, p->type[i].type), s) &&
		       strcmp(profile_string(p, p->type[i].type), short_name))
			i++;
		if (i == p->ntype)
			return no_type(p, s, e);
	}
	v->g.type = i;
	v->sample_unit = profile_string(p, p->type[i].unit);
	v->sample_type =
	    arena_printf(&v->arena, "%s%s", v->g.mean ? "mean_" : "", profile_string(p, p->type[i].type));
	return 0;
}

/* ---- the profile */

/* Sum the values of all samples, or only of those of the base if there are any. */
static void find_total(struct pprof_report *v)
{
	struct profile *p = v->p;
	uint8_t *base = xcalloc(p->nset, 1);
	str_id key = profile_add_string(p, PROFILE_BASE_KEY, strlen(PROFILE_BASE_KEY)),
	       yes = profile_add_string(p, "true", 4);
	int64_t sum[2] = {0}, div[2] = {0};
	for (size_t s = 1; s < p->nset; s++)
		for (uint32_t k = 0; k < p->set[s].n; k++) {
			const struct profile_label *l = &p->label[p->set[s].off + k];
			base[s] |= l->key == key && l->str == yes;
		}
	for (size_t i = 0; i < p->nsample; i++) {
		const int64_t *val = profile_value(p, i);
		for (int b = 0; b <= base[p->sample[i].labels]; b++) {
			profile_sum(&sum[b], wrap_abs(val[v->g.type]));
			if (v->g.mean)
				profile_sum(&div[b], val[0]);
		}
	}
	int b = sum[1] > 0;
	v->total = profile_mean(sum[b], div[b]);
	mem_free(base);
}

static int apply_filters(struct pprof_report *v, const struct filters *f, struct err *e)
{
	return pprof_apply_filters(v->p, f, &v->units, pprof_report_notice, (void *)(uintptr_t)v->o, e);
}

/* Return whether the text, which is no regular expression, is a name of the profile or a part of one with a letter. */
static bool is_part_of_name(const struct profile *p, const char *text)
{
	bool found = false;
	if (!text[strcspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")])
		return false;
	for (size_t i = 1; i < p->nfun && !found; i++)
		found = strstr(profile_string(p, p->fun[i].name), text) != NULL;
	return found;
}

static int apply_query(struct pprof_report *v, struct err *e)
{
	const struct options *o = v->o;
	struct query q;
	struct filters f;
	bool relative = set_true(o, OPT_RELATIVE);
	if (choose_type(v, e) || query_of_options(o, &q, e))
		return -1;
	f = q.f;
	if (v->p->meta.tag_root && f.tagroot && !strcmp(f.tagroot, "none"))	/* for a trace: without the reasons */
		f.tagroot = NULL;
	if (v->p->meta.tag_root && v->kind != REPORT_PROTO && v->kind != REPORT_TAGS && !o->v[OPT_TAGROOT].set &&
	    !o->v[OPT_TAGLEAF].set)
		f.tagroot = profile_string(v->p, v->p->meta.tag_root);
	pprof_find_label_units(v->p, &v->units, pprof_report_notice, (void *)(uintptr_t)o);
	pprof_tag_frames(v->p, &f, v->unit, pprof_report_notice, (void *)(uintptr_t)o);
	if (relative && apply_filters(v, &f, e))
		return -1;
	if ((v->kind == REPORT_LIST || v->kind == REPORT_PEEK || v->kind == REPORT_DISASM ||
		v->kind == REPORT_WEBLIST) &&
	    o->arg && *o->arg) {
		struct err why = {0};
		v->symbol = regex_new(o->arg, &why);
		if (!v->symbol && is_part_of_name(v->p, o->arg))
			v->symbol = regex_literal(o->arg, &why);
		if (!v->symbol)
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "parsing argument regexp %s: %s",
			    o->arg, why.msg);
	}
	find_total(v);
	if (!relative && apply_filters(v, &f, e))
		return -1;
	pprof_aggregate(v->p, &v->grain);
	return 0;
}

int pprof_report_open(struct pprof_report *v, const struct options *o, enum pprof_report_kind kind, struct err *e)
{
	*v = (struct pprof_report){.o = o, .kind = kind, .compact = set_true(o, OPT_COMPACT_LABELS)};
	bool table = kind == REPORT_TEXT || kind == REPORT_TREE || kind == REPORT_PEEK || kind == REPORT_LIST ||
		     kind == REPORT_TRACES || kind == REPORT_TAGS;
	if (!table && table_text_only(o, e))
		return -1;
	v->unit = o->v[OPT_UNIT].set ? text_of(o, OPT_UNIT) : "minimum";
	if (set_limits(v, e) || set_grain(v, &v->grain, e))
		return -1;
	v->p = merge_profiles_read(o, pprof_report_notice, (void *)(uintptr_t)o, e);
	if (!v->p || apply_query(v, e)) {
		pprof_report_close(v);
		return -1;
	}
	if (v->p->progress.stopped) {
		pprof_report_close(v);
		return err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
	}
	v->g.objects = kind == REPORT_LIST || kind == REPORT_CALLGRIND || kind == REPORT_DISASM;
	v->g.tree = set_true(o, OPT_CALL_TREE) && (kind == REPORT_DOT || kind == REPORT_CALLGRIND);
	v->g.drop_negative = set_true(o, OPT_DROP_NEGATIVE);
	v->g.tags = v->g.visual = kind == REPORT_DOT;
	v->g.functions = kind == REPORT_CALLGRIND;
	v->g.tag_unit = v->unit;
	v->g.bytes_unit = pprof_label_unit(&v->units, profile_add_string(v->p, "bytes", 5));
	v->g.trim_path = text_of(o, OPT_TRIM_PATH);
	v->g.source_path = text_of(o, OPT_SOURCE_PATH);
	return 0;
}

/* Name the estimates in a notice if the report has no header that does. */
static void notice_estimates(const struct pprof_report *v)
{
	const struct profile *p = v->p;
	if (!p || !p->meta.estimated || v->first_label || v->kind == REPORT_RAW ||
	    v->kind == REPORT_COMMENTS || v->kind == REPORT_PROTO)
		return;
	for (size_t i = 0; i < p->meta.ncomment; i++) {
		const char *comment = profile_string(p, p->meta.comment[i]);
		if (!strncmp(comment, "Approximate: ", strlen("Approximate: ")))
			pprof_report_notice((void *)(uintptr_t)v->o, "%s", comment);
	}
}

void pprof_report_close(struct pprof_report *v)
{
	notice_estimates(v);
	pprof_label_units_free(&v->units);
	regex_free(v->symbol);
	profile_free(v->p);
	arena_free(&v->arena);
	*v = (struct pprof_report){0};
}

/* ---- values */

static int64_t scaled_ratio(const struct pprof_report *v, int64_t x)
{
	return v->ratio > 0 && v->ratio != 1 ? pprof_units_to_i64((double)x * v->ratio) : x;
}

static void put_exact(const struct pprof_report *v, struct buf *b, int64_t x)
{
	pprof_units_label(b, scaled_ratio(v, x), v->sample_unit, v->unit);
}

void pprof_report_put_value(const struct pprof_report *v, struct buf *b, int64_t x)
{
	buf_puts(b, v->p->meta.estimated_values && x && x != v->total ? "~" : "");
	put_exact(v, b, x);
}

double pprof_report_scaled(const struct pprof_report *v, int64_t x)
{
	return pprof_units_scale(x, v->sample_unit, v->unit, NULL);
}

struct pprof_report_weight pprof_report_weight(const struct pprof_report *v)
{
	if (pprof_units_compatible(v->sample_unit, "ns"))
		return (struct pprof_report_weight){TB_NS, "flat_ns", "cum_ns", "weight_ns"};
	if (pprof_units_compatible(v->sample_unit, "bytes"))
		return (struct pprof_report_weight){TB_BYTES, "flat_bytes", "cum_bytes", "weight_bytes"};
	return (struct pprof_report_weight){TB_INT, "flat", "cum", "weight"};
}

int64_t pprof_report_table_value(const struct pprof_report *v, int64_t x)
{
	static const char *const unit[] = {[TB_NS] = "ns", [TB_BYTES] = "B"};
	enum table_kind kind = pprof_report_weight(v).kind;
	x = scaled_ratio(v, x);
	return kind == TB_INT ? x : pprof_units_to_i64(pprof_units_scale(x, v->sample_unit, unit[kind], NULL));
}

int pprof_compare_text(const void *x, const void *y)
{
	const struct profile_text *a = x, *b = y;
	int c = memcmp(a->s, b->s, a->n < b->n ? a->n : b->n);
	return c ? c : (a->n > b->n) - (a->n < b->n);
}

size_t pprof_count_runes(const char *s, size_t n)
{
	size_t runes = 0;
	uint32_t cp;
	for (size_t i = 0; i < n; i += text_decode_utf8(s + i, n - i, &cp))
		runes++;
	return runes;
}

void pprof_put_right(struct buf *b, const char *s, size_t n, size_t cells)
{
	size_t runes = pprof_count_runes(s, n);
	if (runes < cells)
		buf_pad(b, ' ', cells - runes);
	buf_put(b, s, n);
}

void pprof_put_value_right(const struct pprof_report *v, struct buf *b, int64_t x, size_t cells, bool dot)
{
	struct buf s = {0};
	if (dot && !x)
		buf_putc(&s, '.');
	else
		pprof_report_put_value(v, &s, x);
	pprof_put_right(b, s.p, s.n, cells);
	buf_free(&s);
}

/* Use the unit of the smallest value, or of a value a hundred times larger if the largest one has another unit. */
void pprof_report_choose_unit(struct pprof_report *v, const struct graph *g)
{
	int64_t min = 0;
	if (strcmp(v->unit, "minimum") || !g->n)
		return;
	for (size_t i = 0; i < g->n; i++) {
		int64_t x = wrap_abs(graph_node_flat(g->node[i]));
		x = x ? x : wrap_abs(graph_node_cum(g->node[i]));
		if (x > 0 && (!min || x < min))
			min = x;
	}
	pprof_report_choose_unit_for(v, min);
}

void pprof_report_choose_unit_for(struct pprof_report *v, int64_t min)
{
	int64_t max = v->total;
	if (strcmp(v->unit, "minimum"))
		return;
	min = scaled_ratio(v, min ? min : max);
	max = scaled_ratio(v, max);
	const char *small, *large, *unit;
	pprof_units_scale(min, v->sample_unit, "minimum", &small);
	pprof_units_scale(max, v->sample_unit, "minimum", &large);
	unit = small;
	int64_t hundred = (int64_t)((uint64_t)min * 100);
	if (strcmp(small, large) && hundred < max && v->kind != REPORT_CALLGRIND)
		pprof_units_scale(hundred, v->sample_unit, "minimum", &unit);
	v->unit = *unit ? unit : v->sample_unit;
}

/* ---- header lines */

static void put_time(struct buf *b, int64_t ns)
{
	time_t t = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));
	struct tm tm;
	char s[80];
	if (localtime_r(&t, &tm) && strftime(s, sizeof s, "%Y-%m-%d %H:%M:%S %Z", &tm))
		buf_printf(b, "Time: %s\n", s);
}

static void put_duration(struct pprof_report *v, struct buf *b)
{
	const char *unit;
	double ns = pprof_units_scale(v->total, v->sample_unit, "nanoseconds", &unit);
	buf_puts(b, "Duration: ");
	pprof_units_label(b, v->p->meta.duration, "nanoseconds", "auto");
	buf_puts(b, ", Total samples = ");
	pprof_report_put_value(v, b, v->total);
	buf_putc(b, ' ');
	if (!strcmp(unit, "ns") && ns != 0) {
		buf_putc(b, '(');
		pprof_units_percent(b, pprof_units_to_i64(ns), v->p->meta.duration);
		buf_putc(b, ')');
	}
	buf_putc(b, '\n');
}

/* Record the end of the first label: a comment may have several lines. */
static void label_ends(struct pprof_report *v, const struct buf *b)
{
	if (!v->first_label)
		v->first_label = b->n;
}

void pprof_report_profile_labels(struct pprof_report *v, struct buf *b)
{
	const struct profile *p = v->p;
	if (p->nmap > 1 && p->map[1].file) {
		size_t n;
		const char *s = path_base(profile_string(p, p->map[1].file), p->str[p->map[1].file].n, &n);
		buf_printf(b, "File: %.*s\n", (int)n, s);
		label_ends(v, b);
	}
	if (p->nmap > 1 && p->map[1].build) {
		buf_printf(b, "Build ID: %s\n", profile_string(p, p->map[1].build));
		label_ends(v, b);
	}
	for (size_t i = 0; i < p->meta.ncomment; i++)
		if (*profile_string(p, p->meta.comment[i]) != '#') {
			buf_printf(b, "%s\n", profile_string(p, p->meta.comment[i]));
			label_ends(v, b);
		}
	if (*v->sample_type) {
		buf_printf(b, "Type: %s\n", v->sample_type);
		label_ends(v, b);
	}
	if (p->meta.doc_url) {
		buf_printf(b, "Doc: %s\n", profile_string(p, p->meta.doc_url));
		label_ends(v, b);
	}
	if (p->meta.time)
		put_time(b, p->meta.time);
	if (p->meta.duration)
		put_duration(v, b);
}

static void put_filters(const struct pprof_report *v, struct buf *b)
{
	static const enum option_id f[] = {OPT_FOCUS, OPT_IGNORE, OPT_HIDE, OPT_SHOW, OPT_SHOW_FROM, OPT_TAGFOCUS,
	    OPT_TAGIGNORE, OPT_TAGSHOW, OPT_TAGHIDE};
	bool any = false;
	for (size_t i = 0; i < sizeof f / sizeof f[0]; i++) {
		const char *s = text_of(v->o, f[i]), *name = option_rows[f[i]].name;
		if (!*s)
			continue;
		if (!any)
			buf_puts(b, "Active filters:\n");
		any = true;
		size_t n = strlen(name) + 1 + strlen(s), max = 80 - strlen(name) - 1;
		if (n > 80)
			buf_printf(b, "   %s=%.*s\342\200\246\n", name, (int)max, s);
		else
			buf_printf(b, "   %s=%s\n", name, s);
	}
}

static void put_dropped(const struct pprof_report *v, struct buf *b, size_t n, const char *what,
    const char *by, double fraction)
{
	if (!n)
		return;
	buf_printf(b, "Dropped %zu %s%s (%s <= ", n, what, n > 1 ? "s" : "", by);
	put_exact(v, b, wrap_abs(pprof_units_to_i64((double)v->total * fraction)));
	buf_puts(b, ")\n");
}

void pprof_put_percent(struct buf *b, int64_t x, int64_t total)
{
	struct buf s = {0};
	size_t i = 0;
	pprof_units_percent(&s, x, total);
	while (i < s.n && s.p[i] == ' ')
		i++;
	buf_put(b, s.p + i, s.n - i);
	buf_free(&s);
}

void pprof_report_labels(
    struct pprof_report *v, struct buf *b, const struct graph *g, size_t dropped_edges, bool all)
{
	int64_t shown = 0;
	for (size_t i = 0; i < g->n; i++)
		profile_sum(&shown, graph_node_flat(g->node[i]));
	if (all || !v->compact)
		pprof_report_profile_labels(v, b);
	put_filters(v, b);
	buf_puts(b, "Showing nodes accounting for ");
	pprof_report_put_value(v, b, shown);
	buf_puts(b, ", ");
	pprof_put_percent(b, shown, v->total);
	buf_puts(b, " of ");
	pprof_report_put_value(v, b, v->total);
	buf_puts(b, " total\n");
	if (v->total) {
		put_dropped(v, b, g->dropped_nodes, "node", "cum", v->g.nodefraction);
		put_dropped(v, b, dropped_edges, "edge", "freq", v->g.edgefraction);
		if (g->n && g->n < g->orig)
			buf_printf(b, "Showing top %zu nodes out of %zu\n", g->n, g->orig);
	}
	if (all)
		buf_puts(b, "\nSee https://git.io/JfYMW for how to read the graph\n");
}
