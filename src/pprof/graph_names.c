/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The names of the nodes of a call graph, and their identity: for a line with a function its name and file, and its
 * binary only if binaries are distinguished; for a location without a name the address. All reports that name frames
 * use these functions, so that they agree. The name of each line is computed once (struct graph_frame_names), because
 * samples repeat the same line a million times. The text of a node is made only while it is printed, and compared part by
 * part: a name may have megabytes, and many nodes may share it.
 */
#include "config.h"
#include "pprof/graph.h"

#include "base/text/path.h"
#include "base/wrap_math.h"

#include <string.h>

static str_id clean_file(struct profile *p, str_id file)
{
	struct buf b = {0};
	if (!file)
		return 0;
	path_clean(&b, p->str[file].s, p->str[file].n);
	if (b.n != p->str[file].n || memcmp(b.p, p->str[file].s, b.n))
		file = profile_add_string(p, b.p, b.n);
	buf_free(&b);
	return file;
}

struct graph_info graph_info_of_line(struct profile *p, const struct profile_location *l, uint32_t line, bool objects)
{
	struct graph_info i = {.addr = l->addr, .object = p->map[l->map].file};
	if (!l->nline)
		return i;
	const struct profile_line *x = &p->line[l->line + line];
	const struct profile_function *f = &p->fun[x->fun];
	i.line = x->line;
	i.col = x->col;
	i.name = f->name;
	i.file = clean_file(p, f->file);
	if (objects || !i.name)
		i.start = f->line;
	else
		i.object = 0;
	return i;
}

/* A text as its parts in order; none is empty. */
struct text_parts {
	struct text_part { const char *s; size_t n; } part[6];
	uint32_t n;
	char addr[16], position[2 * 21];
};

static void add_part(struct text_parts *t, const char *s, size_t n)
{
	if (n)
		t->part[t->n++] = (struct text_part){s, n};
}

/* Write the number of a line or column with a colon before it, so that it ends before `end`. Return where it starts. */
static char *write_number(char *end, int64_t v)
{
	uint64_t u = wrap_size(v);
	do
		*--end = (char)('0' + u % 10);
	while (u /= 10);
	if (v < 0)
		*--end = '-';
	*--end = ':';
	return end;
}

static void add_position(struct text_parts *t, const struct graph_info *i)
{
	char *end = t->position + sizeof t->position, *at = end;
	if (i->line && i->col)
		at = write_number(at, i->col);
	if (i->line)
		at = write_number(at, i->line);
	add_part(t, at, (size_t)(end - at));
}

static void add_object(struct text_parts *t, const struct profile_text *object)
{
	size_t n;
	const char *s = path_base(object->s, object->n, &n);
	add_part(t, "[", 1);
	add_part(t, s, strnlen(s, n));
	add_part(t, "]", 1);
}

static void split_text(struct text_parts *t, const struct profile *p, const struct graph_info *i, const char *sep)
{
	size_t nsep = strlen(sep);
	t->n = 0;
	if (i->addr) {
		for (int k = 0; k < 16; k++)
			t->addr[k] = "0123456789abcdef"[i->addr >> (60 - 4 * k) & 15];
		add_part(t, t->addr, sizeof t->addr);
	}
	if (i->name) {
		add_part(t, sep, t->n ? nsep : 0);
		add_part(t, p->str[i->name].s, p->str[i->name].n);
	}
	if (i->line || i->file || !i->name)
		add_part(t, sep, t->n ? nsep : 0);
	if (i->line || i->file) {
		add_part(t, p->str[i->file].s, p->str[i->file].n);
		add_position(t, i);
	} else if (!i->name && i->object) {
		add_object(t, &p->str[i->object]);
	} else if (!i->name) {
		add_part(t, "<unknown>", 9);
	}
}

void graph_info_name(struct buf *b, const struct profile *p, const struct graph_info *i, const char *sep)
{
	struct text_parts t;
	split_text(&t, p, i, sep);
	for (uint32_t k = 0; k < t.n; k++)
		buf_put(b, t.part[k].s, t.part[k].n);
}

/* Compare the first parts of two texts; 0: the rest decides. For most nodes it does not. */
static int compare_first(const struct profile *p, const struct graph_info *a, const struct graph_info *b)
{
	if (a->addr && b->addr)
		return (a->addr > b->addr) - (a->addr < b->addr);
	if (a->addr || b->addr || !a->name || !b->name || a->name == b->name)
		return 0;
	const struct profile_text *x = &p->str[a->name], *y = &p->str[b->name];
	return memcmp(x->s, y->s, x->n < y->n ? x->n : y->n);
}

static int compare_parts(const struct profile *p, const struct graph_info *a, const struct graph_info *b)
{
	struct text_parts t, u;
	split_text(&t, p, a, " ");
	split_text(&u, p, b, " ");
	struct text_part *x = t.part, *y = u.part;
	while (x < t.part + t.n && y < u.part + u.n) {
		size_t n = x->n < y->n ? x->n : y->n;
		int c = x->s == y->s ? 0 : memcmp(x->s, y->s, n);
		if (c)
			return c;
		x->s += n;
		y->s += n;
		x->n -= n;
		y->n -= n;
		x += !x->n;
		y += !y->n;
	}
	return (x < t.part + t.n) - (y < u.part + u.n);
}

int graph_info_compare(const struct profile *p, const struct graph_info *a, const struct graph_info *b)
{
	int c = compare_first(p, a, b);
	return c ? c : compare_parts(p, a, b);
}

/* Is nothing but the name of the function in the text? Then the text is not made: a name may have megabytes. */
static bool is_name_alone(const struct graph_info *i)
{
	return i->name && !i->addr && !i->file && !i->line;
}

struct graph_frame_names graph_frame_names_new(struct profile *p)
{
	return (struct graph_frame_names){p, xcalloc(p->nline + p->nloc + 1, sizeof(str_id)), p->nline};
}

void graph_frame_names_free(struct graph_frame_names *n)
{
	mem_free(n->known);
}

str_id graph_frame_name(struct graph_frame_names *n, loc_id loc, uint32_t line)
{
	const struct profile_location *l = &n->p->loc[loc];
	str_id *known = &n->known[l->nline ? l->line + line : n->nline + loc];
	if (!*known) {
		struct buf b = {0};
		struct graph_info info = graph_info_of_line(n->p, l, line, false);
		if (is_name_alone(&info))
			return *known = info.name;
		graph_info_name(&b, n->p, &info, " ");
		*known = profile_add_string(n->p, b.p, b.n);
		buf_free(&b);
	}
	return *known;
}
