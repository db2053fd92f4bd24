/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_TEXT_H
#define TTRACE_BASE_TEXT_TEXT_H

#include "base/text/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decode one UTF-8 code point of s[0..n). Returns the bytes taken (>= 1 when n > 0); bytes that
   are not UTF-8 yield U+FFFD and take 1. */
size_t text_decode_utf8(const char *s, size_t n, uint32_t *cp);
size_t text_encode_utf8(uint32_t cp, char out[4]);

/* Cells a code point takes: 0 for combining marks, 2 for wide, -1 for control characters. */
int text_cp_width(uint32_t cp);
/* Cells of a string as it would be shown: control bytes count 4 (\xNN). */
size_t text_width(const char *s, size_t n);

/* Append s made safe for a terminal: control characters and bytes that are not UTF-8 as \xNN;
   newline and tab too. Bidi overrides and other format characters count as control. */
void text_safe(struct buf *b, const char *s, size_t n);
/* The same into to[0..size), with a NUL; cut before what does not fit. Allocates nothing. */
void text_safe_fit(char *to, size_t size, const char *s, size_t n);
/* Bytes of s[0..n) without the part of a character that is cut off at its end. */
size_t text_whole_chars(const char *s, size_t n);

/* Append s, a line for people, with the passwords of URLs in it as xxxxx: of scheme://user:PASSWORD@host, and of
   user:PASSWORD@host where a word begins so. */
void text_mask_passwords(struct buf *b, const char *s);

/* Fit a symbol into `cells` cells: of Go type arguments are folded ("[...]"), then the package path goes, then the
   package, then the receiver; of C++ and
   Rust one namespace after the other; then the tail is cut with `…` (or `~` when ascii). Returns cells used. */
size_t text_fit_symbol(struct buf *b, const char *s, size_t n, size_t cells, bool ascii);
/* Where its last part begins: Sum of crypto/sha256.(*Digest).Sum. */
size_t text_symbol_tail(const char *s, size_t n);
/* Fit any text, cut at the right, or in the middle. */
size_t text_fit(struct buf *b, const char *s, size_t n, size_t cells, bool ascii);
size_t text_fit_middle(struct buf *b, const char *s, size_t n, size_t cells, bool ascii);

/* The same for a name beside a number that identifies its owner (G26 main.run): nothing is appended and 0 is returned where
   fewer than six cells would show a part of the last name only. */
size_t text_fit_name(struct buf *b, const char *s, size_t n, size_t cells, bool ascii);

/* Fit a line of words, some of them Go symbols. Before the line is cut, package paths are removed, from left to right,
   then the packages of methods; the symbol that the cut falls into keeps only its last part. */
size_t text_fit_line(struct buf *b, const char *s, size_t n, size_t cells, bool ascii);

/* The bytes of the first line of s when it is broken at blanks into lines of at most `most` bytes (more than 0); a longer
   word is broken. What follows begins after the blanks. */
size_t text_line(const char *s, size_t most);

/* Durations for people: 0, 999ns, 12.3us, 1.23ms, 12.3s, 2m03s, 17h05m; from 1000h on without minutes. */
void text_ns(struct buf *b, int64_t ns);
/* A moment in seconds, with the decimals that a step of so many ns needs: 1.2731s. */
void text_at(struct buf *b, int64_t ns, int64_t step);
/* Bytes: 512B, 1.5kB, 12MB (1024 based, as pprof). */
void text_bytes(struct buf *b, int64_t n);
/* What a word gets after a number: 1 hit, 2 hits. */
static inline const char *text_s(uint64_t n) { return n == 1 ? "" : "s"; }
static inline const char *text_es(uint64_t n) { return n == 1 ? "" : "es"; }
/* 1,234,567 */
void text_count(struct buf *b, int64_t n);
/* A value with the unit of a sample type: nanoseconds, bytes, count, or anything. */
void text_value(struct buf *b, int64_t v, const char *unit);
/* The same in seven cells at most, and a sign: of counts three digits, 1.23M, and no unit but one of time or bytes;
   from 100,000 hours on days. */
void text_short(struct buf *b, int64_t v, const char *unit);
/* Parse "1.2s", "350ms", "10us", "7ns", "2m", "1h2m" into ns. false when it is none. */
bool text_parse_ns(const char *s, int64_t *ns);

#endif
