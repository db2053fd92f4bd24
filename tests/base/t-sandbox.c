/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Actions that are possible and impossible after sandbox_enter(). Each case is a child process, because rights cannot be
   restored. */
#include "config.h"
#include "base/sandbox.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENTERED = 0, NOT_WHOLE = 77, WRONG = 1 };

/* ---- attempts; each returns whether it was possible */

static bool can_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool can_read(void)
{
	return can_open("kept", O_RDONLY);
}

static bool can_overwrite(void)
{
	return can_open("kept", O_WRONLY);
}

static bool can_truncate(void)
{
	return !truncate("kept", 0);
}

static bool can_create(void)
{
	return can_open("folder/created", O_WRONLY | O_CREAT);
}

static bool can_rename(void)
{
	return !rename("folder/old", "folder/new");
}

static bool can_remove(void)
{
	return !unlink("folder/removed");
}

static bool can_make_folder(void)
{
	return !mkdir("folder/made", 0700);
}

static bool can_link(void)
{
	return !symlink("kept", "folder/link");
}

static bool can_change_mode(void)
{
	return !chmod("kept", 0644);
}

/* Return whether one of the changes of an open file was made, or failed for another reason than the sandbox's. */
static bool can_change_open_file(void)
{
	int fd = open("kept", O_RDONLY | O_CLOEXEC);
	bool made = !fchmod(fd, 0644) || errno != EPERM;
	made |= !fchown(fd, getuid(), getgid()) || errno != EPERM;
	made |= !futimens(fd, NULL) || errno != EPERM;
#ifdef __linux__
	made |= !syscall(SYS_fsetxattr, fd, "user.x", "y", 1, 0) || errno != EPERM;
	made |= !syscall(SYS_removexattr, "kept", "user.x") || errno != EPERM;
	made |= !syscall(SYS_lremovexattr, "kept", "user.x") || errno != EPERM;
	made |= !syscall(SYS_fremovexattr, fd, "user.x") || errno != EPERM;
#endif
	close(fd);
	return made;
}

static bool can_signal_others(void)
{
	return !kill(getppid(), 0);
}

/* Return whether Landlock (Linux 6.12 and later) can refuse signals where programs may be run. */
static bool signals_have_scope(void)
{
#ifdef SYS_landlock_create_ruleset
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 6;
#else
	return false;
#endif
}

/* A child that is not killed ends when the pipe is closed. */
static bool can_kill_child(void)
{
	int fd[2], status = 0;
	if (pipe(fd))
		return false;
	pid_t pid = fork();
	if (!pid) {
		char c;
		close(fd[1]);
		_exit((int)read(fd[0], &c, 1));
	}
	bool killed = pid > 0 && !kill(pid, SIGKILL);
	close(fd[0]);
	close(fd[1]);
	return waitpid(pid, &status, 0) == pid && killed && WIFSIGNALED(status);
}

static bool can_signal_itself(void)
{
	/* as the leader of a group, which is stopped as by ^Z */
	return !setpgid(0, 0) && signal(SIGTSTP, SIG_IGN) != SIG_ERR && !kill(0, SIGTSTP) && !kill(getpid(), 0) && !raise(0);
}

static bool can_limit_others(void)
{
#ifdef __linux__
	struct rlimit old;
	return !prlimit(getppid(), RLIMIT_NOFILE, NULL, &old);
#else
	return true;
#endif
}

static bool can_read_own_limits(void)
{
	struct rlimit old;
	return !getrlimit(RLIMIT_NOFILE, &old);
}

/* The system may refuse keys by itself. */
static bool can_use_keys(void)
{
#ifdef SYS_keyctl
	return syscall(SYS_keyctl, 0, -3, 0, 0, 0) >= 0 || errno != EPERM;
#else
	return true;
#endif
}

static bool can_open_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Return whether one of the requests was carried out: for a file the kernel returns ENOTTY, the sandbox another error. */
static bool can_put_input(void)
{
	static const unsigned long requests[] = {TIOCSTI, TIOCLINUX};
	bool made = false;
	int fd = open("kept", O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		made |= !ioctl(fd, requests[i], "x") || errno == ENOTTY;
	close(fd);
	return made;
}

static bool can_run(void)
{
	int status = 0;
	pid_t pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", ":", (char *)NULL);
		_exit(1);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

static void *set_if_overwritten(void *arg)
{
	*(bool *)arg = can_overwrite();
	return NULL;
}

static bool can_overwrite_in_thread(void)
{
	bool yes = false;
	pthread_t t;
	if (pthread_create(&t, NULL, set_if_overwritten, &yes))
		return true;
	pthread_join(t, NULL);
	return yes;
}

enum what { NOTHING, RUN, RENAME, CREATE };	/* rights that the sandbox keeps */

static const struct attempt {
	const char *name;
	bool (*can)(void);
	bool possible[4];	/* for each enum what */
} attempts[] = {
	{"read a file", can_read, {true, true, true, true}},
	{"overwrite a file", can_overwrite, {false, false, false, false}},
	{"overwrite a file in a new thread", can_overwrite_in_thread, {false, false, false, false}},
	{"truncate a file", can_truncate, {false, false, false, false}},
	{"create a file", can_create, {false, false, false, true}},
	{"rename a file", can_rename, {false, false, true, true}},
	{"remove a file", can_remove, {false, false, true, true}},
	{"make a folder", can_make_folder, {false, false, false, false}},
	{"make a symbolic link", can_link, {false, false, false, false}},
	{"change a mode", can_change_mode, {false, false, false, false}},
	{"change an open file", can_change_open_file, {false, false, false, false}},
	{"signal others", can_signal_others, {false, false, false, false}},
	{"kill a child", can_kill_child, {false, true, false, false}},
	{"signal itself", can_signal_itself, {true, true, true, true}},
	{"limit others", can_limit_others, {false, false, false, false}},
	{"read its own limits", can_read_own_limits, {true, true, true, true}},
	{"use keys", can_use_keys, {false, false, false, false}},
	{"open a socket", can_open_socket, {false, false, false, false}},
	{"put input into a terminal", can_put_input, {false, false, false, false}},
	{"run a program", can_run, {false, true, false, false}},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	OK(fd >= 0 && !close(fd));
}

/* Make the attempt in a child: within the sandbox if `within`. Return the child's exit status. */
static int attempt_in_child(const struct attempt *a, enum what w, bool within)
{
	int status = 0, kept_open;
	make_file("kept");
	make_file("folder/old");
	make_file("folder/removed");
	unlink("folder/created");
	unlink("folder/link");
	rmdir("folder/made");
	kept_open = open("kept", O_WRONLY | O_CLOEXEC);
	pid_t pid = fork();
	if (!pid) {
		struct sandbox_may may = {.run = w == RUN, .rename_in = w == RENAME ? "folder" : NULL,
		    .create_in = w == CREATE ? "folder" : NULL};
		if (within && !sandbox_enter(&may))
			_exit(NOT_WHOLE);
		bool writes = write(kept_open, "x", 1) == 1;	/* a descriptor that is open stays usable */
		_exit(writes && a->can() == (within ? a->possible[w] : true) ? ENTERED : WRONG);
	}
	OK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	close(kept_open);
	return WEXITSTATUS(status);
}

static void try_attempt(const struct attempt *a)
{
	OK(a->can == can_use_keys || attempt_in_child(a, NOTHING, false) == ENTERED);
	for (enum what w = NOTHING; w <= CREATE; w++) {
		if (w == RUN && a->can == can_signal_others && !signals_have_scope())
			continue;
		bool right = attempt_in_child(a, w, true) == ENTERED;
		if (!right)
			fprintf(stderr, "%s: it should be %s in the sandbox of kind %d\n", a->name,
			    a->possible[w] ? "possible" : "impossible", (int)w);
		OK(right);
	}
}

static void clean_up(const char *dir)
{
	static const char *const made[] = {"kept", "folder/old", "folder/new", "folder/removed", "folder/created",
	    "folder/link"};
	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		unlink(made[i]);
	rmdir("folder/made");
	OK(!rmdir("folder") && !chdir("/") && !rmdir(dir));
}

static void try_environment(void)
{
	setenv("TTRACE_NO_SANDBOX", "1", 1);
	OK(attempt_in_child(&attempts[0], NOTHING, true) == NOT_WHOLE);
	unsetenv("TTRACE_NO_SANDBOX");
}

int main(void)
{
	char dir[] = "/tmp/t-sandbox.XXXXXX";
	unsetenv("TTRACE_NO_SANDBOX");
	OK(mkdtemp(dir) && !chdir(dir) && !mkdir("folder", 0700));
	if (attempt_in_child(&attempts[0], NOTHING, true) == NOT_WHOLE) {
		puts("this system has no Landlock, or no filter of system calls");
		clean_up(dir);
		return NOT_WHOLE;
	}
	for (size_t i = 0; i < ATTEMPTS; i++)
		try_attempt(&attempts[i]);
	try_environment();
	clean_up(dir);
	return DONE();
}
