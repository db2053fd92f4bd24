#!/bin/sh
# SPDX-License-Identifier: MIT
# Laws between the reports of any trace: parts add up to totals, the halves of a trace to the whole, and different reports show
# the same numbers. The reports are read as TSV with whole nanoseconds. An argument names another trace.
. "${srcdir:-.}/tests/lib.sh"
trace=${1:-$trace}
tsv() { # tsv REPORT...: the rows of a report without the heading
	"$TTRACE" "$@" -format=tsv "$trace" 2>/dev/null | tail -n +2
}
sum() { # sum COLUMN: add up a column of standard input
	awk -F'\t' -v c="$1" '{ s += $c } END { printf "%.0f\n", s }'
}
fact() { # fact NAME: print a value of the report info
	"$TTRACE" info -format=tsv "$trace" | awk -F'\t' -v k="$1" '$1 == k { print $2 }'
}
total() { # total OPTION...: print the total of a sample type, in ns
	"$TTRACE" top -unit=ns "$@" "$trace" 2>/dev/null | sed -n 's/.* of \([0-9]*\)ns total.*/\1/p' | {
		read -r ns
		echo "${ns:-0}"
	}
}

# columns of goroutines: count or id, total, exec, sched wait, syscall, syscall block, block, unknown, GC, name
tsv goroutines >"$tmp/groups"
tsv goroutines -group=. >"$tmp/list"
tsv goroutines -group='^$' >"$tmp/all"
[ -s "$tmp/list" ] || fail "no goroutines"
# (As in the reference, the last interval of a goroutine whose system call is blocked at the end of the trace counts twice.)
tsv goroutines -by=state -group=. | grep -q 'syscall, P lost' && lost=1 || lost=0
[ $lost = 1 ] || awk -F'\t' '$2 != $3 + $4 + $5 + $6 + $7 + $8 { print "the times of goroutine " $1 " do not add up"; bad = 1 }
	$9 > $2 * 4 { print "goroutine " $1 " has too much time in GC ranges"; bad = 1 }
	END { exit bad }' "$tmp/list" || bad=1
same "goroutines and info" "$(sum 1 <"$tmp/groups")" "$(fact goroutines)"
same "goroutines and their list" "$(sum 1 <"$tmp/groups")" "$(wc -l <"$tmp/all" | tr -d ' ')"
same "running, groups and list" "$(sum 3 <"$tmp/groups")" "$(sum 3 <"$tmp/all")"

# goroutines that are still blocked at the end: the list, the groups and the call tree of -type=block agree
same "still blocked, groups and list" "$(cut -f15 <"$tmp/groups" | sum 1)" "$(awk -F'\t' '$10 > 0' "$tmp/all" | wc -l | tr -d ' ')"
[ "$(awk -F'\t' '$7 > 0' "$tmp/all" | wc -l)" = 0 ] ||
	same "still blocked, list and reasons" "$(sum 10 <"$tmp/all")" "$("$TTRACE" top -type=block -unit=ns -nodefraction=0 -nodecount=0 \
	'-tagfocus=still blocked' "$trace" | sed -n 's/^Showing nodes accounting for \([0-9]*\)ns.*/\1/p')"

# each grouping has the same goroutines
for by in creator state label task proc life; do
	tsv goroutines -by=$by >"$tmp/by"
	same "goroutines by $by" "$(sum 1 <"$tmp/groups")" "$(sum 1 <"$tmp/by")"
	same "running by $by" "$(sum 3 <"$tmp/groups")" "$(sum 3 <"$tmp/by")"
done

# the two halves of a trace add up to the whole
for column in 2 3 4 5 7; do
	a=$(tsv goroutines -to=50% | sum $column) b=$(tsv goroutines -from=50% | sum $column)
	whole=$(sum $column <"$tmp/groups")
	[ $lost = 1 ] && [ $column -gt 3 ] && continue
	# a system call that is blocked at the end of the trace counts twice in the whole (see goroutine_stats.c)
	awk -v a="$a" -v b="$b" -v w="$whole" 'BEGIN { d = a + b - w; exit (d < 0 ? -d : d) > w / 100 + 1000 }' ||
		fail "halves of column $column: $a + $b, whole $whole"
done

# the shares of a P add up to 1
tsv procs >"$tmp/procs"
awk -F'\t' '{ s = 0; for (i = 2; i <= 9; i++) s += $i; if (s < 0.999999 || s > 1.000001) { print "P " $1 ": " s; bad = 1 } }
	END { exit bad }' "$tmp/procs" || bad=1
# the parts of a critical path follow each other without gaps; lines, classes and shares add up to the operation
for choice in '' -task=checkout -region=db.query '-goroutine=12 -from=20% -to=80%' -group=cart; do
	# shellcheck disable=SC2086
	"$TTRACE" why $choice -format=json "$trace" >"$tmp/why" || fail "why $choice"
	if command -v jq >/dev/null; then
		jq -e '.operation as $o | (.parts | map(.ns) | add) == $o.duration_ns and
			(.lines | map(.ns) | add) == $o.duration_ns and (.classes | add) == $o.duration_ns and
			.parts[0].from_ns == $o.start_ns and .parts[-1].to_ns == $o.start_ns + $o.duration_ns and
			([.parts[:-1], .parts[1:]] | transpose | all(.[0].to_ns == .[1].from_ns)) and
			(.parts | all(.to_ns - .from_ns == .ns)) and (.lines | map(.share) | add | . > 0.999999 and . < 1.000001)' \
			"$tmp/why" >/dev/null || fail "why $choice does not add up"
	fi
	# shellcheck disable=SC2086
	tsv why $choice | awk -F'\t' '{ s += $1 } END { exit !(s > 0.9999 && s < 1.0001) }' ||
		fail "the shares of why $choice do not add up to 1"
done
# the call tree of critical paths has the time of all of them, by class; with one task, the time of its path
if command -v jq >/dev/null; then
	"$TTRACE" why -format=json "$trace" >"$tmp/why"
	same "critical paths, tree and lines" "$(total -type=critical)" "$(jq '.all.classes | add' "$tmp/why")"
	id=$(jq .operation.id "$tmp/why")
	same "the path of task $id" "$(total -type=critical -task="$id")" "$(jq .operation.duration_ns "$tmp/why")"
	"$TTRACE" tags -type=critical -unit=ns "$trace" | sed -n 's/^ *\([0-9]*\)\(ns\)\{0,1\} .*: \([a-z-]*\)$/\3 \1/p' | sort >"$tmp/tags"
	jq -r '.all.classes | to_entries[] | "\(.key) \(.value)"' "$tmp/why" | sort | cmp - "$tmp/tags" ||
		fail "the classes of critical paths differ between why and the call tree: $(cat "$tmp/tags")"
fi
# -blame=chain does not change the total of waits
for type in sync net block; do
	same "chains of $type" "$(total -type=$type)" "$(total -type=$type -blame=chain)"
	"$TTRACE" folded -type=$type -blame=chain "$trace" | awk '{ s += $NF } END { printf "%.0f\n", s }' >"$tmp/chains"
	"$TTRACE" folded -type=$type "$trace" | awk '{ s += $NF } END { printf "%.0f\n", s }' | cmp - "$tmp/chains" ||
		fail "-blame=chain changes the sum of the stacks of $type"
done
# With -goroutine, gc and stw list a part of the cycles and stops, and the assists of the goroutine.
tsv gc >"$tmp/gc"
tsv stw >"$tmp/stw"
a=0
for id in $(tsv goroutines -group=. | awk -F'\t' '$9 > 0 { print $1 }' | head -40); do
	tsv gc -goroutine=$id >"$tmp/gc1"
	a=$((a + $(sum 7 <"$tmp/gc1")))
	awk -F'\t' 'NR == FNR { all[$1] = $2; next } all[$1] != $2 { exit 1 }' "$tmp/gc" "$tmp/gc1" ||
		fail "gc -goroutine=$id has a cycle that the whole trace does not have"
	tsv stw -goroutine=$id | grep -vxF -f "$tmp/stw" &&
		fail "stw -goroutine=$id has a stop that the whole trace does not have"
done
[ "$a" -le "$(sum 7 <"$tmp/gc")" ] || fail "some goroutines have more assists than all: $a, $(sum 7 <"$tmp/gc")"
same "assists of all goroutines" "$(tsv gc -group=. | sum 7)" "$(sum 7 <"$tmp/gc")"
# Ps and goroutines run for the same time
awk -F'\t' -v d="$(fact duration_ns)" -v g="$(sum 3 <"$tmp/groups")" '{ s += ($2 + $3 + $4 + $5 + $6) * d }
	END { exit !(s > g * 0.999 && s < g * 1.001) }' "$tmp/procs" || fail "Ps and goroutines run for different times"

# -sort changes only the order of the rows
for report in 'gc 3 mark' 'gc 6 stw' 'stw 2 duration_ns' 'syscalls 6 max' "goroutine 2 duration $(head -n 1 "$tmp/list" | cut -f1)"; do
	# shellcheck disable=SC2086
	set -- $report
	tsv $1 ${4:-} >"$tmp/rows"
	tsv $1 ${4:-} -sort=$3 >"$tmp/sorted"
	cut -f$2 "$tmp/sorted" | sort -c -k1,1nr 2>"$tmp/why" || fail "$1 -sort=$3 does not sort: $(cat "$tmp/why")"
	sort "$tmp/rows" >"$tmp/rows1"
	sort "$tmp/sorted" | cmp -s - "$tmp/rows1" || fail "$1 -sort=$3 has other rows"
	tsv $1 ${4:-} -sort=-$3 | cut -f$2 | sort -c -k1,1n || fail "$1 -sort=-$3 does not sort in the opposite order"
done
# the duration of a stop is the time between its two events; sums of stops are those of the single stops
"$TTRACE" events "$trace" | sed -n 's/^M=.* G=\([0-9]*\) Range\([BE]\)[a-z]* Time=\([0-9]*\) Name="stop-the-world (\(.*\))" .*/\1 \2 \3 \4/p' |
	awk '{ kind = $4; for (i = 5; i <= NF; i++) kind = kind " " $i }
	$2 == "B" { began[$1] = $3 }
	$2 == "E" { print $3 - began[$1] "\t" $1 "\t" kind }' | sort >"$tmp/ends"
cut -f2-4 "$tmp/stw" | sort | cmp -s - "$tmp/ends" && [ -s "$tmp/ends" ] ||
	fail "the durations of stops differ from those of their events"
for by in kind caller; do
	tsv stw -by=$by >"$tmp/by"
	same "stops by $by" "$(sum 1 <"$tmp/by")" "$(wc -l <"$tmp/stw" | tr -d ' ')"
	same "time of stops by $by" "$(sum 2 <"$tmp/by")" "$(sum 2 <"$tmp/stw")"
	same "longest stop by $by" "$(cut -f3 "$tmp/by" | sort -nr | head -1)" "$(cut -f2 "$tmp/stw" | sort -nr | head -1)"
	cut -f1,5 "$tmp/by" | while IFS='	' read -r count name; do
		same "stops of $name" "$(tsv stw -by=$by -name="$name" | wc -l | tr -d ' ')" "$count"
		[ "$bad" = 0 ] || exit 1
	done || bad=1
	cut -f2 "$tmp/by" | sort -c -k1,1nr || fail "stops by $by are not in the order of their totals"
done
same "kinds of stops" "$(tsv stw -by=kind | cut -f5 | sort)" "$(cut -f4 "$tmp/stw" | sort -u)"
same "gc and info" "$(tsv gc | wc -l | tr -d ' ')" "$(fact gc_cycles)"
same "stw and info" "$(tsv stw | wc -l | tr -d ' ')" "$(fact stops_of_the_world)"
[ "$(tsv regions | sum 1)" -le "$(fact regions)" ] || fail "the report regions counts more regions than info"
# a kind has as many tasks as the list of the kind
tsv tasks >"$tmp/tasks"
kind=$(awk -F'\t' '$7 != "" { print $7; exit }' "$tmp/tasks")
if [ -n "$kind" ]; then
	same "tasks named $kind" "$(awk -F'\t' -v k="$kind" '$7 == k { print $1 }' "$tmp/tasks")" \
		"$(tsv tasks -name="$kind" | awk -F'\t' '$4 == ""' | wc -l | tr -d ' ')"
fi

# each kind of tasks is a kind of operations with the same quantiles. Operations of one goroutine each are split by class
# without rest.
awk -F'\t' '$7 != "" { print $1, $2, $3, $4, $5, $6, $7 }' "$tmp/tasks" | sort >"$tmp/a"
tsv operations >"$tmp/operations"
awk -F'\t' '$9 == "task" && $27 != "" { print $1, $2, $3 + 0, $4 + 0, $5 + 0, $6 + 0, $27 }' "$tmp/operations" | sort >"$tmp/b"
same "tasks as operations" "$(cat "$tmp/a")" "$(cat "$tmp/b")"
awk -F'\t' '{ s = 0; for (i = 10; i <= 24; i++) { s += $i; if ($i < 0) bad = 1 } }
	$9 != "task" && s != $8 { print "the classes of " $27 " add up to " s ", its total is " $8; bad = 1 }
	$2 > $1 || $7 > $2 { print "the counts of " $27 " are impossible"; bad = 1 } END { exit bad }' "$tmp/operations" || bad=1
# the classes of a single operation add up to its duration, and those of all operations of a kind to those of the kind
part=$(awk -F'\t' '$9 != "task" && $27 != "" { print $27; exit }' "$tmp/operations")
if [ -n "$part" ]; then
	tsv operations -name="$part" >"$tmp/of"
	awk -F'\t' '{ s = 0; for (i = 7; i <= 21; i++) { s += $i; if ($i < 0) bad = 1 } }
		s != $4 { print "the classes of operation " $1 " add up to " s ", its duration is " $4; bad = 1 } END { exit bad }' "$tmp/of" || bad=1
	for c in 0 1 7 13 14; do
		same "class $c of $part" "$(sum $((7 + c)) <"$tmp/of")" \
			"$(awk -F'\t' -v k="$part" '$27 == k' "$tmp/operations" | sum $((10 + c)))"
	done
	same "operations of $part by on_cpu" "$(tsv operations -name="$part" -sort=on_cpu | cut -f7)" "$(cut -f7 "$tmp/of" | sort -rn)"
fi
# requests that began before the trace are operations, but are not counted
same "kinds and operations" "$(($(sum 1 <"$tmp/operations") + $(sum 25 <"$tmp/operations")))" "$("$TTRACE" operations -format=json "$trace" 2>/dev/null |
	grep -o '"start_ns"' | wc -l | tr -d ' ')"
all=$(sum 1 <"$tmp/operations")
same "complete and incomplete operations" "$all" \
	"$(($(tsv operations -complete | sum 1) + $(tsv operations -complete=false | sum 1)))"
# -operation with a kind of tasks selects the same as -task
[ -z "$kind" ] || for report in "top -type=block" "top -type=run" regions goroutines; do
	# shellcheck disable=SC2086 # a list of words
	same "-operation and -task in $report" "$("$TTRACE" $report -task="^$kind\$" "$trace" 2>/dev/null)" \
		"$("$TTRACE" $report -operation="^$kind\$" "$trace" 2>/dev/null)"
done

# each task and region is either complete or not, and its latency is on one side of a bound
for what in tasks regions; do
	all=$(tsv $what | sum 1)
	same "$what, complete and incomplete" "$all" "$(($(tsv $what -complete | sum 1) + $(tsv $what -complete=false | sum 1)))"
	[ $what = regions ] || all=$(tsv tasks -complete | sum 1)
	for at in 1us 4ms 40ms; do
		same "$what on both sides of $at" "$all" \
			"$(($(tsv $what -latency="<$at" | sum 1) + $(tsv $what -latency=$at.. | sum 1)))"
	done
done
a=$(total -type=block -region=. -latency=..4ms) b=$(total -type=block -region=. '-latency=>4ms')
whole=$(total -type=block -region=.)
[ "$((a + b))" -ge "$whole" ] || fail "blocking in short and in long regions is less than in regions: $a + $b < $whole"

# focus and ignore of one expression divide each list in two, in a part of the trace too; together they leave nothing
for re in $(tsv goroutines | awk -F'\t' 'NR < 3 && $17 != "" { gsub(/[^A-Za-z0-9_]/, ".", $17); print $17 }') sync Write; do
	for report in 'goroutines 1' 'tasks 1' 'regions 1' 'operations 1' 'gc 0' 'stw 0' 'syscalls 1' 'events 0' \
		'goroutines 1 -from=30% -to=60%' 'syscalls 1 -from=30% -to=60%'; do
		# shellcheck disable=SC2086
		set -- $report
		report=$1 column=$2
		shift 2
		rows() { [ "$column" = 0 ] && wc -l | tr -d ' ' || sum "$column"; }
		same "$report $* in focus of $re, and ignored" "$(tsv $report "$@" | rows)" \
			"$(($(tsv $report "$@" -focus="$re" | rows) + $(tsv $report "$@" -ignore="$re" | rows)))"
		same "$report $* in focus of $re and ignored at once" "$(tsv $report "$@" -focus="$re" -ignore="$re" | rows)" 0
	done
done

# utilisation is between 0 and 1, and does not fall with the length of the window
tsv mmu | awk -F'\t' '$2 < 0 || $2 > 1 || $1 < last { print "utilisation " $0; bad = 1 } { last = $1 } END { exit bad || !NR }' ||
	fail "mmu has an impossible utilisation, or no rows"

# the worst window of a part is not worse than that of the whole; utilisation is higher if fewer kinds of GC work count
least() { tsv mmu -window=1ms,5ms "$@" | cut -f2 | tr '\n' ' '; }
whole=$(least -exact)
for part in -to=50% -from=50% -from=20%; do
	echo "$whole $(least $part)" | awk '{ exit !($3 >= $1 - 1e-9 && $4 >= $2 - 1e-9) }' ||
		fail "mmu of $part has a worse window than the whole: $whole, $(least $part)"
done
echo "$(least -exact -include=stw) $(least -exact -include=stw,assist) $(least -exact -include=stw,assist,background)" |
	awk '{ exit !($1 >= $3 && $3 >= $5 && $2 >= $4 && $4 >= $6) }' ||
		fail "mmu is lower although fewer kinds of GC work count"

# GC cycles have no more assists than the call tree of -type=assist
[ "$(tsv gc | sum 7)" -le "$(total -type=assist)" ] || fail "GC cycles have more assists than the call tree"

# the report syscalls and the call tree of -type=syscall have the same total
total=$(tsv syscalls | sum 2)
prof=$("$TTRACE" top -type=syscall -unit=ns "$trace" 2>/dev/null | sed -n 's/.* of \([0-9]*\)ns total.*/\1/p')
[ -z "$prof" ] || same "syscalls and their profile" "$total" "$prof"

# -blame and tags do not change the total of waits
for narrow in -group=. -from=30% -to=60%; do
	waker=$(total -type=sched $narrow)
	same "waiting by waker and by self, $narrow" "$waker" "$(total -type=sched -blame=self $narrow)"
	same "waiting by waker and by occupant, $narrow" "$waker" "$(total -type=sched -blame=occupant $narrow)"
	same "all time is split by class, $narrow" "$(total -type=time $narrow)" "$(total -type=time -tagroot=none $narrow)"
	same "blocking and its reasons, $narrow" "$(total -type=block $narrow)" "$(total -type=block -tagroot=none $narrow)"
done
# sample types of waits refuse -proc, because a waiting goroutine has no P
for type in sched sync net block assist critical time 'sched -blame=self' 'sync -blame=chain'; do
	# shellcheck disable=SC2086
	"$TTRACE" top -type=$type -proc=0 "$trace" >"$tmp/out" 2>"$tmp/err" && fail "-proc is accepted with -type=$type"
	grep -q '^ttrace: .*-proc does not apply to -type=' "$tmp/err" && [ ! -s "$tmp/out" ] ||
		fail "-proc with -type=$type prints another error: $(cat "$tmp/err")"
done
# waits by the goroutine that occupied the P, summed over all Ps, are those without -proc
ps=$(tsv procs | awk -F'\t' '{ print $1 }')
all=$(total -type=sched -blame=occupant)
for p in $ps; do total -type=sched -blame=occupant -proc="$p"; done |
	awk -v all="$all" '{ s += $1 } END { d = s - all; exit NR && (d < 0 ? -d : d) > all / 50 + 1000 }' ||
	fail "the waits by occupant of each P do not add up to those of all Ps"

# each goroutine that ran is among the goroutines of a P, and each goroutine of a P ran or was in a system call
for p in $ps; do tsv goroutines -group='^$' -proc="$p"; done | cut -f1 | sort -u >"$tmp/ran"
awk -F'\t' '$3 > 0 { print $1 }' "$tmp/all" | sort -u | comm -23 - "$tmp/ran" >"$tmp/lacks"
[ ! -s "$tmp/lacks" ] || fail "goroutines that ran are not among those of any P: $(head -n 3 "$tmp/lacks" | tr '\n' ' ')"
awk -F'\t' '$3 + $5 > 0 { print $1 }' "$tmp/all" | sort -u | comm -13 - "$tmp/ran" >"$tmp/lacks"
[ ! -s "$tmp/lacks" ] || fail "goroutines of a P neither ran nor were in a system call: $(head -n 3 "$tmp/lacks" | tr '\n' ' ')"

# the call trees of two parts of a trace add up to that of the whole, and those of different groups do not exceed it
for type in cpu run sched sync net syscall block assist; do
	whole=$(total -type=$type)
	same "parts of $type" "${whole:-0}" "$(($(total -type=$type -to=40%) + $(total -type=$type -from=40%)))"
	a=$(total -type=$type '-group=^[a-n]') b=$(total -type=$type '-group=^[^a-n]')
	[ "$((a + b))" -le "${whole:-0}" ] || fail "groups of $type exceed the whole: $a + $b, whole $whole"
done
# the same for each stack of -type=run: a bound inside a run moves no time from one stack to another
folded() { "$TTRACE" folded -type=run "$@" "$trace"; }
by_stack() { awk '{ n = $NF; $NF = ""; s[$0] += n } END { for (k in s) if (s[k]) print s[k], k }' | sort; }
folded | by_stack >"$tmp/whole"
{ folded -to=40% && folded -from=40%; } | by_stack | cmp - "$tmp/whole" ||
	fail "the stacks of -type=run of two parts do not add up to those of the whole"
# runs without a stack in an event get their stack from CPU samples
for type in run 'sched -blame=occupant'; do
	# shellcheck disable=SC2086
	"$TTRACE" folded -type=$type "$trace" | grep -q 'gcBgMarkWorker.*;runtime\.gcDrain;' ||
		fail "no stacks of CPU samples in runs of mark workers: $type"
done
whole=$(total -type=run)
same "running on each P" "$whole" "$(for p in $ps; do total -type=run -proc="$p"; done | sum 1)"
# the call tree of a goroutine has the running time of its row, except the time before its first event
awk -F'\t' '$3 > best { best = $3; id = $1 } END { print id, best }' "$tmp/list" | {
	read -r id ns
	run=$(total -type=run -goroutine="$id")
	[ "$run" -le "$ns" ] && [ "$run" -ge "$((ns - ns / 10))" ]
} || fail "the running time of a goroutine differs between the table and the call tree"

# a step of stats has no more goroutines than the trace
tsv stats -step=100ms | awk -F'\t' -v n="$(fact goroutines)" '$2 + $3 + $5 + $6 > n { print "stats has too many goroutines at " $1; bad = 1 }
	END { exit bad }' || bad=1

# the states of a goroutine follow each other without gaps
id=$(awk -F'\t' '$2 > best { best = $2; id = $1 } END { print id }' "$tmp/list")
"$TTRACE" goroutine "$id" -format=tsv "$trace" | tail -n +2 | awk -F'\t' 'NR > 1 && $1 != end { print "a gap before " $1; bad = 1 }
	{ end = $1 + $2 } END { exit bad || !NR }' || fail "the states of goroutine $id have gaps"

# time before a preemption is attributed to the interrupted function, not to the function of the runtime that preempts it
"$TTRACE" events "$trace" | grep -q 'runtime\.asyncPreempt2' || fail "the trace has no preemption"
for type in -type=run '-type=sched -blame=occupant' '-type=sched -blame=self'; do
	"$TTRACE" folded $type "$trace" | grep -q 'runtime\.asyncPreempt' && fail "time is attributed to asyncPreempt: $type"
done

# JSON has the quantiles of TSV
for report in regions tasks; do
	"$TTRACE" $report -format=tsv "$trace" | awk -F'\t' -v what=$report 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["max_ns"] { print $at["p50_ns"] " " $at["p90_ns"] " " $at["p99_ns"] " " $at["max_ns"] }' | sort >"$tmp/table"
	"$TTRACE" $report -format=json "$trace" |
		sed -n 's/.*"p50_ns":\([0-9]*\),"p90_ns":\([0-9]*\),"p99_ns":\([0-9]*\),"max_ns":\([0-9]*\).*/\1 \2 \3 \4/p' |
		sort >"$tmp/json"
	[ -s "$tmp/json" ] && cmp -s "$tmp/table" "$tmp/json" ||
		fail "the quantiles of $report differ between TSV and JSON: $(diff "$tmp/table" "$tmp/json" | head -n 4)"
done
# a single frame that stands for a stack is the first one of user code; JSON has the leaf, too
"$TTRACE" stw "$trace" | grep -q '  main\.(\*recording)\.runTrace [^ ]*:[0-9]* > runtime.StartTrace$' ||
	fail "stw does not show the function of user code and the leaf of a stop"
"$TTRACE" stw -format=json "$trace" | grep -q '"where":"runtime.StartTrace [^"]*","user_function":"main.(\*recording).runTrace"' ||
	fail "stw -format=json does not have the leaf and the function of user code of a stop"
"$TTRACE" goroutine 1 -format=json "$trace" | grep -q '"where":"time.Sleep [^"]*","user_function":"main' ||
	fail "goroutine -format=json does not have the leaf and the function of user code of a wait"

# boards: the waits for locks and channels are those of -type=block, the stops those of stw, the waits for a P those of
# -type=time, the groups those of goroutines, the operations those of operations
for trace in "$samples/orders.trace" "$samples/stock.trace" "$top/tests/faults/lock-queue.trace.gz" \
	"$top/tests/faults/stuck-lock.trace.gz" "$top/tests/faults/stw.trace.gz" "$top/tests/faults/serial-stage.trace.gz"; do
	"$TTRACE" folded -type=block "$trace" 2>/dev/null >"$tmp/blocked"
	grep '^sync[^;(]*;.*;sync\.[^;]*$' "$tmp/blocked" | grep -v WaitGroup | sed 's/.* //' >"$tmp/locks"
	grep -E '^(chan|select)' "$tmp/blocked" | grep -vE '^[^;]*;runtime(/trace|/pprof)?\.' | sed 's/.* //' >"$tmp/channels"
	cat "$tmp/locks" >>"$tmp/any-locks"
	cat "$tmp/channels" >>"$tmp/any-channels"
	same "waits for locks of $trace" "$(tsv locks | sum 1)" "$(sum 1 <"$tmp/locks")"
	tsv locks | awk -F'\t' '$3 > $1 || $7 > $1 || $5 < $4 || $6 > $2 || $5 > $2 || $8 > $2 { print "a queue for a lock is impossible: " $0; bad = 1 }
		END { exit bad }' || bad=1
	same "waits for channels of $trace" "$(tsv channels | sum 1)" "$(sum 1 <"$tmp/channels")"
	tsv channels | awk -F'\t' '$1 != $4 + $5 || $6 > $1 { print "the sides of a channel are impossible: " $0; bad = 1 } END { exit bad }' || bad=1
	same "stops of $trace" "$(tsv stops | sum 1) $(tsv stops | sum 2)" "$(tsv stw | sum 2) $(tsv stw | wc -l | tr -d ' ')"
	tsv stops | awk -F'\t' '$1 != $4 + $5 || $3 > $1 { print "the phases of a stop are impossible: " $0; bad = 1 } END { exit bad }' || bad=1
	same "waits for a P of $trace" "$(tsv greedy | sum 1)" "$("$TTRACE" folded -type=time "$trace" 2>/dev/null | awk '/^runnable[; ]/ { print $NF }' | sum 1)"
	same "groups that grow, and groups of $trace" "$(tsv leaks -group='^main\.' | awk -F'\t' '{ n += $5 + $6 } END { print n + 0 }')" \
		"$(tsv goroutines -group='^main\.' | wc -l | tr -d ' ')"
	tsv leaks | awk -F'\t' '$1 != $4 - $5 || $7 > $6 || $3 > 4 { print "a group that grows is impossible: " $0; bad = 1 } END { exit bad }' || bad=1
	tsv gctax | awk -F'\t' '$1 != $5 + $6 + $7 + $8 || $4 > $1 || $10 > $11 { print "a tax is impossible: " $0; bad = 1 } END { exit bad }' || bad=1
	same "operations that are taxed of $trace" "$(tsv gctax | sum 11)" "$(($(tsv operations | sum 1) + $(tsv operations | sum 25)))"
done
[ -s "$tmp/any-locks" ] && [ -s "$tmp/any-channels" ] || fail "no trace has waits for locks and channels"
exit $bad
