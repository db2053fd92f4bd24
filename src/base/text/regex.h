/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_REGEX_H
#define TTRACE_BASE_TEXT_REGEX_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Regular expressions with the meaning they have in Go (RE2): unanchored,
 * \d \w \b are ASCII, (?i), lazy quantifiers; lookaround and back references
 * are refused as Go refuses them. By PCRE2 with match and depth limits, so
 * that no expression can hang the program. regex.c alone includes pcre2.h.
 */
struct regex;

/* NULL and *e (ERR_USAGE, says where) when it does not compile. */
struct regex *regex_new(const char *pattern, struct err *e);
void regex_free(struct regex *);
bool regex_match(const struct regex *, const char *s, size_t n);
/* Where the first match is: bytes [*from, *to). */
bool regex_find(const struct regex *, const char *s, size_t n, size_t *from, size_t *to);
const char *regex_pattern(const struct regex *);
/* Does it mean itself and nothing else, in one word? Then it is in a text of words where it is in one of them. */
bool regex_is_literal_word(const struct regex *);
/* Could it match a text that begins with c? Many cannot, as those of one whole name: "^main\\.work$". */
bool regex_can_start_with(const struct regex *, char c);

#endif
