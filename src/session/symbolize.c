/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Symbols, in pprof's order and with its messages: each mapping is searched
 * below PPROF_BINARY_PATH, and a file of another build is refused; mappings
 * that already have names are left alone unless forced; then names are
 * demangled. A failure is reported once for each mapping, and the profile is
 * shown with addresses there.
 *
 * The paths in a profile come from elsewhere: only regular ELF files are read,
 * and their contents are checked (symbols/elf.c).
 */
#include "config.h"
#include "session/symbolize.h"

#include "base/text/path.h"
#include "symbols/demangle.h"
#include "symbols/lookup.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* ---- the mode */

struct mode {
	bool none, local, fast, force;
	enum demangle_mode demangle;
};

static int parse_mode(const char *s, struct mode *m, struct err *e)
{
	static const struct { const char *word; struct mode m; } words[] = {
		{"none", {.none = true}}, {"no", {.none = true}},
		{"local", {.local = true}}, {"fastlocal", {.local = true, .fast = true}},
		{"force", {.local = true, .force = true}},
		{"demangle=none", {.force = true, .demangle = DM_NONE}},
		{"demangle=full", {.force = true, .demangle = DM_FULL}},
		{"demangle=templates", {.force = true, .demangle = DM_TEMPLATES}},
		{"demangle=default", {.demangle = DM_SIMPLE}},
	};
	enum { NWORDS = sizeof words / sizeof *words };
	*m = (struct mode){.demangle = DM_SIMPLE};
	for (bool more = s && *s; more;) {
		size_t n = strcspn(s, ":"), i = 0;
		char low[24] = {0};
		for (size_t k = 0; k < n && k < sizeof low - 1; k++)
			low[k] = s[k] >= 'A' && s[k] <= 'Z' ? (char)(s[k] | 0x20) : s[k];
		if (n == 6 && !strcmp(low, "remote"))
			return err_set(e, ERR_USAGE, ERR_NOWHERE,
			    "-symbolize=remote is not supported: use -symbolize=local");
		while (i < NWORDS && n && (strlen(words[i].word) != n || strcmp(low, words[i].word)))
			i++;
		if (i == NWORDS)
			return err_set(e, ERR_USAGE, ERR_NOWHERE,
			    "-symbolize=%.*s is unknown: use local, fastlocal, force, none, or demangle=full, "
			    "templates, default or none", (int)n, s);
		const struct mode *w = &words[i].m;
		m->none |= n && w->none;
		m->local |= n && w->local;
		m->fast |= n && w->fast;
		m->force |= n && w->force;
		if (n && w->demangle != DM_SIMPLE)
			m->demangle = w->demangle;
		more = s[n] != 0;
		s += n + more;
	}
	return 0;
}

int symbolize_check(const char *mode, struct err *e)
{
	struct mode m;
	return parse_mode(mode, &m, e);
}

bool symbolize_wanted(const char *mode)
{
	struct mode m;
	return !parse_mode(mode, &m, NULL) && m.local && !m.none;
}

bool symbolize_refused(const char *mode)
{
	struct mode m;
	return !parse_mode(mode, &m, NULL) && m.none;
}

/* ---- finding binaries */

struct mapping_search {
	struct profile *p;
	struct profile_mapping *m;
	profile_notice *notice;
	void *arg;
	bool found;
};

/* Take the file if it is a program of the build that was profiled. */
static void try_file(struct mapping_search *h, const char *path)
{
	struct elf f;
	const char *build = profile_string(h->p, h->m->build);
	if (h->found || elf_open(&f, path, NULL))
		return;
	if (*build && strcmp(build, f.build)) {
		h->notice(h->arg, "Ignoring local file %s: build-id mismatch (%s != %s)", path, build, f.build);
	} else {
		h->m->file = profile_add_string(h->p, path, strlen(path));
		h->found = true;
	}
	elf_close(&f);
}

/* Try the path made of the parts, joined by slashes and cleaned; NULL ends them, empty ones are skipped. */
static void try_parts(struct mapping_search *h, const char *const *part)
{
	struct buf raw = {0}, b = {0};
	for (; *part; part++)
		if (**part)
			buf_printf(&raw, "%s%s", raw.n ? "/" : "", *part);
	path_clean(&b, raw.p ? raw.p : "", raw.n);
	try_file(h, buf_str(&b));
	buf_free(&raw);
	buf_free(&b);
}

static void try_glob(struct mapping_search *h, const char *dir, const char *build)
{
	struct buf b = {0};
	glob_t g;
	if (build[strspn(build, "0123456789abcdefABCDEF")])	/* a profile must not contain a glob pattern */
		return;
	buf_printf(&b, "%s/%s/*", dir, build);
	if (!h->found && !glob(buf_str(&b), 0, NULL, &g)) {
		for (size_t i = 0; i < g.gl_pathc; i++)
			try_file(h, g.gl_pathv[i]);
		globfree(&g);
	}
	buf_free(&b);
}

static void hunt_in(struct mapping_search *h, const char *dir)
{
	char *build = xstrdup(profile_string(h->p, h->m->build)), *file = xstrdup(profile_string(h->p, h->m->file));
	size_t n;
	const char *slash = strrchr(file, '/'), *base_at = path_base(file, strlen(file), &n);
	char *base = xcalloc(n + 1, 1), *folder = xstrdup(slash ? file : ".");
	struct buf dot = {0};
	memcpy(base, base_at, n);
	if (!*file)
		*base = 0;
	if (slash)
		folder[slash == file ? 1 : slash - file] = 0;
	if (*build) {
		try_parts(h, (const char *const[]){dir, build, base, NULL});
		try_glob(h, dir, build);
		try_parts(h, (const char *const[]){dir, file, build, NULL});
		if (strlen(build) >= 2) {
			buf_printf(&dot, "%s.debug", build + 2);
			build[2] = 0;
			try_parts(h, (const char *const[]){dir, build, buf_str(&dot), NULL});
		}
	}
	if (*file) {
		try_parts(h, (const char *const[]){dir, base, NULL});
		try_parts(h, (const char *const[]){dir, file, NULL});
		buf_reset(&dot);
		buf_printf(&dot, "%s.debug", file);
		try_parts(h, (const char *const[]){dir, buf_str(&dot), NULL});
		buf_reset(&dot);
		buf_printf(&dot, "%s.debug", base);
		try_parts(h, (const char *const[]){dir, folder, ".debug", buf_str(&dot), NULL});
		try_parts(h, (const char *const[]){dir, "usr/lib/debug", folder, buf_str(&dot), NULL});
	}
	buf_free(&dot);
	mem_free(build);
	mem_free(file);
	mem_free(base);
	mem_free(folder);
}

void symbolize_locate(struct profile *p, bool first_known, profile_notice *notice, void *arg)
{
	const char *env = getenv("PPROF_BINARY_PATH"), *home = getenv("HOME");
	struct buf b = {0};
	if (env && *env)
		buf_puts(&b, env);
	else
		buf_printf(&b, "%s/pprof/binaries", home ? home : "");
	for (size_t i = first_known ? 2 : 1; i < p->nmap; i++) {
		struct mapping_search h = {p, &p->map[i], notice, arg, false};
		for (const char *s = buf_str(&b); *s && !h.found;) {
			size_t n = strcspn(s, ":");
			char *dir = xcalloc(n + 1, 1);
			memcpy(dir, s, n);
			if (n)
				hunt_in(&h, dir);
			mem_free(dir);
			s += n + (s[n] == ':');
		}
	}
	buf_free(&b);
}

/* ---- names */

struct namer {
	struct profile *p;
	profile_notice *notice;
	void *arg;
	const struct mode *mode;
	struct profile_by_mapping at;
	struct intern funs;	/* the functions added here */
	uint32_t *fun;
	size_t nfun, cap;
	bool missing;	/* some programs were not found */
	bool no_lines;	/* a program was read that needs libdw for lines */
};

static int same_fun(const void *ctx, uint32_t id, const void *key)
{
	const struct namer *w = ctx;
	const struct profile_function *a = &w->p->fun[w->fun[id]], *b = key;
	return a->name == b->name && a->file == b->file && a->line == b->line;
}

static fun_id add_fun(struct namer *w, const struct debug_frame *f)
{
	struct profile_function r = {.id = w->p->nfun, .name = profile_add_string(w->p, f->name, strlen(f->name)),
	    .file = profile_add_string(w->p, f->file, strlen(f->file)), .line = f->start};
	r.sysname = r.name;
	uint32_t hash = intern_hash_u64((uint64_t)r.name << 32 | r.file, (uint32_t)r.line);
	uint32_t id = intern_find(&w->funs, hash, same_fun, w, &r);
	if (id != UINT32_MAX)
		return w->fun[id];
	w->fun = mem_grow(w->fun, &w->cap, w->nfun + 1, sizeof *w->fun);
	w->fun[w->nfun] = profile_add_function(w->p, &r);
	intern_put(&w->funs, hash, (uint32_t)w->nfun);
	return w->fun[w->nfun++];
}

/* Texts (perf script) have names without lines, in mappings of unknown address: only lines are missing. */
static bool lacks_lines(const struct profile_mapping *m)
{
	return m->functions && !m->filenames && !m->lines &&
	       elf_made_up(&(struct elf_mapping){m->start, m->limit, m->offset});
}

static void name_location(struct namer *w, struct binary *b, size_t at, bool named, struct profile_mapping *m)
{
	enum { MAX = 64 };
	struct debug_frame f[MAX];
	const char *known = named ? profile_outermost(w->p, at) : "";
	size_t n = w->p->loc[at].addr || !named ? lookup_frames(b, w->p->loc[at].addr, f, MAX) : 0;
	if (!n || (*known && !f[0].line))
		return;
	if (*known)
		f[n - 1].name = known;
	uint32_t first = 0;
	for (size_t i = 0; i < n; i++) {
		m->functions |= *f[i].name != 0;
		m->filenames |= *f[i].file != 0;
		m->lines |= f[i].line != 0;
		uint32_t k = profile_add_line(w->p, &(struct profile_line){add_fun(w, &f[i]), f[i].line, f[i].col});
		first = i ? first : k;
	}
	m->inlines = true;
	w->p->loc[at].line = first;
	w->p->loc[at].nline = (uint32_t)n;
	w->p->loc[at].folded = false;
}

/* Mappings of the system that are not files on the disk. */
static bool no_file(const char *file)
{
	size_t n;
	const char *base = path_base(file, strlen(file), &n);
	return *base == '[' || !strncmp(base, "linux-vdso", 10) || !strncmp(file, "/dev/dri/", 9) ||
	       !strcmp(file, "//anon") || !strncmp(file, "/memfd:", 7);
}

static bool is_url(const char *file)
{
	size_t n = strcspn(file, ":");
	return file[n] == ':' && n >= 4 && n <= 6 && (!strncmp(file, "http", 4) || !strncmp(file, "HTTP", 4));
}

static void report_mapping(struct namer *w, const struct profile_mapping *m, const char *why)
{
	const char *file = profile_string(w->p, m->file), *build = profile_string(w->p, m->build);
	size_t n;
	const char *base = path_base(file, strlen(file), &n);
	w->notice(w->arg, "Local symbolization failed for %.*s%s%s%s: %s", (int)n, base, *build ? " (build ID " : "",
	    build, *build ? ")" : "", why);
}

static void name_mapping(struct namer *w, size_t at)
{
	struct profile_mapping m = w->p->map[at];
	const char *file = profile_string(w->p, m.file), *build = profile_string(w->p, m.build);
	struct binary b;
	struct err why;
	uint32_t from = w->at.from[at], upto = w->at.from[at + 1];
	bool lines = lacks_lines(&m);
	if (from == upto || (!w->mode->force && !lines && (m.functions || m.filenames || m.lines)))
		return;
	if (!*file && at == 1 && !w->p->commented)
		w->notice(w->arg, "Main binary filename not available.");
	w->missing |= !*file && at > 1;
	if (!*file || no_file(file) || (!*build && is_url(file)))
		return;
	struct elf_mapping em = {m.start, m.limit, m.offset};
	if (lookup_open(&b, file, &em, &why)) {
		report_mapping(w, &m, why.msg);
		w->missing = true;
		return;
	}
	if (*build && *b.elf.build && strcmp(build, b.elf.build)) {
		report_mapping(w, &m, "build ID mismatch");
	} else {
		b.fast = w->mode->fast;
		for (uint32_t i = from; i < upto && lines; i++)
			lookup_hint(&b, w->p->loc[w->at.loc[i]].addr, profile_outermost(w->p, w->at.loc[i]));
		for (uint32_t i = from; i < upto; i++)
			name_location(w, &b, w->at.loc[i], lines, &m);
		w->p->map[at] = m;
		w->no_lines |= b.tried && !b.fast && !b.is_go && !dwarf_available();
	}
	lookup_close(&b);
}

void symbolize(struct profile *p, const char *mode, profile_notice *notice, void *arg)
{
	struct mode m;
	if (parse_mode(mode, &m, NULL) || m.none)
		return;
	struct namer w = {.p = p, .notice = notice, .arg = arg, .mode = &m};
	w.at = profile_locations_by_mapping(p);
	for (size_t i = 1; i < p->nmap && m.local; i++)
		name_mapping(&w, i);
	mem_free(w.at.from);
	mem_free(w.at.loc);
	if (w.no_lines)
		notice(arg, "libdw is missing: names come from symbol tables only, without lines");
	if (w.missing) {
		notice(arg, "Some binary filenames not available. Symbolization may be incomplete.");
		notice(arg, "Try setting PPROF_BINARY_PATH to the search path for local binaries.");
	}
	intern_free(&w.funs);
	mem_free(w.fun);
	demangle_profile(p, m.demangle, m.force);
}
