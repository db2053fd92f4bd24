/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Files that appear complete or not at all.
 *
 * The temporary file is in the folder of the final one, so that the rename stays within one file system. If the name is
 * a symbolic link to a file, this file is replaced and not the link. A name that is not a regular file (/dev/null, a named
 * pipe, a terminal) is written directly: a rename would replace it by a file. A job opens a named pipe without waiting
 * for its reader, and its writes do not block (put_all()), because it could not be cancelled then. A name of the
 * regular file or socket that standard output or standard error has (/dev/stdout) is written through that stream: its file
 * may have no name, what the shell writes before and after belongs to it, and a socket cannot be opened by name.
 */
#include "config.h"
#include "base/newfile.h"

#include "base/ending.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "base/put.h"
#include "base/text/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mode_t usual_mode(void)
{
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

enum { TEMP_NAME = 200 };	/* bytes of a temporary name before its suffix; most file systems allow 255 in all */

static int open_temp(struct newfile *f, const char *path)
{
	char real[PATH_MAX];
	struct buf b = {0};
	if (realpath(path, real))	/* fails if it does not exist yet */
		path = real;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	buf_put(&b, path, (size_t)(name - path));
	buf_printf(&b, "%.*s.XXXXXX", TEMP_NAME, name);
	f->temp = xstrdup(buf_str(&b));
	f->path = xstrdup(path);
	buf_free(&b);
	return ending_create(f->temp, &f->ending);
}

static void clear_newfile(struct newfile *f)
{
	mem_free(f->path);
	mem_free(f->temp);
	*f = (struct newfile){.fd = -1};
}

/* Return the number of the standard stream that has this file, or -1. */
static int stream_of(const struct stat *file)
{
	struct stat st;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &st) && st.st_dev == file->st_dev && st.st_ino == file->st_ino)
			return fd;
	return -1;
}

int newfile_open(struct newfile *f, const char *path, struct err *e)
{
	struct stat st = {0};
	int stream = -1, nonblock = job_has_thread() ? O_NONBLOCK : 0;
	mode_t mode = usual_mode();
	*f = (struct newfile){.ending = -1};
	if (!stat(path, &st)) {
		mode = st.st_mode & 07777;
		stream = S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode) ? stream_of(&st) : -1;
		if (!S_ISREG(st.st_mode) || stream >= 0)
			f->path = xstrdup(path);
	}
	f->fd = stream >= 0 ? fcntl(stream, F_DUPFD_CLOEXEC, 0)
		: f->path   ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | nonblock)
			    : open_temp(f, path);
	if (f->fd >= 0 && f->temp)
		(void)fchmod(f->fd, mode);	/* now: a report may not change modes later (base/sandbox.h) */
	if (f->fd >= 0)
		return 0;
	int rc = err_set(e, ERR_OUTPUT, ERR_NOWHERE, "cannot write %s: %s", path,
	    errno == ENXIO && S_ISFIFO(st.st_mode) ? "no program reads from this pipe" : strerror(errno));
	clear_newfile(f);
	return rc;
}

int newfile_close(struct newfile *f, bool keep, struct err *e)
{
	int rc = 0;
	if (close(f->fd) && keep)
		rc = err_set(e, ERR_OUTPUT, ERR_NOWHERE, "%s: %s", f->path, strerror(errno));
	if (f->temp && keep && !rc && rename(f->temp, f->path))
		rc = err_set(e, ERR_OUTPUT, ERR_NOWHERE, "%s: %s", f->path, strerror(errno));
	if (f->temp && (!keep || rc))
		unlink(f->temp);
	ending_forget(f->ending);
	clear_newfile(f);
	return rc;
}

int newfile_write(const char *path, const void *p, size_t n, unsigned mode, struct err *e)
{
	struct newfile f;
	struct err later;
	if (newfile_open(&f, path, e))
		return -1;
	if (f.temp && mode)
		(void)fchmod(f.fd, mode);
	int rc = put_all(f.fd, p, n) ? err_set(e, ERR_OUTPUT, ERR_NOWHERE, "%s: %s", path, strerror(errno)) : 0;
	return newfile_close(&f, !rc, rc ? &later : e) || rc ? -1 : 0;
}
