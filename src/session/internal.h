/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_INTERNAL_H
#define TTRACE_SESSION_INTERNAL_H

#include "calltree/tree.h"
#include "session/compare_load.h"
#include "session/file_changed.h"
#include "session/open_job.h"
#include "session/session.h"
#include "session/sheet_prefetch.h"

#include <string.h>

/* What a session is: for session.c, query_history.c, compare_queue.c and session/weigh.c alone. */
struct session {
	struct sheet_prefetcher bring;
	struct opening_job op;
	const struct snap *snap;
	const struct options *o;
	struct arena strings;
	struct query *hist;
	size_t nhist, cap, at;
	struct { const char *gs; uint32_t n; } listed;	/* how many numbers are in that text */
	struct compiled_filters *focus;		/* of the present query */
	uint32_t serial;		/* counts changes of the snapshot or the query */
	uint32_t scope;			/* likewise, of the query only those of what it leaves of a trace */
	int64_t refreshed, spent;	/* us: when the snapshot was taken, on weights and calls since */
	struct arena arena[2];
	int turn;
	struct weights w;
	uint32_t wserial;		/* serial of w */
	bool have_w;
	struct weighted_tree *weighted_tree[2];		/* by lines, and by another granularity */
	uint32_t cserial;		/* serial of both */
	/* of the store's first so many nodes and samples: snapshots that have as many share it */
	struct kept_calltree {
		struct granularity *granularity;
		struct calltree *calltree,
		    *tagged; /* of the store's nodes; with the tags of the last query that had any */
		const struct store *st;
		uint32_t nstks, nsmps;
		bool asked;		/* the query's granularity was this one */
	} calltree[2];
	struct source_cache *src;
	uint32_t nsources;		/* how many times they were searched anew */
	struct file_changed_mark mark;		/* of the first file */
	enum file_change file_change;		/* what was said of it last */
	uint64_t grown;
	char stale_text[128];

	struct options first;		/* the command line without a base: how each file is read */
	struct compare_loader *side[SIDES_MAX + 1];	/* by number; 0 is the first file */
	uint32_t nside;
	struct wait { const char *file; enum side_use use; bool asked; struct report_side *made; } wait[SIDES_MAX];
	uint32_t nwait;			/* wait[0] is being read when side[nside] is there */
	struct job *beside;		/* of somebody else: session_set_extra_job() */
	struct side_news news[SIDES_MAX];
	uint32_t nnews;
	struct sums { uint32_t snap; size_t type; uint64_t a, b; bool normalize; double ratio; int64_t whole; } sum;
	bool patient;			/* session_set_nonblocking() */
	bool roomy;			/* session_will_make_tree() said yes */
	bool walks;			/* who asks for calls walks over nodes: see struct onto */
	bool shared;			/* session_shares() of what was made first */
	struct job *job;		/* NULL, or this is a worker's: who is told how far it is */
	const _Atomic bool *stop;	/* NULL, or set when the session is left: what is made is nobody's */
	struct job *leaving[4];		/* session_free_calls_async(); NULL: nothing goes */
	struct rest_states rest;	/* of which query: its serial and 1, 0 none */
	uint32_t rest_of;
	uint32_t crowded;		/* likewise: it turned out to take a tree for which panes have to make room */
	struct weighing *weighing;	/* NULL, or what is made beside the interface: weigh_async.c */
	/* and after that, by slot */
	struct wanted { bool weighted_tree; enum calls_for what; enum gran gran; uint32_t serial; } wanted[2];
};

/* A task by its number, not by an expression for its name. */
static inline bool is_number(const char *s)
{
	return s && *s && strspn(s, "0123456789") == strlen(s);
}

/* A copy that lives as long as the session; NULL for NULL and "". */
const char *session_copy_string(struct session *, const char *);
/* compare_queue.c: take the further file that has been read, begin the next one. */
void session_advance_sides(struct session *);
/* session/weigh.c: forget the calls of the last query; and what they are made from. */
void session_drop_calls(struct session *);
void session_drop_calltrees(struct session *);
bool session_makes_tree(const struct session *, enum gran);	/* calls of the query need one that is not there */
struct sides session_sides(struct session *);	/* session/weigh.c: of the query, and its type */
void session_weigh_end(struct session *);	/* weigh_async.c: wait for what is made, and take it */
void session_weigh_stop(struct session *);	/* or stop it, and throw it away */
static inline int session_slot(enum gran gran)
{
	return gran == GR_LINES;
}

#endif
