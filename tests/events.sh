#!/bin/sh
# SPDX-License-Identifier: MIT
# events, wire and footprint of one trace agree with each other; parts make up the whole; damage is said.
. "${srcdir:-.}/tests/lib.sh"
"$TTRACE" events "$trace" >"$tmp/all" || exit 1
"$TTRACE" footprint "$trace" >"$tmp/footprint" || exit 1
"$TTRACE" wire "$trace" >"$tmp/wire" || exit 1
count() { awk -v n="$1" '$1 == n { c = $4 } END { print c + 0 }' "$tmp/footprint"; }

for ev in GoStart GoCreate UserTaskBegin UserLog String Stack; do
	same "wire: $ev" "$(grep -c "^$ev " "$tmp/wire")" "$(count $ev)"
done
same "goroutines that start" "$(grep -c 'GoID=[0-9]* Runnable->Running' "$tmp/all")" "$(count GoStart)"
same "goroutines made" "$(grep -c 'GoID=[0-9]* NotExist->' "$tmp/all")" "$(($(count GoCreate) + $(count GoCreateBlocked)))"
same "logs" "$(grep -c ' Log Time=' "$tmp/all")" "$(count UserLog)"

"$TTRACE" events -to=40% "$trace" >"$tmp/head" || bad=1
"$TTRACE" events -from=40% "$trace" >"$tmp/tail" || bad=1
cat "$tmp/head" "$tmp/tail" | cmp - "$tmp/all" || bad=1
[ -s "$tmp/head" ] && [ -s "$tmp/tail" ] || { echo "a part is empty"; bad=1; }

g=$(sed -n 's/.*GoID=\([0-9]*\) NotExist->Runnable.*/\1/p' "$tmp/all" | head -1)
same "events of goroutine $g" "$("$TTRACE" events -goroutine="$g" "$trace" | grep -c '^M=')" \
    "$(grep '^M=' "$tmp/all" | grep -v ' Sync ' | grep -c -e "G=$g " -e "GoID=$g " -e "Goroutine($g)")"

size=$(wc -c <"$trace")
head -c $((size - 100)) "$trace" >"$tmp/cut.trace"
"$TTRACE" events "$tmp/cut.trace" >"$tmp/part" 2>"$tmp/notice" || { echo "a cut trace is refused"; bad=1; }
grep -q 'bytes (.*%) lost' "$tmp/notice" || { echo "nothing said of what is lost"; bad=1; }
"$TTRACE" events -group='^main\.main$' "$tmp/cut.trace" >"$tmp/part" 2>"$tmp/notice"
same "status of a filter on a cut trace" $? 0
same "what it says is lost, once" "$(grep -c 'bytes (.*%) lost' "$tmp/notice")" 1
[ -s "$tmp/part" ] || { echo "a filter leaves nothing of a cut trace"; bad=1; }
"$TTRACE" events -strict "$tmp/cut.trace" >/dev/null 2>"$tmp/notice"
same "status with -strict" $? 1
same "lines said with -strict" "$(wc -l <"$tmp/notice")" 1
printf 'go 1.26 tra' >"$tmp/none.trace"
"$TTRACE" events "$tmp/none.trace" >"$tmp/part" 2>"$tmp/notice"
same "status of what is no trace" $? 1
# events of a start function are those of its goroutines; of a task those that it did and all that name it
for g in $("$TTRACE" goroutines -group='^main\.main$' -format=tsv "$trace" | tail -n +2 | cut -f1); do
	"$TTRACE" events -goroutine="$g" "$trace"
done >"$tmp/one"
"$TTRACE" events -group='^main\.main$' "$trace" >"$tmp/group"
[ -s "$tmp/one" ] && cmp -s "$tmp/one" "$tmp/group" || fail "events of main.main are not those of its goroutine"
"$TTRACE" events -task=926 "$trace" >"$tmp/task"
"$TTRACE" events "$trace" | grep -E '^M=.* (Task=926 |ID=926 )' >"$tmp/named"
[ "$(grep -cxF -f "$tmp/named" "$tmp/task")" -ge "$(sort -u "$tmp/named" | wc -l)" ] && [ -s "$tmp/named" ] || fail "events that name task 926"
[ "$(grep -c Time= "$tmp/task")" -gt "$(wc -l <"$tmp/named")" ] || fail "a task did nothing but say so"
[ "$("$TTRACE" events -region='^db\.query$' "$trace" | grep -c 'RegionBegin.*Type="db.query"')" = \
	"$("$TTRACE" events "$trace" | grep -c 'RegionBegin.*Type="db.query"')" ] || fail "begins of the regions db.query"

# f takes the goroutine of the event, or its P; a filter by functions would leave all events where they are
"$TTRACE" view -script '9/GoReady<Enter>f' "$trace" | sed -n 2p | grep -q '| goroutine [0-9]' || fail "f on an event of a goroutine"
"$TTRACE" view -script '9/HeapAlloc<Enter>f' "$trace" | grep -q 'no goroutine and no P' || fail "f on an event of nobody"

# what filters leave is found however far away it is and how little
g=$(sed -n 's/.*GoID=\([0-9]*\) NotExist->Runnable.*/\1/p' "$tmp/all" | sed -n 200p)
"$TTRACE" view -script "9:kinds life<Enter>G:g $g<Enter>" "$trace" >"$tmp/screen"
same "made and ended, of G$g" "$(grep -c "Go[CE][a-z]* *G$g " "$tmp/screen")" \
	"$(grep -cE "GoID=$g (NotExist->|.*->NotExist)" "$tmp/all")"
"$TTRACE" view -script "9:kinds life<Enter>G:p 1<Enter>gg" "$trace" | sed -n 4p | grep -q '^> *0\.[0-9]*s .*Go[CE]' ||
	fail "the first goroutine that is made or ends on a P, from the end of the trace"

# a trace before Go 1.22 has no batches, and one that ends inside the header of a batch has what was before it
if can_make_trace; then
	"$build/tests/t-tracetext" -binary "$top/tests/gotrace/oldest.test" >"$tmp/old.trace"
	refuses 1 'Go 1.5: only traces of Go 1.22 and later have batches' footprint "$tmp/old.trace"
	refuses 1 'Go 1.5: only traces of Go 1.22 and later have batches' wire "$tmp/old.trace"
	make_trace header <<-'END'
		go 23
		Batch 1 -1 100
		Frequency 1000000000
		Batch 1 7 100
		ProcStatus 1 0 1
		GoStatus 1 1 -1 2
		GoStop 30 0 0
		Batch 2 -1 200
		Frequency 1000000000
		Batch 2 7 200
		ProcStatus 1 0 1
		GoStatus 1 1 -1 1
		GoStart 10 1 1
		Batch 2 8 300
	END
	mv "$tmp/header.trace" "$tmp/header.whole"
	for less in 1 2 3; do	# of the last header, which is all there is of the last batch
		head -c $(($(wc -c <"$tmp/header.whole") - less)) "$tmp/header.whole" >"$tmp/header.trace"
		run 0 goroutines -format=tsv "$tmp/header.trace"
		same "a cut inside a header" "$(tail -n +2 "$tmp/out" | cut -f1,3,4)" "$(printf '1\t33\t80')"
	done
fi

# names of 1024 bytes, which is as long as Go writes them, are whole in every format
if can_make_trace; then
	long=$(printf '%01023d' 0)
	make_trace long <<-END
		$trace_start
		UserTaskBegin 1 3 0 1 0
		UserRegionBegin 1 3 2 0
		UserLog 1 3 3 4 0
		UserRegionEnd 1 3 2 0
		UserTaskEnd 1 3 0
		Batch 1 -1 120
		Strings
		String 1 "t$long"
		String 2 "r$long"
		String 3 "k$long"
		String 4 "v$long"
	END
	for format in text tsv json csv; do
		"$TTRACE" tasks -format=$format "$tmp/long.trace" >"$tmp/out" && grep -q "t$long" "$tmp/out" ||
			fail "$format: a task with a name of 1024 bytes"
		"$TTRACE" regions -format=$format "$tmp/long.trace" >"$tmp/out" && grep -q "r$long" "$tmp/out" ||
			fail "$format: a region with a name of 1024 bytes"
		"$TTRACE" events -format=$format "$tmp/long.trace" >"$tmp/out"
		for letter in t r k v; do
			grep -q "$letter$long" "$tmp/out" || fail "$format: a name $letter... of 1024 bytes in events"
		done
	done
fi

exit $bad
