/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_OPERATIONS_SERVERS_H
#define TTRACE_OPERATIONS_SERVERS_H

#include "base/err.h"
#include "base/mem/mem.h"
#include "store/store.h"

#include <stdbool.h>

/*
 * Patterns on stacks that find the requests of servers: those of servers.def, and those that users add. Threads may
 * share them once they are complete.
 */
struct servers;
struct servers *servers_new(void);	/* the patterns of servers.def */
void servers_free(struct servers *);
/* Add a server, which is tried before those that are there: "NAME = serves=RE; reads=RE; works=RE; begins=RE; writes=RE;
   handler=RE", of which the name and serves are required; servers.def describes the parts. Return -1 with *e if it is invalid. */
int servers_add(struct servers *, const char *line, struct err *e);

/* What the patterns tell about a stack. */
struct server_stack {
	stk_id handler;		/* the node of the handler; 0: none */
	uint8_t server;		/* number of the server that it serves, plus 1; 0: none */
	bool idle : 1;		/* a wait at this stack is one for the next request, a system call reads one */
	bool works : 1, begins : 1, writes : 1;	/* it has such a function, see servers.def */
	bool records : 1;	/* it has the function that net/http/pprof records a trace with */
	bool sends : 1;		/* it has a function that writes to the network */
	bool user : 1;		/* it has a frame of user code */
};
/* Return that of every stack of the snapshot, in the arena. *passes: set to a byte per function: it is a handler that calls
   other handlers, such as a router or middleware. */
const struct server_stack *servers_of_stacks(
    const struct snap *, const struct servers *, struct arena *, const uint8_t **passes);

unsigned servers_count(const struct servers *);
/* Return the name of a server, and whether one goroutine serves one request. */
const char *servers_name(const struct servers *, unsigned server);
bool servers_is_life(const struct servers *, unsigned server);
/* Return whether a stack with `works` tells that a goroutine works for a request; else any stack but those of reading. */
bool servers_has_works(const struct servers *, unsigned server);
/* Return whether the function that calls handlers is known. */
bool servers_has_handler(const struct servers *, unsigned server);
/* Return the number plus 1 of the server whose goroutines start with this function; 0: none. Only servers whose
   goroutines serve one request. */
unsigned servers_of_start(const struct servers *, const char *function, size_t n);

#endif
