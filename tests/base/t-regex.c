/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Regular expressions have the meaning of Go's, and backtracking is bounded. */
#include "config.h"
#include "base/job.h"
#include "base/text/buf.h"
#include "base/text/regex.h"
#include "tap.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool match(const char *re, const char *s)
{
	struct regex *rx = regex_new(re, NULL);
	bool hit = rx && regex_match(rx, s, strlen(s));
	OK(rx);
	regex_free(rx);
	return hit;
}

static bool refused(const char *re)
{
	struct err e = {0};
	struct regex *rx = regex_new(re, &e);
	bool no = !rx && e.kind == ERR_USAGE && e.msg[0];
	regex_free(rx);
	return no;
}

struct sharing { const struct regex *rx; _Atomic int wrong; };

static void match_often(void *arg, uint32_t k)
{
	struct sharing *w = arg;
	size_t from, to;
	char s[32];
	for (int i = 0; i < 20000; i++) {
		int n = snprintf(s, sizeof s, "%*s%s", (int)(k + 1), "", i % 2 ? "bb" : "a");
		bool found = regex_find(w->rx, s, (size_t)n, &from, &to);
		w->wrong += found != (i % 2) || (found && (from != k + 1 || to != k + 3)) ||
		    regex_match(w->rx, s, (size_t)n) != found;
	}
}

/* Threads can match with one expression at the same time. */
static void shared(void)
{
	struct sharing w = {.rx = regex_new("b+", NULL)};
	job_parallel(4, match_often, &w);
	OK(w.wrong == 0);
	regex_free((struct regex *)(uintptr_t)w.rx);
}

/* Steps proportional to a name suffice for usual expressions, also where the name is very long, but not for one that
   tries all ways to divide the name. */
static void bounded(void)
{
	static const char *const usual[] = {"^(malloc|runtime\\..*|(base::)?Unlock.*)$", "^(.*alloc.*|.*::x)$", "^((a+::)*b)$"};
	char s[5000];
	bool gave_up = false;
	memset(s, 'a', sizeof s);
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
		struct regex *rx = regex_new(usual[i], NULL);
		OK(rx && !regex_match_bounded(rx, s, sizeof s, &gave_up));
		regex_free(rx);
	}
	OK(!gave_up);
	struct regex *evil = regex_new("^((a|a)*b)$", NULL);
	OK(evil && !regex_match_bounded(evil, "aab!", 4, &gave_up) && !gave_up);
	OK(regex_match_bounded(evil, "aab", 3, &gave_up) && !gave_up);
	memcpy(s + 40, "b!", 2);
	OK(!regex_match_bounded(evil, s, 42, &gave_up) && gave_up);
	regex_free(evil);
}

/* Return whether the expression matches after a text in which backtracking reaches its limit. */
static bool match_late(const char *re, const char *s)
{
	char long_re[200], long_s[200];
	snprintf(long_re, sizeof long_re, "(?:a|aa)+!|(?:%s)", re);
	snprintf(long_s, sizeof long_s, "%060d.%s", 0, s);
	for (char *p = long_s; *p == '0'; p++)
		*p = 'a';
	return match(long_re, long_s);
}

/* Where backtracking reaches a limit, the answer is still right; only too many alternatives at once are a failure. */
static void beyond_limits(void)
{
	static char s[1 << 20];
	struct buf message = {0};
	memset(s, 'a', sizeof s - 1);
	OK(match("(a|aa)+c|a$", s) && !match("(a|aa)+c|b$", s) && match("^(a|aa)+c|(a*)*a\\z", s));
	OK(match_late("(?i)JSON", "json") && !match_late("JSON", "json") && match_late("b.*?c", "xbbc"));
	OK(match_late("\\bmain\\b", "a main b") && !match_late("\\bmain\\b", "a mainb"));
	OK(match_late("b$", "b") && !match_late("b$", "b\n") && match_late("(?m)^b$", "x\nb\nc"));
	OK(match_late("(?m)b$", "b\n") && !match_late("(?m)(?-m:b$)", "b\nc") && match_late("(?m:b$)|c$", "b\n"));
	OK(match_late("\\pL\\x{fffd}b", "\xc3\xa9\xff" "b") && match_late("b..c", "b\xff\xfe" "c"));
	OK(!match_late("b.c", "b\nc") && match_late("(?s)b.c", "b\nc") && !match_late("^b", "b"));
	OK(match_late("b{2,3}c", "bbc") && !match_late("b{2,3}c", "bc") && match_late("x|", "y"));
	OK(!regex_undecided());
	OK(!match_late("(a{1,50}){1,50}c", "") && regex_undecided() == 1);
	regex_explain_undecided(&message);
	OK(strstr(buf_str(&message), "too many alternatives for a text of 61 bytes"));
	OK(!match_late("(a{1,50}){1,50}c", "") && regex_undecided() == 2);
	buf_free(&message);
}

/* A profile may have an expression of any length: translating it takes time in proportion. Each of these has a part that
   could be followed to the end of the text from each of its places. */
static void long_expressions(void)
{
	static const char *const parts[][2] = {{"", "(*a"}, {"", "aa"}, {"[", "[:"}, {"\\Q", "aa"}};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct buf b = {0};
		buf_puts(&b, parts[i][0]);
		for (int k = 0; k < 1 << 20; k++)
			buf_puts(&b, parts[i][1]);
		regex_free(regex_new(buf_str(&b), NULL));
		buf_free(&b);
	}
}

int main(void)
{
	beyond_limits();
	long_expressions();
	bounded();
	shared();
	OK(match("json", "encoding/json.Marshal") && !match("^json", "encoding/json.Marshal"));
	OK(match("(?i)JSON", "json") && match("a.*?b", "xaab") && match("\\bmain\\b", "a main b"));
	OK(match("^\\QA+B\\E$", "A+B") && match("(?P<n>x)y", "xy") && match("[[:digit:]]", "7"));
	OK(match("\\pL", "\xc3\xa9") && !match("\\w", "\xc3\xa9") && !match("\\d", "\xd9\xa3"));
	OK(!match("a$", "a\n") && match("a\\z", "a") && !match("a.b", "a\nb") && match("(?s)a.b", "a\nb"));
	OK(match("b", "\xff\xfe" "b\xff"));
	OK(match("^.$", "\xc3") && match("^a..b$", "a\xff\xfe" "b") && match("\\x{fffd}", "a\x80"));
	OK(!match("a", "\xff") && !match("^.$", "\xff\xff") && match("^\xc3\xa9.$", "\xc3\xa9\xe2"));
	OK(match("[]a]", "]") && match("[^]a]", "b") && match("x[(?=]y", "x?y"));
	static const char *const no[] = {"(", "a**", "(?=a)", "(?<!a)b", "(a)\\1", "(?>a)", "a++", "[z-a]", "\\", "*",
		"(?P=n)", "a{2}+", "(?x)a", "(?J)a", "\\cA", "\\e", "\\K", "\\E", "a{1001}", "[[:foo:]]", "[\\b]",
		    "\\\xc3\xa9",
		")", "(?i", "(?-)", "(*", "(*)", "(**T)", "(*T", "\\(*T)", "\xff", "\\x{110000}", "[a-\\d]", "(?P<>a)"};
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		OK(refused(no[i]));
	OK(match("\\101$+", "A") && match("^*a", "a") && match("{,2}", "{,2}") && match("[[.a.]]", ".]"));
	OK(!match("^\\s", "\v") && match("\\S", "\xc3\xa9") && match("\\v", "\v") && !match("\\v", "\n"));
	OK(match("(?m)^$", "a\n") && match("[\\pL-]-", "\xc3\xa9-") && match("(?P<1>a)", "a"));
	/* names of methods as they are printed; "(*" is no expression */
	OK(match("(*conn).serve", "net/http.(*conn).serve") && !match("(*conn).serve", "net/http.(conn).serve"));
	OK(match("^net/http.(*conn).se.*e$", "net/http.(*conn).serve") && !match("^(*conn)", "net/http.(*conn).serve"));
	OK(match("a|(*conn)", "(*conn)") && match("(*UTF)a", "(*UTF)a") && !match("(*UTF)a", "a"));
	OK(match("stock.(*Tree[go.shape.int,go.shape.func(int) *uint8]).Each[...]",
	    "stock.(*Tree[go.shape.int,go.shape.func(int) *uint8]).Each[...]"));
	char s[5000];
	memset(s, 'a', sizeof s - 1);
	s[sizeof s - 1] = 0;
	OK(!match("(a*)*b", s) && !match("(a|aa)+$b", s));
	struct regex *rx = regex_new("b+", NULL);
	size_t from, to;
	OK(regex_find(rx, "aabbc", 5, &from, &to) && from == 2 && to == 4 && !strcmp(regex_pattern(rx), "b+"));
	regex_free(rx);
	return DONE();
}
