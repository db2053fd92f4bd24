#!/bin/sh
# SPDX-License-Identifier: MIT
# events, wire and footprint of one trace agree with each other; parts make up the whole; damage is said.
trace=$srcdir/samples/orders.trace
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
same()	# what, one, other
{
	[ "$2" = "$3" ] && return
	echo "$1: $2, expected $3"
	bad=1
}
"$TTRACE" events "$trace" >"$dir/all" || exit 1
"$TTRACE" footprint "$trace" >"$dir/footprint" || exit 1
"$TTRACE" wire "$trace" >"$dir/wire" || exit 1
count() { awk -v n="$1" '$1 == n { c = $4 } END { print c + 0 }' "$dir/footprint"; }

for ev in GoStart GoCreate UserTaskBegin UserLog String Stack; do
	same "wire: $ev" "$(grep -c "^$ev " "$dir/wire")" "$(count $ev)"
done
same "goroutines that start" "$(grep -c 'GoID=[0-9]* Runnable->Running' "$dir/all")" "$(count GoStart)"
same "goroutines made" "$(grep -c 'GoID=[0-9]* NotExist->' "$dir/all")" "$(($(count GoCreate) + $(count GoCreateBlocked)))"
same "logs" "$(grep -c ' Log Time=' "$dir/all")" "$(count UserLog)"

"$TTRACE" events -to=40% "$trace" >"$dir/head" || bad=1
"$TTRACE" events -from=40% "$trace" >"$dir/tail" || bad=1
cat "$dir/head" "$dir/tail" | cmp - "$dir/all" || bad=1
[ -s "$dir/head" ] && [ -s "$dir/tail" ] || { echo "a part is empty"; bad=1; }

g=$(sed -n 's/.*GoID=\([0-9]*\) NotExist->Runnable.*/\1/p' "$dir/all" | head -1)
same "events of goroutine $g" "$("$TTRACE" events -goroutine="$g" "$trace" | grep -c '^M=')" \
    "$(grep '^M=' "$dir/all" | grep -v ' Sync ' | grep -c -e "G=$g " -e "GoID=$g " -e "Goroutine($g)")"

size=$(wc -c <"$trace")
head -c $((size - 100)) "$trace" >"$dir/cut.trace"
"$TTRACE" events "$dir/cut.trace" >"$dir/part" 2>"$dir/notice" || { echo "a cut trace is refused"; bad=1; }
grep -q 'bytes (.*%) lost' "$dir/notice" || { echo "nothing said of what is lost"; bad=1; }
"$TTRACE" events -strict "$dir/cut.trace" >/dev/null 2>"$dir/notice"
same "status with -strict" $? 1
same "lines said with -strict" "$(wc -l <"$dir/notice")" 1
printf 'go 1.26 tra' >"$dir/none.trace"
"$TTRACE" events "$dir/none.trace" >"$dir/part" 2>"$dir/notice"
same "status of what is no trace" $? 1
exit $bad
