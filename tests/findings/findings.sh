#!/bin/sh
# SPDX-License-Identifier: MIT
# Findings. Each rule names the function of its planted fault (tests/faults), and reports no problem in the same program
# without the fault. Also tested: levels, thresholds, the exit status, and known findings, which are left out.
. "${srcdir:-.}/tests/lib.sh"
faults=$top/tests/faults

# found RULE FILE: print level and functions of the findings of a rule
found() {
	"$TTRACE" findings -format=json "$2" >"$tmp/json" 2>"$tmp/err" || fail "findings of $2: $(cat "$tmp/err")"
	sed -n "s/^{\"rule\":\"$1\",\"level\":\"\([a-z]*\)\".*\"culprits\":\(\[[^]]*\]\).*/\1 \2/p" "$tmp/json"
}
while IFS="$(printf '\t')" read -r name guilty; do
	rule=${name%%+*}
	found "$rule" "$faults/$name.trace.gz" >"$tmp/found"
	if [ "$guilty" = - ]; then
		grep -q '^problem \[\]$' "$tmp/found" || fail "$name is not found:" "$(cat "$tmp/json")"
	else
		grep '^problem ' "$tmp/found" | tr '|' ' ' >"$tmp/problems"
		for one in $(echo "$guilty" | tr '|' ' '); do
			grep -F "\"function\":\"$one\"" "$tmp/problems"
		done | grep -q . || fail "the finding $name does not name $guilty:" "$(cat "$tmp/json")"
	fi
	"$TTRACE" findings -format=json "$faults/$name.sound.trace.gz" >"$tmp/json" 2>"$tmp/err" ||
		fail "findings of $name.sound: $(cat "$tmp/err")"
	grep -e '"level":"problem"' -e '"rule":"long-run"' "$tmp/json" &&
		fail "$name.sound has a problem, or a finding long-run"
done <"$faults/truth.tsv"

# of several methods that hold one mutex, the one that holds it longest is named, not what calls all of them
run 0 findings "$faults/lock-queue+methods.trace.gz"
sed -n 2p "$tmp/out" | grep -q 'main.(\*desk).save .* holds a lock' || fail "lock-queue+methods: $(cat "$tmp/out")"

# one pool of a library is one finding, however many lines use it; where goroutines of the library hand over what they wait
# for, it is no matter of these goroutines
run 0 findings "$faults/pool-exhausted+sql.trace.gz"
[ "$(grep -c -e ^PROBLEM -e ^notice "$tmp/out")" = 1 ] || fail "pool-exhausted+sql: $(cat "$tmp/out")"
grep -q 'wait at database/sql.(\*DB).conn .* called from 3 lines' "$tmp/out" || fail "pool-exhausted+sql: $(cat "$tmp/out")"
grep -q '^  caused by main.audit ' "$tmp/out" || fail "pool-exhausted+sql: $(cat "$tmp/out")"
run 0 findings "$faults/pool-exhausted+transport.trace.gz"
[ "$(grep -c -e ^PROBLEM -e ^notice "$tmp/out")" = 1 ] || fail "pool-exhausted+transport: $(cat "$tmp/out")"
grep -q 'wait at net/http.(\*Transport).getConn .* called from main.search' "$tmp/out" ||
	fail "pool-exhausted+transport: $(cat "$tmp/out")"

# of two findings that blame one line, the lesser one is a notice that says so
run 0 findings "$faults/flight.trace.gz"
grep -q '^PROBLEM sleep: ' "$tmp/out" && grep -A1 '^notice tail: ' "$tmp/out" | grep -q '; sleep blames the same line$' ||
	fail "two findings of one line: $(cat "$tmp/out")"

# GC cycles that the program starts are attributed to the call of runtime.GC, not to allocations
run 0 findings "$faults/gc+forced.trace.gz"
grep -q 'main.pack .* starts GC cycles' "$tmp/out" || fail "gc+forced: $(cat "$tmp/out")"

# a leak of goroutines that a library started names the user code first; of a deadlock first what blocked first
for first in 'leak+library main.session.watch' 'stuck-lock+mixed main.(*settings).reload' 'stuck-wait main.(*broker).deliver'; do
	found "[a-z-]*" "$faults/${first%% *}.trace.gz" >"$tmp/found"
	head -1 "$tmp/found" | grep -qF "problem [{\"function\":\"${first#* }\"" || fail "$first: $(cat "$tmp/found")"
done

# goroutines that ran when the recording began, and of which no creation is known, are no leak however many of them wait
if can_make_trace; then
	{
		printf '%s\n' "$trace_start" 'GoBlock 1000 3 1'
		for p in $(seq 2 400); do
			printf '%s\n' "Batch 1 $((p + 10)) 100" "ProcStatus 1 $p 1" "GoStatus 1 $p -1 2" 'GoBlock 1000 3 1'
		done
		printf '%s\n' 'Batch 1 -1 120' Stacks 'Stack 1  0x10 1 2 30' 'Batch 1 -1 120' Strings \
			'String 1 "main.f"' 'String 2 "main.go"' 'String 3 "chan receive"' EndOfGeneration
	} | make_trace unborn
	run 0 findings "$tmp/unborn.trace"
	grep -q ' leak: ' "$tmp/out" && fail "unborn: goroutines that exist since before the trace are a leak: $(cat "$tmp/out")"
fi

f=$faults/lock-queue.trace.gz
# time on a CPU is known from CPU samples only, and never the first problem
run 0 findings -rule=stolen-cpu "$f"
grep -q '^stolen-cpu: not answerable: the trace has no CPU samples$' "$tmp/out" || fail "stolen-cpu: $(cat "$tmp/out")"
run 0 findings -set=long-run.run=1ms -set=long-run.share=0 -set=long-run.waited=0 -set=no-P.wait=1us -set=no-P.share=0 \
	"$faults/stolen-cpu.trace.gz"
grep '^PROBLEM' "$tmp/out" | tail -1 | grep -q stolen-cpu || fail "stolen-cpu is not the last problem: $(cat "$tmp/out")"

# a flight recorder's snapshot: the operation that made the program write it, not a slower one
run 0 why "$faults/flight.trace.gz"
head -2 "$tmp/out" | tr '\n' ' ' | grep -q '^why lookup .* snapshot of a flight recorder, written by G[0-9]* after lookup ' ||
	fail "trigger: $(head -3 "$tmp/out")"
run 0 findings "$faults/flight.trace.gz"
head -1 "$tmp/out" | grep -q '^snapshot of a flight recorder, written by G[0-9]* after lookup .*: see ttrace why$' ||
	fail "findings of a snapshot: $(head -3 "$tmp/out")"
screen=$("$TTRACE" view -script '' -size 100x20 "$faults/flight.trace.gz")
case $screen in *'flight recorder, after lookup '*) ;; *) fail "the first screen does not name the trigger: $screen" ;; esac
screen=$("$TTRACE" view -script W -size 100x20 "$faults/flight.trace.gz")
case $screen in *'lookup '*'for which a flight recorder wrote this'*) ;; *) fail "pane why: $screen" ;; esac
run 0 why -op=report "$faults/flight.trace.gz"
head -1 "$tmp/out" | grep -q '^why report' || fail "a choice of the user: $(head -3 "$tmp/out")"

# operations found as rounds of goroutines are also those of the report `why`
run 0 why "$faults/imbalance+rounds.trace.gz"
grep -q '^why main.each.func1 kit.go' "$tmp/out" || fail "why: $(cat "$tmp/out")"

f=$faults/lock-queue.trace.gz
run 0 findings "$f"
grep -q '^PROBLEM lock-queue: [0-9]*% of the time of those affected$' "$tmp/out" || fail "text: $(cat "$tmp/out")"
run 3 findings -fail-on=problem "$f"
run 3 findings -fail-on=notice "$f"
run 0 findings -fail-on=unanswerable -rule=lock-queue "$f"
# few traces have CPU samples: that a rule needs them is no reason to fail
run 0 findings -fail-on=unanswerable -rule=stolen-cpu "$f"
grep -q '^stolen-cpu: not answerable: ' "$tmp/out" || fail "stolen-cpu: $(cat "$tmp/out")"
# Of those that wait, the group that waits longest is named. The scan meets another one first.
run 0 findings "$samples/orders.trace"
grep -q 'goroutines of orders/internal/cart.(\*Desk).price.func1 and others wait' "$tmp/out" ||
	fail "the group that waits longest: $(head -2 "$tmp/out")"
refuses 2 '-fail-on is problem' findings -fail-on=bad "$f"
refuses 2 'no rule "nosuch"' findings -rule=nosuch "$f"
refuses 2 'requires RULE.NAME=VALUE' findings -set=lock-queue.nosuch=1 "$f"
refuses 2 'is not a duration' findings -set=lock-queue.crowded=x "$f"

# findings are sorted by the time that they cost, not by their share of the time of a kind of operation
run 0 findings "$samples/orders.trace"
head -1 "$tmp/out" | grep -q '^PROBLEM lock-queue' ||
	fail "the first finding of orders.trace is not lock-queue: $(cat "$tmp/out")"

# of a rule with many findings five are shown, and the number of the others; with -rule all are shown
many="-set serial-stage.waiting=0.001 -set serial-stage.busy=0.01 -set serial-stage.idle=0.01"
stages() { grep -c '^[Pn].* serial-stage: [0-9]*% ' "$tmp/out"; }
run 0 findings $many -rule=serial-stage "$samples/orders.trace"
all=$(stages)
run 0 findings $many "$samples/orders.trace"
[ "$all" -gt 5 ] && [ "$(stages)" = 5 ] || fail "not 5 of $all findings are shown: $(cat "$tmp/out")"
grep -q "^serial-stage: $((all - 5)) more" "$tmp/out" || fail "the number of other findings is not shown: $(cat "$tmp/out")"

# thresholds of straggler and no-P: waits that are shorter or fewer are not reported
run 0 findings -rule=straggler -set=straggler.wait=1h "$faults/straggler.trace.gz"
grep -q '^nothing stands out$' "$tmp/out" || fail "straggler.wait does not suppress the finding: $(cat "$tmp/out")"
run 0 findings -rule=no-P -set=no-P.waits=1e9 "$faults/no-P.trace.gz"
grep -q '^nothing stands out$' "$tmp/out" || fail "no-P.waits does not suppress the finding: $(cat "$tmp/out")"

# threshold of own-cpu: a shorter time on CPU may be one in which the system ran another process
run 0 findings -rule=own-cpu -set=own-cpu.more=1h "$faults/own-cpu.trace.gz"
grep -q '^nothing stands out$' "$tmp/out" || fail "own-cpu.more does not suppress the finding: $(cat "$tmp/out")"

# a threshold above the measured value makes the finding a notice; a threshold above twice the value suppresses it
run 0 findings -set=lock-queue.waiters=15 -set=lock-queue.crowd=1000 "$f"
grep -q '^notice lock-queue' "$tmp/out" || fail "lock-queue is not a notice: $(cat "$tmp/out")"
run 0 findings -set=lock-queue.waiters=1000 -set=lock-queue.crowd=1000 "$f"
grep -q '^nothing stands out$' "$tmp/out" || fail "the threshold does not suppress lock-queue: $(cat "$tmp/out")"

# profiles: each rule has a profile in which it names the function; profiles without faults have no finding
blames() {	# blames RULE LEVEL FUNCTION ARGUMENT...: RULE must have a finding at LEVEL that names FUNCTION first
	b_rule=$1 b_level=$2 b_function=$3
	shift 3
	run 0 findings -format=json "$@"
	grep -F "\"rule\":\"$b_rule\",\"level\":\"$b_level\"" "$tmp/out" | grep -qF "\"culprits\":[{\"function\":\"$b_function\"" ||
		fail "findings $*: $b_rule does not name $b_function: $(cat "$tmp/out")"
}
blames same-stack problem 'orders/internal/cart.(*Desk).ship.func1' "$samples/goroutine.pb.gz"
blames same-stack problem 'orders/internal/cart.(*Desk).ship.func1' "$samples/goroutines.txt"
# every goroutine of a goroutineleak profile, and those marked in a dump, are leaked; the marked line is not reported twice
leaked() { # leaked STATE: a goroutine of a dump
	printf 'goroutine %d [%s]:\nmain.publish()\n\t/src/main.go:12 +0x1d\ncreated by main.main in goroutine 1\n\t/src/main.go:9 +0x1d\n\n' 7 "$1"
}
{ printf 'goroutine 1 [running]:\nmain.main()\n\t/src/main.go:20 +0x1d\n\n' && leaked 'chan send (leaked)' && leaked 'chan send'; } >"$tmp/dump"
blames leak problem main.publish "$tmp/dump"
grep -q '"goroutines":1,"all_leaked":1' "$tmp/out" || fail "leaked goroutines: $(cat "$tmp/out")"
{ printf 'goroutine 1 [running]:\nmain.main()\n\t/src/main.go:20 +0x1d\n\n' && leaked 'chan send'; } >"$tmp/dump"
run 0 findings -rule=leak "$tmp/dump"
grep -q '^nothing stands out$' "$tmp/out" || fail "a leak without the mark: $(cat "$tmp/out")"
blames contention problem 'orders/internal/cache.(*Cache).Get' "$samples/mutex.pb.gz"
blames heap-growth problem 'orders/internal/login.(*Store).open' -diff_base="$samples/leak-before.pb.gz" "$samples/leak-after.pb.gz"
blames heap-site notice 'orders/internal/login.(*Store).open' -set=heap-site.bytes=4MB "$samples/heap.pb.gz"
for part in 'cpu-gc gcBgMarkWorker|gcAssistAlloc' 'cpu-locks lockSlow'; do	# profiles with stacks of these functions only
	run 0 proto -focus="${part#* }" -output="$tmp/part.pb.gz" "$samples/cpu.pb.gz"
	run 0 findings -set="${part%% *}.time=1us" "$tmp/part.pb.gz"
	grep -q "^PROBLEM ${part%% *}: " "$tmp/out" || fail "$part is not found: $(cat "$tmp/out")"
done
for p in "$samples/cpu.pb.gz" "$samples/heap.pb.gz" "$samples/leak-before.pb.gz" "$samples/login.folded"; do
	run 0 findings -fail-on=notice "$p"
	grep -q '^nothing stands out$' "$tmp/out" || fail "$p has a finding: $(cat "$tmp/out")"
done
run 3 findings -fail-on=problem "$samples/mutex.pb.gz"
run 0 findings -fail-on=problem -set=contention.delay=20s "$samples/mutex.pb.gz"
refuses 2 '-from applies only to traces' findings -from=1s "$samples/cpu.pb.gz"
# an input is recognised wherever its first record is: in a file, in gzip data and on standard input
seq -f 'line %.0f of a log' 20000 >"$tmp/lines"
cat "$tmp/lines" "$samples/goroutines.txt" >"$tmp/late-dump"
cat "$tmp/lines" "$samples/gctrace.log" >"$tmp/late-gctrace"
{ printf 'main;%0100000d 3\n' 0 && cat "$samples/login.folded"; } >"$tmp/late-folded"
{ head -n 290 "$tmp/lines" | sed 's/^/# /' && gzip -dc "$samples/perf.txt.gz"; } >"$tmp/late-perf"
findings_of() { # findings_of FILE: without the command that repeats its name
	"$TTRACE" findings "$1" 2>&1 | grep -v '^  see '
}
for late in dump gctrace folded perf; do
	run 0 findings "$tmp/late-$late"
	findings_of "$tmp/late-$late" >"$tmp/want"
	gzip -c "$tmp/late-$late" >"$tmp/late.gz"
	findings_of "$tmp/late.gz" | cmp -s - "$tmp/want" || fail "findings of a $late after other lines, as gzip, differ"
	findings_of - <"$tmp/late-$late" | cmp -s - "$tmp/want" ||
		fail "findings of a $late after other lines, on standard input, differ"
done

# known findings: those of -baseline and -ignore are left out
run 0 findings -format=json "$f"
cp "$tmp/out" "$tmp/baseline"
run 0 findings -fail-on=problem -baseline="$tmp/baseline" "$f"
grep -q '^nothing stands out$' "$tmp/out" || fail "-baseline does not leave out the findings: $(cat "$tmp/out")"
sed 's/"score":[0-9.]*/"score":20/' "$tmp/baseline" >"$tmp/better"
run 3 findings -fail-on=problem -baseline="$tmp/better" "$f"
refuses 1 'not the JSON' findings -baseline="$top/README.md" "$f"
# what is no baseline is none without findings
printf '"\\ud800\\udc' >"$tmp/string"
echo '{"kinds":[{"name":"a"}]}' >"$tmp/other"
echo '[{"rule":"tail"}]' >"$tmp/list"
: >"$tmp/none"
for no in string other list none; do
	refuses 1 'not the JSON' findings -baseline="$tmp/$no" "$f"
done
echo '{"findings":[]}' >"$tmp/nothing"
run 0 findings -baseline="$tmp/nothing" "$f"
printf '# what is known\nlock-queue main.(*account).post # soon\n' >"$tmp/known"
run 0 findings -fail-on=problem -ignore="$tmp/known" "$f"
printf 'lock-queue main.other\n' >"$tmp/known"
run 3 findings -fail-on=problem -ignore="$tmp/known" "$f"
printf 'nosuch *\n' >"$tmp/known"
refuses 2 'no rule "nosuch"' findings -ignore="$tmp/known" "$f"
run 0 findings -fail-on=unanswerable -rule=gc "$samples/orders.trace"
run 3 findings -fail-on=unanswerable "$samples/gctrace.log"
exit $bad
