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
struct tp_scope {
	struct tw_filter f;		/* f.g: also the goroutines of the stretches of tasks and regions */
	int64_t t0, t1;			/* the window, inside of the snapshot */
	bool part;			/* it is not the whole trace */
	trk_id g;			/* of goroutines it is this one's alone; 0: of more */
	const struct snap *sn;
};
void tp_scope(const struct pane_env *, struct arena *, struct tp_scope *);
/* Likewise, by any thread. */
void tp_scope_of(const struct snap *, const struct query *, struct arena *, struct tp_scope *);
/* Where goroutines are looked at as a whole: those that ran on the P that is asked for. */
void tp_on_proc(struct tp_scope *, struct arena *);
/* An event of a goroutine or P (0: of nobody) at t is: also on the P that is asked for. */
bool tp_event_in(const struct tp_scope *, trk_id, int64_t t);
static inline bool tp_narrow(const struct tp_scope *sc) { return sc->f.g || sc->f.slice || sc->f.proc; }
/* A task or region is, of goroutine g: the ones that are meant, and not what else went on meanwhile. */
bool tp_span_in(const struct tp_scope *, uint32_t span, trk_id g, int64_t t0, int64_t t1);
struct sched_ask tp_ask(const struct tp_scope *);

void tp_str(const struct store *, str_id, const char *none, struct buf *);	/* made safe; none: when it is empty */
void tp_id(const struct store *, trk_id, struct buf *);			/* "G17", "P2" */
void tp_who(const struct store *, trk_id, struct buf *);		/* "G17 main.worker" */
void tp_frame(const struct store *, frm_id, struct buf *, bool where);	/* "main.f main.go:12" */
/* The frame that stands for a stack (trace/user_code.h), "main.work main.go:41"; at the end of a line also what it
   calls, "main.work main.go:41 > sync.(*Mutex).Lock". */
void tp_site(const struct store *, stk_id, struct buf *);
void tp_site_call(const struct store *, stk_id, struct buf *);
/* A stack, innermost first, a frame a line; returns the line after it. */
int tp_stack(const struct pane_env *, struct grid *, int y, int h, stk_id);
/* The place of that frame, for links. */
void tp_place(const struct store *, stk_id, struct place *);

/* Cells that end before x1; zero is a dim dot. */
void tp_ns(struct grid *, int y, int x1, int64_t ns, int attr);
void tp_bytes(struct grid *, int y, int x1, uint64_t n);
void tp_count(struct grid *, int y, int x1, int64_t n);
int tp_count_width(uint64_t most);	/* of a column of them: as wide as the others, or as that takes */
void tp_at(struct grid *, int y, int x1, int64_t t);
void tp_symbol(const struct pane_env *, struct grid *, int y, int x, int w, enum style, str_id, const char *none);
/* A line of text in w cells, hits of the search marked. */
void tp_text(const struct pane_env *, struct grid *, int y, int x, int w, enum style, struct buf *);
/* A histogram in one line of w cells, or in h lines with its scale below. */
void tp_hist(struct grid *, int y, int x, int w, const struct histo *, int64_t lo, int64_t hi, enum style);
int tp_hist_rows(struct grid *, int y, int h, const struct histo *, enum style);
/* The smallest 1, 10, 100... at or below, above a duration. */
int64_t tp_decade(int64_t ns, bool up);
/* What a goroutine did over [t0, t1), one line. */
void tp_strip(const struct pane_env *, struct grid *, int y, int x, int w, trk_id, int64_t t0, int64_t t1);
/* Why there is nothing to see, over several lines; parts are separated by newlines. */
extern const char tp_log_why[];		/* why a log of gctrace or schedtrace has nothing of the program */
void tp_empty(struct grid *, int y, const char *why);
/* A share of a whole: name, time, bar; and all the accounts of a goroutine or region, as the reference's
   pages have them. Lines from y on, before h; returns the line after them. */
int tp_share(struct grid *, int y, int h, enum style, const char *name, int64_t ns, int64_t whole);
int tp_accounts(const struct store *, struct grid *, int y, int h, const struct gstat *);
int tp_accounts_rows(const struct gstat *);	/* lines that all of them take */
/* "running 310ms 15.5% | runnable ...": the largest states of a whole. */
void tp_shares(const int64_t ns[TS__N], int64_t whole, struct buf *);
void tp_quote(const struct store *, str_id, struct buf *);	/* as a regular expression that only it matches */
/* "counting 12%... "; NULL: how far is not known */
void tp_working(const struct job *, const char *what, struct buf *);
void tp_scope_words(const struct tp_scope *, struct buf *);	/* "whole trace", "1.2s to 1.3s" */


/* The wake that ( went to last: the waker, the goroutine that it woke, the time, and the stack of the waker. by 0: ( was not
   used yet. */
struct tp_wake {
	trk_id by, to;
	int64_t t;
	stk_id stack;
};
/* "woke G37 at 1.234000s  main.reserve main.go:43 > (*Mutex).Unlock" */
void tp_wake_words(const struct store *, const struct tp_wake *, struct buf *);

#endif
