/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Popups over the lower part of a pane: an explanation (K), a menu (a).
 *
 * They are no panes: the selection must stay visible, so they take as few lines as they need, from
 * the bottom, below a rule. They use only the keys that move, run and close; any other key closes
 * the popup and then has its usual effect, so a menu also teaches the keys that it shows. A menu is
 * made from a table (menu.def) and the pane's own rows of commands.def; explanations are from
 * explain.def. The popup keeps topics and rows, and lines are wrapped for each drawing, so a resize
 * needs no handling.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"

#include <stdio.h>
#include <string.h>

enum { LINES_MAX = 400, WIDTH_MAX = 100 };

struct popup_line { const char *s; size_t n; enum style st; int attr; };

/* ---- explanations */

static void add_topic(struct popup *p, enum topic t)
{
	for (int i = 0; i < p->ntopic; i++)
		if (p->topic[i] == t)
			return;
	if (t && p->ntopic < POP_TOPICS)
		p->topic[p->ntopic++] = t;
}

/* Return the topic of the state of the place's goroutine or P at its time. */
static enum topic state_topic(const struct app *a, const struct place *at)
{
	struct trace_interval iv;
	if (!at->trk || at->t0 == TIME_NONE || !trace_interval_at(session_snap(a->s), at->trk, at->t0, &iv))
		return TOPIC_NONE;
	return explain_state(iv.state);
}

/* Return whether row y is a line of column headings: in the heading colour, with a first word in capitals. b: its
   text. */
static bool head_line(const struct grid *g, int y, struct buf *b)
{
	buf_reset(b);
	for (int x = 0; x < g->cols; x++) {
		const struct cell *c = &g->cell[y * g->cols + x];
		if (c->fg == ST_HEAD && (c->ch == 0x2026 || c->ch == '~'))	/* drop a word that is cut */
			while (b->n && b->p[b->n - 1] != ' ')
				b->n--;
		else
			buf_putc(b, c->fg == ST_HEAD && c->ch < 0x7f ? (int)c->ch : ' ');
	}
	while (b->n && b->p[b->n - 1] == ' ')
		b->n--;
	const char *s = buf_str(b);
	s += strspn(s, " ");
	return (*s == '#' || (*s >= 'A' && *s <= 'Z')) && (!s[1] || s[1] < 'a' || s[1] > 'z');
}

/* Return whether a word is a label of a chart's scale, which has the heading colour too. */
static bool is_scale_label(const char *s)
{
	return !((*s >= 'A' && *s <= 'Z' && !(s[1] >= 'a' && s[1] <= 'z')) || *s == '#' ||
		 (*s == 'p' && s[1] >= '0' && s[1] <= '9'));
}

int app_column_topics(struct app *a, enum topic *out, const char **missing)
{
	const struct pane_ops *p = pane_now(a);
	struct grid *g = grid_new(a->env.rows, a->env.cols, a->env.ascii);
	struct buf b = {0};
	int n = 0;
	grid_clear(g);
	p->draw(state_now(a), &a->env, g);
	*missing = NULL;
	for (int y = 0; y < g->rows && y < 12; y++) {
		if (!head_line(g, y, &b))
			continue;
		for (const char *s = buf_str(&b); *(s += strspn(s, " ,"));) {
			size_t k = n < HEADS_MAX ? explain_head(p->name, s, &out[n]) : 0;
			n += k > 0;
			if (!k && !*missing && !is_scale_label(s))
				*missing = arena_strndup(&a->scratch, s, strcspn(s, " "));
			s += k ? k : strcspn(s, " ");
		}
	}
	buf_free(&b);
	grid_free(g);
	return n;
}

/* The second K: add all columns of the pane and its other topics after those of the selection. */
static void explain_all(struct app *a)
{
	enum topic head[HEADS_MAX];
	const char *missing;
	struct popup *p = &a->pop;
	int n = app_column_topics(a, head, &missing);
	p->all = true;
	for (int i = 0; i < n; i++)
		add_topic(p, head[i]);
	for (int i = 1; i < TOPIC__N; i++)
		if (!strcmp(explains[i].group, pane_now(a)->name))
			add_topic(p, (enum topic)i);
}

void app_explain(struct app *a, const char *word)
{
	struct popup *p = &a->pop;
	const struct pane_ops *pane = pane_now(a);
	struct place at;
	*p = (struct popup){.row = p->row, .cap = p->cap};
	if (word) {
		add_topic(p, explain_find(word));
	} else {
		/* the most specific first: the state, the function, then the column */
		app_place(a, &at);
		if (!at.by_default)
			add_topic(p, state_topic(a, &at));
		if (at.fun && !at.by_default)
			add_topic(p, explain_function(app_fun_name(a, at.fun)));
		for (size_t i = 0; i < sizeof at.topic / sizeof *at.topic; i++)
			add_topic(p, at.topic[i]);
		if (at.topic[0] && pane->bit & (P_TREES | P_TAGS))
			add_topic(p, explain_type(session_type_name(a->s, session_type(a->s))));
	}
	if (!p->ntopic)
		app_message(a, ST_DIM, "%s%s", word ? "no explanation of " : "nothing is selected",
		    word ? word : "; ? lists the keys");
	else
		p->kind = POP_TEXT, p->by = CMD_EXPLAIN;
}

/* Split s into lines of at most w cells; return the number of lines. */
static int wrap_text(struct popup_line *out, int n, const char *s, int w, enum style st, int attr)
{
	while (*s && n < LINES_MAX) {
		size_t k = text_line(s, (size_t)w);
		out[n++] = (struct popup_line){s, k, st, attr};
		s += k + strspn(s + k, " ");
	}
	return n;
}

static int text_lines(const struct app *a, struct popup_line *out, int w)
{
	int n = 0;
	for (int i = 0; i < a->pop.ntopic && n < LINES_MAX - 1; i++) {
		const struct explain *e = &explains[a->pop.topic[i]];
		if (i)
			out[n++] = (struct popup_line){"", 0, ST_NORMAL, 0};
		if (n < LINES_MAX)
			out[n++] = (struct popup_line){e->name, strlen(e->name), ST_TITLE, AT_BOLD};
		n = wrap_text(out, n, e->text, w, ST_NORMAL, 0);
		n = wrap_text(out, n, e->next, w, ST_HEAD, 0);
	}
	return n;
}

/* ---- menus */

enum need { F = 1, L = 2, S = 4, G = 8, T = 16, R = 32, P = 64, X = 128, C = 256, TIME = 512, GOR = 1024, TASK = 2048,
    GC = 4096 };

static const struct {
	int needs;
	enum cmd_id cmd;
	const char *arg, *label;
} menu[] = {
#define MENU(needs, cmd, arg, label) {needs, CMD_##cmd, arg, label},
#include "app/menu.def"
#undef MENU
};

static int place_mask(const struct app *a, const struct place *at)
{
	const struct store *st = session_snap(a->s)->st;
	bool trace = session_is_trace(a->s);
	int bit = pane_now(a)->bit,
	    kind = bit == P_TIME ? TIME : bit == P_GOR ? GOR : bit == P_TASK ? TASK : bit == P_GC ? GC : C;
	if (at->by_default)
		return (at->fun ? F : 0) | (at->frm ? L : 0) | X | kind;
	return (at->fun ? F : 0) | (at->frm ? L : 0) | (at->stk ? S : 0) |
	       (at->trk && store_trk(st, at->trk)->kind == TK_G ? G : 0) |
	       (trace && at->t0 != TIME_NONE ? T : 0) |
	       (trace && at->t0 != TIME_NONE && at->t1 != TIME_NONE && at->t1 > at->t0 ? R : 0) |
	       (trace ? X : P) | kind;
}

static void put_expanded(const struct app *a, const struct place *at, const char *s, struct buf *b)
{
	for (; *s; s++) {
		const char *name = app_fun_name(a, at->fun);
		if (*s != '%') {
			buf_putc(b, *s);
			continue;
		}
		switch (*++s) {
		case 'f': text_fit_symbol(b, name, strlen(name), 32, a->env.ascii); break;
		case 'g':
			buf_printf(b, "%llu",
			    (unsigned long long)store_trk(session_snap(a->s)->st, at->trk)->id);
			break;
		case 'a': buf_printf(b, "%lldns", (long long)at->t0); break;
		case 'b': buf_printf(b, "%lldns", (long long)at->t1); break;
		default: return;
		}
	}
}

/* Return whether a command has an effect in this pane, for this kind of file. */
static bool menu_has(const struct app *a, enum cmd_id id)
{
	if (!(cmds[id].panes & pane_now(a)->bit) || pane_now(a)->cmd == id)
		return false;
	for (int i = 0; panes[i]; i++)
		if (panes[i]->cmd == id)
			return app_pane_fits(a, i);
	return true;
}

static struct pop_row *new_row(struct app *a, enum cmd_id id)
{
	struct popup *p = &a->pop;
	p->row = mem_grow(p->row, &p->cap, p->nrow + 1, sizeof *p->row);
	struct pop_row *r = &p->row[p->nrow++];
	*r = (struct pop_row){.cmd = id};
	struct buf b = {0};
	command_first_key(id, pane_now(a)->bit, &b);
	snprintf(r->key, sizeof r->key, "%s", b.n ? buf_str(&b) : "");
	buf_free(&b);
	return r;
}

static void menu_row(struct app *a, const struct place *at, size_t i)
{
	struct buf b = {0};
	struct pop_row *r = new_row(a, menu[i].cmd);
	put_expanded(a, at, menu[i].label, &b);
	snprintf(r->text, sizeof r->text, "%s", buf_str(&b));
	buf_reset(&b);
	if (menu[i].arg) {
		put_expanded(a, at, menu[i].arg, &b);
		snprintf(r->arg, sizeof r->arg, "%s", buf_str(&b));
		r->key[0] = '\0';	/* the key would run it without the argument */
	}
	buf_free(&b);
}

void app_menu(struct app *a)
{
	struct place at;
	app_place(a, &at);
	a->pop = (struct popup){.row = a->pop.row, .cap = a->pop.cap};
	int have = place_mask(a, &at);
	for (size_t i = 0; i < sizeof menu / sizeof *menu; i++)
		if (!(menu[i].needs & ~have) && menu_has(a, menu[i].cmd))
			menu_row(a, &at, i);
	for (int i = 1; i < CMD__N; i++)
		if ((cmds[i].panes & P_EVERY) != P_EVERY && menu_has(a, (enum cmd_id)i) && cmds[i].keys) {
			struct pop_row *r = new_row(a, (enum cmd_id)i);
			snprintf(r->text, sizeof r->text, "%s", cmds[i].help);
			r->pane = true;
		}
	a->pop.kind = POP_MENU;
	a->pop.by = CMD_MENU;
	list_set_count(&a->pop.rows, (uint32_t)a->pop.nrow);
	snprintf(a->pop.title, sizeof a->pop.title, "%s: commands", pane_now(a)->name);
}

void app_marks(struct app *a)
{
	a->pop = (struct popup){.row = a->pop.row, .cap = a->pop.cap};
	for (int i = 0; i < MARKS; i++) {
		if (!a->nav.marked[i])
			continue;
		struct pop_row *r = new_row(a, CMD_JUMP_MARK);
		r->arg[0] = i < 26 ? (char)('a' + i) : i == 26 ? '\'' : '"';
		snprintf(r->key, sizeof r->key, "'%c", r->arg[0]);
		snprintf(r->text, sizeof r->text, "%-10s %s", panes[a->nav.mark[i].pane]->name,
		    a->nav.mark_text[i] ? a->nav.mark_text[i] : "");
	}
	if (!a->pop.nrow) {
		app_message(a, ST_DIM, "no marks: m and a letter sets one, :mark a TEXT adds a note");
		return;
	}
	a->pop.kind = POP_MENU;
	a->pop.by = CMD_MARKS;
	list_set_count(&a->pop.rows, (uint32_t)a->pop.nrow);
	snprintf(a->pop.title, sizeof a->pop.title, "marks");
}

static void run_row(struct app *a)
{
	const struct pop_row *r = &a->pop.row[a->pop.rows.sel];
	struct act act = {r->cmd, 0,
	    r->arg[0] ? arena_strndup(&a->scratch, r->arg, strlen(r->arg)) : NULL};
	a->pop.kind = POP_NONE;
	if (!act.arg && cmds[act.cmd].arg && cmds[act.cmd].arg[0] != '[')
		app_prompt(a, CMD_COMMAND, arena_printf(&a->scratch, "%s ", cmds[act.cmd].name));
	else
		app_act(a, &act);
}

/* ---- explanations and menus */

/* Return the rectangle of the popup: the last lines of the pane's area, with the rule. */
static struct rect popup_rect(const struct app *a, int lines)
{
	int h = lines + 1, most = a->screen.rows - 4 > 14 ? (a->screen.rows - 4) * 2 / 3 : a->screen.rows - 4;
	h = h > most ? most : h;
	return (struct rect){a->screen.rows - 2 - h, 0, h, a->screen.cols};
}

static int text_width_of(const struct app *a)
{
	return a->screen.cols > WIDTH_MAX + 2 ? WIDTH_MAX : a->screen.cols - 3;
}

static int popup_height(const struct app *a)
{
	struct popup_line l[LINES_MAX];
	return a->pop.kind == POP_MENU ? (int)a->pop.nrow : text_lines(a, l, text_width_of(a));
}

static void scroll_text(struct popup *p, enum cmd_id cmd, int h, int most)
{
	int by = cmd == CMD_DOWN ? 1 : cmd == CMD_UP ? -1 : cmd == CMD_PAGE_DOWN ? h : cmd == CMD_PAGE_UP ? -h
		: cmd == CMD_HALF_DOWN ? h / 2 : cmd == CMD_HALF_UP ? -h / 2 : cmd == CMD_LAST ? most : -most;
	p->top = p->top + by < 0 ? 0 : p->top + by > most ? most : p->top + by;
}

/* Move in the popup; return false if there is nothing to scroll, then the key belongs to the pane. */
static bool move_popup(struct app *a, enum cmd_id cmd)
{
	struct popup *p = &a->pop;
	int lines = popup_height(a), h = popup_rect(a, lines).h - 1, most = lines > h ? lines - h : 0;
	switch (cmd) {
	case CMD_DOWN: case CMD_UP: case CMD_PAGE_DOWN: case CMD_PAGE_UP: case CMD_HALF_DOWN: case CMD_HALF_UP:
	case CMD_FIRST: case CMD_LAST: break;
	default: return false;
	}
	if (p->kind == POP_MENU)
		return list_move(&p->rows, &(struct act){cmd, 0, NULL}, h);
	if (most)
		scroll_text(p, cmd, h, most);
	return most;
}

bool app_pop_key(struct app *a, int32_t key)
{
	struct popup *p = &a->pop;
	const struct binding *b;
	enum match m;
	key = key == '\n' ? KEY_RETURN : key;
	a->in.typed[a->in.ntyped] = key;
	m = keymap_find(&a->in.keys, a->in.typed, a->in.ntyped + 1, pane_now(a)->bit, &b);
	if (m == KM_MORE) {
		a->in.ntyped++;
		return true;
	}
	enum cmd_id cmd = m == KM_FOUND ? (enum cmd_id)b->cmd : CMD_NONE;
	bool closes = cmd == p->by || cmd == CMD_BACK || cmd == CMD_CANCEL || key == KEY_ESC;
	if (move_popup(a, cmd)) {
		a->in.ntyped = 0;
		return true;
	}
	if (p->kind == POP_TEXT && cmd == CMD_EXPLAIN && !p->all) {
		explain_all(a);
	} else if (p->kind == POP_MENU && cmd == CMD_OPEN) {
		run_row(a);
	} else if (closes || cmd == CMD_OPEN) {
		p->kind = POP_NONE;
	} else {
		p->kind = POP_NONE;
		return false;
	}
	a->in.ntyped = 0;
	return true;
}

bool app_pop_click(struct app *a, int y, bool twice)
{
	struct popup *p = &a->pop;
	struct rect r = popup_rect(a, popup_height(a));
	if (y <= r.y || p->kind != POP_MENU || !list_click(&p->rows, y - r.y - 1, r.h - 1)) {
		p->kind = POP_NONE;
		return true;
	}
	if (twice)
		run_row(a);
	return true;
}

static void draw_menu_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct pop_row *r = &((const struct popup *)arg)->row[i];
	grid_text(g, y, 2, ST_KEY, 0, r->key);
	grid_text(g, y, 10, r->pane ? ST_DIM : ST_NORMAL, 0, r->text);
}

void app_pop_draw(struct app *a, struct grid *g)
{
	struct popup_line l[LINES_MAX];
	const struct popup *p = &a->pop;
	int n = p->kind == POP_TEXT ? text_lines(a, l, text_width_of(a)) : (int)p->nrow;
	struct rect r = popup_rect(a, n), old = grid_clip(g, r);
	grid_clear(g);
	grid_fill(g, (struct rect){0, 0, 1, r.w}, 0x2500, ST_RULE, 0);
	if (p->kind == POP_MENU) {
		grid_printf(g, 0, 2, ST_TITLE, 0, " %s ", p->title);
		grid_right(g, 0, r.w - 2, ST_DIM, 0,
		    r.w >= 100 ? " j k  Enter run  Esc close; all keys shown work "
			       : " Enter or the key runs it ");
		grid_clip(g, (struct rect){1, 0, r.h - 1, r.w});
		list_draw_rows(&p->rows, g, draw_menu_row, p, &(struct list_options){0});
	} else {
		int top = p->top > n - (r.h - 1) ? n - (r.h - 1) : p->top;
		grid_right(g, 0, r.w - 2, ST_DIM, 0, p->all ? " j k scroll  Esc close "
			: n > r.h - 1 ? " j k scroll  K explain all  Esc close "
				      : " K explain all  Esc close ");
		for (int i = 0; i < r.h - 1 && top + i < n; i++)
			grid_textn(g, 1 + i, 1, l[top + i].st, l[top + i].attr, l[top + i].s, l[top + i].n);
	}
	grid_unclip(g, old);
}
