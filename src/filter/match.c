/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Matches a query's filters against each frame and each label set. An expression is matched once per name, the results
 * become flags of frames (location.c), and walks over call trees (view.c, states.c) read only flags: a profile has some
 * 10^4 names, 10^5 frames, 10^7 nodes.
 *
 * pprof/filter.c does the same to the reports' profile, stack by stack and exactly as the reference; this file serves
 * filters that change while the user types. drop_frames is not applied here, because it was applied when the file was
 * opened (session/open_job.c).
 */
#include "config.h"
#include "filter/match.h"

#include <string.h>

bool filter_has_names(const struct compiled_filters *fc)
{
	return fc->rx[FILTER_FOCUS] || fc->rx[FILTER_IGNORE] || fc->rx[FILTER_HIDE] || fc->rx[FILTER_SHOW];
}

bool filter_has_show_from(const struct compiled_filters *fc)
{
	return fc->rx[FILTER_SHOW_FROM] != NULL;
}

/* ---- frames */

static struct tag_text store_text(const void *of, uint32_t str)
{
	const struct str_row *r = store_str(of, str);
	return (struct tag_text){r->s, r->n};
}

static void store_function(const void *of, uint32_t fun, uint32_t *name, uint32_t *file)
{
	const struct fun_row *f = store_fun(of, fun);
	*name = f->name;
	*file = f->file;
}

/* Keep only the outermost visible line; it gets the FM_PRUNE flags of the others. */
static void keep_outermost(const struct location_lines *l)
{
	uint32_t k = l->n;
	while (k && l->flags[k - 1] & FM_HIDDEN)
		k--;
	for (uint32_t i = 0; i + 1 < k; i++) {
		l->flags[k - 1] |= l->flags[i] & FM_PRUNE;
		l->flags[i] |= FM_HIDDEN;
	}
}

/* Match only the line itself, not others inlined at the location; dflt: the result if there is no such filter. */
static bool line_itself(struct location_match *m, int i, const struct location_lines *l, uint32_t line, bool dflt)
{
	return m->fc->rx[i] ? location_line_matches(m, i, l, line) || location_map_matches(m, i, l) : dflt;
}

static void match_lines(struct location_match *m, const struct location_lines *l, bool noinlines)
{
	location_match(m, l);
	for (uint32_t i = 0; i < l->n; i++)
		l->flags[i] |= (line_itself(m, FILTER_FOCUS, l, i, true) ? FM_OWN_FOCUS : 0) |
			       (line_itself(m, FILTER_IGNORE, l, i, false) ? FM_OWN_IGNORE : 0);
	if (noinlines)
		keep_outermost(l);
}

void match_frames(struct frame_matches *w, const struct compiled_filters *fc, const struct snap *sn, bool noinlines)
{
	const struct store *st = sn->st;
	struct location_match m;
	*w = (struct frame_matches){.fc = fc, .st = st};
	location_match_begin(&m, fc, &(struct name_table){st, store_text, store_function, sn->nstrs, sn->nfuns});
	w->frame = arena_zalloc(&w->arena, sn->nfrms);
	uint32_t *fun = NULL;
	size_t cap = 0;
	for (uint32_t i = 1; i < sn->nlocs; i++) {
		const struct loc_row *l = store_loc(st, i);
		fun = mem_grow(fun, &cap, l->nline, sizeof *fun);
		for (uint32_t k = 0; k < l->nline; k++)
			fun[k] = store_frm(st, l->first + k)->fun;
		const struct map_row *map = l->map ? column_at(&st->maps, l->map) : NULL;
		match_lines(&m, &(struct location_lines){fun, w->frame + l->first, l->nline, map ? &map->file : NULL,
		    l->nline == 1 && !fun[0]}, noinlines);
	}
	mem_free(fun);
	location_match_end(&m);
}

void match_free(struct frame_matches *w)
{
	arena_free(&w->arena);
}

/* The text of a tag may be newer than the snapshot, so the result is not cached. */
static bool tag_hits(const struct frame_matches *w, int r, str_id text)
{
	const struct str_row *s = store_str(w->st, text);
	return regex_match(w->fc->rx[r], s->s, s->n);
}

uint8_t match_tag(const struct frame_matches *w, str_id text, str_id key)
{
	bool hit[FILTER_NAMES];
	for (int r = 0; r < FILTER_NAMES; r++)
		hit[r] = w->fc->rx[r] &&
		    (tag_hits(w, r, text) || (r != FILTER_PRUNE_FROM && tag_hits(w, r, key)));
	uint8_t v = hit[FILTER_IGNORE] ? FM_LOC_IGNORE
	    : !w->fc->rx[FILTER_FOCUS] || hit[FILTER_FOCUS] ? FM_LOC_FOCUS : 0;
	if (hit[FILTER_HIDE] || (w->fc->rx[FILTER_SHOW] && !hit[FILTER_SHOW]))
		return v | FM_HIDDEN;
	return v | (hit[FILTER_SHOW_FROM] ? FM_SHOW_FROM : 0) | (hit[FILTER_PRUNE_FROM] && text ? FM_PRUNE : 0);
}

/* ---- labels */

const uint8_t *filter_match_sets(const struct compiled_filters *fc, const struct labels *ls, struct arena *a)
{
	const struct tag_test *f = &fc->test[FILTER_TAGFOCUS], *g = &fc->test[FILTER_TAGIGNORE];
	struct buf b = {0};
	uint8_t *keep = arena_zalloc(a, ls->nset);
	struct tag_label *v = NULL;
	size_t cap = 0;
	for (uint32_t s = 0; s < ls->nset; s++) {
		uint32_t n = labels_n(ls, s);
		v = mem_grow(v, &cap, n, sizeof *v);
		for (uint32_t i = 0; i < n; i++) {
			const struct sink_label *l = labels_at(ls, s, i);
			bool text = label_is_text(l);
			v[i] = (struct tag_label){.key = store_text(ls->st, l->key), .num = l->num,
			    .unit = text ? NULL : labels_unit(ls, l->key)};
			if (text)
				v[i].text = l->str ? store_text(ls->st, l->str) : (struct tag_text){"", 0};
		}
		keep[s] = (!f->on || tag_test_match(f, v, n, &b)) && !(g->on && tag_test_match(g, v, n, &b));
	}
	mem_free(v);
	buf_free(&b);
	return keep;
}

/* Look up keys; one that the store does not have belongs to no label and makes no frames. */
static size_t split_keys(const char *s, const struct snap *sn, str_id *key, size_t n, size_t max)
{
	while (s && *s && n < max) {
		size_t len = strcspn(s, ",");
		for (uint32_t i = 1; len && i < sn->nstrs; i++) {
			const struct str_row *r = store_str(sn->st, i);
			if (r->n == len && !memcmp(r->s, s, len)) {
				key[n++] = i;
				break;
			}
		}
		s += len + (s[len] != 0);
	}
	return n;
}

bool filter_has_tags(const struct compiled_filters *fc)
{
	return fc->test[FILTER_TAGFOCUS].on || fc->test[FILTER_TAGIGNORE].on;
}

size_t filter_tag_keys(
    const struct compiled_filters *fc, const struct snap *sn, str_id *key, size_t max, size_t *nroot)
{
	*nroot = split_keys(fc->text.tagroot, sn, key, 0, max);
	return split_keys(fc->text.tagleaf, sn, key, *nroot, max);
}
