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
#include "base/text/text.h"

/* Append the graph for a drawing. An SVG file may not contain control characters, nor bytes that are not UTF-8, and
   graphviz copies them. They are only in texts between quotes, where report_dot_escaped() has replaced ends of lines. */
static void put_drawable(struct buf *b, const char *s, size_t n)
{
	struct buf shown = {0};
	for (size_t i = 0, len; i < n; i += len) {
		uint32_t cp;
		len = text_decode_utf8(s + i, n - i, &cp);
		if (s[i] == '\n' || (s[i] >= ' ' && s[i] <= '~')) {
			buf_putc(b, s[i]);
			continue;
		}
		buf_reset(&shown);
		if (cp == 0xfffe || cp == 0xffff)	/* not allowed in XML */
			buf_printf(&shown, "\\u%x", cp);
		else
			text_safe(&shown, s + i, len);
		for (size_t k = 0; k < shown.n; k++) {
			if (shown.p[k] == '\\')
				buf_putc(b, '\\');
			buf_putc(b, shown.p[k]);
		}
	}
	buf_free(&shown);
}

static int run_graphviz(const struct options *o, struct out *out, const char *format, struct err *e)
{
	enum { DRAWING_MAX = 1 << 30 };
	const char *const argv[] = {"dot", format, NULL};
	struct out graph = {.fd = -1, .held = true, .watch = o->watch};
	struct buf drawable = {0}, drawing = {0};
	struct err why = {0};
	int rc = report_dot_escaped(o, &graph, true, e);
	if (!rc && graph.failed)
		rc = err_set(e, ERR_LIMIT, ERR_NOWHERE, "the graph is too large to be drawn: -nodecount=N makes it smaller");
	if (!rc)
		put_drawable(&drawable, graph.buf.p, graph.buf.n);
	if (!rc && subprocess_filter(argv, &drawable, &drawing, DRAWING_MAX, &why)) {
		if (why.kind == ERR_IO)
			rc = err_set(e, ERR_OUTPUT, ERR_NOWHERE, "drawings need dot of graphviz, which is not installed "
			    "(Debian: apt-get install graphviz); the report flame needs nothing");
		else
			rc = err_set(e, why.kind == ERR_CANCEL ? ERR_CANCEL : ERR_OUTPUT, ERR_NOWHERE, "%s", why.msg);
	}
	if (!rc)
		buf_put(&out->buf, drawing.p, drawing.n);
	buf_free(&graph.buf);
	buf_free(&drawable);
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
