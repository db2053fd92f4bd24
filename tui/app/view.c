/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The view of a pane as named numbers, and as text.
 *
 * A pane writes its words in a fixed order, and words that are 0 are left out, so two views are the
 * same if their bytes are. The text is the zoom, "/" and the cursor. The numbers are ids of the
 * store: they are valid for the same file and program only. Names instead of ids would survive a
 * change of the file, but must be looked up for each key, because undo compares views after each.
 */
#include "config.h"
#include "app/view.h"

#include "sink_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_word(struct view *v, const char *name, int64_t value)
{
	if (v->n == VIEW_WORDS)
		return;
	struct view_word *w = &v->word[v->n++];
	size_t n = strlen(name);
	memcpy(w->name, name, n < VIEW_NAME ? n : VIEW_NAME - 1);	/* the rest is 0, and words are compared as bytes */
	w->value = value;
}

void view_put_zoom_time(struct view *v, const char *name, int64_t t)
{
	if (t == TIME_NONE)
		return;
	put_word(v, name, t);
	v->nzoom = v->n;
}

void view_put_zoom(struct view *v, const char *name, int64_t value)
{
	if (value)
		view_put_zoom_time(v, name, value);
}

void view_put_cursor_time(struct view *v, const char *name, int64_t t)
{
	if (t != TIME_NONE)
		put_word(v, name, t);
}

void view_put_cursor(struct view *v, const char *name, int64_t value)
{
	if (value)
		put_word(v, name, value);
}

/* Return the index of a word, or -1. */
static int find_word(const struct view *v, const char *name)
{
	int i = v->n - 1;
	while (i >= 0 && strcmp(v->word[i].name, name))
		i--;
	return i;
}

int64_t view_get(const struct view *v, const char *name)
{
	int i = find_word(v, name);
	return i >= 0 ? v->word[i].value : 0;
}

int64_t view_get_time(const struct view *v, const char *name)
{
	int i = find_word(v, name);
	return i >= 0 ? v->word[i].value : TIME_NONE;
}

int64_t view_get_below(const struct view *v, const char *name, int64_t end)
{
	int64_t value = view_get(v, name);
	return value >= 0 && value < end ? value : 0;
}

bool view_same_zoom(const struct view *a, const struct view *b)
{
	return a->nzoom == b->nzoom && !memcmp(a->word, b->word, a->nzoom * sizeof *a->word);
}

bool view_same(const struct view *a, const struct view *b)
{
	return a->nzoom == b->nzoom && !memcmp(a->word, b->word, sizeof a->word);
}

void view_print(struct buf *b, const struct view *v, bool cursor)
{
	for (int i = 0; i < v->nzoom; i++)
		buf_printf(b, "%s%s=%" PRId64, i ? "," : "", v->word[i].name, v->word[i].value);
	buf_putc(b, '/');
	for (int i = v->nzoom; cursor && i < v->n; i++)
		buf_printf(b, "%s%s=%" PRId64, i > v->nzoom ? "," : "", v->word[i].name, v->word[i].value);
}

/* Parse "name=number" and append it. */
static const char *parse_word(const char *s, struct view *v)
{
	char name[VIEW_NAME] = "", *end;
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789");
	if (!n || n >= VIEW_NAME || s[n] != '=' || v->n == VIEW_WORDS)
		return NULL;
	memcpy(name, s, n);
	s += n + 1;
	errno = 0;
	int64_t value = strtoll(s, &end, 10);
	if (end == s || errno)
		return NULL;
	put_word(v, name, value);
	return end;
}

const char *view_parse(const char *s, struct view *v)
{
	bool zoom = true;
	*v = (struct view){.pane = v->pane};
	for (; *s && *s != ' '; s += *s == ',') {
		if (zoom && *s == '/') {
			v->nzoom = v->n;
			zoom = false;
			s++;
		} else if (!(s = parse_word(s, v)) || !strchr("/, ", *s)) {
			return NULL;
		}
	}
	return zoom ? NULL : s;
}
