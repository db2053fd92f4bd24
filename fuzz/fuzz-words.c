/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Short texts from users, servers, terminals and other programs. The first byte of an input selects the function that reads
 * the rest; readers[] has the letters. Properties: reading ends, a refusal has a message, and the result has the properties
 * that each function here checks.
 */
#include "config.h"
#include "check.h"

#include "app/internal.h"
#include "cli/options.h"
#include "files/files.h"
#include "input/http_response.h"
#include "input/url.h"
#include "base/mem/mem.h"
#include "base/text/regex.h"
#include "symbols/demangle.h"
#include "symbols/objdump.h"
#include "term/key.h"
#include "term/mouse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64, LINES_MAX = 256 };

static bool printable(const char *s)
{
	while (*s && (unsigned char)*s >= ' ' && *s != 0x7f)
		s++;
	return !*s;
}

/* Return the text after the first NUL or newline of s, and end s there. */
static char *second_part(char *s, size_t n)
{
	size_t k = strcspn(s, "\n");
	s[k] = '\0';
	return s + (k < n ? k + 1 : n);
}

static void read_url(char *s, size_t n)
{
	struct arena a = {0};
	struct url u;
	if (url_parse(&a, s, n & 1 ? 3 : 0, 0, &u)) {
		check(u.socket || (printable(u.get) && printable(u.shown)), "a URL with control characters");
		check(u.timeout > 0 && u.seconds >= 0, "a URL with impossible times");
	}
	arena_free(&a);
}

static void read_response(char *s, size_t n)
{
	struct err e = {0};
	char status[80];
	char *page = second_part(s, n);
	size_t k = strlen(s);
	if (!http_status_line(s, k, status, sizeof status))
		return;
	http_response_error(&e, status, page, n - (size_t)(page - s));
	check(e.msg[0] && printable(e.msg), "the error page of a server gives no message, or one with control characters");
}

static void read_regex(char *s, size_t n)
{
	struct err e = {0};
	const char *text = second_part(s, n);
	size_t len = n - (size_t)(text - s), from, to;
	struct regex *rx = regex_new(s, &e);
	check(rx || e.msg[0], "an expression is refused without a message");
	if (!rx)
		return;
	bool match = regex_match(rx, text, len);
	bool literal = !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_/")];
	check(!literal || match == (memmem(text, len, s, strlen(s)) != NULL),
	    "a literal expression and a search of its text give different results");
	if (regex_find(rx, text, len, &from, &to))
		check(match && from <= to && to <= len, "a match outside the text");
	regex_free(rx);
}

/* An argument per line; the first line is $TTRACE_OPTS. */
static void read_options(char *s, size_t n)
{
	char *argv[WORDS_MAX + 1] = {s}, *env = s;
	int argc = 1;
	for (char *at = second_part(s, n); at < s + n && argc < WORDS_MAX; at = second_part(at, (size_t)(s + n - at)))
		argv[argc++] = at;
	struct options o;
	struct err e = {0};
	char **v = options_prepend_env(env, &argc, argv);
	if (options_parse(&o, argc, v, &e)) {
		check(e.msg[0], "options are refused without a message");
	} else {
		check(!options_check_report(&o, &e) || e.msg[0], "an option is refused without a message");
		check(!options_check_profile(&o, "profile", &e) || e.msg[0],
		    "an option of traces is refused without a message");
	}
	options_free(&o);
	options_env_free(v);
}

static void read_mangled(char *s, size_t n)
{
	struct buf b = {0};
	(void)n;
	for (enum demangle_mode m = DM_SIMPLE; m <= DM_FULL; m++) {
		size_t was = b.n;
		check(demangle(&b, s, m) || b.n == was, "a name is not mangled, but has a result");
	}
	buf_free(&b);
}

static void read_objdump(char *s, size_t n)
{
	struct objdump_output o = {0};
	objdump_parse(&o, s, n);
	size_t len = 0;
	for (size_t i = 0; i < o.n; i++) {
		len += strlen(o.v[i].text) + strlen(o.v[i].fun) + strlen(o.v[i].file);
		check(o.v[i].line >= 0, "an instruction with a negative line");
	}
	check(o.n <= n && len <= n * n, "more instructions than bytes");
	objdump_free(&o);
}

static void read_keys(char *s, size_t n)
{
	struct buf b = {0};
	for (size_t k; n; s += k, n -= k) {
		int32_t key = 0, again = -1;
		k = keys_parse(s, n, &key);
		check(k <= n, "a key is longer than its text");
		if (!k)
			break;
		buf_reset(&b);
		buf_putc(&b, '<');
		keys_print(key, &b);
		if (b.n > 2 && (unsigned char)b.p[1] < 0x80)
			buf_putc(&b, '>');	/* the name of a key */
		else
			memmove(b.p, b.p + 1, --b.n);
		check(keys_parse(buf_str(&b), b.n, &again) && again == key, "the name of a key is read as another key");
	}
	buf_free(&b);
}

static void read_mouse(char *s, size_t n)
{
	struct mouse m = {0};
	struct mouse_bytes bytes = {0};
	for (size_t i = 0; i < n; i++) {
		struct mouse_event e;
		enum mouse_read r = mouse_read(&bytes, (unsigned char)s[i], &e);
		if (r == MOUSE_MORE)
			continue;
		bytes = (struct mouse_bytes){.x10 = !bytes.x10};
		if (r == MOUSE_NONE)
			continue;
		int32_t key = mouse_key(&m, &e, (int64_t)i * 100);
		check(e.y >= 0 && e.x >= 0, "a cell left of or above the screen");
		check(!key || (key >= KEY_CLICK && key <= KEY_ZOOM_DOWN), "an event of the mouse gives a key of the keyboard");
	}
}

/* Lines of the configuration, in a viewer without data. The viewer keeps their definitions, so it is replaced after
   LINES_MAX lines. */
static void read_config(char *s, size_t n)
{
	static char program[] = "ttrace", file[] = "/dev/null";
	static struct app *a;
	static struct session *ses;
	static struct options o;
	static int lines;
	struct err e = {0};
	if (a && lines > LINES_MAX) {
		app_free(a);
		session_close(ses);
		options_free(&o);
		a = NULL;
		lines = 0;
	}
	if (!a && !options_parse(&o, 2, (char *[]){program, file, NULL}, &e) && (ses = session_open(&o, &e))) {
		struct err refusal = {0};	/* the file is empty */
		/* The fuzzer takes memory of a thread that still runs when an input ends for a leak. */
		session_wait(ses, &refusal);
		a = app_new(&o, ses, &(struct app_setup){.rows = 24, .cols = 80, .look = {TH_DARK, 256}}, &e);
	}
	check(a, e.msg);
	for (char *at = s, *next; at < s + n; at = next, lines++) {
		next = second_part(at, (size_t)(s + n - at));
		if (strlen(at) < PROMPT_MAX)
			check(!user_lines_configure(a, at, &e) || e.msg[0], "a line is refused without a message");
	}
}

static const struct { char letter; void (*read)(char *s, size_t n); } readers[] = {
	{'u', read_url}, {'h', read_response}, {'r', read_regex}, {'o', read_options}, {'d', read_mangled},
	{'a', read_objdump}, {'k', read_keys}, {'m', read_mouse}, {'c', read_config},
};

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	for (size_t i = 0; n && i < sizeof readers / sizeof *readers; i++) {
		if (readers[i].letter != *p)
			continue;
		char *s = xmalloc(n);	/* an exact copy with a NUL, so that sanitizers find a read past its end */
		memcpy(s, p + 1, n - 1);
		s[n - 1] = '\0';
		readers[i].read(s, n - 1);
		mem_free(s);
	}
	return 0;
}
