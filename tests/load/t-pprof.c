/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Profiles that protobuf-c encodes, read back: every field arrives, damage is refused with its offset, what is missing is
   counted, and no truncation or inverted bit gives a store that breaks its laws. */
#include "config.h"
#include "base/mem/mem.h"
#include "load/load.h"
#include "load/pprof/presort.h"
#include "load/pprof/profile.pb-c.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/store.h"
#include "tap.h"

#include <string.h>

/* ---- a profile made by hand */

static const char *const text[] = {"", "cpu", "nanoseconds", "main", "work", "inner", "m.go", "key",
    "value", "bytes", "/bin/x", "drop", "keep", "a comment", "url", "build", "sys.main", "req",
    "samples", "count", ""};
enum { TEXTS = sizeof text / sizeof *text };

struct made {
	Ttpb__Profile p;
	Ttpb__ValueType type[2], *ptype[2], period;
	Ttpb__Mapping map, *pmap[1];
	Ttpb__Function fun[3], *pfun[3];
	Ttpb__Line line[4], *l1[2], *l2[1];
	Ttpb__Location loc[3], *ploc[3];
	Ttpb__Sample smp[2], *psmp[2];
	Ttpb__Label label[5], *plabel[5];
	uint64_t stack[3];
	int64_t value[4], comment[1];
	ProtobufCBinaryData str[TEXTS];
};

static void make_tables(struct made *m)
{
	for (int i = 0; i < 3; i++) {
		ttpb__function__init(&m->fun[i]);
		m->fun[i].id = (uint64_t)i + 1 + (i == 2 ? UINT64_C(1) << 60 : 0);
		m->fun[i].name = 3 + i;
		m->fun[i].filename = 6;
		m->fun[i].start_line = 10 * i;
		m->pfun[i] = &m->fun[i];
		ttpb__location__init(&m->loc[i]);
		m->loc[i].id = (uint64_t)i + 7;
		m->loc[i].address = 0x1000u * (unsigned)i + 5;
		m->ploc[i] = &m->loc[i];
		ttpb__line__init(&m->line[i]);
		m->line[i].function_id = m->fun[i].id;
		m->line[i].line = 100 + i;
	}
	m->fun[0].system_name = 16;
	ttpb__mapping__init(&m->map);
	m->map = (Ttpb__Mapping){.base = m->map.base,
	    .id = 3,
	    .memory_start = 4096,
	    .memory_limit = 8192,
	    .file_offset = 12,
	    .filename = 10,
	    .build_id = 15,
	    .has_functions = 1,
	    .has_inline_frames = 1};
	m->pmap[0] = &m->map;
	m->loc[0].mapping_id = 3;
	m->l1[0] = &m->line[2];		/* location 0: inner inlined into work */
	m->l1[1] = &m->line[1];
	m->loc[0].line = m->l1, m->loc[0].n_line = 2;
	m->line[0].column = 4;
	m->l2[0] = &m->line[0];		/* location 1: main; location 2 has no lines */
	m->loc[1].line = m->l2, m->loc[1].n_line = 1;
	m->loc[2].is_folded = 1;
}

static void make_samples(struct made *m)
{
	m->stack[0] = 7, m->stack[1] = 9, m->stack[2] = 8;
	for (int i = 0; i < 5; i++) {
		ttpb__label__init(&m->label[i]);
		m->label[i].key = 7;
		m->plabel[i] = &m->label[i];
	}
	m->label[0].str = 8;
	m->label[1].num = -5, m->label[1].num_unit = 9;
	m->label[2].key = 17;		/* number 0 without a unit: not a label */
	m->label[3].str = TEXTS - 1;	/* text that is present and empty */
	m->label[4].num_unit = TEXTS - 1;	/* number 0 with a unit that is present and empty */
	int64_t v[] = {1, -7, INT64_MAX, INT64_MIN};
	memcpy(m->value, v, sizeof v);
	for (int i = 0; i < 2; i++) {
		ttpb__sample__init(&m->smp[i]);
		m->smp[i].location_id = m->stack, m->smp[i].n_location_id = i ? 0 : 3;
		m->smp[i].value = &m->value[2 * i], m->smp[i].n_value = 2;
		m->smp[i].label = m->plabel, m->smp[i].n_label = i ? 0 : 5;
		m->psmp[i] = &m->smp[i];
		ttpb__value_type__init(&m->type[i]);
		m->ptype[i] = &m->type[i];
	}
	m->type[0].type = 18, m->type[0].unit = 19;
	m->type[1].type = 1, m->type[1].unit = 2;
}

static void make(struct made *m)
{
	memset(m, 0, sizeof *m);
	ttpb__profile__init(&m->p);
	make_tables(m);
	make_samples(m);
	for (size_t i = 0; i < TEXTS; i++)
		m->str[i] = (ProtobufCBinaryData){strlen(text[i]), (uint8_t *)(uintptr_t)text[i]};
	ttpb__value_type__init(&m->period);
	m->period.type = 1, m->period.unit = 2;
	m->comment[0] = 13;
	m->p = (Ttpb__Profile){.base = m->p.base,
	    .n_sample_type = 2,
	    .sample_type = m->ptype,
	    .n_sample = 2,
	    .sample = m->psmp,
	    .n_mapping = 1,
	    .mapping = m->pmap,
	    .n_location = 3,
	    .location = m->ploc,
	    .n_function = 3,
	    .function = m->pfun,
	    .n_string_table = TEXTS,
	    .string_table = m->str,
	    .drop_frames = 11,
	    .keep_frames = 12,
	    .time_nanos = 99,
	    .duration_nanos = 77,
	    .period_type = &m->period,
	    .period = 10,
	    .n_comment = 1,
	    .comment = m->comment,
	    .default_sample_type = 1,
	    .doc_url = 14};
}

static size_t pack(const struct made *m, uint8_t **out)
{
	*out = xmalloc(ttpb__profile__get_packed_size(&m->p) * 2);
	return ttpb__profile__pack(&m->p, *out);
}

/* ---- reading */

struct got { struct store_builder *b; const struct snap *sn; const struct store *st; int r; struct err e; };

static struct got get(const void *p, size_t n)
{
	struct got g = {.b = builder_new()};
	struct sink s = builder_sink(g.b);
	g.r = pprof_read((struct bytes){.p = p, .n = n}, &s, &g.e);
	g.sn = builder_finish(g.b);
	g.st = g.sn->st;
	struct err e = {0};
	if (store_check(g.sn, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		OK(!"the laws of the store hold");
	}
	return g;
}

static bool is(const struct store *st, str_id i, const char *s)
{
	return !strcmp(store_str(st, i)->s, s) && store_str(st, i)->n == strlen(s);
}

static void tables_arrive(const struct got *g)
{
	const struct store *st = g->st;
	OK(g->r == 0 && g->sn->complete && g->sn->nfuns == 4 && g->sn->nlocs == 4 &&
	    column_n(&st->maps) == 2);
	const struct map_row *m = column_at(&st->maps, 1);
	OK(m->id == 3 && m->start == 4096 && m->limit == 8192 && m->offset == 12 &&
	    is(st, m->file, "/bin/x"));
	OK(is(st, m->build_id, "build") && m->functions && m->inlines && !m->lines &&
	    !m->filenames);
	const struct fun_row *f = store_fun(st, 1);
	OK(f->id == 1 && is(st, f->name, "main") && is(st, f->sysname, "sys.main") &&
	    is(st, f->file, "m.go"));
	OK(store_fun(st, 3)->id == (UINT64_C(1) << 60) + 3 && store_fun(st, 3)->line == 20);
	const struct loc_row *a = store_loc(st, 1), *b = store_loc(st, 2), *c = store_loc(st, 3);
	OK(a->id == 7 && a->map == 1 && a->addr == 5 && a->nline == 2 && !a->folded);
	OK(is(st, store_fun(st, store_frm(st, a->first)->fun)->name, "inner") &&
	    store_frm(st, a->first)->line == 102);
	OK(is(st, store_fun(st, store_frm(st, a->first + 1)->fun)->name, "work"));
	OK(b->nline == 1 && b->map == 0 && store_col(st, b->first) == 4);
	OK(c->nline == 1 && c->folded && !store_frm(st, c->first)->fun && c->addr == 0x2005);
	const struct sink_meta *t = &st->meta;
	OK(st->has_meta && t->time == 99 && t->duration == 77 && t->period == 10 &&
	    t->ncomment == 1);
	OK(is(st, t->drop_frames, "drop") && is(st, t->keep_frames, "keep") &&
	    is(st, t->default_type, "cpu"));
	OK(is(st, t->doc_url, "url") && is(st, t->comment[0], "a comment") &&
	    is(st, t->period_unit, "nanoseconds"));
}

static void samples_arrive(const struct got *g)
{
	const struct store *st = g->st;
	OK(g->sn->ntypes == 2 && g->sn->nsmps == 2);
	const struct type_row *t = column_at(&st->types, 1);
	OK(is(st, t->name, "cpu") && is(st, t->unit, "nanoseconds"));
	static const char *const path[] = {"inner", "work", "", "main"};	/* leaf first */
	stk_id s = store_smp(st, 0)->stack;
	for (int i = 0; i < 4; i++, s = stk_parent(st, s))
		OK(s && is(st, store_fun(st, store_frm(st, stk_frame(st, s))->fun)->name,
			    path[i]));
	OK(s == 0 && store_smp(st, 1)->stack == 0 && store_smp_time(st, 0).when == TIME_NONE);
	OK(store_value(st, 0, 0) == 1 && store_value(st, 1, 0) == -7);
	OK(store_value(st, 0, 1) == INT64_MAX &&
	    store_value(st, 1, 1) == INT64_MIN);
	OK(store_set(st, store_smp(st, 0)->set)->n == 4 && !store_smp(st, 1)->set);
	const struct sink_label *l = column_at(&st->labels, 0);
	OK(is(st, l[0].key, "key") && is(st, l[0].str, "value"));
	OK(!l[1].str && l[1].num == -5 && is(st, l[1].unit, "bytes"));
	OK(is(st, l[2].key, "key") && !l[2].str && !l[2].num && !l[2].unit && l[2].blank);
	OK(is(st, l[3].key, "key") && !l[3].str && !l[3].num && !l[3].unit && l[3].bare);
}

/* Check that a profile with one error is refused, and that the error contains `message`. */
static void refused(const struct made *m, const char *message)
{
	uint8_t *p;
	size_t n = pack(m, &p);
	struct got g = get(p, n);
	OK(g.r == -1 && g.e.kind == ERR_FORMAT && strstr(g.e.msg, message) && g.e.at < n);
	if (g.r != -1 || !strstr(g.e.msg, message))
		fprintf(stderr, "wanted \"%s\", got \"%s\"\n", message, g.e.msg);
	builder_free(g.b);
	mem_free(p);
}

static void refusals(void)
{
	struct made m;
	make(&m), m.fun[1].id = 1, refused(&m, "two functions have id 1");
	make(&m), m.loc[1].id = 7, refused(&m, "two locations have id 7");
	make(&m), m.fun[0].id = m.fun[1].id = 0, refused(&m, "2 functions have id 0");
	make(&m), m.smp[1].n_value = 1, refused(&m, "1 values for 2 sample types");
	make(&m), m.p.n_sample_type = 0, refused(&m, "without sample types");
	make(&m), m.type[1].type = TEXTS, m.p.n_sample = 0, refused(&m, "string 21");
	make(&m), m.str[0] = m.str[1], refused(&m, "string 0");
	make(&m), m.p.n_string_table = m.p.n_sample = 0, refused(&m, "no string table");
}

/* Read a profile that refers to something that it does not have. A notice has the counts; `leaf_first` are the names of the
   first sample's frames, "" for frames without a name. */
static void read_lossy(const struct made *m, const char *counts, const char *const leaf_first[4])
{
	uint8_t *p;
	size_t n = pack(m, &p);
	struct got g = get(p, n);
	const struct warn_row *w = g.sn->nwarns ? column_at(&g.st->warns, 0) : NULL;
	OK(g.r == 0 && g.sn->nwarns == (counts ? 1 : 0) && (!counts || strstr(w->msg, counts)));
	OK(g.sn->nsmps == 2 && store_value(g.st, 0, 0) == 1 && store_value(g.st, 1, 0) == -7);
	stk_id s = store_smp(g.st, 0)->stack;
	for (int i = 0; i < 4 && leaf_first[i]; i++, s = stk_parent(g.st, s))
		OK(s && is(g.st, store_fun(g.st, store_frm(g.st, stk_frame(g.st, s))->fun)->name, leaf_first[i]));
	OK(s == 0);
	builder_free(g.b);
	mem_free(p);
}

/* One id that refers to nothing does not lose the profile, and nothing is counted at another function. */
static void lossy_profiles(void)
{
	static const char *const whole[4] = {"inner", "work", "", "main"}, *const no_main[4] = {"inner", "work", "", ""},
	    *const no_inner[4] = {"work", "", "main"}, *const no_leaf[4] = {"", "", "main"};
	struct made m;
	make(&m), m.map.id = 0, read_lossy(&m, NULL, whole);
	make(&m), m.stack[0] = 12345, read_lossy(&m, "names (0), functions (0) or locations (1)", no_leaf);
	make(&m), m.line[0].function_id = 44, read_lossy(&m, "functions (1)", no_main);
	make(&m), m.line[0].function_id = 0, read_lossy(&m, "functions (1)", no_main);
	make(&m), m.fun[2].name = TEXTS, read_lossy(&m, "names (1), functions (1)", no_inner);
	make(&m), m.p.doc_url = -1, read_lossy(&m, "names (1)", whole);
	make(&m), m.label[1].num_unit = 1000, read_lossy(&m, "names (1)", whole);
}

/* Ids from 0 on, and records without ids, which are numbered in their order. */
static void missing_ids(void)
{
	static const char *const whole[4] = {"inner", "work", "", "main"};
	struct made m;
	make(&m);
	m.fun[0].id = m.line[0].function_id = 0;
	m.loc[1].id = m.stack[2] = 0;
	read_lossy(&m, NULL, whole);
	make(&m);
	for (int i = 0; i < 3; i++) {
		m.fun[i].id = m.loc[i].id = 0;
		m.line[i].function_id = (uint64_t)i + 1;
	}
	m.stack[0] = 1, m.stack[1] = 3, m.stack[2] = 2;
	read_lossy(&m, NULL, whole);
}

static void several_profiles(void)
{
	struct made m;
	make(&m);
	uint8_t *p;
	size_t n = pack(&m, &p);
	memcpy(p + n, p, n);
	struct got g = get(p, 2 * n);
	OK(g.r == -1 && strstr(g.e.msg, "several profiles in one file") && g.e.at > n && g.e.at < 2 * n);
	builder_free(g.b);
	p[0] = 0x1f, p[1] = 0x8b;
	g = get(p, n);
	OK(g.r == -1 && strstr(g.e.msg, "compressed twice"));
	builder_free(g.b);
	g = get(p, 0);
	OK(g.r == -1 && strstr(g.e.msg, "empty"));
	builder_free(g.b);
	mem_free(p);
}

/* Truncate the profile at each byte and invert each bit; get() checks the store. The error of a truncated profile has an
   offset within what is left. A profile that has a sample is shown, with a notice if it ends within a record. */
static void damage(void)
{
	struct made m;
	make(&m);
	uint8_t *p;
	size_t n = pack(&m, &p), shown = 0, noted = 0, both = 0;
	for (size_t i = 0; i < n; i++) {
		struct got g = get(p, i);
		OK(g.r == 0 || (g.e.msg[0] && g.e.at <= i));
		OK(!shown || g.r == 0);
		OK(g.r || (g.sn->nsmps && store_value(g.st, 0, 0) == 1 && store_value(g.st, 1, 0) == -7));
		shown += g.r == 0;
		both += g.r == 0 && g.sn->nsmps == 2;
		noted += g.r == 0 && g.sn->nwarns && strstr(((const struct warn_row *)column_at(&g.st->warns, 0))->msg,
		    "truncated: the data before this is shown");
		builder_free(g.b);
	}
	OK(both > n / 2 && shown > both && noted > n / 2);
	for (size_t i = 0; i < 8 * n; i++) {
		p[i / 8] ^= (uint8_t)(1u << i % 8);
		struct got g = get(p, n);
		OK(g.r == 0 || g.e.msg[0]);
		builder_free(g.b);
		p[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	mem_free(p);
}

/* A snapshot does not change while more of the file is read. */
static void published(void)
{
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	const struct snap *first = builder_snap(b);
	s.profile->meta(s.self, &(struct sink_meta){.period = 10});
	OK(!first->meta && builder_snap(b) == first);
	const struct snap *last = builder_finish(b);
	OK(!first->meta && last->meta && last->meta->period == 10);
	builder_free(b);
}

/* No caller takes the runs before the whole profile is inflated; if one did, it would get none, and the thread ends. */
static void test_presort_ended_early(void)
{
	static const uint8_t input[64];
	uint32_t n;
	struct presort *a = presort_new(input);
	if (!a)
		return;
	presort_advance(a, 32);
	OK(!presort_take_runs(a, &n));
	presort_free(a);
}

int main(void)
{
	struct made m;
	make(&m);
	uint8_t *p;
	size_t n = pack(&m, &p);
	struct got g = get(p, n);
	tables_arrive(&g);
	samples_arrive(&g);
	builder_free(g.b);
	mem_free(p);
	refusals();
	lossy_profiles();
	missing_ids();
	several_profiles();
	damage();
	published();
	test_presort_ended_early();
	return DONE();
}
