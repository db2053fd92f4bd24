/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * flame: the stacks as one self-contained SVG: the root at the top, a frame as wide as its weight, siblings sorted by
 * weight. The tree of stacks is translated to one of names and weighed. Frames narrower than a quarter of a pixel,
 * which are most, are left out with all frames in them. The embedded script zooms on a click and marks the matches of a
 * search; it reads the drawing itself and contains no names.
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/text/text.h"
#include "calltree/weighted.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1200, ROW = 17, TOP = 48, PAD = 10 };

struct fnode {
	uint32_t parent, depth;
	str_id name;
	uint32_t first;		/* its first stack: gives the order of frames in the drawing */
	int64_t cum;
	double x;
};

struct flame_svg {
	struct pprof_report *v;
	struct buf *b;
	struct fnode *node; /* those that are drawn, parents first; 0: the root */
	size_t n, cap;
	double scale;
	uint32_t depth;
	/* weights are negative, or too large to add up: then a frame may be wider than its parent */
	bool uneven;
};

static double scale_of(int64_t whole)
{
	return whole > 0 ? (WIDTH - 2.0 * PAD) / (double)whole : 0;
}

static bool is_drawn(size_t i, int64_t cum, double scale)
{
	return !i || (cum > 0 && (double)cum * scale >= 0.25);
}

/* ---- the tree */

/* The stacks as a tree of names; of each node the weight, and its first stack with weight, UINT32_MAX: none. */
struct name_tree { struct stack_tree tree; int64_t *cum; uint32_t *first; };

static void name_tree_init(struct name_tree *t, struct profile *p, const int64_t *weight)
{
	struct graph_frame_names names = graph_frame_names_new(p);
	struct stack_frames *range = xcalloc(p->nloc, sizeof *range);
	str_id *name = NULL;
	size_t n = 0, cap = 0;
	for (loc_id i = 1; i < p->nloc; i++) {
		range[i] = (struct stack_frames){(uint32_t)n, p->loc[i].nline ? p->loc[i].nline : 1};
		name = mem_grow(name, &cap, n + range[i].n, sizeof *name);
		for (uint32_t k = 0; k < range[i].n; k++)
			name[n++] = graph_frame_name(&names, i, k);
	}
	*t = (struct name_tree){0};
	uint32_t *node = stack_tree_translate(&t->tree, &p->tree, range, name);
	t->cum = xcalloc(t->tree.n, sizeof *t->cum);
	t->first = xmalloc(t->tree.n * sizeof *t->first);
	memset(t->first, 0xff, t->tree.n * sizeof *t->first);
	for (size_t s = p->nstack; s--;) {
		if (!weight[s])
			continue;
		profile_sum(&t->cum[node[p->stack[s]]], weight[s]);
		t->first[node[p->stack[s]]] = (uint32_t)s;
	}
	mem_free(range);
	mem_free(name);
	mem_free(node);
	graph_frame_names_free(&names);
	for (uint32_t i = t->tree.n; i-- > 1;) {
		uint32_t up = t->tree.node[i].caller;
		profile_sum(&t->cum[up], t->cum[i]);
		t->first[up] = t->first[i] < t->first[up] ? t->first[i] : t->first[up];
	}
}

/* Sum the weights of the stacks. Return them, and set what depends on all of them. */
static int64_t *weigh_stacks(struct flame_svg *f)
{
	const struct profile *p = f->v->p;
	int64_t *weight = xcalloc(p->nstack, sizeof *weight);
	double sum = 0;
	for (size_t i = 0; i < p->nsample; i++)
		profile_sum(&weight[p->sample[i].stack], profile_value(p, i)[f->v->g.type]);
	for (size_t s = 0; s < p->nstack; s++) {
		sum += (double)weight[s];
		f->uneven |= weight[s] < 0 || sum > (double)(INT64_MAX / 2);
	}
	return weight;
}

static uint32_t add_node(struct flame_svg *f, struct fnode n)
{
	f->node = mem_grow(f->node, &f->cap, f->n + 1, sizeof *f->node);
	f->node[f->n] = n;
	return (uint32_t)f->n++;
}

/* Add the nodes that are drawn; if the tree is uneven, all. */
static void add_nodes(struct flame_svg *f, const struct name_tree *t)
{
	struct drawn { uint32_t depth, node; } *at = xmalloc(t->tree.n * sizeof *at);	/* node: UINT32_MAX: left out */
	at[0] = (struct drawn){0, add_node(f, (struct fnode){.cum = t->cum[0]})};
	f->scale = scale_of(t->cum[0]);
	for (uint32_t i = 1; i < t->tree.n; i++) {
		struct drawn up = at[t->tree.node[i].caller];
		at[i] = (struct drawn){up.depth + 1, UINT32_MAX};
		if (t->first[i] == UINT32_MAX)
			continue;
		f->depth = at[i].depth > f->depth ? at[i].depth : f->depth;
		if (up.node != UINT32_MAX && (f->uneven || is_drawn(1, t->cum[i], f->scale)))
			at[i].node = add_node(f, (struct fnode){up.node, at[i].depth, t->tree.node[i].frame,
			    t->first[i], t->cum[i], 0});
	}
	mem_free(at);
}

static int by_first(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fnode *m = (const struct fnode *)ctx + a, *n = (const struct fnode *)ctx + b;
	if (m->first != n->first)
		return m->first < n->first ? -1 : 1;
	return (m->depth > n->depth) - (m->depth < n->depth);
}

/* Sort the nodes in the order of their first stacks. */
static void renumber_nodes(struct flame_svg *f)
{
	uint32_t *order = xmalloc(f->n * sizeof *order), *pos = xmalloc(f->n * sizeof *pos);
	struct fnode *node = xmalloc(f->n * sizeof *node);
	for (uint32_t i = 0; i < f->n; i++)
		order[i] = i;
	calltree_sort_u32(order + 1, f->n - 1, by_first, f->node);
	for (uint32_t i = 0; i < f->n; i++)
		pos[order[i]] = i;
	for (uint32_t i = 0; i < f->n; i++) {
		node[i] = f->node[order[i]];
		node[i].parent = pos[node[i].parent];
	}
	mem_free(f->node);
	mem_free(order);
	mem_free(pos);
	f->node = node;
}

static void grow_tree(struct flame_svg *f)
{
	struct name_tree t;
	int64_t *weight = weigh_stacks(f);
	name_tree_init(&t, f->v->p, weight);
	mem_free(weight);
	add_nodes(f, &t);
	stack_tree_free(&t.tree);
	mem_free(t.cum);
	mem_free(t.first);
	renumber_nodes(f);
}

static int by_place(const void *ctx, uint32_t a, uint32_t b)
{
	const struct flame_svg *f = ctx;
	const struct fnode *m = &f->node[a], *n = &f->node[b];
	if (m->parent != n->parent)
		return m->parent < n->parent ? -1 : 1;
	if (m->cum != n->cum)
		return m->cum > n->cum ? -1 : 1;
	return strcmp(profile_string(f->v->p, m->name), profile_string(f->v->p, n->name));
}

/* A group of siblings is sorted after the group of their parent, so one pass places all. */
static void place_nodes(struct flame_svg *f)
{
	uint32_t *o = xmalloc(f->n * sizeof *o);
	double pos = 0;
	for (uint32_t i = 1; i < f->n; i++)
		o[i - 1] = i;
	calltree_sort_u32(o, f->n - 1, by_place, f);
	for (size_t i = 0; i + 1 < f->n; i++) {
		struct fnode *n = &f->node[o[i]];
		if (!i || n->parent != f->node[o[i - 1]].parent)
			pos = f->node[n->parent].x;
		n->x = pos;
		if (n->cum > 0)
			pos += (double)n->cum;
	}
	mem_free(o);
}

/* One hue per package (or file): the text before the first dot or colon after the last slash. */
static unsigned package_hue(const char *s, size_t n)
{
	size_t from = n, end;
	while (from && s[from - 1] != '/')
		from--;
	for (end = from; end < n && s[end] != '.' && s[end] != ':';)
		end++;
	return intern_hash_bytes(s, end, 5) % 360;
}

static void put_frame(struct flame_svg *f, const struct fnode *n, double scale)
{
	const struct profile *p = f->v->p;
	const char *s = n->depth ? profile_string(p, n->name) : "all";
	size_t len = n->depth ? p->str[n->name].n : 3, fit = 0, used = 0;
	double x = PAD + n->x * scale, w = (double)n->cum * scale;
	unsigned y = TOP + n->depth * ROW;
	buf_puts(f->b, "<g><title>");
	text_xml(f->b, s, len);
	buf_puts(f->b, " (");
	pprof_report_put_value(f->v, f->b, n->cum);
	buf_puts(f->b, ", ");
	pprof_put_percent(f->b, n->cum, f->v->total);
	buf_printf(f->b, ")</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"hsl(%u,%d%%,%d%%)\"/>",
	    x, y, w, ROW - 1, n->depth ? package_hue(s, len) : 0, n->depth ? 55 : 0, n->depth ? 72 : 85);
	buf_printf(f->b, "<text x=\"%.2f\" y=\"%u\">", x + 3, y + 12);
	while (fit < len && (double)(used + 1) * 6.7 < w - 4) {
		fit++;
		while (fit < len && ((unsigned char)s[fit] & 0xc0) == 0x80)
			fit++;
		used++;
	}
	text_xml(f->b, s, fit);
	buf_puts(f->b, "</text></g>\n");
}

static const char style[] =
    "<style>text{font:11px monospace;pointer-events:none}g:hover>rect{stroke:#000}"
    ".h{font:14px sans-serif}.b{font:12px sans-serif;fill:#06c;pointer-events:all;cursor:pointer}"
    ".hit>rect{fill:#e0c}</style>\n";

static const char script[] =
    "<script><![CDATA[\n"
    "const PAD=10,W=1200-2*PAD,S=document.documentElement,$=i=>document.getElementById(i);\n"
    "const F=[...$('frames').children].map(g=>{const r=g.querySelector('rect'),t=g.querySelector('text');"
    "const s=g.querySelector('title').textContent;return{g,r,t,x:+r.getAttribute('x')-PAD,"
    "w:+r.getAttribute('width'),y:+r.getAttribute('y'),s,n:s.replace(/ \\([^(]*\\)$/,'')}});\n"
    "function zoom(z){const k=W/z.w,e=.02;for(const f of F){\n"
    " const over=f.y<=z.y&&f.x<=z.x+e&&f.x+f.w>=z.x+z.w-e,"
    "in_=f.y>z.y&&f.x>=z.x-e&&f.x+f.w<=z.x+z.w+e;\n"
    " f.g.style.display=over||in_?'':'none';f.g.style.opacity=over&&f!==z?.6:1;if(!over&&!in_)continue;\n"
    " const x=over?0:(f.x-z.x)*k,w=over?W:f.w*k;f.r.setAttribute('x',x+PAD);f.r.setAttribute('width',w);"
    "f.t.setAttribute('x',x+PAD+3);f.t.textContent=f.n.slice(0,Math.max(0,Math.floor((w-4)/6.7)));}\n"
    " $('back').style.display=z===F[0]?'none':''}\n"
    "function find(){const q=prompt('Search (regular expression):');if(q===null)return;let re;"
    "try{re=q?new RegExp(q):null}catch(e){alert(e);return}\n"
    " let sum=0,ends=[];for(const f of F){const hit=re&&re.test(f.n);f.g.classList.toggle('hit',!!hit);"
    "if(hit)ends.push(f)}\n"
    " ends.sort((a,b)=>a.x-b.x||b.w-a.w);let end=-1;for(const f of ends)if(f.x>=end-.02){sum+=f.w;end=f.x+f.w}\n"
    " $('found').textContent=re?'matched '+(100*sum/F[0].w).toFixed(2)+'%':''}\n"
    "S.addEventListener('click',e=>{const g=e.target.closest('#frames>g');if(g)zoom(F.find(f=>f.g===g))});\n"
    "S.addEventListener('keydown',e=>{if(e.key==='Escape')zoom(F[0]);if(e.key==='/'){e.preventDefault();find()}});\n"
    "$('back').addEventListener('click',()=>zoom(F[0]));$('search').addEventListener('click',find);\n"
    "]]></script>\n";

static void put_svg(struct flame_svg *f, struct out *out)
{
	struct buf *b = f->b;
	unsigned height = TOP + (f->depth + 1) * ROW + 10;
	double scale = scale_of(f->node[0].cum);
	buf_printf(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
		      "viewBox=\"0 0 %d %u\" width=\"100%%\" preserveAspectRatio=\"xMidYMin\">\n",
	    WIDTH, height);
	buf_puts(b, style);
	buf_printf(b, "<rect width=\"%d\" height=\"%u\" fill=\"#fff\"/>\n<text class=\"h\" x=\"%d\" y=\"22\">", WIDTH,
	    height, PAD);
	text_xml(b, f->v->sample_type, strlen(f->v->sample_type));
	buf_puts(b, ": ");
	pprof_report_put_value(f->v, b, f->node[0].cum);
	buf_puts(b, " of ");
	pprof_report_put_value(f->v, b, f->v->total);
	buf_printf(b, "</text>\n<text class=\"b\" id=\"back\" x=\"%d\" y=\"40\" style=\"display:none\">whole "
		      "(Esc)</text><text class=\"b\" id=\"search\" x=\"%d\" y=\"22\">search (/)</text>"
		      "<text class=\"h\" id=\"found\" x=\"%d\" y=\"40\"></text>\n<g id=\"frames\">\n",
	    PAD, WIDTH - 90, WIDTH - 140);
	for (size_t i = 0; i < f->n && !out->failed; i++)
		if (is_drawn(i, f->node[i].cum, scale)) {
			put_frame(f, &f->node[i], scale);
			output_flush(out, false);
		}
	buf_puts(b, "</g>\n");
	buf_puts(b, script);
	buf_puts(b, "</svg>\n");
}

int report_flame(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	if (pprof_report_open(&v, o, REPORT_FLAME, e))
		return -1;
	struct flame_svg f = {.v = &v, .b = &out->buf};
	grow_tree(&f);
	place_nodes(&f);
	put_svg(&f, out);
	mem_free(f.node);
	pprof_report_close(&v);
	return 0;
}
