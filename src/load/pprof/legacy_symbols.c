/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Profiles with their symbols, as `jeprof --raw` and gperftools' `pprof --raw` write them:
 *
 *	--- symbol
 *	binary=/usr/bin/program
 *	0x0000000000401000 main
 *	0x0000000000402000 caller--inlined
 *	---
 *	--- heap
 *	heap profile: ...
 *
 * The profile that follows is one of the other kinds, with the addresses that the program wrote. The
 * names of calls that are inlined at an address are after that of their caller. The table has an
 * address of a caller as it is in the stack, or one less, so that it is within the call.
 */
#include "config.h"
#include "load/pprof/legacy.h"

enum { INLINED_MAX = 64 };	/* as in legacy_names.c */

bool legacy_has_symbols(struct bytes b)
{
	struct scan_lines l = {.p = (const char *)b.p, .end = (const char *)b.p + b.n};
	if (!scan_next_line(&l) || !scan_starts_with(scan_line_text(&l), "--- symbol") || !scan_next_line(&l))
		return false;
	struct scan_text t = scan_line_text(&l);
	return scan_starts_with(t, "binary=") || scan_starts_with(t, "0x") || scan_starts_with(t, "---");
}

/* "0x402000 name": the names of an address. The last one counts, as in jeprof. */
static void take_symbol(struct legacy_symbols *s, struct scan_text t)
{
	struct scan_text hex = {t.p, t.p};
	uint64_t addr;
	bool fresh;
	while (hex.end < t.end && scan_is_hex(*hex.end))
		hex.end++;
	t.p = hex.end;
	scan_skip_spaces(&t);
	if (hex.p == hex.end || t.p == hex.end || t.p == t.end || !scan_parse_hex(hex, &addr))
		return;
	s->name = mem_grow(s->name, &s->cap, s->n + 1, sizeof *s->name);
	s->name[s->n] = t;
	u64_map_put(&s->of, addr, &fresh)->n = s->n++;
}

struct bytes legacy_take_symbols(struct legacy_symbols *s, struct bytes b, const struct sink *sink)
{
	struct scan_lines l = scan_bounded(b, sink, 0, 2);
	scan_next_line(&l);
	while (scan_next_line(&l) && !scan_starts_with(scan_line_text(&l), "---")) {
		struct scan_text t = scan_line_trimmed(&l);
		if (scan_take(&t, "0x"))
			take_symbol(s, t);
	}
	s->cut = l.cut;
	size_t at = (size_t)((const uint8_t *)l.p - b.p);
	struct bytes rest = {.p = b.p + at, .n = b.n - at}, marked = rest;
	if (!scan_next_line(&l) || !scan_starts_with(scan_line_text(&l), "--- "))
		return rest;
	at = (size_t)((const uint8_t *)l.p - b.p);
	rest = (struct bytes){.p = b.p + at, .n = b.n - at};
	return legacy_is_plain(rest) ? rest : marked;	/* "--- contention" is the profile's own heading, too */
}

static const struct scan_text *find_names(const struct legacy_symbols *s, uint64_t addr)
{
	const struct u64_slot *at = u64_map_get(&s->of, addr);
	at = at ? at : u64_map_get(&s->of, addr + 1);
	return at ? &s->name[at->n] : NULL;
}

/* Append the lines of a location, the innermost first: from the end of "caller--inlined". */
static uint32_t add_names(struct legacy *g, struct scan_text t)
{
	uint32_t n = 0;
	while (scan_len(t) && n < INLINED_MAX) {
		struct scan_text name = t;
		for (const char *p = t.end; p - t.p >= 2; p--)
			if (p[-1] == '-' && p[-2] == '-') {
				name.p = p;
				break;
			}
		t.end = name.p == t.p ? t.p : name.p - 2;
		if (scan_len(name)) {
			legacy_line(g, legacy_fun(g, name, (struct scan_text){name.end, name.end}), 0);
			n++;
		}
	}
	return n;
}

void legacy_apply_symbols(struct legacy *g, const struct legacy_symbols *s)
{
	for (size_t i = 0; i < g->nloc; i++) {
		struct legacy_loc *l = &g->loc[i];
		const struct scan_text *names = l->nline ? NULL : find_names(s, l->addr);
		if (!names)
			continue;
		l->line = (uint32_t)g->nline;
		l->nline = add_names(g, *names);
	}
}

void legacy_symbols_free(struct legacy_symbols *s)
{
	mem_free(s->name);
	u64_map_free(&s->of);
}
