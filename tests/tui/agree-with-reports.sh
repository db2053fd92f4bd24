#!/bin/sh
# SPDX-License-Identifier: MIT
# The viewer and the reports show the same counts, sums and quantiles of tasks, regions, goroutines, stops of the world
# and system calls. Reports print whole nanoseconds; this script formats them as the viewer does, and compares.
. "${srcdir:-.}/tests/lib.sh"
trace=${1:-$trace}

cat >"$tmp/ns.awk" <<'END'
function scaled(v, unit) { return sprintf("%.*f%s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, unit) }
function ns(v) {	# as text_ns()
	if (v == 0) return "."
	if (v < 1e3) return v "ns"
	if (v < 999.5e3) return scaled(v / 1e3, "us")
	if (v < 999.5e6) return scaled(v / 1e6, "ms")
	return scaled(v / 1e9, "s")
}
END
words() { # words PROGRAM: run an awk program that can call ns() on lines of cells separated by tabs
	awk -F'\t' "$(cat "$tmp/ns.awk") $1"
}
tsv() { # tsv REPORT...: the rows of a report without the heading
	"$TTRACE" "$@" -format=tsv "$trace" 2>/dev/null | tail -n +2
}
screen() { # screen SIZE KEYS
	"$TTRACE" view -script "$2" -size "$1" "$trace"
}
numbers() { tr -d ',>·' | sed 's/│.*//' | awk "$1"; }	# run an awk program on a screen without cursor and commas

# the totals of call trees whose nodes are not those of the store
for type in critical 'critical -task=checkout' 'critical -region=db.query' 'sync -blame=chain -task=checkout'; do
	# shellcheck disable=SC2086
	"$TTRACE" top -type=$type -unit=ns "$trace" | sed -n 's/.* of \([0-9]*\)ns total.*/\1/p' | words '{ print ns($1) }' >"$tmp/report"
	# shellcheck disable=SC2086
	"$TTRACE" view -type=$type -script 1 -size 120x40 "$trace" | sed -n '2s/^[a-z]* \([^ ,]*\)[ ,].*/\1/p' >"$tmp/view"
	[ -s "$tmp/view" ] && cmp "$tmp/report" "$tmp/view" || fail "total of $type"
done

# W in a call tree of critical paths opens the operation that has most time in the selected function or frame. The oracle
# is the report `why` on each operation "search". The selected frame is the class of time at the root of the flame graph.
kind='-operation=^search$' function='orders/internal/db.(*Pool).Query'
exact=$(printf %s "$function" | sed 's/[][().*+?{}|^$]/\\&/g')
root=$(printf %0100d 0 | tr 0 k)h	# keys that select the root of the flame graph, then the class to its left
shown() { # shown KEYS: the number of the operation in the pane `why`
	"$TTRACE" view -type=critical "$kind" -script "$1" -size 120x40 "$trace" | sed -n '2s/^search #\([0-9]*\) .*/\1/p'
}
if command -v jq >/dev/null; then
	"$TTRACE" operations "$kind" -format=json "$trace" | jq '.kinds[].operations[].id' >"$tmp/ids"
	class=$("$TTRACE" view -type=critical "$kind" -script "4$root" -size 120x40 "$trace" | sed -n '39s/ .*//p')
	while read -r id; do
		"$TTRACE" why -task="$id" -format=json "$trace" | jq -r --arg class "$class" --arg f "$function" --argjson id "$id" '
			[([.parts[] | select(.stack | index($f)) | .ns] | add), .classes[$class], $id] | map(. // 0) | @tsv'
	done <"$tmp/ids" >"$tmp/parts"
	function_in=$(sort -k1,1n "$tmp/parts" | tail -n 1 | cut -f3) class_in=$(sort -k2,2n "$tmp/parts" | tail -n 1 | cut -f3)
	[ "$(grep -c . "$tmp/parts")" -gt 50 ] && [ "$function_in" != "$class_in" ] ||
		fail "the function and the class do not select different operations: $(head -n 3 "$tmp/parts")"
	for keys in "1/$exact<Enter>W" "4/$exact<Enter>pW" "3:peek $exact<Enter>W"; do
		[ "$(shown "$keys")" = "$function_in" ] || fail "$keys opens operation $(shown "$keys") instead of $function_in"
	done
	[ "$(shown "4${root}W")" = "$class_in" ] || fail "W on $class opens operation $(shown "4${root}W") instead of $class_in"
fi

# kinds of tasks and of regions: count, median, 99th percentile, maximum. Names with blanks are not compared.
for what in tasks regions; do
	[ $what = tasks ] && size=90x200 keys=7 name=7 p50=3 shown='$3, $4, $7' ||
		size=70x200 keys='7]' name=7 p50=3 shown='$3, $5, $6'
	tsv $what | words "\$$name != \"\" && \$$name !~ /[ ]/ { print \$$name, \$1, ns(\$$p50), ns(\$($p50 + 2)), ns(\$($p50 + 3)) }" |
		sort >"$tmp/report"
	screen $size "$keys" | numbers "NR > 3 && NF >= 6 && \$2 ~ /^[0-9]+\$/ { print \$1, \$2, $shown }" | sort >"$tmp/view"
	[ -s "$tmp/report" ] && [ "$(grep -c . "$tmp/view")" -ge "$(grep -c . "$tmp/report")" ] || fail "no $what to compare"
	grep -vxFf "$tmp/view" "$tmp/report" >"$tmp/lacks" &&
		fail "the pane lacks these $what of the report:" "$(head -n 3 "$tmp/lacks")"
done

# operations: median and 99th percentile, in the report and in the comparison of the trace with itself
tsv operations | words '{ print $(NF - 2) ",p50,," $3 "," $3; print $(NF - 2) ",p99,," $5 "," $5 }' | sort >"$tmp/report"
"$TTRACE" findings -format=csv -diff_base="$trace" "$trace" | sed -n 's/^same,\([^ ]*,p[59][09],,[0-9]*,[0-9]*\),.*/\1/p' | sort >"$tmp/compared"
[ "$(grep -c . "$tmp/compared")" -ge 8 ] || fail "no operations to compare: $(cat "$tmp/compared")"
grep -vxFf "$tmp/report" "$tmp/compared" >"$tmp/lacks" && fail "the comparison has other quantiles than the report:" "$(cat "$tmp/lacks")"

# groups of goroutines: count, running, runnable, in system calls, blocked
tsv goroutines | words '$17 !~ /[ (]/ { print $1, ns($3), ns($4), ns($5 + $6), ns($7) }' | sort >"$tmp/report"
screen 100x200 6 | numbers 'NR > 3 && $1 ~ /^[0-9]+$/ && NF >= 6 { print $1, $2, $3, $4, $5 }' | sort >"$tmp/view"
[ -s "$tmp/report" ] || fail "no goroutines to compare"
grep -vxFf "$tmp/view" "$tmp/report" >"$tmp/lacks" &&
	fail "the pane lacks these groups of the report:" "$(head -n 3 "$tmp/lacks")"

# groups of goroutines: their longest single waits, and their time by class
tsv goroutines | words '$17 !~ /[ (]/ { print $1, ns($19 + 0), ns($20 + 0), ns($28), ns($23), ns($24), ns($25), ns($29), ns($31), ns($27), ns($26) }' |
	sort >"$tmp/report"
screen 119x200 '6:columns waits<Enter>:sort name<Enter>' |
	numbers 'NR > 3 && $1 ~ /^[0-9]+$/ && NF >= 12 { print $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 }' | sort >"$tmp/view"
[ "$(grep -c . "$tmp/report")" -gt 10 ] || fail "no goroutines to compare by class"
grep -vxFf "$tmp/view" "$tmp/report" >"$tmp/lacks" &&
	fail "the pane lacks these times by class of the report:" "$(head -n 3 "$tmp/lacks")"

# gR in the list of functions shows the goroutines that ran the selected function, also in a part of the trace
for part in '' '-from=30% -to=60%'; do
	# shellcheck disable=SC2086
	n=$(tsv goroutines -ran='^orders/internal/cart\.\(\*Desk\)\.price$' $part | grep -c .)
	# shellcheck disable=SC2086
	"$TTRACE" view $part -type=time -script '1:goto-fun cart.*price$<Enter>gR' -size 100x30 "$trace" >"$tmp/view"
	[ "$n" -gt 1 ] && grep -q "^$n goroutines in 1 group" "$tmp/view" && grep -q "^$n goroutines ran " "$tmp/view" ||
		fail "gR does not show the $n goroutines that ran price $part:" "$(head -n 2 "$tmp/view")"
done

# quantiles of the lifetimes of the goroutines of the first group, and of their waits for a P
at() { # at FILE: median, 95th and 99th percentile, maximum of its numbers
	sort -n "$1" | words '{ v[NR - 1] = $1 } function at(q) { i = int(q * NR); return ns(v[i < NR ? i : NR - 1]) }
		END { print at(.5), at(.95), at(.99), at(1) }'
}
group=$(tsv goroutines | awk -F'\t' 'NR == 1 { print $17 }')
exact="^$(printf %s "$group" | sed 's/[][().*+?{}|^$]/\\&/g')\$"
tsv goroutines -group="$exact" | cut -f2 >"$tmp/lives"
same "lives of $group" "$(screen 100x60 "6<Home>" | sed -n 's/.*lifetime *//p' | awk '{ print $1, $2, $3, $4 }')" "$(at "$tmp/lives")"
tsv goroutines -group="$exact" | cut -f1 | while read -r id; do
	tsv goroutine "$id" | awk -F'\t' '$3 == "runnable" { print $2 }'
done >"$tmp/waits"
same "waits to run of $group" "$(screen 100x60 "6<Home>" | sed -n 's/.*wait for a P  *\([0-9]\)/\1/p' | awk '{ print $1, $2, $3, $4 }')" \
	"$(at "$tmp/waits")"

# stops of the world: count, median, 99th percentile, maximum
tsv stw | cut -f2 >"$tmp/stops"
same "stops" "$(screen 120x40 8 | sed -n 's/^ *\([0-9]*\) stops* *p50 \([^ ]*\) *p99 \([^ ]*\) *max \([^ ]*\).*/\1 \2 \3 \4/p')" \
	"$(grep -c . "$tmp/stops") $(at "$tmp/stops" | cut -d' ' -f1,3,4)"

# stops, GC cycles, sums of stops, and intervals of a goroutine, in several orders
for keys in '8]> -sort=duration' '8]>i -sort=-duration' '8]>>i -sort=-kind'; do
	tsv stw "${keys#* }" | cut -f2 | words '{ print ns($1) }' >"$tmp/report"
	screen 120x120 "${keys% *}" | sed 's/^>/ /' | awk '$1 ~ /^[0-9.]+s$/ && $2 ~ /s$/ { print $2 }' | head -n "$(grep -c . "$tmp/stops")" >"$tmp/view"
	cmp "$tmp/report" "$tmp/view" || fail "stops differ between report and pane, $keys"
done
for keys in '8 ' '8>> -sort=mark' '8>>>i -sort=-stw'; do	# cycles: number, mark phase, stops
	# shellcheck disable=SC2086
	tsv gc ${keys#* } | words '{ print $1, ns($3), ns($6) }' >"$tmp/report"
	screen 120x120 "${keys% *}" | sed 's/^>/ /' | awk '$1 ~ /^[0-9]+$/ && $3 ~ /s$/ { print $1, $3, $4 }' |
		head -n "$(grep -c . "$tmp/report")" >"$tmp/view"
	cmp "$tmp/report" "$tmp/view" || fail "GC cycles differ between report and pane, $keys"
done
for keys in '8grj<Enter> -by=kind' '8grjj<Enter> -by=caller' '8grjj<Enter>i -by=caller -sort=-total' '8grj<Enter>> -by=kind -sort=max'; do
	# shellcheck disable=SC2086
	tsv stw ${keys#* } | words '{ print $1, ns($2), ns($3), ns($4) }' >"$tmp/report"
	screen 120x120 "${keys%% *}" | sed 's/^>/ /' | awk '$1 ~ /^[0-9]+$/ && $4 ~ /^[0-9].*s$/ { print $1, $2, $3, $4 }' |
		head -n "$(grep -c . "$tmp/report")" >"$tmp/view"
	cmp "$tmp/report" "$tmp/view" || fail "sums of stops differ between report and pane, $keys"
done
id=$(screen 80x24 '6<Enter><Enter>' | sed -n '2s/.* > G\([0-9]*\) .*/\1/p')
for keys in '> -sort=duration' '>i -sort=-duration' 'i -sort=-start'; do
	tsv goroutine "$id" "${keys#* }" | words '{ print ns($2) }' | head -n 50 >"$tmp/report"
	screen 80x120 "6<Enter><Enter>${keys% *}<Home>" | sed 's/^>/ /' | awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9.]+s$/ { print $3 }' | head -n 50 >"$tmp/view"
	cmp "$tmp/report" "$tmp/view" || fail "intervals of a goroutine differ between report and pane, $keys"
done

# system calls: the sum of the report is the total of the sample type syscall
total=$(tsv syscalls | words '{ s += $2 } END { print ns(s) }')
same "system calls" "$(screen 120x30 '1:type syscall<Enter>' | sed -n "2s/^syscall \([^ ]*\) .*/\1/p")" "$total"
exit $bad
