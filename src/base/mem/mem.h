/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_MEM_H
#define TTRACE_BASE_MEM_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory has three lifetimes: the program, a store (arena and columns, freed by one store_free()), and scratch (an
 * arena that is reset for each frame or report). Only mem.c calls malloc() and free(). If memory is out, requests of
 * sizes that the program chose end it (xmalloc), and requests of sizes that depend on a file fail (mem_try_alloc).
 */
/* Set up the allocator; call once, before the rest. */
void mem_start(void);
/* Return unused memory of the allocator to the system, after large parts were freed. */
void mem_trim(void);
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
/* Return a copy, NULL if n is 0. */
void *mem_copy(const void *p, size_t n);
void mem_free(void *p);

/* Release the pages of [from, upto) of a large block from xmalloc() or mem_grow(). That part must not be read again. */
void mem_discard(const void *p, size_t from, size_t upto);

/* Return a large zeroed block on its own pages, on huge pages if the system has them: touching memory for the first
   time is most of the cost of filling it. */
void *mem_pages(size_t n);
/* Free the block, or some whole pages of it. */
void mem_pages_free(void *p, size_t n);
/* Round n up to whole pages. */
size_t mem_round_to_pages(size_t n);
/* Make [from, upto) of such a block resident, if the system can. */
void mem_prefault(void *p, size_t from, size_t upto);
/* Enlarge a block from `had` to n bytes and return its new address; p NULL: allocate it. */
void *mem_pages_grow(void *p, size_t had, size_t n);

/* Return a zeroed block of any size for bulk data: in the paging file (paging_file.h) if there is one, else from
   mem_pages() or the heap. What is alive at once and accessed at random is not bulk: it would only be paged in again. */
void *mem_bulk(size_t n);
/* Free such a block of n bytes. */
void mem_bulk_free(void *p, size_t n);

/* Return NULL if memory is out or n exceeds the budget. */
void *mem_try_alloc(size_t n);
/* The same for p grown to n bytes; if NULL is returned, p is unchanged. */
void *mem_try_realloc(void *p, size_t n);

/* Set the number of bytes that one mem_try_alloc() may request; 0 (the default): no limit. It is also the limit of
   mem_limit(). */
void mem_set_budget(size_t bytes);

/* Return the resident bytes of the program, mapped files included, and the bytes that the machine has available. 0:
   unknown. */
size_t mem_resident(void);
size_t mem_available(void);

/* Return the number of bytes that the whole program should not exceed, set by mem_set_budget(); 0: no limit. */
size_t mem_limit(void);

/* Return whether the program has more memory than mem_limit() and half as much again, mapped files not counted. The
   limit itself is also one of single requests, so a program that works has some more. */
bool mem_limit_exceeded(void);
/* Return the bytes that the program has in memory, mapped files not counted, and in the paging file. 0: unknown. */
size_t mem_held(void);

/* Grow p[0..*cap) so that it has room for need elements of the given size; cap doubles. */
void *mem_grow(void *p, size_t *cap, size_t need, size_t size);

/*
 * A bump allocator: many small allocations that are freed together. Zero-initialise it. Blocks never move, so pointers
 * are valid until arena_reset() or arena_free().
 */
struct arena_block;
struct arena {
	struct arena_block *head;
	size_t used;	/* bytes allocated since the last reset */
	size_t held;	/* bytes of all blocks */
};

void *arena_alloc(struct arena *a, size_t n);	/* aligned to 16, not zeroed */
void *arena_zalloc(struct arena *a, size_t n);
void *arena_try_alloc(struct arena *a, size_t n);	/* as mem_try_alloc(): may return NULL */
char *arena_strndup(struct arena *a, const char *s, size_t n);	/* NUL-terminated */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Free p, which xmalloc() or mem_grow() has returned, with the allocations of the arena. */
void arena_adopt(struct arena *a, void *p);
/* Free all allocations, but keep the newest block. */
void arena_reset(struct arena *a);
void arena_free(struct arena *a);
/* Move all allocations of one arena to another, without changing their addresses. `from` is empty afterwards. */
void arena_move(struct arena *from, struct arena *into);

#endif
