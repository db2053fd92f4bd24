/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_MEASURES_SITE_TABLE_H
#define TTRACE_FINDINGS_MEASURES_SITE_TABLE_H

#include "base/u64_map.h"
#include "operations/operations.h"

/*
 * Sites: the lines of the program at which goroutines wait, wake others, or make system calls. Stacks whose first user
 * frame (trace/user_code.h) is on one line, in states of one class, are one site. Idle waits have sites of their own.
 */
struct wait_site {
	enum time_class cls;
	enum tstate state;
	stk_id stack;	/* one of its stacks; 0: stacks were not recorded */
	frm_id frame;	/* its line; 0: unknown */
	bool idle;	/* goroutines that wait there have no work (operations_is_idle()) */
};
/* Sites that were looked up before, by state and stack; site: index + 1, 0: the slot is empty. */
enum { SITE_CACHE = 1 << 13 };
struct site_cache_slot { stk_id stack; uint32_t site : 24, state : 8; };
struct site_table {
	const struct store *st;
	const struct operations *ops;
	struct site_cache_slot *cache;
	struct u64_hash of_state;	/* index by state and stack */
	struct u64_hash of_line;	/* index by function, line, class and idle */
	struct wait_site *v;
	uint32_t n;
	size_t cap;
};
void site_table_init(struct site_table *, const struct snap *, const struct operations *);
void site_table_free(struct site_table *);
/* Return the index of the site of a goroutine that entered this state with this stack. */
uint32_t site_table_add(struct site_table *, enum tstate, stk_id);
static inline uint32_t site_table_of(struct site_table *t, enum tstate s, stk_id stack)
{
	const struct site_cache_slot *slot = &t->cache[(stack * 37u + (unsigned)s) % SITE_CACHE];
	return slot->site && slot->stack == stack && slot->state == (unsigned)s ? slot->site - 1u : site_table_add(t,
	    s, stack);
}

#endif
