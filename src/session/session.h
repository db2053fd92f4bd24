/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_H
#define TTRACE_SESSION_H

#include "base/err.h"
#include "cli/options.h"
#include "filter/weigh.h"
#include "store/store.h"

/*
 * What is open: the file(s), the newest snapshot, the query (sample type,
 * focus, time range, ...) and the weights that follow from both, cached until
 * either changes. Panes and reports read it and change the query through it;
 * all of it lives on one thread, only the loader runs beside it.
 */
struct session;
struct job;

/* Begin loading opt->files in the background. NULL: *e says why (no such file, unknown format). */
struct session *session_open(const struct options *, struct err *e);
void session_close(struct session *);

/* Of a trace that is being read, the generations of [t0, t1] as a session of its own, in which nothing is known of what
   was before (see gotrace_read_part()). NULL: *e says why not. */
struct session *session_open_part(const struct session *, int64_t t0, int64_t t1, struct err *e);
bool session_has_parts(const struct session *);	/* it is such a trace */
bool session_may_part(const struct session *);	/* and its first event is known */
bool session_is_part(const struct session *);
/* What it reads stands still, so that something else is read first; false, as often: it goes on. */
void session_pause_loading(struct session *, bool);
/* Something else takes memory: what of its own has no room beside that any more, goes. */
void session_release_memory(const struct session *);

/* Wait until all is loaded. -1: the file was refused; what was lost is a warning in the store. */
int session_wait(struct session *, struct err *e);

/* The loader, for poll and progress; NULL when it has ended. */
struct job *session_job(const struct session *);
/* What kind of file it is, is known: of what has to be fetched, or comes by a pipe, only when it is there.
   Before that there is nothing to show, and no pane to show it. */
bool session_format_known(const struct session *);
/* The job waits for bytes from elsewhere. false: it does not. */
struct fetch_progress { const char *from; int64_t ms, expect_s; uint64_t bytes, total; };	/* 0: unknown */
bool session_fetch_progress(const struct session *, struct fetch_progress *);
/* What is to be told about what was fetched, once: where it was saved. NULL: nothing. */
const char *session_take_notice(struct session *);

/* Take the newest snapshot: true when it is another one than before. Call it once per redraw. */
bool session_refresh(struct session *);
/* The loader has failed: its error. */
bool session_failed(const struct session *, struct err *e);

/* For who stays for a while: write an index of the trace, once it is read, if that took long (index_cache.h), beside
   the interface; wait: until it is written, for who does not stay. */
void session_write_index(struct session *, bool wait);
/* A sentence about the index of a trace. */
void session_describe_index(struct session *, struct buf *);

/* A frame is drawn without waiting for parts of a trace that were dropped to save memory: those it would have liked are
   made again by a job, after which it is to be drawn once more. news: nobody has done anything since the last frame. */
void session_begin_frame(struct session *, bool news);
bool session_end_frame(struct session *);	/* false: something is lacking, and will be */
struct job *session_prefetch_job(const struct session *);
bool session_prefetch_poll(struct session *, bool wait);	/* the job has ended */

/* The newest that session_refresh() took. Never NULL; good as long as the session. */
const struct snap *session_snap(const struct session *);
/* The files that are open: of a path the last part, of a URL host and endpoint. More than two, or two whose names take
   more than `room` cells: how many. */
void session_title(const struct session *, size_t room, struct buf *);
const char *session_file(const struct session *);	/* name as given (first file) */
bool session_is_trace(const struct session *);
/* Has the first file changed on the disk since it was read? A sentence about it, once for every change;
   NULL. A system call: ask when a key is pressed, not while drawing. */
const char *session_file_change_text(struct session *);
bool session_same_file(const struct session *);	/* the file, which is a regular one, is as it was when it was read */
const char *session_kind(const struct session *);	/* what the file is: "pprof profile" */

/* Sample types as the panes list them: of a profile its own; of a trace cpu, run, sched, sync, net,
   syscall, block. */
size_t session_ntypes(const struct session *);
const char *session_type_name(const struct session *, size_t i);
const char *session_type_unit(const struct session *, size_t i);
size_t session_type(const struct session *);		/* the one shown */
/* The total of a sample type of the first file, in its unit: of a trace, of what the filters of time, goroutines, tasks
   and regions leave. false: that takes too long, or not all has been read. */
bool session_total(const struct session *, size_t type, int64_t *total);

/* The query. Changing it drops the caches; each change is one step of undo. */
struct query {
	size_t type;
	struct filters f;	/* strings as typed, NULL none; owned by the session */
	bool suspended;		/* filters are off for now */
	int64_t from, to;	/* time range of a trace, [from, to); TIME_NONE: open */
	enum gran gran;
	bool noinlines;
	trk_id g;		/* only this goroutine; 0 all */
	const char *gs;		/* only these goroutines, "12,15,18"; NULL all */
	const char *group;	/* only goroutines whose start function matches; NULL all */
	const char *task, *region;	/* likewise; NULL all */
	const char *latency;	/* of these only those that took so long, ">50ms"; NULL all */
	uint32_t proc;		/* only this P (trk_id); 0 all */
	uint8_t blame;		/* enum trace_blame: what the tree of scheduler latency charges */
	/* Which files are shown, by the bit of their side: A, what is looked at (1: the one that was
	   opened), and B, what it is compared with (0: nothing; the bit of SIDE_REST: of the same trace what
	   the filters of goroutines, tasks, regions leave out). */
	uint64_t a, b;
	enum side_show show;
	bool of_rest;		/* percentages of a difference are of what it leaves (-base), not of B */
	bool normalize, drop_negative;
};
const struct query *session_query(const struct session *);
/* Its strings into the arena, but for those that another one has. */
void query_copy_strings(struct query *, const struct query *another, struct arena *);
/* They leave the same of a trace: goroutines, stretches of time, sides. */
bool query_same_scope(const struct query *, const struct query *);
/* Set a new query (copied). -1: a regular expression is wrong; nothing changes. own: NULL, or the strings that are not
   those of the query before lie in it: the numbers of a million goroutines are 8 MB, so it becomes the session's. */
int session_set_query(struct session *, const struct query *, struct arena *own, struct err *e);
uint32_t session_count_listed(struct session *);	/* how many goroutines gs of the query says */
bool session_undo(struct session *);
bool session_redo(struct session *);
uint32_t session_serial(const struct session *);	/* differs whenever snapshot or query do */
/* Likewise, but not where two queries leave the same goroutines and times of a trace, and weigh them in another way. */
uint32_t session_scope(const struct session *);

/* ---- sides: more files beside the first

   Each is read beside the interface into the store that is there and gets a number, 1, 2, ...; it is not
   shown until a query names it, and stays when none does, so that undo reaches it. */
enum side_use { SIDE_BASE, SIDE_MERGE, SIDE_SHOW };	/* compare with it; add it to A; show it instead of A */
enum { SIDES_MAX = 62, SIDE_REST = 63 };
int session_add(struct session *, const char *file, enum side_use, struct err *e);
/* A side that is made: what a query leaves of the profile that is open, by the report `proto`. */
struct buf;
typedef int session_report_fn(const struct options *, struct buf *, struct err *);
int session_add_made(struct session *, const char *name, const struct query *, session_report_fn *, enum side_use,
    struct err *e);
/* One that was asked for has been read, or has not; true once for each, after session_refresh(). The
   command line's own are in the first query already and are not told of. */
struct side_news { uint32_t side; enum side_use use; const char *file; bool failed; struct err err; };
bool session_side_news(struct session *, struct side_news *);
/* What a query is when a side is put to its use. */
void session_query_use_side(struct query *, enum side_use, uint32_t side);
/* Compare what its filters of goroutines, tasks, regions name with all others of the trace. Weights are the
   mean of one of each, so that two of these and two hundred of those can be compared. */
void session_query_compare_rest(struct query *);
static inline bool query_has_rest(const struct query *q) { return q->b >> SIDE_REST & 1; }
/* Are nodes taken away? Then what is left is another tree, for who walks over nodes. */
static inline bool query_removes_nodes(const struct query *q)
{
	const struct filters *f = &q->f;
	return q->noinlines || (!q->suspended && (f->hide || f->show || f->show_from || f->prune_from));
}
/* Both sides of it: how many they are, and what the mean of one did, by state. */
struct rest_states { uint32_t n[2]; int64_t ns[2][TS__N]; };
void session_rest_times(const struct session *, const struct query *, struct rest_states *);
/* About that, for which state they differ most in, of any size. */
void session_rest_approx(const struct snap *, const struct query *, struct rest_states *);
/* Of the present query; false: it is being made with the calls, and known when they have been weighed. */
bool session_rest_async(struct session *, struct rest_states *);
uint32_t session_nsides(const struct session *);	/* with the first file */
const char *session_side_name(const struct session *, uint32_t side);

const struct options *session_opt(const struct session *);	/* as given, without a base */
/* One of the options that only reports heed (session_is_report_option()) from now on. -1: no value of it. */
bool session_is_report_option(enum option_id);
int session_set_option(struct session *, enum option_id, const char *value, struct err *e);
/* What of all sides is at hand, for the opt of a report of the same; input_cache_drop() it when that is made. Nothing
   while the first file is still read. */
struct cached_inputs;
void session_lend_inputs(const struct session *, struct cached_inputs *);
/* The command line that makes a report of what is shown: "ttrace", the report, options, files; its
   strings lie in the arena. arg: of list and peek, or NULL. */
struct command { const char **v; int n; size_t cap; const char *report; };
void command_add(struct command *, const char *word);
void session_command(const struct session *, const char *report, const char *arg, struct arena *, struct command *);
void session_command_of(const struct session *, const struct query *, const char *report, const char *arg,
    struct arena *, struct command *);
/* Work of somebody else beside the interface, for the one loop to wait for; its owner joins it and takes
   it back (NULL). session_job() is it when nothing is being read. */
void session_set_extra_job(struct session *, struct job *);
bool session_is_loading(const struct session *);	/* session_job() is a loader */

/* The calls of the current query (calltree/weighted.h) by a granularity, made once for all who ask; each
   gives them back with weighted_free(). */
struct weighted_tree;
struct weighted_tree *session_calls(struct session *, enum gran);
/* For a viewer, which never waits: the same where they are at hand or little work; otherwise NULL, and they are made
   beside the interface. Before session_set_nonblocking() it always waits. For whom: who wants functions of lines gets
   them with these; who makes a tree of the nodes as well as they go gets none of which stacks are laid aside, where
   they are many (struct onto). */
void session_set_nonblocking(struct session *);
enum calls_for { FOR_SYMBOLS, FOR_FUNCTIONS, FOR_NODES };
struct weighted_tree *session_calls_async(struct session *, enum gran, enum calls_for);
/* Those of the query that are at hand, by whatever granularity; NULL: none are. */
struct weighted_tree *session_calls_ready(struct session *);
/* Who waits asks before he asks for calls: is another tree going to be made, for which session_needs_room()? Then it
   does until that is there. */
bool session_will_make_tree(struct session *, enum gran);
bool session_large_tree(uint32_t nodes);	/* there are no two of these where one will do */
/* Is another tree being made, and these calls hold one of as many nodes, so that there had better be no two of them? */
bool session_needs_room(const struct session *, const struct weighted_tree *);
/* The same of a pane that is not on the screen: or are they large ones of a query that is not the present one any more,
   whose calls are being made? */
bool session_should_release(const struct session *, const struct weighted_tree *);
/* Give back calls, and two flames that were laid out of them or NULL: large ones beside the interface, for it takes
   long. */
struct flame;
void session_free_calls_async(struct session *, struct weighted_tree *, struct flame *const *);
/* The same of an arena, which is empty then. The session may be NULL: at once. */
void session_free_arena_async(struct session *, struct arena *);
/* What stands out of them (calltree/highlights.h); of the first that are made beside the interface it is there
   with them. */
const struct shares *session_shares(const struct session *, struct weighted_tree *);
struct job *session_weighing_job(const struct session *);	/* that work, for poll; NULL: none */
bool session_weighing_poll(struct session *); /* it has ended: take it. true: it is of the query as it is now */

/* The tags of the current query (filter/tag_weights.h), of a profile; tag_weights_free() it. */
struct tags;
struct tags *session_tags(struct session *);
/* The same beside the interface. NULL: it is little work, or nobody is patient, or there is no thread to be had: ask
   session_tags(). weigh_async_tags() waits, and says of which serial they are. */
struct async_totals;
struct async_totals *session_tags_async(struct session *);
struct tags *weigh_async_tags(struct async_totals *, uint32_t *serial);
struct job *weigh_async_job(const struct async_totals *);	/* NULL of NULL */
/* What is spent at each address (calltree/addresses.h), of a large profile without a tree; or it will be known: *soon is
   set. Neither: ask calls. */
struct addr_sums;
struct addr_sums *session_addresses(struct session *, struct async_totals **soon);
struct addr_sums *weigh_async_addresses(struct async_totals *, uint32_t *serial);

/* What the query leaves of a trace, as a filter of trace/as_profile.h; its sets lie in the arena. */
struct trace_filter;
void session_trace_filter(const struct session *, struct arena *, struct trace_filter *);
/* The same of any query, by any thread. */
void session_query_filter(const struct snap *, const struct query *, struct arena *, struct trace_filter *);

/* Sources by the names that the file has for them (symbols/source.h): as -source_path and -trim_path
   say, beside the file, and where Go keeps them. Good until the paths are changed. */
struct source_cache;
struct source_cache *session_sources(struct session *);
/* OPT_SOURCE_PATH or OPT_TRIM_PATH: the sources before are gone. */
int session_source_path(struct session *, enum option_id, const char *dirs, struct err *);
uint32_t session_nsources(const struct session *);	/* differs after each of them */

#endif
