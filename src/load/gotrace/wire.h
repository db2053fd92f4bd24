/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_WIRE_H
#define TTRACE_LOAD_GOTRACE_WIRE_H

#include "base/byte_cursor.h"
#include "base/err.h"
#include "load/load.h"

/* Event types on the wire, by the names of events.def. */
enum wire_event_type {
	GE_NONE,
#define EV(id, name, ...) GE_##name = id,
#include "load/gotrace/events.def"
#undef EV
	GE__N = 137,
	GE_SYNC_OURS = 255	/* trace_event.wire of Sync events, which are not on the wire */
};

enum { F_T = 1, F_K = 2, F_D = 4, F_X = 8 };

/* One row of events.def. Rows of unused ids have no name. */
struct wire_event_spec {
	const char *name, *args;
	uint8_t kind, wire, resource, from, to, what, zero[2];	/* copied to struct trace_event */
	uint8_t since, flags;
	uint8_t nargs;		/* number of numbers on the wire, dt included */
	uint8_t id, value, value2, str, text, stack, stack2;	/* index in wire_event.arg */
	bool rest;		/* value2, text or stack2 is set */
};
extern const struct wire_event_spec wire_event_specs[GE__N];
extern const uint8_t wire_event_nargs[256];	/* nargs of timed events; 0 for all others */

/* A timed event. arg[0] is always 0, arg[1..4] are the numbers after dt. arg[5] and arg[6] are the goroutine and
   the processor where it happened, once known. */
struct wire_event {
	int64_t time;
	uint64_t arg[7];
	uint8_t type;
};

enum {
	GO_ARG_G = 5, GO_ARG_P = 6,
	GO_HEADER = 16,		/* "go 1.NN trace\0\0\0" */
	GO_MAX_BATCH = 64 << 10,
	GO_MAX_FRAMES = 128,
	GO_MAX_STRING = 1 << 10,
	GO_NEWEST = 26
};

/* Return the minor version of "go 1.N trace", or -1. The batches begin at GO_HEADER. */
int wire_version(struct bytes);

/* A batch on the wire; its bytes stay where they are. */
struct wire_batch {
	uint64_t gen, m, time;
	const uint8_t *p;
	uint32_t n;
	uint32_t next;		/* the next batch of the same M: index + 1; 0: none (set by generation.c) */
	uint64_t at;		/* offset of p in the file */
	uint8_t exp;		/* experiment; 0: none */
	uint8_t first;		/* type of its first event: GE_Strings, ...; GE_NONE if empty or experimental */
	bool end;		/* the end of a generation, not a batch */
	bool cut;		/* the input ends within it: n is the number of bytes that exist */
};
/* Read the head of a batch: all before its bytes. Returns 1 for a head, 0 at the end of the input, -1 for damage,
   *e. */
int wire_read_batch_head(struct byte_cursor *, struct wire_batch *, struct err *);
/* Read a whole batch; returns the same. */
int wire_read_batch(struct byte_cursor *, struct wire_batch *, struct err *);

/* Read the next event of a batch into *ev, all but its time, and its time difference into *dt. Returns false for
   damage, *e. */
bool wire_read_event(struct byte_cursor *, struct wire_event *ev, uint64_t *dt, struct err *e);

/* Read the rest of a varint whose first two bytes are in *v and have continuation bits. 8 bytes at p may be read.
   NULL: it is longer than 64 bits. */
const uint8_t *wire_varint_tail(const uint8_t *p, uint64_t *v);

/* Read a varint at p, which is mostly one to three bytes long. 10 bytes at p may be read. Returns the byte after
   it, or NULL as above. */
static inline const uint8_t *wire_varint(const uint8_t *p, uint64_t *v)
{
	uint64_t a = p[0];
	if (a < 0x80) {
		*v = a;
		return p + 1;
	}
	uint64_t b = p[1];
	*v = a = (a & 0x7f) | b << 7;
	if (b < 0x80)
		return p + 2;
	b = p[2];
	*v = (a & 0x3fff) | b << 14;
	return b < 0x80 ? p + 3 : wire_varint_tail(p + 2, v);
}

/* As wire_read_event(), for WIRE_EVENT_ROOM readable bytes at p. Returns the end of the event. NULL: the event is
 * unusual or damaged; use wire_read_event(). */
enum { WIRE_EVENT_ROOM = 1 + 10 * 5 };	/* type, dt and four numbers */
static inline __attribute__((always_inline)) const uint8_t *wire_read_event_fast(
    const uint8_t *p, struct wire_event *ev, uint64_t *dt)
{
	unsigned type = *p++, n = wire_event_nargs[type];
	if (!n || !(p = wire_varint(p, dt)))
		return NULL;
	if ((n > 1 && !(p = wire_varint(p, &ev->arg[1]))) || (n > 2 && !(p = wire_varint(p, &ev->arg[2]))) ||
	    (n > 3 && !(p = wire_varint(p, &ev->arg[3]))) || (n > 4 && !(p = wire_varint(p, &ev->arg[4]))))
		return NULL;
	ev->type = (uint8_t)type;
	return p;
}

/* Convert as Go does: a product that does not fit is the smallest number. */
static inline int64_t wire_time(double ns_per_tick, uint64_t ticks)
{
	double t = (double)ticks * ns_per_tick;
	return t >= -9223372036854775808.0 && t < 9223372036854775808.0 ? (int64_t)t : INT64_MIN;
}

/* Add with wrap-around, as Go does. */
static inline int64_t wire_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* The message for a file that consists of the header only. */
#define GO_NOTHING "nothing follows the header: the program ended before anything was written; was trace.Stop called?"

#endif
