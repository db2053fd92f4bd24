/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Fetches URLs of the command line as `go tool pprof` does: with the same
 * messages, and a copy is saved under $PPROF_TMPDIR or ~/pprof, because a
 * profile of a process that has ended cannot be fetched again. A profile is
 * saved after merging. A trace is saved as received, before it is parsed, also
 * if the connection broke: the part that was received can be shown.
 *
 * File names are made of what the server sent (a mapping, sample types), so
 * special characters in them become underscores. If TTRACESECURE is set in the
 * environment, no URL is fetched.
 *
 * Standard input, pipes and devices are read here too, once, and not saved.
 */
#include "config.h"
#include "session/download.h"

#include "base/ending.h"
#include "base/put.h"
#include "base/text/path.h"
#include "base/text/pprof_units.h"
#include "base/text/text.h"
#include "input/http.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAVES_MAX = 10000, NAME_MAX_BYTES = 200 };

struct download_item {
	const char *name;	/* as on the command line */
	bool stream;		/* not a URL */
	struct http_get *get;	/* of a URL */
	struct bytes b;
	bool failed;
	struct err err;
};

struct downloads {
	struct arena mem;
	struct download_watch watch;
	struct download_item *download_item;
	size_t n;
	struct http_get *get;
	size_t nget, nprofile;		/* number of URLs; number of those that are not traces */
	const char *saved;
	const char *folder;		/* where profiles and traces are saved; NULL: not chosen yet, or there is none */
};

/* Is the name a URL and not an existing file? */
static bool is_remote_url(const char *name)
{
	struct arena a = {0};
	struct stat st;
	struct url u;
	bool is = strcmp(name, "-") && stat(name, &st) && url_parse(&a, name, 0, 0, &u);
	arena_free(&a);
	return is;
}

/* ---- names */

/* Return whether the input is standard input, a pipe or a device, and so can be read only once. */
static bool is_stream(const char *name)
{
	struct stat st;
	return !strcmp(name, "-") || (!stat(name, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

typedef bool each_fn(void *arg, const char *name);

/* Call fn for every file on the command line. Return true if fn stopped. */
static bool each_file(const struct options *o, each_fn *fn, void *arg)
{
	for (size_t i = 0; i < o->nfile; i++)
		if (fn(arg, o->file[i]))
			return true;
	return false;
}

/* Call fn for the last base of each option. Return true if fn stopped. */
static bool each_base(const struct options *o, each_fn *fn, void *arg)
{
	static const enum option_id base[] = {OPT_BASE, OPT_DIFF_BASE};
	for (int i = 0; i < 2; i++) {
		const struct option_value *v = &o->v[base[i]];
		if (v->nall && *v->all[v->nall - 1] && fn(arg, v->all[v->nall - 1]))
			return true;
	}
	return false;
}

/* Call fn for every input on the command line. Return true if fn stopped. */
static bool each_name(const struct options *o, each_fn *fn, void *arg)
{
	return each_file(o, fn, arg) || each_base(o, fn, arg);
}

static bool is_wanted(void *none, const char *name)
{
	(void)none;
	return is_stream(name) || is_remote_url(name);
}

bool download_needed(const struct options *o)
{
	return each_name(o, is_wanted, NULL);
}

static bool take_stream(void *first, const char *name)
{
	if (!is_stream(name))
		return false;
	*(const char **)first = name;
	return true;
}

const char *download_find_stream(const struct options *o, bool bases)
{
	const char *name = NULL;
	(void)(each_file(o, take_stream, &name) || (bases && each_base(o, take_stream, &name)));
	return name;
}

struct described { const struct options *o; struct download_info *w; };

/* "localhost:6060/heap": the title has no scheme and no usual path. */
static void make_title(struct download_info *w, const char *shown)
{
	static const char usual[] = "/debug/pprof/";
	const char *s = strstr(shown, "://"), *at = strstr(shown, usual);
	s = s ? s + 3 : shown;
	if (at && at > s)
		snprintf(w->title, sizeof w->title, "%.*s/%s", (int)(at - s), s, at + sizeof usual - 1);
	else
		snprintf(w->title, sizeof w->title, "%s", s);
}

static bool describe_first(void *arg, const char *name)
{
	struct described *d = arg;
	struct arena a = {0};
	struct url u = {.shown = NULL};
	bool stream = is_stream(name);
	if (!stream &&
	    !(is_remote_url(name) && url_parse(&a, name, d->o->v[OPT_SECONDS].i, d->o->v[OPT_TIMEOUT].i, &u))) {
		arena_free(&a);
		return false;
	}
	*d->w = (struct download_info){.seconds = u.seconds, .trace = u.trace};
	snprintf(d->w->name, sizeof d->w->name, "%s", !stream ? u.shown : strcmp(name, "-") ? name : "standard input");
	if (!stream && name == d->o->file[0])
		make_title(d->w, u.shown);
	arena_free(&a);
	return true;
}

bool download_describe(const struct options *o, struct download_info *w)
{
	struct described d = {o, w};
	return each_name(o, describe_first, &d);
}

static const struct download_item *find_piece(const struct downloads *r, const char *name)
{
	for (size_t i = 0; r && i < r->n; i++)
		if (!strcmp(r->download_item[i].name, name))
			return &r->download_item[i];
	return NULL;
}

static bool add_piece(void *arg, const char *name)
{
	struct downloads *r = arg;
	bool stream = is_stream(name);
	if (!find_piece(r, name) && (stream || is_remote_url(name)))
		r->download_item[r->n++] = (struct download_item){.name = name, .stream = stream};
	return false;
}

static bool count_name(void *arg, const char *name)
{
	(void)name;
	++*(size_t *)arg;
	return false;
}

/* ---- notices and saved files */

__attribute__((format(printf, 3, 4))) static void add_notice(const struct downloads *r, bool news, const char *fmt, ...)
{
	char line[512];
	struct buf b = {0};
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	text_safe(&b, line, strlen(line));
	if (r->watch.add_notice)
		r->watch.add_notice(r->watch.arg, news, buf_str(&b));
	buf_free(&b);
}

/* mkdir -p. */
static int make_dir(const char *dir)
{
	char *s = xstrdup(dir);
	int rc = 0;
	for (char *p = s + 1; *p && !rc; p++)
		if (*p == '/') {
			*p = '\0';
			rc = mkdir(s, 0755) && errno != EEXIST ? -1 : 0;
			*p = '/';
		}
	rc = rc || (mkdir(s, 0755) && errno != EEXIST) ? -1 : 0;
	struct stat st;
	if (!rc && !stat(s, &st) && !S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		rc = -1;
	}
	mem_free(s);
	return rc;
}

static const char *choose_folder(struct downloads *r)
{
	const char *pprof = getenv("PPROF_TMPDIR"), *home = getenv("HOME"), *tmp = getenv("TMPDIR");
	const char *dir[] = {pprof && *pprof ? pprof : NULL,
	    home && *home ? arena_printf(&r->mem, "%s/pprof", home) : NULL, tmp && *tmp ? tmp : "/tmp"};
	for (size_t i = 0; i < sizeof dir / sizeof *dir; i++) {
		if (!dir[i])
			continue;
		if (!make_dir(dir[i]))
			return dir[i];
		add_notice(r, false, "Could not use temp dir %s: %s", dir[i], strerror(errno));
	}
	return NULL;
}

static const char *save_folder(struct downloads *r)
{
	if (!r->folder)
		r->folder = choose_folder(r);
	return r->folder;
}

const char *download_save_folder(struct downloads *r)
{
	return r && r->nprofile ? save_folder(r) : NULL;
}

/* Create a new file named prefix, a free number, suffix. It is registered before it exists, so no signal leaves it behind;
   *unfinished is the number for ending_forget(). A name that exists is skipped: that file must not be removed. */
static int new_file(struct downloads *r, const char *prefix, const char *suffix, const char **name, int *unfinished)
{
	const char *dir = save_folder(r);
	for (int i = 1; dir && i < SAVES_MAX; i++) {
		*name = arena_printf(&r->mem, "%s/%s%03d%s", dir, prefix, i, suffix);
		if (!access(*name, F_OK))
			continue;
		*unfinished = ending_remember(*name);
		int fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		ending_forget(*unfinished);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

struct keeping { int fd; bool failed; };

static bool put_kept(void *arg, const void *p, size_t n)
{
	struct keeping *k = arg;
	k->failed |= put_all(k->fd, p, n) < 0;
	return !k->failed;
}

static void keep(struct downloads *r, const char *prefix, const char *suffix, const struct profile *p, struct bytes b)
{
	const char *name = NULL;
	int unfinished = -1;
	struct keeping k = {.fd = new_file(r, prefix, suffix, &name, &unfinished)};
	const char *what = p ? "profile" : "trace";
	if (k.fd < 0) {
		add_notice(
		    r, true, "Could not save %s: %s", what, name ? strerror(errno) : "no directory to save it in");
		return;
	}
	if (p)
		k.failed |= pprof_write(p, put_kept, &k, NULL) < 0;
	else
		put_kept(&k, b.p, b.n);
	k.failed |= close(k.fd) < 0;
	if (k.failed) {
		add_notice(r, true, "Could not save %s: %s: %s", what, name, strerror(errno));
		unlink(name);
		ending_forget(unfinished);
		return;
	}
	ending_forget(unfinished);
	r->saved = name;
	add_notice(r, true, "Saved %s in %s", what, name);
}

static void put_plain(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n && b->n < NAME_MAX_BYTES; i++) {
		unsigned char c = (unsigned char)s[i];
		buf_putc(b, c <= ' ' || c >= 0x7f || c == '/' ? '_' : c);
	}
}

void download_save(struct downloads *r, const struct profile *p)
{
	struct buf b = {0};
	size_t n;
	if (!r || !r->nprofile)
		return;
	buf_puts(&b, "pprof.");
	if (p->nmap > 1 && p->map[1].file) {
		const struct profile_text *s = &p->str[p->map[1].file];
		const char *base = path_base(s->s, s->n, &n);
		put_plain(&b, base, n);
		buf_putc(&b, '.');
	}
	for (size_t i = 0; i < p->ntype; i++) {
		put_plain(&b, profile_string(p, p->type[i].type), p->str[p->type[i].type].n);
		buf_putc(&b, '.');
	}
	keep(r, buf_str(&b), ".pb.gz", p, (struct bytes){0});
	buf_free(&b);
}

const char *download_saved_name(const struct downloads *r)
{
	return r ? r->saved : NULL;
}

void download_lend(const struct downloads *r, const struct cached_input *as, struct cached_inputs *h)
{
	for (size_t i = 0; r && i < r->n; i++) {
		const struct download_item *p = &r->download_item[i];
		struct cached_input x = *as;
		if (p->failed || !p->b.p)
			continue;
		x.name = p->name;
		x.b = p->b;
		input_cache_add(h, &x);
		x.name = r->n == 1 ? r->saved : NULL;	/* a saved file of several inputs is their sum */
		if (x.name)
			input_cache_add(h, &x);
	}
}

/* ---- fetching */

static bool is_trace(struct bytes b)
{
	uint8_t head[64];
	struct bytes h = input_head(&b, head, sizeof head);
	return h.n >= 16 && !memcmp(h.p, "go 1.", 5);
}

static void print_fetch_notice(const struct downloads *r, const struct url *u, int64_t seconds)
{
	struct buf b = {0};
	add_notice(r, false, "Fetching %s over HTTP from %s", u->trace ? "trace" : "profile", u->shown);
	if (seconds > 0) {
		pprof_units_duration(&b, seconds < INT64_MAX / 1000000000 ? seconds * 1000000000 : INT64_MAX, 40);
		add_notice(r, false, "Please wait... (%s)", buf_str(&b));
	}
	buf_free(&b);
}

/* Prepare the URLs among the inputs for fetching. */
static void prepare_fetches(struct downloads *r, const struct options *o)
{
	int64_t seconds = o->v[OPT_SECONDS].i;
	r->get = xcalloc(r->n + 1, sizeof *r->get);
	for (size_t i = 0; i < r->n; i++) {
		struct http_get *g = &r->get[r->nget];
		if (r->download_item[i].stream)
			continue;
		url_parse(&r->mem, r->download_item[i].name, seconds, o->v[OPT_TIMEOUT].i, &g->url);
		r->download_item[i].get = g;
		r->nget++;
		if (http_is_built())
			print_fetch_notice(r, &g->url, seconds);
	}
}

static bool is_url(void *none, const char *name)
{
	(void)none;
	return strcmp(name, "-") && is_remote_url(name);
}

/* Take the result of one URL. A truncated trace is accepted. */
static void take_fetched(struct downloads *r, struct download_item *p)
{
	struct http_get *g = p->get;
	p->b = g->got;
	p->err = g->err;
	p->failed = g->failed;
	r->nprofile += p->b.n && !is_trace(p->b);
	if (p->b.n && is_trace(p->b)) {
		if (g->cut)
			add_notice(r, true, "%s: %s; the data received so far is shown", g->url.shown, g->err.msg);
		p->failed = false;
		keep(r, "trace.", ".out", NULL, p->b);
	}
}

/* Return -1 with *e if the option has no size. */
static int transfer_limit(const struct options *o, uint64_t *most, struct err *e)
{
	const char *size = options_str(o, OPT_MAX_TRANSFER);
	*most = 0;
	if (!size || text_parse_size(size, most))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NOWHERE, "-max_transfer requires a size like 512M or 2G, not \"%.40s\"", size);
}

static int fetch_all(struct downloads *r, const struct options *o, struct err *e)
{
	const struct input_watch *w = r->watch.input.go ? &r->watch.input : NULL;
	struct http_options n = {.cert = options_str(o, OPT_TLS_CERT), .key = options_str(o, OPT_TLS_KEY),
	    .ca = options_str(o, OPT_TLS_CA), .watch = w};
	if (transfer_limit(o, &n.most, e))
		return -1;
	if (getenv("TTRACESECURE") && each_name(o, is_url, NULL))
		return err_set(e, ERR_IO, ERR_NOWHERE, "fetching is off because TTRACESECURE is set: give a file");
	prepare_fetches(r, o);
	int rc = r->nget ? http_get(r->get, r->nget, &n, e) : 0;
	for (size_t i = 0; i < r->n; i++) {
		struct download_item *p = &r->download_item[i];
		if (p->get && !rc)
			take_fetched(r, p);
		else if (p->get)
			p->b = p->get->got;
		else if (!rc && input_open_watched(p->name, w, &p->b, &p->err)) {
			p->failed = true;
			if (p->err.kind == ERR_CANCEL)
				rc = err_set(e, ERR_CANCEL, ERR_NOWHERE, "%s", p->err.msg);
		}
	}
	return rc;
}

struct downloads *download_fetch(const struct options *o, const struct download_watch *w, struct err *e)
{
	struct downloads *r = xcalloc(1, sizeof *r);
	size_t n = 0;
	r->watch = *w;
	each_name(o, count_name, &n);
	r->download_item = xcalloc(n + 1, sizeof *r->download_item);
	each_name(o, add_piece, r);
	if (!fetch_all(r, o, e))
		return r;
	download_free(r);
	return NULL;
}

void download_free(struct downloads *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		input_close(&r->download_item[i].b);
	mem_free(r->download_item);
	mem_free(r->get);
	arena_free(&r->mem);
	mem_free(r);
}

int download_require_one_file(const struct options *o, struct err *e)
{
	return o->nfile < 2 ? 0 : err_set(e, ERR_USAGE, ERR_NOWHERE, "%s reads only one file", o->report);
}

int download_open_input(const struct options *o, const char *name, struct bytes *b, struct err *e)
{
	return download_open_watched(o, name, NULL, b, e);
}

int download_open_watched(
    const struct options *o, const char *name, const struct input_watch *w, struct bytes *b, struct err *e)
{
	const struct download_item *p = find_piece(o->downloads, name);
	const struct cached_input *h = p ? NULL : input_cache_find(o->cached_inputs, name);
	*b = (struct bytes){0};
	int rc = h ? input_cache_open(h, b, e) : 1;
	if (!p && rc <= 0)
		return rc;
	if (!p) {
		rc = input_open_watched(name, w ? w : o->watch, b, e);
		if (!rc && o->keep)
			input_cache_keep(o->keep, name, b);
		return rc;
	}
	if (p->failed && p->stream)	/* the message names it */
		return err_set(e, p->err.kind, p->err.at, "%s", p->err.msg);
	if (p->failed)
		return err_set(e, p->err.kind, p->err.at, "%s: %s", name, p->err.msg);
	*b = (struct bytes){.p = p->b.p, .n = p->b.n, .file_n = p->b.file_n};
	return 0;
}
