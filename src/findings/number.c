/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The evidence of a finding as text. The name of a number ends in its unit, as scripts read it in JSON; for people the
 * unit is part of the value.
 */
#include "config.h"
#include "findings/findings.h"

#include "base/text/text.h"
#include "base/wrap_math.h"

#include <math.h>
#include <string.h>

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

void finding_put_number(struct buf *b, const struct finding_number *v)
{
	const char *name = v->name;
	size_t n = strlen(name);
	bool ns = ends_in(name, "_ns"), share = ends_in(name, "_share"), bytes = ends_in(name, "_bytes");
	n -= ns ? 3 : share || bytes ? 6 : 0;
	for (size_t i = 0; i < n; i++)
		buf_putc(b, name[i] == '_' ? ' ' : name[i]);
	buf_puts(b, v->estimated ? " ~" : " ");
	if (ns)
		text_ns(b, wrap_clamp(v->value));
	else if (bytes)
		text_bytes(b, wrap_clamp(v->value));
	else if (share)
		buf_printf(b, "%.1f%%", 100 * v->value);
	else if (v->value == floor(v->value) && fabs(v->value) < 1e15)
		text_count(b, (int64_t)v->value);
	else
		buf_printf(b, "%.3g", v->value);
}
