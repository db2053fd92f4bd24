/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLIZE_H
#define TTRACE_SYMBOLIZE_H

#include "pprof/profile.h"

/*
 * -symbolize: takes names for the addresses of a profile from the local
 * programs that it was recorded from, and demangles names.
 */

/* Check the value of -symbolize before anything is read. NULL or "": no mode. Return -1 with a one-line error in *e. */
int symbolize_check(const char *mode, struct err *e);

bool symbolize_wanted(const char *mode);	/* the mode asks for local names */
bool symbolize_refused(const char *mode);	/* the mode is "none" */

/* Set the file of each mapping to the local program of that build id or name below $PPROF_BINARY_PATH (or
   $HOME/pprof/binaries). first_known: skip the first mapping, whose file was given. */
void symbolize_locate(struct profile *, bool first_known, profile_notice *, void *);

/* Symbolize and demangle as the mode requires, after symbolize_locate(). */
void symbolize(struct profile *, const char *mode, profile_notice *, void *);

#endif
