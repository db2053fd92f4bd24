#!/bin/sh
# SPDX-License-Identifier: MIT
# Record the traces in this folder anew, and truth.tsv: for each trace the server, how many of its requests began in the trace,
# how many began before it, how many do not end in it, and the median and maximum of the latency that the clients measured,
# in ns. It needs Go. Run it on a machine without other load, then run tests/requests.sh.
set -eu
cd "$(dirname "$0")"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

go build -trimpath -buildvcs=false -o "$new/requests" .
GOMAXPROCS=2 "$new/requests" "$new"
gzip -9n "$new"/*.trace
mv "$new"/*.trace.gz "$new/truth.tsv" .
