/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What the configuration file states about findings. It is one for the process, like the servers of operations: every
 * pane and the first screen must agree on what a problem is, so it is no part of a query. Reports do not read the
 * configuration: their options -set and -ignore do the same.
 */
#include "config.h"
#include "findings/configured.h"

#include "base/mem/mem.h"

#include <string.h>

struct known_finding { int rule; char *function; };	/* rule -1: any; function NULL: any */

/* Written only while the configuration is read, before any thread judges. */
static double thresholds[FINDING_THRESHOLD__N] = {
#define RULE(id, name, title, judge, needs, fires, cause, action, example)
#define THRESHOLD(rule, id, name, value, unit, text) value,
#include "findings/rules.def"
#undef RULE
#undef THRESHOLD
};
static struct known_finding *known;
static size_t nknown, cknown;

const double *findings_configured_thresholds(void)
{
	return thresholds;
}

int findings_configure_threshold(const char *line, struct err *e)
{
	struct buf words = {0};
	for (const char *s = line; *s; s++)
		if (*s != ' ' && *s != '\t')
			buf_putc(&words, *s);
	int rc = finding_threshold_set(thresholds, buf_str(&words), e);
	buf_free(&words);
	return rc;
}

int findings_configure_known(const char *line, struct err *e)
{
	size_t n = strcspn(line, " \t");
	const char *function = line + n + strspn(line + n, " \t");
	bool any = n == 1 && *line == '*';
	int rule = any ? -1 : finding_rule_find(line, n);
	if (rule < 0 && !any)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "known requires RULE [FUNCTION]: there is no rule \"%.*s\"",
		    n < 40 ? (int)n : 40, line);
	known = mem_grow(known, &cknown, nknown + 1, sizeof *known);
	known[nknown++] = (struct known_finding){rule, *function && strcmp(function, "*") ? xstrdup(function) : NULL};
	return 0;
}

bool findings_is_configured_known(const struct store *st, const struct finding *f)
{
	const struct str_row *name = store_str(st, store_fun(st, store_frm(st, f->culprit[0].frame)->fun)->name);
	for (size_t i = 0; i < nknown; i++) {
		const char *s = known[i].function;
		bool same = !s || (strlen(s) == name->n && !memcmp(s, name->s, name->n));
		if (same && (known[i].rule < 0 || known[i].rule == (int)f->rule))
			return true;
	}
	return false;
}
