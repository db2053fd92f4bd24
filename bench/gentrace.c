/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Writes large, valid Go execution traces (wire version 1.26) for `make bench`.
 *
 * It simulates a small scheduler: a few Ps, each on an M of its own, run many goroutines. These block on channels, mutexes
 * and the network, are woken by others (also from another P), enter system calls, write logs and, with -tasks, work for
 * tasks. The P with the smallest clock acts next, so events are in the order of time as in a real trace. The same
 * arguments give the same bytes. The road not taken: to record a real program, which needs Go and differs from run to run.
 */
#include "config.h"
#include "gen.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { /* the format's numbers */
	EV_BATCH = 1, EV_STACKS, EV_STACK, EV_STRINGS, EV_STRING, EV_FREQUENCY = 8,
	EV_PROCS_CHANGE, EV_PROC_STATUS = 13, EV_GO_CREATE, EV_GO_START = 16, EV_GO_BLOCK = 20,
	EV_GO_UNBLOCK, EV_SYSCALL_BEGIN, EV_SYSCALL_END, EV_GO_STATUS = 25, EV_GC_BEGIN = 29, EV_GC_END,
	EV_HEAP_ALLOC = 37, EV_TASK_BEGIN = 40, EV_TASK_END, EV_REGION_BEGIN, EV_REGION_END, EV_LOG, EV_SYNC = 50,
	    EV_CLOCK = 51, EV_END_OF_GENERATION = 52
};
enum { G_RUNNABLE = 1, G_RUNNING = 2, G_WAITING = 4, P_RUNNING = 1 };
enum { BATCH_MAX = 60000, NREASON = 5, NSTACK = 400, DEPTH = 12, FIRST_FUN = 10, REGIONS = 4 };

static const char *const reason[NREASON] = {"chan receive", "chan send", "sync", "network", "select"};

struct g {
	uint64_t seq, task;	/* task: which it works for, 0 none */
	int depth;		/* open regions */
	bool waiting;
};
struct p {
	uint64_t clock, last, seq;	/* time now; time of the last event; sequence number of the P */
	uint64_t batch_at;
	uint32_t g;			/* index of the running goroutine */
	size_t n;
	uint8_t buf[BATCH_MAX + 256];
};

static struct g *gs;
static struct p *ps;
static uint32_t ngs = 10000, nps = 4, user, *queue;	/* runnable goroutines, a ring */
static uint32_t qhead, qn;
static uint64_t gen, written, tasks;
static FILE *out;

static void batch(uint64_t m, uint64_t at, const uint8_t *data, size_t n)
{
	uint8_t head[48];
	size_t h = 0;
	head[h++] = EV_BATCH;
	h += varint(head + h, gen);
	h += varint(head + h, m);
	h += varint(head + h, at);
	h += varint(head + h, n);
	fwrite(head, 1, h, out);
	fwrite(data, 1, n, out);
}

static void flush(struct p *p)
{
	if (p->n)
		batch((uint64_t)(p - ps) + 1, p->batch_at, p->buf, p->n);
	p->n = 0;
}

/* Write an event of p at its clock: type, time since the last event, arguments. */
static void event(struct p *p, int type, int n, const uint64_t *arg)
{
	if (p->n > BATCH_MAX)
		flush(p);
	if (!p->n)
		p->batch_at = p->last = p->clock;
	p->buf[p->n++] = (uint8_t)type;
	p->n += varint(p->buf + p->n, p->clock - p->last);
	for (int i = 0; i < n; i++)
		p->n += varint(p->buf + p->n, arg[i]);
	p->last = p->clock;
	written++;
}
#define EVENT(p, type, ...) \
	event(p, type, (int)(sizeof((uint64_t[]){__VA_ARGS__}) / 8), (uint64_t[]){__VA_ARGS__})

static uint64_t any_stack(void)
{
	return 1 + rnd(NSTACK);
}

static void put_string(uint8_t *b, size_t *n, uint64_t id, const char *s)
{
	b[(*n)++] = EV_STRING;
	*n += varint(b + *n, id);
	*n += varint(b + *n, strlen(s));
	memcpy(b + *n, s, strlen(s));
	*n += strlen(s);
}

/* Write the tables of a generation: strings, stacks and the frequency of the clock. */
static void tables(uint64_t at)
{
	static uint8_t b[BATCH_MAX + 256];
	char name[64];
	size_t n = 0;
	b[n++] = EV_STRINGS;
	for (int i = 0; i < NREASON; i++)
		put_string(b, &n, (uint64_t)i + 1, reason[i]);
	put_string(b, &n, NREASON + 1, "log");
	put_string(b, &n, NREASON + 2, "rows=12");
	put_string(b, &n, NREASON + 3, "main.go");
	for (int i = 0; i < NSTACK; i++) {
		snprintf(name, sizeof name, "example.com/svc/pkg%d.(*Type%d).Method%d", i % 17, i % 41, i);
		put_string(b, &n, (uint64_t)(FIRST_FUN + i), name);
	}
	batch(1, at, b, n);
	n = 0;
	b[n++] = EV_STACKS;
	for (uint64_t i = 1; i <= NSTACK; i++) {
		b[n++] = EV_STACK;
		n += varint(b + n, i);
		n += varint(b + n, DEPTH);
		for (uint64_t k = 0; k < DEPTH; k++) {
			uint64_t fun = k + 1 == DEPTH ? i % 20 : (i * 7 + k * 31) % NSTACK;
			n += varint(b + n, 0x400000 + fun * 64 + k);
			n += varint(b + n, FIRST_FUN + fun);
			n += varint(b + n, NREASON + 3);
			n += varint(b + n, 10 + fun);
		}
	}
	batch(1, at, b, n);
	n = 0;
	b[n++] = EV_SYNC;
	b[n++] = EV_FREQUENCY;
	n += varint(b + n, 1000000000);
	b[n++] = EV_CLOCK;
	n += varint(b + n, 0);
	n += varint(b + n, at);
	n += varint(b + n, 1780000000 + at / 1000000000);
	n += varint(b + n, at % 1000000000);
	batch(1, at, b, n);
}

/* Write the status of each P and G, with which a generation begins. */
static void statuses(uint64_t at)
{
	for (struct p *p = ps; p < ps + nps; p++) {
		if (p->clock < at)
			p->clock = at;
		p->seq = 0;
		EVENT(p, EV_PROC_STATUS, (uint64_t)(p - ps), P_RUNNING);
		EVENT(p, EV_GO_STATUS, p->g + 1, (uint64_t)(p - ps) + 1, G_RUNNING);
		gs[p->g].seq = 0;
		if (p == ps)
			EVENT(p, EV_PROCS_CHANGE, nps, 0);
	}
	for (uint32_t i = 0; i < ngs; i++) {
		bool running = false;
		for (uint32_t k = 0; k < nps; k++)
			running |= ps[k].g == i;
		if (running)
			continue;
		gs[i].seq = 0;
		EVENT(&ps[0], EV_GO_STATUS, i + 1, UINT64_MAX, gs[i].waiting ? G_WAITING : G_RUNNABLE);
	}
}

static void unblock(struct p *p)
{
	for (int tries = 0; tries < 20; tries++) {
		uint32_t i = rnd(ngs);
		if (!gs[i].waiting)
			continue;
		gs[i].waiting = false;
		EVENT(p, EV_GO_UNBLOCK, i + 1, ++gs[i].seq, any_stack());
		queue[(qhead + qn++) % ngs] = i;
		return;
	}
}

static void switch_g(struct p *p)
{
	if (!qn)
		unblock(p);
	if (!qn)
		return;
	EVENT(p, EV_GO_BLOCK, 1 + rnd(NREASON), any_stack());
	gs[p->g].waiting = true;
	p->g = queue[qhead];
	qhead = (qhead + 1) % ngs;
	qn--;
	p->clock += 100 + rnd(400);
	EVENT(p, EV_GO_START, p->g + 1, ++gs[p->g].seq);
}

/* Let a goroutine begin a task, enter a region of it, leave a region, or end the task after the last region. */
static void work(struct p *p)
{
	struct g *g = &gs[p->g];
	bool fresh = !g->task;
	if (fresh) {
		g->task = ++tasks;
		EVENT(p, EV_TASK_BEGIN, g->task, 0, 1 + g->task % NREASON, any_stack());
	}
	if (fresh || (g->depth < REGIONS && rnd(2))) {
		EVENT(p, EV_REGION_BEGIN, g->task, 1 + (uint64_t)g->depth++, 1 + g->task % 20);
	} else if (g->depth) {
		EVENT(p, EV_REGION_END, g->task, (uint64_t)g->depth--, any_stack());
	} else {
		EVENT(p, EV_TASK_END, g->task, any_stack());
		g->task = 0;
	}
}

static void act(struct p *p)
{
	if (user && rnd(100) < user)
		work(p);
	uint32_t what = rnd(100);
	if (what < 45) {
		switch_g(p);
	} else if (what < 80) {
		unblock(p);
	} else if (what < 96) {
		EVENT(p, EV_SYSCALL_BEGIN, ++p->seq, any_stack());
		p->clock += 50 + rnd(3000);
		event(p, EV_SYSCALL_END, 0, NULL);
	} else if (what < 98) {
		EVENT(p, EV_HEAP_ALLOC, 4000000 + rnd(4000000));
	} else {
		EVENT(p, EV_LOG, gs[p->g].task, NREASON + 1, NREASON + 2, any_stack());
	}
	p->clock += 50 + rnd(p->g % 7 ? 1500 : 9000);
}

static void generation(uint64_t at, uint64_t until, uint64_t events)
{
	gen++;
	statuses(at);
	while (written < events) {
		struct p *p = ps;
		for (uint32_t i = 1; i < nps; i++)
			if (ps[i].clock < p->clock)
				p = &ps[i];
		if (p->clock >= until)
			break;
		act(p);
	}
	for (uint32_t i = 0; i < nps; i++)
		flush(&ps[i]);
	tables(at);
	fputc(EV_END_OF_GENERATION, out);
}

static int usage(void)
{
	fputs("usage: gentrace [-events N] [-procs N] [-goroutines N] [-generation SECONDS] [-tasks PERCENT] [-seed N] "
	      "FILE\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	uint64_t events = 1000000;
	double seconds = 1;
	const char *path = NULL;
	rng = 1;
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];
		if (a[0] != '-') {
			path = a;
		} else if (i + 1 == argc) {
			return usage();
		} else if (!strcmp(a, "-events")) {
			events = strtoull(argv[++i], NULL, 10);
		} else if (!strcmp(a, "-procs")) {
			nps = (uint32_t)strtoul(argv[++i], NULL, 10);
		} else if (!strcmp(a, "-goroutines")) {
			ngs = (uint32_t)strtoul(argv[++i], NULL, 10);
		} else if (!strcmp(a, "-generation")) {
			seconds = strtod(argv[++i], NULL);
		} else if (!strcmp(a, "-tasks")) {
			user = (uint32_t)strtoul(argv[++i], NULL, 10);
		} else if (!strcmp(a, "-seed")) {
			rng = strtoull(argv[++i], NULL, 10);
		} else {
			return usage();
		}
	}
	if (!path || !nps || nps > 1024 || ngs <= nps || seconds <= 0 || !(out = fopen(path, "wb")))
		return usage();
	gs = calloc(ngs, sizeof *gs);
	ps = calloc(nps, sizeof *ps);
	queue = calloc(ngs, sizeof *queue);
	if (!gs || !ps || !queue)
		return 1;
	for (uint32_t i = 0; i < ngs; i++)
		gs[i].waiting = i >= nps;
	for (uint32_t i = 0; i < nps; i++)
		ps[i].g = i;
	fwrite("go 1.26 trace\0\0\0", 1, 16, out);
	uint64_t at = 1000000000, step = (uint64_t)(seconds * 1e9);
	for (; written < events; at += step)
		generation(at, at + step, events);
	bool bad = ferror(out) || fclose(out);
	fprintf(stderr, "%s: %" PRIu64 " events, %" PRIu64 " generations\n", path, written, gen);
	return bad;
}
