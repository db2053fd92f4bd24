/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_PROFILE_H
#define TTRACE_PPROF_PROFILE_H

#include "base/err.h"
#include "base/intern.h"
#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "filter/compile.h"
#include "pprof/stack_tree.h"
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
struct profile_run { uint64_t off; uint32_t n; };	/* part of an array */
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
	bool estimated;			/* some weights are estimates; comments that begin with "Approximate" name them */
	bool estimated_values;		/* the weight of each stack is one; the total is exact */
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
	struct stack_tree tree;			/* its frames are locations */
	uint32_t *stack;			/* all different stacks, in the order of the samples: nodes of tree */
	struct profile_run *set;		/* ranges of label */
	struct profile_label *label;
	struct profile_sample *sample;
	int64_t *value;			/* sample i has value[i * ntype .. (i+1) * ntype) */
	size_t nstr, ntype, nmap, nfun, nline, nloc, nstack, nset, nlabel, nsample, nvalue;
	struct { size_t str, type, map, fun, line, loc, stack, set, label, sample, value, at; } cap;
	struct { struct intern str, set; } index;
	struct stack_path last;		/* the last stack that was added by sink_ops.branch */
	uint32_t *at;			/* by node: its number in stack[], 0: none; NULL: not needed at present */
	str_id blank;			/* see profile_blank(); 0: not created yet */
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
/* Free the indexes of stacks, because few will be added from now on. They are built again when needed. */
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
/* Return the number of the stack that a node of the tree stands for; it is added if necessary. */
uint32_t profile_stack_of_node(struct profile *, uint32_t node);
uint32_t profile_add_labels(struct profile *, struct profile_label *, size_t n);	/* sorts the labels in place */
void profile_add_sample(struct profile *, uint32_t stack, uint32_t labels, const int64_t *value);
void profile_add_comment(struct profile *, str_id);
/* Free what a graph does not need after its samples are bundled: functions, locations, samples, labels, and the index of
   strings, which is built again when needed. */
void profile_drop_samples(struct profile *);
/* Free the stacks as well. What is left: strings, mappings, types and the meta data. */
void profile_drop_stacks(struct profile *);
/* Remove functions and lines; locations keep only their addresses. */
void profile_drop_names(struct profile *);

static inline const char *profile_string(const struct profile *p, str_id i) { return p->str[i].s; }
/* Return the locations ordered by mapping, else as they are: those of mapping m are loc[from[m]] up to
   loc[from[m + 1] - 1]. The index holds until a location is added or gets another mapping; free both arrays. */
struct profile_by_mapping { uint32_t *from; loc_id *loc; };
struct profile_by_mapping profile_locations_by_mapping(const struct profile *);
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

static inline loc_id profile_frame(const struct profile *p, uint32_t node) { return p->tree.node[node].frame; }
static inline uint32_t profile_caller(const struct profile *p, uint32_t node) { return p->tree.node[node].caller; }

/* Reads the frames of all samples, or of all stacks, in ascending order. The nodes of a stack are at random addresses,
   so it goes up several stacks at a time. Zero-initialise all but the first two members. */
enum { PROFILE_FRAMES_AHEAD = 16 };
struct profile_frames {
	const struct profile *p;
	bool stacks;		/* of p->stack; else of p->sample */
	size_t from, upto;
	struct profile_frame_list { loc_id *frame; size_t n, cap; } ahead[PROFILE_FRAMES_AHEAD];
};
/* Return the frames of a sample (or stack), leaf first, valid until the next call. */
const struct profile_frame_list *profile_frames_at(struct profile_frames *, size_t i);
void profile_frames_free(struct profile_frames *);

/* Move each stack s to the node to[s].node of the tree, or drop its samples. Stacks on one node are merged; those with
   `cut` come after all others. The stacks that no sample has are removed. */
struct profile_move { uint32_t node; bool cut, drop; };
void profile_move_stacks(struct profile *, const struct profile_move *to);
/* Number the nodes of the tree in preorder, for walks, and remove those that are in no stack. */
void profile_sort_nodes(struct profile *);
/* Remove the stacks that no sample has; the others keep their order. */
void profile_drop_unused_stacks(struct profile *);

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
void pprof_prune(struct profile *, profile_notice *, void *);
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
