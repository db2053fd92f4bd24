#!/bin/sh
# SPDX-License-Identifier: MIT
# The screens in README.md and doc/ are equal to those of the program: each block after a line "<!-- screen: ARGUMENTS -->" is
# made again and compared. UPDATE=1 writes them anew. Links to files of the tree must have a target.
. "${srcdir:-.}/tests/lib.sh"
cd "$top" || exit 99
new=$tmp/page

# make_screens PAGE: print the page with its screens made again
make_screens() {
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
	END { exit bad }' "$1"
}

for page in README.md doc/*.md; do
	make_screens "$page" >"$new" || fail "a screen of $page cannot be made"
	[ "${UPDATE:-}" != 1 ] || cp "$new" "$page"
	diff -u "$page" "$new" || fail "$page is stale: UPDATE=1 make check TESTS=tests/project/readme.sh"
done
for page in *.md doc/*.md doc/design/*.md; do
	for link in $(grep -oE '\]\([^)]*\)' "$page" | tr -d '])('); do
		case $link in
		*://*) ;;
		*) [ -e "$(dirname "$page")/$link" ] || fail "$page links to $link, which does not exist" ;;
		esac
	done
done
[ "$(wc -l <README.md)" -le 200 ] || fail "README.md is longer than 200 lines"
exit $bad
