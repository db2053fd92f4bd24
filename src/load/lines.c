/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Lines and words of texts. A line ends with \n, or \r\n, or where the text
 * does; what is taken off the front of a piece stays within the line, so a reader
 * cannot run on into the next one. Regular expressions would say the same
 * shorter, but they are for what people type: the formats here are fixed, and
 * logs are long.
 */
#include "config.h"
#include "load/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool lines_next(struct lines *l)
{
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

struct words lines_words(const struct lines *l)
{
	return (struct words){l->line, l->line + l->n};
}

struct words lines_trimmed(const struct lines *l)
{
	struct words t = lines_words(l);
	while (t.p < t.end && is_space(*t.p))
		t.p++;
	while (t.p < t.end && is_space(t.end[-1]))
		t.end--;
	return t;
}

bool lines_comment(const struct lines *l)
{
	struct words t = lines_trimmed(l);
	return t.p == t.end || *t.p == '#';
}

bool words_start(struct words t, const char *word)
{
	size_t n = strlen(word);
	return words_n(t) >= n && !memcmp(t.p, word, n);
}

bool words_hold(struct words t, const char *word)
{
	for (; t.p < t.end; t.p++)
		if (words_start(t, word))
			return true;
	return false;
}

bool words_take(struct words *t, const char *word)
{
	if (!words_start(*t, word))
		return false;
	t->p += strlen(word);
	return true;
}

void words_spaces(struct words *t)
{
	while (t->p < t->end && *t->p == ' ')
		t->p++;
}

bool words_digits(struct words *t, struct words *digits)
{
	digits->p = t->p;
	while (t->p < t->end && is_digit(*t->p))
		t->p++;
	digits->end = t->p;
	return digits->p < digits->end;
}

bool words_number(struct words d, int64_t *v)
{
	char s[32];
	size_t n = words_n(d);
	if (!n || n >= sizeof s)
		return false;
	memcpy(s, d.p, n);
	s[n] = 0;
	errno = 0;
	char *end;
	*v = strtoll(s, &end, 10);
	return !errno && !*end;
}

bool words_hex(struct words d, uint64_t *v)
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
