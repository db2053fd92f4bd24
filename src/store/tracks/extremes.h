/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_EXTREMES_H
#define TTRACE_STORE_TRACKS_EXTREMES_H

#include "store/store.h"

/* The gist of a sheet: what of its goroutines may stand out in the trace. It stays when the sheet goes. */
struct sheet_extremes {
	/* No goroutine was runnable for longer, up to the end of the sheet, nor waited longer in package sync; the
	   runtime's own left aside. Within a sheet that is exact. Of a span that began in an earlier sheet it is the
	   time since that sheet began. */
	int64_t ready, sync;
	uint32_t nran, nlate;
	/* how long they ran, by start function; those of which it was not known yet */
	struct extremes_ran { str_id name; int64_t ns; } *ran;
	struct extremes_late { trk_id trk; int64_t ns; } *late;
};
void extremes_free(const struct sheet_extremes *);	/* NULL: none */

/* Gathers them, sheet by sheet; one thread. */
struct extremes_gatherer;
struct extremes_gatherer *extremes_gatherer_new(const struct store *);
void extremes_gatherer_free(struct extremes_gatherer *);
/* A goroutine ran that long in the current sheet. true: it is known to be a goroutine of the runtime. */
bool extremes_add_run(struct extremes_gatherer *, trk_id, int64_t ns);
/* Rows of tracks that were looked at are let go of, where they lie on disk: now and then, there may be very many. */
void extremes_release_pages(const struct extremes_gatherer *);
/* The number of the current sheet, and the start of an earlier one. */
uint32_t extremes_sheet_number(const struct extremes_gatherer *);
int64_t extremes_sheet_t0(const struct extremes_gatherer *, uint32_t sheet);
/* That is the sheet, with its longest times. NULL: too many functions to keep; then the sheet itself is to be asked. */
const struct sheet_extremes *extremes_take_sheet(struct extremes_gatherer *, int64_t ready, int64_t sync);

#endif
