#!/bin/sh
# SPDX-License-Identifier: MIT
# The words of pprof's prompt behind ":", on one line each: a piece of the screen that follows.
. "${srcdir:-.}/tests/lib.sh"

says() { # says KEYS TEXT...: the screen after KEYS has each TEXT
	keys=$1
	shift
	"$TTRACE" view -size 160x40 -script "$keys" "$cpu" >"$tmp/out" 2>&1
	for text; do
		grep -qF -- "$text" "$tmp/out" || fail "$keys: no \"$text\" in" "$(cat "$tmp/out")"
	done
}
is_report() { # is_report KEYS OPTION...: ":tree" after KEYS is the report with these options
	keys=$1
	shift
	"$TTRACE" view -size 200x30 -script "$keys:tree<Enter>" "$cpu" | sed -n 4,28p | cut -c3-198 | tr -d '\t' | sed 's/ *$//' >"$tmp/got"
	"$TTRACE" tree "$@" "$cpu" | sed -n 2,26p | tr -d '\t' | sed 's/ *$//' >"$tmp/want"
	cmp -s "$tmp/got" "$tmp/want" || fail "$keys is not $*" "$(diff "$tmp/got" "$tmp/want")"
}

says ':web<Enter>' 'no browser here' ':w FILE.svg'
for word in svg png gif pdf ps gv eog evince; do
	says ":$word<Enter>" ':dot > FILE'
done
says ':kcachegrind<Enter>' ':callgrind > FILE'
says ':output=x<Enter>' '> FILE'
says ':focus=sha256 //: a comment<Enter>' 'focus=sha256 |'
says ':focus=sha256<Enter>:::<Enter>' 'cpu 7.69s | 550/550'
says ':noinlines=t<Enter>' '438/550 functions'
says ':noinlines=t<Enter>:noinlines=true<Enter>' '438/550 functions' 'noinlines is on already'
says ':noinlines=x<Enter>' 'takes no argument'
says ':total_samples<Enter>' 'samples 769'
says ':relative_percentages=f<Enter>' 'percentages of the whole'
says ':divide_by=x<Enter>' 'a number is wanted'
says ':divide_by<Enter>' 'divide_by wants a value'
says ':divide_by=2<Enter>:focus=sha256<Enter>:o<Enter>' '-divide_by=2' '-focus=sha256' '-sample_index=cpu'
is_report ':divide_by=2<Enter>' -divide_by=2
is_report ':mean_cpu<Enter>' -mean -sample_index=cpu
is_report ':mean_cpu<Enter>:total_cpu<Enter>' -sample_index=cpu
is_report ':trim=f<Enter>:trim<Enter>:nodefraction=0.1<Enter>' -nodefraction=0.1
exit $bad
