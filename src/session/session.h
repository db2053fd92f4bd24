/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_H
#define TTRACE_SESSION_H

#include "base/err.h"
#include "cli/options.h"
#include "filter/weigh.h"
#include "session/query.h"
#include "store/store.h"

/*
 * The open files, the newest snapshot, the query (sample type, focus, time
 * range, ...) and the weights that follow from both. Weights are cached until
 * the snapshot or the query changes. Panes and reports read the session and
 * change the query through it. The UI thread owns all of it; only jobs
 * (readers, weighing) run in other threads.
 */
struct async;
struct session;
struct job;

/* Start to load opt->files in the background. Return NULL with *e for a missing file or an unknown format. */
struct session *session_open(const struct options *, struct err *e);
void session_close(struct session *);

/* Wait until all is loaded. Return -1 if the file was refused. Data that was lost is a warning in the store. */
int session_wait(struct session *, struct err *e);

/* Return the job that reads, for poll and progress; NULL when there is none. */
struct job *session_job(const struct session *);
/* Return whether the kind of the file is known. For a URL or a pipe it is known only when its bytes have arrived.
   Before that there is no pane to show. */
bool session_format_known(const struct session *);
struct fetch_progress { const char *from; int64_t ms, expect_s; uint64_t bytes, total; };
/* Return false unless the job waits for bytes of a URL or a pipe. expect_s (seconds) and total are 0 if unknown. */
bool session_fetch_progress(const struct session *, struct fetch_progress *);
/* Return a notice about what was fetched (where it was saved), each once. NULL: none. */
const char *session_take_notice(struct session *);

/* Take the newest snapshot. Return true if it differs from the one before. Call it once per redraw. */
bool session_refresh(struct session *);
/* Return whether the reading failed, with its error in *e. */
bool session_failed(const struct session *, struct err *e);

/* Return the snapshot that session_refresh() took last. Never NULL; valid as long as the session. */
const struct snap *session_snap(const struct session *);
/* Append the names of the open files: the last part of a path, host and endpoint of a URL. Append the number of files
   instead if there are more than two, or if two names take more than `room` cells. */
void session_title(const struct session *, size_t room, struct buf *);
const char *session_file(const struct session *);	/* the first file's name as given */
bool session_is_trace(const struct session *);
/* Return a sentence if the first file has changed on the disk since it was read, once for each change; else NULL. Costs
   a system call: call it when a key is pressed, not while drawing. */
const char *session_file_change_text(struct session *);
bool session_same_file(const struct session *);	/* it is a regular file and unchanged since it was read */
const char *session_kind(const struct session *);	/* the kind of the file: "pprof profile" */

/* The sample types that the panes list: those of a profile; for a trace cpu, run, sched, sync, net, syscall, block,
   assist. */
size_t session_ntypes(const struct session *);
const char *session_type_name(const struct session *, size_t i);
const char *session_type_unit(const struct session *, size_t i);
/* Return the sample type that a command line names, by name, number or pprof's old option; SIZE_MAX: none. */
size_t session_type_of_options(const struct session *, const struct options *);
size_t session_type(const struct session *);		/* index of the one shown */
/* Compute the total of a sample type of the first file, in its unit. For a trace the filters of time, goroutines, tasks
   and regions apply. Return false if that would take too long or the file is not completely read. */
bool session_total(const struct session *, size_t type, int64_t *total);

/* The query. A change drops the caches and is one step of undo. */
const struct query *session_query(const struct session *);
/* Set a new query (copied). Return -1 with *e if a filter is invalid; then nothing changes. own: NULL, or the arena
   with the strings that differ from the query before. The session takes it over instead of copying, because the numbers
   of a million goroutines are 8 MB. */
int session_set_query(struct session *, const struct query *, struct arena *own, struct err *e);
uint32_t session_count_listed(struct session *);	/* number of goroutines in gs of the query */
bool session_undo(struct session *);
bool session_redo(struct session *);
bool session_last_set_filter(const struct session *);	/* the step that session_undo() undoes changed a filter */
uint32_t session_serial(const struct session *);	/* changes with the snapshot and the query */
/* Likewise, but stays the same between queries that select the same goroutines and times of a trace and differ only in
   how they weigh them. */
uint32_t session_scope(const struct session *);
/* Likewise, and changes with focus and ignore, which panes on traces apply to what they list. */
uint32_t session_selection(const struct session *);

/* ---- sides: further files

   Each is read in the background into the same store and gets a number, 1, 2, ... It is shown only while a query names
   it, and stays loaded so that undo can show it again. */
enum side_use { SIDE_BASE, SIDE_MERGE, SIDE_SHOW };	/* compare with it; add it to A; show it instead of A */
enum { SIDES_MAX = 61, SIDE_RANGE = 62, SIDE_REST = 63 };
int session_add(struct session *, const char *file, enum side_use, struct err *e);
/* Add a side that is computed: what a query leaves of the open profile, by the report `proto`. */
struct buf;
typedef int session_report_fn(const struct options *, struct buf *, struct err *);
int session_add_made(struct session *, const char *name, const struct query *, session_report_fn *, enum side_use,
    struct err *e);
/* Add the trace of another session, which was read whole, under the name "FILE (before)". Takes that session, which must
   not be used after success. */
int session_add_session(struct session *, struct session *other, enum side_use, struct err *e);
/* Stop all work of a session and release what was computed from its file. Only session_add_session() and session_close()
   may follow. */
void session_retire(struct session *);
struct side_news { uint32_t side; enum side_use use; const char *file; bool failed; struct err err; };
/* Return true once for each requested side that was read or failed; call after session_refresh(). The
   command line's base is set in the first query already: the only news of it is that its reading was cancelled. */
bool session_side_news(struct session *, struct side_news *);
/* Change the query so that it uses the side. */
void session_query_use_side(struct query *, enum side_use, uint32_t side);
/* Compare what the query's filters of goroutines, tasks, regions select with all others of the trace. Weights are the
   mean of one of each, so that two requests can be compared with two hundred others. */
void session_query_compare_rest(struct query *);
static inline bool query_has_rest(const struct query *q) { return q->b >> SIDE_REST & 1; }
static inline bool query_has_range(const struct query *q) { return q->b >> SIDE_RANGE & 1; }
/* Return whether the base is a part of the same trace. */
static inline bool query_has_own_base(const struct query *q) { return query_has_rest(q) || query_has_range(q); }
struct rest_states { uint32_t n[2]; int64_t ns[2][TS__N]; };
/* Compute for both sides how many there are and the mean time of one, by state. */
void session_rest_times(const struct session *, const struct query *, struct rest_states *);
/* Estimate the same times, in bounded time for any size of trace; good enough to find the state in which both differ
   most. */
void session_rest_approx(const struct snap *, const struct query *, struct rest_states *);
/* Return the times of the current query. false: they are computed with the calls, and known when those are. */
bool session_rest_async(struct session *, struct rest_states *);
uint32_t session_nsides(const struct session *);	/* including the first file */
const char *session_side_name(const struct session *, uint32_t side);

const struct options *session_opt(const struct session *);	/* as given, without a base */
/* Set an option that only reports use (session_is_report_option()). Return -1 with *e if the value is invalid. */
bool session_is_report_option(enum option_id);
int session_set_option(struct session *, enum option_id, const char *value, struct err *e);
/* Fill a list of the kept inputs of all sides, for the options of a report on them; empty while the first file is being
   read. Release it with input_cache_drop() after the report. */
struct cached_inputs;
void session_lend_inputs(const struct session *, struct cached_inputs *);
/* Build the command line of a report of what is shown: "ttrace", the report, options, files. Its strings are in the
   arena. arg: of list and peek, or NULL. */
struct command { const char **v; int n; size_t cap; const char *report; };
void command_add(struct command *, const char *word);
void session_command(const struct session *, const char *report, const char *arg, struct arena *, struct command *);
void session_command_of(const struct session *, const struct query *, const char *report, const char *arg,
    struct arena *, struct command *);
/* Register the slot of a caller, for the one loop to wait for. session_job() returns its job when nothing is being read.
   The caller takes its result, and sets NULL before it frees the slot. */
void session_set_extra_work(struct session *, const struct async *);
bool session_is_loading(const struct session *);	/* session_job() reads a file */

/* Return the calls of the current query (calltree/weighted.h) by a granularity. They are computed once and shared;
   release each reference with weighted_free(). */
struct weighted_tree;
struct weighted_tree *session_calls(struct session *, enum gran);
/* As session_calls(), for a viewer that must not wait: return NULL, and compute them in the background, unless they
   exist or are little work. Before session_set_nonblocking() it always waits. FOR_FUNCTIONS: also compute the functions
   of lines. */
void session_set_nonblocking(struct session *);
enum calls_for { FOR_SYMBOLS, FOR_FUNCTIONS };
struct weighted_tree *session_calls_async(struct session *, enum gran, enum calls_for);
/* Return the existing calls of the current query, by any granularity; NULL if there are none. */
struct weighted_tree *session_calls_ready(struct session *);
/* Release calls and two flame layouts of them (or NULL). Large ones are freed in the background, because that takes
   tens of milliseconds. */
struct flame;
void session_free_calls_async(struct session *, struct weighted_tree *, struct flame *const *);
/* Likewise for an arena, which is empty afterwards. The session may be NULL: then free at once. */
void session_free_arena_async(struct session *, struct arena *);
/* Return the highlights of calls (calltree/highlights.h). They are already computed for the first complete calls that
   were made in the background. */
const struct shares *session_shares(const struct session *, struct weighted_tree *);
struct job *session_weighing_job(const struct session *);	/* the background job, for poll; NULL: none */
/* take its result if it has ended; true: it belongs to the current query */
bool session_weighing_poll(struct session *);

/* Return the tags of the current query of a profile (filter/tag_weights.h), and the serial that they belong to. The
   caller frees them with tag_weights_free(). NULL: a job of the slot counts them, and session_tags_finish() returns
   them; it returns NULL if they are not wanted any more. */
struct tags;
struct tags *session_tags_async(struct session *, struct async *, uint32_t *serial);
struct tags *session_tags_finish(struct async *, uint32_t *serial);

/* Return the cache of source files by the names in the profile (symbols/source.h). It searches -source_path with
   -trim_path, the directory of the file, and where Go keeps sources. Valid until session_source_path() is called. */
struct source_cache;
struct source_cache *session_sources(struct session *);
/* Set OPT_SOURCE_PATH or OPT_TRIM_PATH. Invalidates the cache of session_sources(). */
int session_source_path(struct session *, enum option_id, const char *dirs, struct err *);
uint32_t session_nsources(const struct session *);	/* number of changes of the source paths */

#endif
