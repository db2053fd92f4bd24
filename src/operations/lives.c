/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Goroutines whose whole time is one operation: those that neither work for tasks, nor serve requests, nor come back to
 * an idle wait. If at least LIVES of them were created at one place and ended, all goroutines of that place are
 * operations of one kind, lives: a fan-out, or a goroutine per request. Others are of the kind of their start function.
 *
 * Only goroutines that run user code are operations of the program. The runtime and libraries have goroutines of their
 * own, which a program did not ask for.
 */
#include "config.h"
#include "operations/internal.h"

#include "base/u64_map.h"
#include "trace/user_code.h"

#include <string.h>

enum { LIVES = 8 };

/* Goroutines of one start function that were created at one place. */
struct origin { str_id name; fun_id fun; int64_t line; stk_id site; uint32_t ended, kind; };

struct lives_pass {
	struct operation_list *to;
	const struct task_work *tasks;
	struct goroutine_roles *r;
	struct origin *v;
	size_t n, cap;
	struct intern index;
	struct u64_hash of_stack;	/* number of an origin by its start function and the stack that created it */
	uint64_t newest_key;		/* key and number of the last origin: the next goroutine mostly has the same origin */
	uint32_t newest;
	uint32_t *of;			/* by track: number of its origin plus 1; 0: it is not of the program */
	uint8_t *start;			/* by string: what start_of() found, plus 1 */
};

enum start_kind { START_LIBRARY, START_RUNTIME, START_USER, START_SERVER /* plus the number of the server */ };

static unsigned start_of(struct lives_pass *p, str_id name)
{
	const struct str_row *s = store_str(p->to->sn->st, name);
	if (!p->start[name]) {
		unsigned server = s->n ? servers_of_start(p->r->servers, s->s, s->n) : 0;
		unsigned kind = !s->n ? START_LIBRARY : server ? START_SERVER + server - 1
		    : sink_runtime(s->s, s->n) ? START_RUNTIME
		    : user_code_is_user_function(s->s, s->n) ? START_USER : START_LIBRARY;
		p->start[name] = (uint8_t)(kind + 1);
	}
	return p->start[name] - 1u;
}

static int same_origin(const void *v, uint32_t i, const void *key)
{
	const struct origin *a = (const struct origin *)v + i, *b = key;
	return a->name == b->name && a->fun == b->fun && a->line == b->line;
}

static uint32_t find_origin(struct lives_pass *p, const struct trk_row *row)
{
	const struct store *st = p->to->sn->st;
	const struct trk_origin *from = store_origin(st, row);
	struct origin o = {.name = from->name, .site = user_code_site(st, from->created)};
	if (o.site) {
		const struct frm_row *f = store_frm(st, stk_frame(st, o.site));
		o.fun = f->fun;
		o.line = f->line;
	}
	uint32_t hash = intern_hash_u64((uint64_t)o.name << 32 | o.fun, (uint64_t)o.line);
	uint32_t i = intern_find(&p->index, hash, same_origin, p->v, &o);
	if (i != UINT32_MAX)
		return i;
	p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof *p->v);
	o.kind = UINT32_MAX;
	p->v[p->n] = o;
	intern_put(&p->index, hash, (uint32_t)p->n);
	return (uint32_t)p->n++;
}

static uint32_t origin_of(struct lives_pass *p, const struct trk_row *row)
{
	bool fresh;
	const struct trk_origin *o = store_origin(p->to->sn->st, row);
	uint64_t key = (uint64_t)o->name << 32 | o->created;
	if (p->n && key == p->newest_key)
		return p->newest;
	struct u64_slot *slot = u64_map_put(&p->of_stack, key, &fresh);
	if (fresh)
		slot->n = find_origin(p, row);
	p->newest_key = key;
	return p->newest = (uint32_t)slot->n;
}

static void look_at(struct lives_pass *p, trk_id g)
{
	const struct trk_row *row = store_trk(p->to->sn->st, g);
	if (row->kind != TK_G || row->t0 == TIME_NONE || p->r->role[g] != ROLE_NONE)
		return;
	unsigned start = start_of(p, store_origin(p->to->sn->st, row)->name);
	if (start >= START_SERVER) {
		p->r->role[g] = ROLE_SERVER;
		p->r->of[g] = start - START_SERVER;
		return;
	}
	if (works_for_tasks(p->tasks, g))
		return;
	if (start == START_RUNTIME || (start == START_LIBRARY && !(p->r->user[g >> 3] >> (g & 7) & 1)))
		return;
	uint32_t i = origin_of(p, row);
	p->of[g] = i + 1;
	p->v[i].ended += goroutine_started(p->to->sn, g) && goroutine_ended(p->to->sn, p->r->forever, g);
}

static void name_kind(struct lives_pass *p, struct operation_kind *k, const struct origin *o)
{
	const struct store *st = p->to->sn->st;
	const struct str_row *s = store_str(st, o->name);
	k->site = o->site;
	k->name = operations_kind_name(p->to->mem, st, NULL, s->n ? s->s : "(unknown function)", s->n ? s->n : 18,
	    k->source == OPERATION_LIFE ? o->site : 0, &k->nname);
}

static void add_life(struct lives_pass *p, trk_id g)
{
	const struct snap *sn = p->to->sn;
	uint32_t i = p->of[g] - 1;
	struct origin *o = &p->v[i];
	bool life = o->ended >= LIVES, fresh = false;
	struct operation x = operations_life(sn, p->r->forever, g);
	rank_set(p->to->lives, g);
	x.id = p->to->next_id++;
	if (!operations_list_selects(p->to, &x))
		return;
	if (o->kind == UINT32_MAX) {
		o->kind = operations_list_kind(p->to, life ? OPERATION_LIFE : OPERATION_GOROUTINE, life ? i : o->name, &fresh);
		if (fresh)
			name_kind(p, &p->to->kind[o->kind], o);
	}
	x.kind = o->kind & (UINT32_MAX >> 1);
	operations_list_add(p->to, &x, OPERATION_NONE);
	p->r->role[g] = ROLE_WHOLE;
	p->r->of[g] = o->kind;
}

void lives_collect(struct operation_list *to, const struct task_work *tasks, struct goroutine_roles *r)
{
	struct lives_pass p = {.to = to, .tasks = tasks, .r = r};
	p.of = xcalloc(to->sn->ntrks + 1u, sizeof *p.of);
	p.start = xcalloc(to->sn->nstrs + 1u, 1);
	to->lives = arena_zalloc(to->mem, rank_blocks(to->sn->ntrks) * sizeof *to->lives);
	to->first_life = to->next_id;
	for (trk_id g = 1; g < to->sn->ntrks; g++)
		look_at(&p, g);
	for (trk_id g = 1; g < to->sn->ntrks; g++)
		if (p.of[g])
			add_life(&p, g);
	rank_seal(to->lives, to->sn->ntrks);
	intern_free(&p.index);
	u64_map_free(&p.of_stack);
	mem_free(p.v);
	mem_free(p.start);
	mem_free(p.of);
}
