/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The viewer without a terminal: takes keys, prints the last screen. For tests, screens in the
 * manual, bug reports, and `ttrace view` when its output is no terminal.
 *
 * A script contains the keys as typed; keys without a character are named in angle brackets
 * (<Enter>, <Esc>, <F1>, <^D>, and <lt> for a `<` before a name). In a file a line break is no key
 * and a line that starts with # is a comment. Without colour, states are shown as letters.
 */
#include "config.h"
#include "app/script.h"

#include "app/app.h"
#include "app/command.h"
#include "base/mem/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "80x24" */
static int parse_size(const char *s, int *rows, int *cols, struct err *e)
{
	char *end;
	long c = strtol(s, &end, 10), r = 0;
	if (*end == 'x' && end != s)
		r = strtol(end + 1, &end, 10);
	if (*end || c < 1 || r < 1 || c > 10000 || r > 10000)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-size requires COLSxROWS, as in 80x24, not %s", s);
	*rows = (int)r;
	*cols = (int)c;
	return 0;
}

static int read_file(const char *name, struct buf *b, struct err *e)
{
	char line[4096];
	FILE *f = fopen(name, "re");
	if (!f)
		return err_set(e, ERR_IO, ERR_NOWHERE, "%s: %s", name, strerror(errno));
	bool fresh = true, comment = false;
	while (fgets(line, sizeof line, f)) {
		size_t n = strcspn(line, "\r\n");
		comment = fresh ? line[0] == '#' : comment;
		fresh = line[n] != '\0';
		if (!comment)
			buf_put(b, line, n);
	}
	fclose(f);
	return 0;
}

/* Draw after each key as a terminal would, so that the cost of a key is the same. */
static void press_keys(struct app *a, struct grid *g, const char *keys, size_t n)
{
	while (n) {
		int32_t key;
		size_t k = keys_parse(keys, n, &key);
		app_key(a, key);
		app_wait(a);		/* complete what the key started before the next one */
		app_take_results(a, true);
		app_draw(a, g);
		keys += k;
		n -= k;
		struct app_requests w = app_take_requests(a);
		app_requests_free(&w);
		if (w.quit)
			break;
	}
}

typedef int put_fn(const struct buf *, struct err *);

static int play_keys(
    const struct options *o, const struct app_setup *u, const struct buf *keys, put_fn *put, struct err *e)
{
	struct session *s = session_open(o, e);
	if (!s)
		return -1;
	struct app *a = session_wait(s, e) ? NULL : app_new(o, s, u, e);
	int rc = -1;
	if (a) {
		struct buf out = {0};
		struct grid *g = grid_new(u->rows, u->cols, u->ascii);
		app_take_results(a, true);
		press_keys(a, g, keys->p, keys->n);
		if (!options_str(o, OPT_SCRIPT) && !o->v[OPT_SIZE].set && !app_has_message(a))
			app_message(a, ST_DIM, "ttrace prints one screen, because the output is not a terminal");
		app_draw(a, g);
		grid_print(g, &out, options_bool(o, OPT_ANSI) ? app_look(a) : NULL);
		grid_free(g);
		rc = put(&out, e);
		buf_free(&out);
	}
	s = a ? app_session(a) : s;
	app_free(a);
	session_close(s);
	return rc;
}

int script_run(const struct options *o, tui_report *report, bool utf8, put_fn *put, struct err *e)
{
	const char *script = options_str(o, OPT_SCRIPT), *size = options_str(o, OPT_SIZE),
		   *theme = options_str(o, OPT_THEME);
	struct app_setup u = {.ascii = !utf8 || options_bool(o, OPT_ASCII), .report = report};
	struct buf keys = {0};
	if (parse_size(size ? size : "80x24", &u.rows, &u.cols, e))
		return -1;
	int t = theme ? style_find_theme(theme) : TH_DARK;
	if (t < 0)
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "-theme=%s: use dark, light, contrast or mono", theme);
	u.look.theme = options_bool(o, OPT_MONO) ? TH_MONO : (enum theme)t;
	const char *n = options_str(o, OPT_COLOURS);
	u.look.colours = !options_bool(o, OPT_ANSI) || u.look.theme == TH_MONO ? 0
		: !n || !strcmp(n, "true") || atoi(n) > 255 ? 256 : atoi(n);
	if (script && script[0] == '@') {
		if (read_file(script + 1, &keys, e))
			return -1;
	} else if (script) {
		buf_puts(&keys, script);
	}
	int rc = play_keys(o, &u, &keys, put, e);
	buf_free(&keys);
	return rc;
}
