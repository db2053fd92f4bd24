#!/bin/sh
# SPDX-License-Identifier: MIT
# Each fuzzer reads every input of its corpus again, with the compiler and the sanitizers of this build. fuzz/corpus has
# files that the viewer opens, fuzz/corpus-NAME the inputs of fuzz-NAME, most of them found by it.
. "${srcdir:-.}/tests/lib.sh"

# replays NAME FOLDER: an input of FOLDER makes fuzz/fuzz-NAME neither crash nor find a property broken
replays() {
	"$build/fuzz/fuzz-$1" "$top/fuzz/$2"/* >"$tmp/out" 2>&1 || {
		fail "fuzz-$1 fails on an input of fuzz/$2"
		tail -30 "$tmp/out"
	}
}
for name in elf gotrace pprof viewer words; do
	replays $name corpus-$name
done
replays keep corpus-gotrace
for name in file gotrace keep pprof text; do
	replays $name corpus
done
exit $bad
