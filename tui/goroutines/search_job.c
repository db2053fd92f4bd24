/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Who is a hit of a search among the goroutines: groups, and all that are in them. A word is in names of which there
 * are few, and that is found out with the letter; an expression, or a number, has to be asked of each of a million
 * goroutines, a quarter of a second. So that is a job, which owns its expressions and what it finds, and reads the
 * groups that there are: these do not change, and who lets go of them stops it first. Another letter stops it too.
 * What is found is known whole or not at all, so a hit is never jumped to that is not the next.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/regex.h"
#include "base/text/text.h"

#include <string.h>

enum { AT_ONCE = 20000, ASKED = 1 << 12 };	/* goroutines; after so many it asks whether it is still wanted */

struct gor_hunt {
	struct job *job;
	const struct snap *sn;
	const struct rx *find, *grep;	/* grep NULL: none */
	struct rx *own[2];		/* the same, of a job */
	bool by_function;
	const trk_id *trk, *creator;
	const struct gor_row *groups;
	uint32_t *order, norder;	/* groups that are listed */
	struct gor_tree t;
	uint8_t *said;			/* by track, whether it is a hit as a creator: 0 not asked yet, 1 no, 2 yes */
	struct buf b;
};

/* Is goroutine k of gs->g a hit, by what it has of its own? */
static bool own_match(struct gor_hunt *h, uint32_t k)
{
	const struct store *st = h->sn->st;
	struct buf *b = &h->b;
	buf_reset(b);
	tp_id(st, h->trk[k], b);
	if (!h->by_function) {
		buf_putc(b, ' ');
		tp_str(st, store_trk(st, h->trk[k])->name, "(no start function)", b);
	}
	if (h->creator[k]) {
		buf_putc(b, ' ');
		tp_who(st, h->creator[k], b);
	}
	return rx_match(h->find, b->p, b->n);
}

/* A word is in the number or in what is said of the creator: each of these is asked once, however many it has made. */
static bool may_be_number(const char *word)
{
	return !word[strspn(word, "PMG0123456789")];
}

static bool by_number(struct gor_hunt *h, uint32_t k)
{
	buf_reset(&h->b);
	tp_id(h->sn->st, h->trk[k], &h->b);
	return rx_match(h->find, h->b.p, h->b.n);
}

static bool by_creator(struct gor_hunt *h, uint32_t k)
{
	trk_id t = h->creator[k];
	if (t && !h->said[t]) {
		buf_reset(&h->b);
		tp_who(h->sn->st, t, &h->b);
		h->said[t] = rx_match(h->find, h->b.p, h->b.n) ? 2 : 1;
	}
	return t && h->said[t] == 2;
}

static bool grepped(const struct gor_hunt *h, uint32_t k)
{
	if (!h->grep)
		return true;
	struct gor_row row = {.name = store_trk(h->sn->st, h->trk[k])->name, .trk = h->trk[k]};
	return gor_match(h->sn->st, &row, h->grep);
}

/* Hits among the goroutines of a group: each begins with a G. */
static uint32_t look_into(struct gor_hunt *h, const struct gor_row *r, struct job *j)
{
	bool word = rx_is_word(h->find) && h->by_function, number = may_be_number(rx_text(h->find));
	uint8_t *hit = h->t.g;
	uint32_t n = 0;
	if (!rx_begins(h->find, 'G'))
		return 0;
	for (uint32_t k = r->first; k < r->first + r->n; k++) {
		hit[k] = !word ? own_match(h, k) : (number && by_number(h, k)) || by_creator(h, k);
		hit[k] = hit[k] && grepped(h, k);
		n += hit[k];
		if (k % ASKED == 0) {
			store_rest(h->sn);
			if (j && job_cancelled(j))
				break;
		}
	}
	return n;
}

static int look(struct job *j, void *arg)
{
	struct gor_hunt *h = arg;
	struct gor_tree *t = &h->t;
	for (uint32_t k = 0; k < h->norder && !(j && job_cancelled(j)); k++) {
		uint32_t i = h->order[k];
		t->all += t->row[i] = gor_match(h->sn->st, &h->groups[i], h->find);
		t->all += t->under[i] = look_into(h, &h->groups[i], j);
	}
	return 0;
}

/* A few names are asked, and not each goroutine. */
static bool is_short(const struct gor *p, const struct pane_env *env)
{
	const struct rx *find = env->find.rx;
	bool word = rx_is_word(find) && p->by == GB_FUNCTION && !may_be_number(rx_text(find)) && !env->grep.rx;
	return job_wanted() > 1 ? false : p->gs->ng <= AT_ONCE || word || !rx_begins(find, 'G');
}

static struct gor_hunt *hunt_new(const struct gor *p, const struct pane_env *env, const char *grep)
{
	struct gor_hunt *h = xcalloc(1, sizeof *h);
	struct gor_tree *t = &h->t;
	*h = (struct gor_hunt){.sn = session_snap(env->s), .find = env->find.rx, .grep = env->grep.rx,
	    .by_function = p->by == GB_FUNCTION, .trk = p->trk, .creator = p->creator, .groups = p->groups,
	    .norder = p->rows[GL_GROUPS].n};
	t->find = arena_printf(&t->mem, "%s", env->find.text);
	t->grep = arena_printf(&t->mem, "%s", grep);
	t->g = arena_zalloc(&t->mem, p->gs->ng + 1u);
	t->row = arena_zalloc(&t->mem, p->ngroup + 1u);
	t->under = arena_zalloc(&t->mem, (p->ngroup + 1u) * sizeof *t->under);
	h->order = arena_alloc(&t->mem, (h->norder + 1u) * sizeof *h->order);
	if (h->norder)
		memcpy(h->order, p->order[GL_GROUPS], h->norder * sizeof *h->order);
	h->said = xcalloc(h->sn->ntrks + (size_t)1, 1);
	return h;
}

static void hunt_free(struct gor_hunt *h)
{
	rx_free(h->own[0]);
	rx_free(h->own[1]);
	mem_free(h->said);
	buf_free(&h->b);
	mem_free(h);
}

/* Expressions of its own, for who types on throws those away; false: no thread. */
static bool start(struct gor_hunt *h)
{
	struct err e;
	h->own[0] = rx_new(rx_text(h->find), &e);
	h->own[1] = h->grep ? rx_new(rx_text(h->grep), &e) : NULL;
	if (!h->own[0] || (h->grep && !h->own[1]))
		return false;
	h->find = h->own[0];
	h->grep = h->own[1];
	h->job = job_start(look, h);
	return h->job != NULL;
}

static bool is_of(const struct gor_tree *t, const struct pane_env *env, const char *grep)
{
	return t->find && !strcmp(t->find, env->find.text) && !strcmp(t->grep, grep);
}

static void take(struct gor *p, struct gor_hunt *h)
{
	arena_free(&p->tree.mem);
	p->tree = h->t;
	hunt_free(h);
}

bool gor_hunt(struct gor *p, const struct pane_env *env)
{
	const char *grep = env->grep.rx ? env->grep.text : "";
	if (is_of(&p->tree, env, grep)) {
		gor_hunt_stop(p);
		return true;
	}
	if (p->hunt && is_of(&p->hunt->t, env, grep))
		return false;
	gor_hunt_forget(p);
	struct gor_hunt *h = hunt_new(p, env, grep);
	if (!is_short(p, env) && start(h)) {
		p->hunt = h;
		return false;
	}
	look(NULL, h);
	take(p, h);
	return true;
}

struct job *gor_hunt_job(const struct gor *p)
{
	return p->hunt ? p->hunt->job : NULL;
}

void gor_hunt_done(struct gor *p)
{
	struct gor_hunt *h = p->hunt;
	p->hunt = NULL;
	job_join(h->job);
	take(p, h);
}

void gor_hunt_stop(struct gor *p)
{
	struct gor_hunt *h = p->hunt;
	p->hunt = NULL;
	if (!h)
		return;
	job_cancel(h->job);
	job_join(h->job);
	arena_free(&h->t.mem);
	hunt_free(h);
}

void gor_hunt_forget(struct gor *p)
{
	gor_hunt_stop(p);
	arena_free(&p->tree.mem);
	memset(&p->tree, 0, sizeof p->tree);
}
