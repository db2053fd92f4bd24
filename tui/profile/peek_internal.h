/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_PEEK_INTERNAL_H
#define TTRACE_PROFILE_PEEK_INTERNAL_H

#include "app/pane.h"
#include "profile/common.h"
#include "profile/flame_internal.h"
#include "widget/list.h"

/* What Peek shows, for peek_pane.c, which makes it, and peek_draw.c. */
enum { BACK_MAX = 64, PEEK_TALL = 40 };
enum row_kind { R_CALLER, R_CALLERS, R_CENTRE, R_CALLEES, R_CALLEE };

struct peek_line {
	enum row_kind kind;
	int level;
	uint32_t symbol, n;	/* n: of a rule, how many there are */
	int64_t value, other;
	bool inl;
};

struct peek_state {
	struct profile_tree t;
	struct flame_state fv;	/* for the right side: looked from the centre */
	struct flame_work *work;	/* NULL, or it is laid out beside the keyboard */
	struct rows rows;
	struct peek_line *line;
	size_t cap;
	uint32_t centre;
	uint64_t id, on;	/* of the centre; of the row selected */
	uint64_t back[BACK_MAX];
	int nback;
	bool due;		/* another centre is about to come: of this one there is nothing yet */
	bool more;		/* of a difference: only what has become more */
	int levels;		/* 0: by the height of the screen */
	uint32_t *match;	/* things to go through with { and }, heaviest first */
	uint32_t nmatch;
	char *re;		/* NULL: all of them */
	struct hits hit;	/* by row */
};

static inline int peek_levels(const struct peek_state *p, const struct pane_env *env)
{
	return p->levels ? p->levels : env->rows >= PEEK_TALL ? 3 : 1;
}

uint32_t peek_match_at(const struct peek_state *);	/* where the centre is in match[], UINT32_MAX: not there */
void peek_draw(const void *st, const struct pane_env *, struct grid *);
void peek_side(const void *st, const struct pane_env *, struct grid *);
void peek_summary(const void *st, const struct pane_env *, struct buf *);
void peek_detail(const void *st, const struct pane_env *, struct buf *);

#endif
