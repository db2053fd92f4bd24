#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The ttrace authors
#
# Record the files in this folder anew, by running the program in orders/ five times:
#
#   for 20 s with its usual load: the profiles, and a trace of 2.4 s of this time, with one report;
#   for 8 s with little else than log-ins: the two heap profiles before and after the leak;
#   for 8 s with gctrace and schedtrace of the runtime: the log;
#   for 10 s, until SIGQUIT: the goroutine dump;
#   for 4 s under perf, if it is installed.
#
# The program in stock/ runs once; its trace has 2 s.
#
# login.folded is a report of ttrace on a part of the CPU profile; TTRACE is the path of the program.
#
# It takes a minute and needs go in PATH; GOTOOLCHAIN selects its version. With -trimpath the names of source files begin with
# orders/, so they are found below this folder. No file is replaced unless all runs succeed.
#
# No two recordings are equal: after a new one, correct the numbers in README.md.

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

# the log and the goroutine dump: the program itself records nothing
GODEBUG=gctrace=1,schedtrace=100 "$new/orders" -duration 8s -rate 120 -report-every 3s >"$new/gctrace.log" 2>&1
GODEBUG=tracebacklabels=1 timeout -s QUIT 10 "$new/orders" -duration 60s >"$new/goroutines.txt" 2>&1 || true

if command -v perf >/dev/null; then
	perf record -q -F 99 -g -o "$new/perf.data" "$new/orders" -duration 4s >/dev/null 2>&1
	perf script -i "$new/perf.data" 2>/dev/null | sed "s|$new/|/opt/|" | gzip -9n >"$new/perf.txt.gz"
fi
"${TTRACE:-ttrace}" folded -tagfocus=endpoint=/login "$new/cpu.pb.gz" >"$new/login.folded"

mv "$new"/*.trace "$new"/*.pb.gz "$new"/*.log "$new"/*.txt* "$new"/*.folded .
