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
enum gor_level { GL_GROUPS, GL_LIST, GL_ONE };
enum gor_val { GV_RUN, GV_READY, GV_SYSCALL, GV_BLOCKED, GV_CHAN, GV_SYNC, GV_NET, GV_SLEEP, GV_GC, GV_TOTAL, GV__N };

struct gor_told {			/* of all goroutines of a group, added up */
	int64_t ns[TS__N];
	uint32_t ended;
	stk_id created;			/* the first that is known */
};
struct gor_row {			/* a group, or a goroutine of one */
	str_id name;
	trk_id trk;			/* 0: a group */
	uint32_t n, first;
	int64_t t0, t1, v[GV__N];
	const struct gor_told *told;	/* of a large group; NULL: gor_tell() is as fast */
};

struct gor_story {			/* of the selected group or goroutine, from its spans */
	struct sched_spread life;
	enum tstate state[WAITS_STATES];	/* the kinds of waits that take longest; TS_NONE: none */
	struct waits w;
	uint32_t ended;
	stk_id created;
	bool part;			/* of w there is only what was at hand: all of it is being looked at */
};

enum { ONE_SPANS = 200000, ONE_NOW = 20000 };	/* NOW: the others come beside the keyboard */
enum { ONE_START, ONE_DUR, ONE_STATE, ONE__N };	/* what the spans of a page are sorted by */
enum gor_part { GP_STACK, GP_ACCOUNTS, GP_WAKES, GP_CHAIN, GP_REGIONS, GP_CREATED, GP_CHILDREN, GP__N };
struct gor_one {			/* a goroutine's page */
	trk_id trk, of;			/* of: whose spans and accounts these are; 0: nobody's */
	struct gstat s;
	struct ival *v;			/* its spans in the window */
	uint32_t n;
	size_t cap;
	uint32_t *order;		/* the rows: indexes of v, in the order of `sort` */
	size_t corder;
	int sort;			/* ONE_START, ... */
	bool invert;
	bool cut;
	struct gor_rest {		/* those of v that are still gathered */
		const struct snap *sn;
		bool far, more, dropped;	/* far: from sheets that come and go */
		trk_id trk;			/* n0 0: the first of it is looked for, */
		struct ival from;		/* else this is the next */
		int64_t t0, t1;
		struct job *job;
		struct ival *v;
		uint32_t n0, n, most;
		size_t cap;
	} *rest;			/* or NULL */
	int64_t seek;			/* TIME_NONE, or where one is to look when it has been gathered, ... */
	uint32_t row, top;		/* ... or at which span (of v); UINT32_MAX: not; top: of the rows then */
	struct rows rows;
	enum gor_part part;
	struct tp_wake wake;		/* where ( led to */
	const trk_id *child;		/* whom it created, in the order of their begins */
	uint32_t nchild;
	uint32_t *region, nregion;	/* its regions, spans of the store, in the order of their begins */
};

struct gor {
	struct arena mem;		/* all below that the query and the snapshot make */
	struct tp_scope scope;
	struct sched *sched;
	struct sched_groups *gs;	/* NULL: they are being made, and there were none before */
	const trk_id *trk, *creator;	/* of each of gs->g */
	struct gor_row *groups;
	uint32_t ngroup;
	int64_t ran, most;		/* all of them; of those that are listed the one that ran most */
	const trk_id *child;		/* who has a creator, by that, then by when it began; regions by goroutine */
	const uint32_t *region;
	uint32_t nchild, nregion;
	struct gor_made *work;		/* what is being made, or NULL */
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
	struct gor_list { str_id open; int sort; bool invert; } list;
	struct gor_other { uint32_t *order, n; struct gor_list of; } other;	/* order NULL, or the list before that */
	struct rows rows[2];
	enum gor_level level;
	str_id open;			/* key of the group that is open */
	int64_t sel[2];			/* what is selected, over updates: name; track */
	enum gor_by by;			/* what groups are of */
	str_id *key;			/* per track its group, NULL: its start function */
	struct gor_tags { int64_t *v; size_t n, cap; } tags[2];	/* rows that are tagged: as sel */
	int sort[2];			/* gor_val, or SORT_* */
	bool invert[2];
	struct gor_story story;
	int64_t story_of;		/* what it is about: level, row's name or track; -1: nothing yet */
	struct gor_look *look;		/* what is being looked for in the sheets, or NULL */
	enum cmd_id jump;		/* CMD_NONE, or: what is looked for when that has ended */
	struct gor_one one;
	uint8_t *hit;			/* of the rows that are shown */
	uint32_t nhit;
	struct gor_tree {		/* what the search finds: groups by their rows, goroutines by gs->g */
		struct arena mem;
		const char *find, *grep;	/* find NULL: not known */
		uint8_t *row, *g;
		uint32_t *under, all;	/* under: per group, of its goroutines */
	} tree;
	struct tp_later *later;		/* NULL, or the query that is put together, or was asked for last */
	bool leaves;			/* it is one without what is selected */
	struct gor_hunt *hunt;		/* NULL, or it is being looked for */
};
enum { SORT_N = GV__N, SORT_NAME, SORT__N };

/* Row i as it is shown. Of a goroutine it is put into *room: there may be a million of them. */
const struct gor_row *gor_row(const struct gor *, int level, uint32_t i, struct gor_row *room);
static inline str_id gor_key(const struct gor *p, const struct store *st, trk_id t)
{
	return p->key ? p->key[t] : (str_id)store_trk(st, t)->name;
}
/* goroutines/rows.c */
const struct gor_row *gor_sel(const struct gor *, struct gor_row *room);	/* NULL: none */
bool gor_match(const struct store *, const struct gor_row *, const struct rx *);
/* Groups, of the snapshot and the query. false: there are so many goroutines that it is done beside the keyboard,
   and what was there stays until gor_take() when gor_work() has ended, or is waited for. */
bool gor_make(struct gor *, const struct pane_env *);
struct job *gor_work(const struct gor *);
bool gor_lists(const struct gor *);	/* what is being made is a list alone */
bool gor_dropped(const struct gor *);	/* it is of another query than the present one: gor_take() forgets it */
bool gor_take(struct gor *, struct session *);	/* false: it is to be made once more */
void gor_order(struct gor *, const struct pane_env *, int level);
void gor_fill(struct gor *, const struct pane_env *);	/* the goroutines of the group that is open */
/* The same, of p->open, or in another order, beside the keyboard where they are many: false, then p->work is that. */
bool gor_fill_soon(struct gor *, const struct pane_env *);
void gor_other_drop(struct gor *);
/* Where a goroutine lies in gs->g, by groups that are open; UINT32_MAX: nowhere. */
uint32_t gor_index(const struct gor *, trk_id);
/* selection.c */
bool gor_tagged(const struct gor *, const struct gor_row *);
void gor_tag(struct gor *, const struct gor_row *);	/* or not any more */
/* What is tagged, else selected, as a query: an expression of start functions, or the numbers of
   goroutines; rest: against all others. V_PASS: there is nothing. */
enum verdict gor_ask(struct gor *, const struct pane_env *, bool rest, struct ask *);
enum verdict gor_ask_without(struct gor *, const struct pane_env *, struct ask *);	/* all but those meant */
trk_id gor_first(const struct gor *);			/* the first goroutine of it */

/* goroutines/draw.c */
enum { GOR_COLS = 14 };
struct gor_column { struct rows_col c; int val; };	/* val: gor_val, or SORT_* */
/* What the column of that value is called after :sort, and in the menu of s; NULL: it is no order. */
const char *gor_sort_word(const struct gor *, int val, const char **what);
int gor_columns(const struct gor *, struct gor_column[GOR_COLS]);	/* all there are; how many */
int gor_foot(const struct pane_env *);	/* lines below the table, of the story */
void gor_draw(const void *, const struct pane_env *, struct grid *);
void gor_side(const void *, const struct pane_env *, struct grid *);
void gor_summary(const void *, const struct pane_env *, struct buf *);
void gor_detail(const void *, const struct pane_env *, struct buf *);

/* wait_summary.c */
void gor_tell(const struct snap *, const struct sched_groups *, uint32_t first, uint32_t n, const struct arena *,
    struct gor_told *);
void gor_story_make(struct gor *, const struct pane_env *);
void gor_story_draw(const struct gor *, const struct pane_env *, struct grid *);	/* into the rectangle */

/* wait_job.c: passes over the sheets, beside the keyboard where they are not short */
struct job *gor_look_job(const struct gor *);
void gor_look_words(const struct gor *, struct buf *);	/* how far it is, where one waits for it */
void gor_look_story(struct gor *, const struct pane_env *);	/* the story's waits */
/* Of the selected group or goroutine the longest wait (CMD_EFFECT: the first span in which one of it woke or created
   another): its page is opened there, now or when it is found. */
enum verdict gor_look_jump(struct gor *, const struct pane_env *, enum cmd_id, struct ask *);
bool gor_look_stop(struct gor *);		/* no jump any more; false: there was none */
void gor_look_drop(struct gor *);		/* groups are others now: nothing of it is wanted */
void gor_look_done(struct gor *, const struct pane_env *, struct ask *);	/* it has ended, or is waited for */

/* spans_job.c */
void gor_one_load(struct gor *, const struct pane_env *);	/* p->one.trk is set */
void gor_one_seek(struct gor *, int64_t t);		/* when there are spans: to the one at t, ... */
void gor_one_row(struct gor *, uint32_t i);		/* ... or to that span */
/* Their order; the selected span stays selected if it is to be kept, else the first row is. */
void gor_one_sort(struct gor *, int sort, bool invert, bool keep);
bool gor_one_loaded(const struct gor *);	/* what is there, or on its way, is of p->one.trk */
struct job *gor_one_job(const struct gor *);
void gor_one_rest(struct gor *);	/* wait for the spans that are still gathered, where that is no long time */
void gor_one_done(struct gor *, const struct pane_env *);	/* gor_one_job() has ended, or is waited for */
void gor_one_here(struct gor *);			/* somebody looks where he is */
void gor_one_stop(struct gor *);
/* detail.c */
int gor_one_sorts(const struct gor *, struct choice *);	/* for the menu of s; how many */
const char *gor_one_sort_word(const struct gor *);	/* also the column of the report `goroutine` */
void gor_one_draw(const struct gor *, const struct pane_env *, struct grid *);
void gor_one_side(const struct gor *, const struct pane_env *, struct grid *);
enum verdict gor_one_act(struct gor *, const struct pane_env *, const struct act *, struct ask *);
void gor_one_summary(const struct gor *, const struct pane_env *, struct buf *);
void gor_one_detail(const struct gor *, const struct pane_env *, struct buf *);
bool gor_still_blocked(const struct gor *, const struct pane_env *);	/* is the selected span? */
/* span_detail.c: what is told beside the spans */
int gor_part_draw(const struct gor *, const struct pane_env *, struct grid *, int y, int h, enum gor_part);
const struct tp_wake *gor_one_wake(const struct gor_one *);	/* in the selected span is the one that ( led to; or NULL */
/* The selected span, of v; 0 also where there is none. */
static inline uint32_t gor_one_at(const struct gor_one *o)
{
	return o->rows.n ? o->order[o->rows.sel] : 0;
}
static inline const struct ival *gor_one_now(const struct gor_one *o)
{
	return o->rows.n ? &o->v[gor_one_at(o)] : NULL;
}

/* goroutines/pane.c */
/* The list of a group. false: it is shown when it has been made, beside the keyboard; until then the groups are. */
bool gor_enter(struct gor *, const struct pane_env *, str_id name);
void gor_open_one(struct gor *, const struct pane_env *, trk_id, int64_t at);	/* its page, at what it does then */
void gor_keep(struct gor *, const struct pane_env *);	/* what is selected, over updates; its story */

/* position.c */
void gor_arrive(struct gor *, const struct pane_env *);	/* where gor_load() was to go: p->there, now */
void gor_save(const void *, struct view *);
void gor_load(void *, const struct pane_env *, const struct view *);

/* search.c */
void gor_hits(struct gor *, const struct pane_env *);	/* mark what the search finds in the rows shown */
uint32_t gor_find(void *, const struct pane_env *, int dir, uint32_t *at);

/* goroutines/search_job.c */
/* p->tree, of what is searched now. false: so many are looked through that it is done beside the keyboard, and p->tree
   is of nothing until gor_hunt_done(). */
bool gor_hunt(struct gor *, const struct pane_env *);
struct job *gor_hunt_job(const struct gor *);
void gor_hunt_done(struct gor *);		/* it has ended, or is waited for */
void gor_hunt_stop(struct gor *);		/* nobody wants it any more, or groups are others now */
void gor_hunt_forget(struct gor *);		/* likewise, nor what was found */

void gor_one_search(const struct gor *, const struct pane_env *, uint8_t *hit);	/* which of its spans are hits */

#endif
