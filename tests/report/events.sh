#!/bin/sh
# SPDX-License-Identifier: MIT
# The reports events, wire and footprint of a trace agree with each other. The events of two time ranges are together those of
# the whole trace. Filters select the events of the right goroutines. Damage is reported.
. "${srcdir:-.}/tests/lib.sh"
"$TTRACE" events "$trace" >"$tmp/all" || exit 1
"$TTRACE" footprint "$trace" >"$tmp/footprint" || exit 1
"$TTRACE" wire "$trace" >"$tmp/wire" || exit 1
count() { awk -v n="$1" '$1 == n { c = $4 } END { print c + 0 }' "$tmp/footprint"; }

for ev in GoStart GoCreate UserTaskBegin UserLog String Stack; do
	same "wire and footprint: events $ev" "$(grep -c "^$ev " "$tmp/wire")" "$(count $ev)"
done
same "goroutines that start to run, in events and footprint" \
	"$(grep -c 'GoID=[0-9]* Runnable->Running' "$tmp/all")" "$(count GoStart)"
same "goroutines created, in events and footprint" \
	"$(grep -c 'GoID=[0-9]* NotExist->' "$tmp/all")" "$(($(count GoCreate) + $(count GoCreateBlocked)))"
same "log messages, in events and footprint" "$(grep -c ' Log Time=' "$tmp/all")" "$(count UserLog)"

"$TTRACE" events -to=40% "$trace" >"$tmp/head" || bad=1
"$TTRACE" events -from=40% "$trace" >"$tmp/tail" || bad=1
cat "$tmp/head" "$tmp/tail" | cmp - "$tmp/all" || bad=1
[ -s "$tmp/head" ] && [ -s "$tmp/tail" ] || { echo "events with -from or -to prints nothing"; bad=1; }

g=$(sed -n 's/.*GoID=\([0-9]*\) NotExist->Runnable.*/\1/p' "$tmp/all" | head -1)
same "events of goroutine $g" "$("$TTRACE" events -goroutine="$g" "$trace" | grep -c '^M=')" \
    "$(grep '^M=' "$tmp/all" | grep -v ' Sync ' | grep -c -e "G=$g " -e "GoID=$g " -e "Goroutine($g)")"

size=$(wc -c <"$trace")
head -c $((size - 100)) "$trace" >"$tmp/cut.trace"
"$TTRACE" events "$tmp/cut.trace" >"$tmp/part" 2>"$tmp/notice" || { echo "events refuses a truncated trace"; bad=1; }
grep -q 'bytes (.*%) lost' "$tmp/notice" || { echo "events does not report how many bytes of a truncated trace are lost"; bad=1; }
"$TTRACE" events -group='^main\.main$' "$tmp/cut.trace" >"$tmp/part" 2>"$tmp/notice"
same "status of a filter on a truncated trace" $? 0
same "notices of lost bytes" "$(grep -c 'bytes (.*%) lost' "$tmp/notice")" 1
[ -s "$tmp/part" ] || { echo "a filter selects no event of a truncated trace"; bad=1; }
"$TTRACE" events -strict "$tmp/cut.trace" >/dev/null 2>"$tmp/notice"
same "status with -strict" $? 1
same "lines on stderr with -strict" "$(wc -l <"$tmp/notice")" 1
printf 'go 1.26 tra' >"$tmp/none.trace"
"$TTRACE" events "$tmp/none.trace" >"$tmp/part" 2>"$tmp/notice"
same "status for a file that is no trace" $? 1
# -group selects the events of the goroutines of a start function. -task selects the events in the task, and all that name it.
for g in $("$TTRACE" goroutines -group='^main\.main$' -format=tsv "$trace" | tail -n +2 | cut -f1); do
	"$TTRACE" events -goroutine="$g" "$trace"
done >"$tmp/one"
"$TTRACE" events -group='^main\.main$' "$trace" >"$tmp/group"
[ -s "$tmp/one" ] && cmp -s "$tmp/one" "$tmp/group" || fail "events of the group main.main are not those of its goroutines"
"$TTRACE" events -task=926 "$trace" >"$tmp/task"
"$TTRACE" events "$trace" | grep -E '^M=.* (Task=926 |ID=926 )' >"$tmp/named"
[ "$(grep -cxF -f "$tmp/named" "$tmp/task")" -ge "$(sort -u "$tmp/named" | wc -l)" ] && [ -s "$tmp/named" ] ||
	fail "events -task=926 lacks events that name the task"
[ "$(grep -c Time= "$tmp/task")" -gt "$(wc -l <"$tmp/named")" ] ||
	fail "events -task=926 has only the events that name the task"
[ "$("$TTRACE" events -region='^db\.query$' "$trace" | grep -c 'RegionBegin.*Type="db.query"')" = \
	"$("$TTRACE" events "$trace" | grep -c 'RegionBegin.*Type="db.query"')" ] ||
		fail "events -region lacks beginnings of regions db.query"

# f in the pane of events filters by the goroutine of the event, or by its P; not by a function
"$TTRACE" view -script '9/GoReady<Enter>f' "$trace" | sed -n 2p | grep -q '| goroutine [0-9]' ||
	fail "f on an event of a goroutine does not filter by the goroutine"
"$TTRACE" view -script '9/HeapAlloc<Enter>f' "$trace" | grep -q 'no goroutine and no P' ||
	fail "f on an event without goroutine and P shows no message"

# with filters, an event is found even if it is far away and few events match
g=$(sed -n 's/.*GoID=\([0-9]*\) NotExist->Runnable.*/\1/p' "$tmp/all" | sed -n 200p)
"$TTRACE" view -script "9:kinds life<Enter>G:g $g<Enter>" "$trace" >"$tmp/screen"
same "events of creation and end of G$g" "$(grep -c "[0-9]s .*Go[CE][a-z]* *G$g " "$tmp/screen")" \
	"$(grep -cE "GoID=$g (NotExist->|.*->NotExist)" "$tmp/all")"
"$TTRACE" view -script "9:kinds life<Enter>G:p 1<Enter>gg" "$trace" | sed -n 4p | grep -q '^> *0\.[0-9]*s .*Go[CE]' ||
	fail "gg at the end of the trace does not find the first creation or end of a goroutine on P 1"

# footprint and wire refuse traces before Go 1.22, which have no batches. Of a trace that ends inside the header of a batch,
# the part before it is shown.
if can_make_trace; then
	"$build/tests/load/t-tracetext" -binary "$top/tests/gotrace/oldest.test" >"$tmp/old.trace"
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
	for less in 1 2 3; do	# bytes of the last header that are missing; the last batch is empty
		head -c $(($(wc -c <"$tmp/header.whole") - less)) "$tmp/header.whole" >"$tmp/header.trace"
		run 0 goroutines -format=tsv "$tmp/header.trace"
		same "a trace truncated inside the header of a batch" "$(tail -n +2 "$tmp/out" | cut -f1,3,4)" "$(printf '1\t33\t80')"
	done
fi

# Goroutines and Ps whose numbers have more than 62 bits have no rows, but events; a notice counts them.
if can_make_trace; then
	make_trace numbers <<-END
		$trace_start
		GoCreate 1 9223372036854775807 0 0
		Batch 1 8 100
		ProcStatus 1 9223372036854775806 1
		GoStatus 1 2 8 2
		GoBlock 10 0 0
	END
	run 0 goroutines -format=tsv "$tmp/numbers.trace"
	grep -q 'not shown because their numbers have more than 62 bits: 2$' "$tmp/err" || fail "no notice of large numbers:" "$(cat "$tmp/err")"
	"$TTRACE" events "$tmp/numbers.trace" 2>/dev/null | grep -q 'GoID=9223372036854775807 NotExist->Runnable' ||
		fail "no event of a goroutine with a large number"
fi

# clocks that are before 1970 or after 2038
clock() { # clock SECONDS NANOSECONDS START: the time axis of a trace with this clock must begin at START
	make_trace clock <<-END
		go 25
		Batch 1 -1 100
		Sync
		Frequency 1000000000
		ClockSnapshot 5 77 $1 $2
		Batch 1 7 100
		ProcStatus 1 0 1
		GoStatus 1 1 7 2
		GoBlock 10 0 0
	END
	"$TTRACE" view -ascii -size 160x24 -script '5:set clock=wall<Enter>' "$tmp/clock.trace" >"$tmp/out"
	grep -q "|$3 " "$tmp/out" || fail "a clock of $1 s and $2 ns: the axis does not begin at $3:" "$(grep '^time' "$tmp/out")"
}
if can_make_trace; then
	clock 4000000000 500 07:06:40.000000496
	clock 0 2 23:59:59.999999998
fi

# Times are limited to 73 years after the first event, with a notice.
if can_make_trace; then
	make_trace years <<-END
		$trace_start
		GoStop 4000000000000000000 0 0
	END
	run 0 goroutines -format=tsv "$tmp/years.trace"
	grep -q 'times more than 73 years after the first event are shown as 73 years' "$tmp/err" || fail "no notice of late times:" "$(cat "$tmp/err")"
fi

# names of 1024 bytes, the maximum that Go writes, are complete in every format
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
			fail "$format truncates the name of a task of 1024 bytes"
		"$TTRACE" regions -format=$format "$tmp/long.trace" >"$tmp/out" && grep -q "r$long" "$tmp/out" ||
			fail "$format truncates the name of a region of 1024 bytes"
		"$TTRACE" events -format=$format "$tmp/long.trace" >"$tmp/out"
		for letter in t r k v; do
			grep -q "$letter$long" "$tmp/out" || fail "$format truncates a name $letter... of 1024 bytes in events"
		done
	done
fi

# Regions that do not nest: an end belongs to the innermost open region of its name and task. The regions 3 to 42 end in an
# order that is no stack's and no queue's, and have the name of the line in which they end; two of them have one name. An end
# of which no region is open is one that began before the trace.
if can_make_trace; then
	order=$(awk 'BEGIN { for (i = 0; i < 40; i++) print 3 + i * 17 % 40 }')
	make_trace crossed <<-END
		$trace_start
		UserRegionBegin 10 0 1 0
		UserRegionBegin 10 0 1 0
		$(for i in $order; do echo "$i"; done | sort -n | sed 's/.*/UserRegionBegin 1 7 & 0/')
		$(for i in $order; do echo "UserRegionEnd 1 7 $i 0"; done)
		UserRegionEnd 10 0 2 0
		UserRegionEnd 100 0 1 0
		UserRegionEnd 1000 0 1 0
		Batch 1 -1 120
		Strings
		String 1 "twice"
		String 2 "before"
		$(for i in $order; do echo "String $i \"r$i\""; done)
	END
	run 0 regions -format=tsv "$tmp/crossed.trace"
	grep -q ': [0-9]* regions ended before a region inside them: they overlap' "$tmp/err" || fail "no notice of regions that overlap"
	{
		echo "before $((2 + 10 + 10 + 40 + 40 + 10))"	# from the start of the trace
		n=0
		for i in $order; do
			n=$((n + 1))
			echo "r$i $((40 - (i - 2) + n))"
		done
		echo "twice $((10 + 40 + 40 + 10 + 100 + 1000 + 40 + 40 + 10 + 100))"
	} | sort >"$tmp/want"
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next } { print $col["name"], $col["total_ns"] }' "$tmp/out" |
		sort >"$tmp/got"
	cmp -s "$tmp/want" "$tmp/got" || fail "durations of regions that overlap:" "$(diff "$tmp/want" "$tmp/got")"
	run 0 view -ascii -size 120x40 -script '5<Enter>' "$tmp/crossed.trace"
fi

exit $bad
