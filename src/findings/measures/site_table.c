/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sites by stack. A trace has few stacks and many events, so a stack is looked at once; then it is found in a map, and
 * nearly always in a small cache before it.
 */
#include "config.h"
#include "findings/measures/site_table.h"

#include "base/mem/mem.h"
#include "trace/user_code.h"

void site_table_init(struct site_table *t, const struct snap *sn, const struct operations *ops)
{
	*t = (struct site_table){.st = sn->st, .ops = ops};
	t->cache = xcalloc(SITE_CACHE, sizeof *t->cache);
}

void site_table_free(struct site_table *t)
{
	mem_free(t->cache);
	mem_free(t->v);
	u64_map_free(&t->of_state);
	u64_map_free(&t->of_line);
	*t = (struct site_table){0};
}

static uint32_t site_of_line(struct site_table *t, enum tstate s, stk_id stack)
{
	stk_id at = user_code_site(t->st, stack);
	frm_id frame = at ? stk_frame(t->st, at) : 0;
	const struct frm_row *row = store_frm(t->st, frame);
	enum time_class cls = time_class_of(t->st, s, stack);
	bool fresh, idle = operations_is_idle(t->ops, stack);
	/* Lines beyond 2^24 of one function may be counted as one site. */
	struct u64_slot *slot = u64_map_put(&t->of_line,
	    (uint64_t)row->fun << 32 | (uint64_t)((uint32_t)row->line << 8) | (uint64_t)cls << 1 | idle, &fresh);
	if (fresh) {
		slot->n = t->n;
		t->v = mem_grow(t->v, &t->cap, t->n + 1u, sizeof *t->v);
		t->v[t->n++] = (struct wait_site){cls, s, stack, frame, idle};
	}
	return (uint32_t)slot->n;
}

uint32_t site_table_add(struct site_table *t, enum tstate s, stk_id stack)
{
	bool fresh;
	struct u64_slot *slot = u64_map_put(&t->of_state, (uint64_t)s << 32 | stack, &fresh);
	if (fresh)
		slot->n = site_of_line(t, s, stack);
	t->cache[(stack * 37u + (unsigned)s) % SITE_CACHE] =
	    (struct site_cache_slot){stack, ((uint32_t)slot->n + 1u) & 0xffffffu, (unsigned)s & 0xffu};
	return (uint32_t)slot->n;
}
