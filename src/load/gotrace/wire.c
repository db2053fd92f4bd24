/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The wire format: a header of 16 bytes, then batches. A batch belongs to one generation and one
 * thread (M), has a base time, and holds either timed events or a part of a table: strings, stacks,
 * CPU samples, clocks. A timed event is a byte and a few varints, the first of which is the time
 * since the previous event. Since 1.26 a single byte ends a generation; before, the first batch
 * with the next number does.
 *
 * Nothing is copied: a batch is a pointer into the input, and events are decoded from it one at a
 * time, when the orderer needs them. The fields of an event are defined by a row of events.def, not
 * by code.
 */
#include "config.h"
#include "load/gotrace/wire.h"

#include "load/gotrace/event_stream.h"

#include <inttypes.h>
#include <string.h>

const struct wire_event_spec wire_event_specs[GE__N] = {
#define EV(num, nm, vers, fl, cnt, names, k, res, f, t, w, i, v, v2, s, tx, st, st2) \
	[num] = {.name = #nm, .args = names, .since = vers, .flags = fl, .nargs = cnt, \
	    .kind = TEV_##k, .wire = num, .resource = TR_##res, .from = TST_##f, .to = TST_##t, .what = w, \
	    .id = i, .value = v, .value2 = v2, .str = s, .text = tx, .stack = st, .stack2 = st2, \
	    .rest = (v2) || (tx) || (st2)},
#include "load/gotrace/events.def"
#undef EV
};

const uint8_t wire_event_nargs[256] = {
#define EV(num, nm, vers, fl, cnt, ...) [num] = (fl) & F_T ? cnt : 0,
#include "load/gotrace/events.def"
#undef EV
};

int wire_version(struct bytes in)
{
	if (in.n < 6 || memcmp(in.p, "go 1.", 5))
		return -1;
	size_t i = 5;
	int v = 0;
	for (; i < in.n && i < 8 && in.p[i] >= '0' && in.p[i] <= '9'; i++)
		v = v * 10 + (in.p[i] - '0');
	if (i == 5)
		return -1;
	if (in.n < GO_HEADER || memcmp(in.p + i, " trace", 6))
		return -1;
	for (i += 6; i < GO_HEADER; i++)
		if (in.p[i])
			return -1;
	return v;
}

int wire_read_batch_head(struct byte_cursor *c, struct wire_batch *b, struct err *e)
{
	uint64_t at = byte_cursor_at(c);
	*b = (struct wire_batch){0};
	if (!byte_cursor_left(c))
		return 0;
	uint8_t type = byte_cursor_u8(c);
	if (type == GE_EndOfGeneration) {
		b->end = true;
		return 1;
	}
	if (type != GE_EventBatch && type != GE_ExperimentalBatch)
		return err_set(e, ERR_FORMAT, at, "expected batch event, got event %d", type);
	if (type == GE_ExperimentalBatch)
		b->exp = byte_cursor_u8(c);
	b->gen = byte_cursor_uvarint(c);
	b->m = byte_cursor_uvarint(c);
	b->time = byte_cursor_uvarint(c);
	uint64_t n = byte_cursor_uvarint(c);
	if (c->bad)
		return err_set(e, ERR_FORMAT, at, "error reading batch header: %s",
		    byte_cursor_left(c) < 10 ? "unexpected EOF" : "varint overflows a 64-bit integer");
	if (n > GO_MAX_BATCH)
		return err_set(e, ERR_FORMAT, at, "invalid batch size %" PRIu64 ", maximum is %d",
		    n,
		    GO_MAX_BATCH);
	b->at = byte_cursor_at(c);
	b->n = (uint32_t)n;
	return 1;
}

int wire_read_batch(struct byte_cursor *c, struct wire_batch *b, struct err *e)
{
	uint64_t at = byte_cursor_at(c);
	int r = wire_read_batch_head(c, b, e);
	if (r <= 0 || b->end)
		return r;
	uint64_t n = b->n;
	size_t left = byte_cursor_left(c);
	b->p = c->p;
	b->cut = !byte_cursor_bytes(c, n);
	if (b->cut)
		b->n = (uint32_t)left;
	b->first = b->n && !b->exp ? b->p[0] : GE_NONE;
	return !b->cut ? 1 : err_set(e, ERR_FORMAT, at,
	    "failed to read full batch: read %zu but wanted %" PRIu64, left, n);
}

static bool event_bad(struct byte_cursor *c, uint64_t at, struct err *e, const char *why, int type)
{
	c->bad = true;
	err_set(e, ERR_FORMAT, at, why, type);
	return false;
}

const uint8_t *wire_varint_tail(const uint8_t *p, uint64_t *v)
{
	uint64_t x = *v & 0x3fff;
	for (unsigned s = 14;; s += 7) {
		uint64_t b = *p++;
		x |= (b & 0x7f) << s;
		if (s == 63 && b > 1)
			return NULL;
		if (b < 0x80)
			break;
	}
	*v = x;
	return p;
}

bool wire_read_event(struct byte_cursor *c, struct wire_event *ev, uint64_t *dt, struct err *e)
{
	uint64_t at = byte_cursor_at(c);
	uint8_t type = byte_cursor_u8(c);
	if (c->bad)
		return event_bad(c, at, e, "the batch ends in the middle of an event", 0);
	if (type >= GE__N)
		return event_bad(c, at, e, "found invalid event type: %d", type);
	const struct wire_event_spec *s = &wire_event_specs[type];
	if (!(s->flags & F_T))
		return event_bad(c, at, e, "found event without a timestamp: type=%d", type);
	ev->type = type;
	*dt = byte_cursor_uvarint(c);
	for (unsigned i = 1; i < s->nargs; i++)
		ev->arg[i] = byte_cursor_uvarint(c);
	if (c->bad)
		return event_bad(c, at, e, "found invalid uvarint in an event of type %d", type);
	return true;
}
