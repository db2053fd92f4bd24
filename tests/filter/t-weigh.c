/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Weights under queries, for random profiles and random filters: the laws of sums hold, and the weights of the call tree,
   stack by stack, are those of the reports' model (pprof/profile.h). A view of a filtered profile is that of a profile
   that has only the stacks which the model has left. */
#include "config.h"
#include "calltree/callers.h"
#include "filter/weigh.h"
#include "pprof/profile.h"
#include "calltree/flame.h"
#include "calltree/tree.h"
#include "base/text/buf.h"
#include "store/builder.h"
#include "store/check.h"
#include "weighed.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

/* ---- one random profile, added to both models */

enum { FUNS = 7, LOCS = 12, SMPS = 30, DEPTH = 7 };
static const char *const name[] = {
    "main", "a.b", "a.c", "b", "run(int)", "c::operator()(x)", ".dot"};
static const char *const file[] = {"m.go", "a.go", "b.go", ""};

struct way { uint32_t loc[DEPTH], n; };

/* Compare by the outermost frames first: stacks in this order make a tree in preorder. */
static int cmp_way(const void *a, const void *b)
{
	const struct way *x = a, *y = b;
	for (uint32_t i = 1; i <= x->n && i <= y->n; i++)
		if (x->loc[x->n - i] != y->loc[y->n - i])
			return x->loc[x->n - i] < y->loc[y->n - i] ? -1 : 1;
	return (x->n > y->n) - (x->n < y->n);
}

static void add_profile(const struct sink *s)
{
	fun_id fun[FUNS];
	loc_id loc[LOCS];
	map_id map[2] = {0};
	map[1] = s->ops->map(s->self, &(struct sink_map){.id = 1, .file = add_str(s, "lib.so")});
	for (uint32_t i = 0; i < FUNS; i++)
		fun[i] = s->ops->fun(s->self,
		    &(struct sink_fun){
			.id = i + 1, .name = add_str(s, name[i]), .file = add_str(s, file[rnd(4)])});
	for (uint32_t i = 0; i < LOCS; i++) {
		struct sink_line line[3];
		size_t n = rnd(8) ? 1 + rnd(3) : 0;
		for (size_t k = 0; k < n; k++)
			line[k] = (struct sink_line){fun[rnd(FUNS)], (int64_t)rnd(9), 0};
		loc[i] = s->ops->loc(s->self, &(struct sink_loc){.id = i + 1,
						  .addr = 16 * i,
						  .map = map[!rnd(4)],
						  .line = line,
						  .nline = n});
	}
	s->profile->type(s->self, add_str(s, "n"), add_str(s, "count"));
	s->profile->type(s->self, add_str(s, "cpu"), add_str(s, "nanoseconds"));
	struct way way[SMPS];
	for (uint32_t i = 0; i < SMPS; i++) {
		way[i].n = rnd(DEPTH + 1);
		for (size_t k = 0; k < way[i].n; k++)
			way[i].loc[k] = rnd(LOCS);
	}
	if (rnd(2))
		qsort(way, SMPS, sizeof *way, cmp_way);
	for (uint32_t i = 0; i < SMPS; i++) {
		loc_id stack[DEPTH];
		size_t n = way[i].n;
		for (size_t k = 0; k < n; k++)
			stack[k] = loc[way[i].loc[k]];
		struct sink_label l[3] = {{.key = add_str(s, "k"), .str = add_str(s, rnd(2) ? "x" : "y")},
			{.key = add_str(s, "bytes"), .num = 512 << rnd(3), .unit = add_str(s, "bytes")},
			{.key = add_str(s, "k"), .str = add_str(s, "z")}};
		int64_t v[2] = {1, (int64_t)rnd(100) - (rnd(5) ? 0 : 60)};
		struct sink_sample smp = {.stack = s->ops->stack(s->self, stack, n),
		    .value = v,
		    .label = l,
		    .nlabel = rnd(4),
		    .when = TIME_NONE};
		s->profile->sample(s->self, &smp);
	}
}

/* ---- stacks as text, root first, with their sums */

static void of_model(struct profile *p, struct sums *out)
{
	struct buf b = {0};
	struct stack_path path = {0};
	for (size_t i = 0; i < p->nsample; i++) {
		buf_reset(&b);
		stack_path_move(&path, &p->tree, p->stack[p->sample[i].stack]);
		for (size_t k = 0; k < path.n; k++) {
			const struct profile_location *l = &p->loc[profile_frame(p, path.node[k])];
			for (uint32_t j = l->nline; j--;) {
				const struct profile_line *ln = &p->line[l->line + j];
				const char *nm = profile_string(p, p->fun[ln->fun].name),
					   *f = profile_string(p, p->fun[ln->fun].file);
				buf_printf(&b, ";%s:%lld", *nm ? nm : f, (long long)ln->line);
			}
			if (!l->nline)
				buf_puts(&b, ";?");
		}
		sums_add(out, buf_str(&b), profile_value(p, i)[1]);
	}
	buf_free(&b);
	mem_free(path.node);
}

static void put_line(const struct weighted_tree *c, uint32_t symbol, struct buf *b)
{
	const struct symbol *t = &c->symbol[symbol];
	str_id text = t->tag ? t->tag : t->name ? t->name : t->file;
	if (text)
		buf_printf(b, ";%s:%lld", store_str(c->st, text)->s, (long long)t->line);
	else
		buf_puts(b, ";?");
}

/* ---- laws */

/* The finest tree as columns: own weights and frames (0: a tag) of its visible nodes. */
struct fine { uint32_t n, *parent; frm_id *frame; int64_t *flat; };

static struct fine fine_of(const struct weighted_tree *c)
{
	struct nodes t = nodes_of(c);
	struct fine f = {t.n, xcalloc(t.n, 4), xcalloc(t.n, 4), xcalloc(t.n, 8)};
	int64_t all = 0;
	for (uint32_t i = 0; i < t.n; i++) {
		f.parent[i] = i ? nodes_nearest_seen(&t, nodes_parent(&t, i)) : 0;
		f.frame[i] = nodes_is_hidden(&t, i) ? 0 : c->symbol[nodes_symbol(&t, i)].frm;
		f.flat[nodes_nearest_seen(&t, i)] += nodes_own(&t, i).w;
		all += nodes_own(&t, i).w;
	}
	OK(all == c->total);
	return f;
}

static void fine_free(struct fine *f)
{
	mem_free(f->parent);
	mem_free(f->frame);
	mem_free(f->flat);
}

/* The weights of a symbol are those that a walk from every node to the root finds. */
static void laws_of_symbols(const struct fine *w, const struct granularity *t, const struct weighted_tree *c)
{
	for (uint32_t k = 1; k < c->nsymbol; k++) {
		int64_t own = 0, all = 0;
		if (c->symbol[k].tag)
			continue;
		for (uint32_t i = 1; i < w->n; i++) {
			if (t->of[w->frame[i]] == k)
				own += w->flat[i];
			for (uint32_t at = i; at; at = w->parent[at])
				if (t->of[w->frame[at]] == k) {
					all += w->flat[i];
					break;
				}
		}
		OK(c->weight[k].flat == own && c->weight[k].cum == all);
	}
}

/* The nodes with weight of a flame graph, as columns. */
struct tree { uint32_t n, *parent, *next, *symbol; int64_t *flat, *cum; uint8_t *how; };

static struct tree tree_of(const struct weighted_tree *c, const struct flame_conf *conf)
{
	struct flame *f = flame_new(c, conf);
	struct nodes all = f->t;
	size_t n = all.n;
	struct tree t = {0, xcalloc(n, 4), xcalloc(n, 4), xcalloc(n, 4), xcalloc(n, 8), xcalloc(n, 8), xcalloc(n, 1)};
	uint32_t *at = xcalloc(n + 1, sizeof *at);	/* number of nodes with weight before a node */
	for (uint32_t i = 0, skip = 0; i <= n; i++) {
		at[i] = t.n;
		if (i == n || i < skip)
			continue;
		struct weighted_sum sum = nodes_sum(&all, i), own = nodes_own(&all, i);
		OK(conf->fold_recursion || nodes_has_weight(&all, i) == (!i || sum.hits));
		OK(nodes_next(&all, i) > i && nodes_next(&all, i) <= n);
		if (i && (!sum.hits || ((conf->fold_recursion || conf->reverse) && !sum.w))) {
			/* its weight was moved up by folding, or merged siblings add up to 0 */
			skip = nodes_next(&all, i);
			continue;
		}
		t.parent[t.n] = at[nodes_parent(&all, i)];
		t.next[t.n] = nodes_next(&all, i);
		t.symbol[t.n] = nodes_symbol(&all, i);
		t.flat[t.n] = own.w;
		t.how[t.n] = nodes_how(&all, i);
		t.cum[t.n++] = sum.w;
		OK(nodes_seek(all.what, i, all.n, nodes_symbol(&all, i)) == i);
		uint32_t next = nodes_seek(all.what, i + 1, all.n, nodes_symbol(&all, i));
		for (uint32_t k = i + 1; k < next; k++)
			OK(nodes_symbol(&all, k) != nodes_symbol(&all, i));
	}
	for (uint32_t i = 0; i < t.n; i++)
		t.next[i] = at[t.next[i]];
	mem_free(at);
	flame_free(f);
	return t;
}

static void tag_tree_free(struct tree *t)
{
	mem_free(t->parent);
	mem_free(t->next);
	mem_free(t->symbol);
	mem_free(t->flat);
	mem_free(t->cum);
	mem_free(t->how);
}

static void well_formed(const struct weighted_tree *c)
{
	struct tree t = tree_of(c, &(struct flame_conf){0});
	int64_t flat = 0;
	for (uint32_t i = 0; i < t.n; i++) {
		int64_t below = t.flat[i];
		for (uint32_t k = i + 1; k < t.next[i]; k = t.next[k]) {
			OK(t.parent[k] == i && t.next[k] <= t.next[i]);
			for (uint32_t o = i + 1; o < k; o = t.next[o])
				OK(t.symbol[o] != t.symbol[k]);
			below += t.cum[k];
		}
		OK(below == t.cum[i]);
		flat += t.flat[i];
	}
	OK(flat == c->total && t.next[0] == t.n);
	tag_tree_free(&t);
}

/* Return a hash of a symbol's name, because names are the same in all stores and numbers are not. The key of a tag is left
   out: in the model it is the file of a function. */
static uint64_t name_id(const struct weighted_tree *c, uint32_t symbol)
{
	static const char *const keys[] = {" k", " bytes"};
	struct buf b = {0};
	uint64_t id = 1;
	weighted_name(c, symbol, &b);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (b.n > strlen(keys[i]) && !memcmp(b.p + b.n - strlen(keys[i]), keys[i], strlen(keys[i])))
			b.n -= strlen(keys[i]);
	for (size_t i = 0; i < b.n; i++)
		id = granularity_mix_ids(id, (uint8_t)b.p[i]);
	buf_free(&b);
	return id;
}

static uint32_t find_name(const struct weighted_tree *c, uint64_t id)
{
	for (uint32_t i = 1; i < c->nsymbol; i++)
		if (c->weight[i].nnode && name_id(c, i) == id)
			return i;
	return 0;
}

static uint64_t *path_ids(const struct weighted_tree *c, const struct tree *t)
{
	uint64_t *way = xcalloc(t->n, sizeof *way);
	for (uint32_t i = 1; i < t->n; i++)
		way[i] = granularity_mix_ids(way[t->parent[i]], name_id(c, t->symbol[i]));
	return way;
}

/* Return whether each node of one tree is in the other, by the path to it. The order of siblings may differ. */
static bool same_trees(const struct weighted_tree *a, const struct weighted_tree *b, const struct flame_conf *conf)
{
	struct flame_conf other = *conf;
	other.pivot = conf->pivot ? find_name(b, name_id(a, conf->pivot)) : 0;
	struct tree ta = tree_of(a, conf), tb = tree_of(b, &other);
	bool same = ta.n == tb.n;
	uint64_t *wa = path_ids(a, &ta), *wb = path_ids(b, &tb);
	for (uint32_t i = 0; same && i < ta.n; i++) {
		uint32_t k = 0;
		while (k < tb.n && wa[i] != wb[k])
			k++;
		same = k < tb.n && ta.flat[i] == tb.flat[k] && ta.cum[i] == tb.cum[k] &&
		       !((ta.how[i] ^ tb.how[k]) & CT_AGAIN);
	}
	mem_free(wa);
	mem_free(wb);
	tag_tree_free(&ta);
	tag_tree_free(&tb);
	return same;
}

static bool same_text(const struct store *a, str_id x, const struct store *b, str_id y)
{
	struct str_row p = *store_str(a, x), q = *store_str(b, y);
	return p.n == q.n && (!p.n || !memcmp(p.s, q.s, p.n));
}

/* Return whether the weight of matching symbols in flame graphs, and the sums by function, are the same. */
static bool same_sums(const struct weighted_tree *a, const struct weighted_tree *b)
{
	uint8_t *hit[2] = {xcalloc(a->nsymbol, 1), xcalloc(b->nsymbol, 1)};
	struct nodes ta = nodes_of(a), tb = nodes_of(b);
	uint32_t n = flame_blocks(&ta) > flame_blocks(&tb) ? flame_blocks(&ta) : flame_blocks(&tb), other;
	uint32_t *before = xmalloc(n * sizeof *before);
	int64_t w[2];
	for (uint32_t i = 1; i < a->nsymbol; i++)
		if (!rnd(4) && a->weight[i].nnode && (other = find_name(b, name_id(a, i))))
			hit[0][i] = hit[1][other] = 1;
	flame_hits(&ta, hit[0], &w[0], before);
	flame_hits(&tb, hit[1], &w[1], before);
	bool same = w[0] == w[1];
	mem_free(before);
	mem_free(hit[0]);
	mem_free(hit[1]);
	const struct function_sums *f = function_weights_of((struct weighted_tree *)(uintptr_t)a),
				   *g = function_weights_of((struct weighted_tree *)(uintptr_t)b);
	same = same && (f->n == g->n || a->calltree->tags);	/* all tags are one function */
	for (uint32_t i = 0, k = 0; same && i < f->n && !a->calltree->tags; i++) {
		const struct symbol *s = &a->symbol[f->fun[i].first];
		for (k = 0; k < g->n && !(same_text(a->st, s->name, b->st, b->symbol[g->fun[k].first].name) &&
					    same_text(a->st, s->file, b->st, b->symbol[g->fun[k].first].file));)
			k++;
		same = k < g->n && f->fun[i].flat == g->fun[k].flat && f->fun[i].cum == g->fun[k].cum;
	}
	return same;
}

/* Return whether two trees are the same in all forms of a flame graph. */
static bool same_calls(const struct weighted_tree *a, const struct weighted_tree *b)
{
	bool same = a->total == b->total && same_sums(a, b);
	for (uint32_t i = 0; i < 8; i++)	/* reversed, with recursion and with the runtime folded, or not */
		same = same && same_trees(a, b, &(struct flame_conf){.reverse = i & 4, .fold_recursion = i & 2,
		    .fold_runtime = i & 1});
	for (uint32_t i = 0; i < 4 && a->nsymbol > 1; i++) {
		struct flame_conf conf = {.pivot = 1 + rnd(a->nsymbol - 1), .up = i & 1, .fold_recursion = i & 2};
		if (a->weight[conf.pivot].nnode)
			same = same && same_trees(a, b, &conf);
	}
	return same;
}

/* Return whether two lists of calls have the same symbols and weights. */
static bool same_links(const struct weighted_tree *a, const struct link *la, uint32_t na, const struct weighted_tree *b,
    const struct link *lb, uint32_t nb)
{
	bool same = na == nb;
	for (uint32_t i = 0; same && i < na; i++) {
		uint32_t k = 0;
		while (k < nb && name_id(a, la[i].symbol) != name_id(b, lb[k].symbol))
			k++;
		same = k < nb && la[i].value == lb[k].value;
	}
	return same;
}

static bool same_callers(const struct weighted_tree *a, const struct weighted_tree *b)
{
	struct arena mem = {0};
	bool same = true;
	for (uint32_t k = 1; same && k < a->nsymbol; k++) {
		struct link *l[2];
		if (!a->weight[k].nnode)
			continue;
		uint32_t j = find_name(b, name_id(a, k));
		uint32_t n = calltree_callers(a, k, &mem, &l[0]), m = calltree_callers(b, j, &mem, &l[1]);
		same = j && same_links(a, l[0], n, b, l[1], m);
		n = calltree_callees(a, k, &mem, &l[0]);
		m = calltree_callees(b, j, &mem, &l[1]);
		same = same && same_links(a, l[0], n, b, l[1], m);
	}
	arena_free(&mem);
	return same;
}

/* Weights are the same if the nodes are copies of the store's: with the children of a node in reverse order, and with
   additional nodes that have no weight. */
static void own_nodes(const struct snap *sn, const struct compiled_filters *fc, bool noinlines)
{
	struct arena a = {0};
	uint32_t n = sn->nstks, *to = arena_zalloc(&a, n * sizeof *to);
	int64_t *flat = arena_zalloc(&a, n * sizeof *flat), *own = arena_zalloc(&a, 2 * n * sizeof *own);
	struct stk_row *node = arena_zalloc(&a, 2 * n * sizeof *node);
	uint32_t nnode = 1;
	for (uint32_t i = 0; i < sn->nsmps; i++)
		flat[store_smp(sn->st, i)->stack] += store_value(sn->st, 1, i);
	own[0] = flat[0];
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = n; i-- > 1;) {
			if (to[i] || (stk_parent(sn->st, i) && !to[stk_parent(sn->st, i)]))
				continue;
			more = true;
			to[i] = nnode++;
			node[to[i]] = (struct stk_row){to[stk_parent(sn->st, i)], stk_frame(sn->st, i)};
			own[to[i]] = flat[i];
			if (!rnd(4))
				node[nnode++] = node[to[i]];
		}
	}
	enum gran gran = (enum gran)rnd(5);
	struct weighted_tree *x = weigh(sn, gran, &fc->text, noinlines, &(struct weigh_source){.flat = flat}),
			     *y = weigh(sn, gran, &fc->text, noinlines,
				 &(struct weigh_source){.flat = own, .node = node, .nnode = nnode});
	well_formed(y);
	OK(same_calls(x, y) && same_callers(x, y));
	weighted_free(x);
	weighted_free(y);
	arena_free(&a);
}

/* The weights of a query are those of a store that has only the stacks that the filters leave, without a filter. They are
   computed after those of another sample type, and twice: the second time with the trees and sums of the first. */
static uint32_t straight, marked, onto_tags;
static void both_ways(const struct snap *sn, const struct compiled_filters *fc, bool noinlines, const struct snap *left)
{
	bool tags = fc->text.tagroot || fc->text.tagleaf;
	enum gran gran = tags ? rnd(2) ? GR_FILEFUNCTIONS : GR_LINES : (enum gran)rnd(5);
	struct weigh_source source = {.type = 1};
	struct weighted_tree *own = weigh(left, gran, &(struct filters){0}, false, &source);
	struct weighted_tree *finest = weigh(sn, GR_ADDRESSES, &fc->text, noinlines, &source);
	struct fine fine = fine_of(finest);
	struct filter_trees k = {.granularity = granularity_new(sn, gran)};
	if (rnd(2)) {	/* keep the sums of all samples, with which the next weighings start */
		struct compiled_filters *none = filter_compile(&(struct filters){0}, NULL);
		weighted_free(filter_weigh(&k, sn, none, false, &source, NULL));
		filter_free(none);
	}
	struct weighted_tree *kept = NULL;	/* the previous one, released after the next is made */
	for (int i = 0; i < 3; i++) {
		source.type = i > 0;
		struct weighted_tree *c = filter_weigh(&k, sn, fc, noinlines, &source, NULL);
		well_formed(c);
		if (i) {
			laws_of_symbols(&fine, k.granularity, c);
			OK(same_calls(c, own) && same_callers(c, own));
			straight += c->calltree == k.plain;
			marked += c->calltree->mark != NULL;
			onto_tags += c->calltree->tags != NULL;
		}
		weighted_free(kept);
		kept = c;
	}
	own_nodes(sn, fc, noinlines);
	weighted_free(kept);
	weighted_free(own);
	weighted_free(finest);
	fine_free(&fine);
	trees_free(&k);
}

static int64_t total_of(const struct snap *sn, struct filters f)
{
	struct weighted_tree *c = weigh(sn, GR_FUNCTIONS, &f, false, &(struct weigh_source){.type = 1});
	int64_t total = c->total;
	weighted_free(c);
	return total;
}

static const char *pick(const char *const *list, uint32_t n)
{
	return rnd(3) ? NULL : list[rnd(n)];
}

static struct filters random_filters(void)
{
	static const char *const rx[] = {"main", "^a\\.", "b|c", "lib", "m\\.go", "a.go|run",
	    "nothing", "operator", "x", "k", "^run$", "dot", "."};
	static const char *const tag[] = {
	    "x", "k=x", "k:z", "bytes=1kb:", ":512b", "x,z", "k=x,y", "512b:1kb", "bytes=2kb"};
	static const char *const key[] = {"k", "bytes", "k,bytes", "other"};
	return (struct filters){.focus = pick(rx, 13),
	    .ignore = pick(rx, 13),
	    .hide = pick(rx, 13),
	    .show = pick(rx, 13),
	    .show_from = pick(rx, 13),
	    .prune_from = pick(rx, 13),
	    .tagfocus = pick(tag, 9),
	    .tagignore = pick(tag, 9),
	    .tagroot = rnd(3) ? NULL : key[rnd(3)],
	    .tagleaf = rnd(4) ? NULL : key[rnd(3)]};
}

static void ask_model(struct profile *p, const struct filters *f, bool noinlines, struct sums *out)
{
	struct pprof_label_units u = {0};
	pprof_find_label_units(p, &u, NULL, NULL);
	pprof_tag_frames(p, f, "minimum", NULL, NULL);
	OK(!pprof_apply_filters(p, f, &u, NULL, NULL, NULL));
	pprof_label_units_free(&u);
	if (noinlines)
		pprof_aggregate(p, &(struct pprof_granularity){false, true, true, true, true, true});
	of_model(p, out);
}

static void one(uint64_t start)
{
	struct store_builder *b = builder_new();
	struct profile *p = profile_new();
	struct sink s = builder_sink(b), ps = profile_sink(p);
	seed = start;
	add_profile(&s);
	seed = start;
	add_profile(&ps);
	const struct snap *sn = builder_finish(b);
	OK(!store_check(sn, NULL));
	struct filters f = random_filters();
	bool noinlines = !rnd(4);
	struct sums model = {0}, tree = {0};
	struct compiled_filters *fc = filter_compile(&f, NULL);
	struct weighted_tree *c = weigh(sn, GR_LINES, &f, noinlines, &(struct weigh_source){.type = 1});
	sums_of_tree(c, false, put_line, &tree);
	weighted_free(c);
	ask_model(p, &f, noinlines, &model);
	struct store_builder *filtered = builder_new();
	struct sink to = builder_sink(filtered);
	pprof_to_sink(p, &to);
	both_ways(sn, fc, noinlines, builder_finish(filtered));
	builder_free(filtered);
	bool same = sums_same(&tree, &model);
	OK(same);
	if (!same)
		fprintf(stderr,
		    "seed %llu: focus %s ignore %s hide %s show %s from %s prune %s tf %s ti %s "
		    "root %s leaf %s noinl %d\n",
		    (unsigned long long)start, f.focus, f.ignore, f.hide, f.show, f.show_from,
		    f.prune_from, f.tagfocus, f.tagignore, f.tagroot, f.tagleaf, noinlines);
	filter_free(fc);
	/* focus and ignore with one expression divide the samples that have a location */
	const char *rx = f.focus ? f.focus : "a";
	OK(total_of(sn, (struct filters){.focus = rx}) +
		total_of(sn, (struct filters){.ignore = rx}) ==
	    total_of(sn, (struct filters){.ignore = "no such name"}));
	OK(total_of(sn, (struct filters){.tagfocus = "x"}) +
		total_of(sn, (struct filters){.tagignore = "x"}) ==
	    total_of(sn, (struct filters){0}));
	sums_free(&model);
	sums_free(&tree);
	profile_free(p);
	builder_free(b);
}

/* Make a store of samples with stacks root;a, root;b ..., with values v of the second type. The first has a label. */
static struct store_builder *known(const char *key, const int64_t *v, size_t n)
{
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	s.profile->type(s.self, add_str(&s, "n"), add_str(&s, "count"));
	s.profile->type(s.self, add_str(&s, "cpu"), add_str(&s, "nanoseconds"));
	loc_id loc[8];
	for (uint32_t i = 0; i <= n; i++) {
		fun_id f = s.ops->fun(s.self, &(struct sink_fun){.id = i + 1, .name = add_str(&s, name[i])});
		loc[i] = s.ops->loc(s.self, &(struct sink_loc){.id = i + 1, .line = &(struct sink_line){f, 1, 0}, .nline = 1});
	}
	for (uint32_t i = 0; i < n; i++) {
		struct sink_label l = {.key = add_str(&s, key), .str = add_str(&s, "true")};
		loc_id way[2] = {loc[i + 1], loc[0]};
		s.profile->sample(s.self, &(struct sink_sample){.stack = s.ops->stack(s.self, way, 2),
		    .value = (int64_t[]){1, v[i]}, .label = &l, .nlabel = i == 0, .when = TIME_NONE});
	}
	return b;
}

/* Nodes without weight are left out; if samples are marked as the base, shares are of them. */
static void nothing_and_base(void)
{
	static const struct { const char *key; int64_t v[3], all; uint32_t nodes; } cases[] = {
		{"k", {7, 0, 5}, 12, 4}, {"k", {7, -3, 5}, 15, 5}, {"pprof::base", {-7, 4, 5}, 7, 5}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct store_builder *b = known(cases[i].key, cases[i].v, 3);
		const struct snap *sn = builder_finish(b);
		struct weighted_tree *c = weigh(sn, GR_FUNCTIONS, &(struct filters){0}, false,
		    &(struct weigh_source){.type = 1});
		struct tree seen = tree_of(c, &(struct flame_conf){0});
		OK(seen.n == cases[i].nodes && c->all == cases[i].all);
		tag_tree_free(&seen);
		weighted_free(c);
		builder_free(b);
	}
}

/* Add n functions with ids of their own from `from` on, and a sample in each. */
static void add_functions(const struct sink *s, uint32_t from, uint32_t n)
{
	for (uint32_t i = from; i < from + n; i++) {
		char own[16];
		snprintf(own, sizeof own, "f%u", i);
		fun_id f = s->ops->fun(s->self, &(struct sink_fun){.id = i, .name = add_str(s, own)});
		loc_id at = s->ops->loc(s->self,
		    &(struct sink_loc){.id = i, .addr = i, .line = &(struct sink_line){f, i, 0}, .nline = 1});
		s->profile->sample(s->self, &(struct sink_sample){.stack = s->ops->stack(s->self, &at, 1),
		    .value = (int64_t[]){1, 10}, .when = TIME_NONE});
	}
}

/* A snapshot can be weighed when its store has more frames and nodes by now: those of a file that was added. What is read
   beyond the snapshot changes no total: only the address sanitizer sees it. */
static void snapshot_before_a_file(void)
{
	enum { BEFORE = 40, MORE = 5000 };	/* the nodes of the two files share the first segment of their column */
	struct store_builder *b = known("k", NULL, 0);
	struct sink s = builder_sink(b);
	add_functions(&s, 1000, BEFORE);
	const struct snap *before = builder_finish(b);
	builder_reopen(b);
	add_functions(&s, 2000, MORE);
	const struct snap *after = builder_publish_reopened(b);
	OK(total_of(before, (struct filters){0}) == 10 * BEFORE);
	OK(total_of(after, (struct filters){0}) == 10 * (BEFORE + MORE));
	builder_free(b);
}

int main(void)
{
	nothing_and_base();
	snapshot_before_a_file();
	for (uint64_t i = 1; i <= 3000; i++)
		one(i * 7919);
	struct err e = {0};
	OK(!filter_compile(&(struct filters){.hide = "("}, &e) && strstr(e.msg, "hide"));
	OK(!filter_compile(&(struct filters){.tagfocus = "k=["}, &e) && strstr(e.msg, "tagfocus"));
	OK(straight > 1500 && marked > 1000 && onto_tags > 500);	/* each kind of tree was used */
	return DONE();
}
