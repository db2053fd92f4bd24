/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_FILE_CHANGED_H
#define TTRACE_SESSION_FILE_CHANGED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the file that was read is still the one on the disk: traces are
 * looked at while programs write them, and cron jobs put new ones in their place.
 */
enum file_change { FILE_SAME, FILE_GROWN, FILE_TRUNCATED, FILE_REPLACED, FILE_REMOVED };

struct file_changed_mark {
	uint64_t dev, ino, size;
	int64_t mtime;		/* ns since 1970 */
	bool known;		/* it is a regular file */
};

void file_changed_mark_file(struct file_changed_mark *, const char *path);		/* before it is read */
/* What has become of it; for FILE_GROWN and FILE_TRUNCATED *by is how many bytes. Always FILE_SAME for what is
   no regular file. */
enum file_change file_changed_check(const struct file_changed_mark *, const char *path, uint64_t *by);

#endif
