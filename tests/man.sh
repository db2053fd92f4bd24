#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual page that is checked in is the one that the program's tables make.
page=$srcdir/man/ttrace.1
new=$(mktemp)
trap 'rm -f "$new"' EXIT
"$srcdir/man/gen.sh" "$TTRACE" "$srcdir/man/ttrace.1.in" >"$new" || exit 1
if [ "${UPDATE:-}" = 1 ]; then
	cp "$new" "$page"
fi
diff -u "$page" "$new" || {
	echo "man/ttrace.1 is stale: UPDATE=1 make check TESTS=tests/man.sh"
	exit 1
}
