/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The lines of `perf script`. Their fields depend on its -F and on what was recorded, and the name
 * of a command may contain spaces and digits. So the head is parsed from its middle: a number
 * followed by the fields that may follow a thread id, up to a word that ends with a colon, the
 * event.
 */
#include "config.h"
#include "load/text/perf_line.h"

#include <string.h>

/* Take the next word, and the spaces before it. */
static struct scan_text next_word(struct scan_text *t)
{
	while (t->p < t->end && scan_is_space(*t->p))
		t->p++;
	struct scan_text w = {t->p, t->p};
	while (t->p < t->end && !scan_is_space(*t->p))
		t->p++;
	w.end = t->p;
	return w;
}

static bool all_digits(struct scan_text w, uint64_t *v)
{
	return scan_take_u64(&w, v) && w.p == w.end;
}

/* Parse "12" or "11/12". */
static bool parse_thread(struct scan_text w, struct perf_head *h)
{
	uint64_t a, b;
	if (!scan_take_u64(&w, &a))
		return false;
	h->tid = a;
	h->has_pid = scan_take(&w, "/");
	if (h->has_pid) {
		h->pid = a;
		if (!scan_take_u64(&w, &b))
			return false;
		h->tid = b;
	}
	return w.p == w.end;
}

/* Parse "1234.567890:". */
static bool parse_time(struct scan_text w, int64_t *ns)
{
	uint64_t s;
	int64_t unit = 100000000;
	if (!scan_take_u64(&w, &s) || s > INT64_MAX / 1000000000 - 1 || !scan_take(&w, "."))
		return false;
	*ns = (int64_t)s * 1000000000;
	for (; w.p < w.end && scan_is_digit(*w.p); w.p++, unit /= 10)
		*ns += (*w.p - '0') * unit;
	return w.end - w.p == 1 && *w.p == ':';
}

/* Parse the fields after the thread id: [cpu] time: period event: */
static bool parse_head_tail(struct scan_text t, struct perf_head *h)
{
	struct scan_text w = next_word(&t);
	h->has_cpu = h->has_time = h->has_period = false;
	if (scan_len(w) > 2 && *w.p == '[' && w.end[-1] == ']') {
		h->has_cpu = all_digits((struct scan_text){w.p + 1, w.end - 1}, &h->cpu);
		w = next_word(&t);
	}
	if (parse_time(w, &h->time)) {
		h->has_time = true;
		w = next_word(&t);
	}
	if (all_digits(w, &h->period)) {
		h->has_period = true;
		w = next_word(&t);
	}
	if (scan_len(w) < 2 || scan_len(w) > 200 || w.end[-1] != ':' || scan_is_digit(*w.p))
		return false;
	h->event = (struct scan_text){w.p, w.end - 1};
	/* cycles:ppp: remove the precision from the name */
	const char *p = h->event.end;
	while (p > h->event.p && (p[-1] | 32) == 'p')
		p--;
	if (p < h->event.end && p - h->event.p > 1 && p[-1] == ':')
		h->event.end = p - 1;
	h->rest = t;
	return h->has_cpu || h->has_time || h->has_period;
}

bool perf_head(struct scan_text t, struct perf_head *h)
{
	enum { COMM = 80 };	/* names in the kernel have at most 15 bytes; perf may print longer ones */
	while (t.p < t.end && scan_is_space(*t.p))
		t.p++;
	*h = (struct perf_head){.comm = {t.p, t.p}};
	struct scan_text at = t, w;
	for (w = next_word(&at); scan_len(w) && w.p - t.p < COMM; w = next_word(&at)) {
		if (parse_thread(w, h) && parse_head_tail(at, h)) {
			h->comm.end = w.p;
			while (h->comm.end > t.p && scan_is_space(h->comm.end[-1]))
				h->comm.end--;
			return true;
		}
	}
	return false;
}

/* Cut the text in the brackets that end t. */
static bool take_brackets(struct scan_text *t, struct scan_text *in)
{
	int depth = 0;
	if (!scan_ends_with(*t, ")"))
		return false;
	for (const char *p = t->end - 1; p >= t->p; p--) {
		depth += *p == ')' ? 1 : *p == '(' ? -1 : 0;
		if (depth)
			continue;
		if (p > t->p && !scan_is_space(p[-1]))
			return false;
		*in = (struct scan_text){p + 1, t->end - 1};
		t->end = p;
		while (t->end > t->p && scan_is_space(t->end[-1]))
			t->end--;
		return true;
	}
	return false;
}

bool perf_frame(struct scan_text t, struct perf_frame *f)
{
	struct scan_text brackets, addr = next_word(&t);
	*f = (struct perf_frame){.dso = {t.p, t.p}, .sym = {t.p, t.p}, .file = {t.p, t.p}};
	if (!scan_len(addr) || scan_len(addr) > 16)
		return false;
	for (const char *p = addr.p; p < addr.end; p++)
		if (!scan_is_hex(*p))
			return false;
	if (!scan_parse_hex(addr, &f->addr))
		return false;
	while (t.end > t.p && scan_is_space(t.end[-1]))
		t.end--;
	while (t.p < t.end && scan_is_space(*t.p))
		t.p++;
	if (take_brackets(&t, &brackets)) {
		f->inlined = scan_len(brackets) == 7 && scan_starts_with(brackets, "inlined");
		if (!f->inlined)
			f->dso = brackets;
	} else if (t.p == t.end) {
		return false;
	}
	const char *plus = t.end;	/* +0x1f */
	while (plus > t.p && scan_is_hex(plus[-1]))
		plus--;
	if (plus - t.p > 3 && plus < t.end && !memcmp(plus - 3, "+0x", 3))
		t.end = plus - 3;
	f->sym = t;
	if (scan_len(t) == 9 && scan_starts_with(t, "[unknown]") && scan_len(f->dso) &&
	    !scan_starts_with(f->dso, "[unknown]"))
		f->sym.end = f->sym.p;
	return true;
}
