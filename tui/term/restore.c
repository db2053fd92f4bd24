/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The terminal must be restored however the program ends. term_close() does so normally. For other
 * cases (base/ending.c: a crash, a signal that ends the program, no memory) the sequences that undo
 * our settings are kept as bytes, and restore_now() writes them and restores the line settings with
 * async-signal-safe calls. The static variables are for this, because a signal handler has no
 * arguments.
 *
 * Signal handlers do not use curses: they write one byte into a pipe, and the loop acts.
 */
#include "config.h"
#include "term/restore.h"

#include "base/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct {
	volatile sig_atomic_t open;
	int out, in, pipe[2];
	struct termios saved;
	char reset[256];
	size_t nreset;
	volatile sig_atomic_t ending;
} way_out;

static void restore_now(void)
{
	if (!way_out.open)
		return;
	way_out.open = 0;
	ssize_t k = write(way_out.out, way_out.reset, way_out.nreset);
	(void)k;
	tcsetattr(way_out.in, TCSANOW, &way_out.saved);
}

static void on_signal(int sig)
{
	int err = errno;
	char c = (char)sig;
	if (sig == SIGTERM || sig == SIGHUP || sig == SIGINT) {
		if (way_out.ending++) {		/* the second signal ends the program, even if it is busy */
			ending_undo();
			_exit(128 + sig);
		}
		ending_soon(0);
	}
	ssize_t k = write(way_out.pipe[1], &c, 1);
	(void)k;
	errno = err;
}

static const int watched[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGTERM, SIGHUP, SIGINT};
enum { WATCHED = sizeof watched / sizeof *watched };

static struct sigaction before[WATCHED];

void restore_watch_signals(bool on)
{
	struct sigaction watch = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	sigemptyset(&watch.sa_mask);
	for (int i = 0; i < WATCHED; i++)
		sigaction(watched[i], on ? &watch : &before[i], NULL);
}

int restore_open(int tty, struct err *e)
{
	way_out.in = tty;
	way_out.nreset = 0;
	tcgetattr(tty, &way_out.saved);
	for (int i = 0; i < WATCHED; i++)
		sigaction(watched[i], NULL, &before[i]);
	if (pipe(way_out.pipe))
		return err_set(e, ERR_IO, ERR_NOWHERE, "pipe: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		fcntl(way_out.pipe[i], F_SETFL, O_NONBLOCK);
		fcntl(way_out.pipe[i], F_SETFD, FD_CLOEXEC);
	}
	return 0;
}

void restore_add_reset(const char *bytes, size_t n)
{
	if (way_out.nreset + n >= sizeof way_out.reset)
		return;
	memcpy(way_out.reset + way_out.nreset, bytes, n);
	way_out.nreset += n;
}

void restore_arm(int out)
{
	way_out.out = out;
	way_out.ending = 0;
	way_out.open = 1;
	ending_terminal(restore_now);
	restore_watch_signals(true);
}

void restore_disarm(void)
{
	way_out.open = 0;
	ending_terminal(NULL);
}

void restore_settings(void)
{
	tcsetattr(way_out.in, TCSADRAIN, &way_out.saved);
}

int restore_signal_fd(void)
{
	return way_out.pipe[0];
}

int restore_read_signal(void)
{
	char c;
	return read(way_out.pipe[0], &c, 1) == 1 ? c : 0;
}

void restore_close(void)
{
	close(way_out.pipe[0]);
	close(way_out.pipe[1]);
}
