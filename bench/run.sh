#!/bin/bash
# SPDX-License-Identifier: MIT
# make bench: print a table of time and memory, each compared with a limit and, where Go is installed, with Go's tools.
# BENCH_EVENTS sets the size of the generated trace (17 M events, about 100 MB). BENCH_LONG=1 adds a recorded trace of
# 374 MB and a generated one of 100 M events, which take some minutes to make. The status is 1 if a row is over its limit.
set -eu
events=${BENCH_EVENTS:-17000000}
ttrace=${TTRACE:-./ttrace}
bin=${BENCH_BIN:-bench}
dir=${BENCH_DIR:-${TMPDIR:-/tmp}/ttrace-bench}
mem=${BENCH_MEM:-128}
mkdir -p "$dir"
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/files.sh"

big=$(generated "$events")
small=$(generated 1000000)
real=$(recorded 100)
main=${real:-$big}	# the limits apply to this trace
prof=$(profile)
reader=$(reader)

# whole NAME FILE EVENTS LIMITED: time until the viewer shows the whole file, and time until `go tool trace` listens
whole() {
	local s kb ref rkb times most verdict=
	read -r s kb _ < <(screen "$2")
	read -r ref rkb < <(listening "$2") || true
	most=$((5 * $(size "$2") / 1024)) times=${ref:+$(calc "$ref / $s")}
	[ -z "$4" ] || verdict=$(within "$kb <= $most && ${times:-150} >= 150")
	row "$1: all on the screen; go tool trace listens" "$(took "$s" "$kb")" "${ref:+$(took "$ref" "$rkb")}" "${times:--}" "$(each "$kb" "$3")" \
		"${4:+150 times; $(mb $most)}" "$verdict"
}

# speed NAME FILE EVENTS DECODED LIMIT: events per second of the viewer, in turn with the reader of Go. Without Go, compare with
# DECODED, the M events per second that one core decodes and throws away
speed() {
	local ours= ref= s r
	for _ in 1 2 3 4; do
		for _ in 1 2; do
			read -r s _ < <(measure -screen "$ttrace" view -script '' -judge=false -size 200x60 "$2")
			ours=$(calc "${ours:-9999} < $s ? ${ours:-9999} : $s" %s)
		done
		[ -n "$reader" ] || continue
		read -r r _ < <("$reader" "$2")
		ref=$(calc "${ref:-9999} < $r ? ${ref:-9999} : $r" %s)
	done
	local mine; mine=$(calc "$3 / $ours / 1e6" "%.1f M/s")
	if [ -n "$ref" ]; then
		row "$1: events per second; the reader of Go" "$mine" "$(calc "$3 / $ref / 1e6" "%.1f M/s")" "$(calc "$ref / $ours" %.1f)" - \
			"${5:+4 times}" "${5:+$(within "$ref / $ours >= 4")}"
	fi
	row "$1: events per second; decoding alone, one core" "$mine" "$4 M/s" "$(calc "$3 / $ours / 1e6 / $4" %.2f)" - \
		"$([ -n "$ref" ] || echo "${5:+a twelfth}")" "$([ -n "$ref" ] || echo "${5:+$(within "12 * $3 / $ours / 1e6 >= $4")}")"
}

# reading NAME FILE LIMITED [quick]: time to read the file, in all and by stage; quick: without the time in all
reading() {
	local stages n decoded
	stages=$("$bin/stages" "$2")
	read -r decoded n < <(sed -n 's/^decode, the limit.*, *\([0-9.]*\) M events\/s of \([0-9]*\)$/\1 \2/p' <<<"$stages")
	[ "${4-}" = quick ] || whole "$1" "$2" "$n" "$3"
	speed "$1" "$2" "$n" "$decoded" "$3"
	sed 's/^\(.*[a-z]\)  *\([0-9.]*\) ns of the processor,  *\([0-9.]*\) ns of the clock.*/\1|\2|\3/' <<<"$stages" |
		while IFS='|' read -r stage cpu clock; do
			row "    $stage, per event" "$cpu ns cpu, $clock ns" - - - -
		done
}

# answers NAME FILE: time of findings, at most twice the viewer's time for the whole file, and of the reports of critical paths
# and boards, at most three times
answers() {
	local what s kb view ours first most
	read -r first _ < <(measure -screen "$ttrace" view -script '' -judge=false -size 200x60 "$2")
	for what in findings why 'top -type=critical' locks channels stops greedy leaks gctax; do
		ours=
		most=3
		[ "$what" != findings ] || most=2
		for _ in 1 2 3; do
			# shellcheck disable=SC2086
			read -r s kb _ < <(measure "$ttrace" $what "$2")
			ours=$(calc "${ours:-9999} < $s ? ${ours:-9999} : $s" %s)
			read -r view _ < <(measure -screen "$ttrace" view -script '' -judge=false -size 200x60 "$2")
			first=$(calc "$first < $view ? $first : $view" %s)
		done
		row "$1: ttrace $what; the viewer, whole" "$(took "$ours" "$kb")" "$(printf '%.2f s' "$first")" "$(calc "$ours / $first" %.2f)" - \
			"$most times the viewer" "$(within "$ours <= $most * $first")"
	done
}

# costs FILE COMMAND...: peak memory of a report, at most five times the file
costs() {
	local file=$1 kb most
	shift
	most=$((5 * $(size "$file") / 1024))
	read -r _ kb _ < <(measure "$ttrace" "$@" "$file")
	row "$(basename "$file"): memory of ttrace $*" "$(mb "$kb")" - - - "$(mb $most)" "$(within "$kb <= $most")"
}

# growing: processor time per event, which must not grow with the length of the trace
growing() {
	local n f cpu kb ns first=
	for n in 10000000 "$events" ${BENCH_LONG:+100000000}; do
		f=$(generated "$n")
		read -r _ kb _ cpu < <(screen "$f")
		ns=$(calc "$cpu * 1e9 / $n" %.1f)
		first=${first:-$ns}
		row "$((n / 1000000)) M events, $(($(size "$f") / 1000000)) MB: per event; ratio to 10 M events" "$ns ns cpu, $(mb "$kb")" - "$(calc "$ns / $first" %.1f)" \
			"$(each "$kb" "$n")" "1.5" "$(within "$ns <= 1.5 * $first")"
	done
}

# keys FILE: processor time of a key, by pane
keys() {
	local name n p50 p99 most all=
	while read -r name n _ _ p50 _ p99 _ most _; do
		if [ "$name" = all ]; then
			all=$n
			row "a key, $(basename "$1"), 200x60: 99th percentile of $n" "$p99 ms" - - - "8 ms" "$(within "$p99 <= 8")"
		else
			row "    $name: median, 99th percentile, maximum of $n" "$p50, $p99, $most ms" - - - -
		fi
	done < <("$bin/frames" "$1" || true)	# its status tells also that the limit is exceeded
	[ -n "$all" ] || row "a key, $(basename "$1"): not measured" - - - - "8 ms" OVER
}

# bounded: peak memory within -mem, on a trace that takes several times as much without it
bounded() {
	local what s kb
	for what in 'view -judge=false -script 7jj9jj' goroutines gc tasks events wire footprint; do
		read -r s kb _ < <(measure "$ttrace" $what -mem="${mem}M" "$big")
		row "within -mem=${mem}M: ${what%% *}" "$(took "$s" "$kb")" - - "$(each "$kb" "$events")" "$mem MB" "$(within "$kb <= $mem * 1024")"
	done
}

# as_fast FILE COMMAND...: time of a report, at most 1.3 times the viewer's time for the whole file; in turn, the least of five
as_fast() {
	local file=$1 s kb view ours= first=
	shift
	for _ in 1 2 3 4 5; do
		read -r s kb _ < <(measure "$ttrace" "$@" "$file")
		read -r view _ < <(measure -screen "$ttrace" view -script '' -judge=false -size 200x60 "$file")
		ours=$(calc "${ours:-9999} < $s ? ${ours:-9999} : $s" %s)
		first=$(calc "${first:-9999} < $view ? ${first:-9999} : $view" %s)
	done
	row "ttrace $*; the viewer, whole" "$(took "$ours" "$kb")" "$(printf '%.2f s' "$first")" "$(calc "$ours / $first" %.2f)" - \
		"1.3 times the viewer" "$(within "$ours <= 1.3 * $first")"
}

# reports: reports that stream their rows, and reports that take as long as the viewer
reports() {
	local s kb ref rkb
	if [ -n "$go" ]; then	# its output is discarded
		read -r ref rkb _ < <(measure go tool trace -d=parsed "$small")
		read -r s kb _ < <(measure "$ttrace" events "$small")
		row "1 M events: ttrace events; go tool trace -d=parsed" "$(took "$s" "$kb")" "$(took "$ref" "$rkb")" "$(calc "$ref / $s")" "$(each "$kb" 1000000)" -
	fi
	read -r s kb _ < <(measure "$ttrace" events "$big")
	row "ttrace events, all of the generated trace" "$(took "$s" "$kb")" - - "$(each "$kb" "$events")" "$mem MB" "$(within "$kb <= $mem * 1024")"
	as_fast "$big" goroutines
	as_fast "$big" tasks
}

# line: bytes that a key sends to the terminal, 80x24 in 256 colours: 200 keys, half on a profile and half on a trace
line() {
	local pkeys tkeys what samples mean median p90 most n
	samples=$(dirname "$0")/../samples
	pkeys='jjjjjjkkk<PgDn><PgUp>jjj<^D><^U>Gggccjjjjjj3jjj<Enter>qq2jjjj<PgDn>nnNNq4jjjlllkkhh<Enter>jj<Backspace>/regexp<Enter>nnNN<Esc>1jjff<Esc>RRjjssiijjKqa<Esc>?q<^G>qjjk'
	tkeys='llllhhhh++llhh--jjjjkkkk{}{}wwwbbb0M<PgDn>jjjkkkM6jjj<Enter>jjj<Enter>jjjj<PgDn>qqq7jjj<Enter>jjj<Enter>jjqqq8jjjj]]9jjjj<PgDn><PgUp>145Kqa<Esc>6qll'
	read -r mean median p90 most n < <(for what in "cpu.pb.gz $pkeys" "orders.trace $tkeys"; do
		PTY_EACH=1 TERM=xterm-256color LC_ALL=C.UTF-8 XDG_STATE_HOME=$(mktemp -d) tests/pty -b -q 25 -k "${what#* }" "$ttrace" "$samples/${what%% *}"
	done | grep -v '^first screen' | awk '{ print $NF }' | sort -n |
		awk '{ v[NR] = $1; sum += $1 } END { print int(sum / NR), v[int(NR / 2)], v[int(NR * .9)], v[NR], NR }')
	row "bytes of a key, 80x24, $n keys: mean, median (p90 $p90, most $most)" "$mean, $median" - - - "2048" "$(within "$mean <= 2048 && $median <= 2048 && $n == 200")"
}

# a_profile: time and memory of a profile: a report, the first screen, all panes, and filters, timed from the key to the last
# byte of the screen that shows the result
a_profile() {
	local s kb ref rkb inflated most refocus ms cpu work n=0
	inflated=$(gzip -dc "$prof" | wc -c)
	most=$((5 * inflated / 1024))
	read -r s kb _ < <(best "$ttrace" top "$prof")
	if [ -n "$go" ]; then
		read -r ref rkb _ < <(measure go tool pprof -symbolize=none -top "$prof")
	fi
	row "profile, $(($(size "$prof") / 1000000)) MB: top; go tool pprof -top" "$(took "$s" "$kb")" "${ref:+$(took "$ref" "$rkb")}" "${ref:+$(calc "$ref / $s")}" - \
		"10 times; $(mb $most)" "$(within "$kb <= $most && ${ref:-9999} / $s >= 10")"
	read -r s kb _ < <(best "$ttrace" view -script '' "$prof")
	row "profile: first screen, with all of it" "$(took "$s" "$kb")" - - - "1.5 s; $(mb $most)" "$(within "$s <= 1.5 && $kb <= $most")"
	as_fast "$prof" top
	as_fast "$prof" tree
	as_fast "$prof" list 4494
	as_fast "$prof" peek 4494
	for work in jj2 jj2A jj3 4 4r 4z 4rz 4z3 ':granularity=lines<Enter>' ':tagroot=endpoint<Enter>' ':show_from=pkg1<Enter>' \
		':tagroot=endpoint<Enter>4:show_from=pkg1<Enter>' '4:hide=runtime<Enter>:hide=Token<Enter>' '4:hide=runtime<Enter>z'; do
		read -r s kb _ < <(measure tests/pty -q 700 -k "$work" "$ttrace" view "$prof")
		row "profile: memory, on a terminal, keys $work" "$(mb "$kb")" - - - "$(mb $most)" "$(within "$kb <= $most")"
	done
	refocus=':focus=.<Enter>u:focus=4494<Enter>u:ignore=7$<Enter>u:hide=6$<Enter>u:show=[1-6]$<Enter>u:tagfocus=search|Token<Enter>u:focus=pkg1<Enter>:ignore=55$<Enter>:hide=6$<Enter>uuu'
	while IFS='|' read -r work ms cpu; do
		row "profile: $work, until it is on the screen" "$ms ms, $cpu ms cpu" - - - "100 ms" "$(within "$ms <= 100")"
		n=$((n + 1))
	done < <(for _ in 1 2 3; do	# the least of three
		TERM=xterm-256color LC_ALL=C.UTF-8 tests/pty -t -k "$refocus" "$ttrace" view "$prof" | sed -n 's/^<Enter>//p' | nl -s ' '
	done | sort -k1,1n -k2,2n | awk '
		BEGIN { split("focus on everything|focus, narrow|ignore|hide|show|tagfocus|focus of some|and ignore|and hide", name, "|") }
		!seen[$1]++ { printf "%s|%.0f|%.0f\n", name[$1], $2, $4 }')
	[ $n = 9 ] || row "profile: filters, of which $n of 9 were measured" - - - - "100 ms" OVER
}

row work ours reference ratio B/ev limit
reading "1 M events" "$small" ''
[ -z "$real" ] || reading "recorded, $(($(size "$real") / 1000000)) MB" "$real" limited
reading "generated, $(($(size "$big") / 1000000)) MB" "$big" "$([ -n "$real" ] || echo limited)" ${real:+quick}
[ -z "${BENCH_LONG:+$real}" ] || reading "recorded, 374 MB" "$(recorded 374)" limited quick
growing
for f in $real "$big" "$(many "$events")"; do keys "$f"; done
answers "$(basename "$main")" "$main"
[ "$main" = "$big" ] || answers "$(basename "$big")" "$big"
for f in $real "$big"; do
	for what in findings goroutines gctax channels locks greedy; do costs "$f" "$what"; done
	costs "$f" goroutines -sort=waits
	costs "$f" view -script 7 -size 200x60
done

bounded
reports
[ ! -x tests/pty ] || line
[ ! -x tests/pty ] || a_profile
exit $bad
