/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The name of an index is made of the trace's size, its time and a checksum over 64
 * places of the file, not of its path. So an index is found again after the trace
 * was moved, and not for a trace that was replaced. The index contains the same key
 * and that of the program (version, size and time), which are compared
 * (store/index/read.c).
 *
 * An index is written to a temporary name and renamed when it is complete. The job
 * checks every megabyte whether it was cancelled, and then removes the file; the
 * file of a killed process is removed by the next one. All indexes together take at
 * most INDEX_ALL bytes and a tenth of the free space: the least recently used one
 * is deleted first, and the time of the file records its last use.
 *
 * Not taken: an index file beside each trace. A host's data directories are not
 * ours to write to, traces are on read-only mounts, and a copied trace would bring
 * along an index that the receiver has no reason to trust.
 */
#include "config.h"
#include "session/index_cache.h"

#include "base/checksum.h"
#include "base/clock.h"
#include "base/ending.h"
#include "base/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { LONG_US = 1000000, LEAST = 1 << 20, PLACES = 64, PLACE = 4096, STALE_S = 600 };
#define INDEX_ALL (UINT64_C(2) << 30)
#define SUFFIX ".index"
#define UNDONE ".part"

static bool is_secure_mode(void)
{
	return getenv("TTRACESECURE") != NULL;
}

/* ---- which index */

static bool cache_dir(char *dir, size_t cap)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n = -1;
	if (cache && *cache == '/')
		n = snprintf(dir, cap, "%s/ttrace", cache);
	else if (home && *home == '/')
		n = snprintf(dir, cap, "%s/.cache/ttrace", home);
	return n > 0 && (size_t)n < cap;
}

static uint64_t sum_places(const struct bytes *in)
{
	struct checksum s = {0};
	if (in->n <= (size_t)PLACES * PLACE) {
		checksum_add(&s, in->p, in->n);
		return checksum_end(&s);
	}
	for (size_t i = 0; i < PLACES; i++)
		checksum_add(&s, in->p + (in->n - PLACE) / (PLACES - 1) * i, PLACE);
	checksum_add(&s, in->p + in->n - PLACE, PLACE);
	return checksum_end(&s);
}

static int64_t ns_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* Identify the program: another version may fill a store differently, and its indexes are not used. */
static uint64_t maker(void)
{
	struct checksum s = {0};
	struct stat st;
	checksum_add(&s, VERSION, sizeof VERSION);
	if (!stat("/proc/self/exe", &st)) {
		int64_t is[] = {(int64_t)st.st_size, ns_of(&st)};
		checksum_add(&s, is, sizeof is);
	}
	return checksum_end(&s);
}

/* Is this the directory of the trace? */
static bool is_trace_dir(const char *dir, const char *file)
{
	struct stat a, b;
	char of[1000];
	const char *slash = strrchr(file, '/');
	snprintf(of, sizeof of, "%.*s", slash ? (int)(slash - file + 1) : 1, slash ? file : ".");
	return !stat(dir, &a) && !stat(of, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void index_cache_plan(struct index_cache_entry *x, const struct options *o, const char *file, const struct bytes *in)
{
	const char *dir = options_str(o, OPT_INDEX);
	struct stat st;
	*x = (struct index_cache_entry){.forced = dir && *dir};
	if (x->forced ? !strcmp(dir, "none") : !cache_dir(x->dir, sizeof x->dir))
		return;
	if (x->forced && (size_t)snprintf(x->dir, sizeof x->dir, "%s", dir) >= sizeof x->dir)
		return;
	if (!in->p || strlen(file) >= sizeof x->file || stat(file, &st) || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size != in->n || (in->n < LEAST && !x->forced))
		return;
	if (is_trace_dir(x->dir, file)) {
		snprintf(x->why, sizeof x->why, "none: the index directory is that of the trace");
		return;
	}
	snprintf(x->file, sizeof x->file, "%s", file);
	x->key = (struct index_key){in->n, ns_of(&st), sum_places(in), maker()};
	snprintf(x->name, sizeof x->name, "%s/%016" PRIx64 SUFFIX, x->dir,
	    checksum_of(&x->key, offsetof(struct index_key, maker)));
	x->on = true;
}

bool index_cache_load(struct index_cache_entry *x, struct store_builder *b)
{
	struct stat st;
	struct err e = {0};
	if (!x->on)
		return false;
	int64_t began = clock_us();
	int fd = open(x->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	x->used = !index_read(b, fd, &x->key, &e);
	if (x->used && !fstat(fd, &st))
		x->bytes = (uint64_t)st.st_size;
	if (x->used && !is_secure_mode())	/* record the use: the latest used is deleted last */
		(void)futimens(fd, NULL);
	close(fd);
	x->us = clock_us() - began;
	if (!x->used)
		snprintf(x->why, sizeof x->why, "the existing one was not used: %.120s", e.msg);
	return x->used;
}

bool index_cache_fill_store(const struct options *o, const char *file, const struct bytes *in, struct store_builder *b)
{
	struct index_cache_entry *x = xcalloc(1, sizeof *x);
	index_cache_plan(x, o, file, in);
	bool used = index_cache_load(x, b);
	mem_free(x);
	return used;
}

void index_cache_note_read_time(struct index_cache_entry *x, int64_t us)
{
	x->write = x->on && !x->used && !is_secure_mode() && (x->forced || us >= LONG_US);
}

/* ---- space for one more */

struct kept { char name[300]; int64_t at; uint64_t bytes; };

static int oldest_first(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n > k && !strcmp(s + n - k, end);
}

/* List the existing indexes, and delete stale unfinished files. */
static struct kept *list_kept(int dir, size_t *n)
{
	struct kept *v = NULL;
	size_t cap = 0;
	struct stat st;
	int fd = dup(dir);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	*n = 0;
	for (struct dirent *e; d && (e = readdir(d));) {
		bool undone = ends_with(e->d_name, SUFFIX UNDONE);
		if ((!undone && !ends_with(e->d_name, SUFFIX)) || strlen(e->d_name) >= sizeof v->name ||
		    fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
			continue;
		if (undone) {
			if (time(NULL) - st.st_mtim.tv_sec > STALE_S)
				unlinkat(dir, e->d_name, 0);
			continue;
		}
		v = mem_grow(v, &cap, *n + 1, sizeof *v);
		v[*n] = (struct kept){.at = ns_of(&st), .bytes = (uint64_t)st.st_size};
		snprintf(v[(*n)++].name, sizeof v->name, "%s", e->d_name);
	}
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return v;
}

/* Return the space that all indexes may take, including the existing ones. */
static uint64_t total_limit(int dir, uint64_t have)
{
	struct statvfs fs;
	uint64_t most = INDEX_ALL;
	if (!fstatvfs(dir, &fs)) {
		uint64_t free = (uint64_t)fs.f_bavail * fs.f_frsize;
		uint64_t tenth = (free + have) / 10;
		most = tenth < most ? tenth : most;
	}
	return most;
}

static int make_room(const struct index_cache_entry *x, int dir, struct err *e)
{
	size_t n;
	uint64_t have = 0;
	const char *own = strrchr(x->name, '/') + 1;
	struct kept *v = list_kept(dir, &n);
	for (size_t i = 0; i < n; i++)
		have += v[i].bytes;
	uint64_t most = total_limit(dir, have);
	if (n)
		qsort(v, n, sizeof *v, oldest_first);
	for (size_t i = 0; i < n && x->bytes <= most; i++)
		if (!strcmp(v[i].name, own) || have + x->bytes > most) {
			unlinkat(dir, v[i].name, 0);
			have -= v[i].bytes;
		}
	mem_free(v);
	return x->bytes <= most ? 0 : err_set(e, ERR_LIMIT, ERR_NOWHERE,
	    "it is larger than the space for indexes");
}

/* ---- writing */

static bool go_on(void *arg)
{
	return !job_cancelled(arg);
}

/* Create the directory with its parents, and open it. */
static int make_dir(const char *dir)
{
	char path[1000];
	size_t n = (size_t)snprintf(path, sizeof path, "%s", dir);
	for (size_t i = 1; i <= n && n < sizeof path; i++)
		if (path[i] == '/' || !path[i]) {
			char c = path[i];
			path[i] = '\0';
			mkdir(path, 0700);
			path[i] = c;
		}
	return open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Does the trace still match the key? */
static bool trace_unchanged(const struct index_cache_entry *x)
{
	struct stat st;
	return !stat(x->file, &st) && (uint64_t)st.st_size == x->key.size && ns_of(&st) == x->key.mtime;
}

static int write_at(struct index_cache_entry *x, int dir, const char *name, struct job *j)
{
	char undone[80];
	struct err *e = &x->err;
	snprintf(undone, sizeof undone, "%.16s.%ld" SUFFIX UNDONE, name, (long)getpid());
	unlinkat(dir, undone, 0);
	int fd = openat(dir, undone, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(e, ERR_IO, ERR_NOWHERE, "%s: %s", x->dir, strerror(errno));
	struct buf path = {0};
	buf_printf(&path, "%s/%s", x->dir, undone);
	int unfinished = ending_remember(buf_str(&path));
	buf_free(&path);
	struct stat st;
	int rc = index_write(x->sn, &x->key, fd, go_on, j, e);
	if (!rc && !fstat(fd, &st))
		x->bytes = (uint64_t)st.st_size;
	if (!rc && !trace_unchanged(x))
		rc = err_set(e, ERR_IO, ERR_NOWHERE, "the trace has changed since it was read");
	if (!rc && renameat(dir, undone, dir, name))
		rc = err_set(e, ERR_IO, ERR_NOWHERE, "%s: %s", x->dir, strerror(errno));
	if (rc)
		unlinkat(dir, undone, 0);
	ending_forget(unfinished);
	close(fd);
	return rc;
}

static int run_write_job(struct job *j, void *arg)
{
	struct index_cache_entry *x = arg;
	int64_t began = clock_us();
	x->bytes = index_bytes(x->sn);
	if (!x->bytes)
		return err_set(&x->err, ERR_LIMIT, ERR_NOWHERE, "a part of the trace is not in memory");
	int dir = make_dir(x->dir);
	if (dir < 0)
		return err_set(&x->err, ERR_IO, ERR_NOWHERE, "%s: %s", x->dir, strerror(errno));
	int rc = make_room(x, dir, &x->err);
	if (!rc)
		rc = write_at(x, dir, strrchr(x->name, '/') + 1, j);
	close(dir);
	x->us = clock_us() - began;
	return rc;
}

void index_cache_start_write(struct index_cache_entry *x, const struct snap *sn)
{
	if (!x->write || x->begun)
		return;
	x->begun = true;
	x->sn = sn;
	x->job = job_start(run_write_job, x);
	x->write = x->job != NULL;
}

static void finish_write(struct index_cache_entry *x)
{
	int rc = job_join(x->job);
	x->job = NULL;
	x->sn = NULL;
	if (rc) {
		x->write = false;
		snprintf(x->why, sizeof x->why, "not written: %.150s", x->err.msg);
	}
}

void index_cache_poll_write(struct index_cache_entry *x)
{
	if (x->job && job_done(x->job, NULL))
		finish_write(x);
}

void index_cache_wait_write(struct index_cache_entry *x)
{
	if (x->job)
		finish_write(x);
}

void index_cache_free(struct index_cache_entry *x)
{
	if (x->job)
		job_cancel(x->job);
	index_cache_wait_write(x);
}

static void print_size_and_time(const struct index_cache_entry *x, struct buf *b, const char *what)
{
	buf_puts(b, what);
	text_bytes(b, (int64_t)x->bytes);
	buf_puts(b, " in ");
	text_ns(b, x->us * 1000);
}

void index_cache_describe(const struct index_cache_entry *x, struct buf *b)
{
	if (x->used)
		print_size_and_time(x, b, "read: ");
	else if (x->job)
		buf_puts(b, "being written");
	else if (x->begun && x->write)
		print_size_and_time(x, b, "written: ");
	else if (x->write)
		buf_puts(b, "none yet");
	else if (x->forced && !strcmp(x->dir, ""))
		buf_puts(b, "off");
	else if (x->why[0] || x->on)
		buf_puts(b, x->why[0] ? x->why : "none: the trace was read fast enough without one");
	if (x->why[0] && (x->job || x->write)) {
		buf_puts(b, " (");
		buf_puts(b, x->why);
		buf_puts(b, ")");
	}
}
