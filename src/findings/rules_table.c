/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* The rows of rules.def as tables, and thresholds as words: "stw.longest=5ms". */
#include "config.h"
#include "findings/findings.h"

#include "base/text/buf.h"
#include "base/text/text.h"
#include "base/wrap_math.h"

#include <stdlib.h>
#include <string.h>

const struct finding_rule_row finding_rules[FINDING_RULE__N] = {
#define RULE(id, name, title, judge, needs, fires, cause, action, example) {name, title, fires, cause, action, example},
#define THRESHOLD(rule, id, name, value, unit, text)
#include "findings/rules.def"
#undef RULE
#undef THRESHOLD
};

const struct finding_threshold_row finding_thresholds[FINDING_THRESHOLD__N] = {
#define RULE(id, name, title, judge, needs, fires, cause, action, example)
#define THRESHOLD(rule, id, name, value, unit, text) {FINDING_##rule, name, value, unit, text},
#include "findings/rules.def"
#undef RULE
#undef THRESHOLD
};

static const char *const scores[FINDING_RULE__N] = {
#define RULE(id, name, title, judge, needs, fires, cause, action, example)
#define THRESHOLD(rule, id, name, value, unit, text)
#define SCORE_OF(rule, text) [FINDING_##rule] = text,
#include "findings/rules.def"
#undef RULE
#undef THRESHOLD
};

const char *finding_score_of(const struct finding *f)
{
	return f->score_of ? f->score_of : scores[f->rule];
}

const char *finding_level_name(enum finding_level level)
{
	return level == FINDING_PROBLEM ? "problem" : "notice";
}

int finding_rule_find(const char *id, size_t n)
{
	for (int i = 0; i < FINDING_RULE__N; i++)
		if (strlen(finding_rules[i].id) == n && !memcmp(finding_rules[i].id, id, n))
			return i;
	return -1;
}

static int threshold_find(const char *words, size_t n)
{
	const char *dot = memchr(words, '.', n);
	int rule = dot ? finding_rule_find(words, (size_t)(dot - words)) : -1;
	for (int i = 0; rule >= 0 && i < FINDING_THRESHOLD__N; i++) {
		const struct finding_threshold_row *t = &finding_thresholds[i];
		size_t rest = n - (size_t)(dot + 1 - words);
		if ((int)t->rule == rule && strlen(t->name) == rest && !memcmp(t->name, dot + 1, rest))
			return i;
	}
	return -1;
}

/* Parse "5ms", "20%", "0.2", "3", "64MB" as the unit demands. */
static bool parse_value(const char *s, enum finding_unit unit, double *value)
{
	static const char units[] = "kmgt";
	int64_t ns;
	char *end;
	if (unit == LIMIT_NS) {
		if (!text_parse_ns(s, &ns))
			return false;
		*value = (double)ns;
		return ns >= 0;
	}
	*value = strtod(s, &end);
	if (end == s || !(*value >= 0) || *value > 1e18)
		return false;
	const char *letter = unit == LIMIT_BYTES && *end ? strchr(units, *end | 0x20) : NULL;
	if (letter) {
		for (const char *u = units; u <= letter; u++)
			*value *= 1024;
		end++;
	}
	if (unit == LIMIT_BYTES && *end == 'B')
		end++;
	if (unit == LIMIT_SHARE && *end == '%') {
		*value /= 100;
		end++;
	}
	return !*end;
}

int finding_threshold_set(double threshold[FINDING_THRESHOLD__N], const char *words, struct err *e)
{
	const char *equals = strchr(words, '=');
	int i = equals ? threshold_find(words, (size_t)(equals - words)) : -1;
	double value;
	if (i < 0)
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "a threshold requires RULE.NAME=VALUE, like stw.longest=5ms, not \"%.60s\"; see man ttrace-findings",
		    words);
	if (!parse_value(equals + 1, finding_thresholds[i].unit, &value))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "threshold %.60s: \"%.40s\" is not a %s", words, equals + 1,
		    finding_thresholds[i].unit == LIMIT_NS ? "duration, like 5ms"
			: finding_thresholds[i].unit == LIMIT_SHARE ? "share, like 20%" : "number");
	threshold[i] = value;
	return 0;
}

/* Append a threshold's value as finding_threshold_set() reads it. */
static void put_threshold(struct buf *b, enum finding_threshold i, double value)
{
	switch (finding_thresholds[i].unit) {
	case LIMIT_NS: text_ns(b, wrap_clamp(value)); break;
	case LIMIT_SHARE: buf_printf(b, "%g%%", 100 * value); break;
	case LIMIT_BYTES: text_bytes(b, wrap_clamp(value)); break;
	case LIMIT_NUMBER: buf_printf(b, "%g", value); break;
	}
}

void finding_print_rules(struct buf *b)
{
	for (int i = 0; i < FINDING_RULE__N; i++) {
		const struct finding_rule_row *r = &finding_rules[i];
		buf_printf(b, "rule\t%s\t%s\t%s\t%s\t%s\t%s\n", r->id, r->title, r->fires, r->cause, r->action,
		    r->example);
		for (int t = 0; t < FINDING_THRESHOLD__N; t++) {
			const struct finding_threshold_row *row = &finding_thresholds[t];
			if ((int)row->rule != i)
				continue;
			buf_printf(b, "threshold\t%s\t", row->name);
			put_threshold(b, (enum finding_threshold)t, row->value);
			buf_printf(b, "\t%s\n", row->text);
		}
	}
}
