/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TIMELINE_TIMELINE_H
#define TTRACE_TIMELINE_TIMELINE_H

#include "app/pane.h"
#include "base/bsearch.h"
#include "term/style.h"
#include "trace/as_profile.h"
#include "trace/bins.h"
#include "trace/highlights.h"
#include "trace/region_layout.h"
#include "trace/span_search.h"
#include "trace/stats/goroutine_stats.h"
#include "tracepane/tracepane.h"

/*
 * The state of the timeline pane and what its files share. Times are ns since
 * the first event. A cell c of n covers [timeline_cell_edge(c), timeline_cell_edge(c+1)): the edges
 * come from one multiplication each, so cells tile the window at any zoom.
 */
enum timeline_kind { TL_P, TL_M, TL_G, TL_T, TL__N };
enum timeline_subset { ONLY_ALL, ONLY_GROUP, ONLY_TASK, ONLY_RELATED }; /* of the goroutines */
enum timeline_task_order { BY_START, BY_TREE, BY_DURATION };		/* of the tasks */
enum { TL_STW = 1, TL_GC = 2 };					/* overlays */
enum {
	TL_PINS = 16,
	TL_OPEN = 32,
	TL_GROUPS = 32,
	TL_LINES = 20,
	TL_CHAIN = 16,
	TL_DEEP = 10,
	TL_PS = 256
};

/* A row: of a track, of a task, a level of a track's regions, a depth of its stacks over time. */
enum timeline_row_type { ROW_TRACK, ROW_TASK, ROW_REGION, ROW_STACK };
/* Id: the track; of a task its index in tasks. */
struct timeline_row { uint32_t id; uint8_t what, level; };

/* Of the wake chain. */
struct timeline_wake_link { trk_id trk; int64_t t0, t1; enum tstate state; bool created; };

struct timeline_index { /* what is known of a snapshot (index_job.c) */
	struct arena mem, sums;	/* sums: of marks and counters, which another thread makes */
	uint32_t of;		/* so many spans and marks */
	bool first, whole;	/* first: of none of them yet; whole: the trace is there */
	const struct row_layout *row_layout; /* what lies on rows */
	const struct stats_tasks *tasks;
	uint32_t *by_start, nby_start;	/* tasks in the order in which they began */
	const struct bins_mark_sums *marks;
	const struct bins_counter_sums *counts;
	const struct bins_span_list *cycles;	/* of the collector, and stops of the world */
	bool procs; /* GOMAXPROCS was changed */
	/* By the trk_id of a P: how often a thread began to run it, gave it back, lost it in a system call. */
	struct timeline_proc_counts {
		uint32_t started, stopped, stolen;
	} * moves;
	trk_id nmoves;
};

struct timeline_tracks { /* by kind the tracks of a snapshot, by their numbers */
	trk_id of;	/* so many tracks */
	const trk_id *trk[TK_G + 1];
	uint32_t n[TK_G + 1];
	trk_id *own[TK_G + 1]; /* what of them is not the store's */
};

struct timeline_scope { /* what the filters leave, of a snapshot and a query */
	struct arena mem;
	uint32_t serial;
	bool made, on; /* on: there is such a filter */
	bool took;     /* goroutines have taken the place of Ps for it */
	struct trace_filter f;
	const uint8_t *g; /* NULL, or a bit per track: also those of the stretches */
	struct trace_slice *there;
	uint32_t nthere;
	trk_id *few; /* the goroutines, as long as they are few */
	uint32_t nfew;
	trk_id guest; /* a row all the same: it was gone to */
};

struct timeline {
	struct timeline_frame_cache *kept;	/* of the frame before (index_job.c) */
	int64_t t0, t1; /* the window */
	int64_t at;	/* the cursor: a moment inside it */
	bool whole;	/* shows all there is, and grows with it */
	bool moved;	/* the cursor was put somewhere by a key or an option: it stays there */
	bool ranging;	/* v was pressed: anchor to cursor is being chosen */
	int64_t anchor;
	int64_t r0, r1; /* the range chosen; r0 == r1: none */

	enum timeline_kind kind;
	enum timeline_subset only;
	uint64_t only_id; /* index into group[], id of the task, track */
	enum timeline_task_order order;
	struct regex *group[TL_GROUPS]; /* expressions asked for so far: views name them by number */
	uint32_t ngroup;
	struct timeline_row *row; /* pinned tracks first, then all of the kind; of many tracks those before rest[] */
	uint32_t nrow, nhead, npinrow, npin;	/* nrow: with rest[] and under[]; nhead: row[] */
	size_t cap;
	const trk_id *rest;	/* many tracks, which have no rows of their own: timeline_row() */
	uint32_t nrest, hole[TL_PINS], nhole;	/* hole: those that are pinned */
	bool ordered;		/* rest[] is by number */
	uint8_t rest_what;	/* tracks, or tasks */
	/* rows under some of them */
	struct timeline_subrows { uint32_t at, trk; uint8_t regions, stacks; } under[TL_OPEN + 1];
	uint32_t nunder;
	struct timeline_row_filter
	    *pick; /* which goroutines are rows, where that is not all of them (row_filter_job.c) */
	trk_id pin[TL_PINS], open[TL_OPEN]; /* open: regions are shown under it */
	uint32_t nopen;
	trk_id stacks; /* its stacks over time are shown under it; 0 none */
	uint32_t sel, top;

	int overlays, more;   /* more: 0 lines as there is room, 1 all there are, 2 few */
	enum { LEGEND_FITS, LEGEND_ON, LEGEND_OFF } legend; /* LEGEND_FITS: where there is room */
	bool labels, compact; /* compact: what row[] was made with */

	struct timeline_scope scope;
	struct timeline_scope_work
	    *scoping;			/* NULL, or the one that is looked for beside the keyboard (filter_dim.c) */
	bool narrowed;			/* it has come: rows are to be made */
	struct timeline_index *ix;	/* never NULL once it is open */
	struct timeline_tracks *tr;
	struct timeline_index_work *work;	/* NULL, or newer ones that are made beside the keyboard */
	uint32_t news, made;	/* how often one was; news when rows were made */

	struct span_criteria *span_criteria; /* spans that are looked for; NULL none */
	struct span_hits hits;
	struct timeline_search *search; /* under way, in a thread of its own; NULL: hits are there */
	bool hunt_p;  /* hits are intervals of Ps */
	bool dim;     /* all but the hits */
	int jump;     /* when it has ended: to the next hit (1), stay (0) */
	uint32_t hit; /* the one stood upon; UINT32_MAX */
	bool longest;		/* n and N go through the hits by duration, longest first, not by time */
	uint32_t *rank;		/* with longest: all of hits.hit in that order; else NULL */
	uint32_t rank_at;	/* the place of `hit` in it */

	struct timeline_wake_link chain[TL_CHAIN]; /* who woke, who woke that one */
	uint32_t nchain, atchain;
	struct tracepane_wake wake;		/* where ( led to */
	int64_t wake_at;		/* the cursor there; elsewhere nothing is shown of it */
	struct timeline_jump_state *asking;	/* NULL, or where a key leads is being found */
	bool going;	/* to a place, which says itself what is to be selected */

	struct timeline_facts *facts;	/* what stands out in the window (facts_job.c); NULL: not asked for yet */
	bool looked;	/* the whole trace was searched */
};

/* seen: in which frame; poor: sheets were missing */
struct timeline_row_bins { trk_id trk; uint32_t seen; bool poor; struct bin *bin; };
enum timeline_header_line {
	HD_AXIS,
	HD_HITS,
	HD_OUT,
	HD_STW,
	HD_GC,
	HD_HEAP,
	HD_STACKS,
	HD_OTHER,
	HD_PROCS,
	HD_BUSY,
	HD_QUEUED,
	HD_IDLE,
	HD_THREADS,
	HD_SPINNING,
	HD_RUNNABLE,
	HD_RUNNING,
	HD_WAITING,
	HD_SYSCALL,
	HD_STARTS,
	HD_LOGS,
	HD_EDGES,	/* no line: which mark is the first of each cell */
	HD__N
};
enum { TL_STORY_LEAST = 9 };	/* lines about the span under the cursor that leave room for the facts */

struct timeline_layout {	   /* where things go in the pane's area */
	int gutter, cells; /* columns: names, then time */
	struct {
		enum timeline_header_line what;
		int y, h;
	} line[TL_LINES];
	int nline;
	int rows, nrows;   /* first line and number of track rows */
	int story, nstory; /* lines about the span under the cursor */
	int legend, nlegend; /* the last lines: what colours and letters mean */
	const struct bin **ps;	/* of this frame: the Ps, for their sum */
	int nps;
	uint8_t *ran; /* of this frame: in which cells goroutines of the filter ran; NULL: no matter */
	uint32_t *marks; /* of this frame, where there are logs: the first mark at or after each edge of a cell */
};

/* Where everything stands on a pane of that size; it depends on the rows and the selection alone. */
struct timeline_layout timeline_layout(const struct timeline *, const struct pane_env *);

/* Begin of cell c (0..cells) of the window. */
static inline int64_t timeline_cell_edge(const struct timeline *tl, int cells, int c)
{
	return bins_edge(tl->t0, tl->t1, cells > 0 ? (uint32_t)cells : 1, (uint32_t)c);
}
int timeline_cell_at(const struct timeline *, int cells, int64_t t); /* cell that holds t, clamped */
/* The share of cell c that ns of it are, 0..1. */
static inline double timeline_cell_share(const struct timeline *tl, int cells, int c, int64_t ns)
{
	int64_t width = timeline_cell_edge(tl, cells, c + 1) - timeline_cell_edge(tl, cells, c);
	return ns <= 0 ? 0 : ns >= width ? 1 : (double)ns / (double)width;
}

bool timeline_state_waits(enum tstate); /* drawn thin on goroutine rows */
/* "P4", "G512 main.worker". */
const char *timeline_track_name(const struct store *, trk_id, struct buf *);

/* The track under the cursor (of a task the goroutine that began it; 0 none) and its interval
 * there. */
trk_id timeline_selected_track(const struct timeline *, const struct pane_env *);
bool timeline_selected_ival(const struct timeline *, const struct pane_env *, struct trace_interval *);
/* What is under the cursor on the selected row, whatever kind of row that is. */
/* Span: task or region, or UINT32_MAX. */
struct timeline_extent { int64_t t0, t1; trk_id trk; uint32_t span; };
bool timeline_extent(const struct timeline *, const struct pane_env *, struct timeline_extent *);
struct timeline_row timeline_row(const struct timeline *, uint32_t i);	/* i < nrow */
/* The selected row; what is ROW_TRACK and id 0 when there is none. */
static inline struct timeline_row timeline_selected_row(const struct timeline *tl)
{
	return tl->sel < tl->nrow ? timeline_row(tl, tl->sel) : (struct timeline_row){0};
}

/* ---- drawing */
/* Fills in ps. */
void timeline_fill_proc_bins(const struct timeline *, const struct pane_env *, struct timeline_layout *);
void timeline_draw_header(
    const struct timeline *, const struct pane_env *, struct grid *, const struct timeline_layout *);
void timeline_draw_rows(
    const struct timeline *, const struct pane_env *, struct grid *, const struct timeline_layout *);
/* legend.c: how many lines the legend takes at the bottom; draw it, after the rows, which it explains; the
   command that shows or hides it. */
int timeline_legend_lines(const struct timeline *, const struct pane_env *);
void timeline_draw_legend(const struct timeline *, struct grid *, const struct timeline_layout *);
enum verdict timeline_legend_command(struct timeline *, const struct pane_env *, struct ask *);
void timeline_draw_span_text(
    const struct timeline *, const struct pane_env *, struct grid *, const struct timeline_layout *);
void timeline_draw_chain(
    const struct timeline *, const struct pane_env *, struct grid *, const struct timeline_layout *);
/* What the whole will be, while it is read; when there is an outline. */
void timeline_draw_outline(const struct pane_env *, struct grid *, int y, int lines);
int64_t timeline_outline_time(const struct pane_env *, int x);	/* of a column of it */
/* Rows that are no track's (timeline/rows.c has their names in the gutter). */
void timeline_draw_task(const struct timeline *, const struct pane_env *, struct grid *,
    const struct timeline_layout *, int y, uint32_t task);
void timeline_draw_regions(const struct timeline *, const struct pane_env *, struct grid *,
    const struct timeline_layout *, int y, trk_id, int level);
void timeline_draw_stacks(const struct timeline *, const struct pane_env *, struct grid *,
    const struct timeline_layout *, int y, trk_id, int level, int levels);
/* Logs and CPU samples on top of a row that is drawn. */
void timeline_draw_queues(const struct timeline *, const struct pane_env *, struct grid *,
    const struct timeline_layout *, int y, trk_id);
void timeline_draw_ticks(const struct timeline *, const struct pane_env *, struct grid *,
    const struct timeline_layout *, int y, trk_id);
/* Fills in marks. */
void timeline_fill_marks(const struct timeline *, const struct pane_env *, struct timeline_layout *);
/* Where it waits or stopped; 0. */
void timeline_span_stack(const struct snap *, const struct trace_interval *, stk_id *);

/* These are the pane's own; st is the struct timeline. */
void timeline_update(void *, const struct pane_env *);
void timeline_load_view(void *, const struct pane_env *, const struct view *);
void timeline_summary(const void *, const struct pane_env *, struct buf *);
void timeline_detail(const void *, const struct pane_env *, struct buf *);

/* ---- what is known of a snapshot (index_job.c) */
/* What rows are made from, when there is more: at once where that is little work. */
void timeline_index(struct timeline *, const struct pane_env *);
/* What lies on disk is not looked at for now. */
void timeline_release_pages(const struct timeline *, const struct pane_env *);
struct job *timeline_index_job(const struct timeline *);
bool timeline_snap_is_small(const struct snap *);	/* a pass over all of it is no matter */
void timeline_index_finish(struct timeline *);	/* wait for what is being made, if anything is */
void timeline_index_now(struct timeline *, const struct pane_env *);	/* as timeline_index(), but never nothing */
void timeline_index_free(struct timeline *);
/* The cells of a track in the window, for a frame that has begun. They are kept for the next one: who goes from row to
   row, or to other rows and back, counts what is new. */
void timeline_begin_frame(const struct timeline *, const struct snap *, int cells);
/* Until the next row is asked for. */
const struct bin *timeline_row_bins(const struct timeline *, const struct snap *, trk_id);
/* The same of many, which are counted on all processors where it is much; the list is changed. A track twice in it is
   no matter. */
void timeline_count_bins(const struct timeline *, const struct snap *, trk_id *, uint32_t n);
/* How much of each cell cycles of the collector (SP_GC) or stops of the world (SP_STW) take. */
const int64_t *timeline_gc_ns(const struct timeline *, const struct snap *, int cells, enum span_kind);
/* Room for what a line above the rows has of the window, kept in the same way; false: it is new, and zero. */
bool timeline_cached_line(const struct timeline *, enum timeline_header_line, size_t, void **);
/* The first of tracks by number whose number is not less; the place of a track, UINT32_MAX where it is none of them. */
static inline uint32_t timeline_lower_bound(const struct snap *sn, const trk_id *v, uint32_t n, uint64_t id)
{
	struct bsearch_probe h = {.hi = n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, store_trk(sn->st, v[h.at])->id < id);
	return (uint32_t)h.lo;
}
uint32_t timeline_track_position(const struct snap *, const trk_id *, uint32_t n, trk_id);
/* The track of a kind with that number; 0: there is none. */
trk_id timeline_find_track(const struct timeline *, const struct snap *, enum track_kind, uint64_t id);

/* ---- what stands out in the window (facts_job.c) */
/* The window is another one: what stands out in it, at once where that is little work. */
void timeline_update_facts(struct timeline *, const struct pane_env *);
/* NULL: it is not known yet. */
const struct trace_highlights *timeline_facts(const struct timeline *, const struct snap *, size_t *n);
size_t timeline_facts_lines(const struct timeline *);	/* so many lines are kept free for it, in any window */
void timeline_draw_facts(
    const struct timeline *, const struct pane_env *, struct grid *, const struct timeline_layout *);
/* Tab: to the next, or the one before (dir -1). */
enum verdict timeline_tour_facts(struct timeline *, const struct pane_env *, int dir, struct ask *);
struct job *timeline_facts_job(const struct timeline *);
void timeline_facts_finish(struct timeline *, const struct pane_env *);	/* it has ended, or is waited for */
void timeline_facts_free(struct timeline *);

/* ---- which goroutines are rows (row_filter_job.c) */
/* Ordered: by number; whole: there are no more. */
struct timeline_row_list { trk_id *v; uint32_t n; bool ordered, whole; };
void timeline_filter_open(struct timeline *);
void timeline_filter_free(struct timeline *);
/* Those there are now; where they are many the others come when timeline_filter_finish() takes them. */
const struct timeline_row_list *timeline_row_filter(const struct timeline *, const struct pane_env *);
void timeline_filter_clear(const struct timeline *);	/* rows are all of them, or of something else */
void timeline_filter_commit(const struct timeline *);	/* rows are of these now */
struct job *timeline_filter_job(const struct timeline *);
bool timeline_filter_pending(const struct timeline *);	/* not all rows are there */
/* timeline_filter_job() has ended, or is waited for. */
void timeline_filter_finish(struct timeline *, const struct pane_env *, struct ask *);
/* Should there be none, these come back, and that is said. */
void timeline_filter_fallback(struct timeline *, enum timeline_subset was, uint64_t id);
/* Select it when all are there (must: or show other rows); false: they are. */
bool timeline_filter_seek(const struct timeline *, const struct snap *, trk_id, bool must);
void timeline_filter_seek_row(const struct timeline *, int64_t row);	/* likewise that row */
void timeline_filter_drop_seek(const struct timeline *);		/* somebody looks where he is */
void timeline_filter_stop(struct timeline *);	/* tracks, filters or the index are about to go */

/* ---- rows (timeline/rows.c) */
/* Indexes of tasks by their beginning, in the arena. */
uint32_t *timeline_tasks_by_start(const struct snap *, const struct stats_tasks *, struct arena *, uint32_t *n);
uint32_t timeline_track_row(const struct timeline *, const struct snap *, trk_id);	/* UINT32_MAX: it has none */
void timeline_make_rows(struct timeline *, const struct pane_env *);
void timeline_set_kind(struct timeline *, const struct pane_env *, enum timeline_kind);
enum verdict timeline_rows_command(struct timeline *, const struct pane_env *, const char *arg, struct ask *);
bool timeline_show_subset(struct timeline *, const struct pane_env *, enum timeline_subset, uint64_t id);
/* "12 G rows of task 7". */
void timeline_describe_rows(const struct timeline *, const struct pane_env *, struct buf *);
void timeline_toggle_pin(struct timeline *, const struct pane_env *);
void timeline_toggle_regions(struct timeline *, const struct pane_env *);
void timeline_toggle_stacks(struct timeline *, const struct pane_env *);
bool timeline_select_task(struct timeline *, const struct pane_env *, uint64_t id);
/* Begin and end of a task, open ends those of the trace. */
void timeline_task_bounds(const struct snap *, const struct stats_task *, int64_t *t0, int64_t *t1);

/* ---- what the filters leave (filter_dim.c) */
bool timeline_scope_update(struct timeline *, const struct pane_env *); /* true: rows are to be made */
/* Which goroutines it means is found out beside the keyboard. */
struct job *timeline_scope_job(const struct timeline *);
void timeline_scope_finish(struct timeline *, const struct pane_env *);
void timeline_scope_defer_goto(struct timeline *, const struct place *);	/* once more, then */
void timeline_scope_defer_load(struct timeline *, const struct view *);	/* likewise */
void timeline_scope_drop_deferred(struct timeline *);	/* a key was pressed: one stays where one is */
void timeline_scope_free(struct timeline *);
void timeline_scope_choose_kind(struct timeline *, const struct pane_env *); /* of goroutines, where it names some */
/* The same, of a goroutine. */
bool timeline_scope_has_goroutine(const struct timeline_scope *, const struct snap *, trk_id);
bool timeline_scope_has_track(const struct timeline *, const struct snap *, trk_id);
bool timeline_scope_has_task(const struct timeline *, const struct snap *, const struct stats_task *);
/* Fills in ran. */
void timeline_scope_fill_cells(const struct timeline *, const struct pane_env *, struct timeline_layout *);
/* Is something of it in cell c of a row? */
bool timeline_scope_has_cell(
    const struct timeline *, const struct snap *, const struct timeline_layout *, trk_id, int c);

/* ---- going (goto.c) */
enum verdict timeline_goto(struct timeline *, const struct pane_env *, const struct act *, struct ask *);
enum verdict timeline_goto_linked_task(struct timeline *, const struct pane_env *, int dir, struct ask *);
/* `/` on rows of tasks: as pane_ops.find, over their names and numbers. */
uint32_t timeline_find_task(struct timeline *, const struct pane_env *, int dir, uint32_t *at);
bool timeline_goto_place(void *, const struct pane_env *, const struct place *);

/* ---- motion (move.c): all keep the cursor in the window and the window in the trace */
void timeline_set_window(struct timeline *, const struct pane_env *, int64_t t0, int64_t t1);
void timeline_zoom(struct timeline *, const struct pane_env *, int steps); /* > 0: in, about the cursor */
/* Move the cursor, pan at the edges. */
void timeline_move_cursor(struct timeline *, const struct pane_env *, int cells);
void timeline_scroll(struct timeline *, const struct pane_env *, double screens);
void timeline_select_row(struct timeline *, const struct pane_env *, int64_t row);
bool timeline_select_track(struct timeline *, const struct pane_env *, trk_id);
/* The same, and when it is no row now, other rows where it is one. */
bool timeline_show_track(struct timeline *, const struct pane_env *, trk_id);
/* Cursor there, seen, at this zoom. */
void timeline_goto_time(struct timeline *, const struct pane_env *, int64_t t);
/* Next, previous (n times), first, last span of the row. */
enum verdict timeline_goto_span(struct timeline *, const struct pane_env *, enum cmd_id, int n, struct ask *);
void timeline_fit_selection(struct timeline *, const struct pane_env *);
/* The cursor in its middle. */
void timeline_fit_interval(struct timeline *, const struct pane_env *, int64_t t0, int64_t t1);
uint32_t timeline_find(void *, const struct pane_env *, int dir, uint32_t *at);

/* ---- keys that lead from span to span (jump_job.c) */
struct timeline_jump_query {
	enum cmd_id cmd;
	int n;			/* of w and b */
	enum timeline_kind kind;
	trk_id trk;
	int64_t at;
};
struct timeline_jump_result {
	bool any;
	struct trace_interval iv;		/* the span, or, of ( and ): */
	trk_id g, p;		/* who it is, and where it runs; 0 */
	int64_t t, ran;		/* when, and from when on it runs there */
	struct tracepane_wake wake;	/* of (: by 0 where it led to no wake */
	struct timeline_wake_link chain[TL_CHAIN];
	uint32_t nchain;
	char text[256];		/* what is said */
};
/* From the cursor on a track: now, or when it is found (timeline_jump_pending()). */
enum verdict timeline_jump(struct timeline *, const struct pane_env *, enum cmd_id, int n, trk_id, struct ask *);
struct job *timeline_jump_job(const struct timeline *);
bool timeline_jump_pending(const void *);
bool timeline_jump_cancel(struct timeline *);	/* false: nothing is looked for */
/* It has ended, or is waited for. */
void timeline_jump_finish(struct timeline *, const struct pane_env *, struct ask *);
void timeline_jump_free(struct timeline *);

/* ---- the search for spans (timeline/search_job.c) */
/* Takes the hunt over, ends the one before; NULL: none. */
void timeline_set_search(struct timeline *, const struct pane_env *, struct span_criteria *, int jump);
bool timeline_search_outdated(const struct timeline *); /* it would find others now: other rows */
/* Other rows, or more of the trace. */
void timeline_restart_search(struct timeline *, const struct pane_env *);
void timeline_stop_search(struct timeline *);		 /* the thread; what is found stays */
struct job *timeline_job(void *);
void timeline_job_finish(void *, const struct pane_env *, struct ask *);
/* s, < and >: the order of n and N. */
enum verdict timeline_sort_hits(struct timeline *, const struct pane_env *, const struct act *, struct ask *);
int timeline_choices(const void *, const struct pane_env *, enum cmd_id, struct choice *);
void timeline_describe_hits(const struct timeline *, struct buf *);	/* "3/84, longest first", "84 matches" */
void timeline_free_hits(struct timeline *);
enum verdict timeline_goto_hit(struct timeline *, const struct pane_env *, int dir, struct ask *);
/* Like a span; NULL: there is none. */
enum verdict timeline_highlight_like(
    struct timeline *, const struct pane_env *, const struct trace_interval *, struct ask *);
enum verdict timeline_highlight(
    struct timeline *, const struct pane_env *, const char *cond, struct ask *);
/* Hits of a row as span_hits_of_track(); *n = 0 when rows and hits are of different kinds. */
const uint32_t *timeline_track_hits(const struct timeline *, const struct snap *, trk_id, uint32_t *n);

/* ---- the wake chain (wake_chain.c) */
/* Whom the selected span wakes (created set) and who woke it, at t1: how many of them. */
int timeline_wake_partners(const struct timeline *, const struct pane_env *, struct timeline_wake_link out[2]);
enum verdict timeline_toggle_chain(struct timeline *, const struct pane_env *, struct ask *);
uint32_t timeline_follow_wakes(const struct snap *, trk_id, int64_t t, struct timeline_wake_link out[TL_CHAIN]);
/* False: not its key. */
bool timeline_chain_command(struct timeline *, const struct pane_env *, const struct act *);

#endif
