/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CRITICAL_TREE_H
#define TTRACE_CRITICAL_TREE_H

#include "critical/many.h"
#include "trace/joined_stacks.h"

/*
 * Critical paths as a call tree. Nodes 1 .. TIME_CLASS__N are the classes of time; below them are the stacks of the
 * waits that led to a piece, the operation's own first, and then the stack of the piece: so a waker's frames are below
 * those of the goroutine that waited for it. Of adjacent equal stacks one is kept, as in a convoy on a lock.
 */
/* The time that an operation spent at a node itself, and in how many pieces. */
struct critical_share { int64_t ns; uint32_t operation, node, n; };

struct critical_tree {
	const struct snap *sn;
	struct joined_stacks stacks;
	struct critical_share *share;	/* those of one operation are adjacent */
	size_t nshare;
	uint32_t nwalked;		/* number of operations; fewer than were given: it is a sample */
	bool approximate;		/* some of its pieces are */
	struct critical_tree_index *index;	/* used while paths are added */
};

/* Waits are only distinguished up to about this many nodes: after that, pieces have their own stacks alone. */
enum { CRITICAL_TREE_NODES = 1 << 20 };
struct critical_tree *critical_tree_new(const struct snap *);
void critical_tree_free(struct critical_tree *);
void critical_tree_add(struct critical_tree *, const struct critical_path *, uint32_t operation);
void critical_tree_merge(struct critical_tree *, const struct critical_tree *);
/* Make the tree of many targets; operations are their indexes. Return NULL if `on` (may be NULL) stops it. */
struct critical_tree *critical_tree_of_targets(const struct critical_walker *, const struct critical_target *,
    uint32_t n, const struct progress_watcher *on);

/* Return the class of node 1 .. TIME_CLASS__N. */
static inline enum time_class critical_tree_class(uint32_t node) { return (enum time_class)(node - 1); }
/* Add the own weight of each node: ns[stacks.n] and count[stacks.n], which the caller zeroes. count may be NULL. */
void critical_tree_weights(const struct critical_tree *, int64_t *ns, int64_t *count);
/* Return the operation that spent most time at the nodes of a set (a bit each), and that time in *ns; of several the
   first. UINT32_MAX: none did. */
uint32_t critical_tree_exemplar(const struct critical_tree *, const uint8_t *nodes, int64_t *ns);

#endif
