/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The lines of a goroutine dump. The format has been the same since Go 1.0, with additions: threads
 * and addresses if GOTRACEBACK is system or higher, "in goroutine N" in 1.21, labels and synctest
 * bubbles in 1.25 and 1.26. Unknown parts between the commas of a head are skipped, so that dumps
 * of a later Go can be read.
 */
#include "config.h"
#include "load/text/godump_line.h"

#include <string.h>

/* Parse one of the parts between the brackets, after the state. */
static void head_part(struct scan_text t, struct godump_head *h)
{
	struct scan_text at = t;
	uint64_t n;
	if (scan_take_u64(&at, &n) && scan_take(&at, " minutes")) {
		h->minutes = n > INT64_MAX ? INT64_MAX : (int64_t)n;
	} else if (scan_starts_with(t, "locked to thread")) {
		h->locked = true;
	} else if (scan_take(&t, "synctest bubble ") || scan_take(&t, "synctest group ")) {
		h->in_bubble = scan_take_u64(&t, &h->bubble);
	}
}

static void cut_end(struct scan_text *t, const char *word, bool *was)
{
	bool is = scan_ends_with(*t, word);
	if (is)
		t->end -= strlen(word);
	if (is && was)
		*was = true;
}

static void head_states(struct scan_text t, struct godump_head *h)
{
	h->state = t;
	for (bool first = true;; first = false) {
		const char *p = scan_find(t.p, t.end, ", ");
		struct scan_text part = {t.p, p ? p : t.end};
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

bool godump_head(struct scan_text t, struct godump_head *h)
{
	struct scan_text before;
	*h = (struct godump_head){0};
	scan_skip_spaces(&t);
	if (!scan_take(&t, "goroutine ") || !scan_take_u64(&t, &h->id) || !scan_take_until(&t, '[', &before))
		return false;
	if (scan_len(before) > 80 || !scan_ends_with(before, " "))
		return false;
	const char *m = scan_find(before.p, before.end, " m=");
	if (m) {
		before.p = m + 3;
		h->on_thread = scan_take_u64(&before, &h->thread);
	}
	if (!scan_take_until(&t, ']', &before))
		return false;
	head_states(before, h);
	h->labels = (struct scan_text){t.p, t.p};
	if (scan_take(&t, " {")) {
		while (t.end > t.p && scan_is_space(t.end[-1]))
			t.end--;
		if (!scan_ends_with(t, "}:"))
			return false;
		h->labels = (struct scan_text){t.p, t.end - 2};
		return true;
	}
	return scan_starts_with(t, ":");
}

/* Take a word up to the character, or in quotes. */
static struct scan_text label_word(struct scan_text *t, char stop)
{
	struct scan_text w = {t->p, t->p};
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

bool godump_label(struct scan_text *t, struct scan_text *key, struct scan_text *value)
{
	if (t->p >= t->end)
		return false;
	*key = label_word(t, ':');
	if (!scan_take(t, ":"))
		return false;
	scan_skip_spaces(t);
	*value = label_word(t, ',');
	scan_take(t, ",");
	scan_skip_spaces(t);
	return scan_len(*key) > 0;
}

bool godump_site(struct scan_text t, struct godump_site *s)
{
	static const char *const after[] = {" +0x", " fp=0x", " pc=0x"};
	*s = (struct godump_site){.file = {t.p, t.p}};
	while (t.p < t.end && scan_is_space(*t.p))
		t.p++;
	while (t.end > t.p && scan_is_space(t.end[-1]))
		t.end--;
	const char *pc = scan_find(t.p, t.end, "pc=0x");
	if (pc) {
		struct scan_text d = {pc + 5, pc + 5};
		while (d.end < t.end && scan_is_hex(*d.end))
			d.end++;
		if (d.p == d.end || !scan_parse_hex(d, &s->pc))
			return false;
		if (pc == t.p)
			return true;
	}
	for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
		const char *p = scan_find(t.p, t.end, after[i]);
		if (p)
			t.end = p;
	}
	s->file = t;
	return scan_cut_line_number(&s->file, &s->line);
}

struct scan_text godump_name(struct scan_text t, bool *inlined)
{
	const char *p = t.end;
	*inlined = false;
	if (!scan_ends_with(t, ")"))
		return t;
	while (p > t.p && p[-1] != '(')
		p--;
	if (p - 1 <= t.p)
		return t;
	*inlined = t.end - p == 4 && !memcmp(p, "...", 3);
	struct scan_text name = {t.p, p - 1};
	if (scan_len(name) == 5 && scan_starts_with(name, "panic")) {
		static const char real[] = "runtime.gopanic";
		return (struct scan_text){real, real + sizeof real - 1};
	}
	return name;
}
