/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sums of pieces. Three tables are filled while paths are added: places, the functions and lines of stacks; chains of
 * waits, as a tree; and lines, by class, function, reason and chain. Each is an array with a hash index, so a piece
 * costs a look-up in each. The place of a stack is found once and kept by stack, because finding the first user frame
 * compares names. A piece also adds its line and goroutine to an array, in which, once it is sorted, the different
 * goroutines of each line are counted.
 *
 * Chains are collapsed: in a convoy on a lock each goroutine waited for the one before it, at the same place, and the
 * depth of a piece in the convoy explains nothing. So a path of a thousand waits has a few lines.
 */
#include "config.h"
#include "critical/lines.h"

#include "base/intern.h"
#include "base/radix_sort.h"
#include "base/text/path.h"
#include "base/wrap_math.h"
#include "trace/stats/stops.h"
#include "trace/user_code.h"
#include "trace/wait_before.h"

#include <inttypes.h>
#include <stdlib.h>

struct line_place { fun_id fun; int64_t line; stk_id at; };

struct critical_lines {
	const struct snap *sn;
	uint32_t *place_of;		/* by stack: its place; 0: not looked up */
	struct line_place *place;	/* place[0]: unknown; place[1]: no stack */
	struct critical_chain *chain;
	struct critical_line *line;
	size_t nplace, nchain, nline, cplace, cchain, cline;
	struct intern places, chains, lines;
	uint64_t *goroutine;		/* line << 32 | goroutine, by piece: counted by critical_lines_sort() */
	size_t ngoroutine, cgoroutine;
	uint32_t *chain_of;		/* by via of the path that is added: its chain */
	size_t cchain_of;
	uint32_t *position;		/* by number in the order of adding: the index after critical_lines_sort() */
	int64_t ns[TIME_CLASS__N], total;
};

/* ---- places */

stk_id critical_place(const struct store *st, stk_id stack)
{
	stk_id first = user_code_first_frame(st, stack);
	return first ? first : stack;
}

static int same_place(const void *ctx, uint32_t id, const void *key)
{
	const struct critical_lines *l = ctx;
	const struct line_place *p = key;
	return l->place[id].fun == p->fun && l->place[id].line == p->line;
}

static uint32_t find_place(struct critical_lines *l, stk_id stack)
{
	const struct store *st = l->sn->st;
	struct line_place p = {.at = critical_place(st, stack)};
	const struct frm_row *f = store_frm(st, stk_frame(st, p.at));
	p.fun = f->fun;
	p.line = f->line;
	uint32_t hash = intern_hash_u64(p.fun, (uint64_t)p.line), id = intern_find(&l->places, hash, same_place, l, &p);
	if (id != UINT32_MAX)
		return id;
	l->place = mem_grow(l->place, &l->cplace, l->nplace + 1, sizeof *l->place);
	l->place[l->nplace] = p;
	intern_put(&l->places, hash, (uint32_t)l->nplace);
	return (uint32_t)l->nplace++;
}

/* Return the node that stands for the place of a stack: the same one for all stacks of the place. */
static stk_id place_of(struct critical_lines *l, stk_id stack)
{
	if (!stack || stack >= l->sn->nstks)
		return 0;
	if (!l->place_of[stack])
		l->place_of[stack] = find_place(l, stack);
	return l->place[l->place_of[stack]].at;
}

static str_id function_of(const struct critical_lines *l, stk_id at)
{
	return store_fun(l->sn->st, store_frm(l->sn->st, stk_frame(l->sn->st, at))->fun)->name;
}

/* ---- chains */

static int same_chain(const void *ctx, uint32_t id, const void *key)
{
	const struct critical_lines *l = ctx;
	const struct critical_chain *a = &l->chain[id], *b = key;
	return a->up == b->up && a->cls == b->cls && a->at == b->at;
}

/* Return the chain of a wait at a place, below another chain. */
static uint32_t add_chain(struct critical_lines *l, uint32_t up, enum time_class cls, stk_id at)
{
	struct critical_chain c = {up, 0, cls, at};
	if (up != CRITICAL_NONE) {
		const struct critical_chain *p = &l->chain[up];
		if ((p->cls == cls && p->at == at) || p->depth + 1 >= CRITICAL_CHAIN)
			return up;
		c.depth = p->depth + 1;
	}
	uint32_t hash = intern_hash_u64((uint64_t)up << 32 | at, cls);
	uint32_t id = intern_find(&l->chains, hash, same_chain, l, &c);
	if (id != UINT32_MAX)
		return id;
	l->chain = mem_grow(l->chain, &l->cchain, l->nchain + 1, sizeof *l->chain);
	l->chain[l->nchain] = c;
	intern_put(&l->chains, hash, (uint32_t)l->nchain);
	return (uint32_t)l->nchain++;
}

/* ---- lines */

/* Return a number that is equal for stops of one kind: its name. 0: no stop. */
static str_id stop_kind(const struct critical_lines *l, uint32_t span)
{
	return span == CRITICAL_NONE ? 0 : store_span(l->sn->st, span)->s.name;
}

struct line_key { const struct critical_line *v; str_id kind; };

static int same_line(const void *ctx, uint32_t id, const void *key)
{
	const struct critical_lines *l = ctx;
	const struct line_key *k = key;
	const struct critical_line *a = &l->line[id], *b = k->v;
	return a->cls == b->cls && a->function == b->function && a->reason == b->reason && a->chain == b->chain &&
	    a->followed == b->followed && stop_kind(l, a->span) == k->kind;
}

/* Has it the longer piece? Of equal ones the earlier, so that the answer does not depend on the order of adding. */
static bool is_longer(const struct critical_line *a, const struct critical_line *b)
{
	int64_t more = (a->t1 - a->t0) - (b->t1 - b->t0);
	return more > 0 || (!more && (a->operation < b->operation || (a->operation == b->operation && a->t0 < b->t0)));
}

static bool same_start_function(const struct critical_lines *l, trk_id a, trk_id b)
{
	str_id name = a && b ? (str_id)store_trk_name(l->sn->st, a) : 0;
	return name && name == (str_id)store_trk_name(l->sn->st, b);
}

/* Add a line without its goroutines, or to the line of its key. Return the index of that one. */
static uint32_t add_line(struct critical_lines *l, const struct critical_line *v)
{
	struct line_key key = {v, stop_kind(l, v->span)};
	uint32_t hash = intern_hash_u64((uint64_t)v->function << 32 | v->chain, (uint64_t)key.kind << 32 |
	    (uint32_t)v->cls << 16 | (uint32_t)v->reason << 8 | v->followed);
	uint32_t id = intern_find(&l->lines, hash, same_line, l, &key);
	wrap_add_to(&l->ns[v->cls], v->ns);
	wrap_add_to(&l->total, v->ns);
	if (id == UINT32_MAX) {
		l->line = mem_grow(l->line, &l->cline, l->nline + 1, sizeof *l->line);
		l->line[l->nline] = *v;
		l->line[l->nline].ngoroutines = 0;
		l->line[l->nline].added = (uint32_t)l->nline;
		intern_put(&l->lines, hash, (uint32_t)l->nline);
		return (uint32_t)l->nline++;
	}
	struct critical_line *sum = &l->line[id], longest = is_longer(v, sum) ? *v : *sum;
	longest.ns = wrap_add(sum->ns, v->ns);
	longest.n = sum->n + v->n;
	longest.ngoroutines = sum->ngoroutines;
	longest.added = sum->added;
	longest.approximate = sum->approximate || v->approximate;
	bool other = sum->occupant != v->occupant;
	longest.several = sum->several || v->several || other;
	longest.mixed = sum->mixed || v->mixed || (other && !same_start_function(l, sum->occupant, v->occupant));
	*sum = longest;
	return id;
}

static void add_goroutine(struct critical_lines *l, uint32_t line, trk_id g)
{
	uint64_t x = (uint64_t)line << 32 | g;
	if (l->ngoroutine && l->goroutine[l->ngoroutine - 1] == x)
		return;
	l->goroutine = mem_grow(l->goroutine, &l->cgoroutine, l->ngoroutine + 1, sizeof *l->goroutine);
	l->goroutine[l->ngoroutine++] = x;
}

static uint64_t number_itself(const void *arg, const void *x)
{
	(void)arg;
	return *(const uint64_t *)x;
}

/* Count the different goroutines of each line. */
static void count_goroutines(struct critical_lines *l)
{
	radix_sort_in_place(l->goroutine, (uint32_t)l->ngoroutine, sizeof *l->goroutine,
	    &(struct radix_keys){.first = number_itself});
	for (size_t i = 0; i < l->ngoroutine; i++)
		l->line[l->goroutine[i] >> 32].ngoroutines += !i || l->goroutine[i] != l->goroutine[i - 1];
	mem_free(l->goroutine);
	l->goroutine = NULL;
	l->ngoroutine = l->cgoroutine = 0;
}

struct critical_lines *critical_lines_new(const struct snap *sn)
{
	struct critical_lines *l = xcalloc(1, sizeof *l);
	l->sn = sn;
	l->place_of = xcalloc(sn->nstks + 1u, sizeof *l->place_of);
	l->place = mem_grow(NULL, &l->cplace, 1, sizeof *l->place);
	l->place[l->nplace++] = (struct line_place){0};
	return l;
}

void critical_lines_free(struct critical_lines *l)
{
	if (!l)
		return;
	intern_free(&l->places);
	intern_free(&l->chains);
	intern_free(&l->lines);
	mem_free(l->goroutine);
	mem_free(l->place_of);
	mem_free(l->place);
	mem_free(l->chain);
	mem_free(l->line);
	mem_free(l->chain_of);
	mem_free(l->position);
	mem_free(l);
}

void critical_lines_add_pieces(
    struct critical_lines *l, const struct critical_path *p, uint32_t operation, uint32_t *line_of)
{
	l->chain_of = mem_grow(l->chain_of, &l->cchain_of, p->nvia + 1, sizeof *l->chain_of);
	for (size_t i = 0; i < p->nvia; i++) {
		const struct critical_via *via = &p->via[i];
		uint32_t up = via->up == CRITICAL_NONE ? CRITICAL_NONE : l->chain_of[via->up];
		l->chain_of[i] = add_chain(l, up, via->cls, place_of(l, via->stack));
	}
	for (size_t i = 0; i < p->n; i++) {
		const struct critical_piece *v = &p->v[i];
		stk_id at = place_of(l, v->stack);
		uint32_t chain = v->via == CRITICAL_NONE ? CRITICAL_NONE : l->chain_of[v->via];
		struct critical_line line = {.ns = v->t1 - v->t0, .t0 = v->t0, .t1 = v->t1, .g = v->g,
		    .stack = v->stack, .occupant = v->occupant, .operation = operation,
		    .function = at ? function_of(l, at) : 0, .at = at, .chain = chain, .span = v->span, .n = 1,
		    .cls = v->cls, .reason = v->reason, .followed = v->followed, .several = v->several,
		    .approximate = v->approximate};
		uint32_t added = add_line(l, &line);
		add_goroutine(l, added, v->g);
		if (line_of)
			line_of[i] = added;
	}
}

void critical_lines_add(struct critical_lines *l, const struct critical_path *p, uint32_t operation)
{
	critical_lines_add_pieces(l, p, operation, NULL);
}

void critical_lines_merge(struct critical_lines *l, const struct critical_lines *from)
{
	uint32_t *chain = xmalloc((from->nchain + 1) * sizeof *chain);
	uint32_t *line = xmalloc((from->nline + 1) * sizeof *line);
	for (size_t i = 0; i < from->nchain; i++) {
		const struct critical_chain *c = &from->chain[i];
		uint32_t up = c->up == CRITICAL_NONE ? CRITICAL_NONE : chain[c->up];
		chain[i] = add_chain(l, up, c->cls, place_of(l, c->at));
	}
	for (size_t i = 0; i < from->nline; i++) {
		struct critical_line v = from->line[i];
		v.chain = v.chain == CRITICAL_NONE ? CRITICAL_NONE : chain[v.chain];
		line[i] = add_line(l, &v);
	}
	for (size_t i = 0; i < from->ngoroutine; i++)
		add_goroutine(l, line[from->goroutine[i] >> 32], (trk_id)from->goroutine[i]);
	mem_free(chain);
	mem_free(line);
}

/* Of equal times, that of the earlier longest piece is first; it is of no other line of that operation. So the order
   does not depend on threads. */
static int by_time(const void *x, const void *y)
{
	const struct critical_line *a = x, *b = y;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->t0 != b->t0)
		return a->t0 < b->t0 ? -1 : 1;
	return a->operation < b->operation ? -1 : a->operation > b->operation;
}

void critical_lines_sort(struct critical_lines *l)
{
	count_goroutines(l);
	if (l->nline)
		qsort(l->line, l->nline, sizeof *l->line, by_time);
	l->position = xmalloc((l->nline + 1) * sizeof *l->position);
	for (size_t i = 0; i < l->nline; i++)
		l->position[l->line[i].added] = (uint32_t)i;
}

uint32_t critical_lines_position(const struct critical_lines *l, uint32_t added) { return l->position[added]; }

uint32_t critical_lines_root(const struct critical_lines *l, uint32_t chain)
{
	while (l->chain[chain].up != CRITICAL_NONE)
		chain = l->chain[chain].up;
	return chain;
}

uint32_t critical_lines_count(const struct critical_lines *l) { return (uint32_t)l->nline; }
const struct critical_line *critical_lines_at(const struct critical_lines *l, uint32_t i) { return &l->line[i]; }
const struct critical_chain *critical_lines_chain(const struct critical_lines *l, uint32_t i) { return &l->chain[i]; }
const int64_t *critical_lines_classes(const struct critical_lines *l) { return l->ns; }
int64_t critical_lines_total(const struct critical_lines *l) { return l->total; }

/* ---- texts */

static void put_name(struct buf *b, const struct store *st, str_id s, const char *none)
{
	const struct str_row *r = store_str(st, s);
	buf_put(b, s ? r->s : none, s ? r->n : strlen(none));
}

void critical_put_place(struct buf *b, const struct store *st, stk_id at)
{
	const struct frm_row *f = store_frm(st, stk_frame(st, at));
	const struct fun_row *fun = store_fun(st, f->fun);
	const struct str_row *file = store_str(st, fun->file);
	if (!at)
		return;
	put_name(b, st, fun->name, "?");
	if (!file->n)
		return;
	size_t n;
	const char *base = path_base(file->s, file->n, &n);
	buf_putc(b, ' ');
	buf_put(b, base, n);
	if (f->line)
		buf_printf(b, ":%" PRId64, f->line);
}

/* Append one of the goroutines that occupied the Ps, or the start function of several. */
static void put_goroutine(struct buf *b, const struct store *st, trk_id g, bool several)
{
	const struct trk_row *r = store_trk(st, g);
	if (several)
		buf_puts(b, "goroutines of ");
	else
		buf_printf(b, "G%" PRIu64 " ", (uint64_t)r->id);
	put_name(b, st, store_origin(st, r)->name, "?");
}

void critical_line_put_whose(const struct critical_lines *l, const struct critical_line *v, struct buf *b)
{
	if (v->ngoroutines > 1)
		buf_printf(b, "%" PRIu32 " goroutines", v->ngoroutines);
	else if (v->g)
		buf_printf(b, "G%" PRIu64, (uint64_t)store_trk(l->sn->st, v->g)->id);
}

static void put_occupant(const struct critical_lines *l, const struct critical_line *v, struct buf *b)
{
	buf_puts(b, "all Ps occupied, by ");
	if (v->occupant)
		put_goroutine(b, l->sn->st, v->occupant, v->several && !v->mixed);
	else
		buf_puts(b, "others");
	if (v->occupant && v->mixed)
		buf_puts(b, " and others");
}

static void put_reason(const struct critical_lines *l, const struct critical_line *v, struct buf *b)
{
	struct stop_kind kind;
	switch (v->reason) {
	case CRITICAL_NO_WORK: buf_puts(b, "the goroutine that ended it had no work"); break;
	case CRITICAL_BEFORE: buf_puts(b, TRACE_BEFORE); break;
	case CRITICAL_WOKEN_LATE: buf_puts(b, "a P was idle: woken late"); break;
	case CRITICAL_OCCUPIED: put_occupant(l, v, b); break;
	case CRITICAL_GC_WORKERS: buf_puts(b, "all Ps occupied, by mark workers"); break;
	case CRITICAL_STOPPED:
		kind = stops_kind(l->sn->st, v->span);
		buf_puts(b, "world stopped: ");
		buf_put(b, kind.n ? kind.s : "unknown", kind.n ? kind.n : 7);
		break;
	default: break;
	}
	if (!v->followed)
		buf_puts(b, "not followed further");
}

void critical_line_put_because(const struct critical_lines *l, const struct critical_line *v, struct buf *b)
{
	uint32_t way[CRITICAL_CHAIN], n = 0;
	size_t before = b->n;
	for (uint32_t c = v->chain; c != CRITICAL_NONE && n < CRITICAL_CHAIN; c = l->chain[c].up)
		way[n++] = c;
	while (n) {
		const struct critical_chain *c = &l->chain[way[--n]];
		buf_puts(b, time_class_name(c->cls));
		buf_putc(b, ' ');
		critical_put_place(b, l->sn->st, c->at);
		buf_puts(b, n ? " > " : "");
	}
	size_t chained = b->n;
	if (chained > before)
		buf_puts(b, "; ");
	size_t reason = b->n;
	put_reason(l, v, b);
	if (b->n == reason)
		b->n = chained;
}
