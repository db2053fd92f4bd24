/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_PPROF_LEGACY_H
#define TTRACE_LOAD_PPROF_LEGACY_H

#include "base/intern.h"
#include "base/mem/mem.h"
#include "load/load.h"
#include "load/text/scan.h"

/*
 * Between the readers of profiles from before profile.proto: what such a file
 * says, gathered until its end, because the memory map that gives meaning to
 * its addresses comes last.
 */
struct leg_loc {
	uint64_t addr;
	uint32_t id;		/* from 1 in the order of first use; 0 unused */
	uint32_t map;		/* index + 1 */
	uint32_t line, nline;	/* its lines, innermost first; none when the file has no name for it */
};
struct leg_map { uint64_t start, limit, offset; const char *file, *build; size_t nfile, nbuild; };
struct leg_fun { const char *name, *file; size_t nname, nfile; };
struct leg_line { uint32_t fun; int64_t line; };
struct leg_sample { size_t frame; uint32_t n; int64_t value[4]; int64_t bytes; bool has_bytes; };

struct legacy {
	struct leg_loc *loc;
	uint32_t *order;		/* used locations in the order of their ids */
	struct leg_map *map;
	struct leg_fun *fun;
	struct leg_line *line;		/* of all locations */
	struct leg_sample *sample;
	uint32_t *frame;		/* locations, leaf first */
	size_t nloc, cloc, norder, nmap, cmap, nfun, cfun, nline, cline, nsample, csample, nframe, cframe;
	struct intern locs, funs;	/* by address, by name */
	struct arena arena;
	const char *type[4], *unit[4];
	size_t ntype;
	const char *period_type, *period_unit, *drop, *keep;
	int64_t period, duration;

	/* legacy_names.c: the comment lines being read */
	size_t next;			/* the first frame of the last sample that no comment names yet */
	struct leg_run { uint32_t loc, line, n; } run;	/* n frames of one address, and its lines so far; n 0: none */
	bool commented;			/* a comment named a location */
};

/* The location of an address, added when it is new. */
uint32_t leg_loc(struct legacy *, uint64_t addr);
void leg_frame(struct legacy *, uint32_t loc);		/* one more of the last sample */
struct leg_sample *leg_sample(struct legacy *);
void leg_drop_double_leaf(struct legacy *);

/* The function of that name, added when it is new; the texts must live as long as the file. */
uint32_t leg_fun(struct legacy *, struct words name, struct words file);
void leg_line(struct legacy *, uint32_t fun, int64_t line);	/* append one to g->line */

/* legacy_names.c: read a comment line that follows a sample; then, after the last one of a sample, give its
   locations the names. */
void leg_comment(struct legacy *, const struct lines *);
void leg_name_run(struct legacy *);

/* legacy_maps.c: read the memory map from the lines that are left (skip: from its heading on), give every
   location its mapping and its number. */
bool leg_map_heading(const struct lines *);
void leg_memory_map(struct legacy *, struct lines *, bool skip);

/* What a parser says. */
enum leg_verdict { LEG_OK, LEG_OTHER, LEG_BAD };	/* not of this kind; of this kind and damaged */
enum leg_verdict leg_cpu(struct legacy *, struct bytes);
enum leg_verdict leg_java(struct legacy *, struct bytes);
enum leg_verdict leg_heap(struct legacy *, struct lines), leg_count(struct legacy *, struct lines);
enum leg_verdict leg_threads(struct legacy *, struct lines), leg_contention(struct legacy *, struct lines);
enum leg_verdict leg_jemalloc(struct legacy *, struct lines);
bool leg_is_jemalloc(struct lines);
void leg_heap_types(struct legacy *, bool alloc);	/* objects and space; alloc: those ever allocated, and in use */
void leg_unsample(int64_t *count, int64_t *size, int64_t rate);

#endif
