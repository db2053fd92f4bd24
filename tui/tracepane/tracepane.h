/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACEPANE_TRACEPANE_H
#define TTRACE_TRACEPANE_TRACEPANE_H

#include "app/pane.h"
#include "trace/as_profile.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/stats/histogram.h"
#include "widget/list.h"

/*
 * What the panes on traces (goroutines, tasks, GC, events) have in common: what
 * the query leaves of the trace, and times, names, stacks and histograms as
 * cells.
 */
struct tracepane_scope {
	struct trace_filter f;		/* f.g: also the goroutines of the stretches of tasks and regions */
	int64_t t0, t1;			/* the window, inside of the snapshot */
	bool part;			/* it is not the whole trace */
	trk_id g;			/* of goroutines it is this one's alone; 0: of more */
	const struct snap *sn;
};
void tracepane_scope(const struct pane_env *, struct arena *, struct tracepane_scope *);
/* Likewise, by any thread. */
void tracepane_scope_of_query(const struct snap *, const struct query *, struct arena *, struct tracepane_scope *);
/* Where goroutines are looked at as a whole: those that ran on the P that is asked for. */
void tracepane_limit_to_proc(struct tracepane_scope *, struct arena *);
/* An event of a goroutine or P (0: of nobody) at t is: also on the P that is asked for. */
bool tracepane_event_in_scope(const struct tracepane_scope *, trk_id, int64_t t);
static inline bool tracepane_is_filtered(const struct tracepane_scope *sc)
{
	return sc->f.g || sc->f.slice || sc->f.proc;
}
/* A task or region is, of goroutine g: the ones that are meant, and not what else went on meanwhile. */
bool tracepane_span_in_scope(const struct tracepane_scope *, uint32_t span, trk_id g, int64_t t0, int64_t t1);
struct stats_query tracepane_sched_query(const struct tracepane_scope *);

/* Made safe; none: when it is empty. */
void tracepane_put_str(const struct store *, str_id, const char *none, struct buf *);
void tracepane_put_id(const struct store *, trk_id, struct buf *);			/* "G17", "P2" */
void tracepane_put_track(const struct store *, trk_id, struct buf *);		/* "G17 main.worker" */
void tracepane_put_frame(const struct store *, frm_id, struct buf *, bool where);	/* "main.f main.go:12" */
/* The frame that stands for a stack (trace/user_code.h), "main.work main.go:41"; at the end of a line also what it
   calls, "main.work main.go:41 > sync.(*Mutex).Lock". */
void tracepane_put_site(const struct store *, stk_id, struct buf *);
void tracepane_put_call_site(const struct store *, stk_id, struct buf *);
/* A stack, innermost first, a frame a line; returns the line after it. */
int tracepane_draw_stack(const struct pane_env *, struct grid *, int y, int h, stk_id);
/* The place of that frame, for links. */
void tracepane_site_place(const struct store *, stk_id, struct place *);

/* Cells that end before x1; zero is a dim dot. */
void tracepane_draw_ns(struct grid *, int y, int x1, int64_t ns, int attr);
void tracepane_draw_bytes(struct grid *, int y, int x1, uint64_t n);
void tracepane_draw_count(struct grid *, int y, int x1, int64_t n);
int tracepane_count_width(uint64_t most);	/* of a column of them: as wide as the others, or as that takes */
void tracepane_draw_time(struct grid *, int y, int x1, int64_t t);
void tracepane_draw_symbol(
    const struct pane_env *, struct grid *, int y, int x, int w, enum style, str_id, const char *none);
/* A line of text in w cells, hits of the search marked. */
void tracepane_draw_text(const struct pane_env *, struct grid *, int y, int x, int w, enum style, struct buf *);
/* A histogram in one line of w cells, or in h lines with its scale below. */
void tracepane_draw_histogram(
    struct grid *, int y, int x, int w, const struct duration_histogram *, int64_t lo, int64_t hi, enum style);
int tracepane_draw_histogram_rows(struct grid *, int y, int h, const struct duration_histogram *, enum style);
/* The smallest 1, 10, 100... at or below, above a duration. */
int64_t tracepane_round_decade(int64_t ns, bool up);
/* What a goroutine did over [t0, t1), one line. */
void tracepane_draw_states(const struct pane_env *, struct grid *, int y, int x, int w, trk_id, int64_t t0, int64_t t1);
/* Why there is nothing to see, over several lines; parts are separated by newlines. */
extern const char tracepane_log_notice[]; /* why a log of gctrace or schedtrace has nothing of the program */
void tracepane_draw_empty(struct grid *, int y, const char *why);
/* A share of a whole: name, time, bar; and all the accounts of a goroutine or region, as the reference's
   pages have them. Lines from y on, before h; returns the line after them. */
int tracepane_draw_share(struct grid *, int y, int h, enum style, const char *name, int64_t ns, int64_t whole);
int tracepane_draw_accounts(const struct store *, struct grid *, int y, int h, const struct goroutine_times *);
int tracepane_accounts_height(const struct goroutine_times *);	/* lines that all of them take */
/* "running 310ms 15.5% | runnable ...": the largest states of a whole. */
void tracepane_put_shares(const int64_t ns[TS__N], int64_t whole, struct buf *);
/* As a regular expression that only it matches. */
void tracepane_put_name_regex(const struct store *, str_id, struct buf *);
/* "counting 12%... "; NULL: how far is not known */
void tracepane_put_progress(const struct job *, const char *what, struct buf *);
void tracepane_put_scope(const struct tracepane_scope *, struct buf *);	/* "whole trace", "1.2s to 1.3s" */


/* The wake that ( went to last: the waker, the goroutine that it woke, the time, and the stack of the waker. by 0: ( was not
   used yet. */
struct tracepane_wake {
	trk_id by, to;
	int64_t t;
	stk_id stack;
};
/* "woke G37 at 1.234000s  main.reserve main.go:43 > (*Mutex).Unlock" */
void tracepane_put_wake(const struct store *, const struct tracepane_wake *, struct buf *);

#endif
