/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The common ground of the reports on traces. All take their numbers from the
 * store through the analyses, so that a report and a pane cannot disagree;
 * nothing here looks at events.
 */
#include "config.h"
#include "report/trace/trace_report.h"

#include "report/pprof/profile_report.h"
#include "store/tracks/time_search.h"
#include "trace/user_code.h"

#include <stdlib.h>
#include <string.h>

/* -task is a number. */
static bool trep_id(const struct trep *r, uint64_t *id)
{
	const char *s = trep_has(r, OPT_TASK) ? opt_str(r->o, OPT_TASK) : "";
	char *end;
	s += *s == 't';
	if (*s < '0' || *s > '9')
		return false;
	uint64_t v = strtoull(s, &end, 10);
	if (id)
		*id = v;
	return !*end;
}

static struct rx *expression(struct trep *r, enum opt_id id, struct err *e)
{
	struct err why = {0};
	if (!trep_has(r, id) || (id == OPT_TASK && trep_id(r, NULL)))
		return NULL;
	const char *re = id == OPT_REGION ? tw_placed(opt_str(r->o, id), r->mem, &r->place) : opt_str(r->o, id);
	struct rx *rx = rx_new(re, &why);
	if (!rx)
		err_set(e, ERR_USAGE, ERR_NOWHERE, "%s: %s", re, why.msg);
	return rx;
}

static int open_pick(struct trep *r, struct err *e)
{
	const struct opt *o = r->o;
	r->pick = PICK_ALL;
	*e = (struct err){0};
	if (trace_latency(o, &r->pick.lo, &r->pick.hi, e))
		return -1;
	if (o->v[OPT_COMPLETE].set)
		r->pick.whole = opt_bool(o, OPT_COMPLETE) ? PICK_WHOLE : PICK_PART;
	r->text = expression(r, OPT_LOGTEXT, e);
	r->task = expression(r, OPT_TASK, e);
	r->region = expression(r, OPT_REGION, e);
	r->pick.text = r->text;
	r->ts = r->task ? sched_tasks(r->sn, r->mem, NULL) : NULL;
	return e->kind ? -1 : 0;
}

/* Those who worked for the tasks, in the regions, on the P asked for: also where only goroutines are looked at. */
static void narrow_goroutines(struct trep *r)
{
	r->on = r->filter.g;
	if (r->filter.proc)
		r->on = tw_on_proc(r->sn, r->filter.proc, r->filter.from, r->filter.to, r->filter.g, r->mem);
	r->ask.g = r->on;
	if (!r->filter.slice)
		return;
	uint8_t *set = arena_zalloc(r->mem, r->sn->ntrks / 8 + 1u);
	for (uint32_t i = 0; i < r->filter.nslice; i++) {
		trk_id t = r->filter.slice[i].trk;
		if (tw_has(r->on, t))
			set[t >> 3] |= (uint8_t)(1u << (t & 7));
	}
	r->ask.g = set;
}

/* Say why a report on a log of gctrace or schedtrace is empty, when it is about what no line tells. */
static void note_log(const struct trep *r)
{
	static const char *const answers[] = {"gc", "stw", "mmu", "procs", "stats"};
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
		if (!r->sn->trace.log || !strcmp(r->o->report, answers[i]))
			return;
	for (trk_id t = 1; t < r->sn->ntrks; store_pass(r->sn, t++))
		if (store_trk(r->sn->st, t)->kind == TK_G)
			return;
	report_notice((void *)(uintptr_t)r->o, "a gctrace or schedtrace log has no states of goroutines: "
	    "use gc, stw, mmu, procs or stats; scheddetail=1 adds a list of goroutines, a trace has everything");
}

int trep_open(struct trep *r, const struct opt *o, struct out *out, struct err *e)
{
	*r = (struct trep){ .o = o, .out = &out->buf, .to = out };
	if (table_format(o, &r->format, e) || trace_open(&r->t, o, report_notice, (void *)(uintptr_t)o, e))
		return -1;
	r->sn = r->t.sn;
	r->st = r->sn->st;
	r->mem = &r->t.arena;
	note_log(r);
	if (trace_range(r->sn, o, &r->t0, &r->t1, e) || trace_filter(r->sn, o, r->mem, &r->filter, e)) {
		trep_close(r);
		return -1;
	}
	if (open_pick(r, e)) {
		trep_close(r);
		return -1;
	}
	r->ask = (struct sched_ask){ .t0 = r->filter.from, .t1 = r->filter.to, .g = r->filter.g };
	if (o->watch)
		r->ask.on = (struct onlooker){ o->watch->go, o->watch->arg };
	narrow_goroutines(r);
	return 0;
}

void trep_close(struct trep *r)
{
	if (r->sn && store_lost(r->sn))
		report_notice((void *)(uintptr_t)r->o,
		    "%s: the file or its index changed on disk while it was read: some parts count as empty",
		    r->o->file[0]);
	rx_free(r->text);
	rx_free(r->task);
	rx_free(r->region);
	trace_close(&r->t);
}

/* Items: each may be looked at in another place, and a look brings sixteen pages, or as many as the system likes. To
   let go of them takes a look at all that there may be, so it is done when it is worth it. */
enum { REST = 1 << 6 };

void trep_rest(const struct trep *r, uint32_t look)
{
	if (look % REST == REST - 1 && r->st->keep && mem_full()) {
		store_rest(r->sn);
		arena_rest(r->mem);
	}
	store_pass(r->sn, look);
}

bool trep_flow(const struct trep *r, uint32_t item)
{
	out_flush(r->to, false);
	trep_rest(r, item);
	return !r->to->failed;
}

bool trep_again(struct trep_rows *k)
{
	if (k->pours) {
		table_close(k->t, k->r->format);
		return false;
	}
	k->pours = k->widens || k->r->format != TF_TEXT;
	k->widens = !k->pours;
	if (k->pours)
		table_open(k->t, k->r->format, k->r->out);
	return true;
}

void trep_row(struct trep_rows *k)
{
	if (k->widens)
		table_widen(k->t);
	else
		table_pour(k->t, k->r->format, k->r->out);
	(void)trep_flow(k->r, k->item++);
}

struct trep_text trep_str(const struct trep *r, str_id s, const char *none)
{
	const struct str_row *row = store_str(r->st, s);
	if (!s || !row->n)
		return (struct trep_text){ none, strlen(none) };
	return (struct trep_text){ row->s, row->n };
}

void trep_frame(const struct trep *r, struct buf *b, frm_id f)
{
	if (!f)
		return;
	const struct frm_row *row = store_frm(r->st, f);
	const struct fun_row *fun = store_fun(r->st, row->fun);
	struct trep_text name = trep_str(r, fun->name, "?"), file = trep_str(r, fun->file, "?");
	buf_put(b, name.s, name.n);
	buf_putc(b, ' ');
	buf_put(b, file.s, file.n);
	buf_putc(b, ':');
	buf_i64(b, row->line);
}

static void user_cells(const struct trep *r, struct table *t, stk_id user)
{
	if (!user) {
		for (int i = 1; i < TREP_SITE_COLS; i++)
			table_none(t);
		return;
	}
	const struct frm_row *row = store_frm(r->st, stk_frame(r->st, user));
	const struct fun_row *fun = store_fun(r->st, row->fun);
	struct trep_text name = trep_str(r, fun->name, ""), file = trep_str(r, fun->file, "");
	table_str(t, name.s, name.n);
	table_str(t, file.s, file.n);
	table_int(t, row->line);
}

uint32_t trep_site_cols(const struct trep *r, uint32_t n)
{
	return r->format == TF_TEXT ? n - TREP_SITE_COLS + 1 : n;
}

void trep_site(const struct trep *r, struct table *t, stk_id s)
{
	struct buf b = {0};
	stk_id user = usercode_stack(r->st, s), first = r->format == TF_TEXT && user ? user : s;
	if (first)
		trep_frame(r, &b, stk_frame(r->st, first));
	if (first != s) {
		frm_id leaf = stk_frame(r->st, s);
		struct trep_text name = trep_str(r, store_fun(r->st, store_frm(r->st, leaf)->fun)->name, "?");
		buf_puts(&b, " > ");
		buf_put(&b, name.s, name.n);
	}
	table_str(t, b.p ? b.p : "", b.n);
	if (r->format != TF_TEXT)
		user_cells(r, t, user);
	buf_free(&b);
}

void trep_shares(const struct trep *r, int64_t *v, uint32_t n, int64_t q[TREP_SHARES])
{
	struct sched_share s[TREP_SHARES] = { { 0.5, 0 }, { 0.9, 0 }, { 0.99, 0 }, { 1, 0 } };
	sched_shares(r->mem, v, n, s, TREP_SHARES);
	for (int i = 0; i < TREP_SHARES; i++)
		q[i] = s[i].value;
}

void trep_shares_json(const struct trep *r, struct json *j, int64_t *v, uint32_t n)
{
	static const char *const key[TREP_SHARES] = { "p50_ns", "p90_ns", "p99_ns", "max_ns" };
	int64_t q[TREP_SHARES];
	trep_shares(r, v, n, q);
	for (int i = 0; i < TREP_SHARES; i++) {
		if (n)
			json_i64(j, key[i], q[i]);
		else
			json_null(j, key[i]);
	}
}

static void put_part(const struct trep *r, struct json *j, const struct sched_part *p)
{
	struct trep_text s = trep_str(r, p->name, p->text);
	json_keyed_i64(j, s.s, s.n, p->ns);
}

void trep_gstat_json(const struct trep *r, struct json *j, const struct gstat *g)
{
	json_i64(j, "total_ns", g->total);
	json_i64(j, "exec_ns", g->exec);
	json_i64(j, "sched_wait_ns", g->ready);
	json_i64(j, "syscall_ns", g->syscall);
	json_i64(j, "syscall_block_ns", g->sysblock);
	json_i64(j, "unknown_ns", g->unknown);
	json_object(j, "block_ns");
	for (uint32_t i = 0; i < g->nblock; i++)
		put_part(r, j, &g->block[i]);
	json_end(j);
	json_object(j, "ranges_ns");
	for (uint32_t i = 0; i < g->nrange; i++)
		put_part(r, j, &g->range[i]);
	json_end(j);
}

const struct table_col trep_gcols[TREP_GCOLS] = {
	{ "Total", "total_ns", TB_NS }, { "Exec", "exec_ns", TB_NS }, { "Sched wait", "sched_wait_ns", TB_NS },
	{ "Syscall", "syscall_ns", TB_NS }, { "Syscall block", "syscall_block_ns", TB_NS },
	{ "Block", "block_ns", TB_NS }, { "Unknown", "unknown_ns", TB_NS }, { "GC", "ranges_ns", TB_NS },
};

void trep_gcells(struct table *t, const struct gstat *g)
{
	int64_t block = 0, range = 0;
	for (uint32_t i = 0; i < g->nblock; i++)
		block += g->block[i].ns;
	for (uint32_t i = 0; i < g->nrange; i++)
		range += g->range[i].ns;
	const int64_t v[TREP_GCOLS] = {g->total, g->exec, g->ready, g->syscall, g->sysblock, block, g->unknown, range};
	for (int i = 0; i < TREP_GCOLS; i++)
		table_int(t, v[i]);
}

bool trep_named(const struct trep *r, str_id name)
{
	const char *want = opt_str(r->o, OPT_NAME);
	struct trep_text s = trep_str(r, name, "");
	return !r->o->v[OPT_NAME].set || (strlen(want) == s.n && !memcmp(want, s.s, s.n));
}

static bool says(const struct trep *r, const struct rx *rx, str_id name)
{
	struct trep_text s = trep_str(r, name, "");
	return !rx || rx_match(rx, s.s, s.n);
}

bool trep_task(const struct trep *r, const struct sched_tasks *ts, const struct sched_task *t)
{
	uint64_t id;
	if (trep_id(r, &id) ? t->id != id : !says(r, r->task, t->name))
		return false;
	if (r->region && r->filter.span && (t->span == UINT32_MAX || !tw_has(r->filter.span, t->span)))
		return false;
	if (r->on && (t->span == UINT32_MAX || !tw_has(r->on, store_span(r->st, t->span)->s.trk)))
		return false;
	return trep_named(r, t->name) && pick_task(&r->pick, r->st, ts, t);
}

static bool task_says(const struct trep *r, uint64_t id)
{
	uint32_t i = sched_task_find(r->ts, id);
	return i != UINT32_MAX && says(r, r->task, r->ts->task[i].name);
}

bool trep_region(const struct trep *r, const struct sink_span *s)
{
	uint64_t id;
	if (trep_id(r, &id) && s->id != id)
		return false;
	if (r->task && !task_says(r, s->id))
		return false;
	return trep_named(r, s->name) && says(r, r->region, s->name) &&
	    (!r->place.placed || tw_place(r->st, s) == r->place.pc) && pick_region(&r->pick, r->sn, s);
}
