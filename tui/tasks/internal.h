/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TASKS_INTERNAL_H
#define TTRACE_TASKS_INTERNAL_H

#include "app/pane_table.h"
#include "base/async.h"
#include "session/trace_analysis.h"
#include "trace/task_filter.h"
#include "tracepane/query_job.h"
#include "tracepane/tracepane.h"
#include "widget/histogram.h"

/* The state of the tasks pane and what its files share. */
enum tasks_level { L_KINDS, L_LIST, L_ONE };
enum { SORT_COUNT, SORT_P50, SORT_P95, SORT_P99, SORT_MAX, SORT_NAME, SORT__N };
/* The last four only for regions. */
enum item_val { IV_DUR, IV_START, IV_ID, IV_RUN, IV_READY, IV_SYSCALL, IV_BLOCKED, IV__N };
/* The sort keys of kinds (by SORT_*) and of the items of a kind (by item_val): the word for :sort, and its text
   for the menu. */
struct sort_word { const char *word, *what; };
extern const struct sort_word tasks_kind_sorts[SORT__N], tasks_item_sorts[IV__N];

struct kind {
	str_id name;
	frm_id frame;
	/* n, open, h and spread only count the filtered items; all: number of all items, item[first ..] */
	uint32_t n, open, all, first;
	struct duration_histogram h;
	/* of tasks with a start and an end in the trace, or of all regions, as in the reports */
	struct stats_spread spread;
};
/* i: index into task[] or r[]; in: the filter selects it */
struct item { int64_t t0, t1; bool open, in; uint32_t i, kind; };
struct task_line {
	int64_t t0, t1;
	trk_id trk;
	enum { LN_BEGIN, LN_LOG, LN_REGION, LN_CHILD, LN_END } what;
	uint32_t i;		/* LN_CHILD: index into task[] */
};

/* The position to show when the listing is ready. */
struct tasks_target {
	bool regions;
	bool moves;			/* go to that level, and open this kind in it: */
	enum tasks_level level;
	int64_t open;
	bool page;			/* open the page of the task with that number */
	bool near;			/* on the level of kinds, select the kind of that task */
	uint64_t task;
	bool view;			/* restore this view: */
	struct view v;
};

enum { TASKS_LONGEST = 16 };
/* What rows_job.c makes for a snapshot and a query. */
struct tasks_listing {
	struct arena mem;		/* of the members below */
	struct tracepane_scope scope;
	struct task_criteria criteria;
	bool regions;
	struct stats_tasks *ts;
	struct stats_region_kinds *ks;
	struct kind *kind;
	struct item *item;		/* sorted by kind */
	uint32_t nkind, nitem;
	uint32_t *kid, nkid;		/* tasks with a parent, sorted by it */
	int64_t lo, hi;			/* scale of the histograms */
};

/* The page of one task. */
struct tasks_page {
	struct arena mem;
	struct task_line *line;
	uint32_t nline, nchild;
	int64_t why[TS__N], whole;
};

/* Matches of the search. */
struct tasks_matches {
	struct list_hits hits;
	struct async slot;		/* for the hits of a long list */
	char *find;	/* the expression that was searched, in the list with that number, or is being searched */
	uint32_t list_no, hit_of, search_of;
};

/* The list of operations, see operations.c. It is shown instead of everything else. */
struct tasks_operations {
	bool chosen;			/* the user has chosen a list; otherwise the trace does */
	bool shown;
	uint32_t open;			/* number of the open kind, from 1; 0: none. Valid below the kinds of the analysis */
	struct trace_analysis *analysis;	/* NULL: it is being made, or has not been needed */
	struct tasks_histograms *histograms;	/* of the analysis; NULL: they are being counted */
	struct async making, counting;
	struct pane_table kinds, items;
};

struct tasks {
	struct tasks_listing list;
	struct async work;		/* a listing that is being made */
	struct tracepane_query later;		/* the query that is being made, or was made last */
	struct tasks_target want;
	bool again;			/* the snapshot has changed since the job started */
	bool accounts;	/* below the list show the times of the selected region instead of the histogram */
	struct task_criteria task_criteria;		/* the filter of items; its text is that of `&` */
	struct bars bars;		/* durations of the selected or open kind, without the filter */
	int64_t bars_of;		/* key of that kind; -1: none */
	uint32_t longest[TASKS_LONGEST], nlongest;	/* the longest items of that kind, longest first */
	enum tasks_level level;
	struct rows rows[3];
	uint32_t *order;		/* of kinds, as displayed */
	size_t corder;
	uint32_t *shown;		/* items of the open kind that pass the filter, as displayed */
	size_t cshown;
	int64_t shown_of, most;		/* key of that kind, -1: none yet; the longest duration of its items */
	int sort[2];			/* SORT_*, item_val */
	bool invert[2];
	int64_t open, task;		/* key of the open kind (name and frame); id of the open task */
	struct tasks_page page;
	struct tasks_matches search;
	struct tasks_operations operations;
};

static inline const struct store *tasks_store(const struct pane_env *env)
{
	return session_snap(env->s)->st;
}
static inline const char *tasks_unnamed(const struct tasks *p)
{
	return p->list.regions ? "(inherited task)" : "(outside of tasks)";
}
const struct stats_task *tasks_shown_task(const struct tasks *);	/* the task of the open page, NULL: none */
const struct stats_task *tasks_find_id(const struct tasks *, uint64_t id);
static inline int64_t kind_key(const struct kind *k)
{
	return (int64_t)((uint64_t)k->name << 32 | k->frame);
}
static inline const struct kind *kind_now(const struct tasks *p)
{
	return p->rows[L_KINDS].n ? &p->list.kind[p->order[p->rows[L_KINDS].sel]] : NULL;
}
static inline const struct item *item_now(const struct tasks *p)
{
	return p->rows[L_LIST].n ? &p->list.item[p->shown[p->rows[L_LIST].sel]] : NULL;
}

/* tasks/rows.c: rows made from the snapshot and the query */
/* List kinds and items for the scope, criteria and regions of the listing. */
void tasks_list(struct tasks_listing *, const struct snap *, const struct progress_watcher *);
void tasks_sort_kinds(struct tasks *, const struct pane_env *);	/* sort the kinds */
void tasks_fill_list(struct tasks *, const struct pane_env *);	/* list the items of the open kind */
void tasks_count_bars(struct tasks *);
void tasks_load_page(struct tasks *, const struct pane_env *);	/* load the open task */
void tasks_row_text(const struct tasks *, const struct store *, enum tasks_level, uint32_t i, struct buf *);
	/* The text of a row for searches: names, and the logs of tasks. */
int64_t tasks_value(const struct tasks *, const struct item *, int val);
void tasks_put_filter(const struct task_criteria *, struct buf *);

/* rows_job.c: the same in the background, if there are many */
void tasks_update(struct tasks *, const struct pane_env *);	/* list again for a new snapshot, query or filter */
struct tasks_target tasks_current_target(const struct tasks *);
/* Likewise, and go to a position. */
void tasks_goto(struct tasks *, const struct pane_env *, const struct tasks_target *);
/* Select the kind of a task; Enter then selects that task in the list. */
void tasks_select_near(struct tasks *, uint64_t id);
void tasks_job_finish(void *, const struct pane_env *, struct ask *);	/* for struct pane_work */
void tasks_put_progress(const struct tasks *, struct buf *);
/* tasks/search_job.c */
/* Mark the matches of the search; a job does it for a long list, without marks until it has ended. */
void tasks_mark_hits(struct tasks *, const struct pane_env *);
void tasks_select_rows(struct tasks *, const struct view *);	/* those of the view, in all three lists */
void tasks_search_finish(void *, const struct pane_env *, struct ask *);	/* for struct pane_work */
uint32_t tasks_find_hit(void *, const struct pane_env *, int dir, uint32_t *at);
/* tasks/pane.c */
void tasks_open_page(struct tasks *, const struct pane_env *, uint64_t id);	/* open the page of a task */
/* false: there is no selection */
bool tasks_selected_place(const struct tasks *, const struct pane_env *, struct place *);

/* tasks/text.c */
void tasks_summary(const void *, const struct pane_env *, struct buf *);
void tasks_detail(const void *, const struct pane_env *, struct buf *);
void tasks_keys(const void *, const struct pane_env *, struct buf *);

/* tasks/operations.c: the parts of the pane while operations are shown */
void tasks_operations_open(struct tasks *);
void tasks_operations_close(struct tasks *);
/* Decide whether they are shown, unless the user has; and show those of the current scope. */
void tasks_operations_update(struct tasks *, const struct pane_env *);
int tasks_operations_slots(struct tasks *, struct pane_work *);		/* returns their number */
enum verdict tasks_operations_act(struct tasks *, const struct pane_env *, const struct act *, struct ask *);
void tasks_operations_go(struct tasks *, const struct place *);
bool tasks_operations_place(const struct tasks *, struct place *);	/* false: no operation is selected */
struct list_part tasks_operations_part(struct tasks *, const struct pane_env *);
void tasks_operations_save(const struct tasks *, struct view *);
void tasks_operations_load(struct tasks *, const struct pane_env *, const struct view *);
void tasks_operations_summary(const struct tasks *, const struct pane_env *, struct buf *);
void tasks_operations_detail(const struct tasks *, const struct pane_env *, struct buf *);
void tasks_operations_keys(const struct tasks *, struct buf *);
void tasks_operations_draw(const struct tasks *, const struct pane_env *, struct grid *);
void tasks_operations_draw_side(const struct tasks *, struct grid *);

/* tasks/draw.c */
int tasks_footer_height(const struct tasks *, const struct pane_env *);	/* lines below the list */
void tasks_draw(const void *, const struct pane_env *, struct grid *);
void tasks_draw_side(const void *, const struct pane_env *, struct grid *);
/* Append the text of a line. */
void tasks_put_line(const struct tasks *, const struct store *, const struct task_line *, struct buf *);

#endif
