#!/bin/sh
# SPDX-License-Identifier: MIT
# The viewer in tmux: open, move, zoom, filter, resize, suspend and continue, quit; then the settings of the terminal are
# restored. Skipped without tmux and without curses.
. "${srcdir:-.}/tests/lib.sh"
curses && have tmux && have stty || exit 77
# a separate server of tmux: not the user's, and not one of another test that runs at the same time
TMUX_TMPDIR=$tmp TERM=screen-256color ENV=$tmp/rc
export TMUX_TMPDIR TERM ENV
mux() { tmux -L test "$@"; }
trap 'mux kill-server 2>/dev/null; rm -rf "$tmp"' EXIT
echo "PS1='ready> '" >"$ENV"
mux -f /dev/null new-session -d -x 80 -y 24 "exec sh" && mux resize-window -x 80 -y 24 || exit 77

screen() { mux capture-pane -p >"$tmp/screen" 2>/dev/null; }
has() { screen && grep -qF -e "$1" "$tmp/screen"; }
lacks() { screen && ! grep -qF -e "$1" "$tmp/screen"; }
last_is() { screen && [ "$(grep . "$tmp/screen" | tail -n 1)" = "$1" ]; }
# give_up MESSAGE...: end the script, because all later checks would fail, too
give_up() {
	echo "$*; the screen:"
	cat "$tmp/screen"
	exit 1
}
see() { until_so has "$2" || give_up "$1: no \"$2\""; }		# see NAME TEXT: wait until the screen has TEXT
gone() { until_so lacks "$2" || give_up "$1: still \"$2\""; }
# prompt NAME: wait for the prompt of the shell, because earlier keys may reach the viewer
prompt() { until_so last_is 'ready>' || give_up "$1: no prompt"; }
keys() { mux send-keys "$@"; }
type_line() { keys "$*" Enter; }

# settings FILE: write the settings of the terminal into FILE
ran=0
settings() {
	ran=$((ran + 1))
	type_line "stty -a >$1; echo writ''ten-$ran"
	see settings "written-$ran"
}

prompt start
settings "$tmp/before"
type_line "$TTRACE $trace; echo exit \$?"
see open '[5Time]'
keys l l + + j
see zoom '1 cell='
keys 8
see gc '[8GC]'
see curve ' worst '	# a part of the pane, which a job computes
keys BTab
see 'S-Tab selects the part before' 'only then'
keys 1
see top 'memmove'
keys y
see copy 'copied item'
mux show-buffer | grep -q 'flat.*cum' || fail "y does not copy the row into a buffer of tmux"
keys ':focus=json' Enter
see filter 'focus=json'
keys u
gone undo 'focus=json'
keys /
keys 'runtime'
see search '/runtime'
keys Escape
gone search '/runtime'
mux resize-window -x 120 -y 40
wide() { screen && head -n 1 "$tmp/screen" | grep -q '.\{100\}? keys'; }
until_so wide || give_up 'the screen is not as wide as the terminal'
keys '?'
see help '[Help]'
keys q
mux resize-window -x 30 -y 5
see small 'too small'
mux resize-window -x 80 -y 24
see back '[1Top]'
keys C-z
prompt stopped
type_line fg
see again '[1Top]'
# a command of | is stopped and continued: it keeps the settings of the terminal, so ^C ends it
tty=$(mux display-message -p '#{pane_tty}')
keys "|echo run''ning; while sleep 1; do echo ti''ck; done" Enter
see pipe running
stty -a <"$tty" >"$tmp/running"
keys C-z
prompt pipe-stopped
type_line 'clear; fg; echo exit $?'
see pipe-continued tick
stty -a <"$tty" >"$tmp/continued"
cmp "$tmp/running" "$tmp/continued" || fail "a stop changes the terminal of a command: $(diff "$tmp/running" "$tmp/continued")"
keys C-c
see pipe-ended 'press Enter to return'
keys Enter
see pipe-back '[1Top]'
keys Q
see quit 'exit 0'
prompt quit
settings "$tmp/after"
cmp "$tmp/before" "$tmp/after" || fail "the settings of the terminal are not restored: $(diff "$tmp/before" "$tmp/after")"

# if the file changes while it is shown, the next key shows one message; r reads the file again
cat "$trace" >"$tmp/growing.trace"
type_line "clear; $TTRACE $tmp/growing.trace; echo left \$?"
see growing '[5Time]'
head -c 1000 /dev/zero >>"$tmp/growing.trace"
keys l
see grown 'has grown by 1000 bytes'
keys l
gone grown 'has grown'
cat "$trace" >"$tmp/other.trace"
mv "$tmp/other.trace" "$tmp/growing.trace"
keys l
see other 'has been replaced since it was read'
keys r
see read-again 'read again'
keys l
gone other 'has been replaced'
keys Q
see left 'left 0'
prompt left

# SIGTERM: the terminal is restored, too
type_line "clear; sh -c 'echo \$\$ >$tmp/pid; exec $TTRACE $cpu'"
see reopen '[1Top]'
pid=$(cat "$tmp/pid")	# of this script: another test may run the viewer on the same file at the same time
kill -TERM "$pid"
prompt ended
settings "$tmp/after"
cmp "$tmp/before" "$tmp/after" || fail "the settings of the terminal are not restored after SIGTERM"
exit $bad
