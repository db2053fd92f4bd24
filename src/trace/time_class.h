/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_TIME_CLASS_H
#define TTRACE_TRACE_TIME_CLASS_H

#include "store/store.h"

/*
 * The class of a goroutine's time: what its state means for an operation that waits for the goroutine. The states of
 * state.def tell the reason as the runtime has it; a class also depends on the stack. time_class.def has the classes.
 */
enum time_class {
#define TIME_CLASS(id, name, title, key, state, text, verb) TIME_##id,
#include "trace/time_class.def"
#undef TIME_CLASS
	TIME_CLASS__N
};

const char *time_class_name(enum time_class);	/* "on-cpu", ... */
const char *time_class_text(enum time_class);	/* what a goroutine of the class does: "executes code", ... */
const char *time_class_verb(enum time_class);	/* of a sentence that ends with a place: "waits for the network in" */
enum tstate time_class_state(enum time_class);	/* the state whose letter and style show the class */
int time_class_find(const char *name);		/* -1: none of that name */

/* Return the class of the time of a goroutine in this state. stack: where the state began; 0: unknown. A wait that
   lasts until the end of the trace gets the class of its reason here: callers that know its end decide whether it is
   TIME_STILL_BLOCKED. TS_NONE is TIME_UNKNOWN. Any thread. */
enum time_class time_class_of(const struct store *, enum tstate, stk_id stack);
/* Return whether the class depends on the stack in this state. If not, time_class_of() does not read the stack. */
bool time_class_needs_stack(enum tstate);
/* The classes that such a state can have, and which of them it has without a stack. */
enum { TIME_BY_STACK = 4 };
#define TIME_WITHOUT_STACK TIME_LOCK
extern const enum time_class time_classes_by_stack[TIME_BY_STACK];

#endif
