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
struct symbol_tables {
	struct store *st;
	struct intern str, fun, loc;
	bool stale;		/* rows came from elsewhere: they are not in the indexes yet */
	uint32_t nfun, nloc;	/* rows that the indexes have: they are caught up when somebody looks */
};

void symbols_init(struct symbol_tables *, struct store *);	/* row 0 of each table too */
void symbols_drop_indexes(struct symbol_tables *);	/* no more will come for now: indexes go but that of strings */
void symbols_free(struct symbol_tables *);

/* The tables came from an index: hash tables are made when one more comes. */
void symbols_mark_stale(struct symbol_tables *);

/* Their rows, added when there is none yet that says the same. */
str_id symbols_add_string(struct symbol_tables *, const char *s, size_t n);
map_id symbols_add_mapping(struct symbol_tables *, const struct sink_map *);
fun_id symbols_add_function(struct symbol_tables *, const struct sink_fun *);
loc_id symbols_add_location(struct symbol_tables *, const struct sink_loc *);

#endif
