/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Mutations of a Go trace of version 1.22 or later. A file is a list of batches, a batch a list of events. A mutation changes
 * the order of batches, or the generation, M or time of one; or it changes the events of a batch: their order, an event
 * replaced by one of another batch, or a number replaced by one of another event (time, id, sequence number, string, stack).
 */
#include "config.h"
#include "mutate.h"

#include "load/gotrace/wire.h"

struct trace_parts {
	struct mutate_part v[MUTATE_PARTS + 1];		/* batches with their heads, or events */
	size_t n;
};

/* Return the length of the event at p; 0: it is damaged. */
static size_t event_length(const uint8_t *p, size_t n)
{
	struct byte_cursor c = byte_cursor_make(p, n, 0);
	uint8_t type = byte_cursor_u8(&c);
	uint64_t last = 0;
	if (type >= GE__N || !wire_event_specs[type].name)
		return 0;
	for (unsigned i = 0; i < wire_event_specs[type].nargs; i++)
		last = byte_cursor_uvarint(&c);
	if (wire_event_specs[type].flags & F_D)
		byte_cursor_bytes(&c, byte_cursor_uvarint(&c));
	if (wire_event_specs[type].flags & F_K && last > GO_MAX_FRAMES)
		return 0;
	for (uint64_t i = 0; wire_event_specs[type].flags & F_K && i < 4 * last; i++)
		byte_cursor_uvarint(&c);
	return c.bad ? 0 : (size_t)(c.p - p);
}

static void split_events(const struct wire_batch *b, struct trace_parts *to)
{
	to->n = 0;
	for (size_t at = 0, len; at < b->n && to->n < MUTATE_PARTS && (len = event_length(b->p + at, b->n - at)); at += len)
		to->v[to->n++] = (struct mutate_part){b->p + at, len};
}

static void split_batches(struct bytes in, struct trace_parts *to, struct wire_batch *b)
{
	struct byte_cursor c = byte_cursor_make(in.p + GO_HEADER, in.n - GO_HEADER, 0);
	const uint8_t *from = c.p;
	for (to->n = 0; to->n < MUTATE_PARTS && wire_read_batch(&c, &b[to->n], NULL) > 0; from = c.p)
		to->v[to->n++] = (struct mutate_part){from, (size_t)(c.p - from)};
}

static uint64_t some_number(struct mutate_rnd *r, const struct mutate_part *e)
{
	struct byte_cursor c = byte_cursor_make(e->p + 1, e->n - 1, 0);
	uint64_t v = 0;
	for (uint32_t i = 0, k = mutate_rnd(r, 5); i <= k && byte_cursor_left(&c); i++)
		v = byte_cursor_uvarint(&c);
	return v;
}

/* Write an event with one number changed; its frames or data stay. */
static void put_changed(struct mutate_rnd *r, struct buf *b, const struct mutate_part *e, const struct mutate_part *other)
{
	unsigned nargs = wire_event_specs[*e->p].nargs, which = mutate_rnd(r, nargs);
	struct byte_cursor c = byte_cursor_make(e->p + 1, e->n - 1, 0);
	buf_putc(b, *e->p);
	for (unsigned i = 0; i < nargs; i++) {
		uint64_t v = byte_cursor_uvarint(&c);
		buf_varint(b, i == which ? mutate_number(r, v, some_number(r, other)) : v);
	}
	buf_put(b, (const char *)c.p, byte_cursor_left(&c));
}

static void put_head(struct buf *b, const struct wire_batch *h, size_t n)
{
	buf_putc(b, GE_EventBatch);
	buf_varint(b, h->gen);
	buf_varint(b, h->m);
	buf_varint(b, h->time);
	buf_varint(b, n);
}

/* Write a batch with other events. from: the events of another batch. */
static void put_events(struct mutate_rnd *r, struct buf *b, const struct wire_batch *h, const struct trace_parts *from)
{
	static struct trace_parts ev;
	struct buf one = {0}, all = {0};
	split_events(h, &ev);
	size_t i = mutate_rnd(r, ev.n), had = ev.n;
	const struct mutate_part *other = from->n ? &from->v[mutate_rnd(r, from->n)] : &ev.v[mutate_rnd(r, ev.n)];
	const uint8_t *rest = ev.n ? ev.v[ev.n - 1].p + ev.v[ev.n - 1].n : h->p;
	if (had) {
		switch (mutate_rnd(r, 4)) {
		case 0: ev.n = mutate_order(r, ev.v, ev.n); break;
		case 1: ev.v[i] = *other; break;
		default:
			put_changed(r, &one, &ev.v[i], other);
			ev.v[i] = (struct mutate_part){(const uint8_t *)one.p, one.n};
		}
	}
	mutate_put(&all, ev.v, ev.n);
	buf_put(&all, (const char *)rest, (size_t)(h->p + h->n - rest));
	put_head(b, h, all.n);
	buf_put(b, all.p ? all.p : "", all.n);
	buf_free(&one);
	buf_free(&all);
}

size_t mutate_trace(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	static struct trace_parts batches, from;
	static struct wire_batch b[MUTATE_PARTS + 1];
	struct mutate_rnd r = {seed};
	struct bytes in = {.p = data, .n = n};
	struct buf out = {0}, one = {0};
	if (n < GO_HEADER || wire_version(in) < 22)
		return 0;
	split_batches(in, &batches, b);
	if (!batches.n)
		return 0;
	size_t i = mutate_rnd(&r, batches.n), k = mutate_rnd(&r, batches.n);
	struct wire_batch h = b[i];
	if (h.end || h.exp || !mutate_rnd(&r, 4)) {
		batches.n = mutate_order(&r, batches.v, batches.n);
	} else if (!mutate_rnd(&r, 4)) {
		uint64_t *part[] = {&h.gen, &h.m, &h.time}, *other[] = {&b[k].gen, &b[k].m, &b[k].time};
		uint32_t which = mutate_rnd(&r, 3);
		*part[which] = mutate_number(&r, *part[which], *other[which]);
		put_head(&one, &h, h.n);
		buf_put(&one, (const char *)h.p, h.n);
		batches.v[i] = (struct mutate_part){(const uint8_t *)one.p, one.n};
	} else {
		from.n = 0;
		if (!b[k].end && !b[k].exp)
			split_events(&b[k], &from);
		put_events(&r, &one, &h, &from);
		batches.v[i] = (struct mutate_part){(const uint8_t *)one.p, one.n};
	}
	buf_put(&out, (const char *)data, GO_HEADER);
	mutate_put(&out, batches.v, batches.n);
	buf_free(&one);
	return mutate_finish(&out, data, max);
}
