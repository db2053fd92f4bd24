/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The board of channels. Traces do not name channels: a row is a pair of lines, one that receives and one that sends, and
 * goroutines at one of them ended waits at the other. A wait in a select counts for the side that is opposite to what
 * ended it. Sends and receives that do not wait leave no event, so a rate is that of the waits.
 */
#include "config.h"
#include "boards/internal.h"
#include "findings/measures/names.h"

#include "base/mem/mem.h"
#include "base/u64_map.h"
#include "base/wrap_math.h"

enum channel_side { SIDE_RECEIVE, SIDE_SEND, SIDES };

struct channel {
	struct board_waits side[SIDES];
	stk_id stack[SIDES];
	const char *unknown[SIDES];	/* why the side has no line; NULL: it has one */
	struct board_group group;	/* of those that wait */
	uint32_t open;
	struct board_curve curve;
};

/* Numbers of lines that are not known: the wait has not ended; no goroutine ended it; there is no stack. */
enum { LINE_OPEN, LINE_RUNTIME, LINE_NO_STACK, CHANNEL_LINES };
static const char *const no_line[CHANNEL_LINES] = {"(still blocked)", "(timer or runtime)", "(no stack)"};

struct channels {
	struct board_maker *k;
	uint32_t *of_frame;	/* by frame: number of its line; 0: not known yet */
	struct u64_hash of_line, of_pair;	/* numbers of lines; indexes of pairs by their two lines */
	uint32_t nline;		/* from CHANNEL_LINES on */
	struct channel *v;
	uint32_t n;
	size_t cap;
};

/* Does the innermost function of a stack receive from a channel? Others send to it, close it, or select. */
static bool receives(const struct store *st, stk_id stack)
{
	const struct str_row *f = names_function(st, stack);
	return names_begins(f, "runtime.chanrecv") || names_begins(f, "runtime.selectnbrecv");
}

static enum channel_side side_of(const struct store *st, const struct wait_event *e)
{
	if (e->state == TS_SELECT)
		return receives(st, e->waker_stack) ? SIDE_SEND : SIDE_RECEIVE;
	return e->state == TS_CHANSEND ? SIDE_SEND : SIDE_RECEIVE;
}

/* Return the number of a line. */
static uint32_t line_of(struct channels *c, frm_id frame)
{
	bool fresh;
	if (!frame)
		return LINE_NO_STACK;
	if (c->of_frame[frame])
		return c->of_frame[frame];
	const struct frm_row *row = store_frm(c->k->m->sn->st, frame);
	struct u64_slot *slot = u64_map_put(&c->of_line, (uint64_t)row->fun << 32 | (uint32_t)row->line, &fresh);
	if (fresh)
		slot->n = c->nline++;
	c->of_frame[frame] = (uint32_t)slot->n;
	return (uint32_t)slot->n;
}

/* Return the number of the line that ended a wait. */
static uint32_t line_of_waker(struct channels *c, const struct wait_event *e)
{
	struct scan *s = &c->k->m->scan;
	if (!e->waker)
		return e->open ? LINE_OPEN : LINE_RUNTIME;
	uint32_t waker = site_table_of(&s->wakers, TS_RUN, e->waker_stack);	/* may move the table */
	return line_of(c, s->wakers.v[waker].frame);
}

static struct channel *channel_of(struct channels *c, const uint32_t line[SIDES])
{
	bool fresh;
	struct u64_slot *slot = u64_map_put(&c->of_pair, (uint64_t)line[SIDE_RECEIVE] << 32 | line[SIDE_SEND], &fresh);
	if (fresh) {
		slot->n = c->n;
		c->v = mem_grow(c->v, &c->cap, c->n + 1u, sizeof *c->v);
		c->v[c->n] = (struct channel){.curve = board_curve_new(c->k)};
		for (int i = 0; i < SIDES; i++)
			c->v[c->n].unknown[i] = line[i] < CHANNEL_LINES ? no_line[line[i]] : NULL;
		c->n++;
	}
	return &c->v[slot->n];
}

static void visit(void *arg, const struct wait_event *e)
{
	struct channels *c = arg;
	struct scan *s = &c->k->m->scan;
	if (!e->ends)
		return;
	uint32_t site = site_table_of(&s->sites, e->state, e->stack);
	const struct wait_site *at = &s->sites.v[site];
	if (at->cls != TIME_CHANNEL && at->cls != TIME_SELECT)
		return;
	enum channel_side own = side_of(s->sn->st, e);
	uint32_t line[SIDES];
	line[own] = line_of(c, at->frame);
	line[!own] = line_of_waker(c, e);
	struct channel *x = channel_of(c, line);
	board_group_add(&x->group, store_trk_name(s->sn->st, e->g));
	x->stack[own] = e->stack;
	if (!x->stack[!own])
		x->stack[!own] = e->waker_stack;
	x->open += e->open;
	board_waits_add(&x->side[own], e);
	board_curve_add(&x->curve, e->t0, e->t1, 1);
}

/* Return which side does most of the waiting. */
static const char *starving(const struct channel *x)
{
	int64_t receive = x->side[SIDE_RECEIVE].ns, send = x->side[SIDE_SEND].ns;
	return receive / 2 >= send ? "receivers" : send / 2 >= receive ? "senders" : "both";
}

static void put_parts(struct channels *c, struct board_row *r, const struct channel *x)
{
	static const char *const list[SIDES] = {"receivers", "senders"};
	struct board_part v[SIDES];
	uint32_t n = 0;
	for (int i = 0; i < SIDES; i++) {
		const struct board_waits *w = &x->side[i];
		if (w->n)
			v[n++] = (struct board_part){.list = list[i], .word = "", .ns = w->ns, .count = w->n,
			    .stack = x->stack[i], .g = w->g, .t0 = w->t0, .t1 = w->t1};
	}
	board_put_parts(c->k, r, v, n);
}

static void put_side(struct board_row *r, enum board_column_id col, const struct channel *x, enum channel_side side)
{
	if (x->unknown[side])
		board_put_reason(r, col, x->unknown[side]);
	else
		board_put_place(r, col, x->stack[side]);
}

static void put_channel(struct channels *c, const struct channel *x)
{
	const struct board_measures *m = c->k->m;
	const struct board_waits *in = &x->side[SIDE_RECEIVE], *out = &x->side[SIDE_SEND];
	int64_t ns = wrap_add(in->ns, out->ns), most = in->ns > out->ns ? in->ns : out->ns;
	const struct board_waits *longest = in->t1 - in->t0 > out->t1 - out->t0 ? in : out;
	struct board_row *r = board_add_row(c->k);
	r->trk = longest->g;
	r->t0 = longest->t0;
	r->t1 = longest->t1;
	r->stack = x->stack[in->ns >= out->ns ? SIDE_RECEIVE : SIDE_SEND];
	r->group = board_group_name(&x->group);
	r->curve = x->curve.slot;
	board_put_int(r, BOARD_CHANNELS_TOTAL, ns);
	board_put_int(r, BOARD_CHANNELS_COUNT, (int64_t)(in->n + out->n));
	board_put_float(r, BOARD_CHANNELS_RATE, (double)(in->n + out->n) * 1e9 / (double)m->wall);
	board_put_int(r, BOARD_CHANNELS_RECEIVING, in->ns);
	board_put_int(r, BOARD_CHANNELS_SENDING, out->ns);
	board_put_int(r, BOARD_CHANNELS_MAX, r->t1 - r->t0);
	board_put_int(r, BOARD_CHANNELS_OPEN, x->open);
	board_put_word(r, BOARD_CHANNELS_STARVES, starving(x));
	board_put_float(r, BOARD_CHANNELS_SHARE, ns ? (double)most / (double)ns : 0);
	put_side(r, BOARD_CHANNELS_RECEIVES_AT, x, SIDE_RECEIVE);
	put_side(r, BOARD_CHANNELS_SENDS_AT, x, SIDE_SEND);
	put_parts(c, r, x);
}

void board_channels(struct board_maker *k)
{
	const uint64_t states = UINT64_C(1) << TS_CHANSEND | UINT64_C(1) << TS_CHANRECV | UINT64_C(1) << TS_SELECT;
	struct channels c = {.k = k, .nline = CHANNEL_LINES};
	c.of_frame = xcalloc(k->m->sn->nfrms + 1u, sizeof *c.of_frame);
	if (wait_sweep(k->m, states, visit, &c, k->on))
		for (uint32_t i = 0; i < c.n; i++)
			put_channel(&c, &c.v[i]);
	mem_free(c.of_frame);
	u64_map_free(&c.of_line);
	u64_map_free(&c.of_pair);
	mem_free(c.v);
}
