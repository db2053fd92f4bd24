/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Runs one child at a time and waits for it. posix_spawn() is used instead of fork(), because threads may be running.
 * No shell is used, because the arguments include file names from a profile. The child's locale is C, because its
 * output is parsed, and it may not query debuginfod servers. A child that exceeds the time limit is killed,
 * and so is one whose job is cancelled.
 *
 * Its input is an unnamed file, not a pipe: to write to a pipe while reading from the other takes two loops in one, or
 * a thread.
 */
#include "config.h"
#include "base/subprocess.h"

#include "base/clock.h"
#include "base/ending.h"
#include "base/job.h"
#include "base/mem/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60, CHUNK = 1 << 16, POLL_MS = 100 };
extern char **environ;

bool subprocess_forbidden(void)
{
	return getenv("TTRACESECURE") != NULL;
}

/* Return the environment without the variables that change the language or make the child query servers. */
static char **child_environment(void)
{
	static char locale[] = "LC_ALL=C";
	static const char *const not[] = {"LC_ALL=", "LANGUAGE=", "DEBUGINFOD_URLS="};
	size_t n = 0, k = 0;
	while (environ[n])
		n++;
	char **env = xcalloc(n + 2, sizeof *env);
	for (size_t i = 0; i < n; i++) {
		bool keep = true;
		for (size_t j = 0; j < sizeof not / sizeof *not; j++)
			keep &= strncmp(environ[i], not[j], strlen(not[j])) != 0;
		if (keep)
			env[k++] = environ[i];
	}
	env[k] = locale;
	return env;
}

/* Start a child. in: the standard input, or -1 for /dev/null. *child: its number for ending_forget_child(). Return 0 or an
   error number. */
static int spawn_child(const char *const *argv, int in, int out, pid_t *pid, int *child)
{
	posix_spawn_file_actions_t act;
	posix_spawnattr_t attr;
	sigset_t none, ignored, before;
	posix_spawn_file_actions_init(&act);
	if (in >= 0)
		posix_spawn_file_actions_adddup2(&act, in, STDIN_FILENO);
	else
		posix_spawn_file_actions_addopen(&act, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&act, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&act, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	sigaddset(&ignored, SIGXFSZ);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &ignored);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	char **env = child_environment();
	size_t n = 0;
	while (argv[n])
		n++;
	char **copy = xcalloc(n + 1, sizeof *copy);
	for (size_t i = 0; i < n; i++)
		copy[i] = xstrdup(argv[i]);
	int rc = EAGAIN;
	if ((*child = ending_begin_child(&before)) >= 0) {
		rc = posix_spawnp(pid, argv[0], &act, &attr, copy, env);
		ending_started_child(*child, rc ? 0 : *pid, &before);
	}
	for (size_t i = 0; i < n; i++)
		mem_free(copy[i]);
	mem_free(copy);
	mem_free(env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&act);
	return rc;
}

/* Read until the end of output. Return NULL, or the reason for stopping early. */
static const char *read_output(int fd, struct buf *out, size_t max)
{
	int64_t began = clock_ms();
	char *chunk = xmalloc(CHUNK);
	const char *why = NULL;
	size_t got = 0;
	while (!why) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int ready = poll(&p, 1, POLL_MS);
		if (clock_ms() - began > SECONDS * 1000)
			why = "timed out";
		if (job_here_cancelled())
			why = "cancelled";
		if (ready <= 0)
			continue;
		ssize_t n = read(fd, chunk, CHUNK);
		if (n == 0)
			break;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			why = "cannot read its output";
		if (n > 0 && (got += (size_t)n) > max)
			why = "prints too much output";
		else if (n > 0)
			buf_put(out, chunk, (size_t)n);
	}
	mem_free(chunk);
	return why;
}

static int run_child(const char *const *argv, int in, struct buf *out, size_t max, struct err *e)
{
	int fd[2], status = 0, child;
	pid_t pid;
	if (subprocess_forbidden())
		return err_set(e, ERR_LIMIT, ERR_NOWHERE, "%s was not run because TTRACESECURE is set", argv[0]);
	if (pipe(fd))
		return err_set(e, ERR_IO, ERR_NOWHERE, "%s: %s", argv[0], strerror(errno));
	fcntl(fd[0], F_SETFD, FD_CLOEXEC);
	fcntl(fd[1], F_SETFD, FD_CLOEXEC);
	int rc = spawn_child(argv, in, fd[1], &pid, &child);
	close(fd[1]);
	if (rc) {
		close(fd[0]);
		return err_set(e, ERR_IO, ERR_NOWHERE, "cannot run %s: %s", argv[0], strerror(rc));
	}
	const char *why = read_output(fd[0], out, max);
	close(fd[0]);
	if (why)
		kill(pid, SIGKILL);
	ending_forget_child(child);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (why)
		return err_set(e, job_here_cancelled() ? ERR_CANCEL : ERR_LIMIT, ERR_NOWHERE, "%s: %s", argv[0], why);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && !out->n)
		return err_set(e, ERR_IO, ERR_NOWHERE, "cannot run %s", argv[0]);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "%s failed", argv[0]);
	return 0;
}

int subprocess_run(const char *const *argv, struct buf *out, size_t max, struct err *e)
{
	return run_child(argv, -1, out, max, e);
}

/* Return a file in memory, where the system has these: a report may not create files (base/sandbox.h). */
static FILE *unnamed_file(void)
{
#ifdef HAVE_MEMFD_CREATE
	int fd = memfd_create("ttrace", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");
	if (f)
		return f;
	if (fd >= 0)
		close(fd);
#endif
	return tmpfile();
}

int subprocess_filter(const char *const *argv, const struct buf *in, struct buf *out, size_t max, struct err *e)
{
	FILE *f = unnamed_file();
	if (!f || fcntl(fileno(f), F_SETFD, FD_CLOEXEC) || fwrite(in->p, 1, in->n, f) != in->n || fflush(f) ||
	    lseek(fileno(f), 0, SEEK_SET)) {
		err_set(e, ERR_LIMIT, ERR_NOWHERE, "%s: its input cannot be written: %s", argv[0], strerror(errno));
		if (f)
			fclose(f);
		return -1;
	}
	int rc = run_child(argv, fileno(f), out, max, e);
	fclose(f);
	return rc;
}
