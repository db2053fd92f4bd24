/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_MEM_H
#define TTRACE_BASE_MEM_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory has three lifetimes: the program, a store (arena and columns, one
 * store_free), and scratch (an arena reset per redraw or report). The only
 * calls of malloc() and free() are in mem.c. Sizes of our own making die when
 * memory is out (xmalloc); sizes that a file asks for are refused (mem_try_alloc).
 */
void mem_start(void);	/* once, before the rest */
void mem_trim(void);	/* much was freed: give back to the system what lies between what is used */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
void *mem_copy(const void *p, size_t n);	/* NULL: of nothing */
void mem_free(void *p);

/* Of a large block from xmalloc() or mem_grow(), what lies in [from, upto) is never looked at again: its pages go. */
void mem_discard(const void *p, size_t from, size_t upto);

/* Large blocks, zeroed, on pages of their own, large pages where the system has them: the cost of meeting
   memory for the first time is the greater part of filling it. */
void *mem_pages(size_t n);
void mem_pages_free(void *p, size_t n);	/* or some whole pages of it */
size_t mem_round_to_pages(size_t n);	/* n and what is missing to whole pages */
/* Of such pages, or those of mem_pages_grow(): what lies in [from, upto) is there from now on, where the system can. */
void mem_prefault(void *p, size_t from, size_t upto);
/* Pages p, NULL: none, made more: what is there is moved, not copied, where the system can. Not large ones, for much of
   it may never be touched. */
void *mem_pages_grow(void *p, size_t had, size_t n);

/* Once for the program: a file without a name in that folder, for what is written once and seldom looked at. */
void mem_open_spill_file(const char *dir);
/* A block in it, zeroed, whose pages the system may write and take; mem_spill_free() it. NULL: there is no such file,
   or no room on the disk. */
void *mem_spill_alloc(size_t n);
bool mem_has_spill_file(void);	/* there is such a file */
/* Its pages are not looked at for now; they come back when they are. */
void mem_spill_release_pages(void *p, size_t n);
void mem_spill_advise_random(void *p, size_t n); /* from now on it is looked at here and there: a page is one page */
void mem_spill_free(void *p, size_t n);	/* and its room on the disk */

/* NULL when memory is out or n is over the budget. */
void *mem_try_alloc(size_t n);
/* The same for p grown to n; when NULL, p is as it was. */
void *mem_try_realloc(void *p, size_t n);

/* Bytes that one mem_try_alloc() may ask for; 0 (the default) sets no limit. */
void mem_set_budget(size_t bytes);

/* Bytes that the program holds, files that it looks at included; that the machine could still give. 0: unknown. */
size_t mem_resident(void);
size_t mem_available(void);

/* Bytes that the whole program should keep to (mem_set_budget() sets it too), 0: none. */
size_t mem_limit(void);
bool mem_limit_is_small(void);	/* it is less than 256 MB */
bool mem_near_limit(void);	/* the program holds nearly as much, files included: looking costs 20 microseconds */

/* p[0..*cap) grown so that it has room for need elements of the given size; cap doubles. */
void *mem_grow(void *p, size_t *cap, size_t need, size_t size);

/*
 * A bump allocator: many small things that die together. Zero-initialise it.
 * Blocks never move, so pointers stay good until arena_reset or arena_free.
 */
struct arena_block;
struct arena {
	struct arena_block *head;
	size_t used;	/* bytes handed out since the last reset */
	size_t held;	/* bytes held from the system */
	bool spills;	/* large blocks go to disk, where there is any: set it before the first is asked for */
};

void *arena_alloc(struct arena *a, size_t n);	/* aligned to 16, not zeroed */
void *arena_zalloc(struct arena *a, size_t n);
void *arena_try_alloc(struct arena *a, size_t n);	/* like mem_try_alloc: may return NULL */
char *arena_strndup(struct arena *a, const char *s, size_t n);	/* NUL-terminated */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_release_pages(const struct arena *a); /* what is spilled is not looked at for now; the owner's thread */
/* With each look at what lies here and there in it, counted: the same now and then, where it is large for the memory
   there is. */
void arena_note_access(const struct arena *a, uint32_t look);
void arena_reset(struct arena *a);	/* forget everything, keep the newest block */
void arena_free(struct arena *a);
/* All that lies in one of them lies in the other from now on, where it is; the first is empty then. */
void arena_move(struct arena *from, struct arena *into);

#endif
