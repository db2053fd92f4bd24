#!/bin/sh
# SPDX-License-Identifier: MIT
# Laws that hold between the reports of any trace: parts add up to wholes, halves to the whole, and
# different reports say the same of the same thing. Numbers come as tsv, whole nanoseconds.
. "${srcdir:-.}/tests/lib.sh"
trace=${1:-$trace}
tsv() { # tsv REPORT...: rows without their heading
	"$TTRACE" "$@" -format=tsv "$trace" 2>/dev/null | tail -n +2
}
sum() { # sum COLUMN
	awk -F'\t' -v c="$1" '{ s += $c } END { printf "%.0f\n", s }'
}
fact() { # fact NAME of `info`
	"$TTRACE" info -format=tsv "$trace" | awk -F'\t' -v k="$1" '$1 == k { print $2 }'
}
total() { # total OPTION...: the whole of a profile, in ns
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
# (of a goroutine whose system call is blocked at the end the reference counts the last stretch twice)
tsv goroutines -by=state -group=. | grep -q 'syscall, P lost' && lost=1 || lost=0
[ $lost = 1 ] || awk -F'\t' '$2 != $3 + $4 + $5 + $6 + $7 + $8 { print "times of goroutine " $1 " do not add up"; bad = 1 }
	$9 > $2 * 4 { print "goroutine " $1 " has more ranges than time"; bad = 1 }
	END { exit bad }' "$tmp/list" || bad=1
same "goroutines and info" "$(sum 1 <"$tmp/groups")" "$(fact goroutines)"
same "goroutines and their list" "$(sum 1 <"$tmp/groups")" "$(wc -l <"$tmp/all" | tr -d ' ')"
same "running, groups and list" "$(sum 3 <"$tmp/groups")" "$(sum 3 <"$tmp/all")"

# what is still blocked at the end: each goroutine, its group, and the tree of blocking by reason
same "still blocked, groups and list" "$(cut -f15 <"$tmp/groups" | sum 1)" "$(awk -F'\t' '$10 > 0' "$tmp/all" | wc -l | tr -d ' ')"
[ "$(awk -F'\t' '$7 > 0' "$tmp/all" | wc -l)" = 0 ] ||
	same "still blocked, list and reasons" "$(sum 10 <"$tmp/all")" "$("$TTRACE" top -type=block -unit=ns -nodefraction=0 -nodecount=0 \
	'-tagfocus=still blocked' "$trace" | sed -n 's/^Showing nodes accounting for \([0-9]*\)ns.*/\1/p')"

# however they are grouped, they are the same goroutines
for by in creator state label task proc life; do
	tsv goroutines -by=$by >"$tmp/by"
	same "goroutines by $by" "$(sum 1 <"$tmp/groups")" "$(sum 1 <"$tmp/by")"
	same "running by $by" "$(sum 3 <"$tmp/groups")" "$(sum 3 <"$tmp/by")"
done

# a trace is its first and its second half
for column in 2 3 4 5 7; do
	a=$(tsv goroutines -to=50% | sum $column) b=$(tsv goroutines -from=50% | sum $column)
	whole=$(sum $column <"$tmp/groups")
	[ $lost = 1 ] && [ $column -gt 3 ] && continue
	# what blocks in a system call at the end of the trace counts twice in the whole (see goroutine_stats.c)
	awk -v a="$a" -v b="$b" -v w="$whole" 'BEGIN { d = a + b - w; exit (d < 0 ? -d : d) > w / 100 + 1000 }' ||
		fail "halves of column $column: $a + $b, whole $whole"
done

# every P is somewhere all of the time
tsv procs >"$tmp/procs"
awk -F'\t' '{ s = 0; for (i = 2; i <= 9; i++) s += $i; if (s < 0.999999 || s > 1.000001) { print "P " $1 ": " s; bad = 1 } }
	END { exit bad }' "$tmp/procs" || bad=1
# the parts of an operation tile it; lines, classes and shares add up to it
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
	tsv why $choice | awk -F'\t' '{ s += $1 } END { exit !(s > 0.9999 && s < 1.0001) }' || fail "shares of why $choice"
done
# a tree of critical paths has the time of all of them, by class; of one task, that of its path
if command -v jq >/dev/null; then
	"$TTRACE" why -format=json "$trace" >"$tmp/why"
	same "critical paths, tree and lines" "$(total -type=critical)" "$(jq '.all.classes | add' "$tmp/why")"
	id=$(jq .operation.id "$tmp/why")
	same "the path of task $id" "$(total -type=critical -task="$id")" "$(jq .operation.duration_ns "$tmp/why")"
	"$TTRACE" tags -type=critical -unit=ns "$trace" | sed -n 's/^ *\([0-9]*\)\(ns\)\{0,1\} .*: \([a-z-]*\)$/\3 \1/p' | sort >"$tmp/tags"
	jq -r '.all.classes | to_entries[] | "\(.key) \(.value)"' "$tmp/why" | sort | cmp - "$tmp/tags" ||
		fail "classes of critical paths: $(cat "$tmp/tags")"
fi
# a chain is charged with the time of its wait
for type in sync net block; do
	same "chains of $type" "$(total -type=$type)" "$(total -type=$type -blame=chain)"
	"$TTRACE" folded -type=$type -blame=chain "$trace" | awk '{ s += $NF } END { printf "%.0f\n", s }' >"$tmp/chains"
	"$TTRACE" folded -type=$type "$trace" | awk '{ s += $NF } END { printf "%.0f\n", s }' | cmp - "$tmp/chains" || fail "stacks of chains of $type"
done
# the collector's cycles and stops that are left by a goroutine went on while it was there, with its assists
tsv gc >"$tmp/gc"
tsv stw >"$tmp/stw"
a=0
for id in $(tsv goroutines -group=. | awk -F'\t' '$9 > 0 { print $1 }' | head -40); do
	tsv gc -goroutine=$id >"$tmp/gc1"
	a=$((a + $(sum 7 <"$tmp/gc1")))
	awk -F'\t' 'NR == FNR { all[$1] = $2; next } all[$1] != $2 { exit 1 }' "$tmp/gc" "$tmp/gc1" || fail "cycles of goroutine $id"
	tsv stw -goroutine=$id | grep -vxF -f "$tmp/stw" && fail "stops of goroutine $id"
done
[ "$a" -le "$(sum 7 <"$tmp/gc")" ] || fail "assists of some goroutines: $a, of all $(sum 7 <"$tmp/gc")"
same "assists of all goroutines" "$(tsv gc -group=. | sum 7)" "$(sum 7 <"$tmp/gc")"
# what runs on Ps is what goroutines run
awk -F'\t' -v d="$(fact duration_ns)" -v g="$(sum 3 <"$tmp/groups")" '{ s += ($2 + $3 + $4 + $5 + $6) * d }
	END { exit !(s > g * 0.999 && s < g * 1.001) }' "$tmp/procs" || fail "Ps and goroutines run for different times"

# -sort changes the order of the rows alone; sums of stops are those of the single ones
for report in 'gc 3 mark' 'gc 6 stw' 'stw 2 duration_ns' 'syscalls 6 max' "goroutine 2 duration $(head -n 1 "$tmp/list" | cut -f1)"; do
	# shellcheck disable=SC2086
	set -- $report
	tsv $1 ${4:-} >"$tmp/rows"
	tsv $1 ${4:-} -sort=$3 >"$tmp/sorted"
	cut -f$2 "$tmp/sorted" | sort -c -k1,1nr 2>"$tmp/why" || fail "$1 -sort=$3: $(cat "$tmp/why")"
	sort "$tmp/rows" >"$tmp/rows1"
	sort "$tmp/sorted" | cmp -s - "$tmp/rows1" || fail "$1 -sort=$3 has other rows"
	tsv $1 ${4:-} -sort=-$3 | cut -f$2 | sort -c -k1,1n || fail "$1 -sort=-$3"
done
# a stop lasts from the event that begins it to the one that ends it
"$TTRACE" events "$trace" | sed -n 's/^M=.* G=\([0-9]*\) Range\([BE]\)[a-z]* Time=\([0-9]*\) Name="stop-the-world (\(.*\))" .*/\1 \2 \3 \4/p' |
	awk '{ kind = $4; for (i = 5; i <= NF; i++) kind = kind " " $i }
	$2 == "B" { began[$1] = $3 }
	$2 == "E" { print $3 - began[$1] "\t" $1 "\t" kind }' | sort >"$tmp/ends"
cut -f2-4 "$tmp/stw" | sort | cmp -s - "$tmp/ends" && [ -s "$tmp/ends" ] || fail "stops last not as long as their events say"
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
[ "$(tsv regions | sum 1)" -le "$(fact regions)" ] || fail "more regions listed than there are"
# tasks of each kind, and each task's own line in the list of its kind
tsv tasks >"$tmp/tasks"
kind=$(awk -F'\t' '$7 != "" { print $7; exit }' "$tmp/tasks")
if [ -n "$kind" ]; then
	same "tasks named $kind" "$(awk -F'\t' -v k="$kind" '$7 == k { print $1 }' "$tmp/tasks")" \
		"$(tsv tasks -name="$kind" | awk -F'\t' '$4 == ""' | wc -l | tr -d ' ')"
fi

# every task is an operation, with the same quantiles; the classes of one goroutine's operations tile them
awk -F'\t' '$7 != "" { print $1, $2, $3, $4, $5, $6, $7 }' "$tmp/tasks" | sort >"$tmp/a"
tsv operations >"$tmp/operations"
awk -F'\t' '$9 == "task" && $25 != "" { print $1, $2, $3 + 0, $4 + 0, $5 + 0, $6 + 0, $25 }' "$tmp/operations" | sort >"$tmp/b"
same "tasks as operations" "$(cat "$tmp/a")" "$(cat "$tmp/b")"
awk -F'\t' '{ s = 0; for (i = 10; i <= 24; i++) { s += $i; if ($i < 0) bad = 1 } }
	$9 != "task" && s != $8 { print "classes of " $25 ": " s ", total " $8; bad = 1 }
	$2 > $1 || $7 > $2 { print "counts of " $25; bad = 1 } END { exit bad }' "$tmp/operations" || bad=1
# so do those of each operation, and they add up to those of the kind
part=$(awk -F'\t' '$9 != "task" && $25 != "" { print $25; exit }' "$tmp/operations")
if [ -n "$part" ]; then
	tsv operations -name="$part" >"$tmp/of"
	awk -F'\t' '{ s = 0; for (i = 7; i <= 21; i++) { s += $i; if ($i < 0) bad = 1 } }
		s != $4 { print "classes of operation " $1 ": " s ", duration " $4; bad = 1 } END { exit bad }' "$tmp/of" || bad=1
	for c in 0 1 7 13 14; do
		same "class $c of $part" "$(sum $((7 + c)) <"$tmp/of")" \
			"$(awk -F'\t' -v k="$part" '$25 == k' "$tmp/operations" | sum $((10 + c)))"
	done
	same "operations of $part by on_cpu" "$(tsv operations -name="$part" -sort=on_cpu | cut -f7)" "$(cut -f7 "$tmp/of" | sort -rn)"
fi
same "kinds and operations" "$(sum 1 <"$tmp/operations")" "$("$TTRACE" operations -format=json "$trace" 2>/dev/null |
	grep -o '"start_ns"' | wc -l | tr -d ' ')"
all=$(sum 1 <"$tmp/operations")
same "operations of which the trace has all, or not" "$all" \
	"$(($(tsv operations -complete | sum 1) + $(tsv operations -complete=false | sum 1)))"
# the filter of a kind of tasks is that of its tasks
[ -z "$kind" ] || for report in "top -type=block" "top -type=run" regions goroutines; do
	# shellcheck disable=SC2086 # a list of words
	same "-operation and -task in $report" "$("$TTRACE" $report -task="^$kind\$" "$trace" 2>/dev/null)" \
		"$("$TTRACE" $report -operation="^$kind\$" "$trace" 2>/dev/null)"
done

# a latency is on one side of a bound, a task or region is whole or not
for what in tasks regions; do
	all=$(tsv $what | sum 1)
	same "$what, complete and not" "$all" "$(($(tsv $what -complete | sum 1) + $(tsv $what -complete=false | sum 1)))"
	[ $what = regions ] || all=$(tsv tasks -complete | sum 1)
	for at in 1us 4ms 40ms; do
		same "$what on both sides of $at" "$all" \
			"$(($(tsv $what -latency="<$at" | sum 1) + $(tsv $what -latency=$at.. | sum 1)))"
	done
done
a=$(total -type=block -region=. -latency=..4ms) b=$(total -type=block -region=. '-latency=>4ms')
whole=$(total -type=block -region=.)
[ "$((a + b))" -ge "$whole" ] || fail "blocking in short and in long regions is less than in regions: $a + $b < $whole"

# utilisation is a share
tsv mmu | awk -F'\t' '$2 < 0 || $2 > 1 || $1 < last { print "utilisation " $0; bad = 1 } { last = $1 } END { exit bad || !NR }' ||
	fail "mmu"

# the worst window of a part is none better than that of the whole; what is left when less counts is more
least() { tsv mmu -window=1ms,5ms "$@" | cut -f2 | tr '\n' ' '; }
whole=$(least -exact)
for part in -to=50% -from=50% -from=20%; do
	echo "$whole $(least $part)" | awk '{ exit !($3 >= $1 - 1e-9 && $4 >= $2 - 1e-9) }' || fail "mmu of $part: $whole, $(least $part)"
done
echo "$(least -exact -include=stw) $(least -exact -include=stw,assist) $(least -exact -include=stw,assist,background)" |
	awk '{ exit !($1 >= $3 && $3 >= $5 && $2 >= $4 && $4 >= $6) }' || fail "mmu by what counts"

# assists by stack are those of the cycles
[ "$(tsv gc | sum 7)" -le "$(total -type=assist)" ] || fail "cycles have more assists than there are"

# system calls by site are those of the profile
total=$(tsv syscalls | sum 2)
prof=$("$TTRACE" top -type=syscall -unit=ns "$trace" 2>/dev/null | sed -n 's/.* of \([0-9]*\)ns total.*/\1/p')
[ -z "$prof" ] || same "syscalls and their profile" "$total" "$prof"

# whoever is to blame, it is the same waiting; by reason it is the same blocking
for narrow in -group=. -from=30% -to=60%; do
	waker=$(total -type=sched $narrow)
	same "waiting by waker and by self, $narrow" "$waker" "$(total -type=sched -blame=self $narrow)"
	same "waiting by waker and by occupant, $narrow" "$waker" "$(total -type=sched -blame=occupant $narrow)"
	same "all time is split by class, $narrow" "$(total -type=time $narrow)" "$(total -type=time -tagroot=none $narrow)"
	same "blocking and its reasons, $narrow" "$(total -type=block $narrow)" "$(total -type=block -tagroot=none $narrow)"
done
# waiting is of no P: a report says so
for type in sched sync net block assist critical time 'sched -blame=self' 'sync -blame=chain'; do
	# shellcheck disable=SC2086
	"$TTRACE" top -type=$type -proc=0 "$trace" >"$tmp/out" 2>"$tmp/err" && fail "-proc is accepted with -type=$type"
	grep -q '^ttrace: .*-proc does not apply to -type=' "$tmp/err" && [ ! -s "$tmp/out" ] || fail "-proc with -type=$type: $(cat "$tmp/err")"
done
# the shares of the Ps are those of all of them
ps=$(tsv procs | awk -F'\t' '{ print $1 }')
all=$(total -type=sched -blame=occupant)
for p in $ps; do total -type=sched -blame=occupant -proc="$p"; done |
	awk -v all="$all" '{ s += $1 } END { d = s - all; exit NR && (d < 0 ? -d : d) > all / 50 + 1000 }' ||
	fail "occupants of each P and of all"

# whoever ran, ran on some P, and the goroutines of a P ran
for p in $ps; do tsv goroutines -group='^$' -proc="$p"; done | cut -f1 | sort -u >"$tmp/ran"
awk -F'\t' '$3 > 0 { print $1 }' "$tmp/all" | sort -u | comm -23 - "$tmp/ran" >"$tmp/lacks"
[ ! -s "$tmp/lacks" ] || fail "goroutines ran, and on no P: $(head -n 3 "$tmp/lacks" | tr '\n' ' ')"
awk -F'\t' '$3 + $5 > 0 { print $1 }' "$tmp/all" | sort -u | comm -13 - "$tmp/ran" >"$tmp/lacks"
[ ! -s "$tmp/lacks" ] || fail "goroutines of a P that did nothing: $(head -n 3 "$tmp/lacks" | tr '\n' ' ')"

# a tree of the whole is the trees of its halves; what ran ran on some P; groups are apart from one another
for type in cpu run sched sync net syscall block assist; do
	whole=$(total -type=$type)
	same "halves of $type" "${whole:-0}" "$(($(total -type=$type -to=40%) + $(total -type=$type -from=40%)))"
	a=$(total -type=$type '-group=^[a-n]') b=$(total -type=$type '-group=^[^a-n]')
	[ "$((a + b))" -le "${whole:-0}" ] || fail "groups of $type: $a + $b, whole $whole"
done
# the stacks of runs too: a bound of time inside a run moves nothing from one stack to another
folded() { "$TTRACE" folded -type=run "$@" "$trace"; }
by_stack() { awk '{ n = $NF; $NF = ""; s[$0] += n } END { for (k in s) if (s[k]) print s[k], k }' | sort; }
folded | by_stack >"$tmp/whole"
{ folded -to=40% && folded -from=40%; } | by_stack | cmp - "$tmp/whole" || fail "stacks of the halves of run"
# CPU samples name what ran where no event has a stack
for type in run 'sched -blame=occupant'; do
	# shellcheck disable=SC2086
	"$TTRACE" folded -type=$type "$trace" | grep -q 'gcBgMarkWorker.*;runtime\.gcDrain;' || fail "samples of mark workers: $type"
done
whole=$(total -type=run)
same "running on each P" "$whole" "$(for p in $ps; do total -type=run -proc="$p"; done | sum 1)"
# a goroutine's tree is its row of the table, unless it ran before the trace was told of it
awk -F'\t' '$3 > best { best = $3; id = $1 } END { print id, best }' "$tmp/list" | {
	read -r id ns
	run=$(total -type=run -goroutine="$id")
	[ "$run" -le "$ns" ] && [ "$run" -ge "$((ns - ns / 10))" ]
} || fail "running of one goroutine, in the table and as a tree"

# a step of the statistics never counts more goroutines than there are
tsv stats -step=100ms | awk -F'\t' -v n="$(fact goroutines)" '$2 + $3 + $5 + $6 > n { print "too many at " $1; bad = 1 }
	END { exit bad }' || bad=1

# a goroutine's states lie end to end
id=$(awk -F'\t' '$2 > best { best = $2; id = $1 } END { print id }' "$tmp/list")
"$TTRACE" goroutine "$id" -format=tsv "$trace" | tail -n +2 | awk -F'\t' 'NR > 1 && $1 != end { print "a gap before " $1; bad = 1 }
	{ end = $1 + $2 } END { exit bad || !NR }' || fail "states of goroutine $id"

# what was preempted is charged to the function that was interrupted, not to the runtime's that preempts
"$TTRACE" events "$trace" | grep -q 'runtime\.asyncPreempt2' || fail "nothing is preempted in the sample"
for type in -type=run '-type=sched -blame=occupant' '-type=sched -blame=self'; do
	"$TTRACE" folded $type "$trace" | grep -q 'runtime\.asyncPreempt' && fail "asyncPreempt is charged: $type"
done

# quantiles in JSON are those of the table
for report in regions tasks; do
	"$TTRACE" $report -format=tsv "$trace" | awk -F'\t' -v what=$report 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["max_ns"] { print $at["p50_ns"] " " $at["p90_ns"] " " $at["p99_ns"] " " $at["max_ns"] }' | sort >"$tmp/table"
	"$TTRACE" $report -format=json "$trace" |
		sed -n 's/.*"p50_ns":\([0-9]*\),"p90_ns":\([0-9]*\),"p99_ns":\([0-9]*\),"max_ns":\([0-9]*\).*/\1 \2 \3 \4/p' |
		sort >"$tmp/json"
	[ -s "$tmp/json" ] && cmp -s "$tmp/table" "$tmp/json" || fail "quantiles of $report: $(diff "$tmp/table" "$tmp/json" | head -n 4)"
done
# where one frame stands for a stack it is the first of user code; for scripts beside the innermost
"$TTRACE" stw "$trace" | grep -q '  main\.(\*recording)\.runTrace [^ ]*:[0-9]* > runtime.StartTrace$' || fail "where a stop is, as text"
"$TTRACE" stw -format=json "$trace" | grep -q '"where":"runtime.StartTrace [^"]*","user_function":"main.(\*recording).runTrace"' ||
	fail "where a stop is, as JSON"
"$TTRACE" goroutine 1 -format=json "$trace" | grep -q '"where":"time.Sleep [^"]*","user_function":"main' ||
	fail "where a goroutine waits, as JSON"

# boards: all waits for locks and channels, as in the tree of blocking by reason; all stops; all waits for a P by what ran
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
	same "operations that are taxed of $trace" "$(tsv gctax | sum 11)" "$(tsv operations | sum 1)"
done
[ -s "$tmp/any-locks" ] && [ -s "$tmp/any-channels" ] || fail "no trace has waits for locks and channels"
exit $bad
