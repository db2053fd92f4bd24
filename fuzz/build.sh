#!/bin/sh -eu
# SPDX-License-Identifier: MIT
# Build the fuzzers as OSS-Fuzz does, from the top of a clean tree, into $OUT: the programs, and for each an archive of
# its first inputs, and its options. OSS-Fuzz sets CC, CXX, CFLAGS, CXXFLAGS and LIB_FUZZING_ENGINE; without them, clang's
# libFuzzer is used, with the address and undefined-behaviour sanitizers.
: "${CC=clang}" "${CXX=clang++}" "${LIB_FUZZING_ENGINE=-fsanitize=fuzzer}"
: "${CFLAGS=-g -O2 -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined}" "${CXXFLAGS=$CFLAGS}"
: "${OUT:?is the folder for the fuzzers}"
export CC CXX CFLAGS CXXFLAGS LIB_FUZZING_ENGINE

[ -x configure ] || autoreconf -i
# OSS-Fuzz runs the programs on systems without these libraries.
static() { echo "-Wl,-Bstatic $* -Wl,-Bdynamic"; }
PROTOBUF_C_LIBS=$(static -lprotobuf-c) ZLIB_LIBS=$(static -lz) PCRE2_LIBS=$(static -lpcre2-8)
NCURSES_LIBS=$(static -lncursesw -ltinfo)
export PROTOBUF_C_LIBS ZLIB_LIBS PCRE2_LIBS NCURSES_LIBS
./configure -q --enable-fuzzers --disable-hardening \
	--without-curl --without-libdw --without-demangle --without-libiberty
# An engine may be written in C++, so its compiler links.
make -s -j"$(nproc)" CCLD="$CXX $CXXFLAGS" fuzzers
mkdir -p "$OUT"
for fuzzer in fuzz/fuzz-*; do
	[ -x "$fuzzer" ] || continue
	name=${fuzzer#fuzz/}
	cp "$fuzzer" "$OUT/"
	# The default schedule of libFuzzer updates the counts of all features at each run. This takes most of the time of
	# fuzzers that reach many features.
	printf '[libfuzzer]\nentropic = 0\n' >"$OUT/$name.options"
	seeds=$(mktemp -d)
	for corpus in corpus "corpus-${name#fuzz-}"; do
		[ ! -d "fuzz/$corpus" ] || cp -R "fuzz/$corpus" "$seeds"
		[ ! -f "fuzz/$corpus.tar.gz" ] || tar xzf "fuzz/$corpus.tar.gz" -C "$seeds"
	done
	(cd "$seeds" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
	rm -r "$seeds"
done
