/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_TEXT_SCAN_H
#define TTRACE_LOAD_TEXT_SCAN_H

#include "load/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Lines and words of texts, for all readers of text. Nothing is copied, and nothing is read beyond
 * the end.
 */
/* Iterates over the lines of a text, without line ends. After the last line, line is empty. */
struct scan_lines {
	const char *p, *end, *line;
	size_t n;
	const struct sink *sink;	/* NULL: to the end; else see scan_bounded() */
	const char *begin;	/* of the file */
	unsigned pass, passes;
	bool early;		/* the lines ended before the end of the file; `end` is where */
	bool cut;		/* ... because memory exceeded its limit, not because the sink stopped them */
	uint32_t until_check;	/* lines */
};
/* Iterate over all lines of a file, as far as memory allows and until the sink stops the reading. The sink, which must
   live as long, gets the progress: this is pass number `pass`, from 0, of as many passes over the file. */
struct scan_lines scan_bounded(struct bytes, const struct sink *, unsigned pass, unsigned passes);
/* Warn that lines ended early, if `cut` (of struct scan_lines) is set. */
void scan_warn_cut(const struct sink *, bool cut);
/* Move to the next line. Returns false after the last one. */
bool scan_next_line(struct scan_lines *);
struct scan_text { const char *p, *end; };		/* a part of a line */
struct scan_text scan_line_text(const struct scan_lines *);		/* return the whole line */
struct scan_text scan_line_trimmed(const struct scan_lines *);	/* return the line without surrounding spaces */
bool scan_is_comment(const struct scan_lines *);		/* a line that is empty or begins with # */
/* Return the line without the prefix of a log collector: time and stream of Kubernetes and docker -t, the service
   of docker compose, date, host and program of a system log. *stamp: the time in RFC 3339, or empty. */
struct scan_text scan_line_without_log_prefix(const struct scan_lines *, struct scan_text *stamp);
void scan_skip_date(struct scan_text *);	/* skip the date of Go's package log: "2026/11/21 07:00:00 " */
bool scan_parse_wall_time(struct scan_text stamp, int64_t *ns);	/* convert to ns since 1970 */
bool scan_starts_with(struct scan_text, const char *word);
bool scan_contains(struct scan_text, const char *word);	/* anywhere in the text */
bool scan_take(struct scan_text *, const char *word);	/* skip the word; false: the text does not begin with it */
static inline size_t scan_len(struct scan_text t) { return (size_t)(t.end - t.p); }
static inline bool scan_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline bool scan_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool scan_is_hex(char c) { return scan_is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); }
void scan_skip_spaces(struct scan_text *);
/* Take decimal digits. Returns false if there are none. */
bool scan_take_digits(struct scan_text *, struct scan_text *digits);
bool scan_parse_i64(struct scan_text digits, int64_t *v);	/* decimal, with sign; false: it does not fit */
bool scan_parse_hex(struct scan_text digits, uint64_t *v);	/* false: it does not fit into 64 bits */
/* Take exactly n hexadecimal digits, at most 16. Returns false if there are fewer. */
bool scan_take_hex(struct scan_text *, size_t n, uint64_t *v);
bool scan_take_u64(struct scan_text *, uint64_t *v);	/* take a decimal number; false: none, or it does not fit */
/* Take the text before c, and skip c. Returns false if there is no c. */
bool scan_take_until(struct scan_text *, char c, struct scan_text *before);
bool scan_ends_with(struct scan_text, const char *word);
/* Cut the line number off the end, with the ':' before it, as in "dir/file.go:12". */
bool scan_cut_line_number(struct scan_text *, int64_t *line);
/* Return the first position of the word in p..end, or NULL. */
const char *scan_find(const char *p, const char *end, const char *word);

#endif
