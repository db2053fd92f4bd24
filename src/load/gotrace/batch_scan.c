/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A batch begins with its length, so the heads of a trace can be read one after another. In a
 * mapped file each head would cost a page fault that maps sixteen pages, ten times the cost of a
 * system call that reads the few bytes. So heads are read with pread(), and a gigabyte takes 15 ms.
 *
 * The scan checks nothing: it ends at a damaged head. The reader of the trace reports the damage.
 */
#include "config.h"
#include "load/gotrace/batch_scan.h"

#include <unistd.h>

void batch_scan_begin(struct batch_scanner *w, struct bytes in)
{
	*w = (struct batch_scanner){.in = in, .at = GO_HEADER};
}

/* Return a cursor on the next bytes, as many as exist up to the size of peek. */
static struct byte_cursor peek(struct batch_scanner *w)
{
	size_t n = w->in.n - (size_t)w->at;
	if (!w->in.mapped)
		return byte_cursor_make(w->in.p + w->at, n, w->at);
	ssize_t got = pread(w->in.fd, w->peek, n < sizeof w->peek ? n : sizeof w->peek, (off_t)w->at);
	return byte_cursor_make(w->peek, got < 0 ? 0 : (size_t)got, w->at);
}

bool batch_scan_next(struct batch_scanner *w, struct wire_batch *b, uint64_t *at)
{
	struct err e;
	if (w->at >= w->in.n)
		return false;
	struct byte_cursor c = peek(w);
	*at = w->at;
	if (wire_read_batch_head(&c, b, &e) <= 0)
		return false;
	uint64_t next = byte_cursor_at(&c) + b->n;
	if (next > w->in.n)
		return false;
	w->at = next;
	b->p = c.p;
	b->first = b->n && !b->exp && byte_cursor_left(&c) ? *c.p : GE_NONE;
	return true;
}

double batch_scan_ns_per_tick(const struct wire_batch *b)
{
	enum { MOST = 12 };	/* two bytes and a number */
	if (b->first != GE_Sync && b->first != GE_Frequency)
		return 0;
	struct byte_cursor c = byte_cursor_make(b->p, b->n < MOST ? b->n : MOST, 0);
	if (b->first == GE_Sync)
		byte_cursor_u8(&c);
	uint64_t f = byte_cursor_u8(&c) == GE_Frequency ? byte_cursor_uvarint(&c) : 0;
	return f && !c.bad ? 1e9 / (double)f : 0;
}
