/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The call graph as a drawing: the output of `ttrace dot`, drawn by graphviz,
 * whose program dot runs as a child with the graph as its input. The formats
 * are those of pprof, except those that start a viewer.
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/subprocess.h"

static int run_graphviz(const struct options *o, struct out *out, const char *format, struct err *e)
{
	enum { DRAWING_MAX = 1 << 30 };
	const char *const argv[] = {"dot", format, NULL};
	struct out graph = {.fd = -1, .held = true, .watch = o->watch};
	struct buf drawing = {0};
	struct err why = {0};
	int rc = report_dot_escaped(o, &graph, true, e);
	if (!rc && graph.failed)
		rc = err_set(e, ERR_LIMIT, ERR_NOWHERE, "the graph is too large to be drawn: -nodecount=N makes it smaller");
	if (!rc && subprocess_filter(argv, &graph.buf, &drawing, DRAWING_MAX, &why)) {
		if (why.kind == ERR_IO)
			rc = err_set(e, ERR_OUTPUT, ERR_NOWHERE, "drawings need dot of graphviz, which is not installed "
			    "(Debian: apt-get install graphviz); the report flame needs nothing");
		else
			rc = err_set(e, why.kind == ERR_CANCEL ? ERR_CANCEL : ERR_OUTPUT, ERR_NOWHERE, "%s", why.msg);
	}
	if (!rc)
		buf_put(&out->buf, drawing.p, drawing.n);
	buf_free(&graph.buf);
	buf_free(&drawing);
	return rc;
}

int report_svg(const struct options *o, struct out *out, struct err *e)
{
	return run_graphviz(o, out, "-Tsvg", e);
}

int report_ps(const struct options *o, struct out *out, struct err *e)
{
	return run_graphviz(o, out, "-Tps", e);
}

int report_png(const struct options *o, struct out *out, struct err *e)
{
	return output_check_binary(out, e) ? -1 : run_graphviz(o, out, "-Tpng", e);
}

int report_gif(const struct options *o, struct out *out, struct err *e)
{
	return output_check_binary(out, e) ? -1 : run_graphviz(o, out, "-Tgif", e);
}

int report_pdf(const struct options *o, struct out *out, struct err *e)
{
	return output_check_binary(out, e) ? -1 : run_graphviz(o, out, "-Tpdf", e);
}
