#!/bin/sh
# SPDX-License-Identifier: MIT
# The screens in README.md are what the program shows: each block after a line "<!-- screen: ARGUMENTS -->"
# is made again and compared. UPDATE=1 writes them anew.
. "${srcdir:-.}/tests/lib.sh"
cd "$top" || exit 99
new=$tmp/page
LC_ALL=C TTRACE=$TTRACE awk '
	/^<!-- screen: .* -->$/ {
		print
		cmd = $0
		sub(/^<!-- screen: /, "", cmd)
		sub(/ -->$/, "", cmd)
		cmd = ENVIRON["TTRACE"] " " cmd " </dev/null"
		getline; print
		while ((cmd | getline line) > 0) print line
		if (close(cmd) != 0) bad = 1
		while ((getline line) > 0 && line != "```") ;
		print "```"
		next
	}
	{ print }
	END { exit bad }' README.md >"$new" || {
	echo "a screen of README.md cannot be made"
	exit 1
}
if [ "${UPDATE:-}" = 1 ]; then
	cp "$new" README.md
fi
diff -u README.md "$new" || {
	echo "README.md is stale: UPDATE=1 make check TESTS=tests/readme.sh"
	exit 1
}
