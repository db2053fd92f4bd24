#!/bin/sh
# SPDX-License-Identifier: MIT
# Help, menus and other popups over a pane. Texts are complete at every width. Help begins with the commands of the pane. q,
# Esc and the key that opened a popup close it without another effect. `ttrace help REPORT` describes each report.
. "${srcdir:-.}/tests/lib.sh"

show() { "$TTRACE" view -size "$1" -script "$2" ${4:+-pane="$4"} "$samples/$3"; }	# show SIZE KEYS FILE [PANE]
# Viewers of a trace begin in the pane that is tested: to draw the timeline first would take longer than all else.
panes='top list peek flame timeline goroutines tasks gc events'

# no text of the help or of a menu is truncated
for size in 40x500 60x400 80x300 120x300 200x250; do
	for file in cpu.pb.gz orders.trace; do
		show $size '?' $file | sed 1d | grep '…' >"$tmp/cut" &&
			fail "help of $file at $size has truncated lines:" "$(cat "$tmp/cut")"
	done
done
for pane in $panes; do
	show 80x100 a orders.trace $pane | sed -n '/: commands/,$p' | sed '$d' | sed '$d' | grep '…' >"$tmp/cut" &&
		fail "the menu of pane $pane has truncated lines at 80 columns:" "$(cat "$tmp/cut")"
done

# the first group of commands is that of the pane
for want in 'top TOP :flat-cum' 'list LIST :fold' 'peek PEEK :next-function' 'flame FLAME :pivot' \
	'timeline TIMELINE :next-span' 'goroutines GOROUTINES :group-by' 'tasks TASKS :latency' 'gc GC :per-proc' \
	'events EVENTS :wire-form'; do
	# shellcheck disable=SC2086
	set -- $want
	show 80x40 '?' orders.trace "$1" >"$tmp/out"
	[ "$(sed -n 3p "$tmp/out" | tr -d ' █│')" = "$2" ] || fail "help of pane $1 does not begin with $2"
	awk '/^ MOVE/ { exit } { print }' "$tmp/out" | grep -q "$3 " || fail "help of pane $1 has no $3 in its first group"
done
# typed text filters the help; when help is opened again, it has no filter
show 80x24 '?pivot' orders.trace flame | grep -q ':pivot' || fail "pivot is not found in the help"
show 80x24 '?pivot<Esc>?' orders.trace flame >"$tmp/out"
show 80x24 '?' orders.trace flame | cmp -s - "$tmp/out" || fail "help that is opened again is still filtered"

# closed KEYS OVER FILE [PANE]: the key OVER opens a popup after KEYS, and when it is closed, the screen is as after KEYS
closed() {
	show 100x30 "$1" "$3" "${4:-}" >"$tmp/want"
	show 100x30 "$1$2" "$3" "${4:-}" | cmp -s - "$tmp/want" && fail "$1$2 on $3 opens nothing"
	for key in '<Esc>' q '<Backspace>' "$2"; do
		show 100x30 "$1$2$key" "$3" "${4:-}" | diff "$tmp/want" - >"$tmp/diff" ||
			fail "$1$2$key on $3 does not lead back to the screen after $1:" "$(cat "$tmp/diff")"
	done
}
for pane in $panes; do
	closed '' '?' orders.trace $pane
	closed '' a orders.trace $pane
done
for at in 'j top' 'l flame' 'M timeline' '4j top'; do
	closed "${at% *}" '?' orders.trace "${at#* }"
	closed "${at% *}" a orders.trace "${at#* }"
done
for pane in top flame goroutines; do
	closed j s orders.trace $pane
	closed j gr orders.trace $pane
done
for over in % U e '?' '<F1>' F6; do
	[ "$over" = F6 ] && over='<F6>'
	closed 1jj "$over" cpu.pb.gz
done
closed '' e orders.trace events
closed '<Enter>' '?' orders.trace goroutines
# the first K opens an explanation, the second shows more of it, the third closes it
show 100x30 1jKKK cpu.pb.gz >"$tmp/out"
show 100x30 1j cpu.pb.gz | cmp -s - "$tmp/out" || fail "K K K does not close the explanation"
# the Esc that closes a popup does not end the search of the pane below it
show 80x24 '/parse<Enter>?<Esc>n' cpu.pb.gz | grep -q '/parse  2/' || fail "Esc in the help ends the search"
show 80x24 '/parse<Enter>a<Esc>n' cpu.pb.gz | grep -q '/parse  2/' || fail "Esc in a menu ends the search"
# a key that the menu lists runs its command
show 80x24 1jaK cpu.pb.gz >"$tmp/out"
show 80x24 1jK cpu.pb.gz | cmp -s - "$tmp/out" || fail "K in the menu does not open the explanation"

# ttrace help REPORT has an example that works, the columns of the table, and options; no line exceeds 80 columns
run 0 help
awk 'length > 80' "$tmp/out" >"$tmp/wide"
[ -s "$tmp/wide" ] && fail "wider than 80 columns in the help:" "$(cat "$tmp/wide")"
run 0 help view
for option in focus diff_base source_path type from group sample_index; do
	grep -q -e "^    -$option=" "$tmp/out" || fail "the help of view does not list -$option"
done
"$TTRACE" -print=reports >"$tmp/reports"
cp -r "$samples" "$tmp/samples" && cd "$tmp/samples" || exit 99
PATH=$tmp/bin:$PATH
mkdir "$tmp/bin" && ln -s "$TTRACE" "$tmp/bin/ttrace"
tab=$(printf '\t')
while IFS="$tab" read -r line; do
	name=$(printf '%s\n' "$line" | cut -f2)
	columns=$(printf '%s\n' "$line" | cut -f7)
	example=$(printf '%s\n' "$line" | cut -f8)
	"$TTRACE" help "$name" >"$tmp/text" || fail "help $name fails"
	for head in '^Example' "^    ttrace $name"; do
		grep -q "$head" "$tmp/text" || fail "help $name has no line $head"
	done
	[ "$name" = help ] || grep -q '^    -[a-z_]*=' "$tmp/text" || fail "help $name has no options"
	[ "$(awk 'length > 80' "$tmp/text")" = '' ] || fail "help $name is wider than 80 columns"
	[ "$name" = disasm ] && continue		# it needs the program, which is not in samples/
	case $name in svg | ps | png | gif | pdf) have dot || continue ;; esac
	before=$(find . -type f | wc -l)
	sh -c "ttrace $example" >"$tmp/out" 2>"$tmp/err" || fail "ttrace $example:" "$(cat "$tmp/err")"
	case $example in
	*-output*) [ "$(find . -type f | wc -l)" -gt "$before" ] || fail "ttrace $example writes no file" ;;
	*) [ -s "$tmp/out" ] || fail "ttrace $example prints nothing" ;;
	esac
	[ -n "$columns" ] || continue
	grep -q '^Columns' "$tmp/text" || fail "help $name explains no columns"
	sed -n '/^Columns/,/^Options/p' "$tmp/text" | grep -q ' $' && fail "help $name has a column without an explanation"
	for column in $columns; do
		grep -q "\(^  *\|, \)$column\(,\| \|\$\)" "$tmp/text" || fail "help $name does not explain $column"
	done
	sh -c "ttrace $example -format=tsv" | head -1 | tr '\t' '\n' >"$tmp/heads"
	[ -s "$tmp/heads" ] || fail "ttrace $example -format=tsv prints no heading"
	while read -r head; do
		base=${head%_*}
		case " $columns " in *" $head "* | *" ${base}_ns "*) ;; *) fail "the help of $name has no column $head" ;; esac
	done <"$tmp/heads"
done <"$tmp/reports"
exit $bad
