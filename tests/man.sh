#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages that are checked in are those that the program's tables make. They refer to pages that exist, are all
# installed, and are correct mdoc, where mandoc is installed.
. "${srcdir:-.}/tests/lib.sh"
cd "$top/man" || exit 99
for template in *.in; do
	page=${template%.in}
	./gen.sh "$TTRACE" "$template" >"$tmp/page" || exit 1
	[ "${UPDATE:-}" != 1 ] || cp "$tmp/page" "$page"
	diff -u "$page" "$tmp/page" || fail "man/$page is stale: UPDATE=1 make check TESTS=tests/man.sh"
	grep -q "man/$page\$\|man/$page " ../Makefile.am || fail "man/$page is not installed"
	for to in $(sed -n 's/^\.Xr \(ttrace[a-z-]*\) \([0-9]\).*/\1.\2/p; s/.* Xr \(ttrace[a-z-]*\) \([0-9]\).*/\1.\2/p' "$page"); do
		[ -e "$to" ] || fail "man/$page refers to $to"
	done
	if have mandoc; then
		mandoc -T lint -W warning "$page" || fail "man/$page is not correct mdoc"
	fi
done
exit $bad
