/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Mapped files. Reading a page that the file no longer has raises SIGBUS in the reading thread, at a place where no
 * error can be returned. So the handler maps zeros over the rest of the mapping, marks the file, and lets the read
 * continue. Readers treat zeros as damage, which they have to handle anyway. At the end, the code that opened the file
 * calls mapped_was_truncated() and reports what happened.
 *
 * The table of mappings is global, because signals are, and is read without a lock: a slot is in use while its address
 * is set, which is written last and cleared first. No mapping is removed while another thread reads it, so the slot
 * that the handler finds stays valid.
 *
 * Not taken: reading instead of mapping (twice the memory, for an event that is very rare), and siglongjmp() out of the
 * handler (it would abandon threads, locks and memory in any state).
 */
#include "config.h"
#include "base/mem/mapped_file.h"

#include <sched.h>
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
	_Atomic bool busy;		/* a mapping is being released or removed */
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
	signal(sig, SIG_DFL);	/* not in a mapped file: the signal is raised again and ends the program */
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

const void *mapped_new(int fd, size_t n)
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
		void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
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

/* Exclude mapped_release_pages() and mapped_free() from each other: at the addresses of a removed mapping there may be
   memory of another kind. Both are short and rare. */
static void begin_change(void)
{
	while (atomic_exchange(&maps.busy, true))
		sched_yield();
}

void mapped_release_pages(void)
{
	begin_change();
	for (int i = 0; i < SLOTS; i++) {
		uintptr_t p = atomic_load(&maps.slot[i].p);
		if (p)
			(void)madvise((void *)p, atomic_load(&maps.slot[i].n), MADV_DONTNEED);
	}
	atomic_store(&maps.busy, false);
}

void mapped_free(const void *p, size_t n)
{
	struct mapped_slot *s = slot_of(p);
	if (!s)
		return;
	begin_change();
	atomic_store(&s->p, 0);
	munmap((void *)(uintptr_t)p, n);
	atomic_store(&maps.busy, false);
	atomic_store(&s->n, 0);
}
