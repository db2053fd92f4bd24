/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Laws of the profile behind the reports and of its call graph, on seeded random profiles; and texts of units and
 * durations, paths, short and demangled names.
 */
#include "config.h"
#include "store/builder.h"
#include "tap.h"

#include "base/text/path.h"
#include "base/text/pprof_units.h"
#include "filter/tag_weights.h"
#include "filter/weigh.h"
#include "load/load.h"
#include "pprof/frame_text.h"
#include "pprof/graph.h"
#include "report/pprof/short_names.h"
#include "session/symbolize.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state;

static uint32_t rnd(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % n;
}

static str_id str(struct profile *p, const char *s)
{
	return profile_add_string(p, s, strlen(s));
}

/* Make a profile of nfun functions with stacks with recursion, inlined calls, labels; negative: values of either sign. */
static struct profile *random_profile(uint32_t nfun, uint32_t nsample, bool negative)
{
	struct profile *p = profile_new();
	struct sink s = profile_sink(p);
	loc_id stack[24];
	s.profile->type(s.self, str(p, "samples"), str(p, "count"));
	s.profile->type(s.self, str(p, "cpu"), str(p, "nanoseconds"));
	for (uint32_t i = 0; i < nfun; i++) {
		struct arena a = {0};
		fun_id f = profile_add_function(p, &(struct profile_function){.id = i + 1,
						       .name = str(p, arena_printf(&a, "f%u", i)),
						       .file = str(p, i % 3 ? "a.go" : "b.go")});
		uint32_t line = profile_add_line(p, &(struct profile_line){f, i + 10, 0});
		if (i)
			profile_add_line(p, &(struct profile_line){f - 1, i, 0});
		profile_add_location(p, &(struct profile_location){
					    .id = i + 1, .addr = 0x1000 + i, .line = line, .nline = 1 + (i % 4 == 1)});
		arena_free(&a);
	}
	for (uint32_t i = 0; i < nsample; i++) {
		uint32_t n = 1 + rnd(20);
		struct profile_label l = {str(p, "k"), str(p, rnd(2) ? "x" : "y"), 0, 0};
		int64_t v[2] = {1 + rnd(9), 1 + rnd(1000000)};
		for (uint32_t k = 0; k < n; k++)
			stack[k] = 1 + rnd(nfun);
		if (negative && rnd(3) == 0) {
			v[0] = -v[0];
			v[1] = -v[1];
		}
		profile_add_sample(p, profile_add_stack(p, stack, n), rnd(3) ? profile_add_labels(p, &l, 1) : 0, v);
	}
	return p;
}

static int64_t total(const struct profile *p)
{
	int64_t sum = 0;
	for (size_t i = 0; i < p->nsample; i++)
		sum += profile_value(p, i)[1];
	return sum;
}

static void test_merge(void)
{
	bool twice = true, nothing = true, normal = true;
	for (state = 1; state < 40; state += 2) {
		uint64_t seed = state;
		struct profile *two[4], *sum, *left, *b;
		for (int i = 0; i < 4; i++) {
			state = seed;
			two[i] = random_profile(12, 200, false);
		}
		int64_t t = total(two[0]);
		size_t n = two[0]->nsample;
		b = random_profile(12, 150, false);
		normal &= !pprof_normalize(b, two[0], NULL) && llabs(total(b) - t) <= (long long)b->nsample;
		twice &= !pprof_merge(two, 2, &sum, NULL) && total(sum) == 2 * t && sum->nsample <= n &&
			 !two[0] && !two[1];
		double minus[2] = {-1, -1};
		pprof_scale(two[3], minus);
		nothing &= !pprof_merge(two + 2, 2, &left, NULL) && left->nsample == 0 && left->nloc == 1;
		profile_free(left);
		profile_free(sum);
		profile_free(b);
		state = seed;
	}
	OK(twice);	/* a profile merged with itself has twice the total */
	OK(nothing);	/* a profile minus itself is empty, also its tables */
	OK(normal);	/* a profile normalized to another has its total, except for rounding */
}

static int64_t filtered(uint64_t seed, const char *focus, const char *ignore, const char *tagfocus)
{
	state = seed;
	struct profile *p = random_profile(10, 300, true);
	struct pprof_label_units u = {0};
	struct filters f = {.focus = focus, .ignore = ignore, .tagfocus = tagfocus};
	int64_t t = pprof_apply_filters(p, &f, &u, NULL, NULL, NULL) ? INT64_MIN : total(p);
	profile_free(p);
	return t;
}

static void test_filters(void)
{
	bool names = true, tags = true;
	for (uint64_t seed = 3; seed < 23; seed++) {
		int64_t all = filtered(seed, NULL, NULL, NULL);
		names &= all == filtered(seed, "f[2-4]|b.go", NULL, NULL) + filtered(seed, NULL, "f[2-4]|b.go", NULL);
		tags &= filtered(seed, NULL, NULL, "k=x|y") ==
		    filtered(seed, NULL, NULL, "k=x") + filtered(seed, NULL, NULL, "y");
	}
	OK(names);	/* focus and ignore divide the total */
	OK(tags);	/* the values of a label divide it, too */
}

/* ---- stacks */

/* Get the frames of a stack, leaf first. Return their number. */
static size_t frames_of(const struct profile *p, uint32_t stack, loc_id *frame)
{
	size_t n = 0;
	for (uint32_t i = p->stack[stack]; i; i = profile_caller(p, i))
		frame[n++] = profile_frame(p, i);
	return n;
}

static bool same_stack(const struct profile *p, uint32_t stack, const loc_id *frame, size_t n)
{
	loc_id had[24];
	return frames_of(p, stack, had) == n && !memcmp(had, frame, n * sizeof *had);
}

enum { STACKS = 500, DEEP = 12 };
struct random_stacks { loc_id frame[STACKS][DEEP]; size_t n[STACKS]; };

static void random_stacks(struct random_stacks *r, uint32_t nloc)
{
	for (size_t i = 0; i < STACKS; i++) {
		r->n[i] = rnd(DEEP);
		for (size_t k = 0; k < r->n[i]; k++)
			r->frame[i][k] = 1 + rnd(nloc);
	}
}

static struct random_stacks *sorting;

static int from_root(const void *x, const void *y)
{
	size_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	for (size_t k = 1; k <= sorting->n[a] && k <= sorting->n[b]; k++) {
		loc_id v = sorting->frame[a][sorting->n[a] - k], w = sorting->frame[b][sorting->n[b] - k];
		if (v != w)
			return v < w ? -1 : 1;
	}
	return (sorting->n[a] > sorting->n[b]) - (sorting->n[a] < sorting->n[b]);
}

/* Make a profile of stacks, passed as by a reader that has sorted them. */
static struct profile *in_order(struct random_stacks *r)
{
	struct profile *p = profile_new();
	struct sink s = profile_sink(p);
	uint32_t order[STACKS];
	stk_id of[STACKS];
	loc_id outer[DEEP];
	sorting = r;
	for (uint32_t i = 0; i < STACKS; i++) {
		order[i] = i;
		s.profile->sample(s.self, &(struct sink_sample){.stack = STK_LATER});
	}
	qsort(order, STACKS, sizeof *order, from_root);
	for (size_t i = 0; i < STACKS; i++) {
		uint32_t now = order[i], was = order[i ? i - 1 : 0];
		size_t same = 0, n = 0;
		while (i && same < r->n[now] && same < r->n[was] &&
		       r->frame[now][r->n[now] - 1 - same] == r->frame[was][r->n[was] - 1 - same])
			same++;
		for (size_t k = same; k < r->n[now]; k++)
			outer[n++] = r->frame[now][r->n[now] - 1 - k];
		of[now] = s.profile->branch(s.self, same, outer, n);
	}
	s.profile->resolve_stacks(s.self, of, STACKS);
	return p;
}

/* Return whether frames are read as they were given, and texts written for them: of location i, `length` * i letters. */
static bool same_frames(const struct profile *p, const struct random_stacks *r, size_t length)
{
	bool same = true;
	struct frame_text t = {0};
	struct profile_frames read = {.p = p};
	for (size_t i = 0; i < 26; i++, frame_text_end(&t))
		buf_pad(&t.text, 'a' + (int)i, i * length);
	for (size_t i = 0; i < STACKS; i++) {
		struct buf got = {0}, want = {0};
		const struct profile_frame_list *l = profile_frames_at(&read, i);
		same &= l->n == r->n[i] && (!l->n || !memcmp(l->frame, r->frame[i], l->n * sizeof *l->frame));
		frame_text_put(&t, &got, l, i % 2);
		for (size_t k = 0, n = r->n[i]; k < n; k++)
			buf_pad(&want, 'a' + (int)r->frame[i][i % 2 ? n - 1 - k : k],
			    r->frame[i][i % 2 ? n - 1 - k : k] * length);
		same &= !strcmp(buf_str(&got), buf_str(&want));
		buf_free(&got);
		buf_free(&want);
	}
	profile_frames_free(&read);
	frame_text_free(&t);
	return same;
}

/* Stacks are numbered by their first samples, whether they are added one by one or in order, and equal stacks are one. */
static void test_stacks(void)
{
	bool found = true, same = true, ordered = true, frames = true;
	for (uint32_t round = 0; round < 40; round++) {
		static struct random_stacks r;
		state = 17 + round;
		random_stacks(&r, 2 + round % 9);
		struct profile *p = profile_new(), *q = in_order(&r);
		for (size_t i = 0; i < STACKS; i++) {
			size_t had = p->nstack;
			uint32_t s = profile_add_stack(p, r.frame[i], r.n[i]);
			same &= same_stack(p, s, r.frame[i], r.n[i]) && (s < had || s == p->nstack - 1);
			ordered &= q->sample[i].stack == s && same_stack(q, s, r.frame[i], r.n[i]);
			if (i % 50 == 0)
				profile_drop_stack_index(p);
		}
		frames &= same_frames(q, &r, round % 3 ? 1 : 4);
		size_t n = p->nstack, nodes = p->tree.n;
		for (size_t i = 0; i < STACKS; i++) {
			found &= profile_add_stack(p, r.frame[i], r.n[i]) == q->sample[i].stack;
			found &= profile_add_stack(q, r.frame[i], r.n[i]) == q->sample[i].stack;
		}
		found &= p->nstack == n && q->nstack == n && p->tree.n == nodes && q->tree.n == nodes;
		profile_free(p);
		profile_free(q);
	}
	OK(same);
	OK(ordered);
	OK(frames);
	OK(found);	/* no stack is added twice */
}

/* A path has the nodes from the root, and moving it keeps the nodes that it has in common with the last one. */
static void test_paths(void)
{
	bool right = true, kept = true;
	static struct random_stacks r;
	struct stack_path path = {0}, was = {0};
	state = 5;
	random_stacks(&r, 4);
	struct profile *p = in_order(&r);
	for (size_t i = 0; i < 2000; i++) {
		uint32_t node = rnd(p->tree.n), at = node;
		was.node = mem_grow(was.node, &was.cap, path.n, sizeof *was.node);
		if (path.n)
			memcpy(was.node, path.node, path.n * sizeof *was.node);
		was.n = path.n;
		size_t same = stack_path_move(&path, &p->tree, node);
		for (size_t k = path.n; k--; at = profile_caller(p, at))
			right &= path.node[k] == at;
		right &= at == 0;
		kept &= same <= path.n && same <= was.n &&
			(!same || !memcmp(path.node, was.node, same * sizeof *was.node)) &&
			(same == path.n || same == was.n || path.node[same] != was.node[same]);
	}
	OK(right);
	OK(kept);
	mem_free(path.node);
	mem_free(was.node);
	profile_free(p);
}

/* A translated stack has for each frame the frames that replace it, and equal stacks are one node. */
static void test_translation(void)
{
	static const struct stack_frames range[] = {{0, 0}, {0, 2}, {2, 1}, {3, 1}, {4, 3}};
	static const uint32_t of[] = {7, 8, 9, 9, 9, 8, 7};
	bool right = true, once = true;
	static struct random_stacks r;
	state = 6;
	random_stacks(&r, 4);
	struct profile *p = in_order(&r);
	struct stack_tree t = {0};
	uint32_t *node = stack_tree_translate(&t, &p->tree, range, of);
	for (uint32_t i = 1; i < p->tree.n; i++) {
		uint32_t at = node[i];
		for (uint32_t k = i; k; k = profile_caller(p, k))
			for (uint32_t j = 0; j < range[profile_frame(p, k)].n; j++, at = t.node[at].caller)
				right &= t.node[at].frame == of[range[profile_frame(p, k)].first + j];
		right &= at == 0;
	}
	for (uint32_t i = 1; i < t.n; i++) {
		uint32_t n = 0;
		for (uint32_t k = 1; k < t.n; k++)
			n += t.node[k].caller == t.node[i].caller && t.node[k].frame == t.node[i].frame;
		once &= n == 1;
	}
	OK(right);
	OK(once);
	mem_free(node);
	stack_tree_free(&t);
	profile_free(p);
}

/* Return whether the laws of graphs hold; in a tree, edges and own weight make up the cumulative weight of a node. */
static bool graph_laws(struct profile *p, const struct graph_options *o)
{
	struct graph *g = graph_new(p, o);
	bool good = true;
	int64_t flat = 0;
	for (size_t i = 0; i < g->nall; i++) {
		const struct graph_node *n = g->all[i];
		int64_t in = 0, out = 0;
		for (const struct graph_edge *e = graph_first_edge(g, n, true); e; e = graph_next_edge(g, e, true))
			in += e->weight;
		for (const struct graph_edge *e = graph_first_edge(g, n, false); e; e = graph_next_edge(g, e, false))
			out += e->weight;
		flat += n->flat;
		good &= n->cum >= n->flat;
		good &= !o->tree || (out + n->flat == n->cum && (!n->in || in == n->cum));
	}
	good &= flat == total(p);
	graph_free(g);
	return good;
}

static bool is_kept(const struct graph_node *n, int64_t least)
{
	return (n->cum || n->flat) && llabs(n->cum) >= least;
}

/* Return whether a trimmed tree has the nodes of the whole that are heavy enough, in their order, and counts the others. */
static bool trimmed_right(struct profile *p, double part)
{
	struct graph_options o = {.type = 1, .trim_path = "", .source_path = "", .nodefraction = part, .tree = true};
	struct graph *g = graph_trimmed(p, &o), *all = graph_new(p, &o);
	int64_t flat = 0;
	size_t k = 0, n = 0;
	for (size_t i = 0; i < all->nall; i++)
		flat += all->all[i]->flat;
	int64_t least = llabs((int64_t)((double)flat * part));
	for (size_t i = 0; i < all->nall; i++) {
		if (!is_kept(all->all[i], least))
			continue;
		while (k < g->nall && !is_kept(g->all[k], least))
			k++;
		if (k == g->nall || g->all[k]->cum != all->all[i]->cum || g->all[k]->flat != all->all[i]->flat ||
		    g->all[k]->info.name != all->all[i]->info.name)
			break;
		k++;
		n++;
	}
	bool good = n == g->n && g->orig == n && n + g->dropped_nodes == all->n && g->nall <= all->nall;
	graph_free(g);
	graph_free(all);
	return good;
}

static void test_tree(void)
{
	bool same = true;
	for (uint32_t i = 0; i < 60; i++) {
		state = 31 + i;
		struct profile *p = random_profile(4 + i % 12, 300, i % 3 == 0);
		same &= trimmed_right(p, 0.002 * (1 + i % 7) * (1 + i % 5));
		profile_free(p);
	}
	OK(same);
}

/* Return a hash of the labels of a node and their weights, in any order. */
static uint64_t labels_sum(const struct graph *g, const struct graph_node *n)
{
	uint64_t sum = 0;
	for (const struct graph_mark *m = n->tag; m; m = m->next) {
		struct graph_tag t = graph_mark_tag(g, m);
		uint64_t w = intern_hash_u64((uint64_t)t.flat, (uint64_t)t.cum);
		sum += intern_hash_u64(
		    intern_hash_bytes(profile_string(g->p, t.name), strlen(profile_string(g->p, t.name)), 0), w);
	}
	return sum;
}

/* Labels that are weighed for some nodes at a time are the same as if they are weighed for all at once. */
static void test_labels(void)
{
	bool same = true, parts = true, some = false;
	for (uint32_t i = 0; i < 60; i++) {
		state = 31 + i;
		struct profile *p = random_profile(4 + i % 12, 300, i % 2);
		struct graph_options o = {
		    .type = 1, .trim_path = "", .source_path = "", .tags = true, .mean = i % 3 == 0};
		struct graph *all = graph_new(p, &o);
		o.label_room = 1 + i % 9;
		struct graph *g = graph_new(p, &o);
		size_t turns = 0;
		for (size_t k = 0; k < g->n; k++) {
			if (k == g->labelled) {
				graph_label(g, k);
				turns++;
			}
			same &= labels_sum(g, g->node[k]) == labels_sum(all, all->node[k]);
			some |= g->node[k]->tag != NULL;
		}
		graph_label(g, g->n);
		same &= g->n == all->n && !g->labels;
		parts &= turns > 1;
		graph_free(g);
		graph_free(all);
		profile_free(p);
	}
	OK(same);
	OK(parts && some);
}

static void test_graph(void)
{
	bool plain = true, tree = true, trimmed = true;
	for (state = 5; state < 25; state++) {
		uint64_t seed = state;
		struct profile *p = random_profile(15, 400, false);
		struct graph_options o = {
		    .type = 1, .trim_path = "", .source_path = "", .nodecount = 6, .nodefraction = 0.3};
		plain &= graph_laws(p, &o);
		o.tree = true;
		tree &= graph_laws(p, &o);
		o.tree = false;
		struct graph *g = graph_trimmed(p, &o), *all = graph_new(p, &o);
		trimmed &= g->n <= 6 && g->n + g->dropped_nodes <= all->n && g->orig + g->dropped_nodes == all->n;
		for (size_t i = 1; i < g->n; i++)
			trimmed &= g->node[i - 1]->flat >= g->node[i]->flat;
		graph_free(g);
		graph_free(all);
		profile_free(p);
		state = seed;
	}
	OK(plain);	/* own weights make up the total, and none is above its cumulative weight */
	OK(tree);	/* in a tree a node is the sum of its children and itself */
	OK(trimmed);	/* trimming counts what it drops and sorts what it keeps */
}

/* ---- small graphs whose contents are known */

static fun_id fun_of(struct profile *p, const char *name)
{
	str_id s = str(p, name);
	for (fun_id f = 1; f < p->nfun; f++)
		if (p->fun[f].name == s)
			return f;
	return profile_add_function(p, &(struct profile_function){.id = p->nfun, .name = s, .file = str(p, "a.go")});
}

/* Add a sample with a stack as "a;b;+c", from the root; c is inlined into b. */
static void stack(struct profile *p, const char *path, int64_t v)
{
	char word[8][16];
	uint32_t n = 0;
	loc_id at[8];
	for (const char *s = path; *s; s += strcspn(s, ";"), s += *s == ';')
		snprintf(word[n++], sizeof *word, "%.*s", (int)strcspn(s, ";"), s);
	uint32_t locs = 0;
	for (uint32_t hi = n; hi;) {	/* the leaf first; in a location the innermost call first */
		uint32_t lo = hi - 1, line = (uint32_t)p->nline, lines = 0;
		while (word[lo][0] == '+')
			lo--;
		for (uint32_t k = hi; k-- > lo; lines++)
			profile_add_line(p, &(struct profile_line){fun_of(p, word[k] + (word[k][0] == '+')), 1, 0});
		at[locs++] =
		    profile_add_location(p, &(struct profile_location){.id = p->nloc, .line = line, .nline = lines});
		hi = lo;
	}
	profile_add_sample(p, profile_add_stack(p, at, locs), 0, &v);
}

static struct profile *small(void)
{
	struct profile *p = profile_new();
	struct sink s = profile_sink(p);
	s.profile->type(s.self, str(p, "cpu"), str(p, "count"));
	return p;
}

static const struct graph_node *node(const struct graph *g, const char *name)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(profile_string(g->p, g->node[i]->info.name), name))
			return g->node[i];
	return NULL;
}

static const struct graph_edge *edge(const struct graph *g, const char *from, const char *to)
{
	const struct graph_node *a = node(g, from), *b = node(g, to);
	for (const struct graph_edge *e = b ? graph_first_edge(g, b, true) : NULL; e; e = graph_next_edge(g, e, true))
		if (!e->dead && graph_edge_src(g, e) == a)
			return e;
	return NULL;
}

/* Nodes and edges whose weight equals the cutoff stay. */
static void test_cutoffs(void)
{
	struct graph_options o = {.trim_path = "", .source_path = "", .nodefraction = 0.005, .edgefraction = 0.005};
	struct profile *p = small();
	stack(p, "a;b", 990);
	stack(p, "a;c", 5);
	stack(p, "a;d", 4);
	stack(p, "a", 1);
	struct graph *g = graph_trimmed(p, &o);
	OK(g->n == 3 && node(g, "c") && !node(g, "d") && g->dropped_nodes == 1);
	OK(edge(g, "a", "b") && edge(g, "a", "c") && edge(g, "a", "c")->weight == 5);
	graph_free(g);
	o.nodefraction = 0;
	g = graph_trimmed(p, &o);
	OK(g->n == 4 && edge(g, "a", "c") && !edge(g, "a", "d") && g->dropped_edges == 1);
	graph_free(g);
	profile_free(p);
}

/* In a drawing an edge over removed nodes is left out if another path leads to its end, but not if that path has an edge
   that was removed. */
static void test_redundant(void)
{
	struct graph_options o = {
	    .trim_path = "", .source_path = "", .nodefraction = 0.02, .edgefraction = 0.01, .visual = true};
	for (int64_t light = 1; light <= 100; light += 99) {
		struct profile *p = small();
		stack(p, "a;b", 500);
		stack(p, "a;b;c", light);
		for (char x[] = "a;x0;c"; x[3] < '9'; x[3]++)
			stack(p, x, 10);
		struct graph *g = graph_trimmed(p, &o);
		OK(g->n == 3 && !node(g, "x0"));
		OK((edge(g, "b", "c") != NULL) == (light == 100) && (edge(g, "a", "c") != NULL) == (light == 1));
		graph_free(g);
		profile_free(p);
	}
}

/* A node that is removed from a tree gives its parent the edge to its child, inlined only if both edges were. */
static void test_spliced(void)
{
	struct graph_options o = {.trim_path = "", .source_path = "", .tree = true, .nodecount = 2};
	struct profile *p = small();
	stack(p, "main;+zin;leaf", 9);
	struct graph *g = graph_trimmed(p, &o);
	OK(g->n == 2 && !node(g, "zin") && edge(g, "main", "leaf"));
	OK(edge(g, "main", "leaf") && edge(g, "main", "leaf")->residual && !edge(g, "main", "leaf")->inlined);
	graph_free(g);
	profile_free(p);
	p = small();
	stack(p, "main;+zin;+leaf", 9);
	g = graph_trimmed(p, &o);
	OK(g->n == 2 && edge(g, "main", "leaf") && edge(g, "main", "leaf")->inlined);
	graph_free(g);
	profile_free(p);
}

static void same(void (*fn)(struct buf *, const char *, size_t), const char *in, const char *want)
{
	struct buf b = {0};
	fn(&b, in, strlen(in));
	OK(!strcmp(buf_str(&b), want));
	buf_free(&b);
}

static void label(int64_t v, const char *from, const char *to, const char *want)
{
	struct buf b = {0};
	pprof_units_label(&b, v, from, to);
	OK(!strcmp(buf_str(&b), want));
	buf_free(&b);
}

static void duration(int64_t ns, size_t runes, const char *want)
{
	struct buf b = {0};
	pprof_units_duration(&b, ns, runes);
	OK(!strcmp(buf_str(&b), want));
	buf_free(&b);
}

static void silent(void *arg, const char *fmt, ...)
{
	(void)arg;
	(void)fmt;
}

static void name(const char *mode, const char *in, const char *want)
{
	struct profile *p = profile_new();
	str_id sys = str(p, in);
	fun_id f = profile_add_function(p, &(struct profile_function){.id = 1, .name = sys, .sysname = sys});
	symbolize(p, mode, silent, NULL);
	OK(!symbolize_check(mode, NULL) && !strcmp(profile_string(p, p->fun[f].name), want));
	profile_free(p);
}

static void test_names(void)
{
#ifdef HAVE_CXA_DEMANGLE
	name("demangle=full", "_ZSt4swapIiEvRT_S1_", "void std::swap<int>(int&, int&)");
	name("demangle=templates", "_ZSt4swapIiEvRT_S1_", "std::swap<int>");
	name("local", "_ZSt4swapIiEvRT_S1_", "std::swap");
	name("", "_ZN1AltERKS_", "A::operator<");
	name("none", "_ZSt4swapIiEvRT_S1_", "_ZSt4swapIiEvRT_S1_");
#endif
#ifdef HAVE_LIBIBERTY
	/* Rust: legacy names with a hash, v0 names; names that are neither are unchanged */
	name("local", "_ZN4core3ptr24drop_in_place$LT$i32$GT$17h0123456789abcdefE", "core::ptr::drop_in_place<i32>");
	name("local", "_ZN9hashbrown3raw21RawTable$LT$T$C$A$GT$14reserve_rehash17h84a1b55643839bdaE.llvm.132",
	    "hashbrown::raw::RawTable<T,A>::reserve_rehash");
	name("local", "_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3new", "<std::path::PathBuf>::new");
	name("local", "_RNCINvNtCsjrHSEGnQ3l9_3std2rt4workhE0B3_", "std::rt::work::<>::{closure#0}");
	name("demangle=full", "_RINvCs6GmmlP4bgsG_1r5totalNtB2_2SqRShKj1f_EB2_", "r::total::<r::Sq, &[u8], 31>");
	name("demangle=full", "_RNvYNvC1a1fINtNtC4core3ops2FnTRFG_RL0_mEuEE4call",
	    "<a::f as core::ops::Fn<(&for<'a> fn(&'a u32),)>>::call");
	name("demangle=full", "_RNvC1au8gdel_5qa", "a::g\303\266del");
	name("demangle=full", "_RNvB_1x", "_RNvB_1x");
	name("demangle=full", "_RIC1aTB_ETB_E", "_RIC1aTB_ETB_E");
	name("local", "_ZN2h24push10__CALLSITE4META17h7476ecfcd9458d0eE", "h2::push::_CALLSITE::META");
	name("local", "_RINvC1a1bNtC1c1dKj1f_E", "a::b::<>");
	name("local", "_RNvXs_C1aINtC1b1VhEINtC1c1TmE1f", "<b::V<> as c::T<>>::f");
	/* each type contains the one before twice: the name of Rust would have 2^30 characters */
	static const char rust[] = "_RMC0TTmmETB3_B3_ETB7_B7_ETBf_Bf_ETBn_Bn_ETBv_Bv_ETBD_BD_ETBL_BL_ETBT_BT_ETB11_B11_"
	    "ETB19_B19_ETB1j_B1j_ETB1t_B1t_ETB1D_B1D_ETB1N_B1N_ETB1X_B1X_ETB27_B27_ETB2h_B2h_ETB2r_B2r_ETB2B_B2B_E"
	    "TB2L_B2L_ETB2V_B2V_ETB35_B35_EE", cxx[] = "_Z1f1AIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_E"
	    "S_IS5_S5_ES_IS6_S6_ES_IS7_S7_ES_IS8_S8_ES_IS9_S9_ES_ISA_SA_ES_ISB_SB_E";
	name("demangle=full", rust, rust);
	name("demangle=full", cxx, cxx);
#endif
	name("demangle=none", "_ZSt4swapIiEvRT_S1_", "_ZSt4swapIiEvRT_S1_");
	OK(symbolize_check("remote", NULL) && symbolize_check("local:bogus", NULL) && !symbolize_check("Local:FORCE", NULL));
	name("local", "ns::f<a, b<c> >(int (*)(char))g()h)i()", "ns::fgh)i()");	/* up to the first mismatch */
	name("local", "example.com/a.(*T[...]).M", "example.com/a.(*T[...]).M");
	name("local", "java.util.HashMap.put(Object)", "java.util.HashMap.put(Object)");
}

/* Return n labels for one sample: numbers with keys in descending order, every eighth key twice and in two units. */
static struct profile_label *many_labels(struct profile *p, uint32_t n)
{
	struct profile_label *l = xcalloc(n, sizeof *l);
	for (uint32_t i = 0; i < n; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%08u", n - (i % 8 == 1 ? i - 1 : i));
		l[i] = (struct profile_label){str(p, key), 0, i + 1, str(p, i % 2 ? "bytes" : "kb")};
	}
	return l;
}

static void count_notice(void *arg, const char *fmt, ...)
{
	(void)fmt;
	++*(uint32_t *)arg;
}

/* Process the n labels of a sample as reports and the viewer do. Return the processor time in seconds. */
static double label_cost(uint32_t n)
{
	struct profile *p = profile_new();
	struct sink s = profile_sink(p);
	struct profile_label *l = many_labels(p, n);
	struct pprof_label_units u = {0};
	uint32_t notices = 0;
	s.profile->type(s.self, str(p, "samples"), str(p, "count"));
	profile_add_sample(p, 0, 0, (int64_t[]){1});
	clock_t began = clock();
	p->sample[0].labels = profile_add_labels(p, l, n);
	pprof_find_label_units(p, &u, count_notice, &notices);
	struct store_builder *b = builder_new();
	struct sink into = builder_sink(b);
	pprof_to_sink(p, &into);
	const struct snap *sn = builder_finish(b);
	struct err e;
	struct compiled_filters *fc = filter_compile(&(struct filters){0}, &e);
	struct tags *t = tag_weights_new(sn, fc, 0, false, NULL);
	double cost = (double)(clock() - began) / CLOCKS_PER_SEC;
	const struct profile_label *set = p->label + p->set[p->sample[0].labels].off;
	bool sorted = true;
	for (uint32_t i = 1; i < n; i++) {
		int order = strcmp(profile_string(p, set[i - 1].key), profile_string(p, set[i].key));
		sorted &= order < 0 || (order == 0 && set[i - 1].num < set[i].num);
	}
	OK(sorted && u.n == n - n / 8 && notices == n / 8 && t->nkey == n - n / 8 && t->nvalue == n);
	OK(!strcmp(profile_string(p, pprof_label_unit(&u, set[0].key)), "bytes"));
	tag_weights_free(t);
	filter_free(fc);
	builder_free(b);
	pprof_label_units_free(&u);
	mem_free(l);
	profile_free(p);
	return cost;
}

/* Sixteen times the labels take about twenty times as long; comparing each with all others would take 256 times. */
static void labels_are_linear(void)
{
	enum { FEW = 5000, TIMES = 16 };
	double few = label_cost(FEW), many = label_cost(TIMES * FEW);
	OK(many < few * TIMES * 5);
}

/* Read a text profile whose second line is n bytes of repeated pieces. Return the least processor time of three, in s. */
static double line_cost(const char *heading, const char *piece, size_t n)
{
	struct buf b = {0};
	double best = 0;
	buf_puts(&b, heading);
	while (b.n < n)
		buf_puts(&b, piece);
	buf_puts(&b, "\n");
	for (int i = 0; i < 3; i++) {
		struct profile *p = profile_new();
		struct sink s = profile_sink(p);
		struct err e;
		clock_t began = clock();
		legacy_read((struct bytes){.p = (uint8_t *)b.p, .n = b.n}, &s, &e);
		double cost = (double)(clock() - began) / CLOCKS_PER_SEC;
		best = i && best < cost ? best : cost;
		profile_free(p);
	}
	buf_free(&b);
	return best;
}

/* A line of eight times the length takes eight times the time; if each byte were a new start, it would take 64 times. */
static void lines_are_linear(void)
{
	enum { FEW = 32000, TIMES = 8 };
	static const char *const text[][2] = {
		{"heap profile: 1: 1 [1: 1] @ heapprofile\n", "1234567890"},
		{"--- contention:\ncycles/second=1\n", "1234567890"},
		{"", "--- Thread 1 (name: "},
	};
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		double few = line_cost(text[i][0], text[i][1], FEW), many = line_cost(text[i][0], text[i][1], TIMES * FEW);
		OK(many < (few + 1e-4) * TIMES * 4);
	}
}

int main(void)
{
	lines_are_linear();
	test_names();
	test_merge();
	test_filters();
	test_stacks();
	test_paths();
	test_translation();
	test_graph();
	test_labels();
	test_tree();
	test_cutoffs();
	test_redundant();
	test_spliced();
	same(path_clean, "a//b/./c/..", "a/b");
	same(path_clean, "/../x/", "/x");
	same(path_clean, "../../a/../b", "../../b");
	same(short_name_of_function, "github.com/user/repo/v2/pkg.(*T).Method", "pkg.(*T).Method");
	same(short_name_of_function, "java.util.concurrent.Foo$Bar.run(int)", "Foo$Bar.run");
	labels_are_linear();
	same(short_name_of_function, "(anonymous namespace)::ns::Class::method<int>", "Class::method<int>");
	same(short_name_of_function, "main.main", "main.main");
	label(1536, "bytes", "auto", "1.50kB");
	label(-90, "seconds", "minutes", "-90s");
	label(3600, "s", "hrs", "1hrs");
	label(1, "nanoseconds", "s", "0");
	label(7, "widgets", "count", "7");
	label(INT64_MIN, "count", "count", "-9223372036854775808");
	duration(0, 20, "0s");
	duration(999, 20, "999ns");
	duration(1000, 20, "1\302\265s");
	duration(-1500000, 20, "-1.5ms");
	duration(59999999999, 20, "59.999999999s");
	duration(60000000000, 20, "1m0s");
	duration(3600000000000, 20, "1h0m0s");
	duration(3605500000000, 20, "1h0m5.5s");
	duration(INT64_MIN, 40, "-2562047h47m16.854775808s");
	duration(1234, 4, "1.23");
	return DONE();
}
