/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What differs between the operations and findings of two sides. Text shows what changed; the other formats have all
 * amounts, also those within the spread.
 */
#include "config.h"
#include "report/trace/compare.h"

#include "base/text/path.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "report/trace/findings_known.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static int take_rest(struct compare_query *q, struct operation_criteria *c, const struct trace_report_ctx *r,
    struct err *e)
{
	if (!trace_report_has_option(r, OPT_OPERATION) || r->match.by_id)
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "why -rest compares slow operations with the others: it requires -operation=NAME");
	q->lo = c->lo;
	q->hi = c->hi;
	c->lo = c->hi = TIME_NONE;
	q->in[COMPARE_BEFORE].part = COMPARE_REST;
	q->in[COMPARE_AFTER].part = COMPARE_SLOW;
	return 0;
}

/* Find the findings of the earlier side; those that are known are left out on both sides. */
static int find_before(struct report_comparison *p, const struct findings_query *q, struct compare_query *to, struct err *e)
{
	struct findings_query of = *q;
	of.filter = &p->earlier.r.filter;
	to->findings[COMPARE_BEFORE] = findings_find(p->earlier.r.sn, &of, p->earlier.r.mem);
	if (!to->findings[COMPARE_BEFORE])
		return err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
	return findings_drop_known(to->findings[COMPARE_BEFORE], &p->earlier.r, e);
}

int report_compare_open(struct report_comparison *p, struct trace_report_ctx *r, const struct findings_query *findings,
    struct findings *after, struct err *e)
{
	struct operation_criteria c = {.lo = r->match.span.lo, .hi = r->match.span.hi, .whole = TASK_ANY,
	    .kind = r->match.operation ? r->match.operation : r->match.task, .by_id = r->match.by_id,
	    .id = r->match.span.id};
	struct compare_query q = {.in = {{r->sn, &r->filter, COMPARE_ALL}, {r->sn, &r->filter, COMPARE_ALL}},
	    .criteria = &c, .lo = TIME_NONE, .hi = TIME_NONE, .on = trace_watcher(r->o)};
	int earlier = report_earlier_open(&p->earlier, r, e);
	bool rest = options_bool(r->o, OPT_REST);
	if (earlier < 0 || (rest && take_rest(&q, &c, r, e)))
		return -1;
	if (!earlier && !rest)
		return 0;
	if (earlier)
		q.in[COMPARE_BEFORE] = (struct compare_input){p->earlier.r.sn, &p->earlier.r.filter, COMPARE_ALL};
	if (findings && find_before(p, findings, &q, e))
		return -1;
	q.findings[COMPARE_AFTER] = after;
	p->c = compare_sides(&q, r->mem);
	return p->c ? 0 : err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
}

void report_compare_close(struct report_comparison *p)
{
	report_earlier_close(&p->earlier);
}

/* ---- text */

static int64_t rounded(double v)
{
	return wrap_clamp(round(v));
}

static void put_change(struct table *t, enum compare_change c)
{
	const char *name = compare_change_name(c);
	table_str(t, name, strlen(name));
}

static void put_kinds(const struct trace_report_ctx *r, const struct comparison *c)
{
	static const struct table_col col[] = {
		{"Change", "change", TB_STR}, {"Count", "", TB_INT}, {"before", "", TB_INT}, {"p50", "", TB_NS},
		{"before", "", TB_NS}, {"p99", "", TB_NS}, {"before", "", TB_NS}, {"Mean", "", TB_NS},
		{"before", "", TB_NS}, {"Operation", "operation", TB_STR},
	};
	struct table t;
	table_begin(&t, col, sizeof col / sizeof *col);
	for (uint32_t i = 0; i < c->nkinds; i++) {
		const struct compare_kind *k = &c->kind[i];
		put_change(&t, k->change);
		table_int(&t, k->n[COMPARE_AFTER]);
		table_int(&t, k->n[COMPARE_BEFORE]);
		for (int m = COMPARE_P50; m <= COMPARE_MEAN; m++)
			for (int s = COMPARE_SIDES; s-- > 0;)
				if (k->n[s])
					table_int(&t, rounded(k->amount[m].at[s].value));
				else
					table_none(&t);
		table_str(&t, k->name, k->nname);
	}
	table_print(&t, TF_TEXT, r->out);
	table_free(&t);
}

static void put_place(struct table *t, const struct compare_kind *k, const struct compare_place *p)
{
	struct buf b = {0};
	size_t n;
	const char *file = path_base(p->file, strlen(p->file), &n);
	put_change(t, p->ns.change);
	table_int(t, rounded(p->ns.at[COMPARE_AFTER].value));
	table_int(t, rounded(p->ns.at[COMPARE_BEFORE].value));
	table_str(t, k->name, k->nname);
	buf_printf(&b, "%s%s", p->up == COMPARE_NONE ? "" : "  waits for ", time_class_name(p->cls));
	table_str(t, b.p, b.n);
	buf_reset(&b);
	buf_puts(&b, p->function);
	if (*p->file)
		buf_printf(&b, " %.*s:%lld", (int)n, file, (long long)p->line);
	table_str(t, b.n ? b.p : "", b.n);
	buf_free(&b);
}

static bool is_marked(const struct compare_place *p)
{
	return p->ns.change == COMPARE_WORSE || p->ns.change == COMPARE_BETTER;
}

/* The places of a kind that changed, each with what it waits for; at most a few of both. */
static uint32_t put_places_of(struct table *t, const struct compare_kind *k)
{
	enum { OWN = 8, BELOW = 3 };
	uint32_t n = 0;
	for (uint32_t i = 0; i < k->nplaces && n < OWN; i++) {
		if (k->place[i].up != COMPARE_NONE || !is_marked(&k->place[i]))
			continue;
		n++;
		put_place(t, k, &k->place[i]);
		uint32_t below = 0;
		for (uint32_t j = k->place[i].below; j != COMPARE_NONE && below < BELOW; j = k->place[j].next)
			if (is_marked(&k->place[j])) {
				below++;
				put_place(t, k, &k->place[j]);
			}
	}
	return n;
}

static void put_places(const struct trace_report_ctx *r, const struct comparison *c)
{
	static const struct table_col col[] = {
		{"Change", "change", TB_STR}, {"Mean", "", TB_NS}, {"before", "", TB_NS},
		{"Operation", "operation", TB_STR}, {"Class", "class", TB_STR}, {"Where", "where", TB_STR},
	};
	struct table t;
	uint32_t n = 0;
	table_begin(&t, col, sizeof col / sizeof *col);
	for (uint32_t i = 0; i < c->nkinds; i++)
		n += put_places_of(&t, &c->kind[i]);
	if (n) {
		buf_puts(r->out, "\nwhere an operation's time changed, by its critical path:\n");
		table_print(&t, TF_TEXT, r->out);
	}
	table_free(&t);
}

static void put_findings(const struct trace_report_ctx *r, const struct comparison *c)
{
	for (uint32_t i = 0; i < c->nfindings; i++) {
		const struct compare_finding *f = &c->finding[i];
		const struct finding *of = f->at[COMPARE_AFTER] ? f->at[COMPARE_AFTER] : f->at[COMPARE_BEFORE];
		buf_printf(r->out, "%s%s %s: %s\n", i ? "" : "\n", compare_change_name(f->change),
		    finding_rules[of->rule].id, of->text);
	}
}

void report_compare_text(const struct trace_report_ctx *r, const struct comparison *c)
{
	compare_put_headline(r->out, c);
	buf_puts(r->out, "\n\n");
	uint32_t unread = compare_unread_kinds(c);
	if (unread)
		buf_printf(r->out, "incomplete: of %" PRIu32 " of %" PRIu32 " kinds of operations only durations are compared: the "
		    "critical paths of the others are too long to read more\n\n", unread, c->nkinds);
	if (c->nkinds)
		put_kinds(r, c);
	put_places(r, c);
	put_findings(r, c);
}

/* ---- tables */

static void put_amount(struct table *t, const struct compare_kind *k, const char *measure, enum time_class cls,
    const struct compare_place *p, const struct compare_amount *a)
{
	const char *class_name = cls == TIME_CLASS__N ? "" : time_class_name(cls);
	put_change(t, a->change);
	table_str(t, k->name, k->nname);
	table_str(t, measure, strlen(measure));
	table_str(t, class_name, strlen(class_name));
	table_int(t, rounded(a->at[COMPARE_BEFORE].value));
	table_int(t, rounded(a->at[COMPARE_AFTER].value));
	table_str(t, p ? p->function : "", p ? strlen(p->function) : 0);
	table_str(t, p ? p->file : "", p ? strlen(p->file) : 0);
	if (p && *p->file)
		table_int(t, p->line);
	else
		table_none(t);
}

static void put_amounts(struct table *t, const struct compare_kind *k)
{
	for (int m = COMPARE_P50; m <= COMPARE_MEAN; m++)
		put_amount(t, k, compare_measure_name((enum compare_measure)m), TIME_CLASS__N, NULL, &k->amount[m]);
	for (uint32_t i = 0; i < k->nplaces; i++)
		put_amount(t, k, k->place[i].up == COMPARE_NONE ? "place" : "cause", k->place[i].cls, &k->place[i],
		    &k->place[i].ns);
}

void report_compare_table(const struct trace_report_ctx *r, const struct comparison *c)
{
	static const struct table_col col[] = {
		{"Change", "change", TB_STR}, {"Operation", "operation", TB_STR}, {"Measure", "measure", TB_STR},
		{"Class", "class", TB_STR}, {"Before", "before_ns", TB_NS}, {"After", "after_ns", TB_NS},
		{"Function", "function", TB_STR}, {"File", "file", TB_STR}, {"Line", "line", TB_INT},
	};
	struct table t;
	table_begin(&t, col, sizeof col / sizeof *col);
	for (uint32_t i = 0; i < c->nkinds; i++)
		put_amounts(&t, &c->kind[i]);
	table_print(&t, r->format, r->out);
	table_free(&t);
}

/* ---- JSON */

static void json_amount(struct json *j, const char *key, const struct compare_amount *a, bool ns)
{
	static const char *const side[] = {"before", "after"};
	json_object(j, key);
	json_text(j, "change", compare_change_name(a->change));
	for (int s = 0; s < COMPARE_SIDES; s++) {
		const struct compare_value *v = &a->at[s];
		const double part[] = {v->value, v->lo, v->hi};
		static const char *const name[] = {"value", "low", "high"};
		json_object(j, side[s]);
		for (int i = 0; i < 3; i++)
			if (ns)
				json_i64(j, name[i], rounded(part[i]));
			else
				json_f64(j, name[i], part[i]);
		json_end(j);
	}
	json_end(j);
}

static void json_begin_place(struct json *j, const struct compare_place *p)
{
	json_object(j, NULL);
	json_text(j, "class", time_class_name(p->cls));
	json_text(j, "function", p->function);
	json_text(j, "file", p->file);
	json_i64(j, "line", p->line);
	json_amount(j, "ns", &p->ns, true);
}

/* The list of what the place waits for is of the same form, and its members wait for nothing. */
static void json_below(struct json *j, const struct compare_kind *k, uint32_t i)
{
	json_array(j, "waits_for");
	for (i = k->place[i].below; i != COMPARE_NONE; i = k->place[i].next) {
		json_begin_place(j, &k->place[i]);
		json_end(j);
	}
	json_end(j);
}

static void json_places(struct json *j, const struct compare_kind *k)
{
	json_array(j, "sites");
	for (uint32_t i = 0; i < k->nplaces && k->place[i].up == COMPARE_NONE; i++) {
		json_begin_place(j, &k->place[i]);
		json_below(j, k, i);
		json_end(j);
	}
	json_end(j);
}

static void json_classes(struct json *j, const struct compare_kind *k)
{
	json_object(j, "classes");
	for (int i = 0; i < TIME_CLASS__N; i++)
		if (k->class_ns[i].at[COMPARE_BEFORE].value > 0 || k->class_ns[i].at[COMPARE_AFTER].value > 0)
			json_amount(j, time_class_name((enum time_class)i), &k->class_ns[i], true);
	json_end(j);
}

static void json_kind(struct json *j, const struct compare_kind *k)
{
	json_object(j, NULL);
	json_str(j, "name", k->name, k->nname);
	json_text(j, "found_by", operations_source_name(k->source));
	json_text(j, "change", compare_change_name(k->change));
	json_bool(j, "paths_read", k->walked);
	json_object(j, "count");
	json_i64(j, "before", k->n[COMPARE_BEFORE]);
	json_i64(j, "after", k->n[COMPARE_AFTER]);
	json_end(j);
	json_amount(j, "p50_ns", &k->amount[COMPARE_P50], true);
	json_amount(j, "p99_ns", &k->amount[COMPARE_P99], true);
	json_amount(j, "mean_ns", &k->amount[COMPARE_MEAN], true);
	json_amount(j, "per_second", &k->amount[COMPARE_RATE], false);
	json_classes(j, k);
	json_places(j, k);
	json_end(j);
}

static void json_finding(struct json *j, const struct compare_finding *f)
{
	const struct finding *before = f->at[COMPARE_BEFORE], *after = f->at[COMPARE_AFTER];
	const struct finding *of = after ? after : before;
	json_object(j, NULL);
	json_text(j, "change", compare_change_name(f->change));
	json_text(j, "rule", finding_rules[of->rule].id);
	json_text(j, "text", of->text);
	if (before)
		json_f64(j, "score_before", round(before->score * 10) / 10);
	if (after)
		json_f64(j, "score_after", round(after->score * 10) / 10);
	json_end(j);
}

void report_compare_json(struct json *j, const struct comparison *c)
{
	struct buf b = {0};
	compare_put_headline(&b, c);
	json_object(j, "changes");
	json_str(j, "text", b.p, b.n);
	json_bool(j, "complete", !compare_unread_kinds(c));
	json_array(j, "kinds");
	for (uint32_t i = 0; i < c->nkinds; i++)
		json_kind(j, &c->kind[i]);
	json_end(j);
	json_array(j, "findings");
	for (uint32_t i = 0; i < c->nfindings; i++)
		json_finding(j, &c->finding[i]);
	json_end(j);
	json_end(j);
	buf_free(&b);
}
