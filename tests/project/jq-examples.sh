#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples for jq in ttrace-formats(5) work on the sample trace: each prints something, and not null. Without jq, only the
# JSON is made.
. "${srcdir:-.}/tests/lib.sh"
page=$top/man/ttrace-formats.5.in
have jq && jq=jq || jq=
sed -n '/^ttrace .* | jq /p' "$page" | sed 's/[\\]e(/\\(/g' >"$tmp/lines"
while IFS= read -r line; do
	n=$((n + 1))
	line=$(printf '%s\n' "$line" | sed "s|^ttrace|\"$TTRACE\"|; s| t\\.out | \"$trace\" |")
	[ -n "$jq" ] || line=${line%%| jq *}
	out=$(eval "$line" 2>&1) || { echo "failed: $line: $out"; bad=1; }
	case $out in
	'' | null | *error*) echo "failed: $line: $out"; bad=1 ;;
	esac
done <"$tmp/lines"
[ "$n" -ge 13 ] || { echo "only $n examples found"; bad=1; }
exit $bad
