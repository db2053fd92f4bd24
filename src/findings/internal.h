/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_INTERNAL_H
#define TTRACE_FINDINGS_INTERNAL_H

#include "base/text/buf.h"
#include "findings/measures/time_parts.h"
#include "findings/findings.h"
#include "findings/measures/groups.h"
#include "findings/measures/lock_sets.h"
#include "findings/measures/moments.h"
#include "findings/measures/names.h"
#include "findings/measures/scan.h"
#include "findings/stuck.h"
#include "critical/path.h"

/* What a rule needs of a trace. OF_PROFILE: it judges profiles, not traces; OF_BOTH: both. SUPPLEMENT: it only adds to
   what others find, from data that few traces have. */
enum { NEEDS_STACKS = 1, OF_PROFILE = 2, NEEDS_PATHS = 4, OF_BOTH = 8, SUPPLEMENT = 16 };

/* One run of all rules, with the measures that they share. */
struct findings_run {
	const struct findings_query *q;
	const struct snap *sn;
	const struct store *st;
	const struct findings_sides *profile;	/* NULL: it is a trace. For a profile the measures of traces are empty. */
	const double *threshold;
	const struct operations *ops;
	struct scan scan;
	struct moments moments;
	bool scanned, noted;	/* the scan was not stopped; the search for moments was not */
	struct goroutine_groups groups;
	const struct critical_walker *walker;	/* NULL if a profile is judged */
	struct lock_sets *locks;	/* NULL: not made yet; see findings_locks() */
	struct stuck *stuck;		/* likewise; see findings_stuck() */
	struct kind_paths *paths;	/* of kinds of operations, for rules that need paths */
	uint32_t npaths;
	const struct operation_kind *straggling;	/* of children of which one is late in a finding; NULL: none */
	int64_t lowered;	/* when GOMAXPROCS was lowered, of a problem that was found; 0: it was not */
	struct frozen_gap { int64_t t0, t1; } *frozen;	/* times in which the process was stopped */
	uint32_t nfrozen;
	size_t cfrozen;
	uint8_t *serves;	/* a bit per track: see findings_serves(); NULL: not made yet */
	const trk_id *proc;	/* all Ps */
	uint32_t nproc;
	int64_t wall;		/* length of the range that is judged, > 0 */
	struct arena *mem;	/* of the results */
	struct arena scratch, walked;	/* walked: memory of the walker, which another thread makes */
	struct buf text;	/* the sentence being written */
	enum finding_rule rule;	/* the one that is being judged */
	struct finding *v;
	struct finding_unanswered *unanswered;
	uint32_t n, nunanswered;
	size_t cap, cunanswered;
};
/* Return false to stop: rules ask it in loops whose steps read the trace. What they add then is not used. Any thread. */
static inline bool findings_continue(const struct findings_run *r)
{
	return job_should_continue(&r->q->on);
}
/* Return a watcher for work beside that which reports the progress: it only stops. */
struct progress_watcher findings_quiet(const struct findings_run *);
#define LIMIT(run, rule, id) ((run)->threshold[LIMIT_##rule##_##id])

#define RULE(id, name, title, judge, needs, fires, cause, action, example) void judge(struct findings_run *);
#define THRESHOLD(rule, id, name, value, unit, text)
#include "findings/rules.def"
#undef RULE
#undef THRESHOLD

/* rule_profile.c: the rule `leak` for profiles. */
void leak_of_profile(struct findings_run *);
/* Return the sets of waits that are for one lock; they are made when they are first needed. */
const struct lock_sets *findings_locks(struct findings_run *);
/* Likewise the waits that never end. */
const struct stuck *findings_stuck(struct findings_run *);
/* rule_paths.c: choose the kinds whose paths rules judge; walk the paths of number i of them, on any thread. */
void findings_choose_kinds(struct findings_run *);
void findings_walk_kind(struct findings_run *, uint32_t i);
/* Return whether a goroutine works for user tasks or for requests of a server. */
bool findings_serves(struct findings_run *, trk_id);
/* Time in the background counts less: return time of goroutines like g as a share of the time range, as a fit to the
   limit; for goroutines that serve tasks or requests 2. */
double findings_relevance(struct findings_run *, trk_id g, int64_t ns, double limit);
/* Was the process stopped in a part of [a, b)? The rule frozen is judged before the others. */
bool findings_was_frozen(const struct findings_run *, int64_t a, int64_t b);
/* Do two goroutines do one work? They are of one group, or one of them started the other. */
bool findings_is_same_work(const struct findings_run *, trk_id, trk_id);
/* Is a goroutine another one of the same group? */
bool findings_is_other_of_group(const struct findings_run *, trk_id, trk_id than);
/* Was the wait ended by a goroutine of the same group, which is not its child? A parent waits for what its child
   computes. */
bool findings_is_own_group(const struct findings_run *, const struct scan_wait *);
/* Waits that one goroutine ends less than this apart end together, as those of a barrier or a broadcast do. */
enum { FINDINGS_SAME_NS = 100000 };
/* Return the line that represents a stack; of a goroutine that ran, without the runtime's frames for preemption. 0: it
   is unknown. */
frm_id findings_site(const struct findings_run *, stk_id);
/* Is the line one of user code, and known? */
bool findings_is_user_frame(const struct findings_run *, frm_id);
/* Return whether a stack of a run was recorded where the goroutine was preempted or sampled: such stacks show where it
   ran, others where it then blocked or woke another one. */
bool findings_is_interruption(const struct findings_run *, stk_id);
frm_id findings_site_of_run(const struct findings_run *, trk_id, stk_id);

/* Add a finding whose sentence is run->text, which is emptied. fit: the least of the measured values, each divided by
   its threshold: 1 makes a problem, 0.5 a notice, less is dropped. Rule, level and text are set here. */
void finding_add(struct findings_run *, double fit, struct finding *);
/* The rule that is being judged cannot be answered; why: a constant text. */
void finding_unanswered(struct findings_run *, const char *why);
/* Add a culprit: at most FINDING_CULPRITS, each function once. */
void finding_culprit(struct findings_run *, struct finding *, frm_id);
/* Add the innermost frames of user code of a stack as culprits, as many as there is room for. */
void finding_culprit_stack(struct findings_run *, struct finding *, stk_id);
void finding_number(struct finding *, const char *name, double value);
void finding_estimate(struct finding *, const char *name, double value);	/* from samples */
/* Add as victims the goroutines of a group (index), which wait at this line. */
void finding_victims(struct findings_run *, struct finding *, uint32_t group, frm_id at);
/* Return a part of a time in per cent, within 0..100. */
double finding_score(double part, double all);
/* Return value / limit; 2 if the limit is not positive. */
double finding_fit(double value, double limit);

/* Append to the sentence: "main.(*ledger).reserve main.go:41"; without a frame: "an unknown function". */
void finding_put_place(struct findings_run *, frm_id);
void finding_put_line(struct findings_run *, frm_id);		/* "main.go:41" */
/* Append ", called by main.fetch main.go:27": the caller of the innermost user code of a stack, which is often of a
   library. Return false if there is none. */
bool finding_put_caller(struct findings_run *, stk_id);
/* Append the line alone if it is in the function of the place that was named before. */
void finding_put_place_after(struct findings_run *, frm_id, frm_id named);
void finding_put_name(struct findings_run *, str_id);		/* of a function */
void finding_put_group(struct findings_run *, uint32_t group);	/* " of main.client"; nothing if it is unknown */
/* Append the first of n groups: " of main.client and others"; nothing if there is none or it is unknown. */
void finding_put_groups(struct findings_run *, const uint32_t *group, uint32_t n);
/* Return the report that shows waits of a class: a command line without the file. */
const char *finding_board_of_class(enum time_class);
/* Return words for what the holder of something does in a class of time: "across network reads or writes". */
const char *finding_class_words(enum time_class);

#endif
