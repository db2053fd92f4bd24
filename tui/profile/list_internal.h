/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_LIST_INTERNAL_H
#define TTRACE_PROFILE_LIST_INTERNAL_H

#include "base/async.h"
#include "profile/common.h"
#include "session/asm_source.h"
#include "symbols/source.h"
#include "widget/list.h"

/* What the files of the list pane share: list_pane.c and list_*.c. */
enum { LIST_BACK_MAX = 64 };
enum list_kind { LR_LINE, LR_FOLDED, LR_INLINED, LR_ASM };

struct list_row {
	enum list_kind kind;
	int64_t line, end;	/* LR_FOLDED: the lines line..end */
	uint32_t symbol;		/* 0: no samples on this line */
	int64_t flat, cum, oflat, ocum;	/* as in struct symbol_weight and symbol_other */
	uint32_t code;		/* LR_ASM: an index into list_state.code */
};
/* An instruction below a line of the function: frame `frame` of it is the function. */
struct list_code { int64_t line; uint32_t inst, frame; };
struct list_back { str_id name, file; int64_t line; };

struct list_state {
	struct profile_tree t;		/* by lines */
	const struct function_sum *fun;	/* of t */
	uint32_t nfun;
	const uint32_t *of;	/* the function of each symbol */
	uint32_t *order;	/* functions that { and } visit, heaviest first */
	uint32_t norder;
	char *re;		/* an expression that they match, or NULL */
	uint32_t cur;		/* UINT32_MAX: none */
	str_id id, id_file;	/* name and file of the displayed function, kept over changes of the query */
	const struct source *src;	/* NULL: no file is known */
	uint32_t nsources;		/* session_nsources() when src was found */
	int64_t line;		/* the selected line, kept while there are no rows */
	/* rows between the first visible and the selected row, kept while there are no rows; UINT32_MAX: none */
	uint32_t below;
	bool stale;		/* the file differs from the source of the program */
	struct rows rows;
	struct list_row *row;
	size_t rowcap;
	int64_t most;		/* the largest cumulative weight of a line */
	bool fold, inlined;
	bool assembly;		/* show the machine code */
	struct asm_listing asm_of;	/* of the displayed function; its key is in the next members */
	uint32_t asm_serial;
	str_id asm_id, asm_file;
	struct list_code *code;	/* by line, then by address */
	uint32_t ncode;
	char *asm_why;		/* NULL, or why there is no code */
	bool asm_waits;		/* the code waits for the weights of addresses */
	int left;		/* columns scrolled to the left */
	struct list_back back[LIST_BACK_MAX];
	int nback;
	struct list_hits hit;	/* by row */
};
static inline const struct str_row *list_function_name(const struct list_state *v, const struct function_sum *f)
{
	return store_str(v->t.c->st, v->t.c->symbol[f->first].name);
}
static inline const struct str_row *list_function_file(const struct list_state *v, const struct function_sum *f)
{
	return store_str(v->t.c->st, v->t.c->symbol[f->first].file);
}

/* Make functions from the lines, in order[] heaviest first; only those that match re. */
void list_pane_load_functions(struct list_state *);
/* Make the rows of the displayed function again. */
void list_pane_fill_rows(struct list_state *, const struct pane_env *);

/* Load the machine code of the displayed function, unless it is loaded. */
void list_pane_load_code(struct list_state *, const struct pane_env *);
void list_pane_drop_code(struct list_state *);
/* Return the first entry of code[] for a line; *n: how many there are. */
uint32_t list_pane_code_at(const struct list_state *, int64_t line, uint32_t *n);

/* Return the lines of text above the list if there is no source. */
int list_pane_notice_height(const struct list_state *, const struct pane_env *);
void list_pane_draw(const void *, const struct pane_env *, struct grid *);
/* Draw the side part: the line's callers and callees, and the functions. */
void list_pane_draw_side(const void *, const struct pane_env *, struct grid *);
void list_pane_summary(const void *, const struct pane_env *, struct buf *);
void list_pane_detail(const void *, const struct pane_env *, struct buf *);

#endif
