/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SINK_H
#define TTRACE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The interface between readers and the store. A reader knows formats and calls these functions; a sink (the store's
 * builder, the profile of a report) knows no formats. This file has what all files contain:
 * names, locations and stacks. sink_profile.h has samples, sink_trace.h has goroutines and their states.
 *
 * All calls come from one thread at a time, except where noted. Arguments that point to memory are valid until the call
 * returns. Ids are those of the sink; 0 is "none" in every table.
 */
typedef uint32_t str_id;	/* "" is 0 */
typedef uint32_t fun_id;
typedef uint32_t map_id;
typedef uint32_t loc_id;
typedef uint32_t frm_id;	/* one line of a location */
typedef uint32_t stk_id;	/* a node of the call tree: a frame and its parent */
typedef uint32_t trk_id;	/* a goroutine, P or thread of a trace */

#define TIME_NONE INT64_MIN
/* Times of a damaged file may be anything: readers limit times since the first event to 73 years, with a notice. */
#define TIME_LATEST (INT64_C(1) << 61)
#define TIME_LATEST_NOTICE "times more than 73 years after the first event are shown as 73 years"

struct sink_map {
	uint64_t id;	/* the file's number, or 0 */
	uint64_t start, limit, offset;
	str_id file, build_id;
	bool functions, filenames, lines, inlines;
};

struct sink_fun {
	uint64_t id;
	str_id name, sysname, file;
	int64_t line;	/* first line; 0: unknown */
};

struct sink_line {	/* innermost (inlined) first, as in profile.proto */
	fun_id fun;
	int64_t line, col;
};

struct sink_loc {
	uint64_t id, addr;
	map_id map;
	bool folded;
	const struct sink_line *line;
	size_t nline;
};

struct sink {
	const struct sink_ops {
		/* Add a row to a table and return its id. Equal texts have one id; of other rows, equal ones without a
		   number of the file (id 0) may have one. */
		str_id (*str)(void *, const char *, size_t);
		map_id (*map)(void *, const struct sink_map *);
		fun_id (*fun)(void *, const struct sink_fun *);
		loc_id (*loc)(void *, const struct sink_loc *);
		stk_id (*stack)(void *, const loc_id *leaf_first, size_t n);
		/* Add a notice about a file that is shown nevertheless. at: a byte offset, ERR_NOWHERE or ERR_ASIDE. */
		void   (*warn)(void *, uint64_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
		/* All data before t has been passed: publish it. bytes: bytes of the input read so far. t is TIME_NONE
		   in a profile, and between the generations of a trace. Return false to stop the reading. */
		bool   (*upto)(void *, int64_t t, uint64_t bytes);
	} *ops;
	const struct sink_profile_ops *profile;	/* NULL: the sink takes no samples */
	const struct sink_trace_ops *trace;	/* NULL: the sink takes no traces */
	void *self;		/* the first argument of all operations */
	/* Readers of traces also pass UT_WORKER and UT_DEDICATED for goroutines that the reference mistakes for mark
	   workers. There are millions of them, and only the reference's curve of utilisation needs them. */
	bool oddities;
};

#endif
