/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_EXTREMES_H
#define TTRACE_STORE_TRACKS_EXTREMES_H

#include "store/store.h"

/* The gist of a sheet: what of its goroutines may stand out in the trace. It stays when the sheet goes. */
struct gist {
	/* No goroutine was runnable for longer, up to the end of the sheet, nor waited longer in package sync; the
	   runtime's own left aside. Within a sheet that is exact. Of a span that began in an earlier sheet it is the
	   time since that sheet began. */
	int64_t ready, sync;
	uint32_t nran, nlate;
	/* how long they ran, by start function; those of which it was not known yet */
	struct gist_ran { str_id name; int64_t ns; } *ran;
	struct gist_late { trk_id trk; int64_t ns; } *late;
};
void gist_free(const struct gist *);	/* NULL: none */

/* Gathers them, sheet by sheet; one thread. */
struct gister;
struct gister *gister_new(const struct store *);
void gister_free(struct gister *);
/* A goroutine ran that long in the current sheet. true: it is known to be a goroutine of the runtime. */
bool gister_ran(struct gister *, trk_id, int64_t ns);
/* Rows of tracks that were looked at are let go of, where they lie on disk: now and then, there may be very many. */
void gister_rest(const struct gister *);
/* The number of the current sheet, and the start of an earlier one. */
uint32_t gister_sheet(const struct gister *);
int64_t gister_sheet_t0(const struct gister *, uint32_t sheet);
/* That is the sheet, with its longest times. NULL: too many functions to keep; then the sheet itself is to be asked. */
const struct gist *gister_take(struct gister *, int64_t ready, int64_t sync);

#endif
