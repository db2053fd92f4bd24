/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Classes of time. Most states have one class. The runtime reports one reason, "sync", for all waits on its
 * semaphores: those of mutexes, of wait groups, and of its own that start a GC cycle or stop the world. The functions
 * next to the leaf of the stack tell which of these it was. Names of the runtime change between versions of Go, so a
 * stack is searched for the exported function (sync.(*WaitGroup).Wait), which does not, and only for the runtime's own
 * semaphores for names of the runtime.
 */
#include "config.h"
#include "trace/time_class.h"

#include <string.h>

static const struct { const char *name, *text, *verb; enum tstate state; } classes[TIME_CLASS__N] = {
#define TIME_CLASS(id, name, title, key, state, text, verb) [TIME_##id] = {name, text, verb, TS_##state},
#include "trace/time_class.def"
#undef TIME_CLASS
};

static const uint8_t class_of_state[TS__N] = {
	[TS_NONE] = TIME_UNKNOWN, [TS_IDLE] = TIME_UNKNOWN, [TS_RUN] = TIME_ON_CPU, [TS_GCWORK] = TIME_GC_OTHER,
	[TS_ASSIST] = TIME_GC_ASSIST, [TS_SWEEP] = TIME_GC_OTHER, [TS_STW] = TIME_STW, [TS_READY] = TIME_RUNNABLE,
	[TS_SYSCALL] = TIME_SYSCALL, [TS_SYSBLOCK] = TIME_SYSCALL, [TS_CHANSEND] = TIME_CHANNEL,
	[TS_CHANRECV] = TIME_CHANNEL, [TS_SELECT] = TIME_SELECT, [TS_SYNC] = TIME_LOCK, [TS_COND] = TIME_COND,
	[TS_NET] = TIME_NETWORK, [TS_SLEEP] = TIME_SLEEP, [TS_GCASSISTW] = TIME_GC_ASSIST,
	[TS_GCSWEEPW] = TIME_GC_OTHER, [TS_GCEND] = TIME_GC_OTHER, [TS_GCWEAK] = TIME_GC_OTHER,
	[TS_SYSTEM] = TIME_UNKNOWN, [TS_PREEMPT] = TIME_RUNNABLE, [TS_DEBUG] = TIME_UNKNOWN,
	[TS_FOREVER] = TIME_STILL_BLOCKED, [TS_SYNCTEST] = TIME_WAITGROUP, [TS_CORO] = TIME_CHANNEL,
	[TS_OTHER] = TIME_UNKNOWN, [TS_UNKNOWN] = TIME_UNKNOWN,
};

/* Functions that wait on a semaphore. */
static const struct { const char *function; enum time_class of; } semaphores[] = {
	{"sync.(*WaitGroup).Wait", TIME_WAITGROUP},
	{"runtime.gcStart", TIME_GC_OTHER}, {"runtime.GC", TIME_GC_OTHER}, {"runtime.gcMarkDone", TIME_GC_OTHER},
	{"runtime.stopTheWorld", TIME_STW}, {"runtime.stopTheWorldGC", TIME_STW},
};

const enum time_class time_classes_by_stack[TIME_BY_STACK] = {TIME_LOCK, TIME_WAITGROUP, TIME_GC_OTHER, TIME_STW};

const char *time_class_name(enum time_class c)
{
	return c < TIME_CLASS__N ? classes[c].name : "";
}

const char *time_class_text(enum time_class c)
{
	return c < TIME_CLASS__N ? classes[c].text : "";
}

const char *time_class_verb(enum time_class c)
{
	return c < TIME_CLASS__N ? classes[c].verb : "";
}

enum tstate time_class_state(enum time_class c)
{
	return c < TIME_CLASS__N ? classes[c].state : TS_UNKNOWN;
}

int time_class_find(const char *name)
{
	for (int i = 0; i < TIME_CLASS__N; i++)
		if (!strcmp(classes[i].name, name))
			return i;
	return -1;
}

bool time_class_needs_stack(enum tstate s)
{
	return s == TS_SYNC;
}

static enum time_class class_of_semaphore(const struct store *st, stk_id stack)
{
	enum { NEAR = 8, SEMAPHORES = sizeof semaphores / sizeof *semaphores };
	for (int depth = 0; stack && depth < NEAR; depth++, stack = stk_parent(st, stack)) {
		const struct str_row *name = store_str(st, store_fun(st, store_frm(st, stk_frame(st, stack))->fun)->name);
		for (int i = 0; i < SEMAPHORES; i++)
			if (name->n == strlen(semaphores[i].function) && !memcmp(name->s, semaphores[i].function, name->n))
				return semaphores[i].of;
	}
	return TIME_WITHOUT_STACK;
}

enum time_class time_class_of(const struct store *st, enum tstate s, stk_id stack)
{
	if (time_class_needs_stack(s))
		return class_of_semaphore(st, stack);
	return s < TS__N ? (enum time_class)class_of_state[s] : TIME_UNKNOWN;
}
