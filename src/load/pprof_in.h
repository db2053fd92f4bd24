/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_IN_H
#define TTRACE_PPROF_IN_H

#include "base/cur.h"
#include "base/mem.h"
#include "load/idmap.h"
#include "load/load.h"
#include "load/profile.pb-c.h"

/* A profile while it is read: for pprof.c and pprof_samples.c alone. */
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
/* The file's ids to the sink's; at: where each record is. */
struct ids { struct idtab raw; uint32_t *id; uint64_t *at; size_t cap, cat; };

struct pprof {
	struct bytes in;
	struct cur all;
	struct sink *out;
	struct err *e;
	struct arena scratch;		/* one record */
	ProtobufCAllocator pb;		/* out of scratch */
	struct text *str;
	struct ids map, fun, loc;
	uint64_t fact[16], fact_at[16];	/* numbers of the top level and where they are, by field */
	struct field period_type;
	int64_t *comment;
	size_t nstr, cstr, ncomment, ccomment, ntype;
	struct { uint64_t first, last; bool any; } strings, samples;	/* where they are, to the end of the last */
};

/* After sealing. 0: there is none. */
static inline uint32_t pprof_id(const struct ids *t, uint64_t raw)
{
	if (raw < t->raw.ndense)
		return t->raw.dense[raw];
	uint32_t i = idtab_get(&t->raw, raw);
	return i == IDTAB_NONE || !i ? 0 : t->id[i];
}

/* The next field of a message. -1: *e. */
int pprof_field(struct cur *c, struct field *f, struct err *e);
/* Is there a string i? -1: p->e. */
int pprof_has_string(struct pprof *p, int64_t i, uint64_t at);
/* String i, which is there, as the sink calls it. */
str_id pprof_string(struct pprof *p, int64_t i);
int pprof_bad_record(struct pprof *p, const struct field *f, const char *what);

/* pprof_samples.c: all samples; the tables are there. Leaves nothing of the input behind. */
int pprof_samples(struct pprof *p);

#endif
