/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What the panes on traces share. The scope uses the same filter of the session as the weights, so
 * a pane and a flame graph always agree; the goroutines of the time slices of tasks and regions are
 * added for panes that only test goroutines.
 */
#include "config.h"
#include "tracepane/tracepane.h"

#include "base/bsearch.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "term/style.h"
#include "widget/strip.h"
#include "trace/bins.h"
#include "trace/user_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tracepane_scope(const struct pane_env *env, struct arena *a, struct tracepane_scope *sc)
{
	tracepane_scope_of_query(session_snap(env->s), session_query(env->s), a, sc);
}

void tracepane_scope_of_query(const struct snap *sn, const struct query *q, struct arena *a, struct tracepane_scope *sc)
{
	*sc = (struct tracepane_scope){.sn = sn, .g = q->suspended ? 0 : q->g};
	query_trace_filter(sn, q, false, a, &sc->f, NULL, NULL);
	query_add_focus(sn, q, a, &sc->f, NULL);
	sc->t0 = sc->f.from == TIME_NONE || sc->f.from < sn->t0 ? sn->t0 : sc->f.from;
	sc->t1 = sc->f.to == TIME_NONE || sc->f.to > sn->t1 ? sn->t1 : sc->f.to;
	sc->t1 = sc->t1 < sc->t0 ? sc->t0 : sc->t1;
	sc->part = sc->t0 != sn->t0 || sc->t1 != sn->t1;
	sc->chosen = sc->f.g;
	if (sc->f.slice)
		sc->f.g = trace_filter_goroutines(sn, &sc->f, a);
}

void tracepane_limit_to_proc(struct tracepane_scope *sc, struct arena *a)
{
	if (!sc->f.proc)
		return;
	sc->chosen = trace_gset_on_proc(sc->sn, sc->f.proc, sc->t0, sc->t1, sc->chosen, a);
	sc->f.g = sc->f.slice ? trace_gset_on_proc(sc->sn, sc->f.proc, sc->t0, sc->t1, sc->f.g, a) : sc->chosen;
}

void tracepane_limit_to_focus(struct tracepane_scope *sc, struct arena *a, const struct progress_watcher *on)
{
	if (!sc->f.focus)
		return;
	sc->chosen = trace_focus_goroutines(sc->f.focus, sc->f.from, sc->f.to, sc->chosen, a, on);
	sc->f.g = sc->f.slice ? trace_focus_goroutines(sc->f.focus, sc->f.from, sc->f.to, sc->f.g, a, on) : sc->chosen;
}

static bool in_slices(const struct tracepane_scope *sc, trk_id g, int64_t t0, int64_t t1)
{
	struct bsearch_probe h = {.hi = sc->f.nslice};
	while (bsearch_probe(&h)) {	/* find the first that ends at or after t0 */
		const struct trace_slice *s = &sc->f.slice[h.at];
		bsearch_narrow(&h, s->trk < g || (s->trk == g && s->t1 < t0));
	}
	return h.lo < sc->f.nslice && sc->f.slice[h.lo].trk == g && sc->f.slice[h.lo].t0 <= t1;
}

/* Return whether something of goroutine g (0: of none) at [t0, t1] is in the scope. */
static bool in_scope(const struct tracepane_scope *sc, trk_id g, int64_t t0, int64_t t1)
{
	if (t1 < sc->t0 || t0 >= sc->t1)
		return false;
	if (!sc->f.g)
		return true;
	return g && trace_gset_has(sc->f.g, g) && (!sc->f.slice || in_slices(sc, g, t0, t1));
}

/* Return whether a goroutine is on a P at t, was just before, or is woken then by one that is. */
static bool on_proc(const struct snap *sn, trk_id g, trk_id p, int64_t t)
{
	struct trace_interval v;
	for (int k = 0; k < 2; k++) {
		if (!trace_interval_at(sn, g, t - k, &v))
			continue;
		if (v.state >= TS_RUN && v.state <= TS_SYSCALL && v.state != TS_READY && v.peer == p)
			return true;
		if (v.state == TS_READY && v.t0 == t && v.peer && trace_interval_at(sn, v.peer, t, &v) && v.peer == p)
			return true;
	}
	return false;
}

bool tracepane_event_in_scope(const struct tracepane_scope *sc, trk_id g, int64_t t)
{
	if (!in_scope(sc, g, t, t))
		return false;
	return !sc->f.proc || g == sc->f.proc ||
	       (g && store_trk(sc->sn->st, g)->kind == TK_G && on_proc(sc->sn, g, sc->f.proc, t));
}

bool tracepane_span_in_scope(const struct tracepane_scope *sc, uint32_t span, trk_id g, int64_t t0, int64_t t1)
{
	if (sc->f.focus && !trace_focus_has_time(sc->f.focus, g, t0, t1, FOCUS_ALL_PIECES))
		return false;
	if (!sc->f.span)
		return in_scope(sc, g, t0, t1);
	return t1 >= sc->t0 && t0 < sc->t1 && trace_gset_has(sc->f.span, span) && trace_gset_has(sc->chosen, g);
}

struct stats_query tracepane_sched_query(const struct tracepane_scope *sc)
{
	return (struct stats_query){
	    .t0 = sc->part ? sc->t0 : TIME_NONE, .t1 = sc->part ? sc->t1 : TIME_NONE, .g = sc->f.g};
}

void tracepane_task_bounds(const struct snap *sn, const struct stats_task *t, int64_t *t0, int64_t *t1)
{
	*t0 = t->t0 == TIME_NONE ? sn->t0 : t->t0;
	*t1 = t->t1 == TIME_NONE ? sn->t1 : t->t1;
}

/* ---- names */

void tracepane_put_str(const struct store *st, str_id s, const char *none, struct buf *b)
{
	const struct str_row *r = store_str(st, s);
	if (r->n)
		text_safe(b, r->s, r->n);
	else
		buf_puts(b, none);
}

void tracepane_put_kind_name(const char *s, size_t n, size_t cells, struct buf *b)
{
	struct buf safe = {0};
	text_safe(&safe, s, n);
	text_fit_line(b, safe.p, safe.n, cells, false);
	buf_free(&safe);
}

void tracepane_put_id(const struct store *st, trk_id t, struct buf *b)
{
	static const char letter[] = "?PMG";
	const struct trk_row *r = store_trk(st, t);
	buf_putc(b, letter[r->kind]);
	buf_u64(b, r->id);
}

void tracepane_put_track(const struct store *st, trk_id t, struct buf *b)
{
	tracepane_put_id(st, t, b);
	if (store_trk(st, t)->kind == TK_G && store_trk_name(st, t)) {
		buf_putc(b, ' ');
		tracepane_put_str(st, store_trk_name(st, t), "", b);
	}
}

static const struct str_row *graph_frame_name(const struct store *st, frm_id f)
{
	return store_str(st, store_fun(st, store_frm(st, f)->fun)->name);
}

void tracepane_put_frame(const struct store *st, frm_id id, struct buf *b, bool where)
{
	const struct frm_row *f = store_frm(st, id);
	const struct str_row *file = store_str(st, store_fun(st, f->fun)->file);
	const struct str_row *name = graph_frame_name(st, id);
	if (name->n)
		text_safe(b, name->s, name->n);
	else
		buf_printf(b, "0x%llx", (unsigned long long)store_loc(st, f->loc)->addr);
	if (!where || !file->n)
		return;
	size_t base = file->n;
	while (base && file->s[base - 1] != '/')
		base--;
	buf_putc(b, ' ');
	text_safe(b, file->s + base, file->n - base);
	buf_printf(b, ":%lld", (long long)f->line);
}

void tracepane_put_site(const struct store *st, stk_id stk, struct buf *b)
{
	if (stk)
		tracepane_put_frame(st, stk_frame(st, user_code_site(st, stk)), b, true);
}

void tracepane_put_call_site(const struct store *st, stk_id stk, struct buf *b)
{
	tracepane_put_site(st, stk, b);
	if (stk && user_code_site(st, stk) != stk) {
		buf_puts(b, " > ");
		tracepane_put_frame(st, stk_frame(st, stk), b, false);
	}
}

void tracepane_put_wake(const struct store *st, const struct tracepane_wake *w, struct buf *b)
{
	buf_puts(b, "woke ");
	tracepane_put_id(st, w->to, b);
	buf_puts(b, " at ");
	text_at(b, w->t, 1000);
	buf_puts(b, "  ");
	tracepane_put_call_site(st, w->stack, b);
}

void tracepane_site_place(const struct store *st, stk_id stk, struct place *p)
{
	if (!stk)
		return;
	p->stk = stk;
	p->frm = stk_frame(st, user_code_site(st, stk));
	p->fun = store_frm(st, p->frm)->fun;
}

/* ---- cells */

void tracepane_draw_text(
    const struct pane_env *env, struct grid *g, int y, int x, int w, enum style style, struct buf *b)
{
	if (w <= 0)
		return;
	struct rect old = grid_clip(g, (struct rect){y, x, 1, w});
	grid_line(g, 0, 0, style, 0, b);
	list_mark_hits(g, (struct rect){0, 0, 1, w}, env->find.rx);
	grid_unclip(g, old);
}

void tracepane_draw_symbol(const struct pane_env *env, struct grid *g, int y, int x, int w, enum style style, str_id id,
    const char *none)
{
	const struct str_row *s = store_str(session_snap(env->s)->st, id);
	struct buf b = {0};
	if (w > 0 && s->n)
		text_fit_symbol(&b, s->s, s->n, (size_t)w, env->ascii);
	else
		buf_puts(&b, none);
	tracepane_draw_text(env, g, y, x, w, s->n ? style : ST_DIM, &b);
	buf_free(&b);
}

int tracepane_draw_stack(const struct pane_env *env, struct grid *g, int y, int h, stk_id stk)
{
	const struct store *st = session_snap(env->s)->st;
	struct buf b = {0};
	for (; stk && y < h; stk = stk_parent(st, stk), y++) {
		const struct frm_row *f = store_frm(st, stk_frame(st, stk));
		struct buf where = {0};
		buf_reset(&b);
		tracepane_put_frame(st, stk_frame(st, stk), &b, true);
		const char *s = buf_str(&b), *at = strrchr(s, ' ');
		if (at && f->fun)
			buf_puts(&where, at + 1);
		int w = g->w - 4 - (int)where.n;
		tracepane_draw_symbol(env, g, y, 2, w, ST_NORMAL, store_fun(st, f->fun)->name, s);
		grid_right(g, y, g->w, ST_DIM, 0, buf_str(&where));
		buf_free(&where);
	}
	buf_free(&b);
	return y;
}

static void draw_right(struct grid *g, int y, int x1, struct buf *b, int64_t v, int attr)
{
	if (v)
		grid_right(g, y, x1, ST_NORMAL, attr, buf_str(b));
	else
		grid_right(g, y, x1, ST_DIM, 0, ".");
	buf_free(b);
}

void tracepane_draw_ns(struct grid *g, int y, int x1, int64_t ns, int attr)
{
	struct buf b = {0};
	text_ns(&b, ns);
	draw_right(g, y, x1, &b, ns, attr);
}

void tracepane_draw_bytes(struct grid *g, int y, int x1, uint64_t n)
{
	struct buf b = {0};
	text_bytes(&b, (int64_t)(n & INT64_MAX));
	draw_right(g, y, x1, &b, n != 0, 0);
}

void tracepane_draw_count(struct grid *g, int y, int x1, int64_t n)
{
	struct buf b = {0};
	text_count(&b, n);
	draw_right(g, y, x1, &b, n, 0);
}

int tracepane_count_width(uint64_t most)
{
	enum { USUAL = 7 };
	struct buf b = {0};
	text_count(&b, (int64_t)most);
	int w = b.n > USUAL ? (int)b.n : USUAL;
	buf_free(&b);
	return w;
}

void tracepane_draw_time(struct grid *g, int y, int x1, int64_t t)
{
	struct buf b = {0};
	text_at(&b, t, 100000);
	draw_right(g, y, x1, &b, 1, 0);
}

int64_t tracepane_round_decade(int64_t ns, bool up)
{
	int64_t d = 1;
	while (d <= INT64_MAX / 10 && (up ? d <= ns : d * 10 <= ns))
		d *= 10;
	return d;
}

void tracepane_draw_histogram(
    struct grid *g, int y, int x, int w, const struct duration_histogram *h, int64_t lo, int64_t hi, enum style style)
{
	uint64_t col[256], most = 0;
	w = w > 256 ? 256 : w;
	if (w <= 0)
		return;
	histogram_columns(h, lo, hi, w, col);
	for (int i = 0; i < w; i++)
		most = col[i] > most ? col[i] : most;
	for (int i = 0; i < w; i++)
		if (col[i])
			grid_level(g, y, x + i, (double)col[i] / (double)most, style, ST_NORMAL);
}

int tracepane_draw_histogram_rows(struct grid *g, int y, int h, const struct duration_histogram *hi, enum style style)
{
	uint32_t most = 1;
	for (int i = 0; i < HISTOGRAM_ROWS; i++)
		most = hi->row[i] > most ? hi->row[i] : most;
	for (int i = 0; i < HISTOGRAM_ROWS && y < h; i++) {
		struct buf b = {0};
		if (histogram_row_start(i) > hi->max || histogram_row_start(i + 1) <= hi->min)
			continue;
		text_ns(&b, histogram_row_start(i));
		grid_right(g, y, 8, ST_DIM, 0, buf_str(&b));
		grid_bar(g, y, 9, g->w - 18, (double)hi->row[i] / most, style);
		tracepane_draw_count(g, y++, g->w - 1, hi->row[i]);
		buf_free(&b);
	}
	return y;
}

void tracepane_draw_states(
    const struct pane_env *env, struct grid *g, int y, int x, int w, trk_id t, int64_t t0, int64_t t1)
{
	if (w <= 0 || t1 <= t0)
		return;
	/* not in the scratch arena, which would grow with each row of a long export */
	struct bin *bin = xmalloc((size_t)w * sizeof *bin);
	bins_row(session_snap(env->s), t, t0, t1, (uint32_t)w, bin);
	for (int i = 0; i < w; i++) {
		enum tstate s = bins_main_state(&bin[i], false);
		strip_cell(g, y, x + i, s, tracepane_state_waits(s) ? STRIP_THIN : STRIP_FULL);
	}
	mem_free(bin);
}

int tracepane_draw_share(struct grid *g, int y, int h, enum style style, const char *name, int64_t ns, int64_t whole)
{
	if (ns <= 0 || y >= h)
		return y;
	int x = g->w > 48 ? 38 : 32;
	struct rect old = grid_clip(g, (struct rect){y, 2, 1, x - 12});
	grid_text(g, 0, 0, ST_NORMAL, 0, name);
	grid_unclip(g, old);
	tracepane_draw_ns(g, y, x - 2, ns, 0);
	if (whole > 0)
		grid_bar(g, y, x, g->w - x - 1, ns > whole ? 1 : (double)ns / (double)whole, style);
	return y + 1;
}

int tracepane_accounts_height(const struct goroutine_times *s)
{
	int n = (s->exec > 0) + (s->ready > 0) + (s->syscall > 0) + (s->sysblock > 0) + (s->unknown > 0);
	for (uint32_t i = 0; i < s->nblock; i++)
		n += s->block[i].ns > 0;
	for (uint32_t i = 0; i < s->nrange; i++)
		n += s->range[i].ns > 0;
	return n;
}

int tracepane_draw_accounts(const struct store *st, struct grid *g, int y, int h, const struct goroutine_times *s)
{
	y = tracepane_draw_share(g, y, h, ST_S_RUN, "running", s->exec, s->total);
	y = tracepane_draw_share(g, y, h, ST_S_READY, "runnable", s->ready, s->total);
	y = tracepane_draw_share(g, y, h, ST_S_SYSCALL, "in system calls", s->syscall, s->total);
	y = tracepane_draw_share(g, y, h, ST_S_SYSCALL, "blocked in system calls", s->sysblock, s->total);
	for (int part = 0; part < 2; part++) {
		const struct stats_part *v = part ? s->range : s->block;
		for (uint32_t i = 0; i < (part ? s->nrange : s->nblock); i++) {
			struct buf b = {0};
			buf_puts(&b, part ? "of that " : "");
			tracepane_put_str(st, v[i].name, *v[i].text ? v[i].text : "unknown", &b);
			y = tracepane_draw_share(g, y, h, part ? ST_S_GC : ST_S_CHAN, buf_str(&b), v[i].ns, s->total);
			buf_free(&b);
		}
	}
	return tracepane_draw_share(g, y, h, ST_S_UNKNOWN, "unknown", s->unknown, s->total);
}

void tracepane_put_shares(const int64_t ns[TS__N], int64_t whole, struct buf *b)
{
	int64_t v[TS__N] = {0};
	for (int i = TS_NONE + 1; i < TS__N; i++)
		wrap_add_to(&v[state_runs((enum tstate)i) ? TS_RUN : i], ns[i]);
	for (int k = 0; k < 6 && whole > 0; k++) {
		int best = TS_NONE;
		for (int i = TS_NONE + 1; i < TS__N; i++)
			if (v[i] > v[best])
				best = i;
		if (best == TS_NONE)
			break;
		buf_printf(b, "%s%s ", k ? " | " : "", style_state_name((enum tstate)best));
		text_ns(b, v[best]);
		buf_printf(b, " %.1f%%", text_percent(v[best], whole));
		v[best] = 0;
	}
}

void tracepane_put_regex(const char *s, size_t n, struct buf *b)
{
	buf_putc(b, '^');
	for (size_t i = 0; i < n; i++) {
		if (s[i] && strchr("\\.+*?()|[]{}^$", s[i]))
			buf_putc(b, '\\');
		buf_putc(b, s[i]);
	}
	buf_putc(b, '$');
}

void tracepane_put_name_regex(const struct store *st, str_id id, struct buf *b)
{
	const struct str_row *s = store_str(st, id);
	tracepane_put_regex(s->s, s->n, b);
}

const char tracepane_log_notice[] = "This is a gctrace or schedtrace log: it does not contain what goroutines,\n"
    "tasks and regions did. Panes 5 (timeline) and 8 (GC) show what it contains.\n\n"
    "    GODEBUG=schedtrace=1000,scheddetail=1\n\n"
    "lists goroutines with their states; a trace (go test -trace, /debug/pprof/trace) has everything.";

int tracepane_draw_wrapped(struct grid *g, int y, int x, enum style style, const char *s)
{
	size_t n = strlen(s), k;
	for (; n && y < g->h && g->w > x; s += k, n -= k) {
		k = text_line_n(s, n, (size_t)(g->w - x));
		grid_textn(g, y++, x, style, 0, s, k);
		k += k < n && s[k] == ' ';
	}
	return y;
}

/* Draw the lines unchanged if all fit; else wrap paragraphs, except indented lines. */
void tracepane_draw_empty(struct grid *g, int y, const char *why)
{
	int w = g->w > 12 ? g->w - 3 : 9;
	while (*why && y < g->h) {
		char line[512];
		size_t n = strcspn(why, "\n"), longest = n, k = 0;
		const char *end = why + n;
		/* the rest of the paragraph */
		while (end > why && *end && end[1] && end[1] != '\n' && end[1] != ' ' && *why != ' ') {
			n = strcspn(end + 1, "\n");
			longest = n > longest ? n : longest;
			end += 1 + n;
		}
		if (longest <= (size_t)w || *why == ' ' || (size_t)(end - why) >= sizeof line) {
			n = strcspn(why, "\n");
			grid_textn(g, y++, 2, ST_DIM, 0, why, n);
			why += n + (why[n] == '\n');
			continue;
		}
		for (n = 0; why < end; why++)
			line[n++] = *why == '\n' ? ' ' : *why;
		for (const char *s = line; n && y < g->h; s += k, n -= k) {
			k = text_line_n(s, n, (size_t)w);
			grid_textn(g, y++, 2, ST_DIM, 0, s, k);
			k += k < n && s[k] == ' ';
		}
		why += *why == '\n';
	}
}

void tracepane_put_progress(const struct job *j, const char *what, struct buf *b)
{
	uint64_t part = 0, all = 0;
	if (j)
		job_progress(j, &part, &all);
	buf_puts(b, what);
	if (all)
		buf_printf(b, " %u%%", (unsigned)(100 * part / all));
	buf_puts(b, "... ");
}

void tracepane_put_scope(const struct tracepane_scope *sc, struct buf *b)
{
	if (!sc->part) {
		buf_puts(b, "whole trace");
		return;
	}
	text_at(b, sc->t0, 100000);
	buf_puts(b, " to ");
	text_at(b, sc->t1, 100000);
}
