#!/bin/sh
# SPDX-License-Identifier: MIT
# A walk through the keys: what each says or does where something is missing, odd or in between. The screen after KEYS has each TEXT.
. "${srcdir:-.}/tests/lib.sh"

on() { # on FILE KEYS TEXT...
	file=$1 keys=$2
	shift 2
	"$TTRACE" view -ascii -size 80x24 -script "$keys" "$file" >"$tmp/out" 2>&1
	for text; do
		grep -qF -- "$text" "$tmp/out" || fail "$keys: no \"$text\" in" "$(cat "$tmp/out")"
	done
}
not() { # not FILE KEYS TEXT...
	file=$1 keys=$2
	shift 2
	"$TTRACE" view -ascii -size 80x24 -script "$keys" "$file" >"$tmp/out" 2>&1
	for text; do
		! grep -qF -- "$text" "$tmp/out" || fail "$keys: \"$text\" in" "$(cat "$tmp/out")"
	done
}
alike() { # alike FILE KEYS KEYS: both lead to the same screen
	"$TTRACE" view -ascii -size 80x24 -script "$2" "$1" >"$tmp/a"
	"$TTRACE" view -ascii -size 80x24 -script "$3" "$1" >"$tmp/b"
	cmp -s "$tmp/a" "$tmp/b" || fail "$2 is not $3" "$(diff "$tmp/a" "$tmp/b")"
}

# from span to span within a cell: what is below the cursor is told, and not that nothing has changed
on "$trace" w 'running 1.66us, then syscall'
on "$trace" ww 'syscall 10.4us, then running'
on "$trace" -- 'zoom-out: everything is shown'
on "$trace" 5 '4 P rows'
on "$trace" 55 '4 P rows' 'timeline: this is the current pane'

# a type of which the filters leave nothing is not said to be missing in the trace
on "$trace" ':group zzz<Enter>1' 'Nothing to show for type cpu with' 'R removes them'
not "$trace" ':group zzz<Enter>1' 'no CPU samples'

# a log has no stacks of any type
on "$samples/gctrace.log" 1 'has no stacks' 'Nothing to show here.'
not "$samples/gctrace.log" ':focus=x<Enter>1' 'R removes them'
not "$samples/gctrace.log" 1 'another type'

# samples without stacks are not what a filter left out
printf 'heap profile: 1: 8 [1: 8] @ heap/1\n1: 8 [1: 8] @\n' >"$tmp/bare"
on "$tmp/bare" 1 'The samples have no stacks.'
not "$tmp/bare" 1 'No stack passes'

# counts: by #, by the ":" line, before a key or behind a word
alike "$cpu" '#5j' ':5j<Enter>'
alike "$cpu" '#5j' ':5 down<Enter>'
alike "$cpu" '#5j' ':down 5<Enter>'
alike "$cpu" '#5j' ':count<Enter>5j'
alike "$cpu" '#5j' ':count 5<Enter>j'
alike "$cpu" '#7G' ':7<Enter>'
alike "$cpu" '#7G' ':last 7<Enter>'
on "$cpu" ':5zzz<Enter>' 'unknown command: 5zzz'
# what is taken back is no place to go back to
alike "$trace" '12uq' ''
alike "$trace" '13uuq' ''
on "$trace" '12u<^R>q' '[1Top]'
on "$trace" '12uq<^O>' 'this is the first place'
# s and gr offer what there is, :sort takes it by name
on "$trace" '6s' '-- sort' '*       run            executing code'
on "$trace" '6:sort blocked<Enter>' ' SYSCALL BLOCKEDv ' '632'
on "$trace" '6:sort foo<Enter>' 'sort by: number run runnable syscall blocked '
on "$trace" '7sj<Enter>' 'TOTALv'
on "$trace" '7:sort p50<Enter>' 'p50v'
on "$trace" '7j<Enter>:sort start<Enter>' 'START^'
on "$trace" '6grj<Enter>' 'by creator'
on "$trace" '9ejj<Enter>' 'kinds: blocks'
# in the help a key that is typed is the row that is selected, small and capital letters apart
on "$trace" '?u' '>  u  '
on "$trace" '?W' '>  W  '
on "$trace" '?gr' '>  gr  '
on "$trace" '?focus' '>  f  '
# a function that a sample saw running is found where it ran: as many spans as it has samples
on "$trace" '15' '1637 G rows' 'matches          15'
on "$trace" '15n' '/15, together'
# x and d: the next one is selected then, and u comes back to the one that went
on "$trace" '1jjjd' '> 40.0ms   3.5%  38.9%' 'hide=orders'
alike "$trace" '1jjjdu' '1jjj'
alike "$trace" '4jjjxu' '4jjj'
alike "$trace" '6jjxu' '6jj'
alike "$trace" '7jjfu' '7jj'
# x on groups or goroutines: all others
on "$trace" '6jx' '1,636 goroutines in 28 groups' '>      3   198ms'
not "$trace" '6jx' 'main.reports'
on "$trace" '6<Enter>jx' '8 goroutines'
on "$trace" '6fx' 'no goroutines would remain'
# / in the pane of the collector: what began a cycle, why the world was stopped
on "$trace" '8/json<Enter>' '/json  1/1' '>   10'
on "$trace" '8]/start trace<Enter>' '/start trace  1/1'
on "$trace" '8j*' 'Catalogue'
# Tab: what does not fit on the line comes with the next one; files by name
on "$trace" ':<Tab><Tab>' 'of 19'
mkdir "$tmp/d" && touch "$tmp/d/c" "$tmp/d/a" "$tmp/d/b"
on "$cpu" ":diff $tmp/d/<Tab>" 'a  b  c'
# settings and maps say what holds now
on "$cpu" ':set mouse on<Enter>' 'mouse = on'
on "$cpu" ':set mouse<Enter>:set mouse<Enter>' 'mouse = off'
on "$cpu" ':set mouse maybe<Enter>' 'mouse requires on or off'
on "$trace" ':set clock wall<Enter>' 'clock = wall'
on "$cpu" ':map J half-down<Enter>' 'mapped: J half-down'
# a frame of a cell or two has the whole name or none: of slices.Grow[...] the last dot is no place to cut
not "$trace" '4jj+' '|]'
# words that want another argument say which
on "$trace" 'gt99s<Enter>' '99s is after the end of the trace'
not "$trace" 'gt1.2s<Enter>' 'after the end'
on "$trace" ':columns foo<Enter>' 'auto, all or few'
on "$trace" ':columns few<Enter>' 'no counters'
on "$cpu" ':save<Enter>' 'save requires a name'
# marks
on "$cpu" "''" 'no previous place'
on "$cpu" "'" 'no marks yet'
on "$cpu" "jma'" 'go to a mark: a'
on "$cpu" "'b" 'no mark b: mb sets it'
on "$cpu" ':goto-mark<Enter>' 'marks are letters a to z'
# what needs a base, a timeline, weights of calls
on "$cpu" ':normalize<Enter>' 'no base, B chooses one'
on "$cpu" ':drop_negative<Enter>' 'no base, B chooses one'
not "$cpu" ':normalize<Enter>' 'A is scaled'
on "$cpu" 'C' 'only for the timeline, and this is a profile'
on "$trace" '%' 'for panes 1 to 4, not for this pane'
on "$trace" 'U' 'for panes 1 to 4, not for this pane'
# * looks for the whole name, and for what people write of it where that is not there
on "$trace" '7jjj*' '/^checkout$  1/1'
on "$trace" '6<Enter><Enter>jj*' '/net/http\.\(\*conn\)\.serve  1/'
# in assembly a name has no package before it; a Go tree of our own has the source, for the machine may have none
mkdir -p "$tmp/go/src/runtime" "$tmp/go/src/crypto/internal/fips140/sha256"
awk 'BEGIN { while (++i < 1438) print ""; print "TEXT \302\267blockSHANI(SB), NOSPLIT, $0-32" }' \
	>"$tmp/go/src/crypto/internal/fips140/sha256/sha256block_amd64.s"
GOROOT=$tmp/go
export GOROOT
on "$cpu" '12*' '/\bblockSHANI\b  1/1'
unset GOROOT
on "$cpu" '1*' 'blockSHANI$  1/1'
# the lines of a function of which nothing is left: the pane says so, } goes on, u comes back to the line
on "$trace" '1j2x' 'No stack of this function passes the filters' 'runtime.memmove  no stack passes the filters'
on "$trace" '1j2[[[' 'This function has no samples of type assist'
on "$trace" '1j2x<Enter>' 'no lines here'
on "$trace" '1j2x}' 'runtime.goexit asm_amd64.s'
alike "$trace" '1j2xu' '1j2'
# a stop is shorter than a cycle, and than any window in which there is nothing left
not "$trace" '8]jf' 'marking 1355' '1.00s ' ' 1 stops'
on "$trace" '8]jf' '1 cycle, marking 100.0% of time' ' 1 stop  p50'
on "$trace" '6<Enter>jf' '  1 goroutine  '

# a log has states with times and no stacks: no filter is to blame where there is none
for ms in 0 1000; do
	echo "SCHED ${ms}ms: gomaxprocs=1 idleprocs=0 threads=3 spinningthreads=0 idlethreads=0 runqueue=0"
	echo '  P0: status=1 schedtick=0 syscalltick=0 m=2 runqsize=0 gfreecnt=0'
	echo '  M2: p=0 curg=3 mallocing=0 throwing=0 preemptoff= locks=0 dying=0 spinning=false blocked=false lockedg=nil'
	echo '  G3: status=2() m=2 lockedm=nil'
done >"$tmp/sched.log"
on "$tmp/sched.log" 4 'has no stacks: its data'
not "$tmp/sched.log" 4 'filters'
# what there is no value of is counted too
on "$tmp/sched.log" '<^G>' 'for names and rows'
printf '\012\004\010\001\020\002\062\000\062\003cpu\062\002ns' >"$tmp/none.pb"
on "$tmp/none.pb" '<^G>' 'for names and rows' 'cpu/ns'
# a trace says no more of a function than lines; where they are in one of another name the source is another one
mkdir "$tmp/w" && cp "$trace" "$tmp/w/orders.trace" && cp -r "$samples/orders" "$tmp/w/orders"
not "$tmp/w/orders.trace" ':list readShop<Enter>' 'not the version that ran'
not "$tmp/w/orders.trace" ':list report.collect.func1<Enter>' 'not the version that ran'
{
	printf 'package report\n\nfunc before() {\n'
	awk 'BEGIN { while (i++ < 300) print "\t// " i; print "}" }'
} >"$tmp/w/orders/internal/report/report.go"
on "$tmp/w/orders.trace" ':list readShop<Enter>' 'not the profiled version? next to the profile'
on "$tmp/w/orders.trace" ':list report.collect.func1<Enter>' 'not the profiled version? next to the profile'

exit $bad
