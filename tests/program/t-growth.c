/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * No report takes time that is quadratic in anything that a file can hold. Each kind of grow.h is written with 2n and
 * 4n records and given to the reports of its format and to the viewer; the work at 4n must not be more than MOST times
 * the work at 2n. Work is processor time; the kernel counts instructions on few of the machines that run tests. A busy
 * machine is slow for some seconds, so the two are measured one after the other, and again if the second takes too long:
 * one linear pair is enough, since a quadratic step shows in each. A run of 4n below a floor passes without a comparison:
 * a quadratic step that is cheap enough to stay below it harms no user, and short times are noise. So n is large. Where
 * 2n takes less than an eighth of the floor, 4n would stay below the floor even if the work grew with the cube of n, and
 * most commands run only with 2n. Where no pair is linear, 8n is compared with 4n and decides: a quadratic step takes a
 * larger part of the work there, and the noise of a busy machine a smaller one.
 *
 * The whole matrix of kinds and commands takes a minute of processor time, and is part of `make release-check`. `make check`
 * runs a sample: one in SAMPLED of the pairs, in a pattern that has each kind and each command.
 */
#include "config.h"
#include "grow.h"
#include "sanitized.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIP = 77, N = 10000, LIMIT_S = 20, ROUNDS = 6, SAMPLED = 5 };
static const double MOST = 2.6, FLOOR_S = 0.3, CUBE = 8, FAILED = 1e9;

/* Commands: words with blanks between them; "view KEYS" runs the viewer with these keys ("view ":
   the first screen); @ is the file, once more. */
static const char *const profile_commands[] = {"top", "top @", "raw", "tags", "traces", "peek main", "dot", "speedscope",
	"findings", "findings -diff_base @", "weblist .", "view ", "view 1", "view 4G", NULL};
static const char *const trace_commands[] = {"events", "goroutines", "tasks -name=.", "regions -name=.",
	"operations -name=.", "why", "findings", "findings -diff_base @", "syscalls", "stw", "mmu",
	"locks", "channels", "stops", "greedy", "leaks", "gctax", "top -type=critical", "top -type=alloc",
	"view ", "view 6G", "view 7<Enter>G", "view W", "view ;", NULL};

static const char *program;
enum { FILES = 3 };
static char file[FILES][64];	/* with 2n, 4n and 8n records */

static void run_child(const char *command, char *path)
{
	static char size[] = "-size=120x40", script[] = "-script";
	char line[128], *arg[16], *word = line;
	int n = 0, null = open("/dev/null", O_RDWR);
	struct rlimit limit = {LIMIT_S, LIMIT_S};
	snprintf(line, sizeof line, "%s", command);
	arg[n++] = (char *)(uintptr_t)program;
	arg[n++] = strsep(&word, " ");
	if (!strcmp(arg[1], "view")) {
		arg[n++] = size;
		arg[n++] = script;
	}
	while (word)
		arg[n++] = strsep(&word, " ");
	if (!strcmp(arg[n - 1], "@"))
		arg[n - 1] = path;
	arg[n++] = path;
	arg[n] = NULL;
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	setrlimit(RLIMIT_CPU, &limit);
	setenv("TTRACE_JOBS", "1", 1);	/* the same work on machines with any number of processors */
	execv(program, arg);
	_exit(127);
}

/* Return the processor time in seconds of a command on a file; FAILED if a signal or the limit ended it. */
static double measure(const char *command, char *path)
{
	int status = 0;
	struct rusage use;
	pid_t child = fork();
	if (!child)
		run_child(command, path);
	while (wait4(child, &status, 0, &use) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 2)	/* 2: the file has nothing for that report */
		return FAILED;
	return (double)use.ru_utime.tv_sec + (double)use.ru_utime.tv_usec * 1e-6;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static bool is_linear(double small, double large)
{
	return small < FAILED && large < FAILED && (large <= FLOOR_S || large <= MOST * small);
}

/* Measure a command on file[i] and on the next one, which is twice as large, until a pair is linear, or ends by a signal.
   *small and *large are the first pair, and get the least of all pairs, or FAILED. */
static bool pair_is_linear(const char *command, int i, double *small, double *large)
{
	double a = *small, b = *large;
	for (int k = 1; k < ROUNDS && a < FAILED && b < FAILED && !is_linear(a, b); k++) {
		a = measure(command, file[i]);
		b = measure(command, file[i + 1]);
		*small = a < FAILED ? least(*small, a) : FAILED;
		*large = b < FAILED ? least(*large, b) : FAILED;
	}
	return is_linear(a, b);
}

static void write_file(const struct grow_kind *k, int which)
{
	struct buf b = {0};
	k->make(&b, (size_t)N * (2U << which));
	FILE *f = fopen(file[which], "wb");
	OK(f && fwrite(b.p, 1, b.n, f) == b.n);
	if (f)
		OK(!fclose(f));
	buf_free(&b);
}

static bool grows_linearly(const struct grow_kind *k, const char *command)
{
	double small = measure(command, file[0]), large, largest;
	if (small <= FLOOR_S / CUBE)
		return true;
	large = measure(command, file[1]);
	if (pair_is_linear(command, 0, &small, &large))
		return true;
	if (small == FAILED || large == FAILED) {
		fprintf(stderr, "%s, %s: a signal or the limit of %d s ends it\n", k->name, command, LIMIT_S);
		return false;
	}
	fprintf(stderr, "%s, %s: %.2f s for %d records, %.2f s for %d", k->name, command, small, 2 * N, large, 4 * N);
	write_file(k, 2);
	largest = measure(command, file[2]);
	bool linear = pair_is_linear(command, 1, &large, &largest) && largest > large;	/* less: the file is refused */
	if (largest < FAILED)
		fprintf(stderr, ", %.2f s for %d\n", largest, 8 * N);
	else
		fprintf(stderr, "; a signal or the limit of %d s ends it for %d\n", LIMIT_S, 8 * N);
	return linear;
}

/* Which pairs are checked: of one kind and one command, unless they are NULL; sample: of those one in SAMPLED. */
struct grow_choice { const char *kind, *command; bool sample; };

static bool is_chosen(const struct grow_choice *x, const char *kind, size_t i, const char *command, size_t k)
{
	return (!x->kind || !strcmp(kind, x->kind)) && (!x->command || !strcmp(command, x->command)) &&
	    (!x->sample || (i + k) % SAMPLED == 0);
}

/* Check the commands on the kinds of files. */
static void grow_all(const struct grow_kind *kinds, const char *const *commands, const struct grow_choice *x)
{
	for (size_t i = 0; kinds[i].name; i++) {
		bool written = false;
		for (size_t k = 0; commands[k]; k++) {
			if (!is_chosen(x, kinds[i].name, i, commands[k], k))
				continue;
			for (int size = 0; size < 2 && !written; size++)
				write_file(&kinds[i], size);
			written = true;
			OK(grows_linearly(&kinds[i], commands[k]));
		}
	}
}

/* t-growth [-all | KIND [COMMAND]] */
int main(int argc, char **argv)
{
	if (SANITIZED) {
		puts("a sanitizer changes how the time of a program grows");
		return SKIP;
	}
	bool all = argc > 1 && !strcmp(argv[1], "-all");
	struct grow_choice chosen = {all ? NULL : argv[1], argc > 2 ? argv[2] : NULL, argc < 2};
	program = getenv("TTRACE") ? getenv("TTRACE") : "./ttrace";
	for (int i = 0; i < FILES; i++)
		snprintf(file[i], sizeof file[i], "t-growth-%d-%d", (int)getpid(), i);
	grow_all(grow_profiles, profile_commands, &chosen);
	grow_all(grow_traces, trace_commands, &chosen);
	for (int i = 0; i < FILES; i++)
		unlink(file[i]);
	return DONE();
}
