/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Help: every key and word, from cmd.def.
 *
 * The rows are those of the table that match what has been typed, under the
 * heading of their group; a group without a match is not there. Typing narrows
 * (in the help letters are text: the arrows move), Enter runs the selected row
 * in the pane that help was called from. While nothing has been typed, j, k,
 * Space and q still do what they do everywhere.
 */
#include "config.h"
#include "pane.h"

#include "rows.h"
#include "style.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { TEXT_MAX = 60, LEGEND = 14 };

struct help {
	struct rows rows;
	char text[TEXT_MAX + 1];
	int16_t row[CMD__N * 2 + LEGEND + 2]; /* a command; -1-i: heading of command i; see below */
	uint32_t n;
};
enum { ROW_LEGEND = 10000 };	/* ROW_LEGEND: its heading, and +1+i: a state */

/* The states whose letters are worth a line, one of each letter. */
static const uint8_t legend[LEGEND] = {TS_RUN, TS_READY, TS_CHANRECV, TS_SYNC, TS_NET, TS_SYSCALL,
    TS_SYSBLOCK, TS_SLEEP, TS_GCASSISTW, TS_ASSIST, TS_SWEEP, TS_GCWORK, TS_STW, TS_UNKNOWN};

static bool has(const char *s, const char *word)
{
	size_t n = strlen(word);
	for (; s && *s; s++)
		if (!strncasecmp(s, word, n))
			return true;
	return false;
}

/* A pane that does not exist has no help: its keys would do nothing. */
static bool exists(const struct cmd *c)
{
	int bits = 0;
	for (int i = 0; panes[i]; i++)
		bits |= panes[i]->bit;
	if ((c->panes & P_ALL) != P_ALL)
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

static bool matches(const struct cmd *c, const char *text)
{
	if (!*text)
		return true;
	if ((c->panes & P_ALL) != P_ALL && (c->panes & pane_bit(text)))
		return true;
	return has(c->name, text) || has(c->keys, text) || has(c->help, text) ||
	       has(c->group, text);
}

/* It is one of the keys of the row, as it is pressed. */
static bool is_key(const struct cmd *c, const char *text)
{
	size_t n = strlen(text);
	for (const char *k = c->keys; n && k && *k; k += strcspn(k, " "), k += *k == ' ')
		if (strcspn(k, " ") == n && !memcmp(k, text, n))
			return true;
	return false;
}

/* Of the rows that say what was typed the one whose key or word it is; otherwise the first. */
static uint32_t meant(const struct help *h)
{
	for (int word = 0; word < 2; word++)
		for (uint32_t i = 0; i < h->n && *h->text; i++)
			if (h->row[i] > 0 && h->row[i] < ROW_LEGEND && (word ? !strcmp(cmds[h->row[i]].name, h->text)
				: is_key(&cmds[h->row[i]], h->text)))
				return i;
	return h->n > 1 ? 1 : 0;
}

static void fill(struct help *h)
{
	const char *group = "";
	h->n = 0;
	for (int i = 1; i < CMD__N; i++) {
		if (!exists(&cmds[i]) || !matches(&cmds[i], h->text))
			continue;
		if (strcmp(group, cmds[i].group))
			h->row[h->n++] = (int16_t)(-1 - i);
		group = cmds[i].group;
		h->row[h->n++] = (int16_t)i;
	}
	for (int i = 0, first = 1; i < LEGEND; i++)
		if (!*h->text || has(state_name((enum tstate)legend[i]), h->text) ||
		    has("states", h->text)) {
			if (first)
				h->row[h->n++] = ROW_LEGEND;
			first = 0;
			h->row[h->n++] = (int16_t)(ROW_LEGEND + 1 + i);
		}
	rows_set(&h->rows, h->n);
	rows_select(&h->rows, meant(h));
}

static void help_open(void *st, const struct pane_env *env)
{
	(void)env;
	fill(st);
}

static void draw_legend(struct grid *g, int i)
{
	enum tstate t = (enum tstate)legend[i];
	enum style s = state_style(t);
	grid_put(g, 0, 2, (uint32_t)state_letter(t), s, ST_NORMAL, AT_BOLD);
	for (int x = 4; x < 8 && !g->ascii && !g->mono; x++)
		grid_put(g, 0, x, 0x2588, s, ST_NORMAL, 0);
	grid_text(g, 0, 16, ST_NORMAL, 0, state_name(t));
}

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct help *h = arg;
	int r = h->row[i];
	char word[48];
	if (r < 0 || r == ROW_LEGEND) {
		const char *name = r < 0 ? cmds[-1 - r].group : "states";
		char up[32];
		size_t n = 0;
		for (; name[n] && n + 1 < sizeof up; n++)
			up[n] = name[n] >= 'a' && name[n] <= 'z' ? (char)(name[n] - 32) : name[n];
		grid_textn(g, y, 0, ST_HEAD, AT_BOLD, up, n);
		return;
	}
	if (r > ROW_LEGEND) {
		draw_legend(g, r - ROW_LEGEND - 1);
		return;
	}
	const struct cmd *c = &cmds[r];
	struct rect old = grid_clip(g, (struct rect){y, 2, 1, 14});
	grid_text(g, 0, 0, ST_ACCENT, 0, c->keys ? c->keys : "");
	grid_unclip(g, old);
	bool roomy = g->w >= 100;
	int wide = roomy ? 34 : 20;
	snprintf(word, sizeof word, ":%s %s", c->name, c->arg && roomy ? c->arg : "");
	old = grid_clip(g, (struct rect){y, 16, 1, wide - 1});
	grid_text(g, 0, 0, ST_DIM, 0, word);
	grid_unclip(g, old);
	grid_text(g, y, 16 + wide, ST_NORMAL, 0, c->help);
}

static void help_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct help *h = st;
	(void)env;
	if (!h->n)
		grid_text(
		    g, 1, 2, ST_DIM, 0, "nothing here says that: Backspace takes letters away");
	rows_draw(&h->rows, g, draw_row, h, NULL);
}

static enum verdict type(struct help *h, const char *key)
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
	fill(h);
	return V_DONE;
}

static enum verdict run(const struct help *h, struct ask *ask)
{
	int r = h->n ? h->row[h->rows.sel] : 0;
	if (r <= 0 || r >= ROW_LEGEND)
		return V_DONE;
	ask->kind = ASK_RUN;
	snprintf(ask->text, sizeof ask->text, "%s", cmds[r].name);
	return V_ASK;
}

static enum verdict help_act(
    void *st, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	struct help *h = st;
	if (rows_act(&h->rows, a, env->rows))
		return V_DONE;
	switch (a->cmd) {
	case CMD_SEARCH: return a->arg ? type(h, a->arg) : V_PASS;
	case CMD_HELP:
		snprintf(h->text, sizeof h->text, "%s", a->arg ? a->arg : "");
		fill(h);
		return V_DONE;
	case CMD_OPEN: return run(h, ask);
	case CMD_BACK: case CMD_CANCEL:
		if (!h->text[0] && a->cmd == CMD_CANCEL)
			return V_PASS;
		if (a->cmd == CMD_BACK && !h->text[0])
			return V_PASS;
		h->text[0] = '\0';
		fill(h);
		return V_DONE;
	default: return V_PASS;
	}
}

static void help_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct help *h = st;
	(void)env;
	if (h->text[0])
		buf_printf(b, "keys that say: %s_", h->text);
	else
		buf_puts(b, "every key, and what it does: type to search, Enter runs the selected, "
			    "q closes");
}

static void help_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct help *h = st;
	int r = h->n ? h->row[h->rows.sel] : 0;
	(void)env;
	if (r <= 0 || r >= ROW_LEGEND)
		return;
	buf_printf(b, ":%s%s%s   %s", cmds[r].name, cmds[r].arg ? " " : "",
	    cmds[r].arg ? cmds[r].arg : "", cmds[r].help);
	if ((cmds[r].panes & P_ALL) != P_ALL) {
		buf_puts(b, "   in:");
		for (int i = 0; panes[i]; i++)
			if (panes[i]->bit & cmds[r].panes)
				buf_printf(b, " %s", panes[i]->name);
	}
}

static void help_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	(void)st;
	(void)env;
	buf_puts(b, "Enter run  Down Up move  q close  :: clears filters  10j counts  ^G facts "
		    "about the file");
}

static void help_click(
    void *st, const struct pane_env *env, int y, int x, bool twice, struct ask *ask)
{
	struct help *h = st;
	(void)x;
	if (!rows_pick(&h->rows, y, env->rows))
		return;
	if (twice)
		run(h, ask);
}

/* A paragraph from line y on; the line after it. */
static int wrap(struct grid *g, int y, const char *s)
{
	while (g->w > 2 && strlen(s) > (size_t)g->w) {
		size_t n = (size_t)g->w;
		while (n > 1 && s[n] != ' ')
			n--;
		grid_textn(g, y++, 0, ST_NORMAL, 0, s, n);
		s += n + (s[n] == ' ');
	}
	grid_text(g, y, 0, ST_NORMAL, 0, s);
	return y + 1;
}

/* What no single key says. */
static void help_side(const void *st, const struct pane_env *env, struct grid *g)
{
	static const char *const text[] = {
	    "*How it hangs together", "A key means the same in every pane; a pane's own rows say where.",
	    "Every key is a word after : too, and words may be cut short.",
	    "10j moves ten lines: a digit and a 0 begin a count.", "",
	    "*Filters", "f x d o take what is selected: focus, ignore, hide, only.",
	    "F X and the words after : take a regular expression as Go has them.",
	    "focus= takes a filter away, :: takes all; \\ switches them off and on.",
	    "Line 2 always shows those in force.", "",
	    "*pprof's words work", ":top20 -cum json -runtime", 
	    ":focus=json  :hide=^runtime\\.  :tagfocus=key=value",
	    ":list Handle  :peek Handle  :lines  :alloc_space", "",
	    "*Time and goroutines of a trace", ":t 1.2s..1.3s   :t 40%..50%   :t", ":g 512   :p 3   :group worker", "",
	    "*Getting about", "q one level back, ^O to the place before, g; forward again.",
	    "u takes back zooms and filters in the order they were made, ^R does them again.",
	    "ma remembers a place, 'a goes there, '' back.", "",
	    "*Settings: ~/.config/ttrace/config", "set theme = light     set mouse = on",
	    "map J half-down"};
	(void)st;
	(void)env;
	int y = 0;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		if (*text[i] == '*')
			grid_text(g, y++, 0, ST_HEAD, AT_BOLD, text[i] + 1);
		else
			y = wrap(g, y, text[i]);
	}
}

const struct pane_ops pane_help = {
    .name = "help",
    .tab = "Help",
    .bit = P_HELP,
    .cmd = CMD_HELP,
    .state_size = sizeof(struct help),
    .open = help_open,
    .draw = help_draw,
    .act = help_act,
    .summary = help_summary,
    .detail = help_detail,
    .keys = help_keys,
    .side = help_side,
    .click = help_click,
};
