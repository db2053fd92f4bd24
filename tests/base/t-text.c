/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Text for people: widths, shortening and numbers. Names lose all bytes that a terminal would interpret. */
#include "config.h"
#include "base/text/go_quote.h"
#include "base/text/suggest.h"
#include "base/text/text.h"
#include "tap.h"

#include <string.h>

static struct buf b;

static bool is(const char *want)
{
	bool same = !strcmp(buf_str(&b), want);
	if (!same)
		fprintf(stderr, "got \"%s\", want \"%s\"\n", b.p, want);
	buf_reset(&b);
	return same;
}

static const char *symbol(const char *s, size_t cells)
{
	static char out[200];
	buf_reset(&b);
	text_fit_symbol(&b, s, strlen(s), cells, false);
	strcpy(out, buf_str(&b));
	buf_reset(&b);
	return out;
}

static void cutting(void)
{
	const char *s = "encoding/json.(*decodeState).object";
	OK(!strcmp(symbol(s, 40), s));
	OK(!strcmp(symbol(s, 34), "json.(*decodeState).object"));
	OK(!strcmp(symbol(s, 22), "(*decodeState).object"));
	OK(!strcmp(symbol(s, 8), "object"));
	OK(!strcmp(symbol(s, 3), "ob\xe2\x80\xa6"));
	OK(!strcmp(symbol(s, 0), ""));
	OK(!strcmp(symbol("main.Map[go.shape.int,a/b.C]", 28), "main.Map[go.shape.int,a/b.C]"));
	OK(!strcmp(symbol("main.Map[go.shape.int,a/b.C]", 25), "main.Map[...]"));
	OK(!strcmp(symbol("a/b.(*heap[go.shape.struct { f func(int) }]).less", 20), "b.(*heap[...]).less"));
	OK(!strcmp(symbol("a/b.(*heap[go.shape.[]uint8]).Pop.func1", 22), "(*heap[...]).Pop.func1"));
	OK(!strcmp(symbol("main.Walk[go.shape.int].func1", 28), "main.Walk[...].func1"));
	const char *cpp = "std::__cxx11::basic_string<char, std::less<int> >::compare(char const*) const";
	OK(!strcmp(symbol(cpp, 75), "__cxx11::basic_string<char, std::less<int> >::compare(char const*) const"));
	OK(!strcmp(symbol(cpp, 44), "basic_string<...>::compare(...) const"));
	OK(!strcmp(symbol(cpp, 27), "compare(char const*) const"));
	OK(!strcmp(symbol(cpp, 4), "com\xe2\x80\xa6"));
	OK(!strcmp(symbol("bench::(anonymous namespace)::Poly::Area", 10), "Poly::Area"));
	OK(!strcmp(symbol("<alloc::vec::Vec<T> as core::ops::Drop>::drop", 20), "Vec<T>::drop"));
	OK(!strcmp(symbol("a::{lambda(b::c)#1}::operator()", 12), "operator()"));
	OK(!strcmp(symbol("a::operator< <b::c>", 14), "operator< <c>"));
	OK(!strcmp(symbol("core::ops::Fn(A) -> b::C::call", 4), "call"));
	OK(!strcmp(symbol("a::", 2), "a\xe2\x80\xa6") && !strcmp(symbol("::", 1), "\xe2\x80\xa6"));
	text_fit(&b, "hello", 5, 4, true);
	OK(is("hel~"));
	text_fit_middle(&b, "/usr/lib/go/src/x.go", 20, 11, true);
	OK(is("/usr/~/x.go"));
	text_fit(&b, "\xe4\xb8\xad\xe6\x96\x87x", 7, 4, true);
	OK(is("\xe4\xb8\xad~"));
}

/* Names of other languages, cut: each keeps the part that says what is done, and as much as there is room for of what
   tells it from others. */
static void languages(void)
{
	static const struct { const char *s; size_t cells; const char *want; } of[] = {
	    {"<asn1_rs::header::Header as asn1_rs::traits::FromDer>::from_der", 36, "<Header as FromDer>::from_der"},
	    {"<asn1_rs::header::Header as asn1_rs::traits::FromDer>::from_der", 24, "Header::from_der"},
	    {"<alloc::vec::Vec<T> as alloc::vec::spec::SpecFromIter<T,I>>::from_iter", 24, "Vec<T>::from_iter"},
	    {"core::ptr::drop_in_place<alloc::vec::Vec<alloc::string::String>>", 36, "ptr::drop_in_place<Vec<String>>"},
	    {"tokio::task::Harness<T,S>::poll::{{closure}}", 20, "poll::{{closure}}"},
	    {"std::map<std::string, my::Bucket>::insert(std::pair<std::string const, my::Bucket> const&)", 36,
		"std::map<...>::insert(...)"},
	    {"(anonymous namespace)::Parser::next(my::deeply::Token const&)", 27, "Parser::next(Token const&)"},
	    {"Alloc: Tuple{HeapSnapshotParser.JSONNumber, Nothing}", 36, "Alloc: Tuple{HeapSnapshotParser.JSO\xe2\x80\xa6"},
	    {"System.Threading.Tasks.Task.<>c.<.cctor>b__281_0", 36, "Tasks.Task.<>c.<.cctor>b__281_0"},
	    {"App!Program.<Main>d__0.MoveNext", 20, "<Main>d__0.MoveNext"},
	    {"java/util/concurrent/ThreadPoolExecutor$Worker.run", 30, "ThreadPoolExecutor$Worker.run"},
	    {"scala.collection.immutable.List$.$anonfun$map$1", 24, "List$.$anonfun$map$1"},
	    {"org.apache.spark.GeneratedClass$GeneratedIterator.processNext", 36, "processNext"},
	    {"node:internal/modules/cjs/loader:Module._compile:1105", 30, "loader:Module._compile:1105"},
	    {"ActiveRecord::PostgreSQLAdapter#exec_no_cache", 24, "exec_no_cache"},
	    {"/usr/lib/python3/app/views.py:handle_request:17", 26, "views.py:handle_request:17"},
	    {"/usr/lib/python3/app/views.py:handle_request:17", 20, "handle_request:17"},
	    {"LazyCompile:*processRequest /srv/app/server.js:42", 40, "LazyCompile:*processRequest server.js:42"},
	    {"LazyCompile:*processRequest /srv/app/server.js:42", 36, "*processRequest server.js:42"},
	    {"LazyCompile:*processRequest /srv/app/server.js:42", 20, "*processRequest"},
	    {"JS:~(anonymous) file:///app/lib/index.js:136:21", 20, "index.js:136:21"},
	    {"type:.eq.struct { net/netip.isV6 bool; net/netip.zoneV6 string }", 36, "struct { net/netip.isV6 bool; net/n\xe2\x80\xa6"},
	    {"main.(*heap[github.com/acme/pkg.Item]).less", 36, "main.(*heap[pkg.Item]).less"},
	    {"encoding/json.(*decodeState).object.func1", 20, "object.func1"},
	    {"main.glob..func1", 12, "glob..func1"},
	    {"example.com/a%2ebee/v2.(*T).m-fm", 24, "v2.(*T).m-fm"},
	    {"main.T.Method", 8, "T.Method"}, {"main.T.Method", 7, "Method"},
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const char *got = symbol(of[i].s, of[i].cells);
		if (strcmp(got, of[i].want))
			fprintf(stderr, "%s at %zu: \"%s\", want \"%s\"\n", of[i].s, of[i].cells, got, of[i].want);
		OK(!strcmp(got, of[i].want));
		buf_reset(&b);
		OK(text_fit_symbol(&b, of[i].s, strlen(of[i].s), of[i].cells, false) == text_width(b.p, b.n));
	}
}

/* For random names and widths: the result fits, the whole name is unchanged where it fits, the last part is kept where
   that fits, and two names that differ in the last part remain different. */
static void any_names(void)
{
	static const char *const word[] = {"main", "a", "json", "github.com/acme/x", "(*Server)", "v2", "Handler", "serve", "Less",
	    "std", "vector<a::b, c>", "net/http", "(*heap[go.shape.int])", "[a/b.C]", "{", "}", "<", ">", "func1", "-", " "};
	uint32_t seed = 1;
	for (int i = 0; i < 20000; i++) {
		char s[2][120] = {"", ""};
		const char *sep = i % 2 ? "." : "::";
		for (uint32_t k = 0, parts = 1 + i % 5; k < parts; k++) {
			seed = seed * 1664525u + 1013904223u;
			const char *w = word[(seed >> 10) % (sizeof word / sizeof *word)];
			for (int two = 0; two < 2; two++)
				sprintf(s[two] + strlen(s[two]), "%s%s", k ? sep : "", w);
		}
		bool tame = !strpbrk(s[0], "{}<> ");
		strcat(s[0], sep), strcat(s[0], "Get"), strcat(s[1], sep), strcat(s[1], "Put");
		size_t n = strlen(s[0]), cells = (seed >> 8) % 60;
		char got[2][400];
		for (int two = 0; two < 2; two++) {
			buf_reset(&b);
			size_t used = text_fit_symbol(&b, s[two], n, cells, true);
			OK(used <= cells && used == text_width(b.p, b.n));
			snprintf(got[two], sizeof got[two], "%s", buf_str(&b));
		}
		OK(n > cells || !strcmp(got[0], s[0]));
		OK(!tame || cells < 3 || (strstr(got[0], "Get") && strcmp(got[0], got[1])));
	}
	buf_reset(&b);
}

/* A word that is longer than a line is broken at its separators. */
static void breaking(void)
{
	OK(text_line("github.com/acme/pkg.(*T).Method", 20) == strlen("github.com/acme/pkg"));
	OK(text_line("github.com/acme/pkg.(*T).Method", 18) == strlen("github.com/acme/"));
	OK(text_line("abcdefghij", 4) == 4 && text_line("ab cdefghij", 6) == 2 && text_line("ab", 4) == 2);
	OK(text_line_n("aa.bbbb", 4, 4) == 4);
}

static void safety(void)
{
	text_safe(&b, "a\033[2Jb\n\xff\xc2\x9b\xe2\x80\xae", 13);
	OK(is("a\\x1b[2Jb\\x0a\\xff\\xc2\\x9b\\xe2\\x80\\xae"));
	char to[12];
	text_xml(&b, "<a href=\"&\">\033\xef\xbf\xbe", 16);
	OK(is("&lt;a href=&quot;&amp;&quot;&gt;\\x1b\\ufffe"));
	text_safe_fit(to, sizeof to, "a\033[\xd8\x9c", 5);
	OK(!strcmp(to, "a\\x1b["));	/* both bytes of U+061C or neither */
	text_safe_fit(to, 4, "\033b", 2);
	OK(!strcmp(to, ""));		/* the NUL has no room */
	text_safe_fit(to, 6, "\033b", 2);
	OK(!strcmp(to, "\\x1bb"));
	OK(text_whole_chars("a\xe2\x80", 3) == 1 && text_whole_chars("a\xe2\x80\xa6", 4) == 4 &&
	    text_whole_chars("\x80\x80", 2) == 2);
	OK(text_width("a\033", 2) == 5 && text_width("e\xcc\x81", 3) == 1 && text_width("\xe4\xb8\xad", 3) == 2);
	uint32_t cp;
	OK(text_decode_utf8("\xed\xa0\x80", 3, &cp) == 1 && cp == 0xfffd);
	OK(text_decode_utf8("\xc0\x80", 2, &cp) == 1 && cp == 0xfffd);
	OK(text_decode_utf8("\xf4\x90\x80\x80", 4, &cp) == 1 && cp == 0xfffd);
	for (uint32_t c = 1; c < 0x110000; c += 7) {
		char s[4];
		size_t n = text_encode_utf8(c, s);
		if (c < 0xd800 || c >= 0xe000)
			OK(text_decode_utf8(s, n, &cp) == n && cp == c);
	}
}

static void numbers(void)
{
	static const struct { int64_t ns; const char *s; } t[] = {
		{0, "0"}, {999, "999ns"}, {1000, "1.00us"}, {12345, "12.3us"}, {999499, "999us"}, {999500, "1.00ms"},
		{1234567890, "1.23s"}, {123000000000, "2m03s"}, {3720000000000, "1h02m"}, {-1500, "-1.50us"},
		{3599999000000000, "999h59m"}, {-3600000000000000, "-1000h"}, {INT64_MAX, "2562048h"},
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		text_ns(&b, t[i].ns);
		OK(is(t[i].s));
	}
	text_at(&b, 1273100000, 100000);
	OK(is("1.2731s"));
	text_at(&b, 5, 1);
	OK(is("0.000000005s"));
	text_bytes(&b, 1536);
	OK(is("1.50kB"));
	text_count(&b, -1234567);
	OK(is("-1,234,567"));
	text_value(&b, 1500, "microseconds");
	OK(is("1.50ms"));
	text_value(&b, 1234567, "widgets");
	OK(is("1,234,567 widgets"));
	text_short(&b, 999999, "widgets");
	OK(is("999,999"));
	text_short(&b, -1234567, "count");
	OK(is("-1.23M"));
	text_short(&b, INT64_MAX, "count");
	OK(is("9.22E"));
	text_short(&b, INT64_MIN, "");
	OK(is("-9.22E"));
	text_short(&b, 1500000, "ns");
	OK(is("1.50ms"));
	text_short(&b, 99999 * INT64_C(3600), "seconds");
	OK(is("99999h"));
	text_short(&b, INT64_MIN, "nanoseconds");	/* never more than seven cells and a sign */
	OK(is("-106752d"));
	/* a line loses the package paths of its symbols one after the other; other words keep their paths */
	static const char line[] = "by G1 a/b/c.(*T).F a/x/y.G y.go:12";
	static const struct { size_t cells; const char *want; } fit[] = {{34, line},
	    {33, "by G1 c.(*T).F a/x/y.G y.go:12"},
		{30, "by G1 c.(*T).F a/x/y.G y.go:12"}, {29, "by G1 c.(*T).F y.G y.go:12"},
		    {24, "by G1 (*T).F y.G y.go:12"},
		    {20, "by G1 (*T).F y.G y.~"}, {18, "by G1 (*T).F y.G ~"}, {12, "by G1 F y.G~"}, {9, "by G1 F ~"}, {0, ""}};
	for (size_t i = 0; i < sizeof fit / sizeof *fit; i++) {
		text_fit_line(&b, line, strlen(line), fit[i].cells, true);
		OK(is(fit[i].want));
	}
	/* a receiver is removed before a place, if the line then fits, and not between callers */
	text_fit_line(&b, "lock main.(*ledger).reserve main.go:38", 38, 24, true);
	OK(is("lock reserve main.go:38"));
	text_fit_line(&b, "lock main.(*ledger).reserve main.go:38", 38, 20, true);
	OK(is("lock reserve main.g~"));
	text_fit_line(&b, "(*FD).Read < (*netFD).Read < (*conn).Read", 41, 38, true);
	OK(is("(*FD).Read < (*netFD).Read < Read"));
	text_fit_line(&b, "GET /a/b.c http://a/b.c 1/2", 27, 20, true);
	OK(is("GET /a/b.c http://a~"));
	/* the symbol at the cut loses only its package; numbers, files with lines and closures are not symbols */
	static const char words[] = "1.23ms main.run orders.go:12 ship.func1";
	static const struct { size_t cells; const char *want; } keep[] = {{38, "1.23ms main.run orders.go:12 ship.fun~"},
		{20, "1.23ms run orders.g~"}, {15, "1.23ms run ord~"}, {5, "1.23~"}};
	for (size_t i = 0; i < sizeof keep / sizeof *keep; i++) {
		text_fit_line(&b, words, strlen(words), keep[i].cells, true);
		OK(is(keep[i].want));
	}
	/* a name beside a number: whole, without its package, cut if enough of it remains, or left out */
	static const char name[] = "main.handleOrder";
	static const struct { size_t cells; const char *want; } beside[] = {
		{16, name}, {15, "handleOrder"}, {11, "handleOrder"}, {10, "handleOrd~"}, {6, "handl~"}, {5, ""}};
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
		buf_reset(&b);
		text_fit_name(&b, name, strlen(name), beside[i].cells, true);
		OK(!strcmp(buf_str(&b), beside[i].want));
	}
	int64_t ns;
	OK(text_parse_ns("1m1.5s", &ns) && ns == 61500000000);
	OK(text_parse_ns("350ms", &ns) && ns == 350000000);
	OK(!text_parse_ns("3", &ns) && !text_parse_ns("", &ns) && !text_parse_ns("s", &ns) &&
	    !text_parse_ns("1x", &ns));
}

static const char *suggested(const char *word)
{
	static const char *const words[] = {
	    "view", "top", "peek", "tree", "goroutines", "goroutine", "focus", "ignore"};
	struct suggestion n = {word, strlen(word), NULL, 0};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		suggest_offer(&n, words[i]);
	return n.best ? n.best : "";
}

static void suggestions(void)
{
	OK(suggest_edit_distance("abc", 3, "abc", 3) == 0 && suggest_edit_distance("", 0, "abc", 3) == 3 &&
	    suggest_edit_distance("ab", 2, "ba", 2) == 1);
	OK(suggest_edit_distance("kitten", 6, "sitting", 7) == 3 &&
	    suggest_edit_distance("sitting", 7, "kitten", 6) == 3);
	OK(!strcmp(suggested("vew"), "view") && !strcmp(suggested("tpo"), "top") &&
	    !strcmp(suggested("goruotines"), "goroutines"));
	OK(!strcmp(suggested("fcous"), "focus") && !strcmp(suggested("goroutin"), "goroutine"));
	OK(!*suggested("cpu") && !*suggested("x") && !*suggested("") &&
	    !*suggested("a-much-longer-word-than-any-in-the-table-of-words"));
}

static void secrets(void)
{
	static const char *const masked[][2] = {
	    {"http://u:pa:ss@h/x?a=b@c: no", "http://u:xxxxx@h/x?a=b@c: no"},
	    {"a -base=https://me:s@h:1 u:p@h and plain", "a -base=https://me:xxxxx@h:1 u:xxxxx@h and plain"},
	    {"http://u@h/x http://h:80/a@b", "http://u@h/x http://h:80/a@b"},
	    {"at byte 5: x@y runtime.f:12 a@b:c", "at byte 5: x@y runtime.f:12 a@b:c"},
	    {"\"http://:x@h\" ://", "\"http://:xxxxx@h\" ://"},
	    {"", ""}};
	for (size_t i = 0; i < sizeof masked / sizeof *masked; i++) {
		text_mask_passwords(&b, masked[i][0]);
		OK(is(masked[i][1]));
	}
}

/* As strconv.Quote of Go 1.25. */
static void quotes(void)
{
	static const char *const quoted[][2] = {
	    {"", "\"\""},
	    {"main.(*T).f", "\"main.(*T).f\""},
	    {"a\"b\\c", "\"a\\\"b\\\\c\""},
	    {"\a\b\t\n\v\f\r", "\"\\a\\b\\t\\n\\v\\f\\r\""},
	    {"\x01\x1b\x7f", "\"\\x01\\x1b\\x7f\""},
	    {"\xff\xc3(", "\"\\xff\\xc3(\""},					/* no UTF-8 */
	    {"caf\xc3\xa9 \xe6\x97\xa5", "\"caf\xc3\xa9 \xe6\x97\xa5\""},
	    {"\xc2\x85\xc2\xa0\xc2\xad", "\"\\u0085\\u00a0\\u00ad\""},		/* C1, no-break space, soft hyphen */
	    {"\xe2\x80\xae\xef\xbf\xbd", "\"\\u202e\xef\xbf\xbd\""},			/* bidi; a real U+FFFD */
	    {"\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf", "\"\xf0\x9f\x98\x80\\U0010ffff\""}};
	for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) {
		go_quote_append(&b, quoted[i][0], strlen(quoted[i][0]));
		OK(is(quoted[i][1]));
	}
}

int main(void)
{
	quotes();
	suggestions();
	cutting();
	languages();
	any_names();
	breaking();
	safety();
	numbers();
	buf_free(&b);
	secrets();
	return DONE();
}
