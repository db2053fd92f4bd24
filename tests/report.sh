#!/bin/bash
# SPDX-License-Identifier: MIT
# The reports that pprof has too, on the samples: each query has a golden file of its name, recorded from
# `go tool pprof` (RECORD=1 tests/report.sh does it again; it needs Go). Then laws that need no golden.
set -u
export TZ=UTC LC_ALL=C
srcdir=$(cd "${srcdir:-.}" && pwd)
ttrace=${TTRACE:-./ttrace}
golden=$srcdir/tests/golden
cd "$srcdir/samples" || exit 99
n=0 bad=0
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT

ok() { # ok STATUS WHAT
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi
}

# query NAME REPORT[=REGEX] ARGS...: its text is that of the golden file
query() {
	local name=$1 report=$2
	shift 2
	if [ -n "${RECORD:-}" ]; then
		go tool pprof -symbolize=none "-$report" "$@" >"$golden/$name" 2>/dev/null
		return
	fi
	"$ttrace" "-$report" "$@" >"$tmp/out" 2>"$tmp/err"
	cmp -s "$tmp/out" "$golden/$name" || { diff "$golden/$name" "$tmp/out" | sed 's/^/# /' | head -20; sed 's/^/# /' "$tmp/err"; false; }
	ok $? "$name"
}

query cpu.top top -nodecount=25 cpu.pb.gz
query cpu.top.cum.lines top -cum -lines -nodecount=20 cpu.pb.gz
query cpu.top.filefunctions top -filefunctions -nodecount=20 cpu.pb.gz
query cpu.top.addresses.noinlines top -addresses -noinlines -nodecount=20 cpu.pb.gz
query cpu.top.focus.hide top '-focus=^orders' -ignore=json '-hide=^runtime\.' -nodecount=20 cpu.pb.gz
query cpu.top.show_from.prune_from top '-show_from=^orders' -prune_from=mallocgc -nodecount=20 cpu.pb.gz
query cpu.top.tagfocus.relative top -tagfocus=endpoint=checkout -relative_percentages -nodecount=15 cpu.pb.gz
query cpu.top.tagroot.tagleaf top -tagroot=endpoint -tagleaf=endpoint -cum -nodecount=15 cpu.pb.gz
query cpu.tree tree -nodecount=12 cpu.pb.gz
query cpu.peek 'peek=orders/internal/render' cpu.pb.gz
query cpu.list list=render -source_path=. cpu.pb.gz
query cpu.tags tags cpu.pb.gz
query cpu.dot dot -nodecount=15 cpu.pb.gz
query cpu.dot.call_tree dot -call_tree -nodecount=10 cpu.pb.gz
query heap.top.alloc_objects top -sample_index=alloc_objects -nodecount=15 heap.pb.gz
query heap.top.unit.divide_by top -unit=kb -divide_by=3 -nodecount=15 heap.pb.gz
query heap.top.tagfocus.range top -tagfocus=1kb:64kb -nodecount=15 heap.pb.gz
query heap.dot dot -nodecount=10 heap.pb.gz
query block.top.mean top -mean -nodecount=15 block.pb.gz
query block.callgrind.focus callgrind -focus=cache block.pb.gz
query mutex.traces traces mutex.pb.gz
query mutex.raw raw -focus=cache mutex.pb.gz
query goroutine.traces.lines traces -lines goroutine.pb.gz
query leak.top.base top -base=leak-before.pb.gz -nodecount=20 leak-after.pb.gz
query leak.top.diff_base.drop_negative top -diff_base=leak-before.pb.gz -drop_negative -nodecount=20 leak-after.pb.gz
query leak.tree.normalize tree -base=leak-before.pb.gz -normalize -nodecount=8 leak-after.pb.gz
query merged.top top -nodecount=15 leak-before.pb.gz leak-after.pb.gz
[ -n "${RECORD:-}" ] && exit

# What is written can be read again and says the same.
for f in cpu heap block mutex goroutine; do
	"$ttrace" proto $f.pb.gz >"$tmp/again.pb.gz" && "$ttrace" raw $f.pb.gz >"$tmp/a" &&
		"$ttrace" raw "$tmp/again.pb.gz" >"$tmp/b" && cmp -s "$tmp/a" "$tmp/b"
	ok $? "proto of $f is $f"
done
# A filter and its opposite share out everything.
sum() { "$ttrace" folded "$@" | awk '{ s += $NF } END { printf "%.0f\n", s }'; }
for re in json runtime 'orders/internal/render' nothing.has.this; do
	[ "$(sum cpu.pb.gz 2>/dev/null)" = $(($(sum -focus="$re" cpu.pb.gz 2>/dev/null) + $(sum -ignore="$re" cpu.pb.gz 2>/dev/null))) ]
	ok $? "focus and ignore of $re make the whole"
done
# A profile less itself is nothing.
[ -z "$("$ttrace" folded -base=cpu.pb.gz cpu.pb.gz)" ]
ok $? "a profile less itself is empty"
# What cannot be done is one line and a status.
fails() {
	local want=$1
	shift
	"$ttrace" "$@" >"$tmp/out" 2>"$tmp/err"
	[ $? = "$want" ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ]
	ok $? "refused: $*"
}
fails 1 peek no.such.function cpu.pb.gz
fails 1 list no.such.function cpu.pb.gz
fails 2 top '-focus=(' cpu.pb.gz
fails 2 top -sample_index=nosuch cpu.pb.gz
fails 2 top -lines -files cpu.pb.gz
fails 2 top -divide_by=0 cpu.pb.gz
fails 2 top -base=leak-before.pb.gz -diff_base=leak-before.pb.gz leak-after.pb.gz
fails 1 top nosuch.pb.gz
echo "1..$n"
exit $bad
