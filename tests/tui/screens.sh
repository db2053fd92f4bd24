#!/bin/sh
# SPDX-License-Identifier: MIT
# Screens of `view -script` are compared with those in tests/screens. After an intended change, read the difference, then
# record them anew by UPDATE=1 make check TESTS=tests/tui/screens.sh
. "${srcdir:-.}/tests/lib.sh"
dir=tests/screens
cd "$top" || exit 99
esc=$(printf '\033')

# screen NAME SIZE FILE KEYS [OPTION...]: compare the screen after KEYS with tests/screens/NAME.txt
screen() {
	name=$1 size=$2 file=$3 keys=$4
	shift 4
	if ! "$TTRACE" view -size "$size" -script "$keys" "$@" "samples/$file" >"$tmp/$name.txt" 2>&1; then
		echo "$name: the viewer failed"
		cat "$tmp/$name.txt"
		bad=1
		return
	fi
	rows=${size#*x} cols=${size%x*}
	if [ "$(wc -l <"$tmp/$name.txt")" -ne "$rows" ]; then
		echo "$name: the screen does not have $rows lines"
		bad=1
	fi
	case $* in *-ansi*) cols=1000 ;; esac	# escape sequences of colours use no cells
	if [ "$(printf '\303\251' | wc -m)" = 1 ] &&
		sed "s/$esc\[[0-9;]*m//g" "$tmp/$name.txt" | grep -q ".\{$cols\}."; then
		echo "$name: a line is wider than $cols"
		bad=1
	fi
	[ "${UPDATE:-}" = 1 ] && cp "$tmp/$name.txt" "$dir/$name.txt"
	diff -u "$dir/$name.txt" "$tmp/$name.txt" || { echo "$name: the screen differs"; bad=1; }
}

# terminals that are too small for the viewer show a message, as much of it as fits
screen tiny 20x5 cpu.pb.gz ''
screen one 1x1 orders.trace 'jjq'
screen wide-and-low 100x4 cpu.pb.gz ''
screen smallest 40x8 cpu.pb.gz '<^G>'
# help: the whole text, the text filtered by typing, and a row that Enter runs (:granularity needs an argument)
screen help 80x24 cpu.pb.gz '?'
screen help-typed 80x24 cpu.pb.gz '?regions'
screen help-run 80x24 cpu.pb.gz '<^G>?granularity<Enter>lin<Tab>'
screen help-wide 200x60 orders.trace '?'
# a log of gctrace and schedtrace
screen log 80x24 gctrace.log ''
screen log-gc 80x24 gctrace.log 8
screen log-gor 80x24 gctrace.log 6
# a profile of goroutines, and a goroutine dump
screen goroutine-profile 80x24 goroutine.pb.gz ''
screen dump 80x24 goroutines.txt ''
# the pane of information
screen info 80x24 cpu.pb.gz '<^G>'
screen info-trace 80x24 orders.trace '<^G>' -ascii
# keys that have no effect; explanations of the selected row; menus, which run the selected row or the pressed key
screen key-elsewhere 80x24 orders.trace 'V'
screen key-none 80x24 cpu.pb.gz 'J'
screen key-nothing 80x24 orders.trace 'ME'
screen explain-all 100x60 orders.trace '6KK'
screen explain 80x24 cpu.pb.gz 'jK'
screen explain-state 80x24 orders.trace '6<Enter><Enter>jjK' -ascii
screen explain-word 120x30 orders.trace ':explain mark assist<Enter>'
screen menu 80x24 cpu.pb.gz 'jja'
screen menu-run 80x24 cpu.pb.gz 'jjajj<Enter>'
# sample types with their totals
screen menu-types 80x24 orders.trace '1M'
screen menu-key 80x24 cpu.pb.gz 'jja3'
screen marks 80x24 orders.trace ':mark a the slow one<Enter>6jjmb1:marks<Enter>j'
# counts: a 0 after digits makes them a count and undoes the panes that they opened; # begins a count; a digit without a pane
# begins a count
screen count 60x16 cpu.pb.gz '#20j'
screen count-three 60x16 cpu.pb.gz '#120j'
screen count-sign 60x16 orders.trace '1#12j'
screen count-no-pane 60x16 cpu.pb.gz '7j'
# undo and redo of moves, panes and filters
screen undo-filter 60x16 cpu.pb.gz ':focus=json<Enter>u'
screen undo 60x16 cpu.pb.gz 'jGf4jluuuu'
screen redo 60x16 cpu.pb.gz 'jGf4jluuuu<^R><^R><^R>'
# focus on a trace: rows of goroutines that are in focus somewhere, and dimmed cells where they are not
screen focus-trace 80x24 orders.trace ':focus=Mutex<Enter>' -ascii
# going to a time, a goroutine and a task from other panes
screen goto-time 80x24 orders.trace '1gt1.45s<Enter>' -ascii
screen goto-g 80x24 orders.trace '1gG98<Enter>' -ascii
screen goto-task 80x24 orders.trace 'gkcheckout<Enter>' -ascii
# prompts: an incorrect expression shows an error and is not applied; Tab completes
screen bad-regex 80x24 cpu.pb.gz '<^G>F(a'
screen complete 80x24 cpu.pb.gz '<^G>:tag<Tab>'
screen no-command 80x24 cpu.pb.gz '<^G>:frobnicate<Enter>'
# top: sorted, filtered, searched; with callers and callees beside it; at another granularity; without rows; on a trace
screen top 80x24 cpu.pb.gz 'jj'
screen top-cum 80x24 heap.pb.gz 'cj'
screen top-grep 80x24 cpu.pb.gz '/sync<Enter>&(?i)json|regexp<Enter>'
screen top-wide 200x60 cpu.pb.gz ':goto-fun report.export<Enter>'
screen top-lines 80x24 cpu.pb.gz 'grjjj<Enter>'
screen top-ascii 60x16 block.pb.gz '' -ascii
screen top-none 80x24 cpu.pb.gz ':focus=nothing<Enter>'
screen peek-none 80x24 cpu.pb.gz '3:focus=nothing<Enter>'
screen list-none 80x24 cpu.pb.gz ':focus=nothing<Enter>2'
screen top-trace 80x24 orders.trace '' -pane=top -type=sync
# filters in panes on traces: rows and cells of the timeline, GC cycles and stops
screen narrow-time 80x24 orders.trace ':task=926<Enter>5'
screen narrow-procs 80x24 orders.trace ':t 1s..1.5s<Enter>:g 82<Enter>5:rows p<Enter>' -ascii
screen narrow-gc 80x24 orders.trace ':task=926<Enter>8'
screen pending-key 60x10 cpu.pb.gz 'g' -judge=false
screen narrow-stops 80x24 orders.trace ':region=db.query<Enter>8]'
# stops, intervals of a goroutine and matches of a search by duration; stops summed by group, and those of one group
screen stops-longest 80x24 orders.trace '8]>'
screen stops-narrow 40x10 orders.trace '8]>'
screen stops-kind 80x24 orders.trace '8grj<Enter>j'
screen stops-caller 120x30 orders.trace '8grjj<Enter>'
screen stops-of-kind 80x24 orders.trace '8grj<Enter><Enter>>'
screen stops-back 80x24 orders.trace '8grj<Enter>j<Enter>>jq' -ascii
screen stops-menu 80x24 orders.trace '8]s'
screen spans-longest 80x24 orders.trace '6<Enter><Enter>>j'
screen spans-shortest 80x24 orders.trace '6<Enter><Enter>>i' -ascii
screen hits-longest 80x24 orders.trace ':sync>20ms<Enter>sj<Enter>nn'
screen hits-syscalls 80x24 orders.trace ':syscall>1ms<Enter>>n' -ascii
screen hits-search 80x24 orders.trace '5/collect<Enter>sj<Enter>n'
screen events-sort 80x24 orders.trace '9s' -ascii
screen hits-none 80x24 orders.trace '>' -ascii
screen narrow-events 80x24 orders.trace ':p 1<Enter>:t 1.2s..1.3s<Enter>9'
screen narrow-goroutines 80x24 orders.trace ':p 1<Enter>:t 1.2s..1.3s<Enter>6'
screen narrow-tasks 80x24 orders.trace ':region=db.query<Enter>7'
# options of reports on the ":" line: a type, a goroutine
screen words-of-reports 80x24 orders.trace '1:type=sched<Enter>:goroutine=55<Enter>'
# list: the source next to the profile; folded lines without samples; the assembly is missing; wide screens
screen list 80x24 cpu.pb.gz ':list report.export<Enter>'
screen list-fold 80x24 cpu.pb.gz ':list report.export<Enter>zlI'
screen list-hot 80x24 cpu.pb.gz ':list report.export<Enter>n}n'
screen list-asm-none 80x24 cpu.pb.gz ':list report.export<Enter>A'
screen list-side 160x40 cpu.pb.gz ':list report<Enter>'
screen list-wide 200x60 cpu.pb.gz ':list login.stretch<Enter>'
# peek: one level, several levels of a match, a caller and back
screen peek 80x24 cpu.pb.gz 'jj3'
screen peek-levels 80x24 cpu.pb.gz ':peek regexp<Enter>}++'
screen peek-caller 80x24 cpu.pb.gz 'jj3k<Enter>'
screen peek-back 80x24 cpu.pb.gz 'jj3k<Enter><Backspace>:percent whole<Enter>'
screen peek-wide 200x60 cpu.pb.gz 'jj3'
# flame: zoom, search, pivot, flip, reverse, folded frames
screen flame 80x24 cpu.pb.gz '4' -ascii
screen flame-utf8 80x24 cpu.pb.gz '4'
screen flame-zoom 80x24 cpu.pb.gz 'jj4<Enter>jl'
screen flame-find 80x24 cpu.pb.gz '4/regexp<Enter>n'
screen flame-pivot 80x24 cpu.pb.gz 'jj4pk'
screen flame-flip 80x24 cpu.pb.gz '4i'
screen flame-reverse 80x24 cpu.pb.gz '4r'
screen flame-fold 80x24 cpu.pb.gz '4zZ'
screen flame-wide 200x60 cpu.pb.gz '4/regexp<Enter>'
screen flame-trace 80x24 orders.trace '' -pane=flame -type=block
screen flame-diff 80x24 leak-before.pb.gz 4 -mono -ascii -diff_base=samples/leak-after.pb.gz
# differences: both sides in each pane, one side alone, exchanged sides, functions of one side only; menus of values
DIFF=-diff_base=samples/leak-before.pb.gz
screen diff-top 80x24 leak-after.pb.gz 'j' $DIFF
screen diff-top-wide 132x30 leak-after.pb.gz '' -base=samples/leak-before.pb.gz
screen diff-swap 80x24 leak-after.pb.gz ':diff samples/leak-before.pb.gz<Enter>~:sort cum-b<Enter>'
screen diff-b 80x24 leak-after.pb.gz 'DDj' $DIFF
screen diff-off 80x24 leak-after.pb.gz ':diff samples/leak-before.pb.gz<Enter>u'
screen diff-peek 80x24 leak-after.pb.gz ':peek Login$<Enter>' $DIFF
screen diff-list 80x24 leak-after.pb.gz ':list Store..open<Enter>' $DIFF
screen diff-flame 80x24 leak-after.pb.gz '4j' $DIFF -ansi -theme=safe
screen diff-flame-gone 80x24 leak-before.pb.gz '4:focus=main<Enter>' -diff_base=samples/leak-after.pb.gz -mono -ascii
screen diff-more-flame 80x24 leak-after.pb.gz '4' $DIFF -drop_negative -mono -ascii
screen diff-more-peek 80x24 leak-after.pb.gz ':peek ServeHTTP$<Enter>' $DIFF -drop_negative
screen diff-trace 80x24 orders.trace ':diff samples/orders.trace<Enter>:t 1s..1.2s<Enter>' -pane=top -type=block
screen diff-none 80x24 leak-after.pb.gz ':diff nonesuch<Enter>'
screen menu-columns 80x24 cpu.pb.gz 'ejjjjjjj<Enter>:unit s<Enter>'
screen menu-sort 80x24 cpu.pb.gz 's'
screen menu-unit 80x24 heap.pb.gz 'U'
screen menu-percent 80x24 cpu.pb.gz ':focus=json<Enter>%jj<Enter>'
screen tagged 80x24 cpu.pb.gz 'tt:tagged hide<Enter>'
screen topn 80x24 cpu.pb.gz ':top7 -cum json -runtime<Enter>'
# reports as text: with options, searched, filtered lines, an error, of the selected function
screen report-tree 80x24 cpu.pb.gz ':tree json -runtime<Enter>' -ascii
screen report-find 80x24 cpu.pb.gz ':raw<Enter>/Sum256<Enter>'
screen report-lines 80x24 cpu.pb.gz ':focus=json<Enter>:traces<Enter>&json<Enter>'
screen report-bad 80x24 cpu.pb.gz ':report peek (<Enter>'
screen report-selected 80x24 cpu.pb.gz 'j:report comments<Enter>q:report tags<Enter>'
# named sets of filters
screen save 80x24 cpu.pb.gz ':focus=json; x|regexp<Enter>:hide=^runtime\.<Enter>:save a<Enter>::<Enter>:load a<Enter>'
screen load-menu 80x24 cpu.pb.gz ':focus=json<Enter>:save one<Enter>:ignore=sha256<Enter>:save two<Enter>::<Enter>:load<Enter>'
# tags: keys and values, a focus on one, tags as frames, of a difference, none
screen tags 80x24 cpu.pb.gz ':tags<Enter>jj'
screen tags-focus 80x24 cpu.pb.gz ':tags<Enter>jjx:focus=json<Enter>' -ascii
screen tags-frames 80x24 cpu.pb.gz ':tagroot<Enter><Enter>4'
screen tags-diff 80x24 cpu.pb.gz ':tagfocus=endpoint=/login<Enter>:tags<Enter>' -diff_base=samples/cpu.pb.gz
screen tags-none 80x24 heap.pb.gz ':tags<Enter>'
screen flame-low 40x8 cpu.pb.gz '4'
# timeline: rows of Ps, Ms, tasks, one task with its goroutines, related goroutines, a group; regions and stacks under a row;
# searches for intervals and functions; wakers; the clock on the axis; a range; pinned rows; counters; colours
screen time 80x24 orders.trace ''
screen time-ascii 80x24 orders.trace ':rows m<Enter>' -ascii
screen time-wide 200x60 orders.trace '++jlwt'
screen time-tasks 80x24 orders.trace ':rows tasks tree<Enter>#10j<Enter>--'
screen time-longest 80x24 orders.trace ':rows tasks duration<Enter><Enter>w'
screen time-task 100x30 orders.trace ':rows task 660<Enter>jj' -ascii
screen time-related 132x40 orders.trace ':rows related 12<Enter>'
screen time-group 80x24 orders.trace '65'
screen time-of-task 80x24 orders.trace '7jjj<Enter>5'
screen time-regions 80x24 orders.trace 'gG98<Enter>E++++jw'
screen time-stacks 120x40 orders.trace ':rows group reports<Enter>S+++'
screen time-hits 80x24 orders.trace ':sync>20ms<Enter>nn'
screen time-hits-elsewhere 80x24 orders.trace '6:run>10ms<Enter>n' -ascii
screen time-dim 80x24 orders.trace ':rows g<Enter>:highlight runnable>1ms<Enter>n+++' -ansi
screen time-like 80x24 orders.trace ':rows group serve<Enter>HH' -ascii
screen time-function 80x24 orders.trace 'gmcart<Enter>n' -ascii
screen time-bad 80x24 orders.trace ':wait run>1ms<Enter>' -ascii
screen time-chain 80x24 orders.trace ':rows group serve<Enter>#10wgwj'
screen tasks-find 80x24 orders.trace '7/login<Enter><Enter>'
screen tasks-find-who 80x24 orders.trace '7/login<Enter><Enter>/G98<Enter>n'
screen regions-find 80x24 orders.trace '7]/cache<Enter><Enter>n'
screen time-waker 80x24 orders.trace '7/login<Enter><Enter><Enter>5jjw('
screen time-clock 80x24 orders.trace ':set clock wall<Enter>++++' -ascii
screen time-range 80x24 orders.trace '+++v#10lv'
screen time-task-find 80x24 orders.trace ':rows tasks<Enter>/login<Enter>n)' -ascii
screen time-range-pane 80x24 orders.trace '+++v#10l6'
screen time-find 80x24 orders.trace ':rows group serve<Enter>/cart<Enter>nn' -mono
screen time-pins 132x44 orders.trace 'gG98<Enter>tgG12<Enter>t:rows p<Enter>G'
screen time-few 80x24 orders.trace 'Mee' -ascii
screen time-compact 80x24 orders.trace 'M++++C' -ascii
screen time-colour 100x30 orders.trace '++++++' -ansi
# the legend: if there is room, or by its key; it has only states that are drawn
screen time-legend 80x30 orders.trace ':rows group serve<Enter>++' -ansi
screen time-legend-key 80x24 orders.trace 'c++' -ascii
screen time-legend-goroutines 80x24 orders.trace ':rows group serve<Enter>++c' -ascii
screen time-legend-wide 120x40 orders.trace '++'
screen time-low 40x8 orders.trace 'M' -ascii
# goroutines: groups, the list of a group, the page of a goroutine, its waker; sorted, compared, searched, filtered
screen gor 80x24 orders.trace '6'
screen gor-wide 200x60 orders.trace '6j'
screen gor-list 80x24 orders.trace '6<Enter>sj<Enter>'
screen gor-one 80x24 orders.trace '6<Enter><Enter>jjj' -ascii
screen gor-own-group 80x24 orders.trace '6jjj<Enter>D'
screen tasks-slow 120x24 orders.trace '7]D'
screen gor-one-wide 200x60 orders.trace '6<Enter><Enter>jjj'
screen gor-waker 80x24 orders.trace '6<Enter><Enter>jjj('
screen gor-grep 80x24 orders.trace '6&cart<Enter>/price<Enter>'
screen gor-search-this 60x16 orders.trace '6j*' -ascii
screen gor-range 60x16 orders.trace '6:t 1.29s..1.35s<Enter>' -ascii
# goroutines that ran a function, columns of waits, histograms of durations, groups by state, tagged rows, parts of a page
screen gor-ran 80x24 orders.trace ':type time<Enter>1:goto-fun cart.*ship$<Enter>gR'
screen gor-ran-menu 100x40 orders.trace '4jjja' -ascii
screen gor-columns 80x24 orders.trace '6:columns waits<Enter>:sort p99<Enter>j'
screen gor-columns-menu 80x24 orders.trace '6<Enter>e' -ascii
screen gor-columns-chosen 80x24 orders.trace '6:columns network,lock,waitgroup,gc-assist,waits<Enter>'
screen gor-list-waits 200x60 orders.trace '6jjjjjjjjj<Enter>:columns waits<Enter>:sort lock<Enter>'
screen gor-durations 80x24 orders.trace '6jjjjjjjjj<Enter>vvhhhhh'
screen gor-durations-taken 80x24 orders.trace '6jjjjjjjjj<Enter>vvhhhhh<Enter>' -ascii
screen gor-durations-undo 80x24 orders.trace '6jjjjjjjjj<Enter>vvhhhhh<Enter>qu'
screen gor-one-durations 200x60 orders.trace '6<Enter><Enter>vvhh'
screen gor-one-durations-taken 80x24 orders.trace '6<Enter><Enter>vvhh<Enter>jj'
screen goroutines-by-state 80x24 orders.trace '6grjj<Enter>j' -ascii
screen goroutines-tagged 80x24 orders.trace '6ttj4'
screen goroutine-regions 80x24 orders.trace '6jj<Enter><Enter><Tab><Tab><Tab><Tab>jjjjj'
screen goroutine-time 80x24 orders.trace '6jj<Enter><Enter><Tab>'
# why and findings: without a selection, of the selected operation, links
screen why 80x24 orders.trace 'W'
screen why-task 160x40 orders.trace '7/checkout<Enter><Enter><Enter>W'
screen why-link 80x24 orders.trace 'Wj<Enter>'
screen why-bars 80x24 stock.trace 'W<Tab><Tab><Tab><Tab>'
screen why-bar-link 80x24 stock.trace 'W<S-Tab><Enter>'
screen why-wide 160x45 stock.trace 'W'
screen why-low 80x14 stock.trace 'W'
screen why-next 80x24 stock.trace 'W[['
screen why-flame 80x24 orders.trace 'Wj4'
screen why-rest 100x24 orders.trace 'WD' -ascii
screen why-back 80x24 orders.trace 'Wjj<Enter>q'
screen findings 80x24 stock.trace '!' -ascii
screen findings-wide 120x40 orders.trace '!'
screen findings-why 120x16 orders.trace '!W'
screen findings-picture 120x40 stock.trace '!'
screen findings-profile 80x24 mutex.pb.gz '!'
screen findings-profile-line 80x24 goroutine.pb.gz '!<Enter>' -ascii
# boards: columns that fit, the part at the side, a row as a range of the timeline; then windows and assists of the GC
screen boards-locks 80x24 stock.trace ';' -ascii
screen boards-locks-wide 160x40 stock.trace ':locks<Enter>'
screen boards-channels 120x30 stock.trace ';]'
screen boards-stops 160x40 orders.trace ';]]'
screen boards-greedy 80x24 orders.trace ';[[['
screen boards-leaks 120x30 orders.trace ':leaks<Enter>jj' -ascii
screen boards-gctax 80x24 orders.trace ':boards gctax<Enter>sn'
screen boards-of-finding 80x24 orders.trace '!G;'
screen boards-part 80x24 orders.trace ';<Tab>j'
screen boards-part-link 80x24 orders.trace ';<Tab>j<Enter>'
screen boards-link 80x24 orders.trace ';j<Enter>'
screen gc-curve 80x24 orders.trace '8<Tab>hhhh'
screen gc-range 80x24 orders.trace '8:t 1.2s..1.4s<Enter>V' -ascii
screen gc-assists 160x40 orders.trace '8ggjjjjjjjjjjjjj'
screen gc-assist-flame 80x24 orders.trace '8jjjjjjjjjjjjj4'
# events: searched in the whole trace, filtered lines, a range, both stacks, as encoded in the file
screen events-found 80x24 orders.trace '9/400000 sales<Enter>'
screen events-none 80x24 orders.trace '9/no such thing<Enter>' -ascii
screen events-grep-all 80x24 orders.trace '9gg&TaskBegin.*(report|login)<Enter>'
screen events-range 80x24 orders.trace '9jjvjjjj' -ascii
screen events-stacks 80x30 orders.trace '9jjS'
screen events-wire-start 80x24 orders.trace '9ggr'
screen events-wire 80x24 orders.trace '9jjr'
# tasks: the kinds
screen tasks 80x24 orders.trace '7'
# operations of a trace without tasks: kinds, one kind, one operation and its critical path; their time by class
screen operations 80x24 stock.trace '7'
screen operations-wide 200x60 stock.trace '7j'
screen operations-kind 80x24 stock.trace '7<Enter>j' -ascii
screen operations-one 80x24 stock.trace '7<Enter>j<Enter>jj'
screen operations-time 80x24 stock.trace '7<Enter>j<Enter>jj<Enter>'
screen operations-class 80x24 stock.trace '7:sort network<Enter>'
screen operations-classes 200x30 stock.trace '7jj<Enter>:sort network<Enter>'
screen operations-waits 80x24 stock.trace '7:columns waits<Enter>'
screen operations-kind-waits 80x24 stock.trace '7<Enter>:columns waits<Enter>:sort network<Enter>j'
screen operations-background 80x24 orders.trace '7<Tab>'
screen operations-why-kind 80x24 stock.trace '7jW'
screen operations-why 80x24 stock.trace '7<Enter>jW'
screen operations-filter 80x24 stock.trace '7jf'
screen operations-undo 80x24 stock.trace '7j<Enter>[uu'
screen operations-find 80x24 orders.trace '7/worker<Enter><Enter>'
screen tasks-list 80x24 orders.trace '7jjj<Enter>' -ascii
screen tasks-one 80x24 orders.trace '7jjj<Enter><Enter>jj'
screen tasks-wide 200x60 orders.trace '7jjj<Enter><Enter>'
screen tasks-regions 80x24 orders.trace '7]jj'
screen tasks-region-time 80x24 orders.trace '7]jj<Enter><Tab>j'
# histograms of tasks: a range of bars, a filter by this range, a filter by a typed latency; incomplete tasks
screen tasks-bars 80x24 orders.trace '7jjjvhhvh'
screen tasks-picked 80x24 orders.trace '7jjjvhhvh<Enter>' -ascii
screen tasks-latency 140x30 orders.trace '7]:>30ms<Enter>jj<Enter>>>j'
screen tasks-incomplete 80x24 orders.trace '7:incomplete<Enter>'
# GC: cycles with the curve of utilisation, durations, stops, worst windows, other parts of GC work counted
screen gc 80x24 orders.trace '8' -ascii
screen gc-durations 80x24 orders.trace '8vvhh'
screen gc-durations-taken 80x24 orders.trace '8]vvhh<Enter>' -ascii
screen gc-wide 200x60 orders.trace '8j'
screen gc-stops 80x24 orders.trace '8]G'
screen gc-worst 80x24 orders.trace '8<Tab>l'
screen gc-pct 80x24 orders.trace '8%%ee'
# events: at a time, of a kind, of a goroutine
screen events 80x24 orders.trace '9:goto-time 1.3s<Enter>' -ascii
screen events-user 80x24 orders.trace '9:columns user<Enter>jj'
screen events-g 200x60 orders.trace '9:g 98<Enter>gg'
# lines that are truncated at the right scroll sideways up to their end; the end of the events
screen events-sideways 80x24 orders.trace '9llllh' -ascii
screen peek-sideways 60x16 cpu.pb.gz ':peek Digest..checkSum<Enter>#9l'
screen events-end 80x24 orders.trace '9Gk'
# filters are on line 2, as typed
screen filters 80x24 cpu.pb.gz ':focus=json|regexp<Enter>:hide=^runtime\.<Enter><^G>'
screen filters-off 80x24 cpu.pb.gz ':focus=json<Enter>\<^G>'
# the first screen of a truncated file shows how much is lost
head -c 300000 samples/orders.trace >"$tmp/cut.trace"
"$TTRACE" view "$tmp/cut.trace" </dev/null | grep -q '8566 of 300000 bytes (2.86%) lost' || {
	echo "cut.trace: the screen does not show the lost bytes"
	bad=1
}
exit $bad
