/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Batches: the entries that wait to be sealed are cut into batches and handed on (seal_pipeline.c).
 *
 * A batch starts where the previous one ended and has all entries from there to its own end; entries of a later time
 * stay and start the next batch. The end of a batch depends on the entries alone, never on how many arrive in one call,
 * so that any number of threads makes the same store. The tracks that exist are counted in groups of SHEET_CROWD
 * neighbours, and the state of a group in which no track exists any more is dropped with the batch.
 *
 * Batches are cut where the reader has delivered all earlier entries, and before that whenever SHEET_WHOLE entries wait
 * (fewer in a small file): a waiting entry takes more memory than a sealed one, and a generation may hold tens of
 * millions. A sheet has a row for each track that exists, even if the track does nothing. So where many tracks exist,
 * enough entries wait to keep the rows below a quarter of the sheet. An entry of the sealed past that arrives
 * afterwards (of a goroutine that is first mentioned late) is in the sheets from the cut on, and its row records since
 * when the goroutine really existed.
 */
#include "config.h"
#include "store/tracks/internal.h"

#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "store/tracks/seal_pipeline.h"

#include <string.h>

/* Reserve room for a whole batch as soon as a batch is not small, since nearly all become whole ones: untouched room
   takes no memory, and growing in steps would copy the entries. */
struct sink_enter *tracks_room(const struct tracks *k, struct sheet_batch *p, size_t n)
{
	enum { FEW = 1 << 13 };
	size_t need = p->n + n, all = k->whole + FEW;
	if (need > p->centry)
		p->entry = mem_grow(p->entry, &p->centry, need > FEW && need < all ? all : need, sizeof *p->entry);
	return p->entry;
}

void tracks_list_in_batch(struct sheet_batch *p, struct track_last *l, trk_id trk)
{
	p->listed = mem_grow(p->listed, &p->clisted, p->nlisted + 1, sizeof *p->listed);
	p->listed[p->nlisted++] = (struct sheet_batch_track){ .trk = trk, .g = l->class };
	l->life |= LISTED;
}

void tracks_note_empty_group(struct tracks *k, uint32_t crowd)
{
	if (k->nleft && k->left[k->nleft - 1] == crowd)
		return;
	k->left = mem_grow(k->left, &k->cleft, k->nleft + 1, sizeof *k->left);
	k->left[k->nleft++] = crowd;
}

/* Drop the per-track state of a complete group of tracks once none of them exists and none occurs in the current
   batch. */
static void forget_empty_groups(struct tracks *k)
{
	/* discard adjacent groups in one call: each call interrupts every thread */
	size_t n = 0, from = 0, upto = 0;
	for (size_t i = 0; i < k->now.n; i++)
		k->crowd[k->now.entry[i].trk / SHEET_CROWD]++;
	for (size_t i = 0; i < k->nleft; i++) {
		size_t at = (size_t)k->left[i] * SHEET_CROWD;
		if (at + SHEET_CROWD > k->n || (k->now.n && k->crowd[k->left[i]])) {
			k->left[n++] = k->left[i];
		} else if (!k->crowd[k->left[i]]) {
			if (upto != at) {
				page_array_discard(&k->lasts, from, upto);
				from = at;
			}
			upto = at + SHEET_CROWD;
		}
	}
	page_array_discard(&k->lasts, from, upto);
	k->nleft = n;
	for (size_t i = 0; i < k->now.n; i++)
		k->crowd[k->now.entry[i].trk / SHEET_CROWD]--;
}

/* Set the least number of entries of a batch. In a long trace each batch is a share of what was sealed before it, so
   that sheets are few and drawing the whole trace stays cheap. */
static void next_least(struct tracks *k)
{
	size_t share = k->sent / SEAL_SHEETS;
	k->least = share < k->whole ? k->whole : share > SEAL_MOST ? SEAL_MOST : share;
}

/* Move the entries from v[from] on with t >= t1 to `late`, keeping the order of both. Return the number of entries that
   stay. */
static size_t split_late(struct tracks *k, size_t from, int64_t t1, struct sheet_batch *late)
{
	struct sink_enter *v = k->now.entry;
	size_t n = from;
	for (size_t i = from; i < k->now.n; i++) {
		if (v[i].t < t1) {
			v[n++] = v[i];
		} else {
			tracks_room(k, late, 1)[late->n++] = v[i];
			k->last[v[i].trk].n--;
			k->last[v[i].also].n--;
		}
	}
	return n;
}

/* Set the number of entries of each listed track, drop the tracks without any, and clear the counts for the next
   batch. */
static void count_listed(struct tracks *k)
{
	struct sheet_batch *p = &k->now;
	size_t n = 0;
	for (size_t i = 0; i < p->nlisted; i++) {
		struct track_last *l = &k->last[p->listed[i].trk];
		p->listed[n] = p->listed[i];
		p->listed[n].n = l->n;
		n += l->n || l->first;
		l->n = 0;
		l->first = false;
		l->life &= (uint8_t)~(TOLD | LISTED);
	}
	p->nlisted = n;
}

/* Count an entry that is in the current batch, which starts at t0, for its track and for the P it also describes. */
static void list_entry_tracks(struct tracks *k, const struct sink_enter *e, int64_t t0)
{
	tracks_count_entry(&k->now, &k->last[e->trk], e->trk, e->t == t0);
	if (e->also)
		tracks_count_entry(&k->now, &k->last[e->also], e->also, e->t == t0);
}

/* Hand on the batch [sealed, t1) with the entries before t1. The other entries stay; both keep their order. */
static void cut_batch(struct tracks *k, int64_t t1)
{
	struct sheet_batch late = {0}, *p = &k->now;
	size_t from = t1 > k->newest ? p->n : t1 == k->newest ? k->ties : 0;
	tracks_room(k, p, 1);
	p->n = split_late(k, from, t1, &late);
	count_listed(k);
	p->t0 = k->sealed;
	p->t1 = t1;
	p->ntrks = k->n;
	p->nstks = column_n(&k->st->stks);
	bool past = p->past;
	k->sent += p->n;
	next_least(k);
	seal_batch(k->seal_pipeline, p);
	k->sealed = t1;
	p->past = past && late.n;
	if (late.n)
		memcpy(tracks_room(k, p, late.n), late.entry, late.n * sizeof *p->entry);
	p->n = late.n;
	for (size_t i = 0; i < late.n; i++)
		list_entry_tracks(k, &late.entry[i], t1);
	if (k->nleft)
		forget_empty_groups(k);
	k->ties = 0;
	mem_free(late.entry);
}

/* Waiting entries in the order of time, those of one time as they arrived. The first `at` of them are in the batch
   again or sealed. */
struct late_entries {
	struct sink_enter *entry;
	size_t n, at;
	bool past;
};

static void sort_waits(struct late_entries *w)
{
	size_t i = 1;
	while (i < w->n && w->entry[i - 1].t <= w->entry[i].t)
		i++;
	if (i >= w->n)
		return;
	struct radix_item *key = xmalloc(w->n * sizeof *key);
	struct sink_enter *sorted = xmalloc(w->n * sizeof *sorted);
	for (i = 0; i < w->n; i++)
		key[i] = (struct radix_item){ radix_key_ascending(w->entry[i].t), (uint32_t)i };
	radix_sort_items(key, (uint32_t)w->n);
	for (i = 0; i < w->n; i++)
		sorted[i] = w->entry[key[i].v];
	mem_free(key);
	mem_free(w->entry);
	w->entry = sorted;
}

/* Take all waiting entries out of the batch and sort them. */
static struct late_entries take_out(struct tracks *k)
{
	struct sheet_batch *p = &k->now;
	struct late_entries w = { .entry = p->entry, .n = p->n, .past = p->past };
	count_listed(k);
	p->entry = NULL;
	p->n = p->centry = p->nlisted = 0;
	p->past = false;
	sort_waits(&w);
	return w;
}

/* Make the entries before t1, and no others, the entries of the batch. */
static void put_back(struct tracks *k, struct late_entries *w, int64_t t1)
{
	struct sheet_batch *p = &k->now;
	size_t from = w->at;
	for (; w->at < w->n && w->entry[w->at].t < t1; w->at++)
		list_entry_tracks(k, &w->entry[w->at], k->sealed);
	p->n = w->at - from;
	if (p->n)
		memcpy(tracks_room(k, p, 0), w->entry + from, p->n * sizeof *p->entry);
	p->past = w->past;
}

/* Seal up to t in batches of bounded length. There may be as many batches as entries, so all entries are taken out once
   and each is moved back once. */
static void upto_far(struct tracks *k, int64_t t)
{
	struct late_entries w = take_out(k);
	while (t - k->sealed > SHEET_MAX_NS) {
		int64_t first = w.at < w.n ? w.entry[w.at].t : INT64_MAX, end = k->sealed + SHEET_MAX_NS;
		if (first - k->sealed > SHEET_MAX_NS / 2)	/* nothing starts for long */
			end = first < t ? first : t;
		put_back(k, &w, end);
		cut_batch(k, end);
	}
	put_back(k, &w, INT64_MAX);
	mem_free(w.entry);
}

void tracks_upto(struct tracks *k, int64_t t)
{
	if (t > k->newest && t == INT64_MAX)
		t = k->newest;
	if (t > k->sealed && t - k->sealed > SHEET_MAX_NS)
		upto_far(k, t);
	if (t > k->sealed)
		cut_batch(k, t);
}

/* Does not cut where many tracks exist: a short sheet has as many rows as a long one. Fewer entries than
   rows always wait: a file of short generations would make rows without end. */
void tracks_generation(struct tracks *k, int64_t t)
{
	if (k->now.n > k->there && (size_t)SEAL_ROW * k->there <= k->least)
		tracks_upto(k, t);
}

void tracks_set_total(struct tracks *k, uint64_t bytes)
{
	enum { SMALL = 1 << 25 };
	k->whole = SHEET_WHOLE;
	if (bytes < SMALL)
		seal_set_lean(k->seal_pipeline);
	while (bytes && k->whole > SEAL_MIN && k->whole / 2 >= bytes / SEAL_SHARE)
		k->whole /= 2;
	next_least(k);
}

void tracks_set_start(struct tracks *k, int64_t t)
{
	k->sealed = k->newest = t;
	seal_set_start(k->seal_pipeline, t);
}
