/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Copying: by tmux, by the terminal (OSC 52), or into a file. Desktop programs (xclip, pbcopy) are
 * not used: over ssh they would copy on the remote machine, while the terminal is always on the
 * right one.
 */
#include "config.h"
#include "term/clipboard.h"

#include "base/subprocess.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool clipboard_supports_osc52(const char *term)
{
	static const char *const kinds[] = {"xterm", "tmux", "screen", "alacritty", "foot", "kitty", "wezterm",
	    "rxvt-unicode", "st-", "contour", "ghostty"};
	for (size_t i = 0; term && i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(term, kinds[i], strlen(kinds[i])))
			return true;
	return false;
}

void clipboard_put_osc52(struct buf *b, const char *s, size_t n)
{
	static const char digit[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *u = (const unsigned char *)s;
	buf_puts(b, "\033]52;c;");
	for (size_t i = 0; i < n; i += 3) {
		unsigned v = (unsigned)u[i] << 16 | (i + 1 < n ? (unsigned)u[i + 1] << 8 : 0) |
			     (i + 2 < n ? u[i + 2] : 0);
		buf_putc(b, digit[v >> 18 & 63]);
		buf_putc(b, digit[v >> 12 & 63]);
		buf_putc(b, i + 1 < n ? digit[v >> 6 & 63] : '=');
		buf_putc(b, i + 2 < n ? digit[v & 63] : '=');
	}
	buf_putc(b, '\a');
}

/* tmux reads it on standard input and passes it on to the outer terminal. */
bool clipboard_to_tmux(const char *s, size_t n)
{
	static const char *const argv[] = {"tmux", "load-buffer", "-w", "-", NULL};
	enum { NO_OUTPUT = 0 };
	struct buf in = {0}, out = {0};
	struct err e;
	if (!getenv("TMUX"))
		return false;
	buf_put(&in, s, n);
	bool ok = !subprocess_filter(argv, &in, &out, NO_OUTPUT, &e);
	buf_free(&in);
	buf_free(&out);
	return ok;
}

/* Write a new file that other users cannot read. */
bool clipboard_to_file(const char *s, size_t n, char *file, size_t nfile)
{
	const char *dir = getenv("TMPDIR");
	snprintf(file, nfile, "%s/ttrace-copy-XXXXXX", dir && dir[0] == '/' ? dir : "/tmp");
	int fd = mkstemp(file);
	if (fd < 0)
		return false;
	FILE *f = fdopen(fd, "w");
	bool ok = f && fwrite(s, 1, n, f) == n;
	ok = (f ? fclose(f) : close(fd)) == 0 && ok;
	if (!ok)
		unlink(file);
	return ok;
}
