/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The legend of the timeline: the colour, the letter and the name of each state, in the last lines
 * of the pane. It lists only the states on the screen, so it fits in 80 columns. These are read
 * from the rows that are drawn already: what a cell shows depends on shares and widths, and a
 * second computation could differ.
 *
 * The number of lines depends on the size and on the kind of rows alone, so rows do not move when
 * the window moves in time.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/text/text.h"

#include <string.h>

enum { OF_P = 1, OF_G = 2, OF_ALL = 3 }; /* rows on which it occurs: of Ps and Ms, of goroutines */
enum { ROOM = 26, WIDE = 120 };	/* minimum lines of the pane for a legend, and columns for a wide one */

static const struct legend_entry {
	enum style style;
	char letter; /* 0: shown as a colour only */
	int rows;
	/* the name next to the letter, and next to the colour; NULL: listed by the previous entry */
	const char *name, *colour;
} entries[] = {
    {ST_S_RUN, '#', OF_ALL, "running", "running"},
    {ST_S_READY, '=', OF_ALL, "runnable", "runnable"},
    {ST_S_CHAN, '-', OF_ALL, "channel, other waits", "channel, other waits"},
    {ST_S_SYNC, 'm', OF_ALL, "mutex, cond", "mutex, cond"},
    {ST_S_NET, 'n', OF_ALL, "network", "network"},
    {ST_S_SYSCALL, 'y', OF_ALL, "syscall", "syscall"},
    {ST_S_SYSCALL, 'Y', OF_ALL, "syscall, P lost", NULL},
    {ST_S_SLEEP, 'z', OF_ALL, "sleep", "sleep"},
    {ST_S_GC, 'G', OF_P, "GC worker", "GC worker"},
    {ST_S_GC, 'g', OF_G, "waiting for GC", "waiting for GC"},
    {ST_S_ASSIST, 'a', OF_ALL, "mark assist", "mark assist, sweep"},
    {ST_S_ASSIST, 's', OF_ALL, "sweep", NULL},
    {ST_S_STW, '|', OF_ALL, "STW", "STW"},
    {ST_STWLINE, 0, OF_ALL, NULL, "STW"},
    {ST_GCTINT, 0, OF_ALL, NULL, "GC cycle"},
    {ST_S_UNKNOWN, '?', OF_ALL, "unknown", "unknown"},
    {ST_S_IDLE, '.', OF_ALL, "idle", "idle"},
};
enum { NENTRIES = sizeof entries / sizeof *entries };

/* Return whether states are shown as letters, because colours or blocks are missing. */
static bool uses_letters(const struct grid *g)
{
	return g->ascii || g->mono;
}

int timeline_legend_lines(const struct timeline *tl, const struct pane_env *env)
{
	bool fits = env->rows >= ROOM && !env->compact;
	if (!tl->rows.nrow || env->rows < 6 || tl->legend == LEGEND_OFF || (tl->legend == LEGEND_FITS && !fits))
		return 0;
	bool many = tl->rows.kind == TL_G || (tl->rows.kind != TL_T && tl->rows.npin);
	return many && env->cols < WIDE ? 2 : 1;
}

enum verdict timeline_legend_command(struct timeline *tl, const struct pane_env *env, struct ask *out)
{
	bool shown = timeline_legend_lines(tl, env) > 0;
	tl->legend = shown ? LEGEND_OFF : LEGEND_ON;
	if (!shown && !timeline_legend_lines(tl, env))
		return pane_message(out, tl->rows.nrow ? "no room for the legend" : "no rows: nothing to explain");
	return pane_message(out, shown ? "no legend" : "legend");
}

/* States on the rows: styles for colours, letters with the style of a state, blocks, and the kinds of rows. */
struct states_seen {
	bool style[ST__N], letter[128], level;
	int rows;
};

static void note_states(
    const struct timeline *tl, const struct grid *g, const struct timeline_layout *l, struct states_seen *s)
{
	*s = (struct states_seen){.rows = (tl->rows.kind == TL_G ? OF_G : OF_P) | (tl->rows.npin ? OF_ALL : 0)};
	for (int y = l->rows; y < l->rows + l->nrows; y++)
		for (int x = l->gutter; x < l->gutter + l->cells; x++) {
			const struct cell *c = grid_at(g, y, x);
			if (!c)
				continue;
			s->style[c->bg] = true;
			s->style[c->fg] |= c->ch != ' ';
			s->level |= c->ch >= 0x2581 && c->ch <= 0x2588;
			if (c->ch < sizeof s->letter && c->fg >= ST_S_NONE)
				s->letter[c->ch] = true;
		}
}

/* Return the text of an entry, NULL if its state is not shown. */
static const char *entry_name(const struct legend_entry *e, const struct states_seen *s, bool bare)
{
	if (!(e->rows & s->rows) || !s->style[e->style])
		return NULL;
	if (bare)
		return e->letter && s->letter[(unsigned char)e->letter] ? e->name : NULL;
	return e->colour;
}

static void draw_sign(struct grid *g, int y, int x, const struct legend_entry *e)
{
	if (uses_letters(g))
		grid_put(g, y, x, (unsigned char)e->letter, e->style, ST_NORMAL, 0);
	else if (e->style == ST_STWLINE)
		grid_put(g, y, x, 0x2502, e->style, ST_NORMAL, 0);
	else if (e->style == ST_S_IDLE || !e->letter)
		grid_put(g, y, x, e->letter ? (unsigned char)e->letter : ' ', e->style,
		    e->letter ? ST_NORMAL : e->style, 0);
	else
		grid_put(g, y, x, (unsigned char)e->letter, ST_LABEL, e->style, 0);
}

/* Draw the legend of rows of tasks, which have no states. */
static void draw_tasks(struct grid *g, int y)
{
	grid_text(g, y, 0, ST_DIM, 0,
	    g->ascii ? "_ task  [name] region  + short regions  ' logs  < > not ended in the trace"
		     : "━ task  regions by name  ▆ short regions  ╵ logs  ◂ ▸ not ended in the trace");
}

void timeline_draw_legend(const struct timeline *tl, struct grid *g, const struct timeline_layout *l)
{
	struct states_seen states_seen;
	int x = 0, y = l->legend;
	if (l->nlegend && tl->rows.kind == TL_T)
		draw_tasks(g, y);
	if (!l->nlegend || tl->rows.kind == TL_T)
		return;
	note_states(tl, g, l, &states_seen);
	if (uses_letters(g) && states_seen.letter[':'])
		x = grid_text(g, y, x, ST_DIM, 0, ": mixed") + 2;
	if (g->mono && !g->ascii && states_seen.level)
		x = grid_text(g, y, x, ST_DIM, 0, "▁▄█ share of time busy") + 2;
	for (int i = 0; i < NENTRIES; i++) {
		const char *name = entry_name(&entries[i], &states_seen, uses_letters(g));
		int w = name ? (int)strlen(name) + 2 : 0;
		if (name && x + w > g->w && y + 1 < l->legend + l->nlegend) {
			x = 0;
			y++;
		}
		if (!name || x + w > g->w)
			continue;
		draw_sign(g, y, x, &entries[i]);
		x = grid_text(g, y, x + 2, ST_DIM, 0, name) + 2;
	}
}
