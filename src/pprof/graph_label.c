/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Weighs the labels at the nodes of a finished graph. There are many marks: a profile with labelled requests has four
 * times as many as edges, and each takes 60 bytes with its hash table. If trimming has to count marks, they are weighed
 * at all nodes that may be left, which are few. If all nodes are shown, the marks of a node are needed only while the
 * node is drawn, and nodes are drawn one after another: so they are weighed for some nodes at a time. How many marks
 * these will have is not known in advance. When there are too many, the last nodes are given up with their marks, and
 * the walk over the stacks continues for the others. So each walk serves as many nodes as there is room for, and it
 * reads only the labels of stacks through one of them.
 *
 * Not taken: sorting the contributions of bundles to nodes, which are thirty times as many as the marks.
 */
#include "config.h"
#include "pprof/internal.h"

#include <string.h>

struct labelling {
	struct graph_builder b;
	struct graph_options o;
	uint32_t *place;	/* by node id: its index in node[], UINT32_MAX: it is not shown */
	uint64_t *on;		/* one bit a location: it belongs to a node of the current range */
	uint32_t *seen;		/* by node id: the last bundle that was added, + 1 */
	size_t from, upto, begun;
};

static bool in_turn(const struct labelling *l, uint32_t slot)
{
	return slot && l->place[slot - 1] >= l->from && l->place[slot - 1] < l->upto;
}

static void find_locations(struct labelling *l)
{
	const struct graph_builder *b = &l->b;
	for (size_t i = 1; i < b->p->nloc; i++) {
		bool on = false;
		for (uint32_t k = 0; k < b->line_slots[i].n; k++)
			on |= in_turn(l, b->slot[b->line_slots[i].first + k]);
		l->on[i / 64] = (l->on[i / 64] & ~(UINT64_C(1) << i % 64)) | (uint64_t)on << i % 64;
	}
}

static void marks_begin(struct graph *g, struct data_column *marks)
{
	column_init(marks, sizeof(struct graph_mark) + (g->mean ? 2 * sizeof(int64_t) : 0));
}

static void drop_marks(struct labelling *l)
{
	struct graph *g = l->b.g;
	for (size_t i = l->begun; i < l->upto; i++)
		g->node[i]->tag = NULL;
	column_free(&g->marks);
	marks_begin(g, &g->marks);
	intern_free(&l->b.markx);
}

/* Give up the last nodes, but keep at least one: at most half of the room is then in use, if one node does not take
   more. */
static void give_up(struct labelling *l)
{
	struct graph *g = l->b.g;
	struct data_column kept;
	size_t n = 0, upto = l->from;
	for (; upto < l->upto; upto++) {
		size_t k = 0;
		for (const struct graph_mark *t = g->node[upto]->tag; t; t = t->next)
			k++;
		if (n + k > l->o.label_room / 2 && upto > l->from)
			break;
		n += k;
	}
	for (size_t i = upto; i < l->upto; i++)
		g->node[i]->tag = NULL;
	l->upto = upto;
	marks_begin(g, &kept);
	intern_free(&l->b.markx);
	for (size_t i = l->from; i < upto; i++) {
		struct graph_mark *had = g->node[i]->tag;
		g->node[i]->tag = NULL;
		for (; had; had = had->next) {
			uint32_t id;
			struct graph_mark *t = column_add(&kept, &id);
			memcpy(t, had, g->marks.width);
			t->next = g->node[i]->tag;
			g->node[i]->tag = t;
			intern_put(&l->b.markx, graph_mark_hash(t), id);
		}
	}
	column_free(&g->marks);
	g->marks = kept;
	find_locations(l);
}

static void at_location(struct labelling *l, loc_id loc, const struct bundle *s, uint32_t pass)
{
	struct graph_builder *b = &l->b;
	struct stack_frames at = b->line_slots[loc];
	for (uint32_t k = at.n; k--;) {
		uint32_t n = b->slot[at.first + k];
		if (!in_turn(l, n) || l->seen[n - 1] == pass)
			continue;
		l->seen[n - 1] = pass;
		graph_add_tags(b, b->g->all[n - 1], s, false);
	}
}

/* Most locations of most stacks belong to no node of the current range: they are skipped after a look at one bit. */
static void walk_stack(struct labelling *l, const struct bundle *s, uint32_t pass)
{
	struct graph_builder *b = &l->b;
	const struct profile *p = b->p;
	const uint64_t *on = l->on;
	uint32_t leaf = p->stack[s->stack];
	for (uint32_t i = leaf; i && !l->o.leaf_tags; i = profile_caller(p, i)) {
		loc_id loc = profile_frame(p, i);
		if (on[loc / 64] >> loc % 64 & 1)
			at_location(l, loc, s, pass);
	}
	uint32_t slot = leaf ? b->slot[b->line_slots[profile_frame(p, leaf)].first] : 0;
	if (in_turn(l, slot))
		graph_add_tags(b, b->g->all[slot - 1], s, true);
}

static void weigh_labels(struct labelling *l)
{
	struct graph_builder *b = &l->b;
	struct graph *g = b->g;
	for (size_t i = 0; i < g->nall; i++)
		l->place[i] = UINT32_MAX;
	for (size_t i = 0; i < g->n; i++)
		l->place[g->node[i]->id] = (uint32_t)i;
	memset(l->seen, 0, g->nall * sizeof *l->seen);
	find_locations(l);
	for (size_t i = 0; i < b->nbundle && profile_should_continue(b->p, i, b->nbundle); i++) {
		if (b->bundle[i].set)
			walk_stack(l, &b->bundle[i], (uint32_t)i + 1);
		if (l->o.label_room && column_n(&g->marks) > l->o.label_room && l->upto - l->from > 1)
			give_up(l);
	}
}

void graph_label(struct graph *g, size_t from)
{
	struct labelling *l = g->labels;
	size_t had = l->upto - l->from;
	drop_marks(l);
	if (from >= g->n) {
		graph_free_labels(g);
		return;
	}
	l->begun = l->from = from;
	l->upto = had && g->n - from > 2 * had ? from + 2 * had : g->n;
	weigh_labels(l);
	g->labelled = l->upto;
	graph_trim_tags(g, from, l->upto, g->label_cut);
}

/* Convert the labels of all bundles. */
static void find_labels(struct graph_builder *b)
{
	for (size_t i = 0; i < b->nbundle; i++)
		if (b->bundle[i].set)
			graph_set_tags(b, b->bundle[i].set);
	u64_map_free(&b->tag_keys);
}

void graph_init_labels(struct graph_builder *b)
{
	struct graph *g = b->g;
	struct labelling *l = xcalloc(1, sizeof *l);
	l->b = *b;
	l->o = *b->o;
	l->b.o = &l->o;
	l->b.info = NULL;
	l->b.kept = NULL;
	intern_free(&l->b.edgex);
	l->place = xmalloc((g->nall + 1) * sizeof *l->place);
	l->on = xcalloc(b->p->nloc / 64 + 1, sizeof *l->on);
	l->seen = xcalloc(g->nall + 1, sizeof *l->seen);
	g->labels = l;
	g->labelled = l->o.label_room ? 0 : g->n;
	if (l->o.label_room) {
		find_labels(&l->b);
		return;
	}
	l->upto = g->n;
	weigh_labels(l);
	graph_free_labels(g);
}

void graph_free_labels(struct graph *g)
{
	struct labelling *l = g->labels;
	g->labels = NULL;
	if (!l)
		return;
	mem_free(l->place);
	mem_free(l->on);
	mem_free(l->seen);
	graph_free_prepared(&l->b);
	mem_free(l);
}
