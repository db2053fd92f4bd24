#!/bin/sh
# SPDX-License-Identifier: MIT
# Each filter changes the contents of each pane, or the head line shows that it is not applied there. A filter selects the same
# goroutines and events in reports and in panes.
. "${srcdir:-.}/tests/lib.sh"

# A viewer begins in the pane that is tested: to draw the timeline first would take longer than all else.
# view PANE TYPE OPTION...: print that pane
view() {
	view_pane=$1 view_type=$2
	shift 2
	"$TTRACE" view -pane="$view_pane" -type="$view_type" -size 160x50 "$@" "$trace"
}
body() { sed '1,2d;49,50d'; }	# without the head lines, the line of details and the line of keys

# filter TYPE COMMAND PANE...: check the filter that COMMAND or the options in $more set
more=
filter() {
	type=$1 command=$2
	shift 2
	for pane in "$@"; do
		all=$tmp/all-$type-$pane	# the pane without a filter
		[ -e "$all" ] || view "$pane" "$type" -script '' | body >"$all"
		view "$pane" "$type" -script "$command" $more >"$tmp/screen"
		body <"$tmp/screen" >"$tmp/some"
		head=$(sed -n 2p "$tmp/screen")
		case $head in
		*'not applied here: '*)
			cmp -s "$all" "$tmp/some" ||
				fail "$command in $pane is applied, and the head line says that it is not: $head" ;;
		*)
			cmp -s "$all" "$tmp/some" &&
				fail "$command in $pane changes nothing, and the head line does not say so: $head" ;;
		esac
	done
}

panes='top peek flame timeline goroutines tasks gc events'
for command in ':focus=report' ':ignore=Login|session' ':hide=^net|Login' ':show=report' ':show_from=report' ':prune_from=ServeHTTP'; do
	filter cpu "$command<Enter>" $panes
done
for command in ':tagfocus=network' ':tagignore=network' ':taghide=reason' ':tagleaf=reason'; do
	filter block "$command<Enter>" flame timeline goroutines tasks gc events
done
for command in ':group=report' ':task=checkout' ':region=db.query' ':task=checkout<Enter>:latency=>20ms' \
	':goroutine=98' ':goroutine=98,55' ':proc=1'; do
	filter run "$command<Enter>" $panes
done
filter sync ':proc=1<Enter>' $panes
filter sched ':proc=1<Enter>' top flame
more='-from=1s -to=1.2s'
filter run '' $panes
more=
filter sched ':blame=self<Enter>' $panes
more=-blame=occupant
filter sched ':proc=1<Enter>' top flame
more=

# A filter selects the same goroutines in reports, in the stream of events, and in panes. Their numbers are in $tmp/ids.
head_line() { # head_line PANE OPTION...
	head_pane=$1
	shift
	view "$head_pane" run -script '' "$@" | sed -n 2p
}
count() { sed 's/,//g' | sed -n "s/^\(.*[^0-9]\)\{0,1\}\([0-9]\{1,\}\) $1.*/\2/p"; }	# count WORD: print the number before WORD
agree() { # agree FILTER...: reports and panes must have the same goroutines and times with the filter
	"$TTRACE" goroutines -group='^$' -format=tsv "$@" "$trace" | sed 1d | cut -f1 | sort -u >"$tmp/ids"
	n=$(wc -l <"$tmp/ids" | tr -d ' ')
	[ "$n" -gt 0 ] || fail "$*: no goroutines"
	same "$*: goroutines in pane 6" "$(head_line goroutines "$@" | count 'goroutines\{0,1\} in')" "$n"
	for report in top tree; do
		"$TTRACE" $report -type=run -unit=ns "$@" "$trace" | sed -n 's/.* of \([0-9]*\)ns total$/\1/p' >"$tmp/$report"
	done
	same "$*: time in tree" "$(cat "$tmp/tree")" "$(cat "$tmp/top")"
	for pane in top flame; do
		head_line $pane "$@" | sed -n 's/^run \([0-9.]*\)\([a-z]*\) .*/\1 \2/p' >"$tmp/total"
		awk -v all="$(cat "$tmp/top")" '{ u["ns"] = 1; u["us"] = 1e3; u["ms"] = 1e6; u["s"] = 1e9; d = $1 * u[$2] / all
			exit d < 0.99 || d > 1.01 }' "$tmp/total" || fail "$*: time in pane $pane: $(cat "$tmp/total" "$tmp/top")"
	done
}
# events_agree FILTER...: each event is of a goroutine of $tmp/ids or changes its state, and each of these goroutines has one
events_agree() {
	"$TTRACE" events "$@" "$trace" | awk -v ids="$tmp/ids" '
		BEGIN { while ((getline g <ids) > 0) want["G=" g] = want["GoID=" g] = 1 }
		/^M=/ { ok = 0
			for (i = 3; i <= NF && i < 8; i++)
				if ($i in want) { ok = 1; sub(/.*=/, "", $i); seen[$i] = 1 }
			other += !ok }
		END { for (w in want) { sub(/.*=/, "", w); lost += !(w in seen) }; print other + 0, lost + 0 }' >"$tmp/events"
	same "$*: events of other goroutines, goroutines without events" "$(cat "$tmp/events")" "0 0"
}
for words in -group=report -goroutine=98,g55 -goroutine=98 -task=checkout -task=900 -task=t900 -region=db.query \
	'-task=checkout -latency=>20ms' '-group=conn -region=db' '-group=conn -task=checkout' '-goroutine=98,55 -task=checkout' -proc=1 \
	'-proc=1 -task=checkout' '-proc=1 -group=report'; do
	# shellcheck disable=SC2086
	set -- $words
	agree "$@"
	tasks=$("$TTRACE" tasks -format=tsv "$@" "$trace" | awk 'NR > 1 { n += $1 } END { print n + 0 }')
	same "$*: tasks in pane 7" "$(head_line tasks "$@" | count 'tasks\{0,1\} ')" "$tasks"
	[ "$*" = "${*#*-proc}" ] || continue
	same "$*: rows in pane 5" "$(head_line timeline "$@" | count 'G rows\{0,1\} of')" "$n"
	events_agree "$@"
	for keys in gg G; do	# the goroutine of each event is the fourth word
		view events run -script "$keys" "$@" | sed -n '4,48s/^[> ]*[0-9.]*s *+*[^ ]* *[A-Za-z]* *G\([0-9]*\) .*/\1/p' |
			sort -u >"$tmp/by"
		[ -s "$tmp/by" ] || fail "$*: no events in pane 9"
		same "$*: other goroutines in pane 9" "$(sort "$tmp/ids" | comm -13 - "$tmp/by")" ""
	done
done
agree '-group=^$' -from=1s -to=1.2s
# focus and ignore: goroutines, tasks and operations, GC cycles and stops in reports and panes; events by their stacks or goroutines
for words in -focus=db -ignore=db '-focus=Mutex -from=1s -to=1.4s' '-focus=report -ignore=Mutex' '-focus=db -group=conn'; do
	# shellcheck disable=SC2086
	set -- $words
	n=$("$TTRACE" goroutines -group='^$' -format=tsv "$@" "$trace" | sed 1d | wc -l | tr -d ' ')
	same "$*: goroutines in pane 6" "$(head_line goroutines "$@" | count 'goroutines\{0,1\} in')" "$n"
	same "$*: rows in pane 5" "$(head_line timeline "$@" | count 'G rows\{0,1\} of')" "$n"
	for list in 'tasks tasks\{0,1\}' 'operations others\{0,1\}'; do
		[ "$words $list" != "-ignore=db tasks tasks\{0,1\}" ] || continue	# one task has no goroutine, and is not in the pane
		all=$("$TTRACE" ${list% *} -format=tsv "$@" "$trace" |
			awk -F'\t' -v list="${list% *}" 'NR > 1 && (list == "tasks" || $9 != "task") { n += $1 + (list == "tasks" ? 0 : $25) } END { print n + 0 }')
		same "$*: $list in pane 7" "$(head_line tasks "$@" | count "${list#* }")" "$all"
	done
	same "$*: GC cycles in pane 8" "$(head_line gc "$@" | sed -n 's/^\([0-9]*\) cycles\{0,1\}.*/\1/p')" \
		"$("$TTRACE" gc -format=tsv "$@" "$trace" | sed 1d | wc -l | tr -d ' ')"
	same "$*: stops in pane 8" "$(head_line gc "$@" | count 'stops\{0,1\}')" \
		"$("$TTRACE" stw -format=tsv "$@" "$trace" | sed 1d | wc -l | tr -d ' ')"
done
# the goroutines of the events in focus are those in focus, or were woken by these; ignore leaves no event of a start function
"$TTRACE" events -focus=session -format=tsv "$trace" | awk -F'\t' 'NR > 1 && $7 !~ /session/ { print $4 }' | sort -u >"$tmp/others"
"$TTRACE" goroutines -group='session|^$' -focus=session -format=tsv "$trace" | awk -F'\t' 'NR > 1 { print $1 }' | sort >"$tmp/ids"
[ -s "$tmp/others" ] || fail "no event of a goroutine in focus without the function on its stack"
"$TTRACE" events -ignore=session -format=tsv "$trace" | grep -c session | grep -qx 0 || fail "-ignore=session leaves events with it"
view events run -script '' -focus=session | sed -n '4,20s/.* G[0-9]* \([^ ]*\) .*/\1/p' | grep -v session >"$tmp/by"
[ ! -s "$tmp/by" ] || fail "pane 9 has events out of focus: $(head -n 3 "$tmp/by")"
agree '-group=^$'

# all reports refuse a wrong filter with the same error
for words in '-group=(' '-task=(' '-region=(' '-task=a -region=b' '-goroutine=x' '-goroutine=1,' '-latency=5 -task=a'; do
	# shellcheck disable=SC2086
	set -- $words
	"$TTRACE" goroutines "$@" "$trace" >"$tmp/out" 2>"$tmp/want" && fail "goroutines accepts $*"
	for report in tasks events top view; do
		"$TTRACE" $report "$@" "$trace" >"$tmp/out" 2>"$tmp/err" </dev/null && fail "$report accepts $*"
		same "$report $*" "$(cat "$tmp/err")" "$(cat "$tmp/want")"
	done
done

# pane 6 counts goroutines from start to end, also outside the spans of the filter; its head line shows that
for command in ':task=checkout' ':region=db.query' ':proc=1'; do
	view goroutines run -script "$command<Enter>" | sed -n 2p | grep -q '(whole lives)' ||
		fail "$command: the head line lacks \"(whole lives)\""
done
# weight without a stack gets a frame (no stack), which can be filtered, so own weights add up to the total
for type in run sched sync net syscall block assist critical time "sync -blame=chain"; do
	"$TTRACE" view -pane=top -type=$type -size 100x800 -script '' "$trace" | grep -q ' 100.0% ' ||
		fail "$type: own weights do not add up to 100 %"
done
"$TTRACE" view -type=sched -script ':focus=no stack<Enter>4' "$trace" >"$tmp/screen"
grep -q '^sched .* of .*focus=no stack' "$tmp/screen" && grep -q '^.(no stack)' "$tmp/screen" ||
	fail ":focus=no stack shows no frame (no stack)" "$(cat "$tmp/screen")"
exit $bad
