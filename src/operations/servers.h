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
struct operation_patterns;
struct operation_patterns *operation_patterns_new(void);	/* the patterns of servers.def */
void operation_patterns_free(struct operation_patterns *);
/* Add a server, which is tried before those of servers.def: "serves=RE; reads=RE; works=RE; handler=RE", of which
   serves is required. Return -1 with *e if it is invalid. */
int operation_patterns_add(struct operation_patterns *, const char *name, const char *text, struct err *e);

/* What the patterns tell about a stack. */
struct server_stack {
	stk_id handler;		/* the node of the handler; 0: none */
	uint8_t server;		/* number of the server that it serves, plus 1; 0: none */
	bool idle;		/* a wait at this stack is one for the next request */
	bool user;		/* it has a frame of user code */
};
/* Return that of every stack of the snapshot, in the arena. */
const struct server_stack *server_stacks(const struct snap *, const struct operation_patterns *, struct arena *);

/* Return the name of a server, and whether one goroutine serves one request. */
const char *server_name(const struct operation_patterns *, unsigned server);
bool server_is_life(const struct operation_patterns *, unsigned server);
/* Return the number plus 1 of the server whose goroutines start with this function; 0: none. Only servers whose
   goroutines serve one request. */
unsigned server_of_start(const struct operation_patterns *, const char *function, size_t n);

#endif
