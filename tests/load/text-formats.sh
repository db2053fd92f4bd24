#!/bin/bash
# SPDX-License-Identifier: MIT
# Text inputs: goroutine dumps, folded stacks, the output of perf script, logs of gctrace and schedtrace. Reports are compared
# with golden files (UPDATE=1 records them anew: read the difference). Then laws: prefixes that collectors of logs add, pipes,
# gzip and line ends of DOS do not change a report, and of damaged files the undamaged part is shown.
set -u
. "${srcdir:-.}/tests/lib.sh"
export LC_ALL=C
ttrace=$TTRACE
golden=$top/tests/golden
cd "$samples" || exit 99
query() { # query NAME ARGS...: the output must be that of the golden file inputs.NAME
	local name=inputs.$1
	shift
	"$ttrace" "$@" 2>&1 | sed "s|$tmp/||g" >"$tmp/out"
	[ "${UPDATE:-}" = 1 ] && cp "$tmp/out" "$golden/$name"
	cmp -s "$tmp/out" "$golden/$name" || { diff "$golden/$name" "$tmp/out" | sed 's/^/# /' | head -20; false; }
	ok $? "$name"
}
gives() { # gives BEHAVIOUR FILE ARGS...: the report of FILE must be that in $tmp/want
	local what=$1 file=$2
	shift 2
	"$ttrace" "$@" "$file" >"$tmp/out" 2>"$tmp/err"
	cmp -s "$tmp/want" "$tmp/out" || { diff "$tmp/want" "$tmp/out" | sed 's/^/# /' | head -5; sed 's/^/# /' "$tmp/err"; false; }
	ok $? "$what"
}

query dump.info info goroutines.txt
query dump.top top -nodecount=12 goroutines.txt
query dump.tagfocus top '-tagfocus=state=chan receive' -lines -nodecount=10 goroutines.txt
query dump.tags tags -taghide='goroutine|parent' goroutines.txt
query dump.peek -peek=ship.func1 goroutines.txt
query perf.info info perf.txt.gz
query perf.top top -nodecount=12 perf.txt.gz
query perf.peek '-peek=runtime.memmove' perf.txt.gz
query folded.top top -cum login.folded
query log.info info gctrace.log
query log.stats stats -step=1s gctrace.log
query log.stats.json stats -step=3s -format=json gctrace.log
query log.procs procs gctrace.log
query log.gc gc -from=8.9s gctrace.log
query log.mmu mmu -window=10ms,100ms,1s gctrace.log

# ---- cases that the samples do not have
cat >"$tmp/panic" <<'END'
2026/11/21 07:00:00 starting
panic: boom [recovered, repanicked]

goroutine 7 gp=0xc000007 m=3 mp=0xc0001 [running, locked to thread]:
panic({0x4a5b20?, 0x4e2c70?})
	/usr/local/go/src/runtime/panic.go:787 +0x132 fp=0x1 sp=0x2 pc=0x401000
main.(*T[...]).f(...)
	/src/main.go:12
main.main.func1()
	/src/main.go:30 +0x1d fp=0x1 sp=0x2 pc=0x402000
created by main.main in goroutine 1
	/src/main.go:29 +0x25

goroutine 1 [chan receive (durable), 5 minutes, synctest bubble 4] {endpoint: /login, "a b": "x\"y"}:
main.main()
	C:/src/main.go:33 +0x44
...12 frames elided...
2026/11/21 07:00:00 somebody else
[originating from goroutine 9]:
main.gone(...)
	/src/main.go:99 +0x1

goroutine 9 [select (scan), 120 minutes]:
	goroutine running on other thread; stack unavailable
created by main.w
	/src/main.go:44 +0x2

runtime stack:
main.notme()
	/src/main.go:1 +0x1

goroutine 8 [syscall]:
non-Go function at pc=0x7f00
c_function
	file.c:7 pc=0x7f01
main.w(0x1)
	/src/main.go:50 +0x2
exit status 2
END
query panic.raw raw "$tmp/panic"
query panic.info info "$tmp/panic"
query panic.wait top -tagfocus=wait=100minutes: "$tmp/panic"
head -c 900 "$tmp/panic" >"$tmp/cut"
query panic.cut info "$tmp/cut"
cat "$tmp/panic" "$tmp/panic" >"$tmp/twice"
query panic.twice tags -tagfocus=dump=2 -tagshow='goroutine|dump' "$tmp/twice"
cat >"$tmp/diff" <<'END'
# before after
main;a_[i];b 10 12
main;do_syscall_64_[k];ext4 (x.c:12)_[k] 5 1
main;c 0 7
END
query folded.diff raw "$tmp/diff"
printf 'main;a 1.5\nmain;b 0.25\n' >"$tmp/fractions"
query folded.fractions top "$tmp/fractions"
cat >"$tmp/perf" <<'END'
# ========
# cmdline : /usr/bin/perf record -e cycles,page-faults -g ./prog
# ========
#
Web Content 12/34 [002]  5.000100:     300 cycles:u: 
	          55d0 std::vector<int, A (*)(int)>::push(int)+0x20 (/opt/my prog)
	          55d0 inlined_one (inlined)
	          5600 main+0x3 (/opt/my prog)
  main.cc:12
	ffffffff81000c82 [unknown] ([kernel.kallsyms])

prog 34 [001]     5.500000:          1 page-faults: 
	               0 [unknown] ([unknown])

prog 34 [001]     5.750000:        100 cycles:u:      7f01 leaf+0x1 (/memfd:x (deleted))
nonsense
END
query perf.raw raw "$tmp/perf"
query perf.faults top -sample_index=page-faults "$tmp/perf"
# without -F comm; the semicolons of a name are no ends of frames
cat >"$tmp/nocomm" <<'END'
 18314 205996.822418:   10101010 cpu-clock:
	          39a7c4 main.apply[struct { A int; B string }]+0x10 (/bin/mysqld)
	          39c65c best_access_path(JOIN*, bool) (/bin/mysqld)

 18314 205996.822518:   10101010 cpu-clock:
	          39c65c best_access_path(JOIN*, bool) (/bin/mysqld)

END
query perf.nocomm raw "$tmp/nocomm"
query perf.folded folded "$tmp/nocomm"
# escapes in the labels of Go 1.27: bytes, characters of both lengths, a character that does not exist
cat >"$tmp/labels" <<'END'
goroutine 6 [sleep] {bin: "a\x01b\tc\\d\xzz", "gr\u00f6\u00dfe": 1, user: "J\u00fcrgen \U0001f600", odd: "\ud800\U00110000\u12"}:
time.Sleep(0x34630b8a000)
	/src/runtime/time.go:368 +0x165
END
query dump.labels tags "$tmp/labels"
# profiles with their symbols before the data: heap of gperftools and of jemalloc, CPU profile in binary
cat >"$tmp/symbols" <<'END'
--- symbol
binary=/srv/php/index
0x0000000000401000 main
0x0000000000402000 App\Store::load--App\Store::open
0x0000000000402fff str_repeat
noise
---
--- heap
heap profile:      3:     3072 [     7:    70000] @ heapprofile
     2:     2048 [     4:    40000] @ 0x403000 0x402000 0x401000
     1:     1024 [     3:    30000] @ 0x402000 0x401000 0x408000

MAPPED_LIBRARIES:
END
query symbols.heap raw "$tmp/symbols"
{ sed '/^--- heap/,$d' "$tmp/symbols"; cat <<'END'; } >"$tmp/symbols.jemalloc"
--- heap
heap_v2/524288
  t*: 28106: 56637512 [0: 0]
@ 0x403000 0x402000 0x401000
  t*: 2: 2097152 [0: 0]

MAPPED_LIBRARIES:
00400000-08000000 r-xp 00000000 fe:01 123 /srv/bin/pageserver
END
query symbols.jemalloc top "$tmp/symbols.jemalloc"
words() { # words N...: print numbers of 8 bytes
	for w; do
		# shellcheck disable=SC2059
		printf "$(printf '\\%o\\%o\\%o' $((w & 255)) $((w >> 8 & 255)) $((w >> 16)))\\0\\0\\0\\0\\0"
	done
}
{ sed '/^--- heap/,$d' "$tmp/symbols"; echo '--- profile'; words 0 3 0 10000 0 5 3 4206591 4202496 4198400 2 2 4198401 4198500 0 1 0; } >"$tmp/symbols.cpu"
query symbols.cpu top "$tmp/symbols.cpu"
{ sed '/^--- heap/,$d' "$tmp/symbols"; printf '%s\n' '--- contention' '--- contention:' 'cycles/second = 1000000000' '100 2 @ 0x403000 0x402000'; } >"$tmp/symbols.lock"
query symbols.lock top "$tmp/symbols.lock"
# linker names are demangled in reports and in the viewer, unless names are refused
printf 'main;_ZN5store4loadEiPKc 3\nmain;_Zq 1\nmain;a_Z 2\n' >"$tmp/linker"
"$ttrace" proto -symbolize=none -output="$tmp/linker.pb.gz" "$tmp/linker"
if "$ttrace" top -symbolize=demangle=default "$tmp/linker" | grep -q ' store::load$'; then	# there is a demangler
	for file in linker linker.pb.gz; do
		"$ttrace" top "$tmp/$file" | grep -q ' store::load$'
		ok $? "top demangles linker names of $file"
		"$ttrace" view -script '' -size 100x30 "$tmp/$file" >"$tmp/out"
		grep -q ' store::load *$' "$tmp/out" && grep -q ' _Zq *$' "$tmp/out"
		ok $? "the viewer demangles linker names of $file"
		"$ttrace" top -symbolize=none "$tmp/$file" | grep -q ' _ZN5store4loadEiPKc$'
		ok $? "-symbolize=none leaves linker names of $file"
	done
fi
cat >"$tmp/log" <<'END'
gc 1 @0.028s 2%: 0.11+2.3+0.030+1.3+0.63 ms clock, 0.33+2.3+0+0.41/0.79/0.63+1.9 ms cpu, 4->4->2 MB, 4 MB goal, 4 P
2026/11/21 07:00:00 the program says gc 2 @ something
gc 2 @0.050s 3%: 0.016+0.37+0.040 ms clock, 0.06+0.10/0.31/0.30+0.16 ms cpu, 4->5->1 MB, 5 MB goal, 4 P (forced)
SCHED 100ms: gomaxprocs=4 idleprocs=2 threads=6 spinningthreads=0 idlethreads=2 runqueue=1 [0 2 0 3]
SCHED 200ms: gomaxprocs=4 idleprocs=4 threads=6 spinningthreads=0 idlethreads=2 runqueue=0 [0 0 0 0]
SCHED 300ms: gomaxprocs=4 idleprocs=1 threads=6 spinningthreads=1 idlethreads=2 runqueue=0 [ 0 0 0 0 ] schedticks=[ 1 2 3 4 ]
gc 3 @0.400s 4% (checking for goroutine leaks): 0.02+0.4+0.04 ms clock, 0.06+0.10/0.31/0.30+0.16 ms cpu, 8-\u003e9-\u003e1 MB, 9 MB goal, 0 MB stacks, 0 MB globals, 4 P
gc 1 @0.010s 4%: 0.02+0.4+0.04 ms clock, 0.06+0.10/0.31/0.30+0.16 ms c
END
query log.old.gc gc "$tmp/log"
query log.old.procs procs "$tmp/log"
query log.old.info info "$tmp/log"
cat >"$tmp/detail" <<'END'
SCHED 0ms: gomaxprocs=2 idleprocs=0 threads=3 spinningthreads=0 idlethreads=0 runqueue=0 gcwaiting=0 nmidlelocked=0 stopwait=0 sysmonwait=0
  P0: status=1 schedtick=0 syscalltick=0 m=0 runqsize=0 gfreecnt=0
  P1: status=0 schedtick=2 syscalltick=0 m=-1 runqsize=0 gfreecnt=0
  M2: p=-1 curg=-1 mallocing=0 throwing=0 preemptoff=GC worker init locks=32 dying=0 spinning=false blocked=true lockedg=nil
  M0: p=0 curg=1 mallocing=1 throwing=0 preemptoff= locks=34 dying=0 spinning=false blocked=false lockedg=1
  G1: status=2() m=0 lockedm=0
  G2: status=4(force gc (idle)) m=nil lockedm=nil
  G3: status=4(a wait of a Go to come) m=nil lockedm=nil
SCHED 1000ms: gomaxprocs=2 idleprocs=0 threads=3 spinningthreads=0 needspinning=1 idlethreads=0 runqueue=1 gcwaiting=false nmidlelocked=0 stopwait=0 sysmonwait=false
  P0: status=1 schedtick=9 syscalltick=0 m=2 runqsize=2 gfreecnt=0 timerslen=0
  P1: status=3 schedtick=2 syscalltick=0 m=nil runqsize=0 gfreecnt=0 timerslen=0
  M2: p=0 curg=4 mallocing=0 throwing=0 preemptoff= locks=32 dying=0 spinning=false blocked=false lockedg=nil
  M0: p=nil curg=1 mallocing=1 throwing=0 preemptoff= locks=34 dying=0 spinning=false blocked=false lockedg=1
  G1: status=3(chan receive) m=0 lockedm=0
  G4: status=4098() m=2 lockedm=nil
END
query log.detail.goroutines goroutines -name= "$tmp/detail"
query log.detail.procs procs "$tmp/detail"

# ---- laws
samples() { "$ttrace" info -format=tsv "$1" 2>/dev/null | sed -n 's/^samples	//p'; }
format() { "$ttrace" info -format=tsv "$1" 2>/dev/null | sed -n 's/^format	//p'; }
{ cat gctrace.log; head -c 2000 goroutines.txt; } >"$tmp/few"
[ "$(format "$tmp/few")" = "gctrace or schedtrace log" ] && "$ttrace" info "$tmp/few" | grep -q 'the log also contains'
ok $? "a log of gctrace with a stack in it is read as a log, and info reports the stack"
{ cat gctrace.log goroutines.txt; } >"$tmp/many"
[ "$(format "$tmp/many")" = "goroutine dump" ] && "$ttrace" info "$tmp/many" | grep -q 'the file also contains 275 gctrace or schedtrace lines'
ok $? "a log that a goroutine dump follows is read as a dump, and info reports the log"
[ "$(samples goroutines.txt)" = "$(grep -c '^goroutine [0-9]' goroutines.txt)" ]
ok $? "a dump has a sample for each of its goroutines"
[ "$("$ttrace" gc -format=tsv gctrace.log | sed 1d | wc -l)" = "$(grep -c '^gc ' gctrace.log)" ]
ok $? "a log has a GC cycle for each of its lines"
[ "$("$ttrace" stw -format=tsv gctrace.log | sed 1d | wc -l)" = $(($(grep -c '^gc ' gctrace.log) * 2)) ]
ok $? "a log has two stops for each GC cycle"
for i in 1 2 3 4 5 6 7 8 9 10; do
	printf '2026-11-21T07:00:00Z SCHED %sms: gomaxprocs=2 idleprocs=0 threads=4 runqueue=2 [ 1 0 ]\n' 0 999999999999
done >"$tmp/century"
(ulimit -t 20 && "$ttrace" view -size=120x30 -script=":set clock wall<Enter>5gt100%<Enter>$(printf %40s | tr ' ' +)" "$tmp/century") |
	grep -q '^2305843009.*s\.\.2305843009.*s of 640512h'
ok $? "times of a log are limited to 73 years, and the axis of the last of them is drawn"
"$ttrace" gc "$tmp/century" 2>&1 | grep -q 'are shown as 73 years'
ok $? "a notice says that times of a log are limited"
[ "$("$ttrace" folded -sample_index=samples perf.txt.gz | awk '{ s += $NF } END { print s }')" = "$(zcat perf.txt.gz | grep -c '^orders')" ]
ok $? "the output of perf script has a sample for each head line"
"$ttrace" folded cpu.pb.gz >"$tmp/want"
cp "$tmp/want" "$tmp/cpu.folded"
gives "the folded stacks of folded stacks are the same" "$tmp/cpu.folded" folded

for f in goroutines.txt:raw gctrace.log:gc login.folded:raw perf.txt.gz:raw; do
	report=${f#*:} file=${f%:*}
	if [ "$file" = perf.txt.gz ]; then zcat perf.txt.gz >"$tmp/text"; else cp "$file" "$tmp/text"; fi
	"$ttrace" "$report" "$tmp/text" >"$tmp/want"
	gzip -c "$tmp/text" >"$tmp/text.gz"
	gives "gzip does not change the report of $file" "$tmp/text.gz" "$report"
	"$ttrace" "$report" - <"$tmp/text.gz" >"$tmp/out" 2>/dev/null
	cmp -s "$tmp/want" "$tmp/out"
	ok $? "the report of $file from standard input is that of the file"
	sed 's/$/\r/' "$tmp/text" >"$tmp/crlf"
	gives "line ends of DOS do not change the report of $file" "$tmp/crlf" "$report"
done
for f in goroutines.txt:raw gctrace.log:gc; do
	report=${f#*:} file=${f%:*}
	"$ttrace" "$report" "$file" >"$tmp/want"
	sed 's/^/2026-11-21T07:00:00.123456789Z stderr F /' "$file" >"$tmp/k8s"
	gives "prefixes of Kubernetes do not change the report of $file" "$tmp/k8s" "$report"
	sed 's/^/shop-1  | /' "$file" >"$tmp/compose"
	gives "prefixes of docker compose do not change the report of $file" "$tmp/compose" "$report"
	sed 's/^/Nov  1 07:00:00 host orders[123]: /' "$file" >"$tmp/journal"
	gives "prefixes of a journal do not change the report of $file" "$tmp/journal" "$report"
	sed 's/\\/\\\\/g; s/"/\\"/g; s/	/\\t/g; s/>/\\u003e/g; s/J/\\u004a/g' "$file" | awk -v q='","stream":"stderr","time":"2026-11-21T07:00:00.123456789Z"}' '
		length($0) > 40 && substr($0, 20, 8) !~ /\\/ { print "{\"log\":\"" substr($0, 1, 23) q; $0 = substr($0, 24) }
		{ print "{\"log\":\"" $0 "\\n" q }' >"$tmp/docker"
	gives "JSON of docker does not change the report of $file" "$tmp/docker" "$report"
	{ seq 1 3000 | sed 's/^/a line of the log, before: /'; echo; cat "$file"; echo; echo "and after it"; } >"$tmp/noise"
	gives "other lines before and after $file do not change its report" "$tmp/noise" "$report"
done
for line in 'before\u0000ngoroutine 99 [running]:\n' 'main.x()\n' '\t/x.go:1 +0x1\n' '\n' 'goroutine 1 [running]:\n' 'main.y()\n' '\t/y.go:1 +0x1\n'; do
	printf '{"log":"%s","stream":"stderr","time":"2026-11-21T07:00:00.1Z"}\n' "$line"
done >"$tmp/docker"
[ "$(samples "$tmp/docker")" = 1 ]
ok $? "the letter after an escaped NUL in JSON of docker is no escape"
for at in 1000 5000 20000; do
	head -c $at goroutines.txt >"$tmp/cut"
	"$ttrace" top "$tmp/cut" >/dev/null 2>"$tmp/err"
	[ "$(samples "$tmp/cut")" = "$(grep -c '^goroutine [0-9].*:$' "$tmp/cut")" ] && grep -q 'truncated in goroutine' "$tmp/err"
	ok $? "of a dump truncated at $at the complete goroutines are shown, with a notice"
	"$ttrace" raw -strict "$tmp/cut" >/dev/null 2>&1
	[ $? = 1 ]
	ok $? "-strict refuses a dump truncated at $at"
done
"$ttrace" info -format=json gctrace.log | grep -q '"gc_cycles":187'
ok $? "info -format=json has the number of GC cycles"
# Of truncated or damaged gzip data the part that can be inflated is shown, with a notice. (A protobuf profile with damaged
# data is refused, because its numbers may be wrong; tests/cli/command-line.sh tests truncated ones.)
for file in "$trace" goroutines.txt gctrace.log; do
	report=stats
	case $file in
	*goroutines*) report=top ;;
	*gctrace*) report=gc ;;
	esac
	gzip -c "$file" >"$tmp/whole.gz"
	size=$(wc -c <"$tmp/whole.gz")
	head -c $((size * 3 / 4)) "$tmp/whole.gz" >"$tmp/torn.gz"
	{ head -c $((size - 6)) "$tmp/whole.gz"; printf 'xxxxxx'; } >"$tmp/sum.gz"
	"$ttrace" $report "$tmp/sum.gz" >"$tmp/out" 2>"$tmp/err" && "$ttrace" $report "$file" | cmp -s - "$tmp/out" &&
		grep -q 'gzip data is damaged (incorrect data check); the data before it is shown' "$tmp/err"
	ok $? "$file with a wrong checksum is shown completely, with a notice"
	"$ttrace" $report "$tmp/torn.gz" >"$tmp/out" 2>"$tmp/err" && [ -s "$tmp/out" ] && grep -q 'gzip data is truncated' "$tmp/err"
	ok $? "of $file with truncated gzip data the part before the end is shown, with a notice"
	"$ttrace" $report -strict "$tmp/torn.gz" >/dev/null 2>&1
	[ $? = 1 ]
	ok $? "-strict refuses $file with truncated gzip data"
done
gzip -c "$trace" | head -c 120000 >"$tmp/torn.gz"
"$ttrace" events "$tmp/torn.gz" >"$tmp/out" 2>"$tmp/err" && [ "$(wc -l <"$tmp/out")" -gt 1000 ] && grep -q 'truncated' "$tmp/err"
ok $? "of a trace with truncated gzip data the events before the end are shown, with a notice"
# A trace that is truncated in its first generation has batches of only some threads: their events are shown.
for at in 30000 87000 145000; do
	head -c $at "$trace" >"$tmp/cut.trace"
	"$ttrace" events "$tmp/cut.trace" >"$tmp/out" 2>"$tmp/err"
	shown=$(wc -l <"$tmp/out")
	left=$(sed -n 's/.* \([0-9]*\) events*, what led to .* left out$/\1/p' "$tmp/err")
	[ "$shown" -gt $((at / 6)) ] && [ $((${left:-0} * 100)) -lt "$shown" ] &&
		grep -q 'events without the event that has to precede them: shown anyway' "$tmp/err"
	ok $? "a trace truncated at $at, in its first generation, shows most events: $shown shown, ${left:-0} left out"
	[ "$(grep -c 'no generation is complete' "$tmp/err")" = 1 ]
	ok $? "a trace truncated at $at has one notice that no generation is complete"
	"$ttrace" goroutines "$tmp/cut.trace" 2>/dev/null | grep -q .
	ok $? "goroutines of a trace truncated at $at are shown"
done
# Sums that exceed 64 bits wrap around, without undefined behaviour, which a build with sanitizers would report.
most=9223372036854775807
printf 'main;a;b %s\nmain;a;c %s\nmain;a %s\nmain;d;a;b %s\n' $most $most $most $most >"$tmp/ends"
for report in top tree 'peek .' raw dot 'dot -call_tree' flame speedscope tags callgrind; do
	# shellcheck disable=SC2086
	"$ttrace" $report "$tmp/ends" >/dev/null 2>&1
	ok $? "$report succeeds with the largest values of 64 bits"
done
for keys in 1 2 3 4 4r 't<Enter>' '3jj<Enter>'; do
	"$ttrace" view -size 200x50 -script "$keys" "$tmp/ends" | grep -q "^ttrace ends "
	ok $? "the viewer after $keys shows the largest values of 64 bits"
done
# Negative and very large numbers have all digits and a blank before them.
printf 'a;b -60\na;c -40\n' >"$tmp/less"
"$ttrace" view -size 80x24 -script '' "$tmp/less" | grep -q -- ' -40\.0%  -100%      -40 '
ok $? "a share of -100% has a blank before it"
printf 'heap profile: 1: 500 [1: 500] @ heapprofile\n1: 500 [1: 500] @ 0x1234 0x5678\n' >"$tmp/nameless"
"$ttrace" view -size 80x24 -script 2 "$tmp/nameless" | sed -n 2p | grep -q '^<unknown> .*flat 500B'
ok $? "a function without a name is shown as <unknown>"
printf '\nMAPPED_LIBRARIES:\n00001000-00003000 r-xp 00000000 00:00 0 /srv/app\n00005000-00006000 r-xp 00000000 00:00 0 %s\n' \
	/opt/vendor/acme/lib/release/libfirst-2.31.so >>"$tmp/nameless"
"$ttrace" view -size 80x24 -script 2 "$tmp/nameless" | grep -q '500B .*\[/srv/app\]'
ok $? "rows of functions without names show the mapped file"
"$ttrace" view -size 40x12 -script 4 "$tmp/nameless" | grep -q 'libfirst-2\.31\.so'
ok $? "a frame that is too narrow for a path shows the end of the path"
printf 'goroutine 1 [x\033P evil\007]:\nmain.\033[31mf()\n\t/a\033[0m.go:1 +0x1\n' >"$tmp/evil"
"$ttrace" view -script '' "$tmp/evil" | grep -q "$(printf '\033')"
[ $? = 1 ]
ok $? "escape characters in names are not written to the terminal"
# Names in the comments of Go's debug=1 pages. deep is recursive; two calls are inlined at 0x300; the runtime's
# frames have no comment; 0x999 is not in the sample.
printf 'goroutine profile: total 3\n2 @ 0x101 0x201 0x201 0x301 0x401\n# labels: {"a":"b"}\n' >"$tmp/pages"
printf '#\t0x200\tmain.deep+0x28\t\t/src/a b.go:83\n#\t0x200\tmain.deep+0x28\t\t/src/a b.go:83\n' >>"$tmp/pages"
printf '#\t0x300\tmain.in+0x1\t/src/b.go:5\n#\t0x300\tmain.(*T).out+0x31\t/src/b.go:9\n' >>"$tmp/pages"
printf '\n1 @ 0x101 0x501 0x401\n#\t0x999\tmain.none+0x1\t/src/a.go:1\n#\t0x500\tmain.late+0x1\t/src/a.go:1\n' >>"$tmp/pages"
"$ttrace" traces -symbolize=local -lines "$tmp/pages" >"$tmp/out" 2>"$tmp/err"
[ "$(sed -n '/^-/,$p' "$tmp/out" | sed 's/^ *//')" = "$(cat <<'END'
-----------+-------------------------------------------------------
2   <unknown>
main.deep /src/a b.go:83
main.deep /src/a b.go:83
main.in /src/b.go:5 (inline)
main.(*T).out /src/b.go:9
<unknown>
-----------+-------------------------------------------------------
1   <unknown>
<unknown>
<unknown>
-----------+-------------------------------------------------------
END
)" ] && [ ! -s "$tmp/err" ] || { sed 's/^/# /' "$tmp/out" "$tmp/err"; false; }
ok $? "comments name the frames of a debug=1 page, also recursive, inlined and hidden ones"
"$ttrace" traces "$tmp/pages" | grep -q main
[ $? = 1 ]
ok $? "without -symbolize=local, reports ignore the names in comments"
"$ttrace" view -size 80x24 -script 1c "$tmp/pages" >"$tmp/out"
grep -q ' 2 .*main\.(\*T)\.out' "$tmp/out" && grep -q ' 2 .*main\.deep' "$tmp/out"
ok $? "the viewer shows the names in comments"
for mode in '' -symbolize=local -symbolize=demangle=none -symbolize=force; do
	"$ttrace" view $mode -size 100x40 -script ":traces > $tmp/traces<Enter>" "$tmp/pages" >/dev/null
	"$ttrace" traces -symbolize=local "$tmp/pages" | cmp -s - "$tmp/traces"
	ok $? "reports in the viewer have the names in comments: ${mode:-no option}"
	rm -f "$tmp/traces"
	"$ttrace" view $mode -size 100x40 -script ":traces<Enter>" "$tmp/pages" | grep -q '^ttrace traces .*-symbolize=\(.*local\|force\)'
	ok $? "the command line of a report in the viewer has -symbolize: ${mode:-no option}"
done
"$ttrace" view -symbolize=none -size 80x24 -script 1c "$tmp/pages" >"$tmp/out"
! grep -q 'main\.' "$tmp/out"
ok $? "with -symbolize=none the viewer does not show the names in comments"
printf -- '--- mutex:\ncycles/second=1000000000\nsampling period=1\n70 2 @ 0x101 0x201\n#\t0x100\tsync.(*Mutex).Unlock+0x1\t/m.go:2\n#\t0x200\tmain.g+0x1\t/a.go:3\n' >"$tmp/mutex"
printf 'heap profile: 1: 8 [1: 8] @ heap/1\n1: 8 [1: 8] @ 0x101 0x201\n#\t0x100\tmain.alloc+0x1\t/m.go:2\n#\t0x200\tmain.g+0x1\t/a.go:3\n' >"$tmp/heap"
for page in mutex heap; do
	"$ttrace" top -cum -symbolize=local "$tmp/$page" 2>&1 | grep -q '100%  main\.g'
	ok $? "comments name the frames of a $page page"
done
# Each attribute of a memory map is twice the one before: expanded they would take gigabytes.
{
	printf 'heap profile: 1: 1 [1: 1] @ heap/1\n1: 1 [1: 1] @ 0x1234\nMAPPED_LIBRARIES:\nv10=0123456789\n1000-2000 r-xp 00000000 00:00 0 /srv/$v10/app\n'
	for i in $(seq 11 50); do
		echo "v$i=\$v$((i - 1))\$v$((i - 1))"
	done
	echo '2000-3000 r-xp 00000000 00:00 0 /srv/$v50'
} >"$tmp/attributes"
"$ttrace" raw "$tmp/attributes" >"$tmp/out" 2>"$tmp/err"
grep -q '/srv/0123456789/app' "$tmp/out" && grep -q '^2: 0x2000.*[$]v' "$tmp/out" && grep -q 'memory map.*not replaced' "$tmp/err"
ok $? "attributes of a memory map that would expand to gigabytes are replaced as far as a limit, with a warning"
# Names may have a byte 0: label values that differ after it are two values, and reports print all their bytes. A key of
# four bytes that are not UTF-8 is padded like four characters, as in pprof.
{
	printf '\012\004\010\001\020\002\042\002\010\001\062\000\062\001n\062\001u\062\003a\000c\062\003a\000b\062\004\377\376\200\201'
	printf '\022\014\012\001\001\022\001\001\032\004\010\005\020\003'
	printf '\022\014\012\001\001\022\001\001\032\004\010\005\020\004'
} >"$tmp/zero.pb"
for pair in 'tags (50.00%): a?b' 'tags (50.00%): a?c' 'raw \xff\xfe\x80\x81:[a?b]' 'raw \xff\xfe\x80\x81:[a?c]' \
	'traces       \xff\xfe\x80\x81:  a?b' 'traces       \xff\xfe\x80\x81:  a?c'; do
	want=$(printf '%b' "${pair#* }")
	"$ttrace" ${pair%% *} "$tmp/zero.pb" 2>"$tmp/err" | tr '\000' '?' | grep -qaF -- "$want"
	ok $? "${pair%% *} prints all bytes of a label: ${pair#* }"
done
"$ttrace" tags -safe "$tmp/zero.pb" | grep -qF 'a\x00b'
ok $? "-safe escapes a byte 0"
# A folded stack of more than a megabyte is the first line.
{ head -c 1200000 /dev/zero | tr '\000' a && printf ';b 3\nx;y 2\n'; } >"$tmp/wide.folded"
"$ttrace" top "$tmp/wide.folded" | grep -q ' 3 60.00% .* b$'
ok $? "folded stacks whose first line exceeds a megabyte are recognised"
# A profile whose drop_frames would be matched in two to the power of 28 steps.
printf '\012\004\010\001\020\002\022\006\012\001\001\022\001\001\042\010\010\001\042\004\010\001\020\001\052\004\010\001\020\003' >"$tmp/drop.pb"
printf '\070\004\062\000\062\001n\062\001u\062\036aaaaaaaaaaaaaaaaaaaaaaaaaaaab!\062\012((a|a)*)*b' >>"$tmp/drop.pb"
"$ttrace" top "$tmp/drop.pb" 2>"$tmp/err" | grep -q 'aaab!$' && grep -q 'drop_frames.*too much time or memory to match 1 function' "$tmp/err"
ok $? "a drop_frames that takes too long to match is ignored, with a warning"
# A stack of 3000 times one location with 3000 inlined calls: 9 million frames in 21 kB.
{
	printf '\012\004\010\001\020\002\022\276\027\012\270\027'
	printf '\001%.0s' $(seq 3000)
	printf '\022\001\001\042\322\214\001\010\001'
	printf '\042\004\010\001\020\001%.0s' $(seq 3000)
	printf '\052\004\010\001\020\003\062\000\062\001n\062\001u\062\001f'
} >"$tmp/inlined.pb"
"$ttrace" top "$tmp/inlined.pb" 2>&1 | grep -q 'with inlined calls, the stacks of the profile have more than [0-9]* frames'
ok $? "stacks with very many inlined calls are refused"
# Comments that name 1000 inlined calls at an address that another stack has 1000 times.
{
	printf 'goroutine profile: total 2\n1 @ 0x101 0x201\n'
	printf '#\t0x100\tmain.in+0x1\t/src/b.go:5\n%.0s' $(seq 1000)
	printf '#\t0x200\tmain.out+0x1\t/src/b.go:9\n\n1 @'
	printf ' 0x101%.0s' $(seq 1000)
	echo
} >"$tmp/comments"
"$ttrace" top -symbolize=local "$tmp/comments" >"$tmp/out" 2>&1
grep -q 'main\.out' "$tmp/out" && ! grep -q 'main\.in' "$tmp/out" && grep -q 'too many inlined calls' "$tmp/out"
ok $? "comments that name very many inlined calls at one address are ignored, with a warning"
plan
exit $bad
