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

enum { SPILL_ALIGN = 1 << 16, SPILLS = 1 << 18, BLOCK_MIN = 4096, BLOCK_MAX = 1 << 20, MANY_BLOCKS = 16, ALIGN = 16,
    LARGE = 1 << 22, TIGHT_LARGE = 1 << 17,
    PAGE = 1 << 12 };

/* The header of a block. The bytes follow it, aligned. The bytes of a spilled block are stored elsewhere, so that
   walking the list does not touch them. */
struct arena_block {
	struct arena_block *next;
	size_t used, size;
	char *spilled;	/* NULL, or the bytes */
};

#define BLOCK_HEAD ((sizeof(struct arena_block) + ALIGN - 1) / ALIGN * ALIGN)

static size_t budget;
static struct { int fd; _Atomic size_t end; } spill;	/* fd <= 0: there is no spill file */

/* Put large blocks on huge pages if the system has them, so that there are fewer first touches. Not used for growing
   arrays: it would also populate their unused half. */
static void *on_pages(void *p, size_t n)
{
#ifdef MADV_HUGEPAGE
	if (p && n >= LARGE) {
		uintptr_t at = ((uintptr_t)p + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
		(void)madvise((void *)at, ((uintptr_t)p + n - at) & ~(size_t)(PAGE - 1), MADV_HUGEPAGE);
	}
#endif
	return p;
}

void mem_start(void)
{
#ifdef M_MMAP_THRESHOLD
	/* a fixed threshold: freed large blocks are returned to the system, however often such sizes were requested */
	(void)mallopt(M_MMAP_THRESHOLD, LARGE);
	(void)mallopt(M_TRIM_THRESHOLD, LARGE);
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

void *mem_pages_grow(void *p, size_t had, size_t n)
{
#ifdef MREMAP_MAYMOVE
	void *q = p ? mremap(p, had, n, MREMAP_MAYMOVE)
		    : mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (q == MAP_FAILED)
		ending_no_memory(n);
#ifdef MADV_HUGEPAGE
	if (!mem_limit_is_small())	/* because a huge page may extend beyond what is needed */
		(void)madvise(q, n, MADV_HUGEPAGE);
#endif
#else
	void *q = mem_pages(n);
	if (p)
		memcpy(q, p, had);
	mem_pages_free(p, had);
#endif
	return q;
}

void mem_open_spill_file(const char *dir)
{
#ifdef O_TMPFILE
	if (spill.fd <= 0)
		spill.fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#else
	(void)dir;
#endif
}

bool mem_has_spill_file(void)
{
	return spill.fd > 0;
}

/* Disk space is reserved first, because a page that finds the disk full when it is written would raise a signal. */
void *mem_spill_alloc(size_t n)
{
	if (spill.fd <= 0)
		return NULL;
	size_t size = (n + SPILL_ALIGN - 1) / SPILL_ALIGN * SPILL_ALIGN, at = atomic_fetch_add(&spill.end, size);
	if (posix_fallocate(spill.fd, (off_t)at, (off_t)size))
		return NULL;
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, spill.fd, (off_t)at);
	return p == MAP_FAILED ? NULL : p;
}

void mem_spill_release_pages(void *p, size_t n)
{
	(void)madvise(p, n, MADV_DONTNEED);	/* the file keeps the contents of shared pages */
}

void mem_spill_advise_random(void *p, size_t n)
{
#ifdef MADV_RANDOM
	(void)madvise(p, n, MADV_RANDOM);
#else
	(void)p, (void)n;
#endif
}

void mem_spill_free(void *p, size_t n)
{
	if (!p || !n)
		return;
#ifdef MADV_REMOVE
	(void)madvise(p, n, MADV_REMOVE);
#endif
	munmap(p, n);
}

/* With a small limit, freed memory is returned to the system at once: there is no room to keep it for later
   requests. */
void mem_set_budget(size_t bytes)
{
	budget = bytes;
#ifdef M_MMAP_THRESHOLD
	if (mem_limit_is_small()) {
		(void)mallopt(M_MMAP_THRESHOLD, TIGHT_LARGE);
		(void)mallopt(M_TRIM_THRESHOLD, TIGHT_LARGE);
		(void)mallopt(M_ARENA_MAX, 1);
	}
#endif
}

size_t mem_limit(void)
{
	return budget;
}

bool mem_limit_is_small(void)
{
	enum { TIGHT = 256 << 20 };
	return budget && budget < TIGHT;
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

size_t mem_resident(void)
{
	return proc_kb("/proc/self/status", "VmRSS:");
}

size_t mem_available(void)
{
	return proc_kb("/proc/meminfo", "MemAvailable:");
}

bool mem_near_limit(void)
{
	return budget && mem_resident() > budget - budget / 8;
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
	return b->spilled ? b->spilled : (char *)b + BLOCK_HEAD;
}

static struct arena_block *block_add(struct arena *a, size_t n, bool bounded)
{
	size_t size = a->head ? a->head->size * 2 : BLOCK_MIN;
	size_t most = a->spills && a->held / MANY_BLOCKS > BLOCK_MAX ? a->held / MANY_BLOCKS : BLOCK_MAX;
	if (size > most)
		size = most;
	if (size < n)
		size = n;
	char *spilled = a->spills && size >= SPILLS ? mem_spill_alloc(size) : NULL;
	size_t bytes = BLOCK_HEAD + (spilled ? 0 : size);
	struct arena_block *b = bounded ? mem_try_alloc(bytes) : malloc(bytes);
	if (!b) {
		mem_spill_free(spilled, size);
		return NULL;
	}
	*b = (struct arena_block){.next = a->head, .size = size, .spilled = spilled};
	a->head = b;
	a->held += size;
	return b;
}

static void *block_alloc(struct arena *a, size_t n, bool bounded)
{
	if (n > PTRDIFF_MAX)
		return NULL;
	n = (n + ALIGN - 1) / ALIGN * ALIGN;
	struct arena_block *b = a->head;
	if ((!b || b->size - b->used < n) && !(b = block_add(a, n, bounded)))
		return NULL;
	void *p = block_bytes(b) + b->used;
	b->used += n;
	a->used += n;
	return p;
}

void *arena_try_alloc(struct arena *a, size_t n)
{
	return block_alloc(a, n, true);
}

void *arena_alloc(struct arena *a, size_t n)
{
	void *p = block_alloc(a, n, false);
	if (!p)
		ending_no_memory(n);
	return p;
}

void *arena_zalloc(struct arena *a, size_t n)
{
	return memset(arena_alloc(a, n), 0, n);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);
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
	char *p = arena_alloc(a, (size_t)(n < 0 ? 0 : n) + 1);
	vsnprintf(p, (size_t)(n < 0 ? 0 : n) + 1, fmt, again);
	va_end(again);
	return p;
}

static void blocks_free(struct arena_block *b)
{
	while (b) {
		struct arena_block *next = b->next;
		mem_spill_free(b->spilled, b->size);
		free(b);
		b = next;
	}
}

void arena_release_pages(const struct arena *a)
{
	for (const struct arena_block *b = a->spills ? a->head : NULL; b; b = b->next)
		if (b->spilled)
			mem_spill_release_pages(b->spilled, b->size);
}

/* LOOKS: accesses between two releases; SHARE: part of the limit up to which an arena is not released */
enum { LOOKS = 1 << 12, SHARE = 8 };

void arena_note_access(const struct arena *a, uint32_t look)
{
	if (look % LOOKS == LOOKS - 1 && a->spills && a->held > budget / SHARE)
		arena_release_pages(a);
}

void arena_reset(struct arena *a)
{
	size_t used = a->used;
	if (!a->head)
		return;
	if (a->head->next && used <= RESET_KEEPS) {	/* the next round fits into one block, so that no new pages are
							   cleared */
		blocks_free(a->head);
		*a = (struct arena){.spills = a->spills};
		block_add(a, used + used / 4, false);
		return;
	}
	blocks_free(a->head->next);
	a->head->next = NULL;
	a->head->used = 0;
	a->held = a->head->size;
	a->used = 0;
}

void arena_free(struct arena *a)
{
	blocks_free(a->head);
	*a = (struct arena){.spills = a->spills};
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
	*from = (struct arena){.spills = from->spills};
}
