#!/bin/sh
# SPDX-License-Identifier: MIT
# Keys in panes on traces that no screen of tests/screens covers: comparison with the rest, search through groups, links of a
# group, starts of Ps. Numbers are compared with reports. Also, a trace whose program did not stop it is not damaged.
. "${srcdir:-.}/tests/lib.sh"
look='-ascii -size 150x40'

# D compares a group with all other goroutines, and the selected tasks with the other tasks; -rest of reports does the same
after "$trace" 6D '[4Flame]' 'A - B' 'against=the rest' 'the mean of a goroutine,' 'others:'
after "$trace" 6DD 'A only'
after "$trace" 6DDD 'B only'
after "$trace" 6DR 'filters removed'
after "$trace" '7/checkout<Enter><Enter>jjD' '[4Flame]' 'latency=' 'the mean of a task'
after "$trace" '7]/ask snail<Enter><Enter>D' 'the mean of a region'
after "$trace" '7:>1ms<Enter>4' 'latency=1.00ms..'
after "$trace" '7]4' '[4Flame]' '@0x'
after "$trace" '6D~' 'A is always what was selected'
after "$trace" 'l:t 0.8s..0.9s<Enter>9' '[9Ev]' '>  0.899162s'	# before the filter the cursor is at 1.2s
after "$trace" ':t 0.8s..0.9s<Enter>9' '[9Ev]' '>  0.800'	# there is no cursor before a key has placed one
after "$trace" '4D' 'against=the rest'
of=$(sed -n 's/.*block A - B [^:]*: A \([^ ]*\) B \([^ ]*\) .*/\1 \2/p' <<X
$("$TTRACE" view -ascii -size 150x40 -pane=top -type=block -group=conn -rest "$trace")
X
)
for side in "-group=conn" "-group=conn -rest"; do
	# shellcheck disable=SC2086
	"$TTRACE" top -trim=false -type=block -unit=ns $side "$trace" | sed -n 's/.*accounting for \([-0-9]*\)ns.* of \([0-9]*\)ns total.*/\1 \2/p'
done >"$tmp/sums"
n=$("$TTRACE" goroutines -format=json -group=conn "$trace" | tr '{' '\n' | grep -c '"id":')
total=$(sed -n '1s/.* //p' "$tmp/sums")
mean=$((total / n))
delta=$(sed -n '2s/ .*//p' "$tmp/sums")
rest=$(sed -n '2s/.* //p' "$tmp/sums")
[ -n "$of" ] && [ $((mean - rest - delta)) -lt 10000 ] && [ $((mean - rest - delta)) -gt -10000 ] || {
	echo "-rest: $mean minus $rest is not $delta (viewer: $of)"
	bad=1
}
"$TTRACE" top -rest "$trace" >/dev/null 2>&1
same "status of -rest without a selection" $? 2
"$TTRACE" top -rest -group=conn "$top/samples/cpu.pb.gz" >/dev/null 2>&1
same "status of -rest with a profile" $? 2

# / searches the goroutines in groups, n finds the next match, N the previous one; Esc ends the search where it began
after "$trace" '6/G19 <Enter>' '/G19 '
id=$("$TTRACE" goroutines -format=json "$trace" | tr '{' '\n' | sed -n 's/^"id": *\([0-9]*\),.*/\1/p' | sort -n | sed -n '40p')
after "$trace" "6/G$id\\b<Enter>" 'Gor > ' "/G$id" '1/'
same "the goroutine that was found" "$(sed -n 's/^> *\([0-9,]*\) .*/\1/p' "$tmp/out" | tr -d ,)" "$id"
"$TTRACE" view -ascii -script '6' "$trace" >"$tmp/before"
"$TTRACE" view -ascii -script '6/G1<Esc>' "$trace" | cmp -s - "$tmp/before" || { echo "Esc does not return to the row before the search"; bad=1; }
hits=$("$TTRACE" view -ascii -script '6/main<Enter>' "$trace" | sed -n 's/^\/main  \([0-9]*\)\/\([0-9]*\)$/\2/p')
back=$(printf '%*s' "${hits:-0}" '' | tr ' ' n)
"$TTRACE" view -ascii -script '6/main<Enter>' "$trace" | sed -n '/^>/p' | cut -c1-70 >"$tmp/one"
"$TTRACE" view -ascii -script "6/main<Enter>$back" "$trace" | sed -n '/^>/p' | cut -c1-70 >"$tmp/round"
[ "${hits:-0}" -gt 1 ] && cmp -s "$tmp/one" "$tmp/round" || { echo "n does not return to the first match after ${hits:-no} matches"; bad=1; }
"$TTRACE" view -ascii -script "6/main<Enter>nnnnNNNN" "$trace" | sed -n '/^>/p' | cut -c1-70 | cmp -s - "$tmp/one" || { echo "N does not return to the match before n"; bad=1; }

# one goroutine: the goroutines that it created name it as creator, and it has as many regions as the report regions counts
parent=$("$TTRACE" goroutines -format=json "$trace" | tr '{' '\n' | sed -n 's/^"id": *\([0-9]*\),.*/\1/p' | while read -r g; do
	"$TTRACE" goroutine "$g" "$trace" | grep -q '^created by it' && echo "$g" && break
done)
"$TTRACE" goroutine "$parent" "$trace" | sed -n 's/^    goroutine \([0-9]*\) .*/\1/p' >"$tmp/children"
[ -s "$tmp/children" ] || { echo "no goroutine has created another one"; bad=1; }
while read -r g; do
	"$TTRACE" goroutine "$g" "$trace" | sed -n '1s/.*created by goroutine \([0-9]*\).*/\1/p' | grep -qx "$parent" || { echo "G$g does not name G$parent as creator"; bad=1; }
done <"$tmp/children"
"$TTRACE" goroutine 55 "$trace" >"$tmp/out"
same "regions of a goroutine" "$(sed -n '/^regions/,/^$/p' "$tmp/out" | grep -c '^ ')" \
	"$("$TTRACE" regions -goroutine=55 -format=tsv "$trace" | tail -n +2 | awk -F'\t' '{ n += $1 } END { print n + 0 }')"
after "$trace" "gG${parent}<Enter>6<Enter><Enter><Tab><Tab><Tab><Tab><Tab><Tab>" "G$(head -1 "$tmp/children") "

# ( ) and gw on a group, an operation and a region: a link to one of its goroutines, or a message
after "$trace" '6(' 'span ' 'has the longest wait here'
after "$trace" '6)' 'wakes or creates a goroutine in this span'
after "$trace" '6gw' 'has the longest wait here' 'this is its chain of wakers'
after "$trace" '7(' 'the parent and the child of an operation'
after "$trace" '7](' 'of a region'

# the menu describes the effect of f in the pane
after "$trace" '5a' 'restrict all panes to the range'
after "$trace" '6a' 'restrict all panes to these goroutines'
after "$trace" '4a' 'only stacks through'

# starts and stops of Ps: the report procs, the row of a P and pane 9 agree with the report events
"$TTRACE" events "$trace" >"$tmp/events"
started=$("$TTRACE" procs -format=tsv "$trace" | awk -F'\t' 'NR > 1 { n += $10 } END { print n }')
same "starts of Ps" "$started" "$(grep -c 'Proc.*Idle->Running' "$tmp/events")"
p0=$("$TTRACE" procs -format=tsv "$trace" | awk -F'\t' '$1 == 0 { print $10 " starts, " $11 " stops, lost " $12 }')
after "$trace" 'gp0<Enter>gt0.1ms<Enter>' "$p0"
after "$trace" '9:kinds procs<Enter>' 'ProcStart' 'ProcStop'

size=$(wc -c <"$trace")
# a trace that is truncated in its first generation: times count from the first event that is shown
head -c $((size / 7)) "$trace" >"$tmp/early.trace"
ns=$("$TTRACE" info -format=json "$tmp/early.trace" 2>/dev/null | sed -n 's/.*"duration_ns": *\([0-9]*\).*/\1/p')
[ "${ns:-0}" -gt 1000000 ] && [ "$ns" -lt 2500000000 ] || { echo "a trace that is truncated early has a duration of $ns ns"; bad=1; }

# -strict refuses a truncated trace
head -c $((size - 200)) "$trace" >"$tmp/cut.trace"
for r in info goroutines events top; do
	"$TTRACE" $r -strict "$tmp/cut.trace" >/dev/null 2>&1
	same "status of $r -strict of a truncated trace" $? 1
	"$TTRACE" $r -strict "$trace" >/dev/null 2>&1
	same "status of $r -strict" $? 0
done

# The goroutine of a C thread has the same number each time when the thread calls into Go. The report has the last call and a
# notice about it. Goroutine 5 exists only once.
make_trace again <<'END'
go 22
Batch 1 7 100
ProcStatus 1 0 2
ProcStatus 1 1 2
GoCreateSyscall 1 4
ProcStart 1 0 1
GoSyscallEndBlocked 1
GoStart 1 4 1
GoSyscallBegin 1 2 0
GoDestroySyscall 1
GoCreateSyscall 1000 4
ProcStart 1 1 1
GoSyscallEndBlocked 1
GoStart 1 4 1
GoCreate 1 5 0 0
GoSyscallBegin 500 2 0
GoDestroySyscall 1
Batch 1 -1 0
Frequency 1000000000
END
run 0 goroutine 4 "$tmp/again.trace"
grep -q 'last call from C at 1.11us;' "$tmp/out" || fail "goroutine 4, which exists twice, has no notice about its last call"
run 0 goroutine 5 "$tmp/again.trace"
grep -q 'last call from C' "$tmp/out" && fail "goroutine 5, which exists once, has a notice about its last call"

# W explains what is named or, where no finding and no board has anything to select, the main kind.
stock=$samples/stock.trace
after "$stock" ':t 0.1s..0.101s<Enter>!' 'Nothing stands out'
after "$stock" ':t 0.1s..0.101s<Enter>!W' '[WWhy]' '!no finding is selected'
after "$stock" ':t 0.1s..0.101s<Enter>;W' '[WWhy]'
after "$trace" '!:why login<Enter>' '[WWhy]' 'login #9'

# A wait for a P during which two other goroutines take turns so often that what occupied the P is estimated: each report of
# critical paths says so, in its header or in a notice.
{
	printf '%s\n' "$trace_start" 'UserTaskBegin 1 1 0 1 0' 'GoCreate 1 2 1 0' 'GoCreate 1 3 1 0' 'GoStop 1 2 0'
	awk 'BEGIN { for (i = 4; i < 604; i++) printf "GoStart 1000 %d %d\nGoStop 1000 2 2\n", 2 + i % 2, i / 2 - 1 }'
	printf '%s\n' 'GoStart 1 1 1' 'UserTaskEnd 1 1 0' 'Batch 1 -1 120' Stacks 'Stack 1  0x10 3 4 30' 'Stack 2  0x11 3 4 31' \
		'Batch 1 -1 120' Strings 'String 1 "op"' 'String 2 "preempted"' 'String 3 "main.turn"' 'String 4 "a.go"'
} | make_trace turns
for report in top 'list turn' folded speedscope; do
	# shellcheck disable=SC2086 # a report and its argument
	run 0 $report -type=critical "$tmp/turns.trace"
	[ "$(cat "$tmp/out" "$tmp/err" | grep -c 'Approximate: shares of what occupied the Ps')" = 1 ] ||
		fail "$report -type=critical does not say once that it contains estimates: $(cat "$tmp/err")"
done

# each number of an estimated type has a ~, but not the sum of all; that stacks are estimates is said once
run 0 top -type=run "$trace"
grep -q '^Showing nodes accounting for ~[0-9.]*ms, [0-9.]*% of [0-9.]*ms total$' "$tmp/out" || fail "top: the sum: $(cat "$tmp/out")"
awk '/flat%/ { rows = 1; next } rows && !($1 ~ /^(~.*s|0)$/ && $4 ~ /^~.*s$/) { bad = 1 } END { exit bad || !rows }' "$tmp/out" ||
	fail "top: a number of an estimated type has no ~: $(cat "$tmp/out")"
[ "$(cat "$tmp/out" "$tmp/err" | grep -c '^ttrace: Approximate: the stacks; \|^Approximate: the stacks; ')" = 1 ] ||
	fail "top does not say once that stacks are estimates: $(cat "$tmp/out" "$tmp/err")"
"$TTRACE" view -type=run -script 1 -size 100x24 "$trace" >"$tmp/out"
sed -n 2p "$tmp/out" | grep -q '^run [0-9.]*s, stacks are estimates ' || fail "top: the head line: $(sed -n 2p "$tmp/out")"
sed -n '4,20s/^>/ /p; 5,20p' "$tmp/out" | awk '!($1 ~ /^(~.*s|\.)$/ && $4 ~ /^~.*s$/) { bad = 1 } END { exit bad }' ||
	fail "pane top: a number of an estimated type has no ~: $(cat "$tmp/out")"
run 0 top -type=block "$trace"
grep '~\|Approximate' "$tmp/out" "$tmp/err" && fail 'top -type=block, which is exact, says that it contains estimates'

# The first screen of a trace has no cursor: the finding with its function and line, what an operation does, counters, rows.
# Enter and K are about the finding. A key places the cursor; u restores the first screen.
for look in '-ascii -size 40x10' '-ascii -size 60x15' '-ascii -size 80x24' '-ascii -size 160x45'; do
	after "$trace" '' 'PROBLEM' 'Cache).Get cache.go:68' '!spans of'
done
look='-ascii -size 80x24'
after "$trace" '' 'one checkout = 4.82ms (p50)' '69% mean 6.29ms' 'critical path 37% network' '4.46-48.6ms' '!>.'
after "$trace" '<Enter>' '[!Find]' 'cache.go:68 holds a lock'
after "$trace" K 'goroutines queue for a lock'
after "$trace" h 'P0     13%>' '!one checkout'
after "$trace" M '!one checkout'
after "$trace" +u 'one checkout' '!spans of'
look='-ascii -size 160x45'
after "$trace" '' 'latency of 202' '^p50' 'SLOWEST' '48.6ms'

# ; opens the first board that has rows and counts the rows of all; a trace without a GC cycle says so, without a curve
look='-ascii -size 150x40'
after "$trace" ';' 'board 1 of 6: locks   3 rows' 'channels ' 'greedy '
faults=${srcdir:-.}/tests/faults
after "$faults/child-process.trace.gz" ';' '!   0 rows'
after "$faults/child-process.trace.gz" 8 'No GC cycle in ' '!minimum mutator'
exit $bad
