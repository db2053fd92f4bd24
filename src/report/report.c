/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The functions of the reports, from the same table as their texts
 * (cli/reports.def), so that no report can be listed without a function.
 */
#include "config.h"
#include "report/report.h"

#include <string.h>

const struct report reports[] = {
#define REPORT(name, fn, arg, takes, group, help, purpose, columns, example) {name, fn},
#include "cli/reports.def"
#undef REPORT
	{NULL, NULL},
};

const struct report *report_find(const char *name)
{
	for (const struct report *r = reports; r->name; r++)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}

bool report_runs_programs(const struct report *r)
{
	static report_fn *const fn[] = {report_disasm, report_weblist, report_svg, report_ps, report_png, report_gif,
	    report_pdf};
	for (size_t i = 0; i < sizeof fn / sizeof *fn; i++)
		if (r->run == fn[i])
			return true;
	return false;
}
