#!/bin/sh
# SPDX-License-Identifier: MIT
# Undo and redo, the jump list up to its full length, marks, and digits that open panes before a 0 makes them a count.
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
# 2 on a finding of a function that only waits changes to a sample type in which the function has samples; undo returns
after "$file" '!/lock-queue<Enter>2' '[2List]' 'cache.(*Cache).Get cache.go' 'nothing of it in'
after "$file" '!/lock-queue<Enter>2uu' '!cache.(*Cache).Get cache.go  flat'
after "$file" ':list nothing.at.all<Enter>' 'matches nothing.at.all (:type time has all)'
# after an undo, a new step replaces the steps that could be redone
after "$file" '67u<^R>' '[7Task]'
after "$file" '67u8<^R>' '[8GC]' 'nothing to redo'
after "$file" '678uu9<^R>' '[9Ev]' 'nothing to redo'
after "$file" '67uuu' 'nothing to undo'
# the jump list keeps 200 jumps and removes the oldest ones
all=$(reps 130 67)
after "$file" "$all$(reps 198 '<^O>')" '!this is the first place'
after "$file" "$all$(reps 200 '<^O>')" 'this is the first place'
after "$file" "$all$(reps 200 '<^O>')$(reps 199 'g;')" '!this is the newest place' '[7Task]'
after "$file" "$all$(reps 200 '<^O>')$(reps 200 'g;')" 'this is the newest place'
# undo keeps 500 steps
after "$file" "$(reps 251 67)$(reps 500 u)" '!nothing to undo'
after "$file" "$(reps 251 67)$(reps 501 u)" 'nothing to undo'
# marks, and '' back from a mark
after "$file" "6ma7'a" '[6Gor]'
after "$file" "6ma7'a''" '[7Task]'
after "$file" "6'b" 'no mark b'
# A digit opens a pane. If a 0 follows, the digits are a count: the pane and the range that the digit applied are undone.
alike '6<Esc>10j' "6$(reps 10 j)"
alike 610j "$(reps 610 j)"
after "$file" 5vllll1 '[1Top]' '1.20s..1.32s'
after "$file" 5vllll10l '[5Time]' '0.00s..2.40s of 2.40s' '!| 1.20s..'
after "$file" '5vllll10luu' '!1.20s..1.32s'
# a digit without a pane begins a count at once
file=$samples/cpu.pb.gz
alike 16j "1$(reps 16 j)"
alike 6j "$(reps 6 j)"
alike '#12j' "$(reps 12 j)"
exit $bad
