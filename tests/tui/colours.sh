#!/bin/sh
# SPDX-License-Identifier: MIT
# Each pane on four kinds of terminals: with 256 colours, with 8 colours, without colours, and with ASCII only. The screens are
# compared with tests/screens/looks. UPDATE=1 make check TESTS=tests/tui/colours.sh writes them.
. "${srcdir:-.}/tests/lib.sh"
cd "$top" || exit 99
dir=tests/screens/looks
# look NAME FILE KEYS [BASE]: compare the screens after KEYS with those of tests/screens/looks/NAME.txt
look() {
	for how in '-ansi' '-ansi -colours=8' '-mono' '-ascii'; do
		echo "== $how"
		"$TTRACE" view -size 72x14 -script "$3" $how ${4:+"-base=samples/$4"} "samples/$2" || bad=1
	done >"$tmp/$1.txt"
	# without colours there are no escape characters, and with -ascii only printable ASCII
	sed -n '/^== -mono/,$p' "$tmp/$1.txt" | grep -q "$(printf '\033')" && { echo "$1: -mono prints an escape character"; bad=1; }
	sed -n '/^== -ascii/,$p' "$tmp/$1.txt" | LC_ALL=C grep -q '[^ -~]' && { echo "$1: -ascii prints other characters than ASCII"; bad=1; }
	[ "${UPDATE:-}" = 1 ] && mkdir -p "$dir" && cp "$tmp/$1.txt" "$dir/$1.txt"
	diff -u "$dir/$1.txt" "$tmp/$1.txt" | cat -v || bad=1
	cmp -s "$dir/$1.txt" "$tmp/$1.txt" || { echo "$1: the screen differs"; bad=1; }
}
look top cpu.pb.gz 'j'
look list cpu.pb.gz ':list report.export<Enter>'
look peek cpu.pb.gz 'jj3'
look flame cpu.pb.gz '4/regexp<Enter>'
look timeline orders.trace '+'
look goroutines orders.trace '6'
look tasks orders.trace '7'
look gc orders.trace '8'
look events orders.trace '9'
look explain orders.trace '6K'
look tags cpu.pb.gz ':tags<Enter>'
look report cpu.pb.gz ':tree<Enter>jj'
look info cpu.pb.gz '<^G>'
look help cpu.pb.gz '?flame'
look goroutine orders.trace '6<Enter><Enter>jj'
look goroutines-list orders.trace '6<Enter>'
look tasks-list orders.trace '7j<Enter>'
look task orders.trace '7<Enter><Enter>'
look regions orders.trace '7]'
look stops orders.trace '8]'
look timeline-g orders.trace ':rows g<Enter>++l'
look timeline-range orders.trace 'vlllll'
look search-strip orders.trace ':>20ms<Enter>n'
look find cpu.pb.gz '/mall<Enter>n'
look filters cpu.pb.gz ':focus=login<Enter>:hide=^runtime<Enter>'
look error cpu.pb.gz ':nosuch<Enter>'
look bad-regex cpu.pb.gz 'F(a'
look completion cpu.pb.gz ':fo<Tab>'
look menu cpu.pb.gz 'a'
look sort cpu.pb.gz 's'
look diff-top leak-after.pb.gz 'j' leak-before.pb.gz
look diff-peek leak-after.pb.gz '3' leak-before.pb.gz
look diff-list leak-after.pb.gz '2' leak-before.pb.gz
look diff-flame leak-after.pb.gz '4' leak-before.pb.gz
look empty orders.trace ':focus=nosuchname<Enter>1'
look log gctrace.log ''
# the escape codes of all screens that are recorded in 256 colours: text, which is not lines and blocks, has a contrast of
# at least 4.5 to 1 to its background, black if it has none
LC_ALL=C awk '
function lin(v) { v /= 255; return v <= 0.04045 ? v / 12.92 : exp(2.4 * log((v + 0.055) / 1.055)) }
function level(i) { return lin(i ? 55 + 40 * i : 0) }
function lum(c) {
	c += 0
	if (c >= 232) return lin(8 + 10 * (c - 232))
	c -= 16
	return 0.2126 * level(int(c / 36)) + 0.7152 * level(int(c / 6) % 6) + 0.0722 * level(c % 6)
}
function check(fg, bg, text,  a, b) {
	if (fg == "" || (fg, bg) in done || text !~ /[!-~]/) return
	done[fg, bg] = 1
	a = lum(fg); b = lum(bg)
	if (a < b) { a = lum(bg); b = lum(fg) }
	if ((a + 0.05) / (b + 0.05) < 4.5) { print FILENAME ": colour " fg " on " bg ", contrast " (a + 0.05) / (b + 0.05) ": " text; bad = 1 }
}
/38;5;/ {
	n = split($0, part, "\033\\[")
	for (i = 2; i <= n; i++) {
		codes = substr(part[i], 1, index(part[i], "m") - 1)
		fg = ""; bg = 16
		if (match(codes, /38;5;[0-9]+/)) fg = substr(codes, RSTART + 5, RLENGTH - 5)
		if (match(codes, /48;5;[0-9]+/)) bg = substr(codes, RSTART + 5, RLENGTH - 5)
		if (fg == "" && bg != 16 && substr(part[i], index(part[i], "m") + 1) ~ /[!-~]/) { print FILENAME ": the default colour on " bg; bad = 1 }
		check(fg, bg, substr(part[i], index(part[i], "m") + 1))
	}
}
END { exit bad }' tests/screens/*.txt tests/screens/looks/*.txt || bad=1
# -type=block has the colours of the timeline: waits for the network and waits for channels have different colours
for want in 48\;5\;81 48\;5\;25; do
	"$TTRACE" view -ansi -type=block -size 100x12 -script '4:columns state<Enter>' samples/orders.trace | grep -q "$want" || { echo "the flame graph of -type=block lacks colour $want"; bad=1; }
done
# the program's own packages have one hue in a flame graph, those of the standard library are grey
"$TTRACE" view -ansi -size 120x24 -script 4 samples/cpu.pb.gz >"$tmp/flame.txt"
grep 'api.traced.func1' "$tmp/flame.txt" | grep -qv '48;5;215m\|48;5;179m' && { echo "a package of the program has another hue than its own"; bad=1; }
grep -q '48;5;24[46]m[^n]*net/http.serverHandler.ServeHTTP' "$tmp/flame.txt" || { echo "the standard library is not grey"; bad=1; }
# a trace that has only its header: panes show a message that is complete and does not mention filters, as none are set
head -c 16 samples/orders.trace >"$tmp/head.trace"
for keys in 1 2 3 4 6 7 8 9; do
	"$TTRACE" view -size 60x14 -script "$keys" "$tmp/head.trace" >"$tmp/head.txt" || { echo "a trace with only a header, $keys: the viewer failed"; bad=1; }
	sed -n '3,12p' "$tmp/head.txt" | grep -q '[a-z]' || { echo "a trace with only a header, $keys: no message"; bad=1; }
	sed -n '4,12p' "$tmp/head.txt" | grep -e filters -e '…' && { echo "a trace with only a header, $keys: the message mentions filters or is truncated"; bad=1; }
done
# the bottom line names keys at any width
for w in 40 60 79 120; do
	for keys in 1 4 5 6 7 8 9; do
		"$TTRACE" view -size ${w}x12 -script "$keys" samples/orders.trace | tail -1 | grep -q '[a-z]' || { echo "the bottom line of pane $keys at $w columns names no keys"; bad=1; }
	done
done
# a stop of the world colours a cell if it takes half of its time or more: no cell of 33 ms, but cells of 50 us
tints() { "$TTRACE" view -ansi -size 80x24 -script "$1" samples/orders.trace | grep -c '48;5;52m'; }
[ "$(tints '5')" = 0 ] || { echo "a stop that is shorter than half a cell colours the cell"; bad=1; }
[ "$(tints 'gt809ms<Enter>++++++++++')" -gt 0 ] || { echo "a stop that is longer than a cell does not colour it"; bad=1; }
exit $bad
