#!/bin/sh
# SPDX-License-Identifier: MIT
# Goroutines that were waiting when the recording began: their state, reason and line are known in each list, sum, board and
# finding, marked "since before the trace". What the reference shows has the file's own state, which has no reason.
. "${srcdir:-.}/tests/lib.sh"
f=$top/tests/faults/stuck-lock+before.trace.gz

has() { # has REGEX REPORT...: the output has such a line
	h_line=$1
	shift
	run 0 "$@" "$f"
	grep -q -- "$h_line" "$tmp/out" || fail "$*: no line '$h_line': $(cat "$tmp/out")"
}
lacks() { # lacks REGEX REPORT...
	l_line=$1
	shift
	run 0 "$@" "$f"
	grep -q -- "$l_line" "$tmp/out" && fail "$*: has '$l_line': $(grep -- "$l_line" "$tmp/out")"
}
id=$("$TTRACE" goroutines -format=json "$f" | tr '{' '\n' | grep -A2 '"name":"main.(\*settings).get"' |
	sed -n 's/^"id":\([0-9]*\),.*/\1/p')
[ "$id" ] || fail 'no goroutine of main.(*settings).get'

has 'main.(\*settings).get faults/stuck.go:100, G[0-9]* since before the trace$' locks
has 'main.(\*broker).deliver faults/stuck.go:15, G[0-9]* since before the trace$' channels
has 'main.(\*starter).await  *main.(\*starter).await faults/stuck.go:55 ' leaks
has '"before_trace":true' locks -format=json
has '^  blocked since before the trace, sync: ' goroutine "$id"
has '100.00% .*still-blocked  main.(\*settings).get stuck.go:100 .*since before the trace' why -goroutine="$id"
has '"before_trace":true' why -goroutine="$id" -format=json
has ' 6   *[0-9.]*ms  main.(\*settings).get$' goroutines

# the same time in the types that the reference has not, and the file's own in the others
for type in block time; do
	has 'main.(\*settings).get$' top -type=$type
done
for type in sync net sched syscall; do
	lacks 'main.(\*settings).get$' top -type=$type
done
has '"block_ns":{"":' goroutines -format=json
has '"before_trace_ns":{"sync":' goroutines -format=json
has 'Undetermined->Waiting Reason=""$' events
has '^	runtime.gopark ' events

# waits for a lock and for a receiver are problems, others are not
has '^  7 goroutines have waited since before the trace: main.(\*settings).get stuck.go:100 (6 wait for a lock), .*reload' findings
has '^  6 goroutines have waited since before the trace: main.(\*broker).deliver stuck.go:15 (6 wait to send)$' findings
lacks 'starter' findings

# their time counts from the start of the trace, also where the first event of a goroutine is later: then the time of all
# stacks is that of all goroutines
f=$top/tests/faults/gc.trace.gz
all=$("$TTRACE" goroutines -format=tsv "$f" | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at = $i == "total_ns" ? i : at; next } { n += $at }
	END { printf "%.0f\n", n }')
stacks=$("$TTRACE" folded -type=time "$f" 2>/dev/null | awk '{ n += $NF } END { printf "%.0f\n", n }')
[ "$all" = "$stacks" ] || fail "goroutines exist for $all ns, their stacks have $stacks ns"
exit $bad
