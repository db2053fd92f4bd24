/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_TEXT_H
#define TTRACE_BASE_TEXT_TEXT_H

#include "base/text/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decode one UTF-8 code point of s[0..n). Return the number of bytes read (>= 1 if n > 0). A byte that is not UTF-8
   gives U+FFFD and counts as 1. */
size_t text_decode_utf8(const char *s, size_t n, uint32_t *cp);
size_t text_encode_utf8(uint32_t cp, char out[4]);

/* Return the cells of a code point: 0 for combining marks, 2 for wide characters, -1 for control characters. */
int text_cp_width(uint32_t cp);
/* Return the cells of a string as text_safe() shows it: control bytes take 4 (\xNN). */
size_t text_width(const char *s, size_t n);

/* Is a character, decoded from len bytes, escaped in what text_safe() appends? */
bool text_is_escaped(uint32_t cp, size_t len);
/* Append s escaped for a terminal: control characters, newline and tab too, and bytes that are not UTF-8 become \xNN.
   Bidi overrides and other format characters count as control characters. */
void text_safe(struct buf *b, const char *s, size_t n);
/* The same into to[0..size), NUL-terminated and truncated at a whole character. Allocates nothing. */
void text_safe_fit(char *to, size_t size, const char *s, size_t n);
/* Append s escaped as by text_safe() and as text, or a value of an attribute in double quotes, of XML or HTML. */
void text_xml(struct buf *b, const char *s, size_t n);
/* Parse a size like 512M or 2G, in bytes: a number, then k, m, g or t of either case, then perhaps b. Return false if it
   is none, or less than one byte. */
bool text_parse_size(const char *s, uint64_t *bytes);
/* Append s as text between double quotes of graphviz: quotes and backslashes are escaped, newlines end left-aligned
   lines. */
void text_dot(struct buf *b, const char *s, size_t n);
/* Return the length of s[0..n) without an incomplete character at its end. */
size_t text_whole_chars(const char *s, size_t n);

/* Append s, a line for people, with the passwords of URLs replaced by xxxxx: in scheme://user:PASSWORD@host, and in
   user:PASSWORD@host at the start of a word. */
void text_mask_passwords(struct buf *b, const char *s);

/* Return the last c in s[0..n), or NULL. */
const char *text_last(const char *s, char c, size_t n);

/* names.c: append a symbol, shortened to `cells` cells, and return the cells used: without its path, then its package or
   namespaces, then its receiver or class; before only the last part is left, what is in brackets is shortened. If that is
   not enough the last part is cut with `…` (or `~` if ascii). */
size_t text_fit_symbol(struct buf *b, const char *s, size_t n, size_t cells, bool ascii);
/* Return the offset of its last part: of Sum in crypto/sha256.(*Digest).Sum. */
size_t text_symbol_tail(const char *s, size_t n);
/* Return the length of the package in the name of a Go function: crypto/sha256.(*Digest).Sum; 0: it has none. */
size_t text_go_package(const char *s, size_t n);
/* Append as many whole characters of s as fit into `cells`, and return the cells used. *at: the bytes used. */
size_t text_put_head(struct buf *b, const char *s, size_t n, size_t cells, size_t *at);
/* Append any text, cut at the right, or in the middle. */
size_t text_fit(struct buf *b, const char *s, size_t n, size_t cells, bool ascii);
size_t text_fit_middle(struct buf *b, const char *s, size_t n, size_t cells, bool ascii);

/* As text_fit_symbol(), for a name beside a number that identifies its owner (G26 main.run): append nothing and return
   0 if fewer than six cells would show only a part of the last name. */
size_t text_fit_name(struct buf *b, const char *s, size_t n, size_t cells, bool ascii);

/* Append a line of words, some of them Go symbols. Before the line is cut, package paths are removed, from left to
   right, then the packages of methods, then receivers before a place; the symbol at the cut keeps only its last part. */
size_t text_fit_line(struct buf *b, const char *s, size_t n, size_t cells, bool ascii);

/* Return the length of the first line of s when it is broken at blanks into lines of at most `most` bytes (> 0). A
   longer word is broken after a / or before a dot where that is possible. The next line begins after the blanks. */
size_t text_line(const char *s, size_t most);
size_t text_line_n(const char *s, size_t n, size_t most);

/* Append a duration for people: 0, 999ns, 12.3us, 1.23ms, 12.3s, 2m03s, 17h05m; from 1000h on without minutes. */
void text_ns(struct buf *b, int64_t ns);
/* Append a point in time in seconds, with the decimals that a step of `step` ns needs: 1.2731s. */
void text_at(struct buf *b, int64_t ns, int64_t step);
/* The same as a time of day, of ns since 1970 or since a midnight: 12:00:01.273. */
void text_clock(struct buf *b, int64_t ns, int64_t step);
/* Append a date of ns since 1970 in UTC, in the format of strftime(). Times before 1970 append nothing. */
void text_date(struct buf *b, int64_t ns, const char *format);
/* Return part / all in per cent; 0 if all is not positive. */
static inline double text_percent(int64_t part, int64_t all)
{
	return all > 0 ? 100 * (double)part / (double)all : 0;
}
/* Append a size: 512B, 1.5kB, 12MB (1024 based, as in pprof). */
void text_bytes(struct buf *b, int64_t n);
/* Return the plural ending after a number: 1 match, 2 matches. */
static inline const char *text_s(uint64_t n) { return n == 1 ? "" : "s"; }
static inline const char *text_es(uint64_t n) { return n == 1 ? "" : "es"; }
/* Append 1,234,567. */
void text_count(struct buf *b, int64_t n);
/* Append a value with the unit of a sample type: nanoseconds, bytes, count, or any other. */
void text_value(struct buf *b, int64_t v, const char *unit);
/* The same in at most seven cells and a sign: counts with three digits, 1.23M; no units except those of time and bytes;
   days from 100,000 hours on. */
void text_short(struct buf *b, int64_t v, const char *unit);
/* Parse "1.2s", "350ms", "10us", "7ns", "2m", "1h2m" to ns. Return false if s is not a duration. */
bool text_parse_ns(const char *s, int64_t *ns);

#endif
