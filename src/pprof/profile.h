/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_PROFILE_H
#define TTRACE_PPROF_PROFILE_H

#include "base/err.h"
#include "base/intern.h"
#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "sink.h"

/*
 * A profile as the pprof-compatible reports need it: mutable tables in the
 * order of the file, samples that share interned stacks and label sets. What
 * a query does to a stack is worked out once per stack, not once per sample.
 * Index 0 of strings, mappings, functions, locations is "none"; stack 0 is the
 * empty one, label set 0 has no labels. Equal strings have equal ids.
 */
struct profile_text { const char *s; uint32_t n; };	/* NUL-terminated */
struct profile_type { str_id type, unit; };
struct profile_mapping {
	uint64_t id, start, limit, offset;
	str_id file, build;
	bool functions, filenames, lines, inlines;
};
struct profile_function { uint64_t id; str_id name, sysname, file; int64_t line; };
struct profile_line { fun_id fun; int64_t line, col; };
struct profile_location { uint64_t id, addr; map_id map; uint32_t line, nline; bool folded; };
	/* its lines are p->line[line .. line+nline), innermost first; none if unknown */
struct profile_run { uint64_t off : 37, n : 27; };	/* a record of a file has less than 2^26 bytes */
struct profile_label { str_id key, str; int64_t num; str_id unit; };
	/* of a set: strings first, then numbers; by key; in the order of the file under a key */
struct profile_sample { uint32_t stack, labels; };
typedef void profile_notice(void *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct profile {
	struct arena arena;
	struct profile_text *str;
	struct profile_type *type;
	struct profile_mapping *map;
	struct profile_function *fun;
	struct profile_line *line;
	struct profile_location *loc;
	struct profile_run *stack, *set;	/* into frame, label */
	uint8_t *packed;			/* frames, leaf first: profile_frame() */
	unsigned width;			/* bytes of a frame: 3, or 4 when a number was too large */
	struct profile_label *label;
	struct profile_sample *sample;
	int64_t *value;			/* sample i has value[i * ntype .. (i+1) * ntype) */
	size_t nstr, ntype, nmap, nfun, nline, nloc, nstack, nset, nframe, nlabel, nsample, nvalue;
	size_t cstr, ctype, cmap, cfun, cline, cloc, cstack, cset, cframe, clabel, csample, cvalue;
	struct intern strx, stackx, setx;
	str_id blank;			/* see profile_blank(); 0: not asked for yet */

	str_id tag_root;		/* 0, or the key whose tags are frames where nothing else is asked for */
	str_id drop_frames, keep_frames, default_type, doc_url, period_type, period_unit;
	int64_t time, duration, period;
	str_id *comment;
	size_t ncomment, ccomment;
	bool nested;			/* frames of a stack may be those of another: profile_add_run() */
	bool commented;			/* names come from comments that pprof does not read: profile_drop_names() */
	bool bad;			/* a sample had another number of values than there are types */
	profile_notice *notice;		/* what readers warn of goes there, with its place; NULL: nowhere */
	void *notice_arg;
	size_t nwarn, nsaid;	/* notices of damage, and all of them */

	/* Who looks on, NULL nobody: asked now and then how far it is and whether to go on. What was stopped is
	   half of it, and nobody's. */
	bool (*go)(void *arg, uint64_t done, uint64_t total);
	void *go_arg;
	uint64_t total;			/* bytes to read */
	bool stopped;
};

struct profile *profile_new(void);
void profile_free(struct profile *);
struct sink profile_sink(struct profile *);	/* readers fill it; the trace's part is left out */
/* Few stacks will be added from now on: the index of them goes, until one is. */
void profile_drop_stack_index(struct profile *);

/* At step i of n of something long: false: stop. */
static inline bool profile_should_continue(struct profile *p, size_t i, size_t n)
{
	if (p->go && i % 4096 == 0 && !p->stopped)
		p->stopped = !p->go(p->go_arg, i, n);
	return !p->stopped;
}

str_id profile_add_string(struct profile *, const char *s, size_t n);
/* The empty text of a label that is there, or its empty unit: a string of its own, since 0 says that it
   has none. */
str_id profile_blank(struct profile *);
map_id profile_add_mapping(struct profile *, const struct profile_mapping *);
fun_id profile_add_function(struct profile *, const struct profile_function *);
uint32_t profile_add_line(struct profile *, const struct profile_line *);	/* its index */
loc_id profile_add_location(struct profile *, const struct profile_location *);
uint32_t profile_add_stack(struct profile *, const loc_id *leaf_first, size_t n);
uint32_t profile_add_labels(struct profile *, struct profile_label *, size_t n);	/* sorts them in place */
void profile_add_sample(struct profile *, uint32_t stack, uint32_t labels, const int64_t *value);
void profile_add_comment(struct profile *, str_id);
void profile_drop_names(struct profile *);	/* locations keep their addresses only */

/* Frame i of all stacks. They are most of a profile, so they take what their numbers do. */
static inline loc_id profile_frame(const struct profile *p, uint64_t i)
{
	const uint8_t *f = p->packed + i * p->width;
	loc_id l = f[0] | (loc_id)f[1] << 8 | (loc_id)f[2] << 16;
	return p->width == 3 ? l : l | (loc_id)f[3] << 24;
}

/* There is room for it, and it is not too large. */
static inline void profile_set_frame(struct profile *p, uint64_t i, loc_id l)
{
	uint8_t *f = p->packed + i * p->width;
	for (unsigned k = 0; k < p->width; k++)
		f[k] = (uint8_t)(l >> 8 * k);
}

static inline const char *profile_string(const struct profile *p, str_id i) { return p->str[i].s; }
/* The function that code at a location belongs to, not what was inlined into it; "" when it is not known. */
static inline const char *profile_outermost(const struct profile *p, size_t loc)
{
	const struct profile_location *l = &p->loc[loc];
	return l->nline ? profile_string(p, p->fun[p->line[l->line + l->nline - 1].fun].name) : "";
}
static inline int64_t *profile_value(const struct profile *p, size_t sample) { return p->value + sample * p->ntype; }
/* v += d, wrapping: values of a file may be anything. */
static inline void profile_sum(int64_t *v, int64_t d) { *v = wrap_add(*v, d); }
/* v by d; by nothing, v itself. */
static inline int64_t profile_mean(int64_t v, int64_t d) { return d == -1 ? wrap_neg(v) : d ? v / d : v; }

/* A stack whose frames lie where those of another do, or at the end; equal ones may be there. Room for so many more
   frames at the end, p->nframe on, whatever locations there are by now; who writes them counts them. */
uint32_t profile_add_run(struct profile *, struct profile_run);
void profile_reserve_frames(struct profile *, uint64_t n);

/* There were n stacks. Samples keep their order; each goes from stack s to to[s], or is dropped if that is
   PROFILE_DROP. What was added as profile_add_run() since, in the order of s, each for one, is what is left of s by
   something that would take nothing more of it: equal ones become one, as profile_add_stack() would have it, and to[]
   says which. */
#define PROFILE_DROP UINT32_MAX
void profile_restack(struct profile *, uint32_t *to, size_t n);
void profile_drop_unused_stacks(struct profile *);	/* those of no sample; the others keep their order */
/* Samples, to the last one, are not looked at again; those from one to another: their pages go. */
void profile_drop_samples(struct profile *);
void profile_drop_labels(struct profile *);		/* when samples have been forgotten */
void profile_release_samples(const struct profile *, size_t from, size_t upto);

/* to_sink.c: say it all to a sink, in the order of the tables. false: the sink said stop. */
bool pprof_to_sink(const struct profile *, const struct sink *);
/* Say it to a store that holds another profile, as samples of that side. -1: they have no sample type in
   common; nothing was said. */
struct snap;
int pprof_add_side(const struct profile *, const struct snap *, const struct sink *, uint32_t side, struct err *e);

/* pprof/write.c: as a gzip'ed profile.proto, piece by piece; put() false: stop. */
typedef bool pprof_write_fn(void *arg, const void *p, size_t n);
int pprof_write(const struct profile *, pprof_write_fn *, void *arg, struct err *e);

/* pprof/merge.c */
/* Make n profiles comparable and merge them into one, as pprof does: p[0] itself when n is 1, else
   a new one, for which they all go; either way p[] is empty then. -1: they cannot be compared, and are as they were
   but for their types and units. */
int pprof_merge(struct profile **p, size_t n, struct profile **out, struct err *e);
int pprof_normalize(struct profile *, const struct profile *base, struct err *e);
void pprof_scale(struct profile *, const double *ratio);	/* one per type; drops samples that become 0 */
void pprof_mark_base(struct profile *);			/* label every sample as of the diff base */

/* pprof/filter.c: what the filters of a query do; in the order in which pprof does them. */
#define PROFILE_BASE_KEY "pprof::base"
struct pprof_filters {	/* as typed; NULL or "" none */
	const char *focus, *ignore, *hide, *show, *show_from, *prune_from;
	const char *tagfocus, *tagignore, *tagshow, *taghide, *tagroot, *tagleaf;
	const char *unit;	/* in which tagroot and tagleaf write numbers */
};
struct pprof_label_units {	/* the unit of each numeric label key */
	str_id *key, *unit;
	size_t n, cap;
	struct intern at;	/* by key */
};
/* A C++ name without its arguments: how much of *s, which may move on. */
size_t pprof_simple_name(const char **s, size_t n);
/* Remove what the profile itself says is uninteresting (drop_frames and keep_frames). */
void pprof_prune(struct profile *);
void pprof_find_label_units(struct profile *, struct pprof_label_units *, profile_notice *, void *);
void pprof_label_units_free(struct pprof_label_units *);
str_id pprof_label_unit(const struct pprof_label_units *, str_id key);
void pprof_tag_frames(struct profile *, const struct pprof_filters *, profile_notice *, void *);
int pprof_apply_filters(struct profile *, const struct pprof_filters *, const struct pprof_label_units *,
    profile_notice *, void *, struct err *);
/* What equal entries have in common. */
struct pprof_granularity { bool inlines, function, file, line, column, address; };
void pprof_aggregate(struct profile *, const struct pprof_granularity *);

#endif
