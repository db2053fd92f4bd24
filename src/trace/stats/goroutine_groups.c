/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Groups of goroutines. All sheets are walked once, in order. A goroutine has sums of all states from its first sheet to
 * that in which it ends; then its times are packed: of most of millions of goroutines six bytes are left, where a struct
 * goroutine_times takes a third of a kilobyte. So the memory is that of the goroutines that are alive at once.
 *
 * A record is a set of states and the time in each of them. If the total differs from the sum of these times, or if there
 * are parts, these follow: the difference, the number of parts, and each part (a wait by its reason, or a range) with its
 * name and time. What is not stored can be derived.
 */
#include "config.h"
#include "trace/stats/goroutine_stats.h"

#include "base/byte_cursor.h"
#include "base/ending.h"
#include "base/radix_sort.h"
#include "base/text/buf.h"
#include "base/wrap_math.h"
#include "trace/bins_time.h"
#include "trace/stats/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- records */

enum {
	RECORD_REST = 1,	/* the bit that a difference and parts follow */
	RECORD_STATE = 1	/* the number of the first bit of the set of states */
};
_Static_assert(RECORD_STATE + TS__N <= 64, "the set has a bit for each state");
enum part_kind { PART_OTHER, PART_RANGE, PART_BEFORE };	/* a wait by its reason, a range, goroutine_times.before */

static void pack_ns(struct buf *b, int64_t ns)
{
	buf_varint(b, (uint64_t)ns << 1 ^ (uint64_t)(ns >> 63));
}

static int64_t unpack_ns(struct byte_cursor *c)
{
	uint64_t v = byte_cursor_uvarint(c);
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* Return the state of the lowest bit of a set, which begins with bit 0. */
static enum tstate first_state(uint64_t states)
{
	return (enum tstate)(((unsigned)__builtin_ctzll(states) + TS_RUN) % TS__N);
}

/* Return the bit of a state. The six states from TS_RUN to TS_READY, which most goroutines have, come first: one byte has
   the set of these. */
static uint64_t bit_of(int state)
{
	return UINT64_C(1) << (RECORD_STATE + (state + TS__N - TS_RUN) % TS__N);
}

static bool is_other(const struct stats_part *p)
{
	return p->name || p->text == stats_reasons[TS_OTHER];
}

static void pack_part(struct buf *b, enum part_kind kind, const struct stats_part *p)
{
	buf_putc(b, (int)kind);
	buf_varint(b, p->name);
	pack_ns(b, p->ns);
}

/* Append the record of a goroutine and return its offset. */
static uint32_t pack(struct buf *b, const struct goroutine_times *g)
{
	size_t at = b->n;
	uint64_t head = 0;
	int64_t rest = g->total;
	uint32_t nparts = g->nrange;
	if (at > UINT32_MAX)	/* the records of hundreds of millions of goroutines */
		ending_no_memory(at);
	for (int s = 0; s < TS__N; s++)
		if (g->ns[s]) {
			head |= bit_of(s);
			rest = wrap_sub(rest, g->ns[s]);
		}
	nparts += g->before_ns > 0;
	for (uint32_t i = 0; i < g->nblock; i++)
		nparts += is_other(&g->block[i]);
	head |= rest || nparts ? RECORD_REST : 0;
	buf_varint(b, head);
	for (uint64_t states = head >> RECORD_STATE; states; states &= states - 1)
		pack_ns(b, g->ns[first_state(states)]);
	if (!(head & RECORD_REST))
		return (uint32_t)at;
	pack_ns(b, rest);
	buf_varint(b, nparts);
	if (g->before_ns > 0)
		pack_part(b, PART_BEFORE, &(struct stats_part){.name = (str_id)g->before, .ns = g->before_ns});
	for (uint32_t i = 0; i < g->nblock; i++)
		if (is_other(&g->block[i]))
			pack_part(b, PART_OTHER, &g->block[i]);
	for (uint32_t i = 0; i < g->nrange; i++)
		pack_part(b, PART_RANGE, &g->range[i]);
	return (uint32_t)at;
}

static struct byte_cursor record_of(const struct stats_groups *gs, const struct stats_goroutine *g)
{
	return byte_cursor_make(gs->packed + g->at, gs->npacked - g->at, 0);
}

/* Read the times by state and the total. Return the number of parts that follow. */
static uint64_t unpack_states(struct byte_cursor *c, int64_t ns[TS__N], int64_t *total)
{
	uint64_t head = byte_cursor_uvarint(c);
	*total = 0;
	for (uint64_t states = head >> RECORD_STATE; states; states &= states - 1) {
		enum tstate s = first_state(states);
		ns[s] = unpack_ns(c);
		*total = wrap_add(*total, ns[s]);
	}
	if (!(head & RECORD_REST))
		return 0;
	*total = wrap_add(*total, unpack_ns(c));
	return byte_cursor_uvarint(c);
}

static int64_t total_of(const struct stats_groups *gs, const struct stats_goroutine *g)
{
	struct byte_cursor c = record_of(gs, g);
	int64_t ns[TS__N], total;
	unpack_states(&c, ns, &total);
	return total;
}

int64_t stats_groups_total(const struct stats_groups *gs, uint32_t i)
{
	return total_of(gs, &gs->g[i]);
}

/* Add a part to the sums, and store it at p, unless that is NULL. */
static void add_part(struct goroutine_times *g, struct stats_part *p, enum part_kind kind, struct stats_part part)
{
	*(kind == PART_RANGE ? &g->ranged : &g->blocked) += part.ns;
	if (p)
		p[g->nblock + g->nrange] = part;
	*(kind == PART_RANGE ? &g->nrange : &g->nblock) += p != NULL;
}

static void next_part(struct byte_cursor *c, enum part_kind *kind, str_id *name)
{
	*kind = (enum part_kind)byte_cursor_u8(c);
	*name = (str_id)byte_cursor_uvarint(c);
}

void stats_groups_times(const struct stats_groups *gs, uint32_t i, struct arena *mem, struct goroutine_times *g)
{
	struct byte_cursor c = record_of(gs, &gs->g[i]);
	*g = (struct goroutine_times){.trk = gs->g[i].trk};
	uint64_t n = unpack_states(&c, g->ns, &g->total);
	struct stats_part *p = mem ? arena_alloc(mem, (TS__N + n) * sizeof *p) : NULL;
	enum part_kind kind = PART_OTHER;
	str_id name = 0;
	if (n)
		next_part(&c, &kind, &name);
	if (n && kind == PART_BEFORE) {
		g->before = (enum tstate)name;
		g->before_ns = unpack_ns(&c);
		if (--n)
			next_part(&c, &kind, &name);
	}
	for (int s = 0; s < TS__N; s++)
		if (stats_is_part((enum tstate)s, stats_own_ns(g, (enum tstate)s)))
			add_part(g, p, PART_OTHER, (struct stats_part){0, s == TS_UNKNOWN ? "" : stats_reasons[s],
			    stats_own_ns(g, (enum tstate)s)});
	for (; n; n--) {
		const char *text = kind == PART_OTHER ? stats_reasons[TS_OTHER] : "";
		add_part(g, p, kind, (struct stats_part){name, text, unpack_ns(&c)});
		if (n > 1)
			next_part(&c, &kind, &name);
	}
	g->block = p;
	g->range = p ? p + g->nblock : NULL;
	stats_sum_states(g);
}

int64_t stats_groups_start(const struct stats_groups *gs, uint32_t i)
{
	int64_t born = store_trk(gs->sn->st, gs->g[i].trk)->t0;
	return gs->from != TIME_NONE && gs->from > born ? gs->from : born;
}

/* ---- groups */

static int group_cmp(const void *a, const void *b)
{
	const struct stats_group *x = a, *y = b;
	if (x->exec != y->exec)
		return x->exec > y->exec ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Is the goroutine selected, and for which time range (TIME_NONE: all of it)? */
static bool goroutine_selected(const struct snap *sn, const struct stats_query *q, trk_id t, int64_t *a, int64_t *b)
{
	const struct trk_row *r = store_trk(sn->st, t);
	int64_t t0 = r->t0, t1 = store_t1(sn->st, r);
	*a = *b = TIME_NONE;
	if (r->kind != TK_G || t0 == TIME_NONE || (q->g && !(q->g[t >> 3] >> (t & 7) & 1)))
		return false;
	if (q->t0 != TIME_NONE && q->t0 > t0)
		*a = q->t0;
	if (q->t1 != TIME_NONE && q->t1 < (t1 == TIME_NONE ? sn->t1 : t1))
		*b = q->t1;
	return (*a == TIME_NONE || t1 == TIME_NONE || *a < t1) && (*b == TIME_NONE || *b > t0);
}

/* Report i of n done; these n are `part` percent, after `from`. Return false to stop. */
static bool report_progress(const struct stats_query *q, uint32_t i, uint32_t n, unsigned from, unsigned part)
{
	return i % 16384 || watcher_report(&q->on, from + (n ? (uint64_t)part * i / n : part), 100);
}

struct running_sums { trk_id trk; int64_t t0, t1, ns[TS__N]; };

/* State while groups are built. */
struct grouping {
	const struct stats_index *s;
	const struct snap *sn;
	const struct stats_query *q;
	struct arena *mem, parts;
	struct stats_groups *o;
	uint32_t *count;		/* by key: number of goroutines; later the index of the group */
	uint32_t *of;			/* by track: its index in o->g plus 1; 0: not selected, or its times are packed */
	/* the first nopen elements: sums of the goroutines that have not ended. The index plus 1 is in their `at`, 0 there
	   before their first sheet */
	struct data_column open;
	uint32_t nopen;
	struct buf packed;
};

static str_id group_key(const struct grouping *k, trk_id t)
{
	return k->q->key ? k->q->key[t] : store_trk_start(k->sn->st, t);
}

static struct stats_group *group_of(const struct grouping *k, trk_id t)
{
	return &k->o->group[k->count[group_key(k, t)]];
}

/* Count the goroutines of each group. */
static bool count_groups(struct grouping *k)
{
	int64_t a, b;
	str_id most = k->sn->nstrs;
	for (trk_id t = 1; t < k->sn->ntrks && k->q->key; t++)
		most = k->q->key[t] > most ? k->q->key[t] : most;
	k->count = xcalloc(most + 1u, sizeof *k->count);
	for (trk_id t = 1; t < k->sn->ntrks; t++) {
		if (!report_progress(k->q, t, k->sn->ntrks, 5, 10))
			return false;
		if (goroutine_selected(k->sn, k->q, t, &a, &b))
			k->o->n += !k->count[group_key(k, t)]++, k->o->ng++;
	}
	k->o->group = arena_alloc(k->mem, (k->o->n + 1u) * sizeof *k->o->group);
	uint32_t at = 0, n = 0;
	for (str_id i = 0; i <= most; i++)
		if (k->count[i]) {
			k->o->group[n] = (struct stats_group){ i, at, 0, 0 };
			at += k->count[i];
			k->count[i] = n++;
		}
	return true;
}

/* Put the goroutines of each group in the order of ids. */
static bool list_goroutines(struct grouping *k)
{
	int64_t a, b;
	k->of = xcalloc(k->sn->ntrks + 1u, sizeof *k->of);
	k->o->g = arena_alloc(k->mem, (k->o->ng + 1u) * sizeof *k->o->g);
	for (trk_id t = 1; t < k->sn->ntrks; t++) {
		if (!report_progress(k->q, t, k->sn->ntrks, 15, 10))
			return false;
		if (!goroutine_selected(k->sn, k->q, t, &a, &b))
			continue;
		struct stats_group *gr = group_of(k, t);
		uint32_t i = gr->first + gr->n++;
		k->o->g[i] = (struct stats_goroutine){.trk = t};
		k->of[t] = i + 1;
	}
	return true;
}

static struct running_sums *open_sums_at(const struct grouping *k, uint32_t i)
{
	return column_at(&k->open, i);
}

/* Return the sums of goroutine i so far. */
static struct running_sums *open_sums(struct grouping *k, uint32_t i)
{
	struct stats_goroutine *g = &k->o->g[i];
	struct goroutine_times x;
	int64_t a, b;
	if (g->at)
		return open_sums_at(k, g->at - 1);
	struct running_sums *sums = k->nopen < column_n(&k->open) ? open_sums_at(k, k->nopen) : column_add(&k->open, NULL);
	g->at = ++k->nopen;
	goroutine_selected(k->sn, k->q, g->trk, &a, &b);
	stats_begin_account(k->s, g->trk, a, b, &x);
	*sums = (struct running_sums){.trk = g->trk, .t0 = x.t0, .t1 = x.t1};
	return sums;
}

/* Pack the times of a goroutine that has ended. */
static void close_sums(struct grouping *k, struct running_sums *sums)
{
	struct stats_goroutine *g = &k->o->g[k->of[sums->trk] - 1];
	struct goroutine_times x = {.trk = sums->trk, .t0 = sums->t0, .t1 = sums->t1, .total = sums->t1 - sums->t0};
	int64_t a, b;
	bool all = goroutine_selected(k->sn, k->q, x.trk, &a, &b);
	memcpy(x.ns, sums->ns, sizeof x.ns);
	bins_add_rest(k->sn, x.t0, x.t1, x.ns);
	stats_finish_account(k->s, all && stats_lives_to_end(k->s, x.trk, b), &k->parts, &x);
	*sums = *open_sums_at(k, --k->nopen);
	k->o->g[k->of[sums->trk] - 1].at = g->at;
	g->at = pack(&k->packed, &x);
	group_of(k, x.trk)->exec += x.exec;
	k->of[x.trk] = 0;
	arena_reset(&k->parts);
}

static bool sum_sheet(struct grouping *k, const struct sheet *sh, unsigned percent)
{
	if (!watcher_report(&k->q->on, percent, 100))
		return false;
	for (uint32_t r = sh->nother; r < sh->ntrk; r++) {
		if (r % 65536 == 0 && r && !watcher_report(&k->q->on, percent, 100))
			return false;
		if (sh->trk[r] >= k->sn->ntrks || !k->of[sh->trk[r]])
			continue;
		struct running_sums *x = open_sums(k, k->of[sh->trk[r]] - 1);
		bins_add_row(sh, r, x->t0, x->t1, x->ns);
		if (x->t1 <= sh->t1)
			close_sums(k, x);
	}
	return true;
}

/* Compute the times of each goroutine. */
static bool sum_times(struct grouping *k)
{
	const struct snap *sn = k->sn;
	int64_t from = k->q->t0 == TIME_NONE ? INT64_MIN : k->q->t0, to = k->q->t1 == TIME_NONE ? INT64_MAX : k->q->t1;
	bool go = true;
	for (uint32_t i = 0; i < sn->nsheets && go; i++) {
		const struct sheet_slot *slot = store_slot(sn->st, i);
		if (slot->t1 <= from || slot->t0 >= to)
			continue;
		unsigned percent = 25 + 55 * i / sn->nsheets;
		go = sum_sheet(k, sheet_get(sn, i), percent);
	}
	for (trk_id t = 1; t < sn->ntrks && go; t++)
		if (k->of[t])
			close_sums(k, open_sums(k, k->of[t] - 1));
	arena_adopt(k->mem, k->packed.p);
	k->o->packed = k->packed.p;
	k->o->npacked = k->packed.n;
	return go;
}

/* A goroutine that is being sorted. Its total is unpacked once, because a sort reads it often. */
struct sorted_goroutine { int64_t total; struct stats_goroutine g; };

static uint64_t key_of_total(const void *arg, const void *g)
{
	(void)arg;
	return radix_key_descending(((const struct sorted_goroutine *)g)->total);
}

static uint64_t key_of_trk(const void *arg, const void *g)
{
	(void)arg;
	return ((const struct sorted_goroutine *)g)->g.trk;
}

/* Sort the goroutines of each group by length, longest first, and then by id. */
static bool sort_groups(struct grouping *k)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < k->o->n; i++)
		most = k->o->group[i].n > most ? k->o->group[i].n : most;
	struct sorted_goroutine *v = xmalloc((most + 1u) * sizeof *v);
	bool go = true;
	for (uint32_t i = 0; i < k->o->n && (go = watcher_report(&k->q->on, 80, 100)); i++) {
		const struct stats_group *gr = &k->o->group[i];
		struct stats_goroutine *g = k->o->g + gr->first;
		for (uint32_t j = 0; j < gr->n; j++)
			v[j] = (struct sorted_goroutine){total_of(k->o, &g[j]), g[j]};
		radix_sort_in_place(v, gr->n, sizeof *v, &(struct radix_keys){.first = key_of_total, .second = key_of_trk});
		for (uint32_t j = 0; j < gr->n; j++)
			g[j] = v[j].g;
	}
	mem_free(v);
	if (go)
		qsort(k->o->group, k->o->n, sizeof *k->o->group, group_cmp);
	return go;
}

struct stats_groups *stats_groups(const struct stats_index *s, const struct stats_query *q, struct arena *mem)
{
	struct grouping k = { .s = s, .sn = stats_index_snap(s), .q = q, .mem = mem, .o = arena_zalloc(mem, sizeof *k.o) };
	k.o->sn = k.sn;
	k.o->from = q->t0;
	column_init(&k.open, sizeof(struct running_sums));
	if (!count_groups(&k) || !list_goroutines(&k) || !sum_times(&k) || !sort_groups(&k))
		k.o->n = k.o->ng = 0;
	mem_free(k.count);
	mem_free(k.of);
	column_free(&k.open);
	arena_free(&k.parts);
	return k.o;
}
