# SPDX-License-Identifier: MIT
# Functions of bench/run.sh that measure commands and print rows of the table. Sourced.

bad=0

# row WORK OURS REFERENCE RATIO BYTES_AN_EVENT LIMIT [VERDICT]; "-" stands for a value that does not exist. With the
# verdict OVER, the status of make bench is 1.
row() {
	printf '%-64s %-20s %-20s %6s %6s  %-24s %s\n' "$@"
	[ "${7-}" != OVER ] || bad=1
}

# calc EXPRESSION [FORMAT]: print the value, computed by awk
calc() { awk "BEGIN { printf \"${2:-%.0f}\", $1 }"; }

# within CONDITION: print the verdict
within() { calc "($1) ? \"ok\" : \"OVER\"" %s; }

mb() { calc "$1 / 1024" "%.0f MB"; }
took() { printf '%.2f s, %s' "$1" "$(mb "$2")"; }	# SECONDS KB
size() { stat -c %s "$1"; }
each() { calc "$1 * 1024 / $2" %.1f; }	# KB EVENTS

# measure COMMAND: print "SECONDS KB STATUS PROCESSOR" of a command until it ends. best COMMAND: the same until its last output,
# the least of three runs, because a virtual machine gets its memory page by page on first use, which takes time. screen FILE:
# best of the viewer
measure() { "$bin/measure" "$@"; }
best() { for _ in 1 2 3; do "$bin/measure" -screen "$@"; done | sort -n | head -1; }
screen() { best "$ttrace" view -script '' -judge=false -size 200x60 "$@"; }	# OPTIONS FILE

# listening FILE: print the seconds until `go tool trace` listens, and its peak memory in KB until then. Print nothing without
# Go, or where less memory is free than it takes, 180 times the file.
listening() {
	[ -n "$go" ] || return 0
	local log pid t0
	[ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -gt $(($(size "$1") / 1024 * 180)) ] || return 0
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
