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
enum stale { STALE_SAME, STALE_GROWN, STALE_CUT, STALE_OTHER, STALE_GONE };

struct stale_mark {
	uint64_t dev, ino, size;
	int64_t mtime;		/* ns since 1970 */
	bool known;		/* it is a regular file */
};

void stale_note(struct stale_mark *, const char *path);		/* before it is read */
/* What has become of it; for STALE_GROWN and STALE_CUT *by is how many bytes. Always STALE_SAME for what is
   no regular file. */
enum stale stale_now(const struct stale_mark *, const char *path, uint64_t *by);

#endif
