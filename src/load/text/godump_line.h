/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_TEXT_GODUMP_LINE_H
#define TTRACE_LOAD_TEXT_GODUMP_LINE_H

#include "load/text/scan.h"

/*
 * Parses the lines of a goroutine dump: the head above a stack, and the lines of the stack. All
 * parts point into the text.
 */
struct godump_head {	/* goroutine 7 gp=0xc000 m=nil [chan receive, 5 minutes, locked to thread] {k: v}: */
	uint64_t id, thread, bubble;
	struct scan_text state, labels;	/* labels: the text between the braces */
	int64_t minutes;
	bool on_thread, in_bubble, locked, leaked;
};
/* Returns false if the line is no head. */
bool godump_head(struct scan_text line, struct godump_head *);
/* Take the next of the labels. *key and *value are as written, perhaps in quotes. */
bool godump_label(struct scan_text *labels, struct scan_text *key, struct scan_text *value);

struct godump_site {	/* 	/src/main.go:12 +0x1d fp=0x1 sp=0x2 pc=0x3 */
	struct scan_text file;
	int64_t line;
	uint64_t pc;		/* 0: the line has none */
};
/* Returns false if the line is no place of a frame. */
bool godump_site(struct scan_text line, struct godump_site *);
/* Return the name in "main.(*T).f(0x1, ...)". *inlined: its arguments are "(...)". */
struct scan_text godump_name(struct scan_text line, bool *inlined);

#endif
