#!/bin/sh
# SPDX-License-Identifier: MIT
# Commands of pprof's prompt on the ":" line. Each check names a text of the next screen, or compares with a report of the
# command line. Also tested: filters by tags, and the order of lists of a comparison.
. "${srcdir:-.}/tests/lib.sh"
look='-size 160x40'

is_report() { # is_report KEYS REPORT OPTION...: the report after KEYS must be that of the command line with these options
	rm -f "$tmp/got"
	"$TTRACE" view -script "$1 > $tmp/got<Enter>" "$cpu" >/dev/null
	keys=$1
	shift
	"$TTRACE" "$@" "$cpu" >"$tmp/want"
	cmp -s "$tmp/got" "$tmp/want" || fail "$keys does not print what $* prints" "$(diff "$tmp/got" "$tmp/want")"
}

after "$cpu" ':web<Enter>' 'no browser here' ':w FILE.svg'
for word in svg png gif pdf ps; do
	after "$cpu" ":$word<Enter>" "$word > FILE"
done
for word in gv eog evince; do
	after "$cpu" ":$word<Enter>" ':svg > FILE'
done
after "$cpu" ':kcachegrind<Enter>' ':callgrind > FILE'
after "$cpu" ':output=x<Enter>' '> FILE'
after "$cpu" ':focus=sha256 //: a comment<Enter>' 'focus=sha256 |'
after "$cpu" ':focus=sha256<Enter>:::<Enter>' 'cpu 7.69s | 550/550'
after "$cpu" ':noinlines=t<Enter>' '438/550 functions'
after "$cpu" ':noinlines=t<Enter>:noinlines=true<Enter>' '438/550 functions' 'noinlines is already on'
after "$cpu" ':noinlines=x<Enter>' 'takes no argument'
after "$cpu" ':total_samples<Enter>' 'samples 769'
after "$cpu" ':relative_percentages=f<Enter>' 'percentages of the total'
after "$cpu" ':divide_by=x<Enter>' 'requires a number'
after "$cpu" ':divide_by<Enter>' 'divide_by requires a value'
after "$cpu" ':divide_by=2<Enter>:focus=sha256<Enter>:o<Enter>' '-divide_by=2' '-focus=sha256' '-sample_index=cpu'
# As in pprof's prompt, reports have short labels and ten rows by default. Options that were set apply to all later reports.
is_report ':top' top -compact_labels -nodecount=10
is_report ':text json -runtime' text -compact_labels -nodecount=10 -focus=json -ignore=runtime
is_report ':tree10 -cum json' tree -compact_labels -nodecount=10 -cum -focus=json
is_report ':text5 -func1' text -compact_labels -nodecount=5 -ignore=func1
is_report ':peek json 3' -peek=json -compact_labels -nodecount=3
is_report ':traces json' traces -focus=json
after "$cpu" ':tagroot=nope<Enter>' 'no sample has a tag nope'
after "$cpu" ':tagroot=endpoint,nope<Enter>' 'no sample has a tag nope'
! "$TTRACE" view -script ':tagroot=endpoint<Enter>' "$cpu" | grep -q 'no sample' ||
	fail ':tagroot=endpoint reports that no sample has the tag'

is_report ':tags checkout' tags -tagfocus=checkout
is_report ':nodecount=4<Enter>:tree' tree -compact_labels -nodecount=4
is_report ':nodecount=4<Enter>:nodecount=-1<Enter>:text -1' text -compact_labels -nodecount=-1
is_report ':sort=cum<Enter>:tree' tree -compact_labels -cum
is_report ':sort=flat<Enter>:tree -cum' tree -compact_labels -cum
is_report ':sort=cum<Enter>:sort=flat<Enter>:text' text -compact_labels -nodecount=10
is_report ':unit=ms<Enter>:text' text -compact_labels -nodecount=10 -unit=ms
is_report ':unit=auto<Enter>:text' text -compact_labels -nodecount=10 -unit=auto
is_report ':relative_percentages<Enter>:text json' text -compact_labels -nodecount=10 -relative_percentages -focus=json
is_report ':relative_percentages<Enter>:relative_percentages=f<Enter>:text json' text -compact_labels -nodecount=10 -focus=json
is_report ':compact_labels=f<Enter>:text3' text -nodecount=3
is_report ':divide_by=2<Enter>:tree' tree -compact_labels -divide_by=2
is_report ':mean_cpu<Enter>:tree' tree -compact_labels -mean -sample_index=cpu
is_report ':mean_cpu<Enter>:total_cpu<Enter>:tree' tree -compact_labels -sample_index=cpu
is_report ':trim=f<Enter>:trim<Enter>:nodefraction=0.1<Enter>:tree' tree -compact_labels -nodefraction=0.1
# The weight of a row in the pane Tags is the total after a focus on it, also for numeric tags, whose filter has a unit.
for file in "$cpu" "$samples/heap.pb.gz"; do
	for down in j jj jjj; do
		row=$("$TTRACE" view -size 100x30 -script ":tags<Enter>$down" "$file" | sed -n 's/^> *\([^ ]*\) .*/\1/p')
		left=$("$TTRACE" view -size 100x30 -script ":tags<Enter>$down<Enter>" "$file" | sed -n '2s/^[^ ]* \([^ ]*\) .*/\1/p')
		[ -n "$row" ] && [ "$row" = "$left" ] ||
			fail "tags $down of $file: the row has $row, the total after the focus is $left"
	done
done
# x in the pane Tags ignores one more value, of the same key or of another one
after "$cpu" ':tags<Enter>jxjx<Enter>' 'tagignore=endpoint=^/login$,^/checkout$'
after "$cpu" ':tagignore=endpoint=^/login$<Enter>:tags<Enter>jx' 'tagignore=endpoint=^/login$,^/search$'
after "$cpu" ':tagignore=a\.b=^c=d$,.<Enter>:tags<Enter>jx' 'tagignore=^a\\\.b:c.d$|^a\\\.b:|^endpoint:/login$'

# Enter on a value of a second key focuses on both values, and the cursor stays on the row.
dump=$samples/goroutines.txt
rm -f "$tmp/got"
"$TTRACE" view -script ":tags<Enter>/IO wait<Enter><Enter>/connReader<Enter><Enter>:tags > $tmp/got<Enter>" "$dump" >"$tmp/out"
"$TTRACE" tags -tagfocus='^state:IO wait$,^creator:net/http\.\(\*connReader\)\.startBackgroundRead$' "$dump" >"$tmp/want"
[ -s "$tmp/want" ] && cmp -s "$tmp/want" "$tmp/got" ||
	fail "Enter on values of two keys does not focus on both" "$(diff "$tmp/want" "$tmp/got")"
"$TTRACE" view -script ':tags<Enter>/IO wait<Enter><Enter>' "$dump" | grep -q '^> .*IO wait' ||
	fail 'the cursor does not stay on the row of the focus'

# The key of the current pane is no step of undo. A filter on stacks shows a message in a pane without stacks.
after "$cpu" '1u' 'nothing to undo'
"$TTRACE" view -script '6:hide=main<Enter>' -size 120x30 "$trace" | grep -q 'hide filters stacks' ||
	fail ':hide shows no message in a pane without stacks'

# After the number 1 the screens have the singular.
grep -En '(^|[^0-9.,:+-])1 (hit|log|region|task|goroutine|sample|event|value|key|caller|callee|function|group|cycle|stop|start|line|byte|span|row|kind)s( |$|[,.;|])' \
	"$top"/tests/screens/*.txt && fail 'a screen has a plural after 1'

# Lists of a comparison are sorted by the absolute difference: A and B exchanged give the same order in List, Peek and searches.
order() { # order KEYS LINES: print the names of functions in these lines of the screen, without weights
	"$TTRACE" view -mono -ascii -diff_base="$samples/leak-before.pb.gz" -size 200x60 -script "$1" "$samples/leak-after.pb.gz" |
		sed -n "$2p" | sed 's/[-+0-9.kMB%]*//g; s/match//; s/.*functions, heaviest first/functions/' | tr -s ' '
}
for keys in '2' '2nn' '3:peek Serve<Enter>}' '3:peek conn<Enter>' '4/alloc<Enter>n'; do
	order "$keys" 3,50 >"$tmp/want"
	order "~$keys" 3,50 >"$tmp/got"
	cmp -s "$tmp/want" "$tmp/got" ||
		fail "$keys has another order when A and B are exchanged" "$(diff "$tmp/want" "$tmp/got" | cut -c1-180 | head -8)"
done
exit $bad
