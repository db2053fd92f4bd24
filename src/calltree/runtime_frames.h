/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_RUNTIME_FRAMES_H
#define TTRACE_CALLTREE_RUNTIME_FRAMES_H

/* What functions of the runtime, sync and syscall tell about a stack. The innermost frame that is known decides. Only locks
   of the runtime depend on the frame above: below channels and semaphores goroutines of the program compete for them,
   elsewhere they belong to the work of the runtime that takes them. */

enum runtime_work {		/* of a stack of a CPU profile */
	RUNTIME_WORK_NONE, RUNTIME_WORK_ALLOC, RUNTIME_WORK_GC, RUNTIME_WORK_SCHED, RUNTIME_WORK_SYSCALL,
	RUNTIME_WORK_LOCK, RUNTIME_WORK__N,
	/* of frames only, see runtime_work_below() */
	RUNTIME_WORK_CHANNEL = RUNTIME_WORK__N,	/* channels and semaphores */
	RUNTIME_WORK_INNER_LOCK			/* a lock of the runtime */
};
enum runtime_wait {		/* of a stack of a goroutine that does not run */
	RUNTIME_WAIT_NONE, RUNTIME_WAIT_SEND, RUNTIME_WAIT_RECV, RUNTIME_WAIT_SELECT, RUNTIME_WAIT_NET,
	RUNTIME_WAIT_MUTEX, RUNTIME_WAIT_GROUP, RUNTIME_WAIT_COND, RUNTIME_WAIT_SLEEP, RUNTIME_WAIT_SYSCALL,
	RUNTIME_WAIT_GC, RUNTIME_WAIT__N
};
/* Return what a frame with the function of this name tells; NONE: nothing. */
enum runtime_work runtime_work_of(const char *name);
/* Return what a stack tells, given what its callers and its innermost frame tell; for its callees. */
enum runtime_work runtime_work_below(enum runtime_work callers, enum runtime_work own);
/* Return that without kinds that are of frames only. */
static inline enum runtime_work runtime_work_result(enum runtime_work w) { return w < RUNTIME_WORK__N ? w : RUNTIME_WORK_NONE; }
enum runtime_wait runtime_wait_of(const char *name);
/* Likewise of the state of a goroutine in a dump of all stacks: "chan send", "sync.Mutex.Lock, 5 minutes". */
enum runtime_wait runtime_wait_of_state(const char *state);
const char *runtime_work_name(enum runtime_work);	/* "collector"; "" for NONE */
const char *runtime_wait_name(enum runtime_wait);	/* "chan send"; "" for NONE */

#endif
