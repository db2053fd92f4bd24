/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The line editor.
 *
 * The text is a fixed array of bytes, always whole UTF-8 characters, so that keys cannot make it
 * grow without limit and typing needs no allocation. Keys are those of readline. The history
 * belongs to the owner; going up stashes the typed text, and coming down restores it. ^R searches
 * the history for what is typed; any other key accepts the line found.
 */
#include "config.h"
#include "widget/prompt.h"

#include "app/command.h"
#include "base/mem/mem.h"
#include "base/text/text.h"

#include <string.h>

void prompt_history_add(struct history *h, const char *s)
{
	if (!*s || (h->n && !strcmp(h->line[h->n - 1], s)))
		return;
	if (h->n == HISTORY_MAX) {
		mem_free(h->line[0]);
		memmove(h->line, h->line + 1, --h->n * sizeof *h->line);
	}
	h->line = mem_grow(h->line, &h->cap, h->n + 1, sizeof *h->line);
	h->line[h->n++] = xstrdup(s);
}

void prompt_history_free(struct history *h)
{
	for (size_t i = 0; i < h->n; i++)
		mem_free(h->line[i]);
	mem_free(h->line);
	*h = (struct history){0};
}

static void set_text(struct prompt *p, const char *s)
{
	size_t n = strlen(s);
	n = n > PROMPT_MAX ? PROMPT_MAX : n;
	memmove(p->text, s, n);
	p->text[n] = '\0';
	p->n = p->cur = n;
}

void prompt_start(struct prompt *p, const char *text, struct history *h)
{
	memset(p, 0, sizeof *p);
	p->hist = h;
	p->at = h ? h->n : 0;
	set_text(p, text);
}

static size_t left_of(const struct prompt *p, size_t i)
{
	while (i > 0 && ((unsigned char)p->text[--i] & 0xc0) == 0x80)
		;
	return i;
}

static size_t right_of(const struct prompt *p, size_t i)
{
	if (i < p->n)
		i++;
	while (i < p->n && ((unsigned char)p->text[i] & 0xc0) == 0x80)
		i++;
	return i;
}

static void cut_text(struct prompt *p, size_t from, size_t to)
{
	memmove(p->text + from, p->text + to, p->n - to + 1);
	p->n -= to - from;
	p->cur = from;
}

static void insert_text(struct prompt *p, const char *s, size_t n)
{
	if (p->n + n > PROMPT_MAX)
		return;
	memmove(p->text + p->cur + n, p->text + p->cur, p->n - p->cur + 1);
	memcpy(p->text + p->cur, s, n);
	p->n += n;
	p->cur += n;
}

void prompt_replace(struct prompt *p, size_t from, const char *s)
{
	cut_text(p, from, p->cur);
	insert_text(p, s, strlen(s));
}

static void recall_line(struct prompt *p, size_t at)
{
	if (!p->hist || at > p->hist->n || at == p->at)
		return;
	if (p->at == p->hist->n)
		memcpy(p->stash, p->text, sizeof p->stash);
	p->at = at;
	set_text(p, at == p->hist->n ? p->stash : p->hist->line[at]);
}

/* Recall the newest line before `before` that contains the search text. */
static void search_back(struct prompt *p, size_t before)
{
	for (size_t i = before; p->hist && i > 0; i--)
		if (strstr(p->hist->line[i - 1], p->find)) {
			recall_line(p, i - 1);
			return;
		}
}

static bool key_reverse(struct prompt *p, int32_t key)
{
	size_t n = strlen(p->find);
	if (key == ('R' & 31)) {
		if (p->reverse)
			search_back(p, p->at);
		p->reverse = true;
		return true;
	}
	if (!p->reverse)
		return false;
	char u[4];
	size_t k = key >= ' ' && key < KEY_BACKSPACE ? text_encode_utf8((uint32_t)key, u) : 0;
	if (key == KEY_BACKSPACE && n) {
		p->find[n - 1] = '\0';
	} else if (k && n + k < sizeof p->find) {
		memcpy(p->find + n, u, k);
		p->find[n + k] = '\0';
	} else {
		p->reverse = false;
		p->find[0] = '\0';
		return false;
	}
	search_back(p, p->hist ? p->hist->n : 0);
	return true;
}

static size_t word_left(const struct prompt *p)
{
	size_t i = p->cur;
	while (i > 0 && p->text[i - 1] == ' ')
		i--;
	while (i > 0 && p->text[i - 1] != ' ')
		i--;
	return i;
}

/* Handle keys that move in the line or in the history. */
static bool key_moves(struct prompt *p, int32_t key)
{
	switch (key) {
	case KEY_LEFT_: case 'B' & 31: p->cur = left_of(p, p->cur); return true;
	case KEY_RIGHT_: case 'F' & 31: p->cur = right_of(p, p->cur); return true;
	case KEY_HOME_: case 'A' & 31: p->cur = 0; return true;
	case KEY_END_: case 'E' & 31: p->cur = p->n; return true;
	default: return false;
	}
}

enum prompt_event prompt_key(struct prompt *p, int32_t key)
{
	if (key_reverse(p, key))
		return PR_CHANGED;
	if (key_moves(p, key))
		return PR_NONE;
	switch (key) {
	case KEY_RETURN: case '\n': return PR_DONE;
	case KEY_ESC: case 'C' & 31: case 'G' & 31: return PR_CANCEL;
	case KEY_TAB: return PR_COMPLETE;
	case KEY_UP_: case 'P' & 31: recall_line(p, p->at - 1); return PR_CHANGED;
	case KEY_DOWN_: case 'N' & 31: recall_line(p, p->at + 1); return PR_CHANGED;
	case 'U' & 31: cut_text(p, 0, p->cur); return PR_CHANGED;
	case 'K' & 31: p->text[p->n = p->cur] = '\0'; return PR_CHANGED;
	case 'W' & 31: cut_text(p, word_left(p), p->cur); return PR_CHANGED;
	case KEY_DEL: case 'D' & 31: {
		size_t cur = p->cur;
		cut_text(p, cur, right_of(p, cur));
		return PR_CHANGED;
	}
	case KEY_BACKSPACE: case 'H' & 31:
		if (!p->n)
			return PR_CANCEL;
		cut_text(p, left_of(p, p->cur), p->cur);
		return PR_CHANGED;
	default: break;
	}
	if (key < ' ' || key >= KEYS_SPECIAL || text_cp_width((uint32_t)key) < 0)
		return PR_NONE;
	char u[4];
	insert_text(p, u, text_encode_utf8((uint32_t)key, u));
	return PR_CHANGED;
}

void prompt_draw(const struct prompt *p, struct grid *g, int y, const char *label, enum style st)
{
	int x = grid_text(g, y, 0, ST_KEY, 0, label);
	if (p->reverse)
		x = grid_printf(g, y, x, ST_DIM, 0, "(history: %s) ", p->find);
	/* a long line scrolls so that the cursor stays visible */
	int room = g->w - x - 1, before = (int)text_width(p->text, p->cur);
	size_t from = 0;
	while (before >= room && from < p->cur) {
		size_t next = right_of(p, from);
		before -= (int)text_width(p->text + from, next - from);
		from = next;
	}
	grid_text(g, y, x, st, 0, p->text + from);
	grid_attr(g, (struct rect){y, x + before, 1, 1}, AT_REVERSE);
	grid_focus(g, y, x + before);
}
