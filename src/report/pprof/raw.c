/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * raw: the tables of a profile as text, after the filters; folded: a line for
 * each distinct stack of names, root first, as flame graph tools read them.
 */
#include "config.h"
#include "report/pprof/pprof.h"

#include "base/text/pprof_units.h"
#include "report/pprof/profile_report.h"

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

static void put_meta(struct pprof_report *v, struct buf *b)
{
	const struct profile *p = v->p;
	for (size_t i = 0; i < p->meta.ncomment; i++)
		buf_printf(b, "Comment: %s\n", profile_string(p, p->meta.comment[i]));
	if (p->meta.doc_url)
		buf_printf(b, "Doc: %s\n", profile_string(p, p->meta.doc_url));
	buf_printf(
	    b, "PeriodType: %s %s\n", profile_string(p, p->meta.period_type), profile_string(p, p->meta.period_unit));
	buf_printf(b, "Period: %lld\n", (long long)p->meta.period);
	if (p->meta.time)
		put_time(b, p->meta.time);
	if (p->meta.duration) {
		buf_puts(b, "Duration: ");
		pprof_units_duration(b, p->meta.duration, 4);
		buf_putc(b, '\n');
	}
	buf_puts(b, "Samples:\n");
	for (size_t i = 0; i < p->ntype; i++)
		buf_printf(b, "%s%s/%s%s", i ? " " : "", profile_string(p, p->type[i].type),
		    profile_string(p, p->type[i].unit), p->type[i].type == p->meta.default_type ? "[dflt]" : "");
	buf_putc(b, '\n');
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Print all labels of one kind on one line: key:[value value], sorted. */
static void put_labels(const struct profile *p, struct buf *b, struct profile_run r, bool numbers)
{
	if (!r.n)
		return;
	struct arena a = {0};
	char **item = arena_alloc(&a, r.n * sizeof *item);
	size_t n = 0;
	const struct profile_label *l = p->label + r.off;
	for (uint32_t i = 0, k; i < r.n; i = k) {
		bool is_str = l[i].str, units = false;
		struct buf s = {0};
		for (k = i; k < r.n && l[k].key == l[i].key && (l[k].str != 0) == is_str; k++)
			units |= l[k].unit != 0;
		if (is_str == numbers)
			continue;
		buf_printf(&s, "%s:[", profile_string(p, l[i].key));
		for (uint32_t j = i; j < k; j++) {
			buf_puts(&s, j > i ? " " : "");
			if (is_str)
				buf_puts(&s, profile_string(p, l[j].str));
			else
				buf_i64(&s, l[j].num);
			if (units)
				buf_printf(&s, " %s", profile_string(p, l[j].unit));
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

static void put_sample(const struct profile *p, struct buf *b, size_t i)
{
	struct profile_run r = p->stack[p->sample[i].stack], l = p->set[p->sample[i].labels];
	for (size_t k = 0; k < p->ntype; k++)
		buf_printf(b, " %10lld", (long long)profile_value(p, i)[k]);
	buf_puts(b, ": ");
	for (uint32_t k = 0; k < r.n; k++) {
		buf_u64(b, p->loc[profile_frame(p, r.off + k)].id);
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

static void put_location(const struct profile *p, struct buf *b, const struct profile_location *l)
{
	buf_printf(b, "%6llu: ", (unsigned long long)l->id);
	put_hex(b, l->addr);
	buf_putc(b, ' ');
	if (l->map)
		buf_printf(b, "M=%llu ", (unsigned long long)p->map[l->map].id);
	if (l->folded)
		buf_puts(b, "[F] ");
	for (uint32_t i = 0; i < l->nline; i++) {
		const struct profile_line *x = &p->line[l->line + i];
		const struct profile_function *f = &p->fun[x->fun];
		if (i)
			buf_puts(b, "             ");
		buf_put(b, p->str[f->name].s, p->str[f->name].n);
		buf_printf(b, " %s:%lld:%lld s=%lld", profile_string(p, f->file), (long long)x->line, (long long)x->col,
		    (long long)f->line);
		if (f->name != f->sysname)
			buf_printf(b, "(%s)", profile_string(p, f->sysname));
		buf_putc(b, '\n');
	}
	if (!l->nline)
		buf_putc(b, '\n');
}

static void put_mapping(const struct profile *p, struct buf *b, const struct profile_mapping *m)
{
	buf_printf(b, "%llu: ", (unsigned long long)m->id);
	put_hex(b, m->start);
	buf_putc(b, '/');
	put_hex(b, m->limit);
	buf_putc(b, '/');
	put_hex(b, m->offset);
	buf_printf(b, " %s %s %s%s%s%s\n", profile_string(p, m->file), profile_string(p, m->build),
	    m->functions ? "[FN]" : "", m->filenames ? "[FL]" : "", m->lines ? "[LN]" : "",
	    m->inlines ? "[IN]" : "");
}

int report_raw(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	struct buf *b = &out->buf;
	if (pprof_report_open(&v, o, REPORT_RAW, e))
		return -1;
	const struct profile *p = v.p;
	put_meta(&v, b);
	for (size_t i = 0; i < p->nsample && !out->failed; i++) {
		put_sample(p, b, i);
		output_flush(out, false);
	}
	buf_puts(b, "Locations\n");
	for (size_t i = 1; i < p->nloc && !out->failed; i++) {
		put_location(p, b, &p->loc[i]);
		output_flush(out, false);
	}
	buf_puts(b, "Mappings\n");
	for (size_t i = 1; i < p->nmap; i++)
		put_mapping(p, b, &p->map[i]);
	pprof_report_close(&v);
	return 0;
}

/* ---- folded */

static str_id folded_name(struct profile *p, const struct profile_location *l, uint32_t line)
{
	str_id s = l->nline ? p->fun[p->line[l->line + line].fun].name : 0;
	char addr[24];
	if (s)
		return s;
	int n = snprintf(addr, sizeof addr, l->addr ? "0x%llx" : "<unknown>", (unsigned long long)l->addr);
	return profile_add_string(p, addr, (size_t)n);
}

/* The names of each location, innermost first: a small table, because it is used for every frame. */
struct folds {
	const struct profile *p;
	struct { uint32_t at, n; } *loc;
	str_id *name;
};

static struct folds folds_new(struct profile *p)
{
	struct folds f = {p, xcalloc(p->nloc, sizeof *f.loc), NULL};
	size_t n = 0, cap = 0;
	for (size_t i = 1; i < p->nloc; i++) {
		const struct profile_location *l = &p->loc[i];
		uint32_t lines = l->nline ? l->nline : 1;
		f.loc[i].at = (uint32_t)n;
		f.loc[i].n = lines;
		f.name = mem_grow(f.name, &cap, n + lines, sizeof *f.name);
		for (uint32_t j = 0; j < lines; j++)
			f.name[n++] = folded_name(p, l, j);
	}
	return f;
}

static void folds_free(struct folds *f)
{
	mem_free(f->loc);
	mem_free(f->name);
}

/* The names of a stack, root first, in a buffer that is reused. */
struct stack_names { str_id *name; size_t n, cap; };

static void names_of(struct stack_names *to, const struct folds *f, uint32_t stack)
{
	struct profile_run r = f->p->stack[stack];
	to->n = 0;
	for (uint32_t i = r.n; i--;) {
		loc_id loc = profile_frame(f->p, r.off + i);
		uint32_t n = f->loc[loc].n;
		const str_id *name = f->name + f->loc[loc].at;
		to->name = mem_grow(to->name, &to->cap, to->n + n, sizeof *to->name);
		while (n--)
			to->name[to->n++] = name[n];
	}
}

struct folding { const struct folds *f; struct stack_names now, other; };

static int same_names(const void *ctx, uint32_t id, const void *key)
{
	struct folding *k = (void *)(uintptr_t)key;
	(void)ctx;
	names_of(&k->other, k->f, id);
	return k->now.n == k->other.n && !memcmp(k->now.name, k->other.name, k->now.n * sizeof *k->now.name);
}

/* Return for each stack with samples the first stack with equal names; for others PROFILE_DROP. The names are not kept
   but looked up again, because all of them together are as large as the profile. */
static uint32_t *find_equal_stacks(const struct folds *f)
{
	const struct profile *p = f->p;
	struct folding k = {.f = f};
	struct intern index = {0};
	uint32_t *to = xmalloc(p->nstack * sizeof *to);
	memset(to, 0xff, p->nstack * sizeof *to);
	for (size_t i = 0; i < p->nsample; i++)
		to[p->sample[i].stack] = 0;
	for (uint32_t s = 0; s < p->nstack; s++) {
		if (to[s] == PROFILE_DROP)
			continue;
		names_of(&k.now, f, s);
		uint32_t h = k.now.n ? intern_hash_bytes(k.now.name, k.now.n * sizeof *k.now.name, 2) : 0;
		uint32_t id = intern_find(&index, h, same_names, NULL, &k);
		if (id == UINT32_MAX)
			intern_put(&index, h, id = s);
		to[s] = id;
	}
	intern_free(&index);
	mem_free(k.now.name);
	mem_free(k.other.name);
	return to;
}

int report_folded(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	if (pprof_report_open(&v, o, REPORT_FOLDED, e))
		return -1;
	struct profile *p = v.p;
	struct folds f = folds_new(p);
	struct stack_names stack_names = {0};
	uint32_t *to = find_equal_stacks(&f);
	int64_t *sum = xcalloc(p->nstack, sizeof *sum);
	for (size_t i = 0; i < p->nsample; i++)
		profile_sum(&sum[to[p->sample[i].stack]], profile_value(p, i)[v.g.type]);
	for (size_t s = 1; s < p->nstack && !out->failed; s++) {
		if (to[s] != s || !sum[s])
			continue;
		names_of(&stack_names, &f, (uint32_t)s);
		for (size_t i = 0; i < stack_names.n; i++) {
			const struct profile_text *name = &p->str[stack_names.name[i]];
			if (i)
				buf_putc(&out->buf, ';');
			buf_put(&out->buf, name->s, name->n);
		}
		buf_printf(&out->buf, " %lld\n", (long long)sum[s]);
		output_flush(out, false);
	}
	mem_free(sum);
	mem_free(to);
	mem_free(stack_names.name);
	folds_free(&f);
	pprof_report_close(&v);
	return 0;
}
