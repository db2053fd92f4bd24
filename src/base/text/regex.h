/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_REGEX_H
#define TTRACE_BASE_TEXT_REGEX_H

#include "base/err.h"
#include "base/text/buf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Regular expressions with the meaning that they have in Go (RE2): unanchored, \d \w \b are ASCII, (?i), lazy
 * quantifiers. Lookaround and back references are rejected, as Go rejects them. PCRE2 does the matching, with limits, so
 * that no expression can block the program. A name of a method with its parentheses, such as (*conn).serve, which Go
 * rejects, matches itself. Threads may share an expression. Only regex.c includes pcre2.h.
 */
struct regex;

/* Compile an expression. Return NULL and set *e (ERR_USAGE, with the position) if it is not valid. */
struct regex *regex_new(const char *pattern, struct err *e);
/* Return an expression that matches the text literally. */
struct regex *regex_literal(const char *text, struct err *e);
void regex_free(struct regex *);
/* Return whether a part of the text matches. If the limits do not suffice to decide that, return false;
   regex_undecided() counts it. */
bool regex_match(const struct regex *, const char *s, size_t n);
/* Return how many matches could not be decided since the program started. Any thread. */
uint64_t regex_undecided(void);
/* Append a message about one of the last of them. Any thread. */
void regex_explain_undecided(struct buf *to);
/* As regex_match(), and set [*from, *to) to the bytes of the first match. */
bool regex_find(const struct regex *, const char *s, size_t n, size_t *from, size_t *to);
/* As regex_match(), for an expression from a file: the steps of a match are limited in proportion to n, so that the time
   for all names of a file is in proportion to the file. If they do not suffice, *gave_up is set, and the text does not
   match. No other thread may use the expression. */
bool regex_match_bounded(struct regex *, const char *s, size_t n, bool *gave_up);
const char *regex_pattern(const struct regex *);

#endif
