/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The labels of a profile for `ttrace info`: for each key with text values, the
 * values with most weight, by the last sample type, as pprof chooses it. For a
 * goroutine dump these are the numbers of goroutines by reason of waiting, the main
 * reason to look at it. A file has few label sets but many samples: one pass, a hash
 * table.
 */
#include "config.h"
#include "report/info_labels.h"

#include "base/intern.h"
#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 6 };

struct label_count { str_id key, str; uint32_t order; int64_t v; };	/* order: of the key, by first use */

struct tallies {
	struct label_count *t;
	size_t n, cap;
	struct intern index;
};

static int same_label(const void *ctx, uint32_t id, const void *key)
{
	const struct label_count *a = &((const struct tallies *)ctx)->t[id], *b = key;
	return a->key == b->key && a->str == b->str;
}

static void add_value(struct tallies *ts, str_id key, str_id str, int64_t v)
{
	struct label_count want = {key, str, 0, 0};
	uint32_t h = intern_hash_u64(key, str), i = intern_find(&ts->index, h, same_label, ts, &want);
	if (i == UINT32_MAX) {
		ts->t = mem_grow(ts->t, &ts->cap, ts->n + 1, sizeof *ts->t);
		i = (uint32_t)ts->n++;
		ts->t[i] = want;
		intern_put(&ts->index, h, i);
	}
	ts->t[i].v = wrap_add(ts->t[i].v, v);
}

static int tally_cmp(const void *a, const void *b)
{
	const struct label_count *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->v != y->v)
		return x->v > y->v ? -1 : 1;
	return x->str < y->str ? -1 : x->str > y->str;
}

/* Append "chan send 94, IO wait 28, and 3 more" for t[0..n), which have one key. */
static void put_key(const struct snap *sn, const struct label_count *t, size_t n, const char *unit, struct buf *b)
{
	for (size_t i = 0; i < n && i < SHOWN; i++) {
		const struct str_row *s = store_str(sn->st, t[i].str);
		buf_puts(b, i ? ", " : "");
		buf_put(b, s->s ? s->s : "", s->n);
		buf_putc(b, ' ');
		text_value(b, t[i].v, unit);
	}
	if (n > SHOWN)
		buf_printf(b, ", and %zu more", n - SHOWN);
}

void info_labels(const struct snap *sn, info_label_fn *fact, void *arg)
{
	struct tallies ts = {0};
	if (!sn->ntypes)
		return;
	uint32_t type = sn->ntypes - 1;
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		const struct smp_row *s = store_smp(sn->st, i);
		const struct set_row *set = store_set(sn->st, s->set);
		for (uint32_t k = 0; k < set->n; k++) {
			const struct sink_label *l = store_label(sn->st, set->label + k);
			if (l->str || l->blank)
				add_value(&ts, l->key, l->str, store_value(sn->st, type, i));
		}
	}
	if (ts.n)
		qsort(ts.t, ts.n, sizeof *ts.t, tally_cmp);
	const char *unit = store_str(sn->st, ((const struct type_row *)column_at(&sn->st->types, type))->unit)->s;
	struct buf text = {0};
	for (size_t i = 0, n; i < ts.n; i += n) {
		for (n = 1; i + n < ts.n && ts.t[i + n].key == ts.t[i].key;)
			n++;
		const struct str_row *s = store_str(sn->st, ts.t[i].key);
		buf_reset(&text);
		put_key(sn, ts.t + i, n, unit ? unit : "", &text);
		fact(arg, s, text.p, text.n);
	}
	buf_free(&text);
	mem_free(ts.t);
	intern_free(&ts.index);
}
