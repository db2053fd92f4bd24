/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Writing an index. It reads below a snapshot, like every reader, so it may run in the background for as long as the
 * store exists; rows that are added meanwhile are above the snapshot.
 *
 * The file is written sequentially, the checksum of each part is computed on the way, and the head is written last, at
 * its place at the start: an unfinished file has no head. Sheets are pinned one at a time, so eviction can continue
 * meanwhile. A store that has already evicted sheets is not written: the trace would have to be read again for it.
 */
#include "config.h"
#include "store/index/internal.h"

#include "base/checksum.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 };

struct index_writer {
	int fd;
	uint64_t at, written;	/* offset of the next byte; and of the first byte that is not in the file yet (those are
				   in small[]) */
	char small[1 << 16];
	size_t nsmall;
	struct checksum sum;	/* of the current part */
	bool (*go)(void *);
	void *arg;
	struct err *e;
	bool failed;
	struct index_head head;
	const struct snap *sn;
};

/* Write n bytes to the file, a chunk at a time. */
static void write_out(struct index_writer *z, const char *p, size_t n)
{
	for (size_t k; n && !z->failed; n -= k, p += k) {
		k = n < CHUNK ? n : CHUNK;
		if (z->go && !z->go(z->arg)) {
			err_set(z->e, ERR_CANCEL, ERR_NOWHERE, "stopped");
			z->failed = true;
			return;
		}
		ssize_t got = pwrite(z->fd, p, k, (off_t)z->written);
		if (got < 0 && errno != EINTR) {
			err_set(z->e, ERR_IO, ERR_NOWHERE, "cannot write the index: %s", strerror(errno));
			z->failed = true;
			return;
		}
		k = got < 0 ? 0 : (size_t)got;
		z->written += k;
	}
}

static void flush_small(struct index_writer *z)
{
	write_out(z, z->small, z->nsmall);
	z->nsmall = 0;
	z->written = z->at;
}

/* Append bytes. Small amounts are buffered, to save system calls. */
static void put_bytes(struct index_writer *z, const void *p, size_t n)
{
	if (!n)
		return;
	checksum_add(&z->sum, p, n);
	z->at += n;
	if (n <= sizeof z->small - z->nsmall) {
		memcpy(z->small + z->nsmall, p, n);
		z->nsmall += n;
		return;
	}
	write_out(z, z->small, z->nsmall);
	z->nsmall = 0;
	write_out(z, p, n);
}

/* Continue at another offset. */
static void move_to(struct index_writer *z, uint64_t at)
{
	flush_small(z);
	z->at = z->written = at;
	z->sum = (struct checksum){0};
}

static void part_begin(struct index_writer *z, unsigned part)
{
	move_to(z, index_round(z->at));
	z->head.part[part].at = z->at;
}

static void part_end(struct index_writer *z, unsigned part)
{
	z->head.part[part].n = (z->at - z->head.part[part].at) / index_width(part);
	z->head.part[part].sum = checksum_end(&z->sum);
}

static void put_part(struct index_writer *z, unsigned part, const void *p, size_t n)
{
	part_begin(z, part);
	put_bytes(z, p, n * index_width(part));
	part_end(z, part);
}

/* Append the first n rows of a column. */
static void put_rows(struct index_writer *z, const struct data_column *c, uint32_t n)
{
	for (uint32_t k = 0, base = 0; base < n; base += (uint32_t)COLUMN_FIRST << k++) {
		uint32_t most = (uint32_t)COLUMN_FIRST << k, rows = n - base < most ? n - base : most;
		put_bytes(z, c->seg[k], (size_t)rows * c->width);
	}
}

static void put_values(struct index_writer *z, const struct packed_int_column *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t v = packed_ints_at(c, i);
		put_bytes(z, &v, sizeof v);
	}
}

/* Return how many of the first n nodes do not directly follow their parents. */
static uint32_t forks_below(const struct store *st, uint32_t n)
{
	uint64_t below = n % 64 ? (UINT64_C(1) << n % 64) - 1 : UINT64_MAX;
	uint32_t last = (n - 1) / 64;
	return COLUMN_AT(&st->forks, struct stk_forks, last).before + rank_popcount(stk_forks(st, last) & below);
}

/* Return the number of rows of a part that is a column. */
static uint32_t rows_of(const struct snap *sn, unsigned part)
{
	const struct set_row *last = store_set(sn->st, sn->nsets - 1);
	uint32_t times = column_n(&sn->st->times);
	switch (part) {
	case IP_MAPS: return column_n(&sn->st->maps);
	case IP_FUNS: return sn->nfuns;
	case IP_LOCS: return sn->nlocs;
	case IP_FRMS: return sn->nfrms;
	case IP_STKS: return sn->nstks;
	case IP_FORKS: return (sn->nstks - 1) / 64 + 1;
	case IP_FORK: return forks_below(sn->st, sn->nstks);
	case IP_TYPES: return sn->ntypes;
	case IP_SMPS: return sn->nsmps;
	case IP_SETS: return sn->nsets;
	case IP_TIMES: return times < sn->nsmps ? times : sn->nsmps;
	case IP_LABELS: return last->label + last->n;
	case IP_TRKS: return sn->ntrks;
	case IP_MARKS: return sn->nmarks;
	case IP_SPANS: return sn->nspans;
	case IP_BLOCKS: return sn->nspans / 64;
	case IP_UTILS: return sn->nutils;
	case IP_TRK_TIMES: return column_n(&sn->st->trk_times);
	default: return part >= IP_COUNTS ? sn->ncounts[part - IP_COUNTS] : 0;
	}
}

static void put_texts(struct index_writer *z)
{
	const struct snap *sn = z->sn;
	part_begin(z, IP_LENGTHS);
	for (uint32_t i = 0; i < sn->nstrs; i++)
		put_bytes(z, &store_str(sn->st, i)->n, sizeof(uint32_t));
	part_end(z, IP_LENGTHS);
	part_begin(z, IP_WARNS);
	for (uint32_t i = 0; i < sn->nwarns; i++) {
		const struct warn_row *w = column_at(&sn->st->warns, i);
		struct index_warn row = {.at = w->at, .len = (uint32_t)strlen(w->msg), .aside = w->aside};
		put_bytes(z, &row, sizeof row);
	}
	part_end(z, IP_WARNS);
	part_begin(z, IP_TEXT);
	for (uint32_t i = 0; i < sn->nstrs; i++) {
		const struct str_row *s = store_str(sn->st, i);
		put_bytes(z, s->s, (size_t)s->n + 1);
	}
	for (uint32_t i = 0; i < sn->nwarns; i++) {
		const struct warn_row *w = column_at(&sn->st->warns, i);
		put_bytes(z, w->msg, strlen(w->msg) + 1);
	}
	part_end(z, IP_TEXT);
}

/* Return the counts of a sheet's arrays. */
static struct index_sheet sheet_sizes(const struct sheet *sh)
{
	struct index_sheet x = {.t0 = sh->t0, .t1 = sh->t1, .ntrk = sh->ntrk, .n = sh->n, .nother = sh->nother,
		.nostack = sh->nostack, .nedge = sh->nedge, .nwho = sh->nwho,
		.narrow = (sh->stack4 ? 0 : SHORT_STACK) | (sh->start3 ? SHORT_START : 0) | (sh->who3 ? SHORT_WHO : 0),
		.nstack = sh->nstack, .nsum = sh->nsum};
	memcpy(x.sums, sh->sums, sizeof sh->sums);
	uint16_t most = 0;
	for (uint32_t i = 0; sh->who2 && i < sh->nwho; i++)
		most = sh->who2[i] > most ? sh->who2[i] : most;
	x.nwhos = sh->who2 ? (uint32_t)most + 1 : 0;
	return x;
}

static void put_sheet(struct index_writer *z, const struct sheet *sh, struct index_sheet *x)
{
	uint64_t at[IA__N], bytes[IA__N];
	static const uint8_t zeros[INDEX_ALIGN];
	*x = sheet_sizes(sh);
	x->bytes = index_arrays(x, at, bytes);
	const void *p[IA__N] = {[IA_SUM] = sh->sum, [IA_TRK] = sh->trk, [IA_FIRST] = sh->first, [IA_EDGE] = sh->edge,
		[IA_STATE] = sh->state, [IA_WHOSE] = sh->whose, [IA_STACKED] = sh->stacked, [IA_WHOS] = sh->whos,
		[IA_START] = sh->start3 ? (const void *)sh->start3 : sh->start4,
		[IA_STACK] = x->narrow & SHORT_STACK ? (const void *)sh->stack2 : sh->stack4,
		[IA_WHO] = sh->who2 ? (const void *)sh->who2 : sh->who3 ? (const void *)sh->who3 : sh->who4};
	move_to(z, index_round(z->at));
	x->at = z->at;
	for (int i = 0; i < IA__N; i++) {
		put_bytes(z, p[i], bytes[i]);
		put_bytes(z, zeros, index_round(bytes[i]) - bytes[i]);
	}
	x->sum = checksum_end(&z->sum);
}

static void put_sheets(struct index_writer *z)
{
	struct index_sheet *x = xcalloc(z->sn->nsheets + 1u, sizeof *x);
	for (uint32_t i = 0; i < z->sn->nsheets && !z->failed; i++) {
		put_sheet(z, sheet_get(z->sn, i), &x[i]);
		sheet_put(z->sn, i);
	}
	put_part(z, IP_SHEETS, x, z->sn->nsheets);
	mem_free(x);
}

static void put_columns(struct index_writer *z)
{
	const struct snap *sn = z->sn;
	struct index_facts f;
	memset(&f, 0, sizeof f);
	f.trace = sn->trace;
	f.t0 = sn->t0, f.t1 = sn->t1;
	f.bytes = sn->bytes, f.total = sn->total;
	put_part(z, IP_FACTS, &f, 1);
	for (unsigned p = 0; p < IP__N; p++) {
		const struct data_column *c = index_col((struct store *)(uintptr_t)sn->st, p);
		if (!c)
			continue;
		part_begin(z, p);
		put_rows(z, c, rows_of(sn, p));
		part_end(z, p);
	}
	part_begin(z, IP_VALUES);
	for (uint32_t t = 0; sn->nsmps && t < sn->ntypes; t++)
		put_values(z, &sn->st->values[t], sn->nsmps);
	part_end(z, IP_VALUES);
}

/* Return whether no sheet is evicted. */
static bool all_sheets_resident(const struct snap *sn)
{
	for (uint32_t i = 0; i < sn->nsheets; i++)
		if (!atomic_load(&store_slot(sn->st, i)->sheet))
			return false;
	return true;
}

uint64_t index_bytes(const struct snap *sn)
{
	uint64_t all = sizeof(struct index_head), at[IA__N], bytes[IA__N];
	if (!sn->complete || !sn->has_trace || sn->st->has_meta || !all_sheets_resident(sn))
		return 0;
	for (unsigned p = 0; p < IP__N; p++)
		all += index_round((uint64_t)rows_of(sn, p) * index_width(p));
	for (uint32_t i = 0; i < sn->nstrs; i++)
		all += store_str(sn->st, i)->n + 5u;
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		const struct sheet *sh = sheet_get(sn, i);
		struct index_sheet x = sheet_sizes(sh);
		all += index_arrays(&x, at, bytes) + sizeof x;
		sheet_put(sn, i);
	}
	return all + (uint64_t)sn->nsmps * sn->ntypes * sizeof(int64_t) + IP__N * INDEX_ALIGN;
}

int index_write(const struct snap *sn, const struct index_key *key, int fd, bool (*go)(void *), void *arg,
    struct err *e)
{
	struct index_writer *z = xcalloc(1, sizeof *z);
	z->fd = fd;
	z->at = z->written = sizeof z->head;
	z->go = go;
	z->arg = arg;
	z->e = e;
	z->sn = sn;
	put_columns(z);
	put_texts(z);
	put_sheets(z);
	memcpy(z->head.magic, INDEX_MAGIC, sizeof z->head.magic);
	z->head.version = INDEX_VERSION;
	z->head.nparts = IP__N;
	z->head.layout = index_layout();
	z->head.bytes = z->at;
	z->head.key = *key;
	z->head.sum = checksum_of(&z->head, offsetof(struct index_head, sum));
	move_to(z, 0);
	put_bytes(z, &z->head, sizeof z->head);
	flush_small(z);
	int rc = z->failed ? -1 : 0;
	mem_free(z);
	return rc;
}
