/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_MERGE_PROFILES_H
#define TTRACE_SESSION_MERGE_PROFILES_H

#include "cli/options.h"
#include "pprof/profile.h"

/*
 * Read the profile that the command line names, as pprof does: merge the files,
 * subtract -base, drop the frames that the profile declares uninteresting. If
 * the first file is a program, it only names the first mapping. Files that
 * cannot be read are notices as long as one can be read. Return NULL with *e on
 * failure. If o->watch stops the reading, that is a failure, too; but in the viewer,
 * one file without a base is read in part.
 */
struct profile *merge_profiles_read(const struct options *, profile_notice *, void *arg, struct err *e);
/* Likewise, with the first file already open: it is read from *first, and closed. */
struct bytes;
struct profile *merge_profiles_read_from(
    const struct options *, struct bytes *first, profile_notice *, void *arg, struct err *e);

#endif
