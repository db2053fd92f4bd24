/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Reads DWARF by libdw. Two indexes of address ranges are built: of the units when the file is opened (not from
 * .debug_aranges, which clang does not write), and of the functions of a unit when it is first needed. Below a function
 * only inlined calls that contain the address are followed.
 *
 * libdw's own search for scopes recurses over the tree, and a hostile file can nest as deeply as its length allows. So
 * trees are walked here with a bounded stack, and only forwards. libdwfl would find separate debug files too, but it
 * may query a server for them, which is not wanted on all hosts; so this file looks at the usual places.
 *
 * The results are those of addr2line: a linker name, the line of the innermost call from the line table, those of its
 * callers from their call sites; the start line of a function is that of llvm-symbolizer.
 */
#include "config.h"
#include "symbols/dwarf.h"

#include "base/bsearch.h"
#include "base/mem/mem.h"
#include "base/text/buf.h"

#include <string.h>

#ifdef HAVE_LIBDW
#include "base/dynlib.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define CALLS \
	CALL(attr_integrate) CALL(begin) CALL(child) CALL(dieoffset) CALL(end) CALL(errmsg) CALL(filesrc) \
	CALL(formstring) CALL(formudata) CALL(get_units) CALL(getsrc_die) CALL(getsrcfiles) CALL(haspc) \
	CALL(linecol) CALL(lineno) CALL(linesrc) CALL(ranges) CALL(siblingof) CALL(tag)

/* The functions of libdw that are used. It is opened with the first program that is examined. */
struct libdw {
#define CALL(name) __typeof__(&dwarf_##name) name;
	CALLS
#undef CALL
};
static const struct libdw *_Atomic opened;
static const struct libdw *libdw(void)
{
	return atomic_load_explicit(&opened, memory_order_acquire);
}

bool dwarf_available(void)
{
	static const char *const names[] = {"libdw.so.1", "libdw.1.dylib", "libdw.so", NULL};
	static const struct dynlib_symbol call[] = {
#define CALL(name) {"dwarf_" #name, offsetof(struct libdw, name)},
		CALLS
#undef CALL
	};
	const struct libdw *none = NULL;
	if (libdw())
		return true;
	struct libdw *l = xmalloc(sizeof *l);
	bool missing = dynlib_open(names, call, sizeof call / sizeof *call, l) != NULL;
	if (missing || !atomic_compare_exchange_strong(&opened, &none, l))
		mem_free(l);
	return !missing;
}

enum { DEPTH = 96, INLINE_DEPTH = 64, RANGES_MAX = 1 << 16 };

struct range { uint64_t lo, hi, top; size_t ref; };	/* top: the maximum of hi up to here */
struct ranges { struct range *v; size_t n, cap; };

struct dwarf_unit {
	Dwarf_Die die;
	const char *dir;
	bool indexed;
	struct ranges funs;	/* ref: index in fun */
	Dwarf_Die *fun;
	size_t nfun, capfun;
};

struct dwarf_info {
	int fd;
	Dwarf *dw;
	struct dwarf_unit *dwarf_unit;
	size_t nunit, capunit;
	struct ranges units;
	struct arena names;
};

/* ---- ranges */

static void ranges_add(struct ranges *r, uint64_t lo, uint64_t hi, size_t ref)
{
	if (lo >= hi)
		return;
	r->v = mem_grow(r->v, &r->cap, r->n + 1, sizeof *r->v);
	r->v[r->n++] = (struct range){lo, hi, 0, ref};
}

static int by_start(const void *x, const void *y)
{
	const struct range *a = x, *b = y;
	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return (a->ref > b->ref) - (a->ref < b->ref);
}

static void ranges_sort(struct ranges *r)
{
	uint64_t top = 0;
	if (r->n)
		qsort(r->v, r->n, sizeof *r->v, by_start);
	for (size_t i = 0; i < r->n; i++)
		r->v[i].top = top = r->v[i].hi > top ? r->v[i].hi : top;
}

/* Return the ref of the range that contains an address and has the greatest start; SIZE_MAX: none. */
static size_t ranges_find(const struct ranges *r, uint64_t addr)
{
	struct bsearch_probe h = {.hi = r->n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, r->v[h.at].lo <= addr);
	while (h.lo > 0 && r->v[h.lo - 1].top > addr)
		if (r->v[--h.lo].hi > addr)
			return r->v[h.lo].ref;
	return SIZE_MAX;
}

static void ranges_of(struct ranges *r, Dwarf_Die *die, size_t ref)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t off = 0;
	for (int i = 0; i < RANGES_MAX && (off = libdw()->ranges(die, off, &base, &lo, &hi)) > 0; i++)
		ranges_add(r, lo, hi, ref);
}

/* ---- trees */

/* A walk over the descendants of a die; it enters a die only by walk_down(). */
struct die_walk { Dwarf_Die at[DEPTH]; int depth; };

static bool walk_down(struct die_walk *w, Dwarf_Die *from)
{
	if (w->depth == DEPTH || libdw()->child(from, &w->at[w->depth]))
		return false;
	w->depth++;
	return true;
}

/* Move to the next sibling, of this die or of the nearest one above that has one; offsets always increase. */
static bool walk_next(struct die_walk *w)
{
	while (w->depth > 0) {
		Dwarf_Die *d = &w->at[w->depth - 1], next;
		Dwarf_Off was = libdw()->dieoffset(d);
		if (!libdw()->siblingof(d, &next) && libdw()->dieoffset(&next) > was) {
			*d = next;
			return true;
		}
		w->depth--;
	}
	return false;
}

static void index_functions(struct dwarf_unit *u)
{
	struct die_walk w = {.depth = 0};
	u->indexed = true;
	if (!walk_down(&w, &u->die))
		return;
	for (bool more = true; more;) {
		Dwarf_Die *d = &w.at[w.depth - 1];
		bool into = false;
		switch (libdw()->tag(d)) {
		case DW_TAG_subprogram:
			u->fun = mem_grow(u->fun, &u->capfun, u->nfun + 1, sizeof *u->fun);
			u->fun[u->nfun] = *d;
			ranges_of(&u->funs, d, u->nfun++);
			into = true;
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_lexical_block: into = true; break;
		default: break;
		}
		if (!into || !walk_down(&w, d))
			more = walk_next(&w);
	}
	ranges_sort(&u->funs);
}

/* ---- attributes of dies */

static const char *string_of(Dwarf_Die *die, unsigned attr)
{
	Dwarf_Attribute a;
	const char *s = libdw()->attr_integrate(die, attr, &a) ? libdw()->formstring(&a) : NULL;
	return s ? s : "";
}

static const char *name_of(Dwarf_Die *die)
{
	const char *s = string_of(die, DW_AT_linkage_name);
	if (!*s)
		s = string_of(die, DW_AT_MIPS_linkage_name);
	return *s ? s : string_of(die, DW_AT_name);
}

/* Return the full name of a file of the line table. */
static const char *file_name(struct dwarf_info *d, const struct dwarf_unit *u, const char *s)
{
	if (!s || !*s)
		return "";
	if (*s == '/' || !*u->dir)
		return s;
	return arena_printf(&d->names, "%s/%s", u->dir, s);
}

static int64_t number_of(Dwarf_Die *die, unsigned attr)
{
	Dwarf_Attribute a;
	Dwarf_Word v;
	return libdw()->attr_integrate(die, attr, &a) && !libdw()->formudata(&a, &v) && v <= INT32_MAX ? (int64_t)v : 0;
}

static const char *call_file(struct dwarf_info *d, struct dwarf_unit *u, Dwarf_Die *die)
{
	Dwarf_Files *files;
	size_t n;
	int64_t i = number_of(die, DW_AT_call_file);
	if (libdw()->getsrcfiles(&u->die, &files, &n) || (size_t)i >= n)
		return "";
	return file_name(d, u, libdw()->filesrc(files, (size_t)i, NULL, NULL));
}

/* Set chain[] to the dies from a function (chain[0]) to the innermost call that is inlined at the address. Return their
   number. */
static size_t inlined_at(Dwarf_Die *fun, uint64_t addr, Dwarf_Die *chain)
{
	size_t n = 1;
	struct die_walk w = {.depth = 0};
	chain[0] = *fun;
	for (bool more = walk_down(&w, fun); more;) {
		Dwarf_Die *d = &w.at[w.depth - 1];
		int tag = libdw()->tag(d);
		bool call = tag == DW_TAG_inlined_subroutine;
		if ((!call && tag != DW_TAG_lexical_block) || libdw()->haspc(d, addr) != 1) {
			more = walk_next(&w);
			continue;
		}
		if (call && n < INLINE_DEPTH)
			chain[n++] = *d;
		Dwarf_Die in = *d;	/* siblings of the die that contains the address do not matter */
		w.depth = 0;
		more = walk_down(&w, &in);
	}
	return n;
}

size_t dwarf_frames_at(struct dwarf_info *d, uint64_t addr, struct debug_frame *f, size_t max)
{
	size_t at = ranges_find(&d->units, addr), n = 1;
	if (at == SIZE_MAX || !max)
		return 0;
	struct dwarf_unit *u = &d->dwarf_unit[at];
	if (!u->indexed)
		index_functions(u);
	Dwarf_Die chain[INLINE_DEPTH];
	size_t fun = ranges_find(&u->funs, addr);
	if (fun != SIZE_MAX)
		n = inlined_at(&u->fun[fun], addr, chain);
	Dwarf_Line *l = libdw()->getsrc_die(&u->die, addr);
	struct debug_frame at_line = {"", "", 0, 0, 0};
	int line, col;
	if (l) {
		at_line.file = file_name(d, u, libdw()->linesrc(l, NULL, NULL));
		/* a damaged line table can count below zero */
		at_line.line = !libdw()->lineno(l, &line) && line > 0 ? line : 0;
		at_line.col = !libdw()->linecol(l, &col) && col > 0 ? col : 0;
	}
	f[0] = at_line;
	if (fun == SIZE_MAX)
		return *at_line.file != 0;
	size_t out = 0;
	for (size_t i = n; i-- > 0 && out < max; out++) {
		at_line.name = name_of(&chain[i]);
		at_line.start = number_of(&chain[i], DW_AT_decl_line);
		f[out] = at_line;
		if (i)
			at_line = (struct debug_frame){"", call_file(d, u, &chain[i]),
			    number_of(&chain[i], DW_AT_call_line), number_of(&chain[i], DW_AT_call_column), 0};
	}
	return out;
}

/* ---- opening */

static void read_units(struct dwarf_info *d)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;
	Dwarf_Half version;
	while (!libdw()->get_units(d->dw, cu, &cu, &version, &type, &die, &split)) {
		if (type != DW_UT_compile && type != DW_UT_skeleton && type != DW_UT_split_compile)
			continue;
		d->dwarf_unit = mem_grow(d->dwarf_unit, &d->capunit, d->nunit + 1, sizeof *d->dwarf_unit);
		bool is_split = type == DW_UT_skeleton && libdw()->tag(&split) == DW_TAG_compile_unit;
		d->dwarf_unit[d->nunit] = (struct dwarf_unit){.die = is_split ? split : die,
		    .dir = string_of(&die, DW_AT_comp_dir)};
		ranges_of(&d->units, &die, d->nunit++);
	}
	ranges_sort(&d->units);
}

/* Return whether a file has the debug information of this program: compare the build id, or else the checksum. */
static bool is_debug_file_of(const struct elf *f, const char *path, bool by_link)
{
	struct elf g;
	if (elf_open(&g, path, NULL))
		return false;
	bool ok = g.dwarf && (*f->build && *g.build ? !strcmp(f->build, g.build)
						   : by_link && elf_crc(g.file) == f->link_crc);
	elf_close(&g);
	return ok;
}

/* Write to b the file that has the debug information: path itself, or one of the places of separate files. Return false
   if there is none. */
static bool find_file(const struct elf *f, const char *path, struct buf *b)
{
	char real[PATH_MAX];
	if (f->dwarf) {
		buf_puts(b, path);
		return true;
	}
	if (strlen(f->build) > 2) {
		buf_printf(b, "/usr/lib/debug/.build-id/%.2s/%s.debug", f->build, f->build + 2);
		if (is_debug_file_of(f, buf_str(b), false))
			return true;
	}
	if (!f->link || !realpath(path, real))
		return false;
	int dir = (int)(strrchr(real, '/') - real);
	static const char *const place[] = {"%.*s/%s", "%.*s/.debug/%s", "/usr/lib/debug%.*s/%s"};
	for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
		buf_reset(b);
		buf_printf(b, place[i], dir, real, f->link);
		if (strcmp(buf_str(b), real) && is_debug_file_of(f, buf_str(b), true))
			return true;
	}
	return false;
}

struct dwarf_info *dwarf_open(const struct elf *f, const char *path, struct err *e)
{
	struct buf b = {0};
	struct dwarf_info *d = NULL;
	if (!dwarf_available()) {
		err_set(e, ERR_LIMIT, ERR_NOWHERE, "%s: cannot read debug information without libdw of elfutils "
		    "(Debian: apt-get install libdw1)", path);
	} else if (!find_file(f, path, &b)) {
		err_set(e, ERR_FORMAT, ERR_NOWHERE, "%s has no debug information", path);
	} else {
		d = xcalloc(1, sizeof *d);
		d->fd = open(buf_str(&b), O_RDONLY | O_CLOEXEC | O_NOCTTY);
		d->dw = d->fd >= 0 ? libdw()->begin(d->fd, DWARF_C_READ) : NULL;
		if (d->dw) {
			read_units(d);
		} else {
			err_set(e, ERR_FORMAT, ERR_NOWHERE, "%s: cannot read debug information: %s", buf_str(&b),
			    libdw()->errmsg(-1));
			dwarf_close(d);
			d = NULL;
		}
	}
	buf_free(&b);
	return d;
}

void dwarf_close(struct dwarf_info *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nunit; i++) {
		mem_free(d->dwarf_unit[i].funs.v);
		mem_free(d->dwarf_unit[i].fun);
	}
	mem_free(d->dwarf_unit);
	mem_free(d->units.v);
	arena_free(&d->names);
	if (d->dw)
		libdw()->end(d->dw);
	if (d->fd >= 0)
		close(d->fd);
	mem_free(d);
}

#else	/* without libdw */

bool dwarf_available(void)
{
	return false;
}

struct dwarf_info *dwarf_open(const struct elf *f, const char *path, struct err *e)
{
	(void)f;
	err_set(e, ERR_LIMIT, ERR_NOWHERE, "%s: cannot read debug information: ttrace was built without libdw", path);
	return NULL;
}

void dwarf_close(struct dwarf_info *d)
{
	(void)d;
}

size_t dwarf_frames_at(struct dwarf_info *d, uint64_t addr, struct debug_frame *f, size_t max)
{
	(void)d;
	(void)addr;
	(void)f;
	(void)max;
	return 0;
}
#endif
