/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Summarises a profile in a few shares.
 *
 * Each node of the call tree gets a kind of work and a package, from itself or from its parent, in one loop in preorder
 * without a tree of the query. The innermost well-known root function of the runtime decides the kind of work, so
 * marking inside an allocation counts as GC. The innermost frame outside the runtime decides the package, so memmove is
 * charged to its caller. Own weights are added up by both. So no sample is counted twice, and the shares add up to no
 * more than the total.
 *
 * Nearly all goroutines end in runtime.gopark, so a package says little about them. For goroutines the shares are what
 * they wait for, from the functions of runtime and sync above the park, and the innermost function of the program, or,
 * if the whole stack is in libraries, the function that the goroutine started with.
 */
#include "config.h"
#include "calltree/highlights.h"

#include "base/intern.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "calltree/runtime_frames.h"
#include "calltree/tree.h"

#include <stdio.h>
#include <string.h>

/* Packages that are charged to their callers. */
static bool is_runtime_package(const char *name, size_t pkg)
{
	static const char *const own[] = {"runtime", "internal/runtime", "internal/abi", "internal/bytealg",
	    "internal/cpu", "sync", "internal/sync", "internal/poll", "syscall"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		size_t n = strlen(own[i]);
		if (pkg >= n && !memcmp(name, own[i], n) && (pkg == n || name[n] == '/' || name[n] == '.'))
			return true;
	}
	return false;
}

struct sum { const char *s; size_t n; int64_t weight; };

static int same_package(const void *ctx, uint32_t id, const void *key)
{
	const struct sum *a = (const struct sum *)ctx + id, *b = key;
	return a->n == b->n && !memcmp(a->s, b->s, b->n);
}

static uint32_t find_package(struct intern *index, struct sum **v, size_t *n, size_t *cap, const char *s, size_t len)
{
	const struct sum key = {s, len, 0};
	uint32_t h = intern_hash_bytes(s, len, 3), id = intern_find(index, h, same_package, *v, &key);
	if (id != UINT32_MAX)
		return id;
	*v = mem_grow(*v, cap, *n + 1, sizeof **v);
	(*v)[*n] = key;
	intern_put(index, h, (uint32_t)*n);
	return (uint32_t)(*n)++;
}

static void insert_share(struct share *to, size_t *n, const char *s, size_t len, int64_t weight)
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

/* Reduce a path to its last element. */
static void keep_last_element(const char **s, size_t *n)
{
	size_t k = *n;
	while (k > 0 && (*s)[k - 1] != '/')
		k--;
	*s += k;
	*n -= k;
}

struct fun {
	uint8_t work;
	bool weak;		/* for OF_GOROUTINES: a library function; a caller in the program has precedence */
	uint32_t pkg;		/* its index + 1; 0: as its caller's */
};

/* Classify each symbol, and collect the packages in *pkg. */
static struct fun *classify_symbols(const struct weighted_tree *c, enum shares_of of, struct sum **pkg, size_t *npkg)
{
	enum { PACKAGES = 4000 };	/* limit: with more packages no share would be large, and the search would take
					   long */
	struct fun *fun = xcalloc(c->nsymbol, sizeof *fun);
	struct intern index = {0};
	size_t cap = 0;
	for (uint32_t i = 1; i < c->nsymbol; i++) {
		const struct symbol *t = &c->symbol[i];
		if (t->tag || !t->name || !c->weight[i].nnode)
			continue;
		const struct str_row *name = store_str(c->st, t->name);
		size_t n = granularity_package(name->s, name->n);
		fun[i].work = of == OF_GOROUTINES ? (uint8_t)runtime_wait_of(name->s) : (uint8_t)runtime_work_of(name->s);
		if (of == OF_GOROUTINES) {
			fun[i].weak = t->kind == PKG_STD;
			if (t->kind == PKG_RUNTIME || *npkg == PACKAGES)
				continue;
			*pkg = mem_grow(*pkg, &cap, *npkg + 1, sizeof **pkg);
			(*pkg)[(*npkg)++] = (struct sum){name->s, name->n, 0};
			fun[i].pkg = (uint32_t)*npkg;
		} else if (n && n < name->n && name->s[n] == '.' && !strchr(name->s, '<') && !strstr(name->s, "::") &&
		    *npkg < PACKAGES && !is_runtime_package(name->s, n))
			fun[i].pkg = find_package(&index, pkg, npkg, &cap, name->s, n) + 1;
	}
	intern_free(&index);
	return fun;
}

/* Sums over a range of nodes, by kind of work and package. */
enum { PARTS = 4, PART_NODES = 1 << 18 };
struct partial_sums { int64_t work[RUNTIME_WORK__N + RUNTIME_WAIT__N], *pkg; };
struct share_sums {
	const struct weighted_tree *c;
	const struct fun *fun;
	bool goroutines;	/* kinds are waits of goroutines, not work */
	uint32_t n;
	struct partial_sums partial_sums[PARTS];
};

static struct fun inherit_kind(bool goroutines, struct fun above, struct fun own)
{
	if (!goroutines)
		above.work = (uint8_t)runtime_work_below(above.work, own.work);
	else if (own.work)
		above.work = own.work;
	above.pkg = own.pkg && !(own.weak && above.pkg) ? own.pkg : above.pkg;
	return above;
}

/* The nodes whose subtrees contain the current one. */
struct function_path { struct path_step { uint32_t end; struct fun is; } *path_step; size_t depth, cap; };

static struct fun enter_node(struct function_path *w, const struct share_sums *a, uint32_t i)
{
	const struct calltree *s = a->c->calltree;
	while (w->depth && w->path_step[w->depth - 1].end <= i)
		w->depth--;
	struct fun is = inherit_kind(a->goroutines,
	    w->depth ? w->path_step[w->depth - 1].is : (struct fun){0, false, 0}, a->fun[calltree_symbol(s, i)]);
	w->path_step = mem_grow(w->path_step, &w->cap, w->depth + 1, sizeof *w->path_step);
	w->path_step[w->depth++] = (struct path_step){calltree_next(s, i), is};
	return is;
}

/* Enter all nodes above the start of a range. */
static void enter_path_to(struct function_path *w, const struct share_sums *a, uint32_t to)
{
	uint32_t *up = NULL;
	size_t n = 0, cap = 0;
	for (uint32_t i = to; i;) {
		i = calltree_parent(a->c->calltree, i);
		up = mem_grow(up, &cap, n + 1, sizeof *up);
		up[n++] = i;
	}
	while (n)
		enter_node(w, a, up[--n]);
	mem_free(up);
}

static void add_part(void *arg, uint32_t which)
{
	struct share_sums *a = arg;
	struct partial_sums *p = &a->partial_sums[which];
	const struct weighted_tree *c = a->c;
	const struct calltree *s = c->calltree;
	uint32_t i = (uint32_t)((uint64_t)s->n * which / a->n), end = (uint32_t)((uint64_t)s->n * (which + 1) / a->n);
	uint32_t k = rank_below(c->w.ends, i);
	struct function_path w = {0};
	enter_path_to(&w, a, i);
	for (; i < end; i++) {
		struct fun is = enter_node(&w, a, i);
		if (!rank_has(c->w.ends, i))
			continue;
		int64_t v = wrap_sub(c->w.sum[k + 1], c->w.sum[k]);
		k++;
		int64_t *work = &p->work[a->goroutines ? is.work : (uint8_t)runtime_work_result(is.work)];
		*work = wrap_add(*work, v);
		if (is.pkg)
			p->pkg[is.pkg - 1] = wrap_add(p->pkg[is.pkg - 1], v);
	}
	mem_free(w.path_step);
}

static void add_up(const struct weighted_tree *c, const struct fun *fun, bool goroutines,
    int64_t *work, struct sum *pkg, size_t npkg)
{
	struct share_sums a = {.c = c, .fun = fun, .goroutines = goroutines, .n = c->calltree->n < PART_NODES ? 1 : PARTS};
	for (uint32_t i = 0; i < a.n; i++)
		a.partial_sums[i].pkg = xcalloc(npkg + 1, sizeof *a.partial_sums[i].pkg);
	if (a.n > 1)
		job_parallel(a.n, add_part, &a);
	else
		add_part(&a, 0);
	for (uint32_t i = 0; i < a.n; i++) {
		for (size_t k = 0; k < RUNTIME_WORK__N + RUNTIME_WAIT__N; k++)
			work[k] = wrap_add(work[k], a.partial_sums[i].work[k]);
		for (size_t k = 0; k < npkg; k++)
			pkg[k].weight = wrap_add(pkg[k].weight, a.partial_sums[i].pkg[k]);
		mem_free(a.partial_sums[i].pkg);
	}
}

const struct shares *calltree_highlights(struct weighted_tree *c, enum shares_of of)
{
	if (c->shares)
		return c->shares;
	struct sum *pkg = NULL;
	size_t npkg = 0;
	int64_t work[RUNTIME_WORK__N + RUNTIME_WAIT__N] = {0};
	struct shares *out = c->shares = xcalloc(1, sizeof *out);
	struct fun *fun = classify_symbols(c, of, &pkg, &npkg);
	add_up(c, fun, of == OF_GOROUTINES, work, pkg, npkg);
	int nwork = of == OF_MEMORY ? 0 : of == OF_CPU ? RUNTIME_WORK__N : RUNTIME_WAIT__N;
	for (int i = 1; i < nwork; i++) {
		const char *name = of == OF_GOROUTINES ? runtime_wait_name((enum runtime_wait)i)
						       : runtime_work_name((enum runtime_work)i);
		if (work[i] > 0)
			insert_share(out->work, &out->nwork, name, strlen(name), work[i]);
	}
	for (size_t i = 0; i < npkg; i++) {
		keep_last_element(&pkg[i].s, &pkg[i].n);
		if (pkg[i].weight > 0)
			insert_share(out->pkg, &out->npkg, pkg[i].s, pkg[i].n, pkg[i].weight);
	}
	mem_free(fun);
	mem_free(pkg);
	return out;
}
