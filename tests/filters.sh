#!/bin/sh
# SPDX-License-Identifier: MIT
# Each filter in each pane: either what the pane shows is another thing, or the head line says that the filter is not
# applied here.
. "${srcdir:-.}/tests/lib.sh"

# body: the pane without the head lines, the detail and the keys
body() { sed '1,2d' | sed '$d' | sed '$d'; }

# filter TYPE COMMAND PANE...; options of the filter that is not a command are in $more
more=
filter() {
	type=$1 command=$2
	shift 2
	for pane in "$@"; do
		"$TTRACE" view -type="$type" -size 160x50 -script "$pane" "$trace" | body >"$tmp/all"
		"$TTRACE" view -type="$type" -size 160x50 -script "$command$pane" $more "$trace" >"$tmp/screen"
		body <"$tmp/screen" >"$tmp/some"
		head=$(sed -n 2p "$tmp/screen")
		case $head in
		*'not applied here: '*)
			cmp -s "$tmp/all" "$tmp/some" || fail "$command$pane is applied, and the head line denies it: $head" ;;
		*)
			cmp -s "$tmp/all" "$tmp/some" && fail "$command$pane changes nothing, and the head line does not say so: $head" ;;
		esac
	done
}

panes='1 3 4 5 6 7 8 9'
for command in ':focus=report' ':ignore=Login' ':hide=^net|Login' ':show=report' ':show_from=report' ':prune_from=ServeHTTP'; do
	filter cpu "$command<Enter>" $panes
done
for command in ':tagfocus=network' ':tagignore=network' ':taghide=reason' ':tagleaf=reason'; do
	filter block "$command<Enter>" 4 5 6 7 8 9
done
for command in ':group=report' ':task=checkout' ':region=db.query' ':task=checkout<Enter>:latency=>20ms' \
	':goroutine=98' ':goroutine=98,55' ':proc=1'; do
	filter run "$command<Enter>" $panes
done
filter sync ':proc=1<Enter>' $panes
filter sched ':proc=1<Enter>' 1 4
more='-from=1s -to=1.2s'
filter run '' $panes
more=
filter sched ':blame=self<Enter>' $panes
more=-blame=occupant
filter sched ':proc=1<Enter>' 1 4
more=

# where goroutines are counted as a whole the head line says so
for command in ':task=checkout' ':region=db.query' ':proc=1'; do
	"$TTRACE" view -size 160x50 -script "$command<Enter>6" "$trace" | sed -n 2p | grep -q '(whole lives)' ||
		fail "$command: not a word of whole lives"
done
# weight whose stack is missing has a frame, which can be filtered: own weights add up to the total
for type in run sched sync net syscall block assist; do
	"$TTRACE" view -type=$type -size 100x800 -script 1 "$trace" | grep -q ' 100.0% ' || fail "$type: own weights are not all"
done
"$TTRACE" view -type=sched -script ':focus=no stack<Enter>4' "$trace" >"$tmp/screen"
grep -q '^sched .* of .*focus=no stack' "$tmp/screen" && grep -q '^.(no stack)' "$tmp/screen" || fail "no frame (no stack)" "$(cat "$tmp/screen")"
exit $bad
