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
/* Add a server, which is tried before those that are there: "NAME = serves=RE; reads=RE; works=RE; handler=RE", of
   which the name and serves are required; servers.def describes the parts. Return -1 with *e if it is invalid. */
int servers_add(struct servers *, const char *line, struct err *e);

/* What the patterns tell about a stack. */
struct server_stack {
	stk_id handler;		/* the node of the handler; 0: none */
	uint8_t server;		/* number of the server that it serves, plus 1; 0: none */
	bool idle;		/* a wait at this stack is one for the next request */
	bool user;		/* it has a frame of user code */
};
/* Return that of every stack of the snapshot, in the arena. */
const struct server_stack *servers_of_stacks(const struct snap *, const struct servers *, struct arena *);

/* Return the name of a server, and whether one goroutine serves one request. */
const char *servers_name(const struct servers *, unsigned server);
bool servers_is_life(const struct servers *, unsigned server);
/* Return the number plus 1 of the server whose goroutines start with this function; 0: none. Only servers whose
   goroutines serve one request. */
unsigned servers_of_start(const struct servers *, const char *function, size_t n);

#endif
