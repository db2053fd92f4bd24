/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Samples: a row that says where and with which labels, and one column of values
 * per type, so that a report on one type reads only that one. Samples stay in
 * the order of the file, and two that are alike stay two: it is the reports
 * that add up. Types come before samples; their columns are made when the first
 * sample comes and never move again.
 *
 * Labels lie one after another in one column, those of a sample together, in the
 * order of the file. A label with neither text nor number nor unit is the empty
 * text, or has an empty unit: a number 0 without a unit is no label in the format.
 */
#include "config.h"
#include "store/samples.h"

#include <string.h>

void samples_init(struct store *st)
{
	col_init(&st->types, sizeof(struct type_row));
	col_init(&st->smps, sizeof(struct smp_row));
	col_init(&st->labels, sizeof(struct sink_label));
}

void samples_free(struct store *st)
{
	for (uint32_t i = 0; st->values && i < col_n(&st->types); i++)
		col_free(&st->values[i]);
	mem_free(st->values);
	col_free(&st->types);
	col_free(&st->smps);
	col_free(&st->labels);
}

int samples_type(struct store *st, str_id name, str_id unit)
{
	if (st->values || col_n(&st->types) >= SAMPLES_TYPES)
		return -1;
	uint32_t id;
	*(struct type_row *)col_add(&st->types, &id) = (struct type_row){name, unit};
	return (int)id;
}

void samples_add(struct store *st, const struct sink_sample *s)
{
	uint32_t ntype = col_n(&st->types);
	if (!st->values) {
		st->values = xcalloc(ntype, sizeof *st->values);
		for (uint32_t i = 0; i < ntype; i++)
			col_init(&st->values[i], sizeof(int64_t));
	}
	uint32_t label = col_n(&st->labels);
	for (size_t i = 0; i < s->nlabel; i++)
		*(struct sink_label *)col_add(&st->labels, NULL) = s->label[i];
	for (uint32_t i = 0; i < ntype; i++)
		*(int64_t *)col_add(&st->values[i], NULL) = s->value[i];
	*(struct smp_row *)col_add(&st->smps, NULL) = (struct smp_row){.stack = s->stack,
	    .label = label,
	    .nlabel = (uint32_t)s->nlabel,
	    .side = s->side,
	    .when = s->when,
	    .trk = s->trk,
	    .proc = s->proc};
}
