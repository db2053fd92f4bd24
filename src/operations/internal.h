/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_OPERATIONS_INTERNAL_H
#define TTRACE_OPERATIONS_INTERNAL_H

#include "base/intern.h"
#include "operations/operations.h"

/* The records of operations: of a task; of a round or request. */
struct task_record {
	int64_t t0, t1;
	uint64_t id;
	trk_id g, starter;
	uint32_t parent;		/* an index; until all are found a position */
	uint32_t position : 31;		/* its number among all selected tasks, as they were found */
	uint32_t complete : 1;
};
struct part_record {
	uint32_t t0[2];			/* low and high half */
	uint32_t ns;			/* duration; from PART_LONG on: PART_LONG + index of its end in `late` */
	trk_id g;
	uint32_t id : 31;		/* less operations.first_part */
	uint32_t complete : 1;
};
#define PART_LONG UINT32_C(0xf0000000)

/* How many requests of a kind were found, also those that are not selected; how many had an event in user code. */
struct found_requests { uint32_t n, in_user_code; };

/* What operations_find() collects. Kinds get their numbers in the order in which they are found. */
struct operation_list {
	const struct snap *sn;
	const struct trace_filter *filter;	/* NULL: all are selected, and so for criteria */
	const struct operation_criteria *criteria;
	struct arena *mem;		/* of the result: names */
	uint32_t ntasks;
	int64_t *late;			/* this, lives, first_life and first_part: see struct operations */
	uint32_t nlate;
	size_t clate;
	struct rank *lives;
	uint64_t first_life, first_part;
	struct operation_kind *kind;
	uint64_t *key;			/* of each kind */
	struct found_requests *found;	/* of each kind */
	uint16_t *handler;		/* this, nhandler and handler_site: see struct operations; the number of a handler is
					   that of its kind plus 1 */
	stk_id *handler_site;
	size_t nkinds, ckinds, ckeys, cfound, nhandler, chandler;
	struct intern by_key;
	uint64_t next_id;		/* of operations that are not tasks */
};
/* Return the number of the kind of a source with this key, which is added without a name if it is new: *fresh. */
uint32_t operations_list_kind(struct operation_list *, enum operation_source, uint64_t key, bool *fresh);
/* The same for a kind that is there; UINT32_MAX: it is not. */
uint32_t operations_list_find(const struct operation_list *, enum operation_source, uint64_t key);
/* Return the key of requests of a server with this handler; 0: unknown. */
static inline uint64_t operations_server_key(unsigned server, fun_id handler) { return (uint64_t)server << 32 | handler; }
/* records.c: add an operation, which is selected. parent: of a task, the position of its parent among tasks, or
   OPERATION_NONE. */
void operations_list_add(struct operation_list *, const struct operation *, uint32_t parent);
void operations_sort_kind(const struct operation_kind *, const struct snap *);
void operations_set_parents(const struct operations *, uint32_t ntasks);
/* Give the records to the arena. */
void operations_keep_kind(struct operation_kind *, struct arena *);
/* Return the operation that is the whole life of a goroutine, whose start is known; its id and kind are 0. */
struct operation operations_life(const struct snap *, const uint8_t *forever, trk_id);
/* Are operations of the source the whole time of goroutines? */
static inline bool operations_is_whole(enum operation_source s) { return s == OPERATION_LIFE || s == OPERATION_GOROUTINE; }
/* Return whether an operation is selected: it meets the criteria, overlaps the time range, and the selected times of a
   goroutine on which it starts or ends. */
bool operations_list_selects(const struct operation_list *, const struct operation *);
/* Return a name in the arena: the prefix (may be NULL), the name of n bytes, and the file and line of the frame at a
   node of a stack (0: none). */
const char *operations_kind_name(struct arena *, const struct store *, const char *prefix, const char *name, size_t n,
    stk_id at, size_t *length);

/* A start or an end of a time range in which a goroutine works for something, to which its time is added. Ranges may
   overlap. */
struct work_point {
	int64_t t, start;		/* start: when its range starts */
	trk_id g;
	uint32_t of : 31, end : 1;	/* of: row of the sums */
};
/* Of ranges: by goroutine, then time; of equal times ends come first. */
struct work_points { struct work_point *v; uint32_t n; };
/* Add a range, for which there is room; sort the points when all are there. */
void work_points_add(struct work_points *, trk_id g, int64_t t0, int64_t t1, uint32_t of);
void work_points_sort(struct work_points *);

/* The times at which goroutines work for tasks. */
struct task_work {
	struct work_points points;	/* of all ranges of selected tasks, of: their kinds */
	struct trace_slice *busy;	/* the union of the ranges, by goroutine, then time */
	uint32_t nbusy;
	uint8_t *any;			/* a bit per track: it has such a range */
};
static inline bool works_for_tasks(const struct task_work *w, trk_id g) { return w->any[g >> 3] >> (g & 7) & 1; }
/* tasks.c: add the user tasks, and the ranges of the goroutines that worked for them. */
struct task_work tasks_collect(struct operation_list *, struct arena *scratch, const struct progress_watcher *);
/* Return the ranges in which goroutines worked for the tasks of a kind; of: number of the task in its kind. */
struct work_points tasks_points(const struct snap *, const struct operations *, const struct operation_kind *,
    struct arena *, const struct progress_watcher *);

/* What a goroutine's time is divided into, besides tasks. */
enum goroutine_role {
	ROLE_NONE,			/* nothing: it belongs to the runtime or a library, or works for tasks only */
	ROLE_ROUND,			/* rounds of its loop; of: the stack of the idle wait */
	ROLE_SERVER,			/* requests; of: number of the server */
	ROLE_WHOLE			/* its time is one operation; of: number of the kind */
};
struct goroutine_roles {
	uint8_t *role;			/* by track: enum goroutine_role */
	uint32_t *of;			/* by track */
	uint8_t *user;			/* a bit per track: a stack of it has user code */
	uint8_t *forever;		/* a bit per track: it is blocked for ever, which store_t1() takes for its end */
	uint8_t *idle;			/* a bit per stack: a wait there is idle */
	uint8_t *acts;			/* a bit per track: see operation_kind.nacting; set by the walk */
	const struct server_stack *stack;
	const uint8_t *passes;		/* a byte per function: see servers_of_stacks() */
	const struct servers *servers;
};
/* Has the goroutine ended? forever: see goroutine_roles. */
static inline bool goroutine_ended(const struct snap *sn, const uint8_t *forever, trk_id g)
{
	return store_trk(sn->st, g)->to_t1 && !(forever[g >> 3] >> (g & 7) & 1);
}
/* Did the goroutine start in the trace? Those that a timer or the runtime started have no creator. */
static inline bool goroutine_started(const struct snap *sn, trk_id g)
{
	const struct trk_row *row = store_trk(sn->st, g);
	return row->creator || (row->t0 > sn->t0 && store_heard(sn->st, row) == TIME_NONE);
}

/* idle_waits.c: set the idle waits and the goroutines with rounds and requests. Return false if stopped. */
bool idle_waits_find(const struct snap *, const struct task_work *, struct goroutine_roles *, struct arena *,
    const struct progress_watcher *);

/* lives.c: give ROLE_WHOLE to the goroutines of the program that have no other role, and add them. */
void lives_collect(struct operation_list *, const struct task_work *, struct goroutine_roles *);

/* Return the number of frames of a stack; the node that many callers up. */
uint32_t stacks_depth(const struct store *, stk_id);
stk_id stacks_ancestor(const struct store *, stk_id, uint32_t up);
/* Return how many of the outermost frames of two stacks are of the same functions. */
uint32_t stacks_common(const struct store *, stk_id, stk_id);

/* populations.c: join the requests that are of one kind, and name their kinds. seen: a bit per stack at which a goroutine
   had an event during a request. */
void populations_form(struct operation_list *, const struct goroutine_roles *, const uint8_t *seen);

/* work_walk.c: add rounds and requests, and the time by class of all kinds. Return false if stopped. */
bool work_walk(struct operation_list *, const struct task_work *, const struct goroutine_roles *,
    const struct progress_watcher *);

/* by_goroutine.c: make by_g and outer. */
void operations_index(struct operations *, struct arena *);

/* The classes of intervals. of_state: by state, the class; TIME_CLASS__N: it depends on the stack. of_stack: by stack, the
   class of a wait in such a state plus 1; 0: it is not known yet. */
struct class_cache { const struct snap *sn; uint8_t *of_stack, of_state[SHEET_STATE + 1]; };
static inline void class_cache_init(struct class_cache *c, const struct snap *sn)
{
	*c = (struct class_cache){sn, xcalloc(sn->nstks + 1u, 1), {0}};
	for (unsigned s = 0; s <= SHEET_STATE; s++)
		c->of_state[s] = (uint8_t)(time_class_needs_stack((enum tstate)s)
			? (unsigned)TIME_CLASS__N : time_class_of(sn->st, (enum tstate)s, 0));
}
static inline void class_cache_free(struct class_cache *c) { mem_free(c->of_stack); }
/* Return the class of an interval. */
static inline enum time_class class_cache_of(struct class_cache *c, const struct sheet *sh, uint32_t i)
{
	enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
	if (c->of_state[s] != TIME_CLASS__N)
		return (enum time_class)c->of_state[s];
	stk_id stack = sheet_stack(sh, i);
	if (stack >= c->sn->nstks)
		return time_class_of(c->sn->st, s, 0);
	if (!c->of_stack[stack])
		c->of_stack[stack] = (uint8_t)(time_class_of(c->sn->st, s, stack) + 1);
	return (enum time_class)(c->of_stack[stack] - 1);
}

/* class_sums.c: the time by class of ranges, added to the rows of a table, which is zeroed. */
struct class_sums;
struct class_sums *class_sums_new(const struct snap *, struct work_points, struct class_table *);
/* Add a row of the next sheet. */
void class_sums_row(struct class_sums *, const struct sheet *, uint32_t row, struct class_cache *);
/* Add to the unknown time of each row of the table what its ranges have more than its classes, and free the sums. */
void class_sums_finish(struct class_sums *);
/* Return a zeroed table of n rows with a column for each class, or for those with time in ns[]. */
struct class_table class_table_new(uint32_t n, const int64_t *ns, struct arena *);

#endif
