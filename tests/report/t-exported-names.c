/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A reader of each format gets the names of a file back, whatever they consist of. A profile has N functions, files and
 * labels with random names of what has a meaning in some format: quotes, ends of lines, markup, entities, backslashes,
 * separators, control characters, bytes that are not UTF-8. A trace has them as functions, tasks, regions and messages.
 * The readers here know only the rules of their format, are strict, and share no code with the program. A name ends in
 * '#' and its number, so a reader need not know where in a file the names are.
 *
 * CSV, TSV, JSON, speedscope, SVG and HTML have all names in all places; an expect_fn returns what is expected for a name
 * that the format cannot express. The text of dot, callgrind and folded stacks is pprof's byte for byte, so only what
 * pprof escapes is tested: in dot functions and files, not labels and programs, and not the & of an entity; in callgrind
 * files, not functions; in folded stacks the ends of lines and semicolons. In a graph that is drawn here all are escaped.
 */
#include "config.h"
#include "goasm.h"
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 400, IN_TRACE = 120 };
/* Places that have the random names; the others have plain ones. */
enum { FUNCTIONS = 1, FILES = 2, TAGS = 4, PROGRAM = 8, TRACE = 16 };
static const char PROGRAM_NAME[] = "/bin/p\"r\\o\ngram", PROGRAM_IN_DOT[] = "digraph \"p\\\"r\\\\o\\lgram\" {\n";

static struct buf name[N];
static bool found[N];
static const char *program;
static char folder[] = "t-exported-names-XXXXXX", file[64];

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
	    "\\", "\\x41", "\\x", "\\ufffe", "\\n", "\\\"", "\\l", "\\N", ";", ",", " ", "  ", " 12", "(3)", "=", "*", "+1",
	    "%s", "{", "}", "|", "$x", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\xa8", "\xc2\x9b", "\xc2\x85", "\xc2\xa0",
	    "\xef\xbb\xbf", "\xff", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xef\xbf\xbe", "\xef\xbf\xbf",
	    "\xf0\x9f\x98\x80", "\xc3\xa9", "a", "F", "7", "::", ".", "/a"};
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

static void put_file(const char *path, const struct buf *b)
{
	FILE *f = fopen(path, "wb");
	OK(f && fwrite(b->p, 1, b->n, f) == b->n && !fclose(f));
}

static void plain_name(struct buf *b, const char *prefix, unsigned i)
{
	buf_reset(b);
	buf_printf(b, "%s%u", prefix, i);
}

/* Strings: 1 cpu, 2 count, 3 key, 4 the program, then the functions, files and tags. */
static void write_profile(unsigned places)
{
	static const char *const plain[] = {"function", "/src/", "tag"};
	enum { FIRST = 5 };
	struct buf b = {0}, m = {0}, in = {0};
	field(&m, 1, 1);
	field(&m, 2, 2);
	message(&b, 1, &m);
	string(&b, "", 0);
	string(&b, "cpu", 3);
	string(&b, "count", 5);
	string(&b, "key", 3);
	string(&b, PROGRAM_NAME, places & PROGRAM ? sizeof PROGRAM_NAME - 1 : sizeof "/bin/p" - 1);
	for (unsigned k = 0; k < 3; k++)
		for (unsigned i = 0; i < N; i++) {
			plain_name(&in, plain[k], i);
			const struct buf *s = places >> k & 1 ? &name[i] : &in;
			string(&b, s->p, s->n);
		}
	buf_reset(&in);
	field(&m, 1, 1);	/* mapping */
	field(&m, 3, 1 << 20);
	field(&m, 5, 4);
	message(&b, 3, &m);
	for (unsigned i = 0; i < N; i++) {
		field(&m, 1, i + 1);	/* function */
		field(&m, 2, FIRST + i);
		field(&m, 4, FIRST + N + i);
		message(&b, 5, &m);
		field(&in, 1, i + 1);	/* location */
		field(&in, 2, 7);
		field(&m, 1, i + 1);
		field(&m, 2, 1);
		field(&m, 3, i + 1);
		message(&m, 4, &in);
		message(&b, 4, &m);
		field(&in, 1, 3);	/* sample */
		field(&in, 2, FIRST + 2 * N + i);
		field(&m, 1, i + 1);
		field(&m, 2, 1000);
		message(&m, 3, &in);
		message(&b, 2, &m);
	}
	put_file(file, &b);
	buf_free(&b);
	buf_free(&m);
	buf_free(&in);
}

/* Goroutine i + 2 has function i, and in it task and region i, whose message is that name, too. */
static void write_trace(void)
{
	struct buf b = {0}, binary = {0};
	int line = 0;
	buf_puts(&b, "go 26\nBatch 1 -1 100\nSync\nFrequency 1000000000\nClockSnapshot 5 77 1000 500\n"
	    "Batch 1 7 100\nProcStatus 1 0 1\n");
	for (int i = 0; i < IN_TRACE; i++)
		buf_printf(&b, "GoStatus 1 %d -1 2\nUserTaskBegin 5 %d 0 %d %d\n"
		    "UserRegionBegin 3 %d %d %d\nUserLog 2 %d 500 %d %d\n"
		    "UserRegionEnd 9 %d %d %d\nUserTaskEnd 3 %d %d\nGoBlock 2 499 %d\n", i + 2,
		    i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1);
	buf_puts(&b, "Batch 1 -1 120\nStacks\n");
	for (int i = 0; i < IN_TRACE; i++)
		buf_printf(&b, "Stack %d %d %d %d 7\n", i + 1, 4096 + i, i + 1, i + 1);
	buf_puts(&b, "Batch 1 -1 120\nStrings\nString 499 \"select\"\nString 500 \"key\"\n");
	for (int i = 0; i < IN_TRACE; i++) {
		buf_printf(&b, "String %d \"", i + 1);
		for (size_t k = 0; k < name[i].n; k++)
			buf_printf(&b, "\\x%02x", (unsigned char)name[i].p[k]);
		buf_puts(&b, "\"\n");
	}
	buf_puts(&b, "EndOfGeneration\n");
	OK(goasm(b.p, b.n, &binary, &line) || !line);
	put_file(file, &binary);
	buf_free(&b);
	buf_free(&binary);
}

/* ---- names that a reader finds */

/* A function that appends the form of a name that the format cannot express as it is; NULL: it can express all names. */
typedef void expect_fn(struct buf *b, const struct buf *name);
static expect_fn *expect;

/* Check a text that a reader has found: if it ends in '#' and a number, it must be that name, perhaps after "key=". */
static void check_text(const char *s, size_t n)
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
	if (n > 4 && (!memcmp(s, "key=", 4) || !memcmp(s, "key:", 4))) {
		s += 4;
		n -= 4;
	}
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

static void found_all(const char *what, int names)
{
	int n = 0;
	for (int i = 0; i < N; i++) {
		n += found[i];
		found[i] = false;
	}
	if (n != names)
		fprintf(stderr, "%s: %d of %d names\n", what, n, names);
	OK(n == names);
}

/* Run a report and return its output, NUL-terminated. */
static struct buf output_of(const char *report, const char *ending)
{
	struct buf line = {0}, b = {0};
	char out[96], part[4096];
	snprintf(out, sizeof out, "%s%s", file, ending);
	buf_printf(&line, "PATH=%s:$PATH '%s' %s -symbolize=none -output '%s' '%s'", folder, program, report, out, file);
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

/* RFC 4180, but a line may end in LF alone. All lines have the same number of fields. */
static void read_csv(const char *s)
{
	struct buf cell = {0};
	size_t fields = 0, first = 0;
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
		check_text(cell.p, cell.n);
		s += *s == '\r' && s[1] == '\n';
		fields++;
		if (*s != ',') {
			first = first ? first : fields;
			OK(fields == first);
			fields = 0;
		}
		s += *s != 0;
	}
	buf_free(&cell);
}

static void put_unescaped(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\\' && i + 3 < n && s[i + 1] == 'x') {
			char hex[3] = {s[i + 2], s[i + 3], 0};
			buf_putc(b, (int)strtol(hex, NULL, 16));
			i += 3;
		} else {
			buf_putc(b, s[i]);
		}
	}
}

/* Lines of fields without control characters; \xNN in them is decoded. */
static void read_tsv(const char *s)
{
	struct buf cell = {0};
	for (size_t n; *s; s += n + (s[n] != 0)) {
		n = strcspn(s, "\t\n");
		for (size_t i = 0; i < n; i++)
			OK((unsigned char)s[i] >= 0x20 && s[i] != 0x7f);
		buf_reset(&cell);
		put_unescaped(&cell, s, n);
		check_text(cell.p, cell.n);
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

/* The strings of RFC 8259; between them are only characters of its other tokens. */
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
		check_text(b.p, b.n);
	}
	buf_free(&b);
}

/* Lines of "STACK N"; here each stack has one frame. */
static void read_folded(const char *s)
{
	for (size_t n; *s; s += n + (s[n] != 0)) {
		n = strcspn(s, "\r\n");
		OK(s[n] == '\n');
		size_t end = n;
		while (end && s[end - 1] != ' ')
			end--;
		OK(end && strspn(s + end, "0123456789") == n - end);
		check_text(s, end ? end - 1 : 0);
	}
}

/* Lines of fl=(N) NAME, and other lines. */
static void read_callgrind(const char *s)
{
	for (size_t n; *s; s += n + (s[n] != 0)) {
		n = strcspn(s, "\r\n");
		OK(s[n] == '\n');
		if (n > 3 && !memcmp(s, "fl=", 3) && s[3] == '(') {
			const char *at = memchr(s, ')', n);
			bool named = at && at + 2 <= s + n && at[1] == ' ';
			OK(named);
			if (named)
				check_text(at + 2, (size_t)(s + n - at - 2));
		} else {
			OK(!n || strchr("pecfo*+-0123456789", *s));
		}
	}
}

/* Append the character or entity of XML or HTML at s. Return the text after it. */
static const char *put_entity(struct buf *b, const char *s)
{
	static const struct { const char *s; char c; } all[] = {
		{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strncmp(s, all[i].s, strlen(all[i].s))) {
			buf_putc(b, all[i].c);
			return s + strlen(all[i].s);
		}
	buf_putc(b, *s);
	return s + 1;
}

/* The texts of elements; each character must be one of XML 1.0. */
static void read_xml(const char *s)
{
	struct buf b = {0};
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
		check_text(b.p, b.n);
	}
	buf_free(&b);
}

/* The language of graphviz, as far as names could end a string: outside of strings there are only words, numbers and signs,
   and attributes are those of the program. In strings a backslash escapes a character, \l and \n are ends of lines. Tooltips
   of nodes have names as NAME (WEIGHT); labels of boxes have KEY:NAME. */
static void read_dot(const char *s)
{
	static const char *const attribute[] = {"style=", "fillcolor=", "shape=", "fontsize=", "label=", "tooltip=", "id=",
	    "color=", "weight=", "penwidth=", "labeltooltip=", "minlen=", "label = "};
	struct buf b = {0};
	OK(!strncmp(s, PROGRAM_IN_DOT, sizeof PROGRAM_IN_DOT - 1) || !strncmp(s, "digraph \"p\" {\n", 14));
	while (*s) {
		const char *word = s;
		s += strcspn(s, "\"=");
		for (const char *at = word; at < s; at++)
			OK(strchr("digraphnodesubcluster_LN0123456789->[]{} \n=", *at) || (*at >= 'a' && *at <= 'z'));
		if (*s == '=') {
			bool known = false;
			for (size_t i = 0; i < sizeof attribute / sizeof *attribute; i++) {
				size_t len = strlen(attribute[i]), before = strcspn(attribute[i], "=");
				known |= (size_t)(s - word) >= before && !strncmp(s - before, attribute[i], len);
			}
			OK(known);
			s++;
			continue;
		}
		if (!*s++)
			break;
		buf_reset(&b);
		while (*s && *s != '"') {
			OK(*s != '\n');
			if (*s == '\\' && s[1]) {
				buf_putc(&b, s[1] == 'l' || s[1] == 'n' ? '\n' : s[1]);
				s += 2;
			} else {
				buf_putc(&b, *s++);
			}
		}
		OK(*s == '"');
		s += *s != 0;
		if (b.n > 7 && !memcmp(b.p + b.n - 7, " (1000)", 7))
			check_text(b.p, b.n - 7);
		else if (b.n > 4 && !memcmp(b.p, "key:", 4))
			check_text(b.p, b.n);
	}
	buf_free(&b);
}

/* ---- names that formats cannot express */

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

static void as_folded(struct buf *b, const struct buf *from)
{
	for (size_t i = 0; i < from->n; i++)
		if (from->p[i] == '\n' || from->p[i] == '\r')
			buf_printf(b, "\\x%02x", from->p[i]);
		else
			buf_putc(b, from->p[i] == ';' ? ':' : from->p[i]);
}

/* Escape control characters, characters that format text, and bytes that are not UTF-8 or no character of XML. */
static void put_shown(struct buf *b, const struct buf *from, const char *kept)
{
	static const char *const escaped[] = {"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\xa8", "\xc2\x9b", "\xc2\x85",
	    "\xef\xbb\xbf"};
	for (size_t i = 0, n; i < from->n; i += n) {
		const char *s = from->p + i;
		n = utf8_length(s);
		bool escape = !n || (((unsigned char)*s < 0x20 || *s == 0x7f) && *s != *kept);
		for (size_t k = 0; k < sizeof escaped / sizeof *escaped; k++)
			escape |= !strncmp(s, escaped[k], strlen(escaped[k]));
		n = n ? n : 1;
		if (n == 3 && (!memcmp(s, "\xef\xbf\xbe", 3) || !memcmp(s, "\xef\xbf\xbf", 3))) {
			buf_puts(b, (unsigned char)s[2] == 0xbe ? "\\ufffe" : "\\uffff");
			continue;
		}
		for (size_t k = 0; k < n; k++)
			if (escape)
				buf_printf(b, "\\x%02x", (unsigned char)s[k]);
			else
				buf_putc(b, s[k]);
	}
}

static void as_xml(struct buf *b, const struct buf *from)
{
	put_shown(b, from, "");
}

/* In a graph that is drawn, ends of lines are those of graphviz. */
static void as_drawn(struct buf *b, const struct buf *from)
{
	put_shown(b, from, "\n");
}

/* ---- all formats */

#define ALL " -nodecount=1000 -nodefraction=0"
static const struct row {
	const char *report, *ending;
	void (*read)(const char *);
	expect_fn *expect;
	unsigned places;
	int names;		/* number of names in the report */
} rows[] = {
	{"top -format=csv" ALL, ".csv", read_csv, NULL, FUNCTIONS | FILES | TAGS, N},
	{"top -files -format=csv" ALL, ".csv", read_csv, NULL, FILES, N},
	{"tree -format=csv" ALL, ".csv", read_csv, NULL, FUNCTIONS, N},
	{"tags -format=csv", ".csv", read_csv, NULL, TAGS, N},
	{"traces -format=csv", ".csv", read_csv, NULL, FUNCTIONS | TAGS, N},
	{"list . -format=csv", ".csv", read_csv, NULL, FUNCTIONS, N},
	{"top -format=tsv" ALL, ".tsv", read_tsv, NULL, FUNCTIONS, N},
	{"tags -format=tsv", ".tsv", read_tsv, NULL, TAGS, N},
	{"traces -format=tsv", ".tsv", read_tsv, NULL, FUNCTIONS | TAGS, N},
	{"top -format=json" ALL, ".json", read_json, as_utf8, FUNCTIONS, N},
	{"top -files -format=json" ALL, ".json", read_json, as_utf8, FILES, N},
	{"tree -format=json" ALL, ".json", read_json, as_utf8, FUNCTIONS, N},
	{"peek . -format=json" ALL, ".json", read_json, as_utf8, FUNCTIONS, N},
	{"list . -format=json", ".json", read_json, as_utf8, FUNCTIONS, N},
	{"tags -format=json", ".json", read_json, as_utf8, TAGS, N},
	{"traces -format=json", ".json", read_json, as_utf8, FUNCTIONS | TAGS, N},
	{"info -format=json", ".json", read_json, as_utf8, FUNCTIONS | FILES | TAGS, 0},
	{"findings -format=json", ".json", read_json, as_utf8, FUNCTIONS | FILES | TAGS, 0},
	{"speedscope", ".json", read_json, as_utf8, FUNCTIONS | FILES | TAGS, N},
	{"flame", ".svg", read_xml, as_xml, FUNCTIONS | FILES | TAGS, N},
	{"weblist .", ".html", read_xml, as_xml, FUNCTIONS | FILES, N},
	{"folded", ".txt", read_folded, as_folded, FUNCTIONS, N},
	{"callgrind", ".out", read_callgrind, as_one_line, FILES, N},
	{"dot" ALL, ".dot", read_dot, NULL, FUNCTIONS, N},
	{"dot -files" ALL, ".dot", read_dot, NULL, FILES, N},
	{"svg" ALL, ".dot", read_dot, as_drawn, FUNCTIONS | FILES | PROGRAM, N},
	{"svg" ALL, ".dot", read_dot, as_drawn, TAGS | PROGRAM, N},

	{"events -format=csv", ".csv", read_csv, NULL, TRACE, IN_TRACE},
	{"goroutines -format=csv", ".csv", read_csv, NULL, TRACE, IN_TRACE},
	{"tasks -format=csv", ".csv", read_csv, NULL, TRACE, IN_TRACE},
	{"regions -format=csv", ".csv", read_csv, NULL, TRACE, IN_TRACE},
	{"operations -format=csv", ".csv", read_csv, NULL, TRACE, IN_TRACE},
	{"tasks -format=tsv", ".tsv", read_tsv, NULL, TRACE, IN_TRACE},
	{"events -format=json", ".json", read_json, as_utf8, TRACE, IN_TRACE},
	{"goroutines -format=json", ".json", read_json, as_utf8, TRACE, IN_TRACE},
	{"goroutine 2 -format=json", ".json", read_json, as_utf8, TRACE, 1},
	{"tasks -format=json", ".json", read_json, as_utf8, TRACE, IN_TRACE},
	{"regions -format=json", ".json", read_json, as_utf8, TRACE, IN_TRACE},
	{"operations -format=json", ".json", read_json, as_utf8, TRACE, IN_TRACE},
	{"why -format=json", ".json", read_json, as_utf8, TRACE, IN_TRACE},
	{"findings -format=json", ".json", read_json, as_utf8, TRACE, 0},
	{"info -format=json", ".json", read_json, as_utf8, TRACE, 0},
	{"leaks -format=json", ".json", read_json, as_utf8, TRACE, IN_TRACE},
};

static void check_row(const struct row *r)
{
	if (r->places == TRACE)
		write_trace();
	else
		write_profile(r->places);
	struct buf b = output_of(r->report, r->ending);
	OK(b.n && b.n == strlen(buf_str(&b)));
	expect = r->expect;
	r->read(buf_str(&b));
	found_all(r->report, r->names);
	buf_free(&b);
}

/* Write a program `dot` that prints the graph instead of drawing it. */
static void write_graphviz(char *path, size_t size)
{
	struct buf b = {0};
	snprintf(path, size, "%s/dot", folder);
	buf_puts(&b, "#!/bin/sh\nexec cat\n");
	put_file(path, &b);
	OK(!chmod(path, 0700));
	buf_free(&b);
}

int main(void)
{
	char graphviz[64];
	program = getenv("TTRACE") ? getenv("TTRACE") : "./ttrace";
	OK(mkdtemp(folder));
	snprintf(file, sizeof file, "%s/file", folder);
	write_graphviz(graphviz, sizeof graphviz);
	make_names();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_row(&rows[i]);
	unlink(file);
	unlink(graphviz);
	OK(!rmdir(folder));
	for (int i = 0; i < N; i++)
		buf_free(&name[i]);
	return DONE();
}
