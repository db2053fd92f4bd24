/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Children at the end of the program: one that a thread starts while another thread handles a fatal signal is killed too. */
#include "config.h"
#include "base/ending.h"
#include "tap.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int go[2], forked[2], life[2];

/* The handler has begun: let the thread start its child, which is registered only after the handler continues. */
static void on_restore(void)
{
	char c = 0;
	if (write(go[1], &c, 1) != 1 || read(forked[0], &c, 1) != 1)
		_exit(3);
}

static void *start_child(void *ready)
{
	sigset_t before;
	char c = 0;
	int child = ending_begin_child(&before);
	if (write(*(int *)ready, &c, 1) != 1 || read(go[0], &c, 1) != 1)
		_exit(3);
	pid_t pid = fork();
	if (!pid) {
		poll(NULL, 0, 5000);
		_exit(write(life[1], &c, 1) != 1);	/* not killed */
	}
	if (write(forked[1], &c, 1) != 1)
		_exit(3);
	poll(NULL, 0, 20);
	ending_started_child(child, pid, &before);
	for (;;)
		pause();
}

/* A process that gets SIGTERM while a thread of it starts a child. */
static void end_while_starting(void)
{
	int ready[2];
	char c;
	pthread_t thread;
	ending_start();
	ending_terminal(on_restore);
	if (pipe(go) || pipe(forked) || pipe(ready) || pthread_create(&thread, NULL, start_child, &ready[1]) ||
	    read(ready[0], &c, 1) != 1)
		_exit(3);
	raise(SIGTERM);
	_exit(3);
}

static void test_child_of_last_moment(void)
{
	int status = 0;
	char c;
	OK(!pipe(life));
	pid_t pid = fork();
	if (!pid) {
		close(life[0]);
		end_while_starting();
	}
	close(life[1]);
	OK(read(life[0], &c, 1) == 0);
	OK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	close(life[0]);
}

static void *work_for_ever(void *arg)
{
	while (pause() < 0)
		;
	return arg;
}

/* A program that is to end does so although it waits for work that does not. */
static void test_end_soon(void)
{
	enum { TRIES = 1000 };
	int status = 0;
	pid_t pid = fork(), ended = 0;
	if (!pid) {
		pthread_t thread;
		ending_start();
		ending_soon(7);
		ending_soon(8);
		if (!pthread_create(&thread, NULL, work_for_ever, NULL))
			pthread_join(thread, NULL);
		_exit(3);
	}
	for (int i = 0; i < TRIES && !(ended = waitpid(pid, &status, WNOHANG)); i++)
		poll(NULL, 0, 20);
	OK(ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
	if (!ended)
		kill(pid, SIGKILL);
}

static bool blocks_term(void)
{
	sigset_t now;
	return !pthread_sigmask(SIG_BLOCK, NULL, &now) && sigismember(&now, SIGTERM);
}

/* Too many children are refused, and signals are as they were. */
static void test_many_children(void)
{
	enum { MANY = 10000 };
	static int child[MANY];
	sigset_t before, other;
	int n = 0;
	while (n < MANY && (child[n] = ending_begin_child(&before)) >= 0) {
		ending_started_child(child[n], getpid(), &before);
		n++;
	}
	OK(n > 64 && n < MANY);
	OK(!blocks_term());
	ending_forget_child(child[0]);
	OK(ending_begin_child(&before) == child[0]);
	OK(blocks_term() && !sigismember(&before, SIGTERM));
	OK(ending_begin_child(&other) == -1);
	ending_started_child(child[0], 0, &before);
	OK(!blocks_term());
	while (n--)
		ending_forget_child(child[n]);
}

int main(void)
{
	test_child_of_last_moment();
	test_end_soon();
	test_many_children();
	return DONE();
}
