/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_LIST_INTERNAL_H
#define TTRACE_PROFILE_LIST_INTERNAL_H

#include "profile/common.h"
#include "session/asm_source.h"
#include "symbols/source.h"
#include "widget/list.h"

/* The inside of the list pane, for list_pane.c and list_*.c. */
enum { LIST_BACK_MAX = 64 };
enum list_kind { LR_LINE, LR_FOLDED, LR_INLINED, LR_ASM };

struct list_row {
	enum list_kind kind;
	int64_t line, end;	/* LR_FOLDED: lines line..end */
	uint32_t symbol;		/* 0: nothing was seen there */
	int64_t flat, cum, oflat, ocum;	/* as in struct symbol_weight and symbol_other */
	uint32_t code;		/* LR_ASM: an index of listview.code */
};
/* An instruction below a line of the function shown: its frame `frame` is the function. */
struct list_code { int64_t line; uint32_t inst, frame; };
struct list_back { str_id name, file; int64_t line; };

struct list_state {
	struct profile_tree t;		/* by lines */
	const struct function_sum *fun;	/* of t */
	uint32_t nfun;
	const uint32_t *of;	/* function of a thing */
	uint32_t *order;	/* functions that { and } go through, heaviest first */
	uint32_t norder;
	char *re;		/* that they match, or NULL */
	uint32_t cur;		/* UINT32_MAX: none */
	str_id id, id_file;	/* of the one shown, over changes of the query */
	const struct source *src;	/* NULL: no file is named */
	uint32_t nsources;		/* session_nsources() when it was found */
	int64_t line;		/* where it stood when nothing of it was left */
	uint32_t below;		/* how many rows were seen above the selected before there were none; UINT32_MAX */
	bool stale;		/* the file does not have what ran where it ran */
	struct rows rows;
	struct list_row *row;
	size_t rowcap;
	int64_t most;		/* the heaviest line's cumulative weight */
	bool fold, inlined;
	bool assembly;		/* A */
	struct asm_listing asm_of;	/* of the function shown, as of ... */
	uint32_t asm_serial;
	str_id asm_id, asm_file;
	struct list_code *code;	/* by line, then address */
	uint32_t ncode;
	char *asm_why;		/* NULL, or why there is none */
	struct addr_sums *addrs;	/* what is spent at addresses, as of ... */
	uint32_t addrs_serial;
	struct async_totals *work;	/* NULL, or that is counted */
	bool asm_waits;		/* for that */
	int left;		/* cells scrolled away */
	struct list_back back[LIST_BACK_MAX];
	int nback;
	struct hits hit;	/* by row */
};

/* Lines to functions, heaviest first in order[]; only those that match re. */
void list_pane_load_functions(struct list_state *);
/* The rows of the function shown, anew. */
void list_pane_fill_rows(struct list_state *, const struct pane_env *);

/* Get the machine code of the function shown, if it is another than what is there. */
void list_pane_load_code(struct list_state *, const struct pane_env *);
void list_pane_drop_code(struct list_state *);
void list_pane_take_addresses(struct list_state *);	/* what is spent at addresses is there, or waited for */
/* The first entry of code[] for a line; `n` of them. */
uint32_t list_pane_code_at(const struct list_state *, int64_t line, uint32_t *n);

/* Lines of text above the list when there is no source. */
int list_pane_notice_height(const struct list_state *, const struct pane_env *);
void list_pane_draw(const void *, const struct pane_env *, struct grid *);
/* Beside it: the line's callers and callees, and the functions. */
void list_pane_draw_side(const void *, const struct pane_env *, struct grid *);
void list_pane_summary(const void *, const struct pane_env *, struct buf *);
void list_pane_detail(const void *, const struct pane_env *, struct buf *);

#endif
