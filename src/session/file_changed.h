/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_FILE_CHANGED_H
#define TTRACE_SESSION_FILE_CHANGED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Finds out whether the file that was read is still the one on the disk: a
 * program may still write the trace, or a job may have put a new file in its
 * place.
 */
enum file_change { FILE_SAME, FILE_GROWN, FILE_TRUNCATED, FILE_REPLACED, FILE_REMOVED };

struct file_changed_mark {
	uint64_t dev, ino, size;
	int64_t mtime;		/* ns since 1970 */
	bool known;		/* it is a regular file */
};

/* call before the file is read */
void file_changed_mark_file(struct file_changed_mark *, const char *path);
/* Return how the file has changed since the mark. *by is the difference in bytes for FILE_GROWN and FILE_TRUNCATED.
   Always FILE_SAME for anything but a regular file. */
enum file_change file_changed_check(const struct file_changed_mark *, const char *path, uint64_t *by);

#endif
