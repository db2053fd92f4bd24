/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Whatever the names of a profile hold, a reader of each format gets them back. The profile has N functions, with a
 * sample and a label each, whose names are made by chance of what has a meaning in some format: quotes, ends of lines,
 * markup, entities, backslashes, separators, control characters, bytes that are not UTF-8. The readers here know only
 * the rules of their format, are strict, and share no code with the program. A name ends in '#' and its number, so a
 * reader needs not know where in a file the names are; what the format cannot express, the manual names.
 */
#include "config.h"
#include "base/text/buf.h"
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 400 };

static struct buf name[N];
static bool found[N];
static const char *program;
static char file[64];

/* ---- names */

static uint32_t rnd(uint32_t below)
{
	static uint64_t state = 20261126;
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((state >> 33) % below);
}

static void make_names(void)
{
	static const char *const piece[] = {"\"", "\"\"", "'", "\n", "\r", "\r\n", "\t", "\x01", "\x08", "\x0b", "\x1b[31m",
		"\x1f", "\x7f", "<", ">", "&", "&lt;", "&#65;", "&amp;", "&#x41;", "&quot", "]]>", "<![CDATA[", "<!--", "</title>",
		"\\", "\\n", "\\\"", "\\l", "\\N", ";", ",", " ", "  ", " 12", "(3)", "=", "*", "+1", "%s", "{", "}", "|", "$x",
		"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\xa8", "\xc2\x9b", "\xc2\x85", "\xc2\xa0", "\xef\xbb\xbf", "\xff", "\xc3",
		"\xed\xa0\x80", "\xf4\x90\x80\x80", "\xef\xbf\xbe", "\xef\xbf\xbf", "\xf0\x9f\x98\x80", "\xc3\xa9", "a", "F",
		"7", "::", ".", "/"};
	for (int i = 0; i < N; i++) {
		buf_putc(&name[i], 'f');
		for (uint32_t k = 1 + rnd(12); k; k--)
			buf_puts(&name[i], piece[rnd(sizeof piece / sizeof *piece)]);
		buf_printf(&name[i], "#%d", i);
	}
}

/* ---- the profile */

static void field(struct buf *b, unsigned id, uint64_t v)
{
	buf_varint(b, (uint64_t)id << 3);
	buf_varint(b, v);
}

static void message(struct buf *b, unsigned id, struct buf *m)
{
	buf_varint(b, (uint64_t)id << 3 | 2);
	buf_varint(b, m->n);
	buf_put(b, m->p, m->n);
	buf_reset(m);
}

static void string(struct buf *b, const char *s, size_t n)
{
	struct buf m = {0};
	buf_put(&m, s, n);
	message(b, 6, &m);
	buf_free(&m);
}

/* Strings: 1 cpu, 2 count, 3 key, the names from 4 on, the files after them. */
static void write_profile(void)
{
	struct buf b = {0}, m = {0}, in = {0};
	field(&m, 1, 1);
	field(&m, 2, 2);
	message(&b, 1, &m);
	string(&b, "", 0);
	string(&b, "cpu", 3);
	string(&b, "count", 5);
	string(&b, "key", 3);
	for (unsigned i = 0; i < N; i++) {
		string(&b, name[i].p, name[i].n);
		field(&m, 1, i + 1);	/* function */
		field(&m, 2, i + 4);
		field(&m, 4, i + 4 + N);
		message(&b, 5, &m);
		field(&in, 1, i + 1);	/* location */
		field(&in, 2, 7);
		field(&m, 1, i + 1);
		message(&m, 4, &in);
		message(&b, 4, &m);
		field(&in, 1, 3);	/* sample */
		field(&in, 2, i + 4);
		field(&m, 1, i + 1);
		field(&m, 2, 1000);
		message(&m, 3, &in);
		message(&b, 2, &m);
	}
	for (unsigned i = 0; i < N; i++) {
		buf_printf(&in, "/src/%u.c", i);
		string(&b, in.p, in.n);
		buf_reset(&in);
	}
	FILE *f = fopen(file, "wb");
	OK(f && fwrite(b.p, 1, b.n, f) == b.n && !fclose(f));
	buf_free(&b);
	buf_free(&m);
	buf_free(&in);
}

/* ---- what a reader gets */

/* Append what a name becomes where the format cannot express it; NULL: it can. */
typedef void expect_fn(struct buf *b, const struct buf *name);
static expect_fn *expect;

/* A reader has read a text: if it ends in a number, it is a name. */
static void got(const char *s, size_t n)
{
	struct buf want = {0};
	size_t at = n;
	int i = 0;
	while (at && s[at - 1] >= '0' && s[at - 1] <= '9')
		at--;
	if (at == n || n - at > 3 || !at || s[at - 1] != '#')
		return;
	for (size_t k = at; k < n; k++)
		i = 10 * i + s[k] - '0';
	if (i >= N)
		return;
	if (expect)
		expect(&want, &name[i]);
	else
		buf_put(&want, name[i].p, name[i].n);
	bool same = want.n == n && !memcmp(want.p, s, n);
	if (!same)
		fprintf(stderr, "want %s\ngot  %.*s\n", buf_str(&want), (int)n, s);
	OK(same);
	found[i] = true;
	buf_free(&want);
}

static void found_all(const char *what)
{
	int n = 0;
	for (int i = 0; i < N; i++) {
		n += found[i];
		found[i] = false;
	}
	if (n != N)
		fprintf(stderr, "%s: %d of %d names\n", what, n, N);
	OK(n == N);
}

/* Run a report and return its output, NUL-terminated. */
static struct buf output_of(const char *report, const char *ending)
{
	struct buf line = {0}, b = {0};
	char out[96], part[4096];
	snprintf(out, sizeof out, "%s%s", file, ending);
	buf_printf(&line, "'%s' %s -symbolize=none -output '%s' '%s'", program, report, out, file);
	OK(!system(buf_str(&line)));
	FILE *f = fopen(out, "rb");
	OK(f);
	for (size_t n; f && (n = fread(part, 1, sizeof part, f));)
		buf_put(&b, part, n);
	if (f)
		fclose(f);
	unlink(out);
	buf_free(&line);
	(void)buf_str(&b);
	return b;
}

/* Return the length of the UTF-8 character at s, 0 if there is none (RFC 3629). */
static size_t utf8_length(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	if (p[0] < 0x80)
		return p[0] != 0;
	size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	bool bad = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f);
	return bad ? 0 : n;
}

/* ---- readers: each ends at the end of the text, or fails a check */

/* RFC 4180; a line may end in LF alone. */
static void read_csv(const char *s)
{
	struct buf cell = {0};
	while (*s) {
		buf_reset(&cell);
		if (*s == '"') {
			for (s++; *s && (*s != '"' || *++s == '"'); s++)
				buf_putc(&cell, *s);
			OK(*s == ',' || *s == '\n' || *s == '\r');
		} else {
			for (; *s && !strchr(",\"\r\n", *s); s++)
				buf_putc(&cell, *s);
			OK(*s != '"');
		}
		got(cell.p, cell.n);
		s += *s == '\r' && s[1] == '\n';
		s += *s != 0;
	}
	buf_free(&cell);
}

/* Undo \xNN and \uNNNN, of up to four digits. */
static void put_unescaped(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char hex[5] = {0};
		if (s[i] == '\\' && i + 3 < n && s[i + 1] == 'x') {
			memcpy(hex, s + i + 2, 2);
			buf_putc(b, (int)strtol(hex, NULL, 16));
			i += 3;
		} else if (s[i] == '\\' && i + 5 < n && s[i + 1] == 'u') {
			memcpy(hex, s + i + 2, 4);
			buf_puts(b, strcmp(hex, "fffe") ? "\xef\xbf\xbf" : "\xef\xbf\xbe");
			i += 5;
		} else {
			buf_putc(b, s[i]);
		}
	}
}

static void read_tsv(const char *s)
{
	struct buf cell = {0};
	for (size_t n; *s; s += n + (s[n] != 0)) {
		n = strcspn(s, "\t\n");
		buf_reset(&cell);
		put_unescaped(&cell, s, n);
		got(cell.p, cell.n);
	}
	buf_free(&cell);
}

static void put_utf8(struct buf *b, unsigned c)
{
	if (c >= 0x800) {
		buf_putc(b, (int)(0xe0 | c >> 12));
		buf_putc(b, (int)(0x80 | (c >> 6 & 0x3f)));
	} else if (c >= 0x80) {
		buf_putc(b, (int)(0xc0 | c >> 6));
	}
	buf_putc(b, (int)(c < 0x80 ? c : 0x80 | (c & 0x3f)));
}

/* The strings of RFC 8259; what is between them consists of its other characters. */
static void read_json(const char *s)
{
	static const char escape[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	struct buf b = {0};
	while (*s) {
		if (*s != '"') {
			OK(strchr("{}[]:, \n-+.0123456789eEtruefalsn", *s));
			s++;
			continue;
		}
		buf_reset(&b);
		for (s++; *s && *s != '"';) {
			size_t n = utf8_length(s);
			OK(n && (unsigned char)*s >= 0x20);
			if (*s != '\\') {
				buf_put(&b, s, n ? n : 1);
				s += n ? n : 1;
			} else if (s[1] == 'u') {
				char hex[5] = {s[2], s[3], s[4], s[5], 0};
				put_utf8(&b, (unsigned)strtoul(hex, NULL, 16));
				s += 6;
			} else {
				const char *at = strchr(escape, s[1]);
				OK(at);
				buf_putc(&b, at ? means[at - escape] : 0);
				s += 2;
			}
		}
		OK(*s == '"');
		s += *s != 0;
		got(b.p, b.n);
	}
	buf_free(&b);
}

/* Lines of "frame;frame N". */
static void read_folded(const char *s)
{
	struct buf b = {0};
	for (size_t n; *s; s += n + (s[n] != 0)) {
		n = strcspn(s, "\r\n");
		OK(s[n] == '\n');
		size_t end = n;
		while (end && s[end - 1] != ' ')
			end--;
		OK(end && strspn(s + end, "0123456789") == n - end);
		OK(!memchr(s, ';', n));	/* stacks of one frame */
		buf_reset(&b);
		put_unescaped(&b, s, end ? end - 1 : 0);
		got(b.p, b.n);
	}
	buf_free(&b);
}

/* Lines of KEY=(N) NAME. */
static void read_callgrind(const char *s)
{
	for (size_t n; *s; s += n + (s[n] != 0)) {
		n = strcspn(s, "\r\n");
		OK(s[n] == '\n');
		if (n > 3 && !memcmp(s, "fn=", 3) && s[3] == '(') {
			const char *at = memchr(s, ')', n);
			bool named = at && at + 2 <= s + n && at[1] == ' ';
			OK(named);
			if (named)
				got(at + 2, (size_t)(s + n - at - 2));
		}
	}
}

/* Append a character of XML or HTML at s, and return what follows. */
static const char *put_entity(struct buf *b, const char *s)
{
	static const struct { const char *s; char c; } all[] = {
		{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}, {"&#65;", 'A'}, {"&#x41;", 'A'}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strncmp(s, all[i].s, strlen(all[i].s))) {
			buf_putc(b, all[i].c);
			return s + strlen(all[i].s);
		}
	buf_putc(b, *s);
	return s + 1;
}

/* The texts of elements; each character has to be one of XML 1.0. */
static void read_xml(const char *s)
{
	struct buf b = {0}, plain = {0};
	while (*s) {
		bool script = !strncmp(s, "<script>", 8);
		if (script || !strncmp(s, "<style>", 7)) {
			s = strstr(s, script ? "</script>" : "</style>");
			OK(s);
			s = s ? s : "";
			continue;
		}
		if (*s == '<') {
			s += strcspn(s, ">");
			s += *s != 0;
			continue;
		}
		buf_reset(&b);
		while (*s && *s != '<') {
			size_t n = utf8_length(s);
			OK(n && ((unsigned char)*s >= 0x20 || *s == '\n' || *s == '\t'));
			OK(memcmp(s, "\xef\xbf\xbe", 3) && memcmp(s, "\xef\xbf\xbf", 3) && *s != '>');
			if (*s == '&') {
				const char *next = put_entity(&b, s);
				OK(next > s + 1);
				s = next;
			} else {
				buf_put(&b, s, n ? n : 1);
				s += n ? n : 1;
			}
		}
		for (size_t k = b.n; k > 1 && b.p[b.n - 1] == ')'; k--)	/* NAME (WEIGHT, SHARE) */
			if (b.p[k - 2] == ' ' && b.p[k - 1] == '(')
				b.n = k - 2;
		buf_reset(&plain);
		put_unescaped(&plain, b.p, b.n);
		got(plain.p, plain.n);
	}
	buf_free(&b);
	buf_free(&plain);
}

/* Quoted texts of graphviz: \" in them is a quote; then backslashes and entities are replaced. Only tooltips of nodes
   have names as they are: NAME (WEIGHT); labels of boxes have KEY:NAME. */
static void read_dot(const char *s)
{
	struct buf b = {0};
	while (*s) {
		if (*s++ != '"')
			continue;
		buf_reset(&b);
		while (*s && *s != '"') {
			OK(*s != '\n');
			if (*s == '\\' && s[1]) {
				buf_putc(&b, s[1] == 'l' || s[1] == 'n' ? '\n' : s[1]);
				s += 2;
			} else if (*s == '&') {
				s = put_entity(&b, s);
			} else {
				buf_putc(&b, *s++);
			}
		}
		OK(*s == '"');
		s += *s != 0;
		if (b.n > 4 && !memcmp(b.p, "key:", 4))
			got(b.p + 4, b.n - 4);
		else if (b.n > 7 && !memcmp(b.p + b.n - 7, " (1000)", 7))
			got(b.p, b.n - 7);
	}
	buf_free(&b);
}

/* ---- what formats cannot express */

static void as_utf8(struct buf *b, const struct buf *from)
{
	const char *s = from->p;
	for (size_t i = 0, n; i < from->n; i += n ? n : 1) {
		n = utf8_length(s + i);
		buf_put(b, n ? s + i : "\xef\xbf\xbd", n ? n : 3);
	}
}

static void as_one_line(struct buf *b, const struct buf *from)
{
	for (size_t i = 0; i < from->n; i++)
		buf_putc(b, from->p[i] == '\n' || from->p[i] == '\r' ? ' ' : from->p[i]);
}

int main(void)
{
	static const struct { const char *report, *ending; void (*read)(const char *); expect_fn *expect; } all[] = {
		{"top -nodecount=1000 -nodefraction=0 -format=csv", ".csv", read_csv, NULL},
		{"tags -format=csv", ".csv", read_csv, NULL},
		{"top -nodecount=1000 -nodefraction=0 -format=tsv", ".tsv", read_tsv, NULL},
		{"top -nodecount=1000 -nodefraction=0 -format=json", ".json", read_json, as_utf8},
		{"tags -format=json", ".json", read_json, as_utf8},
		{"speedscope", ".json", read_json, as_utf8},
		{"folded", ".txt", read_folded, NULL},
		{"callgrind", ".out", read_callgrind, as_one_line},
		{"flame", ".svg", read_xml, NULL},
		{"weblist .", ".html", read_xml, NULL},
		{"dot -nodecount=1000 -nodefraction=0", ".dot", read_dot, NULL},
	};
	program = getenv("TTRACE") ? getenv("TTRACE") : "./ttrace";
	snprintf(file, sizeof file, "t-formats-%d", (int)getpid());
	make_names();
	write_profile();
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct buf b = output_of(all[i].report, all[i].ending);
		OK(b.n == strlen(buf_str(&b)));
		expect = all[i].expect;
		all[i].read(buf_str(&b));
		found_all(all[i].report);
		buf_free(&b);
	}
	unlink(file);
	for (int i = 0; i < N; i++)
		buf_free(&name[i]);
	return DONE();
}
