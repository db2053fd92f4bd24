/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SANDBOX_H
#define TTRACE_SANDBOX_H

#include <stdbool.h>

/*
 * A program that only reads a file gives up what reading does not need: to open files for writing, to run programs and to
 * use the network. A fault in a parser can then do less harm.
 */

/* What stays allowed besides reading files and writing to descriptors that are open. */
struct sandbox_may {
	bool run;		/* run other programs */
	const char *rename_in;	/* folder in which files may be renamed and removed; NULL: none */
	const char *create_in;	/* folder in which files may be created, written and removed; NULL: none */
};

/* Give up the rest, for the calling thread and the threads that it starts later, for ever. Call it while there is no
   other thread. Return false if the system cannot do all of it, or if TTRACE_NO_SANDBOX is set. */
bool sandbox_enter(const struct sandbox_may *);

#endif
