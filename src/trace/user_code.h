/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_USER_CODE_H
#define TTRACE_TRACE_USER_CODE_H

#include "store/store.h"

#include <stdbool.h>

/*
 * User code is every function outside the runtime and the standard library of Go; dependencies count as user code. A
 * stack that must be shown by one frame is shown by its first user frame, the innermost one of user code:
 * main.(*ledger).reserve rather than sync.(*Mutex).Lock.
 */

/* Return whether the function of this name is user code. Names without a package (assembly, C) are not. */
bool user_code_is_user_function(const char *name, size_t n);
/* Return the node of a stack's first user frame; 0 if there is none, or if s is 0. */
stk_id user_code_first_frame(const struct store *, stk_id s);
/* Return the node of the innermost frame outside runtime, sync and internal packages; 0 if there is none. */
stk_id user_code_outside_runtime(const struct store *, stk_id s);
/* Return the node that represents the stack: its first user frame; if there is none, the innermost frame outside
   runtime, sync and internal packages (net/http.(*persistConn).writeLoop); else s itself. */
stk_id user_code_site(const struct store *, stk_id s);

#endif
