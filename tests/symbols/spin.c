/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* A program for tests/symbols/local-programs.sh: calls, calls that are inlined into calls, a clone. */
#include "selfprof.h"

volatile unsigned sink;

static inline __attribute__((always_inline)) void step(unsigned i)
{
	sink += i * 7;
	record(1 + i % 3);
	sink ^= i;
}

static inline __attribute__((always_inline)) void twice(unsigned i)
{
	step(i);
	sink++;
	step(i + 1);
}

__attribute__((noinline)) static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		twice(i);
	sink--;
}

__attribute__((noinline)) static unsigned fold(unsigned depth)
{
	if (depth == 0) {
		work(5);
		return sink;
	}
	unsigned v = fold(depth - 1);
	record(2);
	return v + depth;
}

__attribute__((noinline)) void other(void)
{
	work(3);
	record(10);
	sink++;
}

int main(int argc, char **argv)
{
	other();
	sink += fold(3);
	return argc > 1 ? finish(argv[1]) : 0;
}
