/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_PPROF_INTERNAL_H
#define TTRACE_LOAD_PPROF_INTERNAL_H

#include "base/byte_cursor.h"
#include "base/mem/mem.h"
#include "base/u64_map.h"
#include "load/load.h"
#include "load/pprof/profile.pb-c.h"
#include "load/pprof/stack_merge.h"

/* A profile while it is read: for pprof.c and sample_pipeline.c alone. */
enum { F__N = 16 };
enum { F_TYPE = 1, F_SAMPLE, F_MAPPING, F_LOCATION, F_FUNCTION, F_STRING, F_DROP, F_KEEP, F_TIME,
	F_DURATION, F_PERIOD_TYPE, F_PERIOD, F_COMMENT, F_DEFAULT, F_DOC };

struct field {
	uint64_t field, num, at;	/* at: where its tag is */
	const uint8_t *p;
	size_t n;
	unsigned wire;
};

struct text { const uint8_t *p; uint32_t n; str_id id; bool known; };
/* The file's ids to the sink's; at: where each record is, until they are sealed. */
struct pprof_ids { struct u64_index raw; uint32_t *id; uint64_t *at; size_t cap, cat; };

struct pprof {
	struct bytes in;
	struct byte_cursor all;
	struct sink *out;
	struct err *e;
	struct arena scratch;		/* one record */
	ProtobufCAllocator pb;		/* out of scratch */
	struct text *str;
	struct pprof_ids map, fun, loc;
	uint64_t fact[16], fact_at[16];	/* numbers of the top level and where they are, by field */
	struct field period_type;
	int64_t *comment;
	size_t nstr, cstr, ncomment, ccomment, ntype;
	struct { uint64_t first, last; bool any; } strings, samples;	/* where they are, to the end of the last */
	loc_id most;			/* no location has a larger number */
	struct pprof_stretch *stretch;	/* all samples, so many at a time */
	size_t nstretch, cstretch;
	bool scattered;			/* there is something between them */
};

struct pprof_stretch { uint64_t at, end; uint32_t n; };	/* of the input; n samples are in it */

/* After sealing. 0: there is none. */
static inline uint32_t pprof_id(const struct pprof_ids *t, uint64_t raw)
{
	if (raw < t->raw.ndense)
		return t->raw.dense[raw];
	uint32_t i = u64_index_get(&t->raw, raw);
	return i == U64_INDEX_NONE || !i ? 0 : t->id[i];
}

/* The next field of a message. -1: *e. */
int pprof_field(struct byte_cursor *c, struct field *f, struct err *e);
/* Is there a string i? -1: *e. */
int pprof_has_string(const struct pprof *p, int64_t i, uint64_t at, struct err *e);
/* String i, which is there, as the sink calls it. */
str_id pprof_string(struct pprof *p, int64_t i);
int pprof_bad_record(const struct field *f, const char *what, struct err *e);

/* Records by protobuf-c come out of an arena, which is reset for the next one. */
ProtobufCAllocator pprof_scratch(struct arena *);

/* sample_decode.c: samples unpacked and checked: there is nothing in them that can be wrong. */
struct raw_label { int64_t key, str, num, unit; };
struct raw_sample { size_t label; uint32_t nlabel; };
struct sample_batch {
	uint32_t n;
	uint64_t upto;			/* of the file */
	struct raw_sample *sample;
	struct stack_merge_ref *stack;	/* of each sample */
	loc_id *loc;			/* leaf first */
	struct raw_label *label;
	int64_t *value;			/* ntype a sample */
	size_t nloc, nlabel, nvalue, csample, cstack, cloc, clabel, cvalue;
	struct arena scratch;
	struct err err;
	bool bare;			/* to be filled without stacks */
	loc_id most;			/* of sample_batch_fill_stacks(): the largest number in it */
};
/* Those of n stretches, on any thread. -1: b->err, and the batch holds what came before. */
int sample_batch_fill(struct sample_batch *b, const struct pprof *p, const struct pprof_stretch *s, size_t n);
/* The stacks alone of what lies between two places, by the file's own numbers of locations. -1: there is something
   unusual. */
int sample_batch_fill_stacks(struct sample_batch *b, const uint8_t *all, size_t at, size_t end);
void sample_batch_free(struct sample_batch *b);

/* sample_pipeline.c: all samples; the tables are there. Leaves nothing of the input behind. */
int pprof_samples(struct pprof *p);

#endif
