/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Downloads by libcurl, several at once on the caller's thread: a loop that transfers available
 * data, finishes ended transfers, and asks every tenth of a second whether to continue. So a key or
 * ^C stops a profile of 30 s at once.
 *
 * A server is not trusted more than a file: a response is limited by the memory limit, a transfer with all its redirects,
 * headers and error pages by a number of bytes, redirects by their number (ten) and to http and https, text of the server
 * is made safe for terminals (http_response.c), and silence is limited by the timeout. The timeout applies to the time
 * without a byte of the profile or trace, not to the whole: a trace may arrive slowly for an hour, headers and error pages
 * may not. libcurl keeps all headers, also those after the body, so their bytes are limited here.
 *
 * libcurl depends on some thirty libraries, which would cost 5 ms and 6 MB at every start, more
 * than all other linked libraries. So it is not linked but opened with the first URL.
 */
#include "config.h"
#include "input/http.h"

#ifdef HAVE_CURL

#include "base/clock.h"
#include "base/dynlib.h"
#include "input/http_response.h"

#include <curl/curl.h>
#include <stddef.h>
#include <string.h>

#define CALLS \
	CALL(easy_init) CALL(easy_cleanup) CALL(easy_getinfo) CALL(easy_setopt) CALL(easy_strerror) CALL(multi_init) \
	CALL(multi_cleanup) CALL(multi_add_handle) CALL(multi_remove_handle) CALL(multi_perform) \
	CALL(multi_info_read) CALL(multi_poll)

/* The functions of libcurl that are used; opened once and not closed. */
static struct {
#define CALL(name) __typeof__(&curl_##name) name;
	CALLS
#undef CALL
	bool open;
} curl;

static int open_curl(struct err *e)
{
	static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib", "libcurl.so", NULL};
	static const struct dynlib_symbol call[] = {
#define CALL(name) {"curl_" #name, offsetof(__typeof__(curl), name)},
		CALLS
#undef CALL
	};
	const char *missing = curl.open ? NULL : dynlib_open(names, call, sizeof call / sizeof *call, &curl);
	if (missing && !*missing)
		return err_set(e, ERR_IO, ERR_NOWHERE,
		    "cannot fetch a URL without libcurl (Debian: apt-get install libcurl4)");
	if (missing)
		return err_set(e, ERR_IO, ERR_NOWHERE, "libcurl is too old: %s is missing", missing);
	curl.open = true;
	return 0;
}

enum { POLL_MS = 100, GRACE_S = 5, CONNECT_S = 30, REDIRECTS = 10, PAGE = 4096, HEADERS = 1 << 20 };

struct transfer {
	struct http_get *g;
	CURL *easy;
	uint8_t *p;		/* the body; of an error page its beginning */
	size_t n, cap;
	uint64_t total;
	char status[80];	/* "404 Not Found" */
	char why[CURL_ERROR_SIZE];
	uint64_t received, most;	/* bytes of all its responses, and their limit; 0: none */
	uint64_t headers;		/* bytes of their headers */
	bool too_large, too_long, live;
	int64_t moved;		/* ms: time of the last received byte of the profile or trace */
};

static long status_of(const struct transfer *t)
{
	long code = 0;
	curl.easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &code);
	return code;
}

/* ---- callbacks of libcurl */

/* Count received bytes. Return false if there are too many: a server may send redirects and error pages without end. */
static bool count_received(struct transfer *t, size_t n)
{
	t->received += n;
	t->too_long |= t->most && t->received > t->most;
	return !t->too_long;
}

static size_t on_header(char *s, size_t one, size_t n, void *arg)
{
	struct transfer *t = arg;
	(void)one;
	t->headers += n;
	if (!count_received(t, n) || t->headers > HEADERS)
		return 0;
	if (http_status_line(s, n, t->status, sizeof t->status))	/* another response begins, perhaps after a redirect */
		t->n = 0;
	return n;
}

static size_t on_body(char *s, size_t one, size_t n, void *arg)
{
	struct transfer *t = arg;
	curl_off_t total = 0;
	(void)one;
	if (!count_received(t, n))
		return 0;
	if (status_of(t) != 200) {	/* of an error page only the beginning is kept */
		size_t room = t->n < PAGE ? PAGE - t->n : 0, k = n < room ? n : room;
		if (input_reserve(&t->p, &t->cap, PAGE))
			memcpy(t->p + t->n, s, k);
		t->n += k;
		return t->n < PAGE ? n : 0;	/* what is kept suffices: end the transfer */
	}
	t->moved = clock_ms();
	if (n > SIZE_MAX / 4 - t->n || !input_reserve(&t->p, &t->cap, t->n + n)) {
		t->too_large = true;
		return 0;
	}
	memcpy(t->p + t->n, s, n);
	t->n += n;
	curl.easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &total);
	t->total = total > 0 ? (uint64_t)total : 0;
	return n;
}

/* ---- setup */

static void set_limits(CURL *c)
{
	curl.easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl.easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
	curl.easy_setopt(c, CURLOPT_MAXREDIRS, (long)REDIRECTS);
	curl.easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
#if LIBCURL_VERSION_NUM >= 0x075500
	curl.easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl.easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
	curl.easy_setopt(c, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
	curl.easy_setopt(c, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
	curl.easy_setopt(c, CURLOPT_QUICK_EXIT, 1L);	/* do not wait for a resolver that does not respond */
#endif
}

static void set_tls(CURL *c, const struct url *u, const struct http_options *o)
{
	if (u->insecure) {
		curl.easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 0L);
		curl.easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (o->cert && *o->cert) {
		curl.easy_setopt(c, CURLOPT_SSLCERT, o->cert);
		curl.easy_setopt(c, CURLOPT_SSLKEY, o->key);
	}
	if (o->ca && *o->ca)
		curl.easy_setopt(c, CURLOPT_CAINFO, o->ca);
}

static bool begin_transfer(struct transfer *t, struct http_get *g, const struct http_options *o, CURLM *m)
{
	CURL *c = curl.easy_init();
	*t = (struct transfer){.g = g, .easy = c, .most = o->most, .moved = clock_ms()};
	if (!c)
		return false;
	set_limits(c);
	set_tls(c, &g->url, o);
	curl.easy_setopt(c, CURLOPT_URL, g->url.get);
	curl.easy_setopt(c, CURLOPT_USERAGENT, "ttrace/" VERSION);
	curl.easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "gzip");
	if (g->url.socket)
		curl.easy_setopt(c, CURLOPT_UNIX_SOCKET_PATH, g->url.socket);
	if (g->url.local)
		curl.easy_setopt(c, CURLOPT_PROXY, "");
	curl.easy_setopt(c, CURLOPT_ERRORBUFFER, t->why);
	curl.easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
	curl.easy_setopt(c, CURLOPT_HEADERDATA, t);
	curl.easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl.easy_setopt(c, CURLOPT_WRITEDATA, t);
	curl.easy_setopt(c, CURLOPT_PRIVATE, t);
	t->live = curl.multi_add_handle(m, c) == CURLM_OK;
	return t->live;
}

/* ---- results */

static const char *tls_hint(CURLcode rc)
{
	return rc == CURLE_PEER_FAILED_VERIFICATION ?
	    " (https+insecure:// accepts any certificate; -tls_ca=FILE adds CA certificates)" : "";
}

static void set_error(struct transfer *t, CURLcode rc)
{
	struct err *e = &t->g->err;
	t->g->failed = true;
	if (t->too_long)
		err_set(e, ERR_LIMIT, ERR_NOWHERE, "the server sent more than %llu bytes: -max_transfer=SIZE allows more",
		    (unsigned long long)t->most);
	else if (t->too_large)
		err_set(e, ERR_LIMIT, ERR_NOWHERE, "the response is larger than the memory limit (-mem)");
	else if (t->headers > HEADERS)
		err_set(e, ERR_LIMIT, ERR_NOWHERE, "the server sent more than %d bytes of headers", HEADERS);
	else if (rc == CURLE_TOO_MANY_REDIRECTS)
		err_set(e, ERR_IO, ERR_NOWHERE, "more than %d redirects", REDIRECTS);
	else if ((rc == CURLE_OK || t->n == PAGE) && status_of(t) != 200)
		http_response_error(e, t->status, (const char *)t->p, t->n);
	else if (rc == CURLE_OUT_OF_MEMORY)	/* older libcurl says so in both cases */
		err_set(e, ERR_IO, ERR_NOWHERE, "a header line of the server is too long, or there is not enough memory");
	else if (rc == CURLE_COULDNT_CONNECT && t->g->url.socket)
		err_set(e, ERR_IO, ERR_NOWHERE, "cannot connect to the unix socket %.160s", t->g->url.socket);
	else if (t->n && t->total > t->n)
		err_set(e, ERR_IO, ERR_NOWHERE, "the response ended after %zu of %llu bytes", t->n,
		    (unsigned long long)t->total);
	else if (t->n)
		err_set(e, ERR_IO, ERR_NOWHERE, "the response ended after %zu bytes: %s", t->n,
		    t->why[0] ? t->why : curl.easy_strerror(rc));
	else
		err_set(e, ERR_IO, ERR_NOWHERE, "%s%s", t->why[0] ? t->why : curl.easy_strerror(rc), tls_hint(rc));
}

/* Take the bytes of a transfer, also of one that ended early: a trace can be read up to any end. */
static void finish_transfer(struct transfer *t, CURLcode rc)
{
	bool ok = status_of(t) == 200;
	if (rc != CURLE_OK || !ok)
		set_error(t, rc);
	if (ok && (rc == CURLE_OK || t->n)) {
		t->g->cut = rc != CURLE_OK;
		t->g->got = (struct bytes){.p = t->p ? t->p : (const uint8_t *)"", .n = t->n, .file_n = t->n, .owned = t->p};
		t->p = NULL;
	}
	t->live = false;
}

static void take_ended(CURLM *m)
{
	CURLMsg *msg;
	int left;
	while ((msg = curl.multi_info_read(m, &left)))
		if (msg->msg == CURLMSG_DONE) {
			char *t = NULL;
			CURLcode rc = msg->data.result;
			curl.easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &t);
			finish_transfer((struct transfer *)(void *)t, rc);
		}
}

static void take_silent(struct transfer *t, CURLM *m)
{
	int64_t wait = (t->g->url.timeout + GRACE_S) * 1000;
	if (!t->live || clock_ms() - t->moved < wait)
		return;
	curl.multi_remove_handle(m, t->easy);
	finish_transfer(t, CURLE_OPERATION_TIMEDOUT);
	if (status_of(t) >= 400)	/* the rest of the page does not matter */
		http_response_error(&t->g->err, t->status, (const char *)t->p, t->n);
	else
		err_set(&t->g->err, ERR_IO, ERR_NOWHERE, "timeout: %s for %lld s (-timeout=S waits longer)",
		    t->g->got.n ? "no more data" : "no response", (long long)(wait / 1000));
}

static int run_transfers(struct transfer *t, size_t n, CURLM *m, const struct http_options *o, struct err *e)
{
	int running = 0;
	do {
		uint64_t bytes = 0, total = 0;
		bool known = true;
		curl.multi_perform(m, &running);
		take_ended(m);
		running = 0;
		for (size_t i = 0; i < n; i++) {
			take_silent(&t[i], m);
			running += t[i].live;
			bytes += t[i].g->got.n ? t[i].g->got.n : t[i].n;
			known &= t[i].total > 0;
			total += t[i].total;
		}
		if (o->watch && !o->watch->go(o->watch->arg, bytes, known ? total : 0))
			return err_set(e, ERR_CANCEL, ERR_NOWHERE, "fetching was cancelled");
		if (running)
			curl.multi_poll(m, NULL, 0, POLL_MS, NULL);
	} while (running);
	return 0;
}

bool http_is_built(void)
{
	return true;
}

int http_get(struct http_get *g, size_t n, const struct http_options *o, struct err *e)
{
	bool cert = o->cert && *o->cert, key = o->key && *o->key;
	if (cert != key)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-tls_%s requires -tls_%s",
		    cert ? "cert" : "key", cert ? "key" : "cert");
	if (open_curl(e))
		return -1;
	CURLM *m = curl.multi_init();
	struct transfer *t = xcalloc(n + 1, sizeof *t);
	int rc = m ? 0 : -1;
	for (size_t i = 0; i < n; i++)
		if (!m || !begin_transfer(&t[i], &g[i], o, m))
			rc = -1;
	if (rc)
		err_set(e, ERR_LIMIT, ERR_NOWHERE, "cannot initialize libcurl");
	else
		rc = run_transfers(t, n, m, o, e);
	for (size_t i = 0; i < n; i++) {
		if (t[i].live)
			curl.multi_remove_handle(m, t[i].easy);
		curl.easy_cleanup(t[i].easy);
		mem_free(t[i].p);
	}
	curl.multi_cleanup(m);
	mem_free(t);
	return rc;
}

#else

bool http_is_built(void)
{
	return false;
}

int http_get(struct http_get *g, size_t n, const struct http_options *o, struct err *e)
{
	const struct url *u = &g->url;
	const char *file = u->trace ? "t.out" : "x.pb.gz";
	(void)n;
	(void)o;
	return err_set(e, ERR_IO, ERR_NOWHERE,
	    "ttrace was built without libcurl and cannot fetch a URL: run curl %s%s%s-o %s '%.120s', then ttrace %s",
	    u->socket ? "--unix-socket " : "", u->socket ? u->socket : "", u->socket ? " " : "", file, u->get, file);
}

#endif
