/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Help: all keys and commands, from commands.def.
 *
 * The first group has the commands of the pane from which help was opened: the keys of its hint
 * line, then its own rows of the table. The others follow under the headings of their groups; a
 * group without a match is left out. Typing narrows the list (letters are text here; the arrows
 * move), Enter runs the selected row in the pane from which help was opened, Escape closes. While
 * nothing has been typed, j, k, Space, q and ? keep their usual meaning. A text that is wider than
 * its column continues on further lines, so the lines are made again when the width changes.
 */
#include "config.h"
#include "app/pane.h"

#include "term/style.h"
#include "widget/list.h"

#include "base/mem/mem.h"
#include "base/text/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { TEXT_MAX = 60, LEGEND = 14, KEY_X = 2, WORD_X = 16, WIDTH_MIN = 12 };

/* A line: a heading, a state of the legend, or a command, with the part of its help from off on. */
struct help_line {
	enum line_kind { L_HEAD, L_STATE, L_CMD } kind;
	int what;		/* the command; for L_HEAD the first of its group, for L_STATE an index into legend[] */
	const char *head;	/* for L_HEAD */
	size_t off, n;
};

struct help {
	struct rows rows;
	char text[TEXT_MAX + 1];
	int from, cols;	/* the bit of the pane from which help was opened; the width for which the lines are made */
	struct help_line *help_line;
	size_t nline, cap;
};

/* States shown in the legend, one for each letter. */
static const uint8_t legend[LEGEND] = {TS_RUN, TS_READY, TS_CHANRECV, TS_SYNC, TS_NET, TS_SYSCALL,
    TS_SYSBLOCK, TS_SLEEP, TS_GCASSISTW, TS_ASSIST, TS_SWEEP, TS_GCWORK, TS_STW, TS_UNKNOWN};

static bool has_word(const char *s, const char *word)
{
	size_t n = strlen(word);
	for (; s && *s; s++)
		if (!strncasecmp(s, word, n))
			return true;
	return false;
}

/* Return whether a command's panes exist; otherwise its keys have no effect. */
static bool is_available(const struct cmd *c)
{
	int bits = 0;
	for (int i = 0; panes[i]; i++)
		bits |= panes[i]->bit;
	if ((c->panes & P_EVERY) != P_EVERY)
		return c->panes & bits;
	for (int i = 0; panes[i]; i++)
		if (panes[i]->cmd == (enum cmd_id)(c - cmds))
			return true;
	return strcmp(c->group, "panes") || c < &cmds[CMD_PANE_TOP] || c > &cmds[CMD_PANE_EVENTS];
}

static int pane_bit(const char *name)
{
	int i = pane_find(name);
	return i < 0 ? 0 : panes[i]->bit;
}

static bool command_matches(const struct cmd *c, const char *text)
{
	if (!*text)
		return true;
	if ((c->panes & P_EVERY) != P_EVERY && (c->panes & pane_bit(text)))
		return true;
	return has_word(c->name, text) || has_word(c->keys, text) || has_word(c->help, text) ||
	       has_word(c->group, text);
}

/* Return whether the text is exactly one of the keys of a row. */
static bool is_key(const struct cmd *c, const char *text)
{
	size_t n = strlen(text);
	for (const char *k = c->keys; n && k && *k; k += strcspn(k, " "), k += *k == ' ')
		if (strcspn(k, " ") == n && !memcmp(k, text, n))
			return true;
	return false;
}

/* Return the line whose key or word is exactly the typed text; otherwise the first match. */
static uint32_t matching_line(const struct help *h)
{
	for (int word = 0; word < 2; word++)
		for (size_t i = 0; i < h->nline && *h->text; i++) {
			const struct cmd *c = &cmds[h->help_line[i].what];
			if (h->help_line[i].kind == L_CMD && (word ? !strcmp(c->name, h->text) : is_key(c, h->text)))
				return (uint32_t)i;
		}
	return h->nline > 1 ? 1 : 0;
}

/* ---- the lines */

static struct help_line *new_line(struct help *h, enum line_kind kind, int what)
{
	h->help_line = mem_grow(h->help_line, &h->cap, h->nline + 1, sizeof *h->help_line);
	h->help_line[h->nline] = (struct help_line){.kind = kind, .what = what};
	return &h->help_line[h->nline++];
}

static bool is_wide(int cols) { return cols >= 100; }

/* Return the column of the texts: after the words, which are omitted on a narrow screen. */
static int text_x(int cols)
{
	return is_wide(cols) ? WORD_X + 40 : cols >= 70 ? WORD_X + 20 : WORD_X;
}

/* Add a command; its text excludes the columns of the mark, the scrollbar and a blank. */
static void add_command(struct help *h, int id)
{
	const char *s = cmds[id].help;
	int w = h->cols - text_x(h->cols) - 3;
	size_t most = w < WIDTH_MIN ? WIDTH_MIN : (size_t)w, off = 0;
	do {
		size_t n = text_line(s + off, most);
		struct help_line *l = new_line(h, L_CMD, id);
		l->off = off;
		l->n = n;
		off += n + strspn(s + off + n, " ");
	} while (s[off]);
}

/* Return the command of a key in a pane. */
static int command_of(const char *key, size_t n, int pane)
{
	char k[24];
	int common = 0;
	snprintf(k, sizeof k, "%.*s", (int)n, key);
	for (int i = 1; i < CMD__N; i++) {
		if (!(cmds[i].panes & pane) || !is_key(&cmds[i], k))
			continue;
		if ((cmds[i].panes & P_EVERY) != P_EVERY)
			return i;
		common = i;
	}
	return common;
}

static bool is_listed(const struct help *h, int id)
{
	for (size_t i = 0; i < h->nline; i++)
		if (h->help_line[i].kind == L_CMD && h->help_line[i].what == id)
			return true;
	return false;
}

/* Return whether a command is the pane's own, not one of all panes. */
static bool is_own(const struct help *h, int id)
{
	return (cmds[id].panes & P_EVERY) != P_EVERY && (cmds[id].panes & h->from);
}

/* Add the commands of a hint line ("Enter peek  < > sort"): the words of each hint that are keys, except the last. */
static void add_hints(struct help *h, const char *s)
{
	for (size_t n; *s; s += n + strspn(s + n, " ")) {
		n = strcspn(s, " ");
		int id = command_of(s, n, h->from);
		if (id && s[n] == ' ' && id != CMD_HELP && id != CMD_BACK && !is_listed(h, id))
			add_command(h, id);
	}
}

/* Add the commands of the pane from which help was opened. */
static void add_here(struct help *h, const struct pane_env *env)
{
	const char *name = NULL;
	size_t first = h->nline;
	for (int i = 0; panes[i]; i++)
		if (panes[i]->bit == h->from)
			name = panes[i]->name;
	if (!name)
		return;
	new_line(h, L_HEAD, 0)->head = name;
	if (!*h->text && env->hints)
		add_hints(h, env->hints);
	for (int i = 1; i < CMD__N; i++)
		if (is_own(h, i) && command_matches(&cmds[i], h->text) && !is_listed(h, i))
			add_command(h, i);
	if (h->nline == first + 1)
		h->nline = first;
}

static void add_legend(struct help *h)
{
	bool first = true;
	for (int i = 0; i < LEGEND; i++) {
		if (*h->text && !has_word(style_state_name((enum tstate)legend[i]), h->text) &&
		    !has_word("states", h->text))
			continue;
		if (first)
			new_line(h, L_HEAD, 0)->head = "states";
		first = false;
		new_line(h, L_STATE, i);
	}
}

static void fill_lines(struct help *h, const struct pane_env *env)
{
	const char *group = "";
	h->cols = env->cols;
	h->nline = 0;
	add_here(h, env);
	for (int i = 1; i < CMD__N; i++) {
		if (!is_available(&cmds[i]) || is_own(h, i) || !command_matches(&cmds[i], h->text))
			continue;
		if (strcmp(group, cmds[i].group))
			new_line(h, L_HEAD, 0)->head = cmds[i].group;
		group = cmds[i].group;
		add_command(h, i);
	}
	add_legend(h);
	list_set_count(&h->rows, (uint32_t)h->nline);
	list_select(&h->rows, matching_line(h));
}

static void help_update(void *st, const struct pane_env *env)
{
	struct help *h = st;
	if (h->from != env->from)
		h->text[0] = '\0';
	h->from = env->from;
	fill_lines(h, env);
}

static void help_close(void *st)
{
	mem_free(((struct help *)st)->help_line);
}

/* ---- drawing */

static void draw_legend(struct grid *g, int y, int i)
{
	enum tstate t = (enum tstate)legend[i];
	enum style s = style_of_state(t);
	grid_put(g, y, KEY_X, (uint32_t)style_state_letter(t), s, ST_NORMAL, AT_BOLD);
	for (int x = 4; x < 8 && !g->ascii && !g->mono; x++)
		grid_put(g, y, x, 0x2588, s, ST_NORMAL, 0);
	grid_text(g, y, WORD_X, ST_NORMAL, 0, style_state_name(t));
}

static void draw_head(struct grid *g, int y, const char *name)
{
	char up[32];
	size_t n = 0;
	for (; name[n] && n + 1 < sizeof up; n++)
		up[n] = name[n] >= 'a' && name[n] <= 'z' ? (char)(name[n] - 32) : name[n];
	grid_textn(g, y, 0, ST_HEAD, AT_BOLD, up, n);
}

static void draw_command(struct grid *g, int y, const struct help_line *l, int cols)
{
	const struct cmd *c = &cmds[l->what];
	char word[80];
	int x = text_x(cols);
	if (!l->off) {
		struct rect old = grid_clip(g, (struct rect){y, KEY_X, 1, WORD_X - KEY_X});
		grid_text(g, 0, 0, ST_ACCENT, 0, c->keys ? c->keys : "");
		grid_unclip(g, old);
		snprintf(word, sizeof word, ":%s %s", c->name, c->arg && is_wide(cols) ? c->arg : "");
		old = grid_clip(g, (struct rect){y, WORD_X, 1, x > WORD_X ? x - WORD_X - 1 : 0});
		grid_text(g, 0, 0, ST_DIM, 0, word);
		grid_unclip(g, old);
	}
	grid_textn(g, y, x, ST_NORMAL, 0, c->help + l->off, l->n);
}

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct help *h = arg;
	const struct help_line *l = &h->help_line[i];
	switch (l->kind) {
	case L_HEAD: draw_head(g, y, l->head); break;
	case L_STATE: draw_legend(g, y, l->what); break;
	case L_CMD: draw_command(g, y, l, h->cols); break;
	}
}

static void help_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct help *h = st;
	(void)env;
	if (!h->nline)
		grid_text(g, 1, 2, ST_DIM, 0, "no match: Backspace deletes letters, Esc closes");
	list_draw_rows(&h->rows, g, draw_row, h, NULL);
}

static enum verdict type_key(struct help *h, const struct pane_env *env, const char *key)
{
	size_t n = strlen(h->text), k = strlen(key);
	if (*key == '\b') {
		if (!n)
			return V_PASS;
		while (n > 1 && ((unsigned char)h->text[n - 1] & 0xc0) == 0x80)
			n--;
		h->text[n - 1] = '\0';
	} else if (!n && k == 1 && strchr("jkq?: ", *key)) {
		return V_PASS;		/* their usual meaning until something is typed */
	} else if (n || *key != '/') {
		if (n + k > TEXT_MAX)
			return V_DONE;
		memcpy(h->text + n, key, k + 1);
	}
	fill_lines(h, env);
	return V_DONE;
}

/* Return the command of the selected line; CMD_NONE: a heading or a state. */
static enum cmd_id selected_command(const struct help *h)
{
	const struct help_line *l = h->nline ? &h->help_line[h->rows.sel] : NULL;
	return l && l->kind == L_CMD ? (enum cmd_id)l->what : CMD_NONE;
}

static enum verdict run_selected(struct help *h, struct ask *ask)
{
	enum cmd_id id = selected_command(h);
	if (!id)
		return V_DONE;
	h->text[0] = '\0';
	ask->kind = ASK_RUN;
	snprintf(ask->text, sizeof ask->text, "%s", cmds[id].name);
	return V_ASK;
}

static enum verdict help_act(
    void *st, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	struct help *h = st;
	switch (a->cmd) {
	case CMD_SEARCH: return a->arg ? type_key(h, env, a->arg) : V_PASS;
	case CMD_OPEN: return run_selected(h, ask);
	case CMD_HELP:
	case CMD_BACK:
	case CMD_CANCEL:	/* without text all three close the pane */
		snprintf(h->text, sizeof h->text, "%s", a->arg ? a->arg : "");
		fill_lines(h, env);
		return a->arg ? V_DONE : V_PASS;
	default: return V_PASS;
	}
}

static void help_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct help *h = st;
	if (h->text[0])
		buf_printf(b, "search: %s_", h->text);
	else if (env->cols < 80)
		buf_puts(b, "type: search  Enter: run  q Esc: close");
	else
		buf_puts(b, "all keys and commands: type to search, Enter runs one, q or Esc closes");
}

/* Append what the line does not show: the argument and the panes. */
static void help_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct cmd *c = &cmds[selected_command(st)];
	(void)env;
	if (!*c->name)
		return;
	buf_printf(b, ":%s%s%s   in ", c->name, c->arg ? " " : "", c->arg ? c->arg : "");
	if ((c->panes & P_EVERY) == P_EVERY)
		buf_puts(b, "all panes");
	for (int i = 0, n = 0; panes[i] && (c->panes & P_EVERY) != P_EVERY; i++)
		if (panes[i]->bit & c->panes)
			buf_printf(b, "%s%s", n++ ? ", " : "", panes[i]->name);
}

/* Draw a wrapped paragraph from line y on; return the line after it. */
static int draw_wrapped(struct grid *g, int y, const char *s)
{
	do {
		size_t n = text_line(s, g->w > 2 ? (size_t)g->w : 2);
		grid_textn(g, y++, 0, ST_NORMAL, 0, s, n);
		s += n + strspn(s + n, " ");
	} while (*s);
	return y;
}

/* Draw general hints. */
static void help_side(const void *st, const struct pane_env *env, struct grid *g)
{
	static const char *const text[] = {
	    "*Keys and commands", "A key means the same in all panes, unless its row names a pane.",
	    "Every key is also a command after :, and commands can be abbreviated.",
	    "#10j moves ten lines: # starts a count.", "",
	    "*Filters", "f x d o apply to the selection: focus, ignore, hide, show.",
	    "F, X and the commands after : take a regular expression in Go syntax.",
	    "focus= removes a filter, :: removes all; \\ turns them off and on.",
	    "Line 2 always shows the active filters.", "",
	    "*pprof commands also work", ":top20 -cum json -runtime",
	    ":focus=json  :hide=^runtime\\.  :tagfocus=key=value",
	    ":list Handle  :peek Handle  :lines  :alloc_space", "",
	    "*Time and goroutines of a trace", ":t 1.2s..1.3s   :t 40%..50%   :t", ":g 512   :p 3   :group worker", "",
	    "*Moving between places", "Esc goes one step out and says what it left.", "q goes one level back, ^O to the previous place, g; forward again.",
	    "u undoes zooms and filters, the latest first; ^R redoes them.",
	    "ma marks a place, 'a goes there, '' goes back.", "",
	    "*Settings: ~/.config/ttrace/config", "set theme = light     set mouse = on",
	    "map J half-down"};
	(void)st;
	(void)env;
	int y = 0;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		if (*text[i] == '*')
			grid_text(g, y++, 0, ST_HEAD, AT_BOLD, text[i] + 1);
		else
			y = draw_wrapped(g, y, text[i]);
	}
}

static struct list_part help_part(void *st, const struct pane_env *env)
{
	return (struct list_part){.rows = &((struct help *)st)->rows, .h = env->rows};
}

static const struct list_ops help_list = {.part = help_part};

const struct pane_ops pane_help = {
    .name = "help",
    .tab = "Help",
    .aside = true,
    .bit = P_HELP,
    .cmd = CMD_HELP,
    .state_size = sizeof(struct help),
    .close = help_close,
    .update = help_update,
    .list = &help_list,
    .draw = help_draw,
    .act = help_act,
    .summary = help_summary,
    .lines.detail = help_detail,
    .lines.hints = "Enter run  Down Up move  q Esc close  :: clears filters  #10j counts  ^G facts about the file",
    .side.draw = help_side,
};
