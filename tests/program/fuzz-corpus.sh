#!/bin/sh
# SPDX-License-Identifier: MIT
# Each fuzzer runs all inputs of its corpus, with the compiler and the sanitizers of this build, and must not fail. fuzz/corpus
# has files that the viewer opens. fuzz/corpus-NAME has the inputs of fuzz-NAME, most of which the fuzzer found.
. "${srcdir:-.}/tests/lib.sh"

# replays NAME FOLDER: fuzz/fuzz-NAME must run all inputs of FOLDER without a crash and without a violated property
replays() {
	"$build/fuzz/fuzz-$1" "$top/fuzz/$2"/* >"$tmp/out" 2>&1 || {
		fail "fuzz-$1 fails on an input of fuzz/$2"
		tail -30 "$tmp/out"
	}
}
for name in elf file gotrace keep pprof report text viewer words; do
	replays $name corpus-$name
done
replays keep corpus-gotrace
for format in gotrace pprof text; do
	replays file corpus-$format
done
for name in file gotrace keep pprof text; do
	replays $name corpus
done
exit $bad
