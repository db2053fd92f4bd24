/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What a query's filters think of each frame and of each label set. An
 * expression is asked once per name, its answers become flags of frames, and
 * flags are all that the pass over the call tree (apply.c) looks at: a profile
 * has some 10^4 names, 10^5 frames, 10^7 nodes.
 *
 * pprof filters locations, whose lines (inlined calls) it cuts off for good as
 * its steps come by: focus, ignore, hide, show, show_from, prune_from,
 * noinlines. A step sees only the lines that the steps before it have left, in
 * every stack through the location, so the steps run here in that order,
 * location by location. What they decide about stacks (where one begins and
 * ends, whether it counts) they leave as flags for the pass.
 *
 * pprof/filter.c does the same to the reports' model of a profile, stack by
 * stack and to the letter of the reference; this is for refocusing while one
 * types. drop_frames is not here: files come with it applied (session/open_job.c).
 */
#include "config.h"
#include "filter/match.h"

#include "base/text/pprof_units.h"

#include <string.h>

static bool ask(struct verdict *v, int r, str_id s)
{
	uint8_t *said = v->said[r];
	if (!said[s]) {
		const char *text = store_str(v->st, s)->s;
		size_t len = store_str(v->st, s)->n;
		if (r == R_PRUNE)
			len = prof_simple_name(&text, len);
		said[s] = rx_match(v->fc->rx[r], text, len) ? 2 : 1;
	}
	return said[s] == 2;
}

static char *copy_of(const char *s)
{
	return s && *s ? xstrdup(s) : NULL;
}

struct focus *focus_new(const struct filters *f, struct err *e)
{
	static const char *const option[] = {
	    "focus", "ignore", "hide", "show", "show_from", "prune_from"};
	const char *text[] = {f->focus, f->ignore, f->hide, f->show, f->show_from, f->prune_from};
	struct focus *fc = xcalloc(1, sizeof *fc);
	int r = 0;
	for (int i = 0; i < R__N && !r; i++)
		r = prof_rx_option(&fc->rx[i], option[i], text[i], e);
	fc->tagroot = copy_of(f->tagroot);
	fc->tagleaf = copy_of(f->tagleaf);
	fc->tagfocus = copy_of(f->tagfocus);	/* what is compiled points into it */
	fc->tagignore = copy_of(f->tagignore);
	struct prof_filters tags = {.tagfocus = fc->tagfocus, .tagignore = fc->tagignore,
		.tagshow = f->tagshow, .taghide = f->taghide};
	if (r || prof_tag_compile(&fc->tag, &tags, NULL, NULL, NULL, NULL, e)) {
		focus_free(fc);
		return NULL;
	}
	return fc;
}

void focus_free(struct focus *fc)
{
	if (!fc)
		return;
	for (int i = 0; i < R__N; i++)
		rx_free(fc->rx[i]);
	prof_tag_free(&fc->tag);
	mem_free(fc->tagroot);
	mem_free(fc->tagleaf);
	mem_free(fc->tagfocus);
	mem_free(fc->tagignore);
	mem_free(fc);
}

bool focus_by_name(const struct focus *fc)
{
	return fc->rx[R_FOCUS] || fc->rx[R_IGNORE] || fc->rx[R_HIDE] || fc->rx[R_SHOW];
}

bool focus_from(const struct focus *fc)
{
	return fc->rx[R_FROM] != NULL;
}

/* ---- one location: its lines are flags v[0..n), innermost first */

struct lines { const struct frm_row *f; uint8_t *v; uint32_t n; str_id map; };

/* A function has many lines, and is asked for once. */
static bool line_hits(struct verdict *w, int r, const struct lines *l, uint32_t i)
{
	fun_id fun = l->f[i].fun;
	uint8_t *said = &w->said_fun[r][fun];
	if (!*said) {
		const struct fun_row *f = store_fun(w->st, fun);
		*said = fun && (ask(w, r, f->name) || ask(w, r, f->file)) ? 2 : 1;
	}
	return *said == 2;
}

static bool map_hits(struct verdict *w, int r, const struct lines *l)
{
	return l->map && ask(w, r, ((struct map_row *)col_at(&w->st->maps, l->map))->file);
}

static bool loc_hits(struct verdict *w, int r, const struct lines *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (!(l->v[i] & FV_DEAD) && line_hits(w, r, l, i))
			return true;
	return map_hits(w, r, l);
}

static void hide_lines(struct verdict *w, const struct lines *l)
{
	bool map = w->fc->rx[R_HIDE] && map_hits(w, R_HIDE, l);
	bool shown = !w->fc->rx[R_SHOW] || (map_hits(w, R_SHOW, l) && l->f[0].fun);
	for (uint32_t i = 0; i < l->n; i++)
		if (map || (w->fc->rx[R_HIDE] && line_hits(w, R_HIDE, l, i)) ||
		    (!shown && !line_hits(w, R_SHOW, l, i)))
			l->v[i] |= FV_DEAD;
}

static void show_from(struct verdict *w, const struct lines *l)
{
	if (map_hits(w, R_FROM, l)) {
		for (uint32_t i = 0; i < l->n; i++)
			l->v[i] |= FV_FROM;
		return;
	}
	uint32_t k = l->n;
	while (k && (l->v[k - 1] & FV_DEAD || !line_hits(w, R_FROM, l, k - 1)))
		k--;
	for (uint32_t i = 0; i < k; i++)	/* the innermost too: it is the same function elsewhere */
		if (i == k - 1 || (!(l->v[i] & FV_DEAD) && line_hits(w, R_FROM, l, i)))
			l->v[i] |= FV_FROM;
	for (uint32_t i = k; k && i < l->n; i++)
		l->v[i] |= FV_DEAD;
}

static void prune_from(struct verdict *w, const struct lines *l)
{
	bool below = false;
	for (uint32_t i = 0; i < l->n; i++) {
		str_id name = store_fun(w->st, l->f[i].fun)->name;
		if (l->v[i] & FV_DEAD || !name || !ask(w, R_PRUNE, name))
			continue;
		l->v[i] |= FV_PRUNE;	/* those above the innermost too: it is the same function elsewhere */
		for (uint32_t k = 0; k < i && !below; k++)
			l->v[k] |= FV_DEAD;
		below = true;
	}
}

/* Of the lines that are left the outermost stands for all; where a stack ends goes with it. */
static void outermost(const struct lines *l)
{
	uint32_t k = l->n;
	while (k && l->v[k - 1] & FV_DEAD)
		k--;
	for (uint32_t i = 0; i + 1 < k; i++) {
		l->v[k - 1] |= l->v[i] & FV_PRUNE;
		l->v[i] |= FV_DEAD;
	}
}

/* The line alone, whatever is inlined beside it; dflt: there is no such filter. */
static bool hits_itself(struct verdict *w, int r, const struct lines *l, uint32_t i, bool dflt)
{
	return w->fc->rx[r] ? line_hits(w, r, l, i) || map_hits(w, r, l) : dflt;
}

static void judge(struct verdict *w, const struct lines *l, bool noinlines)
{
	bool ignore = w->fc->rx[R_IGNORE] && loc_hits(w, R_IGNORE, l);
	bool focus = !ignore && (!w->fc->rx[R_FOCUS] || loc_hits(w, R_FOCUS, l));
	for (uint32_t i = 0; i < l->n; i++)
		l->v[i] |= (focus ? FV_FOCUS : 0) | (ignore ? FV_IGNORE : 0) |
			   (hits_itself(w, R_FOCUS, l, i, true) ? FV_HIT : 0) |
			   (hits_itself(w, R_IGNORE, l, i, false) ? FV_BARRED : 0);
	if (w->fc->rx[R_HIDE] || w->fc->rx[R_SHOW])
		hide_lines(w, l);
	if (w->fc->rx[R_FROM])
		show_from(w, l);
	if (w->fc->rx[R_PRUNE])
		prune_from(w, l);
	if (noinlines)
		outermost(l);
}

void verdict_make(struct verdict *w, const struct focus *fc, const struct snap *sn, bool noinlines)
{
	const struct store *st = sn->st;
	*w = (struct verdict){.fc = fc, .st = st};
	for (int r = 0; r < R__N; r++) {
		w->said[r] = fc->rx[r] ? arena_zalloc(&w->arena, sn->nstrs) : NULL;
		w->said_fun[r] = fc->rx[r] ? arena_zalloc(&w->arena, sn->nfuns) : NULL;
	}
	w->frame = arena_zalloc(&w->arena, sn->nfrms);
	struct frm_row *row = NULL;
	size_t crow = 0;
	for (uint32_t i = 1; i < sn->nlocs; i++) {
		const struct loc_row *l = store_loc(st, i);
		row = mem_grow(row, &crow, l->nline, sizeof *row);
		for (uint32_t k = 0; k < l->nline; k++)
			row[k] = *store_frm(st, l->first + k);
		struct lines lines = {row, w->frame + l->first, l->nline, l->map};
		judge(w, &lines, noinlines);
	}
	for (uint32_t i = 0; i < sn->nfrms; i++)
		w->any |= w->frame[i];
	mem_free(row);
}

void verdict_free(struct verdict *w)
{
	arena_free(&w->arena);
}

/* A tag's text may be younger than the snapshot, so it is not remembered. */
static bool tag_hits(const struct verdict *w, int r, str_id text)
{
	const struct str_row *s = store_str(w->st, text);
	return rx_match(w->fc->rx[r], s->s, s->n);
}

uint8_t verdict_tag(const struct verdict *w, str_id text, str_id key)
{
	bool hit[R__N];
	for (int r = 0; r < R__N; r++)
		hit[r] =
		    w->fc->rx[r] && (tag_hits(w, r, text) || (r != R_PRUNE && tag_hits(w, r, key)));
	uint8_t v = hit[R_IGNORE] ? FV_IGNORE : !w->fc->rx[R_FOCUS] || hit[R_FOCUS] ? FV_FOCUS : 0;
	if (hit[R_HIDE] || (w->fc->rx[R_SHOW] && !hit[R_SHOW]))
		return v | FV_DEAD;
	return v | (hit[R_FROM] ? FV_FROM : 0) | (hit[R_PRUNE] && text ? FV_PRUNE : 0);
}

/* ---- labels */

static bool key_fits(const struct prof_tag_test *t, const struct str_row *key)
{
	return !t->key || (key->n == t->nkey && !memcmp(key->s, t->key, t->nkey));
}

static bool rx_hits(const struct prof_tag_test *t, const struct rx *rx, const struct labels *ls,
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
		if (rx_match(rx, buf_str(b), b->n))
			return true;
	}
	return false;
}

static bool in_range(const struct prof_tag_test *t, const struct labels *ls, uint32_t set)
{
	for (uint32_t i = 0; i < labels_n(ls, set); i++) {
		const struct sink_label *l = labels_at(ls, set, i);
		const char *unit;
		if (label_is_text(l) || !key_fits(t, store_str(ls->st, l->key)))
			continue;
		double v = units_scale(l->num, labels_unit(ls, l->key), t->unit, &unit);
		if (!strcmp(unit, t->unit) && v >= t->lo && v <= t->hi)
			return true;
	}
	return false;
}

/* Without a key every expression must hit something, with one any of them. */
static bool test_set(
    const struct prof_tag_test *t, const struct labels *ls, uint32_t set, struct buf *b)
{
	if (t->range)
		return in_range(t, ls, set);
	for (size_t i = 0; i < t->nrx; i++)
		if (rx_hits(t, t->rx[i], ls, set, b) == (t->key != NULL))
			return t->key != NULL;
	return t->key == NULL;
}

const uint8_t *focus_sets(const struct focus *fc, const struct labels *ls, struct arena *a)
{
	const struct prof_tag_test *f = &fc->tag.focus, *g = &fc->tag.ignore;
	struct buf b = {0};
	uint8_t *keep = arena_zalloc(a, ls->nset);
	for (uint32_t s = 0; s < ls->nset; s++)
		keep[s] = (!f->on || test_set(f, ls, s, &b)) && !(g->on && test_set(g, ls, s, &b));
	buf_free(&b);
	return keep;
}

/* A key that the store does not know is nobody's label: it makes no frames. */
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

bool focus_by_tag(const struct focus *fc)
{
	return fc->tag.focus.on || fc->tag.ignore.on;
}

size_t focus_tag_keys(
    const struct focus *fc, const struct snap *sn, str_id *key, size_t max, size_t *nroot)
{
	*nroot = split_keys(fc->tagroot, sn, key, 0, max);
	return split_keys(fc->tagleaf, sn, key, *nroot, max);
}
