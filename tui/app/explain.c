/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Lookup of the rows of explain.def.
 *
 * The texts do not depend on the open file, so the manual uses the same table. States are found by
 * number, functions by name or prefix: of two matching rows the longer name wins, so
 * `runtime.mallocgc` takes precedence over `runtime.*`. A linear search compares about two hundred
 * rows per K, which needs no hash table.
 */
#include "config.h"
#include "app/explain.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct explain explains[TOPIC__N] = {
    {"", "", "", ""},
#define EXPLAIN(id, group, name, text, next) {group, name, text, next},
#define RULE(id, name, title, judge, needs, fires, cause, action, example) \
	[TOPIC_RULE_##id] = {"rules", name, "Rule " name ": " title ". It fires when " fires " " cause, action},
#define THRESHOLD(rule, id, name, value, unit, text)
#include "app/explain.def"
#include "findings/rules.def"
#undef EXPLAIN
#undef RULE
#undef THRESHOLD
};

enum topic explain_state(enum tstate t)
{
	static const uint8_t of[TS__N] = {
#define STATE(id, letter, name, reason) TOPIC_S_##id,
#include "state.def"
#undef STATE
	};
	return t < TS__N ? (enum topic)of[t] : TOPIC_NONE;
}

enum topic explain_function(const char *name)
{
	enum topic best = TOPIC_NONE;
	size_t len = 0;
	for (int i = 1; i < TOPIC__N; i++) {
		const struct explain *e = &explains[i];
		size_t n = strlen(e->name);
		if (strcmp(e->group, "functions"))
			continue;
		bool open = e->name[n - 1] == '*';
		n -= open;
		if (n >= len && !strncmp(e->name, name, n) && (open || !name[n])) {
			best = (enum topic)i;
			len = n;
		}
	}
	return best;
}

enum topic explain_type(const char *name)
{
	for (int i = 1; i < TOPIC__N; i++)
		if (!strcmp(explains[i].group, "numbers") && !strcmp(explains[i].name, name))
			return (enum topic)i;
	return TOPIC_NONE;
}

/* Return the next of the names of a row, and its length in *n; NULL: no more. */
static const char *next_name(const char **at, size_t *n)
{
	const char *s = *at;
	if (!*s)
		return NULL;
	*n = strcspn(s, ",");
	*at = s + *n;
	*at += strspn(*at, ", ");
	return s;
}

enum topic explain_in(const char *group, const char *name)
{
	for (int i = 1; i < TOPIC__N; i++) {
		const char *at = explains[i].name, *s;
		size_t n;
		if (strcmp(explains[i].group, group))
			continue;
		while ((s = next_name(&at, &n)))
			if (strlen(name) == n && !memcmp(s, name, n))
				return (enum topic)i;
	}
	return TOPIC_NONE;
}

enum topic explain_column(const char *name, size_t n)
{
	char word[40];
	snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), name);
	enum topic t = explain_in("reports", word);
	return t ? t : explain_in("numbers", word);
}

size_t explain_head(const char *pane, const char *head, enum topic *t)
{
	size_t best = 0, last = strlen(head);
	for (int i = 1; i < TOPIC__N; i++) {
		const char *at = explains[i].name, *s;
		bool own = !strcmp(explains[i].group, pane);
		size_t n;
		if (!own && strcmp(explains[i].group, "columns"))
			continue;
		while ((s = next_name(&at, &n)))
			if ((n > best || (own && n == best)) && !strncmp(s, head, n) &&
			    (!head[n] || strchr(" ,", head[n]))) {
				best = n;
				*t = (enum topic)i;
			} else if (!best && last > 1 && last < n && !strncmp(s, head, last)) {
				best = last;	/* the screen cuts the name */
				*t = (enum topic)i;
			}
	}
	return best;
}

static bool text_holds(const char *s, const char *word)
{
	size_t n = strlen(word);
	for (; *s; s++)
		if (!strncasecmp(s, word, n))
			return true;
	return false;
}

enum topic explain_find(const char *word)
{
	enum topic begins = TOPIC_NONE, inside = TOPIC_NONE;
	for (int i = TOPIC__N - 1; i > 0; i--) {
		if (!strcasecmp(explains[i].name, word))
			return (enum topic)i;
		if (!strncasecmp(explains[i].name, word, strlen(word)))
			begins = (enum topic)i;
		else if (text_holds(explains[i].name, word))
			inside = (enum topic)i;
	}
	enum topic fun = explain_function(word);
	return begins ? begins : fun ? fun : inside;
}

void explain_print(struct buf *b)
{
	for (int i = 1; i < TOPIC__N; i++)
		buf_printf(b, "%s\t%s\t%s\t%s\n", explains[i].group, explains[i].name,
		    explains[i].text, explains[i].next);
}
