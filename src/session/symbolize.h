/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLIZE_H
#define TTRACE_SYMBOLIZE_H

#include "pprof/profile.h"

/*
 * -symbolize: names for a profile's addresses out of the local programs that
 * it was recorded from, and names of C++ as people write them.
 */

/* What -symbolize=MODE says; checked before anything is read. NULL or "": none. -1: *e, one line. */
struct symbolize_mode;
int symbolize_check(const char *mode, struct err *e);

bool symbolize_wanted(const char *mode);	/* the mode asks for local names */
bool symbolize_refused(const char *mode);	/* the mode is "none" */

/* Let mappings name the local files that belong to them: those below $PPROF_BINARY_PATH (or
   $HOME/pprof/binaries) by build id or name. first_known: the first mapping's was given. */
void symbolize_locate(struct profile *, bool first_known, profile_notice *, void *);

/* Do what the mode says. Mappings have been located. */
void symbolize(struct profile *, const char *mode, profile_notice *, void *);

#endif
