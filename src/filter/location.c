/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Matches filters against names. An expression is matched once per name; a function has many lines, so its result is
 * kept too.
 *
 * pprof filters locations, and its steps remove lines (inlined calls) from them for good: focus, ignore, hide, show,
 * show_from, prune_from. A step sees only the lines that the earlier steps have left, in every stack through the
 * location. So the steps run here in that order, location by location. Their effects on stacks (where one begins and
 * ends, whether it counts) are left to the caller, as flags.
 */
#include "config.h"
#include "filter/location.h"

#include <string.h>

/* Parentheses that are part of a name are kept. */
size_t location_simple_name(const char **s, size_t n)
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

void location_match_begin(struct location_match *m, const struct compiled_filters *fc, const struct name_table *names)
{
	*m = (struct location_match){.fc = fc, .names = *names};
	for (int i = 0; i < FILTER_NAMES; i++) {
		m->by_name[i] = fc->rx[i] ? arena_zalloc(&m->arena, names->nstr) : NULL;
		m->by_fun[i] = fc->rx[i] ? arena_zalloc(&m->arena, names->nfun) : NULL;
	}
}

void location_match_end(struct location_match *m)
{
	arena_free(&m->arena);
}

static bool name_matches(struct location_match *m, int i, uint32_t str)
{
	uint8_t *known = &m->by_name[i][str];
	if (!*known) {
		struct tag_text t = m->names.text(m->names.of, str);
		if (i == FILTER_PRUNE_FROM)
			t.n = location_simple_name(&t.s, t.n);
		*known = regex_match(m->fc->rx[i], t.s, t.n) ? 2 : 1;
	}
	return *known == 2;
}

bool location_line_matches(struct location_match *m, int i, const struct location_lines *l, uint32_t line)
{
	uint32_t fun = l->fun[line], name, file;
	uint8_t *known = &m->by_fun[i][fun];
	if (!*known) {
		m->names.function(m->names.of, fun, &name, &file);
		*known = fun && (name_matches(m, i, name) || name_matches(m, i, file)) ? 2 : 1;
	}
	return *known == 2;
}

bool location_map_matches(struct location_match *m, int i, const struct location_lines *l)
{
	return l->map && name_matches(m, i, *l->map);
}

static bool any_matches(struct location_match *m, int i, const struct location_lines *l)
{
	for (uint32_t k = 0; k < l->n; k++)
		if (location_line_matches(m, i, l, k))
			return true;
	return location_map_matches(m, i, l);
}

static bool is_hidden(const struct location_lines *l, uint32_t line)
{
	return l->flags[line] & FM_HIDDEN;
}

/* Return whether no line is left. A location without lines is hidden by its mapping, and by any show. */
static bool hide_lines(struct location_match *m, const struct location_lines *l)
{
	bool hide = m->fc->rx[FILTER_HIDE], show = m->fc->rx[FILTER_SHOW];
	bool hidden = hide && location_map_matches(m, FILTER_HIDE, l);
	bool shown = !show || (location_map_matches(m, FILTER_SHOW, l) && !l->bare);
	uint32_t left = 0;
	m->matched[FILTER_HIDE] |= hidden;
	for (uint32_t i = 0; i < l->n; i++) {
		bool hit = hide && location_line_matches(m, FILTER_HIDE, l, i);
		m->matched[FILTER_HIDE] |= hit;
		if (hidden || hit || (!shown && !location_line_matches(m, FILTER_SHOW, l, i)))
			l->flags[i] |= FM_HIDDEN;
		else
			left++;
	}
	m->matched[FILTER_SHOW] |= left > 0;
	return !left && (l->n || hidden || show);
}

/* The outermost line that matches becomes the outermost of the location. */
static bool show_from(struct location_match *m, const struct location_lines *l)
{
	if (location_map_matches(m, FILTER_SHOW_FROM, l)) {
		for (uint32_t i = 0; i < l->n; i++)
			l->flags[i] |= FM_SHOW_FROM;
		return true;
	}
	uint32_t k = l->n;
	while (k && (is_hidden(l, k - 1) || !location_line_matches(m, FILTER_SHOW_FROM, l, k - 1)))
		k--;
	for (uint32_t i = 0; i < k; i++)	/* also the innermost: elsewhere it is the same function */
		if (i == k - 1 || (!is_hidden(l, i) && location_line_matches(m, FILTER_SHOW_FROM, l, i)))
			l->flags[i] |= FM_SHOW_FROM;
	for (uint32_t i = k; k && i < l->n; i++)
		l->flags[i] |= FM_HIDDEN;
	return k;
}

/* The innermost line that matches becomes the innermost of the location. */
static bool prune_from(struct location_match *m, const struct location_lines *l)
{
	bool below = false;
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t name, file;
		m->names.function(m->names.of, l->fun[i], &name, &file);
		if (is_hidden(l, i) || !name || !name_matches(m, FILTER_PRUNE_FROM, name))
			continue;
		l->flags[i] |= FM_PRUNE;	/* also those above the innermost: elsewhere it is the same function */
		for (uint32_t k = 0; k < i && !below; k++)
			l->flags[k] |= FM_HIDDEN;
		below = true;
	}
	return below;
}

uint8_t location_match(struct location_match *m, const struct location_lines *l)
{
	struct regex *const *rx = m->fc->rx;
	bool ignore = rx[FILTER_IGNORE] && any_matches(m, FILTER_IGNORE, l);
	bool focus = !ignore && (!rx[FILTER_FOCUS] || any_matches(m, FILTER_FOCUS, l));
	uint8_t v = ignore ? FM_LOC_IGNORE : focus ? FM_LOC_FOCUS : 0;
	for (uint32_t i = 0; i < l->n; i++)
		l->flags[i] |= v;
	m->matched[FILTER_IGNORE] |= ignore;
	m->matched[FILTER_FOCUS] |= focus;
	if ((rx[FILTER_HIDE] || rx[FILTER_SHOW]) && hide_lines(m, l))
		v |= FM_HIDDEN;
	if (rx[FILTER_SHOW_FROM] && show_from(m, l))
		v |= FM_SHOW_FROM;
	if (rx[FILTER_PRUNE_FROM] && prune_from(m, l))
		v |= FM_PRUNE;
	m->matched[FILTER_SHOW_FROM] |= (v & FM_SHOW_FROM) != 0;
	return v;
}
