#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages that are checked in are those that the program's tables make.
new=$(mktemp)
trap 'rm -f "$new"' EXIT
bad=0
for page in ttrace.1 ttracerc.5; do
	"$srcdir/man/gen.sh" "$TTRACE" "$srcdir/man/$page.in" >"$new" || exit 1
	if [ "${UPDATE:-}" = 1 ]; then
		cp "$new" "$srcdir/man/$page"
	fi
	diff -u "$srcdir/man/$page" "$new" || {
		echo "man/$page is stale: UPDATE=1 make check TESTS=tests/man.sh"
		bad=1
	}
done
exit $bad
