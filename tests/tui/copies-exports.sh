#!/bin/sh
# SPDX-License-Identifier: MIT
# Output of the viewer: copies by OSC 52 or into a file (tmux: tmux.sh), screens as text, ANSI, SVG and HTML, and the
# lines of a pane as input of a command. With TTRACESECURE none of this is possible.
. "${srcdir:-.}/tests/lib.sh"
curses || exit 77
XDG_STATE_HOME=$tmp TMPDIR=$tmp
export XDG_STATE_HOME TMPDIR
clip() { sed -n 's/^OSC 52;c;//p' "$tmp/out" | base64 -d; }
check() { # check BEHAVIOUR COMMAND...: COMMAND must succeed
	what=$1
	shift
	"$@" || {
		echo "failed: $what"
		cat "$tmp/out"
		bad=1
	}
}
is() { [ "$1" = "$2" ] || { echo "got: $1"; echo "wanted: $2"; false; }; }

press 'jjyQ' "$cpu"
check 'y copies the selected row with its complete name' is "$(clip)" 'crypto/internal/fips140/sha256.(*Digest).Sum  sha256.go:200  flat 420ms cum 2.32s  1 caller 3 callees'
press 'jYQ' "$cpu"
check 'Y copies the whole list' [ "$(clip | wc -l)" -gt 500 ]
# gy copies a command line that shows the same screen
press ':focus=json|regexp<Enter>4gyQ' "$cpu"
line=$(clip)
check "gy copies filters and the sample type: $line" is "${line%% -at=*}" "ttrace view -pane=flame -focus='json|regexp' -sample_index=cpu"
press '/sync<Enter>gyQ' "$trace" -pane=goroutines -type=sched -from=500ms -to=1.5s
line=$(clip)
check 'gy on a trace copies the pane, the sample type and the time range' is "${line%% -at=*}" 'ttrace view -pane=goroutines -type=sched -from=500000000ns -to=1500000000ns'
press "1:type sched<Enter>:blame self<Enter>:diff $samples/orders.trace<Enter>gyQ" "$trace" -source_path="$tmp/a dir" -unit=ms
line=$(clip)
check 'gy copies options of the command line, :blame and the base' is "${line%% -at=*}" \
	"ttrace view -pane=top -unit=ms -source_path='$tmp/a dir' -type=sched -blame=self -diff_base=$samples/orders.trace"
press ':diff @none<Enter>f:save mine<Enter>R:diff @mine<Enter>gyQ' "$cpu"
line=$(clip)
check 'gy copies no base that is not a file' is "${line%% -at=*}" 'ttrace view -pane=top -sample_index=cpu'
# again KEYS FILE: the command line that gy copies after KEYS must show the same screen, except its last two lines
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
# -at selects the time also if it is known only after the whole file has been read
for jobs in 1 2; do
	TTRACE_JOBS=$jobs "$TTRACE" view -at=90% -script '' "$trace" | grep -q '^2\.163s' ||
		fail "-at=90% does not select 2.163s with TTRACE_JOBS=$jobs"
	TTRACE_JOBS=$jobs "$TTRACE" view -at=600ms -script '' "$trace" | grep -q '^0\.600s' ||
		fail "-at=600ms does not select 0.600s with TTRACE_JOBS=$jobs"
done
# a copy that is too long for OSC 52, or on a terminal without it, is written into a file
press ':%<Esc>Y' "$trace" -pane=events
file=$(sed -n 's/.* written to //p' "$tmp/out")
check 'a copy of more than 74 KB is written into a file' [ -s "$file" ]
TERM=vt100 press 'jy' "$cpu"
file=$(sed -n 's/.* written to //p' "$tmp/out")
check 'on a vt100 a copy is written into a file' grep -q 'runtime.memmove' "$file"

# screens as files
for f in txt ans svg html; do
	press "4:screen $tmp/s.$f<Enter>Q" "$cpu"
done
check 'the text of the screen has the names' grep -q 'net/http.(\*conn).serve' "$tmp/s.txt"
check 'the text of the screen has no escape characters' is "$(tr -d '\033' <"$tmp/s.txt" | cksum)" "$(cksum <"$tmp/s.txt")"
"$TTRACE" view -script 4 -ansi "$cpu" >"$tmp/want"
check 'the ANSI file has the output of -ansi' cmp "$tmp/s.ans" "$tmp/want"
check 'SVG is one element' is "$(head -c 4 "$tmp/s.svg")$(tail -n 1 "$tmp/s.svg")" '<svg</svg>'
check 'SVG has a closing tag for each text' is "$(grep -o '<text' "$tmp/s.svg" | wc -l)" "$(grep -o '</text>' "$tmp/s.svg" | wc -l)"
check 'HTML has the names' grep -q 'serverHandler.ServeHTTP' "$tmp/s.html"
check 'HTML has a closing tag for each span' is "$(grep -o '<span' "$tmp/s.html" | wc -l)" "$(grep -o '</span>' "$tmp/s.html" | wc -l)"
# characters of names are escaped
printf 'main;<script>alert(1)</script>&"x;b]]> 10\nmain;\033[31mred 5\n' >"$tmp/evil.folded"
for f in ans svg html; do
	press ":screen $tmp/evil.$f<Enter>Q" "$tmp/evil.folded"
	check "$f: markup in a name is escaped" is "$(grep -c '<script\|\]\]>$' "$tmp/evil.$f")" "$([ $f = ans ] && grep -c '<script' "$tmp/evil.ans" || echo 0)"
done
check 'escape sequences in names are not printed' is "$(grep -c "$(printf '\033\[31mred')" "$tmp/evil.ans")" 0
check 'SVG has the escaped name' grep -qF '&lt;script&gt;' "$tmp/evil.svg"
press ":screen $tmp/s.txt<Enter>" "$cpu"
check ':screen asks before it replaces a file' grep -q 'exists: y replaces it' "$tmp/out"

# P makes the name of the file; drawing the screen for the file must not overwrite the name, which the message shows
(cd "$tmp" && "$TTRACE" view -script 'P<Enter>' -size 120x40 "$trace" >out)
check 'the message after P names the file' grep -q 'screen written to ttrace-1.txt' "$tmp/out"

# | runs a command on the lines of the pane; then the viewer returns
press "|wc -l >$tmp/lines; echo do''ne<Enter>" "$cpu"
check 'the command writes to the terminal' grep -q '^done' "$tmp/out"
check 'the command reads all lines of the pane' [ "$(cat "$tmp/lines")" -gt 500 ]
press "jj|cat >/dev/null<Enter><Enter>" "$cpu"
check 'Enter returns to the same row' grep -q 'sha256.(\*Digest).Sum  sha256.go:200' "$tmp/out"
press "|true<Enter><Enter>" "$cpu"
check 'the viewer returns from a command that does not read its input' grep -q '1Top' "$tmp/out"

# TTRACESECURE
TTRACESECURE=1 EDITOR="touch $tmp/edited;:"
export TTRACESECURE EDITOR
rm -rf "$tmp"/ttrace*
for keys in 'y' 'Y' 'gy' '|' ":pipe touch $tmp/piped<Enter>" ":screen $tmp/secure.txt<Enter>" 'P' 'gf'; do
	press "$keys" "$cpu"
	check "TTRACESECURE: $keys shows a message" grep -q 'off because TTRACESECURE is set' "$tmp/out"
	check "TTRACESECURE: $keys sends no OSC sequence" is "$(grep -c '^OSC' "$tmp/out")" 0
done
check 'TTRACESECURE: no command was run and no file was written' [ ! -e "$tmp/piped" -a ! -e "$tmp/secure.txt" -a ! -e "$tmp/edited" ]
check 'TTRACESECURE: no copies and no history were written' is "$(ls "$tmp" | grep -c 'ttrace')" 0
exit $bad
