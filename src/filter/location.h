/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_LOCATION_H
#define TTRACE_FILTER_LOCATION_H

#include "base/mem/mem.h"
#include "filter/compile.h"

/*
 * Filters on names, location by location: the lines of a location (inlined calls) get match flags. Reports and the
 * viewer have names in different tables, so a table is read by functions.
 */

/* Match flags of a line, for stacks that contain it. */
enum {
	FM_LOC_FOCUS = 1,	/* its location matches focus (or there is no focus) */
	FM_LOC_IGNORE = 2,	/* its location matches ignore */
	FM_HIDDEN = 4,	/* it is never visible: hidden, or cut off its location */
	FM_SHOW_FROM = 8,	/* show_from: stacks are visible from here on */
	FM_PRUNE = 16,	/* prune_from: stacks end at the innermost of these */
	/* its own names or its mapping match focus (or there is no focus). A stack that matches focus has such a
	   line; only in the viewer */
	FM_OWN_FOCUS = 32,
	FM_OWN_IGNORE = 64	/* its own names or its mapping match ignore; only in the viewer */
};

struct name_table {
	const void *of;
	struct tag_text (*text)(const void *of, uint32_t str);
	void (*function)(const void *of, uint32_t fun, uint32_t *name, uint32_t *file);
	uint32_t nstr, nfun;
};

struct location_match {
	const struct compiled_filters *fc;
	struct name_table names;
	struct arena arena;
	/* cached results by string and by function: 0 unknown, 1 no match, 2 match; NULL: no such filter */
	uint8_t *by_name[FILTER_NAMES], *by_fun[FILTER_NAMES];
	bool matched[FILTER_NAMES];	/* some location matched; of show: or has lines and there is no show */
};
void location_match_begin(struct location_match *, const struct compiled_filters *, const struct name_table *);
void location_match_end(struct location_match *);

/* A location: the functions of its n lines (0: none), innermost first, and their flags. map: NULL, or the string of its
   mapping's file. bare: it has no lines; the one here stands for its address. */
struct location_lines { const uint32_t *fun; uint8_t *flags; uint32_t n; const uint32_t *map; bool bare; };
/* Apply the filters in pprof's order: each sees only the lines that the earlier ones have left. Sets flags, which are 0
   before. Return the flags of the location; FM_HIDDEN: hide and show leave no line. */
uint8_t location_match(struct location_match *, const struct location_lines *);
/* Return whether the names of a line, or the mapping, match the filter i, which must be set. */
bool location_line_matches(struct location_match *, int i, const struct location_lines *, uint32_t line);
bool location_map_matches(struct location_match *, int i, const struct location_lines *);
/* Return the length of a C++ name without its arguments; *s is advanced past a leading dot. */
size_t location_simple_name(const char **s, size_t n);

#endif
