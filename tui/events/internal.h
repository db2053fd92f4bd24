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
struct events_view { const char *name; uint32_t kinds, spans, marks; };
enum { EV_VIEWS = 8 };
extern const struct events_view events_views[EV_VIEWS];

struct events_search;
struct events_page_work;
struct events {
	struct arena mem;
	struct tracepane_scope scope;
	struct event_list list, spare;		/* spare: nothing of worth but its room */
	struct events_page_work *paging;	/* NULL, or another page is gathered beside the keyboard */
	struct rows from;		/* rows as they were when that was asked for */
	bool last, turns;		/* its last row is wanted; it goes on from where one is */
	bool matched;		/* it was looked for beside the keyboard: what `&` or the filters leave, and all of that */
	uint32_t *row;		/* of list, as `&` leaves them */
	size_t crow;
	struct rows rows;
	struct event_item sought;	/* what was gone to, or a time, ... */
	uint32_t sought_row;	/* ... and the row that is, of what was there */
	int view;
	uint8_t *hit;
	uint32_t nhit;
	struct events_search *events_search;	/* NULL: nothing is looked for beside the keyboard */
	char search_note[80];		/* what became of the last one */
	bool ranging, stacks;
	int64_t anchor;		/* where the range begins or ends */
};
static inline const struct event_item *events_event_at(const struct events *p, uint32_t i)
{
	return &p->list.v[p->row[i]];
}
static inline const struct event_item *events_selected_event(const struct events *p)
{
	return p->rows.n ? events_event_at(p, p->rows.sel) : NULL;
}

/* events/draw.c */
int  events_footer_height(const struct events *, const struct pane_env *);	/* lines below the events */
void events_draw(const void *, const struct pane_env *, struct grid *);
void events_draw_side(const void *, const struct pane_env *, struct grid *);

/* events/text.c */
void events_describe(const struct snap *, const struct event_item *, struct buf *);	/* without when and to whom */
void events_row_text(const struct snap *, const struct event_item *, struct buf *);	/* a row, to search in */
void events_export_line(const struct snap *, const struct event_item *, struct buf *);	/* a row, to write out */
enum style events_event_style(const struct snap *, const struct event_item *);
/* The stacks of an event, at most two, with what they are of. */
struct events_stack { const char *of; stk_id stack; };
int  events_event_stacks(const struct snap *, const struct event_item *, struct events_stack out[2]);

/* page_job.c */
struct trace_events_query events_list_query(int view, const struct tracepane_scope *);	/* which points at the scope */
/* Far: what the filters leave is to be looked for beyond it. */
struct events_page { struct event_list list; bool far; };
/* The page around an event, which need not be. false: it is got beside the keyboard, and events_page_finish() has it.
 */
bool events_load_page(struct events *, const struct pane_env *, const struct event_item *at, struct events_page *);
struct job *events_page_job(void *);
void events_page_cancel(struct events *);	/* it is not wanted any more */
/* false: there is none, or another comes. */
bool events_page_finish(struct events *, const struct pane_env *, struct events_page *);
void events_page_free(struct events *);

/* events/search_job.c: looking through the whole trace beside the keyboard, on a thread of its own. Quests are
   given up by freeing them. */
struct events_search_query {
	const char *re;		/* NULL: none */
	int view;
	int64_t t;		/* from here ... */
	int dir;		/* ... on (1), back (-1), for one; 0: for all that match, around */
};
/* NULL: cannot now. */
struct events_search *events_search_start(const struct pane_env *, const struct events_search_query *);
bool events_search_is_done(struct events_search *);
bool events_search_is_single(const struct events_search *);	/* it looked for one */
const struct event_list *events_search_result(const struct events_search *);	/* when it is done */
void events_search_progress(const struct events_search *, struct buf *);	/* how far it is */
void events_search_free(struct events_search *, const struct pane_env *);

#endif
