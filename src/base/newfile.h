/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_NEWFILE_H
#define TTRACE_NEWFILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* A file that is written under a temporary name and renamed at the end: it appears complete or not at all. */
struct newfile {
	int fd;
	/* path: the final name; temp: the temporary name, NULL: a device, a pipe or the file of a
	   standard stream, which is written directly. */
	char *path, *temp;
	int ending;		/* number of temp for ending_forget(): a signal that ends the program removes it */
};

/* Open a new file. Its mode is that of the replaced file, else as the umask demands. -1: ERR_OUTPUT, and *f holds nothing. */
int newfile_open(struct newfile *f, const char *path, struct err *e);
/* Close it, and rename it (keep) or remove it. -1: it could not be written completely, and the old file is
   unchanged. */
int newfile_close(struct newfile *f, bool keep, struct err *e);
/* Write a whole file of n bytes by newfile_open() and newfile_close(). mode: permissions; 0: those of the existing file, or
   the usual ones. -1 with *e: the old file is unchanged. */
int newfile_write(const char *path, const void *p, size_t n, unsigned mode, struct err *e);

#endif
