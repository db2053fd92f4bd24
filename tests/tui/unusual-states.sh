#!/bin/sh
# SPDX-License-Identifier: MIT
# Keys and commands in unusual states: without data, with filters that match nothing, at the ends of lists, with incorrect
# arguments. The screen after KEYS must have each TEXT.
. "${srcdir:-.}/tests/lib.sh"

alike() { # alike FILE KEYS KEYS: both must lead to the same screen
	"$TTRACE" view -ascii -size 80x24 -script "$2" "$1" >"$tmp/a"
	"$TTRACE" view -ascii -size 80x24 -script "$3" "$1" >"$tmp/b"
	cmp -s "$tmp/a" "$tmp/b" || fail "$2 and $3 lead to different screens" "$(diff "$tmp/a" "$tmp/b")"
}

# w within one cell shows the next interval in a message; keys without an effect show why
after "$trace" w 'running 1.66us, then syscall'
after "$trace" ww 'syscall 10.4us, then running'
after "$trace" -- 'zoom-out: everything is shown'
after "$trace" 5 '| 4 P |'
after "$trace" 55 '| 4 P |' 'timeline: this is the current pane'

# Tab in the timeline goes to where each finding shows, the worst one first
after "$trace" '<Tab>' '0.841s..0.917s' 'holds a lock across network'
after "$trace" '<Tab><Tab>' '26 goroutines of orders/internal/cart.(*Desk).ship.func1 never return'
alike "$trace" '<Tab><Tab><S-Tab>' '<Tab>'
after "$samples/gctrace.log" '<Tab>' 'not looked for in this file'

# if filters match no sample of a type, the message names the filters; it does not say that the trace has no such samples
after "$trace" ':group zzz<Enter>1' 'Nothing to show for type cpu with' 'R removes them'
after "$trace" ':group zzz<Enter>1' '!no CPU samples'
after "$trace" ':goroutine=1,2<Enter>1' '2 goroutines' 'R removes them' '!no CPU samples'

# a log has no stacks of any type, so the message names neither filters nor types
after "$samples/gctrace.log" 1 'has no stacks' 'Nothing to show here.'
after "$samples/gctrace.log" ':focus=x<Enter>1' '!R removes them'
after "$samples/gctrace.log" 1 '!another type'

# for samples without stacks the message does not name filters
printf 'heap profile: 1: 8 [1: 8] @ heap/1\n1: 8 [1: 8] @\n' >"$tmp/bare"
after "$tmp/bare" 1 'The samples have no stacks.'
after "$tmp/bare" 1 '!No stack passes'

# counts: after #, on the ":" line, before a command and after it
alike "$cpu" '#5j' ':5j<Enter>'
alike "$cpu" '#5j' ':5 down<Enter>'
alike "$cpu" '#5j' ':down 5<Enter>'
alike "$cpu" '#5j' ':count<Enter>5j'
alike "$cpu" '#5j' ':count 5<Enter>j'
alike "$cpu" '#7G' ':7<Enter>'
alike "$cpu" '#7G' ':last 7<Enter>'
after "$cpu" ':5zzz<Enter>' 'unknown command: 5zzz'
# q and ^O do not return to panes that undo has left
alike "$trace" '12uq' ''
alike "$trace" '13uuq' ''
after "$trace" '12u<^R>q' '[1Top]'
after "$trace" '12uq<^O>' 'this is the first place'
# s and gr list the possible orders and groups; :sort accepts their names
after "$trace" '6s' '-- sort' '*       run            executing code'
after "$trace" '6:sort blocked<Enter>' ' SYSCALL BLOCKEDv ' '632'
after "$trace" '6:sort foo<Enter>' 'sort by: number run runnable syscall blocked '
after "$trace" '7sj<Enter>' 'MAXv'
after "$trace" '7:sort p50<Enter>' 'p50v'
after "$trace" '7j<Enter>:sort start<Enter>' 'START^'
after "$trace" '6grj<Enter>' 'by creator'
after "$trace" '9ejj<Enter>' 'kinds: blocks'
# in the help, a typed key selects its row; upper and lower case differ
after "$trace" '?u' '>  u  '
after "$trace" '?W' '>  W  '
after "$trace" '?gr' '>  gr  '
after "$trace" '?focus' '>  f  '
# 5 on a function of CPU samples finds the intervals in which it ran, one for each sample
after "$trace" '15' '1637 G rows' 'matches          15'
after "$trace" '15n' '/15, together'
# after x and d the next row is selected; u selects the removed row again
after "$trace" '1jjjd' '> 40.0ms   3.5%  38.9%' 'hide=orders'
alike "$trace" '1jjjdu' '1jjj'
alike "$trace" '4jjjxu' '4jjj'
alike "$trace" '6jjxu' '6jj'
alike "$trace" '7jjfu' '7jj'
# x on a group or a goroutine leaves all others
after "$trace" '6jx' '1,636 goroutines in 28 groups' '>      3   198ms'
after "$trace" '6jx' '!main.reports'
after "$trace" '6<Enter>jx' '8 goroutines'
after "$trace" '6fx' 'no goroutines would remain'
# / in the GC pane finds the functions that started a cycle, and the reasons of stops
after "$trace" '8/json<Enter>' '/json  1/1' '>   10'
after "$trace" '8]/start trace<Enter>' '/start trace  1/1'
after "$trace" '8j*' 'Catalogue'
# if the completions do not fit on the line, Tab shows the next ones; files are sorted by name
after "$trace" ':<Tab><Tab>' 'of 19'
mkdir "$tmp/d" && touch "$tmp/d/c" "$tmp/d/a" "$tmp/d/b"
after "$cpu" ":diff $tmp/d/<Tab>" 'a  b  c'
# :set and :map show the new value
after "$cpu" ':set mouse on<Enter>' 'mouse = on'
after "$cpu" ':set mouse<Enter>:set mouse<Enter>' 'mouse = off'
after "$cpu" ':set mouse maybe<Enter>' 'mouse requires on or off'
after "$trace" ':set clock wall<Enter>' 'clock = wall'
after "$cpu" ':map J half-down<Enter>' 'mapped: J half-down'
# a narrow frame shortens a name at a dot, but not at the dots of slices.Grow[...], which would leave "]"
after "$trace" '4jj+' '!|]'
# errors of arguments name the expected ones
after "$trace" 'gt99s<Enter>' '99s is after the end of the trace'
"$TTRACE" view -ascii -size 80x24 -script '' -at=1s..99s "$trace" | grep -qF 'after the end' &&
	fail "a range that begins in the trace is after its end"
"$TTRACE" view -ascii -size 80x24 -script '' -at=99s "$trace" | grep -qF -e '-at=99s is after the end of the trace' ||
	fail "-at=99s is silent"
after "$trace" 'gt1.2s<Enter>' '!after the end'
after "$trace" ':columns foo<Enter>' 'auto, all or few'
after "$trace" ':columns few<Enter>' 'no counters'
after "$cpu" ':save<Enter>' 'save requires a name'
# marks
after "$cpu" "''" 'no previous place'
after "$cpu" "'" 'no marks yet'
after "$cpu" "jma'" 'go to a mark: a'
after "$cpu" "'b" 'no mark b: mb sets it'
after "$cpu" ':goto-mark<Enter>' 'marks are letters a to z'
# commands that need a base, the timeline or a call tree show that
after "$cpu" ':normalize<Enter>' 'no base, B chooses one'
after "$cpu" ':drop_negative<Enter>' 'no base, B chooses one'
after "$cpu" ':normalize<Enter>' '!A is scaled'
after "$cpu" 'C' 'only for the timeline, and this is a profile'
after "$trace" '%' 'for panes 1 to 4, not for this pane'
after "$trace" 'U' 'for panes 1 to 4, not for this pane'
# * searches for the whole name of the row, or for a shorter form if the pane does not have the whole name
after "$trace" '7ggjj*' '/^checkout$  1/1'
after "$trace" '6<Enter><Enter>jj*' '/net/http\.\(\*conn\)\.serve  1/'
# In assembly source a name has no package. The source is in a GOROOT of this script, because Go may not be installed.
mkdir -p "$tmp/go/src/runtime" "$tmp/go/src/crypto/internal/fips140/sha256"
awk 'BEGIN { while (++i < 1438) print ""; print "TEXT \302\267blockSHANI(SB), NOSPLIT, $0-32" }' \
	>"$tmp/go/src/crypto/internal/fips140/sha256/sha256block_amd64.s"
GOROOT=$tmp/go
export GOROOT
after "$cpu" '12*' '/\bblockSHANI\b  1/1'
unset GOROOT
after "$cpu" '1*' 'blockSHANI$  1/1'
# If filters remove the listed function, the pane shows a message, } lists the next function, and u returns to the line.
after "$trace" '1j2x' 'No stack of this function passes the filters' 'runtime.memmove  no stack passes the filters'
after "$trace" '1j2[[[' 'This function has no samples of type alloc'
after "$trace" '1j2x<Enter>' 'no lines here'
after "$trace" '1j2x}' 'runtime.goexit asm_amd64.s'
alike "$trace" '1j2xu' '1j2'
# f on a stop filters all panes by its time range, which is shorter than a cycle
after "$trace" '8]jf' '!1.00s ' '! 1 stops'
after "$trace" '8]jf' '1 cycle, mark phases 261us' ' 1 stop  p50'
after "$trace" '6<Enter>jf' '  1 goroutine  '

# a log has states with times and no stacks: without filters the message does not name them
for ms in 0 1000; do
	echo "SCHED ${ms}ms: gomaxprocs=1 idleprocs=0 threads=3 spinningthreads=0 idlethreads=0 runqueue=0"
	echo '  P0: status=1 schedtick=0 syscalltick=0 m=2 runqsize=0 gfreecnt=0'
	echo '  M2: p=0 curg=3 mallocing=0 throwing=0 preemptoff= locks=0 dying=0 spinning=false blocked=false lockedg=nil'
	echo '  G3: status=2() m=2 lockedm=nil'
done >"$tmp/sched.log"
after "$tmp/sched.log" 4 'has no stacks: its data'
after "$tmp/sched.log" 4 '!filters'
# the pane of information shows memory also if the file has no samples
after "$tmp/sched.log" '<^G>' 'for names and rows'
printf '\012\004\010\001\020\002\062\000\062\003cpu\062\002ns' >"$tmp/none.pb"
after "$tmp/none.pb" '<^G>' 'for names and rows' 'cpu/ns'
# A trace has only the lines of a function. If a line is in a function of another name, the source is not the version that
# ran.
mkdir "$tmp/w" && cp "$trace" "$tmp/w/orders.trace" && cp -r "$samples/orders" "$tmp/w/orders"
after "$tmp/w/orders.trace" ':list readShop<Enter>' '!not the version that ran'
after "$tmp/w/orders.trace" ':list report.collect.func1<Enter>' '!not the version that ran'
{
	printf 'package report\n\nfunc before() {\n'
	awk 'BEGIN { while (i++ < 300) print "\t// " i; print "}" }'
} >"$tmp/w/orders/internal/report/report.go"
after "$tmp/w/orders.trace" ':list readShop<Enter>' 'not the profiled version? next to the profile'
after "$tmp/w/orders.trace" ':list report.collect.func1<Enter>' 'not the profiled version? next to the profile'


look='-ascii -size 80x24'
# a goroutine dump shows what its goroutines wait for by their states, the longest wait first
cat >"$tmp/dump.txt" <<'X'
goroutine 7 [select]:
main.serve()
	/src/main.go:10 +0x1

goroutine 8 [chan receive, 12 minutes]:
main.hang()
	/src/main.go:20 +0x1

goroutine 9 [chan receive, 3 minutes]:
main.hang()
	/src/main.go:20 +0x1

goroutine 10 [select]:
main.serve()
	/src/main.go:10 +0x1

goroutine 11 [select]:
main.serve()
	/src/main.go:10 +0x1
X
after "$tmp/dump.txt" '' 'waiting  2 chan receive, up to 12 minutes  main.hang main.go:20' '!shares:'
after "$tmp/dump.txt" '' '         3 select  main.serve main.go:10'
# the callers and callees of the selection stand below the table where there is no side part
after "$samples/cpu.pb.gz" '' ' 1 caller ' ' 0 callees ' '100.0% sha256.block'
exit $bad
