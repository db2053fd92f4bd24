/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Matches a query's filters against each frame and each label set. An expression is matched once per name, the results
 * become flags of frames, and the pass over the call tree (apply.c) reads only flags: a profile has some 10^4 names,
 * 10^5 frames, 10^7 nodes.
 *
 * pprof filters locations, and its steps remove lines (inlined calls) from them for good: focus, ignore, hide, show,
 * show_from, prune_from, noinlines. A step sees only the lines that the earlier steps have left, in every stack through
 * the location. So the steps run here in that order, location by location. Their effects on stacks (where one begins
 * and ends, whether it counts) are left to the pass, as flags.
 *
 * pprof/filter.c does the same to the reports' profile, stack by stack and exactly as the reference; this file serves
 * filters that change while the user types. drop_frames is not applied here, because it was applied when the file was
 * opened (session/open_job.c).
 */
#include "config.h"
#include "filter/match.h"

#include "base/text/pprof_units.h"

#include <string.h>

static bool match_string(struct frame_matches *v, int r, str_id s)
{
	uint8_t *answer = v->answer[r];
	if (!answer[s]) {
		const char *text = store_str(v->st, s)->s;
		size_t len = store_str(v->st, s)->n;
		if (r == R_PRUNE)
			len = pprof_simple_name(&text, len);
		answer[s] = regex_match(v->fc->rx[r], text, len) ? 2 : 1;
	}
	return answer[s] == 2;
}

static char *copy_of(const char *s)
{
	return s && *s ? xstrdup(s) : NULL;
}

struct compiled_filters *filter_compile(const struct filters *f, struct err *e)
{
	static const char *const option[] = {
	    "focus", "ignore", "hide", "show", "show_from", "prune_from"};
	const char *text[] = {f->focus, f->ignore, f->hide, f->show, f->show_from, f->prune_from};
	struct compiled_filters *fc = xcalloc(1, sizeof *fc);
	int r = 0;
	for (int i = 0; i < R__N && !r; i++)
		r = pprof_compile_option(&fc->rx[i], option[i], text[i], e);
	fc->tagroot = copy_of(f->tagroot);
	fc->tagleaf = copy_of(f->tagleaf);
	fc->tagfocus = copy_of(f->tagfocus);	/* the compiled filter points into it */
	fc->tagignore = copy_of(f->tagignore);
	struct pprof_filters tags = {.tagfocus = fc->tagfocus, .tagignore = fc->tagignore,
		.tagshow = f->tagshow, .taghide = f->taghide};
	if (r || pprof_tag_filter_compile(&fc->tag, &tags, NULL, NULL, NULL, NULL, e)) {
		filter_free(fc);
		return NULL;
	}
	return fc;
}

void filter_free(struct compiled_filters *fc)
{
	if (!fc)
		return;
	for (int i = 0; i < R__N; i++)
		regex_free(fc->rx[i]);
	pprof_tag_filter_free(&fc->tag);
	mem_free(fc->tagroot);
	mem_free(fc->tagleaf);
	mem_free(fc->tagfocus);
	mem_free(fc->tagignore);
	mem_free(fc);
}

bool filter_has_names(const struct compiled_filters *fc)
{
	return fc->rx[R_FOCUS] || fc->rx[R_IGNORE] || fc->rx[R_HIDE] || fc->rx[R_SHOW];
}

bool filter_has_show_from(const struct compiled_filters *fc)
{
	return fc->rx[R_FROM] != NULL;
}

/* ---- one location: its lines have the flags v[0..n), innermost first */

struct location_lines { const struct frm_row *f; uint8_t *v; uint32_t n; str_id map; };

/* A function has many lines, and is matched once. */
static bool line_hits(struct frame_matches *w, int r, const struct location_lines *l, uint32_t i)
{
	fun_id fun = l->f[i].fun;
	uint8_t *answer = &w->fun_answer[r][fun];
	if (!*answer) {
		const struct fun_row *f = store_fun(w->st, fun);
		*answer = fun && (match_string(w, r, f->name) || match_string(w, r, f->file)) ? 2 : 1;
	}
	return *answer == 2;
}

static bool map_hits(struct frame_matches *w, int r, const struct location_lines *l)
{
	return l->map && match_string(w, r, ((struct map_row *)column_at(&w->st->maps, l->map))->file);
}

static bool loc_hits(struct frame_matches *w, int r, const struct location_lines *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (!(l->v[i] & FM_HIDDEN) && line_hits(w, r, l, i))
			return true;
	return map_hits(w, r, l);
}

static void hide_lines(struct frame_matches *w, const struct location_lines *l)
{
	bool map = w->fc->rx[R_HIDE] && map_hits(w, R_HIDE, l);
	bool shown = !w->fc->rx[R_SHOW] || (map_hits(w, R_SHOW, l) && l->f[0].fun);
	for (uint32_t i = 0; i < l->n; i++)
		if (map || (w->fc->rx[R_HIDE] && line_hits(w, R_HIDE, l, i)) ||
		    (!shown && !line_hits(w, R_SHOW, l, i)))
			l->v[i] |= FM_HIDDEN;
}

static void show_from(struct frame_matches *w, const struct location_lines *l)
{
	if (map_hits(w, R_FROM, l)) {
		for (uint32_t i = 0; i < l->n; i++)
			l->v[i] |= FM_SHOW_FROM;
		return;
	}
	uint32_t k = l->n;
	while (k && (l->v[k - 1] & FM_HIDDEN || !line_hits(w, R_FROM, l, k - 1)))
		k--;
	for (uint32_t i = 0; i < k; i++)	/* also the innermost: elsewhere it is the same function */
		if (i == k - 1 || (!(l->v[i] & FM_HIDDEN) && line_hits(w, R_FROM, l, i)))
			l->v[i] |= FM_SHOW_FROM;
	for (uint32_t i = k; k && i < l->n; i++)
		l->v[i] |= FM_HIDDEN;
}

static void prune_from(struct frame_matches *w, const struct location_lines *l)
{
	bool below = false;
	for (uint32_t i = 0; i < l->n; i++) {
		str_id name = store_fun(w->st, l->f[i].fun)->name;
		if (l->v[i] & FM_HIDDEN || !name || !match_string(w, R_PRUNE, name))
			continue;
		l->v[i] |= FM_PRUNE;	/* also those above the innermost: elsewhere it is the same function */
		for (uint32_t k = 0; k < i && !below; k++)
			l->v[k] |= FM_HIDDEN;
		below = true;
	}
}

/* Keep only the outermost visible line; it gets the FM_PRUNE flags of the others. */
static void keep_outermost(const struct location_lines *l)
{
	uint32_t k = l->n;
	while (k && l->v[k - 1] & FM_HIDDEN)
		k--;
	for (uint32_t i = 0; i + 1 < k; i++) {
		l->v[k - 1] |= l->v[i] & FM_PRUNE;
		l->v[i] |= FM_HIDDEN;
	}
}

/* Match only the line itself, not others inlined at the location; dflt: the result if there is no such filter. */
static bool hits_itself(struct frame_matches *w, int r, const struct location_lines *l, uint32_t i, bool dflt)
{
	return w->fc->rx[r] ? line_hits(w, r, l, i) || map_hits(w, r, l) : dflt;
}

static void match_location(struct frame_matches *w, const struct location_lines *l, bool noinlines)
{
	bool ignore = w->fc->rx[R_IGNORE] && loc_hits(w, R_IGNORE, l);
	bool focus = !ignore && (!w->fc->rx[R_FOCUS] || loc_hits(w, R_FOCUS, l));
	for (uint32_t i = 0; i < l->n; i++)
		l->v[i] |= (focus ? FM_LOC_FOCUS : 0) | (ignore ? FM_LOC_IGNORE : 0) |
			   (hits_itself(w, R_FOCUS, l, i, true) ? FM_OWN_FOCUS : 0) |
			   (hits_itself(w, R_IGNORE, l, i, false) ? FM_OWN_IGNORE : 0);
	if (w->fc->rx[R_HIDE] || w->fc->rx[R_SHOW])
		hide_lines(w, l);
	if (w->fc->rx[R_FROM])
		show_from(w, l);
	if (w->fc->rx[R_PRUNE])
		prune_from(w, l);
	if (noinlines)
		keep_outermost(l);
}

void match_frames(struct frame_matches *w, const struct compiled_filters *fc, const struct snap *sn, bool noinlines)
{
	const struct store *st = sn->st;
	*w = (struct frame_matches){.fc = fc, .st = st};
	for (int r = 0; r < R__N; r++) {
		w->answer[r] = fc->rx[r] ? arena_zalloc(&w->arena, sn->nstrs) : NULL;
		w->fun_answer[r] = fc->rx[r] ? arena_zalloc(&w->arena, sn->nfuns) : NULL;
	}
	w->frame = arena_zalloc(&w->arena, sn->nfrms);
	struct frm_row *row = NULL;
	size_t crow = 0;
	for (uint32_t i = 1; i < sn->nlocs; i++) {
		const struct loc_row *l = store_loc(st, i);
		row = mem_grow(row, &crow, l->nline, sizeof *row);
		for (uint32_t k = 0; k < l->nline; k++)
			row[k] = *store_frm(st, l->first + k);
		struct location_lines location_lines = {row, w->frame + l->first, l->nline, l->map};
		match_location(w, &location_lines, noinlines);
	}
	for (uint32_t i = 0; i < sn->nfrms; i++)
		w->any |= w->frame[i];
	mem_free(row);
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
	bool hit[R__N];
	for (int r = 0; r < R__N; r++)
		hit[r] =
		    w->fc->rx[r] && (tag_hits(w, r, text) || (r != R_PRUNE && tag_hits(w, r, key)));
	uint8_t v = hit[R_IGNORE] ? FM_LOC_IGNORE : !w->fc->rx[R_FOCUS] || hit[R_FOCUS] ? FM_LOC_FOCUS : 0;
	if (hit[R_HIDE] || (w->fc->rx[R_SHOW] && !hit[R_SHOW]))
		return v | FM_HIDDEN;
	return v | (hit[R_FROM] ? FM_SHOW_FROM : 0) | (hit[R_PRUNE] && text ? FM_PRUNE : 0);
}

/* ---- labels */

static bool key_fits(const struct pprof_tag_test *t, const struct str_row *key)
{
	return !t->key || (key->n == t->nkey && !memcmp(key->s, t->key, t->nkey));
}

static bool rx_hits(const struct pprof_tag_test *t, const struct regex *rx, const struct labels *ls,
    uint32_t set, struct buf *b)
{
	for (uint32_t i = 0; i < labels_n(ls, set); i++) {
		const struct sink_label *l = labels_at(ls, set, i);
		const struct str_row *key = store_str(ls->st, l->key),
				     *s = store_str(ls->st, l->str);
		if (!label_is_text(l) || !key_fits(t, key))
			continue;
		buf_reset(b);
		if (!t->key)
			buf_printf(b, "%s:", key->s);
		buf_put(b, s->s, s->n);
		if (regex_match(rx, buf_str(b), b->n))
			return true;
	}
	return false;
}

static bool in_range(const struct pprof_tag_test *t, const struct labels *ls, uint32_t set)
{
	for (uint32_t i = 0; i < labels_n(ls, set); i++) {
		const struct sink_label *l = labels_at(ls, set, i);
		const char *unit;
		if (label_is_text(l) || !key_fits(t, store_str(ls->st, l->key)))
			continue;
		double v = pprof_units_scale(l->num, labels_unit(ls, l->key), t->unit, &unit);
		if (!strcmp(unit, t->unit) && v >= t->lo && v <= t->hi)
			return true;
	}
	return false;
}

/* Without a key every expression must match some label, with a key any of them. */
static bool test_set(
    const struct pprof_tag_test *t, const struct labels *ls, uint32_t set, struct buf *b)
{
	if (t->range)
		return in_range(t, ls, set);
	for (size_t i = 0; i < t->nrx; i++)
		if (rx_hits(t, t->rx[i], ls, set, b) == (t->key != NULL))
			return t->key != NULL;
	return t->key == NULL;
}

const uint8_t *filter_match_sets(const struct compiled_filters *fc, const struct labels *ls, struct arena *a)
{
	const struct pprof_tag_test *f = &fc->tag.focus, *g = &fc->tag.ignore;
	struct buf b = {0};
	uint8_t *keep = arena_zalloc(a, ls->nset);
	for (uint32_t s = 0; s < ls->nset; s++)
		keep[s] = (!f->on || test_set(f, ls, s, &b)) && !(g->on && test_set(g, ls, s, &b));
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
	return fc->tag.focus.on || fc->tag.ignore.on;
}

size_t filter_tag_keys(
    const struct compiled_filters *fc, const struct snap *sn, str_id *key, size_t max, size_t *nroot)
{
	*nroot = split_keys(fc->tagroot, sn, key, 0, max);
	return split_keys(fc->tagleaf, sn, key, *nroot, max);
}
