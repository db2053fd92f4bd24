/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The traces of grow.h: goroutine 1 runs on one M, to which each kind adds its events. All are valid, as the profiles
 * are.
 */
#include "config.h"
#include "grow.h"

#include "load/gotrace/wire.h"

#include <stdbool.h>
#include <string.h>

enum { FIRST_TIME = 1000, MANY = 60000, G_RUNNABLE = 1, G_RUNNING = 2, G_WAITING = 4, P_RUNNING = 1, P_IDLE = 2,
	P_SYSCALL = 3, P_ABANDONED = 4 };

/* The trace that is being written: generation, M and events of the batch; tables of the generation. */
static struct {
	struct buf *file, events, strings, stacks;
	uint64_t gen, m, clock, nstr, nstack;
	bool first;		/* no event in the batch yet */
	uint64_t at;		/* time of the batch */
} t;

static void put_batch(uint64_t m, uint64_t at, struct buf *body)
{
	buf_putc(t.file, GE_EventBatch);
	buf_varint(t.file, t.gen);
	buf_varint(t.file, m);
	buf_varint(t.file, at);
	buf_varint(t.file, body->n);
	buf_put(t.file, body->p, body->n);
	buf_reset(body);
}

static void end_batch(void)
{
	if (t.events.n)
		put_batch(t.m, t.at, &t.events);
}

static void end_table(struct buf *table)
{
	if (table->n)
		put_batch(UINT64_MAX, FIRST_TIME, table);
}

static uint64_t word(const char *s)
{
	if (!t.strings.n)
		buf_putc(&t.strings, GE_Strings);
	buf_putc(&t.strings, GE_String);
	buf_varint(&t.strings, ++t.nstr);
	buf_varint(&t.strings, strlen(s));
	buf_puts(&t.strings, s);
	if (t.strings.n > MANY)
		end_table(&t.strings);
	return t.nstr;
}

static uint64_t text(const char *prefix, size_t number)
{
	struct buf s = {0};
	buf_puts(&s, prefix);
	buf_u64(&s, number);
	uint64_t id = word(buf_str(&s));
	buf_free(&s);
	return id;
}

/* Return the id of a stack of n frames whose functions are fun, fun + 1 ... */
static uint64_t trace_stack(uint64_t fun, uint64_t file, size_t n)
{
	if (!t.stacks.n)
		buf_putc(&t.stacks, GE_Stacks);
	buf_putc(&t.stacks, GE_Stack);
	buf_varint(&t.stacks, ++t.nstack);
	buf_varint(&t.stacks, n);
	for (uint64_t f = fun; f < fun + n; f++) {
		buf_varint(&t.stacks, 0x400000 + f * 64);
		buf_varint(&t.stacks, f);
		buf_varint(&t.stacks, file);
		buf_varint(&t.stacks, 10 + f);
	}
	if (t.stacks.n > MANY)
		end_table(&t.stacks);
	return t.nstack;
}

static void event_of(uint8_t type, size_t n, const uint64_t *arg)
{
	t.clock += 10;
	if (t.events.n > MANY)
		end_batch();
	if (!t.events.n)
		t.at = t.clock;
	buf_putc(&t.events, type);
	buf_varint(&t.events, t.events.n > 1 ? 10 : 0);
	for (size_t i = 0; i < n; i++)
		buf_varint(&t.events, arg[i]);
}
#define EVENT(type, ...) event_of(GE_##type, sizeof((uint64_t[]){__VA_ARGS__}) / 8, (uint64_t[]){__VA_ARGS__})
#define EVENT0(type) event_of(GE_##type, 0, NULL)

static void on_m(uint64_t m)
{
	end_batch();
	t.m = m;
}

static void start_generation(void)
{
	struct buf b = {0};
	t.gen++;
	buf_putc(&b, GE_Sync);
	buf_putc(&b, GE_Frequency);
	buf_varint(&b, 1000000000);
	buf_putc(&b, GE_ClockSnapshot);
	buf_varint(&b, 0);
	buf_varint(&b, t.clock);
	buf_varint(&b, 1780000000);
	buf_varint(&b, t.clock);
	put_batch(UINT64_MAX, t.clock, &b);
	buf_free(&b);
	t.nstr = t.nstack = 0;
	on_m(1);
	EVENT(ProcStatus, 0, P_RUNNING);
	EVENT(GoStatus, 1, 1, G_RUNNING);
}

static void end_generation(void)
{
	end_batch();
	end_table(&t.strings);
	end_table(&t.stacks);
	buf_putc(t.file, GE_EndOfGeneration);
}

static void start_trace(struct buf *file)
{
	t.file = file;
	t.gen = 0;
	t.clock = FIRST_TIME;
	buf_puts(file, "go 1.26 trace");
	buf_pad(file, 0, GO_HEADER - file->n);
	start_generation();
}

static void end_trace(void)
{
	end_generation();
	buf_free(&t.events);
	buf_free(&t.strings);
	buf_free(&t.stacks);
	memset(&t, 0, sizeof t);
}

/* Return the id of a stack of one frame, whose function is NAME and number. */
static uint64_t place(const char *name, size_t number)
{
	uint64_t fun = text(name, number);
	return trace_stack(fun, fun, 1);
}

static void make_logs(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.log", 0), key = text("key", 0);
	for (size_t i = 0; i < n; i++)
		EVENT(UserLog, 0, key, text("value", i), at);
	end_trace();
}

static void make_log_keys(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.log", 0);
	for (size_t i = 0; i < n; i++)
		EVENT(UserLog, 0, text("key", i), text("value", i), at);
	end_trace();
}

/* All log messages belong to one task. */
static void make_task_logs(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.log", 0), key = text("key", 0);
	EVENT(UserTaskBegin, 1, 0, key, at);
	for (size_t i = 0; i < n; i++)
		EVENT(UserLog, 1, key, text("value", i), at);
	EVENT(UserTaskEnd, 1, at);
	end_trace();
}

static void make_regions(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.work", 0), name = text("region", 0);
	for (size_t i = 0; i < n; i++) {
		EVENT(UserRegionBegin, 0, name, at);
		EVENT(UserRegionEnd, 0, name, at);
	}
	end_trace();
}

static void make_region_kinds(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 0; i < n; i++) {
		uint64_t at = place("main.work", i), name = text("region", i);
		EVENT(UserRegionBegin, 0, name, at);
		EVENT(UserRegionEnd, 0, name, at);
	}
	end_trace();
}

static void make_nested_regions(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.work", 0), name = text("region", 0);
	for (size_t i = 0; i < n; i++)
		EVENT(UserRegionBegin, 0, name, at);
	for (size_t i = 0; i < n; i++)
		EVENT(UserRegionEnd, 0, name, at);
	end_trace();
}

/* n regions of names of their own, of which the first ends first. */
static void make_crossed_regions(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.work", 0), first = t.nstr + 1;
	for (size_t i = 0; i < n; i++)
		EVENT(UserRegionBegin, 0, text("region", i), at);
	for (size_t i = 0; i < n; i++)
		EVENT(UserRegionEnd, 0, first + i, at);
	end_trace();
}

static void make_open_regions(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.work", 0), name = text("region", 0);
	for (size_t i = 0; i < n; i++)
		EVENT(UserRegionBegin, 0, name, at);
	end_trace();
}

static void make_task_children(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.work", 0), name = text("task", 0);
	EVENT(UserTaskBegin, 1, 0, name, at);
	for (size_t i = 2; i < n + 2; i++)
		EVENT(UserTaskBegin, i, 1, name, at);
	for (size_t i = 2; i < n + 2; i++)
		EVENT(UserTaskEnd, i, at);
	EVENT(UserTaskEnd, 1, at);
	end_trace();
}

static void make_nested_tasks(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.work", 0), name = text("task", 0);
	for (size_t i = 1; i <= n; i++)
		EVENT(UserTaskBegin, i, i - 1, name, at);
	for (size_t i = n; i; i--)
		EVENT(UserTaskEnd, i, at);
	end_trace();
}

static void make_task_kinds(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 1; i <= n; i++) {
		uint64_t at = place("main.work", i);
		EVENT(UserTaskBegin, i, 0, text("task", i), at);
		EVENT(UserTaskEnd, i, at);
	}
	end_trace();
}

static void make_open_tasks(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.work", 0), name = text("task", 0);
	for (size_t i = 1; i <= n; i++)
		EVENT(UserTaskBegin, i, 0, name, at);
	end_trace();
}

/* n tasks whose ids have one slot in a u64_map of any size, if its factor is the usual one: both halves of the product
   are equal. */
static void make_colliding_tasks(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.work", 0), name = text("task", 0);
	for (size_t i = 1; i <= n; i++)
		EVENT(UserTaskBegin, (i << 32 | i) * UINT64_C(0xf1de83e19937733d), 0, name, at);
	end_trace();
}

/* Return the number that mix_bits() of base/intern.c makes x of. */
static uint64_t unmix(uint64_t x)
{
	static const uint64_t inverse = UINT64_C(0xcfee444d8b59a89b);
	x = (x ^ x >> 32) * inverse;
	x = (x ^ x >> 32) * inverse;
	return x ^ x >> 32;
}

/* n tasks whose ids have one hash in an index, if it is not seeded. */
static void make_colliding_hashes(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.work", 0), name = text("task", 0);
	for (size_t i = 1; i <= n; i++) {
		uint64_t id = unmix(unmix(i << 32)) - UINT64_C(0x9e3779b97f4a7c15);
		EVENT(UserTaskBegin, id, 0, name, at);
		EVENT(UserTaskEnd, id, at);
	}
	end_trace();
}

/* Goroutine 1 creates ten times n others in a region, and all inherit its task. Their ids are far apart. */
static void make_region_children(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.main", 0), begin = place("main.worker", 0), name = text("region", 0);
	EVENT(UserRegionBegin, 0, name, at);
	for (size_t i = 1; i <= 10 * n; i++)
		EVENT(GoCreate, i << 20 | 1 << 19, begin, at);
	end_trace();
}

/* n stacks of one frame, each of one log message. */
static void make_trace_stacks(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t key = text("key", 0);
	for (size_t i = 0; i < n; i++)
		EVENT(UserLog, 0, key, key, place("main.f", i));
	end_trace();
}

/* n frames in stacks of the largest depth. */
static void make_trace_frames(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t key = text("key", 0);
	for (size_t i = 0; i < n; i += GO_MAX_FRAMES) {
		uint64_t first = text("main.f", i);
		for (size_t k = 1; k < GO_MAX_FRAMES; k++)
			(void)text("main.f", i + k);
		EVENT(UserLog, 0, key, key, trace_stack(first, key, GO_MAX_FRAMES));
	}
	end_trace();
}

static void make_strings(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 0; i < n; i++)
		(void)text("text", i);
	end_trace();
}

static void make_generations(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 1; i < n; i++) {
		end_generation();
		start_generation();
	}
	end_trace();
}

/* n generations in which nothing happens, while n / 20 goroutines exist. */
static void make_idle_generations(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 2; i < n / 20; i++)
		EVENT(GoStatus, i, UINT64_MAX, G_WAITING);
	for (size_t i = 1; i < n; i++) {
		end_generation();
		start_generation();
	}
	end_trace();
}

/* n batches of one M, with one event each. */
static void make_batches(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 0; i < n; i++) {
		end_batch();
		EVENT(HeapAlloc, i);
	}
	end_trace();
}

/* n Ms with a P in a system call each; in the next generation the oldest P is recorded as abandoned n times. */
static void make_abandoned(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 2; i < n + 2; i++) {
		on_m(i);
		EVENT(ProcStatus, i, P_SYSCALL);
	}
	end_generation();
	start_generation();
	for (size_t i = 0; i < n; i++)
		EVENT(ProcStatus, 2, P_ABANDONED);
	end_trace();
}

/* n Ms with one P and one goroutine each. */
static void make_threads(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 2; i < n + 2; i++) {
		on_m(i);
		EVENT(ProcStatus, i, P_RUNNING);
		EVENT(GoStatus, i, i, G_RUNNING);
		EVENT(HeapAlloc, i);
	}
	end_trace();
}

/* Goroutine 1 creates n others, which never run. */
static void make_goroutines(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.main", 0), begin = place("main.worker", 0);
	for (size_t i = 2; i < n + 2; i++)
		EVENT(GoCreate, i, begin, at);
	end_trace();
}

/* Each goroutine creates the next one, and ends. */
static void make_goroutine_chain(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.main", 0), begin = place("main.worker", 0);
	for (size_t i = 2; i < n + 2; i++) {
		EVENT(GoCreate, i, begin, at);
		EVENT0(GoDestroy);
		EVENT(GoStart, i, 1);
	}
	end_trace();
}

static void make_goroutine_kinds(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 2; i < n + 2; i++) {
		uint64_t begin = place("main.worker", i);
		EVENT(GoCreate, i, begin, begin);
		EVENT0(GoDestroy);
		EVENT(GoStart, i, 1);
	}
	end_trace();
}

/* Goroutine 2 wakes goroutine 1 and waits for it, n times. */
static void make_wakes(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.main", 0), why = text("chan receive", 0), seq[2] = {0, 0};
	EVENT(GoCreate, 2, at, at);
	for (size_t i = 0; i < n; i++) {
		uint64_t me = 1 + i % 2, next = 3 - me;
		if (i)
			EVENT(GoUnblock, next, ++seq[next - 1], at);
		EVENT(GoBlock, why, at);
		EVENT(GoStart, next, ++seq[next - 1]);
	}
	end_trace();
}

/* n goroutines wait; goroutine 1 wakes them, and they end. */
static void make_woken(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.main", 0), begin = place("main.worker", 0);
	for (size_t i = 2; i < n + 2; i++)
		EVENT(GoCreateBlocked, i, begin, at);
	for (size_t i = 2; i < n + 2; i++)
		EVENT(GoUnblock, i, 1, at);
	EVENT0(GoDestroy);
	for (size_t i = 2; i < n + 2; i++) {
		EVENT(GoStart, i, 2);
		EVENT0(GoDestroy);
	}
	end_trace();
}

/* Eight goroutines wait at one place for nearly 2^63 ns together; then one of them waits there n times. */
static void make_long_waits(struct buf *file, size_t n)
{
	enum { LONG = 7 };
	start_trace(file);
	uint64_t at = place("main.main", 0), why = word("chan receive");
	for (uint64_t i = 2; i <= LONG + 2; i++)
		EVENT(GoCreate, i, at, at);
	EVENT(GoBlock, why, at);
	for (uint64_t i = 2; i <= LONG + 2; i++) {
		EVENT(GoStart, i, 1);
		EVENT(GoBlock, why, at);
	}
	end_batch();
	t.clock += (UINT64_C(1) << 60) - (UINT64_C(1) << 40);
	for (uint64_t i = 3; i <= LONG + 2; i++)
		EVENT(GoUnblock, i, 2, 0);
	for (size_t i = 1; i <= n; i++) {
		EVENT(GoUnblock, 2, 2 * i, 0);
		EVENT(GoStart, 2, 2 * i + 1);
		EVENT(GoBlock, why, at);
	}
	end_trace();
}

/* n goroutines wait at n lines for a lock of goroutine 1, which unlocks at n lines. */
static void make_lock_lines(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.main", 0), why = word("sync");
	for (uint64_t i = 2; i < n + 2; i++) {
		uint64_t line = place("main.lock", i);
		EVENT(GoCreate, i, line, at);
		EVENT(GoStop, why, at);
		EVENT(GoStart, i, 1);
		EVENT(GoBlock, why, line);
		EVENT(GoStart, 1, 2 * i - 3);
		EVENT(GoUnblock, i, 2, place("main.unlock", i));
		EVENT(GoStop, why, at);
		EVENT(GoStart, i, 3);
		EVENT0(GoDestroy);
		EVENT(GoStart, 1, 2 * i - 2);
	}
	end_trace();
}

/* Each goroutine creates the next one and waits for its end, all of them in a task. */
static void make_wait_chain(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.main", 0), why = word("chan receive");
	EVENT(UserTaskBegin, 1, 0, word("task"), at);
	for (uint64_t i = 2; i < n + 2; i++) {
		EVENT(GoCreate, i, place("main.worker", i % 50), at);
		EVENT(GoBlock, why, at);
		EVENT(GoStart, i, 1);
	}
	for (uint64_t i = n + 1; i > 1; i--) {
		uint64_t seq = i > 2 ? 2 : 1;
		EVENT(GoUnblock, i - 1, seq, at);
		EVENT0(GoDestroy);
		EVENT(GoStart, i - 1, seq + 1);
	}
	EVENT(UserTaskEnd, 1, at);
	end_trace();
}

static void make_nested_task_kinds(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.work", 0);
	for (size_t i = 1; i <= n; i++)
		EVENT(UserTaskBegin, i, i - 1, text("task", i), at);
	for (size_t i = n; i; i--)
		EVENT(UserTaskEnd, i, at);
	end_trace();
}

static void make_syscalls(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 1; i <= n; i++) {
		EVENT(GoSyscallBegin, i, place("syscall.f", i));
		EVENT0(GoSyscallEnd);
	}
	end_trace();
}

static void make_gc_cycles(struct buf *file, size_t n)
{
	start_trace(file);
	uint64_t at = place("main.main", 0), kind = text("GC mark termination", 0);
	for (size_t i = 1; i <= n; i++) {
		EVENT(GCBegin, 2 * i - 1, at);
		EVENT(STWBegin, kind, at);
		EVENT0(STWEnd);
		EVENT(GCMarkAssistBegin, at);
		EVENT0(GCMarkAssistEnd);
		EVENT(HeapAlloc, i);
		EVENT(HeapGoal, i + 1);
		EVENT(GCEnd, 2 * i);
		EVENT(GCSweepBegin, at);
		EVENT(GCSweepEnd, i, i);
	}
	end_trace();
}

static void make_stops(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 1; i <= n; i++) {
		uint64_t at = place("main.f", i);
		EVENT(STWBegin, text("kind", i), at);
		EVENT0(STWEnd);
	}
	end_trace();
}

static void make_go_labels(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 1; i <= n; i++)
		EVENT(GoLabel, text("label", i));
	end_trace();
}

static void make_procs_changes(struct buf *file, size_t n)
{
	start_trace(file);
	for (size_t i = 1; i <= n; i++)
		EVENT(ProcsChange, i, 0);
	end_trace();
}

static void make_cpu_samples(struct buf *file, size_t n)
{
	struct buf b = {0};
	start_trace(file);
	uint64_t at = place("main.main", 0);
	for (size_t i = 1; i <= n; i++) {
		if (!b.n)
			buf_putc(&b, GE_CPUSamples);
		buf_putc(&b, GE_CPUSample);
		buf_varint(&b, t.clock + i);
		buf_varint(&b, 1);
		buf_varint(&b, 0);
		buf_varint(&b, 1);
		buf_varint(&b, at);
		if (b.n > MANY || i == n)
			put_batch(UINT64_MAX, t.clock, &b);
	}
	t.clock += n;
	EVENT(HeapAlloc, 1);
	end_trace();
	buf_free(&b);
}

#define KIND(name) {#name, make_##name}
const struct grow_kind grow_traces[] = {
	KIND(logs), KIND(log_keys), KIND(task_logs), KIND(regions), KIND(region_kinds), KIND(nested_regions),
	KIND(crossed_regions),
	KIND(open_regions), KIND(task_children), KIND(nested_tasks), KIND(task_kinds), KIND(open_tasks),
	KIND(colliding_tasks), KIND(colliding_hashes), KIND(region_children),
	KIND(trace_stacks), KIND(trace_frames), KIND(strings), KIND(generations), KIND(idle_generations),
	KIND(batches), KIND(threads), KIND(abandoned), KIND(goroutines), KIND(goroutine_chain), KIND(goroutine_kinds),
	KIND(wakes), KIND(woken), KIND(long_waits), KIND(lock_lines), KIND(wait_chain),
	KIND(nested_task_kinds), KIND(syscalls),
	KIND(gc_cycles), KIND(stops), KIND(go_labels), KIND(procs_changes), KIND(cpu_samples),
	{0},
};
