/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The times of a goroutine by class in a range. The goroutine polls: it runs for a time, and is then runnable for three
 * times as long. So its parts have this ratio and add up to the range, whether the range has a few intervals, all of
 * which are read, or thousands, of which the last ones are a sample for all.
 */
#include "config.h"
#include "findings/measures/time_parts.h"
#include "store/builder.h"

#include "tap.h"

enum { POLLS = 5000, RUN = 1000, READY = 3 * RUN, EACH = RUN + READY };

static trk_id poller, born;

static const struct snap *make(struct store_builder *b)
{
	struct sink s = builder_sink(b);
	poller = s.trace->track(s.self, TK_G, 1);
	for (int64_t i = 0; i < POLLS; i++) {
		sink_enter_one(&s, poller, i * EACH, TS_RUN, 0, 0);
		sink_enter_one(&s, poller, i * EACH + RUN, TS_READY, 0, 0);
	}
	born = s.trace->track(s.self, TK_G, 2);
	s.trace->born(s.self, born, 0, poller, 0, 0);
	sink_enter_one(&s, born, EACH, TS_READY, poller, 0);
	sink_enter_one(&s, born, 3 * EACH, TS_RUN, 0, 0);
	s.trace->facts(s.self, &(struct sink_trace){.version = 26, .last = POLLS * EACH});
	return builder_finish(b);
}

static int64_t time_of(const struct time_parts *p, enum time_class cls)
{
	int64_t ns = 0;
	for (uint32_t i = 0; i < p->n; i++)
		ns += p->v[i].cls == cls ? p->v[i].ns : 0;
	return ns;
}

static bool is_near(int64_t a, int64_t b)
{
	int64_t off = a < b ? b - a : a - b;
	return off <= TIME_PARTS_STEPS;	/* each interval is rounded down */
}

static void check(const struct snap *sn, int64_t polls)
{
	struct time_parts p = {0};
	int64_t b = POLLS * EACH, a = b - polls * EACH;
	struct time_parts_start from = time_parts_add(
	    &p, sn, &(struct time_parts_query){.g = poller, .a = a, .b = b, .scale = 1});
	OK(from.t == a && !from.waker);
	OK(is_near(time_of(&p, TIME_ON_CPU), polls * RUN));
	OK(is_near(time_of(&p, TIME_RUNNABLE), polls * READY));
	OK(p.total == time_of(&p, TIME_ON_CPU) + time_of(&p, TIME_RUNNABLE));
	OK(time_of(&p, TIME_UNKNOWN) == 0);
	time_parts_free(&p);
}

static bool never(void *arg, enum tstate s, stk_id stack)
{
	(void)arg;
	(void)s;
	(void)stack;
	return false;
}

static void check_born(const struct snap *sn)
{
	struct time_parts p = {0};
	struct time_parts_query q = {.g = born, .a = 2 * EACH, .b = 4 * EACH, .scale = 1, .until = never};
	OK(time_parts_add(&p, sn, &q).t == 3 * EACH);
	OK(time_of(&p, TIME_RUNNABLE) == 0 && time_of(&p, TIME_ON_CPU) == EACH);
	q.until = NULL;
	OK(time_parts_add(&p, sn, &q).t == 2 * EACH);
	time_parts_free(&p);
}

int main(void)
{
	struct store_builder *b = builder_new();
	const struct snap *sn = make(b);
	check(sn, 1);
	check(sn, TIME_PARTS_STEPS / 2);
	check(sn, TIME_PARTS_STEPS / 2 + 1);
	check(sn, POLLS);
	check_born(sn);
	builder_free(b);
	return DONE();
}
