/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Handles the ways in which the program ends without returning from main().
 *
 * Each signal that would end it is handled here: the handler restores the terminal, kills children, removes unfinished
 * files, and then lets the signal have its usual effect. A signal handler has no arguments and may call only
 * async-signal-safe functions; therefore the state is static, and the paths are stored in fixed slots.
 *
 * A handler that was installed before (a sanitizer's) is called after this one. The handler runs on a separate stack,
 * because the normal stack may be exhausted.
 *
 * A worker may be the one that crashes or gets no memory while the UI thread draws. What the UI thread writes after the
 * terminal was restored would stay on it, so the worker first parks the UI thread in a handler of SIGURG, a signal that
 * nothing else uses. Only the first thread that begins to end the program does so: others are parked too.
 * The thread that ends the program waits for a thread that is starting a child, because the child's process id, by which it
 * is killed, is not known yet.
 */
#include "config.h"
#include "base/ending.h"

#include "base/job.h"
#include "base/mem/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 8, CHILDREN = 256, PATH_ROOM = 4096, STACK = 1 << 16, SIGNALS = 65, NAME_RANDOM = 6 };
enum { FREE, FILLING, SET };
enum { NO_CHILD = 0, STARTING = -1 };
#ifdef SIGRTMIN
#define FIRST_REALTIME SIGRTMIN
#define LAST_SIGNAL SIGRTMAX
#else
#define FIRST_REALTIME (NSIG)	/* there are none */
#define LAST_SIGNAL (NSIG - 1)
#endif

static struct {
	void (*_Atomic restore)(void);
	struct { _Atomic int state; char path[PATH_ROOM]; } file[FILES];
	_Atomic int child[CHILDREN];	/* process ids, NO_CHILD or STARTING */
	struct sigaction before[SIGNALS];
	char stack[STACK];
	uintptr_t main;			/* the thread that called ending_start(): the UI thread */
	_Atomic bool started, begun, parked;
	_Atomic int soon;		/* 1 + the status of ending_soon(); 0: it was not called */
} ending;

void ending_terminal(void (*restore)(void))
{
	atomic_store(&ending.restore, restore);
}

int ending_remember(const char *path)
{
	size_t n = strlen(path) + 1;
	for (int i = 0; n <= PATH_ROOM && i < FILES; i++) {
		int state = FREE;
		if (!atomic_compare_exchange_strong(&ending.file[i].state, &state, FILLING))
			continue;
		memcpy(ending.file[i].path, path, n);
		atomic_store(&ending.file[i].state, SET);
		return i;
	}
	return -1;
}

int ending_create(char *path, int *file)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";	/* 32, so five bits choose one */
	char *end = path + strlen(path) - NAME_RANDOM;
	int fd = -1;
	do {
		uint64_t bits;
		if (getentropy(&bits, sizeof bits))
			return -1;
		for (int i = 0; i < NAME_RANDOM; i++, bits >>= 5)
			end[i] = letters[bits & 31];
		*file = ending_remember(path);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0)
			ending_forget(*file);
	} while (fd < 0 && errno == EEXIST);
	return fd;
}

void ending_forget(int file)
{
	if (file >= 0)
		atomic_store(&ending.file[file].state, FREE);
}

/* A thread that ends the program waits at most a second for the UI thread, and at most ten for children that are being
   started: on a busy machine a thread may get no processor for more than a second. */
enum { TRIES = 200, CHILD_TRIES = 2000 };
static const struct timespec moment = {.tv_nsec = 5000000};

/* Wait until the program ends. */
static void park(int sig)
{
	(void)sig;
	if (job_thread_id() == ending.main)
		atomic_store(&ending.parked, true);
	for (;;)
		pause();
}

/* Make the calling thread the only one that ends the program. Wait a second at most for the UI thread to stop. */
static void stop_other_threads(void)
{
	if (!atomic_load(&ending.started))
		return;
	if (atomic_exchange(&ending.begun, true))
		park(0);
	if (job_thread_id() == ending.main)
		return;
	job_signal_thread(ending.main, SIGURG);
	for (int i = 0; i < TRIES && !atomic_load(&ending.parked); i++)
		nanosleep(&moment, NULL);
}

/* Reserve an entry of child[]; -1: there is none. */
static int reserve_child(void)
{
	for (int i = 0; i < CHILDREN; i++) {
		int none = NO_CHILD;
		if (atomic_compare_exchange_strong(&ending.child[i], &none, STARTING))
			return i;
	}
	return -1;
}

/* Either this function sees `begun`, or the thread that ends it sees STARTING. */
int ending_begin_child(sigset_t *before)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
	int child = reserve_child();
	if (child < 0)
		pthread_sigmask(SIG_SETMASK, before, NULL);
	if (child >= 0 && atomic_load(&ending.begun)) {
		atomic_store(&ending.child[child], NO_CHILD);
		pthread_sigmask(SIG_SETMASK, before, NULL);
		park(0);
	}
	return child;
}

void ending_started_child(int child, int pid, const sigset_t *before)
{
	atomic_store(&ending.child[child], pid);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

void ending_forget_child(int child)
{
	atomic_store(&ending.child[child], NO_CHILD);
}

/* Wait for children that other threads are starting, and kill all. */
static void kill_children(void)
{
	int tries = CHILD_TRIES;
	for (int i = 0; i < CHILDREN; i++) {
		int pid;
		while ((pid = atomic_load(&ending.child[i])) == STARTING && tries-- > 0)
			nanosleep(&moment, NULL);
		if (pid > 0)
			kill(pid, SIGKILL);
	}
}

void ending_delay(bool on)
{
	sigset_t urgent;
	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	pthread_sigmask(on ? SIG_BLOCK : SIG_UNBLOCK, &urgent, NULL);
}

void ending_undo(void)
{
	stop_other_threads();
	void (*restore)(void) = atomic_load(&ending.restore);
	if (restore)
		restore();
	kill_children();
	for (int i = 0; i < FILES; i++)
		if (atomic_load(&ending.file[i].state) == SET)
			unlink(ending.file[i].path);
}

void ending_soon(int status)
{
	enum { MOMENT_US = 700000 };
	int none = 0;
	if (atomic_compare_exchange_strong(&ending.soon, &none, status + 1))
		setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = MOMENT_US}, NULL);
}

static void write_stderr(const char *words, size_t n)
{
	ssize_t k = write(STDERR_FILENO, words, n);
	(void)k;
}

/* Return whether a signal is a fault of the program, not a request of the user or a limit. */
static bool is_bug(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGABRT;
}

/* Return whether the faulting instruction is executed again when the handler returns. */
static bool is_raised_again(int sig, const siginfo_t *si)
{
	return si->si_code > 0 && is_bug(sig) && sig != SIGABRT;
}

static void on_signal(int sig, siginfo_t *si, void *context)
{
	static const char words[] = "ttrace has crashed. That is a bug: please report it, with the file if you may, as "
				    "SECURITY.md says.\r\n";
	(void)context;
	if (sig == SIGBUS && mapped_repair_fault(si->si_addr))
		return;
	if (sig == SIGALRM && atomic_load(&ending.soon)) {
		ending_undo();
		_exit(atomic_load(&ending.soon) - 1);
	}
	bool took_terminal = atomic_load(&ending.restore);
	ending_undo();
	if (took_terminal && is_bug(sig))
		write_stderr(words, sizeof words - 1);
	sigaction(sig, &ending.before[sig], NULL);
	if (!is_raised_again(sig, si))
		raise(sig);
}

static bool ends_program(int sig)
{
	switch (sig) {
	case SIGKILL: case SIGSTOP:	/* cannot be caught */
	case SIGCHLD: case SIGCONT: case SIGURG: case SIGWINCH: case SIGTSTP: case SIGTTIN: case SIGTTOU:
	case SIGPIPE: case SIGXFSZ:	/* ignored: the write fails and is reported */
		return false;
	default: return sig <= SIGSYS || sig >= FIRST_REALTIME;
	}
}

void ending_start(void)
{
	struct sigaction act = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	stack_t stack = {.ss_sp = ending.stack, .ss_size = sizeof ending.stack};
	sigaltstack(&stack, NULL);
	sigfillset(&act.sa_mask);
	ending.main = job_thread_id();
	atomic_store(&ending.started, true);
	sigaction(SIGURG, &(struct sigaction){.sa_handler = park, .sa_mask = act.sa_mask}, NULL);
	signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
	signal(SIGXFSZ, SIG_IGN);
#endif
	for (int sig = 1; sig < SIGNALS && sig <= LAST_SIGNAL; sig++) {
		if (!ends_program(sig) || sigaction(sig, NULL, &ending.before[sig]))
			continue;
		bool ignored = !(ending.before[sig].sa_flags & SA_SIGINFO) && ending.before[sig].sa_handler == SIG_IGN;
		if (!ignored)
			sigaction(sig, &act, NULL);
	}
}

_Noreturn void ending_no_memory(size_t wanted)
{
	char line[80];
	int n = snprintf(line, sizeof line, "ttrace: out of memory (%zu bytes needed)\n", wanted);
	ending_undo();
	write_stderr(line, (size_t)n);
	_exit(1);
}
