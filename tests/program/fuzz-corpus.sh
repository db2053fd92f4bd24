#!/bin/sh
# SPDX-License-Identifier: MIT
# Each fuzzer runs all inputs of its corpus, with the compiler and the sanitizers of this build, and must not fail. fuzz/corpus
# has files that the viewer opens. fuzz/corpus-NAME has inputs of fuzz-NAME that were made by hand or that failed once;
# fuzz/corpus-NAME.tar.gz has those that the fuzzer found and that reach code which the others do not.
. "${srcdir:-.}/tests/lib.sh"

for packed in "$top"/fuzz/corpus-*.tar.gz; do
	folder=$tmp/$(basename "$packed" .tar.gz)
	mkdir "$folder" && gzip -dc "$packed" | tar xf - -C "$folder" || fail "$packed is not unpacked"
done

# replays NAME CORPUS: fuzz/fuzz-NAME must run all inputs of fuzz/CORPUS without a crash and without a violated property
replays() {
	find "$top/fuzz/$2" "$tmp/$2" -type f -print0 2>/dev/null >"$tmp/inputs"
	[ -s "$tmp/inputs" ] || fail "fuzz/$2 has no inputs"
	xargs -0 "$build/fuzz/fuzz-$1" <"$tmp/inputs" >"$tmp/out" 2>&1 || {
		fail "fuzz-$1 fails on an input of fuzz/$2"
		tail -30 "$tmp/out"
	}
}
for name in elf file gotrace pprof report text viewer words; do
	replays $name corpus-$name
done
for format in gotrace pprof text; do
	replays file corpus-$format
done
for name in file gotrace pprof text; do
	replays $name corpus
done
exit $bad
