/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_EVENTS_INTERNAL_H
#define TTRACE_EVENTS_INTERNAL_H

#include "base/err.h"
#include "trace/events.h"
#include "tracepane/tracepane.h"

/* CHUNK: so many events are looked for around the cursor, and at most MAX taken; where a crowd of goroutines is there a
 * PAGE. NARROW: of what filters leave, a stretch of so many events is looked through at once. The state of the events
 * pane and what its files share. */
enum { EV_CHUNK = 4000, EV_PAGE = 8000, EV_CHUNK_MAX = 40000, EV_NEAR = 200, EV_NARROW = 8 * EV_CHUNK };
struct ev_view { const char *name; uint32_t kinds, spans, marks; };
enum { EV_VIEWS = 8 };
extern const struct ev_view ev_views[EV_VIEWS];

struct quest;
struct ev_paging;
struct events {
	struct arena mem;
	struct tp_scope scope;
	struct el list, spare;		/* spare: nothing of worth but its room */
	struct ev_paging *paging;	/* NULL, or another page is gathered beside the keyboard */
	struct rows from;		/* rows as they were when that was asked for */
	bool last, turns;		/* its last row is wanted; it goes on from where one is */
	bool matched;		/* it was looked for beside the keyboard: what `&` or the filters leave, and all of that */
	uint32_t *row;		/* of list, as `&` leaves them */
	size_t crow;
	struct rows rows;
	struct el_event sought;	/* what was gone to, or a time, ... */
	uint32_t sought_row;	/* ... and the row that is, of what was there */
	int view;
	uint8_t *hit;
	uint32_t nhit;
	struct quest *quest;	/* NULL: nothing is looked for beside the keyboard */
	char said[80];		/* what became of the last one */
	bool ranging, stacks;
	int64_t anchor;		/* where the range begins or ends */
};
static inline const struct el_event *ev_at(const struct events *p, uint32_t i) { return &p->list.v[p->row[i]]; }
static inline const struct el_event *ev_now(const struct events *p)
{
	return p->rows.n ? ev_at(p, p->rows.sel) : NULL;
}

/* events/draw.c */
int  ev_foot(const struct events *, const struct pane_env *);	/* lines below the events */
void ev_draw(const void *, const struct pane_env *, struct grid *);
void ev_side(const void *, const struct pane_env *, struct grid *);

/* events/text.c */
void ev_words(const struct snap *, const struct el_event *, struct buf *);	/* without when and to whom */
void ev_text(const struct snap *, const struct el_event *, struct buf *);	/* a row, to search in */
void ev_line(const struct snap *, const struct el_event *, struct buf *);	/* a row, to write out */
enum style ev_style(const struct snap *, const struct el_event *);
/* The stacks of an event, at most two, with what they are of. */
struct ev_stack { const char *of; stk_id stack; };
int  ev_stacks(const struct snap *, const struct el_event *, struct ev_stack out[2]);

/* page_job.c */
struct el_ask ev_ask(int view, const struct tp_scope *);	/* which points at the scope */
struct ev_got { struct el list; bool far; };	/* far: what the filters leave is to be looked for beyond it */
/* The page around an event, which need not be. false: it is got beside the keyboard, and ev_page_done() has it. */
bool ev_page(struct events *, const struct pane_env *, const struct el_event *at, struct ev_got *);
struct job *ev_page_job(void *);
void ev_page_drop(struct events *);	/* it is not wanted any more */
/* false: there is none, or another comes. */
bool ev_page_done(struct events *, const struct pane_env *, struct ev_got *);
void ev_page_free(struct events *);

/* events/search_job.c: looking through the whole trace beside the keyboard, on a thread of its own. Quests are
   given up by freeing them. */
struct quest_ask {
	const char *re;		/* NULL: none */
	int view;
	int64_t t;		/* from here ... */
	int dir;		/* ... on (1), back (-1), for one; 0: for all that match, around */
};
struct quest *quest_start(const struct pane_env *, const struct quest_ask *);	/* NULL: cannot now */
bool quest_done(struct quest *);
bool quest_one(const struct quest *);	/* it looked for one */
const struct el *quest_found(const struct quest *);	/* when it is done */
void quest_words(const struct quest *, struct buf *);	/* how far it is */
void quest_free(struct quest *, const struct pane_env *);

#endif
