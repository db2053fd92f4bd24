/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The paging file: see paging_file.h. One large range of addresses is a shared mapping of the file, and address and
 * offset in the file correspond for ever. Blocks are allocated one after the other and never share a page. A freed
 * block returns its room on the disk, but its addresses are not used again: there are 2^40 of them. So every page of the
 * range may be released at any time, by any thread, with one system call and without a lock. The system keeps released
 * pages in its cache or writes them to the disk, and they are found again by address.
 *
 * The pager is a thread that looks at the resident memory of the program every few milliseconds, sooner the less room is
 * left, and releases everything when 3/4 of the limit are used. What is in use returns at half a microsecond a page.
 * Releasing only what is old would need a count of accesses for each page.
 *
 * Not taken: loops that report what they have read, so that it can be released. That made 300 calls in all kinds of code,
 * which had no effect on nearly all files, and a forgotten one was noticed on none of them.
 */
#include "config.h"
#include "base/mem/paging_file.h"

#include "base/job.h"
#include "base/mem/mapped_file.h"
#include "base/mem/mem.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* ROOM: bits of the size of the range: as many as the system allows. SPARE: the part of the free disk that stays free. */
enum { ROOM_MOST = 40, ROOM_LEAST = 30, SPARE = 16 };

static struct {
	char *_Atomic at;		/* the range; NULL: none */
	size_t room;			/* its size, set before at */
	_Atomic size_t end;		/* bytes of all blocks that were ever allocated */
	_Atomic size_t held;		/* bytes of all blocks, without those that were freed */
	size_t spare;			/* bytes of the disk that are left to other programs */
	bool created;			/* or it was tried */
	int fd;				/* -1: there is none */
	struct job *pager;
} file;

/* Map the file at a range of addresses that is much larger than the file will be. */
static void map_range(void)
{
	for (int bits = ROOM_MOST; bits >= ROOM_LEAST && !file.at; bits -= 2) {
		size_t n = (size_t)1 << bits;
		void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.fd, 0);
		if (p != MAP_FAILED) {
			file.room = n;
			file.at = p;
		}
	}
}

/* Return a new file without a name in that folder, or -1. */
static int unnamed_file(const char *dir)
{
	char path[1024];
#ifdef O_TMPFILE
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
#endif
	if ((size_t)snprintf(path, sizeof path, "%s/ttrace.XXXXXX", dir) >= sizeof path)
		return -1;
	int named = mkostemp(path, O_CLOEXEC);
	if (named >= 0)
		(void)unlink(path);
	return named;
}

bool paging_forbidden(void)
{
	return getenv("TTRACESECURE") != NULL;
}

void paging_create(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char dir[1000];
	int n = -1;
	if (file.created || !mem_limit())
		return;
	file.created = true;
	file.fd = -1;
	if (paging_forbidden())
		return;
	if (cache && *cache == '/')
		n = snprintf(dir, sizeof dir, "%s", cache);
	else if (home && *home == '/')
		n = snprintf(dir, sizeof dir, "%s/.cache", home);
	file.fd = unnamed_file(n > 0 && (size_t)n < sizeof dir && !access(dir, W_OK) ? dir : "/var/tmp");
}

bool paging_active(void)
{
	return file.at;
}

size_t paging_held(void)
{
	return atomic_load(&file.held);
}

static size_t free_disk(void)
{
	struct statvfs fs;
	return fstatvfs(file.fd, &fs) ? 0 : (size_t)fs.f_bavail * fs.f_frsize;
}

/* Reserve the room on the disk first, because a page that finds the disk full when it is written raises a signal. */
void *paging_alloc(size_t n)
{
	if (!file.at || n > file.room || n + file.spare > free_disk())
		return NULL;
	size_t size = mem_round_to_pages(n), at = atomic_fetch_add(&file.end, size);
	if (at > file.room - size) {
		atomic_fetch_sub(&file.end, size);
		return NULL;
	}
#ifdef HAVE_POSIX_FALLOCATE
	if (posix_fallocate(file.fd, (off_t)at, (off_t)size))
		return NULL;
#endif
	atomic_fetch_add(&file.held, size);
	return file.at + at;
}

bool paging_owns(const void *p)
{
	return file.at && (uintptr_t)p - (uintptr_t)file.at < file.room;
}

bool paging_free(void *p, size_t n)
{
	if (!paging_owns(p))
		return false;
	atomic_fetch_sub(&file.held, mem_round_to_pages(n));
#ifdef MADV_REMOVE
	if (n)
		(void)madvise(p, mem_round_to_pages(n), MADV_REMOVE);
#else
	(void)n;	/* the file keeps the room until it is closed */
#endif
	return true;
}

void paging_release(void)
{
	size_t end = atomic_load(&file.end);
	if (file.at && end)
		(void)madvise(file.at, end, MADV_DONTNEED);
	mapped_release_pages();
}

/* Return after how many nanoseconds to look again, if that many bytes may be added until then: the time in which random
   reads add them, sixteen pages each. `before` is the last pause if nothing was added in it, else 0: an idle program is
   looked at less often. */
static long pause_ns(size_t bytes, long before)
{
	enum { BYTES_PER_NS = 128, LEAST = 200000, MOST = 10000000 };
	size_t ns = before ? 2 * (size_t)before : bytes / BYTES_PER_NS;
	return ns < LEAST ? LEAST : ns > MOST ? MOST : (long)ns;
}

/* Return the resident bytes up to which nothing is released: less than the limit by a quarter, or by 64 MB, because a
   busy system may run the pager late. */
static size_t pager_threshold(size_t limit)
{
	enum { AHEAD = 64 << 20 };
	size_t spare = limit / 4 > AHEAD ? limit / 4 : AHEAD;
	return spare < limit / 2 ? limit - spare : limit / 2;
}

/* What is resident after a release cannot be released. If that alone is above the threshold, some blocks are left in
   peace: a release every millisecond would not help. */
static int pager_run(struct job *j, void *arg)
{
	enum { LEFT = 32 << 20 };
	(void)arg;
	size_t threshold = pager_threshold(mem_limit()), least = 0, was = 0;
	struct timespec t = {0};
	while (!job_cancelled(j)) {
		size_t all = mem_resident(), most = threshold > least + LEFT ? threshold : least + LEFT;
		if (all > most) {
			paging_release();
			all = least = mem_resident();
			most = threshold > least + LEFT ? threshold : least + LEFT;
		}
		t.tv_nsec = pause_ns(most - all, all == was ? t.tv_nsec : 0);
		was = all;
		nanosleep(&t, NULL);
	}
	return 0;
}

void paging_start(void)
{
	if (file.pager || !mem_limit())
		return;
	paging_create();
	if (file.fd >= 0) {
		file.spare = free_disk() / SPARE;
		map_range();
	}
	file.pager = job_start(pager_run, NULL);
}
