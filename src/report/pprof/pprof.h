/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_PPROF_PPROF_H
#define TTRACE_REPORT_PPROF_PPROF_H

#include "report/report.h"

/* The reports that pprof has too, with the same text. Rows of reports[]. */
typedef int report_fn(const struct options *, struct out *, struct err *);
report_fn report_top, report_tree, report_peek, report_list, report_traces, report_tags, report_raw,
    report_comments, report_dot, report_callgrind, report_proto, report_topproto, report_folded, report_flame,
    report_speedscope, report_disasm, report_weblist, report_svg, report_ps, report_png, report_gif, report_pdf;

#endif
