/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What stacks have in common. Functions are compared, not lines: a loop that waits in one line and wakes others in the
 * next one is one function.
 */
#include "config.h"
#include "operations/internal.h"

uint32_t stacks_depth(const struct store *st, stk_id s)
{
	uint32_t n = 0;
	for (; s; s = stk_parent(st, s))
		n++;
	return n;
}

stk_id stacks_ancestor(const struct store *st, stk_id s, uint32_t up)
{
	for (; up; up--)
		s = stk_parent(st, s);
	return s;
}

uint32_t stacks_common(const struct store *st, stk_id a, stk_id b)
{
	uint32_t da = stacks_depth(st, a), db = stacks_depth(st, b), n = da < db ? da : db, same = n;
	a = stacks_ancestor(st, a, da - n);
	b = stacks_ancestor(st, b, db - n);
	for (uint32_t depth = n; a != b; depth--) {
		if (store_frm(st, stk_frame(st, a))->fun != store_frm(st, stk_frame(st, b))->fun)
			same = depth - 1;
		a = stk_parent(st, a);
		b = stk_parent(st, b);
	}
	return same;
}
