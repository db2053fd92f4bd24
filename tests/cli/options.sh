#!/bin/sh
# SPDX-License-Identifier: MIT
# An option that changes numbers is applied or refused, never ignored. Each report on traces, and each export that pprof does
# not have, is run with each option that can change its output. (Reports of pprof accept all of pprof's options and ignore
# some, as pprof does; tests/report/pprof-reports.sh compares their text.)
. "${srcdir:-.}/tests/lib.sh"
cd "$tmp" || exit 1

# value OPTION: set $value to one that changes the output of each report that applies the option
value() {
	case $1 in
	nodecount) value=1 ;;
	nodefraction | edgefraction) value=0.5 ;;
	trim | complete) value=false ;;
	granularity) value=lines ;;
	focus | show | show_from | logtext | name) value=nosuch ;;
	ignore) case $e_report in findings) value=known ;; gc) value=runtime ;; *) value=main ;; esac ;;
	hide | prune_from) value=main ;;
	baseline) value=baseline ;;
	rule) value=stuck-lock ;;
	set) value=lock-queue.crowded=1s ;;
	fail-on) value=problem ;;
	tagfocus | tagignore | tagshow | taghide | tagroot | tagleaf) value=customer ;;
	sample_index) value=0 ;;
	unit) value=s ;;
	divide_by) value=7 ;;
	base | diff_base)
		case $e_report in
		findings | goroutines | tasks | operations | regions | gc | stw | mmu | procs | syscalls | locks | channels | stops | greedy | leaks | gctax) value="$top/tests/faults/lock-queue.trace.gz" ;;
		*) value="$cpu" ;;
		esac ;;
	diff_range) value=0%..40% ;;
	type) value=run ;;
	from) value=40% ;;
	to) value=60% ;;
	goroutine) value=2583 ;;
	group) value=collect ;;
	task | region) value='^report$' ;;
	proc) value=1 ;;
	blame) value=self ;;
	by) [ "$e_report" = stw ] && value=kind || value=state ;;
	sort) case $e_report in gc) value=mark ;; stw | goroutine) value=duration ;; *) value=count ;; esac ;;
	latency) value='>50ms' ;;
	window) value=1ms ;;
	percentile) value=50 ;;
	include) value=stw ;;
	step) value=10ms ;;
	*) value=true ;;
	esac
}

"$TTRACE" -print=options >options
"$TTRACE" -print=reports >reports
awk -F '\t' '/^(report|granularity|filter|value|difference|trace)\t/ { print $2 }' options >changing
[ "$(grep -c '' changing)" -gt 40 ] || fail "the table has too few options that change numbers: $(cat options)"

# either REPORT FILE OPTION ARGUMENT...: the report must apply the option or refuse it
either() {
	e_report=$1 e_file=$2 e_option=$3
	shift 3
	value "$e_option"
	"$TTRACE" "$e_report" "-$e_option=$value" "$@" "$e_file" >out 2>err
	case $? in
	0) cmp -s plain out && fail "$e_report ignores -$e_option of $e_file" ;;
	3) [ "$e_report $e_option" = "findings fail-on" ] && cmp -s plain out ||
		fail "$e_report -$e_option exits with status 3" ;;
	2) { read -r line && ! read -r line && [ -z "$line" ]; } <err || fail "$e_report -$e_option: $(cat err)" ;;
	*) fail "$e_report -$e_option: $(cat err)" ;;
	esac
}
echo "lock-queue *	# a known finding" >known
"$TTRACE" findings -format=json "$trace" >baseline || fail "findings -format=json fails"
for report in $(awk -F '\t' '$1 == "trace" { print $2 }' reports); do
	arg=
	[ "$report" = goroutine ] && arg=1
	"$TTRACE" "$report" $arg "$trace" >plain 2>err || fail "$report: $(cat err)"
	while read -r option; do
		either "$report" "$trace" "$option" $arg
	done <changing
done
# options are skipped whose value here is the default, or which cannot change the output for this profile
for report in folded speedscope flame; do
	"$TTRACE" "$report" "$cpu" >plain 2>err || fail "$report: $(cat err)"
	grep -v -e '^functions$' -e '^drop_negative$' -e '^showcolumns$' -e '^relative' -e '^tag' changing | while read -r option; do
		either "$report" "$cpu" "$option"
		[ $bad = 0 ] || echo "$bad" >failed
	done
	[ -e failed ] && bad=1
done

# reports that cannot compare refuse a base, whether its file exists or not
for report in stats; do
	refuses 2 'cannot compare: -diff_base' $report -diff_base="$trace" "$trace"
	refuses 2 'cannot compare: -base' $report -base=nowhere "$trace"
done
refuses 1 nowhere top -diff_base=nowhere "$trace"
# profiles refuse options of traces
refuses 2 'pprof profile; -from applies only to traces' top -from=1s "$cpu"
refuses 2 '-blame=self applies only to -type=sched' top -type=net -blame=self "$trace"
refuses 2 '-latency requires' gc '-latency=>1ms' "$trace"
# options of $TTRACE_OPTS that do not apply to a report are ignored
run 0 gc "$trace"
cp out plain
TTRACE_OPTS='-cum -nodecount=3' run 0 gc "$trace"
cmp -s out plain || fail "an option of TTRACE_OPTS that does not apply changes gc"
exit $bad
