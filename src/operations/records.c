/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * How operations are kept. A trace may have millions, and structs of 40 bytes would take a fourth as much memory as
 * the trace itself. So each kind has an array of records with what its source needs, and operations_get() makes an
 * operation of a record. The life of a goroutine has only the number of its track: the store has its times, and its id
 * is its rank among all goroutines that are operations. A round or request is on one goroutine, and mostly shorter than
 * four seconds. When all records are there, they are sorted by start, in place.
 *
 * Parents of lives are not kept either: a parent is the operation for which the creator worked then.
 */
#include "config.h"
#include "operations/internal.h"

#include "base/bsearch.h"
#include "base/radix_sort.h"
#include "base/wrap_math.h"

static size_t record_size(enum operation_source s)
{
	return s == OPERATION_TASK ? sizeof(struct task_record) : operations_is_whole(s) ? sizeof(trk_id) : sizeof(struct part_record);
}

/* ---- the list */

static void add_task(struct task_record *r, const struct operation *o, struct operation_list *l, uint32_t parent)
{
	*r = (struct task_record){.t0 = o->t0, .t1 = o->t1, .id = o->id, .g = o->g, .starter = o->starter, .parent = parent,
	    .complete = o->complete};
	r->position = l->ntasks++ & (UINT32_MAX >> 1);
}

static void add_part(struct part_record *r, const struct operation *o, struct operation_list *l)
{
	uint64_t ns = (uint64_t)wrap_sub(o->t1, o->t0);
	*r = (struct part_record){.t0 = {(uint32_t)o->t0, (uint32_t)((uint64_t)o->t0 >> 32)}, .ns = (uint32_t)ns, .g = o->g,
	    .complete = o->complete};
	r->id = (uint32_t)(o->id - l->first_part) & (UINT32_MAX >> 1);
	if (ns < PART_LONG)
		return;
	l->late = mem_grow(l->late, &l->clate, l->nlate + 1, sizeof *l->late);
	l->late[l->nlate] = o->t1;
	r->ns = PART_LONG + l->nlate++;
}

void operations_list_add(struct operation_list *l, const struct operation *o, uint32_t parent)
{
	struct operation_kind *k = &l->kind[o->kind];
	size_t size = record_size(k->source);
	if (k->n == k->room)
		k->record = mem_grow(k->record, &k->room, k->n + 1u, size);
	void *r = (char *)k->record + k->n * size;
	if (k->source == OPERATION_TASK)
		add_task(r, o, l, parent);
	else if (operations_is_whole(k->source))
		*(trk_id *)r = o->g;
	else
		add_part(r, o, l);
	k->n++;
	k->ncomplete += o->complete;
	k->total = wrap_add(k->total, wrap_sub(o->t1, o->t0));
	k->complete_total = wrap_add(k->complete_total, o->complete ? wrap_sub(o->t1, o->t0) : 0);
}

/* ---- order */

static int64_t part_start(const struct part_record *r)
{
	return (int64_t)((uint64_t)r->t0[1] << 32 | r->t0[0]);
}

static uint64_t task_key(const void *arg, const void *r)
{
	(void)arg;
	return radix_key_ascending(((const struct task_record *)r)->t0);
}

static uint64_t task_position(const void *arg, const void *r)
{
	(void)arg;
	return ((const struct task_record *)r)->position;
}

static uint64_t part_key(const void *arg, const void *r)
{
	(void)arg;
	return radix_key_ascending(part_start(r));
}

static uint64_t part_number(const void *arg, const void *r)
{
	(void)arg;
	return ((const struct part_record *)r)->id;
}

static uint64_t life_key(const void *arg, const void *r)
{
	const struct snap *sn = arg;
	return radix_key_ascending(store_trk(sn->st, *(const trk_id *)r)->t0);
}

static uint64_t life_number(const void *arg, const void *r)
{
	(void)arg;
	return *(const trk_id *)r;
}

void operations_sort_kind(const struct operation_kind *k, const struct snap *sn)
{
	static const struct radix_keys task = {task_key, task_position, NULL}, part = {part_key, part_number, NULL};
	const struct radix_keys life = {life_key, life_number, sn};
	radix_sort_in_place(k->record, k->n, record_size(k->source),
	    k->source == OPERATION_TASK ? &task : operations_is_whole(k->source) ? &life : &part);
}

/* Replace the positions of the parents of tasks by indexes; by OPERATION_NONE if the parent is not in the result. */
void operations_set_parents(const struct operations *o, uint32_t ntasks)
{
	uint32_t *index = xmalloc((ntasks + 1u) * sizeof *index);
	for (uint32_t i = 0; i < ntasks; i++)
		index[i] = OPERATION_NONE;
	for (uint32_t k = 0; k < o->nkinds && o->kind[k].source == OPERATION_TASK; k++)
		for (uint32_t i = 0; i < o->kind[k].n; i++)
			index[((struct task_record *)o->kind[k].record)[i].position] = o->kind[k].first + i;
	for (uint32_t k = 0; k < o->nkinds && o->kind[k].source == OPERATION_TASK; k++)
		for (uint32_t i = 0; i < o->kind[k].n; i++) {
			struct task_record *r = &((struct task_record *)o->kind[k].record)[i];
			r->parent = r->parent == OPERATION_NONE ? OPERATION_NONE : index[r->parent];
		}
	mem_free(index);
}

void operations_keep_kind(struct operation_kind *k, struct arena *mem)
{
	k->record = xrealloc(k->record, k->n * record_size(k->source));
	arena_adopt(mem, k->record);
}

/* ---- reading */

static struct operation task_of(const struct task_record *r)
{
	return (struct operation){.t0 = r->t0, .t1 = r->t1, .id = r->id, .g = r->g, .starter = r->starter,
	    .complete = r->complete};
}

static struct operation part_of(const struct operations *o, const struct part_record *r)
{
	int64_t t0 = part_start(r);
	return (struct operation){.t0 = t0, .t1 = r->ns < PART_LONG ? wrap_add(t0, r->ns) : o->late[r->ns - PART_LONG],
	    .id = o->first_part + r->id, .g = r->g, .starter = r->g, .complete = r->complete};
}

struct operation operations_life(const struct snap *sn, const uint8_t *forever, trk_id g)
{
	const struct trk_row *row = store_trk(sn->st, g);
	bool ended = goroutine_ended(sn, forever, g);
	struct operation x = {.t0 = row->t0, .t1 = ended ? store_t1(sn->st, row) : sn->t1, .g = g, .starter = g};
	x.complete = goroutine_started(sn, g) && ended;
	return x;
}

struct operation operations_of_kind(const struct operations *o, uint32_t kind, uint32_t i)
{
	const struct operation_kind *k = &o->kind[kind];
	struct operation x;
	if (k->source == OPERATION_TASK) {
		x = task_of((const struct task_record *)k->record + i);
	} else if (operations_is_whole(k->source)) {
		trk_id g = ((const trk_id *)k->record)[i];
		x = operations_life(&o->sn, o->forever, g);
		x.id = o->first_life + rank_below(o->lives, g);
	} else {
		x = part_of(o, (const struct part_record *)k->record + i);
	}
	x.kind = kind & (UINT32_MAX >> 1);
	return x;
}

/* The times of a life are in the row of its track: its duration takes less to find than the rest. */
static int64_t life_duration(const struct operations *o, trk_id g)
{
	const struct trk_row *row = store_trk(o->sn.st, g);
	bool complete = goroutine_ended(&o->sn, o->forever, g) && goroutine_started(&o->sn, g);
	return complete ? wrap_sub(store_t1(o->sn.st, row), row->t0) : TIME_NONE;
}

static int64_t part_duration(const struct operations *o, const struct part_record *r)
{
	return !r->complete ? TIME_NONE
	    : r->ns < PART_LONG ? r->ns : wrap_sub(o->late[r->ns - PART_LONG], part_start(r));
}

void operations_durations(const struct operations *o, uint32_t kind, uint32_t i, uint32_t n, int64_t *ns)
{
	const struct operation_kind *k = &o->kind[kind];
	if (k->source == OPERATION_TASK) {
		const struct task_record *r = (const struct task_record *)k->record + i;
		for (uint32_t at = 0; at < n; at++)
			ns[at] = r[at].complete ? wrap_sub(r[at].t1, r[at].t0) : TIME_NONE;
	} else if (operations_is_whole(k->source)) {
		const trk_id *g = (const trk_id *)k->record + i;
		for (uint32_t at = 0; at < n; at++)
			ns[at] = life_duration(o, g[at]);
	} else {
		const struct part_record *r = (const struct part_record *)k->record + i;
		for (uint32_t at = 0; at < n; at++)
			ns[at] = part_duration(o, &r[at]);
	}
}

int64_t operations_duration(const struct operations *o, uint32_t kind, uint32_t i)
{
	int64_t ns;
	operations_durations(o, kind, i, 1, &ns);
	return ns;
}

stk_id operations_handler(const struct operations *o, const struct operation *x)
{
	uint64_t i = x->id - o->first_part;
	bool request = o->kind[x->kind].source == OPERATION_SERVER && i < o->nhandler;
	return request ? o->handler_site[o->handler[i]] : 0;
}

uint32_t operations_handler_number(const struct operations *o, uint32_t kind, uint32_t i)
{
	const struct operation_kind *k = &o->kind[kind];
	if (k->source != OPERATION_SERVER)
		return 0;
	uint32_t id = ((const struct part_record *)k->record)[i].id;
	uint32_t number = id < o->nhandler ? o->handler[id] : 0;
	return o->handler_site[number] ? number : 0;
}

uint32_t operations_kind_of(const struct operations *o, uint32_t i)
{
	struct bsearch_probe h = {.hi = o->nkinds};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, o->kind[h.at].first + o->kind[h.at].n <= i);
	return (uint32_t)h.lo;
}

struct operation operations_get(const struct operations *o, uint32_t i)
{
	uint32_t k = operations_kind_of(o, i);
	return operations_of_kind(o, k, i - o->kind[k].first);
}

trk_id operations_goroutine(const struct operations *o, uint32_t kind, uint32_t i)
{
	const struct operation_kind *k = &o->kind[kind];
	return k->source == OPERATION_TASK ? ((const struct task_record *)k->record)[i].g
	    : operations_is_whole(k->source) ? ((const trk_id *)k->record)[i] : ((const struct part_record *)k->record)[i].g;
}

uint32_t operations_parent(const struct operations *o, uint32_t i)
{
	uint32_t kind = operations_kind_of(o, i);
	const struct operation_kind *k = &o->kind[kind];
	if (k->source == OPERATION_TASK)
		return ((const struct task_record *)k->record)[i - k->first].parent;
	trk_id g = k->source == OPERATION_LIFE ? ((const trk_id *)k->record)[i - k->first] : 0;
	const struct trk_row *row = store_trk(o->sn.st, g);
	return g && row->creator ? operations_at(o, row->creator, row->t0) : OPERATION_NONE;
}

uint32_t operations_next_child(const struct operations *o, uint32_t of, uint32_t i)
{
	struct operation x = operations_get(o, of);
	for (; i < o->n; i++) {
		uint32_t kind = operations_kind_of(o, i);
		enum operation_source from = o->kind[kind].source;
		const struct trk_row *row = store_trk(o->sn.st, operations_goroutine(o, kind, i - o->kind[kind].first));
		bool may = from == OPERATION_TASK ||
		    (from == OPERATION_LIFE && row->creator == x.g && row->t0 >= x.t0 && row->t0 < x.t1);
		if (may && operations_parent(o, i) == of)
			break;
	}
	return i < o->n ? i : OPERATION_NONE;
}
