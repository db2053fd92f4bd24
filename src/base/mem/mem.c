/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The interface to the allocator, and arenas.
 *
 * An arena is a list of blocks, newest first. An allocation advances a mark in the newest block, or adds a block if it
 * does not fit. Blocks double up to a limit, so small arenas have few blocks and large ones waste little. For blocks on
 * disk the limit is a part of the arena's size, because all blocks are visited by every release of pages. A request
 * larger than a block gets a block of its own. Single allocations are neither freed nor resized: growing data is a
 * column (column.h) or a plain array (mem_grow).
 */
#include "config.h"
#include "base/mem/mem.h"

#include "base/ending.h"
#include "base/mem/paging_file.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* BULK: bytes from which on bulk data and blocks of arenas are in the paging file */
enum { BULK = 1 << 12, BULK_BLOCK = 1 << 18, BLOCK_MIN = 1 << 12, BLOCK_MAX = 1 << 20, ALIGN = 16, LARGE = 1 << 22,
    MAPPED = 1 << 18, TIGHT_MAPPED = 1 << 17, PAGE = 1 << 12 };

/* The header of a block. The bytes follow it, aligned. */
struct arena_block {
	struct arena_block *next;
	size_t used, size;
	void *adopted;	/* NULL, or an allocation that is freed with the block */
};

#define BLOCK_HEAD ((sizeof(struct arena_block) + ALIGN - 1) / ALIGN * ALIGN)

static size_t budget;

/* Put large blocks on huge pages if the system has them, so that there are fewer first touches. Not used for growing
   arrays: it would also populate their unused half. */
static void *on_pages(void *p, size_t n)
{
#ifdef MADV_HUGEPAGE
	if (p && n >= LARGE) {
		uintptr_t at = ((uintptr_t)p + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
		(void)madvise((void *)at, ((uintptr_t)p + n - at) & ~(size_t)(PAGE - 1), MADV_HUGEPAGE);
	}
#else
	(void)n;
#endif
	return p;
}

void mem_start(void)
{
#ifdef M_MMAP_THRESHOLD
	/* A fixed threshold: freed large blocks are returned to the system, however often such sizes were requested. Arrays
	   that double, of a small profile, take a tenth of its memory where they leave holes in the heap. */
	(void)mallopt(M_MMAP_THRESHOLD, MAPPED);
	(void)mallopt(M_TRIM_THRESHOLD, MAPPED);
#endif
}

void mem_trim(void)
{
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
}

void *xmalloc(size_t n)
{
	void *p = on_pages(malloc(n ? n : 1), n);
	if (!p)
		ending_no_memory(n);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);
	on_pages(p, n * size);
	if (!p)
		ending_no_memory(n * size);
	return p;
}

void *xrealloc(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (!p)
		ending_no_memory(n);
	return p;
}

void *mem_copy(const void *p, size_t n)
{
	return n ? memcpy(xmalloc(n), p, n) : NULL;
}

char *xstrdup(const char *s)
{
	size_t n = strlen(s) + 1;
	return memcpy(xmalloc(n), s, n);
}

void mem_free(void *p)
{
	free(p);
}

void mem_discard(const void *p, size_t from, size_t upto)
{
	/* the allocator's header is before the first byte; the pages inside belong to the caller */
	uintptr_t a = ((uintptr_t)p + from + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
		  z = ((uintptr_t)p + upto) & ~(uintptr_t)(PAGE - 1);
	if (p && from < upto && a < z)
		(void)madvise((void *)a, z - a, MADV_DONTNEED);
}

void *mem_pages(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		ending_no_memory(n);
#ifdef MADV_HUGEPAGE
	madvise(p, n, MADV_HUGEPAGE);
#endif
	return p;
}

void mem_prefault(void *p, size_t from, size_t upto)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t page = ~(uintptr_t)(PAGE - 1), a = ((uintptr_t)p + from) & page, z = ((uintptr_t)p + upto) & page;
	if (a < z)
		(void)madvise((void *)a, z - a, MADV_POPULATE_WRITE);
#else
	(void)p, (void)from, (void)upto;
#endif
}

size_t mem_round_to_pages(size_t n)
{
	long page = sysconf(_SC_PAGESIZE);
	size_t whole = page < PAGE ? PAGE : (size_t)page;
	return (n + whole - 1) / whole * whole;
}

void mem_pages_free(void *p, size_t n)
{
	if (p && n)
		munmap(p, n);
}

void *mem_bulk(size_t n)
{
	void *p = n >= BULK ? paging_alloc(n) : NULL;
	return p ? p : n >= LARGE ? mem_pages(n) : xcalloc(1, n);
}

void mem_bulk_free(void *p, size_t n)
{
	if (paging_free(p, n))
		return;
	if (n >= LARGE)
		mem_pages_free(p, n);
	else
		free(p);
}

void *mem_pages_grow(void *p, size_t had, size_t n)
{
	if (!p)
		return mem_pages(n);
#ifdef MREMAP_MAYMOVE
	void *q = mremap(p, had, n, MREMAP_MAYMOVE);
	if (q == MAP_FAILED)
		ending_no_memory(n);
#ifdef MADV_HUGEPAGE
	(void)madvise(q, n, MADV_HUGEPAGE);
#endif
#else
	void *q = mem_pages(n);
	memcpy(q, p, had);
	mem_pages_free(p, had);
#endif
	return q;
}

/* With a small limit, freed memory is returned to the system at once: there is no room to keep it for later
   requests. */
void mem_set_budget(size_t bytes)
{
	enum { SMALL = 256 << 20 };
	budget = bytes;
#ifdef M_MMAP_THRESHOLD
	if (bytes && bytes < SMALL) {
		(void)mallopt(M_MMAP_THRESHOLD, TIGHT_MAPPED);
		(void)mallopt(M_TRIM_THRESHOLD, TIGHT_MAPPED);
		(void)mallopt(M_ARENA_MAX, 1);
	}
#endif
}

size_t mem_limit(void)
{
	return budget;
}

void *mem_try_alloc(size_t n)
{
	if ((budget && n > budget) || n > PTRDIFF_MAX)
		return NULL;
	return malloc(n ? n : 1);
}

void *mem_try_realloc(void *p, size_t n)
{
	if ((budget && n > budget) || n > PTRDIFF_MAX)
		return NULL;
	return realloc(p, n ? n : 1);
}

/* Return the bytes of a row "NAME 123 kB" in a file of /proc. */
static size_t proc_kb(const char *path, const char *name)
{
	char line[128];
	unsigned long long kb = 0;
	size_t n = strlen(name);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, name, n) && sscanf(line + n, " %llu", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return (size_t)kb * 1024;
}

/* Set the resident pages, and how many of them are of mapped files. Return false if that is unknown. */
static bool count_pages(size_t *all, size_t *mapped)
{
	char text[64];
	unsigned long long resident, shared;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = 0;
	if (sscanf(text, "%*u %llu %llu", &resident, &shared) != 2)
		return false;
	*all = (size_t)resident;
	*mapped = (size_t)shared;
	return true;
}

size_t mem_resident(void)
{
	size_t all, mapped;
	return count_pages(&all, &mapped) ? all * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Return the resident bytes that are neither of mapped files nor in the paging file. */
static size_t own_bytes(void)
{
	size_t all, mapped;
	return count_pages(&all, &mapped) && all > mapped ? (all - mapped) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

bool mem_limit_exceeded(void)
{
	return budget && own_bytes() > budget + budget / 2;
}

size_t mem_held(void)
{
	return own_bytes() + paging_held();
}

size_t mem_available(void)
{
	return proc_kb("/proc/meminfo", "MemAvailable:");
}

void *mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	if (need <= *cap)
		return p;
	size_t n = *cap ? *cap : 16;
	while (n < need)
		n *= 2;
	if (n > SIZE_MAX / size)
		ending_no_memory(SIZE_MAX);
	*cap = n;
	return xrealloc(p, n * size);
}

enum { RESET_KEEPS = 4 << 20 };

static char *block_bytes(struct arena_block *b)
{
	return (char *)b + BLOCK_HEAD;
}

static struct arena_block *block_add(struct arena *a, size_t n, bool bounded)
{
	size_t size = a->head ? a->head->size * 2 : BLOCK_MIN;
	if (size > BLOCK_MAX)
		size = BLOCK_MAX;
	if (size < n)
		size = n;
	size_t bytes = BLOCK_HEAD + size;
	struct arena_block *b = size >= BULK_BLOCK ? paging_alloc(bytes) : NULL;
	if (!b)
		b = bounded ? mem_try_alloc(bytes) : malloc(bytes);
	if (!b)
		return NULL;
	*b = (struct arena_block){.next = a->head, .size = size};
	a->head = b;
	a->held += size;
	return b;
}

static void *block_alloc(struct arena *a, size_t n, size_t align, bool bounded)
{
	if (n > PTRDIFF_MAX)
		return NULL;
	struct arena_block *b = a->head;
	size_t at = b ? (b->used + align - 1) / align * align : 0;
	if (!b || at > b->size || b->size - at < n) {
		if (!(b = block_add(a, n, bounded)))
			return NULL;
		at = 0;
	}
	a->used += at - b->used + n;
	b->used = at + n;
	return block_bytes(b) + at;
}

void *arena_try_alloc(struct arena *a, size_t n)
{
	return block_alloc(a, n, ALIGN, true);
}

static void *alloc_aligned(struct arena *a, size_t n, size_t align)
{
	void *p = block_alloc(a, n, align, false);
	if (!p)
		ending_no_memory(n);
	return p;
}

void *arena_alloc(struct arena *a, size_t n)
{
	return alloc_aligned(a, n, ALIGN);
}

void *arena_zalloc(struct arena *a, size_t n)
{
	return memset(arena_alloc(a, n), 0, n);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = alloc_aligned(a, n + 1, 1);
	if (n)
		memcpy(p, s, n);
	p[n] = 0;
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *p = alloc_aligned(a, (size_t)(n < 0 ? 0 : n) + 1, 1);
	vsnprintf(p, (size_t)(n < 0 ? 0 : n) + 1, fmt, again);
	va_end(again);
	return p;
}

static void blocks_free(struct arena_block *b)
{
	while (b) {
		struct arena_block *next = b->next;
		mem_free(b->adopted);
		if (!paging_free(b, BLOCK_HEAD + b->size))
			free(b);
		b = next;
	}
}

void arena_reset(struct arena *a)
{
	size_t used = a->used;
	if (!a->head)
		return;
	if (a->head->next && used <= RESET_KEEPS) {	/* the next round fits into one block, so that no new pages are
							   cleared */
		blocks_free(a->head);
		*a = (struct arena){0};
		block_add(a, used + used / 4, false);
		return;
	}
	blocks_free(a->head->next);
	a->head->next = NULL;
	mem_free(a->head->adopted);
	a->head->adopted = NULL;
	a->head->used = 0;
	a->held = a->head->size;
	a->used = 0;
}

void arena_free(struct arena *a)
{
	blocks_free(a->head);
	*a = (struct arena){0};
}

void arena_adopt(struct arena *a, void *p)
{
	struct arena_block *b = xcalloc(1, sizeof *b);
	b->adopted = p;
	b->next = a->head ? a->head->next : NULL;
	*(a->head ? &a->head->next : &a->head) = b;	/* behind the first block, which may have room left */
}

void arena_move(struct arena *from, struct arena *into)
{
	struct arena_block **end = into->head ? &into->head->next : &into->head, *rest = *end;
	*end = from->head;	/* behind the first block, which may have room left */
	while (*end)
		end = &(*end)->next;
	*end = rest;
	into->used += from->used;
	into->held += from->held;
	*from = (struct arena){0};
}
