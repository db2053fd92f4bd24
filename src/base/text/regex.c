/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Regular expressions with Go's meaning, by PCRE2: regex_go.c translates, this file compiles and matches. Lookaround,
 * back references and the like have no translation, so an expression that works in ttrace works in `go tool pprof`.
 *
 * Backtracking is bounded (match, depth and heap limits), because it can take exponential time. Where a limit is exceeded,
 * regex_match() matches again without backtracking, in time proportional to the text, as Go does: PCRE2's other algorithm
 * follows all alternatives at once. It is much slower for most texts, and does not tell where a match is. It fails if the
 * repetitions of the expression make too many alternatives: regex_undecided().
 *
 * regex_match() treats bytes that are not UTF-8 as U+FFFD each, as Go does; regex_find() finds no match in them.
 */
#include "config.h"
#include "base/text/regex.h"

#include "base/mem/mem.h"
#include "base/text/regex_go.h"
#include "base/text/text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MATCH_LIMIT = 1000000, DEPTH_LIMIT = 10000, HEAP_LIMIT_KB = 20000 };
enum { DFA_WORK = 3000 };	/* ints: room for some 500 alternatives at one place of the text */
enum { BOUND = 10000, BOUND_PER_BYTE = 100 };	/* steps of regex_match_bounded() */

/* Memory for a match, taken while one is made. A thread that finds none allocates its own. */
struct match_memory { _Atomic(pcre2_match_data *) free; };

struct regex {
	pcre2_code *code, *dfa;	/* dfa: for matching without backtracking */
	pcre2_match_context *ctx;
	struct match_memory *memory;
	char *text;
	size_t plain;	/* length of the text if the expression matches only itself literally; else 0 */
};

/* Compile the translated code. */
static pcre2_code *compile_code(const char *s, uint32_t more_flags, const char *pattern, struct err *e)
{
	int code;
	size_t at;
	PCRE2_UCHAR msg[160];
	uint32_t flags = PCRE2_UTF | PCRE2_ALT_CIRCUMFLEX | more_flags;
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
	err_set(e, ERR_USAGE, ERR_NOWHERE, "bad regular expression \"%.80s\": %s", pattern,
	    (const char *)msg);
	return NULL;
}

static size_t plain(const char *s)
{
	size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_/");
	return s[n] ? 0 : n;
}

/* ---- names of methods */

/* Return the closing parenthesis of "(*T)" at s, or NULL: it is none. T may have type arguments, with parentheses. */
static const char *receiver_end(const char *s)
{
	size_t depth = 0;
	if (s[0] != '(' || s[1] != '*' || !strcspn(s + 2, "()*+?|.[]{}^$\\"))
		return NULL;
	for (; *s; s++) {
		depth += *s == '(';
		if (*s == ')' && !--depth)
			return s;
	}
	return NULL;
}

static void put_quoted(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strchr("\\.+*?()|[]{}^$", s[i]))
			buf_putc(b, '\\');
		buf_putc(b, s[i]);
	}
}

/* A Go expression has no "(*", which names of methods have. Append one that matches the text itself, or what it matches
   if each "(*T)" in it is meant literally. Return false if it has none, or is longer than any name: a profile may have an
   expression of any length, and each "(*" is followed to its end. */
static bool quote_receivers(const char *pattern, struct buf *to)
{
	enum { LONGEST = 1 << 14 };
	struct buf rest = {0}, translated = {0};
	bool any = false;
	if (strlen(pattern) > LONGEST)
		return false;
	for (const char *s = pattern, *end; *s; s++) {
		end = *s == '\\' && s[1] ? NULL : receiver_end(s);
		if (end) {
			put_quoted(&rest, s, (size_t)(end - s) + 1);
			any = true;
			s = end;
			continue;
		}
		buf_putc(&rest, *s);
		if (*s == '\\' && s[1])
			buf_putc(&rest, *++s);
	}
	if (any)
		put_quoted(to, pattern, strlen(pattern));
	if (any && !regex_go_translate(buf_str(&rest), &translated, NULL))
		buf_printf(to, "|(?:%s)", buf_str(&rest));
	buf_free(&rest);
	buf_free(&translated);
	return any;
}

/* Translate the expression, also if it has names of methods that are no expressions. */
static int translate(const char *pattern, struct buf *own, struct err *e)
{
	struct buf quoted = {0};
	struct err why = {0};
	if (!regex_go_translate(pattern, own, &why))
		return 0;
	bool method = quote_receivers(pattern, &quoted);
	buf_reset(own);
	int r = method ? regex_go_translate(buf_str(&quoted), own, &why) : -1;
	buf_free(&quoted);
	if (r && e)
		*e = why;
	return r;
}

struct regex *regex_literal(const char *text, struct err *e)
{
	struct buf b = {0};
	put_quoted(&b, text, strlen(text));
	struct regex *rx = regex_new(buf_str(&b), e);
	buf_free(&b);
	return rx;
}

struct regex *regex_new(const char *pattern, struct err *e)
{
	struct buf own = {0}, any = {0};
	pcre2_code *code = NULL, *dfa = NULL;
	/* Invalid UTF-8 is found while matching, so that any bytes may be searched. The other algorithm cannot do that. Its
	   expression begins with any text: then one walk finds a match that starts anywhere. */
	if (!translate(pattern, &own, e) &&
	    (code = compile_code(buf_str(&own), PCRE2_MATCH_INVALID_UTF, pattern, e))) {
		buf_printf(&any, "(?s:.*?)(?:%s)", buf_str(&own));
		dfa = compile_code(buf_str(&any), PCRE2_ANCHORED, pattern, e);
	}
	buf_free(&own);
	buf_free(&any);
	if (!dfa) {
		pcre2_code_free(code);
		return NULL;
	}
	struct regex *rx = xcalloc(1, sizeof *rx);
	rx->code = code;
	rx->dfa = dfa;
	rx->text = xstrdup(pattern);
	rx->plain = plain(pattern);
	rx->ctx = pcre2_match_context_create(NULL);
	rx->memory = xcalloc(1, sizeof *rx->memory);
	atomic_init(&rx->memory->free, pcre2_match_data_create(1, NULL));
	if (!rx->ctx || !atomic_load(&rx->memory->free)) {
		regex_free(rx);
		err_set(e, ERR_LIMIT, ERR_NOWHERE, "out of memory for a regular expression");
		return NULL;
	}
	pcre2_set_match_limit(rx->ctx, MATCH_LIMIT);
	pcre2_set_depth_limit(rx->ctx, DEPTH_LIMIT);
	pcre2_set_heap_limit(rx->ctx, HEAP_LIMIT_KB);
	(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);	/* on failure matching is only slower */
	return rx;
}

void regex_free(struct regex *rx)
{
	if (!rx)
		return;
	pcre2_match_data_free(atomic_load(&rx->memory->free));
	mem_free(rx->memory);
	pcre2_match_context_free(rx->ctx);
	pcre2_code_free(rx->code);
	pcre2_code_free(rx->dfa);
	mem_free(rx->text);
	mem_free(rx);
}

/* Return what pcre2_match() does: negative if there is no match. at: NULL, or set to the start and the end of the first
   match. */
static int run_match(const struct regex *rx, const char *s, size_t n, size_t *at)
{
	pcre2_match_data *data = atomic_exchange(&rx->memory->free, NULL);
	if (!data && !(data = pcre2_match_data_create(1, NULL)))
		return PCRE2_ERROR_NOMEMORY;
	int found = pcre2_match(rx->code, (PCRE2_SPTR)(s ? s : ""), n, 0, 0, data, rx->ctx);
	if (found >= 0 && at)
		memcpy(at, pcre2_get_ovector_pointer(data), 2 * sizeof *at);
	pcre2_match_data_free(atomic_exchange(&rx->memory->free, data));
	return found;
}

/* Append s with U+FFFD for bytes that are not UTF-8. Return false if all are UTF-8. */
static bool made_valid(struct buf *b, const char *s, size_t n)
{
	bool odd = false;
	size_t i = 0;
	for (uint64_t eight; i + 8 <= n; i += 8) {
		memcpy(&eight, s + i, sizeof eight);
		if (eight & UINT64_C(0x8080808080808080))
			break;
	}
	while (i < n && !(s[i] & 0x80))
		i++;
	if (i == n)
		return false;
	for (size_t k = 0, len; k < n; k += len) {
		uint32_t cp;
		char c[4];
		len = text_decode_utf8(s + k, n - k, &cp);
		odd |= len == 1 && cp == 0xfffd;
		buf_put(b, c, text_encode_utf8(cp, c));
	}
	return odd;
}

/* Match, and match again with valid bytes if there is no match in the valid parts. */
static int match_any_bytes(const struct regex *rx, const char *s, size_t n)
{
	struct buf b = {0};
	int found = run_match(rx, s, n, NULL);
	if (found == PCRE2_ERROR_NOMATCH && s && made_valid(&b, s, n))
		found = run_match(rx, b.p, b.n, NULL);
	buf_free(&b);
	return found;
}

static int run_dfa(const struct regex *rx, const char *s, size_t n)
{
	int work[DFA_WORK];
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	int found = !data ? PCRE2_ERROR_NOMEMORY
			  : pcre2_dfa_match(rx->dfa, (PCRE2_SPTR)s, n, 0, PCRE2_DFA_SHORTEST, data, rx->ctx, work, DFA_WORK);
	pcre2_match_data_free(data);
	return found;
}

/* ---- failures */

static struct {
	_Atomic(uint64_t) n;
	atomic_flag busy;	/* a thread reads or writes the text */
	char text[200];		/* about one of the last */
} failures = {.busy = ATOMIC_FLAG_INIT};

static void note_failure(const struct regex *rx, size_t n)
{
	if (!atomic_flag_test_and_set(&failures.busy)) {	/* else another thread writes about its own */
		snprintf(failures.text, sizeof failures.text,
		    "the expression \"%.80s\" has too many alternatives for a text of %zu bytes", rx->text, n);
		atomic_flag_clear(&failures.busy);
	}
	atomic_fetch_add(&failures.n, 1);
}

uint64_t regex_undecided(void)
{
	return atomic_load(&failures.n);
}

void regex_explain_undecided(struct buf *to)
{
	while (atomic_flag_test_and_set(&failures.busy))
		;
	buf_puts(to, failures.text);
	atomic_flag_clear(&failures.busy);
}

/* Match without backtracking. */
static bool match_all_at_once(const struct regex *rx, const char *s, size_t n)
{
	struct buf b = {0};
	bool odd = made_valid(&b, s, n);
	int found = odd ? run_dfa(rx, b.p, b.n) : run_dfa(rx, s, n);
	if (found < 0 && found != PCRE2_ERROR_NOMATCH)
		note_failure(rx, n);
	buf_free(&b);
	return found >= 0;
}

/* ---- matching */

bool regex_match(const struct regex *rx, const char *s, size_t n)
{
	if (rx->plain)	/* most are literal, and each letter of a search is matched against tens of thousands of
			   names */
		return n >= rx->plain && memmem(s, n, rx->text, rx->plain);
	int found = match_any_bytes(rx, s, n);
	return found == PCRE2_ERROR_NOMATCH || found >= 0 ? found >= 0 : match_all_at_once(rx, s, n);
}

bool regex_match_bounded(struct regex *rx, const char *s, size_t n, bool *gave_up)
{
	size_t most = BOUND + n * BOUND_PER_BYTE;
	pcre2_set_match_limit(rx->ctx, most < MATCH_LIMIT ? (uint32_t)most : MATCH_LIMIT);
	int found = match_any_bytes(rx, s, n);
	*gave_up |= found < 0 && found != PCRE2_ERROR_NOMATCH;
	return found >= 0;
}

bool regex_find(const struct regex *rx, const char *s, size_t n, size_t *from, size_t *to)
{
	size_t at[2];
	if (run_match(rx, s, n, at) < 0)
		return false;
	*from = at[0];
	*to = at[1];
	return true;
}

const char *regex_pattern(const struct regex *rx)
{
	return rx->text;
}
