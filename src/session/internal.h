/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_INTERNAL_H
#define TTRACE_SESSION_INTERNAL_H

#include "base/async.h"
#include "calltree/tree.h"
#include "session/compare_load.h"
#include "session/file_changed.h"
#include "session/open_job.h"
#include "session/session.h"

#include <string.h>

/* query_history.c: query[at] is the current one. */
struct query_history {
	struct query *query;
	size_t n, cap, at;
	/* gs, the list of goroutine numbers, and how many numbers it has */
	struct { const char *gs; uint32_t n; } listed;
};

/* compare_queue.c: the sides of a comparison, loaded one after another. */
struct compare_queue {
	struct options options;		/* the command line without the base: the options for each file */
	struct compare_loader *side[SIDES_MAX + 1];	/* by number; the first file is side 0 and has no entry */
	uint32_t nside;
	struct waiting_side {
		const char *file;
		enum side_use use;
		bool asked;
		struct report_side *made;
		struct session *other;	/* NULL, or the session whose trace it is */
	} wait[SIDES_MAX];
	uint32_t nwait;			/* wait[0] is being read if reading has a job, and not of the first file */
	const struct async *extra;	/* set by session_set_extra_work(); its caller owns it */
	struct side_news news[SIDES_MAX];
	uint32_t nnews;
	struct sums { uint32_t snap; size_t type; uint64_t a, b; bool normalize; double ratio; int64_t whole; } sum;
};

/* weigh.c and weigh_async.c: weights and call trees of the query. */
enum { CALL_SLOTS = 3 };	/* session_slot() */
struct session_weights {
	struct compiled_filters *filters;	/* compiled from the current query */
	int64_t spent;			/* us spent since the snapshot was taken */
	struct weighted_tree *tree[CALL_SLOTS];
	uint32_t tree_serial;		/* the serial of the session that they belong to */
	/* Call trees of the store's first nstks nodes and nsmps samples. Snapshots with these numbers share them. */
	struct kept_calltrees {
		struct filter_trees trees;
		uint32_t nstks, nsmps;
	} calltrees[CALL_SLOTS];
	bool nonblocking;		/* session_set_nonblocking() was called */
	bool shared;			/* session_shares() was computed for the first complete result */
	struct job *job;		/* NULL, or in the copy of a worker: the job that gets the progress */
	const _Atomic bool *stop;	/* NULL, or set when the session is closed: the result will be dropped */
	struct async freeing[4];	/* of session_free_calls_async() */
	struct rest_states rest;	/* valid for the query with serial rest_serial - 1; rest_serial 0: none */
	uint32_t rest_serial;
	struct async worker;		/* the calls that are computed in the background */
	/* requests to start after that, by slot */
	struct wanted { bool weighted_tree; enum calls_for what; enum gran gran; uint32_t serial; } wanted[CALL_SLOTS];
};

/* file_changed.c: changes of the first file on disk. */
struct session_file {
	struct file_changed_mark mark;		/* when it was read */
	enum file_change change;		/* the latest one that was reported */
	uint64_t grown;
	char text[128];
};

/* The state of a session. Only files of this folder access it. */
struct session {
	/* what is being read: first `opening`, then a compare_loader for each side, which becomes side[nside] */
	struct async reading;
	struct opening_job opening;
	const struct snap *snap;
	const struct options *o;
	struct arena strings;
	uint32_t serial;		/* counts changes of the snapshot or the query */
	/* counts changes of the snapshot or of the part of the query that selects a part of a trace */
	uint32_t scope;
	uint32_t refocused;		/* counts changes of focus and ignore */
	int64_t refreshed;		/* us: when the snapshot was taken */
	struct { struct source_cache *cache; uint32_t serial; } source;	/* serial: counts changes of the paths */
	struct query_history queries;
	struct compare_queue compare;
	struct session_weights weigh;
	struct session_file file;
	struct trace_analysis *analysis;	/* trace_analysis.c: the latest one, or NULL */
	struct profile_judgement *judgement;	/* profile_judgement.c: likewise */
};

/* Return a copy that lives as long as the session; NULL for NULL and "". */
const char *session_copy_string(struct session *, const char *);
static inline bool session_is_opening(const struct session *s)	/* the first file is being read */
{
	return async_running(&s->reading) == &s->opening;
}
/* compare_queue.c: take a file whose reading has ended, and start to read the next one. */
void session_advance_reading(struct session *);
/* weigh.c: release the calls of the last query, and the merged trees that calls are computed from. */
void session_drop_calls(struct session *);
void session_drop_calltrees(struct session *);
/* weigh.c: the weights of a trace that is a side of the query; when compared with the rest, the mean of one. */
struct side_weights {
	const struct snap *sn;
	const stk_id *to;	/* NULL, or the stacks of the session's snapshot by those of sn */
	bool in_a, in_b;
	const struct trace_weights *weights;
};
void session_weigh_sides(struct session *, struct arena *, void (*add)(void *, const struct side_weights *), void *arg);
/* Return where tags of a trace's weights become frames: 1 at the root (the default without -tagroot and -tagleaf), -1
   at the leaf, 0 nowhere. */
int session_tag_frames(const struct query *);
struct weigh_source;
/* weigh_joined.c: set what is weighed of a query whose nodes are not the store's. */
void session_weigh_joined(struct session *, struct arena *, struct weigh_source *);
struct sides session_sides(struct session *);	/* weigh.c: of the query and its sample type */
/* weigh_async.c: wait for the calls that are being computed, and take them */
void session_weigh_end(struct session *);
void session_weigh_stop(struct session *);	/* cancel them and drop the result */
static inline int session_slot(enum gran gran)
{
	return gran == GR_LINES ? 1 : gran == GR_ADDRESSES ? 2 : 0;
}

#endif
