/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* What stacks of a CPU profile tell: locks of the runtime count as locks only below channels, semaphores and mutexes. */
#include "config.h"
#include "calltree/runtime_frames.h"
#include "tap.h"

/* Return what a stack of functions tells, the root first, up to NULL. */
static enum runtime_work of_stack(const char *const *name)
{
	enum runtime_work w = RUNTIME_WORK_NONE;
	for (; *name; name++)
		w = runtime_work_below(w, runtime_work_of(*name));
	return runtime_work_result(w);
}
#define STACK(...) of_stack((const char *const[]){__VA_ARGS__, NULL})

int main(void)
{
	OK(STACK("main.main") == RUNTIME_WORK_NONE);
	OK(STACK("main.main", "runtime.chansend1", "runtime.chansend") == RUNTIME_WORK_NONE);
	OK(STACK("main.main", "runtime.chansend", "runtime.lock", "runtime.lock2", "runtime.procyield") == RUNTIME_WORK_LOCK);
	OK(STACK("main.main", "runtime.selectgo", "runtime.sellock", "runtime.lock2") == RUNTIME_WORK_LOCK);
	OK(STACK("main.main", "sync.(*Mutex).Lock", "internal/sync.(*Mutex).lockSlow") == RUNTIME_WORK_LOCK);
	OK(STACK("main.main", "sync.(*Mutex).lockSlow", "runtime.semacquire1") == RUNTIME_WORK_LOCK);
	OK(STACK("main.main", "sync.(*Mutex).lockSlow", "runtime.semacquire1", "runtime.lock2") == RUNTIME_WORK_LOCK);
	OK(STACK("main.main", "runtime.mallocgc", "runtime.(*mheap).alloc", "runtime.lock2") == RUNTIME_WORK_ALLOC);
	OK(STACK("runtime.bgsweep", "runtime.unlock2") == RUNTIME_WORK_GC);
	OK(STACK("runtime.mcall", "runtime.schedule", "runtime.findRunnable", "runtime.lock2") == RUNTIME_WORK_SCHED);
	OK(STACK("main.main", "runtime.chansend", "runtime.goready", "runtime.ready", "runtime.wakep", "runtime.lock2") ==
	    RUNTIME_WORK_SCHED);
	return DONE();
}
