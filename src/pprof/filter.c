/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The filters of a query on stacks, as pprof applies them. A regular expression is matched once per distinct name. The
 * results give a verdict per location, those a new stack (or none) per distinct stack, and then the samples are read
 * once. Filters that apply inside a location (hide, show, show_from, prune_from) cut its lines in place: every stack
 * through it sees the cut. That is what pprof does, and why the order of the steps matters. Filters on labels are in
 * tag_filter.c.
 *
 * What is left of a stack shares the frames of the stack, because frames are most of a profile: copying them raised 200
 * MB to 300 for 108 MB inflated. If frames inside a stack are removed (hide, show) the others are moved together, which
 * destroys the original stack. That is allowed only in the last step, because each step numbers its results by all
 * stacks that exist, and only if no stacks share frames; otherwise the frames are copied.
 */
#include "config.h"
#include "pprof/profile.h"

#include "filter/names.h"

#include <string.h>

static void matcher_init(struct string_matcher *r, const struct profile *p, struct regex *rx)
{
	*r = (struct string_matcher){p, rx, rx ? xcalloc(p->nstr, 1) : NULL, p->nstr};
}

static void matcher_free(struct string_matcher *r)
{
	regex_free(r->rx);
	mem_free(r->known);
	*r = (struct string_matcher){0};
}

static bool names_match(struct string_matcher *r, str_id s)
{
	enum { NO = 1, YES };
	if (s >= r->n)
		return regex_match(r->rx, r->p->str[s].s, r->p->str[s].n);
	if (!r->known[s])
		r->known[s] = regex_match(r->rx, r->p->str[s].s, r->p->str[s].n) ? YES : NO;
	return r->known[s] == YES;
}

static bool line_matches(struct string_matcher *r, const struct profile *p, uint32_t line)
{
	const struct profile_function *f = &p->fun[p->line[line].fun];
	return names_match(r, f->name) || names_match(r, f->file);
}

static bool map_matches(struct string_matcher *r, const struct profile *p, const struct profile_location *l)
{
	return l->map && names_match(r, p->map[l->map].file);
}

static bool loc_matches(struct string_matcher *r, const struct profile *p, const struct profile_location *l)
{
	for (uint32_t i = 0; i < l->nline; i++)
		if (line_matches(r, p, l->line + i))
			return true;
	return map_matches(r, p, l);
}

/* Keep the lines that match (or do not match). This is done in place, because locations share no lines. */
static void keep_lines(struct string_matcher *r, struct profile *p, struct profile_location *l, bool matching)
{
	uint32_t kept = 0;
	if (map_matches(r, p, l)) {
		if (!matching)
			l->nline = 0;
		return;
	}
	for (uint32_t i = 0; i < l->nline; i++)
		if (line_matches(r, p, l->line + i) == matching)
			p->line[l->line + kept++] = p->line[l->line + i];
	l->nline = kept;
}

enum { LOC_FOCUS = 1, LOC_IGNORE = 2, LOC_HIDDEN = 4 };

struct name_filters { struct string_matcher focus, ignore, hide, show; bool fm, im, hm, sm; };

static bool match_locations(struct profile *p, struct name_filters *b, uint8_t *verdict)
{
	bool any_hidden = false;
	for (size_t i = 1; i < p->nloc; i++) {
		struct profile_location *l = &p->loc[i];
		if (b->ignore.rx && loc_matches(&b->ignore, p, l)) {
			b->im = true;
			verdict[i] = LOC_IGNORE;
		} else if (!b->focus.rx || loc_matches(&b->focus, p, l)) {
			b->fm = true;
			verdict[i] = LOC_FOCUS;
		}
		if (b->hide.rx && loc_matches(&b->hide, p, l)) {
			b->hm = true;
			keep_lines(&b->hide, p, l, false);
			if (!l->nline)
				verdict[i] |= LOC_HIDDEN;
		}
		if (b->show.rx) {
			keep_lines(&b->show, p, l, true);
			if (!l->nline)
				verdict[i] |= LOC_HIDDEN;
			else
				b->sm = true;
		}
		any_hidden |= (verdict[i] & LOC_HIDDEN) != 0;
	}
	return any_hidden;
}

/* Return the stack of the `kept` visible frames of r, written in place or at the end. */
static uint32_t without_hidden(
    struct profile *p, struct profile_run r, const uint8_t *verdict, uint32_t kept, bool in_place)
{
	uint64_t at = r.off;
	if (!in_place) {
		profile_reserve_frames(p, kept);
		at = p->nframe;
		p->nframe += kept;
	}
	struct profile_run left = {at, kept};
	for (uint32_t i = 0; i < r.n; i++) {
		loc_id l = profile_frame(p, r.off + i);
		if (!(verdict[l] & LOC_HIDDEN))
			profile_set_frame(p, at++, l);
	}
	return profile_add_run(p, left);
}

/* last: no later step removes frames. */
static void filter_by_name(struct profile *p, struct name_filters *b, bool last)
{
	size_t n = p->nstack;
	uint8_t *verdict = xcalloc(p->nloc, 1);
	uint32_t *to = xmalloc(n * sizeof *to);
	bool any_hidden = match_locations(p, b, verdict), in_place = last && !p->nested;
	for (size_t s = 0; s < n; s++) {
		struct profile_run r = p->stack[s];
		uint8_t seen = 0;
		uint32_t kept = 0;
		for (uint32_t i = 0; i < r.n; i++) {
			uint8_t v = verdict[profile_frame(p, r.off + i)];
			seen |= v;
			kept += !(v & LOC_HIDDEN);
		}
		if (!(seen & LOC_FOCUS) || seen & LOC_IGNORE || (any_hidden && !kept))
			to[s] = PROFILE_DROP;
		else
			to[s] = kept == r.n ? (uint32_t)s : without_hidden(p, r, verdict, kept, in_place);
	}
	profile_restack(p, to, n);
	mem_free(verdict);
	mem_free(to);
}

/* Return the stack of frames [from, to) of a stack, in place; the stack itself if these are all frames. */
static uint32_t part_of(struct profile *p, size_t stack, uint32_t from, uint32_t to)
{
	struct profile_run r = p->stack[stack];
	if (to - from == r.n)
		return (uint32_t)stack;
	p->nested = true;
	return profile_add_run(p, (struct profile_run){r.off + from, to - from});
}

/* Remove from every stack the frames that are nearer the root than its highest match. */
static bool show_from(struct profile *p, struct string_matcher *r)
{
	bool matched = false;
	uint8_t *hit = xcalloc(p->nloc, 1);
	for (size_t i = 1; i < p->nloc; i++) {
		struct profile_location *l = &p->loc[i];
		hit[i] = map_matches(r, p, l);
		for (uint32_t k = l->nline; k-- && !hit[i];)
			if (line_matches(r, p, l->line + k)) {
				hit[i] = true;
				l->nline = k + 1;
			}
		matched |= hit[i];
	}
	size_t n = p->nstack;
	uint32_t *to = xmalloc(n * sizeof *to);
	for (size_t s = 0; s < n; s++) {
		struct profile_run st = p->stack[s];
		uint32_t k = st.n;
		while (k && !hit[profile_frame(p, st.off + k - 1)])
			k--;
		to[s] = k ? part_of(p, s, 0, k) : PROFILE_DROP;
	}
	profile_restack(p, to, n);
	mem_free(to);
	mem_free(hit);
	return matched;
}

/* Parentheses that are part of a name are kept. */
size_t pprof_simple_name(const char **s, size_t n)
{
	static const char *const whole[] = {"(anonymous namespace)", "operator()"};
	if (n && **s == '.')
		(*s)++, n--;
	for (size_t i = 0; i < n;) {
		size_t skip = 0;
		for (int k = 0; k < 2; k++)
			if (n - i >= strlen(whole[k]) && !memcmp(*s + i, whole[k], strlen(whole[k])))
				skip = strlen(whole[k]);
		if (!skip && (*s)[i] == '(')
			return i;
		i += skip ? skip : 1;
	}
	return n;
}

static bool simple_matches(const struct regex *rx, const struct profile *p, str_id name)
{
	const char *s = p->str[name].s;
	size_t n = pprof_simple_name(&s, p->str[name].n);
	return regex_match(rx, s, n);
}

static void prune_from(struct profile *p, const struct regex *rx)
{
	uint8_t *hit = xcalloc(p->nloc, 1);
	for (size_t i = 1; i < p->nloc; i++) {
		struct profile_location *l = &p->loc[i];
		for (uint32_t k = 0; k < l->nline && !hit[i]; k++) {
			str_id name = p->fun[p->line[l->line + k].fun].name;
			if (name && simple_matches(rx, p, name)) {
				hit[i] = true;
				l->line += k;
				l->nline -= k;
			}
		}
	}
	size_t n = p->nstack;
	uint32_t *to = xmalloc(n * sizeof *to);
	for (size_t s = 0; s < n; s++) {
		struct profile_run r = p->stack[s];
		uint32_t k = 0;
		while (k < r.n && !hit[profile_frame(p, r.off + k)])
			k++;
		to[s] = part_of(p, s, k < r.n ? k : 0, r.n);
	}
	profile_restack(p, to, n);
	mem_free(to);
	mem_free(hit);
}

static struct regex *compile_anchored(const struct profile *p, str_id s)
{
	struct arena a = {0};
	struct regex *rx = s ? regex_new(arena_printf(&a, "^(%s)$", profile_string(p, s)), NULL) : NULL;
	arena_free(&a);
	return rx;
}

enum { PRUNE_ALL = 1, PRUNE_BELOW = 2 };

void pprof_prune(struct profile *p)
{
	struct regex *drop = compile_anchored(p, p->drop_frames);
	if (!drop)
		return;
	struct regex *keep = compile_anchored(p, p->keep_frames);
	if (p->keep_frames && !keep) {	/* invalid: the reference then prunes nothing */
		regex_free(drop);
		return;
	}
	uint8_t *cut = xcalloc(p->nloc, 1), *name = xcalloc(p->nstr, 1);
	for (size_t i = 1; i < p->nloc; i++) {
		struct profile_location *l = &p->loc[i];
		for (uint32_t k = l->nline; k-- && !cut[i];) {
			str_id s = p->fun[p->line[l->line + k].fun].name;
			if (s && !name[s])
				name[s] = simple_matches(drop, p, s) && !(keep && simple_matches(keep, p, s)) ? 2 : 1;
			if (!s || name[s] != 2)
				continue;
			cut[i] = k + 1 == l->nline ? PRUNE_ALL : PRUNE_BELOW;
			if (cut[i] == PRUNE_BELOW) {
				l->line += k + 1;
				l->nline -= k + 1;
			}
		}
	}
	size_t n = p->nstack;
	uint32_t *to = xmalloc(n * sizeof *to);
	for (size_t s = 0; s < n; s++) {
		struct profile_run r = p->stack[s];
		bool user = false;	/* frames between the root and the first user frame are never pruned */
		to[s] = (uint32_t)s;
		for (uint32_t k = r.n; k--;) {
			uint8_t c = cut[profile_frame(p, r.off + k)];
			if (!c) {
				user = true;
			} else if (user) {
				to[s] = part_of(p, s, c == PRUNE_ALL ? k + 1 : k, r.n);
				break;
			}
		}
	}
	profile_restack(p, to, n);
	mem_free(to);
	mem_free(cut);
	mem_free(name);
	regex_free(drop);
	regex_free(keep);
}

int pprof_compile_option(struct regex **rx, const char *option, const char *text, struct err *e)
{
	struct err why = {0};
	*rx = NULL;
	if (!text || !*text)
		return 0;
	*rx = regex_new(text, &why);
	return *rx ? 0 : err_set(e, ERR_USAGE, ERR_NOWHERE, "parsing %s regexp: %s", option, why.msg);
}

static void warn_no_match(bool ok, const char *what, profile_notice *notice, void *arg)
{
	if (!ok && notice)
		notice(arg, "%s expression matched no samples", what);
}

int pprof_apply_filters(struct profile *p, const struct pprof_filters *f, const struct pprof_label_units *u,
    profile_notice *notice, void *arg, struct err *e)
{
	static const char *const option[] = {"focus", "ignore", "hide", "show", "show_from", "prune_from"};
	const char *text[] = {f->focus, f->ignore, f->hide, f->show, f->show_from, f->prune_from};
	struct regex *rx[6] = {0};
	struct pprof_tag_filter tag = {0};
	int r = 0;
	for (int i = 0; i < 6 && !r; i++)
		r = pprof_compile_option(&rx[i], option[i], text[i], e);
	if (r || pprof_tag_filter_compile(&tag, f, p, u, notice, arg, e)) {
		for (int i = 0; i < 6; i++)
			regex_free(rx[i]);
		pprof_tag_filter_free(&tag);
		return -1;
	}
	struct name_filters b = {0};
	struct string_matcher from = {0};
	matcher_init(&b.focus, p, rx[0]);
	matcher_init(&b.ignore, p, rx[1]);
	matcher_init(&b.hide, p, rx[2]);
	matcher_init(&b.show, p, rx[3]);
	if (rx[0] || rx[1] || rx[2] || rx[3])
		filter_by_name(p, &b, !rx[4] && !rx[5]);
	warn_no_match(!rx[0] || b.fm, "Focus", notice, arg);
	warn_no_match(!rx[1] || b.im, "Ignore", notice, arg);
	warn_no_match(!rx[2] || b.hm, "Hide", notice, arg);
	warn_no_match(!rx[3] || b.sm, "Show", notice, arg);
	matcher_init(&from, p, rx[4]);
	if (rx[4])
		warn_no_match(show_from(p, &from), "ShowFrom", notice, arg);
	pprof_tag_filter_apply(&tag, p, notice, arg);
	if (rx[5])
		prune_from(p, rx[5]);
	if (rx[2] || rx[3] || rx[4] || rx[5])
		profile_drop_unused_stacks(p);
	matcher_free(&b.focus);
	matcher_free(&b.ignore);
	matcher_free(&b.hide);
	matcher_free(&b.show);
	matcher_free(&from);
	regex_free(rx[5]);
	pprof_tag_filter_free(&tag);
	return 0;
}

void pprof_aggregate(struct profile *p, const struct pprof_granularity *g)
{
	for (size_t i = 1; i < p->nmap; i++) {
		p->map[i].inlines &= g->inlines;
		p->map[i].functions &= g->function;
		p->map[i].filenames &= g->file;
		p->map[i].lines &= g->line;
	}
	for (size_t i = 1; i < p->nfun; i++) {
		if (!g->function)
			p->fun[i].name = p->fun[i].sysname = 0;
		if (!g->file)
			p->fun[i].file = 0;
	}
	for (size_t i = 1; i < p->nloc; i++) {
		struct profile_location *l = &p->loc[i];
		if (!g->inlines && l->nline > 1) {
			l->line += l->nline - 1;
			l->nline = 1;
		}
		for (uint32_t k = l->line; k < l->line + l->nline; k++) {
			if (!g->line)
				p->line[k].line = p->line[k].col = 0;
			if (!g->column)
				p->line[k].col = 0;
		}
		if (!g->address)
			l->addr = 0;
	}
}
