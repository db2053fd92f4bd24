/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What a goroutine waited for when the recording began. Its status has no reason, but since Go 1.23 a goroutine without
 * an event in a generation has its stack in it. The functions of the runtime in that stack tell the reason
 * (wait_functions.def). All frames of the runtime, of sync and of the network poller that other packages do not call
 * are left out, so that the stack is that of an event which blocks a goroutine at the same line: it begins with
 * sync.(*Mutex).Lock or runtime.chansend1, and not with runtime.gopark.
 */
#include "config.h"
#include "load/gotrace/status_waits.h"

#include "base/text/text.h"

#include <string.h>

static const struct { const char *name; enum tstate state; } functions[] = {
#define WAIT_FUNCTION(name, state) {name, TS_##state},
#include "load/gotrace/wait_functions.def"
#undef WAIT_FUNCTION
};

struct name { const char *s; size_t n; };

static bool begins(struct name f, const char *with)
{
	size_t n = strlen(with);
	return f.n >= n && !memcmp(f.s, with, n);
}

static enum tstate state_of(struct name f)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (f.n == strlen(functions[i].name) && begins(f, functions[i].name))
			return functions[i].state;
	return TS_UNKNOWN;
}

static bool is_inner(struct name f)
{
	return begins(f, "runtime.") || begins(f, "sync.") || begins(f, "internal/sync.") || begins(f, "internal/poll.") ||
	    begins(f, "time.");
}

/* Is it a function that other packages call? internal/sync is only called by sync. */
static bool is_exported(struct name f)
{
	const char *dot = text_last(f.s, '.', f.n);
	return dot && dot + 1 < f.s + f.n && dot[1] >= 'A' && dot[1] <= 'Z' && !begins(f, "internal/sync.");
}

enum tstate status_waits_state(const struct trace_generation *g, uint32_t stack, uint32_t *skip)
{
	uint32_t n = 0, i = 0;
	const struct trace_frame *frames = stack ? generation_stack(g, stack, &n) : NULL;
	enum tstate state = TS_UNKNOWN;
	*skip = 0;
	for (; frames && i < n; i++) {
		struct name f;
		f.s = generation_str(g, frames[i].fun, &f.n);
		if (!is_inner(f))
			break;
		state = state == TS_UNKNOWN ? state_of(f) : state;
		*skip = i;
		if (is_exported(f))
			break;
	}
	bool runtime = i && i == n;	/* all of it is the runtime's */
	return state == TS_UNKNOWN && runtime ? TS_SYSTEM : state;
}
