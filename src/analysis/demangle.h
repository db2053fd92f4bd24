/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_DEMANGLE_H
#define TTRACE_DEMANGLE_H

#include "analysis/prof.h"

/*
 * Function names of C++ as people write them. The mode is that of pprof's
 * -symbolize: "none" leaves names alone; demangle=full, demangle=templates
 * (no parameters) or anything else (no parameters, no template arguments).
 * -1: it is none of them.
 */
int prof_demangle(struct prof *, const char *symbolize, struct err *e);

#endif
