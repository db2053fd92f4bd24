/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Makes one profile of files, in pprof's order, because rounding and the
 * numbering of locations depend on that order: every file is read and given a
 * mapping if it has none; the sources are merged, the bases are merged; the
 * base is scaled and subtracted by merging it with its values negated; then
 * drop_frames and the comment are applied.
 */
#include "config.h"
#include "session/merge_profiles.h"

#include "load/load.h"
#include "session/download.h"
#include "session/query.h"
#include "session/symbolize.h"
#include "session/trace_open.h"
#include "symbols/demangle.h"

#include <string.h>

struct fetcher {
	const struct options *o;
	profile_notice *notice;
	void *arg;
	const char *program;	/* the first argument, if it is a program */
	struct bytes *first;	/* NULL, or the first file, open */
	bool alone;		/* the viewer reads one file: only its reading can be stopped, and what was read is shown */
};

static void watch(struct profile *p, const struct options *o, uint64_t total)
{
	p->progress.go = o->watch ? o->watch->go : NULL;
	p->progress.arg = o->watch ? o->watch->arg : NULL;
	p->progress.total = total;
}

static void fix_mappings(struct profile *p, const struct fetcher *f)
{
	const char *build = f->o->v[OPT_BUILDID].s;
	if (p->nmap == 1) {
		profile_add_mapping(p, &(struct profile_mapping){.id = 1});
		for (size_t i = 1; i < p->nloc; i++)
			p->loc[i].map = 1;
	}
	if (f->program)
		p->map[1].file = profile_add_string(p, f->program, strlen(f->program));
	if (build && *build && !p->map[1].build)
		p->map[1].build = profile_add_string(p, build, strlen(build));
}

static struct profile *subtract_base(struct profile *p, struct profile *base, bool diff, bool normalize, struct err *e)
{
	struct profile *both[] = {p, base}, *sum = NULL;
	double *minus = xmalloc((base->ntype + 1) * sizeof *minus);
	for (size_t i = 0; i < base->ntype; i++)
		minus[i] = -1;
	if (diff)
		pprof_mark_base(base);
	if (!normalize || !pprof_normalize(p, base, e)) {
		pprof_scale(base, minus);
		if (pprof_merge(both, 2, &sum, e))
			sum = NULL;
	}
	mem_free(minus);
	profile_free(both[0]);
	profile_free(both[1]);
	return sum;
}

/* Make a profile of a trace by -type; with -rest, minus that of what the filters exclude; with -diff_range, minus that of
   the other time range. */
static struct profile *profile_of(const struct trace *t, const struct options *o, struct err *e)
{
	struct profile *p = trace_make_profile(t, o, TRACE_SHOWN, e);
	if (!p || !trace_has_own_base(o))
		return p;
	struct profile *base = trace_make_profile(t, o, options_bool(o, OPT_REST) ? TRACE_REST : TRACE_RANGE, e);
	if (base)
		return subtract_base(p, base, true, options_bool(o, OPT_NORMALIZE), e);
	profile_free(p);
	return NULL;
}

/* got: *t was opened. */
static struct profile *of_trace(struct trace *t, bool got, struct bytes *b, const struct fetcher *f, struct err *e)
{
	if (got && f->program) {
		trace_close(t);
		got = false;
		err_set(e, ERR_USAGE, ERR_NOWHERE, "is a trace: reports on traces take no program");
	}
	struct profile *p = got ? profile_of(t, f->o, e) : NULL;
	if (got)
		trace_close(t);
	input_close(b);
	return p;
}

/* pprof ignores names in comments, so reports use them only if names are asked for. The viewer uses them unless names
   are refused. */
static bool wants_comments(const struct options *o)
{
	const char *mode = options_str(o, OPT_SYMBOLIZE);
	return symbolize_wanted(mode) || (!strcmp(o->report, "view") && !(o->v[OPT_SYMBOLIZE].set && symbolize_refused(mode)));
}

/* Read the open input as a profile; the input is closed in any case. */
static struct profile *read_one(struct bytes *b, const struct fetcher *f, struct err *e)
{
	struct trace t;
	const struct reader *r = pprof_gunzip(b, f->o->watch, e) ? NULL : sniff(*b, e);
	if (r && r->read != pprof_read)
		input_drop_ahead(b);
	if (r && r->kind == FK_GOTRACE)
		return of_trace(&t, !trace_read(&t, b, f->o, f->notice, f->arg, e), b, f, e);
	if (r && options_check_profile(f->o, r->name, e)) {
		input_close(b);
		return NULL;
	}
	struct profile *p = profile_new();
	struct sink sink = profile_sink(p);
	int bad = !r;
	p->notices.put = f->notice;
	p->notices.arg = f->arg;
	watch(p, f->o, b->n);
	if (r && r->kind != FK_PPROF)
		bad = err_set(e, ERR_FORMAT, ERR_NOWHERE, "this is a %s, not a profile", r->name);
	if (!bad)
		bad = r->read(*b, &sink, e);
	if (f->alone && !bad)
		p->progress = (struct profile_progress){0};
	if (p->progress.stopped)
		bad = err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
	bad = input_report_damage(b, bad, &sink, e);
	if (!bad && p->notices.ndamage && options_bool(f->o, OPT_STRICT))
		bad = err_set(e, ERR_FORMAT, ERR_NOWHERE, "the file is damaged (-strict makes this an error)");
	input_close(b);
	if (bad) {
		profile_free(p);
		return NULL;
	}
	if (p->commented && !wants_comments(f->o))
		profile_drop_names(p);
	fix_mappings(p, f);
	profile_drop_stack_index(p);
	return p;
}

static int open_one(const struct fetcher *f, const char *file, struct bytes *b, struct err *e)
{
	if (!f->first || !f->first->p || file != f->o->file[0])
		return download_open_input(f->o, file, b, e);
	*b = *f->first;
	*f->first = (struct bytes){0};
	return 0;
}

/* Read n files as one profile. Return NULL with *e if none can be read or if they cannot be merged. */
static struct profile *read_profiles(const struct fetcher *f, const char *const *file, size_t n, const char *what,
    struct err *e)
{
	struct profile **all = xcalloc(n, sizeof(struct profile *)), *sum = NULL;
	size_t got = 0;
	bool stopped = false;
	for (size_t i = 0; i < n && !stopped; i++) {
		struct bytes b;
		struct err why = {0};
		struct trace t;
		bool here = trace_from_session(&t, file[i], f->o), opened = here || !open_one(f, file[i], &b, &why);
		const char *name = opened ? file[i] : "", *colon = opened ? ": " : "";
		all[got] = here ? profile_of(&t, f->o, &why) :
		    opened ? read_one(&b, f, &why) : NULL; /* the error of open has the file name */
		stopped = !all[got] && why.kind == ERR_CANCEL;
		if (all[got])
			got++;
		else if (n == 1 || stopped)
			err_set(e, why.kind, why.at, "%s%s%s", name, colon, why.msg);
		else
			f->notice(f->arg, "%s%s%s", name, colon, why.msg);
	}
	if (!got && n > 1 && !stopped)
		err_set(e, ERR_IO, ERR_NOWHERE, "cannot read any %s profile", what);
	else if (got && got < n && !stopped)
		f->notice(f->arg, "fetched %zu %s profiles out of %zu", got, what, n);
	if (got && !stopped && pprof_merge(all, got, &sum, e))
		sum = NULL;
	for (size_t i = 0; i < got; i++)
		profile_free(all[i]);
	mem_free(all);
	return sum;
}

/* A mapping named by a URL loses that name. */
static void forget_urls(struct profile *p)
{
	for (size_t i = 1; i < p->nmap; i++) {
		const char *s = profile_string(p, p->map[i].file);
		size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
		bool letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z');
		if (!p->map[i].build && letter && s[n] == ':')
			p->map[i].file = 0;
	}
}

/* The last option counts, as in go tool pprof; an empty name is none. In the viewer a side consists of all its
   files. */
static const char *const *base_files(const struct option_value *v, const char *option, const struct fetcher *f,
    size_t *n)
{
	*n = v->nall;
	if (f->o->cached_inputs || !v->nall)
		return v->all;
	if (v->nall > 1)
		f->notice(f->arg, "several %s options: only the last one is used", option);
	const char *const *last = v->all + v->nall - 1;
	*n = **last != 0;
	return last;
}

/* Apply the options that change the profile as a whole. */
static void adjust(struct profile *p, const struct fetcher *f)
{
	const struct options *o = f->o;
	if (options_bool(o, OPT_ALL_FRAMES))
		p->meta.drop_frames = p->meta.keep_frames = 0;
	if (!f->alone)
		watch(p, o, 0);
	bool code = !strcmp(o->report, "disasm") || !strcmp(o->report, "weblist");	/* these reports need names */
	if (o->v[OPT_SYMBOLIZE].set || code || !strcmp(o->report, "view"))
		symbolize_locate(p, f->program != NULL, f->notice, f->arg);
	if (o->v[OPT_SYMBOLIZE].set || code)
		symbolize(p, o->v[OPT_SYMBOLIZE].set ? options_str(o, OPT_SYMBOLIZE) : "local", f->notice, f->arg);
	else
		demangle_linker_names(p);
	pprof_prune(p, f->notice, f->arg);
	forget_urls(p);
	const char *comment = options_str(o, OPT_ADD_COMMENT);
	if (comment && *comment)
		profile_add_comment(p, profile_add_string(p, comment, strlen(comment)));
}

struct profile *merge_profiles_read(const struct options *o, profile_notice *notice, void *arg, struct err *e)
{
	return merge_profiles_read_from(o, NULL, notice, arg, e);
}

struct profile *merge_profiles_read_from(
    const struct options *o, struct bytes *first, profile_notice *notice, void *arg, struct err *e)
{
	struct fetcher f = {.o = o, .notice = notice, .arg = arg, .first = first};
	const char *const *file = o->file;
	size_t n = o->nfile, nbase, ndiff;
	const char *const *base = base_files(&o->v[OPT_BASE], "-base", &f, &nbase);
	const char *const *diff = base_files(&o->v[OPT_DIFF_BASE], "-diff_base", &f, &ndiff);
	bool normalize = options_bool(o, OPT_NORMALIZE);
	if (nbase && ndiff) {
		err_set(e, ERR_USAGE, ERR_NOWHERE, "-base and -diff_base cannot be used together");
		return NULL;
	}
	struct query q;
	if (query_check_sides(o, e) || query_of_options(o, &q, e))
		return NULL;
	if (normalize && !nbase && !ndiff && !trace_has_own_base(o)) {
		err_set(e, ERR_USAGE, ERR_NOWHERE, "-normalize requires -base or -diff_base");
		return NULL;
	}
	if (symbolize_check(options_str(o, OPT_SYMBOLIZE), e))
		return NULL;
	struct bytes b;
	if (n > 1 && !first && !download_open_input(o, file[0], &b, NULL)) {
		if (sniff_program(b)) {
			f.program = *file++;
			n--;
		}
		input_close(&b);
	}
	f.alone = n == 1 && !nbase && !ndiff && !strcmp(o->report, "view");
	struct profile *p = read_profiles(&f, file, n, "source", e), *pb;
	if (p && (nbase || ndiff)) {
		pb = read_profiles(&f, nbase ? base : diff, nbase ? nbase : ndiff, "base", e);
		if (!pb) {
			profile_free(p);
			return NULL;
		}
		p = subtract_base(p, pb, ndiff != 0, normalize, e);
	}
	if (!p)
		return NULL;
	adjust(p, &f);
	download_save(o->downloads, p);
	profile_drop_stack_index(p);
	mem_trim();	/* memory that only reading needed is between blocks in use */
	return p;
}
