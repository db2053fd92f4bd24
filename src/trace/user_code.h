/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_USER_CODE_H
#define TTRACE_TRACE_USER_CODE_H

#include "store/store.h"

#include <stdbool.h>

/*
 * User code is every function outside the runtime and the standard library of Go; dependencies count as user code. A
 * stack that has to be shown by one frame is shown by its first user frame, the innermost one of user code:
 * main.(*ledger).reserve rather than sync.(*Mutex).Lock.
 */

/* Is the function of this name user code? Names without a package (assembly, C) are not. */
bool user_code_is_user_function(const char *name, size_t n);
/* The node of a stack's first user frame; 0: there is none, or s is 0. */
stk_id user_code_first_frame(const struct store *, stk_id s);
/* What stands for the stack: the same; where no frame is user code the innermost one outside runtime, sync and
   internal packages (net/http.(*persistConn).writeLoop); else s itself. */
stk_id user_code_site(const struct store *, stk_id s);

#endif
