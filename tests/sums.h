/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SUMS_H
#define TTRACE_SUMS_H

#include "base/mem/mem.h"
#include "sink_profile.h"
#include "sink_trace.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Sums of values by path (a stack as text), in no order. */
struct line { char *path; int64_t v; };
struct sums { struct line *l; size_t n, cap; };

static inline void sums_add(struct sums *s, const char *path, int64_t v)
{
	size_t i = 0;
	while (i < s->n && strcmp(s->l[i].path, path))
		i++;
	if (i == s->n) {
		s->l = mem_grow(s->l, &s->cap, s->n + 1, sizeof *s->l);
		s->l[s->n++] = (struct line){xstrdup(path), 0};
	}
	s->l[i].v += v;
}

static inline void sums_free(struct sums *s)
{
	for (size_t i = 0; i < s->n; i++)
		mem_free(s->l[i].path);
	mem_free(s->l);
	*s = (struct sums){0};
}

static inline int64_t sums_at(const struct sums *s, const char *path)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->l[i].path, path))
			return s->l[i].v;
	return 0;
}

/* Return whether each sum of a is the same in b; print the first that differs. */
static inline bool sums_within(const struct sums *a, const struct sums *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->l[i].v != sums_at(b, a->l[i].path)) {
			fprintf(stderr, "%s: %lld, not %lld\n", a->l[i].path, (long long)a->l[i].v,
			    (long long)sums_at(b, a->l[i].path));
			return false;
		}
	return true;
}

static inline bool sums_same(const struct sums *a, const struct sums *b)
{
	return sums_within(a, b) && sums_within(b, a);
}

/* Pseudo-random numbers, the same in every run. */
static uint64_t seed = 7;
static inline uint32_t rnd(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((seed >> 33) % below);
}

static inline str_id add_str(const struct sink *s, const char *t)
{
	return s->ops->str(s->self, t, strlen(t));
}

#endif
