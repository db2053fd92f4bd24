#!/bin/sh
# SPDX-License-Identifier: MIT
# The viewer on damaged and empty files, on an emulated terminal: in every pane it ends with status 1 and prints the reason,
# without a key press. The result must not depend on whether reading ends before or after the first frame, so each case is
# started several times.
. "${srcdir:-.}/tests/lib.sh"
curses || exit 77
mkdir -p "$XDG_CONFIG_HOME/ttrace" && echo "set last = off" >"$XDG_CONFIG_HOME/ttrace/config"
starts=${STARTS:-6}

ffs() { head -c "$1" /dev/zero | tr '\0' '\377'; }	# ffs N: print N bytes 0xff
patch() { # patch OFFSET N FILE: print FILE with N bytes at OFFSET replaced by 0xff
	head -c "$1" "$3"
	ffs "$2"
	tail -c +$(($1 + $2 + 1)) "$3"
}
cd "$tmp" || exit 99
head -c 5000 "$cpu" >cut.gz
patch 3000 1 "$cpu" >flipped.gz
gzip -dc "$cpu" | head -c 20000 >cut.pb
printf 'heap profile: 1: 2 [3: 4] @ heap/1\nxyz\n' >legacy.txt
patch 0 3 "$trace" >magic.trace
patch 16 8 "$trace" >batch.trace
head -c 40 "$trace" >header.trace
: >empty
gzip </dev/null >empty.gz

n=0
start() { # start FILE OPTION...: run the viewer in the background
	file=$1
	shift
	n=$((n + 1))
	job=$tmp/job.$n
	echo "$file $*" >"$job.what"
	("$build/tests/pty" -q 15 "$TTRACE" "$@" "$file" >"$job.out" 2>&1
		grep -q '^exit 1$' "$job.out" && grep -q "^ttrace: $file: ." "$job.out" && touch "$job.ok") &
	[ $((n % 12)) -ne 0 ] || wait
}
for file in flipped.gz legacy.txt magic.trace batch.trace header.trace empty empty.gz; do
	case $file in *.trace) panes='top list peek flame timeline goroutines tasks gc events info' ;;
	*) panes='top list peek flame info' ;; esac
	for _ in $(seq "$starts"); do
		start $file
	done
	for pane in $panes; do
		start $file -pane=$pane
	done
done
wait
for i in $(seq $n); do
	[ -e "job.$i.ok" ] || fail "$(cat "job.$i.what"): $(cat "job.$i.out")"
done

# of a truncated trace each pane shows the part that could be read, and a notice of the missing part
head -c 16 "$trace" >nothing.trace
head -c 60000 "$trace" >cut.trace
for pane in top list peek flame timeline goroutines tasks gc events info; do
	for file in nothing.trace cut.trace; do
		notice=$("$TTRACE" info $file 2>err | sed -n 's/^notice  *\(at byte [0-9]*: \)\{0,1\}//p' | head -n 1 | head -c 40)
		press '' $file -pane=$pane
		[ -n "$notice" ] && tail -n 2 out | grep -qF "$notice" ||
			fail "$pane of $file does not show \"$notice\": $(cat out)"
	done
done
exit $bad
