#!/bin/bash
# SPDX-License-Identifier: MIT
# Limits of memory: -mem bounds the memory for any file.
set -u
. "${srcdir:-.}/tests/lib.sh"
# -mem below 128 MB is taken as 128 MB, with a notice; larger values have no notice
"$TTRACE" info -mem=2M "$trace" >"$tmp/a" 2>"$tmp/said"
grep -q -- '-mem .*128 MB' "$tmp/said" || fail 'no notice that the limit was taken as 128 MB'
"$TTRACE" info -mem=128M "$trace" >"$tmp/b" 2>"$tmp/said"
[ ! -s "$tmp/said" ] || fail 'a notice although the limit was not changed'
cmp -s "$tmp/a" "$tmp/b" || fail 'the report within 128 MB differs'
# Small files that inflate to large data: of a trace the part that fits is shown, with a notice; a profile is refused.
{
	cat "$trace"
	head -c 160000000 /dev/zero
} | gzip -1 >"$tmp/zeros.gz"
"$TTRACE" info -mem=128M "$tmp/zeros.gz" >"$tmp/b" 2>"$tmp/said" || fail 'a trace that 160 MB of zeros follow is refused'
grep -q '^goroutines' "$tmp/b" && grep -q 'decompressed data takes more memory than the limit of -mem; the data before it is shown' "$tmp/b" ||
	fail "a trace that 160 MB of zeros follow is not shown with a notice: $(tail -n 2 "$tmp/b" "$tmp/said")"
yes 2 | tr '\n' '\0' | head -c 60000000 | gzip -1 >"$tmp/strings.gz"	# 30 million empty strings
for report in top info; do
	"$TTRACE" "$report" -mem=128M "$tmp/strings.gz" >"$tmp/b" 2>"$tmp/said"
	[ $? = 1 ] && [ "$(wc -l <"$tmp/said")" = 1 ] && grep -q 'the profile takes more memory than the limit of -mem' "$tmp/said" ||
		fail "$report does not refuse a profile of 30 million strings: $(cat "$tmp/b" "$tmp/said")"
done
# of five million mappings without an id, which would be numbered in their order, memory is limited
{ printf '\012\004\010\001\020\002\062\000\062\001n\062\001u' && yes "$(printf '\032\002\050\001')" | tr -d '\n' | head -c 20000000; } |
	gzip -1 >"$tmp/ids.gz"
"$TTRACE" top -mem=128M "$tmp/ids.gz" >"$tmp/b" 2>"$tmp/said"
[ $? = 1 ] && grep -q 'the profile takes more memory than the limit of -mem' "$tmp/said" || fail "mappings with id 0: $(cat "$tmp/b" "$tmp/said")"
# an input larger than half of the limit is not refused although it does not arrive in one piece
head -c 140000000 /dev/zero | "$TTRACE" info -mem=150M - >"$tmp/b" 2>"$tmp/said"
grep -q 'data of an unknown kind' "$tmp/said" || fail "a pipe of 140 MB with a limit of 150 MB: $(cat "$tmp/b" "$tmp/said")"
# of text the part that fits is shown, with a notice: folded stacks of 1.5 million functions, a legacy profile
awk 'BEGIN { for (i = 0; i < 1500000; i++) print "main;function" i " 1" }' | gzip -1 >"$tmp/folded.gz"
{
	echo 'heap profile: 1: 1 [1: 1] @ heap/524288'
	awk 'BEGIN { for (i = 1; i < 2000000; i++) printf "1: 8 [1: 8] @ 0x%x 0x%x\n", i * 64, i * 64 + 200000000 }'
} | gzip -1 >"$tmp/legacy.gz"
for bomb in folded legacy; do
	"$TTRACE" info -mem=128M "$tmp/$bomb.gz" >"$tmp/b" 2>"$tmp/said" || fail "$bomb is refused: $(cat "$tmp/said")"
	cat "$tmp/said" >>"$tmp/b"
	[ "$(grep -c 'takes more memory than the limit of -mem; what was read until then is shown' "$tmp/b")" = 1 ] ||
		fail "the large $bomb file does not have one notice: $(tail -n 5 "$tmp/b")"
done
# Without a paging file, the part of a trace that fits is shown, with one notice of what all of it needs; with it, all is shown.
sanitized && exit $bad	# a sanitizer takes memory of its own
"$build/bench/gentrace" -events 16000000 "$tmp/large" >/dev/null 2>&1
"$TTRACE" info -mem=128M "$tmp/large" >"$tmp/a" 2>"$tmp/said"
[ ! -s "$tmp/said" ] && ! grep -q '^notice' "$tmp/a" || fail "a notice although the paging file has room: $(cat "$tmp/said")"
TTRACESECURE=1 "$TTRACE" gc -mem=128M "$tmp/large" >"$tmp/b" 2>"$tmp/said"
[ $? = 0 ] && [ -s "$tmp/b" ] && [ "$(wc -l <"$tmp/said")" = 1 ] &&
	grep -Eq 'the first [1-9][0-9]% of the trace is shown: all of it needs about [23][0-9][0-9]MB; set a larger -mem \(now 128MB\), or unset TTRACESECURE' "$tmp/said" ||
	fail "a trace of 100 MB within 128 MB: $(cat "$tmp/said")"
TTRACESECURE=1 "$TTRACE" view -mem=128M -script '<C-g>' -size 150x30 "$tmp/large" >"$tmp/b" 2>&1
grep -q 'notices *the first [1-9][0-9]% of the trace is shown' "$tmp/b" && grep -q '^ *goroutines *10,000' "$tmp/b" ||
	fail "the viewer of a trace of 100 MB within 128 MB: $(cat "$tmp/b")"
TTRACESECURE=1 "$TTRACE" gc -strict -mem=128M "$tmp/large" >"$tmp/b" 2>&1 && fail '-strict takes a part of a trace as the whole'
exit $bad
