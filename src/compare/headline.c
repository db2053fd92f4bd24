/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The first line of a comparison. What a user wants to know is what got slower and where; a new finding often names the
 * cause, so both are in the line if there are both. If only findings changed, it has the two worst.
 */
#include "config.h"
#include "compare/internal.h"

#include "base/text/path.h"
#include "base/text/text.h"
#include "base/wrap_math.h"

#include <string.h>

static void put_text(struct buf *b, const char *s)
{
	text_safe(b, s, strlen(s));
}

static void put_where(struct buf *b, const char *function, const char *file, int64_t line)
{
	size_t n;
	const char *base = path_base(file, strlen(file), &n);
	put_text(b, *function ? function : "an unknown function");
	if (!*file)
		return;
	buf_putc(b, ' ');
	text_safe(b, base, n);
	if (line)
		buf_printf(b, ":%lld", (long long)line);
}

/* " lock main.reserve main.go:38 +34ms" */
static void put_place(struct buf *b, const struct compare_place *p)
{
	double d = p->ns.at[COMPARE_AFTER].value - p->ns.at[COMPARE_BEFORE].value;
	buf_printf(b, "%s ", time_class_name(p->cls));
	put_where(b, p->function, p->file, p->line);
	buf_puts(b, d < 0 ? " -" : " +");
	text_ns(b, wrap_clamp(d < 0 ? -d : d));
}

/* Choose the duration for the line: that which changed by the largest ratio, the first of equal ones. */
static const struct compare_amount *choose_measure(const struct compare_kind *k, enum compare_measure *which)
{
	double most = 0;
	*which = COMPARE_MEAN;
	for (int m = COMPARE_P50; m <= COMPARE_MEAN; m++) {
		const struct compare_amount *a = &k->amount[m];
		double before = a->at[COMPARE_BEFORE].value, after = a->at[COMPARE_AFTER].value;
		double ratio = k->change == COMPARE_BETTER ? before / (after + 1) : after / (before + 1);
		if (a->change == k->change && ratio > most * 1.2) {
			most = ratio;
			*which = (enum compare_measure)m;
		}
	}
	return &k->amount[*which];
}

static void put_kind(struct buf *b, const struct compare_kind *k)
{
	enum compare_measure m;
	const struct compare_amount *a = choose_measure(k, &m);
	double before = a->at[COMPARE_BEFORE].value, after = a->at[COMPARE_AFTER].value;
	text_safe(b, k->name, k->nname);
	buf_printf(b, " %s ", compare_measure_name(m));
	text_ns(b, wrap_clamp(before));
	buf_puts(b, " -> ");
	text_ns(b, wrap_clamp(after));
	if (before > 0)
		buf_printf(b, " (%.*fx)", after / before < 9.95 ? 2 : 1, after / before);
	uint32_t own = compare_worst_place(k, COMPARE_NONE);
	if (!k->walked)
		buf_puts(b, ", where is not known: the critical paths of other kinds are too long to read all");
	if (own == COMPARE_NONE)
		return;
	buf_puts(b, ": ");
	put_place(b, &k->place[own]);
	uint32_t cause = compare_worst_place(k, own);
	if (cause == COMPARE_NONE)
		return;
	buf_puts(b, " (waits for ");
	put_place(b, &k->place[cause]);
	buf_putc(b, ')');
}

static void put_culprit(struct buf *b, const struct store *st, const struct finding_place *p)
{
	const struct frm_row *row = store_frm(st, p->frame);
	const struct fun_row *fun = store_fun(st, row->fun);
	const struct str_row *name = store_str(st, fun->name), *file = store_str(st, fun->file);
	struct arena mem = {0};
	put_where(b, arena_strndup(&mem, name->n ? name->s : "", name->n),
	    arena_strndup(&mem, file->n ? file->s : "", file->n), row->line);
	arena_free(&mem);
}

/* All culprits: the first one may be a helper that everything calls. */
static void put_finding(struct buf *b, const struct comparison *c, const struct compare_finding *f)
{
	enum compare_side s = f->at[COMPARE_AFTER] ? COMPARE_AFTER : COMPARE_BEFORE;
	const struct finding *of = f->at[s];
	buf_printf(b, "%s problem %s", compare_change_name(f->change), finding_rules[of->rule].id);
	for (uint32_t i = 0; i < of->nculprit; i++) {
		buf_puts(b, i ? ", " : ": ");
		put_culprit(b, c->in[s].sn->st, &of->culprit[i]);
	}
}

/* Return the first kind with this change, or COMPARE_NONE. */
static uint32_t first_kind(const struct comparison *c, enum compare_change change)
{
	uint32_t i = 0;
	while (i < c->nkinds && c->kind[i].change != change)
		i++;
	return i < c->nkinds ? i : COMPARE_NONE;
}

/* Can any kind be compared? */
static bool has_enough(const struct comparison *c)
{
	for (uint32_t i = 0; i < c->nkinds; i++)
		if (c->kind[i].change != COMPARE_TOO_FEW && c->kind[i].change != COMPARE_NEW &&
		    c->kind[i].change != COMPARE_GONE)
			return true;
	return false;
}

void compare_put_headline(struct buf *b, const struct comparison *c)
{
	uint32_t kind = compare_worst_kind(c);
	const struct compare_finding *f = c->nfindings ? &c->finding[0] : NULL;
	bool worse = f && (f->change == COMPARE_NEW || f->change == COMPARE_WORSE);
	if (kind == COMPARE_NONE && !worse)
		kind = first_kind(c, COMPARE_BETTER);
	else if (!worse)
		f = NULL;
	if (kind != COMPARE_NONE)
		put_kind(b, &c->kind[kind]);
	if (kind != COMPARE_NONE && f)
		buf_puts(b, "; ");
	if (f)
		put_finding(b, c, f);
	if (f && kind == COMPARE_NONE && c->nfindings > 1 && c->finding[1].change == f->change) {
		buf_puts(b, "; ");
		put_finding(b, c, &c->finding[1]);
	}
	if (kind == COMPARE_NONE && !f)
		buf_puts(b, has_enough(c) ? "no change exceeds the spread inside the two sides"
		    : "too few operations of one kind on both sides to compare them");
}
