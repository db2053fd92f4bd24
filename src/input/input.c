/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The bytes of an input as a whole: a regular file is mapped, any other (a pipe, standard input) is
 * read to its end, and gzip data is inflated into memory.
 *
 * The bytes never change while they are used, with one exception that is the responsibility of the
 * mapped file's owner. If a mapped file is truncated meanwhile, the missing bytes are read as zeros
 * (base/mem/mapped_file.c), and input_was_truncated() reports it. Small files are read.
 *
 * Data may be used while it is inflated, by what the caller gives (struct input_ahead).
 *
 * The size in gzip data is not trusted: the output grows while it is inflated, within the memory
 * limit, so that a decompression bomb is refused. If the data is used meanwhile, memory for the
 * stated size is reserved at first, but not touched.
 */
#include "config.h"
#include "input/input.h"

#include "base/job.h"
#include "base/mem/mapped_file.h"
#include "base/mem/mem.h"
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* MOST_RATIO: upper limit of the ratio that deflate can reach */
enum { SMALL = 1 << 20, CHUNK = 1 << 18, PAGES = 1 << 16, WAIT_MS = 100, STRETCH = 1 << 20, MOST_RATIO = 1100 };

bool input_reserve(uint8_t **p, size_t *cap, size_t need)
{
	if (need <= *cap)
		return true;
	size_t to = *cap ? *cap * 2 : CHUNK;
	while (to < need)
		to *= 2;
	uint8_t *q = mem_try_realloc(*p, to);
	while (!q && to > need) {	/* less than twice as much may be within the limit */
		to = need + (to - need) / 2;
		q = mem_try_realloc(*p, to);
	}
	if (!q)
		return false;
	*p = q;
	*cap = to;
	return true;
}

static int set_cancelled(struct err *e)
{
	return err_set(e, ERR_CANCEL, ERR_NOWHERE, "reading was cancelled");
}

static bool watch_continues(const struct input_watch *w, uint64_t done, uint64_t total)
{
	return !w || w->go(w->arg, done, total);
}

/* Wait until there is something to read. Returns false if the watch cancels. */
static bool wait_readable(int fd, const struct input_watch *w, uint64_t done)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	if (!w)
		return true;
	do {
		if (!watch_continues(w, done, 0))
			return false;
	} while (!poll(&p, 1, WAIT_MS));
	return true;
}

static int read_all(int fd, const char *path, const struct input_watch *w, struct bytes *b, struct err *e)
{
	uint8_t *p = NULL;
	size_t n = 0, cap = 0;
	for (;;) {
		if (!wait_readable(fd, w, n)) {
			mem_free(p);
			return set_cancelled(e);
		}
		if (!input_reserve(&p, &cap, n + 1)) {
			mem_free(p);
			return err_set(e, ERR_LIMIT, n, "%s: not enough memory to read the file", path);
		}
		ssize_t got = read(fd, p + n, cap - n < CHUNK ? cap - n : CHUNK);
		if (got == 0)
			break;
		if (got < 0 && errno != EINTR && errno != EAGAIN) {
			int rc = err_set(e, ERR_IO, n, "cannot read %s: %s", path, strerror(errno));
			mem_free(p);
			return rc;
		}
		if (got < 0 && errno == EAGAIN)	/* another program made the stream non-blocking */
			(void)poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, WAIT_MS);
		n += got > 0 ? (size_t)got : 0;
	}
	*b = (struct bytes){.p = p, .n = n, .file_n = n, .owned = p};
	return 0;
}

static int map_file(int fd, const struct stat *st, const char *path, struct bytes *b, struct err *e)
{
	if (st->st_size < SMALL)
		return read_all(fd, path, NULL, b, e);
	const void *p = mapped_new(fd, (size_t)st->st_size);
	if (!p)
		return read_all(fd, path, NULL, b, e);
	*b = (struct bytes){.p = p, .n = (size_t)st->st_size, .file_n = (size_t)st->st_size, .mapped = true,
	    .fd = fd};
	return 0;
}

int input_open(const char *path, struct bytes *b, struct err *e)
{
	return input_open_watched(path, NULL, b, e);
}

/* Flags to open an input that may be a named pipe. With a watch, open() must not wait until there is a writer, because it
   cannot be cancelled then: wait_readable() does that. Other systems than Linux report the end of such a pipe at once. */
static int open_flags(const struct input_watch *w)
{
#ifdef __linux__
	return O_RDONLY | O_CLOEXEC | (w ? O_NONBLOCK : 0);
#else
	(void)w;
	return O_RDONLY | O_CLOEXEC;
#endif
}

int input_open_watched(const char *path, const struct input_watch *w, struct bytes *b, struct err *e)
{
	struct stat st;
	bool in = !strcmp(path, "-");
	*b = (struct bytes){0};
	int fd = in ? STDIN_FILENO : open(path, open_flags(w));
	if (fd < 0)
		return err_set(e, ERR_IO, ERR_NOWHERE, "cannot open %s: %s", path, strerror(errno));
	int rc;
	if (fstat(fd, &st))
		rc = err_set(e, ERR_IO, ERR_NOWHERE, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		rc = err_set(e, ERR_IO, ERR_NOWHERE, "%s is a directory: give the name of a file", path);
	else if (S_ISREG(st.st_mode) && !in)
		rc = map_file(fd, &st, path, b, e);
	else
		rc = read_all(fd, in ? "standard input" : path, w, b, e);
	if (!in && !b->mapped)
		close(fd);
	return rc;
}

bool input_was_truncated(const struct bytes *b)
{
	struct stat st;
	if (!b->mapped)
		return b->cut;
	/* a page after the end of the file is read as zeros without a signal, so check the length of the file */
	return mapped_was_truncated(b->p) || (!fstat(b->fd, &st) && (size_t)st.st_size < b->n);
}

int input_refuse_torn(const struct bytes *b, struct err *e)
{
	const struct torn *t = &b->torn;
	if (!t->how)
		return err_set(e, ERR_FORMAT, t->at, "%s", t->why);
	return err_set(e, ERR_FORMAT, t->at, "%s (%s)", t->why, t->how);
}

int input_report_damage(const struct bytes *b, int rc, struct sink *sink, struct err *e)
{
	struct err torn;
	if (b->torn.why && rc && e->kind != ERR_CANCEL)
		return input_refuse_torn(b, e);
	if (b->torn.why && !rc && input_refuse_torn(b, &torn))
		sink->ops->warn(sink->self, torn.at, "%s; the data before it is shown", torn.msg);
	if (!input_was_truncated(b) || (rc && e->kind == ERR_CANCEL))
		return rc;
	if (rc)
		return err_set(e, ERR_IO, ERR_NOWHERE, "%s", INPUT_CUT);
	sink->ops->warn(sink->self, ERR_NOWHERE, "%s", INPUT_CUT);
	return 0;
}

void input_release_before(const struct bytes *b, uint64_t upto)
{
	uint64_t n = upto & ~(uint64_t)(PAGES - 1);
	if (b->mapped && n && n <= b->n)
		(void)madvise((void *)(uintptr_t)b->p, n, MADV_DONTNEED);
}

void input_discard(const struct bytes *b, uint64_t from, uint64_t upto)
{
	/* the allocator's header is before the first byte; only whole pages inside are released */
	uintptr_t a = ((uintptr_t)b->owned + (uintptr_t)from + PAGES - 1) & ~(uintptr_t)(PAGES - 1);
	uintptr_t z = ((uintptr_t)b->owned + (uintptr_t)upto) & ~(uintptr_t)(PAGES - 1);
	if (b->owned && upto <= b->n && from < upto && a < z)
		(void)madvise((void *)a, z - a, MADV_DONTNEED);
	if (!from)
		input_release_before(b, upto);
}

void input_close(struct bytes *b)
{
	input_drop_ahead(b);
	if (b->mapped) {
		mapped_free(b->p, b->n);
		close(b->fd);
	}
	mem_free(b->owned);
	*b = (struct bytes){0};
}

static bool is_gzip(const uint8_t *p, size_t n)
{
	return n >= 3 && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8;
}

struct inflation {
	uint8_t *p;
	size_t n, cap;
	const struct input_ahead *ops;
	void *ahead;		/* NULL: the data is not used before it is complete */
	struct torn torn;
};

/* Return the size stated in the gzip data, which may be wrong. */
static size_t gzip_size_hint(const struct bytes *b)
{
	if (b->n < 18)
		return 0;
	const uint8_t *p = b->p + b->n - 4;
	return p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
}

/* Reserve memory for the stated size, so that the data does not move while it is used. */
static void start_ahead(const struct bytes *b, struct inflation *out)
{
	size_t n = gzip_size_hint(b);
	bool wanted = job_forced_threads() > 1 || (b->n >= SMALL && job_cpus() > 1);
	if (wanted && n / MOST_RATIO <= b->n && input_reserve(&out->p, &out->cap, n + 2 * CHUNK))
		out->ahead = out->ops->start(out->p);
}

static void stop_ahead(struct inflation *out)
{
	if (out->ahead)
		out->ops->free(out->ahead);
	out->ahead = NULL;
}

static int torn(struct inflation *out, const char *why, const char *how, uint64_t at)
{
	out->torn = (struct torn){.why = why, .how = how, .at = at};
	return 0;
}

/* Inflate everything; a gzip file may have several members. */
static int inflate_all(z_stream *z, const struct bytes *b, const struct input_watch *w, struct inflation *out,
    struct err *e)
{
	size_t at = 0;
	for (;;) {
		if (!watch_continues(w, at - z->avail_in, b->n))
			return set_cancelled(e);
		if (!z->avail_in && at < b->n) {
			size_t n = b->n - at < UINT_MAX / 2 ? b->n - at : UINT_MAX / 2;
			z->next_in = (Bytef *)(uintptr_t)(b->p + at);
			z->avail_in = (uInt)n;
			at += n;
		}
		if (out->n + CHUNK > out->cap)
			stop_ahead(out);	/* more than the stated size */
		if (!input_reserve(&out->p, &out->cap, out->n + CHUNK))
			return torn(out, "the decompressed data takes more memory than the limit of -mem", NULL,
			    at - z->avail_in);
		size_t space = out->cap - out->n < STRETCH ? out->cap - out->n : STRETCH;
		z->next_out = out->p + out->n;
		z->avail_out = (uInt)space;
		int rc = inflate(z, Z_NO_FLUSH);
		out->n += space - z->avail_out;
		if (out->ahead)
			out->ops->advance(out->ahead, out->n);
		uint64_t where = at - z->avail_in;
		input_release_before(b, where);
		if (rc == Z_STREAM_END) {
			while (z->avail_in && !*z->next_in) {	/* padding */
				z->next_in++;
				z->avail_in--;
			}
			if (!z->avail_in)
				return 0;
			if (!is_gzip(z->next_in, z->avail_in) || inflateReset(z) != Z_OK)
				return torn(out, "extra data after the gzip data", NULL, at - z->avail_in);
		} else if (rc == Z_BUF_ERROR || (rc == Z_OK && !z->avail_in && at == b->n && z->avail_out)) {
			out->torn = (struct torn){"gzip data is truncated: copy or record the file again", NULL, where, true};
			return 0;
		} else if (rc != Z_OK) {
			return torn(out, "gzip data is damaged", z->msg, where);
		}
	}
}

int input_gunzip(struct bytes *b, struct err *e)
{
	return input_gunzip_watched(b, NULL, e);
}

int input_gunzip_ahead(struct bytes *b, const struct input_ahead *ops, const struct input_watch *w, struct err *e)
{
	if (!is_gzip(b->p, b->n))
		return 0;
	z_stream z = {0};
	struct inflation out = {.ops = ops};
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return err_set(e, ERR_LIMIT, ERR_NOWHERE, "out of memory for decompression");
	if (ops)
		start_ahead(b, &out);
	int rc = inflate_all(&z, b, w, &out, e);
	inflateEnd(&z);
	if (!rc && out.torn.why && !out.n)
		rc = input_refuse_torn(&(struct bytes){.torn = out.torn}, e);
	if (rc || out.torn.why)
		stop_ahead(&out);
	if (rc) {
		mem_free(out.p);
		return rc;
	}
	size_t stored = b->file_n;
	bool cut = b->mapped && mapped_was_truncated(b->p);
	input_close(b);
	*b = (struct bytes){
	    .p = out.p, .n = out.n, .file_n = stored, .gzipped = true, .cut = cut, .torn = out.torn,
	    .owned = out.p, .ahead_ops = ops, .ahead = out.ahead};
	if (out.ahead)
		ops->end(out.ahead);
	return 0;
}

int input_gunzip_watched(struct bytes *b, const struct input_watch *w, struct err *e)
{
	return input_gunzip_ahead(b, NULL, w, e);
}

void input_drop_ahead(struct bytes *b)
{
	if (b->ahead)
		b->ahead_ops->free(b->ahead);
	b->ahead = NULL;
}

struct bytes input_head(const struct bytes *b, uint8_t *head, size_t cap)
{
	if (!is_gzip(b->p, b->n))
		return (struct bytes){.p = b->p, .n = b->n < cap ? b->n : cap};
	z_stream z = {.next_in = (Bytef *)(uintptr_t)b->p, .avail_in = (uInt)(b->n < CHUNK ? b->n : CHUNK),
	    .next_out = head, .avail_out = (uInt)cap};
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return (struct bytes){.p = head};
	(void)inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	return (struct bytes){.p = head, .n = cap - z.avail_out};
}
