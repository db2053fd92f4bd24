#!/bin/sh
# SPDX-License-Identifier: MIT
# Every pane as four terminals show it: UTF-8 with 256 colours, with 8, without colour, and ASCII alone; against
# tests/screens/looks. UPDATE=1 make check TESTS=tests/looks.sh writes them anew: look at the difference.
. "${srcdir:-.}/tests/lib.sh"
cd "$top" || exit 99
dir=tests/screens/looks
# look PANE FILE KEYS
look() {
	for how in '-ansi' '-ansi -colours=8' '-mono' '-ascii'; do
		echo "== $how"
		"$TTRACE" view -size 72x14 -script "$3" $how "samples/$2" || bad=1
	done >"$tmp/$1.txt"
	# without colour there is no escape, and in ASCII nothing else
	sed -n '/^== -mono/,$p' "$tmp/$1.txt" | grep -q "$(printf '\033')" && { echo "$1: an escape without colours"; bad=1; }
	sed -n '/^== -ascii/,$p' "$tmp/$1.txt" | LC_ALL=C grep -q '[^ -~]' && { echo "$1: not ASCII"; bad=1; }
	[ "${UPDATE:-}" = 1 ] && mkdir -p "$dir" && cp "$tmp/$1.txt" "$dir/$1.txt"
	diff -u "$dir/$1.txt" "$tmp/$1.txt" | cat -v || bad=1
	cmp -s "$dir/$1.txt" "$tmp/$1.txt" || { echo "$1: differs"; bad=1; }
}
look top cpu.pb.gz 'j'
look list cpu.pb.gz ':list report.export<Enter>'
look peek cpu.pb.gz 'jj3'
look flame cpu.pb.gz '4/regexp<Enter>'
look timeline orders.trace '+'
look goroutines orders.trace '6'
look tasks orders.trace '7'
look gc orders.trace '8'
look events orders.trace '9'
look explain orders.trace '6K'
# the tree of all waiting in the colours of the timeline: network and channels are not one
for want in 48\;5\;74 48\;5\;67; do
	"$TTRACE" view -ansi -type=block -size 100x12 -script '4:columns state<Enter>' samples/orders.trace | grep -q "$want" || { echo "flame by state: no $want"; bad=1; }
done
exit $bad
