#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages and completions in the repository are those that the tables of the program make. Pages refer only to pages
# that exist, are all installed, and are correct mdoc (checked if mandoc is installed).
. "${srcdir:-.}/tests/lib.sh"
cd "$top/man" || exit 99
# current FILE COMMAND...: FILE must have the output of COMMAND; UPDATE=1 writes it
current() {
	file=$1
	shift
	"$@" >"$tmp/new" || exit 1
	[ "${UPDATE:-}" != 1 ] || cp "$tmp/new" "$file"
	diff -u "$file" "$tmp/new" || fail "$file is stale: UPDATE=1 make check TESTS=tests/project/man.sh"
}
current ../completion/bash/ttrace "$TTRACE" -print=completion-bash
current ../completion/zsh/_ttrace "$TTRACE" -print=completion-zsh
current ../completion/fish/ttrace.fish "$TTRACE" -print=completion-fish
for template in *.in; do
	page=${template%.in}
	current "$page" ./gen.sh "$TTRACE" "$template"
	grep -q "man/$page\$\|man/$page " ../Makefile.am || fail "man/$page is not installed"
	for to in $(sed -n 's/^\.Xr \(ttrace[a-z-]*\) \([0-9]\).*/\1.\2/p; s/.* Xr \(ttrace[a-z-]*\) \([0-9]\).*/\1.\2/p' "$page"); do
		[ -e "$to" ] || fail "man/$page refers to $to, which does not exist"
	done
	if have mandoc; then
		mandoc -T lint -W warning "$page" || fail "man/$page is not correct mdoc"
	fi
done
exit $bad
