/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Selects the reader of a file by its bytes, never by its name. If none fits, the error states the
 * likely kind of the file and the kinds that ttrace reads.
 */
#include "config.h"
#include "load/load.h"

#include "base/byte_cursor.h"

#include <ctype.h>
#include <string.h>

static bool is_gotrace(struct bytes b)
{
	/* "go 1.N trace" or "go 1.NN trace", and zeros up to 16 bytes */
	return b.n >= 16 && !memcmp(b.p, "go 1.", 5) && !memcmp(b.p + (b.p[6] == ' ' ? 6 : 7), " trace", 6);
}

/* Check the first fields of a profile: known numbers with their wire types, within the file. */
static bool is_pprof(struct bytes b)
{
	struct byte_cursor c = byte_cursor_make(b.p, b.n, 0);
	int fields = 0;
	while (byte_cursor_left(&c) && fields < 20) {
		uint64_t key = byte_cursor_uvarint(&c);
		uint64_t id = key >> 3, type = key & 7;
		bool message = id >= 1 && id <= 6;
		if (c.bad || id < 1 || id > 15 || (type != 0 && type != 2) || (message && type != 2) ||
		    (type == 2 && !message && id != 11 && id != 13))
			return false;
		uint64_t v = byte_cursor_uvarint(&c);
		if (type == 2)
			byte_cursor_bytes(&c, v);
		if (c.bad)
			return fields > 0;	/* truncated or damaged: the reader will report where */
		fields++;
	}
	return fields > 0;
}

static const struct reader readers[] = {
	{FK_GOTRACE, "Go execution trace", is_gotrace, gotrace_read},
	{FK_PPROF, "pprof profile", is_pprof, pprof_read},
	{FK_PPROF, "legacy pprof profile", legacy_probe, legacy_read},
	{FK_PPROF, "goroutine dump", docker_dump_probe, docker_dump_read},
	{FK_GOTRACE, "gctrace or schedtrace log", docker_godebug_probe, docker_godebug_read},
	{FK_PPROF, "goroutine dump", godump_probe, godump_read},
	{FK_GOTRACE, "gctrace or schedtrace log", godebug_probe, godebug_read},
	{FK_PPROF, "perf script output", perf_probe, perf_read},
	{FK_PPROF, "folded stacks", folded_probe, folded_read},
};

static const struct {
	const char *magic;
	size_t n;
	const char *what;
} others[] = {
	{"\x7f" "ELF", 4, "a program (ELF): to use it with a profile, run ttrace PROGRAM PROFILE"},
	{"\x1f\x8b", 2, "gzip data inside gzip data: run gunzip once"},
	{"PK\3\4", 4, "a zip archive: unpack it first"},
	{"\x28\xb5\x2f\xfd", 4, "zstd data: unpack it first"},
	{"BZh", 3, "bzip2 data: unpack it first"},
	{"\xfd" "7zXZ", 5, "xz data: unpack it first"},
	{"\x89PNG", 4, "a PNG image"},
	{"%PDF", 4, "a PDF"},
	{"PERFILE2", 8, "perf.data: convert it with perf script, then read the output"},
	{"FLR\0", 4, "a recording of Java's flight recorder: convert it with jfrconv of async-profiler to pprof or collapsed"},
	{"JAVA PROFILE 1.0.", 17, "a heap dump of Java (hprof): open it with a tool for Java"},
	{"<", 1, "HTML or XML, possibly a saved error page"},
	{"{\"log\":\"", 8, "a log of docker without a goroutine dump and lines of gctrace or schedtrace"},
	{"{", 1, "JSON"},
	{"[", 1, "JSON"},
	{"#!", 2, "a script"},
};

/* Return whether it is ELF of type 4, in either byte order. */
static bool is_core(struct bytes b)
{
	return b.n >= 18 && !memcmp(b.p, "\x7f" "ELF", 4) && b.p[16] + b.p[17] == 4;
}

static bool is_tar(struct bytes b)
{
	return b.n > 262 && !memcmp(b.p + 257, "ustar", 5);
}

/* Return whether JSON is in Chrome's format of trace events. */
static bool is_chrome(struct bytes b)
{
	enum { LOOK = 4096 };
	const char *p = (const char *)b.p, *end = p + (b.n < LOOK ? b.n : LOOK);
	while (p < end && isspace((unsigned char)*p))
		p++;
	bool json = p < end && (*p == '{' || *p == '[');
	return json && (memmem(p, (size_t)(end - p), "\"traceEvents\"", 13) ||
	    (memmem(p, (size_t)(end - p), "\"ph\":", 5) && memmem(p, (size_t)(end - p), "\"ts\":", 5)));
}

static bool is_text(struct bytes b)
{
	size_t n = b.n < 512 ? b.n : 512;
	for (size_t i = 0; i < n; i++)
		if (b.p[i] < 0x20 && !isspace(b.p[i]))
			return false;
	return n > 0;
}

const struct reader *sniff(struct bytes b, struct err *e)
{
	const size_t nothers = sizeof others / sizeof *others;
	static const char reads[] = "ttrace reads pprof profiles, Go execution traces, goroutine dumps, "
	    "gctrace and schedtrace logs, perf script output and folded stacks";
	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
		if (readers[i].is(b))
			return &readers[i];
	const char *what = "data of an unknown kind";
	size_t i = 0;
	while (i < b.n && i < 64 && isspace(b.p[i]))
		i++;
	size_t k = 0;
	for (; k < nothers; k++)
		if (b.n - i >= others[k].n && !memcmp(b.p + i, others[k].magic, others[k].n)) {
			what = others[k].what;
			break;
		}
	if (!b.n)
		what = "an empty file: the program that wrote it was killed or is still running";
	else if (is_core(b))
		what = "a core dump (ELF): open it with a debugger";
	else if (is_tar(b))
		what = "a tar archive: unpack it first";
	else if (is_chrome(b))
		what = "JSON of Chrome's trace viewer, which ttrace does not read: open the file that it was made from, or use "
		       "ui.perfetto.dev";
	else if (b.n < 16 && b.n > 4 && !memcmp(b.p, "go 1.", 5))
		what = "a Go execution trace that is truncated in its header";
	else if (k == nothers && is_text(b)) {
		/* print its first words: often it is a server's error message */
		int n = 0;
		while (i + (size_t)n < b.n && n < 60 && b.p[i + (size_t)n] != '\n')
			n++;
		err_set(e, ERR_FORMAT, ERR_NOWHERE, "this is text (\"%.*s\"); %s", n, (const char *)b.p + i, reads);
		return NULL;
	}
	err_set(e, ERR_FORMAT, ERR_NOWHERE, "this is %s; %s", what, reads);
	return NULL;
}

const struct reader *sniff_input(struct bytes *b, struct err *e)
{
	uint8_t head[1 << 16];
	const struct reader *r = sniff(input_head(b, head, sizeof head), e);
	return r || input_gunzip(b, e) ? r : sniff(*b, e);
}

bool sniff_program(struct bytes b)
{
	return b.n > 4 && (!memcmp(b.p, "\177ELF", 4) || !memcmp(b.p, "\317\372\355\376", 4));
}
