/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_ENDING_H
#define TTRACE_ENDING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * What a signal or a lack of memory must not leave behind: unfinished files, child processes whose output is no longer
 * read, and a terminal in the viewer's mode.
 */
/* Handle every signal that would end the program, except ignored ones. Call once, before any thread is started. */
void ending_start(void);

/* Set the function that restores the terminal. It is called from a signal handler, or by any thread that is out of
   memory. NULL: there is nothing to restore. */
void ending_terminal(void (*restore)(void));

/* While on, a worker that ends the program waits, for a second at most: the UI thread changes the terminal's mode, and
   there is no function yet that restores it. UI thread. */
void ending_delay(bool on);

/* Remove the file, given by its absolute or relative path, if the program ends before ending_forget(). Any thread.
   Return a number for ending_forget(), or -1 if too many files are registered or the path is too long. */
int  ending_remember(const char *path);
void ending_forget(int file);

/* Start a child process that is killed if the program ends before ending_forget_child(): call ending_begin_child(), start
   it, and call ending_started_child() with its id, or with 0 if it did not start, at once. Between the two, signals of the
   calling thread are blocked (before: its mask), and a thread that ends the program waits, at most ten seconds. Any thread.
   Return a number for the other two functions, or -1 with signals as they were if too many children run. Forget a child
   before it is waited for: its id may become that of another process. */
int  ending_begin_child(sigset_t *before);
void ending_started_child(int child, int pid, const sigset_t *before);
void ending_forget_child(int child);

/* Create and open a new file as mkstemp() does: the last six characters of path are replaced. The file is registered
   before it exists, so no signal leaves it behind. Return its descriptor, or -1 with errno set. *file is the number for
   ending_forget(). */
int  ending_create(char *path, int *file);

/* Stop the other threads, restore the terminal, kill the registered children and remove the registered files now. The
   caller has to end the program. Async-signal-safe. */
void ending_undo(void);

/* Exit with this status a moment from now, at the latest: what threads compute is not wanted any more, and some work does not
   ask whether it shall stop. A second call changes nothing. Async-signal-safe. */
void ending_soon(int status);

/* Call ending_undo(), report that there is no memory, and exit with status 1. */
_Noreturn void ending_no_memory(size_t wanted);

#endif
