/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Tables of functions of the runtime by the beginnings of their names. runtime.gopark, in which nearly all stacks of
 * goroutines end, is not listed, so that the function of sync or of channels above it decides.
 */
#include "config.h"
#include "calltree/runtime_frames.h"

#include <stddef.h>
#include <string.h>

static const char *const work_names[RUNTIME_WORK__N] = {
    "", "allocation", "collector", "scheduler", "syscalls", "locks"};
static const struct { const char *begin; enum runtime_work work; } works[] = {
	{"runtime.mallocgc", RUNTIME_WORK_ALLOC},
	{"runtime.newobject", RUNTIME_WORK_ALLOC},
	{"runtime.growslice", RUNTIME_WORK_ALLOC},
	{"runtime.makeslice", RUNTIME_WORK_ALLOC},
	{"runtime.gcBgMarkWorker", RUNTIME_WORK_GC},
	{"runtime.gcAssistAlloc", RUNTIME_WORK_GC},
	{"runtime.bgsweep", RUNTIME_WORK_GC},
	{"runtime.bgscavenge", RUNTIME_WORK_GC},
	{"runtime.gcStart", RUNTIME_WORK_GC},
	{"runtime.gcMarkDone", RUNTIME_WORK_GC},
	{"runtime.gcMarkTermination", RUNTIME_WORK_GC},
	{"runtime.deductSweepCredit", RUNTIME_WORK_GC},
	{"runtime.wbBufFlush", RUNTIME_WORK_GC},
	{"runtime.gcWriteBarrier", RUNTIME_WORK_GC},
	{"runtime.schedule", RUNTIME_WORK_SCHED},
	{"runtime.findRunnable", RUNTIME_WORK_SCHED},
	{"runtime.mcall", RUNTIME_WORK_SCHED},
	{"runtime.mstart", RUNTIME_WORK_SCHED},
	{"runtime.wakep", RUNTIME_WORK_SCHED},
	{"runtime.ready", RUNTIME_WORK_SCHED},
	{"runtime.goschedImpl", RUNTIME_WORK_SCHED},
	{"runtime.sysmon", RUNTIME_WORK_SCHED},
	{"syscall.", RUNTIME_WORK_SYSCALL},
	{"internal/runtime/syscall", RUNTIME_WORK_SYSCALL},
	{"runtime.cgocall", RUNTIME_WORK_SYSCALL},
	{"runtime.lock2", RUNTIME_WORK_INNER_LOCK},
	{"runtime.unlock2", RUNTIME_WORK_INNER_LOCK},
	{"runtime.chansend", RUNTIME_WORK_CHANNEL},
	{"runtime.chanrecv", RUNTIME_WORK_CHANNEL},
	{"runtime.closechan", RUNTIME_WORK_CHANNEL},
	{"runtime.selectgo", RUNTIME_WORK_CHANNEL},
	{"runtime.semacquire", RUNTIME_WORK_CHANNEL},
	{"runtime.semrelease", RUNTIME_WORK_CHANNEL},
	{"runtime.notifyList", RUNTIME_WORK_CHANNEL},
	{"sync.runtime_", RUNTIME_WORK_CHANNEL},
	{"internal/sync.(*Mutex).lockSlow", RUNTIME_WORK_LOCK},
	{"sync.(*Mutex).lockSlow", RUNTIME_WORK_LOCK},
};

static const char *const wait_names[RUNTIME_WAIT__N] = {"", "chan send", "chan receive", "select", "network", "locks",
    "wait groups", "conds", "sleep", "syscalls", "collector"};
static const struct wait_row { const char *begin; enum runtime_wait wait; } waits[] = {
	{"runtime.chansend", RUNTIME_WAIT_SEND},
	{"runtime.chanrecv", RUNTIME_WAIT_RECV},
	{"runtime.selectgo", RUNTIME_WAIT_SELECT},
	{"runtime.block", RUNTIME_WAIT_SELECT},
	{"internal/poll.runtime_pollWait", RUNTIME_WAIT_NET},
	{"runtime.netpollblock", RUNTIME_WAIT_NET},
	{"sync.(*Mutex)", RUNTIME_WAIT_MUTEX},
	{"sync.(*RWMutex)", RUNTIME_WAIT_MUTEX},
	{"internal/sync.(*Mutex)", RUNTIME_WAIT_MUTEX},
	{"sync.runtime_SemacquireMutex", RUNTIME_WAIT_MUTEX},
	{"sync.runtime_SemacquireRWMutex", RUNTIME_WAIT_MUTEX},
	{"sync.(*WaitGroup)", RUNTIME_WAIT_GROUP},
	{"sync.runtime_SemacquireWaitGroup", RUNTIME_WAIT_GROUP},
	{"sync.(*Cond)", RUNTIME_WAIT_COND},
	{"sync.runtime_notifyListWait", RUNTIME_WAIT_COND},
	{"time.Sleep", RUNTIME_WAIT_SLEEP},
	{"runtime.timeSleep", RUNTIME_WAIT_SLEEP},
	{"syscall.", RUNTIME_WAIT_SYSCALL},
	{"internal/runtime/syscall", RUNTIME_WAIT_SYSCALL},
	{"runtime.gcBgMarkWorker", RUNTIME_WAIT_GC},
	{"runtime.bgsweep", RUNTIME_WAIT_GC},
	{"runtime.bgscavenge", RUNTIME_WAIT_GC},
};

/* Wait reasons of the runtime. */
static const struct wait_row states[] = {
	{"chan send", RUNTIME_WAIT_SEND},
	{"chan receive", RUNTIME_WAIT_RECV},
	{"select", RUNTIME_WAIT_SELECT},
	{"IO wait", RUNTIME_WAIT_NET},
	{"sync.Mutex.Lock", RUNTIME_WAIT_MUTEX},
	{"sync.RWMutex", RUNTIME_WAIT_MUTEX},
	{"sync.WaitGroup", RUNTIME_WAIT_GROUP},
	{"sync.Cond", RUNTIME_WAIT_COND},
	{"sleep", RUNTIME_WAIT_SLEEP},
	{"syscall", RUNTIME_WAIT_SYSCALL},
	{"GC ", RUNTIME_WAIT_GC},
};

enum runtime_work runtime_work_of(const char *name)
{
	for (size_t i = 0; i < sizeof works / sizeof *works; i++)
		if (!strncmp(name, works[i].begin, strlen(works[i].begin)))
			return works[i].work;
	return RUNTIME_WORK_NONE;
}

enum runtime_work runtime_work_below(enum runtime_work callers, enum runtime_work own)
{
	if (own == RUNTIME_WORK_INNER_LOCK)
		return callers == RUNTIME_WORK_CHANNEL || callers == RUNTIME_WORK_LOCK ? RUNTIME_WORK_LOCK : callers;
	/* the semaphore of a mutex belongs to it */
	return own == RUNTIME_WORK_NONE || (own == RUNTIME_WORK_CHANNEL && callers == RUNTIME_WORK_LOCK) ? callers : own;
}

static enum runtime_wait wait_of(const struct wait_row *rows, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(s, rows[i].begin, strlen(rows[i].begin)))
			return rows[i].wait;
	return RUNTIME_WAIT_NONE;
}

enum runtime_wait runtime_wait_of(const char *name)
{
	return wait_of(waits, sizeof waits / sizeof *waits, name);
}

enum runtime_wait runtime_wait_of_state(const char *state)
{
	return wait_of(states, sizeof states / sizeof *states, state);
}

const char *runtime_work_name(enum runtime_work work)
{
	return work_names[work];
}

const char *runtime_wait_name(enum runtime_wait wait)
{
	return wait_names[wait];
}
