/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A file is identified by stat. The same inode with more bytes is a file that
 * is still being written; with fewer bytes, one that was started anew; with the
 * same size but another time, one that was overwritten. Another inode is
 * another file under the name: a program wrote a new file and renamed it.
 *
 * Not taken: inotify. Only Linux has it, it reports every write of a busy
 * program, and a stat at a key press costs a microsecond.
 */
#include "config.h"
#include "session/file_changed.h"

#include <errno.h>
#include <sys/stat.h>

void file_changed_mark_file(struct file_changed_mark *m, const char *path)
{
	struct stat st;
	*m = (struct file_changed_mark){0};
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	*m = (struct file_changed_mark){.dev = (uint64_t)st.st_dev,
	    .ino = (uint64_t)st.st_ino,
	    .size = (uint64_t)st.st_size,
	    .mtime = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
	    .known = true};
}

enum file_change file_changed_check(const struct file_changed_mark *m, const char *path, uint64_t *by)
{
	struct file_changed_mark now;
	struct stat st;
	*by = 0;
	if (!m->known)
		return FILE_SAME;
	if (stat(path, &st))
		return errno == ENOENT ? FILE_REMOVED : FILE_SAME;
	file_changed_mark_file(&now, path);
	if (!now.known || now.dev != m->dev || now.ino != m->ino)
		return FILE_REPLACED;
	if (now.size != m->size) {
		*by = now.size > m->size ? now.size - m->size : m->size - now.size;
		return now.size > m->size ? FILE_GROWN : FILE_TRUNCATED;
	}
	return now.mtime != m->mtime ? FILE_REPLACED : FILE_SAME;
}
