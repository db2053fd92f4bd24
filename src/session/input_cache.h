/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_INPUT_CACHE_H
#define TTRACE_SESSION_INPUT_CACHE_H

#include "load/load.h"
#include "session/file_changed.h"

/*
 * What an open session keeps of its files, by their names on the command line,
 * so that a report on what is shown uses the bytes that were read and not a
 * newer file. Profiles are kept compressed as they were read; a trace is used
 * through its store. A file too large to keep is read again, and refused if it
 * has changed.
 */
struct snap;
struct cached_input {
	const char *name;
	struct bytes b;			/* p NULL: not kept */
	const struct snap *trace;	/* NULL: not a trace */
	struct file_changed_mark mark;		/* of the file, before it was read */
	bool base;			/* if two entries have one name, this one is the base of the comparison */
};
struct cached_inputs { struct cached_input *v; size_t n, cap; };

enum { INPUT_CACHE_FILE_MAX = 1 << 20 };	/* maximum size of a file that is kept, in bytes */

/* Add a file that is being read, with a copy of its bytes if it is small enough. Bytes of a trace or a program are
   copied only if they did not come from a file. The name must outlive the list. */
void input_cache_keep(struct cached_inputs *, const char *name, const struct bytes *);
/* Add an entry whose bytes belong to another list; they are not freed by input_cache_drop(). */
void input_cache_add(struct cached_inputs *, const struct cached_input *);
/* Find an entry by the same pointer (two sides may be of one file), else by the text of the name. Return NULL if the
   session has none. */
const struct cached_input *input_cache_find(const struct cached_inputs *, const char *name);
/* Get the bytes. Return 0; 1 if they are not kept but the file is unchanged; -1 with *e if it has changed. */
int input_cache_open(const struct cached_input *, struct bytes *, struct err *e);
void input_cache_free(struct cached_inputs *);		/* a list of input_cache_keep() */
void input_cache_drop(struct cached_inputs *);		/* a list of input_cache_add() */

#endif
