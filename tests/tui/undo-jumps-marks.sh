#!/bin/sh
# SPDX-License-Identifier: MIT
# Undo and redo, the jump list up to its full length, marks, digits, which open panes, and Esc, which goes one step out.
. "${srcdir:-.}/tests/lib.sh"
look='-ascii -size 100x24'
alike() { # alike KEYS OTHERS: both select the same row in the same pane
	after "$file" "$1"
	one=$(grep -e '^>' "$tmp/out")$(head -n 1 "$tmp/out")
	after "$file" "$2"
	same "$1 and $2" "$one" "$(grep -e '^>' "$tmp/out")$(head -n 1 "$tmp/out")"
}
reps() { printf "$2%.0s" $(seq "$1"); }

file=$samples/orders.trace
# a query that opens another pane is undone in two steps: first the pane, then the query
after "$file" 6D '[4Flame]' 'against=the rest'
after "$file" 6Du '[6Gor]' 'against=the rest'
after "$file" 6Duu '[6Gor]' '!against' 'whole trace'
after "$file" '6Duu<^R>' '[6Gor]' 'against=the rest'
after "$file" '6Duu<^R><^R>' '[4Flame]' 'against=the rest'
after "$file" '6Duu<^R><^R><^R>' 'nothing to redo'
# :diff of two time ranges shows their difference; ~ exchanges them, undo ends it
after "$file" ':diff 0s..100ms 100ms..200ms<Enter>1' '[1Top]' 'A - B' 'against=0..100ms' '100ms..200ms'
after "$file" ':diff 0s..100ms 100ms..200ms<Enter>1~' 'against=100ms..200ms' '0..100ms'
after "$file" ':diff 0s..100ms 100ms..200ms<Enter>6' 'not applied here: against=0..100ms'
after "$file" ':diff 0s..100ms 100ms..200ms<Enter>1uu' '!against'
# without a value, :diff ends the comparison, also after the prompt of its key
after "$file" ':diff 0s..100ms 100ms..200ms<Enter>1:diff<Enter>' '[1Top]' '!A - B' '!against'
after "$file" ':diff 0s..100ms 100ms..200ms<Enter>1B<Enter>' '[1Top]' '!A - B' '!against'
after "$file" ':diff<Enter>' 'no comparison to end: :diff FILE compares with FILE'
after "$file" 'B' ':diff'
# in a pane that cannot show a difference, D opens the report of the comparison
after "$file" ':diff 0s..100ms 100ms..200ms<Enter>8' 'D: what differs'
after "$file" ':diff 0s..100ms 100ms..200ms<Enter>8D' '[Report]' 'ttrace gc -from=100000000ns' 'differ by more than the spread'
after "$file" ':diff 0s..100ms 100ms..200ms<Enter>5D' '[Report]' 'ttrace findings'
# 2 on a finding shows its line in a sample type that has what happens there; undo returns
after "$file" '!/lock-queue<Enter>2' '[2List]' 'cache.(*Cache).Get cache.go' 'sample type time'
after "$file" '!/lock-queue<Enter>2uu' '!cache.(*Cache).Get cache.go  flat'
after "$file" ':list nothing.at.all<Enter>' 'matches nothing.at.all (:type time has all)'
# after an undo, a new step replaces the steps that could be redone
after "$file" '67u<^R>' '[7Ops]'
after "$file" '67u8<^R>' '[8GC]' 'nothing to redo'
after "$file" '678uu9<^R>' '[9Ev]' 'nothing to redo'
after "$file" '67uuu' 'nothing to undo'
# the jump list keeps 200 jumps and removes the oldest ones
all=$(reps 130 67)
after "$file" "$all$(reps 198 '<^O>')" '!this is the first place'
after "$file" "$all$(reps 200 '<^O>')" 'this is the first place'
after "$file" "$all$(reps 200 '<^O>')$(reps 199 'g;')" '!this is the newest place' '[7Ops]'
after "$file" "$all$(reps 200 '<^O>')$(reps 200 'g;')" 'this is the newest place'
# undo keeps 500 steps
after "$file" "$(reps 251 67)$(reps 500 u)" '!nothing to undo'
after "$file" "$(reps 251 67)$(reps 501 u)" 'nothing to undo'
# marks, and '' back from a mark
after "$file" "6ma7'a" '[6Gor]'
after "$file" "6ma7'a''" '[7Ops]'
after "$file" "6'b" 'no mark b'
# a digit opens its pane, also before a 0, and never begins a count: # does
after "$file" '4j<Enter>' '[4Flame]'
after "$file" '4j<Enter>0' '[4Flame]' '!40'
after "$file" 40 '[4Flame]' 'zoom-all: everything is shown'
after "$file" 10 '[1Top]' 'a count begins with #: #10j'
after "$file" 5vllll1 '[1Top]' '1.20s..1.3'
after "$file" 5vllll10 '[1Top]' '1.20s..1.3'
alike '6#10j' "6$(reps 10 j)"
alike '6#5gg' "6$(reps 4 j)"
after "$file" '#1' '#1'
file=$samples/cpu.pb.gz
alike '#12j' "$(reps 12 j)"
alike '1#1<Esc>j' 1j
after "$file" 5 '[1Top]' 'timeline: not for this kind of file'
# Esc goes one step out, the innermost first, says what it left, and never quits
after "$file" '4j<Enter><Esc>' '[4Flame]' 'zoomed out'
after "$file" '4j<Enter><Esc><Esc>' '[1Top]' 'back from flame to top'
after "$file" 'f<Esc>' 'filter removed' '!focus='
after "$file" 'fG<Esc>' 'focus=' 'this is the first place: q quits'
file=$samples/orders.trace
after "$file" '<Esc>' '[5Time]' 'this is the first place: q quits'
after "$file" '<Esc><Esc>6' '[6Gor]'
after "$file" 'W<Esc>' '[5Time]' 'back from why to timeline'
after "$file" '!<Esc>' '[5Time]' 'back from findings to timeline'
after "$file" '!<Enter><Esc>' '[!Find]' 'back from timeline to findings'
after "$file" '6<Enter><Enter><Esc>' '[6Gor]' 'one level up in goroutines'
after "$file" '6<Enter><Enter><Esc><Esc><Esc>' '[5Time]' 'back from goroutines to timeline'
after "$file" '+++<Esc>' '0.00s..2.40s of 2.40s' 'zoomed out (u zooms in again)'
after "$file" '+++<Esc>u' '!0.00s..2.40s of 2.40s'
after "$file" '++vll<Esc>' 'range dropped' '!0.00s..2.40s of 2.40s'
after "$file" '++vll<Esc><Esc>' 'zoomed out' '0.00s..2.40s of 2.40s'
after "$file" ':where wait>1us<Enter><Esc>' 'search for wait>1us ended'
after "$file" '1/json<Enter><Esc>' '[1Top]' 'search for json ended'
after "$file" '1&json<Enter><Esc>' '[1Top]' 'all lines, not only those with json'
after "$file" '1/json<Enter>&json<Enter><Esc><Esc><Esc>' '[5Time]'
after "$file" '7v<Esc>' '[7Ops]' 'left the histogram'
after "$file" '7<Enter>vl<Enter><Esc>' '[7Ops]' 'all durations'
after "$file" '7jj4<Esc>' '[7Ops]' 'back from flame to tasks, with the filters of before' '!task='
after "$file" '7jj4<Esc><^R><^R>' '[4Flame]' 'task='
after "$file" '#1g<Esc>' 'dropped: #1g'
after "$file" 'm<Esc>' 'dropped: m'
after "$file" 'm<Esc>a<Esc>' '!mark a set'
exit $bad
