/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_PROFILE_SITES_H
#define TTRACE_FINDINGS_PROFILE_SITES_H

#include "base/mem/mem.h"
#include "findings/findings.h"

/*
 * The samples of a profile summed up by site: the line of the first user frame (trace/user_code.h), and what the
 * runtime does in the stack.
 */
enum sites_by {
	SITES_BY_LINE,		/* by line only */
	SITES_BY_FUNCTION,	/* by function only */
	SITES_BY_WORK,		/* by line and enum runtime_work */
	SITES_BY_WAIT		/* by line and enum runtime_wait */
};
struct profile_site {
	int64_t line;		/* 0 with SITES_BY_FUNCTION */
	int64_t a, b;		/* weight of both sides; sums beyond 64 bits wrap */
	int64_t widest;		/* the weight of path */
	stk_id path;		/* the node of the user frame below which most of a is; 0 if fun is 0 */
	fun_id fun;		/* 0: stacks without user code */
	uint8_t kind;		/* enum runtime_work or runtime_wait; else 0 */
};
struct profile_sites {
	struct profile_site *v;	/* heaviest a first */
	uint32_t n;
	int64_t a, b;		/* all samples */
	enum sites_by by;
	bool leaked;		/* only the goroutines that the runtime has found to be leaked: those with the tag "leaked" */
};
enum { PROFILE_NO_TYPE = -1 };
/* Return the sample type with this name; PROFILE_NO_TYPE: there is none. */
int profile_sites_type(const struct snap *, const char *name);
/* Sum up the samples of a type; v is in the arena. */
void profile_sites_make(struct profile_sites *, const struct snap *, const struct findings_sides *, int type,
    enum sites_by, struct arena *);
/* Likewise of the goroutines with the tag "leaked" of a dump of all stacks. */
void profile_sites_make_leaked(struct profile_sites *, const struct snap *, const struct findings_sides *, int type,
    struct arena *);
/* Return the sum of a over all sites of a kind. */
int64_t profile_sites_of_kind(const struct profile_sites *, uint8_t kind);
/* Return the heaviest site with user code, of this kind if kind is not 0; NULL: none with a weight above 0. */
const struct profile_site *profile_sites_heaviest(const struct profile_sites *, uint8_t kind);
/* Append the functions of user code from the root to the site, without repetitions of neighbours: "main.main >
   main.run". Names are not escaped. */
void profile_site_put_path(struct buf *, const struct store *, const struct profile_site *);

#endif
