/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TASKS_INTERNAL_H
#define TTRACE_TASKS_INTERNAL_H

#include "app/pane_table.h"
#include "base/async.h"
#include "operations/operations.h"
#include "session/query.h"
#include "trace/task_filter.h"
#include "tracepane/query_job.h"
#include "tracepane/tracepane.h"
#include "widget/brush.h"

/* The state of the pane of operations and regions, and what its files share. */
enum tasks_level { L_KINDS, L_LIST, L_ONE };

/* User tasks, the parts of them that are marked in the program, or operations that were found in other ways. */
enum item_source { OF_TASK, OF_REGION, OF_OPERATION };

struct kind {
	enum item_source source;
	const char *s;			/* the name, n bytes as in the file */
	size_t len;
	str_id name;			/* of tasks and regions: likewise */
	frm_id frame;			/* of regions */
	uint32_t of;			/* index of the kind of operations, OPERATION_NONE: regions, or not known yet */
	/* n, open, total, h and spread only count the filtered items; all: number of all items, item[first ..] */
	uint32_t n, open, all, first;
	int64_t total;			/* ns */
	struct duration_histogram h;
	/* of items with a start and an end in the trace, or of all regions, as in the reports */
	struct stats_spread spread;
};
/* i: index into task[], r[], or the operations; op: index into the operations, OPERATION_NONE: not one, or not known
   yet; in: the filter selects it */
struct item { int64_t t0, t1; uint32_t i, op, kind; bool open, in; };
/* The stored form of an item, because there may be millions; the rest of the item is derived from it. ns: its duration, or
   ITEM_LONG if it is longer. i has 30 bits: the other tables of a trace with 2^30 items would take more than 30 GB. */
struct packed_item { uint32_t ns, i : 30, open : 1, in : 1; };
#define ITEM_LONG UINT32_MAX
/* What panes show of an item. id: of a region that of its task, 0: none; stack: where it started, or the place that
   names its kind. */
struct item_facts { uint64_t id; trk_id trk; stk_id stack; };

struct task_line {
	int64_t t0, t1;
	trk_id trk;
	enum { LN_BEGIN, LN_LOG, LN_REGION, LN_TASK, LN_OPERATION, LN_STATE, LN_REST, LN_END } what;
	uint32_t i;		/* LN_TASK: index into task[]; LN_OPERATION: into the operations; LN_STATE: its stack; LN_REST:
				   how many */
	enum tstate state;	/* LN_STATE, LN_REST */
	int64_t ns;		/* LN_REST: their time */
};

/* The position to show when the listing is ready. */
struct tasks_target {
	bool regions;
	bool moves;			/* go to that level, and open this kind in it: */
	enum tasks_level level;
	int64_t open;
	bool page;			/* open the page of the task or operation with that number */
	bool near;			/* on the level of kinds, select the kind of it, ... */
	bool slowest;			/* ... of which Enter then selects the slowest one, not that one */
	uint64_t id;
	bool view;			/* restore this view: */
	struct view v;
};

enum { TASKS_LONGEST = 16 };
/* What listing.c makes for a snapshot and a query. */
struct tasks_listing {
	struct arena mem;		/* of the members below */
	struct tracepane_scope scope;
	struct task_criteria criteria;
	bool regions;
	struct stats_tasks *ts;
	struct stats_region_kinds *ks;
	const struct operations *ops;	/* of the whole trace; NULL: it has not been read, or regions are listed */
	struct kind *kind;
	struct packed_item *item;	/* sorted by kind */
	uint32_t nkind, nitem;
	uint32_t *op_of_task;		/* by task: its index in the operations, or OPERATION_NONE */
	uint32_t *kid, nkid;		/* tasks with a parent, sorted by it */
	int64_t lo, hi;			/* scale of the histograms */
	const int64_t *alloc;		/* bytes by kind of the operations; NULL: not known yet */
	uint32_t classes[TIME_CLASS__N];	/* of how many kinds there is time of each class */
};

/* The inside of one task or operation. */
struct tasks_page {
	struct arena mem;
	struct task_line *line;
	uint32_t nline, nchild;
	int64_t state_ns[TS__N], whole;	/* times by state of its goroutines, and their sum */
	trk_id trk;			/* the goroutine of all lines; 0: there are several */
	bool made;
};

/* Columns of a table, which depend on what is listed. what[]: a cell, see columns.c. */
enum { TASKS_COLS = 12 + TIME_CLASS__N };
struct tasks_columns {
	struct pane_table_kind kind;
	struct pane_table_column col[TASKS_COLS];
	int what[TASKS_COLS], n;
	struct pane_table_set set[2];	/* for the menu of e; the last one has no name */
	char scale[40];			/* heading of the histograms */
};

/* The time by class of the items of a kind. */
struct tasks_classes { struct arena mem; int64_t key; const struct class_table *t; };

struct tasks {
	struct tasks_listing list;
	struct async work;		/* a listing that is being made */
	struct tracepane_query later;		/* the query that is being made, or was made last */
	struct tasks_target want;
	bool again;			/* the snapshot has changed since the job started */
	bool background;		/* kinds of goroutines that live all of the trace are rows, too */
	uint32_t nbackground;		/* how many such goroutines are left out */
	bool accounts;	/* below the list show the times of the selected region instead of the histogram */
	struct brush brush;		/* durations of the selected or open kind; its limit is for items of all kinds */
	enum task_completeness whole;	/* limits them likewise */
	int64_t bars_of;		/* key of that kind; TASKS_NO_KIND: none */
	uint32_t longest[TASKS_LONGEST], nlongest;	/* the longest items of that kind, longest first */
	enum tasks_level level;
	struct pane_table kinds, items;	/* items are numbered from 0 in the open kind */
	struct tasks_columns kind_cols, item_cols;
	int64_t open, shown_of, most;	/* key of the open kind; of that which is listed; the longest duration of its items */
	uint32_t opened;		/* index of the kind that is listed; UINT32_MAX: none */
	char class_head[TIME_CLASS__N][16];
	struct async summing;		/* the classes of the open kind */
	struct tasks_classes classes;
	int64_t id;			/* of the open task or operation */
	bool seeks_slow;		/* the kind of a slow operation is to be selected when the trace has been judged */
	struct async judging;
	bool carried;			/* the selected kind is that of the selection on the timeline */
	struct rows lines;		/* of its page */
	struct list_hits line_hits;
	struct tasks_page page;
	struct async paging;
	uint32_t page_row;		/* to select when the page is made */
	struct async search;		/* for the matches in a long list */
};

#define TASKS_NO_KIND INT64_C(-1)

/* Return the limits of durations and completeness. */
static inline struct task_criteria tasks_criteria(const struct tasks *p)
{
	struct task_criteria c = TASK_CRITERIA_NONE;
	c.whole = p->whole;
	if (p->brush.limits) {
		c.lo = p->brush.lo > 0 ? p->brush.lo : TIME_NONE;
		c.hi = p->brush.hi < INT64_MAX ? p->brush.hi : TIME_NONE;
	}
	return c;
}

static inline const struct store *tasks_store(const struct pane_env *env)
{
	return session_snap(env->s)->st;
}
static inline const char *tasks_unnamed(const struct kind *k)
{
	return k->source == OF_REGION ? "(inherited task)" : k->source == OF_TASK ? "(outside of tasks)" : "(no name)";
}
/* A number that identifies a kind as long as the trace is the same one. */
static inline int64_t tasks_kind_key(const struct kind *k)
{
	return k->source == OF_OPERATION ? -2 - (int64_t)k->of : (int64_t)((uint64_t)k->name << 32 | k->frame);
}
/* Return the selected kind or item; NULL: none. */
const struct kind *tasks_kind_now(const struct tasks *);
const struct item *tasks_item_now(const struct tasks *, struct item *room);	/* made in *room */
enum item_source tasks_source_now(const struct tasks *);	/* of the selection, or of the open page */
static inline const struct kind *tasks_opened_kind(const struct tasks *p)
{
	return p->opened < p->list.nkind ? &p->list.kind[p->opened] : NULL;
}
/* listing.c: return a listed item of a kind; its duration. Any thread. */
struct item tasks_unpack(const struct tasks_listing *, const struct kind *, const struct packed_item *);
int64_t tasks_item_ns(const struct tasks_listing *, const struct kind *, const struct packed_item *);
/* Return the item of that number of the open kind. */
static inline const struct packed_item *tasks_packed_item(const struct tasks *p, uint32_t i)
{
	return &p->list.item[p->list.kind[p->opened].first + i];
}
static inline struct item tasks_item(const struct tasks *p, uint32_t i)
{
	return tasks_unpack(&p->list, &p->list.kind[p->opened], tasks_packed_item(p, i));
}

/* listing.c: kinds and items of the snapshot and the query; on any thread */
/* List kinds and items for the scope, criteria and regions of the listing; match: the filters of the query. */
void tasks_list(
    struct tasks_listing *, const struct snap *, const struct query_match *, const struct progress_watcher *);
struct item_facts tasks_item_facts(const struct tasks_listing *, const struct store *, const struct item *);
void tasks_put_kind(const struct store *, const struct kind *, struct buf *);	/* its name, and the frame of a region */
	/* The text of an item for searches: names, and the logs of tasks. */
void tasks_put_item(const struct tasks_listing *, const struct store *, const struct item *, struct buf *);
const struct stats_task *tasks_find_id(const struct tasks_listing *, uint64_t id);	/* NULL: no task has it */
/* Return the index of the operation with this id that is no task; OPERATION_NONE: there is none. */
uint32_t tasks_find_operation(const struct tasks_listing *, uint64_t id);
/* Return the first child of a task in kid[], and how many there are. */
uint32_t tasks_children(const struct tasks_listing *, uint64_t id, uint32_t *n);

/* columns.c: the two tables */
void tasks_open_tables(struct tasks *);
/* Make the columns for another listing, and for another kind; keep the sort columns. */
void tasks_make_kind_columns(struct tasks *);
void tasks_make_item_columns(struct tasks *);
/* Return the sort column and its direction as a number that does not depend on what is listed, and set them. */
int tasks_sort_word(const struct pane_table *, const struct tasks_columns *);
void tasks_set_sort(struct pane_table *, const struct tasks_columns *, int word);
bool tasks_sorts_by_class(const struct tasks *);	/* the items, by the time of a class */
int64_t tasks_class_ns(const struct tasks *, const struct item *, enum time_class);	/* 0: not known yet */

/* rows.c: which rows the tables have */
/* Return whether a kind is goroutines that live all of the trace, which are no work that comes and ends. */
bool tasks_is_background(const struct tasks *, const struct kind *);
void tasks_fill_kinds(struct tasks *, const struct pane_env *);
void tasks_fill_items(struct tasks *, const struct pane_env *);	/* of the open kind; a worker orders very many */
void tasks_take_items(struct tasks *, const struct pane_env *);	/* when the worker has ended */
/* Select the item of this id, as soon as there are rows; -1: the first. */
void tasks_select_item(struct tasks *, int64_t id);
void tasks_count_bars(struct tasks *);	/* as many as the screen has cells */

/* listing_job.c: the listing in the background, if there are many items */
void tasks_update(struct tasks *, const struct pane_env *);	/* list again for a new snapshot, query or filter */
struct tasks_target tasks_current_target(const struct tasks *);
/* Likewise, and go to a position. */
void tasks_goto(struct tasks *, const struct pane_env *, const struct tasks_target *);
/* Select the kind of a task or operation; Enter then selects that in the list, or the slowest one. */
void tasks_select_near(struct tasks *, const struct pane_env *, uint64_t id, bool slowest);
extern const char *const tasks_row_words[];	/* of the selected rows in a view, by level */
void tasks_select_rows(struct tasks *, const struct view *);
void tasks_job_finish(void *, const struct pane_env *, struct ask *);	/* for struct pane_work */
void tasks_put_progress(const struct tasks *, struct buf *);

/* classes_job.c: the time by class of the items of the open kind */
void tasks_sum_classes(struct tasks *, const struct pane_env *);
void tasks_classes_finish(void *, const struct pane_env *, struct ask *);
void tasks_drop_classes(struct tasks *);	/* before the listing is replaced */

/* page.c */
/* Open the page of a task or operation, and select a row when it is there. */
void tasks_open_page(struct tasks *, const struct pane_env *, uint64_t id, uint32_t row);
void tasks_load_page(struct tasks *, const struct pane_env *, uint32_t row);	/* of the open one */
void tasks_page_finish(void *, const struct pane_env *, struct ask *);
/* Get the bounds of the task or operation of the open page, TIME_NONE where they are not in the trace. false: it is not
   listed. */
bool tasks_page_bounds(const struct tasks *, int64_t *t0, int64_t *t1);

/* search_job.c */
bool tasks_search_is_long(const struct tasks *);
void tasks_mark_hits(struct tasks *, const struct pane_env *);	/* of a long list, by a job */
void tasks_search_finish(void *, const struct pane_env *, struct ask *);
uint32_t tasks_find_hit(void *, const struct pane_env *, int dir, uint32_t *at);	/* for pane_ops.own */

/* pane.c */
bool tasks_selected_place(const struct tasks *, const struct pane_env *, struct place *);	/* false: no selection */

/* query.c: queries that the pane asks for */
/* Filter by the selected kind, task or operation, and show a pane if requested. */
enum verdict tasks_ask_filter(struct tasks *, const struct pane_env *, const char *pane, struct ask *);
/* Return the option for the limit of durations, "-latency=50000001ns..". */
const char *tasks_latency_option(const struct tasks *, struct arena *);
/* Compare the slow items of a kind with its others, in the flame graph. */
enum verdict tasks_ask_rest(struct tasks *, const struct pane_env *, struct ask *);
enum verdict tasks_ask_search(struct tasks *, const struct pane_env *, struct ask *);	/* for the selected kind */

/* text.c */
void tasks_summary(const void *, const struct pane_env *, struct buf *);
void tasks_detail(const void *, const struct pane_env *, struct buf *);
void tasks_keys(const void *, const struct pane_env *, struct buf *);
void tasks_put_line(const struct tasks *, const struct store *, const struct task_line *, struct buf *);

/* draw.c, side.c */
int tasks_footer_height(const struct tasks *, const struct pane_env *);	/* lines below the list */
int tasks_table_height(const struct tasks *, const struct pane_env *);	/* rows of the table, without its heading */
/* Draw the longest items of the selected kind with what they did; return the line after them. */
int tasks_draw_longest(const struct tasks *, const struct pane_env *, struct grid *, int y, const struct kind *);
void tasks_draw(const void *, const struct pane_env *, struct grid *);
void tasks_draw_bars(const struct tasks *, struct grid *, int y, int h);
void tasks_draw_side(const void *, const struct pane_env *, struct grid *);

#endif
