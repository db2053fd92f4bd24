#!/bin/bash
# SPDX-License-Identifier: MIT
# With little memory for a trace: the same screens and the same reports as with much, and no word about it.
set -u
. "${srcdir:-.}/tests/lib.sh"
less=-mem=2M
pane() { # pane KEYS
	"$TTRACE" view -index=none -script "$1" -size 120x40 "$trace" >"$tmp/a" 2>&1
	"$TTRACE" "$less" view -index=none -script "$1" -size 120x40 "$trace" >"$tmp/b" 2>&1
	cmp -s "$tmp/a" "$tmp/b" || fail "another screen after '$1'"
}
for keys in '' 'jjj++++lll' '++++++++{{}}wwwbbb' '0Mjjjj' '6jj<Enter>' '6jj<Enter><Enter>jjj' '6jj<Enter><Enter>Gk<Backspace>k<Enter>' '6jj<Enter><Enter>/run<Enter>nn' '6(' '6jj(' '7jj<Enter>' '7[jj<Enter>' '8jj' '9jjjj<PgDn>' '5' '1' '4'; do
	pane "$keys"
done
for report in info goroutines 'goroutines -g=1' 'goroutines -group=.' 'goroutines -by=state' 'goroutines -format=json' tasks 'tasks -format=json' \
	'tasks -name=checkout' regions 'regions -format=json' 'regions -name=cache.Get -format=tsv' gc stw why 'why -format=json' 'top -type=critical' 'folded -type=sync -blame=chain' mmu procs syscalls stats 'stats -step=1ms' 'top -type=sched' \
	'raw -type=sched -blame=occupant' 'top -type=sched -blame=self' 'top -type=sched -blame=occupant -proc=0' 'raw -type=run -task=.' 'top -type=run -region=. -cum' 'gc -task=.' 'traces -type=block'; do
	set -- $report
	"$TTRACE" "$@" -index=none "$trace" >"$tmp/a" 2>&1
	"$TTRACE" "$less" "$@" -index=none "$trace" >"$tmp/b" 2>&1
	cmp -s "$tmp/a" "$tmp/b" || fail "another report: $report"
done
# a pipe has no file to go back to: what came through it is held
"$TTRACE" goroutines - <"$trace" >"$tmp/a" 2>&1
cat "$trace" | "$TTRACE" "$less" goroutines - >"$tmp/b" 2>&1
cmp -s "$tmp/a" "$tmp/b" || fail "another report of a pipe"
exit $bad
