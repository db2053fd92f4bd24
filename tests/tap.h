/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TAP_H
#define TTRACE_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* The test harness: OK(cond) counts a check and prints the condition if it is false; DONE() is the result of main(). */
static int tap_bad, tap_n;
#define OK(cond) ((cond) ? (void)tap_n++ \
    : (void)(tap_n++, tap_bad++, fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #cond)))
#define DONE() (printf("%d passed, %d failed\n", tap_n - tap_bad, tap_bad), tap_bad ? EXIT_FAILURE : EXIT_SUCCESS)

#endif
