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
struct scan_lines { const char *p, *end, *line; size_t n; };
bool scan_next_line(struct scan_lines *);
struct scan_text { const char *p, *end; };		/* a piece of a line, being read */
struct scan_text scan_line_text(const struct scan_lines *);		/* all of the line */
struct scan_text scan_line_trimmed(const struct scan_lines *);	/* the line without spaces around it */
bool scan_is_comment(const struct scan_lines *);		/* or empty */
/* The line without what a collector of logs puts in front: the time and stream of Kubernetes and
   docker -t, the service of docker compose, date, host and program of a system log. *stamp: the time
   in RFC 3339, empty when there is none. */
struct scan_text scan_line_without_log_prefix(const struct scan_lines *, struct scan_text *stamp);
void scan_skip_date(struct scan_text *);	/* take what Go's package log writes: "2026/11/21 07:00:00 " */
bool scan_parse_wall_time(struct scan_text stamp, int64_t *ns);	/* ns since 1970 */
bool scan_starts_with(struct scan_text, const char *word);
bool scan_contains(struct scan_text, const char *word);	/* somewhere */
bool scan_take(struct scan_text *, const char *word);	/* take it; false: it is not there */
static inline size_t scan_len(struct scan_text t) { return (size_t)(t.end - t.p); }
static inline bool scan_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline bool scan_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool scan_is_hex(char c) { return scan_is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); }
void scan_skip_spaces(struct scan_text *);
bool scan_take_digits(struct scan_text *, struct scan_text *digits);
bool scan_parse_i64(struct scan_text digits, int64_t *v);	/* decimal, with sign; false: does not fit */
bool scan_parse_hex(struct scan_text digits, uint64_t *v);
bool scan_take_u64(struct scan_text *, uint64_t *v);		/* take a decimal number that fits */
/* Take up to c, and c; false: there is no c. */
bool scan_take_until(struct scan_text *, char c, struct scan_text *before);
bool scan_ends_with(struct scan_text, const char *word);
/* Take it off the end, with the ':' before it: "dir/file.go:12". */
bool scan_cut_line_number(struct scan_text *, int64_t *line);
/* Where word is in p..end; NULL: nowhere. */
const char *scan_find(const char *p, const char *end, const char *word);

#endif
