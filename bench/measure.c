/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * measure [-screen] COMMAND...: runs the command, discards its output, and prints "SECONDS KBYTES STATUS PROCESSOR": wall
 * time, peak resident memory, exit status, and processor time in user and system mode, in seconds. time(1), which prints
 * the same, is not installed on every machine. With -screen the wall time ends at the last output, because a user does
 * not wait until the system has released the program's memory. The output is read through a pipe then, which would
 * distort the time of gigabytes.
 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "config.h"
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void run(char **argv, int out)
{
	int null = open("/dev/null", O_RDWR);
	if (null >= 0) {
		dup2(null, 0);
		dup2(out < 0 ? null : out, 1);
		dup2(null, 2);
	}
	if (out >= 0)
		close(out);
	execvp(argv[0], argv);
	_exit(127);
}

/* Read all output. Return the time of the last byte, or 0 without output. */
static double drain(int in)
{
	static char room[1 << 16];
	double last = 0;
	while (read(in, room, sizeof room) > 0)
		last = now();
	return last;
}

int main(int argc, char **argv)
{
	struct rusage ru;
	int status = 0, out[2] = {-1, -1};
	bool screen = argc > 1 && !strcmp(argv[1], "-screen");
	argv += screen;
	if (argc - screen < 2 || (screen && pipe(out)))
		return 2;
	double t0 = now(), t1 = 0;
	pid_t pid = fork();
	if (pid == 0) {
		if (screen)
			close(out[0]);
		run(argv + 1, out[1]);
	}
	if (screen) {
		close(out[1]);
		t1 = drain(out[0]);
	}
	if (pid < 0 || wait4(pid, &status, 0, &ru) != pid)
		return 1;
	printf("%.3f %ld %d %.3f\n", (t1 > 0 ? t1 : now()) - t0, ru.ru_maxrss,
	    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
	    seconds(ru.ru_utime) + seconds(ru.ru_stime));
	return 0;
}
