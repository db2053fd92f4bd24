/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_FLAME_JOB_H
#define TTRACE_PROFILE_FLAME_JOB_H

#include "calltree/flame.h"
#include "profile/flame_internal.h"

/* Flames of a large tree, laid out beside the keyboard. */
struct flame_work;
bool flame_job_is_large(const struct weighted_tree *);
/* Of conf, and where it has a pivot with the callers above it; holds the calls. NULL: there is no thread to be had. */
struct flame_work *flame_job_start(struct weighted_tree *, const struct flame_conf *);
struct job *flame_job_handle(const struct flame_work *);	/* NULL of NULL */
/* Wait for it, take what it made, and free it. false: it is of other calls or another conf than these, and nothing
   was taken. */
bool flame_job_finish(struct flame_work *, struct session *, const struct weighted_tree *, const struct flame_conf *,
    struct flame *out[PARTS]);
bool flame_job_same_conf(const struct flame_conf *, const struct flame_conf *);
void flame_job_cancel(struct flame_work *);		/* NULL: none */

#endif
