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

/* A profile while it is being read; used by pprof.c, presort.c and the files of samples. */
enum { F__N = 16 };
enum { F_TYPE = 1, F_SAMPLE, F_MAPPING, F_LOCATION, F_FUNCTION, F_STRING, F_DROP, F_KEEP, F_TIME,
	F_DURATION, F_PERIOD_TYPE, F_PERIOD, F_COMMENT, F_DEFAULT, F_DOC };

struct field {
	uint64_t field, num, at;	/* at: offset of its tag */
	const uint8_t *p;
	size_t n;
	unsigned wire;
};

struct text { const uint8_t *p; uint32_t n; str_id id; bool known; };
/* Maps the file's ids to the sink's. at: offset of each record, until the ids are sealed. */
struct pprof_ids {
	struct u64_index raw;
	uint32_t *id;
	uint64_t *at;
	size_t cap, cat;
	uint32_t *bare;		/* the sink's ids of records whose id is missing, until the ids are sealed */
	size_t nbare, cbare;
	uint64_t bare_at;	/* offset of the last of them */
	uint32_t zero;		/* the sink's id of the record whose id is 0, or 0 */
};

/* Counts of what a profile refers to and does not have. */
struct pprof_lost { uint64_t texts, functions, locations; };

struct pprof {
	struct bytes in;
	struct byte_cursor all;
	struct sink *out;
	struct err *e;
	struct arena scratch;		/* memory of one record */
	ProtobufCAllocator pb;		/* allocates in scratch */
	struct text *str;
	struct pprof_ids map, fun, loc;
	uint64_t fact[F__N];		/* numbers of the top level, by field */
	struct field period_type;
	int64_t *comment;
	size_t nstr, cstr, ncomment, ccomment, ntype;
	/* Offsets of the first one and of the end of the last one. */
	struct { uint64_t first, last; bool any; } strings, samples;
	loc_id most;			/* the greatest number of a location */
	uint32_t *lines, most_lines;	/* how many each location has, by its number, and the largest of them */
	size_t clines;
	struct pprof_stretch *stretch;	/* all samples in groups */
	size_t nstretch, cstretch;
	bool scattered;			/* other records are between samples */
	bool cut;			/* the file ends within a record, or within the gzip data */
	struct pprof_lost lost;
	loc_id nowhere;			/* stands in stacks for locations that do not exist; see pprof_samples() */
};

struct pprof_stretch { uint64_t at, end; uint32_t n; };	/* range of n samples in the input */

/* Return the sink's id. Call it after sealing. 0: the file's id is unknown. */
static inline uint32_t pprof_id(const struct pprof_ids *t, uint64_t raw)
{
	if (raw < t->raw.ndense)
		return t->raw.dense[raw];
	uint32_t i = u64_index_get(&t->raw, raw);
	return i == U64_INDEX_NONE ? 0 : i ? t->id[i] : t->zero;
}

/* Read the next field of a message. Returns -1 for damage, *e (which may be NULL). */
int pprof_field(struct byte_cursor *c, struct field *f, struct err *e);
static inline bool pprof_has_string(const struct pprof *p, int64_t i)
{
	return i >= 0 && (uint64_t)i < p->nstr;
}

/* Return the sink's id of string i, which must exist. */
str_id pprof_string(struct pprof *p, int64_t i);
/* Set *e to "cannot decode a WHAT" at the record's offset. Always returns -1. */
int pprof_bad_record(const struct field *f, const char *what, struct err *e);

/* Return -1 with *p->e if reading up to an offset of the file has taken too much memory (mem_limit_exceeded()). A small
   file may hold very many records. Takes some microseconds. */
int pprof_check_memory(const struct pprof *p, uint64_t at);

/* Return an allocator for protobuf-c that uses an arena. The arena is reset after each record. */
ProtobufCAllocator pprof_scratch(struct arena *);

/* sample_decode.c: decoded samples. All of their references are valid: pprof.nowhere stands for locations that do not
   exist, and labels with a text that does not exist are left out. */
struct raw_label { int64_t key, str, num, unit; };
struct raw_sample { size_t label; uint32_t nlabel; };
struct sample_batch {
	uint32_t n;
	uint64_t upto;			/* offset in the file of the end of the batch */
	struct raw_sample *sample;
	struct stack_merge_ref *stack;	/* one for each sample */
	loc_id *loc;			/* leaf first */
	struct raw_label *label;
	int64_t *value;			/* ntype for each sample */
	size_t nloc, nlabel, nvalue, csample, cstack, cloc, clabel, cvalue;
	struct arena scratch;
	struct err err;
	struct pprof_lost lost;
	bool bare;			/* decode everything but stacks */
	loc_id most;			/* set by sample_batch_fill_stacks(): the greatest number of a location in it */
};
/* Decode the samples of n stretches; may be called on any thread. Returns -1 for damage: b->err is set and the
   batch holds the samples before it. */
int sample_batch_fill(struct sample_batch *b, const struct pprof *p, const struct pprof_stretch *s, size_t n);
/* Decode only the stacks between two offsets, with the file's own numbers of locations. Returns -1 if anything is
   unusual. */
int sample_batch_fill_stacks(struct sample_batch *b, const uint8_t *all, size_t at, size_t end);
void sample_batch_free(struct sample_batch *b);

/* sample_pipeline.c: pass all samples to the sink, after the tables. The bytes of the input are discarded meanwhile. */
int pprof_samples(struct pprof *p);

#endif
