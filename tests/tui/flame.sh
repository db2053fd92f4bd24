#!/bin/sh
# SPDX-License-Identifier: MIT
# The flame graph: rows that are folded, the lines that name the rows outside of the window, shares, totals, and where it opens.
. "${srcdir:-.}/tests/lib.sh"
cat >"$tmp/f.folded" <<'END'
main.main;a.a;f.f;f.f;f.f;f.f;f.f;f.f;g.g 60
main.main;a.a;f.f;f.f;f.f;f.f;f.f;f.f;h.h 5
main.main;b.b;f.f;f.f;k.k 20
main.main;b.b;f.f;x.x 4
main.main;a.a;f.f;f.f;f.f;f.f 3
END
flame() { "$TTRACE" view -ascii -script "$1" -size "${2:-80x14}" "${3:-$tmp/f.folded}"; }	# flame KEYS SIZE FILE
rows() { grep -c '^[|>]'; }
has() { # has WHAT PATTERN: the screen $tmp/out has a line that matches
	grep -q "$2" "$tmp/out" || fail "$1: no line matches $2:" "$(cat "$tmp/out")"
}

# frames of one function that call only each other are one row with their number; two that do not are two rows
flame 4 >"$tmp/out"
has "folded rows" '^|f.f x6  .*74%|f.f '
[ "$(rows <"$tmp/out")" = 4 ] || fail "folded rows: $(cat "$tmp/out")"
# the own weight of the row is that of all its frames, and each search ends at each of its frames once
flame '4jj' >"$tmp/out"
has "own weight of folded rows" '^f.f .*self 3 3\.3% .*total 68 73\.9%'
flame '4/f<Enter>nnnn' >"$tmp/out"
has "search in folded rows" '^/f '
# z shows all rows, then collapses recursion; undo returns
flame 4z >"$tmp/out"
[ "$(rows <"$tmp/out")" = 9 ] || fail "all rows: $(cat "$tmp/out")"
flame 4zz >"$tmp/out"
has "recursion collapsed" 'recursion collapsed'
[ "$(rows <"$tmp/out")" = 4 ] || fail "recursion collapsed: $(cat "$tmp/out")"

# lines for the rows outside of the window: as many as there are, the window and these lines are all rows
flame 4z 80x10 >"$tmp/out"
has "rows below" '^v 4 rows: f\.f > f\.f > f\.f > g\.g$'
flame 4zG 80x10 >"$tmp/out"
has "rows above" '^^ 4 rows: main\.main > a\.a > f\.f > f\.f$'
has "the selection is not covered" '^>g\.g'
for i in 1 2 3 4 5 6 7 8; do
	flame "4z#${i}j" 80x10 | grep -q '^>' || fail "the selection is covered after $i rows"
	flame "4zG#${i}k" 80x10 | grep -q '^>' || fail "the selection is covered $i rows above the end"
done

# it opens at the root, and at a function that was chosen
flame 4 80x24 "$cpu" >"$tmp/out"
sed -n 3p "$tmp/out" | grep -q '^>net/http' || fail "the flame graph does not open at the root: $(head -n 5 "$tmp/out")"
flame 1j4 80x24 "$cpu" >"$tmp/out"
sed -n 3p "$tmp/out" | grep -q '^>' && fail "the flame graph does not go to the function that was chosen"

# the share in a frame is that of the line below; own weights by package and those of the roots add up to the total
flame 4 120x60 "$cpu" >"$tmp/out"
share=$(sed -n '3s/^>[^|]* \([0-9]*\)%|.*/\1/p' "$tmp/out")
tail -n 2 "$tmp/out" | grep -q "total [^ ]* $share\.\|total [^ ]* $((share - 1))\.[5-9]" || fail "share $share% of: $(tail -n 2 "$tmp/out")"
has "totals" '^own weight by package  *roots'
exit $bad
