/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Keys of goroutines. Each way takes one pass over tracks, marks, spans or rows
 * of sheets; none walks events. A goroutine has exactly one key in each way. If
 * several would fit (many tasks, many Ps), the first or the last one is taken,
 * because sums of overlapping groups have no meaning.
 */
#include "config.h"
#include "trace/stats/group_key.h"

#include "store/builder.h"
#include "store/tracks/time_search.h"
#include "trace/bins.h"
#include "trace/stats/goroutine_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct { const char *name, *head;
} ways[GROUP_KEY__N] = {
    [GROUP_KEY_FUNCTION] = {"function", "START FUNCTION"},
    [GROUP_KEY_CREATOR] = {"creator", "CREATED IN"},
    [GROUP_KEY_STATE] = {"state", "AT THE END"},
    [GROUP_KEY_LABEL] = {"label", "LABEL"},
    [GROUP_KEY_TASK] = {"task", "TASK"},
    [GROUP_KEY_PROC] = {"proc", "LAST RAN ON"},
    [GROUP_KEY_LIFE] = {"life", "LIFE"},
    [GROUP_KEY_WORK] = {"work", "EXECUTED FUNCTION"},
};

static const char *const states[TS__N] = {
#define STATE(id, letter, name, reason) name,
#include "state.def"
#undef STATE
};

const char *group_key_name(enum group_key_kind by)
{
	return by < GROUP_KEY__N ? ways[by].name : "";
}

const char *group_key_heading(enum group_key_kind by)
{
	return by < GROUP_KEY__N ? ways[by].head : "";
}

int group_key_find(const char *name)
{
	for (int i = 0; i < GROUP_KEY__N; i++)
		if (!strcmp(ways[i].name, name))
			return i;
	return -1;
}

static str_id text(const struct snap *sn, const char *s)
{
	return builder_add_string(sn, s, strlen(s));
}

enum group_key_kind group_key_best(const struct snap *sn)
{
	/* names are chosen when all is read; until then the loader adds rows */
	for (uint32_t i = 1; sn->complete && i < column_n(&sn->st->trk_origins); i++) {
		const struct trk_origin *o = column_at(&sn->st->trk_origins, i);
		if (o->name != o->start_fun)
			return GROUP_KEY_WORK;
	}
	return GROUP_KEY_FUNCTION;
}

static void by_work(const struct snap *sn, str_id *key)
{
	for (trk_id t = 1; t < sn->ntrks; t++)
		key[t] = store_trk_name(sn->st, t);
}

static void by_creator(const struct snap *sn, str_id *key)
{
	str_id unknown = text(sn, "(not seen)");
	for (trk_id t = 1; t < sn->ntrks; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		stk_id created = store_origin(sn->st, r)->created;
		trk_id creator = r->creator;
		if (created)
			key[t] = store_fun(sn->st, store_frm(sn->st, stk_frame(sn->st, created))->fun)->name;
		else if (creator)
			key[t] = store_trk_name(sn->st, creator);
		if (!key[t])
			key[t] = unknown;
	}
}

static void by_state(const struct snap *sn, int64_t t1, str_id *key)
{
	str_id name[TS__N], ended = text(sn, "ended"), born = text(sn, "not created yet");
	for (int i = 0; i < TS__N; i++)
		name[i] = text(sn, states[i]);
	name[TS_NONE] = born;
	for (trk_id t = 1; t < sn->ntrks; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		if (r->kind != TK_G)
			continue;
		int64_t end = store_t1(sn->st, r), heard = store_heard(sn->st, r), at = t1 - 1;
		/* it was in that state then, before its first sheet */
		if (heard != TIME_NONE && r->t0 <= at && at < heard)
			at = heard;
		if (end != TIME_NONE && end <= t1)
			key[t] = ended;
		/* only the state is needed; its start would take a search in earlier sheets, for each goroutine */
		else
			key[t] = name[trace_interval_state(sn, t, at)];
	}
}

static void by_label(const struct snap *sn, str_id *key)
{
	str_id none = text(sn, "(no label)");
	for (trk_id t = 1; t < sn->ntrks; t++)
		key[t] = none;
	for (uint32_t i = 0; i < sn->nmarks; i++) {
		const struct sink_mark *m = store_mark(sn->st, i);
		if (m->kind == MK_LABEL && m->trk && m->trk < sn->ntrks && m->text)
			key[m->trk] = m->text;
	}
}

/* Spans are in the order of their ends: the first task is that with the earliest start. */
static void by_task(const struct snap *sn, str_id *key, struct arena *a, const struct progress_watcher *on)
{
	const struct stats_tasks *ts = stats_tasks(sn, a, on);
	int64_t *first = xmalloc((sn->ntrks + 1u) * sizeof *first);
	str_id none = text(sn, "(no task)");
	for (trk_id t = 0; t < sn->ntrks; t++) {
		key[t] = none;
		first[t] = INT64_MAX;
	}
	for (uint32_t i = 0; i < sn->nspans; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		if ((s->kind != SP_REGION && s->kind != SP_TASK) || !s->id || !s->trk || s->t0 >= first[s->trk])
			continue;
		uint32_t t = stats_task_find(ts, s->id);
		if (t == UINT32_MAX || !ts->task[t].name)
			continue;
		first[s->trk] = s->t0;
		key[s->trk] = ts->task[t].name;
	}
	mem_free(first);
}

static void by_proc(const struct snap *sn, int64_t t0, int64_t t1, str_id *key)
{
	str_id none = text(sn, "(did not run)");
	trk_id *last = xcalloc(sn->ntrks + 1u, sizeof *last);
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		const struct sheet_slot *slot = store_slot(sn->st, i);
		if (slot->t1 <= t0 || slot->t0 >= t1)
			continue;
		const struct sheet *sh = sheet_get(sn, i);
		for (uint32_t r = sh->nother; r < sh->ntrk; r++)
			for (uint32_t k = sh->first[r + 1]; k-- > sh->first[r];)
				if ((sh->state[k] & SHEET_STATE) == TS_RUN && sh->t0 + sheet_start(sh, k) < t1) {
					last[sh->trk[r]] = sheet_peer(sh, k);
					break;
				}
	}
	for (trk_id t = 1; t < sn->ntrks; t++) {
		char name[24];
		key[t] = none;
		if (!last[t] || last[t] >= sn->ntrks)
			continue;
		snprintf(name, sizeof name, "P%" PRIu64, (uint64_t)store_trk(sn->st, last[t])->id);
		key[t] = text(sn, name);
	}
	mem_free(last);
}

static void by_life(const struct snap *sn, int64_t t0, int64_t t1, str_id *key)
{
	static const char *const name[2][2] = {
		{"alive all the time", "existed before, ended"}, {"created, never ended", "created and ended"}};
	str_id id[2][2];
	for (int i = 0; i < 4; i++)
		id[i / 2][i % 2] = text(sn, name[i / 2][i % 2]);
	for (trk_id t = 1; t < sn->ntrks; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		/* a goroutine from before the window has no creation event; a new one has a creator or a creation
		   stack */
		bool before = r->t0 == TIME_NONE || r->t0 < t0 || (!store_origin(sn->st, r)->created && !r->creator);
		int64_t end = store_t1(sn->st, r);
		bool ended = end != TIME_NONE && end <= t1 && end < sn->t1;
		key[t] = id[!before][ended];
	}
}

str_id *group_key_make(const struct snap *sn, enum group_key_kind by, int64_t t0, int64_t t1, struct arena *a,
    const struct progress_watcher *on)
{
	if (by == GROUP_KEY_FUNCTION)
		return NULL;
	str_id *key = arena_zalloc(a, (sn->ntrks + 1u) * sizeof *key);
	switch (by) {
	case GROUP_KEY_WORK: by_work(sn, key); break;
	case GROUP_KEY_CREATOR: by_creator(sn, key); break;
	case GROUP_KEY_STATE: by_state(sn, t1, key); break;
	case GROUP_KEY_LABEL: by_label(sn, key); break;
	case GROUP_KEY_TASK: by_task(sn, key, a, on); break;
	case GROUP_KEY_PROC: by_proc(sn, t0, t1, key); break;
	default: by_life(sn, t0, t1, key); break;
	}
	return key;
}
