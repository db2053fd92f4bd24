/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Mapped files. A page that its file has no more raises SIGBUS in whoever reads
 * it, at a place where nothing can be returned. So the handler puts zeros there:
 * it maps them over all that follows, notes the file, and the read goes on. Zeros
 * are damage to every reader, who has to cope with damage anyway; and those who
 * opened the file ask mapped_was_truncated() at the end, and say what happened.
 *
 * The table of mappings is global, as signals are, and read without a lock: a
 * slot is taken by its address, which is written last and taken away first.
 * Nobody unmaps what another still reads, so what the handler finds stays there.
 *
 * Not taken: to read instead of to map (twice the memory, for something that
 * happens once a year), and siglongjmp out of the handler (it would leave
 * threads, locks and memory behind wherever they were).
 */
#include "config.h"
#include "base/mem/mapped_file.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 64 };

static struct {
	struct mapped_slot { _Atomic uintptr_t p; _Atomic size_t n; _Atomic bool cut; } slot[SLOTS];
	uintptr_t page;
	_Atomic bool watched;
	struct sigaction before;
} maps;

bool mapped_repair_fault(void *address)
{
	uintptr_t a = (uintptr_t)address;
	for (int i = 0; i < SLOTS; i++) {
		uintptr_t p = atomic_load(&maps.slot[i].p), end = p + atomic_load(&maps.slot[i].n);
		if (!p || a < p || a >= end)
			continue;
		uintptr_t from = a & ~(maps.page - 1);
		void *q = mmap((void *)from, end - from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		atomic_store(&maps.slot[i].cut, true);
		return q != MAP_FAILED;
	}
	return false;
}

static void on_fault(int sig, siginfo_t *si, void *context)
{
	if (mapped_repair_fault(si->si_addr))
		return;
	if (maps.before.sa_flags & SA_SIGINFO) {
		maps.before.sa_sigaction(sig, si, context);
		return;
	}
	signal(sig, SIG_DFL);	/* none of ours: it comes again, and ends us */
}

/* Handle SIGBUS; pass other addresses to the handler that was installed before. */
static void mapped_watch(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, old;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, &old);
	if (!atomic_exchange(&maps.watched, true))
		maps.before = old;
}

const void *mapped_new(int fd, uint64_t from, size_t n)
{
	if (!n)
		return NULL;
	if (!atomic_load(&maps.watched)) {
		maps.page = (uintptr_t)sysconf(_SC_PAGESIZE);
		mapped_watch();
	}
	for (int i = 0; i < SLOTS; i++) {
		struct mapped_slot *s = &maps.slot[i];
		size_t none = 0;
		if (!atomic_compare_exchange_strong(&s->n, &none, n))
			continue;
		void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, (off_t)from);
		if (p == MAP_FAILED) {
			atomic_store(&s->n, 0);
			return NULL;
		}
		atomic_store(&s->cut, false);
		atomic_store(&s->p, (uintptr_t)p);
		return p;
	}
	return NULL;
}

static struct mapped_slot *slot_of(const void *p)
{
	for (int i = 0; p && i < SLOTS; i++)
		if (atomic_load(&maps.slot[i].p) == (uintptr_t)p)
			return &maps.slot[i];
	return NULL;
}

bool mapped_was_truncated(const void *p)
{
	struct mapped_slot *s = slot_of(p);
	return s && atomic_load(&s->cut);
}

void mapped_free(const void *p, size_t n)
{
	struct mapped_slot *s = slot_of(p);
	if (!s)
		return;
	atomic_store(&s->p, 0);
	munmap((void *)(uintptr_t)p, n);
	atomic_store(&s->n, 0);
}
