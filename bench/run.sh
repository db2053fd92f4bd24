#!/bin/bash
# SPDX-License-Identifier: MIT
# make bench: one table of what things cost, against a limit (and against the reference where Go is there).
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
row() { # row WORK SECONDS KB LIMIT_SECONDS LIMIT_MB [REFERENCE_SECONDS]
	awk -v w="$1" -v s="$2" -v kb="$3" -v ls="$4" -v lm="$5" -v ref="${6:-}" -v n="$events" 'BEGIN {
		over = (ls != "-" && s > ls) || (lm != "-" && kb / 1024 > lm)
		printf "%-44s %8.2f s %7.0f MB  limit %5s s %5s MB  %s%s\n", w, s, kb / 1024, ls, lm,
			ref == "" ? "" : sprintf("reference %.1f s, %.0f times  ", ref, ref / s), over ? "OVER" : "ok"
		exit over }' || bad=1
}
echo "big trace: $events events, $(stat -c %s "$big") bytes; profile: 1000000 samples, $(stat -c %s "$prof") bytes"

read -r s kb _ < <(measure "$ttrace" view -script '' -size 200x60 "$big")
row "trace: whole, indexed, first screen" "$s" "$kb" 3 $((4 * $(stat -c %s "$big") / 1048576))
awk -v s="$s" -v kb="$kb" -v n="$events" 'BEGIN { printf "%44s %.1f M events/s, %.1f bytes of memory per event\n", "", n / s / 1e6, kb * 1024 / n }'
echo "its stages, and the limit: to take events apart and no more"
"$bin/stages" "$big" | sed 's/^/    /'
if command -v go >/dev/null 2>&1; then	# the reference orders events and throws them away: nobody listens to what it prints
	read -r ref rkb _ < <(measure go tool trace -d=parsed "$small")
	read -r s1 kb _ < <(measure "$ttrace" events "$small")
	row "trace of 1 M events: ttrace events" "$s1" "$kb" - - "$ref"
fi
read -r s0 _ _ < <(measure "$ttrace" view -script '' -size 200x60 "$big")
keys='++++++++++++++++++++----------------llllhhhhjjjjkkkk{{{{}}}}'
read -r s1 kb _ < <(measure "$ttrace" view -script "$keys$keys$keys$keys" -size 200x60 "$big")
awk -v a="$s0" -v b="$s1" -v n=$((4 * ${#keys})) 'BEGIN { ms = (b - a) * 1000 / n
	printf "%-44s %8.2f ms a key              limit    16 ms          %s\n", "trace: 240 keys on the timeline, 200x60", ms, (ms > 16) ? "OVER" : "ok"
	exit (ms > 16) }' || bad=1
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
	row "trace: -mem=${mem}M, ${what%% *}" "$s" "$kb" - $((mem + 128))
done
# the second open, from an index
rm -rf "$dir/index" && "$ttrace" view -script '' -index="$dir/index" "$big" >/dev/null
read -r s kb _ < <(measure "$ttrace" view -script '' -size 200x60 -index="$dir/index" "$big")
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
		printf "%-44s mean %d median %d p90 %d largest %d    limit  2048   %s\n", "bytes of a key, script of " NR " keys", sum / NR, v[int(NR / 2)],
		    v[int(NR * .9)], v[NR], NR != 200 ? "not 200 keys" : ok ? "ok" : "OVER"
		exit !ok || NR != 200
	}' || bad=1
fi
read -r s kb _ < <(measure "$ttrace" events "$big")
row "trace: ttrace events" "$s" "$kb" - -
read -r s kb _ < <(measure "$ttrace" goroutines "$big")
row "trace: ttrace goroutines" "$s" "$kb" - -
echo "how it grows"
for n in 1000000 10000000 ${BENCH_GROW:-}; do
	f=$dir/big-$n.trace
	[ -s "$f" ] || "$bin/gentrace" -events "$n" "$f"
	read -r s kb _ < <(measure "$ttrace" view -script '' -size 200x60 "$f")
	awk -v n="$n" -v s="$s" -v kb="$kb" -v f="$(stat -c %s "$f")" 'BEGIN {
		printf "    %9d events, %6.1f MB: %6.2f s, %5.0f MB, %4.0f ns and %4.1f bytes an event, %.1f times the file\n",
			n, f / 1e6, s, kb / 1024, s * 1e9 / n, kb * 1024 / n, kb * 1024 / f }'
done
ref=
if command -v go >/dev/null 2>&1; then
	read -r ref rkb _ < <(measure go tool pprof -symbolize=none -top "$prof")
fi
read -r s kb _ < <(measure "$ttrace" top "$prof")
row "profile: ttrace top" "$s" "$kb" - - "$ref"
[ -z "$ref" ] || awk -v s="$s" -v r="$ref" 'BEGIN { exit !(r / s >= 10) }' || { echo "less than ten times as fast as the reference"; bad=1; }
[ -z "$ref" ] || echo "$kb $rkb" | awk '{ printf "%44s memory: %.0f MB of the reference'"'"'s %.0f MB\n", "", $1 / 1024, $2 / 1024 }'
# a key that changes the query, until the last byte of the screen it brings; and the first screen
if [ -x tests/pty ]; then
	inflated=$(gzip -dc "$prof" | wc -c)
	read -r _ kb _ < <(measure "$ttrace" view -script '' -size 80x24 "$prof")
	refocus=':focus=.<Enter>u:focus=Method4999<Enter>u:ignore=Type7<Enter>u:hide=Type6<Enter>u:show=Type[1-6]<Enter>u:tagfocus=search<Enter>u:focus=pkg1<Enter>:ignore=Type55<Enter>:hide=Type6<Enter>uuu'
	TERM=xterm-256color LC_ALL=C.UTF-8 tests/pty -t -k "$refocus" "$ttrace" view "$prof" | sed -n 's/^first screen/first/p; s/^<Enter>/key/p' |
		awk -v kb="$kb" -v most="$((2 * inflated))" 'BEGIN { split("focus on everything|focus, narrow|ignore|hide|show|tagfocus|focus of some|and ignore|and hide", name, "|") }
		/^first/ { over = $2 > 1500 || kb * 1024 > most; bad += over
			printf "%-44s %8.2f s %7.0f MB  limit   1.5 s %5.0f MB  %s\n", "profile: first screen, 80x24", $2 / 1000, kb / 1024, most / 1048576, over ? "OVER" : "ok" }
		/^key/ { over = $2 > 100; bad += over
			printf "%-44s %8.0f ms (%.0f ms of the processor)  limit 100 ms  %s\n", "profile: " name[++n], $2, $4, over ? "OVER" : "ok" }
		END { exit bad > 0 || !n }' || bad=1
fi
exit $bad
