/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SHAKE_H
#define TTRACE_SHAKE_H

#include <stdbool.h>

/*
 * A schedule shaker, for tests: random pauses where threads meet, so that orders of events occur which are rare
 * otherwise. It exists in a build with --enable-shaker, and is on if TTRACE_SHAKE is a number, the seed. job.c calls it
 * before and after each lock, wake-up and queue operation.
 *
 * Return whether the thread has paused. Any thread.
 */
#ifdef SHAKER
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline bool shake(void)
{
	static _Atomic uint64_t threads;
	static _Thread_local struct { bool known, on; uint64_t state; } me;
	if (!me.known) {
		const char *seed = getenv("TTRACE_SHAKE");
		me.known = true;
		me.on = seed && *seed;
		if (me.on)
			me.state = strtoull(seed, NULL, 10) << 32 ^ atomic_fetch_add(&threads, 1);
	}
	if (!me.on)
		return false;
	uint64_t r = me.state += 0x9e3779b97f4a7c15;	/* splitmix64 */
	r = (r ^ r >> 30) * 0xbf58476d1ce4e5b9;
	r = (r ^ r >> 27) * 0x94d049bb133111eb;
	r ^= r >> 31;
	if (r % 4)
		return false;
	if (r % 64)
		sched_yield();
	else
		nanosleep(&(struct timespec){.tv_nsec = (long)(r >> 44)}, NULL);	/* up to a millisecond */
	return true;
}
#else
static inline bool shake(void)
{
	return false;
}
#endif

#endif
