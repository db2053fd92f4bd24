#!/bin/bash
# SPDX-License-Identifier: MIT
# usage: packaging/release-check.sh   (make release-check)
# Check a release, besides .ci/run. The release is built and tested from its archive (distcheck). The files of the release
# are made twice and must be equal. The two commands of the README are run on Debian's stable releases and on sid. The Debian
# package and an RPM package are built. The tools of the other package systems read their recipes. The program is run on two
# other architectures under emulation, one of them big-endian. Builds with other compilers and options must be free of
# warnings, and all of t-growth must pass. If the tool of a check is missing, or if no root of a release of Debian can be
# made, the check is reported as not checked. Needs root (or sudo), mmdebstrap, Debian's mirror and about an hour on two
# processors. The last line is "N passed, N failed, N not checked".
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 unchecked=0
root=
[ "$(id -u)" = 0 ] || root="sudo -n"

check() { # check NAME COMMAND...: COMMAND must succeed
	local name=$1
	shift
	printf '\n== %s\n' "$name"
	if "$@" >"$work/log" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $name"
		tail -40 "$work/log"
	fi
}
check_with() { # check_with PROGRAM NAME COMMAND...: the same, if PROGRAM is installed
	local program=$1
	shift
	if command -v "$program" >/dev/null; then
		check "$@"
	else
		unchecked=$((unchecked + 1))
		printf '\n== %s: not checked, %s is not installed\n' "$1" "$program"
	fi
}
make_release() { # make_release FOLDER: make a release with an address that is not used
	packaging/release.sh https://localhost/release https://localhost "$work/$1"
}
build_rpm() {
	mkdir -p "$work/rpm/SOURCES"
	cp "$work"/first/*.tar.xz "$work/rpm/SOURCES"
	# .ci/run runs make check, so rpmbuild need not.
	rpmbuild --quiet --nodeps --nocheck --define "_topdir $work/rpm" -bb "$work/first/ttrace.spec"
}
build() { # build NAME CONFIGURE-ARGUMENTS...: build without warnings in a folder of its own, from a copy of the checkout
	local dir=$work/build-$1
	shift
	mkdir -p "$dir" && git ls-files -z | tar c --null -T - | tar x -C "$dir" &&
		(cd "$dir" && autoreconf -i && ./configure -q --enable-werror "$@" && make -s -j"$(nproc)" all extra)
}

[ -z "$(git status --porcelain --untracked-files=no)" ] || { echo "there are changes that are not committed"; exit 1; }
[ -x ./ttrace ] && [ -x tests/pty ] || { ./bootstrap && make -s tests/pty; } || exit 1

for cc in gcc clang; do
	check_with $cc "build with $cc" build $cc CC=$cc
	check_with $cc "build with $cc, as distributions do" build $cc-O2 CC=$cc CFLAGS='-g -O2'
	check_with $cc "build with $cc, without what is optional" build $cc-without CC=$cc CFLAGS=-O0 --without-curses \
		--without-curl --without-libdw --without-libiberty
done
check "the whole of t-growth" sh -c 'make -s tests/program/t-growth && tests/program/t-growth -all'
check "make distcheck" env VERBOSE=1 make -s -j"$(($(nproc) + 1))" distcheck
check "release, first time" make_release first
printf 'xterm|of this user,\n\tcols#80,\n' | tic -o "$work/terminfo" -
TERMINFO=$work/terminfo check "release, second time, with another terminfo" make_release second
check "both are equal byte for byte" diff -r "$work/first" "$work/second"
check "checksums" sh -c "cd '$work/first' && sha256sum -c --quiet SHA256SUMS"
check_with jq "bill of materials is JSON" sh -c "jq -e .packages '$work'/first/*.spdx.json"
check "static binary in an empty root" .ci/empty-root "$(ls "$work"/first/ttrace-*-"$(uname -m)")" tests/pty samples/stock.trace
for suite in bookworm trixie sid; do
	if $root mmdebstrap --quiet --variant=minbase --simulate "$suite" /dev/null >"$work/log" 2>&1; then
		check "two commands on a bare $suite" .ci/bare "$suite" user
		check "Debian package on $suite" .ci/package "$suite"
	else
		unchecked=$((unchecked + 2))
		printf '\n== %s: not checked, no new root can be made of it\n' "$suite"
		tail -5 "$work/log"
	fi
done
check_with rpmbuild "RPM package" build_rpm
check_with rpmlint "rpmlint" rpmlint "$work/first/ttrace.spec"
check_with ruby "Homebrew formula is Ruby" ruby -c "$work/first/ttrace.rb"
check_with nix-instantiate "Nix expression" nix-instantiate --parse "$work/first/ttrace.nix"
check "APKBUILD is a shell script" sh -n "$work/first/APKBUILD"
check_with mmdebstrap "arm64 under emulation" .ci/cross bookworm arm64
check_with mmdebstrap "s390x under emulation (big-endian)" .ci/cross bookworm s390x

printf '\n%d passed, %d failed, %d not checked\n' "$passed" "$failed" "$unchecked"
[ "$failed" = 0 ]
