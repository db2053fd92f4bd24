/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_FLAME_JOB_H
#define TTRACE_PROFILE_FLAME_JOB_H

#include "calltree/flame.h"
#include "profile/flame_internal.h"

/* The layout of flame graphs of large trees in the background. */
bool flame_job_is_large(const struct weighted_tree *);
/* Start the layout for conf, and if it has a pivot also that of the callers; holds a reference to the tree. false:
   no thread is available. */
bool flame_job_start(struct async *, struct weighted_tree *, const struct flame_conf *);
/* Take the result of the job, or wait for it. false: it was of another tree or conf, and nothing was taken. */
bool flame_job_finish(struct async *, struct session *, const struct weighted_tree *, const struct flame_conf *,
    struct flame *out[PARTS]);
bool flame_job_same_conf(const struct flame_conf *, const struct flame_conf *);

#endif
