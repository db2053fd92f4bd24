/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The answer of a server that refuses a request, as one line: its status, and the first line of its page. Go's handlers
 * answer in plain text; proxies answer with HTML, of which the text outside of tags is used. All other headers and the
 * transfer itself are libcurl's work. Nothing here needs libcurl, so a fuzzer and tests call it with any bytes.
 */
#include "config.h"
#include "input/http_response.h"

#include "base/text/text.h"

#include <string.h>

bool http_status_line(const char *s, size_t n, char *status, size_t size)
{
	const char *blank = n > 5 && !memcmp(s, "HTTP/", 5) ? memchr(s, ' ', n) : NULL;
	if (!blank)
		return false;
	size_t k = n - (size_t)(blank + 1 - s);
	while (k && (blank[k] == '\r' || blank[k] == '\n' || blank[k] == ' '))
		k--;
	k = k < size - 1 ? k : size - 1;
	memcpy(status, blank + 1, k);
	status[k] = '\0';
	return true;
}

/* Return the length of a tag; the contents of style and script count as part of the tag. */
static size_t skip_tag(const char *s, size_t n)
{
	static const char *const mute[] = {"style", "script"};
	const char *end = memchr(s, '>', n);
	size_t k = end ? (size_t)(end + 1 - s) : n;
	for (int i = 0; i < 2; i++) {
		size_t len = strlen(mute[i]);
		if (n <= len + 1 || memcmp(s + 1, mute[i], len))
			continue;
		while (k < n && !(s[k] == '<' && k + len + 2 <= n && s[k + 1] == '/' &&
		    !memcmp(s + k + 2, mute[i], len)))
			k++;
	}
	return k;
}

/* Append the first non-empty line of a response; of HTML, the text outside of tags. */
static void first_line(struct buf *b, const char *s, size_t n)
{
	struct buf line = {0};
	size_t i = 0;
	while (i < n && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t'))
		i++;
	bool html = i < n && s[i] == '<';
	while (i < n) {
		if (html && s[i] == '<') {
			i += skip_tag(s + i, n - i);
			if (line.n)
				break;
		} else if (s[i] == '\n' || s[i] == '\r') {
			if (line.n)
				break;
			i++;
		} else if ((s[i] == ' ' || s[i] == '\t') && !line.n) {
			i++;
		} else {
			buf_putc(&line, s[i++]);
		}
	}
	text_fit(b, line.p ? line.p : "", line.n, 100, true);
	buf_free(&line);
}

void http_response_error(struct err *e, const char *status, const char *page, size_t n)
{
	struct buf safe = {0}, text = {0};
	text_safe(&safe, status, strlen(status));
	first_line(&text, page, n);
	bool more = text.n && !strstr(buf_str(&safe), buf_str(&text));
	err_set(e, ERR_IO, ERR_NOWHERE, "server response: %s%s%s", buf_str(&safe), more ? " - " : "",
	    more ? buf_str(&text) : "");
	buf_free(&safe);
	buf_free(&text);
}
