/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_PROFILE_H
#define TTRACE_PPROF_PROFILE_H

#include "base/err.h"
#include "base/intern.h"
#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "filter/compile.h"
#include "sink_profile.h"

/*
 * A profile for the pprof-compatible reports: mutable tables in the order of the file, and samples that share interned
 * stacks and label sets. What a query does to a stack is computed once per stack, not once per sample. Index 0 of
 * strings, mappings, functions and locations is "none"; stack 0 is the empty one, label set 0 has no labels. Equal
 * strings have equal ids.
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
struct profile_run { uint64_t off : 37, n : 27; };	/* a record of a file is shorter than 2^26 bytes */
struct profile_label { str_id key, str; int64_t num; str_id unit; };
	/* order within a set: strings first, then numbers; by key; labels of one key in the order of the file */
struct profile_sample { uint32_t stack, labels; };
typedef void profile_notice(void *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What a profile says about itself. */
struct profile_meta {
	str_id tag_root;		/* 0, or the key whose tags are shown as frames by default */
	str_id drop_frames, keep_frames, default_type, doc_url, period_type, period_unit;
	int64_t time, duration, period;
	str_id *comment;
	size_t ncomment, ccomment;
};
struct profile_notices {
	profile_notice *put;		/* gets the warnings of readers, with their positions; NULL: they are dropped */
	void *arg;
	size_t ndamage, nall;		/* how many were of damage, and all */
};
struct profile_progress {
	/* NULL, or called now and then with the progress; it returns false to stop. After that `stopped` is set and the
	   profile is incomplete and must not be used. */
	bool (*go)(void *arg, uint64_t done, uint64_t total);
	void *arg;
	uint64_t total;			/* bytes to read */
	bool stopped;
};

struct profile {
	struct arena arena;
	struct profile_text *str;
	struct profile_type *type;
	struct profile_mapping *map;
	struct profile_function *fun;
	struct profile_line *line;
	struct profile_location *loc;
	struct profile_run *stack, *set;	/* ranges of frame and label */
	uint8_t *packed;			/* frames, leaf first: profile_frame() */
	unsigned width;			/* bytes of a frame: 3, or 4 if a location number is too large for 3 */
	struct profile_label *label;
	struct profile_sample *sample;
	int64_t *value;			/* sample i has value[i * ntype .. (i+1) * ntype) */
	size_t nstr, ntype, nmap, nfun, nline, nloc, nstack, nset, nframe, nlabel, nsample, nvalue;
	struct { size_t str, type, map, fun, line, loc, stack, set, frame, label, sample, value; } cap;
	struct { struct intern str, stack, set; } index;
	str_id blank;			/* see profile_blank(); 0: not created yet */
	bool nested;			/* stacks may share frames: profile_add_run() */
	bool commented;			/* names come from comments that pprof ignores: profile_drop_names() */
	bool bad;			/* a sample had a different number of values than there are types */
	struct profile_meta meta;
	struct profile_notices notices;
	struct profile_progress progress;
};

struct profile *profile_new(void);
void profile_free(struct profile *);
/* Return a sink that fills the profile. It has no functions for traces. */
struct sink profile_sink(struct profile *);
/* Free the index of stacks, because few stacks will be added from now on. profile_add_stack() builds it again. */
void profile_drop_stack_index(struct profile *);

/* Call at step i of n of a long loop; return false if it is to stop. */
static inline bool profile_should_continue(struct profile *p, size_t i, size_t n)
{
	if (p->progress.go && i % 4096 == 0 && !p->progress.stopped)
		p->progress.stopped = !p->progress.go(p->progress.arg, i, n);
	return !p->progress.stopped;
}

str_id profile_add_string(struct profile *, const char *s, size_t n);
/* Return the id of the empty text of a label, or of an empty unit. It is a string of its own, because 0 means that
   there is no text. */
str_id profile_blank(struct profile *);
map_id profile_add_mapping(struct profile *, const struct profile_mapping *);
fun_id profile_add_function(struct profile *, const struct profile_function *);
/* Append a line and return its index. */
uint32_t profile_add_line(struct profile *, const struct profile_line *);
loc_id profile_add_location(struct profile *, const struct profile_location *);
uint32_t profile_add_stack(struct profile *, const loc_id *leaf_first, size_t n);
uint32_t profile_add_labels(struct profile *, struct profile_label *, size_t n);	/* sorts the labels in place */
void profile_add_sample(struct profile *, uint32_t stack, uint32_t labels, const int64_t *value);
void profile_add_comment(struct profile *, str_id);
/* Remove functions and lines; locations keep only their addresses. */
void profile_drop_names(struct profile *);

/* Return frame i of all stacks. Frames are most of a profile, so they take only 3 bytes if they can. */
static inline loc_id profile_frame(const struct profile *p, uint64_t i)
{
	const uint8_t *f = p->packed + i * p->width;
	loc_id l = f[0] | (loc_id)f[1] << 8 | (loc_id)f[2] << 16;
	return p->width == 3 ? l : l | (loc_id)f[3] << 24;
}

/* Write frame i. There must be room for it, and it must fit into the width. */
static inline void profile_set_frame(struct profile *p, uint64_t i, loc_id l)
{
	uint8_t *f = p->packed + i * p->width;
	for (unsigned k = 0; k < p->width; k++)
		f[k] = (uint8_t)(l >> 8 * k);
}

static inline const char *profile_string(const struct profile *p, str_id i) { return p->str[i].s; }
/* Return the name of the function that contains a location, not of one that was inlined into it; "" if it is not
   known. */
static inline const char *profile_outermost(const struct profile *p, size_t loc)
{
	const struct profile_location *l = &p->loc[loc];
	return l->nline ? profile_string(p, p->fun[p->line[l->line + l->nline - 1].fun].name) : "";
}
static inline int64_t *profile_value(const struct profile *p, size_t sample) { return p->value + sample * p->ntype; }
/* v += d, wrapping around, because values of a file may be any numbers. */
static inline void profile_sum(int64_t *v, int64_t d) { *v = wrap_add(*v, d); }
/* Return v / d; v if d is 0. */
static inline int64_t profile_mean(int64_t v, int64_t d) { return d == -1 ? wrap_neg(v) : d ? v / d : v; }

/* profile_add_run() adds a stack whose frames are part of another stack's, or at the end; equal stacks are not merged.
   profile_reserve_frames() makes room for n frames at the end, from p->nframe on, wide enough for all current
   locations; the caller writes them and advances p->nframe. */
uint32_t profile_add_run(struct profile *, struct profile_run);
void profile_reserve_frames(struct profile *, uint64_t n);

/* Replace stacks, of which there were n. Samples keep their order; each moves from stack s to to[s], or is dropped if
   that is PROFILE_DROP. Stacks that were added since by profile_add_run(), in the order of s and each for one s, must
   be results of a filter that would not change them again. Equal ones are merged, as profile_add_stack() would do, and
   to[] is updated. */
#define PROFILE_DROP UINT32_MAX
void profile_restack(struct profile *, uint32_t *to, size_t n);
/* Remove the stacks that no sample has; the others keep their order. */
void profile_drop_unused_stacks(struct profile *);
/* Free all samples; or release the pages of samples [from, upto), which must not be read again. */
void profile_drop_samples(struct profile *);
/* Free the label sets; call after profile_drop_samples(). */
void profile_drop_labels(struct profile *);
void profile_release_samples(const struct profile *, size_t from, size_t upto);

/* Write all tables to a sink, in their order (to_sink.c). Return false if the sink stopped it. */
bool pprof_to_sink(const struct profile *, const struct sink *);
/* Write the profile to a store that holds another one, as samples of that side. -1: they have no sample type in common,
   and nothing was written. */
struct snap;
int pprof_add_side(const struct profile *, const struct snap *, const struct sink *, uint32_t side, struct err *e);

/* Write the profile as a gzip'ed profile.proto, block by block (write.c). put() returns false to stop. */
typedef bool pprof_write_fn(void *arg, const void *p, size_t n);
int pprof_write(const struct profile *, pprof_write_fn *, void *arg, struct err *e);

/* The following functions are in merge.c. */
/* Make n profiles comparable and merge them into *out, as pprof does: p[0] itself if n is 1, else a new profile, and
   all p[] are freed while it is made. Either way the caller no longer owns them and p[] is NULL. -1: they are not
   comparable; then only their types and units may have changed. */
int pprof_merge(struct profile **p, size_t n, struct profile **out, struct err *e);
int pprof_normalize(struct profile *, const struct profile *base, struct err *e);
/* Scale the values by one ratio per type; drop samples whose values all become 0. */
void pprof_scale(struct profile *, const double *ratio);
/* Label every sample as one of the diff base. */
void pprof_mark_base(struct profile *);

/* The filters of a query, in pprof's order (filter.c). */
struct pprof_label_units {	/* the unit of each numeric label key */
	str_id *key, *unit;
	size_t n, cap;
	struct intern at;	/* index of key[] */
};
/* Remove the frames that the profile itself declares uninteresting (drop_frames and keep_frames). */
void pprof_prune(struct profile *);
void pprof_find_label_units(struct profile *, struct pprof_label_units *, profile_notice *, void *);
void pprof_label_units_free(struct pprof_label_units *);
str_id pprof_label_unit(const struct pprof_label_units *, str_id key);
/* unit: that in which tagroot and tagleaf write numbers */
void pprof_tag_frames(struct profile *, const struct filters *, const char *unit, profile_notice *, void *);
int pprof_apply_filters(struct profile *, const struct filters *, const struct pprof_label_units *,
    profile_notice *, void *, struct err *);
/* The fields that remain after pprof_aggregate(); equal entries then have them in common. */
struct pprof_granularity { bool inlines, function, file, line, column, address; };
void pprof_aggregate(struct profile *, const struct pprof_granularity *);

#endif
