/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The names of the nodes of a call graph, and their identity: for a line with a function its name and file, and its
 * binary only if binaries are distinguished; for a location without a name the address. All reports that name frames
 * use these functions, so that they agree. The name of each line is computed once (struct graph_frame_names), because
 * samples repeat the same line a million times.
 */
#include "config.h"
#include "pprof/graph.h"

#include "base/text/path.h"

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

void graph_info_name(struct buf *b, const struct profile *p, const struct graph_info *i, const char *sep)
{
	size_t from = b->n;
	if (i->addr)
		buf_printf(b, "%016llx", (unsigned long long)i->addr);
	if (i->name) {
		buf_puts(b, b->n > from ? sep : "");
		buf_put(b, p->str[i->name].s, p->str[i->name].n);
	}
	if (i->line || i->file) {
		buf_puts(b, b->n > from ? sep : "");
		buf_put(b, p->str[i->file].s, p->str[i->file].n);
		if (i->line)
			buf_printf(b, ":%lld", (long long)i->line);
		if (i->line && i->col)
			buf_printf(b, ":%lld", (long long)i->col);
	} else if (!i->name) {
		size_t n;
		const char *s = path_base(p->str[i->object].s, p->str[i->object].n, &n);
		buf_puts(b, b->n > from ? sep : "");
		if (i->object)
			buf_printf(b, "[%.*s]", (int)n, s);
		else
			buf_puts(b, "<unknown>");
	}
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

void graph_names(struct graph *g)
{
	struct buf b = {0};
	for (size_t i = 0; i < g->nall; i++) {
		struct graph_node *n = g->all[i];
		const struct profile_text *name = &g->p->str[n->info.name];
		if (is_name_alone(&n->info)) {
			n->text = name->s;
			n->ntext = name->n;
			continue;
		}
		buf_reset(&b);
		graph_info_name(&b, g->p, &n->info, " ");
		n->text = arena_strndup(&g->arena, b.p, b.n);
		n->ntext = (uint32_t)b.n;
	}
	buf_free(&b);
}
