/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Frames to things. Which frames are the same thing depends on the granularity
 * alone, so it is worked out once for all frames of the store, and a tree of
 * millions of nodes only looks its frames up in one array.
 *
 * Things are ranked by name here too: a table has 10^4 of them where a tree has
 * 10^7 nodes, and siblings are then ordered by a number. Tags shown as frames
 * are things of a query: they come after the store's own, in a copy of the table.
 */
#include "config.h"
#include "calltree/granularity.h"

#include "base/bsearch.h"
#include "base/intern.h"
#include "base/radix_sort.h"

#include <string.h>

enum { NEAR = 1 << 16 };	/* names that are remembered by where they lie */

static int same_thing(const struct thing *a, const struct thing *b)
{
	return a->name == b->name && a->file == b->file && a->line == b->line &&
	       a->addr == b->addr && a->tag == b->tag && a->map == b->map;
}

static int thing_eq(const void *ctx, uint32_t id, const void *key)
{
	return same_thing(&((const struct things *)ctx)->row[id], key);
}

size_t symbol_package(const char *s, size_t n)
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

static bool begins(const char *s, size_t n, const char *with)
{
	size_t m = strlen(with);
	return n >= m && !memcmp(s, with, m);
}

static enum pkg_kind kind_of(const char *s, size_t n)
{
	size_t pkg = symbol_package(s, n);
	if (pkg == n)		/* no package at all: C, assembly, the kernel */
		return PKG_OTHER;
	if (begins(s, pkg, "runtime/") || begins(s, pkg, "internal/runtime/") ||
	    (pkg == 7 && begins(s, n, "runtime")))
		return PKG_RUNTIME;
	if (pkg == 4 && begins(s, n, "main"))
		return PKG_MAIN;
	size_t first = 0;
	while (first < pkg && s[first] != '/')
		first++;
	for (size_t i = 0; i < sizeof std_roots / sizeof *std_roots; i++)
		if (std_roots[i][0] == s[0] && strlen(std_roots[i]) == first && !memcmp(s, std_roots[i], first))
			return PKG_STD;
	return PKG_OTHER;
}

uint64_t mix_ids(uint64_t a, uint64_t b)
{
	return (uint64_t)hash_u64(a, b) << 32 | hash_u64(b + 0x9e3779b97f4a7c15u, a);
}

struct maker {
	struct things *t;
	struct intern index;
	size_t cap;
};

static uint32_t find_thing(struct maker *m, struct thing *g)
{
	struct things *t = m->t;
	g->id = mix_ids(mix_ids((uint64_t)g->name << 32 | g->file, (uint64_t)g->line),
	    mix_ids(g->addr, (uint64_t)g->tag << 32 | g->map)) | 1;
	uint32_t h = (uint32_t)(g->id >> 32);
	uint32_t id = intern_find(&m->index, h, thing_eq, t, g);
	if (id != UINT32_MAX)
		return id;
	if (t->n == THINGS_MAX)		/* of what there is no room for the last one stands */
		return THINGS_MAX - 1;
	t->row = mem_grow(t->row, &m->cap, t->n + 1, sizeof *t->row);
	t->row[t->n] = *g;
	intern_put(&m->index, h, t->n);
	return t->n++;
}

static struct thing thing_of_frame(const struct things *t, frm_id f)
{
	const struct frm_row *fr = store_frm(t->st, f);
	const struct fun_row *fu = store_fun(t->st, fr->fun);
	const struct loc_row *lo = store_loc(t->st, fr->loc);
	struct thing g = {.frm = f, .fun = fr->fun};
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

bool frame_inlined(const struct store *st, frm_id f)
{
	const struct frm_row *fr = store_frm(st, f);
	const struct loc_row *lo = store_loc(st, fr->loc);
	return lo->nline && f != lo->first + lo->nline - 1;
}

/* What things are called, beside each other and with the first bytes at hand: most differ there. */
struct named { uint64_t head; const char *s; uint32_t n; enum pkg_kind kind; };

static struct named named_of(struct str_row s)
{
	struct named n = {0, s.s, s.n, kind_of(s.s, s.n)};
	for (uint32_t k = 0; k < 8; k++)
		n.head = n.head << 8 | (k < s.n ? (uint8_t)s.s[k] : 0);
	return n;
}

static int cmp_named(const void *ctx, uint32_t a, uint32_t b)
{
	const struct named *x = (const struct named *)ctx + a, *y = (const struct named *)ctx + b;
	if (x->head != y->head)
		return x->head < y->head ? -1 : 1;
	uint32_t n = x->n < y->n ? x->n : y->n;
	int d = n > 8 ? memcmp(x->s + 8, y->s + 8, n - 8) : 0;
	return d || x->n == y->n ? d : x->n < y->n ? -1 : 1;
}

/* Things of one name. */
static int cmp_place(const void *ctx, uint32_t a, uint32_t b)
{
	const struct thing *p = (const struct thing *)ctx + a, *q = (const struct thing *)ctx + b;
	if (p->file != q->file)
		return p->file < q->file ? -1 : 1;
	return p->line != q->line ? (p->line < q->line ? -1 : 1)
				  : (p->addr > q->addr) - (p->addr < q->addr);
}

/* By thing what place its name has among all names; and what kind it is. A function has many lines, so names are
   compared once each; strings of the store are the same where their bytes are. */
static struct keyed *by_name(struct things *t)
{
	struct keyed *v = xmalloc(t->n * sizeof *v);
	struct named *name = xmalloc(t->n * sizeof *name);
	uint32_t *order = xmalloc(t->n * sizeof *order), *place = xmalloc(t->n * sizeof *place), n = 0, at = 0;
	struct near { const char *s; uint32_t k; } *seen = xcalloc(NEAR, sizeof *seen);
	for (uint32_t i = 0; i < t->n; i++) {
		struct str_row s = thing_symbol(t->st, &t->row[i]);
		struct near *h = &seen[hash_u64((uintptr_t)s.s, 0) % NEAR];
		if (h->s != s.s) {	/* for all that is known here it is another one */
			*h = (struct near){s.s, n};
			order[n] = n;
			name[n++] = named_of(s);
		}
		v[i] = (struct keyed){h->k, i};
		t->row[i].kind = !i ? PKG_OTHER : t->row[i].tag ? PKG_TAG : name[h->k].kind;
	}
	sort_u32(order, n, cmp_named, name);
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

static void rank(struct things *t)
{
	struct keyed *v = by_name(t);
	uint32_t *same = xmalloc(t->n * sizeof *same);
	keyed_sort(v + 1, t->n - 1);
	t->row[0].rank = 0;
	for (uint32_t i = 1, k; i < t->n; i = k) {
		for (k = i; k < t->n && v[k].key == v[i].key; k++)
			same[k - i] = v[k].v;
		if (k - i > 1)
			sort_u32(same, k - i, cmp_place, t->row);
		for (uint32_t j = i; j < k; j++)
			t->row[same[j - i]].rank = j;
	}
	mem_free(same);
	mem_free(v);
}

struct things *things_new(const struct snap *sn, enum gran gran)
{
	struct things *t = xcalloc(1, sizeof *t);
	struct maker m = {.t = t};
	*t = (struct things){.refs = 1, .st = store_tables(sn), .gran = gran, .n = 1, .nfrm = sn->nfrms};
	t->row = mem_grow(NULL, &m.cap, 1, sizeof *t->row);
	t->row[0] = (struct thing){0};	/* the root; it is not in the index, so no frame is the same */
	t->of = xcalloc((size_t)t->nfrm + 1, sizeof *t->of);
	for (frm_id f = 1; f < t->nfrm; f++) {
		struct thing g = thing_of_frame(t, f);
		t->of[f] = find_thing(&m, &g);
	}
	intern_free(&m.index);
	rank(t);
	return t;
}

static int cmp_tag(const void *ctx, uint32_t a, uint32_t b)
{
	const struct thing *row = ctx;
	return (row[a].tag > row[b].tag) - (row[a].tag < row[b].tag);
}

struct things *things_tags(const struct things *from, const str_id *label, uint32_t n)
{
	struct things *t = xcalloc(1, sizeof *t);
	struct maker m = {.t = t, .cap = from->n};
	*t = (struct things){.refs = 1, .st = from->st, .gran = from->gran, .n = from->n, .nfrm = from->nfrm};
	t->row = xmalloc(from->n * sizeof *t->row);
	memcpy(t->row, from->row, from->n * sizeof *t->row);
	t->of = xmalloc(((size_t)from->nfrm + 1) * sizeof *t->of);
	memcpy(t->of, from->of, from->nfrm * sizeof *t->of);
	str_id last = 0;
	for (uint32_t i = 0; i < n; i++)
		if (label[i] && label[i] != last) {
			struct thing g = {.tag = last = label[i]};
			find_thing(&m, &g);
		}
	intern_free(&m.index);
	t->ntag = t->n - from->n;
	t->tag = xmalloc((t->ntag + 1u) * sizeof *t->tag);
	for (uint32_t i = 0; i < t->ntag; i++)
		t->tag[i] = from->n + i;
	sort_u32(t->tag, t->ntag, cmp_tag, t->row);
	rank(t);
	return t;
}

uint32_t things_tag(const struct things *t, str_id tag)
{
	struct halve h = {.hi = t->ntag};
	while (halve(&h))
		halve_on(&h, t->row[t->tag[h.at]].tag < tag);
	return h.lo < t->ntag ? t->tag[h.lo] : 0;
}

struct things *things_ref(struct things *t)
{
	t->refs++;
	return t;
}

void things_free(struct things *t)
{
	if (!t || --t->refs)
		return;
	mem_free(t->row);
	mem_free(t->of);
	mem_free(t->tag);
	mem_free(t);
}

struct str_row thing_symbol(const struct store *st, const struct thing *t)
{
	if (t->tag || t->name || t->file)
		return *store_str(st, t->tag ? t->tag : t->name ? t->name : t->file);
	if (!t->frm)
		return (struct str_row){"root", 4};
	const struct map_row *m = t->map ? col_at(&st->maps, t->map) : NULL;
	if (m && m->file)
		return *store_str(st, m->file);
	return (struct str_row){"<unknown>", 9};
}
