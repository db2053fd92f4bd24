/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * record() takes samples of the current stack; finish() writes them as a CPU profile of
 * gperftools, with addresses and mappings, without names. Stacks are walked by frame
 * pointers: build with -fno-omit-frame-pointer.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1 << 16, STACK = 64 };
static uintptr_t words[WORDS];
static size_t nwords;

static void put(uintptr_t w)
{
	if (nwords < WORDS)
		words[nwords++] = w;
}

/* Add `count` samples of the current stack; the caller is the leaf. */
__attribute__((noinline)) static void record(uintptr_t count)
{
	uintptr_t pc[STACK], *frame = (uintptr_t *)__builtin_frame_address(0), *next;
	size_t n = 0;
	for (; frame && n < STACK; frame = next) {
		pc[n++] = frame[1];
		next = (uintptr_t *)frame[0];
		if (next <= frame || (uintptr_t)next - (uintptr_t)frame > 1 << 16)
			break;
	}
	put(count);
	put(n);
	for (size_t i = 0; i < n; i++)
		put(i ? pc[i] : pc[0] - 1);
}

static int finish(const char *name)
{
	static const uintptr_t head[] = {0, 3, 0, 10000, 0}, tail[] = {0, 1, 0};
	FILE *f = fopen(name, "wb"), *maps = fopen("/proc/self/maps", "r");
	char buf[4096];
	if (!f || !maps)
		return 1;
	fwrite(head, sizeof head, 1, f);
	fwrite(words, sizeof *words, nwords, f);
	fwrite(tail, sizeof tail, 1, f);
	for (size_t n; (n = fread(buf, 1, sizeof buf, maps)) > 0;)
		fwrite(buf, 1, n, f);
	fclose(maps);
	return fclose(f) != 0;
}
