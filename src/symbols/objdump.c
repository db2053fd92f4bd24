/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Parses objdump's output line by line. "  401136:	push %rbp" is an instruction. "/src/x.c:12 (discriminator 3)"
 * is the source line of the following instructions, and "main():" or "<main>:" their function. Any other line clears
 * both. These are pprof's rules, in its order, because the text must equal pprof's; a library for disassembly would
 * have another notation.
 *
 * The output is not trusted: invalid numbers make no instruction, and text is escaped where it is shown.
 */
#include "config.h"
#include "symbols/objdump.h"

#include "base/subprocess.h"

#include <string.h>

enum { OUTPUT_MAX = 256 << 20 };

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' &&
	    c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

struct parsing {
	struct objdump_output *to;
	const char *fun, *file;
	int64_t line;
};

static const char *copy_text(struct parsing *p, const char *s, size_t n)
{
	return arena_strndup(&p->to->strings, s, n);
}

/* Parse "401136:  push %rbp". */
static bool parse_instruction(struct parsing *p, const char *s, size_t n)
{
	uint64_t addr = 0;
	size_t i = 0, digits;
	while (i < n && i < 17 && hex_digit(s[i]) >= 0)
		addr = addr << 4 | (uint64_t)hex_digit(s[i++]);
	digits = i;
	if (!digits || digits > 16 || i + 1 >= n || s[i] != ':' || !is_blank(s[i + 1]))
		return false;
	for (i++; i < n && is_blank(s[i]);)
		i++;
	struct objdump_output *t = p->to;
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof *t->v);
	t->v[t->n++] = (struct inst){addr, copy_text(p, s + i, n - i), p->fun, p->file, p->line};
	return true;
}

static size_t skip_mark(const char *s, size_t n)
{
	size_t i = n && *s == ';';
	return i + (i < n && is_blank(s[i]));
}

/* Parse "/src/x.c:12 (discriminator 3)": the line number follows the last colon before a digit. */
static bool parse_place(struct parsing *p, const char *s, size_t n)
{
	size_t from = skip_mark(s, n), at = n;
	for (size_t i = from; i + 1 < n; i++)
		if (s[i] == ':' && s[i + 1] >= '0' && s[i + 1] <= '9')
			at = i;
	if (at == n)
		return false;
	uint64_t line = 0;
	size_t i = at + 1;
	while (i < n && s[i] >= '0' && s[i] <= '9' && line <= UINT32_MAX)
		line = line * 10 + (uint64_t)(s[i++] - '0');
	if (line <= UINT32_MAX) {
		p->file = copy_text(p, s + from, at - from);
		p->line = (int64_t)line;
	}
	return true;
}

/* Parse "main():" or "0000000000401136 <main>:". */
static bool parse_function(struct parsing *p, const char *s, size_t n)
{
	size_t from = skip_mark(s, n), at = n;
	for (size_t i = from; i + 2 < n; i++)
		if (!memcmp(s + i, "():", 3))
			at = i;
	if (at < n && at > from && !is_blank(s[from])) {
		p->fun = copy_text(p, s + from, at - from);
		return true;
	}
	while (at && (at == n || s[at] != ':'))
		at--;
	if (!n || s[at] != ':')
		return false;
	for (from = 0; from < at && hex_digit(s[from]) >= 0;)
		from++;
	from += from < at && is_blank(s[from]);
	p->fun = copy_text(p, s + from, at - from);
	return true;
}

void objdump_parse(struct objdump_output *to, const char *s, size_t n)
{
	struct parsing p = {to, "", "", 0};
	for (size_t at = 0, next; at < n; at = next) {
		const char *nl = memchr(s + at, '\n', n - at);
		size_t end = nl ? (size_t)(nl - s) : n;
		next = end + 1;
		while (at < end && is_blank(s[at]))
			at++;
		while (end > at && is_blank(s[end - 1]))
			end--;
		if (!parse_instruction(&p, s + at, end - at) && !parse_place(&p, s + at, end - at) &&
		    !parse_function(&p, s + at, end - at))
			p = (struct parsing){to, "", "", 0};
	}
}

int objdump(struct objdump_output *to, const struct objdump *d, struct err *e)
{
	struct buf from = {0}, upto = {0}, out = {0};
	struct err why = {0};
	buf_puts(&from, "--start-address=0x");
	buf_hex(&from, d->start);
	buf_puts(&upto, "--stop-address=0x");
	buf_hex(&upto, d->end);
	const char *argv[12] = {
	    "objdump", "--disassemble", "--demangle", "--no-show-raw-insn", buf_str(&from), buf_str(&upto)};
	size_t n = 6;
	if (d->lines)
		argv[n++] = "--line-numbers";
	if (d->intel)
		argv[n++] = "-Mintel";
	argv[n++] = "--";
	argv[n++] = d->path;
	argv[n] = NULL;
	int rc = subprocess_run(argv, &out, OUTPUT_MAX, &why);
	if (!rc)
		objdump_parse(to, out.p ? out.p : "", out.n);
	else if (why.kind == ERR_IO)
		err_set(e, ERR_IO, ERR_NOWHERE, "assembly needs objdump of binutils (Debian: apt-get install binutils)");
	else
		err_set(e, why.kind, ERR_NOWHERE, "%s: %s", d->path, why.msg);
	buf_free(&from);
	buf_free(&upto);
	buf_free(&out);
	return rc;
}

void objdump_free(struct objdump_output *i)
{
	mem_free(i->v);
	arena_free(&i->strings);
	*i = (struct objdump_output){0};
}
