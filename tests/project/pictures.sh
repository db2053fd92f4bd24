#!/bin/sh
# SPDX-License-Identifier: MIT
# The pictures and the recording of README.md are equal to those that the program makes. UPDATE=1 makes them anew.
. "${srcdir:-.}/tests/lib.sh"
cd "$top" || exit 99
mkdir "$tmp/pictures"
sh doc/pictures.sh "$TTRACE" "$tmp/pictures" || fail "doc/pictures.sh failed"
if [ "${UPDATE:-}" = 1 ]; then
	mkdir -p doc/pictures
	cp "$tmp"/pictures/* doc/pictures/
fi
for made in "$tmp"/pictures/*; do
	cmp "$made" "doc/pictures/${made##*/}" ||
		fail "doc/pictures is stale: UPDATE=1 make check TESTS=tests/project/pictures.sh"
done
exit $bad
