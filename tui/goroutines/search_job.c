/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Find the groups and goroutines that match a search. A literal word is matched with the names, of
 * which there are few, at once; an expression or a number has to be matched with each of a million
 * goroutines, a quarter of a second. The search owns its expressions and results and reads the
 * existing groups: these do not change, and are only freed after it has been stopped. Another
 * character of the expression stops it too. The result is only used when it is complete, so a
 * jump always leads to the next match.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/regex.h"
#include "base/text/text.h"

#include <string.h>

enum { ASKED = 1 << 12 };	/* the job checks for cancellation after this many goroutines */

struct goroutines_search {
	const struct snap *sn;
	struct regex *find, *grep;	/* grep NULL: none */
	bool by_function;
	const struct stats_goroutine *g;	/* of the groups */
	const struct goroutines_row *groups;
	uint32_t *order, norder;	/* the listed groups */
	struct goroutines_matches t;
	uint8_t *said;			/* for each track, whether it matches as a creator: 0 unknown, 1 no, 2 yes */
	struct buf b;
};

static trk_id creator_of(const struct goroutines_search *h, uint32_t k)
{
	trk_id t = store_trk(h->sn->st, h->g[k].trk)->creator;
	return t < h->sn->ntrks ? t : 0;
}

/* Return whether goroutine k of gs->g matches by its own text. */
static bool own_match(struct goroutines_search *h, uint32_t k)
{
	const struct store *st = h->sn->st;
	struct buf *b = &h->b;
	buf_reset(b);
	tracepane_put_id(st, h->g[k].trk, b);
	if (!h->by_function) {
		buf_putc(b, ' ');
		tracepane_put_str(st, store_trk_name(st, h->g[k].trk), "(no start function)", b);
	}
	trk_id creator = creator_of(h, k);
	if (creator) {
		buf_putc(b, ' ');
		tracepane_put_track(st, creator, b);
	}
	return regex_match(h->find, b->p, b->n);
}

/* Return whether a word may occur in a goroutine's number. Otherwise only creators can match, each of which is
   tested once. */
static bool may_be_number(const char *word)
{
	return !word[strspn(word, "PMG0123456789")];
}

static bool by_number(struct goroutines_search *h, uint32_t k)
{
	buf_reset(&h->b);
	tracepane_put_id(h->sn->st, h->g[k].trk, &h->b);
	return regex_match(h->find, h->b.p, h->b.n);
}

static bool by_creator(struct goroutines_search *h, uint32_t k)
{
	trk_id t = creator_of(h, k);
	if (t && !h->said[t]) {
		buf_reset(&h->b);
		tracepane_put_track(h->sn->st, t, &h->b);
		h->said[t] = regex_match(h->find, h->b.p, h->b.n) ? 2 : 1;
	}
	return t && h->said[t] == 2;
}

static bool passes_grep(const struct goroutines_search *h, uint32_t k)
{
	if (!h->grep)
		return true;
	struct goroutines_row row = {.name = store_trk_name(h->sn->st, h->g[k].trk), .trk = h->g[k].trk};
	return goroutines_row_matches(h->sn->st, &row, h->grep);
}

/* Find the matches among the goroutines of a group; the text of each begins with G. */
static uint32_t match_group(struct goroutines_search *h, const struct goroutines_row *r, struct job *j)
{
	bool word = regex_is_literal_word(h->find) && h->by_function, number = may_be_number(regex_pattern(h->find));
	uint8_t *hit = h->t.g;
	uint32_t n = 0;
	if (!regex_can_start_with(h->find, 'G'))
		return 0;
	for (uint32_t k = r->first; k < r->first + r->n; k++) {
		hit[k] = !word ? own_match(h, k) : (number && by_number(h, k)) || by_creator(h, k);
		hit[k] = hit[k] && passes_grep(h, k);
		n += hit[k];
		if (k % ASKED == 0 && j && job_cancelled(j))
			break;
	}
	return n;
}

static void run_search(void *work, struct job *j)
{
	struct goroutines_search *h = work;
	struct goroutines_matches *t = &h->t;
	for (uint32_t k = 0; k < h->norder && h->find && !(j && job_cancelled(j)); k++) {
		uint32_t i = h->order[k];
		t->all += t->row[i] = goroutines_row_matches(h->sn->st, &h->groups[i], h->find);
		t->all += t->under[i] = match_group(h, &h->groups[i], j);
	}
}

static void free_search(void *work)
{
	struct goroutines_search *h = work;
	regex_free(h->find);
	regex_free(h->grep);
	mem_free(h->said);
	buf_free(&h->b);
	arena_free(&h->t.mem);
	mem_free(h);
}

static const struct async_kind search_kind = {run_search, free_search};

/* A word is matched with a few names, anything else with each goroutine. */
static uint64_t search_cost(const struct goroutines_state *p, const struct pane_env *env)
{
	const struct regex *find = env->find.rx;
	bool word = regex_is_literal_word(find) && p->by == GROUP_KEY_FUNCTION && !may_be_number(regex_pattern(find)) &&
		    !env->grep.rx;
	return word || !regex_can_start_with(find, 'G') ? 1 : p->gs->ng + 1u;
}

static struct goroutines_search *new_search(
    const struct goroutines_state *p, const struct pane_env *env, const char *grep)
{
	struct err e;
	struct goroutines_search *h = xcalloc(1, sizeof *h);
	struct goroutines_matches *t = &h->t;
	*h = (struct goroutines_search){.sn = session_snap(env->s),
	    .by_function = p->by == GROUP_KEY_FUNCTION, .g = p->gs->g, .groups = p->groups,
	    .norder = p->table[GL_GROUPS].rows.n};
	h->find = regex_new(regex_pattern(env->find.rx), &e);
	h->grep = env->grep.rx ? regex_new(regex_pattern(env->grep.rx), &e) : NULL;
	t->find = arena_printf(&t->mem, "%s", env->find.text);
	t->grep = arena_printf(&t->mem, "%s", grep);
	t->g = arena_zalloc(&t->mem, p->gs->ng + 1u);
	t->row = arena_zalloc(&t->mem, p->ngroup + 1u);
	t->under = arena_zalloc(&t->mem, (p->ngroup + 1u) * sizeof *t->under);
	h->order = arena_alloc(&t->mem, (h->norder + 1u) * sizeof *h->order);
	if (h->norder)
		memcpy(h->order, p->table[GL_GROUPS].item, h->norder * sizeof *h->order);
	h->said = xcalloc(h->sn->ntrks + (size_t)1, 1);
	return h;
}

static bool is_of(const struct goroutines_matches *t, const struct pane_env *env, const char *grep)
{
	return t->find && !strcmp(t->find, env->find.text) && !strcmp(t->grep, grep);
}

static void take_matches(struct goroutines_state *p, struct goroutines_search *h)
{
	if (!h)
		return;
	arena_free(&p->tree.mem);
	p->tree = h->t;
	h->t.mem = (struct arena){0};
	free_search(h);
}

bool goroutines_search(struct goroutines_state *p, const struct pane_env *env)
{
	const char *grep = env->grep.rx ? env->grep.text : "";
	if (is_of(&p->tree, env, grep)) {
		async_stop(&p->search);
		return true;
	}
	struct goroutines_search *h = async_wanted(&p->search);
	if (h && is_of(&h->t, env, grep))
		return false;
	goroutines_search_clear(p);
	h = async_start(&p->search, &search_kind, new_search(p, env, grep), search_cost(p, env));
	take_matches(p, h);
	return h != NULL;
}

void goroutines_search_finish(struct goroutines_state *p)
{
	take_matches(p, async_finish(&p->search));
	goroutines_drop_hits(p);
}

void goroutines_search_clear(struct goroutines_state *p)
{
	async_stop(&p->search);
	arena_free(&p->tree.mem);
	memset(&p->tree, 0, sizeof p->tree);
}
