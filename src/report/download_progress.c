/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Waits for downloads on the command line. The lines are pprof's, without a
 * leading program name, as scripts expect them. On a terminal one more line
 * shows the progress; it is overwritten, and erased at the end.
 *
 * ^C ends the download and not the program, so that no unfinished file is left
 * behind: the signals are blocked meanwhile, and pending ones are checked ten
 * times a second, which needs no handler and no global variable.
 */
#include "config.h"
#include "report/report.h"

#include "base/clock.h"
#include "base/put.h"
#include "base/text/text.h"
#include "session/download.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

struct waiting {
	bool terminal;
	int64_t began, last_update;	/* ms */
	struct download_info what;
};

static void add_notice(void *none, bool news, const char *line)
{
	(void)none;
	(void)news;
	put_line("", line);
}

static void hold_signals(sigset_t *set, sigset_t *old)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigprocmask(SIG_BLOCK, set, old);
}

static bool is_stopped(void)
{
	sigset_t s;
	sigpending(&s);
	return sigismember(&s, SIGINT) || sigismember(&s, SIGTERM) || sigismember(&s, SIGHUP);
}

static void draw_progress(const struct waiting *w, uint64_t bytes, uint64_t total, int64_t ms)
{
	struct buf b = {0};
	text_bytes(&b, (int64_t)bytes);
	if (total)
		buf_printf(&b, ", %d%%", (int)(100.0 * (double)bytes / (double)total));
	if (w->what.seconds > 0 && !bytes && ms / 1000 <= w->what.seconds)
		buf_printf(&b, ", %lld s of %lld s", (long long)(ms / 1000), (long long)w->what.seconds);
	else
		buf_printf(&b, ", %lld s", (long long)(ms / 1000));
	buf_puts(&b, " (^C stops)");
	put_progress(buf_str(&b));
	buf_free(&b);
}

static bool report_progress(void *arg, uint64_t bytes, uint64_t total)
{
	struct waiting *w = arg;
	int64_t now = clock_ms();
	if (is_stopped())
		return false;
	if (w->terminal && now - w->began >= 500 && now - w->last_update >= 250) {
		draw_progress(w, bytes, total, now - w->began);
		w->last_update = now;
	}
	return true;
}

/* Discard pending signals: they were meant for the download, which has ended. */
static void drop_signals(const sigset_t *set, const sigset_t *old)
{
	int sig;
	while (is_stopped() && !sigwait(set, &sig))
		;
	sigprocmask(SIG_SETMASK, old, NULL);
}

int report_fetch_inputs(struct options *o, struct err *e)
{
	struct waiting w = {.terminal = isatty(STDERR_FILENO), .began = clock_ms()};
	sigset_t set, old;
	if (!download_describe(o, &w.what))
		return 0;
	const struct download_watch watch = {.input = {report_progress, &w}, .add_notice = add_notice};
	hold_signals(&set, &old);
	o->downloads = download_fetch(o, &watch, e);
	drop_signals(&set, &old);
	put_progress(NULL);
	return o->downloads ? 0 : -1;
}
