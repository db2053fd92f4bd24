/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_FLAME_JOB_H
#define TTRACE_PROFILE_FLAME_JOB_H

#include "calltree/flame.h"
#include "profile/flame_internal.h"

/* Lay out the flame graph for conf, and if it has a pivot also that of the callers. Return true if that is done, and set
   out[]; false if the tree is large: then a job does it, which holds a reference to the tree. */
bool flame_job_start(struct async *, struct weighted_tree *, const struct flame_conf *, struct flame *out[PARTS]);
/* Take the result of the job, or wait for it. false: it was of another tree or conf, and nothing was taken. */
bool flame_job_finish(struct async *, struct session *, const struct weighted_tree *, const struct flame_conf *,
    struct flame *out[PARTS]);
bool flame_job_same_conf(const struct flame_conf *, const struct flame_conf *);

#endif
