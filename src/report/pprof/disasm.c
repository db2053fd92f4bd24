/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * disasm: the machine code of the functions that match, with the weight of each
 * instruction. Functions are the symbols of the local programs, by their linked
 * names and their demangled ones; a function extends to the next symbol. Nodes
 * are addresses without inlined calls, so that each sample is counted once, at
 * the instruction that contains it.
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/bsearch.h"
#include "base/text/path.h"
#include "base/text/pprof_units.h"
#include "symbols/demangle.h"
#include "symbols/lookup.h"
#include "symbols/objdump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct code_spot { uint64_t at; const struct graph_node *node; };	/* address in the file */

struct object {			/* the program of a mapping */
	struct binary bin;
	bool open;
	struct code_spot *code_spot;	/* by address */
	size_t nspot;
};

struct routine {
	struct object *obj;
	uint64_t start, end;
	const char **name;
	size_t nname, code_spot, nspot;
};

struct disasm {
	struct pprof_report v;
	struct graph *g;
	struct object *obj;	/* by mapping */
	struct routine *r;
	size_t nr, cr;
	bool by_address;
	uint64_t address;
	size_t matched;		/* symbols that matched, with samples or not */
};

static int by_spot(const void *x, const void *y)
{
	const struct code_spot *a = x, *b = y;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return (a->node->id > b->node->id) - (a->node->id < b->node->id);
}

/* A made-up mapping has no useful addresses, so its name is compared; others have addresses, and files may share a
   name. */
static bool here(const struct profile_mapping *m, const struct graph_info *g)
{
	return g->object == m->file || !elf_made_up(&(struct elf_mapping){m->start, m->limit, m->offset});
}

/* loc: the n locations of mapping m. */
static void open_object(struct disasm *d, size_t m, const loc_id *loc, size_t n)
{
	const struct profile_mapping *map = &d->v.p->map[m];
	struct object *o = &d->obj[m];
	struct err why;
	if (lookup_open(&o->bin, profile_string(d->v.p, map->file),
		&(struct elf_mapping){map->start, map->limit, map->offset}, &why) ||
	    elf_symbols(&o->bin.elf, &why)) {
		pprof_report_notice(NULL, "%s", why.msg);
		return;
	}
	o->open = true;
	o->code_spot = xmalloc((d->g->n + 1) * sizeof *o->code_spot);
	for (size_t i = 0; i < n; i++)
		lookup_hint(&o->bin, d->v.p->loc[loc[i]].addr, profile_outermost(d->v.p, loc[i]));
	for (size_t i = 0; i < d->g->n; i++)
		if (here(map, &d->g->node[i]->info) &&
		    lookup_addr(&o->bin, d->g->node[i]->info.addr, &o->code_spot[o->nspot].at))
			o->code_spot[o->nspot++].node = d->g->node[i];
	qsort(o->code_spot, o->nspot, sizeof *o->code_spot, by_spot);
}

/* Return the first spot that is not before an address. */
static size_t spot_from(const struct object *o, uint64_t addr)
{
	struct bsearch_probe h = {.hi = o->nspot};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, o->code_spot[h.at].at < addr);
	return h.lo;
}

/* Return the name of a symbol that matches: its own, or a demangled form. NULL: none does. */
static const char *matching_name(struct disasm *d, const char *name)
{
	static const enum demangle_mode mode[] = {DM_FULL, DM_TEMPLATES, DM_SIMPLE};
	const struct regex *rx = d->v.symbol;
	const char *found = !rx || regex_match(rx, name, strlen(name)) ? name : NULL;
	for (size_t i = 0; i < 3 && !found; i++) {
		struct buf b = {0};
		if (demangle(&b, name, mode[i]) && b.n && regex_match(rx, b.p, b.n))
			found = arena_strndup(&d->v.arena, b.p, b.n);
		buf_free(&b);
	}
	return found;
}

/* Add the symbols of one address, sym[0..n), which extend to the next address, as a routine if one matches and has
   samples. */
static void add_routine(struct disasm *d, struct object *o, const struct elf_sym *sym, size_t n, uint64_t end)
{
	uint64_t start = sym->addr;
	bool here = d->by_address && d->address && d->address >= start && d->address <= end;
	const char *name = NULL, **names;
	for (size_t i = 0; i < n && !here && !name; i++)
		name = matching_name(d, sym[i].name);
	if (!here && !name)
		return;
	d->matched++;
	size_t first = spot_from(o, start), last = spot_from(o, end);
	if (first >= last)
		return;
	names = arena_alloc(&d->v.arena, (n + 1) * sizeof *names);
	names[0] = name;
	for (size_t i = 0; i < n && here; i++)
		names[i] = sym[i].name;
	d->r = mem_grow(d->r, &d->cr, d->nr + 1, sizeof *d->r);
	d->r[d->nr++] = (struct routine){o, start, end, names, here ? n : 1, first, last - first};
}

/* Mark the files, by string, that have a node whose name matches. */
static void mark_wanted_files(struct disasm *d, bool *wanted)
{
	struct buf b = {0};
	for (size_t i = 0; i < d->g->n; i++) {
		const struct graph_info *g = &d->g->node[i]->info;
		if (wanted[g->object])
			continue;
		buf_reset(&b);
		graph_info_name(&b, d->v.p, g, " ");
		/* the plain name too: an anchored expression would not match the whole text */
		const struct profile_text *name = &d->v.p->str[g->name];
		wanted[g->object] = !d->v.symbol || regex_match(d->v.symbol, b.p ? b.p : "", b.n) ||
			regex_match(d->v.symbol, name->s, name->n);
	}
	buf_free(&b);
}

static bool has_address(const struct disasm *d, const struct profile_mapping *m)
{
	return d->by_address && m->start <= d->address && d->address <= m->limit;
}

static void find_routines(struct disasm *d)
{
	struct profile *p = d->v.p;
	bool *wanted = xcalloc(p->nstr, sizeof *wanted);
	struct profile_by_mapping at = profile_locations_by_mapping(p);
	mark_wanted_files(d, wanted);
	for (size_t m = 1; m < p->nmap; m++) {
		struct object *o = &d->obj[m];
		if (!has_address(d, &p->map[m]) && (!p->map[m].file || !wanted[p->map[m].file]))
			continue;
		open_object(d, m, at.loc + at.from[m], at.from[m + 1] - at.from[m]);
		const struct elf *f = &o->bin.elf;
		for (size_t i = 0, k; o->open && i < f->nsym; i = k) {
			for (k = i; k < f->nsym && f->sym[k].addr == f->sym[i].addr;)
				k++;
			add_routine(d, o, f->sym + i, k - i, (k < f->nsym ? f->sym[k].addr : f->sym[i].addr) - 1);
		}
	}
	mem_free(wanted);
	mem_free(at.from);
	mem_free(at.loc);
}

static int by_name(const void *x, const void *y)
{
	const struct routine *a = x, *b = y;
	int c = strcmp(a->name[0], b->name[0]);
	return c ? c : a->start < b->start ? -1 : a->start > b->start;
}

/* ---- text */

struct total { int64_t flat, flat_div, cum, cum_div; };

static void total_add(struct total *t, const struct graph_node *n)
{
	profile_sum(&t->flat, n->flat);
	profile_sum(&t->flat_div, graph_node_div(n).flat);
	profile_sum(&t->cum, n->cum);
	profile_sum(&t->cum_div, graph_node_div(n).cum);
}

static int64_t mean_value(int64_t v, int64_t div)
{
	return profile_mean(v, div);
}

struct at { const char *fun, *file; int64_t line; };

static bool same_place(const struct at *a, const struct at *b)
{
	return !strcmp(a->fun, b->fun) && !strcmp(a->file, b->file) && a->line == b->line;
}

static const char *base_name(struct disasm *d, const char *file)
{
	size_t n;
	const char *s = path_base(file, strlen(file), &n);
	return *file ? arena_strndup(&d->v.arena, s, n) : "";
}

static void put_place(struct buf *b, const struct at *p)
{
	if (*p->fun)
		buf_printf(b, "%s ", p->fun);
	buf_puts(b, p->file);
	if (*p->file && p->line)
		buf_printf(b, ":%lld", (long long)p->line);
}

static void put_weights(struct disasm *d, struct buf *b, const struct total *t, uint64_t addr)
{
	struct buf hex = {0};
	buf_hex(&hex, addr);
	pprof_put_value_right(&d->v, b, mean_value(t->flat, t->flat_div), 10, true);
	buf_putc(b, ' ');
	pprof_put_value_right(&d->v, b, mean_value(t->cum, t->cum_div), 10, true);
	buf_putc(b, ' ');
	pprof_put_right(b, hex.p, hex.n, 10);
	buf_puts(b, ": ");
	buf_free(&hex);
}

/* Print an instruction; *last: the place printed last. */
static void put_inst(struct disasm *d, struct buf *b, const struct inst *in, const struct total *t, struct at here,
    struct at *last)
{
	enum { SHORT = 40, PLACE_AT = 74 };
	struct buf place = {0};
	size_t n = strlen(in->text);
	if (!same_place(&here, last)) {
		put_place(&place, &here);
		*last = here;
	}
	if (place.n && n >= SHORT) {
		buf_pad(b, ' ', PLACE_AT);
		buf_printf(b, ";%s\n", buf_str(&place));
	}
	put_weights(d, b, t, in->addr);
	buf_puts(b, in->text);
	if (place.n && n < SHORT) {
		size_t runes = 0;
		for (size_t i = 0; i < n; i++)
			runes += ((unsigned char)in->text[i] & 0xc0) != 0x80;
		buf_pad(b, ' ', runes < SHORT ? SHORT - runes : 0);
		buf_printf(b, ";%s", buf_str(&place));
	}
	buf_putc(b, '\n');
	buf_free(&place);
}

/* Return the place of an instruction; objdump does not find it for newer Go programs. */
static struct at place_of(struct disasm *d, struct binary *bin, const struct inst *in)
{
	enum { FRAMES = 32 };
	struct debug_frame f[FRAMES];
	if (*in->file || !lookup_frames(bin, in->addr + bin->base, f, FRAMES) || !f[0].line)
		return (struct at){in->fun, base_name(d, in->file), in->line};
	return (struct at){in->fun, base_name(d, f[0].file), f[0].line};
}

static void put_code(struct disasm *d, struct out *out, const struct routine *r, const struct objdump_output *code)
{
	struct at last = {"", "", 0};
	const struct code_spot *s = r->obj->code_spot + r->code_spot, *end = s + r->nspot;
	for (size_t i = 0; i < code->n && !out->failed; i++) {
		const struct inst *in = &code->v[i];
		struct total t = {0};
		struct at here = place_of(d, &r->obj->bin, in);
		for (; s < end && (i + 1 == code->n || s->at < code->v[i + 1].addr); s++) {
			const struct graph_info *g = &s->node->info;
			total_add(&t, s->node);
			if (!*here.file)
				here.file = base_name(d, profile_string(d->v.p, g->file));
			if (!here.line)
				here.line = g->line;
			if (!*here.fun)
				here.fun = profile_string(d->v.p, g->name);
		}
		if (!*here.file && !strcmp(here.fun, last.fun))
			here = last;	/* padding at the end of a function has no line */
		put_inst(d, &out->buf, in, &t, here, &last);
		output_flush(out, false);
	}
}

static int put_routine(struct disasm *d, struct out *out, const struct routine *r, struct err *e)
{
	struct total t = {0};
	struct objdump_output code = {0};
	struct buf *b = &out->buf;
	for (size_t i = 0; i < r->nspot; i++)
		total_add(&t, r->obj->code_spot[r->code_spot + i].node);
	int64_t flat = mean_value(t.flat, t.flat_div), cum = mean_value(t.cum, t.cum_div);
	int rc = objdump(&code,
	    &(struct objdump){r->obj->bin.path, r->start, r->end, options_bool(d->v.o, OPT_INTEL_SYNTAX), true}, e);
	if (!rc) {
		buf_printf(b, "ROUTINE ======================== %s\n", r->name[0]);
		for (size_t i = 1; i < r->nname; i++)
			buf_printf(b, "    AKA ======================== %s\n", r->name[i]);
		pprof_put_value_right(&d->v, b, flat, 10, false);
		buf_putc(b, ' ');
		pprof_put_value_right(&d->v, b, cum, 10, false);
		buf_puts(b, " (flat, cum) ");
		pprof_units_percent(b, cum, d->v.total);
		buf_puts(b, " of Total\n");
		put_code(d, out, r, &code);
	}
	objdump_free(&code);
	return rc;
}

static int no_match(struct disasm *d, struct err *e)
{
	if (!d->by_address)
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "no matches found for regexp %s",
		    d->v.o->arg ? d->v.o->arg : "");
	if (!d->matched)
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "no matches found for address 0x%llx",
		    (unsigned long long)d->address);
	return err_set(e, ERR_FORMAT, ERR_NOWHERE,
	    "address 0x%llx found in binary, but the corresponding symbols do not have samples in the profile",
	    (unsigned long long)d->address);
}

static bool is_address(const char *s, uint64_t *v)
{
	char *end;
	errno = 0;
	*v = s && *s >= '0' && *s <= '9' ? strtoull(s, &end, 0) : 0;
	return s && *s >= '0' && *s <= '9' && !*end && !errno;
}

int report_disasm(const struct options *o, struct out *out, struct err *e)
{
	struct disasm d = {.by_address = false};
	if (pprof_report_open(&d.v, o, REPORT_DISASM, e))
		return -1;
	d.by_address = is_address(o->arg, &d.address);
	d.g = graph_nodes(d.v.p, &d.v.g);
	d.obj = xcalloc(d.v.p->nmap, sizeof *d.obj);
	find_routines(&d);
	int rc = d.nr ? 0 : no_match(&d, e);
	if (d.nr)
		qsort(d.r, d.nr, sizeof *d.r, by_name);
	buf_puts(&out->buf, "Total: ");
	pprof_report_put_value(&d.v, &out->buf, d.v.total);
	buf_putc(&out->buf, '\n');
	for (size_t i = 0; i < d.nr && !rc; i++)
		rc = put_routine(&d, out, &d.r[i], e);
	if (rc)
		buf_reset(&out->buf);
	for (size_t m = 1; m < d.v.p->nmap; m++) {
		lookup_close(&d.obj[m].bin);
		mem_free(d.obj[m].code_spot);
	}
	mem_free(d.obj);
	mem_free(d.r);
	graph_free(d.g);
	pprof_report_close(&d.v);
	return rc;
}
