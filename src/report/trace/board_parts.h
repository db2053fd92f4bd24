/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_TRACE_BOARD_PARTS_H
#define TTRACE_REPORT_TRACE_BOARD_PARTS_H

#include "boards/board.h"
#include "report/trace/internal.h"

/* What the rows of a board lead to and consist of, for the reports of boards. */
enum { REPORT_BOARD_LINKS = 5 };
/* Set the columns of a row's goroutine, time range, curve and parts, of which text has none and JSON all. Return how many
   there are, at most REPORT_BOARD_LINKS. */
uint32_t report_board_link_cols(const struct trace_report_ctx *, struct table_col *);
/* Add the cells of these columns. */
void report_board_put_links(const struct trace_report_ctx *, struct table *, const struct board_row *);
/* Append what the first rows consist of, and what the trace cannot tell. */
void report_board_details(const struct trace_report_ctx *, const struct board *, struct buf *);
/* Return the first user frame of a stack; 0: it is unknown. */
frm_id report_board_frame(const struct trace_report_ctx *, stk_id);

#endif
