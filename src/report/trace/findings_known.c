/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Findings that are known, from a list that people write and from the JSON of an earlier call. Of the JSON only four
 * members of each finding are needed, so it is read as a sequence of tokens without a tree; other members are skipped.
 */
#include "config.h"
#include "report/trace/findings_known.h"

#include "base/text/text.h"

#include <stdlib.h>
#include <string.h>

struct known { char *rule, *function; bool problem; double score; };
struct known_list { struct known *v; size_t n, cap; struct arena mem; };

static void list_add(struct known_list *l, const struct known *k)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = *k;
}

static void list_free(struct known_list *l)
{
	mem_free(l->v);
	arena_free(&l->mem);
}

/* ---- the list of -ignore */

static size_t blanks(const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r'))
		i++;
	return i;
}

static size_t word(const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && !blanks(s + i, n - i))
		i++;
	return i;
}

static int read_ignored_line(struct known_list *l, const char *s, size_t n, const char *file, struct err *e)
{
	const char *hash = memchr(s, '#', n);
	n = hash ? (size_t)(hash - s) : n;
	size_t at = blanks(s, n), k = word(s + at, n - at);
	if (!k)
		return 0;
	struct known one = {.rule = arena_strndup(&l->mem, s + at, k), .problem = true, .score = 100};
	at += k;
	at += blanks(s + at, n - at);
	k = word(s + at, n - at);
	one.function = arena_strndup(&l->mem, k ? s + at : "*", k ? k : 1);
	if (strcmp(one.rule, "*") != 0 && finding_rule_find(one.rule, strlen(one.rule)) < 0)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "%s: there is no rule \"%.40s\"", file, one.rule);
	list_add(l, &one);
	return 0;
}

static int read_ignored(struct known_list *l, const char *s, size_t n, const char *file, struct err *e)
{
	for (size_t i = 0; i < n;) {
		const char *end = memchr(s + i, '\n', n - i);
		size_t line = end ? (size_t)(end - (s + i)) : n - i;
		if (read_ignored_line(l, s + i, line, file, e))
			return -1;
		i += line + 1;
	}
	return 0;
}

/* ---- the JSON of -baseline */

enum { DEPTH = 16 };
struct json_reader {
	const char *s;
	size_t n, at;
	unsigned depth;
	bool has_findings;	/* the list of findings, which may be empty */
	char open[DEPTH];	/* '{' or '[' by depth */
	uint32_t item[DEPTH];	/* index of the current element */
	char key[DEPTH][16];	/* the current key, cut */
	struct known_list *to;
	struct known now;
};

/* Return the string that begins at the quote, without escapes other than \" and \\, and move behind it. */
static char *read_string(struct json_reader *j)
{
	struct buf b = {0};
	for (j->at++; j->at < j->n && j->s[j->at] != '"'; j->at++) {
		if (j->s[j->at] == '\\')
			j->at++;
		if (j->at < j->n)
			buf_putc(&b, j->s[j->at]);
	}
	j->at++;
	char *s = arena_strndup(&j->to->mem, b.n ? b.p : "", b.n);
	buf_free(&b);
	return s;
}

static bool key_is(const struct json_reader *j, unsigned depth, const char *key)
{
	return j->open[depth] == '{' && !strcmp(j->key[depth], key);
}

/* A value of a finding: depth 0 is the report, 1 the list of findings, 2 a finding, 4 one of its culprits. */
static void take_value(struct json_reader *j, char *text, double number)
{
	if (j->depth < 3 || !key_is(j, 0, "findings") || j->open[1] != '[')
		return;
	if (j->depth == 3 && text && key_is(j, 2, "rule"))
		j->now.rule = text;
	else if (j->depth == 3 && text && key_is(j, 2, "level"))
		j->now.problem = !strcmp(text, finding_level_name(FINDING_PROBLEM));
	else if (j->depth == 3 && !text && key_is(j, 2, "score"))
		j->now.score = number;
	else if (j->depth == 5 && text && key_is(j, 2, "culprits") && j->item[3] == 0 && key_is(j, 4, "function"))
		j->now.function = text;
}

static bool open_level(struct json_reader *j, char c)
{
	if (j->depth == DEPTH)
		return false;
	j->has_findings |= c == '[' && j->depth == 1 && key_is(j, 0, "findings");
	j->open[j->depth] = c;
	j->item[j->depth] = 0;
	j->key[j->depth][0] = 0;
	j->depth++;
	j->at++;
	if (j->depth == 3)
		j->now = (struct known){0};
	return true;
}

static bool close_level(struct json_reader *j)
{
	if (!j->depth)
		return false;
	if (j->depth == 3 && j->now.rule) {
		j->now.function = j->now.function ? j->now.function : arena_strndup(&j->to->mem, "", 0);
		list_add(j->to, &j->now);
	}
	j->depth--;
	j->at++;
	return true;
}

static bool read_scalar(struct json_reader *j)
{
	if (j->s[j->at] == '"') {
		char *text = read_string(j);
		size_t colon = j->at + blanks(j->s + j->at, j->n - j->at);
		if (j->depth && j->open[j->depth - 1] == '{' && colon < j->n && j->s[colon] == ':') {
			text_safe_fit(j->key[j->depth - 1], sizeof j->key[0], text, strlen(text));
			j->at = colon + 1;
		} else {
			take_value(j, text, 0);
		}
		return true;
	}
	char number[32];
	size_t k = strspn(j->s + j->at, "+-.0123456789eEtrufalsn");
	if (!k)
		return false;
	text_safe_fit(number, sizeof number, j->s + j->at, k);
	take_value(j, NULL, strtod(number, NULL));
	j->at += k;
	return true;
}

/* s is NUL-terminated. Return false if it is not JSON with a list of findings: any other file would be one without known
   findings. */
static bool read_baseline(struct known_list *l, const char *s, size_t n)
{
	struct json_reader j = {.s = s, .n = n, .to = l};
	while (j.at < j.n) {
		char c = s[j.at];
		bool good = true;
		if (c == '{' || c == '[')
			good = open_level(&j, c);
		else if (c == '}' || c == ']')
			good = close_level(&j);
		else if (c == ',') {
			if (j.depth)
				j.item[j.depth - 1]++;
			j.at++;
		} else if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
			j.at++;
		else
			good = read_scalar(&j);
		if (!good)
			return false;
	}
	return !j.depth && j.has_findings;
}

/* ---- */

static bool same_name(const char *known, const char *s, size_t n)
{
	return !strcmp(known, "*") || (strlen(known) == n && !memcmp(known, s, n));
}

static bool is_known(const struct known_list *l, const struct trace_report_ctx *r, const struct finding *f)
{
	const struct fun_row *fun = store_fun(r->st, store_frm(r->st, f->culprit[0].frame)->fun);
	struct trace_report_text name = trace_report_string(r, fun->name, "");
	const char *id = finding_rules[f->rule].id;
	for (size_t i = 0; i < l->n; i++) {
		const struct known *k = &l->v[i];
		if (same_name(k->rule, id, strlen(id)) && same_name(k->function, name.s, name.n) &&
		    (k->problem || f->level == FINDING_NOTICE) && f->score <= k->score + FINDINGS_WORSE)
			return true;
	}
	return false;
}

static int read_file(const char *path, struct buf *b, struct err *e)
{
	struct bytes in;
	if (input_open(path, &in, e))
		return -1;
	buf_put(b, in.p, in.n);
	input_close(&in);
	return 0;
}

static int read_known(struct known_list *l, const struct options *o, struct err *e)
{
	const char *ignore = options_str(o, OPT_IGNORE), *baseline = options_str(o, OPT_BASELINE);
	struct buf b = {0};
	int rc = 0;
	if (ignore && *ignore)
		rc = read_file(ignore, &b, e) || read_ignored(l, b.n ? b.p : "", b.n, ignore, e) ? -1 : 0;
	buf_reset(&b);
	if (!rc && baseline && *baseline) {
		rc = read_file(baseline, &b, e);
		if (!rc && !read_baseline(l, buf_str(&b), b.n))
			rc = err_set(e, ERR_FORMAT, ERR_NOWHERE, "%s: not the JSON of ttrace findings", baseline);
	}
	buf_free(&b);
	return rc;
}

int findings_drop_known(struct findings *all, const struct trace_report_ctx *r, struct err *e)
{
	struct known_list l = {0};
	int rc = read_known(&l, r->o, e);
	uint32_t kept = 0;
	for (uint32_t i = 0; !rc && i < all->n; i++)
		if (!is_known(&l, r, &all->v[i]))
			all->v[kept++] = all->v[i];
	if (!rc)
		all->n = kept;
	list_free(&l);
	return rc;
}
