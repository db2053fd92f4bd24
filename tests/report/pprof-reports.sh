#!/bin/bash
# SPDX-License-Identifier: MIT
# The reports that go tool pprof has, too, on the samples. Each query has a golden file of its name, which was recorded from
# `go tool pprof` (RECORD=1 tests/report/pprof-reports.sh records it anew with Go). Then laws that need no golden file.
set -u
[ -n "${BASH_VERSION:-}" ] || exec bash "$0"	# also if it is started by "sh tests/report/pprof-reports.sh"
. "${srcdir:-.}/tests/lib.sh"
export LC_ALL=C
ttrace=$TTRACE
golden=$top/tests/golden
cd "$samples" || exit 99

# query NAME REPORT[=REGEX] ARGS...: the report must be equal to the golden file NAME
query() {
	local name=$1 report=$2
	shift 2
	if [ -n "${RECORD:-}" ]; then
		HOME=$home go tool pprof -symbolize=none "-$report" "$@" >"$golden/$name" 2>/dev/null
		return
	fi
	"$ttrace" "-$report" "$@" >"$tmp/out" 2>"$tmp/err"
	cmp -s "$tmp/out" "$golden/$name" || { diff "$golden/$name" "$tmp/out" | sed 's/^/# /' | head -20; sed 's/^/# /' "$tmp/err"; false; }
	ok $? "$name"
}

query cpu.top top -nodecount=25 cpu.pb.gz
query cpu.top.cum.lines top -cum -lines -nodecount=20 cpu.pb.gz
query cpu.top.filefunctions top -filefunctions -nodecount=20 cpu.pb.gz
query cpu.top.addresses.noinlines top -addresses -noinlines -nodecount=20 cpu.pb.gz
query cpu.top.focus.hide top '-focus=^orders' -ignore=json '-hide=^runtime\.' -nodecount=20 cpu.pb.gz
# pprof takes the absolute value of a share
query cpu.top.negative_fraction top -nodefraction=-0.1 cpu.pb.gz
query cpu.top.show_from.prune_from top '-show_from=^orders' -prune_from=mallocgc -nodecount=20 cpu.pb.gz
query cpu.top.tagfocus.relative top -tagfocus=endpoint=checkout -relative_percentages -nodecount=15 cpu.pb.gz
query cpu.top.tagroot.tagleaf top -tagroot=endpoint -tagleaf=endpoint -cum -nodecount=15 cpu.pb.gz
query cpu.tree tree -nodecount=12 cpu.pb.gz
query cpu.peek 'peek=orders/internal/render' cpu.pb.gz
query cpu.list list=render -source_path=. cpu.pb.gz
query cpu.tags tags cpu.pb.gz
query cpu.dot dot -nodecount=15 cpu.pb.gz
query cpu.dot.call_tree dot -call_tree -nodecount=10 cpu.pb.gz
query heap.top.alloc_objects top -sample_index=alloc_objects -nodecount=15 heap.pb.gz
query heap.top.unit.divide_by top -unit=kb -divide_by=3 -nodecount=15 heap.pb.gz
query heap.top.tagfocus.range top -tagfocus=1kb:64kb -nodecount=15 heap.pb.gz
query heap.dot dot -nodecount=10 heap.pb.gz
query block.top.mean top -mean -nodecount=15 block.pb.gz
query block.callgrind.focus callgrind -focus=cache block.pb.gz
query mutex.traces traces mutex.pb.gz
query mutex.raw raw -focus=cache mutex.pb.gz
query goroutine.traces.lines traces -lines goroutine.pb.gz
query leak.top.base top -base=leak-before.pb.gz -nodecount=20 leak-after.pb.gz
query leak.top.diff_base.drop_negative top -diff_base=leak-before.pb.gz -drop_negative -nodecount=20 leak-after.pb.gz
query leak.tree.normalize tree -base=leak-before.pb.gz -normalize -nodecount=8 leak-after.pb.gz
query merged.top top -nodecount=15 leak-before.pb.gz leak-after.pb.gz

# small profiles in the formats before profile.proto
cat >"$tmp/heap" <<'END'
heap profile: 3: 300 [ 5: 500] @ heapprofile
 2: 200 [ 4: 400] @ 0x1001 0x2001
# a comment
 1: 100 [ 1: 100] @ 0x1001
 0: 0 [ 3: 60] @
 0: 0 [ 0: 0] @ 0x2001

MAPPED_LIBRARIES:
base=/opt
00001000-00002000 r-xp 00000000 00:00 0 $base/prog
00002000-00003000 r-xp 00001000 00:00 0 $base/prog
00005000-00006000 rw-p 00000000 00:00 0 /lib/data
END
cat >"$tmp/mutex" <<'END'
--- mutex:
cycles/second=2000000000
sampling period=5
1000 2 @ 0x401001 0x402001
30 1 @ 0x401001
END
cat >"$tmp/goroutine" <<'END'
goroutine profile: total 3
2 @ 0x401001 0x402001
#	0x401000	main.f+0x0	main.go:7

1 @ 0x403001
END
cat >"$tmp/threads" <<'END'
--- threadz 1 ---
--- Thread 7f00 (name: main/10) stack: ---
  0x401001 0x402001
--- Thread 7f01 (name: helper/11) stack: ---
  [same as previous thread]
--- Thread 7f02 (name: other/12) stack: ---
  0x403001 0x403001 0x404000
--- Memory map: ---
  400000-500000: /opt/prog
END
le() { for v; do printf '%b' "\\0$(printf %03o $((v & 255)))\\0$(printf %03o $((v >> 8 & 255)))\\0$(printf %03o $((v >> 16 & 255)))\\0000"; done; }
{ le 0 3 0 10000 0 2 2 0x401000 0x402001 1 1 0x401000 0 1 0; echo "400000-500000 r-xp 00000000 00:00 0 /opt/prog"; } >"$tmp/cpu32"
query old-heap.raw raw "$tmp/heap"
query old-mutex.raw raw "$tmp/mutex"
query old-goroutine.raw raw "$tmp/goroutine"
query old-threads.raw raw "$tmp/threads"
query old-cpu.raw raw "$tmp/cpu32"
query old-heap.top top -addresses -sample_index=alloc_space "$tmp/heap"

# Profiles that no Go program writes, field by field. pb NUMBER TEXT and pn NUMBER NUMBER (all below 128) print a field as an
# argument of printf.
pb() { printf '\\0%03o\\0%03o%s' $(($1 << 3 | 2)) "$(printf %b "$2" | wc -c)" "$2"; }
pn() { printf '\\0%03o\\0%03o' $(($1 << 3)) "$2"; }
strings() { for s; do pb 6 "$s"; done; }
types() { for t; do pb 1 "$(pn 1 "$t")$(pn 2 1)"; done; }
# a comment of two lines; a line before the first line of its function; a source file that does not exist
printf %b "$(strings '' count wall main.go 'two\nlines' work other; types 2; pb 2 "$(pn 1 1; pn 2 7)"; pb 2 "$(pn 1 2; pn 2 5)"
	pb 4 "$(pn 1 1; pb 4 "$(pn 1 1; pn 2 9)")"; pb 4 "$(pn 1 2; pb 4 "$(pn 1 2; pn 2 30)")"
	pb 5 "$(pn 1 1; pn 2 5; pn 4 3; pn 5 99)"; pb 5 "$(pn 1 2; pn 2 6; pn 4 3; pn 5 20)"; pn 13 4)" >"$tmp/lines"
query odd.dot dot "$tmp/lines"
query odd.list list=. -source_path=/nowhere "$tmp/lines"
query odd.list.one list=work -source_path=/nowhere "$tmp/lines"
# a sample type without a name is the default if the profile names no default; a type that occurs twice is removed
odd="$(strings '' count wall cpu; pb 2 "$(pb 2 '\0001\0002\0003\0004')"; types 2 0 3 2)"
printf %b "$odd" >"$tmp/types"
query odd.types raw "$tmp/types"
# a name that contains a byte 0
printf %b "$(strings '' count wall; pb 6 'a\0000b'; pb 6 root; types 2; pb 2 "$(pn 1 1; pn 1 2; pn 2 7)"; pb 4 "$(pn 1 1; pb 4 "$(pn 1 1)")"
	pb 4 "$(pn 1 2; pb 4 "$(pn 1 2)")"; pb 5 "$(pn 1 1; pn 2 3)"; pb 5 "$(pn 1 2; pn 2 4)")" >"$tmp/zero"
query odd.zero.raw raw "$tmp/zero"
query odd.zero.dot dot "$tmp/zero"
query odd.zero.callgrind callgrind "$tmp/zero"
# the tag of a sample without a stack belongs to no node: in a profile of this sample alone, and beside others, where it does
# not count among the shown nodes
stackless="$(strings '' count wall key a b f1 f2 f3 f4; types 2; pb 2 "$(pn 2 120; pb 3 "$(pn 1 3; pn 2 4)")")"
printf %b "$stackless" >"$tmp/stackless"
printf %b "$stackless$(for i in 1 2 3 4; do pb 2 "$(pn 1 $i; pn 2 $((100 - i)); pb 3 "$(pn 1 3; pn 2 5)")"
	pb 4 "$(pn 1 $i; pb 4 "$(pn 1 $i)")"; pb 5 "$(pn 1 $i; pn 2 $((5 + i)))"; done)" >"$tmp/beside"
query odd.stackless.dot dot "$tmp/stackless"
query odd.beside.dot dot -nodecount=3 -nodefraction=0 "$tmp/beside"
# Java: a location with a name needs no mapping
printf -- '--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 100\nms since reset = 6019923\n  100 1 @ 0x11 0x12\n\n  0x11 a.B.c (B.java:7)\n  0x12 GC\n' >"$tmp/java"
query odd.java raw "$tmp/java"
[ -n "${RECORD:-}" ] && exit

# callgrind -call_tree makes a graph only if weights may be left out; the output is the same with the graph and without
for f in cpu.pb.gz heap.pb.gz block.pb.gz; do
	"$ttrace" callgrind -call_tree "$f" >"$tmp/contexts" 2>&1
	"$ttrace" callgrind -call_tree -drop_negative "$f" >"$tmp/graph" 2>&1
	grep -q '^calls=' "$tmp/contexts" && cmp -s "$tmp/contexts" "$tmp/graph"
	ok $? "callgrind -call_tree of $f is the same with a graph and without"
done

# contexts are numbered in the order of the first samples that are not 0, not in the order of the stacks
printf 'main;b;f 1\nmain;a;f 1\n' >"$tmp/two.folded"
printf 'main;a;f 0\nmain;b;f 1\nmain;a;f 1\n' >"$tmp/zero.folded"
for f in two zero; do
	"$ttrace" callgrind -call_tree "$tmp/$f.folded" >"$tmp/$f.contexts" 2>&1
done
grep -q '\[2/2\]' "$tmp/two.contexts" && cmp -s "$tmp/two.contexts" "$tmp/zero.contexts"
ok $? "a sample of value 0 does not change callgrind -call_tree"

# the largest and the smallest line number of 64 bits: reports do not go through all lines up to it
far='\0020\0377\0377\0377\0377\0377\0377\0377\0377\0177' low='\0020\0200\0200\0200\0200\0200\0200\0200\0200\0200\0001'
printf %b "$(strings '' count wall main.go work other; types 2; pb 2 "$(pn 1 1; pn 2 7)"; pb 2 "$(pn 1 2; pn 2 5)"; pb 2 "$(pn 1 3; pn 2 4)"
	pb 4 "$(pn 1 1; pb 4 "$(pn 1 1; pn 2 9)")"; pb 4 "$(pn 1 2; pb 4 "$(pn 1 1)$far")"; pb 4 "$(pn 1 3; pb 4 "$(pn 1 1)$low")"
	pb 5 "$(pn 1 1; pn 2 4; pn 4 3)")" >"$tmp/far"
for how in 'list .' 'list . -format=tsv' 'list . -format=json' 'weblist .' 'peek .' 'top -lines' dot; do
	# shellcheck disable=SC2086
	"$ttrace" $how -source_path=/nowhere "$tmp/far" >"$tmp/out" 2>&1 && [ -s "$tmp/out" ]
	ok $? "$how succeeds with the largest line numbers of 64 bits"
done

# Quotes, backslashes and newlines in names, files and units, and a sum at the limit of 64 bits: dot can read the graph, and
# each name is one cell of CSV.
least='\0200\0200\0200\0200\0200\0200\0200\0200\0001'	# the last bytes of the varint of the smallest values of 64 bits
evil='a"b\\c\nd'
printf %b "$(strings '' count "$evil" bytes; pb 1 "$(pn 1 2; pn 2 2)"; pb 2 "$(pn 1 1)\0020\0200$least"
	for i in 1 2 3 4 5 6; do pb 2 "$(pn 1 2; pn 2 5)$(pb 3 "$(pn 1 3; pn 3 $i; pn 4 2)")"; done; pb 2 "$(pn 1 3)\0020\0201$least"
	for i in 1 2 3; do pb 4 "$(pn 1 $i; pb 4 "$(pn 1 $i; pn 2 9)")"; pb 5 "$(pn 1 $i; pn 2 $i; pn 3 $i; pn 4 2)"; done)" >"$tmp/evil"
for how in '' -lines -addresses -files -call_tree; do
	# shellcheck disable=SC2086
	"$ttrace" dot $how "$tmp/evil" >"$tmp/out" 2>"$tmp/err" && grep -q '^NN' "$tmp/out" &&
		[ "$(sed 's/\\.//g; s/[^"]//g' "$tmp/out" | awk 'length % 2' | wc -l)" = 0 ] &&
		[ "$(grep -vc '[]{}]$' "$tmp/out")" = 0 ] && ! grep -q 'fontsize=-' "$tmp/out" &&
		{ ! command -v dot >/dev/null || dot -Tcanon "$tmp/out" >/dev/null 2>&1; }
	ok $? "dot $how escapes quotes and newlines in names"
done
"$ttrace" callgrind "$tmp/evil" >"$tmp/out" 2>"$tmp/err"
grep -qF 'events: a"b\c d(a"b\c d)' "$tmp/out" && grep -qxF 'fl=(1) a"b\c d' "$tmp/out"
ok $? "callgrind has no newlines of types, units and files"
"$ttrace" top -format=csv "$tmp/evil" >"$tmp/out" 2>"$tmp/err"
[ "$(grep -c '^"a""b.c$' "$tmp/out")$(grep -c '^d",,' "$tmp/out")" = 11 ]
ok $? "CSV has names with newlines in quotes, unchanged"

# A heap profile of jemalloc, which go tool pprof does not read. 100 sampled allocations of 64 bytes, at a rate of one in 4096
# bytes, stand for 6450.
cat >"$tmp/jemalloc" <<'END'
heap_v2/4096
  t*: 101: 14592 [102: 22784]
  t0: 101: 14592 [102: 22784]
@ 0x401001 0x402001
  t*: 100: 6400 [100: 6400]
  t1: 60: 3840 [60: 3840]
  t2: 40: 2560 [40: 2560]
@ 0x403001
  t*: 1: 8192 [2: 16384]
  t0: 1: 8192 [2: 16384]

MAPPED_LIBRARIES:
00401000-00500000 r-xp 00000000 00:00 0    /srv/prog
END
"$ttrace" raw "$tmp/jemalloc" | sed -n '/^Samples/,/^Locations/p' | tr -s ' ' >"$tmp/out"
cat >"$tmp/want" <<'END'
Samples:
alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes
 6450 412808 6450 412808: 1 2 
 bytes:[64]
 2 18948 1 9474: 3 
 bytes:[8192]
Locations
END
cmp -s "$tmp/want" "$tmp/out"
ok $? "the samples of a heap profile of jemalloc are scaled by its sampling rate"
sed 's/100: 6400 \[/100: [/' "$tmp/jemalloc" >"$tmp/bad"
"$ttrace" raw "$tmp/bad" >"$tmp/out" 2>"$tmp/err"
[ $? = 1 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ]
ok $? "a damaged heap profile of jemalloc is refused"

# Files whose sample types do not match are refused before any value is moved; here two types of a file have one name.
printf %b "$(strings '' count wall cpu; pb 2 "$(pb 2 '\0001')"; types 3)" >"$tmp/one"
printf %b "$(strings '' count wall cpu; pb 2 "$(pb 2 '\0001\0002')"; types 2 2)" >"$tmp/two"
printf %b "$(strings '' count wall cpu; pb 2 "$(pb 2 '\0001\0002')"; types 3 2)" >"$tmp/three"
fails() { # fails STATUS ARGS...: ttrace must end with STATUS and one line on stderr
	local want=$1
	shift
	"$ttrace" "$@" >"$tmp/out" 2>"$tmp/err"
	[ $? = "$want" ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ]
	ok $? "refused: $*"
}
fails 1 top "$tmp/two" "$tmp/one"
fails 1 top "$tmp/three" "$tmp/one" "$tmp/two"
fails 1 top "$tmp/one" "$tmp/two"
# a function that has no samples
"$ttrace" weblist work -focus=other "$tmp/lines" >"$tmp/out" 2>"$tmp/err"
[ $? = 1 ] && [ ! -s "$tmp/out" ] && grep -q 'no matches found' "$tmp/err"
ok $? "weblist reports no matches if the function has no samples"

# a written profile is read again with the same contents
for f in cpu heap block mutex goroutine; do
	"$ttrace" proto $f.pb.gz >"$tmp/again.pb.gz" && "$ttrace" raw $f.pb.gz >"$tmp/a" &&
		"$ttrace" raw "$tmp/again.pb.gz" >"$tmp/b" && cmp -s "$tmp/a" "$tmp/b"
	ok $? "the report raw of a written $f profile is that of the original"
done
# -focus and -ignore with the same expression split the total
sum() { "$ttrace" folded "$@" | awk '{ s += $NF } END { printf "%.0f\n", s }'; }
for re in json runtime 'orders/internal/render' nothing.has.this; do
	[ "$(sum cpu.pb.gz 2>/dev/null)" = $(($(sum -focus="$re" cpu.pb.gz 2>/dev/null) + $(sum -ignore="$re" cpu.pb.gz 2>/dev/null))) ]
	ok $? "-focus=$re and -ignore=$re add up to the total"
done
[ -z "$("$ttrace" folded -base=cpu.pb.gz cpu.pb.gz)" ]
ok $? "a profile minus itself is empty"
# A flame graph is one SVG element, each frame has its end, and one frame is the root.
"$ttrace" flame -focus=json cpu.pb.gz >"$tmp/svg"
[ "$(tail -n 1 "$tmp/svg")" = "</svg>" ] && [ "$(grep -c '<title>' "$tmp/svg")" -gt 20 ] &&
	[ "$(grep -o '<g[ >]' "$tmp/svg" | wc -l)" = "$(grep -o '</g>' "$tmp/svg" | wc -l)" ] &&
	[ "$(grep -c '<title>all (' "$tmp/svg")" = 1 ]
ok $? "flame is a complete drawing with one root"
[ "$("$ttrace" top -format=tsv -nodecount=7 cpu.pb.gz | cut -f1 | tail -n +2)" = \
	"$("$ttrace" top -nodecount=7 cpu.pb.gz | tail -n 7 | sed 's/^.*%  //; s/ (.*inline)$//')" ]
ok $? "top -format=tsv has the rows of top"
# 400 addresses without symbols, whose names are made from the addresses
awk 'BEGIN { print "heap profile: 400: 400 [ 400: 400] @ heapprofile"; for (i = 1; i <= 400; i++) printf " 1: 1 [ 1: 1] @ 0x%x 0x%x\n", 4096 * i, 4096 * i + 1 }' >"$tmp/many"
"$ttrace" traces -addresses -format=tsv "$tmp/many" >"$tmp/out" 2>"$tmp/err"
[ $? = 0 ] && [ "$(wc -l <"$tmp/out")" = 401 ] && [ "$(cut -f3 "$tmp/out" | sort -u | wc -l)" = 401 ]
ok $? "traces -format=tsv has a different name for each address without a symbol"
# The time of goroutines by class adds up to their total. The class waitgroup is the time with sync.(*WaitGroup).Wait in the
# stack.
classes() { # classes ARGS...: rows, rows whose classes are not their total or negative, ns in WaitGroup.Wait
	"$ttrace" goroutines -format=tsv "$@" | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "total_ns") total = i
			if ($i == "class_waitgroup_ns") group = i
			if ($i ~ /^class_/) of[i] }
		next }
		{ sum = wrong = 0; for (i in of) { sum += $i; wrong += $i < 0 }
		bad += wrong || sum != $total; waits += $group }
		END { printf "%d %d %.0f\n", NR - 1, bad, waits }'
}
for file in orders.trace stock.trace; do
	for args in -by=function -by=state -group=. '-group=. -from=20% -to=70%'; do
		read -r rows wrong waits <<<"$(classes $args $file)"
		[ "$rows" -gt 1 ] && [ "$wrong" = 0 ]
		ok $? "the classes of goroutines add up to their total: $args $file"
	done
done
read -r rows wrong waits <<<"$(classes -by=function orders.trace)"
[ "$waits" -gt 0 ] && [ "$("$ttrace" top -type=block -focus='^sync\.\(\*WaitGroup\)\.Wait$' -format=tsv orders.trace | awk -F'\t' 'NR > 1 { n += $3 } END { printf "%.0f\n", n }')" = "$waits" ]
ok $? "the class waitgroup is the time in sync.(*WaitGroup).Wait"
# goroutines -sort accepts each column, of groups and of goroutines, in both directions. The text has columns of waits and
# classes if it is sorted by one of them. JSON has the groups in the same order.
column() { # column N: print a column of the table on standard input, without the heading
	awk -F'\t' -v n="$1" 'NR > 1 { print $n }'
}
for args in -by=function -group=. '-group=. -from=20% -to=70%'; do
	"$ttrace" goroutines $args -format=tsv stock.trace >"$tmp/rows"
	wrong=
	at=0
	for key in $(head -1 "$tmp/rows"); do
		at=$((at + 1))
		case $key in
		id) order=-n up=1 ;;
		name) order= up=1 ;;
		*) order=-n up= ;;
		esac
		for sign in '' -; do
			"$ttrace" goroutines $args -sort="$sign$key" -format=tsv stock.trace >"$tmp/sorted"
			# rows without a value come last in both directions
			[ "$key" = name ] || column $at <"$tmp/sorted" | awk '$0 == "" { none = 1; next } none { exit 1 }' || wrong="$wrong $sign$key"
			[ "$up$sign" = 1 ] || [ "$up$sign" = - ] && r= || r=-r
			column $at <"$tmp/sorted" | grep . | LC_ALL=C sort -c $order $r 2>/dev/null || wrong="$wrong $sign$key"
			[ "$(sort "$tmp/sorted" | cksum)" = "$(sort "$tmp/rows" | cksum)" ] || wrong="$wrong rows:$sign$key"
		done
	done
	[ -z "$wrong" ]
	ok $? "goroutines $args -sort sorts by each column, wrong:$wrong"
done
"$ttrace" goroutines -sort=wait_p99 -format=tsv stock.trace | column 17 >"$tmp/rows"
"$ttrace" goroutines -sort=wait_p99 -format=json stock.trace | grep -o '{"name":"[^"]*","count"' | cut -d'"' -f4 >"$tmp/json"
"$ttrace" goroutines -sort=wait_p99 stock.trace >"$tmp/text"
cmp -s "$tmp/rows" "$tmp/json" && head -1 "$tmp/text" | grep -q 'Waits .*p50 .*p99 .*On CPU .*Runnable .*Start function' &&
	! "$ttrace" goroutines -sort=exec stock.trace | head -1 | grep -q 'Waits\|On CPU'
ok $? "goroutines -sort=wait_p99 has the same order in each format"
# Control characters of a file are escaped on a terminal.
if script -qc true /dev/null </dev/null >/dev/null 2>&1; then
	printf '\033[31mred profile: total 1\n1 @ 0x401001\n' >"$tmp/red"
	script -qc "'$ttrace' raw '$tmp/red'" /dev/null </dev/null >"$tmp/out"
	grep -q '\\x1b\[31mred' "$tmp/out" && ! grep -q "$(printf '\033\[31m')" "$tmp/out"
	ok $? "on a terminal, control characters are escaped"
fi
# In a pipe, text has unchanged names; -safe escapes them as on a terminal. Binary output is not changed.
printf '\033[31mred profile: total 1\n1 @ 0x401001\n' >"$tmp/red"
"$ttrace" raw "$tmp/red" >"$tmp/out"
grep -q "$(printf '^PeriodType: \033\[31mred')" "$tmp/out" && "$ttrace" raw -safe "$tmp/red" >"$tmp/out" &&
	grep -q '^PeriodType: \\x1b\[31mred' "$tmp/out" && "$ttrace" raw -safe -output "$tmp/safe" "$tmp/red" &&
	cmp -s "$tmp/safe" "$tmp/out" && "$ttrace" proto -safe "$tmp/red" >"$tmp/out" && gzip -t <"$tmp/out"
ok $? "names in a pipe are unchanged, or escaped with -safe"
# a function's name with its parentheses, as pasted from a report; and a name that is no expression for another reason
for name in '(*Digest).checkSum' 'sha256.(*Digest).check'; do
	"$ttrace" peek 'sha256\.\(\*Digest\)\.check' cpu.pb.gz >"$tmp/want"
	"$ttrace" peek "$name" cpu.pb.gz | cmp -s - "$tmp/want" &&
		"$ttrace" top -focus="$name" cpu.pb.gz | grep -q '(\*Digest).checkSum$' &&
		"$ttrace" list "$name" cpu.pb.gz 2>/dev/null | grep -q 'ROUTINE.*(\*Digest).checkSum' &&
		"$ttrace" view -ascii -size 100x30 -script "/$name<Enter>" cpu.pb.gz | grep -q '^>.*(\*Digest).checkSum'
	ok $? "the name $name is no expression and matches itself"
done
# a source that pprof does not find: below the folder of the profile, or by the end of its path
"$ttrace" list '(*Store).open' cpu.pb.gz | grep -q '^ .* 64:func (s \*Store) open(user string) string {$' &&
	"$ttrace" list '(*Store).open' -source_path=/nowhere cpu.pb.gz | grep -q 'Error: could not find file.* on path /nowhere$'
ok $? "list finds sources as the viewer does; with -source_path only below it"
printf 'main;vec::operator[] 3\nmain;b 1\n' >"$tmp/brackets"
"$ttrace" peek 'operator[' "$tmp/brackets" | grep -q 'vec::operator\[\]'
ok $? "an argument that is no expression and a part of a name matches that"
fails 2 peek '(' "$tmp/brackets"
# weblist of a mapping of which no code is read; with sanitizers this finds arithmetic on a null pointer
printf 'ls 9566 [001] 1.5:  10 cycles:\n\t401000 main+0x10 (/bin/ls)\n  main.c:12\n\t401100 start+0x0 (/bin/ls)\n\n' >"$tmp/nocode"
"$ttrace" weblist . "$tmp/nocode" >"$tmp/out" 2>"$tmp/err"
[ $? = 1 ] && [ "$(grep -cv 'libdw is missing' "$tmp/err")" = 1 ] && grep -q 'no matches found' "$tmp/err"
ok $? "weblist of a program of which no code is read"
# errors
fails 1 peek no.such.function cpu.pb.gz
fails 1 list no.such.function cpu.pb.gz
fails 2 top '-focus=(' cpu.pb.gz
fails 2 top -sample_index=nosuch cpu.pb.gz
fails 2 top -lines -files cpu.pb.gz
fails 2 top -divide_by=0 cpu.pb.gz
fails 2 top -base=leak-before.pb.gz -diff_base=leak-before.pb.gz leak-after.pb.gz
fails 1 top nosuch.pb.gz
plan
exit $bad
