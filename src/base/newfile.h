/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_NEWFILE_H
#define TTRACE_NEWFILE_H

#include "base/err.h"

#include <stdbool.h>

/* A file that is written under a temporary name and renamed at the end: it appears whole or not at all. */
struct newfile {
	int fd;
	char *path, *temp;	/* the name at the end, the name until then; temp NULL: a device or a pipe, written directly */
	int ending;		/* of temp: removed when a signal ends the program, see base/ending.h */
	unsigned mode;		/* of the file at the end: as it was, or as the umask has it */
};

/* -1: ERR_OUTPUT, and *f holds nothing. */
int newfile_open(struct newfile *f, const char *path, struct err *e);
/* Close it, and rename it (keep) or remove it. -1: it could not be written whole, and the old file is untouched. */
int newfile_close(struct newfile *f, bool keep, struct err *e);

#endif
