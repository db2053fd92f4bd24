/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* What findings are made of: places, victims, numbers, and the words of their sentences. */
#include "config.h"
#include "findings/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "trace/user_code.h"

#include <math.h>
#include <string.h>

static fun_id function_of(const struct store *st, frm_id f)
{
	return f ? store_frm(st, f)->fun : 0;
}

void finding_culprit(struct findings_run *r, struct finding *f, frm_id frame)
{
	for (uint32_t i = 0; i < f->nculprit; i++)
		if (function_of(r->st, f->culprit[i].frame) == function_of(r->st, frame))
			return;
	if (frame && f->nculprit < FINDING_CULPRITS)
		f->culprit[f->nculprit++] = (struct finding_place){frame};
}

void finding_culprit_stack(struct findings_run *r, struct finding *f, stk_id stack)
{
	for (stk_id s = user_code_first_frame(r->st, stack); s && f->nculprit < FINDING_CULPRITS;
	     s = user_code_first_frame(r->st, stk_parent(r->st, s)))
		finding_culprit(r, f, stk_frame(r->st, s));
}

static void add_number(struct finding *f, const char *name, double value, bool estimated)
{
	if (f->nnumber < FINDING_NUMBERS)
		f->number[f->nnumber++] = (struct finding_number){name, value, estimated};
}

void finding_number(struct finding *f, const char *name, double value)
{
	add_number(f, name, value, false);
}

void finding_estimate(struct finding *f, const char *name, double value)
{
	add_number(f, name, value, true);
}

bool finding_put_caller(struct findings_run *r, stk_id stack)
{
	stk_id own = user_code_first_frame(r->st, stack),
	       caller = own ? user_code_first_frame(r->st, stk_parent(r->st, own)) : 0;
	if (!caller)
		return false;
	buf_puts(&r->text, ", called by ");
	finding_put_place(r, stk_frame(r->st, caller));
	return true;
}

void finding_victims(struct findings_run *r, struct finding *f, uint32_t group, frm_id at)
{
	if (f->nvictim == FINDING_VICTIMS)
		return;
	struct finding_victim *v = &f->victim[f->nvictim++];
	*v = (struct finding_victim){.at = {at}};
	if (group < r->groups.n && r->groups.v[group].name) {
		const struct str_row *name = store_str(r->st, r->groups.v[group].name);
		v->group = arena_strndup(r->mem, name->s, name->n);
	}
}

/* Append a name of a function; "[go.shape.int]" becomes "[...]". */
static void put_function(struct buf *b, const char *s, size_t n)
{
	const char *open = memchr(s, '[', n), *close = open ? text_last(open, ']', n - (size_t)(open - s)) : NULL;
	if (!open || !close) {
		text_safe(b, s, n);
		return;
	}
	text_safe(b, s, (size_t)(open - s));
	buf_puts(b, "[...]");
	text_safe(b, close + 1, n - (size_t)(close + 1 - s));
}

void finding_put_name(struct findings_run *r, str_id id)
{
	const struct str_row *s = store_str(r->st, id);
	if (s->n)
		put_function(&r->text, s->s, s->n);
	else
		buf_puts(&r->text, "an unknown function");
}

void finding_put_line(struct findings_run *r, frm_id frame)
{
	const struct frm_row *row = store_frm(r->st, frame);
	const struct str_row *file = store_str(r->st, store_fun(r->st, row->fun)->file);
	const char *slash = file->n ? text_last(file->s, '/', file->n) : NULL;
	const char *base = slash ? slash + 1 : file->s;
	if (!file->n) {
		buf_putc(&r->text, '?');
		return;
	}
	text_safe(&r->text, base, (size_t)(file->s + file->n - base));
	buf_printf(&r->text, ":%lld", (long long)row->line);
}

void finding_put_place(struct findings_run *r, frm_id frame)
{
	finding_put_name(r, store_fun(r->st, function_of(r->st, frame))->name);
	if (!frame)
		return;
	buf_putc(&r->text, ' ');
	finding_put_line(r, frame);
}

void finding_put_place_after(struct findings_run *r, frm_id frame, frm_id named)
{
	if (frame && function_of(r->st, frame) == function_of(r->st, named))
		finding_put_line(r, frame);
	else
		finding_put_place(r, frame);
}

void finding_put_group(struct findings_run *r, uint32_t group)
{
	if (group >= r->groups.n || !r->groups.v[group].name)
		return;
	buf_puts(&r->text, " of ");
	finding_put_name(r, r->groups.v[group].name);
}

void finding_put_groups(struct findings_run *r, const uint32_t *group, uint32_t n)
{
	size_t before = r->text.n;
	if (n)
		finding_put_group(r, group[0]);
	if (n > 1 && r->text.n > before)
		buf_puts(&r->text, " and others");
}

const char *finding_class_words(enum time_class c)
{
	switch (c) {
	case TIME_ON_CPU: return "while it computes";
	case TIME_RUNNABLE: return "while it waits for a P";
	case TIME_LOCK: return "while it waits for another lock";
	case TIME_CHANNEL: return "while it waits for a channel";
	case TIME_SELECT: return "while it waits in a select";
	case TIME_COND: return "while it waits for a sync.Cond";
	case TIME_WAITGROUP: return "while it waits for a sync.WaitGroup";
	case TIME_NETWORK: return "across network reads or writes";
	case TIME_SLEEP: return "while it sleeps";
	case TIME_SYSCALL: return "across system calls";
	case TIME_GC_ASSIST: case TIME_GC_OTHER: return "while it works for the GC";
	case TIME_STW: return "while the world is stopped";
	default: return "for an unknown reason";
	}
}

const char *finding_board_of_class(enum time_class c)
{
	return c == TIME_LOCK ? "locks" : c == TIME_CHANNEL || c == TIME_SELECT ? "channels" : "top -type=block";
}

/* ---- evidence: the name of a number ends in its unit; for people the unit is part of the value */

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

void finding_put_number(struct buf *b, const struct finding_number *v)
{
	const char *name = v->name;
	size_t n = strlen(name);
	bool ns = ends_in(name, "_ns"), share = ends_in(name, "_share"), bytes = ends_in(name, "_bytes");
	n -= ns ? 3 : share || bytes ? 6 : 0;
	for (size_t i = 0; i < n; i++)
		buf_putc(b, name[i] == '_' ? ' ' : name[i]);
	buf_puts(b, v->estimated ? " ~" : " ");
	if (ns)
		text_ns(b, wrap_clamp(v->value));
	else if (bytes)
		text_bytes(b, wrap_clamp(v->value));
	else if (share)
		buf_printf(b, "%.1f%%", 100 * v->value);
	else if (v->value == floor(v->value) && fabs(v->value) < 1e15)
		text_count(b, (int64_t)v->value);
	else
		buf_printf(b, "%.3g", v->value);
}
