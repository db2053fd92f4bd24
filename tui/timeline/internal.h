/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TIMELINE_INTERNAL_H
#define TTRACE_TIMELINE_INTERNAL_H

#include "app/pane.h"
#include "base/async.h"
#include "base/bsearch.h"
#include "term/style.h"
#include "trace/as_profile.h"
#include "trace/bins.h"
#include "trace/bins_time.h"
#include "trace/region_layout.h"
#include "trace/span_search.h"
#include "trace/stats/goroutine_stats.h"
#include "tracepane/tracepane.h"

/*
 * The state of the timeline pane and what its files share. Times are ns since the first event. Cell
 * c of n covers [timeline_cell_edge(c), timeline_cell_edge(c+1)): each edge is computed with one
 * multiplication, so cells cover the window without gaps at any zoom.
 */
enum timeline_kind { TL_P, TL_M, TL_G, TL_T, TL__N };
enum timeline_subset { ONLY_ALL, ONLY_GROUP, ONLY_TASK, ONLY_RELATED, ONLY_OPERATION }; /* which goroutines are rows */
enum timeline_task_order { BY_START, BY_TREE, BY_DURATION };		/* order of the rows of tasks */
enum { TL_STW = 1, TL_GC = 2 };					/* overlays */
enum {
	TL_PINS = 16,
	TL_OPEN = 32,
	TL_GROUPS = 32,
	TL_LINES = 22,
	TL_CHAIN = 16,
	TL_DEEP = 10,
	TL_PS = 256
};

/* A row: a track, a task, a level of a track's regions, or a depth of its stacks over time. id: the track; for a
   task its index in tasks. */
enum timeline_row_type { ROW_TRACK, ROW_TASK, ROW_REGION, ROW_STACK };
struct timeline_row { uint32_t id; uint8_t what, level; };

/* A link of the wake chain. */
struct timeline_wake_link { trk_id trk; int64_t t0, t1; enum tstate state; bool created; };

struct timeline_index { /* derived data of a snapshot (index_job.c) */
	struct arena mem, sums;	/* sums: for marks and counters, filled by another thread */
	uint32_t of;		/* number of spans and marks that it covers */
	bool first, whole;	/* first: it covers none of them yet; whole: it covers the complete trace */
	const struct row_layout *row_layout; /* regions, logs and samples by row */
	const struct stats_tasks *tasks;
	uint32_t *by_start, nby_start;	/* tasks in order of their start */
	const struct bins_mark_sums *marks;
	const struct bins_counter_sums *counts;
	const struct bins_span_list *cycles;	/* GC cycles and stop-the-world pauses */
	bool procs; /* GOMAXPROCS was changed */
	bool logs;  /* there are logs */
	/* For each P, by trk_id: how often it was started, stopped, or stolen in a syscall. */
	struct timeline_proc_counts {
		uint32_t started, stopped, stolen;
	} * moves;
	trk_id nmoves;
};

struct timeline_tracks { /* the tracks of a snapshot by kind, in order of their numbers */
	trk_id of;	/* number of tracks covered */
	const trk_id *trk[TK_G + 1];
	uint32_t n[TK_G + 1];
	trk_id *own[TK_G + 1]; /* arrays that the store does not own */
};

struct timeline_scope { /* what the filters of a query leave of a snapshot */
	struct arena mem;
	uint32_t serial;
	bool made, on; /* on: a filter is set */
	bool took;     /* the kind of rows was changed from Ps to goroutines for it */
	struct trace_filter f;
	const uint8_t *g; /* NULL, or a bit per track; includes the goroutines of the time slices */
	struct trace_slice *there;
	uint32_t nthere;
	trk_id *few; /* the goroutines, if there are at most FEW */
	uint32_t nfew;
	trk_id guest; /* a row in spite of the filters, because the user went to it */
};

/* Which rows there are, and where the user is in them. */
struct timeline_rows {
	enum timeline_kind kind;
	enum timeline_subset only;
	uint64_t only_id; /* index into group[], id of the task, track */
	enum timeline_task_order order;
	struct regex *group[TL_GROUPS]; /* expressions used so far: views refer to them by number */
	uint32_t ngroup;
	/* pinned tracks first, then all of the kind; if there are many, only those before rest[] */
	struct timeline_row *row;
	uint32_t nrow, nhead, npinrow, npin;	/* nrow: including rest[] and under[]; nhead: row[] */
	size_t cap;
	const trk_id *rest;	/* tracks without a row of their own, because there are many: timeline_row() */
	uint32_t nrest, hole[TL_PINS], nhole;	/* hole: positions in rest[] of pinned tracks */
	bool ordered;		/* rest[] is in order of numbers */
	uint8_t rest_what;	/* tracks or tasks */
	/* rows below tracks of rest[] */
	struct timeline_subrows { uint32_t at, trk; uint8_t regions, stacks; } under[TL_OPEN + 1];
	uint32_t nunder;
	struct timeline_row_filter *filter;	/* selects the goroutines that are rows (row_filter_job.c) */
	trk_id pin[TL_PINS], open[TL_OPEN]; /* open: regions are shown below it */
	uint32_t nopen;
	trk_id stacks;		/* the track below which stacks over time are shown; 0: none */
	uint32_t sel, top;
	bool compact;		/* the setting when row[] was made */
	bool narrowed;		/* the scope has changed: make the rows again */
	uint32_t made;		/* the number of indexes when the rows were made */
};

struct timeline_matches {
	struct span_criteria *criteria;	/* NULL: nothing is searched */
	struct span_hits hits;
	struct async slot;	/* the running search; empty: hits are complete */
	bool of_procs;		/* matches are intervals of Ps */
	bool dim;		/* dim everything but the matches */
	int jump;		/* at its end: go to the next match (1), stay (0) */
	uint32_t current;	/* index of the current match; UINT32_MAX: none */
	bool longest;		/* n and N visit the matches by duration, longest first, instead of by time */
	uint32_t *rank;		/* with longest: indexes into hits.hit in that order; else NULL */
	uint32_t rank_at;	/* index of `current` in rank */
	bool restarted;		/* the whole trace was searched */
};

/* From effects to causes: ( ) and W. */
struct timeline_wakes {
	struct timeline_wake_link chain[TL_CHAIN]; /* each link was woken by the next */
	uint32_t nchain, atchain;
	struct tracepane_wake link;	/* where ( moved to */
	int64_t at;			/* the cursor after (; the wake is only shown there */
};

struct timeline {
	struct timeline_frame_cache *kept;	/* bins of the previous frame (index_job.c) */
	int64_t t0, t1; /* the window */
	int64_t at;	/* the cursor, a time in the window */
	bool whole;	/* the window is the whole trace, and grows while it is read */
	/* the user has placed the cursor; if not, the pane shows what is wrong with the program, and keys take the worst finding */
	bool moved;
	/* on: v was pressed, and the user selects a range from anchor to the cursor; t0 == t1: none is selected */
	struct { bool on; int64_t anchor, t0, t1; } range;
	bool going;	/* go() follows, which sets the selection */

	struct timeline_rows rows;
	struct timeline_matches search;
	struct timeline_wakes wake;

	int overlays, more;   /* more: 0 as many lines as fit, 1 all, 2 few */
	enum { LEGEND_FITS, LEGEND_ON, LEGEND_OFF } legend; /* LEGEND_FITS: shown if there is room */
	bool labels;

	struct timeline_scope scope;
	struct async scoping;		/* the next scope (filter_dim.c) */
	struct timeline_index *ix;	/* not NULL after open() */
	struct timeline_tracks *tr;
	struct async indexing;		/* newer ones */
	uint32_t news;			/* number of indexes made */

	struct timeline_verdict *verdict;	/* findings and operations (verdict.c); NULL: not requested yet */
};

/* Cached bins of a row. seen: the last frame that used them. */
struct timeline_row_bins { trk_id trk; uint32_t seen; struct bin *bin; };
enum timeline_header_line {
	HD_AXIS,
	HD_HITS,
	HD_OPERATIONS,
	HD_LATENCY,
	HD_FINDINGS,
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
	HD_EDGES,	/* not a line: caches the first mark of each cell */
	HD__N
};
enum { TL_TALL = 36 };	/* lines of a pane that has room for several lines of a counter, and for texts */
enum { TL_STORY_LEAST = 9 };	/* lines of text about the span under the cursor that are kept free for it */

struct timeline_layout {	   /* positions in the pane's area */
	int gutter, cells, right; /* columns of the names, of the time axis, and of the numbers after it */
	struct {
		enum timeline_header_line what;
		int y, h;
	} line[TL_LINES];
	int nline;
	int rows, nrows;   /* first line and number of track rows */
	int story, nstory; /* lines of text about the span under the cursor */
	int legend, nlegend; /* the last lines: the legend */
	const struct bin **ps;	/* for this frame: the bins of the Ps, for their sum */
	int nps;
	uint8_t *ran; /* for this frame: the cells in which goroutines of the filter ran; NULL: not needed */
	uint32_t *marks; /* for this frame, if there are logs: the first mark at or after each edge of a cell */
};

/* Compute the layout for the pane's size; it depends on the rows and the selection only. */
struct timeline_layout timeline_layout(const struct timeline *, const struct pane_env *);

/* Return the start of cell c (0..cells) of the window. */
static inline int64_t timeline_cell_edge(const struct timeline *tl, int cells, int c)
{
	return bins_edge(tl->t0, tl->t1, cells > 0 ? (uint32_t)cells : 1, (uint32_t)c);
}
int timeline_cell_at(const struct timeline *, int cells, int64_t t); /* Return the cell that contains t, clamped. */
/* Return ns as a share of the width of cell c, 0..1. */
static inline double timeline_cell_share(const struct timeline *tl, int cells, int c, int64_t ns)
{
	int64_t width = timeline_cell_edge(tl, cells, c + 1) - timeline_cell_edge(tl, cells, c);
	return ns <= 0 ? 0 : ns >= width ? 1 : (double)ns / (double)width;
}

/* Return the name of a track, "P4" or "G512 main.worker". */
const char *timeline_track_name(const struct store *, trk_id, struct buf *);

/* Return the track under the cursor (for a task, the goroutine that created it; 0: none); get its interval there. */
trk_id timeline_selected_track(const struct timeline *, const struct pane_env *);
bool timeline_selected_ival(const struct timeline *, const struct pane_env *, struct trace_interval *);
/* The extent of what is under the cursor on the selected row, for any kind of row. span: a task or region, or
   UINT32_MAX. */
struct timeline_extent { int64_t t0, t1; trk_id trk; uint32_t span; };
bool timeline_extent(const struct timeline *, const struct pane_env *, struct timeline_extent *);
struct timeline_row timeline_row(const struct timeline *, uint32_t i);	/* return row i < nrow */
/* Return the selected row; ROW_TRACK with id 0 if there is none. */
static inline struct timeline_row timeline_selected_row(const struct timeline *tl)
{
	return tl->rows.sel < tl->rows.nrow ? timeline_row(tl, tl->rows.sel) : (struct timeline_row){0};
}

/* ---- drawing */
/* Fill in ps. */
void timeline_fill_proc_bins(const struct timeline *, const struct pane_env *, struct timeline_layout *);
void timeline_draw_header(
    const struct timeline *, const struct pane_env *, struct grid *, const struct timeline_layout *);
void timeline_draw_rows(
    const struct timeline *, const struct pane_env *, struct grid *, const struct timeline_layout *);
/* legend.c: return the number of lines of the legend at the bottom; draw it, after the rows, whose states it
   lists; handle the command that shows or hides it. */
int timeline_legend_lines(const struct timeline *, const struct pane_env *);
void timeline_draw_legend(const struct timeline *, struct grid *, const struct timeline_layout *);
enum verdict timeline_legend_command(struct timeline *, const struct pane_env *, struct ask *);
void timeline_draw_span_text(
    const struct timeline *, const struct pane_env *, struct grid *, const struct timeline_layout *);
void timeline_draw_chain(
    const struct timeline *, const struct pane_env *, struct grid *, const struct timeline_layout *);
/* Draw the outline of the whole trace while it is read, if there is one. */
void timeline_draw_outline(const struct pane_env *, struct grid *, int y, int lines);
int64_t timeline_outline_time(const struct pane_env *, int x);	/* time at column x */
/* Draw rows that are not tracks (timeline/rows.c makes their names). */
void timeline_draw_task(const struct timeline *, const struct pane_env *, struct grid *,
    const struct timeline_layout *, int y, uint32_t task);
void timeline_draw_regions(const struct timeline *, const struct pane_env *, struct grid *,
    const struct timeline_layout *, int y, trk_id, int level);
void timeline_draw_stacks(const struct timeline *, const struct pane_env *, struct grid *,
    const struct timeline_layout *, int y, trk_id, int level, int levels);
/* Draw queue lengths, logs and CPU samples over a row that is drawn. */
void timeline_draw_queues(const struct timeline *, const struct pane_env *, struct grid *,
    const struct timeline_layout *, int y, trk_id);
void timeline_draw_ticks(const struct timeline *, const struct pane_env *, struct grid *,
    const struct timeline_layout *, int y, trk_id);
/* Fill in marks. */
void timeline_fill_marks(const struct timeline *, const struct pane_env *, struct timeline_layout *);
/* Get the stack at which it waits or stopped; 0: none. */
void timeline_span_stack(const struct snap *, const struct trace_interval *, stk_id *);

/* Members of the pane's pane_ops; st is the struct timeline. */
void timeline_update(void *, const struct pane_env *);
void timeline_load_view(void *, const struct pane_env *, const struct view *);
void timeline_summary(const void *, const struct pane_env *, struct buf *);
void timeline_detail(const void *, const struct pane_env *, struct buf *);

/* ---- derived data of a snapshot (index_job.c) */
/* Update the index and the tracks for a new snapshot: at once if that is cheap, else in the background. */
void timeline_index(struct timeline *, const struct pane_env *);
uint64_t timeline_snap_cost(const struct snap *);	/* of a pass over all of it, for async_start() */
void timeline_index_finish(struct timeline *);	/* wait for the job, if one is running */
/* As timeline_index(), but there is an index afterwards. */
void timeline_index_now(struct timeline *, const struct pane_env *);
void timeline_index_free(struct timeline *);
/* Start a frame, or return the bins of a track in the window. Bins are kept for the next frame, so a change of the
   visible rows computes only the new ones. */
void timeline_begin_frame(const struct timeline *, const struct snap *, int cells);
/* Valid until the next call. */
const struct bin *timeline_row_bins(const struct timeline *, const struct snap *, trk_id);
/* Compute the bins of many rows, in parallel if that is much work. The list is modified; duplicates are allowed. */
void timeline_count_bins(const struct timeline *, const struct snap *, trk_id *, uint32_t n);
/* Return for each cell the time in GC cycles (SP_GC) or stop-the-world pauses (SP_STW). */
const int64_t *timeline_gc_ns(const struct timeline *, const struct snap *, int cells, enum span_kind);
/* Get the cached values of a header line for the window; false: they are new, and zero. */
bool timeline_cached_line(const struct timeline *, enum timeline_header_line, size_t, void **);
/* Return the index of the first track, in a list ordered by number, whose number is at least id.
   timeline_track_position() returns the index of a track, UINT32_MAX if it is not in the list. */
static inline uint32_t timeline_lower_bound(const struct snap *sn, const trk_id *v, uint32_t n, uint64_t id)
{
	struct bsearch_probe h = {.hi = n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, store_trk(sn->st, v[h.at])->id < id);
	return (uint32_t)h.lo;
}
uint32_t timeline_track_position(const struct snap *, const trk_id *, uint32_t n, trk_id);
/* Return the track of a kind by number; 0: none. */
trk_id timeline_find_track(const struct timeline *, const struct snap *, enum track_kind, uint64_t id);

/* ---- findings and the main kind of operations (verdict.c) */
struct findings;
void timeline_verdict_update(struct timeline *, const struct pane_env *);	/* ask for the analysis, if the trace is read */
struct async *timeline_verdict_slot(const struct timeline *);	/* NULL: none yet */
void timeline_verdict_finish(void *, const struct pane_env *, struct ask *);	/* for struct pane_work */
void timeline_verdict_free(struct timeline *);
const struct findings *timeline_verdict_findings(const struct timeline *);	/* NULL: not known yet */
bool timeline_verdict_has_operations(const struct timeline *);
/* Count the operations of that kind that start in [t0, t1), and get the duration of the longest complete one, in ns. */
void timeline_verdict_count(const struct timeline *, int64_t t0, int64_t t1, uint32_t *n, int64_t *longest);
/* Return the height of its lines at the top of the pane. */
int timeline_verdict_lines(const struct timeline *, const struct pane_env *);
/* Show a slow operation of the trace; false: there is none, or it is not known yet. */
bool timeline_verdict_show_slow(struct timeline *, const struct pane_env *);
void timeline_verdict_draw(const struct timeline *, const struct pane_env *, struct grid *);
/* Return the line that shows what the worst finding is about; HD__N: there is no finding. */
enum timeline_header_line timeline_verdict_line(const struct timeline *);
/* Fill in what K and 2 mean without a cursor: the rule and the line of the worst finding. */
void timeline_verdict_place(const struct timeline *, struct place *);
/* Append the numbers that show the worst finding; nothing if there is none. */
void timeline_verdict_detail(const struct timeline *, struct buf *);
void timeline_draw_finding_marks(const struct timeline *, struct grid *, const struct timeline_layout *, int y);
/* Tab: go to where the next finding shows, or the previous one (dir -1). */
enum verdict timeline_goto_finding(struct timeline *, const struct pane_env *, int dir, struct ask *);

/* ---- where the time of one operation goes (one_operation.c) */
struct trace_analysis;
struct operation_kind;
/* Return how many lines of at most `most` it takes. */
int timeline_operation_lines(
    const struct trace_analysis *, const struct operation_kind *, const struct pane_env *, int most);
void timeline_operation_draw(const struct trace_analysis *, const struct operation_kind *, const struct pane_env *,
    struct grid *, int y, int lines);

/* ---- selection of goroutines as rows (row_filter_job.c) */
/* A list. ordered: by number; whole: it is complete. */
struct timeline_row_list { trk_id *v; uint32_t n; bool ordered, whole; };
void timeline_filter_open(struct timeline *);
void timeline_filter_free(struct timeline *);
/* Return the list known so far; if it is long, timeline_filter_finish() takes the complete one later. */
const struct timeline_row_list *timeline_row_filter(const struct timeline *, const struct pane_env *);
void timeline_filter_clear(const struct timeline *);	/* the rows are all goroutines, or another kind */
void timeline_filter_commit(const struct timeline *);	/* the rows have been made from the current list */
struct async *timeline_filter_slot(const struct timeline *);	/* the one whose result is needed first */
bool timeline_filter_pending(const struct timeline *);	/* the list is not complete */
void timeline_filter_finish(void *, const struct pane_env *, struct ask *);	/* for struct pane_work */
/* If the list is empty, restore this subset and report it. */
void timeline_filter_fallback(struct timeline *, enum timeline_subset was, uint64_t id);
/* Select the row of the track when the list is complete (must: show other rows if it has none); false: the
   list is complete, or the track is no goroutine. */
bool timeline_filter_seek(const struct timeline *, const struct snap *, trk_id, bool must);
void timeline_filter_seek_row(const struct timeline *, int64_t row);	/* likewise for a row by number */
void timeline_filter_drop_seek(const struct timeline *);		/* the user has moved the selection */
void timeline_filter_stop(struct timeline *);	/* call before tracks, filters or the index are freed */

/* ---- rows (timeline/rows.c) */
/* Return the indexes of tasks in order of their start, allocated in the arena. */
uint32_t *timeline_tasks_by_start(const struct snap *, const struct stats_tasks *, struct arena *, uint32_t *n);
uint32_t timeline_track_row(const struct timeline *, const struct snap *, trk_id);	/* UINT32_MAX: it has no row */
void timeline_make_rows(struct timeline *, const struct pane_env *);
void timeline_set_kind(struct timeline *, const struct pane_env *, enum timeline_kind);
enum verdict timeline_rows_command(struct timeline *, const struct pane_env *, const char *arg, struct ask *);
bool timeline_show_subset(struct timeline *, const struct pane_env *, enum timeline_subset, uint64_t id);
/* Append "12 G rows of task 7". */
void timeline_describe_rows(const struct timeline *, const struct pane_env *, struct buf *);
void timeline_toggle_pin(struct timeline *, const struct pane_env *);
void timeline_toggle_regions(struct timeline *, const struct pane_env *);
void timeline_toggle_stacks(struct timeline *, const struct pane_env *);
bool timeline_select_task(struct timeline *, const struct pane_env *, uint64_t id);

/* ---- the scope of the filters (filter_dim.c) */
/* Update the scope for the query. true: the rows have to be made again. */
bool timeline_scope_update(struct timeline *, const struct pane_env *);
void timeline_scope_finish(void *, const struct pane_env *, struct ask *);	/* for struct pane_work */
void timeline_scope_defer_goto(struct timeline *, const struct place *);	/* repeat it when the scope is known */
void timeline_scope_defer_load(struct timeline *, const struct view *);	/* likewise */
void timeline_scope_drop_deferred(struct timeline *);	/* the user has pressed a key: do not move */
void timeline_scope_free(struct timeline *);
/* Show rows of goroutines if the filters select some. */
void timeline_scope_choose_kind(struct timeline *, const struct pane_env *);
/* Return whether a goroutine, track or task is in the scope. */
bool timeline_scope_has_goroutine(const struct timeline_scope *, const struct snap *, trk_id);
bool timeline_scope_has_track(const struct timeline *, const struct snap *, trk_id);
bool timeline_scope_has_task(const struct timeline *, const struct snap *, const struct stats_task *);
/* Fill in ran. */
void timeline_scope_fill_cells(const struct timeline *, const struct pane_env *, struct timeline_layout *);
/* Return whether cell c of a row has something in the scope. */
bool timeline_scope_has_cell(
    const struct timeline *, const struct snap *, const struct timeline_layout *, trk_id, int c);

/* ---- navigation (goto.c) */
enum verdict timeline_goto(struct timeline *, const struct pane_env *, const struct act *, struct ask *);
enum verdict timeline_goto_linked_task(struct timeline *, const struct pane_env *, int dir, struct ask *);
/* `/` on rows of tasks: as pane_ops.own, over their names and numbers. */
uint32_t timeline_find_task(struct timeline *, const struct pane_env *, int dir, uint32_t *at);
bool timeline_goto_place(void *, const struct pane_env *, const struct place *);

/* ---- motion (move.c): all functions keep the cursor in the window and the window in the trace */
void timeline_set_window(struct timeline *, const struct pane_env *, int64_t t0, int64_t t1);
void timeline_zoom(struct timeline *, const struct pane_env *, int steps); /* > 0: in, around the cursor */
/* Move the cursor; at the edges, move the window. */
void timeline_move_cursor(struct timeline *, const struct pane_env *, int cells);
void timeline_scroll(struct timeline *, const struct pane_env *, double screens);
void timeline_select_row(struct timeline *, const struct pane_env *, int64_t row);
bool timeline_select_track(struct timeline *, const struct pane_env *, trk_id);
/* As timeline_select_track(), but change the kind of rows if it has no row. */
bool timeline_show_track(struct timeline *, const struct pane_env *, trk_id);
/* Move the cursor to t, and the window if necessary, at this zoom. */
void timeline_goto_time(struct timeline *, const struct pane_env *, int64_t t);
/* Go to the next or previous (n times), first or last span of the row. */
enum verdict timeline_goto_span(struct timeline *, const struct pane_env *, enum cmd_id, int n, struct ask *);
void timeline_fit_selection(struct timeline *, const struct pane_env *);
/* Fit the window to an interval, with the cursor in its middle. */
void timeline_fit_interval(struct timeline *, const struct pane_env *, int64_t t0, int64_t t1);
uint32_t timeline_find(void *, const struct pane_env *, int dir, uint32_t *at);

/* ---- keys that go to another span (jump.c) */
struct timeline_jump_query {
	enum cmd_id cmd;
	int n;			/* count, for w and b */
	enum timeline_kind kind;
	trk_id trk;
	int64_t at;
};
struct timeline_jump_result {
	bool any;
	struct trace_interval iv;		/* the span; for ( and ) see the members below */
	trk_id g, p;		/* the goroutine, and the P on which it runs or 0 */
	int64_t t, ran;		/* the target time, and the time from which it runs on p */
	struct tracepane_wake wake;	/* for (; by is 0 if it did not follow a wake */
	struct timeline_wake_link chain[TL_CHAIN];
	uint32_t nchain;
	char text[256];		/* message, if not empty */
};
/* Find the target from the cursor on a track and go there. */
enum verdict timeline_jump(struct timeline *, const struct pane_env *, enum cmd_id, int n, trk_id, struct ask *);

/* ---- span search (timeline/search_job.c) */
/* Replace the search; takes ownership of the criteria. NULL: end it. */
void timeline_set_search(struct timeline *, const struct pane_env *, struct span_criteria *, int jump);
/* The search would have another result now, because the rows are others. */
bool timeline_search_outdated(const struct timeline *);
/* The rows or the trace have changed. */
void timeline_restart_search(struct timeline *, const struct pane_env *);
int timeline_work(void *, struct pane_work *);	/* as pane_ops.work */
/* s, < and >: set the order of n and N. */
enum verdict timeline_sort_hits(struct timeline *, const struct pane_env *, const struct act *, struct ask *);
int timeline_choices(const void *, const struct pane_env *, enum cmd_id, struct choice *);
void timeline_describe_hits(const struct timeline *, struct buf *);	/* append "3/84, longest first", "84 matches" */
void timeline_free_hits(struct timeline *);
enum verdict timeline_goto_hit(struct timeline *, const struct pane_env *, int dir, struct ask *);
/* Search spans like this one; NULL: there is none. */
enum verdict timeline_highlight_like(
    struct timeline *, const struct pane_env *, const struct trace_interval *, struct ask *);
enum verdict timeline_highlight(
    struct timeline *, const struct pane_env *, const char *cond, struct ask *);
/* Return the matches of a row as span_hits_of_track(); *n is 0 if rows and matches are of different kinds. */
const uint32_t *timeline_track_hits(const struct timeline *, const struct snap *, trk_id, uint32_t *n);

/* ---- wake chain (wake_chain.c) */
/* Get the goroutine that the selected span wakes (created set) and the one that woke it, with the time in t1;
   return how many. */
int timeline_wake_partners(const struct timeline *, const struct pane_env *, struct timeline_wake_link out[2]);
enum verdict timeline_toggle_chain(struct timeline *, const struct pane_env *, struct ask *);
uint32_t timeline_follow_wakes(const struct snap *, trk_id, int64_t t, struct timeline_wake_link out[TL_CHAIN]);
/* false: not a key of the chain. */
bool timeline_chain_command(struct timeline *, const struct pane_env *, const struct act *);

#endif
