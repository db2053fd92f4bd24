/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_MERGE_PROFILES_H
#define TTRACE_SESSION_MERGE_PROFILES_H

#include "cli/options.h"
#include "pprof/profile.h"

/*
 * The profile that the command line names, as pprof makes it: files merged,
 * -base subtracted, the profile's own uninteresting frames dropped. A first
 * file that is a program only gives its name to the first mapping. Files that
 * cannot be read are notices as long as one can. NULL: *e.
 */
struct profile *merge_profiles_read(const struct options *, profile_notice *, void *arg, struct err *e);
/* The same when the first file is open already: it is read from *first, and closed. */
struct bytes;
struct profile *merge_profiles_read_from(
    const struct options *, struct bytes *first, profile_notice *, void *arg, struct err *e);

#endif
