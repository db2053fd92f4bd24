/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Keys in the viewer. An input has three parts: a byte that selects the size and the style of the screen; keys in the notation
 * of -script, up to the end of the line; and the contents of the file to open, which is in memory. The screen is drawn after
 * each key, and twice more at the end. Properties: these two screens are equal, and each cell can be printed. Drawing takes
 * most of the time, so only one size of the screen is large. With TTRACESECURE keys cannot write files or run programs.
 */
#include "config.h"
#include "check.h"

#include "base/mem/mem.h"
#include "cli/options.h"
#include "tests/viewer.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { KEYS_MAX_BYTES = 64 };

static const struct { int rows, cols; } sizes[] = {{24, 80}, {12, 60}, {8, 40}, {1, 1}, {43, 132}, {5, 20}, {10, 120}, {9, 41}};

static void try_keys(struct app *a, const char *keys, size_t n, struct grid *g, struct grid *again)
{
	while (n) {
		int32_t key;
		size_t k = keys_parse(keys, n, &key);
		app_key(a, key);
		struct app_requests r = app_take_requests(a);
		app_requests_free(&r);
		app_wait(a);
		app_take_results(a, true);
		app_draw(a, g);
		check(viewer_cells_valid(g), "a cell that cannot be printed");
		keys += k;
		n -= k;
	}
	app_draw(a, g);
	app_draw(a, again);
	check(viewer_same(g, again), "a screen that differs when it is drawn again");
}

/* Open the file in a viewer and press the keys. Return the session that is open at the end. */
static struct session *try_viewer(const struct options *o, struct session *s, uint8_t look, const char *keys, size_t n)
{
	struct err e = {0};
	struct app_setup u = {.rows = sizes[look & 7].rows, .cols = sizes[look & 7].cols, .ascii = look & 8,
	    .look = {TH_DARK, look & 16 ? 256 : 0}};
	struct app *a = app_new(o, s, &u, &e);
	check(a, "no viewer for a file that was read");
	struct grid *g = grid_new(1, 1, false), *again = grid_new(1, 1, false);
	try_keys(a, keys, n, g, again);
	grid_free(g);
	grid_free(again);
	s = app_session(a);
	app_free(a);
	return s;
}

/* Return a file in memory, made once. */
static int start(void)
{
	setenv("TTRACESECURE", "1", 1);
	setlocale(LC_CTYPE, "C.UTF-8");
	mem_set_budget((size_t)256 << 20);
#ifdef HAVE_MEMFD_CREATE
	return memfd_create("input", MFD_CLOEXEC);
#else
	return -1;
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static int fd = -1;
	static char program[] = "ttrace", word[] = "view";
	char name[40];
	if (fd < 0)
		fd = start();
	const uint8_t *line = n ? memchr(p + 1, '\n', n - 1) : NULL;
	size_t size = line ? n - (size_t)(line + 1 - p) : 0;
	if (fd < 0 || !line || line - p > KEYS_MAX_BYTES || ftruncate(fd, 0) || pwrite(fd, line + 1, size, 0) != (ssize_t)size)
		return 0;
	struct options o;
	struct err e = {0};
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	check(!options_parse(&o, 3, (char *[]){program, word, name, NULL}, &e), "the options are refused");
	struct session *s = session_open(&o, &e);
	if (s && !session_wait(s, &e))
		s = try_viewer(&o, s, *p, (const char *)p + 1, (size_t)(line - p) - 1);
	if (s)
		session_close(s);
	options_free(&o);
	return 0;
}
