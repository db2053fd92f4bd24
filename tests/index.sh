#!/bin/bash
# SPDX-License-Identifier: MIT
# Indexes beside the data, as a user meets them: written once, taken the next time, with the same screen and the
# same reports; never beside the trace, never taken when anything is odd, never left half done.
set -u
. "${srcdir:-.}/tests/lib.sh"
export HOME="$tmp/home"
unset XDG_CACHE_HOME
ttrace=$TTRACE
mkdir "$tmp/data" "$tmp/home" && cp -p "$trace" "$tmp/data/t.out" && cd "$tmp/data" || exit 99
dir=$tmp/index
view() { "$ttrace" view -pane=info -script '' -size 100x40 "$@" t.out; }
index() { view -index="$dir" | sed -n 's/^ *index *//p'; }
count() { find "$dir" -type f | wc -l; }

view -index=none >"$tmp/plain"
grep -q '^ *index  *off' "$tmp/plain"; ok $? 'index=none says that it is off'
! view | grep -q 'index  *'; ok $? 'of what is small nobody asks'
[ ! -e "$HOME/.cache" ]; ok $? 'and nothing is written without need'
index | grep -q 'none'; ok $? 'first time: there is none'
[ "$(count)" = 1 ] && [ "$(stat -c %a "$dir")" = 700 ] && [ "$(stat -c %a "$dir"/*.index)" = 600 ]
ok $? 'it was written, to be read by nobody else'
index | grep -q 'read: '; ok $? 'second time: it is taken'
view -index="$dir" | sed '/^ *index/d;/^ *memory/d' >"$tmp/b"; sed '/^ *index/d;/^ *memory/d' "$tmp/plain" | cmp -s - "$tmp/b"; ok $? 'the facts are the same'
for keys in '' '++++llll' '6jj<Enter>' '7jj<Enter>' '8jj' '9jj' '5' '1' '4'; do
	"$ttrace" view -index=none -script "$keys" -size 120x40 t.out >"$tmp/a"
	"$ttrace" view -index="$dir" -script "$keys" -size 120x40 t.out >"$tmp/b"
	cmp -s "$tmp/a" "$tmp/b"; ok $? "the same screen after '$keys'"
done
for report in info goroutines tasks regions gc stw why mmu procs syscalls stats 'stats -step=1ms' 'top -type=sched' 'proto -type=sync' \
	'tree -type=block -from=20% -to=60%' 'traces -type=cpu' 'events' 'folded -type=run'; do
	"$ttrace" $report -index=none t.out >"$tmp/a"
	"$ttrace" $report -index="$dir" t.out >"$tmp/b"
	cmp -s "$tmp/a" "$tmp/b" && [ -s "$tmp/a" ]; ok $? "the same report: $report"
done
"$ttrace" top -base "$trace" -type=sched -index="$dir" t.out >"$tmp/b"
"$ttrace" top -base "$trace" -type=sched -index=none t.out | cmp -s - "$tmp/b"; ok $? 'a base beside it'

mv t.out u.out && mv u.out t.out && index | grep -q 'read: '; ok $? 'a trace that was moved is known'
gzip -c t.out >g.out && "$ttrace" view -script '' -index="$dir" g.out >"$tmp/a"; "$ttrace" view -script '' -index="$dir" g.out >"$tmp/b"
[ "$(count)" = 2 ] && cmp -s "$tmp/a" "$tmp/b"; ok $? 'one that is gzipped has its own'
"$ttrace" info -index="$dir" g.out >"$tmp/a"; "$ttrace" info -index=none g.out | cmp -s - "$tmp/a"; ok $? 'and the same facts'
rm g.out "$dir"/*; index >/dev/null
touch t.out; index | grep -q none && [ "$(count)" = 2 ]; ok $? 'another time: another trace'
rm "$dir"/*; index >/dev/null

f=$(echo "$dir"/*.index)
odd() { # odd WHAT: the index was made odd; it is not taken, written again, and taken
	index | grep -q 'not taken\|none'; ok $? "not taken: $1"
	index | grep -q 'read: '; ok $? "written again: $1"
	[ "$(stat -c %s "$f")" = "$size" ]; ok $? "and as long as it was: $1"
}
size=$(stat -c %s "$f")
printf 'x' | dd of="$f" bs=1 seek=$(($(stat -c %s "$f") / 2)) conv=notrunc 2>/dev/null; odd 'a byte is another'
truncate -s 5000 "$f"; odd 'cut short'
: >"$f"; odd 'empty'
head -c 100000 /dev/zero >"$f"; odd 'zeros'
chmod 666 "$f"; odd 'other users can write to it'
rm "$f"; ln -s /dev/zero "$f"; odd 'a link'
rm "$f"; mkfifo "$f"; odd 'a pipe'
touch -d '1 hour ago' "$dir/0123456789abcdef.1.index.part"; touch "$dir/0123456789abcdef.2.index.part"; rm "$f"; index >/dev/null
[ ! -e "$dir/0123456789abcdef.1.index.part" ] && [ -e "$dir/0123456789abcdef.2.index.part" ]; ok $? 'what was left undone long ago is swept'
rm "$dir"/*
index >/dev/null; f=$(echo "$dir"/*.index); touch -d '3 days ago' "$f"; index >/dev/null
[ -n "$(find "$f" -mmin -60)" ]; ok $? 'use is marked'
rm "$dir"/*; a=$dir/aaaaaaaaaaaaaaaa.index b=$dir/bbbbbbbbbbbbbbbb.index c=$dir/cccccccccccccccc.index
if truncate -s 2046M "$a" && truncate -s 1M "$b" && : >"$dir/notes"; then	# holes: they take no room
	touch -d '2 days ago' "$a" && touch -d '1 day ago' "$b" && truncate -s 1M "$c" && touch -d '1 hour ago' "$c"
	index >/dev/null
	[ ! -e "$a" ] && [ -e "$f" ] && [ -e "$dir/notes" ]; ok $? 'where there is no room the one that was used longest ago goes'
	[ -e "$b" ] && [ -e "$c" ]; ok $? 'and those that were used since stay'
fi
rm "$dir"/*
TTRACESECURE=1 "$ttrace" view -script '' -index="$dir" t.out >/dev/null; [ "$(count)" = 0 ]; ok $? 'TTRACESECURE writes none'
"$ttrace" view -script '' -index=. t.out >/dev/null; "$ttrace" view -script '' -index="$tmp/data" t.out >/dev/null
[ "$(ls)" = t.out ]; ok $? 'never beside the trace'
"$ttrace" goroutines -index="$dir" t.out >/dev/null; [ "$(count)" = 0 ]; ok $? 'a report writes none'
chmod 500 "$dir"
"$ttrace" view -script '' -index="$dir/x/y" t.out >"$tmp/a" 2>"$tmp/err"; [ ! -s "$tmp/err" ] && [ -s "$tmp/a" ]
ok $? 'a directory that cannot be had is no error'
plan
exit $bad
