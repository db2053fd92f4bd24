/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The lines of a goroutine dump. The runtime has printed them so since Go 1.0
 * and added to them since: threads and addresses where GOTRACEBACK is system or
 * more, "in goroutine N" with 1.21, labels and synctest bubbles with 1.25 and
 * 1.26. What a later Go adds between the commas of a head is passed over, so that
 * a dump stays a dump.
 */
#include "config.h"
#include "load/text/godump.h"

#include <string.h>

/* One part of what is between the brackets, after the state. */
static void head_part(struct words t, struct godump_head *h)
{
	struct words at = t;
	uint64_t n;
	if (words_u64(&at, &n) && words_take(&at, " minutes")) {
		h->minutes = n > INT64_MAX ? INT64_MAX : (int64_t)n;
	} else if (words_start(t, "locked to thread")) {
		h->locked = true;
	} else if (words_take(&t, "synctest bubble ") || words_take(&t, "synctest group ")) {
		h->in_bubble = words_u64(&t, &h->bubble);
	}
}

static void cut_end(struct words *t, const char *word, bool *was)
{
	bool is = words_ending(*t, word);
	if (is)
		t->end -= strlen(word);
	if (is && was)
		*was = true;
}

static void head_states(struct words t, struct godump_head *h)
{
	h->state = t;
	for (bool first = true;; first = false) {
		const char *p = text_find(t.p, t.end, ", ");
		struct words part = {t.p, p ? p : t.end};
		if (first)
			h->state = part;
		else
			head_part(part, h);
		if (!p)
			break;
		t.p = p + 2;
	}
	cut_end(&h->state, " (scan)", NULL);
	cut_end(&h->state, " (leaked)", &h->leaked);
}

bool godump_head(struct words t, struct godump_head *h)
{
	struct words before;
	*h = (struct godump_head){0};
	words_spaces(&t);
	if (!words_take(&t, "goroutine ") || !words_u64(&t, &h->id) || !words_until(&t, '[', &before))
		return false;
	if (words_n(before) > 80 || !words_ending(before, " "))
		return false;
	const char *m = text_find(before.p, before.end, " m=");
	if (m) {
		before.p = m + 3;
		h->on_thread = words_u64(&before, &h->thread);
	}
	if (!words_until(&t, ']', &before))
		return false;
	head_states(before, h);
	h->labels = (struct words){t.p, t.p};
	if (words_take(&t, " {")) {
		while (t.end > t.p && is_space(t.end[-1]))
			t.end--;
		if (!words_ending(t, "}:"))
			return false;
		h->labels = (struct words){t.p, t.end - 2};
		return true;
	}
	return words_start(t, ":");
}

/* A word up to one of the two characters, or in quotes. */
static struct words label_word(struct words *t, char stop)
{
	struct words w = {t->p, t->p};
	bool quoted = t->p < t->end && *t->p == '"';
	for (t->p += quoted; t->p < t->end; t->p++) {
		if (quoted && *t->p == '\\' && t->end - t->p > 1)
			t->p++;
		else if (quoted ? *t->p == '"' : *t->p == stop)
			break;
	}
	if (quoted && t->p < t->end)
		t->p++;
	w.end = t->p;
	return w;
}

bool godump_label(struct words *t, struct words *key, struct words *value)
{
	if (t->p >= t->end)
		return false;
	*key = label_word(t, ':');
	if (!words_take(t, ":"))
		return false;
	words_spaces(t);
	*value = label_word(t, ',');
	words_take(t, ",");
	words_spaces(t);
	return words_n(*key) > 0;
}

bool godump_site(struct words t, struct godump_site *s)
{
	static const char *const after[] = {" +0x", " fp=0x", " pc=0x"};
	*s = (struct godump_site){.file = {t.p, t.p}};
	while (t.p < t.end && is_space(*t.p))
		t.p++;
	while (t.end > t.p && is_space(t.end[-1]))
		t.end--;
	const char *pc = text_find(t.p, t.end, "pc=0x");
	if (pc) {
		struct words d = {pc + 5, pc + 5};
		while (d.end < t.end && is_hex(*d.end))
			d.end++;
		if (d.p == d.end || !words_hex(d, &s->pc))
			return false;
		if (pc == t.p)
			return true;
	}
	for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
		const char *p = text_find(t.p, t.end, after[i]);
		if (p)
			t.end = p;
	}
	s->file = t;
	return words_line(&s->file, &s->line);
}

struct words godump_name(struct words t, bool *inlined)
{
	const char *p = t.end;
	*inlined = false;
	if (!words_ending(t, ")"))
		return t;
	while (p > t.p && p[-1] != '(')
		p--;
	if (p - 1 <= t.p)
		return t;
	*inlined = t.end - p == 4 && !memcmp(p, "...", 3);
	struct words name = {t.p, p - 1};
	if (words_n(name) == 5 && words_start(name, "panic")) {
		static const char real[] = "runtime.gopanic";
		return (struct words){real, real + sizeof real - 1};
	}
	return name;
}
