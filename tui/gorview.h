/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GORVIEW_H
#define TTRACE_GORVIEW_H

#include "analysis/bins.h"
#include "tracepane.h"

/* The state of the goroutines pane and what its files share. */
enum gor_level { GL_GROUPS, GL_LIST, GL_ONE };
enum gor_val { GV_RUN, GV_READY, GV_SYSCALL, GV_BLOCKED, GV_CHAN, GV_SYNC, GV_NET, GV_SLEEP, GV_GC, GV_TOTAL, GV__N };

struct gor_row {			/* a group, or a goroutine of one */
	str_id name;
	trk_id trk;			/* 0: a group */
	uint32_t n, first;
	int64_t t0, t1, v[GV__N];
};

enum { STORY_SPANS = 50000, STORY_WAKERS = 24, STORY_STATES = 3 };
struct gor_story {			/* of the selected group or goroutine, from its spans */
	struct histo life, ready, block[STORY_STATES];
	enum tstate state[STORY_STATES];	/* the kinds of waits that take longest; TS_NONE: none */
	struct { str_id name; uint32_t n; } waker[STORY_WAKERS];
	uint32_t nwaker, wakes, spans, ended;
	stk_id created;
	bool cut;			/* not all spans were looked at */
};

enum { ONE_SPANS = 200000 };
enum gor_part { GP_STACK, GP_CREATED, GP_WAKES, GP__N };
struct gor_one {			/* a goroutine's page */
	trk_id trk;
	struct gstat s;
	struct ival *v;			/* its spans in the window */
	uint32_t n;
	size_t cap;
	bool cut;
	struct rows rows;
	enum gor_part part;
};

struct gor {
	struct arena mem;		/* all below that the query and the snapshot make */
	struct tp_scope scope;
	struct sched *sched;
	struct sched_groups *gs;
	struct gor_row *groups, *list;	/* list: of the group that is open */
	uint32_t ngroup, nlist;
	size_t clist;
	uint32_t *order[2], norder[2];	/* rows as shown, by level */
	size_t corder[2];
	struct rows rows[2];
	enum gor_level level;
	str_id open;			/* name of the group that is open */
	int64_t sel[2];			/* what is selected, over updates: name; track */
	int sort[2];			/* gor_val, or SORT_* */
	bool invert[2];
	struct gor_story story;
	int64_t story_of;		/* what it is about: level, row's name or track */
	struct gor_one one;
	uint8_t *hit;
	uint32_t nhit;
};
enum { SORT_N = GV__N, SORT_NAME, SORT__N };

static inline const struct gor_row *gor_row(const struct gor *p, int level, uint32_t i)
{
	return (level == GL_GROUPS ? p->groups : p->list) + p->order[level][i];
}
const struct gor_row *gor_sel(const struct gor *);	/* NULL: none */

/* goroutines_story.c */
void gor_story_make(struct gor *, const struct pane_env *);
void gor_story_draw(const struct gor *, const struct pane_env *, struct grid *);	/* into the rectangle */

/* goroutines_one.c */
void gor_one_load(struct gor *, const struct pane_env *);	/* p->one.trk is set */
void gor_one_seek(struct gor *, int64_t t);
void gor_one_draw(const struct gor *, const struct pane_env *, struct grid *);
void gor_one_side(const struct gor *, const struct pane_env *, struct grid *);
enum verdict gor_one_act(struct gor *, const struct pane_env *, const struct act *, struct ask *);
void gor_one_summary(const struct gor *, const struct pane_env *, struct buf *);
void gor_one_detail(const struct gor *, const struct pane_env *, struct buf *);
bool gor_one_match(const struct gor *, const struct pane_env *, uint32_t i, const struct rx *, struct buf *);

#endif
