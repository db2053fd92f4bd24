/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_PPROF_LEGACY_H
#define TTRACE_LOAD_PPROF_LEGACY_H

#include "base/intern.h"
#include "base/mem/mem.h"
#include "base/u64_map.h"
#include "load/load.h"
#include "load/text/scan.h"
#include "sink_profile.h"

/*
 * Shared by the readers of profiles from before profile.proto: the contents of such a file,
 * collected until its end, because the memory map that gives meaning to its addresses comes last.
 */
struct legacy_loc {
	uint64_t addr;
	uint32_t id;		/* from 1 in the order of first use; 0: unused */
	uint32_t map;		/* index + 1 */
	uint32_t line, nline;	/* its lines, innermost first; nline 0: the file has no name for it */
};
struct legacy_map { uint64_t start, limit, offset; const char *file, *build; size_t nfile, nbuild; };
struct legacy_fun { const char *name, *file; size_t nname, nfile; };
struct legacy_line { uint32_t fun; int64_t line; };
struct legacy_sample { size_t frame; uint32_t n; int64_t value[4]; int64_t bytes; bool has_bytes; };

struct legacy {
	struct legacy_loc *loc;
	uint32_t *order;		/* used locations in the order of their ids */
	struct legacy_map *map;
	struct legacy_fun *fun;
	struct legacy_line *line;		/* of all locations */
	struct legacy_sample *sample;
	uint32_t *frame;		/* indexes of locations, leaf first */
	size_t nloc, cloc, norder, nmap, cmap, nfun, cfun, nline, cline, nsample, csample, nframe, cframe;
	struct intern locs, funs;	/* by address, by name */
	struct arena arena;
	const char *type[4], *unit[4];
	size_t ntype;
	const char *period_type, *period_unit, *drop, *keep;
	int64_t period, duration;

	/* legacy_names.c: the comment lines being read */
	size_t next;			/* the first frame of the last sample that is not named by a comment yet */
	struct legacy_run {
		uint32_t loc, line, n;
	} run;				/* n frames of one address, and its lines so far; n 0: none */
	bool commented;			/* a comment named a location */
	bool out_of_memory;		/* the file was not read to its end */
	bool inlined_limited;		/* an address has more inlined calls than are read */
	bool attrs_limited;		/* attributes of the memory map are too many or too long to be all replaced */
};

/* Return the location of an address, which is added if it is new. */
uint32_t legacy_loc(struct legacy *, uint64_t addr);
void legacy_add_frame(struct legacy *, uint32_t loc);		/* append a frame to the last sample */
/* Append a sample and return it. The pointer is valid until the next call. */
struct legacy_sample *legacy_sample(struct legacy *);
/* Drop the leaves of samples that were written twice, the second time with an address less by one. */
void legacy_drop_double_leaf(struct legacy *);

/* Return the function of that name, which is added if it is new. The texts must stay valid as long as *g. */
uint32_t legacy_fun(struct legacy *, struct scan_text name, struct scan_text file);
void legacy_line(struct legacy *, uint32_t fun, int64_t line);	/* append one to line[] */

/* legacy_names.c: read a comment line that follows a sample; after the last one of a sample, set the names of its
   locations. */
void legacy_read_comment(struct legacy *, const struct scan_lines *);
void legacy_apply_comments(struct legacy *);

/* legacy_symbols.c: the names of a profile that has them before its data. legacy_take_symbols() returns the data, without
   the flags of the input; names are texts of the input. */
struct legacy_symbols { struct u64_hash of; struct scan_text *name; size_t n, cap; bool cut; };
bool legacy_has_symbols(struct bytes);
struct bytes legacy_take_symbols(struct legacy_symbols *, struct bytes, const struct sink *);
void legacy_apply_symbols(struct legacy *, const struct legacy_symbols *);	/* name the locations that have no name */
void legacy_symbols_free(struct legacy_symbols *);
bool legacy_is_plain(struct bytes);	/* checks the heading of a profile without names before its data */

/* legacy_maps.c: read the memory map from the remaining lines (skip: from its heading on), and set the mapping and
   the id of every location. */
bool legacy_is_map_heading(const struct scan_lines *);
void legacy_read_memory_map(struct legacy *, struct scan_lines *, bool skip);

/* Result of a parser. OTHER: the file is not of this kind; BAD: it is of this kind and damaged. */
enum legacy_result { LEGACY_OK, LEGACY_OTHER, LEGACY_BAD };
/* Parsers of the kinds of files, called by legacy_read(). The sink: see scan_bounded(). */
enum legacy_result legacy_read_cpu(struct legacy *, struct bytes, const struct sink *);
enum legacy_result legacy_read_java(struct legacy *, struct bytes, const struct sink *);
enum legacy_result legacy_read_heap(struct legacy *, struct scan_lines),
    legacy_read_count(struct legacy *, struct scan_lines);
enum legacy_result legacy_read_threads(struct legacy *, struct scan_lines),
    legacy_read_contention(struct legacy *, struct scan_lines);
enum legacy_result legacy_read_jemalloc(struct legacy *, struct scan_lines);
bool legacy_is_jemalloc(struct scan_lines);
/* Set the sample types: objects and space in use; alloc: also those ever allocated. */
void legacy_set_heap_types(struct legacy *, bool alloc);
/* Scale count and size of sampled allocations; one in `rate` bytes is sampled. */
void legacy_unsample(int64_t *count, int64_t *size, int64_t rate);

#endif
