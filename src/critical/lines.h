/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CRITICAL_LINES_H
#define TTRACE_CRITICAL_LINES_H

#include "base/text/buf.h"
#include "critical/path.h"

/*
 * Critical paths summed up by class, function and reason, as reports and the screen show them. The function is that of
 * the first user frame of a stack, or of its leaf if it has none.
 */

/* The waits that led to the goroutines of a line, innermost last; adjacent ones at one place (function and line)
   count as one, as in a convoy on a lock. up: the one that led to its goroutine, or CRITICAL_NONE. */
struct critical_chain { uint32_t up, depth; enum time_class cls; stk_id at; };
enum { CRITICAL_CHAIN = 6 };	/* waits beyond that are not distinguished */

struct critical_line {
	int64_t ns;
	int64_t t0, t1;		/* its longest piece, */
	trk_id g;		/* and the goroutine, stack and occupant of that piece */
	stk_id stack;
	trk_id occupant;
	uint32_t operation;	/* the number of the path that it is from, in the order in which paths were added */
	str_id function;	/* its name; 0: unknown */
	stk_id at;		/* the node of `stack` that has the function; 0: unknown */
	uint32_t chain;		/* CRITICAL_NONE: own time of the operation's goroutine */
	uint32_t span;		/* of CRITICAL_STOPPED: a stop of this kind */
	uint32_t n, ngoroutines;	/* number of pieces, of different goroutines */
	uint32_t added;			/* its number in the order in which lines were added, see critical_lines_position() */
	enum time_class cls : 8;
	enum critical_reason reason : 8;
	bool followed, approximate;	/* as in critical_piece */
	bool several, mixed;	/* several goroutines occupied the Ps; they have different start functions */
};

struct critical_lines;
struct critical_lines *critical_lines_new(const struct snap *);
void critical_lines_free(struct critical_lines *);
void critical_lines_add(struct critical_lines *, const struct critical_path *, uint32_t operation);
/* The same; line[i] is set to the number of the line to which piece i was added, in the order of adding. */
void critical_lines_add_pieces(
    struct critical_lines *, const struct critical_path *, uint32_t operation, uint32_t *line);
/* Add the sums of another one on the same snapshot. */
void critical_lines_merge(struct critical_lines *, const struct critical_lines *);
/* Sort by time, longest first. Nothing may be added afterwards. */
void critical_lines_sort(struct critical_lines *);

uint32_t critical_lines_count(const struct critical_lines *);
/* Return the index of the line with the number `added`, after critical_lines_sort(). */
uint32_t critical_lines_position(const struct critical_lines *, uint32_t added);
/* Return the outermost wait that led to a chain: the wait of the operation's goroutine. */
uint32_t critical_lines_root(const struct critical_lines *, uint32_t chain);
const struct critical_line *critical_lines_at(const struct critical_lines *, uint32_t i);
const struct critical_chain *critical_lines_chain(const struct critical_lines *, uint32_t i);
const int64_t *critical_lines_classes(const struct critical_lines *);	/* time by class */
int64_t critical_lines_total(const struct critical_lines *);

/* Return the node of a stack that stands for it: its first user frame, else its leaf; 0 for 0. */
stk_id critical_place(const struct store *, stk_id);
/* Append "function file:line" of a node, the file without its folders; as in the file (not safe for a terminal). */
void critical_put_place(struct buf *, const struct store *, stk_id at);
/* Append whose time it is ("G37", "15 goroutines") and why the operation waited for it ("lock main.reserve main.go:38",
   "all Ps occupied, by G41 main.batch"); as in the file. The caller marks the share of a line that is approximate. */
void critical_line_put_whose(const struct critical_lines *, const struct critical_line *, struct buf *);
void critical_line_put_because(const struct critical_lines *, const struct critical_line *, struct buf *);

#endif
