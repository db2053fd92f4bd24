/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Find the groups and goroutines that match a search: the items are the groups, then all goroutines. A million goroutines
 * take a quarter of a second, so a job searches them. It reads the existing groups: these do not change, and are only
 * freed after it has been stopped. The result is only used when it is complete, so a jump always leads to the next match.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/mem/mem.h"
#include "widget/text_search.h"

#include <string.h>

struct searched_goroutines {
	const struct store *st;
	struct regex *grep;		/* NULL: none */
	char *grep_text;
	bool by_function;
	trk_id ntrks;
	const struct stats_goroutine *g;	/* of the groups */
	const struct goroutines_row *groups;
	uint32_t ngroup;
};

/* Append the text of a goroutine that `&` leaves: its number, its name if its group has another, and its creator. */
static void put_goroutine(const struct searched_goroutines *s, trk_id g, struct buf *b)
{
	struct goroutines_row row = {.name = store_trk_name(s->st, g), .trk = g};
	trk_id creator = store_trk(s->st, g)->creator;
	if (s->grep && !goroutines_row_matches(s->st, &row, s->grep))
		return;
	tracepane_put_id(s->st, g, b);
	if (!s->by_function) {
		buf_putc(b, ' ');
		tracepane_put_str(s->st, row.name, "(no start function)", b);
	}
	if (creator && creator < s->ntrks) {
		buf_putc(b, ' ');
		tracepane_put_track(s->st, creator, b);
	}
}

static void put_text(const void *texts, uint32_t i, struct buf *b)
{
	const struct searched_goroutines *s = texts;
	if (i < s->ngroup)
		goroutines_put_row_text(s->st, &s->groups[i], b);
	else
		put_goroutine(s, s->g[i - s->ngroup].trk, b);
}

static void free_searched(void *texts)
{
	struct searched_goroutines *s = texts;
	regex_free(s->grep);
	mem_free(s->grep_text);
	mem_free(s);
}

static struct searched_goroutines *new_searched(
    const struct goroutines_state *p, const struct pane_env *env, const char *grep)
{
	struct err e;
	const struct snap *sn = session_snap(env->s);
	struct searched_goroutines *s = xcalloc(1, sizeof *s);
	*s = (struct searched_goroutines){.st = sn->st, .ntrks = sn->ntrks, .by_function = group_key_is_function(p->by),
	    .g = p->gs->g, .groups = p->groups, .ngroup = p->ngroup, .grep_text = xstrdup(grep)};
	s->grep = *grep ? regex_new(grep, &e) : NULL;
	return s;
}

/* Take the matches, and count those of the listed groups. */
static void take_matches(struct goroutines_state *p, struct text_search *s)
{
	struct goroutines_matches *t = &p->tree;
	const struct pane_table *list = &p->table[GL_GROUPS];
	if (!s)
		return;
	struct searched_goroutines *from = s->texts;
	t->hits = s->hits;
	t->grep = from->grep_text;
	t->row = t->hits.at;
	t->g = t->hits.at + p->ngroup;
	t->under = xcalloc(p->ngroup + 1u, sizeof *t->under);
	for (uint32_t i = 0; i < list->rows.n; i++) {
		const struct goroutines_row *r = &p->groups[list->item[i]];
		uint32_t *under = &t->under[list->item[i]];
		for (uint32_t k = r->first; k < r->first + r->n; k++)
			*under += t->g[k];
		t->all += t->row[list->item[i]] + *under;
	}
	s->hits = (struct list_hits){0};
	from->grep_text = NULL;
	text_search_free(s);
}

bool goroutines_search(struct goroutines_state *p, const struct pane_env *env)
{
	const char *grep = env->grep.rx ? env->grep.text : "";
	const struct text_search *runs = async_wanted(&p->search);
	if (list_hits_are_current(&p->tree.hits, NULL, env->find.rx) && !strcmp(p->tree.grep, grep)) {
		async_stop(&p->search);
		return true;
	}
	if (runs && text_search_runs(&p->search, NULL, env->find.rx) &&
	    !strcmp(((const struct searched_goroutines *)runs->texts)->grep_text, grep))
		return false;
	goroutines_search_clear(p);
	struct text_search what = {.text = put_text, .free = free_searched, .texts = new_searched(p, env, grep),
	    .n = p->ngroup + p->gs->ng};
	take_matches(p, text_search_start(&p->search, what, NULL, env->find.rx, what.n));
	return p->tree.hits.at != NULL;
}

void goroutines_search_finish(struct goroutines_state *p)
{
	take_matches(p, async_finish(&p->search));
	goroutines_drop_hits(p);
}

void goroutines_search_clear(struct goroutines_state *p)
{
	async_stop(&p->search);
	list_hits_free(&p->tree.hits);
	mem_free(p->tree.grep);
	mem_free(p->tree.under);
	p->tree = (struct goroutines_matches){0};
}
