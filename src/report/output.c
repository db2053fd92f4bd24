/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The output of a report: standard output, or a file that is created completely or
 * not at all (base/newfile.h). A reader that closed its pipe is not an error: the
 * report stops without a message.
 */
#include "config.h"
#include "report/output.h"

#include "base/put.h"
#include "base/subprocess.h"
#include "base/text/text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 64 << 10 };

int output_open(struct out *o, const char *path, struct err *e)
{
	*o = (struct out){.fd = STDOUT_FILENO};
	if (path && !*path) {
		o->fd = -1;
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-output requires a file name");
	}
	if (path && subprocess_forbidden()) {
		o->fd = -1;
		return err_set(e, ERR_OUTPUT, ERR_NOWHERE,
		    "%.200s is not written because TTRACESECURE is set: use standard output", path);
	}
	if (path && newfile_open(&o->file, path, e)) {
		o->fd = -1;
		return -1;
	}
	if (path)
		o->fd = o->file.fd;
	o->terminal = o->safe = isatty(o->fd);
	return 0;
}

/* Make control characters visible, so that no text of a file controls the terminal. */
static void make_safe(struct buf *b)
{
	struct buf safe = {0};
	for (size_t i = 0, k; i < b->n; i = k) {
		for (k = i; k < b->n && b->p[k] != '\n' && b->p[k] != '\t';)
			k++;
		text_safe(&safe, b->p + i, k - i);
		if (k < b->n)
			buf_putc(&safe, b->p[k++]);
	}
	buf_free(b);
	*b = safe;
}

void output_flush(struct out *o, bool all)
{
	if (o->watch && (o->buf.n < o->checked_bytes || o->buf.n - o->checked_bytes > CHUNK)) {
		o->checked_bytes = o->buf.n;
		o->failed |= !o->watch->go(o->watch->arg, 0, 0);
	}
	if (o->held && o->buf.n > OUTPUT_HELD)
		o->failed = true;	/* more than is useful to read: stop */
	if (o->held || (!all && o->buf.n < CHUNK))
		return;
	if (o->safe)
		make_safe(&o->buf);
	if (!o->failed && put_all(o->fd, o->buf.p, o->buf.n)) {
		o->failed = true;
		o->why = errno;
	}
	buf_reset(&o->buf);
}

int output_check_binary(struct out *o, struct err *e)
{
	o->safe = false;
	if (!o->terminal)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NOWHERE,
	    "binary output is not written to a terminal: use -output=FILE or a pipe");
}

int output_close(struct out *o, bool keep, struct err *e)
{
	const char *path = o->file.path;
	int rc = 0;
	if (keep)
		output_flush(o, true);
	if (o->why && (path || o->why != EPIPE))
		rc = err_set(e, ERR_OUTPUT, ERR_NOWHERE, "%s: %s", path ? path : "standard output", strerror(o->why));
	if (path && newfile_close(&o->file, keep && !rc, e))
		rc = -1;
	buf_free(&o->buf);
	return rc;
}
