/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Rules for profiles. Each belongs to one sample type and is silent about profiles without it. A profile is a sum: it
 * tells neither when something was nor what an operation waited for, and what one program does most is normal for
 * it. So there are few rules, and they need a large share and a large amount.
 */
#include "config.h"
#include "findings/internal.h"
#include "findings/profile_sites.h"

#include "base/text/text.h"
#include "base/wrap_math.h"
#include "calltree/runtime_frames.h"
#include "trace/user_code.h"

#include <math.h>
#include <string.h>

static double share_of(int64_t part, int64_t all)
{
	return all > 0 ? (double)part / (double)all : 0;
}

/* Sum up a sample type. Return false if the profile does not have it, or if nothing has weight. */
static bool sites_of(struct findings_run *r, struct profile_sites *p, const char *type, enum sites_by by)
{
	int i = profile_sites_type(r->sn, type);
	if (i == PROFILE_NO_TYPE)
		return false;
	profile_sites_make(p, r->sn, r->profile, i, by, &r->scratch);
	return p->a > 0;
}

static frm_id frame_of(const struct findings_run *r, const struct profile_site *s)
{
	return s ? stk_frame(r->st, s->path) : 0;
}

/* Return a command that shows the callers and callees of the function of a site, in the arena of the results. */
static const char *see_callers(struct findings_run *r, const struct profile_site *s)
{
	struct buf b = {0};
	const struct str_row *name = store_str(r->st, store_fun(r->st, s->fun)->name);
	buf_puts(&b, "peek '");
	for (uint32_t i = 0; i < name->n; i++) {
		unsigned char c = (unsigned char)name->s[i];
		if (strchr("\\.+*?()[]{}^$|", c))
			buf_putc(&b, '\\');
		buf_putc(&b, c < ' ' || c == '\'' || c >= 0x7f ? '.' : (char)c);	/* one that matches, and is safe */
	}
	buf_putc(&b, '\'');
	const char *see = arena_strndup(r->mem, b.p, b.n);
	buf_free(&b);
	return see;
}

static void put_percent(struct findings_run *r, double share)
{
	buf_printf(&r->text, "%.0f%%", 100 * share);
}

/* Goroutines that wait like this want something of others; others may be idle. */
static bool has_work(uint8_t wait)
{
	return wait == RUNTIME_WAIT_SEND || wait == RUNTIME_WAIT_MUTEX;
}

/* The goroutines that the runtime has found to be leaked: all of a goroutineleak profile, those with the tag of a dump. */
static bool leaked_of(struct findings_run *r, struct profile_sites *p)
{
	int i = profile_sites_type(r->sn, "goroutine");
	if (sites_of(r, p, "goroutineleak", SITES_BY_WAIT))
		return true;
	if (i == PROFILE_NO_TYPE)
		return false;
	profile_sites_make_leaked(p, r->sn, r->profile, i, &r->scratch);
	return p->a > 0;
}

void leak_of_profile(struct findings_run *r)
{
	enum { SITES = 8 };	/* the number of lines that are reported */
	struct profile_sites p;
	if (!leaked_of(r, &p))
		return;
	for (uint32_t i = 0; i < p.n && i < SITES; i++) {
		const struct profile_site *s = &p.v[i];
		struct finding f = {.score = 100, .see = s->fun ? see_callers(r, s) : "top"};
		if (s->a <= 0)
			continue;
		buf_printf(&r->text, "%lld goroutine%s never return%s from ", (long long)s->a, text_s((uint64_t)s->a),
		    s->a == 1 ? "s" : "");
		finding_put_place(r, frame_of(r, s));
		if (s->kind)
			buf_printf(&r->text, ": %s", runtime_wait_name((enum runtime_wait)s->kind));
		buf_puts(&r->text, ", and nothing that could end the wait is reachable");
		finding_culprit_stack(r, &f, s->path);
		finding_number(&f, "goroutines", (double)s->a);
		finding_number(&f, "all_leaked", (double)p.a);
		finding_add(r, 1, &f);
	}
}

void rule_same_stack(struct findings_run *r)
{
	struct profile_sites p;
	if (leaked_of(r, &p) || !sites_of(r, &p, "goroutine", SITES_BY_WAIT))
		return;
	const struct profile_site *s = profile_sites_heaviest(&p, 0);
	if (!s || !s->kind)
		return;
	double share = share_of(s->a, p.a);
	double fit = fmin(finding_fit(share, LIMIT(r, SAME_STACK, SHARE)),
	    finding_fit((double)s->a, LIMIT(r, SAME_STACK, GOROUTINES)));
	struct finding f = {.score = finding_score((double)s->a, (double)p.a), .see = see_callers(r, s)};
	if (!has_work(s->kind))
		fit = fit >= 1 ? 0.5 : 0;
	buf_printf(&r->text, "%lld of %lld goroutines wait at ", (long long)s->a, (long long)p.a);
	finding_put_place(r, frame_of(r, s));
	buf_printf(&r->text, ": %s", runtime_wait_name((enum runtime_wait)s->kind));
	finding_culprit_stack(r, &f, s->path);
	finding_number(&f, "goroutines", (double)s->a);
	finding_number(&f, "all_goroutines", (double)p.a);
	finding_number(&f, "of_all_share", share);
	finding_add(r, fit, &f);
}

void rule_cpu_gc(struct findings_run *r)
{
	struct profile_sites p;
	if (!sites_of(r, &p, "cpu", SITES_BY_WORK))
		return;
	int64_t gc = profile_sites_of_kind(&p, RUNTIME_WORK_GC);
	double share = share_of(gc, p.a);
	double fit = fmin(finding_fit(share, LIMIT(r, CPU_GC, SHARE)), finding_fit((double)p.a, LIMIT(r, CPU_GC, TIME)));
	struct finding f = {.score = finding_score((double)gc, (double)p.a), .see = "top -focus=runtime.gc"};
	frm_id at = frame_of(r, profile_sites_heaviest(&p, RUNTIME_WORK_ALLOC));
	buf_puts(&r->text, "the GC takes ");
	put_percent(r, share);
	buf_puts(&r->text, " of the CPU time");
	if (at) {
		buf_puts(&r->text, "; ");
		finding_put_place(r, at);
		buf_puts(&r->text, " allocates most");
	}
	finding_culprit(r, &f, at);
	finding_number(&f, "gc_ns", (double)gc);
	finding_number(&f, "cpu_ns", (double)p.a);
	finding_number(&f, "gc_share", share);
	finding_number(&f, "allocation_share", share_of(profile_sites_of_kind(&p, RUNTIME_WORK_ALLOC), p.a));
	finding_add(r, fit, &f);
}

void rule_cpu_locks(struct findings_run *r)
{
	struct profile_sites p;
	if (!sites_of(r, &p, "cpu", SITES_BY_WORK))
		return;
	int64_t lock = profile_sites_of_kind(&p, RUNTIME_WORK_LOCK);
	double share = share_of(lock, p.a);
	double fit = fmin(
	    finding_fit(share, LIMIT(r, CPU_LOCKS, SHARE)), finding_fit((double)p.a, LIMIT(r, CPU_LOCKS, TIME)));
	struct finding f = {.score = finding_score((double)lock, (double)p.a), .see = "top -focus=lock"};
	frm_id at = frame_of(r, profile_sites_heaviest(&p, RUNTIME_WORK_LOCK));
	buf_puts(&r->text, "locks take ");
	put_percent(r, share);
	buf_puts(&r->text, " of the CPU time");
	if (at) {
		buf_puts(&r->text, ", most of it at ");
		finding_put_place(r, at);
	}
	finding_culprit(r, &f, at);
	finding_number(&f, "lock_ns", (double)lock);
	finding_number(&f, "cpu_ns", (double)p.a);
	finding_number(&f, "lock_share", share);
	finding_add(r, fit, &f);
}

/* Return how many waits the delay of a site is of; 0: unknown. */
static int64_t contentions_at(struct findings_run *r, const struct profile_site *s)
{
	struct profile_sites p;
	if (!sites_of(r, &p, "contentions", SITES_BY_WAIT))
		return 0;
	for (uint32_t i = 0; i < p.n; i++)
		if (p.v[i].fun == s->fun && p.v[i].line == s->line && p.v[i].kind == s->kind)
			return p.v[i].a;
	return 0;
}

/* Does the stack of a sample end where a lock is released? Then it is of a mutex profile. */
static bool is_unlock(const struct findings_run *r, const struct profile_site *s)
{
	for (uint32_t i = 0; i < r->sn->nsmps; i++) {
		stk_id stack = store_smp(r->st, i)->stack;
		if (user_code_first_frame(r->st, stack) != s->path)
			continue;
		const struct str_row *name = names_function(r->st, stack);
		return name->n && (strstr(name->s, "Unlock") || strstr(name->s, "unlock"));
	}
	return false;
}

void rule_contention(struct findings_run *r)
{
	struct profile_sites p;
	if (!sites_of(r, &p, "delay", SITES_BY_WAIT))
		return;
	const struct profile_site *s = profile_sites_heaviest(&p, RUNTIME_WAIT_MUTEX);
	if (!s)
		return;
	int64_t all = profile_sites_of_kind(&p, RUNTIME_WAIT_MUTEX), n = contentions_at(r, s);
	double share = share_of(s->a, all), mean = n > 0 ? (double)s->a / (double)n : 0;
	double fit = fmin(finding_fit(share, LIMIT(r, CONTENTION, SHARE)),
	    fmin(finding_fit((double)s->a, LIMIT(r, CONTENTION, DELAY)), finding_fit(mean, LIMIT(r, CONTENTION, MEAN))));
	struct finding f = {.score = finding_score((double)s->a, (double)p.a), .see = see_callers(r, s)};
	bool unlock = is_unlock(r, s);
	if (unlock) {
		buf_puts(&r->text, "others wait ");
		text_ns(&r->text, s->a);
		buf_puts(&r->text, " for a lock that ");
		finding_put_place(r, frame_of(r, s));
		buf_puts(&r->text, " unlocks: ");
	} else {
		finding_put_place(r, frame_of(r, s));
		buf_puts(&r->text, " waits ");
		text_ns(&r->text, s->a);
		buf_puts(&r->text, " for a lock: ");
	}
	put_percent(r, share);
	buf_puts(&r->text, " of the waits for locks");
	finding_culprit_stack(r, &f, s->path);
	finding_number(&f, "delay_ns", (double)s->a);
	finding_number(&f, "lock_delay_ns", (double)all);
	finding_number(&f, "of_locks_share", share);
	finding_number(&f, "contentions", (double)n);
	finding_number(&f, "mean_ns", mean);
	finding_add(r, fit, &f);
}

void rule_heap_site(struct findings_run *r)
{
	struct profile_sites p;
	if (!sites_of(r, &p, "inuse_space", SITES_BY_LINE))
		return;
	const struct profile_site *s = profile_sites_heaviest(&p, 0);
	if (!s)
		return;
	double share = share_of(s->a, p.a);
	double fit = fmin(
	    finding_fit(share, LIMIT(r, HEAP_SITE, SHARE)), finding_fit((double)s->a, LIMIT(r, HEAP_SITE, BYTES)));
	struct finding f = {.score = finding_score((double)s->a, (double)p.a), .see = see_callers(r, s)};
	finding_put_place(r, frame_of(r, s));
	buf_puts(&r->text, " has allocated ");
	text_bytes(&r->text, s->a);
	buf_puts(&r->text, " of ");
	text_bytes(&r->text, p.a);
	buf_puts(&r->text, " that are live: ");
	put_percent(r, share);
	finding_culprit_stack(r, &f, s->path);
	finding_number(&f, "live_bytes", (double)s->a);
	finding_number(&f, "all_live_bytes", (double)p.a);
	finding_number(&f, "of_all_share", share);
	finding_add(r, fit, &f);
}

static const struct profile_site *most_grown(const struct profile_sites *p)
{
	const struct profile_site *most = NULL;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct profile_site *s = &p->v[i];
		if (s->fun && s->a > s->b && (!most || wrap_sub(s->a, s->b) > wrap_sub(most->a, most->b)))
			most = s;
	}
	return most;
}

void rule_heap_growth(struct findings_run *r)
{
	struct profile_sites p;
	if (!r->profile->b || !sites_of(r, &p, "inuse_space", SITES_BY_LINE) || p.b <= 0 || p.a <= p.b)
		return;
	const struct profile_site *s = most_grown(&p);
	if (!s)
		return;
	int64_t more = wrap_sub(p.a, p.b), own = wrap_sub(s->a, s->b);
	double share = share_of(own, more), growth = (double)p.a / (double)p.b;
	double fit = fmin(finding_fit(growth - 1, LIMIT(r, HEAP_GROWTH, GROWTH) - 1),
	    fmin(finding_fit((double)more, LIMIT(r, HEAP_GROWTH, BYTES)),
		finding_fit(share, LIMIT(r, HEAP_GROWTH, SHARE))));
	struct finding f = {.score = finding_score((double)own, (double)p.a), .see = see_callers(r, s)};
	buf_puts(&r->text, "the live memory grew from ");
	text_bytes(&r->text, p.b);
	buf_puts(&r->text, " to ");
	text_bytes(&r->text, p.a);
	buf_puts(&r->text, ": ");
	finding_put_place(r, frame_of(r, s));
	buf_puts(&r->text, " allocated ");
	put_percent(r, fmin(share, 1));
	buf_puts(&r->text, " of the difference");
	finding_culprit_stack(r, &f, s->path);
	finding_number(&f, "base_bytes", (double)p.b);
	finding_number(&f, "live_bytes", (double)p.a);
	finding_number(&f, "grown_bytes", (double)own);
	finding_number(&f, "of_growth_share", share);
	finding_add(r, fit, &f);
}
