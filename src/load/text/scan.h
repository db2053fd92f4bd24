/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_TEXT_SCAN_H
#define TTRACE_LOAD_TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Texts, line by line and word by word, for all readers of text: nothing is
 * copied, nothing goes past an end.
 */
/* Lines of a text, without their ends; empty after the last. */
struct lines { const char *p, *end, *line; size_t n; };
bool lines_next(struct lines *);
struct words { const char *p, *end; };		/* a piece of a line, being read */
struct words lines_words(const struct lines *);		/* all of the line */
struct words lines_trimmed(const struct lines *);	/* the line without spaces around it */
bool lines_comment(const struct lines *);		/* or empty */
/* The line without what a collector of logs puts in front: the time and stream of Kubernetes and
   docker -t, the service of docker compose, date, host and program of a system log. *stamp: the time
   in RFC 3339, empty when there is none. */
struct words lines_bare(const struct lines *, struct words *stamp);
void lines_no_date(struct words *);	/* take what Go's package log writes: "2026/11/21 07:00:00 " */
bool words_wall(struct words stamp, int64_t *ns);	/* ns since 1970 */
bool words_start(struct words, const char *word);
bool words_hold(struct words, const char *word);	/* somewhere */
bool words_take(struct words *, const char *word);	/* take it; false: it is not there */
static inline size_t words_n(struct words t) { return (size_t)(t.end - t.p); }
static inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool is_hex(char c) { return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); }
void words_spaces(struct words *);
bool words_digits(struct words *, struct words *digits);
bool words_number(struct words digits, int64_t *v);	/* decimal, with sign; false: does not fit */
bool words_hex(struct words digits, uint64_t *v);
bool words_u64(struct words *, uint64_t *v);		/* take a decimal number that fits */
bool words_until(struct words *, char c, struct words *before);	/* take up to c, and c; false: there is no c */
bool words_ending(struct words, const char *word);
/* Take it off the end, with the ':' before it: "dir/file.go:12". */
bool words_line(struct words *, int64_t *line);
/* Where word is in p..end; NULL: nowhere. */
const char *text_find(const char *p, const char *end, const char *word);

#endif
