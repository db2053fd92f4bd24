/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_BACKGROUND_H
#define TTRACE_TERM_BACKGROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return whether to ask a terminal for the colour of its background; env: getenv(), or that of a test. */
bool background_may_ask(const char *term, char *env(const char *));

/* The question, and one that every terminal answers: its answer comes after that of the first, if there is one. */
extern const char background_question[];

/* The answer, one byte after the other, after ESC ] 11 ; (or, if device, the second one after ESC [ ?). */
struct background_bytes { bool device; char text[40]; size_t n; };	/* n is zero at the beginning */
enum background_read {
	BACKGROUND_MORE,
	BACKGROUND_DARK, BACKGROUND_LIGHT,
	BACKGROUND_NONE,	/* an answer with another meaning */
	BACKGROUND_BROKEN	/* this byte is not part of an answer, but a key */
};
enum background_read background_read(struct background_bytes *, uint32_t c);

#endif
