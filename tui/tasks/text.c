/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The lines around the lists of tasks and regions: above, the numbers of items and the filter;
 * below, the start, the duration and the goroutine of the selected one; and the keys of each level.
 * They only read what tasks/rows.c has made.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/text/text.h"

void tasks_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct tasks *p = st;
	uint32_t open = 0, n = 0;
	if (p->operations.shown) {
		tasks_operations_summary(p, env, b);
		return;
	}
	tasks_put_progress(p, b);
	for (uint32_t i = 0; i < p->list.nkind; i++) {
		open += p->list.kind[i].open;
		n += p->list.kind[i].n;
	}
	if (p->level > L_KINDS) {
		buf_puts(b, p->list.regions ? "Regions > " : "Tasks > ");
		tracepane_put_str(tasks_store(env), (str_id)((uint64_t)p->open >> 32), tasks_unnamed(p), b);
		if (p->level == L_ONE)
			buf_printf(b, " > %llu", (unsigned long long)p->task);
		buf_puts(b, "   ");
		text_count(b, p->rows[L_LIST].n);
	} else {
		buf_puts(b, p->list.regions ? "regions ([ ] operations, tasks) | " : "tasks ([ ] regions, operations) | ");
		buf_printf(b, "%u kind%s, ", p->rows[L_KINDS].n, text_s(p->rows[L_KINDS].n));
		text_count(b, n);
		buf_printf(b, " %s%s, %u incomplete", p->list.regions ? "region" : "task", text_s(n), open);
	}
	tasks_put_filter(&p->task_criteria, b);
	buf_puts(b, " | ");
	tracepane_put_scope(&p->list.scope, b);
	if (env->find.rx && async_job(&p->search.slot))
		buf_printf(b, " | /%s searching", env->find.text);
	else if (env->find.rx && p->search.hits.at)
		buf_printf(b, " | /%s %u match%s", env->find.text, p->search.hits.n, text_es(p->search.hits.n));
}

void tasks_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct tasks *p = st;
	const struct store *s = tasks_store(env);
	const struct kind *k = kind_now(p);
	struct place to = PLACE_NONE;
	if (p->operations.shown) {
		tasks_operations_detail(p, env, b);
		return;
	}
	if (p->bars.on && p->level != L_ONE) {
		histogram_bars_describe(&p->bars, b);
	} else if (p->level == L_KINDS && k) {
		tracepane_put_str(s, k->name, tasks_unnamed(p), b);
		buf_printf(b, ": %u %s%s", k->n, p->list.regions ? "region" : "task", text_s(k->n));
		if (k->open)
			buf_printf(b, ", %u incomplete", k->open);
		if (k->frame)
			buf_puts(b, "  "), tracepane_put_frame(s, k->frame, b, true);
	} else if (p->level == L_ONE && p->page.nline) {
		tasks_put_line(p, s, &p->page.line[p->rows[L_ONE].sel], b);
		if (p->page.line[p->rows[L_ONE].sel].trk)
			buf_puts(b, "  "), tracepane_put_track(s, p->page.line[p->rows[L_ONE].sel].trk, b);
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

void tasks_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct tasks *p = st;
	if (p->operations.shown) {
		tasks_operations_keys(p, b);
		return;
	}
	(void)env;
	buf_puts(b, p->bars.on && p->level != L_ONE ? "h l bar  v range  Enter only these  Esc leave the bars"
		: p->level == L_ONE
		? "Enter timeline, child  ( parent  ) child  4 flame of it  f only it  D rest  / log text  q back"
		: p->level == L_KINDS
		? "Enter open  [ ] other lists  v bars  :>50ms  s < > sort  i invert  4 flame  D slow ones"
		: p->list.regions
		? "Enter timeline  Tab time  s < > sort  v bars  :>50ms  4 flame  D slow ones  f only these  q back"
		: "Enter what happened in it  v bars  :>50ms  ( parent  5 timeline  4 flame  D slow ones  q back");
}
