#!/bin/sh
# SPDX-License-Identifier: MIT
# What the file of a trace does not tell, against a trace whose times are chosen.
. "${srcdir:-.}/tests/lib.sh"
can_make_trace || exit 77

# The trace is 233 ns long. G1 waits at a stack for 101 ns, G9 without one for 100 ns. G5 exists from the start on; its first
# event, after 102 ns, says only that it waits, and a nanosecond later it is runnable. G3 exists for 226 ns.
make_trace gaps <<-END
	$trace_start
	GoCreate 5 3 2 1
	GoBlock 5 3 1
	ProcStop 1
	Batch 1 8 100
	ProcStatus 1 1 1
	GoStatus 1 9 -1 2
	GoStatus 100 5 -1 4
	GoUnblock 1 5 1 0
	GoUnblock 10 1 1 0
	GoBlock 20 4 0
	ProcStop 100
	Batch 1 -1 120
	Stacks
	Stack 1  0x10 1 2 30
	Stack 2  0x30 6 2 50
	Batch 1 -1 120
	Strings
	String 1 "main.f"
	String 2 "main.go"
	String 3 "chan receive"
	String 4 "select"
	String 6 "main.g"
	EndOfGeneration
END
run 0 findings "$tmp/gaps.trace"
grep -q '^not in the file: what goroutines did or waited for in 11% of their time, the stacks of 50% of their waiting, ' "$tmp/out" ||
	fail "no line of gaps: $(cat "$tmp/out")"
has() { # has NUMBER KEY ARGUMENT...: the file lacks so much
	has_line="\"$2\":$1,"
	shift 2
	run 0 findings -format=json "$@" "$tmp/gaps.trace"
	grep -qF "$has_line" "$tmp/out" || fail "$*: no $has_line: $(cat "$tmp/out")"
}
has 925 goroutines_ns
has 103 unknown_ns
has 201 waiting_ns
has 100 waiting_without_stack_ns

# the parts of a range, and of one goroutine
has 20 unknown_ns -from=50ns -to=70ns
has 0 unknown_ns -from=150ns
has 0 waiting_without_stack_ns -goroutine=1
has 101 waiting_ns -goroutine=1

# of a whole trace nothing is worth a line, and its goroutines exist as long as their stacks say
f=$top/tests/faults/gc.trace.gz
run 0 findings "$f"
grep 'not in the file' "$tmp/out" && fail "gc: something is not in the file"
all=$("$TTRACE" folded -type=time "$f" 2>/dev/null | awk '{ n += $NF } END { printf "%.0f", n }')
"$TTRACE" findings -format=json "$f" | tr -d '\n' | grep -q "\"not_in_file\":{\"goroutines_ns\":$all,.*\"damaged\":false}}" ||
	fail "gc: not_in_file: $("$TTRACE" findings -format=json "$f" | tail -9)"

# of a truncated one the place of the first damage
head -c 150000 "$top/samples/orders.trace" >"$tmp/cut.trace"
run 0 findings "$tmp/cut.trace"
grep -q '^not in the file: .*, what is damaged or missing, first at byte 16 (ttrace info)$' "$tmp/out" || fail "cut: $(cat "$tmp/out")"
run 0 findings -format=json "$tmp/cut.trace"
grep -q '^"damaged_at_byte":16$' "$tmp/out" || fail "cut: no damaged_at_byte"
exit $bad
