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
struct held {
	const char *name;
	struct bytes b;			/* p NULL: not kept */
	const struct snap *trace;	/* NULL: it is no trace */
	struct stale_mark mark;		/* of the file, before it was read */
	bool base;			/* of two of one name, this is the one that is compared with */
};
struct hand { struct held *v; size_t n, cap; };

enum { HAND_MOST = 8 << 20 };	/* bytes of one file that are kept */

/* While a file is read: note it, and keep a copy of its bytes when there is room for it; of a trace or a program
   only where there is no file to go back to. The name must last. */
void hand_keep(struct hand *, const char *name, const struct bytes *);
/* One more, whose bytes are another's; nothing of it is freed but by who owns them. */
void hand_add(struct hand *, const struct held *);
/* By the very name (two sides may be of one file), else by what it says; NULL: not of this session. */
const struct held *hand_find(const struct hand *, const char *name);
/* The bytes. 1: they are not at hand, but the file is as it was; -1: it is not (*e). */
int hand_open(const struct held *, struct bytes *, struct err *e);
void hand_free(struct hand *);		/* of hand_keep() */
void hand_drop(struct hand *);		/* of hand_add() */

#endif
