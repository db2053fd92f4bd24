/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Operations are collected by one file for each source, in the order of the sources, then grouped by kind.
 *
 * The time by class of a kind is that of goroutines, not of operations: while two goroutines work for one task, both
 * count, and while none does, nothing counts. Where one goroutine works, the classes add up to the durations.
 */
#include "config.h"
#include "operations/durations.h"
#include "operations/internal.h"

#include "base/text/buf.h"
#include "base/text/regex.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "store/builder.h"
#include "trace/focus.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/task_filter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const source_names[OPERATION_SOURCE__N] = {"task", "server", "round", "life", "goroutine"};

const char *operations_source_name(enum operation_source s)
{
	return s < OPERATION_SOURCE__N ? source_names[s] : "";
}

const char *operations_counted_by(const struct operation_kind *k)
{
	static const char *const names[OPERATION_SOURCE__N] = {"task", "connection", "idle wait", "goroutine", "goroutine"};
	return k->source == OPERATION_SERVER && k->streams ? "stream" : names[k->source];
}

static struct servers *own_servers;	/* NULL: those of servers.def */

int operations_add_server(const char *line, struct err *e)
{
	own_servers = own_servers ? own_servers : servers_new();
	return servers_add(own_servers, line, e);
}

/* ---- the list */

struct kind_key { uint64_t key; enum operation_source source; };

static int same_key(const void *list, uint32_t i, const void *key)
{
	const struct operation_list *l = list;
	const struct kind_key *x = key;
	return l->key[i] == x->key && l->kind[i].source == x->source;
}

uint32_t operations_list_find(const struct operation_list *l, enum operation_source source, uint64_t key)
{
	return intern_find(&l->by_key, intern_hash_u64(key, source), same_key, l, &(struct kind_key){key, source});
}

uint32_t operations_list_kind(struct operation_list *l, enum operation_source source, uint64_t key, bool *fresh)
{
	uint32_t hash = intern_hash_u64(key, source), i = operations_list_find(l, source, key);
	*fresh = i == UINT32_MAX;
	if (!*fresh)
		return i;
	l->kind = mem_grow(l->kind, &l->ckinds, l->nkinds + 1, sizeof *l->kind);
	l->key = mem_grow(l->key, &l->ckeys, l->nkinds + 1, sizeof *l->key);
	l->found = mem_grow(l->found, &l->cfound, l->nkinds + 1, sizeof *l->found);
	l->found[l->nkinds] = (struct found_requests){0};
	l->kind[l->nkinds] = (struct operation_kind){.name = "", .source = source};
	l->key[l->nkinds] = key;
	intern_put(&l->by_key, hash, (uint32_t)l->nkinds);
	return (uint32_t)l->nkinds++;
}

const char *operations_kind_name(struct arena *mem, const struct store *st, const char *prefix, const char *name, size_t n,
    stk_id at, size_t *length)
{
	struct buf b = {0};
	if (prefix)
		buf_puts(&b, prefix);
	if (prefix && n)
		buf_putc(&b, ' ');
	buf_put(&b, name, n);
	if (at) {
		const struct frm_row *f = store_frm(st, stk_frame(st, at));
		const struct str_row *file = store_str(st, store_fun(st, f->fun)->file);
		const char *slash = file->n ? text_last(file->s, '/', file->n) : NULL;
		size_t skip = slash ? (size_t)(slash + 1 - file->s) : 0;
		buf_putc(&b, ' ');
		buf_put(&b, file->s + skip, file->n - skip);
		buf_printf(&b, ":%" PRId64, f->line);
	}
	const char *s = arena_strndup(mem, b.p ? b.p : "", b.n);
	*length = b.n;
	buf_free(&b);
	return s;
}

bool operation_meets(const struct operation_criteria *c, const struct operation *o)
{
	if (!c)
		return true;
	if (c->by_id && o->id != c->id)
		return false;
	if (c->whole != TASK_ANY && o->complete != (c->whole == TASK_COMPLETE))
		return false;
	const struct task_criteria length = {.lo = c->lo, .hi = c->hi};
	return (c->lo == TIME_NONE && c->hi == TIME_NONE) ||
	       (o->complete && task_filter_match_latency(&length, wrap_sub(o->t1, o->t0)));
}

bool operation_passes(const struct trace_filter *f, const struct operation *o)
{
	if (!f)
		return true;
	if ((f->to != TIME_NONE && o->t0 >= f->to) || (f->from != TIME_NONE && o->t1 <= f->from && o->t0 < f->from))
		return false;
	if (f->focus && !trace_focus_has_time(f->focus, o->g, o->t0, o->t1, FOCUS_ALL_PIECES))
		return false;
	if (!f->slice)
		return trace_gset_has(f->g, o->g) || trace_gset_has(f->g, o->starter);
	return trace_filter_overlap(f, o->g, o->t0, o->t1) > 0 || trace_filter_overlap(f, o->starter, o->t0, o->t1) > 0;
}

static bool ends_in_range(const struct trace_filter *f, const struct operation *o)
{
	return !f || ((f->to == TIME_NONE || o->t1 <= f->to) && (f->from == TIME_NONE || o->t1 > f->from));
}

bool operations_list_selects(const struct operation_list *l, const struct operation *o)
{
	return operation_meets(l->criteria, o) && operation_passes(l->filter, o) &&
	    (!l->criteria || !l->criteria->ends || ends_in_range(l->filter, o));
}

/* ---- kinds */

/* Best source first, then largest total, then by name. */
static int kind_cmp(const void *a, const void *b)
{
	const struct operation_kind *x = a, *y = b;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	size_t n = x->nname < y->nname ? x->nname : y->nname;
	int c = n ? memcmp(x->name, y->name, n) : 0;
	return c ? c : x->nname < y->nname ? -1 : x->nname > y->nname;
}

struct kind_durations { const struct operations *o; uint32_t kind; };

static void durations_of(const void *arg, uint32_t i, uint32_t n, int64_t *ns)
{
	const struct kind_durations *k = arg;
	operations_durations(k->o, k->kind, i, n, ns);
}

/* Measure the durations of a kind, on any thread. */
static void measure_kind(const struct operations *o, uint32_t kind)
{
	struct operation_kind *k = &o->kind[kind];
	struct durations d = durations_measure(durations_of, &(struct kind_durations){o, kind}, k->n);
	k->p50 = d.p50;
	k->p90 = d.p90;
	k->p99 = d.p99;
	k->max = d.max;
	k->slow_from = d.slow_from;
	k->nslow = d.nslow;
	k->gap = d.gap;
}

static void sort_kind(void *operations, uint32_t kind)
{
	const struct operations *o = operations;
	operations_sort_kind(&o->kind[kind], &o->sn);
}

static bool is_wanted(const struct operation_list *l, const struct operation_kind *k)
{
	const struct regex *rx = l->criteria ? l->criteria->kind : NULL;
	return k->n && (!rx || regex_match(rx, k->name, k->nname));
}

/* Take the wanted kinds, with their operations by start. */
static void arrange(struct operations *o, struct operation_list *l, struct arena *mem)
{
	o->kind = arena_alloc(mem, (l->nkinds + 1) * sizeof *o->kind);
	for (uint32_t i = 0; i < l->nkinds; i++) {
		if (is_wanted(l, &l->kind[i]))
			o->kind[o->nkinds++] = l->kind[i];
		else
			mem_free(l->kind[i].record);
		l->kind[i].record = NULL;
	}
	if (o->nkinds)
		qsort(o->kind, o->nkinds, sizeof *o->kind, kind_cmp);
	for (uint32_t i = 0; i < o->nkinds; i++) {
		o->kind[i].first = o->n;
		o->n += o->kind[i].n;
		operations_keep_kind(&o->kind[i], mem);
	}
	job_parallel(o->nkinds, sort_kind, o);
	operations_set_parents(o, l->ntasks);
}

/* ---- all */

/* Time that the walk did not find in a sheet (a goroutine that existed before its first event) is unknown. */
static void add_unknown(struct operation_kind *k)
{
	int64_t rest = k->total;
	if (!operations_is_whole(k->source))
		return;
	for (int c = 0; c < TIME_CLASS__N; c++)
		rest = wrap_sub(rest, k->class_ns[c]);
	k->class_ns[TIME_UNKNOWN] = wrap_add(k->class_ns[TIME_UNKNOWN], rest);
}

struct finishing { struct operations *o; struct arena *mem; };

/* Make the index, which needs no durations, or measure those of a kind. */
static void finish_part(void *finishing, uint32_t i)
{
	const struct finishing *f = finishing;
	if (i)
		measure_kind(f->o, i - 1);
	else
		operations_index(f->o, f->mem);
}

static void take_handlers(struct operations *o, struct operation_list *l, struct arena *mem)
{
	o->handler = l->handler;
	o->nhandler = l->nhandler;
	o->nhandlers = l->handler_site ? (uint32_t)l->nkinds + 1 : 0;
	o->handler_site = l->handler_site;
	if (l->handler)
		arena_adopt(mem, l->handler);
	l->handler = NULL;
}

static void finish(struct operations *o, struct operation_list *l, struct arena *mem)
{
	for (size_t k = 0; k < l->nkinds; k++) {
		add_unknown(&l->kind[k]);
		if (!operations_is_whole(l->kind[k].source))
			l->kind[k].in_flight = l->kind[k].total;
	}
	o->sn = *l->sn;
	o->lives = l->lives;
	o->first_life = l->first_life;
	o->first_part = l->first_part;
	o->late = l->late;
	if (l->late)
		arena_adopt(mem, l->late);
	l->late = NULL;
	take_handlers(o, l, mem);
	arrange(o, l, mem);
	job_parallel(1 + o->nkinds, finish_part, &(struct finishing){o, mem});
}

static void list_free(struct operation_list *l)
{
	for (size_t k = 0; k < l->nkinds; k++)
		mem_free(l->kind[k].record);
	mem_free(l->late);
	mem_free(l->found);
	mem_free(l->handler);
	mem_free(l->kind);
	mem_free(l->key);
	intern_free(&l->by_key);
}

/* What the steps of a search share. */
struct operations_search {
	struct operations *o;
	struct operation_list l;
	struct task_work tasks;
	struct goroutine_roles roles;
	struct arena scratch;
	const struct progress_watcher *on;
	const struct operations_beside *beside;
	bool only_idle, done;
};

/* Find the tasks and idle waits. Return false if stopped. */
static bool begin_search(struct operations_search *s)
{
	const struct snap *sn = s->l.sn;
	struct goroutine_roles *r = &s->roles;
	s->tasks = tasks_collect(&s->l, &s->scratch, s->on);
	r->role = arena_zalloc(&s->scratch, sn->ntrks + 1u);
	r->of = arena_zalloc(&s->scratch, (sn->ntrks + 1u) * sizeof *r->of);
	r->user = arena_zalloc(&s->scratch, sn->ntrks / 8 + 1u);
	r->acts = arena_zalloc(&s->scratch, sn->ntrks / 8 + 1u);
	r->forever = arena_zalloc(s->l.mem, sn->ntrks / 8 + 1u);
	r->stack = servers_of_stacks(sn, r->servers, &s->scratch, &r->passes);
	if (!idle_waits_find(sn, &s->tasks, r, s->l.mem, s->on))
		return false;
	s->o->idle = r->idle;
	s->o->nstks = sn->nstks;
	s->o->forever = r->forever;
	return true;
}

/* Find the rest. */
static void end_search(struct operations_search *s)
{
	lives_collect(&s->l, &s->tasks, &s->roles);
	mem_trim();	/* arrays that grew have left free memory */
	s->done = work_walk(&s->l, &s->tasks, &s->roles, s->on);
	arena_free(&s->scratch);
	if (s->done)
		finish(s->o, &s->l, s->l.mem);
}

static void do_part(void *arg, uint32_t i)
{
	struct operations_search *s = arg;
	if (i)
		s->beside->fn(s->beside->arg, s->o, i - 1);
	else if (s->only_idle)
		s->done = true;
	else
		end_search(s);
}

static struct operations *run_search(struct operations_search *s)
{
	struct servers *built_in = own_servers ? NULL : servers_new();
	s->o = arena_zalloc(s->l.mem, sizeof *s->o);
	s->l.next_id = 1;
	s->roles.servers = built_in ? built_in : own_servers;
	if (begin_search(s))
		job_parallel(s->beside ? 1 + s->beside->n : 1, do_part, s);
	list_free(&s->l);
	servers_free(built_in);
	arena_free(&s->scratch);
	return s->done ? s->o : NULL;
}

struct operations *operations_find(const struct snap *sn, const struct trace_filter *f,
    const struct operation_criteria *criteria, struct arena *mem, const struct progress_watcher *on)
{
	return run_search(&(struct operations_search){.l = {.sn = sn, .mem = mem, .filter = f, .criteria = criteria}, .on = on});
}

struct operations *operations_find_beside(const struct snap *sn, const struct trace_filter *f,
    const struct operations_beside *beside, struct arena *mem, const struct progress_watcher *on)
{
	return run_search(&(struct operations_search){.l = {.sn = sn, .mem = mem, .filter = f}, .on = on, .beside = beside});
}

const struct operations *operations_find_idle(
    const struct snap *sn, struct arena *mem, const struct progress_watcher *on)
{
	return run_search(&(struct operations_search){.l = {.sn = sn, .mem = mem}, .on = on, .only_idle = true});
}

/* ---- those that are kept with the store */

struct kept_operations { struct arena mem; const struct operations *o; };

static void kept_free(void *arg)
{
	struct kept_operations *k = arg;
	arena_free(&k->mem);
	mem_free(k);
}

static const char kept_key[] = "operations";

const struct operations *operations_if_shared(const struct snap *sn)
{
	const struct kept_operations *had = builder_kept_result(sn, kept_key);
	return had ? had->o : NULL;
}

const struct operations *operations_shared(const struct snap *sn, const struct progress_watcher *on)
{
	const struct kept_operations *had = builder_kept_result(sn, kept_key);
	if (had)
		return had->o;
	struct kept_operations *k = xcalloc(1, sizeof *k);
	k->o = operations_find(sn, NULL, NULL, &k->mem, on);
	if (!k->o) {
		kept_free(k);
		return NULL;
	}
	had = builder_keep_result(sn, kept_key, k, kept_free);
	return had->o;
}

/* ---- choice */

/* Complete operations before others: those have no duration. Equally near ones: the earlier. */
struct nearest { uint32_t best; int64_t off; };

static void take_nearer(struct nearest *n, const struct operations *o, uint32_t kind, bool complete, int64_t to)
{
	const struct operation_kind *k = &o->kind[kind];
	for (uint32_t i = 0; i < k->n; i++) {
		struct operation x = operations_of_kind(o, kind, i);
		int64_t off = wrap_abs(wrap_sub(wrap_sub(x.t1, x.t0), to));
		if (x.complete == complete && (n->best == OPERATION_NONE || off < n->off))
			*n = (struct nearest){k->first + i, off};
	}
}

uint32_t operations_nearest_p99(const struct operations *o, const struct operation_kind *k)
{
	struct nearest n = {OPERATION_NONE, 0};
	bool open = operations_mostly_open(k);
	take_nearer(&n, o, (uint32_t)(k - o->kind), !open, open ? INT64_MAX : k->p99);
	return n.best;
}

/* Is a kind one that something waits for? Tasks and requests always are; others if they end waits or send answers. */
static bool is_awaited(const struct operation_kind *k)
{
	enum { SOME = 64 };	/* of a fan-out only the last one ends the wait for all */
	return k->source <= OPERATION_SERVER || (uint64_t)k->nacting * SOME >= k->n;
}

/* Return the kind of which most operations of a kind are a part: tasks have parents, lives creators. The same kind if there
   is none. */
static uint32_t kind_of_parents(const struct operations *o, uint32_t kind)
{
	enum { LOOKED_AT = 64 };
	const struct operation_kind *k = &o->kind[kind];
	uint32_t parent = kind, votes = 0, n = k->n < LOOKED_AT ? k->n : LOOKED_AT;
	for (int pass = 0; pass < 2; pass++) {	/* the candidate for a majority, then its number */
		votes = 0;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t up = operations_parent(o, k->first + (uint32_t)((uint64_t)i * k->n / n));
			uint32_t of = up == OPERATION_NONE ? kind : operations_kind_of(o, up);
			parent = !pass && !votes ? of : parent;
			votes += of == parent ? 1u : pass ? 0 : -1u;
		}
	}
	return 2 * votes > n && o->kind[parent].source < OPERATION_GOROUTINE ? parent : kind;
}

/* Follow that to a kind whose operations are no parts. A damaged trace may have a circle of parents. */
static uint32_t outermost_kind(const struct operations *o, uint32_t kind)
{
	enum { NESTED = 8 };
	uint32_t up = kind;
	for (int i = 0; i < NESTED; i++) {
		bool divided = o->kind[up].source == OPERATION_TASK || o->kind[up].source == OPERATION_LIFE;
		uint32_t next = divided ? kind_of_parents(o, up) : up;
		if (next == up)
			break;
		up = next;
	}
	return up;
}

/* Of those that something waits for the best source counts, unless its time in flight is little against another one's; of
   one source the kind with most time in flight. What is part of another operation is explained by that. */
uint32_t operations_main_kind(const struct operations *o)
{
	enum { LITTLE = 8 };
	uint32_t best = UINT32_MAX;
	int64_t most = -1;
	bool any = false;
	for (uint32_t i = 0; i < o->nkinds; i++)
		any = any || is_awaited(&o->kind[i]);
	for (uint32_t i = 0; i < o->nkinds; i++)
		if (is_awaited(&o->kind[i]) || !any)
			most = o->kind[i].in_flight > most ? o->kind[i].in_flight : most;
	for (uint32_t i = 0; i < o->nkinds; i++) {
		const struct operation_kind *k = &o->kind[i], *had = best == UINT32_MAX ? NULL : &o->kind[best];
		if ((any && !is_awaited(k)) || k->in_flight < most / LITTLE)
			continue;
		if (!had || k->source < had->source || (k->source == had->source && k->in_flight > had->in_flight))
			best = i;
	}
	return best == UINT32_MAX ? best : outermost_kind(o, best);
}

uint32_t operations_by_id(const struct operations *o, uint64_t id)
{
	for (uint32_t i = 0; i < o->n; i++)
		if (operations_get(o, i).id == id)
			return i;
	return OPERATION_NONE;
}

/* Return the p99 of all complete operations of the chosen kinds; INT64_MAX: there are none. */
static int64_t p99_of(const struct operations *o, const bool *chosen)
{
	int64_t *d = xmalloc((o->n + 1u) * sizeof *d), p99 = INT64_MAX;
	uint32_t n = 0;
	for (uint32_t k = 0; k < o->nkinds; k++)
		for (uint32_t i = 0; chosen[k] && i < o->kind[k].n; i++) {
			d[n] = operations_duration(o, k, i);
			n += d[n] != TIME_NONE;
		}
	stats_sort(d, n);
	if (n)
		p99 = stats_quantile(d, n, 0.99);
	mem_free(d);
	return p99;
}

uint32_t operations_choose(const struct operations *o, const char *words, uint32_t *count)
{
	uint64_t id;
	struct err why = {0};
	*count = 0;
	if (trace_parse_id(words + (*words == '#'), 't', &id)) {
		uint32_t i = operations_by_id(o, id);
		*count = i != OPERATION_NONE;
		return i;
	}
	struct regex *rx = regex_new(words, &why);
	bool *chosen = xcalloc(o->nkinds + 1u, sizeof *chosen);
	for (uint32_t k = 0; rx && k < o->nkinds; k++) {
		chosen[k] = regex_match(rx, o->kind[k].name, o->kind[k].nname);
		*count += chosen[k] ? o->kind[k].n : 0;
	}
	struct nearest n = {OPERATION_NONE, 0};
	int64_t p99 = p99_of(o, chosen);
	for (uint32_t k = 0; k < o->nkinds; k++)
		if (chosen[k])
			take_nearer(&n, o, k, p99 != INT64_MAX, p99);
	mem_free(chosen);
	regex_free(rx);
	return n.best;
}
