/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Libraries that are opened, not linked. A thin layer over dlopen(3). The addresses are copied into a table with
 * memcpy(), because C does not convert pointers to data into pointers to functions. libcurl loads some thirty
 * libraries, the C++ runtime needs ten thousand relocations, libdw loads four decompressors; a report on a trace needs
 * none of them.
 *
 * Not taken: lazy linking by the linker. Not every system has it, and it ends the program if a library is missing,
 * without a proper message.
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
