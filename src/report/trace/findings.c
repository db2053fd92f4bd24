/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* `ttrace findings`: the likely causes of slowness, worst first, with the evidence and a command that shows it. For CI:
   -fail-on sets the exit status, -ignore and -baseline leave out what is known. With -diff_base or -diff_range the
   report begins with what changed. */
#include "config.h"
#include "findings/configured.h"
#include "report/trace/compare.h"
#include "report/trace/internal.h"

#include "base/text/text.h"
#include "report/trace/findings_known.h"
#include "report/trace/findings_profile.h"
#include "trace/stats/file_gaps.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FAILED = 3 };	/* exit status of -fail-on */
enum { FAIL_PROBLEM = 1, FAIL_NOTICE = 2, FAIL_UNANSWERABLE = 4 };

static void json_name(const struct trace_report_ctx *r, struct json *j, const char *key, str_id id)
{
	struct trace_report_text s = trace_report_string(r, id, "");
	json_str(j, key, s.s, s.n);
}

static void json_place(const struct trace_report_ctx *r, struct json *j, frm_id frame)
{
	const struct frm_row *row = store_frm(r->st, frame);
	const struct fun_row *fun = store_fun(r->st, row->fun);
	json_name(r, j, "function", fun->name);
	json_name(r, j, "file", fun->file);
	json_i64(j, "line", row->line);
}

static void json_victim(const struct trace_report_ctx *r, struct json *j, const struct finding_victim *v)
{
	json_object(j, NULL);
	if (v->operation)
		json_text(j, "operation", v->operation);
	if (v->group)
		json_text(j, "group", v->group);
	json_place(r, j, v->at.frame);
	json_end(j);
}

static void json_number(struct json *j, const struct finding_number *v)
{
	if (v->value == floor(v->value) && fabs(v->value) < 1e15)
		json_i64(j, v->name, (int64_t)v->value);
	else
		json_f64(j, v->name, v->value);
}

static void json_finding(const struct trace_report_ctx *r, struct json *j, const struct finding *f)
{
	json_object(j, NULL);
	json_text(j, "rule", finding_rules[f->rule].id);
	json_text(j, "level", finding_level_name(f->level));
	json_f64(j, "score", round(f->score * 10) / 10);
	json_text(j, "score_of", finding_score_of(f));
	json_text(j, "text", f->text);
	json_array(j, "culprits");
	for (uint32_t i = 0; i < f->nculprit; i++) {
		json_object(j, NULL);
		json_place(r, j, f->culprit[i].frame);
		json_end(j);
	}
	json_end(j);
	json_array(j, "victims");
	for (uint32_t i = 0; i < f->nvictim; i++)
		json_victim(r, j, &f->victim[i]);
	json_end(j);
	json_i64(j, "from_ns", f->t0);
	json_i64(j, "to_ns", f->t1);
	json_object(j, "evidence");
	for (uint32_t i = 0; i < f->nnumber; i++)
		json_number(j, &f->number[i]);
	json_end(j);
	json_array(j, "estimated");
	for (uint32_t i = 0; i < f->nnumber; i++)
		if (f->number[i].estimated)
			json_text(j, NULL, f->number[i].name);
	json_end(j);
	json_text(j, "see", f->see);
	json_end(j);
}

/* ---- what the file does not tell */

/* Return the first notice of damage or loss; NULL: there is none. */
static const struct warn_row *first_damage(const struct snap *sn)
{
	for (uint32_t i = 0; i < sn->nwarns; i++) {
		const struct warn_row *w = column_at(&sn->st->warns, i);
		if (!w->aside)
			return w;
	}
	return NULL;
}

static void json_gaps(const struct trace_report_ctx *r, struct json *j)
{
	const struct file_gaps x = file_gaps_find(r->sn, &r->filter);
	const struct warn_row *damage = first_damage(r->sn);
	json_object(j, "not_in_file");
	json_i64(j, "goroutines_ns", x.alive);
	json_i64(j, "unknown_ns", x.unknown);
	json_i64(j, "waiting_ns", x.waiting);
	json_i64(j, "waiting_without_stack_ns", x.no_stack);
	json_bool(j, "damaged", damage != NULL);
	if (damage && damage->at != ERR_NOWHERE)
		json_u64(j, "damaged_at_byte", damage->at);
	json_end(j);
}

/* Append a share of at least one per cent, as a part of the line. Return what separates the next one. */
static const char *put_gap(
    struct buf *b, const char *before, const char *what, int64_t part, int64_t of, const char *whose)
{
	if (part <= 0 || (double)part < 0.01 * (double)of)
		return before;
	buf_printf(b, "%s%s %.0f%% of %s", before, what, text_percent(part, of), whose);
	return ", ";
}

static void put_gaps(const struct trace_report_ctx *r)
{
	static const char first[] = "not in the file: ";
	const struct file_gaps x = file_gaps_find(r->sn, &r->filter);
	const struct warn_row *damage = first_damage(r->sn);
	const char *next = put_gap(r->out, first, "what goroutines did or waited for in", x.unknown, x.alive, "their time");
	next = put_gap(r->out, next, "the stacks of", x.no_stack, x.waiting, "their waiting");
	if (damage)
		buf_printf(r->out, "%swhat is damaged or missing", next);
	if (damage && damage->at != ERR_NOWHERE)
		buf_printf(r->out, ", first at byte %" PRIu64, damage->at);
	if (damage)
		buf_puts(r->out, " (ttrace info)");
	if (damage || next != first)
		buf_putc(r->out, '\n');
}

/* ---- JSON and text */

static void put_json(const struct trace_report_ctx *r, const struct findings *all, const struct comparison *c)
{
	struct json j = {.b = r->out};
	json_object(&j, NULL);
	json_i64(&j, "duration_ns", r->sn->has_trace ? r->sn->t1 - r->sn->t0 : r->sn->meta ? r->sn->meta->duration : 0);
	if (c)
		report_compare_json(&j, c);
	if (all->trigger)
		json_text(&j, "trigger", all->trigger);
	json_array(&j, "findings");
	for (uint32_t i = 0; i < all->n; i++)
		json_finding(r, &j, &all->v[i]);
	json_end(&j);
	json_array(&j, "not_answerable");
	for (uint32_t i = 0; i < all->nunanswered; i++) {
		json_object(&j, NULL);
		json_text(&j, "rule", finding_rules[all->unanswered[i].rule].id);
		json_text(&j, "why", all->unanswered[i].why);
		json_end(&j);
	}
	json_end(&j);
	if (r->sn->has_trace)
		json_gaps(r, &j);
	json_end(&j);
}

enum { LABEL = 10 };
static void put_label(struct buf *b, const char *label)
{
	buf_printf(b, "  %-*s", LABEL, label);
}

static void put_victims(const struct trace_report_ctx *r, const struct finding *f)
{
	for (uint32_t i = 0; i < f->nvictim; i++) {
		const struct finding_victim *v = &f->victim[i];
		const char *name = v->operation ? v->operation : v->group;
		put_label(r->out, i ? "" : "affected");
		if (name)
			text_safe(r->out, name, strlen(name));
		if (v->at.frame) {
			buf_puts(r->out, name ? " at " : "");
			trace_report_put_frame(r, r->out, v->at.frame);
		}
		buf_putc(r->out, '\n');
	}
}

static void put_finding(const struct trace_report_ctx *r, const struct finding *f)
{
	struct buf *b = r->out;
	buf_printf(b, "%s %s: %.0f%% %s\n  %s\n", f->level == FINDING_PROBLEM ? "PROBLEM" : "notice",
	    finding_rules[f->rule].id, f->score, finding_score_of(f), f->text);
	for (uint32_t i = 0; i < f->nculprit; i++) {
		put_label(b, i ? "" : "caused by");
		trace_report_put_frame(r, b, f->culprit[i].frame);
		buf_putc(b, '\n');
	}
	put_victims(r, f);
	put_label(b, "evidence");
	for (uint32_t i = 0; i < f->nnumber; i++) {
		buf_puts(b, i ? ", " : "");
		finding_put_number(b, &f->number[i]);
	}
	buf_putc(b, '\n');
	if (f->t1 > f->t0) {	/* a profile has no times */
		put_label(b, "from");
		text_at(b, f->t0, 100000);
		buf_puts(b, " to ");
		text_at(b, f->t1, 100000);
		buf_putc(b, '\n');
	}
	put_label(b, "see");
	buf_printf(b, "ttrace %s ", f->see);
	text_safe(b, r->o->file[0], strlen(r->o->file[0]));
	buf_puts(b, "\n\n");
}

/* Print the worst findings of each rule, and how many more it has: a long list of one kind hides the others. -rule asks
   for all of a rule; other formats have all. */
static void put_text(const struct trace_report_ctx *r, const struct findings *all)
{
	enum { EACH = 5 };
	uint32_t n[FINDING_RULE__N] = {0};
	bool chosen = trace_report_has_option(r, OPT_RULE);
	if (all->trigger && !chosen)
		buf_printf(r->out, "%s: see ttrace why\n\n", all->trigger);
	for (uint32_t i = 0; i < all->n; i++)
		if (n[all->v[i].rule]++ < EACH || chosen)
			put_finding(r, &all->v[i]);
	for (int k = 0; k < FINDING_RULE__N && !chosen; k++)
		if (n[k] > EACH)
			buf_printf(r->out, "%s: %" PRIu32 " more, less bad; -rule=%s prints all\n\n", finding_rules[k].id, n[k] - EACH,
			    finding_rules[k].id);
	if (!all->n)
		buf_puts(r->out, "nothing stands out\n");
	for (uint32_t i = 0; i < all->nunanswered; i++)
		buf_printf(r->out, "%s: not answerable: %s\n", finding_rules[all->unanswered[i].rule].id,
		    all->unanswered[i].why);
	if (r->sn->has_trace && !chosen)
		put_gaps(r);
}

static void put_table(const struct trace_report_ctx *r, const struct findings *all)
{
	static const struct table_col col[] = {
		{"Level", "level", TB_STR}, {"Rule", "rule", TB_STR}, {"Score", "score", TB_INT},
		{"Function", "function", TB_STR}, {"File", "file", TB_STR}, {"Line", "line", TB_INT},
		{"From", "from_ns", TB_NS}, {"To", "to_ns", TB_NS}, {"Finding", "finding", TB_STR},
	};
	struct table t;
	table_begin(&t, col, sizeof col / sizeof *col);
	for (uint32_t i = 0; i < all->n; i++) {
		const struct finding *f = &all->v[i];
		const struct frm_row *row = store_frm(r->st, f->culprit[0].frame);
		const struct fun_row *fun = store_fun(r->st, row->fun);
		struct trace_report_text name = trace_report_string(r, fun->name, ""),
					 file = trace_report_string(r, fun->file, "");
		const char *level = finding_level_name(f->level), *id = finding_rules[f->rule].id;
		table_str(&t, level, strlen(level));
		table_str(&t, id, strlen(id));
		table_int(&t, (int64_t)round(f->score));
		table_str(&t, name.s, name.n);
		table_str(&t, file.s, file.n);
		table_int(&t, row->line);
		table_int(&t, f->t0);
		table_int(&t, f->t1);
		table_str(&t, f->text, strlen(f->text));
	}
	table_print(&t, r->format, r->out);
	table_free(&t);
}

/* Return FAIL_* flags of -fail-on; -1 with *e for an unknown word. */
static int read_fail_on(const struct options *o, struct err *e)
{
	static const struct { const char *word; int flags; } words[] = {
	    {"problem", FAIL_PROBLEM}, {"notice", FAIL_PROBLEM | FAIL_NOTICE}, {"unanswerable", FAIL_UNANSWERABLE}};
	int flags = 0;
	for (const char *s = options_str(o, OPT_FAIL_ON); s && *s;) {
		size_t n = strcspn(s, ","), i = 0;
		while (i < 3 && (strlen(words[i].word) != n || memcmp(words[i].word, s, n) != 0))
			i++;
		if (i == 3)
			return err_set(e, ERR_USAGE, ERR_NOWHERE,
			    "-fail-on is problem, notice or unanswerable, not \"%.40s\"", s);
		flags |= words[i].flags;
		s += n + (s[n] == ',');
	}
	return flags;
}

/* Set the thresholds of -set, and the rules of -rule. */
static int read_options(
    const struct options *o, struct findings_query *q, double limit[FINDING_THRESHOLD__N], struct err *e)
{
	const struct option_value *set = &o->v[OPT_SET];
	for (int i = 0; i < FINDING_THRESHOLD__N; i++)
		limit[i] = findings_configured_thresholds()[i];
	for (size_t i = 0; i < set->nall; i++)
		if (finding_threshold_set(limit, set->all[i], e))
			return -1;
	q->threshold = limit;
	for (const char *s = options_str(o, OPT_RULE); s && *s;) {
		size_t n = strcspn(s, ",");
		int rule = finding_rule_find(s, n);
		if (rule < 0)
			return err_set(e, ERR_USAGE, ERR_NOWHERE,
			    "-rule: there is no rule \"%.*s\"; see man ttrace-findings",
			    n < 40 ? (int)n : 40, s);
		q->rules |= UINT64_C(1) << rule;
		s += n + (s[n] == ',');
	}
	return 0;
}

/* Return whether a comparison fails: something is worse. */
static bool fails_compared(const struct comparison *c, int fail)
{
	bool worse = compare_worst_kind(c) != COMPARE_NONE;
	for (uint32_t i = 0; i < c->nfindings; i++)
		worse = worse || c->finding[i].change == COMPARE_NEW || c->finding[i].change == COMPARE_WORSE;
	return (fail & (FAIL_PROBLEM | FAIL_NOTICE) && worse) ||
	    (fail & FAIL_UNANSWERABLE && findings_lack_answers(c->findings[COMPARE_AFTER]));
}

static bool fails(const struct findings *all, int fail)
{
	bool problem = false;
	for (uint32_t i = 0; i < all->n; i++)
		problem = problem || all->v[i].level == FINDING_PROBLEM;
	return (fail & FAIL_PROBLEM && problem) || (fail & FAIL_NOTICE && all->n) ||
	    (fail & FAIL_UNANSWERABLE && findings_lack_answers(all));
}

static void put_findings(const struct trace_report_ctx *r, const struct findings *all, const struct comparison *c)
{
	if (r->format == TF_JSON) {
		put_json(r, all, c);
	} else if (r->format != TF_TEXT) {
		if (c)
			report_compare_table(r, c);
		else
			put_table(r, all);
	} else {
		if (c) {
			report_compare_text(r, c);
			buf_puts(r->out, "\nall findings of the later side:\n");
		}
		put_text(r, all);
	}
}

/* Judge and print. sides: those of a profile; NULL: it is a trace, which p compares with another one. */
static int find_and_print(
    struct trace_report_ctx *r, const struct findings_sides *sides, struct report_comparison *p, struct err *e)
{
	double limit[FINDING_THRESHOLD__N];
	struct findings_query q = {.filter = &r->filter, .on = trace_watcher(r->o)};
	int fail = read_fail_on(r->o, e);
	if (fail < 0 || read_options(r->o, &q, limit, e))
		return -1;
	struct findings *all = sides ? findings_of_profile(r->sn, sides, &q, r->mem) : findings_find(r->sn, &q, r->mem);
	if (!all)
		return err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
	if (findings_drop_known(all, r, e) || (!sides && report_compare_open(p, r, &q, all, e)))
		return -1;
	put_findings(r, all, p->c);
	return (p->c ? fails_compared(p->c, fail) : fails(all, fail)) ? FAILED : 0;
}

static int find_in_profile(const struct options *o, struct out *out, struct err *e)
{
	struct findings_profile p;
	struct report_comparison none = {0};
	struct trace_report_ctx r;
	if (findings_profile_open(&p, &r, o, out, e))
		return -1;
	int rc = find_and_print(&r, &p.sides, &none, e);
	findings_profile_close(&p);
	return rc;
}

int report_findings(const struct options *o, struct out *out, struct err *e)
{
	struct trace_report_ctx r;
	int trace = findings_input_is_trace(o, e);
	if (trace <= 0)
		return trace < 0 ? -1 : find_in_profile(o, out, e);
	if (trace_report_open(&r, o, out, e))
		return -1;
	struct report_comparison p = {0};
	int rc = find_and_print(&r, NULL, &p, e);
	report_compare_close(&p);
	trace_report_close(&r);
	return rc;
}
