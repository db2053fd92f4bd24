/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Lines and words of texts. A line ends with \n, or \r\n, or at the end of the text. What is taken
 * from a part of a line stays within the line, so a parser cannot continue into the next one. Not
 * taken: regular expressions. They would be shorter, but the formats are fixed and logs are long.
 */
#include "config.h"
#include "load/text/scan.h"

#include "base/mem/mem.h"
#include "sink_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { UNTIL_CHECK = 1024 };	/* lines from one look at the memory and the sink to the next */

/* The first lines are read in any case: the kind of the file is recognised from them. */
struct scan_lines scan_bounded(struct bytes b, const struct sink *s, unsigned pass, unsigned passes)
{
	const char *text = (const char *)b.p;
	return (struct scan_lines){.p = text, .begin = text, .end = text + b.n, .sink = s, .pass = pass, .passes = passes,
	    .until_check = UNTIL_CHECK};
}

void scan_warn_cut(const struct sink *s, bool cut)
{
	if (cut)
		s->ops->warn(s->self, ERR_NOWHERE,
		    "the file takes more memory than the limit of -mem; what was read until then is shown");
}

/* Return whether reading may continue. A small compressed file may hold very many lines, each with a new name. */
static bool may_continue(struct scan_lines *l)
{
	if (l->until_check--)
		return true;
	l->until_check = UNTIL_CHECK;
	l->cut = mem_limit_exceeded();
	uint64_t done = (uint64_t)(l->p - l->begin), all = (uint64_t)(l->end - l->begin);
	return !l->cut && l->sink->ops->upto(l->sink->self, TIME_NONE, (l->pass * all + done) / l->passes);
}

bool scan_next_line(struct scan_lines *l)
{
	if (l->sink && l->p < l->end && !may_continue(l)) {
		l->early = true;
		l->end = l->p;
	}
	l->line = l->p;
	l->n = 0;
	if (l->p == l->end)
		return false;
	const char *nl = memchr(l->p, '\n', (size_t)(l->end - l->p));
	l->n = (size_t)((nl ? nl : l->end) - l->p);
	l->p = nl ? nl + 1 : l->end;
	if (l->n && l->line[l->n - 1] == '\r')
		l->n--;
	return true;
}

struct scan_text scan_line_text(const struct scan_lines *l)
{
	return (struct scan_text){l->line, l->line + l->n};
}

struct scan_text scan_line_trimmed(const struct scan_lines *l)
{
	struct scan_text t = scan_line_text(l);
	while (t.p < t.end && scan_is_space(*t.p))
		t.p++;
	while (t.p < t.end && scan_is_space(t.end[-1]))
		t.end--;
	return t;
}

bool scan_is_comment(const struct scan_lines *l)
{
	struct scan_text t = scan_line_trimmed(l);
	return t.p == t.end || *t.p == '#';
}

bool scan_starts_with(struct scan_text t, const char *word)
{
	size_t n = strlen(word);
	return scan_len(t) >= n && !memcmp(t.p, word, n);
}

bool scan_contains(struct scan_text t, const char *word)
{
	for (; t.p < t.end; t.p++)
		if (scan_starts_with(t, word))
			return true;
	return false;
}

bool scan_take(struct scan_text *t, const char *word)
{
	if (!scan_starts_with(*t, word))
		return false;
	t->p += strlen(word);
	return true;
}

void scan_skip_spaces(struct scan_text *t)
{
	while (t->p < t->end && *t->p == ' ')
		t->p++;
}

bool scan_take_digits(struct scan_text *t, struct scan_text *digits)
{
	digits->p = t->p;
	while (t->p < t->end && scan_is_digit(*t->p))
		t->p++;
	digits->end = t->p;
	return digits->p < digits->end;
}

bool scan_parse_i64(struct scan_text d, int64_t *v)
{
	char s[32];
	size_t n = scan_len(d);
	if (!n || n >= sizeof s)
		return false;
	memcpy(s, d.p, n);
	s[n] = 0;
	errno = 0;
	char *end;
	*v = strtoll(s, &end, 10);
	return !errno && !*end;
}

bool scan_parse_hex(struct scan_text d, uint64_t *v)
{
	*v = 0;
	for (; d.p < d.end; d.p++) {
		unsigned c = (unsigned char)*d.p, x = c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
		if (*v >> 60)
			return false;
		*v = *v << 4 | (x & 15);
	}
	return true;
}

bool scan_take_hex(struct scan_text *t, size_t n, uint64_t *v)
{
	if (scan_len(*t) < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!scan_is_hex(t->p[i]))
			return false;
	t->p += n;
	return scan_parse_hex((struct scan_text){t->p - n, t->p}, v);
}

bool scan_take_u64(struct scan_text *t, uint64_t *v)
{
	struct scan_text d;
	*v = 0;
	if (!scan_take_digits(t, &d) || scan_len(d) > 19)
		return false;
	for (; d.p < d.end; d.p++)
		*v = *v * 10 + (uint64_t)(*d.p - '0');
	return true;
}

bool scan_take_until(struct scan_text *t, char c, struct scan_text *before)
{
	const char *at = t->p < t->end ? memchr(t->p, c, scan_len(*t)) : NULL;
	if (!at)
		return false;
	*before = (struct scan_text){t->p, at};
	t->p = at + 1;
	return true;
}

bool scan_ends_with(struct scan_text t, const char *word)
{
	size_t n = strlen(word);
	return scan_len(t) >= n && !memcmp(t.end - n, word, n);
}

bool scan_cut_line_number(struct scan_text *t, int64_t *line)
{
	const char *p = t->end;
	while (p > t->p && scan_is_digit(p[-1]))
		p--;
	if (p == t->end || p == t->p || p[-1] != ':' || !scan_parse_i64((struct scan_text){p, t->end}, line))
		return false;
	t->end = p - 1;
	return true;
}

const char *scan_find(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);
	while ((size_t)(end - p) >= n) {
		p = memchr(p, *word, (size_t)(end - p) - n + 1);
		if (!p)
			break;
		if (!memcmp(p, word, n))
			return p;
		p++;
	}
	return NULL;
}

/* ---- prefixes of log collectors */

/* Return whether t begins with this shape: 9 stands for a digit, a for a letter, _ for a digit or a space. */
static bool looks_like(struct scan_text t, const char *shape)
{
	for (; *shape; shape++, t.p++) {
		if (t.p == t.end)
			return false;
		char c = *t.p;
		bool fits = *shape == '9' ? scan_is_digit(c) : *shape == '_' ? scan_is_digit(c) || c == ' '
		    : *shape == 'a' ? (c | 32) >= 'a' && (c | 32) <= 'z' : c == *shape;
		if (!fits)
			return false;
	}
	return true;
}

void scan_skip_date(struct scan_text *t)
{
	if (!looks_like(*t, "9999/99/99 99:99:99"))
		return;
	t->p += 19;
	while (t->p < t->end && (scan_is_digit(*t->p) || *t->p == '.'))
		t->p++;
	scan_skip_spaces(t);
}

static bool skip_stamp(struct scan_text *t, struct scan_text *stamp)
{
	struct scan_text after = *t;
	if (!looks_like(*t, "9999-99-99T99:99:99") || !scan_take_until(&after, ' ', stamp))
		return false;
	for (const char *p = stamp->p + 19; p < stamp->end; p++)
		if (!scan_is_digit(*p) && !strchr(".,:+-Z", *p)) {
			stamp->end = stamp->p;
			return false;
		}
	*t = after;
	if (scan_take(&after, "stderr ") || scan_take(&after, "stdout "))
		if (scan_take(&after, "F ") || scan_take(&after, "P "))
			*t = after;
	return true;
}

/* Skip "Nov 21 07:00:00 host program[12]: ". */
static void skip_syslog(struct scan_text *t)
{
	struct scan_text rest = *t, host, program;
	if (!looks_like(rest, "aaa _9 99:99:99 "))
		return;
	rest.p += 16;
	if (scan_take_until(&rest, ' ', &host) && scan_take_until(&rest, ' ', &program) && scan_ends_with(program, ":"))
		*t = rest;
}

/* Skip "service-1  | ". */
static void skip_service(struct scan_text *t)
{
	struct scan_text rest = *t;
	while (rest.p < rest.end && !scan_is_space(*rest.p) && *rest.p != '|')
		rest.p++;
	if (rest.p == t->p || rest.p == rest.end || *rest.p != ' ')
		return;
	scan_skip_spaces(&rest);
	if (scan_take(&rest, "| "))
		*t = rest;
}

struct scan_text scan_line_without_log_prefix(const struct scan_lines *l, struct scan_text *stamp)
{
	struct scan_text t = scan_line_text(l), pod;
	*stamp = (struct scan_text){t.p, t.p};
	if (scan_starts_with(t, "[pod/"))
		scan_take_until(&t, ' ', &pod);
	if (!skip_stamp(&t, stamp)) {
		skip_syslog(&t);
		skip_service(&t);
	}
	return t;
}

static int64_t two_digits(const char *p)
{
	return (p[0] - '0') * 10 + (p[1] - '0');
}

bool scan_parse_wall_time(struct scan_text t, int64_t *ns)
{
	if (!looks_like(t, "9999-99-99T99:99:99"))
		return false;
	const char *p = t.p;
	int64_t y = two_digits(p) * 100 + two_digits(p + 2), m = two_digits(p + 5), d = two_digits(p + 8),
		unit = 100000000, zone = 0;
	/* days since 1970 of a date: years begin in March, so that the leap day comes last */
	int64_t yy = m <= 2 ? y - 1 : y, era = yy / 400, yoe = yy - era * 400;
	int64_t doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1, doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
	int64_t s = (era * 146097 + doe - 719468) * 86400 + two_digits(p + 11) * 3600 + two_digits(p + 14) * 60 +
		    two_digits(p + 17);
	if (y < 1970 || y > 2200)
		return false;
	*ns = 0;
	t.p += 19;
	if (scan_take(&t, "."))
		for (; t.p < t.end && scan_is_digit(*t.p); t.p++, unit /= 10)
			*ns += (*t.p - '0') * unit;
	if (looks_like(t, "+99:99") || looks_like(t, "-99:99"))
		zone = (two_digits(t.p + 1) * 3600 + two_digits(t.p + 4) * 60) * (*t.p == '+' ? 1 : -1);
	*ns += (s - zone) * 1000000000;
	return true;
}
