/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * pprof profiles: profile.proto on the wire into the sink.
 *
 * The top level is read with a cursor, and each record is unpacked by protobuf-c on its own, in an
 * arena that is reset after it. So the peak of memory is one record, not the tree of a whole
 * profile, and every error has an offset. The walk is repeated (strings and facts, then functions
 * and mappings, locations, samples), because writers put the string table last and a sink needs
 * names before their users. A walk that skips records costs a few ns for each.
 *
 * Samples are most of a profile: sample_pipeline.c. Only they are also decoded without protobuf-c
 * (sample_decode.c).
 *
 * A file that ends within a record is read as far as that; a name, function or location that does not
 * exist is left out or shown as unknown, so that one wrong id does not lose a profile, and a notice counts
 * them. A record whose id is missing has the id 0. The reference refuses all of these. What gives wrong
 * numbers is refused here too: framing, wire types, ids that occur twice, samples with a number of
 * values other than the number of types, and two profiles in one file.
 */
#include "config.h"
#include "load/pprof/internal.h"

#include "base/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RECORD_MAX = 1 << 26, STRETCH = 1 << 12, STRETCH_BYTES = 1 << 19 };

/* Return whether a top-level field has its wire type: bytes, or a number (for comments also packed numbers). */
static bool wire_fits(uint64_t field, unsigned wire)
{
	if (field == 0 || field >= F__N)
		return true;
	if (field <= F_STRING || field == F_PERIOD_TYPE)
		return wire == 2;
	return wire == 0 || (field == F_COMMENT && wire == 2);
}

int pprof_field(struct byte_cursor *c, struct field *f, struct err *e)
{
	f->at = byte_cursor_at(c);
	uint64_t tag = byte_cursor_uvarint(c), n;
	f->field = tag >> 3;
	f->wire = tag & 7;
	f->num = 0;
	f->n = 0;
	switch (f->wire) {
	case 0:
		f->num = byte_cursor_uvarint(c);
		break;
	case 1:
		byte_cursor_bytes(c, 8);
		break;
	case 2:
		n = byte_cursor_uvarint(c);
		f->p = byte_cursor_bytes(c, n);
		f->n = f->p ? (size_t)n : 0;
		break;
	case 5:
		byte_cursor_bytes(c, 4);
		break;
	default:
		if (!c->bad)
			return err_set(
			    e, ERR_FORMAT, f->at, "not a profile: unknown wire type %u", f->wire);
	}
	if (c->bad)
		return err_set(e, ERR_FORMAT, f->at,
		    "damaged or truncated profile: field %" PRIu64 " extends past the end", f->field);
	return 0;
}

str_id pprof_string(struct pprof *p, int64_t i)
{
	struct text *s = &p->str[i];
	if (!s->known) {
		s->id = p->out->ops->str(p->out->self, (const char *)s->p, s->n);
		s->known = true;
	}
	return s->id;
}

/* Return the sink's id of string i; 0 if it does not exist, which is counted. */
static str_id find_string(struct pprof *p, int64_t i)
{
	if (pprof_has_string(p, i))
		return pprof_string(p, i);
	p->lost.texts++;
	return 0;
}

/* ---- first walk: strings, facts, and the positions of the samples */

static int add_string(struct pprof *p, const struct field *f)
{
	if (!p->nstr && f->n)
		return err_set(p->e, ERR_FORMAT, f->at, "damaged profile: string 0 is not empty");
	p->str = mem_grow(p->str, &p->cstr, p->nstr + 1, sizeof *p->str);
	p->str[p->nstr++] = (struct text){.p = f->p, .n = (uint32_t)f->n};
	return 0;
}

static int add_comments(struct pprof *p, const struct field *f)
{
	struct byte_cursor c = byte_cursor_make(f->p, f->n, f->at);
	do {
		uint64_t v = f->wire == 2 ? byte_cursor_left(&c) ? byte_cursor_uvarint(&c) : 0 : f->num;
		if (c.bad)
			return err_set(p->e, ERR_FORMAT, f->at, "damaged profile: comments");
		if (f->wire == 2 && !f->n)
			break;
		p->comment =
		    mem_grow(p->comment, &p->ccomment, p->ncomment + 1, sizeof *p->comment);
		p->comment[p->ncomment++] = (int64_t)v;
	} while (f->wire == 2 && byte_cursor_left(&c));
	return 0;
}

static int add_fact(struct pprof *p, const struct field *f)
{
	switch (f->field) {
	case F_STRING:
		return add_string(p, f);
	case F_COMMENT:
		return add_comments(p, f);
	case F_TIME:
		if (p->fact[F_TIME])
			return err_set(p->e, ERR_FORMAT, f->at,
			    "several profiles in one file: put each of them into "
			    "a separate file");
		p->fact[F_TIME] = f->num;
		break;
	case F_PERIOD_TYPE:
		p->period_type = *f;
		break;
	default:
		if (f->field && f->field < F__N)
			p->fact[f->field] = f->num;
	}
	return 0;
}

/* Add a sample, which ends at samples.last, to the current group or a new one. */
static void add_to_stretch(struct pprof *p, const struct field *f)
{
	struct pprof_stretch *s = p->nstretch ? &p->stretch[p->nstretch - 1] : NULL;
	if (!s || s->n == STRETCH || f->at - s->at > STRETCH_BYTES) {
		p->stretch = mem_grow(p->stretch, &p->cstretch, p->nstretch + 1, sizeof *p->stretch);
		s = &p->stretch[p->nstretch++];
		*s = (struct pprof_stretch){.at = f->at};
	}
	s->end = p->samples.last;
	s->n++;
}

enum { SOME = 1 << 16 };	/* records between two checks of the memory */

/* The profile ends at this offset. */
static void cut_at(struct pprof *p, uint64_t at)
{
	if (!p->in.torn.why)
		p->out->ops->warn(p->out->self, at, "the profile is truncated: the data before this is shown");
	p->cut = true;
	p->all = byte_cursor_make(p->in.p, at, 0);
}

/* Read the next field. If the file ends within it after a first sample, the profile ends before it: return 1. */
static int next_fact(struct pprof *p, struct byte_cursor *c, struct field *f)
{
	if (!pprof_field(c, f, p->e))
		return 0;
	if (!c->bad || !p->samples.any)
		return -1;
	cut_at(p, f->at);
	return 1;
}

static int walk_facts(struct pprof *p)
{
	struct byte_cursor c = p->all;
	struct field f;
	for (uint32_t n = 1; byte_cursor_left(&c); n++) {
		int end = next_fact(p, &c, &f);
		if (end > 0)
			break;
		if (end || (n % SOME == 0 && pprof_check_memory(p, f.at)))
			return -1;
		if (!wire_fits(f.field, f.wire))
			return err_set(p->e, ERR_FORMAT, f.at,
			    "damaged profile: field %" PRIu64 " has wire type %u", f.field,
			    f.wire);
		if (f.wire == 2 && f.n > RECORD_MAX)
			return err_set(p->e, ERR_LIMIT, f.at,
			    "a record of %zu bytes exceeds the limit of %d", f.n, RECORD_MAX);
		if (add_fact(p, &f))
			return -1;
		if (f.field == F_SAMPLE && !p->samples.any)
			p->samples.first = f.at;
		if (f.field == F_STRING && !p->strings.any)
			p->strings.first = f.at;
		p->samples.any |= f.field == F_SAMPLE;
		p->strings.any |= f.field == F_STRING;
		if (f.field == F_SAMPLE) {
			p->scattered |= p->nstretch && p->samples.last != f.at;
			p->samples.last = byte_cursor_at(&c);
			add_to_stretch(p, &f);
		}
		if (f.field == F_STRING)
			p->strings.last = byte_cursor_at(&c);
	}
	if (!p->nstr && !p->samples.any)
		return err_set(p->e, ERR_FORMAT, 0, "not a profile: it has no string table");
	if (!p->cut && (!p->nstr || p->in.torn.why))
		cut_at(p, p->in.n);
	return 0;
}

/* ---- records decoded by protobuf-c, each in the scratch arena */

static void *scratch_alloc(void *arena, size_t n)
{
	return arena_try_alloc(arena, n);
}

static void scratch_free(void *arena, void *block)
{
	(void)arena, (void)block;
}

ProtobufCAllocator pprof_scratch(struct arena *a)
{
	return (ProtobufCAllocator){scratch_alloc, scratch_free, a};
}

int pprof_bad_record(const struct field *f, const char *what, struct err *e)
{
	return err_set(e, ERR_FORMAT, f->at, "damaged profile: cannot decode a %s", what);
}

int pprof_check_memory(const struct pprof *p, uint64_t at)
{
	enum { COST = 4 };	/* memory that a usual profile needs, as a multiple of its inflated size */
	struct buf b = {0};
	if (!mem_limit_exceeded())
		return 0;
	double held = (double)mem_held(), n = (double)p->in.n, all = at && at < p->in.n ? held * n / (double)at : held;
	text_bytes(&b, (int64_t)(all > COST * n ? all : COST * n));
	err_set(p->e, ERR_LIMIT, at, "the profile takes more memory than the limit of -mem: set one of about %s",
	    buf_str(&b));
	buf_free(&b);
	return -1;
}

static int take_value_type(struct pprof *p, const struct field *f, str_id *name, str_id *unit)
{
	Ttpb__ValueType *t = ttpb__value_type__unpack(&p->pb, f->n, f->p);
	if (!t)
		return pprof_bad_record(f, "value type", p->e);
	*name = find_string(p, t->type);
	*unit = find_string(p, t->unit);
	if (!pprof_has_string(p, t->type) && !p->samples.any)
		return err_set(p->e, ERR_FORMAT, f->at, "damaged profile: string %" PRId64 " of a table of %zu",
		    t->type, p->nstr);
	if (!pprof_has_string(p, t->type)) {
		char text[32];
		int n = snprintf(text, sizeof text, "type%zu", p->ntype + 1);
		*name = p->out->ops->str(p->out->self, text, (size_t)n);
	}
	return 0;
}

static int take_type(struct pprof *p, const struct field *f)
{
	str_id name = 0, unit = 0;
	if (take_value_type(p, f, &name, &unit))
		return -1;
	if (p->out->profile->type(p->out->self, name, unit) < 0)
		return err_set(p->e, ERR_LIMIT, f->at, "more than %zu sample types", p->ntype);
	p->ntype++;
	return 0;
}

/* Map the file's id of a record, or 0, to the sink's id. */
static void add_id(struct pprof_ids *t, uint64_t raw, uint32_t id, uint64_t at)
{
	if (!raw) {
		t->bare = mem_grow(t->bare, &t->cbare, t->nbare + 1, sizeof *t->bare);
		t->bare[t->nbare++] = id;
		t->bare_at = at;
		return;
	}
	t->at = mem_grow(t->at, &t->cat, t->raw.n + 1, sizeof *t->at);
	t->at[t->raw.n] = at;
	t->id = mem_grow(t->id, &t->cap, t->raw.n + 2, sizeof *t->id);
	u64_index_add(&t->raw, raw);
	t->id[t->raw.n] = id;
}

/* One record whose id is missing has the id 0: the writer counts from 0. If all are missing, they are 1, 2 ..., as
   other records refer to them. */
static int number_bare(struct pprof *p, struct pprof_ids *t, const char *what)
{
	if (t->nbare > 1 && t->raw.n)
		return err_set(p->e, ERR_FORMAT, t->bare_at, "malformed profile: %zu %ss have id 0", t->nbare, what);
	t->zero = t->nbare == 1 ? t->bare[0] : 0;
	for (size_t i = 0; i < t->nbare && !(t->zero && t->raw.n); i++)
		add_id(t, i + 1, t->bare[i], t->bare_at);
	return 0;
}

static int seal_ids(struct pprof *p, struct pprof_ids *t, const char *what)
{
	uint64_t dup = 0;
	if (number_bare(p, t, what))
		return -1;
	if (!u64_index_seal(&t->raw, &dup)) {
		mem_free(t->at);	/* later errors do not need the offsets */
		t->at = NULL;
		/* ids are nearly always 1..n: replace indexes by the sink's ids, so that a lookup needs one array
		   instead of two */
		for (size_t i = 1; i < t->raw.ndense; i++)
			t->raw.dense[i] =
			    t->raw.dense[i] == U64_INDEX_NONE ? 0 : t->id[t->raw.dense[i]];
		if (t->raw.ndense)
			t->raw.dense[0] = t->zero;
		return 0;
	}
	/* find the second record with this id */
	size_t i = 0, seen = 0;
	while (i + 1 < t->raw.n && !(t->raw.raw[i] == dup && seen++))
		i++;
	return err_set(p->e, ERR_FORMAT, t->at[i], "malformed profile: two %ss have id %" PRIu64, what, dup);
}

static int take_mapping(struct pprof *p, const struct field *f)
{
	Ttpb__Mapping *m = ttpb__mapping__unpack(&p->pb, f->n, f->p);
	if (!m)
		return pprof_bad_record(f, "mapping", p->e);
	struct sink_map out = {.id = m->id,
	    .start = m->memory_start,
	    .limit = m->memory_limit,
	    .offset = m->file_offset,
	    .file = find_string(p, m->filename),
	    .build_id = find_string(p, m->build_id),
	    .functions = m->has_functions,
	    .filenames = m->has_filenames,
	    .lines = m->has_line_numbers,
	    .inlines = m->has_inline_frames};
	if (p->cut)	/* names are missing: symbolize it */
		out.functions = out.filenames = out.lines = out.inlines = false;
	add_id(&p->map, m->id, p->out->ops->map(p->out->self, &out), f->at);
	return 0;
}

static int take_function(struct pprof *p, const struct field *f)
{
	Ttpb__Function *m = ttpb__function__unpack(&p->pb, f->n, f->p);
	if (!m)
		return pprof_bad_record(f, "function", p->e);
	if (!pprof_has_string(p, m->name)) {	/* its lines are left out, and addresses are shown */
		p->lost.texts++;
		return 0;
	}
	struct sink_fun out = {
	    .id = m->id,
	    .line = m->start_line,
	    .name = pprof_string(p, m->name),
	    .sysname = find_string(p, m->system_name),
	    .file = find_string(p, m->filename)};
	add_id(&p->fun, m->id, p->out->ops->fun(p->out->self, &out), f->at);
	return 0;
}

static int take_location(struct pprof *p, const struct field *f)
{
	Ttpb__Location *m = ttpb__location__unpack(&p->pb, f->n, f->p);
	if (!m)
		return pprof_bad_record(f, "location", p->e);
	size_t nline = 0;
	struct sink_line *line = arena_try_alloc(&p->scratch, (m->n_line + 1) * sizeof *line);
	if (!line)
		return err_set(
		    p->e, ERR_LIMIT, f->at, "out of memory for a location with %zu lines", m->n_line);
	for (size_t i = 0; i < m->n_line; i++) {
		uint32_t fun = pprof_id(&p->fun, m->line[i]->function_id);
		p->lost.functions += !fun;
		if (fun)
			line[nline++] = (struct sink_line){fun, m->line[i]->line, m->line[i]->column};
	}
	struct sink_loc out = {.id = m->id,
	    .addr = m->address,
	    .map = pprof_id(&p->map, m->mapping_id),
	    .folded = m->is_folded,
	    .line = line,
	    .nline = nline};
	loc_id id = p->out->ops->loc(p->out->self, &out);
	p->lines = mem_grow(p->lines, &p->clines, id + 1u, sizeof *p->lines);
	p->lines[id] = (uint32_t)nline;
	if (p->lines[id] > p->most_lines)
		p->most_lines = p->lines[id];
	if (id > p->most)
		p->most = id;
	add_id(&p->loc, m->id, id, f->at);
	return 0;
}

typedef int take_fn(struct pprof *, const struct field *);

/* Walk once and process the records of the fields that have a function. */
static int walk_records(struct pprof *p, take_fn *const take[F__N])
{
	struct byte_cursor c = p->all;
	struct field f;
	for (uint32_t n = 0; byte_cursor_left(&c); n++) {
		if (p->nstretch && !p->scattered && byte_cursor_at(&c) == p->samples.first) {
			c.p = c.base + p->samples.last;	/* skip all samples, which are most of the file */
			continue;
		}
		if (pprof_field(&c, &f, p->e) || (n % SOME == SOME - 1 && pprof_check_memory(p, f.at)))
			return -1;
		if (!f.field || f.field >= F__N || !take[f.field])
			continue;
		if (take[f.field](p, &f))
			return -1;
		if (p->scratch.used)
			arena_reset(&p->scratch);
		if (n % 1024 == 0 && !p->out->ops->upto(p->out->self, TIME_NONE, f.at))
			return err_set(p->e, ERR_CANCEL, ERR_NOWHERE, "stopped");
	}
	return 0;
}

static int emit_meta(struct pprof *p)
{
	struct sink_meta m = {.time = (int64_t)p->fact[F_TIME],
	    .duration = (int64_t)p->fact[F_DURATION],
	    .period = (int64_t)p->fact[F_PERIOD],
	    .ncomment = p->ncomment};
	if (p->period_type.field &&
	    take_value_type(p, &p->period_type, &m.period_type, &m.period_unit))
		return -1;
	const struct {
		int field;
		str_id *to;
	} text[] = {{F_DROP, &m.drop_frames}, {F_KEEP, &m.keep_frames},
	    {F_DEFAULT, &m.default_type}, {F_DOC, &m.doc_url}};
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		*text[i].to = find_string(p, (int64_t)p->fact[text[i].field]);
	str_id *comment = xmalloc((p->ncomment + 1) * sizeof *comment);
	for (size_t i = 0; i < p->ncomment; i++)
		comment[i] = find_string(p, p->comment[i]);
	m.comment = comment;
	p->out->profile->meta(p->out->self, &m);
	mem_free(comment);
	return 0;
}

static void report_lost(const struct pprof *p)
{
	const struct pprof_lost *l = &p->lost;
	if (l->texts || l->functions || l->locations)
		p->out->ops->warn(p->out->self, ERR_NOWHERE,
		    "the profile refers to names (%" PRIu64 "), functions (%" PRIu64 ") or locations (%" PRIu64
		    ") that it does not have: they are not shown", l->texts, l->functions, l->locations);
}

static int read_tables(struct pprof *p)
{
	static take_fn *const names[F__N] = {
	    [F_TYPE] = take_type, [F_MAPPING] = take_mapping, [F_FUNCTION] = take_function};
	static take_fn *const locations[F__N] = {[F_LOCATION] = take_location};
	if (walk_facts(p) || emit_meta(p) || walk_records(p, names) || seal_ids(p, &p->map, "mapping") ||
	    seal_ids(p, &p->fun, "function") || walk_records(p, locations) ||
	    seal_ids(p, &p->loc, "location") || pprof_samples(p))
		return -1;
	report_lost(p);
	return 0;
}

static void ids_free(struct pprof_ids *t)
{
	u64_index_free(&t->raw);
	mem_free(t->id);
	mem_free(t->at);
	mem_free(t->bare);
}

bool pprof_has_drop_frames(struct bytes in)
{
	struct byte_cursor c = byte_cursor_make(in.p, in.n, 0);
	struct field f;
	while (byte_cursor_left(&c) && !pprof_field(&c, &f, NULL))
		if (f.field == F_DROP && f.num)
			return true;
	return false;
}

bool pprof_has_linker_names(struct bytes in)
{
	struct byte_cursor c = byte_cursor_make(in.p, in.n, 0);
	struct field f;
	while (byte_cursor_left(&c) && !pprof_field(&c, &f, NULL))
		if (f.field == F_STRING && f.n > 2 && f.p[0] == '_' && (f.p[1] == 'Z' || f.p[1] == 'R'))
			return true;
	return false;
}

int pprof_read(struct bytes in, struct sink *out, struct err *e)
{
	if (!in.n)
		return err_set(e, ERR_FORMAT, 0, "empty file");
	if (in.n > 1 && in.p[0] == 0x1f && in.p[1] == 0x8b)
		return err_set(e, ERR_FORMAT, 0, "compressed twice: run gunzip once");
	if (in.torn.why && !in.torn.early)	/* data after the damage may be wrong, and so may be the numbers */
		return input_refuse_torn(&in, e);
	struct pprof p = {.in = in, .all = byte_cursor_make(in.p, in.n, 0), .out = out, .e = e};
	p.pb = pprof_scratch(&p.scratch);
	int r = read_tables(&p);
	ids_free(&p.map);
	ids_free(&p.fun);
	ids_free(&p.loc);
	mem_free(p.str);
	mem_free(p.comment);
	mem_free(p.lines);
	mem_free(p.stretch);
	arena_free(&p.scratch);
	return r;
}
