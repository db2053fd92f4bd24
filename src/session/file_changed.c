/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A file's identity is what stat says of it. The same inode with more bytes is
 * one that is still written; with fewer, one that was begun anew; with as many
 * but another time, one that was written over; another inode is another file
 * under the name, as those leave who write beside and rename.
 *
 * Not taken: inotify. It is of one system, tells of every write of a busy
 * program, and a stat at a key press costs a microsecond.
 */
#include "config.h"
#include "session/file_changed.h"

#include <errno.h>
#include <sys/stat.h>

void stale_note(struct stale_mark *m, const char *path)
{
	struct stat st;
	*m = (struct stale_mark){0};
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	*m = (struct stale_mark){.dev = (uint64_t)st.st_dev, .ino = (uint64_t)st.st_ino, .size = (uint64_t)st.st_size,
	    .mtime = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec, .known = true};
}

enum stale stale_now(const struct stale_mark *m, const char *path, uint64_t *by)
{
	struct stale_mark now;
	struct stat st;
	*by = 0;
	if (!m->known)
		return STALE_SAME;
	if (stat(path, &st))
		return errno == ENOENT ? STALE_GONE : STALE_SAME;
	stale_note(&now, path);
	if (!now.known || now.dev != m->dev || now.ino != m->ino)
		return STALE_OTHER;
	if (now.size != m->size) {
		*by = now.size > m->size ? now.size - m->size : m->size - now.size;
		return now.size > m->size ? STALE_GROWN : STALE_CUT;
	}
	return now.mtime != m->mtime ? STALE_OTHER : STALE_SAME;
}
