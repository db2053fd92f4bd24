/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The lines around the lists: above, how many items there are and the filter; below, what is selected; the keys of each
 * level; and the text of a line of a page. They only read what listing.c and page.c have made.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/text/text.h"
#include "base/wrap_math.h"
#include "store/tracks/time_search.h"
#include "term/style.h"

#include <string.h>

/* Does the trace have no stack, so that some operations cannot be found? */
static bool lacks_stacks(const struct tasks *p, const struct snap *sn)
{
	return p->list.ops && sn->nstks <= 1 && sn->nsheets;
}

static void put_level(const struct tasks *p, struct buf *b)
{
	const struct kind *k = tasks_opened_kind(p);
	buf_puts(b, p->list.regions ? "Regions > " : "Operations > ");
	if (k && k->len)
		text_safe(b, k->s, k->len);
	else if (k)
		buf_puts(b, tasks_unnamed(k));
	if (p->level == L_ONE)
		buf_printf(b, " > #%llu", (unsigned long long)p->id);
	buf_puts(b, "   ");
	text_count(b, p->items.rows.n);
}

static void put_number(uint32_t n, const char *of, struct buf *b)
{
	text_count(b, n);
	buf_printf(b, " %s%s", of, text_s(n));
}

/* Append "19 kinds, 504 tasks and 2,180 others, 61 incomplete". */
static void put_kinds(const struct tasks *p, struct buf *b)
{
	uint32_t open = 0, tasks = 0, n = 0;
	for (uint32_t i = 0; i < p->list.nkind; i++) {
		const struct kind *k = &p->list.kind[i];
		open += k->open;
		n += k->n;
		tasks += k->source == OF_TASK ? k->n : 0;
	}
	buf_puts(b, p->list.regions ? "regions ([ ] operations) | " : "operations ([ ] regions) | ");
	buf_printf(b, "%u kind%s, ", p->kinds.rows.n, text_s(p->kinds.rows.n));
	if (tasks) {
		put_number(tasks, "task", b);
		buf_puts(b, " and ");
		put_number(n - tasks, "other", b);
	} else {
		put_number(n, p->list.regions ? "region" : "operation", b);
	}
	buf_printf(b, ", %u incomplete", open);
}

static void put_matches(const struct tasks *p, const struct pane_env *env, struct buf *b)
{
	const struct rows *r = p->level == L_ONE ? &p->lines : p->level == L_LIST ? &p->items.rows : &p->kinds.rows;
	const struct list_hits *h = p->level == L_ONE ? &p->line_hits : p->level == L_LIST ? &p->items.hits : &p->kinds.hits;
	if (env->find.rx && async_job(&p->search))
		buf_printf(b, " | /%s searching", env->find.text);
	else if (list_hits_are_current(h, r, env->find.rx))
		buf_printf(b, " | /%s %u match%s", env->find.text, h->n, text_es(h->n));
}

void tasks_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct tasks *p = st;
	const struct snap *sn = session_snap(env->s);
	tasks_put_progress(p, b);
	if (p->carried && p->level == L_KINDS)
		buf_puts(b, "from the timeline (Esc: the slowest)  ");
	if (p->level > L_KINDS)
		put_level(p, b);
	else
		put_kinds(p, b);
	brush_put_limit(&p->brush, p->level == L_LIST ? p->items.rows.n : BRUSH_UNCOUNTED, b);
	if (p->whole)
		buf_puts(b, p->whole == TASK_INCOMPLETE ? " | incomplete" : " | complete");
	buf_puts(b, " | ");
	tracepane_put_scope(&p->list.scope, b);
	if (lacks_stacks(p, sn))
		buf_puts(b, " | no stacks: requests and rounds are not known");
	if (!p->list.regions && !sn->complete)
		buf_puts(b, " | only tasks until all is read");
	put_matches(p, env, b);
}

/* Append ": runnable 88%, syscall 4%", the classes with most of the time. */
static void put_classes(const int64_t *ns, struct buf *b)
{
	int64_t all = 0, last = INT64_MAX;
	int before = -1;
	for (int c = 0; c < TIME_CLASS__N; c++)
		wrap_add_to(&all, ns[c] > 0 ? ns[c] : 0);
	for (int k = 0; k < 4; k++) {
		int best = -1;
		for (int c = 0; c < TIME_CLASS__N; c++)
			if (ns[c] > 0 && (ns[c] < last || (ns[c] == last && c > before)) && (best < 0 || ns[c] > ns[best]))
				best = c;
		if (best < 0 || text_percent(ns[best], all) < 1)
			return;
		buf_printf(b, "%s%s %.0f%%", k ? ", " : ": ", time_class_name((enum time_class)best), text_percent(ns[best], all));
		last = ns[best];
		before = best;
	}
}

static void put_kind_detail(const struct tasks *p, const struct store *s, const struct kind *k, struct buf *b)
{
	const char *of = p->list.regions ? "region" : k->source == OF_TASK ? "task" : "operation";
	if (k->len)
		text_safe(b, k->s, k->len);
	else
		buf_puts(b, tasks_unnamed(k));
	buf_puts(b, ": ");
	put_number(k->n, of, b);
	if (k->open)
		buf_printf(b, ", %u incomplete", k->open);
	if (k->frame)
		buf_puts(b, "  "), tracepane_put_frame(s, k->frame, b, true);
	if (k->of != OPERATION_NONE)
		put_classes(p->list.ops->kind[k->of].class_ns, b);
}

void tasks_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct tasks *p = st;
	const struct store *s = tasks_store(env);
	const struct kind *k = tasks_kind_now(p);
	struct place to = PLACE_NONE;
	if (p->brush.bars.on && p->level != L_ONE) {
		histogram_bars_describe(&p->brush.bars, b);
	} else if (p->level == L_KINDS && k) {
		put_kind_detail(p, s, k, b);
	} else if (p->level == L_ONE && p->page.nline) {
		tasks_put_line(p, s, &p->page.line[p->lines.sel], b);
		if (p->page.line[p->lines.sel].trk)
			buf_puts(b, "  "), tracepane_put_track(s, p->page.line[p->lines.sel].trk, b);
	} else if (tasks_selected_place(p, env, &to)) {
		text_ns(b, to.t1 - to.t0);
		buf_puts(b, " at ");
		text_at(b, to.t0, 1000);
		if (to.trk)
			buf_puts(b, "  "), tracepane_put_track(s, to.trk, b);
		if (to.stk)
			buf_puts(b, "  "), tracepane_put_call_site(s, to.stk, b);
	}
}

/* Append the number and the name of a child. */
static void put_child(uint64_t id, const char *s, size_t n, struct buf *b)
{
	buf_printf(b, "#%llu ", (unsigned long long)id);
	text_safe(b, n ? s : "(no name)", n ? n : strlen("(no name)"));
}

/* Append "37 short system calls". */
static void put_rest(const struct task_line *l, struct buf *b)
{
	enum tstate s = l->state;
	text_count(b, l->i);
	if (s == TS_READY)
		buf_printf(b, " short wait%s for a P", text_s(l->i));
	else
		buf_printf(b, " short %s%s", s == TS_SYSCALL ? "system call" : s == TS_RUN ? "run" : s == TS_SYNC ? "wait" : s == TS_NET
		    ? "network wait" : s == TS_CHANSEND || s == TS_CHANRECV ? "channel wait" : "wait", text_s(l->i));
	if (s == TS_SYNC)
		buf_printf(b, " for locks");
}

void tasks_put_line(const struct tasks *p, const struct store *st, const struct task_line *l, struct buf *b)
{
	bool in_task = tasks_source_now(p) == OF_TASK;
	const char *of = in_task ? "task" : "operation";
	const struct operations *o = p->list.ops;
	const struct operation_kind *kind = l->what == LN_OPERATION ? &o->kind[operations_kind_of(o, l->i)] : NULL;
	const struct sink_mark *m = l->what == LN_LOG ? store_mark(st, l->i) : NULL;
	const struct str_row *name = l->what == LN_TASK ? store_str(st, p->list.ts->task[l->i].name) : NULL;
	switch (l->what) {
	case LN_BEGIN: buf_printf(b, "%s starts", of); break;
	case LN_END: buf_printf(b, "%s ends", of); break;
	case LN_LOG:
		buf_puts(b, "log ");
		if (store_str(st, m->category)->n)
			buf_putc(b, '['), tracepane_put_str(st, m->category, "", b), buf_puts(b, "] ");
		tracepane_put_str(st, m->text, "", b);
		break;
	case LN_REGION:
		buf_puts(b, "region ");
		tracepane_put_str(st, store_span(st, l->i)->s.name, "(no name)", b);
		break;
	case LN_TASK:
		buf_puts(b, in_task ? "child task " : "task ");
		put_child(p->list.ts->task[l->i].id, name->s, name->n, b);
		break;
	case LN_OPERATION:
		buf_puts(b, "child ");
		put_child(operations_get(o, l->i).id, kind->name, kind->nname, b);
		break;
	case LN_REST:
		put_rest(l, b);
		break;
	case LN_STATE:
		buf_puts(b, style_state_name(l->state));
		if (l->i)
			buf_puts(b, "  "), tracepane_put_call_site(st, l->i, b);
		break;
	}
}

void tasks_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct tasks *p = st;
	(void)env;
	const char *bars = brush_hints(&p->brush);
	if (p->level == L_ONE)
		buf_puts(b, "Enter timeline, child  ( parent  ) child  W why  4 flame of it  f only it  D rest  / text  q back");
	else if (bars)
		buf_puts(b, bars);
	else if (p->level == L_KINDS)
		buf_printf(b, "Enter open  %s  v durations  [ ] %s  D slow ones  4 flame  s < > sort  e columns  :>50ms  i invert",
		    p->list.regions ? "s sort" : "W why", p->list.regions ? "operations" : "regions");
	else if (p->list.regions)
		buf_puts(b, "Enter timeline  Tab time  s < > sort  e columns  v durations  :>50ms  4 flame  D slow ones  "
			    "f only these  q back");
	else
		buf_puts(b, "Enter what happened in it  W why  v durations  s < > sort  e columns  ( parent  5 timeline  "
			    "4 flame  D slow ones  q back");
}
