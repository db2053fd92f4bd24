/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Which requests of a server are of one kind. The walk finds the handler of a request only if the goroutine had an event
 * in it. Of fast requests few have one, so kinds by handler would hold the slow requests, and the fast ones would be a
 * kind of their own: nothing would be slow within its kind. So handlers are kinds only where nearly all requests of the
 * server have a known one. Otherwise all its requests are one kind, and each request has its handler.
 *
 * A router or middleware is a handler too, to those that call it. A handler that calls another one in any stack of the
 * trace is one of these: a request of which no more is known has no known handler.
 *
 * The name of a kind is that of its handler. A closure has no name of its own: if it is one of several handlers
 * its kind is named by the function that it calls, if it is the only one by the innermost user function that is common to
 * all stacks, as kinds without a handler are. If less than half of the requests had an event in user code, their stacks tell
 * nothing of the others, and the name is that of the server.
 */
#include "config.h"
#include "operations/internal.h"

#include "base/u64_map.h"
#include "base/wrap_math.h"
#include "trace/user_code.h"

#include <string.h>

/* Functions that all stacks of a kind have in common: the outermost `depth` frames of `stack`. forks: there are stacks that
   differ after them. */
struct common_part { stk_id stack; uint32_t depth; bool forks; };

struct population_pass {
	struct operation_list *l;
	const struct goroutine_roles *r;
	const uint8_t *seen;
	struct common_part *common;	/* by kind */
	uint32_t *merged;		/* by server: its kind of requests without a handler plus 1; 0: none */
	bool *single;			/* by server: all requests are of that kind */
	bool *named;			/* by server: half of its requests had events in user code */
	stk_id *sole;			/* by server: its known handler, if there is one only; else 0 */
};

static uint32_t server_of(const struct operation_list *l, uint32_t k)
{
	return (uint32_t)(l->key[k] >> 32);
}

static fun_id handler_of(const struct operation_list *l, uint32_t k)
{
	return (fun_id)l->key[k];
}

static bool is_request(const struct operation_list *l, uint32_t k)
{
	return l->kind[k].source == OPERATION_SERVER;
}

static bool is_known(const struct population_pass *p, uint32_t k)
{
	fun_id f = handler_of(p->l, k);
	return f && !p->r->passes[f];
}

static void join(struct operation_kind *to, struct operation_kind *from)
{
	size_t size = sizeof(struct part_record);
	if (to->n + (size_t)from->n > to->room)
		to->record = mem_grow(to->record, &to->room, to->n + (size_t)from->n, size);
	if (from->n)
		memcpy((char *)to->record + to->n * size, from->record, from->n * size);
	to->n += from->n;
	to->ncomplete += from->ncomplete;
	to->nbefore += from->nbefore;
	to->nbegun += from->nbegun;
	to->nacting += from->nacting;
	wrap_add_to(&to->total, from->total);
	wrap_add_to(&to->complete_total, from->complete_total);
	for (int c = 0; c < TIME_CLASS__N; c++)
		wrap_add_to(&to->class_ns[c], from->class_ns[c]);
	mem_free(from->record);
	from->record = NULL;
	from->room = from->n = from->ncomplete = 0;
}

/* Join the kinds of a server without a known handler, or all. */
static void join_kinds(struct population_pass *p, uint32_t server)
{
	enum { NEARLY_ALL = 95 };
	struct operation_list *l = p->l;
	uint64_t all = 0, known = 0, shown = 0;
	for (uint32_t k = 0; k < l->nkinds; k++)
		if (is_request(l, k) && server_of(l, k) == server) {
			all += l->found[k].n;
			known += is_known(p, k) ? l->found[k].n : 0;
			shown += l->found[k].in_user_code;
		}
	p->single[server] = known * 100 < all * NEARLY_ALL;
	p->named[server] = shown * 2 >= all;
	for (uint32_t k = 0; k < l->nkinds; k++) {
		if (!is_request(l, k) || server_of(l, k) != server || (!p->single[server] && is_known(p, k)))
			continue;
		if (p->merged[server])
			join(&l->kind[p->merged[server] - 1], &l->kind[k]);
		else
			p->merged[server] = k + 1;
	}
}

/* ---- names */

static void add_common(const struct store *st, struct common_part *c, stk_id stack)
{
	uint32_t depth = stacks_depth(st, stack);
	if (!c->stack) {
		*c = (struct common_part){stack, depth, false};
		return;
	}
	uint32_t same = stacks_common(st, c->stack, stack);
	c->forks = c->forks || same < depth;
	c->depth = same < c->depth ? same : c->depth;
}

/* Find what the stacks of each kind have in common. */
static void find_common(struct population_pass *p)
{
	const struct snap *sn = p->l->sn;
	for (stk_id s = 1; s < sn->nstks; s++) {
		const struct server_stack *x = &p->r->stack[s];
		if (!(p->seen[s >> 3] >> (s & 7) & 1) || !x->server || !x->user)
			continue;
		uint32_t server = x->server - 1u;
		fun_id f = x->handler ? store_frm(sn->st, stk_frame(sn->st, x->handler))->fun : 0;
		uint32_t k = p->single[server] ? p->merged[server] - 1
		    : operations_list_find(p->l, OPERATION_SERVER, operations_server_key(server, f));
		if (k != UINT32_MAX)
			add_common(sn->st, &p->common[k], s);
	}
}

/* Is it the name of a closure? "main.(*server).routes.func2", "main.main.func1.2". */
static bool is_closure(const struct str_row *s)
{
	static const char func[] = ".func";
	size_t n = sizeof func - 1, at = s->n;
	while (at && (s->s[at - 1] == '.' || (s->s[at - 1] >= '0' && s->s[at - 1] <= '9')))
		at--;
	return at < s->n && at >= n && !memcmp(s->s + at - n, func, n);
}

/* Return the innermost user function that is common to the stacks of a kind; 0: none. */
static stk_id common_user_frame(const struct store *st, const struct common_part *c)
{
	return !c->stack ? 0
	    : user_code_first_frame(st, stacks_ancestor(st, c->stack, stacks_depth(st, c->stack) - c->depth));
}

static const struct str_row *name_of(const struct store *st, stk_id at)
{
	return store_str(st, store_fun(st, at ? store_frm(st, stk_frame(st, at))->fun : 0)->name);
}

/* Return the function that a closure calls, the outermost one that is no closure, down to the node `common`; 0: none. */
static stk_id called_by_closure(const struct store *st, stk_id closure, stk_id common)
{
	stk_id found = 0;
	fun_id f = store_frm(st, stk_frame(st, closure))->fun;
	for (stk_id s = common; s && store_frm(st, stk_frame(st, s))->fun != f; s = stk_parent(st, s)) {
		const struct str_row *name = name_of(st, s);
		if (user_code_is_user_function(name->s, name->n) && !is_closure(name))
			found = s;
	}
	return found;
}

/* Return the frame that a kind is named by; 0: none. sole: the only known handler of the server; 0: there are several. */
static stk_id naming_frame(const struct population_pass *p, uint32_t k, stk_id sole)
{
	const struct store *st = p->l->sn->st;
	uint32_t server = server_of(p->l, k);
	bool merged = p->merged[server] == k + 1;
	stk_id handler = merged ? sole : p->l->kind[k].site, common = common_user_frame(st, &p->common[k]), at;
	if ((merged && !(p->single[server] && p->named[server])) || !servers_has_handler(p->r->servers, server))
		return 0;
	if (!handler)
		return common;
	if (!common || !is_closure(name_of(st, handler)))
		return handler;
	at = !sole ? called_by_closure(st, handler, common) : p->common[k].forks ? common : 0;
	return at ? at : handler;
}

/* Return the known handler of a server, if there is one only, else 0. */
static stk_id sole_handler(const struct population_pass *p, uint32_t server)
{
	const struct operation_list *l = p->l;
	stk_id found = 0;
	for (uint32_t k = 0; k < l->nkinds; k++) {
		if (!is_request(l, k) || server_of(l, k) != server || !is_known(p, k) || !l->found[k].n)
			continue;
		if (found)
			return 0;
		found = l->handler_site[k + 1];
	}
	return found;
}

/* Return where kinds of the server of kind k are counted that are named by the function of a node. */
static uint64_t *users_of_name(struct u64_hash *users, const struct population_pass *p, uint32_t k, stk_id at)
{
	const struct store *st = p->l->sn->st;
	bool fresh;
	str_id name = store_fun(st, store_frm(st, stk_frame(st, at))->fun)->name;
	return &u64_map_put(users, (uint64_t)server_of(p->l, k) << 32 | name, &fresh)->n;
}

/* A name that several kinds of a server would have tells nothing: each gets that of its handler. */
static void name_kinds(struct population_pass *p)
{
	struct operation_list *l = p->l;
	const struct store *st = l->sn->st;
	struct u64_hash users = {0};
	stk_id *at = xcalloc(l->nkinds + 1u, sizeof *at);
	for (uint32_t k = 0; k < l->nkinds; k++)
		if (is_request(l, k) && l->kind[k].n) {
			at[k] = naming_frame(p, k, p->sole[server_of(l, k)]);
			*users_of_name(&users, p, k, at[k]) += at[k] != 0;
		}
	for (uint32_t k = 0; k < l->nkinds; k++) {
		struct operation_kind *x = &l->kind[k];
		if (!is_request(l, k) || !x->n)
			continue;
		stk_id frame = at[k] && *users_of_name(&users, p, k, at[k]) > 1 ? x->site : at[k];
		const struct str_row *s = name_of(st, frame);
		x->name = operations_kind_name(
		    l->mem, st, servers_name(p->r->servers, server_of(l, k)), s->s, frame ? s->n : 0, 0, &x->nname);
		x->site = frame;
	}
	u64_map_free(&users);
	mem_free(at);
}

/* Keep the nodes of handlers: kinds that are joined lose theirs. */
static void keep_handlers(const struct population_pass *p)
{
	struct operation_list *l = p->l;
	l->handler_site = arena_zalloc(l->mem, (l->nkinds + 1) * sizeof *l->handler_site);
	for (uint32_t k = 0; k < l->nkinds; k++)
		if (is_request(l, k) && is_known(p, k))
			l->handler_site[k + 1] = l->kind[k].site;
}

void populations_form(struct operation_list *l, const struct goroutine_roles *r, const uint8_t *seen)
{
	uint32_t n = servers_count(r->servers);
	struct population_pass p = {.l = l, .r = r, .seen = seen,
	    .common = xcalloc(l->nkinds + 1u, sizeof *p.common),
	    .merged = xcalloc(n, sizeof *p.merged), .single = xcalloc(n, sizeof *p.single),
	    .named = xcalloc(n, sizeof *p.named), .sole = xcalloc(n, sizeof *p.sole)};
	keep_handlers(&p);
	for (uint32_t server = 0; server < n; server++)
		p.sole[server] = sole_handler(&p, server);
	for (uint32_t server = 0; server < n; server++)
		join_kinds(&p, server);
	find_common(&p);
	name_kinds(&p);
	mem_free(p.common);
	mem_free(p.merged);
	mem_free(p.single);
	mem_free(p.named);
	mem_free(p.sole);
}
