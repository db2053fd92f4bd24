/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_SYMBOLS_H
#define TTRACE_STORE_SYMBOLS_H

#include "base/intern.h"
#include "store/store.h"

/*
 * The writer's half of everything that has a name: strings, mappings,
 * functions, locations with their frames. What a profile numbers itself
 * (id != 0) is kept as it came, one row each, in the order of the file; what
 * has no number (id 0: traces) is interned, so that equal content is one row.
 */
struct names {
	struct store *st;
	struct intern str, fun, loc;
	bool stale;		/* rows came from elsewhere: they are not in the indexes yet */
	uint32_t nfun, nloc;	/* rows that the indexes have: they are caught up when somebody looks */
};

void names_init(struct names *, struct store *);	/* row 0 of each table too */
void names_done(struct names *);	/* no more will come for now: indexes go but that of strings */
void names_free(struct names *);

void names_thawed(struct names *);	/* the tables came from an index: hash tables are made when one more comes */

/* Their rows, added when there is none yet that says the same. */
str_id names_str(struct names *, const char *s, size_t n);
map_id names_map(struct names *, const struct sink_map *);
fun_id names_fun(struct names *, const struct sink_fun *);
loc_id names_loc(struct names *, const struct sink_loc *);

#endif
