/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* main() for builds without libFuzzer: run the entry once for each file of the command line, as libFuzzer does. So make check
   runs the corpus with any compiler and any sanitizer. */
#include "config.h"
#include "load/load.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);

/* Replace libFuzzer's function of this name, which entries with their own mutator call. Change nothing. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max)
{
	(void)data, (void)max;
	return n;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct bytes b;
		struct err e;
		if (input_open(argv[i], &b, &e)) {
			fprintf(stderr, "%s: %s\n", argv[i], e.msg);
			return 1;
		}
		LLVMFuzzerTestOneInput(b.p, b.n);
		input_close(&b);
	}
	printf("%d replayed\n", argc - 1);
	return 0;
}
