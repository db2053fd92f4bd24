/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * raw: the tables of a profile as text, after the filters; folded: a line a
 * distinct stack of names, root first, as flame graph tools read them.
 */
#include "config.h"
#include "report/pprof.h"

#include "base/units.h"
#include "report/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put_time(struct buf *b, int64_t ns)
{
	int64_t sec = ns / 1000000000, frac = ns % 1000000000;
	sec -= frac < 0;
	frac += frac < 0 ? 1000000000 : 0;
	time_t t = (time_t)sec;
	struct tm tm;
	char day[40], zone[40], digits[16];
	if (!localtime_r(&t, &tm) || !strftime(day, sizeof day, "%Y-%m-%d %H:%M:%S", &tm) ||
	    !strftime(zone, sizeof zone, "%z %Z", &tm))
		return;
	buf_printf(b, "Time: %s", day);
	int n = snprintf(digits, sizeof digits, ".%09d", (int)frac);
	while (n && (digits[n - 1] == '0' || digits[n - 1] == '.'))
		n--;
	buf_put(b, digits, (size_t)n);
	buf_printf(b, " %s\n", zone);
}

static void put_meta(struct view *v, struct buf *b)
{
	const struct prof *p = v->p;
	for (size_t i = 0; i < p->ncomment; i++)
		buf_printf(b, "Comment: %s\n", prof_s(p, p->comment[i]));
	if (p->doc_url)
		buf_printf(b, "Doc: %s\n", prof_s(p, p->doc_url));
	buf_printf(b, "PeriodType: %s %s\n", prof_s(p, p->period_type), prof_s(p, p->period_unit));
	buf_printf(b, "Period: %lld\n", (long long)p->period);
	if (p->time)
		put_time(b, p->time);
	if (p->duration) {
		buf_puts(b, "Duration: ");
		units_duration(b, p->duration, 4);
		buf_putc(b, '\n');
	}
	buf_puts(b, "Samples:\n");
	for (size_t i = 0; i < p->ntype; i++)
		buf_printf(b, "%s%s/%s%s", i ? " " : "", prof_s(p, p->type[i].type),
		    prof_s(p, p->type[i].unit), p->type[i].type == p->default_type ? "[dflt]" : "");
	buf_putc(b, '\n');
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All labels of one sort: key:[value value], sorted, on one line. */
static void put_labels(const struct prof *p, struct buf *b, struct prof_run r, bool numbers)
{
	struct arena a = {0};
	char **item = arena_alloc(&a, (r.n + 1u) * sizeof *item);
	size_t n = 0;
	const struct prof_label *l = p->label + r.off;
	for (uint32_t i = 0, k; i < r.n; i = k) {
		bool is_str = l[i].str, units = false;
		struct buf s = {0};
		for (k = i; k < r.n && l[k].key == l[i].key && (l[k].str != 0) == is_str; k++)
			units |= l[k].unit != 0;
		if (is_str == numbers)
			continue;
		buf_printf(&s, "%s:[", prof_s(p, l[i].key));
		for (uint32_t j = i; j < k; j++) {
			buf_puts(&s, j > i ? " " : "");
			if (is_str)
				buf_puts(&s, prof_s(p, l[j].str));
			else
				buf_i64(&s, l[j].num);
			if (units)
				buf_printf(&s, " %s", prof_s(p, l[j].unit));
		}
		buf_putc(&s, ']');
		item[n++] = arena_strndup(&a, s.p, s.n);
		buf_free(&s);
	}
	qsort(item, n, sizeof *item, by_text);
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%s%s", i ? " " : "                ", item[i]);
	if (n)
		buf_putc(b, '\n');
	arena_free(&a);
}

static void put_sample(const struct prof *p, struct buf *b, size_t i)
{
	struct prof_run r = p->stack[p->sample[i].stack], l = p->set[p->sample[i].labels];
	for (size_t k = 0; k < p->ntype; k++)
		buf_printf(b, " %10lld", (long long)prof_value(p, i)[k]);
	buf_puts(b, ": ");
	for (uint32_t k = 0; k < r.n; k++) {
		buf_u64(b, p->loc[prof_frame(p, r.off + k)].id);
		buf_putc(b, ' ');
	}
	buf_putc(b, '\n');
	put_labels(p, b, l, false);
	put_labels(p, b, l, true);
}

static void put_hex(struct buf *b, uint64_t v)
{
	buf_puts(b, "0x");
	buf_hex(b, v);
}

static void put_location(const struct prof *p, struct buf *b, const struct prof_loc *l)
{
	buf_printf(b, "%6llu: ", (unsigned long long)l->id);
	put_hex(b, l->addr);
	buf_putc(b, ' ');
	if (l->map)
		buf_printf(b, "M=%llu ", (unsigned long long)p->map[l->map].id);
	if (l->folded)
		buf_puts(b, "[F] ");
	for (uint32_t i = 0; i < l->nline; i++) {
		const struct prof_line *x = &p->line[l->line + i];
		const struct prof_fun *f = &p->fun[x->fun];
		if (i)
			buf_puts(b, "             ");
		buf_put(b, p->str[f->name].s, p->str[f->name].n);
		buf_printf(b, " %s:%lld:%lld s=%lld", prof_s(p, f->file), (long long)x->line, (long long)x->col,
		    (long long)f->line);
		if (f->name != f->sysname)
			buf_printf(b, "(%s)", prof_s(p, f->sysname));
		buf_putc(b, '\n');
	}
	if (!l->nline)
		buf_putc(b, '\n');
}

static void put_mapping(const struct prof *p, struct buf *b, const struct prof_map *m)
{
	buf_printf(b, "%llu: ", (unsigned long long)m->id);
	put_hex(b, m->start);
	buf_putc(b, '/');
	put_hex(b, m->limit);
	buf_putc(b, '/');
	put_hex(b, m->offset);
	buf_printf(b, " %s %s %s%s%s%s\n", prof_s(p, m->file), prof_s(p, m->build),
	    m->functions ? "[FN]" : "", m->filenames ? "[FL]" : "", m->lines ? "[LN]" : "",
	    m->inlines ? "[IN]" : "");
}

int report_raw(const struct opt *o, struct out *out, struct err *e)
{
	struct view v;
	struct buf *b = &out->buf;
	if (view_open(&v, o, V_RAW, e))
		return -1;
	const struct prof *p = v.p;
	put_meta(&v, b);
	for (size_t i = 0; i < p->nsample && !out->failed; i++) {
		put_sample(p, b, i);
		out_flush(out, false);
	}
	buf_puts(b, "Locations\n");
	for (size_t i = 1; i < p->nloc && !out->failed; i++) {
		put_location(p, b, &p->loc[i]);
		out_flush(out, false);
	}
	buf_puts(b, "Mappings\n");
	for (size_t i = 1; i < p->nmap; i++)
		put_mapping(p, b, &p->map[i]);
	view_close(&v);
	return 0;
}

/* ---- folded */

static str_id folded_name(struct prof *p, const struct prof_loc *l, uint32_t line)
{
	str_id s = l->nline ? p->fun[p->line[l->line + line].fun].name : 0;
	char addr[24];
	if (s)
		return s;
	int n = snprintf(addr, sizeof addr, l->addr ? "0x%llx" : "<unknown>", (unsigned long long)l->addr);
	return prof_str(p, addr, (size_t)n);
}

/* Stacks of names, root first, interned as what they are here: runs of ids. */
static void fold(struct prof *p, struct prof *names, uint32_t *to)
{
	str_id *run = NULL;
	size_t cap = 0;
	for (size_t s = 0; s < p->nstack; s++) {
		struct prof_run r = p->stack[s];
		size_t n = 0;
		for (uint32_t i = r.n; i-- && to[s];) {
			const struct prof_loc *l = &p->loc[prof_frame(p, r.off + i)];
			for (uint32_t j = l->nline ? l->nline : 1; j--;) {
				run = mem_grow(run, &cap, n + 1, sizeof *run);
				run[n++] = folded_name(p, l, j);
			}
		}
		to[s] = prof_stack(names, run, n);
	}
	mem_free(run);
}

int report_folded(const struct opt *o, struct out *out, struct err *e)
{
	struct view v;
	if (view_open(&v, o, V_FOLDED, e))
		return -1;
	struct prof *p = v.p, *names = prof_new();
	uint32_t *to = xcalloc(p->nstack, sizeof *to);
	for (size_t i = 0; i < p->nsample; i++)
		to[p->sample[i].stack] = 1; /* used */
	fold(p, names, to);
	int64_t *sum = xcalloc(names->nstack, sizeof *sum);
	for (size_t i = 0; i < p->nsample; i++)
		prof_sum(&sum[to[p->sample[i].stack]], prof_value(p, i)[v.g.type]);
	for (size_t s = 1; s < names->nstack && !out->failed; s++) {
		struct prof_run r = names->stack[s];
		for (uint32_t i = 0; i < r.n && sum[s]; i++) {
			const struct pstr *name = &p->str[prof_frame(names, r.off + i)];
			buf_puts(&out->buf, i ? ";" : "");
			buf_put(&out->buf, name->s, name->n);
		}
		if (sum[s])
			buf_printf(&out->buf, " %lld\n", (long long)sum[s]);
		out_flush(out, false);
	}
	mem_free(sum);
	mem_free(to);
	prof_free(names);
	view_close(&v);
	return 0;
}
