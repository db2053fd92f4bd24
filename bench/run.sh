#!/bin/bash
# SPDX-License-Identifier: MIT
# make bench: one table of what things cost, against a limit, and against the reference where Go is there.
# BENCH_EVENTS sets the size of the big trace (17 M events, about 100 MB).
set -eu
events=${BENCH_EVENTS:-17000000}
ttrace=${TTRACE:-./ttrace}
bin=${BENCH_BIN:-bench}
dir=${BENCH_DIR:-${TMPDIR:-/tmp}/ttrace-bench}
mkdir -p "$dir"
export XDG_CACHE_HOME=$dir/cache	# no index of earlier days makes reading look fast
big=$dir/big-$events.trace
small=$dir/big-1000000.trace
prof=$dir/big.pb.gz
[ -s "$big" ] || "$bin/gentrace" -events "$events" "$big"
[ -s "$small" ] || "$bin/gentrace" -events 1000000 "$small"
[ -s "$prof" ] || "$bin/genprof" -samples 1000000 "$prof"
bad=0

measure() { "$bin/measure" "$@"; }
# The best of three: a virtual machine is lent its memory by the page, and the first to use it waits for that.
best() { for _ in 1 2 3; do "$bin/measure" -screen "$@"; done | sort -n | head -1; }

# say WORK OURS REFERENCE RATIO BYTES_AN_EVENT LIMIT VERDICT: a row of the table
say() { printf '%-46s %-17s %-17s %6s %6s  %-15s %s\n' "$@"; }
say work ours reference ratio 'B/ev' limit ''

# row WORK SECONDS KB LIMIT_SECONDS LIMIT_MB [EVENTS [REFERENCE_SECONDS REFERENCE_KB]]; "-" for what there is none of
row() {
	local f
	IFS='|' read -ra f < <(awk -v s="$2" -v kb="$3" -v ls="$4" -v lm="$5" -v n="${6:--}" -v rs="${7:--}" -v rkb="${8:--}" '
		function mb(k) { return k == "-" ? "" : sprintf(", %.0f MB", k / 1024) }
		BEGIN {
			over = (ls != "-" && s > ls) || (lm != "-" && kb / 1024 > lm)
			limit = (ls == "-" ? "" : ls " s") (ls == "-" || lm == "-" ? "" : ", ") (lm == "-" ? "" : lm " MB")
			printf "%.2f s%s|%s|%s|%s|%s|%s\n", s, mb(kb), rs == "-" ? "-" : sprintf("%.1f s%s", rs, mb(rkb)),
				rs == "-" ? "-" : sprintf("%.0f", rs / s), n == "-" ? "-" : sprintf("%.1f", kb * 1024 / n),
				limit == "" ? "-" : limit, limit == "" ? "" : over ? "OVER" : "ok"
		}')
	say "$1" "${f[@]}"
	[ "${f[5]-}" != OVER ] || bad=1
}

# Seconds until `go tool trace` says that it is listening, and the memory that it has taken by then, in KB. Nothing where the
# machine has less than it takes: 180 times the file.
listening() {
	command -v go >/dev/null 2>&1 || return 0
	local size log pid t0
	size=$(stat -c %s "$1")
	[ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -gt $((size / 1024 * 180)) ] || return 0
	log=$(mktemp)
	t0=$(date +%s.%N)
	"$(go tool -n trace)" -http=127.0.0.1:0 "$1" >"$log" 2>&1 &
	pid=$!
	until grep -q listening "$log" || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
	awk -v t0="$t0" -v t1="$(date +%s.%N)" '/^VmHWM/ { print t1 - t0, $2 }' /proc/$pid/status
	kill -9 $pid 2>/dev/null || true
	wait $pid 2>/dev/null || true
	rm -f "$log"
}

for n in 1000000 "$events"; do
	f=$dir/big-$n.trace
	read -r s kb _ < <(best "$ttrace" view -script '' -size 200x60 "$f")
	read -r ref rkb < <(listening "$f") || true
	limits='- -'	# a small one takes what the program takes
	[ "$n" = 1000000 ] || limits="3 $((4 * $(stat -c %s "$f") / 1048576))"
	row "$((n / 1000000)) M events: whole, indexed, first screen" "$s" "$kb" $limits "$n" ${ref:+"$ref" "$rkb"}
done
echo "its stages, and the limit: to take events apart and no more"
"$bin/stages" "$big" | sed 's/^/    /'
if command -v go >/dev/null 2>&1; then	# the reference orders events and throws them away: nobody listens to what it prints
	read -r ref rkb _ < <(measure go tool trace -d=parsed "$small")
	read -r s1 kb _ < <(measure "$ttrace" events "$small")
	row "1 M events: ttrace events; go tool trace -d=parsed" "$s1" "$kb" - - 1000000 "$ref" "$rkb"
fi
read -r s0 _ _ < <(best "$ttrace" view -script '' -size 200x60 "$big")
keys='++++++++++++++++++++----------------llllhhhhjjjjkkkk{{{{}}}}'
read -r s1 kb _ < <(best "$ttrace" view -script "$keys$keys$keys$keys" -size 200x60 "$big")
ms=$(awk -v a="$s0" -v b="$s1" -v n=$((4 * ${#keys})) 'BEGIN { ms = (b - a) * 1000 / n; printf "%.2f", (ms > 0 ? ms : 0) }')
over=$(awk -v ms="$ms" 'BEGIN { print (ms > 8 ? "OVER" : "ok") }')
say "trace: 240 keys on the timeline, 200x60" "$ms ms a key" - - - "8 ms" "$over"
[ "$over" = ok ] || bad=1
# what a key costs in each pane, of the processor; and of a trace of many goroutines
many=$dir/many-$events.trace
[ -s "$many" ] || "$bin/gentrace" -events "$events" -goroutines 500000 "$many"
for f in "$big" "$many"; do
	echo "a key in each pane of $(basename "$f"), 200x60 (8 ms wanted of 99 in 100)"
	"$bin/frames" -index=none "$f" || true
done
# a trace that is several times larger than the memory it may take: what it takes, of that
mem=${BENCH_MEM:-64}
for what in 'view -script 7jj9jj' 'goroutines' 'gc' 'events' 'footprint'; do
	read -r s kb _ < <(measure "$ttrace" $what -mem="${mem}M" -index=none "$big")
	row "trace: -mem=${mem}M, ${what%% *}" "$s" "$kb" - $((mem + 128)) "$events"
done
# the second open, from an index
rm -rf "$dir/index" && "$ttrace" view -script '' -index="$dir/index" "$big" >/dev/null
read -r s kb _ < <(best "$ttrace" view -script '' -size 200x60 -index="$dir/index" "$big")
row "trace: whole again, from its index" "$s" "$kb" 0.5 -
"$ttrace" view -script '' -pane=info -size 120x40 -index="$dir/index" "$big" | sed -n 's/^ *index  */    index /p'
rm -rf "$dir/index"
# bytes of a key over the line, 80x24 in 256 colours: one script of 200 keys, a hundred on a profile and a hundred on a trace
if [ -x tests/pty ]; then
	samples=$(dirname "$0")/../samples
	pkeys='jjjjjjkkk<PgDn><PgUp>jjj<^D><^U>Gggccjjjjjj3jjj<Enter>qq2jjjj<PgDn>nnNNq4jjjlllkkhh<Enter>jj<Backspace>/regexp<Enter>nnNN<Esc>1jjff<Esc>RRjjssiijjKqa<Esc>?q<^G>qjjk'
	tkeys='llllhhhh++llhh--jjjjkkkk{}{}wwwbbb0M<PgDn>jjjkkkM6jjj<Enter>jjj<Enter>jjjj<PgDn>qqq7jjj<Enter>jjj<Enter>jjqqq8jjjj]]9jjjj<PgDn><PgUp>145Kqa<Esc>6qll'
	for what in "cpu.pb.gz $pkeys" "orders.trace $tkeys"; do
		PTY_EACH=1 TERM=xterm-256color LC_ALL=C.UTF-8 XDG_STATE_HOME=$(mktemp -d) tests/pty -b -q 25 -k "${what#* }" "$ttrace" "$samples/${what%% *}"
	done | grep -v '^first screen' | awk '{ print $NF }' | sort -n | awk '{ v[NR] = $1; sum += $1 }
	END {
		ok = v[int(NR / 2)] <= 2048 && sum / NR <= 2048
		printf "%-46s mean %d median %d p90 %d largest %d, limit 2048  %s\n", "bytes of a key, 80x24, script of " NR " keys", sum / NR, v[int(NR / 2)],
		    v[int(NR * .9)], v[NR], NR != 200 ? "not 200 keys" : ok ? "ok" : "OVER"
		exit !ok || NR != 200
	}' || bad=1
fi
read -r s kb _ < <(measure "$ttrace" events "$big")
row "trace: ttrace events" "$s" "$kb" - - "$events"
read -r s kb _ < <(best "$ttrace" goroutines "$big")
row "trace: ttrace goroutines" "$s" "$kb" - - "$events"
echo "how it grows"
for n in 1000000 10000000 ${BENCH_GROW:-}; do
	f=$dir/big-$n.trace
	[ -s "$f" ] || "$bin/gentrace" -events "$n" "$f"
	read -r s kb _ < <(best "$ttrace" view -script '' -size 200x60 "$f")
	awk -v n="$n" -v s="$s" -v kb="$kb" -v f="$(stat -c %s "$f")" 'BEGIN {
		printf "    %9d events, %6.1f MB: %6.2f s, %5.0f MB, %4.0f ns and %4.1f bytes an event, %.1f times the file\n",
			n, f / 1e6, s, kb / 1024, s * 1e9 / n, kb * 1024 / n, kb * 1024 / f }'
done
ref=
if command -v go >/dev/null 2>&1; then
	read -r ref rkb _ < <(measure go tool pprof -symbolize=none -top "$prof")
fi
inflated=$(gzip -dc "$prof" | wc -c)
read -r s kb _ < <(best "$ttrace" top "$prof")
row "profile: ttrace top" "$s" "$kb" - $((2 * inflated / 1048576)) - ${ref:+"$ref" "$rkb"}
[ -z "$ref" ] || awk -v s="$s" -v r="$ref" 'BEGIN { exit !(r / s >= 10) }' || { echo "less than ten times as fast as the reference"; bad=1; }
# a key that changes the query, until the last byte of the screen it brings; and the first screen
if [ -x tests/pty ]; then
	read -r _ kb _ < <(measure "$ttrace" view -script '' -size 80x24 "$prof")
	refocus=':focus=.<Enter>u:focus=Method4999<Enter>u:ignore=Type7<Enter>u:hide=Type6<Enter>u:show=Type[1-6]<Enter>u:tagfocus=search<Enter>u:focus=pkg1<Enter>:ignore=Type55<Enter>:hide=Type6<Enter>uuu'
	TERM=xterm-256color LC_ALL=C.UTF-8 tests/pty -t -k "$refocus" "$ttrace" view "$prof" | sed -n 's/^first screen/first/p; s/^<Enter>/key/p' |
		awk -v kb="$kb" -v most="$((2 * inflated))" 'BEGIN { split("focus on everything|focus, narrow|ignore|hide|show|tagfocus|focus of some|and ignore|and hide", name, "|") }
		/^first/ { over = $2 > 1500 || kb * 1024 > most; bad += over
			printf "%-46s %-17s %-17s %6s %6s  %-15s %s\n", "profile: first screen, 80x24", sprintf("%.2f s, %.0f MB", $2 / 1000, kb / 1024),
				"-", "-", "-", sprintf("1.5 s, %.0f MB", most / 1048576), over ? "OVER" : "ok" }
		/^key/ { over = $2 > 100; bad += over
			printf "%-46s %-17s %-17s %6s %6s  %-15s %s\n", "profile: " name[++n], sprintf("%.0f ms, %.0f cpu", $2, $4), "-", "-", "-", "100 ms", over ? "OVER" : "ok" }
		END { exit bad > 0 || !n }' || bad=1
fi
exit $bad
