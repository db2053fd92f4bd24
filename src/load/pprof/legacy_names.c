/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Names from the comments of Go's debug=1 pages. After each sample such a page
 * has a line for each frame that it shows:
 *
 *	#	0x45f2a1	main.worker+0x21	/src/main.go:12
 *
 * The addresses are those of the sample, in its order and already moved back
 * into the call. Frames of the runtime may have no line. Consecutive lines
 * with one address are either inlined calls at one frame, or the frames of a
 * recursive function: k consecutive frames of that address with m lines have
 * m/k lines each. A line with an address that is not in the rest of the sample
 * ends the names of that sample, so that reading them takes linear time.
 */
#include "config.h"
#include "load/pprof/legacy.h"

enum { INLINED_MAX = 64 };	/* as in src/symbols: other stacks may have that address very often */

/* Set the lines of the open run's location, unless it has some, or they are too many. */
void legacy_apply_comments(struct legacy *g)
{
	struct legacy_run r = g->run;
	g->run.n = 0;
	if (!r.n)
		return;
	uint32_t m = (uint32_t)g->nline - r.line;
	struct legacy_loc *l = &g->loc[r.loc];
	if (l->nline || m % r.n || m / r.n > INLINED_MAX) {
		g->inlined_limited |= !l->nline && m / r.n > INLINED_MAX;
		g->nline = r.line;
		return;
	}
	l->line = r.line;
	l->nline = m / r.n;
	g->nline = r.line + l->nline;
	g->commented = true;
}

/* The frame of a signal has the exact address, which is not reduced by one. */
static bool is_at(const struct legacy_loc *l, uint64_t addr)
{
	return l->addr == addr || l->addr + 1 == addr;
}

/* Find the frames of that address in the rest of the sample; false: there are none. */
static bool open_run(struct legacy *g, uint64_t addr)
{
	size_t i = g->next;
	while (i < g->nframe && !is_at(&g->loc[g->frame[i]], addr))
		i++;
	g->next = i;
	if (i == g->nframe)
		return false;
	g->run = (struct legacy_run){.loc = g->frame[i], .line = (uint32_t)g->nline};
	for (; g->next < g->nframe && g->frame[g->next] == g->run.loc; g->next++)
		g->run.n++;
	return true;
}

/* Take the text up to a tab, and all tabs there. */
static struct scan_text take_column(struct scan_text *t)
{
	struct scan_text c = {t->p, t->p};
	while (c.end < t->end && *c.end != '\t')
		c.end++;
	for (t->p = c.end; t->p < t->end && *t->p == '\t';)
		t->p++;
	return c;
}

/* Return the name without the offset "+0x21" in the function. */
static struct scan_text without_offset(struct scan_text name)
{
	const char *p = name.end;
	while (p > name.p && scan_is_hex(p[-1]))
		p--;
	if (p < name.end && p - name.p > 3 && p[-1] == 'x' && p[-2] == '0' && p[-3] == '+')
		name.end = p - 3;
	return name;
}

void legacy_read_comment(struct legacy *g, const struct scan_lines *l)
{
	struct scan_text t = scan_line_text(l), addr, name;
	uint64_t v;
	int64_t line = 0;
	if (!g->nsample || !scan_take(&t, "#\t0x"))
		return;
	addr = take_column(&t);
	name = without_offset(take_column(&t));
	t = scan_line_trimmed(&(struct scan_lines){.line = t.p, .n = scan_len(t)});
	if (!scan_len(name) || !scan_parse_hex(addr, &v))
		return;
	if (!g->run.n || !is_at(&g->loc[g->run.loc], v)) {
		legacy_apply_comments(g);
		if (!open_run(g, v))
			return;
	}
	scan_cut_line_number(&t, &line);
	legacy_line(g, legacy_fun(g, name, t), line);
}
