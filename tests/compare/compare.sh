#!/bin/sh
# SPDX-License-Identifier: MIT
# Comparisons of two traces or ranges. Each program with a planted fault (tests/faults) has a twin without it: the first line
# of their comparison must name the function of the fault. A file compared with itself has no marked change, and neither have
# the two halves of a recording without phases.
. "${srcdir:-.}/tests/lib.sh"
faults=$top/tests/faults

# unchanged ARGUMENT...: the comparison must mark no change
unchanged() {
	run 0 findings -fail-on=problem "$@"
	head -1 "$tmp/out" | grep -q -e '^no change exceeds the spread' -e '^too few operations' ||
		fail "$*: $(head -1 "$tmp/out")"
	run 0 findings -format=json "$@"
	sed -n '/"changes"/,/^\]/p' "$tmp/out" >"$tmp/changes"
	grep -E '"change":"(worse|better|new|gone)"' "$tmp/changes" && fail "$*: a change is marked"
	grep -q '^"complete":true,$' "$tmp/changes" || fail "$*: not complete: $(head -5 "$tmp/changes")"
}

while IFS="$(printf '\t')" read -r rule guilty; do
	run 3 findings -fail-on=problem -diff_base="$faults/$rule.sound.trace.gz" "$faults/$rule.trace.gz"
	head -1 "$tmp/out" >"$tmp/first"
	if [ "$guilty" = - ]; then
		grep -q "new problem $rule" "$tmp/first" || fail "$rule: $(cat "$tmp/first")"
	else
		for one in $(echo "$guilty" | tr '|' ' '); do
			grep -F "$one" "$tmp/first"
		done | grep -q . || fail "$rule does not name $guilty: $(cat "$tmp/first")"
	fi
	unchanged -diff_base="$faults/$rule.trace.gz" "$faults/$rule.trace.gz"
done <"$faults/truth.tsv"

summaries="goroutines tasks operations syscalls regions gc stw mmu procs locks channels stops greedy leaks gctax"
f=$faults/lock-queue.trace.gz sound=$faults/lock-queue.sound.trace.gz
# with the sides exchanged the problem is gone, and the exit status is 0
run 0 findings -fail-on=problem -base="$f" "$sound"
grep -q 'gone problem lock-queue' "$tmp/out" || fail "sides swapped: $(head -1 "$tmp/out")"
# two runs print the same
run 0 findings -format=csv -diff_base="$sound" "$f"
cp "$tmp/out" "$tmp/before"
run 0 findings -format=csv -diff_base="$sound" "$f"
cmp -s "$tmp/before" "$tmp/out" || fail "two runs print different comparisons"
# -ignore leaves out known findings on both sides
echo 'lock-queue *' >"$tmp/known"
run 0 findings -ignore="$tmp/known" -diff_base="$sound" "$f"
grep -q 'problem lock-queue' "$tmp/out" && fail "-ignore does not leave out a finding: $(head -1 "$tmp/out")"

unchanged -diff_range=0%..50% -from=50% -to=100% "$faults/sleep.trace.gz"
run 0 findings -diff_range=10%..40% -from=60% "$faults/gomaxprocs.trace.gz"
head -1 "$tmp/out" | grep -q 'main\.throttle' ||
	fail "the comparison of two ranges does not name main.throttle: $(head -1 "$tmp/out")"
run 0 why -operation=fetch -rest "$faults/network.trace.gz"
head -1 "$tmp/out" | grep -q 'main\.(\*client)\.ask' ||
	fail "why -rest does not name the function of the slow operations: $(head -1 "$tmp/out")"

# Comparisons of reports: the row of the fault is marked "new" or "more". A file compared with itself has no marked row.
summary() { # summary TEXT ARGUMENT...: the report must have a line that matches TEXT
	summary_text=$1
	shift
	run 0 "$@"
	grep -qE "$summary_text" "$tmp/out" || fail "$*: no $summary_text" "$(cat "$tmp/out")"
}
summary '^more .* Total .*main\.' syscalls -diff_base="$faults/syscall.sound.trace.gz" "$faults/syscall.trace.gz"
summary '^new .* Total .*stack trace' stw -diff_base="$faults/stw.sound.trace.gz" "$faults/stw.trace.gz"
summary '^more .* Assists ' gc -diff_base="$faults/gc.sound.trace.gz" "$faults/gc.trace.gz"
summary '^less .* Utilization .*10.0ms' mmu -diff_base="$faults/gc.sound.trace.gz" "$faults/gc.trace.gz"
summary '^more .* p99 .*basket' tasks -diff_base="$faults/serial-calls.sound.trace.gz" "$faults/serial-calls.trace.gz"
summary '^more .* p99 .*fetch' operations -diff_base="$faults/network.sound.trace.gz" "$faults/network.trace.gz"
summary '^more .* Lock .*main\.' goroutines -diff_base="$sound" "$f"
for report in $summaries; do
	summary '^0 of ' $report -diff_base="$f" "$f"
	summary '^0 of ' $report -diff_range=0%..50% -from=50% "$faults/sleep.trace.gz"
	run 0 $report -format=csv -diff_base="$sound" "$f"
	head -1 "$tmp/out" | grep -q '^change,before,after,measure,unit,' || fail "$report: $(head -1 "$tmp/out")"
done
# a sum of a comparison is that of the report itself, divided by the seconds of the range
run 0 syscalls -format=csv -to=100ms "$f"
count=$(awk -F, 'NR > 1 {n += $1} END {print n}' "$tmp/out")
run 0 syscalls -format=csv -from=100ms -diff_range=0s..100ms "$f"
awk -F, -v n="$count" '$4 == "count" {sum += $2 / 10} END {exit !(n > 100 && sum > n - 1 && sum < n + 1)}' "$tmp/out" ||
	fail "system calls per second of the earlier range are not $count"

# a task counts in the range in which it ends, so the two halves of a trace have as many tasks as the trace
run 0 tasks -format=csv "$top/samples/orders.trace"
count=$(awk -F, 'NR > 1 {n += $2} END {print n}' "$tmp/out")
run 0 tasks -format=csv -diff_range=0%..50% -from=50% "$top/samples/orders.trace"
half=$("$TTRACE" info -format=tsv "$top/samples/orders.trace" | awk '$1 == "duration_ns" {print $2 / 2e9}')
awk -F, -v n="$count" -v half="$half" '$4 == "complete" {sum += ($2 + $3) * half} END {exit !(n > 100 && sum > n - 1 && sum < n + 1)}' \
	"$tmp/out" || fail "complete tasks of both halves are not $count"

# the call tree of a comparison of two ranges of equal length is the difference of their call trees
folded() { # folded OPTION...
	run 0 folded -type=sync "$@" "$top/samples/orders.trace"
	cat "$tmp/out"
}
length=$("$TTRACE" info -format=tsv "$top/samples/orders.trace" | awk '$1 == "duration_ns" {print $2}')
half=$((length / 2))
folded -from="${half}ns" -to="$((2 * half))ns" >"$tmp/later"
folded -from=0ns -to="${half}ns" >"$tmp/earlier"
awk '{n = $NF; sub(/ [^ ]*$/, ""); sum[$0] += NR == FNR ? -n : n} END {for (s in sum) if (sum[s]) print s, sum[s]}' \
	"$tmp/earlier" "$tmp/later" | sort >"$tmp/expected"
folded -from="${half}ns" -to="$((2 * half))ns" -diff_range="0ns..${half}ns" | sort >"$tmp/difference"
[ -s "$tmp/expected" ] || fail "no difference between the halves of orders.trace"
cmp -s "$tmp/expected" "$tmp/difference" ||
	fail "the comparison of two ranges is not the difference of their call trees: $(diff "$tmp/expected" "$tmp/difference" | head -3)"
# the values of an earlier range of twice the length are divided by two
total() { # total OPTION...: the total on which the percentages are based, in ms
	run 0 top -type=run -unit=ms "$@" "$top/samples/orders.trace"
	sed -n 's/^Showing.* of \([0-9.]*\)ms total$/\1/p' "$tmp/out"
}
whole=$(total -from=0ns -to="$((2 * half))ns")
scaled=$(total -from=0ns -to="${half}ns" -diff_range="0ns..$((2 * half))ns")
awk -v a="$whole" -v b="$scaled" 'BEGIN {exit !(a > 1 && b > a / 2 - .1 && b < a / 2 + .1)}' ||
	fail "an earlier range of twice the length is not scaled by half: $whole ms, scaled $scaled ms"

refuses 2 'FROM..TO' top -diff_range=1s "$f"
refuses 2 'cannot be used together' top -diff_range=0%..10% -rest -group=main "$f"
refuses 2 'applies only to traces' top -diff_range=0%..10% "$top/samples/cpu.pb.gz"
refuses 2 'FROM..TO' findings -diff_range=1s "$f"
refuses 2 'FROM..TO' findings -diff_range=50%..10% "$f"
refuses 2 'cannot be used together' findings -diff_range=0%..10% -diff_base="$sound" "$f"
refuses 2 'one trace only' findings -base="$sound" -diff_base="$sound" "$f"
refuses 2 'select by name' findings -goroutine=1 -diff_base="$sound" "$f"
refuses 2 'requires -operation' why -rest -group=main "$f"
refuses 1 "the base, nowhere" findings -diff_base=nowhere "$f"
refuses 1 "the base, .*cpu.pb.gz" gc -diff_base="$top/samples/cpu.pb.gz" "$f"
exit $bad
