/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Finds source files by the names that profiles have for them.
 *
 * A name is tried first as in pprof: -trim_path prefixes are removed, an absolute name must exist, a relative one is
 * looked for below each folder of -source_path and below all of their parents. If that fails (and unless the caller
 * wants only pprof's search) the places where Go keeps sources are tried: GOROOT for names of the standard library, the
 * module cache (where capitals are written !x) for names with @version, the vendor folder, and the folder of the
 * profile. Last come tails of the name of at least two components, so that /ci/build/app/pkg/x.go finds ./pkg/x.go; a
 * bare x.go would match too many files.
 *
 * Every path that was tried is recorded, because a message "not found" is useful only with the places. Names come from
 * files, so only regular files are read, up to a size limit. No file is searched twice.
 */
#include "config.h"
#include "symbols/source.h"

#include "base/intern.h"
#include "base/mem/mem.h"
#include "base/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 64 << 20, TRIED_MAX = 12, TAB = 8, TAILS = 64 };

struct source_cache {
	char **dir;		/* source_path, or the working directory */
	size_t ndir, capdir;
	char **trim;
	size_t ntrim, captrim;
	char *beside;		/* a folder, or NULL */
	char **goroot;		/* there may be several */
	size_t ngoroot, capgoroot;
	char *modcache;
	bool strict, dirs_given;
	struct source **src;
	size_t nsrc, capsrc;
	struct intern byname;
};

/* One search: the paths that were tried, and the result. */
struct source_search {
	struct source *src;
	struct buf tried;
	unsigned ntried;
	int why;		/* errno of the first path that could not be opened */
};

static void list_add(char ***list, size_t *n, size_t *cap, const char *s, size_t len)
{
	char *copy = xmalloc(len + 1);
	memcpy(copy, s, len);
	copy[len] = 0;
	*list = mem_grow(*list, cap, *n + 1, sizeof **list);
	(*list)[(*n)++] = copy;
}

static void list_split(char ***list, size_t *n, size_t *cap, const char *s)
{
	while (s && *s) {
		size_t len = strcspn(s, ":");
		if (len)
			list_add(list, n, cap, s, len);
		s += len + (s[len] == ':');
	}
}

static void list_free(char **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		mem_free(list[i]);
	mem_free(list);
}

static bool is_dir(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static void add_goroot(struct source_cache *s, const char *path)
{
	struct buf b = {0};
	buf_printf(&b, "%s/src/runtime", path);
	if (is_dir(buf_str(&b)))
		list_add(&s->goroot, &s->ngoroot, &s->capgoroot, path, strlen(path));
	buf_free(&b);
}

/* Return 1027004 for a tree of go1.27.4; 0: the version is unknown. */
static long goroot_version(const char *path)
{
	struct buf b = {0};
	long v[3] = {0};
	buf_printf(&b, "%s/VERSION", path);
	FILE *f = fopen(buf_str(&b), "re");
	buf_free(&b);
	if (!f)
		return 0;
	if (fscanf(f, "go%3ld.%3ld.%3ld", &v[0], &v[1], &v[2]) < 1)
		v[0] = 0;
	fclose(f);
	return v[0] * 1000000 + v[1] * 1000 + v[2];
}

/* Sort by version, newest first: a program was more probably built by the newer one. */
static void newest_first(char **list, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k && goroot_version(list[k]) > goroot_version(list[k - 1]);
		     k--) {
			char *t = list[k];
			list[k] = list[k - 1];
			list[k - 1] = t;
		}
}

/* Find the Go trees on this machine; the one in $GOROOT comes first. */
static void find_go_trees(struct source_cache *s)
{
	const char *home = getenv("HOME"), *env = getenv("GOMODCACHE");
	struct buf b = {0};
	if (env && *env) {
		buf_puts(&b, env);
	} else if ((env = getenv("GOPATH")) && *env) {
		buf_put(&b, env, strcspn(env, ":"));
		buf_puts(&b, "/pkg/mod");
	} else if (home) {
		buf_printf(&b, "%s/go/pkg/mod", home);
	}
	if (b.n)
		s->modcache = xstrdup(buf_str(&b));
	if ((env = getenv("GOROOT")) && *env)
		add_goroot(s, env);
	size_t asked = s->ngoroot;
	add_goroot(s, "/usr/local/go");
	if (s->modcache) {
		glob_t g;
		buf_reset(&b);
		buf_printf(&b, "%s/golang.org/toolchain@*", s->modcache);
		if (!glob(buf_str(&b), 0, NULL, &g)) {
			for (size_t i = g.gl_pathc; i-- > 0 && s->ngoroot < 8;)
				add_goroot(s, g.gl_pathv[i]);
			globfree(&g);
		}
	}
	add_goroot(s, "/usr/lib/go");
	add_goroot(s, "/usr/share/go");
	newest_first(s->goroot + asked, s->ngoroot - asked);
	buf_free(&b);
}

struct source_cache *source_cache_new(const struct source_cache_conf *c)
{
	struct source_cache *s = xcalloc(1, sizeof *s);
	s->strict = c->strict;
	list_split(&s->dir, &s->ndir, &s->capdir, c->source_path);
	s->dirs_given = s->ndir > 0;
	if (!s->ndir) {
		char cwd[4096];
		if (getcwd(cwd, sizeof cwd))
			list_add(&s->dir, &s->ndir, &s->capdir, cwd, strlen(cwd));
	}
	list_split(&s->trim, &s->ntrim, &s->captrim, c->trim_path);
	if (c->strict)
		return s;
	if (c->beside && strcmp(c->beside, "-")) {
		const char *slash = strrchr(c->beside, '/');
		s->beside = xstrdup(slash ? c->beside : ".");
		if (slash)
			s->beside[slash == c->beside ? 1 : slash - c->beside] = 0;
	}
	find_go_trees(s);
	return s;
}

static void source_free(struct source *f)
{
	mem_free(f->name);
	mem_free(f->path);
	mem_free(f->err);
	mem_free(f->tried);
	mem_free(f->text);
	mem_free(f->start);
	mem_free(f);
}

void source_cache_free(struct source_cache *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nsrc; i++)
		source_free(s->src[i]);
	mem_free(s->src);
	intern_free(&s->byname);
	list_free(s->dir, s->ndir);
	list_free(s->trim, s->ntrim);
	list_free(s->goroot, s->ngoroot);
	mem_free(s->beside);
	mem_free(s->modcache);
	mem_free(s);
}

/* Return the bytes of a regular file, or NULL with errno set. */
static char *read_file(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	struct stat st;
	char *p = NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= 0 && st.st_size <= FILE_MAX)
		p = mem_try_alloc((size_t)st.st_size + 1);
	if (p) {
		*n = 0;
		for (ssize_t got; *n < (size_t)st.st_size; *n += (size_t)got)
			if ((got = read(fd, p + *n, (size_t)st.st_size - *n)) <= 0)
				break;
		p[*n] = 0;
	}
	close(fd);
	if (!p)
		errno = EINVAL;
	return p;
}

static void index_lines(struct source *f, size_t n)
{
	uint32_t lines = 1;
	for (size_t i = 0; i < n; i++)
		lines += f->text[i] == '\n';
	f->start = xmalloc((lines + 1) * sizeof *f->start);
	f->start[0] = 0;
	for (size_t i = 0; i < n; i++)
		if (f->text[i] == '\n')
			f->start[++f->nline] = (uint32_t)i + 1;
	if (f->start[f->nline] < n)	/* a last line without a line end */
		f->start[++f->nline] = (uint32_t)n + 1;
}

static bool try_path(struct source_search *h, const char *path, const char *how)
{
	size_t n;
	char *text = read_file(path, &n);
	if (!text) {
		if (!h->ntried)
			h->why = errno;
		if (h->ntried++ < TRIED_MAX)
			buf_printf(&h->tried, "%s\n", path);
		return false;
	}
	h->src->path = xstrdup(path);
	h->src->how = how;
	h->src->text = text;
	index_lines(h->src, n);
	return true;
}

static bool try_join(struct source_search *h, const char *dir, const char *name, const char *how)
{
	struct buf b = {0};
	size_t n = strlen(dir);
	buf_printf(&b, "%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name);
	bool ok = try_path(h, buf_str(&b), how);
	buf_free(&b);
	return ok;
}

/* Try name below dir and below all parents of dir. */
static bool try_parents(struct source_search *h, const char *dir, const char *name, const char *how)
{
	char *d = xstrdup(dir);
	bool ok;
	while (!(ok = try_join(h, d, name, how))) {
		char *slash = strrchr(d, '/');
		if (!slash || (slash == d && !d[1]))
			break;
		slash[slash == d] = 0;
	}
	mem_free(d);
	return ok;
}

/* Remove what pprof removes: configured prefixes, or everything up to the name of a search folder. */
static const char *trim(const struct source_cache *s, const char *name)
{
	for (size_t i = 0; !s->ntrim && i < s->ndir; i++) {
		const char *slash = strrchr(s->dir[i], '/');
		struct buf b = {0};
		buf_printf(&b, "/%s/", slash ? slash + 1 : s->dir[i]);
		const char *at = b.n > 2 ? strstr(name, buf_str(&b)) : NULL;
		size_t n = b.n;
		buf_free(&b);
		if (at)
			return at + n;
	}
	for (size_t i = 0; i < s->ntrim; i++) {
		size_t n = strlen(s->trim[i]);
		if (strncmp(name, s->trim[i], n))
			continue;
		if (n && s->trim[i][n - 1] == '/')
			return name + n;
		if (name[n] == '/')
			return name + n + 1;
	}
	static const char *const known[] = {"/proc/self/cwd/./", "/proc/self/cwd/"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strncmp(name, known[i], strlen(known[i])))
			return name + strlen(known[i]);
	return name;
}

static bool as_pprof(const struct source_cache *s, struct source_search *h, const char *name)
{
	if (name[0] == '/')
		return try_path(h, name, "path as given");
	for (size_t i = 0; i < s->ndir; i++)
		if (try_parents(h, s->dir[i], name,
			s->dirs_given ? "-source_path" : "working directory"))
			return true;
	return false;
}

/* Return the text after the last `mark` in name, or NULL. */
static const char *after_last(const char *name, const char *mark)
{
	const char *found = NULL;
	for (const char *p = name; (p = strstr(p, mark)); p++)
		found = p + strlen(mark);
	return found;
}

static bool in_goroot(const struct source_cache *s, struct source_search *h, const char *name)
{
	const char *tail = name[0] == '/' ? NULL : name;
	if (!tail && (tail = strstr(name, "/src/")))
		tail += 5;
	/* standard packages have no dot in their first element */
	size_t first = tail ? strcspn(tail, "/") : 0;
	if (!tail || memchr(tail, '.', first) || !tail[first])
		return false;
	struct buf b = {0};
	buf_printf(&b, "src/%s", tail);
	bool ok = false;
	for (size_t i = 0; !ok && i < s->ngoroot; i++)
		ok = try_join(h, s->goroot[i], buf_str(&b), "GOROOT");
	buf_free(&b);
	return ok;
}

/* Try the module cache for github.com/Foo/bar@v1.2.3/x.go: capitals are written !x there. */
static bool in_modcache(const struct source_cache *s, struct source_search *h, const char *name)
{
	const char *tail = after_last(name, "/pkg/mod/");
	if (!tail)
		tail = name[0] == '/' ? NULL : name;
	if (!s->modcache || !tail || !strchr(tail, '@'))
		return false;
	struct buf b = {0};
	bool version = false;
	for (const char *p = tail; *p; p++) {
		version |= *p == '@';
		if (*p >= 'A' && *p <= 'Z' && !version) {
			buf_putc(&b, '!');
			buf_putc(&b, *p - 'A' + 'a');
		} else {
			buf_putc(&b, *p);
		}
	}
	bool ok = try_join(h, s->modcache, buf_str(&b), "module cache");
	buf_free(&b);
	return ok;
}

/* Try the name, without @version, below vendor/ of the search folders. */
static bool in_vendor(const struct source_cache *s, struct source_search *h, const char *name)
{
	const char *tail = after_last(name, "/pkg/mod/"), *at;
	if (!tail)
		tail = name[0] == '/' ? NULL : name;
	if (!tail || ((at = strchr(tail, '@')) && !strchr(at, '/')))
		return false;
	struct buf b = {0};
	buf_puts(&b, "vendor/");
	buf_put(&b, tail, at ? (size_t)(at - tail) : strlen(tail));
	buf_puts(&b, at ? strchr(at, '/') : "");
	bool ok = false;
	for (size_t i = 0; !ok && i < s->ndir; i++)
		ok = try_join(h, s->dir[i], buf_str(&b), "vendor");
	if (!ok && s->beside)
		ok = try_join(h, s->beside, buf_str(&b), "vendor");
	buf_free(&b);
	return ok;
}

/* Try tails of the name of two or more components, the longest first; of a longer path than real ones, the last TAILS. */
static bool by_tail(const struct source_cache *s, struct source_search *h, const char *name)
{
	size_t left = 0;
	for (const char *p = name; (p = strchr(p, '/')); p++)
		left++;
	for (const char *p = name; left > 1 && (p = strchr(p, '/')); p++, left--) {
		if (left > TAILS)
			continue;
		for (size_t i = 0; i < s->ndir; i++)
			if (try_join(h, s->dir[i], p + 1, "by the end of its path"))
				return true;
		if (s->beside && try_join(h, s->beside, p + 1, "next to the profile"))
			return true;
	}
	return false;
}

static void source_search(const struct source_cache *s, struct source *f)
{
	struct source_search h = {.src = f};
	const char *name = trim(s, f->name);
	bool possible = strlen(f->name) < PATH_MAX;
	bool ok = possible && as_pprof(s, &h, name);
	if (!ok && possible && !s->strict)
		ok = in_goroot(s, &h, f->name) || in_modcache(s, &h, f->name) ||
		     in_vendor(s, &h, f->name) ||
		     (s->beside && name[0] != '/' &&
			 try_parents(&h, s->beside, name, "next to the profile")) ||
		     by_tail(s, &h, f->name);
	if (!ok) {	/* in pprof's words, whatever else was tried */
		struct buf b = {0};
		if (name[0] == '/') {
			buf_printf(&b, "open %s: %s", name,
			    h.why == EACCES ? "permission denied" : "no such file or directory");
		} else {
			buf_printf(&b, "could not find file %s on path ", name);
			for (size_t i = 0; i < s->ndir; i++)
				buf_printf(&b, "%s%s", i ? ":" : "", s->dir[i]);
		}
		f->err = xstrdup(buf_str(&b));
		if (h.ntried > TRIED_MAX)
			buf_printf(&h.tried, "... and %u more\n", h.ntried - TRIED_MAX);
		f->tried = xstrdup(buf_str(&h.tried));
		buf_free(&b);
	}
	buf_free(&h.tried);
}

static int same_name(const void *ctx, uint32_t id, const void *key)
{
	const struct source_cache *s = ctx;
	return !strcmp(s->src[id]->name, key);
}

const struct source *source_cache_get(struct source_cache *s, const char *file)
{
	uint32_t hash = intern_hash_bytes(file, strlen(file), 0);
	uint32_t id = intern_find(&s->byname, hash, same_name, s, file);
	if (id != UINT32_MAX)
		return s->src[id];
	struct source *f = xcalloc(1, sizeof *f);
	f->name = xstrdup(file);
	source_search(s, f);
	s->src = mem_grow(s->src, &s->capsrc, s->nsrc + 1, sizeof *s->src);
	s->src[s->nsrc] = f;
	intern_put(&s->byname, hash, (uint32_t)s->nsrc++);
	return f;
}

bool source_cache_has(const struct source_cache *s, const char *file)
{
	return intern_find(&s->byname, intern_hash_bytes(file, strlen(file), 0), same_name, s, file) != UINT32_MAX;
}

const char *source_line(const struct source *f, int64_t line, size_t *n)
{
	if (line < 1 || line > f->nline)
		return NULL;
	const char *p = f->text + f->start[line - 1];
	*n = f->start[line] - f->start[line - 1] - 1;
	if (*n && p[*n - 1] == '\r')
		--*n;
	return p;
}

void source_cache_describe(const struct source_cache *s, struct buf *b)
{
	buf_puts(b, s->dirs_given ? "-source_path " : "working directory ");
	for (size_t i = 0; i < s->ndir; i++)
		buf_printf(b, "%s%s", i ? ":" : "", s->dir[i]);
	buf_puts(b, " and parents");
	if (s->strict)
		return;
	if (s->ngoroot)
		buf_printf(b, ", GOROOT %s", s->goroot[0]);
	else
		buf_puts(b, ", no GOROOT here");
	if (s->modcache)
		buf_printf(b, ", module cache %s", s->modcache);
	buf_puts(b, ", vendor");
	if (s->beside)
		buf_printf(b, ", next to the profile in %s", s->beside);
}

void source_expand(struct buf *b, const char *line, size_t n)
{
	size_t col = 0;
	for (size_t i = 0; i < n;) {
		if (line[i] == '\t') {
			size_t pad = TAB - col % TAB;
			buf_pad(b, ' ', pad);
			col += pad;
			i++;
			continue;
		}
		size_t run = i;
		while (run < n && line[run] != '\t')
			run++;
		text_safe(b, line + i, run - i);
		col += text_width(line + i, run - i);
		i = run;
	}
}
