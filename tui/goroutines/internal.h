/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GOROUTINES_INTERNAL_H
#define TTRACE_GOROUTINES_INTERNAL_H

#include "trace/bins.h"
#include "trace/stats/group_key.h"
#include "trace/stats/wait_stats.h"
#include "tracepane/query_job.h"
#include "tracepane/tracepane.h"
#include "widget/histogram.h"

/* The state of the goroutines pane and what its files share. */
enum goroutines_level { GL_GROUPS, GL_LIST, GL_ONE };
enum goroutines_value {
	GV_RUN,
	GV_READY,
	GV_SYSCALL,
	GV_BLOCKED,
	GV_CHAN,
	GV_SYNC,
	GV_NET,
	GV_SLEEP,
	GV_GC,
	GV_TOTAL,
	GV__N
};

struct goroutines_totals {			/* of all goroutines of a group, added up */
	int64_t ns[TS__N];
	uint32_t ended;
	stk_id created;			/* the first that is known */
};
struct goroutines_row {			/* a group, or a goroutine of one */
	str_id name;
	trk_id trk;			/* 0: a group */
	uint32_t n, first;
	int64_t t0, t1, v[GV__N];
	const struct goroutines_totals *totals;	/* of a large group; NULL: goroutines_sum_group() is as fast */
};

struct goroutines_waits {			/* of the selected group or goroutine, from its spans */
	struct stats_spread life;
	enum tstate state[WAIT_STATS_STATES];	/* the kinds of waits that take longest; TS_NONE: none */
	struct wait_counts w;
	uint32_t ended;
	stk_id created;
	bool part;			/* of w there is only what was at hand: all of it is being looked at */
};

enum { ONE_SPANS = 200000, ONE_NOW = 20000 };	/* NOW: the others come beside the keyboard */
enum { ONE_START, ONE_DUR, ONE_STATE, ONE__N };	/* what the spans of a page are sorted by */
enum goroutines_part { GP_STACK, GP_ACCOUNTS, GP_WAKES, GP_CHAIN, GP_REGIONS, GP_CREATED, GP_CHILDREN, GP__N };
struct goroutines_page {			/* a goroutine's page */
	trk_id trk, of;			/* of: whose spans and accounts these are; 0: nobody's */
	struct goroutine_times s;
	struct trace_interval *v;			/* its spans in the window */
	uint32_t n;
	size_t cap;
	uint32_t *order;		/* the rows: indexes of v, in the order of `sort` */
	size_t corder;
	int sort;			/* ONE_START, ... */
	bool invert;
	bool cut;
	struct goroutines_span_job {		/* those of v that are still gathered */
		const struct snap *sn;
		bool far, more, dropped;	/* far: from sheets that come and go */
		trk_id trk;			/* n0 0: the first of it is looked for, */
		struct trace_interval from;		/* else this is the next */
		int64_t t0, t1;
		struct job *job;
		struct trace_interval *v;
		uint32_t n0, n, most;
		size_t cap;
	} *rest;			/* or NULL */
	int64_t seek;			/* TIME_NONE, or where one is to look when it has been gathered, ... */
	uint32_t row, top;		/* ... or at which span (of v); UINT32_MAX: not; top: of the rows then */
	struct rows rows;
	enum goroutines_part part;
	struct tracepane_wake wake;		/* where ( led to */
	const trk_id *child;		/* whom it created, in the order of their begins */
	uint32_t nchild;
	uint32_t *region, nregion;	/* its regions, spans of the store, in the order of their begins */
};

struct goroutines_state {
	struct arena mem;		/* all below that the query and the snapshot make */
	struct tracepane_scope scope;
	struct stats_index *stats_index;
	struct stats_groups *gs;	/* NULL: they are being made, and there were none before */
	const trk_id *trk, *creator;	/* of each of gs->g */
	struct goroutines_row *groups;
	uint32_t ngroup;
	int64_t ran, most;		/* all of them; of those that are listed the one that ran most */
	const trk_id *child;		/* who has a creator, by that, then by when it began; regions by goroutine */
	const uint32_t *region;
	uint32_t nchild, nregion;
	struct goroutines_build *work;		/* what is being made, or NULL */
	bool again;			/* there is something newer to be made already */
	bool opening;			/* it is a list, to be shown when it is there */
	bool relist;			/* a list of another group, or order, is wanted by now */
	bool seeks;			/* there is a place to go to when all is made, `there` */
	struct view there;
	int into;			/* in that list a search goes to the first hit (1), or the last (-1) */
	uint32_t *order[2];	/* rows as shown, by level: of groups[], and of gs->g where that group is open */
	size_t corder;
	bool listed;		/* the second is of gs, */
	/* of this group in this order, if not grepped */
	struct goroutines_list_key { str_id open; int sort; bool invert; } list;
	struct goroutines_previous_list {
		uint32_t *order, n;
		struct goroutines_list_key of;
	} other; /* order NULL, or the list before that */
	struct rows rows[2];
	enum goroutines_level level;
	str_id open;			/* key of the group that is open */
	int64_t sel[2];			/* what is selected, over updates: name; track */
	enum group_key_kind by;			/* what groups are of */
	str_id *key;			/* per track its group, NULL: its start function */
	struct goroutines_tags { int64_t *v; size_t n, cap; } tags[2];	/* rows that are tagged: as sel */
	int sort[2];			/* goroutines_value, or SORT_* */
	bool invert[2];
	struct goroutines_waits story;
	int64_t story_of;		/* what it is about: level, row's name or track; -1: nothing yet */
	struct goroutines_wait_search *look;		/* what is being looked for in the sheets, or NULL */
	enum cmd_id jump;		/* CMD_NONE, or: what is looked for when that has ended */
	struct goroutines_page one;
	uint8_t *hit;			/* of the rows that are shown */
	uint32_t nhit;
	struct goroutines_matches {		/* what the search finds: groups by their rows, goroutines by gs->g */
		struct arena mem;
		const char *find, *grep;	/* find NULL: not known */
		uint8_t *row, *g;
		uint32_t *under, all;	/* under: per group, of its goroutines */
	} tree;
	struct tracepane_query *later;		/* NULL, or the query that is put together, or was asked for last */
	bool leaves;			/* it is one without what is selected */
	struct goroutines_search *hunt;		/* NULL, or it is being looked for */
};
enum { SORT_N = GV__N, SORT_NAME, SORT__N };

/* Row i as it is shown. Of a goroutine it is put into *room: there may be a million of them. */
const struct goroutines_row *goroutines_row(
    const struct goroutines_state *, int level, uint32_t i, struct goroutines_row *room);
static inline str_id goroutines_group_key(const struct goroutines_state *p, const struct store *st, trk_id t)
{
	return p->key ? p->key[t] : (str_id)store_trk(st, t)->name;
}
/* goroutines/rows.c */
/* NULL: none. */
const struct goroutines_row *goroutines_selected_row(const struct goroutines_state *, struct goroutines_row *room);
bool goroutines_row_matches(const struct store *, const struct goroutines_row *, const struct regex *);
/* Groups, of the snapshot and the query. false: there are so many goroutines that it is done beside the keyboard,
   and what was there stays until goroutines_job_finish() when goroutines_job() has ended, or is waited for. */
bool goroutines_make_groups(struct goroutines_state *, const struct pane_env *);
struct job *goroutines_job(const struct goroutines_state *);
bool goroutines_job_is_list(const struct goroutines_state *);	/* what is being made is a list alone */
bool goroutines_job_outdated(const struct goroutines_state
	*); /* it is of another query than the present one: goroutines_job_finish() forgets it */
bool goroutines_job_finish(struct goroutines_state *, struct session *);	/* false: it is to be made once more */
void goroutines_sort_rows(struct goroutines_state *, const struct pane_env *, int level);
/* The goroutines of the group that is open. */
void goroutines_fill_list(struct goroutines_state *, const struct pane_env *);
/* The same, of p->open, or in another order, beside the keyboard where they are many: false, then p->work is that. */
bool goroutines_fill_list_async(struct goroutines_state *, const struct pane_env *);
void goroutines_drop_previous(struct goroutines_state *);
/* Where a goroutine lies in gs->g, by groups that are open; UINT32_MAX: nowhere. */
uint32_t goroutines_find_index(const struct goroutines_state *, trk_id);
/* selection.c */
bool goroutines_is_tagged(const struct goroutines_state *, const struct goroutines_row *);
void goroutines_toggle_tag(struct goroutines_state *, const struct goroutines_row *);	/* or not any more */
/* What is tagged, else selected, as a query: an expression of start functions, or the numbers of
   goroutines; rest: against all others. V_PASS: there is nothing. */
enum verdict goroutines_query_selection(struct goroutines_state *, const struct pane_env *, bool rest, struct ask *);
enum verdict goroutines_query_exclude(
    struct goroutines_state *, const struct pane_env *, struct ask *);			/* all but those meant */
trk_id goroutines_first_selected(const struct goroutines_state *);			/* the first goroutine of it */

/* goroutines/draw.c */
enum { GOR_COLS = 14 };
struct goroutines_column { struct list_column c; int val; };	/* val: goroutines_value, or SORT_* */
/* What the column of that value is called after :sort, and in the menu of s; NULL: it is no order. */
const char *goroutines_sort_word(const struct goroutines_state *, int val, const char **what);
/* All there are; how many. */
int goroutines_list_columns(const struct goroutines_state *, struct goroutines_column[GOR_COLS]);
int goroutines_footer_height(const struct pane_env *);	/* lines below the table, of the story */
void goroutines_draw(const void *, const struct pane_env *, struct grid *);
void goroutines_draw_side(const void *, const struct pane_env *, struct grid *);
void goroutines_summary(const void *, const struct pane_env *, struct buf *);
void goroutines_detail(const void *, const struct pane_env *, struct buf *);

/* wait_summary.c */
void goroutines_sum_group(const struct snap *, const struct stats_groups *, uint32_t first, uint32_t n,
    const struct arena *, struct goroutines_totals *);
void goroutines_update_waits(struct goroutines_state *, const struct pane_env *);
/* Into the rectangle. */
void goroutines_draw_waits(const struct goroutines_state *, const struct pane_env *, struct grid *);

/* wait_job.c: passes over the sheets, beside the keyboard where they are not short */
struct job *goroutines_wait_job(const struct goroutines_state *);
/* How far it is, where one waits for it. */
void goroutines_wait_progress(const struct goroutines_state *, struct buf *);
void goroutines_wait_start(struct goroutines_state *, const struct pane_env *);	/* the story's waits */
/* Of the selected group or goroutine the longest wait (CMD_EFFECT: the first span in which one of it woke or created
   another): its page is opened there, now or when it is found. */
enum verdict goroutines_jump_to_wait(struct goroutines_state *, const struct pane_env *, enum cmd_id, struct ask *);
bool goroutines_wait_cancel_jump(struct goroutines_state *);		/* no jump any more; false: there was none */
void goroutines_wait_cancel(struct goroutines_state *);		/* groups are others now: nothing of it is wanted */
/* It has ended, or is waited for. */
void goroutines_wait_finish(struct goroutines_state *, const struct pane_env *, struct ask *);

/* spans_job.c */
void goroutines_page_load(struct goroutines_state *, const struct pane_env *);	/* p->one.trk is set */
void goroutines_page_seek_time(struct goroutines_state *, int64_t t); /* when there are spans: to the one at t, ... */
void goroutines_page_seek_span(struct goroutines_state *, uint32_t i);		/* ... or to that span */
/* Their order; the selected span stays selected if it is to be kept, else the first row is. */
void goroutines_page_sort(struct goroutines_state *, int sort, bool invert, bool keep);
bool goroutines_page_loaded(const struct goroutines_state *);	/* what is there, or on its way, is of p->one.trk */
struct job *goroutines_page_job(const struct goroutines_state *);
/* Wait for the spans that are still gathered, where that is no long time. */
void goroutines_page_wait(struct goroutines_state *);
/* goroutines_page_job() has ended, or is waited for. */
void goroutines_page_finish(struct goroutines_state *, const struct pane_env *);
void goroutines_page_drop_seek(struct goroutines_state *);			/* somebody looks where he is */
void goroutines_page_stop(struct goroutines_state *);
/* detail.c */
int goroutines_page_sort_choices(const struct goroutines_state *, struct choice *); /* for the menu of s; how many */
const char *goroutines_page_sort_name(const struct goroutines_state *);	/* also the column of the report `goroutine` */
void goroutines_page_draw(const struct goroutines_state *, const struct pane_env *, struct grid *);
void goroutines_page_draw_side(const struct goroutines_state *, const struct pane_env *, struct grid *);
enum verdict goroutines_page_command(
    struct goroutines_state *, const struct pane_env *, const struct act *, struct ask *);
void goroutines_page_summary(const struct goroutines_state *, const struct pane_env *, struct buf *);
void goroutines_page_detail(const struct goroutines_state *, const struct pane_env *, struct buf *);
bool goroutines_still_blocked(const struct goroutines_state *, const struct pane_env *); /* is the selected span? */
/* span_detail.c: what is told beside the spans */
int goroutines_draw_part(
    const struct goroutines_state *, const struct pane_env *, struct grid *, int y, int h, enum goroutines_part);
/* In the selected span is the one that ( led to; or NULL. */
const struct tracepane_wake *goroutines_page_wake(const struct goroutines_page *);
/* The selected span, of v; 0 also where there is none. */
static inline uint32_t goroutines_page_span_index(const struct goroutines_page *o)
{
	return o->rows.n ? o->order[o->rows.sel] : 0;
}
static inline const struct trace_interval *goroutines_page_span(const struct goroutines_page *o)
{
	return o->rows.n ? &o->v[goroutines_page_span_index(o)] : NULL;
}

/* goroutines/pane.c */
/* The list of a group. false: it is shown when it has been made, beside the keyboard; until then the groups are. */
bool goroutines_enter_group(struct goroutines_state *, const struct pane_env *, str_id name);
/* Its page, at what it does then. */
void goroutines_open_page(struct goroutines_state *, const struct pane_env *, trk_id, int64_t at);
/* What is selected, over updates; its story. */
void goroutines_note_selection(struct goroutines_state *, const struct pane_env *);

/* position.c */
/* Where goroutines_load_view() was to go: p->there, now. */
void goroutines_restore_view(struct goroutines_state *, const struct pane_env *);
void goroutines_save_view(const void *, struct view *);
void goroutines_load_view(void *, const struct pane_env *, const struct view *);

/* search.c */
/* Mark what the search finds in the rows shown. */
void goroutines_mark_hits(struct goroutines_state *, const struct pane_env *);
uint32_t goroutines_find(void *, const struct pane_env *, int dir, uint32_t *at);

/* goroutines/search_job.c */
/* p->tree, of what is searched now. false: so many are looked through that it is done beside the keyboard, and p->tree
   is of nothing until goroutines_search_finish(). */
bool goroutines_search(struct goroutines_state *, const struct pane_env *);
struct job *goroutines_search_job(const struct goroutines_state *);
void goroutines_search_finish(struct goroutines_state *);		/* it has ended, or is waited for */
void goroutines_search_stop(struct goroutines_state *);		/* nobody wants it any more, or groups are others now */
void goroutines_search_clear(struct goroutines_state *);		/* likewise, nor what was found */

/* Which of its spans are hits. */
void goroutines_page_mark_hits(const struct goroutines_state *, const struct pane_env *, uint8_t *hit);

#endif
