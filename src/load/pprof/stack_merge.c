/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * All stacks of a profile in one order, so that a call tree can be written from left to right: each
 * stack continues from the frames that it shares with the previous one, its other frames are new,
 * and no lookup is needed. With a table of the children of each node, 1 M stacks on 5.2 M nodes
 * took 0.7 s of waiting for memory.
 *
 * A run is sorted by quicksort on keys of as many frames as fit into 64 bits (the greatest number
 * of a location defines the bits of a frame); the part with equal keys continues with the next
 * frames. A stack is stored as the number of frames that it shares with the previous one and the
 * rest, in as few bytes as the greatest number needs: 7 of 29 frames, so all runs together are a
 * quarter to a third of the profile.
 *
 * Runs are merged by a tree of losers that stores how many frames each one shares with the last
 * stack in the output. The one that shares more is next, because all waiting stacks are after the
 * last one; frames are compared only if two share equally many, and only the frames after these.
 * Each run has the whole of its next stack, of which a step replaces the end. The used part of a
 * run is released page by page, because all runs end at the same time. If there are many stacks,
 * one thread merges while the caller's thread calls the sink.
 *
 * Not taken: one sort of all stacks. They do not fit into memory together with the bytes that they
 * are decoded from.
 */
#include "config.h"
#include "load/pprof/stack_merge.h"

#include "base/job.h"
#include "base/mem/mem.h"

#include <string.h>

/* LINE: frames in a cache line */
enum { FEW = 12, AHEAD = 8, LINE = 16, BLOCK = 1 << 12, SLOTS = 3, MANY = 1 << 16, PAGE = 1 << 12, SPENT = 1 << 16 };

/* ---- sorting */

struct sorter {
	struct stack_merge_scratch *room;
	const loc_id *loc;
	const struct stack_merge_ref *stack;
	unsigned bits, frames;	/* bits of a frame; frames in a key */
	uint64_t last;		/* mask of the last frame in a key */
};

/* Return the key of a stack: its frames from `depth` on. The part after the last frame is 0. */
static uint64_t key_at(const struct sorter *s, uint32_t which, uint32_t depth)
{
	const struct stack_merge_ref *w = &s->stack[which];
	uint32_t left = depth < w->n ? w->n - depth : 0, n = left < s->frames ? left : s->frames;
	const loc_id *at = s->loc + w->loc + left;
	uint64_t key = 0;
	for (uint32_t i = 0; i < n; i++)
		key = key << s->bits | *--at;
	return n < s->frames ? key << (s->frames - n - 1) * s->bits << s->bits : key;
}

/* Prefetch the frames of a stack from some depth on: the batch is larger than the cache. */
static void prefetch_frames(const struct sorter *s, uint32_t which, uint32_t depth)
{
	const struct stack_merge_ref *w = &s->stack[which];
	if (depth < w->n)
		__builtin_prefetch(s->loc + w->loc + (w->n - depth - 1));
	if (!depth && w->n > LINE)
		__builtin_prefetch(s->loc + w->loc + (w->n - 1 - LINE));
}

static bool key_less(const struct sorter *s, struct stack_merge_key x, struct stack_merge_key y, uint32_t depth)
{
	while (x.key == y.key && x.key & s->last) {
		depth += s->frames;
		x.key = key_at(s, x.which, depth);
		y.key = key_at(s, y.which, depth);
	}
	return x.key < y.key;
}

static void sort_few(const struct sorter *s, struct stack_merge_key *w, struct stack_merge_range r)
{
	for (uint32_t i = 1; i < r.n; i++) {
		struct stack_merge_key x = w[i];
		uint32_t k = i;
		for (; k && key_less(s, x, w[k - 1], r.depth); k--)
			w[k] = w[k - 1];
		w[k] = x;
	}
}

static uint64_t median_key(const struct stack_merge_key *w, uint32_t n)
{
	uint64_t x = w[0].key, y = w[n / 2].key, z = w[n - 1].key;
	if (x > y) {
		uint64_t t = x;
		x = y;
		y = t;
	}
	return z < x ? x : z > y ? y : z;
}

static size_t add_range(struct stack_merge_scratch *room, size_t n, uint32_t at, uint32_t len, uint32_t depth)
{
	if (len < 2)
		return n;
	room->range = mem_grow(room->range, &room->crange, n + 1, sizeof *room->range);
	room->range[n] = (struct stack_merge_range){at, len, depth};
	return n + 1;
}

/* Partition a range into less, equal and greater keys; the equal part continues at the next depth. Returns the
   number of ranges that are left. */
static size_t partition_range(const struct sorter *s, struct stack_merge_range r, size_t n)
{
	struct stack_merge_key *w = s->room->keys + r.at;
	uint64_t key = median_key(w, r.n);
	uint32_t lo = 0, hi = r.n;
	for (uint32_t i = 0; i < hi;) {
		struct stack_merge_key x = w[i];
		if (x.key < key) {
			w[i++] = w[lo];
			w[lo++] = x;
		} else if (x.key > key) {
			w[i] = w[--hi];
			w[hi] = x;
		} else {
			i++;
		}
	}
	n = add_range(s->room, n, r.at, lo, r.depth);
	n = add_range(s->room, n, r.at + hi, r.n - hi, r.depth);
	if (!(key & s->last))
		return n;	/* the stacks have ended, so they are equal */
	for (uint32_t i = lo; i < hi; i++) {
		if (i + AHEAD < hi)
			prefetch_frames(s, w[i + AHEAD].which, r.depth + s->frames);
		w[i].key = key_at(s, w[i].which, r.depth + s->frames);
	}
	return add_range(s->room, n, r.at + lo, hi - lo, r.depth + s->frames);
}

static uint32_t count_shared(const loc_id *a, uint32_t na, const loc_id *b, uint32_t nb)
{
	uint32_t n = na < nb ? na : nb, k = 0;
	while (k < n && a[-1 - (ptrdiff_t)k] == b[-1 - (ptrdiff_t)k])
		k++;
	return k;
}

/* Make a run: of each stack the part that it does not share with the previous one. */
static struct stack_merge_run run_of(const struct sorter *s, uint32_t n)
{
	const struct stack_merge_key *keys = s->room->keys;
	uint32_t width = s->bits <= 16 ? 2 : s->bits <= 24 ? 3 : 4;
	struct stack_merge_run run = {.step = xmalloc((n + 1u) * sizeof *run.step), .n = n, .width = width};
	const loc_id *before = s->loc;
	uint32_t nbefore = 0;
	size_t all = 0, cap = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct stack_merge_ref *w = &s->stack[keys[i].which];
		const loc_id *end = s->loc + w->loc + w->n;
		if (i + AHEAD < n)
			prefetch_frames(s, keys[i + AHEAD].which, 0);
		uint32_t same = count_shared(before, nbefore, end, w->n), more = w->n - same;
		run.step[i] = (struct stack_merge_step){keys[i].which, same, more};
		run.loc = mem_grow(run.loc, &cap, all + (size_t)more * width, 1);
		for (const loc_id *from = end - same; more; more--, all += width)
			stack_merge_put_loc(run.loc + all, width, *--from);
		before = end;
		nbefore = w->n;
	}
	run.loc = xrealloc(run.loc, all + 1);
	return run;
}

struct stack_merge_run stack_merge_sort(
    struct stack_merge_scratch *room, const loc_id *loc, const struct stack_merge_ref *stack, uint32_t n, loc_id most)
{
	struct sorter s = {.room = room, .loc = loc, .stack = stack, .bits = 32u - (unsigned)__builtin_clz(most | 1)};
	s.frames = 64 / s.bits;
	s.last = (UINT64_C(1) << s.bits) - 1;
	room->keys = mem_grow(room->keys, &room->cway, n, sizeof *room->keys);
	for (uint32_t i = 0; i < n; i++)
		room->keys[i] = (struct stack_merge_key){key_at(&s, i, 0), i};
	for (size_t k = add_range(room, 0, 0, n, 0); k;) {
		struct stack_merge_range r = room->range[--k];
		if (r.n <= FEW)
			sort_few(&s, room->keys + r.at, r);
		else
			k = partition_range(&s, r, k);
	}
	return run_of(&s, n);
}

void stack_merge_run_free(struct stack_merge_run *r)
{
	mem_free(r->step);
	mem_free(r->loc);
	*r = (struct stack_merge_run){0};
}

void stack_merge_scratch_free(struct stack_merge_scratch *r)
{
	mem_free(r->keys);
	mem_free(r->range);
	*r = (struct stack_merge_scratch){0};
}

/* ---- merging */

struct merge_input {
	struct stack_merge_run *run;
	const struct stack_merge_step *step, *end;
	const uint8_t *more;	/* locations of the next step */
	loc_id *path;		/* the next stack, outermost first */
	size_t cpath, spent[2];	/* bytes of its steps and locations that were released */
	uint32_t n, first;	/* n: length of path; first: number of this run's first stack */
	bool over;
};

/* The loser of a match, and how many frames it shares with the winner. */
struct loser { uint32_t in, same; };

struct run_merger {
	struct merge_input *in;
	struct loser *tree, top;	/* the children of i are 2i and 2i + 1; leaf k is n + k. top: the winner */
	uint32_t n;
	struct ring_queue *ring_queue;
	struct block {		/* stacks in order, with their numbers among all stacks */
		uint32_t n;
		struct stack_merge_step step[BLOCK];
		loc_id *loc;
		size_t cloc;
	} *slot;
};

/* Release the used part of an array, because all runs end at about the same time. A page that was kept because its
   end was still in use is released with the next ones. */
static void discard_used(const void *p, const void *upto, size_t *spent)
{
	size_t n = (size_t)((const char *)upto - (const char *)p);
	if (n - *spent < SPENT)
		return;
	mem_discard(p, *spent < PAGE ? 0 : *spent - PAGE, n);
	*spent = n;
}

static void take_step(struct merge_input *w)
{
	if (w->step == w->end) {
		w->over = true;
		stack_merge_run_free(w->run);
		return;
	}
	struct stack_merge_step s = *w->step++;
	w->n = s.same + s.n;
	w->path = mem_grow(w->path, &w->cpath, w->n + 1u, sizeof *w->path);
	for (loc_id *to = w->path + s.same, *end = to + s.n; to < end; w->more += w->run->width)
		*to++ = stack_merge_get_loc(w->more, w->run->width);
	discard_used(w->run->loc, w->more, &w->spent[1]);
	discard_used(w->run->step, w->step - 1, &w->spent[0]);	/* fill_block() reads the last step again */
}

/* Compare two stacks that share equally many frames with the last output. Returns the winner; the loser's number
   of shared frames then refers to the winner. */
static struct loser play_equal(const struct run_merger *m, struct loser a, struct loser *here)
{
	const struct merge_input *x = &m->in[a.in], *y = &m->in[here->in];
	uint32_t n = x->n < y->n ? x->n : y->n, k = a.same;
	while (k < n && x->path[k] == y->path[k])
		k++;
	bool first = k == x->n || (k < y->n && x->path[k] < y->path[k]);
	if (first) {
		here->same = k;
		return a;
	}
	struct loser won = *here;
	*here = (struct loser){a.in, k};
	return won;
}

/* Play `a` against the loser at an inner node. Returns the winner and stores the loser. */
static struct loser play_match(const struct run_merger *m, struct loser a, struct loser *here)
{
	bool xover = m->in[a.in].over, yover = m->in[here->in].over;
	if (yover || xover) {
		struct loser won = yover ? a : *here;
		if (!yover)
			*here = a;
		return won;
	}
	if (a.same == here->same)
		return play_equal(m, a, here);
	if (a.same > here->same)
		return a;
	struct loser won = *here;
	*here = a;
	return won;
}

/* Play all first matches; nothing is shared with a previous output yet. */
static struct loser first_of_all(struct run_merger *m)
{
	struct loser *won = xcalloc(2 * (size_t)m->n, sizeof *won);
	for (uint32_t i = 0; i < m->n; i++)
		won[m->n + i] = (struct loser){i, 0};
	for (uint32_t i = m->n; i-- > 1;) {
		m->tree[i] = won[2 * i + 1];
		won[i] = play_match(m, won[2 * i], &m->tree[i]);
	}
	struct loser first = won[1];
	mem_free(won);
	return first;
}

/* Fill a block with the next stacks in order. Returns false after the last ones. */
static bool fill_block(struct run_merger *m, struct block *b)
{
	struct loser top = m->top;
	size_t n = 0;
	for (b->n = 0; b->n < BLOCK && !m->in[top.in].over; b->n++) {
		struct merge_input *w = &m->in[top.in];
		uint32_t more = w->n - top.same;
		b->step[b->n] = (struct stack_merge_step){w->first + w->step[-1].which, top.same, more};
		b->loc = mem_grow(b->loc, &b->cloc, n + more + 1, sizeof *b->loc);
		memcpy(b->loc + n, w->path + top.same, more * sizeof *b->loc);
		n += more;
		top.same = w->step < w->end ? w->step->same : 0;
		take_step(w);
		for (uint32_t at = (m->n + top.in) / 2; at; at /= 2)
			top = play_match(m, top, &m->tree[at]);
	}
	m->top = top;
	return !m->in[top.in].over;
}

/* Count the frames of the locations that a stack adds. Return false if they are too many. */
static bool within_limit(struct stack_merge_limit *x, const loc_id *loc, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (x->lines[loc[i]] > x->left)
			return !(x->exceeded = true);
		x->left -= x->lines[loc[i]];
	}
	return true;
}

static bool emit_block(const struct block *b, const struct sink *to, struct stack_merge_limit *limit, stk_id *of)
{
	const loc_id *loc = b->loc;
	for (uint32_t i = 0; i < b->n; loc += b->step[i++].n) {
		if (limit && !within_limit(limit, loc, b->step[i].n))
			return false;
		of[b->step[i].which] = to->profile->branch(to->self, b->step[i].same, loc, b->step[i].n);
	}
	return true;
}

static void fill_all(void *arg)
{
	struct run_merger *m = arg;
	bool more = true;
	for (int i; more && (i = ring_begin_write(m->ring_queue)) >= 0; ring_end_write(m->ring_queue))
		more = fill_block(m, &m->slot[i]);
	ring_close(m->ring_queue);
}

/* Merge on a second thread and call the sink on this one, or do both here. */
static bool emit_all(struct run_merger *m, uint32_t n, const struct sink *to, uint64_t bytes,
    struct stack_merge_limit *limit, stk_id *of)
{
	bool two = (n >= MANY || job_forced_threads() > 1) && job_cpus() > 1 && ring_start(m->ring_queue, fill_all, m);
	bool go = true;
	for (bool more = !two; more && go;) {
		more = fill_block(m, &m->slot[0]);
		go = emit_block(&m->slot[0], to, limit, of) && to->ops->upto(to->self, TIME_NONE, bytes);
	}
	for (int i; two && go && (i = ring_begin_read(m->ring_queue)) >= 0; ring_end_read(m->ring_queue))
		go = emit_block(&m->slot[i], to, limit, of) && to->ops->upto(to->self, TIME_NONE, bytes);
	ring_stop(m->ring_queue);
	return go;
}

bool stack_merge_all(struct stack_merge_run *run, uint32_t nrun, const struct sink *to, uint64_t bytes,
    struct stack_merge_limit *limit, stk_id *of)
{
	struct run_merger m = {.in = xcalloc(nrun, sizeof *m.in), .tree = xcalloc(nrun, sizeof *m.tree), .n = nrun,
	    .ring_queue = ring_new(SLOTS), .slot = xcalloc(SLOTS, sizeof *m.slot)};
	uint32_t first = 0;
	for (uint32_t i = 0; i < nrun; i++) {
		m.in[i] = (struct merge_input){.run = &run[i], .step = run[i].step, .end = run[i].step + run[i].n,
		    .more = run[i].loc, .first = first};
		first += run[i].n;
		take_step(&m.in[i]);
	}
	m.top = first_of_all(&m);
	bool go = emit_all(&m, first, to, bytes, limit, of);
	for (uint32_t i = 0; i < SLOTS; i++)
		mem_free(m.slot[i].loc);
	mem_free(m.slot);
	ring_free(m.ring_queue);
	for (uint32_t i = 0; i < nrun; i++)
		mem_free(m.in[i].path);
	mem_free(m.in);
	mem_free(m.tree);
	return go;
}
