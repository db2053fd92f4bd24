/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_INPUT_CACHE_H
#define TTRACE_SESSION_INPUT_CACHE_H

#include "load/load.h"
#include "session/file_changed.h"

/*
 * What an open session has at hand of its files, by the names they have on a
 * command line, so that a report of what is shown is made of what was read, and
 * not of what has that name by now. Profiles are kept as they came, compressed;
 * of a trace the store itself is at hand. What is too large to keep twice is
 * read again, and refused when it is another file.
 */
struct snap;
struct cached_input {
	const char *name;
	struct bytes b;			/* p NULL: not kept */
	const struct snap *trace;	/* NULL: it is no trace */
	struct file_changed_mark mark;		/* of the file, before it was read */
	bool base;			/* of two of one name, this is the one that is compared with */
};
struct cached_inputs { struct cached_input *v; size_t n, cap; };

enum { INPUT_CACHE_FILE_MAX = 8 << 20 };	/* bytes of one file that are kept */

/* While a file is read: note it, and keep a copy of its bytes when there is room for it; of a trace or a program
   only where there is no file to go back to. The name must last. */
void input_cache_keep(struct cached_inputs *, const char *name, const struct bytes *);
/* One more, whose bytes are another's; nothing of it is freed but by who owns them. */
void input_cache_add(struct cached_inputs *, const struct cached_input *);
/* By the very name (two sides may be of one file), else by what it says; NULL: not of this session. */
const struct cached_input *input_cache_find(const struct cached_inputs *, const char *name);
/* The bytes. 1: they are not at hand, but the file is as it was; -1: it is not (*e). */
int input_cache_open(const struct cached_input *, struct bytes *, struct err *e);
void input_cache_free(struct cached_inputs *);		/* of input_cache_keep() */
void input_cache_drop(struct cached_inputs *);		/* of input_cache_add() */

#endif
