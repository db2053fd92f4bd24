#!/bin/sh
# SPDX-License-Identifier: MIT
# What leaves the viewer: copies by OSC 52 or into a file (tests/tmux.sh has tmux), screens as text, ANSI, SVG and HTML,
# the pane through a command; and that TTRACESECURE stops all of it.
. "${srcdir:-.}/tests/lib.sh"
curses || exit 77
XDG_STATE_HOME=$tmp TMPDIR=$tmp
export XDG_STATE_HOME TMPDIR
clip() { sed -n 's/^OSC 52;c;//p' "$tmp/out" | base64 -d; }
check() { # check WHAT COMMAND...
	what=$1
	shift
	"$@" || {
		echo "$what: not so"
		cat "$tmp/out"
		bad=1
	}
}
is() { [ "$1" = "$2" ] || { echo "got: $1"; echo "wanted: $2"; false; }; }

press 'jjyQ' "$cpu"
check 'y copies the selected, its name whole' is "$(clip)" 'crypto/internal/fips140/sha256.(*Digest).Sum  sha256.go:200  flat 420ms cum 2.32s  1 caller 3 callees'
press 'jYQ' "$cpu"
check 'Y copies the whole list' [ "$(clip | wc -l)" -gt 500 ]
# the command line shows the same screen again
press ':focus=json|regexp<Enter>4gyQ' "$cpu"
line=$(clip)
check "gy: $line" is "${line%% -at=*}" "ttrace view -pane=flame -focus='json|regexp' -sample_index=cpu"
press '/sync<Enter>gyQ' "$trace" -pane=goroutines -type=sched -from=500ms -to=1.5s
line=$(clip)
check 'gy on a trace' is "${line%% -at=*}" 'ttrace view -pane=goroutines -type=sched -from=500000000ns -to=1500000000ns'
press "1:type sched<Enter>:blame self<Enter>:diff $samples/orders.trace<Enter>gyQ" "$trace" -source_path="$tmp/a dir" -unit=ms
line=$(clip)
check 'gy keeps given options, the blame and the base' is "${line%% -at=*}" \
	"ttrace view -pane=top -unit=ms -source_path='$tmp/a dir' -type=sched -blame=self -diff_base=$samples/orders.trace"
press ':diff @none<Enter>f:save mine<Enter>R:diff @mine<Enter>gyQ' "$cpu"
line=$(clip)
check 'gy names no base that is not a file' is "${line%% -at=*}" 'ttrace view -pane=top -sample_index=cpu'
# again KEYS FILE: the line that gy copies then shows the same screen, but for the message and the keys
again() {
	"$TTRACE" view -size 80x24 -script "$1" "$2" | head -22 >"$tmp/before"
	press "$1gyQ" "$2"
	line=$(clip)
	eval "set -- $line"
	shift
	"$TTRACE" "$@" -size 80x24 -script '' | head -22 >"$tmp/again"
	cmp -s "$tmp/before" "$tmp/again" || fail "$line shows another screen:" "$(diff "$tmp/before" "$tmp/again")"
}
for keys in '++ll' ':rows g<Enter>++jjj' '6' '6<Enter>j' '6<Enter><Enter>jj' '6<Enter>5' '7j' '7j<Enter>j' '7j<Enter><Enter>j' \
	'7]jj' '7jvhhvh<Enter>' '8jj' '8]j' '9gt1.2s<Enter>j' ':task=checkout<Enter>5' '4jj<Enter>'; do
	again "$keys" "$trace"
done
for keys in '1jjj' '1c' '4j<Enter>' '4jp' '4r' '1jj3j' '1jj2j' ':focus=json<Enter>4'; do
	again "$keys" "$cpu"
done
# a place that is known when all has been read stays when what is made after that is there
for jobs in 1 2; do
	TTRACE_JOBS=$jobs "$TTRACE" view -at=90% -script '' "$trace" | grep -q '^2\.163s' || fail "-at=90% with $jobs threads"
	TTRACE_JOBS=$jobs "$TTRACE" view -at=600ms -script '' "$trace" | grep -q '^0\.600s' || fail "-at=600ms with $jobs threads"
done
# too much for OSC 52, or a terminal without it: a file
press ':%<Esc>Y' "$trace" -pane=events
file=$(sed -n 's/.* written to //p' "$tmp/out")
check 'more than 74 KB goes into a file' [ -s "$file" ]
TERM=vt100 press 'jy' "$cpu"
file=$(sed -n 's/.* written to //p' "$tmp/out")
check 'vt100: a file' grep -q 'runtime.memmove' "$file"

# pictures
for f in txt ans svg html; do
	press "4:screen $tmp/s.$f<Enter>Q" "$cpu"
done
"$TTRACE" view -script 4 "$cpu" >"$tmp/want"
check 'text' grep -q 'net/http.(\*conn).serve' "$tmp/s.txt"
check 'text has no escapes' is "$(tr -d '\033' <"$tmp/s.txt" | cksum)" "$(cksum <"$tmp/s.txt")"
"$TTRACE" view -script 4 -ansi "$cpu" >"$tmp/want"
check 'ANSI is what -ansi prints' cmp "$tmp/s.ans" "$tmp/want"
check 'SVG begins and ends' is "$(head -c 4 "$tmp/s.svg")$(tail -n 1 "$tmp/s.svg")" '<svg</svg>'
check 'SVG: a closing tag for each text' is "$(grep -o '<text' "$tmp/s.svg" | wc -l)" "$(grep -o '</text>' "$tmp/s.svg" | wc -l)"
check 'HTML: names' grep -q 'serverHandler.ServeHTTP' "$tmp/s.html"
check 'HTML: as many spans end' is "$(grep -o '<span' "$tmp/s.html" | wc -l)" "$(grep -o '</span>' "$tmp/s.html" | wc -l)"
# names are names, whatever is in them
printf 'main;<script>alert(1)</script>&"x;b]]> 10\nmain;\033[31mred 5\n' >"$tmp/evil.folded"
for f in ans svg html; do
	press ":screen $tmp/evil.$f<Enter>Q" "$tmp/evil.folded"
	check "$f: a name is no markup" is "$(grep -c '<script\|\]\]>$' "$tmp/evil.$f")" "$([ $f = ans ] && grep -c '<script' "$tmp/evil.ans" || echo 0)"
done
check 'a name colours nothing' is "$(grep -c "$(printf '\033\[31mred')" "$tmp/evil.ans")" 0
check 'SVG: it is there' grep -qF '&lt;script&gt;' "$tmp/evil.svg"
press ":screen $tmp/s.txt<Enter>" "$cpu"
check 'what is there is not written over' grep -q 'exists: y replaces it' "$tmp/out"

# a name that nobody gave, which the screen that is drawn for the file must not write over
(cd "$tmp" && "$TTRACE" view -script 'P<Enter>' -size 120x40 "$trace" >out)
check 'the file that was made is named' grep -q 'screen written to ttrace-1.txt' "$tmp/out"

# the pane through a command, and back
press "|wc -l >$tmp/lines; echo do''ne<Enter>" "$cpu"
check 'the command has the screen' grep -q '^done' "$tmp/out"
check 'and gets all lines' [ "$(cat "$tmp/lines")" -gt 500 ]
press "jj|cat >/dev/null<Enter><Enter>" "$cpu"
check 'Enter goes back to the same row' grep -q 'sha256.(\*Digest).Sum  sha256.go:200' "$tmp/out"
press "|true<Enter><Enter>" "$cpu"
check 'a command that reads nothing does no harm' grep -q '1Top' "$tmp/out"

# TTRACESECURE
TTRACESECURE=1 EDITOR="touch $tmp/edited;:" 
export TTRACESECURE EDITOR
rm -rf "$tmp"/ttrace*
for keys in 'y' 'Y' 'gy' '|' ":pipe touch $tmp/piped<Enter>" ":screen $tmp/secure.txt<Enter>" 'P' 'gf'; do
	press "$keys" "$cpu"
	check "TTRACESECURE: $keys is told off" grep -q 'off because TTRACESECURE is set' "$tmp/out"
	check "TTRACESECURE: $keys sends nothing" is "$(grep -c '^OSC' "$tmp/out")" 0
done
check 'TTRACESECURE: nothing was run or written' [ ! -e "$tmp/piped" -a ! -e "$tmp/secure.txt" -a ! -e "$tmp/edited" ]
check 'TTRACESECURE: no copies, no history' is "$(ls "$tmp" | grep -c 'ttrace')" 0
exit $bad
