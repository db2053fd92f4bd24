/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Weights whose nodes are not the store's: of critical paths, and of waits with the stack of the waker
 * (trace_weights.h); and differences that keep their tags. The nodes of all sides are joined in one tree in terms of
 * the first file's stacks. Parts are by node and tag, with the weights of both sides, so a difference has the tags too.
 */
#include "config.h"
#include "session/internal.h"

#include "base/intern.h"
#include "base/job.h"
#include "base/wrap_math.h"
#include "session/trace_weights.h"
#include "store/builder.h"

struct joined_sides {
	const struct session *s;
	struct joined_stacks stacks;
	struct trace_tag_weight *part;
	uint32_t n;
	size_t cap;
	struct intern index;
	bool tags;		/* some parts have a tag */
	bool approximate;		/* of any side */
	uint32_t sampled, sampled_of;	/* of the side that is shown */
};

static int same_part(const void *ctx, uint32_t id, const void *key)
{
	const struct trace_tag_weight *a = &((const struct joined_sides *)ctx)->part[id], *b = key;
	return a->stack == b->stack && a->tag == b->tag;
}

static struct trace_tag_weight *find_part(struct joined_sides *j, uint32_t node, str_id tag)
{
	struct trace_tag_weight key = {.stack = node, .tag = tag};
	uint32_t h = intern_hash_u64(node, tag), i = intern_find(&j->index, h, same_part, j, &key);
	if (i == UINT32_MAX) {
		j->part = mem_grow(j->part, &j->cap, j->n + 1u, sizeof *j->part);
		j->part[i = j->n++] = key;
		intern_put(&j->index, h, i);
	}
	j->tags = j->tags || tag;
	return &j->part[i];
}

/* Add the weights of a side to A, B or both. */
static void add_weight(struct joined_sides *j, const struct side_weights *v, uint32_t node, str_id tag, int64_t ns)
{
	struct trace_tag_weight *p = find_part(j, node, tag);
	if (v->in_a)
		p->ns = wrap_add(p->ns, ns);
	if (v->in_b)
		p->base = wrap_add(p->base, ns);
}

static str_id tag_of(const struct joined_sides *j, const struct side_weights *v, str_id tag)
{
	const struct str_row *r = store_str(v->sn->st, tag);
	return v->to && tag ? builder_add_string(j->s->snap, r->s, r->n) : tag;
}

static void add_side(void *arg, const struct side_weights *v)
{
	struct joined_sides *j = arg;
	const struct trace_weights *w = v->weights;
	uint32_t *at = xcalloc(w->n + 1u, sizeof *at);
	j->approximate |= w->approximate;
	if (v->in_a) {
		j->sampled = w->sampled;
		j->sampled_of = w->sampled_of;
	}
	for (uint32_t i = 0; i < w->n; i++) {
		stk_id own = w->node ? w->node[i].stack : i;
		uint32_t base = w->node ? at[w->node[i].base] : 0;
		at[i] = own ? joined_stacks_append(&j->stacks, base, v->to ? v->to[own] : own) : 0;
	}
	for (uint32_t i = 0; i < w->npart; i++)
		add_weight(j, v, at[w->part[i].stack], tag_of(j, v, w->part[i].tag), w->part[i].ns);
	for (uint32_t i = 0; i < w->n && !w->npart; i++)
		if (w->ns[i])
			add_weight(j, v, at[i], 0, w->ns[i]);
	mem_free(at);
}

static void scale_parts(struct joined_sides *j)
{
	int64_t sum[2] = {0, 0};
	for (uint32_t i = 0; i < j->n; i++) {
		sum[0] = wrap_add(sum[0], j->part[i].ns);
		sum[1] = wrap_add(sum[1], j->part[i].base);
	}
	for (uint32_t i = 0; sum[0] && i < j->n; i++)
		j->part[i].ns = sides_scaled(j->part[i].ns, (double)sum[1] / (double)sum[0]);
}

void session_weigh_joined(struct session *s, struct arena *a, struct weigh_source *to)
{
	const struct query *q = &s->queries.query[s->queries.at];
	struct joined_sides j = {.s = s};
	joined_stacks_init(&j.stacks, s->snap->st);
	session_weigh_sides(s, a, add_side, &j);
	if (q->b && q->normalize)
		scale_parts(&j);
	struct stk_row *row = arena_alloc(a, j.stacks.n * sizeof *row);
	for (uint32_t i = 0; i < j.stacks.n; i++)
		row[i] = (struct stk_row){j.stacks.node[i].parent, j.stacks.node[i].frame};
	to->node = row;
	to->nnode = j.stacks.n;
	to->sampled = j.sampled;
	to->sampled_of = j.sampled_of;
	to->approximate = j.approximate;
	int tags = j.tags ? session_tag_frames(q) : 0;
	if (tags) {
		struct trace_tag_weight *part = arena_alloc(a, (j.n + 1u) * sizeof *part);
		memcpy(part, j.part, j.n * sizeof *part);
		to->part = part;
		to->npart = j.n;
		to->part_base = q->b != 0;
		to->part_at_leaf = tags < 0;
	} else {
		int64_t *ns = arena_zalloc(a, j.stacks.n * sizeof *ns);
		int64_t *base = arena_zalloc(a, j.stacks.n * sizeof *base);
		for (uint32_t i = 0; i < j.n; i++) {
			ns[j.part[i].stack] = wrap_add(ns[j.part[i].stack], j.part[i].ns);
			base[j.part[i].stack] = wrap_add(base[j.part[i].stack], j.part[i].base);
		}
		to->flat = ns;
		to->base = q->b ? base : NULL;
	}
	joined_stacks_free(&j.stacks);
	intern_free(&j.index);
	mem_free(j.part);
}
