#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads pause at random (src/base/shake.h). Reports and screens must be those of a run without pauses, also if keys do not
# wait for earlier work (t-hurried-keys). SEEDS='7 8 9' tries these seeds.
. "${srcdir:-.}/tests/lib.sh"
grep -q 'define SHAKER' "$build/config.h" || exit 77	# a build without --enable-shaker
faults=$top/tests/faults
TTRACE_JOBS=3 && export TTRACE_JOBS

shaken() { # shaken ARGUMENT...: the output must be the same with each seed
	"$TTRACE" "$@" >"$tmp/want" 2>&1 </dev/null
	want=$?
	[ -s "$tmp/want" ] || fail "no output: ttrace $*"
	for seed in ${SEEDS:-1 2 3}; do
		TTRACE_SHAKE=$seed timeout 300 "$TTRACE" "$@" >"$tmp/got" 2>&1 </dev/null
		got=$?
		[ $got = $want ] && cmp -s "$tmp/want" "$tmp/got" ||
			fail "TTRACE_SHAKE=$seed ttrace $*: status $got" "$(diff "$tmp/want" "$tmp/got" | head -20)"
	done
}
screen() { # screen FILE KEYS [PANE]: the screen after KEYS, from that pane on, must be the same with each seed
	shaken view -size 132x40 ${3:+-pane="$3"} -script "$2" "$1"
}

for report in events info findings goroutines tasks operations regions gc stw why locks channels stops leaks mmu procs stats top; do
	shaken $report "$trace"
done
for report in top tree peek raw traces tags info findings; do
	shaken $report "$cpu"
done
shaken top "$samples/heap.pb.gz" "$samples/heap.pb.gz"
shaken top -diff_base="$samples/leak-before.pb.gz" "$samples/leak-after.pb.gz"
shaken findings -diff_base="$faults/lock-queue.sound.trace.gz" "$faults/lock-queue.trace.gz"
shaken goroutines -group=main "$trace"
for pane in top list peek flame goroutines tasks gc events; do
	screen "$trace" jj $pane
done
stock=$samples/stock.trace	# a shorter one
screen "$stock" jj timeline
screen "$stock" '!jj' top
screen "$stock" ';jj' top
screen "$trace" jWjj
screen "$trace" ':focus=main<Enter>14u6u:t 40%..50%<Enter>5+++w(9G'
screen "$trace" ":diff $stock<Enter>6D7!"
screen "$cpu" '1jf4u2x3uu:tagroot=endpoint<Enter>4'

for seed in ${SEEDS:-1 2 3}; do
	TTRACE_SHAKE=$seed timeout 600 "$build/tests/tui/t-hurried-keys" >"$tmp/out" 2>&1 ||
		fail "TTRACE_SHAKE=$seed t-hurried-keys" "$(tail -100 "$tmp/out")"
done
exit $bad
