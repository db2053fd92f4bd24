/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The columns of every list at every width from 40 to 300 against those of the widest screen: no column disappears or gets
 * narrower when the screen gets wider, also where the side part appears, no number is cut without a mark, and the side part starts to the right of the list. A number of
 * a row is one that the widest screen has in the same row, or it has the mark of a cut.
 */
#include "config.h"
#include "base/text/text.h"
#include "app/internal.h"

#include "sample.h"
#include "tap.h"
#include "viewer.h"

#include <locale.h>
#include <string.h>

enum { NARROW = 40, WIDE = 300, ROWS = 30, LISTED = 8, LINE = WIDE * 4 + 8 };

struct shown {			/* what the screen shows at one width */
	bool head[TOPIC__N];
	struct grid_head sorts[GRID_HEADS];	/* the columns that sort, with their widths */
	int nsorts;
	bool side;
	char row[LISTED][LINE];	/* the first rows of the list, without the side part */
};

static void line_of(const struct grid *g, int y, int w, char *s)
{
	size_t n = 0;
	for (int x = 0; x < w; x++) {
		const struct cell *c = grid_at(g, y, x);
		if (c->ch)
			n += text_encode_utf8(c->ch, s + n);
	}
	s[n] = '\0';
}

static void look(struct app *a, struct grid *g, int cols, int first, struct shown *out)
{
	enum topic t[HEADS_MAX];
	const char *missing;
	memset(out, 0, sizeof *out);
	app_resize(a, ROWS, cols);
	app_wait(a);
	app_draw(a, g);
	for (int n = app_column_topics(a, t, &missing); n-- > 0;)
		out->head[t[n]] = true;
	memcpy(out->sorts, g->head, sizeof out->sorts);
	out->nsorts = g->nhead;
	out->side = a->env.side_shown;
	for (int i = 0; i < LISTED; i++)
		line_of(g, first + i, a->env.cols - g->scrolls, out->row[i]);	/* not the scrollbar */
}

/* Return whether a word starts with a digit, perhaps after a sign or the letter of a goroutine. */
static bool number(const char *s, size_t n)
{
	size_t k = n && strchr("+-G", *s) ? 1 : 0;
	return k < n && s[k] >= '0' && s[k] <= '9';
}

static bool has_word(const char *line, const char *s, size_t n)
{
	for (const char *at = line; (at = strstr(at, s)); at++)
		if ((at == line || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

/* Return a number in row i that the widest screen does not have there; NULL: none. */
static const char *wrong_number(const struct shown *now, const struct shown *wide, int i)
{
	static char word[LINE];
	for (const char *s = now->row[i]; *(s += strspn(s, " >"));) {
		size_t n = strcspn(s, " ");
		memcpy(word, s, n);
		word[n] = '\0';
		if (number(s, n) && !strstr(word, "\xe2\x80\xa6") && !has_word(wide->row[i], word, n))
			return word;
		s += n;
	}
	return NULL;
}

/* Return a column that is narrower than before, or gone; NULL: none. */
static const char *narrower(const struct shown *before, const struct shown *now)
{
	for (int i = 0; i < before->nsorts; i++) {
		int w = 0;
		for (int k = 0; k < now->nsorts; k++)
			if (!strcmp(before->sorts[i].word, now->sorts[k].word) && before->sorts[i].y == now->sorts[k].y)
				w = now->sorts[k].w;
		if (w < before->sorts[i].w)
			return before->sorts[i].word;
	}
	return NULL;
}

static bool side_is_apart(const struct app *a, const struct grid *g)
{
	bool apart = true;
	for (int y = 2; a->env.side_shown && y < ROWS - 2; y++)
		apart &= grid_at(g, y, a->env.cols)->ch == 0x2502 && grid_at(g, y, a->env.cols + 1)->ch == ' ';
	return apart;
}

static void list(const struct options *o, const char *keys, int first, bool topics)
{
	static struct shown before, now, wide;
	struct app *a = viewer_open(o, ROWS, WIDE);
	OK(a != NULL);
	if (!a)
		return;
	struct grid *g = grid_new(1, 1, false);
	int bad = 0;
	viewer_press(a, g, keys);
	look(a, g, WIDE, first, &wide);
	for (int w = NARROW; w <= WIDE; w++, before = now) {
		look(a, g, w, first, &now);
		for (int t = 1; topics && w > NARROW && t < TOPIC__N; t++)
			if (before.head[t] && !now.head[t])
				bad += fprintf(stderr, "%s: column %s disappears at %d cells\n", keys, explains[t].name, w) > 0;
		for (int i = 0; i < LISTED; i++) {
			const char *word = wrong_number(&now, &wide, i);
			if (word)
				bad += fprintf(stderr, "%s: row %d at %d cells has %s: %s\n", keys, i, w, word, now.row[i]) > 0;
		}
		const char *less = w > NARROW ? narrower(&before, &now) : NULL;
		if (less)
			bad += fprintf(stderr, "%s: column %s is narrower at %d cells\n", keys, less, w) > 0;
		if (w > NARROW && before.side && !now.side)
			bad += fprintf(stderr, "%s: the side part disappears at %d cells\n", keys, w) > 0;
		if (!side_is_apart(a, g))
			bad += fprintf(stderr, "%s: at %d cells the side part is not apart\n", keys, w) > 0;
	}
	OK(!bad);
	grid_free(g);
	viewer_close(a);
}

static void lists(const char *name, const char *const *keys, int first, bool topics)
{
	struct options o;
	OK(sample_opt(&o, name));
	o.v[OPT_JUDGE].b = false;	/* hide the findings above the table of a profile, which are no columns */
	for (; *keys; keys++)
		list(&o, *keys, first, topics);
	options_free(&o);
}

int main(void)
{
	static const char *const prof[] = {"1", ":tags<Enter>", NULL};
	static const char *const trace[] = {"1", "6", "6:sort chan<Enter>", "6<Enter>", "6<Enter>:sort gc<Enter>", "7",
	    "7<Enter>", "7]", "7]<Enter>", "7]<Enter>:sort blocked<Enter>", "8", "8]", "9gg", NULL};
	static const char *const boards[] = {":locks<Enter>", ":channels<Enter>", ":stops<Enter>", NULL}, *const page[] = {"6<Enter><Enter>", NULL}, *const task[] = {"7<Enter><Enter>", NULL};
	setenv("TTRACESECURE", "1", 1);
	setlocale(LC_CTYPE, "C.UTF-8");
	lists("cpu.pb.gz", prof, 3, true);
	lists("orders.trace", trace, 3, true);
	lists("orders.trace", boards, 3, false);	/* with a second table, whose headings have other places */
	lists("orders.trace", page, 7, true);
	lists("orders.trace", task, 5, true);
	return DONE();
}
