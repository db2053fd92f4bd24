/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_MEASURES_NAMES_H
#define TTRACE_FINDINGS_MEASURES_NAMES_H

#include "store/store.h"

#include <string.h>

/* Names of functions of the runtime and of the standard library that rules go by. doc/design/findings.md lists them. */
static inline bool names_is(const struct str_row *name, const char *is)
{
	return name->n == strlen(is) && !memcmp(name->s, is, name->n);
}
static inline bool names_begins(const struct str_row *name, const char *with)
{
	return name->n >= strlen(with) && !memcmp(name->s, with, strlen(with));
}
/* Return the name of the function of a node; empty for node 0. */
static inline const struct str_row *names_function(const struct store *st, stk_id node)
{
	return store_str(st, store_fun(st, store_frm(st, stk_frame(st, node))->fun)->name);
}

#endif
