/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* The assembler of goasm.h. It works line by line; events of a batch are collected until its length is known. */
#include "config.h"
#include "goasm.h"

#include "load/gotrace/wire.h"
#include "load/gotrace1/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct as {
	struct buf *out, batch;
	bool in_batch;
	int extra;		/* added to the length in the batch's header: bytes that do not exist */
	uint64_t head[3];	/* generation, M, time */
	int version;
};

static void end_batch(struct as *a)
{
	if (!a->in_batch)
		return;
	buf_putc(a->out, GE_EventBatch);
	for (int i = 0; i < 3; i++)
		buf_varint(a->out, a->head[i]);
	buf_varint(a->out, a->batch.n + (size_t)a->extra);
	buf_put(a->out, a->batch.p, a->batch.n);
	buf_reset(&a->batch);
	a->in_batch = false;
}

static char *blanks(char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

static char *word(char **s)
{
	char *w = *s = blanks(*s);
	while (**s && **s != ' ' && **s != '\t')
		++*s;
	if (**s)
		*(*s)++ = 0;
	return w;
}

/* Parse up to max numbers. -1 stands for 2^64 - 1, as in the format. */
static size_t numbers(char **s, uint64_t *v, size_t max)
{
	size_t n = 0;
	for (*s = blanks(*s); n < max && (isdigit((unsigned char)**s) || **s == '-'); *s = blanks(*s))
		v[n++] = **s == '-' ? (uint64_t)strtoll(*s, s, 0) : strtoull(*s, s, 0);
	return n;
}

static bool quoted(char *s, struct buf *b)
{
	s = blanks(s);
	if (*s++ != '"')
		return false;
	for (; *s && *s != '"'; s++) {
		int c = (unsigned char)*s;
		if (c == '\\' && s[1]) {
			c = *++s == 'n' ? '\n' : (unsigned char)*s;
			if (c == 'x' && s[1] && s[2]) {
				char hex[3] = {s[1], s[2], 0};
				c = (int)strtol(hex, NULL, 16);
				s += 2;
			}
		}
		buf_putc(b, c);
	}
	return *s == '"';
}

static bool v2_event(struct as *a, const char *name, char *rest)
{
	struct buf *b = a->in_batch ? &a->batch : a->out;
	uint64_t v[4 * GO_MAX_FRAMES + 8];
	int type = 0;
	for (int i = 1; i < GE__N; i++)
		if (wire_event_specs[i].name && !strcmp(wire_event_specs[i].name, name))
			type = i;
	if (!type)
		return false;
	size_t n = numbers(&rest, v, sizeof v / sizeof *v);
	buf_putc(b, type);
	if (type == GE_Stack && n && n % 4 == 1) {
		buf_varint(b, v[0]);
		buf_varint(b, n / 4);
		for (size_t i = 1; i < n; i++)
			buf_varint(b, v[i]);
		return true;
	}
	for (size_t i = 0; i < n; i++)
		buf_varint(b, v[i]);
	if (!(wire_event_specs[type].flags & F_D))
		return n == wire_event_specs[type].nargs;
	struct buf text = {0};
	bool ok = quoted(rest, &text);
	buf_varint(b, text.n);
	buf_put(b, text.p, text.n);
	buf_free(&text);
	return ok;
}

static bool v1_event(struct as *a, const char *name, char *rest)
{
	uint64_t v[64];
	int type = atoi(name);
	size_t n = numbers(&rest, v, sizeof v / sizeof *v);
	struct buf args = {0}, text = {0};
	bool has_text = quoted(rest, &text);
	size_t least = a->version < 7 ? 2 : 1;
	for (size_t i = 0; i < n; i++)
		buf_varint(&args, v[i]);
	if (type == V1_STRING || (n >= least && n < least + 3)) {
		buf_putc(a->out, type | (type == V1_STRING ? 0 : (int)(n - least) << 6));
	} else {
		buf_putc(a->out, type | 3 << 6);
		buf_varint(a->out, args.n);
	}
	buf_put(a->out, args.p, args.n);
	if (has_text) {
		buf_varint(a->out, text.n);
		buf_put(a->out, text.p, text.n);
	}
	buf_free(&args);
	buf_free(&text);
	return type > 0 && type < V1__N;
}

static bool line_of(struct as *a, char *s)
{
	char *name = word(&s);
	if (!*name || *name == '#')
		return true;
	if (!strcmp(name, "go")) {
		a->version = atoi(s);
		buf_printf(a->out, "go 1.%d trace", a->version);
		buf_pad(a->out, 0, GO_HEADER - a->out->n % GO_HEADER);
		return true;
	}
	if (!strcmp(name, "bytes")) {
		while (*(s = blanks(s)))
			buf_putc(a->in_batch ? &a->batch : a->out, (int)strtol(s, &s, 16));
		return true;
	}
	if (a->version < 22)
		return v1_event(a, name, s);
	if (!strcmp(name, "Batch") || !strcmp(name, "Batch*")) {
		end_batch(a);
		a->in_batch = true;
		a->extra = name[5] == '*';
		return numbers(&s, a->head, 3) == 3;
	}
	if (!strcmp(name, "EndOfGeneration"))
		end_batch(a);
	return v2_event(a, name, s);
}

bool goasm(const char *text, size_t n, struct buf *out, int *line)
{
	struct as a = {.out = out};
	bool ok = true;
	for (*line = 1; ok && n; ++*line) {
		const char *nl = memchr(text, '\n', n);
		size_t len = nl ? (size_t)(nl - text) : n;
		char *s = strndup(text, len);
		ok = line_of(&a, s);
		free(s);
		len += nl != NULL;
		text += len;
		n -= len;
	}
	end_batch(&a);
	buf_free(&a.batch);
	return ok;
}
