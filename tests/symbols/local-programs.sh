#!/bin/sh
# SPDX-License-Identifier: MIT
# Names from local programs. A C program that profiles itself is built in several ways: position-independent or not, stripped,
# with separate debug information. The names and lines of its addresses are compared with those of addr2line.
. "${srcdir:-.}/tests/lib.sh"
cc=
for c in "${CC_FOR_TESTS:-gcc}" cc clang; do
	have "$c" && cc=$c && break
done
cd "$tmp" || exit 1
refuses 2 'symbolize=remote' top -symbolize=remote "$cpu"
refuses 2 'is unknown' top -symbolize=sometimes "$cpu"
PPROF_BINARY_PATH=$tmp/none "$TTRACE" weblist '^orders/internal/report.export$' "$cpu" >out 2>err || fail "weblist: $(cat err)"
grep -q '^ROUTINE =* orders/internal/report.export in ' out && grep -q '^ *180ms *630ms *116:.*Fprintf' out ||
	fail "weblist without the program lacks the routine or its lines: $(cat out)"

# gf starts the editor with the line under the cursor and the file in which its source was found. The terminal has its usual
# settings while the editor runs; then the screen is drawn again.
cat >ed <<'END'
#!/bin/sh
echo "$*" >>"$ED_LOG"
stty -a </dev/tty | grep -q ' icanon' || echo "a raw terminal" >>"$ED_LOG"
echo "The editor is here."
END
chmod +x ed
pty=$build/tests/pty
if curses && have stty; then
	for term in xterm-256color vt100; do
		keys=':list report.export<Enter>gg}{nkj' size=80x24
		export ED_LOG="$tmp/ed.log" EDITOR="$tmp/ed"
		: >ed.log
		"$TTRACE" view -script "$keys" -size $size "$cpu" >want
		TERM=$term \
			"$pty" -q 20 -s $size -k "${keys}gf" -e "$PWD/want" "$TTRACE" "$cpu" >out 2>&1 || fail "gf on $term: $(cat out)"
		grep -q "^+[0-9]* $samples/orders/internal/report/report.go$" ed.log && [ "$(wc -l <ed.log)" = 1 ] ||
			fail "gf on $term: the editor was called with $(cat ed.log)"
	done
fi

flags='-O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls'
case $(uname -m) in x86_64 | aarch64) ;; *) cc= ;; esac
[ -n "$cc" ] || exit $bad
compile() { # compile NAME FLAG...: build a program and record its profile
	name=$1
	shift
	# shellcheck disable=SC2086
	$cc $flags "$@" "$top/tests/symbols/spin.c" -o "$name" 2>cc.err && "./$name" "$name.prof"
}
{ compile exec -g -no-pie && compile pie -g -pie -fPIE; } || {
	echo "the programs cannot be built: $(cat cc.err)"
	[ $bad = 0 ] && exit 77
	exit 1
}

top() { # top NAME OPTION...: print the names of the report top
	prog=$1
	shift
	PPROF_BINARY_PATH=$tmp/none "$TTRACE" top "$@" "$prog.prof" 2>err | sed -n '/flat%/,$s/.*%  *//p'
}
top pie -symbolize=local >out
has_lines=yes
if grep -q 'libdw is missing' err || ! grep -q 'define HAVE_LIBDW' "$build/config.h"; then
	has_lines=
	same "notices of the missing libdw" "$(cat err)" 'ttrace: libdw is missing: names come from symbol tables only, without lines'
fi

# lines and inlined calls are those of addr2line
raw() { # raw NAME: print address, function and source line of each frame of the program itself
	"$TTRACE" raw -symbolize=local "$1.prof" 2>/dev/null | awk '
	/^Mappings/ { exit }
	/^Locations/ { on = 1; next }
	on { at = $1 ~ /:$/; if (at) { addr = $2; mine = $3 == "M=1" } k = at ? 4 : 1
	     place = $(k + 1); sub(/:[0-9]*$/, "", place); if (mine) print addr, $k, place }'
}
base() { # base NAME: print start and file offset of the mapping of the program
	"$TTRACE" raw "$1.prof" | sed -n '/^Mappings/,$s/^1: \(0x[0-9a-f]*\)\/0x[0-9a-f]*\/\(0x[0-9a-f]*\).*/\1 \2/p'
}
if [ -n "$has_lines" ] && have addr2line; then
	for name in exec pie; do
		raw "$name" >ours
		set -- $(base "$name")
		off=0
		[ "$name" = pie ] && off=$(($1 - $2))
		cut -d' ' -f1 ours | uniq | while read -r a; do
			addr2line -ife "$name" "$(printf %x $((a - off)))" |
				awk -v a="$a" 'NR % 2 { f = $1; next } { print a, f, $1 }'
		done >theirs
		[ "$(wc -l <ours)" -gt 12 ] && cmp -s ours theirs ||
			fail "$name: names or lines differ from those of addr2line: $(diff ours theirs)"
	done
fi
want='step work other fold main'
for name in exec pie; do
	top "$name" -symbolize=local >out
	for f in $want; do
		[ "$f" = step ] && [ -z "$has_lines" ] || grep -q "^$f\( (inline)\)*$" out ||
			fail "$name: top has no function $f: $(cat out)"
	done
	top "$name" -symbolize=fastlocal >out
	grep -q inline out && fail "$name: fastlocal shows inlined calls"
	grep -q '^work$' out || fail "$name: fastlocal does not find work: $(cat out)"
done
top pie >out
grep -q work out && fail "addresses get names without -symbolize"

# machine code, by a stub of objdump, whose output is known; file names must not be read as options or run as commands
mkdir -p bin "odd; touch hacked"
cat >bin/objdump <<'END'
#!/bin/sh
for a in "$@"; do last=$a; case $a in --start-address=*) from=${a#*=} ;; esac; done
echo "$*" >>"$OBJDUMP_LOG"
[ -f "$last" ] || exit 1
hex=$(printf %x $((from)))
printf '\n%s <work>:\nwork():\n/src/spin.c:12 (discriminator 2)\n  %s:\tpush   %%rbp\n' "$hex" "$hex"
printf '  %x:\tmovabs $0x1122334455667788,%%rax and a long tail\n/src/spin.c:13\n' $((from + 1))
printf '  %x:\tret\n' $((from + 4096))
END
chmod +x bin/objdump
OBJDUMP_LOG=$tmp/log
export OBJDUMP_LOG
PATH=$tmp/bin:$PATH "$TTRACE" disasm '^work$' exec.prof >out 2>err || fail "disasm: $(cat err)"
sed 's/^\(.\{21\}\)  *[0-9a-f]*:/\1 ADDR:/' out >got
cat >want <<'END'
Total: 480ms
ROUTINE ======================== work
     320ms      320ms (flat, cum) 66.67% of Total
         .          . ADDR: push   %rbp                             ;work spin.c:12
     320ms      320ms ADDR: movabs $0x1122334455667788,%rax and a long tail
         .          . ADDR: ret                                     ;work spin.c:13
END
cmp -s want got || fail "disasm prints another text: $(diff want got)"
PATH=$tmp/bin:$PATH "$TTRACE" weblist '^work$' exec.prof >out 2>err || fail "weblist: $(cat err)"
grep -q '^ROUTINE =* work' out && grep -q '[0-9a-f]: *push   %rbp' out || fail "weblist has no machine code: $(cat out)"
PATH=$tmp/bin:$PATH "$TTRACE" weblist '^work$' -output page.html exec.prof 2>err || fail "weblist: $(cat err)"
grep -q '^<h2>work</h2>' page.html && grep -q '<details>' page.html ||
	fail "weblist -output writes another HTML page: $(cat page.html)"
if [ -n "$has_lines" ]; then
	PATH=$tmp/bin:$PATH "$TTRACE" view -symbolize=local -script ':list work<Enter>Agg' exec.prof >out 2>&1
	grep -q '[0-9a-f]  *push   %rbp' out || fail "A in the pane list shows no assembly: $(cat out)"
fi
cp exec "odd; touch hacked/-exec"
(cd "odd; touch hacked" && PATH=$tmp/bin:$PATH "$TTRACE" disasm '^work$' ./-exec ../exec.prof >/dev/null 2>../err) ||
	fail "disasm fails with an odd file name: $(cat err)"
[ ! -e hacked ] || fail "a file name was run as a command"
"$TTRACE" disasm nosuchname exec.prof >out 2>err && fail "disasm of an unknown function succeeds"
[ -s out ] || grep -q 'no matches found' err || fail "disasm of an unknown function prints another error: $(cat err)"
PATH=$tmp/none "$TTRACE" disasm '^work$' exec.prof >out 2>err && fail "disasm without objdump succeeds"
grep -q 'apt-get install binutils' err || fail "without objdump the error does not name the package: $(cat err)"
: >log
PATH=$tmp/bin:$PATH TTRACESECURE=1 "$TTRACE" disasm '^work$' exec.prof >out 2>err && fail "disasm with TTRACESECURE succeeds"
[ -s log ] && fail "objdump was run although TTRACESECURE is set"
grep -q TTRACESECURE err || fail "the error does not name TTRACESECURE: $(cat err)"

# If the program is missing or of another build, a notice is printed, and addresses get no names. Programs are found by name and
# by build ID.
id=
cp pie pie.kept
mkdir -p store
mv pie store/pie
top pie -symbolize=local >out
grep -q 'Local symbolization failed for pie' err || fail "no notice of a missing program: $(cat err)"
grep -q work out && fail "addresses get names without the program"
PPROF_BINARY_PATH=$tmp/store "$TTRACE" top -symbolize=local pie.prof 2>/dev/null | grep -q ' work$' ||
	fail "the program is not found below PPROF_BINARY_PATH"
"$TTRACE" top -symbolize=local store/pie pie.prof 2>/dev/null | grep -q ' work$' ||
	fail "the program of the command line is not used"
if have readelf; then
	id=$(readelf -n store/pie 2>/dev/null | sed -n 's/.*Build ID: //p')
fi
if [ -n "$id" ]; then
	"$TTRACE" proto -buildid="$id" -output ided.pb.gz pie.prof 2>err || fail "proto: $(cat err)"
	mkdir -p "store/$id"
	mv store/pie "store/$id/elsewhere"
	PPROF_BINARY_PATH=$tmp/store "$TTRACE" top -symbolize=local ided.pb.gz 2>/dev/null | grep -q ' work$' ||
		fail "the program is not found by its build ID"
	cp exec pie
	"$TTRACE" top -symbolize=local ided.pb.gz >out 2>err
	grep -q 'build ID mismatch' err || fail "no notice of a program of another build: $(cat err)"
	grep -q work out && fail "addresses get names of another build"
fi
cp pie.kept pie

# if objdump prints no lines, they come from the debug information
if [ -n "$has_lines" ]; then
	sed 's/\\n\/src\/spin.c:12 (discriminator 2)//; s/\\n\/src\/spin.c:13//' bin/objdump >bin/objdump.new
	mkdir -p blind && mv bin/objdump.new blind/objdump && chmod +x blind/objdump
	grep -q 'spin.c' blind/objdump && fail "the stub of objdump prints lines"
	PATH=$tmp/blind:$PATH "$TTRACE" disasm '^work$' exec.prof >out 2>err
	grep -q 'push .*;work .*\.c:[0-9]' out || fail "disasm has no lines if objdump prints none: $(cat out err)"
fi

# With stacks, perf script writes addresses as offsets in the file, also of a program that is not position-independent.
at=$(nm exec | sed -n 's/^0*\([0-9a-f]*\) [Tt] work$/\1/p')
case $at in
4*)
	at=${at#4}
	printf 'exec 1 1.000001: 1000000 cpu-clock:\n\tffffffff81001000 sys_read+0x10 ([kernel.kallsyms])\n\t%s work+0x0 (%s/exec)\n\n' \
		"$at" "$PWD" >exec.perf ;;
*) at= ;;
esac
# Without stacks it writes the addresses in memory of a position-independent program. The symbol in the line shows where the
# program was loaded.
moved=$(printf %x $((0x$(nm pie | sed -n 's/^0*\([0-9a-f]*\) [Tt] work$/\1/p') + 0x556d0f12e000)))
printf 'pie 1 1.000001: 1000000 cpu-clock:  ffffffff81001000 sys_read+0x10 ([kernel.kallsyms])\npie 1 1.000002: 1000000 cpu-clock:  %s work+0x0 (%s/pie)\n' \
	"$moved" "$PWD" >pie.perf
for name in ${at:+exec} pie; do
	if [ -x "$tmp/bin/objdump" ] || have objdump; then
		"$TTRACE" disasm '^work$' $name.perf >out 2>err && grep -q '^ *[.1][ms]* *1ms .*: ' out ||
			fail "disasm does not find the addresses of perf script in $name: $(cat out err)"
	fi
	[ -n "$has_lines" ] || continue
	"$TTRACE" list '^work$' -symbolize=local -source_path="$top/tests/symbols" $name.perf >out 2>err && grep -q '^ *[.1][ms]* *1ms  *23:' out ||
		fail "list does not find the addresses of perf script in $name: $(cat out err)"
	"$TTRACE" top $name.perf >want 2>err && "$TTRACE" top -symbolize=local $name.perf >out 2>err && cmp -s want out ||
		fail "-symbolize=local changes the names of perf script in $name: $(cat out err)"
done

# a stripped program uses the debug file of .gnu_debuglink, unless it is of another build
if [ -n "$has_lines" ] && have objcopy && have strip; then
	objcopy --only-keep-debug exec exec.dbg && strip exec && objcopy --add-gnu-debuglink=exec.dbg exec
	top exec -symbolize=local >out
	grep -q '^step (inline)' out || fail "the debug file beside the program is not used: $(cat out)"
	mkdir -p .debug && mv exec.dbg .debug/
	top exec -symbolize=local >out
	grep -q '^step (inline)' out || fail "the debug file in .debug is not used"
	cp pie.kept .debug/exec.dbg
	top exec -symbolize=local >out
	grep -q '^step' out && fail "a debug file of another build is used"
fi

# truncated and damaged programs: with or without names, but no crash and no endless loop
size=$(wc -c <pie.kept)
[ -n "$id" ] && rm -rf "store/$id"
i=0
while [ $i -lt 24 ]; do
	at=$((size * i / 24))
	if [ $((i % 2)) = 0 ]; then
		head -c "$at" pie.kept >pie
	else
		cp pie.kept pie
		printf '\377\377\200\001\377\177' | dd of=pie bs=1 seek="$((at % 4096 + (i / 12) * at))" conv=notrunc 2>/dev/null
	fi
	timeout 120 "$TTRACE" top -symbolize=local pie.prof >out 2>err
	[ $? -lt 2 ] || fail "a program that is damaged at $at crashes or stops ttrace: $(tail -3 err)"
	i=$((i + 1))
done
exit $bad
