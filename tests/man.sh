#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages that are checked in are those that the program's tables make.
. "${srcdir:-.}/tests/lib.sh"
new=$tmp/page
for page in ttrace.1 ttracerc.5; do
	"$top/man/gen.sh" "$TTRACE" "$top/man/$page.in" >"$new" || exit 1
	if [ "${UPDATE:-}" = 1 ]; then
		cp "$new" "$top/man/$page"
	fi
	diff -u "$top/man/$page" "$new" || {
		echo "man/$page is stale: UPDATE=1 make check TESTS=tests/man.sh"
		bad=1
	}
done
exit $bad
