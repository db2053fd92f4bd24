/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_SYMBOLS_H
#define TTRACE_STORE_SYMBOLS_H

#include "base/intern.h"
#include "store/store.h"

/*
 * The writer of all named things: strings, mappings, functions, locations with their frames. Rows that a profile
 * numbers itself (id != 0) are kept as they are, one each, in the order of the file. Rows without a number (id 0:
 * traces) are interned, so that equal content is one row.
 */
struct symbol_tables {
	struct store *st;
	struct intern str, fun, loc;
	uint32_t nstr, nfun, nloc;	/* number of rows that the hash tables have; lookups add the rest */
};

void symbols_init(struct symbol_tables *, struct store *);	/* also adds row 0 of each table */
void symbols_drop_indexes(struct symbol_tables *);	/* free the hash tables */

/* Return the row with this content, added if there is none. */
str_id symbols_add_string(struct symbol_tables *, const char *s, size_t n);
map_id symbols_add_mapping(struct symbol_tables *, const struct sink_map *);
fun_id symbols_add_function(struct symbol_tables *, const struct sink_fun *);
loc_id symbols_add_location(struct symbol_tables *, const struct sink_loc *);

#endif
