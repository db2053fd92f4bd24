/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_PEEK_INTERNAL_H
#define TTRACE_PROFILE_PEEK_INTERNAL_H

#include "app/pane.h"
#include "base/async.h"
#include "profile/common.h"
#include "profile/flame_internal.h"
#include "widget/list.h"

/* What peek_pane.c and peek_draw.c share. */
enum { BACK_MAX = 64, PEEK_TALL = 40 };
enum row_kind { R_CALLER, R_CALLERS, R_CENTRE, R_CALLEES, R_CALLEE };

struct peek_line {
	enum row_kind kind;
	int level;
	uint32_t symbol, n;	/* n: for a rule, the number of callers or callees */
	int64_t value, other;
	bool inl;
};

struct peek_state {
	struct profile_tree t;
	struct flame_state fv;	/* for the side part: the centre is the pivot */
	struct async work;		/* its next layout */
	struct profile_exemplar exemplar;
	struct rows rows;
	struct peek_line *line;
	size_t cap;
	uint32_t centre;
	uint64_t id, on;	/* ids of the centre and of the selected symbol */
	uint64_t back[BACK_MAX];
	int nback;
	bool due;		/* another centre follows: the rows are not made yet */
	bool more;		/* for a difference: only show what has increased */
	int levels;		/* 0: depends on the height of the screen */
	uint32_t *match;	/* symbols that { and } visit, heaviest first */
	uint32_t nmatch;
	char *re;		/* NULL: all of them */
	struct list_hits hit;	/* by row */
};

static inline int peek_levels(const struct peek_state *p, const struct pane_env *env)
{
	return p->levels ? p->levels : env->rows >= PEEK_TALL ? 3 : 1;
}

uint32_t peek_match_at(const struct peek_state *);	/* index of the centre in match[], UINT32_MAX: none */
void peek_draw(const void *st, const struct pane_env *, struct grid *);
void peek_side(const void *st, const struct pane_env *, struct grid *);
void peek_summary(const void *st, const struct pane_env *, struct buf *);
void peek_detail(const void *st, const struct pane_env *, struct buf *);

#endif
