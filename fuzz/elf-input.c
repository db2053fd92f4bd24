/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The source of the programs and objects in fuzz/corpus-elf, which gcc made with -g -O2 -frandom-seed=1, some with
 * -gdwarf-4, -gz=zlib, -m32 or -c, or stripped. line-negative is one of them with changed bytes. An inlined call gives
 * them the tables that the symbolizer reads.
 */
static inline __attribute__((always_inline)) int g(int x) { return x * 3 + 1; }
int f(int x) { volatile int y = g(x); return y; }
int main(void) { return f(3); }
