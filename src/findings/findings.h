/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_FINDINGS_H
#define TTRACE_FINDINGS_FINDINGS_H

#include "base/err.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "critical/path.h"
#include "store/store.h"
#include "trace/filter.h"

#include <stdbool.h>

/*
 * Findings: the likely causes of slowness in a trace or a profile, each with the function and line that causes it, what
 * waits for it, and the numbers that show it. The rules and their thresholds are rows of rules.def.
 */

enum finding_rule {
#define RULE(id, name, title, judge, needs, fires, cause, action, example) FINDING_##id,
#define THRESHOLD(rule, id, name, value, unit, text)
#include "findings/rules.def"
#undef RULE
#undef THRESHOLD
	FINDING_RULE__N
};
enum finding_threshold {
#define RULE(id, name, title, judge, needs, fires, cause, action, example)
#define THRESHOLD(rule, id, name, value, unit, text) LIMIT_##rule##_##id,
#include "findings/rules.def"
#undef RULE
#undef THRESHOLD
	FINDING_THRESHOLD__N
};

/* LIMIT_NS: value is in ns; LIMIT_SHARE: 1 is the whole. */
enum finding_unit { LIMIT_NUMBER, LIMIT_NS, LIMIT_SHARE, LIMIT_BYTES };
struct finding_threshold_row {
	enum finding_rule rule;
	const char *name;
	double value;		/* the default */
	enum finding_unit unit;
	const char *text;
};
extern const struct finding_threshold_row finding_thresholds[FINDING_THRESHOLD__N];
struct finding_rule_row {
	const char *id, *title;
	const char *fires, *cause, *action;	/* when it fires, its usual causes, what to do */
	const char *example;	/* a sentence of such a finding */
};
extern const struct finding_rule_row finding_rules[FINDING_RULE__N];
/* Return the rule with that id; -1: there is none. */
int finding_rule_find(const char *id, size_t n);
/* Change one of the thresholds: "lock-queue.waiters=2", "stw.longest=5ms", "gc.share=20%". Return -1 with *e. */
int finding_threshold_set(double threshold[FINDING_THRESHOLD__N], const char *words, struct err *e);
/* Append the table of rules for the manual, a line each, separated by tabs: "rule", name, title, fires, cause, action,
   example; or "threshold", name, default, text of a threshold of the rule before. */
void finding_print_rules(struct buf *);

/* At most FINDINGS_MOST are kept. FINDING_PROBLEM: all thresholds of the rule are reached. FINDING_NOTICE: half of them
   are, or the score is below FINDING_LOW, or a problem of another rule blames the same line and says more. */
enum finding_level { FINDING_NOTICE, FINDING_PROBLEM };
enum { FINDING_LOW = 5, FINDING_CULPRITS = 3, FINDING_VICTIMS = 3, FINDING_NUMBERS = 12, FINDINGS_MOST = 32 };
const char *finding_level_name(enum finding_level);	/* "notice", "problem" */
struct finding_place { frm_id frame; };			/* a line of a function; 0: none */
struct finding_victim {
	/* one of them: a kind of operations, goroutines of one start function; or NULL */
	const char *operation, *group;
	struct finding_place at;	/* where they wait */
};
struct finding_number { const char *name; double value; bool estimated; };	/* estimated: from samples */
/* Append it for people: "wait 36.8s", "holder share ~98.7%". */
void finding_put_number(struct buf *, const struct finding_number *);
struct finding {
	enum finding_rule rule;
	enum finding_level level;
	/* 0..100: the share of the time of the affected operations or goroutines, or of the trace where none is named,
	   that would go if the cause went */
	double score;
	const char *score_of;		/* what it is a share of, if not what the rule says: see finding_score_of() */
	int64_t affected_ns;		/* the time of which score is a part; 0: of the trace */
	double urgency;			/* 0: 1; the score times this counts for the order: what only costs later is less urgent */
	uint32_t order;			/* of equal ones: in which they were found */
	double cost;			/* score times affected_ns as a part of the largest one: the order in a level */
	const char *text;		/* one sentence, safe for a terminal */
	struct finding_place culprit[FINDING_CULPRITS];	/* most guilty first */
	struct finding_victim victim[FINDING_VICTIMS];
	/* the evidence; names end in _ns, _share, _bytes or have no unit */
	struct finding_number number[FINDING_NUMBERS];
	uint32_t nculprit, nvictim, nnumber;
	int64_t t0, t1;			/* where to look at it */
	trk_id trk;			/* a goroutine that shows it; 0: none */
	bool last;			/* it comes after all others of its level */
	int64_t show_t0, show_t1;	/* when it does: one of the waits, else the range above */
	const char *see;		/* a command line without "ttrace" and the file */
};
/* Return what the score is a share of: "of the time of those affected". */
const char *finding_score_of(const struct finding *);
struct finding_unanswered { enum finding_rule rule; bool supplement; const char *why; };	/* supplement: it does not count */
struct findings {
	struct finding *v;		/* worst first */
	struct finding_unanswered *unanswered;
	uint32_t n, nunanswered;
	/* NULL, or of a whole trace that is the snapshot of a flight recorder: what made the program write it; safe for a
	   terminal */
	const char *trigger;
};

struct findings_query {
	/* NULL: the whole trace; its goroutines and its time range are judged */
	const struct trace_filter *filter;
	const struct operations *operations;	/* of the filter; NULL: they are found */
	const struct critical_walker *walker;	/* with these operations; NULL: it is made */
	const double *threshold;		/* by enum finding_threshold; NULL: the defaults */
	uint64_t rules;				/* 1 << enum finding_rule; 0: all */
	struct progress_watcher on;
};
/* Judge a complete snapshot by all rules; texts and arrays are in the arena. Return NULL if the watcher stops it. Any
   thread. */
struct findings *findings_find(const struct snap *, const struct findings_query *, struct arena *);
/* Is there a rule without an answer? Those do not count that only add to what others find, from data that few traces have:
   CPU samples. */
bool findings_lack_answers(const struct findings *);
/* Return why functions of a trace are not known; NULL: they are. */
const char *findings_no_functions(const struct snap *);
/* The samples of a profile that are judged: of the files (store_side()) in the bit set a. b: the base, 0: none. */
struct findings_sides { uint64_t a, b; };
/* Likewise of a profile, by the rules for profiles; the filter of the query is not used. */
struct findings *findings_of_profile(
    const struct snap *, const struct findings_sides *, const struct findings_query *, struct arena *);

#endif
