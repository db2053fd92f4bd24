/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACEPANE_TRACEPANE_H
#define TTRACE_TRACEPANE_TRACEPANE_H

#include "app/pane.h"
#include "trace/as_profile.h"
#include "trace/focus.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/stats/histogram.h"
#include "widget/list.h"

/*
 * What the panes on traces (goroutines, tasks, GC, events) share: the part of the trace that the
 * query selects, and drawing times, names, stacks and histograms.
 */
struct tracepane_scope {
	struct trace_filter f;		/* f.g: with slices of tasks or regions, only goroutines that have some */
	const uint8_t *chosen;		/* the goroutines of the query, with or without slices; NULL: all */
	int64_t t0, t1;			/* the window, inside of the snapshot */
	bool part;			/* the window is not the whole trace */
	trk_id g;			/* the only goroutine; 0: several */
	const struct snap *sn;
};
void tracepane_scope(const struct pane_env *, struct arena *, struct tracepane_scope *);
/* As tracepane_scope(), on any thread. */
void tracepane_scope_of_query(const struct snap *, const struct query *, struct arena *, struct tracepane_scope *);
/* For panes on whole goroutines: limit the scope to those that ran on the P of the query. */
void tracepane_limit_to_proc(struct tracepane_scope *, struct arena *);
/* For panes on goroutines: limit the scope to those in focus. */
void tracepane_limit_to_focus(struct tracepane_scope *, struct arena *, const struct progress_watcher *on);
/* Return whether an event of a goroutine or P (0: of none) at t is in the scope, with the P of the query. */
bool tracepane_event_in_scope(const struct tracepane_scope *, trk_id, int64_t t);
static inline bool tracepane_is_filtered(const struct tracepane_scope *sc)
{
	return sc->f.g || sc->f.slice || sc->f.proc || sc->f.focus;
}
/* Return whether a task or region of goroutine g is in the scope: only those selected, not others at the same time, and only
   if the goroutine is in focus meanwhile. */
bool tracepane_span_in_scope(const struct tracepane_scope *, uint32_t span, trk_id g, int64_t t0, int64_t t1);
struct stats_query tracepane_sched_query(const struct tracepane_scope *);
/* Get the bounds of a task, those of the trace where they are unknown. */
void tracepane_task_bounds(const struct snap *, const struct stats_task *, int64_t *t0, int64_t *t1);
/* Return whether a goroutine in this state waits for something other than a P. */
static inline bool tracepane_state_waits(enum tstate s) { return s >= TS_CHANSEND && s < TS_UNKNOWN; }

/* Made safe; none: written instead of an empty string. */
void tracepane_put_str(const struct store *, str_id, const char *none, struct buf *);
/* The name of a kind of operations, shortened to some cells: package paths go first. */
void tracepane_put_kind_name(const char *, size_t n, size_t cells, struct buf *);
void tracepane_put_id(const struct store *, trk_id, struct buf *);			/* "G17", "P2" */
void tracepane_put_track(const struct store *, trk_id, struct buf *);		/* "G17 main.worker" */
void tracepane_put_frame(const struct store *, frm_id, struct buf *, bool where);	/* "main.f main.go:12" */
/* Append the frame that represents a stack (trace/user_code.h), "main.work main.go:41". tracepane_put_call_site()
   also appends the function that it calls, "main.work main.go:41 > sync.(*Mutex).Lock". */
void tracepane_put_site(const struct store *, stk_id, struct buf *);
void tracepane_put_call_site(const struct store *, stk_id, struct buf *);
/* Draw a stack from the leaf, one frame per line; return the line after it. */
int tracepane_draw_stack(const struct pane_env *, struct grid *, int y, int h, stk_id);
/* Set the place to that frame, for links. */
void tracepane_site_place(const struct store *, stk_id, struct place *);

/* Draw a value that ends before x1; zero is a dim dot. */
void tracepane_draw_ns(struct grid *, int y, int x1, int64_t ns, int attr);
void tracepane_draw_bytes(struct grid *, int y, int x1, uint64_t n);
void tracepane_draw_count(struct grid *, int y, int x1, int64_t n);
int tracepane_count_width(uint64_t most);	/* width of a column of counts, at least that of the others */
void tracepane_draw_time(struct grid *, int y, int x1, int64_t t);
void tracepane_draw_symbol(
    const struct pane_env *, struct grid *, int y, int x, int w, enum style, str_id, const char *none);
/* Draw a text in w cells, with the matches of the search marked. */
void tracepane_draw_text(const struct pane_env *, struct grid *, int y, int x, int w, enum style, struct buf *);
/* Draw a histogram in one line of w cells, or in h lines with its scale below; tracepane_draw_histogram_rows()
   returns the line after it. */
void tracepane_draw_histogram(
    struct grid *, int y, int x, int w, const struct duration_histogram *, int64_t lo, int64_t hi, enum style);
int tracepane_draw_histogram_rows(struct grid *, int y, int h, const struct duration_histogram *, enum style);
/* Return the largest of 1, 10, 100... at or below a duration, or the smallest above it (up). */
int64_t tracepane_round_decade(int64_t ns, bool up);
/* Draw the states of a goroutine over [t0, t1) in one line. */
void tracepane_draw_states(const struct pane_env *, struct grid *, int y, int x, int w, trk_id, int64_t t0, int64_t t1);
/* Draw why there is nothing to show, over several lines; newlines separate paragraphs. */
extern const char tracepane_log_notice[]; /* why a log of gctrace or schedtrace has no data for this pane */
void tracepane_draw_empty(struct grid *, int y, const char *why);
/* Draw a text from column x on, broken between words. Return the line after it. */
int tracepane_draw_wrapped(struct grid *, int y, int x, enum style, const char *);
/* Draw a share of a total: name, time, bar; or all times of a goroutine or region, as on the pages of `go tool
   trace`. Use lines y to before h; return the line after them. */
int tracepane_draw_share(struct grid *, int y, int h, enum style, const char *name, int64_t ns, int64_t whole);
int tracepane_draw_accounts(const struct store *, struct grid *, int y, int h, const struct goroutine_times *);
int tracepane_accounts_height(const struct goroutine_times *);	/* lines that all of them need */
/* Append "running 310ms 15.5% | runnable ...": the largest states of a total. Assists, sweep and stops
   that a goroutine runs are in "running", as in tracepane_draw_accounts(). */
void tracepane_put_shares(const int64_t ns[TS__N], int64_t whole, struct buf *);
/* As a regular expression that matches only this name. */
void tracepane_put_name_regex(const struct store *, str_id, struct buf *);
void tracepane_put_regex(const char *, size_t n, struct buf *);	/* likewise for n bytes */
/* Append "counting 12%... "; NULL: the progress is not known. */
void tracepane_put_progress(const struct job *, const char *what, struct buf *);
void tracepane_put_scope(const struct tracepane_scope *, struct buf *);	/* "whole trace", "1.2s to 1.3s" */


/* The wake that ( followed last: the waker, the goroutine that it woke, the time, and the stack of the waker. by
   0: none yet. */
struct tracepane_wake {
	trk_id by, to;
	int64_t t;
	stk_id stack;
};
/* "woke G37 at 1.234000s  main.reserve main.go:43 > (*Mutex).Unlock" */
void tracepane_put_wake(const struct store *, const struct tracepane_wake *, struct buf *);

#endif
