/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The memory map at the end of an old profile, in the format of /proc/PID/maps or a shorter one: a
 * range of addresses, perhaps permissions, a file, "(@offset)" and a build id. Lines "name=value"
 * define $name for the lines below. Adjacent ranges of a file are joined, the program becomes the
 * first mapping, and each address gets its mapping; addresses outside of all mappings share an
 * artificial one.
 */
#include "config.h"
#include "load/pprof/legacy.h"

#include "base/bsearch.h"
#include "base/radix_sort.h"
#include "base/text/buf.h"

#include <string.h>

bool legacy_is_map_heading(const struct scan_lines *l)
{
	return scan_contains(scan_line_text(l), "--- Memory map: ---") ||
	       scan_contains(scan_line_text(l), "MAPPED_LIBRARIES:");
}

/* Attributes may refer to one another, so few lines could expand to gigabytes. Real maps have one or two. */
enum { ATTRS_MAX = 100, EXPANDED_MAX = 1 << 24 };

struct attr { const char *name, *value; size_t nname, nvalue; };
struct attrs {
	struct attr a[ATTRS_MAX];
	size_t n;
	size_t expanded;	/* bytes of the values in all lines so far, up to EXPANDED_MAX */
};

/* Return the line without the prefix "file.cc:123] ". */
static struct scan_text without_log_prefix(struct scan_text t)
{
	const char *p = t.p;
	while (p < t.end && *p != '[' && *p != ']')
		p++;
	if (p == t.end || *p != ']' || p + 1 == t.end || !scan_is_space(p[1]))
		return t;
	const char *d = p;
	while (d > t.p && d[-1] >= '0' && d[-1] <= '9')
		d--;
	if (d < p && d > t.p + 1 && d[-1] == ':')
		t.p = p + 2;
	return t;
}

/* Return the attribute whose name the text begins with, the first one in the file; NULL if there is none. */
static const struct attr *find_attr(const struct attrs *x, struct scan_text t)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->a[i].nname <= scan_len(t) && !memcmp(t.p, x->a[i].name, x->a[i].nname))
			return &x->a[i];
	return NULL;
}

/* Return the line with every $name replaced, as far as EXPANDED_MAX allows. The result is allocated in the arena. */
static struct scan_text expand_attrs(struct legacy *g, struct scan_text t, struct attrs *x)
{
	const char *dollar;
	struct buf b = {0};
	if (!x->n || !memchr(t.p, '$', scan_len(t)))
		return t;
	while ((dollar = memchr(t.p, '$', scan_len(t)))) {
		buf_put(&b, t.p, (size_t)(dollar - t.p));
		t.p = dollar;
		const struct attr *a = find_attr(x, t);
		if (a && a->nvalue > EXPANDED_MAX - x->expanded) {
			g->attrs_limited = true;
			a = NULL;
		}
		buf_put(&b, a ? a->value : t.p, a ? a->nvalue : 1);
		x->expanded += a ? a->nvalue : 0;
		t.p += a ? a->nname : 1;
	}
	buf_put(&b, t.p, scan_len(t));
	const char *kept = arena_strndup(&g->arena, buf_str(&b), b.n);
	t = (struct scan_text){kept, kept + b.n};
	buf_free(&b);
	return t;
}

static bool take_hex(struct scan_text *t, struct scan_text *d)
{
	if (scan_starts_with(*t, "0x") && t->end - t->p > 2 && scan_is_hex(t->p[2]))
		t->p += 2;
	d->p = t->p;
	while (t->p < t->end && scan_is_hex(*t->p))
		t->p++;
	d->end = t->p;
	return d->p < d->end;
}

static void skip_space(struct scan_text *t)
{
	while (t->p < t->end && scan_is_space(*t->p))
		t->p++;
}

/* Read "start-end:" or "start end". If there is only one number, its last digit is the second one, as in the
   reference's regular expression. */
static bool take_range(struct scan_text *t, struct scan_text *start, struct scan_text *end)
{
	skip_space(t);
	if (!take_hex(t, start))
		return false;
	struct scan_text x = *t;
	if (x.p < x.end && (scan_is_space(*x.p) || *x.p == '-'))
		x.p++;
	skip_space(&x);
	if (take_hex(&x, end)) {
		*t = x;
	} else {
		if (start->end - start->p < 2)
			return false;
		*end = (struct scan_text){start->end - 1, start->end};
		start->end--;
	}
	scan_take(t, ":");
	return true;
}

/* Take a space and the next word. Returns false and does not advance if there is none. */
static bool take_token(struct scan_text *t, struct scan_text *tok)
{
	struct scan_text x = *t;
	if (x.p == x.end || !scan_is_space(*x.p))
		return false;
	skip_space(&x);
	tok->p = x.p;
	while (x.p < x.end && !scan_is_space(*x.p))
		x.p++;
	tok->end = x.p;
	if (tok->p == tok->end)
		return false;
	t->p = x.p;
	return true;
}

static size_t run_of(struct scan_text t, const char *set)
{
	size_t n = 0;
	while (t.p + n < t.end && strchr(set, t.p[n]) && t.p[n])
		n++;
	return n;
}

static bool all_of(struct scan_text t, const char *set)
{
	return t.p < t.end && t.p + run_of(t, set) == t.end;
}

static const char hex_set[] = "0123456789abcdefABCDEF";

struct map_entry {
	struct scan_text perm, offset, file, build;
};

/* Parse: perms offset major:minor inode file */
static bool proc_form(struct scan_text t, struct map_entry *m)
{
	struct scan_text tok, pair;
	*m = (struct map_entry){0};
	if (!take_token(&t, &tok))
		return false;
	if (all_of(tok, "-rwxp")) {
		m->perm = tok;
		if (!take_token(&t, &tok))
			return false;
	}
	if (all_of(tok, hex_set)) {
		m->offset = tok;
		if (!take_token(&t, &tok))
			return false;
	}
	pair = tok;
	size_t n = run_of(pair, hex_set);
	pair.p += n;
	if (!n || !scan_take(&pair, ":") || !all_of(pair, hex_set) || !take_token(&t, &tok))
		return false;
	n = run_of(tok, "0123456789");
	if (n && tok.p + n == tok.end)
		take_token(&t, &m->file);
	return n > 0;
}

/* Parse: perms file (@offset) build */
static void brief_form(struct scan_text t, struct map_entry *m)
{
	struct scan_text tok, keep = t;
	*m = (struct map_entry){0};
	if (!take_token(&t, &tok))
		return;
	size_t n = run_of(tok, "-rwxp");
	if (n) {
		m->perm = (struct scan_text){tok.p, tok.p + n};
		if (tok.p + n != tok.end)
			return; /* a name that begins like permissions counts as permissions */
	} else {
		t = keep;
	}
	if (!take_token(&t, &m->file))
		return;
	keep = t;
	if (take_token(&t, &tok) && scan_take(&tok, "(@") && (n = run_of(tok, hex_set)) &&
	    tok.p + n < tok.end && tok.p[n] == ')') {
		m->offset = (struct scan_text){tok.p, tok.p + n};
		t.p = tok.p + n + 1;
	} else {
		t = keep;
	}
	if (take_token(&t, &tok) && (n = run_of(tok, hex_set)))
		m->build = (struct scan_text){tok.p, tok.p + n};
}

/* Returns false if the line is no entry. */
static bool add_mapping(struct legacy *g, struct scan_text t)
{
	struct scan_text start, end;
	struct legacy_map m = {0};
	struct map_entry x;
	if (!take_range(&t, &start, &end))
		return false;
	if (!proc_form(t, &x))
		brief_form(t, &x);
	if (x.perm.p < x.perm.end && !memchr(x.perm.p, 'x', (size_t)(x.perm.end - x.perm.p)))
		return true;
	if (!scan_parse_hex(start, &m.start) || !scan_parse_hex(end, &m.limit) ||
	    (x.offset.p && !scan_parse_hex(x.offset, &m.offset)))
		return false;
	m.nfile = (size_t)(x.file.end - x.file.p);
	m.nbuild = (size_t)(x.build.end - x.build.p);
	m.file = arena_strndup(&g->arena, x.file.p ? x.file.p : "", m.nfile);
	m.build = arena_strndup(&g->arena, x.build.p ? x.build.p : "", m.nbuild);
	g->map = mem_grow(g->map, &g->cmap, g->nmap + 1, sizeof *g->map);
	g->map[g->nmap++] = m;
	return true;
}

/* Add the attribute that a line "name=value" defines; other lines define none. */
static void add_attr(struct legacy *g, struct scan_text t, struct attrs *x)
{
	const char *eq = memchr(t.p, '=', scan_len(t));
	if (!eq)
		return;
	if (x->n == ATTRS_MAX) {
		g->attrs_limited = true;
		return;
	}
	struct scan_lines k = {.line = t.p, .n = (size_t)(eq - t.p)},
			 v = {.line = eq + 1, .n = (size_t)(t.end - eq - 1)};
	struct scan_text key = scan_line_trimmed(&k), val = scan_line_trimmed(&v);
	struct buf b = {0};
	buf_put(&b, "$", 1);
	buf_put(&b, key.p, scan_len(key));
	x->a[x->n++] = (struct attr){arena_strndup(&g->arena, buf_str(&b), b.n),
	    arena_strndup(&g->arena, val.p, scan_len(val)), b.n, scan_len(val)};
	buf_free(&b);
}

/* ---- pprof's heuristics */

static bool are_adjacent(const struct legacy_map *a, const struct legacy_map *b)
{
	if (a->nfile && b->nfile && strcmp(a->file, b->file))
		return false;
	if (a->nbuild && b->nbuild && strcmp(a->build, b->build))
		return false;
	return a->limit == b->start &&
	       (!a->offset || !b->offset || a->offset + (a->limit - a->start) == b->offset);
}

static void join_adjacent(struct legacy *g)
{
	size_t kept = 0;
	for (size_t i = 0; i < g->nmap; i++) {
		struct legacy_map *last = kept ? &g->map[kept - 1] : NULL, m = g->map[i];
		if (!last || !are_adjacent(last, &m)) {
			g->map[kept++] = m;
			continue;
		}
		last->limit = m.limit;
		if (m.nfile) {
			last->file = m.file;
			last->nfile = m.nfile;
		}
		if (m.nbuild) {
			last->build = m.build;
			last->nbuild = m.nbuild;
		}
	}
	g->nmap = kept;
}

/* Return whether the name is something.so, perhaps followed by a version. */
static bool is_library(const char *s)
{
	for (const char *p = s; (p = strstr(p, ".so")); p++) {
		if (!p[3] || ((p[3] == '.' || p[3] == '_') && p[4] >= '0' && p[4] <= '9'))
			return true;
	}
	return false;
}

static void program_first(struct legacy *g)
{
	for (size_t i = 0; i < g->nmap; i++) {
		const char *s = g->map[i].file;
		while (scan_starts_with((struct scan_text){s, s + strlen(s)}, "(deleted)"))
			s += 9;
		if (!*s || *s == '[' || is_library(s))
			continue;
		struct legacy_map m = g->map[0];
		g->map[0] = g->map[i];
		g->map[i] = m;
		return;
	}
}

static void number_locations(struct legacy *g)
{
	g->order = xcalloc(g->nloc + 1, sizeof *g->order);
	for (size_t i = 0; i < g->nsample; i++)
		for (uint32_t k = 0; k < g->sample[i].n; k++) {
			uint32_t l = g->frame[g->sample[i].frame + k];
			if (g->loc[l].id)
				continue;
			g->order[g->norder++] = l;
			g->loc[l].id = (uint32_t)g->norder;
		}
}

/*
 * Finds the mapping of an address: the first one in the file whose range has it; else the first one whose beginning, as
 * its offset shows, is missing in the map and has it. The bounds of all these ranges divide the addresses into pieces,
 * the leaves of a binary tree whose root is 1. A range is entered in few nodes that together have its pieces, so a
 * lookup is a walk from a leaf to the root.
 */
struct map_index {
	struct radix_array bounds;	/* ascending; piece i is from bound i to the next */
	/* By node: the lowest number entered. It is i for mapping i, and known + i for its missing part. */
	uint32_t *lowest;
	uint32_t known;			/* mappings of the file; an artificial one may follow */
};

static uint32_t piece_of(const struct map_index *x, uint64_t addr)
{
	struct bsearch_probe h = {.hi = x->bounds.n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, x->bounds.v[h.at].key <= addr);
	return (uint32_t)h.lo - 1;	/* the first bound is 0 */
}

static void enter_range(struct map_index *x, uint64_t start, uint64_t limit, uint32_t number)
{
	if (start >= limit)
		return;
	uint32_t a = piece_of(x, start) + x->bounds.n, b = piece_of(x, limit) + x->bounds.n;
	for (; a < b; a /= 2, b /= 2) {
		if (a % 2 && number < x->lowest[a])
			x->lowest[a] = number;
		if (b % 2 && number < x->lowest[b - 1])
			x->lowest[b - 1] = number;
		a += a % 2;
	}
}

static void map_index_make(struct map_index *x, const struct legacy *g)
{
	x->known = (uint32_t)g->nmap;
	radix_array_alloc(&x->bounds, 3 * x->known + 1);
	radix_array_add(&x->bounds, 0, 0);
	for (size_t i = 0; i < g->nmap; i++) {
		const struct legacy_map *m = &g->map[i];
		radix_array_add(&x->bounds, m->start, 0);
		radix_array_add(&x->bounds, m->limit, 0);
		radix_array_add(&x->bounds, m->start - m->offset, 0);
	}
	radix_sort_items(x->bounds.v, x->bounds.n);
	x->lowest = xmalloc(2 * (size_t)x->bounds.n * sizeof *x->lowest);
	memset(x->lowest, 0xff, 2 * (size_t)x->bounds.n * sizeof *x->lowest);
	for (uint32_t i = 0; i < x->known; i++) {
		const struct legacy_map *m = &g->map[i];
		enter_range(x, m->start, m->limit, i);
		enter_range(x, m->start - m->offset, m->start, x->known + i);
	}
}

static void map_index_free(struct map_index *x)
{
	radix_array_free(&x->bounds);
	mem_free(x->lowest);
}

/* Return the number of the mapping of an address, from 1. */
static uint32_t mapping_of(struct legacy *g, struct map_index *x, uint64_t addr)
{
	uint32_t i = UINT32_MAX;
	for (uint32_t k = piece_of(x, addr) + x->bounds.n; k; k /= 2)
		if (x->lowest[k] < i)
			i = x->lowest[k];
	if (i < x->known)
		return i + 1;
	if (g->nmap > x->known)	/* the artificial mapping has all other addresses */
		return (uint32_t)g->nmap;
	if (i != UINT32_MAX) {	/* the missing part becomes a part of the mapping's range */
		struct legacy_map *m = &g->map[i -= x->known];
		enter_range(x, m->start - m->offset, m->start, i);
		m->start -= m->offset;
		m->offset = 0;
		return i + 1;
	}
	g->map = mem_grow(g->map, &g->cmap, g->nmap + 1, sizeof *g->map);
	g->map[g->nmap++] = (struct legacy_map){.limit = UINT64_MAX, .file = "", .build = ""};
	return (uint32_t)g->nmap;
}

static void find_mappings(struct legacy *g)
{
	struct legacy_map *m = g->map;
	struct map_index x;
	if (g->nmap > 1 && !strncmp(m->file, "/anon_hugepage", 14) && m->limit == m[1].start)
		memmove(m, m + 1, --g->nmap * sizeof *m);
	if (g->nmap && m->start - m->offset == 0x400000) {
		m->start = 0x400000;
		m->offset = 0;
	}
	map_index_make(&x, g);
	for (size_t i = 0; i < g->norder; i++) {
		struct legacy_loc *l = &g->loc[g->order[i]];
		if (l->addr)
			l->map = mapping_of(g, &x, l->addr);
	}
	map_index_free(&x);
}

void legacy_read_memory_map(struct legacy *g, struct scan_lines *l, bool skip)
{
	struct attrs attrs = {.n = 0};
	while (skip && !legacy_is_map_heading(l) && scan_next_line(l))
		;
	while (scan_next_line(l)) {
		struct scan_text t = expand_attrs(
		    g, without_log_prefix((struct scan_text){l->line, l->line + l->n}), &attrs);
		if (!add_mapping(g, t))
			add_attr(g, t, &attrs);
	}
	g->out_of_memory |= l->cut;
	join_adjacent(g);
	program_first(g);
	number_locations(g);
	find_mappings(g);
}
