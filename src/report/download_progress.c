/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Waits for the inputs of the command line that are fetched or piped. The lines
 * are pprof's, without a leading program name, as scripts expect them. On a
 * terminal one more line shows the progress; it is overwritten, and erased at the
 * end.
 *
 * A signal ends the program as at any other time (base/ending.h), and erases
 * that line.
 */
#include "config.h"
#include "report/report.h"

#include "base/clock.h"
#include "base/ending.h"
#include "base/put.h"
#include "base/text/text.h"
#include "session/download.h"

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
	if (w->terminal && now - w->began >= 500 && now - w->last_update >= 250) {
		draw_progress(w, bytes, total, now - w->began);
		w->last_update = now;
	}
	return true;
}

int report_fetch_inputs(struct options *o, struct err *e)
{
	struct waiting w = {.terminal = isatty(STDERR_FILENO), .began = clock_ms()};
	if (!download_describe(o, &w.what))
		return 0;
	const struct download_watch watch = {.input = {report_progress, &w}, .add_notice = add_notice};
	ending_terminal(put_erase_progress);
	o->downloads = download_fetch(o, &watch, e);
	ending_terminal(NULL);
	put_progress(NULL);
	return o->downloads ? 0 : -1;
}
