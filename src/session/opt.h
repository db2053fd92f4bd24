/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_OPT_H
#define TTRACE_OPT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The command line. options[] is the one place where an option is written down:
 * the parser, --help, completion and the manual read it. One dash or two,
 * -name=value or -name value, booleans also -name=false, unique abbreviations,
 * options anywhere, `--` ends them, `-` is standard input.
 */
enum opt_id {
#define OPT(id, name, kind, arg, dflt, group, help) OPT_##id,
#include "session/opt.def"
#undef OPT
	OPT__N
};

struct opt {
	const char *report;	/* first word, or the report named by a flag (-top), or "view" */
	const char *arg;	/* list, peek, goroutine: their argument */
	const char **file;	/* at least one, unless report is help */
	size_t nfile;
	struct opt_value {
		bool set;
		const char *s;		/* as given (last one) */
		int64_t i;
		double f;
		bool b;
		const char **all;	/* repeatable options: each one given */
		size_t nall;
	} v[OPT__N];
	void *owned;
};

/* 0; or -1 with ERR_USAGE. Everything is parsed; what a report does not use it ignores. */
int opt_parse(struct opt *, int argc, char *const *argv, struct err *e);
void opt_free(struct opt *);

static inline bool opt_bool(const struct opt *o, enum opt_id i) { return o->v[i].b; }
static inline const char *opt_str(const struct opt *o, enum opt_id i) { return o->v[i].s; }

#endif
