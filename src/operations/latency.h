/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_OPERATIONS_LATENCY_H
#define TTRACE_OPERATIONS_LATENCY_H

#include "operations/operations.h"

/* How long the complete operations of a kind take: counts in equal steps between lo and hi, ns, or in equal steps of the
   logarithm if the longest takes several times as long as the shortest. The shortest one in a thousand is below lo, and
   in no bin, so that one short operation does not leave all others in one bin. */
enum { LATENCY_BINS = 256, LATENCY_SLOWEST = 16 };
struct operation_latency {
	int64_t lo, hi;			/* lo <= hi; hi is the longest duration */
	bool log;
	uint32_t all;			/* complete operations */
	uint32_t count[LATENCY_BINS];
	uint32_t slowest[LATENCY_SLOWEST], nslowest;	/* their indexes within the kind, longest first */
};
/* Two passes over the durations of the kind. */
void operations_latency(const struct operations *, uint32_t kind, struct operation_latency *);
/* Return where a duration is between lo and hi, 0..1; one outside is at the nearer end. */
double operation_latency_position(const struct operation_latency *, int64_t ns);
/* Return the duration at such a position, in ns. */
int64_t operation_latency_at(const struct operation_latency *, double position);
/* Return the end of the bin in which the operations reach that part of all, ns. */
int64_t operation_latency_quantile(const struct operation_latency *, double part);

#endif
