/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Goroutines in groups: one pass over the tracks, after the scan. */
#include "config.h"
#include "findings/measures/groups.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/user_code.h"

struct group_maker {
	const struct scan *s;
	struct goroutine_groups *to;
	struct arena *mem;
	struct u64_hash of_key, of_stack;	/* of_stack: line by creating stack */
	/* a bit per track: it is blocked until the end of the trace; of one that is blocked for ever, the store has the start
	   of that as its end */
	uint8_t *blocked;
	struct scan_program_cache program;
	uint32_t newest;	/* index of the group that was found last, plus 1; 0: none */
};

/* Return a number that is equal for stacks whose first user frames are on one line. */
static uint64_t line_of(struct group_maker *m, stk_id created, frm_id *line)
{
	bool fresh;
	struct u64_slot *slot = u64_map_put(&m->of_stack, created, &fresh);
	if (fresh) {
		stk_id at = user_code_site(m->s->sn->st, created);
		slot->n = at ? stk_frame(m->s->sn->st, at) : 0;
	}
	*line = (frm_id)slot->n;
	const struct frm_row *row = store_frm(m->s->sn->st, *line);
	return (uint64_t)row->fun << 20 ^ (uint64_t)row->line;
}

static struct goroutine_group *group_of(struct group_maker *m, trk_id g, const struct trk_row *t)
{
	bool fresh;
	frm_id line;
	const struct trk_origin *o = store_origin(m->s->sn->st, t);
	stk_id created = o->created;
	const struct goroutine_group *newest = m->newest ? &m->to->v[m->newest - 1] : NULL;
	if (newest && newest->created == created && newest->name == o->name) {
		m->to->of[g] = m->newest;
		return &m->to->v[m->newest - 1];
	}
	uint64_t key = line_of(m, created, &line) * 0x9e3779b97f4a7c15u ^ o->name;
	struct u64_slot *slot = u64_map_put(&m->of_key, key, &fresh);
	if (fresh) {
		slot->n = m->to->n;
		m->to->v = mem_grow(m->to->v, &m->to->cap, m->to->n + 1u, sizeof *m->to->v);
		m->to->v[m->to->n++] = (struct goroutine_group){.name = o->name, .created = created, .line = line};
	}
	m->to->of[g] = m->newest = (uint32_t)slot->n + 1;
	return &m->to->v[slot->n];
}

static void add_goroutine(struct group_maker *m, trk_id g)
{
	const struct scan *s = m->s;
	const struct trk_row *t = store_trk(s->sn->st, g);
	int64_t a = TIME_NONE, b = TIME_NONE;
	bool blocked = m->blocked[g >> 3] >> (g & 7) & 1;
	if (t->kind != TK_G || !scan_is_program_cached(s->sn, g, &m->program) ||
	    (s->filter && !trace_gset_has(s->filter->g, g)) ||
	    !stats_goroutine_bounds(s->sn, g, &a, &b) || (b < s->t0 && !blocked) || a >= s->t1)
		return;
	struct goroutine_group *x = group_of(m, g, t);
	x->n++;
	x->made += t->creator && a >= s->t0;
	x->ended += store_t1(s->sn->st, t) != TIME_NONE && b <= s->t1 && !blocked;
	int64_t life = (b < s->t1 ? b : s->t1) - (a > s->t0 ? a : s->t0);
	wrap_add_to(&x->life, life > 0 ? life : 0);
	wrap_add_to(&x->idle, scan_details_of(s, g)->idle);
	int64_t run = scan_run_ns(s, g);
	wrap_add_to(&x->run, run);
	wrap_add_to(&x->joined, scan_details_of(s, g)->joined);
	if (run > x->run_most) {
		x->run_most = run;
		x->most = g;
	}
}

static void list_members(struct goroutine_groups *gs, uint32_t ntrks, struct arena *mem)
{
	gs->next = arena_zalloc(mem, (ntrks + 1u) * sizeof *gs->next);
	for (trk_id g = ntrks; g-- > 1;) {
		if (!gs->of[g])
			continue;
		gs->next[g] = gs->v[gs->of[g] - 1].first;
		gs->v[gs->of[g] - 1].first = g;
	}
}

void groups_make(struct goroutine_groups *gs, const struct scan *s, struct arena *mem)
{
	struct group_maker m = {.s = s, .to = gs, .mem = mem, .blocked = xcalloc(s->sn->ntrks / 8 + 1u, 1)};
	*gs = (struct goroutine_groups){.of = arena_zalloc(mem, (s->sn->ntrks + 1u) * sizeof *gs->of)};
	for (uint32_t i = 0; i < s->nopen; i++)
		m.blocked[s->open[i].g >> 3] |= (uint8_t)(1u << (s->open[i].g & 7));
	for (trk_id g = 1; g < s->sn->ntrks; g++)
		add_goroutine(&m, g);
	list_members(gs, s->sn->ntrks, mem);
	mem_free(m.blocked);
	u64_map_free(&m.of_key);
	u64_map_free(&m.of_stack);
}
