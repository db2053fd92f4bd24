/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sheets that come and go. A trace's sheets are more than its file; when they
 * are more than there is memory for, those that were got longest ago are freed,
 * and whoever gets one of them waits until its generation has been read again.
 *
 * What it takes is kept at the borders of generations: the reader's state and
 * the sealer's, as much as what lives there, and the names that the store has
 * for the generation's strings and stacks. Where the states together would take
 * more than an eighth of the memory every other one is forgotten, and from then
 * on only every second is kept: a generation whose border has none is read from
 * the nearest before it. Nothing is looked up and nothing
 * added: what comes out is the sheet that was, byte for byte.
 *
 * Reading again is a thread's, which goes on from generation to generation and
 * waits, wherever it is, when the sheet it has made is not asked for yet. So
 * walking through the trace reads it once, a sheet ahead of who walks, however few
 * sheets there is room for; who asks for another place stops it and starts one there.
 *
 * A sheet is in use while its pins are not 0. Who gets it adds a pin and then
 * looks; who drops it takes it away and then looks for pins: one of the two sees
 * the other. All else is done under one lock, by the thread that asks; that the
 * others wait for it is no loss, for they would read the same file.
 *
 * How much there is room for is asked of the system now and then: the limit less
 * all that the program holds besides sheets. Sheets of a generation that was not
 * whole stay, and so do those of the newest, while it is read.
 */
#include "config.h"
#include "store/keep.h"

#include "base/buf.h"
#include "base/cur.h"
#include "base/err.h"
#include "base/halve.h"
#include "base/job.h"
#include "base/mem.h"
#include "store/await.h"
#include "store/brief.h"
#include "store/tracks.h"

#include <string.h>

enum { STATES = 8, FLOOR = 16, ROOM_EVERY = 16, SPARE = 40 << 20, LEAST = 4 };

struct keep_border {
	struct sink_keep gen;		/* of the generation that ends here; its state may be forgotten */
	int64_t sealed;
	bool past;
	struct sink_enter *wait;	/* told, not sealed yet */
	size_t nwait;
	struct buf live;		/* the sealer's */
	uint32_t sheet;			/* the first after it */
};

struct keep {
	struct store *st;
	struct lock *brief_lock;	/* of the next four, for those who draw meanwhile */
	struct brief **brief;		/* of goroutines, over span sheets each but the last */
	size_t cbrief, briefs;
	uint32_t nbrief, span;
	struct tracks *tracks;
	struct lock *lock, *gen_lock;	/* the second: of what the thread that reads takes from gen[] */
	sink_again_fn *again;
	void *arg;
	size_t limit, room, held, states, largest, most;	/* largest generation, largest sheet */
	struct keep_border **gen;	/* ends of generations */
	size_t cgen;
	uint32_t ngen, stride, sealed, made;
	_Atomic uint32_t tick;		/* counts what was made again: the age of what was got */
	struct again *reader;		/* goes on from where the newest sheet was made again, or NULL */
	struct await *await;
	_Atomic bool lost;
};

/* ---- borders */

static void put(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_putc(b, (int)(v & 0x7f) | 0x80);
	buf_putc(b, (int)v);
}

static void *copy(const void *p, size_t n)
{
	return n ? memcpy(xmalloc(n), p, n) : NULL;
}

struct keep_border *keep_border(const struct sink_keep *gen, int64_t sealed, const struct sheet_piece *waits)
{
	struct keep_border *b = xcalloc(1, sizeof *b);
	b->gen = *gen;
	b->gen.tables = copy(gen->tables, gen->ntables);
	b->gen.state = copy(gen->state, gen->nstate);
	b->sealed = sealed;
	b->past = waits->past;
	b->nwait = waits->n;
	b->wait = copy(waits->entry, waits->n * sizeof *waits->entry);
	return b;
}

static size_t border_state(const struct keep_border *b)
{
	return b->gen.nstate + b->live.n + b->nwait * sizeof *b->wait;
}

static void border_forget(struct keep_border *b)
{
	mem_free((void *)(uintptr_t)b->gen.state);
	mem_free(b->wait);
	buf_free(&b->live);
	b->gen.state = NULL;
	b->gen.nstate = b->nwait = 0;
	b->wait = NULL;
}

static void keep_border_free(struct keep_border *b)
{
	if (!b)
		return;
	border_forget(b);
	mem_free((void *)(uintptr_t)b->gen.tables);
	mem_free(b);
}

static void put_live(struct keep_border *b, const struct sealer *s)
{
	struct buf live = {0};
	for (int k = 0; k < 2; k++) {
		trk_id last = 0;
		put(&live, s->alive[k].n);
		for (size_t i = 0; i < s->alive[k].n; i++) {
			trk_id t = s->alive[k].v[i];
			put(&live, t - last);
			put(&live, s->live[t].state);
			put(&live, s->live[t].who);
			put(&live, s->live[t].stack);
			last = t;
		}
	}
	b->live.p = copy(live.p, live.n);
	b->live.n = live.n;
	buf_free(&live);
}

static void get_live(const struct keep_border *b, struct sealer *s, uint32_t ntrks, struct tracks *k)
{
	struct cur c = cur_make(b->live.p, b->live.n, 0);
	sealer_room(s, ntrks);
	for (int kind = 0; kind < 2; kind++) {
		trk_id t = 0;
		for (uint64_t n = cur_uvarint(&c); n; n--) {
			t += (trk_id)cur_uvarint(&c);
			uint8_t state = (uint8_t)cur_uvarint(&c);
			uint32_t who = (uint32_t)cur_uvarint(&c);
			sealer_live(s, kind, t, &(struct sheet_live){ who, (stk_id)cur_uvarint(&c), state });
			tracks_was(k, t, state);
		}
	}
}

/* ---- dropping */

static void look_for_room(struct keep *k)
{
	size_t all = mem_held(), spare = SPARE + 2 * k->largest;
	size_t other = (all > k->held ? all - k->held : 0) + spare;
	size_t least = k->limit / FLOOR > LEAST * k->most ? k->limit / FLOOR : LEAST * k->most;
	k->room = k->limit > other + least ? k->limit - other : least;
}

void keep_rest(const struct store *st)
{
	col_rest(&st->marks);
	col_rest(&st->spans);
	col_rest(&st->utils);
	for (int c = 0; c < CT__N; c++)
		col_rest(&st->counts[c]);
}

/* Free a sheet, unless somebody has it in the hand. */
static bool drop(struct keep *k, struct sheet_slot *s)
{
	const struct sheet *sh = atomic_load(&s->sheet);
	if (!sh || atomic_load(&s->pins))
		return false;
	atomic_store(&s->sheet, NULL);
	if (atomic_load(&s->pins)) {
		atomic_store(&s->sheet, sh);
		return false;
	}
	k->held -= sh->bytes;
	sheet_free(sh);
	return true;
}

/* The one that was got longest ago, of equals the last. */
static struct sheet_slot *oldest(const struct keep *k, uint32_t before)
{
	struct sheet_slot *found = NULL;
	uint32_t n = k->ngen ? k->gen[k->ngen - 1]->sheet : 0, age = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct sheet_slot *s = store_slot(k->st, i);
		uint32_t a = before - atomic_load_explicit(&s->used, memory_order_relaxed);
		if (a <= UINT32_MAX / 2 && a >= age && a && atomic_load_explicit(&s->sheet, memory_order_relaxed) &&
		    !atomic_load_explicit(&s->pins, memory_order_relaxed)) {
			found = s;
			age = a;
		}
	}
	return found;
}

/* Make room for so much more among those that were got before that tick. */
static void make_room(struct keep *k, size_t more, uint32_t before)
{
	while (k->held + more > k->room) {
		struct sheet_slot *s = oldest(k, before);
		if (!s || !drop(k, s))
			return;
	}
}

void keep_sealed(struct keep *k, const struct sheet *sh)
{
	lock_take(k->lock);
	k->held += sh->bytes;
	if (sh->bytes > k->most)
		k->most = sh->bytes;
	if (k->sealed++ % ROOM_EVERY == 0) {
		for (unsigned c = CT_RUNNABLE; c < CT__N; c++)
			col_rest(&k->st->counts[c]);
		look_for_room(k);
	}
	make_room(k, 0, k->tick + 1);
	lock_give(k->lock);
}

/* ---- what stays */

/* How each track goes through the sheet. Where tracks are many and few of them live it is not worth it. */
static const uint8_t *still_of(const struct sheet *sh, uint32_t ntrks)
{
	size_t n = ntrks / 4 + 1;
	if (n > sh->bytes / 32)
		return NULL;
	uint8_t *still = xcalloc(n, 1);
	for (uint32_t r = 0; r < sh->ntrk; r++) {
		trk_id t = sh->trk[r];
		bool same = sh->first[r + 1] - sh->first[r] == 1 && sh->state[sh->first[r]] & SHEET_CONT;
		still[t / 4] |= (uint8_t)((same ? STILL_SAME : STILL_MOVES) << t % 4 * 2);
	}
	return still;
}

/* Two and two of the briefs become one. */
static void merge_briefs(struct keep *k)
{
	uint32_t n = 0;
	k->briefs = 0;
	for (uint32_t i = 0; i < k->nbrief; i += 2) {
		struct brief *a = k->brief[i], *b = i + 1 < k->nbrief ? k->brief[i + 1] : NULL;
		k->brief[n] = b ? brief_merge(a, b) : a;
		if (b) {
			mem_free(a);
			mem_free(b);
		}
		k->briefs += k->brief[n++]->bytes;
	}
	k->nbrief = n;
	k->span *= 2;
}

void keep_brief(struct keep *k, struct sheet_slot *slot, const struct sheet *sh, uint32_t i)
{
	slot->brief = brief_of(sh, i, false);
	slot->still = still_of(sh, slot->ntrks);
	struct brief *b = brief_of(sh, i, true), *last = NULL;
	lock_take(k->brief_lock);
	if (i % k->span) {
		last = k->brief[k->nbrief - 1];
		k->briefs -= last->bytes;
		k->brief[k->nbrief - 1] = brief_merge(last, b);
		mem_free(b);
		mem_free(last);
	} else {
		k->brief = mem_grow(k->brief, &k->cbrief, k->nbrief + 1u, sizeof *k->brief);
		k->brief[k->nbrief++] = b;
	}
	k->briefs += k->brief[k->nbrief - 1]->bytes;
	if (k->briefs > k->limit / STATES && k->nbrief > 1)
		merge_briefs(k);
	lock_give(k->brief_lock);
}

void keep_share(const struct snap *sn, uint32_t i, trk_id t, int64_t a, int64_t b, int64_t ns[TS__N])
{
	struct keep *k = sn->st->keep;
	if (store_trk(sn->st, t)->kind != TK_G) {
		brief_share(store_slot(sn->st, i)->brief, t, a, b, ns);
		return;
	}
	lock_take(k->brief_lock);
	brief_share(k->brief[i / k->span], t, a, b, ns);
	lock_give(k->brief_lock);
}

/* Every other state goes. */
static void thin(struct keep *k)
{
	k->stride *= 2;
	k->states = 0;
	for (uint32_t i = 0; i < k->ngen; i++) {
		if ((i + 1) % k->stride)
			border_forget(k->gen[i]);
		k->states += border_state(k->gen[i]);
	}
}

void keep_border_done(struct keep *k, struct keep_border *b, const struct sealer *s)
{
	put_live(b, s);
	b->sheet = col_n(&k->st->sheets);
	lock_take(k->lock);
	lock_take(k->gen_lock);
	k->gen = mem_grow(k->gen, &k->cgen, k->ngen + 1u, sizeof(struct keep_border *));
	k->gen[k->ngen++] = b;
	if (b->gen.end - b->gen.at > k->largest)
		k->largest = (size_t)(b->gen.end - b->gen.at);
	if (k->ngen % k->stride)
		border_forget(b);
	k->states += border_state(b);
	while (k->states > k->limit / STATES && k->stride < k->ngen)
		thin(k);
	lock_give(k->gen_lock);
	make_room(k, 0, k->tick + 1);
	lock_give(k->lock);
}

/* ---- making again */

enum { SLOTS = 1 };
struct again {
	struct keep *k;
	struct job *job;
	struct belt *belt;
	struct sheet *made[SLOTS];
	uint32_t next;			/* the owner's: the sheet that comes next */
	/* the thread's */
	struct tracks *tracks;
	struct sealer sealer;
	uint32_t gen, at, till;		/* being read; the next sheet; the first of the next generation */
	struct keep_border *end;
	bool stop, wrong;
};

/* Of a stretch of which nothing is known any more. */
struct sheet *keep_empty(int64_t t0, int64_t t1)
{
	struct { struct sheet sh; int64_t sum[TS__N]; uint32_t first[1]; } *none = xcalloc(1, sizeof *none);
	none->sh = (struct sheet){ .t0 = t0, .t1 = t1, .bytes = sizeof *none, .first = none->first,
		.sum = (const int64_t (*)[TS__N])(void *)none->sum };
	return &none->sh;
}

/* A sheet goes to its place, when that is empty and there is room; one that somebody waits for always. */
static void place(struct keep *k, struct sheet *sh, uint32_t at)
{
	struct sheet_slot *s = store_slot(k->st, at);
	bool wanted = atomic_load(&s->pins);
	if (!atomic_load(&s->sheet)) {
		if (wanted)
			make_room(k, sh->bytes, k->tick);
		if (wanted || k->held + sh->bytes <= k->room) {
			k->held += sh->bytes;
			atomic_store_explicit(&s->used, k->tick, memory_order_relaxed);
			atomic_store(&s->sheet, sh);
			return;
		}
	}
	sheet_free(sh);
}

/* A piece is complete: as many tracks and stacks were known as when it was sealed first. */
static void made(void *arg, struct sheet_piece *p)
{
	struct again *a = arg;
	a->wrong |= a->at >= a->till;
	int slot = a->wrong || a->stop ? -1 : belt_take(a->belt);
	a->stop |= slot < 0;
	if (slot >= 0) {
		const struct sheet_slot *s = store_slot(a->k->st, a->at);
		p->ntrks = s->ntrks;
		p->nstks = s->nstks;
		struct sheet *sh = sealer_seal(&a->sealer, p);
		a->wrong = sh->t0 != s->t0 || sh->t1 != s->t1 || sh->n != s->n || sh->ntrk != s->ntrk;
		a->at++;
		a->made[slot] = sh;
		if (a->wrong)
			sheet_free(sh);
		else
			belt_send(a->belt);
	}
	p->n = p->ntold = 0;
	p->past = false;
}

static str_id no_str(void *self, const char *s, size_t n) { (void)self, (void)s, (void)n; return 0; }
static fun_id no_fun(void *self, const struct sink_fun *f) { (void)self, (void)f; return 0; }
static loc_id no_loc(void *self, const struct sink_loc *l) { (void)self, (void)l; return 0; }
static stk_id no_stack(void *self, const loc_id *l, size_t n) { (void)self, (void)l, (void)n; return 0; }
static void no_mark(void *self, const struct sink_mark *m) { (void)self, (void)m; }
static void no_span(void *self, const struct sink_span *s) { (void)self, (void)s; }
static void no_count(void *self, int64_t t, enum counter c, uint64_t v) { (void)self, (void)t, (void)c, (void)v; }
static void no_util(void *self, const struct sink_util *u) { (void)self, (void)u; }
static void no_trace(void *self, const struct sink_trace *t) { (void)self, (void)t; }
static void no_born(void *self, trk_id g, str_id s, trk_id by, stk_id start, stk_id created)
{
	(void)self, (void)g, (void)s, (void)by, (void)start, (void)created;
}

static trk_id again_track(void *self, enum track_kind kind, uint64_t id)
{
	return tracks_track(((struct again *)self)->tracks, kind, id);
}

static void again_enters(void *self, const struct sink_enter *e, size_t n)
{
	tracks_enter(((struct again *)self)->tracks, e, n);
}

static bool again_upto(void *self, int64_t t, uint64_t bytes)
{
	struct again *a = self;
	(void)bytes;
	if (t != TIME_NONE)
		tracks_upto(a->tracks, t);
	return !a->wrong && !a->stop;
}

static bool again_keep(void *self, const struct sink_keep *gen)
{
	struct again *a = self;
	if (!gen)
		return true;
	a->end = tracks_border(a->tracks, gen);
	put_live(a->end, &a->sealer);
	return true;
}

/* Say a generation again, from the border before it (NULL: it is the first). True: all of its sheets were made, and
   end is its border. */
static bool read_again(struct again *a, const struct keep_border *from)
{
	static const struct sink_ops ops = {
		.str = no_str, .fun = no_fun, .loc = no_loc, .stack = no_stack, .track = again_track, .born = no_born,
		.enters = again_enters, .mark = no_mark, .span = no_span, .count = no_count, .util = no_util,
		.trace = no_trace, .upto = again_upto, .keep = again_keep,
	};
	struct keep *k = a->k;
	struct sink sink = { &ops, a };
	lock_take(k->gen_lock);
	struct sink_keep gen = k->gen[a->gen]->gen;
	a->at = a->gen ? k->gen[a->gen - 1]->sheet : 0;
	a->till = k->gen[a->gen]->sheet;
	lock_give(k->gen_lock);
	struct err e;
	gen.state = from ? from->gen.state : NULL;
	gen.nstate = from ? from->gen.nstate : 0;
	a->end = NULL;
	a->sealer = (struct sealer){0};
	a->tracks = tracks_again(k->tracks, from ? from->sealed : 0, made, a);
	if (from) {
		get_live(from, &a->sealer, col_n(&k->st->trks), a->tracks);
		tracks_waits(a->tracks, from->wait, from->nwait, from->past);
	}
	int rc = k->again(k->arg, &gen, &sink, &e);
	a->wrong |= rc && !a->stop;
	tracks_again_free(a->tracks);
	sealer_free(&a->sealer);
	return !a->wrong && !a->stop && a->end && a->at == a->till;
}

/* A border with its state, for the thread's own use. */
static struct keep_border *border_copy(const struct keep_border *b)
{
	struct keep_border *c = xcalloc(1, sizeof *c);
	*c = *b;
	c->gen.tables = NULL;
	c->gen.ntables = 0;
	c->gen.state = copy(b->gen.state, b->gen.nstate);
	c->wait = copy(b->wait, b->nwait * sizeof *b->wait);
	c->live = (struct buf){ .p = copy(b->live.p, b->live.n), .n = b->live.n };
	return c;
}

/* From generation gen on, to the last that is read. */
static int reader_run(struct job *j, void *arg)
{
	struct again *a = arg;
	struct keep *k = a->k;
	(void)j;
	lock_take(k->gen_lock);
	struct keep_border *from = a->gen ? border_copy(k->gen[a->gen - 1]) : NULL;
	bool more = a->gen < k->ngen;
	lock_give(k->gen_lock);
	while (more && read_again(a, from)) {
		keep_border_free(from);
		from = a->end;
		a->end = NULL;
		lock_take(k->gen_lock);
		more = ++a->gen < k->ngen;
		lock_give(k->gen_lock);
	}
	keep_border_free(a->end);
	keep_border_free(from);
	belt_close(a->belt);
	return 0;
}

static void reader_stop(struct keep *k)
{
	struct again *a = k->reader;
	if (!a)
		return;
	k->reader = NULL;
	belt_close(a->belt);
	if (a->job)
		job_join(a->job);
	for (int i; (i = belt_next(a->belt)) >= 0; belt_done(a->belt))
		sheet_free(a->made[i]);
	belt_free(a->belt);
	mem_free(a);
}

static void reader_start(struct keep *k, uint32_t gen)
{
	struct again *a = k->reader = xcalloc(1, sizeof *a);
	*a = (struct again){ .k = k, .belt = belt_new(SLOTS), .gen = gen, .next = gen ? k->gen[gen - 1]->sheet : 0 };
	a->job = job_start(reader_run, a);
	if (!a->job)
		reader_stop(k);
}

/* The generation that a sheet is of. */
static uint32_t gen_of(const struct keep *k, uint32_t sheet)
{
	struct halve h = {.hi = k->ngen};
	while (halve(&h))
		halve_on(&h, k->gen[h.at]->sheet <= sheet);
	return h.lo;
}

/* Take what the thread makes until the sheet is there; false: it has met its end before. */
static bool take_until(struct keep *k, uint32_t want)
{
	struct again *a = k->reader;
	for (int i; a && a->next <= want && (i = belt_next(a->belt)) >= 0;) {
		struct sheet *sh = a->made[i];
		belt_done(a->belt);
		place(k, sh, a->next++);
	}
	if (a && a->next <= want)
		reader_stop(k);
	return k->reader;
}

/* Read on, or from the nearest border on, until the sheet is there. */
static void bring(struct keep *k, uint32_t want)
{
	uint32_t g = gen_of(k, want);
	bool known = g < k->ngen;
	while (g && known && !k->gen[g - 1]->gen.nstate)
		g--;
	uint32_t from = g ? k->gen[g - 1]->sheet : 0;
	keep_rest(k->st);
	look_for_room(k);
	if (k->reader && (k->reader->next > want || k->reader->next < from))
		reader_stop(k);
	if (!take_until(k, want) && known) {	/* none, or one that came to the end of what was read at the time */
		reader_start(k, g);
		take_until(k, want);
	}
	struct sheet_slot *s = store_slot(k->st, want);
	if (!atomic_load(&s->sheet)) {
		k->lost = true;
		struct sheet *none = keep_empty(s->t0, s->t1);
		k->held += none->bytes;
		atomic_store(&s->sheet, none);
	}
	k->made++;
}

const struct sheet *keep_get(const struct snap *sn, uint32_t i)
{
	struct keep *k = sn->st->keep;
	struct sheet_slot *s = store_slot(sn->st, i);
	atomic_fetch_add(&s->pins, 1);
	const struct sheet *sh = atomic_load(&s->sheet);
	if (!sh && await_here(k->await))
		return await_sheet(k->await, s, i);
	if (!sh) {
		lock_take(k->lock);
		sh = atomic_load(&s->sheet);
		if (!sh) {
			k->tick++;
			bring(k, i);
			sh = atomic_load(&s->sheet);
		}
		lock_give(k->lock);
	}
	uint32_t tick = atomic_load_explicit(&k->tick, memory_order_relaxed);
	if (atomic_load_explicit(&s->used, memory_order_relaxed) != tick)
		atomic_store_explicit(&s->used, tick, memory_order_relaxed);
	return sh;
}

void keep_put(const struct snap *sn, uint32_t i)
{
	atomic_fetch_sub(&store_slot(sn->st, i)->pins, 1);
}

/* ---- the whole */

struct keep *keep_new(struct store *st, struct tracks *tracks, size_t limit, sink_again_fn *again, void *arg)
{
	struct keep *k = xcalloc(1, sizeof *k);
	*k = (struct keep){ .st = st, .tracks = tracks, .lock = lock_new(), .gen_lock = lock_new(), .await = await_new(), .brief_lock = lock_new(), .span = 1, .again = again, .arg = arg, .limit = limit,
		.stride = 1 };
	return k;
}

void keep_free(struct keep *k)
{
	if (!k)
		return;
	reader_stop(k);
	for (uint32_t i = 0; i < k->ngen; i++)
		keep_border_free(k->gen[i]);
	for (uint32_t i = 0; i < k->nbrief; i++)
		mem_free(k->brief[i]);
	for (uint32_t i = 0; i < col_n(&k->st->sheets); i++) {
		mem_free((void *)(uintptr_t)store_slot(k->st, i)->brief);
		mem_free((void *)(uintptr_t)store_slot(k->st, i)->still);
	}
	mem_free(k->brief);
	mem_free(k->gen);
	await_free(k->await);
	lock_free(k->brief_lock);
	lock_free(k->gen_lock);
	lock_free(k->lock);
	mem_free(k);
}

struct keep_facts keep_facts(struct keep *k)
{
	lock_take(k->lock);
	struct keep_facts f = { .limit = k->limit, .held = k->held, .states = k->states, .made = k->made, .lost = k->lost,
		.sheets = col_n(&k->st->sheets) };
	for (uint32_t i = 0; i < f.sheets; i++)
		f.there += atomic_load(&store_slot(k->st, i)->sheet) != NULL;
	lock_give(k->lock);
	return f;
}

struct await *keep_await(const struct keep *k)
{
	return k ? k->await : NULL;
}

bool keep_lost(const struct keep *k)
{
	return k && k->lost;
}

void keep_drop_all(struct keep *k)
{
	lock_take(k->lock);
	reader_stop(k);
	for (uint32_t i = 0; k->ngen && i < k->gen[k->ngen - 1]->sheet; i++)
		drop(k, store_slot(k->st, i));
	lock_give(k->lock);
}
