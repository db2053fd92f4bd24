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
struct rx;

/* NULL and *e (ERR_USAGE, says where) when it does not compile. */
struct rx *rx_new(const char *pattern, struct err *e);
void rx_free(struct rx *);
bool rx_match(const struct rx *, const char *s, size_t n);
/* Where the first match is: bytes [*from, *to). */
bool rx_find(const struct rx *, const char *s, size_t n, size_t *from, size_t *to);
const char *rx_text(const struct rx *);
/* Does it mean itself and nothing else, in one word? Then it is in a text of words where it is in one of them. */
bool rx_is_word(const struct rx *);
/* Could it match a text that begins with c? Many cannot, as those of one whole name: "^main\\.work$". */
bool rx_begins(const struct rx *, char c);

#endif
