/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Folded stacks, the input of flame graph scripts: lines like "main;serve;read 12", root first,
 * then the count. If every line has two numbers, these are the values before and after, and their
 * difference is added. Frames may have a mark of their kind, as from stackcollapse (_[k] kernel,
 * _[j] generated at run time, _[i] inlined into the previous one), and a place ("serve
 * (app.py:12)"). Both are removed from the name and become mappings and lines, so that names can be
 * compared with those of other profiles.
 *
 * Values are whole numbers, so a text with fractions is counted in thousandths. There are two
 * passes: the first one determines the sample types.
 */
#include "config.h"
#include "base/wrap_math.h"
#include "load/text/stack_builder.h"
#include "load/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct text_number { int64_t whole; double real; bool fraction; };

struct folded_form {
	/* Numbers of lines: stacks, stacks with two numbers, stacks with a ;, other lines. */
	size_t good, two, deep, bad;
	uint64_t bad_at;
	bool fraction;
};

/* Take the number at the end of t, and the space before it. */
static bool take_number(struct scan_text *t, struct text_number *n)
{
	char s[48];
	const char *p = t->end;
	while (p > t->p && (scan_is_digit(p[-1]) || strchr("+-.eE", p[-1])))
		p--;
	size_t len = (size_t)(t->end - p);
	if (!len || len >= sizeof s || p == t->p || !scan_is_space(p[-1]))
		return false;
	memcpy(s, p, len);
	s[len] = 0;
	char *end;
	n->real = strtod(s, &end);
	if (*end || !isfinite(n->real))
		return false;
	n->fraction = !scan_parse_i64((struct scan_text){p, t->end}, &n->whole);
	t->end = p;
	while (t->end > t->p && scan_is_space(t->end[-1]))
		t->end--;
	return t->end > t->p;
}

/* Take the last number of a line into n[0] and parse the one before it into n[1]. Returns how many there are. *t
   keeps the stack and, of two numbers, the first. */
static int take_numbers(struct scan_text *t, struct text_number n[2])
{
	if (!take_number(t, &n[0]))
		return 0;
	struct scan_text rest = *t;
	return take_number(&rest, &n[1]) ? 2 : 1;
}

static void examine_lines(struct scan_lines *l, size_t most, struct folded_form *sh)
{
	const char *text = l->p;
	*sh = (struct folded_form){0};
	while (sh->good + sh->bad < most && scan_next_line(l)) {
		struct scan_text t = scan_line_trimmed(l);
		struct text_number n[2];
		if (scan_is_comment(l))
			continue;
		int k = take_numbers(&t, n);
		if (!k) {
			sh->bad_at = sh->bad++ ? sh->bad_at : (uint64_t)(l->line - text);
			continue;
		}
		sh->good++;
		sh->two += k == 2;
		sh->fraction |= n[0].fraction || (k == 2 && n[1].fraction);
		sh->deep += memchr(t.p, ';', scan_len(t)) != NULL;
	}
}

/* Take the values of all sample types. *t keeps the stack. */
static bool take_values(struct scan_text *t, const struct folded_form *sh, int64_t v[3])
{
	struct text_number n[2];
	bool two = sh->two == sh->good;
	int k = take_numbers(t, n);
	if (!k)
		return false;
	if (two)
		take_number(t, &n[1]);
	for (int i = 0; i <= two; i++) {
		double x = round(n[i].real * (sh->fraction ? 1000 : 1));
		bool fits = x >= -9e18 && x <= 9e18;
		v[i] = !sh->fraction && !n[i].fraction ? n[i].whole : fits ? (int64_t)x : x < 0 ? INT64_MIN : INT64_MAX;
	}
	if (two) {
		int64_t after = v[0];
		v[0] = v[1];
		v[1] = after;
		v[2] = wrap_sub(after, v[0]);
	}
	return true;
}

/* Add a frame; its place and kind are removed from the name. */
static void add_frame(struct stack_assembler *f, struct scan_text name)
{
	static const struct { const char *mark, *file; } kinds[] = {{"_[k]", "[kernel]"}, {"_[j]", "[jit]"},
	    {"_[i]", NULL}};
	struct scan_text file = {name.end, name.end}, open;
	int64_t line = 0;
	map_id map = f->map[0].id;
	bool inlined = false;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (scan_ends_with(name, kinds[i].mark) && scan_len(name) > 4) {
			const char *s = kinds[i].file;
			name.end -= 4;
			inlined = !s;
			map = s ? stack_builder_map(f, (struct scan_text){s, s + strlen(s)}) : map;
			break;
		}
	const char *p = name.end;
	if (scan_ends_with(name, ")"))
		while (p > name.p && p[-1] != '(')
			p--;
	open = (struct scan_text){p, name.end - 1};
	if (p - name.p > 2 && p[-2] == ' ' && p < name.end && scan_cut_line_number(&open, &line)) {
		file = open;
		name.end = p - 2;
	}
	stack_builder_add_line(f, name, file, line);
	if (!inlined)
		stack_builder_loc(f, 0, map);
}

/* Return the stack of a line. */
static stk_id stack_of(struct stack_assembler *f, struct scan_text t)
{
	while (t.end > t.p) {
		const char *p = t.end;
		while (p > t.p && p[-1] != ';')
			p--;
		if (p < t.end)
			add_frame(f, (struct scan_text){p, t.end});
		t.end = p > t.p ? p - 1 : p;
	}
	return stack_builder_end_stack(f);
}

static void emit_types(struct stack_assembler *f, const struct folded_form *sh)
{
	const struct sink *s = f->out;
	str_id unit = stack_builder_literal(f, "count");
	if (sh->two != sh->good) {
		s->profile->type(s->self, stack_builder_literal(f, sh->fraction ? "thousandths" : "samples"), unit);
		return;
	}
	s->profile->type(s->self, stack_builder_literal(f, "before"), unit);
	s->profile->type(s->self, stack_builder_literal(f, "after"), unit);
	s->profile->type(s->self, stack_builder_literal(f, "difference"), unit);
	s->profile->meta(s->self, &(struct sink_meta){.default_type = stack_builder_literal(f, "difference")});
}

int folded_read(struct bytes b, struct sink *s, struct err *e)
{
	struct folded_form sh;
	struct stack_assembler f;
	struct scan_lines first = scan_bounded(b, s, 0, 2), l = scan_bounded(b, s, 1, 2);
	examine_lines(&first, SIZE_MAX, &sh);
	l.end = first.end;
	if (!sh.good)
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "no folded stack (a;b;c 12) in this text");
	stack_builder_init(&f, s);
	stack_builder_map(
	    &f, (struct scan_text){l.p, l.p}); /* the first mapping is the program, which is unknown */
	emit_types(&f, &sh);
	while (scan_next_line(&l)) {
		struct scan_text t = scan_line_trimmed(&l);
		int64_t v[3];
		if (scan_is_comment(&l) || !take_values(&t, &sh, v))
			continue;
		stk_id stack = stack_of(&f, t);
		s->profile->sample(s->self, &(struct sink_sample){.stack = stack, .value = v, .when = TIME_NONE});
	}
	scan_warn_cut(s, first.cut || l.cut);
	stack_builder_free(&f);
	if (sh.bad)
		s->ops->warn(s->self, sh.bad_at,
		    "ignored %zu lines that are not folded stacks (a;b;c 12); this is the first",
		    sh.bad);
	if (b.p[b.n - 1] != '\n')
		s->ops->warn(s->self, b.n, "the last line has no newline: the file may be truncated");
	return 0;
}

/* Return whether most of the first lines are stacks, and half of these have several frames. A line that crosses the first
   megabyte is looked at as a whole, unless it is much longer: then it is other data. */
bool folded_probe(struct bytes b)
{
	enum { LOOK = 50, BYTES = 1 << 20, LINE = 64 << 20 };
	struct folded_form sh;
	size_t most = b.n < BYTES + LINE ? b.n : BYTES + LINE;
	const char *p = (const char *)b.p, *cut = most > BYTES ? memchr(p + BYTES, '\n', most - BYTES) : NULL;
	examine_lines(&(struct scan_lines){.p = p, .end = cut ? cut : p + most}, LOOK, &sh);
	return sh.deep && sh.deep >= sh.good / 2 && sh.bad <= sh.good / 3;
}
