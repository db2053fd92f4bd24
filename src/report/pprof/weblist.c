/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * weblist: the source of the functions that match, with their machine code
 * between the lines. The code around every sampled address is disassembled. Each
 * instruction is printed below the lines of those of its frames whose function
 * matches: once where it was written, and once where that was inlined, if both
 * match. Without a program or objdump, only lines are printed.
 *
 * pprof writes a page for a browser. A terminal gets text; a page is written if
 * the output is a file with such a name (-output x.html), with details elements:
 * no script, no network.
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/text/path.h"
#include "base/text/pprof_units.h"
#include "base/text/text.h"
#include "session/asm_source.h"
#include "symbols/demangle.h"
#include "symbols/source.h"

#include <stdlib.h>
#include <string.h>

enum { RANGES_MAX = 25, FAR = 20, MARGIN = 5 };
#define LINE_MOST (INT64_MAX - 2 * MARGIN)	/* with room for the margins */

struct inst_entry {			/* an instruction below a line */
	str_id file, fun;
	int64_t line;
	uint32_t inst, frame;
};
struct code_range { size_t e0, e1; int64_t from, upto; str_id fun; };	/* the entries and lines of a function */

struct weblist {
	struct pprof_report v;
	struct source_cache *src;
	bool html;
	int64_t *flat, *cum;	/* by location */
	bool *wanted;
	uint8_t *interest;	/* by string: a name of a function that matched */
	str_id *pretty;		/* by string: the demangled name of a linked name */
	size_t nstr;
	struct asm_listing code;
	struct inst_entry *e;
	size_t ne, ce;
	uint32_t *seen;		/* by instruction: the last function that counted it */
	uint32_t turn;
};

/* ---- functions that match */

static bool function_matches(const struct weblist *w, const struct profile_function *f)
{
	const struct regex *rx = w->v.symbol;
	const str_id s[] = {f->name, f->sysname, f->file};
	bool any = !rx;
	for (size_t i = 0; i < 3 && !any; i++)
		any = regex_match(rx, w->v.p->str[s[i]].s, w->v.p->str[s[i]].n);
	return any;
}

/* Find the sampled locations with a function that matches, and the names of these functions. */
static void find_interest(struct weblist *w)
{
	struct profile *p = w->v.p;
	for (size_t i = 1; i < p->nfun; i++)
		w->pretty[p->fun[i].sysname] = p->fun[i].name;
	for (size_t i = 1; i < p->nloc; i++) {
		const struct profile_text *file = &p->str[p->map[p->loc[i].map].file];
		if (!w->wanted[i])
			continue;
		bool of_file = w->v.symbol && file->n && regex_match(w->v.symbol, file->s, file->n);
		w->wanted[i] = false;
		for (uint32_t k = 0; k < p->loc[i].nline; k++) {
			const struct profile_function *f = &p->fun[p->line[p->loc[i].line + k].fun];
			if (!(of_file && !k) && !function_matches(w, f))
				continue;
			w->wanted[i] = true;
			w->interest[f->name] = w->interest[f->sysname] = 1;
		}
	}
	w->interest[0] = 0;
}

/* Sum the weights by location; a sample counts once at each. wanted[] are first all sampled locations. */
static void weigh_locations(struct weblist *w)
{
	struct profile *p = w->v.p;
	uint32_t *last = xcalloc(p->nloc, sizeof *last);
	struct profile_frames frames = {.p = p};
	for (size_t i = 0; i < p->nsample; i++) {
		const int64_t *val = profile_value(p, i);
		int64_t v = val[w->v.g.type];
		const struct profile_frame_list *stack = profile_frames_at(&frames, i);
		if (w->v.g.mean && val[0] && val[0] != -1)
			v /= val[0];
		for (size_t k = 0; k < stack->n; k++) {
			loc_id l = stack->frame[k];
			w->wanted[l] = true;
			if (!k)
				profile_sum(&w->flat[l], v);
			if (last[l] != (uint32_t)i + 1)
				profile_sum(&w->cum[l], v);
			last[l] = (uint32_t)i + 1;
		}
	}
	mem_free(last);
	profile_frames_free(&frames);
}

/* ---- code */

/* Add a location without code: a line of its own. */
static void add_bare(struct weblist *w, size_t l)
{
	struct profile *p = w->v.p;
	const struct profile_location *loc = &p->loc[l];
	struct debug_frame *f = arena_zalloc(&w->code.strings, (loc->nline + 1) * sizeof *f);
	for (uint32_t k = 0; k < loc->nline; k++) {
		const struct profile_line *ln = &p->line[loc->line + k];
		f[k] = (struct debug_frame){
		    profile_string(p, p->fun[ln->fun].name), profile_string(p, p->fun[ln->fun].file), ln->line, 0, 0};
	}
	w->code.v = mem_grow(w->code.v, &w->code.cap, w->code.n + 1, sizeof *w->code.v);
	w->code.v[w->code.n++] = (struct asm_inst){.addr = loc->addr, .text = "", .frame = f, .nframe = loc->nline,
	    .flat = w->flat[l], .cum = w->cum[l]};
}

static int by_addr(const void *x, const void *y)
{
	const struct asm_weight *a = x, *b = y;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* Add the code of one mapping's program; false: there is none. loc: the locations of the mapping. */
static bool add_code(struct weblist *w, size_t m, const loc_id *loc, size_t nloc)
{
	struct profile *p = w->v.p;
	const struct profile_mapping *map = &p->map[m];
	struct binary b;
	struct err why;
	const char *build = profile_string(p, map->build);
	const struct elf_mapping where = {map->start, map->limit, map->offset};
	if (!map->file || lookup_open(&b, profile_string(p, map->file), &where, &why))
		return false;
	struct asm_range *r = xmalloc((nloc + 1) * sizeof *r);
	struct asm_weight *at = xmalloc((nloc + 1) * sizeof *at);
	size_t n = 0, nat = 0, from = w->code.n;
	bool ok = !*build || !*b.elf.build || !strcmp(build, b.elf.build);
	for (size_t i = 0; i < nloc && ok; i++)
		lookup_hint(&b, p->loc[loc[i]].addr, profile_outermost(p, loc[i]));
	for (size_t i = 0; i < nloc && ok; i++) {
		uint64_t addr = p->loc[loc[i]].addr;
		if (!addr)
			continue;
		at[nat++] = (struct asm_weight){addr, w->flat[loc[i]], w->cum[loc[i]]};
		if (w->wanted[loc[i]])
			r[n++] = asm_source_range_around(&b, addr);
	}
	n = asm_source_merge_ranges(r, n);
	if (n > RANGES_MAX) {
		pprof_report_notice(NULL,
		    "%s: only the first %d of %zu ranges of code are shown; use a narrower expression",
		    profile_string(p, map->file), RANGES_MAX, n);
		n = RANGES_MAX;
	}
	for (size_t i = 0; i < n && ok; i++)
		if (asm_source_add_range(
			&w->code, &b, r[i].from, r[i].upto, options_bool(w->v.o, OPT_INTEL_SYNTAX), &why)) {
			pprof_report_notice(NULL, "%s", why.msg);
			ok = false;
		}
	qsort(at, nat, sizeof *at, by_addr);
	if (w->code.n > from) {	/* else code.v may be NULL */
		struct asm_listing code_range = {w->code.v + from, w->code.n - from, 0, {0}};
		asm_source_add_weights(&code_range, at, nat);
	}
	lookup_close(&b);
	mem_free(r);
	mem_free(at);
	return ok && n > 0;
}

static void add_all_code(struct weblist *w)
{
	struct profile *p = w->v.p;
	bool *any = xcalloc(p->nmap, sizeof *any);
	for (size_t i = 1; i < p->nloc; i++)
		any[p->loc[i].map] |= w->wanted[i];
	struct profile_by_mapping at = profile_locations_by_mapping(p);
	for (size_t m = 0; m < p->nmap; m++) {
		if (any[m] && m && add_code(w, m, at.loc + at.from[m], at.from[m + 1] - at.from[m]))
			continue;
		for (uint32_t i = at.from[m]; i < at.from[m + 1] && any[m]; i++)
			if (w->wanted[at.loc[i]])
				add_bare(w, at.loc[i]);
	}
	mem_free(any);
	mem_free(at.from);
	mem_free(at.loc);
}

static str_id name_of(struct weblist *w, const char *linked)
{
	str_id id = profile_add_string(w->v.p, linked, strlen(linked));
	if (id < w->nstr && w->pretty[id])
		return w->pretty[id];
	struct buf b = {0};
	if (demangle(&b, linked, DM_SIMPLE))
		id = profile_add_string(w->v.p, b.p ? b.p : "", b.n);
	buf_free(&b);
	return id;
}

static str_id file_of(struct weblist *w, const char *file)
{
	static const char cwd[] = "/proc/self/cwd/";
	struct buf b = {0};
	if (!strncmp(file, cwd, sizeof cwd - 1))
		file += sizeof cwd - 1;
	path_clean(&b, file, strlen(file));
	str_id id = profile_add_string(w->v.p, b.p, b.n);
	buf_free(&b);
	return id;
}

static int by_place(const void *x, const void *y)
{
	const struct inst_entry *a = x, *b = y;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->inst < b->inst ? -1 : a->inst > b->inst;
}

static void make_entries(struct weblist *w)
{
	const char *last = NULL;	/* neighbours mostly have the same name, which may be long */
	str_id raw = 0, name = 0;
	for (size_t i = 0; i < w->code.n; i++)
		for (size_t k = 0; k < w->code.v[i].nframe; k++) {
			const struct debug_frame *f = &w->code.v[i].frame[k];
			if (f->name != last) {
				raw = profile_add_string(w->v.p, f->name, strlen(f->name));
				name = name_of(w, f->name);
				last = f->name;
			}
			if (!(raw < w->nstr && w->interest[raw]) && !(name < w->nstr && w->interest[name]))
				continue;
			w->e = mem_grow(w->e, &w->ce, w->ne + 1, sizeof *w->e);
			int64_t line = f->line < LINE_MOST ? f->line : LINE_MOST;
			w->e[w->ne++] = (struct inst_entry){file_of(w, f->file), name, line, (uint32_t)i, (uint32_t)k};
		}
	if (w->ne)
		qsort(w->e, w->ne, sizeof *w->e, by_place);
}

/* ---- text */

static void put_escaped(struct weblist *w, struct buf *b, const char *s, size_t n)
{
	if (w->html)
		text_xml(b, s, n);
	else
		buf_put(b, s, n);
}

static void puts_safe(struct weblist *w, struct buf *b, const char *s)
{
	put_escaped(w, b, s, strlen(s));
}

static size_t indent_of(const char *s, size_t n)
{
	size_t col = 0;
	for (size_t i = 0; i < n && (s[i] == ' ' || s[i] == '\t'); i++)
		col += s[i] == '\t' ? 8 - col % 8 : 1;
	return col;
}

/* Print ";spin.c:12" from column 80 of the text on. */
static void put_where(struct weblist *w, struct buf *b, const char *file, int64_t line, size_t used)
{
	enum { WHERE = 76 };
	const char *slash = strrchr(file, '/');
	if (!*file)
		return;
	buf_pad(b, ' ', used < WHERE ? WHERE - used : 1);
	buf_putc(b, ';');
	puts_safe(w, b, slash ? slash + 1 : file);
	buf_printf(b, ":%lld", (long long)line);
}

/* Print the calls that were inlined between the line and the instruction, as far as they differ from those of the
   instruction before. */
static void put_calls(struct weblist *w, struct buf *b, const struct inst_entry *e, const struct inst_entry *before,
    size_t indent)
{
	const struct asm_inst *in = &w->code.v[e->inst], *last = before ? &w->code.v[before->inst] : NULL;
	bool same = last != NULL;
	for (uint32_t k = e->frame, depth = 0; k-- > 0; depth++) {
		const struct debug_frame *f = &in->frame[k];
		const struct debug_frame *g =
		    same && depth < before->frame ? &last->frame[before->frame - 1 - depth] : NULL;
		size_t n = 0;
		same = g && f->line == g->line && !strcmp(f->file, g->file) && !strcmp(f->name, g->name);
		if (same)
			continue;
		const struct source *src = source_cache_get(w->src, profile_string(w->v.p, file_of(w, f->file)));
		const char *s = src->path ? source_line(src, f->line, &n) : NULL;
		while (n && (*s == ' ' || *s == '\t'))
			s++, n--;
		buf_pad(b, ' ', 34 + indent + 4 + (size_t)depth * 4);
		if (s)
			put_escaped(w, b, s, n);
		put_where(w, b, f->file, f->line, indent + 4 + (size_t)depth * 4 + n);
		buf_putc(b, '\n');
	}
}

static void put_inst(struct weblist *w, struct buf *b, const struct inst_entry *e, size_t indent)
{
	const struct asm_inst *in = &w->code.v[e->inst];
	struct buf hex = {0};
	size_t pad = indent + 4 + 4 * (size_t)e->frame;
	buf_hex(&hex, in->at);
	pprof_put_value_right(&w->v, b, in->flat, 10, true);
	buf_putc(b, ' ');
	pprof_put_value_right(&w->v, b, in->cum, 10, true);
	buf_putc(b, ' ');
	pprof_put_right(b, hex.p, hex.n, 10);
	buf_puts(b, ": ");
	buf_pad(b, ' ', pad);
	puts_safe(w, b, in->text);
	put_where(w, b, in->frame[0].file, in->frame[0].line, pad + strlen(in->text));
	buf_putc(b, '\n');
	buf_free(&hex);
}

static void put_code(struct weblist *w, struct buf *b, size_t e0, size_t e1, size_t indent)
{
	const struct inst_entry *before = NULL;
	for (size_t i = e0; i < e1; i++) {
		const struct asm_inst *in = &w->code.v[w->e[i].inst];
		if (!*in->text)
			continue;
		if (before && in->addr != w->code.v[before->inst].addr + w->code.v[before->inst].len)
			buf_puts(b, w->html ? "<hr>" : "                                  ...\n");
		put_calls(w, b, &w->e[i], before, indent);
		put_inst(w, b, &w->e[i], indent);
		before = &w->e[i];
	}
}

static void put_line(struct weblist *w, struct buf *b, const struct source *src, int64_t line, size_t e0, size_t e1)
{
	int64_t flat = 0, cum = 0;
	size_t n = 0;
	bool code = false;
	const char *s = source_line(src, line, &n);
	for (size_t i = e0; i < e1; i++) {
		profile_sum(&flat, w->code.v[w->e[i].inst].flat);
		profile_sum(&cum, w->code.v[w->e[i].inst].cum);
		code |= *w->code.v[w->e[i].inst].text != 0;
	}
	if (!s && e0 == e1)
		return;
	if (!s)
		s = line ? "???" : "<instructions with unknown line numbers>", n = strlen(s);
	if (w->html)
		buf_puts(b, code ? cum ? "<details><summary class=hot>" : "<details><summary>" : cum ? "<b>" : "<i>");
	pprof_put_value_right(&w->v, b, flat, 10, true);
	buf_putc(b, ' ');
	pprof_put_value_right(&w->v, b, cum, 10, true);
	buf_printf(b, " %6lld:", (long long)line);
	if (w->html) {
		struct buf flatten = {0};
		source_expand(&flatten, s, n);
		put_escaped(w, b, flatten.p ? flatten.p : "", flatten.n);
		buf_free(&flatten);
	} else {
		buf_put(b, s, n);
	}
	buf_puts(b, w->html ? code ? "</summary>" : cum ? "</b>\n" : "</i>\n" : "\n");
	if (code)
		put_code(w, b, e0, e1, indent_of(s, n));
	if (w->html && code)
		buf_puts(b, "</details>");
}

static void put_function(struct weblist *w, struct out *out, const struct code_range *f)
{
	struct buf *b = &out->buf;
	const char *file = profile_string(w->v.p, w->e[f->e0].file);
	const struct source *src = source_cache_get(w->src, file);
	int64_t flat = 0, cum = 0;
	w->turn++;
	for (size_t i = f->e0; i < f->e1; i++) {
		uint32_t in = w->e[i].inst;
		if (w->seen[in] != w->turn) {
			profile_sum(&flat, w->code.v[in].flat);
			profile_sum(&cum, w->code.v[in].cum);
		}
		w->seen[in] = w->turn;
	}
	if (!cum)
		return;
	buf_puts(b, w->html ? "<h2>" : "ROUTINE ======================== ");
	puts_safe(w, b, profile_string(w->v.p, f->fun));
	buf_puts(b, w->html ? "</h2>\n<p>" : " in ");
	puts_safe(w, b, file);
	buf_puts(b, w->html ? "</p>\n<pre>" : "\n");
	pprof_put_value_right(&w->v, b, flat, 10, false);
	buf_putc(b, ' ');
	pprof_put_value_right(&w->v, b, cum, 10, false);
	buf_puts(b, " (flat, cum) ");
	pprof_units_percent(b, cum, w->v.total);
	buf_puts(b, " of Total\n");
	size_t e = f->e0;
	for (int64_t line = f->from; line <= f->upto && !out->failed; line++) {
		size_t from = e;
		while (e < f->e1 && w->e[e].line == line)
			e++;
		put_line(w, b, src, line, from, e);
		output_flush(out, false);
	}
	if (w->html)
		buf_puts(b, "</pre>\n");
}

/* Return the distance to a line that is not before `from`. A file may contain any numbers. */
static uint64_t line_distance(int64_t from, int64_t to)
{
	return (uint64_t)to - (uint64_t)from;
}

/* Print runs of lines of one function that are close together, each with a margin that does not overlap the next. */
static void put_file(struct weblist *w, struct out *out, size_t e0, size_t e1)
{
	struct code_range *f = NULL;
	size_t n = 0, cap = 0;
	for (size_t i = e0, k; i < e1; i = k) {
		for (k = i; k < e1 && w->e[k].line == w->e[i].line;)
			k++;
		int64_t line = w->e[i].line;
		if (n && f[n - 1].fun == w->e[i].fun && line_distance(f[n - 1].upto, line) <= FAR) {
			f[n - 1].upto = line;
			f[n - 1].e1 = k;
			continue;
		}
		f = mem_grow(f, &cap, n + 1, sizeof *f);
		f[n++] = (struct code_range){i, k, line, line, w->e[i].fun};
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t half = i ? (line_distance(f[i - 1].upto, f[i].from) - 1) / 2 : MARGIN;
		int64_t gap = half < MARGIN ? (int64_t)half : MARGIN;
		if (i)
			f[i - 1].upto += gap;
		if (f[i].from > 0)
			f[i].from = f[i].from > gap ? f[i].from - gap : 1;
	}
	if (n)
		f[n - 1].upto += MARGIN;
	for (size_t i = 0; i < n && !out->failed; i++)
		put_function(w, out, &f[i]);
	mem_free(f);
}

struct file { const char *name; size_t e0, e1; };

static int by_name(const void *x, const void *y)
{
	const struct file *a = x, *b = y;
	return strcmp(a->name, b->name);
}

static void put_files(struct weblist *w, struct out *out)
{
	struct file *f = xmalloc((w->ne + 1) * sizeof *f);
	size_t n = 0;
	for (size_t i = 0, k; i < w->ne; i = k) {
		for (k = i; k < w->ne && w->e[k].file == w->e[i].file;)
			k++;
		f[n++] = (struct file){profile_string(w->v.p, w->e[i].file), i, k};
	}
	qsort(f, n, sizeof *f, by_name);
	for (size_t i = 0; i < n; i++)
		put_file(w, out, f[i].e0, f[i].e1);
	mem_free(f);
}

static void put_head(struct weblist *w, struct buf *b)
{
	static const char style[] =
	    "<style>body{font-family:sans-serif}h2{font-size:1.2em;margin-bottom:0}"
	    "pre{font-size:10pt;line-height:1.25}i{font-style:normal;color:#888}summary{display:block;cursor:pointer;"
	    "color:#00a}summary.hot,b{font-weight:bold;color:#000}details[open]{background:#eef}hr{margin:0 0 0 30em;"
	    "border:0;border-top:1px dotted #888}</style>";
	struct buf labels = {0};
	if (w->html) {
		buf_printf(b,
		    "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>ttrace weblist</title>\n%s</head>"
		    "<body>\n<pre>", style);
		pprof_report_profile_labels(&w->v, &labels);
		for (size_t i = 0, k; i < labels.n; i = k + 1) {
			for (k = i; k < labels.n && labels.p[k] != '\n';)
				k++;
			put_escaped(w, b, labels.p + i, k - i);
			buf_putc(b, '\n');
		}
		buf_free(&labels);
	}
	buf_puts(b, "Total: ");
	pprof_report_put_value(&w->v, b, w->v.total);
	buf_puts(b, w->html ? "</pre>\n" : "\n");
}

static bool names_page(const char *path)
{
	size_t n = path ? strlen(path) : 0;
	return (n > 5 && !strcmp(path + n - 5, ".html")) || (n > 4 && !strcmp(path + n - 4, ".htm"));
}

int report_weblist(const struct options *o, struct out *out, struct err *e)
{
	struct weblist w = {.html = names_page(options_str(o, OPT_OUTPUT))};
	int rc = 0;
	if (pprof_report_open(&w.v, o, REPORT_WEBLIST, e))
		return -1;
	struct profile *p = w.v.p;
	w.flat = xcalloc(p->nloc, sizeof *w.flat);
	w.cum = xcalloc(p->nloc, sizeof *w.cum);
	w.wanted = xcalloc(p->nloc, sizeof *w.wanted);
	w.nstr = p->nstr;
	w.interest = xcalloc(p->nstr, sizeof *w.interest);
	w.pretty = xcalloc(p->nstr, sizeof *w.pretty);
	w.src = source_cache_new(
	    &(struct source_cache_conf){w.v.g.source_path, w.v.g.trim_path, o->nfile ? o->file[0] : NULL, false});
	weigh_locations(&w);
	find_interest(&w);
	add_all_code(&w);
	make_entries(&w);
	w.seen = xcalloc(w.code.n + 1, sizeof *w.seen);
	if (w.ne) {
		put_head(&w, &out->buf);
		put_files(&w, out);
		if (w.html)
			buf_puts(&out->buf, "</body></html>\n");
	} else {
		rc = err_set(e, ERR_FORMAT, ERR_NOWHERE, "no matches found for regexp: %s", o->arg ? o->arg : "");
	}
	void *all[] = {w.flat, w.cum, w.wanted, w.interest, w.pretty, w.e, w.seen};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
	asm_source_free(&w.code);
	source_cache_free(w.src);
	pprof_report_close(&w.v);
	return rc;
}
