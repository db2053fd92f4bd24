#!/bin/sh
# SPDX-License-Identifier: MIT
# The viewer on an emulated terminal (tests/pty.c). The cells are those that -script prints, for each TERM, locale, size and
# speed. The terminal is restored after every way in which the viewer can end.
. "${srcdir:-.}/tests/lib.sh"
curses || exit 77
# ncurses loads libgpm for TERM=linux if it is installed, and libgpm leaks ten bytes
NCURSES_GPM_TERMS=none
mkdir -p "$XDG_CONFIG_HOME/ttrace" && echo "set last = off" >"$XDG_CONFIG_HOME/ttrace/config"
export NCURSES_GPM_TERMS
pty=$build/tests/pty

# All runs are background jobs with their own files, because they mostly wait.
njob=0
job() { njob=$((njob + 1)); work=$tmp/$njob; echo "$*" >"$work.what"; }

# screen NAME KEYS FILE SIZE "OPTIONS OF THE EXPECTED SCREEN" "OPTIONS OF PTY" [OPTIONS OF TTRACE]
screen() {
	job "$TERM $1: keys $2 at $4"
	(
		keys=$2 file=$3 size=$4 exp=$5 popt=$6
		shift 6
		"$TTRACE" view -script "$keys" -size "$size" $exp "$file" >"$work.want" &&
			"$pty" -q 20 -s "$size" -k "$keys" -e "$work.want" $popt "$TTRACE" "$@" "$file" >"$work.out" 2>&1 &&
			touch "$work.ok"
	) &
	[ $((njob % 12)) -ne 0 ] || wait
}
known() { infocmp "$1" >/dev/null 2>&1; }

# cells on each terminal; with 256 colours also their colours
for TERM in xterm-256color screen-256color tmux-256color; do
	known $TERM || continue
	screen $TERM 'jj' "$cpu" 80x24 -ansi -c
	screen $TERM 'jj4<Enter>jl' "$cpu" 80x24 -ansi -c
	screen $TERM 'l+hh' "$trace" 80x24 -ansi -c
done
for TERM in xterm screen tmux linux ansi nosuchterm-256color; do
	known $TERM || [ $TERM = nosuchterm-256color ] || continue
	screen $TERM 'jj4<Enter>j' "$cpu" 80x24 -ansi ''
	screen $TERM 'l+hh' "$trace" 80x24 -ansi ''
done
for TERM in vt100 vt220 nosuchterm; do
	known $TERM || [ $TERM = nosuchterm ] || continue
	screen $TERM 'jj4<Enter>j' "$cpu" 80x24 '' ''
	screen $TERM 'l+hh' "$trace" 80x24 '' ''
done
# each pane and popup
for TERM in xterm-256color linux vt100; do
	known $TERM || continue
	case $TERM in xterm*) exp=-ansi how=-c ;; linux) exp=-ansi how='' ;; *) exp='' how='' ;; esac
	for keys in 9876321 6 '6<Enter><Enter>j' 7 '7<Enter><Enter>' 8 9 ':tree<Enter>' '?' '<^G>' a K; do
		screen panes "$keys" "$trace" 80x24 "$exp" "$how -q 20"
	done
done
# The cursor of the terminal is on the selected row or cell, for screen readers: focus KEYS FILE TEXT-UNDER-THE-CURSOR
focus() {
	job "$TERM: the cursor after $1"
	("$pty" -f -q 20 -k "$1" "$TTRACE" "$2" >"$work.out" 2>&1 && grep -q "^$seen cursor$3" "$work.out" && touch "$work.ok") &
	[ $((njob % 12)) -ne 0 ] || wait
}
for TERM in xterm-256color vt100; do
	known $TERM || continue
	case $TERM in vt100) seen=visible ;; *) seen=hidden ;; esac	# a vt100 cannot hide the cursor
	for keys in 1jj 2 3 3j ':tags<Enter>' ':tree<Enter>jj' '?' '<^G>' a; do
		focus "$keys" "$cpu" '.*: >'
	done
	focus 4j "$cpu" '.*: ▸'
	focus '/ab' "$cpu" ' on a reversed cell:'
	for keys in 6jj '6<Enter>j' '6<Enter><Enter>j' 7 '7<Enter>' '7<Enter><Enter>' 8 '8]' 9 9jj; do
		focus "$keys" "$trace" '.*: >'
	done
	focus 5 "$trace" '.*: PROBLEM'	# there is no cursor on the first screen
	focus 5jl "$trace" ' on a reversed cell:'
	focus '8<Tab>' "$trace" ': ^'
	focus '8<Tab>h<Tab>' "$trace" '.*:  *[0-9.]*s [0-9]*%'
done
for TERM in xterm-256color vt220; do
	job "$TERM: :set cursor on makes the cursor visible"
	("$pty" -f -q 20 -k 'j:set cursor on<Enter>' "$TTRACE" "$cpu" >"$work.out" 2>&1 && grep -q '^visible cursor' "$work.out" && touch "$work.ok") &
done
# keys that the terminfo entry lacks, but that current keyboards have
for TERM in linux vt100 vt220 ansi; do
	known $TERM || continue
	case $TERM in linux) exp=-ansi ;; *) exp='' ;; esac
	for keys in '<S-Tab>' '<PgDn>j<PgUp>' 'G<Home>j' 'j<End>k' '<Down><Down><Up>'; do
		screen 'keys that terminfo lacks' "$keys" "$cpu" 80x24 "$exp" ''
	done
done
# F1 is that of terminfo, also where its bytes are those of the mouse on other terminals
for TERM in xterm-256color cons25; do
	known $TERM || continue
	job "$TERM: F1"
	("$pty" -q 20 -k '<F1>' "$TTRACE" "$cpu" >"$work.out" 2>&1; grep -qF '[Help]' "$work.out" && touch "$work.ok") &
done
# a list that scrolls up and down
TERM=xterm-256color
screen scroll 'GkkkkkkkkkkkkkkkkkkkkkkkkggjjjjjjjjjjjjjjjjjjjjjG<^U>kk' "$cpu" 80x24 -ansi '-c -q 5'
# plain ASCII if the locale has no other characters
LC_ALL=C
screen LANG=C 'l+hh' "$trace" 80x24 '-ansi -ascii' -c
TERM=vt100
screen 'LANG=C vt100' 'jj4' "$cpu" 80x24 '-ascii' ''
LC_ALL=C.UTF-8 TERM=xterm-256color
# NO_COLOR turns colours off
NO_COLOR=1
export NO_COLOR
screen NO_COLOR 'jj4' "$cpu" 80x24 '' ''
unset NO_COLOR
# a light background is found by asking, before or after the first screen, also if the answer comes in pieces, with BEL or
# with fewer digits; keys that are typed meanwhile are kept
TERM=xterm-256color
for late in 0 150; do
	screen "light, answer after $late ms" 'jj' "$cpu" 80x24 '-ansi -theme=light' "-c -g rgb:ffff/fafa/f0f0 -l $late"
	screen "dark, answer after $late ms" 'jj' "$cpu" 80x24 -ansi "-c -g rgb:1212/1212/1212 -l $late"
done
screen 'light, no answer' 'jj' "$cpu" 80x24 -ansi '-c -l -1'
screen 'light, no answer about the background' 'jj' "$cpu" 80x24 -ansi -c
screen 'light, another theme' 'jj' "$cpu" 80x24 '-ansi -theme=contrast' '-c -g rgb:ffff/ffff/ffff' -theme=contrast
# answered NAME THEME KEYS [KEYS OF THE EXPECTED SCREEN]: <Raw ...> in KEYS is the answer
answered() {
	job "$1"
	("$TTRACE" view -script "${4:-jj}" -size 80x24 -ansi -theme="$2" "$cpu" >"$work.want" &&
		"$pty" -q 20 -c -l -1 -k "$3" -e "$work.want" "$TTRACE" "$cpu" >"$work.out" 2>&1 && touch "$work.ok") &
	[ $((njob % 12)) -ne 0 ] || wait
}
answered 'an answer in pieces' light 'j<Raw \e]11;><Wait 60><Raw rgb:f><Wait 60><Raw f/ff/ff><Wait 60><Raw \e><Wait 60><Raw \>j'
answered 'an answer long after the question' light 'j<Wait 2300><Raw \e]11;rgb:f/f/e\a>j'
answered 'keys instead of the rest of an answer' dark '<Raw \e]11;rgb:ff>jj'
answered 'an answer after :set theme' contrast ':set theme=contrast<Enter>jj<Raw \e]11;rgb:f/f/e\e\>' ':set theme=contrast<Enter>jj'
for TERM in linux vt100 xterm screen screen-256color; do
	known $TERM || continue
	job "$TERM is not asked for its background"
	("$pty" -q 20 -g rgb:ffff/ffff/ffff -k jq "$TTRACE" "$cpu" >"$work.out" 2>&1; grep -q '^exit 0' "$work.out" && ! grep -q ']11;' "$work.out" && touch "$work.ok") &
done
TERM=xterm-256color
# the shell does not get an answer that comes while the viewer ends, or while an editor runs
for late in 0 50 150; do
	job "an answer after $late ms, and the viewer ends"
	("$pty" -q 5 -g rgb:ffff/ffff/ffff -l $late -k q "$TTRACE" "$cpu" >"$work.out" 2>&1; grep -q '^exit 0' "$work.out" && ! grep 'left behind' "$work.out" && ! grep 'rgb:' "$work.out" && touch "$work.ok") &
done
# sizes
for size in 20x5 40x8 79x25 132x43 400x120; do
	screen size 'jj' "$cpu" $size -ansi -c
	screen size '' "$trace" $size -ansi -c
done
# a slow line of 9600 baud, which are 960 bytes a second
screen slow '' "$cpu" 60x10 -ansi '-c -r 960'
# after many resizes the screen has the last size
job 'the screen after many resizes has the last size'
"$TTRACE" view -script 'jj' -size 90x30 -ansi "$cpu" >"$work.want"
"$pty" -q 2 -s 80x24 -k 'j<Size 100x40><Size 20x5><Size 81x24><Size 1x1><Size 200x60><Size 90x29>j<Size 90x30>' -e "$work.want" -c \
	"$TTRACE" "$cpu" >"$work.out" 2>&1 && touch "$work.ok" &
# data on standard input, keys from the terminal
job 'data on standard input, keys from the terminal'
"$TTRACE" view -script 'jj' -size 80x24 -ansi - <"$cpu" >"$work.want"
"$pty" -q 20 -k 'jj' -e "$work.want" -c -i "$cpu" "$TTRACE" - >"$work.out" 2>&1 && touch "$work.ok" &
# a terminal that is closed while SIGHUP is ignored
job 'the viewer ends when its terminal is closed, also if SIGHUP is ignored'
if have_python; then
	python -c '
import os, pty, signal, sys
pid, fd = pty.fork()
if not pid:
    os.execv("/bin/sh", ["sh", "-c", "trap \"\" HUP; \"$@\"; :", "sh"] + sys.argv[1:])
def late(*a):
    os.killpg(pid, 9)
    sys.exit("the viewer still runs")
signal.signal(signal.SIGALRM, late)
signal.alarm(30)
seen = b""
while b"Peek" not in seen:
    seen += os.read(fd, 65536)
os.close(fd)
os.waitpid(pid, 0)' "$TTRACE" "$cpu" >"$work.out" 2>&1 && touch "$work.ok" &
else
	touch "$work.ok"
fi
# TERM=dumb is refused, and the error names a report to use instead
job 'TERM=dumb is refused'
TERM=dumb "$pty" "$TTRACE" "$cpu" >"$work.out" 2>&1 && grep -q 'ttrace top' "$work.out" && grep -q '^exit 1' "$work.out" && touch "$work.ok" &

# a terminal without the sequences of ECMA-48 is refused
job 'TERM=vt52 is refused'
if known vt52; then
	TERM=vt52 "$pty" "$TTRACE" "$cpu" >"$work.out" 2>&1
	grep -q 'ECMA-48' "$work.out" && grep -q '^exit 1' "$work.out" && touch "$work.ok"
else
	touch "$work.ok"
fi

# All ways in which the program can end. AddressSanitizer has its own handlers for some signals, which would report an error.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigill=0:handle_sigfpe=0
export ASAN_OPTIONS
for TERM in xterm-256color linux vt100 ansi; do
	known $TERM || continue
	for how in 'jjQ:exit 0' 'j<^C><^C>:exit 0' 'j<Kill TERM>:exit 0' 'j<Kill HUP>:exit 0' 'j<Kill SEGV>:ended by signal 11' \
		'4<Kill ABRT>:ended by signal 6'; do
		job "$TERM after ${how%%:*}, which should end with ${how#*:}"
		(
			"$pty" -q 30 -k "${how%%:*}" "$TTRACE" -mouse=on "$cpu" >"$work.out" 2>&1 && grep -q "^${how#*:}" "$work.out" &&
				case $how in *SEGV* | *ABRT*) grep -q '^ttrace has crashed' "$work.out" ;; esac &&
				touch "$work.ok"
		) &
	done
	wait
done
# SIGINT while an editor runs does not end the viewer. (Not a background job, in which the shell ignores SIGINT.)
printf '#!/bin/sh\n: >"$ED_RAN"\nkill -INT 0\n' >"$tmp/ed"
chmod +x "$tmp/ed"
job 'SIGINT in an editor does not end the viewer'
"$pty" -q 30 -k ':list report.export<Enter>gfjQ' env EDITOR="$tmp/ed" ED_RAN="$tmp/ed.ran" "$TTRACE" -source_path="$samples" "$cpu" >"$work.out" 2>&1 &&
	grep -q '^exit 0' "$work.out" && [ -e "$tmp/ed.ran" ] && touch "$work.ok"
# other signals end the viewer, after it has restored the terminal
TERM=xterm-256color
for name in ALRM USR1 USR2 XCPU VTALRM PROF SYS TRAP FPE ILL BUS IO RT; do
	job "SIG$name ends the viewer"
	("$pty" -q 30 -k "j<Kill $name>" "$TTRACE" -mouse=on "$cpu" >"$work.out" 2>&1 && grep -q '^ended by signal' "$work.out" &&
		touch "$work.ok") &
done
# if memory is exhausted while a key is handled, the terminal is restored and one line is printed
if ! sanitized; then
	job 'exhausted memory ends the viewer with one line'
	("$pty" -q 30 -k '6' sh -c 'ulimit -v 80000; exec "$0" "$1"' "$TTRACE" "$trace" >"$work.out" 2>&1
		grep -q '^exit 1' "$work.out" && grep -q '^ttrace: out of memory' "$work.out" && ! grep -q '^left behind' "$work.out" &&
		touch "$work.ok") &
fi
wait
for i in $(seq "$njob"); do
	[ -e "$tmp/$i.ok" ] && continue
	echo "failed: $(cat "$tmp/$i.what")"
	cat "$tmp/$i.out"
	bad=1
done
exit $bad
