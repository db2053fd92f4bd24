#!/bin/sh
# SPDX-License-Identifier: MIT
# What the user sets: the configuration file, TTRACE_OPTS, the history; the mouse; completion in the shell.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset NO_COLOR COLORFGBG TMUX TTRACESECURE TTRACE_OPTS
HOME=$tmp XDG_CONFIG_HOME=$tmp/conf XDG_STATE_HOME=$tmp/state LC_ALL=C.UTF-8 TERM=xterm-256color
export HOME XDG_CONFIG_HOME XDG_STATE_HOME LC_ALL TERM
prof=$srcdir/samples/cpu.pb.gz trace=$srcdir/samples/orders.trace
bad=0
mkdir -p "$tmp/conf/ttrace"
# press KEYS FILE [OPTION...]
press() {
	keys=$1 file=$2
	shift 2
	"$PWD/tests/pty" -q 15 -k "$keys" "$TTRACE" "$@" "$file" >"$tmp/out" 2>&1
}
shows() { # shows WHAT TEXT
	grep -qF -e "$2" "$tmp/out" || {
		echo "$1: no \"$2\":"
		cat "$tmp/out"
		bad=1
	}
}
hides() { grep -qF -e "$2" "$tmp/out" && { echo "$1: there is \"$2\""; bad=1; }; }
equal() { [ "$2" = "$3" ] || { echo "$1: got \"$2\", wanted \"$3\""; bad=1; }; }

# TTRACE_OPTS: before the command line's own, which win; quoted words stay whole
TTRACE_OPTS="-nodecount=3 -focus='json|regexp'" "$TTRACE" top "$prof" >"$tmp/out" 2>&1
shows TTRACE_OPTS 'Active filters:'
equal 'TTRACE_OPTS: lines' "$(grep -c '%' "$tmp/out")" 6
TTRACE_OPTS='-nodecount=3' "$TTRACE" top -nodecount=2 "$prof" >"$tmp/out" 2>&1
equal 'TTRACE_OPTS: the command line wins' "$(grep -c '%.*%.*%.*%.*%' "$tmp/out")" "$("$TTRACE" top -nodecount=2 "$prof" 2>/dev/null | grep -c '%.*%.*%.*%.*%')"
TTRACE_OPTS='-frobnicate' "$TTRACE" top "$prof" >"$tmp/out" 2>&1
equal 'TTRACE_OPTS: a wrong one is told' "$?" 2

if grep -q 'define HAVE_CURSES' config.h; then
	cat >"$tmp/conf/ttrace/config" <<-'END'
		# ours
		set theme = light
		map J half-down
		map wasd
		map ^X load mine
		filter mine = focus=regexp; hide=^runtime\.
		tag codecs = ^(encoding|compress)/
	END
	press 'J' "$prof"
	shows 'map J' '>  160ms'
	press ':load mine<Enter>' "$prof"
	shows 'filter by name' 'focus=regexp | hide=^runtime\.'
	press '<^X>u' "$prof"
	hides 'a filter by name is one step of undo' 'focus=regexp'
	press ':tag <Tab>' "$prof"
	shows 'completion of names' ':tag codecs'
	press ':tag codecs<Enter>' "$prof"
	shows 'tag by name' 'functions tagged by codecs'
	press ':tag codecs<Enter>:tagged<Enter>' "$prof"
	shows 'tagged' 'focus='
	press 'wwd' "$trace"
	shows 'map wasd' '(25%)'
	press 'a' "$prof"
	shows 'wasd leaves other panes alone' 'what can be done here'
	press '' "$prof" && "$TTRACE" view -theme=light "$prof" >/dev/null
	printf 'set theme = pink\nfrobnicate\nmap J\nset mouse = on\n' >"$tmp/conf/ttrace/config"
	press '' "$prof"
	shows 'a wrong line is told with its number' 'config:3: map KEY COMMAND'
	press '<Mouse 0M 30 7><Mouse 0m 30 7>' "$prof"
	shows 'and the rest holds: the mouse selects' '>  270ms'

	# the mouse
	rm "$tmp/conf/ttrace/config"
	press '<Mouse 0M 30 7><Mouse 0m 30 7>' "$prof"
	shows 'without -mouse=on the terminal keeps it' '>  1.01s'
	press '<Mouse 0M 30 7><Mouse 0m 30 7><Mouse 0M 30 7><Mouse 0m 30 7>' "$prof" -mouse=on
	shows 'a double click opens' 'peek '
	press '<Mouse 2M 30 7>' "$prof" -mouse=on
	shows 'so does the right button' 'peek '
	press '<Mouse 65M 30 7>' "$prof" -mouse=on
	shows 'the wheel moves' '>  390ms'
	press '<Mouse 0M 42 0>' "$prof" -mouse=on
	shows 'tabs' '[4Flame]'
	press '<Mouse 0M 30 9><Mouse 32M 40 9><Mouse 32M 50 12><Mouse 0m 50 12>' "$trace" -mouse=on
	shows 'a drag is a range' '| range 687ms'
	press '<Mouse 80M 30 9>' "$trace" -mouse=on
	shows 'ctrl and wheel zoom' '(50%)'
	press 'a<Mouse 0M 30 20><Mouse 0m 30 20><Mouse 0M 30 20><Mouse 0m 30 20>' "$prof" -mouse=on
	hides 'a double click runs a row of a menu' 'what can be done here'

	# the history lasts, and ^R finds in it
	press ':focus=regexp<Enter>:hide=alpha<Enter>/beta<Enter>Q' "$prof"
	press ':<Up><Up>' "$prof"
	shows 'history' ':focus=regexp'
	press ':<^R>reg' "$prof"
	shows 'history, searched' '(history: reg) focus=regexp'
	press '/<Up>' "$prof"
	shows 'history of searches' '/beta'
	press ':abc def<^A>x<^E>y<^W><^B><^K>z' "$prof"
	shows 'keys of readline' ':xabcz'
fi

# completion
"$TTRACE" -print=completion-bash >"$tmp/c.bash" && "$TTRACE" -print=completion-zsh >"$tmp/c.zsh" &&
	"$TTRACE" -print=completion-fish >"$tmp/c.fish" || { echo 'no completion'; bad=1; }
if command -v bash >/dev/null; then
	# complete WORDS...: what is offered for the last of them
	complete() {
		bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ttrace; printf "%s\n" "${COMPREPLY[@]}"' \
			bash "$tmp/c.bash" "$@" | sort | tr '\n' ' '
	}
	cd "$srcdir" || exit 1
	equal 'bash: a report' "$(complete ttrace gor)" 'goroutine goroutines '
	equal 'bash: an option' "$(complete ttrace top -nodec)" '-nodecount= '
	equal 'bash: with two dashes' "$(complete ttrace top --nodec)" '--nodecount= '
	equal 'bash: values' "$(complete ttrace top -format = t)" 'text tsv '
	equal 'bash: values of --' "$(complete ttrace view --theme = s)" 'safe '
	equal 'bash: files' "$(complete ttrace top samples/cp)" 'samples/cpu.pb.gz '
	equal 'bash: a file for the viewer' "$(complete ttrace samples/cp)" 'samples/cpu.pb.gz '
	cd - >/dev/null || exit 1
fi
if command -v zsh >/dev/null; then
	zsh -n "$tmp/c.zsh" || { echo 'zsh: syntax'; bad=1; }
fi
if command -v fish >/dev/null; then
	fish -n "$tmp/c.fish" || { echo 'fish: syntax'; bad=1; }
fi
for sh in bash zsh fish; do
	for opt in $("$TTRACE" -print=options | cut -f2); do
		grep -q -e "[-' ]$opt" "$tmp/c.$sh" || { echo "$sh: no -$opt"; bad=1; }
	done
done
exit $bad
