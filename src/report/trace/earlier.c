/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The earlier side of a comparison: a report context like that of the later side, on another trace or on another time
 * range. Filters select on both sides by the same words, so the number of a goroutine, task or operation is refused for
 * two traces: number 17 is another goroutine there. Numbers of Ps are the same in both.
 */
#include "config.h"
#include "report/trace/earlier.h"

/* Get the file of -diff_base or -base; NULL: none. */
static int base_file(const struct options *o, const char **file, struct err *e)
{
	static const enum option_id base[] = {OPT_BASE, OPT_DIFF_BASE};
	*file = NULL;
	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < o->v[base[i]].nall; k++) {
			const char *name = o->v[base[i]].all[k];
			if (*file && *name)
				return err_set(e, ERR_USAGE, ERR_NOWHERE, "%s compares with one trace only", o->report);
			*file = *name ? name : *file;
		}
	return 0;
}

static int open_file(struct report_earlier *p, const struct trace_report_ctx *r, struct err *e)
{
	if (trace_report_has_option(r, OPT_GOROUTINE) || r->match.by_id)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "numbers of goroutines, tasks and operations differ between "
		    "traces: select by name to compare");
	p->options = *r->o;
	p->options.file = &p->file;
	p->options.nfile = 1;
	if (trace_report_open(&p->r, &p->options, r->to, e)) {
		struct err why = *e;
		return err_set(e, why.kind, why.at, "the base, %.100s: %s", p->file, why.msg);
	}
	p->r.name_matched = r->name_matched;
	p->opened = true;
	return 1;
}

int report_earlier_open(struct report_earlier *p, const struct trace_report_ctx *r, struct err *e)
{
	const char *range = options_str(r->o, OPT_DIFF_RANGE);
	int64_t t0, t1;
	*p = (struct report_earlier){0};
	if (query_check_sides(r->o, e) || base_file(r->o, &p->file, e))
		return -1;
	if (p->file)
		return open_file(p, r, e);
	if (!range || !*range)
		return 0;
	if (query_parse_span(r->sn, range, &t0, &t1, e))
		return -1;
	trace_report_narrow(&p->r, r, t0, t1, r->mem);
	return 1;
}

void report_earlier_close(struct report_earlier *p)
{
	if (p->opened)
		trace_report_close(&p->r);
}
