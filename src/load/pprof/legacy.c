/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Profiles from before profile.proto. The kinds are tried in pprof's order (binary CPU profiles,
 * the text kinds, Java's; jemalloc's, which pprof cannot read, has a heading of its own). The data
 * is passed to the sink only when the whole file has been parsed, because mappings come last in the
 * file and first in the sink. This file collects the data and passes it on.
 */
#include "config.h"
#include "load/pprof/legacy.h"

#include <string.h>

/* ---- samples */

static int same_addr(const void *ctx, uint32_t id, const void *key)
{
	return ((const struct legacy *)ctx)->loc[id].addr == *(const uint64_t *)key;
}

uint32_t legacy_loc(struct legacy *g, uint64_t addr)
{
	uint32_t h = intern_hash_u64(addr, 0), id = intern_find(&g->locs, h, same_addr, g, &addr);
	if (id != UINT32_MAX)
		return id;
	g->loc = mem_grow(g->loc, &g->cloc, g->nloc + 1, sizeof *g->loc);
	g->loc[g->nloc] = (struct legacy_loc){.addr = addr};
	intern_put(&g->locs, h, (uint32_t)g->nloc);
	return (uint32_t)g->nloc++;
}

struct legacy_sample *legacy_sample(struct legacy *g)
{
	legacy_apply_comments(g);
	g->next = g->nframe;
	g->sample = mem_grow(g->sample, &g->csample, g->nsample + 1, sizeof *g->sample);
	g->sample[g->nsample] = (struct legacy_sample){.frame = g->nframe};
	return &g->sample[g->nsample++];
}

void legacy_add_frame(struct legacy *g, uint32_t loc)
{
	g->frame = mem_grow(g->frame, &g->cframe, g->nframe + 1, sizeof *g->frame);
	g->frame[g->nframe++] = loc;
	g->sample[g->nsample - 1].n++;
}

/* ---- names */

static int same_fun(const void *ctx, uint32_t id, const void *key)
{
	const struct legacy *g = ctx;
	const struct scan_text *name = key;
	return g->fun[id].nname == scan_len(*name) && !memcmp(g->fun[id].name, name->p, scan_len(*name));
}

uint32_t legacy_fun(struct legacy *g, struct scan_text name, struct scan_text file)
{
	uint32_t h = intern_hash_bytes(name.p, scan_len(name), 0), id = intern_find(&g->funs, h, same_fun, g, &name);
	if (id != UINT32_MAX)
		return id;
	g->fun = mem_grow(g->fun, &g->cfun, g->nfun + 1, sizeof *g->fun);
	g->fun[g->nfun] = (struct legacy_fun){name.p, file.p, scan_len(name), scan_len(file)};
	intern_put(&g->funs, h, (uint32_t)g->nfun);
	return (uint32_t)g->nfun++;
}

void legacy_line(struct legacy *g, uint32_t fun, int64_t line)
{
	g->line = mem_grow(g->line, &g->cline, g->nline + 1, sizeof *g->line);
	g->line[g->nline++] = (struct legacy_line){fun, line};
}

/* If a leaf was written twice, the second time with an address less by one, drop the second one. */
void legacy_drop_double_leaf(struct legacy *g)
{
	for (size_t i = 0; i < g->nsample; i++) {
		struct legacy_sample *s = &g->sample[i];
		if (s->n < 2)
			continue;
		uint32_t *f = g->frame + s->frame;
		if (g->loc[f[0]].addr == g->loc[f[1]].addr + 1) {
			f[1] = f[0];
			s->frame++;
			s->n--;
		}
	}
}

/* ---- all kinds */

static enum legacy_result read_cpu(struct legacy *g, struct bytes b, const struct sink *s)
{
	enum legacy_result v = legacy_read_cpu(g, b, s);
	if (v == LEGACY_OK && !g->nfun)
		legacy_drop_double_leaf(g);
	return v;
}

static void free_legacy(struct legacy *g)
{
	mem_free(g->loc);
	mem_free(g->order);
	mem_free(g->map);
	mem_free(g->fun);
	mem_free(g->line);
	mem_free(g->sample);
	mem_free(g->frame);
	intern_free(&g->locs);
	intern_free(&g->funs);
	arena_free(&g->arena);
	*g = (struct legacy){0};
}

static enum legacy_result parse_any(struct legacy *g, struct bytes b, const struct sink *s)
{
	static enum legacy_result (*const text[])(struct legacy *, struct scan_lines) = {
	    legacy_read_heap,
	    legacy_read_count,
	    legacy_read_threads,
	    legacy_read_contention,
	    legacy_read_jemalloc,
	};
	struct scan_lines l = scan_bounded(b, s, 0, 1);
	enum legacy_result v = read_cpu(g, b, s);
	for (size_t i = 0; i < sizeof text / sizeof text[0] && v == LEGACY_OTHER; i++) {
		free_legacy(g);
		v = text[i](g, l);
	}
	if (v == LEGACY_OTHER) {
		free_legacy(g);
		v = legacy_read_java(g, b, s);
	}
	return v;
}

/* Frames of the profiler itself, by sample types. Older profiles do not contain these expressions, but profiles
   written from them do, so they are spelt as pprof spells them. */
static const char drop_cpu[] =
    "ProfileData::Add|ProfileData::prof_handler|CpuProfiler::prof_handler|"
    "__pthread_sighandler|__restore";
static const char drop_lock[] =
    "RecordLockProfileData|(base::)?RecordLockProfileData.*|"
    "(base::)?SubmitMutexProfileData.*|(base::)?SubmitSpinLockProfileData.*|"
    "(base::Mutex::)?AwaitCommon.*|(base::Mutex::)?Unlock.*|(base::Mutex::)?UnlockSlow.*|"
    "(base::Mutex::)?ReaderUnlock.*|(base::MutexLock::)?~MutexLock.*|(Mutex::)?AwaitCommon.*|"
    "(Mutex::)?Unlock.*|(Mutex::)?UnlockSlow.*|(Mutex::)?ReaderUnlock.*|"
    "(MutexLock::)?~MutexLock.*|(SpinLock::)?Unlock.*|(SpinLock::)?SlowUnlock.*|"
    "(SpinLockHolder::)?~SpinLockHolder.*";
static const char drop_heap[] =
    "calloc|cfree|malloc|free|memalign|do_memalign|(__)?posix_memalign|pvalloc|valloc|"
    "realloc|tcmalloc::.*|tc_calloc|tc_cfree|tc_malloc|tc_free|tc_memalign|tc_posix_memalign|"
    "tc_pvalloc|tc_valloc|tc_realloc|tc_new|tc_delete|tc_newarray|tc_deletearray|"
    "tc_new_nothrow|tc_newarray_nothrow|malloc_zone_malloc|malloc_zone_calloc|"
    "malloc_zone_valloc|malloc_zone_realloc|malloc_zone_memalign|malloc_zone_free|"
    "runtime\\..*|BaseArena::.*|(::)?do_malloc_no_errno|(::)?do_malloc_pages|(::)?do_malloc|"
    "DoSampledAllocation|MallocedMemBlock::MallocedMemBlock|_M_allocate|"
    "__builtin_(vec_)?delete|__builtin_(vec_)?new|__gnu_cxx::new_allocator::allocate|"
    "__libc_malloc|__malloc_alloc_template::allocate|allocate|cpp_alloc|"
    "operator new(\\[\\])?|simple_alloc::allocate";
static const char keep_heap[] = "runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*";

static void set_frame_filters(struct legacy *g)
{
	if (g->drop)	/* the parser has set its own */
		return;
	g->drop = drop_cpu;
	if (g->ntype >= 2 && !strcmp(g->type[0], "contentions") && !strcmp(g->type[1], "delay"))
		g->drop = drop_lock;
	if (g->ntype >= 2 && (!strcmp(g->type[1], "space") || !strcmp(g->type[1], "inuse_space") ||
				 !strcmp(g->type[1], "alloc_space"))) {
		g->drop = drop_heap;
		g->keep = keep_heap;
	}
}

static str_id put_str(struct sink *s, const char *t)
{
	return t ? s->ops->str(s->self, t, strlen(t)) : 0;
}

static fun_id emit_function(const struct legacy_fun *f, uint64_t id, struct sink *s)
{
	str_id name = s->ops->str(s->self, f->name, f->nname);
	return s->ops->fun(s->self, &(struct sink_fun){id, name, name, s->ops->str(s->self, f->file, f->nfile), 0});
}

static void emit_tables(const struct legacy *g, struct sink *s, loc_id *loc)
{
	map_id *map = xcalloc(g->nmap + 1, sizeof *map);
	fun_id *fun = xcalloc(g->nfun + 1, sizeof *fun);
	struct sink_line *line = NULL;
	size_t cap = 0;
	uint64_t known = 0;
	for (size_t i = 0; i < g->ntype; i++)
		s->profile->type(s->self, put_str(s, g->type[i]), put_str(s, g->unit[i]));
	for (size_t i = 0; i < g->nmap; i++) {
		const struct legacy_map *m = &g->map[i];
		map[i + 1] = s->ops->map(
		    s->self, &(struct sink_map){.id = i + 1,
				 .start = m->start,
				 .limit = m->limit,
				 .offset = m->offset,
				 .file = s->ops->str(s->self, m->file, m->nfile),
				 .build_id = s->ops->str(s->self, m->build, m->nbuild)});
	}
	for (size_t i = 0; i < g->norder; i++) {
		const struct legacy_loc *l = &g->loc[g->order[i]];
		line = mem_grow(line, &cap, l->nline + 1u, sizeof *line);
		for (uint32_t k = 0; k < l->nline; k++) {
			const struct legacy_line *x = &g->line[l->line + k];
			if (!fun[x->fun])	/* functions are numbered in the order of the locations, as in pprof */
				fun[x->fun] = emit_function(&g->fun[x->fun], ++known, s);
			line[k] = (struct sink_line){fun[x->fun], x->line, 0};
		}
		loc[g->order[i]] = s->ops->loc(s->self, &(struct sink_loc){.id = l->id,
							    .addr = l->addr,
							    .map = map[l->map],
							    .line = line,
							    .nline = l->nline});
	}
	mem_free(line);
	mem_free(map);
	mem_free(fun);
}

static void emit_profile(const struct legacy *g, struct sink *s)
{
	loc_id *loc = xcalloc(g->nloc + 1, sizeof *loc), *stack = NULL;
	size_t cap = 0;
	emit_tables(g, s, loc);
	s->profile->meta(s->self, &(struct sink_meta){.period_type = put_str(s, g->period_type),
				  .period_unit = put_str(s, g->period_unit),
				  .period = g->period,
				  .duration = g->duration,
				  .commented = g->commented,
				  .drop_frames = put_str(s, g->drop),
				  .keep_frames = put_str(s, g->keep)});
	str_id bytes = put_str(s, "bytes");
	for (size_t i = 0; i < g->nsample; i++) {
		const struct legacy_sample *x = &g->sample[i];
		struct sink_label label = {.key = bytes, .num = x->bytes};
		stack = mem_grow(stack, &cap, x->n + 1u, sizeof *stack);
		for (uint32_t k = 0; k < x->n; k++)
			stack[k] = loc[g->frame[x->frame + k]];
		s->profile->sample(
		    s->self, &(struct sink_sample){.stack = s->ops->stack(s->self, stack, x->n),
				 .value = x->value,
				 .label = &label,
				 .nlabel = x->has_bytes,
				 .when = TIME_NONE});
	}
	mem_free(loc);
	mem_free(stack);
}

int legacy_read(struct bytes b, struct sink *s, struct err *e)
{
	struct legacy g = {0};
	struct legacy_symbols names = {.n = 0};
	struct bytes data = legacy_has_symbols(b) ? legacy_take_symbols(&names, b, s) : b;
	enum legacy_result v = parse_any(&g, data, s);
	if (v == LEGACY_OK) {
		legacy_apply_comments(&g);
		legacy_apply_symbols(&g, &names);
		set_frame_filters(&g);
		emit_profile(&g, s);
		scan_warn_cut(s, g.out_of_memory || names.cut);
		if (g.inlined_limited)
			s->ops->warn(s->self, ERR_NOWHERE, "some addresses have too many inlined calls in the comments; their frames "
			    "have no names");
		if (g.attrs_limited)
			s->ops->warn(s->self, ERR_NOWHERE,
			    "the memory map defines too many or too long attributes; some $names in it are not replaced");
	}
	free_legacy(&g);
	legacy_symbols_free(&names);
	return v == LEGACY_OK ? 0
			   : err_set(e, ERR_FORMAT, ERR_NOWHERE,
				 v == LEGACY_BAD ? "malformed profile in a legacy text format"
					      : "unrecognized profile format");
}

bool legacy_probe(struct bytes b)
{
	return legacy_has_symbols(b) || legacy_is_plain(b);
}

bool legacy_is_plain(struct bytes b)
{
	static const unsigned char words[4][8] = {
	    {0, 0, 0, 0, 3, 0, 0, 0},
	    {0, 0, 0, 0, 0, 0, 0, 3},
	    {0},
	    {0},
	};
	if (b.n >= 20 && (!memcmp(b.p, words[0], 8) || !memcmp(b.p, words[1], 8)))
		return true;
	if (b.n >= 40 && !memcmp(b.p, words[2], 8) && (b.p[8] == 3 || b.p[15] == 3))
		return true;
	struct scan_lines l = {
	    .p = (const char *)b.p, .end = (const char *)b.p + (b.n < 4096 ? b.n : 4096)};
	if (legacy_is_jemalloc(l))
		return true;
	while (scan_next_line(&l) && scan_is_comment(&l))
		;
	return scan_contains(scan_line_text(&l), "heap profile:") ||
	       scan_contains(scan_line_text(&l), " profile: total ") ||
	       scan_contains(scan_line_text(&l), "--- contention") ||
	       scan_contains(scan_line_text(&l), "--- mutex:") || scan_contains(scan_line_text(&l), "--- thread") ||
	       scan_contains(scan_line_text(&l), "--- Thread ") || scan_contains(scan_line_text(&l), "--- heapz ");
}
