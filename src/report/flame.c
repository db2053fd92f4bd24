/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * flame: the stacks as one SVG that needs nothing else: the root at the top, a
 * frame as wide as its weight, siblings by weight. Stacks are merged into a tree
 * whose parents come before their children, so totals are one pass backwards
 * and places one pass forwards. Frames narrower than a quarter of a pixel are
 * left out, before anything but their weight is known of them: they are most. The script inside zooms at a click and
 * marks what a search finds; it reads places out of the drawing itself and knows no names.
 */
#include "config.h"
#include "report/pprof.h"

#include "analysis/calls.h"
#include "base/text.h"
#include "report/view.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1200, ROW = 17, TOP = 48, PAD = 10 };

struct fnode {
	uint32_t parent, depth;
	str_id name;
	int64_t cum;
	double x;
};

/* All there are, while they are added up; 0: the root. */
struct grown { uint32_t parent; str_id name; int64_t cum; };

struct flame_svg {
	struct view *v;
	struct buf *b;
	struct fnode *node; /* those that are drawn, parents first; 0: the root */
	size_t n;
	struct grown *all;
	size_t nall, cap;
	struct intern index;
	uint32_t depth;
	/* weights are negative, or too large to add up: then a frame may be wider than the one that it is in */
	bool uneven;
};

struct fkey {
	uint32_t parent;
	str_id name;
};

static int same_node(const void *ctx, uint32_t id, const void *key)
{
	const struct flame_svg *f = ctx;
	const struct fkey *k = key;
	return f->all[id].parent == k->parent && f->all[id].name == k->name;
}

static uint32_t child_of(struct flame_svg *f, uint32_t parent, str_id name)
{
	struct fkey k = {parent, name};
	uint32_t h = hash_u64(parent, name), id = intern_find(&f->index, h, same_node, f, &k);
	if (id != UINT32_MAX)
		return id;
	f->all = mem_grow(f->all, &f->cap, f->nall + 1, sizeof *f->all);
	id = (uint32_t)f->nall++;
	f->all[id] = (struct grown){parent, name, 0};
	intern_put(&f->index, h, id);
	return id;
}

static void grow_tree(struct flame_svg *f)
{
	struct prof *p = f->v->p;
	int64_t *weight = xcalloc(p->nstack, sizeof *weight);
	struct frame_names names = frame_names_new(p);
	double sum = 0;
	for (size_t i = 0; i < p->nsample; i++)
		prof_sum(&weight[p->sample[i].stack], prof_value(p, i)[f->v->g.type]);
	for (size_t s = 0; s < p->nstack; s++) {
		struct prof_run r = p->stack[s];
		uint32_t at = 0, depth = 0;
		for (uint32_t i = r.n; i-- && weight[s];) {
			loc_id id = prof_frame(p, r.off + i);
			for (uint32_t k = p->loc[id].nline ? p->loc[id].nline : 1; k--; depth++)
				at = child_of(f, at, frame_name(&names, id, k));
		}
		prof_sum(&f->all[at].cum, weight[s]);
		sum += (double)weight[s];
		f->uneven |= weight[s] < 0 || sum > (double)(INT64_MAX / 2);
		f->depth = depth > f->depth ? depth : f->depth;
	}
	intern_free(&f->index);
	for (size_t i = f->nall; i-- > 1;)
		prof_sum(&f->all[f->all[i].parent].cum, f->all[i].cum);
	mem_free(weight);
	frame_names_free(&names);
}

static double scale_of(int64_t whole)
{
	return whole > 0 ? (WIDTH - 2.0 * PAD) / (double)whole : 0;
}

static bool is_drawn(size_t i, int64_t cum, double scale)
{
	return !i || (cum > 0 && (double)cum * scale >= 0.25);
}

/* Those that are drawn. Of narrower ones none is left of them, nor has any in it, unless they are uneven. */
static void choose(struct flame_svg *f)
{
	double scale = scale_of(f->all[0].cum);
	size_t cap = 0;
	for (size_t i = 0; i < f->nall; i++) {
		struct grown *g = &f->all[i];
		if (!f->uneven && !is_drawn(i, g->cum, scale)) {
			g->name = 0;
			continue;
		}
		uint32_t up = i ? f->all[g->parent].name : 0;	/* where that has gone */
		f->node = mem_grow(f->node, &cap, f->n + 1, sizeof *f->node);
		f->node[f->n] = (struct fnode){
		    .parent = up, .depth = i ? f->node[up].depth + 1 : 0, .name = g->name, .cum = g->cum};
		g->name = (uint32_t)f->n++;
	}
	mem_free(f->all);
	f->all = NULL;
}

static int by_place(const void *ctx, uint32_t a, uint32_t b)
{
	const struct flame_svg *f = ctx;
	const struct fnode *m = &f->node[a], *n = &f->node[b];
	if (m->parent != n->parent)
		return m->parent < n->parent ? -1 : 1;
	if (m->cum != n->cum)
		return m->cum > n->cum ? -1 : 1;
	return strcmp(prof_s(f->v->p, m->name), prof_s(f->v->p, n->name));
}

/* A parent's group of children comes after the group that it is in itself: one pass places all. */
static void place(struct flame_svg *f)
{
	uint32_t *o = xmalloc(f->n * sizeof *o);
	double at = 0;
	for (uint32_t i = 1; i < f->n; i++)
		o[i - 1] = i;
	sort_u32(o, f->n - 1, by_place, f);
	for (size_t i = 0; i + 1 < f->n; i++) {
		struct fnode *n = &f->node[o[i]];
		if (!i || n->parent != f->node[o[i - 1]].parent)
			at = f->node[n->parent].x;
		n->x = at;
		if (n->cum > 0)
			at += (double)n->cum;
	}
	mem_free(o);
}

static void put_xml(struct buf *b, const char *s, size_t n)
{
	struct buf safe = {0};
	text_safe(&safe, s, n);
	for (size_t i = 0, k; i < safe.n; i += k) {
		uint32_t cp;
		k = utf8_decode(safe.p + i, safe.n - i, &cp);
		switch (cp) {
		case '&': buf_puts(b, "&amp;"); break;
		case '<': buf_puts(b, "&lt;"); break;
		case '>': buf_puts(b, "&gt;"); break;
		case '"': buf_puts(b, "&quot;"); break;
		case 0xfffe: case 0xffff: buf_printf(b, "\\u%x", cp); break;	/* which XML has not */
		default: buf_put(b, safe.p + i, k);
		}
	}
	buf_free(&safe);
}

/* One hue a package (or file): what stands before the last dot behind the last slash. */
static unsigned hue(const char *s, size_t n)
{
	size_t from = n, end;
	while (from && s[from - 1] != '/')
		from--;
	for (end = from; end < n && s[end] != '.' && s[end] != ':';)
		end++;
	return hash_bytes(s, end, 5) % 360;
}

static void put_frame(struct flame_svg *f, const struct fnode *n, double scale)
{
	const struct prof *p = f->v->p;
	const char *s = n->depth ? prof_s(p, n->name) : "all";
	size_t len = n->depth ? p->str[n->name].n : 3, fit = 0, used = 0;
	double x = PAD + n->x * scale, w = (double)n->cum * scale;
	unsigned y = TOP + n->depth * ROW;
	buf_puts(f->b, "<g><title>");
	put_xml(f->b, s, len);
	buf_puts(f->b, " (");
	view_value(f->v, f->b, n->cum);
	buf_puts(f->b, ", ");
	put_trimmed_percent(f->b, n->cum, f->v->total);
	buf_printf(f->b, ")</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"hsl(%u,%d%%,%d%%)\"/>",
	    x, y, w, ROW - 1, n->depth ? hue(s, len) : 0, n->depth ? 55 : 0, n->depth ? 72 : 85);
	buf_printf(f->b, "<text x=\"%.2f\" y=\"%u\">", x + 3, y + 12);
	while (fit < len && (double)(used + 1) * 6.7 < w - 4) {
		fit++;
		while (fit < len && ((unsigned char)s[fit] & 0xc0) == 0x80)
			fit++;
		used++;
	}
	put_xml(f->b, s, fit);
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
	put_xml(b, f->v->sample_type, strlen(f->v->sample_type));
	buf_puts(b, ": ");
	view_value(f->v, b, f->node[0].cum);
	buf_puts(b, " of ");
	view_value(f->v, b, f->v->total);
	buf_printf(b, "</text>\n<text class=\"b\" id=\"back\" x=\"%d\" y=\"40\" style=\"display:none\">whole "
		      "(Esc)</text><text class=\"b\" id=\"search\" x=\"%d\" y=\"22\">search (/)</text>"
		      "<text class=\"h\" id=\"found\" x=\"%d\" y=\"40\"></text>\n<g id=\"frames\">\n",
	    PAD, WIDTH - 90, WIDTH - 140);
	for (size_t i = 0; i < f->n && !out->failed; i++)
		if (is_drawn(i, f->node[i].cum, scale)) {
			put_frame(f, &f->node[i], scale);
			out_flush(out, false);
		}
	buf_puts(b, "</g>\n");
	buf_puts(b, script);
	buf_puts(b, "</svg>\n");
}

int report_flame(const struct opt *o, struct out *out, struct err *e)
{
	struct view v;
	if (view_open(&v, o, V_FLAME, e))
		return -1;
	struct flame_svg f = {.v = &v, .b = &out->buf};
	f.all = mem_grow(f.all, &f.cap, 1, sizeof *f.all);
	f.all[f.nall++] = (struct grown){0};
	grow_tree(&f);
	choose(&f);
	place(&f);
	put_svg(&f, out);
	mem_free(f.node);
	view_close(&v);
	return 0;
}
