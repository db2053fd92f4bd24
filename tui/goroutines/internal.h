/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GOROUTINES_INTERNAL_H
#define TTRACE_GOROUTINES_INTERNAL_H

#include "app/pane_table.h"
#include "base/async.h"
#include "trace/bins.h"
#include "trace/stats/goroutine_waits.h"
#include "trace/stats/group_key.h"
#include "trace/stats/wait_stats.h"
#include "tracepane/query_job.h"
#include "tracepane/tracepane.h"
#include "widget/histogram.h"

/* The state of the goroutines pane and what its files share. */
enum goroutines_level { GL_GROUPS, GL_LIST, GL_ONE };
/* What the columns of times show. Sums come with the groups; the others are measured later (measure_job.c): the number of
   waits, quantiles of them, and the time by class. */
enum goroutines_value {
	GV_RUN,
	GV_READY,
	GV_SYSCALL,
	GV_BLOCKED,
	GV_TOTAL,
	GV_SUMS,
	GV_WAITS = GV_SUMS,
	GV_P50,
	GV_P99,
	GV_ALLOC,		/* bytes allocated, and that per second of the time range */
	GV_ALLOC_RATE,
	GV_CLASS,		/* and the other classes after it */
	GV__N = GV_CLASS + TIME_CLASS__N
};

struct goroutines_totals {			/* sums over all goroutines of a group */
	int64_t ns[TS__N];
	uint32_t ended;
	stk_id created;			/* stack that created the first whose creation is known */
};
struct goroutines_row {			/* a row of the table: a group, or a goroutine of a group */
	str_id name;
	trk_id trk;			/* 0: the row is a group */
	uint32_t n, first;
	int64_t t0, t1, v[GV_SUMS];
	const struct goroutines_totals *totals;	/* of a large group; NULL: goroutines_sum_group() is fast enough */
};

struct goroutines_waits {			/* statistics of the waits of the selected group or goroutine */
	int64_t of;			/* level, and the row's name or track; -1: none yet */
	struct stats_spread life;
	enum tstate state[WAIT_STATS_STATES];	/* the states with the longest total wait; TS_NONE: none */
	struct wait_counts w;
	uint32_t ended;
	stk_id created;
	bool part;			/* w covers only some sheets; a job computes the rest */
};

enum { ONE_SPANS = 200000, ONE_NOW = 20000 };	/* ONE_NOW: spans read at once; a job reads the others */
enum goroutines_part { GP_STACK, GP_ACCOUNTS, GP_WAKES, GP_CHAIN, GP_REGIONS, GP_CREATED, GP_CHILDREN, GP__N };
struct goroutines_span_work {		/* reads the spans of a page from `from` on, at most `most` of them */
	const struct snap *sn;
	struct trace_interval from;
	int64_t t1;
	struct trace_interval *v;
	uint32_t n, most;
	size_t cap;
};
struct goroutines_page {			/* the page of a goroutine */
	trk_id trk, of;			/* of: the goroutine whose spans and times are loaded; 0: none */
	struct goroutine_times s;
	struct trace_interval *v;			/* its spans in the window */
	uint32_t n;
	size_t cap;
	bool cut;
	struct async rest;		/* reads the others; empty: v is complete */
	int64_t seek;			/* TIME_NONE, or a time at which to select a span when it has been read, ... */
	uint32_t row, top;	/* ... or the index in v of that span, UINT32_MAX: none; top: first visible row then */
	struct pane_table table;		/* of its spans: items are indexes into v */
	enum goroutines_part part;
	struct tracepane_wake wake;		/* the wake that ( followed */
	trk_id *child;			/* the goroutines that it created, in order of their start */
	uint32_t nchild;
	size_t cchild;
	uint32_t *region, nregion;	/* its regions as spans of the store, in order of their start */
};

struct goroutines_state {
	struct arena mem;		/* memory of the members below that depend on the query and the snapshot */
	struct tracepane_scope scope;
	struct stats_index *stats_index;
	struct stats_groups *gs;	/* NULL: not made yet */
	struct goroutines_row *groups;
	uint32_t ngroup;
	int64_t ran, most;		/* running time of all goroutines, and the most of one listed goroutine */
	uint32_t *region, nregion;	/* regions as spans of the store, sorted by goroutine */
	struct async work;		/* groups or a list that are being made */
	bool again;			/* the snapshot or query has changed since the job started */
	bool seeks;			/* go to `there` when the groups are made */
	struct view there;
	int into;			/* a search goes to the first match (1) or the last (-1) of the list that is opened */
	struct pane_table table[2];	/* by level: of groups[], and of the goroutines of the open group */
	uint32_t first;			/* the first of these in gs->g */
	bool filled;			/* the second table has the goroutines of the group */
	str_id listed;			/* ... of this name */
	enum goroutines_level level;
	str_id open;			/* name of the open group */
	enum group_key_kind by;			/* what goroutines are grouped by */
	bool by_chosen;				/* by the user or a view; else what tells most of the trace */
	str_id *key;			/* group of each track, NULL: its start function */
	struct goroutines_tags { int64_t *v; size_t n, cap; } tags[2];	/* tagged rows by their ids: name, track */
	struct goroutines_measures *measures;	/* NULL: not measured yet */
	struct async measuring;
	struct goroutines_waits story;
	struct async wait;		/* the pass that reads waits from sheets */
	struct goroutines_page one;
	/* result of the search: matches among groups by row, among goroutines by index in gs->g */
	struct goroutines_matches {
		struct list_hits hits;	/* of all groups, then of all goroutines; at NULL: not known */
		char *grep;		/* the expression of `&` */
		uint8_t *row, *g;	/* in hits.at */
		uint32_t *under, all;	/* under: matches among the goroutines of each group; all: of all listed groups */
	} tree;
	struct tracepane_query later;		/* the query that is being made, or was made last */
	enum goroutines_query { Q_SELECTS, Q_EXCLUDES, Q_LISTS } asked;	/* what that query does to the selection */
	struct async search;		/* for `tree` */
};
/* Return an item of the table of a level. A goroutine is made in *room, because there may be a million of them. */
const struct goroutines_row *goroutines_row(
    const struct goroutines_state *, int level, uint32_t item, struct goroutines_row *room);
/* Return the table of the level. */
static inline struct pane_table *goroutines_table(struct goroutines_state *p)
{
	return p->level == GL_ONE ? &p->one.table : &p->table[p->level];
}
static inline str_id goroutines_group_key(const struct goroutines_state *p, const struct store *st, trk_id t)
{
	return p->key ? p->key[t] : (str_id)store_trk_start(st, t);
}
/* goroutines/rows.c */
int64_t goroutines_sum_of(const struct goroutine_times *, enum goroutines_value);	/* a value below GV_SUMS */
/* Return the selected row, NULL: none. */
const struct goroutines_row *goroutines_selected_row(const struct goroutines_state *, struct goroutines_row *room);
/* Make the groups for the snapshot and the query. false: there are many goroutines, and the job p->work makes
   them; the old ones stay until goroutines_job_finish(), which is called when it has ended or waits for it. */
bool goroutines_make_groups(struct goroutines_state *, const struct pane_env *);
/* Return whether the job is for an older query: goroutines_job_finish() discards its result. */
bool goroutines_job_outdated(const struct goroutines_state *);
bool goroutines_job_finish(struct goroutines_state *, struct session *);	/* false: it has to be made again */
/* Fill the table of groups from the groups that are made. */
void goroutines_list_groups(struct goroutines_state *, const struct pane_env *);
/* List the goroutines of the open group, unless they are listed. If they are many, a worker puts them in order, and the
   list is empty until pane_table_take(). */
void goroutines_fill_list(struct goroutines_state *, const struct pane_env *);
/* Return the index in gs->g of a goroutine of the open group; UINT32_MAX: it is not in that group. */
uint32_t goroutines_find_index(const struct goroutines_state *, trk_id);
/* selection.c */
bool goroutines_is_tagged(const struct goroutines_state *, const struct goroutines_row *);
void goroutines_toggle_tag(struct goroutines_state *, const struct goroutines_row *); /* tag a row, or remove its tag */
/* Make a query from the tagged rows, else from the selected one: an expression for start functions, or the numbers
   of goroutines; rest: compare with all others. V_PASS: there is no selection. */
enum verdict goroutines_query_selection(struct goroutines_state *, const struct pane_env *, bool rest, struct ask *);
/* Make a query for all but those. */
enum verdict goroutines_query_exclude(struct goroutines_state *, const struct pane_env *, struct ask *);
/* Make a query for the goroutines that ran a function whose name matches. */
enum verdict goroutines_query_ran(struct goroutines_state *, const struct pane_env *, const char *re, struct ask *);
trk_id goroutines_first_selected(const struct goroutines_state *);	/* the first goroutine of the selection */

/* goroutines/tables.c */
extern const struct pane_table_kind goroutines_groups_table, goroutines_list_table;
/* Append the text that & searches: the number of a goroutine, its name, and its creator. */
void goroutines_put_row_text(const struct store *, const struct goroutines_row *, struct buf *);
bool goroutines_row_matches(const struct store *, const struct goroutines_row *, const struct regex *);

bool goroutines_sorts_by_measure(const struct goroutines_state *);	/* the order of the list depends on p->measures */

/* measure_job.c */
void goroutines_measure(struct goroutines_state *, const struct pane_env *);	/* the groups, which have been made again */
void goroutines_measure_finish(struct goroutines_state *, const struct pane_env *);	/* take the result of the job */
/* Drop the measures and the memory of the groups, p->mem. */
void goroutines_drop_measures(struct goroutines_state *, struct session *);
/* Get a value from GV_SUMS on of group i, or of goroutine i of gs->g. false: it has none, or is not measured yet. Any
   thread. */
bool goroutines_measured_value(
    const struct goroutines_state *, bool group, uint32_t i, enum goroutines_value, int64_t *out);

/* goroutines/draw.c */
int goroutines_footer_height(const struct pane_env *);	/* lines below the table for the wait statistics */
void goroutines_draw(const void *, const struct pane_env *, struct grid *);
void goroutines_draw_side(const void *, const struct pane_env *, struct grid *);
void goroutines_summary(const void *, const struct pane_env *, struct buf *);
void goroutines_detail(const void *, const struct pane_env *, struct buf *);

/* wait_summary.c */
void goroutines_sum_group(const struct snap *, const struct stats_groups *, uint32_t first, uint32_t n,
    struct goroutines_totals *);
void goroutines_update_waits(struct goroutines_state *, const struct pane_env *);
/* Draw into the clip rectangle. */
void goroutines_draw_waits(const struct goroutines_state *, const struct pane_env *, struct grid *);

/* wait_job.c: passes over the sheets, in the background unless they are short */
/* Append the progress, if the user waits for it. */
void goroutines_wait_progress(const struct goroutines_state *, struct buf *);
void goroutines_wait_start(struct goroutines_state *, const struct pane_env *);	/* compute the waits of the selection */
/* Open the page of a goroutine of the selection at its longest wait (CMD_EFFECT: at the first span in which it
   woke or created another), at once or when the job has found it. */
enum verdict goroutines_jump_to_wait(struct goroutines_state *, const struct pane_env *, enum cmd_id, struct ask *);
bool goroutines_wait_cancel_jump(struct goroutines_state *);		/* cancel the jump; false: there was none */
void goroutines_wait_cancel(struct goroutines_state *);		/* the groups have changed: cancel everything */
/* Take the result of the job, or wait for it. */
void goroutines_wait_finish(void *, const struct pane_env *, struct ask *);	/* for struct pane_work */

/* spans_job.c */
void goroutines_page_load(struct goroutines_state *, const struct pane_env *);	/* load the page of p->one.trk */
/* Select the span at t, or this span, when the spans are read. */
void goroutines_page_seek_time(struct goroutines_state *, const struct pane_env *, int64_t t);
void goroutines_page_seek_span(struct goroutines_state *, const struct pane_env *, uint32_t i);
/* The spans that are loaded or being read are of p->one.trk. */
bool goroutines_page_loaded(const struct goroutines_state *);
/* Wait for the spans that are still being read. */
void goroutines_page_wait(struct goroutines_state *, const struct pane_env *);
/* Take the spans that were read, or wait for them. */
void goroutines_page_finish(struct goroutines_state *, const struct pane_env *);
int goroutines_page_height(const struct goroutines_state *, const struct pane_env *);	/* number of visible spans */
void goroutines_page_drop_seek(struct goroutines_state *);			/* the user has moved the selection */
/* detail.c */
extern const struct pane_table_kind goroutines_spans_table;
void goroutines_page_draw(const struct goroutines_state *, const struct pane_env *, struct grid *);
void goroutines_page_draw_side(const struct goroutines_state *, const struct pane_env *, struct grid *);
enum verdict goroutines_page_command(
    struct goroutines_state *, const struct pane_env *, const struct act *, struct ask *);
void goroutines_page_summary(const struct goroutines_state *, const struct pane_env *, struct buf *);
void goroutines_page_detail(const struct goroutines_state *, const struct pane_env *, struct buf *);
/* Return whether the selected span is blocked until the end of the trace. */
bool goroutines_still_blocked(const struct goroutines_state *, const struct pane_env *);
/* span_detail.c: the parts next to the spans */
int goroutines_draw_part(
    const struct goroutines_state *, const struct pane_env *, struct grid *, int y, int h, enum goroutines_part);
/* Return the wake that ( followed if it is in the selected span; or NULL. */
const struct tracepane_wake *goroutines_page_wake(const struct goroutines_page *);
/* Return the index in v of the selected span; 0 also if there is none. */
static inline uint32_t goroutines_page_span_index(const struct goroutines_page *o)
{
	return o->table.rows.n ? pane_table_selected(&o->table) : 0;
}
static inline const struct trace_interval *goroutines_page_span(const struct goroutines_page *o)
{
	return o->table.rows.n ? &o->v[goroutines_page_span_index(o)] : NULL;
}

/* goroutines/pane.c */
void goroutines_enter_group(struct goroutines_state *, const struct pane_env *, str_id name);
/* Open the page of a goroutine, at its span at a time. */
void goroutines_open_page(struct goroutines_state *, const struct pane_env *, trk_id, int64_t at);
/* Record the identity of the selection, and update its statistics. */
void goroutines_note_selection(struct goroutines_state *, const struct pane_env *);

/* position.c */
/* Go to the position that goroutines_load_view() was given, p->there, now. */
void goroutines_restore_view(struct goroutines_state *, const struct pane_env *);
void goroutines_save_view(const void *, struct view *);
void goroutines_load_view(void *, const struct pane_env *, const struct view *);

/* search.c */
bool goroutines_match(void *, const struct pane_env *, uint8_t *at);	/* for struct list_ops */
void goroutines_drop_hits(struct goroutines_state *);	/* the matches of the tables have changed */
uint32_t goroutines_find(void *, const struct pane_env *, int dir, uint32_t *at);

/* goroutines/search_job.c */
/* Compute p->tree for the current search. false: there are many goroutines, and a job does it, and p->tree is
   empty until goroutines_search_finish(). */
bool goroutines_search(struct goroutines_state *, const struct pane_env *);
void goroutines_search_finish(struct goroutines_state *);		/* take the result, or wait for it */
/* The result is not wanted any more, or the groups have changed. */
void goroutines_search_clear(struct goroutines_state *);		/* likewise, and discard the results */

/* Set which spans of the page are matches. */
void goroutines_page_mark_hits(const struct goroutines_state *, const struct pane_env *, uint8_t *hit);

#endif
