/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Libraries that are opened, not linked. A thin layer over dlopen(3): symbols are copied into the places of a table,
 * for a pointer to a function is no pointer to data in C. libcurl brings some thirty libraries with it, the runtime of
 * C++ ten thousand addresses to put right, libdw four decompressors; a report on a trace asks none of them.
 *
 * Not taken: lazy linking by the linker, which is not there on every system, and which ends the program where a
 * library is missing instead of saying so.
 */
#include "config.h"
#include "base/dynlib.h"

#include <string.h>

#ifdef HAVE_DLOPEN
#include <dlfcn.h>

const char *dynlib_open(const char *const *names, const struct dynlib_symbol *call, size_t n, void *table)
{
	void *h = NULL;
	for (; !h && *names; names++)
		h = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
	if (!h)
		return "";
	for (size_t i = 0; i < n; i++) {
		void *p = dlsym(h, call[i].name);
		if (!p)
			return call[i].name;
		memcpy((char *)table + call[i].at, &p, sizeof p);
	}
	return NULL;
}
#else
const char *dynlib_open(const char *const *names, const struct dynlib_symbol *call, size_t n, void *table)
{
	(void)names, (void)call, (void)n, (void)table;
	return "";
}
#endif
