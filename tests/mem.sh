#!/bin/bash
# SPDX-License-Identifier: MIT
# With room for few sheets of a trace: the same screens and reports as with room for all, and no word about it.
set -u
. "${srcdir:-.}/tests/lib.sh"
few=(env TTRACE_SHEETS=1)	# the program makes it four sheets
pane() { # pane KEYS
	"$TTRACE" view -script "$1" -size 120x40 "$trace" >"$tmp/a" 2>&1
	"${few[@]}" "$TTRACE" view -script "$1" -size 120x40 "$trace" >"$tmp/b" 2>&1
	cmp -s "$tmp/a" "$tmp/b" || fail "another screen after '$1'"
}
for keys in '' 'jjj++++lll' '++++++++{{}}wwwbbb' '0Mjjjj' '6jj<Enter>' '6jj<Enter><Enter>jjj' '6jj<Enter><Enter>Gk<Backspace>k<Enter>' '6jj<Enter><Enter>/run<Enter>nn' '6(' '6jj(' '7jj<Enter>' '7[jj<Enter>' '8jj' '9jjjj<PgDn>' '5' '1' '4'; do
	pane "$keys"
done
for report in info goroutines 'goroutines -g=1' 'goroutines -group=.' 'goroutines -by=state' 'goroutines -format=json' tasks 'tasks -format=json' \
	'tasks -name=checkout' regions 'regions -format=json' 'regions -name=cache.Get -format=tsv' gc stw why 'why -format=json' 'top -type=critical' 'folded -type=sync -blame=chain' mmu procs syscalls stats 'stats -step=1ms' 'top -type=sched' \
	'raw -type=sched -blame=occupant' 'top -type=sched -blame=self' 'top -type=sched -blame=occupant -proc=0' 'raw -type=run -task=.' 'top -type=run -region=. -cum' 'gc -task=.' 'traces -type=block'; do
	set -- $report
	"$TTRACE" "$@" "$trace" >"$tmp/a" 2>&1
	"${few[@]}" "$TTRACE" "$@" "$trace" >"$tmp/b" 2>&1
	cmp -s "$tmp/a" "$tmp/b" || fail "another report: $report"
done
# less than 128 MB are taken as 128 MB, and that is said once; a limit that is kept is not mentioned
"$TTRACE" info -mem=2M "$trace" >"$tmp/a" 2>"$tmp/said"
grep -q -- '-mem .*128 MB' "$tmp/said" || fail 'no word about a limit that is too small'
"$TTRACE" info -mem=128M "$trace" >"$tmp/b" 2>"$tmp/said"
[ ! -s "$tmp/said" ] || fail 'a word about a limit that is kept'
cmp -s "$tmp/a" "$tmp/b" || fail 'another report within 128 MB'
# A small file that takes much memory: of a trace what fits is shown, and a notice says so; a profile is refused.
{
	cat "$trace"
	head -c 300000000 /dev/zero
} | gzip -1 >"$tmp/zeros.gz"
"$TTRACE" info -mem=128M "$tmp/zeros.gz" >"$tmp/b" 2>"$tmp/said" || fail 'a trace with a bomb behind it is refused'
grep -q '^goroutines' "$tmp/b" && grep -q 'decompressed data takes more memory than the limit of -mem; the data before it is shown' "$tmp/b" ||
	fail "a trace with a bomb behind it: $(tail -n 2 "$tmp/b" "$tmp/said")"
yes 2 | tr '\n' '\0' | head -c 60000000 | gzip -1 >"$tmp/strings.gz"	# 30 million empty strings
for report in top info; do
	"$TTRACE" "$report" -mem=128M "$tmp/strings.gz" >"$tmp/b" 2>"$tmp/said"
	[ $? = 1 ] && [ "$(wc -l <"$tmp/said")" = 1 ] && grep -q 'the profile takes more memory than the limit of -mem' "$tmp/said" ||
		fail "$report of very many strings: $(cat "$tmp/b" "$tmp/said")"
done
# of text what fits is shown, and a notice says so: folded stacks of very many functions, a legacy profile
awk 'BEGIN { for (i = 0; i < 3000000; i++) print "main;function" i " 1" }' | gzip -1 >"$tmp/folded.gz"
{
	echo 'heap profile: 1: 1 [1: 1] @ heap/524288'
	awk 'BEGIN { for (i = 1; i < 3000000; i++) printf "1: 8 [1: 8] @ 0x%x 0x%x\n", i * 64, i * 64 + 200000000 }'
} | gzip -1 >"$tmp/legacy.gz"
for bomb in folded legacy; do
	"$TTRACE" info -mem=128M "$tmp/$bomb.gz" >"$tmp/b" 2>"$tmp/said" || fail "$bomb is refused: $(cat "$tmp/said")"
	cat "$tmp/said" >>"$tmp/b"
	[ "$(grep -c 'takes more memory than the limit of -mem; what was read until then is shown' "$tmp/b")" = 1 ] ||
		fail "$bomb that takes much memory: $(tail -n 5 "$tmp/b")"
done
# a pipe has no file to go back to: what came through it is held
"$TTRACE" goroutines - <"$trace" >"$tmp/a" 2>&1
cat "$trace" | "${few[@]}" "$TTRACE" goroutines - >"$tmp/b" 2>&1
cmp -s "$tmp/a" "$tmp/b" || fail "another report of a pipe"
exit $bad
