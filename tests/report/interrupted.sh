#!/bin/sh
# SPDX-License-Identifier: MIT
# A report that is interrupted leaves no part of an output file. It is interrupted by INT, TERM and HUP while it reads, while
# it writes and while it waits for another program, by RLIMIT_FSIZE and by a full disk. An older file of that name is not
# changed, no other file is left, the status is not 0, and a failed write prints one line. The same holds for the viewer,
# which also restores the terminal. (tests/cli/command-line.sh has more signals; tests/tui/terminals.sh tests that the
# terminal is restored.)
. "${srcdir:-.}/tests/lib.sh"

# Each of these reports writes more than the limits below. svg reads the output of a program dot, which is a stub here.
reports='events raw traces list=. peek=. tree dot callgrind folded speedscope flame weblist=. proto svg
goroutines.-format=json stats.-step=1ms.-format=tsv traces.-format=json traces.-format=csv'
mkdir "$tmp/bin" "$tmp/w" && cd "$tmp/w" || exit 99
PATH=$tmp/bin:$PATH
export PATH
drawing() { # drawing LINE...: make the program dot
	{ printf '#!/bin/sh\n' && printf '%s\n' "$@"; } >"$tmp/bin/dot"
	chmod +x "$tmp/bin/dot"
}
file_for() { # file_for REPORT: a file that the report can read
	case $1 in events* | goroutines* | stats*) echo "$trace" ;; *) echo "$cpu" ;; esac
}
# args NAME.-OPTION.-OPTION: the arguments of a report
args() { echo "-${1%%.-*} $(echo "${1#"${1%%.-*}"}" | sed 's/\.-/ -/g')"; }

echo before >"$tmp/before"
begin() { # begin NAME there|absent: start a case, with an older output file or without one
	what="$1, $2"
	rm -rf ./*
	[ "$2" = absent ] || cp "$tmp/before" made
}
unharmed() { # there is no new file, and an older one is unchanged
	case $what in
	*absent) [ -z "$(ls)" ] ;;
	*) [ "$(ls)" = made ] && cmp -s made "$tmp/before" ;;
	esac || fail "$what: a new or changed file: $(ls -l)"
}
ends_by() { # ends_by SIGNAL PID: send SIGNAL, by which the process must end
	kill -s "$1" "$2"
	wait "$2" 2>/dev/null
	got=$?
	[ $got -gt 128 ] && same "$what: the signal" "$(kill -l $got)" "$1"
	[ $got -gt 128 ] || fail "$what: status $got"
	[ ! -s "$tmp/err" ] || fail "$what: $(cat "$tmp/err")"
	unharmed
}
# Some shells ignore SIGINT in background processes, and a shell cannot stop ignoring a signal.
default=
env --default-signal=INT true 2>/dev/null && default='env --default-signal=INT,TERM,HUP'
signals=
for signal in INT TERM HUP; do
	$default sh -c "kill -s $signal \$\$; :" 2>/dev/null || signals="$signals $signal"
done
has_temp() { [ -e "$(echo made.??????)" ] || ! kill -0 $pid 2>/dev/null; }
in_background() { # in_background ARGUMENT...: run ttrace, which does not ignore signals, as process $pid
	[ "$default" ] || set -m
	$default "$TTRACE" "$@" 2>"$tmp/err" </dev/null &
	pid=$!
	set +m
}

# while the report reads: the input is a pipe that stays open
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

# while it writes: the output is a pipe, of which only one byte is read; a file must not replace the pipe
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

# while it waits for another program: that program must end, too. In the sandbox it cannot write a file, so it reads a pipe,
# and the process that writes into the pipe notices its end.
mkfifo "$tmp/dot-waits"
DOT_WAITS=$tmp/dot-waits
export DOT_WAITS
watch_dot() { # create $tmp/dot-runs when dot has started, $tmp/dot-ended when it has ended
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
fails() { # fails REASON COMMAND...: the command must fail with one line that has REASON
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
small() { # small COMMAND...: run COMMAND in $tmp/disk, a file system of one page
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

# the viewer shows a message when a write fails
curses || exit $bad
in_viewer() { # in_viewer KEYS STATUS PROGRAM...: press KEYS in the viewer; its screens are in $tmp/out
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

# a signal, Esc and Q stop a report of the viewer while dot draws, and while it writes into a pipe that no program reads
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
# a failed write does not damage the history
begin 'the history beyond ulimit -f' absent
mkdir -p "$XDG_STATE_HOME/ttrace"
printf ':focus=a\n' >"$XDG_STATE_HOME/ttrace/state"
in_viewer ':focus=b<Enter>Q' 'exit 0' sh -c 'ulimit -f 0; exec "$0" "$@"' "$TTRACE"
same 'the history after a failed write' "$(cat "$XDG_STATE_HOME/ttrace/state")" ':focus=a'
# before the kind of a file is known, the viewer waits for it and can be left
rm -f "$tmp/slow"
mkfifo "$tmp/slow"
exec 3<>"$tmp/slow"
press '<Size 40x8>' "$tmp/slow" view
grep -q '^ *waiting for /' "$tmp/out" && grep -q '^q cancel and quit' "$tmp/out" || fail "no screen for a pipe without data: $(cat "$tmp/out")"
for key in q Q '<Esc>' '<^C>'; do
	press "x$key" "$tmp/slow" view
	grep -q '^exit 0' "$tmp/out" || fail "$key does not end the viewer that waits for a pipe: $(cat "$tmp/out")"
done
exec 3<&-
# the same if no program has opened the pipe for writing
press '<Size 40x8>xQ' "$tmp/slow" view
grep -q '^exit 0' "$tmp/out" || fail "Q does not end the viewer that waits for a writer: $(cat "$tmp/out")"
press '<Wait 500><Esc><Wait 500>Q' "$trace" view -diff_base="$tmp/slow"
grep -q '^exit 0' "$tmp/out" || fail "Escape while the base is read is an error: $(cat "$tmp/out")"
press ":diff $tmp/slow<Enter>Q" "$trace" view
grep -q '^exit 0' "$tmp/out" || fail "Q does not end the viewer whose base waits for a writer: $(cat "$tmp/out")"
exit $bad
