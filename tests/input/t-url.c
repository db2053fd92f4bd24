/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Parsing of URLs: the rows were recorded from `go tool pprof` of Go 1.27 (unix: is an extension of ttrace). Random strings
   cause no read past their end, and a URL to be fetched has no control characters. */
#include "config.h"
#include "input/url.h"
#include "tap.h"

#include <string.h>

static const struct row {
	const char *s;
	int64_t seconds, timeout;
	const char *shown;	/* NULL: a file name */
	int64_t waits, expects;
} rows[] = {
	{"http://localhost:6060/debug/pprof/heap", 0, 0, "http://localhost:6060/debug/pprof/heap", 60, 0},
	{"localhost:6060", 0, 0, "http://localhost:6060/debug/pprof/profile", 60, 30},
	{"localhost:6060/", 5, 0, "http://localhost:6060/debug/pprof/profile?seconds=5", 7, 5},
	{"localhost:6060/debug/pprof/trace", 0, 0, "http://localhost:6060/debug/pprof/trace", 60, 1},
	{"127.0.0.1:6060/x?seconds=9", 0, 0, "http://127.0.0.1:6060/x?seconds=9", 13, 9},
	{"127.0.0.1:6060/x?seconds=9&a=b", 20, 100, "http://127.0.0.1:6060/x?a=b&seconds=20", 100, 20},
	{"http://h/x?seconds=9x", 0, 0, "http://h/x?seconds=9x", 60, 0},
	{"http://h/x?b=2&a=1%20x;c&a=%zz&c&a=0", 0, 0, "http://h/x?a=0&b=2&c=", 60, 0},
	{"http://h/a b/c?x=a+b#frag", 0, 0, "http://h/a%20b/c?x=a+b#frag", 60, 0},
	{"HTTPS://h:1/x", 0, 0, "https://h:1/x", 60, 0},
	{"https+insecure://h/x", 0, 0, "https+insecure://h/x", 60, 0},
	{"http://me:secret@h/x", 0, 0, "http://me:xxxxx@h/x", 60, 0},
	{"http://me@h/x", 0, 0, "http://me@h/x", 60, 0},
	{"[::1]:6060", 0, 0, "http://[::1]:6060/debug/pprof/profile", 60, 30},
	{"ftp://h/x", 0, 0, "ftp://h/x", 60, 0},
	{"prof:3", 0, 0, "http://prof:3/debug/pprof/profile", 60, 30},
	{"unix:///no/such.sock/debug/pprof/heap?debug=1", 2, 0,
	    "unix:///no/such.sock/debug/pprof/heap?debug=1&seconds=2", 3, 2},
	{"unix:/no/such.sock", 0, 0, "unix:///no/such.sock/debug/pprof/profile", 60, 30},
	{"cpu.pb.gz", 0, 0, NULL, 0, 0}, {"dir/a:1", 0, 0, NULL, 0, 0}, {"a:b:c", 0, 0, NULL, 0, 0},
	{"/abs/cpu", 0, 0, NULL, 0, 0}, {"a b:80", 0, 0, NULL, 0, 0}, {"file:///x", 0, 0, NULL, 0, 0},
	{"mem_2023-11-02_03:55:24", 0, 0, NULL, 0, 0}, {"", 0, 0, NULL, 0, 0}, {"-", 0, 0, NULL, 0, 0},
	{":80", 0, 0, "http://:80/debug/pprof/profile", 60, 30},
	{"http://h:x/", 0, 0, "http://http://h:x/", 60, 0},	/* no valid URL, so parsed once more with http:// before it */
	{"a\nb:1", 0, 0, NULL, 0, 0},
};

static void check(const struct row *r)
{
	struct arena a = {0};
	struct url u;
	bool is = url_parse(&a, r->s, r->seconds, r->timeout, &u);
	OK(is == (r->shown != NULL));
	if (is && r->shown) {
		OK(!strcmp(u.shown, r->shown));
		if (strcmp(u.shown, r->shown))
			printf("# %s is %s, not %s\n", r->s, u.shown, r->shown);
		OK(u.timeout == r->waits && u.seconds == r->expects);
		OK(!strncmp(u.get, u.socket || strncmp(u.get, "ftp", 3) ? "http" : "ftp", 3));
	}
	arena_free(&a);
}

static uint32_t seed = 7;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* Check random sequences of parts of URLs. */
static void noise(void)
{
	static const char *const part[] = {"http:", "//", "/", ":", "@", "?", "&", "=", "#", "[", "]", "%", "%4", "%41",
	    "a", "localhost", "6060", "unix:", "seconds=", "999999999999999999999", "\xff", "\x01", " ", "+insecure",
	    ";", ".", "-"};
	int bad = 0;
	for (int i = 0; i < 20000 && !bad; i++) {
		struct arena a = {0};
		struct url u;
		char s[256] = "";
		for (uint32_t k = rnd(12); k--;)
			strcat(s, part[rnd(sizeof part / sizeof *part)]);
		if (url_parse(&a, s, rnd(2) ? 0 : 3, 0, &u))
			for (const char *p = u.get; *p; p++)
				bad += (unsigned char)*p < 0x20 || *p == 0x7f;
		if (bad)
			printf("# %s\n", s);
		arena_free(&a);
	}
	OK(!bad);
}

int main(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check(&rows[i]);
	noise();
	return DONE();
}
