#!/bin/sh
# SPDX-License-Identifier: MIT
# Output for other programs. Each table has the same rows as TSV, CSV and JSON. The speedscope file has the total of the
# profile. Drawings are valid XML with any names of functions. :w of the viewer writes what the command line prints.
. "${srcdir:-.}/tests/lib.sh"
cd "$tmp" || exit 1
have_python && valid=python || valid=

# each table in each format
table() { # table FILE REPORT...: compare the formats of a report
	file=$1
	shift
	for f in tsv csv json; do
		"$TTRACE" "$@" -format=$f "$file" >out.$f 2>err || fail "$* -format=$f: $(cat err)"
	done
	n=$(($(wc -l <out.tsv) - 1))
	[ "$n" -gt 0 ] && [ "$(wc -l <out.csv)" = $((n + 1)) ] || fail "$*: $n rows of tsv, $(wc -l <out.csv) lines of csv"
	[ "$(head -n 1 out.tsv | tr '\t' ,)" = "$(head -n 1 out.csv)" ] || fail "$*: CSV has other columns than TSV"
	awk -F '\t' 'NR == 1 { n = NF } NF != n { exit 1 }' out.tsv ||
		fail "$*: the rows of TSV have different numbers of cells"
	if grep -q '^"rows":\[' out.json; then
		[ "$(grep -c '^{"' out.json)" = "$n" ] || fail "$*: $n rows of tsv, $(grep -c '^{"' out.json) of JSON"
		# the keys of the first row are the columns
		[ "$(grep -m 1 '^{"' out.json | grep -oE '"[a-z0-9_]+":' | tr -d '":\n')" = "$(head -n 1 out.tsv | tr -d '\t')" ] ||
			fail "$*: JSON has other keys than TSV has columns: $(grep -m 1 '^{"' out.json)"
	fi
	[ -z "$valid" ] || python -c 'import json, sys; json.load(sys.stdin)' <out.json || fail "$*: the JSON is not valid"
}
table "$cpu" top
table "$cpu" tree
table "$cpu" peek json
table "$cpu" list render -source_path="$samples"
table "$cpu" traces
table "$cpu" tags
for r in 'events -to=2%' footprint gc stw syscalls stats goroutines tasks regions procs mmu 'goroutine 1' why; do
	# shellcheck disable=SC2086
	table "$trace" $r
done
# a report that is not a table refuses -format=json with an error
for r in raw comments dot callgrind folded flame proto; do
	"$TTRACE" $r -format=json "$cpu" >out 2>err && fail "$r -format=json succeeds"
	[ ! -s out ] && grep -q 'not a table' err || fail "$r -format=json: $(cat err)"
done
"$TTRACE" wire -format=json "$trace" >out 2>err && fail "wire -format=json succeeds"

# a function whose name is ma, a byte 0, in, a newline, evil
printf '\012\004\010\001\020\002\022\006\012\001\001\022\001\005\042\010\010\001\042\004\010\001\020\003\052\004\010\001\020\003\062\000\062\007\163\141\155\160\154\145\163\062\005\143\157\165\156\164\062\017\155\141\000\151\156\012\145\166\151\154\073\170\040\071\071' >nul.pb
[ "$("$TTRACE" folded nul.pb | wc -l)" -eq 1 ] || fail 'folded: a newline after a byte 0 ends the line'
# the total of speedscope is that of the profile
"$TTRACE" folded "$cpu" | awk '{ s += $NF } END { printf "%.0f\n", s }' >sum
"$TTRACE" speedscope -sample_index=cpu "$cpu" >s.json || fail "speedscope"
[ "$(grep -o '"endValue":[0-9]*' s.json)" = "\"endValue\":$(cat sum)" ] ||
	fail "the total of speedscope is $(grep -o '"endValue":[0-9]*' s.json), not $(cat sum)"
[ "$(grep -o '"weights":\[[^]]*' s.json | sed 's/.*\[//' | tr , '\n' | awk '{ s += $1 } END { printf "%.0f\n", s }')" = "$(cat sum)" ] ||
	fail "the weights of speedscope do not add up to its total"
[ "$(grep -c '"type":"sampled"' s.json)" = 1 ] ||
	fail "speedscope -sample_index=cpu: the number of sample types is $(grep -c '"type":"sampled"' s.json)"
"$TTRACE" speedscope "$cpu" >s.json
[ "$(grep -o '"type":"sampled"' s.json | wc -l)" = 2 ] && grep -q '"activeProfileIndex":1' s.json ||
	fail "speedscope does not have all sample types, or not the default one selected"
"$TTRACE" speedscope -focus=json "$cpu" >s.json
"$TTRACE" folded -focus=json "$cpu" | awk '{ s += $NF } END { printf "%.0f\n", s }' >sum
grep -q "\"endValue\":$(cat sum)," s.json || fail "speedscope does not apply -focus"
"$TTRACE" speedscope -type=sched "$trace" | grep -q '"unit":"nanoseconds"' || fail "speedscope of a trace has no nanoseconds"

# names of functions with any characters are escaped
printf 'a<b>&"c'\''d;]]>;--><!--;<![CDATA[ 3\na<b>&"c'\''d;\033[31m;\357\277\276\357\277\277;\377\376\355\240\200;\342\200\256 4\n,",\\u0041;"" 5\n' >names
for r in flame speedscope 'top -format=json' 'top -format=csv' 'traces -format=json' dot; do
	# shellcheck disable=SC2086
	"$TTRACE" $r names >out 2>err || fail "$r of odd names fails: $(cat err)"
	case $r in
	dot | *csv) continue ;;
	flame) check='import xml.dom.minidom as m, sys; d = m.parse(sys.stdin.buffer); assert len(d.getElementsByTagName("title")) == 11' ;;
	*) check='import json, sys; json.load(sys.stdin)' ;;
	esac
	if [ -n "$valid" ]; then
		python -c "$check" <out || fail "$r of odd names is not valid"
	elif [ "$r" = flame ] && have xmllint; then
		xmllint --noout out || fail "the drawing of odd names is not valid"
	fi
done
"$TTRACE" flame names >out
grep -q "$(printf '\033')" out && fail "a control character in the drawing"
grep -oE '(https?|ftp|data):[^"<]*' out | grep -v '^http://www.w3.org/2000/svg$' && fail "the drawing refers to another place"

# :w writes the contents of the pane, in the format that the end of the name selects, as the command line prints them
w() { # w KEYS NAME FILE REPORT...: KEYS and :w NAME in the viewer on FILE write what the report prints
	keys=$1 name=$2 file=$3
	shift 3
	rm -f "$name"
	"$TTRACE" view -script "$keys:w $name<Enter>" "$file" >out 2>err || fail "$keys:w $name: $(cat err)"
	"$TTRACE" "$@" "$file" >want 2>err || fail "$*: $(cat err)"
	cmp -s "$name" want || fail "$keys:w $name does not write what $* prints: $(tail -n 2 out | head -n 1)"
}
w ':focus=json<Enter>' a.folded "$cpu" folded -focus=json
w ':ignore=json<Enter>:sample_index=samples<Enter>' a.pb.gz "$cpu" proto -ignore=json -sample_index=samples
w '4' a.svg "$cpu" flame
w '' a.dot "$cpu" dot
w '' a.callgrind "$cpu" callgrind
w '' a.speedscope.json "$cpu" speedscope -sample_index=cpu
w ':lines<Enter>' a.txt "$cpu" top -lines -nodefraction=0
w ':hide=^runtime<Enter>' a.csv "$cpu" top '-hide=^runtime' -nodefraction=0 -format=csv
w '' a.json "$samples/leak-after.pb.gz" top -nodefraction=0 -format=json
w ":diff $samples/leak-before.pb.gz<Enter>" d.tsv "$samples/leak-after.pb.gz" \
	top -diff_base="$samples/leak-before.pb.gz" -nodefraction=0 -format=tsv
w ':t 1s..1.2s<Enter>:sched<Enter>1' t.csv "$trace" top -type=sched -from=1s -to=1.2s -nodefraction=0 -format=csv
w ':t 1s..1.2s<Enter>6' g.json "$trace" goroutines -from=1s -to=1.2s -format=json
w '8]' s.tsv "$trace" stw -format=tsv
w '8]>' longest.tsv "$trace" stw -sort=duration -format=tsv
w '8' c.tsv "$trace" gc -format=tsv
w '8:sort stw<Enter>i' cycles.tsv "$trace" gc -sort=-stw -format=tsv
w '8:sort heap_before<Enter>' heap.json "$trace" gc -sort=heap_before -format=json
w '8:group-by kind<Enter><Enter>' kind.tsv "$trace" stw -name='GC sweep termination' -format=tsv
w '8:group-by caller<Enter>j<Enter>>' caller.tsv "$trace" stw -by=caller \
	-name="$("$TTRACE" stw -by=caller -format=tsv "$trace" | sed -n 3p | cut -f5)" -sort=duration -format=tsv
[ "$(wc -l <caller.tsv)" -lt "$(wc -l <s.tsv)" ] || fail ":w of the stops of a caller writes other stops"
w '7' operations.tsv "$trace" operations -sort=total -format=tsv
w '7:sort select<Enter>i' kinds.tsv "$trace" operations -sort=-select -format=tsv
w '7:sort name<Enter>' names.csv "$trace" operations -sort=name -format=csv
w '7/checkout<Enter><Enter>:>10ms<Enter>' slow.csv "$trace" operations -name=checkout -sort=duration '-latency=>10ms' -format=csv
w '7/checkout<Enter><Enter>:complete<Enter>:sort id<Enter>' whole.csv "$trace" operations -name=checkout -sort=operation -complete -format=csv
[ "$(wc -l <slow.csv)" -lt "$(wc -l <whole.csv)" ] || fail ":w of the slow operations of a kind writes others"
w '8grjj<Enter><lt>i' sums.tsv "$trace" stw -by=caller -sort=-count -format=tsv
"$TTRACE" view -script '6<Enter><Enter>:w one.csv<Enter>' "$trace" >out && head -n 1 one.csv | grep -q '^start_ns' ||
	fail ":w of the page of a goroutine: $(cat out)"
# :w replaces an existing file only after y or with :w!
echo mine >a.csv
"$TTRACE" view -script ':w a.csv<Enter>' "$cpu" | grep -q 'a.csv exists: y replaces it' ||
	fail ":w does not report that the file exists"
[ "$(cat a.csv)" = mine ] || fail ":w replaces a file"
"$TTRACE" view -script ':w a.csv<Enter>n' "$cpu" | grep -q 'the file was kept' ||
	fail "n does not report that the file was kept"
[ "$(cat a.csv)" = mine ] || fail ":w and n replace a file"
"$TTRACE" view -script ':w a.csv<Enter>y' "$cpu" >out
head -n 1 a.csv | grep -q '^name,' || fail ":w and y do not replace the file: $(tail -n 2 out)"
# P shows the name of the file before it writes; :screen and reports with > ask before they replace a file
"$TTRACE" view -script 'P' "$cpu" | tail -n 1 | grep -q '^:screen ttrace-1.txt' || fail "P does not show the name"
[ ! -e ttrace-1.txt ] || fail "P writes before Enter"
"$TTRACE" view -script 'P<Enter>' "$cpu" | grep -q 'screen written to ttrace-1.txt' && grep -q '^cpu.pb.gz' ttrace-1.txt || fail "P and Enter write no screen"
"$TTRACE" view -script 'P' "$cpu" | tail -n 1 | grep -q '^:screen ttrace-2.txt' || fail "P offers a name that is taken"
for keys in ':screen kept<Enter>' ':raw > kept<Enter>' ':raw<Enter>:tree > kept<Enter>' ':list . > kept<Enter>'; do
	echo mine >kept
	"$TTRACE" view -script "$keys" "$cpu" | grep -q 'kept exists: y replaces it' || fail "$keys does not ask"
	"$TTRACE" view -script "${keys}q" "$cpu" >out
	[ "$(cat kept)" = mine ] || fail "$keys replaces a file"
	"$TTRACE" view -script "${keys}y" "$cpu" >out
	[ "$(cat kept)" = mine ] && fail "$keys and y do not replace the file: $(tail -n 2 out)"
done
[ "$(find . -name '*.??????' -newer a.csv | wc -l)" = 0 ] || fail "temporary files are left: $(ls)"
echo mine >a.csv
"$TTRACE" view -script ':w! a.csv<Enter>' "$cpu" >out
head -n 1 a.csv | grep -q '^name,' || fail ":w! does not replace the file: $(tail -n 2 out)"
"$TTRACE" view -script ':w x/y.csv<Enter>' "$cpu" | grep -q 'cannot write x/y.csv' ||
	fail ":w into a folder that does not exist shows no error"
cp "$cpu" own.pb.gz
# a report in the viewer shows the data that were read, even if the file was replaced since then
"$TTRACE" view -script ':focus=json<Enter>:w! own.pb.gz<Enter>:focus=<Enter>:w own.folded<Enter>:folded > own2.folded<Enter>' own.pb.gz >out
cmp -s own.pb.gz "$cpu" && fail "own.pb.gz was not written: $(tail -n 2 out)"
"$TTRACE" folded "$cpu" >want.folded
cmp -s own.folded want.folded && cmp -s own2.folded want.folded || fail "reports read the replaced file: $(tail -n 2 out)"
for what in traces tags raw; do
	"$TTRACE" view -script ":$what > in.$what<Enter>" - <"$cpu" >out
	"$TTRACE" $what "$cpu" | cmp -s - in.$what || fail ":$what of standard input differs: $(tail -n 2 out)"
done
for what in goroutines stats events; do
	"$TTRACE" view -script ":report $what > in.$what<Enter>" - <"$trace" >out
	"$TTRACE" $what "$trace" | cmp -s - in.$what ||
		fail ":report $what of a trace on standard input differs: $(tail -n 2 out)"
done
# :diff @NAME compares with a saved filter: each side has its own filter
"$TTRACE" proto -focus=sha256 -output=a1.pb.gz "$cpu" && "$TTRACE" proto -focus=gcBgMarkWorker -output=b1.pb.gz "$cpu"
keys=':focus=gcBgMarkWorker<Enter>:save gc<Enter>:focus=sha256<Enter>:diff @gc<Enter>'
"$TTRACE" view -script "$keys:report top > saved.top<Enter>" "$cpu" >out
"$TTRACE" top -compact_labels -nodecount=10 -diff_base=b1.pb.gz a1.pb.gz | cmp -s - saved.top ||
	fail ":diff @NAME differs from the comparison of two filtered files: $(tail -n 2 out)"
"$TTRACE" view -size 100x24 -script "${keys}uu" "$cpu" | grep -q '| focus=sha256' || fail "u does not undo :diff @NAME"
"$TTRACE" view -size 100x24 -script ':diff @nosuch<Enter>' "$cpu" | grep -q 'saved as nosuch' ||
	fail ":diff @NAME of an unknown name shows no error"
mkfifo pipe		# it can be read only once
cat "$trace" >pipe &
"$TTRACE" view -script ':traces > own.traces<Enter>:wire > own.wire<Enter>' pipe >out
"$TTRACE" traces "$trace" | cmp -s - own.traces || fail ":traces of a pipe differs: $(tail -n 2 out)"
"$TTRACE" wire "$trace" | cmp -s - own.wire || fail ":wire of a pipe differs: $(tail -n 2 out)"
cat "$trace" >pipe &
"$TTRACE" view -script ':fetch<Enter>' pipe | grep -q 'pipe cannot be read a second time' || fail "a pipe is read again"
TTRACESECURE=1 "$TTRACE" view -script ':raw<Enter>:tree > new.txt<Enter>' "$cpu" | grep -q TTRACESECURE && [ ! -e new.txt ] ||
	fail "a report is written although TTRACESECURE is set"
TTRACESECURE=1 "$TTRACE" view -script ':w new.csv<Enter>' "$cpu" | grep -q TTRACESECURE && [ ! -e new.csv ] ||
	fail ":w writes although TTRACESECURE is set"
"$TTRACE" view -script ':w in.folded<Enter>' - <"$cpu" >out && "$TTRACE" folded "$cpu" | cmp -s - in.folded ||
	fail ":w of standard input differs: $(tail -n 2 out)"
exit $bad
