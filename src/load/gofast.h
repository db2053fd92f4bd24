/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GOFAST_H
#define TTRACE_GOFAST_H

#include "load/goorder.h"
#include "load/gowire.h"

/* Take ev, which came from that thread, when it is one of the common events and nothing about it is unusual.
   false: nothing has changed, and goorder_advance() will know. */
bool gofast_take(struct goorder *, const struct goev *ev, struct go_m *);

#endif
