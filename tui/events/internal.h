/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_EVENTS_INTERNAL_H
#define TTRACE_EVENTS_INTERNAL_H

#include "base/async.h"
#include "base/err.h"
#include "trace/events.h"
#include "tracepane/tracepane.h"

/* Numbers of events. CHUNK: gathered around the cursor, and at most CHUNK_MAX taken; PAGE: the maximum where many
 * goroutines act at once. NEAR: distance from the end of a page at which the next one is loaded. NARROW: gathered
 * at once to search for events that the filters leave. The rest is the state of the events pane and what its files
 * share. */
enum { EV_CHUNK = 4000, EV_PAGE = 8000, EV_CHUNK_MAX = 40000, EV_NEAR = 200, EV_NARROW = 8 * EV_CHUNK };
struct events_view { const char *name; uint32_t kinds, spans, marks; };
enum { EV_VIEWS = 8 };
extern const struct events_view events_views[EV_VIEWS];

struct events {
	struct arena mem;
	struct tracepane_scope scope;
	struct event_list list, spare;		/* spare: only its memory is reused */
	bool matched;		/* the list is the complete result of a search for what `&` or the filters leave */
	uint32_t *row;		/* indexes into list, filtered by `&` */
	size_t crow;
	struct rows rows;
	struct event_item sought;	/* the event, or only the time, that was requested, ... */
	uint32_t sought_row;	/* ... and the row at that moment */
	int view;
	struct list_hits hits;
	struct async searching;		/* the whole trace */
	bool single;			/* for one event */
	char search_note[80];		/* result of the last search */
	bool ranging, stacks;
	int64_t anchor;		/* one end of the range */
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
int events_split(const void *st, const struct pane_env *, int w, int *choose);	/* pane_ops.side.split */
void events_draw_side(const void *, const struct pane_env *, struct grid *);

/* events/text.c */
void events_describe(const struct snap *, const struct event_item *, struct buf *);	/* without time and goroutine */
void events_row_text(const struct snap *, const struct event_item *, struct buf *);	/* text of a row for searches */
void events_export_line(const struct snap *, const struct event_item *, struct buf *);	/* text of a row for export */
enum style events_event_style(const struct snap *, const struct event_item *);
/* The stacks of an event, at most two, each with a label. */
struct events_stack { const char *of; stk_id stack; };
int  events_event_stacks(const struct snap *, const struct event_item *, struct events_stack out[2]);

/* page.c */
/* The result points to the scope. */
struct trace_events_query events_list_query(int view, const struct tracepane_scope *);
/* A page. far: a search has to look for filtered events beyond it. */
struct events_page { struct event_list list; bool far; };
/* Load the page around an event, which need not exist. got->list is reused. */
void events_load_page(const struct events *, const struct pane_env *, const struct event_item *at, struct events_page *got);

/* events/search_job.c: search the whole trace in the background. */
struct events_search_query {
	const char *re;		/* NULL: none */
	int view;
	int64_t t;		/* search from here, ... */
	int dir;	/* ... forwards (1) or backwards (-1) for one event; 0: for all events that match, around t */
};
/* Start a search in the empty slot, and show its progress as that of the session. *found: what was found, if no thread
   is available. false: another search or report has not ended. */
bool events_search_start(struct async *, const struct pane_env *, const struct events_search_query *, struct event_list *found);
/* Take the result if the search has ended. */
bool events_search_finish(struct async *, struct event_list *found);
void events_search_progress(const struct async *, struct buf *);	/* append the progress */
bool events_search_stop(struct async *);	/* drop the search; false: none is running */

#endif
