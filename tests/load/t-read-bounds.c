/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * No reader reads past the last byte of its input or before the first one: each file of the fuzzers' corpus, and
 * prefixes of it, lie directly before a page that cannot be read, then directly behind one.
 */
#include "config.h"
#include "base/text/buf.h"
#include "base/mem/mem.h"
#include "load/load.h"
#include "store/builder.h"
#include "store/store.h"
#include "tap.h"

#include <dirent.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 1 << 16, ALL_UPTO = 1500, HEADS = 150 };

static char *room;	/* ROOM bytes between two pages that cannot be read */

static void make_room(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, ROOM + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	OK(p != MAP_FAILED && !mprotect(p + page, ROOM, PROT_READ | PROT_WRITE));
	room = p + page;
}

static void read_one(const char *at, size_t n)
{
	struct err e = {0};
	struct bytes b = {.p = (const uint8_t *)at, .n = n, .file_n = n};
	const struct reader *r = input_gunzip(&b, &e) ? NULL : sniff(b, &e);
	if (r) {
		struct store_builder *store_builder = builder_new();
		struct sink sink = builder_sink(store_builder);
		OK(!r->read(b, &sink, &e) || e.msg[0]);
		builder_finish(store_builder);
		builder_free(store_builder);
	} else {
		OK(e.msg[0]);
	}
	input_close(&b);
}

static void at_both_ends(const void *p, size_t n)
{
	memcpy(room + ROOM - n, p, n);
	read_one(room + ROOM - n, n);
	memcpy(room, p, n);
	read_one(room, n);
}

/* Check all prefixes of a short file, about HEADS of a long one. */
static void heads(const char *path)
{
	struct bytes b;
	struct err e;
	OK(!input_open(path, &b, &e));
	size_t n = b.n < ROOM ? b.n : ROOM, step = n <= ALL_UPTO ? 1 : n / HEADS;
	for (size_t k = 0; k < n; k += step)
		at_both_ends(b.p, k);
	at_both_ends(b.p, n);
	input_close(&b);
}

int main(void)
{
	struct buf path = {0};
	int n = 0;
	make_room();
	buf_puts(&path, tap_source("fuzz/corpus/"));
	size_t dir = path.n;
	DIR *d = opendir(buf_str(&path));
	for (struct dirent *f; d && (f = readdir(d)); n += f->d_name[0] != '.') {
		if (f->d_name[0] == '.')
			continue;
		path.n = dir;
		buf_puts(&path, f->d_name);
		heads(buf_str(&path));
	}
	if (d)
		closedir(d);
	OK(n > 40);
	buf_free(&path);
	return DONE();
}
