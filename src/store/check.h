/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CHECK_H
#define TTRACE_STORE_CHECK_H

#include "store/store.h"

/* Check the store's invariants. Return -1 and the violation. Tests run it after every load. */
struct err;
int store_check(const struct snap *, struct err *);
int store_check_tables(const struct snap *, struct err *);	/* the part of profiles */

/* The trace part (check_tracks.c): all of it; its columns; one sheet, provided that the columns are right. */
int check_tracks_all(const struct snap *, struct err *);
int check_tracks_tables(const struct snap *, struct err *);
int check_tracks_sheet(const struct snap *, const struct sheet *, struct err *);

#endif
