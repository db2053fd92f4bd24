#!/bin/sh
# SPDX-License-Identifier: MIT
# Every input that the fuzzers keep, once more through their entries, under whatever compiler and sanitizer this is built
# with: fuzz/corpus are files that the viewer opens, fuzz/corpus-elf programs, fuzz/corpus-words short texts.
. "${srcdir:-.}/tests/lib.sh"

# replays NAME FOLDER: an input of FOLDER makes fuzz/fuzz-NAME neither crash nor find a property broken
replays() {
	"$build/fuzz/fuzz-$1" "$top/fuzz/$2"/* >"$tmp/out" 2>&1 || {
		fail "fuzz-$1 fails on an input of fuzz/$2"
		tail -30 "$tmp/out"
	}
}
replays words corpus-words
replays elf corpus-elf
for name in file gotrace keep pprof text; do
	replays $name corpus
done
exit $bad
