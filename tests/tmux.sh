#!/bin/sh
# SPDX-License-Identifier: MIT
# The viewer on a real terminal, by tmux: open, move, zoom, filter, resize, suspend and come back, quit; and
# the terminal is as it was. Skipped where there is no tmux, and without curses.
command -v tmux >/dev/null || exit 77
grep -q 'define HAVE_CURSES' config.h || exit 77
# a server of our own: not the user's, and not one of another test running beside this
sock=ttrace-test-$$
mux() { tmux -L "$sock" "$@"; }
tmp=$(mktemp -d)
trap 'mux kill-server 2>/dev/null; rm -rf "$tmp"' EXIT
unset TMUX NO_COLOR
bad=0
HOME=$tmp LC_ALL=C.UTF-8 TERM=screen-256color XDG_CONFIG_HOME=$tmp XDG_STATE_HOME=$tmp
ENV=$tmp/rc
echo "PS1='ready> '" >$ENV
export ENV HOME LC_ALL TERM XDG_CONFIG_HOME XDG_STATE_HOME
mux -f /dev/null new-session -d -x 80 -y 24 "exec sh" || exit 77

# see WHAT TEXT: until the screen shows it, at most ten seconds
see() {
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		mux capture-pane -p >"$tmp/screen" 2>/dev/null
		grep -qF -e "$2" "$tmp/screen" && return 0
		sleep 0.1
		[ "$i" -gt 5 ] && sleep 0.25
	done
	echo "$1: no \"$2\" on the screen:"
	cat "$tmp/screen"
	bad=1
	return 1
}
gone() {
	for i in 1 2 3 4 5 6 7 8 9 10; do
		mux capture-pane -p >"$tmp/screen" 2>/dev/null
		grep -qF -e "$2" "$tmp/screen" || return 0
		sleep 0.2
	done
	echo "$1: \"$2\" is still on the screen"
	bad=1
}
keys() { mux send-keys "$@"; }
run() { keys "$*" Enter; }

see prompt 'ready>' || exit 1
run "stty -a >$tmp/before; echo mark''er"
see shell marker
run "$TTRACE $srcdir/samples/orders.trace; echo exit \$?"
see open '[5Time]' || exit 1
keys l l + + j
see zoom '1 cell='
keys 1
see top 'memmove'
keys y
see copy 'copied item'
case $(mux show-buffer 2>/dev/null) in *flat*cum*) ;; *) echo "y: tmux has no such buffer"; bad=1 ;; esac
keys ':focus=json' Enter
see filter 'focus=json'
keys u
gone undo 'focus=json'
keys /
keys 'runtime'
see search '/runtime'
keys Escape
mux resize-window -x 120 -y 40
see resize '[1Top]'
keys '?'
see help '[Help]'
keys q
mux resize-window -x 30 -y 5
see small 'sorry'
mux resize-window -x 80 -y 24
see back '[1Top]'
keys C-z
see stopped 'ready>'
run "fg; echo exit \$?"
see again '[1Top]'
keys Q
see quit 'exit 0'
see shell-again marker
run "stty -a >$tmp/after; echo fin''ished"
see finished finished
cmp "$tmp/before" "$tmp/after" || { echo "stty is not as before"; diff "$tmp/before" "$tmp/after"; bad=1; }

# a file that changes below the viewer: said at the next key, once; r reads it again
cat "$srcdir/samples/orders.trace" >"$tmp/growing.trace"
run "clear; $TTRACE $tmp/growing.trace; echo left \$?"
see growing '[5Time]'
head -c 1000 /dev/zero >>"$tmp/growing.trace"
keys l
see grown 'has grown by 1000 bytes'
keys l
gone grown 'has grown'
cat "$srcdir/samples/orders.trace" >"$tmp/other.trace"
mv "$tmp/other.trace" "$tmp/growing.trace"
keys l
see other 'is not the file any more'
keys r
see read-again 'read again'
keys l
gone other 'is not the file'
keys Q
see left 'left 0'	# only then is the terminal the shell's: keys before would be the viewer's

# a signal: the terminal is restored too
run "clear; sh -c 'echo \$\$ >$tmp/pid; exec $TTRACE $srcdir/samples/cpu.pb.gz'"
see reopen '[1Top]'
pid=$(cat "$tmp/pid")	# of our own: another test may look at the same file at the same time
if [ -n "$pid" ]; then
	kill -TERM "$pid"
	see ended 'ready>'
	run "stty -a >$tmp/after; echo last''ly"
	see lastly lastly
	cmp "$tmp/before" "$tmp/after" || { echo "stty is not as before SIGTERM"; bad=1; }
fi
exit $bad
