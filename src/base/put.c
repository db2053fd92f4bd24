/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Bytes that leave the program, and lines for people on standard error.
 *
 * Every line on standard error is written by put_line(), so that no file name, no text of a server and no content of a
 * profile can send a control sequence to the terminal or look like a second line. Lines are escaped for a log file as
 * well, because it may be shown on a terminal later. Reports are written by report/output.c, the viewer's frames by
 * tui/term/grid.c.
 */
#include "config.h"
#include "base/put.h"

#include "base/job.h"
#include "base/text/text.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const char erase[] = "\r\033[K";
static bool in_progress;	/* a line of put_progress() is on the terminal */

/* Wait until a descriptor that does not block can be written. Return false if the job of this thread is cancelled. */
static bool wait_writable(int fd)
{
	enum { POLL_MS = 100 };
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	while (!job_here_cancelled() && poll(&p, 1, POLL_MS) <= 0)
		;
	if (!job_here_cancelled())
		return true;
	errno = ECANCELED;
	return false;
}

int put_all(int fd, const void *p, size_t n)
{
	const char *s = p;
	while (n) {
		ssize_t k = write(fd, s, n);
		if (k < 0 && (errno == EINTR || (errno == EAGAIN && wait_writable(fd))))
			continue;
		if (k < 0)
			return -1;
		s += k;
		n -= (size_t)k;
	}
	return 0;
}

static void put_escaped(struct buf *b, const char *s)
{
	struct buf plain = {0};
	text_mask_passwords(&plain, s);
	text_safe(b, buf_str(&plain), plain.n);
	buf_free(&plain);
}

void put_line(const char *prefix, const char *s)
{
	struct buf b = {0};
	if (in_progress)
		buf_puts(&b, erase);
	in_progress = false;
	buf_puts(&b, prefix);
	put_escaped(&b, s);
	buf_putc(&b, '\n');
	(void)put_all(STDERR_FILENO, b.p, b.n);
	buf_free(&b);
}

void put_erase_progress(void)
{
	ssize_t k = in_progress ? write(STDERR_FILENO, erase, sizeof erase - 1) : 0;
	(void)k;
}

void put_progress(const char *s)
{
	struct buf b = {0};
	if (!s && !in_progress)
		return;
	buf_puts(&b, erase);
	if (s)
		put_escaped(&b, s);
	in_progress = s;
	(void)put_all(STDERR_FILENO, b.p, b.n);
	buf_free(&b);
}
