/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * raw: the tables of a profile as text, after the filters; folded: a line for
 * each distinct stack of names, root first, as flame graph tools read them.
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/text/pprof_units.h"
#include "pprof/frame_text.h"

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

/* Print all labels of one kind on one line: key:[value value], sorted. */
static void put_labels(const struct profile *p, struct buf *b, struct profile_run r, bool numbers)
{
	if (!r.n)
		return;
	struct arena a = {0};
	struct profile_text *item = arena_alloc(&a, r.n * sizeof *item);
	size_t n = 0;
	const struct profile_label *l = p->label + r.off;
	for (uint32_t i = 0, k; i < r.n; i = k) {
		bool is_str = l[i].str, units = false;
		struct buf s = {0};
		for (k = i; k < r.n && l[k].key == l[i].key && (l[k].str != 0) == is_str; k++)
			units |= l[k].unit != 0;
		if (is_str == numbers)
			continue;
		pprof_put_name(&s, p, l[i].key);
		buf_puts(&s, ":[");
		for (uint32_t j = i; j < k; j++) {
			buf_puts(&s, j > i ? " " : "");
			if (is_str)
				pprof_put_name(&s, p, l[j].str);
			else
				buf_i64(&s, l[j].num);
			if (units) {
				buf_putc(&s, ' ');
				pprof_put_name(&s, p, l[j].unit);
			}
		}
		buf_putc(&s, ']');
		item[n++] = (struct profile_text){arena_strndup(&a, s.p, s.n), (uint32_t)s.n};
		buf_free(&s);
	}
	qsort(item, n, sizeof *item, pprof_compare_text);
	for (size_t i = 0; i < n; i++) {
		buf_puts(b, i ? " " : "                ");
		buf_put(b, item[i].s, item[i].n);
	}
	if (n)
		buf_putc(b, '\n');
	arena_free(&a);
}

static void put_sample(
    const struct profile *p, struct buf *b, size_t i, struct profile_frames *frames, struct frame_text *ids)
{
	struct profile_run l = p->set[p->sample[i].labels];
	for (size_t k = 0; k < p->ntype; k++)
		buf_printf(b, " %10lld", (long long)profile_value(p, i)[k]);
	buf_puts(b, ": ");
	frame_text_put(ids, b, profile_frames_at(frames, i), false);
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
	struct profile_frames frames = {.p = p};
	struct frame_text ids = {0};
	put_meta(&v, b);
	for (size_t i = 0; i < p->nloc; i++) {
		buf_u64(&ids.text, p->loc[i].id);
		buf_putc(&ids.text, ' ');
		frame_text_end(&ids);
	}
	for (size_t i = 0; i < p->nsample && !out->failed; i++) {
		put_sample(p, b, i, &frames, &ids);
		output_flush(out, false);
	}
	profile_frames_free(&frames);
	frame_text_free(&ids);
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

/* The format has no escapes. What would end a line becomes \xNN, and what would end a frame a colon. */
static str_id folded_text(struct profile *p, str_id name)
{
	struct profile_text t = p->str[name];
	struct buf b = {0};
	if (!t.n || (!memchr(t.s, '\n', t.n) && !memchr(t.s, '\r', t.n) && !memchr(t.s, ';', t.n)))
		return name;
	for (uint32_t i = 0; i < t.n; i++)
		if (t.s[i] == '\r' || t.s[i] == '\n')
			buf_printf(&b, "\\x%02x", (unsigned char)t.s[i]);
		else
			buf_putc(&b, t.s[i] == ';' ? ':' : t.s[i]);
	name = profile_add_string(p, b.p, b.n);
	buf_free(&b);
	return name;
}

static str_id folded_name(struct profile *p, const struct profile_location *l, uint32_t line)
{
	str_id s = l->nline ? p->fun[p->line[l->line + line].fun].name : 0;
	char addr[24];
	if (s)
		return folded_text(p, s);
	int n = snprintf(addr, sizeof addr, l->addr ? "0x%llx" : "<unknown>", (unsigned long long)l->addr);
	return profile_add_string(p, addr, (size_t)n);
}

/* The names of the lines of each location, innermost first. */
struct folded_names { struct stack_frames *range; str_id *name; struct profile_text *text; };

static struct folded_names folded_names_new(struct profile *p)
{
	struct folded_names f = {.range = xcalloc(p->nloc, sizeof *f.range)};
	size_t n = 0, cap = 0;
	for (size_t i = 1; i < p->nloc; i++) {
		const struct profile_location *l = &p->loc[i];
		f.range[i] = (struct stack_frames){(uint32_t)n, l->nline ? l->nline : 1};
		f.name = mem_grow(f.name, &cap, n + f.range[i].n, sizeof *f.name);
		for (uint32_t k = 0; k < f.range[i].n; k++)
			f.name[n++] = folded_name(p, l, k);
	}
	f.text = xmalloc((n + 1) * sizeof *f.text);
	for (size_t i = 0; i < n; i++)
		f.text[i] = p->str[f.name[i]];
	return f;
}

static void folded_names_free(struct folded_names *f)
{
	mem_free(f->range);
	mem_free(f->name);
	mem_free(f->text);
}

static void put_folded(
    struct buf *b, const struct folded_names *names, const struct profile_frame_list *stack, int64_t weight)
{
	size_t from = b->n;
	for (size_t i = stack->n; i--;) {
		struct stack_frames r = names->range[stack->frame[i]];
		for (uint32_t k = r.n; k--;) {
			struct profile_text name = names->text[r.first + k];
			char *to = buf_reserve(b, name.n + 1u);
			memcpy(to, name.s, name.n);
			to[name.n] = ';';
			b->n += name.n + 1u;
		}
	}
	if (b->n > from)
		b->p[b->n - 1] = ' ';
	buf_i64(b, weight);
	buf_putc(b, '\n');
}

/* Return, by stack, the first stack with equal names: both end at one node of the tree of names. */
static uint32_t *first_equal_stacks(const struct profile *p, const struct folded_names *names)
{
	struct stack_tree tree = {0};
	uint32_t *node = stack_tree_translate(&tree, &p->tree, names->range, names->name);
	uint32_t *equal = xcalloc(p->nstack, sizeof *equal), *first = xcalloc(tree.n, sizeof *first);
	stack_tree_free(&tree);
	for (size_t s = 1; s < p->nstack; s++) {
		uint32_t *f = &first[node[p->stack[s]]];
		*f = *f ? *f : (uint32_t)s;
		equal[s] = *f;
	}
	mem_free(node);
	mem_free(first);
	return equal;
}

int report_folded(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	if (pprof_report_open(&v, o, REPORT_FOLDED, e))
		return -1;
	struct profile *p = v.p;
	profile_drop_unused_stacks(p);
	struct folded_names names = folded_names_new(p);
	uint32_t *equal = first_equal_stacks(p, &names);
	int64_t *sum = xcalloc(p->nstack, sizeof *sum);
	struct profile_frames frames = {.p = p, .stacks = true};
	for (size_t i = 0; i < p->nsample; i++)
		profile_sum(&sum[equal[p->sample[i].stack]], profile_value(p, i)[v.g.type]);
	for (size_t s = 1; s < p->nstack && !out->failed; s++) {
		if (!sum[s])
			continue;
		put_folded(&out->buf, &names, profile_frames_at(&frames, s), sum[s]);
		output_flush(out, false);
	}
	mem_free(sum);
	mem_free(equal);
	folded_names_free(&names);
	profile_frames_free(&frames);
	pprof_report_close(&v);
	return 0;
}
