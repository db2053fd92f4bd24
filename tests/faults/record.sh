#!/bin/sh
# SPDX-License-Identifier: MIT
# Record the traces in this folder anew: RULE.trace.gz of a program with the fault of a rule, RULE.sound.trace.gz of the same
# program without it, and truth.tsv, which has the functions of the faults. It needs Go and takes half a minute. Run it on a
# machine without other load, then run tests/findings/findings.sh.
#
#	record.sh [RULE|RULE+NAME...]		without an argument, also flight.trace.gz: the snapshot of a flight recorder
set -eu
cd "$(dirname "$0")"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

go build -trimpath -buildvcs=false -o "$new/faults" .
"$new/faults" -list | LC_ALL=C sort >truth.tsv
if [ $# -eq 0 ]; then
	set -- $(cut -f1 truth.tsv)
	"$new/faults" -flight "$new/flight.trace"
	gzip -9n "$new/flight.trace"
	mv "$new/flight.trace.gz" .
fi
for rule; do
	"$new/faults" "$rule" "$new/$rule.trace"
	"$new/faults" -sound "$rule" "$new/$rule.sound.trace"
	gzip -9n "$new/$rule.trace" "$new/$rule.sound.trace"
	mv "$new/$rule.trace.gz" "$new/$rule.sound.trace.gz" .
done
