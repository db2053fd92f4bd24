/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The layout of an index, in terms of the store's own rows: the column of each part, the width of its rows, and the
 * arrays in the block of a sheet. A new field in a row changes the layout number, so that all existing indexes become
 * invalid. A change of meaning that leaves the sizes the same needs a new INDEX_VERSION (for users, a new maker does
 * the same).
 */
#include "config.h"
#include "store/index/internal.h"

#include "base/checksum.h"

static const struct { size_t width; size_t col; } parts[IP_COUNTS] = {
	[IP_FACTS] = {sizeof(struct index_facts), 0},
	[IP_LENGTHS] = {sizeof(uint32_t), 0}, [IP_WARNS] = {sizeof(struct index_warn), 0}, [IP_TEXT] = {1, 0},
	[IP_MAPS] = {sizeof(struct map_row), offsetof(struct store, maps)},
	[IP_FUNS] = {sizeof(struct fun_row), offsetof(struct store, funs)},
	[IP_LOCS] = {sizeof(struct loc_row), offsetof(struct store, locs)},
	[IP_FRMS] = {sizeof(struct frm_row), offsetof(struct store, frms)},
	[IP_STKS] = {sizeof(frm_id), offsetof(struct store, stks)},
	[IP_FORKS] = {sizeof(struct stk_forks), offsetof(struct store, forks)},
	[IP_FORK] = {sizeof(stk_id), offsetof(struct store, fork)},
	[IP_TYPES] = {sizeof(struct type_row), offsetof(struct store, types)},
	[IP_SMPS] = {sizeof(struct smp_row), offsetof(struct store, smps)},
	[IP_SETS] = {sizeof(struct set_row), offsetof(struct store, sets)},
	[IP_TIMES] = {sizeof(struct smp_time), offsetof(struct store, times)},
	[IP_LABELS] = {sizeof(struct sink_label), offsetof(struct store, labels)},
	[IP_VALUES] = {sizeof(int64_t), 0},
	[IP_TRKS] = {sizeof(struct trk_row), offsetof(struct store, trks)},
	[IP_MARKS] = {sizeof(struct sink_mark), offsetof(struct store, marks)},
	[IP_SPANS] = {sizeof(struct span_row), offsetof(struct store, spans)},
	[IP_BLOCKS] = {sizeof(struct span_block), offsetof(struct store, span_blocks)},
	[IP_UTILS] = {sizeof(struct sink_util), offsetof(struct store, utils)},
	[IP_TRK_TIMES] = {sizeof(int64_t), offsetof(struct store, trk_times)},
	[IP_SHEETS] = {sizeof(struct index_sheet), 0},
};

size_t index_width(unsigned part)
{
	return part < IP_COUNTS ? parts[part].width : sizeof(struct count_row);
}

struct data_column *index_col(struct store *st, unsigned part)
{
	if (part >= IP_COUNTS)
		return &st->counts[part - IP_COUNTS];
	return parts[part].col ? (struct data_column *)(void *)((char *)st + parts[part].col) : NULL;
}

uint64_t index_layout(void)
{
	const uint32_t also[] = {0x01020304, IP__N, TS__N, CT__N, MK__N, SHEET_STEP, SHEET_CONT, SHEET_PAST, START3_NS,
		sizeof(struct index_head), offsetof(struct trk_row, t0), offsetof(struct sink_span, name),
		offsetof(struct sink_mark, text), offsetof(struct sink_trace, events), offsetof(struct sink_util, what),
		offsetof(struct smp_row, set), offsetof(struct smp_time, trk), offsetof(struct loc_row, first),
		    offsetof(struct sink_label, num)};
	struct checksum s = {0};
	checksum_add(&s, also, sizeof also);
	for (unsigned p = 0; p < IP__N; p++) {
		uint32_t width = (uint32_t)index_width(p);
		checksum_add(&s, &width, sizeof width);
	}
	return checksum_end(&s);
}

uint64_t index_arrays(const struct index_sheet *x, uint64_t at[IA__N], uint64_t bytes[IA__N])
{
	uint64_t n = x->n, stacks = x->nostack < x->n ? n - x->nostack : 0, all = 0;
	uint64_t rows = x->nother < SHEET_ROWS ? x->nother : SHEET_ROWS;
	bytes[IA_SUM] = (n / SHEET_STEP + 1 + rows + 1) * x->nsum * sizeof(int64_t);
	bytes[IA_TRK] = (uint64_t)x->ntrk * sizeof(trk_id);
	bytes[IA_FIRST] = ((uint64_t)x->ntrk + 1) * sizeof(uint32_t);
	bytes[IA_START] = x->narrow & SHORT_START ? n * 3 + 1 : n * sizeof(uint32_t);
	bytes[IA_EDGE] = (uint64_t)x->nedge * sizeof(uint32_t);
	bytes[IA_WHOSE] = (n / 32 + 1) * sizeof(struct sheet_sparse);
	bytes[IA_STACKED] = (stacks / 32 + 1) * sizeof(struct sheet_sparse);
	bytes[IA_STACK] = (uint64_t)x->nstack * (x->narrow & SHORT_STACK ? sizeof(uint16_t) : sizeof(stk_id));
	bytes[IA_STATE] = n;
	bytes[IA_WHO] = x->nwhos ? x->nwho * sizeof(uint16_t) :
	    x->narrow & SHORT_WHO ? x->nwho * UINT64_C(3) + 1 : x->nwho * sizeof(uint32_t);
	bytes[IA_WHOS] = (uint64_t)x->nwhos * sizeof(uint32_t);
	for (int i = 0; i < IA__N; i++) {
		at[i] = all;
		all += index_round(bytes[i]);
	}
	return all;
}
