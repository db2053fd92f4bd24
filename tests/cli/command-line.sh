#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line: words in any order, one line for each error, exit status 2 for a wrong command line and 1 for a wrong
# file, and output files that are complete or absent.
. "${srcdir:-.}/tests/lib.sh"
cd "$tmp" || exit 1
prints() { # prints ARGUMENT...: ttrace must print the contents of the file `first`
	run 0 "$@"
	cmp -s first out || fail "the output differs: ttrace $*"
}

# typing errors
refuses 2 'did you mean view' vew "$cpu"
refuses 2 'did you mean -focus' top -fcous=x "$cpu"
refuses 2 'did you mean goroutines' help goruotines
# general options, and errors of options
run 0
grep -q 'go test' out || fail "without arguments it does not say how to record"
run 0 --version
version=$(sed -n 's/^## \([0-9.]*\) (unreleased)$/\1-dev/p; s/^## \([0-9.]*\) .*/\1/p' "$top/NEWS.md" | head -n 1)
grep -qx "ttrace $version" out || fail "version: $(cat out), and NEWS.md has $version first"
debian=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$top/debian/changelog" | tr '~' -)
[ "$debian" = "$version" ] || fail "debian/changelog has version $debian, and NEWS.md has $version"
run 0 help
grep -q -- '-nodecount' out || fail "help without options"
run 0 help top
refuses 2 nosuch help nosuch
refuses 2 nosuch top -nosuch "$cpu"
refuses 2 node top -node=3 "$cpu"		# an ambiguous prefix
refuses 2 'number' top -nodecount=many "$cpu"
refuses 2 'top requires a file' top
refuses 2 'peek "regexp" requires a file' peek regexp
refuses 2 'requires N' top -nodecount
refuses 2 'expression' top '-focus=(' "$cpu"

# all spellings of a command line print the same report
run 0 top -cum -nodecount=5 "$cpu"
[ -s out ] || fail "top prints nothing"
cp out first
prints -top -cum -nodecount=5 "$cpu"
prints "$cpu" -top -cum -nodecount 5
prints top "$cpu" --cum --nodecount=5
prints top -cum=true -nodec=5 "$cpu"
prints top -cum -nodecount=5 -- "$cpu"
"$TTRACE" top -cum -nodecount=5 - <"$cpu" >out 2>err || fail "standard input"
sed 1d first >a
sed 1d out >b
cmp -s a b || fail "the report of standard input differs from that of the file"
gzip -dc <"$cpu" >plain.pb
prints top -cum -nodecount=5 plain.pb
half=$(($(wc -c <plain.pb) / 2))
head -c $half plain.pb | gzip >two.gz
tail -c +$((half + 1)) plain.pb | gzip >>two.gz
prints top -cum -nodecount=5 two.gz
run 0 list 'main\.' "$cpu" -source_path="$samples"
cp out first
prints "-list=main\\." "$cpu" -source_path="$samples"

# files of wrong formats, and truncated files: the error names the file and its format
: >empty
printf '\177ELF\002\001\001' >elf
printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\004\000' >core
printf '<!DOCTYPE html>\n<html>' >page
printf '{"a": 1}' >j
printf 'hello\nworld\n' >text
printf 'PERFILE2........' >perf
printf 'PK\003\004....' >zip
gzip -c "$cpu" >twice
head -c 1000 "$cpu" >cut.pb.gz
head -c 10 "$trace" >cut.trace
head -c 30000 plain.pb >cut.pb
{ head -c 257 /dev/zero && printf 'ustar\0' && head -c 300 /dev/zero; } >tape
printf 'FLR\0\0\002\0\0' >flight
printf 'JAVA PROFILE 1.0.2\0\0' >hprof
printf '{"displayTimeUnit":"ns","traceEvents":[]}' >chrome
printf '[\n{"name":"a","ph":"B","ts":1,"pid":1}]' >events
printf '{"log":"hello\\n","stream":"stdout","time":"2026-11-21T07:00:00Z"}\n' >docker
for f in tape:tar flight:jfrconv hprof:hprof chrome:perfetto events:perfetto docker:docker empty:killed elf:PROGRAM core:debugger page:HTML j:JSON text:text perf:perf.data zip:zip \
	twice:gzip cut.trace:trace; do
	refuses 1 "${f#*:}" top "${f%%:*}"
	head -n 1 err | grep -q "${f%%:*}" || fail "the file is not named: $(cat err)"
done
for f in cut.pb.gz cut.pb; do	# samples come first, names last: samples are counted, and addresses are shown
	run 0 top -addresses $f
	grep -q 'ttrace: at byte [0-9]*: .*truncated' err && grep -q 'Showing nodes accounting for [1-9]' out ||
		fail "the start of a truncated profile is not shown: $(cat out err)"
done
refuses 1 'nowhere' top nowhere
refuses 1 'directory' top .
refuses 1 '("hello")' top text
refuses 1 'truncated in its header' top cut.trace
refuses 1 'not a Go execution trace' events "$cpu"
head -c 140000000 /dev/zero | gzip -1 >bomb
refuses 1 'memory' top -mem=128M bomb
refuses 2 'mem' top -mem=much "$cpu"
gzip -c "$trace" >t.gz
run 0 footprint "$trace"
cp out first
prints footprint t.gz
for f in empty elf page j text perf zip twice cut.pb.gz cut.trace; do
	refuses 1 "$f" events "$f"
done

# a numeric label of value 0 is kept (the block size of a heap profile as text)
printf 'heap profile: 1: 0 [1: 0] @ heapprofile\n1: 0 [1: 0] @ 0x401000\n' >zero
run 0 raw zero
grep -q 'bytes:\[0\]' out || fail "a label of 0 bytes is lost: $(cat out)"

# an expression that takes exponential time by backtracking, and one whose matches cannot be decided
printf 'main;%064d 1\nmain;b 2\n' 0 | tr 0 a >exponential
run 0 top -focus='(a|aa)+c|b$' exponential
grep -q ' 2, 66.67% of 3 total' out || fail "-focus with an exponential expression: $(cat out)"
refuses 1 'too many alternatives for a text of' top -focus='((a{1,50}){1,20})+c|b$' exponential

# the file of -output is complete, or it is not changed
run 0 top -nodecount=5 "$cpu"
cp out first
run 0 top -nodecount=5 -output=made "$cpu"
[ ! -s out ] && cmp -s made first || fail "-output"
refuses 1 nowhere top -output=made nowhere
cmp -s made first || fail "-output: a failed report changed the file that was there"
refuses 1 'x/made' top -output=x/made "$cpu"
refuses 2 '-output requires a file name' top -output= "$cpu"
grep -q "$cpu" err && fail "an error of the output file names the input file: $(cat err)"
[ "$(ls | grep -c made)" = 1 ] || fail "-output left temporary files: $(ls | grep made)"
# -output to a named pipe writes into it; a symbolic link is kept, and a file keeps its mode
mkfifo fifo
cat fifo >through &
run 0 top -nodecount=5 -output=fifo "$cpu"
wait $!
[ -p fifo ] && cmp -s through first || fail "-output replaced a named pipe by a file"
ln -s made link
chmod 640 made
run 0 top -nodecount=5 -output=link "$cpu"
[ -L link ] && cmp -s made first && [ "$(stat -c %a made)" = 640 ] || fail "-output: a link or a mode was lost"
refuses 1 'fifo' top -output=fifo/x "$cpu"
long=$(printf '%0250d' 0)
run 0 top -nodecount=5 -output=$long "$cpu"
cmp -s $long first || fail "-output: a name of 250 bytes"
# -output names the file of standard output: what others write there stays, also if the file has no name any more
{ echo before; "$TTRACE" top -nodecount=5 -output=made "$cpu"; echo after; } >made
{ echo before; cat first; echo after; } | cmp -s - made || fail "-output of the file of standard output: $(cat made)"
exec 3<>unnamed
rm unnamed
ln -s /proc/self/fd/1 stream
"$TTRACE" top -nodecount=5 -output=stream "$cpu" >&3
[ -L stream ] || fail "-output replaced a link to standard output by a file"
[ ! -e /proc/self/fd/3 ] || cmp -s /proc/self/fd/3 first || fail "-output did not write to a file without a name"
exec 3>&-

# a zone that the system does not know is UTC, and is named so
for zone in Nowhere/City :Nowhere/City Nowhere/City2 AB; do
	TZ=$zone run 0 top "$cpu"
	grep -q '^Time: .* UTC$' out || fail "the time in the unknown zone $zone: $(grep Time: out)"
done
if [ -e /usr/share/zoneinfo/WET ]; then
	TZ=WET run 0 top "$cpu"		# the sample is of November
	grep -q '^Time: .* WET$' out || fail "the time in a zone that has UTC's in winter: $(grep Time: out)"
fi
TZ=XYZ-5 run 0 top "$cpu"
grep -q '^Time: .* XYZ$' out || fail "the time in a zone with an offset: $(grep Time: out)"

# standard streams that are closed: no file that is opened later takes messages or the report
"$TTRACE" proto -focus=nosuch -output=made "$cpu" 2>&-
same "status with standard error closed" $? 0
run 0 top made
"$TTRACE" top "$cpu" >&- 2>err
same "status with standard output closed" $? 1
grep -q '^ttrace: standard output: ' err || fail "standard output is closed: $(cat err)"
"$TTRACE" top - <&- >out 2>err
same "status with standard input closed" $? 1

# the reader of standard output closes the pipe
("$TTRACE" events "$trace" 2>pipe; echo $? >status) | head -n 1 >out
[ ! -s pipe ] && [ "$(cat status)" -lt 128 ] || fail "a closed pipe is noisy: $(cat pipe status)"
# a full disk: each report and listing prints one error
full() { # full NAME ARGUMENT...: run ttrace with standard output on a full device; the error names NAME
	full_word=$1
	shift
	"$TTRACE" "$@" >/dev/full 2>err
	same "status on a full disk: ttrace $*" $? 1
	[ "$(wc -l <err)" = 1 ] && grep -q "^ttrace: $full_word: No space" err || fail "a full disk: ttrace $*: $(cat err)"
}
if [ -w /dev/full ]; then
	full 'standard output'
	for line in -version help 'help top' -print=keys -print=commands -print=options -print=reports -print=config \
		-print=settings -print=explain -print=completion-bash -print=completion-zsh -print=completion-fish; do
		full 'standard output' $line
	done
	for report in top list=main peek=main tree traces raw proto dot callgrind folded speedscope tags info \
		weblist=main 'view -script=4' 'view -script=4 -ansi'; do
		full 'standard output' -${report#-} "$cpu" -source_path="$samples"
	done
	for report in goroutines 'goroutines -format=json' 'gc -format=csv' events wire footprint stats tasks; do
		full 'standard output' $report "$trace"
	done
	full /dev/full top -output=/dev/full "$cpu"
	full /dev/full events -output=/dev/full "$trace"
fi

# a signal, a limit and a lack of memory leave nothing beside the file of -output
awk 'BEGIN { for (i = 0; i < 300000; i++) print "main;f" i % 977 ";g" i " " i % 7 + 1 }' >much.folded
rm -f made made.*
ended() { # ended SIGNAL: send a signal to a report that has not completed its file
	for _ in 1 2 3 4 5 6 7 8; do
		set -m
		"$TTRACE" top -output=made much.folded 2>err &
		set +m
		until [ -e "$(echo made.??????)" ] || [ -e made ] || ! kill -0 $! 2>/dev/null; do :; done
		kill -s "$1" $! 2>/dev/null
		wait $! 2>/dev/null
		[ -e made ] || break	# else the report was faster than the signal
		rm made
	done
	[ "$(ls | grep -c '^made')" = 0 ] || fail "SIG$1 left $(ls | grep '^made')"
}
for name in INT TERM HUP QUIT ALRM USR1 XCPU; do
	ended $name
done
(ulimit -f 8 && refuses 1 'made: File too large' events -output=made "$trace"; exit $bad) || bad=1
if ! sanitized; then
	for report in goroutines 'goroutines -output=made' 'view -script=4'; do
		(ulimit -v 80000 && refuses 1 'out of memory' $report "$trace"; exit $bad) || bad=1
	done
fi
[ "$(ls | grep -c '^made')" = 0 ] || fail "temporary files are left: $(ls | grep '^made')"

# errors escape control characters of file names and contents: escape sequences, ends of lines, C1 and bidi controls
evil=$(printf 'a\033]0;x\007b\nc\302\233d\342\200\256e\342\201\246f\330\234g')
mkdir "$evil"
printf 'x\033[2J\302\205\342\200\217\n' >"$evil/text"
head -c 100000 "$trace" >"$evil/cut"
cp "$cpu" "$evil/profile"
quiet() { # quiet STATUS ARGUMENT...: stderr must have lines of printable ASCII only, each an error of ttrace
	run "$@"
	tr -d '\n -~' <err | grep -q . && fail "control characters on stderr: $(cat -v err)"
	[ -s err ] && ! grep -qv '^ttrace: ' err || fail "a line on stderr does not begin with ttrace: $(cat -v err)"
}
quiet 1 top "$evil/nowhere"
quiet 1 top "$evil/text"
quiet 1 view -script '' "$evil/text"
quiet 1 events "$evil/text"
quiet 1 view -script '' "$evil"
quiet 0 top "$evil/profile" "$evil/text"
quiet 0 events "$evil/cut"
quiet 0 wire "$evil/cut"
quiet 1 "$evil"x
quiet 2 "-$evil"
quiet 2 help "$evil"
quiet 2 top "-focus=($evil" "$cpu"
quiet 2 top "-nodecount=$evil" "$cpu"
quiet 2 top "-sample_index=$evil" "$cpu"
quiet 1 top -output="$evil/x/y" "$cpu"
quiet 2 view -script '' "-pane=$evil" "$cpu"
quiet 2 view -script '' "-theme=$evil" "$cpu"
quiet 2 -print="$evil"
grep -q 'a.x1b\]0;x.x07b.x0ac.xc2.x9bd.xe2.x80.xaee.xe2.x81.xa6f.xd8.x9cg' err || fail "not escaped: $(cat -v err)"

# a trace whose program did not call trace.Stop: only the header is there, and info reports it
printf 'go 1.26 trace\0\0\0' >header
run 0 info header
grep -q 'trace.Stop' out || fail "info does not report that a trace has only a header"
refuses 2 'function, creator' goroutines -by=colour "$trace"
refuses 2 'waker, self' top -type=sched -blame=nobody "$trace"
refuses 2 'like 10ms..50ms' tasks -latency=soon "$trace"
refuses 2 'commas' goroutines -goroutine=1,x "$trace"
refuses 2 'after the end of the trace, 2.40s' events -from=5s "$trace"
refuses 2 'after the end of the trace, 2.40s' gc -from=5s -to=6s "$trace"
refuses 2 'after the end of the trace, 2.40s' view -from=99s -script=7 "$trace"
refuses 2 'from must be before' view -from=2s -to=1s -script=7 "$trace"
refuses 2 'output does not apply' view -output=out2 -script= "$trace"
refuses 2 'format does not apply' -format=json "$trace"
refuses 2 'no P 77' view -proc=77 -script=7 "$trace"
# a name or filter without matches: an empty table and a notice
for report in goroutines operations tasks regions stw; do
	run 0 $report -name=nosuch "$trace"
	same "$report -name=nosuch" "$(cat "$tmp/err")" 'ttrace: -name=nosuch matches nothing'
	for option in group=goroutine op=operation task=task region=region; do
		run 0 $report -${option%=*}=nosuch "$trace"
		same "$report -$option" "$(cat "$tmp/err")" "ttrace: -${option%=*}=nosuch matches no ${option#*=}"
	done
done
run 0 goroutines -name=nosuch -diff_base="$trace" "$trace"
same 'a name that neither side has' "$(cat "$tmp/err")" 'ttrace: -name=nosuch matches nothing'
run 0 stw '-name=GC sweep termination' "$trace"
same 'the notice of a name that matches' "$(cat "$tmp/err")" ''
refuses 2 'before -to' gc -from=2s -to=1s "$trace"
# these reports read one file; they refuse a second one instead of ignoring it
for report in info events wire footprint gc; do
	refuses 2 "$report reads only one file" $report "$trace" "$trace"
done

# what users of go tool trace type: a program before the trace, and the flags -d and -pprof
for report in 'goroutines -format=tsv' 'top -type=sched' "view -script 6"; do
	run 0 $report "$trace"
	cp out first
	run 0 $report "$TTRACE" "$trace"
	cmp -s out first || fail "a program before the trace changes $report"
done
for mode in parsed:events wire:wire footprint:footprint; do
	run 0 ${mode#*:} "$trace"
	cp out first
	run 0 -d=${mode%:*} "$trace"
	cmp -s out first || fail "-d=${mode%:*} is not the report ${mode#*:}"
	run 0 -d ${mode%:*} elf "$trace"
	cmp -s out first || fail "-d ${mode%:*} with a program is not the report ${mode#*:}"
done
run 0 proto -type=sync "$trace"
cp out first
run 0 -pprof=sync "$trace"
cmp -s out first || fail "-pprof=sync is not proto -type=sync"
refuses 2 'requires parsed, wire or footprint' -d=1 "$trace"
refuses 2 'stands for the report events' top -d=parsed "$trace"
refuses 2 nosuch -pprof=nosuch "$trace"
refuses 2 'applies only to traces' -pprof=sched "$cpu"
# -type=block shows the reasons of waits as frames. With -tagroot=none it does not, and prints no notice about a filter
# without matches.
run 0 top -type=block -tagroot=none "$trace"
[ ! -s err ] && ! grep -q '  select$' out || fail "-tagroot=none prints a notice or shows reasons: $(cat err out)"
run 0 top -type=block -cum "$trace"
grep -q '  select$' out || fail "-type=block does not show reasons: $(cat out)"
# go tool pprof numbers the functions of old Java heap profiles in the order of the locations, and so does ttrace
printf '%s\n' '--- heapz 1 ---' 'format = java' 'resolution = bytes' '  1048576 2 @ 0x10 0x20' '  2048 1 @ 0x40 0x10' '' \
	'0x40 b.Last (Z.java:9)' '0x20 c.Second (C.java:22)' '0x10 a.First (A.java:1)' >java.heap
run 0 proto -output=java.pb.gz java.heap
same "the order of functions" "$(gzip -dc java.pb.gz | tr -c 'A-Za-z.' '\n' | grep -x -e '[abc]\.[A-Z][a-z]*' | tr '\n' ' ')" 'a.First c.Second b.Last '
# Reports that need graphviz print how to install it if it is missing.
mkdir none
for format in svg ps png gif pdf; do
	env PATH="$tmp/none" "$TTRACE" $format "$cpu" >out 2>err
	[ $? = 1 ] && [ ! -s out ] && [ "$(grep -c 'apt-get install graphviz' err)" = 1 ] || fail "$format without dot: $(cat err)"
	TTRACESECURE=1 refuses 1 'TTRACESECURE' $format "$cpu"
	have dot || continue
	run 0 -$format -nodecount=5 -output=drawing "$cpu"
	head -c 100 drawing | tr -d '\0' | grep -a -q -e '<?xml' -e '^%!PS' -e PNG -e '^GIF8' -e '^%PDF' ||
		fail "$format: the file has another format"
done
TTRACESECURE=1 refuses 1 'TTRACESECURE' top -output=secure.txt "$cpu"
[ ! -e secure.txt ] || fail '-output writes a file although TTRACESECURE is set'
# A report reads its file in a sandbox: its filter of system calls is active while it waits for the reader of a full pipe.
if [ -r "/proc/$$/status" ] && (cd "$build" && tests/base/t-sandbox) >/dev/null 2>&1; then
	mkfifo held
	exec 3<>held 4<held
	"$TTRACE" raw "$cpu" >held 2>err 3>&- 4<&- &
	until_so grep -q '^Seccomp:.*2' "/proc/$!/status" || fail "a report runs without its sandbox"
	exec 3>&-
	cat <&4 >sandbox.txt
	exec 4<&-
	wait $! || fail "a report in its sandbox fails: $(cat err)"
	run 0 raw "$cpu"
	cmp -s sandbox.txt out || fail "other output from a report in its sandbox"
fi
# A pipe is read once, whatever the report needs it for: to find out what it contains, or whether it is a program. A report
# that opened it again would wait for another writer.
mkfifo pipe-1 pipe-2
writers=
feed() { # feed FILE PIPE
	cat "$1" >"$2" &
	writers="$writers $!"
}
of_pipe() { # of_pipe ARGUMENT...: ttrace must print the contents of the file `first`, in which $file is for pipe-1
	timeout 60 "$TTRACE" "$@" >out 2>err
	sed "s#pipe-1#$file#" out | cmp -s first - || fail "of a pipe: ttrace $*: $(cat err out | head -n 3)"
}
for report in findings info traces; do
	for file in "$cpu" "$trace"; do
		"$TTRACE" $report "$file" >first
		feed "$file" pipe-1
		of_pipe $report pipe-1
	done
done
before=$top/samples/leak-before.pb.gz
after=$top/samples/leak-after.pb.gz
"$TTRACE" top -diff_base="$before" "$after" >first
feed "$before" pipe-1
feed "$after" pipe-2
of_pipe top -diff_base=pipe-1 pipe-2
"$TTRACE" top "$before" "$after" >first
feed "$before" pipe-1
feed "$after" pipe-2
of_pipe top pipe-1 pipe-2
kill $writers 2>/dev/null	# those without a reader
# Options that open another program are refused; the error names the command of ttrace to use instead.
for option in -http=:8080 -web -evince -eog -gv -kcachegrind; do
	refuses 2 "${option%%=*} .*ttrace " $option "$cpu"
done
exit $bad
