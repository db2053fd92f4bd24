#!/bin/sh
# SPDX-License-Identifier: MIT
# Links between panes: from a thing in one to the same thing in another, and q back to where one was.
. "${srcdir:-.}/tests/lib.sh"
# link FILE FROM TO TEXT...: keys that lead somewhere, keys that follow the link, and what is to be seen then;
# after as many q the screen is as it was
link() {
	file=$samples/$1 from=$2 to=$3
	shift 3
	"$TTRACE" view -ascii -script "$from" "$file" >"$tmp/before"
	"$TTRACE" view -ascii -script "$from$to" "$file" >"$tmp/there"
	for text in "$@"; do
		grep -qF -e "$text" "$tmp/there" || {
			echo "$from then $to: no \"$text\":"
			cat "$tmp/there"
			bad=1
		}
	done
	"$TTRACE" view -ascii -script "$from${to}q" "$file" >"$tmp/after"
	# events come back with the same one selected, elsewhere on the screen
	case $from in 9*)
		grep '^>' "$tmp/before" >"$tmp/b" && mv "$tmp/b" "$tmp/before"
		grep '^>' "$tmp/after" >"$tmp/a" && mv "$tmp/a" "$tmp/after" ;;
	esac
	diff "$tmp/before" "$tmp/after" >"$tmp/diff" || {
		echo "$from then $to: q does not lead back"
		cat "$tmp/diff"
		bad=1
	}
}
# a function: its lines, callers, flame, and when it ran
link cpu.pb.gz jjj 2 '[2List]' 'linux.Syscall6'
link cpu.pb.gz jjj 3 '[3Peek]' 'linux.Syscall6'
link cpu.pb.gz jjj 4 '[4Flame]' 'Syscall6  self'
link cpu.pb.gz jjj '<Enter>' '[3Peek]'
link orders.trace 1jjj 5 '[5Time]' 'fn=orders/internal/report' 'matches'
link orders.trace 1jjj 4 'export  self 50.0ms'
# a span: its goroutine, its stack in the flame graph, its task, the events then
link orders.trace 'gG55<Enter>gt1.32s<Enter>' 6 '[6Gor]' 'net/http.(*conn).serve'
link orders.trace 'gG55<Enter>gt1.32s<Enter>' 4 '[4Flame]'
link orders.trace 'gG55<Enter>gt1.32s<Enter>' 7 '[7Task]' '19 kinds' '>authenticate'
link orders.trace 'gG55<Enter>gt1.32s<Enter>7<Enter>' '<Enter>' 'Operations > authenticate > 926'
link orders.trace 'gG55<Enter>gt1.32s<Enter>' 9 '[9Ev]' '1.32'
# 5 on a goroutine selects its row among all; on a group it leaves the rows of that, and 0 brings the others back, as do
# a search and u
link orders.trace '6<Enter>jj' 5 '1637 G rows' 'G55 (*conn).serve  >' 'G54 (*conn).serve'
link orders.trace '6<Enter><Enter>' 5 '1637 G rows'
link orders.trace '6jj' 5 '3 G rows of' 'G2584'
for keys in j0 '/serve<Enter>' '/serve<Enter>n'; do
	"$TTRACE" view -script "6jj5$keys" "$trace" | sed -n 2p | grep -q '1637 G rows' || fail "6jj5$keys: not all rows"
done
"$TTRACE" view -script '6jj5j0u' "$trace" | sed -n 2p | grep -q '3 G rows' || fail "u after 0: not the rows as they were"
"$TTRACE" view -script ':rows related 98<Enter>u' "$trace" | sed -n 2p | grep -q '4 P rows' || fail "u: rows are narrowed still"
"$TTRACE" view -script ':goroutine=98<Enter>j00' "$trace" | grep -q 'R removes them' || fail "0: not a word of the filter"
# a goroutine's span, a task, a cycle, an event: the moment on the timeline
link orders.trace '6<Enter><Enter>jjj' '<Enter>' '[5Time]' 'select 1.44ms'
link orders.trace '7<Enter><Enter>' 5 '[5Time]' 'task 822'
link orders.trace 8jj '<Enter>' '[5Time]' '0.23'
link orders.trace 9jjj '<Enter>' '[5Time]' 'G35'
link orders.trace 9jjj 6 '[6Gor]' 'db.(*Server).session'

# a trace with few CPU samples is shown by what ran
head -c 300000 "$trace" >"$tmp/few.trace"
"$TTRACE" view -script 1 "$tmp/few.trace" | sed -n 2p | grep -q '^run ' || fail 'few samples: not what ran'
"$TTRACE" view -script 1 "$trace" | sed -n 2p | grep -q '^cpu ' || fail 'many samples: not cpu'

# two quotes: to where one was before the last jump, of whatever kind, and there and back again
jump() { # jump FILE FROM KEYS
	"$TTRACE" view -ascii -script "$2" "$samples/$1" | sed 2d >"$tmp/was"
	for quotes in "''" "''''''"; do
		"$TTRACE" view -ascii -script "$2$3$quotes" "$samples/$1" | sed 2d >"$tmp/is"
		diff "$tmp/was" "$tmp/is" || fail "$3 after $2 and $quotes is not as before"
	done
}
jump orders.trace '++ll' 'gG98<Enter>'
jump orders.trace '' 'gt1.3s<Enter>'
jump orders.trace '++ll' 0
jump orders.trace 1jj G
jump cpu.pb.gz jj 4
exit $bad
