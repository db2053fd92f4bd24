# SPDX-License-Identifier: MIT
# Functions and settings that all test scripts share. Each script begins with: . "${srcdir:-.}/tests/lib.sh"
# A script does not see the user's settings and environment. Its files are in the folder $tmp, which is removed at exit.
# A script waits for a condition (until_so), never for a fixed time. It exits with 77 if a tool is missing.

top=$(cd "${srcdir:-.}" && pwd) || exit 99
build=$PWD
TTRACE=${TTRACE:-$build/ttrace}
samples=$top/samples
cpu=$samples/cpu.pb.gz
trace=$samples/orders.trace
home=${HOME-}	# the home of the user; HOME of the scripts is $tmp
bad=0

tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM

unset TTRACE_OPTS TTRACE_JOBS TTRACESECURE NO_COLOR COLORFGBG COLORTERM COLUMNS LINES TMUX STY EDITOR VISUAL PAGER \
	GOROOT GOPATH GOMODCACHE PPROF_TMPDIR PPROF_BINARY_PATH DEBUGINFOD_URLS CDPATH ENV \
	http_proxy https_proxy all_proxy no_proxy HTTPS_PROXY ALL_PROXY NO_PROXY
HOME=$tmp XDG_CONFIG_HOME=$tmp/config XDG_STATE_HOME=$tmp/state XDG_CACHE_HOME=$tmp/cache
LC_ALL=C.UTF-8 TZ=UTC TERM=xterm-256color
export HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME LC_ALL TZ TERM TTRACE

fail() { # fail MESSAGE...: print the message, make the script fail at its end, and continue
	echo "failed: $*"
	bad=1
}
same() { # same NAME VALUE EXPECTED: fail if the two values differ
	[ "$2" = "$3" ] || fail "$1: \"$2\", wanted \"$3\""
}
have() { command -v "$1" >/dev/null 2>&1; }	# have TOOL
sanitized() { grep -q '^TT_CFLAGS.*-fsanitize' "$build/Makefile"; }	# such a build exceeds any limit of address space
curses() { grep -q 'define HAVE_CURSES' "$build/config.h"; }

# On some systems python3 only prints how to install it, so have_python runs it. Its settings may be in the user's home.
python() { HOME=$home python3 "$@"; }
have_python() { have python3 && python -c 'pass' >/dev/null 2>&1; }

# until_so COMMAND...: repeat COMMAND until it succeeds; return false after two minutes
until_so() {
	until_n=0
	until "$@"; do
		until_n=$((until_n + 1))
		[ $until_n -lt 1200 ] || return 1
		sleep 0.1
	done
}

# run STATUS ARGUMENT...: run ttrace, which must exit with STATUS; its output is in $tmp/out and $tmp/err
run() {
	run_want=$1
	shift
	"$TTRACE" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	run_got=$?
	[ $run_got = "$run_want" ] || fail "status $run_got, not $run_want: ttrace $*" "$(cat "$tmp/err")"
}
# refuses STATUS WORD ARGUMENT...: ttrace must print one line on stderr that matches WORD, and nothing on stdout
refuses() {
	ref_status=$1 ref_word=$2
	shift 2
	run "$ref_status" "$@"
	[ "$(grep -c '' "$tmp/err")" = 1 ] && grep -q "^ttrace: .*$ref_word" "$tmp/err" && [ ! -s "$tmp/out" ] ||
		fail "no single line with \"$ref_word\": ttrace $*:" "$(cat "$tmp/err")"
}

# Traces are made from lines of text, in the notation of tests/gotrace.
can_make_trace() { [ -x "$build/tests/load/t-tracetext" ]; }
make_trace() { # make_trace NAME <LINES: write $tmp/NAME.trace
	{ printf '%s\n' '-- expect --' '-- trace --' && cat; } >"$tmp/$1.test"
	"$build/tests/load/t-tracetext" -binary "$tmp/$1.test" >"$tmp/$1.trace" || fail "no trace of $1.test"
}
# The first lines of a trace whose clock counts nanoseconds and in which goroutine 1 runs on P 0
trace_start='go 25
Batch 1 -1 100
Sync
Frequency 1000000000
ClockSnapshot 5 77 1000 500
Batch 1 7 100
ProcStatus 1 0 1
GoStatus 1 1 -1 2'

# press KEYS FILE [OPTION...]: press KEYS in the viewer on an emulated terminal; its last screen is in $tmp/out
press() {
	press_keys=$1 press_file=$2
	shift 2
	"$build/tests/pty" -q 15 -k "$press_keys" "$TTRACE" "$@" "$press_file" >"$tmp/out" 2>&1
}

# shows WHAT TEXT...: the screen in $tmp/out must have each TEXT; with ! before the text, it must not have it
shows() {
	shows_what=$1
	shift
	for shows_text; do
		case $shows_text in
		!*) ! grep -qF -e "${shows_text#!}" "$tmp/out" ;;
		*) grep -qF -e "$shows_text" "$tmp/out" ;;
		esac || fail "$shows_what: the screen must have (! must not have) \"$shows_text\"" "$(cat "$tmp/out")"
	done
}
hides() { shows "$1" "!$2"; }	# hides WHAT TEXT

# after FILE KEYS TEXT...: the screen after KEYS, with the options in $look, must have each TEXT as for shows
look='-ascii -size 80x24'
after() {
	after_file=$1 after_keys=$2
	shift 2
	# shellcheck disable=SC2086 # a list of options
	"$TTRACE" view $look -script "$after_keys" "$after_file" >"$tmp/out" 2>&1 || fail "$after_keys: status $?"
	shows "$after_keys" "$@"
}

# For scripts that count their checks: ok STATUS BEHAVIOUR after each check, and plan at the end
n=0
ok() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi
}
plan() { echo "1..$n"; }
