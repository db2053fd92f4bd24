#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The ttrace authors
#
# Records the files beside it anew, by running the program in orders/ five times:
#
#   once for 20 s with its usual load: the profiles, and a trace of 2.4 s out of the middle
#   that has one report in it;
#   once for 8 s with hardly anything but log-ins: the two heap profiles with the leak between;
#   once for 8 s with the runtime's own tracers on: the log;
#   once for 10 s, killed by SIGQUIT: the dump of its goroutines;
#   once for 4 s under perf (left out where there is none).
#
# The program in stock/ runs once, with 2 s of it in its trace.
#
# login.folded is what ttrace says of a part of the CPU profile; TTRACE is where to find it.
#
# It takes a minute and needs go in PATH; GOTOOLCHAIN says which one records. -trimpath
# makes the program's files orders/..., which is where they are below this directory. Nothing
# is replaced unless both runs went well.
#
# No two recordings are equal: after a new one, the numbers in README.md are to be set right.

set -eu

: "${GOTOOLCHAIN:=go1.27.4}"
export GOTOOLCHAIN CGO_ENABLED=0

cd "$(dirname "$0")"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

(cd orders && go build -trimpath -buildvcs=false -o "$new/orders" .)
(cd stock && go build -trimpath -buildvcs=false -o "$new/stock" .)

"$new/orders" -duration 20s -rate 170 \
	-trace "$new/orders.trace" -trace-after 2200ms -trace-for 2400ms \
	-cpu "$new/cpu.pb.gz" -heap "$new/heap.pb.gz" -goroutine "$new/goroutine.pb.gz" \
	-block "$new/block.pb.gz" -mutex "$new/mutex.pb.gz"

"$new/orders" -duration 8s -rate 200 -mix 1,1,18 -sales 0 \
	-heap-base "$new/leak-before.pb.gz" -heap "$new/leak-after.pb.gz"

"$new/stock" -for 2s -trace "$new/stock.trace"

# What people have when nothing was switched on but an environment variable, or not even that.
GODEBUG=gctrace=1,schedtrace=100 "$new/orders" -duration 8s -rate 120 -report-every 3s >"$new/gctrace.log" 2>&1
GODEBUG=tracebacklabels=1 timeout -s QUIT 10 "$new/orders" -duration 60s >"$new/goroutines.txt" 2>&1 || true

if command -v perf >/dev/null; then
	perf record -q -F 99 -g -o "$new/perf.data" "$new/orders" -duration 4s >/dev/null 2>&1
	perf script -i "$new/perf.data" 2>/dev/null | sed "s|$new/|/opt/|" | gzip -9n >"$new/perf.txt.gz"
fi
"${TTRACE:-ttrace}" folded -tagfocus=endpoint=/login "$new/cpu.pb.gz" >"$new/login.folded"

mv "$new"/*.trace "$new"/*.pb.gz "$new"/*.log "$new"/*.txt* "$new"/*.folded .
