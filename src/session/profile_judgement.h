/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_PROFILE_JUDGEMENT_H
#define TTRACE_SESSION_PROFILE_JUDGEMENT_H

#include "base/mem/mem.h"
#include "findings/dump_states.h"
#include "findings/profile_sites.h"
#include "session/session.h"

/*
 * What is odd about a profile, and the functions of user code to which its samples belong. It depends on the file, its
 * sides and the sample type only, so filters do not change it. It is made once in the background and is only read then.
 */
enum { JUDGEMENT_LEAST = 3 };	/* the least share of a function, or of the widest path to it, in per cent */
struct profile_judgement {
	const struct snap *sn;
	struct findings_sides sides;
	int type;
	const struct findings *findings;
	struct profile_sites functions;		/* those with the least share */
	struct dump_states states;		/* of a goroutine dump; n is 0: it is none */
	uint32_t refs;		/* changed by the UI thread only */
	struct arena mem;
};

struct async;
/* Return a reference to the judgement of the current sides and sample type; release it by profile_judgement_free().
   NULL: the profile is not completely read, or a job of the slot makes it, and session_judgement_finish() returns it.
   UI thread. */
struct profile_judgement *session_judgement_async(struct session *, struct async *slot);
/* Take the result of the job. NULL: it is of other sides or another type by now; ask again. */
struct profile_judgement *session_judgement_finish(struct session *, struct async *slot);
/* Return whether it is of the current sides and sample type; it may be NULL. */
bool session_judgement_is_current(const struct session *, const struct profile_judgement *);
void profile_judgement_free(struct profile_judgement *);	/* may be NULL */

#endif
