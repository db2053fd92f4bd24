/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Where a report goes: standard output, or a file that appears whole or not at
 * all. The temporary name lies beside the final one, so that the rename is
 * within one file system; where the name is a link, what it leads to is replaced
 * and not the link. What is no file (/dev/null, a pipe with a name, a terminal) is
 * written to as it is: a rename would put a file in its place. A reader that
 * closed its pipe is not an error: the report stops and nothing is said.
 */
#include "config.h"
#include "report/report.h"

#include "base/ending.h"
#include "base/mem.h"
#include "base/put.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 64 << 10 };

static mode_t usual_mode(void)
{
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/* A file beside the one that is wanted. */
static int open_beside(struct out *o, const char *path)
{
	char real[PATH_MAX];
	struct buf b = {0};
	if (realpath(path, real))	/* otherwise it is not there yet */
		path = real;
	buf_printf(&b, "%s.XXXXXX", path);
	o->temp = xstrdup(buf_str(&b));
	o->path = xstrdup(path);
	buf_free(&b);
	return ending_create(o->temp, &o->ending);
}

int out_open(struct out *o, const char *path, struct err *e)
{
	struct stat st;
	*o = (struct out){.fd = STDOUT_FILENO, .mode = usual_mode()};
	if (path && !stat(path, &st)) {
		o->mode = st.st_mode & 07777;
		if (!S_ISREG(st.st_mode))
			o->path = xstrdup(path);
	}
	if (o->path)
		o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	else if (path)
		o->fd = open_beside(o, path);
	o->terminal = o->fd >= 0 && isatty(o->fd);
	if (o->fd >= 0)
		return 0;
	int rc = err_set(e, ERR_OUTPUT, ERR_NOWHERE, "%s cannot be written: %s", path, strerror(errno));
	mem_free(o->temp);
	mem_free(o->path);
	*o = (struct out){.fd = -1};
	return rc;
}

/* Nothing that a file says may speak to the terminal. */
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

void out_flush(struct out *o, bool all)
{
	if (o->watch && (o->buf.n < o->asked || o->buf.n - o->asked > CHUNK)) {
		o->asked = o->buf.n;
		o->failed |= !o->watch->go(o->watch->arg, 0, 0);
	}
	if (o->held && o->buf.n > OUT_HELD)
		o->failed = true;	/* more than anyone reads: stop */
	if (o->held || (!all && o->buf.n < CHUNK))
		return;
	if (o->terminal)
		make_safe(&o->buf);
	if (!o->failed && put_all(o->fd, o->buf.p, o->buf.n)) {
		o->failed = true;
		o->why = errno;
	}
	buf_reset(&o->buf);
}

int out_bytes(const struct out *o, struct err *e)
{
	if (!o->terminal)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NOWHERE,
	    "this is no text for a terminal: name a file with -output, or use a pipe");
}

int out_close(struct out *o, bool keep, struct err *e)
{
	int rc = 0;
	if (keep)
		out_flush(o, true);
	if (o->why && (o->path || o->why != EPIPE))
		rc = err_set(e, ERR_OUTPUT, ERR_NOWHERE, "%s: %s", o->path ? o->path : "standard output",
		    strerror(o->why));
	if (o->temp && keep && !rc)
		(void)fchmod(o->fd, o->mode);
	if (o->path && close(o->fd) && keep && !rc)
		rc = err_set(e, ERR_OUTPUT, ERR_NOWHERE, "%s: %s", o->path, strerror(errno));
	if (o->temp && (!keep || rc))
		unlink(o->temp);
	else if (o->temp && rename(o->temp, o->path))
		rc = err_set(e, ERR_OUTPUT, ERR_NOWHERE, "%s: %s", o->path, strerror(errno));
	if (o->temp)
		ending_forget(o->ending);
	mem_free(o->path);
	mem_free(o->temp);
	buf_free(&o->buf);
	return rc;
}
