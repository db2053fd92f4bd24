/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_TEXT_PERF_LINE_H
#define TTRACE_LOAD_TEXT_PERF_LINE_H

#include "load/text/scan.h"

/* Parses the lines of the output of `perf script`. All parts point into the text. */
struct perf_head {	/* comm 12/13 [002] 1234.567890:     250000 cycles:u:  */
	struct scan_text comm, event, rest;
	uint64_t pid, tid, cpu, period;
	int64_t time;		/* ns */
	bool has_pid, has_cpu, has_time, has_period;
};
/* Returns false if the line is no head. */
bool perf_head(struct scan_text line, struct perf_head *);

struct perf_frame {	/* 	  55d0a8b3c1f0 main.foo+0x20 (/path/orders) */
	uint64_t addr;
	struct scan_text sym, dso;	/* sym empty: unknown */
	bool inlined;
	struct scan_text file;	/* from a separate line below it, if the output has these */
	int64_t line;
};
/* Returns false if the line is no frame. */
bool perf_frame(struct scan_text line, struct perf_frame *);

#endif
