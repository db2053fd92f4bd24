/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What stands out of a profile, in a few words.
 *
 * Each node of the call tree gets a kind of work and a package, from itself or from its parent (one forward loop, as
 * parents come first): the innermost of the runtime's well-known roots says what the work is, so that
 * marking inside an allocation is the collector's; the innermost frame that is not of the runtime says whose it is, so
 * that memmove is charged to who copies. Own weights are added up by both. So no sample is counted twice, and what
 * is told adds up to no more than the whole.
 */
#include "config.h"
#include "analysis/shares.h"

#include "analysis/calls.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum work { W_NONE, W_ALLOC, W_GC, W_SCHED, W_SYSCALL, W_LOCK, W__N };
static const char *const said[W__N] = {"", "allocation", "collector", "scheduler", "syscalls", "locks"};
static const struct { const char *begin; enum work work; } roots[] = {
    {"runtime.mallocgc", W_ALLOC}, {"runtime.newobject", W_ALLOC}, {"runtime.growslice", W_ALLOC}, {"runtime.makeslice", W_ALLOC},
    {"runtime.gcBgMarkWorker", W_GC}, {"runtime.gcAssistAlloc", W_GC}, {"runtime.bgsweep", W_GC}, {"runtime.bgscavenge", W_GC},
    {"runtime.gcStart", W_GC}, {"runtime.gcMarkDone", W_GC}, {"runtime.gcMarkTermination", W_GC}, {"runtime.deductSweepCredit", W_GC},
    {"runtime.wbBufFlush", W_GC}, {"runtime.gcWriteBarrier", W_GC},
    {"runtime.schedule", W_SCHED}, {"runtime.findRunnable", W_SCHED}, {"runtime.mcall", W_SCHED}, {"runtime.mstart", W_SCHED},
    {"runtime.wakep", W_SCHED}, {"runtime.ready", W_SCHED}, {"runtime.goschedImpl", W_SCHED}, {"runtime.sysmon", W_SCHED},
    {"syscall.", W_SYSCALL}, {"internal/runtime/syscall", W_SYSCALL}, {"runtime.cgocall", W_SYSCALL},
    {"runtime.lock2", W_LOCK}, {"runtime.unlock2", W_LOCK}, {"internal/sync.(*Mutex).lockSlow", W_LOCK}, {"sync.(*Mutex).lockSlow", W_LOCK}};

static enum work work_of(const char *name)
{
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
		if (!strncmp(name, roots[i].begin, strlen(roots[i].begin)))
			return roots[i].work;
	return W_NONE;
}

/* Below these one asks who called. */
static bool runtimes(const char *name, size_t pkg)
{
	static const char *const own[] = {"runtime", "internal/runtime", "internal/abi", "internal/bytealg", "internal/cpu", "sync",
	    "internal/sync", "internal/poll", "syscall"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		size_t n = strlen(own[i]);
		if (pkg >= n && !memcmp(name, own[i], n) && (pkg == n || name[n] == '/' || name[n] == '.'))
			return true;
	}
	return false;
}

struct sum { const char *s; size_t n; int64_t weight; };

/* The packages met so far are few: they are looked for one by one, the last that was found first. */
static uint32_t package(struct sum **v, size_t *n, size_t *cap, const char *s, size_t len)
{
	for (size_t i = 0; i < *n; i++)
		if ((*v)[i].n == len && !memcmp((*v)[i].s, s, len))
			return (uint32_t)i;
	*v = mem_grow(*v, cap, *n + 1, sizeof **v);
	(*v)[*n] = (struct sum){s, len, 0};
	return (uint32_t)(*n)++;
}

static void insert(struct share *to, size_t *n, const char *s, size_t len, int64_t weight)
{
	size_t i = *n < SHARES_MAX ? *n : SHARES_MAX;
	while (i > 0 && to[i - 1].weight < weight)
		i--;
	if (i == SHARES_MAX)
		return;
	*n += *n < SHARES_MAX;
	memmove(to + i + 1, to + i, (*n - 1 - i) * sizeof *to);
	snprintf(to[i].name, sizeof to[i].name, "%.*s", (int)(len < SHARE_NAME ? len : SHARE_NAME - 1), s);
	to[i].weight = weight;
}

/* The last part of a path. */
static void tail(const char **s, size_t *n)
{
	size_t k = *n;
	while (k > 0 && (*s)[k - 1] != '/')
		k--;
	*s += k;
	*n -= k;
}

struct fun { uint8_t work, known; uint32_t pkg; };	/* pkg: its place + 1; 0 as its caller's */

void shares_make(const struct snap *sn, const struct weights *w, bool runtime, struct shares *out)
{
	enum { PACKAGES = 4000 };	/* beyond it nothing would stand out, and looking would take long */
	struct fun *fun = xcalloc(sn->nfuns + 1u, sizeof *fun);
	struct fun *node = xcalloc(w->n + 1u, sizeof *node);
	struct sum *pkg = NULL;
	size_t npkg = 0, cap = 0;
	int64_t work[W__N] = {0};
	memset(out, 0, sizeof *out);
	for (uint32_t i = 1; i < w->n; i++) {
		fun_id f = w->label && w->label[i] ? 0 : store_frm(sn->st, w->frame[i])->fun;
		if (f && f < sn->nfuns && !fun[f].known) {
			const struct str_row *name = store_str(sn->st, store_fun(sn->st, f)->name);
			size_t n = symbol_package(name->s, name->n);
			fun[f].known = 1;
			fun[f].work = (uint8_t)work_of(name->s);
			if (n && n < name->n && name->s[n] == '.' && !strchr(name->s, '<') && !strstr(name->s, "::") && npkg < PACKAGES && !runtimes(name->s, n))
				fun[f].pkg = package(&pkg, &npkg, &cap, name->s, n) + 1;
		}
		node[i] = node[w->parent[i]];
		if (f && f < sn->nfuns && fun[f].work)
			node[i].work = fun[f].work;
		if (f && f < sn->nfuns && fun[f].pkg)
			node[i].pkg = fun[f].pkg;
		if (runtime)
			work[node[i].work] += w->flat[i];
		if (node[i].pkg)
			pkg[node[i].pkg - 1].weight += w->flat[i];
	}
	for (int i = 1; i < W__N; i++)
		if (work[i] > 0)
			insert(out->work, &out->nwork, said[i], strlen(said[i]), work[i]);
	for (size_t i = 0; i < npkg; i++) {
		tail(&pkg[i].s, &pkg[i].n);
		if (pkg[i].weight > 0)
			insert(out->pkg, &out->npkg, pkg[i].s, pkg[i].n, pkg[i].weight);
	}
	mem_free(fun);
	mem_free(node);
	mem_free(pkg);
}
