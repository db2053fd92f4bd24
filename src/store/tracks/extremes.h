/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_EXTREMES_H
#define TTRACE_STORE_TRACKS_EXTREMES_H

#include "store/store.h"

/* The extremes of a sheet: the goroutines of it that may stand out in the trace. They stay when the sheet is
   evicted. */
struct sheet_extremes {
	/* ns: no goroutine was runnable for longer at any time up to the end of the sheet, or waited longer in package
	   sync, goroutines of the runtime excluded. Exact for spans within the sheet. A span that started in an earlier
	   sheet counts from the start of that sheet. */
	int64_t ready, sync;
	uint32_t nran, nlate;
	/* running times by start function; and of goroutines whose function was not yet known */
	struct extremes_ran { str_id name; int64_t ns; } *ran;
	struct extremes_late { trk_id trk; int64_t ns; } *late;
};
void extremes_free(const struct sheet_extremes *);	/* NULL is allowed */

/* Gathers extremes, sheet by sheet. For one thread. */
struct extremes_gatherer;
struct extremes_gatherer *extremes_gatherer_new(const struct store *);
void extremes_gatherer_free(struct extremes_gatherer *);
/* Record that a goroutine ran for ns in the current sheet. Return true when it is known to be a goroutine of the
   runtime. */
bool extremes_add_run(struct extremes_gatherer *, trk_id, int64_t ns);
/* Return the number of the current sheet, and the start time of an earlier one. */
uint32_t extremes_sheet_number(const struct extremes_gatherer *);
int64_t extremes_sheet_t0(const struct extremes_gatherer *, uint32_t sheet);
/* End the current sheet, with its longest times, and return its extremes, for the caller to free. Return NULL when
   there are too many functions to keep; then the sheet itself has to be walked. */
const struct sheet_extremes *extremes_take_sheet(struct extremes_gatherer *, int64_t ready, int64_t sync);

#endif
