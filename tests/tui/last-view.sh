#!/bin/sh
# SPDX-License-Identifier: MIT
# The last view of a file. The viewer saves it at its end, and offers it when the file is opened again; with `set last =
# restore` it restores it. With `set last = off` and with TTRACESECURE it saves nothing. A damaged list of views is ignored.
. "${srcdir:-.}/tests/lib.sh"
curses || exit 77
cp "$samples/cpu.pb.gz" "$samples/orders.trace" "$tmp" && cd "$tmp" || exit 1
prof=$tmp/cpu.pb.gz trace=$tmp/orders.trace views=$tmp/state/ttrace/state
pty=$build/tests/pty

press 'jjQ' "$prof"
[ -e "$views" ] && { echo 'an unchanged view is saved'; bad=1; }
press ':focus=regexp<Enter>jma4jQ' "$prof"
[ "$(stat -c %a "$views" 2>/dev/null)" = 600 ] || { echo "the mode of the list of views is not 600"; ls -l "$tmp/state/ttrace"; bad=1; }
press '' "$prof"
shows 'the last view is offered' "last view: Flame, focus=regexp, 1 mark; '\" restores it"
shows 'the last view is not restored without a key' '[1Top]'
press "'\"" "$prof"
shows "'\" restores the pane" '[4Flame]'
shows "'\" restores the filter" 'focus=regexp'
press "'\"uu" "$prof"
hides 'u undoes the restored view' 'focus=regexp'
press ":marks<Enter>" "$prof"
shows 'the list of marks has the last view' "'\"      flame"
press "'\"'a4jQ" "$prof"
shows 'the viewer ends after the mark was used' 'exit 0'
press "" "$prof" -pane=top
hides 'the last view is not offered if the command line has a pane' 'last view'
mkdir -p config/ttrace
echo 'set last = restore' >config/ttrace/config
press "" "$prof"
shows 'last = restore restores the view' '[4Flame]'
shows 'a message reports the restored view' 'last view restored'
press "uuQ" "$prof"
press "" "$prof"
hides 'a view that was undone is not restored again' '[4Flame]'
echo 'set last = off' >config/ttrace/config
cp "$views" before
press '4Q' "$prof"
cmp -s before "$views" || { echo 'a view is saved although last = off'; bad=1; }
rm config/ttrace/config
TTRACESECURE=1 && export TTRACESECURE
press '4Q' "$prof"
cmp -s before "$views" || { echo 'a view is saved although TTRACESECURE is set'; bad=1; }
unset TTRACESECURE

# the view of several files that are opened as one belongs to their names in that order (press puts its file last)
cp "$samples/leak-after.pb.gz" "$samples/leak-before.pb.gz" "$tmp"
press '4ma:focus=main<Enter>Q' leak-after.pb.gz "$tmp/leak-before.pb.gz"
press '' leak-before.pb.gz leak-after.pb.gz
hides 'the view of several files is not offered for another order' 'last view'
press '' leak-after.pb.gz
hides 'the view of several files is not offered for one of them' 'last view'
press "'\"" "$tmp/leak-after.pb.gz" leak-before.pb.gz
shows "'\" restores the view of several files" 'focus=main'
touch -d '2001-02-03' leak-before.pb.gz
press '' leak-after.pb.gz leak-before.pb.gz
hides 'the view of several files is not offered if one of them has changed' 'last view'

# the view of a trace has zoom, row and time range; the list has the views of two files; a view is saved after SIGHUP, too
press '++llmbQ' "$trace"
press '8j<Kill HUP>' "$prof" # a profile has no pane 8, so no view is saved
press '2j<Kill HUP>' "$prof"
press "'\"" "$trace"
shows "'\" restores the zoom of a trace" '(25%)'
press "'\"" "$prof"
shows 'the view is saved after SIGHUP' '[2List]'
# the query of a trace is saved as options
press ':latency >1ms<Enter>:task .<Enter>:t 10ms..90ms<Enter>:g 1<Enter>4\\Q' "$trace"
grep -qx 'option -task=\.' "$views" && grep -qx 'option -goroutine=1' "$views" && grep -qx 'option -from=10000000ns' "$views" || {
	echo 'the list of views does not have the query as options'
	cat "$views"
	bad=1
}
press "'\"" "$trace"
shows "'\" restores the query of a trace" 'task=.'
# another file under the same name
cp "$samples/heap.pb.gz" "$prof"
press '' "$prof"
hides 'the view is not offered for another file of the same name' 'last view'
cp "$samples/cpu.pb.gz" "$prof"

# the list has at most 100 files; the oldest are removed
awk 'BEGIN { for (i = 0; i < 130; i++) printf "file 1 1 1.0 /x/%d\nview top /\n", i }' >"$views"
press '4Q' "$prof"
[ "$(grep -c '^file' "$views")" = 100 ] && sed -n 2p "$views" | grep -q cpu.pb.gz && grep -q '/x/98' "$views" && ! grep -q '/x/99' "$views" || {
	echo 'the list does not have the 100 last files'
	grep -c '^file' "$views"
	bad=1
}
# views with numbers that are out of range: no pane may crash
cat >profile.panes <<'END'
top id top sort invert
list fun file line top fold left
peek id row top levels
flame down up pivot reverse recurse runtime order id scroll part flip
tags row top
END
cat >trace.panes <<'END'
timeline t0 t1 rows only id order whole t row top
goroutines level by open trk group row span sort sort1
tasks level regions task kind whole min max row row1 row2 sort value
gc stops by open key row
events kinds t
END
for f in "$prof" "$trace"; do
	[ "$f" = "$prof" ] && panes=profile.panes || panes=trace.panes
	press '4maQ' "$f"
	grep -F "$f" "$views" >head
	for n in 18 4294967295 -9223372036854775808; do
		{
			cat head
			echo "view top /"
			i=0
			while read -r pane words; do
				for odd in "$n" "1 $n" "$n 1" "2 $n 1"; do
					view=
					for word in $words; do
						odd="${odd#* } ${odd%% *}"
						view=$view,$word=${odd##* }
					done
					[ $i -lt 26 ] && echo "mark $(echo abcdefghijklmnopqrstuvwxyz | cut -c$((i + 1))) $pane ${view#,}/ x"
					i=$((i + 1))
				done
			done <$panes
			printf 'option -type=frob\noption -from=%sns\noption -goroutine=%s\noption -proc=%s\noption -frob=%s\nblame %s\nview\nmark\nmark a\nmark b flame 1\nmark b flame a=1\nmark b flame a=1,,/\nmark c flame /frobnicate=1\nmark d top 0 0 0 0 0 0 0 0\n' "$n" "$n" "$n" "$n" "$n"
		} >"$views"
		press "'\"$(echo abcdefghijklmnopqrstuvwxyz | sed "s/./'&j/g")uuu:marks<Enter>" "$f"
		grep -q 'Sanitizer\|a fault\|signal' "$tmp/out" && { echo "a view with the number $n crashes the viewer:"; cat "$tmp/out"; bad=1; }
		shows "a view with the number $n does not end the viewer" 'Enter or the key'
	done
done
head -c 5000 /dev/urandom >"$views"
press '' "$prof"
shows 'a damaged list of views is ignored' '[1Top]'

# no line of the state is carried out, and an option of a view that is not one of a query has no effect
rm "$views"
press '4Q' "$prof"
entry=$(grep -F "$prof" "$views")
cat >>"$views" <<END
option -output=$tmp/evil
|touch $tmp/evil
pipe touch $tmp/evil
write $tmp/evil
END
{
	printf '%s\n' "|touch $tmp/evil" ":|touch $tmp/evil" ":top > $tmp/evil" "write $tmp/evil" 'quit' 'set theme = mono' \
		"map j pipe touch $tmp/evil" "filter mine = focus=a; |touch $tmp/evil"
	cat "$views"
} >all && mv all "$views"
press "'\"j:load mine<Enter>" "$prof"
shows 'a view with other lines is restored' '[4Flame]'
shows 'a set of filters with another word is refused' 'is not a filter'
[ ! -e "$tmp/evil" ] || { echo 'a line of the state has been carried out'; bad=1; }

# a change keeps the lines that it is not about, also those of another viewer and those that are not understood
printf 'filter old = focus=regexp\nnew-word of a newer version\nfile 9 1 1.0 /x/y\nview top /\nnew-line x\n' >"$views"
press ':focus=json<Enter>:save new<Enter>' "$prof"
for line in 'filter old = focus=regexp' 'filter new = focus=json' 'new-word of a newer version' ':save new' 'file 9 1 1.0 /x/y' 'new-line x'; do
	grep -qxF -e "$line" "$views" || { echo "the state does not have $line:"; cat "$views"; bad=1; }
done
press ':load new<Enter>::<Enter>:save new<Enter>' "$prof"
shows 'saving no filters deletes the set' 'new deleted'
! grep '^filter new' "$views" || { echo 'a deleted set of filters is still in the state'; bad=1; }

# the three files of former versions are read until there is a state
rm "$views"
printf 'filter mine = focus=regexp\n' >"$tmp/state/ttrace/filters"
printf ':hide=alpha\n/beta\n' >"$tmp/state/ttrace/history"
printf '# last views of files; see ttracerc(5), set last\n%s\nview flame /\noption -hide=gamma\nmark a top /row=2 note\n' "$entry" \
	>"$tmp/state/ttrace/views"
press "'\"" "$prof"
shows 'the view in the file of a former version' '[4Flame]'
shows 'the view in the file of a former version' 'hide=gamma'
press ':load mine<Enter>:<Up><Up>' "$prof"
shows 'the filters in the file of a former version' 'focus=regexp'
shows 'the history in the file of a former version' ':hide=alpha'
press ':marks<Enter>' "$prof"
shows 'the marks in the file of a former version' 'note'
for line in 'filter mine = focus=regexp' ':hide=alpha' '/beta' 'option -focus=regexp' 'mark a top /row=2 note'; do
	grep -qxF -e "$line" "$views" || { echo "the state does not have $line, which a former version has written:"; cat "$views"; bad=1; }
done
exit $bad
