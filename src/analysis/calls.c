/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * From weights to things and calls.
 *
 * Weights sit on a tree of frames, where main.f at line 12 and at line 15 are
 * two nodes. What is shown are things: each frame is the thing that its
 * granularity makes of it (one array, frame to thing), and nodes below the
 * same node that are the same thing are one node here. The tree is then laid
 * out in preorder with a skip link over each subtree, so that every question
 * about it is a loop: no recursion, whatever depth a file has.
 *
 * A thing's cumulative weight counts a stack once however often it recurs:
 * only nodes without the same thing above them add. In preorder that is a
 * counter per thing, raised on entering a subtree and lowered on leaving.
 */
#include "config.h"
#include "analysis/calls.h"

#include "base/intern.h"
#include "base/text.h"

#include <string.h>

struct maker {			/* while frames become things */
	struct calls *c;
	struct intern index;
	size_t cap;
	uint32_t *of_frame;	/* thing + 1, by frame */
};

static int same_thing(const struct thing *a, const struct thing *b)
{
	return a->name == b->name && a->file == b->file && a->line == b->line &&
	       a->addr == b->addr && a->tag == b->tag && a->map == b->map;
}

static int thing_eq(const void *ctx, uint32_t id, const void *key)
{
	return same_thing(&((const struct calls *)ctx)->thing[id], key);
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
		if (strlen(std_roots[i]) == first && !memcmp(s, std_roots[i], first))
			return PKG_STD;
	return PKG_OTHER;
}

uint64_t mix_ids(uint64_t a, uint64_t b)
{
	return (uint64_t)hash_u64(a, b) << 32 | hash_u64(b + 0x9e3779b97f4a7c15u, a);
}

static uint32_t find_thing(struct maker *m, struct thing *t)
{
	struct calls *c = m->c;
	t->id = mix_ids(mix_ids((uint64_t)t->name << 32 | t->file, (uint64_t)t->line),
	    mix_ids(t->addr, (uint64_t)t->tag << 32 | t->map)) | 1;
	uint32_t h = (uint32_t)(t->id >> 32);
	uint32_t id = intern_find(&m->index, h, thing_eq, c, t);
	if (id != UINT32_MAX)
		return id;
	c->thing = mem_grow(c->thing, &m->cap, c->nthing + 1, sizeof *c->thing);
	c->thing[c->nthing] = *t;
	struct str_row s = calls_symbol(c, c->nthing);
	c->thing[c->nthing].kind = t->tag ? PKG_TAG : kind_of(s.s, s.n);
	intern_put(&m->index, h, c->nthing);
	return c->nthing++;
}

static struct thing thing_of_frame(const struct calls *c, frm_id f)
{
	const struct frm_row *fr = store_frm(c->st, f);
	const struct fun_row *fu = store_fun(c->st, fr->fun);
	const struct loc_row *lo = store_loc(c->st, fr->loc);
	struct thing t = {.frm = f, .fun = fr->fun};
	if (c->gran == CG_ADDRESSES)
		t.addr = lo->addr;
	if (c->gran == CG_ADDRESSES || c->gran == CG_LINES)
		t.line = fr->line;
	if (c->gran != CG_FUNCTIONS)
		t.file = fu->file;
	if (c->gran != CG_FILES)
		t.name = fu->name;
	if (!t.name && !t.file)
		t.map = lo->map;
	return t;
}

static uint32_t thing_of_node(struct maker *m, const struct weights *w, uint32_t i)
{
	if (w->label && w->label[i]) {
		struct thing t = {.tag = w->label[i]};
		return find_thing(m, &t);
	}
	frm_id f = w->frame[i];
	if (!m->of_frame[f]) {
		struct thing t = thing_of_frame(m->c, f);
		m->of_frame[f] = find_thing(m, &t) + 1;
	}
	return m->of_frame[f] - 1;
}

static bool frame_inlined(const struct store *st, frm_id f)
{
	const struct frm_row *fr = store_frm(st, f);
	const struct loc_row *lo = store_loc(st, fr->loc);
	return lo->nline && f != lo->first + lo->nline - 1;
}

struct by_name { const struct calls *c; };

static int cmp_name(const void *ctx, uint32_t a, uint32_t b)
{
	const struct calls *c = ((const struct by_name *)ctx)->c;
	struct str_row x = calls_symbol(c, a), y = calls_symbol(c, b);
	size_t n = x.n < y.n ? x.n : y.n;
	int d = n ? memcmp(x.s, y.s, n) : 0;
	if (d || x.n != y.n)
		return d ? d : x.n < y.n ? -1 : 1;
	const struct thing *p = &c->thing[a], *q = &c->thing[b];
	if (p->file != q->file)
		return p->file < q->file ? -1 : 1;
	return p->line != q->line ? (p->line < q->line ? -1 : 1)
				  : (p->addr > q->addr) - (p->addr < q->addr);
}

static void rank_things(struct calls *c)
{
	uint32_t *v = xmalloc(c->nthing * sizeof *v);
	for (uint32_t i = 0; i < c->nthing; i++)
		v[i] = i;
	sort_u32(v + 1, c->nthing - 1, cmp_name, &(struct by_name){c});
	for (uint32_t i = 0; i < c->nthing; i++)
		c->thing[v[i]].rank = i;
	mem_free(v);
}

/* Own and cumulative weight of each thing, and the list of its nodes. */
static void weigh_things(struct calls *c)
{
	const struct ctree *t = &c->t;
	uint32_t *open = xcalloc(c->nthing, sizeof *open);
	uint32_t *stack = xmalloc(t->n * sizeof *stack), depth = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		while (depth && t->next[stack[depth - 1]] <= i)
			open[t->thing[stack[--depth]]]--;
		struct thing *g = &c->thing[t->thing[i]];
		g->flat += t->flat[i];
		if (!open[t->thing[i]]++)
			g->cum += t->cum[i];
		stack[depth++] = i;
		g->nnode++;
		g->inl |= (t->inl[i] & CT_INL) != 0;
		g->notinl |= (t->inl[i] & CT_NOTINL) != 0;
	}
	uint32_t at = 0;
	for (uint32_t k = 0; k < c->nthing; k++) {
		c->thing[k].node0 = at;
		at += c->thing[k].nnode;
		open[k] = c->thing[k].node0;
	}
	c->of = arena_alloc(&c->arena, t->n * sizeof *c->of);
	for (uint32_t i = 0; i < t->n; i++)
		c->of[open[t->thing[i]]++] = i;
	mem_free(open);
	mem_free(stack);
}

struct calls *calls_new(const struct store *st, const struct weights *w, enum calls_gran gran)
{
	struct calls *c = xcalloc(1, sizeof *c);
	c->refs = 1;
	c->st = st;
	c->gran = gran;
	c->total = w->total;
	c->all = w->all;
	c->unit = w->unit;
	struct maker m = {.c = c};
	m.of_frame = xcalloc((size_t)col_n(&st->frms) + 1, sizeof *m.of_frame);
	c->thing = mem_grow(NULL, &m.cap, 1, sizeof *c->thing);
	c->thing[0] = (struct thing){0};
	c->nthing = 1; /* the root; it is not in the index, so no frame is the same */
	struct grow g;
	grow_init(&g);
	uint32_t *to = xcalloc(w->n ? w->n : 1, sizeof *to);
	for (uint32_t i = 0; i < w->n; i++) {
		if (i) {
			to[i] = grow_child(&g, to[w->parent[i]], thing_of_node(&m, w, i));
			bool tag = w->label && w->label[i];
			g.inl[to[i]] |= !tag && frame_inlined(st, w->frame[i]) ? CT_INL : CT_NOTINL;
		}
		g.flat[to[i]] += w->flat[i];
	}
	mem_free(to);
	mem_free(m.of_frame);
	intern_free(&m.index);
	rank_things(c);
	c->t = grow_finish(&g, ORDER_WEIGHT, c->thing, &c->arena);
	weigh_things(c);
	return c;
}

struct calls *calls_ref(struct calls *c)
{
	c->refs++;
	return c;
}

void calls_free(struct calls *c)
{
	if (!c || --c->refs)
		return;
	arena_free(&c->arena);
	mem_free(c->thing);
	mem_free(c);
}

struct str_row calls_symbol(const struct calls *c, uint32_t thing)
{
	const struct thing *t = &c->thing[thing];
	if (t->tag || t->name || t->file)
		return *store_str(c->st, t->tag ? t->tag : t->name ? t->name : t->file);
	if (!thing)
		return (struct str_row){"root", 4};
	const struct map_row *m = t->map ? col_at(&c->st->maps, t->map) : NULL;
	if (m && m->file)
		return *store_str(c->st, m->file);
	return (struct str_row){"<unknown>", 9};
}

void calls_name(const struct calls *c, uint32_t thing, struct buf *b)
{
	const struct thing *t = &c->thing[thing];
	struct str_row s = calls_symbol(c, thing);
	if (t->addr)
		buf_printf(b, "%016llx ", (unsigned long long)t->addr);
	if (!t->name && !t->file && t->map)
		buf_putc(b, '[');
	text_safe(b, s.s, s.n);
	if (!t->name && !t->file && t->map)
		buf_putc(b, ']');
	if (t->name && t->file) {
		s = *store_str(c->st, t->file);
		buf_putc(b, ' ');
		text_safe(b, s.s, s.n);
	}
	if (t->line)
		buf_printf(b, ":%lld", (long long)t->line);
}

void calls_where(const struct calls *c, uint32_t thing, struct buf *b)
{
	const struct thing *t = &c->thing[thing];
	if (!t->frm)
		return;
	const struct fun_row *fu = store_fun(c->st, t->fun);
	struct str_row s = *store_str(c->st, fu->file);
	if (!s.n)
		return;
	size_t base = s.n;
	while (base && s.s[base - 1] != '/')
		base--;
	text_safe(b, s.s + base, s.n - base);
	int64_t line = t->line ? t->line : fu->line ? fu->line : store_frm(c->st, t->frm)->line;
	if (line > 0 && c->gran != CG_FILES)
		buf_printf(b, ":%lld", (long long)line);
}

uint32_t calls_find(const struct calls *c, uint64_t id)
{
	for (uint32_t i = 1; id && i < c->nthing; i++)
		if (c->thing[i].id == id)
			return i;
	return 0;
}

uint32_t calls_fun(const struct calls *c, fun_id f)
{
	if (!f || f >= col_n(&c->st->funs))
		return 0;
	const struct fun_row *want = store_fun(c->st, f);
	uint32_t best = 0;
	for (uint32_t i = 1; i < c->nthing; i++) {
		const struct thing *t = &c->thing[i];
		if (t->tag || !t->frm)
			continue;
		bool same = c->gran == CG_FILES ? t->file && t->file == want->file
						: t->name && t->name == want->name;
		if (same && (t->fun == f || !best))
			best = i;
		if (same && t->fun == f)
			break;
	}
	return best;
}
