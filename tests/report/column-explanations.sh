#!/bin/sh
# SPDX-License-Identifier: MIT
# Each column of each report has an explanation (K, `:explain WORD` and the manual). tests/tui/t-explanations.c: the panes.
. "${srcdir:-.}/tests/lib.sh"
"$TTRACE" -print=explain | awk -F '\t' '$1 == "reports" { n = split($2, v, ", "); for (i = 1; i <= n; i++) print v[i] }' | sort >"$tmp/known"
seen=0
for report in $("$TTRACE" -print=reports | cut -f2); do
	case $report in info | events | proto | topproto | flame | speedscope) continue ;; esac	# these have no named columns
	for file in orders.trace cpu.pb.gz; do
		"$TTRACE" "$report" -format=tsv "$samples/$file" 2>/dev/null | head -1 | grep '	' | tr '\t' '\n' >"$tmp/heads"
		[ -s "$tmp/heads" ] && seen=$((seen + 1))
		sort -u "$tmp/heads" | comm -23 - "$tmp/known" | sed "s/.*/$report: nothing explains &/" >"$tmp/missing"
		[ -s "$tmp/missing" ] && { cat "$tmp/missing"; bad=1; }
	done
done
[ $seen -ge 15 ] || { echo "only $seen tables were seen"; bad=1; }
exit $bad
