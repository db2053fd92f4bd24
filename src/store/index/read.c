/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Reading an index. Rows and arrays are used in place, in the mapping, but none before it is checked, and everything is
 * checked before anything is added to the store, in this order:
 *
 *   1. the file: regular, owned by this user, not writable by others; its head: magic, version, layout, length, key and
 *      the head's own checksum;
 *   2. each part: its place and length inside the file, its checksum;
 *   3. text: as many bytes as the lengths add up to, a 0 after each; booleans: 0 or 1;
 *   4. the invariants of the store for its columns (store/check.c): ids below the count of their tables, parents before
 *      children, times in order, sheets adjacent in time;
 *   5. each sheet, on all processors: its block inside the file, its checksum, short numbers below the count of their
 *      table, and the invariants of sheets: rows and their intervals tile it, states and ids are valid, running sums
 *      are right, edges are in order.
 *
 * This is all that tests check of a store, at about a gigabyte per second and core. So a damaged index costs a slow
 * open and no more. Checked data can change afterwards only if its owner writes into the file. ttrace never does: it
 * replaces the file by a new one. A file that is truncated meanwhile reads as zeros (base/mem/mapped_file.c); the index
 * of the first interval of each row is copied, since only these numbers are used as bounds.
 *
 * What is small and may grow later (names, stacks, samples) is copied; what is large never grows again, and stays in
 * the file.
 */
#include "config.h"
#include "store/index/internal.h"

#include "base/checksum.h"
#include "base/job.h"
#include "base/mem/mapped_file.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/tracks/tracks.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct index_reader {
	const char *p;		/* the mapped file */
	uint64_t n;
	const struct index_head *head;
	struct store st;	/* columns in the mapping, to be checked */
	struct snap sn;
	struct str_row *strs;
	struct warn_row *warns;
	struct sheet *sheets;
	uint32_t **first;	/* by sheet: a copy */
	struct err *errs;	/* by sheet, or by part */
	_Atomic bool bad;
};

static int set_error(struct err *e, const char *why)
{
	return err_set(e, ERR_FORMAT, ERR_NOWHERE, "%s", why);
}

/* ---- the head and the parts */

static int check_file(int fd, uint64_t *n, struct err *e)
{
	struct stat s;
	if (fstat(fd, &s) || !S_ISREG(s.st_mode))
		return set_error(e, "it is not a regular file");
	if (s.st_uid != geteuid() || s.st_mode & (S_IWGRP | S_IWOTH))
		return set_error(e, "other users can write to it");
	if ((uint64_t)s.st_size < sizeof(struct index_head))
		return set_error(e, "it is too short");
	*n = (uint64_t)s.st_size;
	return 0;
}

static int check_head(const struct index_reader *t, const struct index_key *key, struct err *e)
{
	const struct index_head *h = t->head;
	if (memcmp(h->magic, INDEX_MAGIC, sizeof h->magic))
		return set_error(e, "it is not an index");
	if (h->version != INDEX_VERSION || h->nparts != IP__N || h->layout != index_layout())
		return set_error(e, "it has another version");
	if (h->sum != checksum_of(h, offsetof(struct index_head, sum)))
		return set_error(e, "its header is damaged");
	if (h->bytes != t->n)
		return set_error(e, "its size is wrong");
	if (h->key.maker != key->maker)
		return set_error(e, "another version of ttrace wrote it");
	if (memcmp(&h->key, key, sizeof *key))
		return set_error(e, "it belongs to another file");
	return 0;
}

/* Return whether [at, at + n * width) is in the file. */
static bool is_inside(const struct index_reader *t, uint64_t at, uint64_t n, uint64_t width)
{
	return at % INDEX_ALIGN == 0 && at >= sizeof(struct index_head) && at <= t->n && n <= UINT32_MAX &&
	       n * width <= t->n - at;
}

static const void *part_rows(const struct index_reader *t, unsigned part)
{
	return t->p + t->head->part[part].at;
}

static uint32_t part_count(const struct index_reader *t, unsigned part)
{
	return (uint32_t)t->head->part[part].n;
}

static void sum_part(void *arg, uint32_t part)
{
	struct index_reader *t = arg;
	if (checksum_of(part_rows(t, part), part_count(t, part) * index_width(part)) != t->head->part[part].sum)
		t->bad = true;
}

static int check_parts(struct index_reader *t, struct err *e)
{
	for (unsigned p = 0; p < IP__N; p++) {
		/* text is counted in bytes, which may exceed the limit for rows */
		uint64_t n = t->head->part[p].n, at = t->head->part[p].at;
		if (!is_inside(t, at, p == IP_TEXT ? 0 : n, index_width(p)) || (p == IP_TEXT && n > t->n - at))
			return set_error(e, "a section is outside the file");
	}
	if (part_count(t, IP_FACTS) != 1 || !part_count(t, IP_LENGTHS) || !part_count(t, IP_TRKS))
		return set_error(e, "a required section is missing");
	if (part_count(t, IP_VALUES) != (uint64_t)part_count(t, IP_TYPES) * part_count(t, IP_SMPS))
		return set_error(e, "its values do not match its samples");
	job_parallel(IP__N, sum_part, t);
	return t->bad ? set_error(e, "it is damaged") : 0;
}

/* ---- text and booleans */

/* Return the next len bytes of text at *at, and advance *at; NULL if they are not there. */
static const char *text_at(const struct index_reader *t, uint64_t *at, uint32_t len)
{
	uint64_t all = t->head->part[IP_TEXT].n;
	const char *s = (const char *)part_rows(t, IP_TEXT) + *at;
	if (*at >= all || len >= all - *at || s[len])
		return NULL;
	*at += (uint64_t)len + 1;
	return s;
}

static int check_texts(struct index_reader *t, struct err *e)
{
	const uint32_t *len = part_rows(t, IP_LENGTHS), n = part_count(t, IP_LENGTHS), nwarns = part_count(t, IP_WARNS);
	const struct index_warn *w = part_rows(t, IP_WARNS);
	uint64_t at = 0;
	t->strs = mem_try_alloc(n * sizeof *t->strs);
	t->warns = mem_try_alloc(nwarns * sizeof *t->warns + 1);
	if (!t->strs || !t->warns)
		return set_error(e, "it is larger than the memory limit");
	for (uint32_t i = 0; i < n; i++) {
		t->strs[i] = (struct str_row){text_at(t, &at, len[i]), len[i]};
		if (!t->strs[i].s)
			return set_error(e, "its strings are inconsistent");
	}
	for (uint32_t i = 0; i < nwarns; i++) {
		t->warns[i] = (struct warn_row){w[i].at, text_at(t, &at, w[i].len), w[i].aside != 0};
		if (!t->warns[i].msg)
			return set_error(e, "its warnings are inconsistent");
	}
	return t->strs[0].n ? set_error(e, "its first string is not empty") : 0;
}

static int check_bools(const struct index_reader *t, struct err *e)
{
	static const struct { unsigned part; size_t at; } bools[] = {
		{IP_FACTS, offsetof(struct index_facts, trace) + offsetof(struct sink_trace, log)},
		{IP_MAPS, offsetof(struct map_row, functions)}, {IP_MAPS, offsetof(struct map_row, filenames)},
		{IP_MAPS, offsetof(struct map_row, lines)}, {IP_MAPS, offsetof(struct map_row, inlines)},
		{IP_LOCS, offsetof(struct loc_row, folded)}, {IP_LABELS, offsetof(struct sink_label, blank)},
		{IP_LABELS, offsetof(struct sink_label, bare)}, {IP_UTILS, offsetof(struct sink_util, past)},
	};
	for (size_t k = 0; k < sizeof bools / sizeof *bools; k++) {
		const uint8_t *p = part_rows(t, bools[k].part);
		size_t width = index_width(bools[k].part);
		for (uint32_t i = 0; i < part_count(t, bools[k].part); i++)
			if (p[i * width + bools[k].at] > 1)
				return set_error(e, "a boolean is invalid");
	}
	return 0;
}

/* Return whether t can be a time of a trace: so far from the limits of its type that differences do not overflow. */
static bool time_fits(int64_t t)
{
	return t == TIME_NONE || (t >= 0 && t < INT64_MAX / 4);
}

static bool since_fits(const struct index_reader *t, const struct trk_row *r, uint32_t since)
{
	return !since || (since < TRK_FAR ? r->t0 != TIME_NONE : since - TRK_FAR < part_count(t, IP_TRK_TIMES));
}

static int check_times(const struct index_reader *t, struct err *e)
{
	const struct index_facts *f = part_rows(t, IP_FACTS);
	const struct trk_row *trk = part_rows(t, IP_TRKS);
	const struct sink_mark *mark = part_rows(t, IP_MARKS);
	const struct span_row *span = part_rows(t, IP_SPANS);
	const struct sink_util *util = part_rows(t, IP_UTILS);
	const struct smp_time *smp = part_rows(t, IP_TIMES);
	bool fit = !f->t0 && f->t1 >= 0 && time_fits(f->t1);
	for (uint32_t i = 1; i < part_count(t, IP_TRKS); i++)
		fit = fit && time_fits(trk[i].t0) && since_fits(t, &trk[i], trk[i].to_run0) &&
		      since_fits(t, &trk[i], trk[i].to_t1) && trk[i].heard <= part_count(t, IP_TRK_TIMES);
	const int64_t *heard = part_rows(t, IP_TRK_TIMES);
	for (uint32_t i = 0; i < part_count(t, IP_TRK_TIMES); i++)
		fit = fit && heard[i] >= 0 && time_fits(heard[i]);
	for (uint32_t i = 0; i < part_count(t, IP_MARKS); i++)
		fit = fit && mark[i].t >= 0 && time_fits(mark[i].t);
	for (uint32_t i = 0; i < part_count(t, IP_SPANS); i++)
		fit = fit && time_fits(span[i].s.t0) && time_fits(span[i].s.t1);
	for (uint32_t i = 0; i < part_count(t, IP_UTILS); i++)
		fit = fit && time_fits(util[i].t) && time_fits(util[i].next);
	for (uint32_t i = 0; i < part_count(t, IP_TIMES); i++)
		fit = fit && time_fits(smp[i].when);
	for (unsigned c = 0; c < CT__N; c++) {
		const struct count_row *r = part_rows(t, IP_COUNTS + c);
		for (uint32_t i = 0; i < part_count(t, IP_COUNTS + c); i++)
			fit = fit && r[i].t >= 0 && time_fits(r[i].t);
	}
	return fit ? 0 : set_error(e, "a time is invalid");
}

/* ---- the invariants */

/* Make a column of rows that it does not own. */
static void view_column(struct data_column *c, const void *p, uint32_t n, size_t width)
{
	column_init(c, width);
	for (uint32_t k = 0; k < COLUMN_SEGS; k++) {
		uint32_t base = COLUMN_FIRST * ((1u << k) - 1);
		if (base >= n)
			break;
		c->seg[k] = (void *)(uintptr_t)((const char *)p + base * width);
	}
	c->n = n;
}

static void view_columns(struct index_reader *t)
{
	const struct index_facts *f = part_rows(t, IP_FACTS);
	uint32_t ntypes = part_count(t, IP_TYPES), nsmps = part_count(t, IP_SMPS);
	for (unsigned p = 0; p < IP__N; p++)
		if (index_col(&t->st, p))
			view_column(index_col(&t->st, p), part_rows(t, p), part_count(t, p), index_width(p));
	view_column(&t->st.strs, t->strs, part_count(t, IP_LENGTHS), sizeof *t->strs);
	view_column(&t->st.warns, t->warns, part_count(t, IP_WARNS), sizeof *t->warns);
	t->st.values = xcalloc(ntypes, sizeof *t->st.values);
	for (uint32_t i = 0; i < ntypes; i++) {
		const int64_t *v = (const int64_t *)part_rows(t, IP_VALUES) + (size_t)i * nsmps;
		packed_ints_init(&t->st.values[i]);
		for (uint32_t k = 0; k < nsmps; k++)
			packed_ints_add(&t->st.values[i], v[k]);
	}
	t->sn = (struct snap){.st = &t->st,
	    .complete = true,
	    .t0 = f->t0,
	    .t1 = f->t1,
	    .bytes = f->bytes,
	    .total = f->total,
	    .has_trace = true,
	    .trace = f->trace,
	    .nstrs = part_count(t, IP_LENGTHS),
	    .nfuns = part_count(t, IP_FUNS),
	    .nlocs = part_count(t, IP_LOCS),
	    .nfrms = part_count(t, IP_FRMS),
	    .nstks = part_count(t, IP_STKS),
	    .nsmps = nsmps,
	    .nsets = part_count(t, IP_SETS),
	    .ntypes = ntypes,
	    .ntrks = part_count(t, IP_TRKS),
	    .nmarks = part_count(t, IP_MARKS),
	    .nspans = part_count(t, IP_SPANS),
	    .nwarns = part_count(t, IP_WARNS),
	    .nsheets = part_count(t, IP_SHEETS),
	    .nutils = part_count(t, IP_UTILS)};
	for (unsigned c = 0; c < CT__N; c++)
		t->sn.ncounts[c] = part_count(t, IP_COUNTS + c);
}

/* Fill the slots of the sheets, to check the columns and for the store. */
static void fill_slots(const struct index_reader *t, struct data_column *to)
{
	const struct index_sheet *x = part_rows(t, IP_SHEETS);
	for (uint32_t i = 0; i < t->sn.nsheets; i++, x++) {
		struct sheet_slot *s = column_add(to, NULL);
		s->t0 = x->t0, s->t1 = x->t1;
		s->n = x->n, s->ntrk = x->ntrk, s->nother = x->nother;
		atomic_store(&s->sheet, &t->sheets[i]);
	}
}

/* Check that each table that starts with "none" has that row, and that it is empty. */
static int check_nones(const struct index_reader *t, struct err *e)
{
	static const unsigned tables[] = {IP_MAPS, IP_FUNS, IP_LOCS, IP_FRMS, IP_STKS, IP_SETS};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		const uint8_t *p = part_rows(t, tables[i]);
		if (!part_count(t, tables[i]))
			return set_error(e, "a table is empty");
		for (size_t k = 0; k < index_width(tables[i]); k++)
			if (p[k])
				return set_error(e, "the record of \"none\" is not empty");
	}
	return 0;
}

static int check_columns(struct index_reader *t, struct err *e)
{
	return check_nones(t, e) || store_check_tables(&t->sn, e) || check_tracks_tables(&t->sn, e) ? -1 : 0;
}

/* ---- sheets */

static int layout_sheet(struct index_reader *t, uint32_t i, struct err *e)
{
	const struct index_sheet *x = (const struct index_sheet *)part_rows(t, IP_SHEETS) + i;
	uint64_t at[IA__N], bytes[IA__N], size = index_arrays(x, at, bytes);
	char *p = (char *)(uintptr_t)(t->p + x->at);
	if (checksum_of(p, size) != x->sum)
		return set_error(e, "a sheet is damaged");
	uint32_t *first = xmalloc(bytes[IA_FIRST]);
	memcpy(first, p + at[IA_FIRST], bytes[IA_FIRST]);
	t->first[i] = first;
	t->sheets[i] = (struct sheet){.t0 = x->t0, .t1 = x->t1, .ntrk = x->ntrk, .n = x->n, .nother = x->nother,
		.nostack = x->nostack, .nedge = x->nedge, .first = first, .trk = (const void *)(p + at[IA_TRK]),
		.start3 = x->narrow & SHORT_START ? (const void *)(p + at[IA_START]) : NULL,
		.start4 = x->narrow & SHORT_START ? NULL : (const void *)(p + at[IA_START]),
		.edge = (const void *)(p + at[IA_EDGE]), .state = (const void *)(p + at[IA_STATE]),
		.sum = (const void *)(p + at[IA_SUM]), .nsum = x->nsum,
		.whose = (const void *)(p + at[IA_WHOSE]), .stacked = (const void *)(p + at[IA_STACKED]),
		.nwho = x->nwho, .nstack = x->nstack,
		.stack2 = x->narrow & SHORT_STACK ? (const void *)(p + at[IA_STACK]) : NULL,
		.stack4 = x->narrow & SHORT_STACK ? NULL : (const void *)(p + at[IA_STACK]),
		.who2 = x->nwhos ? (const void *)(p + at[IA_WHO]) : NULL,
		.who3 = !x->nwhos && x->narrow & SHORT_WHO ? (const void *)(p + at[IA_WHO]) : NULL,
		.who4 = x->nwhos || x->narrow & SHORT_WHO ? NULL : (const void *)(p + at[IA_WHO]),
		.whos = (const void *)(p + at[IA_WHOS])};
	uint16_t most = 0;
	const struct sheet *sh = &t->sheets[i];
	memcpy(t->sheets[i].sums, x->sums, sizeof sh->sums);
	for (uint32_t k = 0; x->nwhos && k < x->nwho; k++)
		most = sh->who2[k] > most ? sh->who2[k] : most;
	return x->nwhos && most >= x->nwhos ? set_error(e, "a sheet has an invalid reference") : 0;
}

static void thaw_sheet(void *arg, uint32_t i)
{
	struct index_reader *t = arg;
	if (!t->bad && (layout_sheet(t, i, &t->errs[i]) || check_tracks_sheet(&t->sn, &t->sheets[i], &t->errs[i])))
		t->bad = true;
}

static int thaw_sheets(struct index_reader *t, struct err *e)
{
	job_parallel(t->sn.nsheets, thaw_sheet, t);
	for (uint32_t i = 0; t->bad && i < t->sn.nsheets; i++)
		if (t->errs[i].kind) {
			*e = t->errs[i];
			return -1;
		}
	return 0;
}

/* Check the layout of sheets. Their blocks do not overlap, so there are no more than the file has room for. */
static int check_places(const struct index_reader *t, struct err *e)
{
	const struct index_sheet *x = part_rows(t, IP_SHEETS);
	uint64_t end = sizeof(struct index_head), at[IA__N], bytes[IA__N];
	for (uint32_t i = 0; i < part_count(t, IP_SHEETS); i++, x++) {
		if (x->nother > x->ntrk || x->nostack > x->n || x->narrow > SHORT_ALL || x->nwhos > 1 << 16 ||
		    x->nsum > TS__N || x->nwho > x->n || x->nstack > x->n - x->nostack)
			return set_error(e, "the layout of a sheet is invalid");
		if (x->at % INDEX_ALIGN || x->at < end || x->at > t->n || x->bytes > t->n - x->at ||
		    x->bytes != index_arrays(x, at, bytes))
			return set_error(e, "a sheet is outside the file");
		end = x->at + x->bytes;
	}
	return 0;
}

static int check_all(struct index_reader *t, struct err *e)
{
	if (check_parts(t, e) || check_texts(t, e) || check_bools(t, e) || check_times(t, e) || check_places(t, e))
		return -1;
	uint32_t n = part_count(t, IP_SHEETS);
	view_columns(t);
	t->sheets = xcalloc(n, sizeof *t->sheets);
	t->first = xcalloc(n, sizeof *t->first);
	t->errs = xcalloc(n, sizeof *t->errs);
	column_init(&t->st.sheets, sizeof(struct sheet_slot));
	fill_slots(t, &t->st.sheets);
	return check_columns(t, e) || thaw_sheets(t, e) ? -1 : 0;
}

/* ---- filling the store */

/* Check that the strings that the store already has are the first ones of the index. */
static int check_strings(const struct index_reader *t, const struct store *st, struct err *e)
{
	uint32_t had = column_n(&st->strs);
	if (had > t->sn.nstrs)
		return set_error(e, "the store already has more strings");
	for (uint32_t i = 0; i < had; i++)
		if (store_str(st, i)->n != t->strs[i].n || memcmp(store_str(st, i)->s, t->strs[i].s, t->strs[i].n))
			return set_error(e, "the store has different strings");
	return 0;
}

/* Append the rows that the column does not have yet. */
static void copy_rows(struct data_column *to, const struct data_column *from)
{
	for (uint32_t i = column_n(to); i < column_n(from); i++)
		memcpy(column_add(to, NULL), column_at(from, i), to->width);
}

/* Copy the first fork block, which the store has already, for the root; clear the bits after nstks in the last one. */
static void take_forks(struct store *st, const struct store *from, uint32_t nstks)
{
	struct stk_forks *last = column_at(&st->forks, (nstks - 1) / 64);
	memcpy(column_at(&st->forks, 0), column_at(&from->forks, 0), sizeof *last);
	if (nstks % 64)
		atomic_fetch_and(&last->bits, (UINT64_C(1) << nstks % 64) - 1);
}

static void fill_store(struct index_reader *t, struct store *st)
{
	static const unsigned lent[] = {IP_TRKS, IP_MARKS, IP_SPANS, IP_BLOCKS, IP_UTILS, IP_TRK_TIMES};
	uint32_t n = t->sn.nsheets;
	copy_rows(&st->strs, &t->st.strs);
	for (uint32_t i = 0; i < t->sn.nwarns; i++)
		*(struct warn_row *)column_add(&st->warns, NULL) = t->warns[i];
	for (unsigned p = IP_MAPS; p <= IP_LABELS; p++)
		copy_rows(index_col(st, p), index_col(&t->st, p));
	take_forks(st, &t->st, t->sn.nstks);
	if (t->sn.nsmps) {
		st->values = t->st.values;
		t->st.values = NULL;
	}
	for (size_t i = 0; i < sizeof lent / sizeof *lent; i++)
		column_attach(index_col(st, lent[i]), part_rows(t, lent[i]), part_count(t, lent[i]));
	for (unsigned c = 0; c < CT__N; c++)
		column_attach(&st->counts[c], part_rows(t, IP_COUNTS + c), part_count(t, IP_COUNTS + c));
	struct sheet *sheets = arena_alloc(&st->arena, n * sizeof *sheets + 1);
	for (uint32_t i = 0; i < n; i++) {
		size_t bytes = (t->sheets[i].ntrk + (size_t)1) * sizeof(uint32_t);
		sheets[i] = t->sheets[i];
		sheets[i].first = memcpy(arena_alloc(&st->arena, bytes), t->first[i], bytes);
		atomic_store(&store_slot(&t->st, i)->sheet, &sheets[i]);
	}
	copy_rows(&st->sheets, &t->st.sheets);
}

static void reader_free(struct index_reader *t)
{
	for (uint32_t i = 0; t->first && i < t->sn.nsheets; i++)
		mem_free(t->first[i]);
	mem_free(t->first);
	mem_free(t->sheets);
	mem_free(t->errs);
	mem_free(t->strs);
	mem_free(t->warns);
	for (uint32_t i = 0; t->st.values && i < t->sn.ntypes; i++)
		packed_ints_free(&t->st.values[i]);
	mem_free(t->st.values);
	column_free(&t->st.sheets);
	mem_free(t);
}

int index_read(struct store_builder *b, int fd, const struct index_key *key, struct err *e)
{
	struct index_reader *t = xcalloc(1, sizeof *t);
	struct store *st = builder_store(b);
	int rc = check_file(fd, &t->n, e);
	if (!rc && !(t->p = mapped_new(fd, 0, t->n)))
		rc = set_error(e, "it cannot be mapped");
	if (!rc) {
		t->head = (const void *)t->p;
		rc = check_head(t, key, e) || check_all(t, e) || check_strings(t, st, e) ? -1 : 0;
	}
	if (!rc && mapped_was_truncated(t->p))
		rc = set_error(e, "it is truncated");
	if (rc) {
		mapped_free(t->p, t->n);
	} else {
		fill_store(t, st);
		builder_publish_index(b, &t->sn, t->p, t->n);
	}
	reader_free(t);
	return rc;
}
