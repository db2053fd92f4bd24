/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Parses conditions on spans. A word is a key, an operator and a value; a key
 * alone is a state. States are a bit set: given by common names (wait, chan,
 * gc), by those of state.def, or by a regular expression over the reasons that
 * the trace has. Each word narrows the set, so `wait reason~chan` selects the
 * waits whose reason matches chan.
 */
#include "config.h"
#include "trace/span_search.h"
#include "trace/span_query.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "trace/filter.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name, *reason;
} states[TS__N] = {
#define STATE(id, letter, name, reason) [TS_##id] = {name, reason},
#include "state.def"
#undef STATE
};

#define BIT(s) (UINT64_C(1) << TS_##s)
enum { NGROUPS = 16 };
static const struct {
	const char *name;
	uint64_t set;
} groups[NGROUPS] = {
    {"run", BIT(RUN)}, {"running", BIT(RUN)}, {"runnable", BIT(READY)}, {"ready", BIT(READY)},
    {"syscall", BIT(SYSCALL) | BIT(SYSBLOCK)},
    {"chan", BIT(CHANSEND) | BIT(CHANRECV) | BIT(SELECT)}, {"sync", BIT(SYNC) | BIT(COND)},
    {"mutex", BIT(SYNC)}, {"net", BIT(NET)}, {"network", BIT(NET)},
    {"gc", BIT(GCWORK) | BIT(ASSIST) | BIT(SWEEP) | BIT(GCASSISTW) | BIT(GCSWEEPW) | BIT(GCEND) |
	       BIT(GCWEAK)},
    {"assist", BIT(ASSIST)}, {"sweep", BIT(SWEEP)}, {"stw", BIT(STW)}, {"wait", 0},
    {"blocked", 0}, /* all states with a reason: see wait_states() */
};

static uint64_t wait_states(void)
{
	uint64_t set = 0;
	for (int s = 0; s < TS__N; s++)
		if (states[s].reason)
			set |= UINT64_C(1) << s;
	return set;
}

/* All states that are spans: all but TS_NONE and TS_IDLE. */
static uint64_t any(void)
{
	return (UINT64_C(1) << TS__N) - 1 - BIT(NONE) - BIT(IDLE);
}

/* Return 0 if there is no such state. */
static uint64_t by_name(const char *s, size_t n)
{
	uint64_t set = 0;
	for (int i = 0; i < NGROUPS; i++)
		if (strlen(groups[i].name) == n && !strncasecmp(groups[i].name, s, n))
			return groups[i].set ? groups[i].set : wait_states();
	for (int i = 1; i < TS__N; i++)
		if (!strncasecmp(states[i].name, s, n))
			set |= UINT64_C(1) << i;
	return n >= 3 ? set : 0;
}

static uint64_t by_rx(const struct regex *rx)
{
	uint64_t set = 0;
	for (int i = 1; i < TS__N; i++)
		if (regex_match(rx, states[i].name, strlen(states[i].name)) ||
		    (states[i].reason && regex_match(rx, states[i].reason, strlen(states[i].reason))))
			set |= UINT64_C(1) << i;
	return set;
}

/* Set the bounds of the duration: op is one of < <= > >= =. */
static int set_length(struct span_criteria *h, const char *op, const char *value, struct err *e)
{
	int64_t ns;
	if (!text_parse_ns(value, &ns))
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "not a duration: \"%.40s\" (use 5ms, 1.5s or 300us)", value);
	if (op[0] == '>')
		h->least = op[1] == '=' ? ns : ns + 1;
	else if (op[0] == '<')
		h->most = op[1] == '=' ? ns : ns - 1;
	else
		h->least = h->most = ns;
	return 0;
}

static int set_states(struct span_criteria *h, uint64_t set, const char *word, struct err *e)
{
	if (!set)
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "unknown state \"%.40s\": use run, runnable, wait, chan, sync, net, "
		    "syscall, sleep, gc ...",
		    word);
	h->states &= set;
	if (!h->states)
		return err_set(
		    e, ERR_USAGE, ERR_NOWHERE, "\"%.40s\": a span has only one state", word);
	return 0;
}

static int set_name(struct span_criteria *h, const char *value, struct err *e)
{
	if (h->nname == SPAN_QUERY_NAMES)
		return err_set(
		    e, ERR_USAGE, ERR_NOWHERE, "at most %d conditions on names", SPAN_QUERY_NAMES);
	h->name[h->nname] = regex_new(value, e);
	return h->name[h->nname] ? (h->nname++, 0) : -1;
}

static int set_rx(struct span_criteria *h, const char *key, size_t n, const char *value, struct err *e)
{
	if (!strncmp(key, "state", n) || !strncmp(key, "reason", n)) {
		struct regex *rx = regex_new(value, e);
		int rc = rx ? set_states(h, by_rx(rx), value, e) : -1;
		regex_free(rx);
		return rc;
	}
	if (!strncmp(key, "group", n)) /* also for "g" */
		return set_name(h, value, e);
	if (!strncmp(key, "fn", n) || !strncmp(key, "function", n)) {
		regex_free(h->fn);
		h->fn = regex_new(value, e);
		return h->fn ? 0 : -1;
	}
	return err_set(e, ERR_USAGE, ERR_NOWHERE,
	    "\"%.*s~\": use state~, reason~, g~, group~ or fn~ with a regular expression", (int)n, key);
}

/* Parse 10ms..50ms, 10ms.., ..50ms. */
static int set_range(struct span_criteria *h, char *w, char *dots, struct err *e)
{
	*dots = '\0';
	if (*w && set_length(h, ">=", w, e))
		return -1;
	return dots[2] ? set_length(h, "<=", dots + 2, e) : 0;
}

static int set_word(struct span_criteria *h, char *w, struct err *e)
{
	size_t n = strcspn(w, "<>=~"), k = n;
	const char *op = w + n;
	k += strspn(op, "<>=~");
	const char *value = w + k;
	char *dots = strstr(w, "..");
	if (dots && !*op)
		return set_range(h, w, dots, e);
	if (!n || (n == 3 && !strncmp(w, "dur", 3)))
		return *op && *op != '~' ? set_length(h, op, value, e)
					 : err_set(e, ERR_USAGE, ERR_NOWHERE,
					       "\"%.40s\": a duration is required, as in >5ms", w);
	if (*op == '~')
		return set_rx(h, w, n, value, e);
	if (*op == '=' && !strncmp(w, "state", n) && n > 1)
		return set_states(h, by_name(value, strlen(value)), value, e);
	if (*op == '=' &&
	    (!strncmp(w, "reason", n) || !strncmp(w, "group", n) || !strncmp(w, "fn", n))) {
		uint64_t id;
		if (n > 1 || !trace_parse_id(value, 'g', &id))
			return set_rx(h, w, n, value, e);
		h->g = id;
		h->has_g = true;
		return 0;
	}
	if (set_states(h, by_name(w, n), w, e))
		return -1;
	return *op ? set_length(h, op, value, e) : 0;
}

struct span_criteria *span_query_new(const char *text, struct err *e)
{
	struct span_criteria *h = xcalloc(1, sizeof *h);
	char *copy = xstrdup(text), *p = copy;
	int words = 0, rc = 0;
	h->text = xstrdup(text);
	h->states = any();
	h->most = INT64_MAX;
	while (!rc && *(p += strspn(p, " "))) {
		size_t n = strcspn(p, " ");
		char *next = p[n] ? p + n + 1 : p + n;
		p[n] = '\0';
		rc = set_word(h, p, e);
		words++;
		p = next;
	}
	mem_free(copy);
	if (!rc && !words)
		rc = err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "a condition is required, as in >5ms, wait>1ms reason~chan, run g~worker");
	if (!rc)
		return h;
	span_query_free(h);
	return NULL;
}

struct span_criteria *span_query_any_name(const char *re, struct err *e)
{
	struct regex *rx = regex_new(re, e);
	if (!rx)
		return NULL;
	struct span_criteria *h = xcalloc(1, sizeof *h);
	struct buf b = {0};
	buf_printf(&b, "/%s", re);
	h->text = xstrdup(buf_str(&b));
	h->states = by_rx(rx) & any();
	h->most = INT64_MAX;
	h->any = rx;
	buf_free(&b);
	return h;
}

struct span_criteria *span_query_in_function(fun_id f, const char *name)
{
	struct span_criteria *h = xcalloc(1, sizeof *h);
	struct buf b = {0};
	buf_puts(&b, "fn=");
	text_safe(&b, name, strlen(name));
	h->text = xstrdup(buf_str(&b));
	h->states = any();
	h->most = INT64_MAX;
	h->fun = f;
	buf_free(&b);
	return h;
}

void span_query_restrict(struct span_criteria *h, uint8_t *tracks, uint32_t n)
{
	mem_free(h->among);
	h->among = tracks;
	h->namong = n;
}

void span_query_free(struct span_criteria *h)
{
	if (!h)
		return;
	for (int i = 0; i < h->nname; i++)
		regex_free(h->name[i]);
	regex_free(h->any);
	regex_free(h->fn);
	mem_free(h->among);
	mem_free(h->text);
	mem_free(h);
}

const char *span_query_text(const struct span_criteria *h)
{
	return h->text;
}

bool span_query_fits_procs(const struct span_criteria *h)
{
	uint64_t on_p = BIT(RUN) | BIT(GCWORK) | BIT(ASSIST) | BIT(SWEEP) | BIT(SYSCALL) | BIT(STW);
	if (h->any)
		return true; /* matches what the rows of Ps show */
	/* on rows of Ps "any" means all states that they show; only goroutines have waits and stacks */
	return (h->states == any() || !(h->states & ~on_p)) && !h->fn && !h->fun;
}
