/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TASKS_INTERNAL_H
#define TTRACE_TASKS_INTERNAL_H

#include "trace/task_filter.h"
#include "tracepane/query_job.h"
#include "tracepane/tracepane.h"
#include "widget/histogram.h"

/* The state of the tasks pane and what its files share. */
enum tasks_level { L_KINDS, L_LIST, L_ONE };
enum { SORT_COUNT, SORT_P50, SORT_P95, SORT_P99, SORT_MAX, SORT_NAME, SORT__N };
/* the last four: regions */
enum item_val { IV_DUR, IV_START, IV_ID, IV_RUN, IV_READY, IV_SYSCALL, IV_BLOCKED, IV__N };
/* What kinds (by SORT_*) and those of a kind (by item_val) can be sorted by: its word after :sort, and what it is. */
struct sort_word { const char *word, *what; };
extern const struct sort_word tasks_kind_sorts[SORT__N], tasks_item_sorts[IV__N];

struct kind {
	str_id name;
	frm_id frame;
	uint32_t n, open, all, first;	/* n, open, h and spread: of those picked; all: item[first ..] */
	struct duration_histogram h;
	struct stats_spread spread;	/* of tasks that are whole, of all regions, as the reports have them */
};
struct item { int64_t t0, t1; bool open, in; uint32_t i, kind; };	/* i: of task[] or of r[]; in: picked */
struct task_line {
	int64_t t0, t1;
	trk_id trk;
	enum { LN_BEGIN, LN_LOG, LN_REGION, LN_CHILD, LN_END } what;
	uint32_t i;		/* LN_CHILD: of task[] */
};

/* What is to be seen when what is being made is there. */
struct tasks_target {
	bool regions;
	bool moves;			/* to that level, and what is open in it: */
	enum tasks_level level;
	int64_t open;
	bool page;			/* of the task of that number */
	bool near;			/* among the kinds, the one of that task is selected */
	uint64_t task;
	bool view;			/* as it was left: */
	struct view v;
};

enum { TASKS_LONGEST = 16 };
struct tasks {
	struct arena mem, one;		/* of the snapshot and query; of the task that is open */
	struct tasks_build *work;	/* what is being made, or NULL; there was nothing before: kind is NULL */
	struct tracepane_query *later;		/* NULL, or the query that is put together, or was asked for last */
	struct tasks_target want;
	bool again;			/* there is something newer to be made already */
	struct tracepane_scope scope;
	bool regions;
	bool accounts;			/* below the regions of a kind: where the time of one went, and no bars */
	struct stats_tasks *ts;
	struct stats_region_kinds *ks;
	struct kind *kind;
	struct item *item;		/* by kind */
	uint32_t nkind, nitem;
	int64_t lo, hi;			/* scale of the pictures */
	struct task_criteria task_criteria;		/* which are shown; its text is `&` */
	struct bars bars;		/* of the kind that is selected or open, whatever the pick */
	int64_t bars_of;		/* its key; -1: none */
	uint32_t longest[TASKS_LONGEST], nlongest;	/* items of that kind, longest first */
	enum tasks_level level;
	struct rows rows[3];
	uint32_t *order;		/* of kinds */
	size_t corder;
	uint32_t *shown;		/* items of the open kind that are left, in order */
	size_t cshown;
	int64_t shown_of, most;		/* the key of that kind, -1: none yet; how long the longest of them took */
	int sort[2];			/* SORT_*, item_val */
	bool invert[2];
	int64_t open, task;		/* name and frame of the kind, id of the task that is open */
	struct task_line *task_line;
	uint32_t nline, nchild;
	uint32_t *kid, nkid;		/* tasks that have a parent, by it */
	int64_t why[TS__N], whole;
	uint8_t *hit;
	uint32_t nhit;
	struct tasks_search *hunt;	/* NULL, or it is being looked for */
	char *hit_find;			/* what was searched, in the list of that number, or is */
	uint32_t list_no, hit_of, search_of;
};

static inline const struct store *tasks_store(const struct pane_env *env)
{
	return session_snap(env->s)->st;
}
static inline const char *tasks_unnamed(const struct tasks *p)
{
	return p->regions ? "(inherited task)" : "(outside of tasks)";
}
const struct stats_task *tasks_shown_task(const struct tasks *);	/* the one whose page is shown, NULL none */
const struct stats_task *tasks_find_id(const struct tasks *, uint64_t id);
static inline int64_t kind_key(const struct kind *k)
{
	return (int64_t)((uint64_t)k->name << 32 | k->frame);
}
static inline const struct kind *kind_now(const struct tasks *p)
{
	return p->rows[L_KINDS].n ? &p->kind[p->order[p->rows[L_KINDS].sel]] : NULL;
}
static inline const struct item *item_now(const struct tasks *p)
{
	return p->rows[L_LIST].n ? &p->item[p->shown[p->rows[L_LIST].sel]] : NULL;
}

/* tasks/rows.c: what is listed, out of the snapshot and the query */
/* of its scope, pick and regions, into its arena */
void tasks_list(struct tasks *, const struct snap *, const struct progress_watcher *);
void tasks_sort_kinds(struct tasks *, const struct pane_env *);	/* kinds */
void tasks_fill_list(struct tasks *, const struct pane_env *);	/* those of the kind that is open */
void tasks_count_bars(struct tasks *);
void tasks_load_page(struct tasks *, const struct pane_env *);	/* the task that is open */
void tasks_row_text(const struct tasks *, const struct store *, enum tasks_level, uint32_t i, struct buf *);
	/* what a row says, to search in: names, and the logs of tasks */
int64_t tasks_value(const struct tasks *, const struct item *, int val);
void tasks_put_filter(const struct task_criteria *, struct buf *);

/* rows_job.c: the same beside the keyboard, where there are many */
void tasks_update(struct tasks *, const struct pane_env *);	/* anew: another snapshot, query or pick */
struct tasks_target tasks_current_target(const struct tasks *);
void tasks_goto(struct tasks *, const struct pane_env *, const struct tasks_target *);	/* likewise, and go there */
/* Select the kind of a task, and that task in the list that Enter opens. */
void tasks_select_near(struct tasks *, uint64_t id);
struct job *tasks_job(const struct tasks *);
void tasks_job_finish(struct tasks *, const struct pane_env *);	/* it has ended, or is waited for */
void tasks_job_stop(struct tasks *, struct session *);
void tasks_put_progress(const struct tasks *, struct buf *);
/* tasks/search_job.c */
/* Mark what the search finds: in a list of many beside the keyboard, then there are no marks until that is done. */
void tasks_mark_hits(struct tasks *, const struct pane_env *);
struct job *tasks_search_job(const struct tasks *);
void tasks_search_finish(struct tasks *);
void tasks_search_stop(struct tasks *);	/* before what it looks at goes */
uint32_t tasks_find_hit(void *, const struct pane_env *, int dir, uint32_t *at);
/* tasks/pane.c */
void tasks_open_page(struct tasks *, const struct pane_env *, uint64_t id);	/* of a task */
bool tasks_selected_place(const struct tasks *, const struct pane_env *, struct place *);	/* false: nothing is */

/* tasks/text.c */
void tasks_summary(const void *, const struct pane_env *, struct buf *);
void tasks_detail(const void *, const struct pane_env *, struct buf *);
void tasks_keys(const void *, const struct pane_env *, struct buf *);

/* tasks/draw.c */
int tasks_footer_height(const struct tasks *, const struct pane_env *);	/* lines below the list */
void tasks_draw(const void *, const struct pane_env *, struct grid *);
void tasks_draw_side(const void *, const struct pane_env *, struct grid *);
/* What it says. */
void tasks_put_line(const struct tasks *, const struct store *, const struct task_line *, struct buf *);

#endif
