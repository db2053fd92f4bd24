/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * From the command line to a profile that can be reported. The order of the
 * steps is pprof's and decides numbers: label frames, then the total, then the
 * filters (the other way round with -relative_percentages), then the grain.
 * Values keep the unit of the file until they are written; "minimum" is a unit
 * that is settled late, when a graph has shown how small its values are.
 */
#include "config.h"
#include "report/pprof/profile_report.h"

#include "base/put.h"
#include "base/text/path.h"
#include "base/text/pprof_units.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "session/merge_profiles.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void report_notice(void *opt, const char *fmt, ...)
{
	const struct opt *o = opt;
	char line[1000];
	struct buf b = {0};
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if (o && o->notice) {
		text_no_secret(&b, line);
		o->notice(o->notice_arg, buf_str(&b));
	} else {
		put_line("ttrace: ", line);
	}
	buf_free(&b);
}

/* ---- options */

static bool set_true(const struct opt *o, enum opt_id i)
{
	return o->v[i].set && o->v[i].b;
}

static const char *text_of(const struct opt *o, enum opt_id i)
{
	return o->v[i].s ? o->v[i].s : "";
}

/* -1 none, -2 conflicting, else 0 functions ... 4 addresses */
static int granularity(const struct opt *o)
{
	static const enum opt_id id[] = {
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

static int set_grain(struct view *v, struct prof_grain *g, struct err *e)
{
	int gran = granularity(v->o);
	if (gran == -2)
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "only one of -functions, -filefunctions, -files, -lines and -addresses can be used");
	bool inlines = !set_true(v->o, OPT_NOINLINES);
	if (v->kind == V_LIST)
		gran = 3;
	if (v->kind == V_SPEEDSCOPE && gran == -1)
		gran = 1;	/* its frames have files */
	if (v->kind == V_PROTO || v->kind == V_RAW || v->kind == V_CALLGRIND || v->kind == V_FOLDED ||
	    v->kind == V_DISASM || v->kind == V_WEBLIST)
		gran = 4;
	if (v->kind == V_DISASM || v->kind == V_WEBLIST)
		inlines = v->kind == V_WEBLIST;
	bool columns = set_true(v->o, OPT_SHOWCOLUMNS) || (gran == 4 && inlines);
	*g = (struct prof_grain){
	    .inlines = inlines,
	    .function = gran != 2,
	    .file = gran > 0,
	    .line = gran >= 3,
	    .column = columns,
	    .address = gran == 4,
	};
	return 0;
}

static int set_limits(struct view *v, struct err *e)
{
	const struct opt *o = v->o;
	bool trim = !o->v[OPT_TRIM].set || o->v[OPT_TRIM].b;
	int64_t count = o->v[OPT_NODECOUNT].set ? o->v[OPT_NODECOUNT].i : -1;
	bool flat =
	    v->kind == V_TEXT || v->kind == V_TOPPROTO || v->kind == V_PEEK || v->kind == V_LIST;
	if (count == -1)
		count = flat ? 0 : 80;
	if (v->kind == V_PEEK || v->kind == V_LIST || v->kind == V_PROTO || v->kind == V_RAW ||
	    v->kind == V_CALLGRIND || v->kind == V_FOLDED || v->kind == V_DISASM || v->kind == V_WEBLIST)
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

static const char *asked_type(const struct opt *o, bool *mean)
{
	static const struct {
		enum opt_id id;
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
				report_notice((void *)(uintptr_t)o, "Multiple value selections, ignoring -%s",
				    old[i].option);
			else
				s = old[i].name;
		}
	return s;
}

static int no_type(const struct prof *p, const char *s, struct err *e)
{
	struct buf b = {0};
	for (size_t i = 0; i < p->ntype; i++)
		buf_printf(&b, "%s%s", i ? " " : "", prof_s(p, p->type[i].type));
	int r = err_set(
	    e, ERR_USAGE, ERR_NOWHERE, "sample_index \"%s\" must be one of: %s", s, buf_str(&b));
	buf_free(&b);
	return r;
}

/* Which sample type: by number, by name, by the profile's wish, or the last. */
static int choose_type(struct view *v, struct err *e)
{
	struct prof *p = v->p;
	const char *s = asked_type(v->o, &v->g.mean);
	const char *short_name = strncmp(s, "inuse_", 6) ? s : s + 6;
	size_t i = 0;
	if (!p->ntype)
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "the profile has no sample types");
	char *end;
	long number = strtol(s, &end, 10);
	if (!*s) {
		while (i < p->ntype && (!p->default_type || p->type[i].type != p->default_type))
			i++;
		i = i < p->ntype ? i : p->ntype - 1;
	} else if (end != s && !*end) {
		if (number < 0 || (size_t)number >= p->ntype)
			return err_set(e, ERR_USAGE, ERR_NOWHERE,
			    "sample_index %s is outside the range [0..%zu]", s, p->ntype - 1);
		i = (size_t)number;
	} else {
		while (i < p->ntype && strcmp(prof_s(p, p->type[i].type), s) &&
		       strcmp(prof_s(p, p->type[i].type), short_name))
			i++;
		if (i == p->ntype)
			return no_type(p, s, e);
	}
	v->g.type = i;
	v->sample_unit = prof_s(p, p->type[i].unit);
	v->sample_type =
	    arena_printf(&v->arena, "%s%s", v->g.mean ? "mean_" : "", prof_s(p, p->type[i].type));
	return 0;
}

/* ---- the profile */

/* Of all samples, or of those of the base when there are any. */
static void find_total(struct view *v)
{
	struct prof *p = v->p;
	uint8_t *base = xcalloc(p->nset, 1);
	str_id key = prof_str(p, PROF_BASE_KEY, strlen(PROF_BASE_KEY)),
	       yes = prof_str(p, "true", 4);
	int64_t sum[2] = {0}, div[2] = {0};
	for (size_t s = 1; s < p->nset; s++)
		for (uint32_t k = 0; k < p->set[s].n; k++) {
			const struct prof_label *l = &p->label[p->set[s].off + k];
			base[s] |= l->key == key && l->str == yes;
		}
	for (size_t i = 0; i < p->nsample; i++) {
		const int64_t *val = prof_value(p, i);
		for (int b = 0; b <= base[p->sample[i].labels]; b++) {
			prof_sum(&sum[b], wrap_abs(val[v->g.type]));
			if (v->g.mean)
				prof_sum(&div[b], val[0]);
		}
	}
	int b = sum[1] > 0;
	v->total = prof_mean(sum[b], div[b]);
	mem_free(base);
}

static int focus(struct view *v, const struct prof_filters *f, struct err *e)
{
	return prof_focus(v->p, f, &v->units, report_notice, (void *)(uintptr_t)v->o, e);
}

static int query(struct view *v, struct err *e)
{
	const struct opt *o = v->o;
	struct prof_filters f = {
	    text_of(o, OPT_FOCUS),
	    text_of(o, OPT_IGNORE),
	    text_of(o, OPT_HIDE),
	    text_of(o, OPT_SHOW),
	    text_of(o, OPT_SHOW_FROM),
	    text_of(o, OPT_PRUNE_FROM),
	    text_of(o, OPT_TAGFOCUS),
	    text_of(o, OPT_TAGIGNORE),
	    text_of(o, OPT_TAGSHOW),
	    text_of(o, OPT_TAGHIDE),
	    text_of(o, OPT_TAGROOT),
	    text_of(o, OPT_TAGLEAF),
	    v->unit,
	};
	bool relative = set_true(o, OPT_RELATIVE);
	if (choose_type(v, e))
		return -1;
	if (v->p->tag_root && f.tagroot && !strcmp(f.tagroot, "none"))	/* of a trace: without the reasons */
		f.tagroot = NULL;
	if (v->p->tag_root && v->kind != V_PROTO && v->kind != V_TAGS && !o->v[OPT_TAGROOT].set &&
	    !o->v[OPT_TAGLEAF].set)
		f.tagroot = prof_s(v->p, v->p->tag_root);
	prof_label_units(v->p, &v->units, report_notice, (void *)(uintptr_t)o);
	prof_tag_frames(v->p, &f, report_notice, (void *)(uintptr_t)o);
	if (relative && focus(v, &f, e))
		return -1;
	if ((v->kind == V_LIST || v->kind == V_PEEK || v->kind == V_DISASM || v->kind == V_WEBLIST) && o->arg &&
	    *o->arg) {
		struct err why = {0};
		v->symbol = rx_new(o->arg, &why);
		if (!v->symbol)
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "parsing argument regexp %s: %s",
			    o->arg, why.msg);
	}
	find_total(v);
	if (!relative && focus(v, &f, e))
		return -1;
	prof_aggregate(v->p, &v->grain);
	return 0;
}

int view_open(struct view *v, const struct opt *o, enum view_kind kind, struct err *e)
{
	*v = (struct view){.o = o, .kind = kind, .compact = set_true(o, OPT_COMPACT_LABELS)};
	bool table = kind == V_TEXT || kind == V_TREE || kind == V_PEEK || kind == V_LIST || kind == V_TRACES ||
	    kind == V_TAGS;
	if (!table && table_text_only(o, e))
		return -1;
	v->unit = o->v[OPT_UNIT].set ? text_of(o, OPT_UNIT) : "minimum";
	if (set_limits(v, e) || set_grain(v, &v->grain, e))
		return -1;
	v->p = fetch_profile(o, report_notice, (void *)(uintptr_t)o, e);
	if (!v->p || query(v, e)) {
		view_close(v);
		return -1;
	}
	if (v->p->stopped) {
		view_close(v);
		return err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
	}
	v->g.objects = kind == V_LIST || kind == V_CALLGRIND || kind == V_DISASM;
	v->g.tree = set_true(o, OPT_CALL_TREE) && (kind == V_DOT || kind == V_CALLGRIND);
	v->g.drop_negative = set_true(o, OPT_DROP_NEGATIVE);
	v->g.tags = v->g.visual = kind == V_DOT;
	v->g.functions = kind == V_CALLGRIND;
	v->g.spend = kind == V_TEXT || kind == V_TREE || kind == V_PEEK || kind == V_LIST || kind == V_CALLGRIND ||
	    kind == V_DOT;
	v->g.tag_unit = v->unit;
	v->g.bytes_unit = prof_unit_of(&v->units, prof_str(v->p, "bytes", 5));
	v->g.trim_path = text_of(o, OPT_TRIM_PATH);
	v->g.source_path = text_of(o, OPT_SOURCE_PATH);
	return 0;
}

void view_close(struct view *v)
{
	prof_units_free(&v->units);
	rx_free(v->symbol);
	prof_free(v->p);
	arena_free(&v->arena);
	*v = (struct view){0};
}

/* ---- values */

static int64_t scaled_ratio(const struct view *v, int64_t x)
{
	return v->ratio > 0 && v->ratio != 1 ? units_i64((double)x * v->ratio) : x;
}

void view_value(const struct view *v, struct buf *b, int64_t x)
{
	units_label(b, scaled_ratio(v, x), v->sample_unit, v->unit);
}

double view_scaled(const struct view *v, int64_t x)
{
	return units_scale(x, v->sample_unit, v->unit, NULL);
}

struct view_weight view_weight(const struct view *v)
{
	if (units_alike(v->sample_unit, "ns"))
		return (struct view_weight){TB_NS, "flat_ns", "cum_ns", "weight_ns"};
	if (units_alike(v->sample_unit, "bytes"))
		return (struct view_weight){TB_BYTES, "flat_bytes", "cum_bytes", "weight_bytes"};
	return (struct view_weight){TB_INT, "flat", "cum", "weight"};
}

int64_t view_whole(const struct view *v, int64_t x)
{
	static const char *const unit[] = {[TB_NS] = "ns", [TB_BYTES] = "B"};
	enum table_kind kind = view_weight(v).kind;
	x = scaled_ratio(v, x);
	return kind == TB_INT ? x : units_i64(units_scale(x, v->sample_unit, unit[kind], NULL));
}

void put_right(struct buf *b, const char *s, size_t n, size_t cells)
{
	size_t runes = 0;
	for (size_t i = 0; i < n; i++)
		runes += ((unsigned char)s[i] & 0xc0) != 0x80;
	if (runes < cells)
		buf_pad(b, ' ', cells - runes);
	buf_put(b, s, n);
}

void put_value(const struct view *v, struct buf *b, int64_t x, size_t cells, bool dot)
{
	struct buf s = {0};
	if (dot && !x)
		buf_putc(&s, '.');
	else
		view_value(v, &s, x);
	put_right(b, s.p, s.n, cells);
	buf_free(&s);
}

/* The smallest value decides, a hundred times larger when the largest one has another unit. */
void view_choose_unit(struct view *v, const struct graph *g)
{
	int64_t min = 0;
	if (strcmp(v->unit, "minimum") || !g->n)
		return;
	for (size_t i = 0; i < g->n; i++) {
		int64_t x = wrap_abs(gnode_flat(g->node[i]));
		x = x ? x : wrap_abs(gnode_cum(g->node[i]));
		if (x > 0 && (!min || x < min))
			min = x;
	}
	view_choose_unit_of(v, min);
}

void view_choose_unit_of(struct view *v, int64_t min)
{
	int64_t max = v->total;
	if (strcmp(v->unit, "minimum"))
		return;
	min = scaled_ratio(v, min ? min : max);
	max = scaled_ratio(v, max);
	const char *small, *large, *unit;
	units_scale(min, v->sample_unit, "minimum", &small);
	units_scale(max, v->sample_unit, "minimum", &large);
	unit = small;
	int64_t hundred = (int64_t)((uint64_t)min * 100);
	if (strcmp(small, large) && hundred < max && v->kind != V_CALLGRIND)
		units_scale(hundred, v->sample_unit, "minimum", &unit);
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

static void put_duration(struct view *v, struct buf *b)
{
	const char *unit;
	double ns = units_scale(v->total, v->sample_unit, "nanoseconds", &unit);
	buf_puts(b, "Duration: ");
	units_label(b, v->p->duration, "nanoseconds", "auto");
	buf_puts(b, ", Total samples = ");
	view_value(v, b, v->total);
	buf_putc(b, ' ');
	if (!strcmp(unit, "ns") && ns != 0) {
		buf_putc(b, '(');
		units_percent(b, units_i64(ns), v->p->duration);
		buf_putc(b, ')');
	}
	buf_putc(b, '\n');
}

/* Where the first label ends: a comment can be one of several lines. */
static void label_ends(struct view *v, const struct buf *b)
{
	if (!v->first_label)
		v->first_label = b->n;
}

void view_profile_labels(struct view *v, struct buf *b)
{
	const struct prof *p = v->p;
	if (p->nmap > 1 && p->map[1].file) {
		size_t n;
		const char *s = path_base(prof_s(p, p->map[1].file), p->str[p->map[1].file].n, &n);
		buf_printf(b, "File: %.*s\n", (int)n, s);
		label_ends(v, b);
	}
	if (p->nmap > 1 && p->map[1].build) {
		buf_printf(b, "Build ID: %s\n", prof_s(p, p->map[1].build));
		label_ends(v, b);
	}
	for (size_t i = 0; i < p->ncomment; i++)
		if (*prof_s(p, p->comment[i]) != '#') {
			buf_printf(b, "%s\n", prof_s(p, p->comment[i]));
			label_ends(v, b);
		}
	if (*v->sample_type) {
		buf_printf(b, "Type: %s\n", v->sample_type);
		label_ends(v, b);
	}
	if (p->doc_url) {
		buf_printf(b, "Doc: %s\n", prof_s(p, p->doc_url));
		label_ends(v, b);
	}
	if (p->time)
		put_time(b, p->time);
	if (p->duration)
		put_duration(v, b);
}

static void put_filters(const struct view *v, struct buf *b)
{
	static const struct {
		enum opt_id id;
		const char *name;
	} f[] = {
	    {OPT_FOCUS, "focus"},
	    {OPT_IGNORE, "ignore"},
	    {OPT_HIDE, "hide"},
	    {OPT_SHOW, "show"},
	    {OPT_SHOW_FROM, "show_from"},
	    {OPT_TAGFOCUS, "tagfocus"},
	    {OPT_TAGIGNORE, "tagignore"},
	    {OPT_TAGSHOW, "tagshow"},
	    {OPT_TAGHIDE, "taghide"},
	};
	bool any = false;
	for (size_t i = 0; i < sizeof f / sizeof f[0]; i++) {
		const char *s = text_of(v->o, f[i].id);
		if (!*s)
			continue;
		if (!any)
			buf_puts(b, "Active filters:\n");
		any = true;
		size_t n = strlen(f[i].name) + 1 + strlen(s), max = 80 - strlen(f[i].name) - 1;
		if (n > 80)
			buf_printf(b, "   %s=%.*s\342\200\246\n", f[i].name, (int)max, s);
		else
			buf_printf(b, "   %s=%s\n", f[i].name, s);
	}
}

static void put_dropped(const struct view *v, struct buf *b, size_t n, const char *what,
    const char *by, double fraction)
{
	if (!n)
		return;
	buf_printf(b, "Dropped %zu %s%s (%s <= ", n, what, n > 1 ? "s" : "", by);
	view_value(v, b, wrap_abs(units_i64((double)v->total * fraction)));
	buf_puts(b, ")\n");
}

void put_trimmed_percent(struct buf *b, int64_t x, int64_t total)
{
	struct buf s = {0};
	size_t i = 0;
	units_percent(&s, x, total);
	while (i < s.n && s.p[i] == ' ')
		i++;
	buf_put(b, s.p + i, s.n - i);
	buf_free(&s);
}

void view_labels(
    struct view *v, struct buf *b, const struct graph *g, size_t dropped_edges, bool all)
{
	int64_t shown = 0;
	for (size_t i = 0; i < g->n; i++)
		prof_sum(&shown, gnode_flat(g->node[i]));
	if (all || !v->compact)
		view_profile_labels(v, b);
	put_filters(v, b);
	buf_puts(b, "Showing nodes accounting for ");
	view_value(v, b, shown);
	buf_puts(b, ", ");
	put_trimmed_percent(b, shown, v->total);
	buf_puts(b, " of ");
	view_value(v, b, v->total);
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
