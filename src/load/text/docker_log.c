/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Logs of docker's driver json-file, as they are in /var/lib/docker/containers: a line of the program is
 *
 *	{"log":"goroutine 1 [running]:\n","stream":"stderr","time":"2026-11-21T07:00:00.5Z"}
 *
 * They are converted to the lines that `docker logs -t` prints, a time and the text, and the readers of dumps and logs
 * of GODEBUG get these. Docker splits a long line: only the last part ends with \n. The result is never longer than the
 * file, and notices have offsets in it.
 */
#include "config.h"
#include "load/load.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "load/text/scan.h"

#include <string.h>

static const char opening[] = "{\"log\":\"";

#define NO_UNIT UINT32_MAX

struct docker_text {
	char *p;
	size_t n;
	bool within;	/* the last line has not ended */
};

/* Take \uXXXX after the backslash; NO_UNIT: it is none. */
static uint32_t take_unit(struct scan_text *t)
{
	uint64_t v;
	struct scan_text rest = *t;
	if (!scan_take(&rest, "u") || !scan_take_hex(&rest, 4, &v))
		return NO_UNIT;
	*t = rest;
	return (uint32_t)v;
}

/* Append the character of an escape; t is after its backslash. It is shorter than the escape. */
static void put_escape(struct docker_text *to, struct scan_text *t)
{
	static const char letter[] = "ntrbf", byte[] = "\n\t\r\b\f";
	uint32_t v = take_unit(t);
	struct scan_text low = *t;
	if (v >= 0xd800 && v < 0xdc00 && scan_take(&low, "\\")) {
		uint32_t second = take_unit(&low);
		if (second >= 0xdc00 && second < 0xe000) {
			v = 0x10000 + ((v - 0xd800) << 10) + (second - 0xdc00);
			*t = low;
		}
	}
	if (v != NO_UNIT) {
		char utf8[4];
		size_t n = text_encode_utf8(v >= 0xd800 && v < 0xe000 ? 0xfffd : v, utf8);
		memcpy(to->p + to->n, utf8, n);
		to->n += n;
	} else if (t->p < t->end) {
		const char *known = *t->p ? strchr(letter, *t->p) : NULL;
		to->p[to->n++] = known ? byte[known - letter] : *t->p;
		t->p++;
	}
}

/* Append a line of the log. What is no such line, as the truncated one at the end, is left out. */
static void put_line(struct docker_text *to, struct scan_text t)
{
	struct scan_text text, stamp;
	if (!scan_take(&t, opening))
		return;
	text = t;
	while (t.p < t.end && *t.p != '"')
		t.p += *t.p == '\\' && t.end - t.p > 1 ? 2 : 1;
	text.end = t.p;
	const char *time = scan_find(t.p, t.end, "\"time\":\"");
	if (!time)
		return;
	t.p = time + 8;
	if (!scan_take_until(&t, '"', &stamp))
		return;
	if (!to->within) {
		memcpy(to->p + to->n, stamp.p, scan_len(stamp));
		to->n += scan_len(stamp);
		to->p[to->n++] = ' ';
	}
	while (text.p < text.end) {
		if (*text.p != '\\') {
			to->p[to->n++] = *text.p++;
			continue;
		}
		text.p++;
		put_escape(to, &text);
	}
	to->within = to->n && to->p[to->n - 1] != '\n';
}

static bool is_docker(struct bytes b)
{
	return b.n > sizeof opening && !memcmp(b.p, opening, sizeof opening - 1);
}

/* Return false if there is no memory for it. The caller frees p. */
static bool convert(struct bytes b, struct docker_text *to)
{
	struct scan_lines l = {.p = (const char *)b.p, .end = (const char *)b.p + b.n};
	*to = (struct docker_text){.p = mem_try_alloc(b.n + 1)};
	while (to->p && scan_next_line(&l))
		put_line(to, scan_line_text(&l));
	return to->p;
}

static bool holds(struct bytes b, bool (*is)(struct bytes))
{
	enum { LOOK = 1 << 26 };
	struct docker_text text;
	b.n = b.n < LOOK ? b.n : LOOK;
	if (!is_docker(b) || !convert(b, &text))
		return false;
	bool found = is((struct bytes){.p = (const uint8_t *)text.p, .n = text.n});
	mem_free(text.p);
	return found;
}

static int read_as(struct bytes b, read_fn *read, struct sink *s, struct err *e)
{
	struct docker_text text;
	if (!convert(b, &text))
		return err_set(e, ERR_LIMIT, ERR_NOWHERE, "the file takes more memory than the limit of -mem: set a larger one");
	int rc = !text.n ? err_set(e, ERR_FORMAT, ERR_NOWHERE, "this log of docker has no text") :
	    read((struct bytes){.p = (const uint8_t *)text.p, .n = text.n}, s, e);
	mem_free(text.p);
	return rc;
}

bool docker_dump_probe(struct bytes b)
{
	return holds(b, godump_probe);
}

int docker_dump_read(struct bytes b, struct sink *s, struct err *e)
{
	return read_as(b, godump_read, s, e);
}

bool docker_godebug_probe(struct bytes b)
{
	return holds(b, godebug_probe);
}

int docker_godebug_read(struct bytes b, struct sink *s, struct err *e)
{
	return read_as(b, godebug_read, s, e);
}
