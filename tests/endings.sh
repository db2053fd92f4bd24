#!/bin/sh
# SPDX-License-Identifier: MIT
# Output files are whole or absent, whatever ends a report that writes one: INT, TERM and HUP while it reads, while it
# writes and while it waits for another program, the limit of RLIMIT_FSIZE, a full disk. A file of that name that was there
# before is as it was, nothing else is left, the status is not 0, and there is one line if a write failed. The same holds for
# the viewer, which also restores the terminal. (tests/cli.sh has more signals, tests/terms.sh what restores the terminal.)
. "${srcdir:-.}/tests/lib.sh"

# Each report here writes more than the limits below. svg gets its drawing from a program dot.
reports='events raw traces list=. peek=. tree dot callgrind folded speedscope flame weblist=. proto svg
goroutines.-format=json stats.-step=1ms.-format=tsv traces.-format=json traces.-format=csv'
mkdir "$tmp/bin" "$tmp/w" && cd "$tmp/w" || exit 99
PATH=$tmp/bin:$PATH
export PATH
drawing() { # drawing LINE...: a program dot
	{ printf '#!/bin/sh\n' && printf '%s\n' "$@"; } >"$tmp/bin/dot"
	chmod +x "$tmp/bin/dot"
}
file_for() { # file_for REPORT: a file that it reads
	case $1 in events* | goroutines* | stats*) echo "$trace" ;; *) echo "$cpu" ;; esac
}
args() { echo "-${1%%.-*} $(echo "${1#"${1%%.-*}"}" | sed 's/\.-/ -/g')"; }	# args NAME.-OPTION.-OPTION

echo before >"$tmp/before"
begin() { # begin WHAT there|absent
	what="$1, $2"
	rm -rf ./*
	[ "$2" = absent ] || cp "$tmp/before" made
}
unharmed() { # nothing new, and what was there is the same
	case $what in
	*absent) [ -z "$(ls)" ] ;;
	*) [ "$(ls)" = made ] && cmp -s made "$tmp/before" ;;
	esac || fail "$what: left $(ls -l)"
}
ends_by() { # ends_by SIGNAL PID
	kill -s "$1" "$2"
	wait "$2" 2>/dev/null
	got=$?
	[ $got -gt 128 ] && same "$what: the signal" "$(kill -l $got)" "$1"
	[ $got -gt 128 ] || fail "$what: status $got"
	[ ! -s "$tmp/err" ] || fail "$what: $(cat "$tmp/err")"
	unharmed
}
# A shell cannot undo that a signal is ignored, as SIGINT is in the background of some.
default=
env --default-signal=INT true 2>/dev/null && default='env --default-signal=INT,TERM,HUP'
signals=
for signal in INT TERM HUP; do
	$default sh -c "kill -s $signal \$\$; :" 2>/dev/null || signals="$signals $signal"
done
has_temp() { [ -e "$(echo made.??????)" ] || ! kill -0 $pid 2>/dev/null; }
in_background() { # in_background ARGUMENT...: $pid; signals reach it
	[ "$default" ] || set -m
	$default "$TTRACE" "$@" 2>"$tmp/err" </dev/null &
	pid=$!
	set +m
}

# while it reads: the input is a pipe that has no end
mkfifo "$tmp/endless"
for report in events raw traces.-format=json proto flame; do
	for signal in $signals; do
		for old in there absent; do
			begin "SIG$signal while $report reads" $old
			in_background $(args $report) -output=made "$tmp/endless"
			exec 3>"$tmp/endless"
			head -c 1000 "$(file_for $report)" >&3
			until_so has_temp
			ends_by $signal $pid
			exec 3>&-
		done
	done
done

# while it writes: the reader of a pipe has the first byte, and takes no other; the pipe is not replaced by a file
mkfifo "$tmp/slow"
for report in events raw traces; do
	for signal in $signals; do
		begin "SIG$signal while $report writes" absent
		exec 3<>"$tmp/slow"
		in_background $(args $report) -output="$tmp/slow" "$(file_for $report)"
		dd bs=1 count=1 <&3 >"$tmp/byte" 2>/dev/null
		ends_by $signal $pid
		exec 3<&-
		[ -p "$tmp/slow" ] || fail "$what: the pipe is gone"
	done
done

# while it waits for another program, which ends, too. In the sandbox that program can write no file, so it reads a pipe, and
# the writer of the pipe is watched.
mkfifo "$tmp/dot-waits"
DOT_WAITS=$tmp/dot-waits
export DOT_WAITS
watch_dot() { # $tmp/dot-runs when dot has started, $tmp/dot-ended when it has ended
	rm -f "$tmp/dot-runs" "$tmp/dot-ended"
	(
		trap '' PIPE
		exec 3>"$DOT_WAITS"
		: >"$tmp/dot-runs"
		while echo x >&3; do sleep 0.1; done 2>/dev/null
		: >"$tmp/dot-ended"
	) &
	watcher=$!
}
dot_is_gone() {
	[ -e "$tmp/dot-runs" ] || fail "$what: dot did not run"
	[ ! -e "$tmp/dot-runs" ] || until_so [ -e "$tmp/dot-ended" ] || fail "$what: dot still runs"
	kill $watcher 2>/dev/null
	wait $watcher 2>/dev/null
}
drawing 'while read -r x; do :; done <"$DOT_WAITS"'
dot_runs() { [ -e "$tmp/dot-runs" ] || ! kill -0 $pid 2>/dev/null; }
for signal in $signals; do
	for old in there absent; do
		begin "SIG$signal while dot draws" $old
		watch_dot
		in_background svg -output=made "$cpu"
		until_so dot_runs
		ends_by $signal $pid
		dot_is_gone
	done
done

# a limit and a full disk
drawing 'exec cat'
fails() { # fails REASON COMMAND...
	reason=$1
	shift
	"$@" 2>"$tmp/err" >"$tmp/out" </dev/null
	same "$what: status" $? 1
	[ "$(grep -c '' "$tmp/err")" = 1 ] && grep -q "^ttrace: .*$reason" "$tmp/err" || fail "$what: $(cat "$tmp/err")"
	unharmed
}
for report in $reports; do
	for old in there absent; do
		begin "$report beyond ulimit -f" $old
		fails 'File too large' sh -c 'ulimit -f 4; exec "$@"' sh "$TTRACE" $(args $report) -output=made "$(file_for $report)"
	done
	[ ! -w /dev/full ] || {
		begin "$report to /dev/full" absent
		fails 'No space left' "$TTRACE" $(args $report) -output=/dev/full "$(file_for $report)"
	}
done
mkdir "$tmp/disk"
small() { # small COMMAND...: in $tmp/disk, a disk of a page
	unshare -m sh -c 'mount -t tmpfs -o size=4k none "$0" && cd "$0" && { [ ! -e ../w/made ] || cp ../w/made . || exit 99; }
		"$@" || status=$?; rm -f ../w/made; cp made* ../w 2>/dev/null; exit "${status:-0}"' "$tmp/disk" "$@"
}
if unshare -m mount -t tmpfs -o size=4k none "$tmp/disk" 2>/dev/null; then
	for report in $reports; do
		for old in there absent; do
			begin "$report on a full disk" $old
			fails 'No space left' small "$TTRACE" $(args $report) -output=made "$(file_for $report)"
		done
	done
fi

# the viewer: a write that fails is a message
curses || exit $bad
in_viewer() { # in_viewer KEYS STATUS PROGRAM...: its screens in $tmp/out
	keys=$1 wanted=$2
	shift 2
	"$build/tests/pty" -q 15 -k "$keys" "$@" "$cpu" >"$tmp/out" 2>&1
	[ -z "$wanted" ] || grep -q "^$wanted" "$tmp/out" || fail "$what: not $wanted: $(cat "$tmp/out")"
	! grep -q '^left behind' "$tmp/out" || fail "$what: $(cat "$tmp/out")"
	unharmed
}
limited='ulimit -f 4; exec "$0" "$@"'
for report in raw svg 'list .' flame proto callgrind; do
	for old in there absent; do
		yes=$([ $old = absent ] || echo y)
		begin ":$report beyond ulimit -f" $old
		in_viewer ":$report > made<Enter>$yes" '' sh -c "$limited" "$TTRACE"
		grep -q 'File too large' "$tmp/out" || fail "$what: no message: $(cat "$tmp/out")"
	done
done
begin ':raw beyond ulimit -f, and Q' absent
in_viewer ":raw > made<Enter>jQ" 'exit 0' sh -c "$limited" "$TTRACE"
begin ':raw on a full disk' absent
[ ! -w /dev/full ] || in_viewer ":raw > /dev/full<Enter>" '' "$TTRACE"
[ ! -w /dev/full ] || grep -q 'No space left' "$tmp/out" || fail "$what: no message: $(cat "$tmp/out")"

# and while dot draws, or while the reader of a pipe does not read: a signal, Esc and Q end it at once
drawing 'while read -r x; do :; done <"$DOT_WAITS"'
for how in '<Kill TERM>:exit 0' '<Kill HUP>:exit 0' '<^C><^C>:exit 0' '<Kill INT><Kill INT>:exit 130' 'Q:exit 0' '<Esc>Q:exit 0' \
	'<Kill XCPU>:ended by signal'; do
	begin "${how%%:*} while :svg writes" there
	watch_dot
	in_viewer ":svg > made<Enter>y${how%%:*}" "${how#*:}" "$TTRACE"
	dot_is_gone
	begin "${how%%:*} while :raw waits for a reader" absent
	exec 3<>"$tmp/slow"
	in_viewer ":raw > $tmp/slow<Enter>${how%%:*}" "${how#*:}" "$TTRACE"
	exec 3<&-
done
begin ':raw to a pipe that no program reads' absent
in_viewer ":raw > $tmp/slow<Enter>" '' "$TTRACE"
grep -q 'no program reads' "$tmp/out" || fail "$what: no message: $(cat "$tmp/out")"
# the history is whole, too
begin 'the history beyond ulimit -f' absent
mkdir -p "$XDG_STATE_HOME/ttrace"
printf ':focus=a\n' >"$XDG_STATE_HOME/ttrace/history"
in_viewer ':focus=b<Enter>Q' 'exit 0' sh -c 'ulimit -f 0; exec "$0" "$@"' "$TTRACE"
same 'the history on a full disk' "$(cat "$XDG_STATE_HOME/ttrace/history")" ':focus=a'
exit $bad
