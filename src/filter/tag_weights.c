/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Weights by label. The match flags decide which samples count, as for the call tree (weigh.c), but no tree is built:
 * the weight of a sample is added to its label set, of which there are few; then each set adds its weight to its
 * labels. A key has the weight of the samples that have it, however many values they have for it, so the values of a
 * key may add up to more.
 */
#include "config.h"
#include "filter/tag_weights.h"

#include "base/intern.h"
#include "base/text/pprof_units.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "calltree/labels.h"
#include "calltree/weighted.h"
#include "filter/states.h"

#include <inttypes.h>
#include <string.h>

struct pool { int64_t weight, other; };

static void add_weight(struct pool *p, int64_t w, int64_t o)
{
	p->weight = wrap_add(p->weight, w);
	p->other = wrap_add(p->other, o);
}

/* Compute the shown and the other column of a sample. Return false if it does not count. */
static bool sample_columns(const struct sides *d, uint32_t side, int64_t v, int64_t *w, int64_t *o)
{
	bool a = !d || side_in(d->a, side), b = d && side_in(d->b, side);
	int64_t x = a ? d ? sides_scaled(v, d->ratio) : v : 0, y = b ? v : 0;
	if (!v || !(a || b))
		return false;
	*w = !d || !d->b || d->show == SHOW_A ? x : d->show == SHOW_B ? y : wrap_sub(x, y);
	*o = !d || !d->b ? 0 : d->show == SHOW_B ? x : y;
	return true;
}

/* Return the weight of every label set, from the samples that the query leaves. */
static struct pool *weigh_sets(const struct snap *sn, const struct compiled_filters *fc, size_t type, bool noinlines,
    const struct sides *d, const struct labels *ls)
{
	struct arena a = {0};
	struct frame_matches v;
	struct pool *set = xcalloc(ls->nset, sizeof *set);
	const uint8_t *keep = filter_has_tags(fc) ? filter_match_sets(fc, ls, &a) : NULL;
	match_frames(&v, fc, sn, noinlines);
	const uint8_t *state = states_of_stacks(&v, sn, NULL, 0, &a);
	for (uint32_t i = 0; type < sn->ntypes && i < sn->nsmps; i++) {
		const struct smp_row *s = store_smp(sn->st, i);
		int64_t w, o;
		if ((!state || state[s->stack]) && (!keep || keep[s->set]) &&
		    sample_columns(d, store_side(sn->st, i), store_value(sn->st, type, i), &w, &o))
			add_weight(&set[s->set], w, o);
	}
	match_free(&v);
	arena_free(&a);
	return set;
}

struct weights_maker {
	struct tags *t;
	const struct labels *ls;
	const struct compiled_filters *fc;
	struct intern index;	/* of values */
	struct intern keys;	/* of keys */
	uint32_t *of;		/* by value: its key */
	uint32_t *seen;		/* by key: the last label set that had it, + 1 */
	size_t ckey, cvalue, cof, cseen;
};

struct probe { uint32_t key; const struct sink_label *l; };

static int same_value(const void *ctx, uint32_t id, const void *arg)
{
	const struct weights_maker *m = ctx;
	const struct probe *p = arg;
	const struct tag_value *v = &m->t->value[id];
	return m->of[id] == p->key && v->text == label_is_text(p->l) && v->str == p->l->str &&
	       (v->text || v->num == p->l->num);
}

static int same_key(const void *ctx, uint32_t id, const void *key)
{
	const struct weights_maker *m = ctx;
	return m->t->key[id].key == *(const str_id *)key;
}

static uint32_t key_of(struct weights_maker *m, str_id key)
{
	struct tags *t = m->t;
	uint32_t h = intern_hash_u64(key, 0), k = intern_find(&m->keys, h, same_key, m, &key);
	if (k != UINT32_MAX)
		return k;
	k = t->nkey++;
	t->key = mem_grow(t->key, &m->ckey, t->nkey, sizeof *t->key);
	m->seen = mem_grow(m->seen, &m->cseen, t->nkey, sizeof *m->seen);
	t->key[k] = (struct tag_key){.key = key, .unit = labels_unit(m->ls, key)};
	m->seen[k] = 0;
	intern_put(&m->keys, h, k);
	return k;
}

static void put_label(struct weights_maker *m, uint32_t key, const struct sink_label *l, const struct pool *p)
{
	struct tags *t = m->t;
	struct probe probe = {key, l};
	uint32_t h = intern_hash_u64((uint64_t)l->str << 32 | key, (uint64_t)l->num);
	uint32_t id = intern_find(&m->index, h, same_value, m, &probe);
	if (id == UINT32_MAX) {
		id = t->nvalue++;
		t->value = mem_grow(t->value, &m->cvalue, t->nvalue, sizeof *t->value);
		m->of = mem_grow(m->of, &m->cof, t->nvalue, sizeof *m->of);
		t->value[id] = (struct tag_value){.str = l->str, .text = label_is_text(l), .num = l->num};
		m->of[id] = key;
		t->key[key].n++;
		intern_put(&m->index, h, id);
	}
	struct pool sum = {t->value[id].weight, t->value[id].other};
	add_weight(&sum, p->weight, p->other);
	t->value[id].weight = sum.weight;
	t->value[id].other = sum.other;
}

/* Apply tagshow and taghide, which filter keys. */
static bool is_key_shown(const struct weights_maker *m, str_id key)
{
	const struct str_row *s = store_str(m->t->st, key);
	const struct regex *show = m->fc->rx[FILTER_TAGSHOW], *hide = m->fc->rx[FILTER_TAGHIDE];
	return (!show || regex_match(show, s->s, s->n)) && !(hide && regex_match(hide, s->s, s->n));
}

static void put_set(struct weights_maker *m, uint32_t set, const struct pool *p)
{
	uint32_t n = labels_n(m->ls, set);
	for (uint32_t i = 0; i < n; i++) {
		const struct sink_label *l = labels_at(m->ls, set, i);
		if (!is_key_shown(m, l->key))
			continue;
		uint32_t k = key_of(m, l->key);
		if (m->seen[k] != set + 1) {
			m->seen[k] = set + 1;
			struct pool sum = {m->t->key[k].weight, m->t->key[k].other};
			add_weight(&sum, p->weight, p->other);
			m->t->key[k].weight = sum.weight;
			m->t->key[k].other = sum.other;
		}
		put_label(m, k, l, p);
	}
}

static uint64_t size_of(int64_t w, int64_t o)
{
	uint64_t x = wrap_size(w), y = wrap_size(o);
	return x ? x : y / 2;	/* unchanged labels mostly come after changed ones */
}

static int cmp_key(const void *ctx, uint32_t a, uint32_t b)
{
	const struct tag_key *k = ctx;
	uint64_t x = size_of(k[a].weight, k[a].other), y = size_of(k[b].weight, k[b].other);
	return x > y ? -1 : x < y;
}

struct by_place { const struct weights_maker *m; const uint32_t *place; };

static int cmp_value(const void *ctx, uint32_t a, uint32_t b)
{
	const struct by_place *by_place = ctx;
	const struct tag_value *v = by_place->m->t->value;
	uint32_t p = by_place->place[by_place->m->of[a]], q = by_place->place[by_place->m->of[b]];
	uint64_t x = size_of(v[a].weight, v[a].other), y = size_of(v[b].weight, v[b].other);
	return p != q ? (p < q ? -1 : 1) : x != y ? (x > y ? -1 : 1) : 0;
}

/* Sort keys and their values, heaviest first, with the values of a key together. */
static void put_in_order(struct weights_maker *m)
{
	struct tags *t = m->t;
	uint32_t *k = xmalloc((t->nkey + 1u) * sizeof *k), *place = xmalloc((t->nkey + 1u) * sizeof *place);
	uint32_t *v = xmalloc((t->nvalue + 1u) * sizeof *v), at = 0;
	struct tag_key *key = arena_alloc(&t->arena, (t->nkey + 1u) * sizeof *key);
	struct tag_value *value = arena_alloc(&t->arena, (t->nvalue + 1u) * sizeof *value);
	for (uint32_t i = 0; i < t->nkey; i++)
		k[i] = i;
	calltree_sort_u32(k, t->nkey, cmp_key, t->key);
	for (uint32_t i = 0; i < t->nkey; i++) {
		place[k[i]] = i;
		key[i] = t->key[k[i]];
		key[i].first = at;
		at += key[i].n;
	}
	for (uint32_t i = 0; i < t->nvalue; i++)
		v[i] = i;
	calltree_sort_u32(v, t->nvalue, cmp_value, &(struct by_place){m, place});
	for (uint32_t i = 0; i < t->nvalue; i++)
		value[i] = t->value[v[i]];
	mem_free(t->key);
	mem_free(t->value);
	t->key = key;
	t->value = value;
	mem_free(k);
	mem_free(v);
	mem_free(place);
}

struct tags *tag_weights_new(const struct snap *sn, const struct compiled_filters *fc, size_t type, bool noinlines,
    const struct sides *d)
{
	struct tags *t = xcalloc(1, sizeof *t);
	struct labels ls = {0};
	struct weights_maker m = {.t = t, .ls = &ls, .fc = fc};
	labels_update(&ls, sn);
	t->st = sn->st;
	t->two = d && d->b;
	t->show = d ? d->show : SHOW_DELTA;
	if (type < sn->ntypes)
		t->unit = ((struct type_row *)column_at(&sn->st->types, (uint32_t)type))->unit;
	struct pool *set = weigh_sets(sn, fc, type, noinlines, d, &ls), all = {0};
	for (uint32_t s = 0; s < ls.nset; s++) {
		add_weight(&all, set[s].weight, set[s].other);
		if (set[s].weight || set[s].other)
			put_set(&m, s, &set[s]);
	}
	t->total = all.weight;
	t->other = all.other;
	put_in_order(&m);
	mem_free(set);
	mem_free(m.of);
	mem_free(m.seen);
	intern_free(&m.keys);
	intern_free(&m.index);
	labels_free(&ls);
	return t;
}

void tag_weights_free(struct tags *t)
{
	if (!t)
		return;
	arena_free(&t->arena);
	mem_free(t);
}

void tag_text(const struct tags *t, const struct tag_key *k, const struct tag_value *v, struct buf *b)
{
	const struct str_row *s = store_str(t->st, v->str);
	if (v->text)
		text_safe(b, s->s, s->n);
	else
		pprof_units_label(b, v->num, k->unit, "minimum");
}

void tag_filter(const struct tags *t, const struct tag_key *k, const struct tag_value *v, struct buf *b)
{
	const struct str_row *key = store_str(t->st, k->key), *s = store_str(t->st, v->str);
	buf_put(b, key->s, key->n);
	buf_putc(b, '=');
	if (!v->text) {
		/* a number without a unit is written without one; but a key that is its own unit may have the name of a
		   unit, such as the "bytes" of Go's heap profiles */
		const char *bare;
		pprof_units_scale(v->num, k->unit, "", &bare);
		bool unit = (*bare || strcmp(k->unit, key->s) != 0) &&
			    k->unit[strspn(k->unit, "abcdefghijklmnopqrstuvwxyz")] == 0;
		buf_printf(b, "%" PRId64 "%s", v->num, unit ? k->unit : "");
		return;
	}
	buf_putc(b, '^');
	for (uint32_t i = 0; i < s->n; i++) {
		if (strchr("\\.+*?()|[]{}^$", s->s[i]))
			buf_putc(b, '\\');
		buf_putc(b, s->s[i] == ',' ? '.' : s->s[i]);	/* a comma would separate expressions */
	}
	buf_putc(b, '$');
}

size_t tag_keys(const struct snap *sn, str_id *key, size_t max)
{
	size_t n = 0, k;
	str_id last = 0;
	for (uint32_t i = 0; i < sn->nsets && n < max; i++) {
		const struct set_row *s = store_set(sn->st, i);
		for (uint32_t j = 0; j < s->n && n < max; j++) {
			str_id id = store_label(sn->st, s->label + j)->key;
			if (id == last)
				continue;
			for (k = 0; k < n && key[k] != id; k++)
				;
			if (k == n)
				key[n++] = id;
			last = id;
		}
	}
	return n;
}
