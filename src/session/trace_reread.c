/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Reads a generation of a trace again. Its bytes are read from the file and not
 * mapped, unless they are too many: then a file that was cut in the meantime is
 * an error and not a signal. Bytes that came through a pipe or were inflated
 * have no file, so they are kept in memory, which is still less than the store
 * made of them.
 *
 * A trace needs at most FULL times its size; if -mem allows that much, none of
 * this is used.
 */
#include "config.h"
#include "session/trace_reread.h"

#include "base/mem/mapped_file.h"
#include "base/mem/mem.h"
#include "base/mem/paging_file.h"
#include "load/gotrace/wire.h"
#include "store/builder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGES = 1 << 16, FULL = 5, PIECE = 8,	/* a generation larger than memory / PIECE is mapped */
	ENTRIES_IN_TESTS = 1 << 12 };		/* in a sheet */

struct reread_source {
	struct bytes held;	/* p NULL: use fd */
	int fd, version;
};

static bool read_at(int fd, uint8_t *p, size_t n, uint64_t at)
{
	for (ssize_t got; n; p += got, n -= (size_t)got, at += (uint64_t)got) {
		got = pread(fd, p, n, (off_t)at);
		if (got < 0 && errno == EINTR)
			got = 0;
		else if (got <= 0)
			return false;
	}
	return true;
}

static int reread_mapped(
    const struct reread_source *a, const struct sink_checkpoint *gen, struct sink *sink, struct err *e)
{
	struct stat st;
	uint64_t from = gen->at / PAGES * PAGES;
	size_t n = (size_t)(gen->end - from);
	if (fstat(a->fd, &st) || (uint64_t)st.st_size < gen->end)
		return err_set(e, ERR_IO, gen->at, "the file has become shorter since it was read");
	const uint8_t *p = mapped_new(a->fd, from, n);
	if (!p)
		return err_set(e, ERR_IO, gen->at, "cannot map the file: %s", strerror(errno));
	struct bytes in = { .p = p + (gen->at - from), .n = (size_t)(gen->end - gen->at), .mapped = true };
	int rc = gotrace_reread(a->version, in, gen, sink, e);
	if (!rc && mapped_was_truncated(p))
		rc = err_set(e, ERR_IO, gen->at, "the file has become shorter since it was read");
	mapped_free(p, n);
	return rc;
}

static int reread_generation(void *arg, const struct sink_checkpoint *gen, struct sink *sink, struct err *e)
{
	const struct reread_source *a = arg;
	size_t n = (size_t)(gen->end - gen->at);
	if (a->held.p)
		return gotrace_reread(a->version, (struct bytes){ .p = a->held.p + gen->at, .n = n }, gen, sink, e);
	if (n > mem_limit() / PIECE)
		return reread_mapped(a, gen, sink, e);
	uint8_t *p = xmalloc(n);
	int rc = read_at(a->fd, p, n, gen->at)
		     ? gotrace_reread(a->version, (struct bytes){ .p = p, .n = n }, gen, sink, e)
		     : err_set(e, ERR_IO, gen->at, "the file has become shorter since it was read");
	mem_free(p);
	return rc;
}

/* Return how many bytes of sheets there is room for: a quarter of the free disk. Without a paging file the rows take
   memory as well. */
static size_t room_for_sheets(size_t limit)
{
	size_t room = paging_free_room() / 4;
	return !paging_active() ? limit / 2 : room > limit ? room : limit;
}

/* Return the room for sheets that a test has set; 0: none has. Sheets are made small then, so that those of small traces
   are evicted, too. */
static size_t room_for_tests(void)
{
	const char *s = getenv("TTRACE_SHEETS");
	return s ? strtoull(s, NULL, 10) : 0;
}

struct reread_source *trace_reread_new(struct store_builder *b, struct bytes *in)
{
	size_t limit = mem_limit(), room = room_for_tests();
	int version = wire_version(*in);
	if (!limit || (in->n < limit / FULL && !room) || version < 22)
		return NULL;
	struct reread_source *a = xcalloc(1, sizeof *a);
	a->version = version;
	a->fd = in->mapped ? fcntl(in->fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (in->mapped && a->fd < 0) {
		mem_free(a);
		return NULL;
	}
	if (!in->mapped) {
		a->held = *in;
		in->owned = NULL;
	}
	if (room)
		builder_set_sheet_entries(b, ENTRIES_IN_TESTS);
	paging_start();
	builder_enable_eviction(b, room ? room : room_for_sheets(limit), reread_generation, a);
	return a;
}

void trace_reread_free(struct reread_source *a)
{
	if (!a)
		return;
	if (a->fd >= 0)
		close(a->fd);
	mem_free(a->held.owned);
	mem_free(a);
}
