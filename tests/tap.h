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

/* Return the path of a file of the source folder; it is valid until the next call. */
static inline char *tap_source(const char *name)
{
	static char path[2048];
	const char *dir = getenv("srcdir");
	snprintf(path, sizeof path, "%s/%s", dir ? dir : ".", name);
	return path;
}

/* Check the files that the arguments name, or, without arguments, those of the source folder that names has; the last is NULL. */
static inline void tap_files(int argc, char **argv, const char *const *names, void (*check)(const char *path))
{
	for (int i = 1; i < argc; i++)
		check(argv[i]);
	for (; argc < 2 && *names; names++)
		check(tap_source(*names));
}

#endif
