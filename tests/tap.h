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

/* Whether the test is built with a sanitizer, which takes several times the memory and time. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

#endif
