/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The first screen of a profile: program, duration, highlights.
 *
 * The head line shows as many facts as fit after its summary and the filters; the message line
 * shows the highlights until the first key. For traces the timeline does both.
 */
#include "config.h"
#include "app/internal.h"

#include "base/text/text.h"
#include "calltree/highlights.h"
#include "profile/common.h"

#include <stdio.h>
#include <string.h>

/* Append the program's name: that of the first mapping. */
static void put_program(const struct snap *sn, struct buf *b)
{
	const struct map_row *m = column_n(&sn->st->maps) > 1 ? column_at(&sn->st->maps, 1) : NULL;
	const struct str_row *file = m ? store_str(sn->st, m->file) : NULL;
	const char *s = file ? file->s : "", *slash = strrchr(s, '/');
	s = slash ? slash + 1 : s;
	if (*s && *s != '[')
		text_safe(b, s, strlen(s));
}

static bool is_cpu(const struct app *a)
{
	return !strcmp(session_type_name(a->s, session_type(a->s)), "cpu");
}

/* Return the calls at the granularity of the pane, so that no other tree is made for this. NULL: they are being
   made. */
static struct weighted_tree *calls_now(const struct app *a)
{
	return session_calls_async(a->s, (enum gran)profile_granularity(&a->env), FOR_SYMBOLS);
}

static int64_t all_of(const struct app *a)
{
	struct weighted_tree *c = session_calls_ready(a->s);
	c = c ? c : calls_now(a);
	int64_t all = c ? c->all : -1;
	weighted_free(c);
	return all;
}

/* Write the facts about a profile to b[], the most useful first; return how many, at most FACTS. */
enum { FACTS = 4 };
static int put_facts(struct app *a, struct buf *b)
{
	const struct snap *sn = session_snap(a->s);
	const struct sink_meta *m = sn->meta;
	int n = 0;
	if (session_is_trace(a->s) || !sn->complete || !m || session_query(a->s)->b)
		return 0;
	put_program(sn, &b[n]);
	n += b[n].n > 0;
	if (m->duration > 0) {
		buf_puts(&b[n], "over ");
		text_ns(&b[n], m->duration);
		int64_t all = all_of(a);
		double share = text_percent(all, m->duration);
		if (is_cpu(a) && all >= 0)	/* large with many CPUs: avoid 2.33e+04% */
			buf_printf(&b[n], share < 1000 ? " (%.3g%%)" : " (%.0f%%)", share);
		n++;
	}
	text_date(&b[n], m->time, "%Y-%m-%d %H:%M UTC");
	n += b[n].n > 0;
	if (m->period > 1 && m->period_unit) {
		buf_puts(&b[n], "every ");
		text_value(&b[n++], m->period, store_str(sn->st, m->period_unit)->s);
	}
	return n;
}

void app_describe_profile(struct app *a, size_t room, struct buf *out)
{
	struct buf b[FACTS] = {{0}, {0}, {0}, {0}};
	int n = pane_now(a)->bit & (P_TOP | P_FLAME | P_TAGS) ? put_facts(a, b) : 0;
	for (int i = 0; i < n; i++) {
		size_t w = text_width(b[i].p, b[i].n) + 3;
		if (w <= room) {
			buf_puts(out, " | ");
			buf_put(out, b[i].p, b[i].n);
			room -= w;
		}
	}
	for (int i = 0; i < FACTS; i++)
		buf_free(&b[i]);
}

static int put_shares(const struct share *v, size_t n, int64_t all, double least, struct buf *b)
{
	int printed = 0;
	for (size_t i = 0; i < n; i++) {
		double part = text_percent(v[i].weight, all);
		if (part < least)
			break;
		buf_printf(b, "%s", printed++ ? ", " : "");
		text_safe(b, v[i].name, strlen(v[i].name));
		buf_printf(b, " %.0f%%", part);
	}
	return printed;
}

/* Return whether the profile is a goroutine dump, whose samples have the state of the goroutine as a tag: stacks without
   frames of the runtime do not tell what it waits for. The lines above the table do. */
static bool is_dump(const struct snap *sn)
{
	enum { LOOKED_AT = 64 };	/* each goroutine has it among its first tags */
	for (size_t i = 0; i < LOOKED_AT && i < column_n(&sn->st->labels); i++) {
		const struct str_row *key = store_str(sn->st, store_label(sn->st, (uint32_t)i)->key);
		if (key->n == strlen("state") && !memcmp(key->s, "state", key->n))
			return true;
	}
	return false;
}

static void put_highlights(struct app *a, struct buf *b)
{
	if (session_is_trace(a->s) || is_dump(session_snap(a->s)) || !session_snap(a->s)->complete || session_query(a->s)->b)
		return;
	struct weighted_tree *c = calls_now(a);
	struct buf pkg = {0};
	if (c && c->total > 0) {
		const struct shares *s = session_shares(a->s, c);
		int printed = put_shares(s->work, s->nwork, c->total, 3, b);
		bool one = s->npkg && text_percent(s->pkg[0].weight, c->total) >= 99.5;	/* it has all the weight */
		if (!one && put_shares(s->pkg, s->npkg, c->total, 5, &pkg))
			buf_printf(b, "%s%s", printed ? "; " : "", buf_str(&pkg));
	}
	buf_free(&pkg);
	weighted_free(c);
}

void app_announce_highlights(struct app *a)
{
	struct buf b = {0};
	if (a->status.greeted || !session_snap(a->s)->complete)
		return;
	a->status.greeted = true;
	if (a->in.keyed || a->status.text[0])
		return;
	put_highlights(a, &b);
	a->status.greeted = b.n || !session_weighing_job(a->s);
	size_t room = a->screen.cols > 12 ? (size_t)(a->screen.cols - 12) : 0;
	while (b.n > room)	/* drop the smallest shares */
		for (b.n--; b.n && b.p[b.n] != ',' && b.p[b.n] != ';'; b.n--)
			;
	if (b.n)
		app_message(a, ST_DIM, "shares: %.280s", buf_str(&b));
	buf_free(&b);
}
