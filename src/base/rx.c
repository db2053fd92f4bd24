/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Regular expressions with Go's meaning, by PCRE2. The two dialects agree on
 * nearly all that people type; this file is about where they do not:
 *
 *   - what RE2 refuses (lookaround, back references, possessive and atomic
 *     groups, \C conditionals) is refused here, so that an expression that works in
 *     ttrace works in `go tool pprof`;
 *   - $ is the end of the text and not before a last newline; . is not newline;
 *   - (?P<n>...) and (?<n>...) both name groups; \z is the end, \pN a class,
 *     \Q...\E quotes, \d \w \s \b are ASCII: PCRE2 agrees once told so.
 *
 * Matching is bounded (match, depth and heap limits): what runs into a limit
 * does not match. Bytes that are not UTF-8 match nothing but do no harm.
 */
#include "config.h"
#include "base/rx.h"

#include "base/mem.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

enum { MATCH_LIMIT = 1000000, DEPTH_LIMIT = 10000, HEAP_LIMIT_KB = 20000 };

struct rx {
	pcre2_code *code;
	pcre2_match_context *ctx;
	pcre2_match_data *data;
	char *text;
};

/* What PCRE2 takes and RE2 does not, at p; its name, or NULL. */
static const char *foreign(const char *p)
{
	static const struct { const char *s, *name; } groups[] = {
		{"(?=", "lookahead"}, {"(?!", "lookahead"}, {"(?<=", "lookbehind"}, {"(?<!", "lookbehind"},
		{"(?>", "atomic group"}, {"(?(", "condition"}, {"(?|", "branch reset"}, {"(?#", "comment"},
		{"(?&", "recursion"}, {"(?R", "recursion"}, {"(?P>", "recursion"}, {"(?P=", "back reference"},
		{"(*", "verb"},
	};
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (!strncmp(p, groups[i].s, strlen(groups[i].s)))
			return groups[i].name;
	if (*p == '(' && p[1] == '?' && p[2] >= '0' && p[2] <= '9')
		return "recursion";
	if (strchr("*+?}", *p) && p[1] == '+')
		return "possessive quantifier";
	return NULL;
}

static const char *foreign_escape(char c)
{
	if (c >= '1' && c <= '9')
		return "back reference";
	return c && strchr("gkGKRXZhHVNLU", c) ? "escape" : NULL;
}

/* NULL when RE2 has all of it; else what it has not, at *at. */
static const char *check_dialect(const char *s, size_t *at)
{
	bool set = false;
	for (const char *p = s; *p; p++) {
		const char *bad = NULL;
		*at = (size_t)(p - s);
		if (*p == '\\' && p[1] == 'Q') {
			const char *end = strstr(p, "\\E");
			if (!end)
				return NULL;
			p = end + 1;
		} else if (*p == '\\' && p[1]) {
			p++;
			bad = foreign_escape(*p);
		} else if (set) {
			set = *p != ']' || p[-1] == '[' || (p[-1] == '^' && p[-2] == '[');
			if (*p == '[' && p[1] == ':') {
				const char *end = strstr(p, ":]");
				p = end ? end + 1 : p;
			}
		} else if (*p == '[') {
			set = true;
		} else {
			bad = foreign(p);
		}
		if (bad)
			return bad;
	}
	return NULL;
}

/* The code and the flags; UTF-8 is checked by the match, so that any bytes may be searched. */
static pcre2_code *compile(const char *s, struct err *e)
{
	int code;
	size_t at;
	PCRE2_UCHAR msg[160];
	uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;
	pcre2_compile_context *cc = pcre2_compile_context_create(NULL);
	if (cc) {
		pcre2_set_newline(cc, PCRE2_NEWLINE_LF);
		pcre2_set_parens_nest_limit(cc, 500);
	}
	pcre2_code *c = pcre2_compile((PCRE2_SPTR)s, PCRE2_ZERO_TERMINATED, flags, &code, &at, cc);
	pcre2_compile_context_free(cc);
	if (c)
		return c;
	pcre2_get_error_message(code, msg, sizeof msg);
	err_set(e, ERR_USAGE, ERR_NOWHERE, "bad regular expression \"%.80s\": %s at character %zu", s,
	    (const char *)msg, at + 1);
	return NULL;
}

struct rx *rx_new(const char *pattern, struct err *e)
{
	size_t at;
	const char *bad = check_dialect(pattern, &at);
	if (bad) {
		err_set(e, ERR_USAGE, ERR_NOWHERE, "bad regular expression \"%.80s\": no %s at character %zu", pattern,
		    bad, at + 1);
		return NULL;
	}
	pcre2_code *code = compile(pattern, e);
	if (!code)
		return NULL;
	struct rx *rx = xcalloc(1, sizeof *rx);
	rx->code = code;
	rx->text = xstrdup(pattern);
	rx->ctx = pcre2_match_context_create(NULL);
	rx->data = pcre2_match_data_create(1, NULL);
	if (!rx->ctx || !rx->data) {
		rx_free(rx);
		err_set(e, ERR_LIMIT, ERR_NOWHERE, "out of memory for a regular expression");
		return NULL;
	}
	pcre2_set_match_limit(rx->ctx, MATCH_LIMIT);
	pcre2_set_depth_limit(rx->ctx, DEPTH_LIMIT);
	pcre2_set_heap_limit(rx->ctx, HEAP_LIMIT_KB);
	(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);	/* without it, it is only slower */
	return rx;
}

void rx_free(struct rx *rx)
{
	if (!rx)
		return;
	pcre2_match_data_free(rx->data);
	pcre2_match_context_free(rx->ctx);
	pcre2_code_free(rx->code);
	mem_free(rx->text);
	mem_free(rx);
}

bool rx_match(const struct rx *rx, const char *s, size_t n)
{
	return pcre2_match(rx->code, (PCRE2_SPTR)(s ? s : ""), n, 0, 0, rx->data, rx->ctx) >= 0;
}

bool rx_find(const struct rx *rx, const char *s, size_t n, size_t *from, size_t *to)
{
	if (!rx_match(rx, s, n))
		return false;
	const size_t *v = pcre2_get_ovector_pointer(rx->data);
	*from = v[0];
	*to = v[1];
	return true;
}

const char *rx_text(const struct rx *rx)
{
	return rx->text;
}
