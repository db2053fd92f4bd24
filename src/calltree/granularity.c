/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Maps frames to symbols. Which frames are the same symbol depends on the granularity alone, so it is computed once for
 * all frames of the store, and building a tree of millions of nodes only looks frames up in one array.
 *
 * Symbols are ranked by name here too: a table has 10^4 of them where a tree has 10^7 nodes, and siblings are then
 * ordered by a number. Tags shown as frames are symbols of one query: they are appended in a copy of the table.
 */
#include "config.h"
#include "calltree/granularity.h"

#include "base/bsearch.h"
#include "base/intern.h"
#include "base/radix_sort.h"

#include <string.h>

enum { NEAR = 1 << 16 };	/* largest size of the table of recent names, by address */

static int same_symbol(const struct symbol *a, const struct symbol *b)
{
	return a->name == b->name && a->file == b->file && a->line == b->line &&
	       a->addr == b->addr && a->tag == b->tag && a->map == b->map;
}

static int symbol_eq(const void *ctx, uint32_t id, const void *key)
{
	return same_symbol(&((const struct granularity *)ctx)->row[id], key);
}

size_t granularity_package(const char *s, size_t n)
{
	size_t slash = 0, end = n;
	for (size_t i = 0; i < n && s[i] != '(' && s[i] != '['; i++)
		if (s[i] == '/')
			slash = i + 1;
	for (size_t i = slash; i < n; i++)
		if (s[i] == '.' || s[i] == '(' || s[i] == '[') {
			end = i;
			break;
		}
	return end;
}

static const char *const std_roots[] = {"archive", "bufio", "bytes", "cmp", "compress", "container",
    "context", "crypto", "database", "debug", "embed", "encoding", "errors", "expvar", "flag",
    "fmt", "go", "hash", "html", "image", "index", "internal", "io", "iter", "log", "maps", "math",
    "mime", "net", "os", "path", "plugin", "reflect", "regexp", "slices", "sort", "strconv",
    "strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode", "unique",
    "unsafe", "vendor", "weak"};

static bool has_prefix(const char *s, size_t n, const char *with)
{
	size_t m = strlen(with);
	return n >= m && !memcmp(s, with, m);
}

static enum pkg_kind kind_of(const char *s, size_t n)
{
	size_t pkg = granularity_package(s, n);
	if (pkg == n)		/* no package: C, assembly, the kernel */
		return PKG_OTHER;
	if (has_prefix(s, pkg, "runtime/") || has_prefix(s, pkg, "internal/runtime/") ||
	    (pkg == 7 && has_prefix(s, n, "runtime")))
		return PKG_RUNTIME;
	if (pkg == 4 && has_prefix(s, n, "main"))
		return PKG_OWN;
	size_t first = 0;
	while (first < pkg && s[first] != '/')
		first++;
	for (size_t i = 0; i < sizeof std_roots / sizeof *std_roots; i++)
		if (std_roots[i][0] == s[0] && strlen(std_roots[i]) == first && !memcmp(s, std_roots[i], first))
			return PKG_STD;
	return PKG_OTHER;
}

uint64_t granularity_mix_ids(uint64_t a, uint64_t b)
{
	return (uint64_t)intern_mix_u64(a, b) << 32 | intern_mix_u64(b + 0x9e3779b97f4a7c15u, a);
}

struct symbol_maker {
	struct granularity *t;
	struct intern index;
	size_t cap;
};

static uint32_t find_symbol(struct symbol_maker *m, struct symbol *g)
{
	struct granularity *t = m->t;
	g->id = granularity_mix_ids(granularity_mix_ids((uint64_t)g->name << 32 | g->file, (uint64_t)g->line),
	    granularity_mix_ids(g->addr, (uint64_t)g->tag << 32 | g->map)) | 1;
	uint32_t h = (uint32_t)(g->id >> 32);
	uint32_t id = intern_find(&m->index, h, symbol_eq, t, g);
	if (id != UINT32_MAX)
		return id;
	if (t->n == GRANULARITY_MAX)		/* the table is full: use the last symbol */
		return GRANULARITY_MAX - 1;
	t->row = mem_grow(t->row, &m->cap, t->n + 1, sizeof *t->row);
	t->row[t->n] = *g;
	intern_put(&m->index, h, t->n);
	return t->n++;
}

static struct symbol symbol_of_frame(const struct granularity *t, frm_id f)
{
	const struct frm_row *fr = store_frm(t->st, f);
	const struct fun_row *fu = store_fun(t->st, fr->fun);
	const struct loc_row *lo = store_loc(t->st, fr->loc);
	struct symbol g = {.frm = f};
	if (t->gran == GR_ADDRESSES)
		g.addr = lo->addr;
	if (t->gran == GR_ADDRESSES || t->gran == GR_LINES)
		g.line = fr->line;
	if (t->gran != GR_FUNCTIONS)
		g.file = fu->file;
	if (t->gran != GR_FILES)
		g.name = fu->name;
	if (!g.name && !g.file)
		g.map = lo->map;
	return g;
}

bool granularity_is_inlined(const struct store *st, frm_id f)
{
	const struct frm_row *fr = store_frm(st, f);
	const struct loc_row *lo = store_loc(st, fr->loc);
	return lo->nline && f != lo->first + lo->nline - 1;
}

/* The names of symbols in one array with their first 8 bytes as a number, because most comparisons are decided
   there. */
struct named_symbol { uint64_t head; const char *s; uint32_t n; enum pkg_kind kind; };

static struct named_symbol named_of(struct str_row s)
{
	struct named_symbol n = {0, s.s, s.n, kind_of(s.s, s.n)};
	for (uint32_t k = 0; k < 8; k++)
		n.head = n.head << 8 | (k < s.n ? (uint8_t)s.s[k] : 0);
	return n;
}

static int cmp_named(const void *ctx, uint32_t a, uint32_t b)
{
	const struct named_symbol *x = (const struct named_symbol *)ctx + a, *y = (const struct named_symbol *)ctx + b;
	if (x->head != y->head)
		return x->head < y->head ? -1 : 1;
	uint32_t n = x->n < y->n ? x->n : y->n;
	int d = n > 8 ? memcmp(x->s + 8, y->s + 8, n - 8) : 0;
	return d || x->n == y->n ? d : x->n < y->n ? -1 : 1;
}

/* Order symbols of the same name. */
static int cmp_place(const void *ctx, uint32_t a, uint32_t b)
{
	const struct symbol *p = (const struct symbol *)ctx + a, *q = (const struct symbol *)ctx + b;
	if (p->file != q->file)
		return p->file < q->file ? -1 : 1;
	return p->line != q->line ? (p->line < q->line ? -1 : 1)
				  : (p->addr > q->addr) - (p->addr < q->addr);
}

/* Return items whose value is the symbol and whose key is the rank of its name among all names; set the kind of each
   symbol. A function has many lines, so names are compared once each: strings of the store with the same address are
   equal. */
static struct radix_item *by_name(struct granularity *t)
{
	struct radix_item *v = xmalloc(t->n * sizeof *v);
	struct named_symbol *name = xmalloc(t->n * sizeof *name);
	uint32_t *order = xmalloc(t->n * sizeof *order), *place = xmalloc(t->n * sizeof *place), n = 0, at = 0;
	uint32_t near = 64;
	while (near < NEAR && near / 2 < t->n)
		near *= 2;
	struct recent_name { const char *s; uint32_t k; } *seen = xcalloc(near, sizeof *seen);
	for (uint32_t i = 0; i < t->n; i++) {
		struct str_row s = granularity_symbol_name(t->st, &t->row[i]);
		struct recent_name *h = &seen[intern_hash_u64((uintptr_t)s.s, 0) % near];
		if (h->s != s.s) {	/* not the last name in this cell: may be a new one */
			*h = (struct recent_name){s.s, n};
			order[n] = n;
			name[n++] = named_of(s);
		}
		v[i] = (struct radix_item){h->k, i};
		t->row[i].kind = !i ? PKG_OTHER : t->row[i].tag ? PKG_TAG : name[h->k].kind;
	}
	calltree_sort_u32(order, n, cmp_named, name);
	for (uint32_t k = 0; k < n; k++) {
		at += k && cmp_named(name, order[k - 1], order[k]);
		place[order[k]] = at;
	}
	for (uint32_t i = 0; i < t->n; i++)
		v[i].key = place[v[i].key];
	mem_free(seen);
	mem_free(name);
	mem_free(order);
	mem_free(place);
	return v;
}

static struct str_row file_of(const struct granularity *t, const struct symbol *s)
{
	return *store_str(t->st, store_fun(t->st, symbol_function(t->st, s))->file);
}

/* Return whether a package is of the program's own module by its names: in a build with modules, the files of all others
   are in a folder with a version, x@v1.2.3. Without these, a path whose first element is no domain is the program's. */
static bool is_own(struct str_row name, struct str_row file, bool modules)
{
	size_t pkg = granularity_package(name.s, name.n), first = 0;
	if (pkg == name.n || file.n < 3 || memcmp(file.s + file.n - 3, ".go", 3) || memmem(file.s, file.n, "/vendor/", 8))
		return false;
	while (first < pkg && name.s[first] != '/' && name.s[first] != '.')
		first++;
	return modules ? !memchr(file.s, '@', file.n) : first < pkg && name.s[first] == '/';
}

/* Set the kind of symbols of the program's own module. */
static void find_own(struct granularity *t)
{
	bool modules = false;
	for (uint32_t i = 1; i < t->n && !modules; i++) {
		struct str_row file = file_of(t, &t->row[i]);
		modules = t->row[i].kind == PKG_OTHER && memmem(file.s, file.n, "@v", 2);
	}
	for (uint32_t i = 1; i < t->n; i++) {
		struct symbol *s = &t->row[i];
		if (s->kind == PKG_OTHER && s->name && is_own(granularity_symbol_name(t->st, s), file_of(t, s), modules))
			s->kind = PKG_OWN;
	}
}

static void rank(struct granularity *t)
{
	struct radix_item *v = by_name(t);
	find_own(t);
	uint32_t *same = xmalloc(t->n * sizeof *same);
	radix_sort_items(v + 1, t->n - 1);
	t->row[0].rank = 0;
	for (uint32_t i = 1, k; i < t->n; i = k) {
		for (k = i; k < t->n && v[k].key == v[i].key; k++)
			same[k - i] = v[k].v;
		if (k - i > 1)
			calltree_sort_u32(same, k - i, cmp_place, t->row);
		for (uint32_t j = i; j < k; j++)
			t->row[same[j - i]].rank = j;
	}
	mem_free(same);
	mem_free(v);
}

struct granularity *granularity_new(const struct snap *sn, enum gran gran)
{
	struct granularity *t = xcalloc(1, sizeof *t);
	struct symbol_maker m = {.t = t};
	*t = (struct granularity){.refs = 1, .st = sn->st, .gran = gran, .n = 1, .nfrm = sn->nfrms};
	t->row = mem_grow(NULL, &m.cap, 1, sizeof *t->row);
	t->row[0] = (struct symbol){0};	/* the root; it is not in the index, so no frame maps to it */
	t->of = xcalloc((size_t)t->nfrm + 1, sizeof *t->of);
	for (frm_id f = 1; f < t->nfrm; f++) {
		struct symbol g = symbol_of_frame(t, f);
		t->of[f] = find_symbol(&m, &g);
	}
	intern_free(&m.index);
	rank(t);
	return t;
}

static int cmp_tag(const void *ctx, uint32_t a, uint32_t b)
{
	const struct symbol *row = ctx;
	return (row[a].tag > row[b].tag) - (row[a].tag < row[b].tag);
}

struct granularity *granularity_with_tags(const struct granularity *from, const str_id *label, uint32_t n)
{
	struct granularity *t = xcalloc(1, sizeof *t);
	struct symbol_maker m = {.t = t, .cap = from->n};
	*t = (struct granularity){.refs = 1, .st = from->st, .gran = from->gran, .n = from->n, .nfrm = from->nfrm};
	t->row = xmalloc(from->n * sizeof *t->row);
	memcpy(t->row, from->row, from->n * sizeof *t->row);
	t->of = xmalloc(((size_t)from->nfrm + 1) * sizeof *t->of);
	memcpy(t->of, from->of, from->nfrm * sizeof *t->of);
	str_id last = 0;
	for (uint32_t i = 0; i < n; i++)
		if (label[i] && label[i] != last) {
			struct symbol g = {.tag = last = label[i]};
			find_symbol(&m, &g);
		}
	intern_free(&m.index);
	t->ntag = t->n - from->n;
	t->tag = xmalloc((t->ntag + 1u) * sizeof *t->tag);
	for (uint32_t i = 0; i < t->ntag; i++)
		t->tag[i] = from->n + i;
	calltree_sort_u32(t->tag, t->ntag, cmp_tag, t->row);
	rank(t);
	return t;
}

uint32_t granularity_find_tag(const struct granularity *t, str_id tag)
{
	struct bsearch_probe h = {.hi = t->ntag};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, t->row[t->tag[h.at]].tag < tag);
	return h.lo < t->ntag ? t->tag[h.lo] : 0;
}

struct granularity *granularity_ref(struct granularity *t)
{
	t->refs++;
	return t;
}

void granularity_free(struct granularity *t)
{
	if (!t || --t->refs)
		return;
	mem_free(t->row);
	mem_free(t->of);
	mem_free(t->tag);
	mem_free(t);
}

struct str_row granularity_symbol_name(const struct store *st, const struct symbol *t)
{
	if (t->tag || t->name || t->file)
		return *store_str(st, t->tag ? t->tag : t->name ? t->name : t->file);
	if (!t->frm)
		return (struct str_row){"root", 4};
	const struct map_row *m = t->map ? column_at(&st->maps, t->map) : NULL;
	if (m && m->file)
		return *store_str(st, m->file);
	return (struct str_row){"<unknown>", 9};
}
