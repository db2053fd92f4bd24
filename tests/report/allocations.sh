#!/bin/sh
# SPDX-License-Identifier: MIT
# What goroutines allocate, in a trace of a program that allocates known amounts (tests/allocations): by function, by goroutine
# and by operation; the parts of the time add up to the whole, and estimates are marked.
. "${srcdir:-.}/tests/lib.sh"
known=$top/tests/allocations/known

# near NAME IS WANTED PERCENT
near() {
	[ -n "$2" ] && [ $((($2 - $3) * 100)) -le $(($3 * $4)) ] && [ $((($3 - $2) * 100)) -le $(($3 * $4)) ] ||
		fail "$1 allocates $2 bytes, not $3"
}
# bytes FUNCTION OPTIONS...: print what a function and those that it calls allocate
bytes() {
	name=$1
	shift
	"$TTRACE" top -type=alloc -nodecount=0 -nodefraction=0 -format=json "$@" "$known.trace.gz" 2>"$tmp/notice" |
		sed -n "s/^.*\"name\":\"$name\".*\"cum_bytes\":\([0-9]*\).*/\1/p"
}
while read -r name wanted; do
	near "$name" "$(bytes "$name")" "$wanted" 10
done <"$known.tsv"
near main.large "$(bytes main.large)" 8519680 1
grep -q '^ttrace: Approximate: the stacks' "$tmp/notice" || fail "no notice: $(cat "$tmp/notice")"

whole=$(bytes main.both)
parts=$(($(bytes main.both -to=40%) + $(bytes main.both -from=40%)))
[ "$whole" -eq "$parts" ] || fail "parts of the time have $parts bytes, the whole $whole"

# the same bytes by goroutine and by operation
column() {
	awk -F, -v want="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == want) at = i; if ($i == "name") is = i } }
		NR > 1 && $is == name { print $at }' "$tmp/out"
}
run 0 goroutines -format=csv "$known.trace.gz"
all=$(column alloc_bytes 'sync.(*WaitGroup).Go.func1')
near 'the group' "$all" $((8519680 + 4000 * 1024 + 300 * 21504)) 5
[ "$all" -eq "$(bytes 'sync.(\*WaitGroup).Go.func1')" ] || fail "goroutines and type alloc differ: $all"
run 0 operations -format=csv "$known.trace.gz"
kinds=0
for name in main.allLarge main.allSmall main.both; do
	kinds=$((kinds + $(column alloc_bytes "$name")))
done
near 'the kinds' "$kinds" "$all" 1
run 0 goroutines -sort=alloc_bytes "$known.trace.gz"
head -1 "$tmp/out" | grep -q 'Alloc  *Alloc/s' || fail "no columns: $(head -1 "$tmp/out")"

# a difference to itself is nothing
run 0 top -type=alloc -diff_base="$known.trace.gz" "$known.trace.gz"
grep -q 'of 0 total\|Showing nodes accounting for 0' "$tmp/out" || fail "difference: $(head -5 "$tmp/out")"
exit $bad
