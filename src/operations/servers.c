/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Recognises requests of servers by the functions on stacks. A trace does not record requests. But it has the stack of
 * each wait, and in a server's library few functions tell everything: the one that serves a connection is on all stacks
 * of the goroutine, the one that reads is on the stack while it waits for the next request, and the one that calls the
 * handler is on the stack during a request.
 *
 * Stacks are a tree in which parents come before children. So one pass over all nodes gives each what its parent has
 * and what its own frame adds. A function is matched once; its matches are bits.
 */
#include "config.h"
#include "operations/servers.h"

#include "base/text/regex.h"
#include "base/text/text.h"
#include "trace/user_code.h"

#include <string.h>

#define HTTP_HANDLERS \
	"^net/http\\.(HandlerFunc|serverHandler|initALPNRequest|\\(\\*ServeMux\\)|\\(\\*timeoutHandler\\))\\.ServeHTTP$|" \
	"^net/http\\.(StripPrefix|AllowQuerySemicolons|MaxBytesHandler)\\.func1$|" \
	"^net/http\\.\\(\\*timeoutHandler\\)\\.ServeHTTP\\.func1$|" \
	"^github\\.com/gorilla/mux\\.\\(\\*Router\\)\\.ServeHTTP$|" \
	"^github\\.com/gin-gonic/gin\\.\\(\\*(Context\\)\\.Next|Engine\\)\\.(ServeHTTP|handleHTTPRequest))$|" \
	"^github\\.com/go-chi/chi(/v\\d+)?\\.\\(\\*(Mux|ChainHandler)\\)\\.(ServeHTTP|routeHTTP)$|" \
	"^github\\.com/labstack/echo(/v\\d+)?\\.\\(\\*Echo\\)\\.(ServeHTTP|[aA]dd\\.func1)$|" \
	"^github\\.com/julienschmidt/httprouter\\.\\(\\*Router\\)\\.(ServeHTTP|Handler\\.func1)$"
#define GRPC_HANDLERS "^google\\.golang\\.org/grpc\\.\\(\\*Server\\)\\.process(Unary|Streaming)RPC$"

enum pattern_part { PART_SERVES, PART_READS, PART_WORKS, PART_BEGINS, PART_WRITES, PART_HANDLER, PART__N };
static const char *const part_names[PART__N] = {"serves", "reads", "works", "begins", "writes", "handler"};
static const struct { const char *name, *part[PART__N]; } built_in[] = {
#define SERVER(name, serves, reads, works, begins, writes, handler) {name, {serves, reads, works, begins, writes, handler}},
#include "operations/servers.def"
#undef SERVER
};
enum { BUILT_IN = sizeof built_in / sizeof *built_in, SERVERS_MOST = 16 };

struct server { char *name; struct regex *part[PART__N]; };
struct servers {
	struct server v[SERVERS_MOST];
	unsigned n;
};

static void server_free(struct server *s)
{
	mem_free(s->name);
	for (int k = 0; k < PART__N; k++)
		regex_free(s->part[k]);
}

struct servers *servers_new(void)
{
	struct servers *p = xcalloc(1, sizeof *p);
	struct err never;
	for (unsigned i = 0; i < BUILT_IN; i++) {
		struct server *s = &p->v[p->n++];
		s->name = xstrdup(built_in[i].name);
		for (int k = 0; k < PART__N; k++)
			s->part[k] = built_in[i].part[k] ? regex_new(built_in[i].part[k], &never) : NULL;
	}
	return p;
}

void servers_free(struct servers *p)
{
	for (unsigned i = 0; p && i < p->n; i++)
		server_free(&p->v[i]);
	mem_free(p);
}

/* Set a part of a server from "PART=RE". */
static int add_part(struct server *s, char *word, struct err *e)
{
	char *eq = strchr(word, '=');
	int k = 0;
	if (eq)
		*eq = '\0';
	while (k < PART__N && strcmp(word, part_names[k]))
		k++;
	if (!eq || k == PART__N || s->part[k])
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "server %.40s: \"%.40s\" is not serves=RE, reads=RE, works=RE, begins=RE, writes=RE or handler=RE", s->name, word);
	s->part[k] = regex_new(eq + 1, e);
	return s->part[k] ? 0 : -1;
}

static int add_parts(struct server *s, char *next, struct err *e)
{
	while (next) {
		char *word = next + strspn(next, " "), *end = strstr(word, "; ");
		next = end ? end + 2 : NULL;
		if (end)
			*end = '\0';
		if (add_part(s, word, e))
			return -1;
	}
	return s->part[PART_SERVES] ? 0
	    : err_set(e, ERR_USAGE, ERR_NOWHERE, "server %.40s: serves=RE is required", s->name);
}

int servers_add(struct servers *p, const char *line, struct err *e)
{
	size_t n = strcspn(line, " =");
	struct server s = {0};
	if (!n || !line[n + strspn(line + n, " =")])
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "server requires NAME = serves=RE; ..., not \"%.40s\"", line);
	if (p->n == SERVERS_MOST)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "there are too many servers");
	char *copy = xstrdup(line);
	copy[n] = '\0';
	s.name = xstrdup(copy);
	int bad = add_parts(&s, copy + n + 1 + strspn(copy + n + 1, " ="), e);
	mem_free(copy);
	if (bad) {
		server_free(&s);
		return -1;
	}
	memmove(p->v + 1, p->v, p->n++ * sizeof *p->v);
	p->v[0] = s;
	return 0;
}

unsigned servers_count(const struct servers *p)
{
	return p->n;
}

const char *servers_name(const struct servers *p, unsigned server)
{
	return p->v[server].name;
}

bool servers_is_life(const struct servers *p, unsigned server)
{
	return !p->v[server].part[PART_READS];
}

bool servers_has_works(const struct servers *p, unsigned server)
{
	return p->v[server].part[PART_WORKS] != NULL;
}

bool servers_has_handler(const struct servers *p, unsigned server)
{
	return p->v[server].part[PART_HANDLER] != NULL;
}

unsigned servers_of_start(const struct servers *p, const char *function, size_t n)
{
	for (unsigned i = 0; i < p->n; i++)
		if (servers_is_life(p, i) && regex_match(p->v[i].part[PART_SERVES], function, n))
			return i + 1;
	return 0;
}

/* ---- stacks */

/* Traces of old versions do not tell which goroutine started to record them. */
static const char fetches_trace[] = "net/http/pprof.Trace";

/* The start of names of methods by which package net reads and writes: those for writing go on with "Write", "writeTo" ... */
static const char netfd[] = "net.(*netFD).";

/* The matches of each function: a bit per part for each server, and whether it is user code. */
struct function_marks { uint8_t part[SERVERS_MOST]; bool known, any, user, records, sends; };
_Static_assert(PART__N <= 8, "a bit for each part");

struct stack_pass {
	const struct store *st;
	const struct servers *p;
	struct function_marks *fun;
};

static const struct function_marks *marks_of(struct stack_pass *o, fun_id f)
{
	struct function_marks *m = &o->fun[f];
	const struct str_row *name = store_str(o->st, store_fun(o->st, f)->name);
	if (m->known)
		return m;
	m->known = true;
	m->user = user_code_is_user_function(name->s, name->n);
	m->sends = name->n > sizeof netfd && !memcmp(name->s, netfd, sizeof netfd - 1) && (name->s[sizeof netfd - 1] | 32) == 'w';
	m->records = name->n == sizeof fetches_trace - 1 && !memcmp(name->s, fetches_trace, name->n);
	for (unsigned i = 0; i < o->p->n; i++)
		for (int k = 0; k < PART__N; k++)
			if (o->p->v[i].part[k] && regex_match(o->p->v[i].part[k], name->s, name->n))
				m->part[i] |= (uint8_t)(1u << k);
	for (unsigned i = 0; i < o->p->n; i++)
		m->any = m->any || m->part[i];
	return m;
}

/* Return whether the function matches a part of a server, given as its number plus 1. */
static bool matches(const struct function_marks *m, unsigned server, enum pattern_part part)
{
	return server && m->part[server - 1] >> part & 1;
}

static unsigned server_of(const struct servers *p, const struct function_marks *m)
{
	for (unsigned i = 1; m->any && i <= p->n; i++)
		if (matches(m, i, PART_SERVES))
			return i;
	return 0;
}

static size_t package_length(const struct str_row *s)
{
	const char *slash = s->n ? text_last(s->s, '/', s->n) : NULL, *from = slash ? slash : s->s;
	const char *dot = s->n ? memchr(from, '.', s->n - (size_t)(from - s->s)) : NULL;
	return dot ? (size_t)(dot - s->s) : s->n;
}

/* Are two functions of one package? */
static bool same_package(const struct store *st, frm_id a, frm_id b)
{
	const struct str_row *x = store_str(st, store_fun(st, store_frm(st, a)->fun)->name),
			     *y = store_str(st, store_fun(st, store_frm(st, b)->fun)->name);
	size_t n = package_length(x);
	return n == package_length(y) && !memcmp(x->s, y->s, n);
}

/* Is the frame of node r a handler, called by that of `up`? A library that is known calls functions of its own, too. */
static bool is_handler(struct stack_pass *o, const struct stk_row *r, const struct stk_row *up, unsigned server)
{
	const struct function_marks *m = marks_of(o, store_frm(o->st, r->frame)->fun);
	bool known = server > o->p->n - BUILT_IN;
	return r->parent && m->user && !matches(m, server, PART_HANDLER) &&
	    matches(marks_of(o, store_frm(o->st, up->frame)->fun), server, PART_HANDLER) &&
	    !(known && same_package(o->st, r->frame, up->frame));
}

/* Add what a node's own frame adds to what its parent has. idle is kept as "reads" while a node is a parent: `works` ends
   it for all nodes below. */
static void add_frame(const struct function_marks *m, struct server_stack *x)
{
	x->user = x->user || m->user;
	x->records = x->records || m->records;
	x->sends = x->sends || m->sends;
	x->works = x->works || matches(m, x->server, PART_WORKS);
	x->begins = x->begins || matches(m, x->server, PART_BEGINS);
	x->writes = x->writes || matches(m, x->server, PART_WRITES);
	x->idle = !x->works && (x->idle || matches(m, x->server, PART_READS));
}

const struct server_stack *servers_of_stacks(
    const struct snap *sn, const struct servers *p, struct arena *mem, const uint8_t **passes)
{
	struct stack_pass o = {sn->st, p, xcalloc(sn->nfuns + 1u, sizeof *o.fun)};
	struct server_stack *v = arena_zalloc(mem, (sn->nstks + 1u) * sizeof *v);
	uint8_t *routes = arena_zalloc(mem, sn->nfuns + 1u);
	struct stk_pass pass = stk_pass(sn->st);
	*passes = routes;
	for (stk_id s = 1; s < sn->nstks; s++) {
		struct stk_row r = stk_at(&pass, s);
		const struct stk_row up = stk_at(&pass, r.parent);
		const struct function_marks *m = marks_of(&o, store_frm(sn->st, r.frame)->fun);
		struct server_stack *x = &v[s];
		*x = v[r.parent];
		if (!x->server)
			x->server = (uint8_t)server_of(p, m);
		add_frame(m, x);
		if (!is_handler(&o, &r, &up, x->server))
			continue;
		if (x->handler)
			routes[store_frm(sn->st, stk_frame(sn->st, x->handler))->fun] = 1;
		x->handler = s;
	}
	mem_free(o.fun);
	return v;
}
