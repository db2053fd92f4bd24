/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* The same in C++: names that have to be demangled, some of them of inlined calls. */
#include "selfprof.h"

volatile unsigned sink;

namespace ns {
template <class T> struct box {
	T v;
	__attribute__((noinline)) void fill(T n) const
	{
		for (T i = 0; i < n; i++)
			add(i);
		sink = sink + 1;
	}
	__attribute__((always_inline)) inline void add(T i) const
	{
		sink = sink + i;
		record(1 + i % 2);
		sink = sink ^ v;
	}
};
}

namespace {
struct hidden {
	__attribute__((noinline)) void run(unsigned n) const
	{
		auto call = [n](unsigned k) __attribute__((noinline)) {
			ns::box<unsigned>{k}.fill(n);
			record(3);
			sink = sink + 1;
		};
		call(n + 1);
		sink = sink + 1;
	}
};
}

int main(int argc, char **argv)
{
	hidden{}.run(4);
	record(1);
	return argc > 1 ? finish(argv[1]) : 0;
}
