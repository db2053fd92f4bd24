/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The commands below, on a profile, take at most 4 times its inflated size in memory. The profile (bench/genprof) is small,
 * so the memory of the program itself counts as well, and has as many functions as samples, because tables by function
 * take more than the stacks. Without optimisation the program itself takes more. So the memory of the viewer with a profile
 * of one sample is measured, and its excess over OWN is added to the limit.
 *
 * A second profile has 20,000 nodes with one long name. Its reports keep to the same limit, a tenth of what a copy of the
 * name for each node would take.
 */
#include "config.h"
#include "grow.h"
#include "sanitized.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* INFLATED: bytes of the profile of 50,000 samples and functions; OWN: bytes of the program as usually built */
enum { SKIP = 77, TIMES = 4, INFLATED = 9074139, OWN = 6500000, LONG_NAME = 20000 };

/* Commands: words with blanks between them; "view KEYS" runs the viewer with these keys. */
static const char *const commands[] = {"top", "top -nodecount=0 -nodefraction=0 -format=csv", "tree", "list .",
	"list . -format=json", "peek .", "peek . -format=json", "peek . -format=csv", "raw", "traces", "traces -format=json",
	"folded", "callgrind", "callgrind -call_tree", "dot", "speedscope", "flame", "proto", "findings", "top -focus=none",
	"view 1", "view 2", "view 3", "view 4", "view !", "view :tags<Enter>", "view 1234", "view 4j<Enter>r",
	"view :focus=Method1<Enter>", "view :granularity=lines<Enter>1234", NULL};
static const char *const long_name_commands[] = {"callgrind", "callgrind -call_tree", "callgrind -lines",
	"callgrind -call_tree -lines", "top -lines", "tree -lines", "dot -lines", NULL};
static size_t excess;	/* bytes by which the program itself exceeds OWN */

static void run_program(const char *program, const char *command, const char *path)
{
	static char size[] = "-size=200x60", script[] = "-script";
	char line[128], *arg[16], *word = line;
	int n = 0, null = open("/dev/null", O_RDWR);
	snprintf(line, sizeof line, "%s", command);
	arg[n++] = (char *)(uintptr_t)program;
	if (!strncmp(command, "view ", 5)) {
		arg[n++] = strsep(&word, " ");
		arg[n++] = size;
		arg[n++] = script;
	}
	while (word)
		arg[n++] = strsep(&word, " ");
	arg[n++] = (char *)(uintptr_t)path;
	arg[n] = NULL;
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	execv(program, arg);
	_exit(127);
}

/* Return the peak of the memory of a command in bytes; 0: it failed. */
static size_t measure(const char *program, const char *command, const char *path)
{
	int status = 0;
	struct rusage use;
	pid_t child = fork();
	if (!child)
		run_program(program, command, path);
	while (wait4(child, &status, 0, &use) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) < 2 ? (size_t)use.ru_maxrss * 1024 : 0;
}

static bool is_small(const char *program, const char *command, const char *path)
{
	size_t most = (size_t)TIMES * INFLATED + excess, peak = measure(program, command, path);
	if (peak && peak <= most)
		return true;
	fprintf(stderr, "%s: %zu bytes, %.2f times the profile\n", command, peak, (double)peak / (double)INFLATED);
	return false;
}

static void write_long_name(const char *path)
{
	struct buf b = {0};
	grow_long_name(&b, LONG_NAME);
	FILE *f = fopen(path, "wb");
	OK(f && fwrite(b.p, 1, b.n, f) == b.n);
	if (f)
		OK(!fclose(f));
	buf_free(&b);
}

int main(void)
{
	char path[64];
	const char *program = getenv("TTRACE") ? getenv("TTRACE") : "./ttrace";
	if (SANITIZED) {
		puts("a sanitizer uses memory of its own");
		return SKIP;
	}
	snprintf(path, sizeof path, "t-peak-%d", (int)getpid());
	OK(measure("bench/genprof", "-samples 1 -functions 1", path));
	size_t own = measure(program, "view 1234", path);
	excess = own > OWN ? own - OWN : 0;
	OK(measure("bench/genprof", "-samples 50000 -functions 50000", path));
	for (const char *const *c = commands; *c; c++)
		OK(is_small(program, *c, path));
	write_long_name(path);
	for (const char *const *c = long_name_commands; *c; c++)
		OK(is_small(program, *c, path));
	unlink(path);
	return DONE();
}
