/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * URLs, by the rules of Go's net/url as far as pprof's arguments need them, because
 * `localhost:6060`, `127.0.0.1:6060` and `prof:3` must mean the same as in pprof: what parses as
 * scheme:rest without a host is parsed again with http:// before it, and what has no host then is
 * the name of a file.
 *
 * The query is split and joined again, sorted by key, as pprof does to set seconds=. Nothing is
 * resolved or opened here, except that stat() finds which part of unix:///a/b/c is the socket.
 */
#include "config.h"
#include "input/url.h"

#include "base/text/buf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PAIRS_MAX = 64 };

struct url_span { const char *s; size_t n; };

struct url_parts {	/* parts of the text; the query without its ?, the fragment without its # */
	struct url_span scheme, user, host, path, url_query, fragment;
};

static bool is_unreserved(unsigned char c)
{
	return isalnum(c) || (c && strchr("-_.~", c));
}

static void put_escaped(struct buf *b, unsigned char c)
{
	buf_printf(b, "%%%02X", c);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' &&
	    c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_escape(const char *s, size_t n)
{
	return n >= 3 && s[0] == '%' && hex_digit(s[1]) >= 0 && hex_digit(s[2]) >= 0;
}

/* ---- splitting */

/* Take a scheme like "http:". Returns false if there is none; *bad: the text cannot be parsed. */
static bool take_scheme(struct url_span *rest, struct url_span *scheme, bool *bad)
{
	size_t i = 0;
	while (i < rest->n && (isalpha((unsigned char)rest->s[i]) ||
		(i && (isdigit((unsigned char)rest->s[i]) || strchr("+-.", rest->s[i])))))
		i++;
	*bad = !i && rest->n && rest->s[0] == ':';
	if (!i || i == rest->n || rest->s[i] != ':')
		return false;
	*scheme = (struct url_span){rest->s, i};
	*rest = (struct url_span){rest->s + i + 1, rest->n - i - 1};
	return true;
}

/* Split at the first c: *s keeps the part before it, and the part after it is returned. Without c all stays in *s. */
static struct url_span split_at(struct url_span *s, char c, bool *found)
{
	const char *at = s->n ? memchr(s->s, c, s->n) : NULL;
	struct url_span tail = at ? (struct url_span){at + 1, s->n - (size_t)(at + 1 - s->s)} : (struct url_span){0};
	if (at)
		s->n = (size_t)(at - s->s);
	*found = at != NULL;
	return tail;
}

/* Check for name, name:port or [v6]:port, without characters that are not allowed. */
static bool good_host(struct url_span h)
{
	size_t i = 0;
	for (size_t k = 0; k < h.n; k++) {
		unsigned char c = (unsigned char)h.s[k];
		if (c <= ' ' || c == 0x7f || strchr("\\^`{|}%#?@/<>\"", c))
			return false;
	}
	if (h.n && h.s[0] == '[') {
		const char *end = memchr(h.s, ']', h.n);
		if (!end)
			return false;
		i = (size_t)(end + 1 - h.s);
	} else {
		while (i < h.n && h.s[i] != ':')
			i++;
	}
	if (i == h.n)
		return true;
	if (h.s[i] != ':')
		return false;
	for (i++; i < h.n; i++)
		if (!isdigit((unsigned char)h.s[i]))
			return false;
	return true;
}

static bool take_authority(struct url_span *rest, struct url_parts *p)
{
	if (rest->n < 2 || memcmp(rest->s, "//", 2))
		return true;
	struct url_span a = {rest->s + 2, 0};
	while (a.n < rest->n - 2 && a.s[a.n] != '/')
		a.n++;
	*rest = (struct url_span){a.s + a.n, rest->n - 2 - a.n};
	for (size_t i = a.n; i--;)
		if (a.s[i] == '@') {
			p->user = (struct url_span){a.s, i};
			a = (struct url_span){a.s + i + 1, a.n - i - 1};
			break;
		}
	p->host = a;
	return good_host(a);
}

/* Split a URL. Returns false if it cannot be parsed. A result without a host may still be a URL, see url_parse(). */
static bool take_apart(const char *s, struct url_parts *p)
{
	struct url_span rest = {s, strlen(s)};
	bool bad, found;
	*p = (struct url_parts){0};
	for (size_t i = 0; i < rest.n; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
			return false;
	p->fragment = split_at(&rest, '#', &found);
	bool scheme = take_scheme(&rest, &p->scheme, &bad);
	if (bad)
		return false;
	p->url_query = split_at(&rest, '?', &found);
	if (!rest.n || rest.s[0] != '/') {
		if (scheme)
			return true;	/* opaque, without a host */
		const char *colon = rest.n ? memchr(rest.s, ':', rest.n) : NULL;
		const char *slash = rest.n ? memchr(rest.s, '/', rest.n) : NULL;
		p->path = rest;
		return !colon || (slash && slash < colon);
	}
	if (!take_authority(&rest, p))
		return false;
	p->path = rest;
	for (size_t i = 0; i < rest.n; i++)
		if (rest.s[i] == '%' && !is_escape(rest.s + i, rest.n - i))
			return false;
	return true;
}

/* ---- the query */

struct query_pair { const char *key, *value; };
struct url_query { struct query_pair query_pair[PAIRS_MAX]; size_t n; };

static const char *unescape_query(struct arena *a, struct url_span s, bool *bad)
{
	char *t = arena_strndup(a, s.s ? s.s : "", s.n);
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++) {
		bool esc = is_escape(s.s + i, s.n - i);
		*bad |= s.s[i] == '%' && !esc;
		t[n++] = esc		 ? (char)(hex_digit(s.s[i + 1]) * 16 + hex_digit(s.s[i + 2]))
			 : s.s[i] == '+' ? ' '
					 : s.s[i];
		i += esc ? 2 : 0;
	}
	t[n] = '\0';
	return t;
}

static void read_query(struct arena *a, struct url_span s, struct url_query *q)
{
	bool more = s.n > 0;
	q->n = 0;
	while (more && q->n < PAIRS_MAX) {
		bool eq, bad = false;
		struct url_span next = split_at(&s, '&', &more), value;
		if (s.n && !memchr(s.s, ';', s.n)) {
			value = split_at(&s, '=', &eq);
			struct query_pair p = {unescape_query(a, s, &bad), unescape_query(a, value, &bad)};
			if (!bad)
				q->query_pair[q->n++] = p;
		}
		s = next;
	}
}

static void set_seconds(struct arena *a, struct url_query *q, int64_t seconds)
{
	size_t n = 0;
	for (size_t i = 0; i < q->n; i++)
		if (strcmp(q->query_pair[i].key, "seconds"))
			q->query_pair[n++] = q->query_pair[i];
	q->n = n < PAIRS_MAX ? n : PAIRS_MAX - 1;
	q->query_pair[q->n++] = (struct query_pair){"seconds", arena_printf(a, "%lld", (long long)seconds)};
}

static int64_t get_seconds(const struct url_query *q)
{
	for (size_t i = 0; i < q->n; i++)
		if (!strcmp(q->query_pair[i].key, "seconds")) {
			char *end;
			long long v = strtoll(q->query_pair[i].value, &end, 10);
			return *q->query_pair[i].value && !*end && v > 0 && v <= INT32_MAX ? v : 0;
		}
	return 0;
}

static void put_word(struct buf *b, const char *s)
{
	for (; *s; s++)
		if (*s == ' ')
			buf_putc(b, '+');
		else if (is_unreserved((unsigned char)*s))
			buf_putc(b, *s);
		else
			put_escaped(b, (unsigned char)*s);
}

/* Sort by key (stable) and append. */
static void put_query(struct buf *b, struct url_query *q)
{
	for (size_t i = 1; i < q->n; i++)
		for (size_t k = i; k && strcmp(q->query_pair[k - 1].key, q->query_pair[k].key) > 0; k--) {
			struct query_pair t = q->query_pair[k];
			q->query_pair[k] = q->query_pair[k - 1];
			q->query_pair[k - 1] = t;
		}
	for (size_t i = 0; i < q->n; i++) {
		buf_putc(b, i ? '&' : '?');
		put_word(b, q->query_pair[i].key);
		buf_putc(b, '=');
		put_word(b, q->query_pair[i].value);
	}
}

/* ---- joining */

static void put_path(struct buf *b, struct url_span p)
{
	if (!p.n || (p.n == 1 && p.s[0] == '/')) {
		buf_puts(b, "/debug/pprof/profile");
		return;
	}
	for (size_t i = 0; i < p.n; i++) {
		unsigned char c = (unsigned char)p.s[i];
		if (is_unreserved(c) || strchr("!$&'()*+,;=:@[]/", c) || is_escape(p.s + i, p.n - i))
			buf_putc(b, c);
		else
			put_escaped(b, c);
	}
}

static bool span_is(struct url_span s, const char *t)
{
	return s.n == strlen(t) && !memcmp(s.s, t, s.n);
}

/* Return whether it is this host, by the rules of Go for proxies. */
static bool is_local(struct url_span h)
{
	struct url_span name = h;
	if (h.n && h.s[0] == '[')
		return h.n >= 5 && !memcmp(h.s, "[::1]", 5);
	for (name.n = 0; name.n < h.n && h.s[name.n] != ':';)
		name.n++;
	return span_is(name, "localhost") || (name.n > 4 && !memcmp(name.s, "127.", 4));
}

static char *take_text(struct arena *a, struct buf *b)
{
	char *s = arena_strndup(a, b->p ? b->p : "", b->n);
	buf_reset(b);
	return s;
}

static void put_scheme(struct buf *b, struct url_span s, const char *tail)
{
	for (size_t i = 0; i < s.n; i++)
		buf_putc(b, tolower((unsigned char)s.s[i]));
	buf_puts(b, tail);
}

/* Set seconds, timeout, and whether it is a trace by its path. */
static void set_times(
    struct arena *a, struct url_query *q, struct url_span path, int64_t seconds, int64_t timeout, struct url *u)
{
	if (seconds > 0)
		set_seconds(a, q, seconds);
	else
		seconds = get_seconds(q);
	u->timeout = timeout > 0 ? timeout : seconds > 0 ? seconds + seconds / 2 : 60;
	u->seconds = seconds;
	u->trace = path.n >= 6 && !memcmp(path.s + path.n - 6, "/trace", 6);
	/* the defaults of Go's handlers */
	if (!seconds && u->trace)
		u->seconds = 1;
	if (!seconds && (path.n < 2 || (path.n >= 8 && !memcmp(path.s + path.n - 8, "/profile", 8))))
		u->seconds = 30;
}

/* Parse unix:///run/app.sock/debug/pprof/heap, also unix:/run/app.sock:/debug/pprof/heap. */
static void read_unix(struct arena *a, const char *s, int64_t seconds, int64_t timeout, struct url *u)
{
	static struct url_query none;
	struct url_query *q = arena_alloc(a, sizeof *q);
	struct url_span path = {s + 5, strlen(s + 5)};
	bool found;
	*q = none;
	if (path.n >= 2 && !memcmp(path.s, "//", 2))
		path = (struct url_span){path.s + 2, path.n - 2};
	(void)split_at(&path, '#', &found);
	struct url_span text = split_at(&path, '?', &found);
	const char *usual = strstr(path.s, "/debug/pprof");
	size_t n = usual && usual < path.s + path.n ? (size_t)(usual - path.s) : path.n; /* if no part is a socket */
	for (size_t i = 1; i <= path.n; i++) {
		struct stat st;
		if (i < path.n && path.s[i] != '/' && path.s[i] != ':')
			continue;
		if (!stat(arena_strndup(a, path.s, i), &st) && S_ISSOCK(st.st_mode)) {
			n = i;
			break;
		}
	}
	u->socket = arena_strndup(a, path.s, n);
	path = (struct url_span){path.s + n, path.n - n};
	if (path.n && path.s[0] == ':')
		path = (struct url_span){path.s + 1, path.n - 1};
	read_query(a, text, q);
	set_times(a, q, path, seconds, timeout, u);
	struct buf b = {0}, tail = {0};
	put_path(&tail, path);
	put_query(&tail, q);
	buf_printf(&b, "http://localhost%s", buf_str(&tail));
	u->get = take_text(a, &b);
	buf_printf(&b, "unix://%s%s", u->socket, buf_str(&tail));
	u->shown = take_text(a, &b);
	u->local = true;
	buf_free(&b);
	buf_free(&tail);
}

bool url_parse(struct arena *a, const char *s, int64_t seconds, int64_t timeout, struct url *u)
{
	struct url_parts p;
	*u = (struct url){0};
	if (!strncmp(s, "unix:", 5) && s[5] == '/') {
		read_unix(a, s, seconds, timeout, u);
		return true;
	}
	bool ok = take_apart(s, &p);
	if (!ok || (!p.host.n && p.scheme.n && !span_is(p.scheme, "file")))
		ok = take_apart(arena_printf(a, "http://%s", s), &p);
	if (!ok || !p.host.n)
		return false;
	static const char insecure[] = "+insecure";
	enum { TAIL = sizeof insecure - 1 };
	struct url_query *q = arena_zalloc(a, sizeof *q);
	struct buf b = {0}, tail = {0};
	read_query(a, p.url_query, q);
	set_times(a, q, p.path, seconds, timeout, u);
	put_path(&tail, p.path);
	put_query(&tail, q);
	struct url_span scheme = p.scheme.n ? p.scheme : (struct url_span){"http", 4};
	u->insecure = scheme.n > TAIL && !memcmp(scheme.s + scheme.n - TAIL, insecure, TAIL);
	put_scheme(&b, (struct url_span){scheme.s, scheme.n - (u->insecure ? (size_t)TAIL : 0)}, "://");
	buf_put(&b, p.user.s, p.user.n);
	buf_printf(&b, "%s%.*s%s", p.user.n ? "@" : "", (int)p.host.n, p.host.s, buf_str(&tail));
	u->get = take_text(a, &b);
	put_scheme(&b, scheme, "://");
	if (p.user.n) {
		bool secret;
		(void)split_at(&p.user, ':', &secret);
		buf_printf(&b, "%.*s%s@", (int)p.user.n, p.user.s, secret ? ":xxxxx" : "");
	}
	buf_printf(&b, "%.*s%s", (int)p.host.n, p.host.s, buf_str(&tail));
	if (p.fragment.n)
		buf_printf(&b, "#%.*s", (int)p.fragment.n, p.fragment.s);
	u->shown = take_text(a, &b);
	u->local = is_local(p.host);
	buf_free(&b);
	buf_free(&tail);
	return true;
}
