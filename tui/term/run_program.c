/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Running other programs on the terminal: an editor, and commands that read text from their input.
 * The terminal is given to them in its original state, with the original signal handlers; while a
 * program runs, ^C is ignored here, because it is meant for the program. A shell starts them,
 * because users write commands for a shell.
 */
#include "config.h"
#include "term/term.h"

#include "base/put.h"
#include "term/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int term_edit(struct term *t, const char *file, int64_t line)
{
	char at[32];
	snprintf(at, sizeof at, "+%lld", (long long)(line > 0 ? line : 1));
	term_leave(t);
	restore_watch_signals(false);
	signal(SIGINT, SIG_IGN);	/* ^C is for the editor */
	pid_t pid = fork();
	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		dup2(term_tty(t), STDIN_FILENO);
		/* the editor may be a command with arguments, which the shell splits */
		execlp("sh", "sh", "-c", "exec ${VISUAL:-${EDITOR:-vi}} \"$@\"", "sh", at, file,
		    (char *)NULL);
		_exit(127);
	}
	int status = -1;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	restore_watch_signals(true);
	term_back(t);
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) != 127 ? 0 : -1;
}

/* Write the text to the command; it need not read all of it. */
static void write_all(int fd, const char *s, size_t n)
{
	(void)put_all(fd, s, n);
	close(fd);
}

static void wait_for_enter(struct term *t, int status)
{
	static const char words[] = "[ttrace: press Enter to return]";
	char c = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		fprintf(stdout, "[ttrace: exit %d]\r\n", WEXITSTATUS(status));
	fputs(words, stdout);
	fflush(stdout);
	while (c != '\n' && c != '\r' && c != 'q' && read(term_tty(t), &c, 1) == 1)
		;
}

int term_pipe(struct term *t, const char *command, const char *s, size_t n)
{
	int end[2], status = -1;
	if (pipe(end))
		return -1;
	fcntl(end[1], F_SETFD, FD_CLOEXEC);
	term_leave(t);
	restore_watch_signals(false);
	signal(SIGINT, SIG_IGN);	/* ^C is for the command */
	pid_t pid = fork();
	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		dup2(end[0], STDIN_FILENO);
		close(end[0]);
		execlp("sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(end[0]);
	if (pid > 0)
		write_all(end[1], s, n);
	else
		close(end[1]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0)
		wait_for_enter(t, status);
	restore_watch_signals(true);
	term_back(t);
	return pid > 0 ? 0 : -1;
}
