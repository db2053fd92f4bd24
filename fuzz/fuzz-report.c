/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Any report of any file. An input has two parts: the words of a command line, up to the end of the line, and the contents
 * of the file, which is in memory and whose name follows these words. In an option, "=@" is this file too, as in
 * "top -base=@". Properties: the report ends; a refusal has a message. The text goes to /dev/null. With TTRACESECURE reports
 * run no programs. A command line with a slash is ignored, so it can only name files of the current folder.
 */
#include "config.h"
#include "check.h"
#include "mutate.h"

#include "base/mem/mem.h"
#include "cli/options.h"
#include "report/report.h"

#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 200, WORDS = 16, VALUE_MAX_BYTES = 40 };

static void discard_notice(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

static void run_report(const struct options *o, const struct report *r, struct err *e)
{
	static int null = -1;
	if (null < 0)
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct out out = {.fd = null, .safe = options_bool(o, OPT_SAFE)};
	int rc = r->run(o, &out, e);
	output_flush(&out, true);
	check(rc >= -1 && rc <= 3, "a status that the manual does not have");
	check(rc >= 0 || e->msg[0], "a refusal without a message");
	buf_free(&out.buf);
}

/* Run the command line `line` on the file; line is changed. */
static void run_line(char *line, char *file)
{
	static char program[] = "ttrace";
	char *words[WORDS + 2] = {program}, *word, copies[WORDS][VALUE_MAX_BYTES + 32];
	int n = 1;
	while ((word = strsep(&line, " ")) != NULL && n < WORDS) {
		size_t len = strlen(word);
		if (len > 1 && len < VALUE_MAX_BYTES && !strcmp(word + len - 2, "=@")) {
			snprintf(copies[n], sizeof copies[n], "%.*s%s", (int)len - 1, word, file);
			word = copies[n];
		}
		words[n++] = word;
	}
	words[n++] = file;
	struct options o;
	struct err e = {.at = ERR_NOWHERE};
	int rc = options_parse(&o, n, words, &e);
	o.notice = discard_notice;
	const struct report *r = rc ? NULL : report_find(o.report);
	if (r && o.nfile == 1 && !options_check_report(&o, &e))
		run_report(&o, r, &e);
	options_free(&o);
}

/* Return a file in memory, made once. */
static int start(void)
{
	setenv("TTRACESECURE", "1", 1);
	setlocale(LC_CTYPE, "C.UTF-8");
	mem_set_budget((size_t)256 << 20);
	check(freopen("/dev/null", "r", stdin), "standard input cannot be closed");
#ifdef HAVE_MEMFD_CREATE
	int fd = memfd_create("input", MFD_CLOEXEC);
	check(fd >= 0, "no file in memory");
	return fd;
#else
	return -1;
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static int fd = -1;
	char name[40], line[LINE_MAX_BYTES + 1];
	if (fd < 0)
		fd = start();
	const uint8_t *end = n ? memchr(p, '\n', n) : NULL;
	size_t len = end ? (size_t)(end - p) : 0, size = n - len - 1;
	if (fd < 0 || !end || len > LINE_MAX_BYTES || memchr(p, '/', len) || memchr(p, 0, len) ||
	    ftruncate(fd, 0) || pwrite(fd, end + 1, size, 0) != (ssize_t)size)
		return 0;
	memcpy(line, p, len);
	line[len] = '\0';
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	run_line(line, name);
	return 0;
}

/* Append one of the alternatives of s, which "|" separates. */
static void put_alternative(struct buf *b, const char *s, struct mutate_rnd *r)
{
	size_t n = 1;
	for (const char *p = s; (p = strchr(p, '|')) != NULL; p++)
		n++;
	for (size_t k = mutate_rnd(r, n); k > 0; k--)
		s = strchr(s, '|') + 1;
	buf_put(b, s, strcspn(s, "|"));
}

static void put_option(struct buf *b, struct mutate_rnd *r)
{
	static const char values[] = "0|1|-1|2|3|5|10|100|1ms|2s|0.5|1e9|10%..50%|1ms..1s|>1us|<1s|.|a|main|main.*|k|1:2|@|"
		"name|caller|creator|where|type|function|duration|total|count|worst|median|all|p50,p99|cpu|delay|ms|MB|9223372036854775807";
	const struct option_row *o = &option_rows[mutate_rnd(r, OPT__N)];
	buf_printf(b, " -%s", o->name);
	if (o->kind == 'B') {
		buf_puts(b, mutate_rnd(r, 2) ? "=false" : "");
		return;
	}
	buf_putc(b, '=');
	put_alternative(b, mutate_rnd(r, 3) || !o->arg ? values : o->arg, r);
}

/* Write the name of a report, and an argument if it takes one. */
static void put_report(struct buf *b, struct mutate_rnd *r)
{
	size_t n = 0;
	while (report_rows[n].name)
		n++;
	const struct report_row *row = &report_rows[mutate_rnd(r, n)];
	buf_puts(b, row->name);
	if (row->arg)
		buf_puts(b, !strcmp(row->arg, "REGEX") ? " ." : " 1");
}

/* Write another command line: it gets or loses an option, or its report is exchanged. */
static void put_line_mutated(struct buf *b, const char *line, size_t len, struct mutate_rnd *r)
{
	size_t options = 0, last = len;
	while (options < len && (line[options] != ' ' || options + 1 == len || line[options + 1] != '-'))
		options++;
	while (last > options && line[last - 1] != ' ')
		last--;
	switch (mutate_rnd(r, 4)) {
	case 0:
		buf_put(b, line, len);
		put_option(b, r);
		return;
	case 1:
		buf_put(b, line, last > options ? last - 1 : options);
		return;
	case 2:
		put_report(b, r);
		put_option(b, r);
		return;
	default:
		put_report(b, r);
		buf_put(b, line + options, len - options);
	}
}

/* Change the command line, or the structure of the file, or bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	struct mutate_rnd r = {seed};
	struct buf b = {0};
	const uint8_t *end = n ? memchr(data, '\n', n) : NULL;
	size_t len = end ? (size_t)(end - data) : 0, k = 0;
	unsigned which = mutate_rnd(&r, 8);
	if (end && which < 3) {
		put_line_mutated(&b, (const char *)data, len, &r);
		buf_put(&b, (const char *)end, n - len);
		return mutate_finish(&b, data, max);
	}
	if (end && which < 7) {
		uint8_t *file = data + len + 1;
		size_t size = n - len - 1, room = max - len - 1;
		unsigned other = mutate_rnd(&r, UINT32_MAX);	/* seed selected this case: its numbers are no longer random */
		k = mutate_trace(file, size, room, other);
		if (!k)
			k = mutate_pprof(file, size, room, other);
		if (k)
			return len + 1 + k;
	}
	return LLVMFuzzerMutate(data, n, max);
}
