/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_EXEMPLAR_H
#define TTRACE_PROFILE_EXEMPLAR_H

#include "app/pane.h"
#include "base/async.h"
#include "calltree/weighted.h"

/* From a frame of critical paths (-type=critical) to the operation that spent most time there: W in the panes on call
   trees opens its own path. */
struct profile_exemplar { struct async finding; };	/* zeroed: nothing is searched */

/* Frames from the root to the selected one, as symbols of a tree. */
enum { EXEMPLAR_FRAMES = 256 };
struct exemplar_path {
	uint32_t symbol[EXEMPLAR_FRAMES], n;
	bool all;	/* the pane leaves out no frame above the first one and between them */
};
/* Return whether the command asks for the exemplar of a frame. */
bool profile_asks_exemplar(const struct pane_env *, const struct act *);
/* For act(): search it, in the background. */
enum verdict profile_find_exemplar(struct profile_exemplar *, const struct pane_env *, const struct weighted_tree *,
    const struct exemplar_path *, struct ask *);
/* For struct pane_work: open it when it has been found. */
void profile_take_exemplar(struct profile_exemplar *, const struct pane_env *, struct ask *);

#endif
