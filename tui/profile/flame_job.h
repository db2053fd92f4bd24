/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_FLAME_JOB_H
#define TTRACE_PROFILE_FLAME_JOB_H

#include "calltree/flame.h"
#include "profile/flame_internal.h"

/* Flames of a large tree, laid out beside the keyboard. */
struct flamework;
bool flame_is_work(const struct calls *);
/* Of conf, and where it has a pivot with the callers above it; holds the calls. NULL: there is no thread to be had. */
struct flamework *flamework_start(struct calls *, const struct flame_conf *);
struct job *flamework_job(const struct flamework *);	/* NULL of NULL */
/* Wait for it, take what it made, and free it. false: it is of other calls or another conf than these, and nothing
   was taken. */
bool flamework_take(struct flamework *, struct session *, const struct calls *, const struct flame_conf *,
    struct flame *out[PARTS]);
bool flamework_same(const struct flame_conf *, const struct flame_conf *);
void flamework_drop(struct flamework *);		/* NULL: none */

#endif
