#!/bin/sh
# SPDX-License-Identifier: MIT
# Links between panes: a key shows the selected function, goroutine, task, GC cycle or event in another pane, and q returns to
# the screen before.
. "${srcdir:-.}/tests/lib.sh"
look=-ascii
# link FILE FROM TO TEXT...: after the keys FROM, the keys TO follow a link, and the screen has each TEXT; then q shows the
# screen after FROM again
link() {
	file=$samples/$1 from=$2 to=$3
	shift 3
	"$TTRACE" view $look -script "$from" "$file" >"$tmp/before"
	after "$file" "$from$to" "$@"
	"$TTRACE" view $look -script "$from${to}q" "$file" >"$tmp/after"
	# of events only the selected line is compared, because its place on the screen may differ
	case $from in *9*)
		grep '^>' "$tmp/before" >"$tmp/b" && mv "$tmp/b" "$tmp/before"
		grep '^>' "$tmp/after" >"$tmp/a" && mv "$tmp/a" "$tmp/after" ;;
	esac
	diff "$tmp/before" "$tmp/after" >"$tmp/diff" || fail "$from then $to: q does not show the screen before" "$(cat "$tmp/diff")"
}
# from a function to its source lines, its callers, its frame in the flame graph, and its times on the timeline
link cpu.pb.gz jjj 2 '[2List]' 'linux.Syscall6'
link cpu.pb.gz jjj 3 '[3Peek]' 'linux.Syscall6'
link cpu.pb.gz jjj 4 '[4Flame]' 'Syscall6  self'
link cpu.pb.gz jjj '<Enter>' '[3Peek]'
link orders.trace 1jjj 5 '[5Time]' 'fn=orders/internal/report' 'matches'
link orders.trace 1jjj 4 'export  self 50.0ms'
# from an interval on the timeline to its goroutine, its stack in the flame graph, its task, and the events at that time
link orders.trace 'gG55<Enter>gt1.32s<Enter>' 6 '[6Gor]' 'net/http.(*conn).serve'
link orders.trace 'gG55<Enter>gt1.32s<Enter>' 4 '[4Flame]'
link orders.trace 'gG55<Enter>gt1.32s<Enter>' 7 '[7Ops]' '12 kinds' '>authenticate'
link orders.trace 'gG55<Enter>gt1.32s<Enter>7<Enter>' '<Enter>' 'Operations > authenticate > #926'
link orders.trace 'gG55<Enter>gt1.32s<Enter>' 9 '[9Ev]' '1.32'
# 5 on a goroutine selects its row among all rows. 5 on a group shows only the rows of the group; 0, a search and u show all
# rows again.
link orders.trace 'jk6<Enter>jj' 5 '1637 G rows' 'G55 (*conn).serve  >' 'G54 (*conn).serve'
link orders.trace '6<Enter><Enter>' 5 '1637 G rows'
link orders.trace '6jj' 5 '3 G rows of' 'G2584'
for keys in j0 '/serve<Enter>' '/serve<Enter>n'; do
	"$TTRACE" view -script "6jj5$keys" "$trace" | sed -n 2p | grep -q '1637 G rows' ||
		fail "6jj5$keys does not show all rows"
done
"$TTRACE" view -script '6jj5j0u' "$trace" | sed -n 2p | grep -q '3 G rows' ||
	fail "u after 0 does not show the rows of the group again"
"$TTRACE" view -script ':rows related 98<Enter>u' "$trace" | sed -n 2p | grep -q '| 4 P |' ||
	fail "u does not undo :rows related"
"$TTRACE" view -script ':goroutine=98<Enter>j00' "$trace" | grep -q 'R removes them' ||
	fail "0 0 with a filter does not show how to remove it"
# from an interval of a goroutine, a task, a GC cycle and an event to their time on the timeline
link orders.trace '6<Enter><Enter>jjj' '<Enter>' '[5Time]' 'select 1.44ms'
link orders.trace '7/checkout<Enter><Enter><Enter>' 5 '[5Time]' 'task 1107'
link stock.trace '7<Enter>' 5 '[5Time]' 'G rows of operation #208'
after "$samples/stock.trace" '75:rows operation 401<Enter>' '[5Time]' 'G rows of operation #401'
link orders.trace 8jj '<Enter>' '[5Time]' '0.23'
link orders.trace '9gt1.201455s<Enter>jjj' '<Enter>' '[5Time]' 'G35'
link orders.trace '9gt1.201455s<Enter>jjj' 6 '[6Gor]' 'net/http.(*conn).serve'

# Until a key moves the cursor of the timeline there is no selection: W, 7, 2 and Enter take the worst finding, of which W and
# 7 take a slow operation, and f says that nothing is selected. A selection is named in the second line, and Esc drops it.
look="-ascii -size 120x30"
after "$trace" W 'checkout #739' '!from the timeline'
"$TTRACE" view $look -script '!W' "$trace" | sed -n 2p >"$tmp/finding"
"$TTRACE" view $look -script W "$trace" | sed -n 2p >"$tmp/first"
same 'W on the first screen and on the worst finding' "$(cat "$tmp/first")" "$(cat "$tmp/finding")"
after "$trace" jW 'from the timeline (Esc: the slowest)'
"$TTRACE" view $look -script 'jW<Esc>' "$trace" >"$tmp/out"
same 'W after Esc' "$(sed -n 2p "$tmp/out")" "$(cat "$tmp/first")"
after "$trace" 'jW<Esc>' '[WWhy]' 'selection of the timeline dropped'
after "$trace" 'jW<Esc><Esc>' '[5Time]' 'back from why to timeline'
after "$trace" 'j<Esc>W' '!from the timeline'
after "$trace" 'j<Esc>' '[5Time]' 'selection dropped'
after "$trace" 'j<Esc><Esc>' 'q quits'
after "$trace" 'jWqW' 'from the timeline'
after "$trace" f 'nothing is selected' '!not applied'
after "$trace" jf '1 P row'
after "$trace" '<Enter>' '[!Find]'
after "$trace" 2 '[2List]' 'sample type'
after "$trace" r 'read again' 'goroutines queue for a lock'
after "$trace" j2 '!sample type'
# D compares the slow operations of a kind, by one rule, wherever it is pressed and whatever row is selected
"$TTRACE" view $look -script D "$trace" | sed -n 2p >"$tmp/first"
grep -q 'latency=.*against=the rest' "$tmp/first" || fail 'D on the first screen does not compare slow operations' "$(cat "$tmp/first")"
after "$trace" '7/checkout<Enter>D' 'latency='
limit=$(sed -n '2s/.*\(latency=[^ ]*\).*/\1/p' "$tmp/out")
for keys in '<Enter>D' '<Enter>jjjD' '<Enter>j<Enter>D'; do
	after "$trace" "7/checkout<Enter>$keys" "$limit"
done
look=-ascii

# a trace with many CPU samples is shown as cpu, others as critical; reports have the same sample type
opens_on() { # opens_on TYPE FILE
	"$TTRACE" view -script 1 -size 120x24 "$2" | sed -n 2p | grep -q "^$1 " || fail "pane 1 of $2 does not open on $1"
	"$TTRACE" folded "$2" >"$tmp/default" 2>/dev/null
	"$TTRACE" folded -type="$1" "$2" 2>/dev/null | cmp -s - "$tmp/default" || fail "the report folded of $2 is not of $1"
}
head -c 300000 "$trace" >"$tmp/few.trace"
opens_on cpu "$trace"
opens_on critical "$tmp/few.trace"
opens_on critical "$top/samples/stock.trace"

# '' returns to the place before the last jump of any kind; '' again returns to the place after it
jump() { # jump FILE FROM KEYS: KEYS jump from the place after FROM; '' must return to it
	"$TTRACE" view -ascii -script "$2" "$samples/$1" | sed 2d >"$tmp/was"
	for quotes in "''" "''''''"; do
		"$TTRACE" view -ascii -script "$2$3$quotes" "$samples/$1" | sed 2d >"$tmp/is"
		diff "$tmp/was" "$tmp/is" || fail "$quotes after $2 and $3 does not return to the place before"
	done
}
jump orders.trace '++ll' 'gG98<Enter>'
jump orders.trace '' 'gt1.3s<Enter>'
jump orders.trace '++ll' 0
jump orders.trace 1jj G
jump cpu.pb.gz jj 4
exit $bad
