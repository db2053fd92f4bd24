/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Two parts of Linux. Landlock (5.13 and later) refuses to open files for writing, to create, rename and remove them, and to
 * run them, except below folders that are named. A filter of system calls refuses what Landlock does not cover: sockets,
 * io_uring, changes of owner, mode, times and attributes of files, truncate() (covered from Linux 6.2 on), signals to and
 * changes of other processes, keys, and input that a program puts into its own terminal, which the shell would run later.
 * A refused call fails with EPERM or EACCES, and its caller reports it as any other error. Elsewhere, and on older systems,
 * nothing is refused.
 *
 * A program that may run others may also kill them. A filter cannot know their ids, so there Landlock (Linux 6.12 and
 * later) limits signals to the program itself and its children.
 *
 * Both apply to a thread, and threads share their memory, so a thread with more rights would lend them to all. Therefore
 * the sandbox is for the whole program: for reports, and for the viewer only where the user has given up the same rights
 * (TTRACESECURE). Elsewhere the viewer runs editors, fetches profiles and writes files until its end.
 *
 * Not taken: libseccomp. The filter compares the number of a call with some sixty others, and each host would need the
 * library.
 */
#include "config.h"
#include "base/sandbox.h"

#include <stdlib.h>

#if defined HAVE_LINUX_LANDLOCK_H && defined HAVE_LINUX_SECCOMP_H
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- files */

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1u << 14)
#endif
#ifndef LANDLOCK_SCOPE_SIGNAL
#define LANDLOCK_SCOPE_SIGNAL (1u << 1)
#endif

enum {
	RENAMING = LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE,
	CREATING = RENAMING | LANDLOCK_ACCESS_FS_WRITE_FILE,
	OTHER_CHANGES = LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
			LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
			LANDLOCK_ACCESS_FS_MAKE_SYM,
	/* the first versions of Landlock with LANDLOCK_ACCESS_FS_TRUNCATE and LANDLOCK_SCOPE_SIGNAL */
	TRUNCATE_VERSION = 3,
	SIGNAL_VERSION = 6,
};

/* struct landlock_ruleset_attr of Linux 6.12. Earlier versions accept the members that they do not know if these are 0. */
struct ruleset { uint64_t files, network, scopes; };

/* Allow `what` for this path and all below it. NULL, and a path that does not exist, need no rule. */
static bool allow_below(int rules, const char *path, uint64_t what)
{
	int fd = path ? open(path, O_PATH | O_CLOEXEC) : -1;
	if (fd < 0)
		return true;
	struct landlock_path_beneath_attr a = {.allowed_access = what, .parent_fd = fd};
	bool ok = !syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &a, 0);
	close(fd);
	return ok;
}

/* Refuse changes of files, and signals to other processes if refuse_calls() cannot. */
static bool refuse_files(const struct sandbox_may *may)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	uint64_t truncating = version >= TRUNCATE_VERSION ? LANDLOCK_ACCESS_FS_TRUNCATE : 0;
	uint64_t running = may->run ? 0 : LANDLOCK_ACCESS_FS_EXECUTE;
	struct ruleset a = {.files = CREATING | OTHER_CHANGES | truncating | running,
	    .scopes = may->run && version >= SIGNAL_VERSION ? LANDLOCK_SCOPE_SIGNAL : 0};
	int rules = version < 1 ? -1 : (int)syscall(SYS_landlock_create_ruleset, &a, sizeof a, 0);
	if (rules < 0)
		return false;
	bool ok = allow_below(rules, may->rename_in, RENAMING) && allow_below(rules, may->create_in, CREATING) &&
		  (!may->run || allow_below(rules, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE)) &&
		  !syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
	return ok;
}

/* ---- system calls */

/* The architecture whose numbers of system calls this program is compiled with. */
#if defined __x86_64__ && !defined __ILP32__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__ && !defined __AARCH64EB__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined __s390x__
#define ARCHITECTURE AUDIT_ARCH_S390X
#elif defined __riscv && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined __powerpc64__ && defined __LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#endif

#ifdef ARCHITECTURE
/* Calls that older headers do not have; their numbers are the same on every architecture. */
enum { CALL_FCHMODAT2 = 452, CALL_SETXATTRAT = 463, CALL_REMOVEXATTRAT = 466, CALL_FILE_SETATTR = 469,
	CALL_PIDFD_SEND_SIGNAL = 424, CALL_PIDFD_GETFD = 438, CALL_PROCESS_MADVISE = 440 };
enum { X32_CALLS = 0x40000000 };	/* on x86-64, numbers from here on are another set of the same calls */

static const uint32_t running_calls[] = {SYS_execve, SYS_execveat};

/* LeakSanitizer stops the threads of its own process by ptrace() when the program ends. */
#if defined(__SANITIZE_ADDRESS__)
#define LEAKS_ARE_FOUND 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAKS_ARE_FOUND 1
#endif
#endif

static const uint32_t refused_calls[] = {
#ifndef LEAKS_ARE_FOUND
	SYS_ptrace,
#endif
	SYS_socket, SYS_truncate,
	SYS_fchmod, SYS_fchmodat, CALL_FCHMODAT2, SYS_fchown, SYS_fchownat, SYS_utimensat, CALL_FILE_SETATTR,
	SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, CALL_SETXATTRAT, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
	CALL_REMOVEXATTRAT,
	/* signals to other processes, their memory, descriptors and priorities */
	SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, CALL_PIDFD_SEND_SIGNAL, SYS_process_vm_readv,
	SYS_process_vm_writev, CALL_PROCESS_MADVISE, CALL_PIDFD_GETFD, SYS_setpriority, SYS_ioprio_set,
	SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr,
	SYS_keyctl, SYS_add_key, SYS_request_key,
	/* what outlives the program */
	SYS_mq_open,
#ifdef SYS_shmget
	SYS_shmget, SYS_msgget, SYS_semget,
#endif
#ifdef SYS_io_uring_setup
	SYS_io_uring_setup,
#endif
#ifdef SYS_chmod	/* newer architectures have only the calls above */
	SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
#ifdef __GLIBC__	/* musl raises signals by it */
	SYS_tkill,
#endif
};

/* Calls whose first argument is a process, and 0 the caller: they are refused for others. */
static const uint32_t own_calls[] = {SYS_prlimit64, SYS_sched_setaffinity};

#define COUNT(a) (sizeof(a) / sizeof *(a))
struct program {
	struct sock_filter step[48 + 2 * (COUNT(running_calls) + COUNT(refused_calls)) + 8 * COUNT(own_calls)];
	unsigned short n;
};

static void add_step(struct program *p, struct sock_filter step)
{
	p->step[p->n++] = step;
}

static void load_word(struct program *p, size_t offset)
{
	add_step(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* Refuse the call if the comparison `op` of the loaded word with the value has the result `is`. */
static void refuse_if(struct program *p, uint16_t op, uint32_t value, bool is)
{
	add_step(p, (struct sock_filter)BPF_JUMP(BPF_JMP | op | BPF_K, value, !is, is));
	add_step(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */));
}

/* Return the offset, in a word of 64 bits, of its low half: the kernel uses only that of ids and requests. */
static size_t low_half(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
}

/* If the loaded number is that of the call, load this argument and do the next n steps; else skip these. */
static void begin_call(struct program *p, uint32_t call, size_t argument, uint8_t n)
{
	add_step(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, (uint8_t)(n + 1)));
	load_word(p, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t) + low_half());
}

/* Refuse the ioctl() requests that put input into a terminal (TIOCLINUX pastes on a console), and those that change
   attributes of a file. */
static void refuse_requests(struct program *p)
{
	static const uint32_t requests[] = {TIOCSTI, TIOCLINUX, (uint32_t)FS_IOC_SETFLAGS, (uint32_t)FS_IOC_FSSETXATTR};
	begin_call(p, SYS_ioctl, 1, 2 * COUNT(requests) + 1);
	for (size_t i = 0; i < COUNT(requests); i++)
		refuse_if(p, BPF_JEQ, requests[i], true);
	load_word(p, offsetof(struct seccomp_data, nr));
}

/* Refuse the call unless its first argument is 0 or this process. */
static void refuse_others(struct program *p, uint32_t call)
{
	begin_call(p, call, 0, 4);
	add_step(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0));
	refuse_if(p, BPF_JEQ, (uint32_t)getpid(), false);
	load_word(p, offsetof(struct seccomp_data, nr));
}

/* Refuse kill() of others, but not to stop the job (0), as ^Z does; and tgkill() of other processes. */
static void refuse_signals(struct program *p)
{
	begin_call(p, SYS_kill, 0, 7);
	add_step(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 5, 0));
	refuse_if(p, BPF_JEQ, 0, false);
	load_word(p, offsetof(struct seccomp_data, args) + sizeof(uint64_t) + low_half());
	add_step(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGTSTP, 1, 0));
	add_step(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */));
	load_word(p, offsetof(struct seccomp_data, nr));
	begin_call(p, SYS_tgkill, 0, 3);
	refuse_if(p, BPF_JEQ, (uint32_t)getpid(), false);
	load_word(p, offsetof(struct seccomp_data, nr));
}

static bool refuse_calls(bool run)
{
	struct program p = {.n = 0};
	load_word(&p, offsetof(struct seccomp_data, arch));
	refuse_if(&p, BPF_JEQ, ARCHITECTURE, false);
	load_word(&p, offsetof(struct seccomp_data, nr));
	if (ARCHITECTURE == AUDIT_ARCH_X86_64)
		refuse_if(&p, BPF_JGE, X32_CALLS, true);
	for (size_t i = 0; !run && i < COUNT(running_calls); i++)
		refuse_if(&p, BPF_JEQ, running_calls[i], true);
	for (size_t i = 0; i < COUNT(refused_calls); i++)
		refuse_if(&p, BPF_JEQ, refused_calls[i], true);
	for (size_t i = 0; i < COUNT(own_calls); i++)
		refuse_others(&p, own_calls[i]);
	if (!run)
		refuse_signals(&p);
	refuse_requests(&p);
	add_step(&p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	struct sock_fprog filter = {.len = p.n, .filter = p.step};
	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}
#else
static bool refuse_calls(bool run)
{
	(void)run;
	return false;
}
#endif

static bool give_up(const struct sandbox_may *may)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return false;
	bool files = refuse_files(may), calls = refuse_calls(may->run);
	return files && calls;
}
#else
static bool give_up(const struct sandbox_may *may)
{
	(void)may;
	return false;
}
#endif

bool sandbox_enter(const struct sandbox_may *may)
{
	return !getenv("TTRACE_NO_SANDBOX") && give_up(may);
}
