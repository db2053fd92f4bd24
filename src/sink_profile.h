/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SINK_PROFILE_H
#define TTRACE_SINK_PROFILE_H

#include "sink.h"

/* What readers pass of samples: of profiles, and of the CPU samples in a trace. */
#define STK_LATER UINT32_MAX	/* a sample's stack that resolve_stacks() sets */

struct sink_label {
	str_id key, str;	/* str != 0: a string label */
	int64_t num;
	str_id unit;
	bool blank; /* a string label whose text is empty */
	bool bare; /* a number with an empty unit that is given explicitly; it is a label even if the number is 0 */
};

struct sink_sample {
	stk_id stack;
	const int64_t *value;	/* one for each sample type */
	const struct sink_label *label;
	size_t nlabel;
	int64_t when;		/* ns since the start of the trace, or TIME_NONE */
	trk_id trk;		/* the G that it was taken on, or 0 */
	trk_id proc;		/* the P, or 0 */
	uint32_t side;		/* 0, or the number of the file that was added to the first one */
};

struct sink_meta {	/* of a profile; strings are 0 if absent */
	str_id drop_frames, keep_frames, default_type, doc_url;
	str_id period_type, period_unit;
	int64_t time, duration, period;	/* ns; time since 1970 */
	const str_id *comment;
	size_t ncomment;
	bool commented;		/* the names are from comments of a text, which pprof does not read */
};

struct sink_profile_ops {
	/* Add a sample type, before the first sample. Return its number, or -1 if there are too many. */
	int    (*type)(void *, str_id name, str_id unit);
	void   (*sample)(void *, const struct sink_sample *);
	void   (*meta)(void *, const struct sink_meta *);

	/* For a sink that keeps stacks as a tree: with millions of different stacks most of the time would be spent in
	   looking up children, so such a sink can get them sorted. NULL: it gets each stack by sink_ops.stack, before
	   its sample.
	   Add a stack that consists of the first `same` frames of the stack of the previous call and these frames.
	   Stacks come in the order of their outermost frames, equal ones in adjacent calls. */
	stk_id (*branch)(void *, size_t same, const loc_id *outer_first, size_t n);
	/* Set the stacks of all n samples that were passed with STK_LATER, in their order. They are not visible
	   before. NULL if and only if branch is. */
	void   (*resolve_stacks)(void *, const stk_id *, size_t n);
};

#endif
