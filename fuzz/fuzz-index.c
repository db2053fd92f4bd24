/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Indexes that lie. The input is a list of changes to a good one: four bytes say
 * where, one how many bytes, then the bytes; afterwards all sums are made right.
 * What must hold: it is refused with a word, or it is a store that keeps its laws
 * and can be read from end to end.
 */
#include "config.h"

#include "../tests/digest.h"
#include "base/mem/mem.h"
#include "signed.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/index/index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

static void change(uint8_t *to, size_t size, const uint8_t *p, size_t n)
{
	while (n > 5) {
		size_t at = ((size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24) % size,
		       k = p[4] % 9;
		p += 5;
		n -= 5;
		if (k > n)
			k = n;
		if (k > size - at)
			k = size - at;
		memcpy(to + at, p, k);
		p += k;
		n -= k;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct index_key key = {1, 2, 3, 4};
	struct err e = {0};
	size_t size;
	uint8_t *bytes = small_index(&key, &size);
	change(bytes, size, p, n);
	sign_index(bytes, size);
	int fd = file_of(bytes, size);
	struct store_builder *b = builder_new();
	if (index_read(b, fd, &key, &e)) {
		check(e.msg[0] != 0, "refused without a word");
		check(!builder_snap(b)->complete, "refused, and taken");
	} else {
		check(!store_check(builder_snap(b), &e), e.msg);
		digest_of(builder_snap(b));
	}
	builder_free(b);
	close(fd);
	mem_free(bytes);
	return 0;
}
