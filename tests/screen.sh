#!/bin/sh
# SPDX-License-Identifier: MIT
# Screens by -script against those in tests/screens. After a wanted change look at the difference, then
# UPDATE=1 make check TESTS=tests/screen.sh
dir=tests/screens
cd "$srcdir" || exit 1
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
LC_ALL=C.UTF-8
XDG_CONFIG_HOME=/nonexistent
export LC_ALL XDG_CONFIG_HOME
bad=0

# screen NAME SIZE FILE KEYS [OPTION...]
screen() {
	name=$1 size=$2 file=$3 keys=$4
	shift 4
	if ! "$TTRACE" view -size "$size" -script "$keys" "$@" "samples/$file" >"$new/$name.txt" 2>&1; then
		echo "$name: failed"
		cat "$new/$name.txt"
		bad=1
		return
	fi
	rows=${size#*x} cols=${size%x*}
	if [ "$(wc -l <"$new/$name.txt")" -ne "$rows" ]; then
		echo "$name: not $rows lines"
		bad=1
	fi
	if [ "$(printf '\303\251' | wc -m)" = 1 ] &&
		grep -q ".\{$cols\}." "$new/$name.txt"; then
		echo "$name: a line is wider than $cols"
		bad=1
	fi
	[ "${UPDATE:-}" = 1 ] && cp "$new/$name.txt" "$dir/$name.txt"
	diff -u "$dir/$name.txt" "$new/$name.txt" || { echo "$name: differs"; bad=1; }
}

# too small: a line of apology, whole as far as it goes
screen tiny 20x5 cpu.pb.gz ''
screen one 1x1 orders.trace 'jjq'
screen wide-and-low 100x4 cpu.pb.gz ''
screen smallest 40x8 cpu.pb.gz '<^G>'
# help: all of it, narrowed by typing, and Enter runs the row (: granularity asks for its argument)
screen help 80x24 cpu.pb.gz '?'
screen help-typed 80x24 cpu.pb.gz '?regions'
screen help-run 80x24 cpu.pb.gz '<^G>?granularity<Enter>lin<Tab>'
screen help-wide 200x60 orders.trace '?'
# facts
screen info 80x24 cpu.pb.gz '<^G>'
screen info-trace 80x24 orders.trace '<^G>' -ascii
# prompts: a bad expression is told and not applied; Tab completes
screen bad-regex 80x24 cpu.pb.gz '<^G>F(a'
screen complete 80x24 cpu.pb.gz '<^G>:tag<Tab>'
screen no-command 80x24 cpu.pb.gz '<^G>:frobnicate<Enter>'
exit $bad
